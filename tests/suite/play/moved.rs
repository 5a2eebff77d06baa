//! A player goes over to another computer on purpose: one file, no question to anybody, and never two machines that
//! may sign.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use tar::{Archive, Builder, EntryType, Header};

#[cfg(feature = "fail-points")]
use super::program;
use super::{Match, Seated, copy_folder, talk};

/// A game in which Bob's machine remembers outside of his folder; and his new computer, where nothing is yet.
fn begun(name: &str) -> (Match, Seated) {
    let mut table = Match::seated(name);
    table.bob.machine = table.dir.join("bob's machine");
    let terms = table.terms(|terms| terms);
    table.mail(&table.ann, &["game", "new", &terms]);
    table.posts(&table.bob, &["game", "accept"]);
    let accepted = table.mails.borrow().last().expect("a mail").clone();
    table.ann.reads(&accepted);
    let sealed = table.posts(&table.ann, &["reply"]);
    table.bob.reads(&sealed);
    let mut new = Seated::at(table.dir.join("bob's new computer").join("home"));
    new.machine = table.dir.join("bob's new machine");
    (table, new)
}

/// No two letters of Bob's have one number, and nobody is blamed.
fn is_clean(table: &Match) {
    for report in super::audits(&table.ann.letters()) {
        assert_eq!((report.len(), &report[0]["findings"]), (1, &json!([])), "{report:?}");
    }
}

fn note<'a>(table: &Match, name: &'a str, orders: &'a mut String) -> [&'a str; 4] {
    *orders = table.path("orders.txt");
    ["note", "1/3/bob-first/1", name, orders]
}

/// Nothing at all is signed, and each verb says what to do.
fn signs_nothing(table: &Match, old: &Seated, file: &str) {
    let before = fs::read_dir(old.letters()).expect("letters").count();
    let (attacks, orders) = (table.path("ATTACKS.csv"), table.path("orders.txt"));
    let terms = table.path("terms.toml");
    let mail = table.file("late.txt", &table.ann.does(&["resend", "--all"]));
    let verbs: &[&[&str]] = &[
        &["note", "1/3/bob-first/1", "more", &orders],
        &["seal", "foul-up"],
        &["declare", "1/3/bob-first/1", &attacks, "--no-moves", "--skip"],
        &["decide", "2/2/ann-second/1", "reaction", "back"],
        &["reveal", "1/1/ann-first/1"],
        &["reply"],
        &["correct", "void", "1/1/ann-first/1", "--reason", "late"],
        &["dispute", "stall"],
        &["dispute", "resign"],
        &["rule", "dismiss", "00000000"],
        &["game", "close"],
        &["game", "resync"],
        &["game", "withdraw"],
        &["game", "accept"],
        &["game", "new", &terms],
    ];
    for verb in verbs {
        let why = old.is_refused(&[verb, ["--yes"].as_slice()].concat());
        assert!(why.contains("play on the new computer") && why.contains(file), "{verb:?}: {why}");
        assert!(why.contains("exported from this computer"), "{verb:?}: {why}");
    }
    assert!(old.is_refused(&["read", &mail]).contains("play on the new computer"));
    assert_eq!(fs::read_dir(old.letters()).expect("letters").count(), before);
    let status = old.status();
    assert_eq!(status["commands"], json!([]), "{status}");
    assert!(status["blocked"].as_str().expect("a reason").contains("game import"), "{status}");
    assert!(old.does(&["game", "list"]).contains("must not sign"));
    old.does(&["audit", &old.letters().display().to_string()]);
}

