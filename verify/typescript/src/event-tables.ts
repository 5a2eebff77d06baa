/** event-tables.md 10 to 21: plays a file of events. */
import { utf8 } from "./bytes.js";
import type { Awaits, Course, Step as Result, Turn } from "./course.js";
import { EventFile, isOfType, isText, no, readSide, sumOf, type By, type Condition, type Dice, type Entry, type Env, type Step, type Table, type Value } from "./event-file.js";
import { field, isList, isObject, makeObject, plain, sameJson, type Json, type JsonObject } from "./json.js";
import type { Ask, Roll } from "./roll.js";
import type { Reading, System } from "./system.js";
import { isSeen } from "./unseen.js";

interface Settings {
  readonly roles: ReadonlyMap<string, string>;
  readonly first: string;
  readonly values: ReadonlyMap<string, Value>;
}

type Roster = ReadonlyMap<string, readonly JsonObject[]>;

interface Input {
  readonly facts: ReadonlyMap<string, Value>;
  readonly roster: Roster;
}

// event-tables 20
interface Run {
  readonly bound: Map<string, string>;
  event: string;
  /** The step at which the run is; null if it has not begun. */
  step: number | null;
  readonly path: string[];
  picks: string[];
  readonly values: Map<string, number | string>;
}

interface Pending {
  readonly facts: ReadonlyMap<string, Value>;
  readonly roster: Roster;
  readonly runs: Run[];
  readonly late: Run[];
}

function copyOf({ entries, marks, used, pending, side, turn }: State): State {
  return {
    entries: new Map(entries),
    marks: new Map(marks),
    used: new Map(used),
    own: new Set(),
    pending: pending === null ? null : { ...pending, runs: [...pending.runs], late: [...pending.late] },
    side,
    turn,
  };
}

function runOf({ bound, event, path, picks, step, values }: Run): Run {
  return { bound: new Map(bound), event, path: [...path], picks: [...picks], step, values: new Map(values) };
}

/**
 * A state (event-tables 12). Playing on starts from a copy that shares unchanged parts with the state before it. Inner maps listed in `own`
 * can be changed; other maps, and runs, are copied first.
 */
interface State {
  readonly entries: Map<string, Map<string, Json>>;
  readonly marks: Map<string, Map<string, number>>;
  readonly used: Map<string, Map<string, number>>;
  readonly own: Set<unknown>;
  pending: Pending | null;
  side: string | null;
  turn: number;
}

/** Whether a text has no blanks at its ends (14, 34). */
function isTrimmed(value: string): boolean {
  return !value.startsWith(" ") && !value.endsWith(" ");
}

/** Whether a text has no separate combining marks: each accented letter is one character (14). */
function isTight(value: string): boolean {
  return !/[\u0300-\u036f\u1100-\u11ff\u3099\u309a]/u.test(value);
}

/** Whether a value is the name of an entry (14). */
function isName(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "" && utf8(value).length <= 64 && isSeen(value) && isTrimmed(value) && isTight(value);
}

/** Whether a value is a text of a line (34). */
function isWritten(value: Json | undefined): value is string {
  return isText(value) && isTrimmed(value) && isTight(value) && value !== "none";
}

/** Whether the texts of a `write` line contain none of the separators with which players type them (34). */
function isApart(line: readonly Json[]): boolean {
  return !line.some((text) => /[;>]/.test(String(text))) && !String(line.at(-1)).includes(",");
}

function object(value: Json | undefined, at: string): JsonObject {
  return isObject(value) ? value : no(`${at} is no object`);
}

function exactly(value: Json | undefined, names: readonly string[], at: string): JsonObject {
  const read = object(value, at);
  const keys = Object.keys(read);
  return keys.length === names.length && names.every((name) => Object.hasOwn(read, name)) ? read : no(`${at} has the fields ${names.join(", ")}`);
}

function list(value: Json | undefined, at: string): readonly Json[] {
  return isList(value) ? value : no(`${at} is no list`);
}

function mapOf<T>(value: Json | undefined, at: string, read: (value: Json, key: string) => T): Map<string, T> {
  return new Map(Object.entries(object(value, at)).map(([key, one]) => [key, read(one, key)] as const));
}

function json(map: ReadonlyMap<string, unknown>): JsonObject {
  return makeObject([...map].map(([key, value]) => [key, value instanceof Map ? jsonOnce(value, json) : plain(value)] as const));
}

const written = new WeakMap<object, JsonObject>();

/** Returns the JSON of a value that no longer changes, made only once. */
function jsonOnce<T extends object>(value: T, make: (value: T) => JsonObject): JsonObject {
  const known = written.get(value) ?? make(value);
  written.set(value, known);
  return known;
}

function differ(items: readonly unknown[]): boolean {
  return new Set(items).size === items.length;
}

function count(value: Json, least = 1): number {
  return typeof value === "number" && value >= least && value <= 9999 ? value : no(`this is no number from ${least} to 9999`);
}

class Events implements Course {
  readonly players: readonly string[];
  readonly places = 2;
  readonly begins = plain({ entries: {}, marks: {}, pending: null, side: null, turn: 0, used: {} }) as JsonObject;

  /** The states that were read or written. */
  private readonly known = new WeakMap<JsonObject, State>();
  /** Whether some established entries do not last for the whole game. */
  private readonly fades: boolean;

  constructor(
    readonly file: EventFile,
    readonly settings: Settings,
  ) {
    this.fades = [...file.kinds.values()].some(({ lasts }) => lasts !== "game");
    this.players = file.sides.map((side) => this.role(side));
  }

  role(side: string): string {
    return this.settings.roles.get(side) ?? "";
  }

