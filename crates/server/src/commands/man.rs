//! `man`: writes the manual pages, which are generated from the same description of the command line as
//! `--help`.
//!
//! Each command has a page in section 1. The settings are flags of every command, so they have one page in
//! section 5 instead of a list in each other page.

use std::fs::{self, DirBuilder};
use std::io::Write;
use std::path::Path;

use clap::{Command, CommandFactory};

use crate::cli::Cli;
use crate::config::{ROWS, settings_help};
use crate::failure::{Failure, Outcome};

/// The file name of the page that describes the settings.
const SETTINGS_PAGE_NAME: &str = "payroll-server-settings.5";

/// Writes a page for each command, and the page of the settings, to a folder.
pub(super) fn run(out: &mut dyn Write, folder: &Path) -> Outcome {
    let shown = folder.display();
    let failed = |error: std::io::Error| {
        Failure::with_cause(format!("the manual pages cannot be written to {shown}"), &error)
    };
    DirBuilder::new().recursive(true).create(folder).map_err(failed)?;
    clap_mangen::generate_to(hide_settings(Cli::command()), folder).map_err(failed)?;
    fs::write(folder.join(SETTINGS_PAGE_NAME), settings_page()).map_err(failed)?;
    let count = fs::read_dir(folder).map_err(failed)?.count();
    Ok(writeln!(out, "{shown} contains {count} files. Read one: man {shown}/payroll-server.1")?)
}

/// Hides the flags of settings and replaces their long list by a reference to the page of the settings.
fn hide_settings(command: Command) -> Command {
    let is_setting = |id: &str| ROWS.iter().any(|row| row.name == id);
    let command = command.mut_args(|argument| {
        let hidden = is_setting(argument.get_id().as_str());
        argument.hide(hidden)
    });
    let see = "The settings are described in payroll-server-settings(5).";
    command.after_help(see).mut_subcommand("config", |config| config.after_long_help(see))
}

/// Returns the manual page of the settings, with the lines of `payroll-server help settings`.
fn settings_page() -> String {
    let lines: String = settings_help().lines().map(|line| format!("{}\n", escape_troff(line))).collect();
    format!(
        ".TH payroll-server-settings 5 \"\" \"payroll-server {}\"\n.SH NAME\npayroll\\-server\\-settings \\- \
         settings of the payroll integration API server\n.SH DESCRIPTION\n.nf\n{lines}.fi\n.SH SEE ALSO\n\
         payroll\\-server(1), payroll\\-server\\-config(1)\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// Escapes the characters of a line that have a meaning for troff.
fn escape_troff(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    // troff interprets a line that starts with a dot or an apostrophe as a command, so `\&` is written first.
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the page names of a command and of all its subcommands.
    fn page_names(command: &Command, parent: &str) -> Vec<String> {
        let name = if parent.is_empty() {
            command.get_name().to_owned()
        } else {
            format!("{parent}-{}", command.get_name())
        };
        let below = command.get_subcommands().flat_map(|command| page_names(command, &name));
        below.chain([name.clone()]).collect()
    }

    #[test]
    fn every_command_and_the_settings_have_a_man_page() {
        let folder = tempfile::tempdir().unwrap();
        let mut out = Vec::new();
        run(&mut out, &folder.path().join("man1")).unwrap();
        let page = |name: &str| fs::read_to_string(folder.path().join("man1").join(name)).unwrap();
        let names = page_names(&Cli::command(), "");
        assert!(names.len() > 100, "{names:?}");
        for name in &names {
            let text = page(&format!("{name}.1"));
            assert!(text.contains(".SH NAME") && !text.contains("database\\-url"), "{name}");
        }
        assert!(page("payroll-server-period-complete.1").contains("\\-\\-allow\\-empty"));
        let settings = page(SETTINGS_PAGE_NAME);
        for row in ROWS {
            assert!(settings.contains(&format!("PAYROLL_{}", row.name.to_uppercase())), "{}", row.name);
        }
        assert!(String::from_utf8(out).unwrap().contains(&(names.len() + 1).to_string()));
    }
}
