//! Offices that run, databases to run them on, and players who leave letters there without the command line.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Mutex,
    time::{Duration, Instant},
};

use sealed_dice::{
    blob::{
        Body, Head, Hex32, Keys as Senders, Kind, Verified, armour,
        body::{Charter, Contribution, Moves, Revealer, SetKind},
        deposits::{Deposits, Third},
        disputes::{Claim, Dispute},
        resync::Resync,
    },
    game::{
        asks, audit,
        deposits::deposit,
        steps::{self, Letter, Request, Signer},
        terms::{Author, Player},
    },
    keep::{home::Home, key_file::KeyFile, root::Keys},
    office::{
        answers::Taken,
        client::{Away, Client},
        decision::Mode,
        mailbox::Mailbox,
        pass::Pass,
        room::Share,
    },
    primitive::{secret::Secret, sign::PrivateKey, wrap},
};

use crate::kit::{self, Ann, Bob, Carol, Dora, Who, bytes, role, slot, text};

/// A database server of one test's own, on a socket in its folder.
pub(crate) struct Cluster {
    dir: PathBuf,
    programs: PathBuf,
}

/// Says what a test leaves out, past the harness, which would keep it to itself.
pub(crate) fn left_out(what: &str) {
    let _ = writeln!(std::io::stderr(), "{what}");
}

/// The folder with the programs of PostgreSQL, if it is installed.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut found: Vec<PathBuf> = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin"))).collect();
    found.retain(|path| path.join("initdb").exists());
    found.sort();
    found.pop()
}

impl Cluster {
    /// Begins one; none where PostgreSQL is not installed, which is said.
    pub(crate) fn begin(name: &str) -> Option<Self> {
        let Some(programs) = programs() else {
            left_out(&format!("PostgreSQL is not installed: LEFT OUT, its half of office {name}"));
            return None;
        };
        // A socket's path is short, and the server runs as nobody's root.
        let dir = std::env::temp_dir().join(format!("sealed-dice-{name}-{}", std::process::id()));
        let cluster = Self { dir, programs };
        cluster.makes_room();
        let data = cluster.data();
        cluster.runs("initdb", &["--auth=trust", "--username=office", "--no-sync", "-D", &data]);
        cluster.start();
        cluster.runs("createdb", &["-h", &cluster.socket(), "-U", "office", "office"]);
        Some(cluster)
    }

    fn makes_room(&self) {
        let _ = fs::remove_dir_all(&self.dir);
        fs::create_dir_all(&self.dir).expect("a folder");
        if is_root() {
            let owned = Command::new("chown").arg("postgres").arg(&self.dir).status().expect("chown runs");
            assert!(owned.success());
        }
    }

    fn data(&self) -> String {
        self.dir.join("data").display().to_string()
    }

    fn socket(&self) -> String {
        self.dir.display().to_string()
    }

    pub(crate) fn start(&self) {
        let options = format!("-k {} -c listen_addresses= -c max_connections=200", self.socket());
        let log = self.dir.join("log").display().to_string();
        self.runs("pg_ctl", &["-w", "-D", &self.data(), "-l", &log, "-o", &options, "start"]);
    }

    /// A standby that streams from this one, in a folder of its own; it is not started.
    pub(crate) fn standby(&self, name: &str) -> Self {
        let dir = self.dir.with_file_name(format!("sealed-dice-{name}-{}", std::process::id()));
        let standby = Self { dir, programs: self.programs.clone() };
        standby.makes_room();
        standby.runs(
            "pg_basebackup",
            &["-h", &self.socket(), "-U", "office", "-R", "-X", "stream", "-D", &standby.data()],
        );
        standby
    }

    /// A standby takes over.
    pub(crate) fn promote(&self) {
        self.runs("pg_ctl", &["-w", "-D", &self.data(), "promote"]);
    }

    /// Runs statements.
    pub(crate) fn says(&self, statements: &str) {
        self.runs(
            "psql",
            &["-X", "-q", "-h", &self.socket(), "-U", "office", "-v", "ON_ERROR_STOP=1", "-c", statements, "office"],
        );
    }

    /// Waits until something is so.
    pub(crate) fn waits_until(&self, condition: &str) {
        let check = format!(
            "DO $$ BEGIN FOR i IN 1..1000 LOOP PERFORM pg_stat_clear_snapshot(); IF ({condition}) THEN RETURN; END IF; \
            PERFORM pg_sleep(0.02); END LOOP; RAISE 'it does not come to that'; END $$"
        );
        self.says(&check);
    }

