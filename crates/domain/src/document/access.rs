//! Documents about access: applications, their secrets and their grants.
//!
//! The module contains both the readers and the writers, because the documents are small. A secret's `value`
//! is only in the response to the request that created the secret.

#[cfg(test)]
mod tests;

use super::tree::to_object_node;
use crate::access::{Scope, Scopes};
use crate::application::{Application, ApplicationSecret, ApplicationSettings, Grant};
use crate::client_key::{self, JwkDocument};
use crate::code::Reason;
use crate::description::{MemberSource, MemberValue, MemberView};
use crate::id::{ApplicationId, CompanyId};
use crate::input::Node;
use crate::input::values::{read_flag, read_text as any_text};
use crate::named::named_enum;
use crate::object::reader::{ObjectReader, read_object, read_struct};
use crate::object::values::{MAX_NAME_CHARACTERS, ReadResult, count_reader, read_id, text_reader};
use crate::object::writer::{ObjectWriter, TaxIdMasking};
use crate::report::Fault;
use crate::violation::Violations;

/// The maximum of `rateLimitPerMinute`. One process cannot handle more requests, so a higher limit would have
/// no effect.
const MAX_REQUESTS_PER_MINUTE: u32 = 100_000_000;

named_enum! {
    /// The scope in which a correlation id must be unique.
    CorrelationScope {
        /// Correlation ids are unique within one request.
        Request = "request",
        /// Correlation ids are unique within one pay period.
        PayPeriod = "payPeriod",
    }
}

/// An application as an operator sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationDocument {
    /// The id that the operator chose. `None` if the operator chose none.
    pub application_id: Option<ApplicationId>,
    /// The settings in the document. A setting that the document omits has its default value.
    pub settings: ApplicationSettings,
}

/// Reads an application. Members that the server creates (`clientId`, `secrets`) are allowed and ignored.
///
/// # Errors
/// Returns every fault, each with its pointer.
///
/// ```
/// use payroll_domain::{document, input};
/// let faulty = input::parse(br#"{"name": "Partner", "webhookScopes": ["read:workers"]}"#).unwrap();
/// let faults = document::read_application(&faulty).unwrap_err();
/// let places: Vec<_> = faults.iter().map(|fault| fault.pointer.as_deref()).collect();
/// assert_eq!(places, [Some("/webhookScopes/0")]);
/// ```
pub fn read_application(node: &Node<'_>) -> Result<ApplicationDocument, Violations> {
    read_object(node, |object| {
        object.allow_member("clientId");
        object.allow_member("secrets");
        read_struct!(ApplicationDocument {
            application_id: object.read_optional("applicationId", read_id),
            settings: read_settings(object),
        })
    })
}

fn read_settings(object: &mut ObjectReader<'_>) -> Option<ApplicationSettings> {
    let correlation_scope = object.read_optional("correlationScope", crate::object::values::read_named_value);
    read_struct!(ApplicationSettings {
        name: object.read_required("name", text_reader(MAX_NAME_CHARACTERS)),
        enabled: object.read_optional("enabled", read_flag).map(|enabled| enabled.unwrap_or(true)),
        correlation_ids_last_for_the_pay_period: correlation_scope
            .map(|scope| scope == Some(CorrelationScope::PayPeriod)),
        rate_limit_per_minute: object
            .read_optional("rateLimitPerMinute", count_reader(MAX_REQUESTS_PER_MINUTE)),
        webhook_scopes: read_scope_list(object, "webhookScopes", Scopes::for_applications()),
    })
}

