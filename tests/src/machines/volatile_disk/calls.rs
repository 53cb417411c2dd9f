//! The file operations that the kernel forwards to the disk through FUSE.

use std::ffi::OsStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty,
    ReplyEntry, ReplyWrite, Request, TimeOrNow, WriteFlags,
};

use super::state::{DiskState, Node};

/// The time for which the kernel may cache names and sizes of files. Only the kernel changes names and sizes
/// while the disk is mounted, so the cache stays correct.
const REMEMBERED_TIME: Duration = Duration::from_hours(1);
/// The block size of the disk in bytes, as reported to programs.
const BLOCK_SIZE: u32 = 4096;

/// Handles the file operations that the kernel forwards.
pub(super) struct FilesystemCalls(Arc<Mutex<DiskState>>);

impl FilesystemCalls {
    pub(super) fn new(state: &Arc<Mutex<DiskState>>) -> Self {
        Self(Arc::clone(state))
    }

    fn with_state<T>(&self, call: impl FnOnce(&mut DiskState) -> Result<T, Errno>) -> Result<T, Errno> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.require_power()?;
        call(&mut state)
    }

    fn reply_empty(&self, reply: ReplyEmpty, call: impl FnOnce(&mut DiskState) -> Result<(), Errno>) {
        match self.with_state(call) {
            Ok(()) => reply.ok(),
            Err(error) => reply.error(error),
        }
    }

    fn reply_entry(&self, reply: ReplyEntry, call: impl FnOnce(&mut DiskState) -> Result<u64, Errno>) {
        let found = self.with_state(|state| {
            let number = call(state)?;
            Ok(file_attributes(number, state.node(number)?))
        });
        match found {
            Ok(attributes) => reply.entry(&REMEMBERED_TIME, &attributes, Generation(0)),
            Err(error) => reply.error(error),
        }
    }

    fn reply_attributes(
        &self,
        reply: ReplyAttr,
        node: INodeNo,
        call: impl FnOnce(&mut Node) -> Result<(), Errno>,
    ) {
        let found = self.with_state(|state| {
            call(state.node_mut(node.0)?)?;
            Ok(file_attributes(node.0, state.node(node.0)?))
        });
        match found {
            Ok(attributes) => reply.attr(&REMEMBERED_TIME, &attributes),
            Err(error) => reply.error(error),
        }
    }
}

fn file_attributes(number: u64, node: &Node) -> FileAttr {
    let size = u64::try_from(node.data.len()).expect("a file in memory");
    FileAttr {
        ino: INodeNo(number),
        size,
        blocks: size.div_ceil(512),
        atime: UNIX_EPOCH,
        mtime: UNIX_EPOCH,
        ctime: UNIX_EPOCH,
        crtime: UNIX_EPOCH,
        kind: node.kind,
        perm: node.permissions,
        nlink: 1,
        uid: node.owner,
        gid: node.group,
        rdev: 0,
        blksize: BLOCK_SIZE,
        flags: 0,
    }
}

/// Converts a position or a size of a file for use in memory. Returns an error if the value is too large.
fn to_usize(number: u64) -> Result<usize, Errno> {
    usize::try_from(number).map_err(|_too_large| Errno::EFBIG)
}

fn request_owner(request: &Request) -> (u32, u32) {
    (request.uid(), request.gid())
}

impl Filesystem for FilesystemCalls {
    fn lookup(&self, _request: &Request, folder: INodeNo, name: &OsStr, reply: ReplyEntry) {
        self.reply_entry(reply, |state| state.find(folder.0, name));
    }

    fn getattr(&self, _request: &Request, node: INodeNo, _handle: Option<FileHandle>, reply: ReplyAttr) {
        self.reply_attributes(reply, node, |_node| Ok(()));
    }

    fn setattr(
        &self,
        _request: &Request,
        node: INodeNo,
        mode: Option<u32>,
        user: Option<u32>,
        group: Option<u32>,
        size: Option<u64>,
        _accessed: Option<TimeOrNow>,
        _modified: Option<TimeOrNow>,
        _changed: Option<SystemTime>,
        _handle: Option<FileHandle>,
        _created: Option<SystemTime>,
        _flags_changed: Option<SystemTime>,
        _backed_up: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        self.reply_attributes(reply, node, |node| {
            if let Some(mode) = mode {
                node.permissions = u16::try_from(mode & 0o7777).expect("twelve bits");
            }
            node.owner = user.unwrap_or(node.owner);
            node.group = group.unwrap_or(node.group);
            if let Some(size) = size {
                node.resize(to_usize(size)?);
            }
            Ok(())
        });
    }

