//! One suite for both stores: what they promise, they promise alike.

use std::{collections::HashSet, sync::Arc};

use sealed_dice::{
    blob::Hex32,
    office::store::{
        AnyStore, Append, Appended, Known, Mark, New, Own, Signed, Store, copy, database_file, postgres, sqlite,
    },
};

use super::world::Cluster;
use crate::kit::bytes;

const OWNER: Hex32 = Hex32([1; 32]);
/// Names the positions of a file that was left behind.
const MOVED: Hex32 = Hex32([7; 32]);

fn letter(label: &str) -> New {
    New { id: bytes(label), key: OWNER, own: None, frame: label.as_bytes().to_vec(), shown: !label.starts_with('-') }
}

fn append(game: Hex32, behind: u64, labels: &[&str]) -> Append {
    let letters = labels.iter().map(|label| letter(label)).collect();
    Append { game, behind, letters, marks: Vec::new(), readers: Vec::new(), epoch: false, known: None, late: None }
}

fn mark(seal: &str, index: u64, letter: &str) -> Mark {
    Mark { seal: bytes(seal), index, line: 0, letter: bytes(letter) }
}

/// What is in a box, as text.
async fn held(store: &AnyStore, game: Hex32) -> Vec<String> {
    let rows = store.letters(game, 0, u64::MAX).await.expect("letters");
    assert!(rows.iter().zip(1..).all(|(row, position)| row.position == position), "positions without gaps");
    rows.iter().map(|row| String::from_utf8(row.frame.clone()).expect("a text")).collect()
}

