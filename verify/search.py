#!/usr/bin/env python3
"""Searches for holes in the rules: random games in which one party cheats, judged by the checker `sealed_dice.py`.

    python3 verify/search.py GAMES [SEED]

Two players, perhaps a referee and an office, play with coin envelopes, contributions, foul-ups, sheets, orders at once
and a course. One of these parties is hostile: they fork, hide letters, show different letters to different readers, and
know every letter as soon as it is signed. The others do what their programs tell them: they continue from what stands
in the letters that they hold, sign only what is valid there, and open only what is due. Some of them are restored from
an old folder. At the end, `faults_of` reports what must never happen. Letters carry no signatures, because a signature
does not affect the rules that are searched here.
"""

import json
import random
import sys
from collections import defaultdict
from types import SimpleNamespace
from unittest import mock

import sealed_dice as sd

PLAYERS = ("ann", "bob")
OTHER = {"ann": "bob", "bob": "ann"}
COIN = {"chart": "house", "double_letters": "doubled", "envelopes": 2, "grammar": "letters", "list_automatic": True,
        "values": "1-6"}
OCS = {"sides": list(PLAYERS), "first_player": "ann", "flux_holder": "first_mover", "pop_then_second": False}
ORDERS = {"by": None, "how": "simultaneous", "name": "orders"}
KEY = "09" + "00" * 31                                          # the key in every deposit; no letter carries a deposit

def fresh(rng):
    return "%064x" % rng.getrandbits(256)

def bits(mask):
    """Returns the numbers of the bits of a mask, in ascending order."""
    return [bit.bit_length() - 1 for bit in sd.bits_of(mask)]

def phase(name, declarer, **more):
    return {"decisions": [], "declarer": declarer, "impulses": [1], "name": name, "private": False,
            "revealer": "sealer", "settings": COIN, "source": "coin", "system": "coin-envelopes", **more}

