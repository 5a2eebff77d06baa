"""Tests chain.md and keys.md with letters, for the checker in Python: `python3 -m unittest discover verify`."""

import unittest

import sealed_dice as sd
from test_courses import ATTACKS, COMBAT, digest
from test_office import OfficePlay, declared

class ForkPlay(OfficePlay):
    """ann and bob attack with dice that the other player seals and opens. The sets named in `offices` are with the
    office."""

    def __init__(self, *offices):
        super().__init__([COMBAT, ATTACKS, {**COMBAT, "name": "quick", "revealer": "office"}])
        for k, name in enumerate(offices):
            super().seal(name, "bob", "coin", "%d/1/quick/1" % (k + 1))
        if offices:
            self.receive("deposit", "deposit", *offices)

    def seal(self, name, author, *what, revealer=None, **more):
        super().seal(name, author, *what, revealer=revealer or author, **more)

    def go_on(self, name, author, **sees):
        """Writes a letter that only continues the chain."""
        self.say(name, author, "claim", {"dispute": {"letters": [self.game], "text": name}}, **sees)

    def break_a_rule(self, name, author, **sees):
        """Breaks claim 2: the letter withdraws a claim that is withdrawn already."""
        self.say("for " + name, author, "claim", {"dispute": {"letters": [self.game], "text": "x"}}, **sees)
        self.say("ends " + name, author, "claim", {"withdraw": self.ids["for " + name]}, **sees)
        self.say(name, author, "claim", {"withdraw": self.ids["for " + name]}, **sees)

    def close(self, name, author, masters, **sees):
        if masters is not None:
            masters = [{"master": digest(x).hex(), "seal": self.ids[seal]} for seal, x in masters.items()]
        self.say(name, author, "close", {"masters": masters, "result": None}, **sees)

    def open_unasked(self, name, seal, author="off", **sees):
        """Writes a letter that is in breach, with a key that matches."""
        self.say(name, author, "reveal", {
            "declaration": None, "keys": [[0, self.sets[seal][0].hex()]], "seal": self.ids[seal], "sheets": []}, **sees)

    def aside(self, name, author, body):
        """keys 4: writes an ask or an answer"""
        before = self.last[author], self.numbers[author]
        self.last[author], self.numbers[author] = None, -1      # number 0
        self.write(name, author, "resync", body, self.game, {role: None for role in self.last if role != author})
        self.last[author], self.numbers[author] = before

    def forks(self):
        """Returns the findings with several letters: the culprit, and the first letters of the branches."""
        return [(found["culprit"], {self.name_of(x) for x in found["message_ids"]})
                for found in self.report()["findings"] if len(found["message_ids"]) > 1]

    def faults(self):
        """Returns the findings with one letter."""
        return {self.name_of(found["message_ids"][0]): (found["text"].partition(":")[0], found["culprit"])
                for found in self.report()["findings"] if len(found["message_ids"]) == 1}

def forked(*offices, branches="ab"):
    """ann makes each of these declarations directly after her charter, without having seen the others."""
    game = ForkPlay(*offices)
    for turn, name in enumerate(branches):
        game.seal("c" + name, "bob", "coin", "%d/1/combat/1" % (turn + 1))
    for turn, name in enumerate(branches):
        game.back_to("ann", "charter")
        game.combat(name, turn + 1)
    return game

