"""Plays a small game of NATO Division Commander with letters, for hidden.md and ndc.md."""

import hashlib
import json
import unittest

import sealed_dice as sd
from sealed_dice_parts import hidden
from sealed_dice_parts.ndc import states
from sealed_dice_parts.ndc.player import Player
from sealed_dice_parts.ndc.tables import NAMES
from test_courses import OTHER, Play, digest

SETTINGS = {
    "adjacent": "all", "ammo": True, "combats": 2, "defender_to_sign": "plus", "doctrine": {"ann": "soviet", "bob": "us"},
    "ew": 1, "letters": "standing", "low_columns": "even", "roll_count_public": True,
    "sectors": {"N": ["0101", "0905"], "S": ["0106", "0912"]}, "sheet_bytes": 2048, "sides": ["ann", "bob"], "units": 4}
LINES = 5 * 4 + 1 + 2 * (2 * 1 + 4)

def table(rows, dice="1d6"):
    return {"columns": [".."], "dice": dice, "rows": rows, "source": "test"}

TABLES = {
    "ndc-intelligence": table({"1-3": ["1"], "4-6": ["2"]}), "ndc-tactical": table({"1-6": ["2"]}),
    "ndc-weather": table({"1-3": ["clear"], "4-6": ["fog+night"]}), "ndc-command": table({"1-6": ["L"]}),
    "ndc-ew": table({"1-6": ["1"]}), "ndc-support": table({"all": ["2"]}, "none"),
    "ndc-crt": table({"2-6": ["A2 D1 R1"], "7-12": ["A1 D2 R0 B"]}, "2d6"), "ndc-retreat": table({"1-10": ["1"]}, "1d10"),
    "ndc-counter-battery": table({"1-6": ["1"]}), "ndc-interdiction": table({"all": ["3"]}, "none"),
    "ndc-ammo": table({"1-6": ["yes"]}), "ndc-terrain": {"rows": {"wood": [-1, -2]}, "source": "test"}}

def unit(name, hex_, **more):
    return {"attack": 5, "commander": None, "defense": 4, "fatigue": 0, "hexes": [hex_], "kind": "armor", "leadership": 1,
            "march": 2, "mode": "normal", "movement": 6, "name": name, "to": 4, **more}

ANNS = {"units": [unit("A", "0504"), unit("H", "0504", commander=3, kind="hq")], "points": {"air": 2, "artillery": 6, "signal": 1},
        "command": ["H"]}
BOBS = {"units": [unit("B", "0507"), unit("C", "0709")], "points": {"artillery": 4, "signal": 1}, "allocate": {"signal": 1},
        "level": 3, "sectors": ["N"], "orders": {"B": [{"fpf": 9, "retreat": ["0508"], "terrain": ["wood"]}]}, "halt": ["C"]}
RETREATS = {"any": ["0504", "0604"], "away": ["0504"], "road": []}
ATTACK = {"kind": "attack", "unit": "A", "target": "0506", "barrage": 3, "commander": {"unit": "H", "with": "unit"}, "retreats": RETREATS}
ANNS_MOVE = {"allocate": {"air": 2}, "level": 1, "sectors": ["S"],
             "moves": [{"cost": [1], "path": ["0505"], "unit": "A"}, {"cost": [1], "path": ["0505"], "unit": "H"}],
             "combats": [{**ATTACK, "target": "0506", "subordinates": []}]}

