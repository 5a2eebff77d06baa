/**
 * The contents of the page as plain data. The worker makes them from the checker's results. They contain no words of any language except
 * the players' own.
 */
import type { GameAudit } from "../audit.js";
import { timeWitnessOf } from "../office.js";
import { partiesOf, type Party } from "../charter.js";
import type { Checker, Source } from "../checker.js";
import type { Step } from "../course.js";
import { readWorksheetSettings, readWorksheet, type Worksheet } from "../coin-envelopes.js";
import { valueOf, VALUES, type Values } from "../dice.js";
import { columnOf } from "../icrk.js";
import { field, isList, plain, type Json, type JsonObject } from "../json.js";
import type { Content } from "../kinds.js";
import type { Letter } from "../letter.js";
import { LIMITS } from "../limits.js";
import { namedInBody } from "../names.js";
import { attempt } from "../refusal.js";
import type { ContinuesEntry, DaysEntry, Finding, GameReport, Head, MissingLetter, OpenMatter, RollEntry, Verdict } from "../report.js";
import { hexBytes } from "../bytes.js";
import { fingerprint } from "../signature.js";
import { slotText, type Slot } from "../slot.js";
import { DeclarationState, END, type SealState, type State } from "../state.js";

/** Where a letter was found, and what the mail around it claims. */
export interface SourceView {
  readonly file: string;
  readonly line: number;
  readonly date: string | null;
  readonly from: string | null;
}

export interface PersonView {
  readonly role: string;
  readonly name: string;
  readonly fingerprint: string;
  readonly part: "player" | "referee" | "office" | "witness";
}

export interface BreachView {
  readonly class: string;
  readonly rule: string;
  readonly text: string;
  readonly excused: boolean;
}

export interface LetterView {
  readonly id: string;
  readonly author: string;
  readonly number: number;
  readonly content: Content;
  readonly payload: string;
  readonly breach: BreachView | null;
  readonly fallen: boolean;
  readonly placed: boolean;
  /** A decision that changes nothing (courses 6). */
  readonly passedOver: boolean;
  readonly sources: readonly SourceView[];
  /** The turn of the game under which the letter is shown; 0 is before play. */
  readonly turn: number;
}

export interface WorksheetView extends Worksheet {
  readonly envelopes: number;
}

/** Why a roll no longer counts. */
export type FallenRoll =
  | { readonly how: "redo" | "agreed" | "ruled"; readonly by: string; readonly reason: string }
  /** Its declaration was passed over, without any letter about it (courses 6). */
  | { readonly how: "passed over" };

export interface RollView {
  readonly roll: number;
  readonly why: string;
  readonly index: number;
  readonly line: number;
  readonly cell: string | null;
  readonly dice: readonly { readonly sides: number; readonly value: number }[];
  readonly value: number | null;
  readonly fallen: FallenRoll | null;
  readonly named: boolean;
}

export type Stage = "in breach" | "without rolls" | "waits" | "private" | "shown" | "forfeited" | "named";

/** The result of a turn of a course. */
export type CourseView = BattleView | InitiativeView | EventsView;

/** A round of a battle with simultaneous orders. */
export interface BattleView {
  readonly is: "battle";
  /** The outcome, in the form of the system's page. */
  readonly public: JsonObject;
  readonly awaits: { readonly by: string; readonly name: string } | null;
}

export interface EventsView {
  readonly is: "events";
  /** The steps in `public`, with the texts of the table file. */
  readonly story: readonly Json[];
  /** The name of the awaited decision, or null for another roll. */
  readonly awaits: { readonly by: string; readonly name: string | null } | null;
}

export interface InitiativeView {
  readonly is: "initiative";
  readonly holder: string | null;
  readonly first: string | null;
  readonly flux: boolean;
  readonly bar: readonly string[];
  readonly awaits: { readonly by: string; readonly name: string } | null;
}

