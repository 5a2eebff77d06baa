//! Mails that we write: what Python's mail software and our own reader make of them.

use std::{fs, process::Command};

use proptest::prelude::*;
use sealed_dice::{
    blob::{Keys, armour},
    mail::{
        Mail, Source,
        write::{Mailbox, Outgoing, eml},
    },
};
use serde_json::Value;

use crate::{folder, kit::Table};

/// The frames in a mail, in order; nothing in it is refused.
fn frames(mail: &[u8]) -> Vec<Vec<u8>> {
    let mut mail = Mail::of(vec![Source::memory("mail", mail.to_vec())]);
    let (mut frames, keys) = (Vec::new(), Keys::default());
    while let Some(batch) = mail.batch() {
        let warning = batch.open(&keys, &mut |find| {
            assert!(find.letter.is_ok(), "{}: {:?}", find.place, find.letter);
            frames.push(find.frame);
        });
        assert_eq!(warning, None);
    }
    frames
}

/// What Python reads: headers, the charset, the transfer encoding, the text and the defects that it sees.
fn in_python(name: &str, mail: &[u8]) -> Value {
    const READ: &str = "
import email, email.policy, json, sys
m = email.message_from_binary_file(open(sys.argv[1], 'rb'), policy=email.policy.default)
people = lambda name: [[a.display_name, a.addr_spec] for a in m[name].addresses] if m[name] else None
print(json.dumps({
    'subject': m['Subject'], 'from': people('From'), 'to': people('To'), 'headers': sorted(m.keys()),
    'date': m['Date'].datetime.isoformat() if m['Date'] else None, 'type': m.get_content_type(),
    'charset': m.get_content_charset(), 'encoding': m['Content-Transfer-Encoding'], 'text': m.get_content(),
    'defects': [str(d) for d in m.defects] + [str(d) for v in m.values() for d in v.defects]}))";
    let file = folder(name).join("mail.eml");
    fs::write(&file, mail).expect("a file");
    let python = if cfg!(windows) { "python" } else { "python3" };
    let output =
        Command::new(python).args(["-c", READ]).arg(&file).output().expect("Python 3 is needed to run the tests");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn letters() -> (Vec<String>, Vec<Vec<u8>>) {
    let letters: Vec<String> =
        Table::turn("by mail").letters.iter().take(3).map(sealed_dice::game::steps::Letter::armour).collect();
    let frames = letters.iter().map(|letter| armour::find(letter.as_bytes())[0].frame.clone().expect("a letter"));
    let frames = frames.collect();
    (letters, frames)
}

fn people(text: &str) -> Mailbox {
    text.parse().expect("an address")
}

/// Lines end in CRLF and nowhere else; those of the body are short and ASCII.
fn is_well_formed(mail: &[u8]) -> bool {
    let text = std::str::from_utf8(mail).expect("ASCII");
    let (_, body) = text.split_once("\r\n\r\n").expect("a body");
    text.is_ascii()
        && !text.replace("\r\n", "").contains(['\r', '\n'])
        && body.ends_with("\r\n")
        && body.lines().all(|line| line.len() <= 76)
}

#[test]
fn a_plain_mail_is_plain() {
    let (letters, all) = letters();
    let mail = eml(&Outgoing {
        subject: "Bridge at dawn: turn 4".into(),
        cover: "Hello Ann,\n\nmy set for turn 4.\n".into(),
        letters: letters.clone(),
        ..Outgoing::default()
    });
    assert!(is_well_formed(&mail));
    assert_eq!(frames(&mail), all);
    let read = in_python("eml-plain", &mail);
    assert_eq!(read["defects"], Value::Array(vec![]));
    assert_eq!(
        (&read["charset"], &read["encoding"], &read["type"]),
        (&"us-ascii".into(), &"7bit".into(), &"text/plain".into())
    );
    assert_eq!(read["text"], format!("Hello Ann,\n\nmy set for turn 4.\n\n{}", letters.join("\n")));
    let headers: Vec<Value> =
        ["Content-Transfer-Encoding", "Content-Type", "MIME-Version", "Subject"].map(Value::from).to_vec();
    assert_eq!(read["headers"], Value::Array(headers), "no header that nobody gave, no clock");
}

#[test]
fn any_language_and_any_length_arrive() {
    let (letters, all) = letters();
    let cover = format!("Grüße aus Köln, \u{1f3b2}!\n{}\n\ttabs, trailing blanks  \n.\n-- \nBob", "lang ".repeat(60));
    let subject = "Züge 4 bis 9, und eine Überschrift, die länger ist als eine Zeile werden darf, wie man hier sieht";
    let mail = eml(&Outgoing {
        subject: subject.into(),
        from: Some(people("Böb \"der\" Müller <bob@example.org>")),
        to: vec![people("ann@example.org"), people("\"Zoë, die Dritte\" <zoe@example.org>")],
        date: Some(1_795_262_400),
        cover: cover.clone(),
        letters: letters.clone(),
    });
    assert!(is_well_formed(&mail), "{}", String::from_utf8_lossy(&mail));
    assert_eq!(frames(&mail), all);
    let read = in_python("eml-any", &mail);
    assert_eq!(read["subject"], subject);
    assert_eq!(read["from"].to_string(), r#"[["Böb \"der\" Müller","bob@example.org"]]"#);
    assert_eq!(read["to"].to_string(), r#"[["","ann@example.org"],["Zoë, die Dritte","zoe@example.org"]]"#);
    assert_eq!(read["date"], "2026-11-21T12:00:00+00:00");
    assert_eq!((&read["charset"], &read["encoding"]), (&"utf-8".into(), &"quoted-printable".into()));
    assert_eq!(read["text"], format!("{cover}\n\n{}", letters.join("\n")));
}

#[test]
fn no_text_adds_a_header() {
    let (letters, all) = letters();
    let mail = eml(&Outgoing {
        subject: "x\r\nBcc: eve@example.org\r\n\r\nbody\u{2028}y".into(),
        from: Some(people("a\nBcc: eve <bob@example.org>")),
        letters,
        ..Outgoing::default()
    });
    let read = in_python("eml-injected", &mail);
    assert!(!read["headers"].to_string().contains("Bcc"), "{read}");
    assert_eq!(frames(&mail), all);
    for bad in ["", "ann", "ann@", "@x", "a b@x", "a@b@c", "ann@exämple", "Ann <ann@x", "<>", "a@x, b@y", "Ann <a\n@x>"]
    {
        assert!(bad.parse::<Mailbox>().is_err(), "{bad:?}");
    }
}

proptest! {
    #[test]
    fn whatever_the_cover_says_the_letters_are_in_the_mail(
        subject in ".{0,120}", cover in "(.{0,90}\r?\n){0,6}", name in ".{0,20}", many in 0_usize..3,
    ) {
        let (letters, all) = letters();
        let from = format!("{name} <bob@example.org>").parse().ok();
        let letters = letters[..many].to_vec();
        let mail = eml(&Outgoing { subject, from, cover, letters, ..Outgoing::default() });
        prop_assert!(many == 0 || is_well_formed(&mail));
        prop_assert_eq!(frames(&mail), &all[..many]);
    }
}
