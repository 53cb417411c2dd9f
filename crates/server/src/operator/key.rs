//! Reads the operator key of a command from a file or the environment. The command line is not used, because
//! every user of the machine can read it.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::config::OPERATOR_KEY_VARIABLE;
use crate::failure::{Failure, Outcome};
use crate::keys::OWNER_ONLY_MODE;

/// The maximum size of a key file in bytes. A real key has 47 characters.
const MAX_KEY_BYTES: u64 = 4096;

/// Returns the key in the file, or if there is no file, in the environment.
///
/// # Errors
/// There is no key, or the file cannot be used.
pub(super) fn find_key(file: Option<&Path>, variable: Option<OsString>) -> Outcome<String> {
    let text = match (file, variable) {
        (Some(file), _) => read_key_file(file)?,
        (None, Some(text)) => text.into_string().unwrap_or_default(),
        (None, None) => {
            return Err(Failure::new(format!(
                "--url needs an operator key, in {OPERATOR_KEY_VARIABLE} or in the file that \
                 --operator-key-file names. Create one with `payroll-server operator-key create NAME` on \
                 the server's machine"
            )));
        }
    };
    let key = text.trim();
    // A text that cannot be in an HTTP header is not a key. The error does not repeat the text, because it
    // may contain part of a key.
    match key.bytes().all(|byte| byte.is_ascii_graphic()) && !key.is_empty() {
        true => Ok(key.to_owned()),
        false => Err(Failure::new("the operator key is empty or contains invalid characters")),
    }
}

fn read_key_file(file: &Path) -> Outcome<String> {
    let shown = file.display();
    let unreadable = |error: std::io::Error| {
        Failure::with_cause(format!("the operator key file {shown} cannot be read"), &error)
    };
    let status = fs::metadata(file).map_err(unreadable)?;
    let mode = status.permissions().mode() & 0o777;
    // Only a regular file must have a restrictive mode. A pipe, for example from a password manager, does not
    // store the key.
    if status.is_file() && mode & !OWNER_ONLY_MODE != 0 {
        return Err(Failure::new(format!(
            "the operator key file {shown} is open to others (mode {mode:04o}): run chmod 600 {shown}"
        )));
    }
    if status.len() > MAX_KEY_BYTES {
        return Err(Failure::new(format!("{shown} is too large for an operator key")));
    }
    fs::read_to_string(file).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_file_with_mode(text: &str, mode: u32) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn a_file_overrides_the_environment() {
        let file = key_file_with_mode("opk_file\n", 0o600);
        assert_eq!(find_key(Some(file.path()), Some("opk_variable".into())).unwrap(), "opk_file");
        assert_eq!(find_key(None, Some(" opk_variable".into())).unwrap(), "opk_variable");
    }

    #[test]
    fn rejects_a_file_that_others_can_read() {
        let file = key_file_with_mode("opk_file", 0o640);
        assert!(find_key(Some(file.path()), None).unwrap_err().to_string().contains("chmod 600"));
    }

    #[test]
    fn rejects_an_invalid_key_without_repeating_it() {
        for text in ["", "  ", "opk_half\nopk_other"] {
            let message = find_key(None, Some(text.into())).unwrap_err().to_string();
            assert!(message.contains("operator key") && !message.contains("opk_"), "{message}");
        }
        assert!(find_key(None, None).unwrap_err().to_string().contains(OPERATOR_KEY_VARIABLE));
    }
}
