//! What strangers send: it costs its length, and what nobody asked for fills no home.

use std::fs;

use sealed_dice::{
    blob::{
        Hex32,
        body::{Charter, Party},
    },
    game::steps::Signer,
    primitive::secret::Secret,
};

use super::{Match, Seated, out, talk};
use crate::kit::{self, bytes, key, role};

/// Terms that a stranger proposes to a player, and that this player has accepted, if `accepted`.
fn invitation(to: &Seated, title: &str, accepted: bool) -> (Hex32, String) {
    let mut stranger = Signer::new(role("ann"), key(title), Secret::new(bytes("a vault").0), role("bob"));
    let own = to.keys();
    let mut bob = Signer::new(role("bob"), own.signing().clone(), own.vault().clone(), role("ann"));
    let charter = Charter { title: title.into(), ..kit::Table::before(title).charter() };
    let [one, other] = charter.parties.clone();
    let party = |signer: &Signer, party: Party| Party { key: Hex32(*signer.key().public().as_bytes()), ..party };
    let parties = [party(&stranger, one), party(&bob, other)];
    let terms = stranger.propose(Charter { parties, ..charter }).expect("terms");
    let mut mail = terms.armour();
    if accepted {
        mail += &bob.accept(&terms.message, true, bytes(title)).expect("an accept").armour();
    }
    (terms.message.id(), mail)
}

/// How many games are in view.
fn games(player: &Seated) -> usize {
    fs::read_dir(player.home.join("games")).map_or(0, Iterator::count)
}

#[test]
fn sixteen_invitations_wait_and_the_others_are_kept_when_asked_for() {
    let table = Match::seated("play-strangers-invitations");
    let bob = &table.bob;
    let mails: Vec<(Hex32, String)> =
        (1..=20).map(|n| invitation(bob, &format!("A friendly match {n}"), false)).collect();
    let all: String = mails.iter().map(|(_, mail)| mail.as_str()).collect();
    let told = bob.reads(&all);
    assert_eq!(games(bob), 16);
    assert!(told.contains("not kept, because 16 invitations already wait for your answer"), "{told}");
    let listed: Vec<&str> = told.lines().filter(|line| line.contains("from Ann (key ")).collect();
    assert_eq!(listed.len(), 4, "{told}");

    // The walk of a first game goes on: what is wanted is kept by its id, and then accepted.
    let (id, mail) = mails.iter().find(|(id, _)| listed[0].contains(&id.to_string()[..8])).expect("a listed one");
    let path = table.file("invitations.txt", &all);
    let kept = bob.does(&["read", "--keep", &id.to_string()[..8], &path]);
    assert_eq!(games(bob), 17);
    assert!(kept.contains("new in a-friendly-match-"), "{kept}");
    let name = kept.lines().find_map(|line| line.strip_prefix("new in ")).expect("a game").trim_end_matches(':');
    bob.signs(&["game", "accept", "--game", name]);
    assert!(bob.reads(mail).contains("nothing new"));
    let unknown = bob.run(&["read", "--keep", "ffff0000ffff", &path], "");
    assert_eq!(unknown.status.code(), Some(2));
    assert!(talk(&unknown).contains("these mails do not contain an invitation"), "{}", talk(&unknown));

    // Where one is taken out of view, there is room for another.
    assert!(bob.reads(&mails[19].1).contains("already wait for your answer") || games(bob) == 17);
    let list = bob.does(&["game", "list"]);
    let waits = list.lines().find(|line| line.contains("waits for you to accept")).expect("one waits");
    let waits = waits.split(':').next().expect("a name");
    let forgotten = bob.does(&["game", "forget", waits]);
    assert!(forgotten.contains("is hidden: its letters are now in") && bob.home.join("forgotten").join(waits).is_dir());
    assert!(!bob.does(&["game", "list"]).contains(&format!("{waits}:")));
    bob.reads(&all);
    assert_eq!(games(bob), 17);
}

/// A player's own accepts stand for their answers, so that a lost home comes back from its mails in one go.
#[test]
fn a_lost_home_with_many_games_comes_back_at_once() {
    let table = Match::seated("play-strangers-lost");
    let mails: String = (1..=20).map(|n| invitation(&table.bob, &format!("Match {n}"), true).1).collect();
    let told = table.bob.reads(&mails);
    assert!(!told.contains("not kept"), "{told}");
    assert_eq!(games(&table.bob), 20);
    // They count for no invitation either.
    let more: String = (1..=16).map(|n| invitation(&table.bob, &format!("More {n}"), false).1).collect();
    assert!(!table.bob.reads(&more).contains("not kept"));
}

