//! Two signers begin a game: Ann proposes terms, and Bob accepts them and seals five envelopes. Prints their letters as
//! they would appear in mails, and then the result of an audit.
//!
//! ```sh
//! cargo run --no-default-features --example signer
//! ```
//!
//! A program for play keeps its keys secret and makes them from fresh randomness. The keys here are known to everybody.

use sealed_dice::{
    audit,
    blob::{
        Body, Verified,
        body::{
            Charter, FoulUp, Hex32, Name, Party, Phase, Remedies, Remedy, Revealer, Role, SetKind, SetsAtStart, Source,
        },
        json::Map,
    },
    error::{Error, Result},
    game::{
        keys::Members,
        order::Order,
        replay,
        steps::{Letter, Signer},
        terms::Terms,
    },
    primitive::{secret::Secret, sign::PrivateKey},
    report::plain,
    resolve::System,
};

fn named<T>(name: Option<T>) -> Result<T> {
    name.ok_or_else(|| Error::Misuse("that is no name".into()))
}

fn signer(role: &str, other: &str, seed: u8) -> Result<Signer> {
    let [key, vault] = [seed, seed + 1].map(|byte| Secret::new([byte; 32]));
    Ok(Signer::new(named(Role::parse(role))?, PrivateKey::from_seed(&key), vault, named(Role::parse(other))?))
}

/// Returns terms in which Ann rolls her attacks with coin envelopes that Bob seals.
fn terms(ann: &Signer, bob: &Signer) -> Result<Charter> {
    let party = |signer: &Signer, name: &str| Party {
        key: Hex32(*signer.key().public().as_bytes()),
        name: name.into(),
        role: signer.role().clone(),
    };
    let keep = Remedies { illegal_move: Remedy::Keep, illegal_odds: Remedy::Keep, wrong_list: Remedy::Keep };
    Ok(Charter {
        compared: false,
        continues: None,
        deadlines: Vec::new(),
        foul_up: FoulUp { envelopes: 3, remedies: keep, revealer: Revealer::Sealer },
        hard_core: false,
        nonce: Hex32([9; 32]),
        office: None,
        parties: [party(ann, "Ann"), party(bob, "Bob")],
        penalties: Vec::new(),
        phases: vec![Phase {
            decisions: Vec::new(),
            declarer: Some(ann.role().clone()),
            impulses: vec![1],
            name: named(Name::parse("combat"))?,
            private: false,
            revealer: Revealer::Sealer,
            settings: System::prefill("coin-envelopes", &Map::new())?,
            source: Source::Coin,
            system: "coin-envelopes".into(),
        }],
        referee: None,
        sets_at_start: SetsAtStart { foul_up: 0, sheet: 0 },
        tables: Map::new(),
        title: "an example".into(),
    })
}

fn begin() -> Result<Vec<Letter>> {
    let (mut ann, mut bob) = (signer("ann", "bob", 1)?, signer("bob", "ann", 3)?);
    let proposed = ann.propose(terms(&ann, &bob)?)?;
    bob.see(&proposed.message);
    let accepted = bob.accept(&proposed.message, false, Hex32([7; 32]))?;
    let terms = Terms::parse(&proposed.message)?;
    let letters: Vec<&Verified> = vec![&proposed.message, &accepted.message];
    let order = Order::of(&terms, accepted.message.id(), &Members::of(&terms, &letters));
    let ledger = replay::replay(&terms, accepted.message.id(), &order);
    let seal = bob.seal(ledger.terms, SetKind::Coin, "1/1/combat/1", 5, Hex32([8; 32]), None)?;
    let sealed = bob.write(Body::Seal(seal))?;
    Ok(vec![proposed, accepted, sealed])
}

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() -> Result<()> {
    let transcript: String = begin()?.iter().map(|letter| letter.armour() + "\n").collect();
    println!("{transcript}");
    let reports = audit(&transcript);
    let ids = reports.iter().flat_map(|report| report.ids()).collect();
    reports.iter().for_each(|report| println!("{}", plain::tell(report, &ids)));
    Ok(())
}
