//! Canaries: a whole game with known secrets. Nothing of them is anywhere but in the key file, before the protocol
//! publishes it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use sealed_dice::{
    blob::{Hex32, body::SetKind},
    cli::secrets as unlocking,
    keep::{backup, home::Home, key_file::KeyFile, root::Root},
    primitive::{
        passphrase::{Cost, Passphrase},
        secret::{Secret, SecretText},
    },
    resolve::Place,
};
use serde_json::json;

use super::{Match, Seated, talk};

const WORDS: &str = "a canary of a passphrase";

/// Every form in which a secret could leak: raw, hexadecimal, base64 in whatever place of a longer text, and a list of numbers.
fn forms(secret: &[u8]) -> Vec<Vec<u8>> {
    let list = secret.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    let mut forms = vec![secret.to_vec(), hex::encode(secret).into(), hex::encode_upper(secret).into(), list.into()];
    // Letters carry hexadecimal in base64, so that is looked for as well.
    for content in [secret.to_vec(), hex::encode(secret).into_bytes()] {
        for shift in 0..3 {
            let shifted = [vec![0; shift], content.clone()].concat();
            let text = STANDARD_NO_PAD.encode(&shifted[..shifted.len() - shifted.len() % 3]);
            forms.push(text[if shift == 0 { 0 } else { 4 }..].into());
        }
    }
    forms
}

/// What is searched: as it is, and without the line breaks that letters have in their base64.
fn holds(content: &[u8], canaries: &[(String, Vec<Vec<u8>>)]) -> Option<String> {
    let joined: Vec<u8> = content.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let finds = |text: &[u8], form: &[u8]| memchr::memmem::find(text, form).is_some();
    let found =
        canaries.iter().find(|(_, forms)| forms.iter().any(|form| finds(content, form) || finds(&joined, form)));
    found.map(|(name, _)| name.clone())
}

fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// The keys that a player's sets have and that nobody has asked for, and the masters of all of them.
fn unopened(player: &Seated, canaries: &mut Vec<(String, Vec<Vec<u8>>)>) {
    let keys = player.keys();
    player.replay(|ledger, me| {
        for seal in ledger.seals(me) {
            let set = ledger.set(seal).expect("a set");
            let master = set.context.master(keys.vault(), &set.seal.salt);
            canaries.push((format!("master of {}", set.seal.purpose), forms(master.expose())));
            for place in set.context.deepest_places().filter(|place| !is_open(ledger, seal, set.seal.kind, *place)) {
                let key = set.context.key(&master, place);
                canaries.push((format!("{} {place:?}", set.seal.purpose), forms(key.expose())));
                canaries.push((
                    format!("seed {} {place:?}", set.seal.purpose),
                    forms(set.context.seed(&key, place).expose()),
                ));
            }
        }
    });
}

fn is_open(ledger: &sealed_dice::game::ledger::Ledger<'_>, seal: &Hex32, kind: SetKind, place: Place) -> bool {
    kind != SetKind::Sheet && ledger.set(seal).is_some_and(|set| set.key(place).is_some())
}

/// Everything that was told, mailed or written, the key files apart.
fn search(table: &Match, canaries: &[(String, Vec<Vec<u8>>)]) {
    for player in [&table.ann, &table.bob] {
        assert_eq!(holds(&player.told.borrow(), canaries), None, "in what was printed");
        let mut paths = Vec::new();
        files(&player.home, &mut paths);
        for path in paths.into_iter().filter(|path| !path.ends_with("key.txt")) {
            assert_eq!(holds(&fs::read(&path).expect("a file"), canaries), None, "{}", path.display());
        }
    }
    for mail in table.mails.borrow().iter() {
        assert_eq!(holds(mail.as_bytes(), canaries), None);
    }
}

#[test]
fn no_secret_is_told_before_it_is_due() {
    let table = Match::seated("play-canaries");
    let root = |name: &str| Root::new(Secret::new(crate::kit::bytes(name).0));
    let mut canaries = Vec::new();
    for (player, name) in [(&table.ann, "ann's canary"), (&table.bob, "bob's canary")] {
        fs::remove_file(player.home.join("key.txt")).expect("a key file");
        let page = table.file("page.txt", backup::write(&root(name)).expose());
        assert_eq!(player.run(&["key", "restore", &page, "--no-passphrase"], "").status.code(), Some(0));
        fs::remove_file(page).expect("the page");
        let home = Home::find(Some(player.home.clone())).expect("a home");
        let keys = unlocking::unlock(&home, &unlocking::From::Terminal).expect("keys");
        assert_eq!(keys.vault(), root(name).keys().vault());
        canaries.push((format!("root of {name}"), forms(root(name).expose())));
        canaries.push((format!("vault of {name}"), forms(root(name).vault().expose())));
        canaries.push((format!("signing seed of {name}"), forms(root(name).signing_seed().expose())));
    }
    let groups = backup::write(&root("ann's canary")).expose().to_owned();
    canaries.extend(groups.split(' ').map(|group| (format!("group {group}"), vec![group.as_bytes().to_vec()])));
    let lasting = canaries.clone();

    let note = "the canary sings at dawn over F12";
    let orders = table.file("secret orders.txt", note);
    canaries.push(("note".into(), forms(note.as_bytes())));
    let terms = table.terms(|terms| terms);
    table.mail(&table.ann, &["game", "new", &terms]);
    table.mail(&table.bob, &["game", "accept"]);
    table.mail(&table.ann, &["reply"]);
    let (attacks, rolls) = (table.path("ATTACKS.csv"), table.path("ROLLS.csv"));
    table.mail(&table.ann, &["note", "1/1/ann-first/1", "orders", &orders]);
    table.mail(&table.ann, &["declare", "1/1/ann-first/1", &attacks, "--no-moves"]);
    table.mail(&table.bob, &["reply"]);
    table.mail(&table.ann, &["declare", "1/2/ann-second/1", &rolls, "--no-moves"]);
    table.mail(&table.bob, &["reply"]);
    table.ann.is_refused(&["reveal", "1/3/bob-first/1", "--yes"]);
    table.bob.run(&["declare", "1/3/bob-first/1", "/no/such/sheet", "--no-moves", "--yes", "--skip"], "");
    unopened(&table.ann, &mut canaries);
    unopened(&table.bob, &mut canaries);
    search(&table, &canaries);

    let report = table.closes();
    assert_eq!(report["complete"], json!(true));
    search(&table, &lasting);
    let all = table.mails.borrow().concat();
    assert!(holds(all.as_bytes(), &canaries).is_some(), "the canaries are found where they are published");
}

