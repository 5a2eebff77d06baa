import { sameJson } from "../json.js";
import { broken, must, type Rules } from "./rule.js";

export const result: Rules<"result"> = {
  kinds: (body) => [[body.declaration, "declare"]],

  check(state, letter, body) {
    const declaration = state.declarations.get(body.declaration);
    if (declaration === undefined) return broken("result 1", "the declaration is in breach");
    if (declaration.forfeited(letter)) return;
    must(declaration.shown(letter), "result 1", "the dice are not shown yet");
    const dice = declaration.dice();
    const right = dice === null ? null : declaration.reading.outcome(dice.map((roll) => roll.draws), declaration.redoIndex);
    must(body.outcome === "done", "result 2", "the outcome is done");
    must(right !== null && sameJson(right, body.public), "result 2", "this is not what the dice say");
  },

  apply: () => undefined,
};
