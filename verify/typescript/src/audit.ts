/** audit.md: the verdicts on all games found in a set of letters. */
import { byText } from "./bytes.js";
import { buildChains, missingLetter } from "./chain.js";
import { acceptBreach, acceptedBy, charterBreach, isAccept, isCharter, partiesOf, signedByItsAuthor, type AcceptMessage, type Acceptor, type CharterMessage } from "./charter.js";
import { continuesEntry } from "./continues.js";
import { daysOf } from "./days.js";
import type { Fork } from "./forks.js";
import { isUnnumbered } from "./kinds.js";
import type { Letter } from "./letter.js";
import { add } from "./lists.js";
import { LIMITS } from "./limits.js";
import type { Message } from "./message.js";
import { openMatters } from "./open.js";
import type { RefusalClass } from "./refusal.js";
import { replay, type Replay } from "./replay.js";
import type { Finding, GameReport, Head, MissingLetter, Report, RollEntry, Verdict } from "./report.js";
import { slotText } from "./slot.js";
import { END, type DeclarationState, type State } from "./state.js";
import { drawRoll } from "./roll.js";

/** A message that was refused before it could belong to a game. */
export interface RefusedMessage {
  readonly class: RefusalClass;
  readonly text: string;
  readonly id: string | null;
}

/** An audited game, with everything that the report leaves out. */
export interface GameAudit {
  readonly report: GameReport;
  readonly replay: Replay | null;
  readonly charter: CharterMessage | null;
  readonly accept: AcceptMessage | null;
}

function finding(code: RefusalClass, culprit: string | null, ids: readonly string[], text: string, settled: string | null = null): Finding {
  return { code, culprit, message_ids: ids, settled_by: settled, text };
}

function emptyReport(verdict: Verdict, game: string | null, fields: Partial<GameReport> = {}): GameReport {
  return { verdict, game, complete: false, heads: {}, missing: [], findings: [], rolls: [], courses: [], continues: null, days: [], open: [], ...fields };
}

/** The breaches that a valid redo settles, and those whose redo is not answered yet (letters 19, 20). */
function settlements(state: State): { readonly by: ReadonlyMap<string, string>; readonly waiting: ReadonlySet<string> } {
  const by = new Map<string, string>();
  const waiting = new Set<string>();
  for (const declaration of state.declarations.values()) {
    const done = declaration.answered(END) || declaration.forfeited(END);
    let redo = declaration.body.redo;
    while (redo !== null && redo.is === "breach") {
      if (done) by.set(redo.value, declaration.letter.id);
      else waiting.add(redo.value);
      const named = state.letter(redo.value);
      redo = named !== null && named.content.kind === "declare" ? named.content.body.redo : null;
    }
  }
  for (const game of state.courses.values()) for (const [breach, left] of game.leftBehind) if (!by.has(breach.id) && left[0] !== undefined) by.set(breach.id, left[0].id);
  return { by, waiting };
}

function rollsOf(state: State, declaration: DeclarationState, passedOver: boolean): RollEntry[] {
  const { letter, body, reading, named, seal } = declaration;
  // The rolls of runs are left out, because this checker makes no runs (hidden 9).
  if (state.isHidden(body.slot)) return [];
  // courses 3
  const outcome = state.courseOf(body.slot)?.outcome(END, declaration);
  if (seal === null || outcome === null) return [];
  const rolls = outcome?.rolls ?? reading.rolls;
  const forfeited = declaration.forfeited(END);
  if (named === null && forfeited) return [];
  const dice = named === null ? declaration.dice(rolls) : null;
  if (named === null && dice === null) return [];
  const replacedBy = declaration.replacedBy[0]?.id ?? null;
  const entries: RollEntry[] = [];
  const places = declaration.places();
  let taken = 0;
  rolls.forEach((roll, k) => {
    const standing = replacedBy ?? declaration.voidedBy(END, k + 1)?.id ?? !passedOver;
    const drawn = named === null ? (dice?.[k]?.draws ?? []) : drawRoll(roll, () => named.dice[taken++] ?? 0);
    for (const { sides, value, why } of drawn) {
      entries.push({
        cell: roll.cell,
        declaration: letter.id,
        index: places[k]?.index ?? 0,
        line: places[k]?.line ?? 0,
        named_by: named?.by.id ?? null,
        seal: seal.letter.id,
        sides,
        slot: slotText(body.slot),
        standing,
        value,
        why,
      });
    }
  });
  return entries;
}

