"""Tests each rule of office.md with letters, for the checker in Python: `python3 -m unittest discover verify`."""

import contextlib
import io
import unittest

import sealed_dice as sd
from test_courses import ATTACK, COMBAT, PUBLIC, Play, digest, first_that, phase

OFFICE = {"deposit": {"key": sd.x25519(digest("office")).hex(), "notes": True}, "key": PUBLIC["off"].hex(), "name": "off",
          "role": "off"}
PLAN = {"by": "bob", "how": "sealed", "name": "plan"}
ORDERS = {"by": None, "how": "simultaneous", "name": "orders"}

def of_office(one, *decisions):
    return {**one, "revealer": "office", "decisions": list(decisions)}

class OfficePlay(Play):
    """ann attacks in the phase combat, whose sets the office opens."""

    def __init__(self, phases=(), office=OFFICE, **more):
        self.placed = {}
        super().__init__(phases or [of_office(COMBAT)], office=office, **more)

    def write(self, name, author, kind, body, game, seen):
        self.placed[name] = super().write(name, author, kind, body, game, seen), self.numbers[author]
        return self.ids[name]

    def back_to(self, author, name):
        """Lets the author's next letter follow this earlier one."""
        self.last[author], self.numbers[author] = self.placed[name]

    def seal(self, name, author, kind, purpose, revealer="off", **more):
        super().seal(name, author, kind, purpose, revealer=revealer, **more)

    def receive(self, name, deed, *seals, author="off", **sees):
        self.say(name, author, "receipt", {deed: {"seals": sorted(self.ids[x] for x in seals)}}, **sees)

    def clock(self, name, deed, at, author="off", **sees):
        self.say(name, author, "receipt", {deed: {"at": at}}, **sees)

    def set_for(self, name, turn):
        """Seals the set for the attack of a turn, under the name that `combat` looks for."""
        self.seal("c" + name, "bob", "coin", "%d/1/combat/1" % turn)

    def open_by(self, name, author, declaration, seal, **sees):
        self.say(name, author, "reveal", {
            "declaration": declaration and self.ids[declaration], "keys": [[0, self.sets[seal][0].hex()]],
            "seal": self.ids[seal], "sheets": []}, **sees)

    def culprits(self):
        return {self.name_of(found["message_ids"][0]): found["culprit"] for found in self.report()["findings"]}

    def head(self, role):
        return self.name_of(self.report()["heads"][role]["id"])

    def rolled(self):
        return [self.name_of(roll["declaration"]) for roll in self.report()["rolls"]]

def declared(*deposited):
    """d1 is declared on a set that is with the office, and bob is asleep."""
    game = OfficePlay()
    game.set_for("d1", 1)
    game.set_for("d2", 2)
    game.receive("deposit", "deposit", "cd1", *deposited)
    game.combat("d1", 1)
    return game

