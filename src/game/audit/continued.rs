//! The old game that a charter continues, as the audit reports it (`protocol/charter.md` 25 to 28, `protocol/audit.md`
//! 11, 12).

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    games::{Games, Read},
    one_game::{self, Replay},
    report::{Continued, Lack, Letter, Old, Report, Roll},
};
use crate::{
    blob::{
        Body,
        body::{Continues, Hex32, Role},
    },
    game::{
        declaration::Declaration,
        keys::Members,
        ledger::Ledger,
        node::{Node, Past, Standing},
        order::Order,
        replay::replay,
        rules::course,
        terms::{Author, Terms},
    },
    limits::SEQUELS,
};

/// Returns the last letter of each role that still counts (charter 25). In a chain with an unsettled fork, that is the
/// letter before the fork; letters that rest on a branch of the fork do not count.
///
/// # Examples
///
/// These are the letters from which new terms may continue a game:
///
/// ```
/// use sealed_dice::game::audit::{Games, Read, continued::heads_of};
///
/// let read = Read::all(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/one-roll.txt")), "a mail");
/// let games = Games::sort(&read);
/// let (_, heads) = games.jobs()[0].run_with(|_, game| game.map(|game| heads_of(game.terms, game.order)));
/// let told = heads.into_iter().flatten().map(|(role, head)| (role.to_string(), head.map(|id| id.0[0])));
/// assert_eq!(told.collect::<Vec<_>>(), [("ann".into(), Some(0x58)), ("bob".into(), Some(0x13))]);
/// ```
#[must_use]
pub fn heads_of(terms: &Terms, order: &Order) -> BTreeMap<Role, Option<Hex32>> {
    let stands = |node: &Node| node.standing == Standing::Stands;
    let prev = |node: &Node| (node.author, node.message.head().prev);
    let settled: HashSet<(Author, Option<Hex32>)> = order.nodes.iter().filter(|node| stands(node)).map(prev).collect();
    // Letters that rest on both branches of a referee's fork do not count either.
    let is_players = |node: &&Node| node.standing == Standing::Falls && node.author.player().is_some();
    let falls = order.nodes.iter().filter(is_players);
    let lost: Vec<&Node> = falls.filter(|node| !settled.contains(&prev(node))).collect();
    last_of(terms, order, |node| stands(node) && !lost.iter().any(|lost| node.has_in_past(lost)))
}

/// Returns the last letter of each role in the past of a letter.
///
/// [`replayed_at`] has an example.
#[must_use]
pub fn heads_before(terms: &Terms, order: &Order, letter: &Node) -> BTreeMap<Role, Option<Hex32>> {
    last_of(terms, order, |node| letter.has_in_past(node) && node.id() != letter.id())
}

fn last_of(terms: &Terms, order: &Order, fits: impl Fn(&Node) -> bool) -> BTreeMap<Role, Option<Hex32>> {
    let last = |author: Author| {
        let own = order.nodes.iter().filter(|node| node.author == author && fits(node));
        own.max_by_key(|node| (node.message.head().number, std::cmp::Reverse(node.id()))).map(Node::id)
    };
    terms.authors().map(|(author, role)| (role.clone(), last(author))).collect()
}

/// Replays a game up to some heads.
///
/// # Examples
///
/// Looks at a game as it stood before its last letter, in which Bob opened an envelope:
///
/// ```
/// use sealed_dice::game::audit::{Games, Read, Replay, continued::{heads_before, replayed_at}};
///
/// let read = Read::all(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/one-roll.txt")), "a mail");
/// let games = Games::sort(&read);
/// let (_, unopened) = games.jobs()[0].run_with(|_, game| {
///     let Replay { terms, order, ledger, .. } = game?;
///     let before = heads_before(terms, order, order.nodes.last()?);
///     Some(replayed_at(terms, ledger.game, order, &before, |ledger| ledger.unanswered().count()))
/// });
/// assert_eq!(unopened, Some(1));
/// ```
pub fn replayed_at<T>(
    terms: &Terms,
    game: Hex32,
    order: &Order,
    heads: &BTreeMap<Role, Option<Hex32>>,
    look: impl FnOnce(&Ledger<'_>) -> T,
) -> T {
    let roots: Vec<&Node> =
        order.nodes.iter().filter(|node| heads.values().flatten().any(|head| *head == node.id())).collect();
    let (kept, _) = parted(order, game, roots);
    let members =
        Members { letters: kept.iter().map(|node| (&node.message, node.author)).collect(), ..Members::default() };
    let order = Order::of(terms, game, &members);
    look(&replay(terms, game, &order))
}

/// Splits a game's letters into those known at some heads and those after them.
fn parted<'o>(order: &'o Order, game: Hex32, heads: Vec<&'o Node>) -> (Vec<&'o Node>, Vec<&'o Node>) {
    let accept = order.nodes.iter().find(|node| node.id() == game);
    let roots: Vec<&Node> = heads.into_iter().chain(accept).collect();
    order.nodes.iter().partition(|node| roots.iter().any(|root| root.id() == node.id() || root.has_in_past(node)))
}

