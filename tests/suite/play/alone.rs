//! A whole game through the library's `play` alone, as a page would play it: no terminal, no arguments, no text to take apart.
//! With an office, a preview that is declined, a correction, and a folder that is lost.

use std::{
    cell::{Cell, RefCell},
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use sealed_dice::{
    keep::{
        StorageError,
        home::Home,
        key_file::KeyFile,
        root::{Keys, Root},
        texts::TextFile,
    },
    mail::Mail,
    play::{
        accept,
        charter_file::{table_files::TableFiles, templates::TEMPLATES},
        close,
        correct::{self, Mending},
        declare,
        declaring::{Declaring, Lists, Moved},
        failure::{Failure, Kind, PlayResult},
        game,
        handed::Handed,
        read,
        received::Received,
        reply, resync,
        session::{Person, Question, Reply, Session},
        state::{Block, Status},
        status::{self, Shown},
        step::{Step, Takes},
    },
    primitive::wrap,
};

use super::{ATTACKS, ROLLS, audits};

fn read_from(paths: &[PathBuf]) -> Mail {
    Mail::at(paths).expect("mails")
}

/// Somebody who answers everything alike, and remembers what they were asked.
struct Paper {
    says: Cell<Reply>,
    asked: RefCell<Vec<Question>>,
}

impl Person for Paper {
    fn unlock(&self, file: &KeyFile) -> Result<Keys, StorageError> {
        file.unlock(None)
    }

    fn answers(&self, question: &Question) -> Reply {
        self.asked.borrow_mut().push(question.clone());
        self.says.get()
    }

    fn hears_fingerprint(&self, _: &str) -> Option<String> {
        None
    }

    fn hears(&self, line: &str) {
        panic!("nothing here takes long, or is a guess: {line}");
    }
}

/// A place at the table: a home, and who sits there.
struct Place {
    role: &'static str,
    home: Home,
    person: Paper,
}

impl Place {
    fn new(dir: &Path, role: &'static str) -> Self {
        let home = Home::find(Some(dir.join(role))).expect("a home");
        home.make().expect("a folder");
        KeyFile::create(&home.key_file(), Root::random().expect("randomness"), None).expect("a key");
        Self { role, home, person: Paper { says: Cell::new(Reply::Yes), asked: RefCell::default() } }
    }

    fn session(&self) -> Session<'_> {
        Session { home: &self.home, person: &self.person }
    }

    fn key(&self) -> KeyFile {
        KeyFile::open(&self.home.key_file()).expect("a key")
    }

    fn status(&self) -> Status {
        match status::status(&self.home, None).expect("a status") {
            Shown::One(status, 0) => *status,
            shown => panic!("one game, and nothing beside it: {shown:?}"),
        }
    }

    fn questions(&self) -> Vec<Question> {
        self.person.asked.take()
    }

    fn letters(&self) -> PathBuf {
        self.home.games().join(self.status().name).join("letters")
    }
}

/// The table, and every mail that was sent.
struct Table {
    dir: PathBuf,
    places: [Place; 3],
    mails: RefCell<Vec<PathBuf>>,
}

impl Table {
    fn bob(&self) -> &Place {
        &self.places[1]
    }

    fn club(&self) -> &Place {
        &self.places[2]
    }

    /// What a verb hands over is mailed, and the two others read it.
    fn mails(&self, from: &Place, handed: PlayResult<Handed>) -> Vec<Received> {
        let mail = handed.expect("it is signed").mail.expect("a mail");
        let path = self.dir.join(format!("mail-{}.txt", self.mails.borrow().len()));
        fs::write(&path, mail.text()).expect("a mail");
        self.mails.borrow_mut().push(path.clone());
        let others = self.places.iter().filter(|place| place.role != from.role);
        others
            .map(|other| {
                let (received, news) =
                    read::read(&other.home, read_from(std::slice::from_ref(&path)), &[]).expect("it is read");
                assert!(news.is_empty() && received.refused.is_empty(), "{received:?} {news:?}");
                received
            })
            .collect()
    }

    /// Whoever has nothing to choose replies, until nobody has.
    fn replies(&self) {
        let owes = |place: &&Place| place.status().steps == [Step::Reply];
        for _ in 0..16 {
            let Some(place) = self.places.iter().find(owes) else { return };
            self.mails(place, reply::reply(&place.session(), None));
        }
        panic!("somebody owes a reply for ever");
    }
}

