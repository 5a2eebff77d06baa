/** event-tables.md 1 to 9, 23 to 27, 31: reads and checks the file in a charter. Every refusal has class `rule`. */
import { characters } from "./bytes.js";
import { field, isList, isObject, type Json, type JsonObject } from "./json.js";
import { refuse } from "./refusal.js";
import { isSeen } from "./unseen.js";

export type Value = boolean | number | string;
export type Type = { readonly is: "bool" } | { readonly is: "number"; readonly low: number; readonly high: number } | { readonly is: "words"; readonly words: readonly string[] };

/** An entry of a roster, as a condition sees it. */
export interface Entry {
  readonly name: string;
  attribute(name: string): Value | null;
  mark(name: string): number;
}

/** The values of names in conditions, at this moment; null if a name has none. */
export interface Env {
  readonly turn: number;
  readonly day: number;
  readonly side: string;
  setting(name: string): Value | null;
  fact(name: string): Value | null;
  mark(name: string): number;
  /** The value of a die, or of the ask of a `choose` with `of`. */
  value(name: string): Value | null;
  register(name: string): Entry | null;
}

export interface Condition {
  (env: Env, entry: Entry | null): boolean;
  /** The number of terms. */
  readonly terms: number;
}
type Term = (env: Env, entry: Entry | null) => boolean;
type Look = (env: Env, entry: Entry | null) => Value | null;
/** The value of `set` or `add`. */
export type Amount = (env: Env) => number | null;

export interface Setting {
  readonly type: Type;
  readonly prefill: Value | null;
}
export interface Fact {
  readonly type: Type;
  readonly side: string | null;
  readonly atLeast: string | null;
}
export interface Kind {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, Type>;
  readonly marks: ReadonlySet<string>;
  readonly implies: Map<string, Condition | "gone">;
  readonly lasts: string;
}
export interface Range {
  readonly text: string;
  readonly from: number;
  /** Infinity if the range has no upper end. */
  readonly to: number;
}
export interface Dice {
  readonly d66: boolean;
  readonly sides: readonly number[];
  readonly least: number;
  readonly most: number;
}
export interface Die {
  readonly dice: Dice;
  readonly rows: readonly (readonly [Range, string])[] | null;
}
export interface Table {
  readonly name: string;
  readonly dice: Dice;
  readonly by: Amount | null;
  /** The rows; exactly one if `by` is absent. */
  readonly rows: readonly { readonly range: Range | null; readonly cells: readonly (readonly [Range, string])[] }[];
  readonly modifiers: readonly { readonly n: number; readonly when: Condition | null }[];
  readonly source: string;
}
export type By = "owner" | "enemy";
interface Draws {
  readonly kind: string;
  readonly where: Condition | null;
  readonly as: string;
  readonly optional: boolean;
}
export type Step = { readonly if: Condition | null; readonly say?: string } & (
  | ({ readonly do: "pick" } & Draws)
  | ({ readonly do: "pool"; readonly enemy: number; readonly owner: number; readonly ask: string } & Draws)
  | ({ readonly do: "choose"; readonly by: By; readonly ask: string } & Draws)
  | { readonly do: "word"; readonly of: readonly string[]; readonly by: By; readonly ask: string }
  | { readonly do: "write"; readonly by: By; readonly ask: string; readonly parts: number; readonly least: number; readonly most: number; readonly once: string | null }
  | { readonly do: "roll"; readonly die: string }
  | { readonly do: "go"; readonly to: string }
  | { readonly do: "need"; readonly kind: string; readonly where: Condition | null }
  | { readonly do: "stop" | "tell" }
  | { readonly do: "mark"; readonly mark: string; readonly on: string | null; readonly set: boolean; readonly amount: Amount }
  | { readonly do: "raise"; readonly on: string; readonly attribute: string }
);
export interface Event {
  readonly steps: readonly Step[];
  readonly when: Condition | null;
  readonly limit: number | null;
  readonly perDay: boolean;
  /** The name of the setting that says it, or `side` or `both`. */
  readonly of: string;
  readonly each: string | null;
  readonly where: Condition | null;
}

const NAME = /^[a-z][a-z0-9_-]{0,31}$/;
const WORD = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;
const ASK = /^[a-z][a-z0-9-]{0,31}$/;
const DECIMAL = /^(?:0|[1-9][0-9]{0,3})$/;
const BOUNDS = /^(0|[1-9][0-9]{0,3})\.\.(0|[1-9][0-9]{0,3})$/;

export function no(what: string): never {
  return refuse("rule", what);
}

export function isText(value: Json | undefined): value is string {
  return typeof value === "string" && characters(value) >= 1 && characters(value) <= 500 && isSeen(value);
}

