//! Canonical JSON, frames, armour.

use sealed_dice::blob::{armour, body::SetKind};
use serde_json::{Value, json};

use crate::{
    Vectors,
    kit::{Ann, Bob, Table, example_attacks, key, raw_frame},
};

pub(crate) fn all(v: &mut Vectors) {
    json_texts(v);
    messages(v);
    fields(v);
    armours(v);
}

fn json_texts(v: &mut Vectors) {
    let given = |text: &str| json!({ "bytes": hex::encode(text) });
    v.gives(
        "json/payload",
        "json.md 2",
        r#"{"a":[1,-2,true,null],"b":"\"\\\n\u0001/é"}"#,
        given("{\"a\":[1,-2,true,null],\"b\":\"\\\"\\\\\\n\\u0001/é\"}"),
        json!({ "value": { "a": [1, -2, true, null], "b": "\"\\\n\u{1}/é" } }),
    );
    let good = [
        ("largest-integer", "[9007199254740991,-9007199254740991]"),
        ("depth-10", "[[[[[[[[[[1]]]]]]]]]]"),
        ("unusual-characters", "\"\u{7f}\u{2028}\u{feff}\u{ffff}\u{10ffff}\""),
        ("keys-by-bytes", "{\"A\":1,\"a\":2,\"é\":3,\"\u{10000}\":4}"),
        ("empty", "{}"),
    ];
    for (name, text) in good {
        v.gives(&format!("json/{name}"), "json.md 1, 2", "accepted as it stands", given(text), json!({}));
    }
    let broken = [
        ("duplicate-key", "{\"n\":1,\"n\":2}", "two equal keys: parsers differ in which one they keep"),
        ("fraction", "[1.0]", "a number with a fraction"),
        ("exponent", "[1e2]", "a number with an exponent"),
        ("minus-zero", "[-0]", "minus zero"),
        ("integer-too-large", "[9007199254740992]", "2^53"),
        ("integer-huge", "[123456789012345678901234567890]", "an integer that no parser keeps"),
        ("depth-11", "[[[[[[[[[[[1]]]]]]]]]]]", "one level too deep"),
        ("depth-11-empty", "[[[[[[[[[[[]]]]]]]]]]]", "the eleventh level is empty"),
        ("lone-surrogate", "[\"\\ud800\"]", "an escape that stands for half a character"),
        ("trailing-comma", "[1,]", "not JSON"),
        ("leading-zero", "[01]", "not JSON"),
        ("control-character", "[\"\u{1}\"]", "not JSON: control characters are escaped"),
        ("nothing", "", "no text at all"),
        ("two-values", "{}{}", "something follows"),
        ("byte-order-mark", "\u{feff}{}", "a byte order mark"),
    ];
    for (name, text, about) in broken {
        v.refused(&format!("json/{name}"), "json.md 1", about, given(text), "json");
    }
    v.refused("json/not-utf8", "json.md 1", "a byte that is no UTF-8", json!({ "bytes": "5b22ff225d" }), "json");
    let other = [
        ("blank", "{\"a\": 1}", "a blank"),
        ("final-line-feed", "{}\n", "a line feed behind it"),
        ("key-order", "{\"b\":1,\"a\":2}", "keys out of order"),
        ("escaped-slash", "\"\\/\"", "an escape that is not needed"),
        ("escaped-letter", "\"\\u0061\"", "an escape that is not needed"),
        ("escape-in-capitals", "\"\\u001F\"", "an escape with a capital digit"),
        ("long-escape", "\"\\u000a\"", "an escape that has a short form"),
        ("keys-by-utf16", "{\"\u{10000}\":1,\"\u{e000}\":2}", "keys in the order of UTF-16 instead of bytes"),
    ];
    for (name, text, about) in other {
        v.refused(&format!("json/{name}"), "json.md 2, 3", about, given(text), "canonical");
    }
}

/// Returns the lines of a frame.
fn lines(frame: &[u8]) -> Value {
    json!({ "frame_lines": String::from_utf8_lossy(frame).split('\n').collect::<Vec<_>>() })
}

