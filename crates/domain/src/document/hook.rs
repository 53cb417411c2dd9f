//! Reads and writes hooks in the partners' format (specification §9.1). Unknown members, and members that
//! only the server sets, are ignored.
//!
//! No fault repeats a value. The query of an address may contain a secret, and most other values are secrets.
//! Other modules check that the application may access the company, and that the host of the address resolves
//! to an allowed IP address.

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
use crate::id::{CompanyId, HookId, Id, MAX_ID_LENGTH};
use crate::input::{Context, Field, Members, Node, Value, values};
use crate::object::writer::{ObjectWriter, TaxIds};
use crate::report::{Fault, FaultLocation, Report};
use crate::violation::{DocumentPosition, Violation, Violations};

/// The two names of the member with the address.
const ADDRESS_NAMES: [&str; 2] = ["uri", "url"];
/// The two names of the member with the company.
const COMPANY: [&str; 2] = ["companyId", "clientId"];
/// The description of the fault of a body that is not a hook.
const NOT_A_HOOK_MESSAGE: &str = "the body must be one hook, an object";
/// The maximum number of unknown domains that an error text repeats: the number of all domains.
const MAX_REPORTED_DOMAINS: usize = 11;

/// A hook as an application registers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookDocument {
    /// The only company that the hook covers. `None` if it covers all companies of the application.
    pub company_id: Option<CompanyId>,
    /// The id that the application chose, if any.
    pub hook_id: Option<HookId>,
    /// The address that receives the notifications.
    pub address: Address,
    /// The domains of the hook, each once, in the order of [`EventDomain::ALL`].
    pub domains: Vec<EventDomain>,
    /// The method by which the server authenticates to the receiver.
    pub authentication: Authentication,
    /// The options that determine how notifications are sent.
    pub delivery: DeliveryOptions,
}

/// Reads the registration of a hook.
///
/// # Errors
/// A document that is not an object (`API-40`), or is empty (`API-52`), is reported alone. Otherwise, every
/// fault is returned in the order of the document. The codes are `API-46` (missing or empty), `API-47` (two
/// values for one member) and `API-48` (invalid). The fault of an address contains the rule that it breaks.
///
/// ```
/// use payroll_domain::hook::address::AddressRules;
/// use payroll_domain::{document, input};
/// let body = input::parse(br#"{"uri": "https://a.example:443/", "domains": "WRKR_ADD,WORKER"}"#).unwrap();
/// let faults = document::read_registration(&body, &AddressRules::default()).unwrap_err();
/// let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
/// assert_eq!(faults[0], "API-48 uri must name no port (/uri)");
/// assert!(faults[1].starts_with("API-48 domains must hold domains, not WORKER; they are WRKR_ADD, WRKR_DEM"));
/// assert_eq!(faults[2], "API-46 authentication is missing (/authentication)");
/// ```
pub fn read_registration(document: &Node<'_>, rules: &AddressRules) -> Result<HookDocument, Violations> {
    let members = Members::from_body(document, NOT_A_HOOK_MESSAGE)?;
    let mut report = Report::new(Reason::FieldMissing);
    let company_id = optional_with_two_names(members, COMPANY, &mut report, values::id);
    let hook_id = members.optional("hookId", &mut report, values::id);
    let address = address(members, rules, &mut report);
    let domains = domains(members, &mut report);
    let authentication = authentication::read(members, rules, &mut report);
    let delivery = delivery::read(members, &mut report);
    report.into_result(move || {
        Some(HookDocument {
            company_id: company_id.into_value(),
            hook_id: hook_id.into_value(),
            address: address.into_value()?,
            domains: domains.into_value()?,
            authentication: authentication?,
            delivery: delivery.into_iter().fold(DeliveryOptions::default(), DeliveryOptions::with),
        })
    })
}

/// Reads a change of a hook's address, domains, authentication or options of delivery. Members that are
/// absent do not change. The request may repeat the other members of the hook with their current values.
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
    // An empty value is not a valid address or domain, so it is a fault. Only a member that is absent or null
    // leaves the hook unchanged.
    let says = |name: &str| members.is_non_null(name);
    let address = ADDRESS_NAMES.into_iter().any(says).then(|| address(members, rules, &mut report));
    let domains = says("domains").then(|| domains(members, &mut report));
    let authentication = says("authentication").then(|| authentication::read(members, rules, &mut report));
    let delivery = delivery::read(members, &mut report);
    report.into_result(move || {
        Some(HookChange {
            address: address.and_then(Field::into_value),
            domains: domains.and_then(Field::into_value),
            authentication: authentication.flatten(),
            delivery,
        })
    })
}

/// Returns the fault of an address whose host breaks a rule. The caller has found this by resolving the host.
///
/// ```
/// use payroll_domain::hook::address::AddressRule;
/// use payroll_domain::{document, input};
/// let body = input::parse(br#"{"url": "https://intranet.example.com/"}"#).unwrap();
/// let fault = document::receiver_rejection(&body, AddressRule::Name);
/// assert_eq!(fault.to_string(), "API-48 url must have a host whose name can be resolved (/url)");
/// ```
#[must_use]
pub fn receiver_rejection(document: &Node<'_>, rule: AddressRule) -> Violation {
    let (name, node) = sent_address(document);
    invalid_member(name, format!("/{name}"), node, rule.reason())
}

