//! Processes under measurement: starts them, reads their processor time and memory, and stops them.
//!
//! The numbers come from the kernel (`/proc`) and include the usage of child processes that have ended.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::Failure;

/// Clock ticks per second in `/proc/*/stat`. Linux uses this fixed value for programs.
const TICKS_PER_SECOND: f64 = 100.0;
/// Number of connection attempts after which the start of a server has failed.
const MAX_START_ATTEMPTS: u32 = 200;

/// A server process that is ended when this struct is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

impl Server {
    /// Starts a command that listens on the given address, and waits until the address accepts connections.
    pub(crate) async fn start(command: &mut Command, address: &str) -> Result<Self, Failure> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        let server = Self { child, address: address.to_owned() };
        for _ in 0..MAX_START_ATTEMPTS {
            if tokio::net::TcpStream::connect(address).await.is_ok() {
                return Ok(server);
            }
            tokio::time::sleep(Duration::from_millis(50)).await; // waits until the server listens
        }
        Err(format!("nothing listens on {address}").into())
    }

    /// Returns the processor seconds so far, user and system.
    pub(crate) fn cpu_seconds(&self) -> Result<f64, Failure> {
        cpu_seconds(Path::new(&format!("/proc/{}/stat", self.child.id())))
    }

    /// Returns the current resident memory in kilobytes.
    pub(crate) fn resident_kilobytes(&self) -> Result<u64, Failure> {
        read_status_kilobytes(self.child.id(), "VmRSS:")
    }

    /// Returns the peak of resident memory so far in kilobytes.
    pub(crate) fn peak_kilobytes(&self) -> Result<u64, Failure> {
        peak_kilobytes(self.child.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An error means that the process has already ended, so the error is ignored.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the peak of a process's resident memory so far, in kilobytes.
pub(crate) fn peak_kilobytes(process: u32) -> Result<u64, Failure> {
    read_status_kilobytes(process, "VmHWM:")
}

fn read_status_kilobytes(process: u32, name: &str) -> Result<u64, Failure> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).ok_or("no such figure")?;
    Ok(line.split_whitespace().next().ok_or("no such figure")?.parse()?)
}

/// Returns the processor seconds of all PostgreSQL processes on this machine, including ended ones.
pub(crate) fn postgres_cpu_seconds() -> Result<f64, Failure> {
    let mut total = 0.0;
    for entry in std::fs::read_dir("/proc")? {
        let stat = entry?.path().join("stat");
        let name = stat.with_file_name("comm");
        if std::fs::read_to_string(name).is_ok_and(|name| name.trim() == "postgres") {
            total += cpu_seconds(&stat).unwrap_or(0.0);
        }
    }
    Ok(total)
}

/// Returns the number of flushes so far of the disk that contains a file. A file system flushes the disk for
/// each `fsync` and `fdatasync`. `None` if the system does not count the flushes, for example for a file
/// system in memory.
pub(crate) fn disk_flushes(file: &Path) -> Option<u64> {
    /// The index of the number of flushes in `/sys/dev/block/*/stat` (Documentation/block/stat.rst of Linux).
    const FLUSHES: usize = 15;
    let device = std::fs::metadata(file).ok()?.dev();
    // The two numbers equal the results of the macros `major` and `minor` of the C library.
    let major = ((device >> 8) & 0xfff) | ((device >> 32) & !0xfff);
    let minor = (device & 0xff) | ((device >> 12) & !0xff);
    let folder = std::fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()?;
    // The kernel counts flushes for each disk and not for each partition.
    let disk = if folder.join("partition").exists() { folder.parent()? } else { &folder };
    let text = std::fs::read_to_string(disk.join("stat")).ok()?;
    text.split_whitespace().nth(FLUSHES)?.parse().ok()
}

/// Returns the user and system time of a process and of its ended children.
pub(crate) fn cpu_seconds(stat: &Path) -> Result<f64, Failure> {
    const FIRST_AFTER_NAME_TO_USER_TIME: usize = 11;
    let text = std::fs::read_to_string(stat)?;
    let (_, fields) = text.rsplit_once(") ").ok_or("an unknown form of /proc/*/stat")?;
    let times = fields.split(' ').skip(FIRST_AFTER_NAME_TO_USER_TIME).take(4);
    let ticks: Vec<u32> = times.map(str::parse).collect::<Result<_, _>>()?;
    Ok(ticks.into_iter().map(f64::from).sum::<f64>() / TICKS_PER_SECOND)
}
