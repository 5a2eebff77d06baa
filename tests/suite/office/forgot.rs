//! Databases that have forgotten: older copies, standbys that lagged, and disks with no room. The office opens nothing twice,
//! says what happened, and goes on where nothing was lost.

use std::{fs, path::Path, sync::Arc};

use sealed_dice::{
    blob::{Hex32, Kind},
    game::steps::Letter,
    keep::random,
    office::{
        client::Client,
        store::{AnyStore, Append, New, Own, database_file, postgres, sqlite},
    },
};

use super::{
    kills::shim,
    service::{FIRST, OTHER, SLOT, letters, posted, refusal, seal_of},
    world::{Cluster, Game, Premises, reveals},
};
use crate::kit::bytes;

/// How often a server fails in a test: `SEALED_DICE_FAILOVERS`, or few times.
fn failovers() -> usize {
    std::env::var("SEALED_DICE_FAILOVERS").ok().and_then(|n| n.parse().ok()).unwrap_or(5)
}

/// Ann's list is opened.
fn opened(game: &mut Game, client: &Client) -> Letter {
    let declared = game.declared(SLOT, &FIRST, seal_of(game));
    let taken = posted(game, client, &[&declared]);
    assert!(!taken.restored && taken.waiting.is_empty(), "{taken:?}");
    game.take(&taken);
    let found = letters(&taken);
    let [reveal] = reveals(&found)[..] else { panic!("one reveal: {taken:?}") };
    reveal.clone()
}

/// Ann tries her luck with another list, of which she shows all that it rests on.
fn tries_another(game: &Game, client: &Client) {
    let before = game.letters.iter().filter(|letter| reveals(std::slice::from_ref(*letter)).is_empty());
    let before: Vec<&Letter> = before.filter(|letter| letter.message.head().kind != Kind::Declare).collect();
    let other = game.declared_behind(&before, SLOT, &OTHER, seal_of(game));
    let taken = posted(game, client, &[&other]);
    assert!(taken.restored, "it says so: {taken:?}");
    assert!(reveals(&letters(&taken)).is_empty(), "opened twice: {taken:?}");
}

/// The operator declares an epoch, and the game goes on in it with what was opened before.
fn goes_on(premises: &Premises, game: &mut Game, reveal: &Letter) {
    premises.does(&["office", "epoch"]);
    let office = premises.serve();
    let client = office.client();
    let taken = game.leave(&client).expect("taken");
    assert!(!taken.restored, "{taken:?}");
    let held = game.fetched(&client);
    assert_eq!(reveals(&held), [reveal], "what was opened, and nothing else");
    let epoch = held.iter().rfind(|letter| letter.message.head().author == reveal.message.head().author);
    assert_eq!(epoch.expect("an epoch").message.head().prev, Some(reveal.message.id()));
    assert_eq!(office.readiness(), (200, "ready\n".into()));
    assert_eq!(office.end(), Some(0));
}

#[test]
fn an_older_file_that_is_put_back_by_hand_signs_nothing() {
    let premises = Premises::made("office-forgot-file", None);
    let office = premises.serve();
    let mut game = Game::begun("forgot file", &premises, &office.client());
    assert_eq!(office.end(), Some(0));
    let kept = premises.keeps();
    let office = premises.serve();
    let reveal = opened(&mut game, &office.client());
    assert_eq!(office.end(), Some(0));

    // Twice: of an epoch it knows as well that it was declared.
    for _ in 0..2 {
        premises.puts_back(&kept);
        let office = premises.serve();
        let (status, told) = office.readiness();
        assert!(status == 200 && told.contains("HAS FORGOTTEN") && told.contains("office epoch"), "{told}");
        tries_another(&game, &office.client());
        assert_eq!(office.end(), Some(0));
        goes_on(&premises, &mut game, &reveal);
        game.letters.retain(|letter| letter.message.head().kind != Kind::Receipt || letter.message.head().number < 3);
    }
    assert!(premises.does(&["office", "check"]).contains("good: 1 box, "));
}

