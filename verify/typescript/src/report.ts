/** The form of a report (audit.md 4). Field names are those of that page. */
import type { JsonObject } from "./json.js";
import type { RefusalClass } from "./refusal.js";

export type Verdict = "verified" | "refuted" | "undecided";

export interface Finding {
  /** The class of the broken rule. */
  readonly code: RefusalClass;
  readonly culprit: string | null;
  readonly message_ids: readonly string[];
  readonly settled_by: string | null;
  readonly text: string;
}

export interface MissingLetter {
  readonly id: string;
  readonly named_by: readonly string[];
  readonly author: string | null;
  readonly number: number | null;
}

/** A draw: 1 to `sides`. */
export interface RollEntry {
  readonly cell: string | null;
  readonly declaration: string;
  readonly index: number;
  readonly line: number;
  readonly named_by: string | null;
  readonly seal: string;
  readonly sides: number;
  readonly slot: string;
  /** True if it stands; the id of the letter that replaced or voided it; false if its course passed it over. */
  readonly standing: boolean | string;
  readonly value: number;
  readonly why: string;
}

/** Something awaited from somebody, or something a reader should know. */
export interface OpenMatter {
  readonly id: string;
  readonly what: string;
  readonly who: string | null;
  readonly text: string;
}

export interface Head {
  readonly id: string;
  readonly number: number;
}

/** A player's runs in a hidden course (hidden 9). This checker makes none, so these values never vary. */
export interface RunEntry {
  readonly declared: number;
  readonly hand: null;
  readonly run: 0;
  readonly stopped: "not run here";
}

/** The state at the end, or null if there is none (courses 22). */
export interface CourseEntry {
  readonly state: JsonObject | null;
  readonly system: string;
  /** The runs of a hidden course, by role. */
  readonly runs?: Readonly<Record<string, RunEntry>>;
}

/** The office's clock on the days of a ruling (disputes 23). Bounds are in seconds. */
export interface DaysEntry {
  readonly at_least: number | null;
  readonly at_most: number | null;
  readonly days: number;
  readonly ruling: string;
  readonly word: "shown" | "contradicted" | "referee";
}

/** The old game that a game continues (audit 11). */
export interface ContinuesEntry {
  /** Whether the old game is on hand, was replayed, and has the heads. */
  readonly at_hand: boolean;
  /** The old game's letters after the heads. */
  readonly behind: readonly string[];
  readonly game: string;
  /** The declarations that had no dice yet at the heads. */
  readonly open: readonly string[];
  /** Other games that continue the same one. */
  readonly others: readonly string[];
  /** The roles that sign with the same key as before. */
  readonly same_keys: readonly string[];
  /** Whether the charter's states are those of the courses at the heads. */
  readonly same_states: boolean;
}

export interface GameReport {
  readonly verdict: Verdict;
  readonly game: string | null;
  readonly complete: boolean;
  readonly heads: Readonly<Record<string, Head | null>>;
  readonly missing: readonly MissingLetter[];
  readonly findings: readonly Finding[];
  readonly rolls: readonly RollEntry[];
  readonly courses: readonly CourseEntry[];
  readonly continues: ContinuesEntry | null;
  readonly days: readonly DaysEntry[];
  readonly open: readonly OpenMatter[];
}

export interface Report {
  readonly games: readonly GameReport[];
}
