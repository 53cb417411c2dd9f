//! Records, in order, the changes that this process makes to the files below one folder. The recorder can let
//! selected calls fail, or let them report success without any effect.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::defect::Defect;
use crate::descriptors::{file_metadata, write_offset};
use crate::disk::{ContentChange, Disk, DiskEvent, FileId, FolderEntry, NameChange};
use crate::faults::{CallFault, PlannedFaults, SystemCall};
use crate::slow;
use crate::sqlite::ForcedSynchronousSetting;

/// The result of a system call: a count or a descriptor, or an error number.
pub(crate) type CallResult = Result<isize, i32>;

/// Whether a recording is active. Without a recording, each intercepted call only reads this flag.
static ACTIVE: AtomicBool = AtomicBool::new(false);
static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);
/// Permits one recording at a time, because all recordings share the settings of SQLite.
static RECORDING_LOCK: Mutex<()> = Mutex::new(());

thread_local! {
    /// Whether this thread runs code of the recorder, whose own file operations are not recorded.
    static IS_IN_RECORDER: Cell<bool> = const { Cell::new(false) };
}

struct Recorder {
    root: PathBuf,
    events: Vec<DiskEvent>,
    files: HashMap<(u64, u64), FileId>,
    next: usize,
    names: BTreeMap<PathBuf, FolderEntry>,
    defect: Defect,
    faults: PlannedFaults,
}

/// A recording in progress, which ends when the value is dropped.
pub(crate) struct Recording {
    base: Disk,
    _synchronous: Option<ForcedSynchronousSetting>,
    _turn: MutexGuard<'static, ()>,
}

/// The recorded events, and the disk before the first event.
pub(crate) struct CompletedRecording {
    /// The disk before the events, with all data synced.
    pub(crate) base: Disk,
    pub(crate) events: Vec<DiskEvent>,
}

/// Waits for other recordings to end, and then records the changes to the files below a folder.
pub(crate) fn start(root: &Path, defect: Defect) -> Recording {
    let turn = RECORDING_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let root = root.canonicalize().expect("a folder");
    let synchronous = match defect {
        Defect::Synchronous(statement) => Some(ForcedSynchronousSetting::force(statement)),
        _ => None,
    };
    let mut recorder = Recorder {
        root,
        events: Vec::new(),
        files: HashMap::new(),
        next: 0,
        names: BTreeMap::new(),
        defect,
        faults: PlannedFaults::default(),
    };
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for (path, status) in recorder.list_all_entries() {
        if status.is_dir() {
            recorder.names.insert(path.clone(), FolderEntry::Folder);
            folders.push(path);
            continue;
        }
        // A running server may have removed the file after the folder was read. Such a file is skipped.
        let Ok(bytes) = fs::read(recorder.root.join(&path)) else { continue };
        let id = recorder.file_id(&status);
        recorder.names.insert(path.clone(), FolderEntry::File(id));
        files.push((path, id, bytes));
    }
    let base = Disk::from_files(folders, files);
    *lock_recorder() = Some(recorder);
    ACTIVE.store(true, Ordering::SeqCst);
    Recording { base, _synchronous: synchronous, _turn: turn }
}

impl Recording {
    /// Returns the number of recorded events so far.
    pub(crate) fn position(&self) -> usize {
        with_recorder(|recorder| recorder.events.len()).expect("it records")
    }

    /// Sets the planned faults for the following calls.
    pub(crate) fn plan_faults(&self, faults: PlannedFaults) {
        with_recorder(|recorder| recorder.faults = faults).expect("it records");
    }

    pub(crate) fn faults(&self) -> PlannedFaults {
        with_recorder(|recorder| recorder.faults).expect("it records")
    }