class Witnesses(unittest.TestCase):
    """chain 8 to 12"""

    def stands(self, game, role="ann", culprits=("ann",)):
        """Checks the culprits of the forks, and returns the last letter of the branch that stands."""
        self.assertEqual(tuple(dict.fromkeys(culprit for culprit, _ in game.forks())), culprits)
        return game.head(role)

    def test_nobody_has_signed_behind(self):
        game = forked()
        self.assertEqual((self.stands(game), game.forks()), ("charter", [("ann", {"a", "b"})]))

    def test_then_the_other_players_letter_chooses(self):
        for name in "ab":
            game = forked()
            game.go_on("bob", "bob", ann=name)
            self.assertEqual((self.stands(game), game.report()["verdict"]), (name, "refuted"))

    def test_the_report_names_no_thief(self):
        self.assertIn("ann, or whoever has the key or a backup of it", forked().report()["findings"][0]["text"])

    def test_who_has_seen_none_sides_with_the_one_that_the_past_holds(self):
        game = forked()
        game.clock("time", "time", 1, ann="b")
        game.go_on("bob", "bob", ann="charter")
        self.assertEqual(self.stands(game), "b")
        game = forked()
        game.clock("time", "time", 1, ann="b")
        game.rule("ruling", {"settle": game.ids["a"]}, ann="a", off="offs")
        game.go_on("bob", "bob", ann="charter")
        self.assertEqual(self.stands(game), "charter")

    def test_player_opened_office_went_on(self):
        game = forked()
        game.clock("time", "time", 1, ann="b", bob="cb")
        game.open_by("opens", "bob", "a", "ca", ann="a", off="offs")
        self.assertEqual((self.stands(game), game.rolled()), ("a", ["a"]))

    def test_known_seed_on_the_branch_that_was_first(self):
        game = forked("ready")
        game.go_on("first", "bob", ann="b")
        self.assertEqual(self.stands(game), "b")
        game.open_unasked("opens", "ready", ann="a", bob="cb")
        self.assertEqual(self.stands(game), "a")

    def test_only_who_may_open_is_a_witness_by_it(self):
        for author, head in (("off", "a"), ("carol", "b")):
            game = forked("ready")
            game.go_on("first", "bob", ann="b")
            game.open_unasked("opens", "ready", author=author, ann="a", bob="cb")
            self.assertEqual(self.stands(game), head)

    def test_a_seal_by_anybody_but_a_player_makes_no_opening(self):
        """letters 10"""
        game = forked()
        game.go_on("first", "bob", ann="b")
        purpose = "3/1/combat/1"
        context = sd.context(game.game, purpose, "coin", "carol", "ann", "carol", "", 1)
        game.sets["hers"] = [sd.key_of(context, digest("hers"), (0,))]
        game.say("hers", "carol", "seal", {
            "commits": [sd.commitment(context, (0,), game.sets["hers"][0]).hex()], "declarer": "ann", "kind": "coin",
            "n": 1, "notes": None, "purpose": purpose, "revealer": "carol", "salt": digest("salt").hex(),
        }, ann="a", bob="cb")
        game.open_unasked("opens", "hers", author="carol", ann="a", bob="cb")
        self.assertEqual(self.stands(game), "b")
        self.assertEqual(game.faults(), {"hers": ("letters 4", "carol"), "opens": ("letters 4", "carol")})

    def test_what_is_open_already_is_an_opening(self):
        """letters 9"""
        game = ForkPlay("ready")
        game.open_unasked("early", "ready", author="bob")
        for name in "ab":
            game.back_to("ann", "charter")
            game.go_on(name, "ann")
        game.open_unasked("again", "ready", ann="a")
        self.assertEqual(self.stands(game), "a")

    def test_a_wrong_key_chooses_nothing(self):
        game = forked("ready")
        game.sets["ready"] = game.sets["ca"]
        game.open_unasked("wrong", "ready", ann="a")
        self.assertEqual(self.stands(game), "charter")

    def test_late_witness_knows_the_first(self):
        for off, head in (("first", "a"), ("deposit", "charter")):
            game = forked("ready")
            game.open_unasked("first", "ready", ann="a", bob="cb")
            game.open_by("late", "bob", "b", "cb", ann="b", off=off)
            self.assertEqual(self.stands(game), head)

    def test_a_second_thought_is_no_witness(self):
        game = forked()
        game.go_on("first", "bob", ann="a")
        game.open_by("second", "bob", "b", "cb", ann="b")
        self.assertEqual((self.stands(game), game.rolled()), ("a", []))

    def sealed_twice(self):
        """bob seals two sets after his accept. ann sides with `other`, and then returns to her charter, where a second
        branch can side with something else."""
        game = ForkPlay()
        for name in ("own", "other"):
            game.back_to("bob", "accept")
            game.seal("c" + name, "bob", "coin", "1/1/combat/1")
        game.go_on("other", "ann", bob="cother")
        game.back_to("ann", "charter")
        return game

    def test_sealer_forks_behind_a_declaration(self):
        game = self.sealed_twice()
        game.combat("own", 1, bob="cown")
        self.assertEqual(self.stands(game, "bob", ("ann", "bob")), "cown")

    def test_another_letter_is_not_strong(self):
        game = self.sealed_twice()
        game.go_on("own", "ann", bob="cown")
        self.assertEqual(self.stands(game, "bob", ("ann", "bob")), "accept")

    def test_names_of_dice_are_strong(self):
        game = self.sealed_twice()
        game.ids["yield"] = game.game
        game.names("own", "cown", [6], bob="cown")
        self.assertEqual(self.stands(game, "bob", ("ann", "bob")), "cown")

    def test_a_close_with_masters_is_strong(self):
        for masters, head in (({}, "cown"), (None, "accept")):
            game = self.sealed_twice()
            game.close("own", "ann", masters, bob="cown")
            self.assertEqual(self.stands(game, "bob", ("ann", "bob")), head)

    def test_referees_fork(self):
        """All witnesses agree, or none"""
        for anns, bobs, head in (("a", "a", "a"), ("a", "b", "carols"), ("b", "b", "b"), ("b", "carols", "b")):
            game = ForkPlay()
            for name, settled in (("a", "charter"), ("b", "accept")):
                game.back_to("carol", "carols")
                game.rule(name, {"settle": game.ids[settled]})
            game.close("ann", "ann", {}, carol=anns)
            game.go_on("bob", "bob", ann="charter", carol=bobs)
            self.assertEqual(self.stands(game, "carol", ("carol",)), head)

    def fork_in_a_fork(self, *order):
        """ann's branches: a, which is followed by a1 and a2; and b"""
        game = ForkPlay()
        for name in order:
            game.back_to("ann", "a" if len(name) == 2 else "charter")
            game.go_on(name, "ann")
        return game

    def test_fork_in_a_fork(self):
        both = [("ann", {"a", "b"}), ("ann", {"a1", "a2"})]
        for order in (("a", "a1", "a2", "b"), ("b", "a", "a2", "a1")):
            for name in ("a1", "a2", "b"):
                game = self.fork_in_a_fork(*order)
                game.go_on("bob", "bob", ann=name)
                self.assertEqual((self.stands(game), game.forks()), (name, both))
            game = self.fork_in_a_fork(*order)
            self.assertEqual(self.stands(game), "charter")
            game.go_on("bob", "bob", ann="a")
            self.assertEqual(self.stands(game), "a")
            game.go_on("bob again", "bob", ann="a2")
            self.assertEqual(self.stands(game), "a2")

    def test_a_detached_letter_has_no_branch(self):
        game = ForkPlay()
        game.go_on("a", "ann")
        game.go_on("more", "ann")
        game.last["ann"], _ = game.placed["charter"]            # number 4 follows
        game.go_on("b", "ann")
        self.assertEqual((game.forks(), game.faults(), game.head("ann")), ([], {"b": ("chain 2", "ann")}, "more"))

    def test_two_accepts(self):
        """chain 9"""
        game = ForkPlay()
        charter = game.ids["charter"]
        game.last["bob"], game.numbers["bob"] = None, 0
        game.write("other", "bob", "accept", {**game.bodies["accept"], "nonce": digest("other").hex()}, charter,
                   {"ann": charter, "carol": game.ids["carols"], "off": game.ids["offs"]})
        self.assertEqual(game.forks(), [("bob", {"accept", "other"})])
        game.game = game.ids["other"]
        self.assertEqual(game.forks(), [("bob", {"accept", "other"})])

    def test_an_accept_that_waits_makes_no_fork(self):
        game = ForkPlay()
        charter = game.ids["charter"]
        game.last["bob"], game.numbers["bob"] = None, 0
        game.write("other", "bob", "accept", game.bodies["accept"], charter,
                   {"ann": charter, "carol": game.ids["carols"], "off": digest("another").hex()})
        self.assertEqual(game.forks(), [])
        game.game = game.ids["other"]
        self.assertEqual(game.forks(), [])

    def test_a_letter_in_breach_of_chain_3_is_a_witness(self):
        game = forked()
        game.clock("time", "time", 1)
        game.go_on("bob", "bob", ann="charter")
        game.go_on("back", "bob", ann="b", off="offs")
        self.assertEqual((game.faults(), self.stands(game)), ({"back": ("chain 3", "bob")}, "b"))

    def test_each_fork_is_a_finding(self):
        """Findings are sorted by the author's place, the number and the smallest id. Each names its first eight
        letters."""
        game = ForkPlay()
        for author, behind, names in (("bob", "accept", ("b1", "b2")), ("ann", "charter", [*map(str, range(10)), "on"]),
                                      ("ann", "on", ("x", "y"))):
            for name in names:
                game.back_to(author, behind)
                game.go_on(name, author)
        first = sorted(map(str, [*range(10), "on"]), key=game.ids.get)[:8]
        self.assertEqual(game.forks(), [("ann", set(first)), ("ann", {"x", "y"}), ("bob", {"b1", "b2"})])

    def test_a_ruling_settles_a_fork_if_it_knows_all_letters_of_it(self):
        """disputes 21"""
        def play(*rulings):
            game = ForkPlay()
            for name in "abc":
                game.back_to("ann", "charter")
                game.go_on(name, "ann")
            for name, of, bobs in rulings:
                if bobs:
                    game.go_on("bobs" + name, "bob", ann=bobs)
                game.rule(name, {"settle": game.ids[of]}, ann="a")
            found, = game.report()["findings"]
            return found["settled_by"] and game.name_of(found["settled_by"])
        self.assertEqual(play(("one", "a", "b")), None)
        self.assertEqual(play(("one", "a", "b"), ("two", "b", "c")), "two")
        self.assertEqual(play(("one", "a", "b"), ("two", "b", "c"), ("three", "c", None)), "two")

