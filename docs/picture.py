"""Make docs/images/minimize.svg: a terminal with a real run, and the automaton of its answer."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from html import escape
from pathlib import Path

import regsynth
from regsynth.automata.drawing import to_svg
from regsynth.automata.position import to_dfa
from regsynth.cli.main import main

PAPER_EXAMPLE = "(((c+c)*+a*b*)+ddb?(d+d))+(((d+d)+ad)+(d+(b+b))+(b+dd)((d+d)+(d+d)))"
COMMANDS = (
    ("regsynth minimize 'a?d*(b+d+d+d)'", ["minimize", "a?d*(b+d+d+d)"]),
    (f"regsynth minimize '{PAPER_EXAMPLE}'", ["minimize", PAPER_EXAMPLE]),
    ("regsynth eq '(a+b)*' '(a*b*)*'", ["eq", "(a+b)*", "(a*b*)*"]),
    ("regsynth eq 'a*' '(aa)*'", ["eq", "a*", "(aa)*"]),
)
LINE, LEFT, WIDTH = 22, 22, 900
STYLE = """\
.shot{--page:#fff;--frame:#d0d7de;--bar:#f6f8fa;--ink:#24292f;--dim:#57606a;--good:#116329;font:14px ui-monospace,SFMono-Regular,\
Menlo,Consolas,monospace}
@media (prefers-color-scheme:dark){.shot{--page:#14181d;--frame:#30363d;--bar:#1c2128;--ink:#e6edf3;--dim:#9aa5b1;--good:#7ee787}}
.shot .page{fill:var(--page);stroke:var(--frame)}
.shot .dot{fill:var(--frame)}
.shot .line{fill:var(--ink);white-space:pre}
.shot .command{fill:var(--dim)}
.shot .answer{font-weight:700}
.shot .good{fill:var(--good)}"""


def output_of(arguments: list[str]) -> str:
    """What the command prints on a terminal."""
    stream = io.StringIO()
    with redirect_stdout(stream):
        main([*arguments, "--format", "table"])
    return stream.getvalue().rstrip("\n")


def text(y: int, content: str, kind: str) -> str:
    return f'<text class="line {kind}" x="{LEFT}" y="{y}" xml:space="preserve">{content}</text>'


def answer(line: str) -> str:
    """An output line, its first cell bold and its proof green."""
    first, gap, rest = line.partition("      ")
    rest = re.sub(r"(proven minimal)", r'<tspan class="good">\1</tspan>', escape(rest))
    return f'<tspan class="answer">{escape(first)}</tspan>{gap}{rest}'


def picture() -> str:
    """The whole picture."""
    y, body = 58, []
    for command, arguments in COMMANDS:
        body.append(text(y, escape(f"$ {command}"), "command"))
        body.append(text(y + LINE, answer(output_of(arguments)), "output"))
        y += 2 * LINE + 8
    regex = regsynth.minimize(PAPER_EXAMPLE).regex
    assert regex is not None
    body.append(text(y + 8, escape(f"the minimal automaton of {regex}, drawn by regsynth"), "command"))
    drawing = to_svg(to_dfa(regex), title=f"automaton of {regex}")
    found = re.search(r'width="(\d+)" height="(\d+)"', drawing)
    assert found is not None
    width, height = map(int, found.groups())
    drawing = drawing.replace("<svg ", f'<svg x="{(WIDTH - width) // 2}" y="{y + 18}" ', 1)
    total = y + 18 + height + 14
    size = f'width="{WIDTH}" height="{total}"'
    dots = "".join(f'<circle class="dot" cx="{x}" cy="20" r="6"/>' for x in (24, 44, 64))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" class="shot" role="img" viewBox="0 0 {WIDTH} {total}" {size}>',
        "<title>A terminal in which regsynth minimises expressions and compares languages</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{total - 1}" rx="10"/>',
        dots,
        *body,
        drawing,
        "</svg>\n",
    ])  # fmt: skip


if __name__ == "__main__":
    target = Path(__file__).parent / "images" / "minimize.svg"
    target.parent.mkdir(exist_ok=True)
    target.write_text(picture(), encoding="utf-8")
    print(target)
