//! Mistakes of honest hands: a slip that cost a player the game is named before anything is signed.

use serde_json::json;

use super::{ATTACKS, Match, Seated, out, talk};

fn lines(player: &Seated, field: &str) -> String {
    player.status()[field].to_string()
}

/// Ann's first impulse is declared and opened.
fn after_first(name: &str) -> Match {
    let table = Match::begun(name, |terms| terms);
    table.mail(&table.ann, &["declare", "1/1/ann-first/1", &table.path("ATTACKS.csv"), "--moves", "over the bridge"]);
    table.mail(&table.bob, &["reply"]);
    table
}

#[test]
fn a_slot_that_passes_others_by_is_named_and_refused() {
    let table = after_first("play-traps-skip");
    let (ann, bob, attacks, rolls) = (&table.ann, &table.bob, table.path("ATTACKS.csv"), table.path("ROLLS.csv"));
    let why = ann.is_refused(&["declare", "7/2/ann-second/1", &rolls, "--no-moves", "--yes"]);
    assert!(why.contains("skips 1/2/ann-second/1, which can then never be declared"), "{why}");
    assert!(why.contains("it is bob's turn first: 1/3/bob-first/1 comes before 7/2/ann-second/1"), "{why}");
    assert!(why.contains("--skip"), "{why}");
    let why = bob.is_refused(&["declare", "1/3/bob-first/1", &attacks, "--no-moves", "--yes"]);
    assert!(why.contains("it is ann's turn first: 1/2/ann-second/1") && !why.contains("skips"), "{why}");
    // What is said twice is done, and leads nobody else astray.
    table.mail(ann, &["declare", "7/2/ann-second/1", &rolls, "--no-moves", "--skip"]);
    table.mail(bob, &["reply"]);
    assert!(lines(bob, "commands").contains("declare 1/3/bob-first/1"), "{}", bob.status());
    assert!(lines(ann, "waits_for").contains("bob declares 1/3/bob-first/1"), "{}", ann.status());
}

#[test]
fn a_file_alone_means_the_next_slot() {
    let table = Match::begun("play-traps-next", |terms| terms);
    let (ann, attacks, rolls) = (&table.ann, table.path("ATTACKS.csv"), table.path("ROLLS.csv"));
    let first = table.posts(ann, &["declare", &attacks, "--no-moves"]);
    assert!(first.contains("1/1/ann-first/1 is declared"), "{first}");
    // Typed twice it is the same letter; with another file it is not taken for the next slot while the dice are awaited.
    assert_eq!(table.posts(ann, &["declare", &attacks, "--no-moves"]), first);
    let why = ann.is_refused(&["declare", &rolls, "--no-moves", "--yes"]);
    assert!(why.contains("1/1/ann-first/1 is declared, but its dice are not known yet"), "{why}");
    table.bob.reads(&first);
    table.mail(&table.bob, &["reply"]);
    let second = table.posts(ann, &["declare", &rolls, "--no-moves"]);
    assert!(second.contains("1/2/ann-second/1 is declared"), "{second}");
    // A slot that is mistyped is not a file.
    let why = ann.is_refused(&["declare", "1/2/ann-second", "--no-moves", "--yes"]);
    assert!(why.contains("is not a slot"), "{why}");
}

