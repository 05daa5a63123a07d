// Elements and words. Whatever a model wrote is shown as text, never as markup.

/** An element with attributes and children; texts become text nodes. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** The same for SVG. */
function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Style that the content security policy allows: set by script, not as an attribute. */
function styled(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
  return element;
}

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A text in which characters that cannot be seen, or that reorder others, are escaped. */
function visible(text) {
  return String(text).replace(HIDDEN, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

function code(text) {
  return text === "" ? make("span", { class: "quiet" }, "(empty)") : make("code", { dir: "ltr" }, visible(text));
}

/** A word: the empty one has a name, spaces can be seen, and letters that look like others have their code points beside them. */
function word(text) {
  if (text === "") return make("code", {}, "ε (the empty word)");
  const shownText = make("code", { dir: "ltr" }, visible(text).replace(/ /g, "␣").replace(/\n/g, "\\n").replace(/\t/g, "\\t"));
  const strange = [...new Set(text)].filter((c) => c > "~" && visible(c) === c).slice(0, 8);
  if (!strange.length) return shownText;
  const points = strange.map((c) => `${c} U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`).join(", ");
  return make("span", {}, shownText, make("span", { class: "quiet points" }, ` (${points})`));
}

const COUNTS = new Set(["precise", "minimal"]);
const PLAIN = new Set(["cost_ratio", "tokens"]);

/** A metric's value: fractions in percent, counts and cost ratios as they are. */
function shown(name, value) {
  if (value === null || value === undefined) return "–";
  if (COUNTS.has(name)) return Math.round(value).toLocaleString("en");
  if (PLAIN.has(name)) return name === "tokens" ? Math.round(value).toLocaleString("en") : value.toFixed(2);
  return (100 * value).toFixed(value === 0 || value === 1 ? 0 : 1) + "\u202f%";
}

const isFraction = (name) => !COUNTS.has(name) && !PLAIN.has(name);
const words = (name) => name.replace(/_/g, " ");
const count = (n, one, many = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

const HUES = {
  minimal: "best", tp: "best", equivalent: "best", tn: "good", passed: "good", longer: "fair", precise: "fair", different: "wrong",
  imprecise: "wrong", fp: "wrong", fn: "worse", failed: "worse", invalid: "bad", repetition: "loop", cutoff: "cut", timeout: "time",
  unknown: "open", undecidable: "open", unsupported: "open", missing: "none",
};
const MEANINGS = {
  minimal: "minimal", longer: "equivalent, longer", different: "valid, not equivalent", invalid: "invalid", repetition: "repetition",
  cutoff: "cut off", timeout: "timeout", unknown: "undecided (budget)", missing: "no answer", tp: "true positive", tn: "true negative",
  fp: "false positive", fn: "false negative", precise: "precise, not minimal", imprecise: "imprecise", equivalent: "equivalent",
  passed: "right on the examples", failed: "wrong on an example", undecidable: "undecidable", unsupported: "unsupported",
};
const hue = (category) => `var(--c-${HUES[category] || "none"})`;
const meaning = (category) => MEANINGS[category] || words(category);

function chip(category) {
  return make("span", { class: "chip" }, styled(make("span", { class: "dot", "aria-hidden": "true" }), { "--c": hue(category) }), meaning(category));
}

/** An answer accepted by one side only, in words. */
function side(run, accepted) {
  const names = run.task === "regexeq" ? { answer: "the second expression", reference: "the first expression", first: "the first expression", second: "the second expression" }
    : { answer: "the answer", reference: "the reference" };
  return names[accepted] || visible(accepted);
}
