"""Builds the program for the system that this runs on: macOS, Windows, or Linux on any processor."""

import platform
import sys
from pathlib import Path

from . import program

KIND = {"darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
PROCESSOR = platform.machine()
SYSTEM = f"{KIND}-{ {'AMD64': 'x86_64', 'arm64': 'aarch64'}.get(PROCESSOR, PROCESSOR)}"
FLAGS = {"linux": program.STATIC, "windows": ["-C target-feature=+crt-static"]}


def target():
    return program.said("rustc", "--print", "host-tuple")


def library():
    """What is linked beside the crates."""
    return program.LIBRARY if KIND == "linux" else "sealed-dice is linked with Rust's standard library (MIT or Apache-2.0).\n"


def environment():
    return program.environment(FLAGS.get(KIND, []))


def build(env):
    """Builds the program for players, and returns its path."""
    program.cargo(env, "build", "--locked", "--release", "--target", target())
    name = "sealed-dice.exe" if KIND == "windows" else "sealed-dice"
    return Path(env["CARGO_TARGET_DIR"]) / target() / "release" / name


def origin(env):
    """Names what a rebuild needs."""
    return f"commit {env['SEALED_DICE_COMMIT']}\n{program.said('rustc', '--version', '--verbose')}\n"