  other(side: string): string {
    return this.file.sides[side === this.file.sides[0] ? 1 : 0];
  }

  dayOf(turn: number): number {
    return 1 + this.file.days.filter((name) => Number(this.settings.values.get(name)) <= turn).length;
  }

  awaits(value: JsonObject): Awaits {
    return this.awaited(this.stateOf(value));
  }

  awaited(state: State): Awaits {
    const { side, turn } = state;
    const { first } = this.settings;
    if (side === null || (state.pending === null && side !== first)) return { is: "turn", by: this.role(first), turn: turn + 1, place: 0 };
    if (state.pending === null) return { is: "turn", by: this.role(this.other(side)), turn, place: 1 };
    const play = new Play(this, state, side, "look");
    return play.wants() ?? { is: "more", by: this.role(side), turn, place: side === first ? 0 : 1 };
  }

  turn(value: JsonObject, written: JsonObject): Turn {
    const before = this.stateOf(value);
    const more = before.pending !== null;
    const awaited = this.awaited(before);
    if (awaited.is === "decision") return no("a decision is awaited");
    const side = this.file.sides.find((one) => this.role(one) === awaited.by) ?? "";
    const { input, canonical } = this.readInput(written, more ? null : side);
    let begun = more ? null : this.begin(this.read(value), side, input);
    const begin = (): Play => {
      if (!more) begun ??= this.begin(this.read(value), side, input);
      return new Play(this, copyOf(begun ?? before), side, "roll");
    };
    // Keeps the play that asked for the dice, so that its result need not be played again.
    let played: { readonly drawn: readonly number[]; readonly result: Played } | null = null;
    return {
      canonical,
      rolls: () => [rollOf(begin, (drawn, result) => (played = { drawn: [...drawn], result }))],
      after: (draws) => {
        const drawn = draws[0] ?? [];
        const known = played?.drawn.length === drawn.length && played.drawn.every((die, i) => die === drawn[i]) ? played.result : null;
        [played, begun] = [null, null];
        return told(known ?? begin().whole(drawn), () => begin().whole(drawn));
      },
    };
  }

  decide(value: JsonObject, name: string, chosen: Json): Result {
    const { side } = this.stateOf(value);
    const awaited = this.awaits(value);
    if (awaited.is !== "decision" || awaited.name !== name || side === null) return no(`no decision ${name} is awaited`);
    const play = (): Played => new Play(this, this.read(value), side, "decide", chosen).whole([]);
    return told(play(), play);
  }

  wished(value: JsonObject, wish: Json): Json {
    const { side } = this.stateOf(value);
    return side === null ? no("nobody is asked") : new Play(this, this.read(value), side, "look").wished(wish);
  }

  /** The state in which a side begins its turn (13). */
  private begun(state: State, side: string, { roster }: Input): State {
    const turn = side === this.settings.first ? state.turn + 1 : state.turn;
    if (this.dayOf(turn) !== this.dayOf(state.turn)) for (const [name, { perDay }] of this.file.events) if (perDay) state.used.delete(name);
    for (const key of this.fades ? [...state.entries.keys()] : []) {
      const [of, kind = "", name] = split(key);
      const lasts = this.file.kinds.get(kind)?.lasts;
      const there = byNameIn(roster.get(kind) ?? []).has(name);
      if (lasts === "turn" || (lasts === "roster" && of === side && !there)) state.entries.delete(key);
    }
    state.side = side;
    state.turn = turn;
    return state;
  }

  /** The state in which all runs of a turn begin (13 to 15). */
  private begin(before: State, side: string, input: Input): State {
    const state = this.begun(before, side, input);
    const runs: Run[] = [];
    state.pending = { facts: input.facts, roster: input.roster, runs, late: [] };
    this.checkAgainst(state, side, input);
    const look = new Play(this, state, side, "look");
    const begins = (event: string, bound: readonly (readonly [string, string])[]): void => void runs.push({ bound: new Map(bound), event, step: null, path: [], picks: [], values: new Map() });
    for (const name of this.file.eachTurn.get(side) ?? []) {
      const event = this.file.events.get(name);
      const each = event?.each ?? null;
      if (each === null) begins(name, []);
      else for (const one of look.candidates(each, event?.where ?? null)) begins(name, [[each, one]]);
    }
    if (runs.length > EACH_TURN_RUNS) no(`more than ${EACH_TURN_RUNS} runs begin in this turn`);
    begins(this.file.main.get(side) ?? "nothing", []);
    const entries = [...input.roster.values()].reduce((all, those) => all + those.length, 0);
    const costs = runs.map(({ event }) => this.file.costOf(event));
    const dice = costs.reduce((all, cost) => all + cost.dice, 0);
    if (dice > TURN_DICE) no(`this turn could draw ${dice} dice, and at most ${TURN_DICE}`);
    const looks = entries * costs.reduce((all, cost) => all + cost.looks, 0);
    if (looks > TURN_LOOKS) no(`this turn looks at its entries ${looks} times, and at most ${TURN_LOOKS}`);
    return state;
  }

  /** Reads an input without checking it against a side or a state; it may leave facts out (14, 29). */
  readAnyone(written: JsonObject): JsonObject {
    for (const key of Object.keys(written)) if (!["facts", "roster"].includes(key)) no(`the input has no ${key}`);
    const part = (name: string): JsonObject => object(field(written, name) ?? makeObject([]), name);
    const facts = mapOf(part("facts"), "facts", (value, name) => {
      const type = this.file.facts.get(name)?.type;
      return type !== undefined && isOfType(value, type) ? value : no(`facts: ${name} is none of its values`);
    });
    return makeObject([["facts", json(facts)], ["roster", json(this.readRoster(part("roster")))]]);
  }

