//! What the service takes, opens, refuses and tells, over HTTP, on both stores.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    sync::mpsc,
    thread,
};

use sealed_dice::{
    blob::{Hex32, Kind, body::Revealer},
    game::steps::Letter,
    office::{
        answers::Taken,
        client::{Away, Client},
        pass::Pass,
    },
};
use serde_json::Value;

use super::world::{Cluster, Game, Premises, audited, got, now, opened, reveals};
use crate::kit::{self, bytes, role};

/// The example's list, which opens envelope 2 of five.
pub(super) const FIRST: [(&str, &str); 3] = [("F12", "3-1"), ("G13", "5-1"), ("I11", "1-4")];
/// A list that opens another.
pub(super) const OTHER: [(&str, &str); 1] = [("F12", "3-1")];
pub(super) const SLOT: &str = "1/1/ann-first/1";

/// Runs on an office with SQLite and, where that is installed, on one with PostgreSQL.
pub(super) fn on_both(name: &str, test: impl Fn(&Premises)) {
    test(&Premises::made(&format!("office-{name}-sqlite"), None));
    if let Some(cluster) = Cluster::begin(name) {
        test(&Premises::made(&format!("office-{name}-postgresql"), Some(cluster.url())));
    }
}

pub(super) fn seal_of(game: &Game) -> Hex32 {
    let seal = game.letters.iter().find(|letter| letter.message.head().kind == Kind::Seal);
    seal.expect("a seal").message.id()
}

pub(super) fn posted(game: &Game, client: &Client, letters: &[&Letter]) -> Taken {
    let text: String = letters.iter().map(|letter| letter.armour() + "\n").collect();
    client.post(game.id(), &text, &game.pass()).expect("taken")
}

/// The letters of an answer.
pub(super) fn letters(taken: &Taken) -> Vec<Letter> {
    taken.letters.iter().flat_map(|placed| opened(&placed.letter)).collect()
}

/// The code of a problem.
pub(super) fn refusal<T>(answer: Result<T, Away>) -> String {
    match answer.err().expect("refused") {
        Away::Refused(code, _) => code,
        Away::Unreached(why) => panic!("{why}"),
    }
}

#[test]
fn a_declaration_is_opened_once_and_a_second_one_is_evidence() {
    on_both("once", |premises| {
        let office = premises.serve();
        let client = office.client();
        let mut game = Game::begun("once", premises, &client);
        let (first, second) =
            (game.declared(SLOT, &FIRST, seal_of(&game)), game.declared(SLOT, &OTHER, seal_of(&game)));
        assert_eq!(first.message.head().number, second.message.head().number);
        let taken = posted(&game, &client, &[&first]);
        let opened_by = letters(&taken);
        let [reveal] = reveals(&opened_by)[..] else { panic!("one reveal: {taken:?}") };

        // The same again: the same bytes. So it is for whoever fetches them.
        let again = letters(&posted(&game, &client, &[&first]));
        assert_eq!(reveals(&again), [reveal]);
        let everything = game.fetched(&client);
        assert_eq!(reveals(&everything), [reveal]);

        // Another declaration in its place: no reveal, and both signed texts.
        let taken = posted(&game, &client, &[&second]);
        assert!(reveals(&letters(&taken)).is_empty());
        let [waiting] = &taken.waiting[..] else { panic!("one reason: {taken:?}") };
        assert_eq!((waiting.code.as_str(), waiting.declaration.clone()), ("fork", second.message.id().to_string()));
        let quoted: Vec<Letter> = waiting.quoted.iter().flat_map(|text| opened(text)).collect();
        let mut both = [first.message.id(), second.message.id()];
        both.sort_unstable();
        assert_eq!(quoted.iter().map(|letter| letter.message.id()).collect::<Vec<_>>(), both);
        game.take(&taken);

        // Which anybody can check.
        let held = game.fetched(&client);
        let report = audited(held.iter().chain(&quoted));
        assert_eq!(report["verdict"], "refuted", "{report}");
        assert_eq!(report["findings"][0]["culprit"], "ann", "{report}");

        // An index that is spent: the same envelope for another slot's sake is a breach, and nothing is void.
        let spent = posted(&game, &client, &[&second]);
        assert_eq!(spent.waiting.len(), 1);
        assert_eq!(reveals(&game.fetched(&client)).len(), 1);
    });
}