    /// Ends the recording and returns it.
    ///
    /// # Panics
    /// Panics if the files differ from the result of the recorded events. In that case the recording has
    /// missed a call.
    pub(crate) fn end(self) -> CompletedRecording {
        let (root, recorded) = self.stop_recording();
        let mut disk = recorded.base.clone();
        recorded.events.iter().for_each(|event| disk.apply(event));
        for (path, bytes) in disk.current_image().files {
            // SQLite's shared memory has no meaning after a restart, so its file is not compared.
            let is_shared_memory = path.to_string_lossy().ends_with("-shm");
            let found = fs::read(root.join(&path)).expect("a file that was recorded");
            assert!(is_shared_memory || found == bytes, "a write to {} was missed", path.display());
        }
        recorded
    }

    /// Ends the recording early, while other threads still write.
    pub(crate) fn end_recording_early(self) -> CompletedRecording {
        self.stop_recording().1
    }

    fn stop_recording(self) -> (PathBuf, CompletedRecording) {
        with_recorder(Recorder::record_all_missed_names).expect("it records");
        ACTIVE.store(false, Ordering::SeqCst);
        let recorder = lock_recorder().take().expect("it records");
        (recorder.root, CompletedRecording { base: self.base.clone(), events: recorder.events })
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        ACTIVE.store(false, Ordering::SeqCst);
        lock_recorder().take();
    }
}

/// Records an event of a client or receiver, if a recording is active.
pub(crate) fn add_event(event: DiskEvent) {
    with_recorder(|recorder| recorder.events.push(event));
}

fn lock_recorder() -> MutexGuard<'static, Option<Recorder>> {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` with the recorder if a recording is active and this thread is not yet in the recorder.
fn with_recorder<T>(work: impl FnOnce(&mut Recorder) -> T) -> Option<T> {
    if !ACTIVE.load(Ordering::SeqCst)
        || IS_IN_RECORDER.try_with(|inside| inside.replace(true)).unwrap_or(true)
    {
        return None;
    }
    let value = lock_recorder().as_mut().map(work);
    IS_IN_RECORDER.with(|inside| inside.set(false));
    value
}

pub(crate) fn is_recorded(fd: i32) -> bool {
    with_recorder(|recorder| recorder.open_file(fd).is_some()).unwrap_or(false)
}

pub(crate) fn record_open_call(path: &Path, flags: i32, run: impl FnOnce() -> CallResult) -> CallResult {
    let mut run = Some(run);
    let done = with_recorder(|recorder| {
        let relative = recorder.relative_path(path)?;
        let before = fs::symlink_metadata(path).is_ok();
        let changes = (flags & libc::O_CREAT != 0 && !before) || flags & libc::O_TRUNC != 0;
        if let Some(error) =
            recorder.faults.error_of_next_call(if changes { SystemCall::Create } else { SystemCall::Open })
        {
            return Some(Err(error));
        }
        let done = (run.take()?)();
        if let (Ok(fd), true) = (done, changes) {
            recorder.record_open(relative, i32::try_from(fd).unwrap_or(-1), before);
        }
        Some(done)
    });
    done.flatten().unwrap_or_else(|| run.take().map_or(Err(libc::EIO), |run| run()))
}

pub(crate) fn record_write_call(
    fd: i32,
    at: Option<usize>,
    bytes: &[u8],
    run: impl Fn(usize) -> CallResult,
) -> CallResult {
    let done = with_recorder(|recorder| {
        let (id, _) = recorder.open_file(fd)?;
        let at = at.unwrap_or_else(|| write_offset(fd));
        let count = match recorder.faults.next_fault(SystemCall::Write) {
            Some(CallFault::Error(error)) => return Some(Err(error)),
            Some(CallFault::Half) if bytes.len() > 1 => bytes.len() / 2,
            Some(CallFault::Half) | None => bytes.len(),
        };
        let done = run(count);
        if let Ok(count) = done {
            let text = bytes.get(..usize::try_from(count).unwrap_or(0)).unwrap_or_default();
            recorder.events.push(DiskEvent::Changed(id, ContentChange::Write(at, text.to_vec())));
        }
        Some(done)
    });
    done.flatten().unwrap_or_else(|| run(bytes.len()))
}

