//! `game new` without a file: the questions, answered at a terminal.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

use super::{Match, Seated, out, talk};

/// Gives a command a terminal on which these lines are typed, and passes on what it prints.
const TERMINAL: &str = "\
import os, pty, subprocess, sys
ours, theirs = pty.openpty()
os.write(ours, sys.argv[1].encode())
sys.exit(subprocess.run(sys.argv[2:], stdin=theirs).returncode)
";

/// Runs a command at a terminal, with each answer on a line of its own, and the end of the input behind them.
pub(super) fn at_terminal(command: &Command, answers: &[&str]) -> Output {
    let typed: String = answers.iter().map(|answer| format!("{answer}\n")).chain(["\u{4}".into()]).collect();
    let mut driver = Command::new("python3");
    driver.args(["-c", TERMINAL, &typed]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => driver.env(name, value),
            None => driver.env_remove(name),
        };
    }
    if let Some(dir) = command.get_current_dir() {
        driver.current_dir(dir);
    }
    driver.stdin(Stdio::null()).output().expect("Python 3 is needed to run the tests")
}

#[cfg(unix)]
impl Seated {
    fn answers(&self, args: &[&str], answers: &[&str]) -> Output {
        let mut command = super::program(&self.home, &self.machine);
        command.args(args);
        at_terminal(&command, answers)
    }
}

#[cfg(unix)]
#[test]
fn a_game_begins_with_questions() {
    let table = Match::seated("questions-begin");
    let [own, bob] = [&table.ann, &table.bob].map(Seated::public);
    let text = |of: &serde_json::Value, field: &str| of[field].as_str().expect("a text").to_owned();
    let (key, fingerprint) = (text(&bob, "public"), text(&bob, "fingerprint"));
    let saved = table.path("saved.toml");
    let typed = [
        "9",
        "", // no such game; the usual one
        "The bridge",
        "Ann",
        "",
        "Bob",
        "ann",
        "", // her role is not his
        &text(&own, "public"),
        &key,
        &text(&own, "fingerprint"),
        &fingerprint, // her own key, her own fingerprint
        "",
        "",
        "", // the usual dice
        "",
        "2", // no usual answer; like 0824
        "",
        "redo",
        "", // remedies, one by its name
        "", // no third party
    ];
    let output = table.ann.answers(&["game", "new", "--save", &saved, "--yes"], &typed);
    let told = talk(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    for said in [
        "type a number from 1 to 6",
        "ann is your own role",
        "this is your own public key",
        "this is your own fingerprint",
        "choose one of F12, 0824, A43.01",
        "to propose them later",
    ] {
        assert!(told.contains(said), "{said}: {told}");
    }
    assert!(!told.contains("Rows after Z"), "hexes like 0824 have no letters: {told}");
    let arrived = table.bob.reads(&out(&output));
    assert!(arrived.contains("the terms of \"The bridge\", keys compared"), "{arrived}");
    let written = std::fs::read_to_string(Path::new(&saved)).expect("the terms");
    for line in ["title = \"The bridge\"", "illegal-odds = \"redo\"", &format!("key = \"{key}\"")] {
        assert!(written.lines().any(|known| known == line), "{line}: {written}");
    }
    // The text says the same to a player who likes a file.
    let again = talk(&table.ann.run(&["game", "new", &saved, "--yes"], ""));
    assert!(again.contains("you have already proposed these terms"), "{again}");
}

#[cfg(unix)]
#[test]
fn what_no_question_asks_for_is_said_first() {
    let table = Match::seated("questions-first");
    let told = |args: &[&str], game: &str| {
        let output = table.ann.answers(args, &[game]);
        assert_eq!((output.status.code(), out(&output)), (Some(1), String::new()), "{}", talk(&output));
        talk(&output)
    };
    assert!(told(&["game", "new"], "cil").contains("the questions do not ask for the forces"));
    let terms = table.path("ndc.toml");
    let tables = told(&["game", "new", "--save", &terms], "ndc");
    assert!(tables.contains("needs the file") && tables.contains("ndc-tables.toml"), "{tables}");
    assert!(!Path::new(&terms).exists());
}

#[test]
fn without_a_terminal_a_file_is_asked_for() {
    let table = Match::seated("questions-nobody");
    let output = table.ann.run(&["game", "new", "--yes"], "1\n");
    assert_eq!((output.status.code(), out(&output)), (Some(2), String::new()));
    assert!(talk(&output).contains("give a file with terms"), "{}", talk(&output));
}