/// Returns the fault of an address whose receiver did not repeat the challenge. `response` describes what the
/// receiver returned instead.
#[must_use]
pub fn receiver_not_verified(document: &Node<'_>, response: &str) -> Violation {
    let (name, node) = sent_address(document);
    let rule = "must lead to a receiver that answers a GET with the status 200 and, as its body, the query's \
                parameter challenge";
    invalid_member(name, format!("/{name}"), node, &format!("{rule}; {response}"))
}

/// Returns the address, with the name that the request uses for the member.
fn sent_address<'n>(document: &'n Node<'n>) -> (&'static str, &'n Node<'n>) {
    let given = ADDRESS_NAMES.into_iter().find_map(|name| Some((name, present_member(document, name)?)));
    given.unwrap_or((ADDRESS_NAMES[0], document))
}

/// Returns the fault of a token URL whose host breaks a rule. The caller has found this by resolving the
/// host.
#[must_use]
pub fn token_url_rejection(document: &Node<'_>, rule: AddressRule) -> Violation {
    let node = present_member(document, "authentication").and_then(|node| present_member(node, "tokenUrl"));
    invalid_member("tokenUrl", "/authentication/tokenUrl".to_owned(), node.unwrap_or(document), rule.reason())
}

fn present_member<'n>(document: &'n Node<'n>, name: &str) -> Option<&'n Node<'n>> {
    Members::from_node(document, Context::DOCUMENT)?.first_non_empty(name)
}

fn invalid_member(name: &str, pointer: String, node: &Node<'_>, rule: &str) -> Violation {
    let description = format!("{name} {rule}");
    Violation::new(Reason::FieldInvalid, description).at(pointer, DocumentPosition { at: node.at, rank: 0 })
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
///     document::hook(&hook, None),
///     r#"{"hookId":"H-1","uri":"https://hooks.example.com/in","domains":["WRKR_ADD"],"#.to_owned()
///         + r#""authType":"APIKEY","active":true,"createdDate":"2026-07-28T00:37:25.149Z"}"#
/// );
/// ```
#[must_use]
pub fn hook(hook: &Hook, signing_secret: Option<&str>) -> String {
    write(hook, hook.address.as_str(), signing_secret, None)
}

/// Writes the hooks of an application as a list without an envelope.
#[must_use]
pub fn hooks(hooks: &[Hook]) -> String {
    // The document of a hook contains no tax ID.
    ObjectWriter::documents(TaxIds::Masked, hooks, |hook, object| {
        write_members(object, hook, hook.address.as_str());
    })
}

/// Writes a hook whose signing secret was just rotated. Until `old_expires_at`, the previous secret signs as
/// well.
#[must_use]
pub fn rotated_hook(hook: &Hook, signing_secret: Option<&str>, old_expires_at: Timestamp) -> String {
    write(hook, hook.address.as_str(), signing_secret, Some(old_expires_at))
}

/// Writes a hook for the audit log, without the query of the address, which may contain a secret.
#[must_use]
pub fn hook_settings(hook: &Hook) -> String {
    write(hook, &hook.address.without_query(), None, None)
}

fn write(
    hook: &Hook,
    uri: &str,
    signing_secret: Option<&str>,
    old_secret_until: Option<Timestamp>,
) -> String {
    // The document of a hook contains no tax ID.
    ObjectWriter::document(TaxIds::Masked, |object| {
        write_members(object, hook, uri);
        object.optional("signingSecret", signing_secret);
        object.optional("oldSecretValidUntil", old_secret_until);
    })
}

fn write_members(object: &mut ObjectWriter<'_>, hook: &Hook, uri: &str) {
    object.text("hookId", &hook.key.hook_id);
    object.optional("companyId", hook.company_id.as_ref());
    object.text("uri", uri);
    object.texts("domains", &hook.domains);
    object.text("authType", hook.auth_type);
    object.flag("active", hook.active);
    delivery::write(object, hook.delivery);
    object.text("createdDate", hook.created);
}

fn read_receiver_address(node: &Node<'_>, rules: &AddressRules) -> Result<Address, Fault> {
    Address::parse_receiver(values::text(node)?, rules).map_err(|rule| Fault::invalid(rule.reason()))
}

/// Returns the name that the request uses for a member with two names. If the request contains both, a fault
/// is reported and the result is `None`.
fn used_name(members: Members<'_>, names: [&'static str; 2], report: &mut Report) -> Option<&'static str> {
    let [first, second] = names;
    match (members.first_non_empty(first), members.first_non_empty(second)) {
        (Some(one), Some(other)) => {
            let (name, at) = if one.at > other.at { (first, one.at) } else { (second, other.at) };
            let description = format!("{first} and {second} name the same; send one of them");
            report.add(Reason::FieldAmbiguous, members.member_location(name, at), description);
            None
        }
        (None, Some(_)) => Some(second),
        // If there is no value, the fault is reported at the member that the caller left empty, if there is
        // one.
        (None, None) if !members.is_non_null(first) && members.is_non_null(second) => Some(second),
        (_, None) => Some(first),
    }
}

