"""Tests each rule of courses.md with letters, for the checker in Python: `python3 -m unittest discover verify`."""

import base64
import hashlib
import struct
import time
import unittest

import sealed_dice as sd

COIN = {"chart": "house", "double_letters": "doubled", "envelopes": 1, "grammar": "letters", "list_automatic": True,
        "values": "1-6"}
ATTACK = {"attacks": [{"hexes": ["F12"], "id": "a1", "odds": "3-1", "order": None}]}
OCS = {"sides": ["ann", "bob"], "first_player": "ann", "flux_holder": "first_mover", "pop_then_second": False}
OTHER = {"ann": "bob", "bob": "ann"}

def digest(words):
    return hashlib.sha256(words.encode()).digest()

def secret(role):
    half = hashlib.sha512(digest(role)).digest()
    return sd.clamp(half[:32]), half[32:]

PUBLIC = {role: sd.encode_point(sd.combine(secret(role)[0], 0, sd.BASE)) for role in ("ann", "bob", "carol", "off", "thief")}

def sign(role, message):
    """RFC 8032, 5.1.6"""
    def number(*parts):
        return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % sd.L
    scalar, prefix = secret(role)
    r = number(prefix, message)
    point = sd.encode_point(sd.combine(r, 0, sd.BASE))
    return point + ((r + number(point, PUBLIC[role], message) * scalar) % sd.L).to_bytes(32, "little")