#[test]
fn a_player_moves_to_another_computer_and_plays_on_at_once() {
    let (table, new) = begun("moved");
    let (bob, file, mut orders) = (&table.bob, table.path("bob.tar"), String::new());
    table.ann.reads(&table.posts(bob, &note(&table, "first", &mut orders)));
    let refused = bob.run(&["game", "export", &file], "");
    assert_eq!(refused.status.code(), Some(2), "it asks: {}", talk(&refused));
    bob.signs(&["game", "export", &file]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    }
    signs_nothing(&table, bob, &file);
    assert!(bob.is_refused(&["game", "export", &file, "--yes"]).contains("exists already"));
    // A folder from a backup does not bring the right to sign back.
    let backup = table.dir.join("backup");
    copy_folder(&bob.home, &backup);
    fs::remove_dir_all(&bob.home).expect("a folder");
    copy_folder(&backup, &bob.home);
    assert!(bob.is_refused(&["seal", "foul-up", "--yes"]).contains("play on the new computer"));

    new.signs(&["game", "import", &file]);
    assert_eq!(new.status()["blocked"], Value::Null, "{}", new.status());
    assert_eq!(fs::read(new.home.join("key.txt")).expect("a key"), fs::read(bob.home.join("key.txt")).expect("a key"));
    assert_eq!(
        fs::read_dir(new.letters()).expect("letters").count(),
        fs::read_dir(bob.letters()).expect("letters").count()
    );
    let mail = table.posts(&new, &note(&table, "second", &mut orders));
    table.ann.reads(&mail);
    is_clean(&table);
    assert!(new.is_refused(&["game", "import", &file, "--yes"]).contains("an import does not overwrite"));
    signs_nothing(&table, bob, &file);

    // And back, into another folder of the old computer: the newest file is taken, an older one is not.
    let back = table.path("back.tar");
    new.signs(&["game", "export", &back]);
    let mut again = Seated::at(table.dir.join("again"));
    again.machine = bob.machine.clone();
    again.signs(&["game", "import", &back]);
    table.ann.reads(&table.posts(&again, &note(&table, "third", &mut orders)));
    is_clean(&table);
    let mut older = Seated::at(table.dir.join("older"));
    older.machine = bob.machine.clone();
    assert!(older.is_refused(&["game", "import", &file, "--yes"]).contains("so the file is out of date"));
    assert!(new.is_refused(&["seal", "foul-up", "--yes"]).contains("play on the new computer"));
    // The first folder of this computer ends before what was signed since.
    assert!(bob.is_refused(&["seal", "foul-up", "--yes"]).contains("first ask which letters the others hold"));
}

#[test]
fn a_file_that_was_never_imported_is_taken_back() {
    let (table, _) = begun("moved-back");
    let (bob, file, mut orders) = (&table.bob, table.path("bob.tar"), String::new());
    bob.signs(&["game", "export", &file]);
    // It is lost, and written once more.
    fs::remove_file(&file).expect("a file");
    bob.signs(&["game", "export", &file]);
    assert!(bob.is_refused(&["seal", "foul-up", "--yes"]).contains("play on the new computer"));
    assert_eq!(bob.run(&["game", "import", &file], "").status.code(), Some(2), "it asks");
    bob.signs(&["game", "import", &file]);
    table.ann.reads(&table.posts(bob, &note(&table, "first", &mut orders)));
    is_clean(&table);
    // What was exported before does not take back what was exported since.
    fs::rename(&file, table.path("first.tar")).expect("a file");
    bob.signs(&["game", "export", &file]);
    assert!(
        bob.is_refused(&["game", "import", &table.path("first.tar"), "--yes"]).contains("an import does not overwrite")
    );
    bob.signs(&["game", "import", &file]);
    assert_eq!(bob.status()["blocked"], Value::Null, "{}", bob.status());
}

#[test]
fn a_locked_key_travels_locked() {
    let dir = crate::folder("moved-locked");
    let words = dir.join("words.txt");
    fs::write(&words, "a long enough passphrase\n").expect("a file");
    let words = words.display().to_string();
    let old = Seated { machine: dir.join("machine"), ..Seated::at(dir.join("old")) };
    old.does(&["key", "new", "--passphrase-file", &words]);
    let file = dir.join("moved.tar").display().to_string();
    old.signs(&["game", "export", &file]);
    assert!(
        old.run(&["game", "export", &old.home.join("in.tar").display().to_string(), "--yes"], "").status.code()
            == Some(1)
    );
    let new = Seated { machine: dir.join("new machine"), ..Seated::at(dir.join("new")) };
    new.signs(&["game", "import", &file]);
    assert_eq!(new.public()["protected"], true);
    assert_eq!(fs::read(new.home.join("key.txt")).expect("a key"), fs::read(old.home.join("key.txt")).expect("a key"));
    new.does(&["key", "backup", "--passphrase-file", &words]);
}

