import type { State } from "../state.js";
import { must, type Rules } from "./rule.js";

/** Whether a receipt may hold a seal: it is valid, has a fallback, and no earlier receipt holds it (receipt 1). */
function mayHold(state: State, id: string): boolean {
  const seal = state.validSeal(id);
  return seal !== null && seal.context.fallback !== "" && seal.receipt === null;
}

export const receipt: Rules<"receipt"> = {
  kinds: (body) => body.deposit.seals.map((id) => [id, "seal"] as const),

  check(state, _letter, body) {
    for (const id of body.deposit.seals) must(mayHold(state, id), "receipt 1", `the set ${id.slice(0, 8)} is in breach, is not for the referee to hold, or is held already`);
  },

  // deposits 7: what is wrong with another seal does not matter.
  apply(state, letter, body) {
    if (letter.author !== state.chains.referee) return;
    for (const id of body.deposit.seals) {
      const seal = state.seal(id);
      if (seal === null) continue;
      seal.receipts.push(letter);
      if (mayHold(state, id)) seal.receipt = letter;
    }
  },
};
