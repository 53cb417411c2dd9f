//! The pages of `docs` inside the binary. The server serves the documentation of its own release as Markdown,
//! without access to the internet. The build script (`build.rs`) compresses the pages and writes their index.
//! The script also adds the files of `docs/deploy`, and removes links to files that the server does not
//! serve.

use std::io::Read;

use flate2::read::GzDecoder;

/// Every page compressed with gzip, by its path in `docs`.
const PAGES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));
/// Maximum size of an uncompressed page in bytes: ten times the size of the largest page.
const MAX_PAGE_BYTES: u64 = 1024 * 1024;

/// The index of the pages in the format of llms.txt. The links in the index are relative to its address.
pub const INDEX: &str = include_str!(concat!(env!("OUT_DIR"), "/llms.txt"));

/// Returns the page with this path in `docs`, such as `operating/health.md`, compressed with gzip.
#[must_use]
pub fn find_compressed_page(path: &str) -> Option<&'static [u8]> {
    PAGES.iter().find(|(name, _)| *name == path).map(|(_, gzip)| *gzip)
}

/// Returns the text of a compressed page, or `None` if the bytes are not from [`find_compressed_page`].
#[must_use]
pub fn decompress(gzip: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    GzDecoder::new(gzip).take(MAX_PAGE_BYTES).read_to_end(&mut text).ok()?;
    Some(text)
}

/// Returns the paths of all pages in alphabetical order.
pub fn page_paths() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|(name, _)| *name)
}

/// Returns the compressed size of all pages in bytes.
#[must_use]
pub fn total_size() -> usize {
    PAGES.iter().map(|(_, gzip)| gzip.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_the_index_is_the_file_in_docs_up_to_its_links() {
        // The comparison ignores brackets, because the build script removes the brackets of links to files
        // that the server does not serve.
        let words = |text: &[u8]| {
            let text = String::from_utf8_lossy(text).into_owned();
            let parts = text.split("](").enumerate();
            let texts = parts.map(|(n, part)| if n == 0 { part } else { part.split_once(')').unwrap().1 });
            texts.collect::<String>().replace(['[', '!'], "")
        };
        let linked: Vec<_> =
            INDEX.split("](docs/").skip(1).filter_map(|rest| rest.split(')').next()).collect();
        let pages: Vec<_> = linked.iter().filter(|path| path.ends_with(".md")).collect();
        assert!(pages.len() > 80, "{linked:?}");
        for path in pages {
            let file = format!("{}/../../docs/{path}", env!("CARGO_MANIFEST_DIR"));
            let served = decompress(find_compressed_page(path).unwrap()).unwrap();
            assert_eq!(words(&served), words(&std::fs::read(file).unwrap()), "{path}");
        }
    }

    #[test]
    fn a_link_to_a_file_that_is_not_served_is_plain_text() {
        let text =
            |path: &str| String::from_utf8(decompress(find_compressed_page(path).unwrap()).unwrap()).unwrap();
        assert!(text("README.md").contains("](../openapi.json)"));
        assert!(text("deploy/README.md").contains("[nginx.conf](nginx.conf)"));
        let monitoring = text("deploy/monitoring.md");
        assert!(monitoring.contains("alerts.yml") && !monitoring.contains("](monitoring/"), "{monitoring}");
        assert!(!text("console.md").contains(".png"));
        assert!(text("deploy/nginx.conf").contains("upstream"));
    }

    #[test]
    fn an_unknown_path_has_no_page() {
        for path in ["", "SUMMARY.md", "../README.md", "operating/", "openapi.json", "README.md/"] {
            assert_eq!(find_compressed_page(path), None, "{path}");
        }
        assert!(page_paths().any(|path| path == "README.md"));
    }

    #[test]
    fn the_pages_add_little_to_the_binary() {
        assert!(total_size() < 500_000, "{}", total_size());
    }
}
