//! Replaces the functions of the C library with which a process changes files, in this test binary.
//!
//! SQLite, which is linked into the binary, and Rust's own `std::fs` call these functions instead of the C
//! library's. Each function reports its call to the [`recorder`] and then makes the system call. A custom
//! SQLite VFS would not suffice. Such a VFS would record neither the folder syncs of SQLite's own VFS nor the
//! files that the server itself writes.
#![expect(
    unsafe_code,
    reason = "functions of the C library have raw pointers and names that the linker knows; nothing else here does"
)]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers go to the system and come from it as they are"
)]

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use libc::{c_char, c_int, c_long, c_void, flock, iovec, mode_t, off_t, size_t, ssize_t};

use crate::recorder::{self, CallResult};

fn make_system_call(number: c_long, arguments: [usize; 4]) -> CallResult {
    let [a, b, c, d] = arguments;
    // SAFETY: The caller passed these arguments to the C function that this system call implements.
    let returned = unsafe { libc::syscall(number, a, b, c, d, 0, 0) };
    // SAFETY: The pointer to this thread's error number is always valid.
    if returned < 0 { Err(unsafe { *libc::__errno_location() }) } else { Ok(returned as isize) }
}

/// Returns the result as the C library does: a number, or -1 with the error in `errno`.
fn to_c_result(done: CallResult) -> isize {
    done.unwrap_or_else(|error| {
        // SAFETY: The pointer to this thread's error number is always valid.
        unsafe { *libc::__errno_location() = error };
        -1
    })
}

/// Returns the path that a C string contains.
///
/// # Safety
/// `text` must be a C string.
unsafe fn path_from_c_string<'a>(text: *const c_char) -> &'a Path {
    // SAFETY: The caller of the C function passed a C string.
    Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(text) }.to_bytes()))
}

/// Returns the bytes of a buffer that a C function has received.
///
/// # Safety
/// `bytes` must point to `count` readable bytes.
unsafe fn slice_from_c_buffer<'a>(bytes: *const c_void, count: size_t) -> &'a [u8] {
    if count == 0 {
        return &[];
    }
    // SAFETY: The caller of the C function passed a buffer of this size.
    unsafe { std::slice::from_raw_parts(bytes.cast(), count) }
}