/** Reads an object with exactly these fields. Optional fields that are absent become null. */
function fields<N extends string>(value: Json | undefined, at: string, needed: readonly N[], optional: readonly N[] = []): Readonly<Record<N, Json>> {
  if (!isObject(value)) return no(`${at} is no object`);
  const all: readonly string[] = [...needed, ...optional];
  for (const key of Object.keys(value)) if (!all.includes(key)) no(`${at}: there is no field ${key}`);
  const read = Object.create(null) as Record<N, Json>;
  for (const name of needed) read[name] = field(value, name) ?? no(`${at}: ${name} is missing`);
  for (const name of optional) read[name] = field(value, name) ?? null;
  return read;
}

function text(value: Json | undefined, at: string): string {
  return isText(value) ? value : no(`${at} is no text`);
}

function matching(value: Json | undefined, pattern: RegExp, at: string): string {
  return typeof value === "string" && pattern.test(value) ? value : no(`${at} is no name`);
}

function oneOf<W extends string>(value: Json, words: readonly W[], at: string): W {
  return words.find((one) => one === value) ?? no(`${at} is none of ${words.join(", ")}`);
}

function integer(value: Json, least: number, most: number, at: string): number {
  return typeof value === "number" && value >= least && value <= most ? value : no(`${at} is no number from ${least} to ${most}`);
}

function bool(value: Json, at: string): boolean {
  return value === null ? false : typeof value === "boolean" ? value : no(`${at} is neither true nor false`);
}

/** Reads a list without repeated items. */
function names(value: Json, at: string): string[] {
  if (value === null) return [];
  if (!isList(value)) return no(`${at} is no list`);
  const read = value.map((one) => matching(one, NAME, at));
  return new Set(read).size === read.length ? read : no(`${at}: a name stands twice`);
}

function entries(value: Json | undefined, at: string): (readonly [string, Json])[] {
  if (value === null || value === undefined) return [];
  return isObject(value) ? Object.entries(value) : no(`${at} is no object`);
}

function named(value: Json | undefined, at: string): (readonly [string, Json])[] {
  const read = entries(value, at);
  for (const [name] of read) matching(name, NAME, `${at}: ${name}`);
  return read;
}

function typeOf(value: Json, at: string): Type {
  if (typeof value !== "string") return no(`${at} is no type`);
  if (value === "bool") return { is: "bool" };
  const bounds = BOUNDS.exec(value);
  if (bounds !== null) {
    const [low, high] = [Number(bounds[1]), Number(bounds[2])];
    return low <= high ? { is: "number", low, high } : no(`${at}: ${value} is empty`);
  }
  const words = value.split(" ");
  if (words.length < 2 || words.length > 64 || new Set(words).size !== words.length || !words.every((one) => WORD.test(one) && one !== "bool")) no(`${at} is no type`);
  return { is: "words", words };
}

export function isOfType(value: Json | undefined, type: Type): value is Value {
  if (type.is === "bool") return typeof value === "boolean";
  if (type.is === "number") return typeof value === "number" && value >= type.low && value <= type.high;
  return typeof value === "string" && type.words.includes(value);
}

export function diceOf(value: Json, at: string): Dice {
  if (value === "d66") return { d66: true, sides: [6, 6], least: 11, most: 66 };
  const parts = typeof value === "string" ? /^([1-9]?)d([1-9][0-9]{0,3})$/.exec(value) : null;
  const [n, sides] = [Number(parts?.[1] === "" ? 1 : parts?.[1]), Number(parts?.[2])];
  if (parts === null || sides < 2 || sides > 1000) return no(`${at}: there are no such dice`);
  return { d66: false, sides: Array.from({ length: n }, () => sides), least: n, most: n * sides };
}

function isOfDice({ d66, least, most }: Dice, value: number): boolean {
  return value >= least && value <= most && (!d66 || (value % 10 >= 1 && value % 10 <= 6));
}

export function sumOf({ d66 }: Dice, drawn: readonly number[]): number {
  return drawn.reduce((sum, one) => (d66 ? 10 * sum : sum) + one, 0);
}

/** Reads rows by range, in order. They must cover each number once: those of the dice, or, without dice, all numbers from 0. */
export function rowsOf<T>(value: Json, dice: Dice | null, at: string, read: (value: Json, at: string) => T): (readonly [Range, T])[] {
  const rows = entries(value, at).map(([written, row]) => {
    const parts = /^(0|[1-9][0-9]{0,4})(?:-(0|[1-9][0-9]{0,4})|(\+))?$/.exec(written);
    if (parts === null || (parts[3] !== undefined && dice !== null)) return no(`${at}: ${written} is no range`);
    const from = Number(parts[1]);
    const to = parts[3] !== undefined ? Infinity : parts[2] === undefined ? from : Number(parts[2]);
    if (parts[2] !== undefined && from >= to) no(`${at}: ${written} is no range`);
    if (dice !== null && !(isOfDice(dice, from) && isOfDice(dice, to))) no(`${at}: ${written} is beyond the dice`);
    return [{ text: written, from, to }, read(row, `${at}: ${written}`)] as const;
  });
  rows.sort(([a], [b]) => a.from - b.from);
  let next = dice?.least ?? 0;
  for (const [{ text, from, to }] of rows) {
    if (from !== next) no(`${at}: ${from < next ? `two rows for ${from}` : `no row for ${next}`}, at ${text}`);
    for (next = to + 1; dice !== null && next <= dice.most && !isOfDice(dice, next); ) next++;
  }
  if (next !== (dice === null ? Infinity : dice.most + 1)) no(`${at}: no row for ${next}`);
  return rows;
}

