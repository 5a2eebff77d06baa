/** cil.md: battles with simultaneous orders, as a course (2, 9, 21 to 25). */
import { readOrders, type RoundOrders } from "./cil-orders.js";
import { Round, type RoundResult } from "./cil-round.js";
import { ENGAGEMENTS, hasLiving, PREFILL, readState, SIDES, Terms, type Force, type Side, type Sides, type State, type Unit } from "./cil-terms.js";
import type { Awaits, Course, Step, Turn, Violation } from "./course.js";
import { field, isObject, makeObject, plain, type Json, type JsonObject } from "./json.js";
import type { Ask, Roll } from "./roll.js";
import { no } from "./rule-shape.js";
import type { Reading, System } from "./system.js";

type Casualties = ReadonlyMap<string, number>;

function json(value: unknown): JsonObject {
  const made = plain(value);
  return isObject(made) ? made : makeObject([]);
}

function sum(a: Casualties, b: Casualties): Casualties {
  const all = new Map(a);
  for (const [id, n] of b) all.set(id, (all.get(id) ?? 0) + n);
  return all;
}

/** The dice that a line needs, one at a time. Asking from the beginning again restarts it. */
class Line {
  private dice: Generator<Ask, void, number> | null = null;
  private taken = 0;
  private ask: Ask | null = null;
  done = false;

  constructor(private readonly begin: () => Generator<Ask, void, number>) {}

  next(drawn: readonly number[]): Ask | null {
    if (this.dice === null || drawn.length < this.taken) {
      this.dice = this.begin();
      this.taken = 0;
      this.done = false;
      this.keep(this.dice.next());
    }
    for (; this.taken < drawn.length && !this.done; this.taken++) this.keep(this.dice.next(drawn[this.taken] ?? 0));
    return this.ask;
  }

  private keep({ done = false, value }: IteratorResult<Ask, void>): void {
    this.done = done;
    this.ask = done || value === undefined ? null : value;
  }
}

/** The second line begins after the first has ended (cil 9). */
function rollsOf(begin: () => Round): readonly Roll[] {
  let round: Round | null = null;
  const combat = new Line(() => (round = begin()).combat());
  const assault = new Line(function* () {
    if (round !== null && combat.done) yield* round.assault();
  });
  return [combat, assault].map((line, i) => ({ why: i === 0 ? "Combat Phase" : "Assault Combat Phase", index: 0, line: i + 1, cell: null, next: (drawn) => line.next(drawn) }));
}

/** The complete result of a round from its dice. */
function fought(round: Round, draws: readonly (readonly number[])[]): RoundResult {
  [round.combat(), round.assault()].forEach((dice, i) => {
    let at = 0;
    for (let asked = dice.next(); asked.done !== true; asked = dice.next(draws[i]?.[at++] ?? 0));
  });
  return round.end();
}

class Battles implements Course {
  readonly players: readonly string[];
  readonly places = 1;
  readonly begins: JsonObject;
  readonly takesOrders = true;
  readonly declaredBy = "charter";

  constructor(private readonly terms: Terms) {
    this.players = terms.players;
    const { attacker, forces, season } = terms.settings;
    this.begins = json(terms.battle(1, attacker, forces, season, 0));
  }

  checkState(value: Json): JsonObject {
    return json(this.terms.checkState(value));
  }

  awaits(value: JsonObject): Awaits {
    const pending = field(value, "pending");
    if (isObject(pending)) return { is: "decision", by: String(field(pending, "by")), name: String(field(pending, "awaits")) };
    return { is: "turn", by: null, turn: Number(field(value, "turn")) + 1, place: 0 };
  }

  turn(value: JsonObject, input: JsonObject): Turn {
    const state = readState(value);
    if (state.pending !== null) return no("something is to be decided first");
    const { settings } = this.terms;
    const round = (orders: RoundOrders): Round => new Round(this.terms, state, orders);
    return {
      canonical: readInput(input),
      rolls: (notes) => {
        const orders = readOrders(settings, state, notes);
        return rollsOf(() => round(orders));
      },
      after: (draws, notes) => this.after(state, readOrders(settings, state, notes), draws, round),
    };
  }

