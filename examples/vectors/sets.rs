//! Envelopes, sheets and notes.

use serde_json::{Value, json};

use crate::{Vectors, kit::bytes};
use sealed_dice::{blob::body::SetKind, game::context::Context, primitive::secret::Secret, resolve::Place};

fn context(kind: SetKind, purpose: &str, n: u64) -> Value {
    let declarer = if kind == SetKind::Note { "bob" } else { "ann" };
    json!({
        "game": bytes("a game"),
        "purpose": purpose,
        "kind": kind.as_str(),
        "sealer": "bob",
        "declarer": declarer,
        "revealer": "bob",
        "fallback": "",
        "n": n,
    })
}

fn note_context() -> Context {
    let role = crate::kit::role("bob");
    Context {
        game: bytes("a game"),
        purpose: "1/1/bob-first/1/moves".into(),
        kind: SetKind::Note,
        sealer: role.clone(),
        declarer: role.clone(),
        fallback: None,
        revealer: role,
        n: 1,
    }
}

pub(crate) fn all(v: &mut Vectors) {
    let coin = || context(SetKind::Coin, "1/1/ann-first/1", 5);
    let sheet = || context(SetKind::Sheet, "sheet/1", 400);
    let master = bytes("a master");
    v.gives(
        "master/coin",
        "envelope.md 1, 3",
        "a set's secret, from the vault and the public salt",
        json!({ "context": coin(), "vault": bytes("a vault"), "salt": bytes("a salt") }),
        json!({}),
    );
    for (name, context) in [("sheet", sheet()), ("note", context(SetKind::Note, "1/1/bob-first/1/moves", 1))] {
        v.gives(
            &format!("master/{name}"),
            "envelope.md 1, 3",
            "another kind of set from the same vault and salt",
            json!({ "context": context, "vault": bytes("a vault"), "salt": bytes("a salt") }),
            json!({}),
        );
    }
    for index in [2, 0, 4] {
        v.gives(
            &format!("envelope/coin-index-{index}"),
            "envelope.md 2, 4",
            "context, key, commitment and seed of an envelope",
            json!({ "context": coin(), "index": index, "master": master }),
            json!({}),
        );
    }
    for (column, row) in [(0, 1), (0, 2), (0, 10), (39, 10)] {
        v.gives(
            &format!("envelope/sheet-column-{column}-row-{row}"),
            "envelope.md 5",
            "a cell; its commitment is K_0 of the column",
            json!({ "context": sheet(), "column": column, "row": row, "master": master }),
            json!({}),
        );
    }
    v.gives(
        "envelope/note-of-the-same-master",
        "envelope.md 2",
        "the kind is part of the context: opening a note never opens a die",
        json!({ "context": context(SetKind::Note, "1/1/ann-first/1", 5), "index": 2, "master": master }),
        json!({}),
    );
    openings(v, &coin(), &sheet());
    notes(v);
}

fn openings(v: &mut Vectors, coin: &Value, sheet: &Value) {
    let master = bytes("a master");
    let computed = |place: Value| {
        let mut given = place;
        given["master"] = json!(master);
        sealed_dice::conformance::compute("envelope", &given)
    };
    let two = computed(json!({ "context": coin, "index": 2 }));
    let three = computed(json!({ "context": coin, "index": 3 }));
    let given = |context: &Value, index: u64, of: &Value, commit: &Value| json!({ "context": context, "index": index, "key": of["key"], "commit": commit });
    v.gives(
        "opening/good",
        "envelope.md 4",
        "the key gives the commitment",
        given(coin, 2, &two, &two["commit"]),
        json!({}),
    );
    let refused = |v: &mut Vectors, name: &str, about: &str, given: Value| {
        v.refused(&format!("opening/{name}"), "envelope.md 2, 4", about, given, "rule");
    };
    refused(v, "key-of-another-index", "a key is good for its index alone", given(coin, 2, &three, &two["commit"]));
    refused(
        v,
        "same-key-at-another-index",
        "the index is part of the commitment",
        given(coin, 3, &two, &two["commit"]),
    );
    let changes = [
        ("another-game", "game", json!(bytes("another game"))),
        ("another-purpose", "purpose", json!("1/1/ann-first/2")),
        ("another-kind", "kind", json!("foul-up")),
        ("copied-by-the-opponent", "sealer", json!("ann")),
        ("another-declarer", "declarer", json!("bob")),
        ("another-revealer", "revealer", json!("ann")),
        ("another-number-of-places", "n", json!(6)),
    ];
    for (name, field, value) in changes {
        let mut context = coin.clone();
        context[field] = value;
        refused(v, name, "the context is part of the commitment", given(&context, 2, &two, &two["commit"]));
    }
    let cell = |row: u64| computed(json!({ "context": sheet, "column": 7, "row": row }));
    let three = cell(3);
    let opening =
        |row: u64| json!({ "context": sheet, "column": 7, "row": row, "key": three["key"], "commit": three["commit"] });
    v.gives("opening/cell", "envelope.md 5", "three steps of the chain give K_0", opening(3), json!({}));
    refused(v, "cell-said-to-be-deeper", "the same key does not open the cell below", opening(4));
    refused(v, "cell-said-to-be-higher", "nor is it the key of the cell above", opening(2));
}

