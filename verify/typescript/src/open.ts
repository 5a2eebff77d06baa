/** Open matters (audit 4): what is awaited from whom, and what a reader should know. */
import type { AcceptMessage, CharterMessage } from "./charter.js";
import type { Replay } from "./replay.js";
import type { OpenMatter } from "./report.js";
import { repeatsOf } from "./repeats.js";
import { slotText } from "./slot.js";
import { END } from "./state.js";
import { dueIn, pendingIn } from "./rules/declare.js";
import { decisionOf, isFound } from "./rules/reveal.js";

export function openMatters(replay: Replay, charter: CharterMessage, accept: AcceptMessage, complete: boolean): OpenMatter[] {
  const { state, chains } = replay;
  const open: OpenMatter[] = [];
  const say = (id: string, what: string, who: string | null, text: string): void => {
    open.push({ id, what, who, text });
  };
  // charter 18
  if (!charter.content.body.compared || !accept.content.body.compared) say(accept.id, "compared", null, "the players do not both claim to have compared their keys");
  for (const epoch of state.epochs) say(epoch.id, "epoch", epoch.author, "the office was restored from a backup, and opens nothing more of what it held before");
  for (const declaration of state.declarations.values()) {
    const { letter, seal, body } = declaration;
    const slot = slotText(body.slot);
    const hidden = state.isHidden(body.slot);
    if (hidden && (declaration.forfeited(END) || declaration.answered(END))) continue;
    if (declaration.forfeited(END)) {
      if (declaration.named === null) say(letter.id, "names", letter.author, `${letter.author} may name the dice of ${slot}`);
      continue;
    }
    if (!declaration.answered(END)) say(letter.id, "reveal", declaration.isWithOffice && seal?.takenBack(END) === false ? chains.office : (seal?.letter.author ?? null), `the envelopes of ${slot} are to be opened`);
    else if (!declaration.shown(END)) say(letter.id, "contribution", letter.author, complete || state.author(letter.author).closes.length > 0 ? `the private rolls of ${slot} are unproved` : `the rolls of ${slot} are private`);
  }
  for (const { declaration, text } of repeatsOf(state)) say(declaration.letter.id, "again", null, text);
  for (const player of chains.players) {
    for (const { id, number } of pendingIn(state, END, player)) say(id, "redo", player, `letter ${number} is in breach, and is to be declared again from the foul-up set`);
    for (const { acceptance, declaration } of dueIn(state, END, player)) say(acceptance.letter.id, "redo", player, `${slotText(declaration.body.slot)} is to be declared again, as was agreed`);
  }
  for (const [, seals] of state.validSeals) {
    for (const seal of seals) {
      if (seal.isOpen(END, 0)) continue;
      if (state.isStandingDue(END, seal)) say(seal.letter.id, "note", seal.letter.author, `the note for ${seal.body.purpose} is to be opened`);
      const decision = decisionOf(state, seal);
      if (decision === null) continue;
      const due =
        decision.how === "sealed"
          ? decision.by === seal.letter.author && (state.bySlot.get(decision.slot) ?? []).some((one) => isFound(seal, one.letter))
          : decision.how === "simultaneous" && state.notes(END, seal.body.purpose, state.other(seal.letter.author)).length > 0;
      if (due) say(seal.letter.id, "note", seal.letter.author, `the note for ${seal.body.purpose} is to be opened`);
    }
  }
  for (const game of state.courses.values()) {
    const { last } = game.spotIn(END);
    const now = game.stateIn(END);
    const awaited = now === null ? null : game.awaits(now);
    if (last !== null && awaited?.is === "more" && game.isHidden) say(last.declaration.letter.id, "next", awaited.by, `${awaited.by} declares next, in turn ${awaited.turn}`);
    else if (last !== null && awaited?.is === "more") say(last.declaration.letter.id, "more", awaited.by, `${awaited.by} rolls on for ${slotText(last.declaration.body.slot)}`);
    if (last !== null && awaited?.is === "decision" && game.noteDueIn(END) === null) say(last.declaration.letter.id, "decide", awaited.by, `${awaited.by} decides ${awaited.name} for ${slotText(last.declaration.body.slot)}`);
  }
  // hidden 9
  for (const game of state.courses.values()) {
    for (const { declaration, open: opened } of game.sheetsAtEnd()) {
      const { author, id } = declaration.letter;
      const slot = slotText(declaration.body.slot);
      if (opened) say(id, "sheet", author, `what ${author} states in ${slot} rests on a sheet that was not run again here; sealed-dice audit does that, and the Python checker`);
      else say(id, "unproved", author, `what ${author} states in ${slot} rests on a sheet that is not opened${state.author(author).closes.length > 0 ? ", and is unproved" : ""}`);
    }
  }
  for (const proposal of state.proposals.values()) {
    if (!state.answeredProposal(END, proposal)) say(proposal.letter.id, "answer", state.other(proposal.letter.author), proposal.scope === null ? "a correction is proposed" : "a void is proposed");
  }
  for (const claim of state.claims.values()) {
    if (!state.stands(END, claim)) continue;
    say(claim.letter.id, "claim", claim.stall?.owes ?? null, claim.stall === null ? `${claim.letter.author} disputes` : `${claim.letter.author} says that ${claim.stall.owes} does not answer`);
  }
  for (const { by, loser } of state.gamesForfeited) say(by.id, "forfeit", loser, `${loser} forfeits the game`);
  for (const player of chains.players) {
    const own = state.author(player);
    const other = state.author(state.other(player));
    const [last] = other.closes;
    if (last !== undefined && own.closeWithMasters === null) say(last.id, "masters", player, `${player} owes the remaining keys`);
  }
  return open;
}
