//! Who waits for whom, and what there is no room for.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

use async_trait::async_trait;
use sealed_dice::{
    blob::Hex32,
    office::{
        config::Config,
        serve::{self, Service},
        store::{AnyStore, Append, Appended, Owner, Row, Stand, Store, Stored},
    },
};
use serde_json::Value;
use tokio::sync::{Semaphore, oneshot};

use super::{
    service::{FIRST, SLOT, letters, on_both, posted, refusal, seal_of},
    world::{Cluster, Game, Premises, reveals, sent},
};

/// Where a store is slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slow {
    Look,
    Write,
}

/// A store that does nothing for some boxes before it is let go on.
struct Slowly {
    store: AnyStore,
    boxes: Mutex<HashSet<Hex32>>,
    at: Slow,
    /// Hears of each step that waits.
    waits: mpsc::Sender<Hex32>,
    gate: Semaphore,
}

impl Slowly {
    async fn may_wait(&self, at: Slow, game: Hex32) {
        let waits = self.at == at && self.boxes.lock().expect("it").contains(&game);
        if waits && self.gate.available_permits() == 0 {
            self.waits.send(game).expect("the test is there");
            let _ = self.gate.acquire().await.expect("a gate");
        }
    }
}

#[async_trait]
impl Store for Slowly {
    async fn open(&self, game: Hex32) -> Stored<()> {
        self.store.open(game).await
    }
    async fn stand(&self, game: Hex32) -> Stored<Option<Stand>> {
        self.may_wait(Slow::Look, game).await;
        self.store.stand(game).await
    }
    async fn append(&self, append: Append) -> Stored<Appended> {
        self.may_wait(Slow::Write, append.game).await;
        self.store.append(append).await
    }
    async fn letters(&self, game: Hex32, after: u64, bytes: u64) -> Stored<Vec<Row>> {
        self.store.letters(game, after, bytes).await
    }
    async fn may_read(&self, game: Hex32, key: Hex32) -> Stored<bool> {
        self.store.may_read(game, key).await
    }
    async fn boxes_of(&self, key: Hex32, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, Stand)>> {
        self.store.boxes_of(key, after, most).await
    }
    async fn boxes(&self, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, Stand)>> {
        self.store.boxes(after, most).await
    }
    async fn restored(&self, generation: Hex32) -> Stored<()> {
        self.store.restored(generation).await
    }
    async fn declared(&self) -> Stored<()> {
        self.store.declared().await
    }
    async fn owner(&self) -> Stored<Option<Owner>> {
        self.store.owner().await
    }
    async fn own(&self, key: Hex32, generation: Hex32) -> Stored<()> {
        self.store.own(key, generation).await
    }
    async fn ready(&self) -> Stored<()> {
        self.store.ready().await
    }
    async fn heard(&self) -> Hex32 {
        self.store.heard().await
    }
}

/// More boxes than any machine here has cores are held, each with a player who waits: all others are served meanwhile.
#[test]
fn clients_do_not_wait_for_each_other() {
    const BOXES: usize = 9;
    for at in [Slow::Look, Slow::Write] {
        let premises = Premises::made(&format!("office-crowd-{at:?}"), None);
        let set = |name: &str| {
            let set = [("SEALED_DICE_OFFICE_LISTEN", "127.0.0.1:0"), ("SEALED_DICE_OFFICE_OPERATIONS", "")];
            set.into_iter().find(|(own, _)| *own == name).map(|(_, value)| value.to_owned())
        };
        let config = Config::read(&premises.home, set).expect("settings");
        let (waits, waiting) = mpsc::channel();
        let (ends, ended) = oneshot::channel::<()>();
        let threads = serve::runtime().expect("threads");
        let (store, service) = threads.block_on(async {
            let store = serve::store(&config, &premises.home).await.expect("a store");
            let boxes = Mutex::default();
            let store = Arc::new(Slowly { store, boxes, at, waits, gate: Semaphore::new(0) });
            let known: AnyStore = Arc::<Slowly>::clone(&store);
            let service = Service::bind(&config, known, premises.keys(), vec![premises.public()]).await;
            (store, service.expect("a service"))
        });
        let url = format!("http://{}", service.address().expect("an address"));
        let serving = threads.spawn(service.serve(async move { drop(ended.await) }));
        let client = || sealed_dice::office::client::Client::new(&url);
        let games: Vec<Game> =
            (0..BOXES).map(|player| Game::begun(&format!("crowd {player}"), &premises, &client())).collect();
        *store.boxes.lock().expect("it") = games.iter().map(Game::id).collect();
        let opens = |game: &Game| {
            let declared = game.declared(SLOT, &FIRST, seal_of(game));
            assert_eq!(reveals(&letters(&posted(game, &client(), &[&declared]))).len(), 1);
        };
        thread::scope(|scope| {
            let held: Vec<_> = games.iter().map(|game| scope.spawn(|| opens(game))).collect();
            let mut boxes = HashSet::new();
            while boxes.len() < BOXES {
                // Whoever waits for another's box is never heard of, until his client gives up.
                boxes.extend(waiting.recv_timeout(Duration::from_millis(100)));
                assert!(held.iter().all(|held| !held.is_finished()), "{at:?}: one is not served, and not held either");
            }
            // From its first letter on.
            opens(&Game::begun("nobody holds it", &premises, &client()));
            assert!(held.iter().all(|held| !held.is_finished()), "{at:?}");
            store.gate.add_permits(1);
            held.into_iter().for_each(|held| held.join().expect("opened"));
        });
        ends.send(()).expect("it serves");
        threads.block_on(serving).expect("it ends").expect("and well");
    }
}

