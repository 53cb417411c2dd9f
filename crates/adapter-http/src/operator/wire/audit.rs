//! An entry of the audit log, as operators see it (specification §11.21).

use payroll_domain::audit::AuditRow;
use payroll_domain::id::CompanyId;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::shared::wire::value::DisplayedText;

/// An entry of the audit log.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuditResource<'a> {
    position: i64,
    at: String,
    actor: ActorResource<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    company_id: Option<DisplayedText<&'a CompanyId>>,
    action: &'static str,
    resource: AuditedResource<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'a RawValue>,
}

#[derive(Debug, Serialize)]
struct ActorResource<'a> {
    kind: &'static str,
    name: &'a str,
}

#[derive(Debug, Serialize)]
struct AuditedResource<'a> {
    kind: &'static str,
    id: &'a str,
}

impl<'a> AuditResource<'a> {
    /// Creates the entry. The documents of the entry are shown as they were stored.
    ///
    /// # Errors
    /// An error if a stored document is not valid JSON.
    pub(crate) fn new(row: &'a AuditRow) -> serde_json::Result<Self> {
        let document = |text: &'a Option<String>| text.as_deref().map(serde_json::from_str).transpose();
        Ok(Self {
            position: row.position,
            at: row.at.to_string(),
            actor: ActorResource { kind: row.actor.kind.as_str(), name: &row.actor.name },
            company_id: row.company_id.as_ref().map(DisplayedText),
            action: row.action.as_str(),
            resource: AuditedResource { kind: row.kind.as_str(), id: &row.resource_id },
            before: document(&row.before)?,
            after: document(&row.after)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use payroll_domain::audit::{Actor, ActorKind, AuditAction, AuditedKind};
    use payroll_domain::date::Timestamp;

    #[test]
    fn a_row_contains_the_stored_documents_unchanged() {
        let row = AuditRow {
            position: 3,
            at: Timestamp::parse("2026-06-07T10:10:24.000Z").unwrap(),
            actor: Actor { kind: ActorKind::CommandLine, name: "import".to_owned() },
            company_id: Some("ACME".parse().unwrap()),
            action: AuditAction::Update,
            kind: AuditedKind::PayPeriod,
            resource_id: "P-1".to_owned(),
            before: Some(r#"{"amount": 20.0000}"#.to_owned()),
            after: None,
        };
        let shown = serde_json::to_string(&AuditResource::new(&row).unwrap()).unwrap();
        let expected = concat!(
            r#"{"position":3,"at":"2026-06-07T10:10:24.000Z","actor":{"kind":"command line","name":"import"},"#,
            r#""companyId":"ACME","action":"update","resource":{"kind":"payPeriod","id":"P-1"},"#,
            r#""before":{"amount": 20.0000}}"#
        );
        assert_eq!(shown, expected);
        assert!(AuditResource::new(&AuditRow { after: Some("{".to_owned()), ..row }).is_err());
    }
}
