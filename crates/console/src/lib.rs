//! The console: what a browser loads. It is a client of the operator API and of nothing else, so that it can
//! do nothing that a key may not; this crate holds its files and knows no server.
//!
//! | Folder of `assets` | What is there |
//! |---|---|
//! | `pages` | a file for each page, and `main.js`, which finds the page of an address |
//! | `parts` | what pages are made of: tables, dialogs, values, charts |
//! | `api` | the client of the operator API, typed by its description |
//! | `styles` | the style sheet |
//! | `vendor` | libraries as their packages have them; the folder `vendor` beside `assets` has their licences and checksums |
//!
//! Files are served as they are written, without a build step: `check.sh` of this crate holds them against
//! the types of the operator API, and the libraries against their packages.

use std::borrow::Cow;

use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "assets"]
struct Assets;

/// A file of the console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its media type.
    pub media_type: &'static str,
    /// Its content.
    pub bytes: Cow<'static, [u8]>,
}

/// What the page says of its server.
#[derive(Debug, Clone, Copy)]
pub struct ServerFacts<'a> {
    /// The header in which every response has its request id: a name of HTTP, so nothing in it is markup.
    pub request_id_header: &'a str,
    /// Its clock can be set.
    pub is_sandbox: bool,
    /// Two operators complete a pay period.
    pub two_person_completion: bool,
}

/// The page that all others are shown in, and the text of the script that stands in it.
#[must_use]
pub fn page(server: &ServerFacts<'_>) -> Option<(String, String)> {
    let page = Assets::get("index.html")?;
    let page = std::str::from_utf8(&page.data).ok()?;
    let word = |flag| if flag { "yes" } else { "no" };
    let page = page.replace("{request id header}", server.request_id_header);
    let page = page.replace("{is sandbox}", word(server.is_sandbox));
    let page = page.replace("{two person completion}", word(server.two_person_completion));
    let (_, script) = page.split_once("<script type=\"importmap\">")?;
    let (script, _) = script.split_once("</script>")?;
    let script = script.to_owned();
    Some((page, script))
}

/// The file of that name in a folder; `None` where there is none.
#[must_use]
pub fn file(folder: &str, name: &str) -> Option<File> {
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    if !plain(folder) || !plain(name) {
        return None;
    }
    let media_type = media_type(name)?;
    Some(File { media_type, bytes: Assets::get(&format!("{folder}/{name}"))?.data })
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
    use super::*;

    #[test]
    fn the_page_has_one_script_and_names_its_files() {
        let server =
            ServerFacts { request_id_header: "x-request", is_sandbox: true, two_person_completion: false };
        let (page, script) = page(&server).unwrap();
        assert!(page.contains("content=\"x-request\""));
        assert_eq!(page.matches("<script").count(), 2, "one is a file");
        let named =
            page.split(['"']).chain(script.split('"')).filter_map(|text| text.strip_prefix("./console/"));
        let mut count = 0;
        for path in named {
            let (folder, name) = path.split_once('/').unwrap();
            assert!(file(folder, name).is_some(), "{path}");
            count += 1;
        }
        assert!(count > 5);
        assert!(!page.contains("style=") && !page.contains("onclick"), "its policy lets none of it run");
    }

    #[test]
    fn files_are_those_of_the_folders_and_no_others() {
        assert_eq!(file("styles", "main.css").unwrap().media_type, "text/css; charset=utf-8");
        for (folder, name) in
            [("..", "Cargo.toml"), ("pages", "../index.html"), ("", "index.html"), ("vendor", "vendor.json")]
        {
            assert_eq!(file(folder, name), None, "{folder} {name}");
        }
    }

    #[test]
    fn the_files_add_little_to_the_binary() {
        // The limit that the console has set itself; a release build holds the files as they are.
        assert!(size() < 1_000_000, "{}", size());
    }
}
