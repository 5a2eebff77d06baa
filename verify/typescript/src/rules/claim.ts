import type { BodyOf } from "../kinds.js";
import type { Letter } from "../letter.js";
import { add } from "../lists.js";
import { has, type DeclarationState, type State } from "../state.js";
import { drawRoll } from "../roll.js";
import { decisionOf, isFound } from "./reveal.js";
import { broken, must, type Rules } from "./rule.js";

type Stall = Extract<BodyOf<"claim">, { readonly is: "stall" }>["value"];

/** Whether a note by the other player is due and not opened (claim 5, 6; secrets 8; courses 13). */
function noteIsDue(state: State, letter: Letter, id: string): boolean {
  const seal = state.validSeal(id);
  const owes = state.other(letter.author);
  if (seal === null || seal.letter.author !== owes || !has(letter, seal.letter) || seal.isOpen(letter, 0)) return false;
  const decision = decisionOf(state, seal);
  if (decision === null) return state.isStandingDue(letter, seal);
  if (decision.how === "sealed") return decision.by === owes && (state.bySlot.get(decision.slot) ?? []).some((one) => letter.has(one.letter) && isFound(seal, one.letter));
  return decision.how === "simultaneous" && state.notes(letter, seal.body.purpose, letter.author).length > 0;
}

// claim 1, 5
function checkStall(state: State, letter: Letter, stall: Stall): void {
  must(stall.owes === state.other(letter.author), "claim 1", "who owes is the other player");
  if (stall.step !== "reveal") {
    must(stall.letter === null, "claim 1", "such a stall names no letter");
    return;
  }
  const id = stall.letter;
  if (id === null) return broken("claim 5", "it does not say what is not revealed");
  const declaration = state.declarations.get(id);
  if (declaration !== undefined) {
    must(declaration.letter.author === letter.author, "claim 5", "the declaration is not the author's");
    must(!declaration.answered(letter) && !declaration.forfeited(letter), "claim 5", "nothing is owed");
    return;
  }
  must(noteIsDue(state, letter, id), "claim 5", "nothing is owed");
}

/** Records a forfeit (disputes 14). */
export function forfeit(state: State, by: Letter, declaration: DeclarationState): void {
  declaration.forfeits.push(by);
  state.change(by, declaration);
}

export const claim: Rules<"claim"> = {
  kinds(body) {
    switch (body.is) {
      case "stall":
        return body.value.letter === null ? [] : [[body.value.letter, "declare", "seal"]];
      case "dispute":
        return [];
      case "withdraw":
        return [[body.value, "claim"]];
      case "yield":
        return body.value.declaration === null ? [] : [[body.value.declaration, "declare"]];
      case "names":
        return [[body.value.declaration, "declare"], [body.value.forfeit, "claim", "ruling"]];
    }
  },

  check(state, letter, body) {
    switch (body.is) {
      case "stall":
        checkStall(state, letter, body.value);
        return;
      case "dispute":
        return;
      case "withdraw": {
        const claimed = state.claims.get(body.value);
        must(claimed !== undefined && claimed.letter.author === letter.author, "claim 2", "this is no claim of the author");
        must(!state.author(letter.author).withdrawn.has(body.value), "claim 2", "it has been withdrawn");
        return;
      }
      case "yield": {
        const { declaration: id, forfeit } = body.value;
        if (forfeit === "game") {
          must(id === null, "claim 3", "who yields the game names no declaration");
          return;
        }
        const declaration = id === null ? undefined : state.declarations.get(id);
        if (declaration === undefined) return broken("claim 3", "this is no valid declaration");
        must(declaration.seal !== null && declaration.seal.letter.author === letter.author, "claim 3", "the set is not the author's");
        const isOfCourse = state.courseOf(declaration.body.slot) !== null;
        must(!isOfCourse || declaration.seal.body.revealer === letter.author, "claim 3", "the office opens this set of a course");
        must(!declaration.held, "claim 3", "the referee holds these dice");
        must(!declaration.seal.isWithOffice(letter), "claim 3", "the dice are with the office");
        must(!declaration.answered(letter) && !declaration.forfeited(letter), "claim 3", "nothing is owed");
        return;
      }
      case "names": {
        const { declaration: id, dice, forfeit } = body.value;
        const declaration = state.declarations.get(id);
        if (declaration === undefined || declaration.letter.author !== letter.author) return broken("claim 4", "this is no valid declaration of the author");
        must(!state.isHidden(declaration.body.slot), "claim 4", "in a hidden course the next sheet names the dice");
        const by = state.letter(forfeit);
        must(by !== null && declaration.forfeits.includes(by) && letter.has(by), "claim 4", "its dice are not forfeited by that letter");
        must(declaration.named === null, "claim 4", "its dice have been named");
        const game = state.courseOf(declaration.body.slot);
        let taken = 0;
        for (const roll of game?.rolls(declaration) ?? declaration.reading.rolls) {
          drawRoll(roll, ({ sides }) => {
            const die = dice[taken++];
            if (die === undefined) return broken("claim 4", `it takes more than ${dice.length} dice`);
            must(die <= sides, "claim 4", "a die does not have so many sides");
            return die;
          });
        }
        must(taken === dice.length, "claim 4", `it takes ${taken} dice, not ${dice.length}`);
      }
    }
  },

  apply(state, letter, body) {
    if (letter.breach !== null) return;
    switch (body.is) {
      case "stall": {
        const { step, letter: about } = body.value;
        if (step === "reveal" && about !== null) add(state.stalls, about, letter);
        state.claims.set(letter.id, { letter, stall: body.value, ends: [] });
        return;
      }
      case "dispute":
        state.claims.set(letter.id, { letter, stall: null, ends: [] });
        return;
      case "withdraw":
        state.author(letter.author).withdrawn.add(body.value);
        state.claims.get(body.value)?.ends.push(letter);
        return;
      case "yield": {
        const declaration = body.value.declaration === null ? undefined : state.declarations.get(body.value.declaration);
        if (declaration === undefined) state.gamesForfeited.push({ by: letter, loser: letter.author });
        else forfeit(state, letter, declaration);
        return;
      }
      case "names": {
        const declaration = state.declarations.get(body.value.declaration);
        if (declaration === undefined) return;
        declaration.named = { by: letter, dice: body.value.dice };
        state.author(letter.author).moves.push(letter);
        state.change(letter, declaration);
      }
    }
  },
};
