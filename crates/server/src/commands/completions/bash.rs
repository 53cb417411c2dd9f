//! Completions for bash at every word of a line. The script determines the command from the previous words,
//! and skips options with their values. The script that clap generates completes only the first word if the
//! program's name contains a hyphen.

use std::collections::{BTreeMap, BTreeSet};

use clap::{Arg, Command, ValueHint};

/// The script, with placeholders for the commands and options.
const SCRIPT_TEMPLATE: &str = include_str!("bash.sh");
/// The heading in `--help` of the flags for settings. Every command has these flags.
pub(super) const SETTINGS_HEADING: &str = "Settings";

/// The possible values of an option or of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ValueCompletion {
    /// One of these words.
    Words(Vec<String>),
    /// The name of a file or folder.
    File,
    /// Free text that cannot be completed.
    Any,
}

/// The words that may follow each command.
#[derive(Debug, Default)]
struct CommandWords {
    /// For each command: its subcommands and argument values, and whether a file name may follow.
    commands: BTreeMap<String, (Vec<String>, bool)>,
    /// The options of each command, without the options that every command has.
    options: BTreeMap<String, BTreeSet<String>>,
    /// The options that every command has.
    global_options: BTreeSet<String>,
    /// The options that take a value.
    valued: BTreeMap<String, ValueCompletion>,
}

/// Returns the script that completes a command line.
pub(super) fn create_script(mut command: Command) -> String {
    command.build();
    let mut known = CommandWords::default();
    known.collect_words("payroll-server", &command);
    SCRIPT_TEMPLATE
        .replace("@valued@", &case_patterns(known.valued.keys().cloned()))
        .replace(
            "@commands@",
            &case_patterns(known.commands.keys().filter(|name| name.contains(' ')).cloned()),
        )
        .replace("@words@", &known.word_list())
        .replace("@values@", &known.values())
        .replace("@everywhere@", &join_words(&known.global_options))
        .replace("@options@", &known.options())
}

impl CommandWords {
    fn collect_words(&mut self, name: &str, command: &Command) {
        let below: Vec<&Command> = command.get_subcommands().filter(|below| !below.is_hide_set()).collect();
        let mut words: Vec<String> = below.iter().map(|below| below.get_name().to_owned()).collect();
        let mut files = false;
        for argument in command.get_positionals() {
            match value_completion(argument) {
                ValueCompletion::Words(more) => words.extend(more),
                ValueCompletion::File => files = true,
                ValueCompletion::Any => {}
            }
        }
        let mut own = BTreeSet::new();
        for option in command.get_opts().chain(flags(command)) {
            let Some(long) = option.get_long().map(|long| format!("--{long}")) else { continue };
            if option.get_action().takes_values() {
                self.valued.insert(long.clone(), value_completion(option));
            }
            let everywhere = option.get_help_heading() == Some(SETTINGS_HEADING)
                || ["--config", "--help"].contains(&long.as_str());
            if everywhere {
                self.global_options.insert(long)
            } else {
                own.insert(long)
            };
        }
        // If no other word may follow, the script offers the options of the command.
        if words.is_empty() && !files {
            words.extend(own.iter().cloned());
        }
        self.commands.insert(name.to_owned(), (words, files));
        self.options.insert(name.to_owned(), own);
        // Only a command may follow `help`.
        for below in below.into_iter().filter(|below| below.get_name() != "help") {
            self.collect_words(&format!("{name} {}", below.get_name()), below);
        }
    }

