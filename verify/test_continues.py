"""Tests games that continue another one, with the checker in Python: `python3 -m unittest discover verify`."""

import unittest

import sealed_dice as sd
from sealed_dice_parts.cil import terms as cil_terms
from test_courses import ATTACKS, COMBAT, MEN, PUBLIC, RAID_PHASES, RAIDS, Play, digest, held, lost, phase

def going_on(old, states, heads=None, phases=(), play=Play, **more):
    """Starts a game that continues `old` from its last letters, or from the letters that `heads` names."""
    ids = dict(old.last)
    ids.update({role: name and old.ids[name] for role, name in (heads or {}).items()})
    return play(phases, continues={"game": old.game, "heads": ids, "states": states}, **more)

def said(game, *others):
    """Returns what the report of a game says about the game that it continues, given the other games' letters. Letters
    are shown by name."""
    blobs = [blob for one in (*others, game) for blob in one.blobs]
    found = next(one["continues"] for one in sd.audit(blobs) if one["game"] == game.game)
    for one in others:
        found.update({name: [one.name_of(x) for x in found[name]] for name in ("behind", "open")})
    return found

class Report(unittest.TestCase):
    """audit 11, 12"""

    def test_a_game_goes_on_where_the_old_one_stood(self):
        old = held()
        game = going_on(old, {"ocs-initiative": old.state()})
        self.assertEqual(said(game, old), {
            "at_hand": True, "behind": [], "game": old.game, "open": [], "others": [],
            "same_keys": ["ann", "bob", "carol"], "same_states": True})
        self.assertEqual((game.state(), game.report()["verdict"]), (old.state(), "verified"))
        game.plain(2, 3)
        game.declare("d2", "ann", 2, "p2")
        game.declare("d3", "ann", 3, "p3")
        game.reveal("d3", "p3")
        self.assertEqual((game.broken(), game.standing()), ({"d2": "declare 14"}, {"d3": True}))
        self.assertIs(game.bodies["d3"]["after"], None)

    def test_a_game_that_continues_none(self):
        self.assertIs(Play().report()["continues"], None)
        self.assertEqual({one["continues"] for one in sd.audit(Play().blobs[:1])}, {None})

    def test_states_that_are_not_those_of_the_heads(self):
        old = held()
        self.assertFalse(said(going_on(old, {"ocs-initiative": {**old.state(), "turn": 7}}), old)["same_states"])
        game = going_on(old, {"ocs-initiative": old.state()}, {"bob": "fu", "ann": "d2"})  # unopened at these heads
        self.assertFalse(said(game, old)["same_states"])
        self.assertTrue(said(going_on(old, {}), old)["same_states"])

    def test_states_of_the_heads_are_those_without_what_came_behind(self):
        old = held()
        state = old.state()
        old.void("void", "d2")
        game = going_on(old, {"ocs-initiative": state}, {"ann": "d2", "bob": "rp2d2"})
        self.assertEqual((said(game, old)["same_states"], said(game, old)["behind"]), (True, ["ask void", "void"]))

    def test_what_is_behind_the_heads_and_what_is_open_there(self):
        old = Play([COMBAT])
        old.combat("c1", 1)
        old.reveal("c1", "cc1")
        old.combat("c2", 2)
        old.reveal("c2", "cc2")
        game = going_on(old, {}, {"ann": "c2", "bob": "cc2"}, [COMBAT])
        self.assertEqual({name: said(game, old)[name] for name in ("at_hand", "behind", "open")},
                         {"at_hand": True, "behind": ["rcc2c2"], "open": ["c2"]})

    def test_heads_that_are_not_its_letters(self):
        old = held()
        for heads in ({"ann": "rp2d2"}, {"bob": "d2"}, {"carol": "charter"}):
            self.assertEqual(said(going_on(old, {}, heads), old), {
                "at_hand": False, "behind": [], "game": old.game, "open": [], "others": [], "same_keys": [],
                "same_states": False})
        none = going_on(old, {}, {"ann": None, "bob": None, "carol": None})
        self.assertEqual((said(none, old)["at_hand"], said(none, old)["same_states"]), (True, True))
        self.assertEqual(said(none, old)["behind"], ["p2", "p3", "p4", "p22", "p32", "fu", "d2", "rp2d2"])
        other = Play(continues={"game": old.game, "heads": {"ann": None, "bob": None}, "states": {}})
        self.assertFalse(said(other, old)["at_hand"])

    def test_a_letter_that_waits_for_another_is_no_head(self):
        old = held()
        game = going_on(old, {})
        old.blobs = [(blob, name) for blob, name in old.blobs if name != "p3"]
        self.assertFalse(said(game, old)["at_hand"])

    def test_an_old_game_that_is_not_there(self):
        old = held()
        game = going_on(old, {"ocs-initiative": old.state()})
        self.assertEqual((said(game)["at_hand"], game.report()["verdict"]), (False, "verified"))
        old.blobs = [(blob, name) for blob, name in old.blobs if name != "charter"]
        self.assertFalse(said(game, old)["at_hand"])

    def test_others_that_continue_it(self):
        old = held()
        games = [going_on(old, {}), going_on(old, {"ocs-initiative": old.state()}), going_on(old, {}, {"ann": None})]
        for game in games:
            self.assertEqual(said(game, *games, old)["others"], sorted(x.game for x in games if x is not game))
        self.assertEqual(said(games[0], games[1])["others"], [games[1].game])
        self.assertEqual(said(games[0], going_on(old, {"ocs-initiative": {}}))["others"], [])   # that one is in breach

    def test_keys(self):
        old = held()
        self.assertEqual(said(going_on(old, {}, play=AnotherReferee), old)["same_keys"], ["ann", "bob"])

