//! Resolves one roll with given dice in a system, with its steps. This proves nothing, because anybody can write dice.
//!
//! ```sh
//! cargo run --no-default-features --example one_roll
//! ```

use sealed_dice::{blob::json, error::Result, resolve::what_if};

/// The first turn of an OCS campaign: red declares, and both sides roll two dice.
const CASE: &str = r#"{
    "system": "ocs-initiative",
    "settings": { "first_player": "red", "sides": ["red", "blue"] },
    "input": { "by": "red", "declare": {} },
    "draws": [4, 5, 1, 3]
}"#;

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() -> Result<()> {
    let resolved = what_if::resolve(&json::parse(CASE.as_bytes())?)?;
    resolved.account.iter().for_each(|step| println!("{step}"));
    println!("result: {}", resolved.public.as_str());
    Ok(())
}