pub(crate) fn record_resize_call(fd: i32, length: usize, run: impl Fn() -> CallResult) -> CallResult {
    let done = with_recorder(|recorder| {
        let (id, _) = recorder.open_file(fd)?;
        if let Some(error) = recorder.faults.error_of_next_call(SystemCall::Write) {
            return Some(Err(error));
        }
        let done = run();
        if done.is_ok() {
            recorder.events.push(DiskEvent::Changed(id, ContentChange::Resize(length)));
        }
        Some(done)
    });
    done.flatten().unwrap_or_else(run)
}

/// Syncs a file or folder. During a recording, the sync is only recorded, and the real disk is not synced.
pub(crate) fn record_sync_call(fd: i32, run: impl FnOnce() -> CallResult) -> CallResult {
    slow::delay_sync_if_slowed();
    let done = with_recorder(|recorder| {
        let path = fs::read_link(format!("/proc/self/fd/{fd}")).ok()?;
        let is_folder = file_metadata(fd)?.is_dir();
        let event = match is_folder {
            true => DiskEvent::FolderSynced(recorder.path_below_root(&path)?),
            false => DiskEvent::Synced(recorder.open_file(fd)?.0),
        };
        if let DiskEvent::FolderSynced(folder) = &event {
            recorder.record_missed_names(folder);
        }
        if let Some(error) = recorder.faults.error_of_next_call(SystemCall::Sync) {
            if let DiskEvent::Synced(id) = event {
                recorder.events.push(DiskEvent::NotSynced(id));
            }
            return Some(Err(error));
        }
        if !recorder.defect.ignores_sync(&path) {
            recorder.events.push(event);
        }
        Some(Ok(0))
    });
    done.flatten().unwrap_or_else(run)
}

/// Returns the error number if the lock must fail. Locks end with the process, so they are not recorded.
pub(crate) fn lock_error(fd: i32) -> Option<i32> {
    with_recorder(|recorder| {
        recorder.open_file(fd).and_then(|_| recorder.faults.error_of_next_call(SystemCall::Lock))
    })
    .flatten()
}

pub(crate) fn record_rename_call(from: &Path, to: &Path, run: impl Fn() -> CallResult) -> CallResult {
    let naming = with_recorder(|recorder| {
        Some(NameChange::Rename(recorder.relative_path(from)?, recorder.relative_path(to)?))
    });
    record_naming(naming.flatten(), run)
}

pub(crate) fn record_remove_call(path: &Path, run: impl Fn() -> CallResult) -> CallResult {
    let relative = with_recorder(|recorder| recorder.relative_path(path)).flatten();
    record_naming(relative.map(NameChange::Remove), run)
}

pub(crate) fn record_make_folder_call(path: &Path, run: impl Fn() -> CallResult) -> CallResult {
    let relative = with_recorder(|recorder| recorder.relative_path(path)).flatten();
    record_naming(relative.map(|relative| NameChange::Add(relative, FolderEntry::Folder)), run)
}

fn record_naming(naming: Option<NameChange>, run: impl Fn() -> CallResult) -> CallResult {
    let Some(naming) = naming else { return run() };
    let done = with_recorder(|recorder| {
        if let Some(error) = recorder.faults.error_of_next_call(SystemCall::Name) {
            return Err(error);
        }
        let done = run();
        if done.is_ok() {
            recorder.record_name_change(naming);
        }
        done
    });
    done.unwrap_or(Err(libc::EIO))
}

impl Recorder {
    /// Returns a path relative to the recorded folder. Returns `None` if the path is outside that folder.
    fn path_below_root(&self, path: &Path) -> Option<PathBuf> {
        path.strip_prefix(&self.root).ok().map(Path::to_owned)
    }

