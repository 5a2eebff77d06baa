"""ndc 15: an own declaration while the run goes through it."""

from sealed_dice_parts.hidden import Stop
from sealed_dice_parts.ndc.hand import find
from sealed_dice_parts.ndc.tables import SIDES, cell
from sealed_dice_parts.ndc.terms import NAME, other_side

class Declaration:
    """What the rules work on: the hand, the state before, the input as stated, sheet, dice, tables; and what they find"""

    def __init__(self, player, step, sheet, dice):
        self.settings, self.role, self.tables = player.settings, player.role, player.tables
        self.other = other_side(self.settings, self.role)
        self.hand, self.state, self.stated, self.sheet, self.dice = player.hand, step.state, step.input, sheet, dice
        self.step, self.segment = self.state["awaits"]["step"], self.state["segment"]
        self.weather = self.state["weather"]
        self.rolled = 0                         # 26
        self.moves, self.attacks = [], []       # 19, 21: what the mover's hand takes a report by (24)
        self.fields = {}                        # what the step should have said

    @property
    def begins(self):
        """17: it is the first of the author's player turn"""
        return self.step == "move" and self.segment == 1

    def look_up(self, name, column, line=None, on=None):
        """3, 4: the cell; `on` is the unit's name, or the combat's"""
        table = self.tables.find(name)
        why = name + " " + on if on else name
        drawn = [self.dice.draw(line, sides, why) for sides in SIDES[table["dice"]]]
        return cell(table, column, drawn)

    def line(self, block, u):
        """4: tactical 0, search 1, after a move 2, Command 3, ammunition 4"""
        return block * self.settings["units"] + u

    def combat_line(self, j, place):
        """4: the line b + place of a combat, from 1"""
        return 5 * self.settings["units"] + 1 + (j - 1) * (2 * self.settings["ew"] + 4) + place

    def search_level(self, name, column, block, u, unit):
        """17, 20: a level that was rolled for a unit"""
        self.rolled += 1
        return int(self.look_up(name, column, self.line(block, u), unit["name"]))

    def names(self, field, allowed=lambda unit: True):
        """14: names of units that are not gone"""
        def fits(name, _):
            unit = NAME(name) and find(self.hand, name)
            return bool(unit) and allowed(unit)
        return self.sheet.rising(field, fits)

    def contacts_of_other(self):
        """The hexes of the other's contacts, a set"""
        return {hex_ for contact in self.state["contacts"][self.other].values() for hex_ in contact["hexes"]}

    def left(self, kind):
        """18: points for support, or for fire, that are left of this player turn"""
        points = self.hand["points"]
        have = points["artillery"] + points["air"] - self.hand["allocated"]["air"]
        return have - self.state["spent"][self.role][kind]
