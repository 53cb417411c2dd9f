//! Tests of the roles of operators, and of keys that are restricted to companies (specification §10.1).

use std::path::Path;

use payroll_domain::operator_key::OperatorRole;
use payroll_ports::Clock;
use payroll_server::app::operator_routes;
use serde_json::{Value, json};

use crate::support::receiver::wait_until_async;
use crate::support::{Caller, FOREIGN, OPEN, Request, Server, UNKNOWN, on_every_database, with_member};

/// Creates a key and returns its value for the header `Authorization`.
pub(crate) async fn create_key(server: &Server, document: &Value) -> String {
    let created = server.send(&Request::operator_post("/keys", document)).await;
    assert_eq!(created.status, 201, "{created:?}");
    format!("Bearer {}", created.members("value").remove(0))
}

/// Creates a key for each role, named like the role.
async fn create_keys(server: &Server) -> Vec<(OperatorRole, String)> {
    let mut keys = Vec::new();
    for role in OperatorRole::ALL {
        keys.push((*role, create_key(server, &json!({"name": role.as_str(), "role": role.as_str()})).await));
    }
    keys
}

pub(crate) fn request_with_key(key: &str, request: Request) -> Request {
    request.with_caller(Caller::Anonymous).header("authorization", key)
}

/// Returns the path of a route for this company. For the foreign company, the path contains ids of existing
/// objects. For any other company, the path contains unknown ids.
fn path_in_company(route: &str, company: &str) -> String {
    let part = |part: &str| match part {
        "{companyId}" => company.to_owned(),
        "{workerId}" if company != OPEN => "FOREIGN-WORKER".to_owned(),
        "{payPeriodId}" if company != OPEN => "FOREIGN-PERIOD".to_owned(),
        "{componentId}" if company != OPEN => "FOREIGN-COMPONENT".to_owned(),
        "{organizationId}" if company != OPEN => "FOREIGN-ORG".to_owned(),
        part if part.starts_with('{') => UNKNOWN.to_owned(),
        part => part.to_owned(),
    };
    route.split('/').map(part).collect::<Vec<_>>().join("/")
}

fn request_as_operator(method: &str, path: String) -> Request {
    Request::new(method.parse().expect("a method"), path)
}

/// Returns the table of docs/operating/security.md: each path, and the methods that each role may use.
fn documented_operations() -> Vec<(String, Vec<String>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operating/security.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `/"));
    let row = |row: &str| {
        let mut cells = row.trim_end_matches('|').split('|').map(|cell| cell.trim().to_owned());
        let path = cells.next().expect("a path").trim_matches('`').to_owned();
        (format!("/operator/v1/{path}"), cells.collect())
    };
    rows.map(row).collect()
}

#[test]
fn every_operation_is_denied_to_the_undocumented_roles() {
    on_every_database(async |server| {
        let (keys, documented) = (create_keys(server).await, documented_operations());
        for route in operator_routes() {
            let (_, cells) = documented.iter().find(|(path, _)| path == route.path).expect(route.path);
            for ((role, key), cell) in keys.iter().zip(cells) {
                let response = server
                    .send(&request_with_key(
                        key,
                        request_as_operator(route.method, path_in_company(route.path, OPEN)),
                    ))
                    .await;
                let is_listed = cell.split(' ').any(|method| method == route.method);
                let refusal = response.status_and_any_code();
                assert_eq!(refusal == "403 API-2", !is_listed, "{role} {} {}", route.method, route.path);
                if !is_listed {
                    let text = response.errors()[0]["description"].as_str().expect("a text").to_owned();
                    let named = |role: &OperatorRole| text.contains(role.as_str());
                    assert!(route.roles.iter().chain([role]).all(named), "{}: {text}", route.path);
                    let advice = response.errors()[0]["resolution"].to_string();
                    assert!(advice.contains("operator key"), "{advice}");
                }
            }
        }
    });
}

