//! The form of a correction: which declaration was a mistake, what kind of mistake, and the list as it should have been.

use maud::{Markup, html};

use super::{
    super::{act, fields::Fields, state::Desk, texts, toml_form},
    inputs::{select, table},
    why,
};
use crate::{
    play::{
        failure::PlayResult,
        mendable::{self, Declared, List, Mendable},
    },
    report::text::count,
};

/// Shows the declarations to choose from or, once one is chosen, the fields about it.
pub(super) fn fields(desk: &Desk, game: Option<&str>, fields: &Fields) -> Markup {
    let mendable = match mendable::mendable(&desk.home, game) {
        Ok(mendable) => mendable,
        Err(failure) => return why(&failure),
    };
    match mendable.declared.iter().find(|declared| is_chosen(declared, fields.get("slot"))) {
        Some(declared) if can_be_corrected(declared) => {
            let again = mendable::form(&desk.home, game, &declared.id).ok().flatten();
            of_one(&mendable, declared, again.as_deref(), fields)
        }
        _ => choices(desk, game, &mendable),
    }
}

/// Whether the fields of a correction name a declaration that can be corrected. Without one, there is no preview yet.
pub(super) fn is_ready(desk: &Desk, game: Option<&str>, fields: &Fields) -> bool {
    mendable::mendable(&desk.home, game).is_ok_and(|mendable| {
        mendable.declared.iter().any(|declared| can_be_corrected(declared) && is_chosen(declared, fields.get("slot")))
    })
}

/// Returns the field that chooses a declaration whose dice are open.
pub(super) fn slots(desk: &Desk, game: Option<&str>, chosen: &str) -> PlayResult<Markup> {
    let mendable = mendable::mendable(&desk.home, game)?;
    let open = mendable.declared.iter().filter(|declared| declared.is_open && declared.count > 0 && declared.is_last);
    let options: Vec<(String, String)> = open
        .map(|declared| (declared.id.clone(), mendable.named(declared) + ": " + &mendable.listed(declared)))
        .collect();
    Ok(match options.is_empty() {
        true => html! { p.mind { (texts::NOTHING_OPEN) } },
        false => select("slot", texts::WHICH_DECLARATION, &options, chosen),
    })
}

/// Whether a list as it should have been can take the place of what was declared.
const fn can_be_corrected(declared: &Declared) -> bool {
    declared.is_open && !declared.is_sheet
}

impl Mendable {
    /// Names a declaration: its slot, and who declared it.
    fn named(&self, declared: &Declared) -> String {
        let slot = texts::slot(&declared.slot, &self.people);
        let by = self.people.iter().find(|(role, _)| *role == declared.by).map_or(&declared.by, |(_, name)| name);
        texts::by(&slot, by)
    }

    /// Returns the list of a declaration in a line.
    fn listed(&self, declared: &Declared) -> String {
        texts::in_words(&listed(&declared.list), &self.people)
    }
}

fn is_chosen(declared: &Declared, chosen: &str) -> bool {
    !chosen.is_empty() && (declared.id == chosen || declared.slot.to_string() == chosen)
}

fn choices(desk: &Desk, game: Option<&str>, mendable: &Mendable) -> Markup {
    let path =
        game.map(|game| desk.path(&["game", game, super::super::verb::Verb::Propose.name()])).unwrap_or_default();
    html! {
        h2 { (texts::WHICH_DECLARATION) }
        p { (texts::ONLY_OPEN) }
        @if mendable.declared.is_empty() { p.mind { (texts::NOTHING_DECLARED) } }
        ul.games {
            @for declared in &mendable.declared {
                li {
                    @let words = mendable.named(declared);
                    @if can_be_corrected(declared) { a href={ (path) "?slot=" (declared.id) } { (words) } }
                    @else { strong { (words) } }
                    p { (mendable.listed(declared)) }
                    @if !declared.is_open { p { (texts::NOT_OPEN_YET) } }
                    @else if declared.is_sheet { p { (texts::VOID_INSTEAD) } }
                    @else if declared.is_final { p { (texts::DICE_STAY) } }
                }
            }
        }
    }
}

