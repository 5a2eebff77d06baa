//! The order of the questions at a terminal: the list, yes, and only then the passphrase, which may be mistyped.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use sealed_dice::{
    keep::key_file::KeyFile,
    primitive::{
        passphrase::{Cost, Passphrase},
        secret::SecretText,
    },
};

use super::{Match, Seated, out};

const WORDS: &str = "four words or more";
const SLOT: &str = "1/1/ann-first/1";
const SIGN: &str = "sign? [y/N]";
const PASSPHRASE: &str = "passphrase for your key:";

/// Runs a program at a terminal of its own, and types each line as soon as its question is there.
const TERMINAL: &str = r#"
import os, pty, sys
args, typed = sys.argv[1].split("\x1f"), [line.split("\x1e") for line in sys.argv[2].split("\x1f") if line]
pid, fd = pty.fork()
if pid == 0:
    os.execv(args[0], args)
seen, at = b"", 0
while True:
    try:
        part = os.read(fd, 65536)
    except OSError:
        break
    if not part:
        break
    seen += part
    while typed and seen.find(typed[0][0].encode(), at) >= 0:
        at = seen.find(typed[0][0].encode(), at) + len(typed[0][0].encode())
        os.write(fd, typed.pop(0)[1].encode() + b"\n")
status = os.waitpid(pid, 0)[1]
sys.stdout.write(seen.decode().replace("\r\n", "\n"))
sys.stdout.write("".join(f"\nNOT ASKED: {question}" for question, _ in typed))
sys.exit(os.waitstatus_to_exitcode(status))
"#;

/// Locks a player's key with a passphrase that is tried quickly.
fn lock(player: &Seated) {
    let path = player.home.join("key.txt");
    let root = KeyFile::open(&path).and_then(|file| file.root(None)).expect("a key without passphrase");
    fs::remove_file(&path).expect("a key file");
    let quick = Cost { memory: 8, passes: 1, lanes: 1 };
    KeyFile::create_at_cost(&path, root, Some(&Passphrase::new(SecretText::new(WORDS.into()))), quick).expect("a key");
}

fn at_terminal(player: &Seated, args: &[&str], typed: &[(&str, &str)]) -> Output {
    let home = player.home.to_str().expect("a path");
    let line = [&[env!("CARGO_BIN_EXE_sealed-dice"), "--home", home], args].concat().join("\x1f");
    let typed: Vec<String> = typed.iter().map(|(question, typed)| format!("{question}\x1e{typed}")).collect();
    let mut python = Command::new("python3");
    python.args(["-c", TERMINAL, &line, &typed.join("\x1f")]).env("SEALED_DICE_STATE", &player.machine);
    python.env_remove("SEALED_DICE_PASSPHRASE_FILE").output().expect("Python 3 is needed to run the tests")
}

/// Every file of a home and its machine, with its content.
fn files(player: &Seated) -> Vec<(String, Vec<u8>)> {
    fn walk(dir: &Path, all: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(dir).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => walk(&path, all),
                false => all.push((path.display().to_string(), fs::read(&path).expect("a file"))),
            }
        }
    }
    let mut all = Vec::new();
    walk(&player.home, &mut all);
    all.sort();
    all
}

/// The lines of a question, without the heading and the line that names the game.
fn listed(told: &str) -> Vec<String> {
    let (_, rest) = told.split_once("you cannot take it back:\n").expect("the question");
    let lines = rest.lines().take_while(|line| !line.starts_with("sign?") && !line.starts_with("type the word"));
    lines.skip(1).map(|line| line.trim().to_owned()).collect()
}

/// A command that is agreed to and then unlocked; returns the list and the mail.
fn signs(table: &Match, player: &Seated, args: &[&str], yes: (&str, &str)) -> (Vec<String>, String) {
    let mail = table.path("mail.txt");
    let _ = fs::remove_file(&mail);
    let all = [args, &["--out", &mail]].concat();
    let before = files(player);
    let told = out(&at_terminal(player, &all, &[(yes.0, "n")]));
    assert!(told.contains("not signed; nothing has changed") && !told.contains("passphrase"), "{args:?}: {told}");
    assert_eq!(files(player), before, "{args:?}: nothing is left of a draft");

    let output = at_terminal(player, &all, &[yes, (PASSPHRASE, WORDS)]);
    let told = out(&output);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {told}");
    let order = ["you cannot take it back", yes.0, PASSPHRASE].map(|part| told.find(part).expect(part));
    assert!(order.is_sorted() && told.matches(yes.0).count() == 1, "{args:?}: {told}");
    (listed(&told), fs::read_to_string(&mail).expect("a mail"))
}