/** Rolls in order of replay of their declarations (audit 4). */
function allRolls(state: State): RollEntry[] {
  const taken = new Map([...state.courses.values()].map((game) => [game, game.takenAtEnd()] as const));
  return [...state.declarations.values()].flatMap((one) => {
    const game = state.courseOf(one.body.slot);
    return rollsOf(state, one, game !== null && taken.get(game)?.has(one) === false);
  });
}

function headsOf({ chains, order, replayed }: Replay): Record<string, Head | null> {
  const heads: Record<string, Head | null> = {};
  for (const role of chains.roles) heads[role] = null;
  if (!replayed) return heads;
  for (const { author, id, number, fallen, detached } of order) {
    if (fallen || detached !== "no") continue;
    const head = heads[author] ?? null;
    // A standing chain has one letter for each number, except the office's (office 24).
    if (head === null || number > head.number || (number === head.number && id < head.id)) heads[author] = { id, number };
  }
  return heads;
}

function letterFinding(letter: Letter, settled: string | null): Finding | null {
  const { breach } = letter;
  if (breach === null) return null;
  return finding(breach.class, breach.excused ? null : letter.author, [letter.id], `${breach.rule}: ${breach.text}`, settled);
}

/** Findings on orders, by letter (courses 19, 20). There is no culprit if the orders may have been valid where they were signed. */
function violationFindings(state: State): Map<Letter, (settled: string | null) => Finding> {
  const all = new Map<Letter, (settled: string | null) => Finding>();
  for (const game of state.courses.values()) {
    for (const [letter, violations] of game.violations()) {
      const text = `courses 19: ${violations.map((one) => one.text).join("; ")}`;
      all.set(letter, (settled) => finding("rule", letter.excused ? null : letter.author, [letter.id], text, settled));
    }
  }
  return all;
}

function gameClass(message: Message): Finding {
  return finding("game", null, [message.id], `a letter in the name of ${message.head.author}, under another key than that role’s`);
}

/** An accept that precedes the opponent's. */
interface EarlyAccept {
  readonly one: AcceptMessage;
  readonly by: "referee" | "office";
}

interface Accepted {
  readonly charter: CharterMessage;
  readonly accept: AcceptMessage;
  /** Accepts of this charter by the referee and the office. */
  readonly before: readonly EarlyAccept[];
  /** All accepts of this charter by the opponent. */
  readonly siblings: readonly AcceptMessage[];
  readonly messages: readonly Message[];
}

/** Returns the referee's accept and then the office's that an accept names in `seen` (chain 1). */
function acceptsBefore({ before }: Accepted, accept: AcceptMessage): readonly EarlyAccept[] {
  const seen = before.filter(({ one }) => accept.head.seen.get(one.head.author) === one.id);
  return (["referee", "office"] as const).flatMap((by) => seen.find((early) => early.by === by) ?? []);
}

/** An accept as placed in its own game: only its charter, its referee's accept and its office's can precede it (chain 4). */
function acceptPlaced(game: Accepted, accept: AcceptMessage): boolean {
  const isCharter = (id: string | null): boolean => id === null || id === game.charter.id;
  const names = (one: AcceptMessage): readonly (string | null)[] => [one.content.body.charter, ...one.head.seen.values()];
  const before = acceptsBefore(game, accept).filter(({ one }) => names(one).every(isCharter));
  const isAtHand = ([role, id]: readonly [string, string | null]): boolean =>
    isCharter(id) || before.some(({ one }) => one.id === id && one.head.author === role);
  const named = accept.content.body.charter;
  return (isCharter(named) || before.some(({ one }) => one.id === named)) && [...accept.head.seen].every(isAtHand);
}

/** Pairs of accepts, each placed in its own game, with one of these games among them (chain 9). */
function acceptForks(game: Accepted): readonly Fork[] {
  const placed = game.siblings.filter((one) => acceptPlaced(game, one));
  if (placed.length < 2 || !placed.includes(game.accept)) return [];
  const { author } = game.accept.head;
  return [{ author, ids: placed.map((one) => one.id).sort(), culprit: author }];
}