  /** Reads the input of a side; in a declaration of `more`, it must be empty (14, 18). */
  readInput(written: JsonObject, side: string | null): { readonly input: Input; readonly canonical: JsonObject } {
    const read = this.readAnyone(written);
    const part = (name: string): JsonObject => object(field(read, name), name);
    const stated = part("facts");
    const facts = new Map<string, Value>();
    for (const name of Object.keys(stated)) if (!this.states(name, side)) no(`facts: ${name} is not stated`);
    for (const [name, { type }] of this.file.facts) {
      if (!this.states(name, side)) continue;
      const value = field(stated, name) ?? (type.is === "bool" ? false : null);
      if (!isOfType(value, type)) return no(`facts: ${name} is none of its values`);
      facts.set(name, value);
    }
    const roster = this.readRoster(part("roster"));
    if (side === null && [...roster.values()].some((those) => those.length > 0)) no("here is nothing to state");
    return { input: { facts, roster }, canonical: makeObject([["facts", json(facts)], ["roster", json(roster)]]) };
  }

  private states(name: string, side: string | null): boolean {
    const fact = this.file.facts.get(name);
    return fact !== undefined && side !== null && (fact.side === null || fact.side === side);
  }

  private readRoster(written: JsonObject): Map<string, readonly JsonObject[]> {
    for (const kind of Object.keys(written)) if (!this.file.kinds.has(kind)) no(`roster: there is no kind ${kind}`);
    const roster = new Map<string, readonly JsonObject[]>();
    let all = 0;
    for (const [name, { attributes }] of this.file.kinds) {
      const those = list(field(written, name) ?? [], `roster: ${name}`).map((one) => {
        const entry = object(one, name);
        for (const key of Object.keys(entry)) if (key !== "name" && !attributes.has(key)) no(`${name}: there is no ${key}`);
        const called = field(entry, "name");
        if (!isName(called)) return no(`${name}: this is no name`);
        const read = [...attributes].map(([attribute, type]) => {
          const value = field(entry, attribute) ?? (type.is === "bool" ? false : null);
          return isOfType(value, type) ? ([attribute, value] as const) : no(`${called}: ${attribute} is none of its values`);
        });
        return makeObject([["name", called], ...read]);
      });
      if (!differ(those.map((one) => field(one, "name")))) no(`roster: ${name}: a name stands twice`);
      all += those.length;
      roster.set(name, those);
    }
    return all <= 1024 ? roster : no("roster: there are more than 1024 entries");
  }

  /** Refuses an input that contradicts the state (28). */
  private checkAgainst(state: State, side: string, { facts, roster }: Input): void {
    for (const [name, { atLeast, type }] of this.file.facts) {
      const value = facts.get(name);
      const highest = type.is === "number" ? type.high : true;
      if (atLeast !== null && value !== undefined && value !== highest && Number(value) < (state.marks.get(side)?.get(atLeast) ?? 0)) no(`facts: ${name} is less than is known`);
    }
    const play = new Play(this, state, side, "look");
    for (const [kind, those] of roster) {
      const { implies, attributes } = this.file.kinds.get(kind) ?? no(`there is no kind ${kind}`);
      for (const one of those) {
        const name = String(field(one, "name"));
        const known = state.entries.get(`${side}/${kind}/${name}`);
        if (known === undefined) continue;
        for (const attribute of attributes.keys()) if (known.has(attribute) && known.get(attribute) !== field(one, attribute)) no(`${name}: ${attribute} is known to be another`);
        for (const [mark, implied] of implies) {
          if (known.has(mark) && (implied === "gone" || !play.holds(implied, play.entry(kind, name)))) no(`${name}: this contradicts ${mark}`);
        }
      }
    }
  }

  /** Writes a state, which must not change afterwards. */
  write(state: State): JsonObject {
    const { entries, marks, used, pending, side, turn } = state;
    const run = ({ bound, event, path, picks, step, values }: Run): JsonObject => makeObject([["bound", json(bound)], ["event", event], ["path", path], ["picks", picks], ["step", step], ["values", json(values)]]);
    const made = makeObject([
      ["entries", json(entries)],
      ["marks", json(marks)],
      ["pending", pending === null ? null : makeObject([
        ["input", makeObject([["facts", json(pending.facts)], ["roster", jsonOnce(pending.roster, json)]])],
        ["late", pending.late.map((one) => jsonOnce(one, run))],
        ["runs", pending.runs.map((one) => jsonOnce(one, run))],
      ])],
      ["side", side],
      ["turn", turn],
      ["used", json(used)],
    ]);
    state.own.clear();
    this.known.set(made, state);
    return made;
  }

  checkState(value: Json): JsonObject {
    return this.write(this.readWhole(value));
  }

  /** Returns a copy of a state, to be played on. */
  private read(value: JsonObject): State {
    return copyOf(this.stateOf(value));
  }

  /** Returns a state for reading only. */
  private stateOf(value: JsonObject): State {
    const state = this.known.get(value) ?? this.readWhole(value);
    this.known.set(value, state);
    return state;
  }

