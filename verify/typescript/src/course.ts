/** courses.md: what a system with a state says of it. What a game does with that is in `courses.ts`. */
import type { Json, JsonObject } from "./json.js";
import type { Roll } from "./roll.js";

/** courses 2: what a state awaits. A place is one of those that the course has in each turn, from 0. */
export type Awaits =
  /** By whom it is declared, or null where the charter says so. */
  | { readonly is: "turn" | "more"; readonly by: string | null; readonly turn: number; readonly place: number }
  | { readonly is: "decision"; readonly by: string; readonly name: string };

/** courses 18: the name of the decision by which both players order. */
export const ORDERS = "orders";

/** courses 19: what a role ordered against the rules of the game. */
export interface Violation {
  readonly by: string;
  readonly text: string;
}

/** What a declaration or a decision comes to. */
export interface Step {
  readonly state: JsonObject;
  readonly public: JsonObject;
  readonly violations?: readonly Violation[];
  /** What happened, for a reader: what is logged, and what the table file says of it. */
  readonly story?: readonly Json[];
}

/** A turn in a state, before its dice. */
export interface Turn {
  /** The input as it is signed. */
  readonly canonical: JsonObject;
  /** What is drawn may depend on the orders of both (courses 18). */
  rolls(orders: ReadonlyMap<string, Json>): readonly Roll[];
  after(draws: readonly (readonly number[])[], orders: ReadonlyMap<string, Json>): Step;
}

/** A system's course, with its settings. All of it refuses with class `rule`. */
export interface Course {
  /** The roles that play it. */
  readonly players: readonly string[];
  /** How many places a turn has: so many phases. */
  readonly places: number;
  readonly begins: JsonObject;
  /** courses 18 */
  readonly takesOrders?: boolean;
  /** courses 17: who says who declares; where nothing is said it is the state. */
  readonly declaredBy?: "charter";
  /** hidden.md: each declaration has a sheet of so many bytes, and its dice are its declarer's secret. */
  readonly hidden?: { readonly sheetBytes: number };
  /** Checks a state that somebody states, and refuses one that the course cannot come to. */
  checkState(state: Json): JsonObject;
  awaits(state: JsonObject): Awaits;
  turn(state: JsonObject, input: JsonObject): Turn;
  decide(state: JsonObject, name: string, value: Json): Step;
  /** courses 14: the decision that a note's wish makes. It refuses if the wish makes none. Missing: the wish itself. */
  wished?(state: JsonObject, wish: Json): Json;
}