function auditGame(game: Accepted): GameAudit {
  const { charter, accept } = game;
  const charterBody = charter.content.body;
  // An accept in breach starts no game (charter 16, audit 10). It gives one finding, without other letters; the referee's comes first, then the office's.
  const judged: readonly { readonly one: AcceptMessage; readonly by: Acceptor }[] = [...acceptsBefore(game, accept), { one: accept, by: "opponent" }];
  for (const { one, by } of judged) {
    const text = acceptBreach(charter, one, by);
    if (text === null) continue;
    const found = finding("rule", one.head.author, [one.id], `charter 16: ${text}`);
    return { report: emptyReport("refuted", accept.id, { findings: [found] }), replay: null, charter, accept };
  }

  const roots = [charter, ...judged.map(({ one }) => one)];
  // keys 1
  const keys = new Map(partiesOf(charterBody).map((party) => [party.role, party.key]));
  const isSigned = ({ head, key }: Message): boolean => keys.get(head.author) === key;
  const refused = game.messages.filter((one) => !isSigned(one)).sort((a, b) => byText(a.id, b.id)).map(gameClass);

  const chains = buildChains(charterBody, [...roots, ...game.messages.filter(isSigned)]);
  const replayed = replay(chains, accept.id);
  const { state, forks, order } = replayed;
  const { by, waiting } = settlements(state);
  const settledBy = (id: string): string | null => by.get(id) ?? state.settled.get(id)?.[0]?.id ?? null;
  // A ruling settles a fork only if it knows all its letters (disputes 21). Nothing settles a fork of two accepts (chain 9), because one belongs to another game.
  const forkSettledBy = (ids: readonly string[]): string | null => {
    const letters = ids.map((id) => chains.letters.get(id));
    const rulings = new Set(ids.flatMap((id) => state.settled.get(id) ?? []));
    return order.find((one) => rulings.has(one) && letters.every((letter) => letter !== undefined && one.has(letter)))?.id ?? null;
  };
  const waits = new Set<Finding>();
  const all: Finding[] = [];
  // Accepts have number 1, and come before the other forks of their author.
  const accepts = acceptForks(game);
  for (const role of chains.roles) {
    for (const fork of [...accepts, ...forks].filter((fork) => fork.author === role)) {
      const { author, ids, culprit } = fork;
      const rule = accepts.includes(fork) ? "chain 9" : "chain 8";
      const text = `${rule}: letters that exclude each other, by ${author}, or whoever has the key or a backup of it`;
      all.push(finding("chain", culprit, ids.slice(0, LIMITS.forkIds), text, forkSettledBy(ids)));
    }
  }
  const violations = violationFindings(state);
  for (const letter of order) {
    const found = letterFinding(letter, settledBy(letter.id)) ?? violations.get(letter)?.(settledBy(letter.id)) ?? null;
    if (found === null) continue;
    all.push(found);
    if (found.settled_by === null && waiting.has(letter.id)) waits.add(found);
  }
  for (const one of refused) all.push(one);

  const complete = replayed.replayed && chains.players.every((player) => state.author(player).closeWithMasters !== null);
  const claimStands = !complete && [...state.claims.values()].some((claim) => state.stands(END, claim));
  // disputes 23
  const days = daysOf(replayed);
  const contradicted = !complete && days.some((one) => one.word === "contradicted");
  // hidden 9
  const unrun = [...state.courses.values()].some((one) => one.sheetsAtEnd().some(({ open }) => open));
  let verdict: Verdict = "verified";
  if (unrun) verdict = "undecided";
  if (chains.missing.length > 0 || waits.size > 0 || claimStands || contradicted || !replayed.replayed) verdict = "undecided";
  if (all.some((found) => found.culprit !== null && found.settled_by === null && !waits.has(found))) verdict = "refuted";

  const report: GameReport = {
    verdict,
    game: accept.id,
    complete,
    heads: headsOf(replayed),
    missing: chains.missing,
    findings: all,
    rolls: allRolls(state),
    courses: replayed.replayed ? [...state.courses.values()].map((game) => game.report()) : [],
    // withContinues sets this once all games are audited.
    continues: null,
    days,
    open: openMatters(replayed, charter, accept, complete),
  };
  return { report, replay: replayed, charter, accept };
}

/** A game whose accept or charter is missing (audit 8). */
function absent(game: string, missing: MissingLetter, accept: AcceptMessage | null): GameAudit {
  return { report: emptyReport("undecided", game, { missing: [missing] }), replay: null, charter: null, accept };
}

/** Removes duplicates: each id has one finding for each class (audit 6, 7). */
function refusedFindings(refused: readonly RefusedMessage[]): Finding[] {
  const found = new Set<string>();
  // The order of mails must not change the result.
  return [...refused].sort((a, b) => byText(a.text, b.text)).flatMap((one) => {
    const { id, text } = one;
    if (id === null) return [finding(one.class, null, [], text)];
    const listed = found.has(`${id} ${one.class}`);
    found.add(`${id} ${one.class}`);
    return listed ? [] : [finding(one.class, null, [id], text)];
  });
}

