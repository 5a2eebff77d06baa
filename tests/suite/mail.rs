//! Mail as it arrives: what mail programs do to letters, and what any bytes may do to the reader. The mails are made here:
//! by Python's own mail software (`mail/mangle.py`), by mail-builder, and once by other programs (`mail/README.md`).

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use mail_builder::{MessageBuilder, headers::content_type::ContentType, mime::MimePart};
use proptest::prelude::*;
use sealed_dice::{
    blob::{Keys, armour},
    mail::{Find, Mail, Source, finds},
};

use crate::{folder, kit::Table};

fn letters() -> Vec<String> {
    Table::turn("a game by mail").letters.iter().map(sealed_dice::game::steps::Letter::armour).collect()
}

fn frame(letter: &str) -> Vec<u8> {
    armour::find(letter.as_bytes())[0].frame.clone().expect("a letter")
}

/// What is in some content: frames of good letters, and places with refusals.
fn found(content: &[u8]) -> Vec<Find> {
    let mut mail = Mail::of(vec![Source::memory("mail", content.to_vec())]);
    let (mut finds, keys) = (Vec::new(), Keys::default());
    while let Some(batch) = mail.batch() {
        assert_eq!(batch.open(&keys, &mut |find| finds.push(find)), None, "no secret is in it");
    }
    assert_eq!(mail.passed(), content.len() as u64, "everything was read");
    assert_eq!(mail.end(), Ok(vec![]));
    finds
}

fn found_at(path: &Path) -> Vec<Find> {
    let mut found = Vec::new();
    let talk = finds(&[path.to_owned()], &mut |find| found.push(find)).expect("it can be read");
    assert!(talk.is_empty(), "{talk:?}");
    found
}

/// Holds what a case's name promises.
fn check(case: &Path, letters: &[String]) -> Result<(), String> {
    let name = case.file_name().expect("a name").to_string_lossy().into_owned();
    let finds = found_at(case);
    let mut whole: Vec<&[u8]> = finds.iter().filter(|find| find.letter.is_ok()).map(|find| &*find.frame).collect();
    whole.sort_unstable();
    let places: Vec<String> = finds
        .iter()
        .map(|find| format!("{}: {:?}", find.place, find.letter.as_ref().map(|letter| letter.id())))
        .collect();
    let refused = finds.len() - whole.len();
    let all: Vec<Vec<u8>> = letters.iter().map(|letter| frame(letter)).collect();
    let mut wanted: Vec<&[u8]> = match name.get(..4) {
        Some("one-" | "two-") => vec![&all[0]],
        Some("all-") => all.iter().map(Vec::as_slice).collect(),
        Some("bad-") => vec![],
        _ => panic!("{name} promises nothing"),
    };
    wanted.sort_unstable();
    let wanted_refused = usize::from(name.starts_with("bad-") || name.starts_with("two-"));
    if whole != wanted || refused != wanted_refused {
        return Err(format!("{name}: {} letters, {refused} refused: {places:#?}", whole.len()));
    }
    Ok(())
}

fn cases(dir: &Path) -> Vec<PathBuf> {
    let mut cases: Vec<PathBuf> =
        fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    cases.retain(|path| !["README.md", "mangle.py", "letters.txt", "make"].iter().any(|name| path.ends_with(name)));
    cases.sort();
    cases
}

