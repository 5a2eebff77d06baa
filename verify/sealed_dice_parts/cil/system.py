"""The system `cil` as courses ask for it."""

from sealed_dice_parts.cil import days, states, terms
from sealed_dice_parts.cil.orders import Orders
from sealed_dice_parts.cil.rounds import Round

class Cil:
    prefill = terms.PREFILL

    def __init__(self, tables=None):
        self.table = (tables or {}).get("cil-mixed")

    def with_tables(self, tables):
        return Cil(tables)

    def holds(self, settings, tables):
        """charter 6"""
        return terms.settings_hold(settings, tables)

    def roles_in(self, settings):
        return [settings[side] for side in terms.SIDES]

    def begin(self, settings):
        return states.begin(settings)

    def state_holds(self, settings, state):
        return states.state_holds(settings, self.table, state)

    def awaits(self, state):
        """4, 22, 23: a turn, by whom the charter says, or a decision and whose it is"""
        pending = state["pending"]
        return (pending["awaits"], pending["by"]) if pending else ("turn", None)

    def round(self, settings, state, orders, draw):
        return Round(settings, self.table, state, orders, draw)

    def violations(self, settings, state, orders):
        """6: pairs of a role and a text"""
        refused = Orders(settings, state, orders).refused
        return [(x["author"], "cil 6: %s: %s" % (x["entry"], x["why"])) for x in refused]

    def decide(self, settings, state, by, name, value):
        """22 to 24: the state and what is public, or None if it is not awaited or allowed"""
        if self.awaits(state) != (name, by):
            return None
        decided = days.decide(settings, self.table, state, value)
        if decided is None:
            return None
        after, ended, recovered = decided
        return after, {"by": by, "ended": ended, "name": name, "recovered": recovered}