    /// Stops it as a power cut would.
    pub(crate) fn stop(&self) {
        self.runs("pg_ctl", &["-w", "-D", &self.data(), "-m", "immediate", "stop"]);
    }

    /// The address of the database.
    pub(crate) fn url(&self) -> String {
        self.url_with(&[])
    }

    /// The address of the same database on this server or another.
    pub(crate) fn url_with(&self, others: &[&Self]) -> String {
        let sockets = std::iter::once(self).chain(others.iter().copied());
        let sockets: Vec<String> = sockets.map(|cluster| cluster.socket().replace('/', "%2F")).collect();
        format!("postgres://office@{}/office", sockets.join(","))
    }

    fn runs(&self, program: &str, args: &[&str]) {
        let program = self.programs.join(program);
        let mut command = match is_root() {
            true => {
                let mut command = Command::new("runuser");
                command.args(["-u", "postgres", "--"]).arg(program);
                command
            }
            false => Command::new(program),
        };
        let output = command.args(args).current_dir(&self.dir).stdin(Stdio::null()).output().expect("it runs");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A box in a database that no office can write as long as this is there.
pub(crate) struct Held {
    threads: tokio::runtime::Runtime,
    client: tokio_postgres::Client,
}

impl Cluster {
    /// Holds a box, which is open.
    pub(crate) fn holds(&self, game: Hex32) -> Held {
        let threads = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
        let client = threads.block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&self.url(), tokio_postgres::NoTls).await.expect("a connection");
            tokio::spawn(connection);
            client.batch_execute("BEGIN").await.expect("begun");
            let held = client.query("SELECT 1 FROM box WHERE game = $1 FOR UPDATE", &[&game.0.as_slice()]).await;
            assert_eq!(held.expect("held").len(), 1);
            client
        });
        Held { threads, client }
    }
}

impl Held {
    /// Waits until so many have decided, and wait to write.
    pub(crate) fn is_awaited_by(&self, count: i64) {
        const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
        for _ in 0..1_000 {
            let waiting = self.threads.block_on(self.client.query_one(WAITING, &[])).expect("a number");
            if waiting.get::<_, i64>(0) >= count {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("fewer than {count} wait to write");
    }

    pub(crate) fn lets_go(self) {
        self.threads.block_on(self.client.batch_execute("COMMIT")).expect("let go");
    }
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().expect("id runs");
    output.stdout == b"0\n"
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self.dir.join("data/postmaster.pid").exists() {
            let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.stop()));
            drop(stopped);
        }
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// An office's folder.
pub(crate) struct Premises {
    pub(crate) home: PathBuf,
    /// The address of its database, if that is a server's.
    database: Option<String>,
    /// More of its environment.
    pub(crate) environment: Mutex<Vec<(String, String)>>,
}

/// An office that serves, killed when it is dropped.
pub(crate) struct Running {
    child: Child,
    pub(crate) url: String,
    pub(crate) operations: String,
}

impl Premises {
    /// Makes an office.
    pub(crate) fn made(name: &str, database: Option<String>) -> Self {
        let premises = Self { home: crate::folder(name).join("office"), database, environment: Mutex::default() };
        let told = premises.does(&["office", "init", "--no-passphrase"]);
        assert!(told.contains("start the office with:"), "{told}");
        premises
    }

    /// One in a folder that is there, with its database in a file.
    pub(crate) fn at(home: PathBuf) -> Self {
        Self { home, database: None, environment: Mutex::default() }
    }

    pub(crate) fn program(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sealed-dice"));
        command.arg("--home").arg(&self.home).args(args).stdin(Stdio::null());
        command.env("SEALED_DICE_OFFICE_LISTEN", "127.0.0.1:0").env("SEALED_DICE_OFFICE_OPERATIONS", "127.0.0.1:0");
        for uncounted in ["REQUESTS_A_SECOND", "BOXES_A_DAY", "BYTES_A_DAY"] {
            command.env(format!("SEALED_DICE_OFFICE_{uncounted}"), "0");
        }
        command.env_remove("SEALED_DICE_PASSPHRASE_FILE");
        if let Some(url) = &self.database {
            command.env("SEALED_DICE_OFFICE_DATABASE", url);
        }
        command.envs(self.environment.lock().expect("it").iter().cloned());
        command
    }