/// Describes the old game for terms that nobody has accepted yet; `read` holds the letters of the old game.
///
/// # Examples
///
/// Shows a player what an offer would leave behind, before they accept it:
///
/// ```
/// use sealed_dice::game::{audit::{Read, continued::before}, terms::Terms};
///
/// let mail =
///     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/continued/offer-not-accepted-played-on.txt"));
/// let read = Read::all(mail, "a mail");
/// let mut charters = read.iter().filter_map(|read| Terms::parse(read.letter.as_ref().ok()?).ok());
/// let offer = charters.find(|terms| terms.charter.continues.is_some()).ok_or("no offer")?;
/// let old = before(&read, &offer).ok_or("it continues no game")?;
/// assert!(old.at_hand);
/// assert_eq!(old.behind.len(), 6); // the letters that both have written since
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn before(read: &[Read], terms: &Terms) -> Option<Continued> {
    of(&Games::sort(read), terms, terms.id)
}

/// Describes the old game, if the charter continues one.
pub(super) fn of(games: &Games<'_>, terms: &Terms, id: Hex32) -> Option<Continued> {
    let continues = terms.charter.continues.as_ref()?;
    let mut told = Continued {
        at_hand: false,
        behind: Vec::new(),
        game: continues.game,
        open: Vec::new(),
        others: games.that_continue(&continues.game).filter(|other| *other != id).collect(),
        same_keys: Vec::new(),
        same_states: false,
        old: Err(Lack::Game),
    };
    // Each sequel costs a replay of the old game.
    if told.others.len() >= SEQUELS {
        told.old = Err(Lack::Sequels);
    } else if let Some(begun) = games.begun(&continues.game) {
        one_game::replay(&begun, games, |report, old| told.compare(&report, old, continues, terms));
    }
    Some(told)
}

impl Continued {
    /// Compares the old game with the heads and states of the new terms.
    fn compare(&mut self, report: &Report, old: &Replay<'_>, continues: &Continues, terms: &Terms) {
        let heads = match heads(old, continues) {
            Ok(heads) => heads,
            Err(lack) => {
                self.old = Err(lack);
                return;
            }
        };
        let (kept, behind) = parted(old.order, old.ledger.game, heads);
        let members =
            Members { letters: kept.iter().map(|node| (&node.message, node.author)).collect(), ..Members::default() };
        let order = Order::of(old.terms, old.ledger.game, &members);
        let ledger = replay(old.terms, old.ledger.game, &order);
        let open: HashSet<Hex32> = ledger.unanswered().map(Declaration::id).collect();
        let open: Vec<&Node> = kept.into_iter().filter(|node| open.contains(&node.id())).collect();
        self.at_hand = true;
        self.behind = behind.iter().map(|node| node.id()).collect();
        self.open = open.iter().map(|node| node.id()).collect();
        self.same_states = continues.states.iter().all(|(system, state)| {
            let mut courses = old.terms.courses().map(|(phase, _)| phase);
            let phase = courses.find(|phase| phase.system.name() == system);
            phase.is_some_and(|phase| course::reached(&ledger, phase, Past::ALL).state.as_ref() == Some(state))
        });
        let same = terms.authors().filter(|(author, role)| {
            let before = old.terms.author_of(role).and_then(|before| old.terms.key_of(before));
            before.is_some() && before == terms.key_of(*author)
        });
        self.same_keys = same.map(|(_, role)| role.to_string()).collect();
        self.same_keys.sort_unstable();
        let mut rolls: HashMap<Hex32, Vec<Roll>> = HashMap::new();
        for roll in &report.rolls {
            rolls.entry(roll.declaration).or_default().push(roll.clone());
        }
        let mut letter = |node: &&Node| letter(node, rolls.remove(&node.id()).unwrap_or_default());
        self.old = Ok(Old {
            title: report.title.clone(),
            verdict: report.verdict,
            culprits: report.culprits(),
            behind: behind.iter().map(&mut letter).collect(),
            open: open.iter().map(&mut letter).collect(),
            states: continues.states.len(),
        });
    }
}

/// Returns the heads, each of which must be a letter of the old game by its own role (audit 11).
fn heads<'r>(old: &'r Replay<'r>, continues: &Continues) -> Result<Vec<&'r Node>, Lack> {
    if old.order.overgrown {
        return Err(Lack::Replay);
    }
    let mut roles: Vec<&Role> = old.terms.authors().map(|(_, role)| role).collect();
    roles.sort_unstable();
    if continues.heads.keys().ne(roles) {
        return Err(Lack::Roles);
    }
    let named = continues.heads.iter().filter_map(|(role, id)| Some((role, (*id)?)));
    let found = named.map(|(role, id)| {
        let author = old.terms.author_of(role);
        let mut nodes = old.order.nodes.iter();
        nodes.find(|node| node.id() == id && Some(node.author) == author).ok_or_else(|| Lack::Head(role.clone(), id))
    });
    found.collect()
}

fn letter(node: &Node, rolls: Vec<Roll>) -> Letter {
    let head = node.message.head();
    let slot = match node.message.body() {
        Body::Declare(declare) => Some(declare.slot.to_string()),
        _ => None,
    };
    Letter { id: node.id(), author: head.author.to_string(), number: head.number, kind: head.kind, slot, rolls }
}
