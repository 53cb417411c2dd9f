//! Access requests as applications send them (specification §5.8), and the operators' decisions on them
//! (§10.16). Unknown members of an application's request are ignored.

use super::access::read_scope_list as list_of_scopes;
use crate::access::{Scope, Scopes};
use crate::application::AccessRequest;
use crate::code::Reason;
use crate::company::MAX_DISPLAY_ID_LENGTH;
use crate::input::{Field, Members, Node, Value, values};
use crate::object::reader::read_object;
use crate::object::values::text_reader;
use crate::object::writer::{ObjectWriter, TaxIdMasking};
use crate::report::{Fault, FaultLocation, Report};
use crate::violation::{DocumentPosition, Violations};

/// The sort rank of the fault for a missing display id. The display id is the only required member.
const DISPLAY_ID_RANK: u8 = 1;

/// The access that an application requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessRequestDocument {
    /// The display id of the company to which access is requested.
    pub display_id: String,
    /// The requested scopes. If the request contains no scopes, these are [`Scopes::default_scopes`].
    pub scopes: Scopes,
}

/// Reads the access that an application requests.
///
/// # Errors
/// Returns only one fault for a document that is not an object (`API-40`) or is empty (`API-52`). Otherwise,
/// every fault is returned: `API-46` for a missing display id or an empty list of scopes, `API-48` for an
/// invalid display id or an unknown scope.
///
/// ```
/// use payroll_domain::{document, input};
/// let read = |json: &str| document::read_access_request(&input::parse(json.as_bytes()).unwrap());
/// let wanted = read(r#"{"displayId": "00012345", "scopes": "read:companies read:payroll"}"#).unwrap();
/// assert_eq!(wanted.scopes.to_string(), "read:companies read:payroll");
/// assert_eq!(read(r#"{"displayId": "00012345"}"#).unwrap().scopes, payroll_domain::access::Scopes::default_scopes());
/// let faults = read(r#"{"scopes": ["read:webhooks"]}"#).unwrap_err();
/// let faults: Vec<_> = faults.iter().map(|fault| (fault.reason.code(), fault.pointer.as_deref())).collect();
/// assert_eq!(faults, [("API-48", Some("/scopes/0")), ("API-46", Some("/displayId"))]);
/// ```
pub fn read_access_request(document: &Node<'_>) -> Result<AccessRequestDocument, Violations> {
    let members = Members::from_body(document, "the body must be an object")?;
    let mut report = Report::new(Reason::FieldMissing);
    let display_id =
        members.read_required("displayId", DISPLAY_ID_RANK, &mut report, text_reader(MAX_DISPLAY_ID_LENGTH));
    let scopes = read_scope_list(members, &mut report);
    report.into_result(|| {
        let display_id = display_id.into_value()?;
        Some(AccessRequestDocument { display_id, scopes: scopes.unwrap_or_else(Scopes::default_scopes) })
    })
}

/// Reads the scopes that an operator grants. If the document contains no scopes, all requested scopes are
/// granted.
///
/// # Errors
/// Returns every fault, each with its pointer.
///
/// ```
/// use payroll_domain::access::Scopes;
/// use payroll_domain::{document, input};
/// let asked = Scopes::parse("read:companies read:payroll").unwrap();
/// let read = |json: &str| document::read_access_approval(&input::parse(json.as_bytes()).unwrap(), asked);
/// assert_eq!(read("{}"), Ok(asked));
/// assert_eq!(read(r#"{"scopes": ["read:payroll"]}"#).unwrap().to_string(), "read:payroll");
/// assert!(read(r#"{"scopes": []}"#).is_err() && read(r#"{"scopes": ["write:payroll"]}"#).is_err());
/// ```
pub fn read_access_approval(node: &Node<'_>, requested: Scopes) -> Result<Scopes, Violations> {
    read_object(node, |object| {
        let has_scopes = object.has_member("scopes");
        let scopes = list_of_scopes(object, "scopes", requested)?;
        if has_scopes && scopes.is_empty() {
            object.report_fault(
                Reason::FieldMissing,
                "scopes",
                "must contain at least one scope; to grant none, reject the request",
            );
            return None;
        }
        Some(if has_scopes { scopes } else { requested })
    })
}

