/** disputes 1 to 3: which rolls a void is of. */
import type { Scope } from "../kinds.js";
import type { Letter } from "../letter.js";
import { scopeDeclarations } from "../names.js";
import type { DeclarationState, State } from "../state.js";
import { broken, must } from "./rule.js";

/** What a declaration must be, in the past of a letter, to be in a scope. */
function canBeVoid(declaration: DeclarationState, letter: Letter): boolean {
  return declaration.reading.rolls.length > 0 && (declaration.shown(letter) || declaration.namedIn(letter)) && !declaration.replaced(letter);
}

// disputes 2
export function checkScope(state: State, letter: Letter, scope: Scope, rule: string): void {
  must(!state.chains.charter.hard_core, rule, "hard core knows no void");
  const declarations = scopeDeclarations(scope).map((id) => state.declarations.get(id));
  let standing = false;
  for (const declaration of declarations) {
    if (declaration === undefined || !canBeVoid(declaration, letter)) return broken(rule, "a declaration of the scope is not valid, shown and in force");
    must(state.courseOf(declaration.body.slot)?.goesOnAfter(letter, declaration) !== true, rule, "the course has gone on since");
    const count = declaration.reading.rolls.length;
    const lines = scope.is === "rolls" ? scope.value.lines : Array.from({ length: count }, (_, i) => i + 1);
    must((lines.at(-1) ?? 0) <= count, rule, `the declaration has ${count} rolls`);
    standing ||= lines.some((line) => declaration.voidedBy(letter, line) === null);
  }
  if (scope.is === "impulse") {
    const { turn, impulse } = scope.value;
    const all = (state.byImpulse.get(`${turn}/${impulse}`) ?? []).filter((one) => letter.has(one.letter) && canBeVoid(one, letter)).map((one) => one.letter.id).sort();
    must(all.length === scope.value.declarations.length && all.every((id, i) => id === scope.value.declarations[i]), rule, "these are not all declarations of the impulse");
  }
  must(standing, rule, "all of it is void already");
}

export function applyVoid(state: State, by: Letter, scope: Scope): void {
  for (const id of scopeDeclarations(scope)) {
    state.declarations.get(id)?.voids.push({ by, lines: scope.is === "rolls" ? new Set(scope.value.lines) : null });
  }
}