class Excuses(unittest.TestCase):
    """chain 14"""

    def test_it_ends_where_the_past_holds_what_counts_for_another_branch(self):
        for sees, culprit in (("deposit", None), ("opens", "bob")):
            game = forked("ready")
            game.open_unasked("opens", "ready", ann="a", bob="cb")
            game.break_a_rule("bobs", "bob", ann="b", off=sees)
            self.assertEqual((game.head("ann"), game.faults()["bobs"]), ("a", ("claim 2", culprit)))

    def test_a_witness_that_does_not_count_ends_no_excuse(self):
        """bob continues one branch and breaks a rule on another. The office's opening for a third branch counts."""
        for opened, culprit in ((False, "bob"), (True, None)):
            game = forked("ready", branches="abc")
            game.go_on("first", "bob", ann="a")
            game.break_a_rule("bobs", "bob", ann="b")
            if opened:
                game.open_unasked("opens", "ready", ann="c", bob="cb")
            self.assertEqual((game.head("ann"), game.faults()["bobs"]), ("c" if opened else "a", ("claim 2", culprit)))

    def test_one_letter_on_the_branch_that_fell_is_not_excused(self):
        game = forked()
        game.go_on("first", "bob", ann="a")
        game.break_a_rule("toggles", "bob", ann="b")
        game.go_on("back", "bob", ann="a")
        self.assertEqual((game.head("ann"), game.faults()), ("a", {"toggles": ("claim 2", "bob")}))

    def test_a_fork_in_a_branch_that_fell_excuses_nobody(self):
        for stands, culprit in (("b", "bob"), ("a", None)):
            game = ForkPlay()
            for name in ("a", "a1", "a2", "b"):
                game.back_to("ann", "a" if len(name) == 2 else "charter")
                game.go_on(name, "ann")
            game.go_on("first", "bob", ann=stands)
            for at, name in enumerate(("a1", "a2")):
                game.clock("time" + name, "time", at, ann=name, bob="accept")
            game.break_a_rule("bobs", "bob", ann=stands)
            self.assertEqual((game.head("ann"), game.faults()), (stands, {"bobs": ("claim 2", culprit)}))

    def test_the_excuse_ends_with_the_standing_branch(self):
        game = forked("ready")
        game.break_a_rule("before", "bob", ann="charter")
        game.break_a_rule("behind", "bob", ann="b")
        game.open_unasked("opens", "ready", ann="a", bob="cb")
        game.break_a_rule("back", "bob", ann="a")
        self.assertEqual(game.head("ann"), "a")
        self.assertEqual(game.faults(), {"before": ("claim 2", "bob"), "behind": ("claim 2", None),
                                         "opens": ("reveal 2", "off"), "back": ("claim 2", "bob")})

    def test_where_none_stands_each_is_excused(self):
        game = forked("ready")
        game.break_a_rule("bob", "bob", ann="b")
        game.open_unasked("opens", "ready", ann="a", bob="cb")
        game.open_by("strong", "bob", "b", "cb", ann="b", off="deposit")
        self.assertEqual((game.head("ann"), game.faults()), ("charter", {
            "bob": ("claim 2", None), "opens": ("reveal 2", None)}))

    def test_a_bad_master_behind_a_fork_has_a_culprit(self):
        for masters, fault in (({"ready": "ready"}, {}), ({}, {"bob": ("close 2", None)}),
                               ({"ready": "wrong"}, {"bob": ("close 3", "bob")})):
            game = ForkPlay("ready")
            game.close("stop", "ann", None)
            for name in "ab":
                game.back_to("ann", "stop")
                game.go_on(name, "ann")
            game.open_unasked("opens", "ready", ann="b")
            game.close("bob", "bob", masters, ann="a", off="deposit")       # equally strong
            self.assertEqual((game.head("ann"), game.faults()), ("stop", {**fault, "opens": ("reveal 2", None)}))

    def test_a_breach_of_the_chain_has_a_culprit(self):
        game = forked()
        game.go_on("first", "bob", ann="a")
        game.go_on("back", "bob", ann="charter")
        self.assertEqual(game.faults(), {"back": ("chain 3", "bob")})

