"""The two Debian packages: one for players, and one for the operators of offices."""

import subprocess
import sys

from .archives import deb, put, put_packed
from .operators import put_ops
from .program import ROOT, said

PLAYERS, OFFICE = ROOT / "packaging/players", ROOT / "packaging/office"
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


def manual(stage, pages):
    for page in pages:
        put_packed(page, stage, "usr/share/man/man1", f"{page.name}.gz")


def players(stage, version, variant, out, epoch):
    put(variant.program, stage, "usr/bin/sealed-dice")
    put(PLAYERS / "sealed-dice.desktop", stage, "usr/share/applications/sealed-dice.desktop")
    put(PLAYERS / "sealed-dice.svg", stage, "usr/share/icons/hicolor/scalable/apps/sealed-dice.svg")
    manual(stage, sorted((variant.extras / "man").iterdir()))
    for name, path in [
        ("sealed-dice.bash", "usr/share/bash-completion/completions/sealed-dice"),
        ("sealed-dice.fish", "usr/share/fish/vendor_completions.d/sealed-dice.fish"),
        ("_sealed-dice", "usr/share/zsh/vendor-completions/_sealed-dice"),
    ]:
        put(variant.extras / "completions" / name, stage, path)
    variant.put_documents(stage / "usr/share/doc/sealed-dice")
    (stage / "usr/share/doc/sealed-dice/copyright").write_text(COPYRIGHT)
    deb(stage, about(PLAYERS, version), [PLAYERS / "postrm"], out / f"sealed-dice_{version}_amd64.deb", epoch)


def office(stage, version, variant, of_players, out, epoch):
    """Makes the package for the operators of offices. It can be installed beside the one for players."""
    library, units, documents = "usr/lib/sealed-dice-office", "usr/lib/systemd/system", stage / "usr/share/doc/sealed-dice-office"
    put(variant.program, stage, library, "sealed-dice")
    put(OFFICE / "backup", stage, library, "backup")
    put(OFFICE / "sealed-dice-office", stage, "usr/bin/sealed-dice-office")
    for name in ["sealed-dice-office.service", "sealed-dice-office-backup.service", "sealed-dice-office-backup.timer"]:
        put(OFFICE / name, stage, units, name)
    (stage / "etc/sealed-dice-office").mkdir(parents=True)
    put_packed(OFFICE / "sealed-dice-office.8", stage, "usr/share/man/man8/sealed-dice-office.8.gz")
    # The other pages are in the package for players, and no two packages may have the same file.
    manual(stage, [page for page in sorted((variant.extras / "man").iterdir())
                   if not (of_players.extras / "man" / page.name).exists()])
    variant.put_documents(documents)
    put_ops(documents / "ops", variant.program)
    (documents / "copyright").write_text(COPYRIGHT)
    scripts = [OFFICE / name for name in ("postinst", "prerm", "postrm")]
    deb(stage, about(OFFICE, version), scripts, out / f"sealed-dice-office_{version}_amd64.deb", epoch)
