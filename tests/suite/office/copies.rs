//! Copies of an office's database, and what becomes of one whose making dies: there is a whole one or none, and it says
//! that it is a copy.

use std::{fs, path::Path, process::Stdio, thread, time::Duration};

use super::{
    service::{FIRST, SLOT, letters, posted, seal_of},
    world::{Game, Premises, reveals},
};

/// Where the making of a copy may die.
#[cfg(feature = "fail-points")]
const PLACES: [&str; 5] = ["copy-begun", "copy-filled", "copy-marked", "copy-whole", "copy-named"];

/// An office with one game, which it has opened something in since a first copy was made.
struct Copied {
    premises: Premises,
    game: Game,
    copy: String,
}

impl Copied {
    fn made(name: &str) -> Self {
        let premises = Premises::made(name, None);
        let copy = premises.home.join("copy.db").display().to_string();
        let office = premises.serve();
        let mut game = Game::begun(name, &premises, &office.client());
        premises.does(&["office", "backup", &copy]);
        let declared = game.declared(SLOT, &FIRST, seal_of(&game));
        game.take(&posted(&game, &office.client(), &[&declared]));
        assert_eq!(reveals(&game.letters).len(), 1);
        assert_eq!(office.end(), Some(0));
        Self { premises, game, copy }
    }

    fn database(&self) -> String {
        self.premises.home.join("office.db").display().to_string()
    }

    /// Types a command that dies at a place, if it comes there.
    #[cfg(feature = "fail-points")]
    fn dies(&self, args: &[&str], place: &str) {
        *self.premises.environment.lock().expect("it") = vec![("FAILPOINTS".into(), format!("{place}=return"))];
        let output = self.premises.program(args).output().expect("the program runs");
        self.premises.environment.lock().expect("it").clear();
        assert_eq!(output.status.code(), None, "it dies at {place}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Types a command that is killed after some time, or has ended before.
    fn is_killed(&self, args: &[&str], after: Duration) {
        let mut command = self.premises.program(args);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs");
        thread::sleep(after);
        let _ = child.kill();
        child.wait().expect("it ends");
    }

    /// That there is a whole copy, which says what it is, or nothing; whether there is one.
    fn is_whole_or_not_there(&self, copy: &str) -> bool {
        let is_there = Path::new(copy).exists();
        if is_there {
            let beside = Premises::at(self.premises.home.with_file_name("beside"));
            let _ = fs::remove_dir_all(&beside.home);
            fs::create_dir_all(&beside.home).expect("a folder");
            fs::copy(self.premises.home.join("key.txt"), beside.home.join("key.txt")).expect("a key");
            fs::copy(copy, beside.home.join("office.db")).expect("a copy");
            assert!(beside.does(&["office", "check"]).contains("good: 1 box, "));
            // Only a database that was restored takes an epoch.
            assert!(beside.does(&["office", "epoch"]).contains("declared"), "it is marked");
        }
        is_there
    }

    /// The office has what it had, and nothing says that it was restored.
    fn is_as_before(&self) {
        assert!(self.premises.does(&["office", "check"]).contains("good: 1 box, "));
        assert!(self.premises.is_refused(&["office", "epoch"]).contains("nothing was restored"));
        let office = self.premises.serve();
        let held = self.game.fetched(&office.client());
        assert_eq!(reveals(&held), reveals(&self.game.letters));
        assert_eq!(office.end(), Some(0));
    }

    fn is_lost(&self) {
        for end in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(self.database() + end);
        }
    }

    /// The office stands on a copy: it has the game without the reveal, and signs nothing.
    fn is_restored(&self) {
        assert!(self.premises.does(&["office", "check"]).contains("good: 1 box, "));
        let office = self.premises.serve();
        let client = office.client();
        assert!(reveals(&self.game.fetched(&client)).is_empty());
        let other =
            self.game.letters.iter().find(|letter| letter.message.head().kind == sealed_dice::blob::Kind::Declare);
        let taken = posted(&self.game, &client, &[other.expect("a declaration")]);
        assert!(taken.restored && reveals(&letters(&taken)).is_empty(), "{taken:?}");
        assert_eq!(office.end(), Some(0));
    }

    /// After a death while a copy was made: what there is, and the same typed again.
    fn backs_up_after_all(&self, to: &str) {
        self.is_as_before();
        let again = ["office", "backup", to];
        match self.is_whole_or_not_there(to) {
            true => assert!(self.premises.is_refused(&again).contains("already exists")),
            false => assert!(self.premises.does(&again).contains("copied and checked")),
        }
        assert!(self.is_whole_or_not_there(to));
        self.leaves_nothing_beside(to);
        fs::remove_file(to).expect("a copy");
    }

    /// The same while one was brought back.
    fn restores_after_all(&self) {
        let again = ["office", "restore", &self.copy];
        match self.is_whole_or_not_there(&self.database()) {
            true => assert!(self.premises.is_refused(&again).contains("it knows more than a copy")),
            false => assert!(self.premises.does(&again).contains("restored")),
        }
        self.leaves_nothing_beside(&self.database());
        self.is_restored();
    }

    /// No unfinished file outlives the command that was typed again.
    fn leaves_nothing_beside(&self, copy: &str) {
        let unfinished = |name: &String| name.contains(".part") && !name.ends_with(".lock");
        let files = fs::read_dir(Path::new(copy).parent().expect("a folder")).expect("files");
        let names = files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
        assert_eq!(names.filter(unfinished).collect::<Vec<_>>(), Vec::<String>::new());
    }
}

#[cfg(feature = "fail-points")]
#[test]
fn a_copy_is_whole_wherever_its_making_dies() {
    let office = Copied::made("office-copy-dies");
    let to = office.premises.home.join("next.db").display().to_string();
    for place in PLACES {
        office.dies(&["office", "backup", &to], place);
        assert_eq!(office.is_whole_or_not_there(&to), place == "copy-named", "{place}");
        office.backs_up_after_all(&to);
    }
    for place in PLACES {
        office.is_lost();
        office.dies(&["office", "restore", &office.copy], place);
        assert_eq!(office.is_whole_or_not_there(&office.database()), place == "copy-named", "{place}");
        office.restores_after_all();
    }
}

#[test]
fn a_copy_is_whole_whenever_its_making_is_killed() {
    let office = Copied::made("office-copy-killed");
    let to = office.premises.home.join("next.db").display().to_string();
    for milliseconds in [2, 5, 8, 11, 15, 20] {
        let after = Duration::from_millis(milliseconds);
        office.is_killed(&["office", "backup", &to], after);
        office.backs_up_after_all(&to);
    }
    for milliseconds in [2, 5, 8, 11, 15, 20] {
        office.is_lost();
        office.is_killed(&["office", "restore", &office.copy], Duration::from_millis(milliseconds));
        office.restores_after_all();
    }
}

/// What SQLite had written beside a database that is gone belongs to that one: a copy under it would be neither.
#[test]
fn no_copy_is_brought_back_onto_what_is_left_of_another_database() {
    let office = Copied::made("office-copy-left");
    let serving = office.premises.serve();
    let mut game = Game::proposed("a second game", office.premises.terms());
    game.open(&serving.client()).expect("a box");
    // A power cut: the last letters lie in the journal alone.
    serving.kill();
    assert!(Path::new(&(office.database() + "-wal")).exists());
    fs::remove_file(office.database()).expect("a database");
    let refused = office.premises.is_refused(&["office", "restore", &office.copy]);
    assert!(refused.contains("-wal"), "{refused}");
    office.is_lost();
    office.premises.does(&["office", "restore", &office.copy]);
    office.is_restored();
}
