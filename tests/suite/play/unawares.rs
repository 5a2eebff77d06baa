//! What nobody signs unawares: in another game than the one that is meant, as the end of a game, or a second time.

use super::{ATTACKS, Match, Seated, out, talk};

const SLOT: &str = "1/1/ann-first/1";

fn fingerprint(player: &Seated) -> String {
    player.public()["fingerprint"].as_str().expect("a fingerprint").to_owned()
}

/// What a command shows before it asks, where nobody is there to answer.
fn preview(player: &Seated, args: &[&str]) -> String {
    let output = player.run(args, "");
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(2), ""), "{args:?}: {}", talk(&output));
    talk(&output)
}

/// One more game of the same two, which has begun.
fn begin(table: &Match, title: &str, name: &str) {
    let terms = table.terms(|terms| terms.replace("Our campaign", title));
    let mail = table.ann.signs(&["game", "new", &terms]);
    table.bob.reads(&mail);
    let accepted = table.bob.signs(&["game", "accept", "--game", name, "--fingerprint", &fingerprint(&table.ann)]);
    table.ann.reads(&accepted);
}

#[test]
fn the_game_is_never_guessed_for_a_declaration() {
    let table = Match::begun("unawares-games", |terms| terms);
    let (ann, attacks) = (&table.ann, table.path("ATTACKS.csv"));
    begin(&table, "Second war", "second-war");
    // Ann has declared in one, so that the other alone waits for her: it is not taken for the one that she means.
    ann.signs(&["declare", &attacks, "--no-moves", "--game", "our-campaign"]);
    for typed in [&["declare", attacks.as_str(), "--no-moves"][..], &["declare", SLOT, &attacks, "--no-moves"]] {
        let asked = preview(ann, &[typed, &["--yes"]].concat());
        for part in ["--game our-campaign: \"Our campaign\", you are ann, with Bob (bob), id ", "--game second-war: "] {
            assert!(asked.contains(part), "{part}: {asked}");
        }
    }
    // Title and opponent stand first in what is about to be signed.
    let shown = preview(ann, &["declare", &attacks, "--no-moves", "--game", "second-war"]);
    let lines: Vec<&str> = shown.lines().map(|line| line.trim_start_matches("sealed-dice:").trim()).collect();
    let asked = lines.iter().position(|line| line.starts_with("you are about to sign")).expect("the question");
    assert_eq!(lines[asked + 1], "second-war: \"Second war\", you are ann, with Bob (bob)", "{shown}");
    // One that is ended does not count.
    ann.signs(&["game", "close", "--game", "second-war"]);
    let again = ann.signs(&["declare", &attacks, "--no-moves"]);
    assert!(again.contains("1/1/ann-first/1 is declared"), "{again}");
}

