/** The desk beside a command line, in one folder and across the table, and a desk that dies while it signs. */
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

  // Ann's second impulse from a terminal in the desk's own folder, while the desk runs.
  const ann = new Terminal(desk.home);
  const sheet = ann.file("rolls.csv", "why\na raid on G14\n");
  const mail = ann.sign("declare", "1/2/ann-second/1", sheet, "--moves", "a raid", "--no-backup");
  await page.reload();
  assert.match(await page.locator("main").innerText(), /1\/2\/ann-second\/1/);
  bob.read(mail);
  await read(page, desk, bob.sign("reply"));
  await page.goto(`${desk.address}game/our-campaign`);
  assert.match(await page.locator("section.opened").innerText(), /1\/2\/ann-second\/1/);
  // Both folders tell the same dice.
  const letters = (terminal) => JSON.parse(terminal.run(["audit", "--game", "our-campaign", "--json"]));
  assert.deepEqual(letters(ann).rolls, letters(bob).rolls);
  assert.deepEqual(letters(ann).findings, []);
  ann.end();
  await over(table);
});

test("a desk that is killed while it signs has signed once, or not at all", { timeout: 600_000 }, async () => {
  const table = await begun();
  let { desk, page } = table;
  const { bob } = table;
  const ann = new Terminal(desk.home);
  const outcomes = { signed: 0, unsigned: 0 };
  const own = () => JSON.parse(ann.run(["audit", "--game", "our-campaign", "--json"])).heads.ann.number;
  for (const wait of [0, 10, 30, 60, 100, 200, 400, 800]) {
    const before = own();
    await impulse(page, desk);
    const died = new Promise((resolve) => desk.process.on("exit", resolve));
    // The click is not waited for: its answer may never come.
    page.getByRole("button", { name: "Sign and copy the mail" }).click({ noWaitAfter: true }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, wait));
    desk.process.kill("SIGKILL");
    await died;
    await page.context().close();

    desk = await start(desk.home);
    page = await visit(on, desk);
    await page.goto(`${desk.address}game/our-campaign`);
    const signed = own() - before;
    assert.ok(signed === 0 || signed === 1, `${signed} letters`);
    outcomes[signed === 1 ? "signed" : "unsigned"]++;
    if (signed === 0) continue;
    // What was signed is mailed from there, and Bob's own impulses follow Ann's second one.
    bob.read(ann.run(["resend"]));
    await read(page, desk, bob.sign("reply"));
    if (outcomes.signed % 2 === 0) {
      for (const _ of [1, 2]) await read(page, desk, bob.sign("declare", "--no-rolls", "--no-moves"));
    }
  }
  assert.ok(outcomes.signed > 0 && outcomes.unsigned > 0, JSON.stringify(outcomes));
  const report = JSON.parse(ann.run(["audit", "--game", "our-campaign", "--json"]));
  assert.deepEqual(report.findings, []);
  ann.end();
  await over({ desk, page, bob });
});
