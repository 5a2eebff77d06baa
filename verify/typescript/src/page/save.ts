/** Saves the report as one file that a club can keep: the page without its script. */
import { h, type Line } from "./dom.js";
import type { ReportView } from "./model.js";
import { TEXTS } from "./texts.js";

/** Downloads a file called `name` with the joined `parts`. */
export function download(name: string, type: string, ...parts: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** The content security policy of the saved page, which allows its own style and nothing else. */
function policy(): string {
  const own = document.querySelector("meta[http-equiv]")?.getAttribute("content") ?? "";
  return `default-src 'none'; ${/style-src [^;]*/.exec(own)?.[0] ?? ""}`;
}

export function saveReport(report: HTMLElement, stamp: Line): void {
  const copy = report.cloneNode(true);
  if (!(copy instanceof HTMLElement)) return;
  for (const left of copy.querySelectorAll("button, details.raw:not([open]), .by-hand-place[hidden]")) left.remove();
  const page = document.implementation.createHTMLDocument(TEXTS.title);
  page.documentElement.lang = TEXTS.language;
  page.head.prepend(
    h("meta", { charset: "utf-8" }),
    h("meta", { "http-equiv": "Content-Security-Policy", content: policy() }),
    h("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    h("meta", { name: "color-scheme", content: "light dark" }),
  );
  const style = document.querySelector("style")?.cloneNode(true);
  if (style !== undefined) page.head.append(style);
  page.body.append(h("header", {}, h("h1", {}, TEXTS.title), h("p", {}, stamp)), h("main", {}, copy));
  // Serialising escapes text, and no text here was ever parsed as markup.
  download(`${TEXTS.save.file}-${today()}.html`, "text/html;charset=utf-8", "<!doctype html>\n", page.documentElement.outerHTML);
}

export function saveData(view: ReportView): void {
  const games = view.games.map(({ letters: _, ...game }) => game);
  download(`${TEXTS.save.file}-${today()}.json`, "application/json", JSON.stringify({ games, files: view.files }, null, 2));
}