fn check_all(dir: &Path, letters: &[String], least: usize) {
    let cases = cases(dir);
    let failures: Vec<String> = cases.iter().filter_map(|case| check(case, letters).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(cases.len() >= least, "only {} cases", cases.len());
}

/// The mails that Python's email and mailbox packages make.
fn mangled(name: &str) -> (PathBuf, Vec<String>) {
    let dir = folder(name);
    let letters = letters();
    let file = dir.with_extension("txt");
    fs::write(&file, letters.concat()).expect("a file");
    let python = if cfg!(windows) { "python" } else { "python3" };
    let output = Command::new(python)
        .arg("tests/suite/mail/mangle.py")
        .args([&file, &dir])
        .output()
        .expect("Python 3 is needed to run the tests");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (dir, letters)
}

#[test]
fn what_mail_programs_do_is_undone() {
    let (dir, letters) = mangled("mangled");
    check_all(&dir, &letters, 70);
}

/// Where a letter is, in words that lead a person to it.
#[test]
fn places_are_for_people() {
    let (dir, _) = mangled("places");
    let place = |case: &str, n: usize| {
        let place = found_at(&dir.join(case))[n].place.clone();
        place.strip_prefix(&format!("{}{}", dir.display(), std::path::MAIN_SEPARATOR)).expect("the file").to_owned()
    };
    assert_eq!(place("all-mbox", 1), "all-mbox, message 2 (\"turn 1\"), line 5");
    assert_eq!(place("one-plain.eml", 0), "one-plain.eml (\"turn 4\"), line 5");
    assert_eq!(
        place("one-attached-octet-stream.eml", 0),
        "one-attached-octet-stream.eml (\"turn 4\"), attachment \"letter.dat\", line 1"
    );
    assert_eq!(place("one-source-pasted.txt", 0), "one-source-pasted.txt, line 16");
    assert!(place("one-after-the-end.eml", 0).contains(", source line "));
    assert!(place("one-utf-16.eml", 0).contains("Züge 4"));
}

/// What the command tells of a mailbox: a damaged letter with the place to look at, and no word on copies.
#[test]
fn the_command_audits_a_mailbox() {
    let (dir, letters) = mangled("mailbox");
    let audit = |path: &Path| {
        Command::new(env!("CARGO_BIN_EXE_sealed-dice")).arg("audit").arg(path).output().expect("the program runs")
    };
    for case in ["all-mbox", "all-maildir", "all-digest.eml", "all-mh"] {
        let output = audit(&dir.join(case));
        let told = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{told}");
        assert!(told.starts_with("verified") && !told.contains("armour"), "{told}");
    }
    let output = audit(&dir.join("bad-in-every-part.eml"));
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{told}");
    let damage = "bad-in-every-part.eml (\"turn 4\"), line 9: line 14 has 63 characters instead of 64";
    assert!(told.contains(damage) && told.matches("armour").count() == 1, "{told}");
    // Two games in one mailbox, in any order, are two games.
    let other = Table::turn("another game by mail").transcript();
    let mut both = fs::read(dir.join("all-mbox")).expect("the mailbox");
    both.extend(format!("\nFrom x Sat Nov 21 12:00:00 2026\nSubject: other\n\n{other}").into_bytes());
    let file = dir.with_extension("both");
    fs::write(&file, both).expect("a file");
    let told = String::from_utf8(audit(&file).stdout).expect("UTF-8");
    assert_eq!(told.lines().filter(|line| line.starts_with("verified")).count(), 2, "{told}");
    assert!(letters.len() > 5);
}

/// Nothing is found in a packed file, so the reader says what to do: as an error if you named the file, else as a warning.
#[test]
fn a_packed_file_is_named_with_what_to_do() {
    let dir = folder("packed");
    let file = dir.join("mails.mbox.gz");
    fs::write(&file, [b"\x1f\x8b\x08", letters()[0].as_bytes()].concat()).expect("a file");
    fs::write(dir.join("turn.txt"), &letters()[0]).expect("a file");
    let mut found = 0;
    let why = finds(std::slice::from_ref(&file), &mut |_| found += 1).expect_err("it is packed");
    let talk = finds(&[dir], &mut |_| found += 1).expect("a folder");
    assert!(why.contains("unpack it") && talk.len() == 1 && talk[0].contains("mails.mbox.gz"), "{why} {talk:?}");
    assert_eq!(found, 1, "the letter beside it");
}

/// Mails that other programs made once; see the page beside them.
#[test]
fn what_other_programs_made_is_read() {
    let dir = Path::new("tests/suite/mail");
    let letters = fs::read_to_string(dir.join("letters.txt")).expect("the letters");
    let letters: Vec<String> = armour::find(letters.as_bytes())
        .into_iter()
        .map(|blob| armour::write(&blob.frame.expect("a letter")))
        .collect();
    check_all(dir, &letters, 8);
}

/// A key that somebody mailed is shouted about once, however it was sent.
#[test]
fn a_secret_key_in_a_mail_is_seen() {
    let secret = format!("{}-----BEGIN SEALED DICE SECRET KEY FILE-----\nx\n", "my key\n".repeat(40_000));
    let mail = format!("Subject: hi\nContent-Transfer-Encoding: base64\nMIME-Version: 1.0\n\n{}", base64(&secret));
    let dir = folder("secret");
    for (name, content, place) in [("key.eml", mail, "key.eml (\"hi\"): "), ("key.txt", secret, "key.txt: ")] {
        let file = dir.join(name);
        fs::write(&file, content).expect("a file");
        let talk = finds(&[file], &mut |find| panic!("{find:?}")).expect("it can be read");
        assert!(talk.len() == 1 && talk[0].starts_with("SECRET KEY in ") && talk[0].contains(place), "{talk:?}");
    }
}

/// A letter that is longer than what is read at once, letters that lie across the cuts, and an END that never comes.
#[test]
fn cuts_do_not_show() {
    let letters = letters();
    let all: Vec<Vec<u8>> = letters.iter().map(|letter| frame(letter)).collect();
    for noise in [0, 1, 40, 61, 977] {
        let mut content = String::new();
        let mut wanted = Vec::new();
        for i in 0..1_500 {
            let n = i % letters.len();
            content.push_str(&"no \u{e4} dice\n".repeat(noise * i % 97));
            content.push_str(&letters[n]);
            wanted.push(&all[n]);
        }
        let finds = found(content.as_bytes());
        assert_eq!(finds.iter().map(|find| &find.frame).collect::<Vec<_>>(), wanted);
        let blobs = armour::find(content.as_bytes());
        let places: Vec<String> = blobs.iter().map(|blob| format!("mail, line {}", blob.line)).collect();
        assert_eq!(finds.iter().map(|find| find.place.clone()).collect::<Vec<_>>(), places);
    }
    let airy = letters[0].replace('\n', &format!("\n{}", "> ".repeat(100_000)));
    assert_eq!(found(airy.as_bytes())[0].frame, all[0], "{} bytes", airy.len());
    let endless = format!("{}{}{}", &letters[0][..200], " \n".repeat(8 << 20), letters[1]);
    let finds = found(endless.as_bytes());
    assert!(finds.len() == 2 && finds[0].letter.is_err() && finds[1].frame == all[1]);
    let long = armour::write(&[0; 1 << 20]);
    assert_eq!(found(long.as_bytes()).len(), 1, "a frame of the largest size is one blob");
}

/// The vectors of armour, read in pieces: the same letters and the same refusals as in a text that is held whole.
#[test]
fn armour_is_read_alike_in_pieces() {
    let mut pieces = 0;
    for case in fs::read_dir("vectors/armour").expect("the vectors") {
        let path = case.expect("an entry").path();
        let vector: serde_json::Value = serde_json::from_slice(&fs::read(&path).expect("a vector")).expect("JSON");
        let given = &vector["given"];
        let strings = |list: &serde_json::Value| -> Vec<String> {
            list.as_array().expect("a list").iter().map(|line| line.as_str().expect("a text").to_owned()).collect()
        };
        let text = match given["filled"].as_array() {
            None => strings(&given["lines"]).join("\n"),
            Some(filled) => filled
                .iter()
                .map(|part| part[0].as_str().expect("a text").repeat(part[1].as_u64().expect("a number") as usize))
                .collect(),
        };
        pieces += text.len() >> 17;
        let blobs: Vec<serde_json::Value> = found(text.as_bytes())
            .into_iter()
            .map(|find| match find.letter {
                Ok(letter) => serde_json::json!({ "id": letter.id() }),
                Err(refusal) => serde_json::json!({ "class": refusal.error.class().as_str() }),
            })
            .collect();
        assert_eq!(serde_json::Value::from(blobs), vector["expect"]["blobs"], "{}", path.display());
    }
    assert!(pieces > 100, "the vectors are long enough to be cut");
}

/// What is read of a text in UTF-16 is counted in bytes of the file, whatever they become.
#[test]
fn wide_text_is_counted_as_it_lies() {
    let letter = &letters()[0];
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    assert_eq!(found(&wide(&format!("\u{feff}3 \u{20ac}\n{letter}"))).len(), 1);
}

/// A message that is too long to be taken apart is searched as it is, and the next one is taken apart again.
#[test]
fn an_endless_message_is_searched_as_text() {
    let letters = letters();
    let noise = format!("{}\n", "kein Brief, nur Laerm ".repeat(3)).repeat(26 << 14);
    let head = |subject: &str| format!("From x Sat Nov 21 12:00:00 2026\nFrom: bob\nSubject: {subject}\n");
    let mailbox = [
        head("long"),
        format!("\n{}{noise}{}", letters[0], letters[1]),
        "\n".into(),
        head("short"),
        format!("Content-Type: text/html\n\n{}", letters[2].replace('\n', "<br>")),
    ];
    let finds = found(mailbox.concat().as_bytes());
    let frames: Vec<&[u8]> = finds.iter().map(|find| &*find.frame).collect();
    assert_eq!(frames, [frame(&letters[0]), frame(&letters[1]), frame(&letters[2])]);
    assert_eq!(finds[0].place, "mail, message 1 (\"long\"), source line 4");
    assert_eq!(finds[2].place, "mail, message 2 (\"short\"), line 1");
}

/// A text of few letters and much noise, most of it in base64, is read in little memory. Where the system does not tell,
/// nothing is asked.
#[cfg(target_os = "linux")]
#[test]
fn a_large_mailbox_takes_little_memory() {
    use std::io::{Read, Write};
    let dir = folder("large");
    let file = dir.join("large.mbox");
    let mut out = std::io::BufWriter::new(fs::File::create(&file).expect("a file"));
    let attachment = format!("{}\n", "QmVnaW4g".repeat(9)).repeat(25_000);
    for (i, letter) in letters().iter().cycle().take(36).enumerate() {
        write!(
            out,
            "From x Sat Nov 21 12:00:00 2026\nSubject: {i}\nContent-Type: multipart/mixed; boundary=b-{i}\n\n\
             --b-{i}\n\n{letter}\n--b-{i}\nContent-Type: application/zip\nContent-Transfer-Encoding: base64\n\n\
             {attachment}--b-{i}--\n\n"
        )
        .expect("it can be written");
    }
    out.flush().expect("it can be written");
    assert!(fs::metadata(&file).expect("a file").len() > 60 << 20);
    // The child waits for its input behind the mailbox, so that its memory can be looked at.
    let mut child = Command::new(env!("CARGO_BIN_EXE_sealed-dice"))
        .args(["audit", "--json"])
        .arg(&file)
        .arg("-")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = child.stdin.take().expect("a pipe");
    // More than a pipe holds: once this is written the mailbox is read.
    input.write_all("\n".repeat(1 << 20).as_bytes()).expect("it reads");
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("a process");
    drop(input);
    let mut told = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut told).expect("an answer");
    assert!(child.wait().expect("it ends").success() && told.contains("\"verdict\":\"verified\""), "{told}");
    let told = |what: &str| {
        let mut lines = status.lines();
        lines.find_map(|line| line.strip_prefix(what)?.trim().strip_suffix(" kB")?.parse::<u64>().ok()).expect(what)
    };
    // The pages of the program's own file, which differ from build to build, are no cost of the mailbox.
    let peak = told("VmHWM:") - told("RssFile:");
    assert!(peak < 16 << 10, "{peak} kB");
}

