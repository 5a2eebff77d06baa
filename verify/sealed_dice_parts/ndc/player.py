"""ndc 15: a player's hand through the declarations of both."""

import copy

from sealed_dice_parts.ndc.attacks import interdict, make_combats, tell_contacts
from sealed_dice_parts.ndc.command import use_command
from sealed_dice_parts.ndc.declaration import Declaration
from sealed_dice_parts.ndc.finished import reset_finished
from sealed_dice_parts.ndc.halts import take_report
from sealed_dice_parts.ndc.hand import empty_hand
from sealed_dice_parts.ndc.moves import make_moves, remember_stay, tell_paths
from sealed_dice_parts.ndc.orders import defend, take_orders
from sealed_dice_parts.ndc.player_turn_end import end_player_turn, forget_ew, roll_ammunition
from sealed_dice_parts.ndc.report import report
from sealed_dice_parts.ndc.segment_one import begin_player_turn
from sealed_dice_parts.ndc.setup import set_up, take_points, take_roster
from sealed_dice_parts.ndc.shown import show
from sealed_dice_parts.ndc.states import is_over

def move(d):
    d.fields.setdefault("intelligence", None)
    d.fields.setdefault("weather", None)
    make_moves(d)
    make_combats(d)
    interdict(d)

STEPS = {"setup": set_up, "move": move, "defend": defend, "report": report}

class Player:
    """The run's player (hidden 5): his hand, and what he did in the last move"""

    def __init__(self, settings, role, tables):
        self.settings, self.role, self.tables = settings, role, tables
        self.hand = empty_hand()
        self.moves, self.attacks, self.targets = [], [], {}

    def copy(self):
        """The same player, with a hand of his own; what the charter says is shared"""
        other = copy.copy(self)
        other.hand = copy.deepcopy(self.hand)
        other.moves, other.attacks, other.targets = copy.deepcopy((self.moves, self.attacks, self.targets))
        return other

    def declare(self, step, sheet, dice):
        """15: what the input should have been"""
        d = Declaration(self, step, sheet, dice)
        d.fields = {"entries": [], "paths": {}, "step": d.step}
        if d.step == "setup":
            take_roster(d)
            take_points(d)
        use_command(d)
        roll_ammunition(d)
        reset_finished(d)
        if d.begins or d.step == "setup" and d.state["awaits"]["by"] != d.settings["sides"][0]:
            begin_player_turn(d)
        if d.step == "defend":                                  # 18: its own orders answer
            take_orders(d)
        STEPS[d.step](d)
        if d.step != "defend":
            take_orders(d)
        for name in d.names("volunteer"):
            next(unit for unit in d.hand["units"] if unit["name"] == name)["volunteered"] = True
        if is_over(d.stated):
            end_player_turn(d)
        self.tell(d)
        return d.fields

    def tell(self, d):
        """26, and what rests on it"""
        show(d)
        if d.step == "move":
            tell_paths(d)
            tell_contacts(d)
            remember_stay(d)
            self.moves, self.attacks = d.moves, d.attacks
            self.targets = {name: x["target"] for name, x in zip(d.attacks, d.fields["combats"]) if name}
        d.fields["rolled"] = d.rolled if d.settings["roll_count_public"] else None
        d.hand["searched"] = d.state["intelligence"][d.other]

    def follow(self, step):
        """24, 25: the other's declaration, by its input alone"""
        if step.input["step"] == "report":
            take_report(self, step.input)
        if is_over(step.input):
            forget_ew(self.hand)
