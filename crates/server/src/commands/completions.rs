//! `completions`: prints the completions of this command line for a shell.

mod bash;

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::{Cli, CompletedShell};
use crate::failure::Outcome;

/// Prints the completions for a shell. The command needs no settings, because shells run it at each start.
pub(super) fn run(out: &mut dyn Write, shell: CompletedShell) -> Outcome {
    let script = match shell {
        CompletedShell::Bash => bash::create_script(Cli::command()).into_bytes(),
        CompletedShell::Zsh => generate_script(Shell::Zsh),
        CompletedShell::Fish => generate_script(Shell::Fish),
    };
    Ok(out.write_all(&script)?)
}

/// Returns the script of the library for a shell. The library writes it to memory, because it panics if a
/// pipe is closed.
fn generate_script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "payroll-server", &mut script);
    script
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
