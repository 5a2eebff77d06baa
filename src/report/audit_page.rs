//! The audit page: the TypeScript checker as one file for any browser. `verify/typescript/page.js` builds it.

use std::sync::LazyLock;

/// The whole page as HTML, with its script, style and policy inside. It needs no server and loads nothing. Its foot names
/// the commit from which this program was built, if the build recorded it.
pub static AUDIT_PAGE: LazyLock<String> = LazyLock::new(|| {
    let page = include_str!("../../verify/audit.html");
    match option_env!("SEALED_DICE_COMMIT") {
        Some(commit) => page.replacen(r#"data-commit="""#, &format!(r#"data-commit="{commit}""#), 1),
        None => page.to_owned(),
    }
});
