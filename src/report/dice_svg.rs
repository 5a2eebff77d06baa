//! Dice as pictures for HTML: small inline SVG in the colour of the surrounding text, so that print and dark pages need
//! no extra styles. The pictures are decoration: each number is always present as text too.

use maud::{Markup, html};

/// Coordinates of the pips on a face of 24 by 24: left, middle and right, or top, middle and bottom.
const NEAR: &str = "6.5";
const MIDDLE: &str = "12";
const FAR: &str = "17.5";

/// Returns the positions of the pips of a d6.
const fn pips(value: u64) -> &'static [(&'static str, &'static str)] {
    match value {
        1 => &[(MIDDLE, MIDDLE)],
        2 => &[(NEAR, NEAR), (FAR, FAR)],
        3 => &[(NEAR, NEAR), (MIDDLE, MIDDLE), (FAR, FAR)],
        4 => &[(NEAR, NEAR), (FAR, NEAR), (NEAR, FAR), (FAR, FAR)],
        5 => &[(NEAR, NEAR), (FAR, NEAR), (MIDDLE, MIDDLE), (NEAR, FAR), (FAR, FAR)],
        6 => &[(NEAR, NEAR), (FAR, NEAR), (NEAR, MIDDLE), (FAR, MIDDLE), (NEAR, FAR), (FAR, FAR)],
        _ => &[],
    }
}

/// Returns the outline of a die that is not a cube, seen from above.
const fn outline(sides: u64) -> &'static str {
    match sides {
        4 => "12,2 22.5,20.5 1.5,20.5",
        8 => "12,1 22,12 12,23 2,12",
        10 => "12,1 22.5,10.5 22.5,13.5 12,23 1.5,13.5 1.5,10.5",
        12 => "12,1 22.8,8.9 18.7,21.5 5.3,21.5 1.2,8.9",
        _ => "12,1 21.8,6.5 21.8,17.5 12,23 2.2,17.5 2.2,6.5",
    }
}

/// Draws a die that shows a value: a d6 with its pips, any other die as a polygon with the number. The picture is
/// hidden from screen readers.
#[must_use]
pub fn picture(sides: u64, value: u64) -> Markup {
    let digits = value.to_string();
    let size = match digits.len() {
        0..=2 => "10",
        3 => "8",
        _ => "5",
    };
    html! {
        svg class="pic" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false" {
            @if sides == 6 && !pips(value).is_empty() {
                rect x="1.5" y="1.5" width="21" height="21" rx="4" fill="none" stroke="currentColor" stroke-width="1.5" {}
                @for (x, y) in pips(value) {
                    circle cx=(x) cy=(y) r="2.1" fill="currentColor" {}
                }
            } @else {
                polygon points=(outline(sides)) fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" {}
                text x="12" y=(if sides == 4 { "18" } else { "15.6" }) font-size=(size) text-anchor="middle" fill="currentColor" { (digits) }
            }
        }
    }
}

/// Writes a die as picture and text: `4`, and the type of die.
#[must_use]
pub fn die(sides: u64, value: u64) -> Markup {
    html! {
        span class="die" { (picture(sides, value)) b { (value) } " " small { "d" (sides) } }
    }
}
