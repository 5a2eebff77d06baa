import type { BodyOf } from "../kinds.js";
import type { Letter } from "../letter.js";
import type { State } from "../state.js";
import { must, type Rules } from "./rule.js";

type Body = BodyOf<"receipt">;

/** Whether a receipt may hold a seal: it is valid, it is one for its author to hold, and no earlier receipt of his holds it; of the office's, it knows each earlier epoch (receipt 1). */
function mayHold(state: State, by: string, id: string): boolean {
  const seal = state.validSeal(id);
  if (seal === null) return false;
  if (by === state.chains.office) return seal.body.revealer === by && seal.officeReceipt === null && state.epochs.every((epoch) => seal.letter.has(epoch));
  return seal.context.fallback !== "" && seal.receipt === null;
}

/** Whether the office holds a seal by an earlier receipt, and nothing in the past of a letter takes it back (receipt 2). */
function isHeld(state: State, letter: Letter, id: string): boolean {
  return state.seal(id)?.isHeldFor(letter) ?? false;
}

/** office 9 */
function beginEpoch(state: State, epoch: Letter): void {
  for (const seal of state.heldByOffice) if (seal.isHeldFor(epoch)) seal.takenBackBy.push(epoch);
  state.epochs.push(epoch);
}

// deposits 7
function applyReferees(state: State, letter: Letter, body: Body): void {
  if (body.is !== "deposit") return;
  for (const id of body.value.seals) {
    const seal = state.seal(id);
    if (seal === null) continue;
    seal.receipts.push(letter);
    if (mayHold(state, letter.author, id)) seal.receipt = letter;
  }
}

/** office 12: what is wrong with another seal does not matter, nor with an epoch. */
function applyOffices(state: State, letter: Letter, body: Body): void {
  switch (body.is) {
    case "deposit":
      for (const id of body.value.seals) {
        const seal = mayHold(state, letter.author, id) ? state.seal(id) : null;
        if (seal === null) continue;
        seal.officeReceipt = letter;
        state.heldByOffice.push(seal);
      }
      return;
    case "hand_back":
      for (const id of body.value.seals) if (isHeld(state, letter, id)) state.seal(id)?.takenBackBy.push(letter);
      return;
    case "epoch":
      beginEpoch(state, letter);
      state.officeClock = Math.max(state.officeClock, body.value.at);
      return;
    case "time":
      state.officeClock = Math.max(state.officeClock, body.value.at);
  }
}

export const receipt: Rules<"receipt"> = {
  kinds: (body) => (body.is === "deposit" || body.is === "hand_back" ? body.value.seals.map((id) => [id, "seal"] as const) : []),

  check(state, letter, body) {
    switch (body.is) {
      case "deposit":
        for (const id of body.value.seals) must(mayHold(state, letter.author, id), "receipt 1", `the set ${id.slice(0, 8)} is in breach, is not for ${letter.author} to hold, or is held already`);
        return;
      case "hand_back":
        for (const id of body.value.seals) must(isHeld(state, letter, id), "receipt 2", `the set ${id.slice(0, 8)} is not held, or was taken back`);
        return;
      case "epoch":
      case "time":
        must(body.value.at >= state.officeClock, "receipt 3", "an earlier receipt shows a later time");
    }
  },

  apply(state, letter, body) {
    if (letter.author === state.chains.referee) applyReferees(state, letter, body);
    if (letter.author === state.chains.office) applyOffices(state, letter, body);
  },
};