/// All that a store promises, on an empty one.
async fn conforms(store: &AnyStore) {
    let (game, other) = (bytes("a game"), bytes("another"));
    assert_eq!(store.owner().await.expect("an answer"), None);
    store.own(OWNER, bytes("a generation")).await.expect("owned");
    store.own(Hex32([2; 32]), OWNER).await.expect("nothing");
    let owner = store.owner().await.expect("an answer").expect("an owner");
    assert_eq!((owner.key, owner.generation), (OWNER, bytes("a generation")), "an owner stays");
    let beats = [store.beat().await.expect("written").beat, store.beat().await.expect("written").beat];
    assert_eq!(beats[0] + 1, beats[1], "it counts up");

    // No box, no letters.
    assert_eq!(store.stand(game).await.expect("an answer"), None);
    assert_eq!(store.append(append(game, 0, &["a"])).await.expect("an answer"), Appended::Unknown);
    store.open(game).await.expect("a box");
    store.open(game).await.expect("the same");
    let stand = store.stand(game).await.expect("an answer").expect("a box");
    assert_eq!((stand.last, stand.bytes, stand.restored), (0, 0, false));

    // Whoever does not know the last letter writes nothing.
    assert_eq!(store.append(append(game, 0, &["a", "-b"])).await.expect("an answer"), Appended::Done);
    for behind in [0, 1, 3] {
        assert_eq!(store.append(append(game, behind, &["c"])).await.expect("an answer"), Appended::Moved);
    }
    assert_eq!(held(store, game).await, ["a", "-b"]);
    let shown: Vec<bool> =
        store.letters(game, 0, u64::MAX).await.expect("letters").iter().map(|row| row.shown).collect();
    assert_eq!(shown, [true, false]);

    // All or nothing, whichever part is refused.
    let own = |number: u64, label: &str| New { own: Some(Own { chain: bytes("a game"), number }), ..letter(label) };
    let twice = Append { letters: vec![letter("c"), letter("a")], ..append(game, 2, &[]) };
    assert_eq!(store.append(twice).await.expect("an answer"), Appended::Spent, "a letter that is there");
    let numbered = Append { letters: vec![own(7, "c")], marks: vec![mark("set", 1, "c")], ..append(game, 2, &[]) };
    assert_eq!(store.append(numbered).await.expect("an answer"), Appended::Done);
    let again = Append { letters: vec![letter("d"), own(7, "e")], ..append(game, 3, &[]) };
    assert_eq!(store.append(again).await.expect("an answer"), Appended::Spent, "a number of the office's");
    let marked = Append { marks: vec![mark("set", 2, "d"), mark("set", 1, "d")], ..append(game, 3, &["d"]) };
    assert_eq!(store.append(marked).await.expect("an answer"), Appended::Spent, "a place that is opened");
    assert_eq!(held(store, game).await, ["a", "-b", "c"]);
    let stand = store.stand(game).await.expect("an answer").expect("a box");
    assert_eq!((stand.last, stand.bytes), (3, 4));
    let free = Append { marks: vec![mark("set", 2, "d")], ..append(game, 3, &["d"]) };
    assert_eq!(store.append(free).await.expect("an answer"), Appended::Done, "what was refused left no mark");

    // A copy of a letter under another key is another row; in another box it is nobody's business.
    let copy = Append { letters: vec![New { key: Hex32([9; 32]), ..letter("a") }], ..append(game, 4, &[]) };
    assert_eq!(store.append(copy).await.expect("an answer"), Appended::Done);
    store.open(other).await.expect("a box");
    assert_eq!(store.append(append(other, 0, &["a"])).await.expect("an answer"), Appended::Done);
    let elsewhere = Append { marks: vec![mark("set", 1, "x")], ..append(other, 1, &["x"]) };
    assert_eq!(store.append(elsewhere).await.expect("an answer"), Appended::Spent, "a place is opened once, wherever");

    // Pages: behind a position, as much as fits, at least one.
    let page = |after, bytes| async move {
        let rows = store.letters(game, after, bytes).await.expect("letters");
        rows.iter().map(|row| row.position).collect::<Vec<_>>()
    };
    assert_eq!(page(0, 0).await, [1]);
    assert_eq!(page(1, 3).await, [2, 3]);
    assert_eq!(page(4, 100).await, [5]);
    assert!(page(5, 100).await.is_empty() && page(99, 100).await.is_empty());

    // Letters that wait for their turn: marked and cleared in the step that adds letters, or none.
    assert!(store.late().await.expect("an answer").is_empty());
    let size = store.size().await.expect("a size");
    let late = |game, behind, late| Append { late: Some(late), ..append(game, behind, &[]) };
    assert_eq!(store.append(late(game, 4, true)).await.expect("an answer"), Appended::Moved);
    assert!(store.late().await.expect("an answer").is_empty());
    for _ in 0..2 {
        assert_eq!(store.append(late(game, 5, true)).await.expect("an answer"), Appended::Done);
        assert_eq!(store.late().await.expect("an answer"), [game]);
    }
    assert_eq!(store.append(late(game, 4, false)).await.expect("an answer"), Appended::Moved);
    assert_eq!(store.late().await.expect("an answer"), [game]);
    assert_eq!(store.append(late(game, 5, false)).await.expect("an answer"), Appended::Done);
    assert!(store.late().await.expect("an answer").is_empty());
    assert_eq!(store.stand(game).await.expect("an answer").expect("a box").last, 5);
    assert!(size.bytes > 0 && size.boxes > 0, "{size:?}");

    // Readers.
    let key = bytes("a reader");
    assert!(!store.may_read(game, key).await.expect("an answer"));
    let readers = Append { readers: vec![key, OWNER, key], ..append(game, 5, &["f"]) };
    assert_eq!(store.append(readers).await.expect("an answer"), Appended::Done);
    let (mine, not_mine) = (store.may_read(game, key).await, store.may_read(other, key).await);
    assert!(mine.expect("an answer") && !not_mine.expect("an answer"));
    let boxes = |after, most| async move {
        let boxes = store.boxes_of(key, after, most).await.expect("an answer");
        boxes.into_iter().map(|(game, _)| game).collect::<Vec<Hex32>>()
    };
    assert_eq!(boxes(None, 9).await, [game]);
    let behind = store.stand(other).await.expect("an answer").expect("a box").last;
    let readers = Append { readers: vec![key], ..append(other, behind, &["g"]) };
    assert_eq!(store.append(readers).await.expect("an answer"), Appended::Done);
    let [first, second] = [game.min(other), game.max(other)];
    assert_eq!(boxes(None, 9).await, [first, second]);
    assert_eq!(boxes(None, 1).await, [first]);
    assert_eq!(boxes(Some(first), 1).await, [second]);
    assert!(boxes(Some(second), 9).await.is_empty());
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let some = store.boxes(after, 1).await.expect("an answer");
        let Some((last, _)) = some.first() else { break };
        after = Some(*last);
        all.push(*last);
    }
    let mut sorted = vec![game, other];
    sorted.sort_unstable();
    assert_eq!(all, sorted);

    // Restored: every box waits, those to come too, until an epoch begins in it.
    store.declared().await.expect("nothing");
    assert_eq!(store.owner().await.expect("an answer").expect("an owner").restores, 0, "nothing was restored");
    store.restored(bytes("another generation"), 0).await.expect("restored");
    let owner = store.owner().await.expect("an answer").expect("an owner");
    assert_eq!((owner.restored, owner.restores, owner.generation), (true, 1, bytes("another generation")));
    assert!(store.stand(game).await.expect("an answer").expect("a box").restored);
    store.declared().await.expect("declared");
    let owner = store.owner().await.expect("an answer").expect("an owner");
    assert_eq!((owner.restored, owner.restores), (false, 1));
    let late = bytes("a late game");
    store.open(late).await.expect("a box");
    for game in [game, late] {
        let stand = store.stand(game).await.expect("an answer").expect("a box");
        assert!(stand.restored, "it waits for its epoch");
        let begun = Append { epoch: true, ..append(game, stand.last, &["epoch"]) };
        assert_eq!(store.append(begun).await.expect("an answer"), Appended::Done);
        assert!(!store.stand(game).await.expect("an answer").expect("a box").restored);
    }
    store.restored(bytes("one more"), 7).await.expect("restored");
    assert_eq!(store.owner().await.expect("an answer").expect("an owner").restores, 8, "more than anybody knows of");
    assert!(store.stand(late).await.expect("an answer").expect("a box").restored);
    remembers(store, game).await;
}

