//! Who waits for whom, and what there is no room for.

use std::{
    collections::HashSet,
    fs,
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

use async_trait::async_trait;
use sealed_dice::{
    blob::Hex32,
    game::steps::Letter,
    office::{
        config::Config,
        serve::{self, Service},
        store::{AnyStore, Append, Appended, MailboxHead, Owner, Row, Signed, Size, Store, Stored},
    },
};
use tokio::sync::{Semaphore, oneshot};

use super::{
    service::{FIRST, SLOT, letters, on_both, posted, refusal, seal_of},
    world::{Cluster, Game, Premises, reveals, sent},
};
use crate::kit::Ann;
#[cfg(feature = "fail-points")]
use {
    super::world::{Running, opened},
    crate::kit::bytes,
    sealed_dice::{keep::threads::cores, office::store::sqlite::Sqlite},
    std::path::{Path, PathBuf},
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
    async fn stand(&self, game: Hex32) -> Stored<Option<MailboxHead>> {
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
    async fn boxes_of(&self, key: Hex32, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, MailboxHead)>> {
        self.store.boxes_of(key, after, most).await
    }
    async fn boxes(&self, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, MailboxHead)>> {
        self.store.boxes(after, most).await
    }
    async fn late(&self) -> Stored<Vec<Hex32>> {
        self.store.late().await
    }
    async fn size(&self) -> Stored<Size> {
        self.store.size().await
    }
    async fn restored(&self, generation: Hex32, known: u64) -> Stored<()> {
        self.store.restored(generation, known).await
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
    async fn beat(&self) -> Stored<Owner> {
        self.store.beat().await
    }
    async fn has(&self, letters: &[Signed]) -> Stored<bool> {
        self.store.has(letters).await
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
            let service = Service::bind(&config, known, premises.keys()).await;
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

/// Bob fills his share of the box: nothing more of his is taken, and Ann is served as ever, the office's own letters included.
#[test]
fn a_full_share_stops_its_author_alone() {
    on_both("full", |premises| {
        let room = |bytes: &str| {
            *premises.environment.lock().expect("it") = vec![("SEALED_DICE_OFFICE_AUTHOR_BYTES".into(), bytes.into())];
        };
        room("40000");
        let office = premises.serve();
        let client = office.client();
        let mut game = Game::begun("full", premises, &client);
        let flood = game.talk(30, &"\u{1f3b2}".repeat(990));
        let taken = posted(&game, &client, &flood.iter().collect::<Vec<_>>());
        assert!(!taken.refused.is_empty() && taken.refused.iter().all(|refused| refused.class == "room"), "{taken:?}");
        assert!(taken.refused[0].text.contains("by mail"), "{taken:?}");
        let refused: HashSet<String> = taken.refused.iter().filter_map(|refused| refused.id.clone()).collect();
        game.letters.retain(|letter| !refused.contains(&letter.message.id().to_string()));
        let last = flood.last().expect("letters");
        assert!(refused.contains(&last.message.id().to_string()));
        let used = taken.room.iter().find(|used| used.author == "bob").expect("his share");
        assert!((30_000..=40_000).contains(&used.bytes) && used.most_bytes == 40_000, "{used:?}");
        assert_eq!(used.letters as usize, game.letters.iter().filter(|letter| is_bobs(letter)).count());
        let before = game.fetched(&client);

        let declared = game.declared(SLOT, &FIRST, seal_of(&game));
        let taken = posted(&game, &client, &[&declared, last]);
        assert_eq!((reveals(&letters(&taken)).len(), taken.refused.len(), taken.waiting.len()), (1, 1, 0), "{taken:?}");
        assert_eq!(game.fetched(&client).len(), before.len() + 2, "all is read as ever");
        // Another box has room of its own.
        let mut other = Game::begun("full, and another", premises, &client);
        let said = other.talk(1, "so there").remove(0);
        assert!(posted(&other, &client, &[&said]).refused.is_empty());
        assert_eq!(office.end(), Some(0));

        room("400000");
        let office = premises.serve();
        assert!(posted(&game, &office.client(), &[last]).refused.is_empty(), "with more room it is taken");
        assert_eq!(office.end(), Some(0));
    });
}

fn is_bobs(letter: &Letter) -> bool {
    letter.message.head().author.as_str() == "bob"
}

/// Sets something in an office's environment.
fn set(premises: &Premises, settings: &[(&str, &str)]) {
    let settings = settings.iter().map(|(name, value)| (format!("SEALED_DICE_OFFICE_{name}"), (*value).to_owned()));
    premises.environment.lock().expect("it").extend(settings);
}

/// An office on whose decisions a gate closes and opens.
#[cfg(feature = "fail-points")]
struct Gate(PathBuf);

#[cfg(feature = "fail-points")]
impl Gate {
    fn before(premises: &Premises) -> Self {
        let gate = Self(premises.home.join("gate"));
        gate.opens();
        let points = ("FAILPOINTS".to_owned(), format!("deciding=return({})", gate.0.display()));
        premises.environment.lock().expect("it").push(points);
        gate
    }

    fn reached(&self) -> PathBuf {
        self.0.with_extension("reached")
    }

    fn opens(&self) {
        fs::write(&self.0, "").expect("a gate");
    }

    fn closes(&self) {
        fs::remove_file(&self.0).expect("a gate");
        let _ = fs::remove_file(self.reached());
    }

    /// Whether somebody waits here who did not before, or is answered.
    fn is_reached_by<T>(&self, posts: &thread::JoinHandle<T>) -> bool {
        while !Path::new(&self.reached()).exists() {
            if posts.is_finished() {
                return false;
            }
            thread::sleep(Duration::from_millis(2));
        }
        fs::remove_file(self.reached()).expect("it");
        true
    }
}

/// A game with a box so large that no replay of it takes a moment, and the declaration that comes next. A letter of
/// Bob's waits there for it already, so that it does not simply follow: all is replayed for it.
#[cfg(feature = "fail-points")]
fn long(label: &str, premises: &Premises, office: &Running) -> (Game, Letter) {
    let mut game = Game::begun(label, premises, &office.client());
    game.talk(20, &"\u{1f3b2}".repeat(990));
    let declared = game.declared(SLOT, &FIRST, seal_of(&game));
    game.letters.push(declared.clone());
    game.talk(1, "so there");
    game.letters.retain(|letter| *letter != declared);
    game.leave(&office.client()).expect("taken");
    (game, declared)
}

/// Games whose declarations hold all turns that one client may have, as long as the gate is closed; and one more, whose
/// declaration is taken and has no turn.
#[cfg(feature = "fail-points")]
fn all_turns_taken(
    premises: &Premises,
    office: &Running,
    gate: &Gate,
) -> (Vec<thread::JoinHandle<bool>>, Game, Letter) {
    let mut games =
        (0..cores() + 3).map(|n| long(&format!("long {n}"), premises, office)).collect::<Vec<_>>().into_iter();
    gate.closes();
    let mut held = Vec::new();
    // As many as it takes: all turns, or all but one.
    let (last, declared) = loop {
        let (game, declared) = games.next().expect("more games than turns");
        let (client, id, pass, text) = (office.client(), game.id(), game.pass(), declared.armour());
        let posts = thread::spawn(move || {
            let taken = client.post(id, &text, &pass);
            taken.is_ok_and(|taken| reveals(&letters(&taken)).len() == 1)
        });
        if gate.is_reached_by(&posts) {
            held.push(posts);
            continue;
        }
        // On a busy machine a turn can be free and yet not be given at once. Then the office itself opens what waits.
        thread::sleep(Duration::from_millis(500));
        if reveals(&game.fetched(&office.client())).is_empty() {
            break (game, declared);
        }
    };
    assert!(!held.is_empty());
    for _ in 0..2 {
        let taken = posted(&last, &office.client(), &[&declared]);
        let [waiting] = &taken.waiting[..] else { panic!("one waits: {taken:?}") };
        assert_eq!((waiting.code.as_str(), &waiting.declaration), ("busy", &declared.message.id().to_string()));
        assert_eq!(letters(&taken), std::slice::from_ref(&declared), "it is taken, and nothing else");
    }
    (held, last, declared)
}

/// What the stream of a box tells behind what is fetched: the next letter.
#[cfg(feature = "fail-points")]
fn heard(game: &Game, office: &Running, after: u64) -> Letter {
    let mut events = office.client().events(game.id(), after, &game.pass()).expect("a stream");
    opened(&events.next().expect("a letter").letter).remove(0)
}

/// A declaration for which there is no core is taken at once, and opened by the office itself when its turn comes.
#[cfg(feature = "fail-points")]
#[test]
fn what_has_no_turn_is_taken_and_opened_in_its_turn() {
    on_both("turns", |premises| {
        set(premises, &[("WAITING_MILLISECONDS", "0")]);
        let gate = Gate::before(premises);
        let office = premises.serve();
        let (held, game, declared) = all_turns_taken(premises, &office, &gate);
        // Meanwhile what takes a moment is done as ever, and everything can be read; boxes are found that are open.
        let there = game.fetched(&office.client());
        assert!(there.contains(&declared) && reveals(&there).is_empty());
        assert!(held.iter().all(|held| !held.is_finished()));
        gate.opens();
        assert!(held.into_iter().all(|held| held.join().expect("an answer")));
        let last = office.client().boxes(None, &game.pass()).expect("boxes").games;
        let last = last.iter().find(|own| own.game == game.id().to_string()).expect("its box").last;
        let reveal = reveals(&game.fetched(&office.client())).first().copied().cloned();
        let reveal = reveal.unwrap_or_else(|| heard(&game, &office, last));
        let taken = posted(&game, &office.client(), &[&declared]);
        assert_eq!((reveals(&letters(&taken)), taken.waiting.len()), (vec![&reveal], 0), "the same for whoever asks");
        assert_eq!(office.end(), Some(0));
    });
}

/// It ends when it is told to, whatever it works on; what was taken it opens when it is there again.
#[cfg(feature = "fail-points")]
#[test]
fn an_office_ends_in_time_and_goes_on_where_it_was() {
    on_both("ends", |premises| {
        set(premises, &[("WAITING_MILLISECONDS", "0"), ("DRAIN_SECONDS", "1")]);
        let gate = Gate::before(premises);
        let office = premises.serve();
        let (held, game, declared) = all_turns_taken(premises, &office, &gate);
        let there = game.fetched(&office.client()).len();
        assert_eq!(office.end(), Some(0), "although the gate never opens");
        assert!(held.into_iter().all(|held| !held.join().expect("an end")), "nobody was told of what was not done");
        gate.opens();
        let office = premises.serve();
        let client = office.client();
        // Nobody leaves anything.
        let mut events = client.events(game.id(), 0, &game.pass()).expect("a stream");
        let letters: Vec<Letter> = events.by_ref().take(there + 1).flat_map(|placed| opened(&placed.letter)).collect();
        assert_eq!(letters[there - 1], declared);
        assert_eq!(reveals(&letters).len(), 1);
        drop(events);
        assert_eq!(office.end(), Some(0));
        assert!(premises.does(&["office", "check"]).contains("good"));
    });
}

/// What was taken in a box that is restored then waits for the epoch, which begins with a letter that somebody leaves.
#[cfg(feature = "fail-points")]
#[test]
fn a_restored_box_is_not_caught_up_with_before_its_epoch() {
    let premises = Premises::made("office-late-restored", None);
    set(&premises, &[("WAITING_MILLISECONDS", "0"), ("DRAIN_SECONDS", "1")]);
    let gate = Gate::before(&premises);
    let office = premises.serve();
    let (held, mut game, declared) = all_turns_taken(&premises, &office, &gate);
    let there = game.fetched(&office.client());
    assert_eq!(office.end(), Some(0));
    assert!(held.into_iter().all(|held| !held.join().expect("an end")), "nobody was told of what was not done");
    gate.opens();
    let threads = serve::runtime().expect("threads");
    let store = || Sqlite::open(&premises.home.join("office.db")).expect("a store");
    threads.block_on(store().restored(bytes("restored"), 0)).expect("marked");
    for is_declared in [false, true] {
        if is_declared {
            premises.does(&["office", "epoch"]);
        }
        let office = premises.serve();
        // It has looked by then for what it was left.
        thread::sleep(Duration::from_secs(3));
        assert_eq!(game.fetched(&office.client()), there, "declared: {is_declared}");
        assert_eq!(office.end(), Some(0));
        assert_eq!(threads.block_on(store().late()).expect("an answer"), [game.id()]);
    }
    let office = premises.serve();
    game.letters.push(declared);
    assert!(!game.leave(&office.client()).expect("taken").restored);
    let signed = game.fetched(&office.client()).len() - there.len();
    assert!(signed > 0, "the epoch");
}

/// A store that takes as much room as it may: what is there stays there, and is told.
#[test]
fn a_full_store_takes_nothing_new_and_tells_what_it_has() {
    on_both("store", |premises| {
        let office = premises.serve();
        let mut game = Game::begun("stored", premises, &office.client());
        let declared = game.declared(SLOT, &FIRST, seal_of(&game));
        game.take(&posted(&game, &office.client(), &[&declared]));
        let before = game.fetched(&office.client());
        assert_eq!(office.end(), Some(0));
        set(premises, &[("STORE_BYTES", "8192"), ("AUTHOR_BYTES", "8192")]);
        let office = premises.serve();
        let client = office.client();
        let late = Game::proposed("late", premises.terms());
        assert_eq!(refusal(client.open(&late.charter.armour(), None)), "store-full");
        let more = game.talk(1, "so there").remove(0).armour();
        let url = format!("{}/v1/games/{}/letters", office.url, game.id());
        let (status, _, text) = sent(&url, &game.pass(), &more);
        assert!(
            status == 507 && text.contains("urn:sealed-dice:problem:store-full") && text.contains("mail"),
            "{text}"
        );
        assert_eq!(game.fetched(&client), before);
        assert_eq!(reveals(&letters(&posted(&game, &client, &[&declared]))).len(), 1);
        assert_eq!(client.open(&game.charter.armour(), None).expect("it is open").letters.len(), 2);
    });
}

/// What one address may have of streams, boxes and room is counted, by the address that the proxy tells.
#[test]
fn one_address_has_its_share_of_streams_boxes_and_room() {
    let premises = Premises::made("office-shares", None);
    fs::write(premises.home.join("office.toml"), "invitations = [\"the old mill\", \"the new mill\"]\n")
        .expect("a file");
    set(&premises, &[("BEHIND_PROXY", "true"), ("STREAMS_AN_ADDRESS", "2"), ("BOXES_A_DAY", "2")]);
    set(&premises, &[("INVITATION_BOXES_A_DAY", "3"), ("BYTES_A_DAY", "60000")]);
    let office = premises.serve();
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let opens = |from: &str, word: &str, game: &Game| {
        let request = agent.post(format!("{}/v1/games", office.url)).header("x-forwarded-for", from);
        let mut answer = request.header("invitation", word).send(&game.charter.armour()).expect("an answer");
        (answer.status().as_u16(), answer.body_mut().read_to_string().expect("a text"))
    };
    let games: Vec<Game> = (0..5).map(|n| Game::proposed(&format!("share {n}"), premises.terms())).collect();
    let (one, other, third) = ("2001:db8::1", "192.0.2.2", "192.0.2.3");
    assert_eq!(opens(one, "the old mill", &games[0]).0, 200);
    assert_eq!(opens("2001:db8::2", "the old mill", &games[1]).0, 200, "of one household");
    let (status, text) = opens(one, "the new mill", &games[2]);
    assert!(status == 429 && text.contains("problem:too-many") && text.contains("in a day"), "{text}");
    assert_eq!(opens(one, "the old mill", &games[0]).0, 200, "a box that is open is found");
    assert_eq!(opens(other, "the old mill", &games[2]).0, 200);
    assert_eq!(opens(other, "the old mill", &games[3]).0, 429, "the word has had its boxes");
    assert_eq!(opens(third, "the new mill", &games[3]).0, 200);

    let streams = |from: &str, game: &Game| {
        let request = agent.get(format!("{}/v1/games/{}/events", office.url, game.id()));
        request
            .header("x-forwarded-for", from)
            .header("authorization", game.pass_of(game.key(Ann)))
            .call()
            .expect("an answer")
    };
    let held = [streams(other, &games[0]), streams(other, &games[1]), streams(other, &games[2])];
    assert_eq!(held.each_ref().map(|answer| answer.status().as_u16()), [200, 200, 503]);
    let elsewhere = streams(third, &games[2]);
    assert_eq!(elsewhere.status().as_u16(), 200);

    let mut game = games.into_iter().next().expect("it");
    game.open(&office.client()).expect("its box");
    game.accepted();
    let leaves = |from: &str, game: &Game| {
        let url = format!("{}/v1/games/{}/letters", office.url, game.id());
        let text: String = game.letters.iter().map(|letter| letter.armour() + "\n").collect();
        agent.post(url).header("x-forwarded-for", from).send(&text).expect("an answer").status().as_u16()
    };
    assert_eq!(leaves(other, &game), 200);
    let mut statuses = Vec::new();
    for _ in 0..20 {
        game.talk(1, &"\u{1f3b2}".repeat(990));
        statuses.push(leaves(other, &game));
    }
    let taken = statuses.iter().take_while(|status| **status == 200).count();
    assert!((8..16).contains(&taken) && statuses[taken..].iter().all(|status| *status == 429), "{statuses:?}");
    game.letters.truncate(4 + taken);
    assert_eq!(leaves(third, &game), 200, "what is there takes no room");
}
