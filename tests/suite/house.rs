//! The house's own rules: which room may know which, where crypto crates, files, clocks and printing are, and which
//! features no dependency may turn on.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use sealed_dice::{report::rules, rule::Rule};

fn sources(dir: &Path) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    for path in entries {
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            files.push((path, text));
        }
    }
    files.sort();
    files
}

/// The rooms from the bottom up; each may use those before it, and itself.
const ROOMS: [&str; 15] = [
    "limits",
    "rule",
    "error",
    "primitive",
    "blob",
    "resolve",
    "game",
    "report",
    "keep",
    "mail",
    "conformance",
    "office",
    "play",
    "desk",
    "cli",
];

fn room(path: &Path) -> Option<usize> {
    let name = path.components().nth(1)?.as_os_str().to_str()?.trim_end_matches(".rs").to_owned();
    ROOMS.iter().position(|room| *room == name)
}

#[test]
fn dependencies_point_down() {
    let mut uses = 0;
    for (path, text) in sources(Path::new("src")) {
        let Some(here) = room(&path) else { continue };
        let text = text.replace("\\\"", "").replace("'\"'", "");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (above, name) in ROOMS.iter().enumerate().skip(here + 1) {
            let used = code.contains(&format!("crate::{name}")) || in_use_list(code, name);
            assert!(!used, "{} uses {name}, which is above it ({above} > {here})", path.display());
        }
        uses += usize::from(code.contains("crate::"));
    }
    assert!(uses > 15, "the test must see the code's imports");
}

/// Whether `use crate::{ name..` has the room at the top of its list.
fn in_use_list(code: &str, name: &str) -> bool {
    let lists = code.split("use crate::{").skip(1);
    lists
        .filter_map(|list| list.split("\n};").next())
        .any(|list| list.lines().any(|line| line.starts_with(&format!("    {name}::"))))
}

/// The files of `src`, each with the files that it names: by `use`, or by a path in its code.
struct Graph {
    /// The file of each module path, such as `game::rules::declare`.
    files: BTreeMap<String, PathBuf>,
    texts: BTreeMap<PathBuf, String>,
}

impl Graph {
    fn of_sources() -> Self {
        let texts: BTreeMap<PathBuf, String> =
            sources(Path::new("src")).into_iter().map(|(path, text)| (path, code_of(&text))).collect();
        let files = texts.keys().map(|path| (module_of(path).join("::"), path.clone())).collect();
        Self { files, texts }
    }

    /// The file that a path of modules leads to. A `mod.rs` that only declares and re-exports leads on.
    fn lead(&self, path: &[String], depth: usize) -> Option<&PathBuf> {
        let found = (0..=path.len()).rev().find_map(|length| {
            let file = self.files.get(&path[..length].join("::"))?;
            Some((length, file))
        });
        let (length, file) = found?;
        let re_exported = path.get(length).filter(|_| depth < 4 && file.ends_with("mod.rs")).and_then(|name| {
            let names = used(&self.texts[file]);
            let target = names.into_iter().find(|path| path.last() == Some(name))?;
            self.lead(&self.absolute(&target, &path[..length])?, depth + 1)
        });
        re_exported.or(Some(file))
    }

    /// A path as written in a module, from the crate's root; none if it leads out of the crate.
    fn absolute(&self, path: &[String], from: &[String]) -> Option<Vec<String>> {
        let ups = path.iter().take_while(|part| *part == "super").count();
        match path.first().map(String::as_str) {
            Some("crate") => Some(path[1..].to_vec()),
            Some("self") => Some([from, &path[1..]].concat()),
            Some("super") => Some([&from[..from.len().checked_sub(ups)?], &path[ups..]].concat()),
            Some(name) => {
                let here = [from, &[name.to_owned()]].concat();
                self.files.contains_key(&here.join("::")).then(|| [from, path].concat())
            }
            None => None,
        }
    }

