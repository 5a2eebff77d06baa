/** chain.md, links: which letters are placed, the past of each letter, and which links are broken. */
import type { Charter } from "./charter.js";
import { partiesOf } from "./charter.js";
import { Letter, replayOrder } from "./letter.js";
import type { Message } from "./message.js";
import { namedInBody } from "./names.js";
import { LIMITS } from "./limits.js";
import { add } from "./lists.js";
import type { MissingLetter } from "./report.js";
import { topological } from "./topology.js";

export interface Chains {
  readonly charter: Charter;
  /** All roles: the players in the order of the charter, then the referee, then the office. */
  readonly roles: readonly string[];
  readonly players: readonly string[];
  readonly referee: string | null;
  readonly office: string | null;
  readonly letters: ReadonlyMap<string, Letter>;
  /** The placed letters, each after all letters that it names. */
  readonly placed: readonly Letter[];
  readonly missing: readonly MissingLetter[];
  /** chain 15 */
  readonly tooManyBranches: boolean;
}

/** A missing letter (audit 4): who names it, and its author according to the first letter that names it. */
export function missingLetter(id: string, namers: readonly Message[]): MissingLetter {
  const sorted = [...namers].sort((a, b) => (a.id < b.id ? -1 : 1));
  const named_by = [...new Set(sorted.map((one) => one.id))];
  for (const { head } of sorted) if (head.prev === id) return { id, named_by, author: head.author, number: head.number - 1 };
  for (const { head } of sorted) for (const [role, seen] of head.seen) if (seen === id) return { id, named_by, author: role, number: null };
  return { id, named_by, author: null, number: null };
}

function missingOf(letters: Iterable<Letter>): MissingLetter[] {
  const namers = new Map<string, Message[]>();
  for (const letter of letters) {
    for (const id of letter.missing) {
      add(namers, id, letter.message);
    }
  }
  return [...namers].map(([id, list]) => missingLetter(id, list)).sort((a, b) => (a.id < b.id ? -1 : 1));
}

// chain 2
function follows(letter: Letter, prev: Letter): boolean {
  return prev.author === letter.author && prev.number === letter.number - 1;
}

/** Placed letters that no placed letter follows by a good `prev` (chain 15). */
function countBranches(placed: readonly Letter[]): number {
  const followed = new Set<Letter>();
  for (const letter of placed) {
    if (letter.prev !== null && follows(letter, letter.prev)) followed.add(letter.prev);
  }
  return placed.length - followed.size;
}

// chain 1, 4
function link(letters: ReadonlyMap<string, Letter>): void {
  for (const letter of letters.values()) {
    const { prev, seen } = letter.head;
    const names = new Set<Letter>();
    const missing = new Set<string>();
    const take = (id: string | null, role: string | null = null): Letter | null => {
      if (id === null) return null;
      const found = letters.get(id) ?? null;
      // In the opponent's accept, an accept by another role counts as missing (charter 15).
      const named = letter.kind === "accept" && role !== null && found?.author !== role ? null : found;
      if (named === null) missing.add(id);
      else names.add(named);
      return named;
    };
    letter.prev = take(prev);
    letter.seen = new Map([...seen].map(([role, id]) => [role, take(id, role)] as const));
    for (const id of namedInBody(letter.content)) take(id);
    letter.names = [...names];
    letter.missing = [...missing];
  }
}

/** Pasts (chain 5). On a line each letter follows the one before it, so a past holds an initial part of each line. */
function reach(placed: readonly Letter[]): void {
  const tips: Letter[] = [];
  for (const letter of placed) {
    let lines = 0;
    for (const named of letter.names) lines = Math.max(lines, named.past.length, named.line + 1);
    const past = new Int32Array(lines);
    for (const named of letter.names) {
      const other = named.past;
      for (let i = 0; i < other.length; i++) {
        const count = other[i] ?? 0;
        if (count > (past[i] ?? 0)) past[i] = count;
      }
      if (named.at + 1 > (past[named.line] ?? 0)) past[named.line] = named.at + 1;
    }
    letter.past = past;
    const { prev } = letter;
    if (prev !== null && tips[prev.line] === prev) {
      letter.line = prev.line;
      letter.at = prev.at + 1;
      tips[letter.line] = letter;
    } else {
      letter.line = tips.push(letter) - 1;
      letter.at = 0;
    }
  }
}