class World:
    """One game: every letter that was signed, who holds it, and the secrets of the sets. A set of letters is an
    integer: bit i is the letter that was signed as number i, counted from 0."""

    def __init__(self, seed, **chosen):
        """Sets up a game with this seed. `chosen` may fix its parties and phases; the rest is random."""
        self.rng = rng = random.Random(seed)
        self.letters, self.index = [], {}                       # (id, author, payload); each id's number
        self.knew = {}                                          # by letter: what its author held when signing it
        self.past, self.waits = [], set()                       # each letter's past; letters that name a missing one
        self.masters, self.deposited = {}, set()                # by the salt of a set; ids of sets
        self.games = {}                                         # the replay of each set of letters
        self.blames = []                                        # honest roles that an honest role's replay blames
        self.restored, self.waiting, self.epoch_due = set(), {}, set()
        self.snapshots, self.tips, self.log = {}, {}, []
        self.referee = chosen.get("referee", rng.choice([None, "plain", "deposits"]))
        self.office = chosen.get("office", rng.choice([None, "deposits", "deposits", "witness"]))
        self.thirds = [role for role, there in (("carol", self.referee), ("off", self.office)) if there]
        self.roles = [*PLAYERS, *self.thirds]
        self.hostile = chosen.get("hostile", rng.choice([*PLAYERS, *self.roles]))
        self.honest = [role for role in self.roles if role != self.hostile]
        self.phases = chosen.get("phases") or self.choose_phases()
        self.begin()

    def choose_phases(self):
        rng, office = self.rng, self.office == "deposits"
        revealer = "office" if office else "sealer"
        known = [
            phase("combat", "ann", revealer=rng.choice(["sealer", revealer])),
            phase("attack", "bob", revealer=revealer),
            phase("scouts", "ann", private=True, revealer=revealer),
            phase("battle", "bob", decisions=[ORDERS]),
            phase("initiative", None, settings=OCS, source="plain", system="ocs-initiative", revealer=revealer),
            phase("supply", "ann", settings={"values": "1-6"}, source="sheet", system="icrk", revealer=revealer)]
        chosen = rng.sample(known[:5], 2) + [known[5]] * (rng.random() < .1)
        return sorted(chosen, key=known.index)

    def begin(self):
        """Writes the charter and its accepts, which everybody holds."""
        deposit = {"key": KEY, "notes": self.rng.random() < .5}
        parties = [{"key": self.key(role), "name": role, "role": role} for role in self.roles]
        third = {party["role"]: {**party, "deposit": None} for party in parties[2:]}
        if self.referee == "deposits":
            third["carol"]["deposit"] = deposit
        if self.office == "deposits":
            third["off"]["deposit"] = deposit
        terms = {
            "title": "t", "nonce": "00" * 32, "compared": True, "parties": parties[:2], "referee": third.get("carol"),
            "office": third.get("off"), "phases": self.phases, "tables": {}, "hard_core": False, "penalties": [],
            "continues": None,
            "foul_up": {"envelopes": 3, "revealer": "office" if self.office == "deposits" else "sealer",
                        "remedies": dict.fromkeys(("illegal-move", "illegal-odds", "wrong-list"), "redo")},
            "deadlines": [{"days": 1, "forfeit": forfeit, "step": step} for step, forfeit in (
                ("reveal", "declarer-names"), ("reveal", "game"), ("declare", "game"))],
            "sets_at_start": {"foul-up": 0, "sheet": 0}}
        charter = self.write("ann", "charter", terms, None, dict.fromkeys(self.roles[1:]), None)
        name = self.letters[charter][0]
        body, unseen = {"charter": name, "compared": True, "nonce": "00" * 32}, dict.fromkeys(self.roles)
        accepts = {}
        for role in [*self.thirds, "bob"]:
            seen = {**unseen, "ann": name}
            if role == "bob":
                seen.update({x: self.letters[k][0] for x, k in accepts.items()})
            del seen[role]
            accepts[role] = self.write(role, "accept", body, None, seen, name)
        self.game = self.letters[accepts["bob"]][0]
        self.ends = {"ann": charter, **accepts}                 # the last letter that each role has signed
        self.held = dict.fromkeys(self.roles, (1 << len(self.letters)) - 1)

    def key(self, role):
        return "%064x" % (1 + ["ann", "bob", "carol", "off"].index(role))

    # Letters

    def write(self, author, kind, body, prev, seen, game=None):
        """Adds a letter that follows the letter with number `prev`, and returns the new letter's number."""
        number = 1 if prev is None else self.letters[prev][2]["head"]["number"] + 1
        payload = {"body": body, "head": {
            "author": author, "game": game or (None if prev is None else self.game), "kind": kind, "number": number,
            "prev": None if prev is None else self.letters[prev][0], "seen": seen, "v": 1}}
        message_id = sd.H("message-id", sd.TYPE, sd.encode(payload)).hex()
        if message_id in self.index:
            return self.index[message_id]
        k = self.index[message_id] = len(self.letters)
        self.letters.append((message_id, author, payload))
        past = 0
        for name in sd.Letter(message_id, "", payload).names:
            if name not in self.index or self.index[name] in self.waits:
                self.waits.add(k)
            else:
                past |= self.past[self.index[name]] | 1 << self.index[name]
        self.past.append(past)
        return k

    def drop_last(self):
        """Removes the last letter, which nobody was given."""
        message_id, _, _ = self.letters.pop()
        del self.index[message_id]
        self.past.pop()
        self.waits.discard(len(self.letters))
        for mask in [mask for mask in self.games if mask >> len(self.letters)]:
            del self.games[mask]

    def replay(self, mask):
        """Returns the checker's replay of these letters."""
        mask |= (1 << len(self.roles)) - 1                      # the charter and its accepts
        if mask not in self.games:
            made = [sd.Letter(message_id, self.key(author), payload) for k in bits(mask)
                    for message_id, author, payload in [self.letters[k]]]
            charter, before = made[0], made[1:len(self.roles) - 1]
            self.games[mask] = sd.Game(charter, made[len(self.roles) - 1], before, made[len(self.roles):], [])
        return self.games[mask]

    def view(self, role):
        """Returns the replay of what an honest role holds, and records wrong blame in it."""
        game = self.replay(self.held[role])
        for found in game.findings:
            if self.is_wrongly_blamed(found):
                self.blames.append((role, found["text"]))
        return game

    def is_wrongly_blamed(self, found):
        """Whether a finding blames somebody who did what their program told them. Restored parties are to blame for
        their own forks (keys 3)."""
        is_fork = len(found["message_ids"]) > 1
        return found["culprit"] in self.honest and not (is_fork and found["culprit"] in self.restored)

    def hostile_forks(self, game):
        return [fork for fork in game.find_forks() if fork[0].author == self.hostile]

    def all(self):
        return (1 << len(self.letters)) - 1

    def give(self, role, mask):
        self.held[role] |= mask

    def sign(self, role, kind, body, prev, seen, mask, must_hold=True):
        """Signs a letter and returns its number. With `must_hold`, only if the letter stands and breaks no rule in a
        replay of `mask` and the letter itself; otherwise None."""
        before = len(self.letters)
        k = self.write(role, kind, body, prev, seen)
        if k < before:
            return None
        if must_hold and not self.may_sign(k, mask):
            self.drop_last()
            return None
        self.knew[k] = mask
        self.ends[role] = k
        self.give(role, 1 << k)
        if self.hostile != role:
            self.give(self.hostile, self.held[role])
        if kind == "seal" and (role != self.hostile or self.rng.random() < .8):
            self.deposited.add(self.letters[k][0])
        self.log.append((k, role, kind, body, prev, seen))
        return k

    def may_sign(self, k, mask):
        """Whether an honest program signs a letter: it must be good in all letters that the program holds, and in the
        letter's past alone, which is all that others may have. (An office does not look at the past alone: its openings
        choose.)"""
        by_office = self.letters[k][1] == "off"
        return self.holds(k, mask | 1 << k) and (by_office or self.holds(k, self.past[k] | 1 << k))

    def holds(self, k, mask):
        """Whether a letter stands and breaks no rule, in a replay of `mask`."""
        letter = self.replay(mask).letters[self.letters[k][0]]
        return letter.bit and letter.stands and not letter.broke

    # Letters that a role may sign, by a replay

    def choices(self, game, role):
        """Returns two lists of pairs of a kind and a body: what is due, and what else the role may sign."""
        if role == "off":
            return self.office_choices(game)
        if role == "carol":
            return self.referee_choices(game)
        return self.player_choices(game, role)

    def slots(self, phases):
        return [(one, {"impulse": 1, "number": number, "phase": one["name"], "turn": turn})
                for one in phases if one["declarer"] for turn in (1, 2) for number in (1, 2)]

    def player_choices(self, game, me):
        rng, other = self.rng, OTHER[me]
        due, free = [], [("claim", {"dispute": {"letters": [self.game], "text": str(rng.random())}})]
        for one, slot in self.slots(self.phases):
            purpose, used = sd.write_slot(slot), game.marks["slot", one["declarer"], sd.write_slot(slot)]
            again = slot["number"] > 1 and not game.marks["slot", one["declarer"], sd.write_slot({**slot, "number": 1})]
            if one["source"] == "coin" and one["declarer"] == other and not again:
                free += self.seal(game, me, "coin", purpose, COIN["envelopes"])
            if one["decisions"] and not again:
                free += self.seal(game, me, "note", purpose + "/orders", 1)
                mine, theirs = (sd.good_for(game, role, "note", purpose + "/orders", -1) for role in (me, other))
                if mine and theirs and not game.openers[mine[0].id, 0]:
                    due.append(self.reveal(None, mine[0], [(0,)]))
            if one["declarer"] == me and not used:
                free += self.declare(game, me, one, slot) * 4
            if one["private"]:
                free += self.seal(game, one["declarer"], "contribution", "contribution/1", 4) * (one["declarer"] == me)
            if one["source"] == "sheet" and one["declarer"] == other:
                free += self.seal(game, me, "sheet", "sheet/1", 400)
        for course in game.courses.values():
            self.on_course(game, me, course, due, free)
        if rng.random() < .2:
            free += self.seal(game, me, "foul-up", "foul-up/1", 3)
        for breach in self.last_breaches(game, me):
            due += self.redo(game, me, breach, {"breach": breach.id})
        for acceptance in sd.redos_due(game, me, game.end):
            old = sd.due_for(game, acceptance)
            asked = sd.proposal_of(game, acceptance).body["propose"]
            due += self.redo(game, me, old, {"agreed": acceptance.id}, asked["input"])
        for x in game.order:
            if not x.stands or x.kind not in ("declare", "correct", "claim", "ruling", "close", "seal"):
                continue
            if x.kind == "declare" and x.valid and x.rolls:
                self.on_declaration(game, me, x, due, free)
            elif x.valid and sd.is_proposal(x) and x.author == other and not sd.proposal_answered(game, x):
                due.append(("correct", {rng.choice(["accept", "refuse"]): x.id}))
            elif sd.is_stall_or_dispute(x) and "stall" in x.body and x.author == me and rng.random() < .2:
                free.append(("claim", {"withdraw": x.id}))
            elif x.valid and sd.forfeited_by(game, x):
                target = game.letters[sd.forfeited_by(game, x)]
                if target.author == me and not game.marks["names", target.id]:
                    dice = [6] * len(target.rolls) if target.work.select else [6, 1, 1, 2]
                    due.append(("claim", {"names": {"declaration": target.id, "forfeit": x.id, "dice": dice}}))
        closed = game.marks["close", other]
        if not sd.has_masters(game, me) and (closed or rng.random() < .02):
            seals = [x for x in game.order if x.kind == "seal" and x.author == me and game.acts(x)]
            masters = [{"master": self.masters[x.body["salt"]].hex(), "seal": x.id} for x in seals] if closed else None
            free.append(("close", {"masters": masters, "result": None}))
        return due, free

    def on_course(self, game, me, course, due, free):
        """Adds what a player may sign for the place where the course stands, and for the next place."""
        rng, (one,) = self.rng, [x for x in self.phases if x["declarer"] is None]
        stood, state, awaited = game.end.stood[course.name], course.state(game.end), course.awaited(game.end)
        note = course.due(game.end)
        if note and note.author == me:
            due.append(self.reveal(stood.declaration, note, [(0,)]))
        elif state.role == me and not awaited and stood.declaration:
            value = rng.choice(["first", "second"]) if state.awaits == "order" else rng.choice([[], ["m1"]])
            due.append(("decide", {"after": stood.id, "name": state.awaits, "slot": stood.declaration.body["slot"],
                                   "value": value}))
        turn = awaited[0][0] if awaited else 0
        for number in (1, 2) if turn else ():
            slot = {"impulse": 1, "number": number, "phase": one["name"], "turn": turn}
            if number == 1 or any(game.marks["slot", role, sd.write_slot({**slot, "number": 1})] for role in PLAYERS):
                free += self.seal(game, me, "plain", sd.write_slot(slot), 1) * 2
            if rng.random() < .3:
                free += self.seal(game, me, "note", sd.write_slot(slot) + "/standing", 1)
            if awaited[1] == me and not game.marks["slot", me, sd.write_slot(slot)]:
                free += self.declare(game, me, one, slot, stood.id) * 4

    def on_declaration(self, game, me, x, due, free):
        """Adds what a player may sign about a valid declaration that stands."""
        seal = game.letters[x.body["seal"]]
        if not sd.is_settled_by(game, x):
            if seal.author == me and not sd.is_up_to_office(game, seal, x, -1):
                due.append(self.reveal(x, seal, x.places))
            if x.author == me and self.rng.random() < .3:
                free.append(("claim", {"stall": {"letter": x.id, "owes": OTHER[me], "step": "reveal", "text": ""}}))
            elif self.rng.random() < .1:
                free.append(("claim", {"yield": {"declaration": x.id, "forfeit": "declarer-names", "text": ""}}))
        elif sd.is_answered(game, x):
            if x.secret and x.author == me and not game.openers[x.secret]:
                mine = game.letters[x.secret[0]]
                free.append(self.reveal(x, mine, [x.secret]))
            if self.rng.random() < .6:
                return
            scope = {"declaration": x.id}
            again = self.input_for(game.phases[x.body["slot"]["phase"]], True)
            free.append(self.rng.choice([
                ("correct", {"void": {"reason": "x", "scope": scope}}),
                ("correct", {"propose": {"at_fault": me, "class": "illegal-odds", "declaration": x.id, "input": again,
                                         "reason": ""}})]))

    def last_breaches(self, game, me):
        mine = [x for x in game.order if x.author == me and x.stands]
        return mine[-1].breaches if mine else []

    def seal(self, game, me, kind, purpose, n):
        """Returns a set for a purpose, or nothing if there is one already."""
        if sd.good_for(game, me, kind, purpose, -1):
            return []
        declarer = me if kind in ("note", "contribution") else OTHER[me]
        body = {"kind": kind, "purpose": purpose, "declarer": declarer, "n": n, "salt": fresh(self.rng),
                "notes": ["00" * 272] if kind == "note" else None, "commits": [], "revealer": me}
        draft = SimpleNamespace(body=body, kind="seal", author=me, game=self.game)
        draft.fallback = sd.fallback_of(game, draft)
        body["revealer"] = sd.revealer_of(game, draft)
        master = self.masters[body["salt"]] = sd.H("salt", bytes.fromhex(body["salt"]))
        items = sd.context_of(draft)
        places = [(k, 10) for k in range(40)] if kind == "sheet" else [(k,) for k in range(n)]
        body["commits"] = [sd.commitment(items, place, sd.key_of(items, master, place)).hex() for place in places]
        return [("seal", body)]

    def reveal(self, declaration, seal, places):
        """Returns a reveal with the keys of places. Each place may begin with the set's id."""
        places = sd.selected([place[1:] if isinstance(place[0], str) else place for place in places])
        return "reveal", {"declaration": declaration and declaration.id, "seal": seal.id, **self.keys(seal, places)}

    def keys(self, seal, places):
        master, items = self.masters[seal.body["salt"]], sd.context_of(seal)
        carried = [[*place, sd.key_of(items, master, place).hex()] for place in places]
        return {"keys": carried, "sheets": []} if seal.body["kind"] != "sheet" else {"keys": [], "sheets": carried}

    def input_for(self, one, redo=False):
        if one["source"] == "sheet":
            return {"rolls": [{"cell": None if redo else "A1", "why": "supply"}]}
        if one["source"] == "plain":
            return {"markers": ["m1"], "order": self.rng.choice(["first", "second", None]), "pop": None}
        hexes = self.rng.choice(["F12", "G13", "E2"])
        return {"attacks": [{"hexes": [hexes], "id": "a1", "odds": self.rng.choice(["3-1", "2-1"]), "order": None}]}

    def declare(self, game, me, one, slot, after=None):
        source, purpose = one["source"], sd.write_slot(slot)
        purpose = "sheet/1" if source == "sheet" else purpose
        seals = sd.good_for(game, OTHER[me], source, purpose, -1)
        if not seals:
            return []
        value = self.input_for(one)
        if source == "sheet":
            depth = sd.spent(game, SimpleNamespace(body={"seal": seals[0].id}, chain=-1, past=-1)).get(0, 0)
            if depth > 9:
                return []
            value["rolls"][0]["cell"] = "A%d" % (depth + 1)
        work = sd.read_input(game, one, value, False)
        return self.declaration(game, me, one, slot, seals[0], work, work.select, None, {"none": None}, after)

    def redo(self, game, me, old, how, value=None):
        one = game.phases[old.body["slot"]["phase"]]
        seals = sd.good_for(game, OTHER[me], "foul-up", "foul-up/1", -1)
        is_redo = value is not None or sd.how_redone(old) is not None
        first = sd.read_input(game, one, value or old.body["input"], is_redo)
        if not seals or first is None or not first.rolls:
            return []
        if value is None:
            value = sd.SYSTEMS[one["system"]].form_for_redo(first.input)
        work = sd.read_input(game, one, value, True)
        index = sd.lowest_free(game, game.end, seals[0])
        select = {"foul_up": {"index": index or 0, "lines": len(work.rolls)}}
        course = sd.course_of(game, old)
        agreed = "agreed" in how or sd.replaced_by(game, old)
        after = old.body["after"] if agreed or not course else game.end.stood[course.name].id
        return self.declaration(game, me, one, old.body["slot"], seals[0], work, select, how, old.body["moves"], after)

    def declaration(self, game, me, one, slot, seal, work, select, redo, moves, after=None):
        contribution = {"open": fresh(self.rng)}
        if one["private"]:
            mine = sd.good_for(game, me, "contribution", "contribution/1", -1)
            if not mine:
                return []
            contribution = {"sealed": {"index": sd.lowest_free(game, game.end, mine[0]) or 0, "seal": mine[0].id}}
        select = json.loads(sd.encode(select))                  # turns tuples into lists
        return [("declare", {"after": after, "contribution": contribution, "input": work.input, "moves": moves,
                             "redo": redo, "seal": seal.id, "select": select, "slot": slot})]

    def office_choices(self, game):
        due, free = [], [self.tell_time()]
        back = []
        for x in game.order:
            if not x.stands or not x.valid or x.kind not in ("seal", "declare"):
                continue
            seal = x if x.kind == "seal" else game.letters.get(x.body["seal"])
            mine = self.office == "deposits" and seal and seal.body["revealer"] == "off" and seal.id in self.deposited
            if mine and x.kind == "seal" and not game.marks["held", "off", x.id] and not sd.is_killed(game, x, -1):
                due.append(("receipt", {"deposit": {"seals": [x.id]}}))
            if mine and sd.is_with_office(game, seal, -1):
                back.append(seal.id)
                if x.kind == "declare" and x.rolls and not sd.is_answered(game, x):
                    due.append(self.reveal(x, seal, x.places))
                elif x.kind == "seal" and sd.is_note(x) and not game.openers[x.id, 0] and sd.good_for(
                        game, OTHER[x.author], "note", x.body["purpose"], -1):
                    due.append(self.reveal(None, x, [(0,)]))
        if back and self.rng.random() < .05:
            free.append(("receipt", {"hand_back": {"seals": [self.rng.choice(back)]}}))
        return due, free

    def tell_time(self, deed="time"):
        return "receipt", {deed: {"at": len(self.letters)}}

    def referee_choices(self, game):
        due, free, rng = [], [], self.rng
        for x in game.order:
            if not x.stands:
                continue
            if x.kind == "seal" and x.valid:
                if x.fallback and x.id in self.deposited and not game.marks["held", "carol", x.id]:
                    due.append(("receipt", {"deposit": {"seals": [x.id]}}))
                if rng.random() < .1 and not any(game.openers[x.id, k] for k in range(3)):
                    free.append(self.ruling({"kill": x.id}))
            elif sd.is_stall_or_dispute(x) and sd.claim_stands(game, x):
                free.append(self.ruling({"dismiss": x.id}))
                if "stall" in x.body and x.body["stall"]["owes"] == self.hostile:
                    due.append(self.ruling({"request": x.id}))
            elif x.kind == "ruling" and x.valid and "request" in x.body["rule"]:
                free += self.on_request(game, x)
            elif x.kind == "declare" and x.valid and x.rolls and sd.is_shown(game, x) and rng.random() < .2:
                free.append(self.ruling({"void": {"declaration": x.id}}))
            elif x.valid and sd.is_proposal(x) and not sd.proposal_answered(game, x) and rng.random() < .3:
                free.append(self.ruling({"agree": x.id}))
        mine = [x.id for x in game.order if x.author in PLAYERS and not game.marks["settle", x.id]]
        free += [self.ruling({"settle": rng.choice(mine)})] if mine else []
        return due, free

    def on_request(self, game, request):
        """Returns an honest referee's rulings after a request. Honest parties answer when asked, so only the hostile
        party lets the days pass."""
        claim = sd.claim_of(game, request.id)
        stall = claim.body["stall"]
        if stall["owes"] != self.hostile or not sd.claim_stands(game, claim):
            return []
        target = game.letters.get(stall["letter"])
        if target and target.kind == "declare" and sd.is_held(game, target):
            seal = game.letters[target.body["seal"]]
            opening = {"request": request.id, **self.keys(seal, sd.selected([place[1:] for place in target.places]))}
            return [self.ruling({"open": opening})]
        forfeit = "declarer-names" if target and target.kind == "declare" else "game"
        return [self.ruling({"forfeit": {"forfeit": forfeit, "request": request.id}})]

    def ruling(self, rule):
        return "ruling", {"rule": rule, "text": ""}

    # Honest parties

    def act(self, role):
        """Lets an honest party sign something, if there is something to sign."""
        rng = self.rng
        if role in self.waiting:                                # keys 3, office 25: asks everybody first
            self.hear_answer(role)
            return
        game = self.view(role)
        if role in self.epoch_due or role == "off" and self.has_forgotten(role):
            if self.offer(role, game, self.tell_time("epoch")) is not None:
                self.epoch_due.discard(role)
            return
        due, free = self.choices(game, role)
        rng.shuffle(due)
        rng.shuffle(free)
        for kind, body in (due + free if rng.random() < .8 else free + due)[:3]:
            if self.offer(role, game, (kind, body)) is not None:
                return

    def offer(self, role, game, what):
        """Lets an honest party sign this if it is valid in what they hold and depends on no missing letter."""
        prev = self.tips[role] if role == "off" and role in self.tips else self.head(game, role)
        if prev is None:
            return None
        k = self.sign(role, *what, prev, self.seen(game, role, prev), self.held[role])
        if k is not None and role == "off":
            self.tips[role] = k
        return k

    def has_forgotten(self, role):
        """office 25: whether letters of the role's own turned up that its chain does not follow"""
        if role not in self.restored:
            return False
        mine = [k for k in bits(self.held[role]) if self.letters[k][1] == role]
        known = self.past[self.tips[role]] | 1 << self.tips[role]
        lost = [k for k in mine if not known >> k & 1 and k not in self.waits]
        forks = [k for k in lost if k > self.tips[role] or not any(
            "epoch" in self.letters[e][2]["body"] for e in bits(known) if self.letters[e][1] == role)]
        return bool(forks)

    def head(self, game, role):
        """Returns the number of the letter that a role continues from, or None at a fork of their own where no branch
        stands."""
        last = [x for x in game.order if x.author == role and x.stands]
        if any(x.prev == last[-1].id and x.attached for x in game.order):
            return None
        return self.index[last[-1].id]

    def seen(self, game, me, prev):
        """chain 3: the last standing letter of each other role, but never one further back on its chain"""
        found = {}
        for role in self.roles:
            if role == me:
                continue
            old = game.letters.get(self.letters[prev][2]["head"]["seen"].get(role))
            theirs = [x for x in game.order if x.author == role and x.stands]
            new = theirs[-1] if theirs else None
            if role == "off" and theirs:                        # all of the office's branches stand
                past = self.past[prev] | 1 << prev
                unknown = [x for x in theirs if not past >> self.index[x.id] & 1]
                new = unknown[-1] if unknown else old
            if new and me in PLAYERS and role in PLAYERS:
                new = self.liked(game, new)
            if old and (not new or new.bit & old.chain):
                new = old
            found[role] = new and new.id
        return found

    def liked(self, game, head):
        """Chooses for a player among the branches of the other player's fork that nobody has continued."""
        after = [x for x in game.order if x.prev == head.id and x.attached]
        while after:
            head = self.rng.choice(after)
            after = [x for x in game.order if x.prev == head.id and x.attached]
        return head

    def hear_answer(self, role):
        if self.waiting[role]:
            who = self.rng.choice(sorted(self.waiting[role]))
            self.waiting[role].discard(who)
            self.give(role, self.held[who])
        if not self.waiting[role]:
            del self.waiting[role]
            if role == "off":
                mine = [k for k in bits(self.held[role]) if self.letters[k][1] == role and k not in self.waits]
                self.tips[role] = max(mine, key=lambda k: (self.letters[k][2]["head"]["number"], k))
                self.epoch_due.add(role)

    def restore(self, role):
        """Restores a role's folder from its snapshot."""
        self.held[role] = self.snapshots.pop(role)
        self.restored.add(role)
        self.tips.pop(role, None)
        asked = PLAYERS if role == "off" else self.roles
        self.waiting[role] = {x for x in asked if x in self.honest and x != role}
        self.log.append(("restored", role))

    # The hostile party

    def cheat(self):
        """Lets the hostile party sign a letter as if they knew only part of what they know, or ignored the rules."""
        rng, me = self.rng, self.hostile
        mine = [k for k in range(len(self.letters)) if self.letters[k][1] == me]
        prev = mine[-1] if rng.random() < .5 else rng.choice(mine[-5:])
        before = self.letters[prev][2]["head"]["seen"]
        seen, lazy = {}, rng.random() < .4
        for role in self.roles:
            if role == me:
                continue
            theirs = [k for k in range(len(self.letters)) if self.letters[k][1] == role and k not in self.waits]
            draw = rng.random()
            if draw < (.7 if lazy else .1):
                seen[role] = before.get(role)
            elif draw < .9:
                seen[role] = self.letters[theirs[-1]][0]
            else:
                seen[role] = self.letters[rng.choice(theirs)][0]
        if rng.random() < .02:
            seen[rng.choice(list(seen))] = fresh(rng)          # an invented letter
        mask = self.past[prev] | 1 << prev | (1 << len(self.roles)) - 1
        for name in seen.values():
            if name in self.index:
                mask |= self.past[self.index[name]] | 1 << self.index[name]
        game = self.replay(mask)
        due, free = self.choices(game, me)
        options = due + free + self.mischief(game)
        if not options:
            return
        kind, body = rng.choice(options)
        if kind in ("declare", "decide") and rng.random() < .1:
            made = [x.id for x in game.order if x.kind in ("declare", "decide")]
            body = {**body, "after": rng.choice([None, *made])}
        k = self.sign(me, kind, body, prev, seen, mask, must_hold=rng.random() < .8)
        if k is not None and rng.random() < .7:
            self.show(k)

    def mischief(self, game):
        """Returns what no program would sign."""
        me, rng = self.hostile, self.rng
        found = []
        seals = [x for x in game.order if x.kind == "seal" and x.body["salt"] in self.masters]
        known = [x for x in seals if x.author == me or me in (x.body["revealer"], x.fallback)]
        if known:
            seal = rng.choice(known)
            place = (0, 1) if seal.body["kind"] == "sheet" else (rng.randrange(len(seal.body["commits"])),)
            asked = [x for x in game.order if x.kind == "declare" and x.body["seal"] == seal.id]
            found.append(self.reveal(rng.choice(asked) if asked else None, seal, [place]))
        if me in PLAYERS:
            declared = [x for x in game.order if x.kind == "declare"]
            if declared:
                found.append(("claim", {"names": {"declaration": rng.choice(declared).id, "dice": [6],
                                                  "forfeit": self.game}}))
        if me == "off":
            found += [self.tell_time("epoch")] * 2
        return found

    def show(self, k):
        """Shows a letter to honest parties, with everything that it names or alone."""
        rng = self.rng
        mask = 1 << k | (self.past[k] if rng.random() < .95 else 0)
        for role in rng.choice([self.honest, [rng.choice(self.honest)], [rng.choice(self.honest)]]):
            self.give(role, mask)
            if rng.random() < .6:
                self.act(role)

    # A game

    def step(self):
        rng, draw = self.rng, self.rng.random()
        if draw < .30:
            self.act(rng.choice(self.honest))
        elif draw < .62:
            self.cheat()
        elif draw < .74:
            mine = [k for k in range(len(self.letters)) if self.letters[k][1] == self.hostile]
            self.show(rng.choice(mine[-6:]))
        elif draw < .90:
            giver, taker = rng.choice(self.honest), rng.choice(self.honest)
            self.give(taker, self.held[giver])
        elif draw < .96:
            role = rng.choice(self.honest)
            self.snapshots.setdefault(role, self.held[role])
        elif self.snapshots:
            self.restore(rng.choice(sorted(self.snapshots)))

    def open_game(self):
        """Seals and deposits sets, and shows everybody everything."""
        for _ in range(self.rng.randrange(6, 16)):
            role = self.rng.choice([*PLAYERS, *self.roles])
            game = self.replay(self.all())
            due, free = self.choices(game, role)
            sets = [x for x in due + free if x[0] in ("seal", "receipt", "declare") and "time" not in x[1]]
            if sets:
                prev = self.ends[role]
                self.sign(role, *self.rng.choice(sets), prev, self.seen(game, role, prev), self.all())
            for x in self.roles:
                self.give(x, self.all())

    def play(self, steps=30):
        self.open_game()
        for _ in range(steps):
            self.step()
        return self


