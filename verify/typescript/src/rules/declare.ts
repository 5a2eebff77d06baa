import { field, isObject, plain, sameJson, type JsonObject } from "../json.js";
import type { GameCourse } from "../courses.js";
import type { BodyOf, Kind, Phase } from "../kinds.js";
import type { Letter } from "../letter.js";
import { add } from "../lists.js";
import { attempt } from "../refusal.js";
import { compareSlots, placeText, slotText, type Slot } from "../slot.js";
import { DeclarationState, has, sheetColumnValid, type Acceptance, type AuthorState, type Proposal, type SealState, type State, type View } from "../state.js";
import type { Reading } from "../system.js";
import { broken, must, type Rules } from "./rule.js";
import { SHEET } from "./seal.js";

type Body = BodyOf<"declare">;

function declareBody(letter: Letter | null): Body | null {
  return letter !== null && letter.content.kind === "declare" ? letter.content.body : null;
}

/** The input as the system reads it, or null if it cannot. */
function readInput(state: State, phase: Phase, input: JsonObject, redo: boolean): { readonly reading: Reading | null; readonly text: string } {
  const system = state.system(phase);
  if (system === null) return { reading: null, text: "the phase has no system" };
  const outcome = attempt(() => system.read(input, redo));
  return outcome.ok ? { reading: outcome.value, text: "" } : { reading: null, text: outcome.text };
}

/** The signed `moves`, in a form to compare. */
function sameMoves(a: Body, b: Body): boolean {
  return sameJson(plain(a.moves), plain(b.moves));
}

/** The breaches that a player must declare again before anything else (letters 17, courses 7). */
export function pendingIn(state: State, view: View, role: string): Letter[] {
  return [...state.author(role).pending].filter((letter) => {
    const body = declareBody(letter);
    if (body === null) return false;
    const game = state.courseOf(body.slot);
    if (game === null || game === undefined) return true;
    const replaced = replacedBy(state, letter);
    return game.isPending(view, letter, body.slot, replaced, state.phaseOf(body.slot)?.declarer ?? null) && (replaced !== null || !isRedoDue(state, view, game));
  });
}

/** Whether a redo in a course is due from either player (declare 16, decide 4, courses 7). */
export function isRedoDue(state: State, view: View, game: GameCourse): boolean {
  return state.chains.players.some((player) => dueIn(state, view, player).some((due) => game.has(due.declaration)));
}

/** The agreed redos that are due: not done, and their declaration not replaced, void or passed over (letters 22, courses 10). */
export function dueIn(state: State, view: View, role: string): { readonly acceptance: Acceptance; readonly declaration: DeclarationState }[] {
  const own = state.author(role);
  return own.due.flatMap((acceptance) => {
    const declaration = state.declarations.get(acceptance.proposal.declarations[0] ?? "");
    const used = own.agreedUsed.get(acceptance.proposal.letter);
    if (declaration === undefined || !has(view, acceptance.letter) || declaration.replaced(view) || declaration.anyVoid(view)) return [];
    // In a course, a redo is due until a valid one is made.
    const game = state.courseOf(declaration.body.slot) ?? null;
    const ended = game === null ? used !== undefined && has(view, used) : !game.isLast(view, declaration);
    return ended ? [] : [{ acceptance, declaration }];
  });
}

// declare 2, 19, 20, 21
function checkSlot(state: State, letter: Letter, body: Body, game: GameCourse | null): void {
  const own = state.author(letter.author);
  if (body.redo?.is === "breach") return;
  const [pending] = pendingIn(state, letter, letter.author);
  must(pending === undefined, "declare 2", `letter ${pending?.number ?? 0} is in breach, and is to be declared again first`);
  if (body.redo?.is === "agreed") return;
  must(dueIn(state, letter, letter.author).length === 0, "declare 2", "a redo that was agreed on is due first");
  // Otherwise the other player could see these dice first, and then decide whether to agree.
  must(!unanswered(state, letter).some(asksForRedo), "declare 19", "a proposal of the author's to declare again is not answered yet");
  const slot = slotText(body.slot);
  must(!own.slots.has(slot), "declare 20", `${slot} has been declared`);
  must(body.slot.number === own.nextNumber(body.slot), "declare 20", `the next number of the phase is ${own.nextNumber(body.slot)}, not ${body.slot.number}`);
  const isOrdered = state.phaseOf(body.slot)?.decisions.some((decision) => decision.how === "simultaneous") === true;
  must(!isOrdered || !own.beyondRepair.has(placeText(body.slot)), "declare 20", "the author has a declaration beyond repair in this place, and nobody orders again after reading the other's orders");
  must(game !== null || own.lastSlot === null || compareSlots(state.chains.charter, body.slot, own.lastSlot) > 0, "declare 21", `${slot} does not come after ${own.lastSlot === null ? "" : slotText(own.lastSlot)}`);
}

