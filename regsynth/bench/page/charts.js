// Bars of categories, and curves of a score against the input's length.

function showOutcomes(place) {
  const tasks = [...new Set(DATA.runs.map((run) => run.task))];
  for (const task of tasks) {
    const runs = DATA.runs.map((run, number) => ({ run, number })).filter(({ run }) => run.task === task);
    const used = runs[0].run.categories.filter((name) => runs.some(({ run }) => run.counts[name]));
    if (tasks.length > 1) place.append(make("h3", {}, task));
    place.append(make("div", { class: "legend" }, used.map(chip)));
    place.append(make("div", { class: "bars" }, runs.flatMap(({ run, number }) => [make("span", {}, visible(run.name)), stackedBar(run, number, used)])));
    place.append(make("details", {}, make("summary", {}, "As a table"), make("div", { class: "scroll" }, categoryTable(runs, used))));
    for (const [kind, title] of [["by_category", "Tokens of answers"], ["thinking_by_category", "Tokens of thinking"]]) {
      const counted = runs.filter(({ run }) => run.statistics.tokens && run.statistics.tokens[kind]);
      if (counted.length) place.append(make("details", {}, make("summary", {}, title), make("div", { class: "scroll" }, tokenTable(counted, used, kind))));
    }
  }
}

function stackedBar(run, number, used) {
  const total = used.reduce((sum, name) => sum + (run.counts[name] || 0), 0) || 1;
  const parts = used.filter((name) => run.counts[name]).map((name) => {
    const n = run.counts[name];
    const text = `${meaning(name)}: ${n.toLocaleString("en")} of ${total.toLocaleString("en")} (${(100 * n / total).toFixed(1)} %)`;
    const part = make("button", { type: "button", title: `${text}; show them`, "aria-label": `${run.name}, ${text}; show these items`, onclick: () => showOnly(number, name) },
      n / total > 0.07 ? `${Math.round(100 * n / total)} %` : "");
    return styled(part, { "--c": hue(name), flex: `${n} 0 0` });
  });
  return make("div", { class: "bar", role: "group", "aria-label": `Categories of ${run.name}` }, parts);
}

function categoryTable(runs, used) {
  return make("table", {},
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, make("span", {}, "row")), used.map((name) => make("th", { scope: "col", class: "number" }, make("span", {}, meaning(name)))))),
    make("tbody", {}, runs.map(({ run }) => make("tr", {}, make("th", { scope: "row" }, visible(run.name)),
      used.map((name) => make("td", { class: "number" }, (run.counts[name] || 0).toLocaleString("en")))))));
}

/** Mean tokens of each outcome, with the least and the most. */
function tokenTable(runs, used, kind) {
  const cell = (spread) => make("td", { class: "number" }, spread ? shown("tokens", spread.mean) : "–", spread ? make("small", { class: "quiet" }, ` ${shown("tokens", spread.least)} … ${shown("tokens", spread.most)}`) : null);
  return make("table", {},
    make("thead", {}, make("tr", {}, ["row", ...used.map(meaning)].map((text, i) => make("th", { scope: "col", class: i ? "number" : null }, make("span", {}, text))))),
    make("tbody", {}, runs.map(({ run }) => make("tr", {}, make("th", { scope: "row" }, visible(run.name)), used.map((name) => cell(run.statistics.tokens[kind][name]))))));
}

const WIDE = 900, HIGH = 320, LEFT = 56, RIGHT = 16, TOP = 14, BOTTOM = 40, MOST_CURVES = 8;

function showLengths(place) {
  const choices = [];
  DATA.boards.forEach((board, at) => {
    const names = new Set(board.rows.filter((row) => row.kind === "run").flatMap((row) => Object.keys(DATA.runs[row.run].curves)));
    for (const name of names) choices.push({ board, at, name });
  });
  if (!choices.length) {
    place.append(make("p", { class: "quiet" }, "No item has a score."));
    return;
  }
  const several = DATA.boards.length > 1;
  const select = make("select", { id: "curve" }, choices.map(({ board, name }, i) =>
    make("option", { value: i }, several ? `${board.task}${board.dataset.name ? ` on ${board.dataset.name}` : ""}: ${words(name)}` : words(name))));
  const picture = make("div", {});
  const fill = () => picture.replaceChildren(...curvesOf(choices[Number(select.value)]));
  select.addEventListener("change", fill);
  place.append(make("div", { class: "controls" }, make("label", {}, "score", select)), picture);
  fill();
}

