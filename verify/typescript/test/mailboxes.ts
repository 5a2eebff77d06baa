/**
 * Mailboxes of all shapes, a third of them damaged, as vectors with the letters that this reader finds: `mailboxes N FOLDER [FIRST]` writes N
 * of them, beginning with the seed FIRST (1). In an undamaged mailbox it must find every letter. In each mailbox it must find the same
 * letters however short the pieces are in which it reads.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toHex, utf8 } from "../src/bytes.js";
import { inMemory, readFile } from "../src/mail.js";
import { runVector } from "../src/vectors.js";
import { Chance, Mess } from "./mess.js";

type Letters = readonly { readonly id: string; readonly text: string }[];

/** Text as a string with one character for each byte. */
function raw(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function inUtf8(text: string): string {
  return raw(utf8(text));
}

/** Writes mails, and notes what it puts in. An inner part can be put in twice and read twice. */
class Mailer {
  readonly put = new Set<string>();
  private boundaries = 0;
  constructor(
    private readonly chance: Chance,
    private readonly letters: Letters,
  ) {}

  private some(): string {
    return this.chance.one(["Hello,\n\n", "", "Z\u00fcge \u2014 und mehr\n", "From here on it is easy.\n", "From Bob: yes\n", "1 + 1 = 2 =\n", "> an old line\n", "We BEGIN at dawn & END <soon>.\n", "-- \nBob\n"]);
  }

  /** Letters and words, as a person sees them. */
  text(): string {
    const { chance } = this;
    let text = this.some();
    for (let n = chance.below(3); n > 0; n--) {
      const { id, text: letter } = chance.one(this.letters);
      this.put.add(id);
      const mark = chance.one(["", "", "", "> ", "| ", ">>> ", "  ", "\u00a0"]);
      let lines = letter.trimEnd().split("\n");
      if (chance.often(15)) lines = (lines.join(" ").match(/.{1,50}/g) ?? []).map((line) => line.trim());
      if (chance.often(15)) lines = lines.map((line) => line.replaceAll("-----", chance.one(["\u2014\u2013", "-", "\u2014-"])));
      if (chance.often(8)) lines = lines.map((line) => line.replace(/.{20}/g, "$&\u200b"));
      text += `${lines.map((line) => mark + line).join("\n")}\n${this.some()}`;
    }
    return text;
  }

  private html(text: string): string {
    const { chance } = this;
    const dash = chance.one(["-", "&mdash;", "&#8211;", "&#x2d;", "&dash;", "&#151;"]);
    const blank = chance.one([" ", " ", "&nbsp;", "&#32;", "&emsp;"]);
    const lines = text.split("\n").map((line) => line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", chance.one(["&gt;", "&gt", ">"])).replaceAll("-", dash).replaceAll("+", chance.one(["+", "&plus;", "&#43;"])));
    const word = (line: string): string => (line === "" ? "&nbsp;" : line.replaceAll(" ", blank));
    const body = chance.one<() => string>([
      () => lines.map((line) => `<div>${word(line)}</div>`).join(""),
      () => lines.map((line) => `${word(line)}<br>`).join("\n"),
      () => lines.map((line) => `<p class="x" title='a > b'><span style="a:b">${word(line)}<o:p></o:p></span></p>\n`).join(""),
      () => `<pre>${lines.join("\n")}</pre>`,
      () => `<table>${lines.map((line) => `<tr><td>${word(line)}</td></tr>`).join("")}</table>`,
      () => lines.map((line) => `<li>${word(line)}<!-- > -->`).join(""),
      () => lines.map((line) => `<font color=red>${word(line)}</font><wbr><BR/>`).join(""),
    ])();
    const head = chance.one(["", "<style>p > a { color: red }</style>", "<title>BEGIN &amp; END</title>", "<script>if (a<b) <!-- </p> --></script>", "<!DOCTYPE html>", "<meta x='>'>", "<![CDATA[x]]>", "<?xml ?>"]);
    return chance.often(50) ? `<html><head>${head}</head><body>${body}</body></html>` : head + body;
  }

  private base64(bytes: string): string {
    const width = this.chance.one([76, 76, 76, 64, 60, 75, 1_000_000]);
    const lines = Buffer.from(bytes, "latin1").toString("base64").match(new RegExp(`.{1,${width}}`, "g")) ?? [];
    return `${lines.join(this.chance.one(["\n", "\r\n", " \n"]))}\n${this.chance.often(10) ? "_____\nlist mailing list\n" : ""}`;
  }

  private quotedPrintable(bytes: string): string {
    const { chance } = this;
    const soft = chance.one(["=\n", "=\r\n", "= \n"]);
    const lower = chance.often(20);
    return bytes
      .split("\n")
      .map((line) =>
        (line.replace(/[^ -<>-~\t]/g, (c) => { const hex = c.charCodeAt(0).toString(16).padStart(2, "0"); return `=${lower ? hex : hex.toUpperCase()}`; }).replace(/=(?![0-9A-Fa-f]{2})/g, "=3D").match(/.{1,70}(?<!=|=.)/g) ?? []).join(soft),
      )
      .join("\n");
  }

  /** Header fields and body of a text in some charset and encoding. */
  private leaf(type: string, text: string): string {
    const { chance } = this;
    const narrow = [...text].map((c) => (c === "\u2014" ? "\x97" : c === "\u2013" ? "\x96" : c)).join("");
    const isNarrow = [...narrow].every((c) => c.charCodeAt(0) < 0x100);
    const [charset, bytes] = chance.one<() => readonly [string, string]>([
      () => ["utf-8", inUtf8(text)],
      () => ["utf-8", inUtf8(text)],
      () => ["us-ascii", inUtf8(text)],
      () => ["", inUtf8(text)],
      () => ["x-unknown", inUtf8(text)],
      () => ["utf-16", inUtf8(text)],
      () => [chance.one(["windows-1252", "iso-8859-1", "koi8-r", ""]), isNarrow ? narrow : inUtf8(text)],
      () => ["utf-16", Buffer.from(`\ufeff${text}`, "utf16le").toString("latin1")],
      () => ["", Buffer.from(`Hi ${text}`, "utf16le").swap16().toString("latin1")],
    ])();
    const wide = bytes.includes("\0");
    const fields = [`Content-Type: ${type}${charset === "" ? "" : chance.one([`; charset=${charset}`, `;\n charset="${charset}"`])}`];
    const encoding = chance.one(wide ? ["base64"] : ["", "7bit", "8bit", "base64", "base64", "quoted-printable", "QUOTED-PRINTABLE"]);
    if (encoding !== "" || chance.often(20)) fields.push(`Content-Transfer-Encoding: ${encoding}`);
    if (chance.often(20)) fields.push(chance.one(['Content-Disposition: attachment; filename="turn.txt"', "Content-Disposition: inline", "Content-Description: x"]));
    const body = encoding === "base64" ? this.base64(bytes) : /quoted/i.test(encoding) ? this.quotedPrintable(bytes) : bytes;
    return `${fields.join("\n")}\n\n${body}`;
  }

  /** A part: its fields, an empty line, its body. */
  part(depth: number): string {
    const { chance } = this;
    const kinds = ["plain", "plain", "plain", "html", "html", "file", "picture"];
    if (depth > 0) kinds.push("alternative", "alternative", "several", "several", "forwarded", "digest");
    switch (chance.one(kinds)) {
      case "html":
        return this.leaf(chance.one(["text/html", "TEXT/HTML", "application/xhtml+xml"]), this.html(this.text()));
      case "file":
        return chance.often(50) ? this.leaf("application/octet-stream", this.text()) : this.encoded("application/octet-stream", this.message(depth - 1));
      case "picture":
        return `Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n${this.base64("\x89PNG and so on".repeat(20))}`;
      case "alternative": {
        const text = this.text();
        const more = chance.often(30) ? text + this.text() : text;
        return this.several("alternative", [this.leaf("text/plain", text), this.leaf("text/html", this.html(more))]);
      }
      case "several":
        return this.several(chance.one(["mixed", "related", "signed", "MIXED"]), Array.from({ length: 1 + chance.below(3) }, () => this.part(depth - 1)));
      case "digest":
        return this.several("digest", Array.from({ length: 1 + chance.below(3) }, () => `\n${this.message(depth - 1)}`));
      case "forwarded":
        return chance.often(70) ? `Content-Type: ${chance.one(["message/rfc822", "message/global"])}\n\n${this.message(depth - 1)}` : this.encoded("message/rfc822", this.message(depth - 1));
      default:
        return this.leaf("text/plain", this.text());
    }
  }

  private encoded(type: string, bytes: string): string {
    return this.chance.often(50) ? `Content-Type: ${type}\nContent-Transfer-Encoding: base64\n\n${this.base64(bytes)}` : `Content-Type: ${type}\nContent-Transfer-Encoding: quoted-printable\n\n${this.quotedPrintable(bytes)}`;
  }

  private several(kind: string, parts: readonly string[]): string {
    const boundary = this.chance.one([`b${this.boundaries++}`, `=_next ${this.boundaries++}`, `---${this.boundaries++}`]);
    const end = this.chance.often(90) ? `--${boundary}--\n` : "";
    return `Content-Type: multipart/${kind};${this.chance.one([" ", "\n\t"])}boundary="${boundary}"${this.chance.one(["", "; x=y"])}\n\n${this.chance.one(["", "a preamble\n"])}${parts.map((part) => `--${boundary}${this.chance.one(["", " "])}\n${part}\n`).join("")}${end}`;
  }

  message(depth: number): string {
    const { chance } = this;
    const fields = ["From: Bob <bob@play.invalid>", `Subject: turn ${chance.below(20)}`];
    if (chance.often(70)) fields.push("MIME-Version: 1.0");
    if (chance.often(30)) fields.unshift("Received: from x\n by y");
    return `${fields.join("\n")}\n${this.part(depth)}`;
  }

  file(): string {
    const { chance } = this;
    const depth = chance.below(4);
    switch (chance.one(["message", "message", "message", "mbox", "mbox", "text", "html", "emlx", "wide"])) {
      case "mbox":
        return Array.from({ length: 1 + chance.below(5) }, () => `From bob@play.invalid Sat Nov 21 12:00:00 2026\n${this.message(depth).replace(/^From /gm, chance.one([">From ", "From "]))}\n${chance.one(["\n", "\n", ""])}`).join("");
      case "text":
        return inUtf8(this.text());
      case "html":
        return inUtf8(`<!DOCTYPE html>${this.html(this.text())}`);
      case "emlx":
        return `1234\n${this.message(depth)}\n<?xml version="1.0"?>\n`;
      case "wide":
        return Buffer.from(`\ufeff${this.text()}`, "utf16le").toString("latin1");
      default:
        return this.message(depth);
    }
  }
}

/** Accidents that happen to bytes on their way, and mails made to be read in two ways. */
function damaged(file: string, chance: Chance): string {
  const bits = ["=", "\n", "\0", "\xe9", "\x97", "\xff", "<", ">", '"', "&", "--", "A", " ", "-----BEGIN SEALED DICE MESSAGE-----", "<!--", "<script>", "</div", "\nFrom x 12:00\nA: b\n", "\n\n", "; boundary=b0", "Content-Type: text/html\n"];
  let text = file;
  for (let n = 1 + chance.below(4); n > 0; n--) {
    const at = chance.below(text.length + 1);
    const length = chance.one([0, 0, 1, 1, 2, 5, 80]);
    text = text.slice(0, at) + (chance.often(70) ? chance.one(bits) : "") + text.slice(at + length);
  }
  if (chance.often(5)) text = text.slice(0, chance.below(text.length + 1));
  return text;
}

const [count = "100", folder = "mailboxes", first = "1"] = process.argv.slice(2);
const letters = ((): Letters => {
  const game = new Mess(new Chance(7));
  for (let i = 0; i < 12; i++) game.step();
  return game.table.letters.filter(({ text }) => text.length < 4_000).slice(0, 12);
})();
mkdirSync(folder, { recursive: true });
const sum = { files: 0, damaged: 0, put: 0, found: 0 };
for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
  const chance = new Chance(seed);
  const mailer = new Mailer(chance, letters);
  const isCrlf = chance.often(30);
  const whole = mailer.file();
  // In UTF-16 a CR would be half a character.
  const written = isCrlf && !whole.includes("\0") ? whole.replace(/\r?\n/g, "\r\n") : whole;
  const isDamaged = seed % 3 === 0;
  const file = isDamaged ? damaged(written, chance) : written;
  const given = { bytes: toHex(new Uint8Array(Buffer.from(file, "latin1"))) };
  const vector = (found: readonly string[]): string => JSON.stringify({ about: `mailbox ${seed}`, layer: "mail", spec: "mail.md", given, expect: { letters: found } });
  const put = [...mailer.put].sort();
  const wrong = runVector(vector(put));
  const found = wrong === null ? put : (JSON.parse(/found (\{.*\})/.exec(wrong)?.[1] ?? "{}") as { letters?: string[] }).letters;
  if (found === undefined) throw new Error(`mailbox ${seed}: ${wrong ?? ""}`);
  writeFileSync(join(folder, `${seed}.json`), vector(found));
  const bytes = new Uint8Array(Buffer.from(file, "latin1"));
  const blobs = (piece?: number): string => JSON.stringify([...readFile(inMemory(bytes), piece)].flatMap((one) => one.blobs.map((blob) => [blob, one.date, one.from])));
  if (blobs(1_000) !== blobs()) {
    process.stdout.write(`mailbox ${seed}: read in short pieces, other letters are found: ${join(folder, `${seed}.json`)}\n`);
    process.exitCode = 1;
  }
  if (!isDamaged && wrong !== null) {
    process.stdout.write(`mailbox ${seed}: ${put.length} letters were put in, ${found.length} are found: ${join(folder, `${seed}.json`)}\n`);
    process.exitCode = 1;
  }
  sum.files++;
  sum.damaged += Number(isDamaged);
  sum.put += put.length;
  sum.found += found.length;
}
process.stdout.write(`${sum.files} mailboxes, ${sum.damaged} of them damaged: ${sum.put} letters put in, ${sum.found} found\n`);