    /// What a command says that must do what it is told to.
    pub(crate) fn does(&self, args: &[&str]) -> String {
        let (code, told) = self.tries(args);
        assert_eq!(code, Some(0), "{args:?}: {told}");
        told
    }

    pub(crate) fn is_refused(&self, args: &[&str]) -> String {
        let (code, told) = self.tries(args);
        assert!(matches!(code, Some(1 | 2)), "{args:?}: {told}");
        told
    }

    fn tries(&self, args: &[&str]) -> (Option<i32>, String) {
        let output = self.program(args).output().expect("the program runs");
        let told = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(told).expect("UTF-8"))
    }

    /// Serves; how it was, if it ends before it does.
    pub(crate) fn try_serve(&self) -> Result<Running, String> {
        let mut command = self.program(&["office", "serve"]);
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program runs");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let mut told = String::new();
        while let Some(Ok(line)) = lines.next() {
            if let Some((_, rest)) = line.split_once("serving on ") {
                let (url, operations) = rest.split_once(", for its operator on ").expect("both");
                let running = Running { child, url: url.to_owned(), operations: operations.to_owned() };
                // Whatever it logs must not fill the pipe.
                std::thread::spawn(move || lines.for_each(drop));
                return Ok(running);
            }
            told.push_str(&line);
        }
        let _ = child.wait();
        Err(told)
    }

    pub(crate) fn serve(&self) -> Running {
        self.try_serve().expect("it serves")
    }

    /// Two processes on one database, each with a witness of its own.
    pub(crate) fn serve_twice(&self) -> (Running, Running) {
        let first = self.serve();
        let own = ("SEALED_DICE_OFFICE_WITNESS".to_owned(), "second.witness".to_owned());
        self.environment.lock().expect("it").push(own);
        let second = self.serve();
        self.environment.lock().expect("it").pop();
        (first, second)
    }

    fn database_file(&self) -> String {
        self.home.join("office.db").display().to_string()
    }

    /// Keeps the database file of an office that has ended, by hand.
    pub(crate) fn keeps(&self) -> Vec<u8> {
        let file = rusqlite::Connection::open(self.database_file()).expect("a database");
        file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("all in one file");
        drop(file);
        fs::read(self.database_file()).expect("a database")
    }

    /// And puts it back.
    pub(crate) fn puts_back(&self, kept: &[u8]) {
        for end in ["-wal", "-shm"] {
            let _ = fs::remove_file(self.database_file() + end);
        }
        fs::write(self.database_file(), kept).expect("a database");
    }

    pub(crate) fn public(&self) -> Hex32 {
        let home = Home::find(Some(self.home.clone())).expect("a home");
        KeyFile::open(&home.key_file()).expect("a key").public()
    }

    /// What the terms of a game say of it.
    pub(crate) fn terms(&self) -> Third {
        let home = Home::find(Some(self.home.clone())).expect("a home");
        let keys = KeyFile::open(&home.key_file()).and_then(|file| file.unlock(None)).expect("a key");
        let deposit = Hex32(wrap::public(keys.deposit()).expect("a key"));
        let deposit = Some(Deposits { key: deposit, notes: true });
        Third { deposit, key: self.public(), name: "Dora".into(), role: role("dora") }
    }

    /// What it signs and opens with.
    pub(crate) fn keys(&self) -> Keys {
        let home = Home::find(Some(self.home.clone())).expect("a home");
        KeyFile::open(&home.key_file()).and_then(|file| file.unlock(None)).expect("keys")
    }
}

impl Running {
    pub(crate) fn client(&self) -> Client {
        Client::new(&self.url)
    }

    /// Ends it as a power cut would.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it runs");
        let _ = self.child.wait();
    }

    /// Asks it to end; how it did.
    pub(crate) fn end(mut self) -> Option<i32> {
        let done = Command::new("kill").arg(self.child.id().to_string()).status().expect("kill runs");
        assert!(done.success());
        self.child.wait().expect("it ends").code()
    }

    /// What it tells its operator of its readiness.
    pub(crate) fn readiness(&self) -> (u16, String) {
        got(&format!("{}/readyz", self.operations))
    }

    /// Whether it tells its operator that it can do its work.
    pub(crate) fn is_ready(&self) -> bool {
        agent().get(format!("{}/readyz", self.operations)).call().is_ok_and(|answer| answer.status().is_success())
    }

    /// How it ends by itself.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// More room for each author than any test fills.
