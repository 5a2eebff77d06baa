//! Whether the time of an audit grows in proportion to the turns of a campaign: the same course with 500 and with 1,000
//! turns.

use std::{collections::BTreeMap, hint::black_box};

use sealed_dice::{
    blob::{
        Body,
        body::{
            Charter, Contribution, Decide, Decision, Declare, Hex32, How, Key, Moves, NoteRef, Phase, Reveal, Role,
            Seal, SealedContribution, SetKind, Slot, Source,
        },
        json::Text,
    },
    game::{context::Context, terms::Terms},
    mail::Source as Mailed,
    primitive::{
        dice::{Roots, Stream, roll_key},
        secret::Secret,
    },
    resolve::{self, Account, Awaits, Course, Draws, Given, Object, Place, System, hidden::Made},
};
use serde_json::{Value, json};

use super::{
    Sealed, audit,
    kit::{Ann, Bob, Table, Who, name, object, role, text},
    ratio,
};

pub(crate) fn all() {
    let ocs = json!({ "first_player": "ann", "flux_holder": "first_mover", "pop_then_second": false, "sides": ["ann", "bob"] });
    let events = json!({ "first": "north", "sides": { "north": "ann", "south": "bob" } });
    let table = json!({
        "dice": { "few": { "dice": "7d6" } },
        "events": { "volley": { "steps": [{ "die": "few", "do": "roll" }] } },
        "main": { "north": "battle", "south": "battle" },
        "sides": ["north", "south"],
        "source": "test",
        "tables": { "battle": { "dice": "d2", "rows": { "1-2": "volley" } } },
        "title": "A short turn",
    });
    let mut cil = System::prefill("cil", &Object::new()).expect("a system");
    cil.insert("attacker".into(), "ann".into());
    cil.insert("defender".into(), "bob".into());
    let ndc = json!({
        "adjacent": "all", "ammo": false, "combats": 1, "defender_to_sign": "minus", "doctrine": { "ann": "soviet", "bob": "us" },
        "ew": 1, "letters": "standing", "low_columns": "odd", "roll_count_public": false,
        "sectors": { "all": ["0101", "4040"] }, "sheet_bytes": 1024, "sides": ["ann", "bob"], "units": 1,
    });
    let mut fair: Value =
        toml::from_str(&std::fs::read_to_string("tables/ndc-test.toml").expect("the tables")).expect("TOML");
    fair["ndc-weather"]["rows"] = json!({ "1-6": ["clear", "clear", "clear"] });
    for (system, settings, tables) in [
        ("ocs-initiative", object(ocs), Object::new()),
        ("event-tables", object(events), object(json!({ "event-tables": table }))),
        ("cil", cil, Object::new()),
        ("ndc", object(ndc), object(fair)),
    ] {
        let mails = [1_000, 500].map(|turns| {
            let campaign = Campaign::play(system, &settings, &tables, turns);
            let letters = campaign.table.letters.len();
            let mail = vec![Mailed::memory("campaign", campaign.table.transcript().into_bytes())];
            let reports = audit(mail.clone(), 1);
            assert!(reports[0].findings.is_empty(), "{system}: {:?}", reports[0].findings);
            (mail, letters)
        });
        let [(long, letters), (half, fewer)] = mails;
        let grows = ratio(5, || drop(black_box(audit(long.clone(), 1))), || drop(black_box(audit(half.clone(), 1))));
        super::report(
            &format!("{system}: an audit of 1,000 declarations over one of 500: {letters} letters over {fewer}"),
            &grows,
            "about 2",
        );
    }
}

/// A course that is played without replaying its letters, because a long one would take too long otherwise.
struct Campaign {
    table: Table,
    terms: Terms,
    sets: Vec<Sealed>,
    state: Object,
    /// The letter where the course stands.
    at: Option<Hex32>,
    /// Each player's set of contributions, and its next free envelope.
    shares: [Option<(usize, u64)>; 2],
    /// The inputs of a hidden course, by what is awaited. Nobody moves, so they repeat.
    stated: BTreeMap<String, Text>,
    made: Vec<(Role, Text, Object)>,
}

/// Dice that all show one; the result does not matter.
struct Ones;

impl resolve::Source for Ones {
    fn draw(&mut self, _: Place, _: u64) -> sealed_dice::error::Result<u64> {
        Ok(1)
    }
}

/// The dice of one envelope.
struct Envelope {
    root: [u8; 32],
    streams: BTreeMap<u64, Stream>,
}

impl resolve::Source for Envelope {
    fn draw(&mut self, place: Place, sides: u64) -> sealed_dice::error::Result<u64> {
        let root = &self.root;
        self.streams.entry(place.line).or_insert_with(|| Stream::new(roll_key(root, place.line))).draw(sides)
    }
}

const fn other(who: Who) -> Who {
    match who {
        Ann => Bob,
        _ => Ann,
    }
}