/// Executes a command on a descriptor. The C function `fcntl` has a variable number of arguments, but each
/// command has at most one argument.
///
/// # Safety
/// `argument` must be valid for the given `fcntl` command.
unsafe fn call_fcntl(fd: c_int, command: c_int, argument: usize) -> c_int {
    let run = || make_system_call(libc::SYS_fcntl, [fd as usize, command as usize, argument, 0]);
    let sets_lock = matches!(command, libc::F_SETLK | libc::F_SETLKW | libc::F_OFD_SETLK);
    // SAFETY: The argument of the commands that set a lock is a pointer to a lock structure.
    let is_lock = sets_lock && c_int::from(unsafe { (*(argument as *const flock)).l_type }) != libc::F_UNLCK;
    let error = if is_lock { recorder::lock_error(fd) } else { None };
    to_c_result(error.map_or_else(run, Err)) as c_int
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fcntl(fd: c_int, command: c_int, argument: usize) -> c_int {
    // SAFETY: The caller fulfils the requirements of the C function that this function replaces.
    unsafe { call_fcntl(fd, command, argument) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fcntl64(fd: c_int, command: c_int, argument: usize) -> c_int {
    // SAFETY: The caller fulfils the requirements of the C function that this function replaces.
    unsafe { call_fcntl(fd, command, argument) }
}

const CURRENT_FOLDER: usize = libc::AT_FDCWD as usize;

#[unsafe(no_mangle)]
unsafe extern "C" fn open64(name: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    let run =
        || make_system_call(libc::SYS_openat, [CURRENT_FOLDER, name as usize, flags as usize, mode as usize]);
    // SAFETY: The caller fulfils the requirements of the C function that this function replaces.
    to_c_result(recorder::record_open_call(unsafe { path_from_c_string(name) }, flags, run)) as c_int
}

#[unsafe(no_mangle)]
unsafe extern "C" fn open(name: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    // SAFETY: The caller fulfils the requirements of the C function that this function replaces.
    unsafe { open64(name, flags, mode) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn write(fd: c_int, bytes: *const c_void, count: size_t) -> ssize_t {
    let run = |count| make_system_call(libc::SYS_write, [fd as usize, bytes as usize, count, 0]);
    // SAFETY: The caller fulfils the requirements of the C function that this function replaces.
    to_c_result(recorder::record_write_call(fd, None, unsafe { slice_from_c_buffer(bytes, count) }, run))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn writev(fd: c_int, parts: *const iovec, count: c_int) -> ssize_t {
    if !recorder::is_recorded(fd) {
        return to_c_result(make_system_call(
            libc::SYS_writev,
            [fd as usize, parts as usize, count as usize, 0],
        ));
    }
    let mut written = 0;
    for at in 0..usize::try_from(count).unwrap_or(0) {
        // SAFETY: The caller of `writev` passed an array with this number of parts.
        let part = unsafe { *parts.add(at) };
        // SAFETY: The caller fulfils the requirements of the C function that this function replaces.
        let count = unsafe { write(fd, part.iov_base, part.iov_len) };
        if count < 0 {
            return if written > 0 { written } else { count };
        }
        written += count;
        if count as usize != part.iov_len {
            break;
        }
    }
    written
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pwrite64(fd: c_int, bytes: *const c_void, count: size_t, at: off_t) -> ssize_t {
    let run = |count| make_system_call(libc::SYS_pwrite64, [fd as usize, bytes as usize, count, at as usize]);
    // SAFETY: The caller fulfils the requirements of the C function that this function replaces.
    to_c_result(recorder::record_write_call(
        fd,
        Some(at as usize),
        unsafe { slice_from_c_buffer(bytes, count) },
        run,
    ))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pwrite(fd: c_int, bytes: *const c_void, count: size_t, at: off_t) -> ssize_t {
    // SAFETY: The caller fulfils the requirements of the C function that this function replaces.
    unsafe { pwrite64(fd, bytes, count, at) }
}

#[unsafe(no_mangle)]
extern "C" fn ftruncate64(fd: c_int, length: off_t) -> c_int {
    let run = || make_system_call(libc::SYS_ftruncate, [fd as usize, length as usize, 0, 0]);
    to_c_result(recorder::record_resize_call(fd, length as usize, run)) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn ftruncate(fd: c_int, length: off_t) -> c_int {
    ftruncate64(fd, length)
}

#[unsafe(no_mangle)]
extern "C" fn fsync(fd: c_int) -> c_int {
    to_c_result(recorder::record_sync_call(fd, || make_system_call(libc::SYS_fsync, [fd as usize, 0, 0, 0])))
        as c_int
}

#[unsafe(no_mangle)]
extern "C" fn fdatasync(fd: c_int) -> c_int {
    to_c_result(recorder::record_sync_call(fd, || {
        make_system_call(libc::SYS_fdatasync, [fd as usize, 0, 0, 0])
    })) as c_int
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    let run = || {
        make_system_call(libc::SYS_renameat2, [CURRENT_FOLDER, from as usize, CURRENT_FOLDER, to as usize])
    };
    // SAFETY: The caller fulfils the requirements of the C function that this function replaces.
    to_c_result(recorder::record_rename_call(
        unsafe { path_from_c_string(from) },
        unsafe { path_from_c_string(to) },
        run,
    )) as c_int
}

#[unsafe(no_mangle)]
unsafe extern "C" fn unlink(name: *const c_char) -> c_int {
    let run = || make_system_call(libc::SYS_unlinkat, [CURRENT_FOLDER, name as usize, 0, 0]);
    // SAFETY: The caller fulfils the requirements of the C function that this function replaces.
    to_c_result(recorder::record_remove_call(unsafe { path_from_c_string(name) }, run)) as c_int
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mkdir(name: *const c_char, mode: mode_t) -> c_int {
    let run = || make_system_call(libc::SYS_mkdirat, [CURRENT_FOLDER, name as usize, mode as usize, 0]);
    // SAFETY: The caller fulfils the requirements of the C function that this function replaces.
    to_c_result(recorder::record_make_folder_call(unsafe { path_from_c_string(name) }, run)) as c_int
}
