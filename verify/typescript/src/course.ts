/** courses.md: the interface of a system with a state. `courses.ts` plays it in a game. */
import type { Json, JsonObject } from "./json.js";
import type { Roll } from "./roll.js";

/** What a state awaits (courses 2). `place` is the index of a place within a turn, from 0. */
export type Awaits =
  /** Who declares, or null if the charter says so. */
  | { readonly is: "turn" | "more"; readonly by: string | null; readonly turn: number; readonly place: number }
  | { readonly is: "decision"; readonly by: string; readonly name: string };

/** The name of the decision with which both players give orders (courses 18). */
export const ORDERS = "orders";

/** A role's orders that break the rules of the game (courses 19). */
export interface Violation {
  readonly by: string;
  readonly text: string;
}

/** The result of a declaration or a decision. */
export interface Step {
  readonly state: JsonObject;
  readonly public: JsonObject;
  readonly violations?: readonly Violation[];
  /** The log for a reader, with the texts of the table file. */
  readonly story?: readonly Json[];
}

/** A turn that starts from a state, before its dice. */
export interface Turn {
  /** The canonical input, as it is signed. */
  readonly canonical: JsonObject;
  /** The next draw, which may depend on both players' orders (courses 18). */
  rolls(orders: ReadonlyMap<string, Json>): readonly Roll[];
  after(draws: readonly (readonly number[])[], orders: ReadonlyMap<string, Json>): Step;
}

/** A system's course with its settings. Every refusal has class `rule`. */
export interface Course {
  /** The roles that play it. */
  readonly players: readonly string[];
  /** The number of places in a turn, one for each phase. */
  readonly places: number;
  readonly begins: JsonObject;
  /** Whether both players give orders at once (courses 18). */
  readonly takesOrders?: boolean;
  /** Who names the declarer (courses 17). Without it, the state does. */
  readonly declaredBy?: "charter";
  /** The bytes of each declaration's sheet, in a hidden course, whose dice are the declarer's secret (hidden.md). */
  readonly hidden?: { readonly sheetBytes: number };
  /** Checks a stated state, and refuses one that the course cannot reach. */
  checkState(state: Json): JsonObject;
  awaits(state: JsonObject): Awaits;
  turn(state: JsonObject, input: JsonObject): Turn;
  decide(state: JsonObject, name: string, value: Json): Step;
  /** The value that a note's wish gives to a decision (courses 14). Refuses a wish that gives none. By default, the wish itself. */
  wished?(state: JsonObject, wish: Json): Json;
}
