//! Laws: what must hold for every input.

use chacha20::{
    ChaCha20,
    cipher::{KeyIvInit, StreamCipher},
};
use proptest::prelude::*;
use sealed_dice::{
    blob::{
        Keys, Verified, armour,
        body::{Deadline, Forfeit, Hex32, Role, SetKind, Step},
        deposits::Deposits,
        json::{self, Tree},
    },
    game::{
        context::Context,
        deposits::{deposit, take_in},
    },
    primitive::{
        dice::{Stream, draw_from},
        hash::pae,
        secret::Secret,
        sign::PrivateKey,
        wrap,
    },
    resolve::{Account, Draws, Given, Listed, Object, Place, System},
};
use serde_json::Value;

use crate::kit::{Bob, Table, bytes, object, text};

/// Any JSON of the accepted kind, up to the depth of 8.
pub(crate) fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-json_limit()..=json_limit()).prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(".*", inner, 0..5).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

const fn json_limit() -> i64 {
    sealed_dice::limits::INTEGER
}

fn context(kind: SetKind, n: u64) -> Context {
    let role = |name| Role::parse(name).expect("a role");
    Context {
        game: bytes("a game"),
        purpose: "sheet/1".into(),
        kind,
        sealer: role("bob"),
        declarer: role("ann"),
        fallback: None,
        revealer: role("bob"),
        n,
    }
}

/// The same value, the fields of its objects from last to first.
fn backwards(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(backwards).collect::<Vec<_>>().join(",")),
        Value::Object(fields) => {
            let fields =
                fields.iter().rev().map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), backwards(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        _ => value.to_string(),
    }
}

