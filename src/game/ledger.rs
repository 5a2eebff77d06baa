//! The ledger: what each letter of a game does, judged by its past alone (`protocol/letters.md`).
//!
//! Letters are taken in the order of replay. Each yields at most one finding; the rules of declarations are in
//! `declarations` and `redos`, those of sealed sets in `seals`, those of corrections in `corrections`.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

use super::{
    charter::{Author, Both, By, Player, SlotKey, Terms},
    corrections::Proposals,
    days::Untold,
    declarations::Declaration,
    deposits::Receipts,
    disputes::Disputes,
    hidden::{Ran, Supplied},
    ids::Ids,
    office::Escrow,
    order::{Fork, Node, Order, Played, Standing},
    rulings::Rulings,
    seals::{Set, Unlocked, check_note},
    state::Courses,
};
use crate::{
    blob::{
        Body, Verified,
        body::{Close, Correct, Decide, Hex32, Name, Role, SetKind, Slot},
        disputes::{Ruled, Ruling},
        office::Receipt,
    },
    error::{Class, Error, Result},
    limits::SEEN,
    rule::Rule,
};

/// A letter in breach, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// `chain` or `rule`.
    pub class: Class,
    /// Its author; none where the letter may have been good where it was signed (chain 14), or epochs explain a fork
    /// (office 25).
    pub culprit: Option<Author>,
    /// The letter; of a fork those with which its branches begin, at most eight.
    pub letters: Vec<Hex32>,
    /// The redo, or the ruling, that settled it.
    pub settled_by: Option<Hex32>,
    /// A valid redo waits for its reveal, and will settle it.
    pub waits: bool,
    /// The rule that is broken.
    pub rule: Option<Rule>,
    /// Rule and explanation.
    pub text: String,
}

impl Finding {
    /// What a letter broke; nobody is to blame where it may have been good where it was signed (chain 14).
    pub(super) fn of(letter: &Node, error: &Error) -> Self {
        Self {
            class: error.class(),
            culprit: (!letter.excuses(error)).then_some(letter.author),
            letters: vec![letter.id()],
            settled_by: None,
            waits: false,
            rule: error.rule(),
            text: error.to_string(),
        }
    }
}

/// What a player's own chain has come to.
#[derive(Debug, Default)]
pub(super) struct Own<'a> {
    pub(super) closed: bool,
    /// Every seal of his, in order.
    pub(super) seals: Vec<Hex32>,
    pub(super) purposes: HashMap<(SetKind, String), Vec<Hex32>>,
    /// For each slot his latest declaration of it.
    pub(super) slots: HashMap<Slot, Hex32>,
    pub(super) numbers: HashMap<(u64, u64, Name), Numbers>,
    /// The turns, impulses and phases of their declarations beyond repair (letters 18).
    pub(super) beyond_repair: HashSet<(u64, u64, Name)>,
    pub(super) last_slot: Option<SlotKey>,
    pub(super) contributions: HashSet<Hex32>,
    /// Coin sets that he has named.
    pub(super) named_sets: HashSet<Hex32>,
    /// Foul-up envelopes, and contributions, that he has named, by set.
    pub(super) named_indices: HashMap<Hex32, BTreeSet<u64>>,
    /// How far down the columns of a sheet are named, by set.
    pub(super) named_cells: HashMap<Hex32, BTreeMap<u64, u64>>,
    /// Proposals whose acceptances he has named, and where he did first.
    pub(super) acceptances: HashMap<Hex32, &'a Node>,
    /// His last declaration, if it is in breach and is to be done again.
    pub(super) pending: Vec<Hex32>,
    decided: HashSet<(Slot, Name)>,
    /// What counts of his (letters 6, 7): the letters that stand and keep *chain 3*, in order.
    counted: Vec<&'a Node>,
    /// Valid notes for choices, and orders at once, that nobody has opened, in order.
    pub(super) unread: Vec<Hex32>,
    /// Valid sets that the office may hold and has given no receipt for, in order.
    pub(super) unheld: Vec<Hex32>,
    /// Declarations and closes, in order.
    pub(super) binding: Vec<&'a Node>,
    /// Closes, in breach or not: each is a stop.
    closes: Vec<&'a Node>,
    /// Whether a valid close of his has his masters.
    pub(super) masters: bool,
}