/** Whether a redo may have moves in a note that a ruling has killed since: a redo of `agreed`, or of a breach of another rule (declare 3). */
function mayBeKilled(state: State, redo: Body["redo"]): boolean {
  return redo?.is === "agreed" || (redo?.is === "breach" && state.letter(redo.value)?.breach?.rule !== "declare 3");
}

function checkBreachRedo(state: State, letter: Letter, body: Body, phase: Phase, game: GameCourse | null, id: string): void {
  const pending = pendingIn(state, letter, letter.author).find((one) => one.id === id) ?? null;
  const old = declareBody(pending);
  if (pending === null || old === null) return broken("declare 11", "this is not the author's pending breach");
  must(slotText(old.slot) === slotText(body.slot), "declare 11", `the breach was in ${slotText(old.slot)}`);
  must(pending.breach?.rule === "declare 3" || sameMoves(body, old), "declare 11", "the moves are others");
  // courses 7, 9
  const agreed = replacedBy(state, pending) !== null;
  if (game !== null && !agreed && (pending.breach?.rule === "declare 15" || body.after !== old.after)) return;
  const { reading } = readInput(state, phase, old.input, old.redo !== null);
  must(reading === null || sameJson(body.input, reading.forRedo), "declare 11", "the input is another one");
}

function checkAgreedRedo(state: State, letter: Letter, body: Body, id: string): void {
  const acceptance = state.acceptances.get(id);
  const correction = acceptance?.proposal.correction ?? null;
  if (acceptance === undefined || correction === null || correction.input === null) return broken("declare 12", "this is no acceptance of a proposal to declare again");
  const declaration = state.declarations.get(correction.declaration);
  if (declaration === undefined || declaration.letter.author !== letter.author) return broken("declare 12", "what was agreed on concerns no declaration of the author");
  must(slotText(declaration.body.slot) === slotText(body.slot), "declare 12", `what was agreed on concerns ${slotText(declaration.body.slot)}`);
  must(!declaration.replaced(letter), "declare 12", "the declaration was done again");
  must(!state.author(letter.author).agreedUsed.has(acceptance.proposal.letter), "declare 12", "the agreement has been used");
  must(!declaration.anyVoid(letter), "declare 12", "a roll of the declaration is void");
  must(sameJson(body.input, correction.input), "declare 12", "the input is not the one that was agreed on");
  must(sameMoves(body, declaration.body), "declare 12", "the moves are others");
}

function checkOpenedRedo(state: State, letter: Letter, body: Body, phase: Phase, id: string): void {
  const { reading } = readInput(state, phase, body.input, true);
  const by = state.letter(id);
  const sets = (state.validSeals.get(`${phase.source} ${slotText(body.slot)}`) ?? []).filter((set) => set.body.declarer === letter.author && letter.has(set.letter) && !set.killed(letter));
  const opened =
    by !== null && letter.has(by) && state.openings.of(by, state.chains.letters).some((key) => sets.some((set) => set.letter === key.seal) && (reading?.opened.includes(key.place) ?? false));
  must(opened, "declare 13", "that letter opened no envelope that this input would select");
}

/** Kinds of sets that are sealed for one slot, and that a declaration names as a whole. */
function isWhole(kind: BodyOf<"seal">["kind"]): boolean {
  return kind === "coin" || kind === "plain";
}

