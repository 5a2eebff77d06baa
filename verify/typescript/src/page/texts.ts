/** Every sentence of the page. A translation is this file. */
import type { Content } from "../kinds.js";
import type { DaysEntry, OpenMatter, Verdict } from "../report.js";
import { add } from "../lists.js";
import { say, type Line } from "./dom.js";
import { field, isList, isObject, type Json } from "../json.js";
import type { InitiativeView, FallenRoll, FindingView, GameView, Stage } from "./model.js";
import type { Step } from "./protocol.js";

/** "340 of 812 kB", "12.3 of 124 MB". */
function bytesOf(done: number, total: number): string {
  if (total < 1e6) return `${Math.round(done / 1e3)} of ${Math.round(total / 1e3)} kB`;
  return `${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(total < 99.95e6 ? 1 : 0)} MB`;
}

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** "a", "a and b", "a, b and c". */
export function join(items: readonly Line[]): Line {
  return items.flatMap((item, i) => (i === 0 ? item : [i === items.length - 1 ? " and " : ", ", ...item]));
}

const SETS: Readonly<Record<string, string>> = { coin: "a set of coin envelopes", plain: "an envelope", sheet: "an ICRK sheet", "foul-up": "a foul-up set", note: "a sealed note", contribution: "a set of his own contributions" };

/** The whole of it stands in the letter as it was signed. */
function clipped(text: string): string {
  return text.length > 300 ? `${[...text].slice(0, 300).join("")}…` : text;
}

/** A time in seconds since 1970. */
function moment(at: number): string {
  return new Date(at * 1_000).toISOString().replace("T", " ").replace(/\.000Z$/, " UTC");
}

/** How long it is, to the second: a bound that is rounded would say something else beside its days. */
function span(seconds: number): string {
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60];
  const parts = [[days, "day"], [hours, "hour"], [minutes, "minute"], [seconds % 60, "second"]] as const;
  const said = parts.filter(([n]) => n > 0).map(([n, unit]) => count(n, unit, `${unit}s`));
  return said.length === 0 ? "no time" : said.join(", ");
}

