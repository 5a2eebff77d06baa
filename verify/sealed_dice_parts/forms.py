"""json.md: the one encoding, and forms, functions that say whether a value has it. Each page's forms are made of these."""

import json
import re

# Limits (README)
MAX_FRAME = 1048576
MAX_DEPTH = 10
MAX_INTEGER = 2 ** 53 - 1

class Refused(Exception):
    """A refusal with its class (message 11), and the id of what was refused if it has one (audit 6)."""

    def __init__(self, code, text, message_id=None):
        super().__init__(text)
        self.code = code
        self.message_id = message_id

def demand(condition):
    if not condition:
        raise Refused("rule", "it does not hold")

STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]+|\\.)*(?:"|\\?\Z)|[\[\]{}]', re.S)
ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
ESCAPED = re.compile(r'["\\\x00-\x1f]')

def parse(data):
    """json 1: from bytes to a value, or class json"""
    def read_integer(digits):
        if digits == "-0" or len(digits) > 17 or not digits.isascii() or abs(int(digits)) > MAX_INTEGER:
            raise ValueError("integer out of range: " + digits[:20])
        return int(digits)

    def read_other(number):
        raise ValueError("not an integer: " + number[:20])

    def read_object(pairs):
        if len(dict(pairs)) != len(pairs):
            raise ValueError("two equal keys in one object")
        return dict(pairs)

    try:
        decoded = data.decode("utf-8")
        depth = 0
        for token in STRING_OR_BRACKET.finditer(decoded):
            depth += (token.group() in ("[", "{")) - (token.group() in ("]", "}"))
            if depth > MAX_DEPTH:
                raise ValueError("deeper than %d" % MAX_DEPTH)
        value = json.loads(decoded, object_pairs_hook=read_object, parse_int=read_integer, parse_float=read_other,
                           parse_constant=read_other)
        encode(value)                                           # fails for a lone surrogate
    except (ValueError, RecursionError) as error:               # a UnicodeError is a ValueError
        raise Refused("json", str(error))
    return value

def encode(value):
    """json 2: from a value to its only encoding. Python orders text by code points, as UTF-8 bytes are ordered."""
    def write(v):
        if isinstance(v, str):
            return '"' + ESCAPED.sub(lambda c: ESCAPES.get(c.group(), "\\u%04x" % ord(c.group())), v) + '"'
        if isinstance(v, dict):
            return "{" + ",".join(write(k) + ":" + write(v[k]) for k in sorted(v)) + "}"
        if isinstance(v, (list, tuple)):
            return "[" + ",".join(map(write, v)) + "]"
        return "null" if v is None else "true" if v is True else "false" if v is False else "%d" % v

    return write(value).encode("utf-8")

def read_json(data):
    """json 3"""
    value = parse(data)
    if encode(value) != data:
        raise Refused("canonical", "the JSON is not canonical")
    return value

def same(a, b):
    """Equal as JSON, where 1 is not true."""
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    return a == b and isinstance(a, bool) == isinstance(b, bool)

# json 4. A form is a function that says whether a value has it.

def matching(pattern):
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

def tuple_of(*forms):
    """A list of a fixed number of items."""
    return lambda v: isinstance(v, list) and len(v) == len(forms) and all(form(x) for form, x in zip(forms, v))

def fields(forms):
    """An object with exactly these fields."""
    return lambda v: isinstance(v, dict) and v.keys() == forms.keys() and all(forms[k](v[k]) for k in forms)

def exactly_one(forms):
    """An object with exactly one of these fields."""
    return lambda v: isinstance(v, dict) and len(v) == 1 and all(k in forms and forms[k](v[k]) for k in v)

def named(name, form, high=MAX_FRAME):
    """An object whose names and values have a form."""
    return lambda v: isinstance(v, dict) and len(v) <= high and all(name(k) and form(v[k]) for k in v)

def both(first, second):
    return lambda v: first(v) and second(v)

def ANY(_):
    return True

def differ(values):
    values = list(values)
    return len(set(values)) == len(values)

def ascending(values):
    return all(a < b for a, b in zip(values, values[1:]))

NULL = one_of(None)
BOOL = one_of(True, False)
OBJECT = named(ANY, ANY)
HEX32 = LETTER = matching("[0-9a-f]{64}")
ROLE = matching("[a-z][a-z0-9-]{0,15}")
NAME = matching("[a-z][a-z0-9-]{0,31}")
