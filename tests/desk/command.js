/** The command line in a player's folder. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PASSPHRASE } from "./desk.js";

/** A player at a terminal, in the folder `home` or in a new one. */
export class Terminal {
  constructor(home = mkdtempSync(join(tmpdir(), "terminal-"))) {
    this.home = home;
    this.scratch = mkdtempSync(join(tmpdir(), "scratch-"));
    this.passphrase = this.file("passphrase", `${PASSPHRASE}\n`);
  }

  /** Writes a file beside the folder, and returns its path. */
  file(name, text) {
    const path = join(this.scratch, name);
    writeFileSync(path, text);
    return path;
  }

  /** Runs a command, and returns what it prints. `input` is what it reads. */
  run(args, input = "") {
    const env = { ...process.env, SEALED_DICE_PASSPHRASE_FILE: this.passphrase };
    return execFileSync(process.env.PROGRAM, ["--home", this.home, ...args], { encoding: "utf8", env, input, stdio: ["pipe", "pipe", "pipe"] });
  }

  /** Runs a command that signs, and returns its mail. */
  sign(...args) {
    const out = join(this.scratch, `mail-${(this.mails = (this.mails ?? 0) + 1)}.txt`);
    this.run([...args, "--yes", "--out", out]);
    return readFileSync(out, "utf8");
  }

  /** Reads a mail, and returns what the program prints. */
  read(mail) {
    return this.run(["read", "-"], mail);
  }

  end() {
    rmSync(this.scratch, { recursive: true, force: true });
  }
}
