/**
 * ndc.md: the public part of a game of NATO Division Commander (5 to 12). This checker follows such a course, but does not run it from the
 * sheets: it has no hands, look-ups or dice (13 to 26).
 */
import type { Awaits, Course, Step, Turn } from "./course.js";
import { isObject, makeObject, plain, type Json, type JsonObject } from "./json.js";
import { Inputs, type Attack, type CounterBattery, type Defend, type Fire, type Fought, type Input, type Interdiction, type Move, type Report } from "./ndc-input.js";
import { PREFILL, readSettings, type Settings } from "./ndc-settings.js";
import { checkTables } from "./ndc-tables.js";
import type { Roll } from "./roll.js";
import { no } from "./rule-shape.js";
import type { Reading, System } from "./system.js";

type ByRole<T> = Readonly<Record<string, T>>;
interface Spent {
  readonly fire: number;
  readonly support: number;
}

// ndc 5
interface State {
  readonly awaits: { readonly by: string; readonly step: Input["step"] };
  readonly chemicals: ByRole<number>;
  readonly combats: readonly (Attack | CounterBattery)[];
  readonly contacts: ByRole<JsonObject>;
  readonly defended: readonly (Fire | null)[] | null;
  readonly intelligence: ByRole<Json>;
  readonly interdictions: readonly Interdiction[];
  readonly markers: { readonly breakthrough: readonly string[]; readonly gas: readonly string[] };
  readonly paths: ByRole<readonly string[]>;
  readonly phasing: string;
  readonly segment: number;
  readonly spent: ByRole<Spent>;
  readonly turn: number;
  readonly weather: readonly string[];
}

const MOST_INTERDICTIONS = 64;
const MOST_SEGMENTS = 64;

function json(value: unknown): JsonObject {
  const made = plain(value);
  return isObject(made) ? made : makeObject([]);
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])].sort();
}

function sum(of: readonly number[]): number {
  return of.reduce((all, one) => all + one, 0);
}

function isAttack(one: Attack | CounterBattery): one is Attack {
  return one.kind === "attack";
}

class Division implements Course {
  readonly players: readonly string[];
  readonly places = 1;
  readonly begins: JsonObject;
  readonly hidden: { readonly sheetBytes: number };
  private readonly rolls: readonly Roll[];

  constructor(
    private readonly settings: Settings,
    private readonly inputs: Inputs,
  ) {
    const { first, second } = settings;
    this.players = [first, second];
    this.hidden = { sheetBytes: settings.sheetBytes };
    this.rolls = rollsOf(settings);
    const both = <T>(value: T): ByRole<T> => ({ [first]: value, [second]: value });
    const begins: State = {
      awaits: { by: first, step: "setup" },
      chemicals: both(0),
      combats: [],
      contacts: both(makeObject([])),
      defended: null,
      intelligence: both(null),
      interdictions: [],
      markers: { breakthrough: [], gas: [] },
      paths: {},
      phasing: first,
      segment: 0,
      spent: both({ fire: 0, support: 0 }),
      turn: 1,
      weather: [],
    };
    this.begins = json(begins);
  }

  private read(state: JsonObject): State {
    return state as unknown as State;
  }

  // hidden 1
  checkState(): JsonObject {
    return no("a case of a hidden course is none of these");
  }

  decide(): Step {
    return no("nothing is decided in a hidden course");
  }

  // ndc 5
  awaits(value: JsonObject): Awaits {
    const { awaits, segment, turn } = this.read(value);
    const { by, step } = awaits;
    const { first } = this.settings;
    const begins = by === first && (step === "setup" || (step === "move" && segment === 1 && turn > 1));
    return { is: begins ? "turn" : "more", by, turn, place: 0 };
  }

  turn(value: JsonObject, written: JsonObject): Turn {
    const before = this.read(value);
    const input = this.inputs.read(written);
    const by = before.awaits.by;
    if (input.step !== before.awaits.step) no(`a ${before.awaits.step} is awaited, no ${input.step}`);
    const state = json(this.after(before, input, by));
    return { canonical: written, rolls: () => this.rolls, after: () => ({ state, public: makeObject([]) }) };
  }

