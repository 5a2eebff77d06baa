//! Where the table files that terms name come from.

use std::path::Path;

use super::source::Source;
use crate::{
    blob::json::Value,
    keep::texts::TextFile,
    play::failure::{Failure, PlayResult},
};

/// Where the table files that terms name come from.
#[derive(Clone, Debug)]
pub enum TableFiles {
    /// From disk, relative to the file with the terms.
    Beside,
    /// From these files, each under the name that terms give it. Nothing is read from disk.
    Given(Vec<(String, TextFile)>),
}

impl TableFiles {
    /// Reads a table file that terms name.
    pub(super) fn table(&self, charter: &Path, file: &Path) -> PlayResult<Value> {
        match self {
            Self::Beside => {
                let path = charter.parent().unwrap_or_else(|| Path::new("")).join(file);
                parsed(&TextFile::read(&path).map_err(Failure::unable)?)
            }
            Self::Given(files) => {
                let given = files.iter().find(|(name, _)| Path::new(name) == file);
                parsed(&given.map(|(_, text)| text).ok_or_else(|| missing(file))?.clone())
            }
        }
    }
}

fn parsed(file: &TextFile) -> PlayResult<Value> {
    let source = Source { path: &file.path, text: &file.text };
    toml::from_str(&file.text).map_err(|error| source.mistake(error.span().unwrap_or_default(), error.message()))
}

fn missing(file: &Path) -> Failure {
    Failure::refused(format!(
        "the terms name the table file {}, which is not among the files that you have chosen: choose it too",
        file.display()
    ))
}
