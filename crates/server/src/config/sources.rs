//! The sources of settings. Flags override the environment, which overrides the file and the defaults.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};

use validator::Validate;

use super::groups::find_group;
use super::{ROWS, SettingRow, Settings, invalid_setting_failure};
use crate::failure::{Failure, Outcome};

/// The prefix of every environment variable of this program.
const VARIABLE_PREFIX: &str = "PAYROLL_";
/// The variable with the path of the settings file.
pub const CONFIG_VARIABLE: &str = "PAYROLL_CONFIG";
/// The variable with the operator key for commands that call a running server. The key is not a setting of a
/// server, so this module does not read the variable.
pub const OPERATOR_KEY_VARIABLE: &str = "PAYROLL_OPERATOR_KEY";
/// The variable with the signing secret for `listen`. The secret is not a setting of the server.
pub const SIGNING_SECRET_VARIABLE: &str = "PAYROLL_SIGNING_SECRET";
/// The variable with the secret of the application for which `listen` registers a hook.
pub const CLIENT_SECRET_VARIABLE: &str = "PAYROLL_CLIENT_SECRET";
/// The variables with the prefix of this program that are not settings.
const VARIABLES_WITHOUT_SETTING: [&str; 3] =
    [OPERATOR_KEY_VARIABLE, SIGNING_SECRET_VARIABLE, CLIENT_SECRET_VARIABLE];

/// The maximum width of lines in the help about settings.
const LINE_WIDTH: usize = 100;

/// The source of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingOrigin {
    /// The setting is in the settings file.
    File,
    /// The setting is an environment variable.
    Environment,
    /// The setting is a flag of the command line.
    Flag,
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "file",
            Self::Environment => "environment",
            Self::Flag => "flag",
        })
    }
}

/// The text of each given setting, from the source with the highest precedence.
#[derive(Clone, Default)]
pub struct SettingSources {
    texts: BTreeMap<&'static str, (String, SettingOrigin)>,
}

impl SettingSources {
    /// Collects the settings of the file (if one is given), of the environment, and of the flags.
    ///
    /// # Errors
    /// The file cannot be read, a name is unknown, or a value has the wrong type.
    pub fn gather_sources(
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        flags: &SettingFlags,
    ) -> Outcome<Self> {
        let variables = prefixed_variables(environment)?;
        let mut sources = Self::default();
        let file = flags.config.clone().or_else(|| variables.get(CONFIG_VARIABLE).map(PathBuf::from));
        if let Some(path) = file.filter(|path| !path.as_os_str().is_empty()) {
            for (name, text) in read_file(&path)? {
                sources.insert_text(name, text, SettingOrigin::File);
            }
        }
        for (variable, text) in variables.into_iter().filter(|(variable, _)| variable != CONFIG_VARIABLE) {
            let name = variable.strip_prefix(VARIABLE_PREFIX).unwrap_or_default().to_ascii_lowercase();
            let row = find_row(&name)
                .ok_or_else(|| unknown_setting_failure(&format!("environment variable {variable}")))?;
            sources.insert_text(row.name, text, SettingOrigin::Environment);
        }
        for (name, text) in &flags.values {
            sources.insert_text(name, text.clone(), SettingOrigin::Flag);
        }
        Ok(sources)
    }

    /// Returns the text of a setting and its source. `None` if no source contains the setting, which then has
    /// its default.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<(&str, SettingOrigin)> {
        self.texts.get(name).map(|(text, origin)| (text.as_str(), *origin))
    }

    fn insert_text(&mut self, name: &'static str, text: String, origin: SettingOrigin) {
        self.texts.insert(name, (text, origin));
    }
}

fn find_row(name: &str) -> Option<&'static SettingRow> {
    ROWS.iter().find(|row| row.name == name)
}

fn unknown_setting_failure(what: &str) -> Failure {
    Failure::new(format!("{what} is not a setting. `payroll-server help settings` lists all settings"))
}

/// Returns the variables with the prefix of this program. Their values must be valid Unicode. All other
/// variables are ignored and may contain anything.
fn prefixed_variables(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Outcome<BTreeMap<String, String>> {
    let ours = environment
        .into_iter()
        .filter_map(|(name, value)| name.into_string().ok().map(|name| (name, value)))
        .filter(|(name, _)| {
            name.starts_with(VARIABLE_PREFIX) && !VARIABLES_WITHOUT_SETTING.contains(&name.as_str())
        });
    ours.map(|(name, value)| match value.into_string() {
        Ok(text) => Ok((name, text)),
        Err(_) => Err(Failure::new(format!("environment variable {name} is not UTF-8 text"))),
    })
    .collect()
}

fn read_file(path: &Path) -> Outcome<Vec<(&'static str, String)>> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::with_cause(format!("the settings file {shown} cannot be read"), &error))?;
    // The message of the TOML parser quotes the line, which may contain a secret. Only the line number and
    // the parser's short message are shown.
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        Failure::new(format!("the settings file {shown} is not valid TOML, line {line}: {}", error.message()))
    })?;
    let mut settings = Vec::new();
    for (name, value) in &table {
        let row = find_row(name).ok_or_else(|| unknown_setting_failure(&format!("`{name}` in {shown}")))?;
        let text = toml_value_as_text(value).ok_or_else(|| {
            Failure::new(format!(
                "`{name}` in {shown} must be text, a whole number, true or false, or a list of texts"
            ))
        })?;
        settings.push((row.name, text));
    }
    Ok(settings)
}

