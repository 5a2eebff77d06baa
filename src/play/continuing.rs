//! `game continue`: the terms of a game that continues another one, and the rules for the old game from then on
//! (`protocol/charter.md` 25 to 30).

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    failure::{Failure, PlayResult},
    index::Index,
    session::Session,
    table::{Stage, Table, folder_of, folders},
    toml_terms,
    typing::Typing,
};
use crate::{
    blob::{
        Body, Hex32, Kind,
        body::{Continues, Role, Slot},
        json::{Map, Value},
    },
    game::{
        audit::{Lack, Letter, Read, continued},
        ledger::Ledger,
        node::{Node, Past},
        order::Order,
        rules::course,
        terms::{Author, Player, Terms},
    },
    keep::{folder::Folder, home::Home, key_file::KeyFile},
    report::{
        continued::tell,
        text::{count, visible},
    },
    resolve::Awaits,
};

/// The changes for the new game, as typed.
#[derive(Clone, Debug, Default)]
pub struct Changed {
    /// The slot of a declaration, or the beginning of its id: the new game continues from the point before it.
    pub before: Option<String>,
    /// The role of the player whose key has changed.
    pub role: Option<String>,
    /// The other player's key.
    pub their_key: Option<String>,
}

/// The terms of a game that continues another one, as a file to propose, with warnings.
#[derive(Clone, Debug)]
pub struct NextTerms {
    /// The file, in TOML.
    pub text: String,
    /// The letters after the point of continuation, in lines.
    pub mind: Vec<String>,
    /// The form of commands on this machine.
    pub typing: Typing,
}

/// Writes the terms of a new game that continues another one: after a lost key, or when nothing else helps.
///
/// # Errors
/// If the old game has not begun, or something else must be done first.
pub fn continue_game(session: &Session<'_>, name: Option<&str>, changed: &Changed) -> PlayResult<NextTerms> {
    let home = session.home;
    let table = find(session, name, changed.role.as_deref())?;
    let Stage::Begun(game) = table.stage else {
        return Err(Failure::refused(
            "the game has not begun: withdraw the terms with `game withdraw`, and propose others with `game new`",
        ));
    };
    let me = table.player()?;
    let (heads, states) = table.look(|order, _| {
        let heads = match changed.before.as_deref() {
            Some(typed) => continued::heads_before(&table.terms, order, declaration(order, typed)?),
            None => continued::heads_of(&table.terms, order),
        };
        let states = continued::replayed_at(&table.terms, game, order, &heads, |ledger| states(&table, ledger))?;
        Ok((heads, states))
    })?;
    let mut terms = table.terms.clone();
    terms.charter.continues = Some(Continues { game, heads, states });
    for player in Player::BOTH {
        let other = changed.their_key.as_deref().filter(|_| player != me).map(typed_key).transpose()?;
        let key = other.or_else(|| (player == me).then_some(table.key));
        let [first, second] = &mut terms.charter.parties;
        let party = if player == Player::BOTH[0] { first } else { second };
        party.key = key.unwrap_or(party.key);
    }
    let (lines, behind) = told(home, &terms)?;
    let other = table.terms.role(me.other());
    let mut lines: Vec<String> = lines;
    if signed_on(&behind, other).next().is_some() && changed.their_key.is_none() {
        lines.push(format!(
            "WARNING: after these letters, {other} has signed more than openings, claims and a close, so their program \
             will not accept the terms: {other} must propose them (charter 30)"
        ));
    }
    let text = toml_terms::write(&terms, me, &lines)?;
    Ok(NextTerms { text, mind: lines, typing: table.typing.of_home() })
}

/// Finds the game to continue, even for a player whose key has changed.
fn find(session: &Session<'_>, name: Option<&str>, role: Option<&str>) -> PlayResult<Table> {
    let Some(role) = role else { return Table::find(session, name, Table::begins) };
    let home = session.home;
    let mut all = folders(home);
    let folder = match (name, all.len()) {
        (Some(name), _) => folder_of(home, name),
        (None, 1) => all.pop(),
        (None, _) => None,
    };
    let folder =
        folder.ok_or_else(|| Failure::unable("say which game to continue: `sealed-dice game list` shows them"))?;
    let key = KeyFile::open(&home.key_file())?.public();
    Table::open_as(home, folder, key, |terms| {
        let author = Role::parse(role).and_then(|role| terms.author_of(&role));
        author.ok_or_else(|| {
            Failure::refused(format!("{role:?} is not a role in this game: `sealed-dice game terms` shows the roles"))
        })
    })
}

