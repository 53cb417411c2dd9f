//! Content negotiation for responses (specification §3.2) and media types of request bodies (§3.3).
//!
//! This module does not depend on operations. The caller passes the offered types, with the vendor type
//! first. RFC 9110 does not define how to read a malformed `Accept`. Here a malformed element is ignored. A
//! header with only malformed elements accepts nothing. If only a parameter is malformed, the element counts
//! without this parameter, because existing clients send `application/json;profile='https://…'`.

mod quoted;
#[cfg(test)]
mod tests;

use payroll_domain::lookup::LookupKind;
use payroll_domain::steps;

use self::quoted::split_unquoted;
use crate::shared::lookup::{self, LookupMediaTypes};

/// The media type of JSON. Every operation except the token operation accepts this type in `Accept`.
pub(crate) const JSON: &str = "application/json";
/// The media type of a JSON merge patch (RFC 7396).
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";
/// The media type of a JSON Patch (RFC 6902).
pub(crate) const JSON_PATCH: &str = "application/json-patch+json";
/// The media type of a form with files (RFC 7578).
pub(crate) const FORM_DATA: &str = "multipart/form-data";
/// The media type of CSV (RFC 4180). Without a charset parameter, the encoding is UTF-8 (RFC 7111).
pub(crate) const CSV: &str = "text/csv";
/// The media type of newline-delimited JSON, with one document per line.
pub(crate) const NDJSON: &str = "application/x-ndjson";

/// Vendor media types, which contain the configured vendor name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VendorTypes {
    /// The media type of a list of companies.
    pub(crate) companies: String,
    /// The media type of one company, as a partner sees it.
    pub(crate) company: String,
    /// The media type of checks of an unprocessed pay period.
    pub(crate) checks: String,
    /// The media type of checks of a processed pay period.
    pub(crate) processed_checks: String,
    /// The media type of one check of an unprocessed pay period.
    pub(crate) check: String,
    /// The media type of one check of a processed pay period.
    pub(crate) processed_check: String,
    /// The media type of contact types of a company.
    pub(crate) contact_types: String,
    /// The media type of custom fields of a company.
    pub(crate) custom_fields: String,
    /// The media type of one custom field of a company.
    pub(crate) custom_field: String,
    /// The media type of categories of custom fields.
    pub(crate) categories: String,
    /// The media type of one category of custom fields.
    pub(crate) category: String,
    /// The media type of organizations of a company.
    pub(crate) organizations: String,
    /// The media type of one organization of a company.
    pub(crate) organization: String,
    /// The media type of pay components of a company.
    pub(crate) pay_components: String,
    /// The media type of one pay component of a company.
    pub(crate) pay_component: String,
    /// The media type of pay periods of a company.
    pub(crate) pay_periods: String,
    /// The media type of one pay period of a company.
    pub(crate) pay_period: String,
    /// The media type of the complete workers of a company.
    pub(crate) workers: String,
    /// The media type of workers with communications, whose content is the same as in [`Self::workers`].
    pub(crate) workers_communications: String,
    /// The media type of workers without personal data.
    pub(crate) workers_nonpii: String,
    /// The media type of workers without personal data, but with their communications.
    pub(crate) workers_nonpii_communications: String,
    /// The media type of workers in the form of a roster.
    pub(crate) workers_roster: String,
    /// The media type of one complete worker of a company.
    pub(crate) worker: String,
    /// The media type of one worker, in the representation of [`Self::workers_communications`].
    pub(crate) worker_communications: String,
    /// The media type of one worker, in the representation of [`Self::workers_nonpii`]. Some clients use this
    /// name for a list too.
    pub(crate) worker_nonpii: String,
    /// The media type of one worker, in the representation of [`Self::workers_nonpii_communications`].
    pub(crate) worker_nonpii_communications: String,
    /// The media type of the communications of a worker.
    pub(crate) communications_of_worker: String,
    /// The media type of one communication of a worker.
    pub(crate) communication_of_worker: String,
    /// The media type of the remaining time off of a worker.
    pub(crate) time_off: String,
    pub(crate) statuses_of_worker: String,
    /// The media type of the status of a worker's employment eligibility form.
    pub(crate) i9_status: String,
    /// The media type of the documents of a worker.
    pub(crate) documents: String,
    /// The media type of one document of a worker.
    pub(crate) document: String,
    /// The media type of the profile image of a worker.
    pub(crate) profile_image: String,
    /// The media type of the distribution of a worker's work over assignments.
    pub(crate) assignment_distributions: String,
    /// The media type of the contacts of a worker.
    pub(crate) contacts_of_worker: String,
    /// The media type of one contact of a worker.
    pub(crate) contact_of_worker: String,
    /// The media type of the values of custom fields of a worker.
    pub(crate) custom_fields_of_worker: String,
    /// The media type of one value of a custom field of a worker.
    pub(crate) custom_field_of_worker: String,
    /// The media type of a worker's pay rates.
    pub(crate) pay_rates: String,
    /// The media type of one pay rate of a worker.
    pub(crate) pay_rate: String,
    /// The media type of the links to a worker's pay rates and pay standards.
    pub(crate) compensation: String,
    /// The media type of the complete pay rates and pay standards of a worker.
    pub(crate) compensation_complete: String,
    /// The media type of a worker's pay standards.
    pub(crate) pay_standards: String,
    /// The media type of a worker's direct deposits.
    pub(crate) direct_deposits: String,
    /// The media type of one direct deposit of a worker.
    pub(crate) direct_deposit: String,
    /// The media type of a check line in a request that adds or changes the line.
    pub(crate) check_component: String,
    /// The media type of the federal tax settings of a worker.
    pub(crate) federal_tax: String,
    /// The vendor media types of the lookup lists.
    lookups: Vec<LookupTypes>,
}

