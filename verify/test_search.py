"""Tests the search for holes (search.py), for the checker in Python: `python3 -m unittest discover verify`."""

import unittest
from unittest import mock

import sealed_dice as sd
import search
from search import SWITCHES, World, faults_of, phase

BY_OFFICE = phase("combat", "ann", revealer="office")

class Script(World):
    """A game with given letters. An honest party signs no letter that breaks a rule in its own past."""

    def __init__(self, hostile, *phases, referee=None, office=None, seed=0):
        self.aware = set()                                      # honest roles that hold all earlier letters
        super().__init__(seed, hostile=hostile, referee=referee, office=office, phases=list(phases))

    def put(self, role, what, behind=None, **sees):
        """Adds a letter that follows the role's last letter or `behind`. It has seen the last letters of the others or
        those in `sees`. Returns its number, or None if an honest program does not sign it."""
        behind = self.ends[role] if behind is None else behind
        seen = {other: self.letters[sees.get(other, self.ends[other])][0] for other in self.roles if other != role}
        k = self.write(role, *what, behind, seen)
        if role in self.honest and not self.may_sign(k, self.all() if role in self.aware else self.past[k]):
            self.drop_last()
            return None
        self.ends[role], self.knew[k] = k, self.all()
        return k

    def known(self, *letters):
        """Returns the replay of these letters and their pasts, or of all letters."""
        mask = 0
        for k in letters:
            mask |= 1 << k | self.past[k]
        return self.replay(mask or self.all())

    def letter(self, k, *known):
        return self.known(*known).letters[self.letters[k][0]]

    def put_seal(self, role, kind, purpose, n=2, **sees):
        what, = self.seal(self.known(), role, kind, purpose, n)
        k = self.put(role, what, **sees)
        self.deposited.add(self.letters[k][0])
        return k

    def receive(self, seal):
        return self.put("off", ("receipt", {"deposit": {"seals": [self.letters[seal][0]]}}))

    def put_declare(self, role, name, seal, behind=None, turn=1, after=None, **sees):
        one = next(one for one in self.phases if one["name"] == name)
        slot = {"impulse": 1, "number": 1, "phase": name, "turn": turn}
        work = sd.read_input(self.known(), one, self.input_for(one), False)
        what, = self.declaration(self.known(), role, one, slot, self.letter(seal), work, work.select, None,
                                 {"none": None}, after)
        return self.put(role, what, behind, **sees)

    def put_reveal(self, role, declaration, seal, **sees):
        """Reveals the keys for a declaration, or the first key of a set."""
        places = self.letter(declaration, declaration).places if declaration else [(0,)]
        return self.put(role, self.reveal(declaration and self.letter(declaration), self.letter(seal), places), **sees)

    def put_idle(self, role, behind=None, **sees):
        text = str(len(self.letters))
        return self.put(role, ("claim", {"dispute": {"letters": [self.game], "text": text}}), behind, **sees)

    def faults(self, **hidden):
        """Returns the faults when everybody holds all letters, except that the roles in `hidden` do not hold theirs."""
        for role in self.roles:
            self.held[role] = self.all()
        for role, lost in hidden.items():
            for k in lost:
                self.held[role] &= ~(1 << k)
        return faults_of(self)

def opened_against_an_idle_letter():
    """The office opens for one branch of ann's fork. bob does not know this branch and has continued the other."""
    game = Script("ann", BY_OFFICE, office="deposits")
    dice = game.put_seal("bob", "coin", "1/1/combat/1")
    receipt = game.receive(dice)
    first = game.put_declare("ann", "combat", dice)
    second = game.put_idle("ann", 0)
    game.put_idle("bob", ann=second, off=receipt)
    game.put_reveal("off", first, dice, ann=first, bob=dice)
    return game.faults()

def both_opened():
    """bob opens for one branch of ann's fork and proposes a redo there. The office does not know this branch and opens
    for the other."""
    game = Script("ann", phase("scouting", "ann"), BY_OFFICE, office="deposits")
    his = game.put_seal("bob", "coin", "1/1/scouting/1")
    dice = game.put_seal("bob", "coin", "1/1/combat/1")
    receipt = game.receive(dice)
    first = game.put_declare("ann", "scouting", his)
    game.put_reveal("bob", first, his)
    game.put("bob", ("correct", {"propose": {"at_fault": "ann", "class": "illegal-odds", "input": None, "reason": "",
                                             "declaration": game.letters[first][0]}}))
    second = game.put_declare("ann", "combat", dice, 0, bob=dice, off=receipt)
    game.put_reveal("off", second, dice, bob=dice)
    return game.faults()

