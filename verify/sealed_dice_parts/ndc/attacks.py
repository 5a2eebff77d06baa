"""ndc 21: attacks and fire of the mover."""

from sealed_dice_parts.forms import BOOL, integer, one_of, or_null
from sealed_dice_parts.hidden import filled
from sealed_dice_parts.ndc.command import command_of, is_commander, is_subordinate, ratings_of
from sealed_dice_parts.ndc.hand import count_beside, find, first_on
from sealed_dice_parts.ndc.hexes import HEX, neighbours
from sealed_dice_parts.ndc.inputs import RETREATS, TOTAL, has_points, retreats_hold
from sealed_dice_parts.ndc.orders import knows_terrain, read_commander
from sealed_dice_parts.ndc.states import LAST_SEGMENT
from sealed_dice_parts.ndc.terms import CHEMICAL, NAME, NUMBER, POINTS, set_of

def attack_forms(settings):
    return {
        "assault": (BOOL, False), "barrage": (NUMBER, 0), "chemical": (CHEMICAL, "none"), "commander": (or_null(read_commander), None),
        "control_loss": (BOOL, False), "ew_attacks": (integer(0, settings["ew"]), 0), "ew_superiority": (integer(0, 9), 0),
        "kind": (one_of("attack"), None), "retreats": (read_retreats, {}), "subordinates": (set_of(NAME), []),
        "target": (HEX, None), "terrain": (set_of(NAME), []), "unit": (NAME, None), "unprepared": (BOOL, False)}

def read_retreats(value):
    return filled({name: (lambda _: True, []) for name in ("any", "away", "road")}, value) and RETREATS(whole_retreats(value))

def whole_retreats(value):
    return {"any": [], "away": [], "road": [], **value}

FIRE = {"kind": (one_of("counter-battery"), None), "points": (POINTS, 0), "target": (HEX, None)}
INTERDICTION = {"points": (POINTS, 0), "target": (HEX, None)}

def make_combats(d):
    """The combats of a sheet that are allowed, in order"""
    d.fields["combats"], d.support, d.fire = [], d.left("support"), d.left("fire")

    def read(item):
        full = len(d.fields["combats"]) == d.settings["combats"] or d.segment == LAST_SEGMENT
        is_fire = isinstance(item, dict) and item.get("kind") == "counter-battery"
        entry = None if full else (read_fire if is_fire else read_attack)(d, item)
        if entry:
            d.fields["combats"].append(entry)
        return entry
    d.sheet.each("combats", read)

def read_fire(d, item):
    fire = filled(FIRE, item)
    if not fire or fire["points"] > d.fire:
        return None
    d.fire -= fire["points"]
    d.attacks.append(None)
    return fire

def read_attack(d, item):
    attack = filled(attack_forms(d.settings), item)
    unit = attack and find(d.hand, attack["unit"])
    if not unit or not is_attack_allowed(d, unit, attack):
        return None
    from_ = starts_from(d.settings, unit, attack["target"])
    retreats = whole_retreats(attack["retreats"])
    if from_ is None or not retreats_hold(d.settings, from_, retreats):
        return None
    total = total_of(d, unit, attack)
    if not TOTAL(total):
        return None
    d.support -= attack["barrage"]
    d.attacks.append(unit["name"])
    unit["attacks"] += 1
    told = {name: attack[name] for name in ("assault", "barrage", "chemical", "ew_attacks", "ew_superiority", "kind", "target")}
    return {**told, "contact": None, "ew_level": unit["ew"], "from": from_, "retreats": retreats, "total": total}

def starts_from(settings, unit, target):
    """The first of its hexes that is a neighbour of the target, or None"""
    return next((hex_ for hex_ in unit["hexes"] if target in neighbours(settings, hex_)), None)

def is_attack_allowed(d, unit, attack):
    commander = attack["commander"]
    return (not unit["halted"] and unit["name"] not in d.attacks and first_on(d.hand, attack["target"]) is None
            and has_points("barrage")(attack) and attack["barrage"] <= d.support
            and (commander is None or is_commander(d.hand, commander, unit, d.hand["chances"]))
            and all(is_subordinate(d.hand, name, unit, commander) for name in attack["subordinates"])
            and knows_terrain(d, attack["terrain"]))

def terrain_of(d, names, column):
    return sum(d.tables.find("ndc-terrain")["rows"][name][column] for name in names)

def total_of(d, unit, attack):
    return (unit["attack"] + (2, 1, 0, -2, -3)[unit["level"]] + terrain_of(d, attack["terrain"], 0) + unit["to"]
            + 2 * count_beside(d.settings, d.hand, attack["target"], unit)
            - 8 * attack["control_loss"] - 2 * attack["unprepared"] + (0, -2, -5, -8)[unit["fatigue"]]
            + sum({"fog": 1, "night": 1, "precipitation": 2}[x] for x in d.weather)
            + command_of(d.hand, attack["commander"]) + ratings_of(d.hand, attack["subordinates"]) + unit["leadership"])

def tell_contacts(d):
    """The first contact of each attacking unit, as it is shown (15)"""
    for name, entry in zip(d.attacks, d.fields["combats"]):
        contacts = name and find(d.hand, name)["contacts"]
        if contacts:
            entry["contact"] = "c%d" % contacts[0]

def interdict(d):
    told = d.fields["interdictions"] = []

    def read(item):
        said = filled(INTERDICTION, item)
        if not said or said["points"] > d.fire or d.segment == LAST_SEGMENT or len(told) == 16 or len(told) + len(d.state["interdictions"]) == 64:
            return None
        d.fire -= said["points"]
        told.append({**said, "markers": int(d.look_up("ndc-interdiction", 2 * said["points"]))})
        return said
    d.sheet.each("interdictions", read)
