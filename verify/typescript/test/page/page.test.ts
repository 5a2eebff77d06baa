/** The audit page in a browser: how a referee uses it, and what must never happen. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { CourseTable } from "../courses.js";
import { charterBody, fixed, longGame, phase, Player, Table } from "../players.js";
import { toHex } from "../../src/bytes.js";
import { mailbox, mails } from "./mails.js";
import { ordinaryMailbox } from "./ordinary.js";

const PAGE = pathToFileURL(resolve("../audit.html")).href;
const VECTORS = resolve("../../vectors");
const SHOTS = process.env["SHOTS"];

let browser: Browser;
let folder: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "audit-page-"));
  browser = await chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
});

after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A page with its recorded errors and requested addresses. */
interface Visit {
  readonly page: Page;
  readonly faults: string[];
  readonly asked: string[];
}

async function visit(options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  const asked: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("dialog", (dialog) => {
    faults.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(PAGE);
  return { page, faults, asked };
}

/** Checks that there were no errors, and that only the page itself was requested. */
async function leave({ page, faults, asked }: Visit): Promise<void> {
  assert.deepEqual(faults, []);
  assert.deepEqual(asked.filter((url) => url !== PAGE && !url.startsWith("blob:")), []);
  await page.context().close();
}

let shown = 0;
async function settled(page: Page): Promise<string> {
  await page.waitForFunction(() => document.body.dataset["shown"] !== undefined && !document.body.hasAttribute("aria-busy"), undefined, { timeout: 120_000 });
  return (await page.locator(".verdict .sentence").allInnerTexts()).join(" | ");
}

async function shot(page: Page, name: string, fullPage = true): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  // Shows letters below the screen too, which the browser otherwise does not draw.
  await page.evaluate(async () => {
    const sheet = new CSSStyleSheet();
    await sheet.replace(".letter { content-visibility: visible }");
    document.adoptedStyleSheets = [sheet];
  });
  await page.screenshot({ path: join(SHOTS, `${String(++shown).padStart(2, "0")}-${name}.png`), fullPage });
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Drops files and folders as a file manager does. */
async function drop(page: Page, paths: readonly string[]): Promise<void> {
  const box = await page.locator("#drop").boundingBox();
  assert.ok(box !== null);
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await session.send("Input.dispatchDragEvent", { type, x: box.x + 20, y: box.y + 20, data });
  }
}

async function paste(page: Page, text: string): Promise<string> {
  await page.fill("#paste", text);
  await page.click("#check");
  return settled(page);
}

async function sound(page: Page): Promise<void> {
  // The debugger evaluates this, so the page's policy does not apply.
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe: tool } = globalThis as unknown as { axe: typeof axe };
    // Letters far below the screen are laid out only on scrolling. Until then axe thinks that their text lies under what follows.
    const letters = document.querySelectorAll<HTMLElement>(".letter");
    for (const letter of letters) letter.style.contentVisibility = "visible";
    const { violations } = await tool.run(document);
    for (const letter of letters) letter.removeAttribute("style"); // The saved report must not contain this style.
    return violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.slice(0, 3).map((node) => node.html.slice(0, 160)) }));
  });
  assert.deepEqual(found.filter(({ impact }) => impact !== "minor"), []);
}

const twenty = longGame(20, "twenty letters");

test("a game that continues another links to it and compares the two", async () => {
  const old = new CourseTable({ title: "the first game" });
  const set = old.plain(old.bob, 2);
  old.meet();
  const [heads, state] = [{ ann: old.ann.prev, bob: old.bob.prev }, old.state()];
  const declared = old.initiative(old.ann, set, old.slot(2), () => true);
  const continued = (title: string, states: object): CourseTable => new CourseTable({ continues: { game: old.game, heads, states }, title });
  const [next, other] = [continued("the next game", { "ocs-initiative": state }), continued("another game", {})];
  const seen = await visit();
  const { page } = seen;
  await paste(page, [old, next, other].map(({ text }) => text).join("\n"));
  const said = (title: string): Promise<string[]> => {
    const heading = page.getByRole("heading", { level: 2, name: title });
    return page.locator("section.game", { has: heading }).locator("p.continues").allInnerTexts();
  };
  assert.deepEqual(await said("the first game"), []);
  assert.deepEqual(await said("the next game"), [
    `This game continues another one: the first game (${old.game.slice(0, 8)}). ` +
      "It continues from earlier letters. After them, the old game has 1 more letter, which no longer counts: Ann’s letter 2 (2/1/initiative/1). " +
      "At that point, every declaration had its dice. Its courses begin with the states they had at that point. " +
      "Ann and Bob sign with the same keys as in the old game. " +
      `Another game also continues the old game: another game (${other.game.slice(0, 8)}).`,
  ]);
  assert.match((await said("another game")).join(), /It does not take over any state of the old game\./);
  await page.locator("p.continues a", { hasText: "letter 2" }).first().click();
  assert.ok(page.url().endsWith(declared.id));
  await leave(seen);
});

