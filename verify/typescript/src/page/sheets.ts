/** Shows ICRK sheets as players know them on paper: columns of ten cells, with used cells ticked. */
import { columnLabel } from "../icrk.js";
import { LIMITS } from "../limits.js";
import { flat, h, type Child } from "./dom.js";
import type { CellView, SheetView } from "./model.js";
import type { Names } from "./names.js";
import { TEXTS } from "./texts.js";

const { sheet: texts } = TEXTS;

function cellOf(cell: CellView | undefined): HTMLElement {
  if (cell === undefined) return h("td");
  switch (cell.state) {
    case "used":
      return h("td", { class: "used" }, h("span", { class: "tick", "aria-hidden": "true" }, texts.used), h("span", { "aria-hidden": "true" }, String(cell.value ?? "")), h("span", { class: "heard" }, texts.usedLabel(cell.value ?? 0)));
    case "named":
      return h("td", { class: "named" }, h("span", { "aria-hidden": "true" }, texts.named), h("span", { class: "heard" }, texts.namedLabel));
    case "open":
      return h("td", { class: "opened" }, h("span", { "aria-hidden": "true" }, texts.open), h("span", { class: "heard" }, texts.openLabel));
  }
}

/** Columns in each half of a sheet, A to T and U to NN: forty in a row do not fit on a page. */
const HALF = LIMITS.columns / 2;

function half(sheet: SheetView, from: number, caption: Child): HTMLElement {
  const cells = new Map(sheet.cells.map((cell) => [`${cell.column} ${cell.row}`, cell]));
  const columns = Array.from({ length: HALF }, (_, i) => from + i);
  const rows = Array.from({ length: LIMITS.cells }, (_, i) => i + 1);
  return h(
    "table",
    { class: "sheet" },
    h("caption", {}, caption, ` ${columnLabel(from)}–${columnLabel(from + HALF - 1)}`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "heard" }, texts.corner)), columns.map((column) => h("th", { scope: "col" }, columnLabel(column))))),
    h("tbody", {}, rows.map((row) => h("tr", {}, h("th", { scope: "row" }, String(row)), columns.map((column) => cellOf(cells.get(`${column} ${row}`)))))),
  );
}

function one(names: Names, sheet: SheetView): HTMLElement {
  const caption = texts.caption(names.person(sheet.sealer), names.person(sheet.declarer), sheet.purpose);
  const used = sheet.cells.filter((cell) => cell.state === "used").length;
  return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": flat(caption) }, h("p", {}, texts.summary(used)), h("div", { class: "halves" }, half(sheet, 0, caption), half(sheet, HALF, caption)));
}

export function sheets(names: Names): HTMLElement | null {
  const { sheets: list } = names.game;
  if (list.length === 0) return null;
  const id = `${names.prefix}-sheets`;
  return h("section", {}, h("h3", { id }, texts.heading), h("p", { class: "legend" }, texts.legend), list.map((sheet) => one(names, sheet)));
}