/** A file while it is read. Names come first, so that conditions can use them. */
export class EventFile {
  readonly source: string;
  readonly sides: readonly [string, string];
  readonly main = new Map<string, string>();
  readonly eachTurn = new Map<string, readonly string[]>();
  readonly days: readonly string[];
  readonly settings = new Map<string, Setting>();
  readonly facts = new Map<string, Fact>();
  readonly kinds = new Map<string, Kind>();
  readonly marks = new Set<string>();
  readonly dice = new Map<string, Die>();
  readonly tables = new Map<string, Table>();
  readonly events = new Map<string, Event>();
  /** The kind of each register. */
  readonly registers = new Map<string, string>();
  /** For each decision, who makes it and which words it takes; null for a list of names or lines. */
  readonly decisions = new Map<string, { readonly by: By; readonly words: readonly string[] | null; readonly lines: boolean }>();
  private readonly words = new Map<string, readonly string[]>();
  /** The things that something else requires. */
  private readonly needed = new Set<string>();
  private readonly ways = new Map<string, Set<string>>();
  private readonly costs = new Map<string, Cost>();

  constructor(value: Json | undefined) {
    const at = "tables";
    const file = fields(value, at, ["title", "source", "sides", "main", "tables", "events"], ["about", "days", "dice", "each_turn", "facts", "kinds", "marks", "settings"]);
    text(file.title, "title");
    this.about(file);
    this.source = oneOf(file.source, SOURCES, "source");
    const sides = names(file.sides, "sides");
    if (sides.length !== 2) no("sides: there are two");
    this.sides = [sides[0] ?? "", sides[1] ?? ""];
    this.days = names(file.days, "days");
    this.readNames(file);
    const tables = named(file.tables, "tables");
    const events = named(file.events, "events");
    const targets = [...tables, ...events].map(([name]) => name);
    if (new Set(targets).size !== targets.length || targets.includes("nothing")) no("tables and events have different names, none of them `nothing`");
    for (const name of targets) this.ways.set(name, new Set());
    for (const [name, event] of events) this.readRegisters(event, `events: ${name}`);
    for (const [name, kind] of named(file.kinds, "kinds")) this.readImplies(name, kind);
    for (const [name, table] of tables) this.tables.set(name, this.table(name, table));
    for (const [name, event] of events) this.events.set(name, this.event(name, event));
    this.readBeginnings(file.main, file.each_turn);
    this.checkWays();
    this.checkNeeded();
  }

  private about({ about }: { readonly about: Json }): void {
    if (about !== null) text(about, "about");
  }

  /** Reads settings, facts, kinds, marks and dice. */
  private readNames(file: Readonly<Record<"settings" | "facts" | "kinds" | "marks" | "dice", Json>>): void {
    const taken = new Set(["turn", "day", "side"]);
    const take = (name: string, at: string): void => {
      if (taken.has(name)) no(`${at}: ${name} has another meaning`);
      taken.add(name);
    };
    for (const [name, text_] of named(file.marks, "marks")) {
      take(name, "marks");
      text(text_, `marks: ${name}`);
      this.marks.add(name);
    }
    for (const [name, value] of named(file.settings, "settings")) {
      const at = `settings: ${name}`;
      take(name, "settings");
      if (name === "sides" || name === "first" || name === "both") no(`${at}: it is there already`);
      const read = fields(value, at, ["values"], ["prefill", "about"]);
      this.about(read);
      const type = typeOf(read.values, at);
      if (read.prefill !== null && !isOfType(read.prefill, type)) return no(`${at}: the pre-fill is none of its values`);
      this.settings.set(name, { type, prefill: read.prefill });
    }
    for (const name of this.days) if (this.settings.get(name)?.type.is !== "number") no(`days: ${name} is no setting that is a number`);
    for (const [name, value] of named(file.facts, "facts")) {
      const at = `facts: ${name}`;
      take(name, "facts");
      const read = fields(value, at, ["values"], ["side", "at_least", "about"]);
      this.about(read);
      const atLeast = read.at_least === null ? null : this.known(this.marks, read.at_least, at);
      const type = typeOf(read.values, at);
      if (atLeast !== null && type.is === "words") no(`${at}: words are not at least a number`);
      this.facts.set(name, { type, side: read.side === null ? null : oneOf(read.side, this.sides, at), atLeast });
    }
    for (const [name, value] of named(file.dice, "dice")) {
      const at = `dice: ${name}`;
      take(name, "dice");
      const read = fields(value, at, ["dice"], ["rows", "about"]);
      this.about(read);
      const dice = diceOf(read.dice, at);
      const rows = read.rows === null ? null : rowsOf(read.rows, dice, `${at}: rows`, (word, there) => matching(word, WORD, there));
      if (new Set(rows?.map(([, word]) => word)).size > WORDS_OF_A_DIE) no(`${at}: it has more than ${WORDS_OF_A_DIE} words`);
      this.dice.set(name, { dice, rows });
    }
    this.readKinds(file.kinds, taken);
    this.taken = taken;
  }
  private taken: Set<string> = new Set();
  /** Reads attributes and marks of all kinds. */
  private readonly inner = new Set<string>();

