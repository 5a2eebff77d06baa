import assert from "node:assert/strict";
import { test } from "node:test";
import { armour } from "../src/armour.js";
import { toHex } from "../src/bytes.js";
import { check, Checker } from "../src/checker.js";
import { checkMessage } from "../src/message.js";
import { KeyRing } from "../src/signature.js";
import { findBlobs } from "../src/armour.js";
import { fixed, longGame } from "./players.js";

test("every flipped bit of a letter is found", () => {
  const table = longGame(6);
  const [, accept] = table.letters;
  assert.ok(accept !== undefined);
  const [blob] = findBlobs(accept.text);
  assert.ok(blob?.ok === true);
  const keys = new KeyRing();
  for (let bit = 0; bit < blob.frame.length * 8; bit++) {
    const bytes: Uint8Array = Uint8Array.from(blob.frame);
    const at = bit >> 3;
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
    assert.equal(checkMessage(bytes, keys).ok, false, `bit ${bit}`);
  }
});

test("a flipped bit in the armour blames nobody", () => {
  const table = longGame(8);
  const good = check(table.text);
  assert.equal(good.games[0]?.verdict, "verified");
  const last = table.letters.at(-1);
  assert.ok(last !== undefined);
  const rest = table.letters.slice(0, -1).map((letter) => letter.text).join("\n");
  const from = last.text.indexOf("\n") + 1;
  for (let at = from; at < last.text.lastIndexOf("-----END"); at += 37) {
    for (const other of ["A", "!", "\u202e", ""]) {
      const damaged = last.text.slice(0, at) + other + last.text.slice(at + 1);
      if (damaged === last.text) continue;
      const { games } = check(`${rest}\n${damaged}`);
      for (const game of games) assert.ok(game.findings.every((finding) => finding.culprit === null), `${at} ${JSON.stringify(other)}`);
    }
  }
});

test("what is not a letter is not taken for one", () => {
  const keys = new KeyRing();
  for (let i = 0; i < 300; i++) {
    const noise = fixed(`noise ${i}`);
    assert.equal(checkMessage(noise, keys).ok, false);
    const report = check(armour(noise.slice(0, 30)));
    assert.deepEqual(report.games.map((game) => game.game), [null], toHex(noise));
  }
  assert.deepEqual(check("").games, []);
  assert.deepEqual(check(new Uint8Array([0xff, 0xfe, 0, 1])).games, []);
});

test("pieces, repetition and order make no difference", () => {
  const table = longGame(40);
  const whole = check(table.text);
  const checker = new Checker();
  for (const letter of [...table.letters].reverse()) {
    checker.add(letter.text, letter.id);
    checker.add(`> ${letter.text.replaceAll("\n", "\n> ")}`, "quoted");
    if (checker.progress.total % 7 === 0) checker.verify(3);
  }
  assert.ok(checker.progress.done < checker.progress.total);
  assert.deepEqual(checker.report(), whole);
  assert.deepEqual(checker.progress, { done: table.letters.length, total: table.letters.length });
  assert.deepEqual(checker.sourcesOf(table.letters[0]?.id ?? "").map((source) => source.name), [table.letters[0]?.id, "quoted"]);
  assert.equal(whole.games[0]?.verdict, "verified");
  assert.ok((whole.games[0]?.rolls.length ?? 0) > 10);
});
