//! Operator keys, and the browser sessions that operators get in exchange for a key. Only the response that
//! creates a key contains the value of the key.

use super::access::write_document;
use crate::code::Reason;
use crate::date::Timestamp;
use crate::id::CompanyId;
use crate::input::Node;
use crate::input::values::read_flag;
use crate::object::reader::{ObjectReader, read_object, read_struct};
use crate::object::values::{
    MAX_NAME_CHARACTERS, ReadResult, read_id, read_instant, read_named_value, text_reader,
};
use crate::object::writer::ObjectWriter;
use crate::operator_key::{OperatorKey, OperatorRole, OperatorSession};
use crate::operator_name::has_only_visible_characters;
use crate::report::Fault;
use crate::violation::Violations;

/// The maximum number of companies to which a key is restricted. Every list request with the key filters by
/// all of these companies, so the number is limited.
pub const MAX_COMPANIES_OF_KEY: usize = 1000;

/// An operator key as an operator sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorKeyDocument {
    /// The name of the key, unique on the server.
    pub name: String,
    /// The name of the operator who owns the key. The default is the name of the key.
    pub operator_name: String,
    /// The role that the operator has with this key.
    pub role: OperatorRole,
    /// The companies to which the key is restricted. `None` means all companies.
    pub company_ids: Option<Vec<CompanyId>>,
    /// The instant at which the key expires. `None` means never.
    pub expires: Option<Timestamp>,
}

/// Reads a new operator key. The default role is administrator, or auditor if `readOnly` is true.
///
/// # Errors
/// Returns every fault, each with its pointer.
///
/// ```
/// use payroll_domain::{document, input, operator_key::OperatorRole};
/// let node = input::parse(br#"{"name": "month end", "role": "payroll", "operatorName": "Ann"}"#).unwrap();
/// let key = document::read_operator_key(&node).unwrap();
/// assert_eq!((key.role, key.operator_name.as_str()), (OperatorRole::Payroll, "Ann"));
/// ```
pub fn read_operator_key(node: &Node<'_>) -> Result<OperatorKeyDocument, Violations> {
    read_object(node, |object| {
        let own = object.read_required("name", read_operator_name);
        let operator = object.read_optional("operatorName", read_operator_name);
        read_struct!(OperatorKeyDocument {
            operator_name: operator.map(|operator| operator.or_else(|| own.clone()).unwrap_or_default()),
            name: own,
            role: read_role(object),
            company_ids: read_companies(object),
            expires: object.read_optional("expiresDate", read_instant),
        })
    })
}

/// Reads the role, from `role` or from the older member `readOnly`.
fn read_role(object: &mut ObjectReader<'_>) -> Option<OperatorRole> {
    let (sent, read_only) = (
        object.read_optional("role", read_named_value::<OperatorRole>),
        object.read_optional("readOnly", read_flag),
    );
    let (sent, read_only) = (sent?, read_only?);
    let Some(role) = sent else {
        let reads = read_only == Some(true);
        return Some(if reads { OperatorRole::Auditor } else { OperatorRole::Administrator });
    };
    if read_only.is_some_and(|read_only| read_only != (role == OperatorRole::Auditor)) {
        let rule = "must be true for the role auditor and false for every other role; omit it";
        object.report_fault(Reason::FieldInvalid, "readOnly", rule);
        return None;
    }
    Some(role)
}

/// Reads the companies, each once. An empty list is rejected, because an empty list could mean no company or
/// every company.
fn read_companies(object: &mut ObjectReader<'_>) -> Option<Option<Vec<CompanyId>>> {
    let is_sent = object.has_member("companyIds");
    let mut ids = object.read_values("companyIds", read_id)?;
    ids.sort();
    ids.dedup();
    if !is_sent {
        return Some(None);
    }
    if ids.is_empty() || ids.len() > MAX_COMPANIES_OF_KEY {
        let rule =
            format!("must name 1 to {MAX_COMPANIES_OF_KEY} companies; omit the member for all companies");
        object.report_fault(Reason::FieldInvalid, "companyIds", &rule);
        return None;
    }
    Some(Some(ids))
}

/// Reads the name of an operator and removes surrounding white space.
fn read_operator_name(node: &Node<'_>) -> ReadResult<String> {
    let name = text_reader(MAX_NAME_CHARACTERS)(node)?.trim().to_owned();
    if name.is_empty() || !has_only_visible_characters(&name) {
        return Err(Fault::invalid(format!(
            "must have 1 to {MAX_NAME_CHARACTERS} visible characters: no control or format characters, \
             and no white space except spaces"
        )));
    }
    Ok(name)
}

