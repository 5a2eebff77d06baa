"""The system `ndc` as courses and hidden courses ask for it."""

from sealed_dice_parts.forms import demand
from sealed_dice_parts.ndc import inputs, states, tables
from sealed_dice_parts.ndc.player import Player
from sealed_dice_parts.ndc.terms import PREFILL, rolls_of, settings_hold

class Ndc:
    source, is_course, is_hidden, names_declarer, prefill = "plain", True, True, True, PREFILL
    table_holds = staticmethod(tables.table_holds)              # hidden 8
    player = Player

    def with_tables(self, _tables):
        return self

    def holds(self, settings, all_tables):
        """charter 4; ndc 1, 3"""
        return settings_hold(settings) and tables.tables_hold(all_tables)

    def roles_in(self, settings):
        return settings["sides"]

    def places_hold(self, phases):
        """hidden 1"""
        return len(phases) == 1 and len(phases[0]["impulses"]) == 1

    def begin(self, settings):
        return states.begin(settings)

    def first_turn(self, _settings):
        return 1

    def awaits(self, settings, state):
        return states.awaits(settings, state)

    def asked(self, settings):
        """ndc 4: how many rolls every declaration has"""
        return rolls_of(settings)

    def read(self, settings, value):
        """declare 4: the input itself"""
        demand(inputs.input_holds(settings, value))
        return value

    def takes(self, settings, state, value):
        return states.takes(settings, state, value)

    def after(self, settings, state, value):
        return states.after(settings, state, value)
