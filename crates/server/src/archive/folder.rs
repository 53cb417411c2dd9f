//! The folder of archives, which contains a folder for each company with a file for each pay period.
//!
//! The names of folders and files are encoded ids. An id consists of letters, digits, `_` and `-`. Every
//! other byte is encoded. No name can therefore lead out of the folder, even if a later release allows more
//! characters in ids.

use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use payroll_ports::archive::{ArchiveFile, PeriodKey};
use sha2::{Digest, Sha256};

use crate::config::Settings;
use crate::failure::{Failure, Outcome};
use crate::keys::OWNER_ONLY_MODE;

/// The mode of created folders. Only the owner can open folders and files, because they contain the pay of
/// persons.
const OWNER_FOLDER_MODE: u32 = 0o700;
/// The extension of an archive file.
const FILE_EXTENSION: &str = ".ndjson";
/// The extension of a file that is still being written.
const DRAFT_EXTENSION: &str = ".part";
/// The maximum length of an encoded id in a file name. A longer id is replaced by its hash. File systems
/// allow names of 255 bytes, and the id of the attempt and an extension are appended.
const MAX_NAME_BYTES: usize = 192;
/// The number of bytes that are read at once when a file is verified.
const READ_BUFFER_BYTES: usize = 64 * 1024;

/// The folder that contains all archive files.
#[derive(Debug, Clone)]
pub(crate) struct ArchiveFolder(PathBuf);

impl ArchiveFolder {
    /// Returns the folder of the settings. `None` if archiving is disabled.
    pub(crate) fn from_settings(settings: &Settings) -> Option<Self> {
        let is_enabled = settings.check_retention_days > 0 && !settings.check_archive_folder.is_empty();
        is_enabled.then(|| Self(PathBuf::from(&settings.check_archive_folder)))
    }

    /// Tests whether files can be written in the folder.
    ///
    /// # Errors
    /// Returns the reason why checks cannot be archived in the folder.
    pub(crate) fn try_to_write(&self) -> Outcome {
        let shown = self.0.display();
        let setting = "setting `check_archive_folder`";
        let unusable = |error: io::Error| {
            Failure::with_cause(format!("{setting}: the folder {shown} cannot be written"), &error)
        };
        if !fs::metadata(&self.0).map_err(unusable)?.is_dir() {
            return Err(Failure::new(format!("{setting}: {shown} is not a folder")));
        }
        let probe = self.0.join(format!(".writable-{}", std::process::id()));
        let capitals = self.0.join(format!(".WRITABLE-{}", std::process::id()));
        File::create(&probe).map_err(unusable)?;
        let is_one = capitals.exists();
        fs::remove_file(&probe).map_err(unusable)?;
        if is_one {
            let why = "is not case-sensitive, but the ids of companies are";
            return Err(Failure::new(format!("{setting}: the file system of {shown} {why}")));
        }
        Ok(())
    }

    /// Returns the path of the period's archive file.
    fn file_path(&self, period: &PeriodKey) -> PathBuf {
        self.company_folder(period)
            .join(format!("{}{FILE_EXTENSION}", encode_file_name(period.pay_period_id.as_str())))
    }

    fn company_folder(&self, period: &PeriodKey) -> PathBuf {
        self.0.join(encode_file_name(period.company_id.as_str()))
    }

