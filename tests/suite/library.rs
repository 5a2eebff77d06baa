//! What a tool gets that uses the library: examples that run, and few crates.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

/// Most distinct crates that the core draws in, itself among them.
const CRATES: usize = 70;

/// An example, as `cargo test` has built it.
fn example(name: &str) -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_sealed-dice"));
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    program.parent().expect("a folder").join("examples").join(name)
}

/// What an example prints, and its exit code.
fn run(name: &str, args: &[&str]) -> (String, Option<i32>) {
    let output = Command::new(example(name)).args(args).output().expect("it runs");
    let told = [output.stdout, output.stderr].concat();
    (String::from_utf8(told).expect("UTF-8"), output.status.code())
}

#[test]
fn examples_do_what_they_say() {
    let (told, code) = run("auditor", &["vectors/audit/whole-turn.txt"]);
    assert!(code == Some(0) && told.starts_with("verified") && told.contains("d6 = 4  a1 F12 3-1"), "{told}");
    let (told, code) = run("auditor", &["vectors/fork/reveal-of-a-fallen-declaration.txt"]);
    assert!(code == Some(1) && told.contains("refuted"), "{told}");
    let (told, code) = run("auditor", &["no such file"]);
    assert!(code == Some(2) && told.contains("cannot be read"), "{told}");
    let (told, code) = run("one_roll", &[]);
    assert!(code == Some(0) && told.contains("red rolls 4 + 5 = 9\nblue rolls 1 + 3 = 4\n"), "{told}");
    let (told, code) = run("signer", &[]);
    assert!(code == Some(0) && told.contains("verified, up to ann 1"), "{told}");
    assert_eq!(told.matches("-----BEGIN SEALED DICE MESSAGE-----").count(), 3, "{told}");
}

#[test]
fn the_core_draws_in_few_crates() {
    let tree = ["tree", "--locked", "--offline", "--edges", "normal", "--no-default-features", "--prefix", "none"];
    let output = Command::new(env!("CARGO")).args(tree).arg("--no-dedupe").output().expect("cargo runs");
    let listed = String::from_utf8(output.stdout).expect("UTF-8");
    let crates: BTreeSet<Vec<&str>> = listed.lines().map(|line| line.split(' ').take(2).collect()).collect();
    assert!((20..=CRATES).contains(&crates.len()), "{} crates: {crates:?}", crates.len());
    for heavy in ["clap", "maud", "mail-parser", "rusqlite", "tokio", "ureq"] {
        assert!(crates.iter().all(|named| named.first() != Some(&heavy)), "{heavy} is in the core");
    }
}
