//! Quotas for all clients together and for each of them: connections, event streams, and texts in transit.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
};

/// A limit for all clients together, a limit for each client, and the amount that each client holds now.
#[derive(Debug)]
pub(super) struct Quota<K> {
    held: Mutex<(usize, HashMap<K, usize>)>,
    most: usize,
    of_one: usize,
}

/// A part of a quota that a client holds. Dropping it gives the part back.
#[derive(Debug)]
pub(super) struct QuotaGuard<K: Eq + Hash + Clone> {
    of: Arc<Quota<K>>,
    key: K,
    held: usize,
}

impl<K: Eq + Hash + Clone> Quota<K> {
    /// Makes a quota of `most` for all clients together, and of `of_one` for each of them.
    #[must_use]
    pub(super) fn of(most: usize, of_one: usize) -> Arc<Self> {
        Arc::new(Self { held: Mutex::default(), most, of_one })
    }

    /// Takes a part of the quota for a client. Returns `None` if the amount would exceed either limit.
    pub(super) fn take(self: &Arc<Self>, key: K, amount: usize) -> Option<QuotaGuard<K>> {
        let mut share = QuotaGuard { of: Arc::clone(self), key, held: 0 };
        share.more(amount).then_some(share)
    }
}

impl<K: Eq + Hash + Clone> QuotaGuard<K> {
    /// Enlarges the part if the limits allow it, and returns whether they do.
    #[must_use]
    pub(super) fn more(&mut self, amount: usize) -> bool {
        self.more_leaving(0, amount)
    }

    /// Enlarges the part if the limits allow it and at least `left` of the whole quota remains for others. Returns
    /// whether it was enlarged.
    #[must_use]
    pub(super) fn more_leaving(&mut self, left: usize, amount: usize) -> bool {
        let mut held = self.of.held.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, by_key) = &mut *held;
        let own = by_key.get(&self.key).copied().unwrap_or_default();
        let fits = |held: usize, most: usize| held.checked_add(amount).is_some_and(|sum| sum <= most);
        if !fits(*all, self.of.most.saturating_sub(left)) || !fits(own, self.of.of_one) {
            return false;
        }
        *all += amount;
        by_key.insert(self.key.clone(), own + amount);
        self.held += amount;
        true
    }
}

impl<K: Eq + Hash + Clone> Drop for QuotaGuard<K> {
    fn drop(&mut self) {
        let mut held = self.of.held.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, by_key) = &mut *held;
        *all -= self.held;
        if let Some(own) = by_key.get_mut(&self.key) {
            *own -= self.held;
            if *own == 0 {
                by_key.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_more_than_their_share_and_all_have_no_more_than_there_is() {
        let shares = Quota::of(10, 6);
        let mut one = shares.take("one", 4).expect("a share");
        assert!(shares.take("one", 3).is_none());
        assert!(one.more(2));
        assert!(!one.more(1));
        let other = shares.take("other", 4).expect("what is left");
        assert!(shares.take("third", 1).is_none());
        drop(one);
        assert!(shares.take("one", 6).is_some());
        drop(other);
        assert_eq!(*shares.held.lock().expect("it"), (0, HashMap::new()));
    }

    #[test]
    fn what_is_left_for_others_is_theirs_alone() {
        let shares = Quota::of(10, 6);
        let mut one = shares.take("one", 1).expect("a share");
        let mut other = shares.take("other", 0).expect("a share");
        assert!(one.more_leaving(2, 5) && other.more_leaving(2, 2));
        assert!(!other.more_leaving(2, 1), "two are left");
        assert!(!one.more(1), "and its own share has an end");
        assert!(shares.take("third", 2).is_some());
    }
}