    /// Creates the file of a period under a temporary name. Deletes temporary files of earlier attempts
    /// first, so that those attempts can no longer replace this file.
    pub(crate) fn create_draft(&self, period: &PeriodKey, attempt: &str) -> io::Result<ArchiveDraft> {
        let folder = self.company_folder(period);
        DirBuilder::new().recursive(true).mode(OWNER_FOLDER_MODE).create(&folder)?;
        sync_folder(&self.0)?;
        let name = encode_file_name(period.pay_period_id.as_str());
        let beginning = format!("{name}{FILE_EXTENSION}.");
        for entry in fs::read_dir(&folder)? {
            let left = entry?.file_name();
            let left = left.to_string_lossy();
            if left.starts_with(&beginning) && left.ends_with(DRAFT_EXTENSION) {
                fs::remove_file(folder.join(&*left)).or_else(ignore_missing)?;
            }
        }
        let path = folder.join(format!("{beginning}{attempt}{DRAFT_EXTENSION}"));
        let file = OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY_MODE).open(&path)?;
        Ok(ArchiveDraft {
            file,
            path,
            target: self.file_path(period),
            hash: Sha256::new(),
            checks: 0,
            is_published: false,
        })
    }

    /// Deletes the file of a period that was not marked as archived. A missing file is not an error.
    pub(crate) fn remove_archive_file(&self, period: &PeriodKey) -> io::Result<()> {
        fs::remove_file(self.file_path(period)).or_else(ignore_missing)?;
        sync_folder(&self.company_folder(period))
    }

    /// Returns a description of the damage if the file of an archive is missing or changed. `None` if the
    /// file is intact. `archive` is a text with the company id, the pay period id and the SHA-256 hash,
    /// separated by spaces.
    pub(crate) fn find_damage(&self, archive: &str) -> Option<String> {
        let mut words = archive.split(' ');
        let mut next = || words.next().unwrap_or_default().to_owned();
        let (company_id, pay_period_id, sha256) = (next(), next(), next());
        let period =
            PeriodKey { company_id: company_id.parse().ok()?, pay_period_id: pay_period_id.parse().ok()? };
        let shown = self.file_path(&period).display().to_string();
        match self.file_matches(&period, &ArchiveFile { checks: 0, sha256 }) {
            Ok(true) => None,
            Ok(false) => Some(format!("the SHA-256 of {shown} has changed since it was written")),
            Err(error) => Some(format!("{shown} cannot be read: {error}")),
        }
    }

    /// Returns whether the file of a period has the SHA-256 hash in `written`.
    pub(crate) fn file_matches(&self, period: &PeriodKey, written: &ArchiveFile) -> io::Result<bool> {
        let mut file = File::open(self.file_path(period))?;
        let (mut hash, mut bytes) = (Sha256::new(), vec![0; READ_BUFFER_BYTES]);
        loop {
            let read = file.read(&mut bytes)?;
            if read == 0 {
                return Ok(HEXLOWER.encode(&hash.finalize()) == written.sha256);
            }
            hash.update(bytes.get(..read).unwrap_or_default());
        }
    }
}

/// An archive file that is being written under a temporary name.
#[derive(Debug)]
pub(crate) struct ArchiveDraft {
    file: File,
    path: PathBuf,
    target: PathBuf,
    hash: Sha256,
    checks: u64,
    is_published: bool,
}

impl ArchiveDraft {
    /// Appends the lines of the given number of checks.
    pub(crate) fn write(&mut self, lines: &str, checks: usize) -> io::Result<()> {
        self.file.write_all(lines.as_bytes())?;
        self.hash.update(lines.as_bytes());
        self.checks += u64::try_from(checks).unwrap_or(0);
        Ok(())
    }

    /// Flushes the complete file to disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Gives the file its final name. If a killed attempt has left a file with this name, the new file
    /// replaces it.
    pub(crate) fn publish(mut self) -> io::Result<ArchiveFile> {
        fs::rename(&self.path, &self.target)?;
        self.is_published = true;
        sync_folder(self.target.parent().unwrap_or(Path::new(".")))?;
        Ok(ArchiveFile { checks: self.checks, sha256: HEXLOWER.encode(&self.hash.clone().finalize()) })
    }
}

