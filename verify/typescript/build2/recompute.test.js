import {
  Checker,
  END,
  Stream,
  VALUES,
  attempt,
  contextOfCell,
  contextOfEnvelope,
  contextOfSet,
  field,
  hash,
  hexBytes,
  le64,
  preimage,
  readWorksheet,
  readWorksheetSettings,
  slotText,
  toHex,
  valueOf
} from "./chunk-6GB62O2M.js";

// test/recompute.test.ts
import assert from "node:assert/strict";
import { createCipheriv, createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

// src/recompute.ts
var Steps = class {
  list = [];
  take(name, tag, ...items) {
    const bytes = items.map(([, item]) => item);
    const out = hash(tag, ...bytes);
    this.list.push({ name, tag, items: items.map(([item, hex]) => ({ name: item, hex: toHex(hex) })), preimage: toHex(preimage(tag, bytes)), hash: toHex(out) });
    return out;
  }
};
function openPlace(steps, set, index, row, opening, what) {
  const { context } = set;
  if (context.kind !== "sheet") {
    const a = contextOfEnvelope(context, index);
    const commit = steps.take(`commitment of ${what} ${index}`, "envelope-commit", ["context of the place", a], ["key", opening.key]);
    return { commit, seed: steps.take(`seed of ${what} ${index}`, "envelope-seed", ["context of the place", a], ["key", opening.key]) };
  }
  let key = opening.key;
  let own = key;
  for (let at = opening.row; at >= 1; at--) {
    if (at === row) own = key;
    key = steps.take(at === 1 ? "K_0, the commitment of the column" : `key of row ${at - 1}`, "cell-chain", ["context of the cell", contextOfCell(context, index, at)], [`key of row ${at}`, key]);
  }
  return { commit: key, seed: steps.take(`seed of row ${row}`, "envelope-seed", ["context of the cell", contextOfCell(context, index, row)], [`key of row ${row}`, own]) };
}
function takeWords(key, sides) {
  const stream = new Stream(key);
  const words = [];
  const draws = [];
  for (const side of sides) {
    const before = stream.words.length;
    draws.push(stream.draw(side));
    const taken = stream.words.slice(before);
    taken.forEach((word, i) => words.push({ word, hex: word.toString(16).padStart(8, "0"), sides: side, refused: i < taken.length - 1 }));
  }
  return { words, draws };
}
function worksheetOf(game, declaration) {
  if (declaration.phase.source !== "coin" || declaration.redoIndex !== null) return null;
  const made = attempt(() => {
    const settings = readWorksheetSettings(declaration.phase.settings);
    return { ...readWorksheet(declaration.body.input, settings, game.charter?.content.body.tables ?? {}), envelopes: settings.envelopes, chart: settings.chart };
  });
  return made.ok ? made.value : null;
}
function recompute(game, declarationId, roll) {
  const declaration = game.replay?.state.declarations.get(declarationId);
  if (declaration === void 0 || declaration.seal === null || !declaration.shown(END) || declaration.forfeited(END)) return null;
  const { seal, body, letter, reading, phase } = declaration;
  const asked = reading.rolls[roll - 1];
  const place = declaration.places()[roll - 1];
  if (asked === void 0 || place === void 0) return null;
  const { index, line } = place;
  const sheet = seal.body.kind === "sheet";
  const opening = sheet ? seal.deepest(END, index) : seal.opening(END, index);
  if (opening === null) return null;
  const steps = new Steps();
  const { commit, seed } = openPlace(steps, seal, index, line, opening, "envelope");
  let contribution;
  let openedBy = null;
  if (declaration.sealed !== null) {
    const own = declaration.sealed.set.opening(END, declaration.sealed.index);
    if (own === null) return null;
    contribution = openPlace(steps, declaration.sealed.set, declaration.sealed.index, 0, own, "contribution").seed;
    openedBy = own.by.id;
  } else {
    contribution = hexBytes(body.contribution?.is === "open" ? body.contribution.value : "");
  }
  const root = steps.take(
    "root",
    "dice-root",
    ["id of the seal", hexBytes(seal.letter.id)],
    ["id of the declaration", hexBytes(letter.id)],
    [sheet ? "column" : "index of the envelope", le64(index)],
    ["seed", seed],
    ["contribution", contribution]
  );
  const key = steps.take("key of the line", "roll-key", ["root", root], ["line", le64(line)]);
  const taken = attempt(() => takeWords(key, asked.sides));
  if (!taken.ok) return null;
  const named = field(phase.settings, "values");
  const values = VALUES.find((one) => one === named) ?? "1-6";
  return {
    declaration: letter.id,
    slot: slotText(body.slot),
    seal: seal.letter.id,
    why: asked.why,
    roll,
    index,
    line,
    cell: asked.cell,
    context: seal.context,
    contextBytes: toHex(contextOfSet(seal.context)),
    worksheet: worksheetOf(game, declaration),
    revealed: { letter: opening.by.id, key: toHex(opening.key), row: opening.row },
    commitment: { published: seal.body.commits[index] ?? "", recomputed: toHex(commit) },
    seed: toHex(seed),
    contribution: toHex(contribution),
    contributionOpenedBy: openedBy,
    steps: steps.list,
    root: toHex(root),
    key: toHex(key),
    words: taken.value.words,
    draws: taken.value.draws,
    value: valueOf(values, taken.value.draws)
  };
}

// test/recompute.test.ts
var ROOT = process.env["VECTORS"] ?? "../../vectors";
for (const file of ["audit/whole-turn.txt", "declare/cells.txt", "declare/breach-settled.txt", "secret/closed.txt", "declare/other-values.txt", "reveal/deeper-cell.txt"]) {
  test(`each step to the dice of ${file} can be repeated with other tools`, () => {
    const checker = new Checker();
    checker.add(readFileSync(`${ROOT}/${file}`, "utf8"));
    const { games } = checker.examine();
    let count = 0;
    for (const game of games) {
      for (const declaration of new Set(game.report.rolls.map((roll) => roll.declaration))) {
        const entries = game.report.rolls.filter((roll) => roll.declaration === declaration);
        const draws = [];
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
test("there is no roll that is not there", () => {
  const checker = new Checker();
  checker.add(readFileSync(`${ROOT}/audit/awaiting-a-reveal.txt`, "utf8"));
  for (const game of checker.examine().games) {
    assert.equal(recompute(game, "", 1), null);
    for (const declaration of game.replay?.state.declarations.keys() ?? []) assert.equal(recompute(game, declaration, 1), null);
  }
});
