//! Tests that the files of docs/deploy match the server and each other. The tests only read the files and
//! need no container engine.

use std::collections::BTreeSet;
use std::path::Path;

use payroll_server::config::{CONFIG_VARIABLE, ROWS, Settings};

const REPOSITORY_ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn read_file(path: &str) -> String {
    std::fs::read_to_string(Path::new(REPOSITORY_ROOT).join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the lines of a file without comments.
fn read_lines(path: &str) -> Vec<String> {
    let text = read_file(path);
    text.lines().filter(|line| !line.trim_start().starts_with('#')).map(str::to_owned).collect()
}

/// Returns the words of a text that may be names of environment variables.
fn possible_variable_names(text: &str) -> BTreeSet<&str> {
    let words = text.split(|it: char| !it.is_ascii_uppercase() && it != '_');
    words.filter(|word| word.starts_with("PAYROLL_")).collect()
}

fn setting_value<'a>(lines: &'a [String], name: &str) -> &'a str {
    let found = lines.iter().find_map(|line| line.trim().strip_prefix(name));
    found.unwrap_or_else(|| panic!("no {name}")).trim()
}

#[test]
fn every_environment_variable_in_deploy_files_is_a_setting() {
    let known: BTreeSet<String> =
        ROWS.iter().map(|row| format!("PAYROLL_{}", row.name.to_ascii_uppercase())).collect();
    for file in [
        "payroll-server.service",
        "Dockerfile",
        "compose.yaml",
        "README.md",
        "packages.md",
        "kubernetes.md",
        "kubernetes/deployment.yaml",
        "kubernetes/migration.yaml",
        "release/image.py",
    ] {
        let text = read_file(&format!("docs/deploy/{file}"));
        for variable in possible_variable_names(&text) {
            assert!(known.contains(variable) || variable == CONFIG_VARIABLE, "{file}: {variable}");
        }
    }
}

#[test]
fn the_debian_settings_file_has_known_settings_and_matches_the_unit() {
    let settings = read_lines("docs/deploy/debian/payroll.toml");
    let settings: Vec<(&str, &str)> = settings.iter().filter_map(|line| line.split_once(" = ")).collect();
    assert!(settings.len() > 4, "{settings:?}");
    for (name, _) in &settings {
        assert!(ROWS.iter().any(|row| row.name == *name), "{name}");
    }
    let folder = settings.iter().find(|(name, _)| *name == "backup_folder").expect("backups").1;
    let unit = read_lines("docs/deploy/payroll-server.service");
    let state: Vec<&str> = setting_value(&unit, "StateDirectory=").split(' ').collect();
    assert!(state.iter().any(|state| folder == format!("\"/var/lib/{state}\"")), "{folder} {state:?}");
}

#[test]
fn the_image_copies_existing_files_and_builds_with_the_required_rust() {
    let dockerfile = read_lines("docs/deploy/Dockerfile");
    for line in dockerfile.iter().filter_map(|line| line.strip_prefix("COPY ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        for source in words[..words.len() - 1].iter().filter(|_| !line.starts_with("--")) {
            assert!(Path::new(REPOSITORY_ROOT).join(source).exists(), "{source}");
        }
    }
    // The image must contain all members of the workspace. Cargo fails if a member is missing.
    let copied: Vec<&str> = dockerfile.iter().filter_map(|line| line.strip_prefix("COPY ")).collect();
    assert!(
        copied.iter().any(|line| line.starts_with("crates "))
            && copied.iter().any(|it| it.starts_with("tests "))
    );
    let manifest = read_file("Cargo.toml");
    let required = manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).expect("a version");
    assert_eq!(setting_value(&dockerfile, "FROM rust:").split('-').next(), Some(required.trim_matches('"')));
    assert_eq!(setting_value(&dockerfile, "CMD "), "[\"serve\"]");
}

#[test]
fn both_deployments_give_the_server_time_to_stop() {
    /// The default number of seconds for which a stopping server still accepts requests.
    const SHUTDOWN_PAUSE_SECONDS: u32 = 5;
    let needed = Settings::default().shutdown_timeout_seconds + SHUTDOWN_PAUSE_SECONDS;
    let unit = read_lines("docs/deploy/payroll-server.service");
    let compose = read_lines("docs/deploy/compose.yaml");
    for given in [
        setting_value(&unit, "TimeoutStopSec="),
        setting_value(&compose, "stop_grace_period:").trim_end_matches('s'),
    ] {
        assert!(given.parse::<u32>().expect("seconds") > needed, "{given}");
    }
}

#[test]
fn the_proxy_is_trusted_and_forwards_to_the_existing_servers() {
    let compose = read_lines("docs/deploy/compose.yaml");
    assert_eq!(setting_value(&compose, "PAYROLL_TRUSTED_PROXIES:"), setting_value(&compose, "ipv4_address:"));
    let port = setting_value(&compose, "PAYROLL_LISTEN:").rsplit(':').next().expect("a port");
    let caddy = read_lines("docs/deploy/Caddyfile");
    let upstreams: BTreeSet<&str> =
        setting_value(&caddy, "reverse_proxy ").trim_end_matches('{').split_whitespace().collect();
    let servers: BTreeSet<String> = compose
        .iter()
        .filter_map(|line| line.strip_prefix("  payroll-")?.strip_suffix(':'))
        .map(|number| format!("payroll-{number}:{port}"))
        .collect();
    assert_eq!(upstreams, servers.iter().map(String::as_str).collect());
    assert!(servers.len() > 1);
    assert_eq!(setting_value(&caddy, "health_uri "), "/readyz");
}

#[test]
fn no_deployment_publishes_the_operator_listener() {
    let compose = read_lines("docs/deploy/compose.yaml");
    assert!(setting_value(&compose, "PAYROLL_OPERATOR_LISTEN:").starts_with("127.0.0.1:"));
    let published: Vec<&str> =
        compose.iter().filter_map(|line| line.trim().strip_prefix("- \"")?.strip_suffix('"')).collect();
    assert_eq!(published, ["80:80", "443:443"]);
    assert!(!read_file("docs/deploy/Dockerfile").contains("EXPOSE 8081"));
}

#[test]
fn the_archive_contains_the_files_that_the_instructions_install() {
    let script = read_file("docs/deploy/release/build.sh");
    let copied: BTreeSet<&str> = script
        .lines()
        .filter(|line| line.starts_with("cp ") || line.contains("\"$files/payroll-server\""))
        .flat_map(|line| line.split([' ', '/', '"']))
        .collect();
    let readme = read_file("docs/deploy/README.md");
    let installed: Vec<&str> = readme
        .lines()
        .filter(|line| line.starts_with("install -m"))
        .filter_map(|line| line.split(' ').nth(3))
        .collect();
    assert_eq!(installed, ["payroll-server", "payroll-server.service"]);
    assert!(installed.iter().all(|file| copied.contains(file)), "{copied:?}");
}
