import { characters } from "./bytes.js";
import { isDash } from "./armour.js";
import { sidesOf, VALUES, valueOf, type Values } from "./dice.js";
import { field, isList, isObject, makeObject, plain, type Json, type JsonObject } from "./json.js";
import { LIMITS } from "./limits.js";
import { refuse } from "./refusal.js";
import { fixed, type Roll } from "./roll.js";
import type { Reading, System } from "./system.js";

const GRAMMARS = ["letters", "numeric4", "mapnumeric"] as const;
type Grammar = (typeof GRAMMARS)[number];
const DOUBLES = ["doubled", "spreadsheet"] as const;
type Doubles = (typeof DOUBLES)[number];

export interface WorksheetSettings {
  readonly envelopes: number;
  readonly grammar: Grammar;
  readonly double_letters: Doubles;
  readonly chart: "house" | "table";
  readonly values: Values;
  readonly list_automatic: boolean;
}

/** A hex as read: its canonical form, its sort key, and its place in the chart. */
export interface Hex {
  readonly written: string;
  readonly order: readonly number[];
  readonly label: string;
  readonly chartRow: number;
  readonly digit: number;
}

function no(what: string): never {
  return refuse("rule", what);
}

/** Requires exactly the listed fields. Like everything in an input or a setting, a violation has class `rule`. */
export function exactly(value: Json | undefined, names: readonly string[], what: string): JsonObject {
  if (!isObject(value)) return no(`${what} is no object`);
  for (const key of Object.keys(value)) if (!names.includes(key)) no(`${what} has a field that it should not have`);
  for (const name of names) if (field(value, name) === undefined) no(`${what} has no ${name}`);
  return value;
}

export function among<W extends string>(value: Json | undefined, words: readonly W[], what: string): W {
  return words.find((word) => word === value) ?? no(`${what} is none of ${words.join(", ")}`);
}

function letterRank(letter: string): number {
  return letter.charCodeAt(0) - 64;
}

/** Trims blanks from the start, and blanks and full stops from the end. A loop, because some regular expressions are slow on long runs. */
function cut(text: string): string {
  let from = 0;
  let to = text.length;
  while (to > 0 && " .".includes(text.charAt(to - 1))) to--;
  while (from < to && text.charAt(from) === " ") from++;
  return text.slice(from, to);
}

// coin-envelopes 1
export function readHex(written: string, grammar: Grammar, doubles: Doubles): Hex {
  const text = cut(written).replace(/[a-z]/g, (letter) => letter.toUpperCase());
  switch (grammar) {
    case "letters": {
      const parts = /^([A-Z]{1,2})(?:-| *)([0-9]{1,3})$/.exec(text);
      if (parts === null) break;
      const letters = parts[1] ?? "";
      const number = Number(parts[2]);
      const first = letterRank(letters);
      let rank = first;
      if (letters.length === 2) {
        if (doubles === "doubled" && letters.charAt(0) !== letters.charAt(1)) break;
        rank = doubles === "doubled" ? 26 + first : 26 * first + letterRank(letters.charAt(1));
      }
      return { written: `${letters}${number}`, order: [rank, number], label: letters, chartRow: rank, digit: number % 10 };
    }
    case "numeric4": {
      const whole = /^[0-9]{3,4}$/.exec(text);
      const split = /^([0-9]{1,2})[.\- ]([0-9]{2})$/.exec(text);
      if (whole === null && split === null) break;
      const digits = (split === null ? text : `${split[1] ?? ""}${split[2] ?? ""}`).padStart(4, "0");
      const label = digits.slice(0, 2);
      return { written: digits, order: [Number(digits)], label, chartRow: Number(label), digit: Number(digits.charAt(3)) };
    }
    case "mapnumeric": {
      const parts = /^([A-Z])([0-9]{2})[.\- ]?([0-9]{2})$/.exec(text);
      if (parts === null) break;
      const [, letter = "", a = "", b = ""] = parts;
      return { written: `${letter}${a}.${b}`, order: [letterRank(letter), Number(a), Number(b)], label: a, chartRow: Number(a), digit: Number(b.charAt(1)) };
    }
  }
  return no(`a hex cannot be read: ${written}`);
}

