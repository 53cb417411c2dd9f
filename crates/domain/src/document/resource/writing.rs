//! Writes a single object, as text or as the tree that parsing this text would produce.

use crate::company::Lock;
use crate::description::{MemberSource, MemberValue, MemberView};
use crate::document::tree::to_object_node;
use crate::id::{CompanyId, WorkerId};
use crate::input::Node;
use crate::object::writer::{ObjectWriter, TaxIdMasking};
use crate::resource::Resource;
use crate::tax_id::LegalId;
use crate::worker::DirectDeposit;

/// Writes the document of an object in the form that
/// [`read_resource_document`](super::read_resource_document) reads. The document is compact JSON without
/// absent members and empty lists. If tax IDs are not masked, reading the text returns an equal object.
///
/// ```
/// use payroll_domain::document::{TaxIdMasking, write_resource};
/// use payroll_domain::resource::Resource;
/// # use payroll_domain::lookup::{CalculationBase, LookupObject};
/// let base = CalculationBase {
///     calculation_base_id: "B-1".parse()?,
///     calculation_base_name: "All \"earnings\"".to_owned(),
/// };
/// let resource = Resource::Lookup(LookupObject::CalculationBase(base));
/// let document = write_resource(&resource, TaxIdMasking::Masked);
/// assert_eq!(document, r#"{"calculationBaseId":"B-1","calculationBaseName":"All \"earnings\""}"#);
/// # Ok::<(), payroll_domain::id::InvalidId>(())
/// ```
#[must_use]
pub fn write_resource(resource: &Resource, tax_ids: TaxIdMasking) -> String {
    let view = match (resource, tax_ids) {
        (Resource::Worker(_), TaxIdMasking::Support) => MemberView::Support,
        _ => MemberView::Operator,
    };
    ObjectWriter::write_document(tax_ids, |object| object.write_members_in_view(resource, view))
}

/// Returns the document of an object as a tree, with unmasked tax IDs. The tree equals the result of parsing
/// the written text, but this function creates no text.
///
/// ```
/// use payroll_domain::document::{TaxIdMasking, to_resource_node, write_resource};
/// use payroll_domain::input::parse;
/// use payroll_domain::resource::Resource;
/// # use payroll_domain::lookup::{CalculationBase, LookupObject};
/// # let base = CalculationBase {
/// #     calculation_base_id: "B-1".parse()?,
/// #     calculation_base_name: "All \"earnings\"".to_owned(),
/// # };
/// let base = Resource::Lookup(LookupObject::CalculationBase(base));
/// assert_eq!(Ok(to_resource_node(&base)), parse(write_resource(&base, TaxIdMasking::Unmasked).as_bytes()));
/// # Ok::<(), payroll_domain::id::InvalidId>(())
/// ```
#[must_use]
pub fn to_resource_node(resource: &Resource) -> Node<'static> {
    to_object_node(resource)
}

/// Returns the elements of a list in a worker's document. Each result consists of the element's id and its
/// text in the form of [`write_resource()`].
///
/// ```
/// use payroll_domain::resource::{Resource, ResourceKind};
/// use payroll_domain::{document, input};
/// let worker = input::parse(br#"{"workerId": "W", "workerType": "EMPLOYEE",
///     "name": {"familyName": "Sample", "givenName": "Ann"},
///     "recurringComponents": [{"workerComponentId": "R", "componentId": "C",
///                              "calculationType": "FLAT_DOLLAR_AMOUNT", "value": "1.50"}]}"#);
/// let worker = document::read_resource_document(ResourceKind::Worker, &worker.unwrap()).unwrap();
/// let elements = document::write_list_elements(&worker, "recurringComponents", "workerComponentId");
/// assert_eq!(elements[0].0, "R");
/// assert!(elements[0].1.starts_with(r#"{"workerComponentId":"R","componentId":"C""#));
/// assert!(document::write_list_elements(&worker, "payRates", "rateId").is_empty());
/// ```
#[must_use]
pub fn write_list_elements(resource: &Resource, list: &str, id_member: &str) -> Vec<(String, String)> {
    let mut elements = Vec::new();
    if let Resource::Worker(worker) = resource {
        worker.visit_members(MemberView::Operator, &mut |name, value| {
            if let (true, MemberValue::Objects(objects)) = (name == list, value) {
                elements.extend(
                    objects
                        .iter()
                        .map(|object| (find_member_text(*object, id_member), write_list_element(*object))),
                );
            }
        });
    }
    elements
}