#[test]
fn what_it_does_not_open_it_says_why_not() {
    let premises = Premises::made("office-waiting", None);
    let office = premises.serve();
    let client = office.client();
    let mut game = Game::proposed("waiting", premises.terms());
    game.open(&client).expect("a box");
    game.accepted();
    let seal = game.sealed(SLOT);
    let declared = game.declared(SLOT, &FIRST, seal);
    // What it rests on is not there.
    let accept =
        game.letters.iter().find(|letter| letter.message.head().author == role("bob")).expect("an accept").clone();
    let taken = posted(&game, &client, &[&accept, &declared]);
    assert_eq!(taken.waiting[0].code, "missing", "{taken:?}");
    assert_eq!(taken.waiting[0].letters, [seal.to_string()]);
    // It comes, with its deposit: what the office holds it opens, although the declaration did not know that.
    game.leave(&client).expect("taken");
    assert_eq!(reveals(&letters(&posted(&game, &client, &[&declared]))).len(), 1);

    // What its sealer is to open, and what breaks a rule.
    let mut game = Game::proposed_with("by its sealer", premises.terms(), |charter| {
        charter.phases[0].revealer = Revealer::Sealer;
    });
    game.open(&client).expect("a box");
    game.accepted();
    let seal = game.sealed(SLOT);
    game.leave(&client).expect("taken");
    let declared = game.declared(SLOT, &FIRST, seal);
    let taken = posted(&game, &client, &[&declared]);
    assert_eq!(taken.waiting.first().map(|waiting| waiting.code.as_str()), Some("elsewhere"), "{taken:?}");
    game.letters.push(declared.clone());
    let again = game.again(&declared);
    let taken = posted(&game, &client, &[&again]);
    let [waiting] = &taken.waiting[..] else { panic!("one reason: {taken:?}") };
    assert_eq!(waiting.code, "spent", "{waiting:?}");
    assert_eq!(waiting.letters, [declared.message.id().to_string(), again.message.id().to_string()]);
    assert!(reveals(&game.fetched(&client)).is_empty());
}