#[test]
fn the_list_comes_first_and_the_passphrase_last() {
    let table = Match::begun("prompts-order", |terms| {
        terms.replacen(
            "name = \"ann-first\"\n",
            "name = \"ann-first\"\ndecisions = [{ name = \"reaction\", by = \"bob\" }]\n",
            1,
        )
    });
    let (ann, bob) = (&table.ann, &table.bob);
    [ann, bob].into_iter().for_each(lock);
    let (attacks, orders) = (table.path("ATTACKS.csv"), table.path("orders.txt"));
    let yes = (SIGN, "y");
    let turn = |player, args: &[&str], yes, shown: &[&str]| {
        let (list, mail) = signs(&table, player, args, yes);
        for line in shown {
            assert!(list.iter().any(|listed| listed.contains(line)), "{args:?}: {line}: {list:?}");
            assert!(mail.contains(line), "{args:?}: {line}: {mail}");
        }
        table.other(player).reads(&mail);
        (list, mail)
    };
    turn(bob, &["decide", SLOT, "reaction", "hold"], yes, &["the choice reaction for 1/1/ann-first/1: hold"]);
    turn(ann, &["declare", SLOT, &attacks, "--no-moves"], yes, &["1/1/ann-first/1 is declared: 3 attacks"]);
    turn(bob, &["reply"], yes, &["the envelopes for 1/1/ann-first/1 are opened"]);
    let propose = ["correct", "propose", SLOT, "--class", "wrong-list", "--at-fault", "ann", "--reason", "a slip"];
    turn(ann, &[&propose[..], &["--keep-dice"]].concat(), yes, &["a mistake in 1/1/ann-first/1"]);
    let refuse = bob.status()["commands"].as_array().expect("a list").iter().find_map(|command| {
        let command = command.as_str()?;
        Some(command.split_once("correct refuse ")?.1.to_owned())
    });
    turn(bob, &["correct", "refuse", &refuse.expect("a proposal")], yes, &["is refused"]);
    let (list, _) =
        turn(ann, &["note", "1/2/ann-second/1", "plan", &orders], yes, &["a sealed note (1/2/ann-second/1/plan)"]);
    assert!(list.iter().any(|line| line.contains("hold the bridge")), "only the author reads the text: {list:?}");
    turn(bob, &["dispute", "stall", "--text", "no mail for weeks"], yes, &["no mail for weeks"]);
    turn(ann, &["game", "close"], ("type the word close to sign it:", "close"), &["stop: the game ends here"]);
    turn(bob, &["reply"], yes, &["stop, with the closing keys for"]);
}

#[test]
fn a_passphrase_has_three_tries() {
    let table = Match::begun("prompts-tries", |terms| terms);
    let (ann, attacks) = (&table.ann, table.path("ATTACKS.csv"));
    lock(ann);
    let declare = ["declare", SLOT, &attacks, "--no-moves"];
    let before = files(ann);
    let wrong = at_terminal(ann, &declare, &[(SIGN, "y"), (PASSPHRASE, "y"), (PASSPHRASE, ""), (PASSPHRASE, "no")]);
    let told = out(&wrong);
    assert_eq!(wrong.status.code(), Some(1), "{told}");
    for part in ["you have 2 tries left", "you have 1 try left", "type the command again", "help trouble"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(files(ann), before, "nothing is signed");
    let right = at_terminal(ann, &declare, &[(SIGN, "y"), (PASSPHRASE, "y"), (PASSPHRASE, WORDS)]);
    let told = out(&right);
    assert!(right.status.success() && told.contains("BEGIN SEALED DICE MESSAGE"), "{told}");
    // A file is read once.
    let file = table.file("wrong", "something else\n");
    let told = ann.is_refused(&["seal", "foul-up", "--yes", "--passphrase-file", &file]);
    assert!(told.contains("does not open the key") && !told.contains("left"), "{told}");
}

/// At the desk, a locked key is asked for after the preview, and what the preview showed is signed.
#[cfg(feature = "desk")]
#[test]
fn the_desk_asks_for_the_passphrase_last_too() {
    let table = Match::begun("prompts-desk", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    bob.reads(&ann.signs(&["declare", SLOT, &table.path("ATTACKS.csv"), "--no-moves"]));
    lock(bob);
    let desk = crate::desk::Desk::at(&bob.home, &bob.machine);
    let reply = format!("{}game/our-campaign/reply", desk.first);
    let preview = desk.sends(&reply, &[]);
    assert!(preview.contains("the envelopes for Ann's first (turn 1, impulse 1) are opened"), "{preview}");
    assert!(!preview.contains("name=\"passphrase\""), "{preview}");
    let agreed = preview.split("name=\"agreed\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    let agreed = ("agreed", agreed.expect("a digest"));
    let before = files(bob);
    let locked = desk.sends(&reply, &[agreed]);
    assert!(locked.contains("name=\"passphrase\"") && locked.contains(agreed.1), "{locked}");
    assert_eq!(files(bob), before, "nothing is left of a draft");
    let then = [agreed, ("then", "reply"), ("then-game", "our-campaign")];
    let unlock =
        |words| desk.sends(&format!("{}key/unlock", desk.first), &[&then[..], &[("passphrase", words)]].concat());
    assert!(unlock("y").contains("does not open the key"), "it may be typed again");
    assert!(unlock(WORDS).contains("BEGIN SEALED DICE MESSAGE"), "it is signed at once");
}
