//! The players, referee and office in a file of terms, and their keys.

use toml::Spanned;

use super::{
    form::{File, FileThird},
    source::Source,
};
use crate::{
    blob::{
        body::{Hex32, Role},
        deposits::{Deposits, Third},
    },
    play::{compared, failure::PlayResult},
    primitive::{sign::PublicKey, wrap},
};

/// Reads a party's key, and whether its fingerprint was compared.
pub(super) fn keyed(
    source: &Source<'_>,
    key: &Spanned<String>,
    fingerprint: Option<&Spanned<String>>,
) -> PlayResult<(Hex32, bool)> {
    let public = public_key(key.get_ref()).map_err(|why| source.mistake(key.span(), why))?;
    let key = Hex32(*public.as_bytes());
    let Some(fingerprint) = fingerprint.filter(|text| !text.get_ref().trim().is_empty()) else {
        return Ok((key, false));
    };
    if !compared::same_fingerprint(&public, fingerprint.get_ref()) {
        return Err(source.mistake(fingerprint.span(), OTHER_FINGERPRINT));
    }
    Ok((key, true))
}

/// The message for a fingerprint that belongs to another key.
pub(in crate::play) const OTHER_FINGERPRINT: &str = "the fingerprint does not match the key above: have it read to you again. If it still does not match, somebody has \
     put in another key";

/// Reads a referee or an office, if the terms name one, and its key, if its fingerprint was compared.
pub(super) fn third(source: &Source<'_>, third: Option<&FileThird>) -> PlayResult<(Option<Third>, Option<Hex32>)> {
    let Some(third) = third else { return Ok((None, None)) };
    let (key, compared) = keyed(source, &third.key, third.fingerprint.as_ref())?;
    let deposit =
        third.deposit.as_ref().map(|key| deposit_key(key.get_ref()).map_err(|why| source.mistake(key.span(), why)));
    let deposit = deposit.transpose()?;
    let deposit = deposit.map(|key| Deposits { key, notes: third.deposit_notes });
    let role = source.word(&third.role, Role::parse)?;
    Ok((Some(Third { deposit, key, name: third.name.clone(), role }), compared.then_some(key)))
}

/// Checks that no fingerprint given for another party is the author's own.
pub(super) fn check_fingerprints(source: &Source<'_>, file: &File, own: Hex32) -> PlayResult<()> {
    let referee = file.referee.as_ref().and_then(|referee| referee.fingerprint.as_ref());
    let office = file.office.as_ref().and_then(|office| office.fingerprint.as_ref());
    let typed = file.opponent.fingerprint.iter().chain(referee).chain(office);
    typed.into_iter().try_for_each(|typed| {
        compared::check_not_own(own, typed.get_ref())
            .map_err(|failure| source.mistake(typed.span(), failure.why.join("; ")))
    })
}

/// Reads the key that deposits are wrapped to, and checks that wrapping to it is possible. The error says what to copy.
pub(in crate::play) fn deposit_key(written: &str) -> Result<Hex32, &'static str> {
    let key = Hex32::parse(written.trim());
    key.filter(|key| wrap::is_usable(&key.0)).ok_or(
        "this is not a valid deposit key: copy the 64 digits that `sealed-dice key show --deposit` prints on its \
         owner's machine",
    )
}

/// Reads a public key. The error says what to copy.
pub(in crate::play) fn public_key(written: &str) -> Result<PublicKey, &'static str> {
    let key = Hex32::parse(written.trim()).ok_or(
        "a public key must be 64 digits from 0 to f: copy the key that `sealed-dice key show` prints on its owner's \
         machine",
    )?;
    PublicKey::parse(&key.0)
        .map_err(|_| "this is not a valid public key, because a digit is missing or mistyped: copy the whole key again")
}
