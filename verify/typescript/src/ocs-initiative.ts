/** ocs-initiative.md: who goes first in a turn. */
import { among, exactly } from "./coin-envelopes.js";
import type { Awaits, Course, Step, Turn } from "./course.js";
import { field, isList, isObject, makeObject, plain, sameJson, type Json, type JsonObject } from "./json.js";
import { LIMITS } from "./limits.js";
import { refuse } from "./refusal.js";
import type { Ask } from "./roll.js";
import type { Reading, System } from "./system.js";

const ORDERS = ["first", "second"] as const;
type Order = (typeof ORDERS)[number];

interface Settings {
  readonly sides: readonly [string, string];
  readonly first_player: string | null;
  readonly flux_holder: "first_mover" | "winner";
  readonly pop_then_second: boolean;
}

// ocs 7
interface Input {
  readonly markers: readonly string[];
  readonly order: Order | null;
  readonly pop: { readonly at_most: number; readonly from: readonly string[] } | null;
}

// ocs 13
interface Pending {
  readonly awaits: "pop" | "order";
  readonly by: string;
  readonly deficit: number;
  /** The value in the input, while the pop is awaited. */
  readonly order: Order | null;
  readonly popped: readonly string[];
}

// ocs 4
interface State {
  readonly bar: readonly string[];
  readonly first: string | null;
  readonly flux: boolean;
  readonly holder: string | null;
  readonly markers: readonly string[];
  readonly pending: Pending | null;
  readonly returning: readonly string[];
  readonly turn: number;
}

/** The turn in progress. */
interface Under {
  readonly state: State;
  readonly deficit: number;
  readonly popped: readonly string[];
  /** The order that the declarer chose in the input. */
  readonly order: Order | null;
  readonly returned: readonly string[];
  readonly rounds: readonly (readonly number[])[];
}

function no(what: string): never {
  return refuse("rule", what);
}

function json(value: unknown): JsonObject {
  const made = plain(value);
  return isObject(made) ? made : makeObject([]);
}

function orderOf(value: Json | undefined): Order | null {
  return value === null ? null : among(value, ORDERS, "an order");
}

// ocs 2
function names(value: Json | undefined, what: string): string[] {
  if (!isList(value)) return no(`${what} are no list`);
  if (value.length > LIMITS.list) no(`${what} are more than ${LIMITS.list}`);
  const read = value.map((one) => (typeof one === "string" && /^(?!none$)[A-Za-z0-9-]{1,32}$/.test(one) ? one : no("a marker has a name of letters, digits and hyphens, and is not called none")));
  return new Set(read).size === read.length ? read : no(`one of ${what} stands twice`);
}

function sorted(markers: readonly string[]): string[] {
  return [...markers].sort();
}

function without(markers: readonly string[], those: readonly string[]): string[] {
  return markers.filter((one) => !those.includes(one));
}

function total(draws: readonly number[], from: number): number {
  return (draws[from] ?? 0) + (draws[from + 1] ?? 0);
}

const ROUND = 4;

class Initiative implements Course {
  readonly players: readonly string[];
  readonly places = 1;
  readonly begins: JsonObject;

  constructor(private readonly settings: Settings) {
    this.players = settings.sides;
    // ocs 5
    const { first_player: first } = settings;
    const begins: State = { bar: [], first, flux: first === null, holder: first, markers: [], pending: null, returning: [], turn: first === null ? 0 : 1 };
    this.begins = json(begins);
  }

  private other(role: string): string {
    const [a, b] = this.settings.sides;
    return role === a ? b : a;
  }

  // ocs 6
  private declarer(state: State): string {
    return state.holder ?? this.settings.sides[0];
  }

  private read(state: JsonObject): State {
    return state as unknown as State;
  }

  checkState(value: Json): JsonObject {
    const fields = exactly(value, Object.keys(this.begins), "a state");
    const side = (role: Json | undefined): string | null => (role === null ? null : among(role, this.players, "a side"));
    const flag = (one: Json | undefined): boolean => (typeof one === "boolean" ? one : no("Flux is true or false"));
    const count = (one: Json | undefined): number => (typeof one === "number" && one >= 0 ? one : no("this is no number"));
    const list = (one: Json | undefined): string[] => names(one, "the markers");
    const pendingOf = (one: Json | undefined): Pending | null => {
      if (one === null) return null;
      const read = exactly(one, ["awaits", "by", "deficit", "order", "popped"], "what is awaited");
      return {
        awaits: among(field(read, "awaits"), ["pop", "order"], "what is awaited"),
        by: among(field(read, "by"), this.players, "a side"),
        deficit: count(field(read, "deficit")),
        order: orderOf(field(read, "order")),
        popped: list(field(read, "popped")),
      };
    };
    const state: State = {
      bar: list(field(fields, "bar")),
      first: side(field(fields, "first")),
      flux: flag(field(fields, "flux")),
      holder: side(field(fields, "holder")),
      markers: list(field(fields, "markers")),
      pending: pendingOf(field(fields, "pending")),
      returning: list(field(fields, "returning")),
      turn: count(field(fields, "turn")),
    };
    const { bar, markers, pending, returning } = state;
    for (const one of [bar, markers, returning, pending?.popped ?? []]) if (!sameJson(sorted(one), one)) no("markers ascend");
    const inPlay = names([...bar, ...markers], "the markers");
    if (returning.length > 0 && (inPlay.length > 0 || pending !== null)) no("nothing is on its way back");
    if (state.flux !== (state.holder === null)) no("the turn is in Flux exactly where nobody holds");
    if (state.flux && bar.length + markers.length > 0) no("in Flux nobody has markers");
    if (state.turn < (this.settings.first_player === null ? 0 : 1) || state.turn > 9999) no("there is no such turn");
    if ((state.first === null) !== (pending !== null || state.turn === 0)) no("who goes first is said once the turn is settled");
    if (pending !== null) this.checkPending(state, pending);
    return json(state);
  }

