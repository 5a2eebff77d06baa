/** A game of coin envelopes and ICRK sheets begins and goes on in few keys and clicks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { browser } from "./desk.js";
import { Tally } from "./keystrokes.js";
import { agree, audit, fill, getUp, go, nothingMoved, open, pick, reply, send, show, sitDown, whoPlays } from "./table.js";

const TITLE = "Our campaign";

/** Whether the page of the game offers this player a step that begins so. */
async function step({ page }, name) {
  return (await page.locator("section.move").getByRole("link", { name }).count()) > 0;
}

/** The player declares their next impulse: three attacks, or two rolls. */
async function declare(table, player) {
  const { page } = player;
  await open(player, TITLE);
  const rolls = await step(player, /^Declare rolls/);
  await go(page, /^Declare (attacks|rolls)/);
  if (rolls) {
    for (const [row, why] of ["L2 1-1", "M4 2-1"].entries()) await page.locator(`[name='why.${row}']`).fill(why);
  } else {
    for (const [row, [hexes, odds]] of [["F12+F13", "3-1"], ["G14", "2-1"], ["H9", "1-1"]].entries()) {
      await page.locator(`[name='hexes.${row}']`).fill(hexes);
      await page.locator(`[name='odds.${row}']`).fill(odds);
    }
  }
  if (await page.locator("textarea[name=words]").count()) {
    await page.locator("textarea[name=words]").fill("3rd Corps to F11, G13 and H8; 12th Cavalry stays at E10");
  } else {
    await nothingMoved(page);
  }
  await show(page);
  await send(table, player);
}

test("two people see their first die within six minutes, and a player turn takes four", { timeout: 300_000 }, async () => {
  const on = await browser();
  const tally = new Tally();
  const table = await sitDown(on, tally);
  const { ann, bob } = table;
  // Bob's key and fingerprint reach Ann by a mail.
  tally.mailed();
  await whoPlays(table, /double impulses/, TITLE);
  await pick(ann.page, "Hexes on your map", /^like F12/);
  await show(ann.page);
  await agree(table);
  await declare(table, ann);
  await reply(table, bob, TITLE);
  await open(ann, TITLE);
  assert.match(await ann.page.locator("section.opened").innerText(), /Last dice/);
  const first = tally.lap();
  // The rest of Ann's turn, then a whole player turn of Bob's.
  await declare(table, ann);
  await reply(table, bob, TITLE);
  tally.lap();
  const before = table.mails.length;
  for (let impulse = 1; impulse <= 2; impulse += 1) {
    await declare(table, bob);
    await reply(table, ann, TITLE);
  }
  await open(bob, TITLE);
  const turn = tally.lap();
  const mails = table.mails.length - before;
  console.log(`first die: ${JSON.stringify(first)}\nplayer turn: ${JSON.stringify(turn)}, ${mails} mails`);
  assert.ok(first.seconds <= 6 * 60, `${first.seconds} s to the first die`);
  assert.ok(turn.seconds <= 4 * 60, `${turn.seconds} s for a player turn`);
  assert.ok(mails <= 4, `${mails} mails for a player turn`);
  assert.equal(audit(table).verdict, "verified");
  await getUp(table);
  await on.close();
});