  /** Reads a state, and refuses one that the course cannot be in. */
  private readWhole(value: Json): State {
    const { file } = this;
    const read = exactly(value, Object.keys(this.begins), "a state");
    const side = (one: Json | undefined): string => file.sides.find((name) => name === one) ?? no("there is no such side");
    const bySide = (one: Json, of: (name: string) => boolean): Map<string, number> => mapOf(one, "a count", (n, name) => (of(name) ? count(n) : no(`${name} is not counted`)));
    const full = <V extends { readonly size: number }>(map: V): V => (map.size > 0 ? map : no("what is nothing does not stand in a state"));
    const now = field(read, "side") ?? null;
    const turn = count(field(read, "turn") ?? null, 0);
    if ((now === null) !== (turn === 0)) no("a side has rolled in each turn");
    const entries = mapOf(field(read, "entries"), "entries", (known, key) => {
      const [of, name = "", called] = split(key);
      const kind = file.kinds.get(name);
      side(of);
      if (kind === undefined || !isName(called)) return no(`${key} is no entry`);
      return full(mapOf(known, key, (one, what): Json => {
        if (kind.marks.has(what)) return count(one);
        const type = kind.attributes.get(what);
        if (type?.is === "words" && isOfType(one, type)) return one;
        const lines = list(one, what);
        return file.decisions.get(what)?.lines === true && lines.length > 0 && lines.every(isWritten) && differ(lines) ? lines : no(`${key}: there is no ${what}`);
      }));
    });
    const state: State = {
      entries,
      marks: mapOf(field(read, "marks"), "marks", (those, of) => full(bySide(those, (mark) => side(of) !== "" && file.marks.has(mark)))),
      used: mapOf(field(read, "used"), "used", (those, event) => (file.events.get(event)?.limit == null ? no(`${event} has no limit`) : full(bySide(those, (of) => side(of) !== "")))),
      own: new Set(),
      pending: null,
      side: now === null ? null : side(now),
      turn,
    };
    const pending = field(read, "pending") ?? null;
    if (pending !== null) state.pending = this.readPending(pending, state.side ?? no("nobody has rolled"));
    if (turn === 0 && state.entries.size + state.marks.size + state.used.size > 0) no("nothing is established before the first turn");
    return state;
  }

  private readPending(value: Json, side: string): Pending {
    const read = exactly(value, ["input", "late", "runs"], "pending");
    const stated = exactly(field(read, "input"), ["facts", "roster"], "pending: input");
    const { input, canonical } = this.readInput(stated, side);
    if (!["facts", "roster"].every((part) => sameJson(field(stated, part) ?? null, field(canonical, part) ?? null))) no("pending: the input is whole");
    const runs = list(field(read, "runs"), "runs").map((one) => this.readRun(one, input.roster));
    const late = list(field(read, "late"), "late").map((one) => this.readRun(one, input.roster));
    const [first] = runs.length > 0 ? runs : late;
    if (first === undefined || first.step === null && runs.length === 0 || !late.every((one) => this.waitsLate(one))) return no("somebody is awaited");
    return { facts: input.facts, roster: input.roster, runs, late };
  }

  /** Whether a run waits for a decision after which nothing is drawn (35). */
  private waitsLate({ event, step }: Run): boolean {
    const [now, ...behind] = step === null ? [] : (this.file.events.get(event)?.steps.slice(step) ?? []);
    return now !== undefined && ["choose", "word", "write"].includes(now.do) && !behind.some((one) => DRAWS.includes(one.do));
  }

  private readRun(value: Json, roster: Roster): Run {
    const { file } = this;
    const read = exactly(value, ["bound", "event", "path", "picks", "step", "values"], "a run");
    const name = (one: Json): string => (isName(one) ? one : no("a run names entries"));
    const event = field(read, "event");
    const at = field(read, "step") ?? null;
    const step = at === null || typeof at === "number" ? at : no("a step has a number");
    const steps = typeof event === "string" ? file.events.get(event)?.steps : undefined;
    const path = list(field(read, "path"), "path").map((one) => (typeof one === "string" && file.events.has(one) ? one : no("a path is of events")));
    if (typeof event !== "string" || (step === null ? event !== "nothing" && steps === undefined && !file.tables.has(event) : step < 0 || step >= (steps?.length ?? 0))) return no("a run goes on somewhere");
    if (!differ(path) || (step === null ? path.length > 0 : path.at(-1) !== event)) no("a run goes on in the event that it entered last");
    const bound = mapOf(field(read, "bound"), "bound", (one, register) => {
      const entry = name(one);
      const kind = file.registers.get(register) ?? no(`there is no register ${register}`);
      return roster.get(kind)?.some((other) => field(other, "name") === entry) === true ? entry : no(`${entry} is no entry`);
    });
    const values = mapOf(field(read, "values"), "values", (one, of): number | string => {
      if (typeof one === "number" && file.dice.get(of)?.rows === null) return one;
      const words = file.dice.get(of)?.rows?.map(([, word]) => word) ?? file.decisions.get(of)?.words;
      return typeof one === "string" && words?.includes(one) === true ? one : no(`${of} has no such value`);
    });
    const picks = list(field(read, "picks"), "picks").map(name);
    return { bound, event, path, picks: differ(picks) ? picks : no("a pick stands twice"), step, values };
  }
}

function split(key: string): readonly [string, string | undefined, string | undefined] {
  const [side = "", kind] = key.split("/", 2);
  return [side, kind, kind === undefined ? undefined : key.slice(side.length + kind.length + 2)];
}

/** Where a run has stopped: at its end, or waiting for a decision or a die. It is late if nothing is drawn after that. */
type Where = "end" | "waits" | "late";

type Drawing<T> = Generator<Ask, T, number>;
/** A result with the length of its log. */
type Played = Result & { readonly length: number };

const NO_MORE = Symbol();
/** Steps that keep an earlier decision from being late (35). */
const DRAWS: readonly string[] = ["pick", "pool", "roll", "go"];
/** Limits of a turn (15). */
const EACH_TURN_RUNS = 1_023;
const TURN_DICE = 4_096;
const TURN_LOOKS = 1_048_576;

