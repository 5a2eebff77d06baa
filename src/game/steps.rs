//! The steps of a player in a game: the letters they send, and the secrets they keep.
//!
//! A [`Signer`] keeps a signing key, a vault, and the head of its chain; everything that it sends can be created again
//! from these. Randomness is passed in as values.

use super::{
    context::Context,
    ledger::Ledger,
    node::{Node, Past},
    opener,
    opening::NOTE,
    rules::{course, declare},
    terms::{Author, Player, Terms},
};
use crate::{
    blob::{
        Body, Head, Kind, Verified, armour,
        body::{
            Accept, Charter, Close, Contribution, Declare, Hex32, HexBytes, Master, Moves, Redo, Reveal, Role, Seal,
            Seen, SetKind, Slot,
        },
        json::Text,
    },
    error::{Error, Result},
    limits::NOTE_STEP,
    primitive::{secret::Secret, sign::PrivateKey},
    resolve::icrk,
};

/// A signed letter, ready to be mailed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The message that the letter carries, verified.
    pub message: Verified,
    /// The bytes of the signed frame (message 1).
    pub frame: Vec<u8>,
}

impl Letter {
    /// Returns the text to paste into a mail.
    #[must_use]
    pub fn armour(&self) -> String {
        armour::write(&self.frame)
    }
}

/// Signs the letters of one party in a game, each following the last. Holds the party's role, its keys, and the letters
/// it has seen.
///
/// # Examples
///
/// Ann proposes a game, and Bob accepts it. `examples/signer.rs` writes out the charter.
///
/// ```
/// use sealed_dice::{
///     audit,
///     blob::{Hex32, body::{Charter, Role}},
///     game::{audit::Verdict, steps::Signer},
///     primitive::{secret::Secret, sign::PrivateKey},
/// };
/// # use sealed_dice::{blob::Body, game::audit::Read};
///
/// let signer = |role, opponent, seed| { // real secrets are random
///     let [key, vault] = [seed, seed + 1].map(|byte| Secret::new([byte; 32]));
///     let roles = Role::parse(role).zip(Role::parse(opponent));
///     roles.map(|(role, opponent)| Signer::new(role, PrivateKey::from_seed(&key), vault, opponent))
/// };
/// let mut ann = signer("ann", "bob", 1).ok_or("no role")?;
/// let mut bob = signer("bob", "ann", 3).ok_or("no role")?;
/// let charter: Charter = // ..
/// # {
/// #     let read = Read::all(
///     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/charter-alone.txt")),
///     "a mail",
/// );
/// #     let letter = read[0].letter.clone().map_err(|refusal| refusal.error)?;
/// #     let Body::Charter(charter) = letter.body() else { return Err("no charter".into()) };
/// #     let mut charter = Charter::clone(charter);
/// #     charter.parties[0].key = Hex32(*ann.key().public().as_bytes());
/// #     charter.parties[1].key = Hex32(*bob.key().public().as_bytes());
/// #     charter
/// # };
/// let proposal = ann.propose(charter)?;
/// let accept = bob.accept(&proposal.message, true, Hex32([7; 32]))?;
/// ann.see(&accept.message);
/// let report = &audit(&(proposal.armour() + &accept.armour()))[0];
/// assert_eq!((report.verdict, report.game), (Verdict::Verified, Some(accept.message.id())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Signer {
    role: Role,
    key: PrivateKey,
    vault: Secret,
    /// The player for whom sets are sealed.
    opponent: Role,
    game: Option<Hex32>,
    number: u64,
    prev: Option<Hex32>,
    seen: Seen,
}

/// A player's request to roll dice.
#[derive(Clone, Debug)]
pub struct Request {
    /// Slot of the declaration.
    pub slot: Slot,
    /// The recorded movement.
    pub moves: Moves,
    /// The rolls, in any notation that the slot's system reads.
    pub input: Text,
    /// The set that provides the dice.
    pub seal: Hex32,
    /// Thirty-two bytes of fresh randomness, generated after the seal was seen and never used elsewhere; or, in a
    /// private phase, the next envelope from the player's own contributions.
    pub contribution: Contribution,
    /// The reason for declaring the slot again, if it is a redo.
    pub redo: Option<Redo>,
}

impl Signer {
    /// Creates the signer of a player who has not yet written a letter in a game against an opponent.
    #[must_use]
    pub fn new(role: Role, key: PrivateKey, vault: Secret, opponent: Role) -> Self {
        let seen = Seen::of(opponent.clone(), None);
        Self { role, key, vault, opponent, game: None, number: 0, prev: None, seen }
    }

