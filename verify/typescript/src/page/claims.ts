/** Decodes the date and sender that a mail's header claims. */
import { decodeWords } from "postal-mime";
import type { Claims } from "../mail.js";

export function claimsOf({ date, from }: Claims): { readonly date: string | null; readonly from: string | null } {
  const time = Date.parse(date ?? "");
  return { date: Number.isNaN(time) ? date : new Date(time).toISOString(), from: from === null ? null : decodeWords(from) };
}
