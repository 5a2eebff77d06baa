"""ndc 26: what is shown of the units of a hand."""

def shown_hexes(unit):
    """The hexes of each contact that a unit has now"""
    if unit["gone"] or unit["level"] < 2 and not unit["volunteered"]:
        return []
    return [unit["hexes"]] if unit["level"] == 4 else [[hex_] for hex_ in unit["hexes"]]

def contact_of(unit, hexes):
    level = unit["level"]
    return {"designation": unit["name"] if level == 4 else None, "hexes": list(hexes), "kind": unit["kind"] if level >= 3 else None,
            "mode": unit["mode"] if level == 4 else None, "to": unit["to"] if level == 4 else None}

def show(d):
    contacts = {}
    for unit in d.hand["units"]:
        hexes = shown_hexes(unit)
        unit["contacts"] = unit["contacts"][:len(hexes)]
        while len(unit["contacts"]) < len(hexes):
            unit["contacts"].append(d.hand["next"])
            d.hand["next"] += 1
        contacts.update(("c%d" % number, contact_of(unit, some)) for number, some in zip(unit["contacts"], hexes))
    d.fields["contacts"] = contacts
