//! `desk`: the pages for people who prefer a browser to commands.

use super::{answer::Answer, terminal};
use crate::{
    desk::serve,
    keep::{StorageError, home::Home},
    play::typing::quoted,
};

/// Runs the desk until it is stopped.
pub(super) fn run(home: Home, opens: bool) -> Result<Answer, StorageError> {
    serve::serve(home, opens, &mut |entrance| {
        terminal::say(&format!("the desk is open; if no browser appears, open {}", quoted(entrance)));
        terminal::say("press Ctrl-C to close the desk");
    })?;
    Ok(Answer::default())
}
