/** What a stranger wrote, as text that cannot pretend to be something else: what is unseen is spelled out. */
import { UNSEEN } from "../unseen.js";

/** Unseen characters but tab and line feed, which lay a text out, and halves of characters. */
const HIDDEN = new RegExp(`(?![\\t\\n])${UNSEEN.source}|\\p{Cs}`, "gu");
/** Marks that pile up on one letter. */
const PILE = /(\p{M}{3})(\p{M}+)/gu;

function named(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

export function visible(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(PILE, (_, kept: string, more: string) => `${kept}⟨+${[...more].length}⟩`)
    .replace(HIDDEN, named);
}
