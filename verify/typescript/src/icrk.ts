import { characters } from "./bytes.js";
import { among, exactly, readHex } from "./coin-envelopes.js";
import { sidesOf, VALUES, valueOf, type Values } from "./dice.js";
import { field, isList, isObject, makeObject, plain, type Json, type JsonObject } from "./json.js";
import { LIMITS } from "./limits.js";
import { refuse } from "./refusal.js";
import { fixed, type Roll } from "./roll.js";
import type { Reading, System } from "./system.js";

function no(what: string): never {
  return refuse("rule", what);
}

/** A column's label: A to Z are columns 0 to 25, AA to NN are 26 to 39 (icrk 2). */
export function columnLabel(column: number): string {
  return column < 26 ? String.fromCharCode(65 + column) : String.fromCharCode(39 + column).repeat(2);
}

export function columnOf(label: string): number | null {
  for (let column = 0; column < LIMITS.columns; column++) if (columnLabel(column) === label) return column;
  return null;
}

interface SheetRoll {
  readonly cell: { readonly column: number; readonly row: number; readonly written: string } | null;
  readonly why: string;
}

// icrk 2
function readRoll(value: Json, redo: boolean): SheetRoll {
  const read = exactly(value, ["cell", "why"], "a roll");
  const why = field(read, "why");
  if (typeof why !== "string" || characters(why) < 1 || characters(why) > 200) return no("a roll says in 1 to 200 characters what it is for");
  const cell = field(read, "cell");
  if (redo) return cell === null ? { cell: null, why } : no("in a redo no roll names a cell");
  if (typeof cell !== "string") return no("a roll names its cell");
  const hex = readHex(cell, "letters", "doubled");
  const column = columnOf(hex.label);
  const row = hex.order[1] ?? 0;
  if (column === null || row < 1 || row > LIMITS.cells) return no(`there is no cell ${hex.written}`);
  return { cell: { column, row, written: hex.written }, why };
}

export function readRolls(input: Json, redo: boolean): readonly SheetRoll[] {
  const rolls = field(exactly(input, ["rolls"], "the input"), "rolls");
  if (!isList(rolls)) return no("the rolls are no list");
  if (rolls.length > LIMITS.rolls) no(`there are more than ${LIMITS.rolls} rolls`);
  return rolls.map((roll) => readRoll(roll, redo));
}

// icrk 3
export function checkCells(rolls: readonly SheetRoll[], spent: (column: number) => number): Map<number, number> {
  const depths = new Map<number, number>();
  for (const { cell } of rolls) {
    if (cell === null) continue;
    const depth = depths.get(cell.column) ?? spent(cell.column);
    if (cell.row !== depth + 1) {
      no(depth >= LIMITS.cells ? `column ${columnLabel(cell.column)} is spent` : `the next cell of column ${columnLabel(cell.column)} is ${columnLabel(cell.column)}${depth + 1}, not ${cell.written}`);
    }
    depths.set(cell.column, cell.row);
  }
  return depths;
}

// icrk 3
export function readState(state: Json): Map<number, number> {
  const spent = field(exactly(state, ["spent"], "the state"), "spent");
  if (!isObject(spent)) return no("the spent cells are no object");
  const depths = new Map<number, number>();
  for (const [label, depth] of Object.entries(spent)) {
    const column = columnOf(label);
    if (column === null) return no(`there is no column ${label}`);
    if (typeof depth !== "number" || depth < 1 || depth > LIMITS.cells) return no(`a column is spent down to 1 to ${LIMITS.cells}`);
    depths.set(column, depth);
  }
  return depths;
}

export function writeState(depths: ReadonlyMap<number, number>): JsonObject {
  return makeObject([["spent", makeObject([...depths].map(([column, depth]) => [columnLabel(column), depth] as const))]]);
}

export function readSheetValues(settings: JsonObject): Values {
  return among(field(exactly(settings, ["values"], "the settings"), "values"), VALUES, "the values");
}

class SheetSystem implements System {
  constructor(private readonly values: Values) {}

  read(input: JsonObject, redo: boolean): Reading {
    const read = readRolls(input, redo);
    const sides = sidesOf(this.values);
    const form = (cell: (roll: SheetRoll) => string | null): JsonObject =>
      makeObject([["rolls", read.map((roll) => plain({ cell: cell(roll), why: roll.why }))]]);
    const rolls: Roll[] = read.map((roll, k) => ({
      why: roll.why,
      next: fixed(sides, roll.why),
      index: roll.cell?.column ?? 0,
      line: roll.cell?.row ?? k + 1,
      cell: roll.cell?.written ?? null,
    }));
    const cells = read.flatMap(({ cell }) => (cell === null ? [] : [[cell.column, cell.row] as const]));
    return {
      canonical: form((roll) => roll.cell?.written ?? null),
      forRedo: form(() => null),
      rolls,
      opened: [],
      cells,
      // icrk 4
      select: (spent) => {
        checkCells(read, spent);
        return plain({ cells });
      },
      // icrk 6
      outcome: (draws) =>
        makeObject([["rolls", read.map((roll, k) => plain({ cell: roll.cell?.written ?? null, value: valueOf(this.values, draws[k] ?? []), why: roll.why }))]]),
    };
  }
}

export const Sheets = {
  source: "sheet" as const,
  prefill: () => makeObject([["values", "1-6"]]),
  make(settings: JsonObject): System {
    return new SheetSystem(readSheetValues(settings));
  },
};
