"""ndc 25: what ends a player turn."""

from sealed_dice_parts.forms import items
from sealed_dice_parts.hidden import filled
from sealed_dice_parts.ndc.hand import find, go_away, places, read_unit, standing
from sealed_dice_parts.ndc.terms import NAME, set_of

REPLACE = {"in": (items(lambda _: True), []), "out": (set_of(NAME), [])}

def end_player_turn(d):
    d.sheet.each("replace", lambda item: replace(d, item))
    if d.settings["ammo"]:
        d.hand["ammo"] = [unit["name"] for unit in standing(d.hand) if unit["attacks"]]
    forget_ew(d.hand)

def forget_ew(hand):
    for unit in hand["units"]:
        unit["ew"] = 0

def roll_ammunition(d):
    """With the declaration after it, whose dice nobody could know at the end of the turn"""
    for u, unit in places(d.hand):
        if unit["name"] in d.hand["ammo"] and d.look_up("ndc-ammo", unit["attacks"], d.line(4, u), unit["name"]) == "yes":
            unit["depleted"] = True
    d.hand["ammo"] = []

def replace(d, item):
    """One replacement, or None where it is not allowed"""
    said, units = filled(REPLACE, item), d.hand["units"]
    old = [find(d.hand, name) for name in said["out"]] if said else []
    new = [read_unit(d.settings, value) for value in said["in"]] if said else []
    if not old or None in old or None in new or len(units) + len(new) > d.settings["units"]:
        return None
    names = [unit["name"] for unit in units + new]
    if len(set(names)) < len(names) or not is_no_gain(old, new):
        return None
    for unit in new:
        unit.update({name: max(x[name] for x in old) for name in ("attacks", "level")})
        unit.update({name: any(x[name] for x in old)
                     for name in ("depleted", "finished", "halted", "moved", "reset", "volunteered")})
    for unit in old:
        go_away(unit)
    units += new
    return said

def highest(units, field):
    return max(-10 if unit[field] is None else unit[field] for unit in units)

def total(units, field):
    return sum(unit[field] or 0 for unit in units)

def is_no_gain(old, new):
    """25: what comes is no more than what goes"""
    hexes = {hex_ for unit in old for hex_ in unit["hexes"]}
    return (all(total(new, field) <= total(old, field) for field in ("attack", "defense", "to", "leadership", "commander"))
            and all(highest([unit], field) <= highest(old, field) for unit in new
                    for field in ("commander", "leadership", "movement", "march"))
            and all(unit["fatigue"] >= min(x["fatigue"] for x in old) and hexes.issuperset(unit["hexes"]) for unit in new))
