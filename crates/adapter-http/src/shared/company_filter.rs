//! The filter of a list of companies, the same for partners and operators.

use payroll_domain::code::Reason;
use payroll_domain::company::to_display_key;
use payroll_domain::violation::Violation;

use crate::shared::query::Query;

/// The parameters of a list of companies.
pub(crate) const PARAMETERS: &[&str] = &["displayid", "offset", "limit"];

/// Reads the filter `displayid` and converts it to the key that the store compares: the last characters of
/// the text in lower case, without dashes and spaces. Returns `None` if the query has no such filter.
pub(crate) fn read_display_id_filter(query: &Query) -> Result<Option<String>, Violation> {
    // A control character is replaced, because PostgreSQL cannot store NUL. Display ids contain no control
    // characters, so the filter then matches nothing.
    let text = query.single_value("displayid")?.map(|text| text.replace(char::is_control, "\u{fffd}"));
    let filter = text.as_deref().map(to_display_key);
    if filter.as_deref() == Some("") {
        let problem = "the query parameter displayid must be the account number of a company";
        return Err(Violation::new(Reason::InvalidParameter, problem));
    }
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_id_filter_is_normalized_and_must_not_be_empty() {
        let filter = |query| read_display_id_filter(&Query::parse(query));
        assert_eq!(filter(""), Ok(None));
        assert_eq!(filter("displayid=AB-00%2012345"), Ok(Some("b0012345".to_owned())));
        assert_eq!(filter("displayid=a%00"), Ok(Some("a\u{fffd}".to_owned())));
        for bad in ["displayid=", "displayid", "displayid=-+-", "displayid=1&displayid=1"] {
            assert_eq!(filter(bad).unwrap_err().reason, Reason::InvalidParameter, "{bad}");
        }
    }
}
