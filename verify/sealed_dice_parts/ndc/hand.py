"""ndc 13: a hand, and where its units stand."""

from sealed_dice_parts.forms import integer, items, or_null
from sealed_dice_parts.hidden import filled
from sealed_dice_parts.ndc.hexes import HEX, is_place, neighbours
from sealed_dice_parts.ndc.terms import KIND, NAME

ROSTER = {
    "attack": (integer(0, 99), 0), "commander": (or_null(integer(0, 9)), None), "defense": (integer(0, 99), 0),
    "fatigue": (integer(0, 3), 0), "hexes": (items(HEX, 1, 3), []), "kind": (KIND, None), "leadership": (integer(-9, 9), 0),
    "march": (integer(0, 99), 0), "mode": (NAME, None), "movement": (integer(0, 99), 0), "name": (NAME, None),
    "to": (integer(1, 9), 0)}
BEFORE = {
    "attacks": 0, "depleted": False, "ew": 0, "finished": False, "gone": False, "halted": False, "level": 0,
    "marching": False, "moved": False, "reset": False, "spent": 0, "volunteered": False}

def empty_hand():
    return {"allocated": {"air": 0, "signal": 0}, "ammo": [], "chances": {}, "command": [], "commanded": [], "entered": [],
            "halting": [], "next": 1, "orders": {}, "points": {"air": 0, "artillery": 0, "signal": 0}, "searched": None, "stays": [], "units": []}

def read_unit(settings, value):
    """A unit of a roster, or None"""
    unit = filled(ROSTER, value)
    return {**unit, **BEFORE, "contacts": []} if unit and is_place(settings, unit["hexes"]) else None

def places(hand):
    """Pairs of a place, from 1, and a unit that is not gone"""
    return [(u, unit) for u, unit in enumerate(hand["units"], 1) if not unit["gone"]]

def standing(hand):
    return [unit for _, unit in places(hand)]

def find(hand, name):
    """The unit of a name that is not gone, or None"""
    return next((unit for unit in standing(hand) if unit["name"] == name), None)

def shares(a, b):
    return not set(a["hexes"]).isdisjoint(b["hexes"])

def count_beside(settings, hand, hex_, but):
    """21, 22 c: units that are neighbours of a hex; with `others` but one"""
    around = neighbours(settings, hex_)
    return sum(not set(around).isdisjoint(unit["hexes"]) for unit in standing(hand)
               if settings["adjacent"] == "all" or unit is not but)

def first_on(hand, hex_):
    return next((unit for unit in standing(hand) if hex_ in unit["hexes"]), None)

def go_away(unit):
    """22 e: it stands nowhere"""
    unit.update(contacts=[], gone=True, hexes=[])

def lose(unit, loss):
    """22 e"""
    unit["to"] = max(0, unit["to"] - loss)
    if not unit["to"]:
        go_away(unit)

def go_to(unit, hex_):
    if not unit["gone"]:
        unit["hexes"] = [hex_]
