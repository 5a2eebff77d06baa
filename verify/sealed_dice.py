#!/usr/bin/env python3
"""sealed-dice, protocol version 1: an independent checker.

Written only from the pages of `protocol/`, without looking at any other implementation. It needs only Python's standard
library (3.8 or later). Sections follow the pages in the order of `protocol/README.md`. A docstring or a string like
"declare 9" names the rule that the lines below it implement.

    python3 sealed_dice.py audit [--json] [--tables PATH].. PATH..
                                    prints a verdict for each game. A folder is read with everything in it; - is stdin.
                                    --tables names files or folders of tables that a charter withholds.
    python3 sealed_dice.py vectors DIR
                                    checks every test vector below DIR

`audit` exits with 0 if every game is verified, 1 if one is refuted, and otherwise 2; `vectors` with 0 if all pass.
"""

import base64
import bisect
import codecs
import copy
import hashlib
import heapq
import hmac
import json
import os
import re
import struct
import sys
from collections import Counter, defaultdict, namedtuple
from datetime import timedelta
from functools import lru_cache
from itertools import takewhile

from sealed_dice_parts.forms import (
    ANY, BOOL, HEX32, LETTER, MAX_FRAME, MAX_INTEGER, NAME, NULL, OBJECT, ROLE, Refused, ascending, both, demand,
    differ, encode, exactly_one, fields, integer, items, matching, named, one_of, or_null, parse, read_json,
    same, text, tuple_of)
from sealed_dice_parts.cil.system import Cil
from sealed_dice_parts.hidden import OpenedDice, Run, Step, Stop, Tables, named_streams, supplied_tables
from sealed_dice_parts.ndc.system import Ndc

# Limits (README)
MAX_BRANCHES = 256
MAX_HEXES = 32
MAX_SEEN = 8
MAX_SEQUELS = 8
MAX_ROLLS = 400
MAX_WORDS = 65536

# README, Conventions: written as inside a character class of a regular expression
UNSEEN = ("\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f"
          "\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff")


# ---------------------------------------------------------------------------------------------------------------- hash

def LE64(number):
    return struct.pack("<Q", number)

def PAE(*parts):
    """hash 1"""
    return LE64(len(parts)) + b"".join(LE64(len(part)) + part for part in parts)

def H(tag, *parts):
    """hash 2; hash 3: every item is a byte string"""
    return hashlib.sha3_256(PAE(b"sealed-dice/v1/" + tag.encode(), *parts)).digest()


# ------------------------------------------------------------------------------------------------------------- message

TYPE = b"sealed-dice/v1"

# Ed25519 (RFC 8032): points in extended coordinates (X, Y, Z, T) with x = X/Z, y = Y/Z, x y = T/Z.
P = 2 ** 255 - 19
L = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)
IDENTITY = (0, 1, 1, 0)

def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * D * p[3] * q[3] % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P

def double(p):
    a, b, c = p[0] * p[0] % P, p[1] * p[1] % P, 2 * p[2] * p[2] % P
    h, g = a + b, a - b
    e, f = h - (p[0] + p[1]) ** 2 % P, c + g
    return e * f % P, g * h % P, f * g % P, e * h % P

def is_identity(p):
    return p[0] % P == 0 and (p[1] - p[2]) % P == 0

