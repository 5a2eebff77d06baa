/** chain 8 to 14: forks, which branch of each stands, and which authors a fallen branch excuses. */
import { byText } from "./bytes.js";
import type { Chains } from "./chain.js";
import { fallbackOf } from "./deposits.js";
import type { Letter } from "./letter.js";
import { add } from "./lists.js";
import { isEpoch, timeWitnessOf } from "./office.js";
import { sealBody, type Openings } from "./openings.js";

export interface Fork {
  readonly author: string;
  /** In ascending order. */
  readonly ids: readonly string[];
  readonly culprit: string | null;
}

/** A letter, and the first letters of the branches after it. */
type Branches = readonly [prev: Letter, branches: readonly Letter[]];

/** The forks, outer ones before the forks on their branches. */
function branchesOf({ placed }: Chains): readonly Branches[] {
  const following = new Map<Letter, Letter[]>();
  for (const letter of placed) {
    if (letter.prev !== null && letter.detached === "no") add(following, letter.prev, letter);
  }
  return [...following].filter(([, branches]) => branches.length > 1);
}

/** All forks, in the order of a report (chain 8). */
export function findForks(chains: Chains): readonly Fork[] {
  const forks = branchesOf(chains).map(([{ author, place, number }, branches]) => {
    const others = branches.filter((branch) => !isEpoch(branch)).length;
    // office 26, chain 15
    const isRestored = author === chains.office && others <= 1 && !chains.tooManyBranches;
    const ids = branches.map((branch) => branch.id).sort();
    return { author, place, number, ids, culprit: isRestored ? null : author };
  });
  return forks.sort((a, b) => a.place - b.place || a.number - b.number || byText(a.ids[0] ?? "", b.ids[0] ?? ""));
}

/** letters 9, office 36 */
function makesOpening({ letters, charter, players }: Chains, openings: Openings, letter: Letter): boolean {
  if (letter.kind === "close" || letter.author === timeWitnessOf(charter)?.role) return false;
  return openings.of(letter, letters).some(({ seal }) => {
    const body = sealBody(seal);
    return body !== null && players.includes(seal.author) && [seal.author, body.revealer, fallbackOf(charter, body.kind)].includes(letter.author);
  });
}

/** Instead of a branch number: no branch, and more than one branch. */
const NONE = -1;
const MANY = -2;

function both(a: number, b: number): number {
  if (a === NONE || a === b) return b;
  return b === NONE ? a : MANY;
}

/** The branch that a letter backs as a witness, and the branches that letters in its past back. */
interface Backing {
  readonly backs: number;
  readonly known: number;
}

/** A letter's position at one fork, named as in the pseudo-code of chain.md. Branches are numbers. */
interface Place {
  readonly on: number;
  readonly holds: number;
  readonly sides: number;
  readonly all: Backing;
  readonly strong: Backing;
}

const NOTHING: Backing = { backs: NONE, known: NONE };
const ELSEWHERE: Place = { on: NONE, holds: NONE, sides: NONE, all: NOTHING, strong: NOTHING };

// chain 12
function isStrong({ content }: Letter, opens: boolean): boolean {
  if (content.kind === "claim") return opens || content.body.is === "names";
  return opens || content.kind === "declare" || (content.kind === "close" && content.body.masters !== null);
}

/** Settles one fork. Only letters with the letter before the fork in their past matter. */
function settle(chains: Chains, opening: ReadonlySet<Letter>, [prev, branches]: Branches): void {
  const { players, placed } = chains;
  const { author } = prev;
  const places = new Map<Letter, Place>();
  const placeOf = (letter: Letter | null): Place => (letter === null ? undefined : places.get(letter)) ?? ELSEWHERE;
  let [all, strong] = [NONE, NONE];
  for (const letter of placed) {
    if (!letter.has(prev)) continue;
    let [holds, known, knownStrong] = [NONE, NONE, NONE];
    for (const named of letter.names) {
      const place = placeOf(named);
      holds = both(holds, both(place.on, place.holds));
      known = both(known, both(place.all.backs, place.all.known));
      knownStrong = both(knownStrong, both(place.strong.backs, place.strong.known));
    }
    let [on, sides, backs, backsStrongly] = [NONE, NONE, NONE, NONE];
    if (letter.author === author) {
      if (letter.detached === "no") on = letter.prev === prev ? branches.indexOf(letter) : placeOf(letter.prev).on;
    } else {
      // chain 10
      const seen = placeOf(letter.seen.get(author) ?? null).on;
      sides = seen !== NONE ? seen : Math.max(holds, NONE);
      // chain 11
      const opens = opening.has(letter);
      const mayChoose = letter.detached === "no" && (opens || players.includes(letter.author));
      if (sides !== NONE && mayChoose && both(known, sides) === sides) {
        backs = sides;
        if (players.includes(author) && isStrong(letter, opens)) backsStrongly = sides;
      }
    }
    all = both(all, backs);
    strong = both(strong, backsStrongly);
    const asStrong = { backs: backsStrongly, known: knownStrong };
    places.set(letter, { on, holds, sides, all: { backs, known }, strong: asStrong });
  }
  // chain 12
  const counting = strong === NONE ? "all" : "strong";
  const standing = branches[strong === NONE ? all : strong];
  for (const branch of branches) if (branch !== standing) branch.fallen = true;
  // chain 13
  for (const letter of placed) if (letter.prev?.fallen === true && letter.detached === "no") letter.fallen = true;
  // chain 14
  if (prev.fallen) return;
  for (const [letter, { holds, sides, all, [counting]: { known } }] of places) {
    if (letter.author === author || holds === NONE) continue;
    const { content } = letter;
    const mayBeBlind = content.kind === "ruling" && content.body.rule.is !== "open";
    const isChosen = !mayBeBlind || all.backs !== NONE || all.known !== NONE;
    const withStanding = standing !== undefined && branches[sides] === standing && isChosen;
    if (!withStanding && (known === NONE || known === sides)) letter.excused = true;
  }
}

/** Marks letters on fallen branches and the letters that these excuse. The office's branches never fall (office 22). */
export function settleForks(chains: Chains, openings: Openings): void {
  const forks = branchesOf(chains).filter(([{ author }]) => author !== chains.office);
  if (forks.length === 0) return;
  const opening = new Set(chains.placed.filter((letter) => makesOpening(chains, openings, letter)));
  for (const fork of forks) settle(chains, opening, fork);
}
