/** Compares the page and the program on the same mailbox of ordinary mails with 12 letters of one game: `npm run speed -- PROGRAM [MB]`. */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { longGame } from "../players.js";
import { ordinaryMailbox } from "./ordinary.js";

const ROUNDS = 3;
const [program = "sealed-dice", megabytes = "124"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "audit-speed-"));
const browser = await chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  const path = join(folder, "mailbox.mbox");
  const file = openSync(path, "w");
  const letters = longGame(12, "twelve").letters.slice(0, 12);
  for (const mail of ordinaryMailbox(Number(megabytes) * 1e6, letters.map(({ text }) => text))) writeSync(file, mail);
  closeSync(file);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    const told = ((): string => {
      try {
        return execFileSync(program, ["audit", path], { encoding: "utf8" });
      } catch (error) {
        // It ends with 2 if a game is not complete.
        return (error as { readonly stdout: string }).stdout;
      }
    })();
    const ours = performance.now() - began;
    const page = await browser.newPage();
    await page.goto(pathToFileURL(resolve("../audit.html")).href);
    const start = performance.now();
    await page.setInputFiles("#files", path);
    await page.waitForSelector(".verdict", { timeout: 600_000 });
    const pages = performance.now() - start;
    const verdict = await page.locator(".verdict .sentence").innerText();
    await page.close();
    ratios.push(pages / ours);
    console.log(`${(statSync(path).size / 1e6).toFixed(0)} MB: program ${ours.toFixed(0)} ms, page ${pages.toFixed(0)} ms, ${(pages / ours).toFixed(1)} times; ${told.split("\n", 1)[0] ?? ""} / ${verdict.replace(/\s+/g, " ")}`);
  }
  console.log(`the middle of ${ROUNDS}: ${ratios.sort((a, b) => a - b)[1]?.toFixed(1) ?? ""} times`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
