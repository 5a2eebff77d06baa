/** Files are read in pieces, and the cuts do not change the result. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BlobFinder, findBlobs } from "../src/armour.js";
import { utf8 } from "../src/bytes.js";
import { LIMITS } from "../src/limits.js";
import { inMemory, readFile, type Found, type Input } from "../src/mail.js";
import { longGame } from "./players.js";

/** The whole letters found, each once. */
function whole(found: Iterable<Found>): number {
  return new Set([...found].flatMap(({ blobs }) => blobs.flatMap((blob) => (blob.ok ? [Buffer.from(blob.frame).toString("hex")] : [])))).size;
}

const letters = longGame(3).letters.map(({ text }) => text);

test("a text cut anywhere has the letters of the whole text", () => {
  const [first = "", second = "", third = ""] = letters;
  const text = `Hello\n${first}-----END SEALED DICE MESSAGE-----\n> ${second.replaceAll("\n", "\n> ")}BEGIN SEALED DICE MESSAGE\n${third}SEALED DICE SECRET`;
  const uncut = findBlobs(text);
  assert.equal(uncut.filter(({ ok }) => ok).length, 3);
  for (const length of [1, 7, 64, 1_000, 1_024, 1_025, 3_000]) {
    const finder = new BlobFinder();
    const found = [];
    for (let at = 0; at < text.length; at += length) found.push(...finder.read(text.slice(at, at + length), at + length >= text.length));
    assert.deepEqual(found, uncut, `${length}`);
    assert.ok(finder.secret);
  }
});

test("BEGIN waits for END as long in pieces as in one text", () => {
  const begin = "-----BEGIN SEALED DICE MESSAGE-----\n";
  const [letter = ""] = letters;
  for (const waits of [LIMITS.between - 100, LIMITS.between, LIMITS.between + 1, LIMITS.between + 3_000]) {
    const text = `${begin}${"\u00e9".repeat(waits / 2)}${letter}`;
    const finder = new BlobFinder();
    const found = [];
    for (let at = 0; at < text.length; at += 1_000_000) found.push(...finder.read(text.slice(at, at + 1_000_000), at + 1_000_000 >= text.length));
    assert.deepEqual(found, findBlobs(text), `${waits}`);
  }
});

/** A file that is never in memory: the same bytes repeated, with others at one place. It records the longest piece requested. */
class Endless implements Input {
  longest = 0;
  constructor(
    readonly size: number,
    private readonly block: Uint8Array,
    private readonly place: number,
    private readonly other: Uint8Array,
  ) {}

  read(from: number, to: number): Uint8Array {
    this.longest = Math.max(this.longest, to - from);
    const bytes = new Uint8Array(to - from);
    for (let at = from; at < to; ) {
      const inOther = at >= this.place && at < this.place + this.other.length;
      const source = inOther ? this.other : this.block;
      const begin = inOther ? at - this.place : at % source.length;
      const end = Math.min(to, at + source.length - begin, at < this.place ? this.place : to);
      bytes.set(source.subarray(begin, begin + end - at), at - from);
      at = end;
    }
    return bytes;
  }
}

test("mailboxes, texts and endless mails are read one piece at a time", () => {
  const size = 40_000_000;
  const [letter = ""] = letters;
  const mails = `From a Sat Nov 21 12:00:00 2026\nFrom: a@play.invalid\nSubject: x\n\n${"Nothing of it is in here.\n".repeat(40)}\n`.repeat(100);
  const cases: readonly (readonly [string, Endless])[] = [
    ["mailbox", new Endless(size, utf8(mails), mails.length * 200, utf8(`From a Sat Nov 21 12:00:00 2026\nSubject: x\n\n${letter}\n`))],
    ["text", new Endless(size, utf8("Nothing of it is in here.\n".repeat(1_000)), 30_000_000, utf8(`\n${letter}`))],
    ["one mail", new Endless(size, utf8(`From: a@play.invalid\nSubject: x\n\n${"Nothing of it is in here.\n".repeat(1_000)}`), 30_000_000, utf8(`\n${letter}`))],
  ];
  for (const [name, input] of cases) {
    assert.equal(whole(readFile(input)), 1, name);
    assert.ok(input.longest < 4_000_000, `${name}: ${input.longest}`);
  }
});

test("a mail without a mark is skipped, and a mail with an encoded mark is not", () => {
  const [letter = ""] = letters;
  const head = "From: a@play.invalid\nMIME-Version: 1.0\n";
  const base64 = Buffer.from(letter).toString("base64").replace(/.{76}/g, "$&\n");
  const forms: readonly (readonly [string, number])[] = [
    [`${head}\nNothing of it.\n`, 0],
    [`${head}\n${letter}`, 1],
    [`${head}Content-Transfer-Encoding:\n BASE64\n\n${base64}`, 1],
    [`${head}Content-Transfer-Encoding: quoted-printable\n\n${letter.replaceAll("SEALED", "S=45ALED").replaceAll("=\n", "=3D\n")}`, 1],
    [`${head}Content-Type: Text/HTML\n\n<pre>${letter.replaceAll("SEALED", "SE<b>A</b>&#76;ED")}</pre>`, 1],
    [`${head}\n<HTML><pre>${letter.replaceAll("SEALED", "SE<b>A</b>LED")}</pre>`, 1],
    [`${head}\n${Buffer.from(`\ufeff${letter}`, "utf16le").toString("latin1")}`, 1],
  ];
  for (const [text, count] of forms) {
    assert.equal(whole(readFile(inMemory(new Uint8Array(Buffer.from(text, "latin1"))))), count, text.slice(0, 120));
  }
});