proptest! {
    #[test]
    fn canonical_json_reads_back(value in values()) {
        let text = json::encode(&value).expect("it has a text");
        prop_assert_eq!(json::parse_canonical(text.as_bytes()), Tree::of(&value));
    }

    #[test]
    fn only_one_text_of_a_value_is_canonical(value in values()) {
        let canonical = json::encode(&value).expect("it has a text");
        let airy = serde_json::to_string_pretty(&value).expect("it has a text");
        let backwards = backwards(&value);
        for text in [airy, backwards] {
            prop_assert_eq!(json::parse(text.as_bytes()), Tree::of(&value));
            prop_assert_eq!(json::parse_canonical(text.as_bytes()).is_ok(), text == canonical);
        }
    }

    #[test]
    fn nothing_makes_the_readers_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = json::parse(&bytes);
        let _ = Verified::open(&bytes, &Keys::default());
        let _ = armour::find(&bytes);
    }

    #[test]
    fn texts_with_marks_make_no_reader_panic(parts in prop::collection::vec(prop_oneof![
        Just("-----BEGIN SEALED DICE MESSAGE-----".to_owned()),
        Just("-----END SEALED DICE MESSAGE-----".to_owned()),
        Just("=E2=80=94".to_owned()), Just("=\r\n".to_owned()), Just("> ".to_owned()), Just("- ".to_owned()),
        "[A-Za-z0-9+/=]{0,80}", ".{0,5}",
    ], 0..12)) {
        let _ = armour::find(parts.concat().as_bytes());
    }

    #[test]
    fn armour_reads_back(frame in prop::collection::vec(any::<u8>(), 1..700), quote in "[>| \t]{0,4}", ending in "(\n|\r\n| \n)") {
        let written = armour::write(&frame);
        let mangled: String = written.lines().map(|line| format!("{quote}{line}{ending}")).collect();
        let found = armour::find(mangled.as_bytes());
        prop_assert_eq!(found.len(), 1);
        if frame.len() % 3 == 0 {
            prop_assert_eq!(&found[0].frame, &Ok(frame));
        }
    }

    #[test]
    fn frames_read_back(seed in any::<[u8; 32]>(), text in ".{0,40}") {
        let mut head = crate::kit::Table::begin("frames").ann.next_head(sealed_dice::blob::Kind::Close);
        head.author = Role::parse("ann").expect("a role");
        let close = sealed_dice::blob::body::Close { masters: None, result: Some(text) };
        let key = PrivateKey::from_seed(&Secret::new(seed));
        let (message, frame) = Verified::sign(head, sealed_dice::blob::Body::Close(close), &key).expect("a letter");
        prop_assert_eq!(frame.len() % 3, 0);
        prop_assert_eq!(Verified::open(&frame, &Keys::default()), Ok(message));
    }

    #[test]
    fn pae_is_injective(a in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..4), 0..4),
                        b in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..4), 0..4)) {
        let slices = |list: &[Vec<u8>]| pae(&list.iter().map(Vec::as_slice).collect::<Vec<_>>());
        prop_assert_eq!(a == b, slices(&a) == slices(&b));
    }

    /// Another implementation of the cipher gives the same words.
    #[test]
    fn the_stream_is_chacha20(key in any::<[u8; 32]>()) {
        let mut keystream = [0_u8; 400];
        ChaCha20::new(&key.into(), &[0; 12].into()).apply_keystream(&mut keystream);
        let mut stream = Stream::new(key);
        for word in keystream.chunks(4) {
            prop_assert_eq!(stream.word().to_le_bytes(), word);
        }
    }

    /// Of all words, each value has exactly floor(2^32 / N): the words that are refused are those that would make some
    /// value likelier than others.
    #[test]
    fn every_value_is_as_likely(sides in 1..=1_u64 << 32, word in any::<u32>()) {
        let mut asked = 0;
        let drawn = draw_from(sides, || { asked += 1; if asked == 1 { word } else { 0 } }).expect("a die");
        let share = (1_u64 << 32) / sides;
        prop_assert_eq!(asked == 1, u64::from(word) < share * sides);
        prop_assert_eq!(drawn, if asked == 1 { 1 + u64::from(word) % sides } else { 1 });
    }

    /// A cell's key opens the cells above it and no other; each cell has a seed of its own.
    #[test]
    fn a_column_is_a_chain(master in any::<[u8; 32]>(), column in 0..40_u64, row in 1..=10_u64) {
        let (context, master) = (context(SetKind::Sheet, 400), Secret::new(master));
        let key = |line| context.key(&master, Place { index: column, line });
        let here = Place { index: column, line: row };
        for above in 1..=row {
            prop_assert_eq!(context.climb(&key(row), here, above), key(above));
        }
        let published = context.commitment(&key(10), Place { index: column, line: 10 });
        prop_assert_eq!(context.commitment(&key(row), here), published);
        if row < 10 {
            prop_assert_ne!(context.commitment(&key(row), Place { index: column, line: row + 1 }), published);
            prop_assert_ne!(context.seed(&key(row), here), context.seed(&key(row + 1), Place { index: column, line: row + 1 }));
        }
    }

    #[test]
    fn notes_read_back_and_show_their_length_in_steps(text in ".{0,600}", least in 0..3_000_usize) {
        let context = context(SetKind::Note, 1);
        let key = Secret::new([7; 32]);
        let sealed = context.seal_note(&key, &text, least).expect("a note");
        prop_assert_eq!(sealed.len() % 256, 16);
        prop_assert_eq!(sealed.len() / 256, (text.len() + 1).max(least).div_ceil(256));
        prop_assert_eq!(context.open_note(&key, &sealed), Ok(text));
    }

    /// Any worksheet: every attack has a row, no row is used twice, opened and returned are all envelopes, reading the
    /// canonical form changes nothing, and the dice follow the hexes whatever the order written.
    #[test]
    fn worksheets(list in prop::collection::vec(("[A-Z]{1}", 1..100_u32, 1..10_u32, 1..10_u32), 0..50), envelopes in 5..20_u64) {
        let mut settings = System::prefill("coin-envelopes", &Object::new()).expect("a system");
        settings.insert("envelopes".into(), envelopes.into());
        let system = System::settle("coin-envelopes", &settings, &Object::new()).expect("settings");
        let attack = |(letter, number, a, b): &(String, u32, u32, u32)| serde_json::json!({ "hexes": [format!("{letter}{number}")], "odds": format!("{a}-{b}") });
        let input = |list: &[(String, u32, u32, u32)]| object(serde_json::json!({ "attacks": list.iter().map(attack).collect::<Vec<_>>() }));
        let rolls = system.resolver().read(&text(&input(&list)), false).expect("attacks");
        let plan = rolls.plan(&Object::new()).expect("a plan");
        let places: std::collections::BTreeSet<Place> = plan.places.iter().copied().collect();
        prop_assert_eq!(places.len(), list.len());
        let canonical = rolls.canonical().expect("a canonical form");
        let again = system.resolver().read(&canonical, false).expect("it reads back");
        prop_assert_eq!(&again.canonical().expect("a canonical form"), &canonical);
        prop_assert_eq!(again.plan(&Object::new()).expect("a plan"), plan.clone());
        let mut backwards = list.clone();
        backwards.reverse();
        let other = system.resolver().read(&text(&input(&backwards)), false).expect("attacks");
        prop_assert_eq!(other.plan(&Object::new()).expect("a plan"), plan);
    }

    /// No input makes a resolver panic, or take another number of draws than it says.
    #[test]
    fn resolvers_survive_anything(input in values(), state in values(), settings in values(), draws in prop::collection::vec(1..7_u64, 0..5)) {
        let as_object = |value: &Value| value.as_object().cloned().unwrap_or_default();
        for name in System::NAMES {
            let _ = System::settle(name, &as_object(&settings), &as_object(&state));
            // Without its tables this one has no settings; what it survives is in `events`.
            let Ok(mut all) = System::prefill(name, &Object::new()) else {
                prop_assert_eq!(*name, "event-tables");
                continue;
            };
            let system = System::settle(name, &all, &Object::new()).expect("settings");
            let _ = system.resolver().read(&text(&as_object(&input)), false);
            all.clear();
            if let Ok(rolls) = system.resolver().read(&text(&as_object(&input)), true) {
                let places: Vec<Place> = (1..=rolls.count()).map(|line| Place { index: 0, line }).collect();
                let mut listed = Listed::new(&draws);
                let _ = rolls.resolve(Given::state(&as_object(&state)), &places, &mut Draws::new(&mut listed), &mut Account::kept());
            }
        }
    }
}