/** Adds to each game what it continues (audit 11). A charter or an accept in breach starts no game. */
function withContinues(audits: readonly GameAudit[]): GameAudit[] {
  const continuing = new Map<string, string[]>();
  const replays = new Map<string, Replay>();
  for (const { replay, report } of audits) {
    if (replay === null || report.game === null) continue;
    if (replay.replayed) replays.set(report.game, replay);
    const old = replay.chains.charter.continues?.game;
    if (old !== undefined) add(continuing, old, report.game);
  }
  return audits.map((one) => {
    const { replay, report } = one;
    const old = replay?.chains.charter.continues?.game;
    if (replay === null || old === undefined) return one;
    const others = (continuing.get(old) ?? []).filter((game) => game !== report.game).sort(byText);
    const known = replays.get(old);
    const from = known === undefined ? null : { game: old, replay: known };
    return { ...one, report: { ...report, continues: continuesEntry(replay.chains.charter, others, from) } };
  });
}

export function audit(messages: readonly Message[], refusedBefore: readonly RefusedMessage[]): { readonly report: Report; readonly games: readonly GameAudit[] } {
  const nowhere = refusedFindings(refusedBefore);
  const charters = new Map<string, CharterMessage>();
  const byGame = new Map<string, Message[]>();
  const accepts: AcceptMessage[] = [];
  for (const message of messages) {
    if (isUnnumbered(message.content)) continue;
    if (isAccept(message)) accepts.push(message);
    else if (isCharter(message)) {
      if (signedByItsAuthor(message)) charters.set(message.id, message);
      else nowhere.push(finding("game", null, [message.id], "a charter that its author has not signed"));
    } else if (message.head.game !== null) add(byGame, message.head.game, message);
  }

  const audits: GameAudit[] = [];
  const opponents = new Map<string, AcceptMessage[]>();
  const early = new Map<string, EarlyAccept[]>();
  const breachOf = new Map<string, string | null>();
  for (const [id, charter] of charters) breachOf.set(id, charterBreach(charter));
  const accepted = new Set<string>();
  const gameIds = new Set<string>();
  for (const accept of accepts) {
    const charterId = accept.head.game ?? "";
    const charter = charters.get(charterId);
    if (charter === undefined) {
      if (gameIds.has(accept.id)) continue;
      gameIds.add(accept.id);
      audits.push(absent(accept.id, missingLetter(charterId, [accept]), accept));
      continue;
    }
    const breach = breachOf.get(charterId) ?? null;
    if (breach !== null) {
      // One finding in the report of each accept's game, whoever signed them (audit 10).
      if (gameIds.has(accept.id)) continue;
      gameIds.add(accept.id);
      accepted.add(charterId);
      const found = finding("rule", charter.head.author, [charter.id], breach);
      audits.push({ report: emptyReport("refuted", accept.id, { findings: [found] }), replay: null, charter, accept });
      continue;
    }
    const by = acceptedBy(charter, accept);
    if (by === null) nowhere.push(finding("game", null, [accept.id], "an accept by somebody whom the charter does not ask, or under another key"));
    else if (by === "opponent") add(opponents, charterId, accept);
    else add(early, charterId, { one: accept, by });
  }

  for (const [charterId, siblings] of opponents) {
    const charter = charters.get(charterId);
    if (charter === undefined) continue;
    accepted.add(charterId);
    for (const accept of siblings) {
      gameIds.add(accept.id);
      const before = early.get(charterId) ?? [];
      audits.push(auditGame({ charter, accept, before, siblings, messages: byGame.get(accept.id) ?? [] }));
    }
  }

  // An id that letters name as their game although no accept has it (audit 8).
  for (const [id, letters] of byGame) if (!gameIds.has(id)) audits.push(absent(id, missingLetter(id, letters), null));

  let refuted = false;
  let lonely = nowhere.length > 0;
  for (const [id, charter] of charters) {
    if (accepted.has(id)) continue;
    lonely = true;
    const breach = breachOf.get(id) ?? null;
    if (breach === null) continue;
    refuted = true;
    nowhere.push(finding("rule", charter.head.author, [id], breach));
  }
  audits.sort((a, b) => byText(a.report.game ?? "", b.report.game ?? ""));
  if (lonely) {
    const sorted = nowhere.sort((a, b) => byText(a.message_ids[0] ?? "", b.message_ids[0] ?? "") || byText(a.code, b.code) || byText(a.text, b.text));
    audits.push({ report: emptyReport(refuted ? "refuted" : "undecided", null, { findings: sorted }), replay: null, charter: null, accept: null });
  }
  const games = withContinues(audits);
  return { report: { games: games.map((one) => one.report) }, games };
}
