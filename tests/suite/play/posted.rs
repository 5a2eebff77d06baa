//! An office that serves, as two players meet it who type nothing but commands.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use sealed_dice::blob::Hex32;
use serde_json::json;

use super::{Match, Seated, audits, out, program, talk};
use crate::office::world::{Game, Premises, Running, opened};

const FIRST: &str = "1/1/ann-first/1";
/// The exit codes of what an office answers, as README has them.
const AWAY: i32 = 3;
const BUSY: i32 = 4;
const DECLINED: i32 = 5;

/// Two players, and an office whose terms their games name.
struct Posted {
    table: Match,
    premises: Premises,
    office: Running,
}

impl Posted {
    fn seated(name: &str) -> Self {
        let premises = Premises::made(&format!("{name}-office"), None);
        let office = premises.serve();
        Self { table: Match::seated(name), premises, office }
    }

    /// A game that both have joined, and Bob has accepted.
    fn accepted(name: &str) -> Self {
        let game = Self::seated(name);
        propose(&game.table, "Our campaign", &game.office.url);
        signed(&game.table.bob, &["game", "accept"]);
        game
    }

    /// The same, begun, with all that is sealed for the first turn.
    fn begun(name: &str) -> Self {
        let game = Self::accepted(name);
        let (ann, bob) = (&game.table.ann, &game.table.bob);
        bob.does(&["office", "push"]);
        ann.does(&["office", "pull"]);
        signed(ann, &["reply"]);
        ann.does(&["office", "push"]);
        bob.does(&["office", "pull"]);
        game
    }
}

/// Ann proposes a game through an office, and both join it there.
fn propose(table: &Match, title: &str, url: &str) {
    leave_terms(table, title, url);
    table.bob.does(&["office", "join", url]);
}

/// Ann proposes a game, and opens its box.
fn leave_terms(table: &Match, title: &str, url: &str) {
    let card = table.ann.does(&["office", "card", url]);
    let terms = table
        .terms(|text| text.replacen("[opponent]", &format!("{card}\n[opponent]"), 1).replace("Our campaign", title));
    table.ann.signs(&["game", "new", &terms]);
    table.ann.does(&["office", "join", url]);
}

/// A command that signs: what it says beside the mail.
fn signed(player: &Seated, args: &[&str]) -> String {
    let output = player.run(&[args, &["--yes"]].concat(), "");
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", talk(&output));
    assert!(out(&output).contains("BEGIN SEALED DICE MESSAGE"), "the mail is there all the same: {args:?}");
    talk(&output)
}

/// Types the first command that a status names, but for declarations; whether there is one.
fn types(table: &Match, player: &Seated) -> bool {
    let status = player.status();
    let mut commands = status["commands"].as_array().expect("a list").iter().filter_map(|command| command.as_str());
    let Some(command) = commands.find(|command| !command.contains(" declare ")) else { return false };
    let mut words = table.typed(player, command);
    words.push("--yes".into());
    player.does(&words.iter().map(String::as_str).collect::<Vec<_>>());
    true
}

