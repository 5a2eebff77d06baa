//! The audit page: the TypeScript checker as one file for any browser. `verify/typescript/page.js` builds it.

/// The whole page as HTML, with its script, style and policy inside. It needs no server and loads nothing.
pub const AUDIT_PAGE: &str = include_str!("../../verify/audit.html");