function curvesOf({ board, name }) {
  const series = board.rows.filter((row) => row.kind === "run" && DATA.runs[row.run].curves[name])
    .map((row) => ({ title: row.name, points: DATA.runs[row.run].curves[name].map(([low, high, n, value]) => ({ low, high, n, value, x: (low + high) / 2 })) }));
  const drawn = series.slice(0, MOST_CURVES);
  const all = drawn.flatMap(({ points }) => points);
  const [least, most] = [Math.min(...all.map((p) => p.x)), Math.max(...all.map((p) => p.x))];
  const log = least > 0 && most / least > 25;
  const place = (x) => (log ? Math.log(x) : x);
  const top = isFraction(name) ? 1 : Math.max(...all.map((p) => p.value), 1e-9) * 1.05;
  const X = (x) => LEFT + (WIDE - LEFT - RIGHT) * (most > least ? (place(x) - place(least)) / (place(most) - place(least)) : 0.5);
  const Y = (y) => HIGH - BOTTOM - (HIGH - TOP - BOTTOM) * Math.min(1, y / top);
  const svg = draw("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `${words(name)} against input length; the numbers are in the table below` });
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    svg.append(draw("line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: Y(part * top), y2: Y(part * top) }));
    svg.append(draw("text", { x: LEFT - 8, y: Y(part * top) + 4, "text-anchor": "end" }, shown(name, part * top)));
  }
  for (const x of ticks(least, most, log)) svg.append(draw("text", { x: X(x), y: HIGH - BOTTOM + 18, "text-anchor": "middle" }, x.toLocaleString("en")));
  svg.append(draw("text", { x: (LEFT + WIDE - RIGHT) / 2, y: HIGH - 5, "text-anchor": "middle" }, `characters of the input${log ? " (logarithmic)" : ""}`));
  drawn.forEach(({ title, points }, i) => {
    const group = styled(draw("g"), { "--c": `var(--r${i})` });
    group.append(draw("polyline", { class: "series", points: points.map((p) => `${X(p.x)},${Y(p.value)}`).join(" ") }));
    for (const p of points) {
      group.append(draw("circle", { cx: X(p.x), cy: Y(p.value), r: 4 }, draw("title", {}, `${title}: ${shown(name, p.value)} of ${count(p.n, "item")}, ${p.low}–${p.high} characters`)));
    }
    svg.append(group);
  });
  const legend = make("div", { class: "legend" }, drawn.map(({ title }, i) => make("span", {}, styled(make("span", { class: "dot" }), { "--c": `var(--r${i})` }), visible(title))));
  if (series.length > drawn.length) legend.append(make("span", { class: "quiet" }, `${series.length - drawn.length} more in the table`));
  const rows = series.flatMap(({ title, points }) => points.map((p) => make("tr", {}, make("th", { scope: "row" }, visible(title)),
    [`${p.low}–${p.high}`, p.n.toLocaleString("en"), shown(name, p.value)].map((text) => make("td", { class: "number" }, text)))));
  const head = ["row", "characters", "items", words(name)].map((text, i) => make("th", { scope: "col", class: i ? "number" : null }, make("span", {}, text)));
  return [svg, legend, make("details", {}, make("summary", {}, "As a table"), make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows))))];
}

/** Round numbers along the axis. */
function ticks(least, most, log) {
  const out = [];
  if (log) {
    for (let power = 1; power <= most; power *= 10) for (const k of [1, 2, 5]) if (k * power >= least && k * power <= most) out.push(k * power);
    return out;
  }
  const raw = (most - least || 1) / 6;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, [1, 2, 5, 10].map((k) => k * unit).find((s) => s >= raw));
  for (let x = Math.ceil(least / step) * step; x <= most; x += step) out.push(x);
  return out;
}
