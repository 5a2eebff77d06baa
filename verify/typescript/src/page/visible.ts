/** Makes text by strangers safe to show: invisible characters are spelled out. */
import { UNSEEN } from "../unseen.js";

/** Unseen characters except tab and line feed, and lone surrogates. */
const HIDDEN = new RegExp(`(?![\\t\\n])${UNSEEN.source}|\\p{Cs}`, "gu");
/** More than three combining marks on one character. */
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
