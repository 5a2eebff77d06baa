//! The game that README and the pages behind it show: each of its commands, in its order, in two homes; and what they print.

use std::{
    collections::HashMap,
    fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};

use super::{audits, out, shell_words, talk};

/// Verbs that show what they sign and ask; here nobody is there to be asked.
const SIGNING: [&str; 10] =
    ["new", "accept", "close", "resync", "declare", "reply", "reveal", "correct", "dispute", "seal"];

/// The folder in which both players type, each with a home of his own, and what each of them was told last.
struct Desk {
    dir: PathBuf,
    told: HashMap<String, String>,
}

impl Desk {
    fn command(&self, player: &str, args: &[String]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sealed-dice"));
        command.env_remove("SEALED_DICE_PASSPHRASE_FILE").env("SEALED_DICE_HOME", self.dir.join(player));
        command.env("SEALED_DICE_STATE", self.dir.join(player).join("machine"));
        command.current_dir(&self.dir).stdin(Stdio::null()).args(args);
        command
    }

    fn program(&self, player: &str, args: &[String]) -> Output {
        self.command(player, args).output().expect("the program runs")
    }

    /// Answers the questions about a new game as README says.
    fn answers(&self, player: &str, args: &[String]) -> Output {
        let (key, fingerprint) = (self.key("bob", "public"), self.key("bob", "fingerprint"));
        let typed = ["", "", "Ann", "", "Bob", "", &key, &fingerprint, "", "", "", "1", "", "", "", "", ""];
        super::questions::at_terminal(&self.command(player, args), &typed)
    }

    /// What `key show` says of somebody.
    fn key(&self, player: &str, field: &str) -> String {
        let shown = self.program(player, &["key", "show", "--json"].map(str::to_owned));
        let shown: Value = serde_json::from_slice(&shown.stdout).expect("JSON");
        shown[field].as_str().expect("a text").to_owned()
    }

    /// Runs a line as it stands in README; only what is random there is what it is here, and what a person is asked for
    /// is said in the arguments.
    fn types(&mut self, player: &str, line: &str) -> String {
        let (line, file) = line.split_once(" > ").map_or((line, None), |(line, file)| (line, Some(file)));
        let mut words = shell_words(line);
        assert_eq!(words.remove(0), "sealed-dice", "{line}");
        if words.starts_with(&["correct".into(), "refuse".into()]) {
            words[2] = self.named(player, "sealed-dice correct refuse ");
        }
        if ["new", "restore"].contains(&words[1].as_str()) && words[0] == "key" {
            words.push("--no-passphrase".into());
        } else if words[0] != "key" && words.iter().take(2).any(|word| SIGNING.contains(&word.as_str())) {
            words.push("--yes".into());
        }
        if words[1] == "accept" {
            words.extend(["--fingerprint".into(), self.key("ann", "fingerprint")]);
        }
        if words[1] == "restore" {
            fs::remove_dir_all(self.dir.join(player)).expect("a lost computer");
        }
        let output = match words.starts_with(&["game".into(), "new".into(), "--out".into()]) {
            true => self.answers(player, &words),
            false => self.program(player, &words),
        };
        assert_eq!(output.status.code(), Some(0), "{line}: {}{}", out(&output), talk(&output));
        if let Some(file) = file {
            fs::write(self.dir.join(file), out(&output)).expect("a file");
        }
        let told = [talk(&output), out(&output)].concat();
        self.told.insert(player.to_owned(), told.clone());
        told
    }

    /// The rest of a command that the program named.
    fn named(&self, player: &str, command: &str) -> String {
        let rest = self.told[player].lines().find_map(|line| line.trim().strip_prefix(command));
        rest.expect("what was named").to_owned()
    }
}

/// A line without what is random: dice, keys, fingerprints, ids.
fn masked(line: &str) -> String {
    let words = line.split_whitespace().map(|word| {
        let hex = word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let group = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        if hex || group { "*" } else { word }
    });
    let line = words.collect::<Vec<_>>().join(" ");
    line.strip_prefix("d6 = ").map_or(line.clone(), |die| format!("d6 = {}", &die[1..]))
}

fn blocks<'r>(readme: &'r str, mark: &str) -> Vec<&'r str> {
    let blocks = readme.split(mark).skip(1);
    blocks.map(|block| block.split("```").next().expect("a block")).collect()
}

