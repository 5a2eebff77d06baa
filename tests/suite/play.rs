//! A game by mail between two folders on one machine, with the real program and files alone.

mod accepts;
mod accidents;
mod alike;
mod alone;
mod aside;
mod asks;
mod cheats;
mod cil;
mod courses;
mod events;
mod first_reader;
mod foul_ups;
pub(crate) mod hostile;
mod killed;
mod known;
mod leaks;
mod lost;
mod machines;
mod moved;
mod named;
mod ndc;
mod offers;
mod office;
#[cfg(feature = "fail-points")]
mod pairs;
#[cfg(feature = "postgres")]
mod posted;
#[cfg(unix)]
mod prompts;
mod questions;
mod readme;
mod referee;
mod roads;
mod robot;
mod secrets;
mod strangers;
mod tables;
mod told;
mod traps;
mod trouble;
mod unawares;
mod whole;
mod witness;

use std::{
    cell::RefCell,
    collections::BTreeSet,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use sealed_dice::{
    blob::{Body, Verified},
    game::{
        ledger::Ledger,
        steps::Signer,
        terms::{Player, Terms},
    },
    keep::{
        folder::Folder,
        home::Home,
        key_file::KeyFile,
        root::Keys,
        signing_journal::{Signed, SigningJournal},
    },
};
use serde_json::Value;

use crate::second_checker::{essence, python};

/// Of the campaigns with most left to chance every fifth has lacked something, and those behind it have less to show: not one
/// test in 300,000 fails for its dice.
const MOST_CAMPAIGNS: usize = 8;

/// What a player attacks with, and rolls for.
const ATTACKS: &str = "hexes,odds,order\nF12+F13,3-1,2\nG13,5-1,1\nI11,1-4,3\n";
const ROLLS: &str = "why\nF12 3-1\nG13 5-1\n";

/// Plays campaigns with the program's own dice, which nobody can foresee, until everything has happened in one or another.
/// `campaign` plays one, and says what has not happened in any so far.
fn until_all_was_seen(mut campaign: impl FnMut(usize) -> Vec<&'static str>) {
    let mut lacks = Vec::new();
    for n in 1..=MOST_CAMPAIGNS {
        lacks = campaign(n);
        if lacks.is_empty() {
            return;
        }
    }
    panic!("it did not happen in {MOST_CAMPAIGNS} campaigns: {lacks:?}");
}

/// A player at his machine: a folder, what the machine remembers, and everything that the program ever told him. Unless
/// a test has several machines, what is remembered lies in the folder, and is copied and lost with it.
struct Seated {
    home: PathBuf,
    machine: PathBuf,
    told: RefCell<Vec<u8>>,
}

fn program(home: &Path, machine: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sealed-dice"));
    command.env_remove("SEALED_DICE_PASSPHRASE_FILE").env_remove("SEALED_DICE_HOME").env("SEALED_DICE_STATE", machine);
    command.env("RUST_BACKTRACE", "1").arg("--home").arg(home).stdin(Stdio::null());
    command
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn talk(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

impl Seated {
    fn at(home: PathBuf) -> Self {
        let machine = home.join("machine");
        Self { home, machine, told: RefCell::default() }
    }

    /// Runs a command with a text on its standard input.
    fn run(&self, args: &[&str], input: &str) -> Output {
        let mut command = program(&self.home, &self.machine);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        // Whoever needs no input may have ended before it is written.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        self.told.borrow_mut().extend([output.stdout.as_slice(), &output.stderr].concat());
        output
    }

    /// A command that must do what it says; what it prints.
    fn does(&self, args: &[&str]) -> String {
        let output = self.run(args, "");
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", talk(&output));
        out(&output)
    }

    /// The same of a command that signs, and that has first said what it signs.
    fn signs(&self, args: &[&str]) -> String {
        let output = self.run(&[args, &["--yes"]].concat(), "");
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", talk(&output));
        assert!(!talk(&output).contains("differs from the one that you saw"), "{args:?}: {}", talk(&output));
        out(&output)
    }

    /// A command that must be refused; why.
    fn is_refused(&self, args: &[&str]) -> String {
        let output = self.run(args, "");
        assert_eq!((output.status.code(), out(&output).as_str()), (Some(1), ""), "{args:?}: {}", talk(&output));
        talk(&output)
    }

    /// Reads a mail; what is said about it.
    fn reads(&self, mail: &str) -> String {
        let output = self.run(&["read", "-"], mail);
        assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), talk(&output));
        out(&output)
    }

    fn status(&self) -> Value {
        let status = serde_json::from_str(&self.does(&["game", "status", "--json"])).expect("JSON");
        crate::outputs::check_status(&status);
        status
    }

    /// The letters of the only game.
    fn letters(&self) -> PathBuf {
        let games = fs::read_dir(self.home.join("games")).expect("games");
        let games: Vec<PathBuf> = games.map(|entry| entry.expect("a game").path()).collect();
        assert_eq!(games.len(), 1, "{games:?}");
        games[0].join("letters")
    }

    fn keys(&self) -> Keys {
        let home = Home::find(Some(self.home.clone())).expect("a home");
        KeyFile::open(&home.key_file()).and_then(|file| file.unlock(None)).expect("a key without passphrase")
    }

    fn public(&self) -> Value {
        serde_json::from_str(&self.does(&["key", "show", "--json"])).expect("JSON")
    }

    /// Replays the game as the folder has it.
    fn replay<T>(&self, look: impl FnOnce(&Ledger<'_>, Player) -> T) -> T {
        let folder = Folder::open(self.letters().parent().expect("a game")).expect("a game");
        let (stored, _) = folder.letters().expect("letters");
        let charter = stored.iter().find(|letter| matches!(letter.message.body(), Body::Charter(_))).expect("terms");
        let terms = Terms::parse(&charter.message).expect("terms");
        let signed: Vec<&Verified> = stored.iter().map(|letter| &letter.message).collect();
        let key = self.keys().signing().public();
        let me = Player::BOTH.into_iter().find(|player| terms.party(*player).key.0 == *key.as_bytes());
        crate::kit::replayed(&signed, |ledger| look(ledger, me.expect("a player")))
    }

    /// Signs a letter past the program, as a cheat would.
    fn forges(&self, body: impl FnOnce(&Ledger<'_>, Player, &Signer) -> Body) -> String {
        let keys = self.keys();
        self.replay(|ledger, me| {
            let mut signer = Signer::resume(ledger, me, keys.signing().clone(), keys.vault().clone());
            let body = body(ledger, me, &signer);
            let letter = signer.write(body).expect("a letter");
            let signed = Some(Signed::of(&letter.message));
            self.journal(ledger, me).has_signed(signed).expect("his machine remembers it");
            letter.armour()
        })
    }

    /// What his machine remembers of the only game.
    fn journal(&self, ledger: &Ledger<'_>, me: Player) -> SigningJournal {
        let folder = self.machine.join("signed");
        SigningJournal::open_in(&folder, ledger.terms.id, Some(ledger.game), ledger.terms.role(me))
            .expect("what it has signed")
    }
}

/// Whether a command that a status names sends the reply that is owed.
fn brings_the_reply(command: &str) -> bool {
    ["reply", "declare", "decide", "note", "correct", "dispute"]
        .iter()
        .any(|verb| command.split_whitespace().any(|word| word == *verb))
}

/// Two players, and every mail that was sent.
struct Match {
    dir: PathBuf,
    ann: Seated,
    bob: Seated,
    mails: RefCell<Vec<String>>,
}

impl Match {
    /// Two players with keys. Their folders' names need quoting in a shell.
    fn seated(name: &str) -> Self {
        let dir = crate::folder(name);
        fs::write(dir.join("ATTACKS.csv"), ATTACKS).expect("a sheet");
        fs::write(dir.join("ROLLS.csv"), ROLLS).expect("a sheet");
        fs::write(dir.join("TURN.toml"), "").expect("a turn");
        fs::write(dir.join("orders.txt"), "hold the bridge at all costs\n").expect("a text");
        let [ann, bob] = ["ann's home", "home of bob"].map(|home| {
            let player = Seated::at(dir.join(home));
            player.does(&["key", "new", "--no-passphrase"]);
            player.does(&["key", "backup"]);
            player
        });
        Self { dir, ann, bob, mails: RefCell::default() }
    }

    /// The template as Ann fills it in.
    fn terms(&self, edit: impl FnOnce(String) -> String) -> String {
        self.terms_of("double-impulse", edit)
    }

    fn terms_of(&self, template: &str, edit: impl FnOnce(String) -> String) -> String {
        let bob = self.bob.public();
        let template = self.ann.does(&["game", "template", template]);
        // Terms of other games may get battles with hexes in a test.
        let text = match template.contains("hexes = ") {
            true => template,
            false => template.replacen("hard_core = false\n", "hard_core = false\nhexes = \"F12\"\n", 1),
        };
        let text = text
            .replace("PUT THEIR KEY HERE", bob["public"].as_str().expect("a key"))
            .replace("hexes = \"PUT IT HERE\"", "hexes = \"F12\"")
            .replace("fingerprint = \"\"", &format!("fingerprint = \"{}\"", bob["fingerprint"].as_str().unwrap()));
        self.file("terms.toml", &edit(text))
    }

    /// The same table, at which a player sits in both places: all that is looked at is what they know.
    fn seen_by(&self, player: &Seated) -> Self {
        let [ann, bob] = [(); 2].map(|()| Seated::at(player.home.clone()));
        Self { dir: self.dir.clone(), ann, bob, mails: RefCell::default() }
    }

    /// The same players and letters in another place.
    fn copied(&self, name: &str) -> Self {
        let dir = self.dir.join(name);
        let _ = fs::remove_dir_all(&dir);
        let [ann, bob] = [&self.ann, &self.bob].map(|player| {
            let copy = Seated::at(dir.join(player.home.file_name().expect("a name")));
            copy_folder(&player.home, &copy.home);
            copy
        });
        Self { dir, ann, bob, mails: RefCell::default() }
    }

    fn file(&self, name: &str, content: &str) -> String {
        let path = self.dir.join(name);
        fs::write(&path, content).expect("a file");
        path.to_str().expect("a path").to_owned()
    }

    fn path(&self, name: &str) -> String {
        self.dir.join(name).to_str().expect("a path").to_owned()
    }

    /// A game that has begun, with all that is sealed for the first turn.
    fn begun(name: &str, edit: impl FnOnce(String) -> String) -> Self {
        let table = Self::seated(name);
        let terms = table.terms(edit);
        table.mail(&table.ann, &["game", "new", &terms]);
        let fingerprint = table.ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
        table.mail(&table.bob, &["game", "accept", "--fingerprint", &fingerprint]);
        table.mail(&table.ann, &["reply"]);
        table
    }

    fn other(&self, player: &Seated) -> &Seated {
        if player.home == self.ann.home { &self.bob } else { &self.ann }
    }

    /// A command whose mail the other reads. What he is told.
    fn mail(&self, from: &Seated, args: &[&str]) -> String {
        let mail = self.posts(from, args);
        let told = self.other(from).reads(&mail);
        self.look();
        told
    }

    /// A command whose mail has not arrived yet.
    fn posts(&self, from: &Seated, args: &[&str]) -> String {
        let mail = from.signs(args);
        assert!(mail.contains("-----BEGIN SEALED DICE MESSAGE-----"), "{args:?}: {mail}");
        self.mails.borrow_mut().push(mail.clone());
        mail
    }

    /// A player's question which letter of his is known, and the other's answer.
    fn resyncs(&self, player: &Seated) {
        let ask = self.posts(player, &["game", "resync"]);
        let other = self.other(player);
        other.reads(&ask);
        self.mail(other, &["reply"]);
    }

    /// Both statuses say what to do or whom to wait for, each command that they name does something, and each waits for
    /// what is the other's move.
    fn look(&self) {
        for player in [&self.ann, &self.bob] {
            self.look_at(player, |_| ());
        }
        self.statuses_agree();
    }

    /// What is one player's move the other waits for, once both have the same letters.
    fn statuses_agree(&self) {
        let names = |player: &Seated| {
            let letters = fs::read_dir(player.letters()).expect("letters");
            letters.map(|letter| letter.expect("a letter").file_name()).collect::<BTreeSet<_>>()
        };
        if !self.bob.home.join("games").exists() || names(&self.ann) != names(&self.bob) {
            return;
        }
        let statuses = [self.ann.status(), self.bob.status()];
        let [of_ann, of_bob] = &statuses;
        let is_quiet = |status: &Value| status["blocked"].is_null() && status["missing"] == serde_json::json!([]);
        if !statuses.iter().all(is_quiet) {
            return;
        }
        let sorted = |status: &Value| {
            let roles = status["move_of"].as_array().expect("a list").iter();
            roles.map(ToString::to_string).collect::<BTreeSet<_>>()
        };
        assert_eq!(sorted(of_ann), sorted(of_bob), "{of_ann} {of_bob}");
        for (mine, theirs) in [(of_ann, of_bob), (of_bob, of_ann)] {
            let lines = |status: &Value, field: &str| {
                let list = status[field].as_array().expect("a list").iter();
                list.map(|line| line.as_str().expect("a line").to_owned()).collect::<Vec<_>>()
            };
            let slot_behind = |line: &String, verb: &str| {
                let rest = line.split_once(verb)?.1;
                rest.split(' ').next().filter(|_| !rest.contains("again")).map(str::to_owned)
            };
            let declares: BTreeSet<String> =
                lines(mine, "commands").iter().filter_map(|line| slot_behind(line, " declare ")).collect();
            let waited: BTreeSet<String> =
                lines(theirs, "waits_for").iter().filter_map(|line| slot_behind(line, " declares ")).collect();
            assert_eq!(declares, waited, "{mine} {theirs}");
            assert!(lines(mine, "commands").iter().all(|line| !line.contains("--skip")), "{mine}");
            let asked =
                |line: &String| line.contains(" opens ") && !line.starts_with("office") && !line.starts_with("club");
            let named = lines(mine, "commands");
            if lines(theirs, "waits_for").iter().any(asked) {
                assert!(named.iter().any(|line| brings_the_reply(line)), "{mine} {theirs}");
            }
            // What brings the reply along is never named beside it.
            let replies = |line: &&String| line.contains(" reply");
            assert!(
                !named.iter().any(|line| replies(&line))
                    || named.iter().all(|line| replies(&line) || !brings_the_reply(line)),
                "{mine}"
            );
        }
    }

    /// The same of one player, and a look at the copy of his folder in which each command was tried.
    fn look_at(&self, player: &Seated, after: impl Fn(&Seated)) {
        let status = player.status();
        let list = |name: &str| status[name].as_array().expect("a list").clone();
        assert!(
            status["closed"] == true
                || ["commands", "waits_for", "missing"].iter().any(|field| !list(field).is_empty()),
            "neither a command nor whom it waits for: {status}"
        );
        for command in list("commands").iter().chain(&list("also")) {
            after(&self.try_out(player, command.as_str().expect("a command")));
        }
    }

    /// What is typed for a command that `game status` names: split as a shell does, the placeholders filled in.
    fn typed(&self, player: &Seated, command: &str) -> Vec<String> {
        let mut words = shell_words(command);
        assert_eq!(words[0], "sealed-dice", "{command}");
        assert_eq!((words[1].as_str(), Path::new(&words[2])), ("--home", player.home.as_path()), "{command}");
        words.drain(..3);
        let choice = match words.get(2).map(String::as_str) {
            Some("pop") => "none",
            Some("order") => "first",
            Some("night") => "on",
            _ => "no reaction",
        };
        // What may be chosen in a turn of a course, its test knows.
        let choice = fs::read_to_string(self.dir.join("CHOICE.txt")).unwrap_or_else(|_| choice.to_owned());
        for word in &mut words {
            *word = match word.as_str() {
                "ATTACKS.csv" | "ROLLS.csv" | "TURN.toml" | "ORDERS.toml" | "BATTLE.toml" | "SHEET.toml" => {
                    self.path(word)
                }
                "WHAT MOVED" => "the 3rd crosses at F12".into(),
                "WHY THIS ONE COUNTS" => "this one is meant".into(),
                "WHAT IS WRONG" => "this one is not what I know".into(),
                "TEXT-FILE" => self.path("orders.txt"),
                "YOUR CHOICE" => choice.clone(),
                _ => continue,
            };
        }
        words
    }

    /// Tries a command in a copy of the folder.
    fn try_out(&self, player: &Seated, command: &str) -> Seated {
        let copy = Seated::at(self.dir.join("a copy"));
        let _ = fs::remove_dir_all(&copy.home);
        copy_folder(&player.home, &copy.home);
        if player.machine.exists() {
            copy_folder(&player.machine, &copy.machine);
        }
        let mut words = self.typed(player, command);
        words.push("--yes".into());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = copy.run(&words, "");
        assert_eq!(output.status.code(), Some(0), "{command}: {}", talk(&output));
        assert!(out(&output).contains("BEGIN SEALED DICE MESSAGE"), "{command}: {}", talk(&output));
        copy
    }

    /// Both close, and what everybody finds: both folders, all mails without the folders, and the checker in Python.
    fn closes(&self) -> Value {
        self.mail(&self.ann, &["game", "close", "--result", "a draw"]);
        self.mail(&self.bob, &["game", "close"]);
        self.mail(&self.ann, &["reply"]);
        for player in [&self.ann, &self.bob] {
            let status = player.status();
            assert!(status["closed"] == true && status["commands"].as_array().expect("a list").is_empty(), "{status}");
        }
        self.report()
    }

    /// The one report on the game that all four come to.
    fn report(&self) -> Value {
        let post = self.dir.join("mails");
        let _ = fs::remove_dir_all(&post);
        fs::create_dir(&post).expect("a folder");
        for (i, mail) in self.mails.borrow().iter().enumerate() {
            fs::write(post.join(format!("{i:03}.txt")), mail).expect("a mail");
        }
        let reports: Vec<Vec<Value>> =
            [self.ann.letters(), self.bob.letters(), post].iter().flat_map(|letters| audits(letters)).collect();
        assert!(reports.iter().all(|report| *report == reports[0] && report.len() == 1), "{reports:?}");
        reports[0][0].clone()
    }
}

/// What our audit and the one in Python say of a folder.
pub(crate) fn audits(letters: &Path) -> [Vec<Value>; 2] {
    let ours = Command::new(env!("CARGO_BIN_EXE_sealed-dice")).args(["audit", "--json"]).arg(letters).output();
    let theirs = python().args(["audit", "--json"]).arg(letters).output();
    [ours, theirs].map(|output| essence(&out(&output.expect("an audit runs"))))
}

/// The words of a command line, as a shell splits them: quotes, and on unix backslashes.
fn shell_words(line: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        let word = words.last_mut().expect("a word");
        match (c, quote) {
            (' ', None) => words.push(String::new()),
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('\\', None) if cfg!(unix) => word.extend(chars.next()),
            (c, _) => word.push(c),
        }
    }
    assert_eq!(quote, None, "{line}");
    words
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}
