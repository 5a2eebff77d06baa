/** The limits of the protocol's README. */
export const LIMITS = {
  frame: 1_048_576,
  armoured: 1_398_104,
  /** Characters in a mark, and between two marks (armour 8, 9). */
  mark: 1_024,
  between: 8_388_608,
  /** Bytes of a message or an HTML file that is taken apart; the number of its parts, and how deeply they nest (mail 8, 14). */
  message: 25_165_824,
  parts: 4_096,
  nesting: 32,
  /** Damaged letters of one message that are examined. */
  damaged: 256,
  depth: 10,
  places: 256,
  columns: 40,
  cells: 10,
  attacksAnEnvelope: 10,
  hexes: 32,
  odds: 999,
  rolls: 400,
  phases: 64,
  list: 64,
  scopeLines: 2_560,
  disputeLetters: 16,
  namedDice: 65_536,
  seen: 8,
  /** Games on hand that continue one game and are still compared with it (audit 11). */
  sequels: 8,
  forkIds: 8,
  branches: 256,
  chartRows: 1_024,
  keyFile: 4_096,
  receiptSeals: 64,
  /** 9999-12-31 23:59:59 UTC (office 33). */
  lastSecond: 253_402_300_799,
  refusedWords: 65_536,
} as const;