fn messages(v: &mut Vectors) {
    let table = Table::turn("message vectors");
    let about = [
        ("charter", 0, "the terms of a game"),
        ("accept", 1, "its acceptance; the id is the game's id"),
        ("seal-sheet", 2, "a sheet: K_0 of forty columns"),
        ("seal-coin", 4, "five envelopes"),
        ("declare", 5, "three attacks, total 82, envelope 2"),
        ("reveal", 6, "the key of envelope 2"),
        ("declare-cells", 7, "two cells of the sheet"),
        ("reveal-cells", 8, "one key opens both"),
    ];
    for (name, i, about) in about {
        let frame = &table.letters[i].frame;
        v.gives(&format!("message/{name}"), "message.md 1 to 9", about, lines(frame), json!({}));
    }
    let withdrawn = super::games::withdrawn(&mut Table::turn("message vectors"));
    v.gives("message/withdraw", "charter.md 21", "terms that are taken back", lines(&withdrawn), json!({}));
    let told = super::office::told();
    v.gives("message/receipt-time", "message.md 1 to 9", "what an office's clock shows", lines(&told.frame), json!({}));
    let frame = table.letters[5].frame.clone();
    let text = String::from_utf8(frame.clone()).unwrap();
    let parts: Vec<&str> = text.split('\n').collect();
    let (payload, signature) = (parts[1], parts[3]);
    let ann = key("key of ann");
    let mut bad = |name: &str, rule: &str, about: &str, frame: &[u8], class: &str| {
        v.refused(&format!("message/{name}"), rule, about, lines(frame), class);
    };
    bad("other-type", "message.md 1", "another version's type", text.replace("dice/v1", "dice/v2").as_bytes(), "frame");
    bad("padding-short", "message.md 1", "not a multiple of 3", &frame[..frame.len() - 1], "frame");
    bad("padding-long", "message.md 1", "three line feeds too many", (text.clone() + "\n\n\n").as_bytes(), "frame");
    bad(
        "key-in-capitals",
        "message.md 1",
        "the key in capitals",
        text.replace(parts[2], &parts[2].to_uppercase()).as_bytes(),
        "frame",
    );
    bad(
        "signature-in-capitals",
        "message.md 1",
        "the signature in capitals",
        text.replace(signature, &signature.to_uppercase()).as_bytes(),
        "frame",
    );
    bad(
        "line-missing",
        "message.md 1",
        "no signature",
        format!("{}\n{payload}\n{}\n", parts[0], parts[2]).as_bytes(),
        "frame",
    );
    bad(
        "small-order-key",
        "message.md 5",
        "the neutral point as key",
        text.replace(parts[2], &format!("01{}", "00".repeat(31))).as_bytes(),
        "key",
    );
    bad(
        "altered",
        "message.md 3",
        "the total is raised by one on the way",
        text.replace("\"total\":82", "\"total\":83").as_bytes(),
        "signature",
    );
    let mut resign = |name: &str, rule: &str, about: &str, payload: &str, class: &str| {
        bad(name, rule, about, &raw_frame(payload.as_bytes(), &ann), class);
    };
    resign("signed-not-json", "message.md 11", "a good signature under no JSON", "attack F12!", "json");
    let doubled = payload.replacen("{\"body\"", "{\"body\":{},\"body\"", 1);
    resign("signed-duplicate-key", "json.md 1", "two bodies: readers would differ", &doubled, "json");
    let blank = payload.replace("\"total\":82", "\"total\": 82");
    resign("signed-not-canonical", "json.md 3", "a blank", &blank, "canonical");
    let capitals = payload.replacen("\"open\":\"", "\"open\":\"A", 1);
    resign("signed-65-digits", "json.md 4", "a contribution of 65 digits", &capitals, "fields");
    let open = payload.split("\"open\":\"").nth(1).unwrap().split('"').next().unwrap();
    let capitals = payload.replace(open, &open.to_uppercase());
    resign("signed-upper-case-hex", "json.md 4", "a contribution in capitals", &capitals, "fields");
    let (first, _) = payload.split_at(payload.len() - 1);
    resign(
        "signed-extra-part",
        "message.md 2",
        "something beside body and head",
        &format!("{first},\"note\":1}}"),
        "fields",
    );
    let other_frame = raw_frame(payload.as_bytes(), &key("key of bob"));
    v.gives(
        "message/signed-with-another-key",
        "message.md 12",
        "Bob's key under Ann's letter: a good message, which her game then refuses (class game)",
        lines(&other_frame),
        json!({}),
    );
    v.refused(
        "message/too-long",
        "message.md 1",
        "one byte over the limit; the rest is never looked at",
        json!({ "filled": (1 << 20) + 1 }),
        "size",
    );
}

