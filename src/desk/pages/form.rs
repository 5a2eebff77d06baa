//! The form of an action, filled with what is known already.

use axum::response::Response;
use maud::{Markup, html};

use super::{
    super::{
        act::{LEAVE_OUT_MOVES, MOVES, moved_files, with_rows},
        fields::Fields,
        person::FINGERPRINT,
        state::Desk,
        texts,
        verb::Verb,
    },
    choice, confirm, correction,
    inputs::{heading, offer, table},
    layout::{Here, shown},
    news, sheet, terms, toml_form, why, worksheet,
};
use crate::{
    game::purpose::{ORDERS, STANDING},
    play::{
        self,
        failure::{Failure, PlayResult},
        form::Form,
        status::{self, Shown},
        step::{Step, Takes},
    },
};

/// The field that asks for the worksheet instead of a preview.
pub(in crate::desk) const WORK_OUT: &str = "work-out";
/// The field that asks for more blank entries instead of a preview.
pub(in crate::desk) const MORE: &str = "more";

/// A field of a form.
struct Field {
    name: &'static str,
    label: &'static str,
    kind: Kind,
}

enum Kind {
    /// A line of text.
    Line,
    /// Several lines of text.
    Area,
    /// A line of text that must not be empty.
    Needed,
    /// A box that can be ticked.
    Tick,
    /// One of several values, each with its label.
    One(&'static [(&'static str, &'static str)]),
}

/// Shows the form of an action; after a failure with the reason and with what was typed.
pub(in crate::desk) fn page(
    desk: &Desk,
    game: Option<&str>,
    verb: Verb,
    fields: &Fields,
    failed: Option<&Failure>,
) -> Response {
    let fields = &if verb == Verb::Declare { with_rows(fields) } else { fields.clone() };
    // A correction asks first which declaration it is about.
    let is_ready = verb != Verb::Propose || correction::is_ready(desk, game, fields);
    let does = if verb == Verb::Declare && fields.get("takes") == "sheet" { does(desk, game) } else { None };
    let content = html! {
        @if let Some(failed) = failed { (news::all(desk, &failed.news)) (why(failed)) }
        p { @if does.is_some() { (texts::SHEET_FOLLOWS) } @else { (texts::follows(verb)) } }
        form.action method="post" enctype="multipart/form-data" action=(confirm::path(desk, game, verb)) {
            (special(desk, game, verb, fields))
            @for field in common(verb) { (input(field, fields)) }
            (known(verb, fields))
            @if is_ready { div.choice {
                button.main type="submit" { (texts::submit(verb)) }
                @if is_form(verb, fields) {
                    button.unscripted type="submit" name=(MORE) value="yes" { (texts::MORE_ENTRIES) }
                }
            } }
        }
    };
    let title = match (verb, fields.get("name")) {
        (Verb::Note, STANDING) => texts::CHOOSE_BEFOREHAND,
        (Verb::Note, ORDERS) => texts::SEAL_YOUR_ORDERS,
        (verb, _) => does.unwrap_or_else(|| texts::label(verb)),
    };
    shown(desk, &game.map_or(Here::Home, Here::Game), title, &content)
}

/// Says what a player does in the sheet that a hidden course awaits from them.
fn does(desk: &Desk, game: Option<&str>) -> Option<&'static str> {
    let Ok(Shown::One(status, _)) = status::status(&desk.home, game) else { return None };
    status.steps.iter().find_map(|step| match step {
        Step::Declare { takes: Takes::Sheet(does), .. } => Some(*does),
        _ => None,
    })
}

