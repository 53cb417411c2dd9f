//! What the query of a GET and of a POST may say.

use super::adding::dry_run;
use super::*;

fn codes(query: &str) -> Vec<&'static str> {
    let faults = Parameters::read(&Query::parse(query)).unwrap_err();
    faults.iter().map(|fault| fault.reason.code()).collect()
}

#[test]
fn a_pay_period_must_be_named_once_and_by_an_id() {
    assert_eq!(codes(""), ["API-49"]);
    assert_eq!(codes("payPeriodId=x"), ["API-49"]);
    for bad in ["payperiodid=", "payperiodid", "payperiodid=a%20b", "payperiodid=a&payperiodid=a"] {
        assert_eq!(codes(bad), ["API-40"], "{bad}");
    }
}

#[test]
fn everything_that_is_wrong_with_a_query_is_told_at_once() {
    assert_eq!(codes("offset=x&limit=-1&filterbyuserid=1"), ["API-49", "API-40", "API-40", "API-40"]);
    assert_eq!(codes("payperiodid=p&limit=x&filterbyuserid="), ["API-40", "API-40"]);
}

#[test]
fn a_good_query_says_period_page_and_whose_checks() {
    let read = |query| Parameters::read(&Query::parse(query)).unwrap();
    let plain = read("payperiodid=p1&unknown=x");
    assert_eq!((plain.pay_period_id.as_str(), plain.only_own), ("p1", false));
    assert!(read("payperiodid=p1&filterbyuserid=true").only_own);
}

#[test]
fn a_post_takes_no_parameter_but_dryrun() {
    let dry = |query| dry_run(&Query::parse(query)).map_err(|faults| faults.as_slice().len());
    assert_eq!((dry(""), dry("dryrun=true"), dry("dryrun=false")), (Ok(false), Ok(true), Ok(false)));
    for bad in ["dryrun", "dryrun=", "dryrun=TRUE", "dryrun=1", "dry_run=true", "dryrun=true&dryrun=true"] {
        assert_eq!(dry(bad), Err(1), "{bad}");
    }
    assert_eq!(dry("dryrun=yes&x=1"), Err(2));
}