#[test]
fn status_goes_by_the_order_of_the_terms() {
    let table = Match::seated("play-traps-order");
    let (ann, bob) = (&table.ann, &table.bob);
    let terms = table.terms(|terms| terms);
    table.mail(ann, &["game", "new", &terms]);
    assert_eq!(ann.status()["commands"], json!([]), "it is bob's move");
    assert!(lines(ann, "waits_for").contains("bob accepts the terms"));
    assert!(lines(ann, "if_lost").contains("resend"), "{}", ann.status());
    let fingerprint = ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    table.mail(bob, &["game", "accept", "--fingerprint", &fingerprint]);
    table.mail(ann, &["declare", &table.path("ATTACKS.csv"), "--no-moves"]);
    // The dice are owed: that is bob's move, and nothing of ann's is due before she has them.
    assert_eq!(
        (&ann.status()["move_of"], &ann.status()["commands"]),
        (&json!(["bob"]), &json!([])),
        "{}",
        ann.status()
    );
    assert!(lines(ann, "also").contains("declare 1/2/ann-second/1"), "{}", ann.status());
    table.mail(bob, &["reply"]);
    // Ann's second impulse comes before bob's first, which he may only declare out of turn, and is told so.
    assert!(lines(ann, "commands").contains("declare 1/2/ann-second/1"), "{}", ann.status());
    assert_eq!(bob.status()["commands"], json!([]), "{}", bob.status());
    assert!(lines(bob, "also").contains("declare 1/3/bob-first/1") && lines(bob, "also").contains("--skip"));
    assert!(
        ann.does(&["game", "list"]).contains("your move\n") && bob.does(&["game", "list"]).contains("waits for ann")
    );
    table.mail(ann, &["declare", &table.path("ROLLS.csv"), "--no-moves"]);
    // Both are due, and one mail is enough.
    let told = bob.does(&["game", "status"]);
    assert!(told.contains("this sends your reply too") && told.contains("declare 1/3/bob-first/1"), "{told}");
    table.mail(bob, &["reply"]);
    assert!(lines(bob, "commands").contains("declare 1/3/bob-first/1"), "{}", bob.status());
}

#[test]
fn terms_are_withdrawn_and_stand_in_nobodys_way() {
    let table = Match::seated("play-traps-withdraw");
    let (ann, bob) = (&table.ann, &table.bob);
    let wrong = table.terms(|terms| terms.replace("title = \"Our campaign\"", "title = \"A mistake\""));
    table.mail(ann, &["game", "new", &wrong]);
    let before = table.copied("before");
    let withdrawal = table.posts(ann, &["game", "withdraw"]);
    assert_eq!(ann.does(&["game", "withdraw", "--yes"]), withdrawal, "typed twice it is the same");
    let told = bob.reads(&withdrawal);
    assert!(told.contains("these terms are withdrawn"), "{told}");
    let fingerprint = ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    let accept = ["game", "accept", "--fingerprint", &fingerprint];
    let why = bob.is_refused(&[&accept[..], &["--yes"]].concat());
    assert!(why.contains("ann has withdrawn these terms"), "{why}");
    // The right terms are the only game, for every command.
    let right = table.terms(|terms| terms);
    let mail = ann.signs(&["game", "new", &right]);
    bob.reads(&mail);
    let accepted = bob.signs(&accept);
    ann.reads(&accepted);
    for player in [ann, bob] {
        assert!(player.does(&["game", "list"]).contains("\"A mistake\", withdrawn\n"));
        let status = player.status();
        assert!(status["name"] == "our-campaign" && !status.to_string().contains("--game"), "{status}");
    }
    ann.signs(&["declare", &table.path("ATTACKS.csv"), "--no-moves"]);
    // Who had accepted before the mail arrived plays: nobody takes a game back.
    let late = before.bob.signs(&accept);
    assert!(before.bob.reads(&withdrawal).contains("the terms are withdrawn"));
    assert!(before.bob.status()["begun"] == true);
    before.ann.reads(&late);
    assert!(before.ann.status()["begun"] == true);
    let why = before.ann.is_refused(&["game", "withdraw", "--yes"]);
    assert!(why.contains("accepted"), "{why}");
}

#[test]
fn only_the_author_withdraws_terms() {
    let table = Match::seated("play-traps-withdraw-theirs");
    let terms = table.terms(|terms| terms);
    table.mail(&table.ann, &["game", "new", &terms]);
    let why = table.bob.is_refused(&["game", "withdraw", "--yes"]);
    assert!(why.contains("not yours"), "{why}");
}

