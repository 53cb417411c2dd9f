//! Records the changes of this process to the files below one folder, in their order. Selected calls can fail
//! or pretend to succeed.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::defect::Defect;
use crate::descriptors::{offset, status};
use crate::disk::{Change, Disk, Event, FileId, NameChange, Node};
use crate::faults::{Call, Fault, Faults};
use crate::slow;
use crate::sqlite::Synchronous;

/// The result of a system call: a count or a descriptor, or an error number.
pub(crate) type CallResult = Result<isize, i32>;

/// Whether a recording is active. Without a recording, each call costs only the read of this flag.
static ACTIVE: AtomicBool = AtomicBool::new(false);
static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);
/// Permits one recording at a time. The files of two recordings would be separate, but the settings of SQLite
/// are shared.
static TURN: Mutex<()> = Mutex::new(());

thread_local! {
    /// Whether this thread is running code of the recorder, whose own calls are not recorded.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

struct Recorder {
    root: PathBuf,
    events: Vec<Event>,
    files: HashMap<(u64, u64), FileId>,
    /// The number that the next new file gets.
    next: usize,
    names: BTreeMap<PathBuf, Node>,
    defect: Defect,
    faults: Faults,
}

/// A recording in progress, which ends when the value is dropped.
pub(crate) struct Recording {
    base: Disk,
    _synchronous: Option<Synchronous>,
    _turn: MutexGuard<'static, ()>,
}

/// The recorded events and the disk before them.
pub(crate) struct Recorded {
    /// The disk before the events, with all data synced.
    pub(crate) base: Disk,
    pub(crate) events: Vec<Event>,
}

/// Waits for other recordings to end, and then records the changes to the files below a folder.
pub(crate) fn start(root: &Path, defect: Defect) -> Recording {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let root = root.canonicalize().expect("a folder");
    let synchronous = match defect {
        Defect::Synchronous(statement) => Some(Synchronous::set(statement)),
        _ => None,
    };
    let mut recorder = Recorder {
        root,
        events: Vec::new(),
        files: HashMap::new(),
        next: 0,
        names: BTreeMap::new(),
        defect,
        faults: Faults::default(),
    };
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for (path, status) in recorder.found_files() {
        if status.is_dir() {
            recorder.names.insert(path.clone(), Node::Folder);
            folders.push(path);
            continue;
        }
        let id = recorder.file(&status);
        recorder.names.insert(path.clone(), Node::File(id));
        files.push((path.clone(), id, fs::read(recorder.root.join(path)).expect("a file")));
    }
    let base = Disk::with_files(folders, files);
    *locked() = Some(recorder);
    ACTIVE.store(true, Ordering::SeqCst);
    Recording { base, _synchronous: synchronous, _turn: turn }
}

impl Recording {
    /// Returns the number of recorded events so far.
    pub(crate) fn position(&self) -> usize {
        with(|recorder| recorder.events.len()).expect("it records")
    }

    /// Sets the planned faults for the following calls.
    pub(crate) fn fail(&self, faults: Faults) {
        with(|recorder| recorder.faults = faults).expect("it records");
    }

    /// Returns the planned faults with their counters.
    pub(crate) fn faults(&self) -> Faults {
        with(|recorder| recorder.faults).expect("it records")
    }

    /// Ends the recording and returns it.
    ///
    /// # Panics
    /// Panics if the files differ from the result of the recorded events, because the recording then missed a
    /// call.
    pub(crate) fn end(self) -> Recorded {
        let (root, recorded) = self.stop();
        let mut disk = recorded.base.clone();
        recorded.events.iter().for_each(|event| disk.apply(event));
        for (path, bytes) in disk.current_image().files {
            // The index of the log is shared memory, which has no meaning after a restart.
            let is_shared_memory = path.to_string_lossy().ends_with("-shm");
            let found = fs::read(root.join(&path)).expect("a file that was recorded");
            assert!(is_shared_memory || found == bytes, "a write to {} was missed", path.display());
        }
        recorded
    }

    /// Ends the recording early, while other threads still write.
    pub(crate) fn cut(self) -> Recorded {
        self.stop().1
    }

    fn stop(self) -> (PathBuf, Recorded) {
        with(Recorder::reconcile_all).expect("it records");
        ACTIVE.store(false, Ordering::SeqCst);
        let recorder = locked().take().expect("it records");
        (recorder.root, Recorded { base: self.base.clone(), events: recorder.events })
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        ACTIVE.store(false, Ordering::SeqCst);
        locked().take();
    }
}

/// Records an event of a client or receiver, if a recording is active.
pub(crate) fn add_event(event: Event) {
    with(|recorder| recorder.events.push(event));
}

fn locked() -> MutexGuard<'static, Option<Recorder>> {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` with the recorder if a recording is active and this thread is not yet in the recorder.
fn with<T>(work: impl FnOnce(&mut Recorder) -> T) -> Option<T> {
    if !ACTIVE.load(Ordering::SeqCst) || INSIDE.try_with(|inside| inside.replace(true)).unwrap_or(true) {
        return None;
    }
    let value = locked().as_mut().map(work);
    INSIDE.with(|inside| inside.set(false));
    value
}

/// Returns whether writes to a descriptor are recorded.
pub(crate) fn is_recorded(fd: i32) -> bool {
    with(|recorder| recorder.open_file(fd).is_some()).unwrap_or(false)
}

pub(crate) fn open(path: &Path, flags: i32, run: impl FnOnce() -> CallResult) -> CallResult {
    let mut run = Some(run);
    let done = with(|recorder| {
        let relative = recorder.relative_path(path)?;
        let before = fs::symlink_metadata(path).is_ok();
        let changes = (flags & libc::O_CREAT != 0 && !before) || flags & libc::O_TRUNC != 0;
        if let Some(error) = recorder.faults.refuses(if changes { Call::Create } else { Call::Open }) {
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

pub(crate) fn write(
    fd: i32,
    at: Option<usize>,
    bytes: &[u8],
    run: impl Fn(usize) -> CallResult,
) -> CallResult {
    let done = with(|recorder| {
        let (id, _) = recorder.open_file(fd)?;
        let at = at.unwrap_or_else(|| offset(fd));
        let count = match recorder.faults.fault(Call::Write) {
            Some(Fault::Error(error)) => return Some(Err(error)),
            Some(Fault::Half) if bytes.len() > 1 => bytes.len() / 2,
            Some(Fault::Half) | None => bytes.len(),
        };
        let done = run(count);
        if let Ok(count) = done {
            let text = bytes.get(..usize::try_from(count).unwrap_or(0)).unwrap_or_default();
            recorder.events.push(Event::Changed(id, Change::Write(at, text.to_vec())));
        }
        Some(done)
    });
    done.flatten().unwrap_or_else(|| run(bytes.len()))
}

pub(crate) fn resize(fd: i32, length: usize, run: impl Fn() -> CallResult) -> CallResult {
    let done = with(|recorder| {
        let (id, _) = recorder.open_file(fd)?;
        if let Some(error) = recorder.faults.refuses(Call::Write) {
            return Some(Err(error));
        }
        let done = run();
        if done.is_ok() {
            recorder.events.push(Event::Changed(id, Change::Resize(length)));
        }
        Some(done)
    });
    done.flatten().unwrap_or_else(run)
}

/// Syncs a file or folder. The recorder notes the sync without a sync of the real disk.
pub(crate) fn sync(fd: i32, run: impl FnOnce() -> CallResult) -> CallResult {
    slow::wait();
    let done = with(|recorder| {
        let path = fs::read_link(format!("/proc/self/fd/{fd}")).ok()?;
        let is_folder = status(fd)?.is_dir();
        let event = match is_folder {
            true => Event::FolderSynced(recorder.inside(&path)?),
            false => Event::Synced(recorder.open_file(fd)?.0),
        };
        if let Event::FolderSynced(folder) = &event {
            recorder.reconcile(folder);
        }
        if let Some(error) = recorder.faults.refuses(Call::Sync) {
            if let Event::Synced(id) = event {
                recorder.events.push(Event::NotSynced(id));
            }
            return Some(Err(error));
        }
        if !recorder.defect.pretends(&path) {
            recorder.events.push(event);
        }
        Some(Ok(0))
    });
    done.flatten().unwrap_or_else(run)
}

/// Returns the error number of a lock that must fail. Locks are not recorded: they end with the process.
pub(crate) fn lock_error(fd: i32) -> Option<i32> {
    with(|recorder| recorder.open_file(fd).and_then(|_| recorder.faults.refuses(Call::Lock))).flatten()
}

pub(crate) fn rename(from: &Path, to: &Path, run: impl Fn() -> CallResult) -> CallResult {
    let naming =
        with(|recorder| Some(NameChange::Rename(recorder.relative_path(from)?, recorder.relative_path(to)?)));
    record_naming(naming.flatten(), run)
}

pub(crate) fn remove(path: &Path, run: impl Fn() -> CallResult) -> CallResult {
    record_naming(with(|recorder| recorder.relative_path(path).map(NameChange::Remove)).flatten(), run)
}

pub(crate) fn make_folder(path: &Path, run: impl Fn() -> CallResult) -> CallResult {
    let relative = with(|recorder| recorder.relative_path(path)).flatten();
    record_naming(relative.map(|relative| NameChange::Add(relative, Node::Folder)), run)
}

fn record_naming(naming: Option<NameChange>, run: impl Fn() -> CallResult) -> CallResult {
    let Some(naming) = naming else { return run() };
    let done = with(|recorder| {
        if let Some(error) = recorder.faults.refuses(Call::Name) {
            return Err(error);
        }
        let done = run();
        if done.is_ok() {
            recorder.name(naming);
        }
        done
    });
    done.unwrap_or(Err(libc::EIO))
}

impl Recorder {
    /// Returns a path relative to the root, if it is below the root.
    fn inside(&self, path: &Path) -> Option<PathBuf> {
        path.strip_prefix(&self.root).ok().map(Path::to_owned)
    }

    /// Returns the relative path of a path whose folder can contain symbolic links.
    fn relative_path(&self, path: &Path) -> Option<PathBuf> {
        let name = path.file_name()?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        self.inside(&folder.canonicalize().ok()?.join(name))
    }

    fn open_file(&self, fd: i32) -> Option<(FileId, Metadata)> {
        let status = status(fd)?;
        Some((*self.files.get(&(status.dev(), status.ino()))?, status))
    }

    /// Returns the number of a file. A file that is not known yet gets a new number.
    fn file(&mut self, status: &Metadata) -> FileId {
        self.next += 1;
        *self.files.entry((status.dev(), status.ino())).or_insert(FileId(self.next))
    }

    fn record_open(&mut self, path: PathBuf, fd: i32, before: bool) {
        let Some(status) = status(fd).filter(Metadata::is_file) else { return };
        if !before {
            // A new file can have the inode number of a removed file.
            self.files.remove(&(status.dev(), status.ino()));
        }
        let id = self.file(&status);
        if before {
            self.events.push(Event::Changed(id, Change::Resize(0)));
        } else {
            self.name(NameChange::Add(path, Node::File(id)));
        }
    }

    fn name(&mut self, naming: NameChange) {
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
        self.events.push(Event::Named(naming));
    }

    /// Returns all entries below the root, with folders before their contents.
    fn found_files(&self) -> Vec<(PathBuf, Metadata)> {
        let (mut found, mut folders) = (Vec::new(), vec![PathBuf::new()]);
        while let Some(folder) = folders.pop() {
            for (path, status) in self.entries(&folder) {
                if status.is_dir() {
                    folders.push(path.clone());
                }
                found.push((path, status));
            }
        }
        found
    }

    fn entries(&self, folder: &Path) -> Vec<(PathBuf, Metadata)> {
        let entries = fs::read_dir(self.root.join(folder)).into_iter().flatten().flatten();
        entries.filter_map(|entry| Some((folder.join(entry.file_name()), entry.metadata().ok()?))).collect()
    }

    /// Records changes of names that the process made with system functions that are not replaced.
    fn reconcile(&mut self, folder: &Path) {
        let found: BTreeMap<PathBuf, Metadata> = self.entries(folder).into_iter().collect();
        for (path, status) in &found {
            if status.is_dir() {
                continue;
            }
            let node = Node::File(self.file(status));
            if self.names.get(path) == Some(&node) {
                continue;
            }
            let old = self.names.iter().find(|(old, it)| **it == node && !found.contains_key(*old));
            let naming = match old {
                Some((old, _)) => NameChange::Rename(old.clone(), path.clone()),
                None => NameChange::Add(path.clone(), node),
            };
            self.name(naming);
        }
        let is_gone = |path: &Path| path.parent() == Some(folder) && !found.contains_key(path);
        let gone: Vec<_> = self.names.keys().filter(|path| is_gone(path)).cloned().collect();
        gone.into_iter().for_each(|path| self.name(NameChange::Remove(path)));
    }

    fn reconcile_all(&mut self) {
        let folders: Vec<_> = self.names.iter().filter(|(_, node)| **node == Node::Folder).collect();
        let folders: Vec<_> = folders.into_iter().map(|(path, _)| path.clone()).collect();
        self.reconcile(Path::new(""));
        folders.iter().for_each(|folder| self.reconcile(folder));
    }
}