class Openings(unittest.TestCase):
    """office 5 to 21, seal 1, reveal 1, 8, claim 3, 5, ruling 11"""

    def test_the_office_opens_at_once(self):
        game = declared()
        self.assertIn(("reveal", "off", "d1"), game.open())
        game.open_by("r1", "off", "d1", "cd1")
        self.assertEqual((game.broken(), game.rolled(), game.head("off")), ({}, ["d1"], "r1"))
        self.assertEqual(list(game.report()["heads"]), ["ann", "bob", "carol", "off"])

    def test_the_sealer_does_not_open_what_is_with_the_office(self):
        game = declared()
        game.open_by("r1", "bob", "d1", "cd1")
        self.assertEqual((game.broken(), game.rolled()), ({"r1": "reveal 8"}, ["d1"]))

    def unaware(self):
        """d1 has not seen the office's receipt."""
        game = OfficePlay()
        game.set_for("d1", 1)
        game.receive("deposit", "deposit", "cd1")
        game.combat("d1", 1, off="offs")
        return game

    def test_what_the_declaration_did_not_know_to_be_with_the_office_both_may_open(self):
        game = self.unaware()
        game.open_by("r1", "off", "d1", "cd1")
        game.open_by("r2", "bob", "d1", "cd1")
        self.assertEqual((game.broken(), game.rolled()), ({}, ["d1"]))
        game = self.unaware()
        self.assertIn(("reveal", "bob", "d1"), game.open())
        game.open_by("r1", "bob", "d1", "cd1")
        self.assertEqual((game.broken(), game.rolled()), ({}, ["d1"]))

    def yield_dice(self, game, **sees):
        game.say("yield", "bob", "claim", {"yield": {
            "declaration": game.ids["d1"], "forfeit": "declarer-names", "text": ""}}, **sees)

    def test_nobody_else_opens(self):
        game = declared()
        game.open_by("r1", "ann", "d1", "cd1")
        self.assertEqual(game.broken(), {"r1": "reveal 1"})

    def test_a_seal_names_the_revealer_that_its_set_is_to_have(self):
        game = OfficePlay([of_office(COMBAT, PLAN), {**COMBAT, "name": "later"}])
        game.seal("wrong", "bob", "coin", "1/1/combat/1", revealer="bob")
        game.seal("later", "bob", "coin", "1/1/later/1")
        game.seal("his own", "bob", "coin", "1/1/later/1", revealer="bob")
        game.seal("foul", "bob", "foul-up", "foul-up/1", n=3)
        game.seal("plan", "bob", "note", "1/1/combat/1/plan", text="hold")
        game.seal("moves", "ann", "note", "1/1/combat/1/moves", text="go", revealer="ann")
        game.seal("mine", "ann", "contribution", "contribution/1")
        self.assertEqual(game.broken(), {"wrong": "seal 1", "later": "seal 1", "mine": "seal 1"})

    def test_what_is_handed_back_is_its_sealers(self):
        game = declared("cd2")
        game.receive("back", "hand_back", "cd1")
        game.receive("again", "hand_back", "cd1")
        game.receive("anew", "deposit", "cd1", "cd2")
        game.open_by("r1", "bob", "d1", "cd1")
        self.assertEqual(game.broken(), {"again": "receipt 2", "anew": "receipt 1"})
        game.combat("d2", 2)
        game.open_by("r2", "off", "d2", "cd2")
        self.assertEqual(game.rolled(), ["d1", "d2"])

    def test_the_office_opens_no_more_of_what_it_handed_back(self):
        game = declared()
        game.receive("back", "hand_back", "cd1")
        game.open_by("late", "off", "d1", "cd1")
        self.assertEqual(game.broken(), {"late": "reveal 1"})

    def test_who_stalls_has_given_the_office_up(self):
        game = declared()
        game.stall("stall", "d1")
        self.yield_dice(game)
        game.forfeit("stall")
        self.assertEqual(game.broken(), {"yield": "claim 3", "forfeit": "ruling 11"})
        self.assertIn(("reveal", "bob", "d1"), game.open())
        game.open_by("r1", "bob", "d1", "cd1")
        self.assertEqual((game.broken().get("r1"), game.rolled()), (None, ["d1"]))

    def test_dice_that_are_with_the_office_at_the_request_are_not_forfeited(self):
        game = self.unaware()
        game.stall("stall", "d1")
        game.forfeit("stall")
        self.assertEqual(game.broken(), {"forfeit": "ruling 11"})
        game = self.unaware()
        game.stall("stall", "d1")
        game.rule("request", {"request": game.ids["stall"]})
        game.receive("back", "hand_back", "cd1")
        game.rule("forfeit", {"forfeit": {"forfeit": "declarer-names", "request": game.ids["request"]}})
        self.assertEqual(game.broken(), {"forfeit": "ruling 11"})

    def test_what_was_handed_back_before_the_request_can_be_forfeited(self):
        game = declared()
        game.receive("back", "hand_back", "cd1")
        game.stall("stall", "d1")
        game.forfeit("stall")
        self.assertEqual(game.broken(), {})

    def test_nobody_yields_what_is_with_the_office_for_his_letter(self):
        game = self.unaware()
        self.yield_dice(game)
        self.assertEqual(game.broken(), {"yield": "claim 3"})
        game = self.unaware()
        self.yield_dice(game, off="offs")
        self.assertEqual(game.broken(), {})
        game = declared()
        game.receive("back", "hand_back", "cd1")
        self.yield_dice(game)
        self.assertEqual(game.broken(), {})

    def test_a_ruling_takes_back(self):
        game = declared()
        game.rule("kill", {"kill": game.ids["cd1"]})
        game.open_by("late", "off", "d1", "cd1")
        game.open_by("r1", "bob", "d1", "cd1")
        self.assertEqual(game.broken(), {"late": "reveal 1"})