fn typed_key(typed: &str) -> PlayResult<Hex32> {
    Hex32::parse(typed.trim()).ok_or_else(|| {
        Failure::refused(
            "--their-key must be 64 digits from 0 to f: copy the key that `sealed-dice key show` prints on your \
             opponent's machine",
        )
    })
}

/// Finds a declaration by its slot or by the beginning of its id, on any branch.
fn declaration<'o>(order: &'o Order, typed: &str) -> PlayResult<&'o Node> {
    let fits = |node: &&Node| match node.message.body() {
        Body::Declare(declare) => {
            Slot::parse(typed).map_or_else(|| node.id().to_string().starts_with(typed), |slot| declare.slot == slot)
        }
        _ => false,
    };
    let found: Vec<&Node> = order.nodes.iter().filter(fits).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(Failure::refused(format!(
            "the declaration {} does not exist: check the slot or the id",
            visible(typed)
        ))),
        several => {
            let ids: Vec<String> = several.iter().map(|node| order.ids.short(&node.id())).collect();
            Err(Failure::refused(format!(
                "{} declarations match; name one of them by its id: {}",
                several.len(),
                ids.join(", ")
            )))
        }
    }
}

/// Returns the public states of the courses that await a turn.
fn states(table: &Table, ledger: &Ledger<'_>) -> PlayResult<BTreeMap<String, Map<String, Value>>> {
    let mut states = BTreeMap::new();
    for (phase, course) in table.terms.courses().filter(|(_, course)| course.hidden().is_none()) {
        let system = phase.system.name();
        let reached = course::reached(ledger, phase, Past::ALL);
        let back = "or go back with --before DECLARATION";
        let Some(state) = reached.state else {
            let last =
                reached.last.and_then(|last| ledger.declaration(&last)).map(|last| last.declare.slot.to_string());
            return Err(Failure::refused(format!(
                "{system} waits for the dice of {}: open them first, {back}",
                last.unwrap_or_else(|| "its last declaration".into())
            )));
        };
        match course.awaits(&state)? {
            Awaits::Turn(_) => drop(states.insert(system.to_owned(), state)),
            Awaits::Decision { name, by, .. } => {
                return Err(Failure::refused(format!(
                    "{system} waits for {by} to decide {name}: let them decide first, {back}"
                )));
            }
            awaits @ Awaits::More(_) => {
                return Err(Failure::refused(format!("{system} waits for {awaits}: finish the turn first, {back}")));
            }
        }
    }
    Ok(states)
}

/// Returns the tables of a game in this home that is continued.
pub(super) fn tables(home: &Home, game: &Hex32) -> PlayResult<Map<String, Value>> {
    match old(home, game)? {
        Some((terms, _)) => Ok(terms.charter.tables.clone()),
        None => Err(Failure::unable(format!("the game {game} is not on this computer: read its mails first"))),
    }
}

/// Reads the terms and the letters of a game in this home, even if its terms do not name the player's present key.
fn old(home: &Home, game: &Hex32) -> PlayResult<Option<(Terms, Vec<Read>)>> {
    let index = Index::of(home)?;
    let Some(folder) = index.folder(game) else { return Ok(None) };
    let Some(charter) = folder.charter() else { return Ok(None) };
    let terms = Terms::parse(&charter.message)?;
    let (letters, _) = folder.letters()?;
    let place = folder.name();
    let read = letters.into_iter().map(|letter| Read { place: place.clone(), letter: Ok(letter.message) });
    Ok(Some((terms, read.collect())))
}

/// Describes, in lines, the letters after the point of continuation with their rolls, and unopened declarations at that
/// point (charter 28). Returns these letters as well; nothing if the terms do not continue a game.
pub(super) fn told(home: &Home, terms: &Terms) -> PlayResult<(Vec<String>, Vec<Letter>)> {
    let Some(continues) = &terms.charter.continues else { return Ok((Vec::new(), Vec::new())) };
    let read = old(home, &continues.game)?.map(|(_, read)| read).unwrap_or_default();
    let Some(continued) = continued::before(&read, terms) else { return Ok((Vec::new(), Vec::new())) };
    match &continued.old {
        Err(Lack::Roles) => {
            return Err(Failure::refused(
                "these terms continue a game on this computer, but their `heads` leave out a role of that game, so \
                 the letters after the heads cannot be listed: `sealed-dice game continue` writes complete terms \
                 (charter 28)",
            ));
        }
        Err(Lack::Head(role, id)) => {
            return Err(Failure::refused(format!(
                "these terms continue a game on this computer from letter {id} by {role}, which is not here, so the \
                 letters after it cannot be listed: ask for all letters of that game and read them first; if nobody \
                 has this letter, do not accept the terms (charter 28)"
            )));
        }
        _ => {}
    }
    let ids = continued.ids().collect::<crate::game::ids::Ids>();
    let said = tell(&continued, |id| ids.short(id));
    let lines = said.into_iter().flat_map(|said| {
        let lines = said.lines.into_iter().map(|line| format!("  {line}"));
        [said.sentence].into_iter().chain(lines).collect::<Vec<String>>()
    });
    let lines = lines.collect();
    Ok((lines, continued.old.map(|old| old.behind).unwrap_or_default()))
}

