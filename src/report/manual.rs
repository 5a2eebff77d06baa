//! The manual: the pages of `docs/`, which the program can show without a network.

/// A page of the manual.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The word that names the page.
    pub topic: &'static str,
    /// The subject of the page, in a few words.
    pub about: &'static str,
    /// The text of the page, in Markdown.
    pub text: &'static str,
}

/// The pages of the manual, in reading order.
pub const PAGES: [Page; 11] = [
    Page { topic: "desk", about: "playing in your browser", text: include_str!("../../docs/desk.md") },
    Page {
        topic: "playing",
        about: "playing by mail, up to the end of a game",
        text: include_str!("../../docs/playing.md"),
    },
    Page { topic: "trouble", about: "when something goes wrong", text: include_str!("../../docs/trouble.md") },
    Page { topic: "games", about: "the games that sealed-dice knows", text: include_str!("../../docs/games.md") },
    Page { topic: "referees", about: "what a referee does", text: include_str!("../../docs/referees.md") },
    Page {
        topic: "offices",
        about: "playing through an office, and running one",
        text: include_str!("../../docs/offices.md"),
    },
    Page { topic: "commands", about: "all commands", text: include_str!("../../docs/commands.md") },
    Page {
        topic: "how-it-works",
        about: "how the dice are made, for the curious",
        text: include_str!("../../docs/how-it-works.md"),
    },
    Page {
        topic: "threats",
        about: "every known cheat, and the rule that stops it",
        text: include_str!("../../docs/threats.md"),
    },
    Page {
        topic: "tools",
        about: "the library, JSON and test vectors, for tool authors",
        text: include_str!("../../docs/tools.md"),
    },
    Page {
        topic: "versions",
        about: "players with different versions of the program",
        text: include_str!("../../docs/versions.md"),
    },
];
