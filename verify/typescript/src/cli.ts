/** The command line: the only code that uses files and the terminal. */
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { Checker } from "./checker.js";
import { inMemory, isPacked, readFile, type Input } from "./mail.js";
import { runVector } from "./vectors.js";

const USAGE = `usage:
  sealed-dice-verify audit PATH..     the report on all letters in files and folders, as JSON
  sealed-dice-verify vectors DIR      runs the test vectors`;

function* files(path: string): Generator<string> {
  if (!statSync(path).isDirectory()) {
    yield path;
    return;
  }
  for (const name of readdirSync(path).sort()) yield* files(join(path, name));
}

function onDisk(file: number): Input {
  const read = (from: number, to: number): Uint8Array => {
    const bytes = new Uint8Array(to - from);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
  };
  return { size: fstatSync(file).size, read };
}

function take(checker: Checker, file: string): void {
  const open = file === "-" ? 0 : openSync(file, "r");
  try {
    // A pipe does not report its size.
    takeInput(checker, file, fstatSync(open).isFile() ? onDisk(open) : inMemory(readFileSync(open)));
  } finally {
    if (open !== 0) closeSync(open);
  }
}

function takeInput(checker: Checker, file: string, input: Input): void {
  if (isPacked(input)) process.stderr.write(`${file}: packed (.zip or .gz): unpack it, and check what comes out\n`);
  let secret = false;
  for (const found of readFile(input)) {
    checker.takeBlobs(found.blobs, file);
    secret ||= found.secret;
  }
  // key-file 3
  if (secret) process.stderr.write(`${file}: a SECRET key is in it: whoever mailed it needs a new one\n`);
}

function audit(paths: readonly string[]): number {
  const checker = new Checker();
  for (const path of paths) {
    for (const file of path === "-" ? [path] : files(path)) take(checker, file);
  }
  const report = checker.report();
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  const of = report.games.filter((game) => game.game !== null);
  const verdicts = (of.length > 0 ? of : report.games).map((game) => game.verdict);
  if (verdicts.includes("refuted")) return 1;
  return verdicts.length === 0 || verdicts.includes("undecided") ? 2 : 0;
}

function vectors(dir: string): number {
  let count = 0;
  let failed = 0;
  for (const file of files(dir)) {
    if (!/\.(?:json|txt)$/.test(file)) continue;
    count++;
    const wrong = runVector(readFileSync(file, "utf8"));
    if (wrong === null) continue;
    failed++;
    process.stdout.write(`${file}: ${wrong}\n`);
  }
  process.stdout.write(`${count} vectors, ${failed} failed\n`);
  return failed === 0 && count > 0 ? 0 : 1;
}

function main([command, ...rest]: readonly string[]): number {
  try {
    if (command === "audit" && rest.length > 0) return audit(rest);
    if (command === "vectors" && rest.length === 1) return vectors(rest[0] ?? "");
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
  process.stderr.write(`${USAGE}\n`);
  return 2;
}

process.exitCode = main(process.argv.slice(2));
