import type { Letter } from "../letter.js";
import type { OfficeTrail, SealState, State } from "../state.js";
import { broken, must, type Rules } from "./rule.js";

/** Whether a referee's receipt holds a set: it is valid, has a fallback, and no earlier receipt holds it (deposits 8). */
function mayHold(seal: SealState | null): seal is SealState {
  return seal !== null && seal.context.fallback !== "" && seal.receipt === null;
}

// receipt 1, 4, 5
function checkDeposit(state: State, letter: Letter, ids: readonly string[]): void {
  const isReferee = letter.author === state.chains.referee;
  const seals = ids.map((id) => {
    const seal = state.validSeal(id);
    if (seal === null) return broken("receipt 1", `the set ${id} is in breach itself`);
    const before = isReferee ? seal.receipt !== null : seal.officeReceipts.some((one) => letter.inBranchOf(one));
    must(!before, "receipt 1", `the set ${id} is held already`);
    return seal;
  });
  // The last earlier epoch has all other earlier epochs in its past.
  const { epoch } = trailBefore(state, letter);
  for (const seal of seals) {
    const { id } = seal.letter;
    if (isReferee) {
      must(seal.context.fallback !== "", "receipt 4", `the set ${id} has no fallback`);
      continue;
    }
    must(seal.isForOffice, "receipt 5", `the set ${id} is not the office's to open`);
    const knows = epoch === null || seal.letter.has(epoch);
    must(knows, "receipt 5", `the set ${id} was sealed without knowing the office's epoch`);
  }
}

/** The trail before a letter by the office, in its own chain; none of its branches fall (office 22). */
function trailBefore(state: State, { prev }: Letter): OfficeTrail {
  return (prev === null ? undefined : state.officeTrails.get(prev)) ?? { epoch: null, clock: 0 };
}

export const receipt: Rules<"receipt"> = {
  kinds: (body) => (body.is === "deposit" || body.is === "hand_back" ? body.value.seals.map((id) => [id, "seal"] as const) : []),

  check(state, letter, body) {
    switch (body.is) {
      case "deposit":
        checkDeposit(state, letter, body.value.seals);
        return;
      case "hand_back":
        for (const id of body.value.seals) must(state.seal(id)?.isWithOffice(letter) ?? false, "receipt 2", `the set ${id} is not held, or was taken back`);
        return;
      case "epoch":
      case "time":
        must(body.value.at >= trailBefore(state, letter).clock, "receipt 3", "an earlier receipt shows a later time");
    }
  },

  apply(state, letter, body) {
    if (letter.author === state.chains.referee && body.is === "deposit") applyReferees(state, letter, body.value.seals);
  },
};

/** A fault in another seal of the receipt does not matter (deposits 8). */
function applyReferees(state: State, letter: Letter, seals: readonly string[]): void {
  for (const id of seals) {
    const seal = state.validSeal(id);
    if (mayHold(seal)) seal.receipt = letter;
  }
}

/** Whether a receipt holds a set: the set is valid, and the office is its revealer (office 23). */
function forOffice(state: State, id: string): readonly SealState[] {
  const seal = state.validSeal(id);
  return seal?.isForOffice === true ? [seal] : [];
}

/** Skips an effect that an earlier letter along `prev` already had. */
function note(done: Letter[], letter: Letter): void {
  if (!done.some((before) => letter.inBranchOf(before))) done.push(letter);
}

/** Applies a letter by the office, even if it breaks a rule other than chain 2 (office 23). */
export function applyFact(state: State, letter: Letter): void {
  const { author, content, detached } = letter;
  if (author !== state.chains.office || detached !== "no") return;
  let { epoch, clock } = trailBefore(state, letter);
  if (content.kind === "receipt") {
    const { body } = content;
    switch (body.is) {
      case "deposit":
        for (const id of body.value.seals) for (const seal of forOffice(state, id)) note(seal.officeReceipts, letter);
        break;
      case "hand_back":
        for (const id of body.value.seals) note(state.seal(id)?.takenBackBy ?? [], letter);
        break;
      case "epoch":
        state.epochs.push(letter);
        epoch = letter;
    }
    if (body.is === "epoch" || body.is === "time") {
      state.times.push({ by: letter, at: body.value.at });
      clock = Math.max(clock, body.value.at);
    }
  }
  state.officeTrails.set(letter, { epoch, clock });
}
