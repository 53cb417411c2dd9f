//! Reads and writes hooks in the partners' format (specification §9.1). Unknown members, and members that
//! only the server sets, are ignored.
//!
//! No fault repeats a value. The query of an address may contain a secret, and most other values are secrets.
//! Other modules check that the application may access the company, and that the host of the address resolves
//! to an allowed IP address.

mod domains;

mod authentication;
mod delivery;
mod rank;
mod stored;
#[cfg(test)]
mod tests;

use crate::code::Reason;
use crate::date::Timestamp;
use crate::event::EventDomain;
use crate::hook::address::{AddressRule, AddressRules};
use crate::hook::{Address, Authentication, DeliveryOptions, Hook, HookChange};
use crate::id::{CompanyId, HookId, Id};
use crate::input::{Context, Field, Members, Node, Value, values};
use crate::object::writer::{ObjectWriter, TaxIdMasking};
use crate::report::{Fault, Report};
use crate::violation::{DocumentPosition, Violation, Violations};
use domains::read_domains;

/// The two possible names of the member that contains the hook's address.
const ADDRESS_NAMES: [&str; 2] = ["uri", "url"];
/// The two possible names of the member that contains the hook's company.
const COMPANY_NAMES: [&str; 2] = ["companyId", "clientId"];
/// The fault description for a body that is not one hook object.
const NOT_A_HOOK_MESSAGE: &str = "the body must be a JSON object with one hook";
/// A hook as an application registers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookDocument {
    /// The only company that the hook covers. `None` if the hook covers all companies of the application.
    pub company_id: Option<CompanyId>,
    /// The id that the application chose. `None` if the application chose none.
    pub hook_id: Option<HookId>,
    /// The address that receives the notifications.
    pub address: Address,
    /// The event domains of the hook, each once, in the order of [`EventDomain::ALL`].
    pub domains: Vec<EventDomain>,
    /// The method by which the server authenticates to the receiver.
    pub authentication: Authentication,
    /// The options that determine how notifications are sent.
    pub delivery: DeliveryOptions,
}

/// Reads the registration of a hook.
///
/// # Errors
/// Returns only one fault for a document that is not an object (`API-40`) or is empty (`API-52`). Otherwise,
/// every fault is returned in the order of the document. The codes are `API-46` (missing or empty), `API-47`
/// (two values for one member) and `API-48` (invalid). The fault of an address contains the rule that the
/// address breaks.
///
/// ```
/// use payroll_domain::hook::address::AddressRules;
/// use payroll_domain::{document, input};
/// let body = input::parse(br#"{"uri": "https://a.example:443/", "domains": "WRKR_ADD,WORKER"}"#).unwrap();
/// let faults = document::read_registration(&body, &AddressRules::default()).unwrap_err();
/// let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
/// assert_eq!(faults[0], "API-48 uri must have no port (/uri)");
/// assert!(faults[1].starts_with("API-48 domains must contain only these domains: WRKR_ADD, WRKR_DEM"));
/// assert!(faults[1].ends_with("; unknown: WORKER (/domains)"));
/// assert_eq!(faults[2], "API-46 authentication is missing (/authentication)");
/// ```
pub fn read_registration(document: &Node<'_>, rules: &AddressRules) -> Result<HookDocument, Violations> {
    let members = Members::from_body(document, NOT_A_HOOK_MESSAGE)?;
    let mut report = Report::new(Reason::FieldMissing);
    let company_id = read_optional_with_two_names(members, COMPANY_NAMES, &mut report, values::read_id);
    let hook_id = members.read_optional("hookId", &mut report, values::read_id);
    let address = read_address(members, rules, &mut report);
    let domains = read_domains(members, &mut report);
    let authentication = authentication::read_authentication(members, rules, &mut report);
    let delivery = delivery::read_delivery_options(members, &mut report);
    report.into_result(move || {
        Some(HookDocument {
            company_id: company_id.into_value(),
            hook_id: hook_id.into_value(),
            address: address.into_value()?,
            domains: domains.into_value()?,
            authentication: authentication?,
            delivery: delivery.into_iter().fold(DeliveryOptions::default(), DeliveryOptions::with_option),
        })
    })
}

