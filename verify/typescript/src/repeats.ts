/** Finds lists that roll again for something that an earlier list of the same phase rolled for, after those dice were known. No rule forbids it. */
import { field, isList, isObject } from "./json.js";
import { slotText } from "./slot.js";
import { END, type DeclarationState, type State } from "./state.js";

export interface Repeat {
  readonly declaration: DeclarationState;
  readonly text: string;
}

/** What the rolls of a declaration that are not void are for: an attacked hex, or the text for a cell. */
function rolledFor(declaration: DeclarationState): string[] {
  const { phase, reading } = declaration;
  if (phase.system !== "coin-envelopes" && phase.system !== "icrk") return [];
  const lines = field(reading.canonical, "attacks") ?? field(reading.canonical, "rolls") ?? [];
  if (!isList(lines)) return [];
  return lines.flatMap((line, i) => {
    if (!isObject(line) || declaration.voidedBy(END, i + 1) !== null) return [];
    const [hexes, why] = [field(line, "hexes"), field(line, "why")];
    return [...(isList(hexes) ? hexes : []), why].filter((one) => typeof one === "string");
  });
}

export function repeatsOf(state: State): Repeat[] {
  const first = new Map<string, DeclarationState>();
  const found: Repeat[] = [];
  for (const declaration of state.declarations.values()) {
    if (declaration.replaced(END)) continue;
    const { letter, body } = declaration;
    const { turn, impulse, phase } = body.slot;
    let of: DeclarationState | null = null;
    const both = new Set<string>();
    for (const what of rolledFor(declaration)) {
      const place = JSON.stringify([letter.author, turn, impulse, phase, what]);
      const earlier = first.get(place);
      if (earlier === undefined) first.set(place, declaration);
      if (earlier === undefined || earlier === declaration || !earlier.answered(letter)) continue;
      of ??= earlier;
      if (of === earlier) both.add(what);
    }
    if (of === null) continue;
    const text = `${letter.author} declared ${slotText(body.slot)} when the dice of ${slotText(of.body.slot)} were known, and both roll for ${[...both].sort().join(", ")}; the rules of your game say whether that may be`;
    found.push({ declaration, text });
  }
  return found;
}
