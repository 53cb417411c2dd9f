//! The files of the console and of the portal for the browser. The console uses only the operator API, and
//! the portal uses only the partner API. Neither of them can therefore do more than the user's key permits.
//! This crate contains the files and does not depend on the server.
//!
//! | Folder of `assets` | Contents |
//! |---|---|
//! | `pages` | a file for each page of the console, and `main.js` with the table of its pages |
//! | `forms` | forms that are generated from the operator API description, and lists with their buttons |
//! | `client` | the client of the operator API with types from its description, and its session |
//! | `portal` | the pages of the portal, the table of its pages, and the client of the partner API |
//! | `parts` | components of the console and the portal: tables, dialogs, values and charts |
//! | `api` | the common code of the two API clients: loading, faults and pages of lists |
//! | `styles` | the style sheet |
//! | `vendor` | unchanged libraries; `vendor` next to `assets` has their licences and checksums |
//!
//! The files are served unchanged, without a build step. The script `check.sh` of this crate compares the
//! files with the types of both APIs, and the libraries with their published packages.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::LazyLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "assets"]
struct Assets;

/// Every file in compressed form. The files are compressed once, at the first request, which takes a fraction
/// of a second.
static COMPRESSED: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
    let compressed = |path: Cow<'static, str>| {
        let bytes = compress(&Assets::get(&path)?.data)?;
        Some((path.into_owned(), bytes))
    };
    Assets::iter().filter_map(compressed).collect()
});

/// A file of the console or of the portal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The media type for `Content-Type`, such as text/css.
    pub media_type: &'static str,
    /// The content of the file.
    pub bytes: Cow<'static, [u8]>,
    /// The content compressed with gzip, if the caller requested it.
    pub gzip: Option<Cow<'static, [u8]>>,
}

/// One of the two browser applications.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum App {
    /// The console for operators.
    Console,
    /// The portal for partners.
    Portal,
}

impl App {
    const fn page_file_name(self) -> &'static str {
        match self {
            Self::Console => "index.html",
            Self::Portal => "portal.html",
        }
    }

    /// Returns the folders of `assets` from which the application's page loads files.
    const fn folders(self) -> &'static [&'static str] {
        match self {
            Self::Console => &["api", "client", "forms", "pages", "parts", "styles", "vendor"],
            Self::Portal => &["api", "parts", "portal", "styles", "vendor"],
        }
    }
}

/// The HTML page of an application. Its scripts show all other pages of the application inside this page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The page as HTML.
    pub text: String,
    /// The inline script. The page's content security policy must contain the hash of this script.
    pub script: String,
}

/// Properties of the server that the page contains.
#[derive(Debug, Clone, Copy)]
pub struct ServerProperties<'a> {
    /// The header with the request id of every response. The value is a valid header name, so it contains no
    /// markup.
    pub request_id_header: &'a str,
    /// The vendor name in media types, which consists of lowercase letters, digits and dashes.
    pub vendor: &'a str,
    /// Whether the server is a sandbox, whose clock can be set.
    pub is_sandbox: bool,
    /// Whether the completion of a pay period needs two operators.
    pub two_person_completion: bool,
    /// The name of the identity provider on the sign-in button. An empty name omits the button. The name
    /// contains no markup.
    pub single_sign_on: &'a str,
}

/// Returns the page of an application, or `None` if the binary does not contain the page.
#[must_use]
pub fn build_page(app: App, server: &ServerProperties<'_>) -> Option<Page> {
    let page = Assets::get(app.page_file_name())?;
    let page = std::str::from_utf8(&page.data).ok()?;
    let word = |flag| if flag { "yes" } else { "no" };
    let page = page.replace("{request id header}", server.request_id_header);
    let page = page.replace("{vendor}", server.vendor);
    let page = page.replace("{is sandbox}", word(server.is_sandbox));
    let page = page.replace("{two person completion}", word(server.two_person_completion));
    let page = page.replace("{single sign-on}", server.single_sign_on);
    let (_, script) = page.split_once("<script type=\"importmap\">")?;
    let (script, _) = script.split_once("</script>")?;
    let script = script.to_owned();
    Some(Page { text: page, script })
}

