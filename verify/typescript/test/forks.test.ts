/** Who has forked, which branch stands, and who is blamed on a branch that fell (chain 8 to 15). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../src/bytes.js";
import { check } from "../src/checker.js";
import { keyOf, OfficeTable, type Declared } from "./office.js";
import { fixed, type Player, type Set, type Signed } from "./players.js";


function head({ report }: OfficeTable, role: string): string | undefined {
  return report.heads[role]?.id;
}

/** Ann declares twice after one letter, on a set that the office holds. Nobody has read either declaration. */
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

  /** Somebody reads only one of Ann's declarations. */
  reads(player: Player, { signed }: Declared): Player {
    player.seen["ann"] = signed.id;
    return player;
  }

  /** Which of the two declarations stands. */
  get stands(): "one" | "two" | "none" | "neither" {
    const at = head(this, "ann");
    return at === this.one.signed.id ? "one" : at === this.two.signed.id ? "two" : at === this.before ? "none" : "neither";
  }
}

test("a player's opening chooses a branch, and a time by an office that has seen one does not", () => {
  const table = new Twice();
  table.reads(table.off, table.two);
  table.receipt({ time: { at: 1 } });
  assert.equal(table.stands, "none");
  table.reads(table.bob, table.one);
  table.stall(table.one);
  table.opens(table.bob, table.one);
  assert.equal(table.stands, "one");
  assert.deepEqual(table.found[0], ["ann 2", "ann", "chain 8"]);
});

