//! The statements for both stores. Parameters are `$1`, `$2`, .. in the order of their first use, which is how SQLite
//! numbers them. A test prepares each statement on both.

/// Makes a box; one that is made after a restore waits for its epoch like earlier ones (post 17).
pub(super) const OPEN: &str = "INSERT INTO box (game) VALUES ($1) ON CONFLICT DO NOTHING";
/// Returns the state of a box: it waits for an epoch if there was a restore since its last epoch.
pub(super) const STAND: &str = "SELECT last, bytes, restores - begun FROM box, owner WHERE game = $1";
/// Moves a box on unless another process has: position of the last letter, bytes added, box, position that was the
/// last.
pub(super) const MOVE: &str = "UPDATE box SET last = $1, bytes = bytes + $2 WHERE game = $3 AND last = $4";
/// Adds a letter: box, position, id, key, place in the own chain, frame, shown.
pub(super) const LETTER: &str = "INSERT INTO letter (game, position, id, signer, own, frame, shown) \
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
/// Marks a place: seal, index, line, letter.
pub(super) const MARK: &str =
    "INSERT INTO mark (seal, place, line, letter) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
/// Lets a key read a box.
pub(super) const READER: &str = "INSERT INTO reader (signer, game) VALUES ($1, $2) ON CONFLICT DO NOTHING";
/// Returns letters after a position.
pub(super) const LETTERS: &str =
    "SELECT position, frame, shown FROM letter WHERE game = $1 AND position > $2 ORDER BY position LIMIT 256";
/// Whether a key may read a box.
pub(super) const MAY_READ: &str = "SELECT 1 FROM reader WHERE signer = $1 AND game = $2";
/// Lists the boxes that a key may read, by id.
pub(super) const BOXES_OF: &str = "SELECT box.game, last, bytes, restores - begun \
    FROM reader JOIN box ON box.game = reader.game, owner WHERE reader.signer = $1 AND reader.game > $2 ORDER BY reader.game LIMIT $3";
/// Lists boxes by id: id after which to start, most rows.
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
/// Makes all boxes wait for an epoch, including future ones: new generation, number of restores known outside.
pub(super) const RESTORED: &str = "UPDATE owner SET restored = 1, generation = $1, \
    restores = 1 + CASE WHEN restores > $2 THEN restores ELSE $2 END";
/// Records that the operator has declared an epoch.
pub(super) const DECLARED: &str = "UPDATE owner SET restored = 0 WHERE restored = 1";
/// Returns the owner row of the store.
pub(super) const OWNER: &str = "SELECT signer, restored, restores, beat, generation FROM owner";
/// Increments the beat, and returns the owner row.
pub(super) const BEAT: &str = "UPDATE owner SET beat = beat + 1 RETURNING signer, restored, restores, beat, generation";
/// Whether the store has a letter that this office signed: box, id.
pub(super) const HAS: &str = "SELECT 1 FROM letter WHERE game = $1 AND id = $2 AND own IS NOT NULL";
/// Makes the store for an owner.
pub(super) const OWN: &str =
    "INSERT INTO owner (only_one, signer, generation) VALUES (1, $1, $2) ON CONFLICT DO NOTHING";

/// Every statement in this file, for tests.
#[cfg(test)]
pub(super) const ALL: [&str; 20] = [
    OPEN, STAND, MOVE, LETTER, MARK, READER, LETTERS, MAY_READ, BOXES_OF, BOXES, LATE, CAUGHT_UP, ALL_LATE, BEGUN,
    RESTORED, DECLARED, OWNER, BEAT, HAS, OWN,
];
