import { must, type Rules } from "./rule.js";

/** An ask is in no chain, and is not judged: what comes here is an answer. */
export const resync: Rules<"resync"> = {
  kinds: () => [],

  check(state, letter, body) {
    if (body.is !== "answer") return;
    const { to } = body.value;
    must(to === state.other(letter.author) || to === state.chains.referee, "resync 1", "the answer is to the other player or the referee");
  },

  apply: () => undefined,
};
