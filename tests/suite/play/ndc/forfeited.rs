//! Forfeited dice of a hidden course: the next sheet names them, what it leaves out counts as 1, and that is said before
//! anything is signed.

use super::{
    Seated, awaited,
    slots::{SETUP, set_up},
};

fn notes(player: &Seated) -> String {
    player.status()["notes"].to_string()
}

#[test]
fn forfeited_dice_are_named_in_the_next_sheet_as_everybody_is_told_before() {
    let table = set_up("play-ndc-forfeited");
    let (ann, bob) = (&table.ann, &table.bob);
    table.mail(ann, &["dispute", "yield", SETUP]);
    let told = notes(bob);
    assert!(told.contains("forfeited to you") && told.contains("`named`") && told.contains("counts as 1"), "{told}");
    assert!(!told.contains("only you can see its dice"), "nothing was opened: {told}");
    let refused = bob.is_refused(&["dispute", "name", SETUP, "6", "--yes"]);
    assert!(refused.contains("next sheet") && refused.contains("`named`"), "{refused}");

    // Ann's first turn ends at once, and Bob's begins with the dice of his setup.
    let none = table.file("none.toml", "");
    table.mail(ann, &["declare", &awaited(ann).expect("a slot").to_string(), &none]);
    table.mail(bob, &["reply"]);
    let slot = awaited(bob).expect("a slot").to_string();
    let form = bob.does(&["declare", &slot, "--form"]);
    assert!(form.contains(&format!("THE DICE FOR {SETUP} ARE FORFEITED TO YOU")), "{form}");
    let named = form.lines().find_map(|line| line.strip_prefix("# named = ")).expect("a block");
    let die = form.lines().find_map(|line| line.strip_prefix("#   line ")).expect("a die");

    let asked = |sheet: &str| super::super::talk(&bob.run(&["declare", &slot, sheet], ""));
    let question = asked(&none);
    assert!(question.contains("each counts as 1") && question.contains(die), "{question}");
    let twos = named.replace("= [1", "= [2").replace(", 1", ", 2");
    let sheet = table.file("named.toml", &format!("named = {twos}\n"));
    let question = asked(&sheet);
    assert!(!question.contains(die), "{question}");
    table.mail(bob, &["declare", &slot, &sheet]);
    assert!(!notes(bob).contains("forfeited to you"), "{}", notes(bob));
    table.mail(ann, &["reply"]);
    let report = table.closes();
    assert_eq!(report["findings"], serde_json::json!([]), "{report}");
}
