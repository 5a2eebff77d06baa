/** Extracts the text of HTML in lines (mail 19 to 21). It does not render: only marks, quotes and base64 matter. */
import { WINDOWS_1252 } from "./bytes.js";

const HIDDEN = new Set(["script", "style", "title", "template", "noscript"]);
const BLOCKS = new Set(
  ("address article aside blockquote body br caption center dd dir div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section " +
    "table td th tr ul").split(" "),
);
/** Elements whose content is text without tags, up to their own end tag. */
const RAW = new Set(["style", "iframe", "xmp", "noembed", "noscript", "textarea", "title"]);
/** Those whose text has character references. */
const REFERRING = new Set(["textarea", "title"]);

/** Names of the characters that can occur in a letter. A letter with any other character is damaged anyway. */
const NAMES: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(
  (
    "Tab 9 NewLine a plus 2b sol 2f equals 3d GT 3e gt 3e verbar 7c vert 7c VerticalLine 7c nbsp a0 NonBreakingSpace a0 shy ad ensp 2002 emsp 2003 emsp13 2004 " +
    "emsp14 2005 numsp 2007 puncsp 2008 thinsp 2009 ThinSpace 2009 hairsp 200a VeryThinSpace 200a NegativeMediumSpace 200b NegativeThickSpace 200b " +
    "NegativeThinSpace 200b NegativeVeryThinSpace 200b ZeroWidthSpace 200b zwnj 200c zwj 200d lrm 200e rlm 200f dash 2010 hyphen 2010 ndash 2013 mdash 2014 " +
    "horbar 2015 MediumSpace 205f ThickSpace 205f NoBreak 2060 af 2061 ApplyFunction 2061 InvisibleTimes 2062 it 2062 ic 2063 InvisibleComma 2063 minus 2212"
  )
    .match(/\S+ \S+/g)
    ?.map((pair) => pair.split(" ") as [string, string])
    .map(([name, code]) => [name, String.fromCharCode(Number.parseInt(code, 16))]),
);

function numbered(code: number): string {
  if (code >= 0x80 && code < 0xa0) return WINDOWS_1252.charAt(code - 0x80);
  return code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? "\ufffd" : String.fromCodePoint(code);
}

function withReferences(text: string): string {
  return text.replace(
    /&(?:#([0-9]+);?|#[xX]([0-9a-fA-F]+);?|([a-zA-Z0-9]+);|(nbsp|shy|gt|GT))/g,
    (whole, decimal: string | undefined, hex: string | undefined, name: string | undefined, old: string | undefined) => {
      if (decimal !== undefined) return numbered(Number(decimal));
      if (hex !== undefined) return numbered(Number.parseInt(hex, 16));
      // An unknown name can begin with an old one, which needs no semicolon.
      const found = NAMES.get(name ?? old ?? "");
      if (found !== undefined) return found;
      const begins = /^(?:nbsp|shy|gt|GT)/.exec(name ?? "")?.[0];
      return begins === undefined ? whole : (NAMES.get(begins) ?? "") + whole.slice(1 + begins.length);
    },
  );
}

/** The end of a tag whose name ends here: after its `>`, or the end of the text. Attributes are skipped. */
function tagEnd(html: string, from: number): number {
  // An attribute value is quoted, or ends at white space or `>`. A name may begin with `=`.
  const part = /[\t\n\f /]+|=?[^\t\n\f />=]*[\t\n\f ]*(?:=[\t\n\f ]*(?:"[^"]*"?|'[^']*'?|(?=>)|[^\t\n\f >"'][^\t\n\f >]*|$))?/y;
  let at = from;
  while (at < html.length && html[at] !== ">") {
    part.lastIndex = at;
    part.exec(html);
    // Always advances: any other character begins a name.
    at = Math.max(part.lastIndex, at + 1);
  }
  return Math.min(at + 1, html.length);
}

/** The offset of the end tag of an element without inner tags, or the end of the text. */
function rawEnd(html: string, from: number, name: string): number {
  const end = new RegExp(`</${name}(?=[\\t\\n\\f />])`, "gi");
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

/** The end of a script. Inside a comment, it can contain another script. */
function scriptEnd(html: string, from: number): number {
  const token = /<!--|-->|<\/?script(?=[\t\n\f />])/gi;
  token.lastIndex = from;
  let [comment, inner] = [false, false];
  for (let found = token.exec(html); found !== null; found = token.exec(html)) {
    if (found[0] === "<!--") {
      comment = true;
      // The dashes of `<!--` can also belong to its `-->`.
      token.lastIndex = found.index + 2;
    } else if (found[0] === "-->") {
      [comment, inner] = [false, false];
    } else if (found[0][1] !== "/") {
      inner = comment;
    } else if (inner) {
      inner = false;
    } else {
      return found.index;
    }
  }
  return html.length;
}

export function textOfHtml(source: string): string {
  const html = source.replace(/\r\n?/g, "\n");
  const out: string[] = [];
  let last = "";
  let hidden: string | null = null;
  let pre = 0;
  const put = (text: string): void => {
    if (text === "") return;
    out.push(text);
    last = text;
  };
  const show = (text: string, refers: boolean): void => {
    if (hidden !== null) return;
    const read = refers ? withReferences(text) : text;
    put(pre > 0 ? read : read.replace(/[\n\r]/g, " "));
  };
  // A <br> always ends a line. Any other block does so if it has content.
  const line = (name: string): void => {
    if (name === "br" || (BLOCKS.has(name) && last !== "" && !last.endsWith("\n"))) put("\n");
  };
  let at = 0;
  let text = 0;
  const comment = /--!?>/g;
  const tag = /[a-zA-Z][^\t\n\f />]*/y;
  for (let open = html.indexOf("<", at); open >= 0; open = html.indexOf("<", at)) {
    const closes = html[open + 1] === "/";
    tag.lastIndex = open + (closes ? 2 : 1);
    const name = tag.exec(html)?.[0].toLowerCase() ?? null;
    const next = html[open + (closes ? 2 : 1)];
    if (name === null && !(closes ? next !== undefined : next === "!" || next === "?")) {
      at = open + 1;
      continue;
    }
    show(html.slice(text, open), true);
    if (name !== null) {
      at = tagEnd(html, tag.lastIndex);
      if (closes) {
        if (hidden === name) hidden = null;
      } else if (hidden === null && HIDDEN.has(name)) {
        hidden = name;
      }
      if (name === "pre") pre = Math.max(0, pre + (closes ? -1 : 1));
      line(name);
      if (!closes && (RAW.has(name) || name === "script" || name === "plaintext")) {
        const end = name === "script" ? scriptEnd(html, at) : name === "plaintext" ? html.length : rawEnd(html, at, name);
        show(html.slice(at, end), REFERRING.has(name));
        at = end;
      }
    } else if (html.startsWith("<!--", open)) {
      const from = open + 4;
      if (html[from] === ">") at = from + 1;
      else if (html.startsWith("->", from)) at = from + 2;
      else {
        comment.lastIndex = from;
        at = comment.exec(html) === null ? html.length : comment.lastIndex;
      }
    } else {
      const end = html.indexOf(">", open);
      at = end < 0 ? html.length : end + 1;
    }
    text = at;
  }
  show(html.slice(text), true);
  return out.join("");
}