test("a pasted mail is read like a file", async () => {
  const seen = await visit();
  assert.match(await paste(seen.page, mailbox(twenty)), /Verified: in the 20 letters/);
  await leave(seen);
});

test("pasted letters are judged, and the verdict comes first", async () => {
  const seen = await visit();
  const { page } = seen;
  const start = Date.now();
  const verdict = await paste(page, twenty.text);
  const took = Date.now() - start;
  assert.match(verdict, /Verified: in the 20 letters/);
  console.log(`# 20 letters pasted, all shown after ${took} ms`);
  assert.match(await page.locator("#live").innerText(), /Verified/);
  assert.equal(await page.locator(".letter").count(), 20);
  assert.ok((await page.locator("svg.die").count()) > 5);
  await sound(page);
  await shot(page, "verified");
  await leave(seen);
});

test("each kind of file can be dropped", async () => {
  const files = mails(twenty);
  const paths = files.map((file) => write(`folder/inner/${file.name}`, file.text));
  const kinds: readonly (readonly [string, readonly string[]])[] = [
    ["text", [write("letters.txt", twenty.text)]],
    [".eml", paths],
    [".mbox", [write("game.mbox", mailbox(twenty))]],
    ["folder", [join(folder, "folder")]],
  ];
  for (const [kind, dropped] of kinds) {
    const seen = await visit();
    const start = Date.now();
    await drop(seen.page, dropped);
    await seen.page.waitForSelector(".verdict");
    console.log(`# 20 letters dropped as ${kind}: verdict after ${Date.now() - start} ms`);
    assert.match(await settled(seen.page), /Verified: in the 20 letters/, kind);
    if (kind === ".eml") assert.match(await seen.page.locator(".source").nth(3).innerText(), /in a mail dated 2026-03-0\d .* from Ann König <.*> \(as claimed\)/);
    if (kind === "folder") {
      await seen.page.click("#read summary");
      assert.match(await seen.page.locator("#read").innerText(), /folder\/inner\/0001\.eml/);
    }
    await leave(seen);
  }
});

test("files and a folder can be chosen", async () => {
  const seen = await visit();
  await seen.page.setInputFiles("#files", write("chosen.txt", twenty.text));
  assert.match(await settled(seen.page), /Verified/);
  await seen.page.click("#again");
  await seen.page.setInputFiles("#folder", join(folder, "folder"));
  await seen.page.waitForSelector(".verdict");
  assert.match(await settled(seen.page), /Verified: in the 20 letters/);
  await leave(seen);
});

test("a tampered byte is found, and blames nobody", async () => {
  const seen = await visit();
  const { text } = twenty;
  const last = twenty.letters.at(-1)?.text ?? "";
  const at = text.indexOf(last) + 700;
  const tampered = text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
  const verdict = await paste(seen.page, tampered);
  assert.doesNotMatch(verdict, /Refuted/);
  assert.match(await seen.page.locator(".findings").innerText(), /Nobody is blamed\.[\s\S]*Ask the sender for this mail again/);
  await sound(seen.page);
  await shot(seen.page, "tampered");
  await leave(seen);
});

test("wrong letters are shown beside the right values", async () => {
  for (const [vector, expected] of [
    ["declare/wrong-total.txt", /Refuted: Ann broke a rule[\s\S]*What the rules give[\s\S]*"total":82/],
    ["chain/fork-at-the-tip.txt", /Refuted: (Ann|Bob), or someone who has their key or a backup of it, signed two different letters[\s\S]*The other letter/],
    ["void/battle.txt", /voided by agreement/],
  ] as const) {
    const seen = await visit();
    const text = readFileSync(join(VECTORS, vector), "utf8");
    await paste(seen.page, text);
    assert.match(await seen.page.locator("#report").innerText(), expected, vector);
    await sound(seen.page);
    await shot(seen.page, vector.replace(/\W/g, "-"));
    await leave(seen);
  }
});

