//! The audit of a game, and what its dice did.

use axum::response::Response;
use maud::html;

use super::{
    super::{
        state::{Desk, encoded},
        texts,
    },
    layout::{Here, shown},
};
use crate::{
    game::audit::{Games, Read, Report},
    mail::{self, Find},
    play::{failure::PlayResult, find, tables},
    report::{
        html::{self, Letters, Section},
        stats::{Stats, svg, text},
        verdict,
    },
};

/// What pages with styles of their own may load: nothing else.
pub(super) const POLICY: &str = "default-src 'none'; frame-ancestors 'none'; img-src data:; style-src 'unsafe-inline'";

/// Shows the audit: the content of the page that `audit --html` writes, in the frame of the desk.
pub(in crate::desk) fn page(desk: &Desk, game: &str) -> Response {
    match audited(desk, game) {
        Ok(games) => {
            let sections: Vec<Section> = games.into_iter().map(|(_, section)| section).collect();
            shown(desk, &Here::Game(game), html::TITLE, &html::content(&sections))
        }
        Err(failure) => super::failed(desk, &Here::Game(game), &failure),
    }
}

/// Returns the sentence that sums an audit up.
pub(super) fn verdict(desk: &Desk, game: &str) -> PlayResult<String> {
    let games = audited(desk, game)?;
    Ok(games.iter().filter(|(report, _)| report.game.is_some()).map(|(report, _)| verdict::sentence(report)).collect())
}

/// Shows the statistics of a game's dice, as a picture and as text.
pub(in crate::desk) fn statistics(desk: &Desk, game: &str) -> Response {
    let games = match audited(desk, game) {
        Ok(games) => games,
        Err(failure) => return super::failed(desk, &Here::Game(game), &failure),
    };
    let ids = games.iter().filter_map(|(report, _)| report.game).collect();
    let figures: Vec<Stats> = games.iter().filter_map(|(report, _)| Stats::of(report, &ids)).collect();
    let content = html! {
        @if figures.is_empty() {
            p { (texts::NO_DICE_YET) }
        } @else {
            img.picture src=(picture(&figures)) alt=(texts::STATISTICS_PICTURE);
            details {
                summary { (texts::FIGURES) }
                pre.figures tabindex="0" role="region" aria-label=(texts::STATISTICS) { (text::tell(&figures, None)) }
            }
        }
    };
    shown(desk, &Here::Game(game), texts::STATISTICS, &content)
}

/// Returns the picture of the figures as an address. As an image of its own, its styles need no place in the policy of
/// the page.
fn picture(figures: &[Stats]) -> String {
    let drawn: String = svg::draw(figures, None).bytes().map(encoded).collect();
    format!("data:image/svg+xml,{drawn}")
}

/// Audits a game of this home.
fn audited(desk: &Desk, game: &str) -> PlayResult<Vec<(Report, Section)>> {
    let folder = find::letters_of_game(&desk.home, game)?;
    let mut read = Vec::new();
    // The reader knows the game's folder, and needs only the names of the files in it.
    let file = |place: String| place.rsplit(['/', '\\']).next().map(str::to_owned).unwrap_or(place);
    mail::finds(&[folder], &mut |Find { place, letter, .. }| read.push(Read { place: file(place), letter }))
        .map_err(|why| texts::failure(&why))?;
    let letters = Letters::of(&read);
    let supplied = tables::in_folder(&desk.home.tables()).unwrap_or_default();
    let games = Games::sort(&read).supplied(supplied);
    let jobs = games.jobs();
    let run = jobs.iter().map(|job| job.run_with(|report, replay| html::section(&letters, report, replay, None)));
    Ok(run.collect())
}