    fn edges(&self, file: &Path) -> BTreeSet<&PathBuf> {
        let (text, from) = (&self.texts[file], module_of(file));
        let paths = paths_in(text);
        let only_declares = text.split(';').all(|item| {
            let item = item
                .trim()
                .trim_start_matches("pub ")
                .trim_start_matches("pub(super) ")
                .trim_start_matches("pub(crate) ");
            item.is_empty() || item.starts_with("mod ") || item.starts_with("use ")
        });
        if file.ends_with("mod.rs") && only_declares {
            return BTreeSet::new();
        }
        let named = used(text).into_iter().chain(paths);
        let leads = named.filter_map(|path| self.lead(&self.absolute(&path, &from)?, 0));
        leads.filter(|other| *other != file).collect()
    }
}

/// Code without comments, texts, attributes and unit tests.
fn code_of(text: &str) -> String {
    let text = text.replace("\\\"", "").replace("'\"'", "");
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    let lines = lines.filter(|line| !line.trim_start().starts_with("#["));
    let code = lines.collect::<Vec<_>>().join("\n");
    code.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

/// The modules that lead to a file.
fn module_of(path: &Path) -> Vec<String> {
    let parts =
        path.with_extension("").iter().skip(1).map(|part| part.to_string_lossy().into_owned()).collect::<Vec<_>>();
    match parts.last().map(String::as_str) {
        Some("mod" | "lib" | "main") => parts[..parts.len() - 1].to_vec(),
        _ => parts,
    }
}

/// The paths of the `use` items of a file, taken apart.
fn used(code: &str) -> Vec<Vec<String>> {
    let items = code.split("use ").skip(1).filter_map(|item| item.split(';').next());
    items.flat_map(|item| leaves(&item.split_whitespace().collect::<Vec<_>>().join(" "))).collect()
}

/// `a::{b, c::{self, d}}` taken apart: `a::b`, `a::c`, `a::c::d`.
fn leaves(item: &str) -> Vec<Vec<String>> {
    let Some((front, list)) = item.split_once('{') else {
        let path = item.split(" as ").next().unwrap_or_default().trim();
        let path = path.split("::").filter(|part| *part != "self" && !part.is_empty()).map(str::to_owned);
        return vec![path.collect()];
    };
    let front: Vec<String> = front.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let list = list.rsplit_once('}').map_or(list, |(list, _)| list);
    let (mut parts, mut depth, mut part) = (Vec::new(), 0, String::new());
    for c in list.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(c);
        }
    }
    parts.push(part);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| leaves(part.trim())).map(|leaf| [front.clone(), leaf].concat()).collect()
}

/// Paths in code that begin at the crate, at the module above or at a module beside.
fn paths_in(code: &str) -> Vec<Vec<String>> {
    let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    // Before a list stands no whole path.
    let words = words.filter(|word| word.contains("::") && !word.ends_with(':'));
    words.map(|word| word.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect()).collect()
}

#[test]
fn no_file_comes_back_to_itself() {
    let graph = Graph::of_sources();
    let mut rest: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> =
        graph.texts.keys().map(|file| (file, graph.edges(file))).collect();
    let arrows: usize = rest.values().map(BTreeSet::len).sum();
    assert!(arrows > 1_000, "the test must see the code's imports: {arrows}");
    // What depends on nothing is taken away, until only circles are left.
    loop {
        let free: Vec<&PathBuf> =
            rest.iter().filter(|(_, to)| to.iter().all(|to| !rest.contains_key(*to))).map(|(file, _)| *file).collect();
        if free.is_empty() {
            break;
        }
        free.into_iter().for_each(|file| drop(rest.remove(file)));
    }
    let circle: Vec<String> = rest
        .iter()
        .map(|(file, to)| {
            format!("{} -> {:?}", file.display(), to.iter().filter(|to| rest.contains_key(**to)).collect::<Vec<_>>())
        })
        .collect();
    assert!(circle.is_empty(), "files that depend on one another, or on such:\n{}", circle.join("\n"));
}

