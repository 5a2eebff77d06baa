//! Letters in words: for the question before signing, the cover of a mail, and `read`.

use crate::{
    blob::{
        Body, Verified,
        body::{Close, Correct, Declare, Forfeit, Hex32, Moves, Proposal, Reveal, Seal, Select, SetKind, Step},
        deposits::Deposit,
        disputes::{Claim, Ruled, Scope},
        json::{Text, Value},
        office::Receipt,
        resync::Resync,
    },
    game::{
        declaration::Declaration,
        ledger::Ledger,
        node::Past,
        records::Proposed,
        rules::{course, ruling},
    },
    primitive::sign::PublicKey,
    report::{
        inputs,
        text::{count, visible},
    },
    resolve::Draw,
};

/// What a letter says, in one line. With a ledger, declarations that are named are called by their slot.
#[must_use]
pub fn of(message: &Verified, ledger: Option<&Ledger<'_>>) -> String {
    format!("{}{}", body(message.body(), ledger), steps(message, ledger))
}

/// How a turn of a course came to what it came to, a line a step, with the letter that settled it.
fn steps(message: &Verified, ledger: Option<&Ledger<'_>>) -> String {
    let declared = |id: &Hex32| ledger.and_then(|ledger| ledger.declaration(id));
    let settled = match message.body() {
        Body::Decide(_) => Some(message.id()),
        Body::Claim(Claim::Names(names)) => Some(names.declaration),
        Body::Reveal(reveal) => reveal.declaration.and_then(|id| {
            let declaration = declared(&id)?;
            let note = Some(reveal.seal).filter(|seal| declaration.standing().contains(seal));
            note.or_else(|| Some(id).filter(|_| declaration.declare.seal == Some(reveal.seal)))
        }),
        _ => None,
    };
    let steps = settled.zip(ledger).map(|(letter, ledger)| course::explained(ledger, &letter)).unwrap_or_default();
    steps.iter().map(|step| format!("\n      {}", visible(step))).collect()
}

/// The same of a body that is not signed yet.
#[must_use]
pub fn body(body: &Body, ledger: Option<&Ledger<'_>>) -> String {
    let short = |id: &Hex32| ledger.map_or_else(|| id.to_string(), |ledger| ledger.ids.short(id));
    let slot = |id: &Hex32| {
        let declared = ledger.and_then(|ledger| Some((ledger, ledger.declaration(id)?)));
        declared.map_or_else(|| short(id), |(ledger, declaration)| slot_of(ledger, declaration))
    };
    match body {
        Body::Charter(charter) => format!("the terms of {:?}", visible(&charter.title)),
        Body::Accept(_) => "the terms are accepted".into(),
        Body::Seal(seal) => sealed(seal),
        Body::Declare(declare) => declared(declare, ledger),
        Body::Reveal(reveal) => opened(reveal, &slot, ledger),
        Body::Decide(decide) => {
            format!("the choice {} for {}: {}", decide.name, decide.slot, inputs::value(&decide.value))
        }
        Body::Correct(Correct::Propose(proposal)) => {
            format!("a foul-up in {}", foul_up(proposal, &slot, ledger))
        }
        Body::Correct(Correct::Void(voiding)) => {
            let rolls = voided(&voiding.scope, ledger);
            format!("{} is not to count: {}{rolls}", scope(&voiding.scope, &slot), visible(&voiding.reason))
        }
        Body::Correct(Correct::Accept(id)) => {
            let agreed = match ledger.and_then(|ledger| ledger.proposal(id)) {
                Some(Proposed::FoulUp(proposal)) => format!(": {}", foul_up(proposal, &slot, ledger)),
                Some(Proposed::Void(voiding)) => {
                    format!(": {} does not count{}", scope(&voiding.scope, &slot), voided(&voiding.scope, ledger))
                }
                None => String::new(),
            };
            format!("the proposal {} is accepted{agreed}", short(id))
        }
        Body::Correct(Correct::Refuse(id)) => format!("the proposal {} is refused", short(id)),
        Body::Claim(body) => given_up(body, ledger).unwrap_or_else(|| claim(body, &slot, &short)),
        Body::Ruling(ruling) => {
            format!(
                "ruling: {}{}{}",
                rule(&ruling.rule, &slot, &short),
                reason(&ruling.text),
                opens(&ruling.rule, ledger)
            )
        }
        Body::Receipt(receipt) => received(receipt, ledger),
        Body::Deposit(deposit) => deposited(deposit, ledger),
        Body::Withdraw(_) => "the terms are withdrawn: nobody is to accept them any more".into(),
        Body::Resync(Resync::Ask(_)) => "a restored folder asks what the others hold".into(),
        Body::Resync(Resync::Answer(_)) => "the answer to a restored folder".into(),
        Body::Close(close) => closes(close),
    }
}

