/** What the page and its worker say to each other. */
import type { Recomputed } from "../recompute.js";
import type { ReportView } from "./model.js";

export type Step = "reading" | "checking" | "judging";

export type ToWorker =
  | { readonly ask: "files"; readonly files: readonly { readonly name: string; readonly file: Blob }[] }
  | { readonly ask: "text"; readonly name: string; readonly text: string }
  | { readonly ask: "by hand"; readonly call: number; readonly game: string; readonly declaration: string; readonly roll: number }
  | { readonly ask: "forget" };

export type FromWorker =
  | { readonly say: "progress"; readonly step: Step; readonly done: number; readonly total: number }
  | { readonly say: "report"; readonly view: ReportView }
  | { readonly say: "by hand"; readonly call: number; readonly result: Recomputed | null }
  | { readonly say: "forgotten" }
  | { readonly say: "failed"; readonly text: string };
