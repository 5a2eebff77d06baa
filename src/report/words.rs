//! Letters in words: one description, rendered by the question before signing, the cover of a mail, `read` and the
//! page.

use crate::{
    blob::{
        Body, Verified,
        body::{
            Close, Correct, Declare, Forfeit, FoulUpClass, Hex32, Moves, Proposal, Redo, Reveal, Seal, Select, SetKind,
            Step,
        },
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
        description::{Description, Line, Piece, Told},
        inputs, opened_note,
        text::{count, in_line, visible},
    },
    resolve::Draw,
};

/// Why a declaration that was passed over does not count (courses 6).
pub(super) const PASSED_OVER: &str = "does not count: an earlier declaration that it builds on was replaced or voided";

fn say(words: impl Into<String>) -> Description {
    Description::say(words)
}

fn short(ledger: Option<&Ledger<'_>>) -> impl Fn(&Hex32) -> String {
    move |id| ledger.map_or_else(|| id.to_string(), |ledger| ledger.ids.short(id))
}

/// Describes a letter. With a ledger, declarations that it names are called by their slot.
///
/// # Examples
///
/// ```
/// use sealed_dice::{game::audit::Read, report::words};
///
/// let read = Read::all(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/one-roll.txt")), "a mail");
/// let seal = read[2].letter.clone().map_err(|refusal| refusal.error)?;
/// assert_eq!(words::of(&seal, None).to_string(), "5 sealed envelopes for 1/1/ann-first/1");
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
#[must_use]
pub fn of(message: &Verified, ledger: Option<&Ledger<'_>>) -> Told {
    described(message, ledger).told(short(ledger))
}

/// Describes a letter as [`of`] does, but for the content of a note that it opens. The text is as long for any note.
#[must_use]
pub fn without_notes(message: &Verified, ledger: Option<&Ledger<'_>>) -> Told {
    said(message.body(), ledger).with(steps(message, ledger)).told(short(ledger))
}

/// Describes an unsigned body as text. With a ledger, declarations that it names are called by their slot.
#[must_use]
pub fn body(body: &Body, ledger: Option<&Ledger<'_>>) -> String {
    said(body, ledger).told(short(ledger)).to_string()
}

/// Describes a letter, for any renderer.
#[must_use]
pub fn described(message: &Verified, ledger: Option<&Ledger<'_>>) -> Description {
    said(message.body(), ledger).with(noted(message, ledger)).with(steps(message, ledger))
}

/// Returns the steps that led to the result of a turn in a course, one per line, with the letter that settled it. In a
/// hidden course, the declaration itself states the result.
fn steps(message: &Verified, ledger: Option<&Ledger<'_>>) -> Vec<Line> {
    let Some(ledger) = ledger else { return Vec::new() };
    let settled = match message.body() {
        Body::Decide(_) => Some(message.id()),
        Body::Claim(Claim::Names(names)) => Some(names.declaration),
        Body::Reveal(reveal) => reveal.declaration.and_then(|id| {
            let declaration = ledger.declaration(&id).filter(|own| !ledger.terms.is_of_hidden(&own.declare.slot))?;
            let note = Some(reveal.seal).filter(|seal| declaration.standing().contains(seal));
            note.or_else(|| Some(id).filter(|_| declaration.declare.seal == Some(reveal.seal)))
        }),
        _ => None,
    };
    let steps = match message.body() {
        Body::Declare(_) => course::stated(ledger, &message.id()),
        _ => settled.map(|letter| course::explained(ledger, &letter)).unwrap_or_default(),
    };
    steps.iter().map(|step| Line::Words(visible(step))).collect()
}

/// Returns the piece for a named letter; for a declaration, with its slot.
fn named(id: &Hex32, ledger: Option<&Ledger<'_>>) -> Piece {
    match ledger.and_then(|ledger| Some((ledger, ledger.declaration(id)?))) {
        Some((ledger, declaration)) => Piece::Declaration(*id, slot_of(ledger, declaration)),
        None => Piece::Letter(*id),
    }
}