pub(crate) const PLENTY: Share = Share { bytes: u64::MAX, letters: u64::MAX };

/// A game of Ann and Bob through an office, letter by letter.
pub(crate) struct Game {
    label: String,
    office: Hex32,
    ann: Signer,
    bob: Signer,
    /// The referee, if the terms name one.
    carol: Option<Signer>,
    pub(crate) charter: Letter,
    pub(crate) letters: Vec<Letter>,
}

impl Game {
    /// Ann's terms; nobody has accepted them.
    pub(crate) fn proposed(label: &str, office: Third) -> Self {
        Self::proposed_with(label, office, |_| ())
    }

    /// The same, changed before they are signed.
    pub(crate) fn proposed_with(label: &str, office: Third, change: impl FnOnce(&mut Charter)) -> Self {
        Self::made(label, office, false, change)
    }

    /// The same with a referee, who has accepted already.
    pub(crate) fn refereed(label: &str, office: Third, change: impl FnOnce(&mut Charter)) -> Self {
        Self::made(label, office, true, change)
    }

    fn made(label: &str, office: Third, refereed: bool, change: impl FnOnce(&mut Charter)) -> Self {
        let signer = |name: &str, others: &[&str]| {
            let vault = Secret::new(bytes(&format!("{label}: vault of {name}")).0);
            let mut signer = Signer::new(role(name), kit::key(&format!("key of {name}")), vault, role(others[0]));
            let here = |other: &&&str| **other != "carol" || refereed;
            others[1..].iter().filter(here).for_each(|other| signer.with_other(role(other)));
            signer
        };
        let (mut ann, bob) = (signer("ann", &["bob", "carol", "dora"]), signer("bob", &["ann", "carol", "dora"]));
        let mut carol = refereed.then(|| signer("carol", &["ann", "bob", "dora"]));
        let mut charter = kit::Table::before(label).charter();
        charter.foul_up.revealer = Revealer::Office;
        charter.phases.iter_mut().for_each(|phase| phase.revealer = Revealer::Office);
        let key = office.key;
        charter.office = Some(office);
        charter.referee = carol.as_ref().map(|carol| Third {
            deposit: None,
            key: public(carol.key()),
            name: "Carol".into(),
            role: role("carol"),
        });
        change(&mut charter);
        let charter = ann.propose(charter).expect("a charter");
        let nonce = bytes(&format!("{label}: carol accepts"));
        let accept = carol.as_mut().map(|carol| carol.accept(&charter.message, true, nonce).expect("an accept"));
        let letters = std::iter::once(charter.clone()).chain(accept).collect();
        Self { label: label.into(), office: key, ann, bob, carol, letters, charter }
    }

    /// The same, begun, with an envelope set of Bob's that the office holds.
    pub(crate) fn begun(label: &str, premises: &Premises, client: &Client) -> Self {
        let mut game = Self::proposed(label, premises.terms());
        game.open(client).expect("a box");
        game.accepted();
        game.sealed("1/1/ann-first/1");
        game.leave(client).expect("taken");
        game
    }

    pub(crate) fn id(&self) -> Hex32 {
        self.charter.message.id()
    }

    /// Leaves the charter, and takes the office's accept.
    pub(crate) fn open(&mut self, client: &Client) -> Result<Taken, Away> {
        let taken = client.open(&self.charter.armour(), None)?;
        self.take(&taken);
        Ok(taken)
    }

    /// Takes what the office has answered.
    pub(crate) fn take(&mut self, taken: &Taken) {
        for letter in taken.letters.iter().flat_map(|placed| opened(&placed.letter)) {
            if self.letters.iter().all(|known| known.message.id() != letter.message.id()) {
                self.letters.push(letter);
            }
        }
    }

    pub(crate) fn accepted(&mut self) {
        self.accepted_as("bob accepts");
    }

    /// Bob accepts with a nonce of this name: with another one it is another game.
    pub(crate) fn accepted_as(&mut self, nonce: &str) {
        let accepts = self.letters.iter().filter(|letter| letter.message.head().kind == Kind::Accept);
        accepts.for_each(|accept| self.bob.see(&accept.message));
        let nonce = bytes(&format!("{}: {nonce}", self.label));
        let accept = self.bob.accept(&self.charter.message, true, nonce).expect("an accept");
        self.letters.push(accept);
    }

