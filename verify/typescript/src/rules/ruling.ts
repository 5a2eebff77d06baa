import type { BodyOf, Kind } from "../kinds.js";
import { openedByRuling } from "../deposits.js";
import type { Letter } from "../letter.js";
import { add } from "../lists.js";
import { scopeDeclarations } from "../names.js";
import type { State } from "../state.js";
import { forfeit } from "./claim.js";
import { acceptProposal } from "./correct.js";
import { checkKeys, decisionOf } from "./reveal.js";
import { broken, must, type Rules } from "./rule.js";
import { applyVoid, checkNotOfCourse, checkRedo, checkScope } from "./scope.js";

type Rule = BodyOf<"ruling">["rule"];

/** The kind of letter that each ruling names (letters 5); any kind where the table gives none. */
const KINDS: Readonly<Partial<Record<Rule["is"], Kind>>> = { request: "claim", kill: "seal", dismiss: "claim", agree: "correct" };

/** A declaration's `select` in the form of reveal 4 (ruling 8): indices, or columns with their deepest rows. */
function statedPlaces({ select }: BodyOf<"declare">): { readonly indices: readonly number[]; readonly cells: readonly (readonly [number, number])[] } {
  switch (select?.is) {
    case undefined:
      return { indices: [], cells: [] };
    case "worksheet":
      return { indices: [...new Set(select.value.rows.map(([envelope]) => envelope))], cells: [] };
    case "foul_up":
    case "plain":
      return { indices: [select.value.index], cells: [] };
    case "cells": {
      const depths = new Map<number, number>();
      for (const [column, row] of select.value) depths.set(column, Math.max(row, depths.get(column) ?? row));
      return { indices: [], cells: [...depths].sort(([a], [b]) => a - b) };
    }
  }
}

// ruling 8, 9
function checkOpening(state: State, letter: Letter, opening: Extract<Rule, { readonly is: "open" }>["value"]): void {
  const { about, set } = openedByRuling(opening.request, state.chains.letters);
  const seal = set === null ? null : state.seal(set.id);
  if (about !== null) {
    const { indices, cells } = about.content.kind === "declare" ? statedPlaces(about.content.body) : { indices: [0], cells: [] };
    const same =
      opening.keys.length === indices.length &&
      opening.sheets.length === cells.length &&
      opening.keys.every(([index], i) => index === indices[i]) &&
      opening.sheets.every(([column, row], i) => column === cells[i]?.[0] && row === cells[i]?.[1]);
    must(same, "ruling 8", "these are not the places that are to be opened");
    if (seal !== null) checkKeys(opening, seal, "ruling 8");
    else broken("ruling 8", "there is no set whose keys these could be");
  }
  const claim = state.requests.get(opening.request);
  if (claim === undefined || claim.stall === null) return broken("ruling 9", "this is no valid request of the referee's");
  must(claim.stall.step === "reveal", "ruling 9", "the claim is not about a reveal");
  must(state.stands(letter, claim), "ruling 9", "the claim does not stand any more");
  must(seal !== null && seal.context.fallback !== "", "ruling 9", "the keys of such a set are not deposited");
  must(about?.kind !== "declare" || state.declarations.get(about.id)?.held === true, "ruling 9", "the set is not held for this declaration");
}

/** Whether a ruling has the opening of a declaration's sheet in its past (ruling 12). */
function hasSheet(state: State, by: Letter, named: Letter): boolean {
  const declared = state.declarations.get(named.id)?.body;
  if (declared === undefined || declared.moves.is !== "note" || !state.isHidden(declared.slot)) return false;
  return state.seal(declared.moves.value.seal)?.isOpen(by, 0) ?? false;
}

