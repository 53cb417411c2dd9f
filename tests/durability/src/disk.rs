//! A model of a disk with a volatile cache. The model contains the data that a process has written and the
//! part that was synced. The model computes the data that remains after a power cut.
//!
//! The model loses as much data as POSIX permits:
//!
//! * Data that was not synced is kept or lost in sectors of 512 bytes, in any combination. The last written
//!   sector can be torn, which means that only a part of it was written.
//! * If a file is created, renamed or removed, this change of the folder is not durable until the folder is
//!   synced. This applies even if the file itself was synced.
//! * After a failed sync, the data of this sync never reaches the disk, even if a later sync succeeds. The
//!   reason is that Linux marks the pages of a failed sync as clean.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use crate::random::SeededRandom;

/// The unit in which a disk writes, in bytes.
const SECTOR_BYTES: usize = 512;

/// Identifies a file independently of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FileId(pub(crate) usize);

/// The target of a name in a folder: a file or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FolderEntry {
    File(FileId),
    Folder,
}

/// A change of a folder's entries. Paths are relative to the root of the disk.
#[derive(Debug, Clone)]
pub(crate) enum NameChange {
    Add(PathBuf, FolderEntry),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
}

/// A change of a file's content.
#[derive(Debug, Clone)]
pub(crate) enum ContentChange {
    Write(usize, Vec<u8>),
    Resize(usize),
}

/// One action of a process.
#[derive(Debug, Clone)]
pub(crate) enum DiskEvent {
    Named(NameChange),
    Changed(FileId, ContentChange),
    Synced(FileId),
    /// A sync that reported an error.
    NotSynced(FileId),
    FolderSynced(PathBuf),
    /// A client sent the request with this number.
    Sent(usize),
    /// A client received the response to the request with this number.
    Acknowledged(usize),
    /// A receiver accepted the notification with this number.
    Received(usize),
}

#[derive(Debug, Clone, Default)]
struct File {
    durable: Vec<u8>,
    unsynced: Vec<ContentChange>,
}

/// The state of the disk after some events.
#[derive(Debug, Clone, Default)]
pub(crate) struct Disk {
    files: HashMap<FileId, File>,
    names: BTreeMap<PathBuf, FolderEntry>,
    unsynced: Vec<NameChange>,
}

/// The folders and files that remain after a power cut, each identified by its path.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DiskImage {
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) files: BTreeMap<PathBuf, Vec<u8>>,
}

/// The part of the unsynced data that survives a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SurvivingWrites {
    /// No unsynced data reaches the disk.
    Nothing,
    /// All unsynced data survives, as after a kill of the process.
    All,
    /// The oldest writes to each file survive, and the last sector is torn.
    Oldest,
    /// Each unsynced sector survives or is lost at random.
    Sectors,
}

impl SurvivingWrites {
    pub(crate) const ALL: [Self; 4] = [Self::Nothing, Self::Oldest, Self::Sectors, Self::All];
}

impl Disk {
    /// Creates a disk with the given folders and files, all of which are synced.
    pub(crate) fn from_files(folders: Vec<PathBuf>, files: Vec<(PathBuf, FileId, Vec<u8>)>) -> Self {
        let mut disk = Self::default();
        disk.names.extend(folders.into_iter().map(|path| (path, FolderEntry::Folder)));
        for (path, id, durable) in files {
            disk.names.insert(path, FolderEntry::File(id));
            disk.files.insert(id, File { durable, unsynced: Vec::new() });
        }
        disk
    }

    pub(crate) fn apply(&mut self, event: &DiskEvent) {
        match event {
            DiskEvent::Named(naming) => self.unsynced.push(naming.clone()),
            DiskEvent::Changed(id, change) => self.file(*id).unsynced.push(change.clone()),
            DiskEvent::Synced(id) => {
                let file = self.file(*id);
                for change in std::mem::take(&mut file.unsynced) {
                    apply_content_change(&mut file.durable, &change);
                }
            }
            DiskEvent::NotSynced(id) => self.file(*id).unsynced.clear(),
            DiskEvent::FolderSynced(folder) => {
                let of_folder = |naming: &NameChange| parent_folder(changed_path(naming)) == folder;
                let (synced, left) = std::mem::take(&mut self.unsynced).into_iter().partition(of_folder);
                self.unsynced = left;
                let synced: Vec<NameChange> = synced;
                synced.iter().for_each(|naming| apply_name_change(&mut self.names, naming));
            }
            DiskEvent::Sent(_) | DiskEvent::Acknowledged(_) | DiskEvent::Received(_) => {}
        }
    }

