"""cil 1 to 3: settings, forces and the table of kinds."""

from sealed_dice_parts.forms import BOOL, ROLE, both, fields, integer, items, matching, named, one_of

SIDES = ("attacker", "defender")
LOCATIONS = ("main", "left", "right", "reserve")
LOCATION, SEASON = one_of(*LOCATIONS), one_of("spring", "summer", "fall", "winter")
ENGAGEMENTS = {"spring": 4, "summer": 5, "fall": 4, "winter": 3}
ID, KIND = matching("[A-Za-z0-9-]{1,32}"), matching("[a-z][a-z0-9-]{0,31}")

def other_side(side):
    return SIDES[1 - SIDES.index(side)]

def is_adjacent(a, b):
    """3: `left` and `right` are not"""
    return a != b and {a, b} != {"left", "right"}

def unit_form(least):
    return fields({"at": LOCATION, "attack": integer(0, 40), "defense": integer(0, 40), "effectiveness": integer(0, 100),
                   "id": ID, "kind": KIND, "strength": integer(least, 9999)})

def forces_form(least):
    """3: both forces, their units of at least this strength; no id twice"""
    force = items(unit_form(least), 1, 200)
    return both(fields({side: force for side in SIDES}), lambda forces: len({unit["id"] for unit in all_units(forces)}) == sum(
        len(forces[side]) for side in SIDES))

FORCES = forces_form(1)

def all_units(forces):
    """25: by unit, the attacker's first"""
    return [unit for side in SIDES for unit in forces[side]]

SETTINGS = both(fields({
    "assault_cost": integer(1, 2), "attacker": ROLE, "chain": BOOL, "defender": ROLE, "effectiveness": one_of("points", "relative"),
    "facing": one_of("any", "mirror", "same"), "forces": FORCES, "mixed": one_of("off", "table"),
    "overrun": one_of("any", "targeted"), "probe": one_of("alternate", "hits_floor"), "recover_pct": integer(0, 100),
    "scale_values": BOOL, "season": SEASON, "spill_absorbs": BOOL}), lambda x: x["attacker"] != x["defender"])

PREFILL = {"assault_cost": 2, "chain": True, "effectiveness": "points", "facing": "any", "mixed": "off", "overrun": "any",
           "probe": "alternate", "recover_pct": 0, "scale_values": False, "spill_absorbs": False}

def table_holds(table):
    """3: each kind with a weight for each"""
    return (named(KIND, named(KIND, integer(0, 100)), 64)(table) and bool(table)
            and all(row.keys() == table.keys() for row in table.values()))

def kinds_hold(settings, table, forces):
    """3: with a table, it has every kind of the forces"""
    return settings["mixed"] == "off" or {unit["kind"] for unit in all_units(forces)} <= table.keys()

def settings_hold(settings, tables):
    return SETTINGS(settings) and (settings["mixed"] == "off" or table_holds(tables.get("cil-mixed"))) and kinds_hold(
        settings, tables.get("cil-mixed"), settings["forces"])
