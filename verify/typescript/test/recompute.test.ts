import assert from "node:assert/strict";
import { createCipheriv, createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Checker } from "../src/checker.js";
import { recompute } from "../src/recompute.js";

const ROOT = process.env["VECTORS"] ?? "../../vectors";

for (const file of ["audit/whole-turn.txt", "declare/cells.txt", "declare/breach-settled.txt", "secret/closed.txt", "declare/other-values.txt", "reveal/deeper-cell.txt"]) {
  test(`each step to the dice of ${file} can be repeated with other tools`, () => {
    const checker = new Checker();
    checker.add(readFileSync(`${ROOT}/${file}`, "utf8"));
    const { games } = checker.examine();
    let count = 0;
    for (const game of games) {
      for (const declaration of new Set(game.report.rolls.map((roll) => roll.declaration))) {
        const entries = game.report.rolls.filter((roll) => roll.declaration === declaration);
        const draws: number[] = [];
        for (let roll = 1; ; roll++) {
          const made = recompute(game, declaration, roll);
          if (made === null) break;
          for (const step of made.steps) {
            assert.equal(createHash("sha3-256").update(Buffer.from(step.preimage, "hex")).digest("hex"), step.hash);
            for (const item of step.items) assert.ok(step.preimage.includes(item.hex));
          }
          assert.equal(made.commitment.recomputed, made.commitment.published);
          const cipher = createCipheriv("chacha20", Buffer.from(made.key, "hex"), Buffer.alloc(16));
          const stream = cipher.update(Buffer.alloc(4 * made.words.length));
          made.words.forEach((word, i) => assert.equal(stream.readUInt32LE(4 * i), word.word));
          if (made.worksheet !== null) assert.equal(made.worksheet.total % made.worksheet.envelopes, made.worksheet.index);
          draws.push(...made.draws);
        }
        assert.deepEqual(draws, entries.map((entry) => entry.value));
        count += draws.length;
      }
    }
    assert.ok(count > 0);
  });
}

test("rolls that do not exist give null", () => {
  const checker = new Checker();
  checker.add(readFileSync(`${ROOT}/audit/awaiting-a-reveal.txt`, "utf8"));
  for (const game of checker.examine().games) {
    assert.equal(recompute(game, "", 1), null);
    for (const declaration of game.replay?.state.declarations.keys() ?? []) assert.equal(recompute(game, declaration, 1), null);
  }
});