/// Returns the plain fields of an action.
const fn common(verb: Verb) -> &'static [Field] {
    const TEXT: Field = Field { name: "text", label: texts::WHY, kind: Kind::Needed };
    const REMARK: Field = Field { name: "text", label: texts::REMARK, kind: Kind::Area };
    const ID: Field = Field { name: "id", label: texts::LETTER_ID, kind: Kind::Needed };
    const SLOT: Field = Field { name: "slot", label: texts::SLOT, kind: Kind::Needed };
    match verb {
        Verb::Accept => &[Field { name: FINGERPRINT, label: texts::FINGERPRINT_HEARD, kind: Kind::Line }],
        Verb::Choose | Verb::Raise => &[ID, TEXT],
        Verb::Close => &[Field { name: "result", label: texts::RESULT, kind: Kind::Line }],
        Verb::Continue => &[
            Field { name: "before", label: texts::BEFORE, kind: Kind::Line },
            Field { name: "role", label: texts::CHANGED_ROLE, kind: Kind::Line },
            Field { name: "key", label: texts::CHANGED_KEY, kind: Kind::Line },
        ],
        Verb::Join => &[
            Field { name: "url", label: texts::OFFICE_ADDRESS, kind: Kind::Needed },
            Field { name: "invitation", label: texts::INVITATION, kind: Kind::Line },
        ],
        Verb::NameDice => &[SLOT, Field { name: "dice", label: texts::DICE_TO_NAME, kind: Kind::Needed }],
        Verb::Resign => &[REMARK],
        Verb::Rule => &[
            Field { name: "ruling", label: texts::RULING, kind: Kind::One(texts::RULINGS) },
            Field { name: "id", label: texts::LETTER_ID, kind: Kind::Line },
            Field { name: "slot", label: texts::SLOT, kind: Kind::Line },
            Field { name: "lines", label: texts::LINES, kind: Kind::Line },
            Field { name: "impulse", label: texts::WHOLE_IMPULSE, kind: Kind::Tick },
            REMARK,
        ],
        Verb::Seal => &[Field { name: "what", label: texts::SEAL_WHAT, kind: Kind::Needed }],
        Verb::Stall => &[
            Field { name: "slot", label: texts::STALLED_SLOT, kind: Kind::Line },
            Field { name: "declaration", label: texts::OWES_DECLARATION, kind: Kind::Tick },
            REMARK,
        ],
        Verb::Unclaim => &[ID],
        Verb::Void => &[
            Field { name: "lines", label: texts::LINES, kind: Kind::Line },
            Field { name: "impulse", label: texts::WHOLE_IMPULSE, kind: Kind::Tick },
            TEXT,
        ],
        Verb::Reveal | Verb::RevealMoves => &[SLOT],
        Verb::Yield => &[SLOT, REMARK],
        _ => &[],
    }
}

fn input(field: &Field, fields: &Fields) -> Markup {
    let (name, value) = (field.name, fields.get(field.name));
    html! {
        @match field.kind {
            Kind::Line => { label for=(name) { (field.label) } input id=(name) name=(name) value=(value) autocomplete="off"; }
            Kind::Needed => {
                label for=(name) { (field.label) }
                input id=(name) name=(name) value=(value) autocomplete="off" required;
            }
            Kind::Area => { label for=(name) { (field.label) } textarea id=(name) name=(name) rows="4" { (value) } }
            Kind::Tick => { (tick(name, field.label, fields.has(name))) }
            Kind::One(values) => {
                label for=(name) { (field.label) }
                select id=(name) name=(name) {
                    @for (known, label) in values { option value=(known) selected[*known == value] { (label) } }
                }
            }
        }
    }
}

fn tick(name: &str, label: &str, is_ticked: bool) -> Markup {
    html! {
        label.tick { input type="checkbox" name=(name) value="yes" checked[is_ticked]; " " (label) }
    }
}

/// Carries the fields that a step has given and that the form does not show.
fn known(verb: Verb, fields: &Fields) -> Markup {
    let names: &[&str] = match verb {
        Verb::Declare => &["slot", "takes", "again", "skip", "office"],
        Verb::Decide | Verb::Note => &["slot", "name", "gives"],
        _ => &[],
    };
    html! { @for name in names { @if fields.has(name) { input type="hidden" name=(name) value=(fields.get(name)); } } }
}

/// Returns the parts of a form that only one action has.
fn special(desk: &Desk, game: Option<&str>, verb: Verb, fields: &Fields) -> Markup {
    match verb {
        Verb::Declare if fields.has("again") => html! {
            (heading(desk, game, fields.get("slot")))
            p { (texts::DECLARED_AGAIN) }
        },
        Verb::Declare => declaration(desk, game, fields),
        Verb::Decide if fields.get("gives") == "words" => choice::choice(desk, game, fields),
        Verb::Decide => {
            filled_in("form", fields, || offer(desk, |at| play::decide::form(at, game, fields.get("slot"))))
        }
        Verb::Note if fields.get("gives") == "form" => html! {
            (heading(desk, game, fields.get("slot")))
            (filled_in("note", fields, || {
                offer(desk, |at| play::note::form(at, game, (fields.get("slot"), fields.get("name"))))
            }))
        },
        Verb::Note => html! {
            (heading(desk, game, fields.get("slot")))
            label for="note" { (texts::NOTE_TEXT) }
            textarea #note name="note" rows="8" { (fields.get("note")) }
        },
        Verb::Accept => html! { p { (texts::DECLINE) } (terms::in_words(desk, game)) (terms::in_full(desk, game)) },
        Verb::Propose => correction::fields(desk, game, fields),
        Verb::Void => correction::slots(desk, game, fields.get("slot")).unwrap_or_else(|failure| why(&failure)),
        _ => html! {},
    }
}