    /// Adds a third or fourth party that signs letters in the game, so that every `seen` includes its role.
    pub fn with_other(&mut self, other: Role) {
        self.seen.insert(other, None);
    }

    /// Resumes a game as a player, after their last letter and the opponent's last letter that counts.
    ///
    /// # Examples
    ///
    /// A program that keeps only letters and keys goes on where a player stopped:
    ///
    /// ```
    /// use sealed_dice::{blob::Kind, game::{audit::{Games, Read}, steps::Signer, terms::Player}};
    /// # use sealed_dice::primitive::{secret::Secret, sign::PrivateKey};
    /// # let (key, vault) = (PrivateKey::from_seed(&Secret::new([1; 32])), Secret::new([2; 32]));
    ///
    /// let read = Read::all(
    ///     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/awaiting-a-reveal.txt")),
    ///     "a mail",
    /// );
    /// let games = Games::sort(&read);
    /// let (_, head) = games.jobs()[0].run_with(|_, game| {
    ///     Some(Signer::resume(game?.ledger, Player::Second, key, vault).next_head(Kind::Reveal))
    /// });
    /// assert_eq!(head.map(|head| (head.author.to_string(), head.number)), Some(("bob".into(), 3)));
    /// ```
    #[must_use]
    pub fn resume(ledger: &Ledger<'_>, player: Player, key: PrivateKey, vault: Secret) -> Self {
        Self::resume_as(ledger, Author::Player(player), key, vault)
    }

    /// Resumes a game as any author; the vault of a referee or an office does not open anything.
    #[must_use]
    pub fn resume_as(ledger: &Ledger<'_>, author: Author, key: PrivateKey, vault: Secret) -> Self {
        let head = ledger.last_letter_of(author).map(|node| (node.message.head().number, node.id()));
        let mut seen = Seen::default();
        let opponent = author.player().map_or(Player::First, Player::other);
        let opponent = ledger.terms.role(opponent).clone();
        let mut role = opponent.clone();
        for (other, name) in ledger.terms.authors() {
            if other == author {
                role = name.clone();
            } else {
                seen.insert(name.clone(), next_seen(ledger, author, other));
            }
        }
        Self {
            role,
            key,
            vault,
            opponent,
            game: Some(ledger.game),
            number: head.map_or(0, |(number, _)| number),
            prev: head.map(|(_, id)| id),
            seen,
        }
    }

    /// Returns the role of the signer.
    #[must_use]
    pub const fn role(&self) -> &Role {
        &self.role
    }

    /// Returns the signing key of the signer's role.
    #[must_use]
    pub const fn key(&self) -> &PrivateKey {
        &self.key
    }

    /// Returns the head of the signer's next letter, for a body of the given kind.
    #[must_use]
    pub fn next_head(&self, kind: Kind) -> Head {
        Head {
            author: self.role.clone(),
            game: self.game,
            kind,
            number: self.number + 1,
            prev: self.prev,
            seen: self.seen.clone(),
            v: 1,
        }
    }

    /// Signs the next letter, which follows the last one.
    ///
    /// # Errors
    /// The class under which a reader would refuse the letter.
    pub fn write(&mut self, body: Body) -> Result<Letter> {
        let head = self.next_head(body.kind());
        let (message, frame) = Verified::sign(head, body, &self.key)?;
        self.number += 1;
        self.prev = Some(message.id());
        if message.head().kind == Kind::Accept {
            self.game = Some(message.id());
        }
        Ok(Letter { message, frame })
    }

    /// Proposes a game.
    ///
    /// # Errors
    /// The errors of [`Signer::write`].
    pub fn propose(&mut self, charter: Charter) -> Result<Letter> {
        self.write(Body::Charter(Box::new(charter)))
    }

    /// Accepts a charter; `nonce` is fresh randomness.
    ///
    /// # Errors
    /// The errors of [`Signer::write`].
    pub fn accept(&mut self, charter: &Verified, compared: bool, nonce: Hex32) -> Result<Letter> {
        self.game = Some(charter.id());
        self.see(charter);
        self.write(Body::Accept(Accept { charter: charter.id(), compared, nonce }))
    }

    /// Records another party's letter, so that the signer's next letter lists it as seen.
    pub fn see(&mut self, message: &Verified) {
        // The accepts of a referee and an office, which precede the opponent's, have not seen everybody yet.
        if message.head().kind == Kind::Accept && message.head().seen.iter().all(|(_, letter)| letter.is_some()) {
            self.game = Some(message.id());
        }
        self.seen.insert(message.head().author.clone(), Some(message.id()));
    }

