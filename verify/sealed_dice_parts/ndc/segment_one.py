"""ndc 17: what begins a player turn."""

from sealed_dice_parts.forms import integer, items, text
from sealed_dice_parts.hidden import filled
from sealed_dice_parts.ndc.hand import find, places
from sealed_dice_parts.ndc.hexes import HEX, is_place, is_searched, touches
from sealed_dice_parts.ndc.terms import NAME, NUMBER

MODE = {"hexes": (items(HEX, 1, 3), []), "mode": (NAME, None)}
ALLOCATE = {"air": (NUMBER, 0), "signal": (NUMBER, 0)}

def begin_player_turn(d):
    stood = {unit["name"]: unit["hexes"] for unit in d.hand["units"]}
    if d.begins:
        set_modes(d)
        march(d)
        d.sheet.each("transfers", lambda item: item if text(1, 200)(item) else None)
    for unit in d.hand["units"]:
        unit.update(attacks=0, finished=False, halted=False, moved=False, reset=False, spent=0)
    d.hand.update(entered=[], stays=[])
    allocate(d)
    if d.begins and d.role == d.settings["sides"][0]:
        roll_weather(d)
    if d.begins:
        search(d, stood)

def set_modes(d):
    contacts = d.contacts_of_other()
    for name, said in d.sheet.object("modes").items():
        mode, unit = filled(MODE, said), find(d.hand, name)
        if d.sheet.keeps(mode and unit and is_place(d.settings, mode["hexes"]) and mode["hexes"][0] in unit["hexes"]
                         and contacts.isdisjoint(mode["hexes"])):
            unit.update(hexes=mode["hexes"], mode=mode["mode"])

def march(d):
    marching = d.names("march")
    for unit in d.hand["units"]:
        unit["marching"] = unit["name"] in marching

def allocate(d):
    points = d.hand["points"]

    def allowed(value):
        said = filled(ALLOCATE, value)
        return said and all(said[kind] <= points[kind] for kind in said)
    allocated = filled(ALLOCATE, d.sheet.field("allocate", allowed, {}))
    most = 2 * sum(allocated.values())
    sectors = d.sheet.rising("sectors", lambda name, kept: name in d.settings["sectors"] and len(kept) < most)
    d.hand["allocated"] = allocated
    d.fields["intelligence"] = {"level": d.sheet.field("level", integer(0, 9), 0), "sectors": sectors}

def roll_weather(d):
    found = d.look_up("ndc-weather", (d.state["turn"] - 1) % 3 + 1, d.line(5, 1))
    d.weather = d.fields["weather"] = [] if found == "clear" else found.split("+")

def search(d, stood):
    """Search: by those who touch it, then by what the other searches, where units stood before they changed mode"""
    contacts, searches = d.contacts_of_other(), d.state["intelligence"][d.other]
    for u, unit in places(d.hand):
        hexes = stood[unit["name"]]
        if touches(d.settings, hexes, contacts):
            unit["level"] = max(unit["level"], d.search_level("ndc-tactical", unit["level"], 0, u, unit))
        if searches and is_searched(d.settings, hexes, searches):
            unit["level"] = max(unit["level"], d.search_level("ndc-intelligence", searches["level"], 1, u, unit))
