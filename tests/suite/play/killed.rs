//! Sudden deaths: whichever command dies at whatever moment, the game goes on from the folder, and nothing is signed twice.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Match, Seated, copy_folder, program, talk};

/// A moment of a game: both folders, and the command that is typed next.
struct Moment {
    ann: PathBuf,
    bob: PathBuf,
    by_ann: bool,
    args: Vec<String>,
}

/// A game with every command that writes; before each, both folders are put aside.
fn moments(dir: &Path) -> Vec<Moment> {
    let table = Match::seated("play-killed-game");
    let terms = table.terms(|terms| {
        terms.replace("illegal-odds = \"keep\"", "illegal-odds = \"redo\"").replacen(
            "\n[phases.settings]\nvalues",
            "\ndecisions = [{ name = \"reaction\", by = \"bob\" }]\n\n[phases.settings]\nvalues",
            1,
        )
    });
    let (attacks, orders) = (table.path("ATTACKS.csv"), table.path("orders.txt"));
    let propose = ["correct", "propose", "1/1/ann-first/1", "--class", "illegal-odds", "--at-fault", "ann"];
    let right = table.file("right.csv", "hexes,odds,order\nF12+F13,2-1,1\n");
    let propose = [&propose[..], &["--reason", "out of supply", "--sheet", &right]].concat();
    let mail = table.path("mail.txt");
    let moved = table.path("moved.tar");
    let script: Vec<(bool, Vec<&str>)> = vec![
        (true, vec!["game", "new", &terms]),
        (false, vec!["read", &mail]),
        (false, vec!["game", "accept"]),
        (true, vec!["read", &mail]),
        (true, vec!["reply"]),
        (true, vec!["declare", "1/1/ann-first/1", &attacks, "--no-moves"]),
        (false, vec!["reveal", "1/1/ann-first/1"]),
        (false, propose),
        (true, vec!["correct", "accept", ""]),
        (true, vec!["declare", "1/1/ann-first/1", "--again"]),
        (false, vec!["reply"]),
        (false, vec!["decide", "1/2/ann-second/1", "reaction", "back"]),
        (false, vec!["note", "1/3/bob-first/1", "orders", &orders]),
        (true, vec!["seal", "foul-up"]),
        (true, vec!["game", "export", &moved]),
        (true, vec!["game", "import", &moved]),
        (true, vec!["game", "close"]),
        (false, vec!["game", "close"]),
        (true, vec!["reply"]),
    ];
    let mut moments = Vec::new();
    for (i, (by_ann, args)) in script.into_iter().enumerate() {
        let [ann, bob] = [(&table.ann, "ann"), (&table.bob, "bob")].map(|(player, name)| {
            let aside = dir.join(format!("{i:02}-{name}"));
            copy_folder(&player.home, &aside);
            aside
        });
        let player = if by_ann { &table.ann } else { &table.bob };
        let mut args: Vec<String> = args.into_iter().map(str::to_owned).collect();
        if args.last().is_some_and(String::is_empty) {
            let status = player.status();
            let commands = status["commands"].as_array().expect("a list").iter();
            let accept = commands.filter_map(|line| line.as_str()?.split("correct accept ").nth(1)).next();
            *args.last_mut().expect("an id") = accept.expect("a proposal").to_owned();
        }
        if args.get(1).is_some_and(|verb| verb == "export") {
            player.does(&["game", "export", &moved, "--yes"]);
            // Whoever dies writes another file, for the one of this game is imported.
            args = vec!["game".into(), "export".into(), table.path("again.tar"), "--yes".into()];
        } else if args[0] == "read" {
            player.does(&args.iter().map(String::as_str).collect::<Vec<_>>());
            // The mail of this moment stays what it is.
            let kept = table.path(&format!("mail-{i}.txt"));
            fs::copy(&mail, &kept).expect("a copy");
            args[1] = kept;
        } else {
            args.push("--yes".into());
            let sent = player.does(&args.iter().map(String::as_str).collect::<Vec<_>>());
            if args.get(1).is_none_or(|verb| verb != "import") {
                fs::write(&mail, &sent).expect("a mail");
            }
            if i > 3 && args.get(1).is_none_or(|verb| verb != "import") {
                table.other(player).reads(&sent);
            }
        }
        moments.push(Moment { ann, bob, by_ann, args });
    }
    moments
}