#[test]
fn the_game_in_readme_is_played() {
    // The game goes on from page to page, and ends where the page of playing says how.
    let page = |path: &str| fs::read_to_string(path).expect("a page");
    let playing = page("docs/playing.md");
    let (playing, end) = playing.split_once("## The end").expect("an end");
    let readme = [&page("README.md"), playing, &page("docs/trouble.md"), end].concat();
    let mut desk = Desk { dir: crate::folder("play-readme"), told: HashMap::new() };
    fs::create_dir(desk.dir.join("mails")).expect("a folder");
    let tables = blocks(&readme, "```csv\n");
    for (name, table) in ["attacks.csv", "rolls.csv"].into_iter().zip(&tables) {
        fs::write(desk.dir.join(name), table).expect("a table");
    }
    assert_eq!(tables.len(), 2);
    let (mut typed, mut compared) = (0, 0);
    for block in blocks(&readme, "```text\n") {
        let mut told = String::new();
        let mut printed = told.lines();
        for line in block.lines() {
            if let Some((player, command)) = line.split_once("$ ") {
                told = desk.types(player, command);
                printed = told.lines();
                typed += 1;
            } else {
                let found = printed.any(|printed| masked(printed) == masked(line));
                assert!(found, "{line:?} is not, or not there, in:\n{told}");
                compared += 1;
            }
        }
    }
    assert!(typed >= 30 && compared >= 20, "{typed} commands, {compared} lines");
    let mails = desk.dir.join("mails");
    for report in audits(&mails) {
        assert_eq!(
            (report.len(), &report[0]["verdict"], &report[0]["complete"]),
            (1, &json!("verified"), &json!(true))
        );
    }
    let page = fs::read_to_string(desk.dir.join("audit.html")).expect("a page");
    assert!(page.contains("the 3rd crosses at F12"));
    assert!(page.contains("The terms are accepted, keys compared"), "who says that the keys were compared");
}

/// The verbs of `office` for whoever runs one.
const OPERATES: [&str; 11] =
    ["backup", "check", "epoch", "hand-back", "init", "migrate", "openapi", "restore", "serve", "settings", "trust"];

/// The table has every command, and no other.
#[test]
fn the_table_has_every_command() {
    let readme = fs::read_to_string("docs/commands.md").expect("a page");
    let table = readme.split("| command | does |\n").nth(1).expect("a table").split("\n\n").next().expect("its end");
    let desk = Desk { dir: crate::folder("play-readme-table"), told: HashMap::new() };
    let mut verbs = Vec::new();
    for row in table.lines().skip(1) {
        let commands = row.split('|').nth(1).expect("a cell").split('`').skip(1).step_by(2);
        for command in commands {
            let words: Vec<String> = command
                .split(' ')
                .take_while(|word| !word.starts_with(|c: char| c.is_ascii_uppercase()))
                .map(str::to_owned)
                .collect();
            // Players' builds cannot run an office.
            let operates = words[0] == "office" && OPERATES.contains(&words[1].as_str());
            if operates && !cfg!(feature = "postgres") {
                continue;
            }
            let help = desk.program("nobody", &[words.as_slice(), &["--help".into()]].concat());
            let usage = format!("Usage: sealed-dice {}", words.join(" "));
            assert!(out(&help).contains(&usage), "{command}: {}", talk(&help));
            verbs.push(words[0].clone());
        }
    }
    let help = out(&desk.program("nobody", &["--help".into()]));
    let listed = help.split("Commands:\n").nth(1).expect("commands").split("\n\n").next().expect("their end");
    for line in listed.lines() {
        let verb = line.split_whitespace().next().expect("a verb");
        assert!(verb == "help" || verbs.iter().any(|known| known == verb), "the table lacks {verb}");
    }
}

/// The road of a new player, from the first line of README to the first die that somebody sees, for both together.
#[test]
fn the_road_to_the_first_die_is_short() {
    let readme = include_str!("../../../README.md");
    let (road, _) = readme.split_once("d6 = ").expect("a die");
    let words = road.split_whitespace().count();
    let typed = road.lines().filter(|line| line.starts_with("ann$ ") || line.starts_with("bob$ ")).count();
    assert!(words <= 900 && typed < 10, "{words} words, {typed} commands after the one that installs");
    assert!(typed >= 5, "the game is there");
}
