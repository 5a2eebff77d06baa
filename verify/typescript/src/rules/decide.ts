import { slotText } from "../slot.js";
import { must, type Rules } from "./rule.js";

export const decide: Rules<"decide"> = {
  kinds: () => [],

  check(state, letter, body) {
    const slot = slotText(body.slot);
    const decision = state.phaseOf(body.slot)?.decisions.find((one) => one.name === body.name);
    must(decision !== undefined && decision.how === "open" && decision.by === letter.author, "decide 1", `${slot} has no open decision ${body.name} by ${letter.author}`);
    must(!state.author(letter.author).decided.has(`${slot}/${body.name}`), "decide 2", `${body.name} has been decided`);
    must(!(state.bySlot.get(slot) ?? []).some((one) => letter.has(one.letter)), "decide 3", `${slot} has been declared`);
  },

  apply(state, letter, body) {
    const { decided } = state.author(letter.author);
    const name = `${slotText(body.slot)}/${body.name}`;
    if (!decided.has(name)) decided.set(name, letter);
  },
};