/// Lists the letters that a role signed after the heads and that keep it from accepting.
fn signed_on<'l>(behind: &'l [Letter], role: &'l Role) -> impl Iterator<Item = &'l Letter> {
    let may = |kind: Kind| matches!(kind, Kind::Reveal | Kind::Claim | Kind::Close);
    behind.iter().filter(move |letter| letter.author == role.as_str() && !may(letter.kind))
}

/// The game that continues an old one.
pub(super) struct Left {
    /// The name of the game on this machine.
    name: String,
    /// The command to withdraw it, if nobody has accepted it.
    withdraw: Option<String>,
    /// The letters from which the game continues.
    heads: Vec<Hex32>,
}

impl Left {
    /// Whether a letter may still be signed in the old game: an opening for a declaration or seal in the letters that
    /// are kept, a claim, or a close (charter 29).
    pub(super) fn lets(&self, order: &Order, body: &Body) -> bool {
        match body {
            Body::Claim(_) | Body::Close(_) => true,
            Body::Reveal(reveal) => {
                let about = reveal.declaration.unwrap_or(reveal.seal);
                let about = order.nodes.iter().find(|node| node.id() == about);
                let mut heads = order.nodes.iter().filter(|node| self.heads.contains(&node.id()));
                about.is_some_and(|about| heads.any(|head| head.id() == about.id() || head.has_in_past(about)))
            }
            _ => false,
        }
    }

    /// Explains why hardly anything can be signed in the old game.
    pub(super) fn why(&self) -> String {
        let then = match &self.withdraw {
            Some(withdraw) => format!("to undo that, withdraw the new terms:  {withdraw}"),
            None => "play on in the new game".to_owned(),
        };
        format!(
            "the game {} continues this one. In the old game, you can only open what was declared before the point \
             where the new game begins, make claims, and close the game; {then}  (charter 29)",
            self.name
        )
    }
}

/// A folder with terms that continue a game, and the point of continuation.
type Continuing = (Continues, Folder);

/// Lists all folders in a home whose terms continue a game.
fn continuing(home: &Home) -> Vec<Continuing> {
    let continues = |folder: Folder| match folder.charter()?.message.body() {
        Body::Charter(charter) => Some((charter.continues.clone()?, folder)),
        _ => None,
    };
    folders(home).into_iter().filter_map(continues).collect()
}

/// A home's path, and the terms in it that continue a game, as read by this process. A command that covers many games
/// thus searches the home only once.
static SEEN: Mutex<Option<(PathBuf, Arc<[Continuing]>)>> = Mutex::new(None);

fn seen(home: &Home) -> Arc<[Continuing]> {
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    match &*seen {
        Some((path, continuing)) if path == home.path() => Arc::clone(continuing),
        _ => {
            let continuing: Arc<[Continuing]> = continuing(home).into();
            *seen = Some((home.path().to_owned(), Arc::clone(&continuing)));
            continuing
        }
    }
}

