/** What a stranger wrote, as text that cannot pretend to be something else: what is invisible or turns the line around is spelled out. */

// Controls (but tab and line feed), soft hyphen, direction marks, invisible characters, fillers, variation selectors, tags, lone surrogates.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]|\p{Cs}|\p{Co}/gu;
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
