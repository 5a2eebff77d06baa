//! The frame around every page: title, navigation, and the state of the key.

use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use super::super::{state::Desk, texts};
use crate::keep::key_file::KeyFile;

/// The place of a page, for its navigation.
pub(in crate::desk) enum Here<'h> {
    /// The list of games, and pages that belong to no game.
    Home,
    /// A page of a game.
    Game(&'h str),
}

/// Makes a whole page.
pub(super) fn shown(desk: &Desk, here: &Here<'_>, title: &str, content: &Markup) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang=(texts::LANGUAGE) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { @if title != texts::DESK { (title) " · " } (texts::DESK) }
                link rel="stylesheet" href=(desk.path(&["desk.css"]));
                link rel="icon" href="data:,";
                script src=(desk.path(&["desk.js"])) defer {}
            }
            body {
                a.skip href="#content" { (texts::SKIP) }
                header.desk {
                    nav aria-label=(texts::NAVIGATION) {
                        a href=(desk.path(&[""])) { (texts::GAMES) }
                        @if let Here::Game(name) = here { (tabs(desk, name)) }
                        a href=(desk.path(&["help", "desk"])) { (texts::HELP) }
                    }
                    (key_state(desk))
                }
                main #content {
                    h1 { (title) }
                    (content)
                }
            }
        }
    };
    Html(page.into_string()).into_response()
}

fn tabs(desk: &Desk, name: &str) -> Markup {
    html! {
        a href=(desk.path(&["game", name])) { (texts::THE_GAME) }
        a href=(desk.path(&["game", name, "journal"])) { (texts::JOURNAL) }
        a href=(desk.path(&["game", name, "terms"])) { (texts::TERMS) }
        a href=(desk.path(&["game", name, "report"])) { (texts::REPORT) }
        a href=(desk.path(&["game", name, "statistics"])) { (texts::STATISTICS) }
    }
}

/// Shows whether the key is unlocked, with the button that changes it.
fn key_state(desk: &Desk) -> Markup {
    let file = KeyFile::open(&desk.home.key_file()).ok();
    html! {
        div.key {
            a href=(desk.path(&["key"])) { (texts::YOUR_KEY) }
            @match file {
                None => { span { (texts::NO_KEY) } }
                Some(file) if !file.is_protected() => { span { (texts::NO_PASSPHRASE) } }
                Some(_) if desk.sitting.is_open() => {
                    form method="post" enctype="multipart/form-data" action=(desk.path(&["key", "lock"])) {
                        button type="submit" { (texts::LOCK) }
                    }
                }
                Some(_) => { span { (texts::LOCKED) } }
            }
        }
    }
}

/// Shows lines as a list. A line that begins with blanks belongs to the last one that does not.
pub(super) fn list(class: &str, lines: &[String]) -> Markup {
    let mut items: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in lines {
        match items.last_mut().filter(|_| line.starts_with("  ")) {
            Some((_, below)) => below.push(line.trim_start()),
            None => items.push((line.trim_start(), Vec::new())),
        }
    }
    html! {
        ul class=(class) {
            @for (line, below) in &items {
                li { (line) @if !below.is_empty() { ul { @for line in below { li { (line) } } } } }
            }
        }
    }
}
