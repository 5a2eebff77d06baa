//! The closed list of systems. To add one, add a folder beside this file and a line in the table.

use super::{
    cil::Cil,
    coin_envelopes::CoinEnvelopes,
    event_tables::EventTables,
    icrk::Icrk,
    ndc::Ndc,
    object::Object,
    ocs_initiative::OcsInitiative,
    shape::{Resolver, Settled},
};
use crate::error::{Error, Result};

macro_rules! systems {
    ($($name:literal => $system:ident),* $(,)?) => {
        /// A system with parsed settings.
        ///
        /// # Examples
        ///
        /// The settings of a template, changed and parsed:
        ///
        /// ```
        /// use sealed_dice::{blob::json::{Map, Value}, resolve::System};
        ///
        /// assert!(System::NAMES.contains(&"coin-envelopes"));
        /// let no_tables = Map::new();
        /// let mut settings = System::prefill("coin-envelopes", &no_tables)?;
        /// settings.insert("envelopes".into(), Value::from(6));
        /// let System::CoinEnvelopes(system) = System::settle("coin-envelopes", &settings, &no_tables)? else {
        ///     return Ok(());
        /// };
        /// assert_eq!(system.envelopes(), 6);
        /// # Ok::<(), sealed_dice::error::Error>(())
        /// ```
        #[derive(Clone, Debug)]
        pub enum System {
            $(#[doc = concat!("`", $name, "`")] $system($system)),*
        }

        impl System {
            /// Names of all systems.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// Parses the settings of a system.
            ///
            /// # Errors
            /// [`Error::Refused`] if the system is unknown, or its settings or tables are wrong.
            pub fn settle(name: &str, settings: &Object, tables: &Object) -> Result<Self> {
                match name {
                    $($name => Ok(Self::$system($system::settle(settings, tables)?)),)*
                    _ => Err(unknown(name)),
                }
            }

            /// Returns the settings that the template of a system writes.
            ///
            /// # Errors
            /// [`Error::Refused`] if the system is unknown, or tables that define settings are missing or wrong.
            pub fn prefill(name: &str, tables: &Object) -> Result<Object> {
                match name {
                    $($name => $system::prefill(tables),)*
                    _ => Err(unknown(name)),
                }
            }

            /// Returns the names of the settings without a default.
            ///
            /// # Examples
            ///
            /// ```
            /// use sealed_dice::{blob::json::Map, resolve::System};
            ///
            /// assert_eq!(System::stated("ocs-initiative", &Map::new()), ["first_player", "sides"]);
            /// assert!(System::stated("icrk", &Map::new()).is_empty());
            /// ```
            #[must_use]
            pub fn stated(name: &str, tables: &Object) -> Vec<String> {
                match name {
                    $($name => $system::stated(tables),)*
                    _ => Vec::new(),
                }
            }

            /// Returns the name of the system.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$system(_) => $name),*
                }
            }

            /// Returns the resolver.
            #[must_use]
            pub fn resolver(&self) -> &dyn Resolver {
                match self {
                    $(Self::$system(system) => system),*
                }
            }
        }
    };
}

systems! {
    "cil" => Cil,
    "coin-envelopes" => CoinEnvelopes,
    "event-tables" => EventTables,
    "icrk" => Icrk,
    "ndc" => Ndc,
    "ocs-initiative" => OcsInitiative,
}

fn unknown(name: &str) -> Error {
    Error::Refused(format!("unknown system {name:?}; choose one of {}", System::NAMES.join(", ")))
}