class Redos(unittest.TestCase):
    """correct 7, ruling 13"""

    def proposed(self, *phases, before=(), after=(), opened=False):
        """bob proposes a redo of d1. ann declares d2 before or after that, without having seen the dice of d1."""
        game = OfficePlay(phases)
        for name, turn in (("d1", 1), ("d2", 2)):
            game.seal("c" + name, "bob", "coin", "%d/1/combat/1" % turn, revealer="bob" if phases else "off")
        if not phases:
            game.receive("deposit", "deposit", "cd1", "cd2")
        game.combat("d1", 1)
        sees = {"bob": "cd2", "off": "offs" if phases else "deposit"}
        game.open_by("r1", "bob" if phases else "off", "d1", "cd1")
        if before:
            game.combat("d2", 2, **sees)
        if opened:
            game.open_by("r2", "off", "d2", "cd2")
        game.say("propose", "bob", "correct", {"propose": {
            "at_fault": "ann", "class": "illegal-odds", "declaration": game.ids["d1"],
            "input": sd.SYSTEMS["coin-envelopes"].form_for_redo(ATTACK), "reason": ""}})
        if after:
            game.combat("d2", 2, **sees)
        return game

    def test_who_has_declared_meanwhile_keeps_the_dice(self):
        for where in ("before", "after"):
            game = self.proposed(**{where: "d2"})
            game.accept("accepts", "ann", "propose")
            self.assertEqual(game.broken(), {"accepts": "correct 7"})
            game = self.proposed(**{where: "d2"})
            game.rule("agree", {"agree": game.ids["propose"]}, bob="propose")
            self.assertEqual(game.broken(), {"agree": "ruling 13"})

    def test_what_was_open_for_the_proposal_does_not_matter(self):
        game = self.proposed()
        game.accept("accepts", "ann", "propose")
        self.assertEqual(game.broken(), {})
        game = self.proposed(before="d2", opened=True)
        game.accept("accepts", "ann", "propose")
        self.assertEqual(game.broken(), {})

    def test_what_its_sealer_opens_nobody_sees_first(self):
        game = self.proposed({**COMBAT, "revealer": "sealer"}, after="d2")
        game.accept("accepts", "ann", "propose")
        self.assertEqual(game.broken(), {})

class Notes(unittest.TestCase):
    """office 9, reveal 7, seal 4"""

    def planned(self):
        game = OfficePlay([of_office(COMBAT, PLAN)])
        game.seal("plan", "bob", "note", "1/1/combat/1/plan", text="hold")
        game.set_for("d1", 1)
        game.receive("deposit", "deposit", "plan", "cd1")
        game.combat("d1", 1)
        return game

    def test_the_office_opens_a_note_and_so_may_its_sealer(self):
        game = self.planned()
        game.open_by("r1", "off", "d1", "cd1")
        game.open_by("r2", "off", "d1", "plan")
        game.open_by("r3", "bob", "d1", "plan")
        self.assertEqual((game.broken(), game.open()), ({}, set()))

    def test_an_epoch_leaves_a_note_to_its_sealer(self):
        game = self.planned()
        game.clock("epoch", "epoch", 1)
        game.open_by("r1", "off", "d1", "plan")
        self.assertEqual(game.broken(), {"r1": "reveal 1"})
        game = self.planned()
        game.clock("epoch", "epoch", 1)
        game.open_by("r1", "bob", "d1", "plan")
        game.open_by("r2", "bob", "d1", "cd1")
        self.assertEqual((game.broken(), game.rolled()), ({}, ["d1"]))

    def test_orders_at_once(self):
        game = OfficePlay([of_office(COMBAT, ORDERS)])
        game.seal("anns", "ann", "note", "1/1/combat/1/orders", text="left")
        game.receive("d1", "deposit", "anns")
        game.open_by("early", "off", None, "anns")
        self.assertEqual(game.broken(), {"early": "reveal 7"})
        game = OfficePlay([of_office(COMBAT, ORDERS)])
        for name, author in (("anns", "ann"), ("bobs", "bob")):
            game.seal(name, author, "note", "1/1/combat/1/orders", text="left")
        game.receive("d1", "deposit", "anns", "bobs")
        game.open_by("r1", "off", None, "anns")
        game.open_by("r2", "off", None, "bobs")
        game.clock("epoch", "epoch", 1)
        game.combat("d1", 1)
        self.assertEqual(game.broken(), {})

    def test_orders_are_not_killed_whatever_is_opened(self):
        game = OfficePlay([of_office(COMBAT, ORDERS)])
        game.seal("anns", "ann", "note", "1/1/combat/1/orders", text="left")
        game.receive("d1", "deposit", "anns")
        game.open_by("early", "off", None, "anns")
        game.seal("bobs", "bob", "note", "1/1/combat/1/orders", text="left")
        game.rule("kill", {"kill": game.ids["bobs"]})
        game.seal("anew", "bob", "note", "1/1/combat/1/orders", text="right")
        self.assertEqual(game.broken(), {"early": "reveal 7", "kill": "ruling 4", "anew": "seal 4"})

    def test_a_standing_note(self):
        game = OfficePlay([of_office(phase("init"))])
        for who in ("ann", "bob"):
            game.seal(who, who, "note", "2/1/init/1/standing", text='{"order":"first"}')
        game.seal("p2", "bob", "plain", "2/1/init/1")
        game.receive("deposit", "deposit", "ann", "bob", "p2")
        game.declare("d2", "ann", 2, "p2", order=None)
        game.open_by("r1", "off", "d2", "p2")
        asked = game.state()["pending"]["by"]
        game.open_by("r2", "off", "d2", asked)
        self.assertEqual((game.broken(), game.state()["pending"], game.state()["first"]), ({}, None, asked))