  private after(state: State, orders: RoundOrders, draws: readonly (readonly number[])[], begin: (orders: RoundOrders) => Round): Step {
    const result = fought(begin(orders), draws);
    const { units, overrun, engagements, casualties } = result;
    let battle = state.ledger.battle;
    for (const one of casualties) battle = { attacker: sum(battle.attacker, one.attacker), defender: sum(battle.defender, one.defender) };
    const after: State = {
      ...state,
      engagements,
      ledger: { battle, day: [...state.ledger.day, ...casualties] },
      overrun,
      round: state.round + 1,
      turn: state.turn + 1,
      units,
    };
    // cil 21
    const ended = SIDES.every((side) => hasLiving(units[side])) ? (casualties.length === 0 || engagements >= ENGAGEMENTS[state.season] ? "day" : null) : "battle";
    const { state: next, recovered } = ended === "battle" ? this.ended(after) : { state: ended === null ? after : { ...after, pending: { awaits: "night" as const, by: state.attacker, proposal: null } }, recovered: new Map() };
    const refused: Violation[] = orders.refused.map(({ author, entry, why }) => ({ by: author, text: `cil 6: ${entry}: ${why}` }));
    return {
      state: json(next),
      public: json({ ...result.public, battle: state.battle, day: state.day, ended, engagements, recovered, refused: orders.refused, round: state.round + 1 }),
      violations: refused,
    };
  }

  /** Recovers strength, and takes the defender's choice of the next battle (cil 24). */
  private ended(state: State): { readonly state: State; readonly recovered: Casualties } {
    const recovered = new Map<string, number>();
    const back = (side: Side): Force =>
      state.units[side].map((unit): Unit => {
        const n = Math.floor(((state.ledger.battle[side].get(unit.id) ?? 0) * this.terms.settings.recover_pct) / 100);
        if (n > 0) recovered.set(unit.id, n);
        return { ...unit, strength: unit.strength + n };
      });
    const units: Sides<Force> = { attacker: back("attacker"), defender: back("defender") };
    return { state: { ...state, overrun: { attacker: [], defender: [] }, pending: { awaits: "battle", by: state.defender, proposal: null }, units }, recovered };
  }

  // cil 22, 23
  decide(value: JsonObject, name: string, chosen: Json): Step {
    const state = readState(value);
    const { pending } = state;
    if (pending === null || pending.awaits !== name) return no(`no decision ${name} is awaited`);
    const { by, proposal } = pending;
    const step = (next: State, recovered: Casualties | null = null): Step => ({ state: json(next), public: json({ by, ended: recovered === null ? null : "battle", name, recovered: recovered ?? {} }) });
    switch (pending.awaits) {
      case "night": {
        if (chosen === "on") return step({ ...state, day: state.day + 1, engagements: 0, ledger: { ...state.ledger, day: [] }, pending: null });
        if (chosen !== "end") return no("the night is on or end");
        if (by === state.attacker) return step({ ...state, pending: { ...pending, by: state.defender } });
        const { state: next, recovered } = this.ended(state);
        return step(next, recovered);
      }
      case "battle":
        return step({ ...state, pending: { awaits: "agree", by: this.terms.other(by), proposal: this.terms.proposal(chosen) } });
      case "agree": {
        if (chosen === false) return step({ ...state, pending: { awaits: "battle", by, proposal: null } });
        if (chosen !== true || proposal === null) return no("it is true or false");
        return step(this.terms.battle(state.battle + 1, proposal.attacker, proposal.forces, proposal.season, state.turn));
      }
    }
  }
}

/** An input without choices (cil 9). */
function readInput(input: JsonObject): JsonObject {
  return Object.keys(input).length === 0 ? input : no("the input is empty: orders are sealed");
}

class BattlesSystem implements System {
  readonly course: Course;

  constructor(terms: Terms) {
    this.course = new Battles(terms);
  }

  read(written: JsonObject): Reading {
    const canonical = readInput(written);
    return {
      canonical,
      forRedo: canonical,
      // The dice depend on the state and the orders (courses 3, 18).
      rolls: [1, 2].map((line) => ({ why: "", index: 0, line, cell: null, next: () => null })),
      opened: [0],
      cells: [],
      select: () => plain({ plain: { index: 0, lines: 2 } }),
      outcome: () => no("what it comes to follows from the state"),
    };
  }
}

export const CastIronLife = {
  source: "plain" as const,
  prefill: () => makeObject(Object.entries(PREFILL)),
  make(settings: JsonObject, tables: JsonObject): System {
    return new BattlesSystem(new Terms(settings, tables));
  },
};
