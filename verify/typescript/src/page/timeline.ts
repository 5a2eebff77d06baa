/** Shows the game letter by letter, grouped by turn. */
import { slotText } from "../slot.js";
import { h, type Child, type Line } from "./dom.js";
import type { LetterView } from "./model.js";
import { sourcesLine, type Names } from "./names.js";
import { signed } from "./payload.js";
import { rolls, type ByHand } from "./rolls.js";
import { describe, TEXTS } from "./texts.js";

const { timeline: texts } = TEXTS;

function moves(letter: LetterView): Child {
  if (letter.content.kind !== "declare") return null;
  const { moves: signedMoves } = letter.content.body;
  const said = (...what: Child[]): HTMLElement => h("p", { class: "moves" }, h("span", { class: "term" }, `${texts.moves}: `), ...what);
  switch (signedMoves.is) {
    case "text":
      return said({ foreign: signedMoves.value });
    case "files":
      return said(signedMoves.value.map((file, i) => [i === 0 ? "" : "; ", texts.file(file.name, file.length), " ", h("code", { class: "hex" }, file.sha3_256)]));
    case "note":
      return said(texts.sealedMoves);
    case "none":
      return said(texts.noMoves);
  }
}

function state(letter: LetterView): Child {
  const says: (Line | string)[] = [];
  if (letter.breach !== null) says.push(texts.breach(letter.breach.rule));
  if (letter.fallen) says.push(texts.fallen);
  if (letter.passedOver) says.push(texts.passedOver);
  if (!letter.placed) says.push(texts.waits);
  return says.map((one) => h("span", { class: "state" }, h("span", { "aria-hidden": "true" }, "✗ "), one));
}

/** Says whether the days that a ruling rests on had passed. */
function days(names: Names, letter: LetterView): Child {
  const entry = names.days.get(letter.id);
  return entry === undefined ? null : h("p", { class: "source" }, `${TEXTS.days.what(entry)}.`);
}

/** The signed text, which is laid out only when somebody opens it. */
function raw(letter: LetterView): HTMLElement {
  const details = h("details", { class: "raw" }, h("summary", {}, texts.raw));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(h("p", {}, `${texts.id} `, h("code", { class: "id" }, letter.id)), signed(letter.payload));
  });
  return details;
}

export function letterEntry(names: Names, letter: LetterView, byHand: ByHand): HTMLElement {
  const declaration = names.declarations.get(letter.id);
  const wrong = letter.breach !== null || letter.fallen;
  const label = names.anchor(letter.id);
  return h(
    "li",
    { id: label, class: `letter ${letter.content.kind === "declare" ? "declaration" : ""} ${wrong ? "wrong" : ""}`, tabindex: -1 },
    h("p", { class: "said" }, h("b", {}, texts.letter(names.person(letter.author), letter.number)), ": ", describe(letter.content, names.person, names.called, slotText), " ", state(letter)),
    letter.sources.length === 0 ? null : h("p", { class: "source" }, sourcesLine(letter.sources)),
    moves(letter),
    days(names, letter),
    declaration === undefined ? null : rolls(names, declaration, byHand),
    raw(letter),
  );
}

const SLICE = 40;

/** Adds the letters a few at a time, so that the page stays responsive during a long game. */
export async function timeline(names: Names, byHand: ByHand, breathe: () => Promise<boolean>): Promise<HTMLElement | null> {
  const { letters } = names.game;
  if (letters.length === 0) return null;
  const id = `${names.prefix}-letters`;
  const section = h("section", { class: "timeline" }, h("h3", { id }, texts.heading), h("p", { class: "legend" }, texts.order));
  let turn: number | null = null;
  let list = h("ol");
  for (const [i, letter] of letters.entries()) {
    if (letter.turn !== turn) {
      turn = letter.turn;
      list = h("ol");
      section.append(h("h4", {}, turn < 0 ? texts.unplaced : turn === 0 ? texts.before : texts.turn(turn)), list);
    }
    list.append(letterEntry(names, letter, byHand));
    if (i % SLICE === SLICE - 1 && !(await breathe())) return null;
  }
  return section;
}