def office_restored():
    """bob continues from a letter that the office has forgotten. The office begins an epoch and continues."""
    game = Script("ann", BY_OFFICE, office="deposits")
    game.restored.add("off")
    accept = game.ends["off"]
    dice = game.put_seal("bob", "coin", "1/1/combat/1")
    game.receive(dice)
    game.put_idle("bob")
    game.tips["off"] = game.put("off", game.tell_time("epoch"), accept, bob=dice)
    return game.faults()

def ruled_behind_an_open_fork():
    """ann rolls and then has a fork where nobody has chosen a branch. The referee has seen one branch after the other,
    and agrees to a redo of the roll because no branch stands. Then bob opens for the branch where ann knew the dice."""
    game = Script("ann", phase("combat", "ann"), referee="plain")
    sets = [game.put_seal("bob", "coin", "%d/1/combat/1" % turn) for turn in (1, 2)]
    rolled = game.put_declare("ann", "combat", sets[0])
    game.put_reveal("bob", rolled, sets[0])
    again = game.input_for(game.phases[0], True)
    proposal = game.put("bob", ("correct", {"propose": {
        "at_fault": "ann", "class": "illegal-odds", "declaration": game.letters[rolled][0], "input": again,
        "reason": ""}}))
    first = game.put_declare("ann", "combat", sets[1], turn=2, bob=proposal - 1)
    idle = game.put_idle("ann", rolled)
    game.aware.add("carol")
    game.put("carol", game.ruling({"settle": game.game}), ann=idle)
    game.put("carol", game.ruling({"agree": game.letters[proposal][0]}), ann=first)
    game.put_reveal("bob", first, sets[1], ann=first, carol=1)
    return game.faults()

def sealer_forks():
    """ann seals, bob declares on her set, and ann forks after the charter. An office that has seen neither opens for
    her."""
    game = Script("ann", BY_OFFICE, phase("attack", "bob"), office="deposits")
    dice = game.put_seal("bob", "coin", "1/1/combat/1")
    game.receive(dice)
    mine = game.put_seal("ann", "coin", "1/1/attack/1")
    game.put_declare("bob", "attack", mine)
    other = game.put_declare("ann", "combat", dice, 0, bob=dice)
    game.put_reveal("off", other, dice, bob=dice)
    return game.faults()

def stranger_opens():
    """ann was restored and declares again. bob opens for the second declaration, and a referee carries his key to the
    first."""
    game = Script("carol", phase("combat", "ann"), referee="plain")
    game.restored.add("ann")
    dice = game.put_seal("bob", "coin", "1/1/combat/1")
    lost = game.put_declare("ann", "combat", dice)
    again = game.put_declare("ann", "combat", dice, 0)
    game.put_reveal("bob", again, dice)
    game.put_reveal("carol", None, dice, ann=lost, bob=dice)
    return game.faults()

def second_thought():
    """ann was restored and has a fork. bob continues one branch, ann declares there, and bob opens for the other."""
    game = Script("bob", phase("combat", "ann"))
    game.restored.add("ann")
    dice = game.put_seal("bob", "coin", "1/1/combat/1")
    more = game.put_seal("bob", "coin", "1/1/combat/2")
    first = game.put_idle("ann")
    second = game.put_idle("ann", 0)
    game.put_idle("bob", ann=first)
    game.put_declare("ann", "combat", dice, first)
    game.put_reveal("bob", None, more, ann=second)
    return game.faults()

def rulings_chosen():
    """The referee was restored and has a fork. bob continues one ruling, and ann declares after the other."""
    game = Script("ann", phase("combat", "ann"), referee="plain")
    game.restored.add("carol")
    dice = game.put_seal("bob", "coin", "1/1/combat/1")
    accept = game.ends["carol"]
    first = game.put("carol", game.ruling({"settle": game.letters[0][0]}))
    second = game.put("carol", game.ruling({"settle": game.game}), accept)
    game.put_idle("bob", carol=first)
    game.put_declare("ann", "combat", dice, carol=second, bob=dice)
    return game.faults()