    /// Seals a set. `n` is the number that the charter states. A note has one place, and its text is padded to the next
    /// multiple of 256 bytes.
    ///
    /// # Errors
    /// [`Error::Misuse`] before a game has begun, or if the signer is not a player in it.
    pub fn seal(
        &self,
        terms: &Terms,
        kind: SetKind,
        purpose: &str,
        n: u64,
        salt: Hex32,
        note: Option<&str>,
    ) -> Result<Seal> {
        self.sealed(terms, kind, purpose, n, salt, note.map(|text| (text, NOTE_STEP)))
    }

    /// Seals a note padded to at least `least` bytes, so that its length does not reveal its content.
    ///
    /// # Errors
    /// The errors of [`Signer::seal`].
    pub fn seal_note(&self, terms: &Terms, purpose: &str, salt: Hex32, text: &str, least: usize) -> Result<Seal> {
        self.sealed(terms, SetKind::Note, purpose, 1, salt, Some((text, least)))
    }

    fn sealed(
        &self,
        terms: &Terms,
        kind: SetKind,
        purpose: &str,
        n: u64,
        salt: Hex32,
        note: Option<(&str, usize)>,
    ) -> Result<Seal> {
        let player = terms.player(&self.role).ok_or_else(|| Error::Misuse("only players can seal sets".into()))?;
        let game = self
            .game
            .ok_or_else(|| Error::Misuse("the game has not begun, so sets cannot be sealed for it yet".into()))?;
        let declarer = if kind.is_own() { &self.role } else { &self.opponent };
        let mut seal = Seal {
            commits: Vec::new(),
            declarer: declarer.clone(),
            kind,
            n,
            notes: None,
            purpose: purpose.into(),
            revealer: terms.revealer(player, kind, purpose).clone(),
            salt,
        };
        let context = Context::of(game, terms.charter.referee.as_ref(), &self.role, &seal);
        let master = context.master(&self.vault, &salt);
        seal.commits = context.commitments(&master);
        if let Some((text, least)) = note {
            let key = context.key(&master, NOTE);
            seal.notes = Some(vec![HexBytes(context.seal_note(&key, text, least)?)]);
        }
        Ok(seal)
    }

    /// Derives M of one of the player's sets from the vault (envelope 3); `None` if the set was sealed with another
    /// vault.
    #[must_use]
    pub fn master(&self, ledger: &Ledger<'_>, seal: &Hex32) -> Option<Secret> {
        let set = ledger.set(seal)?;
        let master = set.context.master(&self.vault, &set.seal.salt);
        let first = set.context.deepest_places().next();
        let fits = first.is_some_and(|place| set.context.matches(set.seal, &set.context.key(&master, place), place));
        fits.then_some(master)
    }

    /// Returns the reveal that a declaration is owed.
    ///
    /// # Errors
    /// The errors of [`opener::reveal`].
    pub fn reveal(&self, ledger: &Ledger<'_>, declaration: Hex32) -> Result<Reveal> {
        let seal = ledger.declaration(&declaration).and_then(|declared| declared.declare.seal);
        let master = seal
            .and_then(|seal| self.master(ledger, &seal))
            .ok_or_else(|| Error::Misuse("the declaration is missing or does not ask for any dice".into()))?;
        opener::reveal(ledger, declaration, &master)
    }

    /// Returns the body of the player's close, without masters until they have seen the other player's close.
    #[must_use]
    pub fn close(&self, ledger: &Ledger<'_>, result: Option<String>) -> Close {
        let player = ledger.terms.player(&self.role);
        let answered = player.is_some_and(|player| ledger.has_closed(player.other()));
        let seals = player.map(|player| ledger.seals(player)).unwrap_or_default();
        // All masters or none: a set that was sealed with another vault cannot be opened (close 2).
        let masters = seals.iter().map(|seal| {
            let master = self.master(ledger, seal)?;
            Some(Master { master: Hex32(*master.expose()), seal: *seal })
        });
        Close { masters: if answered { masters.collect() } else { None }, result }
    }
}

