//! Tests ids of an inaccessible company at every position of every request. If the id determines the company
//! of the request, the response is 403. At all other positions, the id is treated like an unknown id. No data
//! of the inaccessible company are shown or changed.

use serde_json::Value;

use crate::operations::{OPERATIONS, Operation};
use crate::support::{OPEN, Request, Response, Server, on_every_database, store_checks, valid_request};

/// A text that only documents of the inaccessible company contain.
const FOREIGN_NAME_MARK: &str = "Twinleak";
/// The prefix of each id of the inaccessible company. This company is a copy of [`OPEN`].
const FOREIGN_ID_PREFIX: &str = "X-";
/// The prefix of an unknown id.
const UNKNOWN_ID_PREFIX: &str = "N-";
const NDJSON: &str = "application/x-ndjson";

/// Adds a prefix to each id in a document. Correlation ids stay unchanged, because the client chooses them.
fn prefix_ids(value: &mut Value, prefix: &str) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(|element| prefix_ids(element, prefix)),
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(id) if is_id(name) => *id = format!("{prefix}{id}"),
                    _ => prefix_ids(value, prefix),
                }
            }
        }
        _ => {}
    }
}

fn is_id(member: &str) -> bool {
    member.ends_with("Id") && !member.ends_with("CorrelationId") && member != "displayId"
}

/// Adds [`FOREIGN_NAME_MARK`] to each name in a document.
fn mark_names(value: &mut Value) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(mark_names),
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if name == "familyName" || name == "legalName" => {
                        FOREIGN_NAME_MARK.clone_into(text);
                    }
                    _ => mark_names(value),
                }
            }
        }
        _ => {}
    }
}

async fn export_company(server: &Server, company: &str) -> String {
    let request = Request::operator_get(&format!("/export?companyid={company}")).accept(NDJSON);
    server.send_unchecked(&request).await.text()
}

/// Imports a copy of [`OPEN`] with other ids. No application can access the copy.
async fn import_renamed_copy(server: &Server) -> String {
    let mut twin: Value = serde_json::from_str(&export_company(server, OPEN).await).expect("a company");
    prefix_ids(&mut twin, FOREIGN_ID_PREFIX);
    mark_names(&mut twin);
    twin["displayId"] = "90030001".into();
    twin.as_object_mut().expect("an object").remove("parentCompanyId");
    let import = Request::operator(reqwest::Method::POST, "/import").header("content-type", NDJSON);
    let imported = server.send_unchecked(&import.body(twin.to_string())).await.text();
    assert!(imported.contains(r#""result":"stored""#), "{imported}");
    let id = format!("{FOREIGN_ID_PREFIX}{OPEN}");
    assert!(export_company(server, &id).await.contains(FOREIGN_NAME_MARK));
    id
}

/// Returns the valid request of an operation, with a prefix before the ids at these positions of the path.
fn request_with_foreign_path_ids(operation: &Operation, positions: &[usize], prefix: &str) -> Request {
    let mut request = valid_request(operation.method, operation.path, OPEN);
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let segments = operation.path.split('/').zip(path.split('/')).enumerate();
    let segments: Vec<_> = segments
        .map(|(at, (template, own))| match template {
            "{checkId}" if positions.contains(&at) && prefix == FOREIGN_ID_PREFIX => {
                "FOREIGN-CHECK".to_owned()
            }
            _ if positions.contains(&at) => format!("{prefix}{own}"),
            _ => own.to_owned(),
        })
        .collect();
    let query = query.replace(&format!("companyid={OPEN}"), &format!("companyid={prefix}{OPEN}"));
    request.target = segments.join("/") + if query.is_empty() { "" } else { "?" } + &query;
    request
}

/// Returns the valid request of an operation, with a prefix before each id in the body. Returns `None` if the
/// body contains no id.
fn request_with_foreign_ids(operation: &Operation, prefix: &str) -> Option<Request> {
    let request = valid_request(operation.method, operation.path, OPEN);
    let sent: Value = serde_json::from_slice(request.body.as_deref()?).ok()?;
    let mut body = sent.clone();
    prefix_ids(&mut body, prefix);
    (body != sent).then(|| request.body(body.to_string()))
}

/// Returns the combinations of path positions whose ids a test replaces: each position alone, and all
/// positions together.
fn id_combinations(operation: &Operation) -> Vec<Vec<usize>> {
    let positions: Vec<_> =
        operation.path.split('/').enumerate().filter(|(_, it)| it.starts_with('{')).collect();
    let positions: Vec<_> = positions.into_iter().map(|(at, _)| at).collect();
    let mut choices: Vec<_> = positions.iter().map(|place| vec![*place]).collect();
    if positions.len() > 1 {
        choices.push(positions);
    }
    choices
}

/// Returns whether the first id of a path determines a company that the application cannot access. The server
/// then rejects all requests in the same way, whatever the other ids are.
fn is_excluded_operation(target: &str) -> bool {
    let first = target.split('/').nth(2).unwrap_or_default();
    first.starts_with(FOREIGN_ID_PREFIX) || first == "FOREIGN-CHECK"
}

fn status_and_codes(response: &Response) -> (String, Vec<String>) {
    (
        response.status_and_any_code(),
        if response.errors().is_empty() { Vec::new() } else { response.faults() },
    )
}

#[test]
fn an_id_of_another_company_is_an_unknown_id() {
    on_every_database(async |server| {
        store_checks(&server.database).await;
        let twin = import_renamed_copy(server).await;
        let before = export_company(server, &twin).await;
        let of_companies = |it: &&Operation| it.scope.is_some() && !it.path.starts_with("/management");
        let mut compared = 0;
        for operation in OPERATIONS.iter().filter(of_companies) {
            let name = format!("{} {}", operation.method, operation.path);
            let in_path = id_combinations(operation).into_iter().map(|positions| {
                [FOREIGN_ID_PREFIX, UNKNOWN_ID_PREFIX]
                    .map(|prefix| request_with_foreign_path_ids(operation, &positions, prefix))
            });
            let in_body = request_with_foreign_ids(operation, FOREIGN_ID_PREFIX)
                .zip(request_with_foreign_ids(operation, UNKNOWN_ID_PREFIX));
            for [theirs, unknown] in in_path.chain(in_body.map(<[Request; 2]>::from)) {
                let theirs_answer = server.send_unchecked(&theirs).await;
                let unknown_answer = server.send_unchecked(&unknown).await;
                let expected = match is_excluded_operation(&theirs.target) {
                    true => ("403 API-2".to_owned(), vec!["API-2".to_owned()]),
                    false => status_and_codes(&unknown_answer),
                };
                assert_eq!(status_and_codes(&theirs_answer), expected, "{name}: {}", theirs.target);
                assert!(!theirs_answer.is_success(), "{name}: {} {theirs_answer:?}", theirs.target);
                assert!(!theirs_answer.text().contains(FOREIGN_NAME_MARK), "{name}: {theirs_answer:?}");
                compared += 1;
            }
        }
        assert!(compared > 130, "{compared}");
        assert_eq!(export_company(server, &twin).await, before, "nothing of the other company has changed");
    });
}