fn notes(v: &mut Vectors) {
    let context = note_context();
    let key = context.key(&Secret::new(bytes("a master").0), Place { index: 0, line: 0 });
    let commit = context.commitment(&key, Place { index: 0, line: 0 });
    let given = |ciphertext: &[u8]| {
        json!({
            "context": crate::sets::context(SetKind::Note, "1/1/bob-first/1/moves", 1),
            "key": sealed_dice::blob::body::Hex32(*key.expose()),
            "commit": commit,
            "ciphertext": hex::encode(ciphertext),
        })
    };
    let text = "The reserve goes to Culp's Hill.";
    let sealed = context.seal_note(&key, text, 0).unwrap();
    v.gives("note/good", "envelope.md 6", "a short text, padded to 256 bytes", given(&sealed), json!({ "text": text }));
    let empty = context.seal_note(&key, "", 0).unwrap();
    v.gives("note/empty", "envelope.md 6", "an empty text looks no shorter", given(&empty), json!({ "text": "" }));
    let full = "x".repeat(255);
    let sealed_full = context.seal_note(&key, &full, 0).unwrap();
    v.gives(
        "note/255-bytes",
        "envelope.md 6",
        "the longest text of one step",
        given(&sealed_full),
        json!({ "text": full }),
    );
    let more = "é".repeat(128);
    let sealed_more = context.seal_note(&key, &more, 0).unwrap();
    v.gives(
        "note/256-bytes",
        "envelope.md 6",
        "one byte more takes another step",
        given(&sealed_more),
        json!({ "text": more }),
    );
    let sealed_long = context.seal_note(&key, text, 1_024).unwrap();
    v.gives(
        "note/padded-further",
        "envelope.md 6",
        "a short text among long ones, padded to 1,024 bytes",
        given(&sealed_long),
        json!({ "text": text }),
    );
    let mut altered = sealed.clone();
    altered[0] ^= 1;
    v.refused("note/altered", "envelope.md 7", "one bit of the ciphertext", given(&altered), "rule");
    let mut other = given(&sealed);
    other["key"] = json!(bytes("another key"));
    v.refused("note/another-key", "envelope.md 7", "a key that does not match", other, "rule");
    let padded = |plain: &[u8]| {
        use sealed_dice::primitive::{
            cipher,
            hash::{h, tag},
        };
        let a = context.a_envelope(0);
        cipher::seal(&h(tag::NOTE_KEY, &[&a, key.expose()]), &a, plain).unwrap()
    };
    let mut zeros = vec![0; 256];
    v.refused("note/without-padding-mark", "envelope.md 7", "nothing but zeros", given(&padded(&zeros)), "rule");
    zeros[0] = 0x80;
    zeros.resize(511, 0);
    v.refused("note/padded-unevenly", "envelope.md 7", "511 bytes", given(&padded(&zeros)), "rule");
    zeros.push(1);
    v.refused("note/padded-with-more", "envelope.md 7", "a last byte that is no zero", given(&padded(&zeros)), "rule");
    let mut invalid = vec![0xff, 0x80];
    invalid.resize(256, 0);
    v.refused("note/not-utf8", "envelope.md 7", "the text is no UTF-8", given(&padded(&invalid)), "rule");
    two_keys(v);
}

/// One ciphertext that opens under two keys. The cipher does not commit to a key, so the commitment must.
fn two_keys(v: &mut Vectors) {
    let given = |key: &str| {
        json!({
            "key": key.repeat(32),
            "associated": hex::encode("game=WW1-Arras;set=7;env=5"),
            "ciphertext": "c4da39b4b8999eb8089e91fcd770021bc9e8d844fc3142e2b34a49bf50f1182b7667ddebfe1d61cff8d82a679b24fe78",
        })
    };
    let about = "one ciphertext that the cipher accepts under two keys: it hides, it does not commit";
    v.gives("cipher/two-keys-first", "envelope.md 7", about, given("01"), json!({}));
    v.gives("cipher/two-keys-second", "envelope.md 7", about, given("02"), json!({}));
    v.refused("cipher/another-key", "envelope.md 7", "a third key is refused", given("03"), "rule");
}
