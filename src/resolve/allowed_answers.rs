//! The answers that a decision allows. The hints, lists and fields that people see all come from them.

use std::fmt;

/// The answers that a decision allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedAnswers {
    /// One of these words, each with what it means; the meaning is empty if the word says it all.
    Word(Vec<(String, &'static str)>),
    /// Names from a list.
    Names(Names),
    /// Lines in the player's own words.
    Lines(Box<Lines>),
    /// What a form asks for.
    Form(&'static str),
}

/// A list of names to choose from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// Number of names to choose.
    pub count: usize,
    /// Whether choosing none of them is allowed too, as the word `none`.
    pub or_none: bool,
    /// All names that could be chosen at first, in order.
    pub all: Vec<String>,
    /// Names that are already chosen.
    pub gone: Vec<String>,
    /// Whether a name can be typed as its number in `all`, from 1.
    pub by_number: bool,
}

/// Lines in a player's own words, each of one or several texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// What the texts of a line are, such as a regiment and a hex.
    pub parts: Vec<String>,
    /// Least number of lines.
    pub at_least: usize,
    /// Greatest number of lines.
    pub at_most: usize,
    /// The entry of the roster that the lines are for, if they are for one.
    pub entry: Option<String>,
    /// What may be typed, such as `up to 2 of: regiment > hex`.
    pub hint: String,
}

impl AllowedAnswers {
    /// Makes answers from words that say it all.
    pub(super) fn words<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        Self::Word(words.into_iter().map(|word| (word.to_owned(), "")).collect())
    }

    /// Lists what may be typed: a sentence, and then one answer per line.
    #[must_use]
    pub fn listed(&self) -> String {
        match self {
            Self::Word(words) => {
                let line = |(word, means): &(String, &str)| format!("{word}  {means}").trim_end().to_owned() + "\n";
                format!("Type one of these:\n{}", words.iter().map(line).collect::<String>())
            }
            Self::Names(names) => names.listed(),
            Self::Lines(_) | Self::Form(_) => format!("Type {self}.\n"),
        }
    }
}

impl fmt::Display for AllowedAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(words) => {
                let told = words.iter().map(|(word, means)| match *means {
                    "" => word.clone(),
                    means => format!("{word} ({means})"),
                });
                f.write_str(&told.collect::<Vec<_>>().join(" or "))
            }
            Self::Names(names) => names.fmt(f),
            Self::Lines(lines) => match &lines.entry {
                None => f.write_str(&lines.hint),
                Some(entry) => write!(f, "{}, for {entry}", lines.hint),
            },
            Self::Form(about) => f.write_str(about),
        }
    }
}

impl Names {
    /// The word for choosing none of the names.
    pub const NONE: &'static str = "none";

    /// Returns the names that can still be chosen.
    #[must_use]
    pub fn left(&self) -> Vec<&str> {
        self.all.iter().map(String::as_str).filter(|name| !self.gone.iter().any(|gone| gone == name)).collect()
    }

    /// Lists what may be typed: sentences, and then one name per line.
    fn listed(&self) -> String {
        let by = if self.by_number { "name or number" } else { "name" };
        let none = if self.or_none { format!(", or the word {}", Self::NONE) } else { String::new() };
        let mut text = match self.count {
            1 => format!("Type the {by} of one of these{none}:\n"),
            count => {
                format!("Choose {count} of these. Type each {by}, separated by commas or on its own line{none}:\n")
            }
        };
        if !self.gone.is_empty() {
            let stays = if self.by_number { "; the others keep their numbers" } else { "" };
            text.push_str(&format!("Already picked: {}{stays}.\n", self.gone.join(" and ")));
        }
        for (i, name) in self.all.iter().enumerate().filter(|(_, name)| !self.gone.contains(name)) {
            text.push_str(&if self.by_number { format!("{:>4}  {name}\n", i + 1) } else { format!("{name}\n") });
        }
        text
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => f.write_str("one of ")?,
            count => write!(f, "exactly {count} of ")?,
        }
        f.write_str(&in_line(&self.left(), &self.all, self.by_number))?;
        if self.or_none { write!(f, ", or {}", Self::NONE) } else { Ok(()) }
    }
}

/// Lists names in a line. If a name in `all` contains a comma, semicolons separate them, and each name gets its number
/// if it can be typed.
pub(super) fn in_line<S: AsRef<str>>(names: &[S], all: &[String], by_number: bool) -> String {
    let names = names.iter().map(AsRef::as_ref);
    if !all.iter().any(|name| name.contains(',')) {
        return names.collect::<Vec<&str>>().join(", ");
    }
    let numbered = |name: &str| match all.iter().position(|other| other == name).filter(|_| by_number) {
        Some(at) => format!("{} {name}", at + 1),
        None => name.to_owned(),
    };
    names.map(numbered).collect::<Vec<String>>().join("; ")
}