export interface DeclarationView {
  readonly id: string;
  readonly slot: Slot;
  readonly source: "coin" | "sheet" | "plain";
  readonly values: Values;
  readonly worksheet: WorksheetView | null;
  readonly redoIndex: number | null;
  readonly seal: string | null;
  readonly stage: Stage;
  /** The office's letters that open it; null if the office does not open it. */
  readonly byOffice: readonly string[] | null;
  readonly rolls: readonly RollView[];
  readonly course: CourseView | null;
  /** What a declaration of a hidden course states. */
  readonly stated: StatedView | null;
}

/** A set that the office holds or held. */
export interface HeldView {
  readonly seal: string;
  readonly sealer: string;
  readonly purpose: string;
  /** The receipt that holds the set, and the first letter that took it back. */
  readonly since: string;
  readonly until: string | null;
  /** The office's letters that open some of the set. */
  readonly opened: readonly string[];
}

/** What a declaration of a hidden course states, and the state of its sheet. */
export interface StatedView {
  readonly input: JsonObject;
  readonly sheet: "open" | "sealed";
}

export interface CellView {
  readonly column: number;
  readonly row: number;
  readonly state: "used" | "named" | "open";
  readonly value: number | null;
}

export interface SheetView {
  readonly seal: string;
  readonly sealer: string;
  readonly declarer: string;
  readonly purpose: string;
  readonly cells: readonly CellView[];
}

export interface FindingView {
  readonly finding: Finding;
  /** The broken rule, as the specification numbers it, or the class. */
  readonly rule: string;
  readonly excused: boolean;
  readonly fork: boolean;
  /** Whether these are two accepts of one charter (chain 9). */
  readonly accepts: boolean;
  /** The letter that this one contradicts or refers to. */
  readonly related: string | null;
  /** The values that the rules give, where the letter states others. */
  readonly expected: Json | null;
  readonly slot: string | null;
  readonly sources: readonly SourceView[];
}

export interface ContinuesView extends ContinuesEntry {
  /** The number of courses that begin with a stated state. */
  readonly states: number;
}

export interface GameView {
  readonly id: string | null;
  readonly title: string | null;
  readonly verdict: Verdict;
  readonly complete: boolean;
  readonly people: readonly PersonView[];
  readonly heads: readonly (readonly [string, Head | null])[];
  readonly missing: readonly MissingLetter[];
  readonly findings: readonly FindingView[];
  readonly open: readonly OpenMatter[];
  readonly continues: ContinuesView | null;
  readonly days: readonly DaysEntry[];
  readonly letters: readonly LetterView[];
  readonly declarations: readonly DeclarationView[];
  readonly sheets: readonly SheetView[];
  readonly held: readonly HeldView[];
}

export interface FileView {
  readonly name: string;
  readonly letters: number;
  readonly damaged: number;
  /** Why the file could not be read, or null. */
  readonly trouble: "unreadable" | "packed" | null;
  /** Whether the file contains a secret key (key-file 3). */
  readonly secret: boolean;
}

export interface ReportView {
  readonly games: readonly GameView[];
  readonly files: readonly FileView[];
  readonly letters: number;
}

/** Returns the declarations of courses that were taken, with their steps and those of the decisions on them. */
type Taken = ReadonlyMap<DeclarationState, readonly (Step | null)[]>;

type Sources = (id: string) => readonly SourceView[];

function valuesOf(declaration: DeclarationState): Values {
  const named = field(declaration.phase.settings, "values");
  return VALUES.find((one) => one === named) ?? "1-6";
}

function worksheetOf(declaration: DeclarationState, tables: Parameters<typeof readWorksheet>[2]): WorksheetView | null {
  if (declaration.phase.source !== "coin") return null;
  const made = attempt(() => {
    const settings = readWorksheetSettings(declaration.phase.settings);
    return { ...readWorksheet(declaration.body.input, settings, tables), envelopes: settings.envelopes };
  });
  return made.ok ? made.value : null;
}

