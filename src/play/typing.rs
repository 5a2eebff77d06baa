//! How commands are typed on this machine.

use crate::keep::home::Home;

/// How commands for a game are typed on this machine, so that they can be copied exactly as shown.
#[derive(Clone, Debug)]
pub struct Typing {
    pub(super) program: String,
    pub(super) game: String,
}

impl Typing {
    /// Makes the form for a game in a home; no name is needed if no other game is active.
    #[must_use]
    pub fn of(home: &Home, game: &str, is_only: bool) -> Self {
        let usual = Home::find(None).is_ok_and(|usual| usual == *home);
        Self {
            program: if usual { "sealed-dice".into() } else { format!("sealed-dice --home {}", quoted(home.path())) },
            game: if is_only { String::new() } else { format!(" --game {game}") },
        }
    }

    /// Records that the game needs no name, because no other is active.
    pub(super) fn is_the_only(&mut self) {
        self.game.clear();
    }

    /// Returns the form for commands that are not about a game.
    pub(super) fn of_home(&self) -> Self {
        Self { program: self.program.clone(), game: String::new() }
    }

    /// Returns the command to type for a verb and its arguments.
    #[must_use]
    pub fn command(&self, verb: &str) -> String {
        format!("{} {verb}{}", self.program, self.game)
    }
}

/// Quotes a path so that a shell takes it for one word.
#[must_use]
pub fn quoted(path: &std::path::Path) -> String {
    let looks_like_option = path.as_os_str().as_encoded_bytes().starts_with(b"-");
    let path = if looks_like_option { std::path::Path::new(".").join(path) } else { path.to_owned() };
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/\\:._-+@,".contains(c);
    match (path.chars().all(plain) && (cfg!(windows) || !path.contains('\\')), cfg!(windows)) {
        (true, _) => path,
        // A backslash before the closing quote would make it a part of the path.
        (false, true) => format!("\"{}\"", path.trim_end_matches('\\')),
        (false, false) => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

#[cfg(all(test, windows))]
mod tests {
    use std::path::Path;

    use super::quoted;

    #[test]
    fn a_quote_is_not_escaped_by_the_end_of_a_path() {
        assert_eq!(quoted(Path::new(r"C:\My games\")), r#""C:\My games""#);
        assert_eq!(quoted(Path::new(r"C:\games\")), r"C:\games\");
    }
}