fn find_member_text(object: &dyn MemberSource, id_member: &str) -> String {
    let mut id = String::new();
    object.visit_members(MemberView::Operator, &mut |name, value| match value {
        MemberValue::Displayed(value) if name == id_member => id = value.to_string(),
        MemberValue::Text(text) if name == id_member => text.clone_into(&mut id),
        _ => {}
    });
    id
}

/// Writes an element of a worker's list, with account numbers masked.
fn write_list_element(part: &dyn MemberSource) -> String {
    ObjectWriter::write_document(TaxIdMasking::Masked, |object| object.write_members(part))
}

/// Writes a pending direct deposit with the ids of its company and worker. The account number is masked.
///
/// ```
/// use payroll_domain::resource::{Resource, ResourceKind};
/// use payroll_domain::{document, input};
/// let worker = input::parse(br#"{"workerId": "W", "workerType": "EMPLOYEE",
///     "name": {"familyName": "Sample", "givenName": "Ann"},
///     "directDeposits": [{"directDepositId": "D", "startDate": "2026-05-04", "paymentType": "REMAINDER",
///         "accountType": "CHECKING", "routingNumber": "122100024", "accountNumber": "1234567865",
///         "priority": "99", "status": "PENDING"}]}"#);
/// let worker = document::read_resource_document(ResourceKind::Worker, &worker.unwrap()).unwrap();
/// let Resource::Worker(worker) = worker else { panic!() };
/// let company_id = "C".parse().unwrap();
/// let written =
///     document::write_pending_deposit(&company_id, &worker.worker_id, &worker.direct_deposits[0]);
/// assert!(written.starts_with(r#"{"companyId":"C","workerId":"W","directDepositId":"D""#));
/// assert!(written.contains(r#""accountNumber":"*****7865""#));
/// ```
#[must_use]
pub fn write_pending_deposit(
    company_id: &CompanyId,
    worker_id: &WorkerId,
    deposit: &DirectDeposit,
) -> String {
    ObjectWriter::write_document(TaxIdMasking::Masked, |object| {
        object.write_text("companyId", company_id);
        object.write_text("workerId", worker_id);
        object.write_members(deposit);
    })
}

/// Writes the document of a lock: `holder`, `reason`, `expiresDate`.
///
/// ```
/// # use payroll_domain::{company::Lock, document::write_lock};
/// let lock = Lock { holder: "night shift".to_owned(), reason: None, expires: None };
/// assert_eq!(write_lock(&lock), r#"{"holder":"night shift"}"#);
/// ```
#[must_use]
pub fn write_lock(company_lock: &Lock) -> String {
    ObjectWriter::write_document(TaxIdMasking::Masked, |object| write_lock_members(company_lock, object))
}

/// Writes the document of a tax ID with all its digits. Use this function only for callers who requested
/// unmasked digits and have the permission to see them.
///
/// ```
/// use payroll_domain::{document::write_tax_id, tax_id::{LegalId, LegalIdType}};
/// let legal_id = LegalId::parse(LegalIdType::Ssn, "000006789").unwrap();
/// assert_eq!(write_tax_id(&legal_id), r#"{"legalIdType":"SSN","legalIdValue":"000006789"}"#);
/// ```
#[must_use]
pub fn write_tax_id(legal_id: &LegalId) -> String {
    ObjectWriter::write_document(TaxIdMasking::Unmasked, |object| {
        object.write_text("legalIdType", legal_id.kind());
        object.write_text("legalIdValue", legal_id.digits());
    })
}

pub(in crate::document) fn write_lock_members(lock: &Lock, object: &mut ObjectWriter<'_>) {
    object.write_text("holder", &lock.holder);
    object.write_optional("reason", lock.reason.as_ref());
    object.write_optional("expiresDate", lock.expires);
}
