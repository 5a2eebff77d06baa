//! All limits (`protocol/README.md`, Limits). They are checked before any work that grows with the input, and none
//! depends on a drawn value.

/// The maximum number of available games that continue the same game; if there are more, none is compared with it
/// (audit 11).
pub const SEQUELS: usize = 8;

/// Longest frame, and so longest payload, in bytes.
pub const FRAME_BYTES: usize = 1 << 20;
/// Deepest nesting of JSON; the outermost object or array has depth 1.
pub const JSON_DEPTH: usize = 10;
/// Largest magnitude of an integer: 2^53 - 1.
pub const INTEGER: i64 = (1 << 53) - 1;
/// The maximum number of lines in the scope of a void: all rows of a coin set.
pub const SCOPE_LINES: usize = 2_560;
/// The maximum number of dice that can be named after a forfeit.
pub const DRAWS: usize = 65_536;
/// The maximum number of envelopes in a set.
pub const ENVELOPES: u64 = 256;
/// Notes are padded to a multiple of this many bytes.
pub const NOTE_STEP: usize = 256;
/// The maximum number of envelope keys in one reveal.
pub const KEYS: usize = 256;
/// Columns of a sheet.
pub const COLUMNS: usize = 40;
/// Cells in a column of a sheet, and rows in an envelope of a coin set.
pub const ROWS: usize = 10;
/// The maximum number of hexes in one attack.
pub const HEXES: usize = 32;
/// Largest number on either side of the odds.
pub const ODDS: u64 = 999;
/// The maximum number of rolls in one ICRK declaration: a whole sheet.
pub const ICRK_ROLLS: usize = COLUMNS * ROWS;
/// The maximum length of each of these lists: phases, tables, penalties and deadlines of a charter, decisions of a
/// phase, and files of the moves.
pub const LIST: usize = 64;
/// Latest time that a receipt can report, in seconds since 1970: the end of the year 9999.
pub const MOMENT: u64 = 253_402_300_799;
/// The maximum number of entries in the roster declared for an event table.
pub const EVENT_ENTRIES: usize = 1024;
/// The maximum number of events that begin automatically in each turn of a side.
pub const EVENTS_EACH_TURN: usize = 16;
/// The maximum number of runs that begin automatically in one turn.
pub const EVENT_RUNS: usize = 1023;
/// The maximum number of dice that a run draws.
pub const EVENT_DICE: u64 = 64;
/// The maximum number of steps of a run: tables, their modifiers, and steps of events.
pub const EVENT_STEPS: u64 = 256;
/// The maximum number of dice that the runs of a turn could draw.
pub const EVENT_TURN_DICE: u64 = 4_096;
/// The maximum number of looks in a turn: the steps that look for candidates and the terms of their conditions, times
/// the entries.
pub const EVENT_LOOKS: u64 = 1 << 20;
/// Length of every standing note of an event table before it is encrypted, in bytes.
pub const EVENT_NOTE_BYTES: usize = 4_096;
/// The maximum number of words that a die can show.
pub const DIE_WORDS: usize = 64;
/// The maximum number of segments in a player turn of the system `ndc`.
pub const NDC_SEGMENTS: u64 = 64;
/// Longest text of a sheet of a hidden course, in bytes.
pub const SHEET_BYTES: u64 = 65_536;
/// Largest file of `game export`, in bytes.
pub const EXPORT_BYTES: u64 = 1 << 28;
/// Largest file inside an export, in bytes.
pub const EXPORT_PART_BYTES: u64 = 1 << 24;
/// The maximum number of files in an export.
pub const EXPORT_PARTS: usize = 1 << 17;
/// The maximum number of units of a side in the system `ndc`, including units that are gone.
pub const NDC_UNITS: u64 = 64;
/// The maximum number of combats in one segment of the system `ndc`.
pub const NDC_COMBATS: u64 = 16;
/// The maximum number of attacks by electronic warfare in each direction in one combat of the system `ndc`.
pub const NDC_EW: u64 = 6;
/// The maximum number of contacts in one input of the system `ndc`: three hexes for each unit.
pub const NDC_CONTACTS: usize = 192;
/// The maximum number of interdictions in one player turn of the system `ndc`.
pub const NDC_INTERDICTIONS: usize = 64;
/// The maximum number of entered hexes in one input of the system `ndc`.
pub const NDC_HEXES: usize = 999;
/// The maximum number of units of a side in a battle.
pub const CIL_UNITS: usize = 200;
/// Highest Attack and Defense of a unit in a battle.
pub const CIL_VALUE: u64 = 40;
/// Highest strength of a unit in a battle.
pub const CIL_STRENGTH: u64 = 9_999;
/// The maximum number of rows in a user's hex value chart.
pub const CHART_ROWS: usize = 1024;
/// The maximum number of roles in `seen`, and of ids in the finding of a fork.
pub const SEEN: usize = 8;
/// The maximum number of heads of a game that another game continues: two players, a referee, an office.
pub const HEADS: usize = 4;
/// The maximum number of courses for which a charter gives an initial state.
pub const STATES: usize = 8;
/// The maximum number of words that one draw may reject before that counts as a fault.
pub const REJECTIONS: usize = 65_536;
/// The maximum number of branches in the chains of one game.
pub const BRANCHES: usize = 256;
/// Longest key file, in bytes.
pub const KEY_FILE_BYTES: usize = 4096;
/// Longest text that is searched for a backup code, in bytes: a page with its QR drawing.
pub const BACKUP_BYTES: usize = 1 << 20;
/// The maximum memory that unlocking a key file may need, in KiB: 256 MiB.
pub const PASSPHRASE_MEMORY_KIB: u32 = 256 << 10;
/// The maximum number of passes over the memory when a key file is unlocked.
pub const PASSPHRASE_PASSES: u32 = 16;
/// The maximum number of lanes of the memory when a key file is unlocked.
pub const PASSPHRASE_LANES: u32 = 16;
/// Longest message that a mail reader splits into parts, in bytes: as long as most providers accept. A longer message
/// is searched as plain text.
pub const MESSAGE_BYTES: usize = 24 << 20;
/// Longest mark, from its first letter to its last, in bytes of UTF-8.
pub const MARK_BYTES: usize = 1 << 10;
/// Longest text between the marks of a letter, in bytes of UTF-8: the longest letter, with five bytes of quote marks or
/// similar for each of its digits.
pub const ARMOUR_BYTES: usize = 8 << 20;
/// Deepest nesting of parts in a message.
pub const MIME_DEPTH: usize = 32;
/// The maximum number of parts in a message, including the message itself and parts that contain others.
pub const MIME_PARTS: usize = 4_096;
/// The maximum number of damaged letters that are reported for one message.
pub const DAMAGED: usize = 256;
