//! `help`: prints the manual, without a network, or the text that `--help` prints for a command.

use clap::CommandFactory;

use super::{answer::Answer, args::Args};
use crate::report::manual::PAGES;

/// Returns a page of the manual, or the help for a command.
///
/// # Errors
/// If there is no such page and no such command.
pub(super) fn run(words: &[String]) -> Result<Answer, Answer> {
    match words {
        [] => Ok(Answer::done(contents())),
        [topic] if let Some(page) = PAGES.iter().find(|page| page.topic == topic) => {
            Ok(Answer::done(page.text.to_owned()))
        }
        words => of_command(words),
    }
}

fn contents() -> String {
    let width = PAGES.iter().map(|page| page.topic.len()).max().unwrap_or_default();
    let pages: String = PAGES.iter().map(|page| format!("  {:<width$}  {}\n", page.topic, page.about)).collect();
    format!(
        "sealed-dice help TOPIC prints a page of the manual:\n{pages}sealed-dice help COMMAND prints the help for a \
         command; sealed-dice --help lists all commands.\n"
    )
}

fn of_command(words: &[String]) -> Result<Answer, Answer> {
    let mut command = Args::command();
    command.build();
    for word in words {
        let found = command.find_subcommand(word).cloned();
        command = found.ok_or_else(|| {
            Answer::unable(format!("{:?} is not a topic or a command:\n{}", words.join(" "), contents().trim_end()))
        })?;
    }
    Ok(Answer::done(format!("{}\n", command.render_help())))
}