    fn mkdir(
        &self,
        request: &Request,
        folder: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        reply: ReplyEntry,
    ) {
        let node = Node::new(FileType::Directory, mode & !umask, request_owner(request));
        self.reply_entry(reply, |state| state.add(folder.0, name, node));
    }

    fn create(
        &self,
        request: &Request,
        folder: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        _flags: i32,
        reply: ReplyCreate,
    ) {
        let created = self.with_state(|state| {
            let node = Node::new(FileType::RegularFile, mode & !umask, request_owner(request));
            let number = state.add(folder.0, name, node)?;
            Ok(file_attributes(number, state.node(number)?))
        });
        match created {
            Ok(attributes) => reply.created(
                &REMEMBERED_TIME,
                &attributes,
                Generation(0),
                FileHandle(0),
                FopenFlags::empty(),
            ),
            Err(error) => reply.error(error),
        }
    }

    fn unlink(&self, _request: &Request, folder: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.reply_empty(reply, |state| state.remove(folder.0, name));
    }

    fn rmdir(&self, _request: &Request, folder: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.reply_empty(reply, |state| state.remove(folder.0, name));
    }

    fn rename(
        &self,
        _request: &Request,
        folder: INodeNo,
        name: &OsStr,
        new_folder: INodeNo,
        new_name: &OsStr,
        _flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        self.reply_empty(reply, |state| state.rename((folder.0, name), (new_folder.0, new_name)));
    }

    fn read(
        &self,
        _request: &Request,
        node: INodeNo,
        _handle: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let read = self.with_state(|state| {
            let data = &state.node(node.0)?.data;
            let start = to_usize(offset)?.min(data.len());
            let end = (start + to_usize(u64::from(size))?).min(data.len());
            Ok(data[start..end].to_vec())
        });
        match read {
            Ok(bytes) => reply.data(&bytes),
            Err(error) => reply.error(error),
        }
    }

    fn write(
        &self,
        _request: &Request,
        node: INodeNo,
        _handle: FileHandle,
        offset: u64,
        bytes: &[u8],
        _write_flags: WriteFlags,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let written = self.with_state(|state| {
            state.node_mut(node.0)?.write(to_usize(offset)?, bytes);
            u32::try_from(bytes.len()).map_err(|_too_large| Errno::EFBIG)
        });
        match written {
            Ok(size) => reply.written(size),
            Err(error) => reply.error(error),
        }
    }

    fn flush(
        &self,
        _request: &Request,
        _node: INodeNo,
        _handle: FileHandle,
        _lock_owner: LockOwner,
        reply: ReplyEmpty,
    ) {
        reply.ok();
    }

    fn fsync(
        &self,
        _request: &Request,
        node: INodeNo,
        _handle: FileHandle,
        _only_data: bool,
        reply: ReplyEmpty,
    ) {
        self.reply_empty(reply, |state| state.sync(node.0));
    }

    fn fsyncdir(
        &self,
        _request: &Request,
        node: INodeNo,
        _handle: FileHandle,
        _only_data: bool,
        reply: ReplyEmpty,
    ) {
        self.reply_empty(reply, |state| state.sync(node.0));
    }

    fn readdir(
        &self,
        _request: &Request,
        folder: INodeNo,
        _handle: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        // The offset of an entry is the number of its file. Removing an entry therefore does not shift the
        // offsets of other entries.
        let listed = self.with_state(|state| {
            let entries = state.list(folder.0).into_iter().filter(|(number, _name)| *number > offset);
            entries
                .map(|(number, name)| Ok((number, state.node(number)?.kind, name)))
                .collect::<Result<Vec<_>, _>>()
        });
        match listed {
            Ok(entries) => {
                for (number, kind, name) in entries {
                    if reply.add(INodeNo(number), number, kind, name) {
                        break;
                    }
                }
                reply.ok();
            }
            Err(error) => reply.error(error),
        }
    }
}