/** Plays on from a state: with dice in a declaration, without dice in a decision. */
class Play implements Env {
  readonly turn: number;
  readonly day: number;
  private readonly log: Json[] = [];
  private readonly story: Json[] = [];
  private run: Run | null = null;
  private readonly pending: Pending;
  /** The entries in the registers, cached until something changes. */
  private held: Map<string, Entry | null> | null = null;
  /** The length of the log, including the names in it. */
  private length = 0;
  /** The number of waiting runs that have entered each event; null until they are counted. */
  private waiting: Map<string, number> | null = null;

  constructor(
    private readonly course: Events,
    private readonly state: State,
    readonly side: string,
    private readonly how: "roll" | "decide" | "look",
    private decision: Json | undefined = undefined,
  ) {
    this.turn = state.turn;
    this.day = course.dayOf(state.turn);
    this.pending = state.pending ?? no("nothing is under way");
  }

  setting(name: string): Value | null {
    return this.course.settings.values.get(name) ?? null;
  }
  fact(name: string): Value | null {
    return this.pending.facts.get(name) ?? null;
  }
  mark(name: string): number {
    return this.state.marks.get(this.side)?.get(name) ?? 0;
  }
  value(name: string): Value | null {
    return this.run?.values.get(name) ?? null;
  }
  register(name: string): Entry | null {
    const held = this.held?.get(name);
    if (held !== undefined) return held;
    const bound = this.run?.bound.get(name);
    const entry = bound === undefined ? null : this.entry(this.course.file.registers.get(name) ?? "", bound);
    this.held?.set(name, entry);
    return entry;
  }

  entry(kind: string, name: string): Entry | null {
    const one = byNameIn(this.pending.roster.get(kind) ?? []).get(name);
    return one === undefined ? null : this.entryOf(kind, one);
  }

  private entryOf(kind: string, one: JsonObject): Entry {
    const name = String(field(one, "name"));
    const known = this.state.entries.get(this.key(kind, name));
    return {
      name,
      attribute: (attribute) => (known?.get(attribute) ?? field(one, attribute) ?? null) as Value | null,
      mark: (mark) => Number(known?.get(mark) ?? 0),
    };
  }

  private key(kind: string, name: string): string {
    return `${this.side}/${kind}/${name}`;
  }

  holds(condition: Condition | null, entry: Entry | null = null): boolean {
    return condition === null || condition(this, entry);
  }

  // 15
  candidates(kind: string, where: Condition | null): string[] {
    const gone = [...(this.course.file.kinds.get(kind)?.implies ?? [])].filter(([, implied]) => implied === "gone").map(([mark]) => mark);
    const those = (this.pending.roster.get(kind) ?? []).map((one) => this.entryOf(kind, one));
    this.held = new Map();
    const found = those.filter((one) => !gone.some((mark) => one.mark(mark) > 0) && this.holds(where, one)).map((one) => one.name);
    this.held = null;
    return found;
  }

  private who(by: By): string {
    return by === "owner" ? this.side : this.course.other(this.side);
  }

  /** Plays everything with these dice. */
  whole(draws: readonly number[]): Played {
    const drawing = this.all();
    let next = drawing.next();
    for (let k = 0; next.done !== true; k++) next = drawing.next(draws[k] ?? no("a die is missing"));
    return next.value;
  }

  // 15, 18
  *all(): Drawing<Played> {
    const { state, pending, course, log } = this;
    const { runs, late } = pending;
    let done = 0;
    for (; done < runs.length; done++) {
      const run = ownRun(runs, done);
      const at = yield* this.goOn(run);
      if (at === "waits") break;
      if (at === "late") this.wait(run);
    }
    runs.splice(0, done);
    done = 0;
    if (runs.length === 0) while (done < late.length && (yield* this.goOn(ownRun(late, done))) === "end") done++;
    late.splice(0, done);
    if (this.decision !== undefined) no("nobody asks for this");
    if (runs.length === 0 && late.length === 0) state.pending = null;
    const { source } = course.file;
    return { state: course.write(state), length: this.length, story: this.story, public: makeObject([["day", this.day], ["log", log], ["side", this.side], ["source", source], ["turn", this.turn]]) };
  }

  private wait(run: Run): void {
    this.pending.late.push(run);
    if (this.waiting !== null) for (const name of run.path) this.waiting.set(name, (this.waiting.get(name) ?? 0) + 1);
  }

  /** The number of waiting runs that have entered an event (32). */
  private waitingIn(event: string): number {
    const counted = this.waiting ?? new Map<string, number>();
    if (this.waiting === null) for (const { path } of this.pending.late) for (const name of path) counted.set(name, (counted.get(name) ?? 0) + 1);
    this.waiting = counted;
    return counted.get(event) ?? 0;
  }

  /** The awaited decision, or null (20). */
  wants(): Awaits | null {
    const run = this.pending.runs[0] ?? this.pending.late[0];
    const step = run === undefined || run.step === null ? undefined : this.course.file.events.get(run.event)?.steps[run.step];
    if (run === undefined || step === undefined) return null;
    const awaits = (by: By, name: string): Awaits => ({ is: "decision", by: this.course.role(this.who(by)), name });
    if (step.do === "choose" || step.do === "word" || step.do === "write") return awaits(step.by, step.ask);
    if (step.do !== "pool") return null;
    this.run = run;
    const { enemy, owner, ask } = step;
    if (run.picks.length >= enemy + owner || this.candidates(step.kind, step.where).length <= enemy + owner) return null;
    return run.picks.length < enemy ? awaits("enemy", `${ask}-enemy`) : awaits("owner", `${ask}-owner`);
  }

