"use strict";
// What the page carries: plain JSON, and groups of texts that are unpacked when one of them is wanted.

const DATA = JSON.parse(document.getElementById("data").textContent);
const PACKED = {
  details: JSON.parse(document.getElementById("details").textContent), // a list of groups for each run
  drawings: JSON.parse(document.getElementById("drawings").textContent), // one list of groups
};
const unpackedGroups = new Map();

/** Texts of a group: base 64, deflated, a JSON list. */
async function unpack(group) {
  if (!unpackedGroups.has(group)) {
    const bytes = Uint8Array.from(atob(group), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    unpackedGroups.set(group, JSON.parse(await new Response(stream).text()));
    if (unpackedGroups.size > 24) unpackedGroups.delete(unpackedGroups.keys().next().value);
  }
  return unpackedGroups.get(group);
}

/** Details of a record. */
async function detailOf(run, row) {
  const group = PACKED.details[run][Math.floor(row / DATA.group)];
  return JSON.parse((await unpack(group))[row % DATA.group]);
}

/** SVG of an automaton. */
async function drawingOf(number) {
  return (await unpack(PACKED.drawings[Math.floor(number / DATA.group)]))[number % DATA.group];
}
