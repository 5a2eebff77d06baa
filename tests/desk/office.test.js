/** Two desks play through an office, and the dice appear by themselves. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { Terminal } from "./command.js";
import { browser, makeKey, read, sign, start, stop, visit } from "./desk.js";

let on;
/** What must end, even after a failure. */
const running = [];
before(async () => {
  on = await browser();
});
after(async () => {
  await on.close();
  for (const end of running) await end();
});

/** Starts an office on a free port, and returns its address and how to stop it. */
async function office() {
  const operator = new Terminal();
  operator.run(["office", "init", "--no-passphrase"]);
  const env = { ...process.env, SEALED_DICE_OFFICE_LISTEN: "127.0.0.1:0", SEALED_DICE_OFFICE_OPERATIONS: "127.0.0.1:0" };
  const args = ["--home", operator.home, "office", "serve"];
  const served = spawn(process.env.PROGRAM, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  const url = await new Promise((found, failed) => {
    served.stderr.on("data", (bytes) => {
      said += bytes;
      const address = /serving on (http:\/\/[^\s,]+)/.exec(said);
      if (address) found(address[1]);
    });
    served.on("exit", () => failed(new Error(said)));
  });
  running.push(async () => {
    const over = new Promise((done) => served.on("exit", done));
    served.kill("SIGTERM");
    await over;
    operator.end();
    rmSync(operator.home, { recursive: true, force: true });
  });
  return { url, card: operator.run(["office", "card", url]) };
}

async function player() {
  const desk = await start();
  running.push(() => stop(desk));
  const page = await visit(on, desk);
  return { desk, page, key: await makeKey(page) };
}

/** Records the office's address at a desk, for one game or for those that wait at the office. */
async function join({ desk, page }, url, game) {
  await page.goto(`${desk.address}game/${game}/join`);
  await page.getByLabel("Address of the office").fill(url);
  await page.getByRole("button", { name: "Use this office" }).click();
}

/** Leaves what was just signed at the office. */
async function leave(page) {
  await page.getByRole("button", { name: "Leave it at the office" }).click();
  await page.locator("h1").waitFor();
}

test("dice appear by themselves at both desks", { timeout: 300_000 }, async () => {
  const { url, card } = await office();
  const [ann, bob] = [await player(), await player()];
  await ann.page.goto(`${ann.desk.address}new?template=double-impulse&text=yes`);
  const template = await ann.page.locator("#terms").inputValue();
  const terms = template.replaceAll("PUT THEIR KEY HERE", bob.key).replaceAll("PUT IT HERE", "F12");
  await ann.page.locator("#terms").fill(terms.replace("[opponent]", `${card}\n[opponent]`));
  await ann.page.getByRole("button", { name: "Show me what I would sign" }).click();
  const offer = await sign(ann.page);
  await join(ann, url, "our-campaign");
  await read(bob.page, bob.desk, offer);
  await join(bob, url, "our-campaign");
  await bob.page.getByRole("link", { name: "Accept the terms" }).click();
  await bob.page.getByRole("button", { name: "Show me what I would sign" }).click();
  await sign(bob.page);
  await leave(bob.page);

  // Ann's page shows by itself that Bob has accepted; she seals her sets.
  await ann.page.goto(`${ann.desk.address}game/our-campaign`);
  await ann.page.getByText("What came in").waitFor({ timeout: 60_000 });
  await ann.page.goto(`${ann.desk.address}game/our-campaign`);
  const owes = ann.page.locator("section.move").getByRole("button", { name: /^Reply/ });
  if (await owes.count()) {
    await owes.click();
    await sign(ann.page);
    await leave(ann.page);
  }
  await bob.page.goto(`${bob.desk.address}game/our-campaign`);
  await ann.page.goto(`${ann.desk.address}game/our-campaign`);
  await ann.page.getByRole("link", { name: /^Declare attacks/ }).click();
  await ann.page.locator("[name='hexes.0']").fill("F12");
  await ann.page.locator("[name='odds.0']").fill("3-1");
  await ann.page.getByLabel("Nothing moved").check();
  await ann.page.getByRole("button", { name: "Show me what I would sign" }).click();
  await ann.page.getByRole("button", { name: "Sign and copy the mail" }).click();
  const dice = /the envelopes for Ann.s first \(turn 1, impulse 1\) are opened/;
  await ann.page.locator("ul.rolled .die").first().waitFor();
  assert.match(await ann.page.locator("main").innerText(), dice);
  // Nobody touches Bob's desk, and his page shows them too.
  await bob.page.locator("ul.rolled .die").first().waitFor({ timeout: 60_000 });
  assert.match(await bob.page.locator("main").innerText(), dice);
  for (const { page } of [ann, bob]) assert.deepEqual(page.faults, []);
});