  private readKinds(value: Json, taken: ReadonlySet<string>): void {
    for (const [name, kind] of named(value, "kinds")) {
      const at = `kinds: ${name}`;
      const read = fields(kind, at, [], ["attributes", "marks", "implies", "lasts", "about"]);
      this.about(read);
      const attributes = new Map(named(read.attributes, `${at}: attributes`).map(([one, of]) => [one, this.attribute(of, `${at}: ${one}`)] as const));
      const marks = names(read.marks, `${at}: marks`);
      for (const one of [...attributes.keys(), ...marks]) if (one === "name" || taken.has(one)) no(`${at}: ${one} has another meaning`);
      for (const one of [...attributes.keys(), ...marks]) this.inner.add(one);
      if (marks.some((one) => attributes.has(one))) no(`${at}: attributes and marks differ`);
      const lasts = read.lasts === null ? "game" : oneOf(read.lasts, ["game", "roster", "turn"], `${at}: lasts`);
      this.kinds.set(name, { name, attributes, marks: new Set(marks), implies: new Map(), lasts });
    }
  }

  private attribute(value: Json, at: string): Type {
    const read = fields(value, at, ["values"], ["about"]);
    this.about(read);
    return typeOf(read.values, at);
  }

  private readImplies(name: string, value: Json): void {
    const kind = this.kinds.get(name);
    for (const [mark, implied] of named(isObject(value) ? field(value, "implies") : null, `kinds: ${name}: implies`)) {
      if (kind === undefined || !kind.marks.has(mark)) return no(`kinds: ${name}: there is no mark ${mark}`);
      kind.implies.set(mark, implied === "gone" ? "gone" : this.condition(implied, `kinds: ${name}: ${mark}`, kind));
    }
  }

  private known(set: { has(name: string): boolean }, value: Json, at: string): string {
    return typeof value === "string" && set.has(value) ? value : no(`${at}: there is no ${typeof value === "string" ? value : "such name"}`);
  }

  /** Reads asks, and registers with their kinds. */
  private readRegisters(event: Json, at: string): void {
    if (!isObject(event)) return no(`${at} is no object`);
    const register = (name: Json, kind: Json | undefined): void => {
      const known = this.known(this.kinds, kind ?? null, at);
      const read = matching(name, NAME, at);
      if ((this.registers.get(read) ?? known) !== known) no(`${at}: the register ${read} has entries of two kinds`);
      this.registers.set(read, known);
      this.need("kind", known);
    };
    const each = field(event, "each") ?? null;
    if (each !== null) register(each, each);
    const steps = field(event, "steps");
    for (const step of isList(steps) ? steps : []) {
      if (!isObject(step)) continue;
      const [kind, ask, of] = [field(step, "kind") ?? null, field(step, "ask") ?? null, field(step, "of") ?? null];
      const is = field(step, "do");
      if (kind !== null && is !== "need") register(field(step, "as") ?? kind, kind);
      if (kind !== null && is === "need") this.need("kind", this.known(this.kinds, kind, at));
      if (ask === null) continue;
      const read = this.takeAsk(ask, at);
      if (is === "pool") for (const by of ["enemy", "owner"]) this.takeAsk(`${read}-${by}`, at);
      if (is !== "choose" || of === null) continue;
      const type = typeOf(of, at);
      if (type.is !== "words") return no(`${at}: ${read} is a choice of words`);
      this.words.set(read, type.words);
    }
  }

  private takeAsk(ask: Json, at: string): string {
    const read = matching(ask, ASK, at);
    if (this.inner.has(read) || this.taken.has(read) || read === "more") no(`${at}: ${read} has another meaning`);
    this.taken.add(read);
    return read;
  }

  private need(what: string, name: string): void {
    this.needed.add(`${what} ${name}`);
  }

  private numeric(type: "number" | Type, look: Look): { readonly type: Type | "number"; readonly look: Look } {
    return { type, look };
  }