/// Numbers that are used, and the lowest that is not.
#[derive(Debug)]
pub(super) struct Numbers {
    used: HashSet<u64>,
    next: u64,
}

impl Default for Numbers {
    fn default() -> Self {
        Self { used: HashSet::new(), next: 1 }
    }
}

impl Numbers {
    pub(super) fn take(&mut self, number: u64) {
        self.used.insert(number);
        while self.used.contains(&self.next) {
            self.next += 1;
        }
    }
}

/// The state of a game after all placed letters.
pub struct Ledger<'a> {
    /// The terms.
    pub terms: &'a Terms,
    /// Id of the game.
    pub game: Hex32,
    pub(super) nodes: HashMap<Hex32, &'a Node>,
    /// The same, as they were taken.
    pub(super) taken: Vec<&'a Node>,
    /// The last letter of each author that stands.
    heads: BTreeMap<Author, &'a Node>,
    /// Every letter that the replay knows of.
    pub ids: Ids,
    forks: &'a [Fork],
    broken: &'a [(Hex32, Author)],
    /// What each letter itself broke.
    found: HashMap<Hex32, Finding>,
    pub(super) sets: HashMap<Hex32, Set<'a>>,
    pub(super) declarations: HashMap<Hex32, Declaration<'a>>,
    /// Ids of the judged declarations, in the order of replay.
    pub(super) declared: Vec<Hex32>,
    /// Of these the valid ones that somebody owes keys for.
    pub(super) unanswered: Vec<Hex32>,
    pub(super) declared_slots: HashMap<Slot, Vec<&'a Node>>,
    /// The judged declarations by turn and impulse.
    pub(super) declared_in: HashMap<(u64, u64), Vec<Hex32>>,
    /// The judged declarations by the sets that they name.
    pub(super) declared_on: HashMap<Hex32, Vec<Hex32>>,
    decisions: HashMap<(Slot, Name), Vec<&'a Node>>,
    pub(super) commitments: HashMap<Hex32, Vec<&'a Node>>,
    pub(super) proposals: Proposals<'a>,
    pub(super) disputes: Disputes<'a>,
    pub(super) rulings: Rulings<'a>,
    pub(super) receipts: Receipts<'a>,
    pub(super) escrow: Escrow<'a>,
    pub(super) courses: Courses<'a>,
    pub(super) untold: Untold<'a>,
    /// Tables that somebody supplies, for runs (hidden 8).
    pub(super) supplied: Supplied,
    /// The runs, once somebody asked for them.
    pub(super) ran: OnceCell<Vec<Ran>>,
    pub(super) own: Both<Own<'a>>,
    /// What is wrong, once somebody asked for it.
    findings: OnceCell<Vec<Finding>>,
    /// Whether draws are left out.
    pub(super) is_lean: bool,
}

impl<'a> Ledger<'a> {
    /// Replays a game.
    #[must_use]
    pub fn replay(terms: &'a Terms, game: Hex32, order: &'a Order) -> Self {
        Self::replayed(terms, game, order, false)
    }

    /// The same without draws, for an office, which keeps many games and shows none.
    #[must_use]
    pub fn replay_lean(terms: &'a Terms, game: Hex32, order: &'a Order) -> Self {
        Self::replayed(terms, game, order, true)
    }

    fn replayed(terms: &'a Terms, game: Hex32, order: &'a Order, is_lean: bool) -> Self {
        let mut ledger = Self {
            terms,
            game,
            nodes: HashMap::with_capacity(order.nodes.len()),
            taken: Vec::with_capacity(order.nodes.len()),
            heads: BTreeMap::new(),
            ids: order.ids.clone(),
            forks: &order.forks,
            broken: &order.broken,
            found: HashMap::new(),
            sets: HashMap::new(),
            declarations: HashMap::new(),
            declared: Vec::new(),
            unanswered: Vec::new(),
            declared_slots: HashMap::new(),
            declared_in: HashMap::new(),
            declared_on: HashMap::new(),
            decisions: HashMap::new(),
            commitments: HashMap::new(),
            proposals: Proposals::default(),
            disputes: Disputes::default(),
            rulings: Rulings::default(),
            receipts: Receipts::default(),
            escrow: Escrow::default(),
            courses: Courses::default(),
            untold: Untold::default(),
            supplied: Supplied::new(),
            ran: OnceCell::new(),
            own: Both::default(),
            findings: OnceCell::new(),
            is_lean,
        };
        order.nodes.iter().for_each(|node| ledger.take(node));
        ledger
    }