/// Reads the scopes of a grant. If the document also contains the ids of the application and the company,
/// these ids must equal the ids in the path.
///
/// # Errors
/// Returns every fault, each with its pointer.
///
/// ```
/// use payroll_domain::access::Scope;
/// use payroll_domain::{document, input};
/// let of = ("APP-1".parse().unwrap(), "ACME".parse().unwrap());
/// let node = input::parse(br#"{"companyId": "ACME", "scopes": ["read:payroll"]}"#).unwrap();
/// assert!(document::read_grant(&node, (&of.0, &of.1)).unwrap().contains(Scope::ReadPayroll));
/// ```
pub fn read_grant(
    node: &Node<'_>,
    (application_id, company_id): (&ApplicationId, &CompanyId),
) -> Result<Scopes, Violations> {
    read_object(node, |object| {
        let same_application =
            object.read_optional("applicationId", |node| require_path_id(node, application_id.as_str()));
        let same_company =
            object.read_optional("companyId", |node| require_path_id(node, company_id.as_str()));
        let scopes = read_scope_list(object, "scopes", Scopes::for_companies());
        if scopes.is_some_and(Scopes::is_empty) {
            object.report_fault(
                Reason::FieldMissing,
                "scopes",
                "must contain at least one scope; to revoke the grant, use DELETE",
            );
            return None;
        }
        same_application.and(same_company).and(scopes)
    })
}

/// Reads a list of scopes. Reports a fault for each scope that is not in `allowed`.
pub(super) fn read_scope_list(
    object: &mut ObjectReader<'_>,
    name: &'static str,
    allowed: Scopes,
) -> Option<Scopes> {
    let read = |node: &Node<'_>| -> ReadResult<Scope> {
        let scope = Scope::parse(any_text(node)?).filter(|scope| allowed.contains(*scope));
        scope.ok_or_else(|| {
            let all: Vec<_> = allowed.iter().map(Scope::as_str).collect();
            Fault::invalid(format!("can contain only these scopes: {}", all.join(", ")))
        })
    };
    Some(object.read_values(name, read)?.into_iter().collect())
}

/// Checks that the id in a member of the document equals the id in the path.
fn require_path_id(node: &Node<'_>, expected: &str) -> ReadResult<()> {
    if any_text(node)? == expected { Ok(()) } else { Err(Fault::invalid("must be the same as in the path")) }
}

/// Writes an application in the form that [`read_application`] reads, and adds the data that the server
/// created. `value` is the secret value of a secret that was just created. For all other responses, `value`
/// is `None`.
///
/// ```
/// use payroll_domain::application::{Application, ApplicationSettings};
/// use payroll_domain::{access::Scopes, document};
/// let settings = ApplicationSettings {
///     name: "Partner".to_owned(),
///     enabled: true,
///     correlation_ids_last_for_the_pay_period: false,
///     rate_limit_per_minute: Some(600),
///     webhook_scopes: Scopes::NONE,
/// };
/// let (application_id, client_id) = ("APP-1".parse().unwrap(), "pkc_1".to_owned());
/// let application = Application { application_id, client_id, settings, secrets: Vec::new() };
/// assert_eq!(
///     document::write_application(&application, None),
///     r#"{"applicationId":"APP-1","name":"Partner","enabled":true,"clientId":"pkc_1","#.to_owned()
///         + r#""correlationScope":"request","rateLimitPerMinute":600}"#
/// );
/// ```
#[must_use]
pub fn write_application(application: &Application, value: Option<&str>) -> String {
    let members = ApplicationMembers { application, secrets: &application.secrets, value };
    write_document(|object| object.write_members(&members))
}

/// Writes an application without its secrets, for the audit log. The audit log has separate rows for secrets.
#[must_use]
pub fn write_application_settings(application: &Application) -> String {
    write_document(|object| {
        object.write_members(&ApplicationMembers { application, secrets: &[], value: None })
    })
}

/// Returns the tree of the document that [`write_application_settings`] writes.
#[must_use]
pub fn application_settings_node(application: &Application) -> Node<'static> {
    to_object_node(&ApplicationMembers { application, secrets: &[], value: None })
}

struct ApplicationMembers<'a> {
    application: &'a Application,
    secrets: &'a [ApplicationSecret],
    /// The value of the application's secret, if the secret was just created.
    value: Option<&'a str>,
}

