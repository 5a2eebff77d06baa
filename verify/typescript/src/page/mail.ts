/** From files to the texts in which letters may stand: mails, mailboxes, attachments, web pages, plain text. */
import PostalMime, { type Email } from "postal-mime";
import { findBlobs } from "../armour.js";
import { textOfHtml } from "./html.js";

/** A text with what the mail around it claims. */
export interface Found {
  readonly text: string;
  readonly date: string | null;
  readonly from: string | null;
  readonly subject: string | null;
}

const LF = 0x0a;
const latin = new TextDecoder("latin1");

/** Text of bytes: UTF-8, or UTF-16 where a mark says so. */
function decode(bytes: Uint8Array): string {
  const [a, b] = bytes;
  if (a === 0xff && b === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (a === 0xfe && b === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
}

function startsWith(bytes: Uint8Array, text: string, at = 0): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Whether a mail of a mailbox begins here: a line `From ` with a line of a header behind it. A sentence can begin with the word, too. */
function beginsMail(bytes: Uint8Array, at: number): boolean {
  if (!startsWith(bytes, "From ", at)) return false;
  const next = bytes.indexOf(LF, at) + 1;
  return next > 0 && /^(?:>From |[!-9;-~]+[ \t]*:)/.test(latin.decode(bytes.subarray(next, next + 128)));
}

/** The mails of a mailbox. */
function* mailsOf(mailbox: Uint8Array): Generator<Uint8Array> {
  let from = 0;
  for (let at = mailbox.indexOf(LF); at >= 0; at = mailbox.indexOf(LF, at + 1)) {
    if (!beginsMail(mailbox, at + 1)) continue;
    yield mailbox.subarray(from, at + 1);
    from = at + 1;
  }
  yield mailbox.subarray(from);
}

/** Without the line `From ` of the mailbox. */
function bare(mail: Uint8Array): Uint8Array {
  return startsWith(mail, "From ") ? mail.subarray(mail.indexOf(LF) + 1) : mail;
}

const HEADER = /^(?:from|to|date|subject|received|return-path|delivered-to|mime-version|content-type|message-id|x-[a-z-]+|reply-to|sender|status|dkim-signature|arc-[a-z-]+)[ \t]*:/im;

/** Whether it begins as mails do: with lines of a name and a colon, a known one among them. */
function isMail(bytes: Uint8Array): boolean {
  const head = latin.decode(bytes.subarray(0, 8_192)).replace(/^\ufeff|^ï»¿/, "");
  if (!/^[!-9;-~]+[ \t]*:/.test(head)) return false;
  const end = head.search(/\r?\n\r?\n/);
  return HEADER.test(end < 0 ? head : head.slice(0, end));
}

const BINARY = /^(?:image|audio|video|font)\//;

function hasLetter(text: string): boolean {
  return findBlobs(text).some((blob) => blob.ok);
}

function sender(mail: Email): string | null {
  const from = mail.from;
  if (from === undefined) return null;
  return from.name !== "" && from.address !== undefined ? `${from.name} <${from.address}>` : (from.address ?? from.name);
}

async function* readMail(bytes: Uint8Array, depth: number): AsyncGenerator<Found> {
  const mail = await new PostalMime().parse(bytes.slice());
  const about = { date: mail.date ?? null, from: sender(mail), subject: mail.subject ?? null };
  const plain = mail.text ?? "";
  yield { ...about, text: plain };
  // The same letters a second time, and often damaged, unless the plain part has none.
  if (mail.html !== undefined && !hasLetter(plain)) yield { ...about, text: textOfHtml(mail.html) };
  for (const { content, mimeType, filename } of mail.attachments) {
    if (BINARY.test(mimeType)) continue;
    const inner = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
    for await (const found of readFile(filename ?? "", inner, depth + 1)) {
      yield { text: found.text, date: found.date ?? about.date, from: found.from ?? about.from, subject: found.subject ?? about.subject };
    }
  }
}

const DEEPEST = 8;

/** All texts of a file, whatever it is. */
export async function* readFile(name: string, bytes: Uint8Array, depth = 0): AsyncGenerator<Found> {
  const nothing = { date: null, from: null, subject: null };
  if (depth > DEEPEST) return;
  if (beginsMail(bytes, 0)) {
    for (const mail of mailsOf(bytes)) yield* readWhole(bare(mail), depth);
  } else if (isMail(bytes)) {
    yield* readWhole(bytes, depth);
  } else {
    const text = decode(bytes);
    yield { ...nothing, text: /\.html?$/i.test(name) || /^\s*<(?:!doctype|html)/i.test(text) ? textOfHtml(text) : text };
  }
}

/** A mail; where it cannot be read as one, its text as it stands. */
async function* readWhole(bytes: Uint8Array, depth: number): AsyncGenerator<Found> {
  try {
    yield* readMail(bytes, depth);
  } catch {
    yield { text: decode(bytes), date: null, from: null, subject: null };
  }
}
