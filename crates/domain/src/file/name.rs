//! File names: validation, and the name for a download.

use super::kind::FileType;

/// The maximum number of characters in a document name. File systems accept a name of this length even after
/// a file extension is added.
pub const MAX_DOCUMENT_NAME_LENGTH: usize = 200;

/// The error for a name that is not a valid file name on every system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidFileName;

/// Validates a file name. The name must not contain a path, reserved characters or invisible characters. The
/// name must not start with a dot, or end with a dot or a space.
///
/// # Errors
/// Returns [`InvalidFileName`] if the name breaks one of these rules.
///
/// ```
/// use payroll_domain::file::{InvalidFileName, check_file_name};
/// assert_eq!(check_file_name("Diplôme 2026.pdf"), Ok(()));
/// assert_eq!(check_file_name("../passwd"), Err(InvalidFileName));
/// ```
pub fn check_file_name(name: &str) -> Result<(), InvalidFileName> {
    let is_right = (1..=MAX_DOCUMENT_NAME_LENGTH).contains(&name.chars().count())
        && !name.contains(is_reserved)
        && !name.starts_with(['.', ' '])
        && !name.ends_with(['.', ' ']);
    if is_right { Ok(()) } else { Err(InvalidFileName) }
}

/// Returns whether a character is reserved on some operating system, is invisible, or changes the display
/// order of other characters.
fn is_reserved(character: char) -> bool {
    character.is_control()
        || matches!(character, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|')
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        )
}

/// Returns the file name for a download. The name ends with the extension of the file type, so that no system
/// treats the file as a program.
///
/// ```
/// use payroll_domain::file::{FileType, to_download_name};
/// assert_eq!(to_download_name("scan.PDF", FileType::Pdf), "scan.PDF");
/// assert_eq!(to_download_name("photo.jpeg", FileType::Jpeg), "photo.jpeg");
/// assert_eq!(to_download_name("setup.exe", FileType::Pdf), "setup.exe.pdf");
/// ```
#[must_use]
pub fn to_download_name(name: &str, file_type: FileType) -> String {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let is_right = ending.is_some_and(|ending| {
        ending == file_type.extension() || (file_type == FileType::Jpeg && ending == "jpeg")
    });
    if is_right { name.to_owned() } else { format!("{name}.{}", file_type.extension()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_names_with_a_path_or_hidden_characters() {
        let long = "n".repeat(MAX_DOCUMENT_NAME_LENGTH);
        for name in ["a", "I-9 (signed).pdf", "наряд.txt", "a.b.c", long.as_str()] {
            assert_eq!(check_file_name(name), Ok(()), "{name}");
        }
        let longer = "n".repeat(MAX_DOCUMENT_NAME_LENGTH + 1);
        let wrong = [
            "",
            ".",
            "..",
            ".profile",
            "a/b",
            "a\\b",
            "c:a",
            "a*",
            "a\"b",
            "a\nb",
            "a\0",
            "a.",
            "a ",
            " a",
            "fdp\u{202e}exe",
            "a\u{200b}b",
            longer.as_str(),
        ];
        for name in wrong {
            assert_eq!(check_file_name(name), Err(InvalidFileName), "{name:?}");
        }
    }
}