fn charter(charter: &mut Charter, system: &str, settings: &Object, tables: &Object) {
    let hidden = system == "ndc";
    let mut phase = charter.phases[0].clone();
    phase.system = system.into();
    phase.settings = settings.clone();
    phase.source = Source::Plain;
    phase.private = hidden;
    if system != "cil" {
        phase.declarer = None;
    } else {
        phase.decisions = vec![Decision { by: None, how: How::Simultaneous, name: name("orders") }];
    }
    let course = System::settle(system, settings, tables).expect("settings");
    let phases = course.resolver().course().expect("a course").phases() as u64;
    let numbered = |n: u64| Phase { impulses: vec![n], name: name(&format!("battle{n}")), ..phase.clone() };
    charter.phases = (1..=phases).map(numbered).collect();
    charter.tables = tables.clone();
}

impl Campaign {
    fn play(system: &str, settings: &Object, tables: &Object, turns: usize) -> Self {
        let table = Table::begin_with(system, |terms| charter(terms, system, settings, tables));
        let terms = Terms::parse(&table.letters[0].message).expect("terms");
        let state = terms.phases[0].system.resolver().course().expect("a course").begin().expect("a state");
        let mut campaign = Self {
            table,
            terms,
            sets: Vec::new(),
            state,
            at: None,
            shares: [None; 2],
            stated: BTreeMap::new(),
            made: Vec::new(),
        };
        let (mut declared, mut last): (usize, Option<Slot>) = (0, None);
        let mut numbers: BTreeMap<(Slot, Role), u64> = BTreeMap::new();
        while declared < turns {
            let (course, phase) = (campaign.course(), &campaign.terms.phases[0]);
            let awaited = course.awaits(&campaign.state).expect("something");
            let (place, by) = match awaited {
                Awaits::Turn(by) => (campaign.terms.next_place(phase, last.as_ref()).expect("a place"), by),
                Awaits::More(by) => (last.clone().expect("a place"), by),
                Awaits::Decision { name, by, .. } => {
                    campaign.decides(&name, &by, last.as_ref().expect("a place"));
                    continue;
                }
            };
            let by = by.unwrap_or_else(|| role("ann"));
            let place = Slot { number: 1, ..place };
            let number = numbers.entry((place.clone(), by.clone())).or_default();
            *number += 1;
            let slot = Slot { number: *number, ..place };
            campaign.declares(if by.as_str() == "ann" { Ann } else { Bob }, &slot);
            last = Some(slot);
            declared += 1;
        }
        campaign.closes();
        campaign
    }

    fn course(&self) -> &dyn Course {
        self.terms.phases[0].system.resolver().course().expect("a course")
    }

    fn decides(&mut self, name: &str, by: &Role, slot: &Slot) {
        let value = match name {
            "pop" => json!([]),
            "order" => json!("first"),
            _ => json!("on"),
        };
        self.state =
            self.course().decide(&self.state, name, &value, &mut Account::none()).expect("it may be chosen").state;
        let decide = Decide { after: self.at, name: super::kit::name(name), slot: slot.clone(), value };
        self.at = Some(self.table.send(if by.as_str() == "ann" { Ann } else { Bob }, Body::Decide(decide)));
    }

    /// Seals a set and keeps the secret that opens it.
    fn seals(&mut self, who: Who, kind: SetKind, purpose: &str, n: u64) -> usize {
        let salt = self.table.fresh();
        let seal = self.table.signer(who).seal(self.table.terms(), kind, purpose, n, salt, None).expect("a seal");
        self.keeps(who, seal, &salt)
    }

    /// Seals a note that is padded to this length in bytes at least.
    fn notes(&mut self, who: Who, purpose: &str, says: &str, least: usize) -> usize {
        let salt = self.table.fresh();
        let seal = self.table.signer(who).seal_note(self.table.terms(), purpose, salt, says, least).expect("a seal");
        self.keeps(who, seal, &salt)
    }

    fn keeps(&mut self, who: Who, seal: Seal, salt: &Hex32) -> usize {
        let game = self.table.letters[1].message.id();
        let context = Context::of(game, None, self.table.signer(who).role(), &seal);
        let id = self.table.send(who, Body::Seal(seal));
        let label = self.terms.phases[0].system.name();
        self.sets.push(Sealed::of(label, id, context, salt));
        self.sets.len() - 1
    }

    fn key(&self, set: usize, index: u64) -> Secret {
        let set = &self.sets[set];
        set.context.key(&set.master, Place { index, line: 0 })
    }

    fn opens(&mut self, who: Who, set: usize, declaration: Option<Hex32>) {
        let keys = vec![Key(0, Hex32(*self.key(set, 0).expose()))];
        let reveal = Reveal { declaration, keys, seal: self.sets[set].id, sheets: Vec::new() };
        self.table.send(who, Body::Reveal(reveal));
    }