fn said(body: &Body, ledger: Option<&Ledger<'_>>) -> Description {
    match body {
        Body::Charter(charter) => say(format!("the terms of {:?}{}", visible(&charter.title), keys(charter.compared))),
        Body::Accept(accept) => say(format!("the terms are accepted{}", keys(accept.compared))),
        Body::Seal(seal) => say(sealed(seal)),
        Body::Declare(declare) => declared(declare, ledger),
        Body::Reveal(reveal) => opened(reveal, ledger),
        Body::Decide(decide) => {
            let told = say(format!("the choice {} for {}", decide.name, decide.slot));
            match &decide.value {
                Value::Object(fields) => {
                    let course = ledger.and_then(|ledger| ledger.terms.phase_at(&decide.slot)?.course());
                    let lines = course.and_then(|course| course.decision_in_words(decide.name.as_str(), &decide.value));
                    let as_written =
                        || inputs::entries(fields).into_iter().map(|line| format!("> {}", in_line(&line))).collect();
                    told.with(opened_note::bounded(lines.unwrap_or_else(as_written)))
                }
                value => told.and(format!(": {}", inputs::value(value))),
            }
        }
        Body::Correct(correct) => corrected(correct, ledger),
        Body::Claim(body) => given_up(body, ledger).unwrap_or_else(|| claim(body, ledger)),
        Body::Ruling(ruling) => {
            say("ruling: ").then(rule(&ruling.rule, ledger)).reason(&ruling.text).with(opens(&ruling.rule, ledger))
        }
        Body::Receipt(receipt) => say(received(receipt, ledger)),
        Body::Deposit(deposit) => say(deposited(deposit, ledger)),
        Body::Withdraw(_) => say("the terms are withdrawn: do not accept them any more"),
        Body::Resync(Resync::Ask(_)) => say("a restored folder asks which letters the others hold"),
        Body::Resync(Resync::Answer(_)) => say("an answer to a restored folder"),
        Body::Close(close) => closes(close),
    }
}

/// States whether the author of terms, or of their acceptance, compared the opponent's key (charter 1).
const fn keys(compared: bool) -> &'static str {
    if compared { ", keys compared" } else { "" }
}

fn corrected(correct: &Correct, ledger: Option<&Ledger<'_>>) -> Description {
    match correct {
        Correct::Propose(proposal) => say("a mistake in ").then(foul_up(proposal, ledger, false)),
        Correct::Void(voiding) => say("a proposal to void ")
            .then(scope(&voiding.scope, ledger))
            .and(": ")
            .quote(&voiding.reason)
            .with(voided(&voiding.scope, ledger)),
        Correct::Accept(id) => {
            let accepted = say("the proposal ").piece(Piece::Letter(*id)).and(" is accepted");
            match ledger.and_then(|ledger| ledger.proposal(id)) {
                Some(Proposed::FoulUp(proposal)) => accepted.and(": ").then(foul_up(proposal, ledger, true)),
                Some(Proposed::Void(voiding)) => {
                    accepted.and(" and voids ").then(scope(&voiding.scope, ledger)).with(voided(&voiding.scope, ledger))
                }
                None => accepted,
            }
        }
        Correct::Refuse(id) => say("the proposal ").piece(Piece::Letter(*id)).and(" is refused"),
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
            format!("{} for private dice ({})", count(seal.n, "sealed share"), visible(&seal.purpose))
        }
        SetKind::Note => format!("a sealed note ({})", visible(&seal.purpose)),
    }
}

fn declared(declare: &Declare, ledger: Option<&Ledger<'_>>) -> Description {
    let select = match &declare.select {
        Some(Select::Worksheet(sheet)) => {
            let attacks = count(sheet.rows.len(), "attack");
            format!("{attacks}, total {}, envelope {}", sheet.total, sheet.index)
        }
        Some(Select::Cells(cells)) => format!("{} from the sheet", count(cells.len(), "cell")),
        Some(Select::FoulUp(select)) => {
            format!("{} from foul-up envelope {}", count(select.lines, "roll"), select.index)
        }
        Some(Select::Plain(_)) => Some(inputs::stated(&declare.input).join("; "))
            .filter(|parts| !parts.is_empty())
            .unwrap_or_else(|| "one envelope".into()),
        None => "no rolls".into(),
    };
    let told = say(format!("{} is declared", declare.slot));
    let told = match &declare.redo {
        None => told,
        Some(Redo::Breach(old)) => told.and(" again, to correct ").piece(Piece::Letter(*old)),
        Some(Redo::Agreed(acceptance)) => told.and(" again, as agreed in ").piece(Piece::Letter(*acceptance)),
        Some(Redo::Opened(opener)) => {
            told.and(" from the foul-up set, because ").piece(Piece::Letter(*opener)).and(" opened an envelope unasked")
        }
    };
    let is_hidden = ledger.is_some_and(|ledger| ledger.terms.is_of_hidden(&declare.slot));
    let is_of_course = ledger.is_some_and(|ledger| ledger.terms.is_of_course(&declare.slot));
    let what = match &declare.moves {
        _ if is_hidden => say("a sealed sheet"),
        Moves::None(()) if is_of_course => say(select),
        moved => say(format!("{select}; ")).then(moves(moved)),
    };
    told.and(": ").then(what).with(listed(&declare.input))
}

