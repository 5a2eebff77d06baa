//! Letters of one author whose ids begin alike, which he finds in a second: none takes the place of another, and nobody
//! mistakes one for the other.

use std::{collections::HashMap, fs, path::Path};

use sealed_dice::{
    blob::{Body, Keys, Verified, armour, disputes::Claim, frame::TYPE, message::payload},
    primitive::sign::PrivateKey,
};
use sha3::{Digest, Sha3_256};

use super::{Match, Seated, audits, copy_folder, out, talk};

/// What stands in the place of digits that are tried.
const DIGITS: &str = "0000000000000000";

/// Two letters in the place of one, signed by its author, whose ids begin with the same eight digits: found after 82,000 tries
/// of the digits on average.
fn twins(letter: &Verified, key: &PrivateKey, change: impl Fn(&mut Body, &str)) -> [(Verified, String); 2] {
    let payload = payload(letter.head(), letter.body()).expect("a payload");
    let (before, after) = payload.split_once(DIGITS).expect("the digits");
    let item = |hasher: &mut Sha3_256, length: usize, text: &str| {
        hasher.update((length as u64).to_le_bytes());
        hasher.update(text);
    };
    let mut begun = Sha3_256::new();
    begun.update(3_u64.to_le_bytes());
    let tag = "sealed-dice/v1/message-id";
    [tag, TYPE].into_iter().for_each(|text| item(&mut begun, text.len(), text));
    item(&mut begun, payload.len(), before);
    let mut tried: HashMap<[u8; 4], u64> = HashMap::new();
    let (n, other) = (0_u64..)
        .find_map(|n| {
            let mut hasher = begun.clone();
            hasher.update(format!("{n:016x}"));
            hasher.update(after);
            let id: [u8; 32] = hasher.finalize().into();
            tried.insert(*id.first_chunk().expect("four bytes"), n).map(|other| (n, other))
        })
        .expect("there are no more than 2^32 beginnings");
    let letters = [other, n].map(|n| {
        let mut body = letter.body().clone();
        change(&mut body, &format!("{n:016x}"));
        let (message, frame) = Verified::sign(letter.head().clone(), body, key).expect("a letter");
        (message, armour::write(&frame))
    });
    let [first, second] = [&letters[0].0, &letters[1].0].map(|letter| letter.id().to_string());
    assert!(first != second && first[..8] == second[..8], "{first} {second}");
    letters
}

/// The letters of a mail.
fn opened(mail: &str) -> Vec<Verified> {
    let frames = armour::find(mail.as_bytes()).into_iter().filter_map(|blob| blob.frame.ok());
    frames.map(|frame| Verified::open(&frame, &Keys::default()).expect("a letter")).collect()
}

/// The files of a folder that are whole letters, by id.
fn kept(letters: &Path) -> Vec<String> {
    let files = fs::read_dir(letters).expect("letters").map(|entry| entry.expect("a file").path());
    let texts = files.map(|path| fs::read_to_string(path).expect("a text"));
    texts.flat_map(|text| opened(&text)).map(|letter| letter.id().to_string()).collect()
}

/// The fewest digits that tell an id from its twin.
fn apart(id: &str, twin: &str) -> String {
    let same = id.chars().zip(twin.chars()).take_while(|(a, b)| a == b).count();
    id[..=same].to_owned()
}