#[test]
fn a_restricted_key_gets_404_for_other_companies() {
    on_every_database(async |server| {
        let restricted = json!({"name": "restricted", "companyIds": [OPEN]});
        let restricted = create_key(server, &restricted).await;
        for route in operator_routes() {
            let send = async |company| {
                let sent = request_as_operator(route.method, path_in_company(route.path, company));
                let response = server.send(&request_with_key(&restricted, sent)).await;
                let description = match response.status {
                    400.. => {
                        let text = response.errors()[0]["description"].to_string();
                        text.replace(&format!("companyId {company}"), "companyId A")
                    }
                    _ => String::new(),
                };
                (response.status_and_any_code(), description)
            };
            if route.path.starts_with("/operator/v1/companies/{companyId}") {
                let foreign = send(FOREIGN).await;
                assert_eq!(foreign.0, "404 API-7", "{route:?}");
                assert_eq!(foreign, send("NOWHERE").await, "{route:?}");
            } else if !route.is_for_restricted {
                assert_eq!(send(FOREIGN).await.0, "403 API-2", "{route:?}");
            }
        }
    });
}

#[test]
fn a_restricted_key_cannot_name_another_company_as_parent() {
    on_every_database(async |server| {
        let restricted = create_key(server, &json!({"name": "restricted", "companyIds": [OPEN]})).await;
        let path = format!("/companies/{OPEN}");
        let stored = server.send(&Request::operator_get(&path)).await.content().remove(0);
        let errors = async |parent: &str| {
            let replacement = with_member(stored.clone(), "parentCompanyId", json!(parent));
            let mut errors = Vec::new();
            for change in [
                Request::operator_patch(&path, &json!({"parentCompanyId": parent})),
                Request::operator_put(&path, &replacement),
            ] {
                let response = server.send(&request_with_key(&restricted, change)).await;
                assert_eq!(response.status, 400, "{response:?}");
                errors.push(response.errors()[0].to_string().replace(parent, "A"));
            }
            errors
        };
        assert_eq!(errors(FOREIGN).await, errors("NOWHERE").await);
        // The restricted operator cannot see the parent company. A change by this operator must keep the
        // parent company.
        let parent = json!({"companyId": "ROOT", "displayId": "ROOT", "legalName": "Root LLC"});
        assert_eq!(server.send(&Request::operator_post("/companies", &parent)).await.status, 201);
        let set = Request::operator_patch(&path, &json!({"parentCompanyId": "ROOT"}));
        assert_eq!(server.send(&set).await.status, 200);
        let rename = Request::operator_patch(&path, &json!({"legalName": "Other"}));
        assert_eq!(server.send(&request_with_key(&restricted, rename)).await.status, 200);
    });
}

