"""hidden.md: the runs of the players through a course of which each knows only his own half."""

import copy
import hashlib
from collections import namedtuple

from sealed_dice_parts.forms import Refused, integer, items, matching, read_json, same, text

class Stop(Exception):
    """hidden 5, 9: why a run stops: `sheet`, `dice` or `table NAME`"""

    def __init__(self, why):
        super().__init__(why)
        self.why = why

# A declaration that was taken: whose, the state before it, its input; and of a run's own what its sheet says, as a function
# that gives an object or None while it is not opened, and the dice that it shows, those of the declaration before it.
Step = namedtuple("Step", "by state input sheet dice")
Drawn = namedtuple("Drawn", "line sides value why")

# hidden 8

def supplied_tables(files):
    """Tables by their fingerprints, of files that are canonical JSON"""
    found = {}
    for content in files:
        try:
            found[hashlib.sha3_256(content).hexdigest()] = read_json(content)
        except Refused:
            pass
    return found

class Tables:
    """What a run can look up: tables in full, and withheld ones that were supplied"""

    def __init__(self, tables, supplied, holds):
        self.tables, self.supplied, self.holds, self.found = tables, supplied, holds, {}

    def find(self, name):
        if name not in self.found:
            self.found[name] = self.look_for(name)
        return self.found[name]

    def look_for(self, name):
        table = self.tables.get(name)
        if isinstance(table, dict) and table.keys() == {"fingerprint"}:
            table = self.supplied.get(table["fingerprint"])
            if not self.holds(name, table):
                table = None
        if table is None:
            raise Stop("table " + name)
        return table

# hidden 5, 7

class OpenedDice:
    """The dice of one declaration, where stream(line) has draw(sides), or raises Stop"""

    def __init__(self, stream):
        self.stream, self.streams, self.drawn = stream, {}, []

    def draw(self, line, sides, why):
        if line not in self.streams:
            self.streams[line] = self.stream(line)
        self.drawn.append(Drawn(line, sides, self.streams[line].draw(sides), why))
        return self.drawn[-1].value

class NamedStream:
    """hidden 7: the numbers that a sheet names for a line"""

    def __init__(self, sheet, numbers):
        self.sheet, self.numbers = sheet, list(numbers)

    def draw(self, sides):
        number = self.numbers.pop(0) if self.numbers else 1
        if number > sides:
            self.sheet.refuse()
        return number if number <= sides else 1

LINE = matching("[1-9][0-9]*")
NUMBERS = items(integer(1))

def named_streams(sheet):
    """hidden 7: what stands in the place of forfeited dice"""
    named = {line: numbers for line, numbers in sheet.object("named").items() if sheet.keeps(LINE(line) and NUMBERS(numbers))}
    return lambda line: NamedStream(sheet, named.get(str(line), []))

# hidden 6

class Sheet:
    """What a sheet says; what is not allowed counts as not said, and is noted"""

    def __init__(self, said):
        self.said, self.read, self.honest = said, set(), True

    def refuse(self):
        self.honest = False

    def keeps(self, allowed):
        """Whether something is allowed; if not, that is noted"""
        if not allowed:
            self.refuse()
        return allowed

    def field(self, name, form, missing):
        """A field as a whole"""
        self.read.add(name)
        value = self.said.get(name, missing)
        return value if self.keeps(name not in self.said or form(value)) else missing

    def list(self, name):
        return self.field(name, lambda v: isinstance(v, list), [])

    def object(self, name):
        return self.field(name, lambda v: isinstance(v, dict), {})

    def each(self, name, read):
        """What read makes of each item of a list, in order; None: it is not allowed"""
        kept = []
        for item in self.list(name):
            value = read(item)
            if self.keeps(value is not None):
                kept.append(value)
        return kept

    def rising(self, name, allowed):
        """A set, of those that are allowed"""
        kept = []
        for item in self.list(name):
            if self.keeps(isinstance(item, str) and (not kept or kept[-1] < item) and allowed(item, kept)):
                kept.append(item)
        return kept

    def end(self):
        """Nothing stands there that does not belong"""
        self.keeps(self.said.keys() <= self.read)

def filled(forms, value):
    """An object of a sheet with the fields that it lacks, by name (form, what is missing); None if it is none"""
    if not isinstance(value, dict) or not value.keys() <= forms.keys():
        return None
    whole = {name: value.get(name, copy.copy(missing)) for name, (_, missing) in forms.items()}
    return whole if all(form(whole[name]) for name, (form, _) in forms.items()) else None

# hidden 5, 6, 9

class Run:
    """The run of a player, who has `hand`, declare(step, sheet, dice), follow(step) and copy()"""

    def __init__(self, player, role, steps):
        self.player, self.role = player, role
        self.declared = sum(step.by == role for step in steps)
        self.count, self.stopped = 0, None
        self.false, self.drawn, self.due = [], [], []   # places of findings among the steps; pairs of a place and draws; inputs
        try:
            for place, step in enumerate(steps):
                if step.by == role:
                    self.own(place, step)
                else:
                    self.player.follow(step)
        except Stop as stop:
            self.stopped = stop.why

    def own(self, place, step):
        said = step.sheet()
        if said is None:
            raise Stop("sheet")
        sheet, player = Sheet(said), self.player.copy()
        dice = step.dice(sheet)
        expected = player.declare(step, sheet, dice)
        sheet.end()
        if not sheet.honest or not same(expected, step.input):
            self.false.append(place)
        self.player = player
        self.count += 1
        self.due.append(expected)
        if dice:
            self.drawn.append((place, dice.drawn))

    def report(self):
        return {"declared": self.declared, "hand": self.player.hand if self.count else None, "run": self.count,
                "stopped": self.stopped}
