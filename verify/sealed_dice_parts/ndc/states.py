"""ndc 5 to 12: the state, what it forbids (declare 15), and what an input makes of it."""

from sealed_dice_parts.ndc.inputs import NOBODY
from sealed_dice_parts.ndc.terms import other_side

def nothing_spent(settings):
    return {role: {"fire": 0, "support": 0} for role in settings["sides"]}

def no_markers():
    return {"breakthrough": [], "gas": []}

def begin(settings):
    """5"""
    first, sides = settings["sides"][0], settings["sides"]
    return {"awaits": {"by": first, "step": "setup"}, "chemicals": dict.fromkeys(sides, 0), "combats": [],
            "contacts": {role: {} for role in sides}, "defended": None, "intelligence": dict.fromkeys(sides),
            "interdictions": [], "markers": no_markers(), "paths": {}, "phasing": first, "segment": 0,
            "spent": nothing_spent(settings), "turn": 1, "weather": []}

def awaits(settings, state):
    """5: a turn, where it begins one, else more; and from whom"""
    first, by, step = settings["sides"][0], state["awaits"]["by"], state["awaits"]["step"]
    begins = step == "setup" and by == first or (
        step == "move" and by == first and state["segment"] == 1 and state["turn"] > 1)
    return ("turn" if begins else "more"), by

# declare 15 (12)

def is_attack(combat):
    return combat["kind"] == "attack"

def setup_allowed(settings, state, value):
    """7"""
    return (value["intelligence"] is None) == (state["awaits"]["by"] == settings["sides"][0])

LAST_SEGMENT = 64

def move_allowed(settings, state, value):
    """8, 9"""
    first_segment = state["segment"] == 1
    told = first_segment and state["phasing"] == settings["sides"][0]
    return ((value["intelligence"] is not None) == first_segment and (value["weather"] is not None) == told
            and len(state["interdictions"] + value["interdictions"]) <= 64
            and (state["segment"] < LAST_SEGMENT or is_over(value)))

def kinds_match(combats, entries, field):
    """10, 11: an entry for each combat, of its kind"""
    return len(entries) == len(combats) and all(
        is_attack(combat) == (entry is not None and field in entry) for combat, entry in zip(combats, entries))

def defend_allowed(_settings, state, value):
    """10"""
    return kinds_match(state["combats"], value["combats"], "fpf")

def outcome_allowed(state, place, entry, halted):
    """11, of an attack"""
    combat, result = state["combats"][place], entry["result"]
    idle = result in ("cancelled", "empty")
    promised = state["defended"][place] if state["defended"] else None
    retreat = entry["retreat"]
    return ((result == "cancelled") == (combat["contact"] in halted)
            and (entry["ew_level"] == combat["ew_level"] if idle else entry["ew_level"] >= combat["ew_level"])
            and (idle or promised is None or all(entry[name] == promised[name] for name in NOBODY))
            and (retreat is None or retreat in combat["retreats"]["any"])
            and not (result == "fought" and combat["assault"] and retreat)
            and not (entry["advance"] and not combat["assault"]))

def report_allowed(_settings, state, value):
    """11"""
    combats, paths = state["combats"], state["paths"]
    halted = {x["contact"] for x in value["halts"]}
    return (kinds_match(combats, value["combats"], "result")
            and all(x["contact"] in paths and x["hex"] in paths[x["contact"]][:-1] for x in value["halts"])
            and all(outcome_allowed(state, i, value["combats"][i], halted) for i, x in enumerate(combats) if is_attack(x)))

ALLOWED = {"setup": setup_allowed, "move": move_allowed, "defend": defend_allowed, "report": report_allowed}

def takes(settings, state, value):
    """12"""
    step = state["awaits"]["step"]
    return value["step"] == step and ALLOWED[step](settings, state, value)

# What an input makes of it

def is_over(value):
    """9: a move that ends the player turn"""
    return value["step"] == "move" and not value["combats"] and not value["interdictions"]

def after(settings, state, value):
    """7 to 12"""
    by = state["awaits"]["by"]
    state = {**state, "contacts": {**state["contacts"], by: value["contacts"]}}
    if value.get("intelligence") is not None:
        state["intelligence"] = {**state["intelligence"], by: value["intelligence"]}
    if value.get("weather") is not None:
        state["weather"] = value["weather"]
    return AFTER[value["step"]](settings, state, value)

def next_move(settings, state, role, segment):
    return {**state, "awaits": {"by": role, "step": "move"}, "phasing": role, "segment": segment}

def after_setup(settings, state, _value):
    """7"""
    first, second = settings["sides"]
    if state["awaits"]["by"] == first:
        return {**state, "awaits": {"by": second, "step": "setup"}}
    return next_move(settings, state, first, 1)

def after_move(settings, state, value):
    """8, 9, 12"""
    if is_over(value):
        return after_player_turn(settings, {**state, "combats": []})
    by, combats = state["phasing"], value["combats"]
    spent = dict(state["spent"][by])
    spent["support"] += sum(x["barrage"] for x in combats if is_attack(x))
    spent["fire"] += sum(x["points"] for x in combats + value["interdictions"] if not is_attack({"kind": None, **x}))
    step = "defend" if combats and settings["letters"] != "standing" else "report"
    return {**state, "awaits": {"by": other_side(settings, by), "step": step}, "combats": combats, "paths": value["paths"],
            "interdictions": state["interdictions"] + value["interdictions"], "spent": {**state["spent"], by: spent}}

def after_player_turn(settings, state):
    """9"""
    first, second = settings["sides"]
    by = state["phasing"]
    state = {**state, "interdictions": [], "markers": no_markers(), "paths": {}, "spent": nothing_spent(settings),
             "turn": state["turn"] + (by == second)}
    return next_move(settings, state, other_side(settings, by), 1)

def after_defend(_settings, state, value):
    """10"""
    return {**state, "awaits": {**state["awaits"], "step": "report"}, "defended": value["combats"]}

def gathered(old, new):
    return sorted({*old, *new})

def after_report(settings, state, value):
    """11, 12"""
    by, mover = state["awaits"]["by"], state["phasing"]
    pairs = [(combat, entry) for combat, entry in zip(state["combats"], value["combats"])
             if is_attack(combat) and entry["result"] != "cancelled"]
    chemicals = dict(state["chemicals"])
    chemicals[mover] += sum(combat["chemical"] != "none" for combat, _ in pairs)
    chemicals[by] += sum(entry["chemical"] != "none" for _, entry in pairs)
    spent = dict(state["spent"][by])
    spent["support"] += sum(entry["fpf"] for _, entry in pairs)
    markers = {
        "breakthrough": gathered(state["markers"]["breakthrough"], (x["target"] for x, entry in pairs if entry["breakthrough"])),
        "gas": gathered(state["markers"]["gas"], [
            *(x["target"] for x, _ in pairs if x["chemical"] == "persistent"),
            *(x["from"] for x, entry in pairs if entry["chemical"] == "persistent")])}
    state = {**state, "chemicals": chemicals, "defended": None, "markers": markers, "paths": {},
             "spent": {**state["spent"], by: spent}}
    return next_move(settings, state, mover, state["segment"] + 1)

AFTER = {"setup": after_setup, "move": after_move, "defend": after_defend, "report": after_report}
