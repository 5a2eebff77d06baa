//! The command line of sealed-dice; everything is in the library's `cli`.

fn main() -> std::process::ExitCode {
    sealed_dice::cli::main()
}