/// Wherever an export or an import dies, there is at most one machine that may sign, and typing it again ends well.
#[cfg(feature = "fail-points")]
#[test]
fn deaths_leave_one_machine_that_may_sign() {
    let (table, _) = begun("moved-deaths");
    let dies = |at: &Seated, args: &[&str], place: &str| {
        let mut command = program(&at.home, &at.machine);
        let status = command.args(args).arg("--yes").env("FAILPOINTS", format!("{place}=return")).output();
        assert_eq!(status.expect("it runs").status.code(), None, "{args:?} dies at {place}");
    };
    let may_sign = |at: &Seated| at.home.join("key.txt").exists() && at.status()["blocked"].is_null();
    for (i, export_at) in ["nowhere", "locked", "will-sign", "kept", "has-signed"].into_iter().enumerate() {
        for import_at in ["nowhere", "will-sign", "kept", "has-signed"] {
            let dir = table.dir.join(format!("{i}-{import_at}"));
            let file = dir.join("moved.tar").display().to_string();
            let old = Seated { machine: dir.join("old machine"), ..Seated::at(dir.join("old")) };
            let new = Seated { machine: dir.join("new machine"), ..Seated::at(dir.join("new")) };
            copy_folder(&table.bob.home, &old.home);
            copy_folder(&table.bob.machine, &old.machine);
            if export_at != "nowhere" {
                dies(&old, &["game", "export", &file], export_at);
                let is_there = Path::new(&file).exists();
                assert_eq!(may_sign(&old), ["locked", "will-sign"].contains(&export_at), "{export_at}");
                assert!(!is_there || !may_sign(&old), "{export_at}");
                assert_eq!(is_there, export_at == "has-signed");
            }
            if !Path::new(&file).exists() {
                old.signs(&["game", "export", &file]);
            }
            assert!(!may_sign(&old));
            if import_at != "nowhere" {
                dies(&new, &["game", "import", &file], import_at);
                assert!(!may_sign(&new), "{import_at}");
                assert_eq!(new.home.exists(), import_at == "has-signed", "nothing, or all of it");
            }
            new.signs(&["game", "import", &file]);
            assert!(may_sign(&new) && !may_sign(&old), "{export_at} {import_at}");
            let left = fs::read_dir(&dir).expect("a folder").map(|entry| entry.expect("an entry").file_name());
            let left: Vec<_> = left.filter(|name| name.to_string_lossy().starts_with('.')).collect();
            assert!(left.is_empty(), "{left:?}");
            let orders = table.path("orders.txt");
            new.signs(&["note", "1/3/bob-first/1", "orders", &orders]);
        }
    }
}

/// What is in an archive, in its order.
fn parts(file: &str) -> Vec<(String, Vec<u8>)> {
    let mut archive = Archive::new(fs::File::open(file).expect("a file"));
    let parts = archive.entries().expect("parts").map(|part| {
        let mut part = part.expect("a part");
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut part, &mut bytes).expect("bytes");
        (part.path().expect("a path").display().to_string(), bytes)
    });
    parts.collect()
}

/// An archive with a header for each part, which `change` may change.
fn packed(to: &Path, parts: &[(String, Vec<u8>)], change: impl Fn(usize, &mut Header)) -> String {
    let mut archive = Builder::new(Vec::new());
    for (i, (name, bytes)) in parts.iter().enumerate() {
        let mut header = Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o600);
        header.set_entry_type(EntryType::Regular);
        if name.len() > 90 {
            // A name in a part of its own.
            archive.append_data(&mut header, name, bytes.as_slice()).expect("a part");
            continue;
        }
        header.as_gnu_mut().expect("a header").name[..name.len()].copy_from_slice(name.as_bytes());
        change(i, &mut header);
        header.set_cksum();
        archive.append(&header, bytes.as_slice()).expect("a part");
    }
    fs::write(to, archive.into_inner().expect("an archive")).expect("a file");
    to.display().to_string()
}

/// The list at the beginning, changed.
fn listing(parts: &[(String, Vec<u8>)], change: impl FnOnce(&mut Value)) -> Vec<(String, Vec<u8>)> {
    let mut parts = parts.to_vec();
    let mut list: Value = serde_json::from_slice(&parts[0].1).expect("JSON");
    change(&mut list);
    parts[0].1 = serde_json::to_vec(&list).expect("JSON");
    parts
}

