import { attempt } from "../refusal.js";
import { slotText } from "../slot.js";
import { afterKinds, isRedoDue, NO_COURSE, NOT_AFTER, proposesInCourse } from "./declare.js";
import { broken, must, type Rules } from "./rule.js";

export const decide: Rules<"decide"> = {
  kinds: (body) => afterKinds(body.after),

  check(state, letter, body) {
    const slot = slotText(body.slot);
    const game = state.courseOf(body.slot);
    if (game !== null) {
      const { at, last } = game.spotIn(letter);
      const now = game.stateIn(letter);
      if (now === null || last === null) return broken("decide 4", "there is no state that awaits it");
      const awaited = game.awaits(now);
      must(awaited.is === "decision" && awaited.name === body.name && awaited.by === letter.author, "decide 4", `${body.name} is not awaited from ${letter.author}`);
      must(game.noteDueIn(letter) === null, "decide 4", "a standing note of the author's is to be opened instead");
      must(body.after === (at?.id ?? null), "decide 4", NOT_AFTER);
      const open = slotText(last.declaration.body.slot);
      must(open === slot, "decide 4", `it is awaited in ${open}`);
      must(!proposesInCourse(state, letter, "all"), "decide 4", "a proposal of the author's is not answered yet");
      must(!isRedoDue(state, letter, game), "decide 4", "a redo is due first");
      const decided = attempt(() => game.course.decide(now, body.name, body.value));
      if (!decided.ok) broken("decide 5", decided.text);
      return;
    }
    const decision = state.phaseOf(body.slot)?.decisions.find((one) => one.name === body.name);
    must(decision !== undefined && decision.how === "open" && decision.by === letter.author, "decide 1", `${slot} has no open decision ${body.name} by ${letter.author}`);
    must(body.after === null, "decide 1", NO_COURSE);
    must(!state.author(letter.author).decided.has(`${slot}/${body.name}`), "decide 2", `${body.name} has been decided`);
    must(!(state.bySlot.get(slot) ?? []).some((one) => letter.has(one.letter)), "decide 3", `${slot} has been declared`);
  },

  apply(state, letter, body) {
    const game = state.courseOf(body.slot);
    if (game !== null) {
      if (letter.breach !== null) return;
      game.decide(letter, body.name, body.value);
      state.author(letter.author).moves.push(letter);
      return;
    }
    const { decided } = state.author(letter.author);
    const name = `${slotText(body.slot)}/${body.name}`;
    if (!decided.has(name)) decided.set(name, letter);
  },
};