  /** Plays a run as far as it goes. */
  private *goOn(run: Run): Drawing<Where> {
    this.run = run;
    try {
      if (run.step === null && !(yield* this.enter(run.event))) return "end";
      for (;;) {
        const steps = this.course.file.events.get(run.event)?.steps ?? [];
        const step = steps[run.step ?? 0];
        if (step === undefined) break;
        if (this.holds(step.if)) {
          const went = yield* STEPS[step.do](this, step as never, run);
          if (went !== "asks" && step.say !== undefined) this.story.push(plain({ say: step.say }));
          if (went === "end") return "end";
          if (went === "asks") return step.do === "pool" || steps.slice((run.step ?? 0) + 1).some((one) => DRAWS.includes(one.do)) ? "waits" : "late";
          if (went === "gone") continue;
        }
        run.step = (run.step ?? 0) + 1;
      }
      this.end(null);
      for (const name of run.path) if (this.course.file.events.get(name)?.limit != null) count1(this.state, name, this.side);
      return "end";
    } catch (error) {
      if (error === NO_MORE) return "waits";
      throw error;
    }
  }

  private tell(entry: Json): void {
    this.length++;
    this.log.push(entry);
    this.story.push(entry);
  }

  end(why: string | null): "end" {
    this.tell(plain({ end: this.run?.path.at(-1) ?? null, void: why }));
    return "end";
  }

  private *draw(sides: number, why: string): Drawing<number> {
    // After a decision, the next declaration draws the dice.
    if (this.how !== "roll") throw NO_MORE;
    return yield { sides, why };
  }

  private *drawDice(dice: Dice, why: string): Drawing<number[]> {
    const drawn: number[] = [];
    for (const sides of dice.sides) drawn.push(yield* this.draw(sides, why));
    return drawn;
  }

  /** Goes to a target, and returns whether the run is then in an event. */
  *enter(target: string): Drawing<boolean> {
    const { file } = this.course;
    let to = target;
    for (let table = file.tables.get(to); table !== undefined; table = file.tables.get(to)) to = yield* this.rollOn(table);
    const event = file.events.get(to);
    const run = this.run ?? no("no run");
    if (event === undefined) {
      this.end("nothing");
      return false;
    }
    const { limit } = event;
    const used = this.state.used.get(to);
    const of = event.of === "side" || event.of === "both" ? event.of : this.setting(event.of);
    const counted = of === "both" ? [...(used?.values() ?? [])].reduce((sum, n) => sum + n, 0) : (used?.get(this.side) ?? 0);
    const why = !this.holds(event.when) ? "when" : limit !== null && counted + this.waitingIn(to) >= limit ? "limit" : null;
    if (why !== null) {
      const own = run.path.length === 0 && this.course.file.eachTurn.get(this.side)?.includes(to) === true;
      if (!own) this.tell(plain({ end: to, void: why }));
      return false;
    }
    run.path.push(to);
    run.event = to;
    run.step = 0;
    return true;
  }

  // 16
  private *rollOn({ name, dice, by, rows, modifiers, source }: Table): Drawing<string> {
    const drawn = yield* this.drawDice(dice, source === "user" ? name : `${name} (${source})`);
    const modifier = modifiers.filter(({ when }) => this.holds(when)).reduce((sum, { n }) => sum + n, 0);
    const number = by === null ? null : (by(this) ?? 0);
    const sum = sumOf(dice, drawn);
    const value = by === null ? Math.min(Math.max(sum + modifier, dice.least), dice.most) : sum;
    const at = number === null ? 0 : rows.findIndex(({ range }) => range !== null && number >= range.from && number <= range.to) + modifier;
    const row = rows[Math.min(Math.max(at, 0), rows.length - 1)];
    const [range, to] = row?.cells.find(([one]) => value >= one.from && value <= one.to) ?? no(`${name} has no row for ${value}`);
    this.tell(plain({ by: number, cell: range.text, dice: drawn, modifier, row: row?.range?.text ?? null, source, table: name, to, value }));
    return to;
  }

  *rollDie(name: string): Drawing<void> {
    const { dice, rows } = this.course.file.dice.get(name) ?? no(`there is no die ${name}`);
    const drawn = yield* this.drawDice(dice, name);
    const value = sumOf(dice, drawn);
    const word = rows?.find(([range]) => value >= range.from && value <= range.to)?.[1] ?? null;
    this.run?.values.set(name, word ?? value);
    this.tell(plain({ dice: drawn, die: name, value, word }));
  }

  *pickFrom(candidates: readonly string[], pool: readonly string[], register: string): Drawing<void> {
    const draw: number | null = pool.length === 1 ? null : yield* this.draw(pool.length, register);
    const picked = pool[(draw ?? 1) - 1] ?? no("nobody is there");
    this.run?.bound.set(register, picked);
    this.length += candidates.length + pool.length;
    this.tell(plain({ candidates, draw, picked, pool, register }));
  }

  /** Returns the decision that was made, or null if it still has to be asked for (18). */
  decided(by: By, ask: string, check: (value: Json) => boolean): Json | null {
    if (this.decision === undefined) return null;
    const value = check(this.decision) ? this.decision : no(`${ask}: this cannot be decided`);
    this.decision = undefined;
    this.tell(plain({ ask, by: this.who(by), value }));
    return value;
  }

