//! `packaging`: writes manual pages and shell completions, for the scripts that make packages.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::{Shell, generate_to};

use super::{answer::Answer, args::Args};

/// Writes a manual page for each command into `dir/man`, and completions for three shells into `dir/completions`.
pub(super) fn run(dir: &Path) -> Answer {
    let write = || {
        let (man, completions) = (dir.join("man"), dir.join("completions"));
        std::fs::create_dir_all(&man)?;
        std::fs::create_dir_all(&completions)?;
        let command = Args::command().disable_help_subcommand(true);
        for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
            generate_to(shell, &mut command.clone(), "sealed-dice", &completions)?;
        }
        clap_mangen::generate_to(command, &man)
    };
    match write() {
        Ok(()) => Answer::done(String::new()),
        Err(error) => Answer::unable(format!("{} cannot be written: {error}; check the folder", dir.display())),
    }
}
