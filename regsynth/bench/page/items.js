// The table of items: filtered, sorted, a page at a time; the keyboard moves from row to row.

const PAGE = 50;
const COLUMNS = [
  { name: "id", title: "id", kind: "always" },
  { name: "category", title: "outcome", kind: "always" },
  { name: "input", title: "input", kind: "text" },
  { name: "reference", title: "second", kind: "text" },
  { name: "answer", title: "answer", kind: "text" },
  { name: "witness", title: "witness", kind: "text" },
  { name: "cost", title: "cost", kind: "plain number" },
  { name: "optimum", title: "optimum", kind: "plain number" },
  { name: "excess", title: "ratio", kind: "plain number" },
  { name: "length", title: "length", kind: "plain number" },
  { name: "tokens", title: "tokens", kind: "plain number" },
];
const view = { run: 0, text: "", categories: new Set(), status: "", finding: false, sort: null, down: false, page: 0, rows: [], cursor: 0 };
const haystacks = new Map();
let itemParts;

function showItems(place) {
  const runs = make("select", { id: "run", onchange: (event) => pickRun(Number(event.target.value)) }, DATA.runs.map((run, i) =>
    make("option", { value: i }, `${DATA.boards.length > 1 ? `${run.task}: ` : ""}${visible(run.name)}`)));
  const search = make("input", { id: "search", type: "search", placeholder: "in id, input, answer, witness", autocomplete: "off", spellcheck: "false",
    oninput: () => { view.text = search.value; refresh(); } });
  const status = make("select", { id: "status", onchange: () => { view.status = status.value; refresh(); } });
  const sorting = make("select", { id: "sorting", onchange: () => { const [name, down] = sorting.value.split(" "); sortItems(name || null, down === "down"); } });
  const picks = make("fieldset", { id: "categories" });
  const head = make("tr", {});
  const body = make("tbody", { id: "rows" });
  const found = make("span", { id: "found", role: "status" });
  const where = make("span", { class: "quiet" });
  const back = make("button", { type: "button", onclick: () => turn(-1) }, "Previous");
  const next = make("button", { type: "button", id: "next", onclick: () => turn(1) }, "Next");
  itemParts = { runs, search, status, sorting, picks, head, body, found, where, back, next };
  place.append(
    make("div", { class: "controls" }, make("label", {}, "row", runs), make("label", { class: "wide" }, "search", search), make("label", {}, "optimum", status),
      make("label", { class: "sortby" }, "sort by", sorting), make("button", { type: "button", id: "clear", onclick: clearFilters }, "Clear")),
    picks,
    make("div", { class: "pager" }, found, make("span", {}, back, " ", where, " ", next)),
    make("div", { class: "scroll" }, make("table", { class: "itemtable" }, make("thead", {}, head), body)),
    make("p", { class: "quiet" }, make("kbd", {}, "/"), " search, ", make("kbd", {}, "↑"), " ", make("kbd", {}, "↓"), " rows, ", make("kbd", {}, "Enter"), " open, ",
      make("kbd", {}, "Page Up"), " ", make("kbd", {}, "Page Down"), " pages; in an item ", make("kbd", {}, "←"), " ", make("kbd", {}, "→"), " its neighbours, ", make("kbd", {}, "Esc"), " close"));
  body.addEventListener("keydown", moveRow);
  pickRun(0);
}

const columnsOf = (run) => COLUMNS.filter(({ name }) => DATA.runs[run].columns[name].some((value) => value !== null));

/** Show another run's items, all of them. */
function pickRun(number) {
  Object.assign(view, { run: number, categories: new Set(), status: "", finding: false });
  itemParts.runs.value = number;
  const run = DATA.runs[number];
  const statuses = [...new Set(run.columns.status.filter(Boolean))].sort();
  itemParts.status.replaceChildren(make("option", { value: "" }, "any"), ...statuses.map((name) => make("option", { value: name }, words(name))));
  itemParts.status.parentElement.hidden = !statuses.length;
  itemParts.picks.replaceChildren(make("legend", {}, "outcomes"), ...run.categories.map((name, i) => [name, i]).filter(([name]) => run.counts[name]).map(([name, i]) =>
    make("label", { class: "pick" }, make("input", { type: "checkbox", "data-category": name, onchange: (event) => { view.categories[event.target.checked ? "add" : "delete"](i); refresh(); } }),
      chip(name), make("span", { class: "quiet" }, run.counts[name].toLocaleString("en")))));
  if (run.columns.findings.length) {
    itemParts.picks.append(make("label", { class: "pick" }, make("input", { type: "checkbox", id: "finding", onchange: (event) => { view.finding = event.target.checked; refresh(); } }), "with a finding"));
  }
  if (view.sort && !columnsOf(number).some(({ name }) => name === view.sort)) Object.assign(view, { sort: null, down: false });
  refresh();
}

/** From a bar to its items. */
function showOnly(number, category) {
  pickRun(number);
  const box = itemParts.picks.querySelector(`[data-category="${CSS.escape(category)}"]`);
  box.checked = true;
  view.categories.add(DATA.runs[number].categories.indexOf(category));
  refresh();
  document.getElementById("items-head").scrollIntoView();
  box.focus({ preventScroll: true });
}

function clearFilters() {
  Object.assign(view, { text: "", sort: null, down: false });
  itemParts.search.value = "";
  pickRun(view.run);
}

function haystack(number) {
  if (!haystacks.has(number)) {
    const { id, input, reference, answer, witness } = DATA.runs[number].columns;
    haystacks.set(number, id.map((name, i) => [name, input[i], reference[i] ?? "", answer[i] ?? "", witness[i] ?? ""].join("\n").toLowerCase()));
  }
  return haystacks.get(number);
}

