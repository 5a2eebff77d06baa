/** The page: passes letters to a worker and shows the results. */
import { byHandView } from "./by-hand.js";
import { button, flat, h, part, say, type Child, type Line } from "./dom.js";
import { show, spoken } from "./games.js";
import { listen } from "./intake.js";
import type { DeclarationView, ReportView, RollView } from "./model.js";
import type { Names } from "./names.js";
import type { FromWorker, Step, Taken, ToWorker } from "./protocol.js";
import { download, saveData, saveReport } from "./save.js";
import { TEXTS } from "./texts.js";

/** A worker, and all files that its report covers. Ending the worker ends all its work, so nothing has to agree to stop. */
class Work {
  readonly started = performance.now();
  private readonly worker: Worker;

  constructor(
    program: string,
    readonly files: readonly Taken[],
    hear: (message: FromWorker) => void,
  ) {
    this.worker = new Worker(program);
    this.worker.addEventListener("message", (event: MessageEvent<FromWorker>) => hear(event.data));
    this.worker.addEventListener("error", (event) => hear({ say: "failed", text: event.message }));
    this.ask({ ask: "report", files });
  }

  ask(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  end(): void {
    this.worker.terminate();
  }
}

class Page {
  private readonly report = part("report", HTMLElement);
  private readonly status = part("status", HTMLElement);
  private readonly live = part("live", HTMLElement);
  private readonly bar = part("bar", HTMLProgressElement);
  private readonly stop = part("stop", HTMLButtonElement);
  private readonly keep = part("keep", HTMLElement);
  private readonly read = part("read", HTMLElement);
  private view: ReportView | null = null;
  /** The work whose report is shown, and the work that is still running. */
  private shown: Work | null = null;
  private working: Work | null = null;
  private pasted = 0;
  private calls = 0;
  private showing = 0;
  private spoken = "";
  private readonly waiting = new Map<number, (message: Extract<FromWorker, { say: "by hand" }>) => void>();

  constructor(private readonly program: string) {
    listen(
      (files) => this.take(files),
      (text) => this.takeText(text),
    );
    const paste = part("paste", HTMLTextAreaElement);
    part("check", HTMLButtonElement).addEventListener("click", () => {
      if (paste.value.trim() === "") {
        this.status.textContent = TEXTS.intake.nothing;
        paste.focus();
        return;
      }
      this.takeText(paste.value);
      paste.value = "";
    });
    part("again", HTMLButtonElement).addEventListener("click", () => this.forget());
    this.stop.addEventListener("click", () => this.halt());
    addEventListener("beforeprint", () => part("stamp", HTMLElement).replaceChildren(...nodes(stampOf(this.view))));
    this.keep.append(
      h("h2", {}, TEXTS.save.heading),
      h("p", { class: "buttons" }, button(TEXTS.save.save, { id: "save" }, () => saveReport(this.report, stampOf(this.view))), button(TEXTS.save.print, { id: "print" }, () => print()), button(TEXTS.save.data, { id: "data" }, () => this.view !== null && saveData(this.view))),
    );
  }

  /** Reads these files together with all earlier ones. If the work is stopped, the earlier files stay as they were. */
  private take(files: readonly Taken[]): void {
    const before = this.working ?? this.shown;
    this.working?.end();
    this.spoken = "";
    this.busyWith("work");
    this.bar.removeAttribute("value");
    this.status.textContent = TEXTS.progress.begun;
    part("work", HTMLElement).scrollIntoView({ block: "nearest" });
    const work: Work = new Work(this.program, [...(before?.files ?? []), ...files], (message) => this.hear(work, message));
    this.working = work;
  }

  private takeText(text: string): void {
    this.take([{ name: TEXTS.intake.pasted(++this.pasted), file: new Blob([text]) }]);
  }

