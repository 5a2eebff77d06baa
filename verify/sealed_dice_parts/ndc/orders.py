"""ndc 18: standing orders, and the defence that they make."""

from sealed_dice_parts.forms import BOOL, integer, items, one_of, or_null
from sealed_dice_parts.hidden import filled
from sealed_dice_parts.ndc.command import is_commander, is_subordinate
from sealed_dice_parts.ndc.hand import find, first_on
from sealed_dice_parts.ndc.hexes import HEX, is_walk, touches
from sealed_dice_parts.ndc.inputs import NOBODY, has_points
from sealed_dice_parts.ndc.states import is_attack
from sealed_dice_parts.ndc.terms import CHEMICAL, NAME, NUMBER, set_of

COMMANDER = {"unit": (NAME, None), "with": (one_of("hq", "unit"), None)}

def read_commander(value):
    return filled(COMMANDER, value)

NO_ORDER = {"chemical": "none", "commander": None, "control_loss": False, "ew_attacks": 0, "ew_superiority": 0, "fpf": 0,
            "retreat": [], "subordinates": [], "terrain": []}

def order_forms(settings):
    return {"chemical": (CHEMICAL, "none"), "commander": (or_null(read_commander), None), "control_loss": (BOOL, False),
            "ew_attacks": (integer(0, settings["ew"]), 0), "ew_superiority": (integer(0, 9), 0), "fpf": (NUMBER, 0),
            "retreat": (items(HEX, 0, 9), []), "subordinates": (set_of(NAME), []), "terrain": (set_of(NAME), [])}

def knows_terrain(d, names):
    """21: names of rows; the table is needed if there are any"""
    return not names or set(names) <= d.tables.find("ndc-terrain")["rows"].keys()

def is_retreat(settings, unit, hexes):
    return not hexes or (touches(settings, [hexes[0]], unit["hexes"]) and is_walk(settings, hexes)
                         and len(set(hexes)) == len(hexes))

def read_order(d, unit, value):
    """An order of a unit, or None"""
    order = filled(order_forms(d.settings), value)
    commander = order and order["commander"]
    return order if (
        order and has_points("fpf")(order) and is_retreat(d.settings, unit, order["retreat"])
        and (commander is None or is_commander(d.hand, commander, unit, d.hand["command"]))
        and all(is_subordinate(d.hand, name, unit, commander) for name in order["subordinates"])
        and knows_terrain(d, order["terrain"])) else None

def orders_of(d, unit, said):
    """The orders of a unit; one that is not allowed stands as none"""
    given = [read_order(d, unit, value) for value in said[:16]]
    d.sheet.keeps(len(said) <= 16 and None not in given)
    return [order or dict(NO_ORDER) for order in given] if any(given) else []

def take_orders(d):
    """Orders and halts of the sheet"""
    orders = {}
    for name, said in d.sheet.object("orders").items():
        unit = find(d.hand, name)
        if d.sheet.keeps(unit and isinstance(said, list)):
            orders[name] = orders_of(d, unit, said)
    d.hand["orders"], d.hand["halting"] = {name: some for name, some in orders.items() if some}, d.names("halt")

def defences(d):
    """For each combat of the state its defender and the order that answers it; for counter-battery None"""
    count, found = {}, []
    for combat in d.state["combats"]:
        unit = first_on(d.hand, combat["target"]) if is_attack(combat) else None
        order = NO_ORDER
        if unit:
            place = count.get(unit["name"], 0)
            given = d.hand["orders"].get(unit["name"], [])
            order = given[place] if place < len(given) else NO_ORDER
            count[unit["name"]] = place + 1
        found.append((unit, order) if is_attack(combat) else None)
    return found

def fire_of(order, left):
    """The fire of an order with as many points as are left"""
    fpf = min(order["fpf"], max(0, left))
    return {"chemical": order["chemical"] if fpf else "none", "fpf": fpf}

def defend(d):
    """10: as units stand, and nobody is halted"""
    left, combats = d.left("support"), []
    for defence in defences(d):
        entry = None
        if defence:
            unit, order = defence
            entry = fire_of(order, left) if unit else dict(NOBODY)
            left -= entry["fpf"]
        combats.append(entry)
    d.fields["combats"] = combats