    fn file(&mut self, id: FileId) -> &mut File {
        self.files.entry(id).or_default()
    }

    /// Returns the folders and files as the process sees them.
    pub(crate) fn current_image(&self) -> DiskImage {
        self.after_cut(SurvivingWrites::All, &mut SeededRandom::from_seed(0))
    }

    /// Returns the folders and files that remain after a power cut.
    pub(crate) fn after_cut(&self, survival: SurvivingWrites, chance: &mut SeededRandom) -> DiskImage {
        let mut names = self.names.clone();
        let count = chance.random_below(self.unsynced.len() + 1);
        for (at, naming) in self.unsynced.iter().enumerate() {
            let survives = match survival {
                SurvivingWrites::Nothing => false,
                SurvivingWrites::All => true,
                SurvivingWrites::Oldest => at < count,
                SurvivingWrites::Sectors => chance.random_bool(),
            };
            if survives {
                apply_name_change(&mut names, naming);
            }
        }
        let mut image = DiskImage::default();
        for (path, node) in &names {
            let folder = parent_folder(path);
            if !folder.as_os_str().is_empty() && !image.folders.iter().any(|it| it == folder) {
                continue; // its folder does not exist
            }
            match node {
                FolderEntry::Folder => image.folders.push(path.clone()),
                FolderEntry::File(id) => {
                    let file = self.files.get(id).cloned().unwrap_or_default();
                    image.files.insert(path.clone(), file.after_cut(survival, chance));
                }
            }
        }
        image
    }
}

impl File {
    fn after_cut(&self, survival: SurvivingWrites, chance: &mut SeededRandom) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        match survival {
            SurvivingWrites::Nothing => {}
            SurvivingWrites::All => {
                self.unsynced.iter().for_each(|change| apply_content_change(&mut bytes, change))
            }
            SurvivingWrites::Oldest => {
                let count = chance.random_below(self.unsynced.len() + 1);
                let (retained, lost) = self.unsynced.split_at(count);
                retained.iter().for_each(|change| apply_content_change(&mut bytes, change));
                if let Some(ContentChange::Write(at, text)) = lost.first() {
                    let torn = chance.random_below(text.len());
                    apply_content_change(&mut bytes, &ContentChange::Write(*at, text[..torn].to_vec()));
                }
            }
            SurvivingWrites::Sectors => self.choose_surviving_sectors(&mut bytes, chance),
        }
        bytes
    }

    /// Chooses the content of each sector at random, independently of the other sectors. The choice is a
    /// content that the sector has had since the last sync.
    fn choose_surviving_sectors(&self, bytes: &mut Vec<u8>, chance: &mut SeededRandom) {
        let mut versions: HashMap<usize, usize> = HashMap::new();
        for (sector, _) in self.unsynced.iter().flat_map(split_by_sectors) {
            *versions.entry(sector).or_default() += 1;
        }
        let mut sorted: Vec<_> = versions.iter_mut().collect();
        sorted.sort();
        sorted.into_iter().for_each(|(_, count)| *count = chance.random_below(*count + 1));
        for change in &self.unsynced {
            if let ContentChange::Resize(_) = change {
                if chance.random_bool() {
                    apply_content_change(bytes, change);
                }
                continue;
            }
            for (sector, part) in split_by_sectors(change) {
                let left = versions.entry(sector).or_default();
                if *left > 0 {
                    *left -= 1;
                    apply_content_change(bytes, &part);
                }
            }
        }
    }
}

/// Splits a write at the borders of sectors, and returns each part with the number of its sector.
fn split_by_sectors(change: &ContentChange) -> Vec<(usize, ContentChange)> {
    let ContentChange::Write(start, bytes) = change else { return Vec::new() };
    let (mut parts, mut at) = (Vec::new(), *start);
    while at < start + bytes.len() {
        let sector = at / SECTOR_BYTES;
        let end = ((sector + 1) * SECTOR_BYTES).min(start + bytes.len());
        parts.push((sector, ContentChange::Write(at, bytes[at - start..end - start].to_vec())));
        at = end;
    }
    parts
}

fn apply_content_change(bytes: &mut Vec<u8>, change: &ContentChange) {
    match change {
        ContentChange::Resize(length) => bytes.resize(*length, 0),
        ContentChange::Write(_, text) if text.is_empty() => {}
        ContentChange::Write(at, text) => {
            if bytes.len() < at + text.len() {
                bytes.resize(at + text.len(), 0);
            }
            bytes[*at..at + text.len()].copy_from_slice(text);
        }
    }
}

