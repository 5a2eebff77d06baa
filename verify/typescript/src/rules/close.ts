import { hexBytes } from "../bytes.js";
import { openNote } from "../envelope.js";
import { attempt } from "../refusal.js";
import { lastIn } from "../state.js";
import { broken, must, type Rules } from "./rule.js";

export const close: Rules<"close"> = {
  kinds: (body) => (body.masters ?? []).map((entry) => [entry.seal, "seal"] as const),

  check(state, letter, body) {
    const { masters } = body;
    if (masters === null) return;
    const other = lastIn(letter, state.author(state.other(letter.author)).closes);
    must(other !== null, "close 1", "masters follow the other's close");
    const seals = state.author(letter.author).seals;
    must(masters.length === seals.length && seals.every((seal, i) => seal.id === masters[i]?.seal), "close 2", "the masters are not those of all sets, in the order of the chain");
    // close 3
    for (const { master, seal: id } of masters) {
      const seal = state.validSeal(id);
      if (seal === null) continue;
      const { keys, matches } = state.openings.master(seal.letter, seal.body, master);
      const wrong = matches.indexOf(false);
      must(wrong < 0, "close 3", `place ${wrong} of ${seal.body.purpose} is not what was sealed`);
      for (const [index, ciphertext] of (seal.body.notes ?? []).entries()) {
        const note = attempt(() => openNote(seal.context, keys[index] ?? new Uint8Array(0), seal.body.commits[index] ?? "", hexBytes(ciphertext)));
        if (!note.ok) broken("close 3", `the note of ${seal.body.purpose} does not open: ${note.text}`);
      }
    }
  },

  apply(state, letter, body) {
    const own = state.author(letter.author);
    own.closes.push(letter);
    own.declarationsAndCloses.push(letter);
    if (letter.breach !== null) return;
    own.validClose ??= letter;
    if (body.masters !== null) own.closeWithMasters ??= letter;
  },
};
