//! Sudden deaths: whenever the process dies, what it has answered is true, and nothing is opened twice.

use std::{
    collections::HashMap,
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use sealed_dice::{
    blob::Hex32,
    office::{answers::Taken, client::Client},
};

use super::{
    service::{FIRST, OTHER, SLOT, letters, seal_of},
    world::{Cluster, Game, Premises, Running, left_out, reveals},
};

/// How often the office dies in a test: `SEALED_DICE_OFFICE_KILLS`, or few times.
fn kills() -> usize {
    std::env::var("SEALED_DICE_OFFICE_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(25)
}

/// How many times as often it dies at most, until a game was played: each of these lives is longer than the one before.
const PATIENCE: usize = 20;
/// Players who compete for the same slots.
const CLIENTS: usize = 8;

/// What clients were told, by game: reveals as bytes, and letters that were taken.
#[derive(Default)]
struct Told {
    reveals: Mutex<HashMap<Hex32, Vec<Vec<u8>>>>,
    taken: Mutex<HashMap<Hex32, Vec<Vec<u8>>>>,
    answers: AtomicUsize,
}

impl Told {
    fn hear(&self, game: Hex32, taken: &Taken) {
        let letters = letters(taken);
        let of = |map: &Mutex<HashMap<Hex32, Vec<Vec<u8>>>>, frames: Vec<Vec<u8>>| {
            map.lock().expect("it").entry(game).or_default().extend(frames);
        };
        of(&self.reveals, reveals(&letters).iter().map(|letter| letter.frame.clone()).collect());
        of(&self.taken, letters.into_iter().map(|letter| letter.frame).collect());
        self.answers.fetch_add(1, Ordering::Relaxed);
    }
}

/// Ends the clients of a test however it ends: they would ask for ever.
struct Ends<'t>(&'t AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One of the lives of an office.
#[derive(Clone, Copy)]
struct Life {
    /// Which one, from 0.
    time: usize,
    /// How much longer it is than the first ones, which were too short for a game on this machine; 0: not at all.
    longer: usize,
}

/// Clients at a running office that somebody kills again and again: each game has two declarations for one slot, and half
/// of the clients want the one, half the other.
fn endures(premises: &Premises, times: usize, before: impl Fn(Life), dies: impl Fn(Life, Running)) {
    let url = Mutex::new(String::new());
    let (over, told, games) = (AtomicBool::new(false), Told::default(), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        let _ends = Ends(&over);
        for client in 0..CLIENTS {
            let (url, over, told, games) = (&url, &over, &told, &games);
            scope.spawn(move || {
                let mut round = 0;
                while !over.load(Ordering::Relaxed) {
                    // Four clients share a game, which any of them may begin.
                    let label = format!("killed {} {round}", client % 2);
                    if let Some(game) = plays(&label, client, premises, url, over, told) {
                        games.lock().expect("it").push(game);
                    }
                    round += 1;
                }
            });
        }
        // How fast a machine is decides nothing: if no game has come to its end by then, the office dies on, and later each time.
        let is_played = || !games.lock().expect("it").is_empty();
        for time in (0..times * PATIENCE).take_while(|time| *time < times || !is_played()) {
            let life = Life { time, longer: time.saturating_sub(times) };
            before(life);
            match premises.try_serve() {
                Ok(office) => {
                    *url.lock().expect("it") = office.url.clone();
                    dies(life, office);
                }
                // It writes before it serves, and has died at that.
                Err(told) => assert!(told.is_empty() && has_a_place_to_die_at(premises), "it serves: {told}"),
            }
        }
    });
    premises.environment.lock().expect("it").retain(|(name, _)| name != "FAILPOINTS");
    let office = premises.serve();
    let client = office.client();
    let games = games.into_inner().expect("it");
    assert!(!games.is_empty(), "somebody played");
    let mut opened = 0;
    for game in &games {
        let held = game.fetched(&client);
        let frames: Vec<&Vec<u8>> = held.iter().map(|letter| &letter.frame).collect();
        let reveals = reveals(&held);
        assert!(reveals.len() <= 1, "opened twice");
        opened += reveals.len();
        for frame in told.taken.lock().expect("it").get(&game.id()).into_iter().flatten() {
            assert!(frames.contains(&frame), "an acknowledged letter is lost");
        }
        for frame in told.reveals.lock().expect("it").get(&game.id()).into_iter().flatten() {
            assert_eq!(frame, &reveals[0].frame, "the winner has changed");
        }
    }
    assert!(opened > 0, "something was opened");
    office.end();
    // A death is not taken for a restore.
    assert!(premises.is_refused(&["office", "epoch"]).contains("nothing was restored"));
    assert!(premises.does(&["office", "check"]).contains("good"));
}

fn has_a_place_to_die_at(premises: &Premises) -> bool {
    premises.environment.lock().expect("it").iter().any(|(name, _)| name == "FAILPOINTS")
}

/// Asks until there is an answer, or the test is over.
fn asks<T>(url: &Mutex<String>, over: &AtomicBool, ask: impl Fn(&Client) -> Option<T>) -> Option<T> {
    while !over.load(Ordering::Relaxed) {
        let now = url.lock().expect("it").clone();
        match (!now.is_empty()).then(|| ask(&Client::new(&now))).flatten() {
            Some(answer) => return Some(answer),
            None => thread::sleep(Duration::from_millis(2)),
        }
    }
    None
}

fn plays(
    label: &str,
    client: usize,
    premises: &Premises,
    url: &Mutex<String>,
    over: &AtomicBool,
    told: &Told,
) -> Option<Game> {
    let mut game = Game::proposed(label, premises.terms());
    let taken = asks(url, over, |client| client.open(&game.charter.armour(), None).ok())?;
    game.take(&taken);
    game.accepted();
    game.sealed(SLOT);
    let leave = |game: &Game, more: &str| {
        let text: String = game.letters.iter().map(|letter| letter.armour() + "\n").collect();
        asks(url, over, |client| client.post(game.id(), &(text.clone() + more), &game.pass()).ok())
    };
    // The receipt, which the declaration must know, came to whoever was first: the others fetch it.
    leave(&game, "")?;
    let held = asks(url, over, |client| client.page(game.id(), 0, &game.pass()).ok())?;
    for placed in &held.letters {
        let taken = Taken { letters: vec![placed.clone()], ..Taken::default() };
        game.take(&taken);
    }
    game.letters.retain(|letter| {
        let head = letter.message.head();
        head.author.as_str() != "ann" || head.number < 2
    });
    game.letters.retain(|letter| reveals(std::slice::from_ref(letter)).is_empty());
    let list: &[(&str, &str)] = if client < CLIENTS / 2 { &FIRST } else { &OTHER };
    let declared = game.declared(SLOT, list, seal_of(&game));
    told.hear(game.id(), &leave(&game, &declared.armour())?);
    Some(game)
}

fn at_random(life: Life, office: Running) {
    // How long it lives is left to chance: the ids of processes and threads are no clock, but a spread.
    let spread = u64::from(office.process()) * 7_919 % 151;
    thread::sleep(Duration::from_millis(30 + spread) * (life.longer as u32 + 1));
    office.kill();
}

#[test]
fn sqlite_survives_sudden_deaths() {
    endures(&Premises::made("office-kills-sqlite", None), kills(), |_| (), at_random);
}

#[test]
fn postgresql_survives_sudden_deaths() {
    let Some(cluster) = Cluster::begin("kills") else { return };
    endures(&Premises::made("office-kills-postgresql", Some(cluster.url())), kills(), |_| (), at_random);
}

/// It dies at each place where that could matter: before and after what is inserted and committed, and before the answer.
#[cfg(feature = "fail-points")]
#[test]
fn no_place_is_a_bad_one_to_die_at() {
    const PLACES: [&str; 5] = ["before-insert", "after-insert", "before-commit", "after-commit", "before-answer"];
    super::service::on_both("places", |premises| {
        let times = PLACES.len() * kills().div_ceil(PLACES.len());
        // What it writes when it starts and every few seconds passes by these places too.
        let place =
            |Life { time, longer }| format!("{}={}*off->return", PLACES[time % PLACES.len()], time % 7 + longer);
        let dies_at = |life| *premises.environment.lock().expect("it") = vec![("FAILPOINTS".into(), place(life))];
        endures(premises, times, dies_at, |_, mut office| {
            assert_eq!(office.ended(), None, "it dies, and does not end");
        });
    });
}

/// The database dies, and not the office: what waits is answered with an error, and goes on when it is back.
#[test]
fn an_office_survives_the_death_of_its_database() {
    let Some(cluster) = Cluster::begin("cut") else { return };
    let premises = Premises::made("office-cut", Some(cluster.url()));
    let dies = |life: Life, office: Running| {
        let while_it_lives = || thread::sleep(Duration::from_millis(200) * (life.longer as u32 + 1));
        for _ in 0..2 {
            while_it_lives();
            cluster.stop();
            cluster.start();
        }
        while_it_lives();
        office.kill();
    };
    endures(&premises, 4, |_| (), dies);
}

/// What makes disks bad; none without a C compiler, which is said.
pub(super) fn shim(name: &str) -> Option<String> {
    let shim = crate::folder(name).join("flush.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&shim)
        .args([concat!(env!("CARGO_MANIFEST_DIR"), "/benches/flush.c"), "-ldl"])
        .status();
    if !built.is_ok_and(|built| built.success()) {
        left_out("there is no C compiler: LEFT OUT, disks that fail");
        return None;
    }
    Some(shim.display().to_string())
}

/// A flush that fails, and a disk that is full: the client hears of an error, the office ends if it cannot know what is on
/// the disk, and what it had answered is true.
#[test]
fn a_bad_disk_is_not_lied_about() {
    let Some(shim) = shim("office-shim") else { return };
    for fault in ["FLUSH_GOOD", "WRITE_GOOD"] {
        // How much a disk does before it fails: less than it takes to serve, and more and more.
        let acknowledged: Vec<usize> =
            [1, 6, 25, 120].into_iter().map(|good| on_a_bad_disk(&shim, fault, good)).collect();
        assert!(acknowledged.iter().any(|letters| *letters > 0), "{fault}: nothing was at stake: {acknowledged:?}");
    }
}

/// An office on a disk that fails after so much; how many letters it had acknowledged by then, all of which are there again.
fn on_a_bad_disk(shim: &str, fault: &str, good: usize) -> usize {
    /// More than any of these disks bears.
    const ROUNDS: usize = 1_000;
    let premises = Premises::made(&format!("office-disk-{fault}-{good}"), None);
    *premises.environment.lock().expect("it") =
        vec![("LD_PRELOAD".into(), shim.into()), (fault.into(), good.to_string())];
    let mut told = Vec::new();
    match premises.try_serve() {
        Ok(mut office) => {
            let client = office.client();
            let failed = (0..ROUNDS).any(|round| {
                let mut game = Game::proposed(&format!("disk {fault} {good} {round}"), premises.terms());
                let Ok(taken) = client.open(&game.charter.armour(), None) else { return true };
                game.take(&taken);
                told.push((game, letters(&taken)));
                let (game, acknowledged) = told.last_mut().expect("it");
                game.accepted();
                game.sealed(SLOT);
                let Ok(taken) = game.leave(&client) else { return true };
                acknowledged.extend(letters(&taken));
                let declared = game.declared(SLOT, &FIRST, seal_of(game));
                let Ok(taken) = client.post(game.id(), &declared.armour(), &game.pass()) else { return true };
                acknowledged.extend(letters(&taken));
                assert_eq!(reveals(acknowledged).len(), 1);
                false
            });
            assert!(failed, "{fault} {good}: no fault came in {ROUNDS} rounds");
            assert!(!office.is_ready(), "{fault} {good}: it goes on as if it could write");
            if fault == "FLUSH_GOOD" {
                assert_eq!(office.ended(), Some(1), "it stops by itself, and says that it failed");
            } else if let Some((game, acknowledged)) = told.iter().rfind(|(_, acknowledged)| acknowledged.len() > 2) {
                let held = game.fetched(&client);
                assert!(acknowledged.iter().any(|letter| held.contains(letter)), "what is there can be read");
            }
        }
        Err(why) => assert!(why.contains("database"), "it says what is wrong: {why}"),
    }
    premises.environment.lock().expect("it").clear();
    let office = premises.serve();
    let client = office.client();
    for (game, acknowledged) in &told {
        let held = game.fetched(&client);
        for letter in acknowledged.iter().filter(|letter| !letter.message.head().is_unnumbered()) {
            assert!(held.contains(letter), "{fault} {good}: an acknowledged letter is lost");
        }
        assert!(reveals(&held).len() <= 1, "opened twice");
    }
    drop(office);
    assert!(premises.does(&["office", "check"]).contains("good"));
    told.iter().map(|(_, acknowledged)| acknowledged.len()).sum()
}
