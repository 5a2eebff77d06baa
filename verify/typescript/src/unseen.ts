/** Unseen characters (protocol README, Conventions): they look like nothing or like a blank, or change how others look. The blank U+0020 is not one of them. */
export const UNSEEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;

export function isSeen(text: string): boolean {
  return !UNSEEN.test(text);
}
