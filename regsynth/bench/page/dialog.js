// One item, opened: what was asked and answered, the witness, the optimum, both automata.

const dialog = document.getElementById("item");
let opened = null; // place among the filtered rows
let turnOfItem = 0; // an answer that comes late is dropped

/** Open the item at a place of the filtered list. */
async function openItem(at) {
  if (at < 0 || at >= view.rows.length) return;
  const token = ++turnOfItem;
  opened = at;
  const row = view.rows[at];
  const detail = await detailOf(view.run, row);
  const pictures = await Promise.all((detail.drawings || []).map(async ([name, which]) => {
    const svg = typeof which === "number" ? await drawingOf(which) : null;
    return svg === "" ? { name, which: DATA.no_time, svg: null } : { name, which, svg };
  }));
  if (token !== turnOfItem) return;
  fillDialog(DATA.runs[view.run], row, detail, pictures);
  if (!dialog.open) dialog.showModal();
  history.replaceState(null, "", `#item=${view.run}.${row}`);
}

function fillDialog(run, row, detail, pictures) {
  const c = run.columns;
  const category = run.categories[c.category[row]];
  const sample = c.sample.length ? `, sample ${c.sample[row] + 1}` : "";
  const step = (by, label, text) => make("button", { type: "button", "aria-label": label, disabled: opened + by < 0 || opened + by >= view.rows.length, onclick: () => openItem(opened + by) }, text);
  const top = make("div", { class: "bartop" }, make("h2", { id: "item-head", tabindex: "-1", autofocus: true }, `Item ${visible(c.id[row])}${sample}`), chip(category),
    step(-1, "Previous item", "←"), step(1, "Next item", "→"), make("button", { type: "button", id: "close", onclick: () => dialog.close() }, "Close"));
  const body = make("div", { class: "body" });
  const rows = [["input", code(detail.input ?? c.input[row])]];
  if (detail.reference !== undefined && detail.reference !== (detail.input ?? c.input[row])) rows.push([run.task === "regexeq" ? "second expression" : "reference", code(detail.reference)]);
  const answer = detail.answer ?? c.answer[row];
  rows.push(["answer", answer === null ? make("span", { class: "quiet" }, "none") : make("span", {}, code(answer), detail.practical_union ? make("span", { class: "quiet" }, " (| read as union)") : "")]);
  if (detail.optimum_regex !== undefined) rows.push(["optimum", code(detail.optimum_regex)]);
  if (c.cost[row] !== null || c.optimum[row] !== null) rows.push(["cost", costText(c, row, detail)]);
  if (detail.label !== undefined) rows.push(["label of the dataset", String(detail.label)]);
  if (detail.reason !== undefined) rows.push(["reason", visible(detail.reason)]);
  if (c.findings[row] && c.findings[row].length) rows.push(["finding", make("strong", { class: "odd" }, c.findings[row].map(words).join(", "))]);
  body.append(make("dl", {}, rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])));
  const witness = detail.witness ?? c.witness[row];
  if (witness !== null) {
    body.append(make("div", { class: "witness", id: "witness" }, "Witness: ", word(witness), detail.accepted_by !== undefined ? ` is accepted by ${side(run, detail.accepted_by)} only.` : " is treated wrongly."));
  }
  body.append(automata(pictures));
  if (detail.raw !== undefined) {
    body.append(make("h3", {}, "Response"), make("p", { class: "quiet" }, `${count(detail.raw_length, "character")}${detail.rule !== undefined ? `; extracted by rule “${words(detail.rule)}”` : ""}`), make("pre", { tabindex: "0" }, visible(detail.raw)));
  }
  const numbers = [["tokens", c.tokens.length ? c.tokens[row] : null], ["thinking tokens", detail.thinking_tokens], ["seconds to score", detail.seconds],
    ...Object.entries(detail.values || {}).map(([name, value]) => [words(name), Number(value.toFixed(4))]), ...Object.entries(detail.details || {}).map(([name, value]) => [words(name), visible(value)])];
  body.append(make("h3", {}, "Facts"), make("dl", {}, numbers.filter(([, value]) => value !== null && value !== undefined).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))])));
  dialog.replaceChildren(top, body);
  dialog.scrollTop = 0;
}

function costText(c, row, detail) {
  const [cost, optimum] = [c.cost[row], c.optimum[row]];
  const parts = [];
  if (cost !== null) parts.push(`answer ${cost}`);
  if (optimum !== null) parts.push(`optimum ${optimum} (${c.status[row] === "proven" ? "proven" : `${words(c.status[row] || "status not known")}${detail.lower_bound !== undefined ? `; at least ${detail.lower_bound}` : ""}`})`);
  if (cost !== null && c.excess[row] !== null) parts.push(`ratio ${c.excess[row].toFixed(2)}`);
  return parts.join(", ");
}

/** Both automata; one picture when they are the same. */
function automata(pictures) {
  if (!pictures.length) return make("div", {});
  const same = pictures.length === 2 && pictures[0].svg !== null && pictures[0].which === pictures[1].which;
  const shownOnes = same ? [{ ...pictures[0], name: `${pictures[0].name} and ${pictures[1].name}: the same minimal automaton` }] : pictures;
  return make("div", { class: "pair", id: "automata" }, shownOnes.map(({ name, which, svg }) => {
    const inside = make("div", { tabindex: "0" });
    if (svg === null) inside.append(make("p", { class: "quiet" }, `Not drawn: ${which}.`));
    else {
      inside.innerHTML = svg; // drawn by regsynth, which escapes every label
      const drawing = inside.firstElementChild;
      styled(drawing, { "min-width": `${0.62 * drawing.width.baseVal.value}px` }); // smaller could not be read: then it scrolls
    }
    return make("figure", {}, make("figcaption", {}, name), inside);
  }));
}

dialog.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("pre, figure")) return;
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    event.preventDefault();
    openItem(opened + (event.key === "ArrowRight" ? 1 : -1));
  }
});
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
dialog.addEventListener("close", () => {
  turnOfItem++;
  history.replaceState(null, "", "#items");
  view.page = Math.floor(opened / PAGE);
  view.cursor = opened % PAGE;
  showPage();
  focusRow();
});
