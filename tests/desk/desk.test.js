/** The desk as players use it, and what must never happen. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { readFileSync } from "node:fs";
import { browser, look, makeKey, PASSPHRASE, propose, read, sign, start, stop, visit } from "./desk.js";

let on;
before(async () => {
  on = await browser();
});
after(() => on.close());

/** Whether the page fits the width of a phone. */
async function fits(page) {
  await page.setViewportSize({ width: 390, height: 800 });
  const over = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  await page.setViewportSize({ width: 1280, height: 900 });
  return over <= 0;
}

/** Begins a game between two new desks. */
async function begun() {
  const [ann, bob] = [await start(), await start()];
  const [a, b] = [await visit(on, ann), await visit(on, bob)];
  await look(a, ann, "no-key");
  await makeKey(a);
  const key = await makeKey(b);
  await look(a, ann, "key");
  const mail = await propose(a, ann, key);
  await read(b, bob, mail);
  await look(b, bob, "invitation");
  await b.getByRole("link", { name: "Accept the terms" }).click();
  await look(b, bob, "accept");
  await b.getByRole("button", { name: "Show me what I would sign" }).click();
  await look(b, bob, "accept-preview");
  await read(a, ann, await sign(b));
  return { ann: { desk: ann, page: a }, bob: { desk: bob, page: b } };
}

async function over({ ann, bob }) {
  for (const { desk, page } of [ann, bob]) {
    assert.deepEqual(page.faults, []);
    await page.context().close();
    await stop(desk);
  }
}

/** All sentences so far that said whose move it is. */
const seen = new Set();

/** Does the first step that the game's page offers, and returns its name and the mail. */
async function moves({ desk, page }) {
  await page.goto(`${desk.address}game/our-campaign`);
  seen.add(await page.locator("section.move p.turn").innerText());
  const item = page.locator("section.move .steps > li").first();
  const step = item.locator("a, button");
  if ((await step.count()) === 0) return null;
  const name = await item.innerText();
  await step.click();
  if (name.startsWith("Declare attacks")) {
    for (const [row, [hexes, odds]] of [["F12+F13", "3-1"], ["G14", "2:1"]].entries()) {
      await page.locator(`[name='hexes.${row}']`).fill(hexes);
      await page.locator(`[name='odds.${row}']`).fill(odds);
    }
    await page.locator("textarea[name=words]").fill("3rd Corps crosses the river");
    await page.getByText(/this opens envelope \d/).waitFor();
    await look(page, desk, "attacks");
  } else if (name.startsWith("Declare rolls")) {
    await page.locator("[name='why.0']").fill("L2 1-1, at the river");
    if (name.includes("turn 1, impulse 2")) {
      // More than half of what a form may hold: the preview carries its hash on, not the file.
      const photo = { name: "map.png", mimeType: "image/png", buffer: Buffer.alloc(36 << 20, 1) };
      await page.locator("[name=moved][value=files]").check();
      await page.locator("[name=moves]").setInputFiles(photo);
    } else {
      await page.getByLabel("Nothing moved").check();
    }
    await look(page, desk, "rolls");
  }
  const preview = page.getByRole("button", { name: "Show me what I would sign" });
  if (await preview.count()) await preview.click();
  await look(page, desk, "preview");
  const mail = await sign(page);
  await look(page, desk, "mail");
  return { name, mail };
}

