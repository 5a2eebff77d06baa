//! Whatever a later format of sealed-dice made is refused in words that name the format, and left as it is.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use sealed_dice::blob::armour;
use serde_json::Value;

use crate::folder;

fn run(home: &Path, args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_sealed-dice"));
    program.arg("--home").arg(home).args(args).env("SEALED_DICE_STATE", home.with_extension("state"));
    program.output().expect("the program runs")
}

fn said(output: &Output) -> String {
    let (out, talk) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{out}{talk}").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A player's folder with a key.
fn player(name: &str) -> std::path::PathBuf {
    let home = folder(name).join("home");
    assert!(run(&home, &["key", "new", "--no-passphrase"]).status.success());
    home
}

/// The bytes of a vector's message, with one text in place of another of the same length.
fn frame(old: &str, new: &str) -> Vec<u8> {
    let text = fs::read_to_string("vectors/message/fields-v-2.json").expect("a vector");
    let vector: Value = serde_json::from_str(&text).expect("JSON");
    let lines = vector["given"]["frame_lines"].as_array().expect("lines").iter();
    let lines: Vec<&str> = lines.map(|line| line.as_str().expect("a line")).collect();
    let mut frame = lines.join("\n").trim_end().replacen(old, new, 1) + "\n";
    while !frame.len().is_multiple_of(3) {
        frame.push('\n');
    }
    frame.into_bytes()
}

#[test]
fn a_letter_of_a_later_format_is_named() {
    let home = player("versions-letter");
    for (old, new, told) in [
        ("sealed-dice/v1", "sealed-dice/v9", "the letter is in format 9, but this sealed-dice reads format 1"),
        ("", "", "the game of this letter is in format 2, but this sealed-dice reads format 1"),
    ] {
        let mail = home.join("mail.txt");
        fs::write(&mail, armour::write(&frame(old, new))).expect("a mail");
        for verb in ["read", "audit"] {
            let said = said(&run(&home, &[verb, mail.to_str().expect("a path")]));
            assert!(said.contains(told), "{verb}: {said}");
        }
    }
}

#[test]
fn a_key_file_of_a_later_format_is_named() {
    let home = player("versions-key");
    let path = home.join("key.txt");
    let text = fs::read_to_string(&path).expect("a key file");
    fs::write(&path, text.replace("version 1\n", "version 2\n")).expect("a key file");
    let refused = run(&home, &["key", "show"]);
    assert!(!refused.status.success());
    let said = said(&refused);
    assert!(said.contains("it is in format 2, but this sealed-dice reads format 1"), "{said}");
}

#[test]
fn a_folder_of_a_later_format_is_named_and_not_touched() {
    let home = player("versions-folder");
    let names = || {
        let mut names: Vec<_> = fs::read_dir(&home).expect("a folder").map(|entry| entry.expect("a file")).collect();
        names.sort_by_key(fs::DirEntry::path);
        names.iter().map(|entry| (entry.path(), fs::read(entry.path()).ok())).collect::<Vec<_>>()
    };
    fs::write(home.join("format"), "1\n").expect("a file");
    assert!(run(&home, &["key", "show"]).status.success(), "the format of this program");
    fs::write(home.join("format"), "2\n").expect("a file");
    let before = names();
    for args in [&["key", "show"][..], &["game", "list"], &["key", "new", "--no-passphrase"], &["desk", "--no-browser"]]
    {
        let refused = run(&home, args);
        assert!(!refused.status.success(), "{args:?}");
        let said = said(&refused);
        assert!(said.contains("is in format 2, but this sealed-dice reads format 1"), "{args:?}: {said}");
    }
    assert_eq!(names(), before);
}

#[test]
fn an_export_of_a_later_format_is_named() {
    let home = player("versions-export");
    let old = home.with_file_name("export.tar");
    let exported = run(&home, &["game", "export", old.to_str().expect("a path"), "--yes"]);
    assert!(exported.status.success(), "{}", said(&exported));
    let bytes = fs::read(&old).expect("an export");
    let at = bytes.windows(6).position(|part| part == b"\"v\":1}").expect("the format");
    let mut later = bytes;
    later[at + 4] = b'2';
    fs::write(&old, later).expect("an export");
    let refused =
        run(&folder("versions-import").join("home"), &["game", "import", old.to_str().expect("a path"), "--yes"]);
    assert!(!refused.status.success());
    assert!(
        said(&refused).contains("export.tar is in format 2, but this sealed-dice reads format 1"),
        "{}",
        said(&refused)
    );
}