    /// Takes the next letter, behind all that it names.
    pub(super) fn take(&mut self, node: &'a Node) {
        self.nodes.insert(node.id(), node);
        self.taken.push(node);
        self.ids.add(node.id());
        if node.standing == Standing::Stands {
            let head = self.heads.entry(node.author).or_insert(node);
            if node.rank() > head.rank() {
                *head = node;
            }
        }
        (self.ran, self.findings) = (OnceCell::new(), OnceCell::new());
        let unlocked = match node.message.body() {
            Body::Close(close) => self.unlock(close),
            Body::Reveal(reveal) => vec![self.match_keys(reveal.seal, reveal.into())],
            Body::Ruling(Ruling { rule: Ruled::Open(opening), .. }) => {
                let target = self.target_of(opening);
                target.map(|target| self.match_keys(target.seal, opening.into())).into_iter().collect()
            }
            _ => Vec::new(),
        };
        let judged = match &node.breach {
            _ if !node.standing.is_judged() => None,
            Some(error) if error.class() == Class::Chain => Some(Err(error.clone())),
            _ => {
                if let Some(player) = node.author.player() {
                    self.own.of_mut(player).counted.push(node);
                }
                Some(self.judge(node, &unlocked))
            }
        };
        // Keys are facts on every branch (letters 9), and so is what the office confirms (office 22).
        self.open(node, unlocked);
        self.take_fact(node);
        self.receipts.promise(node);
        if let Some(Err(error)) = judged {
            self.found.insert(node.id(), Finding::of(node, &error));
        }
    }

    fn judge(&mut self, node: &'a Node, unlocked: &[Unlocked]) -> Result<()> {
        let common = self.check_common(node);
        let Some(node) = Played::of(node) else {
            return self.judge_third(node, unlocked, common);
        };
        match node.node().message.body() {
            // The charter was parsed and the accept checked before there was a game.
            Body::Charter(_) | Body::Accept(_) => Ok(()),
            Body::Seal(seal) => self.take_seal(node, seal, common),
            Body::Declare(declare) => self.take_declaration(node, declare, common),
            Body::Reveal(reveal) => common.and_then(|()| self.check_reveal(&node, reveal, unlocked)),
            Body::Decide(decide) if self.is_of_course(&decide.slot) => {
                common?;
                match self.terms.slot(&decide.slot) {
                    Some((_, phase)) => self.take_choice(node, decide, phase),
                    None => Err(Error::breach(Rule::Decide1, "the slot is not possible")),
                }
            }
            Body::Decide(decide) => {
                let checked = common.and_then(|()| self.check_decide(node, decide));
                let key = (decide.slot.clone(), decide.name.clone());
                if checked.is_ok() {
                    self.decisions.entry(key.clone()).or_default().push(node.node());
                }
                self.own.of_mut(node.player).decided.insert(key);
                checked
            }
            Body::Correct(correct) => self.take_correct(node, correct, common),
            Body::Claim(claim) => self.take_claim(node, claim, common),
            // In no chain, or not a player's to sign.
            Body::Ruling(_) | Body::Receipt(_) | Body::Resync(_) | Body::Deposit(_) | Body::Withdraw(_) => common,
            Body::Close(close) => self.take_close(node, close, unlocked, common),
        }
    }