/// Converts a TOML value to the text form of all other sources. `None` for a type that no setting has.
fn toml_value_as_text(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Boolean(yes) => Some(yes.to_string()),
        toml::Value::Array(items) => {
            let texts: Option<Vec<&str>> = items.iter().map(toml::Value::as_str).collect();
            texts.map(|texts| texts.join(","))
        }
        toml::Value::Float(_) | toml::Value::Datetime(_) | toml::Value::Table(_) => None,
    }
}

/// The flags of the command line: one flag for each setting that is not secret, and `--config`.
#[derive(Debug, Clone, Default)]
pub struct SettingFlags {
    /// The path of the settings file.
    pub config: Option<PathBuf>,
    /// The settings that were given as flags, each with its name and text.
    pub values: Vec<(&'static str, String)>,
}

impl SettingFlags {
    /// Adds a setting, which overrides every other source.
    #[must_use]
    pub fn with_setting(mut self, name: &'static str, text: impl Into<String>) -> Self {
        self.values.push((name, text.into()));
        self
    }
}

/// The flags are generated from the table, so a new row also has a flag.
impl Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        let config = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .global(true)
            .help(format!("Settings file, TOML [also: {CONFIG_VARIABLE}]"));
        ROWS.iter().filter(|row| !row.secret).map(flag_argument).fold(command.arg(config), Command::arg)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn flag_argument(row: &'static SettingRow) -> Arg {
    let variable = format!("{VARIABLE_PREFIX}{}", row.name.to_ascii_uppercase());
    let default = if row.default.is_empty() { "none" } else { row.default };
    let help = format!("{} [default: {default}] [also: {variable}]", row.documentation.trim());
    // For a setting that is false by default, the flag without a value means true.
    let values = if row.default == "false" { 0..=1 } else { 1..=1 };
    Arg::new(row.name)
        .long(row.name.replace('_', "-"))
        .num_args(values)
        .default_missing_value("true")
        .value_name("VALUE")
        .global(true)
        // With all settings, `--help` would be too long, so their flags are hidden. The function
        // `settings_help` describes them instead.
        .hide_short_help(true)
        .hide_long_help(true)
        .help_heading("Settings")
        .help(help)
}

/// Returns the text of `payroll-server help settings`: every setting with its names and its description.
pub(crate) fn settings_help() -> String {
    let mut text = String::from(
        "Settings, each with its flag, its variable, its name in the settings file (TOML), and its \
         default.\n\
         A flag overrides the variable, and the variable overrides the file. Secrets have no flag.\n\
         ",
    );
    for row in ROWS {
        if let Some(group) = find_group(row.name) {
            text.push_str(&format!("\n{}, in a settings file:\n", group.title));
            group.example.lines().for_each(|line| text.push_str(&format!("  {line}\n")));
        }
        let (name, default) = (row.name, if row.default.is_empty() { "none" } else { row.default });
        let variable = format!("{VARIABLE_PREFIX}{}", name.to_ascii_uppercase());
        let flag = if row.secret { String::new() } else { format!("--{}, ", name.replace('_', "-")) };
        text.push_str(&format!("\n  {flag}{variable}, {name} [default: {default}]\n"));
        let lines =
            row.documentation.split_whitespace().fold(vec![String::from("     ")], |mut lines, word| {
                if lines.last().is_some_and(|line| line.len() + word.len() >= LINE_WIDTH) {
                    lines.push(String::from("     "));
                }
                lines.iter_mut().last().into_iter().for_each(|line| line.extend([" ", word]));
                lines
            });
        text.push_str(&format!("{}\n", lines.join("\n")));
    }
    text
}

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let config = matches.get_one::<PathBuf>("config").cloned();
        let given = |row: &'static SettingRow| {
            matches.get_one::<String>(row.name).map(|text| (row.name, text.clone()))
        };
        Ok(Self { config, values: ROWS.iter().filter(|row| !row.secret).filter_map(given).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Settings {
    /// Validates and returns the settings of these sources. Settings without a source have their default.
    ///
    /// # Errors
    /// Returns a sentence that names the setting with an invalid value.
    pub fn load(sources: &SettingSources) -> Outcome<Self> {
        let settings = Self::read_all(&|name| sources.get(name).map(|(text, _)| text.to_owned()))?;
        settings.validate().map_err(|errors| first_validation_failure(&errors))?;
        let of_postgres = [
            ("direct_database_url", &settings.direct_database_url),
            ("replica_database_url", &settings.replica_database_url),
        ];
        for (name, url) in of_postgres {
            if url.expose().is_some() && settings.database_url.embedded_path().is_some() {
                return Err(invalid_setting_failure(name, "requires a PostgreSQL `database_url`"));
            }
        }
        if settings.check_retention_days > 0 && settings.check_archive_folder.is_empty() {
            let problem =
                "requires `check_archive_folder`: checks are removed only after they were written there";
            return Err(invalid_setting_failure("check_retention_days", problem));
        }
        reject_invalid_backup_schedules(&settings)?;
        Ok(settings)
    }
}

/// Rejects scheduled backups on PostgreSQL, which has its own backup tools. Also rejects backup intervals
/// that are not shorter than the age at which `doctor` warns.
fn reject_invalid_backup_schedules(settings: &Settings) -> Outcome {
    if settings.backup_folder.is_empty() {
        return Ok(());
    }
    if settings.database_url.embedded_path().is_none() {
        return Err(invalid_setting_failure(
            "backup_folder",
            "requires the embedded database. Back up PostgreSQL with its own tools",
        ));
    }
    let (interval, max_age) = (settings.backup_interval_hours, settings.backup_max_age_hours);
    if max_age <= interval {
        let problem =
            format!("is {max_age} and must be more than `backup_interval_hours`, which is {interval}");
        return Err(invalid_setting_failure("backup_max_age_hours", &problem));
    }
    Ok(())
}

fn first_validation_failure(errors: &validator::ValidationErrors) -> Failure {
    let mut fields: Vec<_> = errors.field_errors().into_iter().collect();
    fields.sort_by_key(|(name, _)| name.as_ref().to_owned());
    let first =
        fields.into_iter().find_map(|(name, faults)| faults.first().map(|fault| (name, fault.clone())));
    match first {
        Some((name, fault)) => invalid_setting_failure(
            &name,
            fault.message.as_deref().unwrap_or("has a value of the wrong type"),
        ),
        None => Failure::new("a setting has a value of the wrong type"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gather_test_sources(
        file: &str,
        variables: &[(&str, &str)],
        flags: SettingFlags,
    ) -> Outcome<SettingSources> {
        let mut settings = tempfile::NamedTempFile::new().unwrap();
        settings.write_all(file.as_bytes()).unwrap();
        let flags = SettingFlags { config: Some(settings.path().to_owned()), ..flags };
        let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        SettingSources::gather_sources(variables, &flags)
    }

    #[test]
    fn flags_override_the_environment_and_the_environment_overrides_the_file() {
        let file = "workers = 3\nlog_level = \"warn\"\nlog_format = \"json\"";
        let variables = [("PAYROLL_WORKERS", "4"), ("PAYROLL_LOG_LEVEL", "error"), ("HOME", "/")];
        let sources =
            gather_test_sources(file, &variables, SettingFlags::default().with_setting("workers", "5"))
                .unwrap();
        assert_eq!(sources.get("workers"), Some(("5", SettingOrigin::Flag)));
        assert_eq!(sources.get("log_level"), Some(("error", SettingOrigin::Environment)));
        assert_eq!(sources.get("log_format"), Some(("json", SettingOrigin::File)));
        assert_eq!(sources.get("listen"), None);
    }

    #[test]
    fn rejects_an_unknown_name_in_every_source() {
        let flags = SettingFlags::default;
        for refused in [
            gather_test_sources("worker = 3", &[], flags()),
            gather_test_sources("", &[("PAYROLL_WORKER", "3")], flags()),
        ] {
            let message = refused.err().unwrap().to_string();
            assert!(message.contains("orker") || message.contains("ORKER"), "{message}");
            assert!(message.contains("is not a setting"), "{message}");
        }
    }

    #[test]
    fn reports_the_line_of_an_invalid_file_without_quoting_it() {
        let file = "workers = 2\nkeys = [\"main:c2VjcmV0\n";
        let message = gather_test_sources(file, &[], SettingFlags::default()).err().unwrap().to_string();
        assert!(message.contains("line 2"), "{message}");
        assert!(!message.contains("c2VjcmV0"), "{message}");
    }

    #[test]
    fn the_operator_key_of_a_command_is_not_a_setting() {
        assert!(
            gather_test_sources("", &[(OPERATOR_KEY_VARIABLE, "opk_secret")], SettingFlags::default())
                .is_ok()
        );
    }

    #[test]
    fn accepts_a_toml_list_for_a_comma_separated_setting() {
        let sources = gather_test_sources("keys = [\"a:x\", \"b:y\"]", &[], SettingFlags::default()).unwrap();
        assert_eq!(sources.get("keys"), Some(("a:x,b:y", SettingOrigin::File)));
    }
}
