"""Draw a laid-out automaton as one self-contained SVG, legible on light and on dark pages."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from math import hypot

from regsynth.automata.layout import RADIUS, Edge, Layout, Point

MARGIN = 18.0
CHARACTER = 8.0  # pixels a character of a label takes, about
ARROW = 8.0

Curve = tuple[Point, Point, Point, Point]  # a cubic Bézier

STYLE = """\
.regsynth-dfa{--paper:#fff;--ink:#24292f;--line:#57606a;--fill:#eef4fb;--goal:#dcf2e3;--label:#0b57a4;font:14px ui-monospace,\
SFMono-Regular,Menlo,Consolas,monospace}
@media (prefers-color-scheme:dark){.regsynth-dfa{--paper:#14181d;--ink:#e6edf3;--line:#9aa5b1;--fill:#20303f;--goal:#1f3d2b;\
--label:#7cc0ff}}
.regsynth-dfa .paper{fill:var(--paper)}
.regsynth-dfa .state{fill:var(--fill);stroke:var(--ink);stroke-width:1.5}
.regsynth-dfa .goal{fill:var(--goal)}
.regsynth-dfa .ring{fill:none;stroke:var(--ink);stroke-width:1.2}
.regsynth-dfa .edge{fill:none;stroke:var(--line);stroke-width:1.4}
.regsynth-dfa .head{fill:var(--line)}
.regsynth-dfa text{text-anchor:middle;dominant-baseline:central;fill:var(--ink)}
.regsynth-dfa .label{fill:var(--label)}"""


def text_width(text: str) -> float:
    """Width of a label in pixels, about."""
    return CHARACTER * len(text)


def render(layout: Layout, labels: Mapping[Edge, str], accepting: frozenset[int], start: int, title: str) -> str:
    """The drawing as text.

    ``labels`` holds the text of every edge; ``accepting`` the states with a double circle.
    """
    place = layout.place
    paths, heads, texts = [], [], []
    boxes: list[tuple[float, float, float, float]] = [(x, y, RADIUS + 2, RADIUS + 2) for x, y in place.values()]
    extent = [(x + dx, y + dy) for x, y in place.values() for dx in (-RADIUS, RADIUS) for dy in (-RADIUS, RADIUS)]
    routes = {edge: _route(edge, layout, edge[::-1] in labels) for edge in labels if edge[0] != edge[1]}
    crowd = [_at(curve, t / 8) for curves in routes.values() for curve in curves for t in range(9)] + list(place.values())
    for q, point in place.items():
        if (q, q) in labels:
            routes[q, q] = [_loop(point, crowd)]
    for curves in routes.values():
        extent += [_at(curve, t / 8) for curve in curves for t in range(9)]
        paths.append(_path(curves))
        heads.append(_head(curves[-1]))
    for edge, curves in routes.items():
        text = labels[edge]
        x, y = _label_place(edge, curves, text, boxes)
        half = text_width(text) / 2 + 3
        boxes.append((x, y, half, 9.0))
        extent += [(x - half, y - 10), (x + half, y + 10)]
        back, wide = x - half + 2, 2 * half - 4
        texts.append(f'<rect class="paper" x="{back:.1f}" y="{y - 8:.1f}" width="{wide:.1f}" height="16" rx="4"/>')
        texts.append(f'<text class="label" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>')
    x, y = place[start]
    tail = (x - RADIUS - 34, y)
    arrow: Curve = (tail, (x - RADIUS - 24, y), (x - RADIUS - 12, y), (x - RADIUS - 1, y))
    paths.append(_path([arrow]))
    heads.append(_head(arrow))
    extent.append(tail)
    states = [_state(q, point, q in accepting) for q, point in place.items()]
    left, top = min(p[0] for p in extent) - MARGIN, min(p[1] for p in extent) - MARGIN
    width, height = max(p[0] for p in extent) + MARGIN - left, max(p[1] for p in extent) + MARGIN - top
    box = f'viewBox="{left:.1f} {top:.1f} {width:.1f} {height:.1f}" width="{width:.0f}" height="{height:.0f}"'
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" class="regsynth-dfa" role="img" {box}>',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="8"/>',
        *paths, *heads, *states, *texts,
        "</svg>",
    ])  # fmt: skip


def _state(q: int, point: Point, goal: bool) -> str:
    x, y = point
    ring = f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS - 4:.0f}"/>' if goal else ""
    kind = "state goal" if goal else "state"
    circle = f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS:.0f}"/>'
    return f'{circle}{ring}<text x="{x:.1f}" y="{y:.1f}">{q}</text>'


def _route(edge: Edge, layout: Layout, paired: bool) -> list[Curve]:
    """The curves of an edge, from border to border."""
    q, r = edge
    (x1, y1), (x2, y2) = layout.place[q], layout.place[r]
    if edge in layout.via:
        return _spline([(x1, y1), *layout.via[edge], (x2, y2)])
    dx, dy = x2 - x1, y2 - y1
    if layout.layer[q] == layout.layer[r]:
        # Down on the right, up on the left; wider when the edge jumps over states.
        side = (24 + 0.28 * max(0.0, abs(dy) - 92)) * (1 if dy > 0 else -1)
        return [_clipped((x1, y1), (x1 + side, y1 + 0.3 * dy), (x2 + side, y2 - 0.3 * dy), (x2, y2))]
    if paired:
        # Both edges of a pair bend to their own right.
        length = hypot(dx, dy)
        bend = 0.26 * min(length, 100.0)
        nx, ny = -dy / length * bend, dx / length * bend
        return [_clipped((x1, y1), (x1 + 0.3 * dx + nx, y1 + 0.3 * dy + ny), (x2 - 0.3 * dx + nx, y2 - 0.3 * dy + ny), (x2, y2))]
    return [_clipped((x1, y1), (x1 + 0.45 * dx, y1), (x2 - 0.45 * dx, y2), (x2, y2))]


def _loop(point: Point, crowd: list[Point]) -> Curve:
    """A self-loop above the state, or below where that is less crowded."""
    x, y = point

    def room(side: int) -> float:
        return min((hypot(px - x, py - (y + 40 * side)) for px, py in crowd if (px, py) != point), default=99.0)

    side = 1 if room(1) > room(-1) + 6 else -1
    return _clipped((x, y), (x - 26, y + 52 * side), (x + 26, y + 52 * side), (x, y))


def _clipped(a: Point, b: Point, c: Point, d: Point) -> Curve:
    """The curve from circle border to circle border instead of centre to centre."""
    return (_toward(a, b, RADIUS), b, c, _toward(d, c, RADIUS + 1.5))


def _toward(a: Point, b: Point, distance: float) -> Point:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = hypot(dx, dy) or 1.0
    return (a[0] + dx / length * distance, a[1] + dy / length * distance)


def _spline(points: list[Point]) -> list[Curve]:
    """A smooth curve through all points (Catmull–Rom as cubic Béziers)."""
    points = [_toward(points[0], points[1], RADIUS), *points[1:-1], _toward(points[-1], points[-2], RADIUS + 1.5)]
    padded = [points[0], *points, points[-1]]
    curves = []
    for (ax, ay), (bx, by), (cx, cy), (ex, ey) in zip(padded, padded[1:], padded[2:], padded[3:]):
        first, second = (bx + (cx - ax) / 6, by + (cy - ay) / 6), (cx - (ex - bx) / 6, cy - (ey - by) / 6)
        curves.append(((bx, by), first, second, (cx, cy)))
    return curves


def _at(curve: Curve, t: float) -> Point:
    a, b, c, d = curve
    u = 1 - t
    k0, k1, k2, k3 = u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t
    return (k0 * a[0] + k1 * b[0] + k2 * c[0] + k3 * d[0], k0 * a[1] + k1 * b[1] + k2 * c[1] + k3 * d[1])


def _label_place(edge: Edge, curves: list[Curve], text: str, boxes: list[tuple[float, float, float, float]]) -> Point:
    """A point on the edge where the label covers no state and no other label, if there is one."""
    half = text_width(text) / 2 + 3
    choices: list[Point] = []
    if edge[0] == edge[1]:
        x, y = _at(curves[0], 0.5)
        up = curves[0][1][1] < curves[0][0][1]
        choices = [(x, y - 2 if up else y + 2)]
    else:
        middle = len(curves) / 2
        for shift in (0.0, -0.12, 0.12, -0.22, 0.22, -0.3, 0.3):
            where = min(max(middle + shift * len(curves), 0.0), len(curves) - 1e-9)
            choices.append(_at(curves[int(where)], where - int(where)))

    def overlap(point: Point) -> float:
        return sum(
            max(0.0, half + w - abs(point[0] - x)) * max(0.0, 9.0 + h - abs(point[1] - y)) for x, y, w, h in boxes
        )

    return min(choices, key=overlap)


def _path(curves: list[Curve]) -> str:
    (x, y), steps = curves[0][0], []
    for _, b, c, d in curves:
        steps.append(f"C{b[0]:.1f} {b[1]:.1f} {c[0]:.1f} {c[1]:.1f} {d[0]:.1f} {d[1]:.1f}")
    return f'<path class="edge" d="M{x:.1f} {y:.1f}{"".join(steps)}"/>'


def _head(curve: Curve) -> str:
    """The arrow head, along the curve's end."""
    tip, back = curve[3], _at(curve, 0.92)
    x, y = _toward(tip, back, ARROW)
    nx, ny = (y - tip[1]) / ARROW * 3.6, (tip[0] - x) / ARROW * 3.6
    return f'<path class="head" d="M{tip[0]:.1f} {tip[1]:.1f}L{x + nx:.1f} {y + ny:.1f}L{x - nx:.1f} {y - ny:.1f}Z"/>'
