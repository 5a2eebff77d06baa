/** The page: hands letters to the worker, and shows what comes back. */
import { byHandView } from "./by-hand.js";
import { button, flat, h, part, say, type Child, type Line } from "./dom.js";
import { show, spoken } from "./games.js";
import { listen, type Taken } from "./intake.js";
import type { DeclarationView, ReportView, RollView } from "./model.js";
import type { Names } from "./names.js";
import type { FromWorker, ToWorker } from "./protocol.js";
import { saveData, saveReport } from "./save.js";
import { TEXTS } from "./texts.js";


class Page {
  private readonly report = part("report", HTMLElement);
  private readonly status = part("status", HTMLElement);
  private readonly live = part("live", HTMLElement);
  private readonly bar = part("bar", HTMLProgressElement);
  private readonly keep = part("keep", HTMLElement);
  private readonly read = part("read", HTMLElement);
  private view: ReportView | null = null;
  private started = 0;
  private pasted = 0;
  private calls = 0;
  private showing = 0;
  private spokenOf = -1;
  /** How often it was told to forget what is not forgotten yet: what comes meanwhile is of letters that nobody wants. */
  private forgetting = 0;
  private readonly waiting = new Map<number, (message: Extract<FromWorker, { say: "by hand" }>) => void>();

  constructor(private readonly worker: Worker) {
    worker.addEventListener("message", (event: MessageEvent<FromWorker>) => this.hear(event.data));
    worker.addEventListener("error", (event) => this.failed(event.message));
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
    addEventListener("beforeprint", () => part("stamp", HTMLElement).replaceChildren(...nodes(stampOf(this.view))));
    this.keep.append(
      h("h2", {}, TEXTS.save.heading),
      h("p", { class: "buttons" }, button(TEXTS.save.save, { id: "save" }, () => saveReport(this.report, stampOf(this.view))), button(TEXTS.save.print, { id: "print" }, () => print()), button(TEXTS.save.data, { id: "data" }, () => this.view !== null && saveData(this.view))),
    );
  }

  private ask(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  private begin(): void {
    this.started = performance.now();
    this.spokenOf = -1;
    this.bar.hidden = false;
    this.bar.removeAttribute("value");
    document.body.setAttribute("aria-busy", "true");
  }

  private take(files: readonly Taken[]): void {
    this.begin();
    this.ask({ ask: "files", files });
  }

  private takeText(text: string): void {
    this.begin();
    this.ask({ ask: "text", name: TEXTS.intake.pasted(++this.pasted), text });
  }

  private forget(): void {
    this.showing++;
    this.pasted = 0;
    this.view = null;
    this.forgetting++;
    this.ask({ ask: "forget" });
    document.title = TEXTS.title;
    document.body.removeAttribute("aria-busy");
    this.report.replaceChildren();
    this.read.replaceChildren();
    this.status.replaceChildren();
    this.live.replaceChildren();
    this.keep.hidden = true;
    this.bar.hidden = true;
    part("choose-files", HTMLButtonElement).focus();
  }

  private hear(message: FromWorker): void {
    if (this.forgetting > 0 && message.say !== "forgotten") return;
    switch (message.say) {
      case "forgotten":
        this.forgetting--;
        return;
      case "progress":
        this.progress(TEXTS.progress.steps[message.step](message.done, message.total), message.done, message.total);
        return;
      case "report":
        void this.show(message.view);
        return;
      case "by hand":
        this.waiting.get(message.call)?.(message);
        this.waiting.delete(message.call);
        return;
      case "failed":
        this.failed(message.text);
    }
  }

  /** The bar moves with every word; a voice is told at each quarter. */
  private progress(text: string, done: number, total: number): void {
    this.bar.max = Math.max(1, total);
    this.bar.value = done;
    this.status.textContent = text;
    const quarter = Math.floor((4 * done) / Math.max(1, total));
    if (total < 200 || quarter <= this.spokenOf) return;
    this.spokenOf = quarter;
    this.live.textContent = text;
  }

  private failed(why: string): void {
    document.body.removeAttribute("aria-busy");
    this.bar.hidden = true;
    this.say(TEXTS.progress.failed(why));
  }

  private say(line: Line): void {
    this.status.replaceChildren(...nodes(line));
    this.live.textContent = flat(line);
  }

  private async show(view: ReportView): Promise<void> {
    const turn = ++this.showing;
    this.view = view;
    const seconds = ((performance.now() - this.started) / 1000).toFixed(1);
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
    // The verdict stands on the page already; the rest comes in slices.
    document.body.dataset["verdict"] = view.games[0]?.verdict ?? "nothing";
    this.report.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth", block: "start" });
    await done;
    if (turn !== this.showing) return;
    this.keep.hidden = view.games.length === 0;
    this.bar.hidden = true;
    this.status.textContent = TEXTS.progress.done(view.letters, seconds);
    document.body.removeAttribute("aria-busy");
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
    this.ask({ ask: "by hand", call, game: names.game.id ?? "", declaration: declaration.id, roll: roll.roll });
  };
}

/** When and of what a report was made: it stands on what is printed and saved. */
function stampOf(view: ReportView | null): Line {
  return say`${[TEXTS.save.made(new Date().toLocaleString())]} ${[TEXTS.files.summary(view?.files.length ?? 0, view?.letters ?? 0)]}.`;
}

function nodes(line: Line): Node[] {
  return [...h("span", {}, line).childNodes];
}

/** The words of the page's own frame. */
function frame(): void {
  const texts: Readonly<Record<string, Child>> = {
    title: TEXTS.title, lead: TEXTS.lead, privacy: TEXTS.privacy, skip: TEXTS.skip, "intake-title": TEXTS.intake.heading, "drop-text": TEXTS.intake.drop, "choose-files": TEXTS.intake.files,
    "choose-folder": TEXTS.intake.folder, "paste-label": TEXTS.intake.paste, check: TEXTS.intake.check, again: TEXTS.intake.again, more: TEXTS.intake.more, "verdict-title": TEXTS.verdict.heading,
  };
  for (const [id, text] of Object.entries(texts)) part(id, HTMLElement).replaceChildren(...h("span", {}, text).childNodes);
  document.title = TEXTS.title;
  document.documentElement.lang = TEXTS.language;
  part("files", HTMLInputElement).setAttribute("aria-label", TEXTS.intake.files);
  part("folder", HTMLInputElement).setAttribute("aria-label", TEXTS.intake.folder);
  part("bar", HTMLProgressElement).setAttribute("aria-label", TEXTS.progress.heading);
}

/** Unpacks the worker's program and starts it. */
async function startWorker(): Promise<Worker> {
  const packed = Uint8Array.from(atob(part("worker", HTMLScriptElement).textContent.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const program = await new Response(stream).blob();
  return new Worker(URL.createObjectURL(new Blob([program], { type: "text/javascript" })));
}

frame();
startWorker().then(
  (worker) => new Page(worker),
  (error: unknown) => part("status", HTMLElement).replaceChildren(flat(TEXTS.progress.failed(String(error)))),
);
