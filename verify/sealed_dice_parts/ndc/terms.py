"""ndc 1 and 2: settings, and the forms that pages and sheets have in common."""

from sealed_dice_parts.forms import BOOL, ROLE, both, differ, fields, integer, items, matching, named, one_of, tuple_of
from sealed_dice_parts.ndc.hexes import HEX, split

NAME = matching("[A-Za-z0-9./_-]{1,32}")
KIND = one_of("armor", "hq", "infantry", "recon")
CHEMICAL = one_of("none", "persistent", "used")
NUMBER = integer(0, 999)
POINTS = integer(1, 999)
WEATHER = one_of("fog", "night", "precipitation")

def rises(values):
    """ndc 2: a set"""
    return all(a < b for a, b in zip(values, values[1:]))

def set_of(form, low=0, high=1024):
    return both(items(form, low, high), rises)

def is_rectangle(corners):
    (left, top), (right, bottom) = map(split, corners)
    return left <= right and top <= bottom

SECTORS = both(named(NAME, both(tuple_of(HEX, HEX), is_rectangle), 64), bool)
PREFILL = {"adjacent": "all", "combats": 8, "ew": 3, "roll_count_public": False, "sheet_bytes": 16384, "units": 32}
SETTINGS = fields({
    "adjacent": one_of("all", "others"), "ammo": BOOL, "combats": integer(1, 16), "defender_to_sign": one_of("minus", "plus"),
    "doctrine": named(ROLE, one_of("soviet", "us")), "ew": integer(0, 6), "letters": one_of("standing", "wait"),
    "low_columns": one_of("even", "odd"), "roll_count_public": BOOL, "sectors": SECTORS,
    "sheet_bytes": both(integer(1024, 65536), lambda n: n % 256 == 0),
    "sides": both(tuple_of(ROLE, ROLE), differ), "units": integer(1, 64)})

def settings_hold(settings):
    """ndc 1"""
    return SETTINGS(settings) and settings["doctrine"].keys() == set(settings["sides"])

def rolls_of(settings):
    """ndc 4"""
    return 5 * settings["units"] + 1 + settings["combats"] * (2 * settings["ew"] + 4)

def other_side(settings, role):
    return next(x for x in settings["sides"] if x != role)