/** Numbers the trees of letters, so that a lookup tells whether one letter is on the branch of another. */
function enter(placed: readonly Letter[]): void {
  const children = new Map<Letter, Letter[]>();
  const roots: Letter[] = [];
  for (const letter of placed) {
    if (letter.prev === null) roots.push(letter);
    else add(children, letter.prev, letter);
  }
  let time = 0;
  const stack: { readonly letter: Letter; next: number }[] = [];
  for (const root of roots) {
    root.enter = time++;
    stack.push({ letter: root, next: 0 });
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const child = children.get(top.letter)?.[top.next++];
      if (child === undefined) {
        top.letter.leave = time++;
        stack.pop();
      } else {
        child.enter = time++;
        stack.push({ letter: child, next: 0 });
      }
    }
  }
}

/** The letters that break chain 2 in a game that is not replayed, placed or not (chain 15). */
export function brokenLinks(chains: Chains): readonly Letter[] {
  return [...chains.letters.values()].filter((letter) => letter.prev !== null && !follows(letter, letter.prev)).sort(replayOrder);
}

// chain 2
function findDetached(placed: readonly Letter[]): void {
  for (const letter of placed) {
    const { prev } = letter;
    if (prev === null) continue;
    if (!follows(letter, prev)) letter.detached = "itself";
    else if (prev.detached !== "no") letter.detached = "behind";
  }
}

// chain 3
function findBadSeen(chains: Chains): void {
  for (const letter of chains.placed) if (letter.prev !== null && letter.detached === "no") letter.badSeen = badSeen(chains, letter, letter.prev);
}

function badSeen(chains: Chains, letter: Letter, prev: Letter): string | null {
  const others = chains.roles.filter((role) => role !== letter.author);
  if (letter.seen.size !== others.length || !others.every((role) => letter.seen.has(role))) return "seen has exactly the other roles";
  for (const role of others) {
    const seen = letter.seen.get(role) ?? null;
    if (seen !== null && seen.author !== role) return `seen for ${role} is a letter by ${seen.author}`;
    const before = prev.seen.get(role) ?? null;
    if (before === null || seen === before || (seen !== null && !before.inBranchOf(seen))) continue;
    return `seen for ${role} goes back from letter ${before.number} to ${seen === null ? "none" : `letter ${seen.number}`}`;
  }
  return null;
}

/** Links the letters of one game: the charter, the accepts, and every letter that names the game and is signed with its author's key. */
export function buildChains(charter: Charter, messages: readonly Message[]): Chains {
  const roles = partiesOf(charter).map((party) => party.role);
  const letters = new Map(messages.map((message) => [message.id, new Letter(message, roles.indexOf(message.head.author))] as const));
  link(letters);
  // A letter that names a missing letter waits, and so do the letters that name it (chain 4).
  const waits = new Set<Letter>();
  const placed: Letter[] = [];
  for (const letter of topological([...letters.values()], (one) => one.names)) {
    if (letter.missing.length > 0 || letter.names.some((named) => waits.has(named))) waits.add(letter);
    else {
      letter.placed = true;
      placed.push(letter);
    }
  }
  const chains: Chains = {
    charter,
    roles,
    players: charter.parties.map((party) => party.role),
    referee: charter.referee?.role ?? null,
    office: charter.office?.role ?? null,
    letters,
    placed,
    missing: missingOf(letters.values()),
    tooManyBranches: countBranches(placed) > LIMITS.branches,
  };
  findDetached(placed);
  if (chains.tooManyBranches) return chains;
  reach(placed);
  enter(placed);
  findBadSeen(chains);
  return chains;
}
