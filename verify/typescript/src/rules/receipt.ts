import type { BodyOf } from "../kinds.js";
import type { Letter } from "../letter.js";
import type { SealState, State } from "../state.js";
import { must, type Rules } from "./rule.js";

/** Whether a receipt of the referee's may hold a set: it is valid, has a fallback, and no earlier receipt of his holds it (receipt 1). */
function mayHold(seal: SealState | null): seal is SealState {
  return seal !== null && seal.context.fallback !== "" && seal.receipt === null;
}

/** receipt 1, of the office's: the revealer is the office, no earlier receipt holds it, and every earlier epoch is in its past, so the last one. */
function mayKeep({ lastEpoch }: State, seal: SealState | null): boolean {
  return seal !== null && seal.isForOffice && !seal.isReceipted && (lastEpoch === null || seal.letter.has(lastEpoch));
}

export const receipt: Rules<"receipt"> = {
  kinds: (body) => (body.is === "deposit" || body.is === "hand_back" ? body.value.seals.map((id) => [id, "seal"] as const) : []),

  check(state, letter, body) {
    const isReferee = letter.author === state.chains.referee;
    switch (body.is) {
      case "deposit":
        for (const id of body.value.seals) {
          const seal = state.validSeal(id);
          must(isReferee ? mayHold(seal) : mayKeep(state, seal), "receipt 1", `the set ${id} is in breach, is not for ${letter.author} to hold, or is held already`);
        }
        return;
      case "hand_back":
        for (const id of body.value.seals) must(state.seal(id)?.isWithOffice(letter) ?? false, "receipt 2", `the set ${id} is not held, or was taken back`);
        return;
      case "epoch":
      case "time":
        must(body.value.at >= state.officeClock, "receipt 3", "an earlier receipt shows a later time");
    }
  },

  apply(state, letter, body) {
    if (letter.author === state.chains.referee && body.is === "deposit") applyReferees(state, letter, body.value.seals);
    if (letter.author === state.chains.office) applyOffices(state, letter, body);
  },
};

/** deposits 7: what is wrong with another seal does not matter. */
function applyReferees(state: State, letter: Letter, seals: readonly string[]): void {
  for (const id of seals) {
    state.seal(id)?.receipts.push(letter);
    const seal = state.validSeal(id);
    if (mayHold(seal)) seal.receipt = letter;
  }
}

/** What the office's later receipts are judged by. */
function applyOffices(state: State, letter: Letter, body: BodyOf<"receipt">): void {
  if (body.is === "epoch") state.lastEpoch = letter;
  if (body.is === "epoch" || body.is === "time") state.officeClock = Math.max(state.officeClock, body.value.at);
  else if (body.is === "deposit") for (const id of body.value.seals) for (const seal of forOffice(state, id)) seal.isReceipted = true;
}

/** office 9: a set that a receipt holds: it is valid, and has the office as its revealer. */
function forOffice(state: State, id: string): readonly SealState[] {
  const seal = state.validSeal(id);
  return seal?.isForOffice === true ? [seal] : [];
}

/** A letter that does the same as one in its past does nothing more. */
function note(done: Letter[], letter: Letter): void {
  if (!done.some((before) => letter.has(before))) done.push(letter);
}

/** office 9: what a receipt of the office's does, on whatever branch, and whatever rule it breaks but chain 2 and 3. */
export function applyFact(state: State, letter: Letter): void {
  const { author, content, detached, badSeen } = letter;
  if (content.kind !== "receipt" || author !== state.chains.office || detached !== "no" || badSeen !== null) return;
  switch (content.body.is) {
    case "deposit":
      for (const id of content.body.value.seals) for (const seal of forOffice(state, id)) note(seal.officeReceipts, letter);
      return;
    case "hand_back":
      for (const id of content.body.value.seals) note(state.seal(id)?.takenBackBy ?? [], letter);
      return;
    case "epoch":
      state.epochs.push(letter);
      state.times.push({ by: letter, at: content.body.value.at });
      return;
    case "time":
      state.times.push({ by: letter, at: content.body.value.at });
  }
}
