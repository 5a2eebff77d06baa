"""Packs the program for players, with what belongs to it, for one system."""

import re
import sys
import tempfile
from pathlib import Path

from . import program
from .archives import put, tar, zipped
from .documents import put_documents
from .program import ROOT


def make(maker, out):
    """Builds the program and packs it. `maker` is the module `native` or `windows`."""
    env = maker.environment()
    epoch = int(env["SOURCE_DATE_EPOCH"])
    version = re.search(r'^version = "([^"]+)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]
    with tempfile.TemporaryDirectory() as work:
        stage = Path(work) / f"sealed-dice-{version}-{maker.SYSTEM}"
        built = maker.build(env)
        put(built, stage, built.name)
        if maker.environment()["SEALED_DICE_COMMIT"] != env["SEALED_DICE_COMMIT"]:
            sys.exit("the sources changed while the program was built: make the download again")
        used = program.crates("desk", maker.target())
        put_documents(stage, program.notices(used, maker.library()), program.bill(used, "sealed-dice", version), maker.origin(env))
        out.mkdir(parents=True, exist_ok=True)
        if built.suffix == ".exe":
            put(ROOT / "packaging/windows/Sealed Dice.cmd", stage, "Sealed Dice.cmd")
            zipped(stage, out / f"{stage.name}.zip", epoch)
        else:
            tar(stage, out / f"{stage.name}.tar.gz", epoch)
