"""Builds the program for Windows on x86-64 with the compilers of Debian 12."""

import os
import subprocess
from pathlib import Path

from . import program

SYSTEM, TARGET = "windows-x86_64", "x86_64-pc-windows-gnu"
PACKAGES = ["binutils-mingw-w64-x86-64", "cargo-web", "gcc-mingw-w64-x86-64-win32", "mingw-w64-x86-64-dev", "rust-web-src", "rustc-web"]
# Debian's cargo and rustc go before rustup's.
PATH = f"/usr/bin:{os.environ['PATH']}"
COMPILER = "x86_64-w64-mingw32-gcc"
# Debian has Rust's standard library for Windows only as sources.
LIBRARIES = ["-Zbuild-std=std,panic_unwind"]
LICENCES = Path("/usr/share/doc/mingw-w64-x86-64-dev/copyright")


def target():
    return TARGET


def library():
    """What is linked beside the crates."""
    return (
        "sealed-dice is linked with Rust's standard library (MIT or Apache-2.0), with GCC's support library (GPL-3.0-or-later\n"
        "with the GCC Runtime Library Exception, which lets any program use it) and with mingw-w64, whose licences follow.\n\n"
        f"{LICENCES.read_text()}"
    )


def install(*more):
    """Installs the compilers and `more` packages if some are missing."""
    known = subprocess.run(["dpkg-query", "--show", *PACKAGES, *more], check=False, capture_output=True)
    if known.returncode != 0:
        subprocess.run(["apt-get", "update"], check=True)
        subprocess.run(["apt-get", "install", "--yes", "--no-install-recommends", *PACKAGES, *more], check=True)


def environment():
    # The linker would put the time into the program.
    env = program.environment(["-C link-arg=-Wl,--no-insert-timestamp"])
    return env | {
        "PATH": PATH,
        # Allows a stable compiler to build the standard library from its sources.
        "RUSTC_BOOTSTRAP": "1",
        "CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER": COMPILER,
        "CC_x86_64_pc_windows_gnu": COMPILER,
    }


def build(env):
    """Builds the program for players, and returns its path."""
    program.cargo(env, "build", "--locked", "--release", *LIBRARIES, "--target", TARGET)
    return Path(env["CARGO_TARGET_DIR"]) / TARGET / "release/sealed-dice.exe"


def origin(env):
    """Names what a rebuild needs."""
    show = ["dpkg-query", "--show", "--showformat", "${Package} ${Version}\n"]
    return f"commit {env['SEALED_DICE_COMMIT']}\n" + program.said(*show, *PACKAGES) + "\n"
