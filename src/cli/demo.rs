//! `demo`: plays the double-impulse example between two throwaway players, letter by letter.

use std::{fs, path::Path};

use serde::Serialize;
use serde_json::json;

use super::{answer::Answer, audit, select, terminal::visible};
use crate::{
    blob::{
        Body, Kind, Verified,
        body::{
            Charter, Contribution, Decision, FoulUp, Hex32, Moves, Name, Party, Phase, Remedies, Remedy, Revealer,
            Role, SetKind, SetsAtStart, Slot, Source,
        },
        json::{Map, Text},
    },
    error::{Error, Result},
    game::{
        audit::Report,
        keys::Members,
        ledger::Ledger,
        order::Order,
        replay,
        steps::{self, Letter, Request, Signer},
        terms::{Player, Terms},
    },
    keep::random,
    mail::{self, Mail},
    primitive::{secret::Secret, sign::PrivateKey},
    report::plain,
    resolve::{
        System,
        coin_envelopes::{
            Attack, CoinEnvelopes,
            chart::Chart,
            hexes::{DoubleLetters, Grammar},
        },
    },
};

const ENVELOPES: u64 = 5;
const FOUL_UPS: u64 = 3;
const CELLS: u64 = 400;

pub(super) fn run(dir: Option<&Path>) -> Answer {
    match dir.map_or(Ok(()), empty_folder).and_then(|()| demonstrate(dir)) {
        Ok(told) => Answer::done(told),
        Err(why) => Answer::unable(why),
    }
}

fn demonstrate(dir: Option<&Path>) -> Result<String, String> {
    let letters = play().map_err(|error| format!("the demo could not be played: {error}"))?;
    let names: Vec<String> = letters.iter().enumerate().map(|(i, letter)| name(i, letter)).collect();
    if let Some(dir) = dir {
        write(dir, &letters, &names)?;
    }
    Ok(tell(dir, &letters, &names))
}

fn empty_folder(dir: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{} cannot be used: {error}; name another folder", dir.display());
    fs::create_dir_all(dir).map_err(failed)?;
    if fs::read_dir(dir).map_err(failed)?.next().is_some() {
        return Err(format!("{} is not empty; name a new folder", dir.display()));
    }
    Ok(())
}

fn random() -> Result<Hex32> {
    random::fresh().map_err(|trouble| Error::Misuse(trouble.to_string()))
}

fn word<T>(word: Option<T>) -> Result<T> {
    word.ok_or_else(|| Error::Misuse("a name in the demo is not valid".into()))
}

/// Returns the attacks of the first impulse, which need envelopes.
fn first_impulse() -> Vec<Attack> {
    let attack = |hex: &str, odds: &str| Attack { hexes: vec![hex.into()], id: None, odds: odds.into(), order: None };
    vec![attack("F12", "3-1"), attack("G13", "5-1"), attack("I-11.", "1-4")]
}

fn charter(ann: &Signer, bob: &Signer) -> Result<Charter> {
    let party = |signer: &Signer, name: &str| Party {
        key: Hex32(*signer.key().public().as_bytes()),
        name: name.into(),
        role: signer.role().clone(),
    };
    let phase = |signer: &Signer, impulse: u64, name: &str, system: &str, source: Source| {
        Ok(Phase {
            decisions: Vec::<Decision>::new(),
            declarer: Some(signer.role().clone()),
            impulses: vec![impulse],
            name: word(Name::parse(name))?,
            private: false,
            revealer: Revealer::Sealer,
            settings: System::prefill(system, &Map::new())?,
            source,
            system: system.into(),
        })
    };
    Ok(Charter {
        compared: false,
        continues: None,
        deadlines: Vec::new(),
        foul_up: FoulUp {
            envelopes: FOUL_UPS,
            remedies: Remedies { illegal_move: Remedy::Keep, illegal_odds: Remedy::Keep, wrong_list: Remedy::Keep },
            revealer: Revealer::Sealer,
        },
        hard_core: false,
        nonce: random()?,
        office: None,
        parties: [party(ann, "Ann"), party(bob, "Bob")],
        penalties: Vec::new(),
        phases: vec![
            phase(ann, 1, "ann-first", "coin-envelopes", Source::Coin)?,
            phase(ann, 2, "ann-second", "icrk", Source::Sheet)?,
            phase(bob, 1, "bob-first", "coin-envelopes", Source::Coin)?,
            phase(bob, 2, "bob-second", "icrk", Source::Sheet)?,
        ],
        referee: None,
        sets_at_start: SetsAtStart { foul_up: 0, sheet: 0 },
        tables: Map::new(),
        title: "a demo of one double-impulse turn".into(),
    })
}