/// Writes an access request as operators see it.
#[must_use]
pub fn write_access_request(request: &AccessRequest) -> String {
    let scopes: Vec<_> = request.scopes.iter().map(Scope::as_str).collect();
    // `TaxIdMasking::Masked` has no effect here, because the document contains no tax ID.
    ObjectWriter::write_document(TaxIdMasking::Masked, |object| {
        object.write_text("accessRequestId", &request.access_request_id);
        object.write_text("applicationId", &request.application_id);
        object.write_text("applicationName", &request.application_name);
        object.write_text("companyId", &request.company_id);
        object.write_text("displayId", &request.display_id);
        object.write_text("legalName", &request.legal_name);
        object.write_texts("scopes", &scopes);
        object.write_text("createdDate", request.created);
        object.write_text("expiresDate", request.expires);
    })
}

/// Reads the scopes: an array, or one string separated by spaces. Reports invalid scopes. An empty list is
/// reported too, because it must not grant all scopes.
fn read_scope_list(members: Members<'_>, report: &mut Report) -> Option<Scopes> {
    let given = members.read_optional_non_empty("scopes", report, |node| match &node.value {
        value @ (Value::Array(_) | Value::Text(_)) => Ok(value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            Err(Fault::invalid("must be an array of scopes, or one string with spaces between them"))
        }
    });
    let Field::Given { value, at } = given else { return None };
    let list = members.member_location("scopes", at);
    match value {
        Value::Array(elements) if !elements.is_empty() => Some(read_scope_elements(elements, list, report)),
        Value::Text(words) if !words.trim().is_empty() => {
            let read: Option<Scopes> = words.split_whitespace().map(parse_company_scope).collect();
            if read.is_none() {
                report.add(Reason::FieldInvalid, list, format!("scopes {}", unknown_scope_message()));
            }
            read
        }
        _ => {
            report.add_missing_fault(list, "scopes is empty");
            None
        }
    }
}

/// Reads the scopes of an array. All elements are read even after a fault, so that all faults are reported.
fn read_scope_elements(elements: &[Node<'_>], list: FaultLocation<'_>, report: &mut Report) -> Scopes {
    let mut read = Vec::new();
    for (index, node) in elements.iter().enumerate() {
        let found = values::read_text(node).and_then(|text| {
            parse_company_scope(text).ok_or_else(|| Fault::invalid(unknown_scope_message()))
        });
        match found {
            Ok(scope) => read.push(scope),
            Err(fault) => {
                let place = DocumentPosition { at: node.at, rank: 0 };
                let spot = FaultLocation { path: list.path.with_element(index), position: place, ..list };
                report.add(fault.reason, spot, format!("scopes {}", fault.description));
            }
        }
    }
    read.into_iter().collect()
}

fn parse_company_scope(text: &str) -> Option<Scope> {
    Scope::parse(text).filter(|scope| Scopes::for_companies().contains(*scope))
}

fn unknown_scope_message() -> String {
    let all: Vec<_> = Scopes::for_companies().iter().map(Scope::as_str).collect();
    format!("must contain only these scopes: {}", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input;
    use crate::violation::Violation;

    fn find_faults(json: &str) -> Vec<String> {
        let node = input::parse(json.as_bytes()).unwrap();
        let reported = |fault: &Violation| {
            format!("{} {}", fault.reason.code(), fault.pointer.as_deref().unwrap_or_default())
        };
        read_access_request(&node).err().map_or_else(Vec::new, |faults| faults.iter().map(reported).collect())
    }

    #[test]
    fn requires_a_company_and_accepts_only_its_scopes() {
        for good in [
            r#"{"displayId": "1"}"#,
            r#"{"displayId": "1", "scopes": null, "clientName": 7}"#,
            r#"{"displayId": "1", "scopes": ["read:payroll"]}"#,
        ] {
            assert_eq!(find_faults(good), Vec::<String>::new(), "{good}");
        }
        assert_eq!(find_faults(r#"{"displayId": ""}"#), ["API-46 /displayId"]);
        for none in ["[]", r#""""#, r#"" ""#] {
            assert_eq!(
                find_faults(&format!(r#"{{"displayId": "1", "scopes": {none}}}"#)),
                ["API-46 /scopes"]
            );
        }
        assert_eq!(find_faults(r#"{"displayId": 7, "scopes": 7}"#), ["API-48 /displayId", "API-48 /scopes"]);
        assert_eq!(find_faults(&format!(r#"{{"displayId": "{}"}}"#, "1".repeat(33))), ["API-48 /displayId"]);
        assert_eq!(find_faults(r#"{"displayId": "1", "scopes": "all"}"#), ["API-48 /scopes"]);
        assert_eq!(find_faults(r#"{"displayId": "1", "displayId": "2"}"#), ["API-47 /displayId"]);
        assert_eq!(
            (find_faults("{}"), find_faults("7")),
            (vec!["API-52 ".to_owned()], vec!["API-40 ".to_owned()])
        );
    }
}