    /// Bob seals envelopes, and deposits them.
    pub(crate) fn sealed(&mut self, at: &str) -> Hex32 {
        let salt = bytes(&format!("{}: salt of {at}", self.label));
        let (letter, deposit) = self.replayed(|ledger, game| {
            let mut signer = Signer::resume(ledger, Player::Second, game.bob.key().clone(), game.vault("bob"));
            let seal = signer.seal(ledger.terms, SetKind::Coin, at, 5, salt, None).expect("a seal");
            let letter = signer.write(Body::Seal(seal)).expect("a letter");
            (letter, signer)
        });
        let seal = letter.message.id();
        self.letters.push(letter);
        let signer = deposit;
        let wrapped = self.replayed(|ledger, game| {
            let to = ledger.terms.charter.office.as_ref().expect("an office").deposit.as_ref().expect("a key");
            let set = ledger.set(&seal).expect("a set");
            let master = signer.master(ledger, &seal).expect("its secret");
            let body = Body::Deposit(deposit_of(to, set, &master, &bytes(&format!("{}: wraps {at}", game.label))));
            asks::unnumbered(ledger.terms, author(Bob), ledger.game, body, signer.key()).expect("a deposit")
        });
        self.letters.push(wrapped);
        seal
    }

    fn vault(&self, name: &str) -> Secret {
        Secret::new(bytes(&format!("{}: vault of {name}", self.label)).0)
    }

    /// The key of a party.
    pub(crate) fn key(&self, who: Who) -> &PrivateKey {
        match who {
            Ann => self.ann.key(),
            Bob => self.bob.key(),
            Carol => self.carol.as_ref().expect("a referee").key(),
            Dora => panic!("the office has it"),
        }
    }

    /// Somebody's next letter, who knows all that is here.
    pub(crate) fn signs(&mut self, who: Who, body: Body) -> Hex32 {
        let letter = self.replayed(|ledger, game| {
            let mut signer = Signer::resume_as(ledger, author(who), game.key(who).clone(), game.vault("nobody"));
            signer.write(body).expect("a letter")
        });
        self.letters.push(letter);
        self.letters.last().expect("it").message.id()
    }

    /// Letters of Bob's that change nothing, one behind the other.
    pub(crate) fn talk(&mut self, count: usize, text: &str) -> Vec<Letter> {
        let (game, key) = (self.id(), self.key(Bob).clone());
        let letters = self.replayed(|ledger, own| {
            let mut signer = Signer::resume_as(ledger, Author::Player(Player::Second), key, own.vault("nobody"));
            let dispute = |n| Dispute { letters: vec![game], text: format!("{n}: {text}") };
            let mut said = |n| signer.write(Body::Claim(Claim::Dispute(dispute(n)))).expect("a letter");
            (0..count).map(&mut said).collect::<Vec<Letter>>()
        });
        self.letters.extend(letters.iter().cloned());
        letters
    }

    /// Somebody asks what the others hold (keys 3); the message is not among the letters here.
    pub(crate) fn asks(&self, who: Who, nonce: &str) -> Letter {
        let ask = Body::Resync(Resync::Ask(bytes(nonce)));
        self.replayed(|ledger, game| asks::unnumbered(ledger.terms, author(who), ledger.game, ask, game.key(who)))
            .expect("an ask")
    }

    /// A declaration of Ann's, which she signs and nobody else has. Of one game state she may sign several.
    pub(crate) fn declared(&self, at: &str, attacks: &[(&str, &str)], seal: Hex32) -> Letter {
        self.declared_behind(&self.letters.iter().collect::<Vec<_>>(), at, attacks, seal)
    }

    /// The same of the game's letters that she says she has.
    pub(crate) fn declared_behind(&self, known: &[&Letter], at: &str, attacks: &[(&str, &str)], seal: Hex32) -> Letter {
        let contribution = bytes(&format!("{}: {at} {attacks:?}", self.label));
        let known: Vec<&Verified> = known.iter().map(|letter| &letter.message).collect();
        let game = self;
        kit::replayed(&known, |ledger| {
            let mut signer = Signer::resume(ledger, Player::First, game.ann.key().clone(), game.vault("ann"));
            let request = Request {
                slot: slot(at),
                moves: Moves::Text("Guards to E11.".into()),
                input: text(&kit::attacks(attacks)),
                seal,
                contribution: Contribution::Open(contribution),
                redo: None,
            };
            let declare = steps::declaration(ledger, Player::First, request).expect("a declaration");
            signer.write(Body::Declare(Box::new(declare))).expect("a letter")
        })
    }

