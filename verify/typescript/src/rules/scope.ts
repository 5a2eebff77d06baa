/** disputes 1 to 7: the rolls that a scope covers. */
import type { Scope } from "../kinds.js";
import type { Letter } from "../letter.js";
import { scopeDeclarations } from "../names.js";
import { lastIn, type DeclarationState, type Proposal, type State } from "../state.js";
import { broken, must } from "./rule.js";

/** Checks that a declaration in a scope can be voided, in the past of a letter (disputes 2, courses 11). */
function canBeVoid(state: State, declaration: DeclarationState, letter: Letter, scope: ReadonlySet<DeclarationState>): boolean {
  const known = declaration.reading.rolls.length > 0 && (state.isKnown(letter, declaration) || declaration.namedIn(letter)) && !declaration.replaced(letter);
  const { slot } = declaration.body;
  const own = state.courseOf(slot);
  if (!known || own === null) return known;
  if (!own.canBeVoid(letter, declaration, scope)) return false;
  return [...state.courses.values()].every((game) => game === own || game.isCovered(letter, slot, scope));
}

// disputes 2
export function checkScope(state: State, letter: Letter, scope: Scope, rule: string): void {
  must(!state.chains.charter.hard_core, rule, "hard core knows no void");
  const declarations = scopeDeclarations(scope).map((id) => state.declarations.get(id));
  const named = new Set(declarations.flatMap((one) => one ?? []));
  let standing = false;
  for (const declaration of declarations) {
    if (declaration === undefined || !canBeVoid(state, declaration, letter, named)) return broken(rule, "a declaration of the scope is not valid, shown and in force, or its course has gone on since");
    const count = declaration.reading.rolls.length;
    const lines = scope.is === "rolls" ? scope.value.lines : Array.from({ length: count }, (_, i) => i + 1);
    must((lines.at(-1) ?? 0) <= count, rule, `the declaration has ${count} rolls`);
    standing ||= lines.some((line) => declaration.voidedBy(letter, line) === null);
  }
  if (scope.is === "impulse") {
    const { turn, impulse } = scope.value;
    const all = (state.byImpulse.get(`${turn}/${impulse}`) ?? []).filter((one) => letter.has(one.letter) && canBeVoid(state, one, letter, named)).map((one) => one.letter.id).sort();
    must(all.length === scope.value.declarations.length && all.every((id, i) => id === scope.value.declarations[i]), rule, "these are not all declarations of the impulse");
  }
  must(standing, rule, "all of it is void already");
}

/** Checks that no other declaration and no close knows dice of a declaration that is to be rolled again (correct 6, ruling 13). */
export function checkNothingSince(state: State, letter: Letter, declaration: DeclarationState, rule: string): void {
  for (const player of state.chains.players) {
    // The last declaration or close has the largest past.
    const last = lastIn(letter, state.author(player).declarationsAndCloses);
    must(last === null || last === declaration.letter || !declaration.touched(last), rule, "the game has gone on since the dice were known");
  }
}

/**
 * Checks that no other declaration waited for the office when a redo was proposed, and none has been made since, because its dice may have
 * been read (correct 7, ruling 13).
 */
function checkNothingWithOffice(state: State, letter: Letter, { letter: proposed, declarations }: Proposal, rule: string): void {
  for (const [id, other] of state.declarations) {
    if (declarations.includes(id) || !letter.has(other.letter) || other.seal?.isForOffice !== true) continue;
    must(other.answered(proposed) || other.forfeited(proposed), rule, "the office may have opened another declaration since");
  }
}

/** In a course, courses 10 and 11 apply too (correct 4). */
export function checkInCourse(state: State, letter: Letter, { scope, correction, declarations }: Proposal): void {
  for (const id of declarations) {
    const declaration = state.declarations.get(id);
    const game = declaration === undefined ? null : state.courseOf(declaration.body.slot);
    if (declaration === undefined || game === null) continue;
    if (scope !== null) return checkScope(state, letter, scope, "correct 4");
    const isRecord = correction === null || correction.input === null;
    must(isRecord || game.isLast(letter, declaration), "correct 4", "the course has gone on since");
  }
}

/** Checks the past of an acceptance of a redo (correct 6, correct 7, ruling 13). */
export function checkRedo(state: State, letter: Letter, proposal: Proposal, since: string, office: string): void {
  if (proposal.correction === null || proposal.correction.input === null) return;
  const declaration = state.declarations.get(proposal.correction.declaration);
  if (declaration !== undefined) checkNothingSince(state, letter, declaration, since);
  checkNothingWithOffice(state, letter, proposal, office);
}

/** No ruling takes back a declaration of a course (ruling 10). */
export function checkNotOfCourse(state: State, declarations: readonly string[]): void {
  const courses = [...state.courses.values()];
  const isOfCourse = (id: string): boolean => courses.some((game) => game.has(state.declarations.get(id)));
  must(!declarations.some(isOfCourse), "ruling 10", "no ruling takes back a declaration of a course");
}

export function applyVoid(state: State, by: Letter, scope: Scope): void {
  for (const id of scopeDeclarations(scope)) {
    const declaration = state.declarations.get(id);
    if (declaration === undefined) continue;
    declaration.voids.push({ by, lines: scope.is === "rolls" ? new Set(scope.value.lines) : null });
    state.change(by, declaration);
  }
}