test("a roll can be recomputed by hand", async () => {
  const seen = await visit();
  await paste(seen.page, twenty.text);
  const open = seen.page.getByRole("button", { name: /Recompute by hand/ }).first();
  await open.click();
  await seen.page.waitForSelector(".by-hand");
  assert.equal(await open.getAttribute("aria-expanded"), "true");
  const text = await seen.page.locator(".by-hand").innerText();
  assert.match(text, /They are equal\./);
  assert.match(text, /openssl dgst -sha3-256[\s\S]*openssl enc -chacha20 -K [0-9a-f]{64}[\s\S]*The roll is [1-6]\./);
  await sound(seen.page);
  await shot(seen.page, "by-hand");
  await open.click();
  assert.equal(await seen.page.locator(".by-hand").isVisible(), false);
  await leave(seen);
});

test("the page stays responsive with a thousand letters", async () => {
  const seen = await visit();
  const { page } = seen;
  const path = write("thousand.mbox", mailbox(longGame(1_000, "a thousand")));
  await page.evaluate(() => {
    const watch = { values: new Set<number>(), longest: 0, spoken: new Set<string>() };
    Object.assign(globalThis, { watch });
    let last = performance.now();
    const tick = (): void => {
      const now = performance.now();
      watch.longest = Math.max(watch.longest, now - last);
      last = now;
      const bar = document.querySelector("progress");
      if (bar !== null && !bar.hidden) watch.values.add(bar.value);
      watch.spoken.add(document.getElementById("live")?.textContent ?? "");
      setTimeout(tick, 5);
    };
    tick();
  });
  const start = Date.now();
  await page.setInputFiles("#files", path);
  await page.waitForSelector(".verdict", { timeout: 120_000 });
  const first = Date.now() - start;
  assert.match(await settled(page), /Verified: in the 100\d letters/);
  const { values, longest, spoken } = await page.evaluate(() => {
    const { watch } = globalThis as unknown as { watch: { values: Set<number>; longest: number; spoken: Set<string> } };
    return { values: watch.values.size, longest: watch.longest, spoken: [...watch.spoken] };
  });
  console.log(`# 1,000 letters in a mailbox: verdict after ${first} ms, all shown after ${Date.now() - start} ms; the bar stood at ${values} places, the longest silence was ${longest.toFixed(0)} ms`);
  assert.ok(values > 20, `${values} places of the bar`);
  assert.ok(spoken.length >= 4 && spoken.length < 12, spoken.join("; "));
  await leave(seen);
});

/** Presses Stop during work, and logs how long the page took to stop. */
async function stopped(page: Page): Promise<void> {
  const took = await page.evaluate(() => {
    const start = performance.now();
    document.getElementById("stop")?.click();
    // All messages of the work have been posted by now. One frame later the page is drawn.
    return new Promise<number>((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start))));
  });
  console.log(`# stopped after ${took.toFixed(0)} ms`);
  assert.match(await page.locator("#status").innerText(), /^Stopped/);
  assert.match(await page.locator("#live").innerText(), /^Stopped/);
  assert.equal(await page.locator("#stop, #bar").filter({ visible: true }).count(), 0);
  assert.equal(await page.evaluate(() => document.body.hasAttribute("aria-busy")), false);
}

/** Waits until the page reports a step. */
async function at(page: Page, step: RegExp): Promise<void> {
  await page.waitForFunction((pattern) => new RegExp(pattern).test(document.getElementById("status")?.textContent ?? ""), step.source, { polling: 5, timeout: 120_000 });
}

/** A mail that takes long to read: it has the most parts that are read, each of them long HTML. */
function slowMail(): string {
  const part = `--b\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n${"=3Cb&#x42;".repeat(600)}\n`;
  return `From a@play.invalid Sun Mar  1 18:00:00 2026\nFrom: Ann <ann@play.invalid>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n${part.repeat(3_500)}--b--\n\n`;
}