fn sealed(seal: &Seal) -> String {
    match seal.kind {
        SetKind::Plain => format!("a sealed envelope for {}", visible(&seal.purpose)),
        SetKind::Coin => format!("{} for {}", count(seal.n, "sealed envelope"), visible(&seal.purpose)),
        SetKind::Sheet => format!("a sealed sheet of {} cells ({})", seal.n, visible(&seal.purpose)),
        SetKind::FoulUp => {
            format!("{} for foul-ups ({})", count(seal.n, "sealed envelope"), visible(&seal.purpose))
        }
        SetKind::Contribution => {
            format!("{} sealed shares of private dice ({})", seal.n, visible(&seal.purpose))
        }
        SetKind::Note => format!("a sealed note ({})", visible(&seal.purpose)),
    }
}

fn declared(declare: &Declare, ledger: Option<&Ledger<'_>>) -> String {
    let select = match &declare.select {
        Some(Select::Worksheet(sheet)) => {
            let attacks = count(sheet.rows.len(), "attack");
            format!("{attacks}, total {}, envelope {}", sheet.total, sheet.index)
        }
        Some(Select::Cells(cells)) => format!("{} of the sheet", count(cells.len(), "cell")),
        Some(Select::FoulUp(select)) => {
            format!("{} from foul-up envelope {}", count(select.lines, "roll"), select.index)
        }
        Some(Select::Plain(_)) => stated(declare, ledger),
        None => "no rolls".into(),
    };
    let again = if declare.redo.is_some() { " again" } else { "" };
    format!("{} is declared{again}: {select}; {}{}", declare.slot, moves(&declare.moves), listed(&declare.input))
}

/// What a reveal shows; `slot` names a declaration.
fn opened(reveal: &Reveal, slot: &dyn Fn(&Hex32) -> String, ledger: Option<&Ledger<'_>>) -> String {
    let set = ledger.and_then(|ledger| ledger.set(&reveal.seal));
    let kind = set.map(|set| (set.seal.kind, visible(&set.seal.purpose)));
    let declaration = reveal.declaration.and_then(|id| ledger?.declaration(&id));
    let dice = declaration.map_or_else(String::new, |declaration| dice(&declaration.trail));
    match (reveal.declaration, kind) {
        (_, Some((SetKind::Note, purpose))) => format!("the note {purpose} is opened"),
        (Some(id), Some((SetKind::Contribution, _))) => {
            format!("the private rolls of {} are shown{dice}", slot(&id))
        }
        (Some(id), Some((SetKind::Sheet, _))) => format!("the cells of {} are opened{dice}", slot(&id)),
        (Some(id), _) => format!("the envelopes of {} are opened{dice}", slot(&id)),
        (None, _) => "a note is opened".into(),
    }
}

/// The dice that a ruling opens, if it opens any.
fn opens(rule: &Ruled, ledger: Option<&Ledger<'_>>) -> String {
    let opened = match (rule, ledger) {
        (Ruled::Open(opening), Some(ledger)) => ruling::may_open(ledger, &opening.request),
        _ => None,
    };
    let declaration = opened.and_then(|(declaration, _)| ledger?.declaration(&declaration?));
    declaration.map_or_else(String::new, |declaration| dice(&declaration.trail))
}

fn received(receipt: &Receipt, ledger: Option<&Ledger<'_>>) -> String {
    let seals = receipt.seals().iter().map(|id| ledger.and_then(|ledger| ledger.set(id)));
    let purposes: Vec<String> =
        seals.map(|set| set.map_or_else(|| "a set".into(), |set| visible(&set.seal.purpose))).collect();
    let purposes = purposes.join(", ");
    match receipt {
        Receipt::Deposit(_) => format!("the keys of {purposes} are held, and fit what was sealed"),
        Receipt::HandBack(_) => format!("{purposes} goes back to the sealer, who opens it from now on"),
        Receipt::Epoch(moment) => format!(
            "an epoch begins, at {}: the office was restored; what was sealed for it before gives no new dice",
            date(moment.at)
        ),
        Receipt::Time(moment) => format!("the time is {}", date(moment.at)),
    }
}

fn deposited(deposit: &Deposit, ledger: Option<&Ledger<'_>>) -> String {
    let set = ledger.and_then(|ledger| ledger.set(&deposit.seal));
    let purpose = set.map_or_else(|| "a set".into(), |set| visible(&set.seal.purpose));
    let holder = ledger.and_then(|ledger| ledger.terms.holder_of(&deposit.key));
    let holder = holder.map_or("their holder", |role| role.as_str());
    format!("the keys of {purpose}, for the eyes of {holder} alone")
}