/// The vendor media types of one kind of lookup list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LookupTypes {
    kind: LookupKind,
    list: Option<String>,
    object: Option<String>,
}

impl LookupTypes {
    fn new(kind: LookupKind, resources: LookupMediaTypes, format_name: impl Fn(&str) -> String) -> Self {
        Self { kind, list: resources.list.map(&format_name), object: resources.one.map(&format_name) }
    }
}

impl VendorTypes {
    /// Creates the media types that contain this vendor name.
    #[must_use]
    pub(crate) fn new(vendor: &str) -> Self {
        let named = |resource: &str| format!("application/vnd.{vendor}.{resource}.v1+json");
        Self {
            companies: named("companies"),
            company: named("company"),
            checks: named("payroll.checks"),
            processed_checks: named("payroll.processedchecks"),
            check: named("payroll.check"),
            processed_check: named("payroll.processedcheck"),
            contact_types: named("company.contacttypes"),
            custom_fields: named("company.customfields"),
            custom_field: named("company.customfield"),
            categories: named("company.customfieldscategories"),
            category: named("company.customfieldscategory"),
            organizations: named("company.organizations"),
            organization: named("company.organization"),
            pay_components: named("payroll.paycomponents"),
            pay_component: named("payroll.paycomponent"),
            pay_periods: named("payroll.periods"),
            pay_period: named("payroll.period"),
            workers: named("workers"),
            workers_communications: named("workers_communications"),
            workers_nonpii: named("workers.nonpii"),
            workers_nonpii_communications: named("workers.nonpii_communications"),
            workers_roster: named("workers.roster"),
            worker: named("worker"),
            worker_communications: named("worker_communications"),
            worker_nonpii: named("worker.nonpii"),
            worker_nonpii_communications: named("worker.nonpii_communications"),
            communications_of_worker: named("worker.communications"),
            communication_of_worker: named("worker.communication"),
            time_off: named("worker.timeoff"),
            statuses_of_worker: named("company.workerstatuses"),
            i9_status: named("worker.i9status"),
            documents: named("worker.documents"),
            document: named("worker.document"),
            profile_image: named("worker.profileimage"),
            assignment_distributions: named("worker.assignmentdistributions"),
            contacts_of_worker: named("worker.contacts"),
            contact_of_worker: named("worker.contact"),
            custom_fields_of_worker: named("worker.customfields"),
            custom_field_of_worker: named("worker.customfield"),
            pay_rates: named("payroll.compensation.payrates"),
            pay_rate: named("payroll.compensation.payrate"),
            compensation: named("payroll.compensation"),
            compensation_complete: named("payroll.compensation.standards_rates"),
            pay_standards: named("payroll.compensation.paystandards"),
            direct_deposits: named("payroll.directdeposits"),
            direct_deposit: named("payroll.directdeposit"),
            check_component: named("payroll.check.checkcomponent"),
            federal_tax: named("worker.federaltax2020"),
            lookups: lookup::all_lookup_lists()
                .map(|(kind, spec)| LookupTypes::new(kind, spec.media_types, named))
                .collect(),
        }
    }

