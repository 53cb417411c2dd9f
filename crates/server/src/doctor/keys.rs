//! Checks that there are keys, and that only their owner can read them.

use payroll_ports::keys::{Key, KeySet};

use super::report::DiagnosticsReport;
use crate::config::Settings;
use crate::keys::{self, KeySource};

const AREA: &str = "keys";

/// Reports problems with the keys, and returns them if they can be read.
pub(super) fn check_keys(settings: &Settings, report: &mut DiagnosticsReport) -> Option<KeySet> {
    match keys::find_key_source(settings) {
        Ok(KeySource::Existing(found)) => {
            let ids: Vec<&str> = found.iter().map(Key::id).collect();
            let location = keys::key_location(settings);
            let says = format!(
                "{location}: number of keys {}, active key (signs and encrypts) {}",
                ids.len(),
                found.active().id()
            );
            report.add_ok(AREA, says);
            Some(found)
        }
        Ok(KeySource::CreatedAtStart(path)) => {
            let says = format!("the first start creates the key file {}", path.display());
            report.add_ok(AREA, says);
            None
        }
        Err(failure) => {
            report.add_problem(AREA, failure.to_string(), "without its keys the server does not start");
            None
        }
    }
}