/// From the terms to both closes, each is told what to type next, and nothing that is done already.
#[test]
fn a_game_is_played_by_what_the_status_says() {
    let game = Posted::seated("posted-whole");
    let (table, url) = (&game.table, &game.office.url);
    let (ann, bob) = (&table.ann, &table.bob);
    let card = ann.does(&["office", "card", url]);
    let terms = table.terms(|text| text.replacen("[opponent]", &format!("{card}\n[opponent]"), 1));
    ann.signs(&["game", "new", &terms]);
    assert!(ann.status()["notes"].to_string().contains("office join URL"), "{}", ann.status());
    let joined = ann.does(&["office", "join", url]);
    assert!(joined.contains("office 1: the terms are accepted"), "{joined}");
    assert!(!joined.contains("office push") && !ann.status()["notes"].to_string().contains("join"), "{joined}");
    bob.does(&["office", "join", url]);

    let told = signed(bob, &["game", "accept"]);
    let next = told.lines().last().expect("what to do next");
    assert!(next.contains("leave it at the office:  sealed-dice --home") && next.contains("office push"), "{told}");
    let pushed = bob.does(&["office", "push"]);
    assert!(pushed.contains("are held and match the sealed values"), "{pushed}");
    assert!(!pushed.contains("office push") && pushed.contains("ann seals sheet/1"), "{pushed}");
    let again = signed(bob, &["resend"]);
    assert!(again.contains("the office already has it"), "{again}");
    ann.does(&["office", "pull"]);

    // What waits on this machine the office cannot open, and need not be given up for it.
    let attacks = table.path("ATTACKS.csv");
    signed(ann, &["declare", FIRST, &attacks, "--no-moves"]);
    let status = ann.status()["waits_for"].to_string();
    assert!(status.contains(&format!("opens {FIRST} as soon as you leave the declaration there")), "{status}");
    assert!(!status.contains("dispute stall"), "{status}");
    let opened = ann.does(&["office", "push"]);
    assert!(opened.contains("d6 = ") && !opened.contains("office push"), "{opened}");
    let nothing = ann.does(&["office", "push"]);
    assert_eq!(nothing, "");

    let told = signed(bob, &["game", "close", "--result", "a draw"]);
    assert!(told.contains("office push"), "{told}");
    let mut rounds = 0;
    while [ann, bob].map(|player| types(table, player)).contains(&true) {
        rounds += 1;
        assert!(rounds < 20, "{} {}", ann.status(), bob.status());
        let last = "closed by both players; to send the letters that the others do not have yet:";
        for player in [ann, bob] {
            let (status, told) = (player.status(), player.does(&["game", "status"]));
            let unleft = status["closed"] == true && status["commands"] != json!([]);
            assert_eq!(told.contains(last), unleft, "{told}");
        }
    }
    for player in [ann, bob] {
        assert!(player.does(&["game", "status"]).contains("closed by both players\n"), "{}", player.status());
        let [ours, theirs] = audits(&player.letters());
        assert_eq!(ours, theirs);
        assert_eq!((&ours[0]["verdict"], &ours[0]["complete"]), (&json!("verified"), &json!(true)), "{ours:?}");
    }
}

/// Stands between players and an office, one request a connection, and breaks the one off that asks for the `n`th page.
fn broken_at(url: &str, n: usize) -> String {
    between(url, n, &Arc::default())
}

/// The same, counting requests.
fn between(url: &str, broken: usize, count: &Arc<AtomicUsize>) -> String {
    let count = Arc::clone(count);
    let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
    let between = format!("http://{}", listener.local_addr().expect("an address"));
    let office = url.trim_start_matches("http://").to_owned();
    std::thread::spawn(move || {
        let mut pages = 0;
        for player in listener.incoming() {
            let mut player = BufReader::new(player.expect("a player"));
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && player.read_line(&mut head).is_ok_and(|read| read > 0) {}
            count.fetch_add(1, Ordering::SeqCst);
            pages += usize::from(head.contains("/letters?"));
            if head.contains("/letters?") && pages == broken {
                continue;
            }
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
            let mut body = vec![0; length.unwrap_or(0)];
            player.read_exact(&mut body).expect("a text");
            let mut far = TcpStream::connect(&office).expect("an office");
            far.write_all(head.replacen("\r\n", "\r\nconnection: close\r\n", 1).as_bytes()).expect("asked");
            far.write_all(&body).expect("asked");
            let mut answer = Vec::new();
            far.read_to_end(&mut answer).expect("an answer");
            player.get_mut().write_all(&answer).expect("told");
        }
    });
    between
}

/// Who fetches two games, and gets one before the office is gone, has that one, joined, and fetches the other later.
#[test]
fn a_game_that_was_fetched_before_the_office_went_away_is_joined() {
    let Posted { table, premises: _premises, office } = Posted::seated("posted-gone");
    let bob = &table.bob;
    for title in ["Our campaign", "The rematch"] {
        leave_terms(&table, title, &office.url);
    }
    let url = broken_at(&office.url, 2);
    let broken = bob.run(&["office", "join", &url], "");
    assert_eq!(broken.status.code(), Some(AWAY), "{}", talk(&broken));
    assert!(
        out(&broken).contains("new in ") && talk(&broken).contains("the office cannot be reached"),
        "{}",
        talk(&broken)
    );
    let games = fs::read_dir(bob.home.join("games")).expect("games").count();
    assert_eq!(games, 1);
    bob.does(&["office", "pull"]);
    bob.does(&["office", "join", &url]);
    assert_eq!(fs::read_dir(bob.home.join("games")).expect("games").count(), 2);
    // He has accepted neither: each is asked for where it is named, and nowhere else.
    let unnamed = bob.run(&["office", "pull"], "");
    for name in ["our-campaign", "the-rematch"] {
        assert!(talk(&unnamed).contains(&format!("--game {name}: ")), "{}", talk(&unnamed));
        bob.does(&["office", "pull", "--game", name]);
    }
}