# --------------------------------------------------------------------------------------------- what must never happen

def faults_of(world):
    """Returns what is wrong with a finished game. Nobody may get or choose a second roll, no honest party may be
    blamed, every restored party must be able to go on, and the order in which letters arrive must not change
    anything."""
    faults = ["%s is blamed: %s" % blame for blame in world.blames]
    shared = 0
    for role in world.honest:
        shared |= world.held[role]
        faults += stuck(world, role)
    for mask in {world.all(), shared, *(world.held[role] for role in world.honest)}:
        game = world.replay(mask)
        faults += ["an honest party is blamed: " + found["text"] for found in game.findings
                   if world.is_wrongly_blamed(found)]
        faults += rolled_twice(game) + two_ways_on(game)
    for mask in {world.all(), shared}:
        game = world.replay(mask)
        faults += known_dice(world, game, mask)
        faults += orders_after_reading(world, game)
    game = world.replay(world.all())
    faults += other_than_the_first(world, game)
    faults += [fault for fork in game.find_forks() if game.may_fall(fork[0]) for fault in at_fork(world, game, fork)]
    faults += undone(world, game)
    if another_order(world):
        faults.append("another order of arrival gives another report")
    return sorted(set(faults))

def numbers(world, letters):
    return [world.index[x.id] for x in letters]

