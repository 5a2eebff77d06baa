/** A desk and a command line, in one folder and as opponents. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { Terminal } from "./command.js";
import { browser, makeKey, propose, read, sign, start, stop, visit } from "./desk.js";

let on;
before(async () => {
  on = await browser();
});
after(() => on.close());

/** Begins a game: Ann at a desk, Bob at a terminal. */
async function begun() {
  const desk = await start();
  const page = await visit(on, desk);
  await makeKey(page);
  const bob = new Terminal();
  bob.run(["key", "new"]);
  const key = JSON.parse(bob.run(["key", "show", "--json"])).public;
  bob.read(await propose(page, desk, key));
  await read(page, desk, bob.sign("game", "accept", "--no-backup"));
  return { desk, page, bob };
}

async function over({ desk, page, bob }) {
  assert.deepEqual(page.faults, []);
  await page.context().close();
  await stop(desk);
  bob.end();
  rmSync(bob.home, { recursive: true, force: true });
}

/** Fills in Ann's next impulse at the desk, up to the preview. */
async function impulse(page, desk) {
  await page.goto(`${desk.address}game/our-campaign`);
  const step = page.getByRole("link", { name: /^Declare (attacks|rolls)/ });
  const rolls = (await step.innerText()).startsWith("Declare rolls");
  await step.click();
  if (rolls) {
    await page.locator("[name='why.0']").fill("a raid");
  } else {
    await page.locator("[name='hexes.0']").fill("F12");
    await page.locator("[name='odds.0']").fill("3-1");
  }
  await page.locator("textarea[name=words]").fill("the 3rd Corps moves");
  await page.getByRole("button", { name: "Show me what I would sign" }).click();
  await page.getByRole("button", { name: "Sign and copy the mail" }).waitFor();
}

const status = (terminal) => terminal.run(["game", "status"]);

test("a desk plays against a command line, and takes turns with one in its own folder", { timeout: 300_000 }, async () => {
  const table = await begun();
  const { desk, page, bob } = table;
  await impulse(page, desk);
  bob.read(await sign(page));
  assert.match(status(bob), /your move/);
  await read(page, desk, bob.sign("reply"));
  await page.goto(`${desk.address}game/our-campaign`);
  assert.match(await page.locator("section.opened").innerText(), /Last dice/);

  // Ann plays the second impulse from a terminal in the desk's own folder, while the desk runs.
  const ann = new Terminal(desk.home);
  const sheet = ann.file("rolls.csv", "why\na raid on G14\n");
  const mail = ann.sign("declare", "1/2/ann-second/1", sheet, "--moves", "a raid", "--no-backup");
  await page.reload();
  assert.match(await page.locator("main").innerText(), /Ann's second \(turn 1, impulse 2\)/);
  bob.read(mail);
  await read(page, desk, bob.sign("reply"));
  await page.goto(`${desk.address}game/our-campaign`);
  assert.match(await page.locator("section.opened").innerText(), /Ann's second \(turn 1, impulse 2\)/);
  // Both folders show the same dice.
  const letters = (terminal) => JSON.parse(terminal.run(["audit", "--game", "our-campaign", "--json"]));
  assert.deepEqual(letters(ann).rolls, letters(bob).rolls);
  assert.deepEqual(letters(ann).findings, []);
  ann.end();
  await over(table);
});
