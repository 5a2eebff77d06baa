"""Builds the program and the texts about it, so that the bytes depend only on the sources and the compilers."""

import json
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TARGET = "x86_64-unknown-linux-gnu"
# A static program cannot look for getrandom(2) at run time, and would want /dev/urandom instead. Its addresses that are
# adjusted at the start are listed in the short form, which saves half a megabyte.
STATIC = [
    "-C target-feature=+crt-static",
    '--cfg getrandom_backend="linux_getrandom"',
    "-C link-arg=-Wl,-z,pack-relative-relocs",
]
LIBRARY = (
    "sealed-dice is linked with the GNU C Library (LGPL-2.1-or-later) and with Rust's standard library (MIT or Apache-2.0).\n"
    "To link it with another C library, run scripts/release where that one is installed.\n"
)


def said(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def environment(flags=STATIC):
    """The settings of a build whose bytes depend on nothing but the sources and the compilers. `flags` are for rustc."""
    cargo = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
    folders = {ROOT: "/sealed-dice", cargo: "/cargo", target: "/target"}
    changed = bool(said("git", "status", "--porcelain", "--untracked-files=no"))
    return os.environ | {
        "CARGO_INCREMENTAL": "0",
        "CARGO_TARGET_DIR": str(target),
        "CFLAGS": " ".join(f"-ffile-prefix-map={folder}={name}" for folder, name in folders.items()),
        "RUSTFLAGS": " ".join([*flags, *(f"--remap-path-prefix={folder}={name}" for folder, name in folders.items())]),
        "SEALED_DICE_COMMIT": said("git", "rev-parse", "HEAD") + (" (changed)" if changed else ""),
        "SOURCE_DATE_EPOCH": said("git", "log", "-1", "--format=%ct"),
        "LC_ALL": "C",
        "TZ": "UTC",
    }


def cargo(env, *words):
    subprocess.run(["cargo", *words], cwd=ROOT, env=env, check=True)


def build(env, features):
    """Builds the program as a static one, and returns its path. The next build replaces it."""
    cargo(env, "build", "--locked", "--release", "--target", TARGET, "--features", features)
    return Path(env["CARGO_TARGET_DIR"]) / TARGET / "release/sealed-dice"


def write_extras(env, features, folder):
    """Writes the manual pages and completions of a build with these features."""
    # Only a build for packaging has the command that writes these files. It is never handed out.
    plain = env | {"RUSTFLAGS": "", "CARGO_PROFILE_DEV_OPT_LEVEL": "0"}
    quick = ["--config", 'profile.dev.package."*".opt-level=0', "--features", f"packaging,{features}"]
    cargo(plain, "run", "--locked", "--quiet", *quick, "--", "packaging", str(folder))


def crates(features, target=TARGET):
    """Lists the crates that the program is made from: name, version, licence, and the texts of their licences."""
    tree = ["tree", "--locked", "--target", target, "-e", "normal", "--prefix", "none", "--format", "{p}", "--features", features]
    used = {tuple(line.split()[:2]) for line in said("cargo", *tree).splitlines()}
    metadata = json.loads(said("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target,
                               "--features", features))
    found = []
    for package in sorted(metadata["packages"], key=lambda package: (package["name"], package["version"])):
        if (package["name"], "v" + package["version"]) not in used or package["source"] is None:
            continue
        folder = Path(package["manifest_path"]).parent
        texts = [path for path in sorted(folder.iterdir()) if re.match(r"(?i)(licen[cs]e|copying|notice|unlicense)", path.name)]
        texts = [path.read_text(errors="replace") for path in texts if path.is_file()]
        found.append((package["name"], package["version"], package["license"] or "see its text", texts))
    return found


def notices(used, library=LIBRARY):
    """Writes the licences of all crates as one text, each text once. `library` is about what is linked beside them."""
    out, known = [f"{library}\nIt contains these crates.\n"], {}
    for name, version, licence, texts in used:
        numbers = [known.setdefault(text, len(known) + 1) for text in texts]
        beside = f"; texts {', '.join(map(str, numbers))}" if numbers else ""
        out.append(f"{name} {version}: {licence}{beside}")
    out += [f"\n---- text {number} ----\n\n{text.rstrip()}" for text, number in known.items()]
    return "\n".join(out) + "\n"


def bill(used, name, version):
    """Lists the crates as a software bill of materials in the form of CycloneDX 1.5."""
    parts = [
        {"type": "library", "name": crate, "version": number, "purl": f"pkg:cargo/{crate}@{number}",
         "licenses": [{"expression": re.sub(r"(?<=\w)/(?=\w)", " OR ", licence)}]}
        for crate, number, licence, _ in used
    ]
    about = {"component": {"type": "application", "name": name, "version": version}}
    return json.dumps({"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": about, "components": parts},
                      indent=1, sort_keys=True) + "\n"


def origin(env):
    """Names what a rebuild needs."""
    tools = [("", "rustc"), ("", "cc"), ("", "ldd"), ("node ", "node"), ("npm ", "npm"), ("", "python3")]
    lines = [name + said(tool, "--version").splitlines()[0] for name, tool in tools]
    return "\n".join([f"commit {env['SEALED_DICE_COMMIT']}", *lines]) + "\n"
