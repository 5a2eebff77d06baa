//! Terms that one player accepts twice, and shows each accept to whom they like, in any order: two games, and the honest
//! players and their referee go on in the one that the author of the terms plays.

use serde_json::Value;

use super::{
    Match, Seated, audits, copy_folder, out,
    roads::{FORFEIT, Refereed, refereed_terms},
    talk,
};

const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Bob has accepted twice: what he mails of the game whose id comes first, and of the one that he plays with Ann.
struct Twice {
    game: Refereed,
    decoy: String,
    decoy_id: String,
    real: String,
    real_id: String,
}

impl Twice {
    fn new(name: &str, held: impl FnOnce(&str) -> String) -> Self {
        let mut table = Match::seated(name);
        let carol = Seated::at(table.dir.join("carol"));
        carol.does(&["key", "new", "--no-passphrase"]);
        let terms = refereed_terms(&table, &carol, "double-impulse", held, |terms| terms + FORFEIT);
        let proposed = table.ann.signs(&["game", "new", &terms]);
        [&table.bob, &carol].iter().for_each(|other| drop(other.reads(&proposed)));
        let accepted = carol.signs(&["game", "accept"]);
        [&table.ann, &table.bob].iter().for_each(|other| drop(other.reads(&accepted)));
        // The same player at two machines.
        let again = Seated::at(table.dir.join("bob again"));
        copy_folder(&table.bob.home, &again.home);
        let [one, other] = [&table.bob, &again].map(|bob| {
            let mail = bob.signs(&["game", "accept"]);
            (bob.status()["game"].as_str().expect("a game").to_owned(), mail)
        });
        let ((decoy_id, decoy), (real_id, real)) = if one < other { (one, other) } else { (other, one) };
        if again.status()["game"] == real_id.as_str() {
            table.bob = again;
        }
        Self { game: Refereed { table, carol }, decoy, decoy_id, real, real_id }
    }

    /// A signer as it is now, in another place.
    fn copy(&self, signer: &Seated, name: &str) -> Seated {
        let copy = Seated::at(self.game.table.dir.join(name));
        copy_folder(&signer.home, &copy.home);
        copy
    }
}

/// Takes a mail in, whose letters may come too early.
fn tries(signer: &Seated, mail: &str) {
    let output = signer.run(&["read", "-"], mail);
    assert!(matches!(output.status.code(), Some(0 | 2)), "{}{}", out(&output), talk(&output));
}

fn is_offered(signer: &Seated, verb: &str) -> bool {
    let status = signer.status();
    status["commands"].as_array().expect("a list").iter().any(|command| command.to_string().contains(verb))
}

/// The status tells who has signed twice, and what.
fn tells(signer: &Seated, twice: &Twice) {
    let status = signer.status();
    assert_eq!(status["game"], twice.real_id.as_str(), "{status}");
    let ids = [&twice.decoy_id, &twice.real_id].map(|id| id.get(..8).expect("digits"));
    let told = status["notes"].to_string();
    assert!(told.contains("has accepted the terms more than once"), "{status}");
    assert!(ids.iter().all(|id| told.contains(id)), "{status}");
}

/// Both checkers find two games, and blame Bob alone.
fn is_bobs_fault(signer: &Seated) {
    let [ours, theirs] = audits(&signer.letters());
    assert_eq!(ours, theirs);
    assert_eq!(ours.len(), 2, "{ours:?}");
    let findings: Vec<&Value> = ours.iter().flat_map(|report| report["findings"].as_array().expect("a list")).collect();
    assert!(!findings.is_empty() && findings.iter().all(|finding| finding["culprit"] == "bob"), "{ours:?}");
}

#[test]
fn a_referee_who_was_shown_another_accept_first_goes_on_with_the_game_that_is_played() {
    let twice = Twice::new("play-accepts-referee", |key| format!("deposit = \"{key}\"\n"));
    let Refereed { table, carol } = &twice.game;
    let (ann, bob) = (&table.ann, &table.bob);
    ann.reads(&twice.real);
    let replied = ann.signs(&["reply"]);
    bob.reads(&replied);
    let everything = ann.signs(&["resend", "--everything"]);
    let mails = [&twice.decoy, &twice.real, &replied];
    for (n, order) in ORDERS.iter().enumerate() {
        let carol = twice.copy(carol, &format!("carol {n}"));
        for mail in order {
            tries(&carol, mails[*mail]);
            // She confirms what she is given to hold, whichever game it is of.
            if is_offered(&carol, " reply") {
                carol.signs(&["reply"]);
            }
        }
        carol.reads(&everything);
        tells(&carol, &twice);
        is_bobs_fault(&carol);
        if n > 0 {
            continue;
        }
        let receipts = carol.signs(&["resend"]);
        [ann, bob].iter().for_each(|player| drop(player.reads(&receipts)));
        let declared = ann.signs(&["declare", "1/1/ann-first/1", &table.path("ATTACKS.csv"), "--no-moves"]);
        [bob, &carol].iter().for_each(|other| drop(other.reads(&declared)));
        let opened = bob.signs(&["reply"]);
        ann.reads(&opened);
        assert!(carol.reads(&opened).contains("the envelopes for 1/1/ann-first/1 are opened"));
        // No ruling settles that.
        assert!(!carol.does(&["game", "status"]).contains("rule settle"), "{}", carol.status());
        is_bobs_fault(&carol);
    }
}

#[test]
fn the_author_of_terms_plays_on_whichever_accept_comes_first() {
    let twice = Twice::new("play-accepts-author", |_| String::new());
    let table = &twice.game.table;
    let both = format!("{}\n{}", twice.decoy, twice.real);
    let swapped = format!("{}\n{}", twice.real, twice.decoy);
    for (n, mails) in [vec![&both], vec![&swapped], vec![&twice.decoy, &twice.real]].into_iter().enumerate() {
        let ann = twice.copy(&table.ann, &format!("ann {n}"));
        mails.iter().for_each(|mail| drop(ann.reads(mail)));
        table.look_at(&ann, |_| ());
        ann.signs(&["reply"]);
        table.look_at(&ann, is_bobs_fault);
    }
    // What she has begun to play goes on.
    let ann = &table.ann;
    ann.reads(&twice.real);
    table.bob.reads(&ann.signs(&["reply"]));
    let told = ann.reads(&twice.decoy);
    assert!(!told.contains("rejected:"), "{told}");
    tells(ann, &twice);
    table.look_at(ann, |_| ());
    table.bob.reads(&ann.signs(&["declare", "1/1/ann-first/1", &table.path("ATTACKS.csv"), "--no-moves"]));
    assert!(ann.reads(&table.bob.signs(&["reply"])).contains("the envelopes for 1/1/ann-first/1 are opened"));
}
