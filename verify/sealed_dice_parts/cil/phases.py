"""cil 10 to 18: one phase of a round, with its dice."""

from bisect import bisect_left
from itertools import accumulate

from sealed_dice_parts.cil.orders import ATTACKS, COMBAT_ORDERS
from sealed_dice_parts.cil.terms import LOCATIONS, SIDES, other_side

class Unit:
    """A unit in a round"""

    def __init__(self, side, terms):
        self.side, self.terms = side, terms
        for name, value in terms.items():
            setattr(self, name, value)

    def as_state(self):
        return {**self.terms, "at": self.at, "effectiveness": self.effectiveness, "strength": self.strength}

class Hit:
    """A hit, and who fired it"""

    def __init__(self, by, is_probe):
        self.by, self.is_probe = by, is_probe

class Phase:
    """The Combat Phase or the Assault Combat Phase of a round"""

    def __init__(self, round_, name, draw):
        self.round, self.name, self.draw = round_, name, draw
        self.settings, self.orders, self.overrun = round_.settings, round_.orders, round_.overrun
        self.attacking = ATTACKS if name == "combat" else ("assault",)
        self.living = [unit for side in SIDES for at in LOCATIONS for unit in round_.units if unit.side == side
                       and unit.at == at and unit.strength]
        self.casualties = {side: {} for side in SIDES}
        self.absorption, self.counted, self.fallen = {}, {}, set()     # 12, 15; 11 and 16: what goes on from there is excess
        self.held = {(unit.side, unit.at): set() for unit in self.living}
        for unit in self.living:
            self.held[unit.side, unit.at].add(self.order_of(unit))

    def order_of(self, unit):
        return self.orders.order[unit.id][0]

    # 10

    def find_fires(self):
        """Pairs of a unit and the location at which it fires; and what is attacked, with where from"""
        self.attacked = {}
        for unit in self.living:
            if self.order_of(unit) in self.attacking:
                target = other_side(unit.side), self.orders.order[unit.id][1]
                self.attacked.setdefault(target, set()).add(unit.at)
        self.fires = [(unit, at) for unit in self.living for at in [self.fires_at(unit)] if at]
        self.under_fire = {(other_side(unit.side), at) for unit, at in self.fires}

    def fires_at(self, unit):
        if self.order_of(unit) in self.attacking:
            return self.orders.order[unit.id][1]
        froms = self.attacked.get((unit.side, unit.at), ())
        if self.order_of(unit) in COMBAT_ORDERS and froms:
            return min(froms, key=LOCATIONS.index)
        return None

    # 11, 16

    def lives(self, side, at):
        return [unit for unit in self.living if (unit.side, unit.at) == (side, at) and unit.strength]

    def fall(self, side, at):
        """A location becomes OVERRUN"""
        if at not in self.overrun[side]:
            self.overrun[side].append(at)
            self.overrun[side].sort(key=LOCATIONS.index)
            self.round.told["overrun"].append({"at": at, "on": side, "phase": self.name})

    # 12

    def scaled(self, unit, value):
        return value * self.effectiveness[unit.id] // 100 if self.settings["scale_values"] else value

    def roll_down(self, value, why):
        """How often a value stays above 0 under d10"""
        count = 0
        while value >= 1:
            value -= self.draw(10, why)
            count += value >= 1
        return count

    def run(self):
        self.effectiveness = {unit.id: unit.effectiveness for unit in self.living}
        self.find_fires()
        if self.name == "assault":
            for side in SIDES:
                for at in LOCATIONS:
                    if (side, at) in self.attacked and not self.lives(side, at) and at not in self.overrun[side]:
                        self.fall(side, at)
                        self.fallen.add((side, at))
        hits = self.roll_hits()
        self.roll_absorption()
        for firing in SIDES:
            for at in LOCATIONS:
                if (other_side(firing), at) in self.under_fire:
                    self.apply(other_side(firing), at, hits.get((other_side(firing), at), []))
        self.tire()

    def roll_hits(self):
        hits = {}
        for unit, at in self.fires:
            value = self.scaled(unit, unit.attack) - (self.order_of(unit) == "dig-in")
            count = self.roll_down(value, unit.id + " fires")
            hits.setdefault((other_side(unit.side), at), []).extend(Hit(unit, self.order_of(unit) == "probe") for _ in range(count))
            self.round.told["fires"].append({"at": at, "hits": count, "phase": self.name, "unit": unit.id, "value": value})
        return {place: sorted(some, key=lambda hit: hit.is_probe) for place, some in hits.items()}

    def roll_absorption(self):
        for unit in self.living:
            if unit.defense and (unit.side, unit.at) in self.under_fire:
                value = self.scaled(unit, unit.defense) + (self.order_of(unit) == "dig-in")
                points = self.roll_down(value, unit.id + " absorbs")
                self.absorption[unit.id] = points
                self.round.told["absorbs"].append({"phase": self.name, "points": points, "unit": unit.id, "value": value})

    # 13 to 17

    def entry(self, side, at, from_, hits):
        told = {"at": at, "from": from_, "halved": 0, "hits": len(hits), "lost": 0, "on": side, "phase": self.name, "sent": 0, "struck": []}
        self.round.told["hits"].append(told)
        return told

    def apply(self, side, at, hits):
        """The hits on a location under fire"""
        told = self.entry(side, at, None, hits)
        if at in self.overrun[side] and (side, at) not in self.fallen:
            told["lost"] = len(hits)
            return
        self.fall_if_empty(side, at)
        left = self.strike(told, self.floor(told, hits), spill=False)
        self.fall_if_empty(side, at)
        self.go_on(told, left, (side, at) in self.fallen)

    def fall_if_empty(self, side, at):
        """16"""
        attacked = (side, at) in self.attacked or self.settings["overrun"] == "any"
        if self.name == "assault" and attacked and not self.lives(side, at):
            self.fall(side, at)
            self.fallen.add((side, at))

    def floor(self, told, hits):
        """15: the hits that are not halved beforehand"""
        if self.settings["probe"] != "hits_floor":
            return hits
        only_probes = self.held.get((told["on"], told["at"]), set()).intersection(COMBAT_ORDERS) == {"probe"}
        kept = []
        for is_probe in (False, True):
            some = [hit for hit in hits if hit.is_probe == is_probe]
            kept += some[:len(some) // 2] if is_probe or only_probes else some
        told["halved"] = len(hits) - len(kept)
        return kept

    def strike(self, told, hits, spill):
        """13 to 15: the hits that are left over"""
        some = self.candidates(told, spill)
        for place, hit in enumerate(hits):
            if not some:
                return hits[place:]
            unit, drawn = self.pick(told, hit, some)
            if unit is None:
                told["lost"] += 1
                continue
            told["struck"].append([unit.id, drawn, self.suffer(unit, hit, spill)])
            if not unit.strength:
                some = self.candidates(told, spill)
        return []

    def candidates(self, told, spill):
        """13, 17: who can be struck now"""
        some = self.lives(told["on"], told["at"])
        return some if spill else [unit for unit in some if self.order_of(unit) in COMBAT_ORDERS] or some

    def pick(self, told, hit, some):
        """13, 14: who is struck, and the die"""
        weights = [1] * len(some)
        if self.settings["mixed"] == "table":
            pairs = [(unit, self.round.table[hit.by.kind][unit.kind]) for unit in some]
            some, weights = [unit for unit, weight in pairs if weight], [weight for _, weight in pairs if weight]
        if len(some) < 2:
            return (some + [None])[0], None
        reached = list(accumulate(weights))
        drawn = self.draw(reached[-1], "hit on %s %s" % (self.round.state[told["on"]], told["at"]))
        return some[bisect_left(reached, drawn)], drawn

    def suffer(self, unit, hit, spill):
        """13, 15, 17"""
        if self.absorption.get(unit.id) and (not spill or self.settings["spill_absorbs"]):
            self.absorption[unit.id] -= 1
            return "absorbed"
        if self.settings["probe"] == "alternate" and (hit.is_probe or self.order_of(unit) == "probe"):
            count = self.counted.get((unit.side, unit.at), 0) + 1
            self.counted[unit.side, unit.at] = count
            if count % 2:
                return "halved"
        unit.strength -= 1
        some = self.casualties[unit.side]
        some[unit.id] = some.get(unit.id, 0) + 1
        return "casualty"

    def go_on(self, told, left, is_excess):
        """16, 17: what is left over"""
        side, at = told["on"], told["at"]
        to = self.orders.excess[other_side(side)].get(at, "none")
        if not left:
            return
        if not is_excess or to == "none":
            told["lost"] += len(left)
            return
        told["sent"] = len(left)
        self.spill(side, at, to, left)

    def spill(self, side, from_, to, hits):
        """17: excess at the location where it goes"""
        told = self.entry(side, to, from_, hits)
        if to in self.overrun[side]:
            told["lost"] = len(hits)
            return
        self.round.disturbed.add((side, to))
        left = self.strike(told, hits, spill=True)
        if not self.lives(side, to):
            self.fall(side, to)
        self.go_on(told, left, self.settings["chain"])

    # 18

    def tire(self):
        lose = {"attack": 5, "assault": 5, "probe": 3} if self.name == "combat" else {"assault": 7}
        for unit in self.living:
            if unit.strength and self.order_of(unit) in lose:
                self.round.weary(unit, lose[self.order_of(unit)])
        self.round.disturbed |= self.under_fire
