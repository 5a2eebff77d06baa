//! The statements of both stores, once. Parameters are `$1`, `$2`, .. in the order of their first use, which is the order
//! that SQLite numbers them in. A test prepares each on both.

/// Makes a box; one that is made after a restore waits for its epoch like those before (post 17).
pub(super) const OPEN: &str = "INSERT INTO box (game, restored) \
    SELECT $1, CASE WHEN restored + epochs > 0 THEN 1 ELSE 0 END FROM owner WHERE only_one = 1 ON CONFLICT DO NOTHING";
/// How a box stands.
pub(super) const STAND: &str = "SELECT last, bytes, restored FROM box WHERE game = $1";
/// Moves a box on, if nobody else has: position of the last letter, bytes added, box, position that was the last.
pub(super) const MOVE: &str = "UPDATE box SET last = $1, bytes = bytes + $2 WHERE game = $3 AND last = $4";
/// Adds a letter: box, position, id, key, own number, frame, shown.
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
pub(super) const BOXES_OF: &str = "SELECT box.game, last, bytes, restored FROM reader JOIN box ON box.game = reader.game \
    WHERE signer = $1 AND reader.game > $2 ORDER BY reader.game LIMIT $3";
/// Boxes by id.
pub(super) const BOXES: &str = "SELECT game, last, bytes, restored FROM box WHERE game > $1 ORDER BY game LIMIT $2";
/// That an epoch has begun in a box.
pub(super) const BEGUN: &str = "UPDATE box SET restored = 0 WHERE game = $1";
/// That all boxes wait for an epoch.
pub(super) const RESTORED: &str = "UPDATE box SET restored = 1";
/// The same of those to come.
pub(super) const OWNER_RESTORED: &str = "UPDATE owner SET restored = 1, generation = $1";
/// That the operator has declared an epoch.
pub(super) const DECLARED: &str = "UPDATE owner SET restored = 0, epochs = epochs + 1 WHERE restored = 1";
/// Whose store it is, and whether it was restored.
pub(super) const OWNER: &str = "SELECT signer, restored, epochs, generation FROM owner";
/// Makes it somebody's.
pub(super) const OWN: &str =
    "INSERT INTO owner (only_one, signer, generation) VALUES (1, $1, $2) ON CONFLICT DO NOTHING";

/// All of them.
#[cfg(test)]
pub(super) const ALL: [&str; 16] = [
    OPEN,
    STAND,
    MOVE,
    LETTER,
    MARK,
    READER,
    LETTERS,
    MAY_READ,
    BOXES_OF,
    BOXES,
    BEGUN,
    RESTORED,
    OWNER_RESTORED,
    DECLARED,
    OWNER,
    OWN,
];
