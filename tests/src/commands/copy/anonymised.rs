//! Tests of `copy --anonymise`. The copy contains no person and no company of the original, and works like
//! the original.

mod marked;

use payroll_domain::money::Amount;
use serde_json::Value;

use super::populated::{FULL_COMPANY, WORKER_SSN, populate, settings};
use super::{TARGET_KEYS, run_copy, write_key_file};
use crate::support::command_line::{CommandResult, parse_document};
use crate::support::receiver::wait_until_async;
use crate::support::{
    CLIENT_SECRET, Database, DatabaseKind, OPEN, Process, Receiver, Request, Response, TEST_KEYS,
    check_with_correlation_id, for_each_kind, run, run_with_keys,
};
use marked::{COMPANY_ID, marked_company, possible_spellings};

/// The encryption keys of the anonymised copies, which differ from the keys of the original.
const COPY_KEYS: &str = "copied:HhwdGxoZGBcWFRQTEhEQDw4NDAsKCQgHBgUEAwIBAB8=";
const ANONYMISE_SEED: &str = "what these tests make their copies with";

/// The original: its database, its key file, and the texts that must not be in the copy.
struct OriginalDatabase<'a> {
    database: &'a Database,
    key_file: String,
    texts: Vec<String>,
}

/// Runs a test with an original database of each available kind. The second argument of the test is the kind
/// of the copies.
fn run_on_originals(test: impl AsyncFn(&OriginalDatabase<'_>, DatabaseKind)) {
    let receiver = Receiver::start();
    for_each_kind(async |kind| {
        receiver.reset_state();
        let folder = tempfile::tempdir().expect("a folder");
        let embedded = Database::with_test_data(DatabaseKind::Sqlite).await;
        let (company, mut texts) = marked_company();
        let imported: CommandResult = run(&embedded, &["import", "-"], &company.to_string()).into();
        assert_eq!(imported.code, Some(0), "{imported:?}");
        populate(&embedded, &receiver).await;
        texts.extend([WORKER_SSN, "open-sesame", "full@example.test", "Bäckerei"].map(str::to_owned));
        let key_file = write_key_file(&folder, TEST_KEYS);
        if kind == DatabaseKind::Sqlite {
            test(&OriginalDatabase { database: &embedded, key_file, texts }, DatabaseKind::Sqlite).await;
            return;
        }
        let server = Database::empty(kind).await;
        let moved = run_copy(&embedded, &key_file, &server);
        assert_eq!(moved.code, Some(0), "{moved:?}");
        test(&OriginalDatabase { database: &embedded, key_file, texts: texts.clone() }, kind).await;
        let of_server = super::write_key_file(&folder, TARGET_KEYS);
        let original = OriginalDatabase { database: &server, key_file: of_server, texts };
        test(&original, DatabaseKind::Sqlite).await;
        test(&original, kind).await;
        server.return_to_pool().await;
    });
}

/// Copies anonymised data to an empty database.
fn run_anonymising_copy(
    original: &OriginalDatabase<'_>,
    copy: &Database,
    arguments: &[&str],
) -> CommandResult {
    let from = original.database.url();
    let always = ["copy", "--from", &from, "--from-key-file", &original.key_file, "--anonymise"];
    run_with_keys(copy, COPY_KEYS, &[&always, arguments].concat()).into()
}

/// Creates an anonymised copy with the fixed seed of these tests, so that the result is always the same.
async fn create_anonymised_copy(
    original: &OriginalDatabase<'_>,
    kind: DatabaseKind,
    arguments: &[&str],
) -> Database {
    let copy = Database::empty(kind).await;
    let reported =
        run_anonymising_copy(original, &copy, &[&["--anonymise-seed", ANONYMISE_SEED], arguments].concat());
    assert!(reported.code == Some(0) && reported.out.contains("hooks send nothing"), "{reported:?}");
    copy
}

/// Runs a command on a copy and returns its output.
fn run_on_copy(copy: &Database, arguments: &[&str]) -> String {
    let reported: CommandResult = run_with_keys(copy, COPY_KEYS, arguments).into();
    assert_eq!(reported.code, Some(0), "{arguments:?}: {reported:?}");
    reported.out
}

/// Returns all data of a copy: its files, its columns as texts, and its decrypted values.
async fn all_bytes(copy: &Database) -> Vec<u8> {
    let mut all = run_on_copy(copy, &["export", "--all", "-"]).into_bytes();
    for (table, columns) in read_tables(copy).await {
        for column in columns {
            let values = format!("SELECT CAST({column} AS TEXT) FROM {table} WHERE {column} IS NOT NULL");
            all.extend(copy.query_texts(&values).await.join("\n").bytes());
        }
    }
    if let Database::Sqlite(_) = copy {
        copy.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)").await;
        all.extend(std::fs::read(copy.url()).expect("the file"));
    }
    all
}

