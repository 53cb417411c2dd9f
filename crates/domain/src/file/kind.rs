//! The accepted types of files. The type of a file is detected from its content.

use crate::named::named_enum;

named_enum! {
    /// The type of a file, as its media type.
    FileType {
        /// A document in the Portable Document Format.
        Pdf = "application/pdf",
        /// An image in the lossless PNG format.
        Png = "image/png",
        /// A JPEG image, such as a photograph.
        Jpeg = "image/jpeg",
        /// Plain text in UTF-8.
        Text = "text/plain",
        /// Comma-separated values in UTF-8.
        Csv = "text/csv",
    }
}

/// The error for content whose type is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnsupportedFile;

const PDF_SIGNATURE: &[u8] = b"%PDF-";
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
const JPEG_SIGNATURE: &[u8] = b"\xff\xd8\xff";
/// The byte order mark at the start of some UTF-8 texts.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// The texts with which markup begins. A browser may render content that starts with one of these texts as a
/// page.
const MARKUP_BEGINNINGS: &[&str] =
    &["<!doctype", "<html", "<head", "<body", "<script", "<svg", "<?xml", "<iframe"];

impl FileType {
    /// Detects the type of a file from its content.
    ///
    /// # Errors
    /// Returns [`UnsupportedFile`] for any other content, such as empty files, programs, scripts, HTML, SVG
    /// and archives.
    ///
    /// ```
    /// use payroll_domain::file::{FileType, UnsupportedFile};
    /// assert_eq!(FileType::detect(b"%PDF-1.7\n"), Ok(FileType::Pdf));
    /// assert_eq!(FileType::detect(b"name,hours\nAnn,8\n"), Ok(FileType::Csv));
    /// assert_eq!(FileType::detect(b"Dear Ann,\n"), Ok(FileType::Text));
    /// assert_eq!(FileType::detect(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), Err(UnsupportedFile));
    /// assert_eq!(FileType::detect(b"MZ\x90\0"), Err(UnsupportedFile));
    /// ```
    pub fn detect(content: &[u8]) -> Result<Self, UnsupportedFile> {
        for (beginning, file_type) in
            [(PDF_SIGNATURE, Self::Pdf), (PNG_SIGNATURE, Self::Png), (JPEG_SIGNATURE, Self::Jpeg)]
        {
            if content.starts_with(beginning) {
                return Ok(file_type);
            }
        }
        let text = std::str::from_utf8(content).map_err(|_| UnsupportedFile)?;
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        if text.trim().is_empty() || text.contains(is_control) || is_script_or_markup(text) {
            return Err(UnsupportedFile);
        }
        Ok(if is_csv_table(text) { Self::Csv } else { Self::Text })
    }

    /// Returns the usual file name extension of this type, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Text => "txt",
            Self::Csv => "csv",
        }
    }

    /// Returns whether the type is an image.
    #[must_use]
    pub const fn is_image(self) -> bool {
        matches!(self, Self::Png | Self::Jpeg)
    }
}

fn is_control(character: char) -> bool {
    character.is_control() && !matches!(character, '\t' | '\n' | '\r')
}

/// Returns whether a text is a script, or markup such as HTML, XML or SVG.
fn is_script_or_markup(text: &str) -> bool {
    let begins_as_code = text.starts_with("#!") || text.trim_start().starts_with('<');
    begins_as_code || {
        let small = text.to_ascii_lowercase();
        MARKUP_BEGINNINGS.iter().any(|markup| small.contains(markup))
    }
}

/// Returns whether a text is a CSV table (RFC 4180): at least two lines that all have the same number of
/// fields, which is at least two.
fn is_csv_table(text: &str) -> bool {
    let (mut rows, mut columns, mut fields, mut is_quoted, mut has_text) = (0_u32, None, 1_u32, false, false);
    for character in text.chars().chain(['\n']) {
        match character {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields = fields.saturating_add(1),
            '\n' if !is_quoted => {
                if has_text || fields > 1 {
                    if fields < 2 || columns.is_some_and(|columns| columns != fields) {
                        return false;
                    }
                    columns = Some(fields);
                    rows = rows.saturating_add(1);
                }
                (fields, has_text) = (1, false);
                continue;
            }
            _ => {}
        }
        has_text |= !character.is_whitespace();
    }
    rows > 1 && !is_quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_images_and_documents_by_their_first_bytes() {
        for (content, expected) in [
            (&b"%PDF-1.4"[..], FileType::Pdf),
            (b"\x89PNG\r\n\x1a\n\0\0", FileType::Png),
            (b"\xff\xd8\xff\xe0", FileType::Jpeg),
        ] {
            assert_eq!(FileType::detect(content), Ok(expected));
        }
    }

    #[test]
    fn a_text_is_a_csv_table_if_all_lines_have_the_same_number_of_fields() {
        for text in
            ["a,b\n1,2", "a,b\r\n1,2\r\n", "a,b\n\"x, y\",2\n\n", "\u{feff}a,b\n,\n", "a,b\n\"1\n2\",3"]
        {
            assert_eq!(FileType::detect(text.as_bytes()), Ok(FileType::Csv), "{text:?}");
        }
        for text in ["a,b", "a,b\n1", "Dear Ann,\nHello", "a\nb\n", "a,b\n\"1,2\n", "tab\there"] {
            assert_eq!(FileType::detect(text.as_bytes()), Ok(FileType::Text), "{text:?}");
        }
    }

    #[test]
    fn rejects_content_that_a_browser_or_a_shell_would_run() {
        let unsupported: &[&[u8]] = &[
            b"",
            b" \n",
            b"MZ\x90\0\x03",
            b"\x7fELF\x02\x01",
            b"PK\x03\x04",
            b"#!/bin/sh\necho",
            b"<!DOCTYPE html><p>",
            b"\xef\xbb\xbf <HTML>",
            b"text and <ScRiPt>alert(1)</script>",
            b"<?xml version='1.0'?><svg/>",
            b"a\0b",
            b"bell \x07",
            b"\xff\xfe",
            b"caf\xe9",
            b"GIF89a\x01\0",
        ];
        for content in unsupported {
            assert_eq!(FileType::detect(content), Err(UnsupportedFile), "{content:?}");
        }
    }
}
