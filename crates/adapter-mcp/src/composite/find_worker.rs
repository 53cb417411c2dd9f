//! The tool `find_worker`: finds workers of a company by a part of their name.

use payroll_ports::api_calls::ApiCaller;
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Value, json};

use super::failure::{ToolFailure, required_text};
use super::reading::{content_elements, get_document};
use crate::call::{add_query_parameter, percent_encode};
use crate::side::Api;

/// The maximum number of workers in the result. A person cannot choose from a longer list.
const MAX_WORKERS: usize = 20;

/// The number of workers per page, and the maximum number of pages that are searched. Both constants limit
/// the work of one tool call.
const PAGE_SIZE: usize = 200;
const MAX_PAGES: usize = 5;

pub(super) async fn run_find_worker(
    side: Api,
    arguments: &JsonObject,
    api: &dyn ApiCaller,
) -> Result<CallToolResult, ToolFailure> {
    let (company_id, name) = (required_text(arguments, "companyId")?, required_text(arguments, "name")?);
    let (workers, complete) = match side {
        Api::Partner => find_workers_as_partner(company_id, name, api).await?,
        Api::Operator => find_workers_as_operator(company_id, name, api).await?,
    };
    let note = match (workers.is_empty(), complete) {
        (true, true) => "No worker has this name.",
        (false, true) => "These are all workers with this name.",
        (_, false) => {
            "There may be more workers with this name. Use `listWorkers` with a complete given or \
            family name."
        }
    };
    Ok(CallToolResult::structured(json!({"workers": workers, "note": note})))
}

/// Finds workers in the operator API, which can filter by part of a name. The returned flag indicates whether
/// the list is complete.
async fn find_workers_as_operator(
    company_id: &str,
    name: &str,
    api: &dyn ApiCaller,
) -> Result<(Vec<Value>, bool), ToolFailure> {
    let mut target = format!("/operator/v1/companies/{}/workers", percent_encode(company_id));
    let mut query = String::new();
    add_query_parameter(&mut query, "name", name);
    add_query_parameter(&mut query, "limit", &(MAX_WORKERS + 1).to_string());
    target.push_str(&query);
    let document = get_document(api, target).await?;
    let found = content_elements(&document);
    Ok((found.iter().take(MAX_WORKERS).map(worker_summary).collect(), found.len() <= MAX_WORKERS))
}

/// Finds workers in the partner API, which can only filter by complete names. The tool therefore reads pages
/// of workers and compares the names itself. The returned flag indicates whether the list is complete.
async fn find_workers_as_partner(
    company_id: &str,
    name: &str,
    api: &dyn ApiCaller,
) -> Result<(Vec<Value>, bool), ToolFailure> {
    let words: Vec<String> = name.split_whitespace().map(str::to_lowercase).collect();
    let mut workers = Vec::new();
    for page in 0..MAX_PAGES {
        let mut query = String::new();
        add_query_parameter(&mut query, "limit", &PAGE_SIZE.to_string());
        add_query_parameter(&mut query, "offset", &(page * PAGE_SIZE).to_string());
        let document =
            get_document(api, format!("/companies/{}/workers{query}", percent_encode(company_id))).await?;
        let elements = content_elements(&document);
        workers
            .extend(elements.iter().filter(|worker| name_contains_words(worker, &words)).map(worker_summary));
        if workers.len() > MAX_WORKERS {
            workers.truncate(MAX_WORKERS);
            return Ok((workers, false));
        }
        if elements.len() < PAGE_SIZE {
            return Ok((workers, true));
        }
    }
    Ok((workers, false))
}

/// Returns whether each of the words occurs in the names of a worker.
fn name_contains_words(worker: &Value, words: &[String]) -> bool {
    let mut names = String::new();
    if let Some(Value::Object(members)) = worker.get("name") {
        for name in members.values().filter_map(Value::as_str) {
            names.push_str(&name.to_lowercase());
            names.push(' ');
        }
    }
    words.iter().all(|word| names.contains(word))
}

/// Returns the members of a worker by which a person recognizes the worker.
fn worker_summary(worker: &Value) -> Value {
    const SHOWN_MEMBERS: [&str; 6] =
        ["workerId", "employeeId", "name", "currentStatus", "workerType", "hireDate"];
    let members =
        SHOWN_MEMBERS.iter().filter_map(|name| Some(((*name).to_owned(), worker.get(*name)?.clone())));
    Value::Object(members.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_must_occur_in_a_name() {
        let worker = json!({"name": {"givenName": "Ada", "familyName": "Sample"}, "employeeId": "x"});
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(name_contains_words(&worker, &words("sam ada")));
        assert!(
            !name_contains_words(&worker, &words("ada other")) && !name_contains_words(&worker, &words("x"))
        );
    }
}