#[test]
fn a_restricted_key_gets_no_ids_of_others_when_it_deletes_a_company() {
    on_every_database(async |server| {
        let child = json!({"companyId": "BRANCH", "displayId": "BRANCH", "legalName": "Branch LLC",
            "parentCompanyId": OPEN});
        assert_eq!(server.send(&Request::operator_post("/companies", &child)).await.status, 201);
        let restricted = create_key(server, &json!({"name": "restricted", "companyIds": [OPEN]})).await;
        let delete = Request::operator_delete(&format!("/companies/{OPEN}"));
        let descriptions = async |request: &Request| {
            let refused = server.send(request).await;
            assert_eq!(refused.status, 409, "{refused:?}");
            let errors = refused.errors();
            errors.iter().map(|it| it["description"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let full = descriptions(&delete).await;
        let hidden = descriptions(&request_with_key(&restricted, delete)).await;
        assert!(full[0].starts_with("the company is the parent of companies: BRANCH, "), "{full:?}");
        assert!(hidden.contains(&"the company is the parent of companies".to_owned()), "{hidden:?}");
        assert!(hidden.contains(&"applications have access to the company".to_owned()), "{hidden:?}");
        assert!(hidden.iter().any(|it| it.starts_with("the company has workers: ")), "{hidden:?}");
        assert_eq!(hidden.len(), full.len());
    });
}

#[test]
fn lists_of_companies_have_different_etags_for_differently_restricted_keys() {
    on_every_database(async |server| {
        let mut etags = Vec::new();
        for companies in [json!([OPEN]), json!([FOREIGN]), json!([OPEN, FOREIGN])] {
            let key =
                create_key(server, &json!({"name": companies.to_string(), "companyIds": companies})).await;
            let list = request_with_key(&key, Request::operator_get("/companies"));
            let etag = server.send(&list).await.header("etag").to_owned();
            let again = server.send(&list.clone().header("if-none-match", &etag)).await;
            assert_eq!((again.status, etag.is_empty()), (304, false));
            etags.push(etag);
        }
        let unrestricted = Request::operator_get("/companies");
        for etag in etags.clone() {
            let other = server.send(&unrestricted.clone().header("if-none-match", &etag)).await;
            assert_eq!(other.status, 200, "{other:?}");
        }
        etags.dedup();
        assert_eq!(etags.len(), 3, "{etags:?}");
    });
}

#[test]
fn the_lists_of_a_restricted_key_show_only_its_companies() {
    on_every_database(async |server| {
        let restricted = create_key(server, &json!({"name": "restricted", "companyIds": [OPEN]})).await;
        let content = async |path: &str| {
            let response = server.send(&request_with_key(&restricted, Request::operator_get(path))).await;
            assert_eq!(response.status, 200, "{path} {response:?}");
            response.content()
        };
        let companies = content("/companies").await;
        assert_eq!(companies.iter().map(|it| &it["companyId"]).collect::<Vec<_>>(), [OPEN]);
        for path in ["/payruns", "/events?limit=1000", "/audit?limit=1000", "/search?q=EMPLOYEE"] {
            let rows = content(path).await;
            assert!(!rows.is_empty(), "{path}");
            assert!(rows.iter().all(|row| row["companyId"] == OPEN), "{path}: {rows:?}");
        }
        for path in [
            "/completionrequests",
            "/depositrequests",
            "/search?q=FOREIGN",
            "/search?q=partner",
            "/payruns?companyid=FOREIGN",
            "/events?companyid=FOREIGN",
            "/audit?companyid=FOREIGN",
            "/audit?resourceid=FOREIGN-WORKER",
        ] {
            assert_eq!(content(path).await, Vec::<Value>::new(), "{path}");
        }
        let export = async |company| {
            let path = format!("/export?companyid={company}");
            let request = Request::operator_get(&path).accept("application/x-ndjson");
            server.send_unchecked(&request_with_key(&restricted, request)).await.status
        };
        assert_eq!((export(OPEN).await, export(FOREIGN).await), (200, 404));
        let own = request_with_key(&restricted, Request::operator_get(&format!("/companies/{OPEN}")));
        assert_eq!(server.send(&own).await.status, 200);
    });
}

/// The members of a worker that an operator with the role support may see. All other members contain personal
/// data or pay.
const MEMBERS_SHOWN_TO_SUPPORT: &[&str] = &[
    "workerId",
    "employeeId",
    "clockId",
    "workerType",
    "employmentType",
    "customEmploymentType",
    "exemptionType",
    "workState",
    "hireDate",
    "name",
    "locationId",
    "jobId",
    "laborAssignmentId",
    "job",
    "organization",
    "supervisor",
    "currentStatus",
];

#[test]
fn support_sees_only_work_data_of_a_worker() {
    on_every_database(async |server| {
        let path = format!("/companies/{OPEN}/workers/EMPLOYEE");
        let personal = json!({"birthDate": "1990-02-03", "sex": "FEMALE", "clockId": "C-1",
            "legalId": {"legalIdType": "SSN", "legalIdValue": "123456789"}});
        let change = Request::operator_patch(&path, &personal).if_match("*");
        assert_eq!(server.send(&change).await.status, 200);
        let company = json!({"legalId": {"legalIdType": "SSN", "legalIdValue": "123454321"}});
        let change = Request::operator_patch(&format!("/companies/{OPEN}"), &company);
        assert_eq!(server.send(&change).await.status, 200);
        for (role, key) in create_keys(server).await {
            let send =
                async |path: &str| server.send(&request_with_key(&key, Request::operator_get(path))).await;
            let found = send(&format!("/companies/{OPEN}/workers?legallastfour=6789")).await;
            let expected = if role == OperatorRole::Support { "403 API-2" } else { "200" };
            assert_eq!(found.status_and_any_code(), expected, "{role}");
            let company = send(&format!("/companies/{OPEN}")).await;
            let is_shown = company.content()[0].get("legalId").is_some();
            assert_eq!(is_shown, role != OperatorRole::Support, "{role}");
            for path in [path.clone(), format!("/companies/{OPEN}/workers?limit=1000")] {
                let workers =
                    server.send(&request_with_key(&key, Request::operator_get(&path))).await.content();
                let worker = workers.iter().find(|it| it["workerId"] == "EMPLOYEE").expect("the worker");
                let mut members = worker.as_object().expect("an object").keys();
                if role == OperatorRole::Support {
                    assert!(
                        members.all(|it| MEMBERS_SHOWN_TO_SUPPORT.contains(&it.as_str())),
                        "{path}: {worker}"
                    );
                    assert_eq!(worker["clockId"], "C-1");
                    continue;
                }
                for member in ["birthDate", "communications", "contacts", "directDeposits", "taxes"] {
                    assert!(worker.get(member).is_some(), "{role} {path}: {member}");
                }
                let is_masked = worker["legalId"]["legalIdValue"] == "*****6789";
                assert_eq!(is_masked, role == OperatorRole::Auditor, "{role} {path}");
            }
        }
    });
}

#[test]
fn an_expired_key_is_rejected_like_an_unknown_key() {
    on_every_database(async |server| {
        let expires = |text: &str| json!({"name": text, "expiresDate": text});
        let past = server.send(&Request::operator_post("/keys", &expires("2020-01-01"))).await;
        assert_eq!(past.status_and_code(), "400 API-48");
        assert_eq!(past.errors()[0]["pointer"], "/expiresDate");
        let now = server.clock.now().plus_seconds(120).to_string();
        let key = create_key(server, &expires(&now)).await;
        let list = || request_with_key(&key, Request::operator_get("/companies"));
        let session =
            server.send(&request_with_key(&key, Request::operator(reqwest::Method::POST, "/sessions"))).await;
        assert_eq!(session.members("expiresDate"), [now], "a session ends with its key");
        assert_eq!(server.send(&list()).await.status, 200);
        server.clock.advance_seconds(120);
        let (expired, unknown) =
            (server.send(&list()).await, server.send(&request_with_key("Bearer opk_unknown", list())).await);
        assert_eq!(expired.status_and_code(), "401 API-102");
        assert_eq!(expired.errors()[0]["description"], unknown.errors()[0]["description"]);
    });
}

#[test]
fn a_key_shows_its_operator_role_companies_and_last_use() {
    on_every_database(async |server| {
        let document = json!({
            "name": "Ann, laptop", "operatorName": "Ann", "role": "payroll", "companyIds": [OPEN, FOREIGN],
            "expiresDate": "2099-01-01",
        });
        let key = create_key(server, &document).await;
        let shown = async || {
            let keys = server.send(&Request::operator_get("/keys")).await.content();
            keys.into_iter().find(|key| key["name"] == "Ann, laptop").expect("the key")
        };
        let unused = shown().await;
        for (member, expected) in [
            ("operatorName", json!("Ann")),
            ("role", json!("payroll")),
            ("readOnly", json!(false)),
            ("companyIds", json!([FOREIGN, OPEN])),
            ("expiresDate", json!("2099-01-01T00:00:00.000Z")),
            ("lastUsedDate", Value::Null),
        ] {
            assert_eq!(unused[member], expected, "{member}");
        }
        server.send(&request_with_key(&key, Request::operator_get("/companies"))).await;
        // The server records the last use of a key in the background, so the test waits.
        wait_until_async(async || !shown().await["lastUsedDate"].is_null(), "a recorded use").await;
    });
}

#[test]
fn an_operator_has_any_number_of_keys_and_one_spelling_of_the_name() {
    on_every_database(async |server| {
        let create = |name: &str, operator: &str| {
            Request::operator_post("/keys", &json!({"name": name, "operatorName": operator}))
        };
        for (name, operator, expected) in [
            ("Ann, laptop", "Ann Lee", "201"),
            ("Ann, phone", " Ann Lee ", "201"),
            ("Ann, tablet", "ann lee", "409 API-409"),
            ("Ann, tablet", "\u{410}nn Lee", "409 API-409"),
            ("Ann, tablet", "Ann\u{200b}Lee", "400 API-48"),
            ("Ann, laptop", "Ben", "409 API-409"),
        ] {
            let response = server.send(&create(name, operator)).await;
            assert_eq!(response.status_and_any_code(), expected, "{name} {operator:?}");
        }
    });
}

#[test]
fn changes_are_attributed_to_the_operator_and_not_to_the_key() {
    on_every_database(async |server| {
        let document = json!({"name": "Ann, laptop", "operatorName": "Ann", "role": "payroll"});
        let key = create_key(server, &document).await;
        let lock = Request::operator_put(&format!("/companies/{OPEN}/lock"), &json!({}));
        let lock = server.send(&request_with_key(&key, lock)).await;
        assert_eq!(lock.members("holder"), ["Ann"]);
        let rows = server.send(&Request::operator_get("/audit?limit=1")).await.content();
        assert_eq!(rows[0]["actor"], json!({"kind": "operator", "name": "Ann"}));
    });
}