#[test]
fn nobody_reads_without_a_pass_and_outsiders_learn_nothing() {
    let premises = Premises::made("office-passes", None);
    let office = premises.serve();
    let client = office.client();
    let game = Game::begun("passes", &premises, &client);
    let stranger = kit::key("a stranger");
    let key = premises.public();
    let pass = |until: u64, office: Hex32| Pass::sign(office, until, &stranger).expect("a pass");
    let nobodys = bytes("nobody's game");
    assert_eq!(refusal(client.page(game.id(), 0, "Bearer x")), "pass");
    assert_eq!(refusal(client.page(game.id(), 0, &pass(now() - 5, key))), "pass");
    assert_eq!(refusal(client.page(game.id(), 0, &pass(now() + 90_000, key))), "pass");
    assert_eq!(refusal(client.page(game.id(), 0, &pass(now() + 50, bytes("another office")))), "pass");
    for id in [game.id(), nobodys] {
        assert_eq!(refusal(client.page(id, 0, &pass(now() + 50, key))), "no-such-box");
        assert_eq!(refusal(client.events(id, 0, &pass(now() + 50, key)).map(|_| ())), "no-such-box");
    }
    assert!(client.boxes(None, &pass(now() + 50, key)).expect("none").games.is_empty());
    assert_eq!(client.boxes(None, &game.pass()).expect("one").games[0].game, game.id().to_string());

    // What a stranger leaves is answered alike, whether there is a box or not.
    let foreign = Game::proposed("another game", premises.terms()).charter;
    let raw = |id: Hex32, body: &str| {
        let text = format!(
            "POST /v1/games/{id}/letters HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(office.url.trim_start_matches("http://")).expect("a connection");
        stream.write_all(text.as_bytes()).expect("written");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer.lines().filter(|line| !line.starts_with("date:")).map(|line| format!("{line}\n")).collect::<String>()
    };
    let damaged = foreign.armour().replacen('B', "D", 3);
    for body in ["", "no letter", &foreign.armour(), &damaged, &format!("{damaged}\n{}", foreign.armour())] {
        assert_eq!(raw(game.id(), body), raw(nobodys, body), "{body}");
    }
    // Whoever has a letter of the box may leave it; what else is there he does not learn.
    let known = game.letters.iter().find(|letter| letter.message.head().kind == Kind::Seal).expect("a seal");
    let told = raw(game.id(), &known.armour());
    assert!(
        told.starts_with("HTTP/1.1 200") && told.contains("\"letters\":[]") && told.contains("\"next\":0"),
        "{told}"
    );
}

/// Anybody may open boxes that name a key: the list of them comes in pages, each box once.
#[test]
fn boxes_are_listed_a_page_at_a_time() {
    let premises = Premises::made("office-boxes", None);
    let office = premises.serve();
    let client = office.client();
    let mut games: Vec<Game> = (0..300).map(|n| Game::proposed(&format!("box {n}"), premises.terms())).collect();
    games.iter_mut().for_each(|game| drop(game.open(&client).expect("a box")));
    let pass = games[0].pass();
    let (mut listed, mut pages, mut after) = (Vec::new(), Vec::new(), None);
    loop {
        let page = client.boxes(after, &pass).expect("a page");
        pages.push(page.games.len());
        listed.extend(page.games.iter().map(|own| own.game.clone()));
        after = listed.last().and_then(|last| Hex32::parse(last));
        if !page.more {
            break;
        }
    }
    assert_eq!(pages, [256, 44]);
    let mut opened: Vec<String> = games.iter().map(|game| game.id().to_string()).collect();
    opened.sort_unstable();
    assert_eq!(listed, opened);
    let asked = ureq::get(format!("{}/v1/games?after=00", office.url)).header("authorization", &pass).call();
    assert!(matches!(asked, Err(ureq::Error::StatusCode(400))), "{asked:?}");
}

#[test]
fn streams_resume_and_end_with_the_service() {
    let premises = Premises::made("office-streams", None);
    let office = premises.serve();
    let client = office.client();
    let game = Game::begun("streams", &premises, &client);
    let before = game.fetched(&client).len();
    let mut events = client.events(game.id(), 0, &game.pass()).expect("a stream");
    let read: Vec<u64> = events.by_ref().take(before).map(|placed| placed.position).collect();
    assert!(read.windows(2).all(|two| two[0] < two[1]), "{read:?}");
    let last = *read.last().expect("letters");
    let (told, heard) = mpsc::channel();
    let mut resumed = client.events(game.id(), last, &game.pass()).expect("a stream");
    let waits = thread::spawn(move || {
        told.send(resumed.next().expect("a letter")).expect("heard");
        resumed.count()
    });
    let declared = game.declared(SLOT, &FIRST, seal_of(&game));
    posted(&game, &client, &[&declared]);
    let first = heard.recv().expect("a letter");
    assert!(first.position > last);
    assert_eq!(opened(&first.letter)[0].message.id(), declared.message.id());
    // With streams open it ends, and well.
    assert_eq!(office.end(), Some(0));
    assert_eq!(waits.join().expect("it ends"), 1, "the reveal, and the end");
    assert_eq!(events.count(), 2);
}

#[test]
fn what_was_answered_survives_and_a_restored_office_waits_for_its_epoch() {
    let premises = Premises::made("office-restored", None);
    let office = premises.serve();
    let client = office.client();
    let mut game = Game::begun("restored", &premises, &client);
    let copy = premises.home.join("copy.db");
    premises.does(&["office", "backup", copy.to_str().expect("a path")]);
    let declared = game.declared(SLOT, &FIRST, seal_of(&game));
    game.take(&posted(&game, &client, &[&declared]));
    let before = game.fetched(&client);
    assert_eq!(reveals(&before).len(), 1);
    office.kill();

    // A power cut loses nothing that was answered.
    let office = premises.serve();
    assert_eq!(game.fetched(&office.client()), before);
    let busy = premises.try_serve().err().expect("refused");
    assert!(busy.contains("another office is using this database"), "{busy}");
    assert!(premises.is_refused(&["office", "check"]).contains("another office"));
    assert!(premises.is_refused(&["office", "epoch"]).contains("another office"));
    assert_eq!(office.end(), Some(0));
    assert!(premises.does(&["office", "check"]).contains("good: 1 box, "));
    assert!(premises.is_refused(&["office", "epoch"]).contains("nothing was restored"));

    // The disk is lost, and the copy is older than the reveal.
    let there = premises.is_refused(&["office", "restore", copy.to_str().expect("a path")]);
    assert!(there.contains("it knows more than a copy"), "{there}");
    for end in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(premises.home.join(format!("office.db{end}")));
    }
    let missing = premises.try_serve().err().expect("refused");
    assert!(missing.contains("office init"), "no silent fresh database: {missing}");
    premises.does(&["office", "restore", copy.to_str().expect("a path")]);
    let office = premises.serve();
    let client = office.client();
    // Ann tries her luck with another list: nothing is opened, whatever she leaves.
    let other = game.declared(SLOT, &OTHER, seal_of(&game));
    let taken = posted(&game, &client, &[&other]);
    assert!(taken.restored && reveals(&letters(&taken)).is_empty(), "{taken:?}");
    // New games are not accepted into use either: their deposits are not confirmed.
    let mut late = Game::proposed("late", premises.terms());
    late.open(&client).expect("a box");
    late.accepted();
    late.sealed(SLOT);
    assert!(late.leave(&client).expect("taken").restored);
    office.end();

    premises.does(&["office", "epoch"]);
    let office = premises.serve();
    let client = office.client();
    // Bob has her declaration and its reveal, and leaves them: the office goes on behind its own lost letter.
    let taken = game.leave(&client).expect("taken");
    let epoch =
        letters(&taken).into_iter().rfind(|letter| letter.message.head().author == role("dora")).expect("an epoch");
    let lost = reveals(&before)[0].message.id();
    assert_eq!(epoch.message.head().prev, Some(lost), "behind the letter that it had forgotten");
    let again = posted(&game, &client, &[&other]);
    assert!(reveals(&letters(&again)).is_empty(), "{again:?}");
    assert_eq!(reveals(&game.fetched(&client)).len(), 1);
    assert!(!late.leave(&client).expect("taken").restored);
}

