//! The desk's guard: nobody reads or signs who was not given the secret, and no other page can make a browser do it.
//! `tests/desk/` plays whole games with it in a browser.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, ChildStderr, Command, Stdio},
};

/// A running desk in a folder of its own.
pub(crate) struct Desk {
    child: Child,
    home: PathBuf,
    /// The folder, unless it is somebody else's.
    _dir: Option<tempfile::TempDir>,
    entrance: PathBuf,
    /// What it says, which it must be able to say.
    _said: BufReader<ChildStderr>,
    /// The host and port, as a browser names them.
    host: String,
    /// The path of the first page, with the secret.
    pub(crate) first: String,
}

impl Desk {
    fn start() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let mut desk = Self::at(dir.path(), &dir.path().join("machine"));
        desk._dir = Some(dir);
        desk
    }

    /// A desk for somebody who has a folder.
    pub(crate) fn at(home: &Path, machine: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sealed-dice"))
            .env("SEALED_DICE_STATE", machine)
            .arg("--home")
            .arg(home)
            .args(["desk", "--no-browser"])
            .stderr(Stdio::piped())
            .spawn()
            .expect("a desk");
        let mut said = BufReader::new(child.stderr.take().expect("what it says"));
        let entrance = said
            .by_ref()
            .lines()
            .map_while(Result::ok)
            .find_map(|line| Some(PathBuf::from(line.split_once(", open ")?.1)));
        let entrance = entrance.expect("the file that leads to the first page");
        let page = fs::read_to_string(&entrance).expect("the file");
        let address = page.split_once("http://").and_then(|(_, rest)| rest.split_once('"')).expect("an address").0;
        let (host, path) = address.split_once('/').expect("a path");
        Self {
            child,
            home: home.to_owned(),
            _dir: None,
            entrance,
            _said: said,
            host: host.to_owned(),
            first: format!("/{path}"),
        }
    }

    /// Sends a request without a browser, and returns the answer.
    fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).expect("the desk");
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// Asks for a page.
    pub(crate) fn shows(&self, path: &str) -> String {
        self.get(path, &self.host)
    }

    fn get(&self, path: &str, host: &str) -> String {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    }

    fn post(&self, path: &str, headers: &str) -> String {
        let host = &self.host;
        self.ask(&format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Type: multipart/form-data; boundary=x\r\n\
             Content-Length: 5\r\nConnection: close\r\n\r\n--x--"
        ))
    }

    /// Asks for letters at a game's office, as the script of its page does.
    pub(crate) fn watches(&self, game: &str) -> String {
        self.post(&format!("{}game/{game}/watch", self.first), &format!("Origin: http://{}\r\n", self.host))
    }

    /// Sends the fields of a form, as a browser does from a page of the desk, and goes on to the page that answers.
    pub(crate) fn sends(&self, path: &str, fields: &[(&str, &str)]) -> String {
        // A file is a field whose name goes on with the file's.
        let part = |(name, value): &(&str, &str)| {
            let name = name.replace('/', "\"; filename=\"");
            format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        let body = fields.iter().map(part).collect::<String>() + "--x--\r\n";
        let (host, length) = (&self.host, body.len());
        let answer = self.ask(&format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Type: multipart/form-data; \
             boundary=x\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        ));
        assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
        let location = answer.lines().find_map(|line| line.strip_prefix("location: ")).expect("a location");
        self.get(location, &self.host)
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.entrance);
    }
}

#[test]
fn nobody_reads_without_the_secret() {
    let desk = Desk::start();
    let (host, first) = (&desk.host, &desk.first);
    assert!(desk.get(first, host).starts_with("HTTP/1.1 200"), "the first page");
    let last = if first.ends_with("0/") { "1/" } else { "0/" };
    let wrong = format!("{}{last}", &first[..first.len() - 2]);
    for path in ["/", "/desk.css", &wrong, &format!("{wrong}desk.css"), &format!("{wrong}key"), "//", "/%2e%2e/"] {
        let answer = desk.get(path, host);
        assert!(answer.starts_with("HTTP/1.1 403"), "{path}: {answer}");
        assert!(!answer.contains(first.trim_matches('/')), "{path} shows the secret");
    }
    let renamed = desk.get(first, "rebound.example");
    assert!(renamed.starts_with("HTTP/1.1 403"), "a name that somebody has pointed at loopback: {renamed}");
}

#[test]
fn no_other_page_makes_a_browser_act() {
    let desk = Desk::start();
    let lock = format!("{}key/lock", desk.first);
    let own = format!("Origin: http://{}\r\n", desk.host);
    assert!(desk.post(&lock, &own).starts_with("HTTP/1.1 303"), "the desk's own form");
    let port = desk.host.rsplit_once(':').expect("a port").1;
    let next = format!("Origin: http://127.0.0.1:{}\r\n", port.parse::<u16>().expect("a port").wrapping_add(1));
    let named = format!("Origin: http://localhost:{port}\r\n");
    for origin in ["", "Origin: null\r\n", "Origin: http://evil.example\r\n", &next, &named] {
        let answer = desk.post(&lock, origin);
        assert!(answer.starts_with("HTTP/1.1 403"), "{origin:?}: {answer}");
    }
}