    /// Returns the vendor media type of a lookup list, if the list has one.
    pub(crate) fn lookup_list_type(&self, kind: LookupKind) -> Option<&str> {
        self.lookup_types(kind)?.list.as_deref()
    }

    /// Returns the vendor media type of one element of a lookup list, if the element has one.
    pub(crate) fn lookup_element_type(&self, kind: LookupKind) -> Option<&str> {
        self.lookup_types(kind)?.object.as_deref()
    }

    fn lookup_types(&self, kind: LookupKind) -> Option<&LookupTypes> {
        self.lookups.iter().find(|types| types.kind == kind)
    }

    /// Returns the media types of workers without personal data: first of a list, then of one worker.
    pub(crate) fn nonpii_types(&self) -> [&str; 2] {
        [&self.workers_nonpii, &self.worker_nonpii]
    }

    /// Returns the media types of workers with communications and without other personal data.
    pub(crate) fn nonpii_types_with_communications(&self) -> [&str; 2] {
        [&self.workers_nonpii_communications, &self.worker_nonpii_communications]
    }
}

/// The media types that a client accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AcceptedTypes {
    /// The request has no `Accept` header, so any type is accepted.
    Anything,
    /// The media ranges of the header. The list is empty if all elements were malformed.
    Ranges(Vec<MediaRangeWithWeight>),
}

/// A media range of an `Accept` header. Its parameters are ignored, because the offered types have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MediaRangeWithWeight {
    kind: MediaRange,
    weight: QualityValue,
}

/// The kinds of ranges, from the least to the most specific. The most specific matching range decides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum MediaRange {
    /// The range `*/*`, which matches every type.
    Any,
    /// A range such as `application/*`; the text is `application`.
    MainType(String),
    /// A complete media type, such as `application/json`.
    Named(String),
}

/// A q-value in thousandths, at most 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct QualityValue(u16);

impl AcceptedTypes {
    /// Parses all `Accept` header lines of a request as one list.
    #[must_use]
    pub(crate) fn parse<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut ranges = Vec::new();
        let mut empty = true;
        for line in lines {
            // Tokens are ASCII, so an element with invalid UTF-8 is malformed anyway.
            let line = String::from_utf8_lossy(line);
            for element in split_unquoted(&line, ',').map(trim).filter(|element| !element.is_empty()) {
                empty = false;
                ranges.extend(parse_range(element));
            }
        }
        if empty { Self::Anything } else { Self::Ranges(ranges) }
    }

    /// Chooses the best of the offered types; `None` if the client accepts none of them.
    ///
    /// The type with the highest q wins. With equal q, a type that the header names wins over a type that
    /// matches only a wildcard. Among types that are still equal, the type that is offered first wins.
    #[must_use]
    pub(crate) fn choose<'t>(&self, offers: &[&'t str]) -> Option<&'t str> {
        let mut best: Option<((QualityValue, bool), &'t str)> = None;
        for offer in offers {
            let Some(rank) = self.weight_of_offer(offer) else { continue };
            if best.is_none_or(|(highest, _)| highest < rank) {
                best = Some((rank, offer));
            }
        }
        best.map(|(_, offer)| offer)
    }

    /// Returns the q of a type, and whether the header contains its name; `None` if the type is not accepted.
    fn weight_of_offer(&self, offer: &str) -> Option<(QualityValue, bool)> {
        let ranges = match self {
            Self::Anything => return Some((QualityValue::MAX, false)),
            Self::Ranges(ranges) => ranges,
        };
        steps::record_steps(ranges.len());
        let fitting = ranges.iter().filter(|range| range.kind.covers(offer));
        let decisive = fitting.max_by_key(|range| (&range.kind, range.weight))?;
        let named = matches!(decisive.kind, MediaRange::Named(_));
        (decisive.weight > QualityValue::ZERO).then_some((decisive.weight, named))
    }
}