test("an opening can count for another branch than the first named one, unless it knew that one", () => {
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

test("openings for both branches that do not know each other choose none", () => {
  const table = new Twice();
  table.opens(table.reads(table.off, table.one), table.one);
  assert.equal(table.stands, "one");
  const [index] = [4 - (table.one.reading.opened[0] ?? 0)];
  const key = [index, keyOf(table.sealed, index)];
  table.sign(table.reads(table.bob, table.two), "reveal", { declaration: table.two.signed.id, keys: [key], seal: table.sealed.letter.id, sheets: [] });
  assert.equal(table.stands, "none");
});

test("a sealer who forks after a declaration on their own set continues after that declaration", () => {
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
  assert.deepEqual(table.report.findings.map(({ code, culprit }) => [code, culprit]), [["chain", "bob"], ["rule", "ann"]]);
});

test("a late witness that knows the first one does not count, however strong it is", () => {
  const table = new Twice();
  table.talks(table.reads(table.bob, table.one));
  table.opens(table.reads(table.bob, table.two), table.two);
  assert.equal(table.stands, "one");
  // Their letter is not excused either, because they knew that the other branch had a witness.
  assert.deepEqual(table.found.slice(1), [["bob 4", "bob", "reveal 8"]]);
});

test("a nested fork is settled by itself, whichever fork was made first", () => {
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
    const { findings } = table.report;
    assert.deepEqual(findings.map(({ culprit, message_ids }) => [culprit, message_ids.length]), [["ann", 2], ["ann", 2]]);
    assert.ok(findings[0]?.message_ids.includes(made.get("other")?.id ?? ""));
    return [head(table, "ann"), made.get(named)?.id];
  };
  for (const first of ["outer", "inner"] as const) {
    for (const named of ["one", "two", "other"] as const) {
      const [at, wanted] = fork(first, named);
      assert.equal(at, wanted, `${first} ${named}`);
    }
  }
});

test("a letter that only sides with the outer branch leaves the inner fork open", () => {
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

test("at a referee's fork players and openings choose, all with equal weight", () => {
  const table = new Twice();
  const { ann, bob, carol, off } = table;
  const before = carol.prev;
  const backup = table.backup(carol);
  const one = table.rules({ settle: table.game });
  table.restore(carol, backup);
  const two = table.rules({ dismiss: table.sealed.letter.id });
  // The office opens nothing, and so chooses nothing.
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

test("a close is as strong as an opening only if it has masters", () => {
  const stands = (masters: readonly object[] | null): string => {
    const table = new Twice();
    table.sign(table.reads(table.bob, table.one), "close", { masters, result: null });
    table.opens(table.reads(table.off, table.two), table.two);
    return table.stands;
  };
  assert.equal(stands(null), "two");
  // A close with an empty list of masters, and one whose master is false.
  assert.equal(stands([]), "none");
  assert.equal(stands([{ master: toHex(fixed("no master")), seal: toHex(fixed("no seal")) }]), "two", "a letter that waits is no witness");
});

test("declarations and named dice are strong, idle letters are not", () => {
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

test("with no letters after any branch none stands, and the other player can choose one", () => {
  const table = new Twice();
  assert.equal(table.stands, "none");
  assert.equal(table.report.verdict, "refuted");
  assert.deepEqual(table.report.rolls, []);
  // Seeing what came before the fork does not side with a branch.
  table.talks(table.bob);
  assert.equal(table.stands, "none");
  // Knowing both branches does not side with one either.
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

test("knowing only one branch, through anybody's letters, sides with it", () => {
  const table = new Twice();
  table.reads(table.carol, table.two);
  table.rules({ settle: table.two.signed.id });
  assert.equal(table.stands, "none");
  table.read(table.bob, table.carol);
  table.talks(table.bob);
  assert.equal(table.stands, "two");
});

test("a breach after a fallen branch blames nobody, until its author sides with the standing branch", () => {
  const table = new Twice();
  table.opens(table.reads(table.off, table.one), table.one);
  table.reads(table.bob, table.two);
  table.yields(table.two);
  table.yields(table.two);
  table.reads(table.bob, table.one);
  table.yields(table.two);
  assert.equal(table.stands, "one");
  assert.deepEqual(table.found.slice(1), [["bob 3", null, "claim 3"], ["bob 4", null, "claim 3"], ["bob 5", "bob", "claim 3"]]);
  // chain 3: they may change branches any number of times.
  assert.ok(!table.found.some(([, , rule]) => rule === "chain 3"));
});

test("going back is blamed, on the same branch or another", () => {
  const table = new Twice();
  table.talks(table.reads(table.bob, table.one));
  table.bob.seen["ann"] = table.before;
  table.talks(table.bob);
  table.bob.seen["ann"] = null;
  table.talks(table.bob);
  assert.deepEqual(table.found.slice(1), [["bob 4", "bob", "chain 3"], ["bob 5", "bob", "chain 3"]]);
});

test("a false master blames its author even after a fallen branch", () => {
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

test("an office's fork at an epoch has no culprit, and all its letters count", () => {
  const table = new OfficeTable({}, true);
  const backup = table.backup(table.off);
  const sets = [table.set(1), table.set(2)];
  table.meet();
  table.holds(...sets);
  table.receipt({ time: { at: 5 } });
  const lost = table.backup(table.off);
  table.restore(table.off, backup);
  const epoch = table.epoch(3);
  // Its clock depends on the letters before.
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
  // Another fork, in which no branch begins with an epoch.
  table.restore(table.off, lost);
  const smaller = table.receipt({ time: { at: 7 } });
  const ids = [smaller.id, last.id].sort();
  assert.deepEqual(table.report.findings.slice(0, 2).map(({ culprit, message_ids }) => [culprit, message_ids.includes(smaller.id)]), [[null, false], ["off", true]]);
  assert.deepEqual(table.report.findings[1]?.message_ids, ids);
});

test("if the office has several last letters with one number, the smallest id is its head", () => {
  const table = new OfficeTable();
  const backup = table.backup(table.off);
  const ids = [1, 2, 3].map((at) => {
    table.restore(table.off, backup);
    return table.receipt({ time: { at } }).id;
  });
  assert.equal(head(table, "off"), ids.sort()[0]);
  assert.deepEqual(table.found.map(([, culprit]) => culprit), ["off"]);
});

test("a game with 257 branches is not replayed, and each fork has a culprit, even at epochs", () => {
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
  // Letter 1 of each other author ends a branch too.
  const most = many(talks, 254);
  assert.notEqual(most.report.heads["ann"], null);
  assert.deepEqual(most.report.findings[0]?.message_ids.length, 8);
  for (const [fork, culprit] of [[talks, "ann"], [epochs, "off"]] as const) {
    const table = many(fork, 255);
    const { verdict, heads, findings } = table.report;
    assert.deepEqual([verdict, heads, findings.map((one) => one.culprit)], ["refuted", { ann: null, bob: null, off: null }, [culprit]]);
    table.sign(table.bob, "claim", { dispute: { letters: [table.game], text: "so" } }, { number: 7 });
    assert.deepEqual(table.report.findings.map(({ code, culprit: whose }) => [code, whose]), [["chain", culprit], ["chain", "bob"]]);
  }
});

test("going back to a fallen branch for one letter is blamed", () => {
  const ends = (knows: boolean): unknown => {
    const table = new Twice();
    table.reads(table.bob, knows ? table.one : table.two);
    if (knows) table.talks(table.bob);
    table.opens(table.reads(table.off, table.one), table.one);
    table.reads(table.bob, table.two);
    table.yields(table.two);
    assert.equal(table.stands, "one");
    // Another letter on the standing branch, and back: the office's opening is still not known.
    table.talks(table.reads(table.bob, table.one));
    table.reads(table.bob, table.two);
    table.yields(table.two);
    table.read(table.bob, table.off);
    table.yields(table.two);
    return table.found.slice(1).map(([letter, culprit]) => [letter, culprit]);
  };
  assert.deepEqual(ends(false), [["bob 3", null], ["bob 5", null], ["bob 6", "bob"]]);
  // With an opening for the same branch, an earlier idle letter no longer counts.
  assert.deepEqual(ends(true), [["bob 4", null], ["bob 6", null], ["bob 7", "bob"]]);
});

test("going back is blamed if one's own letter made the other branch stand", () => {
  const table = new Twice();
  table.talks(table.reads(table.bob, table.one));
  table.reads(table.bob, table.two);
  table.yields(table.two);
  assert.equal(table.stands, "one");
  assert.deepEqual(table.found.slice(1), [["bob 4", "bob", "claim 3"]]);
});

test("knowing both branches only through others, and no letter that counts, is excused even if one stands", () => {
  const culprit = (knows: boolean): string | null | undefined => {
    const table = new Twice();
    const { bob, carol, off } = table;
    for (const at of [1, 2]) {
      table.reads(off, at === 1 ? table.one : table.two);
      table.receipt({ time: { at } });
    }
    table.talks(table.reads(bob, table.two));
    table.read(carol, off);
    if (knows) table.read(carol, bob);
    table.rules({ dismiss: table.one.signed.id });
    assert.equal(table.stands, "two");
    return table.report.findings[1]?.culprit;
  };
  assert.equal(culprit(false), null);
  assert.equal(culprit(true), "carol");
});

test("a fork on a fallen branch excuses nobody", () => {
  const culprit = (stands: "root" | "other"): string | null | undefined => {
    const table = new OfficeTable({}, true);
    const { ann, bob, carol, off } = table;
    const start = table.backup(ann);
    const other = table.talks(ann, "other");
    table.restore(ann, start);
    const root = table.talks(ann, "root");
    const inner = table.backup(ann);
    const one = table.talks(ann, "one");
    table.restore(ann, inner);
    table.talks(ann, "two");
    const standing = stands === "root" ? root : other;
    bob.seen["ann"] = standing.id;
    table.talks(bob);
    assert.equal(head(table, "ann"), standing.id);
    off.seen["ann"] = one.id;
    table.receipt({ time: { at: 1 } });
    table.read(carol, off);
    table.read(carol, bob);
    carol.seen["ann"] = standing.id;
    table.rules({ dismiss: table.game });
    assert.deepEqual(table.found.slice(0, 2).map(([letter]) => letter), ["ann 2", "ann 3"]);
    return table.report.findings[2]?.culprit;
  };
  assert.equal(culprit("root"), null);
  assert.equal(culprit("other"), "carol");
});

test("a letter with a matching key makes an opening, even of an open place", () => {
  const stands = (fits: boolean): string | undefined => {
    const table = new OfficeTable({}, true);
    const { ann, bob, off } = table;
    const set = table.set(1);
    table.meet();
    table.holds(set);
    const keys = (ours: Set): unknown[] => [0, 1, 2, 3, 4].map((index) => [index, keyOf(ours, index)]);
    table.meet();
    // Everything is open before the fork.
    const first = table.declares(set);
    table.read(bob, ann);
    table.sign(bob, "reveal", { declaration: first.signed.id, keys: keys(set), seal: set.letter.id, sheets: [] });
    table.meet();
    const backup = table.backup(ann);
    const one = table.talks(ann, "one");
    table.restore(ann, backup);
    const two = table.talks(ann, "two");
    bob.seen["ann"] = one.id;
    table.talks(bob);
    off.seen["ann"] = two.id;
    const wrong = table.set(2);
    const opened = { declaration: first.signed.id, seal: set.letter.id, sheets: [] };
    table.sign(off, "reveal", { ...opened, keys: keys(fits ? set : wrong) });
    return head(table, "ann") === two.id ? "two" : head(table, "ann") === one.id ? "one" : undefined;
  };
  assert.equal(stands(true), "two");
  assert.equal(stands(false), "one");
});

/** Three branches by Ann. Bob, the office and Carol see one each, and Carol also knows the office's and perhaps Bob's. */
function settled(knows: boolean): { readonly table: OfficeTable; readonly branches: readonly Signed[] } {
  const table = new OfficeTable({}, true);
  const { ann, bob, carol, off } = table;
  const backup = table.backup(ann);
  const branches = ["one", "two", "three"].map((text) => {
    table.restore(ann, backup);
    return table.talks(ann, text);
  });
  for (const [i, player] of [bob, off, carol].entries()) player.seen["ann"] = branches[i]?.id ?? null;
  table.talks(bob);
  table.receipt({ time: { at: 1 } });
  table.read(carol, off);
  if (knows) table.read(carol, bob);
  return { table, branches };
}

test("the first ruling that knows all letters of a fork settles it, whichever letter it names", () => {
  const { table, branches } = settled(false);
  const settle = (i: number): Signed => table.rules({ settle: branches[i]?.id ?? "" });
  const fork = (): unknown => table.report.findings.find(({ message_ids }) => message_ids.length === 3)?.settled_by;
  settle(2);
  assert.equal(fork(), null);
  assert.equal(table.report.verdict, "refuted");
  table.read(table.carol, table.bob);
  const second = settle(0);
  settle(1);
  assert.equal(fork(), second.id);
  assert.notEqual(table.report.verdict, "refuted");
  // No letter is settled twice.
  settle(2);
  assert.deepEqual(table.found.slice(1), [["carol 5", "carol", "ruling 5"]]);
  const whole = settled(true);
  const ruling = whole.table.rules({ settle: whole.branches[2]?.id ?? "" });
  assert.deepEqual(whole.table.report.findings.map((one) => one.settled_by), [ruling.id]);
});

test("each fork is a finding, in the order of authors, numbers and ids", () => {
  const table = new OfficeTable({}, true);
  const wanted: string[][] = [];
  for (const player of [table.carol, table.bob, table.ann]) {
    const signs = (i: number): Signed =>
      player === table.carol ? table.rules({ settle: table.letters[i]?.id ?? "" }) : table.talks(player, `${i}`);
    for (let number = 0; number < 3; number++) {
      const backup = table.backup(player);
      const ids = [1, 2].map((i) => {
        table.restore(player, backup);
        return signs(i).id;
      });
      wanted.push(ids.sort());
    }
  }
  const { findings } = table.report;
  const [carols, bobs, anns] = [wanted.slice(0, 3), wanted.slice(3, 6), wanted.slice(6)];
  assert.deepEqual(findings.map((one) => one.message_ids), [...(anns ?? []), ...(bobs ?? []), ...(carols ?? [])]);
  assert.deepEqual(findings.map((one) => one.culprit), ["ann", "bob", "carol"].flatMap((one) => [one, one, one]));
});

test("an office's fork has a culprit if two of its letters are not epochs", () => {
  const culprit = (...kinds: readonly ("epoch" | "time")[]): string | null | undefined => {
    const table = new OfficeTable();
    const backup = table.backup(table.off);
    for (const [at, kind] of kinds.entries()) {
      table.restore(table.off, backup);
      table.receipt({ [kind]: { at } });
    }
    return table.report.findings[0]?.culprit;
  };
  assert.equal(culprit("epoch", "time", "time"), "off");
  assert.equal(culprit("epoch", "time", "epoch"), null);
  assert.equal(culprit("epoch", "epoch"), null);
});

test("a letter that goes back is still a witness, and an office's receipt that goes back still counts", () => {
  const table = new Twice();
  table.bob.seen["carol"] = null;
  table.talks(table.reads(table.bob, table.two));
  assert.equal(table.stands, "two");
  assert.deepEqual(table.found.slice(1), [["bob 3", "bob", "chain 3"]]);

  const other = new OfficeTable({}, true);
  const set = other.set(1);
  other.meet();
  other.receipt({ time: { at: 1 } });
  other.off.seen["carol"] = null;
  other.holds(set);
  other.meet();
  const declared = other.declares(set);
  other.meet();
  other.opens(other.off, declared);
  assert.deepEqual(other.found, [["off 3", "off", "chain 3"]]);
  assert.equal(other.report.rolls.length, 1);
});

test("two accepts are a fork in both games once each is placed, and no ruling settles it", () => {
  const table = new OfficeTable({}, true);
  const charter = table.letters[0]?.id ?? "";
  const [carols, offs] = [1, 2].map((i) => table.letters[i]?.id ?? null);
  const accepts = (seen: object, nonce: string): Signed => {
    const head = { author: "bob", game: charter, kind: "accept", number: 1, prev: null, seen, v: 1 };
    return table.put(head, { charter, compared: true, nonce: toHex(fixed(nonce)) }, table.bob.seed);
  };
  const forks = (): unknown =>
    check(table.text).games.map(({ findings }) => findings.map(({ message_ids, settled_by }) => [message_ids, settled_by]));
  accepts({ ann: charter, carol: carols, off: toHex(fixed("not at hand")) }, "waits");
  assert.deepEqual(forks(), [[], []]);
  const again = accepts({ ann: charter, carol: carols, off: offs }, "again");
  table.rules({ settle: table.game });
  const both = [[[table.game, again.id].sort(), null]];
  assert.deepEqual((forks() as unknown[][]).filter((one) => one.length > 0), [both, both]);
});

test("letters by strangers and asks by restored players do not affect a game", () => {
  const table = new OfficeTable();
  table.stranger(table.ann, "claim", { dispute: { letters: [table.game], text: "not Ann" } });
  table.resync(table.ann, table.bob, table.off);
  table.seal(table.ann, "foul-up", "foul-up/1", "bob", 3);
  assert.deepEqual(table.report.findings.map(({ code, culprit }) => [code, culprit]), [["game", null]]);
  assert.equal(table.report.verdict, "verified");
});
