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

/** An input as a system reads it. */
export interface Reading {
  /** The input in canonical form. */
  readonly canonical: JsonObject;
  /** The input in the form for a redo. */
  readonly forRedo: JsonObject;
  readonly rolls: readonly Roll[];
  /** The envelopes to be opened, in order of use; none for a sheet or a redo. */
  readonly opened: readonly number[];
  /** The named cells, in the order of the rolls. */
  readonly cells: readonly (readonly [number, number])[];
  /** The `select` for this input without a redo; for a sheet, with these cells spent. */
  select(spent: (column: number) => number): Json;
  /** The `public` outcome of the system's page, from the drawn values (one list for each roll). */
  outcome(draws: readonly (readonly number[])[]): JsonObject;
}

/** A system with the settings of a phase. */
export interface System {
  /** Reads an input, canonical or not. Refuses with class `rule`. */
  read(input: JsonObject, redo: boolean): Reading;
  /** The course of a system with a state (courses.md). */
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

/** The system of a phase in a valid charter. */
export function systemOf(phase: Phase, tables: JsonObject): System | null {
  const made = attempt(() => systemNamed(phase.system).make(phase.settings, tables));
  return made.ok ? made.value : null;
}
