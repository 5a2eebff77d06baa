import type { Content, Kind } from "./kinds.js";
import type { Head, Message } from "./message.js";

/** Why a letter changes nothing, and whose fault that is. */
export interface Breach {
  readonly class: "chain" | "rule";
  /** The rule that it breaks, as the pages count them. */
  readonly rule: string;
  readonly text: string;
  /** chain 14: what it breaks may have been good where it was signed. */
  readonly excused: boolean;
}

/** A letter of a game, with its links. */
export class Letter {
  readonly id: string;
  readonly head: Head;
  readonly content: Content;
  readonly author: string;
  readonly number: number;

  /** Letters at hand that it names, each once, and the ids of those that are not at hand. */
  names: readonly Letter[] = [];
  missing: readonly string[] = [];
  prev: Letter | null = null;
  seen: ReadonlyMap<string, Letter | null> = new Map();

  /** chain 4 */
  placed = false;
  /** chain 2: it breaks the rule itself, or follows one that does. */
  detached: "no" | "itself" | "behind" = "no";
  /** chain 3: what is wrong with its `seen`, or null. */
  badSeen: string | null = null;
  /** chain 13: it is on a branch that fell. */
  fallen = false;
  /** chain 14: its author may have known of no other branch than one that fell. */
  excused = false;

  /** A line is a part of a tree of letters where each follows the one before by `prev`; `at` counts from 0. */
  line = 0;
  at = 0;
  /** chain 5: of each line, how many of its letters are in the past. */
  past: Int32Array = new Int32Array(0);
  /** Where its branch begins and ends, when all letters are counted down the trees. */
  enter = 0;
  leave = 0;

  /** Whether its rules were looked at, and what came of it. */
  judged = false;
  breach: Breach | null = null;

  constructor(
    readonly message: Message,
    /** The place of its author among the parties, the referee third, the office fourth. */
    readonly place: number,
  ) {
    this.id = message.id;
    this.head = message.head;
    this.content = message.content;
    this.author = message.head.author;
    this.number = message.head.number;
  }

  get kind(): Kind {
    return this.content.kind;
  }

  /** letters 6 */
  get valid(): boolean {
    return this.judged && this.breach === null;
  }

  /** letters 6: in breach or not, it counts. */
  get counts(): boolean {
    return this.placed && this.detached === "no" && this.badSeen === null && !this.fallen;
  }

  /** Whether another letter is in its past (chain 5). */
  has(other: Letter): boolean {
    return (this.past[other.line] ?? 0) > other.at;
  }

  /** chain 6: it is `prev` or a `seen`, or in the past of one of these. */
  covers(other: Letter): boolean {
    const through = (link: Letter | null): boolean => link !== null && (link === other || link.has(other));
    if (through(this.prev)) return true;
    for (const link of this.seen.values()) if (through(link)) return true;
    return false;
  }

  /** Whether it is another letter, or follows it by `prev` (chain 8). */
  inBranchOf(first: Letter): boolean {
    return first.enter <= this.enter && this.leave <= first.leave;
  }
}

/** chain 7 */
export function replayOrder(a: Letter, b: Letter): number {
  return a.place - b.place || a.number - b.number || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
