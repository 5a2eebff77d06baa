"""ndc 2: hexes and their neighbours."""

from sealed_dice_parts.forms import matching

HEX = matching("(?!00)[0-9]{2}(?!00)[0-9]{2}")

def split(hex_):
    return int(hex_[:2]), int(hex_[2:])

def neighbours(settings, hex_):
    """The neighbours that the map can have, ascending"""
    column, row = split(hex_)
    low = column % 2 == (settings["low_columns"] == "odd")
    beside = (row, row + 1) if low else (row - 1, row)
    around = [(column, row - 1), (column, row + 1), *((c, r) for c in (column - 1, column + 1) for r in beside)]
    return ["%02d%02d" % pair for pair in sorted(around) if all(1 <= x <= 99 for x in pair)]

def touches(settings, hexes, others):
    """Whether a hex of some is a neighbour of a hex of others"""
    others = set(others)
    return any(not others.isdisjoint(neighbours(settings, x)) for x in hexes)

def in_sector(settings, hex_, name):
    """ndc 1: in the rectangle of a sector"""
    (left, top), (right, bottom) = map(split, settings["sectors"][name])
    column, row = split(hex_)
    return left <= column <= right and top <= row <= bottom

def is_searched(settings, hexes, intelligence):
    """Whether a hex lies in a sector that these searches name"""
    return any(in_sector(settings, x, name) for name in intelligence["sectors"] for x in hexes)

def is_walk(settings, hexes):
    """Each a neighbour of the one before"""
    return all(b in neighbours(settings, a) for a, b in zip(hexes, hexes[1:]))

def is_place(settings, hexes):
    """ndc 13: hexes of one unit, each a neighbour of another"""
    return len(set(hexes)) == len(hexes) and (
        len(hexes) == 1 or all(touches(settings, [x], hexes) for x in hexes))