/// Writes bodies that break their tables. Each letter is signed, so only the fields are wrong.
fn fields(v: &mut Vectors) {
    let mut table = Table::turn("field vectors");
    table.close_all();
    table.seal(Bob, SetKind::Note, "1/1/bob-first/1/moves");
    let ann = key("key of ann");
    let payload = |i: usize| {
        let frame = String::from_utf8(table.letters[i].frame.clone()).unwrap();
        serde_json::from_str::<Value>(frame.split('\n').nth(1).unwrap()).unwrap()
    };
    let continues = |heads: Value, states: Value| json!({ "game": "00".repeat(32), "heads": heads, "states": states });
    let cases: Vec<(&str, usize, &str, Value, &str)> = vec![
        ("v-2", 5, "/head/v", json!(2), "version 2"),
        ("unknown-kind", 5, "/head/kind", json!("roll"), "no such kind"),
        ("number-0", 5, "/head/number", json!(0), "numbers begin at 1"),
        ("number-as-text", 5, "/head/number", json!("2"), "a number in quotes"),
        ("author-in-capitals", 5, "/head/author", json!("Ann"), "a role has small letters"),
        ("seen-as-list", 5, "/head/seen", json!([]), "seen is an object"),
        ("prev-null", 5, "/head/prev", Value::Null, "a later letter without its previous one"),
        ("game-null", 5, "/head/game", Value::Null, "a later letter without its game"),
        ("charter-with-game", 0, "/head/game", json!("00".repeat(32)), "a charter has no game yet"),
        ("accept-number-2", 1, "/head/number", json!(2), "an accept is the author's first letter"),
        ("slot-as-list", 5, "/body/slot", json!([1, 1, "ann-first", 1]), "an object is not a list"),
        ("slot-impulse-0", 5, "/body/slot/impulse", json!(0), "impulses begin at 1"),
        ("slot-phase-with-blank", 5, "/body/slot/phase", json!("ann first"), "a phase's name has no blanks"),
        ("moves-two-ways", 5, "/body/moves", json!({ "text": "x", "none": null }), "exactly one of the moves"),
        ("moves-of-no-kind", 5, "/body/moves", json!({ "photo": "x" }), "no such moves"),
        ("moves-no-files", 5, "/body/moves", json!({ "files": [] }), "at least one file"),
        ("contribution-bare", 5, "/body/contribution", json!("00".repeat(32)), "open or nothing"),
        ("select-row-of-three", 5, "/body/select/worksheet/rows/0", json!([2, 1, 0]), "a pair has two items"),
        ("select-negative", 5, "/body/select/worksheet/index", json!(-1), "integers begin at 0"),
        ("input-null", 5, "/body/input", Value::Null, "an input is an object"),
        ("redo-of-no-kind", 5, "/body/redo", json!({ "again": "00".repeat(32) }), "no such redo"),
        ("commits-missing-one", 4, "/body/n", json!(6), "five commitments for six places"),
        ("sheet-of-399", 2, "/body/n", json!(399), "a sheet has 400 places"),
        ("set-of-257", 4, "/body/n", json!(257), "at most 256 places"),
        ("coin-with-notes", 4, "/body/notes", json!([]), "only notes have ciphertexts"),
        ("note-without-text", 12, "/body/notes", Value::Null, "a note has its ciphertext"),
        ("note-of-odd-length", 12, "/body/notes/0", json!("00".repeat(271)), "a ciphertext is padded"),
        ("note-empty", 12, "/body/notes/0", json!("00".repeat(16)), "a ciphertext is not empty"),
        ("reveal-key-of-one", 6, "/body/keys/0", json!([2]), "an index and a key"),
        ("close-result-number", 9, "/body/result", json!(1), "a result is a text"),
        ("seal-number-1", 4, "/head/number", json!(1), "only a charter or an accept is an author's first letter"),
        (
            "reveal-257-keys",
            6,
            "/body/keys",
            json!((0..257).map(|i| json!([i, "00".repeat(32)])).collect::<Vec<_>>()),
            "more keys than a set has envelopes",
        ),
        (
            "reveal-41-cells",
            6,
            "/body/sheets",
            json!((0..41).map(|i| json!([i, 1, "00".repeat(32)])).collect::<Vec<_>>()),
            "more cells than a sheet has columns",
        ),
        ("close-master-twice", 10, "/body/masters/1", masters_first(&table), "a seal stands once among the masters"),
        (
            "moves-file-without-name",
            5,
            "/body/moves",
            json!({ "files": [{ "length": 1, "name": "", "sha3_256": "00".repeat(32) }] }),
            "a file has a name",
        ),
        (
            "charter-65-tables",
            0,
            "/body/tables",
            (0..65).map(|i| (format!("table {i}"), json!({}))).collect::<serde_json::Map<_, _>>().into(),
            "at most 64 tables",
        ),
        (
            "seen-nine-roles",
            5,
            "/head/seen",
            (0..9).map(|i| (format!("role-{i}"), Value::Null)).collect::<serde_json::Map<_, _>>().into(),
            "at most eight roles",
        ),
        ("charter-office", 0, "/body/office", json!({}), "an office has a key, a name, a role, and what it holds"),
        (
            "charter-office-without-deposit",
            0,
            "/body/office",
            json!({ "key": "00".repeat(32), "name": "Dora", "role": "dora" }),
            "whether an office holds keys is said",
        ),
        ("charter-revealer", 0, "/body/phases/0/revealer", json!("quorum"), "no such revealer"),
        ("charter-three-parties", 0, "/body/parties/2", Value::Null, "two players"),
        ("charter-no-phases", 0, "/body/phases", json!([]), "at least one phase"),
        ("charter-impulses-descending", 0, "/body/phases/0/impulses", json!([2, 1]), "impulses ascend"),
        (
            "charter-deposit-notes-of-no-kind",
            0,
            "/body/referee",
            json!({
                "deposit": { "key": "00".repeat(32), "notes": 1 }, "key": "00".repeat(32), "name": "Carol", "role": "carol",
            }),
            "notes are held or not",
        ),
        (
            "charter-referee-without-deposit",
            0,
            "/body/referee",
            json!({ "key": "00".repeat(32), "name": "Carol", "role": "carol" }),
            "whether a referee holds deposits is said",
        ),
        ("charter-continues-no-heads", 0, "/body/continues", continues(json!({}), json!({})), "at least one head"),
        (
            "charter-continues-5-heads",
            0,
            "/body/continues",
            continues(json!({ "a": null, "b": null, "c": null, "d": null, "e": null }), json!({})),
            "at most four heads",
        ),
        (
            "charter-continues-head-of-no-role",
            0,
            "/body/continues",
            continues(json!({ "Ann": null }), json!({})),
            "heads are named by roles",
        ),
        (
            "charter-continues-head-of-no-id",
            0,
            "/body/continues",
            continues(json!({ "ann": "last" }), json!({})),
            "a head is an id or null",
        ),
        (
            "charter-continues-9-states",
            0,
            "/body/continues",
            continues(json!({ "ann": null }), (0..9).map(|i| (format!("s{i}"), json!({}))).collect()),
            "at most eight states",
        ),
        (
            "charter-continues-state-of-no-fields",
            0,
            "/body/continues",
            continues(json!({ "ann": null }), json!({ "cil": null })),
            "a state is an object",
        ),
        (
            "charter-continues-without-states",
            0,
            "/body/continues",
            json!({ "game": "00".repeat(32), "heads": { "ann": null } }),
            "states are said, if there are none too",
        ),
        ("charter-continues-a-game", 0, "/body/continues", json!("00".repeat(32)), "a game is not all that is said"),
        ("charter-empty-title", 0, "/body/title", json!(""), "a title has a character"),
        ("charter-penalty-empty", 0, "/body/penalties", json!([""]), "a penalty has a character"),
        (
            "charter-penalty-1001",
            0,
            "/body/penalties",
            json!(["x".repeat(1_001)]),
            "a penalty has at most 1000 characters",
        ),
        ("charter-penalty-of-fields", 0, "/body/penalties", json!([{ "text": "a week" }]), "a penalty is a text"),
        ("charter-65-penalties", 0, "/body/penalties", json!(vec!["x"; 65]), "at most 64 penalties"),
        ("charter-foul-up-0", 0, "/body/foul_up/envelopes", json!(0), "at least one foul-up envelope"),
        ("charter-remedy", 0, "/body/foul_up/remedies/illegal-odds", json!("correct"), "no such remedy"),
    ];
    for (name, letter, pointer, value, about) in cases {
        let mut payload = payload(letter);
        let (parent, last) = pointer.rsplit_once('/').unwrap();
        match payload.pointer_mut(parent).unwrap() {
            Value::Object(fields) => {
                fields.insert(last.to_owned(), value);
            }
            Value::Array(items) => {
                let at: usize = last.parse().unwrap();
                if at == items.len() {
                    items.push(value);
                } else {
                    items[at] = value;
                }
            }
            _ => panic!("{pointer}"),
        }
        let frame = raw_frame(payload.to_string().as_bytes(), &ann);
        v.refused(&format!("message/fields-{name}"), "json.md 4", about, lines(&frame), "fields");
    }
    let id = "00".repeat(32);
    let scope = |lines: Value| json!({ "void": { "reason": "x", "scope": { "rolls": { "declaration": id, "lines": lines } } } });
    let deposit = |digits: usize| json!({ "key": id, "seal": id, "wrapped": "0".repeat(digits) });
    let kinds: Vec<(&str, &str, Value, &str)> = vec![
        ("void-lines-descending", "correct", scope(json!([2, 1])), "lines ascend"),
        ("void-line-0", "correct", scope(json!([0])), "rolls are numbered from 1"),
        ("void-no-lines", "correct", scope(json!([])), "at least one line"),
        (
            "stall-without-step",
            "claim",
            json!({ "stall": { "letter": null, "owes": "bob", "text": "" } }),
            "a step is named",
        ),
        (
            "dispute-without-text",
            "claim",
            json!({ "dispute": { "letters": [id], "text": "" } }),
            "a dispute says what is wrong",
        ),
        ("dispute-letter-twice", "claim", json!({ "dispute": { "letters": [id, id], "text": "x" } }), "letters ascend"),
        (
            "yield-nothing",
            "claim",
            json!({ "yield": { "declaration": null, "forfeit": "none", "text": "" } }),
            "a forfeit forfeits something",
        ),
        (
            "names-die-0",
            "claim",
            json!({ "names": { "declaration": id, "dice": [0], "forfeit": id } }),
            "dice begin at 1",
        ),
        ("claim-two-ways", "claim", json!({ "withdraw": id, "stall": null }), "exactly one claim"),
        ("ruling-of-no-kind", "ruling", json!({ "rule": { "exile": id }, "text": "" }), "no such rule"),
        (
            "ruling-forfeits-nothing",
            "ruling",
            json!({ "rule": { "forfeit": { "forfeit": "none", "request": id } }, "text": "" }),
            "a forfeit forfeits something",
        ),
        ("resync-ask-with-number", "resync", json!({ "ask": id }), "an ask has number 0"),
        (
            "resync-answer-with-number",
            "resync",
            json!({ "answer": { "ask": id, "last": id } }),
            "and so has an answer: neither is a letter",
        ),
        ("deposit-with-number", "deposit", deposit(160), "a deposit has number 0"),
        ("withdraw-with-number", "withdraw", json!({}), "a withdraw has number 0"),
        ("receipt-of-nothing", "receipt", json!({ "deposit": { "seals": [] } }), "at least one seal"),
        ("receipt-seal-twice", "receipt", json!({ "deposit": { "seals": [id, id] } }), "seals ascend"),
        (
            "receipt-65-seals",
            "receipt",
            json!({ "deposit": { "seals": (0..65).map(|i| format!("{i:064x}")).collect::<Vec<_>>() } }),
            "at most 64 seals",
        ),
        ("receipt-of-no-kind", "receipt", json!({ "release": { "seals": [id] } }), "no such receipt"),
        ("receipt-hands-back-nothing", "receipt", json!({ "hand_back": { "seals": [] } }), "at least one seal"),
        ("receipt-epoch-without-time", "receipt", json!({ "epoch": {} }), "an epoch says when it began"),
        ("receipt-before-1970", "receipt", json!({ "time": { "at": -1 } }), "times are counted from 1970"),
        ("receipt-after-9999", "receipt", json!({ "time": { "at": 253_402_300_800_u64 } }), "and up to the year 9999"),
        (
            "opening-without-request",
            "ruling",
            json!({ "rule": { "open": { "keys": [], "sheets": [] } }, "text": "" }),
            "an opening names the request before it",
        ),
        (
            "opening-257-keys",
            "ruling",
            json!({
                "rule": {
                    "open": {
                        "keys": (0..257).map(|i| json!([i, id])).collect::<Vec<_>>(), "request": id, "sheets": [],
                    }
                },
                "text": "",
            }),
            "more keys than a set has envelopes",
        ),
    ];
    for (name, kind, body, about) in kinds {
        let mut payload = payload(5);
        payload["head"]["kind"] = json!(kind);
        payload["body"] = body;
        let frame = raw_frame(payload.to_string().as_bytes(), &ann);
        v.refused(&format!("message/fields-{name}"), "json.md 4", about, lines(&frame), "fields");
    }
    let unnumbered: Vec<(&str, &str, Value, &str)> = vec![
        ("resync-answer-bare", "resync", json!({ "answer": id }), "an answer has two fields"),
        ("resync-answer-without-last", "resync", json!({ "answer": { "ask": id } }), "null where there is no letter"),
        ("resync-of-no-kind", "resync", json!({ "tell": id }), "an ask or an answer"),
        (
            "resync-two-ways",
            "resync",
            json!({ "answer": { "ask": id, "last": null }, "ask": id }),
            "one of them, and not both",
        ),
        ("receipt-number-0", "receipt", json!({ "deposit": { "seals": [id] } }), "a receipt is a letter"),
        ("deposit-short", "deposit", deposit(158), "a wrapped secret has 160 digits"),
        ("withdraw-with-field", "withdraw", json!({ "charter": id }), "a withdraw says nothing but its head"),
    ];
    let heads = [
        ("ask-with-prev", "prev", json!(id), "an unnumbered message follows none"),
        ("ask-with-seen", "seen", json!({ "bob": id }), "and has seen nothing"),
        ("ask-without-game", "game", Value::Null, "and is of a game"),
    ];
    for (name, field, value, about) in heads {
        let mut payload = payload(5);
        payload["head"]["kind"] = json!("resync");
        payload["head"]["number"] = json!(0);
        payload["head"]["prev"] = Value::Null;
        payload["head"]["seen"] = json!({ "bob": null });
        payload["head"][field] = value;
        payload["body"] = json!({ "ask": id });
        let frame = raw_frame(payload.to_string().as_bytes(), &ann);
        v.refused(&format!("message/fields-{name}"), "message.md 9", about, lines(&frame), "fields");
    }
    for (name, kind, body, about) in unnumbered {
        let mut payload = payload(5);
        payload["head"]["kind"] = json!(kind);
        payload["head"]["number"] = json!(0);
        payload["head"]["prev"] = Value::Null;
        payload["head"]["seen"] = json!({ "bob": null });
        payload["body"] = body;
        let frame = raw_frame(payload.to_string().as_bytes(), &ann);
        v.refused(&format!("message/fields-{name}"), "message.md 9", about, lines(&frame), "fields");
    }
    let mut missing = payload(5);
    missing["body"].as_object_mut().unwrap().remove("redo");
    let frame = raw_frame(missing.to_string().as_bytes(), &ann);
    v.refused("message/fields-missing", "json.md 4", "redo is left out instead of null", lines(&frame), "fields");
    let mut unknown = payload(5);
    unknown["body"]["dice"] = json!([6, 6, 6]);
    let frame = raw_frame(unknown.to_string().as_bytes(), &ann);
    v.refused("message/fields-unknown", "json.md 4", "a field that the table does not have", lines(&frame), "fields");
}