/// Writes an operator key. `value` is the value of the key if it was just created.
///
/// ```
/// use payroll_domain::{date::Timestamp, document, operator_key::{OperatorKey, OperatorRole}};
/// let created = Timestamp::from_micros(1_778_544_000_000_000);
/// let name = "Ann \"the\" admin".to_owned();
/// let key = OperatorKey::new("K1".parse().unwrap(), name, OperatorRole::Administrator, created);
/// assert_eq!(
///     document::write_operator_key(&key, None),
///     r#"{"keyId":"K1","name":"Ann \"the\" admin","operatorName":"Ann \"the\" admin","role":"administrator","#
///         .to_owned()
///         + r#""readOnly":false,"createdDate":"2026-05-12T00:00:00.000Z"}"#
/// );
/// ```
#[must_use]
pub fn write_operator_key(key: &OperatorKey, value: Option<&str>) -> String {
    write_document(|object| {
        object.write_text("keyId", &key.key_id);
        write_permission_members(key, object);
        object.write_text("createdDate", key.created);
        object.write_optional("expiresDate", key.expires);
        object.write_optional("lastUsedDate", key.last_used);
        object.write_optional("value", value);
    })
}

/// Writes a session of an operator's browser. Only the response to the browser that owns the session contains
/// the CSRF token.
#[must_use]
pub fn write_operator_session(session: &OperatorSession, csrf_token: Option<&str>) -> String {
    write_document(|object| {
        object.write_text("sessionId", &session.session_id);
        object.write_text("keyId", &session.key.key_id);
        write_permission_members(&session.key, object);
        object.write_text("createdDate", session.created);
        object.write_text("expiresDate", session.expires);
        object.write_optional("csrfToken", csrf_token);
    })
}

/// Writes the owner and the permissions of the key.
fn write_permission_members(key: &OperatorKey, object: &mut ObjectWriter<'_>) {
    object.write_text("name", &key.name);
    object.write_text("operatorName", &key.operator_name);
    object.write_text("role", key.role);
    object.write_flag("readOnly", key.role == OperatorRole::Auditor);
    if let Some(ids) = &key.company_ids {
        object.write_texts("companyIds", &ids.iter().map(CompanyId::as_str).collect::<Vec<_>>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::parse;

    fn read(json: &str) -> Result<OperatorKeyDocument, Vec<String>> {
        read_operator_key(&parse(json.as_bytes()).unwrap()).map_err(|faults| {
            let fault = |fault: &crate::violation::Violation| {
                format!("{} {}", fault.reason.code(), fault.pointer.as_deref().unwrap())
            };
            faults.iter().map(fault).collect()
        })
    }

    #[test]
    fn a_key_needs_a_name_and_defaults_to_administrator() {
        let key = read(r#"{"name": " ann "}"#).unwrap();
        assert_eq!((key.name.as_str(), key.operator_name.as_str()), ("ann", "ann"));
        assert_eq!((key.role, key.company_ids, key.expires), (OperatorRole::Administrator, None, None));
        let faulty = r#"{"readOnly": 1, "keyId": "K", "role": "owner", "expiresDate": "soon"}"#;
        assert_eq!(
            read(faulty).unwrap_err(),
            ["API-48 /readOnly", "API-48 /keyId", "API-48 /role", "API-48 /expiresDate", "API-46 /name"]
        );
    }

    #[test]
    fn a_read_only_key_has_the_role_auditor_and_rejects_other_roles() {
        let role = |json: &str| read(json).map(|key| key.role.as_str());
        assert_eq!(role(r#"{"name": "a", "readOnly": true}"#), Ok("auditor"));
        assert_eq!(role(r#"{"name": "a", "readOnly": false}"#), Ok("administrator"));
        assert_eq!(role(r#"{"name": "a", "readOnly": true, "role": "auditor"}"#), Ok("auditor"));
        assert_eq!(role(r#"{"name": "a", "readOnly": false, "role": "support"}"#), Ok("support"));
        for (read_only, role_) in [(true, "payroll"), (false, "auditor")] {
            let json = format!(r#"{{"name": "a", "readOnly": {read_only}, "role": "{role_}"}}"#);
            assert_eq!(role(&json).unwrap_err(), ["API-48 /readOnly"]);
        }
    }

    #[test]
    fn rejects_an_empty_list_of_companies_and_removes_duplicates() {
        let ids = |json: &str| read(json).map(|key| key.company_ids.unwrap_or_default().len());
        assert_eq!(ids(r#"{"name": "a", "companyIds": ["B", "A", "B"]}"#), Ok(2));
        assert_eq!(ids(r#"{"name": "a", "companyIds": []}"#).unwrap_err(), ["API-48 /companyIds"]);
        assert_eq!(ids(r#"{"name": "a", "companyIds": ["a b"]}"#).unwrap_err(), ["API-48 /companyIds/0"]);
    }
}
