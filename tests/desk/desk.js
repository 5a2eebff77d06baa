/** Starts desks, and opens their pages in a browser. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const PROGRAM = process.env.PROGRAM;
const SHOTS = process.env.SHOTS;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const PASSPHRASE = "four words or more";

export async function browser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
}

/** Starts a desk; `home` is a new folder if none is given. */
export async function start(home = mkdtempSync(join(tmpdir(), "desk-"))) {
  const process_ = spawn(PROGRAM, ["--home", home, "desk", "--no-browser"], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  const entrance = await new Promise((found, failed) => {
    process_.stderr.on("data", (bytes) => {
      said += bytes;
      const path = /open (\/\S+\.html)/.exec(said);
      if (path) found(path[1]);
    });
    process_.on("exit", () => failed(new Error(said)));
  });
  const address = /url=([^"]+)"/.exec(readFileSync(entrance, "utf8"))[1];
  return { home, process: process_, entrance, mode: statSync(entrance).mode & 0o777, address };
}

/** Stops a desk as Ctrl-C does, and removes its folder. */
export async function stop(desk) {
  const over = new Promise((resolve) => desk.process.on("exit", resolve));
  desk.process.kill("SIGINT");
  await over;
  rmSync(desk.home, { recursive: true, force: true });
}

/** Opens a desk's page, which records every fault and every address that it requests. `tally` counts keys and clicks. */
export async function visit(on, desk, { tally, ...options } = {}) {
  const context = await on.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  await tally?.watch(context);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  page.faults = [];
  page.asked = [];
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") page.faults.push(message.text());
  });
  page.on("request", (request) => page.asked.push(request.url()));
  await page.goto(desk.address);
  return page;
}

/** Makes a key with the desk, and returns the public key. */
export async function makeKey(page) {
  await page.getByLabel("New passphrase").first().fill(PASSPHRASE);
  await page.getByLabel("The same passphrase again").first().fill(PASSPHRASE);
  await page.getByRole("button", { name: "Make my key" }).click();
  return page.locator("dd code.id").innerText();
}

/** Signs what a preview shows, and returns the mail. */
export async function sign(page) {
  // A key without a backup page, and each setting that gives somebody power, is asked about on a page of its own.
  for (const more = page.getByRole("button", { name: "Yes, go on" }); await more.count(); ) {
    await more.click();
    await page.locator("form.confirm, #mail").waitFor();
  }
  await page.getByRole("button", { name: "Sign and copy the mail" }).click();
  return page.locator("#mail").inputValue();
}

/** Reads a mail from the first page. */
export async function read(page, desk, mail) {
  await page.goto(desk.address);
  await page.getByLabel("Paste a mail here").fill(mail);
  await page.getByRole("button", { name: "Read", exact: true }).click();
}

/** Proposes a game with its terms as text. */
export async function propose(page, desk, key) {
  await page.goto(`${desk.address}new?template=double-impulse&text=yes`);
  const terms = await page.locator("#terms").inputValue();
  await page.locator("#terms").fill(terms.replaceAll("PUT THEIR KEY HERE", key).replaceAll("PUT IT HERE", "F12"));
  await page.getByRole("button", { name: "Show me what I would sign" }).click();
  return sign(page);
}

/** Checks a page: no violation of WCAG 2.2 A and AA, no fault, and no request to any site but the desk. Takes pictures at two widths. */
export async function look(page, desk, name) {
  const origin = new URL(desk.address).origin;
  assert.deepEqual(page.faults, [], name);
  for (const url of page.asked) assert.ok(url.startsWith(origin) || url.startsWith("data:"), url);
  // A string is evaluated in spite of the page's content security policy; a script tag would be refused.
  const found = await page.evaluate(`(() => { ${AXE}; return axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }); })()`);
  const told = found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" ")}`);
  assert.deepEqual(told, [], name);
  if (!SHOTS) return;
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: `${SHOTS}/${name}-${width}.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}