class HiddenPlay(Play):
    """A game in which both players state what their sheets and dice say, except where `lie` changes an input."""

    def __init__(self, tables=(), **settings):
        settings = {**SETTINGS, **settings}
        phases = [{"decisions": [], "declarer": None, "impulses": [1], "name": "ndc", "private": True, "revealer": "sealer",
                   "settings": settings, "source": "plain", "system": "ndc"}]
        super().__init__(phases, "", dict(TABLES, **dict(tables)))
        self.settings, self.public = settings, states.begin(settings)
        self.hands = {role: Player(settings, role, hidden.Tables(TABLES, {}, lambda *_: True)) for role in ("ann", "bob")}
        self.count, self.before, self.sheets, self.seals = {"ann": 0, "bob": 0}, {}, {}, {"ann": [], "bob": []}
        self.turn, self.number = 0, {}
        for role in ("ann", "bob"):
            self.seal(role + "-share", role, "contribution", "contribution/1", n=32)

    def seal(self, name, author, kind, purpose, n=1, text=None, **sees):
        super().seal(name, author, kind, purpose, n, text, **sees)
        self.seals[author].append(name)

    def slot(self, author):
        what, _ = states.awaits(self.settings, self.public)
        if what == "turn":
            self.turn, self.number = self.turn + 1, {}
        self.number[author] = self.number.get(author, 0) + 1
        return {"impulse": 1, "number": self.number[author], "phase": "ndc", "turn": self.turn}

    def dice(self, author):
        if author not in self.before:
            return None
        name, index = self.before[author]
        def seed(seal, kind, sealer, declarer, place, n, purpose):
            return sd.seed_of(sd.context(self.game, purpose, kind, sealer, declarer, sealer, "", n), (place,), self.sets[seal][place])
        share = seed(author + "-share", "contribution", author, author, index, 32, "contribution/1")
        purpose = self.bodies["p" + name]["purpose"]
        mine = seed("p" + name, "plain", OTHER[author], author, 0, 1, purpose)
        root = sd.dice_root(self.ids["p" + name], self.ids[name], 0, mine, share)
        return hidden.OpenedDice(lambda line: sd.Stream(sd.roll_key(root, line)))

    def state_it(self, name, author, sheet, lie=None, moves=None):
        """Declares with a sheet, and lets the other player reveal the dice. `lie` changes fields of the input."""
        step = hidden.Step(author, self.public, None, None, None)
        read = hidden.Sheet(sheet)
        stated = {"step": "move", "combats": sheet.get("combats", []), "interdictions": sheet.get("interdictions", [])}
        if self.public["awaits"]["step"] != "move":
            stated = {"step": self.public["awaits"]["step"]}
        told = json.loads(json.dumps(self.hands[author].declare(step._replace(input=stated), read, self.dice(author))))
        for key, value in (lie or {}).items():
            told[key] = value
        slot = self.slot(author)
        purpose = sd.write_slot(slot)
        self.seal("s" + name, author, "note", purpose + "/sheet", text=sd.encode(sheet).decode(),
                  least=self.settings["sheet_bytes"])
        self.seal("p" + name, OTHER[author], "plain", purpose)
        index = self.count[author]
        self.say(name, author, "declare", {
            "contribution": {"sealed": {"index": index, "seal": self.ids[author + "-share"]}}, "input": told, "redo": None,
            "moves": moves or {"note": {"index": 0, "seal": self.ids["s" + name]}}, "seal": self.ids["p" + name],
            "select": {"plain": {"index": 0, "lines": LINES}}, "slot": slot})
        self.count[author] += 1
        self.before[author] = name, index
        self.reveal_it(name, author)
        self.public = states.after(self.settings, self.public, told)
        self.hands[OTHER[author]].follow(step._replace(input=told))
        return told

    def reveal_it(self, name, author):
        self.say("r" + name, OTHER[author], "reveal", {
            "declaration": self.ids[name], "keys": [[0, self.sets["p" + name][0].hex()]], "seal": self.ids["p" + name], "sheets": []})

    def close(self):
        self.say("stop", "ann", "close", {"masters": None, "result": None})
        for role in ("bob", "ann"):
            masters = [{"master": digest(name).hex(), "seal": self.ids[name]} for name in self.seals[role]]
            self.say("close " + role, role, "close", {"masters": masters, "result": None})

    def report(self, files=()):
        return next(one for one in sd.audit(self.blobs, files) if one["game"] == self.game)

    def runs(self, files=()):
        return self.report(files)["courses"][0]["runs"]

def begun(lie=None, **more):
    """Both players set up, ann attacks bob's unit, and bob resolves the attack."""
    game = HiddenPlay(**more)
    game.state_it("a1", "ann", ANNS)
    game.state_it("b1", "bob", {**BOBS, "units": [unit("B", "0506"), unit("C", "0709")], "orders": {
        "B": [{"fpf": 9, "retreat": ["0507"], "terrain": ["wood"]}]}})
    game.state_it("a2", "ann", ANNS_MOVE, lie)
    game.state_it("b2", "bob", {})
    return game

