//! Refuses blanks in arguments: the words in capitals in a printed command that a player has to replace.

use std::{ffi::OsStr, path::Path};

use clap::{ArgMatches, Command};

use super::answer::Answer;
use crate::play::blanks::is_blank;

/// Checks that no argument is a blank, or a value name from the help. A word that is also the name of a file means the
/// file.
///
/// # Errors
/// `Refused`, with the line to fill in.
pub(super) fn check_arguments(command: &Command, matches: &ArgMatches) -> Result<(), Answer> {
    let mut names = Vec::new();
    value_names(command, &mut names);
    let is_left = |typed: &OsStr| {
        let text = typed.to_str().map(str::trim).unwrap_or_default();
        (is_blank(text) || names.iter().any(|name| name == text)) && !Path::new(typed).exists()
    };
    let mut at = Some(matches);
    while let Some(matches) = at {
        let typed = matches.ids().filter_map(|id| matches.try_get_raw(id.as_str()).ok().flatten()).flatten();
        if let Some(blank) = typed.into_iter().find(|typed| is_left(typed)) {
            let blank = blank.to_string_lossy();
            return Err(Answer::refused(format!(
                "{blank} is a placeholder, so nothing was done. Type the line again with your own value in its \
                 place:\n  {}",
                line()
            )));
        }
        at = matches.subcommand().map(|(_, matches)| matches);
    }
    Ok(())
}

/// Collects the value names that the help of a command and of its subcommands prints.
fn value_names(command: &Command, names: &mut Vec<String>) {
    let args = command.get_arguments().filter_map(clap::Arg::get_value_names).flatten();
    names.extend(args.map(ToString::to_string));
    command.get_subcommands().for_each(|command| value_names(command, names));
}

/// Returns the command line as it was typed.
fn line() -> String {
    let quoted = |word: String| if word.contains(char::is_whitespace) { format!("\"{word}\"") } else { word };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    ["sealed-dice".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}