class Yields(unittest.TestCase):
    """claim 3: in a course, nobody gives away dice that an office opens, whatever they have seen"""

    def opened(self, salt=""):
        game = OfficePlay([of_office(phase("init"))], salt=salt)
        for turn in (2, 3):
            game.seal("p%d" % turn, "bob", "plain", "%d/1/init/1" % turn)
        game.receive("deposit", "deposit", "p2", "p3")
        game.declare("d2", "ann", 2, "p2", order=None, sees={"off": "offs"})
        game.open_by("r2", "off", "d2", "p2")
        return game

    def test_a_yield_that_has_not_seen_the_opening_does_not_have_the_next_turn_rolled_again(self):
        game = first_that(self.opened, lambda game: game.state()["pending"] and game.state()["pending"]["by"] == "ann")
        game.decide("order", "ann", 2, "order", "first")
        game.declare("d3", "ann", 3, "p3")
        game.open_by("r3", "off", "d3", "p3")
        game.yield_dice("yield", "d2", off="offs", ann="d2")
        self.assertEqual((game.broken(), game.standing()), ({"yield": "claim 3"}, {"d2": True, "d3": True}))

    def test_nobody_names_dice_after_such_a_yield(self):
        game = self.opened()
        game.yield_dice("yield", "d2", off="offs")
        game.names("names", "d2", [1, 1, 1, 2], off="offs")
        self.assertEqual(game.broken(), {"yield": "claim 3", "names": "claim 4"})

