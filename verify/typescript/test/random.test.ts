/** Games in which anybody signs anything: nothing throws, and the report does not depend on the order of the mails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../src/checker.js";
import { Chance, Mess } from "./mess.js";

const GAMES = Number(process.env["GAMES"] ?? 24);
const FIRST = Number(process.env["FIRST"] ?? 1);

test(`${GAMES} games in which anything is signed`, () => {
  const seen = { verified: 0, refuted: 0, undecided: 0, rolls: 0, rules: new Set<string>() };
  for (let seed = FIRST; seed < FIRST + GAMES; seed++) {
    const chance = new Chance(seed);
    const mess = new Mess(chance);
    for (let i = 0; i < 60; i++) mess.step();
    const { letters } = mess.table;
    const report = check(letters.map((letter) => letter.text).join("\n"));
    const shuffled = [...letters].sort(() => chance.below(3) - 1).map((letter) => letter.text);
    assert.deepEqual(check(shuffled.join("\n")), report, `seed ${seed}`);
    // Any part of the letters can be audited, too.
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
  if (process.env["SHOW"] !== undefined) console.log(seen);
  assert.ok(seen.refuted > 0 && seen.rules.size > 20);
});
