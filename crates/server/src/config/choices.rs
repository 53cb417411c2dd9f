//! Settings whose value is one of a few names.

use payroll_adapter_http::TokenSignature;

use super::values::Setting;

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
