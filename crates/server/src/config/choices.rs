//! Settings whose values are names of a few.

use payroll_adapter_http::TokenSignature;
use payroll_adapter_oidc::RoleMap;
use payroll_domain::operator_key::OperatorRole;

use super::values::{Setting, parts};

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Log lines are text for people.
    Human,
    /// Each log line is a JSON object.
    Json,
}

impl Setting for LogFormat {
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "human" => Ok(Self::Human),
            "json" => Ok(Self::Json),
            _ => Err("must be human or json".to_owned()),
        }
    }

    fn show(&self) -> String {
        match self {
            Self::Human => "human".to_owned(),
            Self::Json => "json".to_owned(),
        }
    }
}

impl Setting for TokenSignature {
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "hs256" => Ok(Self::Hs256),
            "eddsa" => Ok(Self::EdDsa),
            _ => Err("must be hs256 or eddsa".to_owned()),
        }
    }

    fn show(&self) -> String {
        match self {
            Self::Hs256 => "hs256".to_owned(),
            Self::EdDsa => "eddsa".to_owned(),
        }
    }
}

impl Setting for RoleMap {
    fn read(text: &str) -> Result<Self, String> {
        let role = |part: &str| {
            let (group, role) = part.rsplit_once('=')?;
            let role = OperatorRole::ALL.iter().find(|known| known.as_str() == role.trim())?;
            Some((group.trim().to_owned(), *role)).filter(|(group, _)| !group.is_empty())
        };
        let refusal = || {
            "must contain group=role, separated by commas, with the roles administrator, payroll, support and \
             auditor"
                .to_owned()
        };
        parts(text).map(|part| role(part).ok_or_else(refusal)).collect()
    }

    fn show(&self) -> String {
        let roles: Vec<String> =
            self.iter().map(|(group, role)| format!("{group}={}", role.as_str())).collect();
        roles.join(",")
    }
}
