//! The person at the desk, as verbs ask them: their answers came with the request.

use std::cell::{Cell, RefCell};

use super::{fields::Fields, sitting::Sitting};
use crate::{
    keep::{StorageError, key_file::KeyFile, root::Keys},
    play::session::{CLOSE, Person, Question, Reply},
    primitive::hash::file_hash,
};

/// The field with the digests of the questions that the person has agreed to.
pub(super) const AGREED: &str = "agreed";
/// The field with the number of the preview that the person has agreed to.
pub(super) const PREVIEW: &str = "preview";
/// The field that goes back from a preview to the form.
pub(super) const CHANGE: &str = "change";
/// The field for the word that ends a game.
pub(super) const TYPED: &str = "typed";
/// The field for the fingerprint that an opponent has read aloud.
pub(super) const FINGERPRINT: &str = "fingerprint";

/// A person whose answers are in the fields of a request. An unanswered question counts as *no*, and is kept so that
/// the page can ask it.
pub(super) struct AtDesk<'d> {
    sitting: &'d Sitting,
    fields: &'d Fields,
    /// The questions that are still open.
    asked: RefCell<Vec<Question>>,
    /// The sentences about progress, in order.
    heard: RefCell<Vec<String>>,
    /// Whether a verb needed the key while it was locked.
    is_locked_out: Cell<bool>,
}

impl<'d> AtDesk<'d> {
    pub(super) const fn new(sitting: &'d Sitting, fields: &'d Fields) -> Self {
        Self {
            sitting,
            fields,
            asked: RefCell::new(Vec::new()),
            heard: RefCell::new(Vec::new()),
            is_locked_out: Cell::new(false),
        }
    }

    /// Returns the open questions, the sentences about progress, and whether the key was locked.
    pub(super) fn into_parts(self) -> (Vec<Question>, Vec<String>, bool) {
        (self.asked.into_inner(), self.heard.into_inner(), self.is_locked_out.get())
    }
}

/// Returns the digest by which a page names a question: agreement is to this text and no other.
pub(super) fn digest(question: &Question) -> String {
    hex::encode(file_hash(question.to_string().as_bytes()))
}

impl Person for AtDesk<'_> {
    fn unlock(&self, file: &KeyFile) -> Result<Keys, StorageError> {
        if !file.is_protected() {
            return file.unlock(None);
        }
        self.sitting.root().map(|root| root.keys()).ok_or_else(|| {
            self.is_locked_out.set(true);
            StorageError::Unable("your key is locked: unlock it with your passphrase".into())
        })
    }

    fn types_a_passphrase(&self, _: &KeyFile) -> bool {
        // A locked key is asked for on a page of its own.
        false
    }

    fn answers(&self, question: &Question) -> Reply {
        let ends = matches!(question, Question::Sign { ends: true, .. });
        let has_typed = !ends || self.fields.get(TYPED).trim().eq_ignore_ascii_case(CLOSE);
        let digest = digest(question);
        if has_typed && self.fields.all(AGREED).any(|agreed| agreed == digest) {
            return Reply::Yes;
        }
        self.asked.borrow_mut().push(question.clone());
        Reply::No
    }

    fn hears_fingerprint(&self, _: &str) -> Option<String> {
        Some(self.fields.get(FINGERPRINT).to_owned()).filter(|typed| !typed.trim().is_empty())
    }

    fn hears(&self, line: &str) {
        self.heard.borrow_mut().push(line.to_owned());
    }
}
