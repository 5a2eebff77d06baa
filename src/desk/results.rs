//! Pages that answered a form. The browser is sent on to such a page, so that going back or loading it again never
//! sends the form a second time. They are held in memory only, for as long as the key is.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use super::sitting::IDLE;

/// The number of pages that are held, at most.
const MOST: usize = 40;
/// The size of all pages that are held, in bytes, at most.
const MOST_BYTES: usize = 16 << 20;

/// The pages that answered forms last.
#[derive(Default)]
pub(super) struct Results(Mutex<Held>);

#[derive(Default)]
struct Held {
    /// The number of pages so far.
    count: u64,
    pages: VecDeque<Page>,
    /// The used previews, whose button has signed.
    spent: BTreeSet<u64>,
}

struct Page {
    number: u64,
    made: Instant,
    text: String,
}

impl Results {
    fn held(&self) -> MutexGuard<'_, Held> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.pages.retain(|page| page.made.elapsed() < IDLE);
        held
    }

    /// Holds a page, and returns its number. A page that is too large is given back.
    pub(super) fn hold(&self, text: String) -> Result<u64, String> {
        if text.len() > MOST_BYTES {
            return Err(text);
        }
        let mut held = self.held();
        held.count += 1;
        let number = held.count;
        held.pages.push_back(Page { number, made: Instant::now(), text });
        while held.pages.len() > MOST || held.pages.iter().map(|page| page.text.len()).sum::<usize>() > MOST_BYTES {
            held.pages.pop_front();
        }
        Ok(number)
    }

    /// Returns a page that is still held.
    pub(super) fn page(&self, number: &str) -> Option<String> {
        let number: u64 = number.parse().ok()?;
        self.held().pages.iter().find(|page| page.number == number).map(|page| page.text.clone())
    }

    /// Returns the number of a new preview.
    pub(super) fn preview(&self) -> u64 {
        let mut held = self.held();
        held.count += 1;
        held.count
    }

    /// Marks a preview as used, so that its button can sign only once.
    pub(super) fn spend(&self, preview: &str) {
        if let Ok(number) = preview.parse() {
            self.held().spent.insert(number);
        }
    }

    /// Whether a preview is used: its button has signed.
    pub(super) fn is_spent(&self, preview: &str) -> bool {
        preview.parse().is_ok_and(|number| self.held().spent.contains(&number))
    }

    /// Forgets every page.
    pub(super) fn forget(&self) {
        self.held().pages.clear();
    }

    /// Forgets the pages that are too old.
    pub(super) fn forget_old(&self) {
        drop(self.held());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pages_are_held() {
        let results = Results::default();
        for number in 1..=MOST as u64 + 1 {
            assert_eq!(results.hold(format!("page {number}")), Ok(number));
        }
        assert_eq!(results.page("1"), None);
        assert_eq!(results.page("2").as_deref(), Some("page 2"));
        assert_eq!(results.page("two"), None);
        assert!(results.hold("x".repeat(MOST_BYTES + 1)).is_err());
        results.forget();
        assert_eq!(results.page("2"), None);
        let preview = results.preview().to_string();
        assert!(!results.is_spent(&preview));
        results.spend(&preview);
        assert!(results.is_spent(&preview));
    }
}