#[test]
fn a_machine_that_remembers_nothing_asks_its_operator_once() {
    let premises = Premises::made("office-forgot-witness", None);
    let witness = premises.home.join("office.witness");
    let office = premises.serve();
    let mut game = Game::begun("forgot witness", &premises, &office.client());
    assert_eq!(office.end(), Some(0));
    assert!(premises.is_refused(&["office", "trust"]).contains("nothing to trust"));
    fs::remove_file(&witness).expect("it was made with the office");
    for command in [&["office", "serve"][..], &["office", "hand-back", SLOT, "--charter", &game.id().to_string()]] {
        let refused = premises.is_refused(command);
        assert!(refused.contains("office trust") && refused.contains("office restore"), "{refused}");
    }
    premises.does(&["office", "trust"]);
    let office = premises.serve();
    let reveal = opened(&mut game, &office.client());
    assert_eq!(office.end(), Some(0));
    fs::write(&witness, "x").expect("damaged");
    assert!(premises.is_refused(&["office", "serve"]).contains("is damaged"));

    // A copy that is brought back needs no such word: it signs nothing before an epoch.
    fs::remove_file(&witness).expect("there");
    let copy = premises.home.join("copy.db").display().to_string();
    premises.does(&["office", "backup", &copy]);
    premises.puts_back(&fs::read(&copy).expect("a copy"));
    let office = premises.serve();
    assert!(game.leave(&office.client()).expect("taken").restored);
    assert_eq!(office.end(), Some(0));
    goes_on(&premises, &mut game, &reveal);
}

/// The machine remembers nothing, and the database has forgotten: a player who was given a letter shows it, and nothing is
/// opened for whoever hoped for that. A claim that is no letter shows nothing (`office::hostile`).
#[test]
fn a_letter_that_a_player_shows_marks_an_office_that_forgot() {
    let premises = Premises::made("office-forgot-shown", None);
    let office = premises.serve();
    let mut game = Game::begun("forgot shown", &premises, &office.client());
    let other = Game::begun("forgot shown, another", &premises, &office.client());
    assert_eq!(office.end(), Some(0));
    let kept = premises.keeps();
    let office = premises.serve();
    let reveal = opened(&mut game, &office.client());
    assert_eq!(office.end(), Some(0));
    premises.puts_back(&kept);
    fs::remove_file(premises.home.join("office.witness")).expect("there");
    premises.does(&["office", "trust"]);

    let office = premises.serve();
    let client = office.client();
    assert_eq!(office.readiness(), (200, "ready\n".into()), "nobody can know yet");
    // Bob shows its last letter, and nothing that this rests on.
    let taken = posted(&game, &client, &[&reveal]);
    assert!(taken.restored, "{taken:?}");
    tries_another(&game, &client);
    // What one box has forgotten, others may have.
    let declared = other.declared(SLOT, &FIRST, seal_of(&other));
    assert!(posted(&other, &client, &[&declared]).restored);
    assert_eq!(office.end(), Some(0));
    goes_on(&premises, &mut game, &reveal);
    // The same letter shown again, which was forgotten before the epoch, is no news.
    let office = premises.serve();
    assert!(!posted(&game, &office.client(), &[&reveal]).restored);
    assert!(!game.leave(&office.client()).expect("taken").restored);
}

/// A standby that lags takes over again and again, once while the office serves and once while it does not: nothing is opened
/// twice, and the office says that it has forgotten.
#[test]
fn a_standby_that_lagged_never_opens_twice() {
    let Some(mut primary) = Cluster::begin("failover-0") else { return };
    let mut standby = primary.standby("failover-1");
    let premises = Premises::made("office-failover", Some(primary.url()));
    let mut left = Vec::new();
    for round in 0..failovers() {
        let address = ("SEALED_DICE_OFFICE_DATABASE".to_owned(), primary.url_with(&[&standby]));
        *premises.environment.lock().expect("it") = vec![address];
        let office = premises.serve();
        let client = office.client();
        let mut game = Game::proposed(&format!("failover {round}"), premises.terms());
        game.open(&client).expect("a box");
        game.accepted();
        // After the first failover it begins with an epoch.
        game.leave(&client).expect("taken");
        game.sealed(SLOT);
        game.leave(&client).expect("taken");
        // It streams, has all of that, and is cut off.
        standby.start();
        primary.waits_until(
            "EXISTS (SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND replay_lsn >= pg_current_wal_lsn())",
        );
        standby.stop();
        let reveal = opened(&mut game, &client);
        let office = match round % 2 {
            0 => Some(office),
            _ => office.end().and(None),
        };
        primary.stop();
        standby.start();
        standby.promote();
        let office = office.unwrap_or_else(|| premises.serve());
        let client = office.client();
        // Until it has found the other server it is busy, and not lost.
        while client.page(game.id(), 0, &game.pass()).is_err() {}
        tries_another(&game, &client);
        assert!(reveals(&game.fetched(&client)).is_empty(), "it has forgotten");
        let (status, told) = office.readiness();
        assert!(status == 200 && told.contains("HAS FORGOTTEN"), "{told}");
        assert_eq!(office.end(), Some(0));
        goes_on(&premises, &mut game, &reveal);
        left.push(game);
        drop(std::mem::replace(&mut primary, standby));
        standby = primary.standby(&format!("failover-{}", round + 2));
    }
    let office = premises.serve();
    for game in &left {
        assert_eq!(reveals(&game.fetched(&office.client())).len(), 1);
    }
}