#[test]
fn pages_load_nothing_and_are_shown_nowhere_else() {
    let desk = Desk::start();
    let answer = desk.get(&desk.first, &desk.host).to_ascii_lowercase();
    for header in [
        "content-security-policy: default-src 'none'",
        "frame-ancestors 'none'",
        "cache-control: no-store",
        "referrer-policy: same-origin",
        "x-content-type-options: nosniff",
        "cross-origin-resource-policy: same-origin",
    ] {
        assert!(answer.contains(header), "{header} is missing: {answer}");
    }
    // Browsers send a cookie of 127.0.0.1 to every port, where another user may listen.
    assert!(!answer.contains("set-cookie"), "{answer}");
    assert!(!answer.contains("unsafe-inline"), "{answer}");
}

#[test]
fn the_desk_keeps_nothing_of_its_own() {
    let desk = Desk::start();
    let _ = desk.get(&desk.first, &desk.host);
    let left = fs::read_dir(&desk.home).expect("the folder").count();
    assert_eq!(left, 0, "a look leaves no file behind");
}

#[cfg(unix)]
#[test]
fn only_its_owner_reads_the_file_that_leads_to_the_desk() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::start();
    let mode = fs::metadata(&desk.entrance).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let line = fs::read(format!("/proc/{}/cmdline", desk.child.id())).unwrap_or_default();
    let secret = desk.first.trim_matches('/').to_owned();
    assert!(!String::from_utf8_lossy(&line).contains(&secret), "a list of processes shows the secret");
}

#[cfg(unix)]
#[test]
fn a_connection_that_says_nothing_does_not_keep_the_desk_from_ending() {
    let mut desk = Desk::start();
    let mut silent = TcpStream::connect(&desk.host).expect("the desk");
    silent.write_all(b"G").expect("one byte");
    assert!(desk.get(&desk.first, &desk.host).starts_with("HTTP/1.1 200"), "the desk has seen it");
    let asked = Command::new("kill").arg(desk.child.id().to_string()).status().expect("kill");
    assert!(asked.success());
    let ended = desk.child.wait().expect("the desk ends");
    assert!(ended.success(), "{ended}");
    assert!(!desk.entrance.exists(), "the file that leads to the desk is gone");
    drop(silent);
}

#[test]
fn many_silent_connections_do_not_lock_the_owner_out() {
    let desk = Desk::start();
    let silent: Vec<TcpStream> = (0..600).map(|_| TcpStream::connect(&desk.host).expect("a connection")).collect();
    assert!(desk.get(&desk.first, &desk.host).starts_with("HTTP/1.1 200"), "those who say nothing are let go");
    drop(silent);
}

/// Makes a key in a folder, and returns its public key.
fn key(home: &Path) -> String {
    let run = |args: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_sealed-dice"));
        program.env("SEALED_DICE_STATE", home.join("machine")).arg("--home").arg(home).args(args);
        String::from_utf8(program.output().expect("the program runs").stdout).expect("UTF-8")
    };
    run(&["key", "new", "--no-passphrase", "--backup", home.join("page.txt").to_str().expect("a path")]);
    let shown: serde_json::Value = serde_json::from_str(&run(&["key", "show", "--json"])).expect("JSON");
    shown["public"].as_str().expect("a key").to_owned()
}

/// Returns the hidden fields of a page's first form.
fn hidden(page: &str) -> Vec<(String, String)> {
    let value = |part: &str| Some(part.split_once(" value=\"")?.1.split('"').next()?.replace("&quot;", "\""));
    let parts = page.split("<input type=\"hidden\" name=\"").skip(1);
    parts.filter_map(|part| Some((part.split('"').next()?.to_owned(), value(part)?))).collect()
}