def standing(game):
    """Returns the declarations whose dice are known and count."""
    return [x for x in game.order if x.kind == "declare" and x.valid and x.rolls and x.stands
            and (x.id in game.named or not game.marks["forfeited", x.id] and sd.is_shown(game, x))
            and x.id not in game.replaced and not game.marks["void", x.id] and is_taken(game, x)]

def is_taken(game, declaration):
    """Whether a declaration is of no course, or is among those that its course has taken."""
    course = sd.course_of(game, declaration)
    return not course or game.end.stood[course.name].taken & declaration.bit

def two_ways_on(game):
    """Finds a letter of a course that is continued by two letters, neither of them replaced or void."""
    for course in game.courses.values():
        for after, some in course.following.items():
            some = [x for x in some if x.stands and x.id not in game.replaced and not game.marks["void", x.id]]
            if len(some) > 1:
                return ["two letters go on from one in a course"]
    return []

def rolled_twice(game):
    """Finds two declarations whose dice count for one slot, or on one place of a set."""
    slots, places = defaultdict(set), defaultdict(set)
    for x in standing(game):
        slots[x.author, sd.write_slot(x.body["slot"])].add(x.id)
        for place in [*x.places, *([x.secret] if x.secret else [])]:
            places[place].add(x.id)
    return (["two rolls for %s" % (slot,) for slot, some in slots.items() if len(some) > 1]
            + ["two rolls from one place of a set" for some in places.values() if len(some) > 1])