#[test]
fn a_game_is_forgotten_when_it_is_over_and_comes_back() {
    let table = Match::begun("play-strangers-forget", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let why = bob.is_refused(&["game", "forget", "our-campaign"]);
    assert!(why.contains("our-campaign is not over"), "{why}");
    assert!(bob.run(&["game", "forget", "../games/our-campaign"], "").status.code() == Some(2));
    for player in [ann, bob, ann] {
        table.mail(player, &["game", "close"]);
    }
    let letters = || fs::read_dir(bob.letters()).expect("letters").count();
    let before = letters();
    bob.does(&["game", "forget", "our-campaign"]);
    assert_eq!((games(bob), bob.does(&["game", "list"]).as_str()), (0, ""));
    // The mails bring it back, and so does moving the folder.
    bob.reads(&table.mails.borrow().concat());
    assert_eq!(letters(), before);
    bob.does(&["game", "forget", "our-campaign"]);
    let forgotten = bob.home.join("forgotten");
    assert!(forgotten.join("our-campaign-2").is_dir());
    fs::rename(forgotten.join("our-campaign"), bob.home.join("games/our-campaign")).expect("it moves");
    assert!(bob.does(&["game", "list"]).contains("our-campaign: \"Our campaign\", over"));
}

/// A game that cannot be read would be told if it were opened.
#[test]
fn reading_a_mail_opens_no_game_but_its_own() {
    let table = Match::begun("play-strangers-opens", |terms| terms);
    let bob = &table.bob;
    bob.reads(&invitation(bob, "Another", true).1);
    let other = bob.home.join("games/another/letters");
    let charter = fs::read_dir(&other).expect("letters").map(|entry| entry.expect("a letter").path());
    let charter = charter.into_iter().find(|path| path.to_string_lossy().contains("-charter-")).expect("its terms");
    fs::write(&charter, "nothing").expect("a file");
    let mail = table.posts(&table.ann, &["declare", "1/1/ann-first/1", &table.path("ATTACKS.csv"), "--no-moves"]);
    let read = bob.run(&["read", "-"], &mail);
    assert!(out(&read).contains("1/1/ann-first/1 is declared"), "{}", out(&read));
    assert!(!talk(&read).contains("another"), "{}", talk(&read));
    for command in [["game", "status"].as_slice(), &["reply", "--yes"]] {
        let done = bob.run(&[command, &["--game", "our-campaign"]].concat(), "");
        assert_eq!((done.status.code(), talk(&done).contains("another")), (Some(0), false), "{}", talk(&done));
    }
    // A damaged charter goes back to its game.
    bob.reads(&invitation(bob, "Another", true).1);
    assert!(bob.does(&["game", "list"]).contains("another: "));
}

/// Letters of one mail are looked at together: a letter may stand before those that it names.
#[test]
fn letters_of_a_mail_are_taken_in_whatever_order_they_stand() {
    let table = Match::begun("play-strangers-order", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let first = table.posts(ann, &["declare", "1/1/ann-first/1", &table.path("ATTACKS.csv"), "--no-moves"]);
    let all = table.posts(ann, &["resend", "--all"]);
    let frames: Vec<&str> = all.split_inclusive("-----END SEALED DICE MESSAGE-----").collect();
    assert!(frames.len() > 2 && !first.is_empty(), "{all}");
    let backwards: String = frames.iter().rev().copied().collect();
    let told = bob.reads(&backwards);
    assert!(!told.contains("rejected:"), "{told}");
    assert_eq!(
        fs::read_dir(ann.letters()).expect("letters").count(),
        fs::read_dir(bob.letters()).expect("letters").count()
    );
}

/// Copies, and letters of nobody's, do not add up.
#[test]
fn letters_that_come_many_times_are_kept_once() {
    let table = Match::begun("play-strangers-copies", |terms| terms);
    let mail = table.posts(&table.ann, &["declare", "1/1/ann-first/1", &table.path("ATTACKS.csv"), "--no-moves"]);
    let before = fs::read_dir(table.bob.letters()).expect("letters").count();
    let told = table.bob.reads(&mail.repeat(50));
    assert_eq!(told.matches("1/1/ann-first/1 is declared").count(), 1, "{told}");
    assert_eq!(fs::read_dir(table.bob.letters()).expect("letters").count(), before + 1);
    let (terms, invited) = invitation(&table.bob, "Again and again", false);
    let told = table.bob.reads(&invited.repeat(50));
    assert_eq!(told.matches("new in again-and-again").count(), 1, "{terms}: {told}");
    assert_eq!(games(&table.bob), 2);
}