    /// Ann's next letter, which declares once more what a letter of hers has declared: a breach, past the program.
    pub(crate) fn again(&self, one: &Letter) -> Letter {
        let mut head = one.message.head().clone();
        head.number += 1;
        head.prev = Some(one.message.id());
        self.forged(head, one.message.body().clone())
    }

    /// A letter of Ann's with any head.
    fn forged(&self, head: Head, body: Body) -> Letter {
        let (message, frame) = Verified::sign(head, body, self.ann.key()).expect("a letter of good form");
        Letter { message, frame }
    }

    fn replayed<T>(&self, look: impl FnOnce(&sealed_dice::game::ledger::Ledger<'_>, &Self) -> T) -> T {
        let letters: Vec<&Verified> = self.letters.iter().map(|letter| &letter.message).collect();
        kit::replayed(&letters, |ledger| look(ledger, self))
    }

    /// Leaves every letter, and takes the answer.
    pub(crate) fn leave(&mut self, client: &Client) -> Result<Taken, Away> {
        let text: String = self.letters.iter().map(|letter| letter.armour() + "\n").collect();
        let taken = client.post(self.id(), &text, &self.pass())?;
        self.take(&taken);
        Ok(taken)
    }

    /// Ann's pass.
    pub(crate) fn pass(&self) -> String {
        self.pass_of(self.ann.key())
    }

    /// The pass of whoever has a key.
    pub(crate) fn pass_of(&self, key: &PrivateKey) -> String {
        Pass::sign(self.office, now() + 1_000, key).expect("a pass")
    }

    /// Everything in the box.
    pub(crate) fn fetched(&self, client: &Client) -> Vec<Letter> {
        let (mut letters, mut after) = (Vec::new(), 0);
        loop {
            let page = client.page(self.id(), after, &self.pass()).expect("a page");
            letters.extend(page.letters.iter().flat_map(|placed| opened(&placed.letter)));
            after = page.next;
            if !page.more {
                return letters;
            }
        }
    }
}

fn deposit_of(
    to: &Deposits,
    set: &sealed_dice::game::set::Set<'_>,
    master: &Secret,
    randomness: &Hex32,
) -> sealed_dice::blob::deposits::Deposit {
    deposit(to, set, master, &Secret::new(randomness.0)).expect("a deposit")
}

pub(crate) fn public(key: &PrivateKey) -> Hex32 {
    Hex32(*key.public().as_bytes())
}

const fn author(who: Who) -> Author {
    match who {
        Ann => Author::Player(Player::First),
        Bob => Author::Player(Player::Second),
        Carol => Author::Referee,
        Dora => Author::Office,
    }
}

/// The letters of a text.
pub(crate) fn opened(text: &str) -> Vec<Letter> {
    let keys = Senders::default();
    let frames = armour::find(text.as_bytes()).into_iter().map(|blob| blob.frame.expect("a frame"));
    frames.map(|frame| Letter { message: Verified::open(&frame, &keys).expect("a letter"), frame }).collect()
}

pub(crate) fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock").as_secs()
}

/// The same letter signed with another key: past the program.
pub(crate) fn signed_again(letter: &Letter, key: &PrivateKey) -> Letter {
    let (head, body) = (letter.message.head().clone(), letter.message.body().clone());
    let (message, frame) = Verified::sign(head, body, key).expect("a letter of good form");
    Letter { message, frame }
}

/// What an audit of letters finds, as its JSON has it.
pub(crate) fn audited<'l>(letters: impl IntoIterator<Item = &'l Letter>) -> serde_json::Value {
    let reads =
        letters.into_iter().map(|letter| audit::Read { place: String::new(), letter: Ok(letter.message.clone()) });
    let reads: Vec<audit::Read> = reads.collect();
    let reports = serde_json::to_value(audit::audit(&reads)).expect("reports");
    assert_eq!(reports.as_array().map(Vec::len), Some(1), "one game: {reports}");
    reports[0].clone()
}

