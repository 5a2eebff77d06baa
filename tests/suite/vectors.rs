//! `vectors/`: all of them pass, they are what the generator makes, and they are many.

use std::{path::Path, process::Command};

use sealed_dice::conformance;

#[test]
fn all_vectors_pass() {
    let runs = conformance::check(Path::new("vectors")).expect("the vectors can be read");
    let failures: Vec<String> =
        runs.iter().filter_map(|run| Some(format!("{}: {}", run.file.display(), run.failure.as_ref()?))).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(runs.len() > 400, "only {} vectors were found", runs.len());
}

#[test]
fn failing_vectors_are_at_least_as_many_as_passing_ones() {
    let (mut failing, mut passing) = (0, 0);
    for run in conformance::check(Path::new("vectors")).expect("the vectors can be read") {
        let content = std::fs::read_to_string(&run.file).expect("a vector");
        let expect = content.split("\"expect\":").nth(1).expect("every vector expects something");
        let expect = expect.split("\"given\":").next().unwrap_or(expect);
        let refused =
            expect.contains("\"class\"") || expect.contains("\"refuted\"") || expect.contains("\"undecided\"");
        *if refused { &mut failing } else { &mut passing } += 1;
    }
    assert!(failing >= passing, "{failing} failing, {passing} passing");
}

/// The generator is an example, so that `cargo test` has built it already.
#[test]
fn vectors_and_pages_are_what_the_generator_makes() {
    let test = std::env::current_exe().expect("the path of this test");
    let target = test.parent().and_then(Path::parent).expect("target/PROFILE/deps");
    let generator = target.join("examples").join(format!("vectors{}", std::env::consts::EXE_SUFFIX));
    let output = Command::new(generator).arg("--check").output().expect("the generator runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn a_wrong_vector_fails() {
    let dir = crate::folder("a-wrong-vector");
    let vector = std::fs::read_to_string("vectors/dice/roll.json").expect("a vector");
    std::fs::write(dir.join("wrong.json"), vector.replace("\"line\": 1", "\"line\": 2")).expect("a file");
    std::fs::write(dir.join("broken.json"), "{").expect("a file");
    let runs = conformance::check(&dir).expect("the folder can be read");
    assert_eq!(runs.iter().filter(|run| run.failure.is_some()).count(), 2);
}