/// Returns a file in a folder of an application, also in compressed form if requested. Returns `None` if the
/// file does not exist.
#[must_use]
pub fn find_file(app: App, folder: &str, name: &str, is_gzip_wanted: bool) -> Option<File> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
    if !app.folders().contains(&folder) || !name.bytes().all(plain) {
        return None;
    }
    let media_type = media_type(name)?;
    let path = format!("{folder}/{name}");
    let bytes = Assets::get(&path)?.data;
    let gzip = if is_gzip_wanted && media_type != FONT { compressed_file(&path, &bytes) } else { None };
    Some(File { media_type, bytes, gzip })
}

/// Returns a file in compressed form. A debug build reads the file from disk at each request, so it also
/// compresses the file each time.
fn compressed_file(path: &str, bytes: &[u8]) -> Option<Cow<'static, [u8]>> {
    if cfg!(debug_assertions) {
        return compress(bytes).map(Cow::Owned);
    }
    COMPRESSED.get(path).map(|bytes| Cow::Borrowed(&bytes[..]))
}

/// Compresses bytes with gzip. Writing to memory does not fail.
fn compress(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

/// Returns the total size of all files in bytes.
#[must_use]
pub fn total_size() -> usize {
    Assets::iter().filter_map(|name| Assets::get(&name)).map(|file| file.data.len()).sum()
}

/// The media type of fonts, which are compressed already.
const FONT: &str = "font/woff2";

fn media_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "js" | "mjs" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        "woff2" => Some(FONT),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn the_page_has_one_script_and_names_its_files() {
        let server = ServerProperties {
            request_id_header: "x-request",
            vendor: "vendor",
            is_sandbox: true,
            two_person_completion: false,
            single_sign_on: "",
        };
        for (app, below) in [(App::Console, "./console/"), (App::Portal, "./")] {
            let Page { text, script } = build_page(app, &server).unwrap();
            assert!(text.contains("content=\"x-request\""));
            assert_eq!(text.matches("<script").count(), 2, "one is a file");
            let named: Vec<_> = text.split('"').filter_map(|text| text.strip_prefix(below)).collect();
            for path in &named {
                let (folder, name) = path.split_once('/').unwrap();
                assert!(find_file(app, folder, name, false).is_some(), "{path}");
            }
            assert!(named.len() > 5 && script.contains(below));
            assert!(!text.contains("style=") && !text.contains("onclick"), "its policy lets none of it run");
        }
    }

    #[test]
    fn only_files_in_the_folders_of_the_app_are_served() {
        for app in [App::Console, App::Portal] {
            assert_eq!(
                find_file(app, "styles", "main.css", false).unwrap().media_type,
                "text/css; charset=utf-8"
            );
            for (folder, name) in [
                ("..", "Cargo.toml"),
                ("parts", "../index.html"),
                ("", "index.html"),
                ("vendor", "vendor.json"),
            ] {
                assert_eq!(find_file(app, folder, name, true), None, "{folder} {name}");
            }
        }
        assert_eq!(find_file(App::Portal, "pages", "main.js", false), None, "it is no page of partners");
        assert_eq!(find_file(App::Console, "portal", "main.js", false), None, "nor the other way around");
    }

    #[test]
    fn a_compressed_file_has_the_same_content_and_is_smaller() {
        let plain = find_file(App::Console, "styles", "main.css", false).unwrap();
        assert_eq!(plain.gzip, None);
        let both = find_file(App::Console, "styles", "main.css", true).unwrap();
        let gzip = both.gzip.unwrap();
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&gzip[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, &*plain.bytes);
        assert!(gzip.len() * 2 < plain.bytes.len());
        assert_eq!(COMPRESSED.get("styles/main.css").map(Vec::as_slice), Some(&gzip[..]));
    }

    #[test]
    fn the_files_add_little_to_the_binary() {
        // The files of this crate must stay below 1 MB in total, because a release build contains them
        // uncompressed.
        assert!(total_size() < 1_000_000, "{}", total_size());
    }
}