#[test]
fn hostile_archives_write_nothing() {
    let (table, new) = begun("moved-hostile");
    let file = table.path("bob.tar");
    table.bob.signs(&["game", "export", &file]);
    let good = parts(&file);
    let to = |name: &str| table.dir.join(name);
    let hash = |bytes: &[u8]| crate::kit::bytes(std::str::from_utf8(bytes).expect("text")).to_string();
    let keep = |_: usize, _: &mut Header| {};
    let mut hostile: Vec<(String, String)> = Vec::new();
    let outside = table.dir.join("stolen.txt").display().to_string();
    for path in [
        "../stolen.txt",
        "games/../../stolen.txt",
        outside.as_str(),
        "games//x",
        "games/./x.txt",
        "C:\\x",
        "tables/a\\b",
        "lock",
        "office.toml",
        "signed/x.txt",
        "signed/../x",
        "games/a/b/c/d/e/f/g/h/i.txt",
        "key.txt/x",
        "",
    ] {
        let mut parts = listing(&good, |list| list["files"][path] = json!(hash(b"x")));
        parts.push((path.to_owned(), b"x".to_vec()));
        hostile.push((format!("{path:?}"), packed(&to("outside.tar"), &parts, keep)));
        let why = new.run(&["game", "import", &hostile.last().expect("a file").1, "--yes"], "");
        assert_eq!(why.status.code(), Some(1), "{path}: {}", talk(&why));
    }
    let key = good.iter().position(|(name, _)| name == "key.txt").expect("a key");
    for kind in [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Directory,
        EntryType::Fifo,
        EntryType::Char,
        EntryType::GNUSparse,
    ] {
        let link = packed(&to(&format!("kind-{}.tar", kind.as_byte())), &good, |i, header| {
            if i == key {
                header.set_entry_type(kind);
                header.set_link_name("/etc/passwd").expect("a name");
            }
        });
        hostile.push((format!("{kind:?}"), link));
    }
    let twice = [good.as_slice(), &good[key..=key]].concat();
    hostile.push(("twice".into(), packed(&to("twice.tar"), &twice, keep)));
    let lacks: Vec<_> = good.iter().filter(|(name, _)| !name.starts_with("signed/")).cloned().collect();
    hostile.push(("lacks".into(), packed(&to("lacks.tar"), &lacks, keep)));
    let mut unlisted = good.clone();
    unlisted.push(("tables/more.toml".into(), b"x".to_vec()));
    hostile.push(("unlisted".into(), packed(&to("unlisted.tar"), &unlisted, keep)));
    let mut changed = good.clone();
    changed[key].1[100] ^= 1;
    hostile.push(("changed".into(), packed(&to("changed.tar"), &changed, keep)));
    let mut headless = good.clone();
    headless.remove(0);
    hostile.push(("headless".into(), packed(&to("headless.tar"), &headless, keep)));
    let mut large = listing(&good, |list| list["files"]["tables/large.toml"] = json!("00".repeat(32)));
    large.push(("tables/large.toml".into(), vec![0; (1 << 24) + 1]));
    hostile.push(("large".into(), packed(&to("large.tar"), &large, keep)));
    let other_key = listing(&good, |list| list["key"] = json!("11".repeat(32)));
    hostile.push(("another key".into(), packed(&to("other.tar"), &other_key, keep)));
    let whole = fs::read(&file).expect("a file");
    for share in [0, 1, 2, 3] {
        let cut = to(&format!("cut-{share}.tar"));
        fs::write(&cut, &whole[..whole.len() * share / 4]).expect("a file");
        hostile.push((format!("cut {share}"), cut.display().to_string()));
    }
    let vast = to("vast.tar");
    fs::File::create(&vast).and_then(|file| file.set_len((1 << 28) + 1)).expect("a file");
    hostile.push(("vast".into(), vast.display().to_string()));
    let text = to("text.tar");
    fs::File::create(&text).and_then(|mut file| file.write_all(b"no archive at all\n")).expect("a file");
    hostile.push(("text".into(), text.display().to_string()));
    for (what, file) in &hostile {
        let why = new.is_refused(&["game", "import", file, "--yes"]);
        assert!(why.contains("nothing was imported"), "{what}: {why}");
    }
    let written: Vec<PathBuf> =
        [new.home.clone(), new.machine.join("signed"), new.machine.join("moved"), to("stolen.txt")].into();
    assert!(written.iter().all(|path| !path.exists()), "{written:?}");
    new.signs(&["game", "import", &file]);
}