/// Reads a change of a hook's address, domains, authentication or delivery options. Members that are absent
/// do not change. The request may repeat the other members of the hook with their current values.
///
/// # Errors
/// Returns the same faults as for a registration. In addition, a member that cannot be changed has the fault
/// `API-48` if it differs from the hook.
///
/// ```
/// use payroll_domain::hook::address::AddressRules;
/// # use payroll_domain::hook::{Address, AuthType, Hook, HookKey};
/// use payroll_domain::{document, input};
/// # let hook = Hook {
/// #     key: HookKey { application_id: "A".parse().unwrap(), hook_id: "H-1".parse().unwrap() },
/// #     company_id: None,
/// #     address: Address::from_stored("https://hooks.example.com/").unwrap(),
/// #     domains: Vec::new(),
/// #     auth_type: AuthType::Basic,
/// #     active: true,
/// #     delivery: Default::default(),
/// #     created: payroll_domain::date::Timestamp::from_micros(0),
/// #     version: 1,
/// # };
/// let read = |json: &str| {
///     document::read_hook_change(&input::parse(json.as_bytes()).unwrap(), &hook, &AddressRules::default())
/// };
/// let change = read(r#"{"hookId": "H-1", "domains": ["WRKR_ADD"]}"#).unwrap();
/// assert_eq!((change.domains.unwrap().len(), change.address), (1, None));
/// let faults = read(r#"{"hookId": "H-2", "active": false}"#).unwrap_err();
/// let places: Vec<_> = faults.iter().map(|fault| fault.pointer.as_deref()).collect();
/// assert_eq!(places, [Some("/hookId"), Some("/active")]);
/// ```
pub fn read_hook_change(
    document: &Node<'_>,
    hook: &Hook,
    rules: &AddressRules,
) -> Result<HookChange, Violations> {
    let members = Members::from_body(document, NOT_A_HOOK_MESSAGE)?;
    let mut report = Report::new(Reason::FieldMissing);
    check_unchanged_members(members, hook, &mut report);
    // An empty address or domain is an invalid value and therefore a fault. The hook keeps its current value
    // only if the member is absent or `null`.
    let says = |name: &str| members.is_non_null(name);
    let address = ADDRESS_NAMES.into_iter().any(says).then(|| read_address(members, rules, &mut report));
    let domains = says("domains").then(|| read_domains(members, &mut report));
    let authentication =
        says("authentication").then(|| authentication::read_authentication(members, rules, &mut report));
    let delivery = delivery::read_delivery_options(members, &mut report);
    report.into_result(move || {
        Some(HookChange {
            address: address.and_then(Field::into_value),
            domains: domains.and_then(Field::into_value),
            authentication: authentication.flatten(),
            delivery,
        })
    })
}

/// Returns the fault of an address whose host breaks a rule. The caller resolves the host name to check the
/// rule.
///
/// ```
/// use payroll_domain::hook::address::AddressRule;
/// use payroll_domain::{document, input};
/// let body = input::parse(br#"{"url": "https://intranet.example.com/"}"#).unwrap();
/// let fault = document::rejected_receiver_violation(&body, AddressRule::Name);
/// assert_eq!(fault.to_string(), "API-48 url must have a host name that DNS can resolve (/url)");
/// ```
#[must_use]
pub fn rejected_receiver_violation(document: &Node<'_>, rule: AddressRule) -> Violation {
    let (name, node) = find_sent_address(document);
    invalid_member_violation(name, format!("/{name}"), node, rule.reason())
}

/// Returns the fault of an address whose receiver did not echo the verification challenge. `response`
/// describes what the receiver returned instead.
#[must_use]
pub fn unverified_receiver_violation(document: &Node<'_>, response: &str) -> Violation {
    let (name, node) = find_sent_address(document);
    let rule = "must belong to a receiver that responds to GET with status 200 and, as the body, the value \
        of the query parameter challenge";
    invalid_member_violation(name, format!("/{name}"), node, &format!("{rule}; {response}"))
}

