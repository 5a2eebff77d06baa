/** Mails as mail programs write them. The number of each letter decides its encoding. */
import type { Table } from "../players.js";

export interface MailFile {
  readonly name: string;
  readonly text: string;
}

function base64(text: string): string {
  return (Buffer.from(text).toString("base64").match(/.{1,76}/g) ?? []).join("\r\n");
}

function quotedPrintable(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replaceAll("=", "=3D").replace(/.{70}/g, "$&=\r\n"))
    .join("\r\n");
}

function html(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<html><head><style>p { color: red }</style></head><body><p>Dear friend,</p><blockquote>${escaped.replaceAll("\n", "<br>\n")}</blockquote></body></html>`;
}

const BOUNDARY = "=_a boundary";

function multipart(kind: string, parts: readonly string[]): string {
  return `Content-Type: multipart/${kind}; boundary="${BOUNDARY}"\r\n\r\n${parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join("")}--${BOUNDARY}--\r\n`;
}

const FORMS: readonly ((text: string) => string)[] = [
  (text) => `Content-Type: text/plain; charset=utf-8\r\n\r\n${text.replaceAll("\n", "\r\n")}`,
  (text) => `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${quotedPrintable(text)}`,
  (text) => `Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(text)}`,
  (text) => `Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${quotedPrintable(html(text))}`,
  (text) => multipart("alternative", [`Content-Type: text/plain\r\n\r\n${text.replaceAll("\n", "\r\n")}`, `Content-Type: text/html\r\n\r\n${html(text)}`]),
  (text) => multipart("mixed", ["Content-Type: text/plain\r\n\r\nSee the file.\r\n", `Content-Type: application/octet-stream; name="turn.txt"\r\nContent-Disposition: attachment; filename="turn.txt"\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(text)}`]),
  (text) => multipart("mixed", ["Content-Type: text/plain\r\n\r\nForwarded.\r\n", `Content-Type: message/rfc822\r\nContent-Disposition: attachment\r\n\r\nFrom: Bob <bob@play.invalid>\r\nSubject: inner\r\nDate: Mon, 2 Mar 2026 09:00:00 +0000\r\n\r\n${text.replaceAll("\n", "\r\n")}`]),
];

export function mailOf(text: string, i: number): string {
  const form = FORMS[i % FORMS.length] ?? ((one: string) => one);
  const day = 1 + (i % 28);
  return `Return-Path: <ann@play.invalid>\r\nFrom: =?utf-8?Q?Ann_K=C3=B6nig?= <ann@play.invalid>\r\nTo: Bob <bob@play.invalid>\r\nSubject: turn ${i}\r\nDate: ${day} Mar 2026 18:00:00 +0100\r\nMIME-Version: 1.0\r\n${form(`Hello,\n\n${text}\nBest\n`)}`;
}

export function mails(table: Table): MailFile[] {
  return table.letters.map((letter, i) => ({ name: `${String(i + 1).padStart(4, "0")}.eml`, text: mailOf(letter.text, i) }));
}

export function mailbox(table: Table): string {
  return table.letters.map((letter, i) => `From ann@play.invalid Sun Mar  1 18:00:00 2026\n${mailOf(letter.text, i).replaceAll("\r\n", "\n")}\n`).join("");
}
