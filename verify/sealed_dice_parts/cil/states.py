"""cil 4: the state, and how a battle begins."""

from sealed_dice_parts.forms import ROLE, fields, integer, items, named, one_of, or_null
from sealed_dice_parts.cil.terms import (
    ENGAGEMENTS, FORCES, ID, LOCATION, LOCATIONS, SEASON, SIDES, forces_form, kinds_hold)

CASUALTIES = fields({side: named(ID, integer(1, 9999)) for side in SIDES})
STATE = fields({
    "attacker": ROLE, "battle": integer(1, 10000), "day": integer(1, 10000), "defender": ROLE, "engagements": integer(0, 5),
    "ledger": fields({"battle": CASUALTIES, "day": items(CASUALTIES, 0, 10)}),
    "overrun": fields({side: items(LOCATION, 0, 4) for side in SIDES}),
    "pending": or_null(fields({"awaits": one_of("night", "battle", "agree"), "by": ROLE, "proposal": lambda _: True})),
    "round": integer(0, 9999), "season": SEASON, "turn": integer(0, 9999), "units": forces_form(0)})

def nobody():
    return {side: {} for side in SIDES}

def battle(terms, number, turn):
    """4, 23: the beginning of a battle with these roles, forces and season"""
    return {"attacker": terms["attacker"], "battle": number, "day": 1, "defender": terms["defender"], "engagements": 0,
            "ledger": {"battle": nobody(), "day": []}, "overrun": {side: [] for side in SIDES}, "pending": None, "round": 0,
            "season": terms["season"], "turn": turn, "units": terms["forces"]}

def begin(settings):
    return battle(settings, 1, 0)

def lives(state, side):
    """Whether a side has a living unit"""
    return any(unit["strength"] for unit in state["units"][side])

def has_day_left(state):
    return state["engagements"] < ENGAGEMENTS[state["season"]]

PROPOSAL = fields({"attacker": ROLE, "forces": FORCES, "season": SEASON})

def is_proposal(settings, table, value):
    """23"""
    return (PROPOSAL(value) and value["attacker"] in (settings["attacker"], settings["defender"])
            and kinds_hold(settings, table, value["forces"]))

def overrun_holds(state, side):
    """4: in their order, and nobody lives there"""
    overrun = state["overrun"][side]
    return (overrun == [x for x in LOCATIONS if x in overrun]
            and not any(unit["at"] in overrun and unit["strength"] for unit in state["units"][side]))

def ledger_holds(state):
    ids = {side: {unit["id"] for unit in state["units"][side]} for side in SIDES}
    return all(some[side].keys() <= ids[side] for some in [state["ledger"]["battle"], *state["ledger"]["day"]] for side in SIDES)

def pending_holds(settings, table, state):
    pending, roles = state["pending"], (settings["attacker"], settings["defender"])
    if pending is None:
        return all(lives(state, side) for side in SIDES) and has_day_left(state)
    if pending["by"] not in roles:
        return False
    if pending["awaits"] == "agree":
        return is_proposal(settings, table, pending["proposal"])
    return pending["proposal"] is None

def state_holds(settings, table, state):
    return (STATE(state) and {state[side] for side in SIDES} == {settings[side] for side in SIDES}
            and state["engagements"] <= ENGAGEMENTS[state["season"]] and all(overrun_holds(state, side) for side in SIDES)
            and ledger_holds(state) and kinds_hold(settings, table, state["units"]) and pending_holds(settings, table, state))