    /// A letter of the referee's or the office's.
    fn judge_third(&mut self, node: &'a Node, unlocked: &[Unlocked], common: Result<()>) -> Result<()> {
        match node.message.body() {
            Body::Ruling(ruling) => common.and_then(|()| self.take_ruling(node, ruling)),
            Body::Receipt(receipt) if node.author == Author::Office => {
                common.and_then(|()| self.check_office_receipt(node, receipt))
            }
            Body::Receipt(receipt) => self.take_receipt(node, receipt, common),
            Body::Reveal(reveal) => common.and_then(|()| self.check_reveal(node, reveal, unlocked)),
            _ => common,
        }
    }

    /// What holds for every kind: chain 6, letters 3 and 5.
    fn check_common(&self, node: &'a Node) -> Result<()> {
        if let Some(error) = &node.breach {
            return Err(error.clone());
        }
        let body = node.message.body();
        let may_sign = match node.author {
            Author::Referee => {
                matches!(body, Body::Accept(_) | Body::Ruling(_) | Body::Receipt(Receipt::Deposit(_)))
            }
            Author::Office => matches!(body, Body::Accept(_) | Body::Reveal(_) | Body::Receipt(_)),
            Author::Player(_) => !matches!(body, Body::Ruling(_) | Body::Receipt(_)),
        };
        if !may_sign {
            return Err(Error::breach(Rule::Letters3, "such a letter is not the author's to sign"));
        }
        let after_close = matches!(
            body,
            Body::Reveal(_) | Body::Close(_) | Body::Claim(_) | Body::Correct(Correct::Accept(_) | Correct::Refuse(_))
        );
        if node.author.player().is_some_and(|player| self.own.of(player).closed) && !after_close {
            return Err(Error::breach(Rule::Letters3, "the author has closed the game before"));
        }
        for (id, kinds) in node.message.body().names() {
            let named = self.nodes.get(&id).map(|named| named.message.head().kind);
            if let Some(named) = named.filter(|named| !kinds.is_empty() && !kinds.contains(named)) {
                let meant: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
                return Err(Error::breach(
                    Rule::Letters5,
                    format!("it names a {} where a {} is meant", named.as_str(), meant.join(" or a ")),
                ));
            }
        }
        Ok(())
    }

    fn check_decide(&self, node: Played<'_>, decide: &Decide) -> Result<()> {
        let phase = self.terms.slot(&decide.slot).map(|(_, phase)| phase);
        let mut listed = phase.into_iter().flat_map(|phase| &phase.decisions);
        if !listed.any(|decision| decision.name == decide.name && decision.by == By::Open(node.player))
            || decide.after.is_some()
        {
            return Err(Error::breach(
                Rule::Decide1,
                "the charter lists no such open decision by the author for this slot, or after is not null",
            ));
        }
        if self.own.of(node.player).decided.contains(&(decide.slot.clone(), decide.name.clone())) {
            return Err(Error::breach(Rule::Decide2, "the author has decided this before"));
        }
        let mut declared = self.declared_slots.get(&decide.slot).into_iter().flatten();
        if declared.any(|declared| node.has_in_past(declared)) {
            return Err(Error::breach(Rule::Decide3, "the slot is declared: the choice comes after its dice"));
        }
        Ok(())
    }

    /// A player's letters that have another letter in their past, in order; no letter that does not count (letters 6, 7).
    pub(super) fn letters_knowing(&self, player: Player, letter: &Node) -> &[&'a Node] {
        // What a player knows only grows along his chain.
        let counted = &self.own.of(player).counted;
        counted.get(counted.partition_point(|own| !own.has_in_past(letter))..).unwrap_or_default()
    }

    /// Whether an open decision for a slot is signed by a letter that is known.
    pub(super) fn decided_if(&self, slot: &Slot, name: &Name, known: impl Fn(&Node) -> bool) -> bool {
        let decisions = self.decisions.get(&(slot.clone(), name.clone())).into_iter().flatten();
        decisions.into_iter().any(|decision| known(decision))
    }

    fn take_close(&mut self, node: Played<'a>, close: &Close, unlocked: &[Unlocked], common: Result<()>) -> Result<()> {
        let checked = common.and_then(|()| self.check_close(node, close, unlocked));
        let own = self.own.of_mut(node.player);
        own.closed = true;
        own.binding.push(node.node());
        own.closes.push(node.node());
        own.masters |= checked.is_ok() && close.masters.is_some();
        checked
    }