fn apply_name_change(names: &mut BTreeMap<PathBuf, FolderEntry>, naming: &NameChange) {
    match naming {
        NameChange::Add(path, node) => {
            names.insert(path.clone(), *node);
        }
        NameChange::Remove(path) => {
            names.remove(path);
        }
        NameChange::Rename(from, to) => {
            // A rename moves the folder entry. If the old name never reached the disk, the new name is
            // missing too.
            if let Some(node) = names.remove(from) {
                names.insert(to.clone(), node);
            }
        }
    }
}

fn changed_path(naming: &NameChange) -> &Path {
    match naming {
        NameChange::Add(path, _) | NameChange::Remove(path) | NameChange::Rename(_, path) => path,
    }
}

fn parent_folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_write_event(at: usize, bytes: &[u8]) -> DiskEvent {
        DiskEvent::Changed(FileId(1), ContentChange::Write(at, bytes.to_vec()))
    }

    fn new_create_event(path: &str) -> DiskEvent {
        DiskEvent::Named(NameChange::Add(path.into(), FolderEntry::File(FileId(1))))
    }

    fn disk_after(events: &[DiskEvent]) -> Disk {
        let mut disk = Disk::default();
        events.iter().for_each(|event| disk.apply(event));
        disk
    }

    fn images_after_cut(disk: &Disk) -> Vec<DiskImage> {
        let all = SurvivingWrites::ALL.into_iter();
        all.flat_map(|survival| {
            (0..50).map(move |seed| disk.after_cut(survival, &mut SeededRandom::from_seed(seed)))
        })
        .collect()
    }

    #[test]
    fn data_synced_with_its_folder_survives_every_cut() {
        let disk = disk_after(&[
            new_create_event("a"),
            new_write_event(0, b"text"),
            DiskEvent::Synced(FileId(1)),
            DiskEvent::FolderSynced("".into()),
        ]);
        assert!(images_after_cut(&disk).iter().all(|image| image.files[Path::new("a")] == b"text"));
    }

    #[test]
    fn a_name_in_an_unsynced_folder_may_be_missing_or_old() {
        let created = [new_create_event("a"), new_write_event(0, b"text"), DiskEvent::Synced(FileId(1))];
        let lost =
            images_after_cut(&disk_after(&created)).iter().filter(|image| image.files.is_empty()).count();
        assert!(lost > 50, "{lost}");
        let mut renamed = created.to_vec();
        renamed.push(DiskEvent::FolderSynced("".into()));
        renamed.push(DiskEvent::Named(NameChange::Rename("a".into(), "b".into())));
        let images = images_after_cut(&disk_after(&renamed));
        for path in ["a", "b"] {
            assert!(images.iter().any(|image| image.files.keys().eq([Path::new(path)])), "{path}");
        }
    }

    #[test]
    fn unsynced_sectors_are_lost_individually_and_the_last_is_torn() {
        let base = [new_create_event("a"), DiskEvent::FolderSynced("".into())];
        let disk = disk_after(&[&base[..], &[new_write_event(0, &[1; 2 * SECTOR_BYTES])]].concat());
        let seen: Vec<_> =
            images_after_cut(&disk).into_iter().map(|image| image.files[Path::new("a")].clone()).collect();
        let second_alone = [vec![0; SECTOR_BYTES], vec![1; SECTOR_BYTES]].concat();
        assert!(
            seen.contains(&second_alone)
                && seen.contains(&vec![1; SECTOR_BYTES])
                && seen.contains(&Vec::new())
        );
        assert!(seen.iter().any(|bytes| bytes.len() % SECTOR_BYTES != 0), "none is torn");
    }

    #[test]
    fn data_of_a_failed_sync_is_lost_even_if_the_next_sync_succeeds() {
        let failed = [
            new_create_event("a"),
            DiskEvent::FolderSynced("".into()),
            new_write_event(0, b"lost"),
            DiskEvent::NotSynced(FileId(1)),
        ];
        let again = [new_write_event(4, b"kept"), DiskEvent::Synced(FileId(1))];
        let disk = disk_after(&[&failed[..], &again[..]].concat());
        assert!(images_after_cut(&disk).iter().all(|image| image.files[Path::new("a")] == b"\0\0\0\0kept"));
    }
}