/// Returns the names of all tables of a database, each with the names of its columns.
async fn read_tables(database: &Database) -> Vec<(String, Vec<String>)> {
    let columns = match database {
        Database::Sqlite(_) => {
            "SELECT m.name || ' ' || group_concat(c.name, ' ') FROM sqlite_schema m, pragma_table_info(m.name) c \
             WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' GROUP BY m.name"
        }
        Database::Postgres(_) => {
            "SELECT table_name || ' ' || string_agg(column_name, ' ') FROM information_schema.columns \
             WHERE table_schema = 'public' AND data_type <> 'bytea' GROUP BY table_name"
        }
    };
    let split = |line: String| {
        let mut names = line.split(' ').map(str::to_owned);
        (names.next().expect("a table"), names.collect())
    };
    database.query_texts(columns).await.into_iter().map(split).collect()
}

#[test]
fn an_anonymised_copy_contains_no_person() {
    run_on_originals(async |original, kind| {
        let before = String::from_utf8_lossy(&all_bytes_of_original(original).await).into_owned();
        let copy = create_anonymised_copy(original, kind, &[]).await;
        let after = String::from_utf8_lossy(&all_bytes(&copy).await).into_owned();
        let mut found = Vec::new();
        for text in &original.texts {
            assert!(before.contains(text.as_str()) || *text == WORKER_SSN, "{text} is not in the original");
            found.extend(
                possible_spellings(text).into_iter().filter(|spelled| after.contains(spelled.as_str())),
            );
        }
        assert_eq!(found, [""; 0]);
        copy.return_to_pool().await;
    });
}

/// Returns the data of an original database as text: the export, the columns of some tables, and the secret
/// of the hook.
async fn all_bytes_of_original(original: &OriginalDatabase<'_>) -> Vec<u8> {
    let exported: CommandResult = match original.database {
        Database::Sqlite(_) => run(original.database, &["export", "--all", "-"], ""),
        Database::Postgres(_) => run_with_keys(original.database, TARGET_KEYS, &["export", "--all", "-"]),
    }
    .into();
    let mut all = exported.out.into_bytes();
    for table in ["hooks", "audit", "checks", "custom_fields"] {
        for (_, columns) in read_tables(original.database).await.into_iter().filter(|(name, _)| name == table)
        {
            for column in columns {
                let values = format!("SELECT CAST({column} AS TEXT) FROM {table} WHERE {column} IS NOT NULL");
                all.extend(original.database.query_texts(&values).await.join("\n").bytes());
            }
        }
    }
    // The database contains the hook's secret only encrypted, so the test adds the plain text.
    all.extend(b"open-sesame");
    all
}

/// Returns the number of elements in each list that a partner reads.
async fn list_lengths(server: &Process, secret: &str) -> Vec<(String, usize)> {
    let form = format!("grant_type=client_credentials&client_id=key-of-partner&client_secret={secret}");
    let token = server.client.request_token(form).await;
    let of_companies = [OPEN, FULL_COMPANY].into_iter().flat_map(|company| {
        let lists =
            ["calculationbases", "contacttypes", "customfields", "workers", "paycomponents", "payperiods"];
        lists.map(|list| format!("/companies/{company}/{list}"))
    });
    let others = [
        "/companies".to_owned(),
        format!("/companies/{OPEN}/checks?payperiodid=ENTRY"),
        format!("/companies/{FULL_COMPANY}/checks?payperiodid=FULL-PERIOD"),
        "/management/hooks".to_owned(),
        "/management/events".to_owned(),
    ];
    let mut all = Vec::new();
    for target in of_companies.chain(others) {
        let response: Response =
            server.client.send(&Request::get(&target), Some(&token)).await.expect("an answer");
        assert_eq!(response.status, 200, "{target}: {response:?}");
        let json = response.json();
        let list = json.as_array().or_else(|| json["content"].as_array());
        all.push((target, list.unwrap_or_else(|| panic!("no list: {json}")).len()));
    }
    all
}