class AnotherReferee(Play):
    def write(self, name, author, kind, body, game, seen):
        if kind == "charter":
            self.signers["carol"] = "thief"
            body = {**body, "referee": {**body["referee"], "key": PUBLIC["thief"].hex()}}
        return super().write(name, author, kind, body, game, seen)

class Charter(unittest.TestCase):
    """charter 25, 26"""

    def begun_with(self, states, phases=(), heads=None, **more):
        heads = {"ann": None} if heads is None else heads
        return Play(phases, continues={"game": digest("old").hex(), "heads": heads, "states": states}, **more)

    def is_refuted(self, states, phases=(), **more):
        report = self.begun_with(states, phases, **more).report()
        refuted = report["verdict"] == "refuted"
        self.assertEqual((bool(report["findings"]), report["continues"] is None), (refuted, refuted))
        return refuted

    def test_a_state_has_its_form_and_awaits_a_turn(self):
        state = held().state()
        self.assertFalse(self.is_refuted({"ocs-initiative": state}))
        self.assertTrue(self.is_refuted({"ocs-initiative": {}}))
        self.assertTrue(self.is_refuted({"ocs-initiative": {**state, "more": 1}}))
        self.assertTrue(self.is_refuted({"ocs-initiative": lost().state()}))

    def test_it_is_of_a_course_of_the_charter(self):
        state = held().state()
        self.assertTrue(self.is_refuted({"ocs-initiative": state}, [COMBAT]))
        self.assertTrue(self.is_refuted({"ocs-initiative": state, "coin-envelopes": {}}, [phase("init"), ATTACKS]))
        self.assertTrue(self.is_refuted({"nobody-knows": {}}))
        self.assertTrue(self.is_refuted({"ndc": {}}))

    def test_fields(self):
        for heads, good in (({"ann": None}, True), ({}, False), (dict.fromkeys("abcd"), True),
                            (dict.fromkeys("abcde"), False), ({"ann": digest("").hex()}, True), ({"ann": "x"}, False),
                            ({"Ann": None}, False), ([], False)):
            game = self.begun_with({}, heads=heads)
            self.assertEqual(game.report()["verdict"], "verified" if good else "undecided", heads)
            self.assertEqual(bool(game.report()["missing"]), not good)
        for states, good in (({str(k): {} for k in range(8)}, True), ({str(k): {} for k in range(9)}, False),
                             ({"x": None}, False), ({"x": []}, False), ([], False), (None, False)):
            report = self.begun_with(states).report()
            self.assertEqual(bool(report["missing"]), not good, states)
        for continues in ({}, {"game": digest("").hex(), "heads": {"ann": None}}, [], False):
            self.assertTrue(Play(continues=continues).report()["missing"])

    def test_its_ids_name_no_letters(self):
        game = self.begun_with({}, heads={"ann": digest("").hex()})
        self.assertEqual((game.report()["missing"], game.report()["verdict"]), ([], "verified"))

    def test_the_second_side_rolls_first_where_the_state_says_so(self):
        state = {"entries": {}, "marks": {}, "pending": None, "side": "north", "turn": 4, "used": {}}
        game = self.begun_with({"event-tables": state}, RAID_PHASES, tables={"event-tables": RAIDS})
        game.roll("no", "ann", "p5", MEN, turn=5)
        game.roll("d4", "bob", "a4", MEN, phase="then", turn=4)
        self.assertEqual(game.broken(), {"no": "declare 14"})
        states = {"event-tables": {**state, "side": "south"}}
        game = self.begun_with(states, RAID_PHASES, tables={"event-tables": RAIDS})
        game.roll("d5", "ann", "p5", MEN, turn=5)
        self.assertEqual(game.broken(), {})

    def test_a_battle_goes_on_with_its_next_round(self):
        forces = {side: [{"at": "main", "attack": 4, "defense": 4, "effectiveness": 100, "id": side[0], "kind": "foot",
                          "strength": 9}] for side in ("attacker", "defender")}
        settings = {**cil_terms.PREFILL, "attacker": "ann", "defender": "bob", "forces": forces, "season": "summer"}
        system = sd.SYSTEMS["cil"].with_tables({})
        self.assertTrue(system.holds(settings, {}))
        state = {**system.begin(settings), "turn": 6}
        self.assertTrue(system.state_holds(settings, state))
        self.assertEqual(system.first_place(settings, state), (7, 0))

if __name__ == "__main__":
    unittest.main()
