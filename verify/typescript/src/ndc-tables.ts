/** ndc.md 3 and hidden.md 8: checks the tables of a charter. It never looks anything up in them, because this checker makes no runs. */
import { diceOf, rowsOf } from "./event-file.js";
import { field, isObject, type Json, type JsonObject } from "./json.js";
import { unitName } from "./ndc-settings.js";
import { no, shaped } from "./rule-shape.js";
import { hex32, integer, list, mapOf, object, pair, record, text, word, type Shape } from "./shape.js";

type Cell = (cell: string) => boolean;

function matching(pattern: RegExp): Cell {
  return (cell) => pattern.test(cell);
}

function weather(cell: string): boolean {
  const parts = cell.split("+");
  const known = ["fog", "night", "precipitation"];
  return cell === "clear" || parts.every((one, i) => known.includes(one) && (i === 0 || (parts[i - 1] ?? "") < one));
}

const DIGIT = matching(/^[0-9]$/);

/** The form of a cell in each table. No dice are rolled on the last two. */
const TABLES: Readonly<Record<string, { readonly cell: Cell; readonly dice: boolean }>> = {
  "ndc-intelligence": { cell: matching(/^[0-4]$/), dice: true },
  "ndc-tactical": { cell: matching(/^[0-4]$/), dice: true },
  "ndc-weather": { cell: weather, dice: true },
  "ndc-command": { cell: matching(/^(?:C|L|P|none)$/), dice: true },
  "ndc-ew": { cell: matching(/^[0-3]$/), dice: true },
  "ndc-crt": { cell: matching(/^(?:ABORT|OVERRUN|A[0-9] D[0-9] R[0-9](?: B)?)$/), dice: true },
  "ndc-retreat": { cell: DIGIT, dice: true },
  "ndc-counter-battery": { cell: DIGIT, dice: true },
  "ndc-ammo": { cell: matching(/^(?:yes|no)$/), dice: true },
  "ndc-support": { cell: matching(/^(?:0|-?[1-9][0-9]{0,2})$/), dice: false },
  "ndc-interdiction": { cell: DIGIT, dice: false },
};

const source = word("house", "test", "user");
const table = record({ columns: list(text(), 1, 64), dice: word("1d6", "2d6", "1d10", "d66", "none"), rows: object, source });
const withheld = record({ fingerprint: hex32 });
const terrain = record({ rows: mapOf(unitName, pair(integer(-99, 99), integer(-99, 99)), Infinity), source });

const BOUND = "(0|-?[1-9][0-9]{0,2})";
const COLUMN = new RegExp(`^${BOUND}?\\.\\.${BOUND}?$`);

/** Columns must ascend, without gaps or overlaps. */
function checkColumns(columns: readonly string[], at: string): void {
  let next: number | null = null;
  columns.forEach((written, i) => {
    const parts = COLUMN.exec(written);
    if (parts === null) return no(`${at}: ${written} is no range`);
    const [from, to] = [parts[1], parts[2]].map((bound) => (bound === undefined ? null : Number(bound)));
    if (i > 0 && (from === null || from !== next)) no(`${at}: ${written} does not follow the column before`);
    if (from !== null && to !== null && (from ?? 0) > (to ?? 0)) no(`${at}: ${written} is empty`);
    if (to === null && i < columns.length - 1) no(`${at}: nothing follows ${written}`);
    next = (to ?? 0) + 1;
  });
}

function checkTable(value: Json, at: string, { cell, dice }: { readonly cell: Cell; readonly dice: boolean }): void {
  const read = shaped(table, value, at);
  checkColumns(read.columns, `${at}: columns`);
  if ((read.dice !== "none") !== dice) no(`${at}: ${dice ? "it is rolled on" : "no dice are rolled on it"}`);
  const cells: Shape<readonly string[]> = list((one, path) => (typeof one === "string" && cell(one) ? one : no(`${path} is no cell of this table`)), read.columns.length, read.columns.length);
  if (dice) rowsOf(read.rows, diceOf(read.dice, at), `${at}: rows`, (row, there) => shaped(cells, row, there));
  else shaped(record({ all: cells }), read.rows, `${at}: rows`);
}

/** Refuses tables in the wrong form. A table that is withheld is checked by those who have its file. */
export function checkTables(tables: JsonObject): void {
  for (const name of [...Object.keys(TABLES), "ndc-terrain"]) {
    const value = field(tables, name);
    if (value === undefined) continue;
    if (isObject(value) && field(value, "fingerprint") !== undefined) {
      shaped(withheld, value, name);
      continue;
    }
    const kind = TABLES[name];
    if (kind === undefined) shaped(terrain, value, name);
    else checkTable(value, name, kind);
  }
}