class Seen(unittest.TestCase):
    """chain 3"""

    def test_seen_goes_back_along_prev(self):
        game = ForkPlay()
        for name in ("one", "two"):
            game.go_on(name, "ann")
        game.go_on("bob", "bob")
        game.go_on("stays", "bob")
        game.go_on("back", "bob", ann="one")
        game.go_on("on", "bob", ann="two")
        self.assertEqual(game.faults(), {"back": ("chain 3", "bob")})

    def test_seen_may_change_to_another_branch(self):
        game = ForkPlay()
        for name in ("one", "two"):
            game.go_on(name, "ann")
        game.go_on("bob", "bob")
        game.back_to("ann", "charter")
        game.go_on("other", "ann")
        game.go_on("changes", "bob")
        game.go_on("again", "bob", ann="one")
        self.assertEqual((game.faults(), game.head("ann")), ({}, "two"))

    def test_seen_is_not_null_again(self):
        game = ForkPlay()
        last, game.last["off"] = game.last["off"], None
        game.go_on("null", "ann")
        self.assertEqual(game.faults(), {})                     # ann had seen none either
        game.go_on("bob", "bob")
        self.assertEqual(game.faults(), {"bob": ("chain 3", "bob")})
        game.last["off"] = last
        game.go_on("later", "bob")
        self.assertEqual(game.faults(), {"bob": ("chain 3", "bob")})

    def test_seen_goes_back_through_detached_letters(self):
        game = ForkPlay()
        game.go_on("one", "ann")
        game.numbers["ann"] += 1                                # breaks chain 2
        game.go_on("two", "ann")
        game.go_on("bob", "bob")
        game.go_on("back", "bob", ann="one")
        self.assertEqual(game.faults(), {"two": ("chain 2", "ann"), "back": ("chain 3", "bob")})

