/** cil.md 1 to 4: settings, forces, and the form of a state. Every refusal has class `rule`. */
import { field, isObject, plain, type Json, type JsonObject } from "./json.js";
import { form, no, shaped } from "./rule-shape.js";
import { bool, integer, list, mapOf, nullable, record, role, word, type Read, type Shape } from "./shape.js";

export const LOCATIONS = ["main", "left", "right", "reserve"] as const;
export type Location = (typeof LOCATIONS)[number];
export const SIDES = ["attacker", "defender"] as const;
export type Side = (typeof SIDES)[number];

export function across(side: Side): Side {
  return side === "attacker" ? "defender" : "attacker";
}

// cil 3
export function areAdjacent(a: Location, b: Location): boolean {
  const flank = (one: Location): boolean => one === "left" || one === "right";
  return a !== b && !(flank(a) && flank(b));
}

export const location = word(...LOCATIONS);
export const season = word("fall", "spring", "summer", "winter");

/** Engagements in a day (cil 4). */
export const ENGAGEMENTS = { fall: 4, spring: 4, summer: 5, winter: 3 } as const;

const UNITS = 200;
const ID = /^[A-Za-z0-9-]{1,32}$/;
const KIND = /^[a-z][a-z0-9-]{0,31}$/;

export function isId(text: string): boolean {
  return ID.test(text);
}

const id = form(ID, "id");

export interface Unit {
  readonly at: Location;
  readonly attack: number;
  readonly defense: number;
  readonly effectiveness: number;
  readonly id: string;
  readonly kind: string;
  readonly strength: number;
}
export type Force = readonly Unit[];
export type Sides<T> = Readonly<Record<Side, T>>;

function forces(weakest: number): Shape<Sides<Force>> {
  const unit: Shape<Unit> = record({ at: location, attack: integer(0, 40), defense: integer(0, 40), effectiveness: integer(0, 100), id, kind: form(KIND, "kind"), strength: integer(weakest, 9_999) });
  const both = record({ attacker: list(unit, 1, UNITS), defender: list(unit, 1, UNITS) });
  return (value, path) => {
    const read = both(value, path);
    const ids = [...read.attacker, ...read.defender].map((one) => one.id);
    return new Set(ids).size === ids.length ? read : no(`${path}: an id stands twice`);
  };
}

const settings = record({
  assault_cost: integer(1, 2),
  attacker: role,
  chain: bool,
  defender: role,
  effectiveness: word("points", "relative"),
  facing: word("any", "mirror", "same"),
  forces: forces(1),
  mixed: word("off", "table"),
  overrun: word("any", "targeted"),
  probe: word("alternate", "hits_floor"),
  recover_pct: integer(0, 100),
  scale_values: bool,
  season,
  spill_absorbs: bool,
});

/** `forces` and `season` are those of the first battle. */
export type Settings = Read<typeof settings>;

/** Settings that have a pre-fill (cil 1). */
export const PREFILL = { assault_cost: 2, chain: true, effectiveness: "points", facing: "any", mixed: "off", overrun: "any", probe: "alternate", recover_pct: 0, scale_values: false, spill_absorbs: false } as const;

/** By the kind that fires and the kind that is hit (cil 14). */
export type Weights = ReadonlyMap<string, ReadonlyMap<string, number>>;

function readWeights(tables: JsonObject): Weights {
  const table = field(tables, "cil-mixed");
  if (table === undefined || !isObject(table)) return no("there is no table cil-mixed");
  const kinds = Object.keys(table);
  if (kinds.length < 1 || kinds.length > 64 || !kinds.every((kind) => KIND.test(kind))) no("cil-mixed has 1 to 64 kinds");
  const row = record(Object.fromEntries(kinds.map((kind) => [kind, integer(0, 100)])));
  return new Map(kinds.map((kind) => [kind, new Map(Object.entries(shaped(row, field(table, kind) ?? null, `cil-mixed: ${kind}`)))]));
}

/** A proposed battle (cil 23). */
const proposal = record({ attacker: role, forces: forces(1), season });
export type Proposal = Read<typeof proposal>;

/** The values of each side's units that are not 0. */
export type Casualties = Sides<ReadonlyMap<string, number>>;