fn optional_with_two_names<'n, T>(
    members: Members<'n>,
    names: [&'static str; 2],
    report: &mut Report,
    parse: impl FnOnce(&'n Node<'n>) -> Result<T, Fault>,
) -> Field<T> {
    match used_name(members, names, report) {
        Some(name) => members.optional_non_empty(name, report, parse),
        None => Field::Failed,
    }
}

fn address(members: Members<'_>, rules: &AddressRules, report: &mut Report) -> Field<Address> {
    match used_name(members, ADDRESS_NAMES, report) {
        Some(name) => {
            members.required(name, rank::ADDRESS, report, |node| read_receiver_address(node, rules))
        }
        None => Field::Failed,
    }
}

/// Reads the domains: an array, or one text with commas. Duplicate domains are ignored.
fn domains(members: Members<'_>, report: &mut Report) -> Field<Vec<EventDomain>> {
    let value = members.required("domains", rank::DOMAINS, report, |node| match &node.value {
        value @ (Value::Array(_) | Value::Text(_)) => Ok(value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            Err(Fault::invalid("must be an array of domains, or one string with commas between them"))
        }
    });
    let Field::Given { value, at } = value else { return Field::Failed };
    let spot = members.member_location("domains", at);
    let read = match value {
        Value::Array(elements) => domains_of_array(elements, spot, report),
        Value::Text(text) => domains_of_text(text, spot, report),
        _ => None,
    };
    let Some(read) = read else { return Field::Failed };
    if read.is_empty() {
        report.add_missing(spot, "domains is empty");
        return Field::Failed;
    }
    let value = EventDomain::ALL.iter().copied().filter(|domain| read.contains(domain)).collect();
    Field::Given { value, at }
}

/// Reads the domains of an array. It continues after a fault, so that all faults are reported.
fn domains_of_array(
    elements: &[Node<'_>],
    list: FaultLocation<'_>,
    report: &mut Report,
) -> Option<Vec<EventDomain>> {
    let mut read = Vec::new();
    for (index, node) in elements.iter().enumerate() {
        let domain = values::text(node).and_then(|text| {
            EventDomain::parse(text).ok_or_else(|| Fault::invalid(unknown_domains_message(&[text])))
        });
        read.push(domain.map_err(|fault| {
            let place = DocumentPosition { at: node.at, rank: 0 };
            let spot = FaultLocation { path: list.path.element(index), position: place, ..list };
            report.add(fault.reason, spot, format!("domains {}", fault.description));
        }));
    }
    read.into_iter().collect::<Result<_, ()>>().ok()
}

fn domains_of_text(text: &str, spot: FaultLocation<'_>, report: &mut Report) -> Option<Vec<EventDomain>> {
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    let names = || text.split(',').map(str::trim);
    let strange: Vec<_> =
        names().filter(|name| EventDomain::parse(name).is_none()).take(MAX_REPORTED_DOMAINS).collect();
    if !strange.is_empty() {
        report.add(Reason::FieldInvalid, spot, format!("domains {}", unknown_domains_message(&strange)));
        return None;
    }
    Some(names().filter_map(EventDomain::parse).collect())
}

/// Returns the error text for unknown domains. It repeats only names that look like domains.
fn unknown_domains_message(names: &[&str]) -> String {
    let looks_like_one = |name: &&str| {
        (1..=MAX_ID_LENGTH).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    };
    let shown: Vec<_> = names.iter().copied().filter(looks_like_one).collect();
    let not = if shown.is_empty() { String::new() } else { format!(", not {}", shown.join(", ")) };
    let all: Vec<_> = EventDomain::ALL.iter().map(|domain| domain.as_str()).collect();
    format!("must hold domains{not}; they are {}", all.join(", "))
}

/// Checks the members that cannot be changed. A change may contain them only with their current values.
fn check_unchanged_members(members: Members<'_>, hook: &Hook, report: &mut Report) {
    let is = |node: &Node<'_>, expected: Option<&str>| matches!(&node.value, Value::Text(text) if Some(text.as_ref()) == expected);
    let company_id = hook.company_id.as_ref().map(Id::as_str);
    let mut stays = |name, same: &dyn Fn(&Node<'_>) -> bool| {
        members.optional(name, report, |node| {
            if same(node) { Ok(()) } else { Err(Fault::invalid("cannot be changed here")) }
        });
    };
    stays("hookId", &|node| is(node, Some(hook.key.hook_id.as_str())));
    for name in COMPANY {
        stays(name, &|node| is(node, company_id));
    }
    stays("authType", &|node| authentication::auth_type(node).is_ok_and(|one| one == hook.auth_type));
    stays("active", &|node| node.value == Value::Bool(hook.active));
    stays("createdDate", &|node| is(node, Some(&hook.created.to_string())));
}