#[test]
fn a_served_copy_has_lists_of_the_original_length() {
    run_on_originals(async |original, kind| {
        let receiver = Receiver::start();
        let settings = settings(&receiver);
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let keys = std::fs::read_to_string(&original.key_file).expect("keys");
        let served = Process::serve_with_keys(original.database, &keys, &settings);
        let before = list_lengths(&served, CLIENT_SECRET).await;
        drop(served);
        let copy = create_anonymised_copy(original, kind, &[]).await;
        // A server on the original would retry pending deliveries to the first receiver. The copy therefore
        // gets its own receiver.
        let receiver = Receiver::start();
        let settings = super::populated::settings(&receiver);
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        run_on_copy(&copy, &["doctor", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0"]);
        let secret = parse_document(&run_on_copy(&copy, &["app", "rotate", "partner", "--json"]));
        let key = parse_document(&run_on_copy(&copy, &["operator-key", "create", "tester", "--json"]));
        let key = format!("Bearer {}", key["content"][0]["value"].as_str().expect("a key"));
        let served = Process::serve_with_keys(&copy, COPY_KEYS, &settings);
        let secret = secret["content"][0]["value"].as_str().expect("a secret");
        // On PostgreSQL, the feed hides an event while any older transaction on the database server is open.
        // Concurrent tests therefore delay events.
        wait_until_async(async || list_lengths(&served, secret).await == before, "lists as long as before")
            .await;
        assert!(receiver.received().is_empty(), "a copy sends nothing");
        for (below, expected) in [("", 200), ("/register", 410), ("/journal", 410), ("/checks", 410)] {
            let target = format!("/companies/{OPEN}/payperiods/COMPLETED{below}");
            let response = served.operator.send(&Request::operator_get(&target), Some(&key)).await;
            assert_eq!(response.expect("an answer").status, expected, "{target}");
        }
        drop(served);
        copy.return_to_pool().await;
    });
}

#[test]
fn equal_values_stay_equal_and_different_values_stay_different() {
    const COLUMNS_WITH_EQUAL_VALUES: [(&str, &str); 6] = [
        ("workers", "family_name"),
        ("workers", "employee_id"),
        ("companies", "legal_name"),
        ("companies", "display_id"),
        ("organizations", "name"),
        ("communications", "uri"),
    ];
    run_on_originals(async |original, kind| {
        let copy = create_anonymised_copy(original, kind, &[]).await;
        for (table, column) in COLUMNS_WITH_EQUAL_VALUES {
            let query = format!("SELECT count(DISTINCT {column}) * 1000 + count({column}) FROM {table}");
            let counted = (original.database.query_number(&query).await, copy.query_number(&query).await);
            assert_eq!(counted.0, counted.1, "{table}.{column}");
        }
        let labels = "SELECT count(*) FROM pay_components p JOIN checks c ON c.company_id = p.company_id \
            WHERE p.component_id = 'FULL-PAY' AND c.lines LIKE '%\"' || p.name || '\"%'";
        assert_eq!(copy.query_number(labels).await, 1, "a line has the name of its component");
        copy.return_to_pool().await;
    });
}

#[test]
fn equal_seeds_give_equal_copies_and_a_missing_seed_is_random() {
    run_on_originals(async |original, kind| {
        let (first, second) = (
            create_anonymised_copy(original, kind, &[]).await,
            create_anonymised_copy(original, kind, &[]).await,
        );
        let own = Database::empty(kind).await;
        assert_eq!(run_anonymising_copy(original, &own, &[]).code, Some(0));
        let export = |copy: &Database| run_on_copy(copy, &["export", "--all", "-"]);
        assert_eq!(export(&first), export(&second));
        assert_ne!(export(&first), export(&own));
        for copy in [first, second, own] {
            copy.return_to_pool().await;
        }
    });
}

/// Returns the amounts of an exported check in ten-thousandths: gross, deductions, taxes of the worker, and
/// net.
fn amounts_of_check(check: &Value) -> [i64; 4] {
    let of = |amount: &Value| {
        let text = amount.as_str().map_or_else(|| amount.to_string(), str::to_owned);
        Amount::parse(&text).expect("an amount").to_ten_thousandths().expect("a small one")
    };
    let sum = |list: &str, is_counted: &dyn Fn(&Value) -> bool| -> i64 {
        let items = check[list].as_array().into_iter().flatten();
        items.filter(|item| is_counted(item)).map(|item| of(&item["amount"])).sum()
    };
    [
        of(&check["grossEarnings"]),
        sum("deductions", &|_| true),
        sum("taxes", &|tax| tax["paidBy"] == "EMPLOYEE_WITHHOLDING"),
        of(&check["netPay"]),
    ]
}

#[test]
fn multiplied_amounts_have_consistent_totals() {
    run_on_originals(async |original, kind| {
        let copy = create_anonymised_copy(original, kind, &["--amounts", "scale"]).await;
        let wrong = "SELECT count(*) FROM pay_periods p WHERE p.status = 'COMPLETED' AND \
            (total_gross_earnings, total_net_pay) <> (SELECT coalesce(sum(gross_earnings), 0), \
                coalesce(sum(net_pay), 0) FROM checks c \
                WHERE c.company_id = p.company_id AND c.pay_period_id = p.pay_period_id)";
        assert_eq!(copy.query_number(wrong).await, 0);
        let exported = run_on_copy(&copy, &["export", "--all", "-"]);
        let company = exported.lines().map(parse_document).find(|company| company["companyId"] == COMPANY_ID);
        let [gross, deductions, taxes, net] =
            amounts_of_check(&company.expect("the company")["payPeriods"][0]["checks"][0]);
        assert!(gross < 800_000 && gross > 390_000, "{gross}");
        assert_eq!(net, gross - deductions - taxes);
        let count_sql = "SELECT count(*) FROM recurring_components WHERE calculation_type = 'PERCENTAGE' \
            AND company_id = 'C-1' AND value = 25000";
        assert_eq!(copy.query_number(count_sql).await, 1, "a percentage is no money");
        copy.return_to_pool().await;
    });
}

#[test]
fn an_impossible_anonymised_copy_is_rejected_before_anything_is_written() {
    run_on_originals(async |original, kind| {
        let copy = Database::empty(kind).await;
        for (arguments, says) in [
            (&["--amounts", "double"][..], "invalid value 'double'"),
            (&["--anonymise-seed", "too short"], "16 characters or more"),
        ] {
            let reported = run_anonymising_copy(original, &copy, arguments);
            assert!(reported.code == Some(2) && reported.errors.contains(says), "{reported:?}");
        }
        let from = original.database.url();
        let plain = ["copy", "--from", &from, "--amounts", "scale"];
        let reported: CommandResult = run_with_keys(&copy, COPY_KEYS, &plain).into();
        assert!(reported.code == Some(2) && reported.errors.contains("--anonymise"), "{reported:?}");
        let keys = std::fs::read_to_string(&original.key_file).expect("keys");
        let same = ["copy", "--from", &from, "--from-key-file", &original.key_file, "--anonymise"];
        let reported: CommandResult = run_with_keys(&copy, &keys, &same).into();
        assert!(reported.code == Some(2) && reported.errors.contains("its own keys"), "{reported:?}");
        let reported: CommandResult =
            run_with_keys(&copy, COPY_KEYS, &["copy", "--from", &from, "--anonymise"]).into();
        assert!(reported.code == Some(2) && reported.errors.contains("--from-key-file"), "{reported:?}");
        assert_eq!(run_anonymising_copy(original, &copy, &[]).code, Some(0));
        let again = run_anonymising_copy(original, &copy, &[]);
        assert!(again.code == Some(2) && again.errors.contains("not empty"), "{again:?}");
        copy.return_to_pool().await;
    });
}

#[test]
fn an_original_is_copied_while_it_is_served() {
    run_on_originals(async |original, kind| {
        let keys = std::fs::read_to_string(&original.key_file).expect("keys");
        let served = Process::serve_with_keys(original.database, &keys, &[]);
        let copy = create_anonymised_copy(original, kind, &[]).await;
        let form = crate::support::token_form();
        let token = served.client.request_token(form).await;
        let added = Request::post_checks(OPEN, &serde_json::json!([check_with_correlation_id("beside")]));
        let added = served.client.send(&added, Some(&token)).await.expect("an answer");
        assert_eq!(added.status, 201, "{added:?}");
        copy.return_to_pool().await;
    });
}
