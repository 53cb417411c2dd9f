//! The state of open file descriptors, from the proc file system.

use std::fs::{self, Metadata};

/// Returns the metadata of a descriptor's file.
pub(crate) fn file_metadata(fd: i32) -> Option<Metadata> {
    fs::metadata(format!("/proc/self/fd/{fd}")).ok().filter(|status| status.is_file() || status.is_dir())
}

/// Returns the position of the next write to a descriptor.
pub(crate) fn write_offset(fd: i32) -> usize {
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{fd}")).unwrap_or_default();
    let line = info.lines().find_map(|line| line.strip_prefix("pos:"));
    line.and_then(|text| text.trim().parse().ok()).expect("a position")
}