class Hidden(unittest.TestCase):
    def test_honest(self):
        game = begun()
        end = {"moves": [], "finished": []}
        game.state_it("a3", "ann", end)
        game.state_it("b3", "bob", {"level": 1})
        game.state_it("a4", "ann", {"level": 1})
        before = game.report()
        self.assertEqual(("verified", []), (before["verdict"], before["findings"]))
        self.assertEqual({"declared": 4, "hand": None, "run": 0, "stopped": "sheet"}, before["courses"][0]["runs"]["ann"])
        self.assertEqual([], before["rolls"])
        game.close()
        report = game.report()
        self.assertEqual(("verified", True, []), (report["verdict"], report["complete"], report["findings"]))
        runs = report["courses"][0]["runs"]
        self.assertEqual((4, 3, None, None), (runs["ann"]["run"], runs["bob"]["run"], runs["ann"]["stopped"], runs["bob"]["stopped"]))
        whys = [roll["why"] for roll in report["rolls"]]
        for why in ("ndc-weather", "ndc-command H", "ndc-crt combat 1", "ndc-ammo A"):
            self.assertIn(why, whys)
        self.assertTrue(all(roll["standing"] is True for roll in report["rolls"]))
        self.assertEqual(game.hands["ann"].hand, runs["ann"]["hand"])

    def test_lies(self):
        honest = begun().bodies["a2"]["input"]
        false = [{**honest["combats"][0], "total": honest["combats"][0]["total"] + 1}]
        game = begun(lie={"combats": false})
        game.close()
        report = game.report()
        self.assertEqual("refuted", report["verdict"])
        self.assertEqual([[game.ids["a2"]]], [found["message_ids"] for found in report["findings"]])
        self.assertEqual("ann", report["findings"][0]["culprit"])

    def test_said_and_not_allowed(self):
        game = HiddenPlay()
        game.state_it("a1", "ann", {**ANNS, "modes": {}, "units": [*ANNS["units"], unit("A", "0101")]})
        game.state_it("b1", "bob", {**BOBS, "sectors": ["N", "S", "T"]})
        game.close()
        self.assertEqual({"a1": "ann", "b1": "bob"}, {
            game.name_of(found["message_ids"][0]): found["culprit"] for found in game.report()["findings"]})

    def test_ruling_settles_once_the_sheet_is_open(self):
        for early in (True, False):
            game = HiddenPlay()
            game.state_it("a1", "ann", {**ANNS, "modes": {}})
            if early:
                game.rule("settle", {"settle": game.ids["a1"]})
            game.close()
            if not early:
                game.rule("settle", {"settle": game.ids["a1"]})
            found, = game.report()["findings"]
            self.assertEqual(None if early else game.ids["settle"], found["settled_by"])
            game.rule("again", {"settle": game.ids["a1"]})
            game.rule("third", {"settle": game.ids["a1"]})
            self.assertEqual({"third"} if early else {"again", "third"}, game.broken().keys() - {"a1"})
            found = game.report()["findings"][-1]
            self.assertEqual(game.ids["again" if early else "settle"], found["settled_by"])

    def test_withheld_table(self):
        name = "ndc-command"
        content = sd.encode(TABLES[name])
        game = begun(tables={name: {"fingerprint": hashlib.sha3_256(content).hexdigest()}})
        game.close()
        report = game.report()
        self.assertEqual(("undecided", "table " + name, 1), (
            report["verdict"], report["courses"][0]["runs"]["ann"]["stopped"], report["courses"][0]["runs"]["ann"]["run"]))
        self.assertEqual("undecided", game.report([content + b"\n"])["verdict"])
        self.assertEqual(("verified", None), (game.report([content])["verdict"], game.runs([content])["ann"]["stopped"]))

    def test_charter(self):
        for broken in ({"sheet_bytes": 1000}, {"letters": "office"}, {"sides": ["ann", "carol"]}, {"sectors": {}}):
            self.assertEqual("refuted", HiddenPlay(**broken).report()["verdict"], broken)
        for name in NAMES:
            self.assertEqual("refuted", HiddenPlay(tables={name: {"rows": {}}}).report()["verdict"], name)

    def test_letters(self):
        game = HiddenPlay()
        game.state_it("a1", "ann", ANNS, moves={"none": None})
        self.assertEqual("declare 3", game.broken()["a1"])
        game = HiddenPlay()
        game.seal("short", "ann", "note", "1/1/ndc/2/sheet", text="{}")
        game.state_it("a1", "ann", ANNS)
        game.say("redo", "bob", "correct", {"propose": {
            "at_fault": "ann", "class": "illegal-move", "declaration": game.ids["a1"], "input": game.bodies["a1"]["input"],
            "reason": ""}})
        game.ask_void("void", "bob", "a1")
        self.assertEqual({"short": "seal 2", "redo": "correct 2"}, game.broken())
        game.accept("yes", "ann", "void")
        self.assertEqual(states.begin(game.settings), game.state())

    def test_forfeit(self):
        game = HiddenPlay()
        game.reveal_it = lambda name, author: game.say("yield", OTHER[author], "claim", {"yield": {
            "declaration": game.ids[name], "forfeit": "declarer-names", "text": ""}})
        game.state_it("a1", "ann", ANNS)
        del game.reveal_it
        game.before.pop("ann")
        game.state_it("b1", "bob", BOBS)
        named = {"named": {str(3 * 4 + 2): [2], str(5 * 4 + 1): [5]}, **ANNS_MOVE, "combats": []}
        game.dice = lambda author: hidden.OpenedDice(hidden.named_streams(hidden.Sheet(named)))
        told = game.state_it("a2", "ann", named)
        game.close()
        report = game.report()
        self.assertEqual(["fog", "night"], told["weather"])
        self.assertEqual(["verified", []], [report["verdict"], report["findings"]])
        self.assertEqual([("ndc-command H", 2), ("ndc-weather", 5), ("ndc-intelligence A", 1), ("ndc-intelligence H", 1)],
                         [(x["why"], x["value"]) for x in report["rolls"]])
        self.assertEqual({game.ids["a2"]}, {x["named_by"] for x in report["rolls"]})

if __name__ == "__main__":
    unittest.main()