test("two desks play three turns by mail", { timeout: 600_000 }, async () => {
  const table = await begun();
  const done = [];
  let [mover, other] = [table.ann, table.bob];
  while (!done.some((name) => name.includes("turn 4, impulse 1"))) {
    const moved = await moves(mover);
    if (moved === null) {
      [mover, other] = [other, mover];
      assert.notEqual(await mover.page.locator("section.move .steps > li").count(), -1);
      const next = await moves(mover);
      assert.ok(next, `nobody moves after ${done.at(-1)}`);
      done.push(next.name);
      await read(other.page, other.desk, next.mail);
      continue;
    }
    done.push(moved.name);
    await read(other.page, other.desk, moved.mail);
    await look(other.page, other.desk, "came-in");
  }
  const slots = ["turn 1, impulse 1: Ann's first", "turn 1, impulse 2: Ann's second", "turn 2, impulse 1: Ann's first"];
  for (const slot of [...slots, "turn 3, impulse 1: Ann's first"]) {
    assert.ok(done.some((name) => name.includes(slot)), `${slot} is missing: ${done.join("; ")}`);
  }
  assert.ok([...seen].some((said) => said.includes("First open your opponent's dice")), [...seen].join("; "));
  const { desk, page } = table.ann;
  await page.goto(`${desk.address}game/our-campaign`);
  assert.match(await page.locator("section.opened").innerText(), /Last dice/);
  assert.ok(await fits(page), "the game's page fits a phone");
  await look(page, desk, "game");
  await page.goto(`${desk.address}game/our-campaign/statistics`);
  await look(page, desk, "statistics");
  await page.goto(`${desk.address}game/our-campaign/journal`);
  const turn = page.locator("section", { has: page.getByRole("heading", { name: "Turn 2" }) });
  assert.match(await turn.innerText(), /Ann's first \(turn 2, impulse 1\) is declared.*3rd Corps crosses/s);
  assert.ok((await turn.locator("ul.rolled svg").count()) > 0, "the turn shows its dice");
  assert.doesNotMatch(await turn.innerText(), /turn 3, impulse 1/);
  await look(page, desk, "journal");
  await page.goto(`${desk.address}game/our-campaign/report`);
  assert.match(await page.locator("body").innerText(), /nobody is shown to have broken a rule|undecided|verified/i);
  await page.goto(`${desk.address}help/playing`);
  await look(page, desk, "help");
  await over(table);
});

/** Sends a request to the desk as a program without its pages would, and returns the answer. */
function ask(desk, path, { method = "GET", headers = {} } = {}) {
  const { hostname, port, host } = new URL(desk.address);
  return new Promise((done, failed) => {
    const asking = request({ hostname, port, path, method, headers: { host, ...headers } }, (answer) => {
      let body = "";
      answer.on("data", (bytes) => (body += bytes));
      answer.on("end", () => done({ status: answer.statusCode, headers: answer.headers, body }));
    });
    asking.on("error", failed);
    asking.end();
  });
}

test("nobody else reads or signs at the desk", async () => {
  const desk = await start();
  const { pathname, origin, port } = new URL(desk.address);
  assert.equal(desk.mode, 0o600, "only its owner reads the file that leads to the desk");
  const page = await ask(desk, pathname);
  assert.equal(page.status, 200);
  assert.match(page.headers["content-security-policy"], /default-src 'none'/);
  assert.equal(page.headers["set-cookie"], undefined, "a cookie would go to every port of this machine");
  assert.equal(page.headers["referrer-policy"], "same-origin");
  const wrong = pathname.replace(/.\/$/, (end) => (end === "0/" ? "1/" : "0/"));
  for (const [path, asked, why] of [
    ["/", {}, "no secret"],
    [wrong, {}, "a wrong secret"],
    [`${wrong}desk.css`, {}, "even a style needs the secret"],
    [pathname, { headers: { host: `evil.example:${port}` } }, "a name that was pointed at loopback"],
    [`${pathname}key/lock`, { method: "POST" }, "a form of nobody's"],
    [`${pathname}key/lock`, { method: "POST", headers: { origin: "http://evil.example" } }, "a form of another site"],
    [`${pathname}key/lock`, { method: "POST", headers: { origin: origin.replace(port, "1") } }, "a form of another port"],
    [`${pathname}key/lock`, { method: "POST", headers: { origin: "null" } }, "a form of a file"],
  ]) {
    const { status, body } = await ask(desk, path, asked);
    assert.equal(status, 403, why);
    assert.ok(!body.includes(pathname), why);
  }
  await stop(desk);
  await assert.rejects(ask(desk, pathname), "the desk is gone");
  assert.throws(() => readFileSync(desk.entrance), "and so is the file that led to it");
});

test("the desk works without scripts, and forgets the key at a click", async () => {
  const desk = await start();
  const page = await visit(on, desk, { javaScriptEnabled: false });
  await makeKey(page);
  await page.getByRole("button", { name: "Lock the key" }).click();
  await page.getByText("locked", { exact: true }).waitFor();
  await page.goto(`${desk.address}new?template=double-impulse&text=yes`);
  const terms = await page.locator("#terms").inputValue();
  await page.locator("#terms").fill(terms.replaceAll("PUT THEIR KEY HERE", "no such key"));
  await page.getByRole("button", { name: "Show me what I would sign" }).click();
  await page.getByRole("alert").waitFor();
  assert.ok((await page.locator("#terms").inputValue()).includes("no such key"), "what was typed stays");
  await page.context().close();
  await stop(desk);
});

test("letters full of markup show as text", async () => {
  const table = await begun();
  const { page, desk } = table.ann;
  await page.goto(`${desk.address}game/our-campaign`);
  await page.locator("section.move .steps > li").first().locator("a, button").click();
  const nasty = `<script>alert(1)</script><img src=x onerror=alert(2)>"'><b>bold`;
  await page.locator("[name='hexes.0']").fill("F12");
  await page.locator("[name='odds.0']").fill("3-1");
  await page.locator("textarea[name=words]").fill(nasty);
  await page.getByRole("button", { name: "Show me what I would sign" }).click();
  assert.ok((await page.locator("main").innerText()).includes(nasty));
  const mail = await sign(page);
  await read(table.bob.page, table.bob.desk, mail);
  assert.ok((await table.bob.page.locator("main").innerText()).includes(nasty));
  assert.equal(await table.bob.page.locator("main b").count(), 0);
  await over(table);
});

test("a key comes back from its backup page", async () => {
  const [first, second] = [await start(), await start()];
  const page = await visit(on, first);
  const key = await makeKey(page);
  await page.getByLabel("Passphrase, for the backup page").fill(PASSPHRASE);
  const [backup] = await Promise.all([
    page.context().waitForEvent("page"),
    page.getByRole("button", { name: "Show the backup page" }).click(),
  ]);
  await backup.waitForLoadState();
  assert.ok(await fits(backup), "the backup page fits a phone");
  const code = await backup.locator("pre").innerText();
  assert.match(code, /Restore my\s+key/);
  const other = await visit(on, second);
  const restore = other.locator("form[action$='key/restore']");
  await restore.getByLabel("The fourteen groups").fill(code.replace(/([0-9A-Z]{4})([0-9A-Z])\n/, "$1\n"));
  await restore.getByLabel("New passphrase").fill(PASSPHRASE);
  await restore.getByLabel("The same passphrase again").fill(PASSPHRASE);
  await restore.getByRole("button", { name: "Restore my key" }).click();
  await other.getByRole("alert").waitFor();
  await restore.getByLabel("The fourteen groups").fill(code);
  await restore.getByLabel("New passphrase").fill(PASSPHRASE);
  await restore.getByLabel("The same passphrase again").fill(PASSPHRASE);
  await restore.getByRole("button", { name: "Restore my key" }).click();
  await other.getByRole("heading", { name: "Your key is back" }).waitFor();
  await look(other, second, "restored");
  await other.getByRole("link", { name: "Your key" }).click();
  assert.equal(await other.locator("dd code.id").innerText(), key);
  for (const [desk, at] of [[first, page], [second, other]]) {
    await at.context().close();
    await stop(desk);
  }
});

/** Declares attacks, and returns the mail. */
async function declares({ page }, attacks) {
  for (const [row, [hexes, odds]] of attacks.entries()) {
    await page.locator(`[name='hexes.${row}']`).fill(hexes);
    await page.locator(`[name='odds.${row}']`).fill(odds);
  }
  await page.getByLabel("Nothing moved").check();
  await page.getByRole("button", { name: "Show me what I would sign" }).click();
  return sign(page);
}

test("dice are seen before the next move, and a wrong hex is corrected in its table", { timeout: 300_000 }, async () => {
  const table = await begun();
  const { ann, bob } = table;
  await ann.page.goto(`${ann.desk.address}game/our-campaign`);
  await ann.page.locator("section.move .steps > li").first().locator("a, button").click();
  assert.match(await ann.page.locator("main h2").first().innerText(), /^turn 1, impulse 1: Ann's first$/i);
  await ann.page.goto(`${ann.desk.address}game/our-campaign/correct`);
  await ann.page.getByText("Nothing has been declared yet").waitFor();
  await ann.page.goto(`${ann.desk.address}game/our-campaign`);
  await ann.page.locator("section.move .steps > li").first().locator("a, button").click();
  await read(bob.page, bob.desk, await declares(ann, [["F21", "3-1"], ["G14", "2-1"]]));

  await ann.page.goto(`${ann.desk.address}game/our-campaign/correct`);
  await ann.page.getByText("Its dice are not open yet").waitFor();
  assert.equal(await ann.page.getByRole("button", { name: "Show me what I would sign" }).count(), 0);

  await bob.page.goto(`${bob.desk.address}game/our-campaign`);
  assert.match(await bob.page.locator("section.move ul.steps").innerText(), /Reply/);
  await look(bob.page, bob.desk, "reply-first");
  await bob.page.locator("section.move").getByRole("button", { name: "Reply" }).click();
  await read(ann.page, ann.desk, await sign(bob.page));

  await ann.page.goto(`${ann.desk.address}game/our-campaign/correct`);
  await look(ann.page, ann.desk, "correct-which");
  await ann.page.getByRole("link", { name: /turn 1, impulse 1/i }).click();
  assert.equal(await ann.page.locator("[name='hexes.0']").inputValue(), "F21");
  await ann.page.getByLabel("The list was wrong").check();
  await ann.page.getByLabel("What is wrong").fill("I meant F12");
  await ann.page.locator("[name='hexes.0']").fill("F12");
  await look(ann.page, ann.desk, "correct");
  await ann.page.getByRole("button", { name: "Show me what I would sign" }).click();
  await read(bob.page, bob.desk, await sign(ann.page));
  await bob.page.goto(`${bob.desk.address}game/our-campaign`);
  assert.match(await bob.page.locator("section.move").innerText(), /F21[^]*F12/);
  await look(bob.page, bob.desk, "agree");
  await bob.page.getByRole("button", { name: /Agree to proposal/ }).click();
  await read(ann.page, ann.desk, await sign(bob.page));
  await ann.page.goto(`${ann.desk.address}game/our-campaign`);
  assert.match(await ann.page.locator("section.opened").innerText(), /DO NOT COUNT/);
  await look(ann.page, ann.desk, "replaced");
  await over(table);
});

test("a preview leads back to the form with what was entered", async () => {
  const table = await begun();
  const { page, desk } = table.ann;
  await page.goto(`${desk.address}game/our-campaign`);
  await page.locator("section.move .steps > li").first().locator("a, button").click();
  await page.locator("[name='hexes.0']").fill("F12");
  await page.locator("[name='odds.0']").fill("3-1");
  const file = (name) => ({ name, mimeType: "image/png", buffer: Buffer.from(name) });
  await page.locator("[name=moved][value=files]").check();
  await page.locator("[name=moves]").setInputFiles([file("map.png"), file("wrong.png")]);
  await page.getByRole("button", { name: "Show me what I would sign" }).click();
  await page.getByRole("button", { name: "Change it" }).click();
  assert.equal(await page.locator("[name='hexes.0']").inputValue(), "F12");
  assert.ok(await page.locator("[name=moved][value=files]").isChecked());
  const sheet = { name: "attacks.csv", mimeType: "text/csv", buffer: Buffer.from("hexes;odds;order of attack\nf12+f13;3 to 1;2\nG13;5/1;1\n") };
  await page.locator("#sheet").setInputFiles(sheet);
  await page.getByRole("button", { name: "Work out the envelope" }).click();
  assert.equal(await page.locator("[name='odds.1']").inputValue(), "5:1", "a table from a file fills the rows");
  assert.equal(await page.locator("[name='order.0']").inputValue(), "2");
  await page.locator("[name='hexes.0']").fill("F13");
  await page.getByLabel("Chosen: wrong.png. Tick this to leave it out.").check();
  await page.locator("[name=moves]").setInputFiles([file("save.png")]);
  await page.getByRole("button", { name: "Show me what I would sign" }).click();
  const preview = await page.locator("main").innerText();
  assert.match(preview, /F13/);
  for (const [name, is] of [["map.png", true], ["save.png", true], ["wrong.png", false]]) {
    assert.equal(preview.includes(name), is, `${name}: ${preview}`);
  }
  await look(page, desk, "preview-changed");
  await sign(page);
  await page.goto(`${desk.address}new?template=double-impulse`);
  assert.equal(await page.getByLabel("Your name").inputValue(), "Ann", "the desk knows who plays here");
  assert.equal(await page.locator("#their-key-known option").count(), 1);
  await over(table);
});

test("a game with tables begins without a file, and a slip comes back to its question", async () => {
  const desk = await start();
  const other = await start();
  const [page, bob] = [await visit(on, desk), await visit(on, other)];
  await makeKey(page);
  const key = await makeKey(bob);
  await page.goto(`${desk.address}new?template=gettysburg-events`);
  await page.locator("#own-name").fill("Ann");
  await page.locator("#their-name").fill("Bob");
  await page.locator("#their-key").fill(key);
  for (const radio of ["own-side", "first", "fire-dice"]) await page.locator(`[name='${radio}']`).first().check();
  const numbers = { "dt-accepts-on": 4, "july-2": 17, "july-3": 10, "longstreet-from": 7, "longstreet-regular": 21 };
  for (const [id, number] of Object.entries({ ...numbers, "mclaws-regular": 14, "hood-regular": 15 })) {
    await page.locator(`#${id}`).fill(String(number));
  }
  await look(page, desk, "new-game-tables");
  await page.getByRole("button", { name: "Show me what I would sign" }).click();
  const without = page.getByRole("button", { name: "Yes, go on" });
  if (await without.count()) await without.click();
  await page.locator("#july-3-wrong").waitFor();
  assert.equal(await page.locator("#july-2").inputValue(), "17");
  await page.locator("#july-3").fill("40");
  await page.getByRole("button", { name: "Show me what I would sign" }).click();
  await sign(page);
  for (const [at, its] of [[page, desk], [bob, other]]) {
    assert.deepEqual(at.faults, []);
    await at.context().close();
    await stop(its);
  }
});

test("going back never sends a form again", async () => {
  const table = await begun();
  const { page, desk } = table.ann;
  await page.goto(`${desk.address}game/our-campaign`);
  await page.locator("section.move .steps > li").first().locator("a, button").click();
  const mail = await declares(table.ann, [["F12", "3-1"]]);
  await page.getByRole("link", { name: "Report", exact: true }).click();
  await page.getByRole("heading", { name: "What the letters prove" }).waitFor();
  await look(page, desk, "report");
  await page.getByRole("link", { name: "Statistics", exact: true }).click();
  await page.goBack();
  await page.goBack();
  assert.equal(await page.locator("#mail").inputValue(), mail, "the signed mail is still there");
  await page.reload();
  assert.equal(await page.locator("#mail").inputValue(), mail, "also when it is loaded again");
  await over(table);
});
