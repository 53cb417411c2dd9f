//! The files of a disk: their content now, and their content on the medium.
//!
//! As on ext4, changes of names reach the medium in their order, and a sync of any file also writes all
//! earlier changes of names. The data of a file reaches the medium only with a sync of this file. At a power
//! cut, the medium keeps any combination of unsynced sectors.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use fuser::{Errno, FileType, INodeNo};

/// The number of bytes that a disk writes completely or not at all.
const SECTOR_SIZE: usize = 512;

/// For each folder, the names of its entries and the number of each file.
type FolderEntries = BTreeMap<u64, BTreeMap<OsString, u64>>;

/// A file or a folder.
pub(super) struct Node {
    pub(super) kind: FileType,
    pub(super) permissions: u16,
    pub(super) owner: u32,
    pub(super) group: u32,
    pub(super) data: Vec<u8>,
    synced: Vec<u8>,
    /// The numbers of the sectors that have changed since the last sync.
    unsynced: BTreeSet<usize>,
}

impl Node {
    pub(super) fn new(kind: FileType, permissions: u32, (owner, group): (u32, u32)) -> Self {
        let permissions = u16::try_from(permissions & 0o7777).expect("twelve bits");
        Self {
            kind,
            permissions,
            owner,
            group,
            data: Vec::new(),
            synced: Vec::new(),
            unsynced: BTreeSet::new(),
        }
    }

    pub(super) fn write(&mut self, offset: usize, bytes: &[u8]) {
        let end = offset + bytes.len();
        if self.data.len() < end {
            self.resize(end);
        }
        self.data[offset..end].copy_from_slice(bytes);
        self.unsynced.extend(offset / SECTOR_SIZE..end.div_ceil(SECTOR_SIZE));
    }

    pub(super) fn resize(&mut self, size: usize) {
        let changed =
            self.data.len().min(size) / SECTOR_SIZE..self.data.len().max(size).div_ceil(SECTOR_SIZE);
        self.data.resize(size, 0);
        self.unsynced.extend(changed);
    }

    fn sync(&mut self) {
        for sector in std::mem::take(&mut self.unsynced) {
            self.write_sector_to_medium(sector);
        }
        self.synced.truncate(self.data.len());
    }

    /// Copies a sector to the medium. A sector after the end of the file is ignored.
    fn write_sector_to_medium(&mut self, sector: usize) {
        let (start, end) = (sector * SECTOR_SIZE, ((sector + 1) * SECTOR_SIZE).min(self.data.len()));
        if start < end {
            let size = self.synced.len().max(end);
            self.synced.resize(size, 0);
            self.synced[start..end].copy_from_slice(&self.data[start..end]);
        }
    }

    fn lose_unsynced_sectors(&mut self, random: &mut Random) {
        let sectors: Vec<usize> = std::mem::take(&mut self.unsynced).into_iter().collect();
        for sector in sectors {
            if random.next_bool() {
                self.write_sector_to_medium(sector);
            }
        }
        self.data = self.synced.clone();
    }
}

/// A created, removed or moved name that is not yet on the medium.
enum FolderChange {
    Link { folder: u64, name: OsString, node: u64 },
    Unlink { folder: u64, name: OsString },
    Move { from: (u64, OsString), to: (u64, OsString) },
}

impl FolderChange {
    fn apply(&self, entries: &mut FolderEntries) {
        match self {
            Self::Link { folder, name, node } => {
                entries.entry(*folder).or_default().insert(name.clone(), *node);
            }
            Self::Unlink { folder, name } => {
                entries.entry(*folder).or_default().remove(name);
            }
            Self::Move { from: (folder, name), to: (new_folder, new_name) } => {
                if let Some(node) = entries.entry(*folder).or_default().remove(name) {
                    entries.entry(*new_folder).or_default().insert(new_name.clone(), node);
                }
            }
        }
    }
}

/// All files, and whether the disk has power.
pub(super) struct DiskState {
    nodes: BTreeMap<u64, Node>,
    next_node: u64,
    entries: FolderEntries,
    synced_entries: FolderEntries,
    unsynced_changes: Vec<FolderChange>,
    has_power: bool,
}

