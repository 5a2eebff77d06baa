//! Key files, passphrases, backups: `key new`, `show`, `backup`, `restore`, and what hostile files and sudden deaths do.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use sealed_dice::{
    cli::secrets,
    keep::{StorageError, atomic, backup, home::Home, key_file::KeyFile, looks_secret, root::Root},
    primitive::{
        passphrase::{Cost, Passphrase},
        secret::{Secret, SecretText},
    },
};
use serde_json::Value;

use crate::{folder, kit::bytes};

/// As little work as Argon2 allows, where its strength is not what is tested.
const QUICK: Cost = Cost { memory: 8, passes: 1, lanes: 1 };
const WORDS: &str = "four words nobody guesses";

fn root(label: &str) -> Root {
    Root::new(Secret::new(bytes(label).0))
}

fn passphrase(text: &str) -> Passphrase {
    Passphrase::new(SecretText::new(text.into()))
}

fn code(root: &Root) -> String {
    backup::write(root).expose().to_owned()
}

/// A new file that holds a text.
fn file(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, text).expect("a file");
    path
}

/// A file as private as a key file must be.
fn private_file(dir: &Path, name: &str, content: &[u8]) -> PathBuf {
    let path = dir.join(name);
    let _ = fs::remove_file(&path);
    atomic::write_new(&path, content, true).expect("a file");
    path
}

fn program(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sealed-dice"));
    command.env_remove("SEALED_DICE_PASSPHRASE_FILE").env("SEALED_DICE_HOME", home).stdin(Stdio::null());
    command.env("SEALED_DICE_STATE", home.join("machine"));
    command
}