  private busyWith(what: "work" | "showing" | null): void {
    const hadFocus = document.activeElement === this.stop;
    this.bar.hidden = what === null;
    this.stop.hidden = what !== "work";
    if (what === null) document.body.removeAttribute("aria-busy");
    else document.body.setAttribute("aria-busy", "true");
    // If the focused button disappears, keyboard focus moves to a visible element.
    if (hadFocus && what !== "work") part(what === "showing" ? "results" : "choose-files", HTMLElement).focus({ preventScroll: true });
  }

  private halt(): void {
    this.working?.end();
    this.working = null;
    this.busyWith(null);
    this.say(TEXTS.progress.stopped(this.shown !== null));
  }

  private forget(): void {
    this.working?.end();
    this.shown?.end();
    this.working = this.shown = this.view = null;
    this.showing++;
    this.pasted = 0;
    this.waiting.clear();
    this.busyWith(null);
    document.title = TEXTS.title;
    this.report.replaceChildren();
    this.read.replaceChildren();
    this.status.replaceChildren();
    this.live.replaceChildren();
    this.keep.hidden = true;
    part("choose-files", HTMLButtonElement).focus();
  }

  private hear(work: Work, message: FromWorker): void {
    // Ignores messages that a worker sent before it was ended.
    if (work !== this.working && work !== this.shown) return;
    switch (message.say) {
      case "progress":
        this.progress(message.step, message.done, message.total);
        return;
      case "report":
        this.shown?.end();
        [this.shown, this.working] = [work, null];
        this.waiting.clear();
        void this.show(work, message.view);
        return;
      case "by hand":
        this.waiting.get(message.call)?.(message);
        this.waiting.delete(message.call);
        return;
      case "failed":
        this.failed(work, message.text);
    }
  }

  /** Moves the bar with every message. Screen readers hear each quarter of each step. */
  private progress(step: Step, done: number, total: number): void {
    const text = TEXTS.progress.steps[step](done, total);
    this.bar.max = Math.max(1, total);
    this.bar.value = done;
    this.status.textContent = text;
    const quarter = `${step} ${Math.floor((4 * done) / Math.max(1, total))}`;
    if (total < TEXTS.progress.short[step] || quarter === this.spoken) return;
    this.spoken = quarter;
    this.live.textContent = text;
  }

  private failed(work: Work, why: string): void {
    if (work === this.working) {
      work.end();
      this.working = null;
      this.busyWith(null);
    }
    this.say(TEXTS.progress.failed(why));
  }

  private say(line: Line): void {
    this.status.replaceChildren(...nodes(line));
    this.live.textContent = flat(line);
  }

  private async show(work: Work, view: ReportView): Promise<void> {
    const turn = ++this.showing;
    this.view = view;
    this.busyWith("showing");
    const seconds = ((performance.now() - work.started) / 1000).toFixed(1);
    const breathe = async (): Promise<boolean> => {
      await new Promise((resolve) => setTimeout(resolve));
      return turn === this.showing;
    };
    this.status.textContent = TEXTS.progress.showing;
    this.live.textContent = flat(spoken(view));
    const [first] = view.games;
    document.title = first === undefined ? TEXTS.title : `${TEXTS.verdict.signs[first.verdict]} ${TEXTS.verdict.words[first.verdict]} – ${TEXTS.title}`;
    this.files(view);
    const done = show(view, this.report, this.byHand, breathe);
    // The verdict is on the page already. The rest follows in slices.
    document.body.dataset["verdict"] = view.games[0]?.verdict ?? "nothing";
    this.report.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth", block: "start" });
    await done;
    if (turn !== this.showing) return;
    this.keep.hidden = view.games.length === 0;
    if (this.working === null) {
      this.busyWith(null);
      this.status.textContent = TEXTS.progress.done(view.letters, seconds);
    }
    document.body.dataset["shown"] = String(turn);
  }