/// A demo game: both players' signers, and every letter so far.
struct Table {
    ann: Signer,
    bob: Signer,
    letters: Vec<Letter>,
}

impl Table {
    fn send(&mut self, from_ann: bool, body: Body) -> Result<Hex32> {
        let letter = if from_ann { self.ann.write(body) } else { self.bob.write(body) }?;
        self.pass_on(letter)
    }

    fn pass_on(&mut self, letter: Letter) -> Result<Hex32> {
        let message = &letter.message;
        if message.head().author == *self.ann.role() { &mut self.bob } else { &mut self.ann }.see(message);
        let id = message.id();
        self.letters.push(letter);
        Ok(id)
    }

    /// Replays all letters, and passes the table and the ledger to `look`.
    fn with_ledger<T>(&self, look: impl FnOnce(&Self, &Ledger<'_>) -> Result<T>) -> Result<T> {
        let begin = |kind: Kind| {
            let found = self.letters.iter().map(|letter| &letter.message).find(|message| message.head().kind == kind);
            found.ok_or_else(|| Error::Misuse("the game has not begun".into()))
        };
        let terms = Terms::parse(begin(Kind::Charter)?)?;
        let game = begin(Kind::Accept)?.id();
        let letters: Vec<&Verified> = self.letters.iter().map(|letter| &letter.message).collect();
        let order = Order::of(&terms, game, &Members::of(&terms, &letters));
        look(self, &replay::replay(&terms, game, &order))
    }

    fn seal_by_bob(&mut self, kind: SetKind, purpose: &str, n: u64) -> Result<Hex32> {
        let seal = self.with_ledger(|table, ledger| table.bob.seal(ledger.terms, kind, purpose, n, random()?, None))?;
        self.send(false, Body::Seal(seal))
    }

    fn declare_by_ann(&mut self, slot: &str, moves: &str, input: &impl Serialize, seal: Hex32) -> Result<Hex32> {
        let request = Request {
            slot: word(Slot::parse(slot))?,
            moves: Moves::Text(moves.into()),
            input: Text::of(input)?,
            seal,
            contribution: Contribution::Open(random()?),
            redo: None,
        };
        let declare = self.with_ledger(|_, ledger| steps::declaration(ledger, Player::First, request))?;
        self.send(true, Body::Declare(Box::new(declare)))
    }

    fn reveal_by_bob(&mut self, declaration: Hex32) -> Result<Hex32> {
        let reveal = self.with_ledger(|table, ledger| table.bob.reveal(ledger, declaration))?;
        self.send(false, Body::Reveal(reveal))
    }

    fn close_by(&mut self, ann: bool) -> Result<Hex32> {
        let close = self.with_ledger(|table, ledger| {
            let signer = if ann { &table.ann } else { &table.bob };
            Ok(signer.close(ledger, None))
        })?;
        self.send(ann, Body::Close(close))
    }
}

/// Plays the example, and returns its letters.
fn play() -> Result<Vec<Letter>> {
    let role = |name: &str| word(Role::parse(name));
    let secret = || random().map(|bytes| Secret::new(bytes.0));
    let signer = |name: &str, other: &str| {
        Ok(Signer::new(role(name)?, PrivateKey::from_seed(&secret()?), secret()?, role(other)?))
    };
    let mut table = Table { ann: signer("ann", "bob")?, bob: signer("bob", "ann")?, letters: Vec::new() };
    let charter = charter(&table.ann, &table.bob)?;
    let proposal = table.ann.propose(charter)?;
    let accept = table.bob.accept(&proposal.message, false, random()?)?;
    table.pass_on(proposal)?;
    table.pass_on(accept)?;

    let sheet = table.seal_by_bob(SetKind::Sheet, "sheet/1", CELLS)?;
    table.seal_by_bob(SetKind::FoulUp, "foul-up/1", FOUL_UPS)?;
    let envelopes = table.seal_by_bob(SetKind::Coin, "1/1/ann-first/1", ENVELOPES)?;

    let attacks = json!({ "attacks": first_impulse() });
    let moves = "Guards to E11 and G12; 5th Corps masses on H13.";
    let first = table.declare_by_ann("1/1/ann-first/1", moves, &attacks, envelopes)?;
    table.reveal_by_bob(first)?;

    let rolls = json!({ "rolls": [{ "cell": "A1", "why": "K12 2-1" }, { "cell": "A2", "why": "L14 1-1" }] });
    let second = table.declare_by_ann("1/2/ann-second/1", "Guards advance to J12; 5th Corps to K13.", &rolls, sheet)?;
    table.reveal_by_bob(second)?;

    table.close_by(true)?;
    table.close_by(false)?;
    table.close_by(true)?;
    Ok(table.letters)
}

/// Returns the name of the file for a letter.
fn name(i: usize, letter: &Letter) -> String {
    let head = letter.message.head();
    format!("{:02}-{}-{}.txt", i + 1, head.author, head.kind.as_str())
}

/// Writes each letter to a file as a mail would contain it.
fn write(dir: &Path, letters: &[Letter], names: &[String]) -> Result<(), String> {
    for (letter, name) in letters.iter().zip(names) {
        let head = letter.message.head();
        let cover = format!(
            "{}'s letter {} in our game: {}. Only the block below counts.\n\n",
            head.author,
            head.number,
            head.kind.as_str()
        );
        let path = dir.join(name);
        fs::write(&path, cover + &letter.armour())
            .map_err(|error| format!("{} cannot be written: {error}; name another folder", path.display()))?;
    }
    Ok(())
}

fn tell(dir: Option<&Path>, letters: &[Letter], names: &[String]) -> String {
    let worksheet = CoinEnvelopes::for_select(ENVELOPES, Grammar::Letters, DoubleLetters::Doubled, Chart::House)
        .and_then(|system| system.worksheet(&first_impulse()))
        .map(|worksheet| select::table(ENVELOPES, &worksheet))
        .unwrap_or_default();
    let sources: Vec<mail::Source> = letters
        .iter()
        .zip(names)
        .map(|(letter, name)| mail::Source::memory(name, letter.armour().into_bytes()))
        .collect();
    let reports = audit::audit(&mut Mail::of(sources), 1, false);
    let ids = reports.iter().flat_map(Report::ids).collect();
    let verdict: String = reports.iter().map(|report| plain::tell(report, &ids)).collect();
    format!(
        "Ann has two impulses in this turn. For them, Bob has sealed five envelopes and a sheet of 400 cells.\n\
         Each impulse takes one letter from Ann, and one from Bob, who opens the dice.\n\n\
         First impulse, Ann's worksheet:\n{worksheet}\n\
         Second impulse: cells A1 and A2 of Bob's sheet.\n\n\
         An outsider's audit of their {} letters:\n\n{verdict}\n{}",
        letters.len(),
        dir.map_or_else(
            || "The letters were not kept:  sealed-dice demo --dir DIR  writes them to a folder, so that you can read \
                them\n"
                .to_owned(),
            |dir| {
                let dir = visible(&dir.display().to_string());
                format!(
                    "The letters are in {dir}\nCheck them again:  sealed-dice audit {dir}\n\
                     or without this program:  python3 verify/sealed_dice.py audit {dir}\n"
                )
            }
        )
    )
}
