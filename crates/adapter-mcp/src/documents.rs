//! MCP resources: the pages of the server's documentation, and the schemas of the API.

use payroll_ports::BoxError;
use payroll_ports::api_calls::{ApiCaller, ApiRequest};
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use crate::catalog::ToolCatalog;

/// The prefix of the URIs of MCP resources.
const URI_SCHEME: &str = "payroll://";

/// The path of the documentation's index, which lists the pages that are offered as resources.
const INDEX_PATH: &str = "llms.txt";

/// The media type of a page of the documentation.
const MARKDOWN_MEDIA_TYPE: &str = "text/markdown";

/// Returns the index as a resource, and each page that the index lists.
///
/// # Errors
/// An error if the server does not respond.
pub(crate) async fn list_pages(api: &dyn ApiCaller) -> Result<Vec<Resource>, BoxError> {
    let index = read_text(api, INDEX_PATH).await?.unwrap_or_default();
    let title = "Index of the documentation";
    let first = Resource::new(format!("{URI_SCHEME}{INDEX_PATH}"), INDEX_PATH)
        .with_title(title)
        .with_mime_type("text/plain");
    Ok(std::iter::once(first).chain(index.lines().filter_map(parse_index_line)).collect())
}

/// Reads the page in a line of the index, such as `- [Title](docs/page.md): The description`.
fn parse_index_line(line: &str) -> Option<Resource> {
    let (title, rest) = line.strip_prefix("- [")?.split_once("](")?;
    let (path, description) = rest.split_once(')')?;
    let name = path.strip_prefix("docs/").filter(|name| name.ends_with(".md"))?;
    let page = Resource::new(format!("{URI_SCHEME}{path}"), name)
        .with_title(title)
        .with_mime_type(MARKDOWN_MEDIA_TYPE);
    Some(match description.strip_prefix(": ") {
        Some(description) => page.with_description(description),
        None => page,
    })
}

/// Returns the resource templates: resources whose URIs contain parameters.
pub(crate) fn resource_templates() -> Vec<ResourceTemplate> {
    let schema = ResourceTemplate::new(format!("{URI_SCHEME}schemas/{{name}}"), "schema")
        .with_description("A schema of the API with everything it refers to.")
        .with_mime_type("application/schema+json");
    vec![schema]
}

/// Reads a resource; `None` if it is unknown.
///
/// # Errors
/// An error if the server does not respond.
pub(crate) async fn read_page(
    uri: &str,
    catalog: &ToolCatalog,
    api: &dyn ApiCaller,
) -> Result<Option<ReadResourceResult>, BoxError> {
    let Some(path) = uri.strip_prefix(URI_SCHEME) else { return Ok(None) };
    let (text, media_type) = match path.strip_prefix("schemas/") {
        Some(name) => {
            (catalog.self_contained_schema(name).map(|schema| schema.to_string()), "application/schema+json")
        }
        None if is_documentation_page(path) => (read_text(api, path).await?, MARKDOWN_MEDIA_TYPE),
        None => (None, MARKDOWN_MEDIA_TYPE),
    };
    let contents = text.map(|text| ResourceContents::text(text, uri).with_mime_type(media_type));
    Ok(contents.map(|contents| ReadResourceResult::new(vec![contents])))
}

/// Returns whether a path is a page of the documentation. Only such paths may be read as resources.
fn is_documentation_page(path: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
    let is_document = path.starts_with("docs/") && path.ends_with(".md");
    (path == INDEX_PATH || is_document) && path.bytes().all(is_plain) && !path.contains("..")
}

/// Returns the text at a path of the server; `None` if the server has no such path.
async fn read_text(api: &dyn ApiCaller, path: &str) -> Result<Option<String>, BoxError> {
    let response = api.call(ApiRequest::get(format!("/{path}"))).await?;
    Ok(response.is_success().then(|| String::from_utf8_lossy(&response.body).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_index_is_a_resource() {
        let resource = parse_index_line("- [Errors](docs/errors.md): All codes").unwrap();
        assert_eq!(
            (resource.uri.as_str(), resource.name.as_str()),
            ("payroll://docs/errors.md", "errors.md")
        );
        assert_eq!(resource.description.as_deref(), Some("All codes"));
        assert!(
            parse_index_line("- [Description](openapi.json)").is_none() && parse_index_line("text").is_none()
        );
    }

    #[test]
    fn only_pages_can_be_read() {
        assert!(is_documentation_page("docs/operating/health.md") && is_documentation_page("llms.txt"));
        for path in ["docs/../companies.md", "companies", "docs/", "docs/x.md?y", "metrics"] {
            assert!(!is_documentation_page(path), "{path}");
        }
    }
}