/// With two games at two offices, one of which is away, the other game goes on.
#[test]
fn all_games_are_done_in_one_go() {
    let game = Posted::accepted("posted-all");
    let (ann, bob) = (&game.table.ann, &game.table.bob);
    let other = Premises::made("posted-all-other", None);
    let other = other.serve();
    propose(&game.table, "The rematch", &other.url);
    signed(bob, &["game", "accept", "--game", "the-rematch"]);
    let pushed = bob.run(&["office", "push"], "");
    assert_eq!(pushed.status.code(), Some(0), "{}", talk(&pushed));
    for name in ["our-campaign", "the-rematch"] {
        let told = talk(&pushed);
        let own = told.split(&format!("{name}:\n")).nth(1).unwrap_or_else(|| panic!("{name}: {told}"));
        let line = own.lines().next().expect("a line");
        assert!(line.contains("left 5 letters at the office"), "{told}");
        assert!(out(&pushed).contains(&format!("new in {name}:")), "{}", out(&pushed));
    }

    game.office.kill();
    let one = ann.run(&["office", "pull", "--game", "our-campaign"], "");
    assert_eq!((one.status.code(), out(&one).as_str()), (Some(AWAY), ""), "{}", talk(&one));
    let all = ann.run(&["office", "pull"], "");
    assert_eq!(all.status.code(), Some(AWAY), "{}", talk(&all));
    assert!(
        talk(&all).contains("our-campaign:\n") && talk(&all).contains("the office cannot be reached"),
        "{}",
        talk(&all)
    );
    assert!(out(&all).contains("new in the-rematch:"), "{}{}", out(&all), talk(&all));

    let mut watch = program(&ann.home, &ann.machine);
    let watch = watch.args(["office", "watch", "--once"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    signed(bob, &["seal", "sheet", "--game", "the-rematch"]);
    bob.does(&["office", "push", "--game", "the-rematch"]);
    let watched = watch.expect("it runs").wait_with_output().expect("it ends");
    assert_eq!(watched.status.code(), Some(0), "{}", talk(&watched));
    assert!(out(&watched).contains("new in the-rematch:\n  bob 6: a sealed sheet"), "{}", out(&watched));
}

/// Its database was put back by hand, and its machine remembers nothing: the programs of its players show it what it signed.
#[test]
fn a_push_shows_the_office_what_it_has_forgotten() {
    let Posted { table, premises, office } = Posted::begun("posted-forgot");
    let (ann, bob) = (&table.ann, &table.bob);
    let address = office.url.trim_start_matches("http://").to_owned();
    premises.environment.lock().expect("it").push(("SEALED_DICE_OFFICE_LISTEN".into(), address));
    assert_eq!(office.end(), Some(0));
    let kept = premises.keeps();
    let office = premises.serve();
    signed(ann, &["declare", FIRST, &table.path("ATTACKS.csv"), "--no-moves"]);
    assert!(ann.does(&["office", "push"]).contains("d6 = "));
    bob.does(&["office", "pull"]);
    assert_eq!(office.end(), Some(0));
    premises.puts_back(&kept);
    fs::remove_file(premises.home.join("office.witness")).expect("it was there");
    premises.does(&["office", "trust"]);

    let office = premises.serve();
    assert_eq!(office.readiness(), (200, "ready\n".into()), "nobody can know yet");
    // Bob has nothing new to leave; who only reads is told that letters are gone.
    let pulled = talk(&ann.run(&["office", "pull"], ""));
    assert!(pulled.contains("has lost letters"), "{pulled}");
    let pushed = talk(&bob.run(&["office", "push"], ""));
    assert!(pushed.contains("signs nothing until its operator declares an epoch"), "{pushed}");
    assert!(office.readiness().1.contains("HAS FORGOTTEN"));
}

/// An office that has lost everything, and serves again at the same address.
#[test]
fn a_box_that_is_gone_is_opened_again() {
    let game = Posted::begun("posted-gone");
    let Posted { table, premises, office } = game;
    let url = office.url.clone();
    let address = url.trim_start_matches("http://").to_owned();
    office.kill();
    for entry in fs::read_dir(&premises.home).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.file_name().is_some_and(|name| name != "key.txt") && path.is_file() {
            fs::remove_file(path).expect("a file");
        }
    }
    premises.does(&["office", "init"]);
    premises.environment.lock().expect("it").push(("SEALED_DICE_OFFICE_LISTEN".into(), address));
    let office = premises.serve();
    let declined = |args: &[&str]| {
        let output = table.ann.run(args, "");
        assert_eq!((output.status.code(), out(&output).as_str()), (Some(DECLINED), ""), "{}", talk(&output));
        talk(&output)
    };
    let join = format!("office join {url} --game our-campaign");
    for verb in ["pull", "push"] {
        let refused = declined(&["office", verb]);
        assert!(refused.contains(&join), "{refused}");
    }
    let typed: Vec<&str> = join.split(' ').collect();
    let joined = table.ann.run(&typed, "");
    assert_eq!(joined.status.code(), Some(0), "{}", talk(&joined));
    assert_eq!(table.ann.does(&["office", "push"]), "");
    let found = table.bob.does(&["office", "push"]);
    assert!(!found.contains("office push"), "{found}");
    // It has found that it has forgotten what it signed.
    premises.is_refused(&["office", "epoch"]);
    assert!(office.readiness().1.contains("HAS FORGOTTEN"));
}

/// Strangers open boxes that name Bob's key: what he types without --game asks for his own game and no other, and a join looks
/// at a few.
#[test]
fn boxes_of_strangers_cost_no_requests() {
    const STRANGERS: usize = 20;
    let Posted { table, premises, office } = Posted::seated("posted-strangers");
    let (ann, bob) = (&table.ann, &table.bob);
    let key = Hex32::parse(bob.public()["public"].as_str().expect("a key")).expect("a key");
    for n in 0..STRANGERS {
        let named = |charter: &mut sealed_dice::blob::body::Charter| charter.parties[1].key = key;
        let mut game = Game::proposed_with(&format!("a stranger's {n}"), premises.terms(), named);
        game.open(&office.client()).expect("a box");
    }
    leave_terms(&table, "Our campaign", &office.url);
    let count = Arc::<AtomicUsize>::default();
    let url = between(&office.url, 0, &count);
    let asked = |args: &[&str]| {
        let before = count.load(Ordering::SeqCst);
        let output = bob.run(args, "");
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}{}", out(&output), talk(&output));
        (count.load(Ordering::SeqCst) - before, talk(&output))
    };
    let (joining, told) = asked(&["office", "join", &url]);
    assert!(joining <= 2 + 16 && told.contains("office join") && told.contains("--keep ID"), "{joining}: {told}");
    let terms = ann.does(&["game", "list"]);
    let id = terms.split("(terms ").nth(1).and_then(|rest| rest.split(')').next()).expect("an id").to_owned();
    let (keeping, _) = asked(&["office", "join", &url, "--keep", &id]);
    assert!(keeping <= 3, "{keeping}");
    let listed = bob.does(&["game", "list"]);
    let own = listed.lines().find(|line| line.contains(&id)).unwrap_or_else(|| panic!("{id}: {listed}"));
    let name = own.split(':').next().expect("a name");
    signed(bob, &["game", "accept", "--game", name]);
    let (pushing, _) = asked(&["office", "push"]);
    assert!(pushing <= 5, "{pushing}");
    let (pulling, _) = asked(&["office", "pull"]);
    assert_eq!(pulling, 1, "one page of one game");
}

