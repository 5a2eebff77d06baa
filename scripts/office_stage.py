"""Shared by the office scripts: an office on free loopback ports in a temporary folder, and players' folders."""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BLOB = re.compile(rb"-----BEGIN SEALED DICE MESSAGE-----\s+([A-Za-z0-9+/=\s]+?)-----END SEALED DICE MESSAGE-----")


def holds(what):
    print("ok", what, flush=True)


def expect(condition, what, found=""):
    """Prints a line if the condition holds; otherwise ends the script."""
    if not condition:
        sys.exit(f"NOT {what}" + (f"\n{found}" if found != "" else ""))
    holds(what)


def payloads(text):
    """Returns the payloads of the letters in a text, unverified: verifying is the checkers' work."""
    return [json.loads(base64.b64decode(found).split(b"\n")[1]) for found in BLOB.findall(text)]


class Stage:
    """A temporary folder with an office and players."""

    def __init__(self, program, database=None, **settings):
        self.program = os.path.abspath(program)
        self.folder = tempfile.mkdtemp(prefix="sealed-dice-office-")
        # The settings of the user who runs this must not leak in.
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("SEALED_DICE")}
        self.environment["XDG_DATA_HOME"] = self.path("data")
        # With port 0, the system chooses a free port.
        self.settings = {"listen": "127.0.0.1:0", "operations": "127.0.0.1:0", **settings}
        if database:
            self.settings["database"] = database
        self.server = None

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.server:
            self.stop()
        if kind is None:
            shutil.rmtree(self.folder)
        else:
            print(f"the files are kept in {self.folder}", file=sys.stderr)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def variables(self):
        ours = {f"SEALED_DICE_OFFICE_{name.upper()}": str(value) for name, value in self.settings.items()}
        return {**self.environment, **ours}

    def run(self, who, *arguments, code=0, talk=False):
        """Runs the program in a party's folder. Returns its output or, with `talk`, its messages on standard error."""
        command = [self.program, "--home", self.path(who), *arguments]
        done = subprocess.run(command, cwd=self.folder, env=self.variables(), capture_output=True, text=True, check=False)
        if done.returncode != code:
            raise SystemExit(f"NOT exit code {code} but {done.returncode}: {' '.join(command)}\n{done.stdout}{done.stderr}")
        return done.stderr if talk else done.stdout

    def serve(self):
        """Starts the office. If it ran before, it gets the same addresses again."""
        log = open(self.path("office.log"), "ab")
        begun = log.tell()
        command = [self.program, "--home", self.path("office"), "office", "serve"]
        self.server = subprocess.Popen(command, cwd=self.folder, env=self.variables(),
                                       stdout=subprocess.DEVNULL, stderr=log)
        log.close()
        line = None
        while line is None:                     # wait until it prints its addresses or ends
            text = self.read("office.log")[begun:]
            line = re.search(r"serving on http://(\S+), for its operator on http://(\S+)\n", text)
            if line is None and self.server.poll() is not None:
                raise SystemExit(f"NOT serving\n{text}")
            time.sleep(0.01)
        self.settings.update(listen=line[1], operations=line[2])

    @property
    def url(self):
        return "http://" + self.settings["listen"]

    @property
    def operations(self):
        return "http://" + self.settings["operations"]

    @property
    def address(self):
        host, port = self.settings["listen"].rsplit(":", 1)
        return host, int(port)

    def stop(self):
        self.server.send_signal(signal.SIGTERM)
        code = self.server.wait(timeout=60)
        self.server = None
        return code

    def open_office(self):
        self.run("office", "office", "init", "--no-passphrase")
        self.serve()

    def begin(self, ann="ann", bob="bob"):
        """Begins a game between two new players, and leaves their sets at the office; nothing is declared yet."""
        for who in (ann, bob):
            self.run(who, "key", "new", "--no-passphrase")
        key = json.loads(self.run(bob, "key", "show", "--json"))
        terms = self.run(ann, "game", "template", "double-impulse").replace("PUT THEIR KEY HERE", key["public"]).replace("PUT IT HERE", "F12")
        terms = terms.replace('fingerprint = ""', f'fingerprint = "{key["fingerprint"]}"', 1)
        terms = terms.replace("[opponent]", self.run(ann, "office", "card", self.url) + "\n[opponent]", 1)
        signed = ("--yes", "--no-backup", "--out")
        self.run(ann, "game", "new", self.write(f"{ann}.toml", terms), *signed, f"{ann}-terms.txt")
        self.run(ann, "office", "join", self.url)
        self.run(bob, "office", "join", self.url)
        self.run(bob, "game", "accept", *signed, f"{bob}-accepts.txt")
        self.run(bob, "office", "push")
        self.run(ann, "office", "pull")
        self.run(ann, "reply", *signed, f"{ann}-sets.txt")
        self.run(ann, "office", "push")

    def letters(self, who):
        """Returns the letters in a party's folder, by file name."""
        found = {}
        for folder, _, names in os.walk(self.path(who, "games")):
            if os.path.basename(folder) == "letters":
                for name in names:
                    with open(os.path.join(folder, name), "rb") as file:
                        found[name] = file.read()
        return found

    def post_box(self, who):
        """Returns a player's notes about the office: `url`, `position`, and `pass`, which begins with its expiry time."""
        folder = self.path(who, "games")
        with open(os.path.join(folder, os.listdir(folder)[0], "office.txt"), encoding="utf-8") as file:
            return dict(line.rstrip("\n").split(" ", 1) for line in file)