function fallenRoll(state: State, standing: boolean | string): FallenRoll | null {
  if (standing === true) return null;
  if (standing === false) return { how: "passed over" };
  const content = state.letter(standing)?.content;
  if (content?.kind === "declare") return { by: standing, how: "redo", reason: "" };
  const asked = state.acceptances.get(standing)?.proposal.letter.content;
  const reason = asked?.kind === "correct" && asked.body.is === "void" ? asked.body.value.reason : content?.kind === "ruling" ? content.body.text : "";
  return { by: standing, how: content?.kind === "ruling" ? "ruled" : "agreed", reason };
}

function stageOf(declaration: DeclarationState): Stage {
  if (declaration.reading.rolls.length === 0) return "without rolls";
  if (declaration.named !== null) return "named";
  if (declaration.forfeited(END)) return "forfeited";
  if (!declaration.answered(END)) return "waits";
  return declaration.shown(END) ? "shown" : "private";
}

/** Returns the office's letters that open a declaration, or null if the office does not open it. */
function byOffice(state: State, declaration: DeclarationState): readonly string[] | null {
  const opened = declaration.openedBy.filter((letter) => letter.author === state.chains.office).map((letter) => letter.id);
  return opened.length > 0 || (declaration.isWithOffice && declaration.seal?.takenBack(END) === false) ? opened : null;
}

/** Returns the result of a turn. A declaration that was voided, replaced or passed over has none. */
function courseView(state: State, declaration: DeclarationState, taken: Taken): CourseView | null {
  const game = state.courseOf(declaration.body.slot);
  const steps = taken.get(declaration) ?? [];
  const now = steps.at(-1)?.state ?? null;
  if (game === null || game.isHidden || now === null) return null;
  const said = (name: string): Json => field(now, name) ?? null;
  const role = (value: Json): string | null => (typeof value === "string" ? value : null);
  const awaited = game.awaits(now);
  if (game.system === "event-tables") {
    const story = steps.flatMap((step) => step?.story ?? []);
    return { is: "events", story, awaits: awaited.is === "turn" || awaited.by === null ? null : { by: awaited.by, name: awaited.is === "decision" ? awaited.name : null } };
  }
  if (game.system === "cil") {
    return { is: "battle", public: steps[0]?.public ?? {}, awaits: awaited.is === "decision" ? { by: awaited.by, name: awaited.name } : null };
  }
  const bar = said("bar");
  return {
    is: "initiative",
    holder: role(said("holder")),
    first: role(said("first")),
    flux: said("flux") === true,
    bar: isList(bar) ? bar.map(String) : [],
    awaits: awaited.is === "decision" ? { by: awaited.by, name: awaited.name } : null,
  };
}

function statedView(state: State, { body }: DeclarationState): StatedView | null {
  if (!state.isHidden(body.slot)) return null;
  const sheet = body.moves.is === "note" ? state.seal(body.moves.value.seal) : null;
  return { input: body.input, sheet: sheet?.isOpen(END, 0) === true ? "open" : "sealed" };
}

function declarationView(state: State, declaration: DeclarationState, entries: readonly RollEntry[], taken: Taken): DeclarationView {
  const values = valuesOf(declaration);
  const places = declaration.places();
  const stated = statedView(state, declaration);
  // The dice of a hidden course are its declarer's secret.
  const rolls = (stated === null ? declaration.reading.rolls : []).map((asked, k): RollView => {
    const own = entries.filter((entry) => entry.line === places[k]?.line && entry.index === places[k]?.index);
    return {
      roll: k + 1,
      why: asked.why,
      index: places[k]?.index ?? 0,
      line: places[k]?.line ?? 0,
      cell: asked.cell,
      dice: own.map(({ sides, value }) => ({ sides, value })),
      value: own.length === 0 ? null : valueOf(values, own.map((entry) => entry.value)),
      fallen: own[0] === undefined ? null : fallenRoll(state, own[0].standing),
      named: own[0] !== undefined && own[0].named_by !== null,
    };
  });
  return {
    id: declaration.letter.id,
    slot: declaration.body.slot,
    source: declaration.phase.source,
    values,
    worksheet: worksheetOf(declaration, state.chains.charter.tables),
    redoIndex: declaration.redoIndex,
    seal: declaration.seal?.letter.id ?? null,
    stage: stageOf(declaration),
    byOffice: byOffice(state, declaration),
    rolls,
    course: courseView(state, declaration, taken),
    stated,
  };
}

