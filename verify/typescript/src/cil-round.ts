/** cil.md 9 to 20: works out a round from its orders and dice. */
import { attacks, isCombat, type Order, type RoundOrders } from "./cil-orders.js";
import { across, LOCATIONS, SIDES, type Location, type Settings, type Side, type Sides, type State, type Terms, type Unit, type Weights } from "./cil-terms.js";
import type { Ask } from "./roll.js";

export type Phase = "combat" | "assault";
type Dice<T> = Generator<Ask, T, number>;

interface Fires {
  readonly at: Location;
  readonly hits: number;
  readonly phase: Phase;
  readonly unit: string;
  readonly value: number;
}
interface Absorbs {
  readonly phase: Phase;
  readonly points: number;
  readonly unit: string;
  readonly value: number;
}
type Struck = readonly [id: string, draw: number | null, what: "absorbed" | "halved" | "casualty"];
interface Hits {
  readonly at: Location;
  readonly from: Location | null;
  readonly halved: number;
  readonly hits: number;
  lost: number;
  readonly on: Side;
  readonly phase: Phase;
  sent: number;
  readonly struck: Struck[];
}

/** A unit in a round. */
interface Fighter {
  readonly unit: Unit;
  readonly side: Side;
  readonly order: Order;
  readonly to: Location | null;
  strength: number;
  effectiveness: number;
  at: Location;
  /** The points it can still absorb in this phase. */
  absorption: number;
}

function lives({ strength }: Fighter): boolean {
  return strength > 0;
}

interface Shot {
  readonly by: Fighter;
  readonly at: Location;
}

export interface RoundPublic {
  readonly fires: readonly Fires[];
  readonly absorbs: readonly Absorbs[];
  readonly hits: readonly Hits[];
  readonly overrun: readonly { readonly at: Location; readonly on: Side; readonly phase: Phase }[];
  readonly moves: readonly { readonly failed: "attacked" | "overrun" | null; readonly to: Location; readonly unit: string }[];
  readonly changed: readonly (readonly [string, number, number, number, number])[];
  readonly casualties: Sides<ReadonlyMap<string, number>>;
}

export interface RoundResult {
  readonly public: RoundPublic;
  readonly units: Sides<readonly Unit[]>;
  readonly overrun: Sides<readonly Location[]>;
  readonly engagements: number;
  /** The casualties by unit, for each phase that was fought. */
  readonly casualties: readonly Sides<ReadonlyMap<string, number>>[];
}

function count<K>(map: Map<K, number>, key: K, n = 1): void {
  map.set(key, (map.get(key) ?? 0) + n);
}

/** A phase of a round in progress. */
class Fight {
  /** The number of hits on the probes in each place, of which only every second one counts. */
  private readonly counted = new Map<string, number>();
  readonly underFire = new Set<string>();
  /** The locations that attacking units fire at. */
  private readonly attacked = new Set<string>();
  private readonly newlyFallen = new Set<string>();
  readonly casualties: Sides<Map<string, number>> = { attacker: new Map(), defender: new Map() };
  /** The locations where only probes fight at the start of the phase (hits_floor). */
  private readonly probesAlone = new Set<string>();

  constructor(
    private readonly round: Round,
    readonly phase: Phase,
  ) {
    for (const side of SIDES) {
      for (const at of LOCATIONS) {
        const fighting = round.at(side, at).filter(({ order }) => isCombat(order));
        if (fighting.length > 0 && fighting.every(({ order }) => order === "probe")) this.probesAlone.add(`${side} ${at}`);
      }
    }
  }

  // cil 10
  private shots(): Shot[] {
    const attacking = ({ order }: Fighter): boolean => (this.phase === "assault" ? order === "assault" : attacks(order));
    /** The first location from which each location is attacked. */
    const from = new Map<string, Location>();
    for (const fighter of this.round.inOrder()) {
      if (!attacking(fighter) || fighter.to === null) continue;
      const target = `${across(fighter.side)} ${fighter.to}`;
      this.attacked.add(target);
      if (!from.has(target)) from.set(target, fighter.at);
    }
    return this.round.inOrder().flatMap((by) => {
      const at = attacking(by) ? by.to : isCombat(by.order) ? (from.get(`${by.side} ${by.at}`) ?? null) : null;
      return at === null ? [] : [{ by, at }];
    });
  }

