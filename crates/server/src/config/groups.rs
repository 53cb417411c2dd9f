//! The groups of settings, which are the sections of the documentation of settings.

/// A group of settings in the table. The group starts with its first setting and ends before the next group.
pub(crate) struct SettingGroup {
    /// The name of the group's first setting.
    pub(crate) first: &'static str,
    pub(crate) title: &'static str,
    /// Example lines of a settings file with settings of the group.
    pub(crate) example: &'static str,
}

const fn setting_group(first: &'static str, title: &'static str, example: &'static str) -> SettingGroup {
    SettingGroup { first, title, example }
}

/// All groups of settings, in the order of the settings table.
pub(crate) const GROUPS: &[SettingGroup] = &[
    setting_group(
        "database_url",
        "Database",
        "database_url = \"postgres://payroll@db.internal/payroll\"\ndatabase_connections = 16",
    ),
    setting_group("keys", "Keys", "key_file = \"/etc/payroll/keys\""),
    setting_group(
        "listen",
        "Listeners and TLS",
        "listen = \"0.0.0.0:8443\"\ntls_certificate_file = \"/etc/payroll/tls/chain.pem\"\ntls_key_file = \"/etc/payroll/tls/key.pem\"",
    ),
    setting_group(
        "public_base_url",
        "Public address and names",
        "public_base_url = \"https://api.example.org\"\nvendor_token = \"example\"",
    ),
    setting_group("token_lifetime_seconds", "Tokens and rate limits", "rate_limit_per_minute = 1200"),
    setting_group(
        "max_body_bytes",
        "Limits of requests and connections",
        "max_body_bytes = 4194304\nmax_connections = 4096",
    ),
    setting_group("workers", "Process", "workers = 4\nshutdown_pause_seconds = 5"),
    setting_group(
        "event_retention_days",
        "Retention",
        "audit_retention_days = 3650\ncheck_retention_days = 730\ncheck_archive_folder = \"/var/lib/payroll/archive\"",
    ),
    setting_group("backup_folder", "Backups", "backup_folder = \"/var/backups/payroll\"\nbackup_keep = 30"),
    setting_group(
        "access_request_hours",
        "Rules, sandbox and pages",
        "two_person_completion = true\noperator_public_url = \"https://payroll.example.org\"",
    ),
    setting_group(
        "oidc_issuer",
        "Single sign-on",
        "oidc_issuer = \"https://login.example.org\"\noidc_client_id = \"payroll\"\noidc_client_secret_file = \"/etc/payroll/oidc-secret\"\noidc_roles = \"payroll-admins=administrator,payroll-clerks=payroll\"",
    ),
    setting_group("security_contact", "Contact", "security_contact = \"mailto:security@example.org\""),
    setting_group(
        "max_hooks",
        "Webhooks",
        "webhook_verify_addresses = true\nwebhook_source_addresses = \"192.0.2.10,192.0.2.11\"",
    ),
    setting_group("log_format", "Logs and traces", "log_format = \"json\"\nlog_level = \"info\""),
];

/// Returns the group whose first setting has this name.
pub(crate) fn find_group(name: &str) -> Option<&'static SettingGroup> {
    GROUPS.iter().find(|group| group.first == name)
}