class Epochs(unittest.TestCase):
    """office 25, 27, 29, seal 4, declare 6"""

    def test_an_epoch_kills_the_sets_before_it(self):
        game = declared()
        game.clock("epoch", "epoch", 7)
        game.open_by("r1", "bob", "d1", "cd1")
        game.combat("d2", 2)
        game.seal("new", "bob", "coin", "3/1/combat/1")
        self.assertEqual(game.broken(), {"d2": "declare 6"})

    def test_another_set_is_sealed_for_the_purpose(self):
        game = OfficePlay()
        game.set_for("d1", 1)
        old = game.ids["cd1"]
        game.clock("epoch", "epoch", 7)
        game.salt = "fresh"
        game.set_for("d1", 1)
        game.receive("deposit", "deposit", "cd1")
        game.combat("d1", 1)
        game.open_by("r1", "off", "d1", "cd1")
        self.assertEqual((game.broken(), game.rolled()), ({}, ["d1"]))
        game.ids["old"] = old
        game.receive("late", "deposit", "old")
        self.assertEqual(game.broken(), {"late": "receipt 5"})

    def test_what_does_not_know_the_epoch_keeps_its_dice(self):
        game = declared("cd2")
        game.clock("epoch", "epoch", 7)
        game.combat("d2", 2, off="deposit")
        game.open_by("r2", "off", "d2", "cd2")
        game.open_by("r1", "bob", "d1", "cd1")
        game.open_by("r2b", "bob", "d2", "cd2")
        self.assertEqual((game.broken(), game.rolled()), ({"r2": "reveal 1"}, ["d1", "d2"]))

    def test_sets_that_their_sealer_opens_outlive_it(self):
        game = OfficePlay([{**COMBAT, "revealer": "sealer"}])
        game.seal("cd1", "bob", "coin", "1/1/combat/1", revealer="bob")
        game.clock("epoch", "epoch", 7)
        game.receive("deposit", "deposit", "cd1")
        game.combat("d1", 1)
        game.open_by("r1", "bob", "d1", "cd1")
        self.assertEqual((game.broken(), game.rolled()), ({"deposit": "receipt 5"}, ["d1"]))

    def test_the_clock_does_not_go_back(self):
        game = OfficePlay()
        for name, deed, at in (("a", "time", 5), ("b", "epoch", 5), ("c", "time", 4), ("d", "epoch", 3), ("e", "time", 5)):
            game.clock(name, deed, at)
        self.assertEqual(game.broken(), {"c": "receipt 3", "d": "receipt 3"})

    def test_only_the_office_has_epochs(self):
        game = declared("cd2")
        game.clock("anns", "epoch", 1, author="ann")
        game.clock("carols epoch", "epoch", 1, author="carol")
        game.receive("carols back", "hand_back", "cd1", author="carol")
        game.stall("offs claim", "d1")
        game.combat("d2", 2)
        game.open_by("r1", "off", "d2", "cd2")
        self.assertEqual(game.broken(), {"anns": "letters 4", "carols epoch": "letters 4", "carols back": "letters 4"})

    def test_the_office_settles_nothing(self):
        game = declared()
        game.say("claim", "off", "claim", {"dispute": {"letters": [game.ids["d1"]], "text": "x"}})
        game.say("ruling", "off", "ruling", {"rule": {"kill": game.ids["cd1"]}, "text": ""})
        self.assertEqual(game.broken(), {"claim": "letters 4", "ruling": "letters 4"})

    def test_forms(self):
        def fits(body):
            return sd.BODIES["receipt"](body)
        self.assertTrue(fits({"time": {"at": 253402300799}}) and fits({"epoch": {"at": 0}}))
        self.assertFalse(fits({"time": {"at": 253402300800}}) or fits({"epoch": {"at": -1}}) or fits({})
                         or fits({"time": {"at": 1}, "epoch": {"at": 1}}) or fits({"hand_back": {"seals": []}}))

DAY = 86400

