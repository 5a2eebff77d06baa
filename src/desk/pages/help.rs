//! The manual, as pages.

use axum::response::Response;
use maud::{PreEscaped, html};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{
    super::{state::Desk, texts},
    layout::{Here, shown},
};
use crate::report::manual;

/// The beginning of a paragraph about commands.
const COMMANDS: &str = "On the command line";

/// Shows a page of the manual.
pub(in crate::desk) fn page(desk: &Desk, name: &str) -> Response {
    let Some(page) = manual::PAGES.iter().find(|page| page.topic == name) else { return super::missing(desk) };
    // Links in the manual lead to files of the source; the list below leads to the other pages.
    let events = Parser::new_ext(page.text, Options::ENABLE_TABLES)
        .filter(|event| !matches!(event, Event::Start(Tag::Link { .. }) | Event::End(TagEnd::Link)));
    let mut text = String::new();
    pulldown_cmark::html::push_html(&mut text, folded(events).into_iter());
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

/// Folds each list of commands away under the paragraph that leads to it: at the desk, nobody types commands.
fn folded<'e>(events: impl Iterator<Item = Event<'e>>) -> Vec<Event<'e>> {
    let mut out: Vec<Event<'e>> = Vec::new();
    // The place of the paragraph, while it is not known yet whether a list follows, and the lists that are open.
    let (mut begun, mut open) = (None, 0_usize);
    for event in events {
        let follows = matches!((&event, out.last()), (Event::Start(Tag::List(_)), Some(Event::End(TagEnd::Paragraph))));
        match &event {
            Event::Text(text) if open == 0 && text.starts_with(COMMANDS) => begun = out.len().checked_sub(1),
            Event::Start(Tag::List(_)) if open > 0 => open += 1,
            Event::Start(Tag::List(_)) if follows && begun.is_some() => {
                let last = out.len().checked_sub(1);
                for (place, html) in [(begun, "<details><summary>"), (last, "</summary>")] {
                    place
                        .and_then(|place| out.get_mut(place))
                        .into_iter()
                        .for_each(|event| *event = Event::Html(html.into()));
                }
                (begun, open) = (None, 1);
            }
            Event::Start(Tag::Paragraph | Tag::Heading { .. }) => begun = None,
            _ => {}
        }
        let closes = open > 0 && matches!(event, Event::End(TagEnd::List(_)));
        out.push(event);
        if closes {
            open -= 1;
            if open == 0 {
                out.push(Event::Html("</details>".into()));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_commands_are_folded_away() {
        let page = "On the command line, so:\n\n1. `a`\n   - b\n2. c\n\nOn the command line, `d`.\n\nElse:\n\n1. e\n";
        let mut html = String::new();
        pulldown_cmark::html::push_html(&mut html, folded(Parser::new(page)).into_iter());
        let one = "<details><summary>On the command line, so:</summary>";
        assert!(html.starts_with(one) && html.matches("<details>").count() == 1, "{html}");
        let (folded, rest) = html.split_once("</details>").expect("an end");
        assert!(
            folded.contains("<li>c</li>") && rest.contains("<p>On the command line, <code>d</code>.</p>"),
            "{html}"
        );
        assert!(rest.contains("<li>e</li>"), "{html}");
    }
}
