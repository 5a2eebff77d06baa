import type { Content, Kind } from "./kinds.js";
import type { Head, Message } from "./message.js";

/** Why a letter changes nothing, and who is at fault. */
export interface Breach {
  readonly class: "chain" | "rule";
  /** The broken rule, as the specification numbers it. */
  readonly rule: string;
  readonly text: string;
  /** Whether the letter may have been valid where it was signed (chain 14). */
  readonly excused: boolean;
}

/** A letter of a game, with its links. */
export class Letter {
  readonly id: string;
  readonly head: Head;
  readonly content: Content;
  readonly author: string;
  readonly number: number;

  /** The letters on hand that it names, each once, and the ids of the missing ones. */
  names: readonly Letter[] = [];
  missing: readonly string[] = [];
  prev: Letter | null = null;
  seen: ReadonlyMap<string, Letter | null> = new Map();

  /** Whether it is placed (chain 4). */
  placed = false;
  /** Whether it breaks chain 2 itself, or follows a letter that does. */
  detached: "no" | "itself" | "behind" = "no";
  /** What is wrong with its `seen`, or null (chain 3). */
  badSeen: string | null = null;
  /** Whether it is on a branch that fell (chain 13). */
  fallen = false;
  /** Whether its author may have known only a branch that fell (chain 14). */
  excused = false;

  /** A line is a part of a tree of letters in which each letter follows the one before it by `prev`. `at` counts from 0. */
  line = 0;
  at = 0;
  /** How many letters of each line are in the past (chain 5). */
  past: Int32Array = new Int32Array(0);
  /** Start and end of its branch, in a numbering of all letters down the trees. */
  enter = 0;
  leave = 0;

  /** Whether its rules were checked, and with what result. */
  judged = false;
  breach: Breach | null = null;

  constructor(
    readonly message: Message,
    /** The position of its author among the parties: the referee is third, the office fourth. */
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

  /** Whether the letter is valid (letters 6). */
  get valid(): boolean {
    return this.judged && this.breach === null;
  }

  /** Whether the letter counts, in breach or not (letters 6). */
  get counts(): boolean {
    return this.placed && this.detached === "no" && this.badSeen === null && !this.fallen;
  }

  /** Whether another letter is in its past (chain 5). */
  has(other: Letter): boolean {
    return (this.past[other.line] ?? 0) > other.at;
  }

  /** Whether it covers another letter: in `prev` or `seen`, or in the past of one of these (chain 6). */
  covers(other: Letter): boolean {
    const through = (link: Letter | null): boolean => link !== null && (link === other || link.has(other));
    if (through(this.prev)) return true;
    for (const link of this.seen.values()) if (through(link)) return true;
    return false;
  }

  /** Whether it is the other letter, or follows it by `prev` (chain 8). */
  inBranchOf(first: Letter): boolean {
    return first.enter <= this.enter && this.leave <= first.leave;
  }
}

/** Compares letters by the order of replay (chain 7). */
export function replayOrder(a: Letter, b: Letter): number {
  return a.place - b.place || a.number - b.number || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
