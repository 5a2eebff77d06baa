//! Every bit of a game, flipped: frames are refused, armour gives the original letter or a refusal, nothing panics, and
//! nobody is blamed.

use sealed_dice::{
    blob::{Keys, Verified, armour},
    error::Class,
    game::audit::{Read, audit},
};

use crate::kit::Table;

fn game() -> Table {
    let mut table = Table::turn("a game to tamper with");
    table.close_all();
    table
}

#[test]
fn every_bit_of_every_frame() {
    let keys = Keys::default();
    for letter in game().letters {
        let mut frame = letter.frame.clone();
        for bit in 0..frame.len() * 8 {
            frame[bit / 8] ^= 1 << (bit % 8);
            let refusal = Verified::open(&frame, &keys).expect_err("a flipped bit must not pass");
            assert!(refusal.error.class() < Class::Game, "bit {bit}: {}", refusal.error);
            frame[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(Verified::open(&frame, &keys).is_ok());
    }
}

#[test]
fn every_bit_of_the_armour() {
    let keys = Keys::default();
    let (mut same, mut refused) = (0, 0);
    for letter in game().letters {
        let mut text = letter.armour().into_bytes();
        for bit in 0..text.len() * 8 {
            text[bit / 8] ^= 1 << (bit % 8);
            let blobs = armour::find(&text);
            assert!(!blobs.is_empty(), "bit {bit}: the letter vanished without a word");
            for blob in blobs {
                match blob
                    .frame
                    .map_err(|error| error.class())
                    .and_then(|frame| Verified::open(&frame, &keys).map_err(|refusal| refusal.error.class()))
                {
                    Ok(message) => {
                        assert_eq!(message.id(), letter.message.id(), "bit {bit}");
                        same += 1;
                    }
                    Err(class) => {
                        assert!(class < Class::Game);
                        refused += 1;
                    }
                }
            }
            text[bit / 8] ^= 1 << (bit % 8);
        }
    }
    assert!(same > 0 && refused > same, "{same} gave the letter, {refused} were refused");
}

/// A letter that is damaged, cut or forged leaves the others as they are, and names no culprit.
#[test]
fn a_damaged_letter_blames_nobody() {
    let game = game();
    let eve = crate::kit::key("key of eve");
    for damaged in 0..game.letters.len() {
        let keys = Keys::default();
        let mut read: Vec<Read> = Vec::new();
        for (i, letter) in game.letters.iter().enumerate() {
            let mut frame = letter.frame.clone();
            if i == damaged {
                let middle = frame.len() / 2;
                frame[middle] ^= 1;
            }
            read.push(Read { place: format!("letter {i}"), letter: Verified::open(&frame, &keys) });
        }
        let original = &game.letters[damaged].message;
        let (_, forged) = Verified::sign(original.head().clone(), original.body().clone(), &eve).expect("Eve can sign");
        read.push(Read { place: "a forgery".into(), letter: Verified::open(&forged, &keys) });
        for report in audit(&read) {
            assert!(
                report.findings.iter().all(|finding| finding.culprit.is_none()),
                "{damaged}: {:?}",
                report.findings
            );
        }
    }
}