test("reading can be stopped, and the page takes the next files", async () => {
  const seen = await visit();
  const { page } = seen;
  const path = write("long.mbox", [...ordinaryMailbox(150_000_000, [])].join(""));
  await page.setInputFiles("#files", path);
  await at(page, /^Reading: [1-9]\d*\.\d of 1\d\d MB$/);
  await sound(page);
  await shot(page, "reading", false);
  await stopped(page);
  await sound(page);
  await shot(page, "stopped", false);
  assert.match(await paste(page, twenty.text), /Verified: in the 20 letters/);
  // The earlier report stays unchanged.
  await page.setInputFiles("#files", path);
  await at(page, /^Reading: [1-9]/);
  await page.focus("#stop");
  await stopped(page);
  assert.equal(await page.evaluate(() => document.activeElement?.id), "choose-files");
  assert.match(await page.locator(".verdict").innerText(), /Verified: in the 20 letters/);
  await page.getByRole("button", { name: /Recompute by hand/ }).first().click();
  await page.waitForSelector(".by-hand");
  assert.match(await paste(page, readFileSync(join(VECTORS, "declare/wrong-total.txt"), "utf8")), /Refuted/);
  assert.match(await page.locator("nav").innerText(), /2 games/);
  await leave(seen);
});

test("work can be stopped inside one mail and while letters are checked", async () => {
  const seen = await visit();
  const { page } = seen;
  await page.setInputFiles("#files", write("slow.mbox", slowMail().repeat(8)));
  await at(page, /^Reading: \d/);
  await stopped(page);
  await page.setInputFiles("#files", write("thousands.mbox", mailbox(longGame(4_000, "thousands"))));
  await at(page, /^Checking signatures: [1-9]/);
  await shot(page, "checking", false);
  await stopped(page);
  assert.match(await paste(page, twenty.text), /Verified: in the 20 letters/);
  await leave(seen);
});

test("starting over ends the work, and files added during work are read too", async () => {
  const seen = await visit();
  const { page } = seen;
  await page.setInputFiles("#files", write("slow.mbox", slowMail().repeat(8)));
  await at(page, /^Reading: \d/);
  await page.click("#again");
  assert.equal(await page.locator("#status").innerText(), "");
  assert.match(await paste(page, twenty.text), /Verified: in the 20 letters/);
  await page.click("#again");
  await page.setInputFiles("#files", join(folder, "thousands.mbox"));
  await at(page, /^(?:Reading|Checking)/);
  await page.fill("#paste", readFileSync(join(VECTORS, "declare/wrong-total.txt"), "utf8"));
  await page.click("#check");
  await page.waitForSelector("nav", { timeout: 120_000 });
  assert.match(await settled(page), /Refuted/);
  assert.match(await page.locator("#read").innerText(), /2 files/);
  await leave(seen);
});

test("mails that once hung the page", async () => {
  const seen = await visit();
  const { page } = seen;
  const head = "From: a@play.invalid\nMIME-Version: 1.0\n";
  const html = `${head}Content-Type: text/html\n\n`;
  const slow = [
    `${html}${"<br ".repeat(250_000)}`,
    `${html}${"<a".repeat(500_000)}`,
    `${head}Content-Type: text/html\n${" a\n".repeat(3_000_000)}\n`,
    `${head}Content-Type: multipart/mixed; boundary="${" ".repeat(1_000_000)}x"\n\nhtml\n`,
    `${head}Content-Type: multipart/mixed; boundary=b\n\n${"--b\n\nx\n".repeat(100_000)}`,
  ];
  const paths = slow.map((text, i) => write(`slow-${i}.eml`, text));
  await page.setInputFiles("#files", [...paths, write("tiny.mbox", "From a\nA: b\n\n".repeat(700_000)), write("good.txt", twenty.text)]);
  assert.match(await settled(page), /Verified: in the 20 letters/);
  await leave(seen);
});

test("on a phone nothing is wider than the screen", async () => {
  const seen = await visit({ viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true });
  const { page } = seen;
  await shot(page, "phone-empty");
  await paste(page, readFileSync(join(VECTORS, "audit/whole-turn.txt"), "utf8"));
  await page.getByRole("button", { name: /Recompute by hand/ }).first().click();
  await page.waitForSelector(".by-hand");
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
  await sound(page);
  await shot(page, "phone");
  await leave(seen);
});

test("at 200 per cent nothing is cut off", async () => {
  const seen = await visit({ viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 });
  await paste(seen.page, readFileSync(join(VECTORS, "declare/wrong-total.txt"), "utf8"));
  assert.ok((await seen.page.evaluate(() => document.documentElement.scrollWidth)) <= 640);
  await shot(seen.page, "zoom-200");
  await leave(seen);
});