/// The rule of the rejection over all words of a small width: exactly uniform.
#[test]
fn rejection_is_uniform_over_all_words() {
    // Words of 8 bits stand for the high bits of words of 32: the rule is the same with 2^8 instead of 2^32.
    for sides in 1..=256_u64 {
        let bound = 256 - 256 % sides;
        let mut counts = vec![0_u64; sides as usize];
        (0..256_u64).filter(|word| *word < bound).for_each(|word| counts[(word % sides) as usize] += 1);
        assert!(counts.iter().all(|count| *count == 256 / sides), "{sides}");
    }
    // And ours is that rule at its edges.
    for sides in [6_u64, 10, 100, (1 << 31) + 1, 3 << 30] {
        let bound = (1_u64 << 32) - (1_u64 << 32) % sides;
        let mut words = [bound as u32, (bound - 1) as u32].into_iter();
        let drawn = draw_from(sides, || words.next().expect("two words are enough")).expect("a die");
        assert_eq!(drawn, sides, "{sides}: the first word is refused, the second is the last that counts");
    }
}

#[test]
fn a_source_that_never_yields_is_an_error() {
    assert!(draw_from(6, || u32::MAX).is_err());
    assert!(draw_from(0, || 0).is_err());
    assert!(draw_from((1 << 32) + 1, || 0).is_err());
    assert_eq!(draw_from(1 << 32, || u32::MAX), Ok(1 << 32));
}

