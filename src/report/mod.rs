//! Presentation of an audit: pure functions from its results to statistics and pages. `cli` reads and writes the files.

#[cfg(feature = "html")]
pub mod audit_page;
pub mod continued;
pub mod description;
#[cfg(feature = "html")]
pub mod dice_svg;
pub mod files;
#[cfg(feature = "html")]
pub mod html;
pub mod inputs;
pub mod manual;
pub mod plain;
pub mod rules;
#[cfg(feature = "stats")]
pub mod stats;
pub mod summary;
pub mod terms;
pub mod text;
pub mod verdict;
pub mod words;
