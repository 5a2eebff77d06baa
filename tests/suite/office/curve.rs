//! What a letter costs as its game grows, in counts and never by the clock.

use super::world::curve;

/// Another letter, a declaration that is opened, and one that is left again cost as much in a long game as in a short one.
#[test]
fn a_letter_costs_what_it_costs_and_not_its_games_length() {
    let lengths = [48, 200, 800, 1_604];
    let costs = curve("office-curve", &lengths);
    let [another, declared, again] = costs[0].map(|cost| cost.replayed + cost.looked_at);
    assert!(another <= 3 && declared <= 8 && again == 0, "{costs:?}");
    for (length, longer) in lengths.iter().zip(&costs) {
        let counts = longer.map(|cost| cost.replayed + cost.looked_at);
        assert!(counts[0] <= 2 * another && counts[1] <= 2 * declared && counts[2] == 0, "{length}: {costs:?}");
    }
}
