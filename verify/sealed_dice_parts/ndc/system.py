"""The system `ndc` as hidden courses ask for it."""

from sealed_dice_parts.ndc import inputs, states, tables, terms
from sealed_dice_parts.ndc.player import Player

class Ndc:
    prefill, rolls_of, player = terms.PREFILL, staticmethod(terms.rolls_of), Player
    table_holds = staticmethod(tables.table_holds)              # hidden 8
    input_holds = staticmethod(inputs.input_holds)              # declare 4
    begin, awaits = staticmethod(states.begin), staticmethod(states.awaits)
    takes, after = staticmethod(states.takes), staticmethod(states.after)

    def holds(self, settings, all_tables):
        """charter 7; ndc 1, 3"""
        return terms.settings_hold(settings) and tables.tables_hold(all_tables)

    def roles_in(self, settings):
        return settings["sides"]

    def first_place(self, _settings, _state):
        return 1, 0
