//! What two players of courses are told before they sign, and where they used to stumble.

use super::{Match, Seated, courses, talk};

/// The question that a player is asked before he signs.
fn question(player: &Seated, args: &[&str]) -> String {
    let output = player.run(args, "");
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", talk(&output));
    talk(&output)
}

/// Who declares the first turn of a campaign.
fn seats(table: &Match) -> (&Seated, &Seated, String) {
    let status = table.ann.status().to_string() + &table.bob.status().to_string();
    let slot = status.split("declare ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a slot").to_owned();
    let anns = table.ann.status()["commands"].to_string().contains(" declare ");
    if anns { (&table.ann, &table.bob, slot) } else { (&table.bob, &table.ann, slot) }
}

#[test]
fn a_turn_is_told_in_words_and_mended() {
    let table =
        courses::begun("play-told", "", |terms| terms.replace("wrong-list = \"keep\"", "wrong-list = \"redo\""));
    let (one, two, _) = seats(&table);
    let terms = one.does(&["game", "terms"]);
    assert!(terms.contains("[phases.settings]\n") && terms.contains("sides = [\"ann\", \"bob\"]"), "{terms}");
    let path = table.path("terms in full.toml");
    one.does(&["game", "terms", "--out", &path]);
    assert_eq!(std::fs::read_to_string(path).expect("terms"), terms);

    let (declarer, other, slot) = (one, two, seats(&table).2);
    let form = ["declare", slot.as_str(), "--form"];
    assert!(declarer.does(&form).contains("order = "));
    let why = other.is_refused(&form);
    assert!(why.contains("you cannot declare"), "{why}");
    let wish = table.file("WISH.toml", "order = \"second\"\n");
    let why = other.is_refused(&["note", &slot, "standing-orders", &wish, "--yes"]);
    assert!(why.contains("only a note called standing is obeyed"), "{why}");
    assert!(other.does(&["note", &slot, "standing", "--form"]).contains("order = \"first\""));

    let turn = table.file("turn.toml", "order = \"first\"\n");
    let asked = question(declarer, &["declare", &slot, &turn, "--no-moves"]);
    assert!(asked.contains("order first") && !asked.contains("moves"), "{asked}");
    let blank = declarer.run(&["declare", &slot, &turn, "--moves", " ", "--yes"], "");
    assert!(blank.status.code() == Some(2) && talk(&blank).contains("say what moved"), "{}", talk(&blank));
    // Such a turn is no move, so nothing has to be said of moves.
    let told = table.mail(declarer, &["declare", &slot, &turn]);
    assert!(told.contains("order first") && !told.contains("moves"), "{told}");
    let other_turn = table.file("other.toml", "order = \"second\"\n");
    let also = declarer.is_refused(&["declare", &slot, &other_turn, "--no-moves", "--yes"]);
    assert!(also.contains("It says: ") && also.contains("order first"), "{also}");
    let why = other.is_refused(&["note", &slot, "standing", &wish, "--yes"]);
    assert!(why.contains("too late for this turn"), "{why}");
    let why = other.is_refused(&["correct", "void", &slot, "--reason", "x", "--yes"]);
    assert!(why.contains("once all its dice are open") && !why.contains("already declared again"), "{why}");

    table.mail(other, &["reply"]);
    let role = if declarer.home == table.ann.home { "ann" } else { "bob" };
    let said = ["--class", "wrong-list", "--at-fault", role, "--reason", "he said second", "--sheet", &other_turn];
    let told = table.mail(other, &[&["correct", "propose", &slot][..], &said].concat());
    let differs = format!("{role} declares {slot} again before play continues:");
    assert!(told.contains(&differs) && told.contains("was order first") && told.contains("now order second"), "{told}");
    let commands = declarer.status()["commands"].to_string();
    let id = commands.split("correct accept ").nth(1).expect("a command").split('"').next().expect("an id").to_owned();
    let asked = question(declarer, &["correct", "accept", &id]);
    assert!(asked.contains(&differs) && asked.contains("now order second"), "{asked}");
    table.mail(declarer, &["correct", "accept", &id]);
    // Nothing that would be refused, or wasted, is named to him who waits.
    let waits = other.status();
    let named = waits["commands"].to_string();
    assert!(!named.contains(" decide ") && !named.contains(" declare "), "{waits}");
    assert!(waits["waits_for"].to_string().contains(&format!("{role} declares {slot} again, as agreed")), "{waits}");
    let why = other.is_refused(&["decide", &slot, "order", "first", "--yes"]);
    assert!(why.contains(&format!("wait until {role} has declared {slot} again")), "{why}");
    table.mail(declarer, &["declare", &slot, "--again"]);
    table.mail(other, &["reply"]);
}