/** The author's proposals that are unanswered in the past of this letter (letters 28). */
function unanswered(state: State, letter: Letter): readonly Proposal[] {
  const own = state.author(letter.author);
  own.unanswered = own.unanswered.filter((proposal) => !state.answeredProposal(letter, proposal));
  return own.unanswered;
}

/** Whether a proposal asks for a redo. Without an input it is only a record. */
function asksForRedo({ correction }: Proposal): boolean {
  return correction !== null && correction.input !== null;
}

/** Whether the author has an unanswered proposal about a declaration of a course, records aside (declare 16, decide 4). `voids` restricts it to voids. */
export function proposesInCourse(state: State, letter: Letter, of: "voids" | "all"): boolean {
  const inCourse = (id: string): boolean => [...state.courses.values()].some((game) => game.has(state.declarations.get(id)));
  return unanswered(state, letter).some((proposal) => (proposal.scope !== null || (of === "all" && asksForRedo(proposal))) && proposal.declarations.some(inCourse));
}

export const NOT_AFTER = "the course does not stand at the letter that it names";
export const NO_COURSE = "what is of no course goes on from nothing";

/** The kinds of letters that `after` can name (letters 5, courses 4). */
export function afterKinds(after: string | null): readonly (readonly [string, ...Kind[]])[] {
  return after === null ? [] : [[after, "declare", "decide", "claim"]];
}

/** Checks where the course stands, and that its state awaits this declaration (declare 14). */
function checkAwaited(
  state: State,
  letter: Letter,
  body: Body,
  game: GameCourse,
  replaced: DeclarationState | null,
): JsonObject {
  const from = game.spotFor(letter, replaced);
  must(body.after === (from.at?.id ?? null), "declare 14", NOT_AFTER);
  if (replaced !== null) must(game.isLast(letter, replaced), "declare 14", "the course has gone on since");
  const now = game.stepAt(letter, from)?.state ?? null;
  if (now === null) return broken("declare 14", "the declaration before is not settled");
  const awaited = game.awaits(now);
  if (awaited.is === "decision") return broken("declare 14", `${awaited.by} decides ${awaited.name} first`);
  must(game.isPlace(awaited, body.slot), "declare 14", `this is not the place that comes next, in turn ${awaited.turn}`);
  const declarer = awaited.by ?? state.phaseOf(body.slot)?.declarer;
  must(declarer === letter.author, "declare 14", `${declarer ?? "nobody"} declares it`);
  return now;
}

/** Nobody may see these dice first and then decide about earlier ones (declare 16). */
function checkNothingOpen(state: State, letter: Letter, game: GameCourse, replaced: DeclarationState | null): void {
  const proposes = proposesInCourse(state, letter, replaced === null ? "all" : "voids");
  must(!proposes, "declare 16", "a proposal of the author's is not answered yet");
  must(replaced !== null || !isRedoDue(state, letter, game), "declare 16", "a redo is due first");
}

/** Nobody may roll for a later part of the turn while an earlier one is open (declare 17, 18). */
function checkFront(state: State, letter: Letter, slot: Slot, game: GameCourse, rule: string): void {
  const front = game.front(letter);
  const isBefore = compareSlots(state.chains.charter, { ...slot, number: 0 }, front) < 0;
  must(isBefore, rule, `${front.phase} of turn ${front.turn} comes first`);
}

/** Checks a declaration of a course, and returns the state before it (declare 14, 16, 17). */
function checkInCourse(state: State, letter: Letter, body: Body, game: GameCourse): JsonObject {
  const replaced = replacedBy(state, letter);
  const before = checkAwaited(state, letter, body, game, replaced);
  checkNothingOpen(state, letter, game, replaced);
  if (replaced !== null) return before;
  for (const other of state.courses.values()) {
    if (other !== game) checkFront(state, letter, body.slot, other, "declare 17");
  }
  return before;
}