/// The template with an office, and in the names of these three.
fn terms(table: &Table) -> TextFile {
    let (_, template) = TEMPLATES.iter().find(|(name, _)| *name == "double-impulse").expect("a template");
    let keys = table.club().key().unlock(None).expect("keys");
    let deposit = hex::encode(wrap::public(keys.deposit()).expect("a key"));
    let club = table.club().key().public();
    let office = format!(
        "[office]\nrole = \"club\"\nname = \"The club\"\nkey = \"{club}\"\ndeposit = \"{deposit}\"\n\n[opponent]"
    );
    let text = template
        .replace("PUT THEIR KEY HERE", &table.bob().key().public().to_string())
        .replace("hexes = \"PUT IT HERE\"", "hexes = \"F12\"")
        .replacen("[opponent]", &office, 1);
    TextFile { path: table.dir.join("terms.toml"), text }
}

fn sheet(text: &str) -> TextFile {
    TextFile { path: "sheet.csv".into(), text: text.into() }
}

/// A declaration of whatever is next.
fn declaring(list: &str) -> Declaring {
    let moved = Moved::Words("the 3rd crosses the river".into());
    Declaring { slot: None, lists: Lists::File(sheet(list)), moved, again: false, skip: false }
}

/// Whether a step declares a slot, with what.
fn declares(step: &Step, at: &str, with: Takes) -> bool {
    matches!(step, Step::Declare { slot, takes, skip: false, .. } if slot.to_string() == at && *takes == with)
}

/// Terms are declined in a preview, then proposed, and accepted by both others.
fn begin(table: &Table) {
    let [ann, bob, club] = &table.places;
    let terms = terms(table);
    ann.person.says.set(Reply::No);
    let declined: Failure = game::propose(&ann.session(), &terms, &TableFiles::Beside, None).expect_err("she says no");
    assert!(declined.kind == Kind::Refused && fs::read_dir(ann.home.games()).is_err(), "{declined:?}");
    assert!(matches!(ann.questions().as_slice(), [Question::WithoutPage(_)]), "a page is asked for before the terms");
    ann.person.says.set(Reply::Yes);
    table.mails(ann, game::propose(&ann.session(), &terms, &TableFiles::Beside, None));
    let asked = ann.questions();
    let [Question::WithoutPage(_), Question::Sign { lines, ends: false, .. }] = asked.as_slice() else {
        panic!("{asked:?}")
    };
    assert!(lines.iter().any(|line| line.contains("Our campaign")), "{lines:?}");
    assert_eq!(ann.status().also, [Step::Withdraw]);
    assert_eq!(bob.status().steps, [], "the club goes first: {:?}", bob.status().waits_for);
    table.mails(club, accept::accept(&club.session(), None, &[]));
    assert_eq!(bob.status().steps, [Step::AcceptTerms]);
    table.mails(bob, accept::accept(&bob.session(), None, &[ann.key().fingerprint()]));
    assert!(
        bob.questions().iter().any(|question| matches!(question, Question::Setting(_))),
        "the office is asked about"
    );
    table.replies();
    assert!(ann.status().begun && bob.status().begun);
}

/// Ann's first impulse is rolled on a list that was the wrong one, which both agree to correct.
fn correct_a_list(table: &Table) {
    let [ann, bob, _] = &table.places;
    let first = "1/1/ann-first/1";
    assert!(ann.status().steps.iter().any(|step| declares(step, first, Takes::Attacks)), "{:?}", ann.status().steps);
    let unsaid = Declaring { moved: Moved::Unsaid, ..declaring(ATTACKS) };
    let failure = declare::declare(&ann.session(), None, &unsaid).expect_err("nothing is said to have moved");
    assert_eq!(failure.kind, Kind::Unable);
    table.mails(ann, declare::declare(&ann.session(), None, &declaring(ATTACKS)));
    table.replies();
    let mending = Mending::Propose {
        slot: first.into(),
        class: sealed_dice::blob::body::FoulUpClass::WrongList,
        at_fault: "ann".into(),
        reason: "G13 was 4-1".into(),
        sheet: Some(sheet(&ATTACKS.replace("G13,5-1", "G13,4-1"))),
        keep_dice: false,
    };
    table.mails(ann, correct::correct(&ann.session(), None, &mending));
    let status = bob.status();
    let [Step::Agree(id), Step::Refuse(same)] = status.steps.as_slice() else { panic!("{:?}", status.steps) };
    assert!(id == same && status.choice);
    table.mails(bob, correct::correct(&bob.session(), None, &Mending::Accept(id.as_str().into())));
    let again = |step: &Step| matches!(step, Step::DeclareAgain { slot, .. } if slot.to_string() == first);
    assert!(ann.status().steps.iter().any(again), "{:?}", ann.status().steps);
    let redo = Declaring { lists: Lists::Unsaid, moved: Moved::Unsaid, again: true, ..declaring(ATTACKS) };
    table.mails(ann, declare::declare(&ann.session(), None, &redo));
    table.replies();
}

