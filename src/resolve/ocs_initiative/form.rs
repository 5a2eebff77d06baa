//! What people read and fill in: a state in a line, what a turn states, and a standing note
//! (`protocol/ocs-initiative.md`).

use super::{
    course::OcsInitiative,
    state::{Decision, State, list},
};
use crate::{
    blob::json::{self, Text, Value},
    error::Result,
    resolve::{Forms, Object},
};

impl Forms for OcsInitiative {
    fn tell(&self, state: &Object) -> Result<String> {
        let State { bar, first, holder, markers, turn, .. } = State::read(&self.settings, state)?;
        let held = holder.map_or("nobody holds the initiative, and the next turn is Flux".into(), |holder| {
            let in_play = if markers.is_empty() { String::new() } else { format!(", in play {}", list(&markers)) };
            format!("{holder} holds the initiative{in_play}; on the Bar: {}", list(&bar))
        });
        Ok(match first {
            Some(first) => format!("turn {turn}: {first} goes first; {held}"),
            None if turn == 0 => held,
            None => format!("turn {turn} is not settled yet; {held}"),
        })
    }

    fn form(&self, state: &Object, _: Option<&Text>) -> Result<String> {
        let State { bar, flux, markers, .. } = State::read(&self.settings, state)?;
        let in_hand = json::to_value(&markers)?;
        let hint = match markers.is_empty() {
            true => "",
            false => " Those below you had after the last turn; add what has come since.",
        };
        let order = "# order = \"first\"    # if the choice is yours: first or second; left out, you are asked\n";
        Ok(match flux {
            true => format!("# A Flux turn: nobody has markers in play.\n{order}"),
            false => format!(
                "# Your reserve markers in play; on the Bar: {}.{hint}\nmarkers = {in_hand}\n{order}# [pop]               # if you are behind: up to how many you give up, \
                 and which first; left out, you are asked\n# at_most = 2\n# from = []\n",
                list(&bar)
            ),
        })
    }

    fn standing_form(&self) -> Option<String> {
        Some("# What you wish for if the choice is yours while the other one rolls: first or second.\n# It stays sealed until the choice is yours, and binds you then.\norder = \"first\"\n".into())
    }

    fn read_choice(&self, _: &Object, name: &str, typed: &str) -> Result<Value> {
        if name != Decision::Pop.name() {
            return Ok(typed.trim().into());
        }
        let names = typed.split([',', ' ']).filter(|name| !name.is_empty() && *name != "none");
        Ok(names.map(Value::from).collect())
    }
}