  private files(view: ReportView): void {
    const { files: words } = TEXTS;
    const rows = view.files.map((file) => {
      const note = file.secret ? words.secret : file.trouble !== null ? words[file.trouble] : file.letters + file.damaged === 0 ? words.none : "";
      return h("tr", {}, h("td", {}, { foreign: file.name }), h("td", {}, String(file.letters)), h("td", {}, file.damaged === 0 ? "–" : `✗ ${file.damaged}`), h("td", {}, note));
    });
    const table = h("table", {}, h("caption", { class: "heard" }, words.table), h("thead", {}, h("tr", {}, [words.name, words.letters, words.damaged, words.notes].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, rows));
    const warnings = view.files.filter((file) => file.secret).map((file) => h("p", { class: "warning" }, words.warning(file.name)));
    this.read.replaceChildren(...warnings, h("details", {}, h("summary", {}, `${words.heading}: ${words.summary(view.files.length, view.letters)}`), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": words.table }, table)));
  }

  private readonly byHand = (names: Names, declaration: DeclarationView, roll: RollView, into: HTMLElement, pressed: HTMLButtonElement): void => {
    const opened = into.hidden;
    into.hidden = !opened;
    pressed.setAttribute("aria-expanded", String(opened));
    if (!opened || into.childElementCount > 0) return;
    const call = ++this.calls;
    this.waiting.set(call, ({ result }) => into.replaceChildren(byHandView(names, declaration, result)));
    this.shown?.ask({ ask: "by hand", call, game: names.game.id ?? "", declaration: declaration.id, roll: roll.roll });
  };
}

/** Says when the report was made, and from how many files. Printed and saved reports show it. */
function stampOf(view: ReportView | null): Line {
  return say`${[TEXTS.save.made(new Date().toLocaleString())]} ${[TEXTS.files.summary(view?.files.length ?? 0, view?.letters ?? 0)]}.`;
}

function nodes(line: Line): Node[] {
  return [...h("span", {}, line).childNodes];
}

/** Fills in the fixed texts of the page. */
function frame(): void {
  const texts: Readonly<Record<string, Child>> = {
    title: TEXTS.title, lead: TEXTS.lead, privacy: TEXTS.privacy, skip: TEXTS.skip, "intake-title": TEXTS.intake.heading, "drop-text": TEXTS.intake.drop, "choose-files": TEXTS.intake.files,
    "choose-folder": TEXTS.intake.folder, stop: TEXTS.progress.stop, "paste-label": TEXTS.intake.paste, check: TEXTS.intake.check, again: TEXTS.intake.again, more: TEXTS.intake.more, "verdict-title": TEXTS.verdict.heading,
  };
  for (const [id, text] of Object.entries(texts)) part(id, HTMLElement).replaceChildren(...h("span", {}, text).childNodes);
  document.title = TEXTS.title;
  document.documentElement.lang = TEXTS.language;
  part("files", HTMLInputElement).setAttribute("aria-label", TEXTS.intake.files);
  part("folder", HTMLInputElement).setAttribute("aria-label", TEXTS.intake.folder);
  part("bar", HTMLProgressElement).setAttribute("aria-label", TEXTS.progress.heading);
}

/** Adds the version, the commit if the program that wrote the page knows it, the script's SHA-256 and a button that saves the checker's source. The page's own script is readable in the file, but the worker's is compressed. */
function foot(program: string): void {
  const { version, commit, sha256 } = part("foot", HTMLElement).dataset;
  const source = button(TEXTS.foot.source, { id: "source", class: "quiet" }, () => download(TEXTS.foot.file, "text/javascript;charset=utf-8", program));
  part("foot", HTMLElement).append(h("p", {}, TEXTS.foot.about(version ?? "", commit ?? "", sha256 ?? "")), h("p", {}, TEXTS.foot.compare), h("p", { class: "buttons" }, source));
}

/** Decompresses the worker's script. */
async function unpack(): Promise<string> {
  const packed = Uint8Array.from(atob(part("worker", HTMLScriptElement).textContent.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

frame();
unpack().then(
  (program) => {
    foot(program);
    new Page(URL.createObjectURL(new Blob([program], { type: "text/javascript" })));
  },
  (error: unknown) => part("status", HTMLElement).replaceChildren(flat(TEXTS.progress.failed(String(error)))),
);