/// The lines of each function of a file, from the one with its name to its closing brace, as rustfmt sets them.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let begins = lines.iter().enumerate().filter(|(_, line)| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = words.iter().position(|word| *word == "fn");
        name.is_some_and(|at| {
            words[..at].iter().all(|word| word.starts_with("pub") || ["const", "async", "in"].contains(word))
        })
    });
    let measured = begins.filter_map(|(first, line)| {
        let indent = line.len() - line.trim_start().len();
        let end = format!("{}}}", &line[..indent]);
        let last = (first..lines.len()).find(|at| lines[*at] == end || lines[*at].ends_with([';']) && *at == first)?;
        Some((line.trim().to_owned(), last - first + 1))
    });
    measured.collect()
}

#[test]
fn no_file_and_no_function_is_longer_than_a_reader_can_hold() {
    let sources = sources(Path::new("src"));
    let all: Vec<(&PathBuf, (String, usize))> =
        sources.iter().flat_map(|(path, text)| functions(text).into_iter().map(move |found| (path, found))).collect();
    assert!(all.len() > 2_000, "the test must see the code's functions: {}", all.len());
    let long: Vec<String> = all
        .iter()
        .filter(|(_, (_, lines))| *lines > 60)
        .map(|(path, (name, lines))| format!("{}: {name}: {lines} lines", path.display()))
        .chain(
            sources
                .iter()
                .filter(|(_, text)| text.lines().count() > 500)
                .map(|(path, text)| format!("{}: {} lines", path.display(), text.lines().count())),
        )
        .collect();
    assert!(long.is_empty(), "split these by what they are about:\n{}", long.join("\n"));
}

#[test]
fn each_crypto_crate_is_named_in_one_file() {
    let homes = [
        ("sha3::", "hash.rs"),
        ("ed25519_dalek", "sign.rs"),
        ("chacha20poly1305", "cipher.rs"),
        ("rand_chacha", "dice.rs"),
        ("zeroize::", "secret.rs"),
        ("use base64::", "armour.rs"),
        ("subtle::", "secret.rs"),
        ("argon2::", "passphrase.rs"),
        ("hpke::", "wrap.rs"),
        ("getrandom::", "random.rs"),
        ("mail_parser::", "mime.rs"),
        ("mail_builder::", "write.rs"),
        ("quoted_printable::encode", "write.rs"),
        ("html5gum::", "html.rs"),
        ("ureq::", "client.rs"),
        ("use tar::", "archive.rs"),
    ];
    for (name, home) in homes {
        let files = sources(Path::new("src")).into_iter().filter(|(_, text)| text.contains(name));
        let files: Vec<String> =
            files.map(|(path, _)| path.file_name().expect("a name").to_string_lossy().into_owned()).collect();
        assert_eq!(files, [home], "{name}");
    }
}

#[test]
fn the_core_does_no_input_or_output_and_knows_no_clock() {
    let forbidden = [
        "std::fs",
        "std::io",
        "std::net",
        "std::env",
        "std::time",
        "std::thread",
        "std::process",
        "SystemTime",
        "Instant",
        "getrandom",
    ];
    let core = ["primitive", "blob", "resolve", "game", "report"];
    let mut seen = 0;
    for room in core {
        for (path, text) in sources(&Path::new("src").join(room)) {
            seen += 1;
            for word in forbidden {
                assert!(!text.contains(word), "{} names {word}", path.display());
            }
        }
    }
    assert!(seen > 20);
}

#[test]
fn one_file_prints() {
    let words = ["println!", "eprintln!", "print!(", "io::stdout"];
    let printing =
        sources(Path::new("src")).into_iter().filter(|(_, text)| words.iter().any(|word| text.contains(word)));
    let printing: Vec<PathBuf> = printing.map(|(path, _)| path).collect();
    assert_eq!(printing, [Path::new("src/cli/terminal.rs")]);
}

