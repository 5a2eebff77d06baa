"""Tests rules of ndc.md one by one, with given dice."""

import unittest

from sealed_dice_parts import hidden
from sealed_dice_parts.forms import encode
from sealed_dice_parts.ndc import inputs, states
from sealed_dice_parts.ndc.hexes import neighbours
from sealed_dice_parts.ndc.player import Player
from sealed_dice_parts.ndc.tables import cell, table_holds
from test_hidden import RETREATS, SETTINGS, TABLES, table, unit

class Said:
    """A line whose numbers are given."""

    def __init__(self, numbers):
        self.numbers = list(numbers)

    def draw(self, sides):
        number = self.numbers.pop(0)
        assert 1 <= number <= sides, (number, sides)
        return number

class Pair:
    """Two players, and the public state."""

    def __init__(self, tables=(), **settings):
        self.settings = {**SETTINGS, "roll_count_public": False, "ammo": False, **settings}
        self.state = states.begin(self.settings)
        found = hidden.Tables({**TABLES, **dict(tables)}, {}, lambda *_: True)
        self.players = {role: Player(self.settings, role, found) for role in ("ann", "bob")}

    def hand(self, role):
        return self.players[role].hand

    def unit(self, role, name):
        return next(x for x in self.hand(role)["units"] if x["name"] == name)

    def say(self, sheet, ends=False, **lines):
        """Makes the next declaration for the player from whom it is awaited. `lines` gives dice by line (`l3`)."""
        role, step = self.state["awaits"]["by"], self.state["awaits"]["step"]
        numbers = {int(name[1:]): values for name, values in lines.items()}
        dice = hidden.OpenedDice(lambda line: Said(numbers.get(line, [1, 1, 1])))
        stated = {"step": step, "combats": [] if ends else [None], "interdictions": []}
        read = hidden.Sheet(sheet)
        told = self.players[role].declare(hidden.Step(role, self.state, stated, None, None), read, dice)
        read.end()
        self.honest, self.drawn = read.honest, [(x.line, x.why) for x in dice.drawn]
        assert inputs.input_holds(self.settings, told), encode(told)
        assert states.takes(self.settings, self.state, told), encode(told)
        before = self.state
        self.state = states.after(self.settings, self.state, told)
        self.players["bob" if role == "ann" else "ann"].follow(hidden.Step(role, before, told, None, None))
        return told

N, B = 4, 5 * 4 + 1  # units; the line before the first combat's lines (one EW attack each way)

def set_up(anns, bobs, bob=(), ann=(), **settings):
    pair = Pair(**settings)
    pair.say({"units": anns, "points": {"air": 1, "artillery": 5}, **dict(ann)})
    assert pair.honest
    pair.say({"units": bobs, "points": {"air": 1, "artillery": 5}, **dict(bob)})
    assert pair.honest
    return pair

def attack(name="A", target="0506", **more):
    return {"kind": "attack", "unit": name, "target": target, "retreats": RETREATS, **more}

