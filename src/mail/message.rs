//! Finds the letters in a message, in every way in which the message can be read.
//!
//! A message often contains a letter more than once: as text, as HTML, as an attachment, in its source. If one copy is
//! undamaged, the others are not reported; if all are damaged, the damage is reported once.

use std::collections::HashMap;

use super::{find::Find, mime, pieces::Pieces, sketch::Sketch};
use crate::{
    blob::{
        Keys, Verified,
        armour::{self, Found},
        message::Refusal,
    },
    keep::looks_secret,
    limits::DAMAGED,
};

/// A way of reading a message: the number of a part, or the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Part(usize),
    Source,
}

struct Whole {
    find: Find,
    views: Vec<View>,
}

struct Damaged {
    find: Find,
    view: View,
    sketch: Sketch,
    settled: bool,
}

/// The finds so far in a message.
struct Finds<'k> {
    keys: &'k Keys,
    whole: Vec<Whole>,
    damaged: Vec<Damaged>,
    /// Frames that were opened, with their number if they are undamaged.
    opened: HashMap<Vec<u8>, Option<usize>>,
    /// Whether the message contains a secret key.
    secret: bool,
}

/// Passes the finds of a message to `take`; `place` describes the message. Returns whether it contains somebody's
/// secret key.
pub(super) fn finds(raw: &[u8], place: &str, keys: &Keys, take: &mut dyn FnMut(Find)) -> bool {
    let mut finds = Finds { keys, whole: Vec::new(), damaged: Vec::new(), opened: HashMap::new(), secret: false };
    let mut part = 0;
    mime::leaves(raw, &mut |leaf| {
        let attachment = leaf.attachment.map_or(String::new(), |name| format!(", attachment {name:?}"));
        finds.read(&leaf.text, View::Part(part), &format!("{place}{attachment}, line"));
        part += 1;
    });
    finds.read(raw, View::Source, &format!("{place}, source line"));
    finds.settle();
    finds.whole.into_iter().for_each(|whole| take(whole.find));
    finds.damaged.into_iter().filter(|damaged| !damaged.settled).for_each(|damaged| take(damaged.find));
    finds.secret
}

impl Finds<'_> {
    fn read(&mut self, bytes: &[u8], view: View, place: &str) {
        let (mut pieces, mut rest) = (Pieces::default(), bytes);
        // Reading from memory cannot fail.
        while let Ok(Some(piece)) = pieces.next(&mut rest) {
            self.secret |= looks_secret(&piece.text);
            for found in &piece.found {
                self.take(&piece.text, found, view, place);
            }
        }
    }

    fn take(&mut self, text: &str, found: &Found, view: View, place: &str) {
        let place = || format!("{place} {}", found.line);
        let (frame, refusal) = match found.decode(text).frame {
            Err(error) => (Vec::new(), Refusal::from(error)),
            Ok(frame) => match self.opened.get(&frame) {
                Some(Some(known)) => {
                    if let Some(whole) = self.whole.get_mut(*known) {
                        whole.views.push(view);
                    }
                    return;
                }
                Some(None) => return,
                None => match Verified::open(&frame, self.keys) {
                    Ok(letter) => {
                        self.opened.insert(frame.clone(), Some(self.whole.len()));
                        let find = Find { place: place(), frame, letter: Ok(letter) };
                        self.whole.push(Whole { find, views: vec![view] });
                        return;
                    }
                    Err(refusal) => {
                        self.opened.insert(frame.clone(), None);
                        (frame, refusal)
                    }
                },
            },
        };
        if self.damaged.len() < DAMAGED {
            let sketch = Sketch::of(text.get(found.around.clone()).unwrap_or_default());
            let find = Find { place: place(), frame, letter: Err(refusal) };
            self.damaged.push(Damaged { find, view, sketch, settled: false });
        }
    }

    /// Drops a damaged find if another reading of the message has the letter undamaged, or has already reported the
    /// damage. Two letters in one reading stay separate, however similar. The source repeats all letters, so it counts
    /// only for letters found nowhere else.
    fn settle(&mut self) {
        let mut having: HashMap<u64, Vec<usize>> = HashMap::new();
        for (i, damaged) in self.damaged.iter().enumerate() {
            damaged.sketch.samples().iter().for_each(|sample| having.entry(*sample).or_default().push(i));
        }
        if having.is_empty() {
            return;
        }
        for whole in &self.whole {
            let sketch = Sketch::of(&body(&whole.find.frame));
            let mut common: HashMap<usize, usize> = HashMap::new();
            let shared = sketch.samples().iter().filter_map(|sample| having.get(sample)).flatten();
            shared.for_each(|i| *common.entry(*i).or_default() += 1);
            for (i, common) in common {
                let Some(damaged) = self.damaged.get_mut(i) else { continue };
                let elsewhere = damaged.view == View::Source || !whole.views.contains(&damaged.view);
                damaged.settled |= elsewhere && sketch.is_same(&damaged.sketch, common);
            }
        }
        for i in 1..self.damaged.len() {
            let Some((before, [damaged, ..])) = self.damaged.split_at_mut_checked(i) else { continue };
            damaged.settled |= before.iter().any(|other| {
                !other.settled
                    && other.view != damaged.view
                    && other.sketch.is_same(&damaged.sketch, other.sketch.common(&damaged.sketch))
            });
        }
    }
}

/// Returns the base64 digits of a frame's armour, without the marks.
fn body(frame: &[u8]) -> String {
    let armour = armour::write(frame);
    armour.lines().filter(|line| !line.starts_with('-')).collect()
}