/** Returns how deep each column was opened during play. Keys published at the close are not counted. */
function openedInPlay(state: State, seal: SealState, order: readonly Letter[]): Map<number, number> {
  const depths = new Map<number, number>();
  for (const letter of order) {
    if (letter.kind === "close") continue;
    for (const key of state.openings.of(letter, state.chains.letters)) if (key.seal === seal.letter) depths.set(key.place, Math.max(key.row, depths.get(key.place) ?? 0));
  }
  return depths;
}

/** Returns the view of a declaration that gives no dice: its statements, and the worksheet it would have had. */
function deadDeclaration(state: State, letter: Letter): DeclarationView | null {
  if (letter.content.kind !== "declare") return null;
  const { body } = letter.content;
  const phase = state.phaseOf(body.slot);
  const system = phase === null ? null : state.system(phase);
  const reading = system === null ? null : attempt(() => system.read(body.input, body.redo !== null));
  if (phase === null || reading === null || !reading.ok) return null;
  const dead = new DeclarationState(letter, body, phase, reading.value, null, null);
  return { ...declarationView(state, dead, [], new Map()), stage: "in breach" };
}

function sheetView(state: State, seal: SealState, declarations: readonly DeclarationView[], order: readonly Letter[]): SheetView {
  const values = new Map<string, number | null>();
  for (const declaration of declarations) {
    if (declaration.seal !== seal.letter.id || declaration.redoIndex !== null) continue;
    for (const roll of declaration.rolls) if (roll.cell !== null) values.set(roll.cell, roll.value);
  }
  const places = new Map<string, number | null>();
  for (const [cell, value] of values) {
    const parts = /^([A-Z]+)([0-9]+)$/.exec(cell);
    const column = columnOf(parts?.[1] ?? "");
    if (column !== null) places.set(`${column} ${Number(parts?.[2])}`, value);
  }
  const cells: CellView[] = [];
  const opened = openedInPlay(state, seal, order);
  for (let column = 0; column < LIMITS.columns; column++) {
    const open = opened.get(column) ?? 0;
    for (let row = 1; row <= seal.spent(END, column); row++) {
      const value = places.get(`${column} ${row}`);
      if (value !== undefined && value !== null) cells.push({ column, row, state: "used", value });
      else if (value === null || row <= (seal.depthsNamed.get(column) ?? 0)) cells.push({ column, row, state: "named", value: null });
      else if (row <= open) cells.push({ column, row, state: "open", value: null });
    }
  }
  return { seal: seal.letter.id, sealer: seal.letter.author, declarer: seal.body.declarer, purpose: seal.body.purpose, cells };
}

function heldViews(state: State, order: readonly Letter[]): HeldView[] {
  const opened = new Map<Letter, string[]>();
  for (const letter of order) {
    if (letter.author !== state.chains.office) continue;
    for (const seal of new Set(state.openings.of(letter, state.chains.letters).map((key) => key.seal))) opened.set(seal, [...(opened.get(seal) ?? []), letter.id]);
  }
  return [...state.seals.values()].flatMap(({ letter, body, officeReceipts: [since], backBy }) =>
    since === undefined ? [] : [{ seal: letter.id, sealer: letter.author, purpose: body.purpose, since: since.id, until: backBy[0]?.id ?? null, opened: opened.get(letter) ?? [] }],
  );
}