/// What is known of a store outside of it: it takes nothing that needs more than it has.
async fn remembers(store: &AnyStore, game: Hex32) {
    store.declared().await.expect("declared");
    let owner = store.owner().await.expect("an answer").expect("an owner");
    let own = |label: &str| Signed { game, id: bytes(label) };
    let known = Known { letters: vec![own("c")], ..Known::of(&owner) };
    let last = store.stand(game).await.expect("an answer").expect("a box").last;
    let tries = async |known: &Known| {
        let known = Some(Arc::new(known.clone()));
        store.append(Append { known, ..append(game, last, &["known"]) }).await.expect("an answer")
    };
    // "known" is there, and not the office's own.
    for forgotten in [own("d"), own("known"), Signed { game: bytes("no game"), ..own("c") }] {
        let letters = vec![own("c"), forgotten];
        assert!(!store.has(&letters).await.expect("an answer"));
        assert_eq!(tries(&Known { letters, ..known.clone() }).await, Appended::Forgot);
    }
    assert_eq!(tries(&Known { beat: known.beat + 1, ..known.clone() }).await, Appended::Forgot);
    assert_eq!(tries(&Known { generation: bytes("another"), ..known.clone() }).await, Appended::Forgot);
    assert_eq!(tries(&Known { restores: known.restores + 1, ..known.clone() }).await, Appended::Forgot);
    // It was restored since: what was decided before that is decided again.
    let before = Known { restores: known.restores - 1, generation: bytes("another"), ..known.clone() };
    assert_eq!(tries(&before).await, Appended::Moved);
    assert!(store.has(&known.letters).await.expect("an answer"));
    assert_eq!(tries(&known).await, Appended::Done);
}

/// Many who write at once: nothing is lost, nothing stands twice, and each place has one winner.
async fn endures_a_crowd(store: &AnyStore) {
    const WRITERS: usize = 8;
    const ROUNDS: usize = 20;
    let game = bytes("a crowded game");
    store.open(game).await.expect("a box");
    let writers = (0..WRITERS).map(|writer| {
        let store = Arc::clone(store);
        tokio::spawn(async move {
            let mut won = Vec::new();
            for round in 0..ROUNDS {
                let label = format!("{writer} in {round}");
                // Everybody wants the same place of this round.
                loop {
                    let stand = store.stand(game).await.expect("an answer").expect("a box");
                    let marks = vec![mark("crowd", round as u64, &label)];
                    let append = Append { marks, ..append(game, stand.last, &[&label]) };
                    match store.append(append).await.expect("an answer") {
                        Appended::Done => won.push((round, label)),
                        Appended::Moved => continue,
                        Appended::Spent => {}
                        Appended::Unknown | Appended::Forgot => panic!("there is a box, and nothing else is known"),
                    }
                    break;
                }
            }
            won
        })
    });
    let mut winners = Vec::new();
    for writer in writers.collect::<Vec<_>>() {
        winners.extend(writer.await.expect("it ends"));
    }
    let rounds: HashSet<usize> = winners.iter().map(|(round, _)| *round).collect();
    assert_eq!((winners.len(), rounds.len()), (ROUNDS, ROUNDS), "one winner a round");
    let held = held(store, game).await;
    assert_eq!(held.len(), ROUNDS);
    assert!(winners.iter().all(|(_, label)| held.contains(label)), "what was acknowledged is there");
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads").block_on(work)
}

#[test]
fn sqlite_conforms() {
    let path = crate::folder("store-sqlite").join("office.db");
    assert!(sqlite::Sqlite::open(&path).is_err(), "a mistyped path makes no database");
    assert!(!path.exists());
    database_file::create(&path).expect("a database");
    assert!(database_file::create(&path).is_err(), "and none is made over another");
    wait(async {
        let store: AnyStore = Arc::new(sqlite::Sqlite::open(&path).expect("a store"));
        let second = sqlite::Sqlite::open(&path).err().expect("locked").to_string();
        assert!(second.contains("another office is using this database"), "{second}");
        conforms(&store).await;
        endures_a_crowd(&store).await;
        let copy = path.with_file_name("copy.db");
        database_file::backup(&path, &copy, bytes("a copy")).expect("a copy");
        assert!(database_file::backup(&path, &copy, OWNER).is_err(), "no copy over another");
        let before = held(&store, bytes("a game")).await;
        drop(store);
        // It is all there for the next process, and in the copy.
        for (path, restored) in [(path, false), (copy, true)] {
            database_file::check(&path).expect("whole");
            let store: AnyStore = Arc::new(open_again(&path).await);
            assert_eq!(held(&store, bytes("a game")).await, before);
            // Whoever uses a copy has forgotten what came after it, and it says so.
            assert_eq!(store.owner().await.expect("an answer").expect("an owner").restored, restored);
        }
    });
}

