//! `cargo bench`: what an audit costs, as ratios in one run. Machines are shared and noisy, so each ratio is the median
//! of rounds that measure both sides in turn. The sizes of the inputs are printed beside it.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark stops at the first surprise"
)]

#[path = "../tests/suite/kit.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod kit;

#[path = "parts/courses.rs"]
mod courses;

#[path = "parts/campaigns.rs"]
mod campaigns;

use std::{
    collections::HashMap,
    fs,
    hint::black_box,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use rand_chacha::{
    ChaCha20Rng,
    rand_core::{Rng, SeedableRng},
};
use sealed_dice::{
    blob::{
        Body,
        body::{CellKey, Close, Contribution, Declare, Hex32, Key, Master, Moves, Reveal, SetKind},
        frame::TYPE,
        message::message_id,
    },
    cli::audit,
    game::{
        audit::{Report, Verdict},
        context::Context,
        terms::Terms,
    },
    mail::{Mail, Source},
    primitive::{
        dice::{Roots, Stream, roll_key},
        secret::Secret,
        sign::{PublicKey, signed_bytes},
    },
    resolve::{Object, Place},
};

use kit::{Ann, Bob, Table, bytes, cells, example_attacks, slot, text};

const CELLS_A_SHEET: u64 = 400;

/// A set with the secret that its sealer keeps.
struct Sealed {
    id: Hex32,
    context: Context,
    master: Secret,
}

impl Sealed {
    /// Returns a set that a player sealed in the game with this label. The label determines the players' vaults.
    fn of(label: &str, id: Hex32, context: Context, salt: &Hex32) -> Self {
        let vault = Secret::new(bytes(&format!("{label}: vault of {}", context.sealer)).0);
        Self { id, master: context.master(&vault, salt), context }
    }
}

/// Plays double-impulse turns up to this number of letters, then closes. It replays nothing, because a long game would
/// take too long otherwise.
struct Long {
    label: String,
    table: Table,
    terms: Terms,
    sets: Vec<Sealed>,
}

impl Long {
    fn play(label: &str, letters: usize) -> Self {
        let table = Table::begin(label);
        let terms = Terms::parse(&table.letters[0].message).expect("terms");
        let mut long = Self { label: label.into(), table, terms, sets: Vec::new() };
        let mut sheet = 0;
        for turn in 0.. {
            if long.table.letters.len() + 8 > letters {
                break;
            }
            // Turn numbers end at 9,999, so a very long game has several battles in a turn.
            let (number, turn) = (1 + turn / 9_000, 1 + turn % 9_000);
            if number > 1 && turn == 1 {
                break;
            }
            let coin = long.seal(SetKind::Coin, &format!("{turn}/1/ann-first/1"));
            long.impulse(0, &format!("{turn}/1/ann-first/1"), example_attacks(), &Object::new(), coin);
            let cell = (turn - 1) * 2 % CELLS_A_SHEET;
            if cell == 0 {
                let purpose = format!("sheet/{}", 1 + (turn - 1) * 2 / CELLS_A_SHEET);
                sheet = long.seal(SetKind::Sheet, &purpose);
            }
            let (column, row) = (cell / 10, cell % 10);
            let state = spent(column, row);
            let labels =
                [row, row + 1].map(|row| sealed_dice::resolve::icrk::label(Place { index: column, line: row + 1 }));
            let labels = labels.each_ref().map(String::as_str);
            long.impulse(1, &format!("{turn}/2/ann-second/1"), cells(&labels), &state, sheet);
        }
        long.close();
        long
    }

    fn seal(&mut self, kind: SetKind, purpose: &str) -> usize {
        let seal = self.table.seal_body(Bob, kind, purpose);
        let salt = seal.salt;
        let game = self.table.letters[1].message.id();
        let context = Context::of(game, None, self.table.bob.role(), &seal);
        let id = self.table.send(Bob, Body::Seal(seal));
        self.sets.push(Sealed::of(&self.label, id, context, &salt));
        self.sets.len() - 1
    }

    fn impulse(&mut self, phase: usize, at: &str, input: Object, state: &Object, set: usize) {
        let rolls = self.terms.phases[phase].system.resolver().read(&text(&input), false).expect("an input");
        let plan = rolls.plan(state).expect("a plan");
        let contribution = self.table.fresh();
        let declare = Declare {
            after: None,
            contribution: Some(Contribution::Open(contribution)),
            input: rolls.canonical().expect("a canonical input"),
            moves: Moves::Text("The Guards advance by the river road and mass before the bridge.".into()),
            redo: None,
            seal: Some(self.sets[set].id),
            select: plan.select,
            slot: slot(at),
        };
        let declaration = self.table.send(Ann, Body::Declare(Box::new(declare)));
        let set = &self.sets[set];
        let key = |place| Hex32(*set.context.key(&set.master, place).expose());
        let deepest = *plan.places.last().expect("a roll");
        let envelope = Place { index: deepest.index, line: 0 };
        let sheet = set.context.kind == SetKind::Sheet;
        let reveal = Reveal {
            declaration: Some(declaration),
            keys: if sheet { vec![] } else { vec![Key(envelope.index, key(envelope))] },
            seal: set.id,
            sheets: if sheet { vec![CellKey(deepest.index, deepest.line, key(deepest))] } else { vec![] },
        };
        self.table.send(Bob, Body::Reveal(reveal));
    }

    fn close(&mut self) {
        let close = |masters| Body::Close(Close { masters, result: None });
        self.table.send(Ann, close(None));
        let masters = self.sets.iter().map(|set| Master { master: Hex32(*set.master.expose()), seal: set.id });
        // A letter has room for about 7,000 masters.
        let masters: Vec<Master> = masters.collect();
        let all = (masters.len() < 6_000).then_some(masters);
        self.table.send(Bob, close(all));
        self.table.send(Ann, close(Some(vec![])));
    }

    fn source(&self) -> Source {
        Source::memory("game", self.content())
    }

    fn content(&self) -> Vec<u8> {
        self.table.transcript().into_bytes()
    }
}

fn audit(sources: Vec<Source>, threads: usize) -> Vec<Report> {
    audit::audit(&mut Mail::of(sources), threads, false)
}

/// Returns the state of a sheet before a cell is rolled.
fn spent(column: u64, row: u64) -> Object {
    let mut depths: std::collections::BTreeMap<u64, u64> = (0..column).map(|full| (full, 10)).collect();
    depths.insert(column, row);
    sealed_dice::resolve::icrk::state_of(&depths)
}

/// Does the work that no checker can leave out: decodes, verifies, hashes ids, recomputes commitments, and draws the
/// dice.
fn floor(long: &Long, armours: &[String]) -> u64 {
    let mut keys: HashMap<Vec<u8>, PublicKey> = HashMap::new();
    let sets: HashMap<Hex32, &Sealed> = long.sets.iter().map(|set| (set.id, set)).collect();
    let mut declared: HashMap<Hex32, (&Declare, Hex32)> = HashMap::new();
    let mut sum = 0;
    for (armour, letter) in armours.iter().zip(&long.table.letters) {
        let bytes = STANDARD.decode(armour).expect("base64");
        let mut lines = bytes.split(|byte| *byte == b'\n').skip(1);
        let (payload, key, signature) = (lines.next().unwrap(), lines.next().unwrap(), lines.next().unwrap());
        let key = keys
            .entry(key.to_vec())
            .or_insert_with(|| PublicKey::parse(&hex::decode(key).unwrap().try_into().unwrap()).expect("a key"));
        let signature: [u8; 64] = hex::decode(signature).unwrap().try_into().unwrap();
        key.verify(&signed_bytes(TYPE, payload), &signature).expect("a good signature");
        let id = message_id(payload);
        match letter.message.body() {
            Body::Declare(declare) => drop(declared.insert(id, (declare, declare.seal.unwrap()))),
            Body::Reveal(reveal) => {
                let set = sets[&reveal.seal];
                let envelopes = reveal.keys.iter().map(|key| (Place { index: key.0, line: 0 }, key.1));
                let cells = reveal.sheets.iter().map(|cell| (Place { index: cell.0, line: cell.1 }, cell.2));
                for (place, key) in envelopes.chain(cells) {
                    let key = Secret::new(key.0);
                    black_box(set.context.commitment(&key, place));
                    let declaration = reveal.declaration.unwrap();
                    sum += dice(set, &declared[&declaration], declaration, place, &key);
                }
            }
            Body::Close(close) => {
                for master in close.masters.iter().flatten() {
                    let set = sets[&master.seal];
                    black_box(set.context.commitments(&Secret::new(master.master.0)));
                }
            }
            _ => {}
        }
    }
    sum
}

/// Draws the dice of one reveal: three rows of an envelope, or two cells.
fn dice(set: &Sealed, declared: &(&Declare, Hex32), id: Hex32, place: Place, key: &Secret) -> u64 {
    let (declare, seal) = declared;
    let Some(Contribution::Open(contribution)) = &declare.contribution else { return 0 };
    let roots = Roots { seal: &seal.0, declaration: &id.0, contribution: &contribution.0 };
    if set.context.kind == SetKind::Sheet {
        let rows = [place.line - 1, place.line];
        return rows
            .map(|line| {
                let cell = Place { index: place.index, line };
                let key = set.context.climb(key, place, line);
                let root = roots.root(place.index, set.context.seed(&key, cell).expose());
                Stream::new(roll_key(&root, line)).draw(6).unwrap()
            })
            .iter()
            .sum();
    }
    let root = roots.root(place.index, set.context.seed(key, place).expose());
    (1..=3).map(|line| Stream::new(roll_key(&root, line)).draw(6).unwrap()).sum()
}

/// Returns the bodies of the armours without other text, as input for one strict decoder.
fn clean(long: &Long) -> Vec<String> {
    long.table.letters.iter().map(|letter| STANDARD.encode(&letter.frame)).collect()
}

fn time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

/// The time of A divided by the time of B, from rounds that measure both in turn.
struct Ratio {
    /// The quickest round of A divided by the quickest of B, which leaves out the load from other processes.
    quickest: f64,
    /// The median, least and greatest ratio of the rounds.
    rounds: [f64; 3],
}

fn ratio(rounds: usize, mut a: impl FnMut(), mut b: impl FnMut()) -> Ratio {
    a();
    b();
    let times: Vec<[f64; 2]> =
        (0..rounds).map(|_| [time(&mut a).0.as_secs_f64(), time(&mut b).0.as_secs_f64()]).collect();
    let least = |side: usize| times.iter().map(|pair| pair[side]).fold(f64::INFINITY, f64::min);
    let mut ratios: Vec<f64> = times.iter().map(|[a, b]| a / b).collect();
    ratios.sort_by(f64::total_cmp);
    Ratio { quickest: least(0) / least(1), rounds: [ratios[rounds / 2], ratios[0], ratios[rounds - 1]] }
}

fn report(what: &str, ratio: &Ratio, target: &str) {
    let Ratio { quickest, rounds: [median, least, most] } = ratio;
    println!(
        "{what}\n    ratio {quickest:.2} of the quickest rounds; of single rounds median {median:.2} (least {least:.2}, most {most:.2}); target {target}\n"
    );
}

fn one_game() {
    let long = Long::play("a long game", 1_000);
    let source = vec![long.source()];
    let armours = clean(&long);
    let (letters, bytes) = (long.table.letters.len(), long.content().len());
    let reports = audit(source.clone(), 1);
    assert_eq!(reports[0].verdict, Verdict::Verified, "{:?}", reports[0].findings);
    assert!(reports[0].complete);
    let work = || drop(black_box(audit(source.clone(), 1)));
    let ratio = ratio(101, work, || {
        black_box(floor(&long, &armours));
    });
    report(&format!("audit, one core, over the floor: {letters} letters, {bytes} bytes"), &ratio, "at most 1.2");
}

fn two_cores() {
    let games: Vec<Long> = (0..12).map(|i| Long::play(&format!("game {i}"), 250)).collect();
    let bytes: usize = games.iter().map(|game| game.content().len()).sum();
    let games: Vec<Source> = games.iter().map(Long::source).collect();
    let ratio = ratio(41, || drop(black_box(audit(games.clone(), 1))), || drop(black_box(audit(games.clone(), 2))));
    report(&format!("one core over two: {} games of 250 letters, {bytes} bytes", games.len()), &ratio, "at least 1.85");
}

fn linear() {
    let mut first = None;
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-letters.txt");
    fs::write(&empty, "").expect("a file");
    for letters in [1_000, 10_000, 100_000] {
        let long = Long::play("an endless game", letters.min(45_000));
        // Turn numbers end at 9,999, so a hundred thousand letters are several long games in one mailbox.
        let copies = letters.div_ceil(long.table.letters.len()).max(1);
        let mut content = long.content();
        for i in 1..copies {
            content.extend(Long::play(&format!("an endless game {i}"), letters.min(45_000)).content());
        }
        let count = content.windows(5).filter(|window| window == b"BEGIN").count();
        let source = vec![Source::memory("mailbox", content.clone())];
        let (took, reports) = time(|| audit(source, 1));
        assert!(reports.iter().all(|report| report.findings.is_empty()));
        let each = took.as_secs_f64() / count as f64;
        let base = *first.get_or_insert(each);
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mailbox.txt");
        fs::write(&file, &content).expect("a file");
        let peak = peak_memory(&file).zip(peak_memory(&empty)).map_or("not measured here".into(), |(peak, least)| {
            let transcript = content.len() as f64;
            format!(
                "{:.2} x the transcript beyond an empty one (target at most 2.5)",
                (peak - least) as f64 / transcript
            )
        });
        println!(
            "{count} letters, {} bytes: time a letter {:.2} x that of the first row; peak memory {peak}\n",
            content.len(),
            each / base
        );
    }
}

/// Returns the peak memory, in bytes, of a process that audits a file, or none if the system does not report it.
fn peak_memory(file: &Path) -> Option<u64> {
    let this = std::env::current_exe().ok()?;
    let output = Command::new(this).arg("--peak").arg(file).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn tell_peak(file: &str) {
    let mut mail = Mail::at(&[file.into()]).expect("the file");
    black_box(audit::audit(&mut mail, 1, false));
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    if let Some(peak) = peak {
        println!("{}", peak * 1024);
    }
}

fn one_die() {
    const DICE: u64 = 4_000_000;
    let ours = || {
        let mut stream = Stream::new([7; 32]);
        black_box((0..DICE).map(|_| stream.draw(black_box(6)).unwrap()).sum::<u64>());
    };
    let plain = || {
        let mut words = ChaCha20Rng::from_seed([7; 32]);
        let mut sum = 0;
        for _ in 0..DICE {
            let sides: u64 = black_box(6);
            let bound = (1 << 32) - (1_u64 << 32) % sides;
            let mut word = u64::from(words.next_u32());
            while word >= bound {
                word = u64::from(words.next_u32());
            }
            sum += 1 + word % sides;
        }
        black_box(sum);
    };
    report(&format!("a die over a plain loop: {DICE} d6"), &ratio(9, ours, plain), "at most 1.2");
}

fn process() {
    let long = Long::play("twenty letters", 20);
    let letters = long.table.letters.len();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = dir.join("twenty.txt");
    fs::write(&file, long.content()).expect("a file");
    let armours = clean(&long);
    let empty = empty_program(dir);
    let spawn = |program: &Path, args: &[&str]| {
        let status = Command::new(program).args(args).stdout(Stdio::null()).status().expect("a process");
        assert!(status.success());
    };
    let ours = Path::new(env!("CARGO_BIN_EXE_sealed-dice"));
    let work = || spawn(ours, &["audit", file.to_str().unwrap()]);
    let least = || {
        spawn(&empty, &[]);
        black_box(floor(&long, &armours));
    };
    report(
        &format!("audit as a process over an empty program and the floor: {letters} letters"),
        &ratio(41, work, least),
        "at most 1.5",
    );
    let size = fs::metadata(ours).expect("the binary").len();
    println!("release binary: {size} bytes; target under {}\n", 8 << 20);
}

/// Builds the smallest program that the same compiler makes.
fn empty_program(dir: &Path) -> std::path::PathBuf {
    let (source, program) = (dir.join("empty.rs"), dir.join("empty"));
    fs::write(&source, "fn main() {}").expect("a file");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let built = Command::new(rustc).arg("-O").arg(&source).arg("-o").arg(&program).status().expect("rustc runs");
    assert!(built.success());
    program
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    // To run one part: cargo bench -- courses
    for (part, measure) in [("courses", courses::all as fn()), ("campaigns", campaigns::all)] {
        if args.iter().any(|arg| arg == part) {
            return measure();
        }
    }
    if let [_, flag, file] = args.as_slice()
        && flag == "--peak"
    {
        tell_peak(file);
        return;
    }
    one_game();
    two_cores();
    one_die();
    courses::all();
    campaigns::all();
    process();
    linear();
}