/// Describes the places that a reveal opens.
fn opened(reveal: &Reveal, ledger: Option<&Ledger<'_>>) -> Description {
    let set = ledger.and_then(|ledger| ledger.set(&reveal.seal));
    let kind = set.map(|set| (set.seal.kind, visible(&set.seal.purpose)));
    let declaration = reveal.declaration.and_then(|id| ledger?.declaration(&id));
    let opens = |what: &str, id: &Hex32, does: &str| {
        let dice = declaration.map(|declaration| dice(&declaration.trail)).unwrap_or_default();
        say(what).piece(named(id, ledger)).and(does).with(dice)
    };
    match (reveal.declaration, kind) {
        (_, Some((SetKind::Note, purpose))) => say(format!("the note {purpose} is opened")),
        (Some(id), Some((SetKind::Contribution, _))) => opens("the private rolls for ", &id, " are shown"),
        (Some(id), Some((SetKind::Sheet, _))) => opens("the cells for ", &id, " are opened"),
        (Some(id), _) => opens("the envelopes for ", &id, " are opened"),
        (None, _) => say("a note is opened"),
    }
}

/// Returns the content of a note that a letter opens.
fn noted(message: &Verified, ledger: Option<&Ledger<'_>>) -> Vec<Line> {
    let Body::Reveal(reveal) = message.body() else { return Vec::new() };
    let lines = ledger.and_then(|ledger| opened_note::lines(ledger.set(&reveal.seal)?, ledger));
    lines.unwrap_or_default()
}

/// Returns the dice that a ruling opens, if any.
fn opens(rule: &Ruled, ledger: Option<&Ledger<'_>>) -> Vec<Line> {
    let opened = match (rule, ledger) {
        (Ruled::Open(opening), Some(ledger)) => ruling::may_open(ledger, &opening.request),
        _ => None,
    };
    let declaration = opened.and_then(|(declaration, _)| ledger?.declaration(&declaration?));
    declaration.map(|declaration| dice(&declaration.trail)).unwrap_or_default()
}