    /// Resolves symbolic links in the folder of a path, and returns the path relative to the recorded folder.
    fn relative_path(&self, path: &Path) -> Option<PathBuf> {
        let name = path.file_name()?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        self.path_below_root(&folder.canonicalize().ok()?.join(name))
    }

    fn open_file(&self, fd: i32) -> Option<(FileId, Metadata)> {
        let status = file_metadata(fd)?;
        Some((*self.files.get(&(status.dev(), status.ino()))?, status))
    }

    /// Returns the number of a file. A new file is assigned the next number.
    fn file_id(&mut self, status: &Metadata) -> FileId {
        self.next += 1;
        *self.files.entry((status.dev(), status.ino())).or_insert(FileId(self.next))
    }

    fn record_open(&mut self, path: PathBuf, fd: i32, before: bool) {
        let Some(status) = file_metadata(fd).filter(Metadata::is_file) else { return };
        if !before {
            // A new file can have the inode number of a removed file, so the removed file is forgotten.
            self.files.remove(&(status.dev(), status.ino()));
        }
        let id = self.file_id(&status);
        if before {
            self.events.push(DiskEvent::Changed(id, ContentChange::Resize(0)));
        } else {
            self.record_name_change(NameChange::Add(path, FolderEntry::File(id)));
        }
    }

    fn record_name_change(&mut self, naming: NameChange) {
        match &naming {
            NameChange::Add(path, node) => {
                self.names.insert(path.clone(), *node);
            }
            NameChange::Remove(path) => {
                self.names.remove(path);
            }
            NameChange::Rename(from, to) => {
                if let Some(node) = self.names.remove(from) {
                    self.names.insert(to.clone(), node);
                }
            }
        }
        self.events.push(DiskEvent::Named(naming));
    }

    /// Returns all entries below the root, with folders before their contents.
    fn list_all_entries(&self) -> Vec<(PathBuf, Metadata)> {
        let (mut found, mut folders) = (Vec::new(), vec![PathBuf::new()]);
        while let Some(folder) = folders.pop() {
            for (path, status) in self.list_folder_entries(&folder) {
                if status.is_dir() {
                    folders.push(path.clone());
                }
                found.push((path, status));
            }
        }
        found
    }

    fn list_folder_entries(&self, folder: &Path) -> Vec<(PathBuf, Metadata)> {
        let entries = fs::read_dir(self.root.join(folder)).into_iter().flatten().flatten();
        entries.filter_map(|entry| Some((folder.join(entry.file_name()), entry.metadata().ok()?))).collect()
    }

    /// Records files that were created, renamed or deleted with a system function that is not intercepted.
    fn record_missed_names(&mut self, folder: &Path) {
        let found: BTreeMap<PathBuf, Metadata> = self.list_folder_entries(folder).into_iter().collect();
        for (path, status) in &found {
            if status.is_dir() {
                continue;
            }
            let node = FolderEntry::File(self.file_id(status));
            if self.names.get(path) == Some(&node) {
                continue;
            }
            let old = self.names.iter().find(|(old, it)| **it == node && !found.contains_key(*old));
            let naming = match old {
                Some((old, _)) => NameChange::Rename(old.clone(), path.clone()),
                None => NameChange::Add(path.clone(), node),
            };
            self.record_name_change(naming);
        }
        let is_gone = |path: &Path| path.parent() == Some(folder) && !found.contains_key(path);
        let gone: Vec<_> = self.names.keys().filter(|path| is_gone(path)).cloned().collect();
        gone.into_iter().for_each(|path| self.record_name_change(NameChange::Remove(path)));
    }

    fn record_all_missed_names(&mut self) {
        let folders: Vec<_> = self.names.iter().filter(|(_, node)| **node == FolderEntry::Folder).collect();
        let folders: Vec<_> = folders.into_iter().map(|(path, _)| path.clone()).collect();
        self.record_missed_names(Path::new(""));
        folders.iter().for_each(|folder| self.record_missed_names(folder));
    }
}