  private fall(side: Side, at: Location): void {
    if (this.round.overrun[side].has(at)) return;
    this.round.overrun[side].add(at);
    this.round.log.overrun.push({ at, on: side, phase: this.phase });
  }

  /** Subtracts a d10 from a value again and again, and returns how often at least 1 was left. */
  private *take(value: number, why: string): Dice<number> {
    let hits = 0;
    for (let left = value; left >= 1; ) {
      left -= yield { sides: 10, why };
      if (left >= 1) hits++;
    }
    return hits;
  }

  private scaled(value: number, { effectiveness }: Fighter): number {
    return this.round.settings.scale_values ? Math.floor((value * effectiveness) / 100) : value;
  }

  *fight(): Dice<void> {
    const shots = this.shots();
    // cil 11
    if (this.phase === "assault") {
      for (const side of SIDES) {
        for (const at of LOCATIONS) {
          if (!this.attacked.has(`${side} ${at}`) || this.round.at(side, at).length > 0) continue;
          this.fall(side, at);
          this.newlyFallen.add(`${side} ${at}`);
        }
      }
    }
    // cil 12
    const hits = new Map<string, Fighter[]>();
    for (const { by, at } of shots) {
      const value = this.scaled(by.unit.attack, by) - (by.order === "dig-in" ? 1 : 0);
      const n = yield* this.take(value, `${by.unit.id} fires`);
      this.round.log.fires.push({ at, hits: n, phase: this.phase, unit: by.unit.id, value });
      const place = `${across(by.side)} ${at}`;
      this.underFire.add(place);
      hits.set(place, [...(hits.get(place) ?? []), ...Array.from({ length: n }, () => by)]);
    }
    for (const one of this.round.inOrder()) {
      one.absorption = 0;
      if (one.unit.defense < 1 || !this.underFire.has(`${one.side} ${one.at}`)) continue;
      const value = this.scaled(one.unit.defense, one) + (one.order === "dig-in" ? 1 : 0);
      one.absorption = yield* this.take(value, `${one.unit.id} absorbs`);
      this.round.log.absorbs.push({ phase: this.phase, points: one.absorption, unit: one.unit.id, value });
    }
    // cil 13
    for (const side of ["defender", "attacker"] as const) {
      for (const at of LOCATIONS) {
        const place = `${side} ${at}`;
        if (this.underFire.has(place)) yield* this.apply(side, at, hits.get(place) ?? []);
      }
    }
  }

  /** The hits on a location, with those of probes last, and the hits that carry on from there. */
  private *apply(side: Side, at: Location, by: readonly Fighter[]): Dice<void> {
    const place = `${side} ${at}`;
    const { settings } = this.round;
    let others = by.filter(({ order }) => order !== "probe");
    let probes = by.filter(({ order }) => order === "probe");
    // cil 15
    if (settings.probe === "hits_floor") {
      probes = probes.slice(0, Math.floor(probes.length / 2));
      if (this.probesAlone.has(place)) others = others.slice(0, Math.floor(others.length / 2));
    }
    const queue = [...others, ...probes];
    const hits: Hits = { at, from: null, halved: by.length - queue.length, hits: by.length, lost: 0, on: side, phase: this.phase, sent: 0, struck: [] };
    this.round.log.hits.push(hits);
    // cil 16
    if (this.round.overrun[side].has(at) && !this.newlyFallen.has(place)) {
      hits.lost = queue.length;
      return;
    }
    const mayFall = this.phase === "assault" && (settings.overrun === "any" || this.attacked.has(place));
    const left = yield* this.strike(hits, queue, side, at, false);
    if (mayFall && this.round.at(side, at).length === 0) {
      this.fall(side, at);
      this.newlyFallen.add(place);
    }
    if (this.newlyFallen.has(place)) yield* this.goOn(hits, left, side, at);
    else hits.lost += left.length;
  }