fn received(receipt: &Receipt, ledger: Option<&Ledger<'_>>) -> String {
    let seals = receipt.seals().iter().map(|id| ledger.and_then(|ledger| ledger.set(id)));
    let purposes: Vec<String> =
        seals.map(|set| set.map_or_else(|| "a set".into(), |set| visible(&set.seal.purpose))).collect();
    let purposes = purposes.join(", ");
    match receipt {
        Receipt::Deposit(_) => format!("the keys for {purposes} are held and match the sealed values"),
        Receipt::HandBack(_) => format!("handed back: from now on, the sealer opens {purposes}"),
        Receipt::Epoch(moment) => format!(
            "a new epoch begins at {}: the office was restored; sets sealed for it earlier give no new dice",
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
    format!("the keys for {purpose}, which only {holder} can read")
}

fn closes(close: &Close) -> Description {
    let told = say(match &close.masters {
        None => "stop: the game ends here".to_owned(),
        Some(masters) => format!("stop, with the closing keys for {}", count(masters.len(), "set")),
    });
    match &close.result {
        Some(result) => told.and("; result: ").quote(result),
        None => told,
    }
}

/// Returns the name of a declaration: its slot, and its player if both players have declared there.
fn slot_of(ledger: &Ledger<'_>, declaration: &Declaration<'_>) -> String {
    let slot = &declaration.declare.slot;
    match ledger.shares_slot(declaration) {
        true => format!("{slot} by {}", ledger.terms.role(declaration.node.player)),
        false => slot.to_string(),
    }
}

/// Writes a time for people, with its zone.
#[must_use]
pub fn date(seconds: u64) -> String {
    let moment = i64::try_from(seconds).ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    moment.map_or_else(|| "a time outside the calendar".into(), |moment| moment.to_string())
}

/// Describes a foul-up, and its effect if both agree: the changed declaration, and its declarer.
fn foul_up(proposal: &Proposal, ledger: Option<&Ledger<'_>>, is_agreed: bool) -> Description {
    let Proposal { at_fault, class, declaration, input, reason } = proposal;
    let told = Description::default().piece(named(declaration, ledger));
    let told = told.and(format!(" by {at_fault} ({}): ", mistake(*class))).quote(reason);
    let known = ledger.and_then(|ledger| Some((ledger, ledger.declaration(declaration)?)));
    match (input, known) {
        (None, _) => told.and("; the dice count"),
        (Some(input), None) => told.and("; it is rolled again with").with(listed(input)),
        (Some(input), Some((ledger, old))) => {
            let (who, slot) = (ledger.terms.role(old.node.player), slot_of(ledger, old));
            let agreed = if is_agreed { "" } else { "if you both agree, " };
            let then = format!(
                "; {agreed}the old dice no longer count, and {who} declares {slot} again before play continues:"
            );
            told.and(then).with(inputs::changes(&old.declare.input, input).into_iter().map(Line::Words))
        }
    }
}

/// Returns a kind of mistake in words.
const fn mistake(class: FoulUpClass) -> &'static str {
    match class {
        FoulUpClass::IllegalMove => "an illegal move",
        FoulUpClass::IllegalOdds => "wrong odds",
        FoulUpClass::WrongList => "a wrong list",
    }
}

/// Returns the part of a public key that people read aloud; for bytes that are not a key, their digits.
#[must_use]
pub fn fingerprint(key: &Hex32) -> String {
    PublicKey::parse(&key.0).map_or_else(|_| key.to_string(), |key| key.fingerprint())
}

fn scope(scope: &Scope, ledger: Option<&Ledger<'_>>) -> Description {
    match scope {
        Scope::Rolls(rolls) => {
            let lines: Vec<String> = rolls.lines.iter().map(u64::to_string).collect();
            let noun = if lines.len() == 1 { "roll" } else { "rolls" };
            say(format!("{noun} {} in ", lines.join(", "))).piece(named(&rolls.declaration, ledger))
        }
        Scope::Declaration(id) => say("every roll in ").piece(named(id, ledger)),
        Scope::Impulse(impulse) => say(format!("every roll in turn {}, impulse {}", impulse.turn, impulse.impulse)),
    }
}

/// Lists the rolls and dice that a void names by number, one per line, because a number alone is easily mistaken.
fn voided(scope: &Scope, ledger: Option<&Ledger<'_>>) -> Vec<Line> {
    let Scope::Rolls(rolls) = scope else { return Vec::new() };
    let declaration = ledger.and_then(|ledger| ledger.declaration(&rolls.declaration));
    let trail = declaration.into_iter().flat_map(|declaration| &declaration.trail);
    dice(trail.filter(|draw| rolls.lines.contains(&draw.n)))
}

/// Describes a stall by which a declarer gives up on the office (office 10), without complaint about the sealer, who
/// did not have to open.
fn given_up(claim: &Claim, ledger: Option<&Ledger<'_>>) -> Option<Description> {
    let Claim::Stall(stall) = claim else { return None };
    let declaration = ledger?.declaration(&stall.letter?)?;
    let slot = &declaration.declare.slot;
    let told = || {
        let told = format!("{slot} no longer waits for the office, and {} must open it", stall.owes);
        say(told).reason(&stall.text)
    };
    ledger?.is_with_office(declaration.declare.seal.as_ref()?, Past::of(&declaration.node)).then(told)
}

fn claim(claim: &Claim, ledger: Option<&Ledger<'_>>) -> Description {
    match claim {
        Claim::Stall(stall) => {
            let told = say(format!("a claim that {} stalls: they owe ", stall.owes));
            let told = match (stall.step, &stall.letter) {
                (Step::Reveal, Some(id)) => told.and("the reveal of ").piece(named(id, ledger)),
                (Step::Declare, _) => told.and("their next declaration"),
                _ => told.and("an answer"),
            };
            told.reason(&stall.text)
        }
        Claim::Dispute(dispute) => {
            let mut told = say("a dispute about ");
            for (n, letter) in dispute.letters.iter().enumerate() {
                told = if n == 0 { told } else { told.and(", ") }.piece(named(letter, ledger));
            }
            told.and(": ").quote(&dispute.text)
        }
        Claim::Withdraw(id) => say("the claim ").piece(Piece::Letter(*id)).and(" is withdrawn"),
        Claim::Yield(given) => match &given.declaration {
            Some(id) => {
                say("the declarer may name the dice for ").piece(named(id, ledger)).and(": ").quote(&given.text)
            }
            None => say("the game is given up: ").quote(&given.text),
        },
        Claim::Names(names) => say("dice named after a forfeit for ")
            .piece(named(&names.declaration, ledger))
            .and(format!(": {:?}", names.dice)),
    }
}

fn rule(rule: &Ruled, ledger: Option<&Ledger<'_>>) -> Description {
    let about = |before: &str, id: &Hex32, behind: &str| say(before).piece(Piece::Letter(*id)).and(behind);
    match rule {
        Ruled::Request(id) => about("the claim ", id, " must be answered"),
        Ruled::Forfeit(ruled) => say(match ruled.forfeit {
            Forfeit::Game => "the game is forfeited",
            Forfeit::DeclarerNames | Forfeit::None => "the declarer names every die",
        }),
        Ruled::Void(void) => say("this voids ").then(scope(void, ledger)),
        Ruled::Kill(id) => about("the set ", id, " is killed"),
        Ruled::Settle(id) => about("the fault in letter ", id, " is settled"),
        Ruled::Dismiss(id) => about("the claim ", id, " is dismissed"),
        Ruled::Open(opening) => about("request ", &opening.request, " is met with deposited keys"),
        Ruled::Agree(id) => about("the proposal ", id, " is agreed to"),
    }
}

/// Lists dice, one per line.
fn dice<'d>(trail: impl IntoIterator<Item = &'d Draw>) -> Vec<Line> {
    let die = |draw: &Draw| Line::Die { sides: draw.sides, value: draw.value, why: in_line(&draw.why) };
    trail.into_iter().map(die).collect()
}

