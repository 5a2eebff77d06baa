/**
 * Gives the same letters to this checker and to others, which must agree: random games, each whole and with mails damaged, lost, doubled or
 * moved. It ends at the first difference, with a transcript reduced to the letters that the difference needs.
 */
import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { check } from "../src/checker.js";
import type { GameReport } from "../src/report.js";
import { KeyRing } from "../src/signature.js";
import { Beginnings } from "./beginnings.js";
import { Branches } from "./branches.js";
import { Chance, Mess } from "./mess.js";
import { Quarrel } from "./quarrel.js";
import { Sequels } from "./sequels.js";
import { Troubles } from "./troubles.js";
import { Turns } from "./turns.js";

interface Other {
  readonly name: string;
  /** Its output for the letters in a file: one line of JSON for each game. */
  readonly audit: (file: string) => Promise<string[]>;
}

/** If ALL is set, the run counts differences instead of ending at the first one. */
const ALL = process.env["ALL"] !== undefined;

/** The parts of a report that all checkers must agree on: everything in audit 4 except wordings and open matters, which are left to each checker. */
type Said = readonly object[];

function said(games: readonly GameReport[]): Said {
  return games.map(({ verdict, game, complete, heads, missing, findings, rolls, courses, continues, days }) => ({
    verdict,
    game,
    complete,
    heads: Object.fromEntries(Object.entries(heads).filter(([, head]) => head !== null).sort(([a], [b]) => (a < b ? -1 : 1))),
    missing: missing.map(({ id, named_by, author, number }) => ({ id, named_by, author, number })),
    findings: findings.map(({ code, culprit, message_ids, settled_by }) => ({ code, culprit, message_ids, settled_by })),
    rolls: rolls.map(({ cell, declaration, index, line, named_by, seal, sides, slot, standing, value, why }) => ({ cell, declaration, index, line, named_by, seal, sides, slot, standing, value, why })),
    // Compared as JSON, because each checker has its own types.
    courses: JSON.parse(JSON.stringify(courses)) as unknown,
    continues,
    days: days.map(({ at_least, at_most, days, ruling, word }) => ({ at_least, at_most, days, ruling, word })),
  }));
}

/** A program that is started for each file. */
function started(name: string, program: string): Other {
  const audit = (file: string): Promise<string[]> =>
    new Promise((done, fail) => {
      execFile(program, ["audit", "--json", file], { maxBuffer: 1 << 28 }, (error, out, err) => {
        // The exit code gives the verdict. A program that prints nothing found no letters and ends with 2, or it failed.
        if (error !== null && (typeof error.code !== "number" || (out === "" && error.code !== 2))) fail(new Error(`${program}: ${error.message} ${err}`));
        else done(out.split("\n").filter((line) => line !== ""));
      });
    });
  return { name, audit };
}

