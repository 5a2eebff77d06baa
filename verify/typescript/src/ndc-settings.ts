/** ndc.md 1 and 2: settings, hexes and names. All of it refuses with class `rule`. */
import type { JsonObject } from "./json.js";
import { form, no, shaped } from "./rule-shape.js";
import { bool, integer, list, mapOf, pair, record, role, word, type Read, type Shape } from "./shape.js";

// ndc 2
export const hex = form(/^(?!00)[0-9]{2}(?!00)[0-9]{2}$/, "hex");
export const unitName = form(/^[A-Za-z0-9./_-]{1,32}$/, "name");

function column(at: string): number {
  return Number(at.slice(0, 2));
}

function row(at: string): number {
  return Number(at.slice(2));
}

/** Two corners of a rectangle, the one with the lower numbers first. */
const corners: Shape<readonly [string, string]> = (value, path) => {
  const [a, b] = pair(hex, hex)(value, path);
  return column(a) <= column(b) && row(a) <= row(b) ? [a, b] : no(`${path}: the first corner has the lower numbers`);
};

const sheetBytes: Shape<number> = (value, path) => {
  const bytes = integer(1_024, 65_536)(value, path);
  return bytes % 256 === 0 ? bytes : no(`${path} is no multiple of 256`);
};

const settings = record({
  adjacent: word("all", "others"),
  ammo: bool,
  combats: integer(1, 16),
  defender_to_sign: word("minus", "plus"),
  doctrine: mapOf(role, word("soviet", "us"), 2),
  ew: integer(0, 6),
  letters: word("standing", "wait"),
  low_columns: word("even", "odd"),
  roll_count_public: bool,
  sectors: mapOf(unitName, corners, 64),
  sheet_bytes: sheetBytes,
  sides: list(role, 2, 2),
  units: integer(1, 64),
});

export class Settings {
  readonly first: string;
  readonly second: string;

  constructor(private readonly read: Read<typeof settings>) {
    const [first, second] = read.sides;
    if (first === undefined || second === undefined || first === second) no("the sides are two roles, and differ");
    [this.first, this.second] = [first ?? "", second ?? ""];
    if (read.doctrine.size !== 2 || !read.sides.every((side) => read.doctrine.has(side))) no("each side has its doctrine");
    if (read.sectors.size === 0) no("there is a sector at least");
  }

  get combats(): number {
    return this.read.combats;
  }
  get ew(): number {
    return this.read.ew;
  }
  get counted(): boolean {
    return this.read.roll_count_public;
  }
  get waits(): boolean {
    return this.read.letters === "wait";
  }
  get sheetBytes(): number {
    return this.read.sheet_bytes;
  }

  // ndc 4
  get lines(): number {
    const { combats, ew, units } = this.read;
    return 5 * units + 1 + combats * (2 * ew + 4);
  }

  isSector(name: string): boolean {
    return this.read.sectors.has(name);
  }

  other(role: string): string {
    return role === this.first ? this.second : this.first;
  }

  // ndc 2
  areNeighbours(a: string, b: string): boolean {
    const across = column(b) - column(a);
    const down = row(b) - row(a);
    if (across === 0) return Math.abs(down) === 1;
    if (Math.abs(across) !== 1) return false;
    const low = (column(a) % 2 === 1) === (this.read.low_columns === "odd");
    return down === 0 || down === (low ? 1 : -1);
  }
}

export function readSettings(value: JsonObject): Settings {
  return new Settings(shaped(settings, value, "settings"));
}

/** Settings that have a pre-fill (ndc 1). */
export const PREFILL = { adjacent: "all", combats: 8, ew: 3, roll_count_public: false, sheet_bytes: 16_384, units: 32 } as const;
