/** Every sentence of the page. To translate the page, translate this file. */
import type { Content } from "../kinds.js";
import type { DaysEntry, OpenMatter, Verdict } from "../report.js";
import { add } from "../lists.js";
import { say, type Line } from "./dom.js";
import { field, isList, isObject, type Json } from "../json.js";
import type { InitiativeView, FallenRoll, FindingView, GameView, Stage } from "./model.js";
import type { Step } from "./protocol.js";

/** Progress in bytes: "340 of 812 kB", "12.3 of 124 MB". */
function bytesOf(done: number, total: number): string {
  if (total < 1e6) return `${Math.round(done / 1e3)} of ${Math.round(total / 1e3)} kB`;
  return `${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(total < 99.95e6 ? 1 : 0)} MB`;
}

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** Joins items in a sentence: "a", "a and b", "a, b and c". */
export function join(items: readonly Line[]): Line {
  return items.flatMap((item, i) => (i === 0 ? item : [i === items.length - 1 ? " and " : ", ", ...item]));
}

/** The sealed set of a letter. */
function sealed(kind: string, n: number, purpose: string, declarer: string): Line {
  switch (kind) {
    case "plain":
      return say`seals an envelope for ${purpose} (declarer: ${declarer})`;
    case "sheet":
      return say`seals a sheet of ${n} cells, ${purpose} (declarer: ${declarer})`;
    case "foul-up":
      return say`seals ${[count(n, "envelope", "envelopes")]} for foul-ups, ${purpose} (declarer: ${declarer})`;
    case "contribution":
      return say`seals ${[count(n, "share", "shares")]} for private dice, ${purpose}`;
    case "note":
      return say`seals a note, ${purpose}`;
    default:
      return say`seals ${[count(n, "envelope", "envelopes")]} for ${purpose} (declarer: ${declarer})`;
  }
}

/** The beginning of a text. The signed letter, which the page also shows, has all of it. */
function clipped(text: string): string {
  return text.length > 300 ? `${[...text].slice(0, 300).join("")}…` : text;
}

/** Writes a time, given in seconds since 1970. */
function moment(at: number): string {
  return new Date(at * 1_000).toISOString().replace("T", " ").replace(/\.000Z$/, " UTC");
}

/** A length of time to the second. Rounding it could contradict the number of days that stands beside it. */
function span(seconds: number): string {
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60];
  const parts = [[days, "day"], [hours, "hour"], [minutes, "minute"], [seconds % 60, "second"]] as const;
  const said = parts.filter(([n]) => n > 0).map(([n, unit]) => count(n, unit, `${unit}s`));
  return said.length === 0 ? "no time" : said.join(", ");
}

