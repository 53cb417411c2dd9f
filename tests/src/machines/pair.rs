//! A primary and its synchronous standby, created for one test and removed afterwards.

use tempfile::TempDir;

use super::postgres::{Machine, network};

/// The name of the standby in the primary's settings.
const STANDBY: &str = "standby";

/// A server of the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    Primary,
    Standby,
}

/// A primary and a standby that run until this value is dropped.
pub(super) struct Pair {
    // The order of the fields matters: the standby ends before the primary, and both before their folder is
    // deleted.
    standby: Machine,
    primary: Machine,
    _folder: TempDir,
}

impl Pair {
    /// Creates both servers. `None` if this machine has no PostgreSQL.
    pub(super) fn start() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let network = network();
        let machine = |name, number| Machine::in_folder(folder.path(), name, format!("{network}.{number}"));
        let (primary, standby) = (machine("primary", 1)?, machine(STANDBY, 2)?);
        primary.make(&format!("synchronous_standby_names = '{STANDBY}'\n"));
        standby.make_standby(&primary);
        Some(Self { standby, primary, _folder: folder })
    }

    const fn machine(&self, member: Member) -> &Machine {
        match member {
            Member::Primary => &self.primary,
            Member::Standby => &self.standby,
        }
    }

    /// Returns the address of a server.
    pub(super) fn host(&self, member: Member) -> String {
        self.machine(member).host().to_owned()
    }

    /// Promotes the standby to primary.
    pub(super) fn promote(&self) {
        self.standby.control("promote");
    }

    /// Stops a server without a last checkpoint, as in a crash.
    pub(super) fn kill(&self, member: Member) {
        self.machine(member).kill();
    }

    /// Starts a server that was stopped.
    pub(super) fn start_again(&self, member: Member) {
        self.machine(member).control("start");
    }

    /// Makes a server accept connections without responding.
    pub(super) fn block_replies(&self, member: Member) {
        self.machine(member).suspend();
    }

    /// Adds a setting to a server.
    pub(super) fn set(&self, member: Member, line: &str) {
        self.machine(member).set(line);
    }
}
