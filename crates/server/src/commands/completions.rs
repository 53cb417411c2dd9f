//! `completions`: prints the completions of this command line for a shell.

use std::io::Write;

use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;

use crate::cli::{Cli, CompletionShell};
use crate::failure::Outcome;

/// The heading in `--help` of the flags for settings. Every command has these flags.
const SETTINGS_HEADING: &str = "Settings";
/// The program's name in the functions of the script for bash. If that name contains a hyphen, the functions
/// of `clap_complete` 4.6 do not find the subcommands.
const BASH_NAME: &str = "payroll_server";
/// The commands that run a server. Only the completions of these commands include the flags for settings.
const SERVER_COMMANDS: [&str; 2] = ["serve", "demo"];

/// Prints the completions for a shell. The command needs no settings, because shells run it at each start.
pub(super) fn run(out: &mut dyn Write, shell: CompletionShell) -> Outcome {
    let script = match shell {
        CompletionShell::Bash => bash_script(),
        CompletionShell::Zsh => generate_script(Shell::Zsh, "payroll-server"),
        CompletionShell::Fish => generate_script(Shell::Fish, "payroll-server"),
    };
    Ok(out.write_all(script.as_bytes())?)
}

/// Returns the script for bash. Its last lines register the completions for the program's real name.
fn bash_script() -> String {
    let script = generate_script(Shell::Bash, BASH_NAME);
    script.replace(&format!(" default {BASH_NAME}\n"), " default payroll-server\n")
}

/// Returns the completion script that the library `clap_complete` generates for a shell. The script is
/// written to memory first, because the library panics if it writes to a closed pipe.
fn generate_script(shell: Shell, name: &str) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command_for_completions(), name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Returns the command line for completions. Every command accepts the flags for settings, but only the
/// commands that run a server have them here. Otherwise the library would repeat all flags for each command,
/// and the script would have several megabytes.
fn command_for_completions() -> Command {
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
    use std::process::Command as Program;

    use super::*;

    /// The maximum size of a script in bytes. A shell reads the complete script when it starts.
    const MAX_SCRIPT_BYTES: usize = 1_000_000;

    /// Returns the words that bash offers for each command line, with the cursor at the end of the line.
    fn complete_in_bash(lines: &[&str]) -> Vec<Vec<String>> {
        let mut program = bash_script();
        assert!(program.trim_end().ends_with("payroll-server\nfi"), "the name in the last lines");
        program.push_str(
            r#"
offer() {
    COMP_WORDS=($1); if [[ "$1" == *" " ]]; then COMP_WORDS+=(""); fi
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
    _payroll_server payroll-server "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    echo "${COMPREPLY[*]}"
}
"#,
        );
        lines.iter().for_each(|line| program.push_str(&format!("offer '{line}'\n")));
        // The test script for bash is too long for a command-line argument, so bash reads the script from a
        // file.
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), program).unwrap();
        let output = Program::new("bash").args(["--norc", "--noprofile"]).arg(file.path()).output().unwrap();
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8(output.stdout).unwrap();
        let offered: Vec<_> =
            printed.lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect();
        assert_eq!(offered.len(), lines.len());
        offered
    }

    /// Returns every command, including subcommands, with the words that a user types for it.
    fn all_commands<'a>(name: &str, command: &'a Command) -> Vec<(String, &'a Command)> {
        let below = command.get_subcommands().filter(|below| below.get_name() != "help");
        let deeper = below.flat_map(|below| all_commands(&format!("{name} {}", below.get_name()), below));
        [(name.to_owned(), command)].into_iter().chain(deeper).collect()
    }

    #[test]
    fn bash_completes_the_words_and_options_of_every_command() {
        let whole = command_for_completions();
        let all = all_commands("payroll-server", &whole);
        assert!(all.len() > 50, "{}", all.len());
        let lines: Vec<_> = all.iter().map(|(name, _)| format!("{name} ")).collect();
        let options: Vec<_> = all.iter().map(|(name, _)| format!("{name} --")).collect();
        let texts: Vec<_> = lines.iter().chain(&options).map(String::as_str).collect();
        let offered = complete_in_bash(&texts);
        let (offered_words, offered_options) = offered.split_at(all.len());
        for (((name, command), words), options) in all.iter().zip(offered_words).zip(offered_options) {
            for below in command.get_subcommands() {
                assert!(words.iter().any(|word| word == below.get_name()), "{name}: {words:?}");
            }
            for long in command.get_arguments().filter_map(Arg::get_long) {
                assert!(options.contains(&format!("--{long}")), "{name} --{long}: {options:?}");
            }
        }
    }

    #[test]
    fn bash_completes_a_partial_word() {
        let cases = [
            ("payroll-server comp", &["company", "completions", "component"][..]),
            ("payroll-server --log-level debug company un", &["unlock"]),
            ("payroll-server company list", &["list"]),
            ("payroll-server operator-key rev", &["revoke"]),
            ("payroll-server worker ch", &["change"]),
            ("payroll-server worker change A W --fil", &["--file"]),
            ("payroll-server app create Clock --webhooks wr", &["write"]),
            ("payroll-server company list --url http --js", &["--json"]),
            ("payroll-server completions z", &["zsh"]),
            ("payroll-server help comp", &["company", "completions", "component"]),
        ];
        let offered = complete_in_bash(&cases.map(|(line, _)| line));
        for ((line, expected), mut offered) in cases.into_iter().zip(offered) {
            offered.sort_unstable();
            assert_eq!(offered, expected, "{line}");
        }
    }

    #[test]
    fn a_script_is_small_and_completes_the_settings_of_a_server() {
        for shell in [CompletionShell::Bash, CompletionShell::Zsh, CompletionShell::Fish] {
            let mut out = Vec::new();
            run(&mut out, shell).unwrap();
            assert!(out.len() < MAX_SCRIPT_BYTES, "{shell:?}: {}", out.len());
            let script = String::from_utf8(out).unwrap();
            assert!(script.contains("database-url") && script.contains("operator-listen"), "{shell:?}");
        }
    }

    #[test]
    fn every_shell_completes_every_command() {
        for shell in [CompletionShell::Bash, CompletionShell::Zsh, CompletionShell::Fish] {
            let mut out = Vec::new();
            run(&mut out, shell).unwrap();
            let script = String::from_utf8(out).unwrap();
            for word in ["end-date", "--operator-key-file", "completions", "rotate"] {
                let word =
                    if matches!(shell, CompletionShell::Fish) { word.trim_start_matches('-') } else { word };
                assert!(script.contains(word), "{shell:?} {word}");
            }
        }
    }
}