/** What players wrote, or the names of a table file. */
function shown(value: Json): string {
  if (isList(value)) return value.length === 0 ? "none" : value.map((one) => (isList(one) ? one.map(shown).join(" ") : shown(one))).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

const ENDS: Readonly<Record<string, string>> = {
  nothing: "the row says so",
  when: "it does not apply now",
  limit: "it has come as often as it may",
  nobody: "there is nobody whom it could meet",
  stop: "it does not come about",
};

export const TEXTS = {
  language: "en",
  title: "Sealed dice: check a game",
  lead: "Drop the mails of a game here, and read whether the dice were fair and the rules of the letters were kept.",
  privacy: "This page talks to nobody. It runs in your browser alone, and its security policy forbids it every connection: what you drop here stays on this computer. It also works without a network.",
  skip: "Skip to the verdict",

  intake: {
    heading: "The letters",
    drop: "Drop mails here: .eml, .mbox, text files, whole folders, as many as you like.",
    files: "Choose files",
    folder: "Choose a folder",
    paste: "Or paste letters or whole mails",
    check: "Check what I pasted",
    again: "Start over",
    pasted: (n: number): string => (n === 1 ? "pasted text" : `pasted text ${n}`),
    nothing: "Paste something first.",
    more: "More can be added at any time; order does not matter, and the same letter twice is the same letter.",
  },

  progress: {
    heading: "Progress",
    begun: "Reading",
    stop: "Stop",
    stopped: (before: boolean): Line => [before ? "Stopped. What you added last is left out; the report below is the one from before." : "Stopped, and nothing was judged. You can choose other files now."],
    steps: {
      reading: (done: number, total: number): string => `Reading: ${bytesOf(done, total)}`,
      checking: (done: number, total: number): string => `Checking signatures: ${done} of ${count(total, "letter", "letters")}`,
      judging: (_done: number, total: number): string => `Judging ${count(total, "letter", "letters")}`,
    } satisfies Record<Step, (done: number, total: number) => string>,
    /** Work with less than this is done before a voice has told of it. */
    short: { reading: 10_000_000, checking: 200, judging: 200 } satisfies Record<Step, number>,
    showing: "Showing the games",
    done: (letters: number, seconds: string): string => `${count(letters, "letter", "letters")} checked in ${seconds} s.`,
    failed: (why: string): Line => say`The page failed, and the fault is its own: ${why}`,
  },

  files: {
    heading: "What was read",
    table: "Files that were read",
    name: "File",
    letters: "Letters",
    damaged: "Damaged",
    notes: "Note",
    none: "no letter in it",
    unreadable: "could not be read",
    packed: "packed (.zip or .gz): unpack it, and drop what comes out",
    secret: "a secret key is in it",
    warning: (name: string): Line =>
      say`A secret key stands in ${name}. Whoever mailed it tells the others that it may be in other hands, and plays on under a new key, in a new game.`,
    summary: (files: number, letters: number): string => `${count(files, "file", "files")}, ${count(letters, "letter", "letters")}`,
  },

  verdict: {
    heading: "Verdict",
    words: { verified: "Verified", refuted: "Refuted", undecided: "Undecided" } satisfies Record<Verdict, string>,
    signs: { verified: "✓", refuted: "✗", undecided: "?" } satisfies Record<Verdict, string>,
    nothing: "No letter was found. A letter stands between a line BEGIN SEALED DICE MESSAGE and a line END SEALED DICE MESSAGE.",
    verified: (letters: number, breaches: Line, dice: Line): Line => say`Verified: in the ${[count(letters, "letter", "letters")]} at hand ${breaches}, and ${dice}.`,
    unbroken: say`nobody broke a rule`,
    unblamed: say`nobody is shown to have broken a rule`,
    settled: (breaches: number, who: Line): Line => (breaches === 1 ? say`the one breach, by ${who}, was settled` : say`${[breaches === 2 ? "both" : `all ${breaches}`]} breaches, by ${who}, were settled`),
    noDie: say`no die is shown`,
    sealed: say`every die is the one that was sealed`,
    allNamed: (dice: number, who: Line): Line => say`the ${[count(dice, "die was", "dice were")]} named by ${who} after a forfeit`,
    someNamed: (dice: number, who: Line): Line => say`${[count(dice, "die was", "dice were")]} named by ${who} after a forfeit and every other die is the one that was sealed`,
    refuted: (culprits: readonly Line[]): Line => say`Refuted: ${join(culprits)}.`,
    broke: (who: string, letters: string): Line => say`${who} broke a rule in ${[letters]}`,
    forked: (who: string, numbers: string): Line =>
      say`${who}, or whoever has the key or a backup of it, signed two different letters with the ${[numbers]}`,
    undecided: (why: Line): Line => say`Undecided: ${why}.`,
    missing: (n: number): Line => say`${[count(n, "letter is", "letters are")]} missing that others name`,
    waiting: say`a breach is to be mended, and the dice for it are not opened yet`,
    claims: say`a claim stands that somebody does not answer, or a dispute`,
    days: say`by the office’s clock, the days that a ruling rests on had not passed: either it came too early, or the clock is wrong`,
    branches: say`there are more branches of letters than can be followed`,
    unrun: (n: number): Line => say`what ${[count(n, "declaration states", "declarations state")]} rests on sheets that are open, and that this page does not run again; the command line’s audit (sealed-dice audit) does, and so does the Python checker`,
    unproved: (n: number): string => `What ${count(n, "declaration states", "declarations state")} rests on sheets that are still sealed: whether it is true shows when they are opened, at the close.`,
    unaccepted: say`these letters are damaged, or their game is not here`,
    complete: "The game is complete: both have closed, and every envelope was shown to be what was sealed.",
    incomplete: "The game is not closed yet: more letters may follow.",
    heads: (heads: readonly Line[]): Line => say`Up to ${join(heads)}.`,
    head: (who: string, number: number, id: string): Line => say`${who}’s letter ${number} (${[id]})`,
    limits: "Not checked by any program: whether the moves were legal on the map, when letters were really sent, and what a silence may mean.",
    several: (games: number): string => `${count(games, "game is", "games are")} in these letters`,
    each: { verified: "verified", refuted: "refuted", undecided: "undecided" } satisfies Record<Verdict, string>,
    numbered: (one: string, more: string, numbers: readonly number[]): string =>
      numbers.length === 1 ? `${one} ${numbers[0] ?? 0}` : `${more} ${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1) ?? 0}`,
  },

  game: {
    untitled: "A game whose terms are not at hand",
    loose: "What belongs to no game here",
    people: "Who plays",
    player: "player",
    referee: "referee",
    office: "office, which opens envelopes at once",
    witness: "office, a time witness: it keeps the time, holds no keys, and can look at nothing",
    fingerprint: "fingerprint of the key",
    id: "id of the game",
    contents: "On this page",
  },

  continues: {
    of: "This game continues another one: ",
    absent: "That game is not among these letters, or not with the letters up to which it is continued. ",
    nothingBehind: "All of its letters still count. ",
    behind: (n: number): string => `${count(n, "letter of it does", "letters of it do")} not count any more: `,
    nothingOpen: "Nothing was declared there that is not opened. ",
    open: "Declared there, and not opened: ",
    sameStates: "It begins with the state in which the old game was there. ",
    otherStates: "It does not begin with the state in which the old game was there: the terms state another one. ",
    noStates: "It takes over no state of the old game. ",
    keys: (people: readonly string[]): Line =>
      say`${join(people.map((one) => [{ foreign: one }]))} kept ${[people.length === 1 ? "this player’s key" : "their keys"]}. `,
    noKeys: "Nobody kept their key. ",
    others: (n: number): string => (n === 1 ? "Another game continues it too: " : `${n} other games continue it too: `),
    more: (n: number): string => ` and ${n} more`,
  },

  findings: {
    heading: "What is wrong",
    none: "Nothing.",
    letter: "Letter",
    fault: "Whose fault",
    nobody: "nobody’s",
    what: "What",
    checker: "In the checker’s words",
    todo: "What to do",
    settled: (letter: Line): Line => say`Nothing more: it was settled by ${letter}.`,
    excused: say`Nothing: it may have been right where it was signed. Its author had seen letters of two that exclude each other, and nothing yet that says which one stands.`,
    restored: say`Nothing: the office was restored from a backup, and said so by an epoch. What it signed before still counts.`,
    beside: "Side by side",
    offending: "The letter",
    other: "The other letter",
    related: "The letter that it goes by",
    expected: "What the rules give",
    differs: "differs",
    lettersOf: (n: number): string => `${n} letters`,
    classes: {
      size: "A letter is longer than any may be.",
      armour: "A letter was damaged on its way: the block between BEGIN and END is not whole.",
      frame: "What stands between BEGIN and END is no letter.",
      key: "A letter is signed with something that is no key.",
      json: "The text of a letter is damaged.",
      canonical: "The text of a letter is not written in the one way to write it.",
      fields: "A letter does not have the fields that its kind asks for.",
      signature: "A signature does not fit its letter: it was altered or damaged on its way, or somebody else signed it.",
      game: "A letter is signed with another key than its author’s in this game.",
      chain: "Letters of one author follow the same letter, and exclude each other.",
      rule: "A letter breaks a rule.",
    } as Readonly<Record<string, string>>,
    rules: {
      "chain 2": "A letter does not follow its author’s letter before.",
      "chain 3": "What a letter says it has seen comes before what its author had seen already, or is not the other’s.",
      "chain 6": "A letter speaks of one that it does not know.",
      "charter 6": "The terms of the game contradict themselves.",
      "charter 26": "The terms begin a course with a state with which it cannot begin.",
      "charter 16": "The acceptance does not fit the terms.",
      "letters 3": "A letter was signed after its author’s close.",
      "letters 4": "This letter was not its author’s to sign.",
      "letters 5": "A letter names one of the wrong kind.",
      "seal 1": "A set was sealed for the wrong player, or for somebody else to open.",
      "seal 2": "A set has the wrong number of envelopes.",
      "seal 3": "A set was sealed for something that does not exist.",
      "seal 4": "A second set was sealed for the same purpose.",
      "seal 5": "The same envelope was sealed twice.",
      "declare 1": "A phase was declared that is not the author’s, or does not exist.",
      "declare 2": "Something else was due first: to declare again what broke a rule, or what was agreed on.",
      "declare 3": "The sealed moves are not those of this declaration.",
      "declare 4": "The list of attacks or rolls is not as the terms ask for.",
      "declare 5": "Envelopes were asked for without a roll, or a roll without envelopes.",
      "declare 6": "The dice were taken from the wrong set.",
      "declare 7": "A decision that had to come first had not been made.",
      "declare 8": "The declarer’s own share of the dice is not fresh, or not in the form asked for.",
      "declare 9": "The envelope or cells are not those that the worksheet selects.",
      "declare 10": "The envelopes had been opened or used before.",
      "declare 11": "What was declared again is not what had to be declared again.",
      "declare 12": "What was declared again is not what was agreed on.",
      "declare 13": "No envelope had been opened that would call for new dice.",
      "declare 14": "The course did not stand where this declaration goes on, or awaited something else.",
      "declare 15": "What was declared is not what the state of the course allows.",
      "declare 16": "Something was declared before a proposal of its author’s was answered, or before a redo that is due.",
      "declare 17": "An earlier part of the turn was open when this was declared.",
      "declare 18": "An earlier part of the turn was open when this was declared, or its author had rolled for a later one.",
      "declare 19": "Something was declared before a proposal of its author’s to roll again was answered.",
      "declare 20": "This was declared before, or out of turn, or its author broke a rule here beyond repair.",
      "declare 21": "Something was declared that comes before what its author had declared already.",
      "reveal 1": "Envelopes were opened by somebody who was not to open them.",
      "reveal 2": "Envelopes of the wrong set were opened.",
      "reveal 3": "Envelopes were opened for a declaration that breaks a rule.",
      "reveal 4": "Other envelopes were opened than those that were selected.",
      "reveal 5": "A key does not fit what was sealed.",
      "reveal 6": "A private share was opened before the dice.",
      "reveal 7": "Orders were opened before the other’s were sealed.",
      "reveal 8": "A player opened dice that the office was to open.",
      "decide 1": "A decision was made that was not the author’s to make.",
      "decide 2": "A decision was made twice.",
      "decide 3": "A decision was made after the dice.",
      "decide 4": "A decision was made that nobody awaited from its author, that goes on from somewhere else, or before their proposal was answered.",
      "decide 5": "A decision was made that the state of the course does not allow.",
      "courses 19": "Somebody’s sealed orders break the rules of the game; what is not allowed was not done.",
      "correct 1": "A correction was proposed for dice that do not count or are not known.",
      "correct 2": "A correction asks for dice again that the terms do not give again.",
      "correct 3": "A second proposal was made before the first was answered.",
      "correct 4": "An answer came to a proposal that was not open to it.",
      "correct 5": "Dice were to be voided that cannot be.",
      "correct 6": "Dice were asked for again after somebody had played on with knowledge of them.",
      "correct 7": "A redo was accepted by a player who could have seen other dice meanwhile, from the office.",
      "close 1": "Keys were published before the other had stopped.",
      "close 2": "The keys published at the end are not those of all sets.",
      "close 3": "At the end an envelope turned out not to be what was sealed.",
      "claim 1": "A claim names the wrong player, or a letter where it should name none.",
      "claim 2": "A claim was withdrawn that was none.",
      "claim 3": "Dice were yielded that could not be.",
      "claim 4": "Dice were named that were not to be named.",
      "claim 5": "A claim says that something is owed that is not.",
      "ruling 1": "The referee asked for something that is not owed.",
      "ruling 2": "The referee ruled a forfeit that the terms do not give.",
      "ruling 3": "The referee voided dice that cannot be.",
      "ruling 4": "The referee killed a set that cannot be.",
      "ruling 5": "The referee settled what was settled, or no player’s.",
      "ruling 6": "The referee dismissed a claim that does not stand.",
      "ruling 7": "The referee agreed to a proposal that was not open to it.",
      "ruling 8": "The referee opened other envelopes than those that were selected, or with keys that do not fit.",
      "ruling 9": "The referee opened what he may not open.",
      "ruling 10": "The referee took back dice of a course, which only the players can.",
      "ruling 11": "Dice were forfeited that the referee or the office can open, or that the claim is not about.",
      "ruling 13": "The referee agreed to a redo after somebody had, or could have, seen later dice.",
      "receipt 1": "A receipt says that keys are held of a set that breaks a rule, or that are held already.",
      "receipt 2": "The office hands back what it does not hold.",
      "receipt 3": "The office’s clock goes backwards.",
      "receipt 4": "The referee’s receipt names a set whose keys the terms do not give to a referee.",
      "receipt 5": "The office’s receipt names a set that is not its to open, or was sealed without knowing its epoch.",
    } as Readonly<Record<string, string>>,
  },

  missing: {
    heading: "Letters that are missing",
    known: (who: string, number: number | null): Line => (number === null ? say`A letter by ${who}` : say`Letter ${number} by ${who}`),
    unknown: say`A letter`,
    named: (names: readonly Line[]): Line => say`named by ${join(names)}`,
    ask: (who: string): Line => say`Ask ${who} to send it again, or anybody who has it.`,
    anybody: say`Ask whoever may have it.`,
  },

  open: {
    heading: "What is open, and what to know",
    what(matter: OpenMatter, who: string, about: Line): Line {
      switch (matter.what) {
        case "compared":
          return say`The players have not both said that they compared their keys by voice: whoever carried the first letters may have put in their own.`;
        case "names":
          return say`${who} may name the dice that were forfeited: ${about}.`;
        case "reveal":
          return say`${who} is to open what was declared in ${about}.`;
        case "epoch":
          return say`The office was restored from a backup, ${about}: it opens nothing more of what it held before.`;
        case "contribution":
          return say`The rolls of ${about} are private; only ${who} knows them so far.`;
        case "again":
          return say`To know: ${matter.text}.`;
        case "redo":
          return say`${who} is to declare again: ${about}.`;
        case "note":
          return say`${who} is to open the sealed note of ${about}.`;
        case "more":
          return say`${who} is to roll on in the slot of ${about}.`;
        case "next":
          return say`${who} declares next, after ${about}.`;
        case "decide":
          return say`${who} is to decide what the dice of ${about} leave to him.`;
        case "answer":
          return say`${who} is to accept or refuse what is proposed in ${about}.`;
        case "claim":
          return who === "" ? say`A dispute stands: ${about}.` : say`It is claimed that ${who} does not answer: ${about}.`;
        case "forfeit":
          return say`${who} forfeits the game: ${about}.`;
        case "sheet":
          return say`${about} rests on a sheet that is open, and that was not run again here: sealed-dice audit does that, and the Python checker.`;
        case "unproved":
          return say`${about} rests on a sheet of ${who}’s that is not opened.`;
        case "masters":
          return say`${who} owes the remaining keys after the close in ${about}.`;
        default:
          return [matter.text];
      }
    },
  },

  days: {
    heading: "Whether the days of a ruling had passed",
    legend: "A referee rules a forfeit, or opens what was deposited, once the days of the terms have passed since his request. The office’s clock can show it or contradict it; the ruling is valid either way.",
    what({ at_least, at_most, days, word }: DaysEntry): string {
      const least = at_least === null ? "" : `at least ${span(at_least)}`;
      const most = at_most === null ? "" : `at most ${span(at_most)}`;
      const known = [least, most].filter((one) => one !== "").join(", ");
      const of = count(days, "day", "days");
      if (word === "shown") return `${of}: shown by the office’s clock (${least})`;
      if (word === "contradicted") return `${of}: contradicted by the office’s clock (${most})`;
      return `${of}: the referee’s word${known === "" ? "" : ` (by the office’s clock ${known})`}`;
    },
  },

  office: {
    heading: "What the office holds",
    legend: "An office opens at once what a declaration has earned. It can look ahead, and alone it can choose no die; together with the player who declares it can choose every die, and nothing shows it. What it opened it has signed.",
    table: "Sets that were deposited with the office",
    set: "Set",
    purpose: "For",
    sealer: "Sealed by",
    since: "Held since",
    opened: "Opened",
    until: "Taken back",
    nothing: "nothing",
    no: "no",
    opens: (letters: readonly Line[]): Line => (letters.length === 0 ? say`The office opens it.` : say`The office opened it, in ${join(letters)}.`),
  },

  timeline: {
    heading: "The game, letter by letter",
    order: "In the order in which the letters build on one another. Dates are those of the mails: anybody can write what he likes there.",
    before: "Before play",
    turn: (turn: number): string => `Turn ${turn}`,
    unplaced: "Letters that wait for missing ones",
    letter: (who: string, number: number): Line => say`${who}, letter ${number}`,
    letterOf: (who: string, number: number): Line => say`${who}’s letter ${number}`,
    source: (file: string, line: number): Line => say`in ${file}, line ${line}`,
    claimed: (date: string, from: string | null): Line => (from === null ? say`in a mail that says it is of ${date}` : say`in a mail that says it is of ${date}, from ${from}`),
    times: (n: number): Line => say` and ${[count(n, "more time", "more times")]}`,
    raw: "The letter as it was signed",
    id: "id",
    breach: (rule: string): Line => say`breaks ${rule}`,
    detached: "does not count",
    fallen: "on a branch that fell; it changes nothing",
    passedOver: "changes nothing: what it was decided on was taken back",
    waits: "waits for a missing letter",
    moves: "Moves",
    noMoves: "no moves are stated",
    files: "Files",
    file: (name: string, length: number): Line => say`${name}, ${length} bytes`,
    sealedMoves: say`in a sealed note`,
  },

  roll: {
    heading: (slot: string): Line => say`Rolls of ${slot}`,
    stages: {
      "in breach": "it yields no dice; this is what its list would give",
      "without rolls": "no dice",
      waits: "the envelopes are not opened yet",
      private: "private: only the declarer knows these dice so far",
      shown: "",
      forfeited: "forfeited: the declarer may name the dice",
      named: "forfeited: the declarer named these dice",
    } satisfies Record<Stage, string>,
    /** Of a hidden course: what its declarer rolls, nobody else reads before the end. */
    hidden: {
      "in breach": "it changes nothing; this is what it says",
      "without rolls": "",
      waits: "the envelope is not opened yet",
      private: "",
      shown: "",
      forfeited: "its dice are forfeited: the declarer’s next sheet may name them",
      named: "",
    } satisfies Record<Stage, string>,
    sheets: {
      open: "As stated. The sheet that it rests on is open, and was not run again here.",
      sealed: "As stated. The sheet that it rests on is sealed.",
    },
    worksheet: "Worksheet",
    hexes: "Hexes, their values",
    odds: "Odds",
    product: "Value × odds",
    place: "Envelope, row",
    cell: "Cell",
    reason: "What for",
    die: "Die",
    attack: "Attack",
    byHand: "By hand",
    byHandLabel: (why: string): string => `Recompute by hand: ${why}`,
    total: (total: number, envelopes: number, index: number): string => `Total ${total}; ${total} divided by ${envelopes} leaves ${index}: envelope ${index}.`,
    envelope: (index: number, row: number): string => `${index}, row ${row}`,
    redo: (index: number): string => `Declared again: the dice are those of foul-up envelope ${index}.`,
    redoPlace: (index: number, line: number): string => `foul-up ${index}, line ${line}`,
    stillNeeds: ({ by, name }: { readonly by: string; readonly name: string | null }, person: (role: string) => string): Line => (name === null ? say`${person(by)} is to roll on.` : say`${person(by)} is to decide: ${name}.`),
    /** What happened in a turn of event tables: an entry of the log, or a text of the table file. */
    happened(entry: Json): Line | null {
      if (!isObject(entry)) return null;
      const get = (name: string): string => shown(entry[name] ?? null);
      const those = (name: string): string => shown(entry[name] ?? []);
      if (field(entry, "say") !== undefined) return say`“${get("say")}”`;
      if (field(entry, "table") !== undefined) {
        const house = entry["source"] === "user" ? [] : say` (the rows are: ${get("source")})`;
        const changed = entry["modifier"] === 0 ? [] : say`, changed by ${get("modifier")}`;
        const row = entry["row"] === null ? [] : say` in the row ${get("row")} for ${get("by")}`;
        return say`On the table ${get("table")}${house}: ${those("dice")}${changed}${row}, which is ${get("cell")}: ${get("to")}.`;
      }
      if (field(entry, "die") !== undefined) return say`The die ${get("die")}: ${those("dice")}${entry["word"] === null ? [] : say`, which is ${get("word")}`}.`;
      if (field(entry, "picked") !== undefined) return entry["draw"] === null ? say`Only ${get("picked")} can be meant.` : say`By chance, out of ${those("pool")}: ${get("picked")}.`;
      if (field(entry, "ask") !== undefined) return say`The ${get("by")} side decides ${get("ask")}: ${those("value")}.`;
      if (field(entry, "mark") !== undefined) return entry["on"] === null ? say`${get("mark")} is ${get("value")} now.` : say`${get("on")}: ${get("mark")} is ${get("value")} now.`;
      const why = ENDS[get("void")];
      return why === undefined ? say`${get("end")} is done.` : say`No event${entry["end"] === null ? [] : say` (${get("end")})`}: ${[why]}.`;
    },
    course({ awaits, bar, first, flux, holder }: InitiativeView, person: (role: string) => string): Line {
      const marks = bar.length === 0 ? say`The Bar is empty.` : say`On the Bar: ${bar.join(", ")}.`;
      if (awaits !== null) return say`${person(awaits.by)} is to decide: ${awaits.name}. ${marks}`;
      const holds = holder === null ? say`Nobody holds the initiative` : say`${person(holder)} holds the initiative`;
      return say`${first === null ? "" : person(first)} goes first. ${holds}${flux ? "; the next turn is in Flux" : ""}. ${marks}`;
    },
    dieLabel: (sides: number, value: number): string => `die of ${sides}: ${value}`,
    unknown: "not known",
    none: "none",
    value: (value: number): string => `= ${value}`,
    fallen(fallen: FallenRoll, called: (id: string) => Line): Line {
      if (fallen.how === "passed over") return say`does not count: what the turn followed from was taken back`;
      const by = called(fallen.by);
      const reason = fallen.reason === "" ? [] : say`: “${fallen.reason}”`;
      if (fallen.how === "redo") return say`does not count: rolled again by ${by}`;
      return fallen.how === "ruled" ? say`void by ruling, ${by}${reason}` : say`void by agreement, ${by}${reason}`;
    },
  },

  sheet: {
    heading: "ICRK sheets",
    caption: (sealer: string, declarer: string, purpose: string): Line => say`${purpose}, sealed by ${sealer} for ${declarer}’s rolls`,
    summary: (used: number): string => `${used} of 400 cells are used.`,
    legend: "A tick and a number: used, with what it gave. Dots: named, and not opened yet. A circle: opened or skipped without a roll. Empty: still sealed.",
    corner: "row",
    used: "✓",
    named: "…",
    open: "○",
    usedLabel: (value: number): string => `used: ${value}`,
    namedLabel: "named, not opened",
    openLabel: "open without a roll",
  },

  byHand: {
    heading: (why: string): Line => say`By hand: ${why}`,
    none: "There is nothing to recompute: the keys are not all opened, or the dice were named by forfeit.",
    lead: "Every value that goes into this roll. Whoever doubts this page repeats each step with other tools: a pocket calculator for the worksheet, and openssl for the rest.",
    worksheet: "1. Which envelope",
    worksheetNone: "The declaration names its place itself: there is no worksheet.",
    sheetCell: (cell: string, column: number, row: number): string => `Cell ${cell}: column ${column} (counted from 0), row ${row}.`,
    house: "The house chart gives a hex 1 + (((r + 4)² + 7 × d + 2) mod 10), with r the number of its row (A is 1, AA is 27) and d its last digit; mod 10 is the last digit of what stands before it.",
    table: "The values of the hexes stand in the chart of the terms.",
    chart: (hex: string, row: number, digit: number, value: number): string => {
      const before = (row + 4) ** 2 + 7 * digit + 2;
      return `${hex}: r = ${row}, d = ${digit}; ${row + 4}² + 7 × ${digit} + 2 = ${before}; 1 + ${before % 10} = ${value}`;
    },
    sum: (hexes: readonly string[], values: readonly number[], value: number, multiplier: number, product: number): string => `${hexes.join(", ")}: ${values.length > 1 ? `${values.join(" + ")} = ${value}; ` : ""}${value} × ${multiplier} = ${product}`,
    place: (why: string, envelope: number, row: number): Line => say`${why} takes envelope ${envelope}, row ${row}.`,
    key: "2. The key, and whether it fits",
    revealed: (by: Line): Line => say`The key was opened by ${by}:`,
    published: "What was sealed beforehand, in the seal:",
    recomputed: "What the key gives (below):",
    fits: "They are equal.",
    unfit: "They differ!",
    ids: "The letters that enter",
    seal: "id of the seal",
    declaration: "id of the declaration",
    contribution: "the declarer’s own share",
    context: "what the set is for, as bytes (A of the set)",
    hashes: "3. The hashes",
    hash: (name: string, tag: string): Line => say`${name} (tag ${tag})`,
    items: "What goes in",
    command: "Command",
    gives: "It gives",
    stream: "4. From the stream to the die",
    streamLead: "The key of the line makes a stream; its bytes are read in fours, the lowest first.",
    word: "Word",
    decimal: "As a number",
    result: "Result",
    refused: "refused: too near the end to be fair",
    taken: (sides: number, rest: number): string => `leaves ${rest} when divided by ${sides}: ${rest + 1}`,
    value: (value: number): string => `The roll is ${value}.`,
    minusOne: "A die of ten reads 0 to 9: less 1.",
  },

  save: { heading: "Keep the report", save: "Save the report", print: "Print", data: "Save it for programs (JSON)", file: "sealed-dice-audit", made: (when: string): string => `Made by the audit page of sealed-dice on ${when}, by the clock of the computer.` },

  foot: {
    about: (version: string, sha256: string): string => `sealed-dice ${version}. The script of this page has the SHA-256 ${sha256}.`,
    compare: "A page that was altered can show any number here. Compare the SHA-256 of the whole file with the one that is published with the release.",
    source: "Save the source of the checker",
    file: "sealed-dice-checker.js",
  },

  step(step: string): string {
    return step === "reveal" ? "an opening" : step === "declare" ? "a declaration" : "an answer";
  },
} as const;

/** What a letter says, in a sentence. `name` says who a role is, `letter` which letter an id is. */
export function describe(content: Content, name: (role: string) => string, letter: (id: string) => Line, slot: (slot: { turn: number; impulse: number; phase: string; number: number }) => string): Line {
  switch (content.kind) {
    case "charter":
      return say`the terms of “${content.body.title}”`;
    case "accept":
      return say`accepts the terms in ${letter(content.body.charter)}`;
    case "seal":
      return say`seals ${[SETS[content.body.kind] ?? ""]}: ${content.body.purpose}, ${[count(content.body.n, "place", "places")]}, for ${name(content.body.declarer)}`;
    case "declare":
      return content.body.redo === null ? say`declares ${slot(content.body.slot)}` : say`declares ${slot(content.body.slot)} again, for ${letter(content.body.redo.value)}`;
    case "reveal":
      return content.body.declaration === null ? say`opens sealed orders, ${letter(content.body.seal)}` : say`opens ${[count(content.body.keys.length + content.body.sheets.length, "place", "places")]} of ${letter(content.body.seal)} for ${letter(content.body.declaration)}`;
    case "decide":
      return say`decides ${content.body.name} for ${slot(content.body.slot)}: ${clipped(JSON.stringify(content.body.value))}`;
    case "correct":
      switch (content.body.is) {
        case "propose":
          return say`proposes a correction of ${letter(content.body.value.declaration)} (${content.body.value.class}): “${content.body.value.reason}”`;
        case "void":
          return say`asks that dice do not count: “${content.body.value.reason}”`;
        case "accept":
          return say`accepts the proposal in ${letter(content.body.value)}`;
        case "refuse":
          return say`refuses the proposal in ${letter(content.body.value)}`;
      }
      break;
    case "claim":
      switch (content.body.is) {
        case "stall":
          return say`claims that ${name(content.body.value.owes)} owes ${[TEXTS.step(content.body.value.step)]}${content.body.value.letter === null ? [] : say` for ${letter(content.body.value.letter)}`}${content.body.value.text === "" ? [] : say`: “${content.body.value.text}”`}`;
        case "dispute":
          return say`disputes ${join(content.body.value.letters.map(letter))}: “${content.body.value.text}”`;
        case "withdraw":
          return say`withdraws ${letter(content.body.value)}`;
        case "yield":
          return content.body.value.declaration === null ? say`gives up the game${content.body.value.text === "" ? [] : say`: “${content.body.value.text}”`}` : say`cannot open ${letter(content.body.value.declaration)} any more, and yields the dice`;
        case "names":
          return say`names the dice of ${letter(content.body.value.declaration)}: ${content.body.value.dice.slice(0, 100).join(", ")}`;
      }
      break;
    case "ruling": {
      const { rule, text } = content.body;
      const why = text === "" ? [] : say`: “${text}”`;
      switch (rule.is) {
        case "request":
          return say`asks for what ${letter(rule.value)} claims${why}`;
        case "forfeit":
          return rule.value.forfeit === "game" ? say`rules that the game is forfeited${why}` : say`rules that the declarer names the dice${why}`;
        case "void":
          return say`rules that dice do not count${why}`;
        case "kill":
          return say`rules that ${letter(rule.value)} is not used any more${why}`;
        case "settle":
          return say`settles ${letter(rule.value)}${why}`;
        case "dismiss":
          return say`dismisses ${letter(rule.value)}${why}`;
        case "agree":
          return say`agrees to ${letter(rule.value)} in the other player’s place${why}`;
        case "open":
          return say`opens what was deposited, by ${letter(rule.value.request)}${why}`;
      }
      break;
    }
    case "receipt":
      switch (content.body.is) {
        case "deposit":
          return say`holds the keys of ${join(content.body.value.seals.map(letter))}`;
        case "hand_back":
          return say`hands back ${join(content.body.value.seals.map(letter))}, and opens no more of it`;
        case "epoch":
          return say`begins a new epoch, after a restore, at ${[moment(content.body.value.at)]} by its clock`;
        case "time":
          return say`says that its clock shows ${[moment(content.body.value.at)]}`;
      }
      break;
    case "resync":
      return content.body.is === "answer" ? say`says which letter of the other’s came last` : say`asks which letter came last`;
    case "deposit":
      return say`deposits keys`;
    case "withdraw":
      return say`withdraws the terms`;
    case "close":
      return say`closes the game${content.body.masters === null ? [] : [", and publishes all keys"]}${content.body.result === null ? [] : say`: “${content.body.result}”`}`;
  }
}

/** What to do about a finding. */
export function advice(view: FindingView, who: string, settledBy: Line | null): Line {
  const { finding, rule, excused, fork, accepts, slot } = view;
  if (settledBy !== null) return TEXTS.findings.settled(settledBy);
  if (excused) return TEXTS.findings.excused;
  if (accepts) {
    return say`Show it to all who play, and agree on the one game that goes on. ${who}, or whoever has the key or a backup of it, has begun two with the same terms.`;
  }
  if (fork) {
    return finding.culprit === null
      ? TEXTS.findings.restored
      : say`Show it to all who play. Whoever has the key of ${who}, or a backup of it, can have done this: a folder that was restored looks the same as a second try, or as a theft. What others signed after one of the letters says which one stands: openings, declarations, named dice and final keys before all else. Where nobody has signed after any of them, the other player chooses one by what they sign next; where such letters disagree none stands, and the players may begin another game. A referee who knows all of the letters can settle a player’s.`;
  }
  if (finding.code === "game") return say`Set it aside. It blames nobody, for anybody could have made it; one key holds for a whole game.`;
  if (finding.code !== "rule" && finding.code !== "chain") return say`Ask the sender for this mail again. Until then it counts as not received; it blames nobody.`;
  if (rule === "declare 15") return say`${who} declares ${slot ?? ""} again from the foul-up set, with what the state allows; then it is settled.`;
  if (/^declare (?:[3-9]|10)$/.test(rule)) return say`${who} declares ${slot ?? ""} again from the foul-up set, with the same moves and attacks; then it is settled.`;
  if (rule.startsWith("declare")) return say`It yields no dice, and is not declared again. The players go on with the next number; a referee can settle it.`;
  if (rule === "close 3" || rule === "reveal 5") return say`What was opened is not what was sealed. Only ${who} can open it; show both letters to him and to the referee.`;
  if (rule.startsWith("reveal")) return say`${who} still owes the right opening, and nothing else. What was opened unasked is spent.`;
  if (rule.startsWith("charter")) return say`No game begins with this. Agree on new terms.`;
  return say`The letter changes nothing. ${who} can sign what the rules allow; a referee can settle it.`;
}

/** The one sentence on a game. */
/** What a verified game rests on, and only what is so: each breach is settled, each die sealed or named after a forfeit. */
function verifiedOf(game: GameView, name: (role: string) => string): Line {
  const { verdict: texts } = TEXTS;
  const people = (roles: readonly string[]): Line => join([...new Set(roles)].sort().map((role) => [{ foreign: name(role) }]));
  const culprits = game.findings.flatMap(({ finding }) => finding.culprit ?? []);
  const breaches = culprits.length > 0 ? texts.settled(culprits.length, people(culprits)) : game.findings.length > 0 ? texts.unblamed : texts.unbroken;
  const authors = new Map(game.letters.map((letter) => [letter.id, letter.author]));
  const dice = game.declarations.flatMap(({ id, rolls }) => rolls.flatMap((roll) => roll.dice.map(() => (roll.named ? (authors.get(id) ?? "") : null))));
  const named = dice.filter((by) => by !== null);
  const said =
    dice.length === 0 ? texts.noDie : named.length === 0 ? texts.sealed : named.length === dice.length ? texts.allNamed(named.length, people(named)) : texts.someNamed(named.length, people(named));
  return texts.verified(game.letters.length, breaches, said);
}

export function verdictOf(game: GameView, name: (role: string) => string): Line {
  const { verdict: texts } = TEXTS;
  if (game.verdict === "verified") return verifiedOf(game, name);
  const numberOf = new Map(game.letters.map((letter) => [letter.id, letter.number]));
  if (game.verdict === "refuted") {
    const [broken, forked] = [new Map<string, number[]>(), new Map<string, number[]>()];
    for (const { finding, fork } of game.findings) {
      if (finding.culprit === null || finding.settled_by !== null) continue;
      const number = numberOf.get(finding.message_ids[0] ?? "") ?? 1;
      add(fork ? forked : broken, finding.culprit, number);
    }
    const each = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b);
    return texts.refuted([
      ...[...forked].map(([who, numbers]) => texts.forked(name(who), texts.numbered("number", "numbers", each(numbers)))),
      ...[...broken].map(([who, numbers]) => texts.broke(name(who), texts.numbered("letter", "letters", each(numbers)))),
    ]);
  }
  if (game.id === null) return texts.undecided(texts.unaccepted);
  if (game.missing.length > 0) return texts.undecided(texts.missing(game.missing.length));
  if (game.findings.some(({ finding }) => finding.culprit !== null && finding.settled_by === null)) return texts.undecided(texts.waiting);
  if (game.open.some((one) => one.what === "claim")) return texts.undecided(texts.claims);
  if (!game.complete && game.days.some((one) => one.word === "contradicted")) return texts.undecided(texts.days);
  const unrun = game.open.filter((one) => one.what === "sheet").length;
  return texts.undecided(unrun > 0 ? texts.unrun(unrun) : texts.branches);
}