class OfficesForks(unittest.TestCase):
    """office 22, 24 to 26"""

    def restored(self, *deeds):
        """The office signs `opens`. It is then restored and signs each of these deeds directly after its accept."""
        game = ForkPlay()
        game.seal("ready", "bob", "coin", "1/1/quick/1", revealer="off")
        game.open_unasked("opens", "ready")
        for at, deed in enumerate(deeds):
            game.back_to("off", "offs")
            game.clock(deed, deed[:5], at, bob="accept")
            game.open_unasked("behind " + deed, "ready")
        return game

    def test_a_fork_without_an_epoch_has_a_culprit(self):
        game = self.restored("time")
        self.assertEqual((game.forks(), game.head("off")), ([("off", {"opens", "time"})], "behind time"))
        self.assertEqual(game.faults(), dict.fromkeys(("opens", "behind time"), ("reveal 1", "off")))

    def test_a_fork_with_an_epoch_has_none(self):
        game = self.restored("epoch")
        self.assertEqual((game.forks(), game.head("off")), ([(None, {"opens", "epoch"})], "behind epoch"))
        self.assertEqual(game.faults(), dict.fromkeys(("opens", "behind epoch"), ("reveal 1", "off")))

    def test_of_all_but_epochs_it_may_have_forgotten_one(self):
        self.assertEqual(self.restored("epoch", "time").forks(), [("off", {"opens", "epoch", "time"})])
        self.assertEqual(self.restored("epoch", "epoch2").forks(), [(None, {"opens", "epoch", "epoch2"})])
        game = ForkPlay()
        for at, name in enumerate(("epoch", "epoch2")):
            game.back_to("off", "offs")
            game.clock(name, "epoch", at)
        self.assertEqual(game.forks(), [(None, {"epoch", "epoch2"})])

    def test_such_a_fork_and_another_are_two_findings(self):
        game = self.restored("epoch", "epoch2")
        for k in range(4):
            game.back_to("off", "behind epoch")
            game.clock("time%d" % k, "time", k)
        self.assertEqual(game.forks(), [
            (None, {"opens", "epoch", "epoch2"}), ("off", {"time0", "time1", "time2", "time3"})])

    def test_what_it_did_on_any_branch_stays_done(self):
        game = declared()
        game.receive("back", "hand_back", "cd1")
        game.open_by("opens", "bob", "d1", "cd1")
        game.back_to("off", "offs")
        game.clock("epoch", "epoch", 6, ann="charter", bob="accept")
        game.salt = "fresh"
        game.set_for("d1", 1)                                   # killed by the epoch and sealed again
        blamed = [found["culprit"] for found in game.report()["findings"]]
        self.assertEqual((game.rolled(), game.head("off"), blamed), (["d1"], "back", [None]))

    def test_a_receipt_in_breach_of_chain_3_acts(self):
        game = ForkPlay()
        game.seal("ready", "bob", "coin", "1/1/quick/1", revealer="off")
        game.go_on("more", "bob")
        game.clock("time", "time", 1)
        game.receive("held", "deposit", "ready", bob="ready")
        game.receive("back", "hand_back", "ready", bob="more")  # valid, because the set is with the office
        game.clock("fifth", "time", 5, bob="ready")
        game.clock("fourth", "epoch", 4)
        self.assertEqual(game.faults(), {
            "held": ("chain 3", "off"), "fifth": ("chain 3", "off"), "fourth": ("receipt 3", "off")})

    def test_its_head_is_the_greatest_number_and_of_several_the_smallest_id(self):
        game = self.restored("epoch", "epoch2")
        last = ["behind epoch", "behind epoch2"]
        self.assertEqual(game.head("off"), min(last, key=lambda name: game.ids[name]))
        game.back_to("off", "opens")
        game.clock("time", "time", 1)
        self.assertEqual(game.head("off"), min([*last, "time"], key=lambda name: game.ids[name]))