  /** The state after a declaration. Refuses what the earlier state forbids (declare 15). */
  private after(before: State, input: Input, by: string): State {
    const shown: State = { ...before, contacts: { ...before.contacts, [by]: json(input.contacts) } };
    switch (input.step) {
      case "setup":
        return this.setUp(shown, input.intelligence, by);
      case "move":
        return this.moved(shown, input, by);
      case "defend":
        return this.defended(shown, input, by);
      case "report":
        return this.reported(shown, input, by);
    }
  }

  /** The awaited declaration, or `null`. */
  private kept<T>(stated: T | null, due: boolean, old: T, what: string): T {
    if ((stated !== null) !== due) no(due ? `${what} is missing` : `${what} is not stated now`);
    return stated ?? old;
  }

  // ndc 7
  private setUp(state: State, intelligence: { readonly level: number; readonly sectors: readonly string[] } | null, by: string): State {
    const { first, second } = this.settings;
    const level = this.kept<unknown>(intelligence, by === second, state.intelligence[by], "the level of intelligence");
    const next = { ...state, intelligence: { ...state.intelligence, [by]: plain(level) } };
    return by === first ? { ...next, awaits: { by: second, step: "setup" } } : { ...next, awaits: { by: first, step: "move" }, segment: 1 };
  }

  // ndc 8, 9
  private moved(state: State, input: Move, by: string): State {
    const { first } = this.settings;
    const begins = state.segment === 1;
    const { combats, interdictions, paths } = input;
    const gathered = [...state.interdictions, ...interdictions];
    if (gathered.length > MOST_INTERDICTIONS) no(`there are more than ${MOST_INTERDICTIONS} interdictions in a player turn`);
    const barrages = combats.map((one) => (isAttack(one) ? one.barrage : 0));
    const fires = [...combats.filter((one) => !isAttack(one)), ...interdictions].map((one) => ("points" in one ? one.points : 0));
    const spent = state.spent[by] ?? { fire: 0, support: 0 };
    const next: State = {
      ...state,
      combats,
      intelligence: { ...state.intelligence, [by]: plain(this.kept<unknown>(input.intelligence, begins, state.intelligence[by], "the level of intelligence")) },
      interdictions: gathered,
      paths: Object.fromEntries(paths),
      spent: { ...state.spent, [by]: { fire: spent.fire + sum(fires), support: spent.support + sum(barrages) } },
      weather: this.kept(input.weather, begins && by === first, state.weather, "the weather"),
    };
    const answers = this.settings.other(by);
    if (state.segment === MOST_SEGMENTS && combats.length + interdictions.length > 0) no(`the move of segment ${MOST_SEGMENTS} is the last`);
    if (combats.length === 0 && interdictions.length === 0) return this.overFor(next, by, answers);
    return { ...next, awaits: { by: answers, step: this.settings.waits && combats.length > 0 ? "defend" : "report" } };
  }

  /** A move without combat needs no answer, so the player turn is over (ndc 9). */
  private overFor(state: State, by: string, other: string): State {
    const spent = { fire: 0, support: 0 };
    return {
      ...state,
      awaits: { by: other, step: "move" },
      interdictions: [],
      markers: { breakthrough: [], gas: [] },
      paths: {},
      phasing: other,
      segment: 1,
      spent: { [by]: spent, [other]: spent },
      turn: by === this.settings.second ? state.turn + 1 : state.turn,
    };
  }

  private checkCount(state: State, said: readonly unknown[]): void {
    if (said.length !== state.combats.length) no(`the move has ${state.combats.length} combats, not ${said.length}`);
  }

  // ndc 10
  private defended(state: State, { combats }: Defend, by: string): State {
    this.checkCount(state, combats);
    state.combats.forEach((one, i) => {
      if (isAttack(one) !== (combats[i] !== null)) no(`entry ${i + 1} is of another kind than the move's`);
    });
    return { ...state, awaits: { by, step: "report" }, defended: combats };
  }

