//! An auditor: reads a transcript from a file. For each game, it prints who broke which rule, and what the dice were.
//!
//! ```sh
//! cargo run --no-default-features --example auditor -- vectors/audit/whole-turn.txt
//! ```

use std::{env, fs, process::ExitCode};

use sealed_dice::{audit, game::audit::Verdict, report::plain};

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]
fn main() -> ExitCode {
    let Some(path) = env::args().nth(1) else {
        eprintln!("name a file with letters");
        return ExitCode::from(2);
    };
    let transcript = match fs::read_to_string(&path) {
        Ok(transcript) => transcript,
        Err(error) => {
            eprintln!("{path} cannot be read: {error}");
            return ExitCode::from(2);
        }
    };
    let reports = audit(&transcript);
    let ids = reports.iter().flat_map(|report| report.ids()).collect();
    reports.iter().for_each(|report| println!("{}", plain::tell(report, &ids)));
    match reports.iter().all(|report| report.verdict == Verdict::Verified) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
