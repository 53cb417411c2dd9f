//! `completions`: prints the completions of this command line for a shell.

mod bash;

use std::io::Write;

use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;

use crate::cli::{Cli, CompletedShell};
use crate::failure::Outcome;
use bash::SETTINGS_HEADING;

/// Prints the completions for a shell. The command needs no settings, because shells run it at each start.
pub(super) fn run(out: &mut dyn Write, shell: CompletedShell) -> Outcome {
    let script = match shell {
        CompletedShell::Bash => bash::create_script(Cli::command()).into_bytes(),
        CompletedShell::Zsh => generate_script(Shell::Zsh),
        CompletedShell::Fish => generate_script(Shell::Fish),
    };
    Ok(out.write_all(&script)?)
}

/// The commands that run a server. Only their completions include the flags for settings.
const SERVER_COMMANDS: [&str; 2] = ["serve", "demo"];

/// Returns the completion script that the library `clap_complete` generates for a shell. The script is
/// written to memory first, because the library panics if it writes to a closed pipe.
fn generate_script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut completed_command(), "payroll-server", &mut script);
    script
}

/// Returns the command line for completions. Every command accepts the flags for settings, but only the
/// commands that run a server have them here. Otherwise the library would repeat all flags for each command,
/// and the script would have several megabytes.
fn completed_command() -> Command {
    let is_setting = |argument: &Arg| argument.get_help_heading() == Some(SETTINGS_HEADING);
    let command = Cli::command();
    let settings: Vec<Arg> = command.get_arguments().filter(|it| is_setting(it)).cloned().collect();
    let local = |argument: Arg| if is_setting(&argument) { argument.global(false) } else { argument };
    let settings: Vec<Arg> = settings.into_iter().map(local).collect();
    SERVER_COMMANDS.into_iter().fold(command.mut_args(local), |command, name| {
        command.mut_subcommand(name, |server| server.args(settings.clone()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The maximum size of a script in bytes. A shell reads the complete script when it starts.
    const MAX_SCRIPT_BYTES: usize = 1_000_000;

    #[test]
    fn a_script_is_small_and_completes_the_settings_of_a_server() {
        for shell in [CompletedShell::Bash, CompletedShell::Zsh, CompletedShell::Fish] {
            let mut out = Vec::new();
            run(&mut out, shell).unwrap();
            assert!(out.len() < MAX_SCRIPT_BYTES, "{shell:?}: {}", out.len());
            let script = String::from_utf8(out).unwrap();
            assert!(script.contains("database-url") && script.contains("operator-listen"), "{shell:?}");
        }
    }

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
