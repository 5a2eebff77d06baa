//! The audit: from any collection of letters to a verdict for each game (`protocol/audit.md`).

pub mod continued;
mod games;
mod jobs;
mod one_game;
mod open;
mod report;

pub use games::{Game, Games, Read};
pub use jobs::{Job, audit};
pub use one_game::Replay;
pub use report::{
    ChainHead, Continued, CourseState, Lack, Letter, MissingLetter, Old, Open, Report, ReportedFinding, Roll,
    RunReport, StandsOr, Verdict, Worked,
};
