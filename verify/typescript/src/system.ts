import type { Json, JsonObject } from "./json.js";
import type { Phase } from "./kinds.js";
import { attempt, refuse } from "./refusal.js";
import { CastIronLife } from "./cil.js";
import { Worksheets } from "./coin-envelopes.js";
import type { Course } from "./course.js";
import { EventTables } from "./event-tables.js";
import { Sheets } from "./icrk.js";
import { DivisionCommander } from "./ndc.js";
import { OcsInitiative } from "./ocs-initiative.js";
import type { Roll } from "./roll.js";

/** What a system has read from an input. */
export interface Reading {
  /** The input in its canonical form. */
  readonly canonical: JsonObject;
  /** The same in the form for a redo. */
  readonly forRedo: JsonObject;
  readonly rolls: readonly Roll[];
  /** The envelopes to be opened in the order of use; of a sheet, or in a redo, none. */
  readonly opened: readonly number[];
  /** The cells named, in the order of the rolls. */
  readonly cells: readonly (readonly [number, number])[];
  /** The `select` that goes with it without a redo, for a sheet with these cells spent. */
  select(spent: (column: number) => number): Json;
  /** What the system's page calls `public`, from the values drawn (one list for each roll). */
  outcome(draws: readonly (readonly number[])[]): JsonObject;
}

/** A system with the settings of a phase. */
export interface System {
  /** Reads an input, be it canonical or not; refuses with class `rule`. */
  read(input: JsonObject, redo: boolean): Reading;
  /** courses.md: of a system with a state. */
  readonly course?: Course;
}

interface Maker {
  readonly source: Phase["source"];
  make(settings: JsonObject, tables: JsonObject): System;
  prefill(tables: JsonObject): JsonObject;
}

const SYSTEMS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ["cil", CastIronLife],
  ["coin-envelopes", Worksheets],
  ["event-tables", EventTables],
  ["icrk", Sheets],
  ["ndc", DivisionCommander],
  ["ocs-initiative", OcsInitiative],
]);

export function systemNamed(name: string): Maker {
  return SYSTEMS.get(name) ?? refuse("rule", `there is no system ${name}`);
}

/** The system of a phase of a charter that is not in breach. */
export function systemOf(phase: Phase, tables: JsonObject): System | null {
  const made = attempt(() => systemNamed(phase.system).make(phase.settings, tables));
  return made.ok ? made.value : null;
}