  // ndc 11
  private reported(state: State, { combats, halts }: Report, by: string): State {
    this.checkCount(state, combats);
    const halted = new Set<string>();
    for (const { contact, hex } of halts) {
      const path = Object.hasOwn(state.paths, contact) ? state.paths[contact] : undefined;
      if (path === undefined || !path.slice(0, -1).includes(hex)) no(`${contact} has not gone through ${hex}`);
      halted.add(contact);
    }
    const mover = this.settings.other(by);
    const chemicals = { ...state.chemicals };
    const count = (role: string, used: string): void => {
      if (used !== "none") chemicals[role] = (chemicals[role] ?? 0) + 1;
    };
    const gas: string[] = [];
    const breakthrough: string[] = [];
    let support = 0;
    state.combats.forEach((attack, i) => {
      const said = combats[i];
      if (said === undefined || isAttack(attack) !== "result" in said) return no(`entry ${i + 1} is of another kind than the move's`);
      if (!isAttack(attack) || !("result" in said)) return;
      this.checkFought(attack, said, state.defended?.[i] ?? null, attack.contact !== null && halted.has(attack.contact));
      support += said.fpf;
      if (said.result === "cancelled") return;
      count(mover, attack.chemical);
      count(by, said.chemical);
      if (attack.chemical === "persistent") gas.push(attack.target);
      if (said.chemical === "persistent") gas.push(attack.from);
      if (said.breakthrough) breakthrough.push(attack.target);
    });
    const spent = state.spent[by] ?? { fire: 0, support: 0 };
    return {
      ...state,
      awaits: { by: mover, step: "move" },
      chemicals,
      defended: null,
      markers: { breakthrough: union(state.markers.breakthrough, breakthrough), gas: union(state.markers.gas, gas) },
      paths: {},
      segment: state.segment + 1,
      spent: { ...state.spent, [by]: { ...spent, support: spent.support + support } },
    };
  }

  /** What a report adds about an attack. */
  private checkFought(attack: Attack, said: Fought, before: Fire | null, halted: boolean): void {
    const { result, retreat } = said;
    const nothing = result === "cancelled" || result === "empty";
    if ((result === "cancelled") !== halted) no(halted ? "who is halted does not attack" : "nobody has halted this attack");
    if (said.ew_level < attack.ew_level || (nothing && said.ew_level !== attack.ew_level)) no("the EW level is not what it can be");
    if (retreat !== null) {
      if (result === "fought" && attack.assault) no("an assault that was fought goes back nowhere");
      if (!attack.retreats.any.includes(retreat)) no("the attacker does not go back to one of its retreats");
    }
    if (said.advance && !attack.assault) no("a Probe does not advance");
    if (before === null || nothing) return;
    if (said.chemical !== before.chemical || said.fpf !== before.fpf) no("this is not what the defence was to be");
  }
}

/** The dice of the settings (ndc 4). Their values are the declarer's secret, and are not drawn here. */
function rollsOf({ lines }: Settings): readonly Roll[] {
  return Array.from({ length: lines }, (_, i) => ({ why: "hidden", index: 0, line: i + 1, cell: null, next: () => null }));
}

class DivisionSystem implements System {
  readonly course: Course;
  private readonly inputs: Inputs;
  private readonly rolls: readonly Roll[];

  constructor(settings: Settings) {
    this.inputs = new Inputs(settings);
    this.course = new Division(settings, this.inputs);
    this.rolls = rollsOf(settings);
  }

  read(written: JsonObject): Reading {
    this.inputs.read(written);
    const { rolls } = this;
    return {
      canonical: written,
      forRedo: written,
      rolls,
      opened: [0],
      cells: [],
      select: () => plain({ plain: { index: 0, lines: rolls.length } }),
      outcome: () => no("what it comes to follows from the state"),
    };
  }
}

export const DivisionCommander = {
  source: "plain" as const,
  prefill: () => makeObject(Object.entries(PREFILL)),
  make(settings: JsonObject, tables: JsonObject): System {
    const read = readSettings(settings);
    checkTables(tables);
    return new DivisionSystem(read);
  },
};