#[test]
fn games_with_one_title_are_told_apart() {
    let table = Match::begun("unawares-titles", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let terms = |odds: &str| table.terms(|terms| terms.replace("illegal-odds = \"keep\"", odds));
    let first = terms("illegal-odds = \"redo\"");
    let shown = preview(ann, &["game", "new", &first]);
    assert!(shown.contains("NOTE: you have an unfinished game with this title: our-campaign"), "{shown}");
    let signed = ann.run(&["game", "new", &first, "--yes"], "");
    assert!(talk(&signed).contains("an unfinished game with this title: our-campaign"), "{}", talk(&signed));
    let second = ann.signs(&["game", "new", &terms("illegal-odds = \"keep\" # again")]);
    // Whatever order they arrive in, the ids of the terms are the same for both.
    bob.reads(&second);
    let told = bob.reads(&out(&signed));
    assert!(told.contains("you have other games with this title: our-campaign, our-campaign-2"), "{told}");
    for player in [ann, bob] {
        let listed = player.does(&["game", "list"]);
        assert_eq!(listed.matches("\"Our campaign\" (one of 3 with this title").count(), 3, "{listed}");
        assert_eq!(listed.matches("(one of 3 with this title, terms ").count(), 1, "{listed}");
    }
    let ids = |player: &Seated| {
        let listed = player.does(&["game", "list"]);
        let ids = listed.lines().filter_map(|line| line.split_once("(terms ")).map(|(_, id)| id[..8].to_owned());
        ids.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!((ids(ann).len(), ids(ann)), (2, ids(bob)));
}

#[test]
fn a_game_that_the_other_has_ended_is_closed_by_no_other_command() {
    let table = Match::begun("unawares-close", |terms| terms);
    let (ann, bob, attacks) = (&table.ann, &table.bob, table.path("ATTACKS.csv"));
    table.mail(ann, &["declare", &attacks, "--no-moves"]);
    table.mail(bob, &["reply"]);
    let rolls = table.path("ROLLS.csv");
    table.mail(bob, &["game", "close"]);
    let orders = table.path("orders.txt");
    let void = ["correct", "void", SLOT, "--reason", "no"];
    for typed in [
        &["declare", rolls.as_str(), "--no-moves"][..],
        &["declare", "1/2/ann-second/1", &rolls, "--no-moves"],
        &["note", "1/2/ann-second/1", "plan", &orders],
        &["seal", "foul-up"],
        &void,
    ] {
        let why = ann.is_refused(&[typed, &["--yes"]].concat());
        assert!(why.contains("Bob has ended the game") && why.contains("reply` opens what you owe"), "{why}");
    }
    // What is put on record does not end it either.
    let shown = preview(ann, &["dispute", "raise", "--text", "he ends it while he loses", &id_of_last(bob)]);
    assert!(shown.contains("a dispute about") && !shown.contains("stop"), "{shown}");
    let shown = preview(ann, &["reply"]);
    assert!(shown.contains("stop, with the closing keys"), "{shown}");
    table.mail(ann, &["reply"]);
    table.mail(bob, &["reply"]);
    let why = ann.is_refused(&["declare", &rolls, "--no-moves", "--yes"]);
    assert!(why.contains("the game is over"), "{why}");
}

/// The id of a player's last letter.
fn id_of_last(player: &Seated) -> String {
    let names = std::fs::read_dir(player.letters()).expect("letters").map(|entry| entry.expect("a file").file_name());
    let names = names.map(|name| name.to_string_lossy().trim_end_matches(".txt").to_owned());
    let last = names.filter(|name| name.starts_with("bob-")).max().expect("a letter");
    last.rsplit('-').next().expect("an id")[..12].to_owned()
}

#[test]
fn an_older_folder_is_called_so() {
    let mut table = Match::begun("unawares-older", |terms| terms);
    let machine = table.dir.join("machine of ann");
    super::copy_folder(&table.ann.machine, &machine);
    table.ann.machine = machine;
    let ann = &table.ann;
    let backup = table.dir.join("backup");
    super::copy_folder(&ann.home, &backup);
    let attacks = table.path("ATTACKS.csv");
    let sent = table.posts(ann, &["declare", &attacks, "--no-moves"]);
    std::fs::remove_dir_all(&ann.home).expect("a folder");
    super::copy_folder(&backup, &ann.home);
    let why = ann.is_refused(&["declare", &attacks, "--no-moves", "--yes"]);
    for part in [
        "is older than this machine's record of the game",
        "was a backup restored?",
        "this machine has signed your letter",
        "read the mails in which you sent these letters",
        "game resync",
    ] {
        assert!(why.contains(part), "{part}: {why}");
    }
    assert!(!why.contains("somebody else has your key") && !why.contains("not signed on this machine"), "{why}");
    ann.reads(&sent);
    assert_eq!(ann.signs(&["declare", &attacks, "--no-moves"]), sent);
    // Letters that this machine did not sign are another matter.
    let second =
        Seated { home: table.dir.join("second"), machine: table.dir.join("second machine"), told: Default::default() };
    super::copy_folder(&ann.home, &second.home);
    super::copy_folder(&ann.machine, &second.machine);
    let theirs = second.signs(&["note", "1/2/ann-second/1", "plan", &table.path("orders.txt")]);
    ann.reads(&theirs);
    let why = ann.is_refused(&["declare", "1/2/ann-second/1", &table.path("ROLLS.csv"), "--no-moves", "--yes"]);
    assert!(why.contains("somebody else has your key") && !why.contains("older than"), "{why}");
}

#[test]
fn what_is_proposed_or_answered_twice_is_the_same_letter() {
    let table = Match::begun("unawares-correct", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    table.mail(ann, &["declare", &table.path("ATTACKS.csv"), "--no-moves"]);
    table.mail(bob, &["reply"]);
    let right = table.file("right.csv", &ATTACKS.replace("5-1", "6-1"));
    let wrong = ["correct", "propose", SLOT, "--class", "wrong-list", "--at-fault", "ann", "--sheet", &right];
    let propose = [&wrong[..], &["--reason", "a slip"]].concat();
    let proposed = table.posts(ann, &propose);
    let again = ann.run(&[&propose[..], &["--yes"]].concat(), "");
    assert_eq!((again.status.code(), out(&again)), (Some(0), proposed.clone()), "{}", talk(&again));
    assert!(talk(&again).contains("you have proposed this already"), "{}", talk(&again));
    for other in [[&wrong[..], &["--reason", "another slip"]].concat(), vec!["correct", "void", SLOT, "--reason", "x"]]
    {
        let why = ann.is_refused(&[&other[..], &["--yes"]].concat());
        assert!(why.contains("you have already made another proposal about 1/1/ann-first/1"), "{why}");
    }
    bob.reads(&proposed);
    let accept = bob.status()["commands"][0].as_str().expect("a command").to_owned();
    let accept = table.typed(bob, &accept);
    let accept: Vec<&str> = accept.iter().map(String::as_str).collect();
    let accepted = table.posts(bob, &accept);
    let again = bob.run(&[&accept[..], &["--yes"]].concat(), "");
    assert_eq!((again.status.code(), out(&again)), (Some(0), accepted), "{}", talk(&again));
    assert!(talk(&again).contains("you have accepted"), "{}", talk(&again));
    let why = bob.is_refused(&["correct", "refuse", accept[2], "--yes"]);
    assert!(why.contains("you have accepted") && why.contains("cannot be changed"), "{why}");
    let why = ann.is_refused(&["correct", "accept", accept[2], "--yes"]);
    assert!(why.contains("is waiting for your answer"), "{why}");
}

#[test]
fn ones_own_fingerprint_is_named_as_ones_own() {
    let table = Match::seated("unawares-fingerprint");
    let (ann, bob) = (&table.ann, &table.bob);
    let (of_ann, of_bob) = (fingerprint(ann), fingerprint(bob));
    let terms = table.terms(|terms| terms.replace(&of_bob, &of_ann));
    let why = ann.is_refused(&["game", "new", &terms, "--yes"]);
    assert!(why.contains("line ") && why.contains("this is your own fingerprint"), "{why}");
    let terms = table.terms(|terms| terms);
    bob.reads(&ann.signs(&["game", "new", &terms]));
    for typed in [&["game", "accept", "--yes", "--fingerprint", of_bob.as_str()][..], &["key", "compared", &of_bob]] {
        let why = bob.is_refused(typed);
        assert!(why.contains("this is your own fingerprint") && !why.contains("put in"), "{why}");
    }
}

#[test]
fn a_standing_note_that_wishes_for_nothing_or_nobody_says_so() {
    let table = Match::seated("unawares-wishes");
    table.file("my-tables.toml", &table.ann.does(&["game", "template", "crossing-tables"]));
    let terms = table.terms_of("event-tables", |terms| terms);
    bob_accepts(&table, &terms);
    let (ann, bob, at) = (&table.ann, &table.bob, "1/1/first-events/1");
    let form = bob.does(&["note", at, "standing", "--form"]);
    let form = table.file("form.toml", &form);
    let shown = preview(bob, &["note", at, "standing", &form]);
    assert!(shown.contains("WARNING: this note is empty") && shown.contains("remove the #"), "{shown}");
    let wish = table.file("wish.toml", "fogbound = [\"Alpha\", \"Bravp\"]\n");
    assert!(!preview(bob, &["note", at, "standing", &wish]).contains("WARNING"), "nobody has stated anybody yet");
    // The ratings that are signed stand in the question, each with its name.
    let turn = "[facts]\nriver = 5\n[roster]\ncompany = [{ name = \"Alpha\", strength = 3, post = \"bank\" }]\n";
    let turn = ["declare", at, &table.file("turn.toml", turn), "--no-moves"].map(str::to_owned);
    let turn = turn.each_ref().map(String::as_str);
    let shown = preview(ann, &turn);
    assert!(shown.contains("company Alpha: post bank, strength 3"), "{shown}");
    // And where its reader learns of it, before they open dice for it.
    let told = bob.reads(&ann.signs(&turn));
    assert!(told.contains("      company Alpha: post bank, strength 3\n"), "{told}");
    let next = "1/2/second-events/1";
    let shown = preview(bob, &["note", next, "standing", &wish]);
    assert!(shown.contains("WARNING: these names are not in any roster so far: Bravp."), "{shown}");
}

fn bob_accepts(table: &Match, terms: &str) {
    table.bob.reads(&table.ann.signs(&["game", "new", terms]));
    table.ann.reads(&table.bob.signs(&["game", "accept", "--fingerprint", &fingerprint(&table.ann)]));
    table.bob.reads(&table.ann.signs(&["reply"]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_what_was_signed() {
    let table = Match::begun("unawares-full", |terms| terms);
    let typed = ["declare", &table.path("ATTACKS.csv"), "--no-moves", "--yes"].map(str::to_owned);
    let typed = typed.each_ref().map(String::as_str);
    let full = table.ann.run(&[&typed[..], &["--out", "/dev/full"]].concat(), "");
    let told = talk(&full);
    assert!(full.status.code() == Some(2) && told.contains("/dev/full cannot be written"), "{told}");
    assert!(told.contains("the letters are kept, and `sealed-dice resend` prints them"), "{told}");
    let mail = table.ann.does(&typed);
    assert_eq!(table.ann.does(&typed), mail);
    assert!(table.bob.reads(&mail).contains("1/1/ann-first/1 is declared"));
}
