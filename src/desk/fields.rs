//! The fields of a form, as a request carries them. Uploaded files become fields of their own, so that a page can carry
//! everything on to the next request. Of files with moves only the hashes are carried, because a letter has no more.

use crate::{blob::body::FileHash, primitive::secret::Wiped};

/// The end of the names of fields that hold an uploaded file, in hexadecimal digits.
const FILE: &str = ".file";
/// The end of the names of fields that hold the name of an uploaded file.
const FILE_NAME: &str = ".name";

/// The end of the names of fields that hold the name, length and hash of an uploaded file, as JSON.
const HASH: &str = ".hash";

/// A file that was uploaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Upload {
    /// The name of the file on the player's computer.
    pub(super) name: String,
    /// The content of the file.
    pub(super) bytes: Vec<u8>,
}

/// The fields of a request, in order; a name may occur more than once. The values are wiped: a passphrase may be one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields(Vec<(String, Wiped<String>)>);

impl Fields {
    /// Makes fields from names and values.
    pub(super) fn of<'a>(fields: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        Self(fields.into_iter().map(|(name, value)| (name.to_owned(), Wiped::new(value))).collect())
    }

    /// Adds a field at the end.
    pub(super) fn push(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_owned(), Wiped::new(value.into())));
    }

    /// Adds an uploaded file.
    pub(super) fn push_file(&mut self, name: &str, file: &Upload) {
        self.push(&format!("{name}{FILE_NAME}"), file.name.clone());
        self.push(&format!("{name}{FILE}"), hex::encode(&file.bytes));
    }

    /// Adds the name, length and hash of an uploaded file.
    pub(super) fn push_hash(&mut self, name: &str, hash: &FileHash) {
        if let Ok(hash) = serde_json::to_string(hash) {
            self.push(&format!("{name}{HASH}"), hash);
        }
    }

    /// Returns the names, lengths and hashes of the files that were uploaded under a name.
    pub(super) fn hashes(&self, name: &str) -> Vec<FileHash> {
        self.all(&format!("{name}{HASH}")).filter_map(|hash| serde_json::from_str(hash).ok()).collect()
    }

    /// Returns the first value of a field; empty if there is none.
    pub(super) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(named, _)| named == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// Returns the first value of a field without blanks around it, if it has any other characters.
    pub(super) fn said(&self, name: &str) -> Option<&str> {
        Some(self.get(name).trim()).filter(|said| !said.is_empty())
    }

    /// Whether a field has a value other than blanks, as a ticked box has.
    pub(super) fn has(&self, name: &str) -> bool {
        self.said(name).is_some()
    }

    /// Returns every value of a field.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(named, _)| named == name).map(|(_, value)| value.as_str())
    }

    /// Returns the files that were uploaded under a name.
    pub(super) fn files(&self, name: &str) -> Vec<Upload> {
        let (names, contents) = (format!("{name}{FILE_NAME}"), format!("{name}{FILE}"));
        let pairs = self.all(&names).zip(self.all(&contents));
        let read = pairs
            .filter_map(|(name, content)| Some(Upload { name: name.to_owned(), bytes: hex::decode(content).ok()? }));
        read.collect()
    }

    /// Lists all fields, except those with these names.
    pub(super) fn without<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
        let kept = self.0.iter().filter(|(name, _)| !names.contains(&name.as_str()));
        kept.map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blob::body::Hex32;

    #[test]
    fn an_uploaded_file_survives_the_next_form() {
        let mut fields = Fields::of([("slot", "1/1/ann/1".to_owned())]);
        let file = Upload { name: "attacks.csv".into(), bytes: vec![0, 255, b'\n'] };
        fields.push_file("sheet", &file);
        assert_eq!(fields.files("sheet"), [file]);
        assert!(fields.files("other").is_empty());
        assert_eq!(fields.without(&["slot"]).count(), 2);
        let hash = FileHash { length: 3, name: "map \"1\".png".into(), sha3_256: Hex32([7; 32]) };
        fields.push_hash("moves", &hash);
        assert_eq!(fields.hashes("moves"), [hash]);
    }
}