  // cil 17
  private *goOn(from: Hits, left: readonly Fighter[], side: Side, at: Location): Dice<void> {
    if (left.length === 0) return;
    const to = this.round.orders.excess[across(side)].get(at) ?? "none";
    if (to === "none") {
      from.lost += left.length;
      return;
    }
    from.sent = left.length;
    const hits: Hits = { at: to, from: at, halved: 0, hits: left.length, lost: 0, on: side, phase: this.phase, sent: 0, struck: [] };
    this.round.log.hits.push(hits);
    if (this.round.overrun[side].has(to)) {
      hits.lost = left.length;
      return;
    }
    this.round.struck.add(`${side} ${to}`);
    const rest = yield* this.strike(hits, left, side, to, true);
    if (this.round.at(side, to).length > 0) {
      hits.lost += rest.length;
      return;
    }
    this.fall(side, to);
    if (this.round.settings.chain) yield* this.goOn(hits, rest, side, to);
    else hits.lost += rest.length;
  }

  /** Applies hits one by one (cil 13 to 15), and returns those left over. */
  private *strike(log: Hits, queue: readonly Fighter[], side: Side, at: Location, excess: boolean): Dice<readonly Fighter[]> {
    const { settings, weights } = this.round;
    const all = this.round.at(side, at);
    const ordered = all.filter(({ order }) => isCombat(order));
    let first = excess ? [] : ordered;
    let rest = excess ? all : all.filter(({ order }) => !isCombat(order));
    for (const [i, by] of queue.entries()) {
      const those = first.length > 0 ? first : rest;
      if (those.length === 0) return queue.slice(i);
      const picked = yield* this.pick(those, by, weights, `hit on ${this.round.roles[side]} ${at}`);
      if (picked === null) {
        log.lost++;
        continue;
      }
      const { fighter, draw } = picked;
      const { id, kind } = fighter.unit;
      if (fighter.absorption > 0 && (!excess || settings.spill_absorbs)) {
        fighter.absorption--;
        log.struck.push([id, draw, "absorbed"]);
        continue;
      }
      if (settings.probe === "alternate" && (by.order === "probe" || fighter.order === "probe")) {
        const place = `${side} ${at}`;
        count(this.counted, place);
        if ((this.counted.get(place) ?? 0) % 2 === 1) {
          log.struck.push([id, draw, "halved"]);
          continue;
        }
      }
      log.struck.push([id, draw, "casualty"]);
      fighter.strength--;
      count(this.casualties[side] as Map<string, number>, id);
      count(this.round.log.casualties[side], kind);
      if (lives(fighter)) continue;
      first = first.filter((one) => one !== fighter);
      rest = rest.filter((one) => one !== fighter);
    }
    return [];
  }

  private *pick(those: readonly Fighter[], by: Fighter, weights: Weights | null, why: string): Dice<{ readonly fighter: Fighter; readonly draw: number | null } | null> {
    // cil 14
    const weight = (one: Fighter): number => (weights === null ? 1 : (weights.get(by.unit.kind)?.get(one.unit.kind) ?? 0));
    const candidates = weights === null ? those : those.filter((one) => weight(one) > 0);
    const [only] = candidates;
    if (only === undefined) return null;
    if (candidates.length === 1) return { fighter: only, draw: null };
    const sides = weights === null ? candidates.length : candidates.reduce((all, one) => all + weight(one), 0);
    const draw = yield { sides, why };
    let sum = 0;
    for (const fighter of candidates) {
      sum += weight(fighter);
      if (sum >= draw) return { fighter, draw };
    }
    return null;
  }
}

/** A round in progress: everything that its phases change. */
export class Round {
  readonly settings: Settings;
  readonly weights: Weights | null;
  readonly roles: Readonly<Record<Side, string>>;
  private readonly fighters: Sides<readonly Fighter[]>;
  readonly overrun: Sides<Set<Location>>;
  /** Locations where excess hits were applied. */
  readonly struck = new Set<string>();
  private readonly underFire = new Set<string>();
  private engagements: number;
  private readonly phases: Sides<ReadonlyMap<string, number>>[] = [];
  readonly log = {
    fires: [] as Fires[],
    absorbs: [] as Absorbs[],
    hits: [] as Hits[],
    overrun: [] as { readonly at: Location; readonly on: Side; readonly phase: Phase }[],
    casualties: { attacker: new Map<string, number>(), defender: new Map<string, number>() } as Sides<Map<string, number>>,
  };

