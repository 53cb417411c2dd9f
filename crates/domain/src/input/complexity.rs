//! Tests that every reader of a document takes linear time, for any content.

use crate::check::{Batch, validate};
use crate::custom_field::{self, CustomFieldFacts};
use crate::date::Timestamp;
use crate::document;
use crate::document::CompanyLine;
use crate::hook::Address;
use crate::hook::address::AddressRules;
use crate::input::{Node, Value, parse};
use crate::resource::ResourceKind;
use crate::steps::assert_linear;

/// A function that creates a document with the given number of repeated elements.
type DocumentGenerator = fn(usize) -> String;

/// Documents with repeated content that an attacker could send to slow down a reader.
const LARGE_DOCUMENTS: &[(&str, DocumentGenerator)] = &[
    ("escapes of four digits", |n| format!("[\"{}\"]", "\\u00e9".repeat(n))),
    ("pairs of escapes", |n| format!("[\"{}\"]", "\\ud83d\\ude00".repeat(n))),
    ("escapes of one letter", |n| format!("[\"{}\"]", "\\n".repeat(n))),
    ("escapes in names", |n| format!("{{{}\"a\":0}}", "\"\\u00e9\":1,".repeat(n))),
    ("half a pair at the end", |n| format!("[\"{}\\ud83d\"]", "\\u00e9".repeat(n))),
    ("a broken escape at the end", |n| format!("[\"{}\\u12", "\\u00e9".repeat(n))),
    ("nesting", |n| format!("[{}0]", format!("{}{},", "[".repeat(60), "]".repeat(60)).repeat(n / 60))),
    ("nested objects", |n| {
        format!("[{}0]", format!("{}0{},", "{\"a\":".repeat(60), "}".repeat(60)).repeat(n / 60))
    }),
    ("a long number", |n| format!("{{\"payHours\":1{}}}", "0".repeat(n))),
    ("many places", |n| format!("{{\"payHours\":0.{}}}", "1".repeat(n))),
    ("white space", |n| format!("[{}1{}]", " \n".repeat(n), "\t\r".repeat(n))),
    ("lines before a fault", |n| format!("[{}x", "\n".repeat(n))),
    ("one long text", |n| format!("{{\"checkCorrelationId\":\"{}\"}}", "x".repeat(n))),
    ("a text without an end", |n| format!("[\"{}", "é".repeat(n))),
    ("a member again and again", |n| format!("{{{}\"workerId\":0}}", "\"workerId\":1,".repeat(n))),
    ("names that differ", |n| {
        let members: Vec<_> = (0..n).map(|it| format!("\"member{it:06}\":1")).collect();
        format!("{{{}}}", members.join(","))
    }),
    ("checks of nothing", |n| format!("[{}]", vec!["{}"; n.min(100)].join(",") + &" ".repeat(n))),
    ("lines of nothing", |n| {
        let check = format!("{{\"earnings\":[{}]}}", vec!["{}"; 50].join(","));
        format!("[{}]", vec![check.as_str(); (n / 100).min(80)].join(","))
    }),
    ("lines of different things", |n| {
        let lines: Vec<_> = (0..50).map(|it| format!("{{\"componentId\":\"{it:06}\"}}")).collect();
        let check = format!("{{\"earnings\":[{}]}}", lines.join(","));
        format!("[{}]", vec![check.as_str(); (n / 100).min(80)].join(","))
    }),
    ("small arrays", |n| format!("[{}[]]", "[],".repeat(n))),
    ("objects in a list", |n| {
        let of = |list: &str| format!("\"{list}\":[{}{{}}]", "{\"a\":0},".repeat(n / 8));
        let lists = ["communications", "payRates", "recurringComponents", "dropdown", "relationshipTypes"];
        let all = ["products", "workers", "checks", "domains"].iter().chain(&lists).map(|it| of(it));
        format!("{{{}}}", all.collect::<Vec<_>>().join(","))
    }),
    ("a fault at the end", |n| format!("[{}}}", "1,".repeat(n))),
];

