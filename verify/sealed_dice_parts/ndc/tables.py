"""ndc 3: the tables of the players, and what stands in them."""

import re

from sealed_dice_parts.forms import HEX32, fields, integer, items, matching, named, one_of, tuple_of
from sealed_dice_parts.ndc.terms import NAME

LEVEL, DIGIT = matching("[0-4]"), matching("[0-9]")
WEATHERS = one_of("clear", "fog", "fog+night", "fog+night+precipitation", "fog+precipitation", "night", "night+precipitation",
                  "precipitation")
CELLS = {
    "ndc-intelligence": LEVEL,
    "ndc-tactical": LEVEL,
    "ndc-weather": WEATHERS,
    "ndc-command": one_of("C", "L", "P", "none"),
    "ndc-ew": matching("[0-3]"),
    "ndc-support": matching("0|-?[1-9][0-9]{0,2}"),
    "ndc-crt": matching("ABORT|OVERRUN|A[0-9] D[0-9] R[0-9]( B)?"),
    "ndc-retreat": DIGIT,
    "ndc-counter-battery": DIGIT,
    "ndc-interdiction": DIGIT,
    "ndc-ammo": one_of("no", "yes"),
}
WITHOUT_DICE = ("ndc-interdiction", "ndc-support")
SIDES = {"1d6": [6], "2d6": [6, 6], "1d10": [10], "d66": [6, 6], "none": []}
SOURCE = one_of("house", "test", "user")
TABLE = fields({
    "columns": items(matching(r"(0|-?[1-9][0-9]{0,2})?\.\.(0|-?[1-9][0-9]{0,2})?"), 1, 64),
    "dice": one_of(*SIDES), "rows": named(matching("all|[0-9-]+"), items(matching("[^\0]*"))),
    "source": SOURCE})
TERRAIN = fields({"rows": named(NAME, tuple_of(integer(-99, 99), integer(-99, 99))), "source": SOURCE})
WITHHELD = fields({"fingerprint": HEX32})                       # hidden 8

def column_ends(written):
    """The lowest and the highest number of a column"""
    low, high = written.split("..")
    return int(low) if low else -10 ** 6, int(high) if high else 10 ** 6

def columns_hold(columns):
    ends = [column_ends(x) for x in columns]
    return all(low <= high for low, high in ends) and all(a[1] + 1 == b[0] for a, b in zip(ends, ends[1:]))

def values_of(dice):
    """What dice can show, ascending"""
    if dice == "d66":
        return [10 * tens + units for tens in range(1, 7) for units in range(1, 7)]
    sides = SIDES[dice]
    return list(range(len(sides), sum(sides) + 1))

def value_of(dice, drawn):
    return 10 * drawn[0] + drawn[1] if dice == "d66" else sum(drawn)

def row_values(written, values):
    """The values of a row as in event-tables 5, or None"""
    parts = re.fullmatch("([1-9][0-9]?)(?:-([1-9][0-9]?))?", written)
    if not parts:
        return None
    low, high = int(parts[1]), int(parts[2] or parts[1])
    if low not in values or high not in values or parts[2] and not low < high:
        return None
    return [x for x in values if low <= x <= high]

def rows_hold(dice, rows):
    if dice == "none":
        return rows.keys() == {"all"}
    values = values_of(dice)
    found = [row_values(written, values) for written in rows]
    return None not in found and sorted(x for some in found for x in some) == values

def table_holds(name, table):
    """A table that stands in full"""
    if name == "ndc-terrain":
        return TERRAIN(table)
    return (TABLE(table) and columns_hold(table["columns"])
            and (table["dice"] == "none") == (name in WITHOUT_DICE) and rows_hold(table["dice"], table["rows"])
            and all(len(row) == len(table["columns"]) and all(map(CELLS[name], row)) for row in table["rows"].values()))

NAMES = (*CELLS, "ndc-terrain")

def tables_hold(tables):
    return all(WITHHELD(tables[name]) or table_holds(name, tables[name]) for name in NAMES if name in tables)

def cell(table, column, drawn):
    """The cell that dice and a number lead to; a number beyond the columns is in the nearest one"""
    ends = [column_ends(x) for x in table["columns"]]
    column = min(max(column, ends[0][0]), ends[-1][1])
    place = next(i for i, (low, high) in enumerate(ends) if low <= column <= high)
    if table["dice"] == "none":
        return table["rows"]["all"][place]
    value, values = value_of(table["dice"], drawn), values_of(table["dice"])
    return next(row[place] for written, row in table["rows"].items() if value in row_values(written, values))