/// Ann's share of the box is full: her push says so, her declaration goes by mail, and what the others leave still comes.
#[test]
fn a_full_share_is_told_and_mail_goes_on() {
    let Posted { table, premises, office } = Posted::begun("posted-full");
    let (ann, bob) = (&table.ann, &table.bob);
    let pushed = bob.run(&["office", "push"], "");
    assert_eq!(pushed.status.code(), Some(0));
    let address = office.url.trim_start_matches("http://").to_owned();
    assert_eq!(office.end(), Some(0));
    let set = |name: &str, value: &str| (format!("SEALED_DICE_OFFICE_{name}"), value.to_owned());
    premises.environment.lock().expect("it").extend([set("LISTEN", &address), set("AUTHOR_BYTES", "8192")]);
    let office = premises.serve();
    let declared = ann.run(&["declare", FIRST, &table.path("ATTACKS.csv"), "--no-moves", "--office", "--yes"], "");
    assert_eq!(declared.status.code(), Some(0), "{}", talk(&declared));
    assert!(out(&declared).contains("BEGIN SEALED DICE MESSAGE"), "the mail: {}", out(&declared));
    assert!(talk(&declared).contains("your share of this game's box at the office is full"), "{}", talk(&declared));
    let pushed = ann.run(&["office", "push"], "");
    assert_eq!(pushed.status.code(), Some(DECLINED), "{}", talk(&pushed));
    let status = ann.status();
    assert!(status["notes"].to_string().contains("share of this game's box at the office is full"), "{status}");
    assert!(!status["commands"].to_string().contains("office push"), "{status}");
    assert!(status["waits_for"].to_string().contains("dispute stall"), "the office will never have it: {status}");
    ann.does(&["office", "pull"]);
    // With more room it is left, and opened.
    assert_eq!(office.end(), Some(0));
    premises.environment.lock().expect("it").pop();
    let _office = premises.serve();
    let opened = ann.run(&["office", "push"], "");
    assert_eq!(opened.status.code(), Some(0), "{}", talk(&opened));
    assert!(out(&opened).contains("d6 = ") && talk(&opened).contains("% of your share"), "{}", talk(&opened));
}

