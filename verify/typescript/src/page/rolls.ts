/** A declaration's rolls: its worksheet or its cells, and the dice. */
import { button, flat, h, type Child } from "./dom.js";
import { die } from "./dice.js";
import type { DeclarationView, RollView } from "./model.js";
import type { Names } from "./names.js";
import { slotText } from "../slot.js";
import { TEXTS } from "./texts.js";

const { roll: texts } = TEXTS;

/** Opens the values of one roll behind its button. */
export type ByHand = (names: Names, declaration: DeclarationView, roll: RollView, beside: HTMLElement, button: HTMLButtonElement) => void;

function diceOf(names: Names, declaration: DeclarationView, roll: RollView): Child {
  if (roll.value === null) return h("span", { class: "unknown" }, texts.unknown);
  const faces = h("span", { class: "dice" }, roll.dice.map(({ sides, value }) => die(sides, value, sides === 10 && declaration.values === "0-9" ? value - 1 : value)), h("span", { class: "sum" }, texts.value(roll.value)));
  if (roll.fallen === null) return faces;
  return [h("del", {}, faces), h("span", { class: "void" }, texts.fallen(roll.fallen, names.called(roll.fallen.by)))];
}

function worksheetCells(declaration: DeclarationView, roll: RollView): Child {
  const attack = declaration.worksheet?.attacks[roll.roll - 1];
  const place = declaration.redoIndex === null ? texts.envelope(roll.index, roll.line) : texts.redoPlace(roll.index, roll.line);
  if (attack === undefined) return [h("td", {}, roll.cell ?? place), h("td", {}, { foreign: roll.why })];
  const hexes = attack.hexes.map((hex, i) => `${hex.written} ${attack.hexValues[i] ?? 0}`).join(" + ");
  return [
    h("th", { scope: "row" }, { foreign: attack.id }),
    h("td", {}, hexes),
    h("td", {}, attack.odds.written),
    h("td", {}, `${attack.value} × ${attack.odds.multiplier} = ${attack.product}`),
    h("td", {}, place),
  ];
}

function head(declaration: DeclarationView): HTMLElement {
  const columns = declaration.worksheet === null ? [texts.cell, texts.reason, texts.die] : [texts.attack, texts.hexes, texts.odds, texts.product, texts.place, texts.die];
  return h("thead", {}, h("tr", {}, columns.map((column) => h("th", { scope: "col" }, column))));
}

export function rolls(names: Names, declaration: DeclarationView, byHand: ByHand): Child {
  const { worksheet, stage } = declaration;
  const note = texts.stages[stage];
  const said = note === "" ? null : h("p", { class: "stage" }, note);
  if (declaration.rolls.length === 0) return said;
  const slot = slotText(declaration.slot);
  const body = h("tbody");
  const width = worksheet === null ? 3 : 6;
  for (const roll of declaration.rolls) {
    const region = h("tr", { class: "by-hand-row", hidden: true }, h("td", { colspan: width }));
    const canShow = stage === "shown";
    const open = canShow
      ? button(texts.byHand, { class: "small", "aria-expanded": "false", "aria-label": texts.byHandLabel(roll.why) }, (pressed) => {
          const [cell] = region.children;
          if (cell instanceof HTMLElement) byHand(names, declaration, roll, cell, pressed);
        })
      : null;
    body.append(h("tr", roll.fallen === null ? {} : { class: "fallen" }, worksheetCells(declaration, roll), h("td", { class: "die-cell" }, diceOf(names, declaration, roll), open)), region);
  }
  const total = worksheet !== null && worksheet.index !== null ? h("p", { class: "total" }, texts.total(worksheet.total, worksheet.envelopes, worksheet.index)) : null;
  return [
    said,
    h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": flat(texts.heading(slot)) }, h("table", { class: "worksheet" }, h("caption", {}, texts.heading(slot)), head(declaration), body)),
    total,
    declaration.redoIndex === null ? null : h("p", { class: "total" }, texts.redo(declaration.redoIndex)),
  ];
}
