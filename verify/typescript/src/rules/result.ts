import { sameJson, type JsonObject } from "../json.js";
import type { DeclarationState, State, View } from "../state.js";
import { broken, must, type Rules } from "./rule.js";

/** What the dice of a declaration say that is shown, or null while it is not settled (courses 2). */
export function resultOf(state: State, view: View, declaration: DeclarationState): { readonly outcome: "done" | "needs"; readonly public: JsonObject } | null {
  const game = state.courseOf(declaration.body.slot);
  if (game !== null) {
    const step = game.outcome(view, declaration)?.step ?? null;
    return step === null ? null : { outcome: game.awaits(step.state).is === "turn" ? "done" : "needs", public: step.public };
  }
  const dice = declaration.dice();
  if (dice === null) return null;
  return { outcome: "done", public: declaration.reading.outcome(dice.map((roll) => roll.draws.map((draw) => draw.value)), declaration.redoIndex) };
}

export const result: Rules<"result"> = {
  kinds: (body) => [[body.declaration, "declare"]],

  check(state, letter, body) {
    const declaration = state.declarations.get(body.declaration);
    if (declaration === undefined) return broken("result 1", "the declaration is in breach");
    must(!state.isHidden(declaration.body.slot), "result 1", "what was rolled in a hidden course is its declarer's secret");
    if (declaration.forfeited(letter)) return;
    must(declaration.shown(letter), "result 1", "the dice are not shown yet");
    const right = resultOf(state, letter, declaration);
    if (right === null) return broken("result 1", "the declaration is not settled yet");
    must(body.outcome === right.outcome, "result 2", `the outcome is ${right.outcome}`);
    must(sameJson(right.public, body.public), "result 2", "this is not what the dice say");
  },

  apply: () => undefined,
};