/// Lists the rolls of an input, one per line, if it lists attacks or rolls.
fn listed(input: &Text) -> Vec<Line> {
    let Ok(input) = input.read::<Value>() else { return Vec::new() };
    let items = ["attacks", "rolls"].into_iter().filter_map(|list| input.get(list)?.as_array());
    let lines = items.flatten().map(|item| {
        let text = |field: &str| item.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let hexes = item.get("hexes").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let parts = [text("id"), hexes.collect::<Vec<_>>().join("+"), text("odds"), text("cell"), text("why")];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let order = item.get("order").and_then(Value::as_u64);
        let order = order.map_or_else(String::new, |order| format!(", {} in order", ordinal(order)));
        Line::Words(format!("{}{order}", visible(&parts.join(" "))))
    });
    lines.collect()
}

/// Returns a place in an order, written for people.
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

fn moves(moves: &Moves) -> Description {
    match moves {
        Moves::Text(text) => say("moves: ").quote(text),
        Moves::Files(files) => {
            let names: Vec<String> = files.iter().map(|file| visible(&file.name)).collect();
            say(format!("moves in {}", names.join(", ")))
        }
        Moves::Note(_) => say("moves in a sealed note"),
        Moves::None(()) => say("no moves"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_on_several_lines_are_told_in_one() {
        let told = moves(&Moves::Text("3rd Corps crosses\r\nthe reserve\u{202e} stays\n".into())).told(short(None));
        assert_eq!(told.to_string(), "moves: “3rd Corps crosses / the reserve<U+202E> stays”");
    }

    #[test]
    fn the_order_of_attacks_is_told() {
        let attack = |order| serde_json::json!({ "hexes": ["F12"], "id": "a1", "odds": "3-1", "order": order });
        let input = Text::of(&serde_json::json!({ "attacks": [attack(Some(2)), attack(None)] })).expect("an object");
        assert_eq!(listed(&input), ["a1 F12 3-1, 2nd in order", "a1 F12 3-1"].map(|line| Line::Words(line.into())));
        assert_eq!([1, 3, 4, 11, 12, 13, 21].map(ordinal), ["1st", "3rd", "4th", "11th", "12th", "13th", "21st"]);
    }
}