/// Returns the first master in the first close that has masters.
fn masters_first(table: &Table) -> Value {
    let bodies = table.letters.iter().map(|letter| letter.message.body());
    let first = bodies.filter_map(|body| match body {
        sealed_dice::blob::Body::Close(close) => close.masters.as_ref()?.first().copied(),
        _ => None,
    });
    serde_json::to_value({ first }.next().unwrap()).unwrap()
}

fn armours(v: &mut Vectors) {
    let mut table = Table::begin("armour vectors");
    let seal = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
    table.declare(Ann, "1/1/ann-first/1", example_attacks(), seal);
    let plain = armour::write(&table.letters[1].frame);
    let id = table.letters[1].message.id().to_string();
    let found = json!({ "blobs": [{ "id": id }] });
    let given = |text: &str| json!({ "lines": text.split('\n').collect::<Vec<_>>() });
    let quoted: String = plain.lines().map(|line| format!("> {line}\n")).collect();
    v.gives("armour/plain", "armour.md 1", "as written", given(&plain), found.clone());

    let body: String = plain.lines().filter(|line| !line.starts_with('-')).collect();
    let padded = "-----BEGIN SEALED DICE MESSAGE-----\nQQ==\n-----END SEALED DICE MESSAGE-----\n";
    let wrapped = |width: usize, prefix: &str| {
        let lines = body.as_bytes().chunks(width);
        let lines: String = lines.map(|line| format!("{prefix}{}\n", String::from_utf8_lossy(line))).collect();
        format!("{prefix}-----BEGIN SEALED DICE MESSAGE-----\n{lines}{prefix}-----END SEALED DICE MESSAGE-----\n")
    };
    let answer = format!("Bob wrote:\n{}Shall we play on? - Ann\n", wrapped(72, "> "));
    v.gives(
        "armour/quoted-and-wrapped",
        "armour.md 2 to 4",
        "an answer that quotes a re-wrapped letter",
        given(&answer),
        found.clone(),
    );

    let forgiven: Vec<(&str, &str, String)> = vec![
        ("quoted", "quoted once", quoted.clone()),
        ("quoted-thrice", "quoted three times", plain.lines().map(|line| format!(">>> {line}\n")).collect()),
        ("barred", "quoted with bars", plain.lines().map(|line| format!("| {line}\n")).collect()),
        ("crlf", "lines end in CR LF", plain.replace('\n', "\r\n")),
        ("wrapped-40", "wrapped at 40", wrapped(40, "")),
        ("quoted-then-wrapped", "quoted, then wrapped with the marks inside", quoted.replace("\n> ", " > ")),
        ("one-line", "all on one line", plain.replace('\n', " ")),
        ("blank-lines", "blank lines between", plain.replace('\n', "\n\n")),
        ("trailing-blanks", "blanks at the ends", plain.replace('\n', "  \n")),
        (
            "indented-no-break-space",
            "indented by no-break spaces",
            plain.lines().map(|line| format!("\u{a0}\u{a0}{line}\n")).collect(),
        ),
        ("em-dashes", "dashes turned into em dashes", plain.replace("-----", "\u{2014}\u{2014}-")),
        ("one-dash", "all dashes but one are gone", plain.replace("-----", "-")),
        ("no-dashes", "all dashes are gone", plain.replace("-----", "")),
        ("zero-width", "zero-width spaces everywhere", plain.chars().flat_map(|c| [c, '\u{200b}']).collect()),
        ("soft-hyphens", "soft hyphens in the marks", plain.replace("SEALED", "SEA\u{ad}LED")),
        (
            "soft-line-breaks",
            "soft line breaks of quoted-printable",
            plain.replacen("c2Vh", "c2Vh=\n", 1).replacen("END SEALED", "END=\r\n SEALED", 1),
        ),
        ("raw-quoted-printable-dashes", "em dashes as quoted-printable left them", plain.replace("-----", "=E2=80=94")),
        (
            "dash-escaped",
            "the dash escape of old mail programs",
            plain.replace("\nc2Vh", "\n- c2Vh").replace("\n-----END", "\n- -----END"),
        ),
        ("marks-broken", "a mark broken over two lines", plain.replace("SEALED DICE", "SEALED\nDICE")),
        (
            "between-other-text",
            "between other text",
            format!("Dear Bob,\nBEGIN THE ATTACK!\n{plain}The END is near.\n"),
        ),
        (
            "direction-marks",
            "direction marks around",
            format!("\u{202a}{}\u{202c}", plain.replace('\n', "\u{202c}\n\u{202a}")),
        ),
    ];
    for (name, about, text) in forgiven {
        v.gives(&format!("armour/{name}"), "armour.md 2 to 4", about, given(&text), found.clone());
    }
    let other = armour::write(&table.letters[2].frame);
    let both = json!({ "blobs": [{ "id": id }, { "id": table.letters[2].message.id() }] });
    v.gives(
        "armour/two-blobs",
        "armour.md 6",
        "two letters in one mail",
        given(&format!("{plain}\nand\n{other}")),
        both,
    );
    v.gives(
        "armour/one-good-one-cut",
        "armour.md 5",
        "a letter that was cut off does not hide the next one",
        given(&format!("{}{other}", &plain[..200])),
        json!({ "blobs": [{ "class": "armour" }, { "id": table.letters[2].message.id() }] }),
    );
    v.gives(
        "armour/nothing",
        "armour.md 2",
        "no blob",
        given("We BEGIN at dawn; the END is open."),
        json!({ "blobs": [] }),
    );
    let damaged: Vec<(&str, &str, String, &str)> = vec![
        ("character-lost", "a character is missing", plain.replacen("c2Vh", "c2V", 1), "armour"),
        ("line-lost", "a line is missing: it still decodes, but not to a frame", remove_line(&plain, 3), "fields"),
        ("stray-character", "a character that does not belong", plain.replacen("c2Vh", "c2V*", 1), "armour"),
        ("base64url", "the other alphabet of base64", plain.replacen("c2Vh", "c2V_", 1), "armour"),
        ("padded", "padding", plain.replace("\n-----END", "====\n-----END"), "armour"),
        (
            "padded-before-dashes",
            "padding, and the dashes directly behind it",
            padded.replace("\n-----END", "-----END"),
            "armour",
        ),
        (
            "padded-before-a-blank",
            "padding, and a blank behind it",
            padded.replace("\n-----END", " \n-----END"),
            "armour",
        ),
        (
            "empty",
            "nothing between the marks",
            "-----BEGIN SEALED DICE MESSAGE-----\n-----END SEALED DICE MESSAGE-----\n".into(),
            "armour",
        ),
        ("end-missing", "no END", plain.replace("-----END SEALED DICE MESSAGE-----", ""), "armour"),
        ("begin-missing", "no BEGIN", plain.replace("-----BEGIN SEALED DICE MESSAGE-----", ""), "armour"),
        ("end-misspelt", "END in small letters", plain.replace("-----END", "-----End"), "armour"),
        (
            "not-utf8",
            "a byte that is no UTF-8, as a reader shows it",
            plain.replacen("c2Vh", "c2Vh\u{fffd}", 1),
            "armour",
        ),
        ("not-a-frame", "base64 of something else", armour::write(b"hello world!"), "frame"),
    ];
    for (name, about, text, class) in damaged {
        v.gives(
            &format!("armour/{name}"),
            "armour.md 4, 5",
            about,
            given(&text),
            json!({ "blobs": [{ "class": class }] }),
        );
    }
    bounds(v, &plain, id);
}

