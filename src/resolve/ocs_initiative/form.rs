//! Forms and descriptions: a state in one line, the input of a turn, and a standing note
//! (`protocol/ocs-initiative.md`).

use super::{
    course::OcsInitiative,
    input::{Initiative, Input},
    state::{Decision, Pop, State, list},
};
use crate::{
    blob::{
        body::Role,
        json::{self, Text, Value},
    },
    error::Result,
    resolve::{Forms, Names, Object},
};

impl OcsInitiative {
    /// Returns the form for a turn, with what was declared if it is corrected.
    fn filled_in(&self, state: &Object, declared: Option<&Input>) -> Result<String> {
        let State { bar, flux, markers, .. } = State::read(&self.settings, state)?;
        let hint = match markers.is_empty() || declared.is_some() {
            true => "",
            false => " These are from the end of the last turn; add any that you got since.",
        };
        let order = match declared.and_then(|input| input.order) {
            Some(order) => format!("order = \"{order}\""),
            None => "# order = \"first\"".into(),
        };
        let order = format!(
            "{order}    # one of: first, second; who goes first if you have the choice. Left out, you are asked then\n"
        );
        if flux {
            return Ok(format!("# A Flux turn: nobody has markers in play.\n{order}"));
        }
        let in_hand = json::to_value(&declared.map_or(&markers, |input| &input.markers))?;
        let (off, at_most, from) = match declared.and_then(|input| input.pop.as_ref()) {
            Some(Pop { at_most, from }) => ("", *at_most, json::to_value(from)?),
            None => ("# ", 2, Value::Array(Vec::new())),
        };
        Ok(format!(
            "# Your reserve markers in play, by names of small letters, digits and hyphens; on the Bar: {}.{hint}\n\
             markers = {in_hand}\n{order}\
             {off}[pop]               # Popped markers buy back the initiative when you are behind. Left out, you are asked \
             then\n{off}at_most = {at_most}        # 0 to 64 markers that you would give up\n\
             {off}from = {from}          # which of them, in this order\n",
            list(&bar)
        ))
    }
}

impl Forms for OcsInitiative {
    fn about(&self, setting: &str) -> Option<String> {
        let about = match setting {
            "first_player" => "who goes first in turn 1 without a roll; none: turn 1 is a Flux turn",
            "flux_holder" => "who holds the initiative after a Flux turn: who went first, or who won the roll",
            "pop_then_second" => "whether a player who has popped markers may still choose to go second",
            "sides" => "the two players; in a Flux turn, the first declares and rolls first",
            _ => return None,
        };
        Some(about.into())
    }

    fn tell(&self, state: &Object) -> Result<String> {
        let State { bar, first, holder, markers, turn, .. } = State::read(&self.settings, state)?;
        let held = holder.map_or("nobody holds the initiative, so the next turn is a Flux turn".into(), |holder| {
            let in_play = if markers.is_empty() { String::new() } else { format!(", with {} in play", list(&markers)) };
            format!("{holder} holds the initiative{in_play}; on the Bar: {}", list(&bar))
        });
        Ok(match first {
            Some(first) => format!("turn {turn}: {first} goes first; {held}"),
            None if turn == 0 => held,
            None => format!("turn {turn} is not settled yet; {held}"),
        })
    }

    fn form(&self, state: &Object, _: Option<&Text>) -> Result<String> {
        self.filled_in(state, None)
    }

    fn form_again(&self, state: &Object, declared: &Text) -> Result<String> {
        self.filled_in(state, Some(&Initiative::read(&self.settings, declared)?.input))
    }

    fn takes_standing_notes(&self) -> bool {
        true
    }

    fn standing_form(&self, _: &Role, _: Option<&Role>) -> Option<String> {
        let form = "# Your choice, in case your opponent rolls and you have the choice.\n\
                    # It stays sealed until you have the choice, and then binds you.\n\
                    order = \"first\"    # one of: first, second\n";
        Some(form.into())
    }

    fn read_choice(&self, _: &Object, name: &str, typed: &str) -> Result<Value> {
        if name != Decision::Pop.name() {
            return Ok(typed.trim().into());
        }
        // The word for nothing counts only by itself: what else is named is refused later.
        let names = typed.split([',', ' ', '\n', '\r']).filter(|name| !name.is_empty());
        Ok(names.filter(|_| typed.trim() != Names::NONE).map(Value::from).collect())
    }
}
