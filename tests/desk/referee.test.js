/** A referee at a desk: a claim, and what may be ruled on it. The players type commands. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { Terminal } from "./command.js";
import { browser, look, makeKey, read, sign, start, stop, visit } from "./desk.js";
import { go, show } from "./table.js";

let on;
before(async () => {
  on = await browser();
});
after(() => on.close());

/** Seats a player at a terminal, with a key. */
function seated() {
  const player = new Terminal();
  player.run(["key", "new"]);
  player.key = JSON.parse(player.run(["key", "show", "--json"])).public;
  return player;
}

const buttons = (page) => page.locator("section.move .steps").locator("a, button").allInnerTexts();

test("a referee sees each claim with its rulings", { timeout: 300_000 }, async () => {
  const desk = await start();
  const page = await visit(on, desk);
  const key = await makeKey(page);
  const [ann, bob] = [seated(), seated()];
  const referee = `[referee]\nrole = "ref"\nname = "Carol"\nkey = "${key}"\n\n[opponent]`;
  const template = ann.run(["game", "template", "double-impulse"]).replace("[opponent]", referee);
  const terms = ann.file("terms.toml", template.replaceAll("PUT THEIR KEY HERE", bob.key).replaceAll("PUT IT HERE", "F12"));

  const proposed = ann.sign("game", "new", terms, "--no-backup");
  bob.read(proposed);
  await read(page, desk, proposed);
  await go(page, "Accept the terms");
  await show(page);
  const agreed = await sign(page);
  for (const player of [ann, bob]) player.read(agreed);
  const accepted = bob.sign("game", "accept", "--no-backup");
  ann.read(accepted);
  await read(page, desk, accepted);

  const attacks = ann.file("attacks.csv", "hexes,odds\nF12,3-1\n");
  const declared = ann.sign("declare", "1/1/ann-first/1", attacks, "--no-moves");
  const claimed = ann.sign("dispute", "stall", "1/1/ann-first/1", "--text", "six weeks");
  for (const mail of [declared, claimed]) {
    await read(page, desk, mail);
    bob.read(mail);
  }
  await page.goto(`${desk.address}game/our-campaign`);
  assert.match(await page.locator("section.move .note").innerText(), /six weeks/);
  const [asks, settles] = await buttons(page);
  assert.match(asks, /^Ask for what is owed, claim [0-9a-f]+$/);
  assert.equal(settles, asks.replace("Ask for what is owed, claim", "Settle claim"));
  await look(page, desk, "claim");
  assert.equal(await page.getByRole("button", { name: "A declaration was a mistake" }).count(), 0, "a player's action");

  await go(page, asks);
  assert.equal(await page.getByLabel("Ruling").inputValue(), "request");
  await show(page);
  const ruling = await sign(page);
  bob.read(ruling);
  assert.match(bob.run(["game", "status"]), /the referee has asked for this step/);
  ann.end();
  bob.end();
  for (const { home } of [ann, bob]) rmSync(home, { recursive: true, force: true });
  assert.deepEqual(page.faults, []);
  await page.context().close();
  await stop(desk);
});