def key_times(world, game):
    """Returns when the hostile party learned the key of each place: the number of the letter that opened it."""
    told = {}
    for place, openers in game.openers.items():
        told[place] = min(numbers(world, game.members(openers)), default=len(world.letters))
    return told

def knows_set(world, seal):
    """Whether the hostile party holds a set's secret from the start."""
    return seal.author == world.hostile or seal.id in world.deposited and world.hostile in (
        seal.body["revealer"], seal.fallback)

def when_known(world, game, told, declaration):
    """Returns when the hostile party learned the dice of a declaration, or None."""
    when = world.index[declaration.id]
    if not knows_set(world, game.letters[declaration.body["seal"]]):
        when = max([when, *(told.get(place, len(world.letters)) for place in declaration.places)])
    if declaration.secret and declaration.author != world.hostile:
        when = max(when, told.get(declaration.secret, len(world.letters)))
    return when if when < len(world.letters) else None

def known_dice(world, game, mask):
    """Finds dice that count although the hostile party knew a key of the set before signing the declaration. Keys that
    an office opened and forgot they can use once more, as if they had not heard of its epoch (office, After a
    restore)."""
    told = key_times(world, world.replay(world.all()))
    epochs = game.epochs
    faults = []
    for x in standing(game):
        if x.author != world.hostile or x.id in game.named:
            continue
        k, seal = world.index[x.id], game.letters[x.body["seal"]]
        gap = epochs and not epochs & x.past and seal.body["revealer"] == "off" and mask != world.all()
        if any(told.get(place, k) < k for place in x.places) and not gap:
            faults.append("letter %d rolls with a key that was known" % k)
    return faults