/** The Python checker, which takes all files in one process, because starting it takes longer than most games. */
function standing(name: string, checker: string): Other & { readonly end: () => void } {
  const driver = join(dirname(fileURLToPath(import.meta.url)), "..", "test", "audits.py");
  const python = spawn("python3", [driver, dirname(checker)], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting: { readonly done: (lines: string[]) => void; readonly fail: (error: Error) => void }[] = [];
  let lines: string[] = [];
  createInterface({ input: python.stdout }).on("line", (line) => {
    if (line !== ".") return void lines.push(line);
    waiting.shift()?.done(lines);
    lines = [];
  });
  python.on("exit", () => {
    for (const { fail } of waiting) fail(new Error("the Python checker has ended; its last words stand above"));
  });
  const audit = (file: string): Promise<string[]> =>
    new Promise((done, fail) => {
      waiting.push({ done, fail });
      python.stdin.write(`${file}\n`);
    });
  return { name, audit, end: () => python.stdin.end() };
}

async function ask(other: Other, file: string): Promise<Said> {
  return said((await other.audit(file)).map((line) => JSON.parse(line) as GameReport));
}

/** The lines in which two texts differ, with the lines around them for context. */
function difference(ours: Said, theirs: Said): string {
  const [a, b] = [ours, theirs].map((one) => JSON.stringify(one, null, 1).split("\n")) as [string[], string[]];
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  let [enda, endb] = [a.length, b.length];
  while (enda > from && endb > from && a[enda - 1] === b[endb - 1]) {
    enda--;
    endb--;
  }
  const cut = (lines: readonly string[]): string[] => (lines.length > 24 ? [...lines.slice(0, 24), `... ${lines.length - 24} more`] : [...lines]);
  return [...a.slice(Math.max(0, from - 6), from).map((line) => `  ${line}`), ...cut(a.slice(from, enda)).map((line) => `- ${line}`), ...cut(b.slice(from, endb)).map((line) => `+ ${line}`)].join("\n");
}

const TAMPERINGS = ["flipped", "dropped", "doubled", "moved", "some"] as const;

/** A copy with an accident that happens to mails, or a trick that a cheat might try. */
function tamper(how: (typeof TAMPERINGS)[number], letters: readonly string[], chance: Chance): string[] {
  const copy = [...letters];
  const at = chance.below(copy.length);
  const letter = copy[at] ?? "";
  switch (how) {
    case "flipped": {
      const place = chance.below(letter.length);
      copy[at] = letter.slice(0, place) + chance.one([..."ABCZaz09+/=-> \n\u200b\u00e9"]) + letter.slice(place + 1);
      return copy;
    }
    case "dropped":
      return copy.filter((_, i) => i !== at);
    case "doubled":
      copy.splice(chance.below(copy.length), 0, chance.often(50) ? letter : letter.replaceAll("\n", "\n> "));
      return copy;
    case "moved":
      copy.splice(at, 1);
      copy.splice(chance.below(copy.length + 1), 0, letter);
      return copy;
    case "some":
      return copy.filter(() => chance.often(70));
  }
}

class Comparison {
  private readonly dir = mkdtempSync(join(tmpdir(), "differential-"));
  private count = 0;
  keys = new KeyRing(true);
  constructor(private readonly others: readonly Other[]) {}

  private write(letters: readonly string[]): { readonly file: string; readonly text: string } {
    const text = letters.join("\n");
    // A few files are enough, one for each concurrent request.
    const file = join(this.dir, `${this.count++ % 16}.txt`);
    writeFileSync(file, text);
    return { file, text };
  }

  /** Drops the keys of the previous game. */
  next(): void {
    this.keys = new KeyRing(true);
  }

  /** The first checker that disagrees, and the differences. */
  async differs(letters: readonly string[], others = this.others): Promise<{ readonly other: Other; readonly text: string } | null> {
    const { file, text } = this.write(letters);
    const { games } = check(text, this.keys);
    const ours = said(games);
    const answers = await Promise.all(others.map(async (other) => ({ other, theirs: await ask(other, file) })));
    for (const { other, theirs } of answers) if (!isDeepStrictEqual(ours, theirs)) return { other, text: difference(ours, theirs) };
    return null;
  }

  /** Removes letters that the difference does not need. */
  async shrink(letters: readonly string[], other: Other): Promise<string[]> {
    let left = [...letters];
    for (let size = left.length >> 1; size >= 1; size = size >> 1) {
      for (let end = left.length; end > 0; end -= size) {
        const fewer = [...left.slice(0, Math.max(0, end - size)), ...left.slice(end)];
        if (fewer.length > 0 && (await this.differs(fewer, [other])) !== null) left = fewer;
      }
    }
    return left;
  }
}

const SORTS = [Beginnings, Quarrel, Branches, Mess, Troubles, Quarrel, Branches, Troubles, Turns, Sequels] as const;

async function main(): Promise<number> {
  const [count = "100", binary, python, first = "1", keep = "differences"] = process.argv.slice(2);
  if (binary === undefined || python === undefined) {
    process.stderr.write("usage: differential N BINARY SEALED_DICE.PY [FIRST [FOLDER]]\n");
    return 2;
  }
  const checker = standing("the Python checker", python);
  const comparison = new Comparison([started("the program", binary), checker]);
  const games = Number(count);
  const sum = { games: 0, tampered: 0, letters: 0, verified: 0, refuted: 0, undecided: 0, findings: 0, rolls: 0 };
  let differences = 0;
  for (let seed = Number(first); seed < Number(first) + games; seed++) {
    comparison.next();
    const chance = new Chance(seed);
    const game = new (SORTS[seed % SORTS.length] ?? Mess)(chance);
    const most = game instanceof Beginnings ? 2 + chance.below(15) : 5 + chance.below(60);
    for (let i = 0; i < most; i++) game.step();
    const letters = game.table.letters.map((letter) => letter.text);
    const cases = [{ how: "whole", letters }, ...TAMPERINGS.map((how) => ({ how, letters: tamper(how, letters, chance) }))];
    const found = await Promise.all(cases.map(async (one) => ({ ...one, different: await comparison.differs(one.letters) })));
    sum.games++;
    sum.tampered += cases.length - 1;
    sum.letters += cases.reduce((all, one) => all + one.letters.length, 0);
    for (const one of found) {
      if (one.different === null) continue;
      const { other } = one.different;
      const least = await comparison.shrink(one.letters, other);
      mkdirSync(keep, { recursive: true });
      const file = join(keep, `${seed}-${one.how}.txt`);
      writeFileSync(file, least.join("\n"));
      const last = await comparison.differs(least, [other]);
      process.stdout.write(`game ${seed}, ${one.how}: ${other.name} (+) says something else than this checker (-). ${least.length} letters: ${file}\n${last?.text ?? one.different.text}\n`);
      if (!ALL) {
        checker.end();
        return 1;
      }
      differences++;
      break;
    }
    for (const game of check(letters.join("\n"), comparison.keys).games) {
      sum[game.verdict]++;
      sum.findings += game.findings.length;
      sum.rolls += game.rolls.length;
    }
    if (seed % 10 === 0) process.stderr.write(`${sum.games} of ${games} games\n`);
  }
  const same = differences === 0 ? "three checkers say the same" : `${differences} differences`;
  process.stdout.write(
    `${sum.games} games, each whole and in ${TAMPERINGS.length} tampered copies (${sum.letters} letters), ${same}: ` +
      `${sum.verified} verified, ${sum.refuted} refuted, ${sum.undecided} undecided, ${sum.findings} findings, ${sum.rolls} rolls\n`,
  );
  checker.end();
  return differences === 0 ? 0 : 1;
}

process.exitCode = await main();