/** Filter and sort anew, and go to the first page. */
function refresh() {
  const { columns } = DATA.runs[view.run];
  const wanted = view.text.toLowerCase();
  const texts = wanted ? haystack(view.run) : null;
  const rows = [];
  for (let i = 0; i < columns.id.length; i++) {
    if (view.categories.size && !view.categories.has(columns.category[i])) continue;
    if (view.status && columns.status[i] !== view.status) continue;
    if (view.finding && !(columns.findings[i] || []).length) continue;
    if (texts && !texts[i].includes(wanted)) continue;
    rows.push(i);
  }
  if (view.sort) {
    const values = columns[view.sort];
    const sign = view.down ? -1 : 1;
    rows.sort((a, b) => {
      const [x, y] = [values[a], values[b]];
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      const order = typeof x === "number" && typeof y === "number" ? x - y : String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0;
      return sign * order || a - b;
    });
  }
  Object.assign(view, { rows, page: 0, cursor: 0 });
  showPage();
}

function sortItems(name, down) {
  Object.assign(view, { sort: name, down });
  refresh();
}

function turn(step) {
  view.page = Math.min(Math.max(view.page + step, 0), lastPage());
  view.cursor = 0;
  showPage();
}

const lastPage = () => Math.max(0, Math.ceil(view.rows.length / PAGE) - 1);

function showPage() {
  const { head, body, found, where, back, next, sorting } = itemParts;
  const run = DATA.runs[view.run];
  const shownColumns = columnsOf(view.run);
  const focused = head.contains(document.activeElement) ? document.activeElement.dataset.sort : null;
  head.replaceChildren(...shownColumns.map(({ name, title, kind }) => make("th",
    { scope: "col", class: kind.includes("number") ? "number" : null, "aria-sort": view.sort !== name ? "none" : view.down ? "descending" : "ascending" },
    make("button", { type: "button", "data-sort": name, onclick: () => sortItems(name, view.sort === name && !view.down) }, title))));
  if (focused) head.querySelector(`[data-sort="${focused}"]`)?.focus();
  sorting.replaceChildren(make("option", { value: "" }, "the dataset's order"), ...shownColumns.flatMap(({ name, title }) =>
    [make("option", { value: `${name} up` }, `${title} ▲`), make("option", { value: `${name} down` }, `${title} ▼`)]));
  sorting.value = view.sort ? `${view.sort} ${view.down ? "down" : "up"}` : "";
  const page = view.rows.slice(view.page * PAGE, (view.page + 1) * PAGE);
  body.replaceChildren(...page.map((row, at) => itemRow(run, row, at, shownColumns)));
  if (!page.length) body.append(make("tr", {}, make("td", { colspan: shownColumns.length, class: "quiet" }, "No item passes these filters.")));
  const total = run.columns.id.length;
  const one = run.columns.sample.length ? "answer" : "item";
  found.textContent = view.rows.length === total ? count(total, one) : `${view.rows.length.toLocaleString("en")} of ${count(total, one)}`;
  where.textContent = `page ${(view.page + 1).toLocaleString("en")} of ${(lastPage() + 1).toLocaleString("en")}`;
  back.disabled = view.page === 0;
  next.disabled = view.page === lastPage();
}

function itemRow(run, row, at, shownColumns) {
  const { columns } = run;
  const name = columns.sample.length && columns.sample[row] !== undefined ? `${columns.id[row]} #${columns.sample[row] + 1}` : columns.id[row];
  return make("tr", { tabindex: at === view.cursor ? "0" : "-1", "data-row": row, onclick: () => openItem(view.page * PAGE + at) },
    shownColumns.map(({ name: column, title, kind }) => {
      const value = columns[column][row];
      if (column === "id") return make("td", { class: kind }, visible(name), (columns.findings[row] || []).length ? make("span", { class: "odd", title: columns.findings[row].map(words).join(", ") }, " ⚑") : null);
      if (column === "category") return make("td", { class: kind }, chip(run.categories[value]));
      if (value === null || value === undefined) return make("td", { class: kind.replace("text", "plain") }, kind.includes("number") ? "" : make("span", { class: "quiet" }, "–"));
      if (kind === "text") return make("td", { class: kind, "data-name": title }, make("span", { class: "clip" }, column === "witness" ? word(value) : code(value)));
      return make("td", { class: kind }, column === "excess" ? value.toFixed(2) : value.toLocaleString("en"));
    }));
}

/** Arrows move between rows, Enter opens, Page Up and Page Down turn pages. */
function moveRow(event) {
  const rows = [...itemParts.body.querySelectorAll("tr[data-row]")];
  if (!rows.length) return;
  const steps = { ArrowDown: 1, ArrowUp: -1, Home: -PAGE, End: PAGE };
  if (event.key === "Enter" || event.key === " ") openItem(view.page * PAGE + view.cursor);
  else if (event.key === "PageDown" || event.key === "PageUp") turn(event.key === "PageDown" ? 1 : -1);
  else if (event.key in steps) {
    const to = view.cursor + steps[event.key];
    if (to >= rows.length && event.key === "ArrowDown" && view.page < lastPage()) turn(1);
    else if (to < 0 && event.key === "ArrowUp" && view.page > 0) { turn(-1); view.cursor = PAGE - 1; }
    else view.cursor = Math.min(Math.max(to, 0), rows.length - 1);
  } else return;
  event.preventDefault();
  if (event.key !== "Enter" && event.key !== " ") focusRow();
}

function focusRow() {
  itemParts.body.querySelectorAll("tr[data-row]").forEach((row, at) => {
    row.tabIndex = at === view.cursor ? 0 : -1;
    if (at === view.cursor) row.focus();
  });
}
