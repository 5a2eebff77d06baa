import { must, type Rules } from "./rule.js";

/** An ask is in no chain, and is not judged: what comes here is an answer. */
export const resync: Rules<"resync"> = {
  kinds: () => [],

  check(state, letter, body) {
    if (body.is !== "answer") return;
    const { to } = body.value;
    must(to !== letter.author && state.chains.roles.includes(to), "resync 1", "the answer is to another role of the game");
  },

  apply: () => undefined,
};