/** Checks a declaration outside courses (declare 14, 18). */
function checkOutsideCourses(state: State, letter: Letter, { after, redo, slot }: Body): void {
  must(after === null, "declare 14", NO_COURSE);
  if (redo?.is === "breach" || redo?.is === "agreed") return;
  for (const game of state.courses.values()) {
    checkFront(state, letter, slot, game, "declare 18");
    const last = game.lastBy(letter, letter.author)?.body.slot;
    const isBehind = last !== undefined && compareSlots(state.chains.charter, { ...slot, number: 0 }, { ...last, number: 0 }) <= 0;
    must(!isBehind, "declare 18", `${letter.author} has rolled for turn ${last?.turn ?? 0} already`);
  }
}

// declare 7
function checkDecisions(state: State, letter: Letter, body: Body, phase: Phase): void {
  const slot = slotText(body.slot);
  const note = (name: string, by: string): SealState[] => state.notes(letter, `${slot}/${name}`, by).filter((one) => !one.killed(letter));
  for (const decision of phase.decisions) {
    switch (decision.how) {
      case "open": {
        const decide = state.author(decision.by ?? "").decided.get(`${slot}/${decision.name}`);
        must(decide !== undefined && decide.valid && letter.has(decide), "declare 7", `${decision.by ?? ""} has not decided ${decision.name}`);
        break;
      }
      case "sealed":
        must(note(decision.name, decision.by ?? "").length > 0, "declare 7", `${decision.by ?? ""} has not sealed ${decision.name}`);
        break;
      case "simultaneous":
        for (const player of state.chains.players) {
          must(note(decision.name, player).some((one) => one.isOpen(letter, 0)), "declare 7", `${player} has not opened ${decision.name}`);
        }
    }
  }
}

// declare 8
function checkContribution(state: State, letter: Letter, body: Body, phase: Phase): void {
  const { contribution } = body;
  if (contribution === null) return;
  must((contribution.is === "sealed") === phase.private, "declare 8", phase.private ? "in a private phase the contribution is sealed" : "in an open phase the contribution is open");
  if (contribution.is === "open") {
    must(!state.author(letter.author).contributions.has(contribution.value), "declare 8", "the contribution has been used");
    return;
  }
  const { index } = contribution.value;
  const set = state.validSeal(contribution.value.seal);
  if (set === null || set.body.kind !== "contribution" || set.letter.author !== letter.author || set.killed(letter)) return broken("declare 8", "there is no such contribution set of the author");
  const next = set.lowestFree(letter);
  must(index === next && index < set.body.n, "declare 8", next < set.body.n ? `the next contribution is ${next}, not ${index}` : "the contribution set is used up");
}

function sumUp(selected: Body["select"]): string {
  if (selected === null) return "nothing";
  switch (selected.is) {
    case "worksheet":
      return `total ${selected.value.total}, index ${selected.value.index}`;
    case "cells":
      return `${selected.value.length} cells`;
    case "foul_up":
    case "plain":
      return `index ${selected.value.index}, ${selected.value.lines} lines`;
  }
}

// declare 9
function checkSelect(letter: Letter, body: Body, reading: Reading, set: SealState): void {
  const { select } = body;
  if (select === null) return;
  if (body.redo !== null) {
    const index = set.lowestFree(letter);
    must(index < set.body.n, "declare 9", "the foul-up set is used up");
    must(select.is === "foul_up" && select.value.index === index && select.value.lines === reading.rolls.length, "declare 9", `the next foul-up envelope is ${index}, with ${reading.rolls.length} lines, not ${sumUp(select)}`);
    return;
  }
  const outcome = attempt(() => reading.select((column) => set.spent(letter, column)));
  if (!outcome.ok) return broken("declare 9", outcome.text);
  const written = plain({ [select.is]: select.value });
  if (sameJson(written, outcome.value)) return;
  if (select.is === "worksheet") {
    const right = isObject(outcome.value) ? field(outcome.value, "worksheet") : undefined;
    const total = isObject(right) ? field(right, "total") : undefined;
    const index = isObject(right) ? field(right, "index") : undefined;
    if (typeof total === "number" && total !== select.value.total) broken("declare 9", `the total is ${total}, not ${select.value.total}`);
    if (typeof index === "number" && index !== select.value.index) broken("declare 9", `the envelope is ${index}, not ${select.value.index}`);
  }
  broken("declare 9", `not what the system selects: ${sumUp(select)}`);
}