/** A value that players wrote or that a table file names, as text. */
function shown(value: Json): string {
  if (isList(value)) return value.length === 0 ? "none" : value.map((one) => (isList(one) ? one.map(shown).join(" ") : shown(one))).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Why there is no event. */
const ENDS: Readonly<Record<string, string>> = {
  nothing: "the row of the table says so",
  when: "it does not apply now",
  limit: "it has already happened as often as it can",
  nobody: "it could not happen to anybody",
  stop: "it does not take place",
};

export const TEXTS = {
  language: "en",
  title: "Sealed dice: check a game",
  lead: "Drop the mails of a game here. The page shows whether the dice were fair and whether the letters kept the rules.",
  privacy: "Everything you drop here stays on this computer. The page runs in your browser, its security policy forbids all connections, and it works without a network.",
  skip: "Skip to the verdict",

  intake: {
    heading: "The letters",
    drop: "Drop mails here: .eml, .mbox, text files or whole folders, as many as you like.",
    files: "Choose files",
    folder: "Choose a folder",
    paste: "Or paste letters or whole mails",
    check: "Check what I pasted",
    again: "Start over",
    pasted: (n: number): string => (n === 1 ? "pasted text" : `pasted text ${n}`),
    nothing: "Paste something first.",
    more: "You can add more at any time, in any order. The same letter twice counts once.",
  },

  progress: {
    heading: "Progress",
    begun: "Reading",
    stop: "Stop",
    stopped: (before: boolean): Line => [before ? "Stopped. The report below does not include what you added last." : "Stopped before anything was judged. You can choose other files now."],
    steps: {
      reading: (done: number, total: number): string => `Reading: ${bytesOf(done, total)}`,
      checking: (done: number, total: number): string => `Checking signatures: ${done} of ${count(total, "letter", "letters")}`,
      judging: (_done: number, total: number): string => `Judging ${count(total, "letter", "letters")}`,
    } satisfies Record<Step, (done: number, total: number) => string>,
    /** The amount of work below which progress is not spoken, because it ends before a screen reader has read it out. */
    short: { reading: 10_000_000, checking: 200, judging: 200 } satisfies Record<Step, number>,
    showing: "Showing the games",
    done: (letters: number, seconds: string): string => `${count(letters, "letter", "letters")} checked in ${seconds} s.`,
    failed: (why: string): Line => say`The page failed because of an error of its own. Reload it, or use another checker. The error: ${why}`,
  },

  files: {
    heading: "Added",
    table: "Files that were read",
    name: "File",
    letters: "Letters",
    damaged: "Damaged",
    notes: "Note",
    none: "contains no letters",
    unreadable: "could not be read: check that it still exists, and add it again",
    packed: "packed (.zip or .gz): unpack it, and drop the unpacked files here",
    secret: "contains a secret key",
    warning: (name: string): Line =>
      say`${name} contains a secret key, and others may have it now. Its owner should tell the other players, and continue in a new game with a new key.`,
    summary: (files: number, letters: number): string => `${count(files, "file", "files")}, ${count(letters, "letter", "letters")}`,
  },

  verdict: {
    heading: "Verdict",
    words: { verified: "Verified", refuted: "Refuted", undecided: "Undecided" } satisfies Record<Verdict, string>,
    signs: { verified: "✓", refuted: "✗", undecided: "?" } satisfies Record<Verdict, string>,
    nothing: "No letters were found. A letter starts with the line BEGIN SEALED DICE MESSAGE and ends with the line END SEALED DICE MESSAGE.",
    verified: (letters: number, breaches: Line, dice: Line): Line => say`Verified: in the ${[count(letters, "letter", "letters")]} on hand, ${breaches}, and ${dice}.`,
    unbroken: say`nobody broke a rule of sealed-dice`,
    unblamed: say`nobody is shown to have broken a rule`,
    settled: (breaches: number, who: Line): Line => (breaches === 1 ? say`the one breach, by ${who}, was settled` : say`${[breaches === 2 ? "both" : `all ${breaches}`]} breaches, by ${who}, were settled`),
    noDie: say`no die is shown`,
    sealed: say`every die is the one that was sealed`,
    allNamed: (dice: number, who: Line): Line => say`the ${[count(dice, "die was", "dice were")]} named by ${who} after a forfeit`,
    someNamed: (dice: number, who: Line): Line => say`${[count(dice, "die was", "dice were")]} named by ${who} after a forfeit and every other die is the one that was sealed`,
    refuted: (culprits: readonly Line[]): Line => say`Refuted: ${join(culprits)}.`,
    broke: (who: string, letters: string): Line => say`${who} broke a rule in ${[letters]}`,
    forked: (who: string, numbers: string): Line =>
      say`${who}, or someone who has their key or a backup of it, signed two different letters with the ${[numbers]}`,
    undecided: (why: Line): Line => say`Undecided: ${why}.`,
    missing: (n: number): Line => say`${[n === 1 ? "a letter named by other letters is missing" : `${n} letters named by other letters are missing`]}; nobody is blamed for that`,
    waiting: say`a breach is not corrected yet: the reveal that would settle it is still owed`,
    claims: say`a claim is open, and the letters do not show who is right`,
    days: say`the office’s clock and the referee disagree on how many days had passed; nobody is blamed for that`,
    branches: say`the letters fork into more branches than a game can have`,
    unrun: (n: number): Line => say`${[count(n, "declaration rests", "declarations rest")]} on opened sheets, and this page does not work sheets out again; run sealed-dice audit or the Python checker for that`,
    unproved: (n: number): string => `${count(n, "declaration rests", "declarations rest")} on sheets that are still sealed. Nobody can check what ${n === 1 ? "it states" : "they state"} before the close opens the sheets.`,
    unaccepted: say`these letters are damaged, or they do not belong to any game here`,
    complete: "The game is complete: both players have closed it, and every envelope is the one that was sealed.",
    incomplete: "The game is not complete, and more letters may follow.",
    heads: (heads: readonly Line[]): Line => say`Up to ${join(heads)}.`,
    head: (who: string, number: number, id: string): Line => say`${who}’s letter ${number} (${[id]})`,
    limits: "No program can check whether the moves were legal on the map, when letters were really sent, or why a player is silent.",
    several: (games: number): string => `${count(games, "game", "games")} in these letters`,
    each: { verified: "verified", refuted: "refuted", undecided: "undecided" } satisfies Record<Verdict, string>,
    numbered: (one: string, more: string, numbers: readonly number[]): string =>
      numbers.length === 1 ? `${one} ${numbers[0] ?? 0}` : `${more} ${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1) ?? 0}`,
  },

  game: {
    untitled: "A game whose terms are missing",
    loose: "Letters that do not belong to any game here",
    people: "Who plays",
    player: "player",
    referee: "referee",
    office: "office; opens envelopes immediately",
    witness: "office; a time witness, which keeps the time, holds no keys, and cannot open anything",
    fingerprint: "key fingerprint",
    id: "Game id",
    contents: "On this page",
  },

  continues: {
    of: "This game continues another one: ",
    absent: "The old game is not here, or some of the letters that this game continues from are missing. Add all letters of the old game to compare the two. ",
    nothingBehind: "It continues from the last letters of the old game. ",
    behind: (n: number): string => `It continues from earlier letters. After them, the old game has ${count(n, "more letter", "more letters")}, which no longer ${n === 1 ? "counts" : "count"}: `,
    nothingOpen: "At that point, every declaration had its dice. ",
    open: "These declarations had no dice yet at that point, and dice opened later do not count in this game: ",
    sameStates: "Its courses begin with the states they had at that point. ",
    otherStates: "Its courses do not begin with the states they had at that point: its terms set other states. ",
    noStates: "It does not take over any state of the old game. ",
    keys: (people: readonly string[]): Line =>
      people.length === 1
        ? say`Only ${people[0] ?? ""} signs with the same key as in the old game. `
        : say`${join(people.map((one) => [{ foreign: one }]))} sign with the same keys as in the old game. `,
    noKeys: "No player signs with the same key as in the old game. ",
    others: (n: number): string => (n === 1 ? "Another game also continues the old game: " : `${n} other games also continue the old game: `),
    more: (n: number): string => ` and ${n} more`,
  },

  findings: {
    heading: "Findings",
    none: "Nothing.",
    letter: "Letter",
    fault: "Fault",
    nobody: "Nobody is blamed.",
    what: "What happened",
    checker: "Details",
    todo: "What to do",
    settled: (letter: Line): Line => say`Nothing more: it was settled by ${letter}.`,
    excused: say`Nothing to do: this letter may have been valid where it was signed. Its author had seen two letters that contradict each other, and nothing yet that decides which one counts.`,
    restored: say`Nothing to do: the office was restored from a backup, and it said so by starting a new epoch. The letters it signed earlier still count.`,
    beside: "Side by side",
    offending: "The letter",
    other: "The other letter",
    related: "The letter it refers to",
    expected: "What the rules give",
    differs: "differs",
    lettersOf: (n: number): string => `${n} letters`,
    classes: {
      size: "A letter is too long.",
      armour: "A letter was damaged on its way: the block between BEGIN and END is not whole.",
      frame: "The block between BEGIN and END is not a letter.",
      key: "A letter is signed with an invalid key.",
      json: "The text of a letter is damaged.",
      canonical: "The text of a letter is not written in the one permitted form.",
      fields: "A letter does not have the fields that its kind requires.",
      signature: "The signature does not match the letter. The letter was altered or damaged on its way, or somebody else signed it.",
      game: "A letter is not signed with the key that its author has in this game.",
      chain: "One author signed letters that contradict each other: they follow the same earlier letter.",
      rule: "A letter breaks a rule.",
    } as Readonly<Record<string, string>>,
    rules: {
      "chain 2": "A letter does not follow the letter before it by the same author.",
      "chain 3": "A letter goes back on what its author had already seen, or names the wrong author’s letter as seen.",
      "chain 6": "A letter names a letter that its author had not seen.",
      "charter 6": "The terms contradict themselves.",
      "charter 26": "The terms give a course a state that it cannot begin with.",
      "charter 16": "The acceptance does not match the terms.",
      "letters 3": "A player signed this letter after they closed the game.",
      "letters 4": "The author’s role may not sign this kind of letter.",
      "letters 5": "A letter names another letter of the wrong kind.",
      "seal 1": "A set names the wrong declarer, or the wrong role to open it.",
      "seal 2": "A set has the wrong number of envelopes.",
      "seal 3": "A set was sealed for a purpose that does not exist in this game.",
      "seal 4": "A second set was sealed for the same purpose.",
      "seal 5": "The same envelope was sealed twice.",
      "declare 1": "The phase does not exist here, or somebody else declares it.",
      "declare 2": "The author had to declare something again first: a breach, or an agreed redo.",
      "declare 3": "The sealed moves do not belong to this declaration.",
      "declare 4": "The list of attacks or rolls is not written as the terms require.",
      "declare 5": "The declaration asks for envelopes without a roll, or for a roll without envelopes.",
      "declare 6": "The dice were taken from the wrong set.",
      "declare 7": "A choice that must come before the roll was missing.",
      "declare 8": "The declarer’s own share of the dice was used before, or has the wrong form.",
      "declare 9": "These are not the envelopes or cells that the rules select.",
      "declare 10": "The envelopes had already been opened or used.",
      "declare 11": "The redo of a breach is not what had to be declared again.",
      "declare 12": "The redo is not what the players agreed.",
      "declare 13": "No envelope had been opened unasked, so nothing calls for new dice.",
      "declare 14": "The course was at another point, or awaited something else.",
      "declare 15": "The state of the course does not allow this declaration.",
      "declare 16": "The author declared this before their own proposal was answered, or before a redo that is due.",
      "declare 17": "An earlier part of the turn was still open.",
      "declare 18": "An earlier part of the turn was still open, or the author had already rolled for a later one.",
      "declare 19": "The author declared this while their own proposal to roll again was unanswered.",
      "declare 20": "This slot was already declared, is out of turn, or is closed after a breach that nothing can repair.",
      "declare 21": "The slot comes before one that the author had already declared.",
      "reveal 1": "The author may not open these envelopes.",
      "reveal 2": "Envelopes of the wrong set were opened.",
      "reveal 3": "Envelopes were opened for a declaration that breaks a rule.",
      "reveal 4": "The opened envelopes are not the selected ones.",
      "reveal 5": "A key does not match what was sealed.",
      "reveal 6": "A private share or a standing note was opened too early.",
      "reveal 7": "Orders were opened before the other player had sealed theirs.",
      "reveal 8": "A player opened dice that the office was to open.",
      "decide 1": "The author may not make this choice.",
      "decide 2": "The same choice was made twice.",
      "decide 3": "The choice came after the declaration of its slot.",
      "decide 4": "The choice was not awaited from this author, belongs to another point of the course, or came before their own proposal was answered.",
      "decide 5": "The state of the course does not allow this choice.",
      "courses 19": "Sealed orders break the rules of the game. The illegal orders were not carried out.",
      "correct 1": "A correction was proposed for dice that are unknown or do not count.",
      "correct 2": "A correction asks for new dice that the terms do not give.",
      "correct 3": "A second proposal was made before the first was answered.",
      "correct 4": "The answer is to a proposal that could no longer be answered.",
      "correct 5": "A proposal would void dice that cannot be voided.",
      "correct 6": "Dice were to be rolled again after somebody had played on with knowledge of them.",
      "correct 7": "A player accepted a redo when they could already have seen later dice from the office.",
      "close 1": "A player published their keys before the other player had closed.",
      "close 2": "The closing keys do not cover every set once, in order.",
      "close 3": "At the close, an envelope was not what had been sealed.",
      "claim 1": "A claim of a stall names the wrong player, or the wrong letter.",
      "claim 2": "A letter withdraws a claim that does not stand.",
      "claim 3": "A player gave up dice that they could not give up.",
      "claim 4": "A player named dice that were not theirs to name, or named impossible values.",
      "claim 5": "A claim says that somebody owes a step that they do not owe.",
      "ruling 1": "The referee demanded a step that nobody owes.",
      "ruling 2": "The referee ruled a forfeit that the terms do not allow.",
      "ruling 3": "The referee voided dice that cannot be voided.",
      "ruling 4": "The referee killed a set that cannot be killed.",
      "ruling 5": "The referee settled something that was already settled, or that no player has to answer for.",
      "ruling 6": "The referee dismissed a claim that does not stand.",
      "ruling 7": "The referee agreed to a proposal that could no longer be answered.",
      "ruling 8": "The referee opened envelopes that were not selected, or used keys that do not match.",
      "ruling 9": "The referee opened something that they may not open.",
      "ruling 10": "The referee took back dice of a course. Only the players can do that.",
      "ruling 11": "The referee ruled that dice are forfeited, but the referee or the office can open them, or the claim is not about them.",
      "ruling 13": "The referee agreed to a redo after somebody had seen, or could have seen, later dice.",
      "receipt 1": "A receipt is for the keys of a set that breaks a rule, or whose keys are already held.",
      "receipt 2": "The office handed back a set that it does not hold.",
      "receipt 3": "The office’s clock goes backwards.",
      "receipt 4": "The referee’s receipt names a set whose keys the terms do not give to a referee.",
      "receipt 5": "The office’s receipt names a set that the office does not open, or that was sealed before its last epoch was known.",
    } as Readonly<Record<string, string>>,
  },

  missing: {
    heading: "Missing letters",
    known: (who: string, number: number | null): Line => (number === null ? say`A letter by ${who}` : say`Letter ${number} by ${who}`),
    unknown: say`A letter`,
    named: (names: readonly Line[]): Line => say`named by ${join(names)}`,
    ask: (who: string): Line => say`Ask ${who} to send it again. Anyone else who has it can send it too.`,
    anybody: say`Ask the author of the letter that names it.`,
  },

  open: {
    heading: "Open matters",
    what(matter: OpenMatter, who: string, about: Line): Line {
      switch (matter.what) {
        case "compared":
          return say`The players have not both confirmed that they compared keys by voice, so someone who carried the first letters may have replaced a key.`;
        case "names":
          return say`${who} may name the dice for ${about}, because they were forfeited.`;
        case "reveal":
          return say`${who} owes the reveal for ${about}.`;
        case "epoch":
          return say`The office was restored from a backup (${about}). Sets that were sealed for it earlier give no new dice.`;
        case "contribution":
          return say`The rolls for ${about} are private: only ${who} knows them so far.`;
        case "again":
          return say`Note: ${matter.text}.`;
        case "redo":
          return say`${who} must declare again: see ${about}.`;
        case "note":
          return say`${who} has not opened their note, ${about}.`;
        case "more":
          return say`${who} must roll again in the same turn, after ${about}.`;
        case "next":
          return say`${who} declares next, after ${about}.`;
        case "decide":
          return say`${who} must make a choice after ${about}.`;
        case "answer":
          return say`${who} has not answered the proposal in ${about}.`;
        case "claim":
          return who === "" ? say`A dispute is open: ${about}.` : say`A claim is open that ${who} stalls: ${about}.`;
        case "forfeit":
          return say`${who} has forfeited the game: ${about}.`;
        case "sheet":
          return say`${about} rests on an opened sheet, and this page does not work sheets out again. Run sealed-dice audit or the Python checker for that.`;
        case "unproved":
          return say`${about} rests on a sheet that ${who} has not opened.`;
        case "masters":
          return say`${who} has not sent the closing keys for all sets. The other player closed in ${about}.`;
        default:
          return [matter.text];
      }
    },
  },

  days: {
    heading: "Deadlines of rulings",
    legend: "A referee can rule a forfeit, or open deposited keys, once the days in the terms have passed since the request. The office’s clock can confirm or contradict that. The ruling is valid either way.",
    what({ at_least, at_most, days, word }: DaysEntry): string {
      const least = at_least === null ? "" : `at least ${span(at_least)}`;
      const most = at_most === null ? "" : `at most ${span(at_most)}`;
      const known = [least, most].filter((one) => one !== "").join(", ");
      const of = count(days, "day", "days");
      if (word === "shown") return `The office’s clock shows that the deadline of ${of} had passed: ${least} went by`;
      if (word === "contradicted") return `The office’s clock shows that the deadline of ${of} had not passed: ${most} went by; the referee was too early, or the clock is wrong`;
      return `Only the referee says that the deadline of ${of} had passed${known === "" ? "" : `; by the office’s clock, ${known} went by`}`;
    },
  },

  office: {
    heading: "What the office holds",
    legend: "An office opens the envelopes of each declaration immediately. It can look ahead, but alone it cannot choose a die. Together with the player who declares, it can choose every die in these sets, and nobody can detect it. It signs everything that it opens.",
    table: "Sets whose keys the office holds or held",
    set: "Set",
    purpose: "Purpose",
    sealer: "Sealed by",
    since: "Held since",
    opened: "Opened",
    until: "Taken back",
    nothing: "nothing",
    no: "no",
    opens: (letters: readonly Line[]): Line => (letters.length === 0 ? say`The office opens this declaration.` : say`The office opened this declaration in ${join(letters)}.`),
  },

  timeline: {
    heading: "The game, letter by letter",
    order: "Each letter comes after the letters it names. Dates are what the mails say, and anyone can write any date there.",
    before: "Before play",
    turn: (turn: number): string => `Turn ${turn}`,
    unplaced: "Letters that depend on missing letters",
    letter: (who: string, number: number): Line => say`${who}, letter ${number}`,
    letterOf: (who: string, number: number): Line => say`${who}’s letter ${number}`,
    source: (file: string, line: number): Line => say`in ${file}, line ${line}`,
    claimed: (date: string, from: string | null): Line => (from === null ? say`in a mail dated ${date} (as claimed)` : say`in a mail dated ${date} from ${from} (as claimed)`),
    times: (n: number): Line => say`, and in ${[count(n, "other place", "other places")]}`,
    raw: "The letter as it was signed",
    id: "id",
    breach: (rule: string): Line => say`breaks a rule (${rule})`,
    detached: "does not count",
    fallen: "on a branch that was discarded; it changes nothing",
    passedOver: "changes nothing: a declaration that it builds on was replaced or voided",
    waits: "depends on a missing letter",
    moves: "Moves",
    noMoves: "none stated",
    files: "Files",
    file: (name: string, length: number): Line => say`${name}, ${count(length, "byte", "bytes")}`,
    sealedMoves: say`in a sealed note`,
  },

  roll: {
    heading: (slot: string): Line => say`Rolls of ${slot}`,
    stages: {
      "in breach": "In breach: it gave no dice. The list below is only what was declared.",
      "without rolls": "No dice were rolled.",
      waits: "Open: the envelopes are not opened yet.",
      private: "Private: only the declarer knows these dice so far.",
      shown: "",
      forfeited: "Forfeited: the declarer may name the dice.",
      named: "Forfeited: the declarer named these dice.",
    } satisfies Record<Stage, string>,
    /** The same for a declaration of a hidden course, whose dice only the declarer sees before the end. */
    hidden: {
      "in breach": "In breach: it changes nothing. Below is what it states.",
      "without rolls": "",
      waits: "Open: the envelope is not opened yet.",
      private: "",
      shown: "",
      forfeited: "Forfeited: the declarer’s next sheet may name the dice.",
      named: "",
    } satisfies Record<Stage, string>,
    sheets: {
      open: "This is only the declarer’s word here: its sheet is open, but this page does not work sheets out again.",
      sealed: "This is only the declarer’s word so far: its sheet is still sealed.",
    },
    worksheet: "Worksheet",
    hexes: "Hexes and their values",
    odds: "Odds",
    product: "Value × odds",
    place: "Envelope, row",
    cell: "Cell",
    reason: "Purpose",
    die: "Die",
    attack: "Attack",
    byHand: "By hand",
    byHandLabel: (why: string): string => `Recompute by hand: ${why}`,
    total: (total: number, envelopes: number, index: number): string => `Total ${total}. ${total} mod ${envelopes} = ${index}: open envelope ${index}.`,
    envelope: (index: number, row: number): string => `${index}, row ${row}`,
    redo: (index: number): string => `Declared again: the dice come from foul-up envelope ${index}.`,
    redoPlace: (index: number, line: number): string => `foul-up ${index}, line ${line}`,
    stillNeeds: ({ by, name }: { readonly by: string; readonly name: string | null }, person: (role: string) => string): Line => (name === null ? say`${person(by)} rolls next in this turn.` : say`${person(by)} must choose ${name}.`),
    /** Describes a step of a turn of event tables: an entry of the log, or a text of the table file. */
    happened(entry: Json): Line | null {
      if (!isObject(entry)) return null;
      const get = (name: string): string => shown(entry[name] ?? null);
      const those = (name: string): string => shown(entry[name] ?? []);
      if (field(entry, "say") !== undefined) return say`“${get("say")}”`;
      if (field(entry, "table") !== undefined) {
        const house = entry["source"] === "user" ? [] : say` (source of its rows: ${get("source")})`;
        const changed = entry["modifier"] === 0 ? [] : say`, modified by ${get("modifier")}`;
        const row = entry["row"] === null ? [] : say`, in row ${get("row")} for ${get("by")}`;
        return say`Table ${get("table")}${house}: rolled ${those("dice")}${changed}${row}; ${get("cell")} gives ${get("to")}.`;
      }
      if (field(entry, "die") !== undefined) return say`Die ${get("die")}: ${those("dice")}${entry["word"] === null ? [] : say`, ${get("word")}`}.`;
      if (field(entry, "picked") !== undefined) return entry["draw"] === null ? say`${get("picked")} is the only possible choice.` : say`Drawn from ${those("pool")}: ${get("picked")}.`;
      if (field(entry, "ask") !== undefined) return say`The ${get("by")} side chooses ${get("ask")}: ${those("value")}.`;
      if (field(entry, "mark") !== undefined) return entry["on"] === null ? say`${get("mark")} is now ${get("value")}.` : say`${get("on")}: ${get("mark")} is now ${get("value")}.`;
      const why = ENDS[get("void")];
      return why === undefined ? say`${get("end")} is over.` : say`No event${entry["end"] === null ? [] : say` (${get("end")})`}: ${[why]}.`;
    },
    course({ awaits, bar, first, flux, holder }: InitiativeView, person: (role: string) => string): Line {
      const marks = bar.length === 0 ? say`The Bar is empty.` : say`On the Bar: ${bar.join(", ")}.`;
      if (awaits !== null) return say`${person(awaits.by)} must choose ${awaits.name}. ${marks}`;
      const holds = holder === null ? say`Nobody holds the initiative` : say`${person(holder)} holds the initiative`;
      return say`${first === null ? "" : person(first)} goes first. ${holds}${flux ? "; the next turn is in Flux" : ""}. ${marks}`;
    },
    dieLabel: (sides: number, value: number): string => `d${sides}: ${value}`,
    unknown: "not known",
    none: "none",
    value: (value: number): string => `= ${value}`,
    fallen(fallen: FallenRoll, called: (id: string) => Line): Line {
      if (fallen.how === "passed over") return say`does not count: an earlier declaration that it builds on was replaced or voided`;
      const by = called(fallen.by);
      const reason = fallen.reason === "" ? [] : say`: “${fallen.reason}”`;
      if (fallen.how === "redo") return say`does not count: rolled again in ${by}`;
      return fallen.how === "ruled" ? say`voided by a ruling in ${by}${reason}` : say`voided by agreement in ${by}${reason}`;
    },
  },

  sheet: {
    heading: "ICRK sheets",
    caption: (sealer: string, declarer: string, purpose: string): Line => say`${purpose}, sealed by ${sealer} for ${declarer}’s rolls`,
    summary: (used: number): string => `${used} of 400 cells are used.`,
    legend: "Tick: used, with its result. Dots: used, and waiting for its reveal. Circle: opened or skipped without a roll, and lost. Empty: free.",
    corner: "row",
    used: "✓",
    named: "…",
    open: "○",
    usedLabel: (value: number): string => `used: ${value}`,
    namedLabel: "used, waiting for its reveal",
    openLabel: "open without a roll, lost",
  },

  byHand: {
    heading: (why: string): Line => say`By hand: ${why}`,
    none: "There is nothing to recompute: some keys are not opened yet, or the dice were named after a forfeit.",
    lead: "Below is every value that goes into this roll. You need not trust this page: repeat the worksheet with a pocket calculator, and the other steps with openssl.",
    worksheet: "1. Which envelope",
    worksheetNone: "This declaration names its place directly, so there is no worksheet.",
    sheetCell: (cell: string, column: number, row: number): string => `Cell ${cell} is column ${column} (counted from 0), row ${row}.`,
    house: "The house chart gives each hex the value 1 + (((r + 4)² + 7 × d + 2) mod 10). Here r is the number of the hex’s row (A is 1, AA is 27), and d is the last digit of the hex. “mod 10” means the last digit of the number before it.",
    table: "The terms contain a chart with the value of each hex.",
    chart: (hex: string, row: number, digit: number, value: number): string => {
      const before = (row + 4) ** 2 + 7 * digit + 2;
      return `${hex}: r = ${row}, d = ${digit}; ${row + 4}² + 7 × ${digit} + 2 = ${before}; 1 + ${before % 10} = ${value}`;
    },
    sum: (hexes: readonly string[], values: readonly number[], value: number, multiplier: number, product: number): string => `${hexes.join(", ")}: ${values.length > 1 ? `${values.join(" + ")} = ${value}; ` : ""}${value} × ${multiplier} = ${product}`,
    place: (why: string, envelope: number, row: number): Line => say`${why} uses envelope ${envelope}, row ${row}.`,
    key: "2. Does the key match?",
    revealed: (by: Line): Line => say`${by} opened the key:`,
    published: "Commitment in the seal, made beforehand",
    recomputed: "Commitment computed from the key (step 3)",
    fits: "They are equal.",
    unfit: "They differ!",
    ids: "Other values that go into the roll:",
    seal: "id of the seal",
    declaration: "id of the declaration",
    contribution: "the declarer’s own share",
    context: "purpose of the set, as bytes (A of the set)",
    hashes: "3. The hashes",
    hash: (name: string, tag: string): Line => say`${name} (tag ${tag})`,
    items: "Input",
    command: "Command",
    gives: "Result",
    stream: "4. From the stream to the die",
    streamLead: "The key of the roll’s line makes a stream of bytes. Read the bytes in groups of four, lowest byte first.",
    word: "Four bytes",
    decimal: "As a number",
    result: "Result",
    refused: "skipped: it is so high that using it would favour some faces",
    taken: (sides: number, rest: number): string => `divided by ${sides}, it leaves ${rest}; add 1: ${rest + 1}`,
    value: (value: number): string => `The roll is ${value}.`,
    minusOne: "This die reads 0 to 9, so subtract 1.",
  },

  save: { heading: "Keep the report", save: "Save the report", print: "Print", data: "Save it for programs (JSON)", file: "sealed-dice-audit", made: (when: string): string => `Made by the audit page of sealed-dice on ${when}, by this computer’s clock.` },

  foot: {
    about: (version: string, commit: string, sha256: string): string =>
      `sealed-dice ${version}${commit === "" ? "" : `, commit ${commit}`}. SHA-256 of this page’s script: ${sha256}.`,
    compare: "An altered page can show any number here. To be sure, compare the SHA-256 of the whole file with the one published with the release.",
    source: "Save the checker’s source",
    file: "sealed-dice-checker.js",
  },

  step(step: string): string {
    return step === "reveal" ? "the reveal" : step === "declare" ? "their next declaration" : "an answer";
  },
} as const;

/** Says that the author compared the opponent’s key, if they signed that they did. */
function keys(compared: boolean): string[] {
  return compared ? [", keys compared"] : [];
}

/** Describes a letter in a sentence that follows its author’s name. `name` gives the person who signs as a role, `letter` names a letter by its id. */
export function describe(content: Content, name: (role: string) => string, letter: (id: string) => Line, slot: (slot: { turn: number; impulse: number; phase: string; number: number }) => string): Line {
  switch (content.kind) {
    case "charter":
      return say`proposes the terms of “${content.body.title}”${keys(content.body.compared)}`;
    case "accept":
      return say`accepts the terms in ${letter(content.body.charter)}${keys(content.body.compared)}`;
    case "seal":
      return sealed(content.body.kind, content.body.n, content.body.purpose, name(content.body.declarer));
    case "declare": {
      const { redo } = content.body;
      const told = say`declares ${slot(content.body.slot)}`;
      if (redo === null) return told;
      if (redo.is === "breach") return say`${told} again, to correct ${letter(redo.value)}`;
      if (redo.is === "agreed") return say`${told} again, as agreed in ${letter(redo.value)}`;
      return say`${told} from the foul-up set, because ${letter(redo.value)} opened an envelope unasked`;
    }
    case "reveal": {
      const { declaration, keys: envelopes, seal, sheets } = content.body;
      if (declaration === null) return say`opens the note in ${letter(seal)}`;
      if (sheets.length > 0) return say`opens ${[count(sheets.length, "column", "columns")]} of the sheet in ${letter(seal)} for ${letter(declaration)}`;
      return say`opens ${[count(envelopes.length, "place", "places")]} of ${letter(seal)} for ${letter(declaration)}`;
    }
    case "decide":
      return say`chooses ${content.body.name} for ${slot(content.body.slot)}: ${clipped(JSON.stringify(content.body.value))}`;
    case "correct":
      switch (content.body.is) {
        case "propose":
          return say`reports a foul-up by ${name(content.body.value.at_fault)} in ${letter(content.body.value.declaration)} (${content.body.value.class}): “${content.body.value.reason}”${[content.body.value.input === null ? "; the dice count" : "; it proposes to roll again"]}`;
        case "void":
          return say`proposes to void dice: “${content.body.value.reason}”`;
        case "accept":
          return say`accepts the proposal in ${letter(content.body.value)}`;
        case "refuse":
          return say`refuses the proposal in ${letter(content.body.value)}`;
      }
      break;
    case "claim":
      switch (content.body.is) {
        case "stall":
          return say`claims that ${name(content.body.value.owes)} stalls: they owe ${[TEXTS.step(content.body.value.step)]}${content.body.value.letter === null ? [] : say` for ${letter(content.body.value.letter)}`}${content.body.value.text === "" ? [] : say`; “${content.body.value.text}”`}`;
        case "dispute":
          return say`opens a dispute about ${join(content.body.value.letters.map(letter))}: “${content.body.value.text}”`;
        case "withdraw":
          return say`withdraws the claim in ${letter(content.body.value)}`;
        case "yield":
          return content.body.value.declaration === null ? say`gives up the game${content.body.value.text === "" ? [] : say`: “${content.body.value.text}”`}` : say`lets the declarer name the dice for ${letter(content.body.value.declaration)}${content.body.value.text === "" ? [] : say`: “${content.body.value.text}”`}`;
        case "names":
          return say`names the dice for ${letter(content.body.value.declaration)} after a forfeit: ${content.body.value.dice.slice(0, 100).join(", ")}`;
      }
      break;
    case "ruling": {
      const { rule, text } = content.body;
      const why = text === "" ? [] : say`: “${text}”`;
      switch (rule.is) {
        case "request":
          return say`rules that the claim in ${letter(rule.value)} must be answered${why}`;
        case "forfeit":
          return rule.value.forfeit === "game" ? say`rules that the game is forfeited${why}` : say`rules that the declarer names every die${why}`;
        case "void":
          return say`voids dice by a ruling${why}`;
        case "kill":
          return say`kills the set in ${letter(rule.value)}, which gives no new dice${why}`;
        case "settle":
          return say`settles the fault in ${letter(rule.value)}${why}`;
        case "dismiss":
          return say`dismisses the claim in ${letter(rule.value)}${why}`;
        case "agree":
          return say`agrees to the proposal in ${letter(rule.value)} for the other player${why}`;
        case "open":
          return say`meets the request in ${letter(rule.value.request)} with deposited keys${why}`;
      }
      break;
    }
    case "receipt":
      switch (content.body.is) {
        case "deposit":
          return say`holds the keys for ${join(content.body.value.seals.map(letter))}, which match the sealed values`;
        case "hand_back":
          return say`hands back ${join(content.body.value.seals.map(letter))}: from now on, the sealer opens ${[content.body.value.seals.length === 1 ? "it" : "them"]}`;
        case "epoch":
          return say`was restored, and begins a new epoch at ${[moment(content.body.value.at)]} by its clock`;
        case "time":
          return say`gives the time by its clock: ${[moment(content.body.value.at)]}`;
      }
      break;
    case "resync":
      return content.body.is === "answer" ? say`answers a restored folder` : say`was restored, and asks which letters the others hold`;
    case "deposit":
      return say`sends the keys for ${letter(content.body.seal)}, which only their holder can read`;
    case "withdraw":
      return say`withdraws the terms: do not accept them any more`;
    case "close":
      return say`closes the game${content.body.masters === null ? [] : [`, with the closing keys for ${count(content.body.masters.length, "set", "sets")}`]}${content.body.result === null ? [] : say`; result: “${content.body.result}”`}`;
  }
}

/** Advice on what to do about a finding. */
export function advice(view: FindingView, who: string, settledBy: Line | null): Line {
  const { finding, rule, excused, fork, accepts, slot } = view;
  if (settledBy !== null) return TEXTS.findings.settled(settledBy);
  if (excused) return TEXTS.findings.excused;
  if (accepts) {
    return say`Show it to everyone in the game, and agree which of the two games goes on. ${who}, or someone who has their key or a backup of it, began two games with the same terms.`;
  }
  if (fork) {
    return finding.culprit === null
      ? TEXTS.findings.restored
      : say`Show it to everyone in the game, and ask ${who} how this happened. A restored backup or a stolen key looks the same as a deliberate second try. Letters by others decide which branch counts: first of all their reveals, declarations, named dice and closing keys. If nobody else has signed a letter after either branch, the other player’s next letter decides. If such letters disagree, no branch counts, and the players can begin a new game. If a player signed the two letters, a referee who has seen both can settle the fault.`;
  }
  if (finding.code === "game") return say`Ignore this letter: anyone can write one like it. If its author says that it is real, compare keys.`;
  if (finding.code !== "rule" && finding.code !== "chain") return say`Ask the sender for this mail again. A damaged letter counts as not received, and nobody is blamed for it.`;
  if (rule === "declare 15") return say`${who} declares ${slot ?? ""} again from the foul-up set, with an input that the state allows. That settles it once it is opened.`;
  if (/^declare (?:[3-9]|10)$/.test(rule)) return say`${who} declares ${slot ?? ""} again from the foul-up set, with the same moves and attacks. That settles it once it is opened.`;
  if (rule.startsWith("declare")) return say`This declaration gives no dice, and it cannot be declared again. Go on with the next number. A referee can settle the fault.`;
  if (rule === "close 3" || rule === "reveal 5") return say`The opened values are not the sealed ones, and only ${who} has the right ones. Show both letters to them and to the referee.`;
  if (rule.startsWith("reveal")) return say`${who} still owes the right reveal. Everything opened unasked is lost.`;
  if (rule.startsWith("charter")) return say`No game begins with this letter. Agree on new terms.`;
  return say`This letter changes nothing. ${who} can sign one that the rules allow. A referee can settle the fault.`;
}

/** The verdict on a verified game. It states only proven facts: each breach is settled, each die was sealed or named after a forfeit. */
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

/** The verdict on a game in one sentence. */
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
