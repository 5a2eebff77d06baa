-- What an office stores (protocol/post.md 16).

-- Whose store it is: one row, the office's first signing key; whether it was restored, how many epochs were declared, and a
-- name of all positions, which a restore changes.
CREATE TABLE owner (
  only_one BIGINT PRIMARY KEY CHECK (only_one = 1),
  signer BYTEA NOT NULL,
  restored BIGINT NOT NULL DEFAULT 0,
  epochs BIGINT NOT NULL DEFAULT 0,
  generation BYTEA NOT NULL
);

-- A box is named by the id of its charter. `last` is the position of its last letter.
CREATE TABLE box (
  game BYTEA PRIMARY KEY,
  last BIGINT NOT NULL DEFAULT 0,
  bytes BIGINT NOT NULL DEFAULT 0,
  restored BIGINT NOT NULL DEFAULT 0
);

-- `own` is the number in the office's chain of a letter that it signed here: once a box.
CREATE TABLE letter (
  game BYTEA NOT NULL REFERENCES box,
  position BIGINT NOT NULL,
  id BYTEA NOT NULL,
  signer BYTEA NOT NULL,
  own BIGINT,
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
