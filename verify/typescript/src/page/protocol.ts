/** What the page and a worker say to each other. A worker reads and judges one set of files, and then answers for its report. */
import type { Recomputed } from "../recompute.js";
import type { ReportView } from "./model.js";

/** Reading goes in bytes, the others in letters. */
export type Step = "reading" | "checking" | "judging";

/** A file, or text that was pasted, with its name. */
export interface Taken {
  readonly name: string;
  readonly file: Blob;
}

export type ToWorker =
  | { readonly ask: "report"; readonly files: readonly Taken[] }
  | { readonly ask: "by hand"; readonly call: number; readonly game: string; readonly declaration: string; readonly roll: number };

export type FromWorker =
  | { readonly say: "progress"; readonly step: Step; readonly done: number; readonly total: number }
  | { readonly say: "report"; readonly view: ReportView }
  | { readonly say: "by hand"; readonly call: number; readonly result: Recomputed | null }
  | { readonly say: "failed"; readonly text: string };
