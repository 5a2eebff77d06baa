//! The manual, as pages.

use axum::response::Response;
use maud::{PreEscaped, html};
use pulldown_cmark::{Event, Options, Parser};

use super::{
    super::{state::Desk, texts},
    layout::{Here, shown},
};
use crate::report::manual;

/// Shows a page of the manual.
pub(in crate::desk) fn page(desk: &Desk, name: &str) -> Response {
    let Some(page) = manual::PAGES.iter().find(|page| page.topic == name) else { return super::missing(desk) };
    // Links in the manual lead to files of the source; the list below leads to the other pages.
    let events = Parser::new_ext(page.text, Options::ENABLE_TABLES).filter(|event| {
        !matches!(event, Event::Start(tag) if matches!(tag, pulldown_cmark::Tag::Link { .. }))
            && !matches!(event, Event::End(pulldown_cmark::TagEnd::Link))
    });
    let mut text = String::new();
    pulldown_cmark::html::push_html(&mut text, events);
    let content = html! {
        nav.topics aria-label=(texts::TOPICS) {
            ul {
                @for other in &manual::PAGES {
                    li { a href=(desk.path(&["help", other.topic])) aria-current=[(other.topic == name).then_some("page")] { (other.about) } }
                }
            }
        }
        article.manual { (PreEscaped(text)) }
    };
    shown(desk, &Here::Home, texts::HELP, &content)
}