def encode_point(p):
    inverse = pow(p[2], P - 2, P)
    x, y = p[0] * inverse % P, p[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")

def decode_point(data):
    """Returns the point that this canonical encoding stands for, or None."""
    number = int.from_bytes(data, "little")
    y, sign = number & (2 ** 255 - 1), number >> 255
    if len(data) != 32 or y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_1 % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P

def multiples(p):
    """Returns the multiples of p from 0 to 15."""
    table = [IDENTITY]
    for _ in range(15):
        table.append(add(table[-1], p))
    return table

BASE = multiples(decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little")))

def combine(s, k, table):
    """Returns [s]B + [k]A, where `table` is multiples(A). Both numbers are read four bits at a time."""
    point = IDENTITY
    for shift in range(252, -1, -4):
        for _ in range(4):
            point = double(point)
        point = add(point, BASE[s >> shift & 15])
        point = add(point, table[k >> shift & 15])
    return point

@lru_cache(maxsize=4096)
def key_table(key):
    """message 5: multiples of -A, or None if the key is not accepted. If [L] takes a point other than the identity to
    the identity, the point has prime order, so it is not of small order either."""
    a = decode_point(key)
    if a is None or is_identity(a) or not is_identity(combine(0, L, multiples(a))):
        return None
    return multiples((P - a[0], a[1], 1, P - a[3]))

def check_key(key):
    """message 5"""
    if key_table(key) is None:
        raise Refused("key", "the public key is not a canonical point of prime order")

def check_signature(key, message, signature):
    """message 6, for a key that message 5 accepts"""
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or s >= L:
        raise Refused("signature", "the signature is malformed")
    k = int.from_bytes(hashlib.sha512(r + key + message).digest(), "little") % L
    point = combine(s, k, key_table(key))
    if encode_point(point) != r or is_identity(double(double(double(point)))):
        raise Refused("signature", "the signature does not match")

def signed_bytes(kind, payload):
    """message 3"""
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)

def fingerprint(key):
    """message 7"""
    letters = base64.b32encode(H("key-fingerprint", key)[:15]).decode()
    return " ".join(letters[i:i + 4] for i in range(0, 24, 4))

FRAME = re.compile(rb"([^\n]*)\n([^\n]*)\n([0-9a-f]{64})\n([0-9a-f]{128})\n\n{0,2}")

KINDS = ("charter", "accept", "seal", "declare", "reveal", "decide", "correct", "claim", "ruling", "receipt",
         "resync", "deposit", "withdraw", "close")

HEAD = fields({                                                 # message 8
    "v": one_of(1),
    "kind": one_of(*KINDS),
    "game": or_null(HEX32),
    "author": ROLE,
    "number": integer(),
    "prev": or_null(LETTER),
    "seen": named(ROLE, or_null(LETTER), MAX_SEEN),
})

def head_holds(head):
    """message 9"""
    if head["kind"] in ("resync", "deposit", "withdraw"):
        unseen = all(name is None for name in head["seen"].values())
        return head["number"] == 0 and head["prev"] is None and head["game"] is not None and unseen
    first = head["number"] == 1 and head["prev"] is None
    if head["kind"] == "charter":
        return first and head["game"] is None
    if head["kind"] == "accept":
        return first and head["game"] is not None
    return head["game"] is not None and head["number"] >= 2 and head["prev"] is not None

class Letter:
    """A message that passed message 11 up to `signature`. Game fills in what replay finds out about it."""

    def __init__(self, message_id, key, payload):
        self.id = message_id
        self.key = key
        self.head, self.body = payload["head"], payload["body"]
        self.kind, self.author, self.number = self.head["kind"], self.head["author"], self.head["number"]
        self.game, self.prev, self.seen = self.head["game"], self.head["prev"], self.head["seen"]
        self.in_body = [(name, kinds) for path, kinds in NAMED.get(self.kind, []) for name in reach(self.body, path)]
        self.names = {self.prev, *self.seen.values(), *(name for name, _ in self.in_body)} - {None}
        self.attached = self.stands = False                     # chain 2, chain 12
        self.opens = self.excused = False                       # letters 9, chain 14
        self.valid = False                                      # letters 6
        self.broke = None                                       # the first rule that it breaks
        self.bit = self.past = self.cover = self.chain = 0      # sets of letters as bits, see Game.place
        self.holds = None                                       # charter 6, once checked
        self.follows_seen = False                               # chain 3, see Game.place
        self.last_slot, self.breaches = (), []                  # declare 21, declare, Breach: after this letter
        self.rolls, self.places = [], []  # of a declaration: its rolls and the places that they open,
        self.secret = None                                      # and the place of its sealed contribution;
        self.found, self.orders = [], []                        # the standing notes that it finds, and its orders
        self.place = self.state = None                          # its place; in a course, the state before it
        self.stood = {}                                         # where each course stands in its past
        self.unsettles = ()                                     # courses 5: see Game.unsettle
        self.fallback = ""                                      # deposits 3, of a seal

    def fresh(self):
        """Returns the same message, without anything that replay found out."""
        return Letter(self.id, self.key, {"body": self.body, "head": self.head})

def open_message(frame):
    """message 11, from `size` to `signature`: turns the bytes of a frame into a Letter. A Refused is raised again."""
    if isinstance(frame, Refused):
        raise frame
    if len(frame) > MAX_FRAME:
        raise Refused("size", "the frame is longer than %d bytes" % MAX_FRAME)
    parts = FRAME.fullmatch(frame)
    if not parts or parts[1] != TYPE or len(frame) % 3:         # message 1
        raise Refused("frame", "not a frame of type %s" % TYPE.decode())
    payload, key, signature = parts[2], bytes.fromhex(parts[3].decode()), bytes.fromhex(parts[4].decode())
    message_id = H("message-id", TYPE, payload).hex()           # message 4
    try:
        check_key(key)
        value = read_json(payload)
        if not fields({"body": OBJECT, "head": HEAD})(value) or not head_holds(value["head"]):
            raise Refused("fields", "the head is not that of a letter")
        if not BODIES[value["head"]["kind"]](value["body"]):
            raise Refused("fields", "the body is not that of a letter of kind " + value["head"]["kind"])
        check_signature(key, signed_bytes(TYPE, payload), signature)
    except Refused as refused:
        refused.message_id = message_id
        raise
    return Letter(message_id, key.hex(), value)


# -------------------------------------------------------------------------------------------------------------- armour

# armour 2, 3
WHITE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
INVISIBLE = "\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff"
IGNORABLE = "(?:[" + WHITE + INVISIBLE + ">|]|=(?=\r?\n))"
DASH = "[\\-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]"
REMAINS = "=[0-9A-Fa-f]{2}"

def spread(word):
    return (IGNORABLE + "*").join(word)

MARK = re.compile("(" + (IGNORABLE + "+").join(
    ["(?:" + spread("BEGIN") + "|(" + spread("END") + "))", spread("SEALED"), spread("DICE"), spread("MESSAGE")]) + ")")
SKIPPED = re.compile("(?:" + DASH + "|" + IGNORABLE + "|" + REMAINS + ")*")
SKIPPED_REVERSED = re.compile("(?:" + DASH + "|[" + WHITE + INVISIBLE + ">|]|(?<=\n)=|(?<=\n\r)=|[0-9A-Fa-f]{2}=)*")
NOT_IGNORABLE = re.compile("[^" + WHITE + INVISIBLE + ">|]")
IGNORED = re.compile(IGNORABLE)
DASH_ESCAPE = re.compile(DASH + " ")
BASE64 = re.compile("[A-Za-z0-9+/]+")
MAX_MARK, MAX_BODY, MAX_LEFT = 1024, 8388608, 1398104                           # armour 8 to 10

def utf8_length(content):
    return len(content.encode("utf-8", "surrogatepass"))

def decode_body(body):
    """armour 4: the frame in the text between two marks"""
    body = body[SKIPPED.match(body).end():]                                     # armour 3
    body = body[:len(body) - SKIPPED_REVERSED.match(body[::-1]).end()]
    lines = body.split("\n")
    for i, line in enumerate(lines):
        first = NOT_IGNORABLE.search(line)
        if first and DASH_ESCAPE.match(line, first.start()):
            lines[i] = line[first.end():]
    left = IGNORED.sub("", "\n".join(lines))
    if utf8_length(left) > MAX_LEFT:
        raise Refused("size", "more than %d bytes in a body" % MAX_LEFT)
    if len(left) % 4 or not BASE64.fullmatch(left):
        bare = [IGNORED.sub("", line) for line in lines]                        # armour 7
        odd = [i + 1 for i, b in enumerate(bare[:-1]) if len(b) != 64 or not BASE64.fullmatch(b)] + [len(bare)]
        raise Refused("armour", "the body is not base64; line %d of it is damaged" % odd[0])
    return base64.b64decode(left)

def windows_1252(error):
    """mail 3: decodes bytes that are not part of a UTF-8 character"""
    alone = error.object[error.start:error.end]
    unused = (0x81, 0x8d, 0x8f, 0x90, 0x9d)
    shown = "".join(bytes([b]).decode("latin-1" if b in unused else "cp1252") for b in alone)
    return shown, error.end

codecs.register_error("sealed-dice-mail", windows_1252)

def as_text(content):
    """mail 3: decodes the bytes of a file"""
    zeros = [byte == 0 for byte in content[:4]]
    if content[:2] == b"\xff\xfe" or zeros == [False, True, False, True]:
        return content.decode("utf-16-le", "replace")
    if content[:2] == b"\xfe\xff" or zeros == [True, False, True, False]:
        return content.decode("utf-16-be", "replace")
    return content.decode("utf-8", "sealed-dice-mail")

def read_armour(content):
    """armour 2 to 9: pairs of a frame (or a Refused) and the number of the line where its blob begins"""
    blobs, begun, line, counted = [], None, 1, 0
    for mark in MARK.finditer(content):
        if utf8_length(mark[0]) > MAX_MARK:
            continue
        line, counted = line + content.count("\n", counted, mark.start()), mark.start()
        body = content[begun[0]:mark.start()] if begun else ""
        if begun and utf8_length(body) > MAX_BODY:
            blobs.append((Refused("size", "no mark within %d bytes of BEGIN" % MAX_BODY), begun[1]))
            begun = None
        if begun and mark[2]:
            try:
                blobs.append((decode_body(body), begun[1]))
            except Refused as refused:
                blobs.append((refused, begun[1]))
        elif begun:
            blobs.append((Refused("armour", "BEGIN without END"), begun[1]))
        elif mark[2]:
            blobs.append((Refused("armour", "END without BEGIN"), line))
        begun = None if mark[2] else (mark.end(), line)
    if begun and utf8_length(content[begun[0]:]) > MAX_BODY:
        blobs.append((Refused("size", "no mark within %d bytes of BEGIN" % MAX_BODY), begun[1]))
    elif begun:
        blobs.append((Refused("armour", "BEGIN without END"), begun[1]))
    return blobs


# ------------------------------------------------------------------------------------------------------------ envelope

def context(game, purpose, kind, sealer, declarer, revealer, fallback, n):
    """envelope 1: the items in the context of a set"""
    return (bytes.fromhex(game), purpose.encode(), kind.encode(), sealer.encode(), declarer.encode(), revealer.encode(),
            fallback.encode(), LE64(n))

def context_of(seal):
    """envelope 1, for a seal"""
    body = seal.body
    return context(seal.game, body["purpose"], body["kind"], seal.author, body["declarer"], body["revealer"],
                   seal.fallback, body["n"])

def at(items_of_set, place):
    """envelope 2: the A of a place, which is (index,) or (column, row)"""
    return PAE(*items_of_set, *map(LE64, place))

def set_master(vault, items_of_set, salt):
    """envelope 3"""
    return H("set-master", vault, PAE(*items_of_set), salt)

def key_of(items_of_set, master, place):
    """envelope 4, envelope 5: the key of a place"""
    if len(place) == 1:
        return H("envelope-key", master, at(items_of_set, place))
    column, bottom = place
    key = H("envelope-key", master, at(items_of_set, (column, 10)))
    for r in range(10, bottom, -1):
        key = H("cell-chain", at(items_of_set, (column, r)), key)
    return key

def commitment(items_of_set, place, key):
    """envelope 4: C of an envelope; envelope 5: K_0 of the column of a cell"""
    if len(place) == 1:
        return H("envelope-commit", at(items_of_set, place), key)
    return cells_above(items_of_set, place, key)[0]

def cells_above(items_of_set, place, key):
    """envelope 5: the keys K_0 to K_r of a column, from the key of row r"""
    keys = [key]
    for r in range(place[1], 0, -1):
        keys.append(H("cell-chain", at(items_of_set, (place[0], r)), keys[-1]))
    return keys[::-1]

def seed_of(items_of_set, place, key):
    """envelope 4, envelope 5"""
    return H("envelope-seed", at(items_of_set, place), key)

def chacha20_block(key, counter, nonce):
    """RFC 8439, 2.3: a block as sixteen words"""
    start = struct.unpack("<16L", b"expand 32-byte k" + key + struct.pack("<L", counter) + nonce)
    s = list(start)
    for _ in range(10):
        for a, b, c, d in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                           (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            for i, j, k, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                s[i] = s[i] + s[j] & 0xffffffff
                x = s[k] ^ s[i]
                s[k] = (x << turn | x >> 32 - turn) & 0xffffffff
    return [x + y & 0xffffffff for x, y in zip(s, start)]

NONCE = bytes(12)

def aead_decrypt(key, nonce, associated, ciphertext):
    """RFC 8439, 2.8: the plaintext, or None if the tag does not match"""
    def padded(data):
        return data + bytes(-len(data) % 16)

    one_time = struct.pack("<16L", *chacha20_block(key, 0, nonce))
    r = int.from_bytes(one_time[:16], "little") & 0x0ffffffc0ffffffc0ffffffc0fffffff
    data, tag = ciphertext[:-16], ciphertext[-16:]
    sealed = padded(associated) + padded(data) + LE64(len(associated)) + LE64(len(data))
    accumulator = 0
    for i in range(0, len(sealed), 16):
        accumulator = (accumulator + int.from_bytes(sealed[i:i + 16] + b"\x01", "little")) * r % (2 ** 130 - 5)
    if ((accumulator + int.from_bytes(one_time[16:32], "little")) % 2 ** 128).to_bytes(16, "little") != tag:
        return None
    blocks = range((len(data) + 63) // 64)
    stream = b"".join(struct.pack("<16L", *chacha20_block(key, i + 1, nonce)) for i in blocks)
    return bytes(x ^ y for x, y in zip(data, stream))

def open_note(items_of_set, key, ciphertext):
    """envelope 6, 7: the text, or None. Does not check that the key matches C_0."""
    a = at(items_of_set, (0,))
    plain = aead_decrypt(H("note-key", a, key), NONCE, a, ciphertext)
    if plain is None or len(plain) % 256:
        return None
    body = plain.rstrip(b"\x00")
    if not body.endswith(b"\x80"):
        return None
    try:
        return body[:-1].decode("utf-8")
    except UnicodeDecodeError:
        return None


# ---------------------------------------------------------------------------------------------------------------- dice

def dice_root(seal, declaration, index, seed, contribution):
    """dice 1; takes the two ids as hex, the seed and the contribution as bytes"""
    return H("dice-root", bytes.fromhex(seal), bytes.fromhex(declaration), LE64(index), seed, contribution)

def roll_key(root, line):
    """dice 2"""
    return H("roll-key", root, LE64(line))

class Stream:
    """dice 3: the keystream of one line; `words` holds the words taken so far"""

    def __init__(self, key):
        self.key, self.words, self.block = key, [], []

    def word(self):
        if len(self.words) % 16 == 0:
            self.block = chacha20_block(self.key, len(self.words) // 16, NONCE)
        self.words.append(self.block[len(self.words) % 16])
        return self.words[-1]

    def draw(self, sides):
        """dice 4"""
        if not 1 <= sides <= 2 ** 32:
            raise Refused("rule", "no die has %d sides" % sides)
        for _ in range(MAX_WORDS):
            word = self.word()
            if word < 2 ** 32 - 2 ** 32 % sides:
                return 1 + word % sides
        raise Refused("rule", "a draw has refused %d words" % MAX_WORDS)

VALUES = one_of("1-6", "0-9", "2-12")

def sides_of(values):
    """dice 7: the sides of each die that goes into a value"""
    return {"1-6": [6], "0-9": [10], "2-12": [6, 6]}[values]

def value_of(values, drawn):
    """dice 7: the value that these draws make"""
    return sum(drawn) - (values == "0-9")


# --------------------------------------------------------------------------------------------------------------- chain

OF_THE_CHAIN = ("chain 2", "chain 3")

def follows(letter, before):
    """chain 2"""
    return before.author == letter.author and before.number == letter.number - 1

def bits_of(number):
    while number:
        bit = number & -number
        yield bit
        number ^= bit

class Game:
    """All letters of one game, with their places and what replay has found. A set of letters is an integer: bit i is
    the letter that is replayed as number i (from 0)."""

    def __init__(self, charter, accept, before, letters, other_accepts):
        """chain 1. `before` has the accepts that the opponent's accept has seen, `other_accepts` the opponent's other
        accepts that are placed (chain 9)."""
        charter, accept, *others = [x.fresh() for x in (charter, accept, *before, *letters)]
        self.id, self.charter, self.accept, self.other_accepts = accept.id, charter, accept, other_accepts
        self.terms = charter.body
        self.keys_of = {party["role"]: party["key"] for party in parties_of(charter)}
        self.roles = list(self.keys_of)
        self.players = self.roles[:2]
        self.referee, self.office = ((self.terms[who] or {}).get("role") for who in ("referee", "office"))
        self.phases = {phase["name"]: phase for phase in self.terms["phases"]}
        names = dict.fromkeys(x["system"] for x in self.terms["phases"] if SYSTEMS[x["system"]].is_course)
        self.courses = {name: Course(self, name) for name in names}
        self.findings = []
        self.marks = defaultdict(int)           # what letters did: for each deed, the set of letters that did it
        self.openers = defaultdict(int)         # letters 9: the openers of (seal, index) or (seal, column, row)
        self.keys = {}                          # the key of each opened place
        self.replaced = {}                      # the redo that replaced a declaration
        self.settled = {}                       # by the id of a breach: the redo that settles it once answered
        self.ruled = defaultdict(list)          # ruling 5, 12: the rulings that settle a letter
        self.voided = {}                        # disputes 4: what voided the roll (declaration, line)
        self.named = {}                         # disputes 14: the letter that names the dice of a declaration
        self.agreed = []                        # valid acceptances of a proposal with an input
        self.left = {}                          # courses 8: by the id of a breach, the declaration with another `after`
        self.asked = dict.fromkeys(self.players, 0)             # letters 28: proposals that wait for a player's answer
        self.epochs = 0                         # office 22, 27: the epochs,
        self.times = []                         # and the receipts that tell the time
        self.answered_by = {}                   # the letter that answers a proposal
        self.unsettling = 0                     # the letters that unsettle a declaration
        self.letters = {x.id: x for x in (charter, accept, *others) if x.key == self.keys_of.get(x.author)}     # keys 1
        self.strangers = [x for x in others if self.letters.get(x.id) is not x]
        self.place()
        for letter in self.letters.values():
            letter.fallback = fallback_of(self, letter)
        self.missing = self.find_missing()
        self.replayed = self.count_branches() <= MAX_BRANCHES   # chain 15
        forks = self.find_forks()
        if self.replayed:
            self.find_openings()
            self.settle(forks)
            for letter in self.order:
                self.replay(letter)
            self.end = Reader(self)
            self.findings += find_violations(self)
            self.findings.sort(key=lambda found: self.letters[found["message_ids"][0]].bit)
            for found in self.findings:
                name, redo = found["message_ids"][0], settlement(self, found)
                if not redo or not is_settled_by(self, redo):
                    redo = self.left.get(name) or next(iter(self.ruled[name]), None)
                found["settled_by"] = redo and redo.id
        else:
            self.find_detached()
        accepts = [self.accept, *other_accepts] if self.accept.attached else []             # chain 9
        forks = sorted(forks + [accepts] * (len(accepts) > 1), key=lambda fork: min(map(self.place_of, fork)))
        self.findings = [self.finding_on(fork) for fork in forks] + self.findings

    # chain 3 to 7

    def place(self):
        """Puts the placed letters in the order of replay and fills in three sets for each: `past`, the letters that it
        reaches through names; `cover`, its `prev`, its `seen` and the past of each; and `chain`, the letters that it
        follows by `prev`."""
        waits = {letter.id: len(letter.names) for letter in self.letters.values()}
        waited_for = defaultdict(list)
        for letter in self.letters.values():
            for name in letter.names:
                waited_for[name].append(letter)

        queue = [self.place_of(letter) for letter in self.letters.values() if not waits[letter.id]]
        self.order = []
        heapq.heapify(queue)
        while queue:
            letter = self.letters[heapq.heappop(queue)[2]]
            before = self.letters.get(letter.prev)
            letter.bit = 1 << len(self.order)
            letter.attached = before is None or before.attached and follows(letter, before)
            self.order.append(letter)
            for other in letter.names:
                letter.past |= self.letters[other].past | self.letters[other].bit
            for other in {letter.prev, *letter.seen.values()} - {None}:
                letter.cover |= self.letters[other].past | self.letters[other].bit
            if before:
                letter.chain = before.chain | before.bit
            letter.follows_seen = letter.attached and self.seen_holds(letter)
            for follower in waited_for[letter.id]:
                waits[follower.id] -= 1
                if waits[follower.id] == 0:
                    heapq.heappush(queue, self.place_of(follower))
        self.attached = [letter for letter in self.order if letter.attached]

    def place_of(self, letter):
        """chain 7, 8, 15"""
        return self.roles.index(letter.author), letter.number, letter.id

    def seen_holds(self, letter):
        """chain 3"""
        if letter.prev is None:
            return True                                         # charter 6, charter 16
        if letter.seen.keys() != set(self.roles) - {letter.author}:
            return False
        for role, name in letter.seen.items():
            seen, before = self.letters.get(name), self.letters.get(self.letters[letter.prev].seen.get(role))
            if seen and seen.author != role or before and (not seen or seen.bit & before.chain):
                return False
        return True

    # chain 4, audit 4

    def find_missing(self):
        named_by = defaultdict(list)
        for letter in sorted(self.letters.values(), key=lambda x: x.id):
            for name in letter.names.difference(self.letters):
                named_by[name].append(letter)
        return [missing(name, namers) for name, namers in sorted(named_by.items())]

    # chain 8 to 15

    def count_branches(self):
        """chain 15"""
        followed = {x.prev for x in self.order if x.prev and follows(x, self.letters[x.prev])}
        return sum(letter.id not in followed for letter in self.order)

    def find_forks(self):
        """chain 8: the forks of this game, each as the list of first letters of its branches"""
        after = defaultdict(list)
        for letter in self.attached:
            after[letter.prev].append(letter)
        return [some for prev, some in after.items() if prev and len(some) > 1]

    def finding_on(self, fork):
        """chain 8, 9, 15; office 26; disputes 21"""
        author, number = fork[0].author, fork[0].number
        restored = self.replayed and sum(begins_epoch(self, x) for x in fork) >= len(fork) - 1
        found = finding("chain", None if restored else author, sorted(x.id for x in fork)[:MAX_SEEN],
                        "chain %d: %d letters of %s, or whoever has the key or a backup of it, have number %d" % (
                            9 if fork[0].kind == "accept" else 8, len(fork), author, number))
        rulings = sorted((x for letter in fork for x in self.ruled[letter.id]), key=lambda x: x.bit)
        found["settled_by"] = next((ruling.id for ruling in rulings if all(
            x.id in self.letters and x.bit & ruling.past for x in fork)), None)
        return found

    def find_openings(self):
        """letters 9: finds the places that are opened, who opens them, and which letters make an opening"""
        for letter in self.order:
            for place, key in opened_by(self, letter):
                letter.opens |= opening_in(letter) is not None and self.may_open(letter.author, self.letters[place[0]])
                self.openers[place] |= letter.bit
                self.keys[place] = key

    def may_open(self, author, seal):
        """letters 9; office 36: whether a key of a set counts as an opening if this role carries it"""
        time_witness = author == self.office and not self.terms["office"]["deposit"]
        by_player = seal.author in self.players
        return by_player and not time_witness and author in (seal.author, seal.body["revealer"], seal.fallback)

    def settle(self, forks):
        """chain 10 to 14, office 22: finds the letters that stand and those that are excused, in one pass for all
        forks. A set of branches from any forks is an integer, in which each branch has a bit."""
        starts, fork_of = {}, {}  # the bit of each first letter; for each bit, all bits of its fork
        own = dict.fromkeys(self.roles, 0)
        for fork in forks:
            if self.may_fall(fork[0]):
                bits = [1 << k for k in range(len(starts), len(starts) + len(fork))]
                starts.update(zip([x.id for x in fork], bits))
                fork_of.update(dict.fromkeys(bits, sum(bits)))
                own[fork[0].author] |= sum(bits)

        @lru_cache(maxsize=None)
        def whole(branches):
            """Returns all branches of the forks that these branches belong to."""
            found = 0
            for bit in bits_of(branches):
                found |= fork_of[bit]
            return found

        @lru_cache(maxsize=None)
        def single(branches):
            """Returns those of these branches that are alone: no other branch of the same fork is in the set."""
            return sum(bit for bit in bits_of(branches) if branches & fork_of[bit] == bit)

        on, held, known, known_strong = {None: 0}, {}, {}, {}   # by letter; the last three include its past
        sides, backed, strong = {}, 0, 0
        at_players = sum(own[role] for role in self.roles if self.may_be_strong(role))
        for letter in self.order:
            branches = holds = knows = knows_strong = backs = 0
            for name in letter.names:
                holds |= held[name]
                knows |= known[name]
                knows_strong |= known_strong[name]
            for role in set(self.roles) - {letter.author}:      # chain 10
                seen = on.get(letter.seen.get(role), 0) & own[role]
                branches |= seen | single(holds & own[role] & ~whole(seen))
            if letter.attached and (letter.author in self.players or letter.opens):         # chain 11
                backs = branches & ~whole(self.knows_other(branches, knows))
            backs_strong = backs & at_players if self.is_strong(letter) else 0              # chain 12
            backed, strong = backed | backs, strong | backs_strong
            sides[letter] = branches, holds, knows, knows_strong, backs
            on[letter.id] = on[letter.prev] | starts.get(letter.id, 0) if letter.attached else 0
            held[letter.id] = holds | on[letter.id]
            known[letter.id], known_strong[letter.id] = knows | backs, knows_strong | backs_strong

        stand = single(self.counting(strong, backed, whole))
        fell = sum(own.values()) & ~stand
        live = sum(bit for name, bit in starts.items() if not on[self.letters[name].prev] & fell)
        for letter, (branches, holds, knows, knows_strong, backs) in sides.items():
            letter.stands = letter.attached and not on[letter.id] & fell
            told = self.ends_excuse(branches, knows_strong | knows & ~whole(strong))
            blind = letter.kind == "ruling" and "open" not in letter.body["rule"]
            chosen = self.was_chosen(branches & stand, whole(knows | backs) if blind else branches)
            letter.excused = holds & live & ~(own[letter.author] | whole(chosen | told)) != 0       # chain 14

    def may_fall(self, letter):
        """office 22: whether the branch that begins with this letter may fall"""
        return letter.author != self.office

    def knows_other(self, branches, knows):
        """chain 11: the branches with a witness in a letter's past that the letter does not side with"""
        return knows & ~branches

    def may_be_strong(self, role):
        """chain 12: whether the forks of a role can have strong witnesses"""
        return role in self.players

    def counting(self, strong, backed, whole):
        """chain 12: the branches with a counting witness. `strong` has a strong witness, and `backed` any witness."""
        return strong | backed & ~whole(strong)

    def was_chosen(self, stood, witnesses):
        """chain 14: the standing branches of forks that have a witness in a letter's past, or the letter itself.
        `witnesses` has all branches of these forks."""
        return stood & witnesses

    def ends_excuse(self, branches, counting):
        """chain 14: the branches with a counting witness in a letter's past that the letter does not side with"""
        return counting & ~branches

    def is_strong(self, letter):
        """chain 12: whether a witness at a player's fork is strong"""
        return (letter.opens or letter.kind == "declare" or letter.kind == "claim" and "names" in letter.body
                or letter.kind == "close" and letter.body["masters"] is not None)

    def find_detached(self):
        """chain 15: adds a finding for each letter, placed or not, whose own link breaks chain 2"""
        for letter in sorted(self.letters.values(), key=self.place_of):
            before = self.letters.get(letter.prev)
            if before and not follows(letter, before):
                self.findings.append(finding("chain", letter.author, [letter.id], "chain 2: its prev breaks it"))

    # Replay

    def replay(self, letter):
        if letter.kind == "declare":
            letter.found, letter.orders = standing_notes(self, letter), orders_of(self, letter)
        if letter.stands:
            before = self.letters.get(letter.prev, letter)
            letter.last_slot, letter.breaches = before.last_slot, before.breaches
            letter.stood = {name: course.standing_in(letter.past, before) for name, course in self.courses.items()}
            letter.broke = first_broken(self, letter)
            letter.valid = letter.broke is None
            is_own_kind = letter.broke != "letters 4"
            if is_own_kind and (letter.follows_seen or letter.author == self.office and letter.kind == "receipt"):
                keep(self, letter)                              # letters 7, office 23
        elif not letter.attached and not follows(letter, self.letters[letter.prev]):
            letter.broke = "chain 2"
        if letter.broke:
            code = "chain" if letter.broke in OF_THE_CHAIN else "rule"
            culprit = None if may_have_been_good(letter) else letter.author
            self.findings.append(finding(code, culprit, [letter.id], "%s: %s %d of %s breaks it" % (
                letter.broke, letter.kind, letter.number, letter.author)))

    def mark(self, letter, *deed):
        self.marks[deed] |= letter.bit

    def unsettle(self, letter, names):
        """courses 5: records that a letter unsettles these declarations. Where the letter is known, they are taken in
        another way or not at all: it replaces, voids or forfeits them, or names their dice."""
        letter.unsettles = [self.letters[name] for name in names]
        self.unsettling |= letter.bit

    def members(self, letters):
        """Yields the letters of a set in the order of replay."""
        return (self.order[bit.bit_length() - 1] for bit in bits_of(letters))

    def acts(self, letter):
        """letters 6, 7: whether a letter counts for rules that do not say *valid*"""
        return letter.stands and letter.broke not in OF_THE_CHAIN and letter.broke != "letters 4"


class Reader:
    """A reader who has all letters. It behaves like a letter that has every letter in its past."""
    past = chain = -1

    def __init__(self, game):
        self.stood = {name: course.standing_in(-1, game.accept) for name, course in game.courses.items()}


# ------------------------------------------------------------------------------------------------------------- charter

PARTY = {"key": HEX32, "name": text(1, 80), "role": ROLE}
CHARTER = fields({                                              # charter 1
    "title": text(1, 200),
    "nonce": HEX32,
    "compared": BOOL,
    "parties": tuple_of(fields(PARTY), fields(PARTY)),
    "referee": or_null(fields({**PARTY, "deposit": or_null(fields({"key": HEX32, "notes": BOOL}))})),
    "office": or_null(fields({**PARTY, "deposit": or_null(fields({"key": HEX32, "notes": BOOL}))})),
    "phases": items(fields({                                    # charter 2
        "name": NAME,
        "declarer": or_null(ROLE),
        "impulses": both(items(integer(1, 99), 1), ascending),
        "system": text(),
        "settings": OBJECT,
        "source": one_of("coin", "sheet", "plain"),
        "revealer": one_of("sealer", "office"),
        "private": BOOL,
        "decisions": items(fields({"by": or_null(ROLE), "how": one_of("open", "sealed", "simultaneous"), "name": NAME}),
                           0, 64),
    }), 1, 64),
    "tables": named(ANY, ANY, 64),
    "foul_up": fields({
        "envelopes": integer(1, 256),
        "remedies": fields({"illegal-move": one_of("keep", "redo"), "illegal-odds": one_of("keep", "redo"),
                            "wrong-list": one_of("keep", "redo")}),
        "revealer": one_of("sealer", "office"),
    }),
    "hard_core": BOOL,
    "penalties": items(text(1, 1000), 0, 64),                   # charter 3
    "deadlines": items(fields({
        "days": integer(1, 3650),
        "forfeit": one_of("none", "declarer-names", "game"),
        "step": one_of("answer", "declare", "reveal"),
    }), 0, 64),
    "sets_at_start": fields({"foul-up": integer(0, 8), "sheet": integer(0, 8)}),
    "continues": or_null(fields({                               # charter 25
        "game": HEX32,
        "heads": both(named(ROLE, or_null(HEX32), 4), bool),
        "states": named(text(), OBJECT, 8),
    })),
})

ACCEPT = fields({"charter": LETTER, "compared": BOOL, "nonce": HEX32})     # charter 12

def parties_of(charter):
    """Returns the parties of a charter, with its referee and its office."""
    return charter.body["parties"] + [party for party in (charter.body["referee"], charter.body["office"]) if party]

def holds_key(parties, letter):
    """message 13: whether one of these parties has the role and the key of a letter"""
    return any(party["role"] == letter.author and party["key"] == letter.key for party in parties)

def is_of_other_party(charter, accept):
    """message 13: whether the accept is by the party that did not sign the charter"""
    return holds_key(charter.body["parties"], accept) and (accept.author, accept.key) != (charter.author, charter.key)

def charter_holds(charter):
    """charter 6 to 11 and 26; the result is kept"""
    if charter.holds is None:
        charter.holds = bool(terms_hold(charter) and states_hold(charter.body))
    return charter.holds

def terms_hold(charter):
    """charter 6 to 11"""
    terms, phases = charter.body, charter.body["phases"]
    everybody, players = parties_of(charter), [party["role"] for party in terms["parties"]]
    decisions = [(phase["name"], decision) for phase in phases for decision in phase["decisions"]]
    named_roles = [phase["declarer"] for phase in phases if phase["declarer"]]
    named_roles += [decision["by"] for _, decision in decisions if decision["how"] != "simultaneous"]
    deposit = (terms["referee"] or {}).get("deposit")
    deposits = [x for x in (deposit, (terms["office"] or {}).get("deposit")) if x]
    revealers = {phase["revealer"] for phase in phases} | {terms["foul_up"]["revealer"]}
    return (differ(party["role"] for party in everybody) and differ(party["key"] for party in everybody)
            and differ(phase["name"] for phase in phases)
            and differ((name, decision["name"]) for name, decision in decisions)
            and all(decision["by"] is None for _, decision in decisions if decision["how"] == "simultaneous")
            and set(named_roles) <= set(players)
            and all(phase["system"] in SYSTEMS for phase in phases)
            and all(SYSTEMS[phase["system"]].holds(phase["settings"], terms["tables"]) for phase in phases)
            and all(SYSTEMS[phase["system"]].source == phase["source"] for phase in phases)
            and courses_hold(phases, players)
            and not (terms["hard_core"] and "redo" in terms["foul_up"]["remedies"].values())
            and (not deposit or "reveal" in {deadline["step"] for deadline in terms["deadlines"]})
            and all(any(x25519(bytes(32), bytes.fromhex(x["key"]))) for x in deposits)
            and ((terms["office"] or {}).get("deposit") or "office" not in revealers)
            and len({phase["revealer"] for phase in phases if phase["source"] == "sheet"}) < 2
            and same(charter.seen, {party["role"]: None for party in everybody if party["role"] != charter.author}))

ORDERS_DECISION = {"by": None, "how": "simultaneous", "name": "orders"}

def courses_hold(phases, players):
    """courses 17, for phases whose system and settings hold"""
    courses = defaultdict(list)
    for phase in phases:
        system = SYSTEMS[phase["system"]]
        if (phase["declarer"] is None) != (system.is_course and system.names_declarer):
            return False
        if system.is_course:
            courses[system].append(phase)
    return all(system.places_hold(some) and set(system.roles_in(some[0]["settings"])) <= set(players)
               and all(phase["private"] == system.is_hidden
                       and same(phase["decisions"], [ORDERS_DECISION] if system.takes_orders else [])
                       and same(phase["settings"], some[0]["settings"])
                       for phase in some) for system, some in courses.items())

def states_hold(terms):
    """charter 25, 26, for terms whose courses hold"""
    settings = {phase["system"]: phase["settings"] for phase in terms["phases"] if SYSTEMS[phase["system"]].is_course}
    return not terms["continues"] or all(
        name in settings and not SYSTEMS[name].is_hidden
        and begins_a_turn(SYSTEMS[name].with_tables(terms["tables"]), settings[name], state)
        for name, state in terms["continues"]["states"].items())

def begins_a_turn(system, settings, state):
    """charter 26"""
    return system.state_holds(settings, state) and system.awaits(settings, state)[0] == "turn"

def accept_holds(accept, charter):
    """charter 16. The accepts that it has as `seen` for the referee and the office may be missing (charter 15)."""
    roles = [party["role"] for party in parties_of(charter)]
    seen = {charter.author: charter.id}
    for role in set(roles) - {charter.author, accept.author}:
        theirs = accept.seen.get(role)
        seen[role] = None if accept.author in roles[2:] else "none" if theirs in (None, charter.id) else theirs
    return accept.body["charter"] == accept.game and same(accept.seen, seen)

# charter 19, 20

SLOT = fields({"impulse": integer(1, 99), "number": integer(1, 9999), "phase": NAME, "turn": integer(1, 9999)})
WRITTEN_SLOT = re.compile("([1-9][0-9]{0,3})/([1-9][0-9]?)/([a-z][a-z0-9-]{0,31})/([1-9][0-9]{0,3})")

def write_slot(slot):
    return "%d/%d/%s/%d" % (slot["turn"], slot["impulse"], slot["phase"], slot["number"])

def phase_of(game, slot):
    """Returns the phase of a slot, or None if there is none or if it does not have that impulse."""
    phase = game.phases.get(slot["phase"])
    return phase if phase and slot["impulse"] in phase["impulses"] else None

def read_slot(game, written):
    """Returns the phase of the slot that a purpose names, or None."""
    parts = WRITTEN_SLOT.fullmatch(written)
    return phase_of(game, {"impulse": int(parts[2]), "phase": parts[3]}) if parts else None

def slot_order(game, slot):
    """charter 20"""
    return slot["turn"], slot["impulse"], list(game.phases).index(slot["phase"]), slot["number"]


# ------------------------------------------------------------------------------------------------------------- letters

CIPHERTEXT = both(matching("([0-9a-f]{2})+"), lambda v: len(v) // 2 % 256 == 16 and len(v) // 2 > 16)

def seal_counts(body):
    """seal: checks the fields that depend on each other"""
    n, notes = body["n"], body["notes"]
    sealed = notes is None if body["kind"] != "note" else notes is not None and len(notes) == n
    return sealed and (n == 400 and len(body["commits"]) == 40 if body["kind"] == "sheet" else
                       n <= 256 and len(body["commits"]) == n)

SCOPE = exactly_one({                                           # disputes 1
    "rolls": fields({"declaration": LETTER, "lines": both(items(integer(1), 1, 2560), ascending)}),
    "declaration": LETTER,
    "impulse": fields({"declarations": both(items(LETTER, 1, 64), ascending), "impulse": integer(1, 99),
                       "turn": integer(1, 9999)}),
})
FORFEIT = one_of("declarer-names", "game")
KEYS = {"keys": items(tuple_of(integer(), HEX32), 0, 256),
        "sheets": items(tuple_of(integer(), integer(), HEX32), 0, 40)}
FILE = fields({"length": integer(), "name": text(1, 255), "sha3_256": HEX32})
PAIR = tuple_of(integer(), integer())
SEALS = fields({"seals": both(items(LETTER, 1, 64), ascending)})
CLOCK = fields({"at": integer(0, 253402300799)})
BODIES = {
    "charter": CHARTER,
    "accept": ACCEPT,
    "seal": both(fields({
        "kind": one_of("coin", "sheet", "plain", "foul-up", "contribution", "note"), "purpose": text(),
        "declarer": ROLE, "revealer": ROLE, "n": integer(1, 400), "salt": HEX32, "commits": items(HEX32),
        "notes": or_null(items(CIPHERTEXT)),
    }), seal_counts),
    "declare": fields({
        "slot": SLOT, "input": OBJECT, "seal": or_null(LETTER),
        "contribution": or_null(exactly_one({"open": HEX32, "sealed": fields({"index": integer(), "seal": LETTER})})),
        "moves": exactly_one({"text": text(), "files": items(FILE, 1, 64), "none": NULL,
                              "note": fields({"index": one_of(0), "seal": LETTER})}),
        "select": or_null(exactly_one({
            "worksheet": fields({"index": integer(), "rows": items(PAIR), "total": integer()}),
            "cells": items(PAIR),
            "plain": fields({"index": integer(), "lines": integer()}),
            "foul_up": fields({"index": integer(), "lines": integer()}),
        })),
        "redo": or_null(exactly_one({"breach": LETTER, "agreed": LETTER, "opened": LETTER})),
        "after": or_null(LETTER),
    }),
    "reveal": fields({"declaration": or_null(LETTER), "seal": LETTER, **KEYS}),
    "decide": fields({"after": or_null(LETTER), "name": NAME, "slot": SLOT, "value": ANY}),
    "correct": exactly_one({"accept": LETTER, "refuse": LETTER, "void": fields({
        "reason": text(1, 1000), "scope": SCOPE,
    }), "propose": fields({
        "at_fault": ROLE, "class": one_of("illegal-move", "illegal-odds", "wrong-list"), "declaration": LETTER,
        "input": or_null(OBJECT), "reason": text(0, 1000),
    })}),
    "claim": exactly_one({                                      # disputes, Claims
        "stall": fields({"letter": or_null(LETTER), "owes": ROLE, "step": one_of("answer", "declare", "reveal"),
                         "text": text(0, 1000)}),
        "dispute": fields({"letters": both(items(LETTER, 1, 16), ascending), "text": text(1, 1000)}),
        "withdraw": LETTER,
        "yield": fields({"declaration": or_null(LETTER), "forfeit": FORFEIT, "text": text(0, 1000)}),
        "names": fields({"declaration": LETTER, "dice": items(integer(1, 2 ** 32), 0, 65536), "forfeit": LETTER}),
    }),
    "ruling": fields({"text": text(0, 1000), "rule": exactly_one({      # disputes, The referee
        "request": LETTER, "forfeit": fields({"forfeit": FORFEIT, "request": LETTER}), "void": SCOPE,
        "kill": LETTER, "settle": LETTER, "dismiss": LETTER, "agree": LETTER,
        "open": fields({"request": LETTER, **KEYS}),
    })}),
    "receipt": exactly_one({"deposit": SEALS, "hand_back": SEALS, "epoch": CLOCK, "time": CLOCK}),  # office 33
    "deposit": fields({"key": HEX32, "seal": HEX32, "wrapped": matching("[0-9a-f]{160}")}),         # deposits 4
    "withdraw": fields({}),                                     # charter 21
    "resync": exactly_one({"ask": HEX32, "answer": fields({"ask": HEX32, "last": or_null(LETTER)})}),       # keys 4
    "close": fields({"masters": or_null(both(items(fields({"master": HEX32, "seal": LETTER})),
                                             lambda v: differ(entry["seal"] for entry in v))),
                     "result": or_null(text(0, 1000))}),
}

# chain 1, letters 5: the fields of a body that name letters, and the kinds that its table requires ([] allows any)
SCOPES = ("rolls declaration", "declaration", "impulse declarations")
NAMED = {kind: [(path.split(), kinds) for path, kinds in paths.items()] for kind, paths in {
    "accept": {"charter": "charter"},
    "declare": {"moves note seal": "seal", "seal": "seal", "contribution sealed seal": "seal", "redo breach": "",
                "redo agreed": "", "redo opened": "", "after": "declare decide claim"},
    "decide": {"after": "declare decide claim"},
    "reveal": {"declaration": "declare", "seal": "seal"},
    "correct": {"accept": "correct", "refuse": "correct", "propose declaration": "declare",
                **{"void scope " + path: "declare" for path in SCOPES}},
    "claim": {"stall letter": "declare seal", "dispute letters": "", "withdraw": "claim",
              "yield declaration": "declare", "names declaration": "declare", "names forfeit": "claim ruling"},
    "ruling": {"rule request": "claim", "rule forfeit request": "ruling", "rule kill": "seal",
               "rule settle": "", "rule dismiss": "claim", "rule agree": "correct",
               "rule open request": "ruling", **{"rule void " + path: "declare" for path in SCOPES}},
    "receipt": {"deposit seals": "seal", "hand_back seals": "seal"},
    "close": {"masters seal": "seal"},
}.items()}

def reach(value, path):
    """Returns all values at the end of a path of names, with every item of each list on the way."""
    if isinstance(value, list):
        return [found for item in value for found in reach(item, path)]
    if not path:
        return [] if value is None else [value]
    return reach(value.get(path[0]), path[1:]) if isinstance(value, dict) else []

def in_scope(scope):
    """disputes 1: the declarations in a scope"""
    return [name for path in SCOPES for name in reach(scope, path.split())]

def open_contribution(declaration):
    return (declaration.body["contribution"] or {}).get("open")

def first_broken(game, letter):
    """letters 2: the first rule after chain 2 that a letter breaks, or None"""
    return next((rule for rule, holds in rules(game, letter) if not holds), None)

def rules(game, letter):
    """Yields pairs of a rule and whether it holds, in order. The caller stops at the first rule that does not hold."""
    if letter.kind in ("charter", "accept"):
        return
    yield "chain 3", letter.follows_seen
    yield "chain 6", all(letter.cover & game.letters[name].bit for name, _ in letter.in_body)
    if letter.author in game.players:
        yield "letters 3", (letter.kind in ("reveal", "close", "claim")
                            or letter.kind == "correct" and not is_proposal(letter)
                            or not game.marks["close", letter.author] & letter.chain)
        yield "letters 4", letter.kind not in ("ruling", "receipt")
    elif letter.author == game.referee:
        yield "letters 4", letter.kind == "ruling" or letter.kind == "receipt" and "deposit" in letter.body
    else:
        yield "letters 4", letter.kind in ("reveal", "receipt")
    yield "letters 5", all(not kinds or game.letters[name].kind in kinds.split() for name, kinds in letter.in_body)
    yield from RULES[letter.kind](game, letter)

def opponent(game, role):
    return game.players[1 - game.players.index(role)]

# Openings (letters 9)

def try_key(seal, place, key):
    """Returns the places that a key opens, with their keys. The list is empty if the key does not match."""
    n, sheet = len(seal.body["commits"]), seal.body["kind"] == "sheet"
    if len(place) != 1 + sheet or place[0] >= n or sheet and not 1 <= place[1] <= 10:
        return []
    if commitment(context_of(seal), place, key).hex() != seal.body["commits"][place[0]]:
        return []
    if not sheet:
        return [((seal.id, *place), key)]
    keys = cells_above(context_of(seal), place, key)
    return [((seal.id, place[0], r), keys[r]) for r in range(1, place[1] + 1)]

@lru_cache(maxsize=4096)
def note_opens(seal, key):
    """envelope 7: whether a note opens, for a key that matches"""
    return open_note(context_of(seal), key, bytes.fromhex(seal.body["notes"][0])) is not None

@lru_cache(maxsize=4096)
def try_master(seal, master):
    """close 3: the places that M opens, and whether every commitment matches and every note opens"""
    sheet = seal.body["kind"] == "sheet"
    opened, complete = [], True
    for i in range(len(seal.body["commits"])):
        place = (i, 10) if sheet else (i,)
        key = key_of(context_of(seal), master, place)
        found = try_key(seal, place, key)
        opened += found
        complete = complete and bool(found) and (seal.body["kind"] != "note" or note_opens(seal, key))
    return opened, complete

def opening_in(letter):
    """Returns the object with `keys` and `sheets`: the body of a reveal, or the rule of a ruling that opens. Otherwise
    None."""
    return letter.body if letter.kind == "reveal" else letter.body.get("rule", {}).get("open")

def carried(opening):
    """Returns the places that an opening names, with their keys."""
    return [(tuple(entry[:-1]), bytes.fromhex(entry[-1])) for entry in opening["keys"] + opening["sheets"]]

def selected(places):
    """reveal 4: places in the form that an opening names them: each envelope once, and the deepest row of each
    column"""
    cells = dict(sorted(place for place in places if len(place) == 2))
    return sorted(cells.items()) or list(dict.fromkeys(places))

def keys_match(seal, opening):
    """reveal 5"""
    return (all(try_key(seal, place, key) for place, key in carried(opening))
            and (seal.body["kind"] != "note" or all(note_opens(seal, key) for _, key in carried(opening))))

def opened_by(game, letter):
    """letters 9: every place that a letter opens, valid or not, with its key"""
    opening = opening_in(letter)
    if opening:
        seal = game.letters.get(letter.body["seal"]) if letter.kind == "reveal" else set_for(game, letter)
        pairs = carried(opening) if seal and seal.kind == "seal" else []
        return [pair for place, key in pairs for pair in try_key(seal, place, key)]
    if letter.kind == "close":
        entries = [(game.letters[entry["seal"]], entry["master"]) for entry in letter.body["masters"] or []]
        return [pair for seal, master in entries if seal.kind == "seal"
                for pair in try_master(seal, bytes.fromhex(master))[0]]
    return []

def is_answered(game, declaration, past=-1):
    """secrets 3, for a valid declaration"""
    return all(game.openers[place] & past for place in declaration.places)

def is_shown(game, declaration, past=-1):
    """secrets 3"""
    return is_answered(game, declaration, past) and not (
        declaration.secret and not game.openers[declaration.secret] & past)

def is_good(game, seal, kind, past):
    """ruling 4, office 27: whether this is a valid seal of this kind, not killed for a declaration with this past"""
    return seal.valid and seal.body["kind"] == kind and not is_killed(game, seal, past)

def may_be_killed(game, seal):
    """ruling 4: orders at once cannot be killed"""
    return not is_note_for(game, seal, "simultaneous")

def is_killed(game, seal, past):
    """ruling 4; office 27, for sets of dice"""
    may_be_known = is_of_dice(seal) and seal.body["revealer"] == game.office
    return (game.marks["kill", seal.id] | (game.epochs & ~seal.past if may_be_known else 0)) & past

def is_note(letter, purpose=None):
    """Whether this is the seal of a note, valid or not, for this purpose (any purpose if None)."""
    return letter.kind == "seal" and letter.body["kind"] == "note" and purpose in (None, letter.body["purpose"])

def is_of_dice(seal):
    """office 9"""
    return seal.body["kind"] not in ("note", "contribution")

def sealed_for(game, author, kind, purpose, past):
    """Returns the author's valid sets for a purpose, killed or not."""
    return list(game.members(game.marks["seal", author, kind, purpose] & past))

def good_for(game, author, kind, purpose, past):
    """ruling 4: the author's valid sets for a purpose that are not killed for a declaration, or a seal, with this
    past"""
    return [x for x in sealed_for(game, author, kind, purpose, past) if is_good(game, x, kind, past)]

def lowest_free(game, letter, seal):
    """declare 8, 9: the lowest index of a set that is not opened and that no earlier declaration names, or None"""
    return next((i for i in range(seal.body["n"]) if not game.marks["named", seal.id, i] & letter.chain
                 and not game.openers[seal.id, i] & letter.past), None)

# seal

def seal_rules(game, letter):
    body, kind, purpose = letter.body, letter.body["kind"], letter.body["purpose"]
    declarer = letter.author if kind in ("note", "contribution") else opponent(game, letter.author)
    yield "seal 1", body["declarer"] == declarer and body["revealer"] == revealer_of(game, letter)
    slot, _, name = purpose.rpartition("/") if kind == "note" else (purpose, "", "")
    phase = read_slot(game, slot) if kind in ("coin", "plain", "note") else None
    if kind == "coin":
        coin = phase and phase["source"] == "coin"
        yield "seal 2", not coin or body["n"] == phase["settings"]["envelopes"]
        yield "seal 3", coin and phase["declarer"] == body["declarer"]
    elif kind == "plain":
        yield "seal 2", body["n"] == 1
        yield "seal 3", phase and phase["source"] == "plain" and phase["declarer"] in (None, body["declarer"])
    elif kind == "note":
        yield "seal 2", body["n"] == 1 and (not is_sheet(phase, name) or has_sheet_bytes(phase, letter))
        yield "seal 3", phase and NAME(name)
    else:
        yield "seal 2", kind == "contribution" or body["n"] == (
            400 if kind == "sheet" else game.terms["foul_up"]["envelopes"])
        yield "seal 3", re.fullmatch(kind + "/[1-9][0-9]{0,3}", purpose)
    yield "seal 4", not good_for(game, letter.author, kind, purpose, letter.past)
    yield "seal 5", (len(set(body["commits"])) == len(body["commits"])
                     and not any(game.marks["commit", commit] & letter.past for commit in body["commits"]))

# declare

def spent(game, declaration):
    """icrk 3: the last spent row of each column of the declaration's sheet"""
    seal, depths = declaration.body["seal"], {}
    for column in range(40):
        for r in range(1, 11):
            if (game.marks["named", seal, column, r] & declaration.chain
                    or game.openers[seal, column, r] & declaration.past):
                depths[column] = r
    return depths

def declare_rules(game, letter):
    body, slot, how = letter.body, letter.body["slot"], how_redone(letter)
    chain, past = letter.chain, letter.past
    phase, written = phase_of(game, slot), write_slot(slot)
    yield "declare 1", phase and phase["declarer"] in (None, letter.author)
    system, course = SYSTEMS[phase["system"]], game.courses.get(phase["system"])

    before = game.letters[letter.prev]
    pending = [x for x in before.breaches if is_pending(game, x, letter)]
    if how != "breach":
        yield "declare 2", not pending
    if how not in ("breach", "agreed"):
        yield "declare 2", not redos_due(game, letter.author, letter)
        yield "declare 19", not waiting(game, game.marks["asked for a redo", letter.author], letter)

        def used(number):
            return game.marks["slot", letter.author, write_slot({**slot, "number": number})] & chain
        yield "declare 20", not used(slot["number"]) and all(used(k) for k in range(1, slot["number"]))
        ordered = any(decision["how"] == "simultaneous" for decision in phase["decisions"])
        yield "declare 20", not (ordered and game.marks["beyond repair", letter.author, *in_place(slot)] & chain)
        yield "declare 21", course or slot_order(game, slot) > before.last_slot

    if how == "breach":
        mended = game.letters[body["redo"][how]]
        yield "declare 11", mended in pending and same(mended.body["slot"], slot)
        yield "declare 11", same(body["moves"], mended.body["moves"]) or mended.broke == "declare 3"
        old = read_input(game, phase, mended.body["input"], how_redone(mended) is not None)
        yield "declare 11", (old is None or same(body["input"], system.form_for_redo(old.input))
                             or course and may_differ(game, mended, letter))
    elif how == "agreed":
        proposal = called_for(game, letter)
        asked = proposal and proposal.body["propose"]
        yield "declare 12", asked and not game.marks["replaced", asked["declaration"]] & chain
        yield "declare 12", not game.marks["redo of agreed", letter.author, proposal.id] & chain
        yield "declare 12", not game.marks["void", asked["declaration"]] & past
        yield "declare 12", same(body["input"], asked["input"])
        yield "declare 12", same(body["moves"], game.letters[asked["declaration"]].body["moves"])
    elif how == "opened":
        opened = {place for place, _ in opened_by(game, game.letters[body["redo"][how]])}
        work = read_input(game, phase, body["input"], True)
        source = phase["source"]
        wanted = {(x.id, roll.at[0]) for x in good_for(game, opponent(game, letter.author), source, written, past)
                  for roll in (work.rolls if work else [])}
        yield "declare 13", source != "sheet" and opened & wanted

    letter.place = place_of(game, slot)
    if course:
        yield from course_declare_rules(game, letter, course)
    else:
        yield "declare 14", body["after"] is None
        if how not in ("breach", "agreed"):
            yield "declare 18", all(letter.place < x.front(letter) for x in game.courses.values())
            yield "declare 18", all(letter.place > x.latest.get(letter.author, ()) for x in letter.stood.values())

    if "note" in body["moves"]:
        note = game.letters[body["moves"]["note"]["seal"]]
        stays = how == "agreed" or how == "breach" and mended.broke != "declare 3"
        yield "declare 3", is_good(game, note, "note", 0 if stays else past) and note.author == letter.author
        yield "declare 3", note.body["purpose"].rpartition("/")[0] == written
        yield "declare 3", not system.is_hidden or is_sheet(phase, note.body["purpose"].rpartition("/")[2])
    else:
        yield "declare 3", not system.is_hidden

    work = read_input(game, phase, body["input"], how is not None)
    yield "declare 4", work is not None and same(work.input, body["input"])
    letter.work = work
    rolling = (body["seal"], body["contribution"], body["select"])
    if work.rolls:
        yield "declare 5", None not in rolling
        yield from rolling_rules(game, letter, phase)
    else:
        yield "declare 5", rolling == (None, None, None)
    if course:
        yield "declare 15", course.system.takes(course.settings, letter.state, work.input)

def is_pending(game, breach, letter):
    """declare, Breach; courses 7 to 9: whether a breach that was not done again is pending in a letter's past"""
    course, replaced = course_of(game, breach), replaced_by(game, breach)
    if course is None:
        return True
    if replaced:
        return is_last(game, replaced, letter)
    return (course.awaited(letter) == (breach.place, breach.author) and not game.marks["left", breach.id] & letter.past
            and not is_redo_due(game, course, letter))

def may_differ(game, breach, letter):
    """courses 7, 9: whether the redo of a breach may have another input. An agreed input must not change."""
    return not replaced_by(game, breach) and (
        breach.broke == "declare 15" or letter.body["after"] != breach.body["after"])

def unanswered(game, letter):
    """declare 16: the author's unanswered proposals on declarations of courses, except records"""
    asked = 0
    for name in game.courses:
        asked |= game.marks["asked", letter.author, name]
    return waiting(game, asked, letter)

def waiting(game, asked, letter):
    """Returns those of these proposals that have no answer in a letter's past."""
    return [x for x in game.members(asked & letter.past) if not proposal_answered(game, x, letter.past)]

def is_redo_due(game, course, letter):
    """declare 16, courses 7: whether anybody owes a redo of a declaration of the course"""
    due = [x for role in game.players for x in redos_due(game, role, letter)]
    return any(course_of(game, due_for(game, x)) is course for x in due)

def rolling_rules(game, letter, phase):
    """declare 6 to 10"""
    body, how, work, chain, past = letter.body, how_redone(letter), letter.work, letter.chain, letter.past
    written = write_slot(body["slot"])
    seal = game.letters[body["seal"]]
    kind = "foul-up" if how else phase["source"]
    yield "declare 6", is_good(game, seal, kind, past) and seal.body["declarer"] == letter.author
    yield "declare 6", kind not in ("coin", "plain") or seal.body["purpose"] == written

    yield "declare 7", all(is_decided(game, written, decision, past) for decision in phase["decisions"])

    yield "declare 8", phase["private"] == ("sealed" in body["contribution"])
    if phase["private"]:
        sealed = body["contribution"]["sealed"]
        mine = game.letters[sealed["seal"]]
        yield "declare 8", is_good(game, mine, "contribution", past) and mine.author == letter.author
        yield "declare 8", sealed["index"] == lowest_free(game, letter, mine)
        letter.secret = mine.id, sealed["index"]
    else:
        yield "declare 8", not game.marks["contribution", letter.author, open_contribution(letter)] & chain

    if how:
        free = lowest_free(game, letter, seal)
        yield "declare 9", same(body["select"], {"foul_up": {"index": free, "lines": len(work.rolls)}})
        letter.places = [(seal.id, free)]
        letter.rolls = [roll._replace(at=(free, k + 1)) for k, roll in enumerate(work.rolls)]
    else:
        yield "declare 9", same(body["select"], work.select)
        letter.rolls = work.rolls
        if kind == "sheet":
            yield "declare 9", spend(spent(game, letter), [roll.at for roll in work.rolls]) is not None
            letter.places = [(seal.id, *roll.at) for roll in work.rolls]
        else:
            letter.places = [(seal.id, envelope) for envelope in dict.fromkeys(roll.at[0] for roll in work.rolls)]
    if kind in ("coin", "plain"):
        yield "declare 10", not game.marks["named", seal.id] & chain
        yield "declare 10", not any(game.openers[place] & past for place in letter.places)

def is_decided(game, written, decision, past):
    """declare 7, secrets 7, 9"""
    if decision["how"] == "open":
        return game.marks["decide", written, decision["name"]] & past
    purpose = written + "/" + decision["name"]
    if decision["how"] == "sealed":
        return good_for(game, decision["by"], "note", purpose, past)
    notes = [x for role in game.players for x in good_for(game, role, "note", purpose, past)]
    return len([x for x in notes if game.openers[x.id, 0] & past]) == 2


def proposal_of(game, acceptance):
    """Returns the proposal that a valid acceptance, or a ruling in its place (disputes 22), agrees to, or None."""
    if acceptance.kind not in ("correct", "ruling") or not acceptance.valid:
        return None
    name = acceptance.body.get("accept") or acceptance.body.get("rule", {}).get("agree")
    return game.letters[name] if name else None

def called_for(game, letter):
    """declare 12: the proposal that a redo of `agreed` carries out, or None"""
    proposal = proposal_of(game, game.letters[letter.body["redo"]["agreed"]])
    asked = proposal.body.get("propose") if proposal else None
    if asked is None or asked["input"] is None:
        return None
    old = game.letters[asked["declaration"]]
    return proposal if old.bit & letter.chain and same(old.body["slot"], letter.body["slot"]) else None

def redos_due(game, author, letter):
    """declare, Agreed redo: the acceptances in a letter's past whose redo `author` owes, one for each proposal"""
    due = {}
    for acceptance in game.agreed:
        if not acceptance.bit & letter.past:
            continue
        proposal, old = proposal_of(game, acceptance), due_for(game, acceptance)
        if old.author != author or not is_last(game, old, letter):
            continue
        ended = (game.marks["replaced", old.id] | game.marks["void", old.id]) & letter.past
        if not course_of(game, old):                            # courses 10: in a course it is due until a valid redo
            ended |= game.marks["redo of agreed", author, proposal.id] & letter.past
        if not ended:
            due.setdefault(proposal.id, acceptance)
    return due.values()

def due_for(game, acceptance):
    """Returns the declaration that an accepted proposal with an input is about."""
    return game.letters[proposal_of(game, acceptance).body["propose"]["declaration"]]

def is_last(game, declaration, letter):
    """courses 10: whether a declaration is of no course, or is the last one taken in a letter's past"""
    course = course_of(game, declaration)
    return course is None or letter.stood[course.name].declaration is declaration

def names_places(game, letter):
    """declare, Spending: the places that a declaration, valid or not, names, in the form that `mark` takes"""
    seal, select = game.letters.get(letter.body["seal"]), letter.body["select"] or {}
    sealed = (letter.body["contribution"] or {}).get("sealed")

    def is_mine(seal, kind):
        return seal and seal.kind == "seal" and seal.body["declarer"] == letter.author and seal.body["kind"] == kind

    places = set()
    if sealed and is_mine(game.letters[sealed["seal"]], "contribution"):
        places.add((sealed["seal"], sealed["index"]))
    if is_mine(seal, "coin") or is_mine(seal, "plain"):
        places.add((seal.id,))
    elif is_mine(seal, "foul-up") and "foul_up" in select:
        places.add((seal.id, select["foul_up"]["index"]))
    elif is_mine(seal, "sheet") and "cells" in select:
        places.update((seal.id, column, r) for column, bottom in select["cells"] if column < 40 and bottom <= 10
                      for r in range(1, bottom + 1))
    return places

# reveal

def reveal_rules(game, letter):
    body = letter.body
    declaration, seal = game.letters.get(body["declaration"]), game.letters[body["seal"]]
    of_declaration = declaration.body if declaration else {}
    is_dice, is_contribution, is_note = (
        seal.id in reach(of_declaration, path) for path in (["seal"], ["contribution", "sealed", "seal"],
                                                            ["moves", "note", "seal"]))
    yield "reveal 1", seal.valid and (letter.author == seal.author or letter.author == game.office
                                      and is_with_office(game, seal, letter.past))
    yield "reveal 8", not (letter.author == seal.author and declaration and is_of_dice(seal)
                           and is_up_to_office(game, seal, declaration, letter.past))
    if declaration is None:
        yield "reveal 2", is_note_for(game, seal, "simultaneous")
    else:
        yield "reveal 2", is_dice or is_contribution or is_note or seal in declaration.found or (
            is_note_for(game, seal, "sealed", write_slot(declaration.body["slot"]))
            and is_found(game, declaration, seal))
    fell = declaration and declaration.attached and not declaration.stands
    if not fell:
        yield "reveal 3", declaration is None or declaration.valid
        opened = declaration.places if is_dice else [declaration.secret] if is_contribution else [(seal.id, 0)]
        yield "reveal 4", [place for place, _ in carried(body)] == selected([place[1:] for place in opened])
    yield "reveal 5", keys_match(seal, body)
    if is_contribution and not fell:
        yield "reveal 6", is_answered(game, declaration, letter.past)
    elif declaration and seal in declaration.found and not fell:
        yield "reveal 6", game.openers[seal.id, 0] & letter.past or is_standing_due(game, seal, letter)
    if declaration is None:
        yield "reveal 7", good_for(game, opponent(game, seal.author), "note", seal.body["purpose"], letter.past)

def is_note_for(game, seal, how, slot=None):
    """secrets 7, 9: whether a seal is a note for a decision of this kind (`how`), of this slot or of any, by the right
    player"""
    written, _, name = seal.body["purpose"].rpartition("/")
    phase = read_slot(game, written)
    return (seal.body["kind"] == "note" and phase and slot in (None, written)
            and any(decision["name"] == name and decision["how"] == how and decision["by"] in (None, seal.author)
                    for decision in phase["decisions"]))

def is_found(game, declaration, note):
    """secrets 8: whether a declaration found a note for a sealed choice of its slot"""
    return note.bit & declaration.past and not is_killed(game, note, declaration.past)

# decide

def decide_rules(game, letter):
    body, phase, written = letter.body, phase_of(game, letter.body["slot"]), write_slot(letter.body["slot"])
    if course_of(game, letter):
        yield from course_decide_rules(game, letter, course_of(game, letter))
        return
    yield "decide 1", phase and {"by": letter.author, "how": "open", "name": body["name"]} in phase["decisions"]
    yield "decide 1", body["after"] is None
    yield "decide 2", not game.marks["decided", letter.author, written, body["name"]] & letter.chain
    yield "decide 3", not game.marks["declared", written] & letter.past

# correct

def is_proposal(letter):
    """Whether this is a `correct` that proposes a redo or a record, or asks to void."""
    return letter.kind == "correct" and not letter.body.keys() & {"accept", "refuse"}

def concerned(proposal):
    """correct 3: the declarations that a proposal is about"""
    body = proposal.body
    return [body["propose"]["declaration"]] if "propose" in body else in_scope(body["void"]["scope"])

def correct_rules(game, letter):
    if is_proposal(letter):
        if "propose" in letter.body:
            yield from propose_rules(game, letter)
        earlier = 0
        for name in concerned(letter):
            earlier |= game.marks["proposal", letter.author, name] & letter.past
        yield "correct 3", all(proposal_answered(game, x, letter.past) for x in game.members(earlier))
        if "void" in letter.body:
            yield "correct 5", fits(game, letter.body["void"]["scope"], letter)
        return
    proposal = game.letters[next(iter(letter.body.values()))]
    yield "correct 4", proposal.valid and is_proposal(proposal) and proposal.author != letter.author
    yield "correct 4", not proposal_answered(game, proposal, letter.past)
    if "accept" in letter.body:
        yield "correct 4", may_be_accepted(game, proposal, letter)
        yield from redo_rules(game, proposal, letter, "correct 6", "correct 7")

def redo_rules(game, proposal, letter, played_on, crossed):
    """correct 6, 7; ruling 13: a redo can be accepted only if nobody has seen later dice or could have had them from
    the office"""
    asked = proposal.body.get("propose")
    if not asked or asked["input"] is None:
        return
    declaration = game.letters[asked["declaration"]]
    yield played_on, not is_acted_upon(game, declaration, letter)
    yield crossed, not any(
        x.kind == "declare" and x.valid and x.rolls and x is not declaration
        and game.letters[x.body["seal"]].body["revealer"] == game.office and not is_settled_by(game, x, proposal.past)
        for x in game.members(letter.past))

def may_be_accepted(game, proposal, letter):
    """courses 10, 11, for a valid proposal: whether what it asks for in a course can still be done in a letter's
    past"""
    if "void" in proposal.body:
        declarations = [game.letters[name] for name in concerned(proposal)]
        return all(may_be_taken_back(game, x, declarations, letter) for x in declarations)
    asked = proposal.body["propose"]
    return asked["input"] is None or is_last(game, game.letters[asked["declaration"]], letter)

def is_acted_upon(game, declaration, letter):
    """correct 6: whether, in a letter's past, anybody who knew an opening of the selection has declared or closed"""
    openers = 0
    for place in declaration.places:
        openers |= game.openers[place]
    return any(x.bit & letter.past and x.past & openers and x is not declaration
               for x in game.order if x.kind in ("declare", "close") and game.acts(x))

def propose_rules(game, letter):
    body, past = letter.body["propose"], letter.past
    declaration = game.letters[body["declaration"]]
    yield "correct 1", declaration.valid and not game.marks["replaced", declaration.id] & past
    yield "correct 1", is_known(game, declaration, past) and not game.marks["void", declaration.id] & past
    yield "correct 1", body["at_fault"] in game.players
    if body["input"] is not None:
        yield "correct 2", not is_of_hidden(game, declaration)
        yield "correct 2", game.terms["foul_up"]["remedies"][body["class"]] == "redo"
        yield "correct 6", not is_acted_upon(game, declaration, letter)
        phase = game.phases[declaration.body["slot"]["phase"]]
        work = read_input(game, phase, body["input"], True)
        yield "correct 2", work is not None and same(work.input, body["input"])
        yield "correct 2", is_last(game, declaration, letter)
        course = course_of(game, declaration)
        yield "correct 2", not course or course.system.takes(course.settings, declaration.state, work.input)

def proposal_answered(game, proposal, past=-1):
    """letters 28; disputes 22: whether a proposal is answered. A ruling that agrees is the answer of the player who was
    asked."""
    return (game.marks["agreed by ruling", proposal.id] | game.answered_by.get(proposal.id, 0)) & past

def following(game, letter, role, past):
    """Yields the letters of a role in `past` that have this letter in their own past."""
    return (x for x in game.order if x.author == role and x.bit & past and x.past & letter.bit and game.acts(x))

# close

def close_rules(game, letter):
    masters = letter.body["masters"]
    yield "close 1", masters is None or game.marks["close", opponent(game, letter.author)] & letter.cover
    if masters is not None:
        seals = [x for x in game.order if x.kind == "seal" and x.bit & letter.chain and game.acts(x)]
        yield "close 2", [entry["seal"] for entry in masters] == [seal.id for seal in seals]
        yield "close 3", all(try_master(seal, bytes.fromhex(entry["master"]))[1]
                             for seal, entry in zip(seals, masters) if seal.valid)

# The marks that letters leave for letters that have them in their past

def keep(game, letter):
    """Marks what a letter did, if the letter acts."""
    body, author = letter.body, letter.author
    if author in game.players:  # letters 28: the first letter with a proposal in its past
        for proposal in game.members(letter.past & game.asked[author]):
            game.answered_by[proposal.id] = letter.bit
        game.asked[author] &= ~letter.past
    if letter.valid and is_proposal(letter):
        game.asked[opponent(game, author)] |= letter.bit
    if letter.kind == "close":
        game.mark(letter, "close", author)
    elif letter.kind == "seal":
        if letter.valid:
            game.mark(letter, "seal", author, body["kind"], body["purpose"])
        for commit in body["commits"]:
            game.mark(letter, "commit", commit)
    elif letter.kind == "decide":
        game.mark(letter, "decided", author, write_slot(body["slot"]), body["name"])
        if letter.valid:
            game.mark(letter, "decide", write_slot(body["slot"]), body["name"])
            if course_of(game, letter):
                course_of(game, letter).keep(letter)
    elif letter.kind == "correct" and letter.valid:
        for name in concerned(letter) if is_proposal(letter) else []:
            game.mark(letter, "proposal", author, name)
            if "void" in body or body["propose"]["input"] is not None:
                game.mark(letter, "asked", author, system_of(game, game.letters[name]))
            if "propose" in body and body["propose"]["input"] is not None:
                game.mark(letter, "asked for a redo", author)
        keep_agreement(game, letter)
    elif letter.kind == "claim":
        keep_claim(game, letter)
    elif letter.kind == "ruling":
        keep_ruling(game, letter)
    elif letter.kind == "receipt" and author == game.office:
        keep_fact(game, letter)
    elif letter.kind == "receipt":
        for name in held_by(game, letter):                      # whether or not it is in breach
            game.mark(letter, "held", author, name)
    elif letter.kind == "declare":
        game.mark(letter, "slot", author, write_slot(body["slot"]))
        game.mark(letter, "contribution", author, open_contribution(letter))
        proposal = proposal_of(game, game.letters[body["redo"]["agreed"]]) if how_redone(letter) == "agreed" else None
        if proposal:
            game.mark(letter, "redo of agreed", author, proposal.id)
        for place in names_places(game, letter):
            game.mark(letter, "named", *place)
        if letter.valid:
            keep_valid_declaration(game, letter)
        elif letter.broke in CAN_BE_REDONE and not may_have_been_good(letter):
            letter.breaches = not_mended(letter) + [letter]
            if course_of(game, letter) and not replaced_by(game, letter):
                course_of(game, letter).breaches.append(letter)
        else:
            game.mark(letter, "beyond repair", author, *in_place(body["slot"]))

def in_place(slot):
    return slot["turn"], slot["impulse"], slot["phase"]

CAN_BE_REDONE = tuple("declare %d" % k for k in [*range(3, 11), 15])        # declare, Breach

def not_mended(declaration):
    """declare, Breach: the breaches before a declaration, except the one that it does again"""
    return [x for x in declaration.breaches if x.id != (declaration.body["redo"] or {}).get("breach")]

def keep_agreement(game, acceptance):
    """declare, Agreed redo; disputes 5: records the effect of a valid acceptance, or of a ruling in its place"""
    proposal = proposal_of(game, acceptance)
    if proposal and "void" in proposal.body:
        keep_void(game, acceptance, proposal.body["void"]["scope"])
    elif proposal and proposal.body["propose"]["input"] is not None:
        game.agreed.append(acceptance)

def may_have_been_good(letter):
    """chain 14: whether a letter may have been good when it was signed"""
    return letter.excused and letter.broke not in (*OF_THE_CHAIN, "letters 4", "close 3")

def keep_valid_declaration(game, letter):
    """declare, Breach and Agreed redo: records what a valid redo settles once it is opened, and what it replaces"""
    letter.breaches = not_mended(letter)
    game.mark(letter, "declared", write_slot(letter.body["slot"]))
    game.mark(letter, "declared in", letter.body["slot"]["turn"], letter.body["slot"]["impulse"])
    course = course_of(game, letter)
    if course:
        course.keep(letter)
        keep_departure(game, letter, course)
    for note in letter.found:
        game.mark(letter, "found", note.id)
    if not course and how_redone(letter) not in ("breach", "agreed"):
        letter.last_slot = slot_order(game, letter.body["slot"])
    target = letter
    for target in mended_by(game, letter):                      # each of these passed declare 11
        game.settled[target.id] = letter
    if how_redone(target) == "agreed":                          # and this one passed declare 12
        replaced = called_for(game, target).body["propose"]["declaration"]
        game.mark(letter, "replaced", replaced)
        game.replaced[replaced] = letter
        game.unsettle(letter, [replaced])

def keep_departure(game, letter, course):
    """courses 8: a declaration settles the breaches in its past with another `after`, and whatever they were to mend"""
    for breach in course.breaches:
        if breach.bit & letter.past and breach.body["after"] != letter.body["after"]:
            for x in [breach, *mended_by(game, breach)]:
                game.mark(letter, "left", x.id)
                game.left.setdefault(x.id, letter)

def mended_by(game, declaration):
    """declare 11: the breaches that a declaration does again, from the last to the first"""
    while how_redone(declaration) == "breach":
        declaration = game.letters[declaration.body["redo"]["breach"]]
        yield declaration

def how_redone(declaration):
    return next(iter(declaration.body["redo"] or {}), None)

def settlement(game, found):
    """declare, Breach: the valid redo that settles a finding once it is opened, or None"""
    return game.settled.get(found["message_ids"][0]) if found["code"] == "rule" else None

def is_settled_by(game, redo, past=-1):
    """declare, Breach: whether a redo, or any valid declaration, is answered or forfeited"""
    return is_answered(game, redo, past) or game.marks["forfeited", redo.id] & past


# ------------------------------------------------------------------------------------------------------------ disputes

def rolls_in(game, scope):
    """disputes 1: pairs of a declaration and the number of a roll"""
    lines = scope.get("rolls", {}).get("lines")
    return [(name, line) for name in in_scope(scope)
            for line in lines or range(1, len(game.letters[name].rolls) + 1)]

def may_be_taken_back(game, declaration, together, letter):
    """courses 11: a declaration is of no course; or it was taken in a letter's past, and `together` includes every
    later one that was taken: in its course, or in another course at a later place"""
    mine = course_of(game, declaration)

    def is_later(x, course):
        return x is not declaration if course is mine else x.place > declaration.place

    return mine is None or (
        declaration.bit & letter.stood[mine.name].taken
        and all(x in together for course in game.courses.values()
                for x in takewhile(lambda x: is_later(x, course), letter.stood[course.name].declarations())))

def fits(game, scope, letter):
    """disputes 2"""
    past = letter.past
    declarations, rolls = [game.letters[name] for name in in_scope(scope)], rolls_in(game, scope)

    def may_be_void(x):
        return (x.kind == "declare" and x.valid and x.rolls and not game.marks["replaced", x.id] & past
                and (is_known(game, x, past) or game.marks["names", x.id] & past)
                and may_be_taken_back(game, x, declarations, letter))

    at = scope.get("impulse")
    of_impulse = at and {x for x in game.members(game.marks["declared in", at["turn"], at["impulse"]] & past)
                         if may_be_void(x)}
    return (not game.terms["hard_core"] and all(map(may_be_void, declarations))
            and all(line <= len(game.letters[name].rolls) for name, line in rolls)
            and not all(game.marks["void", name, line] & past for name, line in rolls)
            and (at is None or set(declarations) == of_impulse))

def keep_void(game, letter, scope):
    """disputes 5"""
    for roll in rolls_in(game, scope):
        game.mark(letter, "void", *roll)
        game.mark(letter, "void", roll[0])
        game.voided.setdefault(roll, letter)
    game.unsettle(letter, in_scope(scope))

def claim_rules(game, letter):
    (deed, value), = letter.body.items()
    past, target = letter.past, None
    if deed in ("stall", "yield", "names"):
        target = game.letters.get(value["letter" if deed == "stall" else "declaration"])
    if deed == "stall":
        yield "claim 1", value["owes"] == opponent(game, letter.author)
        yield "claim 1", value["step"] == "reveal" or target is None
        yield "claim 5", value["step"] != "reveal" or target and is_owed(game, target, letter)
    elif deed == "withdraw":
        claim = game.letters[value]
        yield "claim 2", is_stall_or_dispute(claim) and claim.author == letter.author
        yield "claim 2", not game.marks["withdrawn", value] & letter.chain
    elif deed == "yield":
        yield "claim 3", (value["forfeit"] == "declarer-names") == (target is not None)
        yield "claim 3", target is None or (
            target.valid and target.rolls and game.letters[target.body["seal"]].author == letter.author
            and (not course_of(game, target) or is_opened_by_sealer(game.letters[target.body["seal"]]))
            and not can_be_had(game, target, past)
            and not is_answered(game, target, past) and not game.marks["forfeited", target.id] & past)
    elif deed == "names":
        yield "claim 4", target.valid and target.author == letter.author and not is_of_hidden(game, target)
        yield "claim 4", forfeited_by(game, game.letters[value["forfeit"]]) == target.id
        yield "claim 4", not game.marks["names", target.id] & letter.chain
        yield "claim 4", named_draws(game, target, value["dice"]) is not None

def is_owed(game, target, letter):
    """claim 5, 6: whether a letter's author is owed the dice of their own declaration, or a note of the other player's
    that is due"""
    author, past = letter.author, letter.past
    if target.kind == "declare":
        return target.valid and target.author == author and not is_settled_by(game, target, past)
    slot = target.body["purpose"].rpartition("/")[0]
    return (target.valid and target.author == opponent(game, author)
            and not game.openers[target.id, 0] & past
            and (is_note_for(game, target, "sealed", slot)
                 and any(is_found(game, x, target) for x in game.members(game.marks["declared", slot] & past))
                 or is_standing_due(game, target, letter)
                 or is_note_for(game, target, "simultaneous")
                 and good_for(game, author, "note", target.body["purpose"], past)))

def is_opened_by_sealer(seal):
    return seal.body["revealer"] == seal.author

def is_stall_or_dispute(letter):
    return letter.kind == "claim" and letter.valid and bool(letter.body.keys() & {"stall", "dispute"})

def forfeited_by(game, letter):
    """disputes 14: the declaration that a valid yield or ruling forfeits, or None"""
    if not letter.valid or letter.kind not in ("claim", "ruling"):
        return None
    if letter.kind == "claim":
        return letter.body.get("yield", {}).get("declaration")
    forfeit = letter.body["rule"].get("forfeit")
    if not forfeit or forfeit["forfeit"] != "declarer-names":
        return None
    return claim_of(game, forfeit["request"]).body["stall"]["letter"]

def claim_of(game, request):
    """Returns the claim that a request (a ruling) names, or None if the letter is not a request."""
    return game.letters.get(game.letters[request].body.get("rule", {}).get("request"))

def claim_stands(game, claim, past=-1):
    """disputes 8, for a valid stall or dispute"""
    if game.marks["claim ended", claim.id] & past:
        return False
    stall = claim.body.get("stall")
    if not stall:
        return True
    if game.marks["yielded", stall["owes"]] & past:
        return False
    if stall["step"] == "reveal":
        target = game.letters[stall["letter"]]
        if target.kind == "declare":
            return not is_settled_by(game, target, past)
        return not game.openers[target.id, 0] & past
    return not any(stall["step"] == "answer" or x.kind == "declare"
                   or x.kind == "decide" and x.valid and course_of(game, x)
                   or x.kind == "claim" and x.valid and "names" in x.body
                   for x in following(game, claim, stall["owes"], past))

def keep_claim(game, letter):
    (deed, value), = letter.body.items()
    if deed == "withdraw":
        game.mark(letter, "withdrawn", value)
        if letter.valid:
            game.mark(letter, "claim ended", value)
    elif letter.valid and deed == "names":
        declaration = game.letters[value["declaration"]]
        game.mark(letter, "names", declaration.id)
        game.named[declaration.id] = letter
        game.unsettle(letter, [declaration.id])
        if course_of(game, declaration):
            course_of(game, declaration).keep_names(letter, declaration)
    elif letter.valid and forfeited_by(game, letter):
        keep_forfeit(game, letter)
    elif letter.valid and deed == "yield":
        game.mark(letter, "yielded", letter.author)
    elif letter.valid and deed == "stall":
        game.mark(letter, "stalled", value["letter"])

def keep_forfeit(game, letter):
    """disputes 14"""
    game.mark(letter, "forfeited", forfeited_by(game, letter))
    game.unsettle(letter, [forfeited_by(game, letter)])

def ruling_rules(game, letter):
    (deed, value), = letter.body["rule"].items()
    past = letter.past
    other = game.letters.get(value) if isinstance(value, str) else None
    anew = not game.marks[deed, value] & letter.chain if other else None
    if deed == "request":
        yield "ruling 1", is_stall_or_dispute(other) and "stall" in other.body and claim_stands(game, other, past)
    elif deed == "forfeit":
        yield "ruling 2", is_requested(game, letter, value["request"])
        stall = claim_of(game, value["request"]).body["stall"]
        yield "ruling 2", any((x["step"], x["forfeit"]) == (stall["step"], value["forfeit"])
                              for x in game.terms["deadlines"])
        named = game.letters.get(stall["letter"])
        if value["forfeit"] != "game":
            yield "ruling 11", named and named.kind == "declare"
            yield "ruling 10", not course_of(game, named)
            yield "ruling 11", not can_be_had(game, named, game.letters[value["request"]].past)
    elif deed == "void":
        yield "ruling 3", fits(game, value, letter)
        yield "ruling 10", not any(course_of(game, game.letters[name]) for name in in_scope(value))
    elif deed == "kill":
        yield "ruling 4", other.valid and anew and may_be_killed(game, other)
        yield "ruling 4", not game.marks["found", value] & past
    elif deed == "settle":
        yield "ruling 5", other.author in game.players
        # ruling 12: a second time only if no earlier ruling knew the sheet
        yield "ruling 5", anew or other.valid and knows_sheet(game, other, past) and not any(
            x.bit & letter.chain and knows_sheet(game, other, x.past) for x in game.ruled[value])
    elif deed == "dismiss":
        yield "ruling 6", is_stall_or_dispute(other) and claim_stands(game, other, past)
    elif deed == "agree":
        yield "ruling 7", other.valid and is_proposal(other) and not proposal_answered(game, other, past)
        yield "ruling 10", not any(course_of(game, game.letters[name]) for name in concerned(other))
        yield from redo_rules(game, other, letter, "ruling 13", "ruling 13")
    elif deed == "open":
        target, seal = opened_for(game, letter), set_for(game, letter)
        if target:
            yield "ruling 8", seal and [place for place, _ in carried(value)] == stated(target)
            yield "ruling 8", keys_match(seal, value)
        yield "ruling 9", target and is_requested(game, letter, value["request"])
        yield "ruling 9", seal.fallback and (target is seal or is_held(game, target))

def is_requested(game, letter, request):
    """ruling 2, 9: whether this is a valid earlier request by the referee whose claim still stands"""
    asked = game.letters[request]
    return (asked.valid and claim_of(game, request) and asked.bit & letter.chain
            and claim_stands(game, claim_of(game, request), letter.past))

def keep_ruling(game, letter):
    (deed, value), = letter.body["rule"].items()
    if not letter.valid:
        return
    if deed in ("kill", "settle"):
        game.mark(letter, deed, value)
    if deed == "settle":
        game.ruled[value].append(letter)
    elif deed == "void":
        keep_void(game, letter, value)
    elif deed == "dismiss":
        game.mark(letter, "claim ended", value)
    elif deed == "agree":
        game.mark(letter, "agreed by ruling", value)
        keep_agreement(game, letter)
    elif deed == "forfeit":
        claim = claim_of(game, value["request"])
        game.mark(letter, "claim ended", claim.id)
        if forfeited_by(game, letter):
            keep_forfeit(game, letter)
        else:
            game.mark(letter, "yielded", claim.body["stall"]["owes"])

DAY = 86400                                                     # in seconds

def days_of(game):
    """audit 4; disputes 23 to 29, for each valid ruling `forfeit` or `open`"""
    return [days_said(game, x, value) for x in game.order if x.kind == "ruling" and x.valid
            for deed, value in x.body["rule"].items() if deed in ("forfeit", "open")]

def days_said(game, ruling, value):
    """disputes 23 to 29: what the office's clock says about the days of a ruling. An `open` counts the days of any
    forfeit."""
    request, step = game.letters[value["request"]], claim_of(game, value["request"]).body["stall"]["step"]
    days = min(x["days"] for x in game.terms["deadlines"]
               if x["step"] == step and x["forfeit"] == value.get("forfeit", x["forfeit"]))
    between = [clock_of(x) for x in game.times if x.bit & ruling.past and request.bit & x.past]
    before = [clock_of(x) for x in game.times if x.bit & request.past]
    behind = [clock_of(x) for x in game.times if ruling.bit & x.past]
    at_least = max(between) - min(between) if between else None
    at_most = max(0, min(behind) - max(before)) if behind and before else None
    word = "referee"
    if at_least is not None and at_least >= days * DAY:
        word = "shown"
    elif at_most is not None and at_most < days * DAY:
        word = "contradicted"
    return {"at_least": at_least, "at_most": at_most, "days": days, "ruling": ruling.id, "word": word}


# ------------------------------------------------------------------------------------------------------------ deposits

def fallback_of(game, letter):
    """deposits 3, for a seal"""
    deposit = (game.terms["referee"] or {}).get("deposit")
    held = deposit and ["coin", "sheet", "plain", "foul-up"] + ["note"] * deposit["notes"]
    return game.referee if held and letter.kind == "seal" and letter.body["kind"] in held else ""

def held_by(game, receipt):
    """deposits 8: the seals that a receipt by the referee holds"""
    names = receipt.body["deposit"]["seals"] if receipt.author == game.referee and "deposit" in receipt.body else []
    return [x.id for x in map(game.letters.get, names) if x.valid and x.fallback and is_first(game, receipt, x)]

def is_first(game, receipt, seal):
    """receipt 1: whether no earlier receipt by the same author holds the seal"""
    return not game.marks["held", receipt.author, seal.id] & receipt.chain

def is_held(game, declaration):
    """deposits 9"""
    return game.marks["held", game.referee, declaration.body["seal"]] & declaration.past

def can_be_had(game, declaration, past):
    """deposits 10; office 18: whether the dice can still be had in the past of a request or a yield, so that
    `declarer-names` cannot forfeit them"""
    return is_held(game, declaration) or is_with_office(game, game.letters[declaration.body["seal"]], past)

def stall_of(game, ruling):
    """deposits 12: the stall that the request of a ruling `open` names, whether or not either is in breach; or None"""
    claim = claim_of(game, ruling.body["rule"]["open"]["request"])
    return claim if claim and claim.kind == "claim" and "stall" in claim.body else None

def opened_for(game, ruling):
    """deposits 12: the declaration, or the seal of a note, that a ruling `open` is for; or None"""
    stall = stall_of(game, ruling)
    named = game.letters.get(stall.body["stall"]["letter"]) if stall else None
    return named if named and (named.kind == "declare" or is_note(named)) else None

def set_for(game, ruling):
    """deposits 12: the set that a ruling `open` opens, or None"""
    target = opened_for(game, ruling)
    seal = game.letters.get(target.body["seal"]) if target and target.kind == "declare" else target
    return seal if seal and seal.kind == "seal" else None

def stated(target):
    """ruling 8: the places that `select` gives, or index 0 of a note"""
    if target.kind == "seal":
        return [(0,)]
    (form, value), = (target.body["select"] or {"cells": []}).items()
    return ([(value["index"],)] if form in ("foul_up", "plain") else
            selected([tuple(cell) for cell in value] if form == "cells" else [(row[0],) for row in value["rows"]]))

def clamp(data):
    """RFC 8032, 5.1.5; RFC 7748, 5"""
    return int.from_bytes(data, "little") & (2 ** 254 - 8) | 2 ** 254

def x25519(secret, u=b"\x09" + bytes(31)):
    """RFC 7748, 5. With the default base point, this is the public key of a secret."""
    k, x = clamp(secret), int.from_bytes(u, "little") & (2 ** 255 - 1)
    a, b = (1, 0), (x, 1)
    for shift in range(254, -1, -1):
        if k >> shift & 1:
            a, b = b, a
        plus, minus = a[0] + a[1], a[0] - a[1]
        cross, straight = (b[0] - b[1]) * plus, (b[0] + b[1]) * minus
        e = plus * plus - minus * minus
        b = (cross + straight) ** 2 % P, x * (cross - straight) ** 2 % P
        a = (plus * minus) ** 2 % P, e * (plus * plus + 121665 * e) % P
        if k >> shift & 1:
            a, b = b, a
    return (a[0] * pow(a[1], P - 2, P) % P).to_bytes(32, "little")

def hpke_open(secret, info, wrapped):
    """deposits 5; RFC 9180, 4 and 5.1: the plaintext, or None"""
    enc, kem, suite = wrapped[:32], b"KEM\0\x20", b"HPKE\0\x20\0\1\0\3"
    shared = x25519(secret, enc)

    def extract(suite, salt, label, data):
        return hmac.new(salt, b"HPKE-v1" + suite + label + data, "sha256").digest()

    def expand(suite, key, label, info, length):
        return hmac.new(key, bytes([0, length]) + b"HPKE-v1" + suite + label + info + b"\1", "sha256").digest()[:length]

    drawn = expand(kem, extract(kem, b"", b"eae_prk", shared), b"shared_secret", enc + x25519(secret), 32)
    schedule = b"\0" + extract(suite, b"", b"psk_id_hash", b"") + extract(suite, b"", b"info_hash", info)
    root = extract(suite, drawn, b"secret", b"")
    key, nonce = expand(suite, root, b"key", schedule, 32), expand(suite, root, b"base_nonce", schedule, 12)
    return aead_decrypt(key, nonce, b"", wrapped[32:]) if any(shared) else None


# -------------------------------------------------------------------------------------------------------------- office

def revealer_of(game, seal):
    """office 5, 6: the revealer that a set must have"""
    return game.office if is_for_office(game, seal.body["kind"], seal.body["purpose"]) else seal.author

def is_for_office(game, kind, purpose):
    """office 5, 6"""
    if kind == "foul-up":
        return game.terms["foul_up"]["revealer"] == "office"
    if kind == "sheet":
        return any(phase["source"] == "sheet" and phase["revealer"] == "office" for phase in game.phases.values())
    if kind in ("coin", "plain"):
        phase = read_slot(game, purpose)
        return phase and phase["revealer"] == "office"
    if kind != "note" or not ((game.terms["office"] or {}).get("deposit") or {}).get("notes"):
        return False
    slot, _, name = purpose.rpartition("/")
    phase = read_slot(game, slot)
    return phase and (any(decision["name"] == name and decision["how"] != "open" for decision in phase["decisions"])
                      or name == "standing" and has_standing_notes(SYSTEMS[phase["system"]]))

def is_with_office(game, seal, past):
    """office 8"""
    return (seal.body["revealer"] == game.office and game.marks["held", game.office, seal.id] & past
            and not is_taken_back(game, seal, past))

def is_taken_back(game, seal, past):
    """office 20"""
    return (game.marks["handed back", seal.id] | game.marks["kill", seal.id] | game.epochs & ~seal.past) & past

def is_up_to_office(game, seal, declaration, past):
    """office 10: whether only the office may open the dice of a set for a declaration"""
    return (is_with_office(game, seal, declaration.past) and not is_taken_back(game, seal, past)
            and not game.marks["stalled", declaration.id] & past)

def clock_of(receipt):
    """office 29: the time on the office's clock, or None"""
    return next(iter(receipt.body.values())).get("at")

def begins_epoch(game, letter):
    """office 25"""
    return letter.author == game.office and letter.kind == "receipt" and "epoch" in letter.body

def receipt_rules(game, letter):
    (deed, value), = letter.body.items()
    seals = [game.letters[name] for name in value.get("seals", ())]
    if deed == "deposit":
        yield "receipt 1", all(x.valid and is_first(game, letter, x) for x in seals)
        if letter.author == game.referee:
            yield "receipt 4", all(x.fallback for x in seals)
        else:
            yield "receipt 5", all(x.body["revealer"] == game.office and not game.epochs & letter.chain & ~x.past
                                   for x in seals)
    elif deed == "hand_back":
        yield "receipt 2", all(is_with_office(game, x, letter.past) for x in seals)
    else:
        earlier = (x for x in game.members(letter.chain) if x.kind == "receipt")
        yield "receipt 3", all((clock_of(x) or 0) <= value["at"] for x in earlier)

def keep_fact(game, receipt):
    """office 23: records what a receipt by the office does"""
    (deed, value), = receipt.body.items()
    for seal in (game.letters[name] for name in value.get("seals", ())):
        if deed == "hand_back":
            game.mark(receipt, "handed back", seal.id)
        elif seal.valid and seal.body.get("revealer") == game.office:
            game.mark(receipt, "held", game.office, seal.id)
    if clock_of(receipt) is not None:
        game.times.append(receipt)
    if deed == "epoch":
        game.epochs |= receipt.bit


RULES = {"seal": seal_rules, "declare": declare_rules, "reveal": reveal_rules, "decide": decide_rules,
         "correct": correct_rules, "claim": claim_rules, "ruling": ruling_rules, "receipt": receipt_rules,
         "close": close_rules}


# -------------------------------------------------------------------------------------------- systems, in common

Roll = namedtuple("Roll", "cell why at")        # `at` is (envelope, row), (column, row), or (envelope, line) in a redo
Work = namedtuple("Work", "input rolls select lines")   # the canonical input, and what it asks for

def read_input(game, phase, value, redo):
    """declare 4: what the phase's system reads from an input, canonical or not, or None"""
    name = phase["system"]
    try:
        system = game.courses[name].system if name in game.courses else SYSTEMS[name]
        return system.read(phase["settings"], game.terms["tables"], value, redo)
    except Refused:
        return None

def system_of(game, declaration):
    return game.phases[declaration.body["slot"]["phase"]]["system"]

def draw_all(game, declaration, draw):
    """Returns the draws of a declaration. draw(k, n) gives a die with n sides from roll k, counted from 0."""
    course, settings = course_of(game, declaration), game.phases[declaration.body["slot"]["phase"]]["settings"]
    if course:
        orders = said_in(game, declaration.orders)
        return course.system.draws(settings, declaration.state, declaration.work.input, orders, draw)
    return SYSTEMS[system_of(game, declaration)].draws(settings, declaration.rolls, draw)

def take_from(dice):
    """Returns two functions: one for `draws` that takes these dice in order, and one that says whether all were
    taken."""
    left = list(reversed(dice))

    def draw(_, sides):
        if not (left and integer(1, sides)(left[-1])):
            raise Refused("rule", "not the dice that are asked for")
        return left.pop()
    return draw, lambda: not left

def named_draws(game, declaration, dice):
    """claim 4, disputes 14: the draws that take exactly these dice, or None"""
    draw, all_taken = take_from(dice)
    try:
        drawn = draw_all(game, declaration, draw)
    except Refused:
        return None
    return drawn if all_taken() else None

def resolve(game, declaration):
    """dice 1 to 5, disputes 14: the draws of a declaration whose dice are known or were named"""
    names, course = game.named.get(declaration.id), course_of(game, declaration)
    if course:
        return course.result(course.standings[names.id if names else declaration.id])[0]
    return draw_all(game, declaration, dice_of(game, declaration, names))

def dice_of(game, declaration, names):
    """Returns a function that gives the next die of a roll, counted from 0: from the letter `names`, or from the opened
    dice."""
    if names:
        return take_from(names.body["names"]["dice"])[0]
    streams = {}

    def draw(k, sides):
        if k not in streams:
            streams[k] = stream_of(game, declaration, k)
        return streams[k].draw(sides)
    return draw

def stream_of(game, declaration, k):
    """dice 1 to 3: the stream of roll k, counted from 0, of a declaration that is shown"""
    seal, secret = game.letters[declaration.body["seal"]], declaration.secret
    share = bytes.fromhex(open_contribution(declaration) or "")
    if secret:                                                  # secrets 2
        share = seed_of(context_of(game.letters[secret[0]]), secret[1:], game.keys[secret])
    roll = declaration.rolls[k]
    place = roll.at if seal.body["kind"] == "sheet" else roll.at[:1]
    seed = seed_of(context_of(seal), place, game.keys[(seal.id, *place)])
    index, line = roll.at
    return Stream(roll_key(dice_root(seal.id, declaration.id, index, seed, share), line))

Draw = namedtuple("Draw", "roll sides value why")               # roll: its position among the rolls, from 0

def values_in(settings, rolls, drawn):
    """dice 7: the value of each roll"""
    return [value_of(settings["values"], [x.value for x in drawn if x.roll == k]) for k in range(len(rolls))]

class Values:
    """The common part of the systems without a course: each roll is one value (dice 7)."""
    is_course = is_hidden = False

    def with_tables(self, _tables):
        return self

    def draws(self, settings, rolls, draw):
        return [Draw(k, n, draw(k, n), roll.why)
                for k, roll in enumerate(rolls) for n in sides_of(settings["values"])]


# ------------------------------------------------------------------------------------------------------------- courses

class Played:
    """The common part of the systems with a course."""

    def play(self, settings, state, value, orders, draw):
        """Returns the draws of a declaration, and their result as `turn` gives it."""
        drawn = self.draws(settings, state, value, orders, draw)
        return drawn, self.turn(settings, state, value, orders, drawn)

    def wished(self, _settings, _state, wish):
        """courses 14: the decision that a wish makes when one is awaited, or None"""
        return wish

class Standing:
    """courses 4: where a course stands: at a letter, or before any letter. There is one object for each such letter."""

    def __init__(self, letter=None, declaration=None, before=None):
        self.letter, self.id = letter, letter and letter.id
        self.declaration, self.before = declaration, before     # the one taken last; the standing before it
        self.taken = before.taken | declaration.bit if declaration else 0  # all that were taken; each author's last
        self.latest = {**before.latest, declaration.author: declaration.place} if declaration else {}
        self.result, self.states = None, {}                     # kept by Course once computed

    def declarations(self):
        """Yields the declarations that were taken, the last one first."""
        standing = self
        while standing.declaration:
            yield standing.declaration
            standing = standing.before

State = namedtuple("State", "value awaits role")        # courses 2: a state, what it awaits, and from which role
NO_STATE = State(None, None, None)

class Course:
    """courses 1: the course of one system in a game"""

    def __init__(self, game, name):
        phases = [phase for phase in game.terms["phases"] if phase["system"] == name]
        self.game, self.name, self.settings = game, name, phases[0]["settings"]
        self.system = SYSTEMS[name].with_tables(game.terms["tables"])
        given = game.terms["continues"]["states"] if game.terms["continues"] else {}
        self.begin = given.get(name) or self.system.begin(self.settings)
        self.places = sorted((impulse, list(game.phases).index(x["name"])) for x in phases for impulse in x["impulses"])
        self.declarer = phases[0]["declarer"]
        self.standings = {None: Standing()}     # by the id of each letter where it can stand
        self.following = defaultdict(list)      # by `after`: the valid declarations and decisions
        self.breaches = []                      # courses 8: breaches that a declaration with another `after` settles

    # courses 4, 5

    def keep(self, letter):
        """Records a valid declaration or decision, which can now be taken."""
        after = self.standings[letter.body["after"]]
        taken = (letter, after) if letter.kind == "declare" else (after.declaration, after.before)
        self.standings[letter.id] = Standing(letter, *taken)
        self.following[after.id].append(letter)

    def keep_names(self, names, declaration):
        """Records a letter that names the dice of a declaration."""
        self.standings[names.id] = Standing(names, declaration, self.standings[declaration.body["after"]])

    def standing_in(self, past, before):
        """Returns where the course stands in a past. It continues from the standing in the past of the earlier letter
        `before`. If a letter since then unsettled a declaration, it continues from before that declaration."""
        standing = before.stood.get(self.name, self.standings[None])
        for letter in self.game.members(self.game.unsettling & past & ~before.past):
            for x in letter.unsettles:
                if x.bit & standing.taken:
                    standing = self.standings[x.body["after"]]
        following = standing
        while following:
            standing, following = following, self.next_standing(following, past)
        return standing

    def next_standing(self, standing, past):
        """Returns the standing once the next letter is taken in a past, or None if no letter is taken."""
        marks = self.game.marks
        if standing.declaration and not is_settled(self.game, standing.declaration, past):
            return None
        for letter in self.following[standing.id]:
            if letter.bit & past and not (marks["replaced", letter.id] | marks["void", letter.id]) & past:
                is_named = marks["names", letter.id] & past
                return self.standings[self.game.named[letter.id].id if is_named else letter.id]
        return None

    # courses 6, 14

    def result(self, standing):
        """Returns the draws of the declaration that was taken last, and its result: a state, what is public, and the
        decisions that it needs."""
        letter, last = standing.letter, standing.declaration
        if standing.result:
            return standing.result
        if letter is None:
            standing.result = [], (self.begin, None, {})
        elif letter.kind == "decide":
            standing.result = [], self.system.decide(
                self.settings, letter.state, letter.author, letter.body["name"], letter.body["value"])
        else:
            orders, names = said_in(self.game, last.orders), letter if letter is not last else None
            dice = dice_of(self.game, last, names)
            standing.result = self.system.play(self.settings, last.state, last.work.input, orders, dice)
        return standing.result

    def state(self, letter):
        """Returns the state in a letter's past."""
        standing = letter.stood[self.name]
        last = standing.declaration
        if last and not is_settled(self.game, last, letter.past):
            return NO_STATE
        opened = tuple(x for x in last.found if self.game.openers[x.id, 0] & letter.past) if last else ()
        if opened not in standing.states:
            standing.states[opened] = self.heard(self.result(standing)[1][0], said_in(self.game, opened))
        return standing.states[opened]

    def heard(self, value, wishes):
        """Returns the state after each decision for which there is a wish."""
        while True:
            what, role = self.system.awaits(self.settings, value)
            said, decided = wishes.get(role) or {}, None
            if what not in ("turn", "more") and what in said:
                wished = self.system.wished(self.settings, value, said[what])
                decided = self.system.decide(self.settings, value, role, what, wished)
            if not decided:
                return State(value, what, role)
            value = decided[0]

    def due(self, letter):
        """courses 13: the standing note that is due in a letter's past, or None"""
        state, last = self.state(letter), letter.stood[self.name].declaration
        found = last.found if last and state.awaits not in ("turn", "more") else ()
        return next((x for x in found if x.author == state.role and not self.game.openers[x.id, 0] & letter.past), None)

    # courses 2

    def next_place(self, last):
        """Returns the place after the last declaration, or the first place if there is none."""
        if last is None:
            turn, k = self.system.first_place(self.settings, self.begin)
            return (turn, *self.places[k])
        turn, *place = last.place
        later = [x for x in self.places if x > tuple(place)]
        return (turn, *later[0]) if later else (turn + 1, *self.places[0])

    def awaited(self, letter):
        """Returns the place where a turn, or another roll, is awaited in a letter's past, and the role; or None."""
        state, last = self.state(letter), letter.stood[self.name].declaration
        if state.awaits == "turn":
            return self.next_place(last), state.role or self.declarer
        return (last.place, state.role) if state.awaits == "more" else None

    def front(self, letter):
        """declare 17"""
        awaited = self.awaited(letter)
        return awaited[0] if awaited else letter.stood[self.name].declaration.place

def course_of(game, letter):
    """Returns the course for the slot of a declaration or decision, or None."""
    phase = game.phases.get(letter.body["slot"]["phase"])
    return phase and game.courses.get(phase["system"])

def place_of(game, slot):
    """courses 2"""
    return slot_order(game, slot)[:3]

def standing_notes(game, declaration):
    """courses 12: the standing notes that a declaration finds"""
    course = course_of(game, declaration)
    return notes_for(game, declaration, "standing") if course and has_standing_notes(course.system) else []

def orders_of(game, declaration):
    """courses 18"""
    course = course_of(game, declaration)
    return notes_for(game, declaration, "orders") if course and course.system.takes_orders else []

def notes_for(game, declaration, name):
    """Returns both players' valid notes for the slot of a declaration that are in its past and not killed there."""
    purpose = write_slot(declaration.body["slot"]) + "/" + name
    return [x for role in game.players for x in good_for(game, role, "note", purpose, declaration.past)]

def find_violations(game):
    """courses 19, 20: a finding for each set of orders that broke the rules of the game, at the first declaration that
    shows it"""
    found = {}
    for letter in game.order:
        course = letter.kind == "declare" and letter.valid and course_of(game, letter)
        if course and course.system.takes_orders and is_settled(game, letter, -1):
            for role, why in course.system.violations(course.settings, letter.state, said_in(game, letter.orders)):
                broken = next(x for x in letter.orders if x.author == role)
                found.setdefault(broken, (letter, []))
                if found[broken][0] is letter:
                    found[broken][1].append(why)
    return [finding("rule", None if x.excused else x.author, [x.id], "courses 19: " + "; ".join(whys))
            for x, (letter, whys) in found.items() if not stood_elsewhere(course_of(game, letter), x, letter)]

def stood_elsewhere(course, orders, declaration):
    """courses 21: whether the course stood elsewhere in the past of these orders, and awaited a turn at this
    declaration's place"""
    return (orders.stood[course.name].id != declaration.body["after"] and course.state(orders).awaits == "turn"
            and course.awaited(orders)[0] == declaration.place)

def is_standing_due(game, note, letter):
    """courses 13"""
    return any(course.due(letter) is note for course in game.courses.values())

def is_settled(game, declaration, past):
    """courses 3, hidden 3, for a valid declaration of a course"""
    if is_of_hidden(game, declaration):
        return is_settled_by(game, declaration, past)
    if game.marks["forfeited", declaration.id] & past:
        return game.marks["names", declaration.id] & past
    return is_shown(game, declaration, past)

def said_in(game, notes):
    """Returns by author what the notes that speak say."""
    return {note.author: note_says(game, note) for note in notes}

def note_says(game, note):
    """courses 14: the object in an opened note, or None"""
    said = open_note(context_of(note), game.keys[note.id, 0], bytes.fromhex(note.body["notes"][0]))
    try:
        value = read_json(said.encode()) if said is not None else None
    except Refused:
        return None
    return value if isinstance(value, dict) else None

def replaced_by(game, letter):
    """Returns the declaration that a redo of `agreed`, or the redo of its breach, replaces, or None."""
    *_, redo = letter, *mended_by(game, letter)                 # each of these passed declare 11
    return game.letters[called_for(game, redo).body["propose"]["declaration"]] if how_redone(redo) == "agreed" else None

def course_declare_rules(game, letter, course):
    """declare 14, 16, 17"""
    after, stood, replaced = letter.body["after"], letter.stood[course.name], replaced_by(game, letter)
    letter.state = replaced.state if replaced else course.state(letter).value
    if replaced:
        yield "declare 14", after == replaced.body["after"] and stood.declaration is replaced
        yield "declare 16", not any("void" in x.body for x in unanswered(game, letter))
    else:
        yield "declare 14", after == stood.id and course.awaited(letter) == (letter.place, letter.author)
        yield "declare 16", not unanswered(game, letter) and not is_redo_due(game, course, letter)
        yield "declare 17", all(letter.place < x.front(letter) for x in game.courses.values() if x is not course)

def course_decide_rules(game, letter, course):
    body, stood, state = letter.body, letter.stood[course.name], course.state(letter)
    last, letter.state = stood.declaration, state.value
    yield "decide 4", (state.awaits, state.role) == (body["name"], letter.author) and not course.due(letter)
    yield "decide 4", body["after"] == stood.id and last and same(body["slot"], last.body["slot"])
    yield "decide 4", not unanswered(game, letter) and not is_redo_due(game, course, letter)
    yield "decide 5", course.system.decide(course.settings, state.value, letter.author, body["name"], body["value"])


# ---------------------------------------------------------------------------------------------------------------- cil

class Battles(Played):
    """cil.md: both players' orders make a round (courses 18)"""
    source, is_course, is_hidden, names_declarer, takes_orders = "plain", True, False, False, True

    def __init__(self, system):
        self.system, self.prefill = system, system.prefill

    def __getattr__(self, name):
        return getattr(self.system, name)

    def with_tables(self, tables):
        return Battles(self.system.with_tables(tables))

    def places_hold(self, phases):
        """cil 2"""
        return len(phases) == 1 and len(phases[0]["impulses"]) == 1

    def first_place(self, _settings, state):
        """cil 2, 5"""
        return state["turn"] + 1, 0

    def read(self, _settings, _tables, value, _redo, _state=None):
        """cil 9"""
        demand(same(value, {}))
        rolls = [Roll(None, "combat", (0, 1)), Roll(None, "assault", (0, 2))]
        return Work({}, rolls, {"plain": {"index": 0, "lines": 2}}, None)

    def form_for_redo(self, value):
        return value

    def awaits(self, _settings, state):
        return self.system.awaits(state)

    def takes(self, _settings, _state, _value):
        return True

    def draws(self, settings, state, _value, orders, draw):
        drawn = []

        def take(k, sides, why):
            drawn.append(Draw(k, sides, draw(k, sides), why))
            return drawn[-1].value
        self.system.round(settings, state, orders, take)
        return drawn

    def turn(self, settings, state, _value, orders, drawn):
        left = [x.value for x in reversed(drawn)]
        return self.told(*self.system.round(settings, state, orders, lambda *_: left.pop()).outcome())

    def told(self, state, public):
        what, by = self.system.awaits(state)
        return state, public, {} if what == "turn" else {what: by}

    def decide(self, settings, state, by, name, value):
        decided = self.system.decide(settings, state, by, name, value)
        return decided and self.told(*decided)


# ------------------------------------------------------------------------------------------------------ hidden courses

class Hidden(Played):
    """hidden.md: a system in which everybody sees only the inputs; its dice decide nothing that everybody knows"""
    source, is_course, is_hidden, names_declarer, takes_orders = "plain", True, True, True, False

    def __init__(self, name, system):
        self.name, self.system, self.prefill = name, system, system.prefill

    def __getattr__(self, name):
        return getattr(self.system, name)

    def with_tables(self, _tables):
        return self

    def places_hold(self, phases):
        """hidden 1"""
        return len(phases) == 1 and len(phases[0]["impulses"]) == 1

    def read(self, settings, _tables, value, _redo, _state=None):
        demand(self.system.input_holds(settings, value))
        lines = self.system.rolls_of(settings)
        return Work(value, [Roll(None, self.name, (0, k)) for k in range(1, lines + 1)],
                    {"plain": {"index": 0, "lines": lines}}, None)

    def form_for_redo(self, value):
        return value

    def draws(self, _settings, _state, _value, _notes, _draw):
        return []

    def turn(self, settings, state, value, _notes, _drawn):
        return self.system.after(settings, state, value), {}, {}

    def decide(self, _settings, _state, _by, _name, _value):
        return None

def is_of_hidden(game, declaration):
    course = course_of(game, declaration)
    return bool(course) and course.system.is_hidden

def is_sheet(phase, name):
    """hidden 2: whether a note with this name is the sheet for a slot of the phase"""
    return bool(phase) and name == "sheet" and SYSTEMS[phase["system"]].is_hidden

def has_standing_notes(system):
    """courses 12, 18, hidden 1: whether the declarations of a system find standing notes"""
    return system.is_course and not system.is_hidden and not system.takes_orders

def has_sheet_bytes(phase, seal):
    """hidden 2"""
    return len(seal.body["notes"][0]) // 2 == phase["settings"]["sheet_bytes"] + 16

def is_known(game, declaration, past):
    """correct 1, disputes 2, hidden 3"""
    return (is_settled if is_of_hidden(game, declaration) else is_shown)(game, declaration, past)

def knows_sheet(game, letter, past):
    """ruling 12, hidden 6: whether the sheet of a declaration in a hidden course is opened in a past"""
    if letter.kind != "declare" or not is_of_hidden(game, letter) or "note" not in letter.body["moves"]:
        return False
    return game.openers[letter.body["moves"]["note"]["seal"], 0] & past

class HiddenCourse:
    """hidden 5 to 9: the runs of a course, with the supplied tables"""

    def __init__(self, game, course, supplied):
        self.game, self.course = game, course
        self.taken = list(game.end.stood[course.name].declarations())[::-1]
        tables = Tables(game.terms["tables"], supplied, course.system.table_holds)
        self.runs = {role: self.run(role, tables) for role in game.players}

    def run(self, role, tables):
        steps, before = [], {}
        for letter in self.taken:
            steps.append(self.step(letter, before.get(letter.author)))
            before[letter.author] = letter
        return Run(self.course.system.player(self.course.settings, role, tables), role, steps)

    def step(self, letter, before):
        def dice(sheet):
            if before is None:
                return None
            if self.is_named(letter, before):
                return OpenedDice(named_streams(sheet))
            return OpenedDice(lambda line: self.stream(before, line))
        return Step(letter.author, letter.state, letter.work.input, lambda: self.said(letter), dice)

    def said(self, letter):
        """hidden 5: the object in a sheet, or None while the sheet is closed"""
        note = self.sheet_of(letter)
        if not self.game.openers[note.id, 0]:
            return None
        said = note_says(self.game, note)
        return {} if said is None else said

    def sheet_of(self, letter):
        return self.game.letters[letter.body["moves"]["note"]["seal"]]

    def is_named(self, letter, before):
        """hidden 7: whether a declaration's sheet names the dice of the player's declaration before it, which are
        forfeited"""
        return self.game.marks["forfeited", before.id] & letter.past

    def stream(self, declaration, line):
        if not is_shown(self.game, declaration):
            raise Stop("dice")
        return stream_of(self.game, declaration, line - 1)

    def findings(self):
        """hidden 6"""
        places = sorted(place for run in self.runs.values() for place in run.false)
        return [self.finding(self.taken[place]) for place in places]

    def finding(self, letter):
        found = finding("rule", letter.author, [letter.id], "hidden 6: %s says something else than its sheet and dice" %
                        write_slot(letter.body["slot"]))
        rulings = [x.id for x in self.game.ruled.get(letter.id, ()) if knows_sheet(self.game, letter, x.past)]
        found["settled_by"] = (rulings + [None])[0]
        return found

    def rolls(self):
        """hidden 9: the draws of the runs, by the declaration that their dice belong to"""
        rolls = defaultdict(list)
        for place, drawn in (pair for run in self.runs.values() for pair in run.drawn):
            letter = self.taken[place]
            before = [x for x in self.taken[:place] if x.author == letter.author][-1]
            named_by = letter.id if self.is_named(letter, before) else None
            for draw in drawn:
                index, line = before.rolls[draw.line - 1].at
                rolls[before.id].append({
                    "cell": None, "declaration": before.id, "index": index, "line": line, "named_by": named_by,
                    "seal": before.body["seal"], "sides": draw.sides, "slot": write_slot(before.body["slot"]),
                    "standing": True, "value": draw.value, "why": draw.why})
        return rolls

    def report(self):
        return {role: run.report() for role, run in self.runs.items()}


# ------------------------------------------------------------------------------------------------------ coin-envelopes

LETTER_HEX = re.compile("([A-Z]{1,2})(?:-| *)([0-9]{1,3})")
NUMERIC4_HEX = re.compile("([0-9]{2})([0-9]{2})|([0-9])([0-9]{2})|([0-9]{1,2})[-. ]([0-9]{2})")
MAPNUMERIC_HEX = re.compile("([A-Z])([0-9]{2})[-. ]?([0-9]{2})")
ODDS = re.compile(" *([1-9][0-9]{0,2}) *(?:" + DASH + "|:|to) *([1-9][0-9]{0,2}) *")

Hex = namedtuple("Hex", "order canonical row digit label")

def read_hex(grammar, double_letters, written):
    """coin-envelopes 1, 2: reads a written hex, with its rank in the order and its row and digit in the chart"""
    cut = written.lstrip(" ").rstrip(" .")
    cut = "".join(c.upper() if "a" <= c <= "z" else c for c in cut)
    if grammar == "letters":
        parts = LETTER_HEX.fullmatch(cut)
        if parts:
            letters, number = parts[1], int(parts[2])
            rank = ord(letters[-1]) - 64
            if len(letters) == 2:
                if double_letters == "doubled" and letters[0] != letters[1]:
                    raise Refused("rule", "no such double letters: %r" % written)
                rank += 26 if double_letters == "doubled" else 26 * (ord(letters[0]) - 64)
            return Hex((rank, number), "%s%d" % (letters, number), rank, number % 10, letters)
    elif grammar == "numeric4":
        parts = NUMERIC4_HEX.fullmatch(cut)
        if parts:
            first, second = [int(part) for part in parts.groups() if part]
            return Hex((first, second), "%02d%02d" % (first, second), first, second % 10, "%02d" % first)
    else:
        parts = MAPNUMERIC_HEX.fullmatch(cut)
        if parts:
            first, second = int(parts[2]), int(parts[3])
            return Hex((parts[1], first, second), "%s%02d.%02d" % (parts[1], first, second), first, second % 10,
                       "%02d" % first)
    raise Refused("rule", "not a hex: %r" % written)

def chart_value(settings, tables, hex_):
    """coin-envelopes 3"""
    if settings["chart"] == "house":
        return 1 + ((hex_.row + 4) ** 2 + 7 * hex_.digit + 2) % 10
    rows = tables["hex-chart"]["rows"]
    if hex_.label not in rows:
        raise Refused("rule", "the chart has no row " + hex_.label)
    return rows[hex_.label][hex_.digit]

def read_odds(written):
    """coin-envelopes 5"""
    parts = ODDS.fullmatch(written)
    if not parts:
        raise Refused("rule", "not an odds: %r" % written)
    return int(parts[1]), int(parts[2])

ATTACKS = items(fields({"hexes": items(text(), 1, MAX_HEXES), "id": text(1, 32), "odds": text(),
                        "order": or_null(integer(1))}))

def worksheet(settings, tables, attacks):
    """coin-envelopes 4 to 8"""
    n = settings["envelopes"]
    orders = [attack["order"] for attack in attacks if attack["order"] is not None] if ATTACKS(attacks) else None
    if orders is None or len(attacks) > 10 * n or len({attack["id"] for attack in attacks}) < len(attacks):
        raise Refused("rule", "not a list of attacks")
    if len(set(orders)) < len(orders) or any(order > len(attacks) for order in orders):
        raise Refused("rule", "not an order of attack")
    lines = []
    for attack in attacks:
        hexes = sorted(read_hex(settings["grammar"], settings["double_letters"], h) for h in attack["hexes"])
        if len({hex_.order for hex_ in hexes}) < len(hexes):
            raise Refused("rule", "a hex twice in one attack")
        a, b = read_odds(attack["odds"])
        value = sum(chart_value(settings, tables, hex_) for hex_ in hexes)
        lines.append({"sorted_by": [hex_.order for hex_ in hexes], "id": attack["id"], "order": attack["order"],
                      "hexes": [hex_.canonical for hex_ in hexes], "odds": "%d-%d" % (a, b), "value": value,
                      "multiplier": max(a, b), "product": value * max(a, b)})
    lines.sort(key=lambda line: line.pop("sorted_by"))          # a prefix comes first; equal ones keep their order
    total = sum(line["product"] for line in lines)
    index = total % n if lines else None
    free_ranks = iter(sorted(set(range(1, len(lines) + 1)) - set(orders)))
    for k, line in enumerate(lines):
        line["envelope"], line["row"] = (index + k // 10) % n, 1 + k % 10
        line["rank"] = next(free_ranks) if line["order"] is None else line["order"]
    opened = list(dict.fromkeys(line["envelope"] for line in lines))
    return {"total": total, "index": index, "attacks": lines, "opened": opened,
            "returned": [i for i in range(n) if i not in opened]}

COIN_SETTINGS = fields({"envelopes": integer(1, 256), "grammar": one_of("letters", "numeric4", "mapnumeric"),
                        "double_letters": one_of("doubled", "spreadsheet"), "chart": one_of("house", "table"),
                        "values": VALUES, "list_automatic": BOOL})
CHART = fields({"rows": named(ANY, items(integer(0, 99), 10, 10), 1024)})

class CoinEnvelopes(Values):
    source, start = "coin", {}
    prefill = {"envelopes": 5, "grammar": "letters", "double_letters": "doubled", "chart": "house", "values": "1-6",
               "list_automatic": True}

    def holds(self, settings, tables):
        """charter 6"""
        return COIN_SETTINGS(settings) and (settings["chart"] == "house" or CHART(tables.get("hex-chart")))

    def read(self, settings, tables, value, _redo):
        """coin-envelopes 4, 9, 10. An id or an order may be missing, but then the input is not canonical
        (vectors/README)."""
        if not fields({"attacks": items(OBJECT)})(value):
            raise Refused("rule", "not an input of coin-envelopes")
        attacks = [{"id": "a%d" % (i + 1), "order": None, **attack} for i, attack in enumerate(value["attacks"])]
        sheet = worksheet(settings, tables, attacks)
        lines = sheet["attacks"]
        rolls = [Roll(None, "%s %s %s" % (line["id"], "+".join(line["hexes"]), line["odds"]),
                      (line["envelope"], line["row"])) for line in lines]
        select = {"index": sheet["index"], "rows": [roll.at for roll in rolls], "total": sheet["total"]}
        attacks = [{key: line[key] for key in ("hexes", "id", "odds", "order")} for line in lines]
        return Work({"attacks": attacks}, rolls, {"worksheet": select}, lines)

    def form_for_redo(self, value):
        """coin-envelopes 4"""
        return value

    def public(self, work, rolls, values):
        """coin-envelopes 11"""
        return {"attacks": [
            {"die": value, "envelope": roll.at[0], "hexes": line["hexes"], "id": line["id"], "odds": line["odds"],
             "rank": line["rank"], "row": roll.at[1]} for line, roll, value in zip(work.lines, rolls, values)]}

    def state_after(self, state, _work):
        """coin-envelopes 11"""
        if state != {}:
            raise Refused("rule", "the state is not {}")
        return {}


# ---------------------------------------------------------------------------------------------------------------- icrk

LABELS = [chr(65 + i) for i in range(26)] + [2 * chr(65 + i) for i in range(14)]

def read_cell(written):
    """icrk 2: the column and row of a cell"""
    cell = read_hex("letters", "doubled", written)
    if cell.label not in LABELS or not 1 <= cell.order[1] <= 10:
        raise Refused("rule", "not a cell: %r" % written)
    return LABELS.index(cell.label), cell.order[1]

def spend(depths, cells):
    """icrk 3: the spent rows of each column after these cells, or None if a cell is not the first unspent one"""
    after = dict(depths)
    for column, r in cells:
        if r != after.get(column, 0) + 1:
            return None
        after[column] = r
    return after

ICRK_SETTINGS = fields({"values": VALUES})
ICRK_INPUT = fields({"rolls": items(fields({"cell": or_null(text()), "why": text(1, 200)}), 0, MAX_ROLLS)})
ICRK_STATE = fields({"spent": named(one_of(*LABELS), integer(1, 10))})

class Icrk(Values):
    source, start = "sheet", {"spent": {}}
    prefill = {"values": "1-6"}

    def holds(self, settings, _tables):
        """charter 6"""
        return ICRK_SETTINGS(settings)

    def read(self, _settings, _tables, value, redo):
        """icrk 2, 4"""
        if not ICRK_INPUT(value) or any((line["cell"] is None) != redo for line in value["rolls"]):
            raise Refused("rule", "not an input of icrk")
        places = [None if redo else read_cell(line["cell"]) for line in value["rolls"]]
        rolls = [Roll(place and "%s%d" % (LABELS[place[0]], place[1]), line["why"], place)
                 for place, line in zip(places, value["rolls"])]
        lines = [{"cell": roll.cell, "why": roll.why} for roll in rolls]
        return Work({"rolls": lines}, rolls, {"cells": places}, lines)

    def form_for_redo(self, value):
        """icrk 2"""
        return {"rolls": [{**line, "cell": None} for line in value["rolls"]]}

    def public(self, _work, rolls, values):
        """icrk 6"""
        return {"rolls": [{"cell": roll.cell, "value": value, "why": roll.why} for roll, value in zip(rolls, values)]}

    def state_after(self, state, work):
        """icrk 3, 6"""
        if not ICRK_STATE(state):
            raise Refused("rule", "not a state of icrk")
        depths = {LABELS.index(label): depth for label, depth in state["spent"].items()}
        after = spend(depths, [roll.at for roll in work.rolls if roll.at])
        if after is None:
            raise Refused("rule", "a cell is not the first unspent one of its column")
        return {"spent": {LABELS[column]: depth for column, depth in after.items()}}


# ------------------------------------------------------------------------------------------------------ ocs-initiative

MARKER = matching("(?!none$)[A-Za-z0-9-]{1,32}")
MARKERS = both(items(MARKER, 0, 64), differ)                    # ocs-initiative 2, in any order
SORTED_MARKERS = both(MARKERS, ascending)
ORDER = one_of("first", "second")
OCS_SETTINGS = fields({"sides": both(tuple_of(ROLE, ROLE), differ), "first_player": or_null(ROLE),
                       "flux_holder": one_of("first_mover", "winner"), "pop_then_second": BOOL})
OCS_INPUT = fields({"markers": MARKERS, "order": or_null(ORDER),
                    "pop": or_null(fields({"at_most": integer(0, 64), "from": MARKERS}))})
OCS_STATE = fields({
    "bar": SORTED_MARKERS, "first": or_null(ROLE), "flux": BOOL, "holder": or_null(ROLE), "markers": SORTED_MARKERS,
    "returning": SORTED_MARKERS, "turn": integer(0, 9999), "pending": or_null(fields({
        "awaits": one_of("pop", "order"), "by": ROLE, "deficit": integer(0, 10), "popped": SORTED_MARKERS,
        "order": or_null(ORDER)}))})

class OcsInitiative(Played):
    source, is_course, is_hidden, names_declarer, takes_orders = "plain", True, False, True, False
    prefill = {"flux_holder": "first_mover", "pop_then_second": False}

    def with_tables(self, _tables):
        return self

    def holds(self, settings, _tables):
        """charter 6"""
        return OCS_SETTINGS(settings) and settings["first_player"] in (None, *settings["sides"])

    def roles_in(self, settings):
        return settings["sides"]

    def places_hold(self, phases):
        """ocs-initiative 3"""
        return len(phases) == 1 and len(phases[0]["impulses"]) == 1

    def begin(self, settings):
        """ocs-initiative 5"""
        role = settings["first_player"]
        return {"bar": [], "first": role, "flux": role is None, "holder": role, "markers": [], "pending": None,
                "returning": [], "turn": 1 if role else 0}

    def first_place(self, _settings, state):
        """ocs-initiative 5"""
        return state["turn"] + 1, 0

    def state_holds(self, settings, state):
        """ocs-initiative 4, 13: whether an object has the form of a state"""
        if not OCS_STATE(state):
            return False
        bar, markers, returning, pending = state["bar"], state["markers"], state["returning"], state["pending"]
        first, holder, turn = state["first"], state["holder"], state["turn"]
        return ({first, holder} <= {None, *settings["sides"]} and turn >= (1 if settings["first_player"] else 0)
                and (first is None) == (turn == 0 or pending is not None) and state["flux"] == (holder is None)
                and (holder or not bar + markers) and differ(bar + markers) and len(bar + markers) <= 64
                and not (returning and (bar + markers or pending))
                and (pending is None or self.pending_holds(settings, state)))

    def pending_holds(self, settings, state):
        """ocs-initiative 13"""
        pending = state["pending"]
        if pending["by"] not in settings["sides"] or state["turn"] == 0:
            return False
        if pending["awaits"] == "pop":
            return (pending["by"] == state["holder"] and 1 <= pending["deficit"] <= len(state["markers"])
                    and not pending["popped"])
        return not pending["order"] and set(pending["popped"]) <= set(state["bar"])

    def read(self, _settings, _tables, value, _redo, _state=None):
        """ocs-initiative 7. Missing fields are empty or null, and markers may be in any order, but then the input is
        not canonical (vectors/README)."""
        whole = {"markers": [], "order": None, "pop": None, **value} if isinstance(value, dict) else None
        if not OCS_INPUT(whole) or whole["pop"] and not set(whole["pop"]["from"]) <= set(whole["markers"]):
            raise Refused("rule", "not an input of ocs-initiative")
        return Work({**whole, "markers": sorted(whole["markers"])}, [Roll(None, "initiative", (0, 1))],
                    {"plain": {"index": 0, "lines": 1}}, None)

    def form_for_redo(self, value):
        return value

    def awaits(self, settings, state):
        """ocs-initiative 5, 6, 13: a turn or the name of a decision, and the role that it is awaited from"""
        pending = state["pending"]
        return (pending["awaits"], pending["by"]) if pending else ("turn", state["holder"] or settings["sides"][0])

    def takes(self, _settings, state, value):
        """declare 15; ocs-initiative 7"""
        if state["flux"]:
            return not value["markers"] and value["pop"] is None
        together = state["bar"] + value["markers"]
        return differ(together) and len(together) <= 64

    def draws(self, settings, state, _value, _orders, draw):
        """ocs-initiative 8, 14"""
        drawn = []
        while not drawn or state["flux"] and sum(x.value for x in drawn[-4:-2]) == sum(x.value for x in drawn[-2:]):
            for role in self.in_turn(settings, state):
                drawn += [Draw(0, 6, draw(0, 6), "initiative, " + role) for _ in range(2)]
        return drawn

    def in_turn(self, settings, state):
        """Returns the declarer and the other player."""
        _, declarer = self.awaits(settings, state)
        return [declarer, *(role for role in settings["sides"] if role != declarer)]

    def turn(self, settings, state, value, _orders, drawn):
        """ocs-initiative 7 to 12: the state after a declaration, what is public, and the decisions that it needs"""
        declarer, other = self.in_turn(settings, state)
        values = [x.value for x in drawn]
        rounds = [values[i:i + 4] for i in range(0, len(values), 4)]
        ahead = sum(rounds[-1][:2]) - sum(rounds[-1][2:])
        returned = state["returning"]
        state = {**state, "first": None, "markers": value["markers"], "returning": [], "turn": state["turn"] + 1}
        deficit = 0 if state["flux"] else max(0, -ahead)
        turn = Turn(settings, state, {declarer: value["order"]}, deficit, rounds, returned)
        if ahead >= 0 or state["flux"]:
            return turn.order(declarer if ahead > 0 or not state["flux"] else other, [])
        if value["pop"]:
            able = turn.deficit <= min(value["pop"]["at_most"], len(value["pop"]["from"]))
            return turn.pop(value["pop"]["from"][:turn.deficit] if able else [])
        if turn.deficit <= len(value["markers"]):
            return turn.ask("pop", declarer, [])
        return turn.pop([])

    def decide(self, settings, state, by, name, value):
        """ocs-initiative 10, 11: the result of a decision, in the form that `turn` returns, or None if it is not
        awaited or not allowed"""
        pending = state["pending"]
        if not pending or (name, by) != (pending["awaits"], pending["by"]):
            return None
        orders = {state["holder"]: pending["order"]}
        turn = Turn(settings, {**state, "pending": None}, orders, pending["deficit"], [], [])
        if name == "order":
            return turn.order(by, pending["popped"], value) if ORDER(value) else None
        allowed = MARKERS(value) and set(value) <= set(state["markers"]) and len(value) in (0, pending["deficit"])
        return turn.pop(value) if allowed else None

class Turn:
    """A turn of ocs-initiative after its dice are known."""

    def __init__(self, settings, state, orders, deficit, rounds, returned):
        self.settings, self.state, self.orders = settings, state, orders
        self.deficit, self.rounds, self.returned = deficit, rounds, returned

    def other(self, role):
        return next(x for x in self.settings["sides"] if x != role)

    def answer(self, state, controller, popped, returned=()):
        public = {"controller": controller, "deficit": self.deficit, "first": state["first"], "popped": sorted(popped),
                  "returned": sorted([*self.returned, *returned]), "rounds": self.rounds}
        pending = state["pending"]
        return state, public, {pending["awaits"]: pending["by"]} if pending else {}

    def ask(self, name, by, popped):
        """ocs-initiative 13"""
        order = self.orders[by] if name == "pop" else None
        pending = {"awaits": name, "by": by, "deficit": self.deficit, "order": order, "popped": sorted(popped)}
        return self.answer({**self.state, "pending": pending}, None if name == "pop" else by, popped)

    def pop(self, popped):
        """ocs-initiative 9"""
        holder = self.state["holder"]
        if not popped:
            return self.order(self.other(holder), [])
        self.state = {**self.state, "bar": sorted(self.state["bar"] + popped),
                      "markers": [marker for marker in self.state["markers"] if marker not in popped]}
        return self.order(holder, popped, None if self.settings["pop_then_second"] else "first")

    def order(self, controller, popped, chosen=None):
        """ocs-initiative 11, 12"""
        chosen = chosen or self.orders.get(controller)
        if not chosen:
            return self.ask("order", controller, popped)
        state, other, holder = self.state, self.other(controller), self.state["holder"]
        first = controller if chosen == "first" else other
        bar, returning = [], []
        if state["flux"]:
            after = controller if self.settings["flux_holder"] == "winner" else first
        elif controller == holder:
            after = first
            bar, returning = (state["bar"], []) if first == holder else ([], popped)
        else:
            after = None if chosen == "first" else holder
        return self.answer(
            {**state, "bar": bar, "first": first, "flux": after is None, "holder": after, "returning": sorted(returning),
             "markers": state["markers"] if after == holder else []},
            controller, popped, [marker for marker in state["bar"] if marker not in bar + returning])


# -------------------------------------------------------------------------------------------------------- event-tables

# Limits (README)
MAX_EACH_TURN = 16
MAX_RUNS = 1023
MAX_DICE = 64
MAX_TURN_DICE = 4096
MAX_STEPS = 256
MAX_LOOKS = 1048576

# event-tables 1: forms

EVENT_NAME = matching("[a-z][a-z0-9_-]{0,31}")
ASK = matching("[a-z][a-z0-9-]{0,31}")
SEEN = "[^%s]" % UNSEEN
SHOWN = both(text(1, 500), matching(SEEN + "*"))
# event-tables 14: no loose marks, no blank at the ends
TIGHT = matching("(?! )[^\u0300-\u036f\u1100-\u11ff\u3099\u309a]+(?<! )")
ENTRY_NAME = both(matching(SEEN + "+"), both(TIGHT, lambda v: len(v.encode()) <= 64))
LINE_TEXT = both(SHOWN, both(TIGHT, lambda v: v != "none"))      # event-tables 34
WORDS = matching("[A-Za-z][A-Za-z0-9_-]{0,31}( [A-Za-z][A-Za-z0-9_-]{0,31}){1,63}")
SPAN = re.compile(r"(0|[1-9][0-9]{0,3})\.\.(0|[1-9][0-9]{0,3})")

def bracketed(needed, more):
    """Checks an object that must have the fields `needed`; those in `more` may be missing or null."""
    return lambda v: (isinstance(v, dict) and needed.keys() <= v.keys() <= {*needed, *more}
                      and all(needed[k](v[k]) for k in needed)
                      and all(v[k] is None or more[k](v[k]) for k in v.keys() - needed.keys()))

def present(value):
    """Returns the fields that are not null."""
    return {k: v for k, v in value.items() if v is not None}

def read_type(written):
    """Reads a type: "bool", a pair of the lowest and highest number, or a list of words."""
    span = SPAN.fullmatch(written)
    if span and int(span[1]) <= int(span[2]):
        return int(span[1]), int(span[2])
    words = written.split(" ")
    demand(written == "bool" or WORDS(written) and differ(words) and "bool" not in words)
    return "bool" if written == "bool" else words

def is_number(type_):
    return isinstance(type_, tuple)

def has_type(type_, value):
    if is_number(type_):
        return integer(*type_)(value)
    return BOOL(value) if type_ == "bool" else one_of(*type_)(value)

# event-tables 2 to 8: the fields of the objects in the file

def a_number(low):
    """event-tables 8: an amount, or the name of a number"""
    return lambda v: isinstance(v, str) or integer(low, 9999)(v)

STRING, RANGES, SIDE = text(), named(ANY, ANY), one_of("owner", "enemy")
NAMES = both(items(EVENT_NAME), differ)
KIND = {"kind": EVENT_NAME}
WHERE, AS, OPTIONAL = {"where": STRING}, {"as": EVENT_NAME}, {"optional": BOOL}
SAID = {"if": STRING, "about": SHOWN, "say": SHOWN}
STEPS = {do: [bracketed({"do": ANY, **needed}, {**{name: form for name, form in SAID.items() if name not in needed}, **more})
              for needed, more in forms] for do, forms in {
    "pick": [(KIND, {**WHERE, **AS, **OPTIONAL})],
    "pool": [({**KIND, "enemy": integer(1, 9), "owner": integer(1, 9), "ask": ASK}, {**WHERE, **AS})],
    "choose": [({**KIND, "by": SIDE, "ask": ASK}, {**WHERE, **AS, **OPTIONAL}), ({"of": STRING, "by": SIDE, "ask": ASK}, {})],
    "write": [({"by": SIDE, "ask": ASK, "parts": matching("[a-z][a-z0-9_-]{0,31}( [a-z][a-z0-9_-]{0,31}){0,3}"),
                "at_most": integer(1, 9)}, {"at_least": integer(0, 9), "once": EVENT_NAME})],
    "roll": [({"die": EVENT_NAME}, {})],
    "go": [({"to": EVENT_NAME}, {})],
    "need": [(KIND, WHERE)],
    "stop": [({}, {})],
    "mark": [({"mark": EVENT_NAME, "set": a_number(0)}, {"on": EVENT_NAME}),
             ({"mark": EVENT_NAME, "add": a_number(-9999)}, {"on": EVENT_NAME})],
    "raise": [({"on": EVENT_NAME, "attribute": EVENT_NAME}, {})],
    "tell": [({"say": SHOWN}, {})],
}.items()}
ABOUT, SOURCE = {"about": SHOWN}, one_of("user", "house", "test")

def is_step(value):
    return isinstance(value, dict) and any(form(value) for form in STEPS.get(str(value.get("do")), ()))

EVENT_FILE = bracketed({
    "title": SHOWN, "source": SOURCE, "sides": both(tuple_of(EVENT_NAME, EVENT_NAME), differ),
    "main": named(EVENT_NAME, EVENT_NAME),
    "tables": named(EVENT_NAME, bracketed({"dice": STRING, "rows": RANGES}, {
        "by": STRING, "modifiers": items(STRING), "source": SOURCE, **ABOUT})),
    "events": named(EVENT_NAME, bracketed({"steps": items(is_step, 1, 64)}, {
        "when": STRING, "limit": integer(1, 9999), "per": one_of("game", "day"), "of": EVENT_NAME, "each": EVENT_NAME,
        **WHERE, **ABOUT})),
}, {
    "about": SHOWN, "days": NAMES, "each_turn": named(EVENT_NAME, both(NAMES, items(ANY, 0, MAX_EACH_TURN))), "marks": named(EVENT_NAME, SHOWN),
    "dice": named(EVENT_NAME, bracketed({"dice": STRING}, {"rows": named(ANY, matching(
        "[A-Za-z][A-Za-z0-9_-]{0,31}")), **ABOUT})),
    "facts": named(EVENT_NAME, bracketed({"values": STRING}, {"side": EVENT_NAME, "at_least": EVENT_NAME, **ABOUT})),
    "kinds": named(EVENT_NAME, bracketed({}, {
        "attributes": named(EVENT_NAME, bracketed({"values": STRING}, ABOUT)), "marks": NAMES, "implies": named(EVENT_NAME, STRING),
        "lasts": one_of("game", "roster", "turn"), **ABOUT})),
    "settings": named(EVENT_NAME, bracketed({"values": STRING}, {"prefill": ANY, **ABOUT})),
})

DICE = re.compile("([1-9]?)d([1-9][0-9]{0,3})")
RANGE = re.compile("(0|[1-9][0-9]{0,3})(?:-([1-9][0-9]{0,3})|([+]))?")
MODIFIER = re.compile("(0|-?[1-9][0-9]?)(?: if (.*))?", re.S)
TERM = re.compile(r"(not )?([a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)?)(?: (=|!=|<|<=|>|>=) (\S+))?")
DECIMAL = re.compile("0|[1-9][0-9]{0,3}")
NEEDS_DICE = ("pick", "pool", "roll", "go")
LOOKS = ("pick", "pool", "choose", "need")
MAY_END = ("pick", "pool", "choose", "need", "stop", "go")

Dice = namedtuple("Dice", "sides values")       # the sides of each die; all their possible values, in order
D66 = Dice([6, 6], [10 * tens + units for tens in range(1, 7) for units in range(1, 7)])

def read_dice(written):
    """event-tables 5"""
    if written == "d66":
        return D66
    parts = DICE.fullmatch(written)
    demand(parts and 2 <= int(parts[2]) <= 1000)
    n, sides = int(parts[1] or 1), int(parts[2])
    return Dice([sides] * n, range(n, n * sides + 1))

def value_of_dice(dice, drawn):
    return 10 * drawn[0] + drawn[1] if dice == D66 else sum(drawn)

Row = namedtuple("Row", "written low high to")  # `high` is None if the row has no upper end

class Rows(list):
    """Rows, sorted by their numbers."""

    def at(self, value):
        """Returns the index of the row for a number that one of the rows has."""
        return bisect.bisect_right(self.lows, value) - 1

def read_rows(rows):
    """event-tables 5: rows, sorted by their numbers"""
    found = []
    for written, to in rows.items():
        parts = RANGE.fullmatch(written)
        demand(parts)
        low = int(parts[1])
        found.append(Row(written, low, int(parts[2] or low) if not parts[3] else None, to))
        demand(not parts[2] or low < int(parts[2]))
    found = Rows(sorted(found, key=lambda row: row.low))
    found.lows = [row.low for row in found]
    return found

def rows_of_dice(dice, rows):
    """Reads rows that must have every value of the dice exactly once."""
    found, values = read_rows(rows), dice.values
    demand(found and all(isinstance(row.to, str) and row.low in values and row.high in values for row in found))
    demand(found[0].low == values[0] and found[-1].high == values[-1])
    demand(all(values.index(a.high) + 1 == values.index(b.low) for a, b in zip(found, found[1:])))
    return found

class Count(namedtuple("Count", "dice steps looks")):
    """event-tables 26, 27, 31: the most that a run can take"""

    def add(self, more):
        return Count(*(a + b for a, b in zip(self, more)))

Term = namedtuple("Term", "negated name operator right")    # `right` is a number, a Name, or a word of `name`

class Name(str):
    """A name to the right of an operator"""

COMPARED = {"=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
            ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}

class EventFile:
    """event-tables 2 to 9: a file that holds; otherwise raises class `rule`"""

    def __init__(self, value):
        demand(EVENT_FILE(value))
        file = present(value)
        self.source, self.sides, self.main = file["source"], file["sides"], file["main"]
        self.days, self.each_turn, self.marks = file.get("days", []), file.get("each_turn", {}), file.get("marks", {})
        self.tables, self.events, self.dice, self.facts, self.kinds, self.settings = (
            {name: present(x) for name, x in file.get(key, {}).items()}
            for key in ("tables", "events", "dice", "facts", "kinds", "settings"))
        for event in self.events.values():
            event["steps"] = [present(step) for step in event["steps"]]
        self.steps = [(event, step) for event in self.events.values() for step in event["steps"]]
        self.used, self.conditions, self.modifiers = set(), {}, {}
        self.read_terms()
        self.read_names()
        self.read_dice_and_tables()
        for kind, value in self.kinds.items():
            demand(value["implies"].keys() <= value["marks"].keys())
            for implied in value["implies"].values():
                if implied != "gone":
                    self.read_condition(implied, kind)
        for name, event in self.events.items():
            self.check_event(name, event)
            for step in event["steps"]:
                self.check_step(step)
        self.check_ways()
        self.check_needed()

    def read_terms(self):
        """event-tables 2 to 4"""
        demand(self.main.keys() == set(self.sides) and self.each_turn.keys() <= set(self.sides))
        for setting in self.settings.values():
            setting["values"] = read_type(setting["values"])
            demand("prefill" not in setting or has_type(setting["values"], setting["prefill"]))
        demand(not self.settings.keys() & {"sides", "first", "both"})
        demand(all(name in self.settings and is_number(self.settings[name]["values"]) for name in self.days))
        for fact in self.facts.values():
            fact["values"] = read_type(fact["values"])
            demand(fact.get("side", self.sides[0]) in self.sides)
            demand("at_least" not in fact or fact["at_least"] in self.marks and not isinstance(fact["values"], list))
        for kind in self.kinds.values():
            kind.update({"attributes": {name: read_type(x["values"]) for name, x in kind.get("attributes", {}).items()},
                         "marks": dict.fromkeys(kind.get("marks", [])), "implies": kind.get("implies", {}),
                         "lasts": kind.get("lasts", "game")})
            demand("name" not in kind["attributes"])
            kind["gone"] = frozenset(mark for mark, implied in kind["implies"].items() if implied == "gone")

    def read_names(self):
        """event-tables 6, 24: the names that can be used alone, with their types; the asks; and the registers, with
        their kinds"""
        self.asks = {step["ask"]: step for _, step in self.steps if "ask" in step}
        for die in self.dice.values():
            die["dice"] = read_dice(die["dice"])
            die["rows"] = rows_of_dice(die["dice"], die["rows"]) if "rows" in die else None
            demand(not die["rows"] or len({row.to for row in die["rows"]}) <= 64)
        asks = [step["ask"] + end for _, step in self.steps if "ask" in step
                for end in (("-enemy", "-owner") if step["do"] == "pool" else ("",))]
        demand(all(len(ask) <= 32 and ask != "more" for ask in asks))
        alone = ["turn", "day", "side", *self.settings, *self.facts, *self.marks, *self.dice, *asks]
        taken = set(alone)
        demand(differ(alone) and differ([*self.tables, *self.events, "nothing"]))
        for kind in self.kinds.values():
            demand(differ([*kind["attributes"], *kind["marks"]]))
            demand(taken.isdisjoint([*kind["attributes"], *kind["marks"]]))
        any_number = (0, MAX_INTEGER)
        self.types = {"turn": any_number, "day": any_number, "side": self.sides,
                      **{name: x["values"] for name, x in {**self.settings, **self.facts}.items()},
                      **{name: any_number for name in self.marks},
                      **{name: list(dict.fromkeys(row.to for row in die["rows"])) if die["rows"] else any_number
                         for name, die in self.dice.items()}}
        self.registers = {}
        for _, step in self.steps:
            if step["do"] in ("pick", "pool", "choose") and "kind" in step:
                demand(self.registers.setdefault(step.get("as", step["kind"]), step["kind"]) == step["kind"])
            elif "of" in step:
                step["of"] = read_type(step["of"])
                demand(isinstance(step["of"], list))
                self.types[step["ask"]] = step["of"]
        for event in self.events.values():
            if "each" in event:
                demand(self.registers.setdefault(event["each"], event["each"]) == event["each"])
        demand(all(kind in self.kinds for kind in self.registers.values()))

    def type_of(self, name, kind=None):
        """event-tables 6: the type of a name; in `where` and `implies`, also of an attribute or mark of the kind"""
        register, dot, own = name.partition(".")
        if dot or kind and name not in self.types:
            place = self.kinds.get(self.registers.get(register) if dot else kind)
            own = own if dot else name
            demand(place and (own in place["attributes"] or own in place["marks"]))
            return place["attributes"].get(own, (0, MAX_INTEGER))
        demand(name in self.types)
        self.used.add(name)
        return self.types[name]

    def read_condition(self, written, kind=None):
        """event-tables 6"""
        if (written, kind) not in self.conditions:
            terms = written.split(", ")
            demand(len(terms) <= 16)
            self.conditions[written, kind] = [self.test_of(self.read_term(term, kind), kind) for term in terms]

    def read_term(self, written, kind):
        parts = TERM.fullmatch(written)
        demand(parts)
        negated, name, operator, right = parts.groups()
        type_ = self.type_of(name, kind)
        if operator is None:
            demand(not isinstance(type_, list))
        elif isinstance(type_, list):
            demand(not negated and operator in ("=", "!=") and right in type_)
        else:
            demand(not negated and is_number(type_))
            if DECIMAL.fullmatch(right):
                right = int(right)
            else:
                demand(self.type_of(right, kind) != "bool")
                right = Name(right)
        return Term(bool(negated), name, operator, right)

    def test_of(self, term, kind):
        """event-tables 6, 23: a function that tests whether a term holds in a turn, for a run, or for the entry that is
        looked at"""
        value_of, negated = self.value_of(term.name, kind), term.negated
        if term.operator is None:
            return lambda turn, run, of: (value := value_of(turn, run, of)) is not None and bool(value) != negated
        compared, right = COMPARED[term.operator], term.right
        if not isinstance(right, Name):
            return lambda turn, run, of: (value := value_of(turn, run, of)) is not None and compared(value, right)
        right_of, type_ = self.value_of(right, kind), self.type_of(right, kind)
        place = {word: at_ for at_, word in enumerate(type_)} if isinstance(type_, list) else None

        def holds(turn, run, of):
            value, other = value_of(turn, run, of), right_of(turn, run, of)
            return value is not None and other is not None and compared(value, place[other] if place else other)
        return holds

    def value_of(self, name, kind=None):
        """event-tables 6, 23: a function that gives the value of a name, or None if it has none"""
        register, dot, own = name.partition(".")
        if dot:
            inner = self.own_value(self.registers[register], own)

            def value(turn, run, _):
                bound = run["bound"].get(register)
                return inner(turn.entries[self.registers[register]][bound]) if bound else None
            return value
        if kind and name not in self.types:
            inner = self.own_value(kind, name)
            return lambda _, __, of: inner(of)
        if name in self.marks:
            return lambda turn, _, __: turn.mark_of(name)
        if name == "day":
            return lambda turn, _, __: turn.today
        if name in ("turn", "side"):
            return lambda turn, _, __: turn.state[name]
        if name in self.settings:
            return lambda turn, _, __: turn.settings[name]
        if name in self.facts:
            return lambda turn, _, __: turn.facts.get(name)
        return lambda _, run, __: run["values"].get(name)

    def own_value(self, kind, name):
        """Returns a function that gives an attribute or a mark of an entry."""
        if name in self.kinds[kind]["marks"]:
            return lambda entry: entry.known.get(name, 0)
        return lambda entry: entry.known[name] if name in entry.known else entry.stated[name]

    def read_dice_and_tables(self):
        """event-tables 5"""
        for name, table in self.tables.items():
            dice = table["dice"] = read_dice(table["dice"])
            if "by" in table:
                demand(is_number(self.type_of(table["by"])) and table["rows"])
                demand(all(isinstance(x, dict) for x in table["rows"].values()))
                table["rows"] = read_rows(table["rows"])
                table["rows"][:] = [row._replace(to=rows_of_dice(dice, row.to)) for row in table["rows"]]
                demand(table["rows"][0].low == 0 and table["rows"][-1].high is None)
                demand(all(a.high is not None and a.high + 1 == b.low for a, b in zip(table["rows"], table["rows"][1:])))
            else:
                table["rows"] = rows_of_dice(dice, table["rows"])
                demand(not (dice == D66 and table.get("modifiers")))
            self.modifiers[name] = []
            for written in table.get("modifiers", []):
                parts = MODIFIER.fullmatch(written)
                demand(parts)
                if parts[2] is not None:
                    self.read_condition(parts[2])
                self.modifiers[name].append((int(parts[1]), parts[2]))

    def check_event(self, name, event):
        """event-tables 7, 9"""
        if "when" in event:
            self.read_condition(event["when"])
        demand("limit" in event or not {"per", "of"} & event.keys())
        of = event.get("of", "side")
        if of not in ("side", "both"):
            demand(of in self.settings and self.settings[of]["values"] in (["side", "both"], ["both", "side"]))
            self.used.add(of)
        demand("each" not in event or any(name in names for names in self.each_turn.values()))
        demand("where" not in event or "each" in event)
        if "where" in event:
            self.read_condition(event["where"], event["each"])
        changed = False
        for step in event["steps"]:
            demand(not (changed and step["do"] in MAY_END and "of" not in step and not step.get("optional")))
            changed = changed or step["do"] in ("mark", "raise") or "once" in step

    def check_step(self, step):
        """event-tables 8, 9"""
        if "if" in step:
            self.read_condition(step["if"])
        if "kind" in step:
            demand(step["kind"] in self.kinds)
        if "where" in step:
            self.read_condition(step["where"], step["kind"])
        demand(all(step[field] in self.registers for field in ("on", "once") if field in step))
        kind = self.kinds[self.registers[step["on"]]] if "on" in step else None
        if step["do"] == "roll":
            demand(step["die"] in self.dice)
        elif step["do"] == "write":
            demand(step.get("at_least", 0) <= step["at_most"])
        elif step["do"] == "raise":
            demand(isinstance(kind["attributes"].get(step["attribute"]), list))
        elif step["do"] == "mark":
            demand(step["mark"] in (kind["marks"] if kind else self.marks))
            amount = step.get("set", step.get("add"))
            if isinstance(amount, str):
                type_ = self.type_of(amount)
                demand(is_number(type_) or type_ == "bool" and "." in amount)

    def targets(self, name):
        """Returns the targets that a table or an event can lead to."""
        if name in self.tables:
            rows = self.tables[name]["rows"]
            return [row.to for rows in ([x.to for x in rows] if "by" in self.tables[name] else [rows]) for row in rows]
        return [step["to"] for step in self.events[name]["steps"] if step["do"] == "go"]

    def check_ways(self):
        """event-tables 2, 7, 9, 25 to 27"""
        first = [name for names in self.each_turn.values() for name in names]
        demand(set(first) <= self.events.keys() and "nothing" not in [
            step["to"] for _, step in self.steps if step["do"] == "go"])
        every = [*self.main.values(), *(to for name in [*self.tables, *self.events] for to in self.targets(name))]
        demand(all(to == "nothing" or to in self.tables or to in self.events and to not in first for to in every))
        done, under_way, count = {"nothing"}, set(), {"nothing": Count(0, 0, 0)}

        def follow(start):
            queue = [(start, False)]
            while queue:
                name, left = queue.pop()
                if left:
                    under_way.remove(name)
                    done.add(name)
                    count[name] = self.count(name, count)
                    demand(count[name].dice <= MAX_DICE and count[name].steps <= MAX_STEPS)
                elif name not in done:
                    demand(name not in under_way)
                    under_way.add(name)
                    queue += [(name, True), *((to, False) for to in self.targets(name))]

        for start in [*self.main.values(), *first]:
            follow(start)
        demand(self.tables.keys() | self.events.keys() <= done)
        self.counts = count

    def count(self, name, count):
        """event-tables 26, 27, 31: the most that a run can take from this table or event on; `count` has the counts of
        its targets"""
        if name in self.tables:
            table, ways = self.tables[name], [count[to] for to in set(self.targets(name))]
            own = Count(len(table["dice"].sides), 1 + len(self.modifiers[name]), 0)
            return own.add([max(numbers) for numbers in zip(*ways)])
        total = Count(0, 0, 0)
        for step in self.events[name]["steps"]:
            do, looks = step["do"], 0
            if do in LOOKS and "kind" in step:
                looks = 1 + (len(self.conditions[step["where"], step["kind"]]) if "where" in step else 0)
            dice = len(self.dice[step["die"]]["dice"].sides) if do == "roll" else do in ("pick", "pool")
            total = total.add(Count(int(dice), 1, looks))
            if do == "go":
                total = total.add(count[step["to"]])
        return total

    def check_needed(self):
        """event-tables 25"""
        self.used.update(self.days)
        demand(self.used >= self.settings.keys() | self.facts.keys())
        demand({step["die"] for _, step in self.steps if step["do"] == "roll"} == self.dice.keys())
        demand({step["mark"] for _, step in self.steps if step["do"] == "mark" and "on" not in step} == self.marks.keys())
        kinds = {step["kind"] for _, step in self.steps if "kind" in step}
        demand(kinds | {event["each"] for event in self.events.values() if "each" in event} == self.kinds.keys())

def read_event_file(value):
    """Returns the file in a charter's table `event-tables`, or None if it does not hold."""
    try:
        return EventFile(value)
    except Refused:
        return None

LAST_FILE = [None, None]                        # the table that was read last, and its file

def event_file_of(tables):
    """Returns the file in a charter's tables. It is read again only after another one was read."""
    value = tables.get("event-tables")
    if value is None or LAST_FILE[0] is not value:
        LAST_FILE[:] = value, read_event_file(value)
    return LAST_FILE[1]

EVENT_INPUT = fields({"facts": OBJECT, "roster": named(ANY, items(OBJECT))})

def next_side(file, settings, state):
    """event-tables 12: the side that declares next, and its turn"""
    other = next(side for side in file.sides if side != settings["first"])
    return (other, state["turn"]) if state["side"] == settings["first"] else (settings["first"], state["turn"] + 1)

class EventTables(Played):
    source, is_course, is_hidden, names_declarer, takes_orders, prefill = "plain", True, False, True, False, {}

    def __init__(self, file=None):
        self.file = file
        if file:
            self.prefill = {name: x["prefill"] for name, x in file.settings.items() if "prefill" in x}

    def with_tables(self, tables):
        file = event_file_of(tables)
        demand(file)
        return EventTables(file)

    def holds(self, settings, tables):
        """charter 7; event-tables 10"""
        file = event_file_of(tables)
        return (file is not None and settings.keys() == {"first", "sides", *file.settings}
                and settings["first"] in file.sides
                and isinstance(settings["sides"], dict) and settings["sides"].keys() == set(file.sides)
                and all(map(ROLE, settings["sides"].values())) and differ(settings["sides"].values())
                and all(has_type(x["values"], settings[name]) for name, x in file.settings.items())
                and all(settings[a] <= settings[b] for a, b in zip(file.days, file.days[1:])))

    def roles_in(self, settings):
        return list(settings["sides"].values())

    def places_hold(self, phases):
        """event-tables 11"""
        return [len(phase["impulses"]) for phase in phases] == [1, 1]

    def begin(self, _settings):
        """event-tables 12"""
        return {"entries": {}, "marks": {}, "pending": None, "side": None, "turn": 0, "used": {}}

    def first_place(self, settings, state):
        """event-tables 11, 12"""
        side, turn = next_side(self.file, settings, state)
        return turn, int(side != settings["first"])

    def awaits(self, settings, state):
        """event-tables 12, 20: a turn, `more`, or the name of a decision, and the role that it is awaited from"""
        if not state["pending"]:
            return "turn", settings["sides"][next_side(self.file, settings, state)[0]]
        return EventTurn(self.file, settings, state).awaited()

    def read(self, settings, tables, value, _redo, state=None):
        """event-tables 14, 29. Missing fields are filled in, but then the input is not canonical (vectors/README).
        Missing facts are filled in only with a state, which says whose facts the input has."""
        file = self.file or event_file_of(tables)
        whole = {"facts": {}, "roster": {}, **value} if isinstance(value, dict) else None
        demand(EVENT_INPUT(whole) and whole["roster"].keys() <= file.kinds.keys())
        roster = {}
        for kind, terms in file.kinds.items():
            bools = {name: False for name, type_ in terms["attributes"].items() if type_ == "bool"}
            roster[kind] = [{**bools, **entry} for entry in whole["roster"].get(kind, [])]
            form = fields({"name": ENTRY_NAME, **{name: (lambda v, t=t: has_type(t, v))
                                                  for name, t in terms["attributes"].items()}})
            demand(all(map(form, roster[kind])) and differ(entry["name"] for entry in roster[kind]))
        demand(sum(map(len, roster.values())) <= 1024)
        demand(all(name in file.facts and has_type(file.facts[name]["values"], x) for name, x in whole["facts"].items()))
        facts = whole["facts"]
        if state and not state["pending"]:
            side, _ = next_side(file, settings, state)
            facts = {**{name: False for name, x in file.facts.items()
                        if x["values"] == "bool" and x.get("side", side) == side}, **facts}
        return Work({"facts": facts, "roster": roster}, [Roll(None, "events", (0, 1))],
                    {"plain": {"index": 0, "lines": 1}}, None)

    def form_for_redo(self, value):
        return value

    def takes(self, settings, state, value):
        """declare 15; event-tables 14, 18"""
        if state["pending"]:
            return not value["facts"] and not any(value["roster"].values())
        turn = EventTurn(self.file, settings, state)
        turn.begin(value)
        return turn.input_holds()

    def draws(self, settings, state, value, _orders, draw):
        """event-tables 16"""
        return self.declared(settings, state, value, draw).drawn

    def turn(self, settings, state, value, _orders, drawn):
        """Returns the state after a declaration, what is public, and the decisions that it needs."""
        return self.declared(settings, state, value, take_from([x.value for x in drawn])[0]).answer()

    def play(self, settings, state, value, _orders, draw):
        turn = self.declared(settings, state, value, draw)
        return turn.drawn, turn.answer()

    def declared(self, settings, state, value, draw):
        turn = EventTurn(self.file, settings, state, draw)
        if not state["pending"]:
            turn.begin(value)
        turn.go_on()
        return turn

    def wished(self, settings, state, wish):
        return EventTurn(self.file, settings, state).wished(wish)

    def decide(self, settings, state, by, name, value):
        """event-tables 18: the result of a decision, in the form that `turn` returns, or None if it is not awaited or
        not allowed"""
        turn = EventTurn(self.file, settings, state)
        if not state["pending"] or name == "more" or turn.awaited() != (name, by):
            return None
        turn.made = [value]
        try:
            turn.go_on()
        except Refused:
            return None
        return turn.answer()

    def state_holds(self, settings, state):
        """event-tables 12, 20: whether an object has the form of a state of the course"""
        file, count = self.file, integer(1, 9999)
        side = one_of(*file.sides)
        if not (fields({"entries": OBJECT, "marks": named(side, both(named(one_of(*file.marks), count), bool)),
                        "pending": or_null(OBJECT), "side": or_null(side), "turn": integer(0, 9999),
                        "used": named(lambda v: "limit" in file.events.get(v, {}), both(named(side, count), bool))})(state)
                and all(self.entry_holds(key, entry) for key, entry in state["entries"].items())):
            return False
        if not state["turn"] or not state["side"]:
            return same(state, self.begin(settings))
        return state["pending"] is None or self.pending_holds(settings, state)

    def entry_holds(self, key, entry):
        side, kind, name = (key.split("/", 2) + ["", ""])[:3]
        terms = self.file.kinds.get(kind)
        if side not in self.file.sides or not terms or not ENTRY_NAME(name) or not OBJECT(entry) or not entry:
            return False
        forms = {mark: integer(1, 9999) for mark in terms["marks"]}
        for _, step in self.file.steps:
            if step["do"] == "raise" and self.file.registers[step["on"]] == kind:
                forms[step["attribute"]] = one_of(*terms["attributes"][step["attribute"]])
            elif "once" in step and self.file.registers[step["once"]] == kind:
                forms[step["ask"]] = both(items(LINE_TEXT, 1), differ)
        return all(field in forms and forms[field](x) for field, x in entry.items())

    def pending_holds(self, settings, state):
        file, pending = self.file, state["pending"]

        def is_run(run):
            if not fields({"bound": named(one_of(*file.registers), ENTRY_NAME), "event": EVENT_NAME,
                           "path": items(one_of(*file.events)), "picks": items(ENTRY_NAME), "step": or_null(integer(0, 63)),
                           "values": named(one_of(*file.dice, *(ask for ask in file.asks if ask in file.types)), ANY)})(run):
                return False
            if not all(any(entry["name"] == name for entry in pending["input"]["roster"][file.registers[register]])
                       for register, name in run["bound"].items()):
                return False
            if run["step"] is None:
                return not run["path"] and run["event"] in {"nothing", *file.tables, *file.events}
            return (run["path"][-1:] == [run["event"]] and run["step"] < len(file.events[run["event"]]["steps"])
                    and all(has_type(file.types[name], x) for name, x in run["values"].items()))

        if not fields({"input": fields({"facts": OBJECT, "roster": OBJECT}), "late": items(OBJECT),
                       "runs": items(OBJECT)})(pending):
            return False
        try:
            work = self.read(settings, None, pending["input"], False)
        except Refused:
            return False
        return (same(work.input, pending["input"]) and bool(pending["runs"] or pending["late"])
                and all(map(is_run, pending["runs"] + pending["late"]))
                and all(file.events[run["event"]]["steps"][run["step"]]["do"] in ("choose", "write", "pool")
                        if run["step"] is not None else False for run in pending["late"]))

class Waits(Exception):
    """A run needs a die that is not available, or a decision."""

class Void(Exception):
    """event-tables 16: a run ends without any effect."""

    def __init__(self, why, event=None):
        super().__init__(why)
        self.why, self.event = why, event

class EventTurn:
    """A turn of event-tables under way. Without `draw`, no dice are available."""

    def __init__(self, file, settings, state, draw=None):
        self.file, self.settings, self.draw = file, settings, draw
        self.state = {**state, **{part: dict(state[part]) for part in ("entries", "marks", "used")}}
        self.own = set()  # the parts that were copied from the state before, and may change
        self.log, self.drawn, self.made = [], [], []            # `made`: the value of the decision being made
        self.today, self.pending, self.waiting = self.day(), None, Counter()
        if state["pending"]:
            before = state["pending"]
            self.pending = self.state["pending"] = {
                "input": before["input"], "late": list(before["late"]), "runs": list(before["runs"])}
            self.waiting.update(name for run in before["late"] for name in run["path"])
            self.read_roster()

    def day(self):
        """event-tables 11"""
        return 1 + sum(self.settings[name] <= self.state["turn"] for name in self.file.days)

    def begin(self, value):
        """event-tables 13, 15"""
        state, day, roster = self.state, self.today, value["roster"]
        side, state["turn"] = next_side(self.file, self.settings, state)
        state["side"], self.today = side, self.day()
        if self.today != day:
            state["used"] = {name: x for name, x in state["used"].items() if self.file.events[name].get("per") != "day"}
        there = {(kind, entry["name"]) for kind, entries in roster.items() for entry in entries}

        def stays(key):
            whose, kind, name = key.split("/", 2)
            lasts = self.file.kinds[kind]["lasts"]
            return lasts == "game" or lasts == "roster" and (whose != side or (kind, name) in there)

        state["entries"] = {key: x for key, x in state["entries"].items() if stays(key)}
        runs = []
        self.pending = state["pending"] = {"input": {"facts": value["facts"], "roster": roster}, "late": [],
                                           "runs": runs}
        self.read_roster()
        for name in self.file.each_turn.get(side, []):
            event = self.file.events[name]
            runs += [new_run(name, {event["each"]: x}) for x in self.candidates(event["each"], event.get("where"))
                     ] if "each" in event else [new_run(name)]
        runs.append(new_run(self.file.main[side]))

    def read_roster(self):
        """Reads the entries of the roster, by kind and name, and the facts."""
        self.facts = self.pending["input"]["facts"]
        self.entries = {kind: {x["name"]: Entry(x, "%s/%s/%s" % (self.state["side"], kind, x["name"])) for x in entries}
                        for kind, entries in self.pending["input"]["roster"].items()}
        for kind, entries in self.entries.items():
            for entry in entries.values():
                self.look(kind, entry)

    def look(self, kind, entry):
        """event-tables 12: fills in what is established about an entry"""
        entry.known = self.state["entries"].get(entry.key, {})
        entry.gone = sum(mark in self.file.kinds[kind]["gone"] for mark in entry.known)

    def looks(self):
        """event-tables 15, 31: the number of looks in a turn that has begun"""
        runs = sum(self.file.counts[run["event"]].looks for run in self.pending["runs"])
        return runs * sum(map(len, self.entries.values()))

    def input_holds(self):
        """event-tables 14, 15, 28: whether the input holds, for a turn that has begun"""
        side, facts = self.state["side"], self.facts
        if len(self.pending["runs"]) > MAX_RUNS + 1 or self.looks() > MAX_LOOKS:        # event-tables 15
            return False
        if sum(self.file.counts[run["event"]].dice for run in self.pending["runs"]) > MAX_TURN_DICE:
            return False
        if facts.keys() != {name for name, x in self.file.facts.items() if x.get("side", side) == side}:
            return False
        for name, fact in self.file.facts.items():
            if name in facts and "at_least" in fact:
                highest = facts[name] == (True if fact["values"] == "bool" else fact["values"][1])
                if facts[name] < self.mark_of(fact["at_least"]) and not highest:
                    return False
        for kind, entries in self.entries.items():
            terms = self.file.kinds[kind]
            for entry in entries.values():
                if entry.gone or any(entry.known[name] != entry.stated[name]
                                     for name in entry.known if name in terms["attributes"]):
                    return False
                implied = [terms["implies"][mark] for mark in entry.known if mark in terms["implies"]]
                if not all(self.holds(condition, NO_RUN, kind, entry) for condition in implied):
                    return False
        return True

    # event-tables 18, 20

    def awaited(self):
        run = (self.pending["runs"] or self.pending["late"])[0]
        step = {"do": None} if run["step"] is None else self.file.events[run["event"]]["steps"][run["step"]]
        if step["do"] in ("choose", "write"):
            return step["ask"], self.role_of(step["by"])
        if step["do"] == "pool":
            taken = step["enemy"] + step["owner"]
            if len(self.candidates_of(step, run)) > taken > len(run["picks"]):
                by = "enemy" if len(run["picks"]) < step["enemy"] else "owner"
                return step["ask"] + "-" + by, self.role_of(by)
        return "more", self.role_of("owner")

    def wished(self, wish):
        """event-tables 17"""
        run = (self.pending["runs"] or self.pending["late"])[0]
        step = self.file.events[run["event"]]["steps"][run["step"]]
        if step["do"] == "write":
            return None
        if "of" in step:
            return wish
        if not (items(ENTRY_NAME, 1, 64)(wish) and differ(wish)):
            return None
        allowed = {x: None for x in self.candidates_of(step, run) if x not in run["picks"]}
        n = 1 if step["do"] == "choose" else step["enemy"] if len(run["picks"]) < step["enemy"] else step["owner"]
        picks = [x for x in wish if x in allowed][:n]
        return (picks if step["do"] == "pool" else picks[0]) if len(picks) == n else None

    def side_of(self, by):
        return next(x for x in self.file.sides if (x == self.state["side"]) == (by == "owner"))

    def role_of(self, by):
        return self.settings["sides"][self.side_of(by)]

    def answer(self):
        """Returns the state, what is public, and the decisions that are needed."""
        public = {"day": self.day(), "log": self.log, "side": self.state["side"], "source": self.file.source,
                  "turn": self.state["turn"]}
        return self.state, public, dict([self.awaited()]) if self.state["pending"] else {}

    def go_on(self):
        """Continues the run that waits, and then the runs after it."""
        runs, late = self.pending["runs"], self.pending["late"]
        for queue in runs, late:
            while queue:
                run = queue[0] = {**queue[0], **{part: copy.copy(queue[0][part]) for part in ("bound", "path", "picks", "values")}}
                if queue is late:
                    self.waiting.subtract(run["path"])
                came_to = self.take_on(run)
                if came_to != "end" and (queue is late or came_to == "late"):
                    self.waiting.update(run["path"])
                if came_to == "end":
                    queue.pop(0)
                elif came_to == "late" and queue is runs:
                    late.append(runs.pop(0))
                else:
                    return
        self.state["pending"] = None

    def take_on(self, run):
        """event-tables 16, 32: continues a run until its end or until it waits"""
        try:
            if run["step"] is None:
                self.enter(run, run["event"])
            while run["step"] < len(self.file.events[run["event"]]["steps"]):
                step = self.file.events[run["event"]]["steps"][run["step"]]
                if self.holds(step.get("if"), run):
                    getattr(self, "do_" + step["do"])(run, step)
                run["step"] += 1
        except Waits as waits:
            return str(waits)
        except Void as void:
            path = run["path"] + [void.event] * bool(void.event)
            if not (void.event and not run["path"] and path[0] in self.file.each_turn.get(self.state["side"], [])):
                self.log.append({"end": path[-1] if path else None, "void": void.why})
            return "end"
        for name in run["path"]:
            if "limit" in self.file.events[name]:
                counts = self.state["used"].get(name, {})
                self.state["used"][name] = {**counts, self.state["side"]: counts.get(self.state["side"], 0) + 1}
        self.log.append({"end": run["path"][-1], "void": None})
        return "end"

    def enter(self, run, target):
        """event-tables 16, 32: goes through tables to an event"""
        while target in self.file.tables:
            target = self.roll_table(run, target)
        if target == "nothing":
            raise Void("nothing")
        event, counts = self.file.events[target], self.state["used"].get(target, {})
        if not self.holds(event.get("when"), run):
            raise Void("when", target)
        if "limit" in event:
            of = event.get("of", "side")
            used = counts.get(self.state["side"], 0) if self.settings.get(of, of) == "side" else sum(counts.values())
            if used + self.waiting[target] >= event["limit"]:
                raise Void("limit", target)
        run["event"], run["step"] = target, 0
        run["path"].append(target)

    def roll_table(self, run, name):
        """event-tables 16: rolls on a table and returns the target"""
        table = self.file.tables[name]
        source = table.get("source", self.file.source)
        drawn = self.roll(table["dice"].sides, name if source == "user" else "%s (%s)" % (name, source))
        value, rows, number, row = value_of_dice(table["dice"], drawn), table["rows"], None, None
        modifier = sum(n for n, condition in self.file.modifiers[name] if self.holds(condition, run))
        if "by" in table:
            number = self.file.value_of(table["by"])(self, run, None) or 0
            row = rows[min(max(rows.at(number) + modifier, 0), len(rows) - 1)]
            rows = row.to
        else:
            value = min(max(value + modifier, table["dice"].values[0]), table["dice"].values[-1])
        cell = rows[rows.at(value)]
        self.log.append({"by": number, "cell": cell.written, "dice": drawn, "modifier": modifier,
                         "row": row and row.written, "source": source, "table": name,
                         "to": cell.to, "value": value})
        return cell.to

    def roll(self, sides, why):
        if self.draw is None:
            raise Waits("die")
        for n in sides:
            self.drawn.append(Draw(0, n, self.draw(0, n), why))
        return [x.value for x in self.drawn[-len(sides):]]

    # Steps (event-tables 8, 19, 32 to 36)

    def do_pick(self, run, step):
        candidates = self.found(run, step)
        if candidates:
            self.pick_from(run, step, candidates, candidates)

    def do_pool(self, run, step):
        candidates, picks = self.found(run, step), run["picks"]
        pool = candidates
        if len(candidates) > step["enemy"] + step["owner"]:
            for by, n in (("enemy", step["enemy"]), ("owner", step["enemy"] + step["owner"])):
                if len(picks) < n:
                    allowed = dict.fromkeys(x for x in candidates if x not in picks)
                    picks += self.decided(run, step, step["ask"] + "-" + by, by, self.list_of(allowed, n - len(picks)))
            pool = [x for x in candidates if x in picks]
        self.pick_from(run, step, candidates, pool)
        run["picks"] = []

    def do_choose(self, run, step):
        if "of" in step:
            word = self.decided(run, step, step["ask"], step["by"], lambda x: x if one_of(*step["of"])(x) else None)
            run["values"][step["ask"]] = word
            return
        candidates = self.found(run, step) if not self.made else self.candidates_of(step, run)
        if len(candidates) == 1 and not self.made:
            self.pick_from(run, step, candidates, candidates)
        elif candidates or self.made:
            one = self.list_of(dict.fromkeys(candidates), 1)
            run["bound"][step.get("as", step["kind"])] = self.decided(
                run, step, step["ask"], step["by"], lambda x: (one([x]) or [None])[0])

    def do_write(self, run, step):
        entry = self.entry_in(run, step["once"]) if "once" in step else None
        if "once" in step and not entry:
            return
        known = entry.known.get(step["ask"], []) if entry else []
        parts, line = len(step["parts"].split(" ")), items(LINE_TEXT)
        if (parts, step["at_most"]) != (1, 1):
            line = both(items(both(LINE_TEXT, matching("[^;>]*"))), lambda x: "," not in x[-1])
        line = both(items(ANY, parts, parts), line)
        form = items(line, step.get("at_least", 0), step["at_most"])
        lines = self.decided(run, step, step["ask"], step["by"], lambda x: (
            x if form(x) and differ(known + [written[0] for written in x]) else None))
        if entry:
            self.establish(step["once"], entry, step["ask"], known + [written[0] for written in lines])

    def do_roll(self, run, step):
        die = self.file.dice[step["die"]]
        drawn = self.roll(die["dice"].sides, step["die"])
        value = value_of_dice(die["dice"], drawn)
        word = die["rows"][die["rows"].at(value)].to if die["rows"] else None
        run["values"][step["die"]] = word or value
        self.log.append({"dice": drawn, "die": step["die"], "value": value, "word": word})

    def do_go(self, run, step):
        self.enter(run, step["to"])
        run["step"] = -1                                        # the next step is the first

    def do_need(self, run, step):
        self.found(run, step)

    def do_stop(self, _run, _step):
        raise Void("stop")

    def do_tell(self, _run, _step):
        pass

    def do_mark(self, run, step):
        entry = self.entry_in(run, step["on"]) if "on" in step else None
        amount = step.get("set", step.get("add"))
        amount = self.file.value_of(amount)(self, run, None) if isinstance(amount, str) else amount
        if amount is None or "on" in step and not entry:
            return
        mark = step["mark"]
        before = 0 if "set" in step else entry.known.get(mark, 0) if entry else self.mark_of(mark)
        value = min(max(before + amount, 0), 9999)
        if entry:
            self.establish(step["on"], entry, mark, value)
        else:
            self.put("marks", self.state["side"], mark, value)
        self.log.append({"mark": mark, "on": entry and entry.name, "value": value})

    def do_raise(self, run, step):
        entry, attribute = self.entry_in(run, step["on"]), step["attribute"]
        if entry:
            kind = self.file.registers[step["on"]]
            words = self.file.kinds[kind]["attributes"][attribute]
            word = words[min(words.index(self.file.own_value(kind, attribute)(entry)) + 1, len(words) - 1)]
            self.establish(step["on"], entry, attribute, word)
            self.log.append({"mark": attribute, "on": entry.name, "value": word})

    def found(self, run, step):
        """Returns the candidates of a step. If there are none, the run is void, unless the step is optional."""
        candidates = self.candidates_of(step, run)
        if not candidates and not step.get("optional"):
            raise Void("nobody")
        return candidates

    def pick_from(self, run, step, candidates, pool):
        register = step.get("as", step["kind"])
        draw = self.roll([len(pool)], register)[0] if len(pool) > 1 else None
        run["bound"][register] = pool[(draw or 1) - 1]
        self.log.append({"candidates": candidates, "draw": draw, "picked": pool[(draw or 1) - 1], "pool": pool,
                         "register": register})

    def decided(self, run, step, ask, by, accept):
        """event-tables 18, 35: the decision that is being made; waits if there is none"""
        if not self.made:
            behind = self.file.events[run["event"]]["steps"][run["step"] + 1:]
            waits = step["do"] == "pool" or any(x["do"] in NEEDS_DICE for x in behind)
            raise Waits("decision" if waits else "late")
        value = accept(self.made.pop())
        demand(value is not None)
        self.log.append({"ask": ask, "by": self.side_of(by), "value": value})
        return value

    def list_of(self, allowed, n):
        """event-tables 18: accepts a list of n different items of `allowed`"""
        return lambda value: value if items(one_of(*allowed), n, n)(value) and differ(value) else None

    # Marks and entries

    def mark_of(self, name):
        """Returns the value of a mark of the side whose turn it is."""
        return self.state["marks"].get(self.state["side"], {}).get(name, 0)

    def establish(self, register, entry, field, value):
        before = field in entry.known
        self.put("entries", entry.key, field, value)
        entry.known = self.state["entries"].get(entry.key, {})
        if field in self.file.kinds[self.file.registers[register]]["gone"]:
            entry.gone += (field in entry.known) - before

    def put(self, part, key, field, value):
        """event-tables 12: sets a field of an object of objects, and removes values that are empty or 0"""
        place = self.state[part]
        if (part, key) not in self.own:
            self.own.add((part, key))
            place[key] = dict(place.get(key, {}))
        inner = place.setdefault(key, {})
        inner[field] = value
        if value in (0, []):
            del inner[field]
        if not inner:
            del place[key]

    def entry_in(self, run, register):
        """Returns the entry in a register, or None."""
        name = run["bound"].get(register)
        return self.entries[self.file.registers[register]][name] if name else None

    def candidates_of(self, step, run):
        return self.candidates(step["kind"], step.get("where"), run)

    def candidates(self, kind, where, run=None):
        """event-tables 30: the names of the entries that are not gone and for which `where` holds"""
        tests, run = self.file.conditions[where, kind] if where is not None else (), run or NO_RUN
        return [name for name, entry in self.entries[kind].items()
                if not entry.gone and all(test(self, run, entry) for test in tests)]

    def holds(self, condition, run, kind=None, entry=None):
        """event-tables 6; `entry` is the entry that is looked at"""
        return condition is None or all(test(self, run, entry) for test in self.file.conditions[condition, kind])

class Entry:
    """event-tables 14, 12: an entry of the roster, with what is established about it"""

    def __init__(self, stated, key):
        self.name, self.stated, self.key = stated["name"], stated, key
        self.known, self.gone = {}, 0                           # `gone`: how many of its marks are in the kind's `gone`

def new_run(target, bound=()):
    """event-tables 20: a run that has not begun"""
    return {"bound": dict(bound), "event": target, "path": [], "picks": [], "step": None, "values": {}}

NO_RUN = new_run(None)


SYSTEMS = {"coin-envelopes": CoinEnvelopes(), "icrk": Icrk(), "ocs-initiative": OcsInitiative(),
           "event-tables": EventTables(), "cil": Battles(Cil()), "ndc": Hidden("ndc", Ndc())}


# --------------------------------------------------------------------------------------------------------------- audit

def finding(code, culprit, message_ids, why):
    return {"code": code, "culprit": culprit, "message_ids": message_ids, "settled_by": None, "text": why}

def missing(name, namers):
    """audit 4: the entry for a missing letter; `namers` are in ascending order of id"""
    whose = [(letter.author, letter.number - 1) for letter in namers if letter.prev == name]
    whose += [(role, None) for letter in namers for role, seen in sorted(letter.seen.items()) if seen == name]
    author, number = whose[0] if whose else (None, None)
    return {"id": name, "named_by": sorted({letter.id for letter in namers}), "author": author, "number": number}

def report(game_id, verdict, **more):
    """audit 4"""
    return {"verdict": verdict, "game": game_id, "complete": False, "heads": {}, "missing": [], "findings": [],
            "rolls": [], "courses": [], "continues": None, "days": [], "open": [], **more}

def rolls_of(game, hidden):
    """audit 4, 5; hidden 9"""
    rolls = []
    of_runs = {name: some for course in hidden.values() for name, some in course.rolls().items()}
    for letter in game.order:
        rolls += of_runs.get(letter.id, [])
        if letter.kind != "declare" or not letter.valid or not letter.rolls or is_of_hidden(game, letter):
            continue
        names = game.named.get(letter.id)
        if not names and (game.marks["forfeited", letter.id] or not is_shown(game, letter)):
            continue
        course = course_of(game, letter)
        if course and not is_settled(game, letter, -1):
            continue                                            # courses 3
        stands = not course or letter.bit & game.end.stood[course.name].taken != 0          # courses 6
        for draw in resolve(game, letter):
            roll = letter.rolls[draw.roll]
            ended = game.replaced.get(letter.id) or game.voided.get((letter.id, draw.roll + 1))
            rolls.append({"cell": roll.cell, "declaration": letter.id, "index": roll.at[0], "line": roll.at[1],
                          "named_by": names and names.id, "seal": letter.body["seal"], "sides": draw.sides,
                          "slot": write_slot(letter.body["slot"]), "standing": ended.id if ended else stands,
                          "value": draw.value, "why": draw.why})
    return rolls

def courses_of(game, hidden):
    """courses 22, hidden 9"""
    return [{"state": course.state(game.end).value, "system": name,
             **({"runs": hidden[name].report()} if name in hidden else {})}
            for name, course in game.courses.items() if game.replayed]

def open_matters(game, hidden):
    """audit 4: what is awaited from whom, and notes for the reader"""
    matters = []

    def add_matter(what, who, message_id, why):
        matters.append({"id": message_id, "text": why, "what": what, "who": who})

    breaches = {letter.author: letter.breaches for letter in game.order if letter.stands}
    for letter in (game.charter, game.accept):
        if not letter.body["compared"]:
            add_matter("compared", letter.author, letter.id, "%s has not compared keys" % letter.author)
    for letter in game.order:
        if not letter.stands:
            continue
        if letter.kind == "declare" and letter.valid:
            matters_of_declaration(game, letter, add_matter)
        if letter in breaches[letter.author] and is_pending(game, letter, game.end):
            add_matter("redo", letter.author, letter.id, "%s is in breach" % write_slot(letter.body["slot"]))
        if letter.valid and is_proposal(letter) and not proposal_answered(game, letter):
            add_matter("answer", opponent(game, letter.author), letter.id, "a proposal is not answered")
        if is_stall_or_dispute(letter) and claim_stands(game, letter):
            add_matter("claim", letter.author, letter.id, "a claim stands")
        if letter.valid and letter.kind in ("claim", "ruling"):
            forfeit = letter.body.get("yield") or letter.body.get("rule", {}).get("forfeit")
            if forfeit and forfeit["forfeit"] == "game":        # disputes 16
                request = forfeit.get("request")
                loser = claim_of(game, request).body["stall"]["owes"] if request else letter.author
                add_matter("forfeit", loser, letter.id, "%s has forfeited the game" % loser)
    for course in game.courses.values() if game.replayed else ():
        state, last, note = course.state(game.end), game.end.stood[course.name].declaration, course.due(game.end)
        if state.awaits == "more":
            add_matter("declare", state.role, last.id, "%s needs another roll" % write_slot(last.body["slot"]))
        elif note:
            add_matter("reveal", state.role, note.id, "the standing note %s is not opened" % note.body["purpose"])
        elif state.awaits not in ("turn", None):
            slot = write_slot(last.body["slot"])
            add_matter("decide", state.role, last.id, "%s awaits the decision %s" % (slot, state.awaits))
    for role in game.players if game.replayed else ():
        for acceptance in redos_due(game, role, game.end):
            add_matter("redo", role, acceptance.id, "a redo is agreed")
    if any(letter.kind == "close" for letter in game.order):
        for role in game.players:
            if not has_masters(game, role):
                add_matter("masters", role, game.id, "%s has not closed with his masters" % role)
        for role, run in ((role, run) for course in hidden.values() for role, run in course.runs.items()):
            if run.stopped:
                add_matter("run", role, game.id, "what %s stated was checked for %d of %d declarations: %s" % (
                    role, run.count, run.declared, run.stopped))
    return matters

def matters_of_declaration(game, letter, add_matter):
    """Adds what a valid declaration awaits: its dice, their names, its contribution once a player has closed (secrets
    5), and the notes for its sealed decisions (secrets 8)."""
    author, slot = letter.author, write_slot(letter.body["slot"])
    if game.marks["forfeited", letter.id]:
        if letter.id not in game.named and not is_of_hidden(game, letter):
            add_matter("names", author, letter.id, "the dice of %s are forfeited and not named" % slot)
    elif not is_answered(game, letter):
        waits = is_up_to_office(game, game.letters[letter.body["seal"]], letter, -1)
        who = game.office if waits else opponent(game, author)
        add_matter("reveal", who, letter.id, "the dice of %s are not opened" % slot)
    elif not is_shown(game, letter) and game.marks["close", author]:
        add_matter("private", author, letter.id, "the private rolls of %s are not proved" % slot)
    for decision in game.phases[letter.body["slot"]["phase"]]["decisions"]:
        purpose = "%s/%s" % (slot, decision["name"])
        for x in good_for(game, decision["by"], "note", purpose, letter.past) if decision["how"] == "sealed" else []:
            if not game.openers[x.id, 0]:
                add_matter("reveal", x.author, x.id, "the note %s is not opened" % purpose)

def has_masters(game, role):
    """close: whether a role has a valid close with masters"""
    return any(x.kind == "close" and x.author == role and x.valid and x.body["masters"] is not None for x in game.order)

def heads_of(game):
    """audit 4, office 24"""
    last = {x.author: x for x in game.order if x.stands}
    if game.office in last:
        last[game.office] = min((x for x in game.order if x.stands and x.author == game.office),
                                key=lambda x: (-x.number, x.id))
    return {role: {"id": last[role].id, "number": last[role].number} if role in last else None for role in game.roles}

def accepts_before(accept, early_accepts):
    """charter 15: the accepts of the referee and the office that an accept has as `seen`, if they are available"""
    return [x for x in early_accepts if x.id == accept.seen.get(x.author)]

def is_placed(accept, charter, early_accepts):
    """chain 4, for an accept in its own game"""
    placed = {charter.id}
    for _ in "12":                                              # twice, because one may name the other
        placed.update(x.id for x in accepts_before(accept, early_accepts) if x.names <= placed)
    return accept.names <= placed

def continued(game, games):
    """audit 11, 12: the entry about the game that this game continues, if it is one of `games`"""
    terms = game.terms["continues"]
    others = [x.id for x in games.values()
              if x is not game and x.terms["continues"] and x.terms["continues"]["game"] == terms["game"]]
    found = {"at_hand": False, "behind": [], "game": terms["game"], "open": [], "others": others, "same_keys": [],
             "same_states": False}
    old = games.get(terms["game"])
    kept = kept_letters(old, terms["heads"]) if old and old.replayed and len(others) < MAX_SEQUELS else None
    if kept is None:
        return found
    begin = old.charter, old.accept
    alone = Game(*begin, [], [x for x in old.members(kept) if x not in begin], [])
    states = {entry["system"]: entry["state"] for entry in courses_of(alone, {})}
    return {**found, "at_hand": True,
            "behind": [x.id for x in old.order if not x.bit & kept],
            "open": [x.id for x in alone.order if x.kind == "declare" and x.valid and not is_settled_by(alone, x)],
            "same_keys": sorted(role for role in old.roles if old.keys_of[role] == game.keys_of.get(role)),
            "same_states": all(same(states.get(name), state) for name, state in terms["states"].items())}

def kept_letters(old, heads):
    """audit 11, 12: the set of letters that the heads keep; None if they are not heads of the old game. The set is empty
    if not even the old game's accept is placed."""
    letters = [(role, old.letters.get(name)) for role, name in heads.items() if name]
    if heads.keys() != set(old.roles) or not all(x and x.bit and x.author == role for role, x in letters):
        return None
    kept = old.accept.bit | old.accept.past
    for _, letter in letters:
        kept |= letter.bit | letter.past
    return kept

def audit_game(charter, accept, letters, early_accepts, other_accepts, supplied):
    """audit 1, 4, 10; charter 16; hidden 8: a report, and the game (None if the charter or an accept does not hold)"""
    if not charter_holds(charter):
        return report(accept.id, "refuted", findings=[breach_of_charter(charter)]), None
    roles = [party["role"] for party in parties_of(charter)]
    before = sorted(accepts_before(accept, early_accepts), key=lambda x: roles.index(x.author))
    for broken in [x for x in [*before, accept] if not accept_holds(x, charter)]:
        found = finding("rule", broken.author, [broken.id], "charter 16: the accept breaks it")
        return report(accept.id, "refuted", findings=[found]), None
    rivals = [x for x in other_accepts if is_placed(x, charter, early_accepts)]
    game = Game(charter, accept, before, letters, rivals)
    hidden = {name: HiddenCourse(game, course, supplied) for name, course in game.courses.items()
              if course.system.is_hidden and game.replayed}
    of_runs = [found for course in hidden.values() for found in course.findings()]
    findings = game.findings + of_runs + [stranger(letter) for letter in sorted(game.strangers, key=lambda x: x.id)]
    unsettled = [(f["culprit"], settlement(game, f)) for f in findings if not f["settled_by"]]
    complete = all(has_masters(game, role) for role in game.players)
    claimed = not complete and any(is_stall_or_dispute(x) and claim_stands(game, x) for x in game.order)
    claimed = claimed or not game.replayed
    days = days_of(game)
    too_early = not complete and any(said["word"] == "contradicted" for said in days)
    untold = any((run.stopped or "").startswith("table ") for course in hidden.values() for run in course.runs.values())
    verdict = "verified"
    if any(culprit and not redo for culprit, redo in unsettled):
        verdict = "refuted"
    elif game.missing or claimed or too_early or untold or any(redo for _, redo in unsettled):
        verdict = "undecided"
    return report(game.id, verdict, complete=complete, heads=heads_of(game), missing=game.missing, findings=findings,
                  rolls=rolls_of(game, hidden), courses=courses_of(game, hidden), days=days,
                  open=open_matters(game, hidden)), game

def breach_of_charter(charter):
    rule = "charter 26" if terms_hold(charter) else "charter 6"
    return finding("rule", charter.author, [charter.id], rule + ": the charter breaks it")

def stranger(letter):
    return finding("game", None, [letter.id], "no party of the game signs like this")

def read_blobs(blobs):
    """Returns the letters, in ascending order of id, and a finding for each refusal. One payload may be signed with
    several keys: these copies have one id (message 4), and only class `game` tells them apart."""
    letters, refusals, opened, listed = {}, [], set(), set()
    for blob, where in blobs:
        if blob in opened:                                      # armour 6
            continue
        try:
            letter = open_message(blob)
            letters[letter.id, letter.key] = letter
            opened.add(blob)
        except Refused as refused:
            name = refused.message_id
            if name is None or (name, refused.code) not in listed:          # audit 7
                ids = [name] if name else []
                refusals.append(finding(refused.code, None, ids, "%s: %s" % (where, refused)))
            listed.add((name, refused.code))
    return [letters[pair] for pair in sorted(letters)], refusals

def audit(blobs, files=()):
    """audit 4, 7, 8, 10: the reports for pairs of a frame (or a Refused) and its location, with supplied files of
    tables"""
    supplied = supplied_tables(files)
    letters, stray = read_blobs(blobs)
    charters, accepts, followers, early = {}, {}, defaultdict(list), defaultdict(list)
    for letter in sorted(letters, key=lambda x: min(KINDS.index(x.kind), 2)):   # charters, then accepts
        if letter.kind == "charter":
            known, holds = charters, holds_key(letter.body["parties"], letter)
        elif letter.kind == "accept":
            charter = charters.get(letter.game)
            known, holds = accepts, not charter or not charter_holds(charter) or is_of_other_party(charter, letter)
            if not holds and holds_key(parties_of(charter)[2:], letter):
                early[charter.id].append(letter)
                continue
        else:
            if letter.number:                                   # message 9
                followers[letter.game].append(letter)
            continue
        if holds:
            known[letter.id] = letter
        else:
            stray.append(stranger(letter))

    reports, games = [], {}
    for game_id in sorted(accepts.keys() | followers.keys()):
        accept = accepts.get(game_id)
        if accept is None:
            reports.append(report(game_id, "undecided", missing=[missing(game_id, followers[game_id])]))
        elif accept.game not in charters:
            reports.append(report(game_id, "undecided", missing=[missing(accept.game, [accept])]))
        else:
            rivals = [x for x in accepts.values() if x.game == accept.game and x is not accept]
            one, game = audit_game(
                charters[accept.game], accept, followers[game_id], early[accept.game], rivals, supplied)
            reports.append(one)
            games.update({game_id: game} if game else {})
    for one in reports:
        if one["game"] in games and games[one["game"]].terms["continues"]:
            one["continues"] = continued(games[one["game"]], games)

    accepted = {accept.game for accept in accepts.values()}
    lonely = [charter for charter in charters.values() if charter.id not in accepted]
    stray += [breach_of_charter(charter) for charter in lonely if not charter_holds(charter)]
    stray.sort(key=lambda found: (found["message_ids"], found["code"]))
    matters = [{"id": charter.id, "text": "no one has accepted this charter", "what": "accept", "who": None}
               for charter in lonely]
    if stray or lonely:
        verdict = "refuted" if any(found["culprit"] for found in stray) else "undecided"
        reports.append(report(None, verdict, findings=stray, open=matters))
    return reports


# ------------------------------------------------------------------------------------------------------------- vectors

def unhex(given, *names):
    return [bytes.fromhex(given[name]) for name in names]

def context_and_place(given):
    names = ("game", "purpose", "kind", "sealer", "declarer", "revealer", "fallback", "n")
    place = (given["column"], given["row"]) if "column" in given else (given.get("index", 0),)
    return context(*(given["context"][name] for name in names)), place

def hash_vector(given):
    parts = [bytes.fromhex(part) for part in given["items"]]
    return {"pae": PAE(b"sealed-dice/v1/" + given["tag"].encode(), *parts).hex(), "hash": H(given["tag"], *parts).hex()}

def key_vector(given):
    check_key(bytes.fromhex(given["key"]))
    return {"fingerprint": fingerprint(bytes.fromhex(given["key"]))}

def signature_vector(given):
    key, message, signature = unhex(given, "key", "message", "signature")
    check_key(key)
    check_signature(key, message, signature)
    return {"valid": True}

def json_vector(given):
    return {"value": read_json(bytes.fromhex(given["bytes"]))}

def message_vector(given):
    letter = open_message(bytes(given["filled"]) if "filled" in given else "\n".join(given["frame_lines"]).encode())
    return {"id": letter.id, "kind": letter.kind}

def armour_vector(given):
    content = "".join(part * times for part, times in given["filled"]) if "filled" in given else "\n".join(given["lines"])
    blobs = []
    for blob, _ in read_armour(content):
        try:
            blobs.append({"id": open_message(blob).id})
        except Refused as refused:
            blobs.append({"class": refused.code})
    return {"blobs": blobs}

def envelope_vector(given):
    items_of_set, place = context_and_place(given)
    key = key_of(items_of_set, bytes.fromhex(given["master"]), place)
    return {"a": at(items_of_set, place).hex(), "key": key.hex(), "commit": commitment(items_of_set, place, key).hex(),
            "seed": seed_of(items_of_set, place, key).hex()}

def opening_vector(given):
    items_of_set, place = context_and_place(given)
    key, commit = unhex(given, "key", "commit")
    demand(commitment(items_of_set, place, key) == commit)
    return {"seed": seed_of(items_of_set, place, key).hex()}

def cipher_vector(given):
    key, associated, ciphertext = unhex(given, "key", "associated", "ciphertext")
    plain = aead_decrypt(key, NONCE, associated, ciphertext)
    demand(plain is not None)
    return {"plain": plain.hex()}

def note_vector(given):
    opening_vector(given)
    opened = open_note(context_and_place(given)[0], *unhex(given, "key", "ciphertext"))
    demand(opened is not None)
    return {"text": opened}

def master_vector(given):
    items_of_set, _ = context_and_place(given)
    vault, salt = unhex(given, "vault", "salt")
    return {"a": PAE(*items_of_set).hex(), "master": set_master(vault, items_of_set, salt).hex()}

def deposit_vector(given):
    items_of_set, _ = context_and_place(given)
    secret, seal, wrapped = unhex(given, "key", "seal", "wrapped")
    info = H("deposit", PAE(*items_of_set), seal)
    master = hpke_open(secret, info, wrapped)
    demand(master is not None)
    return {"info": info.hex(), "master": master.hex(), "public": x25519(secret).hex()}

def dice_vector(given):
    root = dice_root(given["seal"], given["declaration"], given["index"], *unhex(given, "seed", "contribution"))
    key = roll_key(root, given["line"])
    return {"root": root.hex(), "key": key.hex(), "values": list(map(Stream(key).draw, given["sides"]))}

def stream_vector(given):
    stream = Stream(bytes.fromhex(given["key"]))
    values = list(map(stream.draw, given["sides"]))
    return {"words": ["%08x" % word for word in stream.words], "values": values}

def worksheet_vector(given):
    demand(SYSTEMS["coin-envelopes"].holds(given["settings"], given["tables"]))
    attacks = [{"id": "a%d" % (i + 1), "order": None, **attack} for i, attack in enumerate(given["attacks"])]
    answer = worksheet(given["settings"], given["tables"], attacks)
    for line in answer["attacks"]:
        del line["order"]
    return answer

def icrk_vector(given):
    redo = any(line["cell"] is None for line in given["rolls"])
    work = SYSTEMS["icrk"].read(given["settings"], {}, {"rolls": given["rolls"]}, redo)
    after = SYSTEMS["icrk"].state_after(given["state"], work)
    return {"cells": [roll.at for roll in work.rolls if roll.at], "state": after}

def what_if_vector(given):
    case = {"settings": {}, "tables": {}, **given["case"]}
    demand(case["system"] in SYSTEMS and not SYSTEMS[case["system"]].is_hidden)
    system = SYSTEMS[case["system"]].with_tables(case["tables"])
    settings = {**system.prefill, **case["settings"]}
    demand(system.holds(settings, case["tables"]))
    if system.is_course:
        state, public, needs, drawn = course_step(
            system, settings, case["tables"], case.get("state") or system.begin(settings), case["input"], case["draws"])
    else:
        work = system.read(settings, case["tables"], case["input"], False)
        state, needs = system.state_after(case.get("state", system.start), work), {}
        draw, all_taken = take_from(case["draws"])
        drawn = system.draws(settings, work.rolls, draw)
        demand(all_taken())
        public = system.public(work, work.rolls, values_in(settings, work.rolls, drawn))
    trail = [{"for": "all", "n": i + 1, "sides": x.sides, "value": x.value, "why": x.why} for i, x in enumerate(drawn)]
    return {"answer": {"draws_used": len(trail), "needs": needs, "outcome": "needs" if needs else "done", "private": {},
                       "state": state, "public": public, "trail": trail}}

def course_step(system, settings, tables, state, step, dice):
    """vectors/README: plays one turn or one decision of a course"""
    demand(system.state_holds(settings, state) and isinstance(step, dict) and step.get("by") in system.roles_in(settings))
    draw, all_taken = take_from(dice)
    if step.keys() == {"by", "decide"}:
        demand(fields({"name": text(), "value": ANY})(step["decide"]))
        after, drawn = system.decide(settings, state, step["by"], *(step["decide"][k] for k in ("name", "value"))), []
        demand(after)
    elif step.keys() == {"by", "note"}:                         # courses 14
        name, by = system.awaits(settings, state)
        demand(name not in ("turn", "more") and by == step["by"] and isinstance(step["note"], dict) and name in step["note"])
        after, drawn = system.decide(settings, state, by, name, system.wished(settings, state, step["note"][name])), []
        demand(after)
    else:
        demand(step.keys() - {"orders"} == {"by", "declare"})
        demand(system.awaits(settings, state) in [("turn", step["by"]), ("more", step["by"]), ("turn", None)])
        orders, roles = step.get("orders", {}), set(system.roles_in(settings))
        demand(isinstance(orders, dict) and orders.keys() <= (roles if system.takes_orders else set()))
        work = system.read(settings, tables, step["declare"], False, state)
        demand(system.takes(settings, state, work.input))
        drawn = system.draws(settings, state, work.input, orders, draw)
        after = system.turn(settings, state, work.input, orders, drawn)
    demand(all_taken())
    return (*after, drawn)

def course_vector(given):
    settings, tables = given["settings"], given.get("tables", {})
    system = SYSTEMS[given["system"]].with_tables(tables)
    demand(system.holds(settings, tables) and not system.is_hidden)
    state, steps = given.get("state") or system.begin(settings), []
    for step in given["steps"]:
        step = dict(step)
        dice = step.pop("draws", [])
        try:
            state, public, needs, _ = course_step(system, settings, tables, state, step, dice)
            steps.append({"needs": needs, "outcome": "needs" if needs else "done", "public": public, "state": state})
        except Refused as refused:
            steps.append({"class": refused.code})
    begins = system.begin(settings)
    return {"begins": begins, "first_turn": system.first_place(settings, begins)[0], "steps": steps}

class SaidLine:
    """The dice of a line as a vector gives them; any further dice are unknown."""

    def __init__(self, numbers):
        self.numbers = list(numbers)

    def draw(self, sides):
        if not self.numbers:
            raise Stop("dice")
        demand(integer(1, sides)(self.numbers[0]))
        return self.numbers.pop(0)

def said_dice(steps, place):
    """Returns the place of the same player's declaration before this one, and its dice; both are None if there is
    none."""
    before = [i for i in range(place) if steps[i]["by"] == steps[place]["by"]]
    said = steps[before[-1]].get("dice") or {} if before else None
    return (before or [None])[-1], said

def hidden_vector(given):
    """vectors/README: the state after each step, and the runs"""
    settings, tables = given["settings"], given.get("tables", {})
    system = SYSTEMS[given["system"]]
    demand(system.is_hidden and system.holds(settings, tables))
    state, states, taken = system.begin(settings), [], []
    for step in given["steps"]:
        try:
            demand(system.awaits(settings, state)[1] == step["by"])
            system.read(settings, tables, step["input"], False)
            demand(system.takes(settings, state, step["input"]))
            taken.append({**step, "state": state})
            state = system.after(settings, state, step["input"])
            states.append(state)
        except Refused as refused:
            states.append({"class": refused.code})
    supplied = supplied_tables(encode(table) for table in given.get("supplied", {}).values())
    found = Tables(tables, supplied, system.table_holds)
    runs = {role: hidden_run(system, settings, found, taken, role) for role in system.roles_in(settings)}
    return {"runs": runs, "states": states}

def hidden_run(system, settings, tables, taken, role):
    def step(place):
        one, (_, said) = taken[place], said_dice(taken, place)

        def dice(_sheet):
            return None if said is None else OpenedDice(lambda line: SaidLine(said.get(str(line), [])))
        return Step(one["by"], one["state"], one["input"], lambda: one.get("sheet"), dice)

    run = Run(system.player(settings, role, tables), role, [step(place) for place in range(len(taken))])
    draws = [[said_dice(taken, place)[0], *draw] for place, drawn in run.drawn for draw in drawn]
    return {**run.report(), "draws": draws, "due": run.due, "wrong": run.false}

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
AS_DIGITS = str.maketrans("abcdefghijklmnopqrstuvwxyzOIL", "ABCDEFGH1JK1MN0PQRSTUVWXYZ011")

def public_key(seed):
    """RFC 8032, 5.1.5"""
    return encode_point(combine(clamp(hashlib.sha512(seed).digest()[:32]), 0, BASE))

def key_of_root(root):
    """key-file 1"""
    return public_key(H("key-root-signing", root))

def check_digit(number, digits):
    """key-file 9"""
    total = number
    for digit in digits + [0]:
        total = total << 1 ^ (0b100101 if total & 16 else 0) ^ digit
    return total

def backup_code(root):
    """key-file 8"""
    number = int.from_bytes(root + H("key-backup", root)[:3], "big")
    digits = [number >> 5 * i & 31 for i in range(55, -1, -1)]
    groups = [digits[i:i + 4] for i in range(0, 56, 4)]
    return " ".join("".join(CROCKFORD[d] for d in g + [check_digit(i + 1, g)]) for i, g in enumerate(groups))

def read_backup(content):
    """key-file 10, 11"""
    content = content.split("BEGIN SEALED DICE SECRET BACKUP", 1)[-1].split("END SEALED DICE SECRET BACKUP", 1)[0]
    lines = "\n".join(line.split(":")[-1] for line in content.split("\n"))
    words = re.split("(?:[" + WHITE + "]|" + DASH + ")+", lines)
    groups = []
    for word in filter(None, words):
        run_together = word.isascii() and len(word) % 5 == 0
        groups += [word[i:i + 5] for i in range(0, len(word), 5)] if run_together else [word]
    if len(groups) != 14:
        raise Refused("armour", "%d groups instead of 14" % len(groups))
    digits = []
    for i, group in enumerate(groups):
        found = [CROCKFORD.find(c) for c in group.translate(AS_DIGITS)]
        demand(len(found) == 5 and -1 not in found and check_digit(i + 1, found[:4]) == found[4])
        digits += found[:4]
    number = 0
    for digit in digits:
        number = number << 5 | digit
    root = number.to_bytes(35, "big")[:32]
    demand(H("key-backup", root)[:3] == number.to_bytes(35, "big")[32:])
    return root

KEY_FILE = re.compile(                                          # key-file 3
    "SECRET: a sealed-dice key. Never mail it, never paste it anywhere, never show it to anybody.\n\n"
    "-----BEGIN SEALED DICE SECRET KEY FILE-----\n(?P<header>version 1\npublic (?P<public>[0-9a-f]{64})\npassphrase "
    "(?:none|argon2id memory (?P<memory>[1-9][0-9]{0,8}) passes (?P<passes>[1-9][0-9]{0,8}) lanes (?P<lanes>[1-9][0-9]{0,8}) "
    "salt [0-9a-f]{64})\n)(?:root (?P<root>[0-9a-f]{64})|sealed (?P<sealed>[0-9a-f]{96}))\n"
    "-----END SEALED DICE SECRET KEY FILE-----\n")
KEY_FILE_VERSION = re.compile("^-----BEGIN SEALED DICE SECRET KEY FILE-----\nversion (.*)", re.M)

def key_root_vector(given):
    root = bytes.fromhex(given["root"])
    public = key_of_root(root)
    return {"signing": H("key-root-signing", root).hex(), "vault": H("key-root-vault", root).hex(), "public": public.hex(),
            "fingerprint": fingerprint(public), "backup": backup_code(root),
            "deposit": x25519(H("key-root-deposit", root)).hex()}           # deposits 7

def key_file_vector(given):
    """key-file 4 to 7, without Argon2"""
    content = "\n".join(given["lines"])
    if len(content.encode()) > 4096:
        raise Refused("size", "longer than a key file")
    content = content.replace("\r\n", "\n")
    version = KEY_FILE_VERSION.search(content)
    if version and version[1] != "1":
        raise Refused("fields", "another version")
    file = KEY_FILE.fullmatch(content)
    if not file or (file["memory"] is None) != (file["sealed"] is None):
        raise Refused("armour", "not the lines of a key file")
    if file["memory"]:
        memory, passes, lanes = int(file["memory"]), int(file["passes"]), int(file["lanes"])
        if not (8 * lanes <= memory <= 262144 and passes <= 16 and lanes <= 16):
            raise Refused("fields", "too much work, or too little")
    public = bytes.fromhex(file["public"])
    check_key(public)
    answer = {"public": public.hex()}
    if file["memory"]:
        key = H("key-file", bytes.fromhex(given["stretched"]))
        root = aead_decrypt(key, NONCE, file["header"].encode(), bytes.fromhex(file["sealed"]))
        answer["key"] = key.hex()
    else:
        root = bytes.fromhex(file["root"])
    demand(root is not None and key_of_root(root) == public)
    return {"root": root.hex(), **answer}

def key_backup_vector(given):
    return {"root": read_backup("\n".join(given["lines"])).hex()}

def transcript_vector(content):
    games = []
    for one in audit([(blob, "line %d" % line) for blob, line in read_armour(content)]):
        findings = [{name: f[name] for name in ("code", "culprit", "message_ids", "settled_by")} for f in one["findings"]]
        for told, f in zip(findings, one["findings"]):
            told["rule"] = f["text"].partition(":")[0] if f["code"] in ("chain", "rule") else None
        games.append({**{name: one[name] for name in ("verdict", "game", "complete", "heads", "missing", "rolls")},
                      "findings": findings, **{name: one[name] for name in ("courses", "continues", "days") if one[name]}})
    return {"games": games}

LAYERS = {"hash": hash_vector, "key": key_vector, "signature": signature_vector, "json": json_vector,
          "message": message_vector, "armour": armour_vector, "envelope": envelope_vector, "opening": opening_vector,
          "cipher": cipher_vector, "note": note_vector, "master": master_vector, "deposit": deposit_vector,
          "dice": dice_vector, "stream": stream_vector, "worksheet": worksheet_vector, "icrk": icrk_vector,
          "what-if": what_if_vector, "course": course_vector, "hidden": hidden_vector, "key-root": key_root_vector,
          "key-file": key_file_vector, "key-backup": key_backup_vector}

def check_vector(content):
    """Returns what a vector expects and what this checker gets. A transcript begins with its vector, up to a blank
    line."""
    try:
        vector = json.loads(content)
        answer, given = LAYERS[vector["layer"]], vector["given"]
    except ValueError:
        vector = json.loads(re.split("\n[ \t\r]*\n", content, maxsplit=1)[0])
        answer, given = {"transcript": transcript_vector}[vector["layer"]], content
    try:
        return vector["expect"], answer(given)
    except Refused as refused:
        return vector["expect"], {"class": refused.code}

def run_vectors(folder):
    passed = failed = 0
    for path in files_below(folder):
        if not path.endswith((".json", ".txt")) or os.path.basename(path).upper().startswith("README"):
            continue
        try:
            with open(path, "rb") as file:
                content = file.read().decode("utf-8", "replace")
            if '"layer": "mail"' in content:                  # this checker does not read mail
                continue
            expect, got = check_vector(content)
            good = same(expect, got)
        except Exception as error:                              # a broken vector counts as a failure
            expect, got, good = None, "%s: %s" % (type(error).__name__, error), False
        passed, failed = passed + good, failed + (not good)
        if not good:
            print("%s: expected %s, got %s" % (path, json.dumps(expect)[:2000], json.dumps(got)[:2000]))
    print("%d passed, %d failed" % (passed, failed))
    return 0 if passed and not failed else 1


# ------------------------------------------------------------------------------------------------------- command line

def files_below(path):
    """Returns a path itself if it is a file, or the files in a folder and its subfolders, in order of name."""
    try:
        names = sorted(os.listdir(path))
    except OSError:                                             # a file, or not readable as a folder
        return [path]
    return [file for name in names for file in files_below(os.path.join(path, name))]

def read_paths(paths):
    """Reads all blobs in these paths, and returns whether everything could be read."""
    blobs, readable = [], True
    for path in paths:
        for name in ["-"] if path == "-" else files_below(path):
            try:
                if name == "-":
                    content = sys.stdin.buffer.read()
                else:
                    with open(name, "rb") as file:
                        content = file.read()
            except OSError as error:
                print(error, file=sys.stderr)
                readable = False
                continue
            shown = os.fsencode(name).decode("utf-8", errors="replace")
            if content.startswith((b"PK\3\4", b"\x1f\x8b")):                      # mail 2
                print("%s is packed (.zip or .gz): unpack it, and check what comes out" % name, file=sys.stderr)
                continue
            for blob, line in read_armour(as_text(content)):
                blobs.append((blob, "%s, line %d" % (shown, line)))
    return blobs, readable

def printable(words):
    return "".join(c if c.isprintable() else "?" for c in words)

def print_report(one):
    print("game %s: %s%s" % (one["game"], one["verdict"], ", complete" if one["complete"] else ""))
    for role, head in one["heads"].items():
        print("  head of %s: %s" % (role, "%s, number %d" % (head["id"], head["number"]) if head else "none"))
    for entry in one["missing"]:
        print("  missing: %s, named by %s" % (entry["id"], ", ".join(entry["named_by"])))
    if one["continues"]:
        print_continued(one["continues"])
    for f in one["findings"]:
        settled = ", settled by %s" % f["settled_by"] if f["settled_by"] else ""
        print(printable("  finding: class %s, culprit %s%s: %s [%s]" % (
            f["code"], f["culprit"] or "none", settled, f["text"], ", ".join(f["message_ids"]))))
    for roll in one["rolls"]:
        ended = roll["standing"] or "its course, which passed it over"
        replaced = "" if ended is True else ", ended by " + ended
        replaced += ", named by " + roll["named_by"] if roll["named_by"] else ""
        print(printable("  %s: %d of %d for %s (index %d, line %d)%s" % (
            roll["slot"], roll["value"], roll["sides"], roll["why"], roll["index"], roll["line"], replaced)))
    for said in one["days"]:
        print("  days: %s: %s [%s]" % (span(said["days"] * DAY), word_for_days(one, said), said["ruling"]))
    for matter in one["open"]:
        print(printable("  open: %s, %s: %s [%s]" % (matter["what"], matter["who"], matter["text"], matter["id"])))

def print_continued(said):
    """audit 11"""
    if said["at_hand"]:
        print("  continues %s: its states %s, the same keys for %s" % (
            said["game"], "are as they stood there" if said["same_states"] else "differ from what stood there",
            ", ".join(said["same_keys"]) or "nobody"))
    else:
        print("  continues %s: that game, or a letter with which it ends, is not available" % said["game"])
    for what, ids in (("left out", said["behind"]), ("declared there and not opened", said["open"]),
                      ("continued by another game, too", said["others"])):
        for message_id in ids:
            print("    %s: %s" % (what, message_id))

def word_for_days(one, said):
    """disputes 28: an entry of the report's days in words, including whether it leaves the game undecided"""
    if said["word"] == "shown":
        return "shown by the office's clock (at least %s)" % span(said["at_least"])
    if said["word"] == "referee":
        return "the referee's word"
    waits = ", and until the game is complete it is undecided" if one["verdict"] == "undecided" and not one["complete"] else ""
    return "contradicted by the office's clock (at most %s): either the ruling came too early, or the clock is wrong%s" % (
        span(said["at_most"]), waits)

def span(seconds):
    """Formats seconds, for example as `3 days` or `3 days, 4:05:06`."""
    return str(timedelta(seconds=seconds)).replace(", 0:00:00", "")

def read_tables(paths):
    """hidden 8: reads the files that may be tables"""
    contents = []
    for name in (file for path in paths for file in files_below(path)):
        with open(name, "rb") as file:
            contents.append(file.read())
    return contents

def take_options(arguments, option):
    """Returns the values of an option, and the other arguments."""
    values, rest, arguments = [], [], list(arguments)
    while arguments:
        argument = arguments.pop(0)
        if argument == option and arguments:
            values.append(arguments.pop(0))
        else:
            rest.append(argument)
    return values, rest

def run_audit(paths, as_json, tables=()):
    blobs, readable = read_paths(paths)
    try:
        files = read_tables(tables)
    except OSError as error:
        print(error, file=sys.stderr)
        files, readable = [], False
    reports = audit(blobs, files)
    for one in reports:
        if as_json:
            sys.stdout.write(encode(one).decode() + "\n")
        else:
            print_report(one)
    if not reports and not as_json:
        print("no letter found")
    verdicts = {one["verdict"] for one in reports               # only games with a charter and an accept (audit 8)
                if one["heads"] or one["game"] and one["findings"]}
    if "refuted" in verdicts:
        return 1
    return 0 if verdicts == {"verified"} and readable else 2

USAGE = "usage: sealed_dice.py audit [--json] [--tables PATH].. PATH.. | sealed_dice.py vectors DIR"

def main(arguments):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    command, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    tables, others = take_options(rest, "--tables")
    paths = [argument for argument in others if argument != "--json"]
    if command == "audit" and paths:
        return run_audit(paths, "--json" in rest, tables)
    if command == "vectors" and len(rest) == 1:
        return run_vectors(rest[0])
    print(USAGE, file=sys.stderr)
    return 2

def command():
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:                                     # the reader of the output has gone
        os._exit(2)

if __name__ == "__main__":
    command()
