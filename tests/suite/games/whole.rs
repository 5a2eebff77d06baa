//! Games with all that terms can have: a referee, an office, deposits, private rolls, choices, forfeits, folders that
//! are restored, forks of everybody's. One party cheats, and the auditor gets any part of the letters.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{
    cases, moves, places_are_used_once,
    world::{Settings, World},
};
use crate::{
    kit::{Ann, Bob, Carol, Dora, Who, bytes},
    second_checker::{essence, python},
};

/// What is done in a game: by whom, and what.
pub(super) type Steps = Vec<(u8, u8, u8)>;

/// A random game of two players and perhaps a referee and an office, one of whom may cheat, who is somebody else in
/// each game.
pub(super) fn whole_game(settings: u16, cheat: Option<Who>, steps: &Steps) -> World {
    let mut world = World::begin(Settings(settings), cheat);
    for (who, action, choice) in steps {
        let who = world.who(usize::from(*who));
        if *action >= 128 || world.cheat == Some(who) {
            world.delivers(who, choice.rotate_left(4) ^ action);
        }
        match world.cheat == Some(who) && choice % 5 > 1 {
            true => moves::cheats(&mut world, who, *action, *choice),
            false => moves::honest(&mut world, who, *action, *choice),
        }
    }
    world
}

/// Nobody honest is a culprit, no place gives dice twice: in the whole game, and in whatever part of it somebody shows.
fn check_whole(world: &World, parts: &[u64]) -> Result<(), TestCaseError> {
    let parts = parts.iter().map(|part| (*part, false)).chain([(0, true)]);
    for (part, whole) in parts {
        let report = world.report(|i| whole || part.rotate_left(i as u32) & 7 != 0);
        for finding in &report.findings {
            let honest = finding.culprit.as_deref().is_some_and(|culprit| world.is_honest(culprit));
            prop_assert!(!honest, "an honest party is blamed: {finding:?}");
        }
        places_are_used_once(&report);
    }
    Ok(())
}

/// The checker in Python says the same of a game.
fn python_agrees(world: &World) {
    let path = crate::folder("whole-game").join("letters.txt");
    let letters: Vec<String> = world.here().map(|(_, letter)| letter.armour()).collect();
    std::fs::write(&path, letters.join("\n")).expect("a file");
    let theirs = python().args(["audit", "--json"]).arg(&path).output().expect("the checker runs");
    let ours = serde_json::to_string(&world.report(|_| true)).expect("JSON");
    let theirs = essence(&String::from_utf8(theirs.stdout).expect("UTF-8"));
    assert_eq!(essence(&ours), theirs);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// With everything that terms can have, and nobody who cheats: there is no finding but forks that epochs explain.
    #[test]
    fn nothing_is_found_where_nobody_cheats(
        settings in any::<u16>(),
        steps in prop::collection::vec(any::<(u8, u8, u8)>(), 20..90),
        parts in prop::collection::vec(any::<u64>(), 3),
    ) {
        let world = whole_game(settings, None, &steps);
        for finding in world.report(|_| true).findings {
            prop_assert!(finding.culprit.is_none() && finding.text.starts_with("chain 8"), "{finding:?}");
        }
        check_whole(&world, &parts)?;
    }

    /// One party, a player, the referee or the office, cheats in every way that this file knows.
    #[test]
    fn nobody_honest_is_blamed_for_a_cheat(
        settings in any::<u16>(),
        cheat in prop::sample::select(Who::ALL.to_vec()),
        steps in prop::collection::vec(any::<(u8, u8, u8)>(), 20..90),
        parts in prop::collection::vec(any::<u64>(), 6),
    ) {
        let world = whole_game(settings, Some(cheat), &steps);
        check_whole(&world, &parts)?;
        if parts[0] % 12 == 0 {
            python_agrees(&world);
        }
    }
}

/// The whole games have in them what they are meant to have, so that what is said of them says something.
#[test]
fn whole_games_reach_everything() {
    let (mut rules, mut excused, mut said) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for seed in 0..440_u32 {
        let random = |i: u32| bytes(&format!("{seed} {i}")).0;
        let steps: Steps = (1..90).map(|i| (random(i)[0], random(i)[1], random(i)[2])).collect();
        // Some games have an office.
        let (cheats, more) = match !(240..400).contains(&seed) {
            true => ([Some(Ann), Some(Bob), Some(Carol), None], 0),
            false => ([Some(Ann), Some(Dora), Some(Dora), None], random(0)[1] | 1),
        };
        let (cheat, settings) = (cheats[seed as usize % 4], u16::from_le_bytes([random(0)[0], more]));
        let world = whole_game(settings, cheat, &steps);
        let report = world.report(|_| true);
        let rule = |text: &str| text.split(':').next().unwrap_or_default().to_owned();
        for finding in &report.findings {
            let found = if finding.culprit.is_some() { &mut rules } else { &mut excused };
            found.insert(rule(&finding.text));
        }
        said.extend(world.forks());
        if cheat.is_none() {
            said.extend(world.said());
            said.extend(report.open.iter().map(|open| format!("open {}", open.what)));
            said.extend(report.rolls.iter().filter(|roll| roll.named_by.is_some()).map(|_| "a named die".into()));
            said.extend(world.has_lost().then(|| "a letter that is lost".into()));
            said.extend(report.complete.then(|| "a complete game".into()));
        }
    }
    let broken = [
        "chain 2",
        "chain 3",
        "chain 6",
        "chain 8",
        "claim 2",
        "claim 4",
        "close 1",
        "declare 1",
        "declare 20",
        "declare 9",
        "declare 11",
        "declare 13",
        "letters 3",
        "letters 5",
        "receipt 1",
        "receipt 2",
        "receipt 3",
        "reveal 1",
        "reveal 2",
        "reveal 4",
        "ruling 1",
        "ruling 2",
        "ruling 3",
        "ruling 4",
        "ruling 5",
        "ruling 6",
        "ruling 7",
        "ruling 9",
        "seal 1",
        "seal 3",
        "seal 4",
        "seal 5",
    ];
    let reached = [
        "a complete game",
        "a fork of Office: 2 of them",
        "a fork of Player(First): 0 of them",
        "a fork of Player(First): 1 of them",
        "a fork of Player(Second): 1 of them",
        "a fork of Referee: 0 of them",
        "a fork of Referee: 1 of them",
        "a letter that is lost",
        "a named die",
        "claim dispute",
        "claim names",
        "claim stall",
        "claim withdraw",
        "claim yield",
        "correct accept",
        "correct propose",
        "correct refuse",
        "correct void",
        "decide ",
        "open awaits-note",
        "open forfeit",
        "open private",
        "receipt deposit",
        "receipt epoch",
        "receipt hand_back",
        "receipt time",
        "resync answer",
        "resync ask",
        "ruling agree",
        "ruling dismiss",
        "ruling forfeit",
        "ruling kill",
        "ruling open",
        "ruling request",
        "ruling void",
        "seal coin",
        "seal contribution",
        "seal foul-up",
        "seal note",
        "seal sheet",
    ];
    assert!(excused.iter().any(|rule| rule != "chain 8"), "nobody is excused for what falls: {excused:?}");
    for rule in broken {
        assert!(rules.contains(rule), "no cheat broke {rule}: {rules:?}");
    }
    for what in reached {
        assert!(said.contains(what), "no honest game has {what:?}: {said:?}");
    }
}