impl DiskState {
    pub(super) fn with_root_folder(owner: &Metadata) -> Self {
        let root = Node::new(FileType::Directory, owner.mode(), (owner.uid(), owner.gid()));
        Self {
            nodes: BTreeMap::from([(INodeNo::ROOT.0, root)]),
            next_node: INodeNo::ROOT.0 + 1,
            entries: FolderEntries::new(),
            synced_entries: FolderEntries::new(),
            unsynced_changes: Vec::new(),
            has_power: true,
        }
    }

    /// Returns an error if the disk has no power.
    pub(super) fn require_power(&self) -> Result<(), Errno> {
        self.has_power.then_some(()).ok_or(Errno::EIO)
    }

    pub(super) fn node(&self, node: u64) -> Result<&Node, Errno> {
        self.nodes.get(&node).ok_or(Errno::ENOENT)
    }

    pub(super) fn node_mut(&mut self, node: u64) -> Result<&mut Node, Errno> {
        self.nodes.get_mut(&node).ok_or(Errno::ENOENT)
    }

    pub(super) fn find(&self, folder: u64, name: &OsStr) -> Result<u64, Errno> {
        let found = self.entries.get(&folder).and_then(|names| names.get(name));
        found.copied().ok_or(Errno::ENOENT)
    }

    /// Returns the entries of a folder, each with the number and the name of its file, in the order of the
    /// numbers.
    pub(super) fn list(&self, folder: u64) -> Vec<(u64, OsString)> {
        let names = self.entries.get(&folder).into_iter().flatten();
        let mut entries: Vec<_> = names.map(|(name, node)| (*node, name.clone())).collect();
        entries.sort();
        entries
    }

    pub(super) fn add(&mut self, folder: u64, name: &OsStr, node: Node) -> Result<u64, Errno> {
        if self.find(folder, name).is_ok() {
            return Err(Errno::EEXIST);
        }
        let number = self.next_node;
        self.next_node += 1;
        self.nodes.insert(number, node);
        self.record_change(FolderChange::Link { folder, name: name.to_owned(), node: number });
        Ok(number)
    }

    pub(super) fn remove(&mut self, folder: u64, name: &OsStr) -> Result<(), Errno> {
        let node = self.find(folder, name)?;
        if self.entries.get(&node).is_some_and(|names| !names.is_empty()) {
            return Err(Errno::ENOTEMPTY);
        }
        self.record_change(FolderChange::Unlink { folder, name: name.to_owned() });
        Ok(())
    }

    pub(super) fn rename(&mut self, from: (u64, &OsStr), to: (u64, &OsStr)) -> Result<(), Errno> {
        self.find(from.0, from.1)?;
        self.record_change(FolderChange::Move {
            from: (from.0, from.1.to_owned()),
            to: (to.0, to.1.to_owned()),
        });
        Ok(())
    }

    fn record_change(&mut self, change: FolderChange) {
        change.apply(&mut self.entries);
        self.unsynced_changes.push(change);
    }

    /// Makes the data of a file and all changes of names durable.
    pub(super) fn sync(&mut self, node: u64) -> Result<(), Errno> {
        self.node_mut(node)?.sync();
        for change in std::mem::take(&mut self.unsynced_changes) {
            change.apply(&mut self.synced_entries);
        }
        Ok(())
    }

    pub(super) fn sync_all(&mut self) {
        self.nodes.values_mut().for_each(Node::sync);
        self.synced_entries = self.entries.clone();
        self.unsynced_changes.clear();
    }

    pub(super) fn cut_power(&mut self) {
        self.has_power = false;
    }

    pub(super) fn restore_power(&mut self, seed: u64) {
        let mut random = Random(seed);
        for change in std::mem::take(&mut self.unsynced_changes) {
            if !random.next_bool() {
                break;
            }
            change.apply(&mut self.synced_entries);
        }
        self.entries = self.synced_entries.clone();
        let named: BTreeSet<u64> = self.entries.values().flat_map(BTreeMap::values).copied().collect();
        self.nodes.retain(|number, _| *number == INodeNo::ROOT.0 || named.contains(number));
        self.nodes.values_mut().for_each(|node| node.lose_unsynced_sectors(&mut random));
        self.has_power = true;
    }
}

/// A source of pseudo-random decisions (SplitMix64).
struct Random(u64);

impl Random {
    fn next_bool(&mut self) -> bool {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) & 1 == 1
    }
}
