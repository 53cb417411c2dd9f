//! A primary and its synchronous standby, created for one test and removed afterwards.

use tempfile::TempDir;

use super::postgres::{PostgresMachine, next_network};

/// The name of the standby in the primary's settings.
const STANDBY_NAME: &str = "standby";

/// A PostgreSQL server of the pair: the primary or the standby.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairMember {
    Primary,
    Standby,
}

/// A primary and a standby that run until this value is dropped.
pub(super) struct ServerPair {
    // The fields are dropped in this order. The standby must end before the primary, and both before their
    // folder is deleted.
    standby: PostgresMachine,
    primary: PostgresMachine,
    _folder: TempDir,
}

impl ServerPair {
    /// Creates both servers. `None` if this machine has no PostgreSQL.
    pub(super) fn start() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let network = next_network();
        let machine =
            |name, number| PostgresMachine::in_folder(folder.path(), name, format!("{network}.{number}"));
        let (primary, standby) = (machine("primary", 1)?, machine(STANDBY_NAME, 2)?);
        primary.create_server(&format!("synchronous_standby_names = '{STANDBY_NAME}'\n"));
        standby.create_standby_of(&primary);
        Some(Self { standby, primary, _folder: folder })
    }

    const fn machine(&self, member: PairMember) -> &PostgresMachine {
        match member {
            PairMember::Primary => &self.primary,
            PairMember::Standby => &self.standby,
        }
    }

    /// Returns the address of a server.
    pub(super) fn host(&self, member: PairMember) -> String {
        self.machine(member).host().to_owned()
    }

    /// Promotes the standby to primary.
    pub(super) fn promote_standby(&self) {
        self.standby.run_pg_ctl("promote");
    }

    /// Stops a server without a last checkpoint, as in a crash.
    pub(super) fn kill_member(&self, member: PairMember) {
        self.machine(member).kill();
    }

    /// Starts a server that was stopped.
    pub(super) fn restart_member(&self, member: PairMember) {
        self.machine(member).run_pg_ctl("start");
    }

    /// Makes a server accept connections without responding.
    pub(super) fn block_replies(&self, member: PairMember) {
        self.machine(member).suspend();
    }

    /// Adds a setting to a server.
    pub(super) fn change_setting(&self, member: PairMember, line: &str) {
        self.machine(member).change_setting(line);
    }
}