/// Parses a text and calls `read` with its tree. Ignores texts that are not valid JSON.
fn read_if_json<T>(text: &str, read: impl FnOnce(&Node<'_>) -> T) {
    if let Ok(node) = parse(text.as_bytes()) {
        let _ = read(&node);
    }
}

fn assert_linear_for_large_documents(reader: &str, read: impl Fn(&str)) {
    for (name, document) in LARGE_DOCUMENTS {
        assert_linear(&format!("{reader}: {name}"), document, &read);
    }
}

#[test]
fn reads_documents_in_linear_time() {
    assert_linear_for_large_documents("parse", |text| drop(parse(text.as_bytes())));
    assert_linear_for_large_documents("split", |text| drop(super::split_list(text, "workers")));
}

#[test]
fn validates_checks_in_linear_time() {
    let facts = crate::check::test_data::facts();
    let worker = "employee".parse().unwrap();
    assert_linear_for_large_documents("checks", |text| {
        read_if_json(text, |node| {
            Batch::read(node).map(|batch| (batch.required_lookups(), validate(&batch, &facts).is_ok()))
        });
    });
    assert_linear_for_large_documents("checks of a worker", |text| {
        read_if_json(text, |node| {
            Batch::read_for_worker(node, &worker).map(|batch| validate(&batch, &facts).is_ok())
        });
    });
}

#[test]
fn reads_operators_documents_in_linear_time() {
    for &kind in ResourceKind::ALL {
        assert_linear_for_large_documents(kind.as_str(), |text| {
            read_if_json(text, |node| {
                let filled = document::fill_missing_ids(kind, node.clone(), &mut || "NEW".to_owned());
                let with_reused_ids = document::reuse_ids(kind, filled.clone(), node);
                (
                    document::has_objects_without_ids(kind, node),
                    document::read_resource_document(kind, &with_reused_ids).is_ok(),
                )
            });
        });
    }
    assert_linear_for_large_documents("a line of an import", |text| drop(CompanyLine::read(text.as_bytes())));
    assert_linear_for_large_documents("a completion", |text| {
        read_if_json(text, |node| document::read_completion(node).is_ok())
    });
    assert_linear_for_large_documents("an application", |text| {
        read_if_json(text, |node| document::read_application(node).is_ok())
    });
    assert_linear_for_large_documents("changes of workers", |text| {
        let mut next_id = || "NEW".to_owned();
        read_if_json(text, |node| document::apply_worker_changes(node, Vec::new(), &mut next_id).is_ok());
    });
    assert_linear_for_large_documents("a lock", |text| {
        read_if_json(text, |node| document::read_lock(node, "operator", Timestamp::from_micros(0)).is_ok())
    });
}

#[test]
fn reads_partners_documents_in_linear_time() {
    let rules = AddressRules::default();
    let facts = CustomFieldFacts::default();
    assert_linear_for_large_documents("a hook", |text| {
        read_if_json(text, |node| document::read_registration(node, &rules).is_ok())
    });
    assert_linear_for_large_documents("a request", |text| {
        read_if_json(text, |node| document::read_access_request(node).is_ok())
    });
    assert_linear_for_large_documents("a replay", |text| {
        read_if_json(text, |node| document::read_replay(node).is_ok())
    });
    assert_linear_for_large_documents("a field", |text| {
        read_if_json(text, |node| custom_field::read_new_custom_field(node, &facts).is_ok())
    });
}

#[test]
fn applies_a_patch_in_linear_time() {
    assert_linear_for_large_documents("merge", |text| {
        read_if_json(text, |node| {
            let over_nothing = document::merge_documents(Node::from(Value::Null), node.clone());
            drop(document::merge_documents(over_nothing, node.clone()));
        });
    });
}

#[test]
fn validates_addresses_in_linear_time() {
    let rules = AddressRules::default();
    for part in ["a", ".", ":", "@", "[", "]", "#", "%41", "/", "?a=b", "é", "xn--", "\u{ad}", "\\"] {
        assert_linear(
            &format!("an address of {part:?}"),
            |n| format!("https://{}", part.repeat(n)),
            |text| {
                let _ = (Address::parse_receiver(text, &rules), Address::parse_token_url(text, &rules));
            },
        );
    }
}
