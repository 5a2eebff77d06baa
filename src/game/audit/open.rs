//! Open matters of a game: awaited actions, and notices for the reader (`protocol/audit.md` 4, `open`).

use super::report::Open;
use crate::{
    blob::{
        Body, Verified,
        body::{Hex32, SetKind},
        disputes::Claim,
    },
    game::{
        days,
        declaration::Declaration,
        ledger::Ledger,
        node::Past,
        opening::NOTE,
        order::Order,
        repeats,
        rules::{claim, correct, course, redo, secrets},
        set::Set,
        terms::{Author, Player},
    },
    limits::{COLUMNS, ROWS},
    resolve::{Place, icrk},
};

/// Lists everything in a game that is awaited from somebody or that a reader should know.
pub(super) fn matters(ledger: &Ledger<'_>, accept: &Verified, order: &Order) -> Vec<Open> {
    let terms = ledger.terms;
    let mut open = Vec::new();
    let accepted = matches!(accept.body(), Body::Accept(body) if body.compared);
    if !(accepted && terms.charter.compared) {
        open.push(Open {
            id: None,
            text: "note: the players have not both confirmed that they compared keys by voice, so someone who carried \
                   the first letters may have replaced a key"
                .into(),
            what: "keys-not-compared",
            who: None,
        });
    }
    if order.overgrown {
        open.push(Open {
            id: None,
            text: "the letters fork into more branches than a game can have, so nothing was replayed".into(),
            what: "not-replayed",
            who: None,
        });
    }
    open.extend(ledger.declarations().flat_map(|declaration| declared(ledger, declaration)));
    open.extend(
        repeats::of(ledger).into_iter().map(|again| about(again.declaration, "rolled-again", None, again.text)),
    );
    open.extend(course::awaited_choices(ledger).into_iter().map(|choice| {
        let about = choice.about.map(|about| format!(" ({about})")).unwrap_or_default();
        let text = format!("{} must choose {} for {}{about}: {}", choice.by, choice.name, choice.slot, choice.answers);
        Open { id: Some(choice.on), text, what: "awaits-decision", who: Some(choice.by.to_string()) }
    }));
    open.extend(disputed(ledger));
    open.extend(correct::redos_due(ledger, Past::ALL).map(|due| {
        let role = terms.role(due.player);
        about(due.acceptance, "awaits-redo", Some(role), format!("{role} owes the agreed redo"))
    }));
    for player in Player::BOTH {
        open.extend(secrets(ledger, player));
        open.extend(owed_sets(ledger, player));
        open.extend(used_cells(ledger, player));
        let is_ended = Player::BOTH.into_iter().any(|player| ledger.has_closed(player));
        if is_ended && !ledger.has_published(player) {
            open.push(Open {
                id: None,
                text: format!(
                    "{} has not sent the closing keys for all sets (a close with masters)",
                    terms.role(player)
                ),
                what: "awaits-close",
                who: Some(terms.role(player).to_string()),
            });
        }
    }
    open
}

/// Returns the open matters of a declaration: its reveal, its note, and a redo that is due.
fn declared(ledger: &Ledger<'_>, declaration: &Declaration<'_>) -> Vec<Open> {
    let mut open = Vec::new();
    let (id, slot) = (declaration.node.id(), &declaration.declare.slot);
    let player = declaration.node.player;
    if declaration.is_open() {
        let is_offices = ledger.is_up_to_office(&declaration.node, Past::ALL);
        let office = ledger.terms.role_of(Author::Office).filter(|_| is_offices);
        let owes = office.unwrap_or(ledger.terms.role(player.other()));
        open.push(about(id, "awaits-reveal", Some(owes), format!("{owes} owes the reveal for {slot}")));
    }
    if let Some(note) = declaration.declare.moves.note()
        && ledger.set(&note).is_some_and(|set| !set.is_opened(NOTE, Past::ALL))
    {
        open.push(Open {
            id: Some(note),
            text: format!("the moves of {slot} are in a note that is still sealed"),
            what: "sealed-note",
            who: None,
        });
    }
    if redo::pending_breach(ledger, player) == Some(id) {
        open.push(Open {
            id: Some(id),
            text: format!("{slot} must be declared again from the foul-up set"),
            what: "awaits-redo",
            who: Some(ledger.terms.role(player).to_string()),
        });
    }
    open
}

