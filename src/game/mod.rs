//! A game: its terms, the order of its letters, the law that judges them, the resulting state, and the audit.
//!
//! Begin with [`audit`], which does everything at once: it sorts letters into games, and reports on each. Then read
//! how a game is replayed: [`terms`] from a charter, [`keys`] and [`order`] for its letters, [`replay`] with the
//! law in [`rules`], and the resulting [`ledger`], which [`replay::replay`] shows in use. A player's program asks
//! [`tasks`] what to do, and writes it with [`steps`]. The other modules are data and look-ups that these use.
//!
//! ```
//! use sealed_dice::game::{audit::{Games, Read}, tasks::{self, Task}, terms::Player};
//!
//! let read = Read::all(
//!     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/awaiting-a-reveal.txt")),
//!     "a mail",
//! );
//! let games = Games::sort(&read);
//! let (report, tasks) = games.jobs()[0].run_with(|_, game| game.map(|game| tasks::of(game.ledger, Player::Second)));
//! assert_eq!(report.title, "a reveal is awaited");
//! assert!(matches!(tasks.as_deref(), Some([Task::Reveal { .. }, ..])));
//! ```

pub mod asks;
pub mod audit;
pub mod branches;
pub mod charter;
pub mod context;
pub mod days;
pub mod declaration;
pub mod deposits;
pub mod finding;
pub mod findings;
pub mod hidden;
pub mod ids;
pub mod kept;
pub mod keys;
pub mod ledger;
pub mod node;
pub mod opener;
mod opening;
pub mod order;
pub mod purpose;
pub mod records;
pub mod repeats;
pub mod replay;
pub mod rules;
pub mod runs;
pub mod schedule;
pub mod set;
pub mod steps;
pub mod tasks;
pub mod terms;
