/** The contents of the page, without a browser: every transcript among the vectors can be shown, and matches its report. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Checker } from "../../src/checker.js";
import { flat } from "../../src/page/dom.js";
import { textOfHtml } from "../../src/html.js";
import { reportView } from "../../src/page/model.js";
import { Names } from "../../src/page/names.js";
import { battleLines } from "../../src/page/battle.js";
import { statedLines } from "../../src/page/stated.js";
import { advice, describe, TEXTS, verdictOf } from "../../src/page/texts.js";
import { visible } from "../../src/page/visible.js";
import { slotText } from "../../src/slot.js";
import { isSeen } from "../../src/unseen.js";
import { CourseTable } from "../courses.js";
import { Crossing, NOTHING } from "../crossing.js";
import { ATTACKS, DEFEND, HiddenTable, MOVE, REPORT } from "../hidden.js";
import { DAY, DaysTable, told } from "../days.js";
import { OfficeTable } from "../office.js";

const VECTORS = "../../vectors";

function transcripts(): string[] {
  return readdirSync(VECTORS, { withFileTypes: true }).flatMap((dir) => (dir.isDirectory() ? readdirSync(join(VECTORS, dir.name)).filter((file) => file.endsWith(".txt")).map((file) => join(VECTORS, dir.name, file)) : []));
}

test("every transcript of the vectors can be shown", () => {
  const rules = new Set<string>();
  for (const path of transcripts()) {
    const checker = new Checker();
    checker.add(readFileSync(path, "utf8"), path);
    const { view, games } = reportView(checker, ({ name, line }) => ({ file: name, line, date: null, from: null }), []);
    // It must survive the copy to the page unchanged.
    assert.equal(JSON.stringify(structuredClone(view)), JSON.stringify(view), path);
    games.forEach(({ report }, i) => {
      const game = view.games[i];
      assert.ok(game !== undefined);
      const dice = game.declarations.flatMap((one) => one.rolls.flatMap((roll) => roll.dice.map((die) => `${one.id} ${roll.index} ${roll.line} ${die.sides} ${die.value} ${roll.fallen === null ? true : roll.fallen.how === "passed over" ? false : roll.fallen.by}`)));
      assert.deepEqual(dice, report.rolls.map((roll) => `${roll.declaration} ${roll.index} ${roll.line} ${roll.sides} ${roll.value} ${roll.standing}`), path);
      const names = new Names(game, "");
      const verdict = flat(verdictOf(game, names.person));
      assert.match(verdict, { verified: /^Verified: /, refuted: /^Refuted: .* (?:broke a rule|signed two different letters)/, undecided: /^Undecided: / }[report.verdict], path);
      for (const letter of game.letters) assert.notEqual(flat(describe(letter.content, names.person, names.called, slotText)), "", path);
      for (const finding of game.findings) {
        assert.notEqual(flat(advice(finding, "who", null)), "", path);
        assert.ok((TEXTS.findings.rules[finding.rule] ?? TEXTS.findings.classes[finding.finding.code]) !== undefined, `${path}: ${finding.rule}`);
        assert.ok(finding.fork || finding.rule === finding.finding.code || TEXTS.findings.rules[finding.rule] !== undefined, `${path}: no words for ${finding.rule}`);
        rules.add(finding.rule);
      }
      for (const matter of game.open) assert.notEqual(TEXTS.open.what(matter, "who", ["it"])[0], matter.text, `${path}: no words for ${matter.what}`);
    });
  }
  assert.ok(rules.size > 50, `${rules.size} rules`);
});

test("verdicts on verified transcripts state only facts", () => {
  const claims = ["nobody broke a rule of sealed-dice", "nobody is shown to have broken a rule", " settled", "no die is shown", "every die is the one that was sealed", "every other die is the one that was sealed", "after a forfeit"];
  const seen = { verified: 0, settled: 0, named: 0, without: 0 };
  const again: string[] = [];
  for (const path of transcripts()) {
    const whole = readFileSync(path, "utf8");
    const { expect } = JSON.parse(whole.split("\n\n", 1)[0] ?? "") as { expect: { games: { game: string | null; verdict: string; findings: { culprit: string | null }[]; courses?: { runs?: unknown }[]; rolls: { named_by: string | null }[] }[] } };
    const checker = new Checker();
    checker.add(whole, path);
    for (const game of reportView(checker, () => null, []).view.games) {
      const wanted = expect.games.find((one) => one.game === game.id);
      assert.ok(wanted !== undefined, path);
      const file = path.slice(VECTORS.length + 1);
      // Games that continue another roll the same lists again and again.
      const told = game.open.filter((one) => one.what === "again" && !file.startsWith("continued/"));
      again.push(...told.map((one) => `${file}: ${one.text}`));
      const said = flat(verdictOf(game, (role) => role));
      // This checker makes no runs of hidden courses, so the page does not know their findings and rolls.
      const hidden = (wanted.courses ?? []).some((one) => one.runs !== undefined);
      if (hidden && game.verdict !== wanted.verdict) continue;
      const rolls = hidden ? [] : wanted.rolls;
      const culprits = wanted.findings.filter((one) => one.culprit !== null).length;
      const named = rolls.filter((one) => one.named_by !== null).length;
      const may = [
        ...(culprits > 0 ? [" settled"] : wanted.findings.length > 0 ? ["nobody is shown to have broken a rule"] : ["nobody broke a rule of sealed-dice"]),
        ...(rolls.length === 0 ? ["no die is shown"] : named === 0 ? ["every die is the one that was sealed"] : ["after a forfeit", ...(named < rolls.length ? ["every other die is the one that was sealed"] : [])]),
      ];
      for (const claim of claims) assert.equal(said.includes(claim), wanted.verdict === "verified" && may.includes(claim), `${path}: ${claim}: ${said}`);
      if (wanted.verdict !== "verified") continue;
      seen.verified++;
      seen.settled += Number(culprits > 0);
      seen.named += Number(named > 0);
      seen.without += Number(rolls.length === 0);
    }
  }
  assert.ok(seen.verified > 150 && seen.settled >= 10 && seen.named >= 8 && seen.without > 40, JSON.stringify(seen));
  // The same two that the library's own test finds among all other transcripts.
  const rules = "the rules of your game say whether that may be";
  assert.deepEqual(again, [
    `audit/rolled-again.txt: ann declared 1/1/ann-first/3 when the dice of 1/1/ann-first/1 were known, and both roll for F12, G13; ${rules}`,
    `audit/rolled-again.txt: ann declared 1/2/ann-second/2 when the dice of 1/2/ann-second/1 were known, and both roll for the bridge; ${rules}`,
  ]);
});

test("an office is named, with the sets it holds and the letters that opened them", () => {
  const table = new OfficeTable();
  const declared = table.declared();
  const reveal = table.opens(table.off, declared);
  table.declared(2);
  table.receipt({ hand_back: { seals: [declared.set.letter.id] } });
  table.receipt({ time: { at: 1_795_000_000 } });
  table.epoch(1_795_000_001);
  const checker = new Checker();
  checker.add(table.text, "mail");
  const { view } = reportView(checker, () => null, []);
  const [game] = view.games;
  assert.ok(game !== undefined);
  const names = new Names(game, "");
  assert.deepEqual(game.people.map(({ part }) => part), ["player", "player", "office"]);
  assert.deepEqual(game.held.map(({ opened, until }) => [opened, until !== null]), [[[reveal.id], true], [[], true]]);
  assert.deepEqual(game.declarations.map(({ byOffice }) => byOffice), [[reveal.id], null]);
  const said = game.letters.filter((letter) => letter.author === "off").map((letter) => flat(describe(letter.content, names.person, names.called, slotText)));
  assert.match(said.at(-3) ?? "", /^hands back Bob’s letter 2: from now on, the sealer opens it$/);
  assert.deepEqual(said.slice(-2), ["gives the time by its clock: 2026-11-18 11:06:40 UTC", "was restored, and begins a new epoch at 2026-11-18 11:06:41 UTC by its clock"]);
});

test("deadlines of rulings are compared with the office's clock", () => {
  const said = (table: DaysTable): readonly string[] => {
    const checker = new Checker();
    checker.add(table.text);
    const [game] = structuredClone(reportView(checker, () => null, []).view.games);
    assert.ok(game !== undefined);
    const names = new Names(game, "");
    return [flat(verdictOf(game, names.person)), ...game.days.map((one) => TEXTS.days.what(one)), ...game.days.map((one) => flat(names.called(one.ruling)))];
  };
  const verified = (letters: number): string => `Verified: in the ${letters} letters on hand, nobody broke a rule of sealed-dice, and no die is shown.`;
  const ruling = "Carol’s letter 3";
  assert.deepEqual(said(told(10, 31 * DAY + 10)), [verified(11), "The office’s clock shows that the deadline of 30 days had passed: at least 31 days went by", ruling]);
  const early = told(10, 3 * DAY);
  assert.deepEqual(said(early), ["Undecided: the office’s clock and the referee disagree on how many days had passed; nobody is blamed for that.", "The office’s clock shows that the deadline of 30 days had not passed: at most 3 days went by; the referee was too early, or the clock is wrong", ruling]);
  early.close();
  assert.deepEqual(said(early), [verified(14), "The office’s clock shows that the deadline of 30 days had not passed: at most 3 days went by; the referee was too early, or the clock is wrong", ruling]);
  assert.deepEqual(said(told(10, 30 * DAY + 9)), [verified(11), "Only the referee says that the deadline of 30 days had passed; by the office’s clock, at least 29 days, 23 hours, 59 minutes, 59 seconds, at most 30 days, 9 seconds went by", ruling]);
  const silent = new DaysTable();
  silent.asks();
  silent.forfeits();
  assert.deepEqual(said(silent), [verified(7), "Only the referee says that the deadline of 30 days had passed", ruling]);
});

test("the result of a turn of a course is described", () => {
  const table = new CourseTable();
  const { ann, bob } = table;
  const set = table.plain(bob, 2);
  table.meet();
  const declared = table.initiative(ann, set, table.slot(2), (by) => by === -1, { markers: ["m1"] });
  table.meet();
  table.open(bob, set, declared);
  const said = (): string | null => {
    const checker = new Checker();
    checker.add(table.text);
    const [game] = reportView(checker, () => null, []).view.games;
    const course = game?.declarations[0]?.course ?? null;
    return game === undefined || course?.is !== "initiative" ? null : flat(TEXTS.roll.course(course, new Names(game, "").person));
  };
  assert.equal(said(), "Ann must choose pop. The Bar is empty.");
  table.read(ann, bob);
  table.decide(ann, 2, "pop", ["m1"]);
  assert.equal(said(), "Ann goes first. Ann holds the initiative. On the Bar: m1.");
});

test("a turn of event tables is described, with the awaited player", () => {
  const table = new Crossing();
  table.roll(table.ann, table.sealed("north", 1), table.place("north", 1), table.input(), 100, (die) => die > 90);
  const said = (number = 1): string[] => {
    const checker = new Checker();
    checker.add(table.text);
    const [game] = reportView(checker, () => null, []).view.games;
    const course = game?.declarations[number - 1]?.course ?? null;
    if (game === undefined || course?.is !== "events") return [];
    const lines = structuredClone(course).story.map((one) => TEXTS.roll.happened(one) ?? []);
    const needs = course.awaits === null ? [] : [TEXTS.roll.stillNeeds(course.awaits, new Names(game, "").person)];
    return [...lines, ...needs].map(flat);
  };
  const [rolled = "", ...more] = said();
  assert.match(rolled, /^Table fortunes \(source of its rows: house\): rolled (?:9\d|100); 91-100 gives ambuscade\.$/);
  assert.deepEqual(more, ["Bob must choose ambuscade-enemy."]);
  table.decides(table.bob, table.place("north", 1), "ambuscade-enemy", ["B", "A"]);
  table.meet();
  table.decides(table.ann, table.place("north", 1), "ambuscade-owner", ["D"]);
  assert.deepEqual(said(), [rolled, "The south side chooses ambuscade-enemy: B, A.", "The north side chooses ambuscade-owner: D.", "Ann rolls next in this turn."]);
  table.meet();
  table.roll(table.ann, table.sealed("north", 1, 2), table.place("north", 1, 2), NOTHING, 3, (die) => die === 3);
  assert.deepEqual(said(2), ["Drawn from A, B, D: D.", "D: tired is now 2.", "ambuscade is over."]);
});

test("a round of a battle is described", () => {
  const all = readFileSync(join(VECTORS, "turn/campaign-battles.txt"), "utf8");
  const checker = new Checker();
  checker.add(all);
  const [game] = structuredClone(reportView(checker, () => null, []).view.games);
  assert.ok(game !== undefined);
  const rounds = game.declarations.flatMap(({ course }) => (course?.is === "battle" ? [battleLines(course.public, (role) => role).map(flat)] : []));
  assert.equal(rounds.length, game.declarations.length);
  assert.equal(rounds[0]?.[0], "Battle 1, day 1, round 1.");
  const lines = rounds.flat();
  for (const sought of [/^The Combat Phase:$/, /^\S+ fires at main with \d+: \d+ hits?\.$/, /^On the (?:attacker|defender)’s \w+: \d+ hits?/, /^\S+: strength /, /^The (?:day|battle) is over\.$/]) assert.ok(lines.some((line) => sought.test(line)), String(sought));
  assert.ok(!lines.some((line) => line.includes("undefined")));
});

test("statements in a hidden course are described, with the state of their sheets", () => {
  const table = new HiddenTable();
  const { ann, bob } = table;
  table.setUp();
  table.played(ann, 1, 2, ATTACKS);
  table.played(bob, 1, 2, DEFEND);
  table.played(bob, 1, 3, REPORT);
  table.played(ann, 1, 3, { ...MOVE, intelligence: null, weather: null, entries: ["0901"], interdictions: [{ markers: 1, points: 2, target: "0910" }] });
  const seen = (): ReturnType<typeof reportView>["view"]["games"][number] => {
    const checker = new Checker();
    checker.add(table.text);
    const [game] = structuredClone(reportView(checker, () => null, []).view.games);
    assert.ok(game !== undefined);
    return game;
  };
  const before = seen();
  assert.deepEqual(before.declarations.map((one) => one.stated?.sheet), Array.from({ length: 6 }, () => "sealed"));
  assert.ok(before.declarations.every((one) => one.rolls.length === 0));
  assert.deepEqual(before.declarations.map((one) => (one.stated === null ? [] : statedLines(one.stated.input).map(flat))), [
    ["The units are set up."],
    ["The units are set up.", "Operational intelligence at level 4; searched: north."],
    [
      "Operational intelligence at level 4; searched: north.",
      "The weather: clear.",
      "Contact c1 moves along 0821, 0822.",
      "Combat 1: c1 assaults 0823 from 0822: total 12, barrage of 3 points, with chemicals, EW level 0.",
      "Contact c1 is on 0822.",
    ],
    ["Against combat 1: final protective fire of 2 points."],
    ["Combat 1: it is fought; final protective fire of 2 points; the attacker is at EW level 1, and loses 1; the defender’s result is not stated; there is a breakthrough."],
    ["Somebody entered 0901.", "Interdiction of 0910 with 2 points: markers 1."],
  ]);
  assert.match(flat(verdictOf(before, (role) => role)), /^Verified: /);
  table.close();
  const after = seen();
  assert.ok(after.declarations.every((one) => one.stated?.sheet === "open"));
  assert.match(flat(verdictOf(after, (role) => role)), /^Undecided: 6 declarations rest on opened sheets, and this page does not work sheets out again; .*sealed-dice audit/);
});

test("a turn that was taken back has no result, and nor have its decisions", () => {
  const table = new CourseTable();
  const { ann, bob } = table;
  const [first, next] = [table.plain(bob, 2), table.plain(bob, 3)];
  table.meet();
  const declared = table.initiative(ann, first, table.slot(2), (by) => by === -1, { markers: ["m1"] });
  table.shownBeside(declared, first);
  const decided = table.decide(ann, 2, "pop", ["m1"]);
  const late = table.initiative(ann, next, table.slot(3), (by) => by >= 0, { order: "first" });
  // Bob has not seen that.
  table.yields(declared);
  table.read(bob, ann);
  table.open(bob, next, late);
  const checker = new Checker();
  checker.add(table.text);
  const [game] = reportView(checker, () => null, []).view.games;
  assert.ok(game !== undefined);
  const { called } = new Names(game, "");
  const rolls = game.declarations.flatMap((one) => one.rolls);
  assert.deepEqual(game.declarations.map((one) => one.course), [null, null]);
  assert.deepEqual(rolls.map((roll) => (roll.fallen === null ? "" : flat(TEXTS.roll.fallen(roll.fallen, called)))), ["", "does not count: an earlier declaration that it builds on was replaced or voided"]);
  assert.deepEqual(game.letters.filter((letter) => letter.passedOver).map((letter) => letter.id), [decided.id]);
});

test("HTML becomes its visible text", () => {
  assert.equal(textOfHtml("<style>x</style><p>a&gt;b<br>c&#45;&#x2D;&nbsp;d</p><!-- e -->&unknown;<script>f</script>"), "a>b\nc--\u00a0d\n&unknown;");
  assert.equal(textOfHtml("1 < 2 and 3 > 2"), "1 < 2 and 3 > 2");
  const long = "<".repeat(200_000);
  assert.equal(textOfHtml(long), long);
  // These took minutes each when the code was quadratic. They only have to finish.
  for (const half of ["<br ", "<a", "<!--", "<a '", "</", "&#", "<script><!--", "<style>"]) textOfHtml(half.repeat(200_000));
});

test("unseen characters are those of the specification, and all are spelled out", () => {
  const list = /- \*\*Unseen\*\* is([\s\S]*?)The blank/.exec(readFileSync("../../protocol/README.md", "utf8"))?.[1] ?? "";
  const stretches = [...list.replace(/\s+/g, " ").matchAll(/U\+([0-9A-F]+)(?: to U\+([0-9A-F]+))?/g)].map(([, first = "", last = first]) => [parseInt(first, 16), parseInt(last, 16)] as const);
  assert.equal(stretches.length, 23);
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    const unseen = stretches.some(([first, last]) => code >= first && code <= last);
    assert.equal(isSeen(character), !unseen, code.toString(16));
    const laidOut = character === "\t" || character === "\n";
    const half = code >= 0xd800 && code <= 0xdfff;
    if (unseen ? !laidOut : half) assert.equal(visible(`a${character}b`), `a⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩b`);
  }
});

test("invisible characters are spelled out", () => {
  assert.equal(visible("a\u202eb\u0007\u{e0041}\ud800c"), "a⟨U+202E⟩b⟨U+0007⟩⟨U+E0041⟩⟨U+D800⟩c");
  assert.equal(visible("é e\u0301 שלום\tx\ny 漢字 🎲"), "é e\u0301 שלום\tx\ny 漢字 🎲");
  assert.equal(visible(`e${"\u0301".repeat(50)}`), "e\u0301\u0301\u0301⟨+47⟩");
});
