//! Two commands at once, in one folder: whichever dies wherever it may while the other waits to go on, no number is signed
//! twice, nobody is blamed, and the game goes on.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use serde_json::Value;

use super::{
    Match, Seated, copy_folder, out, program,
    roads::{FORFEIT, Refereed, offered},
    talk,
};

/// Where a command is killed that signs: behind its lock, and on its way from there to its mail.
const DEATHS: [&str; 4] = ["locked", "will-sign", "kept", "has-signed"];

/// What a command of the program is to a player's folder.
enum Verb {
    /// It writes nothing there.
    Reads,
    /// It needs an office at an address, or is for who runs one; tried in `play::posted` and `office::`.
    Office,
    /// It writes in a scene, typed so.
    Writes(&'static str, Vec<String>),
    /// It writes there too, and is typed in a scene where it is refused: what it needs takes a game of its own.
    Refused(&'static str, Vec<String>),
}

/// A player's folder at a moment of a game.
struct Scene {
    home: PathBuf,
    role: &'static str,
    /// What can be signed there in any case.
    usual: &'static str,
}

struct Stage {
    dir: PathBuf,
    scenes: BTreeMap<&'static str, Scene>,
    verbs: BTreeMap<String, Verb>,
}

/// All commands, as the help lists them.
fn commands() -> Vec<String> {
    fn below(path: &[String], all: &mut Vec<String>) {
        let help = Command::new(env!("CARGO_BIN_EXE_sealed-dice")).args(path).arg("--help").output().expect("help");
        let help = String::from_utf8(help.stdout).expect("UTF-8");
        let listed = help.split("\nCommands:\n").nth(1).and_then(|list| list.split("\n\n").next());
        let Some(listed) = listed else {
            all.push(path.join(" "));
            return;
        };
        let lines = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        for verb in lines.filter_map(|line| line.split_whitespace().next()).filter(|verb| *verb != "help") {
            below(&[path, &[verb.to_owned()]].concat(), all);
        }
    }
    let mut all = Vec::new();
    below(&[], &mut all);
    all
}

/// The id of a letter in somebody's folder.
fn id_of(at: &Seated, begins: &str, kind: &str) -> String {
    let names = fs::read_dir(at.letters()).expect("letters").map(|entry| entry.expect("a file").file_name());
    let names = names.map(|name| name.into_string().expect("a name"));
    let mut names: Vec<String> = names.filter(|name| name.starts_with(begins) && name.contains(kind)).collect();
    names.sort();
    names.last().expect("a letter").trim_end_matches(".txt").rsplit('-').next().expect("an id")[..8].to_owned()
}

/// A game in which every verb is typed, and its scenes.
fn stage(name: &str) -> Stage {
    let decisions = "\ndecisions = [{ name = \"reaction\", by = \"bob\" }]\n\n[phases.settings]\nvalues";
    let game = Refereed::begun_on(
        name,
        |_| String::new(),
        |terms| terms.replacen("\n[phases.settings]\nvalues", decisions, 1) + FORFEIT,
    );
    let mut scenes = BTreeMap::new();
    let dir = game.table.dir.join("scenes");
    let mut aside = |scene: &'static str, of: &Seated, role, usual| {
        let home = dir.join(scene);
        copy_folder(&of.home, &home);
        scenes.insert(scene, Scene { home, role, usual });
    };
    let [ann, bob, carol] = game.all();
    let (attacks, rolls, orders) =
        (game.table.path("ATTACKS.csv"), game.table.path("ROLLS.csv"), game.table.path("orders.txt"));
    // Another proposal, which Bob has read and nobody else.
    let proposer = Seated::at(game.table.dir.join("proposer"));
    proposer.does(&["key", "new", "--no-passphrase"]);
    proposer.does(&["key", "backup"]);
    aside("fresh", &proposer, "ann", "game new");
    let terms = game.table.terms(|terms| terms);
    let newcomer = Seated::at(game.table.dir.join("newcomer"));
    fs::create_dir_all(&newcomer.home).expect("a folder");
    fs::copy(bob.home.join("key.txt"), newcomer.home.join("key.txt")).expect("a key");
    fs::copy(bob.home.join("notes.txt"), newcomer.home.join("notes.txt")).expect("notes");
    let invitation = game.table.file("invitation.txt", &proposer.signs(&["game", "new", &terms]));
    newcomer.does(&["read", &invitation]);
    aside("offered", &proposer, "ann", "game new");
    aside("proposed", &newcomer, "bob", "game accept");
    let invited = games(&newcomer).remove(0);
    // Dice that are known, a claim of Bob's that stands, and a roll that he owes.
    game.mail(ann, &["declare", "1/1/ann-first/1", &attacks, "--no-moves"]);
    game.mail(bob, &["reply"]);
    let letter = id_of(ann, "ann", "declare");
    game.mail(bob, &["dispute", "raise", &letter, "--text", "the bridge was down"]);
    game.mail(bob, &["decide", "1/2/ann-second/1", "reaction", "back"]);
    game.mail(ann, &["declare", "1/2/ann-second/1", &rolls, "--no-moves"]);
    let mail = game.table.file("mail.txt", &ann.signs(&["seal", "foul-up"]));
    let claim = id_of(bob, "bob", "claim");
    aside("playing", bob, "bob", "seal");
    // Ann proposes, and claims that he stalls.
    let propose = ann.signs(&["correct", "void", "1/1/ann-first/1", "--reason", "too late"]);
    bob.reads(&propose);
    carol.reads(&propose);
    let proposal = id_of(ann, "ann", "correct");
    aside("asked", bob, "bob", "correct refuse");
    let stall = ann.signs(&["dispute", "stall", "1/2/ann-second/1"]);
    carol.reads(&stall);
    let stalled = id_of(ann, "ann", "claim");
    aside("ruling", carol, "ref", "rule dismiss");
    carol.signs(&["rule", "request", &stalled]);
    let request = offered(carol, "rule forfeit");
    aside("requested", carol, "ref", "rule dismiss");
    carol.signs(&["rule", "forfeit", &request, "declarer-names"]);
    ann.reads(&carol.signs(&["resend", "--all"]));
    aside("forfeited", ann, "ann", "seal");

    let seal = id_of(bob, "bob", "seal");
    let fingerprint = ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    let (moved, other) = (game.table.path("moved.tar"), game.table.path("other.tar"));
    proposer.does(&["game", "export", &other, "--yes"]);
    let page = game.table.file("page.txt", &bob.does(&["key", "backup"]));
    let writes: Vec<(&'static str, bool, Vec<&str>)> = vec![
        ("fresh", true, vec!["game", "new", &terms]),
        ("proposed", true, vec!["game", "accept"]),
        ("proposed", true, vec!["game", "forget", &invited]),
        ("offered", true, vec!["game", "withdraw"]),
        ("playing", true, vec!["game", "export", &moved]),
        ("playing", false, vec!["game", "import", &other]),
        ("playing", true, vec!["game", "resync"]),
        ("playing", true, vec!["game", "close"]),
        ("playing", true, vec!["read", &mail]),
        ("playing", true, vec!["reply"]),
        ("playing", false, vec!["resend", "--all"]),
        ("playing", true, vec!["seal", "foul-up"]),
        ("playing", true, vec!["declare", "1/3/bob-first/1", &attacks, "--no-moves"]),
        ("playing", true, vec!["reveal", "1/2/ann-second/1"]),
        ("playing", true, vec!["decide", "2/2/ann-second/1", "reaction", "back"]),
        ("playing", true, vec!["note", "1/3/bob-first/1", "orders", &orders]),
        (
            "playing",
            true,
            vec![
                "correct",
                "propose",
                "1/1/ann-first/1",
                "--class",
                "illegal-move",
                "--at-fault",
                "ann",
                "--reason",
                "why",
            ],
        ),
        ("playing", true, vec!["correct", "void", "1/1/ann-first/1", "--reason", "why"]),
        ("asked", true, vec!["correct", "accept", &proposal]),
        ("asked", true, vec!["correct", "refuse", &proposal]),
        ("playing", true, vec!["dispute", "stall"]),
        ("playing", true, vec!["dispute", "raise", &letter, "--text", "again"]),
        ("playing", true, vec!["dispute", "withdraw", &claim]),
        ("playing", true, vec!["dispute", "yield", "1/2/ann-second/1"]),
        ("playing", true, vec!["dispute", "resign"]),
        ("forfeited", true, vec!["dispute", "name", "1/2/ann-second/1", "1", "2"]),
        ("playing", true, vec!["key", "compared", &fingerprint]),
        ("playing", false, vec!["key", "new", "--no-passphrase"]),
        ("playing", false, vec!["key", "restore", &page, "--no-passphrase"]),
        ("playing", false, vec!["key", "backup"]),
        ("ruling", true, vec!["rule", "request", &stalled]),
        ("requested", true, vec!["rule", "forfeit", &request, "declarer-names"]),
        ("requested", false, vec!["rule", "open", &request]),
        ("ruling", true, vec!["rule", "void", "1/1/ann-first/1"]),
        ("ruling", true, vec!["rule", "kill", &seal]),
        ("ruling", false, vec!["rule", "settle", &letter]),
        ("ruling", true, vec!["rule", "dismiss", &claim]),
        ("ruling", true, vec!["rule", "agree", &proposal]),
    ];
    let reads = [
        "demo",
        "desk",
        "select",
        "audit",
        "stats",
        "what-if",
        "vectors check",
        "key show",
        "game template",
        "game continue",
        "game terms",
        "game hand",
        "game list",
        "game status",
    ];
    let mut verbs: BTreeMap<String, Verb> = reads.iter().map(|verb| ((*verb).to_owned(), Verb::Reads)).collect();
    for (scene, signs, args) in writes {
        let group = ["game", "key", "correct", "dispute", "rule"].contains(&args[0]);
        let mut typed: Vec<String> = args.iter().map(|word| (*word).to_owned()).collect();
        let verb = typed[..if group { 2 } else { 1 }].join(" ");
        if !["read", "game forget", "key compared", "key new", "key restore", "key backup"].contains(&verb.as_str()) {
            typed.push("--yes".into());
        }
        verbs.insert(verb, if signs { Verb::Writes(scene, typed) } else { Verb::Refused(scene, typed) });
    }
    for verb in commands().into_iter().filter(|verb| verb.starts_with("office ")) {
        verbs.insert(verb, Verb::Office);
    }
    Stage { dir: game.table.dir, scenes, verbs }
}

/// Everything in a folder that a command may have changed.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("a file")) {
        let path = entry.path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if !path.ends_with("lock") {
            all.insert(path.clone(), fs::read(&path).expect("a file"));
        }
    }
    all
}

