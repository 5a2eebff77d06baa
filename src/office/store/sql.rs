//! The statements for both stores. Parameters are `$1`, `$2`, .. in the order of their first use, which is how SQLite
//! numbers them. A test prepares each statement on both databases.

/// Creates a box. A box that is created after a restore waits for an epoch, like earlier boxes (post 17).
pub(super) const OPEN: &str = "INSERT INTO box (game) VALUES ($1) ON CONFLICT DO NOTHING";
/// Returns the state of a box. The box waits for an epoch if there was a restore since its last epoch.
pub(super) const STAND: &str = "SELECT last, bytes, restores - begun FROM box, owner WHERE game = $1";
/// Moves the end of a box, unless another process has moved it already. Parameters: the new last position, the bytes
/// added, the box, the old last position.
pub(super) const MOVE: &str = "UPDATE box SET last = $1, bytes = bytes + $2 WHERE game = $3 AND last = $4";
/// Adds a letter. Parameters: the box, the position, the id, the key, the place in the office's chain, the frame,
/// shown.
pub(super) const LETTER: &str = "INSERT INTO letter (game, position, id, signer, own, frame, shown) \
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
/// Marks a place. Parameters: the seal, the index, the line, the letter.
pub(super) const MARK: &str =
    "INSERT INTO mark (seal, place, line, letter) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
/// Lets a key read a box. Parameters: the key, the box.
pub(super) const READER: &str = "INSERT INTO reader (signer, game) VALUES ($1, $2) ON CONFLICT DO NOTHING";
/// Returns letters from a box after a position. Parameters: the box, the position.
pub(super) const LETTERS: &str =
    "SELECT position, frame, shown FROM letter WHERE game = $1 AND position > $2 ORDER BY position LIMIT 256";
/// Whether a key may read a box. Parameters: the key, the box.
pub(super) const MAY_READ: &str = "SELECT 1 FROM reader WHERE signer = $1 AND game = $2";
/// Lists the boxes that a key may read, by id. Parameters: the key, the id to begin after, the maximum number of rows.
pub(super) const BOXES_OF: &str = "SELECT box.game, last, bytes, restores - begun \
    FROM reader JOIN box ON box.game = reader.game, owner WHERE reader.signer = $1 AND reader.game > $2 ORDER BY reader.game LIMIT $3";
/// Lists all boxes, by id. Parameters: the id to begin after, the maximum number of rows.
pub(super) const BOXES: &str = "SELECT game, last, bytes, restores - begun FROM box, owner \
    WHERE game > $1 ORDER BY game LIMIT $2";
/// Records that letters in a box wait for their turn.
pub(super) const LATE: &str = "INSERT INTO late (game) VALUES ($1) ON CONFLICT DO NOTHING";
/// Records that letters in a box no longer wait.
pub(super) const CAUGHT_UP: &str = "DELETE FROM late WHERE game = $1";
/// Lists the boxes in which letters wait.
pub(super) const ALL_LATE: &str = "SELECT game FROM late";
/// Records that an epoch has begun in a box.
pub(super) const BEGUN: &str = "UPDATE box SET begun = (SELECT restores FROM owner) WHERE game = $1";
/// Makes all boxes wait for an epoch, including future ones. Parameters: the new generation, the number of restores
/// that are known outside the store.
pub(super) const RESTORED: &str = "UPDATE owner SET restored = 1, generation = $1, \
    restores = 1 + CASE WHEN restores > $2 THEN restores ELSE $2 END";
/// Records that the operator has declared an epoch.
pub(super) const DECLARED: &str = "UPDATE owner SET restored = 0 WHERE restored = 1";
/// Returns the owner row of the store.
pub(super) const OWNER: &str = "SELECT signer, restored, restores, beat, generation FROM owner";
/// Increments the beat, and returns the owner row.
pub(super) const BEAT: &str = "UPDATE owner SET beat = beat + 1 RETURNING signer, restored, restores, beat, generation";
/// Whether the store has a letter that this office signed. Parameters: the box, the id.
pub(super) const HAS: &str = "SELECT 1 FROM letter WHERE game = $1 AND id = $2 AND own IS NOT NULL";
/// Makes a key the owner of the store. Parameters: the key, the generation.
pub(super) const OWN: &str =
    "INSERT INTO owner (only_one, signer, generation) VALUES (1, $1, $2) ON CONFLICT DO NOTHING";

/// Every statement in this file, for tests.
#[cfg(test)]
pub(super) const ALL: [&str; 20] = [
    OPEN, STAND, MOVE, LETTER, MARK, READER, LETTERS, MAY_READ, BOXES_OF, BOXES, LATE, CAUGHT_UP, ALL_LATE, BEGUN,
    RESTORED, DECLARED, OWNER, BEAT, HAS, OWN,
];
