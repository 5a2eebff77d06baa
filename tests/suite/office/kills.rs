//! Sudden deaths: whenever the process dies, what it has answered is true, and nothing is opened twice.

use std::{
    collections::HashMap,
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
    world::{Cluster, Game, Premises, Running, reveals},
};

/// How often the office dies in a test: `SEALED_DICE_OFFICE_KILLS`, or few times.
fn kills() -> usize {
    std::env::var("SEALED_DICE_OFFICE_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(25)
}

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

/// Clients at a running office that somebody kills again and again: each game has two declarations for one slot, and half
/// of the clients want the one, half the other.
fn endures(premises: &Premises, times: usize, mut dies: impl FnMut(usize, Running)) {
    let url = Mutex::new(String::new());
    let (over, told, games) = (AtomicBool::new(false), Told::default(), Mutex::new(Vec::new()));
    thread::scope(|scope| {
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
        for time in 0..times {
            let office = premises.serve();
            *url.lock().expect("it") = office.url.clone();
            dies(time, office);
        }
        over.store(true, Ordering::Relaxed);
    });
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
    assert!(premises.does(&["office", "check"]).contains("good"));
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
        let taken =
            Taken { letters: vec![placed.clone()], next: 0, refused: Vec::new(), restored: false, waiting: Vec::new() };
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

fn at_random(_: usize, office: Running) {
    // How long it lives is left to chance: the ids of processes and threads are no clock, but a spread.
    let spread = u64::from(office.process()) * 7_919 % 151;
    thread::sleep(Duration::from_millis(30 + spread));
    office.kill();
}

#[test]
fn sqlite_survives_sudden_deaths() {
    endures(&Premises::made("office-kills-sqlite", None), kills(), at_random);
}

#[test]
fn postgresql_survives_sudden_deaths() {
    let Some(cluster) = Cluster::begin("kills") else { return };
    endures(&Premises::made("office-kills-postgresql", Some(cluster.url())), kills(), at_random);
}

/// The database dies, and not the office: what waits is answered with an error, and goes on when it is back.
#[test]
fn an_office_survives_the_death_of_its_database() {
    let Some(cluster) = Cluster::begin("cut") else { return };
    let premises = Premises::made("office-cut", Some(cluster.url()));
    endures(&premises, 4, |_, office| {
        for _ in 0..2 {
            thread::sleep(Duration::from_millis(200));
            cluster.stop();
            cluster.start();
        }
        thread::sleep(Duration::from_millis(200));
        office.kill();
    });
}
