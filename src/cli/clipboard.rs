//! The system's clipboard, read with the system's own tools.

use std::{
    io::{ErrorKind, Read},
    process::{Command, Stdio},
};

use super::answer::Answer;
use crate::{
    limits::MESSAGE_BYTES,
    mail::{Mail, Source},
};

/// Commands that print the clipboard, in the order in which they are tried.
const TOOLS: &[&[&str]] = if cfg!(windows) {
    &[&[
        "powershell",
        "-NoProfile",
        "-Command",
        "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw",
    ]]
} else if cfg!(target_os = "macos") {
    &[&["pbpaste"]]
} else {
    &[&["wl-paste", "--no-newline"], &["xclip", "-o", "-selection", "clipboard"], &["xsel", "-b", "-o"]]
};

/// The advice if no tool is found. Windows and macOS bring theirs along, so there is nothing to install.
const INSTALL: &str = match cfg!(any(windows, target_os = "macos")) {
    true => "paste the mail into  sealed-dice read -",
    false => "install wl-clipboard, xclip or xsel",
};

/// The advice that ends every error about the clipboard.
const SAVE: &str = "or save the mail as a file and type  sealed-dice read FILE";

/// Returns the mail on the clipboard, from the first tool that finds something there.
///
/// # Errors
/// If no tool is installed, or none finds a text.
pub(super) fn mail() -> Result<Mail, Answer> {
    let mut is_installed = false;
    for tool in TOOLS {
        match printed(tool) {
            Ok(text) if text.len() > MESSAGE_BYTES => {
                return Err(Answer::unable(format!(
                    "the clipboard has more than {MESSAGE_BYTES} bytes; copy only the mail, {SAVE}"
                )));
            }
            Ok(text) if !text.trim_ascii().is_empty() => {
                return Ok(Mail::of(vec![Source::memory("the clipboard", text)]));
            }
            Ok(_) => is_installed = true,
            Err(error) => is_installed |= error.kind() != ErrorKind::NotFound,
        }
    }
    Err(Answer::unable(match is_installed {
        true => format!("the clipboard has no text; copy the whole mail and type the command again, {SAVE}"),
        false => format!("no tool that reads the clipboard was found; {INSTALL}, {SAVE}"),
    }))
}

/// Returns what a tool prints, up to slightly more than the limit for a mail. Returns nothing if the tool fails, as it
/// does if it is made for another kind of screen.
fn printed(tool: &[&str]) -> std::io::Result<Vec<u8>> {
    let [name, args @ ..] = tool else { return Ok(Vec::new()) };
    let mut command = Command::new(name);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let mut text = Vec::new();
    // This closes the pipe of a tool that prints without end, so that the tool ends.
    let read = child.stdout.take().map(|out| out.take(MESSAGE_BYTES as u64 + 1).read_to_end(&mut text));
    let is_long = text.len() > MESSAGE_BYTES;
    let status = child.wait()?;
    read.transpose()?;
    Ok(if status.success() || is_long { text } else { Vec::new() })
}
