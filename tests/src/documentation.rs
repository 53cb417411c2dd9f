//! Tests of the documentation that the server serves: `/llms.txt` and the linked Markdown pages.

use std::collections::BTreeSet;

use crate::support::{Caller, Request, Response, Server, on_every_database};

fn find_index_links(index: &str) -> Vec<String> {
    index.split("](").skip(1).filter_map(|rest| rest.split(')').next()).map(str::to_owned).collect()
}

async fn get(server: &Server, path: &str) -> Response {
    server.send(&Request::get(path).with_caller(Caller::Anonymous)).await
}

#[test]
fn every_link_of_the_index_leads_to_a_page_on_both_listeners() {
    on_every_database(async |server| {
        let index = get(server, "/llms.txt").await;
        assert_eq!((index.status, index.header("content-type")), (200, "text/plain; charset=utf-8"));
        let text = index.text();
        assert!(text.starts_with("# ") && text.contains("\n> "), "{text}");
        assert_eq!(server.operator_get("/llms.txt").await.text(), text);
        let links = find_index_links(&text);
        assert!(links.len() > 80, "{links:?}");
        for link in &links {
            let path = format!("/{link}");
            for page in [get(server, &path).await, server.operator_get(&path).await] {
                assert_eq!(page.status, 200, "{path}");
                if link.ends_with(".md") {
                    assert_eq!(page.header("content-type"), "text/markdown; charset=utf-8", "{path}");
                    assert!(page.text().starts_with("# "), "{path}");
                }
            }
        }
        assert_eq!(links.iter().collect::<BTreeSet<_>>().len(), links.len(), "each page is linked once");
    });
}

/// Returns the path to which a link on a page leads. Returns `None` if the link leads to another site or to a
/// section of the page.
fn resolve_link(page: &str, link: &str) -> Option<String> {
    if link.contains(':') || link.starts_with('#') {
        return None;
    }
    let base = reqwest::Url::parse(&format!("http://localhost{page}")).expect("a URL");
    Some(base.join(link).expect("a URL").path().to_owned())
}

#[test]
fn every_link_of_every_page_leads_to_a_file_of_the_server() {
    on_every_database(async |server| {
        let mut pending = vec!["/llms.txt".to_owned()];
        let mut known: BTreeSet<String> = pending.iter().cloned().collect();
        while let Some(path) = pending.pop() {
            let page = get(server, &path).await;
            assert_eq!(page.status, 200, "{path}");
            if !path.ends_with(".md") && path != "/llms.txt" {
                continue;
            }
            for link in find_index_links(&page.text()) {
                let Some(target) = resolve_link(&path, &link) else { continue };
                assert_eq!(get(server, &target).await.status, 200, "{path} links to {target}");
                if known.insert(target.clone()) {
                    pending.push(target);
                }
            }
        }
        assert!(known.contains("/docs/deploy/nginx.conf") && known.len() > 90, "{known:?}");
    });
}

#[test]
fn a_page_equals_the_file_in_the_repository_and_a_known_page_gets_304() {
    on_every_database(async |server| {
        let page = get(server, "/docs/operating/health.md").await;
        assert_eq!(page.text(), include_str!("../../docs/operating/health.md"));
        let again = Request::get("/docs/operating/health.md").with_caller(Caller::Anonymous);
        let again = server.send(&again.header("If-None-Match", page.header("etag"))).await;
        assert_eq!(again.status, 304);
        for path in
            ["/docs/none.md", "/docs/operating/none.md", "/docs/operating/health", "/docs/../README.md"]
        {
            assert_eq!(get(server, path).await.status, 404, "{path}");
        }
    });
}