  // ocs 13
  private checkPending(state: State, { awaits, by, deficit, order, popped }: Pending): void {
    if (state.turn === 0) no("a decision is about a turn under way");
    if (deficit > 10) no("two dice are never so far behind two");
    if (awaits === "pop") {
      if (by !== state.holder || deficit < 1 || deficit > state.markers.length || popped.length > 0) no("the holder is asked for markers that he has");
    } else if (order !== null || !popped.every((one) => state.bar.includes(one))) no("who orders has not yet, and what was popped is on the Bar");
  }

  awaits(value: JsonObject): Awaits {
    const state = this.read(value);
    const { pending } = state;
    return pending === null ? { is: "turn", by: this.declarer(state), turn: state.turn + 1, place: 0 } : { is: "decision", by: pending.by, name: pending.awaits };
  }

  // ocs 7
  turn(value: JsonObject, written: JsonObject): Turn {
    const before = this.read(value);
    const input = readInput(written);
    if (before.pending !== null) return no("the turn before is not settled");
    if (before.flux && (input.markers.length > 0 || input.pop !== null)) no("in a Flux turn nobody has markers");
    if (input.markers.some((one) => before.bar.includes(one))) no("a marker on the Bar is not in play");
    if (input.markers.length + before.bar.length > LIMITS.list) no(`in play and on the Bar are more than ${LIMITS.list} markers`);
    const a = this.declarer(before);
    const b = this.other(a);
    return {
      canonical: json(input),
      rolls: () => [{ why: "initiative", index: 0, line: 1, cell: null, next: (drawn) => this.next(before, a, b, drawn) }],
      after: (draws) => this.rolled(before, input, a, b, draws[0] ?? []),
    };
  }

  // ocs 8
  private next(before: State, a: string, b: string, drawn: readonly number[]): Ask | null {
    const at = drawn.length % ROUND;
    if (at === 0 && drawn.length > 0) {
      const last = drawn.length - ROUND;
      if (!before.flux || total(drawn, last) !== total(drawn, last + 2)) return null;
    }
    return { sides: 6, why: `initiative, ${at < 2 ? a : b}` };
  }

  private rolled(before: State, input: Input, a: string, b: string, drawn: readonly number[]): Step {
    const rounds = Array.from({ length: drawn.length / ROUND }, (_, i) => drawn.slice(i * ROUND, (i + 1) * ROUND));
    const ahead = total(drawn, drawn.length - ROUND) - total(drawn, drawn.length - 2);
    const state: State = { ...before, first: null, markers: input.markers, returning: [], turn: before.turn + 1 };
    const under: Under = { state, deficit: before.flux ? 0 : Math.max(0, -ahead), popped: [], order: input.order, returned: before.returning, rounds };
    // ocs 9
    if (before.flux) return this.control(under, ahead > 0 ? a : b);
    const k = under.deficit;
    if (k === 0) return this.control(under, a);
    if (input.pop !== null) return k <= input.pop.at_most && k <= input.pop.from.length ? this.pop(under, a, input.pop.from.slice(0, k)) : this.control(under, b);
    return k <= input.markers.length ? this.ask(under, "pop", a, null) : this.control(under, b);
  }

  private pop(under: Under, holder: string, markers: readonly string[]): Step {
    const popped = sorted(markers);
    const state = { ...under.state, bar: sorted([...under.state.bar, ...popped]), markers: without(under.state.markers, popped) };
    const then = { ...under, state, popped };
    return this.settings.pop_then_second ? this.control(then, holder) : this.settle(then, holder, "first");
  }

  /** The controlling player chooses who goes first, or has chosen already (ocs 11). */
  private control(under: Under, by: string): Step {
    const order = by === this.declarer(under.state) ? under.order : null;
    return order === null ? this.ask({ ...under, order }, "order", by, by) : this.settle(under, by, order);
  }