  /** Rules 6, 23: what a name means, and how to find its value. */
  private look(name: string, kind: Kind | null, at: string): { readonly type: Type | "number"; readonly look: Look } {
    if (name === "turn" || name === "day") return this.numeric("number", (env) => env[name]);
    if (name === "side") return { type: { is: "words", words: this.sides }, look: (env) => env.side };
    const setting = this.settings.get(name);
    if (setting !== undefined) {
      this.need("setting", name);
      return { type: setting.type, look: (env) => env.setting(name) };
    }
    const fact = this.facts.get(name);
    if (fact !== undefined) {
      this.need("fact", name);
      return { type: fact.type, look: (env) => env.fact(name) };
    }
    if (this.marks.has(name)) return this.numeric("number", (env) => env.mark(name));
    const die = this.dice.get(name);
    if (die !== undefined) {
      const words = die.rows === null ? null : [...new Set(die.rows.map(([, word]) => word))];
      return { type: words === null ? "number" : { is: "words", words }, look: (env) => env.value(name) };
    }
    const choice = this.words.get(name);
    if (choice !== undefined) return { type: { is: "words", words: choice }, look: (env) => env.value(name) };
    const dot = name.indexOf(".");
    const of = dot < 0 ? kind : (this.kinds.get(this.registers.get(name.slice(0, dot)) ?? "") ?? null);
    const [register, inner] = [dot < 0 ? null : name.slice(0, dot), name.slice(dot + 1)];
    const there = (env: Env, entry: Entry | null): Entry | null => (register === null ? entry : env.register(register));
    const attribute = of?.attributes.get(inner);
    if (attribute !== undefined) return { type: attribute, look: (env, entry) => there(env, entry)?.attribute(inner) ?? null };
    if (of !== null && of.marks.has(inner)) return { type: "number", look: (env, entry) => there(env, entry)?.mark(inner) ?? null };
    return no(`${at}: there is no ${name}`);
  }

  private condition(value: Json, at: string, kind: Kind | null = null): Condition {
    if (typeof value !== "string") return no(`${at}: this is no condition`);
    const terms = value.split(", ").map((term) => this.term(term, at, kind));
    if (terms.length > 16) no(`${at}: a condition has up to 16 terms`);
    return Object.assign((env: Env, entry: Entry | null) => terms.every((term) => term(env, entry)), { terms: terms.length });
  }

  private maybe(value: Json, at: string, kind: Kind | null = null): Condition | null {
    return value === null ? null : this.condition(value, at, kind);
  }

  private term(written: string, at: string, kind: Kind | null): Term {
    const parts = /^(\S+) (=|!=|<|<=|>|>=) (\S+)$/.exec(written);
    if (parts === null) {
      const not = written.startsWith("not ");
      const { type, look } = this.look(not ? written.slice(4) : written, kind, at);
      if (type !== "number" && type.is === "words") return no(`${at}: ${written} is neither true nor a number`);
      return (env, entry) => {
        const found = look(env, entry);
        return found !== null && (found === true || (typeof found === "number" && found !== 0)) !== not;
      };
    }
    const [, name = "", op = "", to = ""] = parts;
    const left = this.look(name, kind, at);
    if (left.type !== "number" && left.type.is === "bool") return no(`${at}: ${name} is true or false, and is not compared`);
    if (left.type !== "number" && left.type.is === "words") {
      if ((op !== "=" && op !== "!=") || !left.type.words.includes(to)) return no(`${at}: ${written} compares no words`);
      return (env, entry) => {
        const found = left.look(env, entry);
        return found !== null && (found === to) === (op === "=");
      };
    }
    const right = this.right(to, kind, at);
    return (env, entry) => {
      const [a, b] = [left.look(env, entry), right(env, entry)];
      return typeof a === "number" && typeof b === "number" && COMPARE[op]?.(a, b) === true;
    };
  }

  private right(to: string, kind: Kind | null, at: string): Look {
    if (DECIMAL.test(to)) return () => Number(to);
    const { type, look } = this.look(to, kind, at);
    if (type === "number" || type.is === "number") return look;
    if (type.is === "bool") return no(`${at}: ${to} is no number`);
    const { words } = type;
    return (env, entry) => {
      const found = look(env, entry);
      return found === null ? null : words.findIndex((one) => one === found);
    };
  }

  /** A name with a number as its value; for `set` and `add` also the bool of a register. */
  private amount(name: Json, at: string, bools: boolean): Amount {
    if (typeof name !== "string") return no(`${at}: this is no number`);
    const { type, look } = this.look(name, null, at);
    if (type !== "number" && type.is !== "number" && !(type.is === "bool" && bools && name.includes("."))) return no(`${at}: ${name} is no number`);
    return (env) => {
      const found = look(env, null);
      return typeof found === "boolean" ? Number(found) : typeof found === "number" ? found : null;
    };
  }

