"""The checkers in TypeScript and Python, as packages for npm and pip."""

import subprocess
import venv

from .archives import put
from .program import ROOT, said

LICENCES = ["LICENSE-APACHE", "LICENSE-MIT"]


def stage(work, folder):
    """Copies the tracked files of a folder, with the rights that they have everywhere, and the licences."""
    for name in said("git", "ls-files", "-z", folder).strip("\0").split("\0"):
        put(ROOT / name, work, name)
    for name in LICENCES:
        put(ROOT / name, work, folder, name)
    return work / folder


def npm(work, out, env):
    folder = stage(work, "verify/typescript")
    for words in (["ci", "--no-audit", "--no-fund"], ["run", "build"], ["pack", "--pack-destination", str(out)]):
        subprocess.run(["npm", "--loglevel=error", *words], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)


def wheel(work, out, env):
    folder = stage(work, "verify")
    venv.create(work / "venv", with_pip=True)
    command = [work / "venv/bin/pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-cache-dir",
               "--wheel-dir", out, folder]
    subprocess.run(command, env=env, check=True)