test("dark colours", async () => {
  const seen = await visit({ colorScheme: "dark" });
  await paste(seen.page, readFileSync(join(VECTORS, "declare/wrong-total.txt"), "utf8"));
  await sound(seen.page);
  await shot(seen.page, "dark-refuted");
  await seen.page.click("#again");
  await seen.page.waitForSelector(".verdict", { state: "detached" });
  await paste(seen.page, readFileSync(join(VECTORS, "audit/whole-turn.txt"), "utf8"));
  await sound(seen.page);
  await shot(seen.page, "dark");
  await leave(seen);
});

test("the keyboard alone is enough", async () => {
  const seen = await visit();
  const { page } = seen;
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "skip");
  const reach = async (matches: string): Promise<void> => {
    for (let i = 0; i < 80; i++) {
      if (await page.evaluate((selector) => document.activeElement?.matches(selector) === true, matches)) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`no way to ${matches}`);
  };
  await reach("#paste");
  await page.keyboard.insertText(twenty.text);
  await reach("#check");
  await page.keyboard.press("Enter");
  assert.match(await settled(page), /Verified/);
  await reach("button.small");
  await page.keyboard.press("Space");
  await page.waitForSelector(".by-hand");
  await reach(".raw summary");
  await page.keyboard.press("Enter");
  await page.waitForSelector("details.raw[open] pre");
  assert.match(await page.locator("details.raw[open]").innerText(), /"head":/);
  await reach("#save");
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  assert.match(download.suggestedFilename(), /^sealed-dice-audit-.*\.html$/);
  await leave(seen);
});

/** A game with hostile text in every free field. */
function hostile(): Table {
  const nasty = `<img src=x onerror="alert(1)"><script>alert(2)</script><style>*{display:none}</style>\u202egnp.exe\u2066\u0000\u200b&lt;b&gt;</textarea>{{script}}`;
  const players = [new Player("ann"), new Player("bob")];
  const table = new Table(players);
  const [ann, bob] = table.pair();
  const parties = [ann, bob].map((player) => ({ key: player.key, name: nasty.slice(0, 80), role: player.role }));
  table.begin(charterBody(ann, bob, { title: nasty, parties, nonce: toHex(fixed("hostile")), phases: [phase("ann-first", "ann", 1, "coin-envelopes"), phase("ann-second", "ann", 2, "icrk")] }));
  const set = table.seal(bob, "sheet", "sheet/1", "ann", 400);
  table.read(ann, bob);
  const rolls = [{ cell: "A1", why: nasty.slice(0, 150) }, { cell: "AA1", why: `${"e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301".repeat(3)} ${"W".repeat(80)}` }];
  const { signed, reading } = table.declare(ann, { turn: 1, impulse: 2, phase: "ann-second", number: 1 }, set, { rolls }, { moves: { text: `${nasty}\n${"x".repeat(3_000)}\nעברית` } });
  table.read(bob, ann);
  table.reveal(bob, set, signed.id, reading);
  table.read(ann, bob);
  table.sign(bob, "claim", { dispute: { letters: [signed.id], text: nasty } });
  return table;
}

test("hostile letters are shown as text only", async () => {
  const seen = await visit();
  const { page } = seen;
  await page.setInputFiles("#files", write("<img src=x onerror=alert(3)>.txt", hostile().text));
  await settled(page);
  const text = await page.locator("#report").innerText();
  assert.match(text, /<img src=x onerror="alert\(1\)"><script>/);
  assert.match(text, /⟨U\+202E⟩gnp\.exe⟨U\+2066⟩⟨U\+0000⟩⟨U\+200B⟩/);
  assert.equal(await page.locator("#report img, #report script, #report style").count(), 0);
  assert.equal(await page.evaluate(() => /[\u202a-\u202e\u2066-\u2069\u200b]/.test(document.body.textContent ?? "")), false);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1280);
  await sound(page);
  await shot(page, "hostile");
  // The saved report is as harmless as the page.
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  const path = join(folder, "saved.html");
  await download.saveAs(path);
  const saved = await page.context().newPage();
  const faults: string[] = [];
  saved.on("pageerror", (error) => faults.push(error.message));
  saved.on("console", (message) => faults.push(message.text()));
  await saved.goto(pathToFileURL(path).href);
  assert.match(await saved.locator("body").innerText(), /Undecided: a claim is open/);
  assert.equal(await saved.locator("img, script, button").count(), 0);
  assert.equal(await saved.locator("svg.die").count(), 2);
  assert.deepEqual(faults, []);
  await shot(saved, "saved");
  await leave(seen);
});