#[test]
fn games_that_are_over_do_not_count_and_those_that_go_on_are_all_told() {
    let table = after_first("play-traps-over");
    table.mail(&table.ann, &["game", "close"]);
    table.mail(&table.bob, &["game", "close"]);
    table.mail(&table.ann, &["reply"]);
    let (ann, bob) = (&table.ann, &table.bob);
    let fingerprint = ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    for title in ["Second war", "Third war"] {
        let terms = table.terms(|terms| terms.replace("Our campaign", title));
        let mail = ann.signs(&["game", "new", &terms]);
        bob.reads(&mail);
        let name = title.to_lowercase().replace(' ', "-");
        let accepted = bob.signs(&["game", "accept", "--game", &name, "--fingerprint", &fingerprint]);
        ann.reads(&accepted);
        if title == "Second war" {
            let status = ann.status();
            assert!(status["name"] == "second-war" && !status.to_string().contains("--game"), "{status}");
            let why = ann.is_refused(&["dispute", "stall", "1/1/ann-first/1", "--yes"]);
            assert!(!why.contains("--game"), "{why}");
        }
    }
    let told = ann.does(&["game", "status"]);
    assert!(told.contains("second-war: ") && told.contains("third-war: ") && !told.contains("our-campaign"), "{told}");
    assert!(told.contains("declare 1/1/ann-first/1") && told.contains("--game third-war"), "{told}");
    let told = ann.does(&["game", "status", "--json"]);
    assert_eq!(told.lines().count(), 2, "{told}");
}

#[test]
fn cells_that_no_column_names_are_refused_with_their_line() {
    let table = after_first("play-traps-cells");
    let (ann, bob) = (&table.ann, &table.bob);
    let rolls = table.file("comma.csv", "why\nF12 3-1\nL2 1-1, river\n");
    let why = ann.is_refused(&["declare", "1/2/ann-second/1", &rolls, "--no-moves", "--yes"]);
    let told = "line 3 (L2 1-1, river) has 2 cells, but the first line names 1: why";
    assert!(why.contains(told) && why.contains("in quotes"), "{why}");
    let attacks = table.file("wide.csv", "hexes,odds\nF12+F13,3-1,2\n");
    let why = bob.is_refused(&["declare", "1/3/bob-first/1", &attacks, "--no-moves", "--skip", "--yes"]);
    assert!(why.contains("line 2 (F12+F13,3-1,2) has 3 cells, but the first line names 2: hexes, odds"), "{why}");
    // Lines are counted as an editor counts them, blank ones too.
    let blank = table.file("blank.csv", "\n,,\nhexes,odds\n\nF12,3-1\n\n\nG13,5-1,7\n");
    let why = bob.is_refused(&["declare", "1/3/bob-first/1", &blank, "--no-moves", "--skip", "--yes"]);
    assert!(why.contains("line 8 (G13,5-1,7) has 3 cells"), "{why}");
    // In quotes it is one text; and blank cells behind a row, as spreadsheets write them, say nothing.
    let rolls = table.file("quoted.csv", "why\n\"L2 1-1, river\"\nG13 5-1,,\n");
    let mail = table.posts(ann, &["declare", "1/2/ann-second/1", &rolls, "--no-moves"]);
    assert!(mail.contains("1/2/ann-second/1 is declared"), "{mail}");
    let said = bob.reads(&mail);
    assert!(said.contains("L2 1-1, river"), "{said}");
}