    fn declares(&mut self, who: Who, slot: &Slot) {
        let orders: Vec<(Role, Object)> = match self.course().takes_orders() {
            true => self.orders(slot),
            false => Vec::new(),
        };
        let set = self.seals(other(who), SetKind::Plain, &slot.to_string(), 1);
        let (input, moves, contribution) = match self.course().hidden().is_some() {
            true => self.sheet(who, slot),
            false => {
                let input = self.read(&json!({})).canonical().expect("a form");
                (input, Moves::Text("as ordered".into()), Contribution::Open(self.table.fresh()))
            }
        };
        let rolls = self.terms.phases[0].system.resolver().read(&input, false).expect("an input");
        let plan = rolls.plan(&Object::new()).expect("a plan");
        let declare = Declare {
            after: self.at,
            contribution: Some(contribution.clone()),
            input,
            moves,
            redo: None,
            seal: Some(self.sets[set].id),
            select: plan.select,
            slot: slot.clone(),
        };
        let declaration = self.table.send(who, Body::Declare(Box::new(declare)));
        self.at = Some(declaration);
        self.opens(other(who), set, Some(declaration));
        let given = Given { state: &self.state, orders: &orders };
        let outcome = match contribution {
            Contribution::Open(share) => {
                let seed = self.sets[set].context.seed(&self.key(set, 0), Place { index: 0, line: 0 });
                let seal = self.sets[set].id;
                let roots = Roots { seal: &seal.0, declaration: &declaration.0, contribution: &share.0 };
                let mut dice = Envelope { root: roots.root(0, seed.expose()), streams: BTreeMap::new() };
                rolls.resolve(given, &plan.places, &mut Draws::new(&mut dice), &mut Account::none())
            }
            Contribution::Sealed(_) => {
                rolls.resolve(given, &plan.places, &mut Draws::new(&mut Ones), &mut Account::none())
            }
        };
        self.state = outcome.expect("an outcome").state;
    }

    fn read(&self, input: &Value) -> Box<dyn resolve::Rolls> {
        let input = text(&object(input.clone()));
        self.terms.phases[0].system.resolver().read(&input, false).expect("an input")
    }

    /// Seals orders of both players that order nothing.
    fn orders(&mut self, slot: &Slot) -> Vec<(Role, Object)> {
        let says = object(json!({ "excess": {}, "orders": {} }));
        let purpose = format!("{slot}/orders");
        let notes = [Ann, Bob].map(|who| self.notes(who, &purpose, text(&says).as_str(), 0));
        for (who, note) in [Ann, Bob].into_iter().zip(notes) {
            self.opens(who, note, None);
        }
        ["ann", "bob"].map(|by| (role(by), says.clone())).into()
    }

    /// Seals a sheet, which is empty or sets up one unit, and returns the input that follows from it, the moves and the
    /// contribution.
    fn sheet(&mut self, who: Who, slot: &Slot) -> (Text, Moves, Contribution) {
        let by = self.table.signer(who).role().clone();
        let hex = if who == Ann { "0101" } else { "3030" };
        let setup = self.state["awaits"]["step"] == "setup";
        let unit =
            json!({ "hexes": [hex], "kind": "infantry", "mode": "normal", "movement": 8, "name": "first", "to": 6 });
        let sheet = object(if setup { json!({ "units": [unit] }) } else { json!({}) });
        let awaited = format!("{} {} {setup}", self.state["awaits"], self.state["segment"]);
        let hidden = self.course().hidden().expect("a hidden course");
        let input = self.stated.get(&awaited).cloned().unwrap_or_else(|| {
            let made = self.made.iter().map(|(by, input, sheet)| Made {
                by: by.clone(),
                input: input.clone(),
                sheet: Some(sheet.clone()),
                dice: Some(Box::new(Ones)),
            });
            let run = hidden.state(&by, &mut made.collect::<Vec<_>>(), &sheet, &Object::new()).expect("it is allowed");
            run.told.last().expect("what is due").due.clone()
        });
        let (says, bytes) = (text(&sheet), usize::try_from(hidden.sheet_bytes()).expect("a length"));
        self.stated.insert(awaited, input.clone());
        self.made.push((by, input.clone(), sheet));
        let note = self.notes(who, &format!("{slot}/sheet"), says.as_str(), bytes);
        let moves = Moves::Note(NoteRef { index: 0, seal: self.sets[note].id });
        let own = usize::from(who == Bob);
        let (set, index) = match self.shares[own] {
            Some((set, index)) if index < 32 => (set, index),
            _ => {
                let sealed = self.made.iter().filter(|(by, ..)| *by == *self.table.signer(who).role()).count();
                let purpose = format!("contribution/{}", 1 + (sealed - 1) / 32);
                (self.seals(who, SetKind::Contribution, &purpose, 32), 0)
            }
        };
        self.shares[own] = Some((set, index + 1));
        let share = SealedContribution { index, seal: self.sets[set].id };
        (input, moves, Contribution::Sealed(share))
    }

    fn closes(&mut self) {
        use sealed_dice::blob::body::{Close, Master};
        let close = |masters| Body::Close(Close { masters, result: None });
        self.table.send(Ann, close(None));
        for who in [Bob, Ann] {
            let own = self.sets.iter().filter(|set| set.context.sealer == *self.table.signer(who).role());
            let masters = own.map(|set| Master { master: Hex32(*set.master.expose()), seal: set.id }).collect();
            self.table.send(who, close(Some(masters)));
        }
    }
}
