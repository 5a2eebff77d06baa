//! Two letters that contradict each other: their texts side by side, field by field, with differences marked.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::book::{Book, wide, words};
use crate::{
    blob::{
        Body, Verified,
        body::{Hex32, SetKind},
        json::{self, Value},
    },
    game::audit::ReportedFinding,
    report::text::visible,
    rule::Rule,
};

/// The maximum number of rows in a comparison; differing rows precede equal ones.
const ROWS: usize = 120;
/// The maximum number of characters in each part of a value.
const VALUE: usize = 1_500;

/// Shows the letters of a finding side by side, or its one letter beside the earlier one that it contradicts.
pub(super) fn at_odds(book: &Book<'_>, finding: &ReportedFinding) -> Markup {
    let pairs: Vec<(Hex32, Hex32)> = match finding.message_ids.as_slice() {
        [] => Vec::new(),
        [id] => earlier(book, id, finding.rule).map(|first| (first, *id)).into_iter().collect(),
        [first, rest @ ..] => rest.iter().map(|other| (*first, *other)).collect(),
    };
    html! {
        @for (first, second) in pairs {
            @if let (Some(a), Some(b)) = (book.letters.get(&first), book.letters.get(&second)) { (side_by_side(book, a, b)) }
        }
    }
}

/// Returns the earlier letter that this letter repeats.
fn earlier(book: &Book<'_>, id: &Hex32, rule: Option<Rule>) -> Option<Hex32> {
    let replay = book.replay?;
    let this = replay.order.nodes.iter().find(|node| node.id() == *id)?;
    let sealed_twice = |commits: &[Hex32], other: &[Hex32]| {
        let commits: BTreeSet<&Hex32> = commits.iter().collect();
        other.iter().any(|commit| commits.contains(commit))
    };
    let contradicts = |other: &Body| match (this.message.body(), other, rule) {
        (Body::Declare(this), Body::Declare(other), Some(Rule::Declare20)) => this.slot == other.slot,
        (Body::Declare(this), Body::Declare(other), Some(Rule::Declare10)) => this.seal == other.seal,
        (Body::Declare(this), Body::Declare(other), Some(Rule::Declare8)) => this.contribution == other.contribution,
        (Body::Decide(this), Body::Decide(other), Some(Rule::Decide2)) => {
            this.slot == other.slot && this.name == other.name
        }
        (Body::Seal(this), Body::Seal(other), Some(Rule::Seal4)) => {
            (this.kind, &this.purpose) == (other.kind, &other.purpose)
        }
        (Body::Seal(this), Body::Seal(other), Some(Rule::Seal5)) => sealed_twice(&this.commits, &other.commits),
        _ => false,
    };
    // A copied seal may be the other player's; every other repeated letter is the author's own.
    let copies =
        matches!(this.message.body(), Body::Seal(seal) if seal.kind != SetKind::Note && rule == Some(Rule::Seal5));
    let before = replay.order.nodes.iter().take_while(|node| node.id() != *id);
    before
        .filter(|node| copies || node.author == this.author)
        .find(|node| contradicts(node.message.body()))
        .map(|node| node.id())
}

/// A field in both letters; `None` where a letter lacks it.
struct Field {
    path: String,
    a: Option<String>,
    b: Option<String>,
}

fn side_by_side(book: &Book<'_>, a: &Verified, b: &Verified) -> Markup {
    let mut fields = fields(a, b);
    fields.sort_by_key(|field| field.a == field.b);
    let left_out = fields.len().saturating_sub(ROWS);
    let differing = fields.iter().filter(|field| field.a != field.b).count();
    html! {
        (wide("Two letters side by side", &html! {
            table.compare {
                caption { "Both letters side by side: " (differing) @if differing == 1 { " field differs" } @else { " fields differ" } }
                thead { tr { th scope="col" { "Field" } th scope="col" { (book.letter(&a.id())) } th scope="col" { (book.letter(&b.id())) } } }
                tbody { @for field in fields.iter().take(ROWS) {
                    @let same = field.a == field.b;
                    tr class=(if same { "same" } else { "differs" }) {
                        th scope="row" {
                            @for part in field.path.split_inclusive('.') { (visible(part)) wbr; }
                            " " @if same { small { "same" } } @else { "\u{2260} differs" }
                        }
                        @let (first, second) = marked(field.a.as_deref(), field.b.as_deref());
                        td { (first) }
                        td { (second) }
                    }
                } }
            }
        }))
        @if left_out > 0 { p { "Fields not shown: " (left_out) "." } }
    }
}

/// Marks the part in which two values differ.
fn marked(a: Option<&str>, b: Option<&str>) -> (Markup, Markup) {
    let (Some(a), Some(b)) = (a, b) else {
        let one = |value: Option<&str>| match value {
            Some(value) => html! { mark { (shown(value)) } },
            None => html! { em { "absent" } },
        };
        return (one(a), one(b));
    };
    let head: usize = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let (start, rest_a) = a.split_at_checked(head).unwrap_or((a, ""));
    let rest_b = b.get(head..).unwrap_or_default();
    let tail: usize =
        rest_a.chars().rev().zip(rest_b.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let one = |rest: &str| {
        let (middle, end) = rest.split_at_checked(rest.len() - tail).unwrap_or((rest, ""));
        html! { (shown(start)) @if !middle.is_empty() { mark { (shown(middle)) } } (shown(end)) }
    };
    (one(rest_a), one(rest_b))
}

fn shown(text: &str) -> Markup {
    words(text, VALUE)
}

/// Returns all fields of both letters, including the key that signed them.
fn fields(a: &Verified, b: &Verified) -> Vec<Field> {
    let (mut of_a, mut of_b) = (flat(a), flat(b));
    let paths: BTreeSet<String> = of_a.keys().chain(of_b.keys()).cloned().collect();
    let both = |path: String| {
        let (a, b) = (of_a.remove(&path), of_b.remove(&path));
        Field { path, a, b }
    };
    paths.into_iter().map(both).collect()
}

fn flat(letter: &Verified) -> BTreeMap<String, String> {
    let mut out = BTreeMap::from([("signed with key".to_owned(), letter.key().to_string())]);
    let parts = [("head", json::to_value(letter.head())), ("body", json::to_value(letter.body()))];
    for (name, part) in parts {
        flatten(name.to_owned(), &part.unwrap_or_default(), &mut out);
    }
    out
}

fn flatten(path: String, value: &Value, out: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            fields.iter().for_each(|(key, value)| flatten(format!("{path}.{key}"), value, out));
        }
        Value::Array(items) if !items.is_empty() => {
            let items = items.iter().enumerate();
            items.for_each(|(i, value)| flatten(format!("{path}.{:03}", i + 1), value, out));
        }
        Value::String(text) => drop(out.insert(path, text.clone())),
        other => drop(out.insert(path, other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_stretch_that_differs_is_marked() {
        let (a, b) = marked(Some("añ 3-1 end"), Some("añ 5-1 end"));
        assert_eq!(a.into_string(), "<bdi>añ </bdi><mark><bdi>3</bdi></mark><bdi>-1 end</bdi>");
        assert_eq!(b.into_string(), "<bdi>añ </bdi><mark><bdi>5</bdi></mark><bdi>-1 end</bdi>");
        let (a, b) = marked(Some("aa"), Some("aaa"));
        assert_eq!((a.into_string().matches("mark").count(), b.into_string().matches("mark").count()), (0, 2));
        assert!(marked(None, Some("x")).0.into_string().contains("absent"));
    }
}