/// A standby that each commit waits for takes over, and nothing was lost: nobody needs an epoch.
#[test]
fn a_synchronous_standby_takes_over_and_nothing_needs_an_epoch() {
    let Some(primary) = Cluster::begin("synchronous-0") else { return };
    let standby = primary.standby("synchronous-1");
    standby.start();
    primary.says("ALTER SYSTEM SET synchronous_standby_names = '*'");
    primary.says("SELECT pg_reload_conf()");
    primary.waits_until("EXISTS (SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync')");
    let premises = Premises::made("office-synchronous", Some(primary.url_with(&[&standby])));
    let office = premises.serve();
    let client = office.client();
    let mut game = Game::begun("synchronous", &premises, &client);
    let reveal = opened(&mut game, &client);
    primary.stop();
    standby.says("ALTER SYSTEM SET synchronous_standby_names = ''");
    standby.promote();
    while client.page(game.id(), 0, &game.pass()).is_err() {}
    assert_eq!(reveals(&game.fetched(&client)), [&reveal]);
    let next = game.sealed("2/1/ann-first/1");
    assert!(!game.leave(&client).expect("taken").restored);
    let declared = game.declared("2/1/ann-first/1", &FIRST, next);
    assert_eq!(reveals(&letters(&posted(&game, &client, &[&declared]))).len(), 1);
    assert_eq!(office.readiness(), (200, "ready\n".into()));
    assert_eq!(office.end(), Some(0));
    assert!(premises.is_refused(&["office", "epoch"]).contains("nothing was restored"));
}

/// A commit that waits for its standby is not taken for done when the patience of a statement ends.
#[test]
fn nothing_is_answered_that_a_synchronous_standby_lacks() {
    let Some(primary) = Cluster::begin("waits-0") else { return };
    let standby = primary.standby("waits-1");
    standby.start();
    let premises = Premises::made("office-waits", Some(primary.url()));
    let office = premises.serve();
    let client = office.client();
    let game = Game::begun("waits", &premises, &client);
    primary.says("ALTER SYSTEM SET synchronous_standby_names = '*'");
    primary.says("SELECT pg_reload_conf()");
    primary.waits_until("EXISTS (SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync')");
    standby.stop();
    let declared = game.declared(SLOT, &FIRST, seal_of(&game));
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| posted(&game, &client, &[&declared]));
        // Longer than any statement may take.
        std::thread::sleep(std::time::Duration::from_secs(12));
        assert!(!waits.is_finished(), "it was answered before the standby had it");
        standby.start();
        assert_eq!(reveals(&letters(&waits.join().expect("an answer"))).len(), 1);
    });
}

/// A disk that takes nothing: letters are read and none are taken, nobody ends, and with room it goes on by itself.
#[test]
fn a_full_disk_is_read_from_and_written_again_when_there_is_room() {
    const ENOSPC: i32 = 28;
    const EROFS: i32 = 30;
    let Some(shim) = shim("office-shim-full") else { return };
    for error in [ENOSPC, EROFS] {
        let premises = Premises::made(&format!("office-full-{error}"), None);
        let full = premises.home.join("full");
        *premises.environment.lock().expect("it") = vec![
            ("LD_PRELOAD".into(), shim.clone()),
            ("WRITE_FULL_WHILE".into(), full.display().to_string()),
            ("WRITE_ERROR".into(), error.to_string()),
        ];
        let mut office = premises.serve();
        let mut game = Game::begun(&format!("full disk {error}"), &premises, &office.client());
        let declared = game.declared(SLOT, &FIRST, seal_of(&game));
        let before = game.fetched(&office.client());
        // It is full again and again, and once an office begins on it.
        for round in 0..3 {
            fs::write(&full, "").expect("a file");
            if round == 2 {
                office.kill();
                office = premises.serve();
            }
            let client = office.client();
            for _ in 0..3 {
                assert_eq!(refusal(client.post(game.id(), &declared.armour(), &game.pass())), "busy");
                let late = Game::proposed(&format!("full disk, too late {error}"), premises.terms());
                assert_eq!(refusal(client.open(&late.charter.armour(), None)), "busy");
                assert_eq!(game.fetched(&client), before, "what is there is read");
            }
            let (status, told) = office.readiness();
            assert!(status == 503 && told.contains("cannot be written"), "{told}");
            let refused = premises.is_refused(&["office", "serve", "--check-config"]);
            assert!(refused.contains("cannot be written"), "{refused}");
            fs::remove_file(&full).expect("room");
            assert_eq!(office.readiness(), (200, "ready\n".into()), "it goes on by itself");
            assert!(premises.does(&["office", "serve", "--check-config"]).contains("can be written"));
        }
        assert_eq!(opened(&mut game, &office.client()).message.head().kind, Kind::Reveal);
        assert_eq!(office.end(), Some(0));
        assert!(premises.does(&["office", "check"]).contains("good: 1 box, "));
        assert!(premises.is_refused(&["office", "epoch"]).contains("nothing was restored"));
    }
}

