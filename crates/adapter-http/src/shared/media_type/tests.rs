//! Tests of content negotiation. Each row has an `Accept` header and the type that is chosen: the vendor type
//! or JSON.

use super::*;

const VENDOR_TYPE: &str = "application/vnd.vendor.payroll.checks.v1+json";

/// Returns the chosen type: `V` for the vendor type, `J` for JSON, `-` if no type is accepted.
fn choose_type(accept: &[&str]) -> char {
    let accept = AcceptedTypes::parse(accept.iter().map(|line| line.as_bytes()));
    match accept.choose(&[VENDOR_TYPE, JSON]) {
        Some(VENDOR_TYPE) => 'V',
        Some(JSON) => 'J',
        Some(other) => panic!("{other} was not offered"),
        None => '-',
    }
}

fn assert_chosen_types(rows: &[(char, &str)]) {
    for (expected, accept) in rows {
        assert_eq!(choose_type(&[accept]), *expected, "{accept}");
    }
}

#[test]
fn an_absent_header_and_wildcards_select_the_vendor_type() {
    assert_eq!(choose_type(&[]), 'V', "no header");
    assert_chosen_types(&[
        ('V', ""),
        ('V', "   "),
        ('V', ", ,"),
        ('V', "*/*"),
        ('V', "application/*"),
        ('V', "APPLICATION/*"),
        ('V', "*/*;q=0.001"),
        ('-', "*/*;q=0"),
        ('-', "application/*;q=0.000"),
        ('-', "text/*"),
    ]);
}

#[test]
fn named_types_are_selected_regardless_of_case_and_parameters() {
    assert_chosen_types(&[
        ('J', "application/json"),
        ('J', "Application/JSON"),
        ('J', "application/json;charset=utf-8"),
        ('J', "application/json ; charset=\"utf-8\" "),
        ('J', "application/json;"),
        ('V', "application/vnd.vendor.payroll.checks.v1+json"),
        ('V', "application/vnd.vendor.payroll.checks.v1+json;profile=\"http://example.org/a,b;c\""),
        ('V', "application/vnd.vendor.payroll.checks.v1+json;profile=\"a\\\"b,c\", text/plain"),
        ('-', "application/vnd.vendor.payroll.checks.v2+json"),
        ('-', "application/vnd.vendor.payroll.processedchecks.v1+json"),
        ('-', "application/vnd.other.payroll.checks.v1+json"),
        ('-', "application/jsonx"),
        ('-', "text/html"),
        ('-', "application/xml, text/html"),
        ('J', "text/html, application/xml;q=0.9, application/json;q=0.1"),
    ]);
}

#[test]
fn the_weight_decides_before_the_named_type_and_the_vendor_type() {
    assert_chosen_types(&[
        ('V', "application/json, application/vnd.vendor.payroll.checks.v1+json"),
        ('J', "application/json, application/vnd.vendor.payroll.checks.v1+json;q=0.9"),
        ('V', "application/json;q=0.8, application/vnd.vendor.payroll.checks.v1+json;q=0.9"),
        ('J', "application/json, */*"),
        ('J', "*/*, application/json"),
        ('J', "application/*, application/json"),
        ('V', "application/json;q=0.5, */*"),
        ('J', "application/json;q=0.5, */*;q=0.4"),
        ('J', "application/json;q=0.5, */*;q=0.5"),
        ('V', "application/*;q=0.5, */*;q=0.9"),
        ('V', "application/json;q=0, */*"),
        ('J', "application/vnd.vendor.payroll.checks.v1+json;q=0, */*;q=0.1"),
        ('-', "application/*;q=0, */*;q=1"),
        ('J', "application/*;q=0, application/json;q=0.1"),
        ('J', "application/json;q=0.2, application/json;q=0.7, application/*;q=0.6"),
        ('J', "application/json;Q=0.9, application/*;q=0.8"),
        ('J', "application/json;q=1.000, application/*;q=0.999"),
    ]);
}

#[test]
fn an_invalid_accept_element_is_ignored() {
    assert_chosen_types(&[
        ('-', "application"),
        ('-', "application/"),
        ('-', "/json"),
        ('-', "*/json"),
        ('-', "application/json/x"),
        ('-', "application json"),
        ('-', "applicati\u{f6}n/json"),
        ('J', "application/json, application/*;q=x"),
        ('J', "???, application/json"),
    ]);
}

#[test]
fn invalid_parameter_is_ignored_but_its_element_is_kept() {
    assert_chosen_types(&[
        ('J', "application/json;profile='https://example.org/a b'"),
        ('J', "application/json;profile='https://example.org/a b';q=0.5, text/html"),
        ('J', "application/json;charset"),
        ('J', "application/json;charset;q=0.5, */*;q=0.4"),
        ('V', "application/json;charset;q=0.3, */*;q=0.4"),
        ('J', "application/json;=;==;a b=c"),
        ('J', "application/json;a=\"open"),
        ('J', "application/json;q=0.5;a=\"open\\"),
        ('J', "text/html;a=\"open, application/json"),
        ('V', "application/json;q=0.1;a=\"closed, x\";b=\"open, */*;q=0.2"),
        ('-', "text/html;a=\"closed, application/json\""),
    ]);
}

#[test]
fn an_invalid_weight_is_ignored() {
    for weight in ["2", "1.001", "-1", "abc", "", ".", "\"0.5\""] {
        assert_eq!(choose_type(&[&format!("application/json;q={weight}, */*;q=0.9")]), 'J', "{weight}");
    }
    assert_eq!(
        choose_type(&["application/json;q=0.1;q=x, */*;q=0.9"]),
        'V',
        "the one that is well-formed counts"
    );
}

#[test]
fn the_default_header_of_a_common_client_is_accepted() {
    assert_chosen_types(&[
        ('V', "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"),
        ('J', "application/json;q=0.33333, */*;q=0.1"),
    ]);
}

#[test]
fn several_header_lines_are_one_list() {
    assert_eq!(choose_type(&["text/html", "application/json"]), 'J');
    assert_eq!(choose_type(&["application/json;q=0.5", "*/*;q=0.9"]), 'V');
    assert_eq!(choose_type(&["", "text/html"]), '-');
}

#[test]
fn a_body_has_exactly_one_supported_content_type() {
    let fits =
        |lines: &[&str]| is_accepted_type(lines.iter().map(|line| line.as_bytes()), &[VENDOR_TYPE, JSON]);
    for good in [
        JSON,
        "Application/Json",
        " application/json ; charset=utf-8",
        "application/json;x=\"a,b\"",
        VENDOR_TYPE,
    ] {
        assert!(fits(&[good]), "{good}");
    }
    for bad in
        ["", "text/plain", "application/*", "*/*", "application/json, text/plain", "application/json;a,b"]
    {
        assert!(!fits(&[bad]), "{bad}");
    }
    assert!(!fits(&[]), "none");
    assert!(!fits(&[JSON, JSON]), "two");
}

#[test]
fn every_vendor_type_contains_the_vendor_name() {
    let types = VendorTypes::new("acme");
    assert_eq!(types.processed_checks, "application/vnd.acme.payroll.processedchecks.v1+json");
    assert_eq!(types.contact_types, "application/vnd.acme.company.contacttypes.v1+json");
}
