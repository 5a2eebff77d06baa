"""What the operator of an office gets beside the program."""

from .archives import put
from .program import ROOT, said


def put_ops(folder, program):
    """Puts the recipes for the proxy, and an example of the settings."""
    for file in sorted((ROOT / "ops").iterdir()):
        put(file, folder, file.name)
    (folder / "office.toml").write_text(said(program, "office", "settings") + "\n")


def put_container(folder):
    """Puts what builds a container from this folder, which has the program."""
    for name in ("Containerfile", "compose.yaml"):
        put(ROOT / "packaging" / name, folder, name)
    (folder / "state").mkdir()
