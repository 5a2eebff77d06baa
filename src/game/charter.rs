//! Parsing charters into terms, and the accepts that begin games on them (`protocol/charter.md`).

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashSet},
};

use super::{
    purpose::ORDERS,
    terms::{Author, By, Decision, Phase, Player, Terms},
};
use crate::{
    blob::{
        Body, Kind, Verified,
        body::{self, Hex32, How, Remedy, Revealer, Role, Step},
    },
    error::{Class, Error, Result, bail, ensure},
    primitive::wrap,
    resolve::{Awaits, Course, System},
    rule::Rule,
};

impl Terms {
    /// Parses a charter.
    ///
    /// # Errors
    /// Class `game` if the charter does not list its author's key (no culprit); class `rule` for a charter in breach.
    ///
    /// # Examples
    ///
    /// ```
    /// use sealed_dice::{blob::body::Slot, game::{audit::Read, terms::{Player, Terms}}};
    ///
    /// let read = Read::all(
    ///     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/charter-alone.txt")),
    ///     "a mail",
    /// );
    /// let charter = read[0].letter.clone().map_err(|refusal| refusal.error)?;
    /// let terms = Terms::parse(&charter)?;
    /// assert_eq!(terms.role(Player::First).as_str(), "ann");
    /// let slot = Slot::parse("1/1/ann-first/1").ok_or("no slot")?;
    /// assert_eq!(terms.phase_at(&slot).map(|phase| phase.system.name()), Some("coin-envelopes"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(message: &Verified) -> Result<Self> {
        let Body::Charter(charter) = message.body() else {
            return Err(Error::Misuse("this letter is not a charter".into()));
        };
        let role = &message.head().author;
        let [first, second] = &charter.parties;
        let author = match (first.role == *role, second.role == *role) {
            (true, _) if first.key == message.key() => Player::First,
            (false, true) if second.key == message.key() => Player::Second,
            _ => {
                let text = "the charter is not signed with the key that it lists for its author";
                return Err(Error::malformed(Class::Game, text));
            }
        };
        let mut terms = Self { id: message.id(), author, charter: (**charter).clone(), phases: Vec::new() };
        let (roles, keys): (BTreeSet<&Role>, BTreeSet<Option<Hex32>>) =
            terms.authors().map(|(author, role)| (role, terms.key_of(author))).unzip();
        let differ = [roles.len(), keys.len()].iter().all(|count| *count == terms.authors().count());
        ensure!(differ, Rule::Charter6, "each party must have a role and a key of its own");
        let others = terms.seen_by(Author::Player(author)).map(|role| (role, None));
        ensure!(
            message.head().seen.iter().eq(others),
            Rule::Charter6,
            "seen in a charter must list exactly the other roles, each as null"
        );
        let mut names = BTreeSet::new();
        for phase in &charter.phases {
            ensure!(
                names.insert(&phase.name),
                Rule::Charter6,
                "phase {}: another phase has the same name; rename one",
                phase.name
            );
            let settled = terms.settle(phase)?;
            terms.phases.push(settled);
        }
        terms.check_holders()?;
        terms.check_states()?;
        Ok(terms)
    }

    /// Prepares a phase of the charter for use (charter 6).
    fn settle(&self, phase: &body::Phase) -> Result<Phase> {
        let name = &phase.name;
        let system = System::settle(&phase.system, &phase.settings, &self.charter.tables);
        let system = system.map_err(|error| Error::breach(Rule::Charter6, format!("phase {name}: {error}")))?;
        ensure!(
            system.resolver().source() == phase.source,
            Rule::Charter6,
            "phase {name}: {} cannot take its dice from this source; choose another",
            phase.system
        );
        match system.resolver().course() {
            Some(course) => self.check_course(phase, course)?,
            None => ensure!(phase.declarer.is_some(), Rule::Charter6, "phase {name}: the phase must name a declarer"),
        }
        let mut decisions: Vec<Decision> = Vec::new();
        for decision in &phase.decisions {
            let is_new = decisions.iter().all(|other| other.name != decision.name);
            ensure!(is_new, Rule::Charter6, "phase {name}: two decisions are named {}; rename one", decision.name);
            let by = match (decision.how, &decision.by) {
                (How::Open, Some(role)) => By::Open(self.named_player(role)?),
                (How::Sealed, Some(role)) => By::Sealed(self.named_player(role)?),
                (How::Simultaneous, None) => By::Both,
                _ => bail!(
                    Rule::Charter6,
                    "phase {name}: {}: an open or sealed decision must name its player, and a simultaneous one must \
                     not",
                    decision.name
                ),
            };
            decisions.push(Decision { name: decision.name.clone(), by });
        }
        Ok(Phase {
            name: name.clone(),
            declarer: phase.declarer.as_ref().map(|role| self.named_player(role)).transpose()?,
            impulses: phase.impulses.clone(),
            source: phase.source,
            private: phase.private,
            revealer: phase.revealer,
            decisions,
            envelopes: match &system {
                System::CoinEnvelopes(coin) => Some(coin.envelopes()),
                _ => None,
            },
            system,
        })
    }

    /// Checks the phases of a course (courses 17).
    fn check_course(&self, phase: &body::Phase, course: &dyn Course) -> Result<()> {
        let (name, system) = (&phase.name, &phase.system);
        course.roles().iter().try_for_each(|role| self.named_player(role).map(drop))?;
        ensure!(
            phase.declarer.is_some() != course.names_declarer(),
            Rule::Charter6,
            "phase {name}: either the phase or the system's state must name the declarer, but not both"
        );
        ensure!(
            phase.private == course.hidden().is_some(),
            Rule::Charter6,
            "phase {name}: in a course, a hidden phase must be private and any other must not"
        );
        let is_orders = |decision: &body::Decision| {
            decision.by.is_none() && decision.how == How::Simultaneous && decision.name.as_str() == ORDERS
        };
        match (course.takes_orders(), phase.decisions.as_slice()) {
            (false, []) => {}
            (true, [decision]) if is_orders(decision) => {}
            (true, _) => {
                bail!(Rule::Charter6, "phase {name}: the phase must have exactly one decision, the simultaneous orders")
            }
            (false, _) => bail!(
                Rule::Charter6,
                "phase {name}: remove the decisions, because in a course the system asks for them"
            ),
        }
        let others = self.charter.phases.iter().filter(|other| other.system == *system);
        let alike = others.clone().all(|other| other.settings == phase.settings);
        ensure!(alike, Rule::Charter6, "phase {name}: all phases of a course must have the same settings");
        ensure!(
            others.count() == course.phases() && phase.impulses.len() == 1,
            Rule::Charter6,
            "{system}: the number of phases must be {}, and each must have one impulse",
            course.phases()
        );
        Ok(())
    }

    /// Checks remedies, deposits and revealers (charter 6).
    fn check_holders(&self) -> Result<()> {
        let charter = &self.charter;
        let remedies = &charter.foul_up.remedies;
        let redoes = [remedies.illegal_move, remedies.illegal_odds, remedies.wrong_list].contains(&Remedy::Redo);
        ensure!(
            !(charter.hard_core && redoes),
            Rule::Charter6,
            "a hard-core game does not allow redos: choose another remedy"
        );
        let by_referee = self.holders().any(|(holder, _)| holder == Author::Referee);
        let has_deadline = charter.deadlines.iter().any(|deadline| deadline.step == Step::Reveal);
        ensure!(
            !by_referee || has_deadline,
            Rule::Charter6,
            "a referee who holds deposits needs a deadline for reveals: add one"
        );
        ensure!(
            self.holders().all(|(_, deposit)| wrap::is_usable(&deposit.key.0)),
            Rule::Charter6,
            "a deposit key is not valid, because anyone could open deposits made for it: use another"
        );
        let mut revealers = charter.phases.iter().map(|phase| phase.revealer).chain([charter.foul_up.revealer]);
        let opens = charter.office.as_ref().is_some_and(|office| office.deposit.is_some());
        ensure!(
            opens || revealers.all(|revealer| revealer != Revealer::Office),
            Rule::Charter6,
            "the office can be the revealer only if the charter lists an office with a deposit key"
        );
        let mut sheets = charter.phases.iter().filter(|phase| phase.source == body::Source::Sheet);
        let first = sheets.next().map(|phase| phase.revealer);
        ensure!(
            sheets.all(|phase| Some(phase.revealer) == first),
            Rule::Charter6,
            "all phases with sheets must have the same revealer"
        );
        Ok(())
    }

    /// Checks that courses can begin with the states given by the charter (charter 26).
    fn check_states(&self) -> Result<()> {
        for (system, state) in self.charter.continues.iter().flat_map(|continues| &continues.states) {
            let course = self.courses().find(|(phase, _)| phase.system.name() == system).map(|(_, course)| course);
            let Some(course) = course.filter(|course| course.hidden().is_none()) else {
                bail!(
                    Rule::Charter26,
                    "the state of {system}: the terms must include this course, and it must not be hidden"
                );
            };
            match course.awaits(state) {
                Ok(Awaits::Turn(_)) => {}
                Ok(_) => bail!(Rule::Charter26, "the state of {system}: the course must be waiting for a turn"),
                Err(error) => bail!(Rule::Charter26, "the state of {system}: {error}"),
            }
        }
        Ok(())
    }

    fn named_player(&self, role: &Role) -> Result<Player> {
        self.player(role).ok_or_else(|| Error::breach(Rule::Charter6, format!("{role} is not a player in this game")))
    }

    /// Checks that the opponent's accept correctly refers to this charter (charter 16).
    ///
    /// # Errors
    /// Class `rule`, by charter 16.
    pub fn check_accept(&self, accept: &Verified) -> Result<()> {
        let named = matches!(accept.body(), Body::Accept(body) if body.charter == self.id);
        let mut roles = self.seen_by(Author::Player(self.author.other()));
        let seen = accept.head().seen.iter().all(|(role, letter)| {
            let expected = if role == self.role(self.author) {
                letter == Some(self.id)
            } else {
                letter.is_some_and(|id| id != self.id)
            };
            roles.next() == Some(role) && expected
        });
        let fits = named && seen && roles.next().is_none();
        ensure!(fits, Rule::Charter16, "the accept does not name the charter that it accepts");
        Ok(())
    }

    /// Whether a letter begins a game on these terms: the opponent's accept, signed with the key that the terms list
    /// for them and in breach of no rule. Each such accept begins a game of its own (charter 24).
    #[must_use]
    pub fn begins_game(&self, letter: &Verified) -> bool {
        let acceptor = Author::Player(self.author.other());
        letter.head().kind == Kind::Accept
            && letter.head().author == *self.role(self.author.other())
            && self.key_of(acceptor) == Some(letter.key())
            && self.check_accept(letter).is_ok()
    }

    /// Returns the game on these terms that a party continues, if one has begun. If there are several, a player
    /// continues the game in which they have written; the referee and the office continue the game in which the author
    /// of the terms, who has signed no second accept, has written (charter 24). An accept that names a missing letter
    /// waits for it and begins no game yet (chain 4).
    pub fn game_of<'l>(&self, party: Author, letters: impl Iterator<Item = &'l Verified> + Clone) -> Option<Hex32> {
        let here: HashSet<Hex32> = letters.clone().map(Verified::id).collect();
        let is_placed = |accept: &&Verified| accept.names().iter().all(|id| here.contains(id));
        let accepts = letters.clone().filter(|letter| self.begins_game(letter)).filter(is_placed);
        let games: BTreeSet<Hex32> = accepts.map(Verified::id).collect();
        let (own, author) = (self.role_of(party), self.role(self.author));
        let mut written: BTreeMap<Hex32, (usize, usize)> = BTreeMap::new();
        for head in letters.map(Verified::head) {
            if let Some(game) = head.game.filter(|game| games.len() > 1 && games.contains(game)) {
                let (by_party, by_author) = written.entry(game).or_default();
                *by_party += usize::from(Some(&head.author) == own);
                *by_author += usize::from(head.author == *author);
            }
        }
        let rank = |game: &Hex32| {
            let (by_party, by_author) = written.get(game).copied().unwrap_or_default();
            match party.player() {
                Some(_) => (Reverse(by_party), Reverse(by_author), *game),
                None => (Reverse(by_author), Reverse(by_party), *game),
            }
        };
        games.into_iter().min_by_key(rank)
    }
}
