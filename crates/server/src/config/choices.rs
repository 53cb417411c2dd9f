//! Settings that accept one of a few names.

use payroll_adapter_http::TokenSignature;
use payroll_adapter_oidc::RoleMap;
use payroll_domain::operator_key::OperatorRole;

use super::values::{Setting, split_list};

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Log lines are human-readable text.
    Human,
    /// Each log line is a JSON object.
    Json,
}

/// The type of a setting that accepts one of a few names.
trait Choice: Copy + PartialEq + 'static {
    const NAMES: &[(&str, Self)];
}

impl Choice for LogFormat {
    const NAMES: &[(&str, Self)] = &[("human", Self::Human), ("json", Self::Json)];
}

impl Choice for TokenSignature {
    const NAMES: &[(&str, Self)] = &[("hs256", Self::Hs256), ("eddsa", Self::EdDsa)];
}

impl<C: Choice> Setting for C {
    fn read(text: &str) -> Result<Self, String> {
        let chosen = C::NAMES.iter().find(|(name, _)| *name == text);
        chosen.map(|(_, choice)| *choice).ok_or_else(|| {
            let names: Vec<&str> = C::NAMES.iter().map(|(name, _)| *name).collect();
            format!("must be {}", names.join(" or "))
        })
    }

    fn show(&self) -> String {
        let own = C::NAMES.iter().find(|(_, choice)| choice == self);
        own.map(|(name, _)| (*name).to_owned()).unwrap_or_default()
    }
}

impl Setting for RoleMap {
    fn read(text: &str) -> Result<Self, String> {
        let role = |part: &str| {
            let (group, role) = part.rsplit_once('=')?;
            let role = OperatorRole::ALL.iter().find(|known| known.as_str() == role.trim())?;
            Some((group.trim().to_owned(), *role)).filter(|(group, _)| !group.is_empty())
        };
        let mut roles = Self::new();
        for part in split_list(text) {
            let (group, role) = role(part).ok_or_else(|| {
                "must contain group=role, separated by commas, with the roles administrator, payroll, support \
                 and auditor"
                    .to_owned()
            })?;
            if roles.insert(group, role).is_some() {
                return Err("must name each group once".to_owned());
            }
        }
        Ok(roles)
    }

    fn show(&self) -> String {
        let roles: Vec<String> =
            self.iter().map(|(group, role)| format!("{group}={}", role.as_str())).collect();
        roles.join(",")
    }
}
