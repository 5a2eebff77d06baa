/** The text of a mail that was written in HTML. Nothing is rendered: marks, quotes and base64 are all that is wanted. */

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", shy: "\u00ad", ndash: "–", mdash: "—" };
const BREAKS = /<(?:br|\/?(?:p|div|li|tr|h[1-6]|pre|blockquote|table|ul|ol))\b[^>]*>/gi;

export function textOfHtml(html: string): string {
  return html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    .replace(/<(style|script|head|title)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, "")
    .replace(BREAKS, "\n")
    .replace(/<\/?[a-z][^>]*>/gi, "")
    .replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));?/g, (whole, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
      const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? "", 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    });
}