impl MemberSource for ApplicationMembers<'_> {
    fn visit_members(&self, _: MemberView, show: &mut dyn FnMut(&'static str, MemberValue<'_>)) {
        let Application { application_id, client_id, settings, .. } = self.application;
        let correlation_scope = match settings.correlation_ids_last_for_the_pay_period {
            true => CorrelationScope::PayPeriod,
            false => CorrelationScope::Request,
        };
        let secrets: Vec<_> = self.secrets.iter().map(|secret| SecretMembers(secret, self.value)).collect();
        let secrets: Vec<&dyn MemberSource> =
            secrets.iter().map(|secret| -> &dyn MemberSource { secret }).collect();
        show("applicationId", MemberValue::Text(application_id.as_str()));
        show("name", MemberValue::Text(&settings.name));
        show("enabled", MemberValue::Flag(settings.enabled));
        show("clientId", MemberValue::Text(client_id));
        show("secrets", MemberValue::Objects(&secrets));
        show("correlationScope", MemberValue::Text(correlation_scope.as_str()));
        if let Some(most) = settings.rate_limit_per_minute {
            show("rateLimitPerMinute", MemberValue::Number(most.into()));
        }
        show("webhookScopes", MemberValue::Texts(&scope_names(settings.webhook_scopes)));
    }
}

/// A secret of an application, with its value if it was just created.
struct SecretMembers<'a>(&'a ApplicationSecret, Option<&'a str>);

impl MemberSource for SecretMembers<'_> {
    fn visit_members(&self, _: MemberView, show: &mut dyn FnMut(&'static str, MemberValue<'_>)) {
        let Self(secret, value) = self;
        show("secretId", MemberValue::Text(secret.secret_id.as_str()));
        show("createdDate", MemberValue::Displayed(&secret.created));
        if let Some(key) = &secret.public_key {
            show("algorithm", MemberValue::Text(key.algorithm.as_str()));
            show("kid", MemberValue::Text(&key.kid));
        }
        if let Some(value) = value {
            show("value", MemberValue::Text(value));
        }
    }
}

/// Writes a secret or a public key of an application. `value` is the value of a secret that was just created.
#[must_use]
pub fn write_secret(
    application_id: &ApplicationId,
    secret: &ApplicationSecret,
    value: Option<&str>,
) -> String {
    write_document(|object| {
        object.write_text("applicationId", application_id);
        object.write_text("secretId", &secret.secret_id);
        object.write_text("createdDate", secret.created);
        if let Some(key) = &secret.public_key {
            object.write_text("algorithm", key.algorithm);
            object.write_text("kid", &key.kid);
        }
        object.write_optional("value", value);
    })
}

/// Reads a request for a new secret. Returns the public key to register, or `None` if the server is to
/// generate a secret.
///
/// # Errors
/// Returns every fault, each with its pointer.
///
/// ```
/// use payroll_domain::{document, input};
/// let key = r#"{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
/// let body = format!(r#"{{"publicKey": {key}}}"#);
/// let sent = document::read_secret(&input::parse(body.as_bytes()).unwrap()).unwrap();
/// assert_eq!(sent.unwrap().key.algorithm().as_str(), "EdDSA");
/// assert_eq!(document::read_secret(&input::parse(b"{}").unwrap()).unwrap(), None);
/// ```
pub fn read_secret(node: &Node<'_>) -> Result<Option<JwkDocument>, Violations> {
    read_object(node, |object| object.read_optional_object("publicKey", client_key::read_jwk))
}

/// Writes a grant in the form that [`read_grant`] reads.
#[must_use]
pub fn write_grant(grant: &Grant) -> String {
    write_document(|object| {
        object.write_text("applicationId", &grant.application_id);
        object.write_text("companyId", &grant.company_id);
        object.write_texts("scopes", &scope_names(grant.scopes));
    })
}

pub(super) fn write_document(write: impl FnOnce(&mut ObjectWriter<'_>)) -> String {
    // `TaxIdMasking::Masked` has no effect here, because none of these documents contains a tax ID.
    ObjectWriter::write_document(TaxIdMasking::Masked, write)
}

fn scope_names(scopes: Scopes) -> Vec<&'static str> {
    scopes.iter().map(Scope::as_str).collect()
}