  private target(from: string | null, value: Json, at: string): string {
    if (value === "nothing") return value;
    const to = this.known(this.ways, value, at);
    if (from !== null) this.ways.get(from)?.add(to);
    return to;
  }

  private table(name: string, value: Json): Table {
    const at = `tables: ${name}`;
    const read = fields(value, at, ["dice", "rows"], ["by", "modifiers", "source", "about"]);
    this.about(read);
    const dice = diceOf(read.dice, at);
    const by = read.by === null ? null : this.amount(read.by, at, false);
    const cells = (rows: Json, there: string): (readonly [Range, string])[] => rowsOf(rows, dice, there, (to, cell) => this.target(name, to, cell));
    const rows = by === null ? [{ range: null, cells: cells(read.rows, `${at}: rows`) }] : rowsOf(read.rows, null, `${at}: rows`, cells).map(([range, inner]) => ({ range, cells: inner }));
    const list = read.modifiers ?? [];
    if (!isList(list) || (list.length > 0 && dice.d66 && by === null)) return no(`${at}: there are no such modifiers`);
    const modifiers = list.map((one) => {
      const parts = typeof one === "string" ? /^(0|-?[1-9][0-9]?)(?: if (.*))?$/s.exec(one) : null;
      if (parts === null) return no(`${at}: this is no modifier`);
      return { n: Number(parts[1]), when: this.maybe(parts[2] ?? null, at) };
    });
    return { name, dice, by, rows, modifiers, source: read.source === null ? this.source : oneOf(read.source, SOURCES, at) };
  }

  private event(name: string, value: Json): Event {
    const at = `events: ${name}`;
    const read = fields(value, at, ["steps"], ["when", "limit", "per", "of", "each", "where", "about"]);
    this.about(read);
    if (!isList(read.steps) || read.steps.length < 1 || read.steps.length > 64) return no(`${at}: an event has 1 to 64 steps`);
    const limit = read.limit === null ? null : integer(read.limit, 1, 9999, `${at}: limit`);
    if (limit === null && (read.per !== null || read.of !== null)) no(`${at}: per and of go with a limit`);
    const each = read.each === null ? null : this.known(this.kinds, read.each, at);
    if (each === null && read.where !== null) no(`${at}: where goes with each`);
    const steps = read.steps.map((step, i) => this.step(name, step, `${at}: step ${i + 1}`));
    let changed = false;
    for (const step of steps) {
      if (changed && mayBeNothing(step)) no(`${at}: what may come to nothing stands before what changes something`);
      changed ||= step.do === "mark" || step.do === "raise" || (step.do === "write" && step.once !== null);
    }
    return {
      steps,
      when: this.maybe(read.when, at),
      limit,
      perDay: read.per !== null && oneOf(read.per, ["game", "day"], at) === "day",
      of: read.of === null ? "side" : this.limitOf(read.of, at),
      each,
      where: this.maybe(read.where, at, this.kinds.get(each ?? "") ?? null),
    };
  }

  private limitOf(value: Json, at: string): string {
    if (value === "side" || value === "both") return value;
    const name = this.known(this.settings, value, at);
    const type = this.settings.get(name)?.type;
    if (type?.is !== "words" || [...type.words].sort().join(" ") !== "both side") no(`${at}: ${name} says neither side nor both`);
    this.need("setting", name);
    return name;
  }

  private step(event: string, value: Json, at: string): Step {
    const is = isObject(value) ? field(value, "do") : undefined;
    const form = typeof is === "string" && Object.hasOwn(STEPS, is) ? STEPS[is] : undefined;
    if (!isObject(value) || form === undefined) return no(`${at}: there is no such step`);
    const ofWords = is === "choose" && (field(value, "of") ?? null) !== null;
    const { needed, optional } = ofWords ? WORDS : form;
    const read: Readonly<Record<string, Json>> = fields<string>(value, at, ["do", ...needed], ["if", "say", "about", ...optional]);
    this.about({ about: read["about"] ?? null });
    const get = (name: string): Json => read[name] ?? null;
    const made = this.stepOf(event, ofWords ? "word" : String(is), get, at);
    return { ...made, if: this.maybe(get("if"), at), ...(get("say") === null ? {} : { say: text(get("say"), at) }) };
  }

  private draws(get: (name: string) => Json, at: string): Draws {
    const kind = this.known(this.kinds, get("kind"), at);
    return { kind, where: this.maybe(get("where"), at, this.kinds.get(kind) ?? null), as: String(get("as") ?? kind), optional: bool(get("optional"), at) };
  }

  private ask(get: (name: string) => Json, words: readonly string[] | null, lines: boolean): { readonly by: By; readonly ask: string } {
    const by = oneOf(get("by"), ["owner", "enemy"], "by");
    const ask = String(get("ask"));
    this.decisions.set(ask, { by, words, lines });
    return { by, ask };
  }