/// The letters of a folder, by file name.
fn letters(player: &Seated) -> BTreeMap<String, Vec<u8>> {
    let Ok(games) = fs::read_dir(player.home.join("games")) else { return BTreeMap::new() };
    let mut letters = BTreeMap::new();
    for game in games {
        for entry in fs::read_dir(game.expect("a game").path().join("letters")).into_iter().flatten() {
            let entry = entry.expect("a letter");
            letters.insert(entry.file_name().into_string().expect("a name"), fs::read(entry.path()).expect("a letter"));
        }
    }
    letters.retain(|name, _| !name.starts_with('.'));
    letters
}

impl Moment {
    /// Both players in fresh copies of this moment.
    fn play(&self, dir: &Path) -> (Seated, Seated) {
        let _ = fs::remove_dir_all(dir);
        if self.args.get(1).is_some_and(|verb| verb == "export") {
            let _ = fs::remove_file(&self.args[2]);
        }
        let [me, other] = if self.by_ann { [&self.ann, &self.bob] } else { [&self.bob, &self.ann] };
        [(me, "me"), (other, "other")]
            .map(|(aside, name)| {
                copy_folder(aside, &dir.join(name));
                Seated::at(dir.join(name))
            })
            .into()
    }

    fn args(&self) -> Vec<&str> {
        self.args.iter().map(String::as_str).collect()
    }

    /// How long the command takes if nobody kills it, in seconds.
    fn takes(&self, dir: &Path) -> f64 {
        let (me, _) = self.play(dir);
        let begun = Instant::now();
        me.does(&self.args());
        begun.elapsed().as_secs_f64()
    }

    /// Kills the command after some seconds, and goes on.
    fn dies(&self, dir: &Path, after: f64) {
        let (me, other) = self.play(dir);
        let before = letters(&me);
        let mut command = program(&me.home, &me.machine);
        let mut child = command.args(&self.args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
        std::thread::sleep(Duration::from_secs_f64(after));
        child.kill().expect("it can be killed");
        child.wait().expect("it is dead");
        let left = letters(&me);
        assert!(before.iter().all(|(name, letter)| left.get(name) == Some(letter)), "{:?}", self.args);
        me.does(&["game", "list"]);
        if !left.is_empty() {
            me.does(&["game", "status"]);
        }
        let again = me.run(&self.args(), "");
        let told = talk(&again);
        let done = told.contains("wait for the answer") || told.contains("no proposal");
        let done = done || told.contains("does not have to be declared again") || told.contains("exists already");
        let done = done || told.contains("an import does not overwrite them");
        assert!(again.status.code() == Some(0) || again.status.code() == Some(1) && done, "{:?}: {told}", self.args);
        if self.args.get(1).is_some_and(|verb| verb == "export") {
            assert!(me.is_refused(&["seal", "foul-up", "--yes"]).contains("no longer signs anything"));
            me.signs(&["game", "import", &self.args[2]]);
        }
        let kept = letters(&me);
        assert!(left.iter().all(|(name, letter)| kept.get(name) == Some(letter)), "{:?}", self.args);
        self.goes_on(&me, &other);
    }

    /// Whatever is owed is sent, the other takes it in, and an auditor finds nothing.
    fn goes_on(&self, me: &Seated, other: &Seated) {
        let answered = me.run(&["reply", "--yes"], "");
        assert_eq!(answered.status.code(), Some(0), "{:?}: {}", self.args, talk(&answered));
        let mine = me.does(&["resend", "--all"]);
        if !mine.is_empty() {
            other.reads(&mine);
        }
        let ours = letters(me);
        // A number that was used twice would be two files that differ in the id alone.
        let mut numbers: Vec<&str> = ours.keys().map(|name| &name[..8]).collect();
        numbers.dedup();
        assert_eq!(numbers.len(), ours.len(), "{:?}: {:?}", self.args, ours.keys());
        let audit = other.run(&["audit", "--json", &other.letters().display().to_string()], "");
        let report: Value = serde_json::from_slice(&audit.stdout).expect("a report");
        assert_eq!(report["findings"], json!([]), "{:?}", self.args);
    }
}

/// `SEALED_DICE_KILLS` says how often; the moments are spread over what each command takes.
#[test]
fn the_game_goes_on_after_sudden_deaths() {
    let kills: u32 = std::env::var("SEALED_DICE_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let dir = crate::folder("play-killed");
    let moments = moments(&dir);
    let each = kills.div_ceil(u32::try_from(moments.len()).expect("a few"));
    let mut dead = 0;
    for moment in &moments {
        let scratch = dir.join("scratch");
        let takes = moment.takes(&scratch).max(moment.takes(&scratch));
        for i in 0..each {
            moment.dies(&scratch, takes * 1.1 * (f64::from(i) + 0.5) / f64::from(each));
            dead += 1;
        }
    }
    assert!(dead >= kills);
}
