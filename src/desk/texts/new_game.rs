//! Texts about the table files of a new game.

use crate::play::questions::Tables;

pub(in crate::desk) const DROP_TABLES: &str = "Do not use this file";
pub(in crate::desk) const NO_TABLE_FILE: &str = "choose your table file";
pub(in crate::desk) const OWN_TABLES: &str = "Table files that the terms name, if you have your own";
pub(in crate::desk) const OWN_TABLES_WHY: &str = "The terms find a table by the name of its file, so keep that name. The tables of Gettysburg and NATO Division \
     Commander come with the program.";
pub(in crate::desk) const TABLE_FILE: &str = "Table file";

/// Says what the field for a table file is for.
pub(in crate::desk) const fn table_file(tables: Tables) -> &'static str {
    match tables.are_complete {
        true => {
            "Leave this empty to play with the tables below, which come with the program. Look through them first: \
             those that are made up say so. Your opponent sees the whole file."
        }
        false => "The file with your tables. Your opponent sees the whole file.",
    }
}

/// Returns the heading of the tables that come with the program.
pub(in crate::desk) const fn supplied(tables: Tables) -> &'static str {
    if tables.are_complete { "The file with these tables" } else { "An example of a table file" }
}

/// Names the file that was chosen.
pub(in crate::desk) fn chosen(name: &str) -> String {
    format!("Chosen: {name}. Choose another file to replace it.")
}
