/** Two players, each at a desk of their own: what both do on its pages, by the labels that they read. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Terminal } from "./command.js";
import { makeKey, read, sign, start, stop, visit } from "./desk.js";

/** A player at a desk. */
async function player(on, name, options) {
  const desk = await start();
  const page = await visit(on, desk, options);
  const key = await makeKey(page);
  const fingerprint = await page.locator("dd code").first().innerText();
  return { name, desk, page, key, fingerprint };
}

/** Ann and Bob with their keys, and every mail that they send. `tally` counts what they type and click. */
export async function sitDown(on, tally) {
  return { ann: await player(on, "Ann", { tally }), bob: await player(on, "Bob", { tally }), mails: [], tally };
}

/** Closes both desks. No page may have had a fault. */
export async function getUp({ ann, bob }) {
  for (const { name, page, desk } of [ann, bob]) {
    assert.deepEqual(page.faults, [], name);
    await page.context().close();
    await stop(desk);
  }
}

/** Clicks a link or a button that leads to another page, and waits for that page. */
export async function go(page, name, within = page) {
  const loaded = page.waitForEvent("load");
  await within.getByRole("link", { name }).or(within.getByRole("button", { name })).first().click();
  await loaded;
}

export const show = (page) => go(page, "Show me what I would sign");
export const fill = (page, label, value) => page.getByLabel(label, { exact: true }).first().fill(String(value));

/** Chooses one of the answers to a question. */
export async function pick(page, question, answer) {
  const group = page.getByRole("group", { name: question });
  await group.getByRole("radio", { name: answer, exact: typeof answer === "string" }).check();
}

/** What the page says is wrong, or "". The place where a page tells of its own work is empty until it has some. */
const alerts = async (page) => (await page.getByRole("alert").allInnerTexts()).join("\n").trim();

/** The page must say why nothing was done. */
export async function refuses(page, words) {
  // A sentence may begin with a capital letter here that the program writes small.
  assert.match(await alerts(page), new RegExp(words.source, "i"));
}

/** Returns what a preview says, which must be one. */
export async function preview(page) {
  assert.equal(await alerts(page), "");
  return page.locator("main").innerText();
}

/** Opens the game from the list of games. */
export async function open({ page, desk }, title) {
  await page.goto(desk.address);
  await go(page, title);
}

/** Whether the game's page offers a step. */
export async function offers(player, title, name) {
  await open(player, title);
  const { page } = player;
  return (await page.getByRole("link", { name }).or(page.getByRole("button", { name })).count()) > 0;
}

/** Signs the preview, and pastes the mail at the other desk. */
export async function send(table, from) {
  const to = from === table.ann ? table.bob : table.ann;
  const mail = await sign(from.page);
  table.mails.push(mail);
  table.tally?.mailed();
  await read(to.page, to.desk, mail);
}

/** Ann answers who plays a new game of a system. */
export async function whoPlays({ ann, bob }, system, title) {
  const { page, desk } = ann;
  await page.goto(desk.address);
  await go(page, "New game");
  await go(page, system);
  await fill(page, "Title of the game", title);
  await fill(page, "Your name", "Ann");
  await fill(page, "Your opponent's name", "Bob");
  await fill(page, "Your opponent's public key", bob.key);
  await fill(page, "Your opponent's fingerprint", bob.fingerprint);
}

/** Ann signs the terms that her page shows, and Bob accepts them. */
export async function agree(table) {
  await send(table, table.ann);
  const { page } = table.bob;
  await go(page, "Accept the terms");
  await page.getByLabel(/The fingerprint that your opponent reads/).fill(table.ann.fingerprint);
  await show(page);
  await send(table, table.bob);
}

export async function reply(table, player, title) {
  await open(player, title);
  await go(player.page, /^Reply/);
  await send(table, player);
}

/** Reports no moves, where the form asks. */
export async function nothingMoved(page) {
  const nothing = page.getByRole("radio", { name: "Nothing moved" });
  if (await nothing.count()) await nothing.check();
}

async function put(field, value) {
  if (typeof value === "boolean") await field.setChecked(value);
  else if ((await field.evaluate((one) => one.tagName)) === "SELECT") await field.selectOption(value);
  else await field.fill(String(value));
}

/** Returns the field of an entry in a table. */
export function cell(page, label, entry) {
  return page.getByLabel(`${label}, ${entry}`, { exact: true });
}

/** Fills in the first blank entry of a kind: a row of a table, or a block that opens. */
export async function add(page, kind, values) {
  const rows = page.getByRole("table", { name: kind, exact: true }).locator("tbody[data-spares] > tr");
  for (const row of await rows.all()) {
    if ((await row.locator("input:not([type=checkbox]), select").first().inputValue()) !== "") continue;
    for (const [label, value] of Object.entries(values)) await put(row.getByLabel(new RegExp(`^${label}, row \\d+$`)), value);
    return;
  }
  const summary = page.locator(":scope > summary", { hasText: new RegExp(`^Add: ${kind}$`) });
  for (const blank of await page.locator("details", { has: summary }).all()) {
    const first = blank.locator("input:not([type=checkbox]), select").first();
    if ((await first.inputValue()) !== "") continue;
    if (!(await blank.evaluate((details) => details.open))) await blank.locator("summary").first().click();
    for (const [label, value] of Object.entries(values)) {
      await put(blank.getByLabel(label, { exact: true }).first(), value);
    }
    return;
  }
  assert.fail(`no blank entry: ${kind}`);
}

/** Ann closes the game, and both reply until it is over. */
export async function close(table, title, result) {
  const { ann, bob } = table;
  await open(ann, title);
  await ann.page.getByText("When something goes wrong", { exact: true }).click();
  await go(ann.page, "Close the game");
  await fill(ann.page, "How the game ended", result);
  await show(ann.page);
  await ann.page.getByLabel(/Type the word close/).fill("close");
  await send(table, ann);
  for (const who of [bob, ann, bob, ann]) {
    if (await offers(who, title, /^Reply/)) await reply(table, who, title);
  }
  await open(bob, title);
  await bob.page.getByText("The game is over. Both players have closed it.").waitFor();
}

/** What the audit of all mails says. */
export function audit({ mails }) {
  const referee = new Terminal();
  const folder = mkdtempSync(join(tmpdir(), "mails-"));
  mails.forEach((mail, at) => writeFileSync(join(folder, `${at}.txt`), mail));
  try {
    return JSON.parse(referee.run(["audit", folder, "--json"]));
  } finally {
    referee.end();
    for (const gone of [folder, referee.home]) rmSync(gone, { recursive: true, force: true });
  }
}