fn key(home: &Path, args: &[&str]) -> Output {
    program(home).arg("key").args(args).output().expect("the program runs")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn talk(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path")
}

fn refused<T: std::fmt::Debug>(result: Result<T, StorageError>) -> String {
    match result {
        Err(StorageError::Refused(why)) => why,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn a_key_is_made_shown_backed_up_and_restored() {
    let dir = folder("keys-round");
    let words = file(&dir, "words", &format!("{WORDS}\r\nsecond line\n"));
    let (home, other) = (dir.join("home/of ann"), dir.join("other"));
    let made = key(&home, &["new", "--passphrase-file", text(&words)]);
    assert_eq!(made.status.code(), Some(0), "{}", talk(&made));
    assert!(talk(&made).contains("phone") && talk(&made).contains("key backup"), "{}", talk(&made));
    let shown = key(&home, &["show"]);
    assert_eq!(out(&shown), out(&made));
    let json: Value = serde_json::from_slice(&key(&home, &["show", "--json"]).stdout).expect("JSON");
    let fingerprint = json["fingerprint"].as_str().expect("a fingerprint");
    assert!(out(&shown).contains(fingerprint) && json["protected"] == true, "{json}");

    let page = program(&home).args(["key", "backup"]).env("SEALED_DICE_PASSPHRASE_FILE", &words).output().unwrap();
    assert_eq!(page.status.code(), Some(0), "{}", talk(&page));
    assert!(out(&page).lines().all(|line| line.chars().count() <= 72) && out(&page).contains(fingerprint));
    let drawn = dir.join("page.html");
    let backed_up = key(&home, &["backup", "--out", text(&drawn), "--passphrase-file", text(&words)]);
    assert_eq!(backed_up.status.code(), Some(0), "{}", talk(&backed_up));
    let html = fs::read_to_string(&drawn).expect("the page");
    assert!(
        html.contains("<svg") && html.contains(fingerprint) && ["src=", "href"].iter().all(|link| !html.contains(link))
    );
    assert_eq!(
        key(&home, &["backup", "--out", text(&drawn), "--passphrase-file", text(&words)]).status.code(),
        Some(1)
    );
    assert_eq!(fs::read_to_string(&drawn).expect("the page"), html, "nothing is written over");

    let printed = file(&dir, "page.txt", &out(&page));
    let groups: Vec<String> = out(&page)
        .lines()
        .filter_map(|line| Some(line.strip_prefix("groups")?.split_once(':')?.1.to_owned()))
        .collect();
    let bare = file(&dir, "code.txt", &groups.join("\n").to_lowercase());
    for from in [&printed, &drawn, &bare] {
        let _ = fs::remove_dir_all(&other);
        let restored = key(&other, &["restore", text(from), "--no-passphrase"]);
        assert_eq!(restored.status.code(), Some(0), "{}", talk(&restored));
        assert!(talk(&restored).contains("WARNING: NO PASSPHRASE"), "{}", talk(&restored));
        assert!(out(&restored).contains(fingerprint) && out(&restored).contains("NOT locked"));
        let again = key(&other, &["restore", text(from), "--no-passphrase"]);
        assert_eq!(again.status.code(), Some(1), "an existing key is never written over");
    }
    let open = |home: &Path, from| secrets::unlock(&Home::find(Some(home.into())).unwrap(), &from).expect("keys");
    let (ann, copy) = (open(&home, secrets::From::File(words)), open(&other, secrets::From::Terminal));
    assert_eq!(ann.vault(), copy.vault());
    assert_eq!(ann.signing().public(), copy.signing().public());
}

/// One command makes a key and its backup page, or says which of the two is missing.
#[test]
fn a_key_is_made_with_its_page() {
    let dir = folder("keys-with-page");
    let (page, home) = (dir.join("page.html"), dir.join("home"));
    let made = key(&home, &["new", "--no-passphrase", "--backup", text(&page)]);
    assert!(made.status.success() && talk(&made).contains("print this page"), "{}", talk(&made));
    let restored = key(&dir.join("other"), &["restore", text(&page), "--no-passphrase"]);
    assert_eq!(out(&restored).lines().next(), out(&made).lines().next(), "the same fingerprint");

    let second = dir.join("second");
    let refused = key(&second, &["new", "--no-passphrase", "--backup", text(&page)]);
    assert!(!refused.status.success() && talk(&refused).contains("exists already"), "{}", talk(&refused));
    assert!(!second.exists(), "no key without the page that was asked for");
    let unwritten = key(&second, &["new", "--no-passphrase", "--backup", text(&dir.join("none/page.html"))]);
    assert!(!unwritten.status.success() && talk(&unwritten).contains("the key was made"), "{}", talk(&unwritten));
    assert!(key(&second, &["show"]).status.success());
}

#[test]
fn two_keys_differ_and_a_page_of_two_is_refused() {
    let dir = folder("keys-two");
    let pages = ["one", "two"].map(|name| {
        let home = dir.join(name);
        assert_eq!(key(&home, &["new", "--no-passphrase"]).status.code(), Some(0));
        out(&key(&home, &["backup"]))
    });
    let line = |page: &str| page.lines().find(|line| line.starts_with("fingerprint")).expect("a line").to_owned();
    assert_ne!(line(&pages[0]), line(&pages[1]));
    let mixed = file(&dir, "mixed.txt", &pages[0].replace(&line(&pages[0]), &line(&pages[1])));
    let home = dir.join("three");
    let restored = key(&home, &["restore", text(&mixed), "--no-passphrase"]);
    assert_eq!(restored.status.code(), Some(1));
    assert!(talk(&restored).contains("is not the one that its code gives") && !home.join("key.txt").exists());
}

#[test]
fn nothing_is_written_over() {
    let home = folder("keys-over");
    let path = file(&home, "key.txt", "somebody's key");
    let page = file(&home, "page.txt", &code(&root("a page")));
    for args in [vec!["new", "--no-passphrase"], vec!["restore", text(&page), "--no-passphrase"]] {
        let output = key(&home, &args);
        assert_eq!(output.status.code(), Some(1));
        assert!(talk(&output).contains("nothing is overwritten") && talk(&output).contains("--home"));
    }
    refused(KeyFile::create_at_cost(&path, root("a"), None, QUICK));
    assert_eq!(fs::read_to_string(&path).expect("the file"), "somebody's key");
    assert_eq!(atomic::write_new(&path, b"x", false).unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
}

#[test]
fn unfinished_files_are_swept_unless_their_writer_lives() {
    let dir = folder("keys-sweep");
    let dead = file(&dir, ".sealed-dice-unfinished-dead", "half");
    let living = file(&dir, ".sealed-dice-unfinished-living", "half");
    let writer = fs::File::open(&living).expect("the file");
    writer.lock().expect("a lock");
    atomic::write_new(&dir.join("whole"), b"all of it", false).expect("a file");
    assert_eq!(fs::read(dir.join("whole")).expect("the file"), b"all of it");
    assert!(!dead.exists() && living.exists());
    drop(writer);
    // A process looks through a folder once.
    atomic::write_new(&dir.join("another"), b"", false).expect("a file");
    assert!(living.exists());
    assert!(program(&dir).args(["key", "new", "--no-passphrase"]).status().expect("the program runs").success());
    assert!(!living.exists());
}

#[test]
fn many_writers_of_one_name_leave_one_whole_file() {
    let dir = folder("keys-race");
    for round in 0..20 {
        let path = dir.join(format!("{round}"));
        let won: usize = std::thread::scope(|scope| {
            let write = |i: u8| atomic::write_new(&path, &vec![i; 10_000], true).is_ok();
            let threads: Vec<_> = (0..6).map(|i| scope.spawn(move || write(i))).collect();
            threads.into_iter().map(|thread| usize::from(thread.join().expect("a writer"))).sum()
        });
        let written = fs::read(&path).expect("the file");
        assert_eq!((won, written.len()), (1, 10_000));
        assert!(written.iter().all(|byte| *byte == written[0]));
    }
}

#[test]
fn passphrases() {
    let dir = folder("keys-words");
    let home = dir.join("home");
    let words = |text: &str| file(&dir, "words", text);
    let new = |words: &Path| key(&home, &["new", "--passphrase-file", text(words)]);
    assert!(talk(&new(&words("short\n"))).contains("at least 8 characters"));
    assert_eq!(new(&words("")).status.code(), Some(1));
    assert_eq!(new(&dir.join("missing")).status.code(), Some(2));
    assert_eq!(new(&words(&"x".repeat(5000))).status.code(), Some(1));
    assert!(!home.join("key.txt").exists(), "nothing is written by mistake");
    assert_eq!(key(&home, &["new", "--no-passphrase", "--passphrase-file", "x"]).status.code(), Some(2));
    assert_eq!(key(&home, &["new", "--passphrase", "x"]).status.code(), Some(2), "never as an argument");

    assert_eq!(new(&words("grüne Äpfel\n")).status.code(), Some(0));
    let back_up = |words: &Path| key(&home, &["backup", "--passphrase-file", text(words)]);
    assert_eq!(back_up(&words("grüne Äpfel")).status.code(), Some(0), "the end of the line is no part of it");
    let wrong = back_up(&words("grüne Apfel\n"));
    assert_eq!((wrong.status.code(), out(&wrong).as_str()), (Some(1), ""));
    assert!(talk(&wrong).contains("does not open the key") && talk(&wrong).contains("Caps Lock"), "{}", talk(&wrong));
}

#[test]
fn a_missing_key_says_what_to_do() {
    let home = folder("keys-none").join("deeper");
    for args in [["show"].as_slice(), &["backup"]] {
        let output = key(&home, args);
        assert_eq!(output.status.code(), Some(2));
        assert!(talk(&output).contains("key new") && talk(&output).contains("key restore"), "{}", talk(&output));
    }
    assert!(!home.exists(), "looking makes nothing");
}

#[test]
fn home_is_asked_for_or_named_or_usual() {
    let dir = folder("keys-home");
    let told = |command: &mut Command| talk(&command.args(["key", "show"]).output().expect("the program runs"));
    let asked = dir.join("asked");
    assert!(told(program(&dir.join("named")).args(["--home", text(&asked)])).contains(text(&asked)));
    assert!(told(&mut program(&dir.join("named"))).contains(text(&dir.join("named").join("key.txt"))));
    #[cfg(target_os = "linux")]
    {
        let usual = dir.join("sealed-dice").join("key.txt");
        assert!(told(program(Path::new("")).env("XDG_DATA_HOME", &dir)).contains(text(&usual)));
    }
}

#[cfg(unix)]
#[test]
fn files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let dir = folder("keys-modes");
    let home = dir.join("above/home");
    assert_eq!(key(&home, &["new", "--no-passphrase"]).status.code(), Some(0));
    let page = dir.join("page.txt");
    assert_eq!(key(&home, &["backup", "--out", text(&page)]).status.code(), Some(0));
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    let path = home.join("key.txt");
    assert_eq!((mode(&home), mode(&path), mode(&page)), (0o700, 0o600, 0o600));
    for open in [0o640, 0o604, 0o620, 0o601] {
        fs::set_permissions(&path, fs::Permissions::from_mode(open)).expect("a mode");
        let output = key(&home, &["show"]);
        assert_eq!(output.status.code(), Some(1), "{open:o}");
        assert!(talk(&output).contains("chmod 600"), "{}", talk(&output));
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).expect("a mode");
    assert_eq!(key(&home, &["show"]).status.code(), Some(0));
}

/// Each bit of both kinds of file: refused, and never another key.
#[test]
fn every_bit_of_a_key_file_counts() {
    let dir = folder("keys-bits");
    let words = passphrase(WORDS);
    for (name, protection) in [("locked", Some(&words)), ("open", None)] {
        let path = dir.join(name);
        let made = KeyFile::create_at_cost(&path, root("bits"), protection, QUICK).expect("a key file");
        let good = fs::read(&path).expect("the file");
        assert_eq!(KeyFile::open(&path).expect("it").root(protection).expect("the root"), root("bits"));
        assert_eq!(made.text().expose().as_bytes(), good);
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            let opened =
                KeyFile::parse(&String::from_utf8_lossy(&bad)).ok().and_then(|file| file.root(protection).ok());
            assert!(opened.is_none(), "{name}, bit {bit}");
        }
        for length in 0..good.len() {
            let cut = KeyFile::parse(&String::from_utf8_lossy(&good[..length]));
            assert!(cut.is_err(), "{name}, cut to {length}");
        }
    }
}

#[test]
fn hostile_key_files_are_refused_before_work() {
    let dir = folder("keys-hostile");
    let path = dir.join("good.txt");
    KeyFile::create_at_cost(&path, root("hostile"), Some(&passphrase(WORDS)), QUICK).expect("a key file");
    let good = fs::read_to_string(&path).expect("the file");
    for (from, to) in [
        ("memory 8 ", "memory 262145 "),
        ("memory 8 ", "memory 999999999 "),
        ("memory 8 ", "memory 4294967304 "),
        ("memory 8 ", "memory 0 "),
        ("memory 8 ", "memory -8 "),
        ("passes 1 ", "passes 17 "),
        ("lanes 1 ", "lanes 999 "),
        ("lanes 1 ", "lanes 2 "),
        ("argon2id memory 8 passes 1 lanes 1 salt", "none"),
        ("\n\n", "\n"),
    ] {
        let bad = private_file(&dir, "bad.txt", good.replacen(from, to, 1).as_bytes());
        let why = refused(KeyFile::open(&bad));
        assert!(why.contains("is not a valid key file") && why.contains("key restore"), "{why}");
    }
    for bad in [vec![0; 10 << 20], vec![0xff; 4096], Vec::new(), good.repeat(2).into_bytes()] {
        refused(KeyFile::open(&private_file(&dir, "bad.txt", &bad)));
    }
    let windows = private_file(&dir, "windows.txt", good.replace('\n', "\r\n").as_bytes());
    assert_eq!(
        KeyFile::open(&windows).expect("a key file").root(Some(&passphrase(WORDS))).expect("it opens"),
        root("hostile")
    );
    assert!(matches!(KeyFile::open(&dir), Err(StorageError::Unable(_))), "a folder is no file");
    let locked = KeyFile::open(&path).expect("a key file");
    assert!(locked.is_protected() && matches!(locked.unlock(None), Err(StorageError::Unable(_))));
}

/// Each wrong character of a code is named by its group, whatever it is taken for.
#[test]
fn a_wrong_character_is_named_by_its_group() {
    let code = code(&root("copied by hand"));
    let digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZU*";
    for (at, right) in code.char_indices().filter(|(_, c)| *c != ' ') {
        for wrong in digits.chars().filter(|c| *c != right) {
            let mut bad = code.clone();
            bad.replace_range(at..=at, &wrong.to_string());
            let why = backup::read(&bad).expect_err("one is wrong").to_string();
            assert!(why.contains(&format!("group {} is wrong;", at / 6 + 1)), "{at} {wrong}: {why}");
        }
    }
    let groups: Vec<&str> = code.split(' ').collect();
    for (i, group) in groups.iter().enumerate() {
        for at in 0..4 {
            let mut letters: Vec<char> = group.chars().collect();
            letters.swap(at, at + 1);
            let swapped: String = letters.iter().collect();
            assert_eq!(backup::is_right(i + 1, &swapped), swapped == *group);
        }
        assert!((1..=backup::GROUPS).filter(|n| backup::is_right(*n, group)).eq([i + 1]), "{group}");
    }
    let dir = folder("keys-group");
    for i in 0..backup::GROUPS {
        let mut wrong: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
        let other = if groups[i][2..].starts_with('7') { "8" } else { "7" };
        wrong[i].replace_range(2..3, other);
        let page = file(&dir, "page.txt", &wrong.join("  "));
        let output = key(&dir.join("home"), &["restore", text(&page), "--no-passphrase"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(talk(&output).contains(&format!("group {} is wrong;", i + 1)), "{}", talk(&output));
    }
    assert!(!dir.join("home/key.txt").exists());
}

proptest::proptest! {
    #[test]
    fn every_root_survives_its_code(bytes: [u8; 32]) {
        let root = Root::new(Secret::new(bytes));
        proptest::prop_assert_eq!(backup::read(&code(&root)).expect("the root"), root);
    }

    #[test]
    fn no_text_is_too_strange(text: String, start in 0..86_usize) {
        let _ = KeyFile::parse(&text);
        let _ = backup::read(&text);
        let code = code(&root("strange"));
        let inserted = format!("{}{text}{}", code.get(..start).unwrap_or_default(), code.get(start..).unwrap_or_default());
        let read = backup::read(&inserted);
        proptest::prop_assert!(read.is_err() || read == Ok(root("strange")));
    }
}

#[test]
fn a_secret_in_a_mail_is_shouted_at_and_is_no_letter() {
    let dir = folder("keys-mailed");
    let locked = KeyFile::seal(&root("mailed"), &Secret::new([1; 32]), [2; 32], QUICK).expect("a key file");
    let home = dir.join("home");
    assert_eq!(key(&home, &["new", "--no-passphrase"]).status.code(), Some(0));
    let page = out(&key(&home, &["backup"]));
    let locked = locked.text().expose().to_owned();
    for text in [&page, &locked] {
        assert!(looks_secret(text));
        let quoted: String = text.lines().map(|line| format!("> > {}\r\n", line.replace(' ', "\r\n> > "))).collect();
        assert!(looks_secret(&quoted) && looks_secret(&text.replace('-', "\u{2014}")), "{quoted}");
        assert_eq!(sealed_dice::blob::armour::find(text.as_bytes()), [], "it is not taken for a letter");
    }
    let letters = crate::kit::Table::turn("a mailed key").transcript();
    assert!(!looks_secret(&letters) && !looks_secret("a SEALED DICE MESSAGE, SECRET"));
    let mailbox = file(&dir, "mailbox.txt", &format!("{letters}\nDear Bob, is this what you need?\n{page}"));
    let audit = program(&home).args(["audit", text(&mailbox)]).output().expect("the audit runs");
    assert_eq!(audit.status.code(), Some(0), "the verdict on the dice stands");
    assert!(talk(&audit).contains("SECRET KEY in ") && talk(&audit).contains("mailbox.txt"), "{}", talk(&audit));
}

/// The forms in which a secret could leak.
fn forms(secret: &[u8]) -> Vec<Vec<u8>> {
    use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
    let list = secret.iter().map(u8::to_string).collect::<Vec<_>>();
    let texts = [hex::encode(secret), hex::encode_upper(secret), STANDARD_NO_PAD.encode(secret), list.join(", ")];
    texts.into_iter().map(String::into_bytes).chain([secret.to_vec()]).collect()
}

fn leaks(content: &[u8], canaries: &[Vec<u8>]) -> bool {
    canaries.iter().any(|canary| content.windows(canary.len()).any(|window| window == canary))
}

/// Known secrets go in, and nothing of them comes out but what `key backup` is asked for.
#[test]
fn no_secret_is_told() {
    let dir = folder("keys-canary");
    let root = root("a canary");
    let words = "a canary of a passphrase";
    let code = code(&root);
    let groups: Vec<&str> = code.split(' ').collect();
    let mut canaries = forms(root.expose());
    canaries.extend(forms(root.vault().expose()));
    canaries.extend(forms(root.signing_seed().expose()));
    canaries.extend(forms(words.as_bytes()));
    let unlocked = canaries.clone();
    canaries.extend(groups.iter().map(|group| group.as_bytes().to_vec()));

    let (home, open) = (dir.join("home"), dir.join("open"));
    let right = file(&dir, "right", words);
    let wrong = file(&dir, "wrong", &format!("{words}!"));
    let page = file(&dir, "page", &code);
    let damaged = file(&dir, "damaged", &code.replacen(groups[3], "77777", 1));
    let short = file(&dir, "short", &groups[..13].join(" "));
    let (right, wrong, page, damaged, short) = (text(&right), text(&wrong), text(&page), text(&damaged), text(&short));
    let run = |home: &Path, args: &[&str]| {
        let output = program(home).args(args).env("RUST_BACKTRACE", "1").output().expect("the program runs");
        assert!(!leaks(&output.stdout, &canaries) && !leaks(&output.stderr, &canaries), "{args:?}: {output:?}");
        output.status.code()
    };
    assert_eq!(run(&home, &["key", "restore", damaged, "--passphrase-file", right]), Some(1));
    assert_eq!(run(&home, &["key", "restore", short, "--passphrase-file", right]), Some(1));
    assert_eq!(run(&home, &["key", "restore", page, "--passphrase-file", right]), Some(0));
    assert_eq!(run(&home, &["key", "restore", page, "--passphrase-file", right]), Some(1));
    assert_eq!(run(&home, &["key", "new", "--passphrase-file", right]), Some(1));
    assert_eq!(run(&home, &["key", "show"]), Some(0));
    assert_eq!(run(&home, &["key", "show", "--json"]), Some(0));
    assert_eq!(run(&home, &["key", "backup", "--passphrase-file", wrong]), Some(1));
    assert_eq!(run(&home, &["key", "backup"]), Some(2));
    let saved = dir.join("saved.html");
    assert_eq!(run(&home, &["key", "backup", "--passphrase-file", right, "--out", text(&saved)]), Some(0));
    assert_eq!(run(&open, &["key", "restore", page, "--no-passphrase"]), Some(0));
    assert_eq!(run(&open, &["key", "show"]), Some(0));
    let key_file = open.join("key.txt");
    assert_eq!(run(&open, &["audit", page, text(&saved), text(&key_file)]), Some(2));
    let content = fs::read_to_string(&key_file).expect("a key file");
    private_file(&open, "key.txt", content.replace("none", "nine").as_bytes());
    assert_eq!(run(&open, &["key", "show"]), Some(1));

    let printed = key(&home, &["backup", "--passphrase-file", right]);
    assert!(leaks(&printed.stdout, &canaries), "the canaries must be found where they are");
    assert!(!leaks(&printed.stdout, &unlocked) && !leaks(&printed.stderr, &canaries));
    for entry in fs::read_dir(&home).expect("the home") {
        let content = fs::read(entry.expect("an entry").path()).expect("a file");
        assert!(!leaks(&content, &canaries), "a locked key file shows nothing");
    }
    let file = KeyFile::open(&home.join("key.txt")).expect("a key file");
    let keys = file.unlock(Some(&passphrase(words))).expect("keys");
    let bare = KeyFile::parse(&content).expect("a key file");
    let shown = format!("{file:?} {keys:?} {root:?} {bare:?} {:?} {:#?}", passphrase(words), bare.text());
    assert!(!leaks(shown.as_bytes(), &canaries), "{shown}");
}

/// Killed at any moment: there is no key file, or a whole one, and what is left over is gone after the next run.
/// `SEALED_DICE_KILLS` says how often.
#[test]
fn a_killed_run_leaves_a_whole_key_or_none() {
    let kills: u32 = std::env::var("SEALED_DICE_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let dir = folder("keys-killed");
    let known = root("killed");
    let page = file(&dir, "page.txt", &code(&known));
    let restore = ["restore", text(&page), "--no-passphrase"];
    for (name, args) in [("new", ["new", "--no-passphrase"].as_slice()), ("restore", &restore)] {
        let home = dir.join(name);
        let path = home.join("key.txt");
        let begun = Instant::now();
        assert_eq!(key(&home, args).status.code(), Some(0));
        let whole_run = begun.elapsed();
        fs::remove_file(&path).expect("the key file");
        let mut found = 0;
        for i in 0..kills / 2 {
            let mut child =
                program(&home).arg("key").args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            // All moments of a run, and a little beyond, in an order that does not matter.
            let moment = f64::from(i.wrapping_mul(0x9e37_79b9) >> 8) / f64::from(1 << 24);
            std::thread::sleep(Duration::from_secs_f64(whole_run.as_secs_f64() * 1.2 * moment));
            child.kill().expect("it can be killed");
            child.wait().expect("it is dead");
            if path.exists() {
                let keys = KeyFile::open(&path).and_then(|file| file.unlock(None)).expect("a whole key file");
                assert!(name == "new" || keys.vault() == known.keys().vault());
                fs::remove_file(&path).expect("the key file");
                found += 1;
            }
        }
        assert_eq!(key(&home, args).status.code(), Some(0), "after {found} keys of {kills} kills");
        let mut left: Vec<_> =
            fs::read_dir(&home).expect("the home").map(|entry| entry.expect("an entry").file_name()).collect();
        left.sort();
        let kept: &[&str] = if name == "new" { &["key.txt"] } else { &["key.txt", "notes.txt"] };
        assert_eq!(left, kept);
    }
}

/// Plays a person at a terminal: waits for a text, types a line, and so on. Prints what the program showed. A person is
/// slower than the moment between a question and the end of the echo; this one looks whether it has ended.
#[cfg(unix)]
const PERSON: &str = r#"
import json, os, pty, sys, termios, time
steps = json.loads(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
seen = shown = b""
try:
    while True:
        while steps and steps[0][0].encode() in seen:
            while not steps[0][0].startswith(("group", "sign")) and termios.tcgetattr(fd)[3] & termios.ECHO:
                time.sleep(0.001)
            seen = b""
            os.write(fd, steps.pop(0)[1].encode() + b"\n")
        chunk = os.read(fd, 4096)
        if not chunk:
            break
        seen, shown = seen + chunk, shown + chunk
except OSError:
    pass
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) if not steps else 99)
"#;

#[cfg(unix)]
fn person(home: &Path, steps: &[(&str, &str)], args: &[&str]) -> (Option<i32>, String) {
    let steps = serde_json::to_string(steps).expect("JSON");
    let mut command = Command::new("python3");
    command.args(["-c", PERSON, &steps, env!("CARGO_BIN_EXE_sealed-dice")]).args(args);
    command.env_remove("SEALED_DICE_PASSPHRASE_FILE").env("SEALED_DICE_HOME", home);
    let output = command.env("SEALED_DICE_STATE", home.join("machine")).output();
    let output = output.expect("Python 3 is needed to run the tests");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(unix)]
#[test]
fn a_person_types_groups_and_passphrases() {
    let home = folder("keys-typed").join("home");
    let code = code(&root("typed"));
    let groups: Vec<&str> = code.split(' ').collect();
    let (first, rest) = (groups[..6].join(" "), groups[6..].join("-").to_lowercase());
    let restore = ["key", "restore"];
    let steps = [("group 1 to 14:", first.as_str()), ("group 7 to 14:", "77777 77777"), ("group 7 is wrong", &rest)];
    let differ =
        [steps.as_slice(), &[("passphrase for your key", WORDS), ("type it again", "four words that differ")]].concat();
    let (code, shown) = person(&home, &differ, &restore);
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("two passphrases differ") && !home.join("key.txt").exists(), "{shown}");
    let same = [steps.as_slice(), &[("passphrase for your key", WORDS), ("type it again", WORDS)]].concat();
    let (code, shown) = person(&home, &same, &restore);
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains(&root("typed").keys().signing().public().fingerprint()), "{shown}");
    assert!(!shown.contains(WORDS), "a passphrase is typed unseen: {shown}");
    let (code, shown) = person(&home, &[("passphrase for your key", WORDS)], &["key", "backup"]);
    assert!(code == Some(0) && shown.contains(groups[13]), "{shown}");
}

/// Terms are read and agreed to before the passphrase is asked for.
#[cfg(unix)]
#[test]
fn a_person_sees_the_terms_before_the_passphrase() {
    let dir = folder("keys-terms");
    let (home, other) = (dir.join("home"), dir.join("other"));
    let words = file(&dir, "words", WORDS);
    assert_eq!(key(&home, &["new", "--passphrase-file", text(&words)]).status.code(), Some(0));
    assert_eq!(key(&other, &["new", "--no-passphrase"]).status.code(), Some(0));
    let other: Value = serde_json::from_slice(&key(&other, &["show", "--json"]).stdout).expect("JSON");
    let template = out(&program(&home).args(["game", "template"]).output().expect("a template"));
    let terms = template.replace("PUT THEIR KEY HERE", other["public"].as_str().expect("a key"));
    let terms = terms.replace("hexes = \"PUT IT HERE\"", "hexes = \"F12\"");
    let path = file(&dir, "terms.toml", &terms);
    let new = ["game", "new", text(&path), "--no-backup"];
    let (code, shown) = person(&home, &[("sign?", "n")], &new);
    assert!(code == Some(1) && shown.contains("not signed") && !shown.contains("passphrase for"), "{shown}");
    // What breaks a rule is found before anything is asked.
    let twice = file(&dir, "twice.toml", &terms.replace("name = \"ann-second\"", "name = \"ann-first\""));
    let (code, shown) = person(&home, &[], &["game", "new", text(&twice)]);
    assert!(
        code == Some(1) && shown.contains("another phase has the same name") && !shown.contains("sign?"),
        "{shown}"
    );
    let (code, shown) = person(&home, &[("sign?", "y"), ("passphrase for your key", WORDS)], &new);
    assert!(code == Some(0) && shown.contains("-----BEGIN SEALED DICE MESSAGE-----"), "{shown}");

    // As the old PowerShell writes it, and Notepad.
    let utf16: Vec<u8> = [0xfeff].into_iter().chain(terms.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    fs::write(dir.join("utf16.toml"), utf16).expect("a file");
    let output = program(&home).args(["game", "new", "--yes"]).arg(dir.join("utf16.toml")).output().expect("it runs");
    assert!(output.status.code() == Some(0) && talk(&output).contains("already proposed"), "{}", talk(&output));
    fs::write(dir.join("marked.toml"), format!("\u{feff}{terms}")).expect("a file");
    let marked = dir.join("marked.toml");
    let output = program(&home).args(["game", "new", "--yes", "--passphrase-file"]).args([&words, &marked]).output();
    assert_eq!(output.expect("it runs").status.code(), Some(0));
}