impl Drop for ArchiveDraft {
    fn drop(&mut self) {
        if !self.is_published {
            // If deleting fails, the next attempt deletes the file.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Encodes an id as the name of a file or folder.
fn encode_file_name(id: &str) -> String {
    let mut name = String::new();
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' {
            name.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(name, "%{byte:02X}");
        }
    }
    if name.len() > MAX_NAME_BYTES {
        // An encoded id never contains `~`, so this name cannot be the name of another id.
        return format!("~{}", HEXLOWER.encode(&Sha256::digest(id)));
    }
    name
}

/// Turns the error for a missing file into success.
fn ignore_missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn period() -> PeriodKey {
        PeriodKey { company_id: "ACME".parse().unwrap(), pay_period_id: "2026-01".parse().unwrap() }
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn no_id_escapes_the_archive_folder() {
        for (id, expected) in [
            ("2026-01_A", "2026-01_A"),
            ("..", "%2E%2E"),
            ("../../etc/passwd", "%2E%2E%2F%2E%2E%2Fetc%2Fpasswd"),
            ("/", "%2F"),
            ("a\0b", "a%00b"),
            ("%2E", "%252E"),
            ("~", "%7E"),
        ] {
            assert_eq!(encode_file_name(id), expected);
        }
        let names = [
            encode_file_name(&"a".repeat(4_000)),
            encode_file_name(&".".repeat(4_000)),
            encode_file_name(&"/".repeat(65)),
        ];
        assert!(names.iter().all(|name| name.len() == 65 && name.starts_with('~')), "{names:?}");
        assert_eq!(encode_file_name(&"x".repeat(64)).len(), 64);
    }

    #[test]
    fn a_file_is_private_and_contains_the_written_lines() {
        let root = tempfile::tempdir().unwrap();
        let folder = ArchiveFolder(root.path().to_owned());
        let mut draft = folder.create_draft(&period(), "one").unwrap();
        draft.write("{}\n{}\n", 2).unwrap();
        draft.sync().unwrap();
        let path = root.path().join("ACME/2026-01.ndjson");
        assert!(!path.exists());
        let written = draft.publish().unwrap();
        assert_eq!((written.checks, fs::read_to_string(&path).unwrap().as_str()), (2, "{}\n{}\n"));
        assert_eq!((mode(&path), mode(&root.path().join("ACME"))), (0o600, 0o700));
        assert!(folder.file_matches(&period(), &written).unwrap());
        fs::write(&path, "{}\n").unwrap();
        assert!(!folder.file_matches(&period(), &written).unwrap());
        folder.remove_archive_file(&period()).unwrap();
        folder.remove_archive_file(&period()).unwrap();
        assert_eq!(folder.file_matches(&period(), &written).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_superseded_archive_attempt_cannot_publish_its_file() {
        let root = tempfile::tempdir().unwrap();
        let folder = ArchiveFolder(root.path().to_owned());
        let mut slow = folder.create_draft(&period(), "slow").unwrap();
        slow.write("old\n", 1).unwrap();
        let mut next = folder.create_draft(&period(), "next").unwrap();
        next.write("new\n", 1).unwrap();
        let written = next.publish().unwrap();
        assert_eq!(slow.publish().unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(folder.file_matches(&period(), &written).unwrap());
        drop(folder.create_draft(&period(), "given up").unwrap());
        assert_eq!(fs::read_dir(root.path().join("ACME")).unwrap().count(), 1);
    }

    #[test]
    fn rejects_a_folder_that_cannot_be_written() {
        let root = tempfile::tempdir().unwrap();
        ArchiveFolder(root.path().to_owned()).try_to_write().unwrap();
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
        let absent = ArchiveFolder(root.path().join("absent")).try_to_write().unwrap_err().to_string();
        assert!(absent.starts_with("setting `check_archive_folder`: the folder "), "{absent}");
        let file = root.path().join("file");
        fs::write(&file, "").unwrap();
        let no_folder = ArchiveFolder(file).try_to_write().unwrap_err().to_string();
        assert!(no_folder.ends_with("is not a folder"), "{no_folder}");
    }
}
