import type { BodyOf, Kind } from "../kinds.js";
import { admitOf } from "../keys.js";
import { acceptProposal } from "./correct.js";
import { broken, must, type Rules } from "./rule.js";
import { applyVoid, checkScope } from "./scope.js";

type Rule = BodyOf<"ruling">["rule"];

/** letters 3: the kind that each rule's letter has; where the table does not say, any. */
const KINDS: Readonly<Partial<Record<Rule["is"], Kind>>> = { request: "claim", kill: "seal", dismiss: "claim", agree: "correct", admit: "key" };

export const ruling: Rules<"ruling"> = {
  kinds({ rule }) {
    if (rule.is === "void") return [];
    if (rule.is === "forfeit") return [[rule.value.request, "ruling"]];
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
        must(forfeit === "game" || state.declarations.has(about ?? ""), "ruling 2", "the claim names no declaration");
        return;
      }
      case "branch": {
        const named = state.letter(rule.value);
        must(named !== null && state.isPlayer(named.author), "ruling 3", "the letter is not a player's");
        must(!state.branchesRuled.has(`${named.author} ${named.number}`), "ruling 3", "that fork has been ruled on");
        return;
      }
      case "void":
        checkScope(state, letter, rule.value, "ruling 4");
        return;
      case "kill": {
        const seal = state.validSeal(rule.value);
        must(seal !== null, "ruling 5", "the set is in breach itself");
        must(!seal.killed(letter), "ruling 5", "the set is killed already");
        return;
      }
      case "settle": {
        const named = state.letter(rule.value);
        must(named !== null && state.isPlayer(named.author), "ruling 6", "the letter is not a player's");
        must(!state.settled.has(rule.value), "ruling 6", "it has been settled");
        return;
      }
      case "dismiss": {
        const claim = state.claims.get(rule.value);
        must(claim !== undefined && state.stands(letter, claim), "ruling 7", "this is no claim that stands");
        return;
      }
      case "agree": {
        const proposal = state.proposals.get(rule.value);
        must(proposal !== undefined, "ruling 8", "this is no valid proposal");
        must(!state.answeredProposal(letter, proposal), "ruling 8", "it is answered");
        return;
      }
      case "admit": {
        const named = state.letter(rule.value);
        must(named !== null && named.valid && admitOf(named.message) !== null, "ruling 9", "this is no valid admission");
        must(!state.admitsRuled.has(rule.value), "ruling 9", "it has been admitted");
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
        if (rule.value.forfeit === "game") state.gamesForfeited.push({ by: letter, loser: claim.stall?.owes ?? "" });
        else state.declarations.get(claim.stall?.letter ?? "")?.forfeits.push(letter);
        return;
      }
      case "branch": {
        const named = state.letter(rule.value);
        if (named !== null) state.branchesRuled.add(`${named.author} ${named.number}`);
        return;
      }
      case "void":
        applyVoid(state, letter, rule.value);
        return;
      case "kill":
        state.seal(rule.value)?.kills.push(letter);
        return;
      case "settle":
        state.settled.set(rule.value, letter);
        return;
      case "dismiss":
        state.claims.get(rule.value)?.ends.push(letter);
        return;
      case "agree": {
        const proposal = state.proposals.get(rule.value);
        if (proposal !== undefined) acceptProposal(state, letter, proposal);
        return;
      }
      case "admit":
        state.admitsRuled.add(rule.value);
    }
  },
};
