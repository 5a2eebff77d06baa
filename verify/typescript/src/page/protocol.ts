/** The messages between the page and a worker. A worker reads and judges one set of files, and then answers questions about its report. */
import type { Recomputed } from "../recompute.js";
import type { ReportView } from "./model.js";

/** A step of the work. Reading is counted in bytes, the other steps in letters. */
export type Step = "reading" | "checking" | "judging";

/** A file or pasted text, with its name. */
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
