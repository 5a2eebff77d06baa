//! `office join` and `card` (`protocol/post.md` 2, 9): connects a game with its office.

use super::{
    exchange::{LISTS, signed_pass, stored},
    exchanged::Exchanged,
    failure::{Failure, PlayResult},
    handed::News,
    index::Index,
    intake::{Intake, described},
    locked::Locked,
    received::UNANSWERED,
    session::{Question, Reply, Session},
    table::Table,
};
use crate::{
    blob::Hex32,
    game::terms::Terms,
    keep::{home::Home, office_account::OfficeAccount},
    office::{answers::Page, client::Client},
    primitive::sign::PublicKey,
    report::{summary::CHOOSES, terms::TIME_WITNESS, text::visible},
};

/// The input for joining an office.
#[derive(Clone, Debug)]
pub struct Joining {
    /// The address of the office, such as `https://dice.example.org`.
    pub url: String,
    /// The invitation from its operator, if the office requires one.
    pub invitation: Option<String>,
    /// The beginning of the id of terms to fetch, no matter how many boxes name this player's key.
    pub keep: Option<String>,
}

/// Records the address of a game's office, opens its box, and exchanges letters. If no game names this office, fetches
/// the games that are there for this player.
///
/// # Errors
/// If there is no office, the terms name another one, or the office fails or refuses.
pub fn join(session: &Session<'_>, name: Option<&str>, joining: &Joining) -> PlayResult<Exchanged> {
    let Joining { url, invitation, keep } = joining;
    let home = session.home;
    let client = Client::new(url);
    let card = client.card()?;
    let office = Hex32::parse(&card.key)
        .ok_or_else(|| Failure::unable("there is no office at this address: check it with the office's operator"))?;
    let names = |table: &Table| table.office_key().is_ok_and(|key| key == office);
    let mut office_account = OfficeAccount { url: url.clone(), ..OfficeAccount::default() };
    let (tables, _) = Table::all(home)?;
    if name.is_none() && (keep.is_some() || tables.iter().filter(|table| names(table)).all(Table::is_joined)) {
        return fetch_games(session, office_account, office, keep.as_deref());
    }
    let table = Locked::find(session, name, |table| names(table) && !table.is_joined())?;
    if !names(&table) {
        return Err(Failure::refused(format!(
            "the terms name a different office, not this one (key {}): join at the address of that office",
            visible(&card.key)
        )));
    }
    let charter = table.stored.iter().find(|letter| letter.message.id() == table.terms.id);
    let charter = charter.ok_or_else(|| {
        Failure::unable("the terms are missing from the game's folder: read the mail with the terms again")
    })?;
    let taken = client.open(&charter.armour(), invitation.as_deref())?;
    // If the game had a box before, the new box is empty, so every letter is left again.
    office_account.forgot = table.is_joined();
    office_account.keep(&table.lock)?;
    let mut news = table.intake()?;
    news.take_placed(home, stored(&taken.letters))?;
    let exchanged = table.again()?.exchange(session, news)?;
    let joined = format!("the letters in {} now also go through {}, and by mail as before", table.name(), visible(url));
    Ok(exchanged.saying(joined))
}

