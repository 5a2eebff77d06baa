-- What an office stores (protocol/post.md 16).

-- Whose store it is: one row, the office's first signing key; whether it was restored and no epoch declared since, how often
-- it was restored at all, a number that counts up to see whether it can be written, and a name of all positions, which a
-- restore changes.
CREATE TABLE owner (
  only_one INTEGER PRIMARY KEY CHECK (only_one = 1),
  signer BLOB NOT NULL,
  restored INTEGER NOT NULL DEFAULT 0,
  restores INTEGER NOT NULL DEFAULT 0,
  beat INTEGER NOT NULL DEFAULT 0,
  generation BLOB NOT NULL
) STRICT;

-- A box is named by the id of its charter. `last` is the position of its last letter. It waits for an
-- epoch as long as `begun` is less than the owner's `restores`.
CREATE TABLE box (
  game BLOB PRIMARY KEY,
  last INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  begun INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- `own` is the place in the office's chain of a letter that it signed here, the game that it names and its number: once a box.
CREATE TABLE letter (
  game BLOB NOT NULL REFERENCES box,
  position INTEGER NOT NULL,
  id BLOB NOT NULL,
  signer BLOB NOT NULL,
  own BLOB,
  frame BLOB NOT NULL,
  shown INTEGER NOT NULL,
  PRIMARY KEY (game, position),
  UNIQUE (game, id, signer),
  UNIQUE (game, own)
) STRICT;

-- Each place of a set is opened once.
CREATE TABLE mark (
  seal BLOB NOT NULL,
  place INTEGER NOT NULL,
  line INTEGER NOT NULL,
  letter BLOB NOT NULL,
  PRIMARY KEY (seal, place, line)
) STRICT, WITHOUT ROWID;

CREATE TABLE reader (
  signer BLOB NOT NULL,
  game BLOB NOT NULL REFERENCES box,
  PRIMARY KEY (signer, game)
) STRICT, WITHOUT ROWID;

-- Boxes with letters that were taken and wait for their turn (post 19).
CREATE TABLE late (
  game BLOB PRIMARY KEY REFERENCES box
) STRICT, WITHOUT ROWID;
