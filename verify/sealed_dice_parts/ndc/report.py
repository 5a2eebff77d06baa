"""ndc 22 and 23: the defender resolves."""

from sealed_dice_parts.ndc.attacks import terrain_of
from sealed_dice_parts.ndc.command import command_of, is_commander, is_subordinate, ratings_of
from sealed_dice_parts.ndc.hand import count_beside, first_on, go_to, lose, standing
from sealed_dice_parts.ndc.halts import halt
from sealed_dice_parts.ndc.hexes import neighbours
from sealed_dice_parts.ndc.inputs import NOBODY
from sealed_dice_parts.ndc.orders import defences, fire_of

def report(d):
    halt(d)
    halted = {x["contact"] for x in d.fields["halts"]}
    d.support, d.chemicals, combats = d.left("support"), dict(d.state["chemicals"]), []
    for j, (combat, defence) in enumerate(zip(d.state["combats"], defences(d)), 1):
        if defence is None:
            combats.append(counter_battery(d, j, combat))
        elif combat["contact"] in halted:
            combats.append(idle(combat, "cancelled"))
        else:
            combats.append(attacked(d, j, combat, *defence))
    d.fields["combats"] = combats

def idle(combat, result):
    return {"advance": False, "attacker_loss": 0, "breakthrough": False, "defender": None, "ew_level": combat["ew_level"],
            "result": result, "retreat": None, **NOBODY}

def attacked(d, j, combat, unit, order):
    """22, of what is not cancelled; chemicals count once they are used (11)"""
    if unit is None or unit["gone"] or combat["target"] not in unit["hexes"]:
        entry = idle(combat, "empty")
    else:
        entry = Combat(d, j, combat, unit, order).resolve()
    d.chemicals[d.other] += combat["chemical"] != "none"
    d.chemicals[d.role] += entry["chemical"] != "none"
    d.support -= entry["fpf"]
    return entry

def counter_battery(d, j, combat):
    """23"""
    unit = first_on(d.hand, combat["target"])
    if unit is None:
        return {"loss": None}
    line = d.combat_line(j, 2 * d.settings["ew"] + 4)
    loss = int(d.look_up("ndc-counter-battery", 2 * combat["points"], line, "combat %d" % j))
    lose(unit, loss)
    return {"loss": loss if unit["level"] == 4 else None}

CHEMICALS = {("attacker", "soviet"): (5, 3, 1), ("attacker", "us"): (2, 1, 1),
             ("defender", "soviet"): (-3, -2, -1), ("defender", "us"): (-2, -1, -1)}

class Combat:
    """One attack with somebody there"""

    def __init__(self, d, j, combat, unit, order):
        self.d, self.j, self.combat, self.unit, self.order = d, j, combat, unit, order
        promised = d.state["defended"]
        self.fire = promised[j - 1] if promised else fire_of(order, d.support)

    def look_up(self, name, column, place):
        return self.d.look_up(name, column, self.d.combat_line(self.j, place), "combat %d" % self.j)

    def resolve(self):
        unit, e = self.unit, self.d.settings["ew"]
        told = unit["level"] >= 1 or unit["volunteered"]
        self.candidates = candidates(self.d, self.combat)
        unit["ew"] = max([unit["ew"], *self.ew_levels(self.combat, self.combat["ew_attacks"], 0)])
        self.ew_level = max([self.combat["ew_level"], *self.ew_levels(self.order, self.order["ew_attacks"], e)])
        result = self.look_up("ndc-crt", self.differential(), 2 * e + 1)
        entry = {**idle(self.combat, "fought"), **self.fire, "ew_level": self.ew_level}
        if result == "ABORT":
            return {**entry, "result": "abort", "attacker_loss": 2, "retreat": self.go_back()}
        if result == "OVERRUN":
            defender = self.yield_ground(len(self.order["retreat"]), 2)
            return {**entry, "result": "overrun", "defender": defender if told else None}
        a, b, r = (int(part[1]) for part in result.split()[:3])
        defender = self.yield_ground(r, b)
        return {**entry, "breakthrough": result.endswith(" B"), "defender": defender if told else None,
                **(self.assault(a) if self.combat["assault"] else self.probe(a))}

    def ew_levels(self, of, attacks, before):
        """22 a, b"""
        return [int(self.look_up("ndc-ew", of["ew_superiority"], before + k)) for k in range(1, attacks + 1)]

    def chemicals(self, role, side, chemical):
        """22 c"""
        worth = CHEMICALS[side, self.d.settings["doctrine"][role]]
        return 0 if chemical == "none" else worth[min(2, self.d.chemicals[role])]

    def differential(self):
        """22 c"""
        d, unit, order, hand = self.d, self.unit, self.order, self.d.hand
        commander = order["commander"]
        if commander and not is_commander(hand, commander, unit, hand["chances"]):
            commander = None
        subordinates = [x for x in order["subordinates"] if is_subordinate(hand, x, unit, order["commander"])]
        sign = 1 if d.settings["defender_to_sign"] == "plus" else -1
        shift = int(d.look_up("ndc-support", self.combat["barrage"] - self.fire["fpf"]))
        return (self.combat["total"] - unit["defense"] + unit["level"] + terrain_of(d, order["terrain"], 1) + sign * unit["to"]
                - count_beside(d.settings, hand, self.combat["from"], unit) + 4 * order["control_loss"] + unit["fatigue"]
                + self.chemicals(d.other, "attacker", self.combat["chemical"])
                + self.chemicals(d.role, "defender", self.fire["chemical"])
                + (0, -5, -6, -8)[self.ew_level] + (0, 2, 3, 4)[unit["ew"]] - command_of(hand, commander)
                - ratings_of(hand, subordinates) - unit["leadership"] + shift)

    def yield_ground(self, hexes, loss):
        """22 d, e: the defender goes along so many of his hexes, but none of the other's contacts, and loses"""
        path, contacts = self.order["retreat"][:hexes], self.d.contacts_of_other()
        path = path[:next((i for i, hex_ in enumerate(path) if hex_ in contacts), len(path))]
        if path:
            go_to(self.unit, path[-1])
        lose(self.unit, loss)
        return {"hexes": path, "loss": loss}

    def assault(self, loss):
        return {"advance": first_on(self.d.hand, self.combat["target"]) is None, "attacker_loss": loss}

    def probe(self, loss):
        if not loss or not self.candidates:
            return {"attacker_loss": loss}
        contact = self.d.state["contacts"][self.d.other].get(self.combat["contact"], {})
        to = contact.get("to")
        saved = int(self.look_up("ndc-retreat", 4 if to is None else to, 2 * self.d.settings["ew"] + 2))
        return {"attacker_loss": max(0, loss - saved), "retreat": self.go_back()}

    def go_back(self):
        """22 d: the hex to which the attacker goes back, if there is one"""
        some, n = self.candidates, len(self.candidates)
        if not some:
            return None
        line = self.d.combat_line(self.j, 2 * self.d.settings["ew"] + 3)
        pick = self.d.dice.draw(line, n, "retreat combat %d" % self.j) if n > 1 else 1
        return some[pick - 1]

def candidates(d, combat):
    """22: the first of these sets that has hexes that are not the defenders' nor beside them"""
    taken = {hex_ for unit in standing(d.hand) for hex_ in unit["hexes"]}
    for name in ("road", "away", "any"):
        free = [x for x in combat["retreats"][name] if taken.isdisjoint([x, *neighbours(d.settings, x)])]
        if free:
            return free
    return []
