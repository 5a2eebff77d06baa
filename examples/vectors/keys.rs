//! Root secrets, key files, backup codes.

use serde_json::{Value, json};

use crate::{Vectors, kit::bytes};
use sealed_dice::{
    keep::{backup, key_file::KeyFile, root::Root},
    primitive::{passphrase::Cost, secret::Secret},
};

fn root() -> Root {
    Root::new(Secret::new(bytes("a root secret").0))
}

pub(crate) fn all(v: &mut Vectors) {
    for (name, about, root) in [
        ("root", "what follows from a root secret", bytes("a root secret").to_string()),
        ("zeros", "the code of 32 zero bytes still has checks", "00".repeat(32)),
        ("ones", "and that of 32 bytes 0xff", "ff".repeat(32)),
    ] {
        v.gives(&format!("key-root/{name}"), "key-file.md 1, 8, 9", about, json!({ "root": root }), json!({}));
    }
    files(v);
    backups(v);
}

/// Returns the lines of a file with one replacement.
fn changed(text: &str, from: &str, to: &str) -> Vec<String> {
    assert!(text.contains(from), "{from} is not in the file");
    text.replacen(from, to, 1).split('\n').map(str::to_owned).collect()
}

fn files(v: &mut Vectors) {
    let stretched = Secret::new(bytes("a stretched passphrase").0);
    let file = KeyFile::seal(&root(), &stretched, bytes("a salt").0, Cost::NEW).unwrap();
    let text = file.text().expose().to_owned();
    let with = |lines: Vec<String>| json!({ "lines": lines, "stretched": bytes("a stretched passphrase") });
    let known = json!({ "root": bytes("a root secret"), "public": file.public() });
    let about = "a key file, opened with its passphrase behind Argon2id";
    v.gives("key-file/passphrase", "key-file.md 3 to 7", about, with(changed(&text, "", "")), known.clone());
    let windows = with(changed(&text.replace('\n', "\r\n"), "", ""));
    v.gives("key-file/crlf", "key-file.md 3", "line ends of Windows", windows, known.clone());
    let open = format!(
        "{}root {}\n-----END SEALED DICE SECRET KEY FILE-----\n",
        text.split("argon2id").next().unwrap().to_owned() + "none\n",
        bytes("a root secret")
    );
    let lines = |text: &str| json!({ "lines": text.split('\n').collect::<Vec<_>>() });
    v.gives("key-file/no-passphrase", "key-file.md 3, 7", "a key file without a passphrase", lines(&open), known);

    let mut refused = |name: &str, rule: &str, about: &str, given: Value, class: &str| {
        v.refused(&format!("key-file/{name}"), &format!("key-file.md {rule}"), about, given, class);
    };
    let mut wrong = with(changed(&text, "", ""));
    wrong["stretched"] = json!(bytes("another passphrase"));
    refused("wrong-passphrase", "7", "another passphrase", wrong, "rule");
    let mut change = |name: &str, rule: &str, about: &str, from: &str, to: &str, class: &str| {
        refused(name, rule, about, with(changed(&text, from, to)), class);
    };
    let other = crate::kit::key("another key").public();
    let (own, other) = (format!("public {}", file.public()), format!("public {}", hex::encode(other.as_bytes())));
    change("public-swapped", "6", "the public key is authenticated", &own, &other, "rule");
    change("passes-changed", "6", "so is the cost", "passes 3", "passes 4", "rule");
    let digit = text.split("sealed ").nth(1).unwrap()[..1].to_owned();
    let to = if digit == "0" { "sealed 1" } else { "sealed 0" };
    change("sealed-changed", "6", "one digit of the sealed secret", &format!("sealed {digit}"), to, "rule");
    change("memory-beyond", "4", "more memory than a file may ask for", "memory 65536", "memory 262145", "fields");
    change("memory-huge", "4", "a TiB", "memory 65536", "memory 999999999", "fields");
    change("memory-none", "4", "less than Argon2 allows", "memory 65536", "memory 7", "fields");
    change("passes-beyond", "4", "more passes than a file may ask for", "passes 3", "passes 17", "fields");
    change("lanes-beyond", "4", "more lanes than a file may ask for", "lanes 1", "lanes 17", "fields");
    change("another-version", "4", "a version that is not known", "version 1", "version 2", "fields");
    let identity = format!("public 01{}", "00".repeat(31));
    change("public-no-key", "4", "a public key of small order", &own, &identity, "key");
    change("leading-zero", "3", "a number has one form", "passes 3", "passes 03", "armour");
    change("another-cipher", "3", "another way to stretch", "argon2id", "argon2i", "armour");
    change("warning-missing", "3", "the first line is part of it", "SECRET: ", "", "armour");
    change("marks-of-a-letter", "3", "a key file never looks like a letter", "SECRET KEY FILE", "MESSAGE", "armour");
    change(
        "something-behind",
        "3",
        "nothing follows the END line",
        "FILE-----\nversion",
        "FILE-----\n\nversion",
        "armour",
    );
    change("long-blank", "4", "longer than a key file can be", "SECRET", &" ".repeat(4096), "size");
    let half: String = text.chars().take(300).collect();
    refused("truncated", "3", "half a file", with(changed(&half, "", "")), "armour");
    let swapped = open.replacen(own.as_str(), &other, 1);
    refused("no-passphrase-public-swapped", "7", "a root that is not that of the public key", lines(&swapped), "rule");
}