/** Returns the letter to show beside a breach. */
function relatedTo(state: State, letter: Letter, rule: string): string | null {
  const { content, prev } = letter;
  const earlier = state.author(letter.author).letters.filter((one) => one.number < letter.number);
  if (rule.startsWith("chain 2") || rule.startsWith("chain 3")) return prev?.id ?? null;
  if (content.kind === "seal" && rule === "seal 4") {
    const same = earlier.find((one) => one.content.kind === "seal" && one.content.body.kind === content.body.kind && one.content.body.purpose === content.body.purpose);
    return same?.id ?? null;
  }
  if (content.kind === "seal" && rule === "seal 5") {
    for (const commit of content.body.commits) for (const other of state.commits.get(commit) ?? []) if (other !== letter) return other.id;
    return null;
  }
  if (content.kind === "declare") {
    const { body } = content;
    // For declare 2 too: the pending breach is what had to be declared again first.
    if (/^declare 20?$/.test(rule)) return earlier.find((one) => one.content.kind === "declare" && slotText(one.content.body.slot) === slotText(body.slot))?.id ?? null;
    if (/^declare 1[123]$/.test(rule)) return body.redo?.value ?? null;
    if (rule === "declare 10") return earlier.find((one) => one.content.kind === "declare" && one.content.body.seal === body.seal)?.id ?? body.seal;
    if (rule === "declare 8" && body.contribution?.is === "open") {
      const { value } = body.contribution;
      return earlier.find((one) => one.content.kind === "declare" && one.content.body.contribution?.is === "open" && one.content.body.contribution.value === value)?.id ?? null;
    }
    if (rule === "declare 14") return body.after;
    return rule === "declare 6" ? body.seal : null;
  }
  if (content.kind === "reveal") return /^reveal [158]$/.test(rule) ? content.body.seal : (content.body.declaration ?? content.body.seal);
  return namedInBody(content)[0] ?? prev?.id ?? null;
}

/** Returns the values that the rules give, where a letter states others. */
function expectedFor(state: State, letter: Letter, rule: string): Json | null {
  const made = attempt((): Json | null => {
    const { content } = letter;
    if (content.kind === "declare" && (rule === "declare 9" || rule === "declare 4")) {
      const phase = state.phaseOf(content.body.slot);
      const system = phase === null ? null : state.system(phase);
      if (phase === null || system === null) return null;
      const reading = system.read(content.body.input, content.body.redo !== null);
      if (rule === "declare 4") return plain({ input: reading.canonical });
      return phase.source === "coin" && content.body.redo === null ? plain({ select: reading.select(() => 0) }) : null;
    }
    return null;
  });
  return made.ok ? made.value : null;
}

function findingView(finding: Finding, sources: Sources, state: State | null, damaged: Map<string, SourceView[][]>): FindingView {
  const id = finding.message_ids[0];
  const letter = id === undefined ? null : (state?.letter(id) ?? null);
  const written = /^((?:chain|charter|courses|letters|seal|declare|reveal|decide|correct|close|claim|ruling|receipt) [0-9]+): /.exec(finding.text);
  const rule = written?.[1] ?? finding.code;
  const content = letter?.content;
  const fork = rule === "chain 8" || rule === "chain 9";
  return {
    finding,
    rule,
    excused: finding.code === "rule" && finding.culprit === null,
    fork,
    accepts: fork && finding.message_ids.some((one) => state?.letter(one)?.kind === "accept"),
    related: state !== null && letter !== null && written !== null && !fork ? relatedTo(state, letter, rule) : null,
    expected: state !== null && letter !== null ? expectedFor(state, letter, rule) : null,
    slot: content?.kind === "declare" ? slotText(content.body.slot) : null,
    sources: id === undefined ? (damaged.get(`${finding.code} ${finding.text}`)?.shift() ?? []) : sources(id),
  };
}

/** Returns the turn under which each letter is shown: a declaration under its own turn, and the letters after it in order of replay under the same turn. */
function turnsOf(order: readonly Letter[]): Map<Letter, number> {
  const turns = new Map<Letter, number>();
  let last = 0;
  for (const letter of order) {
    if (letter.content.kind === "declare") last = Math.max(last, letter.content.body.slot.turn);
    turns.set(letter, last);
  }
  return turns;
}