/// The same where it is the database that holds a box.
#[test]
fn a_box_that_is_locked_holds_up_no_other() {
    let Some(cluster) = Cluster::begin("locked") else { return };
    let premises = Premises::made("office-locked", Some(cluster.url()));
    let office = premises.serve();
    let client = office.client();
    let game = Game::begun("locked", &premises, &client);
    let opens = |game: &Game| {
        let declared = game.declared(SLOT, &FIRST, seal_of(game));
        assert_eq!(reveals(&letters(&posted(game, &client, &[&declared]))).len(), 1);
    };
    let held = cluster.holds(game.id());
    thread::scope(|scope| {
        let waits = scope.spawn(|| opens(&game));
        held.is_awaited_by(1);
        opens(&Game::begun("not locked", &premises, &client));
        assert!(!waits.is_finished());
        // What is there can be read, whoever waits.
        assert!(reveals(&game.fetched(&client)).is_empty());
        held.lets_go();
        waits.join().expect("opened");
    });
    assert_eq!(reveals(&game.fetched(&client)).len(), 1);
}

/// A declaration for which there is room, and none for its reveal: nothing of it is taken. What is there stays there.
#[test]
fn a_full_box_takes_nothing_and_tells_what_it_has() {
    on_both("full", |premises| {
        let room = |bytes: Option<usize>| {
            let set = bytes.map(|bytes| ("SEALED_DICE_OFFICE_BOX_BYTES".to_owned(), bytes.to_string()));
            *premises.environment.lock().expect("it") = set.into_iter().collect();
        };
        let office = premises.serve();
        let mut game = Game::begun("full 1", premises, &office.client());
        let next = game.sealed("2/1/ann-first/1");
        game.leave(&office.client()).expect("taken");
        let declared = game.declared(SLOT, &FIRST, seal_of(&game));
        let there: usize = game.letters.iter().map(|letter| letter.frame.len()).sum();
        let before = game.fetched(&office.client());
        assert_eq!(office.end(), Some(0));

        room(Some(there + declared.frame.len()));
        let office = premises.serve();
        let client = office.client();
        let url = format!("{}/v1/games/{}/letters", office.url, game.id());
        let (status, kind, text) = sent(&url, &game.pass(), &declared.armour());
        let problem: Value = serde_json::from_str(&text).expect("a problem");
        assert_eq!((status, kind.as_str()), (507, "application/problem+json"), "{text}");
        assert_eq!((&problem["type"], &problem["status"]), (&"urn:sealed-dice:problem:box-full".into(), &507.into()));
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("mail")), "what to do: {problem}");
        assert_eq!(refusal(client.post(game.id(), &declared.armour(), &game.pass())), "box-full");
        // Nothing of it was taken, and all else is answered as ever.
        assert_eq!(game.fetched(&client), before);
        let position = client.boxes(None, &game.pass()).expect("boxes").games;
        let position = position.iter().find(|own| own.game == game.id().to_string()).expect("its box").last;
        let told: Vec<u64> = client
            .events(game.id(), 0, &game.pass())
            .expect("a stream")
            .take(before.len())
            .map(|placed| placed.position)
            .collect();
        assert_eq!(told.last(), Some(&position));
        assert_eq!(letters(&posted(&game, &client, &[&game.charter])), [game.charter.clone()]);
        // Another box has room of its own.
        let other = Game::begun("full 2", premises, &client);
        let opened = other.declared(SLOT, &FIRST, seal_of(&other));
        assert_eq!(reveals(&letters(&posted(&other, &client, &[&opened]))).len(), 1);
        assert_eq!(office.end(), Some(0));

        // With more room the same letter is opened; with less again, it is told as before.
        room(None);
        let office = premises.serve();
        let answer = letters(&posted(&game, &office.client(), &[&declared]));
        let [reveal] = reveals(&answer)[..] else { panic!("one reveal") };
        game.letters.push(declared.clone());
        game.letters.push(reveal.clone());
        assert_eq!(office.end(), Some(0));
        room(Some(there));
        let office = premises.serve();
        let client = office.client();
        assert_eq!(reveals(&letters(&posted(&game, &client, &[&declared]))), [reveal]);
        let declared = game.declared("2/1/ann-first/1", &FIRST, next);
        assert_eq!(refusal(client.post(game.id(), &declared.armour(), &game.pass())), "box-full");
        assert_eq!(game.fetched(&client).len(), before.len() + 2);
    });
}