#[test]
fn what_players_do_knows_no_terminal() {
    let words = ["clap", "crate::cli", "terminal::", "rpassword", "indicatif", "io::stdin", "process::", "ExitCode"];
    for (path, text) in sources(Path::new("src/play")) {
        let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let named = words.iter().find(|word| code.contains(*word));
        assert_eq!(named, None, "{} asks a Person for that", path.display());
    }
}

#[test]
fn resolvers_know_no_keys_seals_or_letters() {
    for (path, text) in sources(Path::new("src/resolve")) {
        for word in ["primitive::", "Verified", "blob::message", "blob::frame", "Secret"] {
            assert!(!text.contains(word), "{} names {word}", path.display());
        }
    }
}

/// A feature that any crate of the tree turns on is on for all: these would change what a signature or a payload is.
#[test]
fn no_dependency_turns_on_a_forbidden_feature() {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--locked",
            "--offline",
            "--edges",
            "normal,build,dev",
            "--prefix",
            "none",
            "--format",
            "{p}|{f}",
        ])
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8_lossy(&output.stdout);
    let forbidden = [
        ("ed25519-dalek", ["legacy_compatibility", "batch", "hazmat"].as_slice()),
        ("curve25519-dalek", &["legacy_compatibility"]),
        ("serde_json", &["preserve_order", "arbitrary_precision"]),
    ];
    for (name, features) in forbidden {
        let lines: Vec<&str> = tree.lines().filter(|line| line.starts_with(&format!("{name} v"))).collect();
        assert!(!lines.is_empty(), "{name} is not in the tree");
        for line in lines {
            let (_, on) = line.split_once('|').expect("features behind the bar");
            assert!(features.iter().all(|feature| on.split(',').all(|other| other != *feature)), "{line}");
        }
    }
}

/// Nobody reads a result off a library's sampler, or verifies by another rule than the strict one.
#[test]
fn forbidden_calls() {
    for (path, text) in sources(Path::new("src")) {
        for word in [
            "random_range",
            ".shuffle(",
            ".choose(",
            "verify_batch",
            ".verify_prehashed",
            "unsafe ",
            "todo!",
            "unimplemented!",
        ] {
            assert!(!text.contains(word), "{} has {word}", path.display());
        }
    }
}