/** Records the places that a declaration names, in sets whose declarer is its author (letters 13). */
function spend(state: State, letter: Letter, body: Body): void {
  const set = body.seal === null ? null : state.seal(body.seal);
  if (set !== null && set.body.declarer === letter.author) {
    const { select } = body;
    if (isWhole(set.body.kind)) set.coinNamed = true;
    else if (set.body.kind === "foul-up" && select?.is === "foul_up") set.indicesNamed.add(select.value.index);
    else if (set.body.kind === "sheet" && select?.is === "cells") {
      for (const [column, row] of select.value) {
        if (sheetColumnValid(column, row)) set.depthsNamed.set(column, Math.max(row, set.depthsNamed.get(column) ?? 0));
      }
    }
  }
  if (body.contribution?.is === "sealed") {
    const sealed = state.seal(body.contribution.value.seal);
    if (sealed !== null && sealed.body.kind === "contribution" && sealed.body.declarer === letter.author) sealed.indicesNamed.add(body.contribution.value.index);
  }
}

/** The declaration that a redo replaces, directly or through the redos in breach that it settles (letters 23). */
function replacedBy(state: State, letter: Letter): DeclarationState | null {
  let at: Letter | null = letter;
  while (at !== null) {
    const redo: Body["redo"] = declareBody(at)?.redo ?? null;
    if (redo === null) return null;
    if (redo.is === "agreed") {
      const correction = state.acceptances.get(redo.value)?.proposal.correction ?? null;
      return correction === null ? null : (state.declarations.get(correction.declaration) ?? null);
    }
    at = redo.is === "breach" ? state.letter(redo.value) : null;
  }
  return null;
}

/** Removes the breach of a redo of `breach` from the pending ones (letters 17). */
function mend(state: State, own: AuthorState, redo: Body["redo"]): void {
  const mended = redo?.is === "breach" ? state.letter(redo.value) : null;
  if (mended !== null) own.pending.delete(mended);
}

/** The rules whose breach can be declared again: those about form alone. */
const REPAIRABLE = new Set(["declare 3", "declare 4", "declare 5", "declare 6", "declare 7", "declare 8", "declare 9", "declare 10", "declare 15"]);