// coin-envelopes 2
function compareNumbers(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function compareHexes(a: Hex, b: Hex): number {
  return compareNumbers(a.order, b.order);
}

/** Compares attacks hex by hex, a prefix first (coin-envelopes 4). */
function compareAttacks(a: readonly Hex[], b: readonly Hex[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const x = a[i];
    const y = b[i];
    if (x === undefined || y === undefined) break;
    const difference = compareHexes(x, y);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

// coin-envelopes 3
function houseValue(hex: Hex): number {
  return 1 + (((hex.chartRow + 4) ** 2 + 7 * hex.digit + 2) % 10);
}

type Chart = (hex: Hex) => number;

function tableChart(tables: JsonObject): Chart {
  const table = exactly(field(tables, "hex-chart"), ["rows"], "the table hex-chart");
  const rows = field(table, "rows");
  if (!isObject(rows)) return no("the rows of a chart are no object");
  if (Object.keys(rows).length > LIMITS.chartRows) no("a chart has too many rows");
  for (const row of Object.values(rows)) {
    if (!isList(row) || row.length !== 10) no("a row of a chart is no list of ten");
    else if (!row.every((value) => typeof value === "number" && value >= 0 && value <= 99)) no("a chart has a value that is not 0 to 99");
  }
  return (hex) => {
    const row = field(rows, hex.label);
    const value = isList(row) ? row[hex.digit] : undefined;
    return typeof value === "number" ? value : no(`the chart has no row ${hex.label}`);
  };
}

function integerIn(value: Json | undefined, least: number, most: number, what: string): number {
  return typeof value === "number" && value >= least && value <= most ? value : no(`${what} is not ${least} to ${most}`);
}

const SETTINGS = ["envelopes", "grammar", "double_letters", "chart", "values", "list_automatic"] as const;

export function readWorksheetSettings(settings: JsonObject): WorksheetSettings {
  const read = exactly(settings, SETTINGS, "the settings");
  const automatic = field(read, "list_automatic");
  return {
    envelopes: integerIn(field(read, "envelopes"), 1, LIMITS.places, "the number of envelopes"),
    grammar: among(field(read, "grammar"), GRAMMARS, "the grammar"),
    double_letters: among(field(read, "double_letters"), DOUBLES, "double_letters"),
    chart: among(field(read, "chart"), ["house", "table"], "the chart"),
    values: among(field(read, "values"), VALUES, "the values"),
    list_automatic: typeof automatic === "boolean" ? automatic : no("list_automatic is not true or false"),
  };
}

export interface Odds {
  readonly written: string;
  readonly multiplier: number;
}

// coin-envelopes 5
export function readOdds(value: Json | undefined): Odds {
  if (typeof value !== "string") return no("odds are a text");
  const parts = /^ *([1-9][0-9]{0,2}) *(to|[^0-9 ]) *([1-9][0-9]{0,2}) *$/.exec(value);
  const middle = parts?.[2] ?? "";
  if (parts === null || !(middle === ":" || middle === "to" || (middle.length === 1 && isDash(middle.charCodeAt(0))))) return no(`odds cannot be read: ${value}`);
  const a = Number(parts[1]);
  const b = Number(parts[3]);
  return { written: `${a}-${b}`, multiplier: Math.max(a, b) };
}

export interface Attack {
  readonly id: string;
  readonly hexes: readonly Hex[];
  readonly odds: Odds;
  readonly order: number | null;
  /** The chart value of each hex. */
  readonly hexValues: readonly number[];
  readonly value: number;
  readonly product: number;
  readonly envelope: number;
  readonly row: number;
  readonly rank: number;
}

export interface Worksheet {
  readonly attacks: readonly Attack[];
  readonly total: number;
  /** The selected envelope, or null if there are no attacks. */
  readonly index: number | null;
  readonly opened: readonly number[];
  readonly returned: readonly number[];
}

interface Written {
  readonly id: string;
  readonly hexes: readonly Hex[];
  readonly odds: Odds;
  readonly order: number | null;
}

// coin-envelopes 4
function readAttack(value: Json, place: number, settings: WorksheetSettings): Written {
  if (!isObject(value)) return no("an attack is no object");
  for (const key of Object.keys(value)) if (!["hexes", "id", "odds", "order"].includes(key)) no("an attack has a field that it should not have");
  const id = field(value, "id") ?? `a${place + 1}`;
  if (field(value, "id") === null || typeof id !== "string" || characters(id) < 1 || characters(id) > 32) return no("the id of an attack is a text of 1 to 32 characters");
  const written = field(value, "hexes");
  if (!isList(written) || written.length < 1 || written.length > LIMITS.hexes) return no(`an attack has 1 to ${LIMITS.hexes} hexes`);
  const hexes = written.map((hex) => (typeof hex === "string" ? readHex(hex, settings.grammar, settings.double_letters) : no("a hex is a text"))).sort(compareHexes);
  if (new Set(hexes.map((hex) => hex.written)).size !== hexes.length) no("a hex stands twice in an attack");
  const order = field(value, "order") ?? null;
  if (order !== null && typeof order !== "number") return no("the order of an attack is an integer or null");
  return { id, hexes, odds: readOdds(field(value, "odds")), order };
}

// coin-envelopes 8
function ranks(attacks: readonly Written[]): number[] {
  const given = new Set<number>();
  for (const { order } of attacks) {
    if (order === null) continue;
    if (order < 1 || order > attacks.length) no("an order is a place from 1 to the number of attacks");
    if (given.has(order)) no("an order stands twice");
    given.add(order);
  }
  let free = 1;
  return attacks.map(({ order }) => {
    if (order !== null) return order;
    while (given.has(free)) free++;
    return free++;
  });
}

// coin-envelopes 4 to 8
export function readWorksheet(input: Json, settings: WorksheetSettings, tables: JsonObject): Worksheet {
  const chart = settings.chart === "house" ? houseValue : tableChart(tables);
  const attacks = field(exactly(input, ["attacks"], "the input"), "attacks");
  if (!isList(attacks)) return no("the attacks are no list");
  const n = settings.envelopes;
  if (attacks.length > LIMITS.attacksAnEnvelope * n) no("there are more attacks than rows");
  const written = attacks.map((attack, place) => readAttack(attack, place, settings));
  if (new Set(written.map((attack) => attack.id)).size !== written.length) no("an id stands twice");
  // The sort is stable: attacks with equal hexes keep the order in which they were written.
  const sorted = [...written].sort((a, b) => compareAttacks(a.hexes, b.hexes));
  const rank = ranks(sorted);
  const valued = sorted.map((attack) => {
    const hexValues = attack.hexes.map(chart);
    const value = hexValues.reduce((sum, one) => sum + one, 0);
    return { ...attack, hexValues, value, product: value * attack.odds.multiplier };
  });
  const total = valued.reduce((sum, attack) => sum + attack.product, 0);
  const index = total % n;
  const placed = valued.map((attack, k) => ({
    ...attack,
    envelope: (index + Math.floor(k / 10)) % n,
    row: 1 + (k % 10),
    rank: rank[k] ?? 0,
  }));
  const opened = [...new Set(placed.map((attack) => attack.envelope))];
  const returned = Array.from({ length: n }, (_, i) => i).filter((i) => !opened.includes(i));
  return { attacks: placed, total, index: placed.length === 0 ? null : index, opened, returned };
}

class WorksheetSystem implements System {
  constructor(
    private readonly settings: WorksheetSettings,
    private readonly tables: JsonObject,
  ) {}

  read(input: JsonObject): Reading {
    const sheet = readWorksheet(input, this.settings, this.tables);
    const canonical = makeObject([
      ["attacks", sheet.attacks.map((attack) => plain({ hexes: attack.hexes.map((hex) => hex.written), id: attack.id, odds: attack.odds.written, order: attack.order }))],
    ]);
    // coin-envelopes 10
    const sides = sidesOf(this.settings.values);
    const rolls = sheet.attacks.map((attack): Roll => {
      const why = `${attack.id} ${attack.hexes.map((hex) => hex.written).join("+")} ${attack.odds.written}`;
      return { why, next: fixed(sides, why), index: attack.envelope, line: attack.row, cell: null };
    });
    return {
      canonical,
      forRedo: canonical,
      rolls,
      opened: sheet.opened,
      cells: [],
      // coin-envelopes 9
      select: () => plain({ worksheet: { index: sheet.index, rows: sheet.attacks.map((attack) => [attack.envelope, attack.row]), total: sheet.total } }),
      // coin-envelopes 11
      outcome: (draws) =>
        makeObject([
          [
            "attacks",
            sheet.attacks.map((attack, k) =>
              plain({
                die: valueOf(this.settings.values, draws[k] ?? []),
                envelope: attack.envelope,
                hexes: attack.hexes.map((hex) => hex.written),
                id: attack.id,
                odds: attack.odds.written,
                rank: attack.rank,
                row: attack.row,
              }),
            ),
          ],
        ]),
    };
  }
}

export const Worksheets = {
  source: "coin" as const,
  prefill: () => makeObject(
    Object.entries({ envelopes: 5, grammar: "letters", double_letters: "doubled", chart: "house", values: "1-6", list_automatic: true }),
  ),
  make(settings: JsonObject, tables: JsonObject): System {
    const read = readWorksheetSettings(settings);
    if (read.chart === "table") tableChart(tables);
    return new WorksheetSystem(read, tables);
  },
};