/// Fetches the games that an office has for this player and that are not here yet: the ones whose ids begin with
/// `keep`, or the first few, because anybody may open boxes that name a player.
fn fetch_games(
    session: &Session<'_>,
    mut office_account: OfficeAccount,
    office: Hex32,
    keep: Option<&str>,
) -> PlayResult<Exchanged> {
    let home = session.home;
    let keys = session.unlock()?;
    let (pass, until) = signed_pass(office, keys.signing())?;
    office_account.pass = Some((pass.clone(), until));
    let client = Client::new(&office_account.url);
    let mut games = listed(home, &client, &pass)?;
    games.retain(|game| keep.is_none_or(|keep| game.to_string().starts_with(keep)));
    let more = games.split_off(games.len().min(UNANSWERED)).len();
    if games.is_empty() {
        return Ok(Exchanged::default()
            .saying("the office has no new games for you; the player who proposes a game opens its box there"));
    }
    let mut news = Intake::default();
    news.wanted.extend(keep.iter().flat_map(|_| &games));
    let taken = games.iter().try_for_each(|game| fetch_game(session, &mut news, *game, &client.page(*game, 0, &pass)?));
    // Games that arrived before the office went away are joined.
    let mut received = news.end(home)?;
    let here = Index::of(home)?;
    for folder in games.iter().filter_map(|game| here.folder(game)) {
        // Letters after the first page come with the next pull.
        office_account.keep(&folder.lock()?)?;
    }
    if more > 0 {
        received.said.push(format!(
            "more boxes there name your key ({more}), and anybody can open one. If you expect a game among them, ask \
             the player who proposed it for the id of its terms (their `game list` shows its first digits), and type  \
             sealed-dice office join {} --keep ID",
            visible(&office_account.url)
        ));
    }
    match taken {
        Ok(()) => Ok(Exchanged::of(received)),
        Err(failure) => Err(failure.after([News::Letters(Box::new(received))])),
    }
}

/// Lists this player's boxes at an office whose games are not here.
fn listed(home: &Home, client: &Client, pass: &str) -> PlayResult<Vec<Hex32>> {
    let here = Index::of(home)?;
    let (mut games, mut after) = (Vec::new(), None);
    for _ in 0..LISTS {
        let page = client.boxes(after, pass)?;
        let found: Vec<Hex32> = page.games.iter().filter_map(|own| Hex32::parse(&own.game)).collect();
        // This stops at an office whose list goes round in circles.
        let behind = found.last().copied().filter(|last| Some(*last) > after);
        games.extend(found.into_iter().filter(|game| here.folder(game).is_none()));
        match behind {
            Some(last) if page.more => after = Some(last),
            _ => break,
        }
    }
    Ok(games)
}

/// Takes in a game that an office has for this player, if they want it. If there is no person to ask, takes as many
/// games as `read` keeps invitations.
fn fetch_game(session: &Session<'_>, news: &mut Intake, game: Hex32, page: &Page) -> PlayResult<()> {
    let letters = stored(&page.letters);
    let charter = letters.iter().find(|(_, letter)| letter.message.id() == game);
    let Some(terms) = charter.and_then(|(_, charter)| Terms::parse(&charter.message).ok()) else {
        return news.take_placed(session.home, letters);
    };
    match session.person.answers(&Question::Join(described(&terms))) {
        Reply::No => Ok(()),
        reply => {
            news.wanted.extend((reply == Reply::Yes).then_some(game));
            news.take_placed(session.home, letters)
        }
    }
}

/// The lines about an office that terms must contain, including those for a time witness.
#[derive(Clone, Debug)]
pub struct Card {
    /// Lines for the file of terms.
    pub lines: String,
    /// The fingerprint of the office's key.
    pub fingerprint: String,
}

/// Fetches the lines that terms must contain about an office.
///
/// # Errors
/// If there is no office at the address.
pub fn card(url: &str, witness: bool) -> PlayResult<Card> {
    let card = Client::new(url).card()?;
    let hex = |text: &str| {
        Hex32::parse(text)
            .ok_or_else(|| Failure::unable("there is no office at this address: check it with the office's operator"))
    };
    let name: String = visible(&card.name).chars().filter(|c| !matches!(c, '"' | '\\')).collect();
    let (says, holds) = match witness {
        true => (TIME_WITNESS.to_owned(), String::new()),
        false => {
            let says = format!("Together with the player who declares, the office {CHOOSES}");
            (says, format!("deposit = \"{}\"\ndeposit_notes = true\n", hex(&card.deposit)?))
        }
    };
    let terms =
        format!("[office]\n# {says}.\nname = \"{name}\"\nrole = \"office\"\nkey = \"{}\"\n{holds}", hex(&card.key)?);
    let key = PublicKey::parse(&hex(&card.key)?.0)?;
    Ok(Card { lines: terms, fingerprint: key.fingerprint() })
}