fn closes(close: &Close) -> String {
    let result = close.result.as_ref().map_or_else(String::new, |text| format!("; result: {}", visible(text)));
    match &close.masters {
        None => format!("stop: the game ends here{result}"),
        Some(masters) => format!("stop, with the closing keys of {}{result}", count(masters.len(), "set")),
    }
}

/// What a declaration is called: its slot, and whose it is where both players have declared there.
fn slot_of(ledger: &Ledger<'_>, declaration: &Declaration<'_>) -> String {
    let slot = &declaration.declare.slot;
    match ledger.shares_slot(declaration) {
        true => format!("{slot} of {}", ledger.terms.role(declaration.node.player)),
        false => slot.to_string(),
    }
}

/// A time as people write it, with its zone.
#[must_use]
pub fn date(seconds: u64) -> String {
    let moment = i64::try_from(seconds).ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    moment.map_or_else(|| "a time that no calendar has".into(), |moment| moment.to_string())
}

/// What a declaration on one envelope states. Hidden courses tell their own lines.
fn stated(declare: &Declare, ledger: Option<&Ledger<'_>>) -> String {
    let phase = ledger.and_then(|ledger| ledger.terms.slot(&declare.slot));
    match phase.is_some_and(|(_, phase)| phase.hidden().is_some()) {
        true => "one envelope".into(),
        false => Some(inputs::stated(&declare.input))
            .filter(|parts| !parts.is_empty())
            .map_or_else(|| "one envelope".into(), |parts| parts.join("; ")),
    }
}

/// A foul-up, and what comes of it if both agree: what is declared otherwise, and by whom.
fn foul_up(proposal: &Proposal, slot: &impl Fn(&Hex32) -> String, ledger: Option<&Ledger<'_>>) -> String {
    let Proposal { at_fault, class, declaration, input, reason } = proposal;
    let (slot, reason) = (slot(declaration), visible(reason));
    let known = ledger.and_then(|ledger| Some((ledger.terms, ledger.declaration(declaration)?)));
    let follows = match (input, known) {
        (None, _) => "the dice stand".into(),
        (Some(input), None) => format!("it is rolled again, with{}", listed(input)),
        (Some(input), Some((terms, old))) => {
            let changes = inputs::changes(&old.declare.input, input).into_iter();
            let lines: String = changes.map(|line| format!("\n      {line}")).collect();
            let who = terms.role(old.node.player);
            format!("the old dice are struck, and {who} declares {slot} again before anybody plays on:{lines}")
        }
    };
    format!("{slot} by {at_fault} ({}): {reason}; {follows}", class.as_str())
}

/// What is read aloud of a public key; of bytes that are none, their digits.
#[must_use]
pub fn fingerprint(key: &Hex32) -> String {
    PublicKey::parse(&key.0).map_or_else(|_| key.to_string(), |key| key.fingerprint())
}

fn scope(scope: &Scope, slot: &impl Fn(&Hex32) -> String) -> String {
    match scope {
        Scope::Rolls(rolls) => {
            let lines: Vec<String> = rolls.lines.iter().map(u64::to_string).collect();
            format!("roll {} of {}", lines.join(", "), slot(&rolls.declaration))
        }
        Scope::Declaration(id) => format!("every roll of {}", slot(id)),
        Scope::Impulse(impulse) => format!("every roll of turn {}, impulse {}", impulse.turn, impulse.impulse),
    }
}

/// The rolls and dice that a void names by number, one a line, because a number alone is easily mistaken.
fn voided(scope: &Scope, ledger: Option<&Ledger<'_>>) -> String {
    let Scope::Rolls(rolls) = scope else { return String::new() };
    let declaration = ledger.and_then(|ledger| ledger.declaration(&rolls.declaration));
    let trail = declaration.into_iter().flat_map(|declaration| &declaration.trail);
    dice(trail.filter(|draw| rolls.lines.contains(&draw.n)))
}

/// What stands behind a statement, if anybody said it.
fn reason(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("; {}", visible(text)) }
}

/// A stall by which a declarer gives the office up (office 10): no complaint of the sealer, who was not to open.
fn given_up(claim: &Claim, ledger: Option<&Ledger<'_>>) -> Option<String> {
    let Claim::Stall(stall) = claim else { return None };
    let declaration = ledger?.declaration(&stall.letter?)?;
    let slot = &declaration.declare.slot;
    let told = || format!("the office is given up for {slot}, and {} is to open it{}", stall.owes, reason(&stall.text));
    ledger?.is_with_office(declaration.declare.seal.as_ref()?, Past::of(&declaration.node)).then(told)
}

