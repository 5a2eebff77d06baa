/** Mailboxes of ordinary mails, to measure speed: texts, newsletters and attachments, with some letters among them. */
import { Chance } from "../mess.js";
import { mailOf } from "./mails.js";

const WORDS = "the turn of a hex is not at all what we said of Dice and Bridges BEGIN END From 3:1 caf\u00e9 \u2013 Best, SE of LEEDS".split(" ");

function prose(chance: Chance, size: number): string {
  let [text, line] = ["", ""];
  while (text.length < size) {
    line += `${chance.one(WORDS)} `;
    if (line.length < 68) continue;
    text += `${line.trimEnd()}\n`;
    line = "";
  }
  return `${text}\n`;
}

function page(chance: Chance, size: number): string {
  const lines = prose(chance, size).split("\n").map((line) => `<tr><td class="x" style="color: #333; padding: 0 4px"><a href="https://example.org/?u=${chance.below(1e9)}">${line}</a>&nbsp;</td></tr>`);
  return `<html><head><style>td { margin: 0 }</style></head><body><table>${lines.join("\n")}</table></body></html>\n`;
}

function quotedPrintable(text: string): string {
  const bytes = Buffer.from(text).toString("latin1").replace(/[=\x80-\xff]/g, (c) => `=${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return bytes.replace(/[^\n]{72}(?<!=.?)/g, "$&=\n");
}

function attachment(chance: Chance, size: number): string {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32LE(chance.below(0xffffffff), at);
  return (bytes.toString("base64").match(/.{1,76}/g) ?? []).join("\n");
}

/** A mail without a letter. Three in five are text, one is a web page, one has an attachment. */
function mail(chance: Chance, files: readonly string[]): string {
  const shape = chance.below(10);
  if (shape < 6) return `MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n${prose(chance, 500 + chance.below(6_000))}`;
  const words = prose(chance, 800);
  if (shape < 8) {
    const html = `--=b=\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n${quotedPrintable(page(chance, 2_000 + chance.below(9_000)))}\n`;
    return `MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary="=b="\n\n--=b=\nContent-Type: text/plain; charset=utf-8\n\n${words}\n${html}--=b=--\n`;
  }
  const kind = chance.one(["image/jpeg", "application/pdf", "application/octet-stream", "application/zip"]);
  const file = `Content-Type: ${kind}; name="file"\nContent-Transfer-Encoding: base64\n\n${chance.one(files).slice(0, 2_000 + chance.below(60_000))}\n`;
  return `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="=b="\n\n--=b=\nContent-Type: text/plain; charset=utf-8\n\n${words}\n--=b=\n${file}--=b=--\n`;
}

/** A mailbox of about this many bytes, in pieces, with these letters evenly spread. */
export function* ordinaryMailbox(bytes: number, letters: readonly string[], chance = new Chance(1)): Generator<string> {
  const files = Array.from({ length: 4 }, () => attachment(chance, 60_000));
  let [written, put] = [0, 0];
  for (let number = 0; written < bytes || put < letters.length; number++) {
    const letter = written >= (bytes * (put + 0.5)) / letters.length ? letters[put] : undefined;
    const head = "From bob@example.org Sat Nov 21 12:00:00 2026\n";
    const one = letter === undefined ? `From: Bob <bob@example.org>\nSubject: mail ${number}\nMessage-ID: <${number}@example.org>\n${mail(chance, files)}` : mailOf(letter, put++).replaceAll("\r\n", "\n");
    const text = `${head}${one}\n`;
    written += text.length;
    yield text;
  }
}