/// A resolver that stops for a decision, and goes on once it is there: the shape that systems with decisions take.
#[test]
fn a_resolver_can_need_a_decision() {
    fn text(value: Value) -> sealed_dice::blob::json::Text {
        sealed_dice::blob::json::Text::of(&value).expect("an object")
    }
    use sealed_dice::{
        blob::{body::Ended, json::Text},
        error::Result,
        resolve::{Outcome, Plan, Rolls},
    };
    struct Retreat {
        hex: Option<String>,
    }
    impl Rolls for Retreat {
        fn canonical(&self) -> Result<Text> {
            Ok(text(serde_json::json!({ "hex": self.hex })))
        }
        fn for_redo(&self) -> Result<Text> {
            self.canonical()
        }
        fn count(&self) -> u64 {
            1
        }
        fn plan(&self, _: &Object) -> Result<Plan> {
            Ok(Plan { places: vec![Place { index: 0, line: 1 }], select: None })
        }
        fn resolve(
            &self,
            given: Given<'_>,
            places: &[Place],
            draws: &mut Draws<'_>,
            _: &mut Account,
        ) -> Result<Outcome> {
            let Some(hex) = &self.hex else {
                let needs = object(serde_json::json!({ "retreat": ["F11", "F13"] }));
                return Ok(Outcome {
                    ended: Ended::Needs,
                    needs,
                    ..Outcome::done(given.state.clone(), text(serde_json::json!({})))
                });
            };
            let die = draws.draw(places[0], 6, &format!("retreat to {hex}"))?;
            Ok(Outcome::done(given.state.clone(), text(serde_json::json!({ "die": die }))))
        }
    }
    let run = |hex: Option<&str>, values: &[u64]| {
        let mut listed = Listed::new(values);
        let mut draws = Draws::new(&mut listed);
        let retreat = Retreat { hex: hex.map(str::to_owned) };
        let outcome = retreat
            .resolve(Given::state(&Object::new()), &[Place { index: 0, line: 1 }], &mut draws, &mut Account::kept())
            .expect("an outcome");
        let trail = draws.into_trail();
        listed.finish().map(|()| (outcome, trail.len()))
    };
    let (asks, drawn) = run(None, &[]).expect("no draw is taken before the decision");
    assert_eq!((asks.ended, drawn), (Ended::Needs, 0));
    assert!(asks.needs.contains_key("retreat"));
    let (done, drawn) = run(Some("F11"), &[4]).expect("one draw behind it");
    assert_eq!((done.ended, drawn, done.public.as_str()), (Ended::Done, 1, "{\"die\":4}"));
    assert!(run(Some("F11"), &[4, 5]).is_err(), "a surplus draw is refused");
}

/// Deposits 4 and 5: the referee gets what was sealed, or refuses.
#[test]
fn a_deposit_gives_the_sealed_secret_or_nothing() {
    let key = Secret::new(bytes("a deposit key").0);
    let to = Deposits { key: Hex32(wrap::public(&key).expect("a key")), notes: true };
    let mut table = Table::refereed("deposits", |charter| {
        charter.referee.as_mut().expect("a referee").deposit = Some(to.clone());
        charter.deadlines.push(Deadline { days: 30, forfeit: Forfeit::Game, step: Step::Reveal });
    });
    let sealed = [
        (SetKind::Coin, "1/1/ann-first/1"),
        (SetKind::FoulUp, "foul-up/1"),
        (SetKind::Sheet, "sheet/1"),
        (SetKind::Note, "1/1/bob-first/1/orders"),
    ];
    let seals = sealed.map(|(kind, purpose)| table.seal(Bob, kind, purpose));
    let masters = seals.map(|seal| table.master(Bob, seal));
    table.with_ledger(|ledger| {
        for (seal, master) in seals.iter().zip(&masters) {
            let set = ledger.set(seal).expect("a set");
            let wrapped =
                |master: &Secret| deposit(&to, set, master, &Secret::new(bytes("fresh").0)).expect("a deposit");
            let good = wrapped(master);
            assert_eq!(take_in(set, &good, &key).expect("it is good"), *master);
            assert!(take_in(set, &good, &Secret::new(bytes("another key").0)).is_err());
            let other = wrapped(&Secret::new(bytes("no secret of Bob's").0));
            let refused = take_in(set, &other, &key).expect_err("it opens, and gives other commitments").to_string();
            assert!(refused.contains("does not contain the secret that was sealed"), "{refused}");
            for byte in 0..good.wrapped.0.len() {
                let mut altered = good.clone();
                altered.wrapped.0[byte] ^= 1;
                assert!(take_in(set, &altered, &key).is_err(), "byte {byte}");
            }
            let elsewhere = ledger.set(&seals[(seals.iter().position(|other| other == seal).expect("it") + 1) % 4]);
            assert!(take_in(elsewhere.expect("a set"), &good, &key).is_err());
        }
    });
}