class Silence(OfficePlay):
    """bob owes ann the dice of d1. After 30 days he forfeits them, and after 10 days the game. carol may open them
    after 10 days if she holds them. A declaration that he owes forfeits the game after 7 days."""

    def __init__(self, held=False, **more):
        super().__init__([{**COMBAT, "revealer": "sealer"}], **more)
        self.seal("cd1", "bob", "coin", "1/1/combat/1", revealer="bob", fallback="carol")
        if held:
            self.receive("held", "deposit", "cd1", author="carol")
        self.combat("d1", 1)
        self.stall("stall", "d1")

    def write(self, name, author, kind, body, game, seen):
        if kind == "charter":
            body = {**body, "deadlines": [{"days": days, "forfeit": forfeit, "step": step} for step, forfeit, days in (
                ("reveal", "declarer-names", 50), ("reveal", "declarer-names", 30), ("reveal", "game", 10),
                ("reveal", "none", 40), ("declare", "none", 50), ("declare", "game", 7))],
                "referee": {**body["referee"], "deposit": {"key": sd.x25519(digest("carol")).hex(), "notes": False}}}
        return super().write(name, author, kind, body, game, seen)

    def days(self, days, name=None, deed="time", **sees):
        """The office's clock shows this many days."""
        self.clock(name or "day %s" % days, deed, int(days * DAY), **sees)

    def ask(self, claim="stall", **sees):
        self.rule("request", {"request": self.ids[claim]}, **sees)

    def rule_forfeit(self, forfeit="declarer-names", **sees):
        self.rule("ruling", {"forfeit": {"forfeit": forfeit, "request": self.ids["request"]}}, **sees)

    def rule_open(self, **sees):
        self.rule("ruling", {"open": {
            "keys": [[0, self.sets["cd1"][0].hex()]], "request": self.ids["request"], "sheets": []}}, **sees)

    def close(self):
        masters = [{"master": digest("cd1").hex(), "seal": self.ids["cd1"]}]
        for name, author, value in (("stop", "ann", None), ("bobs", "bob", masters), ("anns", "ann", [])):
            self.say(name, author, "close", {"masters": value, "result": None})

    def said(self):
        """Returns for each ruling: its name, the word, the days in the terms, and the least and the most time in
        seconds."""
        return [(self.name_of(x["ruling"]), x["word"], x["days"], x["at_least"], x["at_most"]) for x in self.report()["days"]]

    def printed(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            sd.print_report(self.report())
        return [line.strip().rpartition(" [")[0] for line in out.getvalue().splitlines() if line.startswith("  days")]

class Days(unittest.TestCase):
    """disputes 23, audit 1, 4"""

    def judged(self, game):
        return [word for _, word, *_ in game.said()], game.report()["verdict"], game.broken()

    def told(self, last, deed="time", rule="rule_forfeit", **sees):
        """The office signs day 100 after the request, and the day `last` before the ruling."""
        game = Silence(held=rule == "rule_open")
        game.ask()
        game.days(100)
        game.days(last, deed=deed)
        getattr(game, rule)(**sees)
        return game

    def told_late(self, last, rule="rule_forfeit", **sees):
        """The office signs day 100 before the request, and the day `last` after the ruling."""
        game = Silence(held=rule == "rule_open")
        game.days(100)
        game.ask()
        getattr(game, rule)(**sees)
        game.days(last)
        return game

    def test_the_days_are_shown_from_the_very_second(self):
        game = self.told(130)
        self.assertEqual(game.said(), [("ruling", "shown", 30, 30 * DAY, None)])
        self.assertEqual(self.judged(game), (["shown"], "verified", {}))
        game = self.told(130 - 1 / DAY)
        self.assertEqual(game.said(), [("ruling", "referee", 30, 30 * DAY - 1, None)])
        self.assertEqual(self.judged(game), (["referee"], "verified", {}))

    def test_the_days_are_contradicted_up_to_the_very_second(self):
        game = self.told_late(130)
        self.assertEqual(game.said(), [("ruling", "referee", 30, None, 30 * DAY)])
        self.assertEqual(self.judged(game), (["referee"], "verified", {}))
        game = self.told_late(130 - 1 / DAY)
        self.assertEqual(game.said(), [("ruling", "contradicted", 30, None, 30 * DAY - 1)])
        self.assertEqual(self.judged(game), (["contradicted"], "undecided", {}))

    def test_what_is_contradicted_is_undecided_until_the_game_is_complete(self):
        game = self.told_late(103)
        self.assertEqual(self.judged(game), (["contradicted"], "undecided", {}))
        game.close()
        self.assertEqual(self.judged(game), (["contradicted"], "verified", {}))
        self.assertTrue(game.report()["complete"])

    def test_an_epoch_tells_the_time(self):
        self.assertEqual(self.told(130, deed="epoch").said(), [("ruling", "shown", 30, 30 * DAY, None)])

    def test_which_days_of_the_terms(self):
        for rule, sees, days in (("rule_forfeit", {}, 30), ("rule_forfeit", {"forfeit": "game"}, 10), ("rule_open", {}, 10)):
            self.assertEqual(self.told(100 + days, rule=rule, **sees).said(), [("ruling", "shown", days, days * DAY, None)])
            game = self.told_late(99 + days, rule=rule, **sees)
            self.assertEqual(game.said(), [("ruling", "contradicted", days, None, (days - 1) * DAY)])
            self.assertEqual(game.broken(), {})

    def test_the_days_for_the_step_of_the_stall(self):
        game = Silence()
        game.stall("lazy", None, step="declare")
        game.ask("lazy")
        game.rule_forfeit("game")
        self.assertEqual((game.said(), game.broken()), ([("ruling", "referee", 7, None, None)], {}))

    def test_without_an_office_it_is_the_referees_word(self):
        game = Silence(office=None)
        game.ask()
        game.rule_forfeit()
        self.assertEqual(game.said(), [("ruling", "referee", 30, None, None)])
        self.assertEqual(self.judged(game), (["referee"], "verified", {}))

    def test_what_was_told_on_one_side_alone_says_nothing(self):
        for before, behind in ((True, False), (False, True)):
            game = Silence()
            if before:
                game.days(100)
            game.ask()
            game.rule_forfeit()
            if behind:
                game.days(101)
            self.assertEqual(self.judged(game), (["referee"], "verified", {}))
            self.assertEqual(game.said(), [("ruling", "referee", 30, None, None)])

    def test_a_clock_that_runs_back_contradicts(self):
        game = Silence()
        game.days(100)
        game.ask()
        game.rule_forfeit()
        game.days(99)
        self.assertEqual([(word, at_most) for _, word, _, _, at_most in game.said()], [("contradicted", 0)])
        self.assertEqual(game.broken(), {"day 99": "receipt 3"})

    def test_a_ruling_that_does_not_know_the_time_behind_its_request(self):
        game = Silence()
        game.days(100)
        game.ask()
        game.days(131)
        game.rule_forfeit(off="day 100")
        self.assertEqual(game.said(), [("ruling", "referee", 30, None, None)])

    def test_a_time_on_any_branch_counts(self):
        game = Silence()
        game.ask()
        game.days(100)
        game.stall("lazy", None, step="declare")                 # ann has seen day 100
        game.back_to("off", "offs")
        game.days(131, "epoch", "epoch")
        game.rule_forfeit()
        self.assertEqual(game.head("off"), min("day 100", "epoch", key=game.ids.get))       # both have the same number
        self.assertEqual(game.said(), [("ruling", "shown", 30, 31 * DAY, None)])
        game = Silence()
        game.days(100)
        game.ask()
        game.back_to("off", "offs")
        game.days(90, "epoch", "epoch", carol="carols")
        game.rule_forfeit()
        game.days(103)
        self.assertEqual((game.head("off"), game.said()), ("day 103", [("ruling", "contradicted", 30, None, 3 * DAY)]))

    def test_what_is_shown_stays_shown(self):
        game = self.told(130)
        self.assertEqual(game.said(), [("ruling", "shown", 30, 30 * DAY, None)])
        game.days(101)
        self.assertEqual((game.said(), game.broken()), (
            [("ruling", "shown", 30, 30 * DAY, None)], {"day 101": "receipt 3"}))

    def test_a_time_of_before_the_request_ends_no_days(self):
        game = self.told_late(103)
        game.back_to("off", "offs")
        game.days(60, "epoch", "epoch")
        self.assertEqual([said[1:4] for said in game.said()], [("contradicted", 30, None)])

    def test_only_the_office_tells_the_time(self):
        game = Silence()
        game.ask()
        game.days(100)
        for author in ("ann", "bob", "carol"):
            game.days(131, author, author=author)
        game.rule_forfeit()
        self.assertEqual(game.said(), [("ruling", "referee", 30, 0, None)])
        self.assertEqual(game.broken(), dict.fromkeys(("ann", "bob", "carol"), "letters 4"))

    def test_a_receipt_acts_whatever_rule_it_breaks(self):
        for first, last, sees, broken in ((131, 100, {}, {"day 100": "receipt 3"}),
                                          (100, 131, {"carol": "carols"}, {"day 131": "chain 3"})):
            game = Silence()
            game.ask()
            game.days(first)
            game.days(last, **sees)
            game.rule_forfeit()
            self.assertEqual((game.said(), game.broken()), ([("ruling", "shown", 30, 31 * DAY, None)], broken))

    def test_only_valid_rulings_that_stand_have_an_entry(self):
        game = self.told(130)
        game.rule("again", {"forfeit": {"forfeit": "game", "request": game.ids["request"]}})
        self.assertEqual((game.broken(), [name for name, *_ in game.said()]), ({"again": "ruling 2"}, ["ruling"]))
        game = Silence()
        game.ask()
        game.rule_forfeit()
        game.back_to("carol", "request")
        game.rule("other", {"forfeit": {"forfeit": "game", "request": game.ids["request"]}})
        self.assertEqual((game.head("carol"), game.said()), ("request", []))
        game.say("chooses", "ann", "claim", {"dispute": {"letters": [game.ids["d1"]], "text": "x"}}, carol="other")
        self.assertEqual([name for name, *_ in game.said()], ["other"])

    def test_entries_come_in_the_order_of_replay(self):
        game = Silence()
        game.stall("lazy", None, step="declare")
        for claim, forfeit in (("stall", "declarer-names"), ("lazy", "game")):
            game.rule("asks " + claim, {"request": game.ids[claim]})
            game.rule(claim + " ends", {"forfeit": {"forfeit": forfeit, "request": game.ids["asks " + claim]}})
        self.assertEqual([(name, days) for name, _, days, *_ in game.said()], [("stall ends", 30), ("lazy ends", 7)])

    def test_who_was_at_fault_stays_refuted(self):
        game = self.told_late(103)
        game.open_by("bad", "ann", "d1", "cd1")
        self.assertEqual((game.said()[0][1], game.report()["verdict"]), ("contradicted", "refuted"))

    def test_every_report_has_the_field(self):
        game = Silence()
        self.assertEqual(game.said(), [])
        for blobs in (game.blobs[:1], game.blobs[1:], game.blobs[-1:], [x for x in game.blobs if x[1] != "offs"]):
            for one in sd.audit(blobs):
                self.assertEqual(one["days"], [])

    def test_in_words(self):
        self.assertEqual(self.told(131).printed(), ["days: 30 days: shown by the office's clock (at least 31 days)"])
        self.assertEqual(self.told(120).printed(), ["days: 30 days: the referee's word"])
        contradicted = ("days: 30 days: contradicted by the office's clock (at most %s): "
                        "either the ruling came too early, or the clock is wrong%s")
        undecided = ", and until the game is complete it is undecided"
        self.assertEqual(self.told_late(103).printed(), [contradicted % ("3 days", undecided)])
        self.assertEqual(self.told_late(130 - 1 / DAY).printed(), [contradicted % ("29 days, 23:59:59", undecided)])
        game = self.told_late(103)
        game.close()
        self.assertEqual(game.printed(), [contradicted % ("3 days", "")])
        self.assertEqual([sd.span(x) for x in (0, 10 * 3600, DAY, DAY + 1)], ["0:00:00", "10:00:00", "1 day", "1 day, 0:00:01"])

class Charters(unittest.TestCase):
    """charter 1, 6, 12, audit 10"""

    def verdict(self, *phases, office=OFFICE):
        return [found["text"] for found in OfficePlay(phases, office=office).report()["findings"]]

    def test_who_opens(self):
        self.assertEqual(self.verdict(of_office(COMBAT)), [])
        self.assertEqual(self.verdict(of_office(COMBAT), office=None), ["charter 6: the charter breaks it"])
        sheets = [{**COMBAT, "name": name, "revealer": revealer, "settings": {"values": "1-6"}, "source": "sheet",
                   "system": "icrk"} for name, revealer in (("one", "office"), ("two", "sealer"))]
        self.assertEqual(self.verdict(*sheets), ["charter 6: the charter breaks it"])
        self.assertEqual(self.verdict({**sheets[1], "revealer": "office"}, sheets[0]), [])

    def test_its_keys(self):
        broken = {**OFFICE, "deposit": {"key": "00" * 32, "notes": False}}
        self.assertEqual(self.verdict(office=broken), ["charter 6: the charter breaks it"])
        self.assertEqual(self.verdict(office={**OFFICE, "key": PUBLIC["carol"].hex()}), ["charter 6: the charter breaks it"])

    def test_an_office_may_leave_notes_alone(self):
        game = OfficePlay([of_office(COMBAT, PLAN)], office={**OFFICE, "deposit": {**OFFICE["deposit"], "notes": False}})
        game.seal("plan", "bob", "note", "1/1/combat/1/plan", text="hold")
        game.seal("his", "bob", "note", "1/1/combat/2/plan", text="hold", revealer="bob")
        self.assertEqual(game.broken(), {"plan": "seal 1"})

    def test_an_accept_waits_for_that_of_the_office(self):
        game = OfficePlay()
        game.blobs = [blob for blob in game.blobs if blob[1] != "offs"]
        self.assertEqual([game.name_of(entry["id"]) for entry in game.report()["missing"]], ["offs"])

    def test_an_accept_of_the_office_in_breach(self):
        class Broken(OfficePlay):
            def write(self, name, author, kind, body, game, seen):
                if name == "offs":
                    seen = {**seen, "carol": self.ids["carols"]}
                return super().write(name, author, kind, body, game, seen)
        self.assertEqual(Broken().culprits(), {"offs": "off"})


if __name__ == "__main__":
    unittest.main()