const ofSide = mapOf(id, integer(1, 9_999), UNITS);
const casualties: Shape<Casualties> = record({ attacker: ofSide, defender: ofSide });
const PHASES = 10;
const COUNT = 10_000;

/** Names in order, each once. */
const locations: Shape<readonly Location[]> = (value, path) => {
  const read = list(location, 0, LOCATIONS.length)(value, path);
  return read.every((one, i) => i === 0 || LOCATIONS.indexOf(one) > LOCATIONS.indexOf(read[i - 1] ?? "reserve")) ? read : no(`${path}: not in their order`);
};

const state = record({
  attacker: role,
  battle: integer(1, COUNT),
  day: integer(1, COUNT),
  defender: role,
  engagements: integer(),
  ledger: record({ battle: casualties, day: list(casualties, 0, PHASES) }),
  overrun: record({ attacker: locations, defender: locations }),
  pending: nullable(record({ awaits: word("night", "battle", "agree"), by: role, proposal: nullable(proposal) })),
  round: integer(0, COUNT - 1),
  season,
  turn: integer(0, COUNT - 1),
  units: forces(0),
});
export type State = Read<typeof state>;

/** Trusts a state that this checker made itself. */
export function readState(value: JsonObject): State {
  return shaped(state, value, "the state");
}

export function hasLiving(force: Force): boolean {
  return force.some(({ strength }) => strength > 0);
}

/** The terms that two players agreed for all battles. */
export class Terms {
  readonly settings: Settings;
  readonly weights: Weights | null;

  constructor(written: JsonObject, tables: JsonObject) {
    this.settings = shaped(settings, written, "settings");
    const { attacker, defender, forces, mixed } = this.settings;
    if (attacker === defender) no("attacker and defender differ");
    this.weights = mixed === "table" ? readWeights(tables) : null;
    this.checkKinds(forces);
  }

  private checkKinds(both: Sides<Force>): void {
    const { weights } = this;
    if (weights === null) return;
    for (const { kind } of [...both.attacker, ...both.defender]) if (!weights.has(kind)) no(`cil-mixed has no kind ${kind}`);
  }

  get players(): readonly [string, string] {
    return [this.settings.attacker, this.settings.defender];
  }

  other(player: string): string {
    return this.players.find((one) => one !== player) ?? "";
  }

  proposal(value: Json): Proposal {
    const read = shaped(proposal, value, "a battle");
    if (!this.players.includes(read.attacker)) no("the attacker is one of the players");
    this.checkKinds(read.forces);
    return read;
  }

  /** The state at the beginning of a battle (cil 4). */
  battle(number: number, attacker: string, both: Sides<Force>, in_: State["season"], turn: number): State {
    return {
      attacker,
      battle: number,
      day: 1,
      defender: this.other(attacker),
      engagements: 0,
      ledger: { battle: { attacker: new Map(), defender: new Map() }, day: [] },
      overrun: { attacker: [], defender: [] },
      pending: null,
      round: 0,
      season: in_,
      turn,
      units: both,
    };
  }

  /** A value is a state exactly if it has the form of cil 4. */
  checkState(value: Json): State {
    const read = shaped(state, value, "the state");
    const { attacker, defender, engagements, ledger, overrun, pending, units } = read;
    if (!this.players.includes(attacker) || this.other(attacker) !== defender) no("attacker and defender are the players");
    this.checkKinds(units);
    const perDay = ENGAGEMENTS[read.season];
    if (engagements > perDay) no("there are not so many engagements on a day");
    for (const side of SIDES) {
      const ids = new Set(units[side].map((unit) => unit.id));
      if (units[side].some((unit) => unit.strength > 0 && overrun[side].includes(unit.at))) no("a living unit stands in a location that is OVERRUN");
      for (const one of [ledger.battle, ...ledger.day]) if (![...one[side].keys()].every((unit) => ids.has(unit))) no("the ledger is of the units");
    }
    if (pending === null) {
      if (!SIDES.every((side) => hasLiving(units[side]))) no("a side has no living unit");
      if (engagements >= perDay) no("the day is over");
    } else {
      if (!this.players.includes(pending.by)) no("who is awaited is a player");
      if ((pending.proposal !== null) !== (pending.awaits === "agree")) no("a proposal awaits an answer");
      if (pending.proposal !== null) this.proposal(plain(pending.proposal));
    }
    return read;
  }
}