export const ruling: Rules<"ruling"> = {
  kinds({ rule }) {
    if (rule.is === "void") return scopeDeclarations(rule.value).map((id) => [id, "declare"] as const);
    if (rule.is === "forfeit" || rule.is === "open") return [[rule.value.request, "ruling"]];
    const kind = KINDS[rule.is];
    return kind === undefined ? [] : [[rule.value, kind]];
  },

  check(state, letter, { rule }) {
    switch (rule.is) {
      case "request": {
        const claim = state.claims.get(rule.value);
        must(claim !== undefined && claim.stall !== null && state.stands(letter, claim), "ruling 1", "this is no stall that stands");
        return;
      }
      case "forfeit": {
        const { request, forfeit } = rule.value;
        const claim = state.requests.get(request);
        if (claim === undefined || claim.stall === null) return broken("ruling 2", "this is no request of the referee's");
        const { step, letter: about } = claim.stall;
        must(state.stands(letter, claim), "ruling 2", "the claim does not stand any more");
        must(state.chains.charter.deadlines.some((one) => one.step === step && one.forfeit === forfeit), "ruling 2", `the charter has no such forfeit for ${step}`);
        if (forfeit === "game") return;
        const declaration = state.declarations.get(about ?? "");
        must(declaration !== undefined, "ruling 11", "the claim names no declaration");
        checkNotOfCourse(state, [declaration.letter.id]);
        must(!declaration.held, "ruling 11", "the referee holds these dice");
        const asked = state.letter(request);
        must(asked === null || declaration.seal?.isWithOffice(asked) !== true, "ruling 11", "the dice are with the office");
        return;
      }
      case "open":
        checkOpening(state, letter, rule.value);
        return;
      case "void":
        checkScope(state, letter, rule.value, "ruling 3");
        checkNotOfCourse(state, scopeDeclarations(rule.value));
        return;
      case "kill": {
        const seal = state.validSeal(rule.value);
        must(seal !== null, "ruling 4", "the set is in breach itself");
        must(!seal.kills.some((by) => letter.has(by)), "ruling 4", "the set is killed already");
        must(decisionOf(state, seal)?.how !== "simultaneous", "ruling 4", "orders at once stay as they were sealed");
        must(![...state.courses.values()].some((game) => game.isFound(letter, seal)), "ruling 4", "a declaration has found this note");
        return;
      }
      case "settle": {
        const named = state.letter(rule.value);
        must(named !== null && state.isPlayer(named.author), "ruling 5", "the letter is not a player's");
        const before = state.settled.get(rule.value) ?? [];
        must(before.length === 0 || (hasSheet(state, letter, named) && !before.some((by) => hasSheet(state, by, named))), "ruling 5", "it has been settled");
        return;
      }
      case "dismiss": {
        const claim = state.claims.get(rule.value);
        must(claim !== undefined && state.stands(letter, claim), "ruling 6", "this is no claim that stands");
        return;
      }
      case "agree": {
        const proposal = state.proposals.get(rule.value);
        must(proposal !== undefined, "ruling 7", "this is no valid proposal");
        must(!state.answeredProposal(letter, proposal), "ruling 7", "it is answered");
        checkNotOfCourse(state, proposal.declarations);
        checkRedo(state, letter, proposal, "ruling 13", "ruling 13");
        return;
      }
    }
  },

  apply(state, letter, { rule }) {
    if (letter.breach !== null) return;
    switch (rule.is) {
      case "request": {
        const claim = state.claims.get(rule.value);
        if (claim !== undefined) state.requests.set(letter.id, claim);
        return;
      }
      case "forfeit": {
        const claim = state.requests.get(rule.value.request);
        if (claim === undefined) return;
        claim.ends.push(letter);
        const declaration = state.declarations.get(claim.stall?.letter ?? "");
        if (rule.value.forfeit === "game") state.gamesForfeited.push({ by: letter, loser: claim.stall?.owes ?? "" });
        else if (declaration !== undefined) forfeit(state, letter, declaration);
        return;
      }
      // Its keys are its whole effect (deposits 13).
      case "open":
        return;
      case "void":
        applyVoid(state, letter, rule.value);
        return;
      case "kill": {
        const seal = state.seal(rule.value);
        if (seal === null) return;
        seal.takenBackBy.push(letter);
        seal.kills.push(letter);
        return;
      }
      case "settle":
        add(state.settled, rule.value, letter);
        return;
      case "dismiss":
        state.claims.get(rule.value)?.ends.push(letter);
        return;
      case "agree": {
        const proposal = state.proposals.get(rule.value);
        if (proposal !== undefined) acceptProposal(state, letter, proposal);
      }
    }
  },
};