fn about(id: Hex32, what: &'static str, who: Option<&crate::blob::body::Role>, text: String) -> Open {
    Open { id: Some(id), text, what, who: who.map(ToString::to_string) }
}

/// Lists claims that stand, and forfeits.
fn disputed(ledger: &Ledger<'_>) -> Vec<Open> {
    let terms = ledger.terms;
    let mut open: Vec<Open> = claim::standing(ledger)
        .map(|(id, by, claim)| match claim {
            Claim::Stall(stall) => {
                about(id, "claim", Some(&stall.owes), format!("{} claims that {} stalls", terms.role(by), stall.owes))
            }
            _ => about(id, "claim", None, format!("{} has opened a dispute", terms.role(by))),
        })
        .collect();
    open.extend(days::elapsed(ledger).iter().map(|elapsed| about(elapsed.ruling, "days", None, elapsed.told())));
    open.extend(claim::lost(ledger).map(|(player, by)| {
        about(by, "forfeit", Some(terms.role(player)), format!("{} has forfeited the game", terms.role(player)))
    }));
    for player in Player::BOTH {
        open.extend(claim::to_name(ledger, player).map(|(declaration, _)| {
            let text = format!(
                "{} may name the dice for {}, because they were forfeited",
                terms.role(player),
                declaration.declare.slot
            );
            about(declaration.node.id(), "awaits-names", Some(terms.role(player)), text)
        }));
    }
    open
}

/// Lists notes that are due, and private rolls that nobody can check yet.
fn secrets(ledger: &Ledger<'_>, player: Player) -> Vec<Open> {
    let role = ledger.terms.role(player);
    let due = secrets::due_notes(ledger, player).into_iter().map(|(_, set)| {
        let text = format!("{role} has not opened their note for {}", set.seal.purpose);
        about(set.node.id(), "awaits-note", Some(role), text)
    });
    let mut open: Vec<Open> = due.collect();
    let private = ledger.declarations().filter(|own| own.node.player == player && own.valid);
    let private = private.filter(|own| own.sealed_contribution().is_some());
    open.extend(private.filter(|own| own.is_answered() && own.outcome.is_none() && own.forfeits.is_empty()).map(
        |own| {
            let text = format!("the rolls for {} are private, and {role} has not shown them", own.declare.slot);
            about(own.node.id(), "private", Some(role), text)
        },
    ));
    open
}

/// Returns the sets that the charter requires before play and that a player has not sealed.
fn owed_sets(ledger: &Ledger<'_>, sealer: Player) -> Option<Open> {
    let promised = &ledger.terms.charter.sets_at_start;
    let sealed = |kind| {
        let sets = ledger.seals(sealer).iter().filter_map(|seal| ledger.set(seal));
        sets.filter(|set| set.valid && set.seal.kind == kind).count() as u64
    };
    let owed = promised.sheet.saturating_sub(sealed(SetKind::Sheet))
        + promised.foul_up.saturating_sub(sealed(SetKind::FoulUp));
    (owed > 0).then(|| Open {
        id: None,
        text: format!(
            "{} still has to seal {owed} of the sets that the charter requires before play",
            ledger.terms.role(sealer)
        ),
        what: "awaits-seal",
        who: Some(ledger.terms.role(sealer).to_string()),
    })
}

/// Returns the used part of each sheet, as both players tick it off.
fn used_cells(ledger: &Ledger<'_>, sealer: Player) -> Vec<Open> {
    let sheets = ledger.seals(sealer).iter().filter_map(|seal| ledger.set(seal));
    let sheets = sheets.filter(|set| set.valid && set.seal.kind == SetKind::Sheet);
    let count = |set: &Set<'_>| {
        let spent = ledger.named_cells(&set.node.id(), sealer.other());
        let used: u64 = spent.values().sum();
        let next = spent.iter().rfind(|(_, depth)| **depth < ROWS as u64);
        let next = next.map_or(String::new(), |(column, depth)| {
            format!("; the last open column continues at {}", icrk::label(Place { index: *column, line: depth + 1 }))
        });
        Open {
            id: Some(set.node.id()),
            text: format!(
                "{} sealed by {}: {used} of {} cells used{next}",
                set.seal.purpose,
                ledger.terms.role(sealer),
                COLUMNS * ROWS
            ),
            what: "sheet",
            who: None,
        }
    };
    sheets.map(count).collect()
}