#[test]
fn two_letters_whose_ids_begin_alike_are_both_kept_and_told_apart() {
    let table = Match::begun("play-alike-letters", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    // What Ann could sign, from a copy of her folder.
    let copy = Seated::at(table.dir.join("forger"));
    copy_folder(&ann.home, &copy.home);
    let declared = copy.signs(&["declare", "1/1/ann-first/1", &table.path("ATTACKS.csv"), "--no-moves"]);
    bob.reads(&declared);
    ann.reads(&declared);
    let declared = opened(&declared).pop().expect("a declaration").id().to_string();
    let raised = copy.signs(&["dispute", "raise", &declared, "--text", DIGITS]);
    let raised = opened(&raised).pop().expect("a dispute");
    let twins = twins(&raised, ann.keys().signing(), |body, digits| {
        if let Body::Claim(Claim::Dispute(dispute)) = body {
            digits.clone_into(&mut dispute.text);
        }
    });
    let ids = twins.each_ref().map(|(letter, _)| letter.id().to_string());
    let shown = [apart(&ids[0], &ids[1]), apart(&ids[1], &ids[0])];

    bob.reads(&twins[0].1);
    let told = bob.reads(&twins[1].1);
    assert!(shown.iter().all(|id| told.contains(id.as_str())), "{shown:?}: {told}");
    let has_both = |player: &Seated| {
        let kept = kept(&player.letters());
        ids.iter().all(|id| kept.contains(id))
    };
    assert!(has_both(bob));
    // In whatever order, and however often they come.
    for (_, mail) in twins.iter().rev() {
        assert!(bob.reads(mail).contains("nothing new"));
    }
    assert!(has_both(bob));
    for reports in audits(&bob.letters()) {
        assert_eq!((reports.len(), &reports[0]["verdict"]), (1, &"refuted".into()), "{reports:?}");
    }
    // Everything that people read shows as many digits as tell them apart.
    let page = table.path("page.html");
    let audit = bob.run(&["audit", &bob.letters().display().to_string(), "--html", &page], "");
    let page = fs::read_to_string(&page).expect("a page");
    let status = bob.does(&["game", "status"]);
    for text in [out(&audit), page, status] {
        assert!(shown.iter().all(|id| text.contains(id.as_str())), "{shown:?}: {text}");
        assert!(!text.contains(&format!("{})", &ids[0][..8])), "{text}");
    }
    // What is typed may mean either, and is refused with both.
    let typed = |id: &str| ["dispute", "raise", id, "--text", "which of them?", "--yes"].map(str::to_owned);
    let typed_words = typed(&ids[0][..8]);
    let why = bob.is_refused(&typed_words.each_ref().map(String::as_str));
    assert!(why.contains("several letters") && shown.iter().all(|id| why.contains(&format!("{id}  ann"))), "{why}");
    let typed_words = typed(&shown[1]);
    let tried = bob.run(&typed_words.each_ref().map(String::as_str), "");
    assert!(!talk(&tried).contains("several letters"), "{}", talk(&tried));

    // A file that holds another whole letter stays as it is, whatever it is called; a damaged one is made whole.
    let path = |id: &str| {
        let files = fs::read_dir(bob.letters()).expect("letters").map(|entry| entry.expect("a file").path());
        let mut named = files.into_iter().filter(|path| path.to_string_lossy().contains(id));
        named.next().expect("a file")
    };
    fs::write(path(&ids[0]), &twins[1].1).expect("a text");
    fs::write(path(&ids[1]), "lost\n").expect("a text");
    bob.reads(&twins[0].1);
    assert!(has_both(bob));
    bob.reads(&twins[1].1);
    assert!(has_both(bob));
    assert!(!kept(&bob.letters()).is_empty() && bob.run(&["game", "status"], "").status.code() == Some(0));
}

/// The terms of a game that is played stay its terms, whatever else its author proposes.
#[test]
fn two_charters_whose_ids_begin_alike_are_two_games() {
    let table = Match::seated("play-alike-charters");
    let (ann, bob) = (&table.ann, &table.bob);
    let copy = Seated::at(table.dir.join("forger"));
    copy_folder(&ann.home, &copy.home);
    let terms = table.terms(|terms| terms.replace("\"Our campaign\"", &format!("\"{DIGITS}\"")));
    let proposed = copy.signs(&["game", "new", &terms]);
    let charter = opened(&proposed).pop().expect("a charter");
    let twins = twins(&charter, ann.keys().signing(), |body, digits| {
        if let Body::Charter(charter) = body {
            digits.clone_into(&mut charter.title);
        }
    });
    bob.reads(&twins[0].1);
    let game = fs::read_dir(bob.home.join("games")).expect("games").next().expect("a game").expect("a game").path();
    let game = game.file_name().expect("a name").to_string_lossy().into_owned();
    bob.signs(&["game", "accept"]);
    let note = |name: &str| {
        let orders = table.path("orders.txt");
        bob.signs(&["note", "1/3/bob-first/1", name, &orders, "--game", &game]);
    };
    note("first");
    let before = kept(&bob.home.join("games").join(&game).join("letters"));
    let told = bob.reads(&twins[1].1);
    let other = told.lines().find_map(|line| line.strip_prefix("new in ")).expect("a game").trim_end_matches(':');
    assert_ne!(other, game, "{told}");
    bob.reads(&twins[0].1);
    assert_eq!(before, kept(&bob.home.join("games").join(&game).join("letters")));
    assert_eq!(kept(&bob.home.join("games").join(other).join("letters")), [twins[1].0.id().to_string()]);
    note("second");
    let list = bob.run(&["game", "list"], "");
    assert_eq!(list.status.code(), Some(0), "{}", talk(&list));
    assert!(out(&list).lines().count() == 2 && out(&list).contains("waits for you to accept"), "{}", out(&list));
}