/// The games of a player, by name.
fn games(player: &Seated) -> Vec<String> {
    let Ok(entries) = fs::read_dir(player.home.join("games")) else { return Vec::new() };
    let games = entries.map(|entry| entry.expect("a game").path()).filter(|game| game.join("letters").is_dir());
    let begun = games.filter(|game| fs::read_dir(game.join("letters")).expect("letters").next().is_some());
    begun.map(|game| game.file_name().expect("a name").to_string_lossy().into_owned()).collect()
}

impl Stage {
    fn typed(&self, verb: &str) -> (&'static str, &[String]) {
        match &self.verbs[verb] {
            Verb::Writes(scene, typed) | Verb::Refused(scene, typed) => (scene, typed),
            Verb::Reads | Verb::Office => panic!("{verb} does not write"),
        }
    }

    /// A player in a fresh copy of a scene.
    fn signer(&self, scene: &str, scratch: &Path) -> Seated {
        let _ = fs::remove_dir_all(scratch);
        // A file that an earlier export wrote would keep the next one from its work.
        let _ = fs::remove_file(self.dir.join("moved.tar"));
        let player = Seated::at(scratch.join("home"));
        copy_folder(&self.scenes[scene].home, &player.home);
        player
    }

    /// A command that stops at a place: dies there, or waits for a file.
    fn begun(player: &Seated, typed: &[String], at: &str, gate: Option<&Path>) -> Command {
        let action = match gate {
            Some(gate) => format!("{at}=1*return({})", gate.display()),
            None => format!("{at}=return"),
        };
        let mut command = program(&player.home, &player.machine);
        command.args(typed).env("FAILPOINTS", action).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Runs a command that waits at a place until others have worked.
    fn waits(player: &Seated, typed: &[String], at: &str, scratch: &Path, work: impl FnOnce()) {
        let gate = scratch.join("gate");
        let reached = scratch.join("gate.reached");
        let mut waiting = Self::begun(player, typed, at, Some(&gate)).spawn().expect("it runs");
        while !reached.exists() && waiting.try_wait().expect("a process").is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        work();
        fs::write(&gate, "").expect("a file");
        waiting.wait().expect("it ends");
    }

    /// The first command dies at a place after the second one has found its game, and before that reads it.
    fn dies(&self, first: &str, second: &str, at: &str, scratch: &Path) {
        let (scene, typed) = self.typed(first);
        let player = self.signer(scene, scratch);
        Self::waits(&player, self.typed(second).1, "found", scratch, || {
            Self::begun(&player, typed, at, None).status().expect("it runs");
        });
        self.is_sound(scene, &player, &format!("{first} dies at {at}, then {second}"));
    }

    /// The first command waits behind its lock while the second one runs.
    fn crosses(&self, first: &str, second: &str, scratch: &Path) {
        let (scene, typed) = self.typed(first);
        let player = self.signer(scene, scratch);
        Self::waits(&player, typed, "locked", scratch, || {
            Self::begun(&player, self.typed(second).1, "nowhere", None).status().expect("it runs");
        });
        self.is_sound(scene, &player, &format!("{second} within {first}"));
    }

    /// No number was used twice, nobody is blamed, and what the status names works.
    fn is_sound(&self, scene: &str, player: &Seated, what: &str) {
        for game in games(player) {
            let letters = player.home.join("games").join(&game).join("letters");
            let names = fs::read_dir(&letters).expect("letters").map(|entry| entry.expect("a file").file_name());
            let names = names.map(|name| name.into_string().expect("a name"));
            let role = self.scenes[scene].role;
            let mine: Vec<String> = names
                .filter(|name| name.starts_with(role) && !name.starts_with(&format!("{role}-0000")))
                .map(|name| name[..role.len() + 5].to_owned())
                .collect();
            let mut once = mine.clone();
            once.sort();
            once.dedup();
            assert_eq!(once.len(), mine.len(), "{what}: {mine:?}");
            let audit = player.run(&["audit", "--json", &letters.display().to_string()], "");
            assert!(!out(&audit).contains("\"verdict\":\"refuted\""), "{what}: {}", out(&audit));
            let status = player.run(&["game", "status", "--json", "--game", &game], "");
            assert_eq!(status.status.code(), Some(0), "{what}: {}", talk(&status));
            let status: Value = serde_json::from_str(&out(&status)).expect("JSON");
            let Some(command) = status["commands"][0].as_str() else { continue };
            let seated = || Seated::at(player.home.clone());
            let table = Match { dir: self.dir.clone(), ann: seated(), bob: seated(), mails: RefCell::default() };
            let mut words = table.typed(player, command);
            words.push("--yes".into());
            let tried = player.run(&words.iter().map(String::as_str).collect::<Vec<_>>(), "");
            assert_eq!(tried.status.code(), Some(0), "{what}: {command}: {}", talk(&tried));
        }
    }
}

/// `SEALED_DICE_PAIRS=all` tries every pair at every place; else each verb meets some.
#[test]
fn two_commands_at_once_sign_no_number_twice() {
    let stage = stage("play-pairs");
    let unknown: Vec<String> = commands().into_iter().filter(|verb| !stage.verbs.contains_key(verb)).collect();
    assert!(unknown.is_empty(), "say above what these do to a folder: {unknown:?}");
    let verbs: Vec<&String> = stage
        .verbs
        .iter()
        .filter(|(_, verb)| matches!(verb, Verb::Writes(..) | Verb::Refused(..)))
        .map(|(verb, _)| verb)
        .collect();
    let all = std::env::var("SEALED_DICE_PAIRS").is_ok_and(|pairs| pairs == "all");
    let mut pairs: Vec<(&str, &str, Option<&str>)> = Vec::new();
    for (i, first) in verbs.iter().enumerate() {
        let usual = stage.scenes[stage.typed(first).0].usual;
        if all {
            for second in &verbs {
                pairs.push((first, second, None));
                pairs.extend(DEATHS.map(|at| (first.as_str(), second.as_str(), Some(at))));
            }
        } else {
            let other = |n: usize| verbs[(i + n * 7 + 1) % verbs.len()].as_str();
            pairs.push((first, usual, Some("kept")));
            pairs.push((first, other(0), Some(DEATHS[i % DEATHS.len()])));
            pairs.push((first, other(1), None));
        }
    }
    let scratch = stage.dir.join("scratch");
    for verb in &verbs {
        if let Verb::Writes(scene, typed) = &stage.verbs[*verb] {
            let player = stage.signer(scene, &scratch);
            let before = files(&player.home);
            let ran = player.run(&typed.iter().map(String::as_str).collect::<Vec<_>>(), "");
            assert!(files(&player.home) != before, "{verb} writes nothing in its scene: {}", talk(&ran));
        }
    }
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for n in 0..2 {
            let (stage, pairs, next) = (&stage, &pairs, &next);
            let scratch = scratch.with_file_name(format!("scratch-{n}"));
            scope.spawn(move || {
                while let Some((first, second, at)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match at {
                        Some(at) => stage.dies(first, second, at, &scratch),
                        None => stage.crosses(first, second, &scratch),
                    }
                }
            });
        }
    });
}

/// Whatever puts a letter into the folder without asking for the lock, such as a program that keeps two machines alike: no
/// second letter gets its number.
#[test]
fn a_letter_that_comes_past_the_lock_is_seen() {
    let table = Match::begun("play-past-the-lock", |terms| terms);
    let bob = &table.bob;
    let note = |name: &str| {
        let typed = ["note", "1/3/bob-first/1", name, &table.path("orders.txt"), "--yes"];
        typed.map(str::to_owned)
    };
    let elsewhere = Seated::at(table.dir.join("elsewhere"));
    copy_folder(&bob.home, &elsewhere.home);
    elsewhere.does(&note("elsewhere").each_ref().map(String::as_str));
    let scratch = table.dir.join("scratch");
    fs::create_dir(&scratch).expect("a folder");
    let before = fs::read_dir(bob.letters()).expect("letters").count();
    Stage::waits(bob, &note("here"), "locked", &scratch, || {
        for (path, letter) in files(&elsewhere.letters()) {
            fs::write(bob.letters().join(path.file_name().expect("a name")), letter).expect("a letter");
        }
    });
    assert_eq!(fs::read_dir(bob.letters()).expect("letters").count(), before + 1, "nothing was signed here");
}