/// An office that asks for patience: an exit code of its own, and when to try again.
#[test]
fn an_office_that_is_asked_too_much_is_busy() {
    let Posted { table, premises, office } = Posted::begun("posted-busy");
    let address = office.url.trim_start_matches("http://").to_owned();
    assert_eq!(office.end(), Some(0));
    let set = |name: &str, value: &str| (format!("SEALED_DICE_OFFICE_{name}"), value.to_owned());
    let limits = [set("LISTEN", &address), set("REQUESTS_A_SECOND", "1"), set("BURST", "1")];
    premises.environment.lock().expect("it").extend(limits);
    let office = premises.serve();
    while office.client().card().is_ok() {}
    let busy = table.ann.run(&["office", "pull"], "");
    assert_eq!(busy.status.code(), Some(BUSY), "{}", talk(&busy));
    assert!(talk(&busy).contains("try again"), "{}", talk(&busy));
}

/// Letters that wait at the office for one that is missing are told once, not one by one.
#[test]
fn letters_that_wait_are_told_once() {
    let Posted { table, premises: _premises, office: _office } = Posted::begun("posted-waits");
    let (ann, bob) = (&table.ann, &table.bob);
    let about = ann.replay(|ledger, _| ledger.game).to_string();
    let mails: Vec<String> = (0..3).map(|_| bob.signs(&["dispute", "raise", &about, "--text", "a doubt"])).collect();
    mails.iter().for_each(|mail| drop(ann.reads(mail)));
    let lost =
        opened(&mails[0]).into_iter().map(|letter| letter.message.id().to_string()).next_back().expect("a letter");
    let files = fs::read_dir(ann.letters()).expect("a folder").map(|entry| entry.expect("an entry").path());
    let file = files.into_iter().find(|path| path.display().to_string().contains(&lost)).expect("its file");
    fs::remove_file(file).expect("a file");
    let pushed = ann.run(&["office", "push"], "");
    let told = talk(&pushed);
    let lines: Vec<&str> =
        told.lines().filter(|line| line.contains("at the office for letters that the office does not have")).collect();
    assert!(matches!(lines[..], [line] if line.contains("from bob and 1 more wait")), "{told}");
}
