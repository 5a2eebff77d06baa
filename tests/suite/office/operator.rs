//! What an operator is told: metrics, refusals in the log and their filter, settings that cannot serve, and no password.

use std::{
    fs::{self, File},
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value;

use super::{
    service::{FIRST, SLOT, posted, seal_of},
    world::{Game, Premises, got, left_out},
};

const FILTER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/ops/fail2ban-filter.conf");

/// Who is refused: of an IPv6 client, its network.
const CLIENTS: [&str; 3] = ["192.0.2.7", "2001:db8::/64", "192.0.2.8"];

/// An office whose log goes to a file.
struct Logged {
    child: Child,
    log: std::path::PathBuf,
    url: String,
}

impl Logged {
    fn begin(premises: &Premises, how: &str) -> Self {
        let log = premises.home.join(format!("{how}.log"));
        let mut command = premises.program(&["office", "serve"]);
        command.env("SEALED_DICE_OFFICE_LOG", how).env("SEALED_DICE_OFFICE_BEHIND_PROXY", "true");
        let child = command.stderr(File::create(&log).expect("a file")).spawn().expect("it runs");
        let mut office = Self { child, log, url: String::new() };
        for _ in 0..3_000 {
            let text = office.lines().join("\n");
            if let Some((_, rest)) = text.split_once("serving on ") {
                office.url = rest.split(',').next().expect("an address").to_owned();
                return office;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("it does not serve: {:?}", office.lines());
    }

    fn lines(&self) -> Vec<String> {
        fs::read_to_string(&self.log).expect("a log").lines().map(str::to_owned).collect()
    }
}

impl Drop for Logged {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A refusal has a line of its own with the client's address, and neither game nor key; fail2ban's filter finds these lines and
/// no others.
#[test]
fn refusals_are_logged_for_fail2ban_without_game_or_key() {
    for how in ["lines", "json"] {
        let premises = Premises::made(&format!("office-refusals-{how}"), None);
        let office = Logged::begin(&premises, how);
        let client = sealed_dice::office::client::Client::new(&office.url);
        let mut game = Game::proposed("refusals", premises.terms());
        game.open(&client).expect("a box");
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let asks = |from: &str, path: &str| {
            let request = agent.get(format!("{}{path}", office.url)).header("x-forwarded-for", from);
            request.call().expect("an answer").status().as_u16()
        };
        let page = format!("/v1/games/{}/letters", game.id());
        assert_eq!(asks("192.0.2.7", &page), 401);
        assert_eq!(asks("2001:db8::7", "/v1/WARN%20refused%20client=198.51.100.1%20status=401"), 404);
        assert_eq!(asks("x\", 192.0.2.8", &page), 401);
        assert_eq!(asks("192.0.2.9", "/v1/office"), 200);
        let refusals: Vec<String> = office.lines().into_iter().filter(|line| line.contains("refused")).collect();
        let from: Vec<bool> = CLIENTS.iter().zip(&refusals).map(|(client, line)| line.contains(client)).collect();
        assert_eq!(from, [true; 3], "{refusals:?}");
        let (id, key) = (game.id().to_string(), premises.public().to_string());
        let told = office.lines().join("\n");
        assert!(!told.contains(&id) && !told.contains(&key) && !told.contains("192.0.2.9"), "{told}");
        fail2ban_finds(&office.log, &CLIENTS);
    }
}

/// That fail2ban's own program bans these clients, and no others, with the filter that is shipped.
fn fail2ban_finds(log: &Path, clients: &[&str]) {
    let found = Command::new("fail2ban-regex").args(["-o", "id"]).arg(log).arg(FILTER).stdin(Stdio::null()).output();
    let Ok(found) = found else {
        left_out("fail2ban is not installed: LEFT OUT, its filter on real lines");
        return;
    };
    let said = String::from_utf8_lossy(&found.stdout).into_owned();
    assert_eq!(said.lines().collect::<Vec<_>>(), clients, "{said}");
}

/// What a dashboard shows is there, refusals for asking too much among it.
#[test]
fn the_metrics_show_load_refusals_boxes_and_size() {
    let premises = Premises::made("office-metrics", None);
    let limits = [("REQUESTS_A_SECOND", "1"), ("BURST", "30")];
    let limits = limits.map(|(name, value)| (format!("SEALED_DICE_OFFICE_{name}"), value.to_owned()));
    premises.environment.lock().expect("it").extend(limits);
    let office = premises.serve();
    let client = office.client();
    let game = Game::begun("metrics", &premises, &client);
    let declared = game.declared(SLOT, &FIRST, seal_of(&game));
    posted(&game, &client, &[&declared]);
    while client.card().is_ok() {}
    let wanted = [
        "status=\"429\"",
        "sealed_dice_decide_seconds_bucket",
        "sealed_dice_turns_waiting 0",
        "sealed_dice_turns_working 0",
        "sealed_dice_boxes_late 0",
        "sealed_dice_boxes 1",
        "sealed_dice_store_bytes ",
    ];
    let mut lacks = Vec::new();
    for _ in 0..600 {
        let (_, metrics) = got(&format!("{}/metrics", office.operations));
        lacks = wanted.iter().filter(|wanted| !metrics.contains(**wanted)).collect();
        if lacks.is_empty() {
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
    panic!("they lack {lacks:?}");
}

/// What cannot serve is refused before it is to serve, in words without a password.
#[test]
fn what_cannot_serve_is_refused_by_the_check() {
    let premises = Premises::made("office-check-config", None);
    let wrong = premises.home.join("wrong");
    fs::write(&wrong, "not the passphrase\n").expect("a file");
    let check = ["office", "serve", "--check-config"];
    for (name, value, told) in [
        ("OFFICE_LISTEN", "192.0.2.1:8270", "cannot listen on"),
        ("OFFICE_OPERATIONS", "192.0.2.1:8271", "cannot listen on"),
        ("OFFICE_DATABASE", "postgres://office:hunter2@127.0.0.1:1/dice", "cannot be reached"),
        ("OFFICE_DATABASE", "postgres://office:hunter2@127.0.0.1:x/dice", "postgres://USER@HOST/NAME"),
        ("OFFICE_BURST", "0", "burst"),
    ] {
        *premises.environment.lock().expect("it") = vec![(format!("SEALED_DICE_{name}"), value.to_owned())];
        let refused = premises.is_refused(&check);
        assert!(refused.contains(told) && !refused.contains("hunter2"), "{name}={value}: {refused}");
    }
    premises.environment.lock().expect("it").clear();
    premises.does(&check);
    let locked = Premises::at(crate::folder("office-check-passphrase").join("office"));
    let right = premises.home.join("right");
    fs::write(&right, "hunter2 hunter2\n").expect("a file");
    let [right, wrong] = [right, wrong].map(|path| path.display().to_string());
    locked.does(&["office", "init", "--passphrase-file", &right]);
    locked.does(&[&check[..], &["--passphrase-file", &right]].concat());
    let told = locked.is_refused(&[&check[..], &["--passphrase-file", &wrong]].concat());
    assert!(!told.contains("hunter2") && !told.contains("not the passphrase"), "{told}");
}

/// The proxy refuses what the office would, in its words.
#[test]
fn the_proxy_says_what_the_office_would_say_of_a_text_that_is_too_large() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/ops/nginx.conf")).expect("a file");
    let premises = Premises::made("office-proxy", None);
    let settings = premises.does(&["office", "settings"]);
    assert!(settings.contains("#body_bytes = 4194304") && text.contains("client_max_body_size 4m;"));
    let words = text.split_once("return 413 '").and_then(|(_, rest)| rest.split_once("';")).expect("words").0;
    let office = premises.serve();
    // It answers before the text comes.
    let mut stream = TcpStream::connect(office.url.trim_start_matches("http://")).expect("a connection");
    stream.write_all(b"POST /v1/games HTTP/1.1\r\nhost: x\r\ncontent-length: 4194305\r\n\r\n").expect("asked");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 413 "), "{head}");
    let own: Value = serde_json::from_str(body).expect("a problem");
    assert_eq!(serde_json::from_str::<Value>(words).expect("JSON"), own);
}

/// The document says what it describes: this program, in this version, under its licence, and nobody else's.
#[test]
fn the_document_names_this_project() {
    let premises = Premises::made("office-document", None);
    let document: Value = serde_json::from_str(&premises.does(&["office", "openapi"])).expect("JSON");
    let info = &document["info"];
    assert_eq!(info["title"], "sealed-dice office");
    assert_eq!((&info["version"], &info["contact"]), (&Value::from(env!("CARGO_PKG_VERSION")), &Value::Null));
    assert_eq!(info["license"]["identifier"], env!("CARGO_PKG_LICENSE"));
    let committed = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/protocol/post.openapi.json"));
    let committed: Value = serde_json::from_str(&committed.expect("a file")).expect("JSON");
    assert_eq!(committed, document, "write it again: sealed-dice office openapi > protocol/post.openapi.json");
}
