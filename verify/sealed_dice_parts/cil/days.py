"""cil 21 to 24: nights, and battles one after the other."""

from sealed_dice_parts.cil.states import battle, is_proposal
from sealed_dice_parts.cil.terms import SIDES

def await_(state, what, by, proposal=None):
    return {**state, "pending": {"awaits": what, "by": by, "proposal": proposal}}

def end_day(state):
    """22"""
    return await_(state, "night", state["attacker"])

def end_battle(settings, state):
    """24: the state, and who came back"""
    recovered, units = {}, {}
    for side in SIDES:
        units[side] = []
        for unit in state["units"][side]:
            back = state["ledger"]["battle"][side].get(unit["id"], 0) * settings["recover_pct"] // 100
            if back:
                recovered[unit["id"]] = back
            units[side].append({**unit, "strength": unit["strength"] + back})
    state = {**state, "overrun": {side: [] for side in SIDES}, "units": units}
    return await_(state, "battle", state["defender"]), recovered

def next_day(state):
    """22"""
    return {**state, "day": state["day"] + 1, "engagements": 0, "ledger": {**state["ledger"], "day": []}, "pending": None}

def decide(settings, table, state, value):
    """The state after what is awaited, whether the battle ended, and who came back; None if it is not allowed"""
    name, by = state["pending"]["awaits"], state["pending"]["by"]
    other = next(state[side] for side in SIDES if state[side] != by)
    if name == "night":
        return decide_night(settings, state, by, other, value)
    if name == "battle":
        return (await_(state, "agree", other, value), None, {}) if is_proposal(settings, table, value) else None
    if value is True:
        terms = state["pending"]["proposal"]
        defender = next(state[side] for side in SIDES if state[side] != terms["attacker"])
        return battle({**terms, "defender": defender}, state["battle"] + 1, state["turn"]), None, {}
    return (await_(state, "battle", by), None, {}) if value is False else None

def decide_night(settings, state, by, other, value):
    """22"""
    if value == "on":
        return next_day(state), None, {}
    if value != "end":
        return None
    if by == state["attacker"]:
        return await_(state, "night", other), None, {}
    state, recovered = end_battle(settings, {**state, "pending": None})
    return state, "battle", recovered
