//! Mails, mailboxes and files as they arrive.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{Vectors, kit::Table};

const HEAD: &str = "From: Bob <bob@play.invalid>\nSubject: turn 4\nMIME-Version: 1.0\n";

fn lines(text: &str) -> Value {
    json!({ "lines": text.split('\n').collect::<Vec<_>>() })
}

fn bytes(bytes: &[u8]) -> Value {
    json!({ "bytes": hex::encode(bytes) })
}

fn base64(text: impl AsRef<[u8]>) -> String {
    let digits = STANDARD.encode(text);
    digits.as_bytes().chunks(76).map(|line| format!("{}\n", String::from_utf8_lossy(line))).collect()
}

fn in_html(text: &str) -> String {
    text.lines().map(|line| format!("<div>{line}</div>")).collect()
}

fn utf_16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

pub(crate) fn all(v: &mut Vectors) {
    let table = Table::begin("mail vectors");
    let [first, second] = [0, 1].map(|n| (table.letters[n].armour(), table.letters[n].message.id().to_string()));
    let ((a, a_id), (b, b_id)) = (first, second);
    let one = json!({ "letters": [a_id] });
    let other = json!({ "letters": [b_id] });
    let mut both = [a_id.clone(), b_id.clone()];
    both.sort();
    let both = json!({ "letters": both });
    let none = json!({ "letters": [] });
    let part = |kind: &str, text: &str| format!("--b\nContent-Type: {kind}\n\n{text}\n");
    let several = |kind: &str, parts: &[String]| {
        format!("{HEAD}Content-Type: multipart/{kind}; boundary=\"b\"\n\n{}--b--\n", parts.concat())
    };
    let plain = |header: &str, body: &str| format!("{HEAD}{header}\n\n{body}");

    let encoded = plain("Content-Transfer-Encoding: quoted-printable", &a.replace("\n", " =\n"));
    v.gives("mail/quoted-printable", "mail.md 18", "a letter in quoted-printable", lines(&encoded), one.clone());

    let digits = base64(format!("{a}{}{b}", "so far\n".repeat(30)));
    let base64_mail = |body: &str| lines(&plain("Content-Transfer-Encoding: base64", body));
    v.gives("mail/base64", "mail.md 16", "two letters in base64", base64_mail(&digits), both.clone());
    let wrong = format!("{}!{}", &digits[..400], &digits[401..]);
    v.gives(
        "mail/base64-wrong-character",
        "mail.md 16",
        "a wrong character costs the letter in which it stands",
        base64_mail(&wrong),
        other.clone(),
    );
    let lost = format!("{}{}", &digits[..400], &digits[401..]);
    v.gives(
        "mail/base64-lost-character",
        "mail.md 17",
        "a lost character costs its line",
        base64_mail(&lost),
        other.clone(),
    );
    let odd: String = digits
        .replace('\n', "")
        .as_bytes()
        .chunks(75)
        .map(|line| format!("{}\n", String::from_utf8_lossy(line)))
        .collect();
    v.gives(
        "mail/base64-odd-lines",
        "mail.md 17",
        "lines of 75 digits are read as one",
        base64_mail(&odd),
        both.clone(),
    );

    let stray = plain("Content-Transfer-Encoding: quoted-printable", &format!("1 =ZZ 2 =\n{a}={b}"));
    v.gives(
        "mail/quoted-printable-stray",
        "mail.md 18",
        "a `=` that means nothing is itself",
        lines(&stray),
        both.clone(),
    );

    let alternative =
        several("alternative", &[part("text/plain", &a), part("text/html", &in_html(&format!("{a}{b}")))]);
    v.gives(
        "mail/html-has-more",
        "mail.md 12",
        "each part is read by itself: the HTML has a letter that the plain text lacks",
        lines(&alternative),
        both.clone(),
    );
    let inner = plain("Content-Type: text/html", &in_html(&b));
    let forwarded = several("mixed", &[part("text/plain", &a), part("message/rfc822", &inner)]);
    v.gives("mail/forwarded", "mail.md 13", "a mail within a mail", lines(&forwarded), both.clone());
    let file =
        several("mixed", &[part("application/octet-stream", &plain("Content-Transfer-Encoding: base64", &base64(&a)))]);
    v.gives("mail/mail-as-file", "mail.md 13", "an attached file that is a mail", lines(&file), one.clone());
    let behind = several("mixed", &[part("text/plain", "see below")]) + &a;
    v.gives("mail/behind-the-end", "mail.md 14", "the source has what no part has", lines(&behind), one.clone());
    let lookalike =
        several("mixed", &[part("text/plain", &a)]).replace("--b", "-----BEGIN").replace("\"b\"", "\"---BEGIN\"");
    v.gives("mail/boundary-lookalike", "mail.md 11", "a boundary is a whole line", lines(&lookalike), one.clone());
    let deep = format!(
        "{}{}",
        "Content-Type: message/rfc822\n\n".repeat(32),
        plain("Content-Transfer-Encoding: base64", &base64(&a))
    );
    v.gives(
        "mail/too-deep",
        "mail.md 8",
        "33 messages within each other: the last is not read",
        lines(&deep),
        none.clone(),
    );
    let picture = several("mixed", &[part("image/png\nContent-Transfer-Encoding: base64", &base64(&a))]);
    v.gives("mail/picture", "mail.md 10", "pictures are not read", lines(&picture), none.clone());

    let dashes = a.replace("-----", "\u{97}\u{96}\u{97}");
    let latin: Vec<u8> = dashes.chars().map(|c| c as u8).collect();
    let charset = |name: &str| {
        [plain(&format!("Content-Type: text/plain; charset={name}"), "").into_bytes(), latin.clone()].concat()
    };
    v.gives("mail/windows-1252", "mail.md 3", "dashes of windows-1252", bytes(&charset("windows-1252")), one.clone());
    v.gives(
        "mail/unknown-charset",
        "mail.md 3",
        "the same, and the charset is one that nobody knows",
        bytes(&charset("x-1")),
        one.clone(),
    );
    v.gives("mail/text-in-windows-1252", "mail.md 3", "the same in a file that is a text", bytes(&latin), one.clone());
    let wrong = plain("Content-Type: text/plain; charset=utf-16", &a);
    v.gives("mail/wrong-charset", "mail.md 3", "a charset that it has not", lines(&wrong), one.clone());
    let wide = plain("Content-Transfer-Encoding: base64", &base64(utf_16(&a)));
    v.gives("mail/utf-16-undeclared", "mail.md 3", "UTF-16 of which nothing tells", lines(&wide), one.clone());
    v.gives("mail/utf-16-text", "mail.md 3", "a text file in UTF-16 without a mark", bytes(&utf_16(&a)), one.clone());

    let html = |text: &str| lines(&plain("Content-Type: text/html", text));
    let entities = in_html(&a)
        .replace("-----", "&mdash;&#8211;&#x2d;&hyphen;&#151;")
        .replace(' ', "&nbsp;")
        .replace('+', "&plus;");
    v.gives("mail/html-references", "mail.md 21", "characters by name and number", html(&entities), one.clone());
    let hidden = in_html(&a).replacen(
        "</div><div>",
        "</div><!-- > <b> --><style>p > a</style><br title='>'><script><!-- </div> --></script><div>",
        1,
    );
    v.gives("mail/html-hidden", "mail.md 20", "comments, styles and scripts show nothing", html(&hidden), one.clone());
    let page = format!("<!DOCTYPE html><html><body><pre>{a}</pre></body></html>");
    v.gives(
        "mail/html-file",
        "mail.md 4",
        "a page as a browser saves it",
        lines(&page.replace("MESSAGE", "MESS&shy;AGE")),
        one.clone(),
    );

    let boxed = |text: &str| {
        format!(
            "From bob@play.invalid Sat Nov 21 12:00:00 2026\n{}\n",
            plain("Content-Transfer-Encoding: base64", &base64(text))
        )
    };
    v.gives("mail/mailbox", "mail.md 6", "two mails in a mailbox", lines(&(boxed(&a) + &boxed(&b))), both);
    let counted = format!("1234\n{}<?xml version=\"1.0\"?>\n", plain("Content-Transfer-Encoding: base64", &base64(&a)));
    v.gives("mail/emlx", "mail.md 7", "a mail as Apple Mail keeps it", lines(&counted), one);
    v.gives(
        "mail/gzip",
        "mail.md 2",
        "a packed file is not read",
        bytes(&[b"\x1f\x8b\x08".as_slice(), a.as_bytes()].concat()),
        none,
    );
}