/// The writer of a store that was dropped lets go of its file a moment later.
async fn open_again(path: &std::path::Path) -> sqlite::Sqlite {
    loop {
        match sqlite::Sqlite::open(path) {
            Ok(store) => return store,
            Err(fault) => assert!(fault.to_string().contains("another office"), "{fault}"),
        }
        tokio::task::yield_now().await;
    }
}

#[test]
fn postgresql_conforms() {
    let Some(cluster) = Cluster::begin("store") else { return };
    wait(async {
        let empty = postgres::Postgres::open(&cluster.url(), 2).await.err().expect("no tables").to_string();
        assert!(empty.contains("office init"), "{empty}");
        postgres::create(&cluster.url()).await.expect("tables");
        postgres::create(&cluster.url()).await.expect("they are there already");
        let store: AnyStore = Arc::new(postgres::Postgres::open(&cluster.url(), 16).await.expect("a store"));
        conforms(&store).await;
        endures_a_crowd(&store).await;
        // Another process hears of letters.
        let other: AnyStore = Arc::new(postgres::Postgres::open(&cluster.url(), 2).await.expect("a store"));
        let game = bytes("a heard game");
        store.open(game).await.expect("a box");
        let mut behind = 0;
        loop {
            // Whether it listens already nobody says; it hears of one of these.
            let label = format!("letter {behind}");
            assert_eq!(store.append(append(game, behind, &[&label])).await.expect("an answer"), Appended::Done);
            behind += 1;
            let heard = tokio::time::timeout(std::time::Duration::from_millis(50), other.heard()).await;
            if let Ok(heard) = heard {
                assert_eq!(heard, game);
                break;
            }
        }
        drop(store);
        let store: AnyStore = Arc::new(postgres::Postgres::open(&cluster.url(), 2).await.expect("a store"));
        assert_eq!(held(&store, game).await.len() as u64, behind);
    });
}

#[test]
fn a_club_moves_from_sqlite_to_postgresql() {
    let Some(cluster) = Cluster::begin("moves") else { return };
    let path = crate::folder("store-moves").join("office.db");
    database_file::create(&path).expect("a database");
    wait(async {
        let store: AnyStore = Arc::new(sqlite::Sqlite::open(&path).expect("a store"));
        conforms(&store).await;
        assert!(copy::to_postgres(&path, &cluster.url(), MOVED, |_| {}).await.is_err(), "not while it is used");
        let games = store.boxes(None, 100).await.expect("boxes");
        let mut before = Vec::new();
        for (game, stand) in &games {
            before.push((*game, *stand, store.letters(*game, 0, u64::MAX).await.expect("letters")));
        }
        let owner = store.owner().await.expect("an answer");
        drop(store);
        drop(open_again(&path).await);
        let copied = loop {
            match copy::to_postgres(&path, &cluster.url(), MOVED, |_| {}).await {
                Ok(copied) => break copied,
                Err(fault) => assert!(fault.to_string().contains("another office"), "{fault}"),
            }
        };
        let letters: usize = before.iter().map(|(.., rows)| rows.len()).sum();
        assert_eq!(copied, (before.len() as u64, letters as u64));
        let left = open_again(&path).await.owner().await.expect("an answer").expect("an owner");
        assert!(left.restored && left.generation == MOVED, "the file that is left behind signs nothing any more");
        let store: AnyStore = Arc::new(postgres::Postgres::open(&cluster.url(), 2).await.expect("a store"));
        assert_eq!(store.owner().await.expect("an answer"), owner);
        for (game, stand, rows) in before {
            assert_eq!(store.stand(game).await.expect("an answer"), Some(stand));
            assert_eq!(store.letters(game, 0, u64::MAX).await.expect("letters"), rows);
        }
        // Marks and numbers came along: what was opened there is not opened here.
        let game = bytes("a game");
        let last = store.stand(game).await.expect("an answer").expect("a box").last;
        let marked = Append { marks: vec![mark("set", 1, "new")], ..append(game, last, &["new"]) };
        assert_eq!(store.append(marked).await.expect("an answer"), Appended::Spent);
        assert!(copy::to_postgres(&path, &cluster.url(), MOVED, |_| {}).await.is_err(), "it is not empty any more");
    });
}