/// Whether the `Content-Type` of a request is one of the accepted types.
///
/// `lines` are the values of all `Content-Type` headers. The result is `false` unless there is exactly one.
/// Parameters such as a charset are ignored.
#[must_use]
pub(crate) fn is_accepted_type<'a>(lines: impl IntoIterator<Item = &'a [u8]>, accepted: &[&str]) -> bool {
    let mut lines = lines.into_iter();
    let (Some(line), None) = (lines.next(), lines.next()) else { return false };
    let line = String::from_utf8_lossy(line);
    let mut parts = split_unquoted(&line, ';').map(trim);
    let essence = parts.next().unwrap_or_default();
    // A comma outside quotes separates two media types, so the header must not contain such a comma.
    let single = split_unquoted(&line, ',').count() == 1;
    single && accepted.iter().any(|known| known.eq_ignore_ascii_case(essence))
}

impl MediaRange {
    fn covers(&self, offer: &str) -> bool {
        match self {
            Self::Any => true,
            Self::MainType(main) => {
                offer.split_once('/').is_some_and(|(offered, _)| offered.eq_ignore_ascii_case(main))
            }
            Self::Named(name) => offer.eq_ignore_ascii_case(name),
        }
    }
}

impl QualityValue {
    const ZERO: Self = Self(0);
    const MAX: Self = Self(1000);

    /// Parses a q-value, with two deviations from the grammar. More than three decimals are truncated. The 0
    /// before the point may be missing, because a widespread client omits it.
    fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        match whole {
            "1" if fraction.bytes().all(|byte| byte == b'0') => Some(Self::MAX),
            "" if fraction.is_empty() => None,
            "0" | "" => {
                let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(3);
                Some(Self(digits.fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'))))
            }
            _ => None,
        }
    }
}

/// Parses one element of an `Accept` list; `None` if its type is malformed. Only the parameter q is used, and
/// only if it is well-formed.
fn parse_range(element: &str) -> Option<MediaRangeWithWeight> {
    let mut parts = split_unquoted(element, ';').map(trim);
    let kind = parse_media_range(parts.next()?)?;
    let mut weight = QualityValue::MAX;
    for (name, value) in parts.filter_map(|parameter| parameter.split_once('=')) {
        if name.eq_ignore_ascii_case("q") {
            weight = QualityValue::parse(value).unwrap_or(weight);
        }
    }
    Some(MediaRangeWithWeight { kind, weight })
}

fn parse_media_range(text: &str) -> Option<MediaRange> {
    // A single asterisk is not a valid media range, but a widespread client sends it for "anything".
    if text == "*" {
        return Some(MediaRange::Any);
    }
    let (main, sub) = text.split_once('/')?;
    if !is_token(main) || !is_token(sub) {
        return None;
    }
    match (main, sub) {
        ("*", "*") => Some(MediaRange::Any),
        ("*", _) => None,
        (_, "*") => Some(MediaRange::MainType(main.to_ascii_lowercase())),
        (_, _) => Some(MediaRange::Named(text.to_ascii_lowercase())),
    }
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

fn is_token(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(allowed)
}
