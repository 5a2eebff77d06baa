//! The form that takes a mail.

use maud::{Markup, html};

use super::super::{state::Desk, texts};

/// The form that takes a mail: pasted, dropped or chosen.
pub(super) fn mail_form(desk: &Desk) -> Markup {
    html! {
        form.mail method="post" enctype="multipart/form-data" action=(desk.path(&["read"])) {
            h2 #read { (texts::READ_A_MAIL) }
            label for="text" { (texts::PASTE) }
            textarea #text name="text" rows="6" data-drop="file" spellcheck="false" {}
            label for="file" { (texts::OR_FILES) }
            input #file type="file" name="file" multiple;
            button type="submit" { (texts::READ) }
        }
    }
}
