//! Tables that charters withhold, supplied by players who have their files (`protocol/hidden.md` 8).

use std::path::Path;

use super::failure::{Failure, PlayResult};
use crate::{
    blob::{
        body::Hex32,
        json::{self, Text, Value},
    },
    game::{runs::Supplied, terms::Terms},
    keep::{home::Home, texts::read_input},
    primitive::hash::file_hash,
    resolve::Object,
};

/// Reads the tables in a folder, from files that end in `.toml` or `.json`: each file is a table, or contains tables by
/// their names. Other files are ignored; unreadable ones are reported.
///
/// # Errors
/// If a file cannot be read, or is not a table.
pub fn in_folder(folder: &Path) -> PlayResult<Supplied> {
    let list = |error: std::io::Error| Failure::unable(format!("{} cannot be read: {error}", folder.display()));
    let mut found = Supplied::new();
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(list)? {
        paths.push(entry.map_err(list)?.path());
    }
    paths.sort();
    for path in paths {
        let bytes = || read_input(&path).map_err(Failure::unable);
        let refuse = |why: String| Failure::unable(format!("{}: {why}", path.display()));
        let object: Object = match path.extension().and_then(|ending| ending.to_str()) {
            Some("json") => {
                let bytes = bytes()?;
                let tree = json::parse(&bytes).map_err(|error| refuse(error.to_string()))?;
                json::read(&tree).map_err(|error| refuse(error.to_string()))?
            }
            Some("toml") => {
                let text = String::from_utf8(bytes()?).map_err(|error| refuse(error.to_string()))?;
                let value: toml::Value = toml::from_str(&text).map_err(|error| refuse(error.to_string()))?;
                let text = Text::of(&value).map_err(|error| refuse(error.to_string()))?;
                text.read().map_err(|error| refuse(error.to_string()))?
            }
            _ => continue,
        };
        for table in object.values().filter_map(Value::as_object) {
            found.insert(fingerprint(table)?, table.clone());
        }
        found.insert(fingerprint(&object)?, object);
    }
    Ok(found)
}

/// Reads the tables of a home, if the terms withhold any.
pub(super) fn of_home(home: &Home, terms: &Terms) -> PlayResult<Supplied> {
    let withholds = terms.phases.iter().filter_map(|phase| phase.hidden()).any(|hidden| !hidden.withheld().is_empty());
    let folder = home.tables();
    if withholds && folder.is_dir() { in_folder(&folder) } else { Ok(Supplied::new()) }
}

/// Computes the fingerprint of a table (hidden 8).
pub(super) fn fingerprint(table: &Object) -> PlayResult<Hex32> {
    Ok(Hex32(file_hash(Text::of(table).map_err(|error| Failure::refused(error.to_string()))?.as_str().as_bytes())))
}
