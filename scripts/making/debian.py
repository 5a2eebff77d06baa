"""The two Debian packages: one for players, and one for the operators of offices."""

import subprocess
import sys

from .archives import deb, put, put_packed
from .program import ROOT, said

PLAYERS, OFFICE, OPS = ROOT / "packaging/players", ROOT / "packaging/office", ROOT / "ops"
COPYRIGHT = (
    "sealed-dice is licensed under MIT or Apache-2.0, as you choose: see LICENSE-MIT and LICENSE-APACHE here.\n"
    "THIRD-PARTY.txt has the licences of the crates that it contains.\n"
)


def version_of(version):
    """The package's version. Each commit has a higher one than the commit before it, before and after the release."""
    if said("git", "rev-parse", "--is-shallow-repository") == "true":
        sys.exit("this clone lacks old commits, which the version of a package counts: type git fetch --unshallow")
    tag = f"v{version}"
    known = subprocess.run(["git", "merge-base", "--is-ancestor", tag, "HEAD"], cwd=ROOT, check=False, capture_output=True)
    commits = said("git", "rev-list", "--count", "HEAD")
    if known.returncode != 0:
        return f"{version}~git{commits}"
    return version if said("git", "rev-list", "--count", f"{tag}..HEAD") == "0" else f"{version}+git{commits}"


def about(folder, version):
    return (folder / "control").read_text().replace("VERSION", version)


def players(stage, version, program, extras, documents, out, epoch):
    put(program, stage, "usr/bin/sealed-dice")
    put(PLAYERS / "sealed-dice.desktop", stage, "usr/share/applications/sealed-dice.desktop")
    put(PLAYERS / "sealed-dice.svg", stage, "usr/share/icons/hicolor/scalable/apps/sealed-dice.svg")
    for page in sorted((extras / "man").iterdir()):
        put_packed(page, stage, "usr/share/man/man1", f"{page.name}.gz")
    for name, path in [
        ("sealed-dice.bash", "usr/share/bash-completion/completions/sealed-dice"),
        ("sealed-dice.fish", "usr/share/fish/vendor_completions.d/sealed-dice.fish"),
        ("_sealed-dice", "usr/share/zsh/vendor-completions/_sealed-dice"),
    ]:
        put(extras / "completions" / name, stage, path)
    documents(stage / "usr/share/doc/sealed-dice")
    (stage / "usr/share/doc/sealed-dice/copyright").write_text(COPYRIGHT)
    deb(stage, about(PLAYERS, version), [PLAYERS / "postrm"], out / f"sealed-dice_{version}_amd64.deb", epoch)