fn backups(v: &mut Vectors) {
    let code = backup::write(&root()).expose().to_owned();
    let groups: Vec<&str> = code.split(' ').collect();
    let known = json!({ "root": bytes("a root secret") });
    let spec = "key-file.md 10";
    let lines = |text: String| json!({ "lines": text.split('\n').collect::<Vec<_>>() });
    let mut gives = |name: &str, about: &str, text: String| {
        v.gives(&format!("key-backup/{name}"), spec, about, lines(text), known.clone());
    };
    gives("plain", "fourteen groups", code.clone());
    let typed = code.to_lowercase().replace('0', "o").replace('1', "l");
    gives("small-letters", "small letters, o for 0, l for 1", typed);
    gives("run-together", "without blanks", code.replace(' ', ""));
    gives(
        "dashes",
        "with dashes, over several lines",
        groups.chunks(4).map(|row| row.join("-")).collect::<Vec<_>>().join("\n"),
    );
    let page = format!(
        "a page of 2026\n-----BEGIN SEALED DICE SECRET BACKUP-----\ngroups 1 to 7: {}\ngroups 8 to 14: {}\n\
         -----END SEALED DICE SECRET BACKUP-----\nand more",
        groups[..7].join(" "),
        groups[7..].join(" ")
    );
    gives("page", "between marks, behind labels", page);

    let mut refused = |name: &str, rule: &str, about: &str, text: String, class: &str| {
        v.refused(&format!("key-backup/{name}"), &format!("key-file.md {rule}"), about, lines(text), class);
    };
    let other_digit = if groups[6].starts_with('7') { "8" } else { "7" };
    let wrong_group = format!("{other_digit}{}", &groups[6][1..]);
    let mut wrong = groups.clone();
    wrong[6] = &wrong_group;
    refused("wrong-digit", "9, 11", "one digit of group 7", wrong.join(" "), "rule");
    let mut swapped = groups.clone();
    swapped.swap(2, 9);
    refused("groups-exchanged", "9", "groups 3 and 10 changed places", swapped.join(" "), "rule");
    let mut letters = groups[3].chars().collect::<Vec<_>>();
    let at = (0..4).find(|i| letters[*i] != letters[i + 1]).unwrap();
    letters.swap(at, at + 1);
    let letters: String = letters.into_iter().collect();
    let mut exchanged = groups.clone();
    exchanged[3] = &letters;
    refused("digits-exchanged", "9", "two digits of group 4 changed places", exchanged.join(" "), "rule");
    let mut strange = groups.clone();
    strange[0] = "UUUUU";
    refused("no-digit", "8", "U is no digit", strange.join(" "), "rule");
    refused("group-missing", "11", "thirteen groups", groups[..13].join(" "), "armour");
    refused(
        "group-short",
        "11",
        "a group that lost a character is one group, and wrong",
        {
            let mut short = groups.clone();
            short[4] = &groups[4][..4];
            short.join(" ")
        },
        "rule",
    );
    let other = backup::write(&Root::new(Secret::new(bytes("another root secret").0))).expose().to_owned();
    let mixed: Vec<&str> = groups[..7].iter().copied().chain(other.split(' ').skip(7)).collect();
    refused("of-two-pages", "11", "each group is right, the whole is not", mixed.join(" "), "rule");
    refused("nothing", "11", "no code at all", String::new(), "armour");
}