#[test]
fn how_hexes_are_written_is_asked_for_once() {
    let table = Match::seated("play-traps-hexes");
    let ann = &table.ann;
    let asked = |edit: &dyn Fn(String) -> String| {
        let terms = table.terms(|terms| edit(terms.replace("hexes = \"F12\"", "hexes = \"PUT IT HERE\"")));
        ann.is_refused(&["game", "new", &terms, "--yes"])
    };
    let why = asked(&|terms| terms);
    assert!(why.contains("line 1") && why.contains("\"F12\", \"0824\" or \"A43.01\""), "{why}");
    let why = asked(&|terms| terms.replace("hexes = \"PUT IT HERE\"", ""));
    assert!(why.contains("hexes = \"F12\", or \"0824\", or \"A43.01\""), "{why}");
    let why = asked(&|terms| terms.replace("\"PUT IT HERE\"", "\"ZOC\""));
    assert!(why.contains("is not written like any of F12, 0824, A43.01"), "{why}");
    let one = |terms: String| {
        terms
            .replace("hexes = \"PUT IT HERE\"", "hexes = \"F12\"")
            .replace("envelopes = 5 ", "grammar = \"numeric4\"\nenvelopes = 5 ")
    };
    let why = asked(&one);
    assert!(why.contains("phase ann-first: at the top of the file"), "{why}");
    // One setting for all phases, with an example in what is signed.
    let terms = table.terms(|terms| terms.replace("hexes = \"F12\"", "hexes = \"1213\""));
    let shown = ann.run(&["game", "new", &terms], "");
    assert!(
        talk(&shown).contains("hexes are written like 0824; two hexes in one attack like 0824+0825"),
        "{}",
        talk(&shown)
    );
    table.mail(ann, &["game", "new", &terms]);
    let signed = ann.does(&["game", "terms"]);
    assert_eq!(signed.matches("numeric4").count(), 2, "{signed}");
}

#[test]
fn a_hex_that_is_refused_says_how_hexes_are_written_and_joined() {
    let table = Match::begun("play-traps-joined", |terms| terms);
    let attacks = table.file("joined.csv", "hexes,odds\nF12:F13,3-1\n");
    let why = table.ann.is_refused(&["declare", &attacks, "--no-moves", "--yes"]);
    assert!(why.contains("like F12 or AA7 (grammar letters)") && why.contains("of an attack with +"), "{why}");
}

#[test]
fn a_wrong_list_is_rolled_again_unless_the_terms_say_else() {
    let table = Match::begun("play-traps-mild", |terms| terms);
    let wrong = table.file("attacks2.csv", &ATTACKS.replace("5-1", "6-1"));
    table.mail(&table.ann, &["declare", &wrong, "--no-moves"]);
    table.mail(&table.bob, &["reply"]);
    let right = table.path("ATTACKS.csv");
    let said = ["--class", "wrong-list", "--at-fault", "ann", "--reason", "another file", "--sheet", &right];
    table.mail(&table.ann, &[&["correct", "propose", "1/1/ann-first/1"][..], &said].concat());
    let accept = table.bob.status()["commands"][0].as_str().expect("a command").to_owned();
    let typed = table.typed(&table.bob, &accept);
    table.mail(&table.bob, &typed.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(lines(&table.ann, "commands").contains("declare 1/1/ann-first/1 --again"), "{}", table.ann.status());
}

/// What a command shows before it asks, where nobody is there to answer.
fn preview(player: &Seated, args: &[&str]) -> String {
    let output = player.run(args, "");
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(2), ""), "{args:?}: {}", talk(&output));
    talk(&output)
}

/// Both of Ann's impulses are declared, and the first is opened.
fn after_second(name: &str) -> Match {
    let table = after_first(name);
    table.mail(&table.ann, &["declare", "1/2/ann-second/1", &table.path("ROLLS.csv"), "--no-moves"]);
    table
}