#[test]
fn the_operator_is_told_what_is_wrong() {
    let premises = Premises::made("office-operator", None);
    assert!(premises.does(&["office", "serve", "--check-config"]).contains("the settings are valid"));
    let again = premises.is_refused(&["office", "init", "--no-passphrase"]);
    assert!(again.contains("already exists"), "{again}");
    // Another office's key does not serve this database.
    let other = Premises::made("office-operator-other", None);
    for end in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(other.home.join(format!("office.db{end}")));
    }
    premises.does(&["office", "backup", other.home.join("office.db").to_str().expect("a path")]);
    let refused = other.try_serve().err().expect("refused");
    assert!(refused.contains("another office's"), "{refused}");
    let refused = other.is_refused(&["office", "serve", "--check-config"]);
    assert!(refused.contains("another office's"), "{refused}");
    fs::write(premises.home.join("office.toml"), "streems = 5\n").expect("a file");
    let refused = premises.is_refused(&["office", "serve", "--check-config"]);
    assert!(refused.contains("streems") && refused.contains("line 1"), "{refused}");
    fs::write(premises.home.join("office.toml"), "").expect("a file");

    let office = premises.serve();
    for (path, told) in [("/healthz", "alive"), ("/readyz", "ready")] {
        let (status, text) = got(&format!("{}{path}", office.operations));
        assert_eq!((status, text.trim()), (200, told));
    }
    let (status, text) = got(&format!("{}/v1/nothing", office.url));
    let problem: Value = serde_json::from_str(&text).expect("a problem");
    assert_eq!((status, &problem["status"]), (404, &Value::from(404)));
    got(&format!("{}/v1/office", office.url));
    let (_, metrics) = got(&format!("{}/metrics", office.operations));
    assert!(metrics.contains("sealed_dice_requests_total{path=\"/v1/office\",status=\"200\"} 1"), "{metrics}");
    let (status, _) = got(&format!("{}/metrics", office.url));
    assert_eq!(status, 404, "not for players");
}

