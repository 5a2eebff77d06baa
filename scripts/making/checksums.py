"""The checksums of a release, and their signature."""

import hashlib
import subprocess

NAME = "SHA256SUMS"


def write(folder):
    files = sorted(path for path in folder.iterdir())
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    (folder / NAME).write_text(sums)
    return sums


def sign(folder, key, commit):
    """Signs the checksums in minisign's form. It asks for the password of the key, if the key has one."""
    subprocess.run(["minisign", "-S", "-s", key, "-m", folder / NAME, "-t", f"sealed-dice, commit {commit}"], check=True,
                   stdout=subprocess.DEVNULL)