function letterView(letter: Letter, turn: number, passedOver: boolean, sources: Sources): LetterView {
  const { breach } = letter;
  return {
    id: letter.id,
    author: letter.author,
    number: letter.number,
    content: letter.content,
    payload: letter.message.payload,
    breach: breach === null ? null : { class: breach.class, rule: breach.rule, text: breach.text, excused: breach.excused },
    fallen: letter.fallen,
    placed: letter.placed,
    passedOver,
    sources: sources(letter.id),
    turn,
  };
}

function peopleOf(game: GameAudit): PersonView[] {
  if (game.charter === null) return [];
  const { body } = game.charter.content;
  const partOf = (party: Party): PersonView["part"] => {
    if (party === body.office) return party === timeWitnessOf(body) ? "witness" : "office";
    return party === body.referee ? "referee" : "player";
  };
  return partiesOf(body).map((party) => ({ role: party.role, name: party.name, fingerprint: fingerprint(hexBytes(party.key)), part: partOf(party) }));
}

function continuesView({ charter, report: { continues } }: GameAudit): ContinuesView | null {
  return continues === null ? null : { ...continues, states: charter?.content.body.continues?.states.size ?? 0 };
}

function gameView(game: GameAudit, sources: Sources, damaged: Map<string, SourceView[][]>): GameView {
  const report: GameReport = game.report;
  const state = game.replay?.state ?? null;
  const entries = new Map<string, RollEntry[]>();
  for (const entry of report.rolls) {
    const list = entries.get(entry.declaration);
    if (list === undefined) entries.set(entry.declaration, [entry]);
    else list.push(entry);
  }
  const taken = new Map([...(state?.courses.values() ?? [])].flatMap((course) => [...course.takenAtEnd()]));
  const declarations = state === null ? [] : [...state.declarations.values()].map((one) => declarationView(state, one, entries.get(one.letter.id) ?? [], taken));
  const order = game.replay?.order ?? [];
  const dead = state === null ? [] : order.filter((letter) => !state.declarations.has(letter.id)).flatMap((letter) => deadDeclaration(state, letter) ?? []);
  const sheets = state === null ? [] : [...state.seals.values()].filter((seal) => seal.body.kind === "sheet" && seal.letter.valid).map((seal) => sheetView(state, seal, declarations, order));
  const passed = new Set([...(state?.courses.values() ?? [])].flatMap((course) => [...course.decisionsPassedOver()]));
  const turns = turnsOf(order);
  const rest = game.replay === null ? [] : [...game.replay.chains.letters.values()].filter((letter) => !turns.has(letter));
  return {
    id: report.game,
    title: game.charter?.content.body.title ?? null,
    verdict: report.verdict,
    complete: report.complete,
    people: peopleOf(game),
    heads: Object.entries(report.heads),
    missing: report.missing,
    findings: report.findings.map((finding) => findingView(finding, sources, state, damaged)),
    open: report.open,
    continues: continuesView(game),
    days: report.days,
    letters: [...order, ...rest].map((letter) => letterView(letter, turns.get(letter) ?? -1, passed.has(letter), sources)),
    declarations: [...declarations, ...dead],
    sheets,
    held: state === null ? [] : heldViews(state, order),
  };
}

export function reportView(checker: Checker, resolve: (source: Source) => SourceView | null, files: readonly FileView[]): { readonly view: ReportView; readonly games: readonly GameAudit[] } {
  const { games } = checker.examine();
  const views = (found: readonly Source[]): SourceView[] => found.flatMap((source) => resolve(source) ?? []);
  const sources: Sources = (id) => views(checker.sourcesOf(id));
  const damaged = new Map<string, SourceView[][]>();
  for (const one of checker.damaged) {
    const key = `${one.class} ${one.text}`;
    damaged.set(key, [...(damaged.get(key) ?? []), views(one.sources)]);
  }
  return { games, view: { games: games.map((game) => gameView(game, sources, damaged)), files, letters: checker.progress.total } };
}
