import { sameJson } from "../json.js";
import type { Letter } from "../letter.js";
import { scopeDeclarations } from "../names.js";
import { attempt } from "../refusal.js";
import type { Proposal, State } from "../state.js";
import { broken, must, type Rules } from "./rule.js";
import { applyVoid, checkInCourse, checkNothingSince, checkRedo, checkScope } from "./scope.js";

type Correction = NonNullable<Proposal["correction"]>;

// correct 1
function checkCorrection(state: State, letter: Letter, body: Correction): void {
  const declaration = state.declarations.get(body.declaration);
  if (declaration === undefined) return broken("correct 1", "the declaration is in breach");
  must(!declaration.replaced(letter), "correct 1", "the declaration was done again");
  must(state.isKnown(letter, declaration), "correct 1", "first the reveal, then the objection");
  must(!declaration.anyVoid(letter), "correct 1", "a roll of the declaration is void");
  must(state.isPlayer(body.at_fault), "correct 1", `${body.at_fault} is no player`);
  // correct 2, 6
  if (body.input === null) return;
  must(!state.isHidden(declaration.body.slot), "correct 2", "in a hidden course nothing is declared again, for the sheet would stay what it was");
  must(state.chains.charter.foul_up.remedies[body.class] === "redo", "correct 2", `the charter keeps the dice for ${body.class}`);
  checkNothingSince(state, letter, declaration, "correct 6");
  const input = body.input;
  const system = state.system(declaration.phase);
  const read = system === null ? null : attempt(() => system.read(input, true));
  must(read !== null && read.ok && sameJson(read.value.canonical, input), "correct 2", "the input is not valid and canonical for a redo");
  // courses 10
  const game = state.courseOf(declaration.body.slot);
  if (game === null) return;
  must(game.isLast(letter, declaration), "correct 2", "the course has gone on since");
  const before = game.stateBefore(declaration);
  const turn = before === null ? null : attempt(() => game.course.turn(before, input));
  must(turn !== null && turn.ok && sameJson(turn.value.canonical, input), "correct 2", "the state does not take the input");
}

// correct 3
function checkNoOther(state: State, letter: Letter, declarations: readonly string[]): void {
  for (const id of declarations) {
    const last = state.lastProposal.get(`${letter.author} ${id}`);
    must(last === undefined || state.answeredProposal(letter, last), "correct 3", "a proposal for this declaration is not answered yet");
  }
}

/** Applies a valid acceptance, by a player or by the referee for them (disputes 22). */
export function acceptProposal(state: State, by: Letter, proposal: Proposal): void {
  const acceptance = { letter: by, proposal };
  state.acceptances.set(by.id, acceptance);
  proposal.agreements.push(by);
  if (proposal.scope !== null) applyVoid(state, by, proposal.scope);
  if (proposal.correction === null || proposal.correction.input === null) return;
  const declaration = state.declarations.get(proposal.correction.declaration);
  if (declaration !== undefined) state.author(declaration.letter.author).due.push(acceptance);
}

export const correct: Rules<"correct"> = {
  kinds(body) {
    switch (body.is) {
      case "propose":
        return [[body.value.declaration, "declare"]];
      // disputes 1
      case "void":
        return scopeDeclarations(body.value.scope).map((id) => [id, "declare"] as const);
      default:
        return [[body.value, "correct"]];
    }
  },

  check(state, letter, body) {
    switch (body.is) {
      case "propose":
        checkCorrection(state, letter, body.value);
        checkNoOther(state, letter, [body.value.declaration]);
        return;
      case "void":
        checkNoOther(state, letter, scopeDeclarations(body.value.scope));
        checkScope(state, letter, body.value.scope, "correct 5");
        return;
      case "accept":
      case "refuse": {
        const proposal = state.proposals.get(body.value);
        if (proposal === undefined) return broken("correct 4", "this is no valid proposal");
        must(proposal.letter.author !== letter.author, "correct 4", "nobody answers himself");
        const before = state.author(letter.author).letters.at(-1);
        must(before === undefined || !before.has(proposal.letter), "correct 4", "it has been answered by an earlier letter");
        must(!proposal.agreements.some((ruling) => ruling.kind === "ruling" && letter.has(ruling)), "correct 4", "the referee has agreed to it");
        if (body.is === "refuse") return;
        checkInCourse(state, letter, proposal);
        checkRedo(state, letter, proposal, "correct 6", "correct 7");
      }
    }
  },

  apply(state, letter, body) {
    if (letter.breach !== null) return;
    switch (body.is) {
      case "propose":
      case "void": {
        const declarations = body.is === "propose" ? [body.value.declaration] : scopeDeclarations(body.value.scope);
        const proposal: Proposal = {
          letter,
          declarations,
          correction: body.is === "propose" ? body.value : null,
          scope: body.is === "void" ? body.value.scope : null,
          agreements: [],
        };
        state.proposals.set(letter.id, proposal);
        state.author(letter.author).unanswered.push(proposal);
        for (const id of declarations) state.lastProposal.set(`${letter.author} ${id}`, proposal);
        return;
      }
      case "accept": {
        const proposal = state.proposals.get(body.value);
        if (proposal !== undefined) acceptProposal(state, letter, proposal);
        return;
      }
      case "refuse":
        return;
    }
  },
};