fn claim(claim: &Claim, slot: &impl Fn(&Hex32) -> String, short: &impl Fn(&Hex32) -> String) -> String {
    match claim {
        Claim::Stall(stall) => {
            let what = match (stall.step, &stall.letter) {
                (Step::Reveal, Some(id)) => format!("the reveal of {}", slot(id)),
                (Step::Declare, _) => "his next declaration".into(),
                _ => "an answer".into(),
            };
            format!("a claim that {} stalls: he owes {what}{}", stall.owes, reason(&stall.text))
        }
        Claim::Dispute(dispute) => {
            let letters: Vec<String> = dispute.letters.iter().map(slot).collect();
            format!("a dispute about {}: {}", letters.join(", "), visible(&dispute.text))
        }
        Claim::Withdraw(id) => format!("the claim {} is withdrawn", short(id)),
        Claim::Yield(given) => match &given.declaration {
            Some(id) => format!("the declarer may name the dice of {}: {}", slot(id), visible(&given.text)),
            None => format!("the game is given up: {}", visible(&given.text)),
        },
        Claim::Names(names) => format!("dice named by forfeit for {}: {:?}", slot(&names.declaration), names.dice),
    }
}

fn rule(rule: &Ruled, slot: &impl Fn(&Hex32) -> String, short: &impl Fn(&Hex32) -> String) -> String {
    match rule {
        Ruled::Request(id) => format!("the claim {} is to be answered", short(id)),
        Ruled::Forfeit(ruled) => match ruled.forfeit {
            Forfeit::Game => "the game is forfeited".into(),
            Forfeit::DeclarerNames | Forfeit::None => "the declarer names every die".into(),
        },
        Ruled::Void(void) => format!("{} does not count", scope(void, slot)),
        Ruled::Kill(id) => format!("the set {} is dead", short(id)),
        Ruled::Settle(id) => format!("what is wrong with letter {} is settled", short(id)),
        Ruled::Dismiss(id) => format!("the claim {} is dismissed", short(id)),
        Ruled::Open(opening) => {
            format!("what request {} asked for is opened with deposited keys", short(&opening.request))
        }
        Ruled::Agree(id) => format!("the proposal {} is agreed to", short(id)),
    }
}

/// Dice, a line each.
fn dice<'d>(trail: impl IntoIterator<Item = &'d Draw>) -> String {
    let dice =
        trail.into_iter().map(|draw| format!("\n      d{} = {}  {}", draw.sides, draw.value, visible(&draw.why)));
    dice.collect()
}

/// What an input rolls for, a line a roll, as far as it lists attacks or rolls.
fn listed(input: &Text) -> String {
    let Ok(input) = input.read::<Value>() else { return String::new() };
    let items = ["attacks", "rolls"].into_iter().filter_map(|list| input.get(list)?.as_array());
    let lines = items.flatten().map(|item| {
        let text = |field: &str| item.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let hexes = item.get("hexes").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let parts = [text("id"), hexes.collect::<Vec<_>>().join("+"), text("odds"), text("cell"), text("why")];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let order = item.get("order").and_then(Value::as_u64);
        let order = order.map_or_else(String::new, |order| format!(", {} in order", ordinal(order)));
        format!("\n      {}{order}", visible(&parts.join(" ")))
    });
    lines.collect()
}

/// A place in an order as people write it.
fn ordinal(n: u64) -> String {
    let ending = match (n % 100, n % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

fn moves(moves: &Moves) -> String {
    match moves {
        Moves::Text(text) => format!("moves: {}", visible(text)),
        Moves::Files(files) => {
            let names: Vec<String> = files.iter().map(|file| visible(&file.name)).collect();
            format!("moves in {}", names.join(", "))
        }
        Moves::Note(_) => "moves in a sealed note".into(),
        Moves::None(()) => "no moves".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_attacks_is_told() {
        let attack = |order| serde_json::json!({ "hexes": ["F12"], "id": "a1", "odds": "3-1", "order": order });
        let input = Text::of(&serde_json::json!({ "attacks": [attack(Some(2)), attack(None)] })).expect("an object");
        assert_eq!(listed(&input), "\n      a1 F12 3-1, 2nd in order\n      a1 F12 3-1");
        assert_eq!([1, 3, 4, 11, 12, 13, 21].map(ordinal), ["1st", "3rd", "4th", "11th", "12th", "13th", "21st"]);
    }
}