def as_signed(world, declaration):
    """Returns a declaration as it was in its own past."""
    k = world.index[declaration.id]
    return world.replay(world.past[k] | 1 << k).letters[declaration.id]

def other_than_the_first(world, game):
    """Finds a slot where dice count, but another declaration was opened first."""
    if world.restored & set(PLAYERS):
        return []
    told, opened = key_times(world, game), defaultdict(list)
    for k, (_, author, payload) in enumerate(world.letters):
        if payload["head"]["kind"] == "reveal" and author in world.honest and payload["body"]["declaration"]:
            declaration = game.letters[payload["body"]["declaration"]]
            own = as_signed(world, declaration) if declaration.kind == "declare" else declaration
            if own.valid and own.rolls and declaration.author == world.hostile:
                when = when_known(world, game, told, own)
                if when is not None:
                    opened[sd.write_slot(own.body["slot"])].append((when, own.id))
    counts = [x for x in standing(game) if x.author == world.hostile and not x.body["redo"]]
    return ["letter %d counts, and another of its slot was opened first" % world.index[x.id] for x in counts
            if opened[sd.write_slot(x.body["slot"])] and min(opened[sd.write_slot(x.body["slot"])])[1] != x.id]

def branches_of(world, fork):
    """Returns the letters of each branch of a fork, by the number of its first letter."""
    found = {}
    for first in numbers(world, fork):
        found[first] = sum(1 << k for k in range(len(world.letters)) if k == first or (
            world.past[k] >> first & 1 and world.letters[k][1] == fork[0].author and follows(world, k, first)))
    return found