  /** The decision that a wish makes (17). */
  wished(wish: Json): Json {
    const run = this.pending.runs[0] ?? this.pending.late[0] ?? no("no run");
    const step = this.course.file.events.get(run.event)?.steps[run.step ?? -1];
    if (step?.do === "word") return wish;
    if (step?.do !== "pool" && step?.do !== "choose") return no("no note makes this decision");
    this.run = run;
    const wished = list(wish, "a wish");
    if (wished.length < 1 || wished.length > 64 || !wished.every(isName) || !differ(wished)) return no("a wish is 1 to 64 different names");
    const allowed = this.candidates(step.kind, step.where).filter((one) => !run.picks.includes(one));
    const n = step.do === "choose" ? 1 : run.picks.length < step.enemy ? step.enemy : step.owner;
    const those = wished.filter((one) => allowed.includes(one)).slice(0, n);
    if (those.length < n) return no("too few of these are allowed");
    return step.do === "choose" ? (those[0] ?? null) : those;
  }

  setMark(kind: string | null, name: string | null, mark: string, value: number): void {
    const now = Math.min(Math.max(value, 0), 9999);
    if (kind === null || name === null) setIn<number>(this.state.own, this.state.marks, this.side, mark, now === 0 ? null : now);
    else setIn<Json>(this.state.own, this.state.entries, this.key(kind, name), mark, now === 0 ? null : now);
    this.tell(plain({ mark, on: name, value: now }));
  }

  raise(kind: string, entry: Entry, attribute: string): void {
    const type = this.course.file.kinds.get(kind)?.attributes.get(attribute);
    const words = type?.is === "words" ? type.words : [];
    const value = words[Math.min(words.findIndex((one) => one === entry.attribute(attribute)) + 1, words.length - 1)] ?? "";
    setIn<Json>(this.state.own, this.state.entries, this.key(kind, entry.name), attribute, value);
    this.tell(plain({ mark: attribute, on: entry.name, value }));
  }

  written(kind: string, name: string, ask: string): readonly string[] {
    const lines = this.state.entries.get(this.key(kind, name))?.get(ask);
    return isList(lines) ? lines.map(String) : [];
  }

  writeOnce(kind: string, name: string, ask: string, more: readonly string[]): void {
    if (more.length > 0) setIn<Json>(this.state.own, this.state.entries, this.key(kind, name), ask, [...this.written(kind, name, ask), ...more]);
  }

  kindOf(register: string): string {
    return this.course.file.registers.get(register) ?? "";
  }
}

/** Sets or removes the value under two keys. Empty inner maps are removed. */
function setIn<V>(own: Set<unknown>, map: Map<string, Map<string, V>>, key: string, inner: string, value: V | null): void {
  const there = map.get(key);
  const under = there !== undefined && own.has(there) ? there : new Map(there);
  own.add(under);
  if (value === null) under.delete(inner);
  else under.set(inner, value);
  if (under.size > 0) map.set(key, under);
  else map.delete(key);
}

function count1({ own, used }: State, event: string, side: string): void {
  setIn(own, used, event, side, (used.get(event)?.get(side) ?? 0) + 1);
}

/** Returns a copy of a run in the list, which may be changed. */
function ownRun(runs: Run[], at: number): Run {
  const run = runOf(runs[at] ?? no("no run"));
  runs[at] = run;
  return run;
}

const names = new WeakMap<readonly JsonObject[], ReadonlyMap<Json | undefined, JsonObject>>();

/** The entries of a roster by name. */
function byNameIn(those: readonly JsonObject[]): ReadonlyMap<Json | undefined, JsonObject> {
  const known = names.get(those) ?? new Map(those.map((one) => [field(one, "name"), one] as const));
  names.set(those, known);
  return known;
}

/** Longer logs are not kept for the whole audit. */
const SHORT = 4_096;

/** Returns the result of a step. A long log is cached while memory allows, and made again when it is needed. */
function told(first: Played, again: () => Result): Result {
  const { state, length } = first;
  if (length <= SHORT) return first;
  let kept = new WeakRef<Result>(first);
  const whole = (): Result => {
    const known = kept.deref() ?? again();
    kept = new WeakRef(known);
    return known;
  };
  return {
    state,
    get public() {
      return whole().public;
    },
    get story() {
      return whole().story ?? [];
    },
  };
}

/** What a step led to: the next step, another place, the end of the run, or a decision to wait for. */
type Went = "next" | "gone" | "end" | "asks";
type Steps = { readonly [D in Step["do"]]: (play: Play, step: Extract<Step, { readonly do: D }>, run: Run) => Drawing<Went> };

function areNames(value: Json, allowed: readonly string[], n: number): value is readonly string[] {
  return isList(value) && value.length === n && differ(value) && value.every((one) => allowed.some((name) => name === one));
}

