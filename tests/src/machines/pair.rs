//! A primary and a synchronous standby of it, made for one test and removed behind it.

use tempfile::TempDir;

use super::postgres::{Machine, network};

/// The name by which the primary waits for the standby.
const STANDBY: &str = "standby";

/// A server of the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    Primary,
    Standby,
}

/// Both run as long as this value is there.
pub(super) struct Pair {
    // The standby ends before the primary, and both before their folder.
    standby: Machine,
    primary: Machine,
    _folder: TempDir,
}

impl Pair {
    /// Makes both; `None` where the machine has no PostgreSQL to make them with.
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

    /// The address of a server.
    pub(super) fn host(&self, member: Member) -> String {
        self.machine(member).host().to_owned()
    }

    /// Has the standby take writes.
    pub(super) fn promote(&self) {
        self.standby.control("promote");
    }

    /// Ends a server without a last checkpoint, as a crash of the program would.
    pub(super) fn kill(&self, member: Member) {
        self.machine(member).kill();
    }

    /// Starts a server that was ended.
    pub(super) fn start_again(&self, member: Member) {
        self.machine(member).control("start");
    }

    /// Has a server take connections and say nothing more.
    pub(super) fn silence(&self, member: Member) {
        self.machine(member).silence();
    }

    /// Has a setting of a server.
    pub(super) fn set(&self, member: Member, line: &str) {
        self.machine(member).set(line);
    }
}
