import {
  Chance,
  Mess
} from "./chunk-QKGJEC4C.js";
import "./chunk-RSEZADFH.js";
import {
  check
} from "./chunk-6GB62O2M.js";

// test/random.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";
var GAMES = Number(process.env["GAMES"] ?? 24);
var FIRST = Number(process.env["FIRST"] ?? 1);
test(`${GAMES} games in which anything is signed`, () => {
  const seen = { verified: 0, refuted: 0, undecided: 0, rolls: 0, rules: /* @__PURE__ */ new Set() };
  for (let seed = FIRST; seed < FIRST + GAMES; seed++) {
    const chance = new Chance(seed);
    const mess = new Mess(chance);
    for (let i = 0; i < 60; i++) mess.step();
    const { letters } = mess.table;
    const report = check(letters.map((letter) => letter.text).join("\n"));
    const shuffled = [...letters].sort(() => chance.below(3) - 1).map((letter) => letter.text);
    assert.deepEqual(check(shuffled.join("\n")), report, `seed ${seed}`);
    check(shuffled.filter(() => chance.often(80)).join("\n"));
    for (const game of report.games) {
      seen[game.verdict]++;
      seen.rolls += game.rolls.length;
      for (const roll of game.rolls) {
        if (roll.standing !== true) seen.rules.add("a roll that does not stand");
        if (roll.named_by !== null) seen.rules.add("named dice");
      }
      for (const finding of game.findings) seen.rules.add(/^[a-z]+ \d+/.exec(finding.text)?.[0] ?? finding.code);
    }
  }
  if (process.env["SHOW"] !== void 0) console.log(seen);
  assert.ok(seen.refuted > 0 && seen.rules.size > 20);
});
