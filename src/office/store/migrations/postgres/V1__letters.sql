-- What an office stores (protocol/post.md 16).

-- Whose store it is: one row, the office's first signing key; whether it was restored and no epoch declared since, how often
-- it was restored at all, a number that counts up to see whether it can be written, and a name of all positions, which a
-- restore changes.
CREATE TABLE owner (
  only_one BIGINT PRIMARY KEY CHECK (only_one = 1),
  signer BYTEA NOT NULL,
  restored BIGINT NOT NULL DEFAULT 0,
  restores BIGINT NOT NULL DEFAULT 0,
  beat BIGINT NOT NULL DEFAULT 0,
  generation BYTEA NOT NULL
);

-- A box is named by the id of its charter. `last` is the position of its last letter. It waits for an
-- epoch as long as `begun` is less than the owner's `restores`.
CREATE TABLE box (
  game BYTEA PRIMARY KEY,
  last BIGINT NOT NULL DEFAULT 0,
  bytes BIGINT NOT NULL DEFAULT 0,
  begun BIGINT NOT NULL DEFAULT 0
);

-- `own` is the place in the office's chain of a letter that it signed here, the game that it names and its number: once a box.
CREATE TABLE letter (
  game BYTEA NOT NULL REFERENCES box,
  position BIGINT NOT NULL,
  id BYTEA NOT NULL,
  signer BYTEA NOT NULL,
  own BYTEA,
  frame BYTEA NOT NULL,
  shown BIGINT NOT NULL,
  PRIMARY KEY (game, position),
  UNIQUE (game, id, signer),
  UNIQUE (game, own)
);

-- Each place of a set is opened once.
CREATE TABLE mark (
  seal BYTEA NOT NULL,
  place BIGINT NOT NULL,
  line BIGINT NOT NULL,
  letter BYTEA NOT NULL,
  PRIMARY KEY (seal, place, line)
);

CREATE TABLE reader (
  signer BYTEA NOT NULL,
  game BYTEA NOT NULL REFERENCES box,
  PRIMARY KEY (signer, game)
);

-- Boxes with letters that were taken and wait for their turn (post 19).
CREATE TABLE late (
  game BYTEA PRIMARY KEY REFERENCES box
);