export const declare: Rules<"declare"> = {
  kinds: (body) => [...(body.seal === null ? [] : [[body.seal, "seal"] as const]), ...afterKinds(body.after)],

  check(state, letter, body) {
    const phase = state.phaseOf(body.slot);
    const game = state.courseOf(body.slot);
    if (phase === null || (game === null && phase.declarer !== letter.author)) return broken("declare 1", `${slotText(body.slot)} is no slot of ${letter.author}`);
    checkSlot(state, letter, body, game);
    const { redo } = body;
    if (redo?.is === "breach") checkBreachRedo(state, letter, body, phase, game, redo.value);
    if (redo?.is === "agreed") checkAgreedRedo(state, letter, body, redo.value);
    if (redo?.is === "opened") checkOpenedRedo(state, letter, body, phase, redo.value);
    const before = game === null ? null : checkInCourse(state, letter, body, game);
    if (game === null) checkOutsideCourses(state, letter, body);
    must(game === null || !game.isHidden || body.moves.is === "note", "declare 3", "in a hidden course the moves are a sheet, in a note");
    if (body.moves.is === "note") {
      const note = state.validSeal(body.moves.value.seal);
      must(
        note !== null && note.body.kind === "note" && note.letter.author === letter.author && note.body.purpose.startsWith(`${slotText(body.slot)}/`),
        "declare 3",
        "the moves are in no note of the author for this slot",
      );
      // hidden 2. seal 2 already checked its length.
      must(game === null || !game.isHidden || note.body.purpose === `${slotText(body.slot)}/${SHEET}`, "declare 3", "the note is not the sheet of this slot");
      must(mayBeKilled(state, redo) || !note.killed(letter), "declare 3", "a ruling has killed the note of the moves");
    }
    const { reading, text } = readInput(state, phase, body.input, redo !== null);
    if (reading === null) return broken("declare 4", text);
    must(sameJson(reading.canonical, body.input), "declare 4", "the input is not written in the canonical way");
    if (reading.rolls.length === 0) {
      must(body.seal === null && body.contribution === null && body.select === null, "declare 5", "no roll is asked for, and so nothing is selected");
      return;
    }
    if (body.seal === null || body.contribution === null || body.select === null) return broken("declare 5", "rolls are asked for, and so a seal, a contribution and a selection");
    const set = state.validSeal(body.seal);
    if (set === null) return broken("declare 6", "the set is in breach itself");
    must(set.body.declarer === letter.author, "declare 6", "the set is not for the author to declare on");
    must(!set.killed(letter), "declare 6", "a ruling has killed the set");
    must(set.body.kind === (redo === null ? phase.source : "foul-up"), "declare 6", redo === null ? `the phase takes its dice from a ${phase.source} set` : "a redo takes its dice from a foul-up set");
    must(!isWhole(set.body.kind) || set.body.purpose === slotText(body.slot), "declare 6", `the set is sealed for ${set.body.purpose}`);
    checkDecisions(state, letter, body, phase);
    checkContribution(state, letter, body, phase);
    checkSelect(letter, body, reading, set);
    if (isWhole(set.body.kind)) {
      must(!set.coinNamed, "declare 10", "the set has answered a declaration already");
      const open = reading.opened.find((index) => set.isOpen(letter, index));
      must(open === undefined, "declare 10", `envelope ${open ?? 0} is open already`);
    }
    if (game === null || before === null) return;
    const turn = attempt(() => game.course.turn(before, body.input));
    if (!turn.ok) return broken("declare 15", turn.text);
    must(sameJson(turn.value.canonical, body.input), "declare 15", "not all that is to be stated is stated");
  },

  apply(state, letter, body) {
    const own = state.author(letter.author);
    own.moves.push(letter);
    own.declarationsAndCloses.push(letter);
    own.takeSlot(body.slot);
    const game = state.courseOf(body.slot);
    spend(state, letter, body);
    if (body.contribution?.is === "open") own.contributions.add(body.contribution.value);
    const { redo } = body;
    if (redo?.is === "agreed") {
      const used = state.acceptances.get(redo.value);
      if (used !== undefined && !own.agreedUsed.has(used.proposal.letter)) own.agreedUsed.set(used.proposal.letter, letter);
    }
    if (letter.breach !== null) {
      if (!REPAIRABLE.has(letter.breach.rule) || letter.breach.excused) {
        own.beyondRepair.add(placeText(body.slot));
        return;
      }
      mend(state, own, redo);
      own.pending.add(letter);
      if (replacedBy(state, letter) === null) game?.breach(letter);
      return;
    }
    mend(state, own, redo);
    if (game === null && redo?.is !== "breach" && redo?.is !== "agreed") own.lastSlot = body.slot;
    const phase = state.phaseOf(body.slot);
    if (phase === null) return;
    const { reading } = readInput(state, phase, body.input, redo !== null);
    if (reading === null) return;
    const replaced = replacedBy(state, letter);
    const from = game?.spotFor(letter, replaced) ?? null;
    const before = game === null || from === null ? null : (game.stepAt(letter, from)?.state ?? null);
    const turn = game === null || before === null ? null : game.course.turn(before, body.input);
    const sealed = body.contribution?.is === "sealed" ? { set: state.seal(body.contribution.value.seal), index: body.contribution.value.index } : null;
    const declaration = new DeclarationState(
      letter,
      body,
      phase,
      turn === null ? reading : { ...reading, rolls: turn.rolls(new Map()) },
      body.seal === null ? null : state.seal(body.seal),
      sealed === null || sealed.set === null ? null : { set: sealed.set, index: sealed.index },
    );
    state.declarations.set(letter.id, declaration);
    add(state.bySlot, slotText(body.slot), declaration);
    add(state.byImpulse, `${body.slot.turn}/${body.slot.impulse}`, declaration);
    if (replaced !== null) {
      replaced.replacedBy.push(letter);
      state.change(letter, replaced);
    }
    if (game !== null && from !== null && turn !== null) game.declare(declaration, turn, from);
  },
};
