//! The statements of both stores, once. Parameters are `$1`, `$2`, .. in the order of their first use, which is the
//! order that SQLite numbers them in. A test prepares each on both.

/// Makes a box; one that is made after a restore waits for its epoch like those before (post 17).
pub(super) const OPEN: &str = "INSERT INTO box (game) VALUES ($1) ON CONFLICT DO NOTHING";
/// How a box stands: it waits for an epoch if there was a restore since it began one.
pub(super) const STAND: &str = "SELECT last, bytes, restores - begun FROM box, owner WHERE game = $1";
/// Moves a box on, if nobody else has: position of the last letter, bytes added, box, position that was the last.
pub(super) const MOVE: &str = "UPDATE box SET last = $1, bytes = bytes + $2 WHERE game = $3 AND last = $4";
/// Adds a letter: box, position, id, key, place in the own chain, frame, shown.
pub(super) const LETTER: &str = "INSERT INTO letter (game, position, id, signer, own, frame, shown) \
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
/// Marks a place: seal, index, line, letter.
pub(super) const MARK: &str =
    "INSERT INTO mark (seal, place, line, letter) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
/// Lets a key read a box.
pub(super) const READER: &str = "INSERT INTO reader (signer, game) VALUES ($1, $2) ON CONFLICT DO NOTHING";
/// Letters behind a position.
pub(super) const LETTERS: &str =
    "SELECT position, frame, shown FROM letter WHERE game = $1 AND position > $2 ORDER BY position LIMIT 256";
/// Whether a key may read a box.
pub(super) const MAY_READ: &str = "SELECT 1 FROM reader WHERE signer = $1 AND game = $2";
/// The boxes that a key may read, by id.
pub(super) const BOXES_OF: &str = "SELECT box.game, last, bytes, restores - begun \
    FROM reader JOIN box ON box.game = reader.game, owner WHERE reader.signer = $1 AND reader.game > $2 ORDER BY reader.game LIMIT $3";
/// Boxes by id: id to start behind, most rows.
pub(super) const BOXES: &str = "SELECT game, last, bytes, restores - begun FROM box, owner \
    WHERE game > $1 ORDER BY game LIMIT $2";
/// That letters of a box wait for their turn.
pub(super) const LATE: &str = "INSERT INTO late (game) VALUES ($1) ON CONFLICT DO NOTHING";
/// That they do not any more.
pub(super) const CAUGHT_UP: &str = "DELETE FROM late WHERE game = $1";
/// The boxes of which some do.
pub(super) const ALL_LATE: &str = "SELECT game FROM late";
/// That an epoch has begun in a box.
pub(super) const BEGUN: &str = "UPDATE box SET begun = (SELECT restores FROM owner) WHERE game = $1";
/// That all boxes wait for an epoch, those to come too: new generation, how many restores are known outside.
pub(super) const RESTORED: &str = "UPDATE owner SET restored = 1, generation = $1, \
    restores = 1 + CASE WHEN restores > $2 THEN restores ELSE $2 END";
/// That the operator has declared an epoch.
pub(super) const DECLARED: &str = "UPDATE owner SET restored = 0 WHERE restored = 1";
/// Whose store it is, and whether it was restored.
pub(super) const OWNER: &str = "SELECT signer, restored, restores, beat, generation FROM owner";
/// Counts up, and says whose it is.
pub(super) const BEAT: &str = "UPDATE owner SET beat = beat + 1 RETURNING signer, restored, restores, beat, generation";
/// Whether a letter is there that this office signed: box, id.
pub(super) const HAS: &str = "SELECT 1 FROM letter WHERE game = $1 AND id = $2 AND own IS NOT NULL";
/// Makes it somebody's.
pub(super) const OWN: &str =
    "INSERT INTO owner (only_one, signer, generation) VALUES (1, $1, $2) ON CONFLICT DO NOTHING";

/// Every statement in this file, for tests.
#[cfg(test)]
pub(super) const ALL: [&str; 20] = [
    OPEN, STAND, MOVE, LETTER, MARK, READER, LETTERS, MAY_READ, BOXES_OF, BOXES, LATE, CAUGHT_UP, ALL_LATE, BEGUN,
    RESTORED, DECLARED, OWNER, BEAT, HAS, OWN,
];
