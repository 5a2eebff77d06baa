"""cil 9 and 18 to 25: a round, and what becomes of day and battle."""

from sealed_dice_parts.cil.days import end_battle, end_day
from sealed_dice_parts.cil.orders import ATTACKS, Orders
from sealed_dice_parts.cil.phases import Phase, Unit
from sealed_dice_parts.cil.states import has_day_left, lives
from sealed_dice_parts.cil.terms import SIDES

class Round:
    """One declaration of the course, where draw(k, sides, why) is a die of roll k, from 0"""

    def __init__(self, settings, table, state, said, draw):
        self.settings, self.table, self.state, self.draw = settings, table, state, draw
        self.orders = Orders(settings, state, said)
        self.units = [Unit(side, unit) for side in SIDES for unit in state["units"][side]]
        self.overrun = {side: list(state["overrun"][side]) for side in SIDES}
        self.engagements, self.ledger, self.disturbed = state["engagements"], [], set()
        self.told = {"absorbs": [], "fires": [], "hits": [], "moves": [], "overrun": []}
        self.fought = any(self.order_of(unit) in ATTACKS for unit in self.living())
        if self.fought:
            self.run(0, "combat", 1)
            if any(self.order_of(unit) == "assault" for unit in self.living()):
                self.run(1, "assault", settings["assault_cost"] - 1)
        for unit in self.living():
            self.rest(unit)

    def living(self):
        return [unit for unit in self.units if unit.strength]

    def order_of(self, unit):
        return self.orders.order[unit.id][0]

    def run(self, k, name, engagements):
        """18"""
        phase = Phase(self, name, lambda sides, why: self.draw(k, sides, why))
        phase.run()
        self.engagements += engagements
        self.ledger.append(phase.casualties)

    # 19, 20

    def weary(self, unit, n):
        points = self.settings["effectiveness"] == "points"
        unit.effectiveness = max(0, unit.effectiveness - n) if points else unit.effectiveness * (100 - n) // 100

    def refresh(self, unit):
        points = self.settings["effectiveness"] == "points"
        unit.effectiveness = min(100, unit.effectiveness + 3 if points else unit.effectiveness * 103 // 100)

    def rest(self, unit):
        """20: who moves or holds"""
        order, to = self.orders.order[unit.id]
        disturbed = (unit.side, unit.at) in self.disturbed
        if order == "hold" and not disturbed:
            self.refresh(unit)
        elif order == "move":
            failed = "attacked" if disturbed else "overrun" if to in self.overrun[unit.side] else None
            if not disturbed:
                self.weary(unit, 5)
            if failed is None:
                unit.at = to
            self.told["moves"].append({"failed": failed, "to": to, "unit": unit.id})

    # 21, 24, 25

    def outcome(self):
        """The state after it, what is public, and whose decision it needs; and what was refused"""
        before = self.state
        state = {**before, "engagements": self.engagements, "ledger": self.added(), "overrun": self.overrun,
                 "round": before["round"] + 1, "turn": before["turn"] + 1,
                 "units": {side: [unit.as_state() for unit in self.units if unit.side == side] for side in SIDES}}
        ended, recovered = None, {}
        if not all(lives(state, side) for side in SIDES):
            ended = "battle"
            state, recovered = end_battle(self.settings, state)
        elif not self.fought or not has_day_left(state):
            ended = "day"
            state = end_day(state)
        public = {**self.told, "battle": before["battle"], "casualties": self.by_kind(), "changed": self.changed(), "day": before["day"],
                  "ended": ended, "engagements": self.engagements, "recovered": recovered, "refused": self.orders.refused,
                  "round": state["round"]}
        return state, public

    def added(self):
        """18: the ledger with the casualties of this round"""
        battle = {side: dict(self.state["ledger"]["battle"][side]) for side in SIDES}
        for phase in self.ledger:
            for side in SIDES:
                for name, n in phase[side].items():
                    battle[side][name] = battle[side].get(name, 0) + n
        return {"battle": battle, "day": self.state["ledger"]["day"] + self.ledger}

    def changed(self):
        found = []
        for unit in self.units:
            then = unit.terms["strength"], unit.terms["effectiveness"]
            now = unit.strength, unit.effectiveness
            if then != now:
                found.append([unit.id, then[0], now[0], then[1], now[1]])
        return found

    def by_kind(self):
        found = {side: {} for side in SIDES}
        for unit in self.units:
            lost = unit.terms["strength"] - unit.strength
            if lost:
                found[unit.side][unit.kind] = found[unit.side].get(unit.kind, 0) + lost
        return found