/// Whether an action shows the form of a course.
fn is_form(verb: Verb, fields: &Fields) -> bool {
    match verb {
        Verb::Declare => !fields.has("again") && !["attacks", "rolls", "nothing"].contains(&fields.get("takes")),
        Verb::Decide => fields.get("gives") != "words",
        Verb::Note => fields.get("gives") == "form",
        _ => false,
    }
}

/// Shows a form of a course, as it was filled in or as the game offers it.
fn filled_in(name: &str, fields: &Fields, form: impl FnOnce() -> PlayResult<Form>) -> Markup {
    let text = match super::super::toml_form::text(name, fields) {
        Some(typed) => Ok(typed),
        None => form().map(|form| form.text),
    };
    html! {
        @match text {
            Ok(text) => (toml_form::shown(name, &text)),
            Err(failure) => (why(&failure)),
        }
    }
}

fn declaration(desk: &Desk, game: Option<&str>, fields: &Fields) -> Markup {
    let slot = fields.get("slot");
    html! {
        @if fields.get("takes") != "sheet" { (heading(desk, game, slot)) }
        @if fields.has("skip") { p.mind { (texts::SKIPS) } }
        @match fields.get("takes") {
            "attacks" => {
                (table(fields, texts::ATTACKS, &[
                    ("hexes", texts::HEXES), ("odds", texts::ODDS), ("order", texts::ORDER),
                ]))
                p.about { (texts::HOW_TO_FILL_IN) }
                button type="submit" name=(WORK_OUT) value="yes" { (texts::WORK_IT_OUT) }
                div #worksheet aria-live="polite" data-worksheet=[worksheet_path(desk, game)] {
                    @if fields.has(WORK_OUT) { (worksheet::of(desk, game, fields)) }
                }
            }
            "rolls" => {
                (sheet::all(desk, game))
                (table(fields, texts::ROLLS, &[("why", texts::REASON)]))
            }
            "nothing" => { p { (texts::NO_LIST) } }
            _ => (filled_in("sheet", fields, || {
                offer(desk, |at| play::declare::form(at, game, Some(play::declaring::slot(slot)?)))
            })),
        }
        @if matches!(fields.get("takes"), "attacks" | "rolls") {
            label for="sheet" { (texts::OR_A_TABLE) }
            input #sheet type="file" name="sheet";
            (tick("no-rolls", texts::NO_ROLLS, fields.has("no-rolls")))
        }
        @match fields.get("takes") {
            "sheet" | "nothing" => {}
            "turn" => { details open[fields.has("moved")] { summary { (texts::MOVES_IF_ANY) } (moves(fields)) } }
            _ => (moves(fields)),
        }
    }
}

fn worksheet_path(desk: &Desk, game: Option<&str>) -> Option<String> {
    game.map(|game| desk.path(&["game", game, "worksheet"]))
}

/// Lists the files with moves that were chosen before, each with a box that leaves it out, and carries them on.
fn files_before(fields: &Fields) -> Markup {
    let files = moved_files(fields);
    let mut kept = Fields::default();
    files.iter().for_each(|file| kept.push_hash(MOVES, file));
    html! {
        (confirm::carried(&kept, &[]))
        @for file in &files {
            label.tick {
                input type="checkbox" name=(LEAVE_OUT_MOVES) value=(file.sha3_256);
                " " (texts::leave_out_file(&file.name))
            }
        }
    }
}

/// The moves of a declaration.
fn moves(fields: &Fields) -> Markup {
    let moved = fields.said("moved").unwrap_or("words");
    let radio = |value: &str, label: &str| {
        html! { label.tick { input type="radio" name="moved" value=(value) checked[moved == value]; " " (label) } }
    };
    html! {
        fieldset {
            legend { (texts::MOVES) }
            (radio("words", texts::MOVES_IN_WORDS))
            textarea name="words" rows="3" aria-label=(texts::THE_MOVES) { (fields.get("words")) }
            (radio("files", texts::MOVES_IN_FILES))
            input type="file" name=(MOVES) multiple aria-label=(texts::FILES_OF_MOVES);
            (files_before(fields))
            (radio("note", texts::MOVES_IN_NOTE))
            input name="moves-note" value=(fields.get("moves-note")) aria-label=(texts::NAME_OF_NOTE) autocomplete="off";
            (radio("nothing", texts::NOTHING_MOVED))
        }
    }
}
