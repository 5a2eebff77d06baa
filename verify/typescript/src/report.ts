/** audit.md 4: what a report says. The names of the fields are those of the page. */
import type { JsonObject } from "./json.js";
import type { RefusalClass } from "./refusal.js";

export type Verdict = "verified" | "refuted" | "undecided";

export interface Finding {
  /** The class of the rule that is broken. */
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
  /** True, or the id of what replaced or voided it, or false if its course passed it over. */
  readonly standing: boolean | string;
  readonly value: number;
  readonly why: string;
}

/** What is awaited from whom, or what a reader should know. */
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

/** hidden 9. No run is made here, and so none has come anywhere. */
export interface RunEntry {
  readonly declared: number;
  readonly hand: null;
  readonly run: 0;
  readonly stopped: "not run here";
}

/** courses 22: null while there is no state. */
export interface CourseEntry {
  readonly state: JsonObject | null;
  readonly system: string;
  /** By role, of a hidden course. */
  readonly runs?: Readonly<Record<string, RunEntry>>;
}

/** disputes 23: what the office's clock says to the days of a ruling; the bounds are in seconds. */
export interface DaysEntry {
  readonly at_least: number | null;
  readonly at_most: number | null;
  readonly days: number;
  readonly ruling: string;
  readonly word: "shown" | "contradicted" | "referee";
}

/** audit 11: what a game goes on from whose charter continues another one. */
export interface ContinuesEntry {
  /** Whether the old game is at hand and replayed, and has the heads. */
  readonly at_hand: boolean;
  /** The old game's letters that are not kept. */
  readonly behind: readonly string[];
  readonly game: string;
  /** The declarations that are open at the heads. */
  readonly open: readonly string[];
  /** Other games that continue the same one. */
  readonly others: readonly string[];
  /** The roles that kept their keys. */
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
