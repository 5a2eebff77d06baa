//! The only file that prints.
//!
//! Standard output gets only the answer. Standard error gets notices in lower case, each line under the program's name.
//! Colour has no meaning. Text that others wrote is shown with control, escape and direction characters made visible.

#![expect(clippy::print_stderr, reason = "this is the file that prints")]

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

use super::answer::Answer;
use crate::primitive::secret::SecretText;
pub(super) use crate::report::text::visible;

/// Prints an answer. If it cannot be written, returns exit code 2 and prints the reason, unless the reader stopped
/// listening, as in `sealed-dice audit MAILS | head`.
pub(super) fn print(answer: &Answer) -> ExitCode {
    for line in &answer.talk {
        say(line);
    }
    let mut out = io::stdout().lock();
    let secret = answer.secret.as_ref().map_or("", SecretText::expose);
    let parts = [&answer.out, secret];
    let written = parts.iter().try_for_each(|part| out.write_all(part.as_bytes())).and_then(|()| out.flush());
    match written {
        Ok(()) => answer.next.iter().for_each(|next| say(next)),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::from(2),
        Err(error) => {
            say(&format!(
                "the answer cannot be written: {error}; letters that were signed are kept, and `sealed-dice resend` \
                 prints them"
            ));
            return ExitCode::from(2);
        }
    }
    ExitCode::from(answer.code)
}

/// Prints a notice before the answer, each line of it under the program's name.
pub(super) fn say(talk: &str) {
    for line in talk.lines() {
        eprintln!("sealed-dice: {}", visible(line));
    }
}

/// Asks for a line that is shown as it is typed; `None` at the end of the input.
///
/// # Errors
/// If standard input cannot be read.
pub(super) fn ask(question: &str) -> io::Result<Option<SecretText>> {
    eprint!("{question}");
    let mut line = String::with_capacity(256);
    let read = io::stdin().read_line(&mut line)?;
    let line = SecretText::new(line);
    Ok((read > 0).then_some(line))
}

/// Asks a yes-or-no question; `None` if nobody is there to answer.
pub(super) fn agree(question: &str) -> Option<bool> {
    ask_line(&format!("{question} [y/N]")).map(|line| matches!(line.as_str(), "y" | "Y" | "yes"))
}

/// Asks for a line; `None` if nobody is there to answer, or at the end of the input.
pub(super) fn ask_line(question: &str) -> Option<String> {
    if !io::stdin().is_terminal() {
        return None;
    }
    eprint!("{question} ");
    io::stderr().flush().ok()?;
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line).ok()?;
    (read > 0).then(|| line.trim().to_owned())
}
