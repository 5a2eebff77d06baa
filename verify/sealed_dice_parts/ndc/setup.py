"""ndc 13 to 15: the roster and the points."""

from sealed_dice_parts.hidden import filled
from sealed_dice_parts.ndc.hand import read_unit
from sealed_dice_parts.ndc.terms import NUMBER

POINTS = {"air": (NUMBER, 0), "artillery": (NUMBER, 0), "signal": (NUMBER, 0)}

def take_roster(d):
    units = d.hand["units"]

    def read(item):
        unit = read_unit(d.settings, item)
        if unit is None or len(units) == d.settings["units"] or unit["name"] in [x["name"] for x in units]:
            return None
        units.append(unit)
        return unit
    d.sheet.each("units", read)

def take_points(d):
    d.hand["points"] = filled(POINTS, d.sheet.field("points", lambda v: filled(POINTS, v), {}))

def set_up(d):
    """7: only the second player says what he searches"""
    if d.state["awaits"]["by"] == d.settings["sides"][0]:
        d.fields["intelligence"] = None