    fn word_list(&self) -> String {
        let lines = self.commands.iter().map(|(name, (words, files))| {
            let files = if *files { " files=yes" } else { "" };
            format!("            \"{name}\") words=\"{}\"{files} ;;", words.join(" "))
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn values(&self) -> String {
        let lines = self.valued.iter().map(|(option, kind)| match kind {
            ValueCompletion::Words(words) => format!("        {option}) words=\"{}\" ;;", words.join(" ")),
            ValueCompletion::File => format!("        {option}) files=yes ;;"),
            ValueCompletion::Any => format!("        {option}) ;;"),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn options(&self) -> String {
        let some = self.options.iter().filter(|(_, own)| !own.is_empty());
        let lines = some
            .map(|(name, own)| format!("            \"{name}\") words=\"$words {}\" ;;", join_words(own)));
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// Returns the options that take no value and are not hidden.
fn flags(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_flag = |argument: &&Arg| !argument.is_positional() && !argument.get_action().takes_values();
    command.get_arguments().filter(is_flag).filter(|argument| !argument.is_hide_set())
}

fn value_completion(argument: &Arg) -> ValueCompletion {
    let words: Vec<_> =
        argument.get_possible_values().iter().map(|word| word.get_name().to_owned()).collect();
    if !words.is_empty() {
        return ValueCompletion::Words(words);
    }
    let setting = crate::config::ROWS.iter().find(|row| row.name == argument.get_id().as_str());
    match (setting, argument.get_value_hint()) {
        (Some(row), _) if ["true", "false"].contains(&row.default) => {
            ValueCompletion::Words(vec!["true".to_owned(), "false".to_owned()])
        }
        (Some(row), _) if row.name.ends_with("_file") || row.name == "database_url" => ValueCompletion::File,
        (None, ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath) => ValueCompletion::File,
        _ => ValueCompletion::Any,
    }
}

fn join_words(words: &BTreeSet<String>) -> String {
    words.iter().cloned().collect::<Vec<_>>().join(" ")
}

/// Returns a pattern of the shell's `case` that matches each of these words.
fn case_patterns(words: impl Iterator<Item = String>) -> String {
    words.map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
mod tests {
    use std::process::Command as Program;

    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    /// Returns the words that bash offers for each of these lines, with the cursor at the end of the line.
    fn complete_lines(lines: &[String]) -> Vec<BTreeSet<String>> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a-file"), "").unwrap();
        let mut program = create_script(Cli::command());
        // Before it calls the completion function, bash splits a line at blanks, and before and after `=` and
        // `:`. The test does the same.
        program.push_str(
            r#"
offer() {
    local line="${1//=/ = }"; line="${line//:/ : }"
    COMP_WORDS=($line); if [[ "$1" == *" " ]]; then COMP_WORDS+=(""); fi
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
    local current="${COMP_WORDS[COMP_CWORD]}"; if [[ "$current" == [=:] ]]; then current=""; fi
    _payroll_server payroll-server "$current" "${COMP_WORDS[COMP_CWORD - 1]}"; echo "${COMPREPLY[*]}"
}
"#,
        );
        lines.iter().for_each(|line| program.push_str(&format!("offer '{line}'\n")));
        // The program is too long for a command-line argument, so bash reads the program from a file.
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), program).unwrap();
        let mut bash = Program::new("bash");
        bash.args(["--norc", "--noprofile"]).arg(file.path()).current_dir(folder.path());
        let output = bash.output().unwrap();
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8(output.stdout).unwrap();
        let offered: Vec<_> =
            printed.lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect();
        assert_eq!(offered.len(), lines.len());
        offered
    }

    fn complete_line(line: &str) -> Vec<String> {
        complete_lines(&[line.to_owned()]).remove(0).into_iter().collect()
    }

    /// Returns every command, including subcommands, with the words that a user types for it.
    fn all_commands<'a>(name: &str, command: &'a Command) -> Vec<(String, &'a Command)> {
        let below = command.get_subcommands().filter(|below| below.get_name() != "help");
        let deeper = below.flat_map(|below| all_commands(&format!("{name} {}", below.get_name()), below));
        [(name.to_owned(), command)].into_iter().chain(deeper).collect()
    }

    /// Returns several ways to type a command. Options for settings, with their values, can be before,
    /// between and after the command's words. The value of an option may equal the name of another command.
    fn command_spellings(name: &str) -> Vec<String> {
        let (program, rest) = name.split_once(' ').unwrap_or((name, ""));
        let setting = "--log-level serve";
        let mut ways = vec![format!("{name} "), format!("{name} {setting} ")];
        if !rest.is_empty() {
            ways.push(format!("{program} {setting} {rest} "));
            ways.push(format!(
                "{program} --database-url=postgres://u@h/d {} ",
                rest.replace(' ', " --workers 3 ")
            ));
        }
        ways
    }

    #[test]
    fn offers_words_and_options_at_every_position_of_every_command() {
        let mut whole = Cli::command();
        whole.build();
        let all = all_commands("payroll-server", &whole);
        assert!(all.len() > 50, "{}", all.len());
        let mut expected = Vec::new();
        for (name, command) in &all {
            let below: Vec<String> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
            let longs = command.get_arguments().filter_map(|it| it.get_long());
            let longs: Vec<String> = longs.map(|long| format!("--{long}")).collect();
            for way in command_spellings(name) {
                expected.push((way.clone(), below.clone()));
                expected.push((format!("{way}--"), longs.clone()));
            }
        }
        let lines: Vec<String> = expected.iter().map(|(line, _)| line.clone()).collect();
        for ((line, required), offered) in expected.iter().zip(complete_lines(&lines)) {
            let missing: Vec<_> = required.iter().filter(|word| !offered.contains(*word)).collect();
            assert!(missing.is_empty(), "{line}: {missing:?} are not offered: {offered:?}");
        }
    }

    #[test]
    fn offers_every_value_after_a_blank_and_after_an_equals_sign() {
        let mut whole = Cli::command();
        whole.build();
        let mut expected = Vec::new();
        for (name, command) in all_commands("payroll-server", &whole) {
            for option in command.get_opts() {
                let Some(long) = option.get_long() else { continue };
                // Every command has the same settings, so the settings are tested with only two commands.
                if option.get_help_heading() == Some(SETTINGS_HEADING)
                    && !["payroll-server", "payroll-server serve"].contains(&name.as_str())
                {
                    continue;
                }
                let values = match value_completion(option) {
                    ValueCompletion::Words(words) => words,
                    ValueCompletion::File => vec!["a-file".to_owned()],
                    ValueCompletion::Any => Vec::new(),
                };
                let values: BTreeSet<String> = values.into_iter().collect();
                expected.push((format!("{name} --{long} "), values.clone()));
                expected.push((format!("{name} --{long}="), values));
            }
        }
        let lines: Vec<String> = expected.iter().map(|(line, _)| line.clone()).collect();
        for ((line, values), offered) in expected.iter().zip(complete_lines(&lines)) {
            assert_eq!(*values, offered, "{line}");
        }
    }

    #[test]
    fn completes_a_partial_word() {
        for (line, offered) in [
            ("payroll-server comp", &["company", "completions", "component"][..]),
            ("payroll-server --log-level debug company un", &["unlock"]),
            ("payroll-server company list", &["list"]),
            ("payroll-server operator-key rev", &["revoke"]),
            ("payroll-server worker ch", &["change"]),
            ("payroll-server worker change A W --fil", &["--file"]),
            ("payroll-server worker change A W --file a-", &["a-file"]),
            ("payroll-server app create Clock --webhooks wr", &["write"]),
            ("payroll-server app create Clock --webhooks=wr", &["write"]),
            ("payroll-server company list --url http://127.0.0.1:8081 --js", &["--json"]),
            ("payroll-server completions z", &["zsh"]),
            ("payroll-server import a-", &["a-file"]),
            ("payroll-server company show a", &[]),
            ("payroll-server help comp", &["company", "completions", "component"]),
        ] {
            assert_eq!(complete_line(line), offered, "{line}");
        }
    }

    /// The script identifies an option only by its name. If options of different commands have the same name,
    /// either all or none of these options may take a value.
    #[test]
    fn options_with_one_name_agree_on_taking_a_value() {
        let mut whole = Cli::command();
        whole.build();
        let mut seen: BTreeMap<String, ValueCompletion> = BTreeMap::new();
        for (name, command) in all_commands("payroll-server", &whole) {
            for option in command.get_opts() {
                let Some(long) = option.get_long() else { continue };
                let before = seen.entry(long.to_owned()).or_insert_with(|| value_completion(option));
                assert_eq!(*before, value_completion(option), "--{long} of {name}");
            }
        }
    }
}
