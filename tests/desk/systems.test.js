/** Every system of rolls but coin envelopes and ICRK sheets, played at two desks from the terms to the close. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, look } from "./desk.js";
import {
  add, agree, audit, close, fill, getUp, go, nothingMoved, offers, open, pick, preview, refuses, reply, send, show, sitDown, whoPlays,
} from "./table.js";

let on;
before(async () => {
  on = await browser();
});
after(() => on.close());

/** The players must have broken no rule, and the dice of the game must be open. */
function verified(table) {
  const { verdict, complete, findings, rolls } = audit(table);
  assert.deepEqual({ verdict, complete, findings }, { verdict: "verified", complete: true, findings: [] });
  assert.ok(rolls.length > 0);
}

/** Opens the first step whose name begins so. */
async function begin(player, title, step) {
  await open(player, title);
  await go(player.page, step);
  return player.page;
}

/** Looks at the preview, signs it and sends the mail. */
async function signed(table, from) {
  await show(from.page);
  const said = await preview(from.page);
  await send(table, from);
  return said;
}

test("OCS: markers, an order of turns and a pop", { timeout: 600_000 }, async () => {
  const table = await sitDown(on);
  const title = "Smolensk OCS";
  const { ann, bob } = table;
  await whoPlays(table, /Operational Combat/, title);
  await pick(ann.page, "Who goes first in turn 1", "You");
  await look(ann.page, ann.desk, "ocs-terms");
  await show(ann.page);
  await agree(table);

  const declaring = /^Declare your turn/;
  for (const [moved, markers, from, words] of [
    [false, "r1, r2", "", /say under “Moves” what moved/],
    [true, "r1 r2", "", /not a marker name/],
    [true, "r1, r2", "r9", /r9 is not in play/],
  ]) {
    const page = await begin(ann, title, declaring);
    if (moved) await nothingMoved(page);
    await fill(page, "markers", markers);
    await fill(page, "from", from);
    await show(page);
    await refuses(page, words);
  }

  const did = new Set();
  for (let step = 0; step < 40 && did.size < 2; step += 1) {
    for (const player of [ann, bob]) {
      const { page } = player;
      if (await offers(player, title, /^Choose (order|pop)/)) {
        const pop = (await page.getByRole("link", { name: /^Choose pop/ }).count()) > 0;
        await go(page, /^Choose /);
        await look(page, player.desk, pop ? "ocs-pop" : "ocs-order");
        did.add(pop ? "pop" : "order");
        if (pop) {
          const [, most, names] = /exactly (\d+) of ([^"]*?), or none/.exec(await page.locator("main").innerText());
          for (const name of names.split(", ").slice(0, Number(most))) await page.getByLabel(name, { exact: true }).check();
        } else {
          await page.getByRole("radio", { name: "first", exact: true }).check();
        }
        await signed(table, player);
      } else if (await offers(player, title, declaring)) {
        await go(page, declaring);
        const bar = (/on the Bar: ([^.]*)\./.exec(await page.locator("main").innerText())?.[1] ?? "").split(", ");
        const markers = Array.from({ length: 10 }, (_, at) => `${player.name[0].toLowerCase()}${at + 1}`);
        await fill(page, "markers", markers.filter((name) => !bar.includes(name)).join(", "));
        await nothingMoved(page);
        await signed(table, player);
      } else if (await offers(player, title, /^Reply with everything/)) {
        await reply(table, player, title);
      }
    }
  }
  await close(table, title, "Ann takes Smolensk");
  verified(table);
  await getUp(table);
});
