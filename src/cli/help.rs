//! `help`: the manual, without a network; or what `--help` says of a command.

use clap::CommandFactory;

use super::{answer::Answer, args::Args};

/// The pages of the manual, by topic: what each is about, and its text.
const PAGES: [(&str, &str, &str); 9] = [
    ("playing", "playing by mail, to the end of a game", include_str!("../../docs/playing.md")),
    ("trouble", "when something goes wrong", include_str!("../../docs/trouble.md")),
    ("games", "the games that it knows", include_str!("../../docs/games.md")),
    ("referees", "what a referee does", include_str!("../../docs/referees.md")),
    ("offices", "playing through an office, and running one", include_str!("../../docs/offices.md")),
    ("commands", "all commands", include_str!("../../docs/commands.md")),
    ("how-it-works", "how the dice are made, for the curious", include_str!("../../docs/how-it-works.md")),
    ("threats", "every known attack, and what meets it", include_str!("../../docs/threats.md")),
    ("tools", "the library, JSON and test vectors, for tool authors", include_str!("../../docs/tools.md")),
];

/// A page of the manual, or the help of a command.
///
/// # Errors
/// If there is no such page and no such command.
pub(super) fn run(words: &[String]) -> Result<Answer, Answer> {
    match words {
        [] => Ok(Answer::done(contents())),
        [topic] if let Some((_, _, text)) = PAGES.iter().find(|(name, ..)| name == topic) => {
            Ok(Answer::done((*text).to_owned()))
        }
        words => of_command(words),
    }
}

fn contents() -> String {
    let width = PAGES.iter().map(|(name, ..)| name.len()).max().unwrap_or_default();
    let pages: String = PAGES.iter().map(|(name, about, _)| format!("  {name:<width$}  {about}\n")).collect();
    format!(
        "sealed-dice help TOPIC prints a page of the manual:\n{pages}sealed-dice help COMMAND says how a command is typed; sealed-dice --help lists them.\n"
    )
}

fn of_command(words: &[String]) -> Result<Answer, Answer> {
    let mut command = Args::command();
    command.build();
    for word in words {
        let found = command.find_subcommand(word).cloned();
        command = found.ok_or_else(|| {
            Answer::unable(format!("there is no page and no command {:?}:\n{}", words.join(" "), contents().trim_end()))
        })?;
    }
    Ok(Answer::done(format!("{}\n", command.render_help())))
}