def opened_and_forgotten():
    """The office opens for ann, forgets it, and begins an epoch. ann has told nobody, and declares again for bob."""
    game = Script("ann", BY_OFFICE, office="deposits")
    game.restored.add("off")
    dice = game.put_seal("bob", "coin", "1/1/combat/1")
    receipt = game.receive(dice)
    lost = game.put_declare("ann", "combat", dice)
    forgotten = game.put_reveal("off", lost, dice)
    game.tips["off"] = game.put("off", game.tell_time("epoch"), receipt, ann=0)
    again = game.put_declare("ann", "combat", dice, 0)
    game.put_reveal("bob", again, dice)
    return game.faults(bob=[lost, forgotten], off=[lost, forgotten])

def orders_again():
    """A referee kills ann's orders while bob opens his. ann has read his orders, and seals new ones in a letter that
    has not seen the ruling."""
    game = Script("ann", phase("battle", "bob", decisions=[search.ORDERS]), referee="plain")
    dice = game.put_seal("ann", "coin", "1/1/battle/1")
    first = game.put_seal("ann", "note", "1/1/battle/1/orders", 1)
    his = game.put_seal("bob", "note", "1/1/battle/1/orders", 1)
    kill = game.put("carol", game.ruling({"kill": game.letters[first][0]}))
    game.put_reveal("bob", None, his, carol=1)
    if kill is None:                    # carol's program does not sign this ruling
        return game.faults()
    mine, = game.seal(game.known(kill), "ann", "note", "1/1/battle/1/orders", 1)
    again = game.put("ann", mine, bob=his)
    game.put_reveal("ann", None, again)
    declared = game.put_declare("bob", "battle", dice)
    if declared is not None:
        game.put_reveal("ann", declared, dice)
    return game.faults()

def turn_again():
    """ann knows the dice of turn 2, and declares turn 3 as if there had been no turn 2. In some games it is her
    turn."""
    course, found = phase("initiative", None, settings=search.OCS, source="plain", system="ocs-initiative"), []
    for seed in range(8):
        game = Script("ann", course, seed=seed)
        for turn in (2, 3):
            dice = game.put_seal("bob", "plain", "%d/1/initiative/1" % turn, 1)
            declared = game.put_declare("ann", "initiative", dice, turn=turn)
            if game.letter(declared).valid:
                game.put_reveal("bob", declared, dice)
        found += game.faults()
    return found

SCRIPTS = {  # the script that notices each switched rule; random games notice the other rules
    "strong witnesses count first": opened_against_an_idle_letter,
    "who declares is a strong witness": sealer_forks,
    "who opens is a strong witness": opened_against_an_idle_letter,
    "openings by strangers do not count": stranger_opens,
    "who knows a witness of another branch is none": second_thought,
    "at a referee's fork no witness is strong": rulings_chosen,
    "the office's branches never fall": office_restored,
    "an epoch kills what does not know it": opened_and_forgotten,
    "a letter on a branch that fell is excused": both_opened,
    "the excuse knows sides": both_opened,
    "a declaration goes on from where its course stands": turn_again,
    "a letter before the first witness is excused": ruled_behind_an_open_fork,
    "orders at once are not killed": orders_again,
}
SEEDS = {"strong witnesses count first": 78, "a letter on a branch that fell is excused": 20,
         "seen may change to another branch": 5}

class Rules(unittest.TestCase):
    def setUp(self):
        unread = search.unread_notes()
        unread.start()
        self.addCleanup(unread.stop)

    def test_random_games_find_nothing(self):
        found = []
        search.search(150, 1000, lambda *what: found.append(what))
        self.assertEqual(found, [])

    def test_each_script_finds_nothing(self):
        for script in set(SCRIPTS.values()):
            self.assertEqual((script.__name__, script()), (script.__name__, []))

    def test_each_rule_that_is_set_wrong_is_missed(self):
        self.assertEqual(SWITCHES.keys(), SCRIPTS.keys() | SEEDS.keys())
        for name, script in SCRIPTS.items():
            with mock.patch.object(*SWITCHES[name]):
                self.assertTrue(script(), name)

    def test_random_games_find_rules_that_are_set_wrong(self):
        for name, seed in SEEDS.items():
            with mock.patch.object(*SWITCHES[name]):
                self.assertTrue(any(search.search(1, k) for k in range(seed, seed + 30)), name)

if __name__ == "__main__":
    unittest.main()