#[test]
fn a_reply_is_not_named_beside_the_declaration_that_brings_it() {
    let table = after_second("play-traps-alone");
    let (ann, bob) = (&table.ann, &table.bob);
    let commands = bob.status()["commands"].clone();
    assert!(
        commands.as_array().map(Vec::len) == Some(1) && commands[0].to_string().contains(" declare 1/3/bob-first/1 ")
    );
    assert!(
        lines(ann, "waits_for").contains("bob opens the cells") && lines(ann, "waits_for").contains("bob declares")
    );
    // The reply alone is named apart, with what it costs.
    let told = bob.does(&["game", "status"]);
    let (mine, also) = told.split_once("you may also:").expect("what else");
    assert!(mine.contains("this sends your reply too") && !mine.contains(" reply\n"), "{told}");
    assert!(also.contains(" reply\n") && also.contains("can no longer agree to correct a mistake"), "{told}");
    // What the status names leaves a mistake in Ann's list open to be agreed on.
    let typed = table.typed(bob, commands[0].as_str().expect("a command"));
    table.mail(bob, &typed.iter().map(String::as_str).collect::<Vec<_>>());
    let right = table.file("right.csv", "why\nF12 3-1\n");
    let said = ["--class", "wrong-list", "--at-fault", "ann", "--reason", "one too many", "--sheet", &right];
    table.mail(ann, &[&["correct", "propose", "1/2/ann-second/1"][..], &said].concat());
    let accept = bob.status()["commands"][0].as_str().expect("a command").to_owned();
    let typed = table.typed(bob, &accept);
    table.mail(bob, &typed.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(lines(ann, "commands").contains("declare 1/2/ann-second/1 --again"), "{}", ann.status());
}

#[test]
fn a_game_is_ended_with_a_word_and_with_what_it_leaves() {
    let table = after_first("play-traps-end");
    let (ann, bob) = (&table.ann, &table.bob);
    ann.signs(&["note", "1/2/ann-second/1", "plan", &table.path("orders.txt")]);
    let asked = preview(ann, &["game", "close"]);
    let unplayed = "not played: 1/2/ann-second/1, 1/3/bob-first/1, 1/4/bob-second/1";
    for part in [
        unplayed,
        "sealed by ann but not opened: 1/2/ann-second/1/plan",
        "this ends the game for both of you",
        "everything that the two of you sealed is opened",
        "type the word close",
        "--yes",
    ] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    let said = ["--class", "wrong-list", "--at-fault", "ann", "--reason", "x", "--keep-dice"];
    table.mail(ann, &[&["correct", "propose", "1/1/ann-first/1"][..], &said].concat());
    assert!(preview(ann, &["game", "close"]).contains("not answered by bob: ann's proposal about 1/1/ann-first/1"));
    let closed = ann.run(&["game", "close", "--yes"], "");
    assert!(talk(&closed).contains(unplayed), "who is not asked is told behind: {}", talk(&closed));
    let told = bob.reads(&out(&closed));
    assert!(told.contains("Ann has ended the game") && told.contains("ends the game for you too"), "{told}");
    assert!(lines(bob, "ended").contains("Ann has ended the game"), "{}", bob.status());
    assert!(lines(ann, "ended").contains("you have ended the game"), "{}", ann.status());
    // What is proposed is answered first: the answer brings Bob's close along, and asks no word.
    assert!(told.contains("your answer to the proposal opens what you owe"), "{told}");
    let refuse = bob.status()["commands"][1].as_str().expect("a command").to_owned();
    let typed = table.typed(bob, &refuse);
    let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
    let asked = preview(bob, &typed);
    assert!(
        asked.contains("closing keys") && !asked.contains("type the word") && !asked.contains("not played"),
        "{asked}"
    );
    table.mail(bob, &typed);
    table.mail(ann, &["reply"]);
    assert_eq!((lines(ann, "ended"), lines(bob, "ended")), ("null".into(), "null".into()));
}

#[test]
fn blanks_that_the_program_prints_are_never_signed() {
    let table = after_second("play-traps-blanks");
    let (ann, bob, attacks) = (&table.ann, &table.bob, table.path("ATTACKS.csv"));
    let propose =
        ["correct", "propose", "1/1/ann-first/1", "--class", "wrong-list", "--at-fault", "ann", "--keep-dice"];
    for (player, args) in [
        (bob, &["declare", attacks.as_str(), "--moves", "WHAT MOVED"][..]),
        (bob, &["declare", "ATTACKS.csv", "--no-moves"]),
        (ann, &["game", "close", "--result", "RESULT"]),
        (bob, &[&propose[..], &["--reason", "WHAT WAS WRONG"]].concat()),
    ] {
        let why = player.is_refused(&[args, &["--yes"]].concat());
        assert!(why.contains("is a placeholder") && why.contains(&format!(" {} ", args[0])), "{why}");
    }
    let why = bob.is_refused(&["declare", &attacks, "--moves", "WHAT MOVED", "--yes"]);
    assert!(why.contains(&format!("{attacks} --moves \"WHAT MOVED\" --yes")) || attacks.contains(' '), "{why}");
    // A file that is there is what is meant.
    let there = table.dir.join("at home");
    std::fs::create_dir(&there).expect("a folder");
    std::fs::write(there.join("TEXT-FILE"), "hold\n").expect("a file");
    let mut note = super::program(&ann.home, &ann.machine);
    let note = note.current_dir(&there).args(["note", "2/1/ann-first/1", "plan", "TEXT-FILE", "--yes"]).output();
    assert_eq!(note.expect("it runs").status.code(), Some(0));
}

#[test]
fn an_empty_list_is_no_declaration() {
    let table = Match::begun("play-traps-empty", |terms| terms);
    let attacks = table.file("none.csv", "hexes,odds,order\n,,\n");
    let why = table.ann.is_refused(&["declare", &attacks, "--no-moves", "--yes"]);
    assert!(why.contains("lists nothing to roll for") && why.contains("--no-rolls"), "{why}");
    table.mail(&table.ann, &["declare", "--no-rolls", "--no-moves"]);
    let rolls = table.file("no rolls.csv", "why\n");
    let why = table.ann.is_refused(&["declare", "1/2/ann-second/1", &rolls, "--no-moves", "--yes"]);
    assert!(why.contains("--no-rolls"), "{why}");
}

#[test]
fn blank_moves_say_no_more_than_none() {
    let table = Match::begun("play-traps-blank", |terms| terms);
    let (ann, attacks, blank) = (&table.ann, table.path("ATTACKS.csv"), table.file("blank.txt", " \n\n"));
    let left_out = ann.run(&["declare", &attacks, "--yes"], "");
    for moves in [["--moves", ""], ["--moves", " \t "], ["--moves-file", &blank]] {
        let output = ann.run(&[&["declare", &attacks, "--yes"], &moves[..]].concat(), "");
        assert_eq!((output.status.code(), out(&output).as_str()), (Some(2), ""), "{moves:?}: {}", talk(&output));
        assert_eq!(talk(&output), talk(&left_out), "{moves:?}");
    }
    assert!(talk(&left_out).contains("say what moved"), "{}", talk(&left_out));
    let told = table.mail(ann, &["declare", &attacks, "--moves", " over the bridge"]);
    assert!(told.contains("a1 F12+F13 3-1, 2nd in order") && told.contains("a3 I11 1-4, 3rd in order"), "{told}");
}

/// Whoever seals other orders for a slot must not think that these count.
#[test]
fn a_note_that_is_sealed_takes_no_other_text() {
    let table = Match::begun("play-traps-sealed", |terms| terms);
    let (ann, orders) = (&table.ann, table.path("orders.txt"));
    let note = |file: &str| ann.run(&["note", "2/1/ann-first/1", "plan", file, "--yes"], "");
    let first = out(&note(&orders));
    let again = note(&orders);
    assert_eq!((again.status.code(), out(&again)), (Some(0), first), "{}", talk(&again));
    assert!(talk(&again).contains("is already sealed"), "{}", talk(&again));
    let other = table.file("other orders.txt", "leave the bridge\n");
    let why = ann.is_refused(&["note", "2/1/ann-first/1", "plan", &other, "--yes"]);
    assert!(why.contains("already sealed with another text and cannot be changed: the new text is NOT USED"), "{why}");
    assert_eq!(note(&table.path("no such file")).status.code(), Some(2));
}

#[test]
fn a_note_is_shown_and_one_that_nothing_asks_for_is_named() {
    let table = Match::begun("play-traps-notes", |terms| terms);
    let (ann, bob, orders) = (&table.ann, &table.bob, table.path("orders.txt"));
    let shown = preview(ann, &["note", "1/1/ann-first/1", "plan", &orders]);
    assert!(
        shown.contains("only you can read this for now") && shown.contains("hold the bridge at all costs"),
        "{shown}"
    );
    assert!(shown.contains("only if you declare 1/1/ann-first/1 with --moves-note plan"), "{shown}");
    for slot in ["1/3/bob-first/1", "1/1/ann-first/4"] {
        let shown = preview(ann, &["note", slot, "plan", &orders]);
        assert!(shown.contains(&format!("the game never uses a note called plan from you for {slot}")), "{shown}");
    }
    let told = ann.run(&["note", "1/3/bob-first/1", "plan", &orders, "--yes"], "");
    assert!(talk(&told).contains("the game never uses a note"), "{}", talk(&told));
    bob.reads(&out(&told));
    let of_ann = lines(ann, "notes");
    assert!(of_ann.contains("sealed notes are still unread: 1/3/bob-first/1/plan"), "{of_ann}");
    assert!(!of_ann.contains("hold the bridge") && !lines(bob, "notes").contains("bob-first/1/plan"), "{of_ann}");
}

#[test]
fn ones_own_fingerprint_is_shown_in_the_terms() {
    let table = Match::seated("play-traps-fingerprint");
    let terms = table.terms(|terms| terms);
    let fingerprint = table.ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    let shown = preview(&table.ann, &["game", "new", &terms]);
    assert!(shown.contains(&format!("(ann), key {fingerprint}")), "{shown}");
}

#[test]
fn what_is_out_of_order_says_what_it_costs() {
    let table = after_first("play-traps-cost");
    let (ann, bob, attacks, rolls) = (&table.ann, &table.bob, table.path("ATTACKS.csv"), table.path("ROLLS.csv"));
    let told = bob.does(&["game", "status"]);
    assert!(told.contains("it is ann's turn first: 1/2/ann-second/1 comes before 1/3/bob-first/1"), "{told}");
    let why = ann.is_refused(&["declare", "2/1/ann-first/1", &attacks, "--no-moves", "--yes"]);
    assert!(why.contains("can then never be declared and gets no dice"), "{why}");
    table.mail(ann, &["declare", "1/2/ann-second/1", &rolls, "--no-moves"]);
    let also = ann.status()["also"].as_array().expect("a list").clone();
    let second = also.iter().find(|line| line.to_string().contains("1/2/ann-second/2")).expect("a second list");
    assert!(!second.to_string().contains("--skip"), "it is in order yet: {second}");
    table.mail(bob, &["declare", "1/3/bob-first/1", &attacks, "--no-moves"]);
    table.mail(ann, &["reply"]);
    let late = ["declare", "1/2/ann-second/2", &rolls, "--no-moves"];
    let why = ann.is_refused(&[&late[..], &["--yes"]].concat());
    let told = "1/2/ann-second/2 comes late: bob has already declared 1/3/bob-first/1";
    assert!(why.contains(told) && why.contains("--skip"), "{why}");
    assert!(ann.does(&["game", "status"]).contains(told), "{}", ann.status());
    assert!(preview(ann, &[&late[..], &["--skip"]].concat()).contains(&format!("WARNING: {told}")));
    table.mail(ann, &[&late[..], &["--skip"]].concat());
}

#[test]
fn tables_as_people_paste_them_are_read_or_named() {
    let table = Match::begun("play-traps-pasted", |terms| terms);
    let ann = &table.ann;
    let refused = |name: &str, content: &str| {
        let file = table.file(name, content);
        ann.is_refused(&["declare", &file, "--no-moves", "--yes"])
    };
    let why = refused("rolls.csv", "why\nF12 3-1\n");
    assert!(why.contains("must be hexes,odds") && why.contains("a list of rolls for the sheet"), "{why}");
    for quote in ["> ", "Bob> "] {
        let quoted: String = ATTACKS.lines().map(|line| format!("{quote}{line}\n")).collect();
        let why = refused("quoted.csv", &quoted);
        assert!(why.contains("quoted as in a mail"), "{why}");
    }
    let why = refused("rows.csv", "hexes,odds\nBob Smith> F12,3-1\n");
    assert!(why.contains("line 2 (Bob Smith> F12,3-1) is quoted as in a mail"), "{why}");
    let why = refused("order.csv", "hexes,odds,order\nF12,3-1,first\n");
    assert!(why.contains("line 2 (F12,3-1,first), order: this must be a whole number"), "{why}");
    let why = refused("mixed.csv", "hexes,odds\nF12\t3-1\n");
    assert!(why.contains("has 1 cell, but the first line names 2: hexes, odds. Put a , between cells"), "{why}");
    assert!(refused("turn.toml", "order = \"first\"\n").contains("a TOML file"));
    let tabs = table.file("tabs.csv", &ATTACKS.replace(',', "\t").replace("\nG13", "\n\t\t\nG13"));
    let rows = table.file("rows.csv", &format!("{ATTACKS},,\n,,\n"));
    // Typed twice with the same attacks, it is the same letter.
    let mail = table.posts(ann, &["declare", &tabs, "--no-moves"]);
    assert!(mail.contains("3 attacks"), "{mail}");
    assert_eq!(ann.signs(&["declare", "1/1/ann-first/1", &rows, "--no-moves"]), mail);
    table.bob.reads(&mail);
    table.mail(&table.bob, &["reply"]);
    let why = ann.is_refused(&["declare", "1/2/ann-second/1", &tabs, "--no-moves", "--yes"]);
    assert!(why.contains("must be why") && why.contains("a list of attacks"), "{why}");
    // A letter with a name before each line.
    let named: String = mail.lines().map(|line| format!("Ann> {line}\n")).collect();
    let told = out(&table.bob.run(&["read", "-"], &named));
    assert!(told.contains("each line begins with a name (\"Ann\">)"), "{told}");
}

#[test]
fn all_letters_of_a_gap_are_asked_for_at_once() {
    let table = Match::begun("play-traps-gap", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let notes: Vec<String> =
        (1..=3).map(|n| ann.signs(&["note", "1/1/ann-first/1", &format!("n{n}"), &table.path("orders.txt")])).collect();
    let last = notes.last().expect("a mail");
    let last = &last[last.rfind("-----BEGIN").expect("a letter")..];
    bob.reads(last);
    let missing = bob.status()["missing"][0].as_str().expect("a line").to_owned();
    let numbers = missing.split("resend ").nth(1).expect("numbers").to_owned();
    assert_eq!(numbers.split(' ').count(), 2, "{missing}");
    let report = out(&bob.run(&["audit", "--game", "our-campaign"], ""));
    let (first, last) = numbers.trim().split_once(' ').expect("two numbers");
    assert!(report.contains(&format!("ask for letters {first} to {last} by ann")), "{report}");
    let mail = ann.does(&[&["resend"][..], &numbers.split(' ').collect::<Vec<_>>()].concat());
    bob.reads(&mail);
    assert_eq!(bob.status()["missing"], json!([]), "{}", bob.status());
    let why = ann.is_refused(&["resend", "99"]);
    assert!(why.contains("you have not written a letter 99") && why.contains("your letters are 1 to "), "{why}");
}

#[test]
fn rules_stand_behind_the_words_of_a_refusal() {
    let table = after_first("play-traps-rules");
    let why = table.ann.is_refused(&["dispute", "stall", "1/1/ann-first/1", "--yes"]);
    assert!(why.trim_end().ends_with(')') && !why.contains("claim 5:"), "{why}");
    let help = table.ann.does(&["game", "template", "--help"]);
    assert!(help.contains("gettysburg-events") && help.contains("ocs-initiative"), "{help}");
}
