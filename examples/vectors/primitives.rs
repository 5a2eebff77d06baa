//! Hash, keys, signatures, streams, dice.

use serde_json::json;

use crate::{
    Vectors,
    kit::{bytes, key},
};
use sealed_dice::primitive::hash::{file_hash, tag};

pub(crate) fn all(v: &mut Vectors) {
    hashes(v);
    keys(v);
    signatures(v);
    streams(v);
    dice(v);
}

fn hashes(v: &mut Vectors) {
    v.gives(
        "hash/two-items",
        "hash.md 1, 2",
        "a tag, an item of three bytes, an absent item",
        json!({ "tag": "roll-key", "items": ["616263", ""] }),
        json!({ "pae": "0300000000000000170000000000000073\
                        65616c65642d646963652f76312f726f6c6c2d6b6579\
                        030000000000000061626300000000000000\
                        00".replace(['\n', ' '], "") }),
    );
    v.gives(
        "hash/absent-item-counts",
        "hash.md 3",
        "one item less is another hash",
        json!({ "tag": "roll-key", "items": ["616263"] }),
        json!({}),
    );
    v.gives(
        "hash/items-do-not-run-together",
        "hash.md 1",
        "ab, c is not a, bc",
        json!({ "tag": "roll-key", "items": ["6162", "63"] }),
        json!({}),
    );
    for tag in tag::ALL {
        v.gives(
            &format!("hash/tag-{}", tag.name()),
            "hash.md 4",
            "the same item under each tag",
            json!({ "tag": tag.name(), "items": ["00"] }),
            json!({}),
        );
    }
}

fn keys(v: &mut Vectors) {
    let good = hex::encode(key("key of ann").public().as_bytes());
    v.gives("key/good", "message.md 5, 7", "an ordinary key and its fingerprint", json!({ "key": good }), json!({}));
    let (zeros, ones) = ("00".repeat(31), "ff".repeat(30));
    let small = [
        format!("{zeros}00"),
        format!("{zeros}80"),
        format!("01{zeros}"),
        format!("01{}80", "00".repeat(30)),
        format!("ec{ones}7f"),
        format!("ec{ones}ff"),
        format!("ed{ones}7f"),
        format!("ed{ones}ff"),
        format!("ee{ones}7f"),
        format!("ee{ones}ff"),
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05".into(),
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85".into(),
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a".into(),
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa".into(),
    ];
    for (i, key) in small.iter().enumerate() {
        v.refused(
            &format!("key/small-order-{:02}", i + 1),
            "message.md 5",
            "one of the fourteen encodings of points of small order",
            json!({ "key": key }),
            "key",
        );
    }
    // The point of our key plus a point of order 8. It is on the curve and canonical, but not of prime order.
    v.refused(
        "key/mixed-order",
        "message.md 5",
        "an honest key plus a point of order 8: signatures under it may satisfy some verifiers and not others",
        json!({ "key": "4adbe99805d5e392849ff395eb834ac54d965fa4176402802d1470b5a2788645" }),
        "key",
    );
    v.refused(
        "key/no-point",
        "message.md 5",
        "no point of the curve has this y",
        json!({ "key": format!("02{}", "00".repeat(31)) }),
        "key",
    );
    v.refused(
        "key/non-canonical-y",
        "message.md 5",
        "y is p + 3 and stands for the point with y = 3",
        json!({ "key": format!("f0{ones}7f") }),
        "key",
    );
}

fn signatures(v: &mut Vectors) {
    let key = key("key of ann");
    let public = hex::encode(key.public().as_bytes());
    let message = b"attack F12 at 3-1";
    let signature = key.sign(message);
    let given = |message: &[u8], signature: &[u8]| json!({ "key": public, "message": hex::encode(message), "signature": hex::encode(signature) });
    v.gives("signature/good", "message.md 6", "as signed", given(message, &signature), json!({ "valid": true }));
    v.refused(
        "signature/other-message",
        "message.md 6",
        "the same signature under another text",
        given(b"attack F12 at 4-1", &signature),
        "signature",
    );
    let (r, s) = signature.split_at(32);
    v.refused(
        "signature/s-not-reduced",
        "message.md 6",
        "S + L instead of S: the same equation, another encoding",
        given(message, &[r, &plus_order(s)].concat()),
        "signature",
    );
    let mut flipped = signature;
    flipped[0] ^= 1;
    v.refused("signature/flipped-bit-in-r", "message.md 6", "one bit of R", given(message, &flipped), "signature");
    let mut flipped = signature;
    flipped[40] ^= 0x10;
    v.refused("signature/flipped-bit-in-s", "message.md 6", "one bit of S", given(message, &flipped), "signature");
    v.refused(
        "signature/batch-split",
        "message.md 6",
        "R has a torsion part: batch verification and the cofactored rule accept it, the strict rule does not",
        json!({
            "key": "ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c",
            "message": hex::encode(b"declaration: attack hex 0507"),
            "signature": "6a9d58eefb06e0dd6184584975e6a2343ff80661d2ec59e50dd1ae74c26842f4\
                          9ac721b1e7f486f39ae8d8312595cb7923dce7e7424f791dc95a3b1300ed7d08",
        }),
        "signature",
    );
    v.refused(
        "signature/r-is-identity",
        "message.md 6",
        "R is the neutral point and S = ka, which the equation allows: the strict rule looks at R",
        json!({ "key": public, "message": hex::encode(message), "signature": "010000000000000000000000000000000000000000000000000000000000000009087f1109d14c565dd8c122bc5f9e8ef034586c573afddd390782de1138ba03" }),
        "signature",
    );
    v.refused(
        "signature/under-small-order-key",
        "message.md 5, 6",
        "the neutral point as key, under which this signature fits every message for a lax verifier",
        json!({
            "key": format!("01{}", "00".repeat(31)),
            "message": hex::encode(message),
            "signature": format!("01{}", "00".repeat(63)),
        }),
        "key",
    );
}

