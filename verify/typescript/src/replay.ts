/** The order of replay (chain 7), and the rules of all letters (letters 1 to 5). */
import { brokenLinks, type Chains } from "./chain.js";
import { findForks, settleForks, type Fork } from "./forks.js";
import { Heap } from "./heap.js";
import type { BodyOf, Content, Kind } from "./kinds.js";
import { replayOrder, type Letter } from "./letter.js";
import { namedInBody } from "./names.js";
import { Openings, type Terms } from "./openings.js";
import { claim } from "./rules/claim.js";
import { close } from "./rules/close.js";
import { correct } from "./rules/correct.js";
import { decide } from "./rules/decide.js";
import { declare } from "./rules/declare.js";
import { applyFact, receipt } from "./rules/receipt.js";
import { openKeys, reveal } from "./rules/reveal.js";
import { Broken, broken, must, type Rules } from "./rules/rule.js";
import { ruling } from "./rules/ruling.js";
import { seal } from "./rules/seal.js";
import { State } from "./state.js";

/** The charter and the accepts are judged before the replay (charter 6, 16), so they do nothing here. Unnumbered messages are not letters (message 9). */
const none: Rules<"charter"> & Rules<"accept"> & Rules<"resync"> & Rules<"deposit"> & Rules<"withdraw"> = { kinds: () => [], check: () => undefined, apply: () => undefined };

const RULES: { readonly [K in Kind]: Rules<K> } = { charter: none, accept: none, seal, declare, reveal, decide, correct, claim, ruling, receipt, resync: none, deposit: none, withdraw: none, close };

interface ContentOf<K extends Kind> {
  readonly kind: K;
  readonly body: BodyOf<K>;
}

function isCorrection(content: Content): boolean {
  return content.kind === "correct" && (content.body.is === "accept" || content.body.is === "refuse");
}

const AFTER_CLOSE: ReadonlySet<Kind> = new Set(["reveal", "close", "claim"]);
const REFEREES: ReadonlySet<Kind> = new Set(["accept", "ruling", "receipt"]);
const OFFICES: ReadonlySet<Kind> = new Set(["accept", "reveal", "receipt"]);

// letters 3, 4
function checkWho(state: State, letter: Letter): void {
  if (letter.author === state.chains.referee) {
    must(REFEREES.has(letter.kind), "letters 4", `the referee signs no letter of kind ${letter.kind}`);
    must(letter.content.kind !== "receipt" || letter.content.body.is === "deposit", "letters 4", "the referee signs no receipt but of deposits");
    return;
  }
  if (letter.author === state.chains.office) {
    must(OFFICES.has(letter.kind), "letters 4", `the office signs no letter of kind ${letter.kind}`);
    return;
  }
  if (state.author(letter.author).closes.length > 0) must(AFTER_CLOSE.has(letter.kind) || isCorrection(letter.content), "letters 3", `after their close a player signs no letter of kind ${letter.kind}`);
  must(letter.kind !== "ruling", "letters 4", "a ruling is the referee's");
  must(letter.kind !== "receipt", "letters 4", "a receipt is the referee's or the office's");
}

// letters 1
function check<K extends Kind>(state: State, letter: Letter, content: ContentOf<K>): void {
  for (const id of namedInBody(letter.content)) {
    const named = state.letter(id);
    must(named !== null && letter.covers(named), "chain 6", "it names a letter that its links do not cover");
  }
  checkWho(state, letter);
  const rules = RULES[content.kind];
  for (const [id, ...kinds] of rules.kinds(content.body)) {
    const named = state.letter(id);
    if (named === null || !kinds.includes(named.kind)) broken("letters 5", `it names a letter of kind ${named?.kind ?? "none"} where one of kind ${kinds.join(" or ")} belongs`);
  }
  rules.check(state, letter, content.body);
}

function apply<K extends Kind>(state: State, letter: Letter, content: ContentOf<K>): void {
  RULES[content.kind].apply(state, letter, content.body);
}

/** The finding on a letter that breaks chain 2. */
function detach(letter: Letter): void {
  letter.breach = { class: "chain", rule: "chain 2", text: "it does not follow the author's letter before", excused: false };
}

function judge(state: State, letter: Letter): void {
  if (letter.fallen || letter.detached === "behind") return;
  if (letter.detached === "itself") {
    detach(letter);
    return;
  }
  if (letter.badSeen !== null) {
    letter.breach = { class: "chain", rule: "chain 3", text: letter.badSeen, excused: false };
    return;
  }
  letter.judged = true;
  try {
    check(state, letter, letter.content);
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    const { rule } = error;
    const isBadOnAnyBranch = rule === "close 3" || rule === "letters 4";
    letter.breach = { class: "rule", rule, text: error.message, excused: letter.excused && !isBadOnAnyBranch };
    // letters 7
    if (rule === "letters 4") return;
  }
  apply(state, letter, letter.content);
  state.author(letter.author).letters.push(letter);
}

export interface Replay {
  readonly chains: Chains;
  readonly state: State;
  readonly forks: readonly Fork[];
  /** All placed letters in order of replay. If the game is not replayed, the letters that break chain 2 (chain 15). */
  readonly order: readonly Letter[];
  readonly replayed: boolean;
}

function inOrder(placed: readonly Letter[]): Letter[] {
  const waiting = new Map<Letter, number>();
  const namers = new Map<Letter, Letter[]>();
  const heap = new Heap<Letter>(replayOrder);
  for (const letter of placed) {
    waiting.set(letter, letter.names.length);
    for (const named of letter.names) {
      const list = namers.get(named);
      if (list === undefined) namers.set(named, [letter]);
      else list.push(letter);
    }
    if (letter.names.length === 0) heap.push(letter);
  }
  const order: Letter[] = [];
  for (let letter = heap.pop(); letter !== undefined; letter = heap.pop()) {
    order.push(letter);
    for (const namer of namers.get(letter) ?? []) {
      const left = (waiting.get(namer) ?? 0) - 1;
      waiting.set(namer, left);
      if (left === 0) heap.push(namer);
    }
  }
  return order;
}

export function replay(chains: Chains, game: string): Replay {
  const terms: Terms = { game, charter: chains.charter };
  const openings = new Openings(terms);
  const state = new State(chains, terms, openings);
  const forks = findForks(chains);
  if (chains.tooManyBranches) {
    const order = brokenLinks(chains);
    for (const letter of order) detach(letter);
    return { chains, state, forks, order, replayed: false };
  }
  settleForks(chains, openings);
  const order = inOrder(chains.placed);
  for (const letter of order) {
    judge(state, letter);
    openKeys(state, letter);
    applyFact(state, letter);
  }
  return { chains, state, forks, order, replayed: true };
}
