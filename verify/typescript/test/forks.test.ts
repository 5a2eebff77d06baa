/** chain 8 to 14: who has forked, which branch stands, and who is blamed behind one that does not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../src/bytes.js";
import { keyOf, OfficeTable, type Declared } from "./office.js";
import { fixed, type Player, type Set, type Signed } from "./players.js";

const AGAIN = "letters that exclude each other";

function head({ report }: OfficeTable, role: string): string | undefined {
  return report.heads[role]?.id;
}

/** Ann declares twice behind one letter, on a set that the office holds; nobody has read either. */
class Twice extends OfficeTable {
  readonly sealed: Set;
  readonly before: string | null;
  readonly one: Declared;
  readonly two: Declared;

  constructor() {
    super({}, true);
    this.sealed = this.set(1);
    this.meet();
    this.holds(this.sealed);
    this.meet();
    this.before = this.ann.prev;
    const backup = this.backup(this.ann);
    this.one = this.declares(this.sealed);
    this.restore(this.ann, backup);
    this.two = this.declares(this.sealed);
  }

  /** Somebody reads one of Ann's declarations, and nothing else. */
  reads(player: Player, { signed }: Declared): Player {
    player.seen["ann"] = signed.id;
    return player;
  }

  /** Which of the two stands. */
  get stands(): "one" | "two" | "none" | "neither" {
    const at = head(this, "ann");
    return at === this.one.signed.id ? "one" : at === this.two.signed.id ? "two" : at === this.before ? "none" : "neither";
  }
}

test("what a player opens chooses a branch, and what the office does but sees does not", () => {
  const table = new Twice();
  table.reads(table.off, table.two);
  table.receipt({ time: { at: 1 } });
  assert.equal(table.stands, "none");
  table.reads(table.bob, table.one);
  table.stall(table.one);
  table.opens(table.bob, table.one);
  assert.equal(table.stands, "one");
  assert.deepEqual(table.found[0], ["ann 2", "ann", AGAIN + ", by ann, or whoever has the key or a backup of it"]);
});

test("an opening is for another branch than the one that was named first, unless it knew of that", () => {
  const stands = (knows: boolean): string => {
    const table = new Twice();
    table.talks(table.reads(table.bob, table.one));
    assert.equal(table.stands, "one");
    table.reads(table.off, table.two);
    if (knows) table.read(table.off, table.bob);
    table.opens(table.off, table.two);
    return table.stands;
  };
  assert.equal(stands(false), "two");
  assert.equal(stands(true), "one");
});

test("of openings for both branches that do not know each other none chooses", () => {
  const table = new Twice();
  table.opens(table.reads(table.off, table.one), table.one);
  assert.equal(table.stands, "one");
  const [index] = [4 - (table.one.reading.opened[0] ?? 0)];
  const key = [index, keyOf(table.sealed, index)];
  table.sign(table.reads(table.bob, table.two), "reveal", { declaration: table.two.signed.id, keys: [key], seal: table.sealed.letter.id, sheets: [] });
  assert.equal(table.stands, "none");
});

test("a sealer who forks behind a declaration on their set goes on behind that", () => {
  const table = new OfficeTable({}, true);
  const backup = table.backup(table.bob);
  const set = table.set(1);
  table.read(table.off, table.bob);
  table.holds(set);
  table.read(table.ann, table.bob);
  table.read(table.ann, table.off);
  table.declares(set);
  table.restore(table.bob, backup);
  const anew = table.set(1);
  table.read(table.carol, table.bob);
  table.rules({ settle: anew.letter.id });
  assert.equal(head(table, "bob"), set.letter.id);
  // Ann's next letter knows her declaration.
  table.read(table.ann, table.bob);
  table.declares(anew);
  assert.equal(head(table, "bob"), set.letter.id);
  assert.deepEqual(table.report.findings.map(({ code, culprit }) => [code, culprit]), [["chain", "bob"], ["rule", null]]);
});