/// S plus the group's order L.
fn plus_order(s: &[u8]) -> Vec<u8> {
    let order = hex::decode("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010").unwrap();
    let mut carry = 0;
    let add = |(a, b): (&u8, &u8)| {
        let sum = u16::from(*a) + u16::from(*b) + carry;
        carry = sum >> 8;
        sum as u8
    };
    s.iter().zip(&order).map(add).collect()
}

fn streams(v: &mut Vectors) {
    let counting: Vec<u8> = (0..32).collect();
    let counting = hex::encode(counting);
    v.gives(
        "stream/d6",
        "dice.md 3, 4",
        "twelve d6 under the key 00 01 .. 1f",
        json!({ "key": counting, "sides": vec![6; 12] }),
        json!({ "values": [2, 6, 6, 3, 3, 1, 5, 3, 4, 3, 2, 3] }),
    );
    v.gives(
        "stream/d10",
        "dice.md 4",
        "twelve d10 under the same key",
        json!({ "key": counting, "sides": vec![10; 12] }),
        json!({ "values": [4, 6, 8, 7, 9, 1, 9, 3, 4, 5, 2, 1] }),
    );
    v.gives(
        "stream/mixed",
        "dice.md 5",
        "dice of different sides from one stream take one word after the other",
        json!({ "key": counting, "sides": [1, 2, 6, 10, 100, 256, 4_294_967_296_u64] }),
        json!({}),
    );
    let rejecting = |tail: &str| format!("{}{tail}", "00".repeat(28));
    v.gives(
        "stream/d6-word-7-rejected",
        "dice.md 4",
        "the seventh word is 0xfffffffc, the lowest that a d6 refuses",
        json!({ "key": rejecting("02160b3a"), "sides": vec![6; 10] }),
        json!({ "values": [6, 1, 4, 4, 2, 3, 4, 3, 4, 2] }),
    );
    v.gives(
        "stream/d6-first-word-rejected",
        "dice.md 4",
        "the first word is 0xffffffff, the highest there is",
        json!({ "key": rejecting("1c8500e6"), "sides": vec![6; 10] }),
        json!({ "values": [1, 2, 3, 1, 1, 1, 6, 4, 5, 5] }),
    );
    v.gives(
        "stream/every-second-word-rejected",
        "dice.md 4",
        "2^31 + 1 sides refuse half of all words",
        json!({ "key": counting, "sides": vec![2_147_483_649_u64; 8] }),
        json!({}),
    );
    v.gives(
        "stream/every-fourth-word-rejected",
        "dice.md 4",
        "3 x 2^30 sides refuse a quarter of all words",
        json!({ "key": counting, "sides": vec![3_221_225_472_u64; 8] }),
        json!({}),
    );
    v.gives(
        "stream/beyond-one-block",
        "dice.md 3",
        "words 17 and on come from the next block of the cipher",
        json!({ "key": counting, "sides": vec![6; 40] }),
        json!({}),
    );
    v.refused(
        "stream/no-sides",
        "dice.md 4",
        "there is no die without sides",
        json!({ "key": counting, "sides": [0] }),
        "rule",
    );
    v.refused(
        "stream/too-many-sides",
        "dice.md 4",
        "nor one with more than 2^32",
        json!({ "key": counting, "sides": [4_294_967_297_u64] }),
        "rule",
    );
}

fn dice(v: &mut Vectors) {
    let given = |index: u64, line: u64| {
        json!({
            "seal": bytes("a seal"),
            "declaration": bytes("a declaration"),
            "index": index,
            "seed": bytes("a seed"),
            "contribution": bytes("a contribution"),
            "line": line,
            "sides": [6, 6, 6],
        })
    };
    v.gives("dice/roll", "dice.md 1, 2", "root, key and three d6 of envelope 2, row 1", given(2, 1), json!({}));
    v.gives("dice/next-line", "dice.md 2", "the next row has a stream of its own", given(2, 2), json!({}));
    v.gives("dice/next-index", "dice.md 1", "the index is part of the root", given(3, 1), json!({}));
    let mut other = given(2, 1);
    other["contribution"] = json!(hex::encode(file_hash(b"another contribution")));
    v.gives("dice/other-contribution", "dice.md 1", "so is the contribution", other, json!({}));
}