/// Shows the fields about a declaration. `again` is the form of a turn with what was declared in it.
fn of_one(mendable: &Mendable, declared: &Declared, again: Option<&str>, fields: &Fields) -> Markup {
    let people: Vec<(String, String)> =
        mendable.people.iter().map(|(role, name)| (role.clone(), format!("{name} ({role})"))).collect();
    let is_turn = matches!(declared.list, List::Turn(_));
    let kinds: Vec<(String, String)> = texts::classes(is_turn)
        .iter()
        .map(|(class, words)| {
            let is_rerolled = mendable.rerolled.iter().any(|rerolled| rerolled.as_str() == *class);
            (class.to_string(), texts::kind_of_mistake(words, is_rerolled))
        })
        .collect();
    let prefilled = prefilled(declared, again);
    let shown = if fields.has("was") { fields } else { &prefilled };
    let at_fault = fields.said("at-fault").unwrap_or(&declared.by);
    html! {
        h2 { (mendable.named(declared)) }
        input type="hidden" name="slot" value=(declared.id);
        @if declared.is_final { p.mind { (texts::DICE_STAY) } }
        fieldset {
            legend { (texts::CLASS) }
            @for (at, (class, words)) in kinds.iter().enumerate() {
                @let is_chosen = fields.get("class") == class || !fields.has("class") && at == 0;
                label.tick { input type="radio" name="class" value=(class) checked[is_chosen]; " " (words) }
            }
        }
        (select("at-fault", texts::AT_FAULT, &people, at_fault))
        label for="text" { (texts::WHY) }
        input #text name="text" value=(fields.get("text")) autocomplete="off" required;
        p { (texts::CHANGE_THE_LIST) }
        @for name in ["takes", "was"] { input type="hidden" name=(name) value=(shown.get(name)); }
        @match &declared.list {
            List::Attacks(_) => (table(shown, texts::CORRECTED_LIST, &[
                ("hexes", texts::HEXES), ("odds", texts::ODDS), ("order", texts::ORDER),
            ])),
            List::Rolls(_) => (table(shown, texts::CORRECTED_LIST, &[("why", texts::WHAT_FOR)])),
            List::Turn(stated) => {
                ul { @for line in stated { li { (line) } } }
                @let text = toml_form::text("sheet", fields).or_else(|| again.map(str::to_owned)).unwrap_or_default();
                (super::toml_form::shown("sheet", &text))
            }
        }
        label.tick {
            input type="checkbox" name="keep-dice" value="yes" checked[fields.has("keep-dice") || declared.is_final];
            " " (texts::KEEP_DICE)
        }
    }
}

/// Returns the fields of a list as it was declared. The field `was` has the whole list, so that an unchanged one is
/// recognized.
fn prefilled(declared: &Declared, again: Option<&str>) -> Fields {
    let mut fields = Fields::default();
    match &declared.list {
        List::Attacks(rows) => {
            fields.push("takes", "attacks");
            for (row, [hexes, odds, order]) in rows.iter().enumerate() {
                fields.push(&format!("hexes.{row}"), hexes.as_str());
                fields.push(&format!("odds.{row}"), odds.as_str());
                fields.push(&format!("order.{row}"), order.as_str());
            }
        }
        List::Rolls(rows) => {
            fields.push("takes", "rolls");
            for (row, why) in rows.iter().enumerate() {
                fields.push(&format!("why.{row}"), why.as_str());
            }
        }
        List::Turn(_) => again.into_iter().for_each(|form| fields.push("sheet", form)),
    }
    let was = act::lists(&fields).ok().flatten().map(|file| file.text).unwrap_or_default();
    fields.push("was", was);
    fields
}

/// Returns a list in a line.
fn listed(list: &List) -> String {
    const MOST: usize = 6;
    let items: Vec<String> = match list {
        List::Attacks(rows) => rows.iter().map(|[hexes, odds, _]| format!("{hexes} {odds}")).collect(),
        List::Rolls(rows) => rows.clone(),
        List::Turn(stated) if stated.is_empty() => return texts::A_TURN.to_owned(),
        List::Turn(stated) => stated.clone(),
    };
    let more = items.len().saturating_sub(MOST);
    let shown = items.into_iter().take(MOST).collect::<Vec<_>>().join(", ");
    match more {
        0 if shown.is_empty() => texts::NO_ROLLS.to_owned(),
        0 => shown,
        more => format!("{shown} .. ({})", count(more, "more")),
    }
}