  constructor(
    terms: Terms,
    state: State,
    readonly orders: RoundOrders,
  ) {
    this.settings = terms.settings;
    this.weights = terms.weights;
    this.roles = { attacker: state.attacker, defender: state.defender };
    this.engagements = state.engagements;
    this.overrun = { attacker: new Set(state.overrun.attacker), defender: new Set(state.overrun.defender) };
    const fighters = (side: Side): Fighter[] =>
      state.units[side].map((unit) => {
        const ordered = orders.of.get(unit.id);
        return { unit, side, order: ordered?.order ?? "hold", to: ordered?.at ?? null, strength: unit.strength, effectiveness: unit.effectiveness, at: unit.at, absorption: 0 };
      });
    this.fighters = { attacker: fighters("attacker"), defender: fighters("defender") };
  }

  /** The living units in a location. */
  at(side: Side, at: Location): Fighter[] {
    return this.fighters[side].filter((one) => lives(one) && one.at === at);
  }

  /** The order of locations (cil 9): the attacker's side first, location by location, in roster order. */
  inOrder(): Fighter[] {
    return SIDES.flatMap((side) => LOCATIONS.flatMap((at) => this.at(side, at)));
  }

  private some(holds: (order: Order) => boolean): boolean {
    return this.inOrder().some(({ order }) => holds(order));
  }

  /** Combat draws from the first line of dice, the assault from the second. */
  *combat(): Dice<void> {
    if (!this.some(attacks)) return;
    yield* this.phase("combat", 1, (order) => (order === "probe" ? 3 : attacks(order) ? 5 : 0));
  }

  *assault(): Dice<void> {
    if (!this.some((order) => order === "assault")) return;
    yield* this.phase("assault", this.settings.assault_cost - 1, (order) => (order === "assault" ? 7 : 0));
  }

  private *phase(phase: Phase, cost: number, tires: (order: Order) => number): Dice<void> {
    const fight = new Fight(this, phase);
    yield* fight.fight();
    for (const place of fight.underFire) this.underFire.add(place);
    // cil 18
    this.engagements += cost;
    for (const one of this.inOrder()) this.lose(one, tires(one.order));
    this.phases.push(fight.casualties);
  }

  // cil 19
  private lose(one: Fighter, n: number): void {
    if (n === 0) return;
    one.effectiveness = this.settings.effectiveness === "points" ? Math.max(0, one.effectiveness - n) : Math.floor((one.effectiveness * (100 - n)) / 100);
  }

  private gain(one: Fighter): void {
    one.effectiveness = Math.min(100, this.settings.effectiveness === "points" ? one.effectiveness + 3 : Math.floor((one.effectiveness * 103) / 100));
  }

  /** The end of a round (cil 20), after both lines are drawn. */
  end(): RoundResult {
    const moves: RoundPublic["moves"][number][] = [];
    for (const side of SIDES) {
      for (const one of this.fighters[side]) {
        if (!lives(one) || isCombat(one.order)) continue;
        const place = `${side} ${one.at}`;
        const attacked = this.underFire.has(place) || this.struck.has(place);
        if (one.order === "hold") {
          if (!attacked) this.gain(one);
          continue;
        }
        const to = one.to ?? one.at;
        const failed = attacked ? "attacked" : this.overrun[side].has(to) ? "overrun" : null;
        moves.push({ failed, to, unit: one.unit.id });
        if (!attacked) this.lose(one, 5);
        if (failed === null) one.at = to;
      }
    }
    const changed = SIDES.flatMap((side) =>
      this.fighters[side].flatMap(({ unit, strength, effectiveness }) =>
        strength === unit.strength && effectiveness === unit.effectiveness ? [] : [[unit.id, unit.strength, strength, unit.effectiveness, effectiveness] as const],
      ),
    );
    const units = (side: Side): Unit[] => this.fighters[side].map(({ unit, strength, effectiveness, at }) => ({ ...unit, strength, effectiveness, at }));
    const overrun = (side: Side): Location[] => LOCATIONS.filter((at) => this.overrun[side].has(at));
    return {
      public: { ...this.log, moves, changed },
      units: { attacker: units("attacker"), defender: units("defender") },
      overrun: { attacker: overrun("attacker"), defender: overrun("defender") },
      engagements: this.engagements,
      casualties: this.phases,
    };
  }
}
