//! The service's HTTP interface (`protocol/post.md` 10 to 15).

mod boxes;
mod events;
mod problem;
mod request;
mod router;

pub use problem::Problem;
pub use request::Office;
pub(super) use request::{STREAMS_OF_A_KEY, household};
pub use router::{document, router};