  private stepOf(event: string, is: string, get: (name: string) => Json, at: string): Step {
    const none = { if: null };
    switch (is) {
      case "pick":
        return { ...none, do: "pick", ...this.draws(get, at) };
      case "pool": {
        const ask = String(get("ask"));
        for (const by of ["enemy", "owner"] as const) this.decisions.set(`${ask}-${by}`, { by, words: null, lines: false });
        return { ...none, do: "pool", ...this.draws(get, at), enemy: integer(get("enemy"), 1, 9, at), owner: integer(get("owner"), 1, 9, at), ask };
      }
      case "choose":
        return { ...none, do: "choose", ...this.draws(get, at), ...this.ask(get, null, false) };
      case "word": {
        const of = this.words.get(String(get("ask"))) ?? [];
        return { ...none, do: "word", of, ...this.ask(get, of, false) };
      }
      case "write": {
        const parts = get("parts");
        const each = typeof parts === "string" ? parts.split(" ") : [];
        if (each.length < 1 || each.length > 4 || !each.every((one) => NAME.test(one))) no(`${at}: parts are one to four names`);
        const most = integer(get("at_most"), 1, 9, at);
        const least = get("at_least") === null ? 0 : integer(get("at_least"), 0, most, at);
        const once = get("once") === null ? null : this.known(this.registers, get("once"), at);
        return { ...none, do: "write", parts: each.length, most, least, once, ...this.ask(get, null, true) };
      }
      case "roll": {
        const die = this.known(this.dice, get("die"), at);
        this.need("die", die);
        return { ...none, do: "roll", die };
      }
      case "go": {
        const to = this.target(event, get("to"), at);
        if (to === "nothing") no(`${at}: nothing is no place to go on`);
        return { ...none, do: "go", to };
      }
      case "need": {
        const { kind, where } = this.draws(get, at);
        return { ...none, do: "need", kind, where };
      }
      case "mark":
        return { ...none, ...this.mark(get, at) };
      case "raise": {
        const on = this.known(this.registers, get("on"), at);
        const attributes = this.kinds.get(this.registers.get(on) ?? "")?.attributes;
        const attribute = this.known(attributes ?? new Map(), get("attribute"), at);
        if (attributes?.get(attribute)?.is !== "words") no(`${at}: only words are raised`);
        return { ...none, do: "raise", on, attribute };
      }
      case "stop":
      case "tell":
        return { ...none, do: is };
      default:
        return no(`${at}: there is no such step`);
    }
  }

  private mark(get: (name: string) => Json, at: string): Extract<Step, { readonly do: "mark" }> {
    const on = get("on") === null ? null : this.known(this.registers, get("on"), at);
    const marks = on === null ? this.marks : (this.kinds.get(this.registers.get(on) ?? "")?.marks ?? new Set<string>());
    const mark = this.known(marks, get("mark"), at);
    if (on === null) this.need("mark", mark);
    const [set, add] = [get("set"), get("add")];
    if ((set === null) === (add === null)) no(`${at}: set or add`);
    const value = set ?? add;
    const n = typeof value === "number" ? integer(value, set === null ? -9999 : 0, 9999, at) : null;
    return { if: null, do: "mark", mark, on, set: set !== null, amount: n === null ? this.amount(value, at, true) : () => n };
  }

  private readBeginnings(main: Json, eachTurn: Json): void {
    const read = fields(main, "main", this.sides);
    for (const side of this.sides) this.main.set(side, this.target(null, read[side] ?? null, "main"));
    const targets = new Set([...this.main.values(), ...[...this.ways.values()].flatMap((to) => [...to])]);
    const sides = fields(eachTurn ?? {}, "each_turn", [], this.sides);
    for (const side of this.sides) {
      const events = names(sides[side] ?? null, `each_turn: ${side}`);
      if (events.length > EACH_TURN) no(`each_turn: ${side}: more than ${EACH_TURN} events`);
      for (const event of events) {
        this.known(this.events, event, `each_turn: ${side}`);
        if (targets.has(event)) no(`each_turn: ${event} is a target`);
      }
      this.eachTurn.set(side, events);
    }
    const each = new Set([...this.eachTurn.values()].flat());
    for (const [name, event] of this.events) if (event.each !== null && !each.has(name)) no(`events: ${name}: each goes with each_turn`);
  }

