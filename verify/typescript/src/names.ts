import type { Content } from "./kinds.js";
import type { Scope } from "./kinds.js";

export function scopeDeclarations(scope: Scope): readonly string[] {
  switch (scope.is) {
    case "declaration":
      return [scope.value];
    case "impulse":
      return scope.value.declarations;
    case "rolls":
      return [scope.value.declaration];
  }
}

function some(...ids: readonly (string | null)[]): string[] {
  return ids.filter((id) => id !== null);
}

/** Every id in a body that the body's table calls a letter (chain 1). */
export function namedInBody(content: Content): readonly string[] {
  switch (content.kind) {
    case "charter":
    case "seal":
    // Unnumbered messages name nothing (message 9).
    case "resync":
    case "deposit":
    case "withdraw":
      return [];
    case "accept":
      return [content.body.charter];
    case "declare": {
      const { after, contribution, moves, redo, seal } = content.body;
      return some(
        moves.is === "note" ? moves.value.seal : null,
        seal,
        contribution?.is === "sealed" ? contribution.value.seal : null,
        redo === null ? null : redo.value,
        after,
      );
    }
    case "decide":
      return some(content.body.after);
    case "reveal":
      return some(content.body.declaration, content.body.seal);
    case "correct":
      switch (content.body.is) {
        case "propose":
          return [content.body.value.declaration];
        case "void":
          return scopeDeclarations(content.body.value.scope);
        case "accept":
        case "refuse":
          return [content.body.value];
      }
      break;
    case "claim":
      switch (content.body.is) {
        case "stall":
          return some(content.body.value.letter);
        case "dispute":
          return content.body.value.letters;
        case "withdraw":
          return [content.body.value];
        case "yield":
          return some(content.body.value.declaration);
        case "names":
          return [content.body.value.declaration, content.body.value.forfeit];
      }
      break;
    case "ruling": {
      const { rule } = content.body;
      switch (rule.is) {
        case "void":
          return scopeDeclarations(rule.value);
        case "forfeit":
        case "open":
          return [rule.value.request];
        default:
          return [rule.value];
      }
    }
    case "receipt":
      return content.body.is === "deposit" || content.body.is === "hand_back" ? content.body.value.seals : [];
    case "close":
      return (content.body.masters ?? []).map((entry) => entry.seal);
  }
}
