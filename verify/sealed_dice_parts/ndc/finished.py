"""ndc 20: units that moved and move no more are rolled for where they stand."""

from sealed_dice_parts.ndc.hand import places
from sealed_dice_parts.ndc.hexes import is_searched

def reset_finished(d):
    searched = d.hand["searched"]
    for u, unit in places(d.hand):
        if unit["finished"] and unit["moved"] and not unit["reset"]:
            unit.update(reset=True, level=0)
            if searched and is_searched(d.settings, unit["hexes"], searched):
                unit["level"] = d.search_level("ndc-intelligence", searched["level"], 2, u, unit)
