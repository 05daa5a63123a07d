// Put the page together.

const THEMES = ["auto", "light", "dark"];
const darkWanted = matchMedia("(prefers-color-scheme: dark)");
let theme = "auto";

function applyTheme() {
  const dark = theme === "dark" || (theme === "auto" && darkWanted.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.getElementById("theme").textContent = `Theme: ${theme}`;
}

function nextTheme() {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  try { localStorage.setItem("regsynth-theme", theme); } catch { /* pages opened from files may have no storage */ }
  applyTheme();
}

function showOrigins(place) {
  if (DATA.command) place.append(make("p", {}, "This page: "), make("pre", {}, DATA.command));
  DATA.runs.forEach((run, i) => {
    place.append(make("details", { open: i === 0 }, make("summary", {}, `${run.task}: ${visible(run.name)}`),
      make("div", { class: "scroll" }, make("table", { class: "origin" }, make("tbody", {},
        [...originRows(run.provenance), ...originRows({ inputs: run.inputs }), ...originRows({ statistics: run.statistics })].map(([name, value]) =>
          make("tr", {}, make("td", {}, words(name)), make("td", { class: "mono" }, visible(value)))))))));
  });
  const papers = DATA.boards.flatMap((board) => board.rows.filter((row) => row.kind === "published" && row.source).map((row) => row.source));
  if (papers.length) place.append(make("h3", {}, "Published rows are from"), make("ul", {}, [...new Set(papers)].map((text) => make("li", {}, visible(text)))));
}

/** Nested values as lines of path and value. */
function originRows(value, path = "") {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.length ? [[path, value.map((item) => (typeof item === "object" ? JSON.stringify(item) : String(item))).join(", ")]] : [];
  if (typeof value === "object") return Object.entries(value).flatMap(([name, inner]) => originRows(inner, path ? `${path} › ${name}` : name));
  return [[path, String(value)]];
}

/** Open the item that the address names. */
function openAddressed() {
  const found = /^#item=(\d+)\.(\d+)$/.exec(location.hash);
  if (!found || !DATA.runs[found[1]]) return;
  if (view.run !== Number(found[1])) pickRun(Number(found[1]));
  let at = view.rows.indexOf(Number(found[2]));
  if (at < 0) {
    clearFilters();
    at = view.rows.indexOf(Number(found[2]));
  }
  openItem(at);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !dialog.open && !/^(input|select|textarea)$/i.test(event.target.tagName)) {
    event.preventDefault();
    itemParts.search.focus();
  } else if (event.key === "ArrowDown" && event.target === itemParts.search) {
    event.preventDefault();
    focusRow();
  }
});
try { theme = THEMES.includes(localStorage.getItem("regsynth-theme")) ? localStorage.getItem("regsynth-theme") : "auto"; } catch { /* no storage */ }
document.getElementById("theme").addEventListener("click", nextTheme);
darkWanted.addEventListener("change", applyTheme);
applyTheme();
document.getElementById("title").textContent = DATA.title;
document.getElementById("made").textContent = `regsynth ${DATA.version}, ${DATA.made}; ${count(DATA.runs.length, "run")}`;
showLeaderboards(document.getElementById("leaderboards"));
showOutcomes(document.querySelector("#outcomes > div"));
showLengths(document.querySelector("#lengths > div"));
showItems(document.querySelector("#items > div"));
showOrigins(document.querySelector("#origins > div"));
openAddressed();
addEventListener("hashchange", openAddressed);