test("a witness that comes late and knows the first is none, be it as strong as it may", () => {
  const table = new Twice();
  table.talks(table.reads(table.bob, table.one));
  table.opens(table.reads(table.bob, table.two), table.two);
  assert.equal(table.stands, "one");
  assert.deepEqual(table.found.slice(1), [["bob 4", null, "reveal 1"]]);
});

test("a fork in a fork is settled by itself, whichever was made first", () => {
  const fork = (first: "outer" | "inner", named: "one" | "two" | "other"): readonly (string | undefined)[] => {
    const table = new OfficeTable();
    const { ann, bob } = table;
    const start = table.backup(ann);
    const made = new Map<string, Signed>();
    const outer = (): void => {
      table.restore(ann, start);
      made.set("other", table.talks(ann, "other"));
    };
    const inner = (): void => {
      table.restore(ann, start);
      table.talks(ann, "root");
      const root = table.backup(ann);
      made.set("one", table.talks(ann, "one"));
      table.restore(ann, root);
      made.set("two", table.talks(ann, "two"));
    };
    for (const make of first === "outer" ? [outer, inner] : [inner, outer]) make();
    bob.seen["ann"] = made.get(named)?.id ?? null;
    table.talks(bob);
    assert.deepEqual(table.report.findings.map(({ culprit, message_ids }) => [culprit, message_ids.length]), [["ann", 2]]);
    return [head(table, "ann"), made.get(named)?.id];
  };
  for (const first of ["outer", "inner"] as const) {
    for (const named of ["one", "two", "other"] as const) {
      const [at, wanted] = fork(first, named);
      assert.equal(at, wanted, `${first} ${named}`);
    }
  }
});

test("a letter that names the outer branch alone leaves the inner fork open", () => {
  const table = new OfficeTable();
  const { ann, bob } = table;
  const start = table.backup(ann);
  table.talks(ann, "other");
  table.restore(ann, start);
  const root = table.talks(ann, "root");
  const inner = table.backup(ann);
  bob.seen["ann"] = root.id;
  table.talks(bob);
  for (const text of ["one", "two"]) {
    table.restore(ann, inner);
    table.talks(ann, text);
  }
  assert.equal(head(table, "ann"), root.id);
});

test("at a referee's fork players and openings choose, and none of them more than others", () => {
  const table = new Twice();
  const { ann, bob, carol, off } = table;
  const before = carol.prev;
  const backup = table.backup(carol);
  const one = table.rules({ settle: table.game });
  table.restore(carol, backup);
  const two = table.rules({ dismiss: table.sealed.letter.id });
  // The office opens nothing, and chooses nothing.
  off.seen["carol"] = two.id;
  table.receipt({ time: { at: 1 } });
  assert.equal(head(table, "carol"), before);
  bob.seen["carol"] = one.id;
  table.talks(bob);
  assert.equal(head(table, "carol"), one.id);
  assert.deepEqual(table.found.slice(1).map(([letter, culprit]) => [letter, culprit]), [["carol 2", "carol"]]);
  table.reads(off, table.two);
  table.opens(off, table.two);
  assert.equal(head(table, "carol"), before);
  ann.seen["carol"] = one.id;
  table.talks(ann);
  assert.equal(head(table, "carol"), before);
});

test("a close with masters is as strong as an opening, and one without is not", () => {
  const stands = (masters: readonly object[] | null): string => {
    const table = new Twice();
    table.sign(table.reads(table.bob, table.one), "close", { masters, result: null });
    table.opens(table.reads(table.off, table.two), table.two);
    return table.stands;
  };
  assert.equal(stands(null), "two");
  // One that has not a single master, and one whose master is none.
  assert.equal(stands([]), "none");
  assert.equal(stands([{ master: toHex(fixed("no master")), seal: toHex(fixed("no seal")) }]), "two", "a letter that waits is no witness");
});

