"""ndc 6 to 12: what settings and an input alone forbid (declare 4)."""

from sealed_dice_parts.forms import BOOL, NULL, both, differ, fields, integer, items, matching, named, one_of, or_null
from sealed_dice_parts.ndc.hexes import HEX, is_walk, neighbours
from sealed_dice_parts.ndc.terms import CHEMICAL, KIND, NAME, NUMBER, POINTS, WEATHER, rises, set_of

CONTACT = matching("c[1-9][0-9]{0,4}")
SHOWN = fields({"designation": or_null(NAME), "hexes": both(items(HEX, 1, 3), differ), "kind": or_null(KIND),
                "mode": or_null(NAME), "to": or_null(integer(0, 9))})
RETREATS = fields({"any": set_of(HEX, 0, 6), "away": set_of(HEX, 0, 6), "road": set_of(HEX, 0, 6)})
TOTAL = integer(-999, 999)
FIRE = {"kind": one_of("counter-battery"), "points": POINTS, "target": HEX}
HALT = fields({"by": HEX, "contact": CONTACT, "hex": HEX})
RESULT = one_of("abort", "cancelled", "empty", "fought", "overrun")
DEFENDER = fields({"hexes": items(HEX, 0, 9), "loss": integer(0, 9)})
NOBODY = {"chemical": "none", "fpf": 0}       # who answers nothing (10)

def number_of(contact):
    return int(contact[1:])

def has_points(kind):
    """8, 10: no chemicals without points of this kind"""
    return lambda x: x["chemical"] == "none" or x[kind] > 0

def intelligence_form(settings):
    """7"""
    return fields({"level": integer(0, 9), "sectors": set_of(one_of(*settings["sectors"]))})

def retreats_hold(settings, from_, retreats):
    """8: neighbours of `from`, and of `any` the others"""
    return (set(retreats["any"]) <= set(neighbours(settings, from_))
            and set(retreats["away"]) | set(retreats["road"]) <= set(retreats["any"]))

def attack_form(settings):
    """8"""
    return both(fields({
        "assault": BOOL, "barrage": NUMBER, "chemical": CHEMICAL, "contact": or_null(CONTACT),
        "ew_attacks": integer(0, settings["ew"]), "ew_level": integer(0, 3), "ew_superiority": integer(0, 9), "from": HEX,
        "kind": one_of("attack"), "retreats": RETREATS, "target": HEX, "total": TOTAL,
    }), lambda x: has_points("barrage")(x) and x["target"] in neighbours(settings, x["from"])
        and retreats_hold(settings, x["from"], x["retreats"]))

DEFENCE = both(fields({"chemical": CHEMICAL, "fpf": NUMBER}), has_points("fpf"))

def result_holds(entry):
    """11, of each result by itself"""
    result, fought = entry["result"], entry["result"] == "fought"
    idle = result in ("cancelled", "empty")
    return (has_points("fpf")(entry)
            and (not idle or entry["chemical"] == "none" and entry["fpf"] == 0)
            and (fought or entry["attacker_loss"] == (2 if result == "abort" else 0))
            and (entry["retreat"] is None or result in ("abort", "fought"))
            and (fought or not entry["advance"] and not entry["breakthrough"])
            and (entry["defender"] is None or result in ("fought", "overrun")))

OUTCOME = both(fields({
    "advance": BOOL, "attacker_loss": integer(0, 9), "breakthrough": BOOL, "chemical": CHEMICAL, "defender": or_null(DEFENDER),
    "ew_level": integer(0, 3), "fpf": NUMBER, "result": RESULT, "retreat": or_null(HEX)}), result_holds)

def form_of(settings, step):
    """6: the fields of a step"""
    moving = step == "move"
    same_for_all = {
        "contacts": named(CONTACT, SHOWN, 192), "entries": both(items(HEX, 0, 999 if moving else 0), differ),
        "paths": named(CONTACT, items(HEX, 1, 99), 192 if moving else 0),
        "rolled": NUMBER if settings["roll_count_public"] else NULL, "step": one_of(step)}
    most = settings["combats"]
    return fields({**same_for_all, **{
        "setup": {"intelligence": or_null(intelligence_form(settings))},
        "move": {
            "combats": items(lambda x: attack_form(settings)(x) or fields(FIRE)(x), 0, most),
            "intelligence": or_null(intelligence_form(settings)),
            "interdictions": items(fields({"markers": integer(0, 9), "points": POINTS, "target": HEX}), 0, 16),
            "weather": or_null(set_of(WEATHER))},
        "defend": {"combats": items(or_null(DEFENCE), 0, most)},
        "report": {
            "combats": items(lambda x: OUTCOME(x) or fields({"loss": or_null(integer(0, 9))})(x), 0, most),
            "halts": items(HALT, 0, 192)},
    }[step]})

def paths_hold(settings, value):
    """6: each contact is shown, each hex a neighbour of the one before, the last one of the contact's"""
    return all(contact in value["contacts"] and is_walk(settings, path)
               and path[-1] in value["contacts"][contact]["hexes"] for contact, path in value["paths"].items())

def attackers_hold(value):
    """8: contacts of this input, each once"""
    contacts = [x["contact"] for x in value["combats"] if x.get("contact")]
    return differ(contacts) and all(x in value["contacts"] for x in contacts)

def halts_hold(settings, value):
    """11: by a neighbour, each contact once, by their numbers"""
    return rises([number_of(x["contact"]) for x in value["halts"]]) and all(
        x["by"] in neighbours(settings, x["hex"]) for x in value["halts"])

def input_holds(settings, value):
    """6 to 12"""
    step = value.get("step") if isinstance(value, dict) else None
    return (step in ("setup", "move", "defend", "report") and form_of(settings, step)(value) and paths_hold(settings, value)
            and (step != "move" or attackers_hold(value)) and (step != "report" or halts_hold(settings, value)))
