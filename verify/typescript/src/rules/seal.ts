import { readSlot } from "../slot.js";
import type { State } from "../state.js";
import type { BodyOf } from "../kinds.js";
import type { Letter } from "../letter.js";
import { add } from "../lists.js";
import { readNotePurpose, revealerOf } from "../office.js";
import { field } from "../json.js";
import { must, type Rules } from "./rule.js";

function numbered(purpose: string, kind: string): boolean {
  return purpose.startsWith(`${kind}/`) && /^[1-9][0-9]{0,3}$/.test(purpose.slice(kind.length + 1));
}

/** The name of a note that is a sheet (hidden 2). */
export const SHEET = "sheet";
/** Bytes that the cipher adds. */
const TAG_BYTES = 16;

interface Purpose {
  readonly fits: boolean;
  readonly envelopes: number | null;
  /** The length of a sheet of a hidden course. */
  readonly sheetBytes?: number | null;
}

/** Whether the purpose fits the kind, with the number of envelopes and the bytes of a sheet that it requires. */
function purposeFits(state: State, body: BodyOf<"seal">): Purpose {
  const { kind, purpose } = body;
  switch (kind) {
    case "sheet":
    case "foul-up":
    case "contribution":
      return { fits: numbered(purpose, kind), envelopes: null };
    case "note": {
      const { slot, name } = readNotePurpose(purpose);
      const named = /^[a-z][a-z0-9-]{0,31}$/.test(name);
      const sheetBytes = slot !== null && name === SHEET ? (state.courseOf(slot)?.course.hidden?.sheetBytes ?? null) : null;
      return { fits: slot !== null && named && state.phaseOf(slot) !== null, envelopes: null, sheetBytes };
    }
    case "coin":
    case "plain": {
      const slot = readSlot(purpose);
      const phase = slot === null ? null : state.phaseOf(slot);
      const isSource = phase !== null && phase.source === kind;
      const envelopes = kind === "plain" ? 1 : isSource ? field(phase.settings, "envelopes") : null;
      return { fits: isSource && (phase.declarer === null || phase.declarer === body.declarer), envelopes: typeof envelopes === "number" ? envelopes : null };
    }
  }
}

// office 5, 6
function revealerFor(state: State, letter: Letter, body: BodyOf<"seal">): string {
  return revealerOf(state.chains.charter, letter.author, body, (slot) => state.courseOf(slot)?.course ?? null);
}

export const seal: Rules<"seal"> = {
  kinds: () => [],

  check(state, letter, body) {
    const byHim = body.kind === "note" || body.kind === "contribution";
    must(body.declarer === (byHim ? letter.author : state.other(letter.author)), "seal 1", byHim ? "the declarer of such a set is its sealer" : "the declarer of a set is the opponent of its sealer");
    must(body.revealer === revealerFor(state, letter, body), "seal 1", `the revealer is not ${body.revealer}`);
    const { fits, envelopes, sheetBytes = null } = purposeFits(state, body);
    if (envelopes !== null) must(body.n === envelopes, "seal 2", `such a set has ${envelopes} envelopes, not ${body.n}`);
    if (body.kind === "foul-up") must(body.n === state.chains.charter.foul_up.envelopes, "seal 2", `a foul-up set has ${state.chains.charter.foul_up.envelopes} envelopes, not ${body.n}`);
    if (body.kind === "note") must(body.n === 1, "seal 2", "a note is one");
    // hidden 2
    if (sheetBytes !== null) must(body.notes?.[0]?.length === 2 * (sheetBytes + TAG_BYTES), "seal 2", `a sheet has ${sheetBytes} bytes, and ${TAG_BYTES} of the cipher`);
    must(fits, "seal 3", `a set of kind ${body.kind} cannot have the purpose ${body.purpose}`);
    const same = state.validSeals.get(`${body.kind} ${body.purpose}`) ?? [];
    const own = same.filter((one) => one.letter.author === letter.author);
    must(own.every((one) => one.killed(letter)), "seal 4", `there is a set for ${body.purpose} already`);
    must(new Set(body.commits).size === body.commits.length, "seal 5", "a commitment stands twice");
    must(!body.commits.some((commit) => (state.commits.get(commit) ?? []).some((other) => letter.has(other))), "seal 5", "a commitment stands in another seal");
  },

  apply(state, letter, body) {
    state.author(letter.author).seals.push(letter);
    for (const commit of body.commits) {
      const first = state.commits.get(commit) ?? [];
      // Every view with a later seal by this author also has the first one.
      if (!first.some((other) => other.author === letter.author)) state.commits.set(commit, [...first, letter]);
    }
    const made = state.seal(letter.id);
    if (letter.breach === null && made !== null) add(state.validSeals, `${body.kind} ${body.purpose}`, made);
  },
};
