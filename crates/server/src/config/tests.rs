//! Tests for the content of the settings table, and for rejected settings.

use super::*;

fn environment(variables: &[(&str, &str)]) -> Outcome<Settings> {
    let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    SettingSources::gather_sources(variables, &SettingFlags::default())
        .and_then(|sources| Settings::load(&sources))
}

fn settings_error(variables: &[(&str, &str)]) -> String {
    environment(variables).unwrap_err().to_string()
}

#[test]
fn without_any_source_every_setting_has_its_default() {
    let settings = environment(&[]).unwrap();
    assert_eq!(settings.shown_values(), Settings::default().shown_values());
    assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(settings.operator_listen.to_string(), "127.0.0.1:8081");
}

fn settings_page() -> String {
    let mut page = String::from(
        "# Settings\n\nGenerated from `crates/server/src/config.rs`. A setting is a line of the settings file, a \
         variable (`PAYROLL_` and the name in capitals) or a flag (`--` and the name with hyphens): \
         [Settings](operating/commands.md#settings). Secrets have no flag.\n",
    );
    for row in ROWS {
        if let Some(group) = groups::find_group(row.name) {
            page.push_str(&format!("\n## {}\n\n```toml\n{}\n```\n", group.title, group.example));
        }
        let default = if row.default.is_empty() { "none".to_owned() } else { format!("`{}`", row.default) };
        let secret = if row.secret { ", a secret" } else { "" };
        let (name, about) = (row.name, row.documentation.trim());
        page.push_str(&format!("\n### {name}\n\n{about}\n\nDefault: {default}{secret}\n"));
    }
    page
}

/// If this test fails, run `UPDATE_DOCS=1 cargo test -p payroll-server` to write docs/settings.md again.
#[test]
fn docs_settings_md_matches_the_settings() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/settings.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, settings_page()).unwrap();
    }
    let stored_page = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        stored_page == settings_page(),
        "docs/settings.md differs: UPDATE_DOCS=1 cargo test -p payroll-server"
    );
}

#[test]
fn every_group_starts_with_a_setting_and_has_a_valid_example() {
    for group in groups::GROUPS {
        assert!(ROWS.iter().any(|row| row.name == group.first), "{}", group.first);
        let file: toml::Table = group.example.parse().unwrap();
        for name in file.keys() {
            assert!(ROWS.iter().any(|row| row.name == name), "{name}");
        }
    }
    assert_eq!(groups::GROUPS.first().map(|group| group.first), ROWS.first().map(|row| row.name));
}

#[test]
fn every_setting_is_documented_in_a_sentence() {
    for row in ROWS {
        assert!(row.documentation.trim().ends_with('.'), "{}", row.name);
    }
}

#[test]
fn rejects_an_invalid_value_with_the_name_of_the_setting() {
    for (variable, value, says) in [
        ("PAYROLL_LISTEN", "8080", "setting `listen` must be an address and a port"),
        ("PAYROLL_WORKERS", "0", "setting `workers` must be from 1 to 256"),
        ("PAYROLL_WORKERS", "two", "setting `workers` must be a whole number that is not negative"),
        (
            "PAYROLL_APPLICATION_REQUEST_MEMORY_BYTES",
            "999999999999",
            "setting `application_request_memory_bytes` must be at most 4294967295",
        ),
        ("PAYROLL_LOG_FORMAT", "xml", "setting `log_format` must be human or json"),
        ("PAYROLL_TOKEN_SIGNATURE", "none", "setting `token_signature` must be hs256 or eddsa"),
        ("PAYROLL_OIDC_ISSUER", "http://login.example.org", "setting `oidc_issuer` must begin with https://"),
        ("PAYROLL_OIDC_ISSUER", "http://localhost.example.org", "setting `oidc_issuer` must begin"),
        ("PAYROLL_OIDC_LABEL", "<b>", "setting `oidc_label` must be 1 to 40 letters"),
        ("PAYROLL_OIDC_ROLES", "a=owner", "setting `oidc_roles` must contain group=role"),
        ("PAYROLL_OIDC_ROLES", "a=payroll,a=auditor", "setting `oidc_roles` must name each group once"),
        ("PAYROLL_VENDOR_TOKEN", "a b", "setting `vendor_token` must be"),
        ("PAYROLL_SECURITY_CONTACT", "security@example.org", "setting `security_contact` must contain"),
        ("PAYROLL_SECURITY_CONTACT", "mailto:a@b\nContact: x", "setting `security_contact` must contain"),
        ("PAYROLL_PUBLIC_BASE_URL", "api.example.org", "setting `public_base_url` must"),
        (
            "PAYROLL_CHECK_RETENTION_DAYS",
            "1",
            "setting `check_retention_days` requires `check_archive_folder`",
        ),
        ("PAYROLL_CHECK_RETENTION_DAYS", "36501", "setting `check_retention_days` must be from 0 to 36500"),
        ("PAYROLL_DATABASE_URL", "mysql://root@db/pay", "setting `database_url` must be"),
    ] {
        assert!(
            settings_error(&[(variable, value)]).starts_with(says),
            "{}",
            settings_error(&[(variable, value)])
        );
    }
}

#[test]
fn no_secret_is_shown() {
    let key = format!("main:{}", "QUJD".repeat(10) + "QUI=");
    let variables =
        [("PAYROLL_KEYS", key.as_str()), ("PAYROLL_DATABASE_URL", "postgres://pay:hunter2@db/pay")];
    let settings = environment(&variables).unwrap();
    let text = format!("{:?} {settings:?}", settings.shown_values());
    assert!(!text.contains("hunter2") && !text.contains("QUJD"), "{text}");
    assert!(text.contains("postgres://pay:***@db/pay") && text.contains("main"), "{text}");
}