  private ask(under: Under, awaits: Pending["awaits"], by: string, controller: string | null): Step {
    const { deficit, order, popped } = under;
    return this.step(under, { ...under.state, pending: { awaits, by, deficit, order, popped } }, controller);
  }

  // ocs 12
  private settle(under: Under, by: string, order: Order): Step {
    const { state, popped } = under;
    const { holder, bar } = state;
    const first = order === "first" ? by : this.other(by);
    const next = ((): Pick<State, "holder" | "flux"> => {
      if (holder === null) return { holder: this.settings.flux_holder === "winner" ? by : first, flux: false };
      if (by === holder) return { holder: first, flux: false };
      return order === "first" ? { holder: null, flux: true } : { holder, flux: false };
    })();
    const stays = by === holder && order === "first";
    const settled: State = {
      ...state,
      ...next,
      first,
      pending: null,
      bar: stays ? bar : [],
      markers: next.holder === holder ? state.markers : [],
      returning: stays ? [] : popped,
    };
    return this.step({ ...under, returned: stays ? under.returned : sorted([...under.returned, ...without(bar, popped)]) }, settled, by);
  }

  // ocs 14
  private step({ deficit, popped, returned, rounds }: Under, state: State, controller: string | null): Step {
    return { state: json(state), public: json({ controller, deficit, first: state.first, popped, returned, rounds }) };
  }

  // ocs 10, 11
  decide(value: JsonObject, name: string, chosen: Json): Step {
    const state = this.read(value);
    const { pending } = state;
    if (pending === null || pending.awaits !== name) return no(`no decision ${name} is awaited`);
    const { by, deficit, order, popped } = pending;
    const under: Under = { state: { ...state, pending: null }, deficit, popped, order, returned: [], rounds: [] };
    if (name === "order") return this.settle(under, by, among(chosen, ORDERS, "an order"));
    const markers = names(chosen, "the markers");
    if (markers.length === 0) return this.control(under, this.other(by));
    if (markers.length !== deficit || !markers.every((one) => state.markers.includes(one))) no(`he pops ${deficit} of his markers, or none`);
    return this.pop(under, by, markers);
  }
}

/** Reads an input, canonical or not. Absent fields are empty. */
function readInput(written: JsonObject): Input {
  const whole = exactly(makeObject([["markers", []], ["order", null], ["pop", null], ...Object.entries(written)]), ["markers", "order", "pop"], "the input");
  const markers = sorted(names(field(whole, "markers"), "the markers"));
  const order = orderOf(field(whole, "order"));
  const pop = field(whole, "pop") ?? null;
  if (pop === null) return { markers, order, pop };
  const read = exactly(pop, ["at_most", "from"], "what he would pop");
  const most = field(read, "at_most");
  if (typeof most !== "number" || most < 0 || most > LIMITS.list) return no(`he pops 0 to ${LIMITS.list} markers`);
  const from = names(field(read, "from"), "the markers");
  if (!from.every((one) => markers.includes(one))) no("he pops what he declares");
  return { markers, order, pop: { at_most: most, from } };
}

function readSettings(settings: JsonObject): Settings {
  const read = exactly(settings, ["first_player", "flux_holder", "pop_then_second", "sides"], "the settings");
  const sides = field(read, "sides");
  if (!isList(sides) || sides.length !== 2) return no("the sides are two");
  const [a, b] = sides;
  if (typeof a !== "string" || typeof b !== "string" || a === b) return no("the sides are two roles, and differ");
  const first = field(read, "first_player") ?? null;
  const variant = field(read, "pop_then_second");
  if (typeof variant !== "boolean") return no("the variant is played or not");
  return {
    sides: [a, b],
    first_player: first === null ? null : among(first, [a, b], "the first player"),
    flux_holder: among(field(read, "flux_holder"), ["first_mover", "winner"], "the holder after Flux"),
    pop_then_second: variant,
  };
}

class InitiativeSystem implements System {
  readonly course: Course;

  constructor(settings: Settings) {
    this.course = new Initiative(settings);
  }

  read(written: JsonObject): Reading {
    const canonical = json(readInput(written));
    return {
      canonical,
      forRedo: canonical,
      // The dice depend on the state (courses 3).
      rolls: [{ why: "initiative", index: 0, line: 1, cell: null, next: () => null }],
      opened: [0],
      cells: [],
      select: () => plain({ plain: { index: 0, lines: 1 } }),
      outcome: () => no("what it comes to follows from the state"),
    };
  }
}

export const OcsInitiative = {
  source: "plain" as const,
  prefill: () => makeObject([["flux_holder", "first_mover"], ["pop_then_second", false]]),
  make(settings: JsonObject): System {
    return new InitiativeSystem(readSettings(settings));
  },
};