test("a declaration and a naming of dice are strong, an idle letter is not", () => {
  for (const strong of [true, false]) {
    const table = new OfficeTable({}, true);
    const { ann, bob, off } = table;
    const own = table.seal(ann, "coin", "1/1/bob-first/1", "bob", 5);
    const set = table.set(1);
    table.meet();
    table.holds(set);
    table.meet();
    const before = ann.prev;
    const backup = table.backup(ann);
    const one = table.talks(ann, "one");
    table.restore(ann, backup);
    const two = table.declares(set);
    bob.seen["ann"] = one.id;
    if (strong) table.declare(bob, { turn: 1, impulse: 1, phase: "bob-first", number: 1 }, own, { attacks: [{ hexes: ["F12"], odds: "3-1" }] });
    else table.talks(bob);
    off.seen["ann"] = two.signed.id;
    table.opens(off, two);
    assert.equal(head(table, "ann"), strong ? before : two.signed.id);
  }
});

test("where nobody has signed behind a branch none stands, and the other may choose one", () => {
  const table = new Twice();
  assert.equal(table.stands, "none");
  assert.equal(table.report.verdict, "refuted");
  assert.deepEqual(table.report.rolls, []);
  // Who has seen what came before the fork names no branch of it.
  table.talks(table.bob);
  assert.equal(table.stands, "none");
  // Nor does who knows both.
  table.reads(table.carol, table.one);
  table.rules({ settle: table.one.signed.id });
  table.reads(table.off, table.two);
  table.receipt({ time: { at: 1 } });
  table.read(table.bob, table.carol);
  table.read(table.bob, table.off);
  table.talks(table.bob);
  assert.equal(table.stands, "none");
  table.talks(table.reads(table.bob, table.two));
  assert.equal(table.stands, "two");
});

test("who knows a single branch, by whomever, names it", () => {
  const table = new Twice();
  table.reads(table.carol, table.two);
  table.rules({ settle: table.two.signed.id });
  assert.equal(table.stands, "none");
  table.read(table.bob, table.carol);
  table.talks(table.bob);
  assert.equal(table.stands, "two");
});

test("what breaks a rule behind a branch that fell blames nobody, until its author names the one that stands", () => {
  const table = new Twice();
  table.opens(table.reads(table.off, table.one), table.one);
  table.reads(table.bob, table.two);
  table.yields(table.two);
  table.yields(table.two);
  table.reads(table.bob, table.one);
  table.yields(table.two);
  assert.equal(table.stands, "one");
  assert.deepEqual(table.found.slice(1), [["bob 3", null, "claim 3"], ["bob 4", null, "claim 3"], ["bob 5", "bob", "claim 3"]]);
  // chain 3: they may change branches as often as he likes.
  assert.ok(!table.found.some(([, , rule]) => rule === "chain 3"));
});

test("who goes back is blamed, be it to another branch or not", () => {
  const table = new Twice();
  table.talks(table.reads(table.bob, table.one));
  table.bob.seen["ann"] = table.before;
  table.talks(table.bob);
  table.bob.seen["ann"] = null;
  table.talks(table.bob);
  assert.deepEqual(table.found.slice(1), [["bob 4", "bob", "chain 3"], ["bob 5", "bob", "chain 3"]]);
});

test("a false master blames its author behind a branch that fell, too", () => {
  const closes = (masters: (set: Set) => readonly object[]): readonly unknown[] => {
    const table = new OfficeTable();
    const { ann, bob, off } = table;
    const declared = table.declared();
    table.sign(ann, "close", { masters: null, result: null });
    const backup = table.backup(ann);
    table.talks(ann, "one");
    table.read(off, ann);
    table.opens(off, declared);
    table.restore(ann, backup);
    table.talks(ann, "two");
    table.read(bob, ann);
    table.sign(bob, "close", { masters: masters(declared.set), result: null });
    return table.found.slice(1);
  };
  assert.deepEqual(closes(({ letter }) => [{ master: toHex(fixed("no master")), seal: letter.id }]), [["bob 3", "bob", "close 3"]]);
  assert.deepEqual(closes(() => []), [["bob 3", null, "close 2"]]);
});