/// Parts within parts, as a mail program may nest them; the letter is in one of them.
#[derive(Clone, Debug)]
enum Part {
    Text(String, &'static str),
    Html(String),
    File(Vec<u8>),
    Letter { html: bool, encoding: &'static str, attached: bool },
    Several(&'static str, Vec<Self>),
    Forwarded(Box<Self>),
}

impl Part {
    fn build(&self, letter: &str) -> MimePart<'static> {
        match self {
            Self::Text(text, encoding) => MimePart::new("text/plain", text.clone()).transfer_encoding(*encoding),
            Self::Html(text) => MimePart::new("text/html", format!("<p>{text}</p>")),
            Self::File(bytes) => MimePart::new("application/octet-stream", bytes.clone()).attachment("file.bin"),
            Self::Letter { html: true, .. } => {
                MimePart::new("text/html", format!("<div>{}</div>", letter.replace('\n', "</div><div>")))
            }
            Self::Letter { encoding, attached, .. } => {
                let body = match *encoding {
                    "base64" => base64(letter),
                    _ => letter.to_owned(),
                };
                let part = MimePart::new("text/plain; charset=utf-8", body).transfer_encoding(*encoding);
                if *attached { part.attachment("letter.txt") } else { part }
            }
            Self::Several(kind, parts) => {
                let parts: Vec<MimePart<'static>> = parts.iter().map(|part| part.build(letter)).collect();
                MimePart::new(ContentType::new(*kind), parts)
            }
            Self::Forwarded(part) => {
                let inner = MessageBuilder::new().subject("inner").body(part.build(letter));
                let inner = inner.write_to_vec().expect("a message");
                MimePart::new("message/rfc822", inner).transfer_encoding("8bit")
            }
        }
    }

    /// With the letter beside or within it.
    fn with(self, letter: Self, beside: bool) -> Self {
        match self {
            Self::Several(kind, mut parts) => {
                parts.insert(parts.len() / 2, letter);
                Self::Several(kind, parts)
            }
            Self::Forwarded(part) if !beside => Self::Forwarded(Box::new(part.with(letter, true))),
            other => Self::Several("multipart/mixed", vec![other, letter]),
        }
    }
}

fn base64(text: &str) -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let digits = STANDARD.encode(text);
    digits.as_bytes().chunks(76).map(|line| format!("{}\r\n", String::from_utf8_lossy(line))).collect()
}

fn parts() -> impl Strategy<Value = Part> {
    let encodings = prop_oneof![Just("8bit"), Just("7bit"), Just("binary")];
    let leaf = prop_oneof![
        ("[ -~\n]{0,200}", encodings).prop_map(|(text, encoding)| Part::Text(text, encoding)),
        ".{0,80}".prop_map(Part::Html),
        prop::collection::vec(any::<u8>(), 0..200).prop_map(Part::File),
    ];
    leaf.prop_recursive(5, 20, 4, |inner| {
        let kinds = prop_oneof![
            Just("multipart/mixed"),
            Just("multipart/alternative"),
            Just("multipart/related"),
            Just("multipart/signed"),
        ];
        prop_oneof![
            (kinds, prop::collection::vec(inner.clone(), 1..4)).prop_map(|(kind, parts)| Part::Several(kind, parts)),
            inner.prop_map(|part| Part::Forwarded(Box::new(part))),
        ]
    })
}

fn letter_parts() -> impl Strategy<Value = Part> {
    let encodings = prop_oneof![Just("8bit"), Just("7bit"), Just("base64")];
    (any::<bool>(), encodings, any::<bool>()).prop_map(|(html, encoding, attached)| Part::Letter {
        html,
        encoding,
        attached,
    })
}

proptest! {
    #[test]
    fn a_letter_anywhere_in_a_mail_is_found_once(
        part in parts(), letter in letter_parts(), beside in any::<bool>(), twice in prop::option::of(letter_parts()), in_mbox in any::<bool>(),
    ) {
        let text = Table::begin("a letter anywhere").letters[0].armour();
        let part = part.with(letter, beside);
        let part = twice.into_iter().fold(part, |part, again| part.with(again, !beside));
        let message = MessageBuilder::new().from("bob@example.org").subject("turn 4").body(part.build(&text));
        let mut content = message.write_to_vec().expect("a message");
        if in_mbox {
            content.splice(0..0, b"From bob Sat Nov 21 12:00:00 2026\n".iter().copied());
        }
        let finds = found(&content);
        prop_assert_eq!(finds.len(), 1, "{:?}\n{}", finds, String::from_utf8_lossy(&content));
        prop_assert_eq!(&finds[0].frame, &frame(&text));
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..2_000), mbox in any::<bool>()) {
        let start: &[u8] = if mbox { b"From x\nSubject: y\n" } else { b"Content-Type: multipart/mixed; boundary=\"-\"\n" };
        found(&bytes);
        found(&[start, &bytes].concat());
    }

