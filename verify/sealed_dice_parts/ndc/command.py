"""ndc 16: who tries to help, and what came of it."""

from sealed_dice_parts.ndc.hand import find, places, shares, standing

def use_command(d):
    d.hand["chances"] = {
        unit["name"]: d.look_up("ndc-command", unit["commander"], d.line(3, u), unit["name"])
        for u, unit in places(d.hand) if unit["name"] in d.hand["command"]}
    tried = set(d.hand["chances"]) if d.begins else set(d.hand["commanded"]) if d.step == "move" else None
    d.hand["command"] = d.names(
        "command", lambda unit: unit["commander"] is not None and (tried is None or unit["name"] not in tried))
    if tried is not None:
        d.hand["commanded"] = sorted(tried.union(d.hand["command"]))

def is_commander(hand, commander, unit, who):
    """21, 18: a unit with a rating, one of these, that shares a hex with the unit, or with another HQ"""
    chief = find(hand, commander["unit"])
    if chief is None or chief["commander"] is None or chief["name"] not in who:
        return False
    if commander["with"] == "unit":
        return shares(chief, unit)
    return any(x is not chief and x["kind"] == "hq" and shares(chief, x) for x in standing(hand))

def is_subordinate(hand, name, unit, commander):
    """21: another unit with a rating that shares a hex, not the commander"""
    other = find(hand, name)
    return (other is not None and other is not unit and other["commander"] is not None and shares(other, unit)
            and (commander is None or name != commander["unit"]))

def command_of(hand, commander):
    """21, 22 c: what the grade of a commander is worth"""
    grade = hand["chances"].get(commander["unit"], "none") if commander else "none"
    worth = {"C": (10, 5), "L": (6, 3), "P": (2, 1), "none": (0, 0)}[grade]
    return worth[commander["with"] == "hq"] if commander else 0

def ratings_of(hand, names):
    return sum(find(hand, name)["commander"] for name in names)