def seal_text(key, a, words, least):
    """envelope 6: ChaCha20-Poly1305 of the text, padded to at least `least` bytes. The tag is computed as in
    aead_decrypt."""
    plain = words.encode() + b"\x80"
    plain += bytes(max(least - len(plain), -len(plain) % 256))
    stream = b"".join(struct.pack("<16L", *sd.chacha20_block(key, i + 1, sd.NONCE)) for i in range(len(plain) // 64))
    cipher = bytes(x ^ y for x, y in zip(plain, stream))
    one_time = struct.pack("<16L", *sd.chacha20_block(key, 0, sd.NONCE))
    r, total = int.from_bytes(one_time[:16], "little") & 0x0ffffffc0ffffffc0ffffffc0fffffff, 0
    whole = a + bytes(-len(a) % 16) + cipher + sd.LE64(len(a)) + sd.LE64(len(cipher))
    for i in range(0, len(whole), 16):
        total = (total + int.from_bytes(whole[i:i + 16] + b"\x01", "little")) * r % (2 ** 130 - 5)
    return cipher + ((total + int.from_bytes(one_time[16:32], "little")) % 2 ** 128).to_bytes(16, "little")

def phase(name, **more):
    return {"decisions": [], "declarer": None, "impulses": [1], "name": name, "private": False, "revealer": "sealer",
            "settings": OCS, "source": "plain", "system": "ocs-initiative", **more}

COMBAT, ATTACKS = (phase(name, declarer=role, settings=COIN, source="coin", system="coin-envelopes")
                   for name, role in (("combat", "ann"), ("attack", "bob")))

class Play:
    """A game between ann and bob, with carol as referee, and with off as office if there is one. Letters have names.
    Each letter follows its author's last letter, and has seen the last letters of the others or those that `sees`
    names."""

    def __init__(self, phases=(), salt="", tables=(), office=None, continues=None, **settings):
        self.salt, self.ids, self.bodies, self.blobs, self.sets = salt, {}, {}, [], {}
        self.last, self.numbers, self.signers, self.letters = {}, {}, {}, {}
        phases = list(phases) or [phase("init", settings={**OCS, **settings})]
        thirds = {"carol": None, **({"off": None} if office else {})}
        charter = self.write("charter", "ann", "charter", {
            "compared": True, "nonce": digest("n").hex(), "office": office, "hard_core": False, "penalties": [],
            "tables": dict(tables), "continues": continues,
            "title": "t", "phases": phases, "sets_at_start": {"foul-up": 0, "sheet": 0},
            "deadlines": [{"days": 1, "forfeit": forfeit, "step": step} for step, forfeit in
                          (("reveal", "declarer-names"), ("reveal", "game"), ("declare", "game"))],
            "foul_up": {"envelopes": 3, "revealer": "office" if office else "sealer", "remedies": dict.fromkeys(
                ("illegal-move", "illegal-odds", "wrong-list"), "redo")},
            "parties": [{"key": PUBLIC[role].hex(), "name": role, "role": role} for role in ("ann", "bob")],
            "referee": {"deposit": None, "key": PUBLIC["carol"].hex(), "name": "carol", "role": "carol"}},
            None, {"bob": None, **thirds})
        body = {"charter": charter, "compared": True, "nonce": digest("a").hex()}
        early = {role: self.write(role + "s", role, "accept", body, charter, {
            "ann": charter, "bob": None, **{other: None for other in thirds if other != role}}) for role in thirds}
        self.game = self.write("accept", "bob", "accept", body, charter, {"ann": charter, **early})

    def write(self, name, author, kind, body, game, seen):
        number = self.numbers.get(author, 0) + 1
        payload = sd.encode({"body": body, "head": {
            "author": author, "game": game, "kind": kind, "number": number, "prev": self.last.get(author), "seen": seen,
            "v": 1}})
        signer = self.signers.get(author, author)
        signature = sign(signer, sd.signed_bytes(sd.TYPE, payload))
        frame = b"\n".join((sd.TYPE, payload, PUBLIC[signer].hex().encode(), signature.hex().encode(), b""))
        self.blobs.append((frame + b"\n" * (-len(frame) % 3), name))
        message_id = sd.H("message-id", sd.TYPE, payload).hex()
        self.letters[name] = sd.Letter(message_id, PUBLIC[signer].hex(), sd.read_json(payload))
        self.ids[name], self.bodies[name], self.last[author], self.numbers[author] = message_id, body, message_id, number
        return message_id

    def say(self, name, author, kind, body, after="", **sees):
        """Writes a letter. `after` is the name of a letter, or None; by default it is what courses 4 requires."""
        seen = {role: self.ids[sees[role]] if role in sees else last for role, last in self.last.items() if role != author}
        if kind in ("declare", "decide"):
            place = self.stands_at(author, kind, body, seen) if after == "" else after and self.ids[after]
            body = {**body, "after": place}
        return self.write(name, author, kind, body, self.game, seen)

    def stands_at(self, author, kind, body, seen):
        """courses 4: returns the `after` for a letter with this body"""
        replaced = self.replaced_by(body)
        if replaced:
            return replaced["after"]
        key = PUBLIC[self.signers.get(author, author)].hex()
        probe = sd.Letter("probe", key, {"body": {**body, "after": None}, "head": {
            "author": author, "game": self.game, "kind": kind, "number": self.numbers[author] + 1,
            "prev": self.last[author], "seen": seen, "v": 1}})
        game = sd.Game(self.letters["charter"], self.letters["accept"], [],
                       [*(x for name, x in self.letters.items() if name not in ("charter", "accept")), probe], [])
        course = sd.course_of(game, probe)
        return game.letters["probe"].stood[course.name].id if course else None

    def replaced_by(self, declaration):
        """Returns the body of the declaration that a redo of `agreed`, or of a breach of one, replaces, or None."""
        (how, name), = (declaration.get("redo") or {"": ""}).items()
        if how == "breach":
            return self.replaced_by(self.bodies[self.name_of(name)])
        acceptance = self.bodies[self.name_of(name)] if how == "agreed" else None
        return acceptance and self.bodies[self.name_of(
            self.bodies[self.name_of(acceptance["accept"])]["propose"]["declaration"])]

    def seal(self, name, author, kind, purpose, n=1, text=None, revealer=None, fallback="", least=256, **sees):
        declarer = author if kind in ("note", "contribution") else OTHER[author]
        revealer = revealer or author
        context = sd.context(self.game, purpose, kind, author, declarer, revealer, fallback, n)
        keys = [sd.key_of(context, digest(name + self.salt), (i,)) for i in range(n)]
        a = sd.at(context, (0,))
        notes = None if text is None else [seal_text(sd.H("note-key", a, keys[0]), a, text, least).hex()]
        self.sets[name] = keys
        self.say(name, author, "seal", {
            "commits": [sd.commitment(context, (i,), key).hex() for i, key in enumerate(keys)], "declarer": declarer,
            "kind": kind, "n": n, "notes": notes, "purpose": purpose, "revealer": revealer,
            "salt": digest("salt" + name).hex()}, **sees)

    def plain(self, *slots, author="bob"):
        """Seals the sets p2, p3, .. for turns 2, 3, ..; p22 is the second set for turn 2."""
        for slot in slots:
            turn, number = (slot // 10, slot % 10) if slot > 9 else (slot, 1)
            self.seal("%sp%d" % ("" if author == "bob" else "a", slot), author, "plain", "%d/1/init/%d" % (turn, number))

    def foul_up(self):
        self.seal("fu", "bob", "foul-up", "foul-up/1", n=3)

    def note(self, name, turn, text='{"order":"first"}'):
        self.seal(name, "bob", "note", "%d/1/init/1/standing" % turn, text=text)

    def declare(self, name, author, turn, seal, number=1, order="first", redo=None, index=0, lines=1, sees=(), **more):
        select = {"foul_up" if redo else "plain": {"index": index, "lines": lines}}
        return self.say(name, author, "declare", {
            "contribution": {"open": digest(name + self.salt).hex()}, "moves": {"none": None}, "redo": redo,
            "input": {"markers": [], "order": order, "pop": None, **more}, "seal": self.ids[seal], "select": select,
            "slot": {"impulse": 1, "number": number, "phase": "init", "turn": turn}}, **dict(sees))

    def reveal(self, declaration, seal, index=0, **sees):
        author = "ann" if seal.startswith("a") else "bob"       # the sealer
        self.say("r" + seal + declaration, author, "reveal", {
            "declaration": self.ids[declaration], "keys": [[index, self.sets[seal][index].hex()]], "seal": self.ids[seal],
            "sheets": []}, **sees)

    def combat(self, name, turn, author="ann", **sees):
        called = {"ann": "combat", "bob": "attack"}[author]
        if "c" + name not in self.sets:
            self.seal("c" + name, OTHER[author], "coin", "%d/1/%s/1" % (turn, called))
        total = sd.worksheet(COIN, {}, ATTACK["attacks"])["total"]
        self.say(name, author, "declare", {
            "contribution": {"open": digest(name).hex()}, "input": ATTACK, "moves": {"none": None}, "redo": None,
            "seal": self.ids["c" + name], "select": {"worksheet": {"index": 0, "rows": [[0, 1]], "total": total}},
            "slot": {"impulse": 1, "number": 1, "phase": called, "turn": turn}}, **sees)

    def roll(self, name, author, seal, given, phase="init", number=1, turn=1, **sees):
        """Declares in a course, with any input, on a set for its slot."""
        slot = {"impulse": 1, "number": number, "phase": phase, "turn": turn}
        if seal not in self.sets:
            self.seal(seal, OTHER[author], "plain", sd.write_slot(slot))
        self.say(name, author, "declare", {
            "contribution": {"open": digest(name + self.salt).hex()}, "moves": {"none": None}, "redo": None, "input": given,
            "seal": self.ids[seal], "select": {"plain": {"index": 0, "lines": 1}}, "slot": slot}, **sees)

    def decide(self, name, author, turn, what, value, number=1, phase="init", **sees):
        self.say(name, author, "decide", {
            "name": what, "slot": {"impulse": 1, "number": number, "phase": phase, "turn": turn}, "value": value}, **sees)

    def propose(self, name, author, declaration, order, markers=(), **sees):
        self.say(name, author, "correct", {"propose": {
            "at_fault": "ann", "class": "illegal-odds", "declaration": self.ids[declaration],
            "input": {"markers": list(markers), "order": order, "pop": None}, "reason": ""}}, **sees)

    def ask_void(self, name, author, declaration, **sees):
        scope = {"declaration": self.ids[declaration]}
        self.say(name, author, "correct", {"void": {"reason": "x", "scope": scope}}, **sees)

    def void(self, name, declaration, **sees):
        """Makes a declaration void: Bob asks, and Ann accepts."""
        self.ask_void("ask " + name, "bob", declaration, **sees)
        self.accept(name, "ann", "ask " + name)

    def accept(self, name, author, proposal, **sees):
        self.say(name, author, "correct", {"accept": self.ids[proposal]}, **sees)

    def rule(self, name, rule, **sees):
        self.say(name, "carol", "ruling", {"rule": rule, "text": ""}, **sees)

    def stall(self, name, letter, step="reveal", owes="bob", **sees):
        self.say(name, OTHER[owes], "claim", {"stall": {
            "letter": letter and self.ids[letter], "owes": owes, "step": step, "text": ""}}, **sees)

    def forfeit(self, claim, forfeit="declarer-names", **sees):
        self.rule("request", {"request": self.ids[claim]}, **sees)
        self.rule("forfeit", {"forfeit": {"forfeit": forfeit, "request": self.ids["request"]}}, **sees)

    def yield_dice(self, name, declaration, **sees):
        self.say(name, "bob", "claim", {"yield": {
            "declaration": self.ids[declaration], "forfeit": "declarer-names", "text": ""}}, **sees)

    def names(self, name, declaration, dice, **sees):
        self.say(name, "ann", "claim", {"names": {
            "declaration": self.ids[declaration], "dice": dice, "forfeit": self.ids["yield"]}}, **sees)

    def report(self):
        return next(one for one in sd.audit(self.blobs) if one["game"] == self.game)

    def name_of(self, message_id):
        return next((name for name, known in self.ids.items() if known == message_id), message_id)

    def broken(self):
        """Returns the rule that each letter breaks, by the letter's name."""
        return {self.name_of(f["message_ids"][0]): f["text"].partition(":")[0] + (", settled" if f["settled_by"] else "")
                for f in self.report()["findings"]}

    def state(self):
        return self.report()["courses"][0]["state"]

    def standing(self):
        """Returns what each declaration's rolls are: True, False, or the letter that ended them."""
        return {self.name_of(roll["declaration"]): self.name_of(roll["standing"]) if isinstance(roll["standing"], str)
                else roll["standing"] for roll in self.report()["rolls"]}

    def open(self):
        return {(matter["what"], matter["who"], self.name_of(matter["id"])) for matter in self.report()["open"]}

def first_that(build, wanted):
    """Returns the first game with other dice for which `wanted` holds."""
    return next(game for game in (build(str(i)) for i in range(200)) if wanted(game))

def turn_2(salt="", **more):
    """ann holds the initiative and declares turn 2 with the order to go first; bob reveals"""
    game = Play(salt=salt, **more)
    game.plain(2, 3, 4, 22, 32)
    game.foul_up()
    game.declare("d2", "ann", 2, "p2")
    game.reveal("d2", "p2")
    return game

def held(**more):
    """turn_2 with dice by which ann controls and goes first"""
    return first_that(lambda salt: turn_2(salt, **more), lambda game: game.state()["first"] == "ann")

def lost(**more):
    """turn_2 with dice by which bob controls and has to decide"""
    return first_that(lambda salt: turn_2(salt, **more), lambda game: game.state()["pending"])

def popped():
    """ann is behind by one and pops m1"""
    def build(salt):
        game = Play(salt=salt)
        game.plain(2, 3)
        game.foul_up()
        game.declare("d2", "ann", 2, "p2", markers=["m1"], pop={"at_most": 1, "from": ["m1"]})
        game.reveal("d2", "p2")
        return game
    return first_that(build, lambda game: game.state()["bar"])

class Standings(unittest.TestCase):
    """courses 4 to 6, 11"""

    def after(self, game, name):
        return game.name_of(game.bodies[name]["after"])

    def test_a_letter_names_where_its_course_stands(self):
        game = lost()
        game.decide("order", "bob", 2, "order", "second")
        game.declare("d3", "ann", 3, "p3")
        self.assertEqual([self.after(game, name) for name in ("d2", "order", "d3")], [None, "d2", "order"])
        self.assertEqual(game.broken(), {})

    def test_another_letter_is_not_good_enough(self):
        for after, broken in (("d2", "declare 14"), (None, "declare 14"), ("order", None), ("fu", "letters 5")):
            game = lost()
            game.decide("order", "bob", 2, "order", "second")
            game.declare("d3", "ann", 3, "p3", sees={"after": after})
            self.assertEqual(game.broken().get("d3"), broken, after)
        for after, broken in (("d2", None), (None, "decide 4")):
            game = lost()
            game.decide("order", "bob", 2, "order", "second", after=after)
            self.assertEqual(game.broken().get("order"), broken, after)

    def test_outside_courses_it_is_null(self):
        choice = {"by": "bob", "how": "open", "name": "choice"}
        game = Play([phase("init"), {**COMBAT, "decisions": [choice]}])
        game.plain(2)
        game.declare("d2", "ann", 2, "p2")
        game.reveal("d2", "p2")
        game.decide("no", "bob", 1, "choice", 1, phase="combat", after="d2")
        game.decide("yes", "bob", 1, "choice", 1, phase="combat")
        self.assertEqual(game.broken(), {"no": "decide 1", "yes": "decide 2"})
        game = Play([phase("init"), ATTACKS])
        game.plain(2)
        game.declare("d2", "ann", 2, "p2")
        game.combat("c1", 1, "bob", after="d2")
        self.assertEqual(game.broken(), {"c1": "declare 14"})

    def test_behind_a_void_the_place_is_declared_again(self):
        game = held()
        game.void("yes", "d2")
        self.assertEqual((game.broken(), game.standing(), game.state()["turn"]), ({}, {"d2": "yes"}, 1))
        game.declare("d22", "ann", 2, "p22", number=2)
        game.reveal("d22", "p22")
        self.assertEqual((game.broken(), game.standing()), ({}, {"d2": "yes", "d22": True}))
        self.assertIs(self.after(game, "d22"), None)

    def test_a_void_needs_a_declaration_that_was_taken_and_all_later_ones(self):
        game = held()
        game.declare("d3", "ann", 3, "p3")
        game.reveal("d3", "p3")
        game.ask_void("early", "bob", "d2")
        game.void("late", "d3")
        game.ask_void("again", "bob", "d3")
        game.say("impulse", "bob", "correct", {"void": {"reason": "x", "scope": {
            "impulse": {"declarations": [game.ids["d2"]], "impulse": 1, "turn": 2}}}})
        game.accept("then", "ann", "impulse")
        self.assertEqual(game.broken(), {"early": "correct 5", "again": "correct 5"})
        self.assertEqual((game.standing(), game.state()["turn"]), ({"d2": "then", "d3": "late"}, 1))

    def test_nobody_accepts_a_void_of_what_he_has_gone_on_from(self):
        game = held()
        game.ask_void("ask", "bob", "d2", ann="d2")
        game.declare("d3", "ann", 3, "p3", sees={"bob": "rp2d2"})
        game.accept("yes", "ann", "ask")
        self.assertEqual(game.broken(), {"yes": "correct 4"})

    def test_the_next_turn_waits_until_the_one_before_is_settled(self):
        game = Play()
        game.plain(2, 3)
        game.declare("d2", "ann", 2, "p2")
        game.declare("d3", "ann", 3, "p3")
        self.assertEqual((game.broken(), game.state()), ({"d3": "declare 14"}, None))

    def test_a_long_game_stands_where_its_last_turn_left_it(self):
        game = held()
        game.plain(5, 6)
        for turn in (3, 4, 5, 6):
            game.declare("d%d" % turn, game.state()["holder"] or "ann", turn, "p%d" % turn)
            game.reveal("d%d" % turn, "p%d" % turn)
            if game.state()["pending"]:
                game.decide("o%d" % turn, "bob", turn, "order", "second")
        self.assertEqual((game.broken(), game.state()["turn"]), ({}, 6))

class Fronts(unittest.TestCase):
    """declare 17, 18, 21"""

    def build(self, salt):
        game = Play([phase("init"), COMBAT, ATTACKS], salt)
        game.plain(2, 3)
        game.declare("d2", "ann", 2, "p2", order=None, markers=["m%d" % i for i in range(1, 10)])
        game.reveal("d2", "p2")
        return game

    def test_no_dice_of_the_turn_before_its_pop(self):
        game = first_that(self.build, lambda game: game.state()["pending"]["awaits"] == "pop")
        game.combat("c2", 2)
        self.assertEqual(game.broken(), {"c2": "declare 18"})
        game.decide("pop", "ann", 2, "pop", game.state()["markers"][:game.state()["pending"]["deficit"]])
        self.assertEqual((game.broken(), game.state()["first"]), ({"c2": "declare 18"}, "ann"))

    def test_nobody_goes_back_behind_what_he_rolled_himself(self):
        game = first_that(self.build, lambda game: game.state()["pending"]["awaits"] == "pop")
        game.combat("a1", 1, "bob")
        game.combat("c1", 1)
        self.assertEqual(game.broken(), {"c1": "declare 18"})

    def test_other_phases_do_not_stop_the_course(self):
        game = first_that(self.build, lambda game: game.state()["pending"]["awaits"] == "order" and
                          game.state()["holder"] == "ann" == game.state()["pending"]["by"])
        game.decide("order", "ann", 2, "order", "first")
        game.combat("c2", 2)
        game.declare("d3", "ann", 3, "p3")
        self.assertEqual(game.broken(), {})
        game.combat("c3", 3)
        self.assertEqual(game.broken(), {"c3": "declare 18"})

    def test_nobody_rolls_before_the_course_has_begun(self):
        game = Play([phase("init"), COMBAT])
        game.combat("c2", 2)
        self.assertEqual(game.broken(), {"c2": "declare 18"})

def two_courses(salt=""):
    """Plays turn 1 of both raids, turn 2 of the initiative, and ann's raid of turn 2, which waits for bob."""
    names, sides = ("init", "north", "south"), {"north": "ann", "south": "bob"}
    game = Play([phase("init"), *(phase(name, system="event-tables", settings={"first": "north", "sides": sides})
                                  for name in names[1:])], salt, {"event-tables": RAIDS})
    game.plain(2)
    for name, author in (("north", "ann"), ("south", "bob")):
        game.roll(name, author, ("" if author == "ann" else "a") + "p" + name, MEN, phase=name)
        game.reveal(name, ("" if author == "ann" else "a") + "p" + name)
        game.decide("w" + name, OTHER[author], 1, "wing", "right", phase=name)
    game.declare("d2", "ann", 2, "p2")
    game.reveal("d2", "p2")
    return game

class TwoCourses(unittest.TestCase):
    """declare 16, 17, decide 4, courses 11"""

    def build(self):
        return first_that(two_courses, lambda game: game.state()["first"] == "ann")

    def test_a_void_takes_along_what_another_course_rolled_later(self):
        game = self.build()
        game.roll("raid", "ann", "praid", MEN, phase="north", turn=2)
        game.reveal("raid", "praid")
        game.decide("wing", "bob", 2, "wing", "right", phase="north")
        game.ask_void("early", "bob", "d2")
        game.void("raids", "raid")
        game.void("then", "d2")
        self.assertEqual(game.broken(), {"early": "correct 5"})

    def test_a_void_of_an_impulse_has_both(self):
        game = self.build()
        game.roll("raid", "ann", "praid", MEN, phase="north", turn=2)
        game.reveal("raid", "praid")
        both = sorted([game.ids["d2"], game.ids["raid"]])
        for name, some in (("one", [game.ids["d2"]]), ("both", both)):
            game.say(name, "bob", "correct", {"void": {"reason": "x", "scope": {
                "impulse": {"declarations": some, "impulse": 1, "turn": 2}}}})
        self.assertEqual(game.broken(), {"one": "correct 5"})

    def test_no_turn_behind_the_front_of_another_course(self):
        game = self.build()
        game.roll("raid", "ann", "praid", MEN, phase="north", turn=2)
        game.plain(3)
        game.declare("d3", "ann", 3, "p3")
        self.assertEqual(game.broken(), {"d3": "declare 17"})

    def test_who_asks_for_a_void_rolls_and_decides_nothing_in_another_course(self):
        game = self.build()
        game.seal("praid", "bob", "plain", "2/1/north/1")
        game.ask_void("void", "ann", "d2")
        game.roll("raid", "ann", "praid", MEN, phase="north", turn=2)
        self.assertEqual(game.broken(), {"raid": "declare 16"})
        game = self.build()
        game.roll("raid", "ann", "praid", MEN, phase="north", turn=2)
        game.reveal("raid", "praid")
        game.ask_void("void", "bob", "raid")
        game.decide("wing", "bob", 2, "wing", "right", phase="north")
        self.assertEqual(game.broken(), {"wing": "decide 4"})
        game.say("no", "ann", "correct", {"refuse": game.ids["void"]})
        game.decide("again", "bob", 2, "wing", "right", phase="north")
        self.assertEqual(game.broken(), {"wing": "decide 4"})

class Decisions(unittest.TestCase):

    def test_a_decision_meets_a_stall(self):
        game = lost()
        game.stall("stall", None, "declare")
        self.assertEqual(game.report()["verdict"], "undecided")
        game.decide("order", "bob", 2, "order", "second")
        self.assertEqual((game.broken(), game.report()["verdict"]), ({}, "verified"))

    def test_a_decision_in_breach_does_not(self):
        game = lost()
        game.stall("stall", None, "declare")
        game.decide("order", "bob", 2, "order", "third")
        self.assertEqual(game.broken(), {"order": "decide 5"})
        self.assertIn(("claim", "ann", "stall"), game.open())

    def test_a_ruling_that_forfeits_the_game_ends_all_stalls(self):
        game = lost()
        game.stall("stall", None, "declare")
        game.stall("other", None, "declare")
        game.forfeit("stall", "game")
        self.assertEqual((game.broken(), game.report()["verdict"]), ({}, "verified"))

    def test_a_second_decision_is_not_awaited(self):
        game = lost()
        game.decide("order", "bob", 2, "order", "second")
        game.decide("again", "bob", 2, "order", "first")
        self.assertEqual((game.broken(), game.state()["first"]), ({"again": "decide 4"}, "ann"))

class Notes(unittest.TestCase):
    """courses 12 to 14, ruling 4"""

    def build(self, salt=""):
        game = Play(salt=salt)
        game.plain(2, 3)
        game.note("note", 2)
        game.declare("d2", "ann", 2, "p2")
        return game

    def named(self, game=None):
        """Names dice for the turn by which Bob controls."""
        game = game or self.build()
        game.yield_dice("yield", "d2")
        game.names("names", "d2", [1, 1, 1, 2])
        return game

    def test_a_note_is_due_and_speaks(self):
        game = self.named()
        self.assertIn(("reveal", "bob", "note"), game.open())
        self.assertNotIn(("decide", "bob", "d2"), game.open())
        game.decide("past", "bob", 2, "order", "second")
        self.assertEqual((game.broken(), game.state()["pending"]["by"]), ({"past": "decide 4"}, "bob"))
        game.reveal("d2", "note")
        self.assertEqual((game.broken(), game.state()["first"]), ({"past": "decide 4"}, "bob"))
        game.declare("d3", "ann", 3, "p3")
        self.assertEqual(game.bodies["d3"]["after"], game.ids["names"])

    def test_a_note_that_a_declaration_found_is_not_killed(self):
        game = self.named()
        game.rule("kill", {"kill": game.ids["note"]})
        game.reveal("d2", "note")
        self.assertEqual((game.broken(), game.state()["first"]), ({"kill": "ruling 4"}, "bob"))

    def test_a_note_that_a_crossing_ruling_kills_is_owed_and_speaks(self):
        game = self.build()
        game.rule("kill", {"kill": game.ids["note"]}, ann="charter")
        self.named(game)
        self.assertIn(("reveal", "bob", "note"), game.open())
        game.stall("of the note", "note")
        game.decide("past", "bob", 2, "order", "second")
        game.reveal("d2", "note")
        self.assertEqual((game.broken(), game.state()["first"]), ({"past": "decide 4"}, "bob"))

    def test_a_note_that_was_killed_before_is_not_found(self):
        game = Play()
        game.plain(2, 3)
        game.note("note", 2)
        game.rule("kill", {"kill": game.ids["note"]})
        game.declare("d2", "ann", 2, "p2")
        self.named(game)
        game.stall("of the note", "note")
        game.reveal("d2", "note")
        game.decide("order", "bob", 2, "order", "second")
        self.assertEqual(game.broken(), {"of the note": "claim 5", "rnoted2": "reveal 2"})
        self.assertEqual(game.state()["first"], "ann")

    def test_a_claim_on_a_note_ends_when_it_is_opened(self):
        game = self.named()
        game.stall("of the note", "note")
        self.assertIn(("claim", "ann", "of the note"), game.open())
        game.reveal("d2", "note")
        self.assertNotIn(("claim", "ann", "of the note"), game.open())
        game.stall("again", "note")
        self.assertEqual(game.broken(), {"again": "claim 5"})

    def test_what_a_note_does_not_say_its_author_decides(self):
        for text in ('{"pop":[]}', "[]", '{"order":"third"}'):
            game = Play()
            game.plain(2, 3)
            game.note("note", 2, text)
            game.declare("d2", "ann", 2, "p2")
            self.named(game)
            game.reveal("d2", "note")
            game.decide("order", "bob", 2, "order", "second")
            self.assertEqual((game.broken(), game.state()["first"]), ({}, "ann"), text)

    def test_a_note_that_was_opened_too_soon_speaks_when_it_would_be_due(self):
        game = self.build()
        game.reveal("d2", "note")
        self.named(game)
        self.assertEqual((game.broken(), game.state()["first"]), ({"rnoted2": "reveal 6"}, "bob"))

    def test_a_reveal_names_a_declaration_that_found_the_note(self):
        game = self.build()
        game.seal("late", "bob", "note", "3/1/init/1/standing", text="{}")
        game.reveal("d2", "late")
        self.assertEqual(game.broken(), {"rlated2": "reveal 2"})

class Breaches(unittest.TestCase):
    """courses 7, 8, declare 11"""

    def test_an_input_that_the_state_does_not_take_is_done_again_with_another(self):
        game = popped()
        game.declare("d3", "ann", 3, "p3", markers=["m1"])
        self.assertIn(("redo", "ann", "d3"), game.open())
        game.declare("redo", "ann", 3, "fu", redo={"breach": game.ids["d3"]})
        game.reveal("redo", "fu")
        self.assertEqual((game.broken(), game.standing()["redo"]), ({"d3": "declare 15, settled"}, True))

    def test_another_breach_is_done_again_with_its_own_input(self):
        game = held()
        game.declare("d3", "ann", 3, "p3", lines=2)
        game.declare("redo", "ann", 3, "fu", redo={"breach": game.ids["d3"]}, order="second")
        self.assertEqual(game.broken(), {"d3": "declare 9", "redo": "declare 11"})

    def crossed(self):
        """turn 3 is in breach when turn 2 becomes void"""
        game = held()
        game.ask_void("void", "bob", "d2", ann="d2")
        game.declare("d3", "ann", 3, "p3", lines=2, sees={"bob": "rp2d2"})
        game.accept("yes", "ann", "void")
        return game

    def test_a_breach_of_a_place_that_is_not_awaited_does_not_bind(self):
        game = self.crossed()
        self.assertNotIn(("redo", "ann", "d3"), game.open())
        game.declare("redo", "ann", 3, "fu", redo={"breach": game.ids["d3"]})
        self.assertEqual(game.broken(), {"d3": "declare 9", "redo": "declare 11"})

    def test_a_turn_with_another_after_settles_it_at_once(self):
        game = self.crossed()
        game.declare("d22", "ann", 2, "p22", number=2)
        self.assertEqual((game.broken(), game.report()["verdict"]), ({"d3": "declare 9, settled"}, "verified"))
        game.reveal("d22", "p22")
        if game.state()["pending"]:
            game.decide("order", "bob", 2, "order", "second", number=2)
        self.assertNotIn(("redo", "ann", "d3"), game.open())
        game.declare("d32", "ann", 3, "p32", number=2)
        game.declare("redo", "ann", 3, "fu", redo={"breach": game.ids["d3"]}, order="second")
        self.assertEqual(game.broken(), {"d3": "declare 9, settled", "redo": "declare 11"})

    def test_it_settles_what_a_redo_in_breach_was_to_mend_too(self):
        game = held()
        game.ask_void("void", "bob", "d2", ann="d2")
        game.declare("d3", "ann", 3, "p3", lines=2, sees={"bob": "rp2d2"})
        game.declare("redo", "ann", 3, "fu", redo={"breach": game.ids["d3"]}, lines=2, sees={"bob": "rp2d2"})
        game.accept("yes", "ann", "void")
        game.declare("d22", "ann", 2, "p22", number=2)
        self.assertEqual(game.broken(), {"d3": "declare 9, settled", "redo": "declare 9, settled"})

class Redos(unittest.TestCase):
    """declare 14, 16; courses 9, 10"""

    def test_a_redo_takes_back_the_decision_behind_what_it_replaces(self):
        game = lost()
        game.decide("order", "bob", 2, "order", "second")
        self.assertEqual(game.state()["pending"], None)
        game.propose("ask", "ann", "d2", "second")
        game.accept("yes", "bob", "ask")
        game.declare("redo", "ann", 2, "fu", redo={"agreed": game.ids["yes"]}, order="second")
        self.assertEqual((game.broken(), game.state()), ({}, None))
        game.reveal("redo", "fu")
        self.assertEqual((game.broken(), game.standing()), ({}, {"d2": "redo", "redo": True}))

    def slip(self):
        """An agreed redo of d2 that is itself in breach."""
        game = lost()
        game.propose("ask", "ann", "d2", "second")
        game.accept("yes", "bob", "ask")
        game.declare("slip", "ann", 2, "fu", redo={"agreed": game.ids["yes"]}, order="second", lines=2)
        self.assertEqual(game.broken(), {"slip": "declare 9"})
        return game

    def test_the_breach_of_an_agreed_redo_is_done_again_as_agreed(self):
        game = self.slip()
        game.decide("order", "bob", 2, "order", "second")
        game.declare("other", "ann", 2, "fu", redo={"breach": game.ids["slip"]}, order="first", index=1)
        self.assertEqual(game.broken(), {"slip": "declare 9", "order": "decide 4", "other": "declare 11"})
        game.declare("redo", "ann", 2, "fu", redo={"breach": game.ids["slip"]}, order="second", index=2)
        self.assertIn(("reveal", "bob", "redo"), game.open())
        game.reveal("redo", "fu", 2)
        self.assertEqual(game.broken(), {"slip": "declare 9, settled", "order": "decide 4", "other": "declare 11"})
        self.assertEqual(game.standing(), {"d2": "redo", "redo": True})

    def test_its_after_is_that_of_what_it_replaces(self):
        for after, broken in (("d2", "declare 14"), (None, None)):
            game = self.slip()
            game.declare("redo", "ann", 2, "fu", redo={"breach": game.ids["slip"]}, order="second", index=1,
                         sees={"after": after})
            self.assertEqual(game.broken().get("redo"), broken)

    def test_the_redo_of_a_redo_has_the_same_after(self):
        game = self.slip()
        game.declare("redo", "ann", 2, "fu", redo={"breach": game.ids["slip"]}, order="second", index=1)
        game.reveal("redo", "fu", 1)
        game.propose("ask again", "ann", "redo", "first")
        game.accept("yes again", "bob", "ask again")
        game.declare("again", "ann", 2, "fu", redo={"agreed": game.ids["yes again"]}, order="first", index=2)
        game.reveal("again", "fu", 2)
        self.assertEqual((game.broken(), game.bodies["again"]["after"]), ({"slip": "declare 9, settled"}, None))
        self.assertEqual(game.standing(), {"d2": "redo", "redo": "again", "again": True})

    def test_nobody_rolls_on_while_he_waits_for_an_answer(self):
        game = held()
        game.ask_void("void", "ann", "d2")
        game.declare("d3", "ann", 3, "p3")
        self.assertEqual(game.broken(), {"d3": "declare 16"})

    def test_nobody_accepts_what_is_gone(self):
        game = held()
        game.propose("ask", "bob", "d2", "second", ann="d2")
        game.declare("d3", "ann", 3, "p3", sees={"bob": "rp2d2"})
        game.accept("yes", "ann", "ask")
        self.assertEqual(game.broken(), {"yes": "correct 4"})

    def test_who_has_seen_later_dice_accepts_no_redo(self):
        for given, answer, broken in ((ATTACK, "accept", {"answer": "correct 6"}), (ATTACK, "refuse", {}), (None, "accept", {})):
            game = Play([COMBAT])
            game.combat("d1", 1)
            game.reveal("d1", "cd1")
            game.seal("cd2", "bob", "coin", "2/1/combat/1")
            game.say("ask", "bob", "correct", {"propose": {
                "at_fault": "ann", "class": "illegal-odds", "declaration": game.ids["d1"], "input": given, "reason": ""}})
            game.combat("d2", 2, bob="cd2")                     # ann has not seen bob's proposal
            game.say("answer", "ann", "correct", {answer: game.ids["ask"]})
            self.assertEqual(game.broken(), broken, (given, answer))

    def test_nobody_proposes_what_the_state_before_does_not_take(self):
        game = popped()
        game.declare("d3", "ann", 3, "p3")
        game.reveal("d3", "p3")
        game.propose("barred", "bob", "d3", "second", ["m1"])
        game.propose("fine", "bob", "d3", "second", ["m2"])
        self.assertEqual(game.broken(), {"barred": "correct 2"})

    def test_nobody_proposes_a_redo_of_what_is_not_the_last(self):
        game = held()
        game.declare("d3", "ann", 3, "p3")
        game.propose("late", "bob", "d2", "second", ann="d2")
        game.propose("gone", "bob", "d2", "second")
        self.assertEqual(game.broken(), {"gone": "correct 6"})

class Rulings(unittest.TestCase):
    """ruling 10"""

    def test_a_referee_takes_nothing_back_in_a_course(self):
        game = held()
        game.propose("redo", "bob", "d2", "second")
        game.rule("agree to a redo", {"agree": game.ids["redo"]})
        game.say("no", "ann", "correct", {"refuse": game.ids["redo"]})
        game.ask_void("ask void", "bob", "d2")
        game.rule("agree to a void", {"agree": game.ids["ask void"]})
        game.say("nor", "ann", "correct", {"refuse": game.ids["ask void"]})
        game.say("record", "bob", "correct", {"propose": {
            "at_fault": "ann", "class": "illegal-odds", "declaration": game.ids["d2"], "input": None, "reason": ""}})
        game.rule("agree to a record", {"agree": game.ids["record"]})
        game.rule("void", {"void": {"declaration": game.ids["d2"]}})
        game.rule("line", {"void": {"rolls": {"declaration": game.ids["d2"], "lines": [1]}}})
        self.assertEqual(game.broken(), dict.fromkeys(
            ("agree to a redo", "agree to a void", "agree to a record", "void", "line"), "ruling 10"))
        self.assertEqual(game.standing(), {"d2": True})

    def test_he_forfeits_the_game_and_not_a_die(self):
        for forfeit, broken in (("declarer-names", {"forfeit": "ruling 10"}), ("game", {})):
            game = Play()
            game.plain(2)
            game.declare("d2", "ann", 2, "p2")
            game.stall("stall", "d2")
            game.forfeit("stall", forfeit)
            self.assertEqual(game.broken(), broken)

    def test_elsewhere_he_does(self):
        game = Play([phase("init"), ATTACKS])
        game.combat("c1", 1, "bob")
        game.say("r1", "ann", "reveal", {"declaration": game.ids["c1"], "keys": [[0, game.sets["cc1"][0].hex()]],
                                         "seal": game.ids["cc1"], "sheets": []})
        game.say("ask", "bob", "correct", {"propose": {
            "at_fault": "ann", "class": "illegal-odds", "declaration": game.ids["c1"], "input": None, "reason": ""}})
        game.rule("agree", {"agree": game.ids["ask"]})
        game.rule("void", {"void": {"declaration": game.ids["c1"]}})
        game.combat("c2", 2, "bob")
        self.assertEqual(game.broken(), {"c2": "declare 18"})   # the course has not begun
        game = Play([ATTACKS])
        game.combat("c1", 1, "bob")
        game.stall("stall", "c1", owes="ann")
        game.forfeit("stall")
        self.assertEqual(game.broken(), {})

RAIDS = {"title": "Raids", "source": "test", "sides": ["north", "south"], "main": {"north": "fate", "south": "fate"},
         "tables": {"fate": {"dice": "d6", "rows": {"1-6": "raid"}}},
         "kinds": {"company": {"marks": ["tired"]}},
         "events": {"raid": {"steps": [
             {"do": "choose", "by": "enemy", "ask": "wing", "of": "left right"},
             {"do": "pick", "kind": "company", "if": "wing = left"},
             {"do": "mark", "mark": "tired", "on": "company", "add": 1}]}}}
MEN = {"facts": {}, "roster": {"company": [{"name": "A"}, {"name": "B"}]}}
NO_MORE = {"facts": {}, "roster": {"company": []}}

RAID_PHASES = [phase(name, system="event-tables", settings={"first": "north", "sides": {"north": "ann", "south": "bob"}})
               for name in ("init", "then")]

def raids(note=None):
    game = Play(RAID_PHASES, tables={"event-tables": RAIDS})
    if note:
        game.note("note", 1, note)
    game.roll("d1", "ann", "p1", MEN)
    game.stall("stall", "d1")
    return game

class Events(unittest.TestCase):
    """event-tables, with letters"""

    def test_a_decision_comes_between_two_declarations_of_a_place(self):
        game = raids()
        game.reveal("d1", "p1")
        self.assertIn(("decide", "bob", "d1"), game.open())
        game.roll("early", "ann", "pe", NO_MORE, number=2)
        game.decide("wing", "bob", 1, "wing", "left")
        self.assertIn(("declare", "ann", "d1"), game.open())
        game.roll("full", "ann", "p3", MEN, number=3)
        self.assertEqual(game.broken(), {"early": "declare 14", "full": "declare 15"})
        game.rule("settle", {"settle": game.ids["full"]})
        self.assertEqual(len(game.report()["rolls"]), 1)

    def test_the_next_side_follows_once_all_is_rolled(self):
        game = raids()
        game.reveal("d1", "p1")
        game.decide("wing", "bob", 1, "wing", "left")
        game.roll("more", "ann", "p2", NO_MORE, number=2)
        game.roll("soon", "bob", "as", MEN, phase="then")
        game.reveal("more", "p2")
        self.assertEqual((game.broken(), len(game.state()["entries"])), ({"soon": "declare 14"}, 1))
        game.roll("d2", "bob", "a2", MEN, phase="then", number=2)
        game.reveal("d2", "a2")
        game.decide("other", "ann", 1, "wing", "right", number=2, phase="then")
        game.roll("d3", "ann", "p3", MEN, turn=2)
        self.assertEqual((game.broken(), game.standing()), ({"soon": "declare 14"}, {"d1": True, "more": True, "d2": True}))

    def test_a_standing_note_makes_the_decision(self):
        for said, awaited in (("left", ("declare", "ann", "d1")), ("right", None), ("up", ("decide", "bob", "d1"))):
            game = raids('{"wing":"%s"}' % said)
            game.yield_dice("yield", "d1")
            game.names("names", "d1", [6])
            self.assertIn(("reveal", "bob", "note"), game.open())
            game.reveal("d1", "note")
            self.assertEqual((game.broken(), len(game.report()["rolls"])), ({}, 1))
            self.assertEqual([x for x in game.open() if x[0] in ("declare", "decide", "reveal")], [awaited] if awaited else [])

    def test_a_charter_without_a_file_starts_no_game(self):
        game = Play(RAID_PHASES)
        self.assertEqual((game.report()["verdict"], game.report()["heads"]), ("refuted", {}))

    def test_a_charter_has_a_phase_for_each_side(self):
        game = Play(RAID_PHASES[:1], tables={"event-tables": RAIDS})
        self.assertEqual(game.report()["verdict"], "refuted")

class EventFiles(unittest.TestCase):
    """event-tables 1 to 9, 23 to 27"""

    def holds(self, **changes):
        return sd.read_event_file({**RAIDS, **changes}) is not None

    def test_what_is_no_text_is_no_target(self):
        self.assertTrue(self.holds())
        for to in (None, 1, [], {}, ["raid"], {"1-6": "raid"}):
            self.assertFalse(self.holds(tables={"fate": {"dice": "d6", "rows": {"1-6": to}}}))

    def test_dice(self):
        for dice, rows, good in (("d66", "11-66", True), ("1d6", "1-6", True), ("9d1000", "9-9000", True),
                                 ("0d6", "1-6", False), ("d1001", "1-1001", False), ("d06", "1-6", False),
                                 ("d66", "11-60", False), ("2d6", "2", False)):
            self.assertEqual(self.holds(tables={"fate": {"dice": dice, "rows": {rows: "raid"}}}), good, dice)

    def test_conditions(self):
        for condition, good in (("turn >= 2, not day", True), ("side = north", True), ("side < south", False),
                                ("company.tired = 0", True), ("company.hit = 0", False), ("turn = day", True),
                                ("turn  = 1", False), ("turn = 01", False), ("not turn = 1", False), ("side", False),
                                ("wing = up", False), (", ".join(["turn"] * 16), True), (", ".join(["turn"] * 17), False)):
            event = {**RAIDS["events"]["raid"], "when": condition}
            self.assertEqual(self.holds(events={"raid": event}), good, condition)

    def test_steps_of_a_run_have_an_end(self):
        def event(n, *last):
            return {"steps": [{"do": "tell", "say": "x"}] * n + list(last)}
        for modifiers, good in ((63, True), (64, False)):       # these and 1 for the table, 192 for the events
            events = {"a": event(64), "b": event(63, {"do": "go", "to": "a"}), "c": event(63, {"do": "go", "to": "b"})}
            table = {"dice": "d6", "rows": {"1-5": "nothing", "6": "c"}, "modifiers": ["1 if turn > 1"] * modifiers}
            file = {**RAIDS, "tables": {"fate": table}, "kinds": {}, "events": events}
            self.assertEqual(sd.read_event_file(file) is not None, good)

class Turns(unittest.TestCase):
    """event-tables 15, 26, 31, 34"""
    settings = {"first": "north", "sides": {"north": "ann", "south": "bob"}}

    def system(self, **changes):
        return sd.EventTables(sd.EventFile({**RAIDS, **changes}))

    def men(self, n):
        return {**MEN, "roster": {"company": [{"name": "N%d" % i} for i in range(n)]}}

    def test_looks_of_a_turn_have_an_end(self):
        where = ", ".join(["tired = 0"] * 16)
        picks = {"steps": [{"do": "pick", "kind": "company", "where": where}] * 60 + [
            {"do": "need", "kind": "company"}] * 4}             # 1,024 looks in each run
        system = self.system(
            tables={"fate": {"dice": "d6", "rows": {"1-6": "raid"}}}, events={"raid": picks})
        self.assertTrue(system.takes(self.settings, system.begin(self.settings), self.men(1024)))
        system = self.system(
            tables={"fate": {"dice": "d6", "rows": {"1-6": "nothing"}}}, each_turn={"north": ["raid"], "south": ["raid"]},
            events={"raid": {"each": "company", "steps": [{"do": "pick", "kind": "company", "as": "man", "where": where},
                                                          {"do": "mark", "mark": "tired", "on": "man", "add": 1}]}})
        for n, taken in ((248, True), (249, False)):            # 17 looks for each
            self.assertEqual(system.takes(self.settings, system.begin(self.settings), self.men(n)), taken)

    def test_dice_of_a_turn_have_an_end(self):
        rolls = [{"do": "roll", "die": "swim"}]
        for main, n, taken in ((0, 91, True), (0, 92, False), (1, 91, False)):  # 45 dice for each, and 1 for the table
            events = {"raid": {"each": "company", "steps": rolls * 5}, "last": {"steps": rolls * main + [{"do": "stop"}]}}
            system = self.system(
                dice={"swim": {"dice": "9d6"}}, events=events, each_turn={"north": ["raid"], "south": ["raid"]},
                kinds={"company": {}}, tables={"fate": {"dice": "d6", "rows": {"1-5": "nothing", "6": "last"}}})
            self.assertEqual(system.takes(self.settings, system.begin(self.settings), self.men(n)), taken, (main, n))

    def test_a_turn_at_the_bound_goes_fast(self):
        where = ", ".join(["company.tired >= 0"] * 16)
        system = self.system(
            tables={"fate": {"dice": "d6", "rows": {"1-6": "nothing"}}}, each_turn={"north": ["raid"], "south": ["raid"]},
            events={"raid": {"each": "company", "steps": [{"do": "pick", "kind": "company", "as": "man", "where": where},
                                                          {"do": "mark", "mark": "tired", "on": "man", "add": 1}]}})
        began = time.perf_counter()
        drawn, _ = system.play(self.settings, system.begin(self.settings), self.men(248), {}, lambda k, sides: sides)
        self.assertEqual(len(drawn), 249)
        self.assertLess(time.perf_counter() - began, 20)

    def test_what_is_written_has_no_blank_at_its_ends(self):
        write = {"do": "write", "by": "owner", "ask": "note", "parts": "word", "at_most": 2}
        system = self.system(tables={"fate": {"dice": "d6", "rows": {"1-6": "raid"}}}, kinds={}, events={"raid": {"steps": [write]}})
        begun = {"facts": {}, "roster": {}}
        state = system.play(self.settings, system.begin(self.settings), begun, {}, lambda *_: 1)[1][0]
        for text, good in (("a b", True), (" a", False), ("a ", False), (" ", False), ("", False), ("a", True)):
            self.assertEqual(system.decide(self.settings, state, "ann", "note", [[text]]) is not None, good, text)

class Reports(unittest.TestCase):

    def test_a_game_that_is_not_replayed_has_no_heads_and_no_courses(self):
        game = Play([phase("init", private=True)])
        self.assertEqual((game.report()["heads"], game.report()["courses"]), ({}, []))
        self.assertEqual(game.report()["verdict"], "refuted")

if __name__ == "__main__":
    unittest.main()