/// Creates the declaration for a request: its canonical input, and the places that it selects given all available
/// letters. An input without rolls declares only the moves.
///
/// # Errors
/// [`Error::Refused`] with the reason, if the rules do not allow the request.
///
/// # Examples
///
/// Ann declares a roll on the next cell of Bob's sheet:
///
/// ```
/// use sealed_dice::{
///     blob::{Hex32, body::{Contribution, Moves, Pair, Select, SetKind, Slot}, json::{self, Text}},
///     game::{audit::{Games, Read}, steps::{self, Request}, terms::Player},
/// };
///
/// let read = Read::all(
///     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/whole-turn-not-closed.txt")),
///     "a mail",
/// );
/// let games = Games::sort(&read);
/// let input = Text::of(&json::parse(br#"{"rolls":[{"cell":"A3","why":"the bridge"}]}"#)?)?;
/// let (_, declare) = games.jobs()[0].run_with(|_, game| {
///     let ledger = game?.ledger;
///     let request = Request {
///         slot: Slot::parse("2/2/ann-second/1")?,
///         moves: Moves::Text("All go west.".into()),
///         input,
///         seal: ledger.sealed(Player::Second, SetKind::Sheet, "sheet/1")?,
///         contribution: Contribution::Open(Hex32([5; 32])), // fresh randomness, really
///         redo: None,
///     };
///     steps::declaration(ledger, Player::First, request).ok()
/// });
/// let select = declare.and_then(|declare| declare.select);
/// assert_eq!(select, Some(Select::Cells(vec![Pair(0, 3)])));
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
pub fn declaration(ledger: &Ledger<'_>, player: Player, request: Request) -> Result<Declare> {
    let refused = |text: &str| Error::Refused(text.into());
    let (_, phase) = ledger
        .terms
        .slot(&request.slot)
        .filter(|(_, phase)| phase.may_be_declared_by(player))
        .ok_or_else(|| Error::Refused(format!("{} is not a slot that you can declare", request.slot)))?;
    let rolls = phase.system.resolver().read(&request.input, request.redo.is_some())?;
    let mut declare = Declare {
        after: after(ledger, &request.slot, request.redo),
        contribution: None,
        input: rolls.canonical()?,
        moves: request.moves,
        redo: request.redo,
        seal: None,
        select: None,
        slot: request.slot,
    };
    if rolls.count() > 0 {
        let set = ledger.set(&request.seal).ok_or_else(|| refused("the seal of the set is missing"))?;
        declare.select = match declare.redo {
            Some(_) => declare::next_foul_up(ledger, player, set, rolls.count(), Past::ALL)?.1,
            None => rolls.plan(&icrk::state_of(&ledger.spent(&request.seal, player, Past::ALL)))?.select,
        };
        declare.seal = Some(request.seal);
        declare.contribution = Some(request.contribution);
    }
    Ok(declare)
}

/// Returns the letter that the next letter for a slot must name in `after`, given all available letters (courses 4).
///
/// # Examples
///
/// The second turn of a course follows the letter that settled the first:
///
/// ```
/// use sealed_dice::{blob::body::Slot, game::{audit::{Games, Read}, steps::after}};
///
/// let read = Read::all(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/turn/turn-kept.txt")), "a mail");
/// let games = Games::sort(&read);
/// let (_, letters) = games.jobs()[0].run_with(|_, game| {
///     let (ledger, order) = (game?.ledger, game?.order);
///     let after = after(ledger, &Slot::parse("2/1/initiative/1")?, None);
///     Some((after?, order.nodes.last()?.id()))
/// });
/// assert_eq!(letters.map(|(after, last)| after == last), Some(true));
/// ```
#[must_use]
pub fn after(ledger: &Ledger<'_>, slot: &Slot, redo: Option<Redo>) -> Option<Hex32> {
    let phase = ledger.terms.course_at(slot)?;
    match ledger.replaced(redo) {
        Some(old) => old.declare.after,
        None => course::reached(ledger, phase, Past::ALL).at,
    }
}

/// Returns the letter of another author that a party's next letter lists in `seen`: the other's last letter that
/// stands, unless the letter listed in the party's last letter follows it, because `seen` never goes back (chain 3).
///
/// # Examples
///
/// ```
/// use sealed_dice::game::{audit::{Games, Read}, steps::next_seen, terms::{Author, Player}};
///
/// let read = Read::all(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/one-roll.txt")), "a mail");
/// let games = Games::sort(&read);
/// let (report, seen) = games.jobs()[0].run_with(|_, game| {
///     let [ann, bob] = Player::BOTH.map(Author::Player);
///     next_seen(game?.ledger, ann, bob)
/// });
/// assert_eq!(seen, report.heads["bob"].map(|head| head.id));
/// ```
#[must_use]
pub fn next_seen(ledger: &Ledger<'_>, me: Author, other: Author) -> Option<Hex32> {
    let last = match other {
        // The office's branches never fall (office 22).
        Author::Office => ledger.escrow.to_follow,
        Author::Player(_) | Author::Referee => ledger.last_letter_of(other),
    };
    let own = ledger.last_letter_of(me).map(|own| &own.message.head().seen);
    let before = own.zip(ledger.terms.role_of(other)).and_then(|(seen, role)| seen.get(role));
    let before = before.and_then(|id| ledger.nodes.get(&id).copied());
    let stays = before.filter(|before| last.is_none_or(|last| before.follows(last)));
    stays.or(last).map(Node::id)
}
