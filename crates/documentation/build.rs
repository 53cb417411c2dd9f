//! Compresses every page of `docs`, and writes the index of the pages (`llms.txt`) from the book's table of
//! contents. Links to files that the server does not serve become plain text.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

/// The book's table of contents, which is not a page itself.
const TABLE_OF_CONTENTS_FILE: &str = "SUMMARY.md";
/// The folder whose files are served as text next to the pages, such as `deploy/nginx.conf`.
const TEXT_FILES_FOLDER: &str = "deploy/";
/// The file in `docs` with the API description. The server serves its own API description with this name at
/// the root, so links to the file are changed to lead there.
const API_DESCRIPTION: &str = "openapi.json";
/// Maximum number of characters in a page's description in the index: about one sentence.
const MAX_DESCRIPTION: usize = 200;
/// The beginning of the index, before the sections of the table of contents.
const INDEX_HEADER: &str = "# Payroll integration API server

> Partner applications use this server to read the payroll data of companies, add payroll checks to open pay \
periods, and change workers and their pay rates. The server speaks HTTP and uses OAuth 2.0 client credentials.

The links lead to Markdown pages of this server. They describe the release that it runs.

## API description

- [OpenAPI 3.1 description](openapi.json): every operation of this address, with schemas and examples
- [Interactive reference](docs/): the same description in a browser
";

fn main() -> Result<(), Box<dyn Error>> {
    let docs = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../../docs");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    println!("cargo::rerun-if-changed={}", docs.display());
    let mut pages = BTreeMap::new();
    read_folder(&docs, "", &mut pages)?;
    let contents = pages.remove(TABLE_OF_CONTENTS_FILE).ok_or("docs has no table of contents")?;
    let mut table = String::from("&[\n");
    for (number, (name, text)) in pages.iter().enumerate() {
        let file = out.join(format!("{number}.gz"));
        fs::write(&file, compress(&rewrite_links(name, text, &pages))?)?;
        writeln!(table, "({name:?}, include_bytes!({:?}).as_slice()),", file.display().to_string())?;
    }
    fs::write(out.join("pages.rs"), table + "]\n")?;
    Ok(fs::write(out.join("llms.txt"), build_index(&contents, &pages)?)?)
}

/// Reads the pages of a folder and of its subfolders. The key of a page is its path in `docs`.
fn read_folder(
    folder: &Path,
    prefix: &str,
    pages: &mut BTreeMap<String, String>,
) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("a name in docs is not Unicode")?;
        let name = format!("{prefix}{name}");
        if path.is_dir() {
            read_folder(&path, &format!("{name}/"), pages)?;
        } else if name.ends_with(".md") || prefix == TEXT_FILES_FOLDER {
            pages.insert(name, fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

fn compress(text: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes())?;
    Ok(encoder.finish()?)
}

/// Returns the index, with a section for each part of the table of contents and a line for each page.
fn build_index(contents: &str, pages: &BTreeMap<String, String>) -> Result<String, Box<dyn Error>> {
    let mut index = String::from(INDEX_HEADER);
    for line in contents.lines().map(str::trim) {
        if let Some(title) = line.strip_prefix("# ") {
            let title = if title == "Summary" { "Start" } else { title };
            write!(index, "\n## {title}\n\n")?;
        } else if let Some((title, path)) = parse_link(line) {
            let page =
                pages.get(path).ok_or_else(|| format!("{TABLE_OF_CONTENTS_FILE}: {path} is no page"))?;
            writeln!(index, "- [{title}](docs/{path}){}", index_description(page))?;
        }
    }
    Ok(index)
}

/// Returns the text of a page, in which each link to a page leads to an address of the server. A link to any
/// other file of the repository becomes plain text.
fn rewrite_links(name: &str, text: &str, pages: &BTreeMap<String, String>) -> String {
    if !name.ends_with(".md") {
        return text.to_owned();
    }
    let mut served = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let Some((target, remainder)) = after.split_once(')') else { break };
        served.push_str(before);
        rest = remainder;
        match served_target(name, target, pages) {
            Some(target) => served.extend(["](", &target, ")"]),
            None => remove_opening_bracket(&mut served),
        }
    }
    served + rest
}

/// Returns the address on the server to which a link leads. Returns `None` if the server does not serve the
/// linked file.
fn served_target(name: &str, target: &str, pages: &BTreeMap<String, String>) -> Option<String> {
    if target.contains(':') || target.starts_with('#') {
        return Some(target.to_owned());
    }
    let mut path: Vec<&str> = name.split('/').collect();
    path.pop();
    let depth = path.len();
    for part in target.split('#').next().unwrap_or_default().split('/') {
        match part {
            ".." => drop(path.pop()?),
            part => path.push(part),
        }
    }
    match path.join("/") {
        path if path == API_DESCRIPTION => Some(format!("{}{path}", "../".repeat(depth + 1))),
        path => pages.contains_key(&path).then(|| target.to_owned()),
    }
}

/// Removes the bracket that opens the last link of a text. If the link is an image, the exclamation mark
/// before the bracket is removed too.
fn remove_opening_bracket(text: &mut String) {
    let mut depth = 0_u32;
    let opening = text.char_indices().rev().find(|(_, letter)| match letter {
        ']' => {
            depth += 1;
            false
        }
        '[' if depth == 0 => true,
        '[' => {
            depth -= 1;
            false
        }
        _ => false,
    });
    let Some((place, _)) = opening else { return };
    text.remove(place);
    if text.get(..place).is_some_and(|before| before.ends_with('!')) {
        text.remove(place - 1);
    }
}

/// Returns the text and the target of a Markdown link, or `None` if the line is not a link.
fn parse_link(line: &str) -> Option<(&str, &str)> {
    line.trim_start_matches("- ").strip_prefix('[')?.strip_suffix(')')?.split_once("](")
}

/// Returns a colon and the first sentence of a page, for the line of the page in the index. Returns an empty
/// text if the page does not begin with a sentence but, for example, with a table.
fn index_description(page: &str) -> String {
    let mut blocks =
        page.split("\n\n").map(str::trim).filter(|block| !block.is_empty() && !block.starts_with('#'));
    let paragraph = blocks.next().filter(|block| block.starts_with(char::is_alphabetic)).unwrap_or_default();
    let sentence = paragraph.split_inclusive(". ").next().unwrap_or_default().trim();
    if sentence.is_empty() || sentence.len() > MAX_DESCRIPTION || sentence.contains("](") {
        return String::new();
    }
    format!(": {}", sentence.trim_end_matches(['.', ':']).replace('\n', " "))
}