    #[test]
    fn no_scraps_of_mail_make_the_reader_panic(scraps in prop::collection::vec(scraps(), 0..40)) {
        found(scraps.concat().as_bytes());
    }
}

fn scraps() -> impl Strategy<Value = String> {
    let known = [
        "From x\n",
        "\n",
        "\r\n",
        "Subject: =?utf-8?q?=C3?=\n",
        "Content-Type: multipart/mixed; boundary=b\n",
        "Content-Type: multipart/digest; boundary=\"b\"\n",
        "Content-Type: message/rfc822\n",
        "Content-Type: text/html; charset=utf-7\n",
        "Content-Type: text/plain; charset=\n",
        "Content-Transfer-Encoding: base64\n",
        "Content-Transfer-Encoding: quoted-printable\n",
        "Content-Disposition: attachment; filename*=utf-8''%C3\n",
        "--b\n",
        "--b--\n",
        "--",
        "=",
        "<div",
        "<pre>",
        "&#",
        "<!--",
        "</script",
        "BEGIN SEALED DICE MESSAGE",
        "END SEALED DICE MESSAGE",
        "-----",
        "QUJD",
        "\u{feff}",
        "Date: x\n",
    ];
    prop_oneof![prop::sample::select(known.to_vec()).prop_map(str::to_owned), ".{0,9}"]
}

/// However deep, long or full of marks: it ends, and soon.
#[test]
fn hostile_mails_end() {
    let nested = "Content-Type: message/rfc822\n\n".repeat(200_000);
    assert!(found(nested.as_bytes()).is_empty());
    let several = "Content-Type: multipart/mixed; boundary=b\n\n--b\n".repeat(100_000);
    assert!(found(several.as_bytes()).is_empty());
    let marks = format!("Subject: x\nTo: y\n\n{}", "BEGIN SEALED DICE MESSAGE ".repeat(100_000));
    assert_eq!(found(marks.as_bytes()).len(), sealed_dice::limits::DAMAGED);
    let tags = format!("Content-Type: text/html\n\n{}", "<a \"<!--".repeat(300_000));
    assert!(found(tags.as_bytes()).is_empty());
    let from = "From x\nFrom y\n\n".repeat(300_000);
    assert!(found(from.as_bytes()).is_empty());
}
