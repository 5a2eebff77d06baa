//! `office join` and `card` (`protocol/post.md` 2, 9): a game and its office find each other.

use super::taken::UNANSWERED;
use super::{
    exchange::{LISTS, signed_pass, stored, told_news},
    index::Index,
    intake::{Intake, described},
    locked::Locked,
    sign::Signing,
    table::Table,
};
use crate::cli::answer::{Answer, Told};
use crate::report::summary::CHOOSES;
use crate::{
    blob::Hex32,
    cli::terminal::{self, visible},
    game::terms::Terms,
    keep::{home::Home, post_box::PostBox},
    office::{answers::Page, client::Client},
    primitive::sign::PublicKey,
    report::terms::TIME_WITNESS,
};

/// `office join`: tells a game where its office is, opens its box, and exchanges letters; without a game that names this
/// office, fetches those that are there for this player.
pub(in crate::cli) fn join(
    home: &Home,
    name: Option<&str>,
    url: &str,
    (invitation, keep): (Option<&str>, Option<&str>),
    signing: &Signing,
) -> Told<Answer> {
    let client = Client::new(url);
    let card = client.card()?;
    let office = Hex32::parse(&card.key).ok_or_else(|| Answer::unable("the address is no office's"))?;
    let names = |table: &Table| table.office_key().is_ok_and(|key| key == office);
    let mut post_box = PostBox { url: url.to_owned(), ..PostBox::default() };
    let (tables, _) = Table::all(home)?;
    if name.is_none() && (keep.is_some() || tables.iter().filter(|table| names(table)).all(Table::is_joined)) {
        return fetch_games(home, post_box, office, keep, signing);
    }
    let table = Locked::find(home, name, |table| names(table) && !table.is_joined())?;
    if !names(&table) {
        return Err(Answer::refused(format!(
            "the terms name another office than this one, whose key is {}: letters of this game are not for it",
            visible(&card.key)
        )));
    }
    let charter = table.stored.iter().find(|letter| letter.message.id() == table.terms.id);
    let charter = charter.ok_or_else(|| Answer::unable("the charter is not in the game's folder"))?;
    let taken = client.open(&charter.armour(), invitation)?;
    // Where its box was before, and is opened again, it has nothing.
    post_box.forgot = table.is_joined();
    post_box.keep(&table.lock)?;
    let mut news = table.intake()?;
    news.take_placed(home, stored(&taken.letters))?;
    let answer = table.again(home)?.exchange(home, signing, news)?;
    let joined = format!("letters of {} go through {} as well now, and by mail as before", table.name(), visible(url));
    Ok(answer.saying(joined))
}

/// The games that an office has for this player and that are not here yet: those whose ids begin with `keep`, or the first few,
/// for anybody may open boxes that name a player.
fn fetch_games(
    home: &Home,
    mut post_box: PostBox,
    office: Hex32,
    keep: Option<&str>,
    signing: &Signing,
) -> Told<Answer> {
    let keys = signing.unlock(home)?;
    let (pass, until) = signed_pass(office, keys.signing())?;
    post_box.pass = Some((pass.clone(), until));
    let client = Client::new(&post_box.url);
    let mut games = listed(home, &client, &pass)?;
    games.retain(|game| keep.is_none_or(|keep| game.to_string().starts_with(keep)));
    let more = games.split_off(games.len().min(UNANSWERED)).len();
    if games.is_empty() {
        return Ok(Answer::done(String::new())
            .saying("the office has no game of yours that is not here; whoever proposes one opens its box"));
    }
    let mut news = Intake::default();
    news.wanted.extend(keep.iter().flat_map(|_| &games));
    let taken = games.iter().try_for_each(|game| fetch_game(home, &mut news, *game, &client.page(*game, 0, &pass)?));
    // Whatever came before the office went away is joined.
    let mut told = told_news(news, home)?;
    let here = Index::of(home)?;
    for folder in games.iter().filter_map(|game| here.folder(game)) {
        // What lies beyond the first page comes with the next pull.
        post_box.keep(&folder.lock()?)?;
    }
    if more > 0 {
        told.talk.push(format!(
            "more boxes there name your key ({more}), and anybody can open one. If you expect a game among them, ask its author for the \
             id of its terms (their `game list` shows its first digits), and type  sealed-dice office join {} --keep ID",
            visible(&post_box.url)
        ));
    }
    match taken {
        Ok(()) => Ok(told),
        Err(why) => Err(Answer { out: told.out, talk: [told.talk, why.talk].concat(), ..why }),
    }
}

/// The boxes of this player at an office whose games are not here.
fn listed(home: &Home, client: &Client, pass: &str) -> Told<Vec<Hex32>> {
    let here = Index::of(home)?;
    let (mut games, mut after) = (Vec::new(), None);
    for _ in 0..LISTS {
        let page = client.boxes(after, pass)?;
        let found: Vec<Hex32> = page.games.iter().filter_map(|own| Hex32::parse(&own.game)).collect();
        // An office that would go round in circles is not followed.
        let behind = found.last().copied().filter(|last| Some(*last) > after);
        games.extend(found.into_iter().filter(|game| here.folder(game).is_none()));
        match behind {
            Some(last) if page.more => after = Some(last),
            _ => break,
        }
    }
    Ok(games)
}

/// Takes a game in that an office has for this player, if they want it. Where nobody is there to be asked, as many are taken as
/// `read` keeps of invitations.
fn fetch_game(home: &Home, news: &mut Intake, game: Hex32, page: &Page) -> Told<()> {
    let letters = stored(&page.letters);
    let charter = letters.iter().find(|(_, letter)| letter.message.id() == game);
    let Some(terms) = charter.and_then(|(_, charter)| Terms::parse(&charter.message).ok()) else {
        return news.take_placed(home, letters);
    };
    match terminal::agree(&format!("{}: join it?", described(&terms))) {
        Some(false) => Ok(()),
        agreed => {
            news.wanted.extend(agreed.map(|_| game));
            news.take_placed(home, letters)
        }
    }
}

/// `office card`: what terms must say of an office, or of one that is a time witness in them.
pub(in crate::cli) fn card(url: &str, witness: bool) -> Told<Answer> {
    let card = Client::new(url).card()?;
    let hex = |text: &str| Hex32::parse(text).ok_or_else(|| Answer::unable("the address is no office's"));
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
    Ok(Answer::done(terms).saying(format!("the fingerprint of its key: {}", key.fingerprint())).saying(
        "these lines go into the terms, in place of their [office]; compare the fingerprint of its key with its operator by voice",
    ))
}
