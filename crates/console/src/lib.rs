//! The console and the portal: what a browser loads. The console is a client of the operator API and of nothing
//! else, the portal of the partner API, so that neither can do what a key may not; this crate holds their files
//! and knows no server.
//!
//! | Folder of `assets` | What is there |
//! |---|---|
//! | `pages` | a file for each page of the console, and `main.js`, which has the table of its pages |
//! | `forms` | forms that are generated from the description of the operator API, and the lists with their buttons |
//! | `client` | the client of the operator API, typed by its description, and its session |
//! | `portal` | the same of the portal: its pages, its table of them, and the client of the partner API |
//! | `parts` | what pages of both are made of: tables, dialogs, values, charts |
//! | `api` | what both clients have in common: loading, faults, pages of lists |
//! | `styles` | the style sheet |
//! | `vendor` | libraries as their packages have them; the folder `vendor` next to `assets` has their licences and checksums |
//!
//! Files are served as they are written, without a build step: `check.sh` of this crate holds them against
//! the types of both APIs, and the libraries against their packages.

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

/// Every file, compressed when the first one is requested: a fraction of a second, once.
static COMPRESSED: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
    let compressed = |path: Cow<'static, str>| {
        let bytes = compressed(&Assets::get(&path)?.data)?;
        Some((path.into_owned(), bytes))
    };
    Assets::iter().filter_map(compressed).collect()
});

/// A file of the console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its media type, for `Content-Type`, such as text/css.
    pub media_type: &'static str,
    /// The bytes of its content.
    pub bytes: Cow<'static, [u8]>,
    /// The same, compressed as gzip has it, if that was wanted.
    pub gzip: Option<Cow<'static, [u8]>>,
}

/// What a browser is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum App {
    /// The console of operators.
    Console,
    /// The portal of partners.
    Portal,
}

impl App {
    const fn page(self) -> &'static str {
        match self {
            Self::Console => "index.html",
            Self::Portal => "portal.html",
        }
    }

    /// The folders of `assets` that its page loads from.
    const fn folders(self) -> &'static [&'static str] {
        match self {
            Self::Console => &["api", "client", "forms", "pages", "parts", "styles", "vendor"],
            Self::Portal => &["api", "parts", "portal", "styles", "vendor"],
        }
    }
}

/// The page that all others of an app are shown in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The page, as HTML.
    pub text: String,
    /// The inline script, which its policy has to name by its hash.
    pub script: String,
}

/// What the page says of its server.
#[derive(Debug, Clone, Copy)]
pub struct ServerFacts<'a> {
    /// The header in which every response has its request id: a name of HTTP, so nothing in it is markup.
    pub request_id_header: &'a str,
    /// The word in media types, of small letters, digits and dashes.
    pub vendor: &'a str,
    /// Its clock can be set.
    pub is_sandbox: bool,
    /// Two operators complete a pay period.
    pub two_person_completion: bool,
}

/// The page of an app; `None` if the binary lacks it.
#[must_use]
pub fn page(app: App, server: &ServerFacts<'_>) -> Option<Page> {
    let page = Assets::get(app.page())?;
    let page = std::str::from_utf8(&page.data).ok()?;
    let word = |flag| if flag { "yes" } else { "no" };
    let page = page.replace("{request id header}", server.request_id_header);
    let page = page.replace("{vendor}", server.vendor);
    let page = page.replace("{is sandbox}", word(server.is_sandbox));
    let page = page.replace("{two person completion}", word(server.two_person_completion));
    let (_, script) = page.split_once("<script type=\"importmap\">")?;
    let (script, _) = script.split_once("</script>")?;
    let script = script.to_owned();
    Some(Page { text: page, script })
}

/// The file of that name in a folder of an app, compressed too if that is wanted; `None` where there is none.
#[must_use]
pub fn file(app: App, folder: &str, name: &str, is_gzip_wanted: bool) -> Option<File> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
    if !app.folders().contains(&folder) || !name.bytes().all(plain) {
        return None;
    }
    let media_type = media_type(name)?;
    let path = format!("{folder}/{name}");
    let bytes = Assets::get(&path)?.data;
    let gzip = if is_gzip_wanted { gzip(&path, &bytes) } else { None };
    Some(File { media_type, bytes, gzip })
}

/// A file, compressed. A debug build reads files anew each time, so it compresses them anew.
fn gzip(path: &str, bytes: &[u8]) -> Option<Cow<'static, [u8]>> {
    if cfg!(debug_assertions) {
        return compressed(bytes).map(Cow::Owned);
    }
    COMPRESSED.get(path).map(|bytes| Cow::Borrowed(&bytes[..]))
}

/// Bytes as gzip has them. Writing to memory does not fail.
fn compressed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

/// The bytes of all files.
#[must_use]
pub fn size() -> usize {
    Assets::iter().filter_map(|name| Assets::get(&name)).map(|file| file.data.len()).sum()
}

fn media_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "js" | "mjs" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn the_page_has_one_script_and_names_its_files() {
        let server = ServerFacts {
            request_id_header: "x-request",
            vendor: "vendor",
            is_sandbox: true,
            two_person_completion: false,
        };
        for (app, below) in [(App::Console, "./console/"), (App::Portal, "./")] {
            let Page { text, script } = page(app, &server).unwrap();
            assert!(text.contains("content=\"x-request\""));
            assert_eq!(text.matches("<script").count(), 2, "one is a file");
            let named: Vec<_> = text.split('"').filter_map(|text| text.strip_prefix(below)).collect();
            for path in &named {
                let (folder, name) = path.split_once('/').unwrap();
                assert!(file(app, folder, name, false).is_some(), "{path}");
            }
            assert!(named.len() > 5 && script.contains(below));
            assert!(!text.contains("style=") && !text.contains("onclick"), "its policy lets none of it run");
        }
    }

    #[test]
    fn files_are_those_of_the_folders_and_no_others() {
        for app in [App::Console, App::Portal] {
            assert_eq!(file(app, "styles", "main.css", false).unwrap().media_type, "text/css; charset=utf-8");
            for (folder, name) in [
                ("..", "Cargo.toml"),
                ("parts", "../index.html"),
                ("", "index.html"),
                ("vendor", "vendor.json"),
            ] {
                assert_eq!(file(app, folder, name, true), None, "{folder} {name}");
            }
        }
        assert_eq!(file(App::Portal, "pages", "main.js", false), None, "it is no page of partners");
        assert_eq!(file(App::Console, "portal", "main.js", false), None, "nor the other way around");
    }

    #[test]
    fn a_compressed_file_is_the_same_file_and_smaller() {
        let plain = file(App::Console, "styles", "main.css", false).unwrap();
        assert_eq!(plain.gzip, None);
        let both = file(App::Console, "styles", "main.css", true).unwrap();
        let gzip = both.gzip.unwrap();
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&gzip[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, &*plain.bytes);
        assert!(gzip.len() * 2 < plain.bytes.len());
        assert_eq!(COMPRESSED.get("styles/main.css").map(Vec::as_slice), Some(&gzip[..]));
    }

    #[test]
    fn the_files_add_little_to_the_binary() {
        // The limit that the console has set itself; a release build holds the files as they are.
        assert!(size() < 1_000_000, "{}", size());
    }
}
