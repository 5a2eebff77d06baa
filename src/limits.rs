//! Every limit in one place (`protocol/README.md`, Limits). They are checked before work that grows with the input,
//! and none depends on a drawn value.

/// How many games on hand may continue one game before none of them is compared with it (audit 11).
pub const SEQUELS: usize = 8;

/// Longest frame, and so longest payload, in bytes.
pub const FRAME_BYTES: usize = 1 << 20;
/// Deepest JSON: the outermost object or array is depth 1.
pub const JSON_DEPTH: usize = 10;
/// Largest magnitude of an integer: 2^53 - 1.
pub const INTEGER: i64 = (1 << 53) - 1;
/// Most lines in the scope of a void: all rows of a coin set.
pub const SCOPE_LINES: usize = 2_560;
/// Most dice that a forfeit names.
pub const DRAWS: usize = 65_536;
/// Most envelopes in a set.
pub const ENVELOPES: u64 = 256;
/// Notes are padded to multiples of so many bytes.
pub const NOTE_STEP: usize = 256;
/// Most keys of envelopes in one reveal.
pub const KEYS: usize = 256;
/// Columns of a sheet.
pub const COLUMNS: usize = 40;
/// Cells in a column of a sheet, and rows in an envelope of a coin set.
pub const ROWS: usize = 10;
/// Most hexes in one attack.
pub const HEXES: usize = 32;
/// Largest number on either side of the odds.
pub const ODDS: u64 = 999;
/// Most rolls in one ICRK declaration: a whole sheet.
pub const ICRK_ROLLS: usize = COLUMNS * ROWS;
/// Most phases, tables, decisions of a phase, penalties, deadlines in a charter, and files in the moves.
pub const LIST: usize = 64;
/// Latest time that a receipt can tell, in seconds since 1970: the end of the year 9999.
pub const MOMENT: u64 = 253_402_300_799;
/// Most entries in the roster that is declared for an event table.
pub const EVENT_ENTRIES: usize = 1024;
/// Most events that begin by themselves in each turn of a side.
pub const EVENTS_EACH_TURN: usize = 16;
/// Most runs that begin so in one turn.
pub const EVENT_RUNS: usize = 1023;
/// Most dice that a run draws.
pub const EVENT_DICE: u64 = 64;
/// Most steps that a run takes: tables, their modifiers, and steps of events.
pub const EVENT_STEPS: u64 = 256;
/// Most dice that the runs of a turn could draw.
pub const EVENT_TURN_DICE: u64 = 4_096;
/// Most looks of a turn: steps that look for candidates and the terms of their conditions, times the entries.
pub const EVENT_LOOKS: u64 = 1 << 20;
/// Length of every standing note of an event table before it is encrypted, in bytes.
pub const EVENT_NOTE_BYTES: usize = 4_096;
/// Most words of a die.
pub const DIE_WORDS: usize = 64;
/// Most segments of a player turn of the system `ndc`.
pub const NDC_SEGMENTS: u64 = 64;
/// Longest text of a sheet of a hidden course, in bytes.
pub const SHEET_BYTES: u64 = 65_536;
/// Largest file of `game export`, in bytes.
pub const EXPORT_BYTES: u64 = 1 << 28;
/// Largest file in it, in bytes.
pub const EXPORT_PART_BYTES: u64 = 1 << 24;
/// Most files in it.
pub const EXPORT_PARTS: usize = 1 << 17;
/// Most units of a side of the system `ndc`, those that are gone counted.
pub const NDC_UNITS: u64 = 64;
/// Most combats in one of its segments.
pub const NDC_COMBATS: u64 = 16;
/// Most attacks by electronic warfare each way in one of its combats.
pub const NDC_EW: u64 = 6;
/// Most contacts in one of its inputs: three hexes of each unit.
pub const NDC_CONTACTS: usize = 192;
/// Most interdictions in one of its player turns.
pub const NDC_INTERDICTIONS: usize = 64;
/// Most hexes that one of its inputs says were entered.
pub const NDC_HEXES: usize = 999;
/// Most units of a side in a battle.
pub const CIL_UNITS: usize = 200;
/// Highest Attack and Defense of a unit in a battle.
pub const CIL_VALUE: u64 = 40;
/// Highest strength of a unit in a battle.
pub const CIL_STRENGTH: u64 = 9_999;
/// Most rows in a user's hex value chart.
pub const CHART_ROWS: usize = 1024;
/// Most roles in `seen`, and most ids in the finding of a fork.
pub const SEEN: usize = 8;
/// Most heads of a game that another one continues: two players, a referee, an office.
pub const HEADS: usize = 4;
/// Most courses for which a charter says how they begin.
pub const STATES: usize = 8;
/// Words that one draw may reject before it is taken for a fault.
pub const REJECTIONS: usize = 65_536;
/// Most branches of the chains of one game.
pub const BRANCHES: usize = 256;
/// Longest key file, in bytes.
pub const KEY_FILE_BYTES: usize = 4096;
/// Longest text that is searched for a backup code, in bytes: a page with its drawing.
pub const BACKUP_BYTES: usize = 1 << 20;
/// Most memory that a key file may ask for when it is unlocked, in KiB: 256 MiB.
pub const PASSPHRASE_MEMORY_KIB: u32 = 256 << 10;
/// Most passes over that memory.
pub const PASSPHRASE_PASSES: u32 = 16;
/// Most lanes of that memory.
pub const PASSPHRASE_LANES: u32 = 16;
/// Longest message of which a mail reader takes the parts, in bytes: what most providers carry. A longer one is
/// searched as the text that it is.
pub const MESSAGE_BYTES: usize = 24 << 20;
/// Longest mark, from its first letter to its last, in bytes of UTF-8.
pub const MARK_BYTES: usize = 1 << 10;
/// Longest text between the marks of a letter, in bytes of UTF-8: the longest letter with five bytes of quote marks and
/// the like for each of its digits.
pub const ARMOUR_BYTES: usize = 8 << 20;
/// Deepest nesting of parts in a message.
pub const MIME_DEPTH: usize = 32;
/// Most parts of a message, itself and those that hold others counted.
pub const MIME_PARTS: usize = 4_096;
/// Most damaged letters that are told of one message.
pub const DAMAGED: usize = 256;
