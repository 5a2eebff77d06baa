//! `game forget`: takes a game that is over, or an invitation that was never answered, out of view.

use std::{fs, io, path::PathBuf};

use super::{
    failure::{Failure, PlayResult},
    index::Index,
    locked::Locked,
    session::Session,
    table::Stage,
};
use crate::keep::{StorageError, home::make_private};

/// Moves the folder of a game aside, and returns the old and the new path. No letter is deleted.
///
/// # Errors
/// If the game is not over.
pub fn forget(session: &Session<'_>, name: &str) -> PlayResult<(PathBuf, PathBuf)> {
    let home = session.home;
    let _home = home.lock()?;
    let table = Locked::find(session, Some(name), |_| true)?;
    let is_unanswered = table.stage == Stage::Proposed && table.has_signed_nothing();
    if table.lives() && !is_unanswered {
        return Err(Failure::refused(format!(
            "{name} is not over: you can forget only a game that both players have closed, terms that were withdrawn, \
             or an invitation that you have not answered. Nothing was moved"
        )));
    }
    // An unanswered invitation may be forgotten although it continues a game: anybody can send invitations.
    let begun = Some(&table.terms.charter).filter(|_| table.stage != Stage::Proposed);
    if let Some(old) = begun.and_then(|charter| charter.continues.as_ref()).map(|continues| continues.game)
        && let Some(old) = Index::of(home)?.folder(&old)
    {
        return Err(Failure::refused(format!(
            "{name} continues {}, and this machine must know that as long as the old game is here: forget the old game \
             first. Nothing was moved",
            old.name()
        )));
    }
    let aside = home.forgotten();
    make_private(&aside).map_err(|error| StorageError::with(&aside, "made", &error))?;
    let from = table.folder.path().to_owned();
    let numbered = (2_u64..).map(|n| format!("{name}-{n}"));
    let mut free = std::iter::once(name.to_owned()).chain(numbered).map(|name| aside.join(name));
    let to = free.find(|path| !path.exists()).unwrap_or(aside);
    let moved = |error: &io::Error| StorageError::with(&from, "moved", error);
    // Windows cannot move a folder with an open file.
    #[cfg(windows)]
    drop(table);
    fs::rename(&from, &to).map_err(|error| moved(&error))?;
    Ok((from, to))
}
