#!/usr/bin/env python3
"""sealed-dice, protocol version 1: an independent checker.

Written from the pages of `protocol/` alone, without a look at any other implementation, with nothing but Python's
standard library (3.8 or later). Sections follow the pages in the order of `protocol/README.md`; a docstring or a string
like "declare 9" names the rule that the lines below it carry out.

    python3 sealed_dice.py audit [--json] PATH..    a verdict for each game; a folder is read whole; - is stdin
    python3 sealed_dice.py vectors DIR              every test vector below DIR

`audit` ends with 0 if every game is verified, 1 if one is refuted, else 2; `vectors` with 0 if all pass.
"""

import base64
import hashlib
import heapq
import json
import os
import re
import struct
import sys
from collections import defaultdict
from functools import lru_cache

# Limits (README)
MAX_FRAME = 1048576
MAX_DEPTH = 8
MAX_INTEGER = 2 ** 53 - 1
MAX_BRANCHES = 256
MAX_ROLLS = 400
MAX_HEXES = 32
MAX_WORDS = 65536


class Refused(Exception):
    """A refusal with its class (message 11), and the id of what was refused where it has one (audit 6)."""

    def __init__(self, code, text, message_id=None):
        super().__init__(text)
        self.code = code
        self.message_id = message_id


# ---------------------------------------------------------------------------------------------------------------- hash

def LE64(number):
    return struct.pack("<Q", number)


def PAE(*items):
    """hash 1"""
    return LE64(len(items)) + b"".join(LE64(len(item)) + item for item in items)


def H(tag, *items):
    """hash 2; hash 3: items are bytes"""
    return hashlib.sha3_256(PAE(b"sealed-dice/v1/" + tag.encode(), *items)).digest()


# ---------------------------------------------------------------------------------------------------------------- json

STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]+|\\.)*(?:"|\\?\Z)|[\[\]{}]', re.S)
ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
ESCAPED = re.compile(r'["\\\x00-\x1f]')


def parse(data):
    """json 1: bytes to a value, or class json"""
    def integer(digits):
        if len(digits) > 17 or not digits.isascii() or digits == "-0" or abs(int(digits)) > MAX_INTEGER:
            raise ValueError("integer out of range: " + digits[:20])
        return int(digits)

    def refuse(number):
        raise ValueError("not an integer: " + number[:20])

    def members(pairs):
        if len(dict(pairs)) != len(pairs):
            raise ValueError("two equal keys")
        return dict(pairs)

    try:
        text = data.decode("utf-8")
        depth = 0
        for token in STRING_OR_BRACKET.finditer(text):
            depth += (token.group() in ("[", "{")) - (token.group() in ("]", "}"))
            if depth > MAX_DEPTH:
                raise ValueError("too deep")
        value = json.loads(text, object_pairs_hook=members, parse_int=integer, parse_float=refuse, parse_constant=refuse)
        encode(value)                                           # fails for a lone surrogate
    except (ValueError, RecursionError) as error:               # both Unicode errors are ValueErrors
        raise Refused("json", str(error))
    return value


def encode(value):
    """json 2: a value to its only encoding, in bytes; code points sort as their UTF-8 does"""
    def text(v):
        if isinstance(v, str):
            return '"' + ESCAPED.sub(lambda c: ESCAPES.get(c.group(), "\\u%04x" % ord(c.group())), v) + '"'
        if isinstance(v, dict):
            return "{" + ",".join(text(k) + ":" + text(v[k]) for k in sorted(v)) + "}"
        if isinstance(v, (list, tuple)):
            return "[" + ",".join(map(text, v)) + "]"
        return {None: "null", True: "true", False: "false"}[v] if v is None or isinstance(v, bool) else "%d" % v

    return text(value).encode("utf-8")


def read_json(data):
    """json 3"""
    value = parse(data)
    if encode(value) != data:
        raise Refused("canonical", "not in canonical JSON")
    return value


def same(a, b):
    """Equal as JSON: 1 is not true."""
    return encode(a) == encode(b)


# json 4: forms. A form is a function from a value to bool.

def matches(pattern):
    compiled = re.compile(pattern)
    return lambda v: isinstance(v, str) and compiled.fullmatch(v) is not None


def integer(low=0, high=MAX_INTEGER):
    return lambda v: type(v) is int and low <= v <= high


def text(low=0, high=MAX_FRAME):
    return lambda v: isinstance(v, str) and low <= len(v) <= high


def one_of(*values):
    return lambda v: any(type(v) is type(x) and v == x for x in values)


def or_null(form):
    return lambda v: v is None or form(v)


def items(form, low=0, high=MAX_FRAME):
    return lambda v: isinstance(v, list) and low <= len(v) <= high and all(map(form, v))


def row(*forms):
    return lambda v: isinstance(v, list) and len(v) == len(forms) and all(f(x) for f, x in zip(forms, v))


def fields(**forms):
    """An object with exactly these fields; a hyphen in a name is written as __."""
    named = {name.replace("__", "-"): form for name, form in forms.items()}
    return lambda v: isinstance(v, dict) and v.keys() == named.keys() and all(f(v[k]) for k, f in named.items())


def exactly_one(**forms):
    """An object with exactly one of these fields."""
    return lambda v: isinstance(v, dict) and len(v) == 1 and all(k in forms and forms[k](x) for k, x in v.items())


def both(first, second):
    return lambda v: first(v) and second(v)


def members(form, high=MAX_FRAME):
    """An object with any names."""
    return lambda v: isinstance(v, dict) and len(v) <= high and all(map(form, v.values()))


def anything(_):
    return True


NULL = one_of(None)
BOOL = one_of(True, False)
OBJECT = members(anything)
HEX32 = LETTER = matches("[0-9a-f]{64}")
ROLE = matches("[a-z][a-z0-9-]{0,15}")
NAME = matches("[a-z][a-z0-9-]{0,31}")
