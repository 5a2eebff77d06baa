//! A whole game of two turns, step by step.

use serde_json::json;

use super::{Match, Seated};

/// One player's turn: envelopes in the first impulse, the sheet in the second.
fn turn(table: &Match, player: &Seated, role: &str, turn: u32, moves: &[&str]) {
    let [first, second] = if role == "ann" { [1, 2] } else { [3, 4] };
    let attacks = table.path("ATTACKS.csv");
    let told = table
        .mail(player, &[&["declare", &format!("{turn}/{first}/{role}-first/1"), attacks.as_str()], moves].concat());
    assert!(told.contains("3 attacks, total 94, envelope 4"), "{told}");
    let told = table.mail(table.other(player), &["reply"]);
    assert_eq!(told.matches("      d6 = ").count(), 3, "{told}");
    let rolls = table.path("ROLLS.csv");
    table.mail(player, &[&["declare", &format!("{turn}/{second}/{role}-second/1"), rolls.as_str()], moves].concat());
    let told = table.mail(table.other(player), &["reply"]);
    assert_eq!(told.matches("      d6 = ").count(), 2, "{told}");
}

#[test]
fn two_turns_by_mail() {
    let table = Match::begun("play-whole", |terms| terms);
    let orders = table.path("orders.txt");
    let save = table.file("turn 1.vsav", "\u{0}any bytes");
    turn(&table, &table.ann, "ann", 1, &["--moves", "1st Corps: E10 to F11"]);
    turn(&table, &table.bob, "bob", 1, &["--moves-file", &orders]);
    turn(&table, &table.ann, "ann", 2, &["--files", &save, &orders]);
    turn(&table, &table.bob, "bob", 2, &["--no-moves"]);
    let report = table.closes();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
    assert_eq!(report["rolls"].as_array().expect("rolls").len(), 4 * (3 + 2));
    assert_eq!(report["findings"], json!([]));
    for player in [&table.ann, &table.bob] {
        assert!(player.does(&["game", "list"]).contains("over"), "{}", player.does(&["game", "list"]));
        assert!(player.does(&["game", "status"]).contains("over and closed by both"));
    }
}

/// Choices before a phase, orders that stay sealed, and moves in a sealed note.
#[test]
fn choices_and_sealed_notes() {
    let table = Match::begun("play-notes", |terms| {
        let decision = "\ndecisions = [{ name = \"reaction\", by = \"bob\" }]\n\n[phases.settings]\nenvelopes";
        terms.replacen("\n[phases.settings]\nenvelopes", decision, 1)
    });
    let (orders, attacks) = (table.path("orders.txt"), table.path("ATTACKS.csv"));
    let slot = "1/1/ann-first/1";
    let early = table.ann.is_refused(&["declare", slot, &attacks, "--no-moves", "--yes"]);
    assert!(early.contains("waits for the choice reaction"), "{early}");
    assert!(table.bob.is_refused(&["decide", slot, "retreat", "x", "--yes"]).contains("do not give you a choice"));
    assert!(table.ann.is_refused(&["decide", slot, "reaction", "x", "--yes"]).contains("do not give you a choice"));
    table.mail(&table.bob, &["decide", slot, "reaction", "the cavalry goes back"]);
    let again = table.bob.signs(&["decide", slot, "reaction", "the cavalry stays"]);
    assert!(again.contains("goes back") && !again.contains("stays"), "{again}");
    let told = table.mail(&table.ann, &["note", slot, "orders", &orders]);
    assert!(told.contains("a sealed note (1/1/ann-first/1/orders)") && !told.contains("bridge"), "{told}");
    assert!(table.ann.is_refused(&["note", "9/9/nothing/1", "orders", &orders, "--yes"]).contains("is not a slot"));
    let missing = table.ann.is_refused(&["declare", slot, &attacks, "--moves-note", "march", "--yes"]);
    assert!(missing.contains("not sealed a note"), "{missing}");
    table.mail(&table.ann, &["note", slot, "march", &orders]);
    table.mail(&table.ann, &["declare", slot, &attacks, "--moves-note", "march"]);
    table.mail(&table.bob, &["reveal", slot]);
    assert!(table.bob.is_refused(&["reveal", slot, "--moves", "--yes"]).contains("with a moves note"));
    let told = table.mail(&table.ann, &["reveal", slot, "--moves"]);
    assert!(told.contains("the note 1/1/ann-first/1/march is opened"), "{told}");
    assert_eq!(
        table.ann.does(&["reveal", slot, "--moves", "--yes"]).matches("is opened").count(),
        1,
        "the same mail again"
    );
    let report = table.closes();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
}
