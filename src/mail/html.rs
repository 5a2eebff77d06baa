//! Conversion of HTML to lines of text.
//!
//! Common converters keep words separate but not lines, or fold the lines of a `<pre>`, which destroys letters. Here
//! every block begins a line, and all other text is kept as it is. A browser's tokenizer separates tags from entities,
//! because mail programs write all sorts of HTML.

use html5gum::{
    Span, Tokenizer,
    emitters::callback::{CallbackEmitter, CallbackEvent},
};

/// Elements that begin and end a line.
const BLOCKS: [&str; 36] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "caption",
    "center",
    "dd",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "td",
    "th",
    "tr",
    "ul",
];
/// Elements whose content is not displayed.
const HIDDEN: [&str; 5] = ["script", "style", "title", "template", "noscript"];

/// Converts an HTML text to lines.
pub(super) fn lines(html: &str) -> String {
    let mut out = String::with_capacity(html.len() / 2);
    let (mut hidden, mut pre): (Option<Vec<u8>>, u32) = (None, 0);
    let take = |event: CallbackEvent<'_>, _: Span<()>| -> Option<()> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                if hidden.is_none() && among(&HIDDEN, name) {
                    hidden = Some(name.to_vec());
                }
                pre += u32::from(name == b"pre");
                begin_line(&mut out, name);
            }
            CallbackEvent::EndTag { name } => {
                if hidden.as_deref() == Some(name) {
                    hidden = None;
                }
                pre = pre.saturating_sub(u32::from(name == b"pre"));
                begin_line(&mut out, name);
            }
            CallbackEvent::String { value } if hidden.is_none() => {
                let text = String::from_utf8_lossy(value);
                if pre > 0 {
                    out.push_str(&text);
                } else {
                    out.extend(text.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
                }
            }
            _ => {}
        }
        None
    };
    let mut emitter = CallbackEmitter::new(take);
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(html, emitter).for_each(drop);
    out
}

fn among(names: &[&str], name: &[u8]) -> bool {
    names.iter().any(|known| known.as_bytes() == name)
}

/// Begins a line. A `<br>` always ends the current line; another block does so only if the line is not empty, so that
/// `</div><div>` ends one line.
fn begin_line(out: &mut String, name: &[u8]) {
    if name == b"br" || among(&BLOCKS, name) && !out.ends_with('\n') && !out.is_empty() {
        out.push('\n');
    }
}
