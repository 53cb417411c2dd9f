//! `completions`: this command line, as a shell completes it.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::{Cli, CompletedShell};
use crate::failure::Outcome;

/// Prints the completions for a shell. Needs no settings: a shell asks at each of its starts.
pub(super) fn run(out: &mut dyn Write, shell: CompletedShell) -> Outcome {
    let shell = match shell {
        CompletedShell::Bash => Shell::Bash,
        CompletedShell::Zsh => Shell::Zsh,
        CompletedShell::Fish => Shell::Fish,
    };
    // Into memory first: the generator panics when a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "payroll-server", &mut script);
    Ok(out.write_all(&script)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_completes_every_command() {
        for shell in [CompletedShell::Bash, CompletedShell::Zsh, CompletedShell::Fish] {
            let mut out = Vec::new();
            run(&mut out, shell).unwrap();
            let script = String::from_utf8(out).unwrap();
            for word in ["end-date", "--operator-key-file", "completions", "rotate"] {
                let word =
                    if matches!(shell, CompletedShell::Fish) { word.trim_start_matches('-') } else { word };
                assert!(script.contains(word), "{shell:?} {word}");
            }
        }
    }
}