/** One function for each kind of step (8, 19, 33 to 36). */
const STEPS: Steps = {
  *pick(play, { kind, where, as, optional }) {
    const candidates = play.candidates(kind, where);
    if (candidates.length === 0) return optional ? "next" : play.end("nobody");
    yield* play.pickFrom(candidates, candidates, as);
    return "next";
  },

  *pool(play, { kind, where, as, enemy, owner, ask }, run) {
    const candidates = play.candidates(kind, where);
    if (candidates.length === 0) return play.end("nobody");
    let pool: readonly string[] = candidates;
    if (candidates.length > enemy + owner) {
      for (const [by, until] of [["enemy", enemy], ["owner", enemy + owner]] as const) {
        if (run.picks.length >= until) continue;
        const n = until - run.picks.length;
        const allowed = candidates.filter((one) => !run.picks.includes(one));
        const value = play.decided(by, `${ask}-${by}`, (one) => areNames(one, allowed, n));
        if (value === null) return "asks";
        run.picks.push(...(value as readonly string[]));
      }
      pool = candidates.filter((one) => run.picks.includes(one));
      if (pool.length === 0) return play.end("nobody");
    }
    yield* play.pickFrom(candidates, pool, as);
    run.picks = [];
    return "next";
  },

  *choose(play, { kind, where, as, optional, by, ask }, run) {
    const candidates = play.candidates(kind, where);
    if (candidates.length === 0) return optional ? "next" : play.end("nobody");
    if (candidates.length === 1) {
      yield* play.pickFrom(candidates, candidates, as);
      return "next";
    }
    const value = play.decided(by, ask, (one) => candidates.some((name) => name === one));
    if (value === null) return "asks";
    run.bound.set(as, String(value));
    return "next";
  },

  *word(play, { of, by, ask }, run) {
    const value = play.decided(by, ask, (one) => of.some((word) => word === one));
    if (value === null) return "asks";
    run.values.set(ask, String(value));
    return "next";
  },

  *write(play, { by, ask, parts, least, most, once }, run) {
    const kind = once === null ? "" : play.kindOf(once);
    const on = once === null ? null : run.bound.get(once);
    if (on === undefined) return "next";
    const before = on === null ? [] : play.written(kind, on, ask);
    const firsts = (lines: Json): string[] => (isList(lines) ? lines.map((line) => String(isList(line) ? line[0] : "")) : []);
    const value = play.decided(by, ask, (lines) =>
      isList(lines) && lines.length >= least && lines.length <= most && lines.every((line) => isList(line) && line.length === parts && line.every(isWritten) && ((parts === 1 && most === 1) || isApart(line))) && differ([...before, ...firsts(lines)]),
    );
    if (value === null) return "asks";
    if (on !== null) play.writeOnce(kind, on, ask, firsts(value));
    return "next";
  },

  *roll(play, { die }) {
    yield* play.rollDie(die);
    return "next";
  },

  *go(play, { to }) {
    return (yield* play.enter(to)) ? "gone" : "end";
  },

  *need(play, { kind, where }) {
    return play.candidates(kind, where).length > 0 ? "next" : play.end("nobody");
  },

  *stop(play) {
    return play.end("stop");
  },

  *mark(play, { mark, on, set, amount }, run) {
    const entry = on === null ? null : play.register(on);
    const value = amount(play);
    if ((on !== null && entry === null) || value === null) return "next";
    const before = entry === null ? play.mark(mark) : entry.mark(mark);
    play.setMark(on === null ? null : play.kindOf(on), entry === null ? null : (run.bound.get(on ?? "") ?? null), mark, set ? value : before + value);
    return "next";
  },

  *raise(play, { on, attribute }) {
    const entry = play.register(on);
    if (entry !== null) play.raise(play.kindOf(on), entry, attribute);
    return "next";
  },

  *tell() {
    return "next";
  },
};

/** The one roll of a declaration. The next draw is asked for after each die, so a play is kept and continued. */
function rollOf(begin: () => Play, ends: (drawn: readonly number[], result: Played) => void): Roll {
  let kept: { readonly drawn: readonly number[]; readonly drawing: Drawing<Played>; ask: Ask | null; fed: number } | null = null;
  return {
    why: "events",
    index: 0,
    line: 1,
    cell: null,
    next(drawn) {
      if (kept === null || kept.drawn !== drawn || kept.fed > drawn.length) {
        const drawing = begin().all();
        const first = drawing.next();
        if (first.done === true) ends([], first.value);
        kept = { drawn, drawing, ask: first.done === true ? null : first.value, fed: 0 };
      }
      while (kept.fed < drawn.length && kept.ask !== null) {
        const next = kept.drawing.next(drawn[kept.fed++] ?? 1);
        if (next.done === true) ends(drawn.slice(0, kept.fed), next.value);
        kept.ask = next.done === true ? null : next.value;
      }
      const { ask } = kept;
      if (ask === null) kept = null;
      return ask;
    },
  };
}

function readSettings(file: EventFile, settings: JsonObject): Settings {
  exactly(settings, ["sides", "first", ...file.settings.keys()], "the settings");
  const { roles, first } = readSide(file, settings);
  const values = new Map<string, Value>();
  for (const [name, { type }] of file.settings) {
    const value = field(settings, name);
    if (!isOfType(value, type)) return no(`${name} is none of its values`);
    values.set(name, value);
  }
  const days = file.days.map((name) => Number(values.get(name)));
  if (days.some((day, i) => day < (days[i - 1] ?? 0))) no("the days begin one after the other");
  return { roles, first, values };
}

class EventSystem implements System {
  readonly course: Events;

  constructor(file: EventFile, settings: Settings) {
    this.course = new Events(file, settings);
  }

  read(written: JsonObject): Reading {
    const canonical = this.course.readAnyone(written);
    return {
      canonical,
      forRedo: canonical,
      // The dice depend on the state (courses 3).
      rolls: [{ why: "events", index: 0, line: 1, cell: null, next: () => null }],
      opened: [0],
      cells: [],
      select: () => plain({ plain: { index: 0, lines: 1 } }),
      outcome: () => no("what it comes to follows from the state"),
    };
  }
}

const files = new WeakMap<object, EventFile>();

function fileOf(tables: JsonObject): EventFile {
  const table = field(tables, "event-tables");
  const known = isObject(table) ? files.get(table) : undefined;
  const file = known ?? new EventFile(table);
  if (isObject(table)) files.set(table, file);
  return file;
}

export const EventTables = {
  source: "plain" as const,
  prefill(tables: JsonObject): JsonObject {
    return makeObject([...fileOf(tables).settings].flatMap(([name, { prefill }]) => (prefill === null ? [] : [[name, prefill] as const])));
  },
  make(settings: JsonObject, tables: JsonObject): System {
    const file = fileOf(tables);
    return new EventSystem(file, readSettings(file, settings));
  },
};
