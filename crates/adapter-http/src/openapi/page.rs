//! The files of the reference page. Swagger UI comes unmodified from an archive in another crate. The files
//! in the archive are compressed with deflate. To send them as gzip, this module only adds the header and
//! trailer of gzip.

use std::sync::LazyLock;

use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;

/// A file that the browser loads for the reference page.
pub(super) struct PageFile {
    pub(super) media_type: &'static str,
    pub(super) bytes: &'static [u8],
    /// Whether the bytes are compressed with gzip.
    pub(super) gzip: bool,
}

/// The HTML of the page. The page contains no inline script and no inline style, because the Content Security
/// Policy forbids both.
const INDEX_HTML: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payroll API</title>
<link rel="stylesheet" href="swagger-ui.css">
<link rel="stylesheet" href="repair.css">
<link rel="icon" href="data:,">
</head>
<body>
<main id="swagger-ui"></main>
<noscript>This page needs JavaScript. What it shows is in <a href="../openapi.json">openapi.json</a>.</noscript>
<script src="swagger-ui-bundle.js"></script>
<script src="start.js"></script>
<script src="repair.js"></script>
</body>
</html>
"#;

/// The script that starts Swagger UI. The script contacts no external validator and stores no credentials.
/// The URL of the description is relative, so that a proxy can serve the page and the description below a
/// path prefix. Requests omit the browser's own credentials. Otherwise a 401 would open the browser's login
/// dialog.
const START_SCRIPT: &str = r##"window.onload = function () {
  window.ui = SwaggerUIBundle({
    url: "../openapi.json",
    dom_id: "#swagger-ui",
    deepLinking: true,
    displayOperationId: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    persistAuthorization: false,
    validatorUrl: null,
    requestInterceptor: function (request) {
      request.credentials = "omit";
      return request;
    },
  });
};
"##;

/// The script that makes Swagger UI accessible, without changes to the published files.
const ACCESSIBILITY_SCRIPT: &str = include_str!("page/repair.js");
/// The colours that make Swagger UI accessible.
const ACCESSIBILITY_STYLE: &str = include_str!("page/repair.css");

static GZIPPED_BUNDLE: LazyLock<Option<Vec<u8>>> =
    LazyLock::new(|| extract_gzipped_file("/dist/swagger-ui-bundle.js"));
static GZIPPED_STYLE: LazyLock<Option<Vec<u8>>> =
    LazyLock::new(|| extract_gzipped_file("/dist/swagger-ui.css"));

/// Returns the file with this name. The page itself has the empty name.
pub(super) fn find_file(name: &str) -> Option<PageFile> {
    let own =
        |media_type, text: &'static str| Some(PageFile { media_type, bytes: text.as_bytes(), gzip: false });
    let published = |media_type, bytes: &'static Option<Vec<u8>>| {
        bytes.as_deref().map(|bytes| PageFile { media_type, bytes, gzip: true })
    };
    match name {
        "" => own("text/html; charset=utf-8", INDEX_HTML),
        "start.js" => own("text/javascript; charset=utf-8", START_SCRIPT),
        "repair.js" => own("text/javascript; charset=utf-8", ACCESSIBILITY_SCRIPT),
        "repair.css" => own("text/css; charset=utf-8", ACCESSIBILITY_STYLE),
        "swagger-ui-bundle.js" => published("text/javascript; charset=utf-8", &GZIPPED_BUNDLE),
        "swagger-ui.css" => published("text/css; charset=utf-8", &GZIPPED_STYLE),
        _ => None,
    }
}

/// Returns the file of the archive whose name has this ending, as gzip (RFC 1952); `None` if the file is
/// missing or not compressed with deflate.
fn extract_gzipped_file(end_of_name: &str) -> Option<Vec<u8>> {
    let archive = SWAGGER_UI_VENDORED;
    let mut entry = central_directory(archive)?;
    while let Some(ArchiveEntry { name, method, checksum, sizes, local_header_offset: local, after }) =
        ArchiveEntry::read(entry)
    {
        if name.ends_with(end_of_name.as_bytes()) {
            let data = file_data(archive, local)?.get(..sizes[0].try_into().ok()?)?;
            let head: &[u8] = &[0x1f, 0x8b, DEFLATE_METHOD, 0, 0, 0, 0, 0, 0, 0xff];
            let tail = [checksum.to_le_bytes(), sizes[1].to_le_bytes()].concat();
            return (method == u16::from(DEFLATE_METHOD)).then(|| [head, data, &tail].concat());
        }
        entry = after;
    }
    None
}

/// The number of the compression method DEFLATE.
const DEFLATE_METHOD: u8 = 8;

/// An entry in the directory of a zip archive.
struct ArchiveEntry<'a> {
    name: &'a [u8],
    method: u16,
    checksum: u32,
    /// The compressed and the uncompressed size in bytes.
    sizes: [u32; 2],
    /// The offset of the file's local header.
    local_header_offset: usize,
    after: &'a [u8],
}

impl<'a> ArchiveEntry<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        bytes.starts_with(b"PK\x01\x02").then_some(())?;
        let (name, extra, comment) = (read_u16(bytes, 28)?, read_u16(bytes, 30)?, read_u16(bytes, 32)?);
        let rest = bytes.get(46..)?;
        let (name, rest) = rest.split_at_checked(name.into())?;
        Some(Self {
            name,
            method: read_u16(bytes, 10)?,
            checksum: read_u32(bytes, 16)?,
            sizes: [read_u32(bytes, 20)?, read_u32(bytes, 24)?],
            local_header_offset: read_u32(bytes, 42)?.try_into().ok()?,
            after: rest.get(usize::from(extra) + usize::from(comment)..)?,
        })
    }
}

/// Returns the part of a zip archive that starts with the central directory. The record at the end of the
/// archive contains the offset of this directory. The result is `None` if the archive is damaged.
fn central_directory(archive: &[u8]) -> Option<&[u8]> {
    let last = archive.windows(4).rposition(|window| window == b"PK\x05\x06")?;
    archive.get(usize::try_from(read_u32(archive.get(last..)?, 16)?).ok()?..)
}

/// Returns the bytes after the local header of a file; `None` if the archive is damaged.
fn file_data(archive: &[u8], header_offset: usize) -> Option<&[u8]> {
    let head = archive.get(header_offset..)?;
    head.get(30 + usize::from(read_u16(head, 26)?) + usize::from(read_u16(head, 28)?)..)
}

fn read_u16(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|two| u16::from_le_bytes(*two))
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|four| u32::from_le_bytes(*four))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_only_refers_to_existing_files_of_its_own_server() {
        let named = INDEX_HTML.split("=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let files: Vec<_> = named.filter(|name| name.contains('.') && !name.starts_with("..")).collect();
        assert_eq!(files.len(), 5);
        for name in files {
            assert!(find_file(name).is_some_and(|file| file.bytes.len() > 200), "{name}");
        }
        assert!(!INDEX_HTML.contains("//") && !START_SCRIPT.contains("//"));
        assert!(find_file("index.html").is_none());
    }

    #[test]
    fn bundle_is_gzip_data_with_the_archived_size() {
        let bundle = find_file("swagger-ui-bundle.js").unwrap();
        assert!(bundle.gzip && bundle.bytes.starts_with(&[0x1f, 0x8b, 8]));
        assert_eq!(read_u32(bundle.bytes, bundle.bytes.len() - 4), Some(1_526_593));
    }
}