/// A server that takes no writes is not ready, and not taken for one that can serve.
#[test]
fn a_database_that_cannot_be_written_is_found_before_it_serves() {
    let Some(cluster) = Cluster::begin("unwritable") else { return };
    let premises = Premises::made("office-unwritable", Some(cluster.url()));
    let check = ["office", "serve", "--check-config"];
    assert!(premises.does(&check).contains("can be written"));
    cluster.says("ALTER DATABASE office SET default_transaction_read_only = on");
    premises.is_refused(&check);
    assert!(premises.try_serve().is_err());
    cluster.says("SET transaction_read_only = off; ALTER DATABASE office RESET default_transaction_read_only");
    assert!(premises.does(&check).contains("can be written"));
}

/// So many boxes that an UPDATE of each would be seen.
const BOXES: u64 = 3_000;

async fn filled(store: &AnyStore) {
    store.own(Hex32([1; 32]), Hex32([2; 32])).await.expect("owned");
    for n in 0..BOXES {
        let game = bytes(&format!("box {n}"));
        store.open(game).await.expect("a box");
        if n % 100 == 0 {
            let letter =
                New { id: game, key: game, own: Some(Own { chain: game, number: 1 }), frame: vec![1], shown: true };
            let append = Append {
                game,
                behind: 0,
                letters: vec![letter],
                marks: Vec::new(),
                readers: Vec::new(),
                epoch: false,
                known: None,
                late: None,
            };
            store.append(append).await.expect("a letter");
        }
    }
}

#[test]
fn a_restore_changes_one_row_however_many_boxes_there_are() {
    let threads = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
    let path = crate::folder("office-restore-rows").join("office.db");
    database_file::create(&path).expect("a database");
    let boxes = |path: &Path| {
        let file = rusqlite::Connection::open(path).expect("a database");
        let mut all = file.prepare("SELECT hex(game) || last || bytes || begun FROM box ORDER BY game").expect("boxes");
        let rows = all.query_map([], |row| row.get::<_, String>(0)).expect("rows");
        rows.collect::<Result<Vec<_>, _>>().expect("rows")
    };
    threads.block_on(async {
        let store: AnyStore = Arc::new(sqlite::Sqlite::open(&path).expect("a store"));
        filled(&store).await;
        let before = boxes(&path);
        assert_eq!(before.len() as u64, BOXES);
        store.restored(random::fresh().expect("random"), 0).await.expect("marked");
        assert_eq!(boxes(&path), before);
        assert!(store.stand(bytes("box 7")).await.expect("an answer").expect("a box").restored);
    });
    let Some(cluster) = Cluster::begin("restore-rows") else { return };
    threads.block_on(async {
        postgres::create(&cluster.url()).await.expect("tables");
        let store: AnyStore = Arc::new(postgres::Postgres::open(&cluster.url(), 2).await.expect("a store"));
        filled(&store).await;
        assert!(!store.stand(bytes("box 7")).await.expect("an answer").expect("a box").restored);
    });
    cluster.says("CREATE TABLE before AS SELECT game, xmin::text AS written FROM box");
    threads.block_on(async {
        let store = postgres::Postgres::open(&cluster.url(), 2).await.expect("a store");
        let store: AnyStore = Arc::new(store);
        store.restored(random::fresh().expect("random"), 0).await.expect("marked");
        assert!(store.stand(bytes("box 7")).await.expect("an answer").expect("a box").restored);
    });
    // Each row of a box is the one that was written before.
    cluster.waits_until(&format!(
        "(SELECT count(*) FROM box JOIN before ON before.game = box.game AND before.written = box.xmin::text) = {BOXES}"
    ));
}
