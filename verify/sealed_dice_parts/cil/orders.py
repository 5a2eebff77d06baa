"""cil 5 to 8: what orders say, and which of them are refused."""

from sealed_dice_parts.forms import fields, named, one_of, or_null
from sealed_dice_parts.cil.terms import ENGAGEMENTS, ID, LOCATION, LOCATIONS, SIDES, is_adjacent, other_side

ORDERS = fields({
    "excess": named(LOCATION, one_of("none", *LOCATIONS)),
    "orders": named(ID, fields({"at": or_null(LOCATION), "order": one_of("assault", "attack", "dig-in", "hold", "move", "probe")}), 200)})
ATTACKS = ("assault", "attack", "probe")
COMBAT_ORDERS = (*ATTACKS, "dig-in")
FACING = {"mirror": {"main": "main", "left": "right", "right": "left"}, "same": {x: x for x in LOCATIONS}}

def targets(settings, state, side, at):
    """8: what units of a side can attack from a location"""
    overrun = state["overrun"][other_side(side)]
    if settings["facing"] == "any":
        facing = [x for x in LOCATIONS if x != "reserve" or set(overrun) & {"main", "left", "right"}]
    else:
        faced = FACING[settings["facing"]][at]
        facing = [faced] if faced not in overrun else [x for x in LOCATIONS if is_adjacent(x, faced)]
    return [x for x in facing if x not in overrun]

def why_refused(settings, state, side, unit, order):
    """6: the first reason, or None"""
    at, what = order["at"], order["order"]
    if unit is None or not unit["strength"]:
        return "unknown"
    if (at is None) == (what in (*ATTACKS, "move")):
        return "place"
    if what in COMBAT_ORDERS and unit["at"] == "reserve":
        return "reserve"
    if what in ATTACKS and at not in targets(settings, state, side, unit["at"]):
        return "target"
    left = ENGAGEMENTS[state["season"]] - state["engagements"]
    if what == "assault" and left < settings["assault_cost"]:
        return "engagements"
    if what == "move":
        if (at == "reserve") == (unit["at"] == "reserve"):
            return "move"
        if at in state["overrun"][side]:
            return "overrun"
    return None

class Orders:
    """What both players ordered: `order` by unit, `excess` by side and location, and what was refused"""

    def __init__(self, settings, state, said):
        self.order = {unit["id"]: ("hold", None) for side in SIDES for unit in state["units"][side]}
        self.excess, self.refused = {side: {} for side in SIDES}, []
        for side in SIDES:
            orders = said.get(state[side])
            if ORDERS(orders):
                self.take(settings, state, side, orders)

    def take(self, settings, state, side, said):
        units = {unit["id"]: unit for unit in state["units"][side]}
        for name, order in sorted(said["orders"].items()):
            why = why_refused(settings, state, side, units.get(name), order)
            if why:
                self.refuse(state, side, name, why)
            else:
                self.order[name] = order["order"], order["at"]
        for at, to in sorted(said["excess"].items()):
            if to != "none" and not is_adjacent(at, to):
                self.refuse(state, side, at, "excess")
            else:
                self.excess[side][at] = to

    def refuse(self, state, side, entry, why):
        self.refused.append({"author": state[side], "entry": entry, "why": why})