class Rules(unittest.TestCase):
    def test_hexes(self):
        self.assertEqual(["0405", "0406", "0505", "0507", "0605", "0606"], neighbours(SETTINGS, "0506"))
        self.assertEqual(["0505", "0506", "0604", "0606", "0705", "0706"], neighbours(SETTINGS, "0605"))
        self.assertEqual(["0102", "0201"], neighbours(SETTINGS, "0101"))

    def test_tables(self):
        whole = {**table({"1-3": ["1", "2"], "4-6": ["3", "4"]}), "columns": ["..0", "1.."]}
        self.assertTrue(table_holds("ndc-tactical", whole))
        self.assertEqual(["1", "4"], [cell(whole, column, [die]) for column, die in ((0, 3), (1, 4))])
        for wrong in ({"columns": ["..1", "1.."]}, {"columns": ["..0", "2.."]}, {"dice": "none"}, {"dice": "1d10"}, {"columns": [".."]},
                      {"rows": {"1-3": ["1", "2"], "3-6": ["3", "4"]}}, {"rows": {"1-3": ["1", "2"], "4-6": ["3", "5"]}}):
            self.assertFalse(table_holds("ndc-tactical", {**whole, **wrong}), wrong)
        narrow = {**whole, "columns": ["1..2", "3..4"]}
        self.assertEqual(["1", "2"], [cell(narrow, column, [1]) for column in (-5, 9)])

    def test_moves(self):
        for path, cost, allowed in ((["0505"], [6], True), (["0505"], [7], False), (["0505", "0506"], [1, 1], True), (["0506"], [1], False),
                                    (["0505", "0506", "0507"], [1, 1, 1], False), (["0505"], [1, 1], False), ([], [], False)):
            pair = set_up([unit("A", "0504")], [unit("B", "0508")], bob={"volunteer": ["B"]})
            pair.say({"moves": [{"cost": cost, "path": path, "unit": "A"}], "combats": [{"kind": "counter-battery", "points": 1, "target": "0101"}]})
            # 0507 is beside B, so 0508 is out of reach. A path into 0507 that goes no further is allowed.
            self.assertEqual(allowed or path == ["0505", "0506", "0507"], pair.honest, path)
        pair = set_up([unit("A", "0504")], [unit("B", "0508")], bob={"volunteer": ["B"]})
        pair.say({"moves": [{"cost": [1] * 4, "path": ["0505", "0506", "0507", "0607"], "unit": "A"}]}, ends=True)
        self.assertFalse(pair.honest)

    def test_moves_of_a_sheet_have_an_end(self):
        names = "ABCDEFGHIJKL"
        pair = set_up([unit(name, "0504") for name in names], [unit("Z", "0901")], units=12)
        moves = [{"cost": [0] * n, "path": (["0505", "0504"] * 50)[:n], "unit": name} for name, n in zip(names, [99] * 11 + [9])]
        pair.say({"moves": moves}, ends=True)
        self.assertEqual((False, 11), (pair.honest, sum(x["moved"] for x in pair.hand("ann")["units"])))
        pair = set_up([unit("A", "0504")], [unit("Z", "0901")])
        pair.say({"moves": [{"cost": [0] * 100, "path": ["0505", "0504"] * 50, "unit": "A"}]}, ends=True)
        self.assertFalse(pair.honest)

    def test_the_last_segment_has_no_combat(self):
        fire = {"kind": "counter-battery", "points": 1, "target": "0101"}
        for segment, fought in ((63, 1), (64, 0)):
            pair = set_up([unit("A", "0504")], [unit("Z", "0901")])
            pair.say({"combats": [fire]})
            pair.say({})
            pair.state = {**pair.state, "segment": segment}
            told = pair.say({"combats": [fire], "interdictions": [{"points": 1, "target": "0101"}]}, ends=not fought)
            self.assertEqual((bool(fought), fought), (pair.honest, len(told["combats"])))
            other = {**told, "combats": [fire]}
            self.assertEqual(bool(fought), states.takes(pair.settings, {**pair.state, "segment": segment, "awaits": {"by": "ann", "step": "move"}}, other))

    def test_a_total_that_cannot_be_stated_is_no_attack(self):
        for n, allowed in ((9, True), (10, False)):
            rows = {"t%02d" % i: [99, 0] for i in range(11)}
            pair = set_up([unit("A", "0505")], [unit("B", "0506")], tables={"ndc-terrain": {"rows": rows, "source": "test"}})
            told = pair.say({"combats": [attack(terrain=sorted(rows)[:n]), {"kind": "counter-battery", "points": 1, "target": "0101"}]})
            self.assertEqual((allowed, 1 + allowed), (pair.honest, len(told["combats"])))
            self.assertEqual(allowed, pair.unit("ann", "A")["attacks"])

    def test_hoarding(self):
        fire = [{"kind": "counter-battery", "points": 1, "target": "0101"}]
        for more, allowed in (({}, False), ({"volunteer": ["B"]}, True)):
            pair = set_up([unit("A", "0504"), unit("C", "0904")], [unit("B", "0507")])
            pair.say({"moves": [{"cost": [1], "path": ["0505"], "unit": "A"}], "combats": fire})
            self.assertEqual([{"contacts": [], "units": {"A": {"hex": "0505", "left": 5}, "C": {"hex": "0904", "left": 6}}}], pair.hand("ann")["stays"])
            pair.say(more)
            pair.say({"moves": [{"cost": [1], "path": ["0506"], "unit": "A"}]}, ends=True)
            self.assertEqual(allowed, pair.honest)

    def test_what_is_told_of_moves(self):
        pair = set_up([unit("A", "0504"), unit("C", "0504")], [unit("B", "0901")])
        pair.unit("ann", "A")["level"] = 1
        pair.unit("ann", "C")["level"] = 3
        told = pair.say({"moves": [{"cost": [1, 1], "path": ["0505", "0506"], "unit": "C"}, {"cost": [1, 1], "path": ["0505", "0405"], "unit": "A"}],
                         "combats": [{"kind": "counter-battery", "points": 1, "target": "0101"}]})
        self.assertEqual((["0405"], {"c1": ["0505", "0506"]}), (told["entries"], told["paths"]))
        self.assertEqual({"c1": {"designation": None, "hexes": ["0506"], "kind": "armor", "mode": None, "to": None}}, told["contacts"])

    def test_halts(self):
        pair = set_up([unit("A", "0504")], [unit("B", "0307"), unit("C", "0606")], bob={"halt": ["B", "C"]})
        pair.unit("ann", "A")["level"] = 2
        pair.say({"moves": [{"cost": [2, 1, 1], "path": ["0505", "0506", "0406"], "unit": "A"}], "combats": [attack(target="0407", retreats={})]})
        told = pair.say({})
        self.assertEqual([{"by": "0606", "contact": "c1", "hex": "0506"}], told["halts"])
        self.assertEqual("cancelled", told["combats"][0]["result"])
        a = pair.unit("ann", "A")
        self.assertEqual((["0506"], 3, True, True, 0), (a["hexes"], a["spent"], a["halted"], a["finished"], a["attacks"]))
        self.assertEqual({"c1"}, set(told["contacts"]))
        self.assertTrue(pair.unit("bob", "C")["volunteered"])
        pair.say({}, ends=True, **{"l%d" % (2 * N + 1): [5]})
        pair.say({"level": 1}, ends=True)

    def test_combat(self):
        pair = set_up(
            [unit("A", "0505", fatigue=1), unit("H", "0505", commander=3, kind="hq"), unit("S", "0505", commander=2)],
            [unit("B", "0506", fatigue=2, leadership=2), unit("D", "0506", commander=4), unit("E", "0606")],
            ann={"command": ["H"]}, bob={"command": ["D"], "orders": {"B": [{
                "chemical": "used", "commander": {"unit": "D", "with": "unit"}, "control_loss": True, "ew_attacks": 1, "fpf": 4,
                "retreat": ["0507", "0508"], "terrain": ["wood"]}]}},
            tables={"ndc-crt": {**table({"2-12": ["A2 D1 R1"]}, "2d6")}})
        told = pair.say({"combats": [attack(barrage=5, chemical="persistent", commander={"unit": "H", "with": "unit"}, ew_attacks=1,
                                            subordinates=["S"], terrain=["wood"], unprepared=True)]})
        self.assertTrue(pair.honest)
        # attack 5, level 2, terrain -1, T/O 4, three units beside 6, unprepared -2, fatigue -2, L with the unit 6, S 2,
        # leadership 1
        self.assertEqual(21, told["combats"][0]["total"])
        told = pair.say({}, **{"l%d" % (B + 3): [3, 4], "l%d" % (B + 4): [7]})
        self.assertEqual([(B - N - 1 - N + 2, "ndc-command D"), (B + 1, "ndc-ew combat 1"), (B + 2, "ndc-ew combat 1"),
                          (B + 3, "ndc-crt combat 1"), (B + 3, "ndc-crt combat 1"), (B + 4, "ndc-retreat combat 1")], pair.drawn)
        self.assertEqual({"advance": False, "attacker_loss": 1, "breakthrough": False, "chemical": "used", "defender": None,
                          "ew_level": 1, "fpf": 4, "result": "fought", "retreat": "0504"}, told["combats"][0])
        self.assertEqual((3, ["0507"], 1), tuple(pair.unit("bob", "B")[x] for x in ("to", "hexes", "ew")))
        self.assertEqual((3, ["0504"], 1), tuple(pair.unit("ann", "A")[x] for x in ("to", "hexes", "ew")))
        self.assertEqual({"ann": 1, "bob": 1}, pair.state["chemicals"])
        self.assertEqual(["0506"], pair.state["markers"]["gas"])
        self.assertEqual({"ann": {"fire": 0, "support": 5}, "bob": {"fire": 0, "support": 4}}, pair.state["spent"])

    def test_differential(self):
        seen = []
        from sealed_dice_parts.ndc import report
        find = report.Combat.differential
        report.Combat.differential = lambda combat: seen.append(find(combat)) or seen[-1]
        try:
            self.test_combat()
        finally:
            report.Combat.differential = find
        # 21, defense -4, level 0, terrain -2, T/O 4, two units beside -2, control loss 4, fatigue 2, chemicals 5 and
        # -2,
        # EW -5 and 2, L with the unit -6, leadership -2, support 2
        self.assertEqual([21 - 4 - 2 + 4 - 2 + 4 + 2 + 5 - 2 - 5 + 2 - 6 - 2 + 2], seen)

    def test_wait(self):
        pair = set_up([unit("A", "0505"), unit("C", "0606")], [unit("B", "0506", to=1)], letters="wait")
        pair.say({"combats": [attack(assault=True), attack("C", retreats={})]})
        told = pair.say({"orders": {"B": [{"fpf": 4}, {"fpf": 4}]}})
        self.assertEqual([{"chemical": "none", "fpf": n} for n in (4, 2)], told["combats"])
        told = pair.say({}, **{"l%d" % (B + 3): [3, 4]})
        self.assertEqual([("fought", 4), ("empty", 0)], [(x["result"], x["fpf"]) for x in told["combats"]])
        self.assertEqual((True, True), tuple(told["combats"][0][x] for x in ("advance", "breakthrough")))
        b = pair.unit("bob", "B")
        self.assertEqual((True, [], 0), (b["gone"], b["hexes"], b["to"]))
        self.assertEqual(["0506"], pair.unit("ann", "A")["hexes"])
        self.assertEqual({"fire": 0, "support": 4}, pair.state["spent"]["bob"])

    def test_abort(self):
        pair = set_up([unit("A", "0505")], [unit("B", "0506")], tables={"ndc-crt": table({"2-12": ["ABORT"]}, "2d6")})
        told = pair.say({"combats": [attack(retreats={"any": ["0404", "0405", "0504"]})]})
        told = pair.say({}, **{"l%d" % (B + 5): [2]})
        self.assertEqual("0504", told["combats"][0]["retreat"])
        self.assertIn((B + 5, "retreat combat 1"), pair.drawn)
        self.assertEqual((2, ["0504"]), (pair.unit("ann", "A")["to"], pair.unit("ann", "A")["hexes"]))

    def test_fire(self):
        pair = set_up([unit("A", "0505")], [unit("B", "0506", to=1)])
        pair.unit("bob", "B")["level"] = 4
        told = pair.say({"combats": [{"kind": "counter-battery", "points": 2, "target": "0506"}, {"kind": "counter-battery", "points": 5, "target": "0506"}],
                         "interdictions": [{"points": 3, "target": "0505"}]})
        self.assertFalse(pair.honest)
        self.assertEqual(([{"kind": "counter-battery", "points": 2, "target": "0506"}], [{"markers": 3, "points": 3, "target": "0505"}]),
                         (told["combats"], told["interdictions"]))
        self.assertEqual([{"loss": 1}], pair.say({})["combats"])
        self.assertTrue(pair.unit("bob", "B")["gone"])

    def test_end_of_player_turn(self):
        pair = set_up([unit("A", "0505"), unit("C", "0606")], [unit("B", "0901")], ammo=True)
        pair.unit("ann", "A").update(attacks=2, ew=2, fatigue=1)
        good = unit("X", "0505", attack=10, defense=8, fatigue=0, to=8)
        pair.say({"replace": [{"in": [{**good, "attack": 11}], "out": ["A", "C"]}, {"in": [good], "out": ["A", "C"]},
                              {"in": [unit("Y", "0505")], "out": ["X"]}]}, ends=True)
        self.assertFalse(pair.honest)
        self.assertEqual(["A", "C", "X", "Y"], [x["name"] for x in pair.hand("ann")["units"]])
        y = pair.unit("ann", "Y")
        self.assertEqual((False, True, False), (y["depleted"], y["finished"], y["gone"]))

    def test_what_comes_was_volunteered_and_is_looked_up_for_ammunition_later(self):
        pair = set_up([unit("A", "0505"), unit("C", "0606")], [unit("B", "0901")], ann={"volunteer": ["A"]}, ammo=True,
                      tables={"ndc-ammo": table({"1-2": ["no"], "3-6": ["yes"]})})
        pair.say({"combats": [{"kind": "counter-battery", "points": 1, "target": "0101"}]})
        pair.say({})
        pair.unit("ann", "A")["attacks"] = 2
        told = pair.say({"replace": [{"in": [unit("X", "0505")], "out": ["A"]}]}, ends=True)
        self.assertTrue(pair.honest)
        self.assertEqual({"c2"}, set(told["contacts"]))
        self.assertEqual((["X"], False), (pair.hand("ann")["ammo"], pair.unit("ann", "X")["depleted"]))
        pair.say({"level": 1}, ends=True)
        pair.say({"level": 1}, ends=True, **{"l%d" % (4 * N + 3): [3]})
        self.assertIn((4 * N + 3, "ndc-ammo X"), pair.drawn)
        self.assertEqual(([], True, 0), (pair.hand("ann")["ammo"], *(pair.unit("ann", "X")[x] for x in ("depleted", "attacks"))))

    def test_command_is_used_once_in_a_player_turn(self):
        pair = set_up([unit("A", "0505"), unit("H", "0505", commander=3)], [unit("B", "0901")], ann={"command": ["H"]})
        fire = [{"kind": "counter-battery", "points": 1, "target": "0101"}]
        # Once after the setup, because the grade is known when ann moves. Then not again in this player turn.
        for _ in range(2):
            pair.say({"combats": fire, "command": ["H"]})
            self.assertEqual((False, ["H"]), (pair.honest, pair.hand("ann")["commanded"]))
            pair.say({})
        pair.say({}, ends=True)
        pair.say({"level": 1}, ends=True)
        pair.say({"level": 1, "command": ["H"]}, ends=True)
        self.assertEqual((True, ["H"]), (pair.honest, pair.hand("ann")["commanded"]))

    def test_nobody_attacks_where_he_stands_or_retreats_onto_what_he_sees(self):
        crt = {"ndc-crt": table({"2-12": ["A0 D0 R3"]}, "2d6")}
        pair = set_up([unit("A", "0505"), unit("C", "0506")], [unit("B", "0506")], tables=crt)
        self.assertEqual([], pair.say({"combats": [attack()]})["combats"])
        pair = set_up([unit("A", "0505"), unit("C", "0508")], [unit("B", "0506")], tables=crt, ann={"volunteer": ["C"]},
                      bob={"orders": {"B": [{"retreat": ["0507", "0508", "0509"]}]}})
        pair.say({"combats": [attack()]})
        pair.say({})
        self.assertEqual(["0507"], pair.unit("bob", "B")["hexes"])

    def test_shown(self):
        pair = set_up([unit("A", ["0505"][0], hexes=["0505", "0506"])], [unit("B", "0901")], ann={"volunteer": ["A"]})
        self.assertEqual({"c1", "c2"}, set(pair.state["contacts"]["ann"]))
        pair.unit("ann", "A")["level"] = 4
        told = pair.say({"combats": [{"kind": "counter-battery", "points": 1, "target": "0101"}]})
        self.assertEqual({"c1": {"designation": "A", "hexes": ["0505", "0506"], "kind": "armor", "mode": "normal", "to": 4}}, told["contacts"])

    def test_search(self):
        pair = set_up([unit("A", "0505"), unit("C", "0104")], [unit("B", "0506")], bob={"volunteer": ["B"], "allocate": {"air": 1}, "sectors": ["N"]})
        told = pair.say({"allocate": {"air": 1}, "sectors": ["N", "S"], "level": 2}, ends=True, l1=[3], l5=[2], l6=[4], l21=[6])
        self.assertTrue(pair.honest)
        self.assertEqual([(21, "ndc-weather"), (1, "ndc-tactical A"), (5, "ndc-intelligence A"), (6, "ndc-intelligence C")], pair.drawn)
        self.assertEqual((2, 2), (pair.unit("ann", "A")["level"], pair.unit("ann", "C")["level"]))
        self.assertEqual((["fog", "night"], {"level": 2, "sectors": ["N", "S"]}), (told["weather"], told["intelligence"]))

if __name__ == "__main__":
    unittest.main()