    fn check_close(&self, node: Played<'_>, close: &Close, unlocked: &[Unlocked]) -> Result<()> {
        let Some(masters) = &close.masters else {
            return Ok(());
        };
        let mut stops = self.own.of(node.player.other()).closes.iter();
        if !stops.any(|stop| node.has_in_past(stop)) {
            return Err(Error::breach(Rule::Close1, "masters may be published only in answer to the opponent's close"));
        }
        let listed = masters.iter().map(|master| master.seal);
        if listed.ne(self.own.of(node.player).seals.iter().copied()) {
            return Err(Error::breach(Rule::Close2, "masters are not those of all the author's seals in their order"));
        }
        for unlocked in unlocked {
            let Some(set) = self.sets.get(&unlocked.seal) else { continue };
            if unlocked.keys.len() != set.seal.commits.len() {
                return Err(Error::breach(
                    Rule::Close3,
                    format!("the master of {} does not give what was sealed", set.seal.purpose),
                ));
            }
            for (_, key) in &unlocked.keys {
                check_note(&set.context, set.seal, key)
                    .map_err(|error| Error::breach(Rule::Close3, error.to_string()))?;
            }
        }
        Ok(())
    }

    /// What is wrong: forks first, then in the order of replay.
    pub fn findings(&self) -> &[Finding] {
        self.findings.get_or_init(|| {
            let broken = self.broken.iter().map(|(letter, author)| Finding {
                class: Class::Chain,
                culprit: Some(*author),
                letters: vec![*letter],
                settled_by: None,
                waits: false,
                rule: Some(Rule::Chain2),
                text: "chain 2: prev is not the author's letter before".into(),
            });
            let forks = self.forks.iter().map(|fork| self.found_fork(fork)).chain(broken);
            let found = self.taken.iter().filter_map(|node| self.found.get(&node.id()).cloned());
            self.settled(self.with_violations(forks.collect(), found.collect()))
        })
    }

    /// What a placed letter itself broke, as it was signed.
    #[must_use]
    pub fn found_on(&self, letter: &Hex32) -> Option<&Finding> {
        self.found.get(letter)
    }

    fn found_fork(&self, fork: &Fork) -> Finding {
        Finding {
            class: Class::Chain,
            culprit: (!fork.explained).then_some(fork.author),
            letters: fork.ids.iter().copied().take(SEEN).collect(),
            settled_by: self.ruled_on_fork(fork),
            waits: false,
            rule: Some(Rule::Chain8),
            text: format!(
                "chain 8: two or more letters of one author stand behind one letter; {}, or somebody with the key or a \
                 backup of it, signed them{}",
                self.terms.role_of(fork.author).map_or("their author", Role::as_str),
                match fork.explained {
                    true => "; with epochs, and nobody is blamed (office 25)",
                    false => "",
                }
            ),
        }
    }

    /// Findings with what settles them: breaches that a redo has mended, and what that breach was to mend itself (letters,
    /// Breach), and rulings.
    fn settled(&self, mut findings: Vec<Finding>) -> Vec<Finding> {
        let mut settled: HashMap<Hex32, Option<Hex32>> = HashMap::new();
        for id in &self.declared {
            let Some(redo) = self.declarations.get(id).filter(|redo| redo.valid) else { continue };
            let opened = redo.is_answered().then_some(*id);
            let mut mended = redo.mends();
            while let Some(breach) = mended {
                settled.insert(breach, opened);
                mended = self.declarations.get(&breach).and_then(Declaration::mends);
            }
        }
        for id in &self.declared {
            let Some(later) = self.declarations.get(id).and_then(|breach| self.left_behind(breach, &|_: &Node| true))
            else {
                continue;
            };
            let mut left = Some(*id);
            while let Some(breach) = left {
                settled.entry(breach).or_insert(Some(later));
                left = self.declarations.get(&breach).and_then(Declaration::mends);
            }
        }
        for finding in findings.iter_mut().skip(self.forks.len()) {
            let Some(letter) = finding.letters.first() else { continue };
            let redo = settled.get(letter).copied();
            finding.settled_by = redo.flatten();
            finding.waits = redo == Some(None);
            let ruling = self.rulings.settled.get(letter).and_then(|rulings| rulings.first());
            if let (None, Some(ruling)) = (finding.settled_by, ruling) {
                (finding.settled_by, finding.waits) = (Some(*ruling), false);
            }
        }
        findings
    }

