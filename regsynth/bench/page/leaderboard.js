// Leaderboards: a row a run, with its interval; rows of papers beside them.

function showLeaderboards(place) {
  for (const board of DATA.boards) place.append(leaderboard(board));
}

function leaderboard(board) {
  const section = make("div", {});
  const source = board.dataset.name ? ` on ${board.dataset.name}` : "";
  section.append(make("h2", {}, `${board.task}${source}`));
  const papers = [...new Set(board.rows.filter((row) => row.kind === "published").map((row) => row.dataset || "papers"))];
  section.append(make("p", { class: "quiet" },
    `${count(board.n, "item")}. Below each value its 95 % interval over items drawn anew (bootstrap, ${DATA.resamples.toLocaleString("en")} resamples).`,
    board.lower.length ? ` Less is better: ${board.lower.map(words).join(", ")}.` : "",
    papers.length ? " Grey rows are printed in papers, and not always for the same items." : ""));
  board.notes = [...new Set(board.rows.map((row) => row.note).filter(Boolean))];
  const notes = make("ol", { class: "quiet notes" });
  const head = make("tr", {});
  const body = make("tbody", {});
  const state = { papers: papers[0] || "", name: board.metrics[0] || "name", down: board.metrics.length > 0 && !board.lower.includes(board.metrics[0]) };
  const best = Object.fromEntries(board.metrics.map((name) => [name, bestOf(board, name)]));

  function fill() {
    head.replaceChildren(...["name", ...board.metrics].map((name) => make("th",
      { scope: "col", class: name === "name" ? null : "number", "aria-sort": name !== state.name ? "none" : state.down ? "descending" : "ascending" },
      make("button", { type: "button", "data-sort": name, onclick: () => sortBy(name) }, name === "name" ? "row" : words(name)))));
    const rows = board.rows.filter((row) => row.kind !== "published" || state.papers === (row.dataset || "papers")).sort((a, b) => compareRows(a, b, state));
    body.replaceChildren(...rows.map((row) => boardRow(board, row, best)));
    notes.replaceChildren(...board.notes.map((note, i) => rows.some((row) => row.note === note) ? make("li", { value: i + 1 }, visible(note)) : null).filter(Boolean));
  }

  function sortBy(name) {
    const natural = name !== "name" && !board.lower.includes(name);
    Object.assign(state, { down: state.name === name ? !state.down : natural, name });
    fill();
    head.querySelector(`[data-sort="${CSS.escape(name)}"]`).focus();
  }

  fill();
  if (papers.length) {
    const select = make("select", { onchange: () => { state.papers = select.value; fill(); } },
      make("option", { value: "" }, "none"), papers.map((name) => make("option", { value: name, selected: name === state.papers }, visible(name))));
    section.append(make("div", { class: "controls" }, make("label", {}, "published rows", select)));
  }
  section.append(make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Leaderboard of ${board.task}` },
    make("table", { class: "board" }, make("thead", {}, head), body)), notes);
  return section;
}

function compareRows(a, b, { name, down }) {
  if (name === "name") return (down ? -1 : 1) * a.name.localeCompare(b.name, "en", { numeric: true });
  const [x, y] = [a.metrics[name] ?? null, b.metrics[name] ?? null];
  if (x === null || y === null) return (x === null) - (y === null);
  return down ? y - x : x - y;
}

function bestOf(board, name) {
  const values = board.rows.map((row) => row.metrics[name]).filter((value) => value !== null && value !== undefined);
  if (values.length < 2) return undefined;
  return board.lower.includes(name) ? Math.min(...values) : Math.max(...values);
}

function boardRow(board, row, best) {
  const title = make("th", { scope: "row" }, visible(row.name), " ");
  if (row.kind === "published") {
    title.append(make("span", { class: "tag", title: row.source }, "published"));
    if (row.note) title.append(make("sup", { title: row.note }, String(board.notes.indexOf(row.note) + 1)));
  } else if (row.n !== board.n) title.append(make("small", {}, count(row.n, "item")));
  return make("tr", { class: row.kind }, title, board.metrics.map((name) => {
    const value = row.metrics[name];
    const range = row.intervals && row.intervals[name];
    const cell = make("td", { class: "number" }, make("span", { class: value !== undefined && value === best[name] ? "best" : null }, shown(name, value)));
    if (value !== null && value !== undefined && isFraction(name)) cell.append(meter(value, range));
    if (range) cell.append(make("small", {}, `${shown(name, range[0])} … ${shown(name, range[1])}`));
    return cell;
  }));
}

function meter(value, range) {
  const percent = (x) => `${100 * Math.min(1, Math.max(0, x))}%`;
  const bar = make("div", { class: "meter", "aria-hidden": "true" }, styled(make("i"), { width: percent(value) }));
  if (range && range[1] > range[0]) bar.append(styled(make("b"), { left: percent(range[0]), width: percent(range[1] - range[0]) }));
  return bar;
}
