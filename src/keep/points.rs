//! Places where a test can make a process die or wait. Without the feature `fail-points` they do nothing.

/// A place where a test can make the process die at once, as in a power cut (`return`), or wait until a file exists
/// (`return(FILE)`). A waiting process creates the file `FILE.reached` to show the test that it waits.
#[cfg_attr(not(feature = "fail-points"), expect(clippy::missing_const_for_fn, reason = "with the feature it is none"))]
pub fn point(place: &str) {
    #[cfg(feature = "fail-points")]
    fail::fail_point!(place, wait);
    #[cfg(not(feature = "fail-points"))]
    let _ = place;
}

#[cfg(feature = "fail-points")]
fn wait(gate: Option<String>) {
    let Some(gate) = gate else { std::process::abort() };
    let told = std::fs::write(format!("{gate}.reached"), "");
    while told.is_ok() && !std::path::Path::new(&gate).exists() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}