    /// The first ruling that settles a fork: it has all letters of the fork in its past (ruling 5).
    fn ruled_on_fork(&self, fork: &Fork) -> Option<Hex32> {
        let rulings = fork.ids.iter().filter_map(|id| self.rulings.settled.get(id)).flatten();
        let rulings = rulings.filter_map(|ruling| self.nodes.get(ruling));
        let knows_all =
            |ruling: &&&Node| fork.ids.iter().all(|id| self.nodes.get(id).is_some_and(|id| ruling.has_in_past(id)));
        rulings.filter(knows_all).min_by_key(|ruling| ruling.message.head().number).map(|ruling| ruling.id())
    }

    /// The declaration that a player must do again before he declares anything else.
    #[must_use]
    pub fn pending_breach(&self, player: Player) -> Option<Hex32> {
        self.pending_if(player, &|_: &Node| true).next()
    }

    /// A player's last letter that stands.
    #[must_use]
    pub fn last_letter(&self, player: Player) -> Option<&'a Node> {
        self.last_letter_of(Author::Player(player))
    }

    /// The last letter of an author that stands; the office may have several with one number (office 24).
    #[must_use]
    pub fn last_letter_of(&self, author: Author) -> Option<&'a Node> {
        self.heads.get(&author).copied()
    }

    /// The letter of another that a party's next letter has as `seen`: the last one that stands, but the one of the
    /// party's last letter where that follows it, for a `seen` never goes back (chain 3).
    #[must_use]
    pub fn next_seen(&self, me: Author, other: Author) -> Option<Hex32> {
        let last = match other {
            Author::Office => self.office_to_follow(),
            Author::Player(_) | Author::Referee => self.last_letter_of(other),
        };
        let own = self.last_letter_of(me).map(|own| &own.message.head().seen);
        let before = own.zip(self.terms.role_of(other)).and_then(|(seen, role)| seen.get(role));
        let before = before.and_then(|id| self.nodes.get(&id).copied());
        let stays = before.filter(|before| last.is_none_or(|last| before.follows(last)));
        stays.or(last).map(Node::id)
    }

    /// The last slot that a player declared, redos aside.
    #[must_use]
    pub const fn last_slot(&self, player: Player) -> Option<SlotKey> {
        self.own.of(player).last_slot
    }

    /// The number that a player's next declaration in a turn, impulse and phase has (declare 2).
    #[must_use]
    pub fn next_number(&self, player: Player, turn: u64, impulse: u64, phase: &Name) -> u64 {
        self.own.of(player).numbers.get(&(turn, impulse, phase.clone())).map_or(1, |numbers| numbers.next)
    }

    /// The placed letters whose ids begin so, ascending.
    #[must_use]
    pub fn letters_like(&self, begins: &str) -> Vec<Hex32> {
        self.ids.like(begins).into_iter().filter(|id| self.nodes.contains_key(id)).collect()
    }

    /// How many letters were taken.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.taken.len()
    }

    /// A letter of the replay.
    #[must_use]
    pub fn letter(&self, id: &Hex32) -> Option<&'a Verified> {
        self.nodes.get(id).map(|node| &node.message)
    }

    /// How the game ended, in the words of a player's closes.
    pub fn results(&self, player: Player) -> impl Iterator<Item = &'a str> {
        let closes = self.own.of(player).closes.iter();
        closes.filter_map(|close| match close.message.body() {
            Body::Close(close) => close.result.as_deref(),
            _ => None,
        })
    }

    /// Whether a player has closed, and published his masters.
    #[must_use]
    pub const fn closed(&self, player: Player) -> (bool, bool) {
        let own = self.own.of(player);
        (own.closed, own.masters)
    }
}
