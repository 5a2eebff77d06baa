/** chain 8 to 13: forks, and which branch of each stands. */
import type { Chains } from "./chain.js";
import { fallbackOf } from "./deposits.js";
import type { Letter } from "./letter.js";
import { add } from "./lists.js";
import { isEpoch } from "./office.js";
import { sealBody, type Openings } from "./openings.js";

export interface Fork {
  readonly author: string;
  /** Ascending. */
  readonly ids: readonly string[];
  readonly culprit: string | null;
}

/** By the letter before it, each fork: the first letters of its branches. */
function forksOf({ placed }: Chains): readonly (readonly [Letter, readonly Letter[]])[] {
  const following = new Map<Letter, Letter[]>();
  for (const letter of placed) {
    if (letter.prev !== null && letter.detached === "no") add(following, letter.prev, letter);
  }
  return [...following].filter(([, branches]) => branches.length > 1);
}

/** chain 8, office 10: of each author the first fork with a culprit, and the first without. */
export function findForks(chains: Chains): readonly Fork[] {
  const forks = forksOf(chains).map(([{ author, number }, branches]) => {
    const isRestored = author === chains.office && branches.some(isEpoch);
    return { author, number, ids: branches.map((branch) => branch.id).sort(), culprit: isRestored ? null : author };
  });
  forks.sort((a, b) => a.number - b.number || ((a.ids[0] ?? "") < (b.ids[0] ?? "") ? -1 : 1));
  const first = new Map<string, Fork>();
  for (const fork of forks) {
    const sort = `${fork.author} ${fork.culprit === null ? "restored" : "blamed"}`;
    if (!first.has(sort)) first.set(sort, fork);
  }
  return [...first.values()];
}

/** chain 11: the letters that open, as its sealer, revealer or fallback, a place that nothing in their past opens. */
function openers({ placed, letters, charter }: Chains, openings: Openings): ReadonlySet<Letter> {
  const opened = new Map<string, { readonly by: Letter; readonly row: number }[]>();
  const found = new Set<Letter>();
  for (const letter of placed) {
    for (const { seal, place, row } of openings.of(letter, letters)) {
      const before = opened.get(`${seal.id} ${place}`) ?? [];
      if (before.some((one) => one.row >= row && letter.has(one.by))) continue;
      add(opened, `${seal.id} ${place}`, { by: letter, row });
      const body = sealBody(seal);
      const may = body === null ? [] : [seal.author, body.revealer, fallbackOf(charter, body.kind)];
      if (may.includes(letter.author)) found.add(letter);
    }
  }
  return found;
}

/** Of branches, none; or more than one. Any other number is that of the only one. */
const NONE = -1;
const MANY = -2;

function both(a: number, b: number): number {
  if (a === NONE || a === b) return b;
  return b === NONE ? a : MANY;
}

/** Of a letter at one fork, as the pseudo-code of chain.md calls it: branches by their number. */
interface Place {
  readonly on: number;
  readonly holds: number;
  readonly known: number;
  readonly witness: number;
}

const ELSEWHERE: Place = { on: NONE, holds: NONE, known: NONE, witness: NONE };

/** chain 12, of a witness. */
function isStrong({ content }: Letter, opens: boolean): boolean {
  if (content.kind === "claim") return opens || content.body.is === "names";
  return opens || content.kind === "declare" || (content.kind === "close" && content.body.masters !== null);
}

/** Settles the fork behind a letter. All that matters has that letter in its past. */
function settle(chains: Chains, fork: Letter, branches: readonly Letter[], opening: ReadonlySet<Letter>): void {
  const { players, placed } = chains;
  const { author } = fork;
  const places = new Map<Letter, Place>();
  const placeOf = (letter: Letter | null): Place => (letter === null ? undefined : places.get(letter)) ?? ELSEWHERE;
  const naming: { readonly letter: Letter; readonly branch: number }[] = [];
  let [strong, all] = [NONE, NONE];
  for (const letter of placed) {
    if (!letter.has(fork)) continue;
    let [on, holds, known, witness] = [NONE, NONE, NONE, NONE];
    for (const named of letter.names) {
      const place = placeOf(named);
      holds = both(holds, both(place.on, place.holds));
      known = both(known, both(place.witness, place.known));
    }
    if (letter.author === author) {
      if (letter.detached === "no") on = letter.prev === fork ? branches.indexOf(letter) : placeOf(letter.prev).on;
    } else {
      // chain 10
      const seen = placeOf(letter.seen.get(author) ?? null).on;
      const branch = seen === NONE ? holds : seen;
      if (branch >= 0) naming.push({ letter, branch });
      // chain 11
      const opens = opening.has(letter);
      const mayChoose = letter.detached === "no" && (opens || players.includes(letter.author));
      if (branch >= 0 && mayChoose && both(known, branch) === branch) {
        witness = branch;
        all = both(all, branch);
        if (players.includes(author) && isStrong(letter, opens)) strong = both(strong, branch);
      }
    }
    places.set(letter, { on, holds, known, witness });
  }
  // chain 12, 13
  const standing = strong === NONE ? all : strong;
  for (const [i, branch] of branches.entries()) if (i !== standing) branch.fallen = true;
  for (const { letter, branch } of naming) if (branch !== standing) letter.namesFallen = true;
}

/** Marks what is on a branch that does not stand, and what names one. None of the office's falls (office 9). */
export function settleForks(chains: Chains, openings: Openings): void {
  const forks = forksOf(chains).filter(([{ author }]) => author !== chains.office);
  if (forks.length === 0) return;
  const opening = openers(chains, openings);
  for (const [fork, branches] of forks) settle(chains, fork, branches, opening);
  for (const letter of chains.placed) {
    if (letter.prev?.fallen === true && letter.detached === "no") letter.fallen = true;
  }
}