/// The office's reveals among letters.
pub(crate) fn reveals(letters: &[Letter]) -> Vec<&Letter> {
    letters
        .iter()
        .filter(|letter| letter.message.head().author == role("dora") && letter.message.head().kind == Kind::Reveal)
        .collect()
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false);
    config.timeout_global(Some(Duration::from_secs(20))).build().into()
}

/// What an address answers to a plain request.
pub(crate) fn got(url: &str) -> (u16, String) {
    let mut answer = agent().get(url).call().expect("an answer");
    (answer.status().as_u16(), answer.body_mut().read_to_string().expect("a text"))
}

/// And to a text that is left there with a pass: status, type and text.
pub(crate) fn sent(url: &str, pass: &str, text: &str) -> (u16, String, String) {
    let request = agent().post(url).header("authorization", pass).content_type("text/plain");
    let mut answer = request.send(text).expect("an answer");
    let kind = answer.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_owned();
    (answer.status().as_u16(), kind, answer.body_mut().read_to_string().expect("a text"))
}

/// The lines of an answer that does not end, as they come.
pub(crate) fn streamed(url: &str, pass: &str) -> impl Iterator<Item = String> + Send + use<> {
    let answer = ureq::get(url).header("authorization", pass).call().expect("a stream");
    BufReader::new(answer.into_body().into_reader()).lines().map_while(Result::ok)
}

/// What a letter has cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// How many letters were taken or replayed.
    pub(crate) replayed: usize,
    /// How many declarations, and sets without a receipt, were looked at.
    pub(crate) looked_at: usize,
    #[allow(dead_code, reason = "only the measurements print it")]
    pub(crate) took: Duration,
}

/// How many turns are rolled for each length of a game that grows.
const TURNS: usize = 6;

/// What letters cost in a game that grows to these lengths: another letter, a declaration, and the same declaration again.
pub(crate) fn curve(name: &str, sizes: &[usize]) -> Vec<[Cost; 3]> {
    let premises = Premises::made(name, None);
    let keys = premises.keys();
    let mut game = Game::proposed(name, premises.terms());
    let mut mailbox = Mailbox::new(game.charter.clone(), PLENTY).expect("terms");
    mailbox.push(mailbox.accept(&keys).expect("its own terms").expect("not accepted yet"));
    game.letters.push(mailbox.at(2).expect("an accept").clone());
    game.accepted();
    let mut leave = |letters: Vec<Letter>, game: &mut Game| {
        let told = mailbox.told(&letters);
        let begun = Instant::now();
        let decision = |letters| mailbox.decide(letters, &keys, 1_000, Mode::Signs).expect("a decision");
        let mut decision = told.unwrap_or_else(|| decision(letters));
        let took = begun.elapsed();
        assert!(decision.refused.is_empty() && decision.broke.is_none(), "{decision:?}");
        let signed = decision.letters.len() - decision.signed;
        game.letters.extend(decision.letters.iter().skip(signed).cloned());
        let cost = Cost { replayed: decision.replayed, looked_at: decision.looked_at, took };
        mailbox.stored(&mut decision);
        cost
    };
    let slots = |n: usize| (0..TURNS).map(move |i| format!("{}/1/ann-first/1", n * TURNS + i + 1));
    let mut known = 2;
    let costs = sizes.iter().enumerate().map(|(n, size)| {
        let seals: Vec<(String, Hex32)> = slots(n).map(|slot| (slot.clone(), game.sealed(&slot))).collect();
        let begin = game.letters[known..].to_vec();
        leave(begin, &mut game);
        let ((last, seal), turns) = seals.split_last().expect("turns");
        for (slot, seal) in turns {
            let declared = game.declared(slot, &[("F12", "3-1")], *seal);
            game.letters.push(declared.clone());
            leave(vec![declared], &mut game);
        }
        let more = size - game.letters.len() - 2;
        let filler = game.talk(more, "so much for that");
        leave(filler, &mut game);
        let another = game.talk(1, "and for this");
        let declared = game.declared(last, &[("F12", "3-1")], *seal);
        game.letters.push(declared.clone());
        let costs = [another, vec![declared.clone()], vec![declared]].map(|letters| leave(letters, &mut game));
        known = game.letters.len();
        costs
    });
    costs.collect()
}
