//! A file that a command writes. Only its owner can read the file. The file is written completely or not at
//! all, and replaces an existing file only with `--force`.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

use crate::backup::{check_regular_file, publish_draft};
use crate::failure::{Failure, Outcome};

/// A file that is written under a temporary name and gets its final name when it is complete.
pub(super) struct NewFile<'p> {
    draft: NamedTempFile,
    path: &'p Path,
    replaces: bool,
}

impl<'p> NewFile<'p> {
    /// Creates the temporary file in the folder of the file.
    ///
    /// # Errors
    /// The file exists and may not be replaced, or the folder cannot be written.
    pub(super) fn begin(path: &'p Path, replaces: bool) -> Outcome<Self> {
        if path.exists() && !replaces {
            return Err(Failure::new(format!("{} exists. --force replaces it", path.display())));
        }
        check_regular_file(path)?;
        let draft = Builder::new().prefix(".payroll-export-").tempfile_in(parent_folder(path));
        let draft = draft.map_err(|error| write_failure(path, &error))?;
        Ok(Self { draft, path, replaces })
    }

    pub(super) fn as_file_mut(&mut self) -> &mut File {
        self.draft.as_file_mut()
    }

    /// Flushes the file to disk and renames it to its final name.
    ///
    /// # Errors
    /// The file cannot be written, or another process has created a file of that name in the meantime.
    pub(super) fn publish(self) -> Outcome {
        let Self { draft, path, replaces } = self;
        draft.as_file().sync_all().map_err(|error| write_failure(path, &error))?;
        publish_draft(draft, path, replaces)
    }
}

/// Writes a complete file with this content.
///
/// # Errors
/// Returns the errors of [`NewFile::begin`] and [`NewFile::publish`].
pub(in crate::commands) fn write(path: &Path, replaces: bool, content: &[u8]) -> Outcome {
    let mut file = NewFile::begin(path, replaces)?;
    file.as_file_mut().write_all(content).map_err(|error| write_failure(path, &error))?;
    file.publish()
}

fn write_failure(path: &Path, error: &io::Error) -> Failure {
    Failure::with_cause(format!("{} cannot be created", path.display()), error)
}

fn parent_folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