/// The passphrase goes in by a file, right and wrong, and comes out nowhere.
#[test]
fn no_passphrase_is_told() {
    let table = Match::seated("play-passphrase");
    let passphrase = |text: &str| Passphrase::new(SecretText::new(text.into()));
    let key_file = table.bob.home.join("key.txt");
    fs::remove_file(&key_file).expect("a key file");
    let root = Root::new(Secret::new(crate::kit::bytes("a locked canary").0));
    let quick = Cost { memory: 8, passes: 1, lanes: 1 };
    KeyFile::create_at_cost(&key_file, root, Some(&passphrase(WORDS)), quick).expect("a key file");
    let (right, wrong) = (table.file("right", WORDS), table.file("wrong", &format!("{WORDS}!")));
    let canaries = vec![("passphrase".to_owned(), forms(WORDS.as_bytes()))];
    let terms = table.terms(|terms| terms);
    let mail = table.ann.signs(&["game", "new", &terms]);
    table.bob.reads(&mail);
    let refused = table.bob.is_refused(&["game", "accept", "--yes", "--passphrase-file", &wrong, "--no-backup"]);
    assert!(refused.contains("does not open the key"), "{refused}");
    let nobody = table.bob.run(&["game", "accept", "--yes"], "");
    assert_eq!(nobody.status.code(), Some(2), "{}", talk(&nobody));
    table.bob.signs(&["game", "accept", "--passphrase-file", &right, "--no-backup"]);
    search(&table, &canaries);
}

/// Before the first seal a page is asked for; whoever wants none says so once.
#[test]
fn a_page_is_asked_for_before_the_first_seal() {
    let table = Match::seated("play-pages");
    let terms = table.terms(|terms| terms);
    for player in [&table.ann, &table.bob] {
        fs::remove_file(player.home.join("notes.txt")).expect("a note");
    }
    let why = table.ann.is_refused(&["game", "new", &terms, "--yes"]);
    assert!(
        why.contains("no printed page") && why.contains("key backup --out") && why.contains("--no-backup"),
        "{why}"
    );
    assert!(!table.ann.home.join("games").exists());
    let page = table.path("page.html");
    table.ann.does(&["key", "backup", "--out", &page]);
    let mail = table.posts(&table.ann, &["game", "new", &terms]);
    table.bob.reads(&mail);
    assert!(table.bob.does(&["game", "status"]).contains("no printed page"));
    assert!(table.bob.is_refused(&["game", "accept", "--yes"]).contains("no printed page"));
    let accepted = table.bob.run(&["game", "accept", "--yes", "--no-backup"], "");
    assert!(talk(&accepted).contains("NO BACKUP"), "{}", talk(&accepted));
    let again = table.bob.run(&["seal", "foul-up", "--yes"], "");
    assert_eq!((again.status.code(), talk(&again).contains("BACKUP")), (Some(0), false), "it is remembered");
}

/// Fingerprints that are compared after the game has begun are noted; the letters go on saying what they said.
#[test]
fn a_fingerprint_can_be_compared_later() {
    let table = Match::seated("play-compared");
    let terms = table.terms(|terms| terms);
    table.mail(&table.ann, &["game", "new", &terms]);
    table.mail(&table.bob, &["game", "accept"]);
    let note = || table.bob.status()["notes"].to_string();
    assert!(note().contains("key compared FINGERPRINT"), "{}", note());
    let own = table.bob.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    assert!(table.bob.is_refused(&["key", "compared", &own]).contains("your own fingerprint"));
    let stranger = own.split(' ').rev().collect::<Vec<_>>().join(" ");
    assert!(
        table.bob.is_refused(&["key", "compared", &stranger]).contains("nobody in your games has this fingerprint")
    );
    let fingerprint = table.ann.public()["fingerprint"].as_str().expect("a fingerprint").to_lowercase();
    let groups: Vec<&str> = ["key", "compared"].into_iter().chain(fingerprint.split(' ')).collect();
    assert!(table.bob.does(&groups).contains("Ann"));
    assert!(note().contains("you have compared the keys by now"), "{}", note());
    let asked = table.ann.status()["notes"].to_string();
    assert!(asked.contains("bob has not said that they have compared your key"), "{asked}");
}