/// Writes each bound reached and exceeded. A reader that holds only a few pieces reads most of these texts in several.
fn bounds(v: &mut Vectors, plain: &str, id: String) {
    const BEGIN: &str = "-----BEGIN SEALED DICE MESSAGE-----\n";
    const END: &str = "-----END SEALED DICE MESSAGE-----\n";
    const BETWEEN: usize = 8_388_608;
    let body = plain.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END)).unwrap();
    let whole = json!({ "id": id });
    let (size, armour) = (json!({ "class": "size" }), json!({ "class": "armour" }));
    // A mark of this many bytes, with its words far apart.
    let mark = |bytes: usize| [("-----BEGIN ", 1), ("\n", bytes - 26), (" SEALED DICE MESSAGE-----\n", 1)];
    let rest = [(body, 1), (END, 1)];
    // The text between the marks (with the dashes and line ends that belong to it), padded with blanks up to the bound.
    let padding = BETWEEN - "-----\n".len() - body.len() - "-----".len();
    let padded = |blanks: usize| vec![(BEGIN, 1), (" ", blanks), (body, 1), (END, 1)];
    // Text that ends shortly before a piece of 128 KiB is full.
    let noise = ("no dice\n", (131_072 - 256) / 8);
    // A name, a rule, and what the case is about; texts, with how often each occurs; the blobs that are found.
    type Case<'t> = (&'t str, &'t str, &'t str, Vec<(&'t str, usize)>, Vec<Value>);
    let cases: [Case<'_>; 10] = [
        (
            "too-long",
            "10",
            "more base64 than the longest frame needs",
            vec![(BEGIN, 1), ("A", 1_398_108), ("\n", 1), (END, 1)],
            vec![size.clone()],
        ),
        (
            "too-long-not-ascii",
            "10",
            "700,000 characters, and twice as many bytes",
            vec![(BEGIN, 1), ("\u{e9}", 700_000), ("\n", 1), (END, 1)],
            vec![size.clone()],
        ),
        ("blanks-up-to-the-bound", "9", "as many blanks as may be", padded(padding), vec![whole.clone()]),
        (
            "blanks-past-the-bound",
            "9",
            "one blank too many: the END is then one without its BEGIN",
            padded(padding + 1),
            vec![size.clone(), armour.clone()],
        ),
        (
            "blanks-not-ascii",
            "9",
            "3,000,000 no-break spaces of three bytes each",
            vec![(BEGIN, 1), ("\u{202f}", 3_000_000), (body, 1), (END, 1)],
            vec![size.clone(), armour.clone()],
        ),
        (
            "begin-far-from-the-next-letter",
            "9",
            "a BEGIN that was left alone hides no letter",
            vec![(BEGIN, 1), ("no dice\n", 1_200_000), (plain, 1)],
            vec![size.clone(), whole.clone()],
        ),
        (
            "begin-far-from-the-end",
            "9",
            "a BEGIN that was left alone, and nothing else",
            vec![(BEGIN, 1), ("no dice\n", 1_200_000)],
            vec![size],
        ),
        (
            "mark-stretched",
            "8",
            "a mark of 1,024 bytes, across the place where a reader of pieces may cut",
            [&[noise], &mark(1_024)[..], &rest].concat(),
            vec![whole],
        ),
        (
            "mark-stretched-too-far",
            "8",
            "a mark of 1,025 bytes is none",
            [&[noise], &mark(1_025)[..], &rest].concat(),
            vec![armour.clone()],
        ),
        (
            "mark-stretched-not-ascii",
            "8",
            "500 soft hyphens of two bytes each within a mark",
            [&[("-----BEG", 1), ("\u{ad}", 500), ("IN SEALED DICE MESSAGE-----\n", 1)][..], &rest].concat(),
            vec![armour],
        ),
    ];
    for (name, rule, about, filled, blobs) in cases {
        v.gives(
            &format!("armour/{name}"),
            &format!("armour.md {rule}"),
            about,
            json!({ "filled": filled }),
            json!({ "blobs": blobs }),
        );
    }
}

fn remove_line(text: &str, line: usize) -> String {
    let lines = text.lines().enumerate().filter(|(i, _)| *i != line);
    lines.map(|(_, line)| format!("{line}\n")).collect()
}
