//! Tests of the query parameters of GET and POST.

use super::*;

fn fault_codes_of_query(query: &str) -> Vec<&'static str> {
    let faults = ListParameters::read(&Query::parse(query)).unwrap_err();
    faults.iter().map(|fault| fault.reason.code()).collect()
}

#[test]
fn the_pay_period_parameter_is_required_once_and_is_an_id() {
    assert_eq!(fault_codes_of_query(""), ["API-49"]);
    assert_eq!(fault_codes_of_query("period=x"), ["API-49"]);
    for bad in ["payperiodid=", "payperiodid", "payperiodid=a%20b", "payperiodid=a&payperiodid=a"] {
        assert_eq!(fault_codes_of_query(bad), ["API-40"], "{bad}");
    }
}

#[test]
fn all_faults_of_a_query_are_reported_together() {
    assert_eq!(
        fault_codes_of_query("offset=x&limit=-1&filterbyuserid=1"),
        ["API-49", "API-40", "API-40", "API-40"]
    );
    assert_eq!(fault_codes_of_query("payperiodid=p&limit=x&filterbyuserid="), ["API-40", "API-40"]);
}

#[test]
fn a_valid_query_is_parsed_into_period_page_and_filter() {
    let read = |query| ListParameters::read(&Query::parse(query)).unwrap();
    let plain = read("payPeriodId=p1");
    assert_eq!((plain.pay_period_id.as_str(), plain.only_own), ("p1", false));
    assert!(read("payperiodid=p1&filterbyuserid=true").only_own);
}
