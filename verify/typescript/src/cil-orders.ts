/** cil.md 5 to 8: the content of orders, and which of them are refused. */
import { areAdjacent, across, ENGAGEMENTS, isId, location, LOCATIONS, SIDES, type Location, type Settings, type Side, type State, type Unit } from "./cil-terms.js";
import { byText } from "./bytes.js";
import type { Json } from "./json.js";
import { attempt } from "./refusal.js";
import { no } from "./rule-shape.js";
import { mapOf, nullable, record, word, type Read, type Shape } from "./shape.js";

const ORDERS = ["attack", "assault", "probe", "dig-in", "move", "hold"] as const;
export type Order = (typeof ORDERS)[number];

const MOST = 200;
const id: Shape<string> = (value, path) => (typeof value === "string" && isId(value) ? value : no(`${path} is no id`));
const order = record({ at: nullable(location), order: word(...ORDERS) });
const orders = record({ excess: mapOf(location, word(...LOCATIONS, "none"), LOCATIONS.length), orders: mapOf(id, order, MOST) });

export interface Refused {
  readonly author: string;
  readonly entry: string;
  readonly why: string;
}

/** A unit and its order in a round. */
export interface Ordered {
  readonly order: Order;
  readonly at: Location | null;
}

/** The effect of the orders of a round. */
export interface RoundOrders {
  readonly refused: readonly Refused[];
  readonly of: ReadonlyMap<string, Ordered>;
  /** The adjacent location to which excess hits go, for each location of the other side. */
  readonly excess: Readonly<Record<Side, ReadonlyMap<Location, Location | "none">>>;
}

export function isCombat(order: Order): boolean {
  return order !== "move" && order !== "hold";
}

export function attacks(order: Order): boolean {
  return order === "attack" || order === "assault" || order === "probe";
}

// cil 8
function targets({ facing }: Settings, from: Location, fallen: readonly Location[]): readonly Location[] {
  const stands = (at: Location): boolean => !fallen.includes(at);
  if (facing === "any") {
    const front = (["main", "left", "right"] as const).filter(stands);
    return front.length < 3 && stands("reserve") ? [...front, "reserve"] : front;
  }
  const mirrored: Readonly<Record<Location, Location>> = { main: "main", left: "right", right: "left", reserve: "reserve" };
  const faced = facing === "mirror" ? mirrored[from] : from;
  return stands(faced) ? [faced] : LOCATIONS.filter((at) => areAdjacent(at, faced) && stands(at));
}

/** Returns the first reason to refuse an order, or null (cil 6). */
function refusal(settings: Settings, state: State, side: Side, unit: Unit | null, { at, order: what }: Read<typeof order>): string | null {
  if (unit === null) return "unknown";
  if ((at === null) !== (what === "dig-in" || what === "hold")) return "place";
  if (isCombat(what) && unit.at === "reserve") return "reserve";
  if (at === null) return null;
  if (attacks(what) && !targets(settings, unit.at, state.overrun[across(side)]).includes(at)) return "target";
  if (what === "assault" && ENGAGEMENTS[state.season] - state.engagements < settings.assault_cost) return "engagements";
  if (what !== "move") return null;
  if ((unit.at === "reserve") === (at === "reserve")) return "move";
  return state.overrun[side].includes(at) ? "overrun" : null;
}

export function readOrders(settings: Settings, state: State, notes: ReadonlyMap<string, Json>): RoundOrders {
  const refused: Refused[] = [];
  const of = new Map<string, Ordered>();
  const excess = { attacker: new Map<Location, Location | "none">(), defender: new Map<Location, Location | "none">() };
  for (const side of SIDES) {
    const author = state[side];
    const read = attempt(() => orders(notes.get(author) ?? null, "the orders"));
    if (!read.ok) continue;
    const living = new Map(state.units[side].filter(({ strength }) => strength > 0).map((unit) => [unit.id, unit]));
    for (const [entry, one] of [...read.value.orders].sort(([a], [b]) => byText(a, b))) {
      const why = refusal(settings, state, side, living.get(entry) ?? null, one);
      if (why === null) of.set(entry, one);
      else refused.push({ author, entry, why });
    }
    for (const [from, to] of [...read.value.excess].sort(([a], [b]) => byText(a, b))) {
      const good = to === "none" || areAdjacent(from, to);
      if (!good) refused.push({ author, entry: from, why: "excess" });
      excess[side].set(from, good ? to : "none");
    }
  }
  return { refused, of, excess };
}
