/** Shows a declaration's rolls: its worksheet or cells, and the dice. */
import { button, flat, h, type Child } from "./dom.js";
import { die } from "./dice.js";
import type { DeclarationView, RollView } from "./model.js";
import type { Names } from "./names.js";
import { slotText } from "../slot.js";
import { battleLines } from "./battle.js";
import { statedLines } from "./stated.js";
import { TEXTS } from "./texts.js";

const { roll: texts } = TEXTS;

/** Shows the values of a roll in `place`, when its button is pressed. */
export type ByHand = (names: Names, declaration: DeclarationView, roll: RollView, place: HTMLElement, button: HTMLButtonElement) => void;

function diceOf(names: Names, declaration: DeclarationView, roll: RollView): Child {
  if (roll.value === null) return h("span", { class: "unknown" }, declaration.stage === "in breach" ? texts.none : texts.unknown);
  const faces = h("span", { class: "dice" }, roll.dice.map(({ sides, value }) => die(sides, value, sides === 10 && declaration.values === "0-9" ? value - 1 : value)), declaration.source === "plain" ? null : h("span", { class: "sum" }, texts.value(roll.value)));
  if (roll.fallen === null) return faces;
  return [h("del", {}, faces), h("span", { class: "void" }, texts.fallen(roll.fallen, names.called))];
}

/** A table cell. On a narrow screen rows become cards and cells carry their own labels, so roles are set explicitly to survive the changed layout. */
function cell(label: string, ...content: Child[]): HTMLElement {
  return h("td", { role: "cell", "data-label": label }, ...content);
}

function worksheetCells(declaration: DeclarationView, roll: RollView): Child {
  const attack = declaration.worksheet?.attacks[roll.roll - 1];
  const place = declaration.redoIndex === null ? texts.envelope(roll.index, roll.line) : texts.redoPlace(roll.index, roll.line);
  if (attack === undefined) return [cell(texts.cell, roll.cell ?? place), h("td", { role: "cell", class: "free", "data-label": texts.reason }, { foreign: roll.why })];
  const hexes = attack.hexes.map((hex, i) => `${hex.written}: ${attack.hexValues[i] ?? 0}`).join(", ");
  return [
    h("th", { scope: "row", role: "rowheader", "data-label": texts.attack }, { foreign: attack.id }),
    cell(texts.hexes, hexes),
    cell(texts.odds, attack.odds.written),
    cell(texts.product, `${attack.value} × ${attack.odds.multiplier} = ${attack.product}`),
    cell(texts.place, place),
  ];
}

function head(declaration: DeclarationView): HTMLElement {
  const columns = declaration.worksheet === null ? [texts.cell, texts.reason, texts.die] : [texts.attack, texts.hexes, texts.odds, texts.product, texts.place, texts.die];
  return h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, columns.map((column) => h("th", { scope: "col", role: "columnheader" }, column))));
}

/** Describes the result of a turn of a course. */
function courseOf(names: Names, { course }: DeclarationView): Child {
  if (course === null) return null;
  if (course.is === "initiative") return h("p", { class: "total" }, texts.course(course, names.person));
  const lines = course.is === "battle" ? battleLines(course.public, names.person) : course.story.map(texts.happened).filter((line) => line !== null);
  return [h("ul", {}, lines.map((line) => h("li", {}, line))), course.awaits === null ? null : h("p", { class: "total" }, texts.stillNeeds(course.awaits, names.person))];
}

/** Describes what a declaration of a hidden course states, and whether its sheet is open. */
function statedIn({ stated, stage }: DeclarationView): Child {
  if (stated === null) return null;
  const note = texts.hidden[stage];
  const lines = statedLines(stated.input);
  return [
    note === "" ? null : h("p", { class: "stage" }, note),
    h("ul", {}, lines.map((line) => h("li", {}, line))),
    stage === "in breach" ? null : h("p", { class: "total" }, texts.sheets[stated.sheet]),
  ];
}

/** Names the office's letters that open the declaration, if the office opens it. */
function officeLine(names: Names, { byOffice }: DeclarationView): Child {
  return byOffice === null ? null : h("p", { class: "total" }, TEXTS.office.opens(byOffice.map(names.called)));
}

export function rolls(names: Names, declaration: DeclarationView, byHand: ByHand): Child {
  const { worksheet, stage } = declaration;
  if (declaration.stated !== null) return [statedIn(declaration), officeLine(names, declaration)];
  const note = texts.stages[stage];
  const said = note === "" ? null : h("p", { class: "stage" }, note);
  if (declaration.rolls.length === 0) return said;
  const slot = slotText(declaration.slot);
  const body = h("tbody", { role: "rowgroup" });
  const places: HTMLElement[] = [];
  for (const roll of declaration.rolls) {
    const row = h("tr", { role: "row", class: roll.fallen === null ? null : "fallen" }, worksheetCells(declaration, roll));
    const dice = h("td", { role: "cell", class: "die-cell", "data-label": texts.die }, diceOf(names, declaration, roll));
    if (stage === "shown") {
      const id = `${names.anchor(declaration.id)}-roll-${roll.roll}`;
      const place = h("div", { class: "by-hand-place", id, hidden: true });
      places.push(place);
      dice.append(button(texts.byHand, { class: "small", "aria-expanded": "false", "aria-controls": id, "aria-label": texts.byHandLabel(roll.why) }, (pressed) => byHand(names, declaration, roll, place, pressed)));
    }
    row.append(dice);
    body.append(row);
  }
  const total = worksheet !== null && worksheet.index !== null ? h("p", { class: "total" }, texts.total(worksheet.total, worksheet.envelopes, worksheet.index)) : null;
  return [
    said,
    h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": flat(texts.heading(slot)) }, h("table", { class: "worksheet", role: "table" }, h("caption", {}, texts.heading(slot)), head(declaration), body)),
    total,
    declaration.redoIndex === null ? null : h("p", { class: "total" }, texts.redo(declaration.redoIndex)),
    courseOf(names, declaration),
    officeLine(names, declaration),
    places,
  ];
}