/// The table of tags in the spec and the one in the code are the same.
#[test]
fn the_tags_are_those_of_the_spec() {
    let page = fs::read_to_string("protocol/hash.md").expect("the page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|(tag, _)| tag.to_owned()));
    let spec: Vec<String> = rows.collect();
    let code: Vec<&str> = sealed_dice::primitive::hash::tag::ALL.iter().map(|tag| tag.name()).collect();
    assert_eq!(spec.len(), code.len());
    assert!(code.iter().all(|tag| spec.iter().any(|row| row == tag)), "{spec:?} {code:?}");
}

/// The one list of unseen characters is the spec's.
#[test]
fn the_unseen_characters_are_those_of_the_spec() {
    let page = fs::read_to_string("protocol/README.md").expect("the page");
    let list = page.split("- **Unseen** is").nth(1).and_then(|rest| rest.split("The blank").next()).expect("the list");
    let list = list.split_whitespace().collect::<Vec<_>>().join(" ").replace(" to U+", "-");
    let code = |text: &str| u32::from_str_radix(text, 16).expect("a code");
    let stretches = list.split("U+").skip(1).map(|part| {
        let part = part.split([',', '.', ' ']).next().unwrap_or_default();
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        code(first)..=code(last)
    });
    let stretches: Vec<_> = stretches.collect();
    assert_eq!(stretches.len(), 23);
    for c in '\0'..=char::MAX {
        let listed = stretches.iter().any(|stretch| stretch.contains(&u32::from(c)));
        assert_eq!(sealed_dice::resolve::values::is_unseen(c), listed, "U+{:04X}", u32::from(c));
    }
}

/// Every rule that a letter can break stands on a page of the spec, and is cited somewhere.
#[test]
fn rules_that_are_cited_exist() {
    let sources: String = sources(Path::new("src")).into_iter().map(|(_, text)| text).collect();
    for rule in Rule::ALL {
        let (text, _) = rules::text_of(rule.as_str()).unwrap_or_else(|| panic!("{rule} is on no page"));
        assert!(text.len() > 20, "{rule}: {text}");
        let name = format!("Rule::{rule:?}");
        let mut cited = sources.split(&name).skip(1);
        assert!(cited.any(|rest| !rest.starts_with(|c: char| c.is_ascii_digit())), "nothing breaks {rule}");
    }
}

/// Secrets show nothing when printed by mistake.
#[test]
fn secrets_are_redacted() {
    let secret = sealed_dice::primitive::secret::Secret::new([0xab; 32]);
    let key = sealed_dice::primitive::sign::PrivateKey::from_seed(&secret);
    let signer = crate::kit::Table::before("redacted").ann;
    let root = sealed_dice::keep::root::Root::new(secret.clone());
    let text = sealed_dice::primitive::secret::SecretText::new("abab".into());
    let passphrase = sealed_dice::primitive::passphrase::Passphrase::new(text.clone());
    let keys = root.keys();
    let shown = [
        format!("{secret:?}"),
        format!("{key:?}"),
        format!("{root:?}"),
        format!("{text:?}"),
        format!("{passphrase:?}"),
        format!("{keys:?}"),
    ];
    for shown in shown {
        assert!(!shown.contains("ab") && !shown.contains("171"), "{shown}");
    }
    assert!(format!("{signer:?}").contains("Secret(..)"));
}

/// Every vector and every test that the page of threats names in its evidence is there.
#[test]
fn the_evidence_of_the_threats_exists() {
    let page = fs::read_to_string("docs/threats.md").expect("the page");
    let tests: String = sources(Path::new("tests/suite")).into_iter().map(|(_, text)| text).collect();
    let mut named = 0;
    for word in page.split('`').skip(1).step_by(2) {
        let is_name =
            |part: &str| !part.is_empty() && part.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'));
        if let Some((module, test)) = word.rsplit_once("::") {
            assert!(tests.contains(&format!("fn {test}(")), "{word} is no test");
            assert!(module.split("::").all(|part| tests.contains(&format!("mod {part};"))), "{module} is no module");
            named += 1;
        } else if let Some((folder, vector)) = word.split_once('/')
            && is_name(folder)
            && is_name(vector)
            && Path::new("vectors").join(folder).is_dir()
        {
            let there = ["txt", "json"].map(|ext| Path::new(&format!("vectors/{word}.{ext}")).exists());
            assert!(there.contains(&true), "{word} is no vector");
            named += 1;
        }
    }
    assert!(named > 100, "{named} vectors and tests are named");
}

/// Files whose comments are the program's help, or a committed document.
const HELP: [&str; 5] = ["options.rs", "args.rs", "office_args.rs", "verbs.rs", "answers.rs"];
/// How a doc comment must not begin: its reader sees no other one.
const BACK: [&str; 9] = ["The same", "That of", "Those of", "It ", "He ", "His ", "Likewise", "All of it", "Does it"];
/// The shortest doc comment, in characters.
const SHORTEST: usize = 15;
/// The longest line of prose, in characters.
const LINE: usize = 120;

#[test]
fn doc_comments_stand_alone() {
    let mut comments = 0;
    for (path, text) in sources(Path::new("src")) {
        let is_help = HELP.iter().any(|name| path.ends_with(name)) || path.starts_with("src/office/http");
        let lines: Vec<&str> = text.lines().collect();
        let doc = |n: usize| lines.get(n).and_then(|line| line.trim_start().strip_prefix("/// "));
        for n in 0..lines.len() {
            let (Some(said), false) = (doc(n), is_help || n > 0 && lines[n - 1].trim_start().starts_with("///")) else {
                continue;
            };
            let at = format!("{}:{}: {said}", path.display(), n + 1);
            let alone = lines.get(n + 1).is_none_or(|next| !next.trim_start().starts_with("///"));
            assert!(!alone || said.chars().count() >= SHORTEST, "too short: {at}");
            assert!(!BACK.iter().any(|back| said.starts_with(back)), "a back-reference: {at}");
            comments += 1;
        }
    }
    assert!(comments > 2_000, "{comments} comments are looked at");
}

#[test]
fn prose_has_short_lines_and_no_words_of_the_old_dialect() {
    let pages = fs::read_dir("docs").expect("pages").map(|entry| entry.expect("a page").path());
    let mut pages: Vec<PathBuf> = pages.filter(|path| path.extension().is_some_and(|ext| ext == "md")).collect();
    pages.extend(["README.md", "SECURITY.md", "CONTRIBUTING.md"].map(PathBuf::from));
    assert!(pages.len() > 10);
    let dialect = ["anew", "thereof", "himself", "he", "his", "him"];
    for path in pages {
        let text = fs::read_to_string(&path).expect("a page");
        let mut is_code = false;
        for (n, line) in text.lines().enumerate() {
            let at = format!("{}:{}: {line}", path.display(), n + 1);
            is_code ^= line.starts_with("```");
            if is_code || line.starts_with("```") {
                continue;
            }
            assert!(line.starts_with('|') || line.chars().count() <= LINE, "too long: {at}");
            // The pages of threats and of how it works name Bob, who is he, and Ann, who is she.
            let people =
                ["threats.md", "how-it-works.md", "README.md", "playing.md"].iter().any(|name| path.ends_with(name));
            let prose = line.split('`').step_by(2);
            let words: Vec<&str> = prose.flat_map(|part| part.split(|c: char| !c.is_alphabetic())).collect();
            let is_old =
                |word: &&str| words.iter().any(|said| said.eq_ignore_ascii_case(word)) && !(people && word.len() <= 3);
            let old = dialect.iter().find(|word| is_old(word));
            assert_eq!(old, None, "{at}");
            assert!(!line.contains("at hand"), "{at}");
        }
    }
}

/// The number of the rule that a line of a page begins, such as "7" or "declare 14".
fn rule_of(line: &str) -> Option<&str> {
    let numbered = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match line.strip_prefix("- **") {
        Some(named) => {
            let (name, _) = named.split_once("** ")?;
            name.split_once(' ').filter(|(_, number)| numbered(number)).map(|_| name)
        }
        None => line.split_once(". ").map(|(number, _)| number).filter(|number| numbered(number)),
    }
}

#[test]
fn no_rule_is_longer_than_90_words() {
    let mut longest = Vec::new();
    for page in fs::read_dir("protocol").expect("pages").map(|entry| entry.expect("a page").path()) {
        let Ok(text) = fs::read_to_string(&page) else { continue };
        let (mut rules, mut is_code): (Vec<(&str, String)>, bool) = (Vec::new(), false);
        let mut is_open = false;
        for line in text.lines().filter(|line| !line.trim_start().starts_with('|')) {
            if line.trim_start().starts_with("```") {
                is_code = !is_code;
            } else if let Some(rule) = rule_of(line) {
                let (_, text) = line.split_once(rule).expect("the rule's number");
                rules.push((rule, text.to_owned()));
                is_open = true;
            } else {
                // A line at the margin, but for a part of a list, belongs to no rule.
                is_open &= line.is_empty() || line.starts_with([' ', '-']);
                if let (false, true, Some((_, text))) = (is_code, is_open, rules.last_mut()) {
                    text.extend([" ", line]);
                }
            }
        }
        for (rule, text) in rules {
            let said = text.split('`').enumerate().map(|(at, part)| if at % 2 == 0 { part } else { "code" });
            let said: String = said.collect();
            let words = said.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
            longest.push((words, format!("{} {rule}", page.display())));
        }
    }
    assert!(longest.len() > 300, "{} rules", longest.len());
    longest.retain(|(words, _)| *words > 90);
    assert_eq!(longest, []);
}