def follows(world, k, first):
    """Whether a letter follows another through `prev`."""
    while k is not None and k > first:
        k = world.index.get(world.letters[k][2]["head"]["prev"])
    return k == first

def side_of(world, k, author, branches):
    """Returns the branch that a letter depends on, or None if it is not exactly one."""
    seen = world.index.get(world.letters[k][2]["head"]["seen"].get(author))
    for first, mask in branches.items():
        if seen is not None and mask >> seen & 1:
            return first
    held = [first for first, mask in branches.items() if world.past[k] & mask]
    return held[0] if len(held) == 1 else None

def gives_away(world, game, k):
    """Whether a letter says something that its author cannot take back: keys, or what is rolled."""
    _, _, payload = world.letters[k]
    kind, body = payload["head"]["kind"], payload["body"]
    return (game.letters[world.letters[k][0]].opens or kind == "declare" or kind == "claim" and "names" in body
            or kind == "close" and body["masters"] is not None)

def at_fork(world, game, fork):
    """Checks what must hold at a fork of a player or the referee."""
    author, branches = fork[0].author, branches_of(world, fork)
    stands = next((first for first in branches if game.letters[world.letters[first][0]].stands), None)
    behind = game.letters[fork[0].prev].stands
    strangers = author != world.hostile and not may_ever_open(world, world.hostile)
    if author not in PLAYERS or author != world.hostile and not strangers:
        return at_referees_fork(world, game, author, branches, stands) if author == "carol" else []
    sides = [side_of(world, k, author, branches) for k in range(len(world.letters))
             if world.letters[k][1] in world.honest and world.letters[k][1] != author and k not in world.waits
             and gives_away(world, game, k)]
    sides = [side for side in sides if side is not None]
    if sides and stands not in (sides[0], None):
        return ["letter %d was opened for or declared on first, and %d stands" % (sides[0], stands)]
    if sides and set(sides) == {sides[0]} and stands is None and behind:
        return ["letter %d alone was opened for or declared on, and none stands" % sides[0]]
    return []

def may_ever_open(world, role):
    return role in PLAYERS or role == "off" and world.office == "deposits" or (
        role == "carol" and world.referee == "deposits")

def at_referees_fork(world, game, author, branches, stands):
    """Checks that the branch that stands is one that some honest player continued first."""
    firsts = {}
    for k, (_, role, _) in enumerate(world.letters):
        side = side_of(world, k, author, branches) if role in PLAYERS and role in world.honest else None
        if side is not None and k not in world.waits:
            firsts.setdefault(role, side)
    if stands is not None and firsts and stands not in firsts.values():
        return ["honest players went on from other rulings than %d, and it stands" % stands]
    return []

def undone(world, game):
    """Finds an honest player's declaration that was undone. It was valid when signed, and the hostile party could know
    its dice. Only a fork by a restored honest player may put something else in its place."""
    faults = []
    for x in game.order:
        if x.kind != "declare" or x.author not in world.honest or x.valid and x.stands:
            continue
        rests = world.past[world.index[x.id]] | 1 << world.index[x.id]
        fell = [(fork, branches_of(world, fork)) for fork in game.find_forks() if game.may_fall(fork[0])]
        fell = [(fork, branches) for fork, branches in fell if any(mask & rests for mask in branches.values())]
        if not fell:
            faults.append("letter %d of %s is in breach, and no fork did that" % (world.index[x.id], x.author))
        forked = len(world.hostile_forks(game))
        for fork, branches in fell:
            stands = next((first for first in branches if game.letters[world.letters[first][0]].stands), None)
            mine = [first for first, mask in branches.items() if mask & rests]
            chosen = forked or any(not world.knew[world.index[x.id]] >> first & 1 for first in branches)
            if stands is not None and stands not in mine and not (fork[0].author != world.hostile and chosen):
                faults.append("letter %d of %s is undone, and letter %d stands" % (
                    world.index[x.id], x.author, stands))
    return faults

def orders_after_reading(world, game):
    """Finds orders that the hostile party sealed after the other player's were opened, in a declaration whose dice
    count."""
    told, faults = key_times(world, world.replay(world.all())), []
    for x in standing(game) if world.hostile in PLAYERS else []:
        decisions = game.phases[x.body["slot"]["phase"]]["decisions"]
        for decision in decisions:
            purpose = "%s/%s" % (sd.write_slot(x.body["slot"]), decision["name"])
            notes = {role: sd.good_for(game, role, "note", purpose, x.past) for role in PLAYERS}
            mine, theirs = notes[world.hostile], notes[OTHER[world.hostile]]
            if any(world.index[a.id] > told.get((b.id, 0), len(world.letters)) for a in mine for b in theirs):
                faults.append("letter %d rolls with orders that were sealed after reading the other's" % (
                    world.index[x.id]))
    return faults

