"""ndc 24: who halts the other's contacts, and what the mover's hand takes from a report."""

from sealed_dice_parts.ndc.hand import find, go_to, lose, standing
from sealed_dice_parts.ndc.hexes import neighbours
from sealed_dice_parts.ndc.inputs import number_of

def can_halt(d, unit):
    return unit["name"] in d.hand["halting"] and unit["level"] <= 1 and not unit["volunteered"]

def first_halt(d, path):
    """The first hex of a path where somebody halts, and who; or None"""
    ready = [(unit, set(unit["hexes"])) for unit in standing(d.hand) if can_halt(d, unit)]
    for hex_ in path[:-1]:
        around = neighbours(d.settings, hex_)
        for unit, hexes in ready:
            if not hexes.isdisjoint(around):
                return hex_, unit
    return None

def halt(d):
    d.fields["halts"] = []
    for contact in sorted(d.state["paths"], key=number_of):
        found = first_halt(d, d.state["paths"][contact])
        if found:
            hex_, unit = found
            unit["volunteered"] = True
            by = next(x for x in unit["hexes"] if x in neighbours(d.settings, hex_))
            d.fields["halts"].append({"by": by, "contact": contact, "hex": hex_})

# The mover

def take_report(player, report):
    """24: what the mover's hand takes from a report"""
    for halted in report["halts"]:
        take_halt(player, halted)
    for name, entry in zip(player.attacks, report["combats"]):
        unit = name and find(player.hand, name)
        if unit and entry.get("result") not in (None, "cancelled"):
            take_outcome(player, name, unit, entry)

def take_halt(player, halted):
    """The unit of a contact stands where it was halted; its attack is not counted"""
    for move in player.moves:
        unit = find(player.hand, move["unit"])
        if unit and "c%d" % (unit["contacts"] + [0])[0] == halted["contact"] and halted["hex"] in move["path"]:
            steps = move["path"].index(halted["hex"]) + 1
            unit.update(hexes=[halted["hex"]], halted=True, finished=True, spent=move["before"] + sum(move["cost"][:steps]))
            unit["attacks"] -= move["unit"] in player.attacks

def take_outcome(player, name, unit, entry):
    unit["ew"] = entry["ew_level"]
    if entry["retreat"]:
        go_to(unit, entry["retreat"])
    elif entry["advance"]:
        go_to(unit, player.targets[name])
    lose(unit, entry["attacker_loss"])