/// Discards the list in `SEEN` when a game enters a home, because that game may continue another one.
pub(super) fn look_again() {
    *SEEN.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Finds the game that continues `game` and whose terms the owner of `key` has signed and not withdrawn. `aside` is a
/// folder to skip.
fn signed(
    home: &Home,
    among: &[Continuing],
    game: &Hex32,
    key: Hex32,
    aside: Option<&Path>,
) -> PlayResult<Option<Left>> {
    let fits = |(continues, folder): &&Continuing| continues.game == *game && Some(folder.path()) != aside;
    for (continues, folder) in among.iter().filter(fits).cloned() {
        let Ok(new) = Table::open(home, folder, key) else { continue };
        let is_proposed = new.stage == Stage::Proposed;
        let signs = !new.is_withdrawn() && new.me.player().is_some() && (new.is_mine() || !is_proposed);
        if signs && (is_proposed || !has_played_on(home, &new)?) {
            let withdraw = format!("game withdraw --game {}", new.name());
            let withdraw = is_proposed.then(|| new.typing.of_home().command(&withdraw));
            let heads = continues.heads.into_values().flatten().collect();
            return Ok(Some(Left { name: new.name(), withdraw, heads }));
        }
    }
    Ok(None)
}

/// Whether the other player accepted terms although they had played on in the old game, with the key that they have in
/// both (charter 30). Such an accept leaves the old game open (charter 29).
fn has_played_on(home: &Home, new: &Table) -> PlayResult<bool> {
    let (Some(continues), Some(me)) = (&new.terms.charter.continues, new.me.player()) else { return Ok(false) };
    let other = Author::Player(me.other());
    let role = new.terms.role(me.other());
    let Some((old, _)) = old(home, &continues.game)?.filter(|_| new.is_mine()) else { return Ok(false) };
    if old.author_of(role).and_then(|author| old.key_of(author)) != new.terms.key_of(other) {
        return Ok(false);
    }
    let (_, behind) = told(home, &new.terms)?;
    Ok(signed_on(&behind, role).next().is_some())
}

/// Checks that a player has not signed other terms that continue the same game, which can be continued only once
/// (charter 30).
pub(super) fn check_once(home: &Home, terms: &Terms, key: Hex32, aside: Option<&Path>) -> PlayResult<()> {
    let Some(continues) = &terms.charter.continues else { return Ok(()) };
    match signed(home, &continuing(home), &continues.game, key, aside)? {
        Some(left) => Err(Failure::refused(format!(
            "{} already continues the same game, and a game can be continued only once{} (charter 30)",
            left.name,
            left.withdraw.map_or_else(
                || ": play on there".to_owned(),
                |withdraw| format!("; to take those terms back, type  {withdraw}")
            )
        ))),
        None => Ok(()),
    }
}

impl Table {
    /// Returns the game that continues this one, if this player has signed its terms.
    pub(super) fn left_for(&self) -> PlayResult<Option<Left>> {
        self.left_among(|| continuing(&self.home).into())
    }

    /// Like [`Self::left_for`], but searches only what this process has already read of the home. This is for display;
    /// before signing, [`Self::left_for`] reads the home again.
    pub(super) fn left_as_seen(&self) -> PlayResult<Option<Left>> {
        self.left_among(|| seen(&self.home))
    }

    fn left_among(&self, among: impl FnOnce() -> Arc<[Continuing]>) -> PlayResult<Option<Left>> {
        match self.game().filter(|_| self.me.player().is_some()) {
            Some(game) => signed(&self.home, &among(), &game, self.key, Some(self.folder.path())),
            None => Ok(None),
        }
    }

    /// Checks that this player has signed nothing after the point of continuation except openings, claims and a close
    /// (charter 30).
    pub(super) fn check_behind(&self, behind: &[Letter]) -> PlayResult<()> {
        let Some(continues) = self.terms.charter.continues.as_ref().filter(|_| self.me.player().is_some()) else {
            return Ok(());
        };
        // Letters that somebody else signed with an earlier key of this player's role are not theirs.
        let had = old(&self.home, &continues.game)?.and_then(|(terms, _)| {
            let author = Author::ALL.into_iter().find(|author| terms.key_of(*author) == Some(self.key))?;
            terms.role_of(author).cloned()
        });
        let signed = had.map_or(0, |role| signed_on(behind, &role).count());
        match signed {
            0 => Ok(()),
            _ => Err(Failure::refused(format!(
                "you cannot accept these terms: you signed {} in the old game after the letters from which the terms \
                 continue, not counting openings, claims and a close. Ask for terms that continue from the last \
                 letters, or propose such terms yourself:  {} (charter 30)",
                count(signed, "letter"),
                self.typing.of_home().command("game continue")
            ))),
        }
    }

    /// Returns the end of a sentence about continuing the game when nothing else helps; `how` states from where, or
    /// with whom.
    pub(super) fn to_continue(&self, how: &str) -> String {
        match self.me.player() {
            Some(_) => format!(
                ". Continue in a new game {how}:  {}",
                self.typing.of_home().command(&format!("game continue {} --out new-terms.toml", self.name()))
            ),
            None => format!(". The players can continue in a new game {how} (game continue)"),
        }
    }
}
