//! Limits on how much one client, or one invitation, may add to the store in a day.

use std::{hash::Hash, net::IpAddr, num::NonZeroU32, time::Duration};

use governor::{
    DefaultKeyedRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};

const DAY: Duration = Duration::from_secs(86_400);

/// The amounts that may be stored in a day. Each is 0 for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Daily {
    /// The number of new boxes from one address.
    pub boxes: u32,
    /// The number of new boxes from one invitation.
    pub invited: u32,
    /// The number of bytes of letters from one address.
    pub bytes: u64,
}

/// The number of seconds after which a refused request may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Later(pub u64);

/// A daily ration for each key, which is refilled gradually.
struct Ration<K: Eq + Hash + Clone>(Option<DefaultKeyedRateLimiter<K>>);

impl<K: Eq + Hash + Clone> Ration<K> {
    fn of(a_day: u32) -> Self {
        let quota = NonZeroU32::new(a_day).and_then(|most| {
            // The smallest interval that is counted is a nanosecond.
            let each = DAY.checked_div(a_day)?.max(Duration::from_nanos(1));
            Some(Quota::with_period(each)?.allow_burst(most))
        });
        Self(quota.map(RateLimiter::keyed))
    }

    fn take(&self, key: &K, amount: u32) -> Result<(), Later> {
        let (Some(limiter), Some(amount)) = (&self.0, NonZeroU32::new(amount)) else { return Ok(()) };
        match limiter.check_key_n(key, amount) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(until)) => Err(Later(until.wait_time_from(DefaultClock::default().now()).as_secs() + 1)),
            // The amount is more than a whole day's ration.
            Err(_) => Err(Later(DAY.as_secs())),
        }
    }

    fn forget(&self) {
        self.0.iter().for_each(RateLimiter::retain_recent);
    }
}

/// All rations of an office. They are kept only in memory: an office that restarts hands out full rations again.
pub(super) struct Rations {
    boxes: Ration<IpAddr>,
    invited: Ration<usize>,
    kilobytes: Ration<IpAddr>,
}

impl Rations {
    pub(super) fn of(daily: Daily) -> Self {
        let kilobytes = u32::try_from(daily.bytes.div_ceil(1024)).unwrap_or(u32::MAX);
        Self { boxes: Ration::of(daily.boxes), invited: Ration::of(daily.invited), kilobytes: Ration::of(kilobytes) }
    }

    /// Charges a new box to the rations of an address and of an invitation.
    pub(super) fn new_box(&self, client: Option<IpAddr>, invitation: Option<usize>) -> Result<(), Later> {
        client.map_or(Ok(()), |client| self.boxes.take(&client, 1))?;
        invitation.map_or(Ok(()), |invitation| self.invited.take(&invitation, 1))
    }

    /// Charges a number of bytes, rounded up to kilobytes, to the ration of an address.
    pub(super) fn bytes(&self, client: Option<IpAddr>, bytes: usize) -> Result<(), Later> {
        let kilobytes = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
        client.map_or(Ok(()), |client| self.kilobytes.take(&client, kilobytes))
    }

    /// Forgets clients whose ration is full again.
    pub(super) fn forget(&self) {
        self.boxes.forget();
        self.invited.forget();
        self.kilobytes.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_ration_of_its_own_and_nought_is_not_counted() {
        let [one, other]: [IpAddr; 2] = [[192, 0, 2, 1].into(), [192, 0, 2, 2].into()];
        let rations = Rations::of(Daily { boxes: 2, invited: 3, bytes: 4 << 10 });
        for client in [one, one, other] {
            assert_eq!(rations.new_box(Some(client), Some(0)), Ok(()));
        }
        assert!(matches!(rations.new_box(Some(one), None), Err(Later(1..=43_201))));
        assert!(rations.new_box(Some(other), Some(0)).is_err(), "the invitation has none left");
        assert_eq!(rations.bytes(Some(one), 3 << 10), Ok(()));
        assert!(rations.bytes(Some(one), 2 << 10).is_err());
        assert_eq!(rations.bytes(Some(one), 1 << 10), Ok(()), "what was refused took nothing");
        assert_eq!(rations.bytes(Some(other), 5 << 10), Err(Later(86_400)));
        let uncounted = Rations::of(Daily::default());
        assert!((0..1_000).all(|_| uncounted.new_box(Some(one), Some(0)).is_ok()));
        assert_eq!(uncounted.bytes(Some(one), usize::MAX), Ok(()));
    }
}
