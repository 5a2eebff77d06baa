//! Phrases about options of commands, as a page says them.

/// Phrases about options of commands in the sentences of `play`, and what a page says instead; longer ones first.
pub(in crate::desk) const OPTIONS: &[(&str, &str)] = &[
    (
        "say what moved: --moves TEXT, --moves-file F, --files F.., --moves-note NAME or --no-moves",
        "say under “Moves” what moved, or that nothing moved",
    ),
    (
        "add --sheet FILE with the list as it should have been, or add --keep-dice to keep the dice for good",
        "fill in the list as it should have been, or tick that the dice are kept",
    ),
    (
        "to see everything, with all settings and tables, type  sealed-dice game terms",
        "everything, with all settings and tables, is on the page “Accept the terms”",
    ),
    ("In the form that --form prints, remove the # from the lines that you fill in", "Fill in the fields of the form"),
    ("give the sheet, which must be a TOML file; --form prints one to fill in", "fill in the sheet"),
    ("put them under `named`, whose lines `declare --form` prints", "put them under “named” in the form"),
    ("`sealed-dice declare --form` prints it", "the form of your next declaration shows it"),
    ("--at-fault must be the role of one of the two players", "choose which player made the mistake"),
    ("name the file with the attacks or rolls for", "fill in the attacks or rolls for"),
    ("type --no-rolls instead of the file", "tick “I roll for nothing here”"),
    ("type the command again with --skip", "choose the button that says “out of order”"),
    ("fill in the one that --form prints", "fill in the form"),
    ("`sealed-dice office card` shows", "the office's own page shows"),
    ("or go back with --before DECLARATION", "or start at the point before an earlier slot"),
    ("declare with --moves-note", "declare with the moves in a sealed note called"),
    ("is this the right --home?", "is this the right folder?"),
    ("give --sheet the list for", "change the list for"),
    (" (declare SLOT --again)", ""),
    ("; --all prints all of them", ""),
    ("or add --no-rolls", "or tick “I roll for nothing here”"),
    ("with --moves-note", "with the moves in the sealed note"),
    ("--their-key must be", "their new public key must be"),
    ("`game status` says why", "the game's page says why"),
    ("`game close` ends", "“Close the game” ends"),
    ("`office pull` brings", "“Look for letters at the office” brings"),
    (
        "withdraw the terms with `game withdraw`, and propose others with `game new`",
        "withdraw the terms with “Take the terms back”, and propose others with “New game”",
    ),
    ("`resend --everything`", "the mail from “Show a mail with every letter of the game”"),
];