/// Ann's folder and all that her machine remembers are gone: her key and the mails bring her back.
fn lose_a_folder(table: &Table, machine: &Path) {
    let [ann, bob, club] = &table.places;
    fs::remove_dir_all(ann.home.games()).expect("it was there");
    let remembered = fs::read_dir(machine.join("signed")).expect("a machine").map(|file| file.expect("a file").path());
    for file in remembered.filter(|file| file.to_string_lossy().ends_with("-ann.txt")) {
        fs::remove_file(file).expect("it was there");
    }
    let (received, _) = read::read(&ann.home, read_from(&table.mails.borrow()), &[]).expect("old mails");
    let status = ann.status();
    assert!(matches!(&status.blocked, Some((Block::Asks, _))), "{:?}", status.blocked);
    assert_eq!(status.steps, [Step::Resync]);
    assert!(!received.games[0].mind.is_empty(), "letters of her own are pointed out: {received:?}");
    let blocked = declare::declare(&ann.session(), None, &declaring(ROLLS)).expect_err("she asks first");
    assert_eq!(blocked.kind, Kind::Refused);
    table.mails(ann, resync::resync(&ann.session(), None, &[]));
    assert!(matches!(&ann.status().blocked, Some((Block::Waits, _))));
    for place in [bob, club] {
        assert_eq!(place.status().steps[0], Step::Reply, "{:?}", place.status().steps);
        table.mails(place, reply::reply(&place.session(), None));
    }
    assert_eq!(ann.status().blocked, None);
}

fn played(machine: &Path) {
    let dir = crate::folder("play-alone");
    let places = ["ann", "bob", "club"].map(|role| Place::new(&dir, role));
    let table = Table { dir, places, mails: RefCell::default() };
    begin(&table);
    correct_a_list(&table);
    lose_a_folder(&table, machine);
    let [ann, bob, _] = &table.places;
    let second = "1/2/ann-second/1";
    assert!(ann.status().steps.iter().any(|step| declares(step, second, Takes::Rolls)), "{:?}", ann.status().steps);
    table.mails(ann, declare::declare(&ann.session(), None, &declaring(ROLLS)));
    table.replies();
    ann.questions();
    table.mails(ann, close::close(&ann.session(), None, Some("a draw".into())));
    let asked = ann.questions();
    assert!(matches!(asked.as_slice(), [Question::Sign { ends: true, mind, .. }] if !mind.is_empty()), "{asked:?}");
    table.replies();
    for place in [ann, bob] {
        assert!(place.status().closed, "{:?}", place.status());
        let [ours, theirs] = audits(&place.letters());
        assert_eq!(ours, theirs);
        assert_eq!((&ours[0]["verdict"], ours[0]["missing"].as_array().map(Vec::len)), (&"verified".into(), Some(0)));
        assert_eq!(
            ours[0]["rolls"].as_array().map(Vec::len),
            Some(8),
            "three attacks twice, and two cells: {}",
            ours[0]
        );
    }
}

/// Set for the process that plays the game.
const MACHINE: &str = "PLAYED_ON_MACHINE";

/// The test runs itself once more, in a process whose signing journal lies in a folder of its own.
#[test]
fn a_whole_game_is_played_with_values_alone() {
    if let Some(machine) = env::var_os(MACHINE) {
        return played(Path::new(&machine));
    }
    let machine = crate::folder("play-alone-machine");
    let played = Command::new(env::current_exe().expect("this test"))
        .args(["play::alone::a_whole_game_is_played_with_values_alone", "--exact", "--nocapture"])
        .env("SEALED_DICE_STATE", &machine)
        .env(MACHINE, &machine)
        .output()
        .expect("it runs");
    let told = [played.stdout, played.stderr].map(|told| String::from_utf8_lossy(&told).into_owned()).concat();
    assert!(played.status.success() && told.contains("1 passed"), "{told}");
}