/// Returns the node of the address, and the name of the member in the request: `uri` or `url`.
fn find_sent_address<'n>(document: &'n Node<'n>) -> (&'static str, &'n Node<'n>) {
    let given = ADDRESS_NAMES.into_iter().find_map(|name| Some((name, find_present_member(document, name)?)));
    given.unwrap_or((ADDRESS_NAMES[0], document))
}

/// Returns the fault of an OAuth token URL whose host breaks a rule. The caller resolves the host name to
/// check the rule.
#[must_use]
pub fn rejected_token_url_violation(document: &Node<'_>, rule: AddressRule) -> Violation {
    let node = find_present_member(document, "authentication")
        .and_then(|node| find_present_member(node, "tokenUrl"));
    invalid_member_violation(
        "tokenUrl",
        "/authentication/tokenUrl".to_owned(),
        node.unwrap_or(document),
        rule.reason(),
    )
}

fn find_present_member<'n>(document: &'n Node<'n>, name: &str) -> Option<&'n Node<'n>> {
    Members::from_node(document, Context::DOCUMENT)?.find_first_non_empty_member(name)
}

fn invalid_member_violation(name: &str, pointer: String, node: &Node<'_>, rule: &str) -> Violation {
    let description = format!("{name} {rule}");
    Violation::new(Reason::FieldInvalid, description)
        .at_position(pointer, DocumentPosition { at: node.at, rank: 0 })
}

/// Writes a hook as partners see it, with `signing_secret` if it was just created.
///
/// ```
/// use payroll_domain::date::Timestamp;
/// use payroll_domain::document;
/// use payroll_domain::event::EventDomain;
/// use payroll_domain::hook::{Address, AuthType, DeliveryOptions, Hook, HookKey};
/// let hook = Hook {
///     key: HookKey { application_id: "APP-1".parse().unwrap(), hook_id: "H-1".parse().unwrap() },
///     company_id: None,
///     address: Address::from_stored("https://hooks.example.com/in").unwrap(),
///     domains: vec![EventDomain::WorkerAdded],
///     auth_type: AuthType::ApiKey,
///     active: true,
///     delivery: DeliveryOptions::default(),
///     created: Timestamp::parse("2026-07-28T00:37:25.149Z").unwrap(),
///     version: 1,
/// };
/// assert_eq!(
///     document::write_hook(&hook, None),
///     r#"{"hookId":"H-1","uri":"https://hooks.example.com/in","domains":["WRKR_ADD"],"#.to_owned()
///         + r#""authType":"APIKEY","active":true,"createdDate":"2026-07-28T00:37:25.149Z"}"#
/// );
/// ```
#[must_use]
pub fn write_hook(hook: &Hook, signing_secret: Option<&str>) -> String {
    write_hook_document(hook, hook.address.as_str(), signing_secret, None)
}

/// Writes the hooks of an application as a list without an envelope.
#[must_use]
pub fn write_hooks(hooks: &[Hook]) -> String {
    // `TaxIdMasking::Masked` has no effect here, because a hook document contains no tax ID.
    ObjectWriter::write_documents(TaxIdMasking::Masked, hooks, |hook, object| {
        write_members(object, hook, hook.address.as_str());
    })
}

/// Writes a hook whose signing secret was just rotated. Until `old_expires_at`, the server also signs
/// notifications with the previous secret.
#[must_use]
pub fn write_rotated_hook(hook: &Hook, signing_secret: Option<&str>, old_expires_at: Timestamp) -> String {
    write_hook_document(hook, hook.address.as_str(), signing_secret, Some(old_expires_at))
}

/// Writes a hook for the audit log, without the query of the address, which may contain a secret.
#[must_use]
pub fn write_hook_settings(hook: &Hook) -> String {
    write_hook_document(hook, &hook.address.without_query(), None, None)
}