test("a report can be printed and saved for programs", async () => {
  const seen = await visit();
  const { page } = seen;
  await paste(page, readFileSync(join(VECTORS, "audit/whole-turn.txt"), "utf8"));
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#data")]);
  const path = join(folder, "saved.json");
  await download.saveAs(path);
  assert.equal((JSON.parse(readFileSync(path, "utf8")) as { games: { verdict: string }[] }).games[0]?.verdict, "verified");
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator("#intake").isVisible(), false);
  assert.equal(await page.locator(".verdict").first().isVisible(), true);
  await page.setViewportSize({ width: 794, height: 1123 });
  await shot(page, "print");
  if (SHOTS !== undefined) await page.pdf({ path: join(SHOTS, "print.pdf"), format: "A4" });
  await leave(seen);
});

test("several games together, and letters of none", async () => {
  const seen = await visit();
  const other = readFileSync(join(VECTORS, "declare/wrong-total.txt"), "utf8");
  const verdicts = await paste(seen.page, `${twenty.text}\n${other}\n-----BEGIN SEALED DICE MESSAGE-----\nAAAA\n-----END SEALED DICE MESSAGE-----\n`);
  assert.match(verdicts, /Verified/);
  assert.match(verdicts, /Refuted/);
  assert.match(await seen.page.locator("nav").innerText(), /2 games/);
  await sound(seen.page);
  await shot(seen.page, "several");
  // More can be added, and nothing is counted twice.
  assert.match(await paste(seen.page, twenty.text), /Verified: in the 20 letters/);
  await leave(seen);
});

test("an input without letters gets a clear answer", async () => {
  const seen = await visit();
  assert.match(await paste(seen.page, "hello"), /No letters were found/);
  await seen.page.click("#again");
  await seen.page.waitForSelector(".verdict", { state: "detached" });
  await seen.page.click("#check");
  assert.match(await seen.page.locator("#status").innerText(), /Paste something/);
  await sound(seen.page);
  await leave(seen);
});

test("a mailed secret key is pointed out, and forgotten files do not come back", async () => {
  const seen = await visit();
  const { page } = seen;
  await page.setInputFiles("#files", write("oh.txt", `${twenty.text}\n-----BEGIN SEALED DICE SECRET KEY FILE-----\n`));
  await settled(page);
  assert.match(await page.locator(".warning").innerText(), /oh\.txt contains a secret key/);
  assert.match(await page.title(), /Verified/);
  await sound(page);
  await page.setInputFiles("#files", join(folder, "thousand.mbox"));
  await page.click("#again");
  await page.waitForTimeout(300);
  assert.equal(await page.locator(".verdict, .warning").count(), 0);
  assert.match(await paste(page, readFileSync(join(VECTORS, "declare/wrong-total.txt"), "utf8")), /^[^|]*Refuted[^|]*$/);
  await leave(seen);
});

test("the policy blocks all connections", async () => {
  const seen = await visit();
  const { page } = seen;
  const tried = await page.evaluate(async () => {
    const out: string[] = [];
    try {
      await fetch("http://192.0.2.1/");
      out.push("fetch");
    } catch {
      // The policy blocks it, as it should.
    }
    const image = new Image();
    const loaded = new Promise<void>((resolve) => {
      image.onload = () => resolve(void out.push("image"));
      image.onerror = () => resolve();
    });
    image.src = "http://192.0.2.1/x.png";
    await loaded;
    return out;
  });
  assert.deepEqual(tried, []);
  assert.ok(seen.faults.length >= 2 && seen.faults.every((fault) => /Content Security Policy|Fetch API cannot load|Failed to load/.test(fault)), seen.faults.join("\n"));
  await page.context().close();
});

test("the foot names the running script and saves the checker's source", async () => {
  const seen = await visit();
  const { page } = seen;
  const script = await page.locator("script:not([type])").evaluate((one) => one.textContent);
  assert.match(await page.locator("#foot").innerText(), new RegExp(createHash("sha256").update(script).digest("hex")));
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#source")]);
  const path = join(folder, "source.js");
  await download.saveAs(path);
  const source = readFileSync(path, "utf8");
  assert.match(source, /\n {2}function [a-zA-Z]+\(/);
  assert.ok(source.split("\n").length > 5_000, "a line for each statement");
  await leave(seen);
});
