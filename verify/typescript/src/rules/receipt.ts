import type { Letter } from "../letter.js";
import type { OfficeTrail, SealState, State } from "../state.js";
import { broken, must, type Rules } from "./rule.js";

/** deposits 8: whether a receipt of the referee's holds a set: valid, with a fallback, and held by no earlier one. */
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
  // The last earlier epoch has all others in its past.
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

/** What a letter of the office's has before it in its own chain, of which no branch falls (office 22). */
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

/** deposits 8: what is wrong with another seal does not matter. */
function applyReferees(state: State, letter: Letter, seals: readonly string[]): void {
  for (const id of seals) {
    const seal = state.validSeal(id);
    if (mayHold(seal)) seal.receipt = letter;
  }
}

/** office 23: a set that a receipt holds: it is valid, and has the office as its revealer. */
function forOffice(state: State, id: string): readonly SealState[] {
  const seal = state.validSeal(id);
  return seal?.isForOffice === true ? [seal] : [];
}

/** A letter that does the same as one that it follows by `prev` does nothing more. */
function note(done: Letter[], letter: Letter): void {
  if (!done.some((before) => letter.inBranchOf(before))) done.push(letter);
}

/** office 23: what a letter of the office's does, whatever rule it breaks but chain 2. */
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
