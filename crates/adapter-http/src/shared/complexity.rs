//! Tests that the cost of parsing headers, queries and forms is proportional to their length. The tests for
//! import lines are next to the import reader. The tests for documents are in the domain.

use std::net::SocketAddr;

use actix_web::http::header::{FORWARDED, HeaderMap, HeaderName, HeaderValue, X_FORWARDED_FOR};
use payroll_domain::steps::assert_linear;
use payroll_domain::token::{TokenInput, TokenRequest};

use crate::shared::cursor::CursorKind;
use crate::shared::etag::EntityTag;
use crate::shared::media_type::{AcceptedTypes, JSON, is_accepted_type};
use crate::shared::page::RequestedPage;
use crate::shared::query::Query;
use crate::transport::forwarded::{self, Network};

/// Pieces of header text. Each test repeats one of these pieces many times, as an attacker could.
const ELEMENT_SEPARATORS: &[&str] = &[
    ",",
    ";",
    "\"",
    "\\",
    "=",
    " ",
    "a",
    "a/b,",
    "a/b;c=d,",
    "a/b;c=\"\\\"\",",
    "*/*;q=0.1,",
    ";a=b",
    "for=1.2.3.4,",
    "for=\"[::1]\";proto=https,",
    "1.2.3.4, ",
    "W/\"a\",",
    "\"a\", ",
    "a=b; ",
];

/// Pieces of a query or a form. Each test repeats one of these pieces many times, as an attacker could.
const PAIR_SEPARATORS: &[&str] = &[
    "&",
    "=",
    "a=b&",
    "a&",
    "%41",
    "%",
    "+",
    "%zz",
    "status=x&",
    "limit=1&",
    "scope=read%20",
    "client_id=a&",
];

fn assert_list_parsing_is_linear(name: &str, read: impl Fn(&str)) {
    for element in ELEMENT_SEPARATORS {
        assert_linear(&format!("{name} of {element:?}"), |n| element.repeat(n), &read);
    }
}

#[test]
fn parsing_headers_takes_linear_time() {
    assert_list_parsing_is_linear("Accept", |text| {
        let _ =
            AcceptedTypes::parse([text.as_bytes()]).choose(&["application/vnd.vendor.check.v1+json", JSON]);
    });
    assert_list_parsing_is_linear("Content-Type", |text| {
        let _ = is_accepted_type([format!("{JSON};{text}").as_bytes()], &[JSON]);
    });
    assert_list_parsing_is_linear("If-None-Match", |text| {
        EntityTag::from_version(1).matches_if_none_match([text.as_bytes()]);
    });
}

#[test]
fn parsing_forwarded_headers_takes_linear_time() {
    let trusted: Vec<Network> = vec!["0.0.0.0/0".parse().unwrap()];
    let peer: SocketAddr = "192.0.2.1:1".parse().unwrap();
    let with = |name: HeaderName| {
        let trusted = trusted.clone();
        move |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name.clone(), HeaderValue::from_str(text).unwrap());
            forwarded::read(&headers, Some(peer), &trusted);
        }
    };
    assert_list_parsing_is_linear("Forwarded", with(FORWARDED));
    assert_list_parsing_is_linear("X-Forwarded-For", with(X_FORWARDED_FOR));
}

#[test]
fn parsing_queries_and_forms_takes_linear_time() {
    for pair in PAIR_SEPARATORS {
        assert_linear(
            &format!("a query of {pair:?}"),
            |n| pair.repeat(n),
            |text| {
                let query = Query::parse(text);
                let _ = (RequestedPage::read(&query), query.boolean_value("dryrun"));
                let _ = TokenRequest::read(TokenInput {
                    form: query.pairs(),
                    query: query.pairs(),
                    ..TokenInput::default()
                });
            },
        );
    }
}

#[test]
fn parsing_cursors_takes_linear_time() {
    for part in ["e", "A", "=", "-", "+", "%41", "é"] {
        assert_linear(
            &format!("a cursor of {part:?}"),
            |n| format!("e{}", part.repeat(n)),
            |text| {
                let _ = CursorKind::Event.decode(text);
            },
        );
    }
}
