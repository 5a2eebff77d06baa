import { must, type Rules } from "./rule.js";

export const key: Rules<"key"> = {
  kinds: () => [],

  check(state, letter, body) {
    if (body.is === "rotate") {
      must(state.proofs.of(letter.message), "key 1", "the new key is none, or its proof is not good");
      return;
    }
    // An ask is no letter (message 9).
    if (body.is === "ask") return;
    const { player, after } = body.value;
    must(state.isPlayer(letter.author) && state.isPlayer(player) && player !== letter.author, "key 2", "a key is admitted for the other player");
    must(letter.head.seen.get(player) === after, "key 2", "the key does not follow the last letter of his that the author has seen");
    must(state.proofs.of(letter.message), "key 2", "the new key is none, or its proof is not good");
  },

  apply: () => undefined,
};