def stuck(world, role):
    """Finds an honest party who cannot sign any valid letter, although they are not waiting and a branch of their own
    forks stands."""
    if role in world.waiting or role in world.epoch_due:
        return []
    game = world.view(role)
    what = {"off": world.tell_time(), "carol": world.ruling({"settle": game.accept.id})}.get(
        role, ("claim", {"dispute": {"letters": [world.game], "text": "still here"}}))
    if role == "carol" and game.marks["settle", game.accept.id]:
        return []
    prev = world.tips.get(role) if role == "off" and role in world.tips else world.head(game, role)
    if prev is None:
        return []
    if world.sign(role, *what, prev, world.seen(game, role, prev), world.held[role]) is None:
        return ["%s cannot sign anything" % role]
    return []

def another_order(world):
    """Whether the letters in another order give another report."""
    letters = [sd.Letter(message_id, world.key(author), payload) for message_id, author, payload in world.letters]
    known = len(world.roles)
    rest = letters[known:]
    world.rng.shuffle(rest)
    game = sd.Game(letters[0], letters[known - 1], letters[1:known - 1], rest, [])
    before = world.replay(world.all())
    return (game.findings, sd.heads_of(game)) != (before.findings, sd.heads_of(before))


def unread_notes():
    """Skips the decryption of notes: what a note says does not matter here."""
    return mock.patch.object(sd, "note_opens", lambda seal, key: True)

def search(games, first=0, report=lambda seed, world, faults: None):
    """Plays this many games, beginning with seed `first`, and returns how many have faults."""
    found = 0
    for seed in range(first, first + games):
        with unread_notes():
            world = World(seed).play()
            faults = faults_of(world)
        if faults:
            found += 1
            report(seed, world, faults)
    return found


# ------------------------------------------------------------------- one rule switched at a time, to see what is missed

def any_after(game, letter, course):
    """Replaces declare 14: only the place and the author must fit."""
    real = RULES_OF_COURSES(game, letter, course)
    return ((rule, holds or rule == "declare 14" and course.awaited(letter) == (letter.place, letter.author))
            for rule, holds in real)

RULES_OF_COURSES = sd.course_declare_rules

def without_epochs(game, seal, past):
    return game.marks["kill", seal.id] & past

def seen_follows(game, letter):
    """Replaces chain 3: `seen` may only move forward on a chain, and never to another branch."""
    before = game.letters.get(letter.prev)
    old_and_new = [(game.letters.get(before.seen.get(role)), game.letters.get(name))
                   for role, name in letter.seen.items()] if before else []
    return all(not old or new and (new is old or old.bit & new.chain) for old, new in old_and_new)

SWITCHES = {                            # a rule: where the checker has it, and what replaces it
    "strong witnesses count first": (sd.Game, "counting", lambda self, strong, backed, whole: strong | backed),
    "who declares is a strong witness": (sd.Game, "is_strong", lambda self, letter: letter.opens),
    "who opens is a strong witness": (sd.Game, "is_strong", lambda self, letter: letter.kind == "declare"),
    "openings by strangers do not count": (sd.Game, "may_open", lambda self, author, seal: True),
    "who knows a witness of another branch is none": (sd.Game, "knows_other", lambda self, branches, knows: 0),
    "at a referee's fork no witness is strong": (sd.Game, "may_be_strong", lambda self, role: True),
    "the office's branches never fall": (sd.Game, "may_fall", lambda self, letter: True),
    "an epoch kills what does not know it": (sd, "is_killed", without_epochs),
    "a letter on a branch that fell is excused": (sd, "may_have_been_good", lambda letter: False),
    "the excuse knows sides": (sd.Game, "ends_excuse", lambda self, branches, counting: counting),
    "seen may change to another branch": (sd.Game, "seen_holds", seen_follows),
    "a declaration goes on from where its course stands": (sd, "course_declare_rules", any_after),
    "a letter before the first witness is excused": (sd.Game, "was_chosen", lambda self, stood, witnesses: stood),
    "orders at once are not killed": (sd, "may_be_killed", lambda game, seal: True),
}

def printed(world):
    """Returns one line for each letter: number, author, kind, what it follows and has seen, who holds it, and its
    body."""
    game, lines = world.replay(world.all()), []

    def short(value):
        if isinstance(value, dict):
            left_out = ("commits", "salt", "keys", "sheets", "input")
            return {key: short(x) for key, x in value.items() if key not in left_out}
        if isinstance(value, list):
            return [short(x) for x in value]
        return "#%d" % world.index[value] if value in world.index else value[:24] if isinstance(value, str) else value

    for k, (message_id, author, payload) in enumerate(world.letters):
        letter, head = game.letters[message_id], payload["head"]
        fate = "waits" if not letter.bit else "fell" if not letter.stands else letter.broke or "good"
        lines.append("  #%d %s %d %s, behind %s, has seen %s, held by %s, %s%s %s" % (
            k, author, head["number"], head["kind"], short(head["prev"]), short(head["seen"]),
            " ".join(role for role in world.honest if world.held[role] >> k & 1) or "nobody", fate,
            ", excused" if letter.excused else "", short(payload["body"]) if k else ""))
    return lines

def main(arguments):
    if not 1 <= len(arguments) <= 2 or not all(x.isdigit() for x in arguments):
        print("usage: search.py GAMES [SEED]", file=sys.stderr)
        return 2

    def report(seed, world, faults):
        restored = ", ".join(sorted(world.restored)) or "nobody"
        print("game %d: %s is hostile, restored: %s" % (seed, world.hostile, restored))
        print("\n".join(faults + printed(world)), flush=True)

    games, first = (list(map(int, arguments)) + [1])[:2]
    found = search(games, first, report)
    print("%d games from seed %d, %d with faults" % (games, first, found))
    return 1 if found else 0

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