#[test]
fn an_invitation_can_be_asked_for_and_clients_are_counted() {
    let premises = Premises::made("office-invites", None);
    fs::write(
        premises.home.join("office.toml"),
        "invitations = [\"the old mill\"]\nauthor_bytes = 60000\nbody_bytes = 9000\n",
    )
    .expect("a file");
    premises.environment.lock().expect("it").extend(
        [("SEALED_DICE_OFFICE_REQUESTS_A_SECOND", "1"), ("SEALED_DICE_OFFICE_BURST", "30")]
            .map(|(name, value)| (name.to_owned(), value.to_owned())),
    );
    let office = premises.serve();
    let client = office.client();
    let game = Game::proposed("invited", premises.terms());
    for word in [None, Some("the new mill"), Some("")] {
        assert_eq!(refusal(client.open(&game.charter.armour(), word)), "invitation");
    }
    assert_eq!(client.open(&game.charter.armour(), Some("the old mill")).expect("a box").letters.len(), 2);
    assert_eq!(refusal(client.post(game.id(), &"x".repeat(9_001), &game.pass())), "too-large");
    let mut foreign = premises.terms();
    foreign.deposit.as_mut().expect("a key").key = bytes("no key");
    let refused = Game::proposed("foreign", foreign);
    assert_eq!(refusal(client.open(&refused.charter.armour(), Some("the old mill"))), "bad-request");
    let answers: Vec<String> =
        (0..40).filter_map(|_| client.card().err()).map(|away| refusal::<()>(Err(away))).collect();
    assert!(!answers.is_empty() && answers.iter().all(|code| code == "too-many"), "{answers:?}");
}

/// What an office hands back it opens no more, whether it serves or answers by mail (`play::office`).
#[test]
fn a_set_that_is_handed_back_is_its_sealers() {
    let premises = Premises::made("office-hand-back", None);
    let office = premises.serve();
    let mut game = Game::begun("hand-back", &premises, &office.client());
    let id = game.id().to_string();
    let busy = premises.is_refused(&["office", "hand-back", SLOT, "--charter", &id]);
    assert!(busy.contains("another office is using this database"), "{busy}");
    office.end();
    let none = premises.is_refused(&["office", "hand-back", "sheet/1", "--charter", &id]);
    assert!(none.contains("does not hold a set for sheet/1"), "{none}");
    let stranger = premises.is_refused(&["office", "hand-back", SLOT, "--charter", &bytes("no game").to_string()]);
    assert!(stranger.contains("does not have a box for this charter"), "{stranger}");
    let told = premises.does(&["office", "hand-back", SLOT, "--charter", &id]);
    assert!(told.contains("handed back") && told.contains("BEGIN SEALED DICE"), "{told}");
    let office = premises.serve();
    let client = office.client();
    game.letters = game.fetched(&client);
    let declared = game.declared(SLOT, &FIRST, seal_of(&game));
    let taken = posted(&game, &client, &[&declared]);
    assert_eq!(taken.waiting.first().map(|waiting| waiting.code.as_str()), Some("elsewhere"), "{taken:?}");
    assert!(reveals(&game.fetched(&client)).is_empty());
}