test("a fork of the office's has no culprit if an epoch begins one of its branches, and all of its letters act", () => {
  const table = new OfficeTable({}, true);
  const backup = table.backup(table.off);
  const sets = [table.set(1), table.set(2)];
  table.meet();
  table.holds(...sets);
  table.receipt({ time: { at: 5 } });
  const lost = table.backup(table.off);
  table.restore(table.off, backup);
  const epoch = table.epoch(3);
  // Its clock goes by the letters behind which it signs.
  assert.deepEqual(table.found.map(([, culprit]) => culprit), [null]);
  table.restore(table.off, lost);
  const last = table.receipt({ time: { at: 6 } });
  assert.equal(head(table, "off"), last.id);
  table.meet();
  const declared = table.declares(sets[0] as Set);
  assert.deepEqual(table.found.slice(1), []);
  table.read(table.off, table.ann);
  table.opens(table.off, declared);
  table.ann.seen["off"] = epoch.id;
  table.declares(sets[1] as Set);
  assert.deepEqual(table.found.slice(1), [["ann 3", "ann", "declare 6"]]);
  // Another fork, where no epoch begins a branch.
  table.restore(table.off, lost);
  const smaller = table.receipt({ time: { at: 7 } });
  const ids = [smaller.id, last.id].sort();
  assert.deepEqual(table.report.findings.slice(0, 2).map(({ culprit, message_ids }) => [culprit, message_ids.includes(smaller.id)]), [[null, false], ["off", true]]);
  assert.deepEqual(table.report.findings[1]?.message_ids, ids);
});

test("of the office's last letters with one number the smallest id is its head", () => {
  const table = new OfficeTable();
  const backup = table.backup(table.off);
  const ids = [1, 2, 3].map((at) => {
    table.restore(table.off, backup);
    return table.receipt({ time: { at } }).id;
  });
  assert.equal(head(table, "off"), ids.sort()[0]);
  assert.deepEqual(table.found.map(([, culprit]) => culprit), ["off"]);
});

test("with 257 branches a game is not replayed, and its forks are findings", () => {
  const many = (fork: (table: OfficeTable, i: number) => unknown, count: number): OfficeTable => {
    const table = new OfficeTable();
    const player = fork === epochs ? table.off : table.ann;
    const backup = table.backup(player);
    for (let i = 0; i < count; i++) {
      table.restore(player, backup);
      fork(table, i);
    }
    return table;
  };
  const epochs = (table: OfficeTable, at: number): unknown => table.epoch(at);
  const talks = (table: OfficeTable, i: number): unknown => table.talks(table.ann, `${i}`);
  // The letter 1 of each of the others ends a branch, too.
  const most = many(talks, 254);
  assert.notDeepEqual(most.report.heads, {});
  assert.deepEqual(most.report.findings[0]?.message_ids.length, 8);
  for (const [fork, culprit, verdict] of [[talks, "ann", "refuted"], [epochs, null, "undecided"]] as const) {
    const table = many(fork, 255);
    assert.deepEqual([table.report.verdict, table.report.heads, table.report.findings.map((one) => one.culprit)], [verdict, {}, [culprit]]);
    table.sign(table.bob, "claim", { dispute: { letters: [table.game], text: "so" } }, { number: 7 });
    assert.deepEqual(table.report.findings.map(({ code, culprit: whose }) => [code, whose]), [["chain", culprit], ["chain", "bob"]]);
  }
});

test("what a stranger signs, and what a restored player asks, is nothing to a game", () => {
  const table = new OfficeTable();
  table.stranger(table.ann, "claim", { dispute: { letters: [table.game], text: "not Ann" } });
  table.resync(table.ann, table.bob, table.off);
  table.seal(table.ann, "foul-up", "foul-up/1", "bob", 3);
  assert.deepEqual(table.report.findings.map(({ code, culprit }) => [code, culprit]), [["game", null]]);
  assert.equal(table.report.verdict, "verified");
});