  /** Rules 9, 25: there are no circles, and everything can be reached. */
  private checkWays(): void {
    const done = new Map<string, boolean>();
    const begin = [...this.main.values(), ...[...this.eachTurn.values()].flat()].filter((one) => one !== "nothing");
    const stack = begin.map((name) => ({ name, leave: false }));
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      const { name, leave } = top;
      if (leave) {
        done.set(name, true);
        // Everything after it is counted already.
        this.costs.set(name, this.cost(name));
      }
      else if (done.get(name) === false) no(`${name}: a way leads back to it`);
      else if (!done.has(name)) {
        done.set(name, false);
        stack.push({ name, leave: true }, ...[...(this.ways.get(name) ?? [])].map((to) => ({ name: to, leave: false })));
      }
    }
    for (const name of this.ways.keys()) if (!done.has(name)) no(`${name}: nothing leads to it`);
  }

  /** The most that a run can cost from a table or an event on (rules 26, 27, 31). */
  private cost(name: string): Cost {
    const table = this.tables.get(name);
    const cost =
      table === undefined
        ? (this.events.get(name)?.steps ?? []).map((step) => this.costOfStep(step)).reduce(plus, NOTHING)
        : plus(
            { dice: table.dice.sides.length, steps: 1 + table.modifiers.length, looks: 0 },
            [...new Set(table.rows.flatMap(({ cells }) => cells.map(([, target]) => target)))].map((target) => this.costOf(target)).reduce(dearest, NOTHING),
          );
    if (cost.dice > RUN_DICE) no(`${name}: a run could draw more than ${RUN_DICE} dice`);
    if (cost.steps > RUN_STEPS) no(`${name}: a run could take more than ${RUN_STEPS} steps`);
    return cost;
  }

  costOf(target: string): Cost {
    return this.costs.get(target) ?? NOTHING;
  }

  private costOfStep(step: Step): Cost {
    const looks = "kind" in step ? 1 + (step.where?.terms ?? 0) : 0;
    const dice = step.do === "pick" || step.do === "pool" ? 1 : step.do === "roll" ? (this.dice.get(step.die)?.dice.sides.length ?? 0) : 0;
    return plus({ dice, steps: 1, looks }, step.do === "go" ? this.costOf(step.to) : NOTHING);
  }

  private checkNeeded(): void {
    for (const name of this.days) this.need("setting", name);
    const all = { setting: this.settings, fact: this.facts, mark: this.marks, die: this.dice, kind: this.kinds };
    for (const [what, those] of Object.entries(all)) for (const name of those.keys()) if (!this.needed.has(`${what} ${name}`)) no(`${name}: nothing needs this ${what}`);
  }
}

/** The most that a run can cost (rules 26, 27, 31). */
export interface Cost {
  readonly dice: number;
  readonly steps: number;
  readonly looks: number;
}
const NOTHING: Cost = { dice: 0, steps: 0, looks: 0 };

function plus(a: Cost, b: Cost): Cost {
  return { dice: a.dice + b.dice, steps: a.steps + b.steps, looks: a.looks + b.looks };
}

function dearest(a: Cost, b: Cost): Cost {
  return { dice: Math.max(a.dice, b.dice), steps: Math.max(a.steps, b.steps), looks: Math.max(a.looks, b.looks) };
}

const EACH_TURN = 16;
const RUN_DICE = 64;
const RUN_STEPS = 256;
const WORDS_OF_A_DIE = 64;
const SOURCES = ["user", "house", "test"] as const;

const COMPARE: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "=": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

/** The fields of each kind of step (rule 8). */
const STEPS: Readonly<Record<string, { readonly needed: readonly string[]; readonly optional: readonly string[] }>> = {
  pick: { needed: ["kind"], optional: ["where", "as", "optional"] },
  pool: { needed: ["kind", "enemy", "owner", "ask"], optional: ["where", "as"] },
  choose: { needed: ["kind", "by", "ask"], optional: ["where", "as", "optional"] },
  write: { needed: ["by", "ask", "parts", "at_most"], optional: ["at_least", "once"] },
  roll: { needed: ["die"], optional: [] },
  go: { needed: ["to"], optional: [] },
  need: { needed: ["kind"], optional: ["where"] },
  stop: { needed: [], optional: [] },
  mark: { needed: ["mark"], optional: ["on", "set", "add"] },
  raise: { needed: ["on", "attribute"], optional: [] },
  tell: { needed: ["say"], optional: [] },
};
const WORDS = { needed: ["of", "by", "ask"], optional: [] };

/** rule 9 */
function mayBeNothing(step: Step): boolean {
  if (step.do === "pick" || step.do === "choose") return !step.optional;
  return ["pool", "need", "stop", "go"].includes(step.do);
}

export function readSide(file: EventFile, settings: JsonObject): { readonly roles: ReadonlyMap<string, string>; readonly first: string } {
  const sides = fields(field(settings, "sides"), "sides", file.sides);
  const roles = new Map(file.sides.map((side) => [side, matching(sides[side] ?? null, /^[a-z][a-z0-9-]{0,15}$/, `sides: ${side}`)] as const));
  if (new Set(roles.values()).size !== 2) no("sides: the roles differ");
  return { roles, first: oneOf(field(settings, "first") ?? null, file.sides, "first") };
}