class Keys(unittest.TestCase):
    """keys 1, 4"""

    def test_under_another_key_it_does_not_exist(self):
        game = ForkPlay()
        game.go_on("one", "ann")
        game.signers["ann"] = "thief"
        game.go_on("thiefs", "ann")
        game.back_to("ann", "one")
        game.signers["ann"] = "ann"
        game.go_on("two", "ann")
        found, = game.report()["findings"]
        self.assertEqual((found["code"], found["culprit"]), ("game", None))
        self.assertEqual(found["message_ids"], [game.ids["thiefs"]])
        self.assertEqual((game.head("ann"), game.forks()), ("two", []))

    def test_one_line_under_two_keys_is_what_its_author_signed(self):
        for signers in (("thief", "ann"), ("ann", "thief")):
            game = ForkPlay()
            for signer in signers:
                game.back_to("ann", "charter")
                game.signers["ann"] = signer
                game.go_on("one", "ann")
            self.assertEqual(([x["code"] for x in game.report()["findings"]], game.head("ann")), (["game"], "one"))

    def test_asks_and_answers_change_nothing(self):
        game = forked()
        game.go_on("bob", "bob", ann="b")
        before = game.report()
        game.aside("ask", "ann", {"ask": digest("fresh").hex()})
        game.aside("answer", "bob", {"answer": {"ask": game.ids["ask"], "last": game.ids["a"]}})
        game.aside("knows none", "carol", {"answer": {"ask": game.ids["ask"], "last": None}})
        self.assertEqual(before, game.report())

    def test_forms(self):
        ask = digest("ask").hex()
        fits = sd.BODIES["resync"]
        self.assertTrue(fits({"ask": ask}) and fits({"answer": {"ask": ask, "last": None}}))
        self.assertFalse(fits({"answer": {"ask": ask}}) or fits({}) or fits({"ask": None})
                         or fits({"ask": ask, "answer": {"ask": ask, "last": None}}))
        game = ForkPlay()
        game.say("numbered", "ann", "resync", {"ask": ask})
        self.assertEqual([[x["code"] for x in one["findings"]] for one in sd.audit(game.blobs)], [[], ["fields"]])

