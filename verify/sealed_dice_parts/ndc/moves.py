"""ndc 19: moves, what may not be hoarded, and what the other is told of them."""

from sealed_dice_parts.forms import items
from sealed_dice_parts.hidden import filled
from sealed_dice_parts.ndc.hand import find, standing
from sealed_dice_parts.ndc.hexes import HEX, is_walk, neighbours, touches
from sealed_dice_parts.ndc.states import is_over
from sealed_dice_parts.ndc.terms import NAME, NUMBER

MOST_STEPS = 999                                # in all moves of a sheet

MOVE = {"cost": (items(NUMBER, 1, 99), []), "path": (items(HEX, 1, 99), []), "unit": (NAME, None)}

def can_move(unit):
    return len(unit["hexes"]) == 1 and not unit["gone"] and not unit["finished"] and not unit["halted"]

def points_left(unit):
    return unit["movement"] + unit["march"] * unit["marching"] - unit["spent"]

def is_forbidden(settings, unit, path, contacts):
    """Through the other's contacts, or on from beside one into which it moved"""
    left = [unit["hexes"][0], *path[:-1]] if unit["moved"] else path[:-1]
    return not contacts.isdisjoint(path) or touches(settings, left, contacts)

def beside(settings, path, contacts):
    return contacts.intersection(neighbours(settings, path[-1]))

def was_possible(settings, stay, known, unit, cost, path, contacts):
    """No hoarding: the move could have been made at the end of an earlier segment, with these contacts"""
    then = stay["units"].get(unit["name"])
    return (then is not None and then["hex"] == unit["hexes"][0] and then["left"] >= cost
            and not is_forbidden(settings, unit, path, known)
            and beside(settings, path, known) == beside(settings, path, contacts))

def is_move(d, unit, move, contacts, stays):
    cost, path = sum(move["cost"]), move["path"]
    return (can_move(unit) and len(move["cost"]) == len(path) and is_walk(d.settings, [unit["hexes"][0], *path])
            and cost <= points_left(unit) and not is_forbidden(d.settings, unit, path, contacts)
            and not any(was_possible(d.settings, stay, known, unit, cost, path, contacts) for stay, known in stays))

def make_moves(d):
    """The moves that are allowed, each done before the next"""
    contacts, left = d.contacts_of_other(), MOST_STEPS
    stays = [(stay, set(stay["contacts"])) for stay in d.hand["stays"]]

    def read(item):
        nonlocal left
        move = filled(MOVE, item)
        unit = move and find(d.hand, move["unit"])
        if not unit or len(move["path"]) > left or move["unit"] in [x["unit"] for x in d.moves]:
            return None
        if not is_move(d, unit, move, contacts, stays):
            return None
        left -= len(move["path"])
        d.moves.append({**move, "before": unit["spent"]})
        unit.update(hexes=move["path"][-1:], moved=True, spent=unit["spent"] + sum(move["cost"]), volunteered=False)
        return move
    d.sheet.each("moves", read)
    finish(d)
    tell_entries(d)

def finish(d):
    finished = d.names("finished")
    for unit in d.hand["units"]:
        if is_over(d.stated) or unit["name"] in finished:
            unit["finished"] = True

def tell_entries(d):
    entered, entries = set(d.hand["entered"]), []
    for move in d.moves:
        for hex_ in move["path"]:
            if hex_ not in entered and find(d.hand, move["unit"])["level"] == 1:
                entries.append(hex_)
            entered.add(hex_)
    d.hand["entered"], d.fields["entries"] = sorted(entered), entries

def tell_paths(d):
    """Paths of the contacts that are shown"""
    for move in d.moves:
        contacts = find(d.hand, move["unit"])["contacts"]
        if contacts:
            d.fields["paths"]["c%d" % contacts[0]] = move["path"]

def remember_stay(d):
    """What could still have moved, unless the player turn is over"""
    if not is_over(d.stated):
        d.hand["stays"].append({
            "contacts": sorted(d.contacts_of_other()),
            "units": {unit["name"]: {"hex": unit["hexes"][0], "left": points_left(unit)}
                      for unit in standing(d.hand) if can_move(unit)}})