#[test]
fn games_with_tables_begin_with_those_of_the_program_or_with_an_upload() {
    let desk = Desk::start();
    let (_, their) = (key(&desk.home), key(&desk.home.join("bob")));
    let new = format!("{}new", desk.first);
    let names = [("own-name", "Ann"), ("their-name", "Bob"), ("their-key", their.as_str())];
    let schedule = [
        ("own-side", "union"),
        ("first", "union"),
        ("fire-dice", "sum"),
        ("dt-accepts-on", "4"),
        ("july-2", "17"),
        ("july-3", "40"),
        ("longstreet-from", "7"),
        ("longstreet-regular", "21"),
        ("mclaws-regular", "14"),
        ("hood-regular", "15"),
    ];
    let gettysburg = |more: &[(&str, &str)]| {
        let fields: Vec<(&str, &str)> = more.iter().chain(&names).chain(&schedule).copied().collect();
        desk.sends(&new, &[&[("template", "gettysburg-events")], &fields[..]].concat())
    };
    let page = desk.shows(&format!("{new}?template=gettysburg-events"));
    assert!(page.contains("type=\"file\" name=\"tables\"") && page.contains("sides = [&quot;union&quot;"), "{page}");
    let preview = gettysburg(&[]);
    assert!(preview.contains("name=\"agreed\"") && preview.contains("event-tables"), "{preview}");

    // What is wrong with the terms is told beside the question, and what was answered stays.
    let late = gettysburg(&[("july-3", "10")]);
    assert!(late.contains("id=\"july-3-wrong\"") && late.contains("value=\"10\""), "{late}");
    assert!(!late.contains("line ") && !late.contains("name=\"terms\""), "{late}");

    // A file of one's own is carried on to the preview, and back to the questions.
    let own = "title = \"not a table\"";
    let broken = gettysburg(&[("tables/my own.toml", "title = ")]);
    assert!(broken.contains("my own.toml, line 1") && broken.contains("value=\"union\" checked"), "{broken}");
    let wrong = gettysburg(&[("tables/my own.toml", own)]);
    assert!(wrong.contains("Chosen: my own.toml") && wrong.contains(&hex::encode(own)), "{wrong}");
    let supplied = include_str!("../../tables/gettysburg-events.toml");
    let preview = gettysburg(&[("tables/mine.toml", supplied)]);
    let mut fields = hidden(&preview);
    assert!(fields.contains(&("tables.name".into(), "mine.toml".into())), "{preview}");
    fields.push(("change".into(), "yes".into()));
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let changed = desk.sends(&format!("{}do/new", desk.first), &fields);
    assert!(changed.contains("Chosen: mine.toml") && changed.contains("name=\"july-2\" value=\"17\""), "{changed}");
    assert!(!changed.contains("name=\"agreed\""), "{changed}");

    // A game with tables of one's own needs them.
    let events =
        |more: &[(&str, &str)]| desk.sends(&new, &[&[("template", "event-tables")], more, &names[..]].concat());
    assert!(events(&[]).contains("id=\"tables-wrong\">choose your table file"));
    let text = events(&[("tables/mine.toml", include_str!("../../tables/crossing-events.toml"))]);
    let carried = hidden(&text);
    assert!(carried.iter().any(|(name, _)| name == "tables.file") && text.contains("id=\"terms\""), "{text}");
}

#[test]
fn no_file_that_a_form_names_is_read() {
    let desk = Desk::start();
    let (_, their) = (key(&desk.home), key(&desk.home.join("bob")));
    fs::write(desk.home.join("secret.toml"), "title = 1").expect("a file");
    let page = desk.shows(&format!("{}new?template=event-tables&text=yes", desk.first));
    let text = page.split_once("spellcheck=\"false\">").and_then(|(_, rest)| rest.split_once("</textarea>"));
    let text = text.expect("terms").0.replace("&quot;", "\"").replace("&gt;", ">").replace("&amp;", "&");
    let text = text.replace("PUT THEIR KEY HERE", &their);
    for path in [desk.home.join("secret.toml"), PathBuf::from("/etc/hostname"), PathBuf::from("../secret.toml")] {
        let path = path.display().to_string();
        let terms = text.replace("my-tables.toml", &path);
        let told = desk.sends(&format!("{}do/new", desk.first), &[("terms", terms.as_str())]);
        assert!(told.contains(&format!("the terms name the table file {path}, which is not among")), "{path}: {told}");
        assert!(told.contains("id=\"terms\""), "{told}");
    }
}

#[test]
fn a_new_game_is_asked_for_in_questions() {
    let desk = Desk::start();
    let (own, their) = (key(&desk.home), key(&desk.home.join("bob")));
    let new = format!("{}new", desk.first);
    let page = desk.get(&format!("{new}?template=double-impulse"), &desk.host);
    for part in page.split("<input id=\"").skip(1) {
        let id = part.split('"').next().expect("an id");
        assert!(page.contains(&format!("<label for=\"{id}\">")), "{id} has no label");
        assert!(page.contains(&format!("id=\"{id}-why\"")), "{id} is not explained");
    }
    assert!(page.contains("template=double-impulse&amp;text=yes"), "the terms as text are one click away");
    let wrong = desk.sends(&new, &[("template", "double-impulse"), ("own-name", "Ann <b>"), ("their-key", &own)]);
    for said in [
        "value=\"Ann &lt;b&gt;\"",
        "id=\"their-key-wrong\">this is your own public key",
        "id=\"their-name-wrong\">this has no usual answer",
        "id=\"hexes-wrong\">choose one of F12",
    ] {
        assert!(wrong.contains(said), "{said}: {wrong}");
    }
    let answers = [("own-name", "Ann"), ("their-name", "Bob"), ("their-key", their.as_str()), ("hexes", "0824")];
    let preview = desk.sends(&new, &[&[("template", "double-impulse")], &answers[..]].concat());
    assert!(
        preview.contains("name=\"agreed\"") && preview.contains("name=\"hexes\"") && !preview.contains("-wrong\""),
        "{preview}"
    );
    let text = desk.sends(&new, &[&[("template", "cil"), ("season", "winter")], &answers[..3]].concat());
    assert!(text.contains("id=\"terms\"") && text.contains("season = &quot;winter&quot;"), "{text}");
}
