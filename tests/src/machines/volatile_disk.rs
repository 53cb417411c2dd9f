//! A simulated disk in memory that loses unsynced data when its power is cut. FUSE mounts it as a file
//! system, so any program can use it.

mod calls;
mod state;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fuser::{BackgroundSession, Config, MountOption, SessionACL};

use calls::FilesystemCalls;
use state::DiskState;

/// A mounted disk. Dropping this value unmounts the disk.
pub(super) struct VolatileDisk {
    folder: PathBuf,
    state: Arc<Mutex<DiskState>>,
    session: Option<BackgroundSession>,
}

impl VolatileDisk {
    /// Mounts an empty disk on a folder. The owner of the folder also owns the disk.
    pub(super) fn mount_on(folder: &Path) -> std::io::Result<Self> {
        let owner = std::fs::metadata(folder)?;
        let mut disk = Self {
            folder: folder.to_owned(),
            state: Arc::new(Mutex::new(DiskState::with_root_folder(&owner))),
            session: None,
        };
        disk.mount()?;
        Ok(disk)
    }

    fn mount(&mut self) -> std::io::Result<()> {
        let mut config = Config::default();
        config.mount_options = vec![
            MountOption::FSName("volatile_disk".to_owned()),
            MountOption::DefaultPermissions,
            MountOption::NoAtime,
        ];
        config.acl = SessionACL::All;
        self.session = Some(fuser::spawn_mount(FilesystemCalls::new(&self.state), &self.folder, &config)?);
        Ok(())
    }

    /// Makes all data durable, as if the machine had been shut down in order.
    pub(super) fn sync(&self) {
        self.state().sync_all();
    }

    /// Cuts the power. From now on, each operation on the disk fails, and no more data become durable.
    pub(super) fn cut_power(&self) {
        self.state().cut_power();
    }

    /// Restores the power. The disk then contains all synced data, and a random part of the unsynced data.
    pub(super) fn restore_power(&mut self, seed: u64) {
        // All programs that used the disk have ended, so the kernel can unmount it.
        let ended = self.session.take().expect("a mounted disk").umount_and_join();
        // When the kernel unmounts the disk, the FUSE session may end with the error `ConnectionAborted`,
        // which is not a fault.
        let is_ended = ended.as_ref().err().is_none_or(|error| error.kind() == ErrorKind::ConnectionAborted);
        assert!(is_ended, "the disk is not unmounted: {ended:?}");
        self.state().restore_power(seed);
        self.mount().expect("a mounted disk");
    }

    fn state(&self) -> MutexGuard<'_, DiskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