class TooMany(unittest.TestCase):
    """chain 15"""

    def report(self, branches, skips=False):
        """Gives ann as many branches after her charter as bob, carol and the office leave."""
        game = ForkPlay()
        for k in range(branches - 3):
            game.back_to("ann", "charter")
            game.go_on("a%d" % k, "ann")
        if skips:
            game.numbers["carol"] = 2
            game.rule("skips", {"settle": game.ids["charter"]})
        report = game.report()
        findings = [(found["culprit"], len(found["message_ids"])) for found in report["findings"]]
        return report["verdict"], findings, [role for role, head in report["heads"].items() if head]

    def test_256_branches(self):
        self.assertEqual(self.report(256), ("refuted", [("ann", 8)], ["ann", "bob", "carol", "off"]))

    def test_257_branches(self):
        self.assertEqual(self.report(257, skips=True), ("refuted", [("ann", 8), ("carol", 1)], []))

    def test_257_branches_of_epochs(self):
        for branches, found in ((256, ("verified", [None])), (257, ("refuted", ["off"]))):
            game = ForkPlay()
            for k in range(branches - 3):
                game.back_to("off", "offs")
                game.clock("epoch%d" % k, "epoch", k)
            report = game.report()
            self.assertEqual((report["verdict"], [x["culprit"] for x in report["findings"]]), found)


if __name__ == "__main__":
    unittest.main()