fn write_hook_document(
    hook: &Hook,
    uri: &str,
    signing_secret: Option<&str>,
    old_secret_until: Option<Timestamp>,
) -> String {
    // `TaxIdMasking::Masked` has no effect here, because a hook document contains no tax ID.
    ObjectWriter::write_document(TaxIdMasking::Masked, |object| {
        write_members(object, hook, uri);
        object.write_optional("signingSecret", signing_secret);
        object.write_optional("oldSecretValidUntil", old_secret_until);
    })
}

fn write_members(object: &mut ObjectWriter<'_>, hook: &Hook, uri: &str) {
    object.write_text("hookId", &hook.key.hook_id);
    object.write_optional("companyId", hook.company_id.as_ref());
    object.write_text("uri", uri);
    object.write_texts("domains", &hook.domains);
    object.write_text("authType", hook.auth_type);
    object.write_flag("active", hook.active);
    delivery::write_delivery_options(object, hook.delivery);
    object.write_text("createdDate", hook.created);
}

fn read_receiver_address(node: &Node<'_>, rules: &AddressRules) -> Result<Address, Fault> {
    Address::parse_receiver(values::read_text(node)?, rules)
        .map_err(|rule| Fault::invalid(rules.reason(rule)))
}

/// Returns the name that the request uses for a member with two possible names. If the request contains both,
/// a fault is reported and the result is `None`.
fn find_sent_member_name(
    members: Members<'_>,
    names: [&'static str; 2],
    report: &mut Report,
) -> Option<&'static str> {
    let [first, second] = names;
    match (members.find_first_non_empty_member(first), members.find_first_non_empty_member(second)) {
        (Some(one), Some(other)) => {
            let (name, at) = if one.at > other.at { (first, one.at) } else { (second, other.at) };
            let description =
                format!("{first} and {second} are two names of one member; send only one of them");
            report.add(Reason::FieldAmbiguous, members.member_location(name, at), description);
            None
        }
        (None, Some(_)) => Some(second),
        // Neither name has a value. If the caller sent only the second name, with an empty string, the
        // fault is reported at that name.
        (None, None) if !members.is_non_null(first) && members.is_non_null(second) => Some(second),
        (_, None) => Some(first),
    }
}

fn read_optional_with_two_names<'n, T>(
    members: Members<'n>,
    names: [&'static str; 2],
    report: &mut Report,
    parse: impl FnOnce(&'n Node<'n>) -> Result<T, Fault>,
) -> Field<T> {
    match find_sent_member_name(members, names, report) {
        Some(name) => members.read_optional_non_empty(name, report, parse),
        None => Field::Failed,
    }
}

fn read_address(members: Members<'_>, rules: &AddressRules, report: &mut Report) -> Field<Address> {
    match find_sent_member_name(members, ADDRESS_NAMES, report) {
        Some(name) => {
            members.read_required(name, rank::ADDRESS, report, |node| read_receiver_address(node, rules))
        }
        None => Field::Failed,
    }
}

/// Checks the members that cannot be changed. A change may contain them only with their current values.
fn check_unchanged_members(members: Members<'_>, hook: &Hook, report: &mut Report) {
    let is = |node: &Node<'_>, expected: Option<&str>| matches!(&node.value, Value::Text(text) if Some(text.as_ref()) == expected);
    let company_id = hook.company_id.as_ref().map(Id::as_str);
    let mut stays = |name, same: &dyn Fn(&Node<'_>) -> bool| {
        members.read_optional(name, report, |node| {
            if same(node) { Ok(()) } else { Err(Fault::invalid("cannot be changed here")) }
        });
    };
    stays("hookId", &|node| is(node, Some(hook.key.hook_id.as_str())));
    for name in COMPANY_NAMES {
        stays(name, &|node| is(node, company_id));
    }
    stays("authType", &|node| authentication::read_auth_type(node).is_ok_and(|one| one == hook.auth_type));
    stays("active", &|node| node.value == Value::Bool(hook.active));
    stays("createdDate", &|node| is(node, Some(&hook.created.to_string())));
}
