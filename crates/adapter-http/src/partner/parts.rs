//! Elements of a worker's lists, such as contacts and pay rates, in the partner API. This module contains the
//! partners' rules for these elements. The handlers are shared with operators
//! ([`shared::objects::parts`](crate::shared::objects::parts)). Each kind of list is in
//! `routes/worker_parts`.

mod part;

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::date::{Date, format_date};
use payroll_domain::document;
use payroll_domain::id::kind::Reference;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::{Node, Value};
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::Violation;
use payroll_domain::worker::WorkerList;
use payroll_ports::Rows;
use payroll_ports::idempotency::{ResponseRecord, StoredResponse};
use payroll_ports::resources::Versioned;
use payroll_ports::write::AuditContext;

pub(crate) use self::part::PartnerListElement;
use super::call::PartnerCall;
use super::writing::{self, with_etag};
use crate::shared::error::Failure;
use crate::shared::etag::EntityTag;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::InFlightGuard;
use crate::shared::incoming::IncomingRequest;
use crate::shared::media_type::{JSON, MERGE_PATCH};
use crate::shared::objects::ObjectKey;
pub(crate) use crate::shared::objects::side::ElementRevision;
use crate::shared::objects::side::{
    ElementChange, ElementListRequest, ElementOperation, ElementRequest, ElementRules, SentElement,
};
use crate::shared::precondition::IfMatch;
use crate::shared::response::{self, GetResponse};
use crate::shared::wire::described_resource::DescribedResource;
use crate::shared::wire::{Envelope, Href, Link};

/// The pointer to the pending change of an element, which awaits approval.
const PENDING_CHANGE_POINTER: &str = "/pendingChange";
/// The prefix of member names in fault descriptions that refer to the pending change.
const PENDING_CHANGE_PREFIX: &str = "pendingChange/";

/// A request for a list of a worker or for one of its elements.
pub(crate) struct ElementCall<T: PartnerListElement> {
    call: PartnerCall,
    operation: ElementOperation,
    media_type: String,
    dry_run: bool,
    /// The date in the parameter `asof` of a GET.
    as_of: Option<Date>,
    facts: T::Facts,
}

impl<T: PartnerListElement> ElementCall<T> {
    /// Creates a request whose query and media types are not validated yet.
    pub(crate) fn new(call: PartnerCall) -> Self {
        Self {
            call,
            operation: ElementOperation::Read,
            media_type: String::new(),
            dry_run: false,
            as_of: None,
            facts: T::Facts::default(),
        }
    }

    /// Returns the status of a change: 202 if an operator must approve one of the elements, else 200.
    fn change_status(&self, elements: &[String]) -> u16 {
        let awaits = elements.iter().any(|element| T::awaits_approval(element));
        if awaits && !self.dry_run { 202 } else { 200 }
    }

    /// Creates the response with these serialized elements of a worker's list.
    fn response(&self, status: u16, elements: &[String]) -> Result<HttpResponse, Failure> {
        let own = Link::to_self(Href::Complete(format!(
            "{}{}",
            self.call.incoming.base_url(),
            self.call.incoming.path()
        )));
        response::from_stored(envelope_response(status, &self.media_type, vec![own], elements)?)
    }
}

/// Replaces the reason of a fault if the list `T` defines a specific reason for the invalid member. `element`
/// is the JSON Pointer to the element.
pub(crate) fn with_specific_reason<T: PartnerListElement>(mut fault: Violation, element: &str) -> Violation {
    let pointer =
        fault.pointer.as_deref().and_then(|pointer| pointer.strip_prefix(element)?.strip_prefix('/'));
    if let Some(reason) = pointer.and_then(|pointer| T::specific_reason(pointer, fault.reason)) {
        fault.reason = reason;
    }
    fault
}

/// Serializes an element of a worker's list to JSON.
pub(crate) fn serialize_described_element<T: PartnerListElement>(
    shown: &DescribedResource<'_, T>,
    facts: &T::Facts,
) -> serde_json::Result<String> {
    if !T::ADDS_REFERENCED_DATA {
        return serde_json::to_string(shown);
    }
    let mut shown = serde_json::to_value(shown)?;
    T::add_referenced_data(&mut shown, facts);
    serde_json::to_string(&shown)
}

/// Creates the response with these serialized elements and links.
fn envelope_response(
    status: u16,
    media_type: &str,
    links: Vec<Link<'static>>,
    elements: &[String],
) -> Result<StoredResponse, Failure> {
    let body = Envelope { metadata: None, links }.serialize(elements, |element, out| {
        out.extend_from_slice(element.as_bytes());
        Ok(())
    })?;
    Ok(StoredResponse { status, content_type: media_type.to_owned(), body })
}

impl<T: PartnerListElement> ElementRequest for ElementCall<T> {
    type Rules = PartnerRules<T>;

    fn incoming(&self) -> &IncomingRequest {
        &self.call.incoming
    }

    fn new_ids(&self) -> IdSequence {
        self.call.new_ids()
    }

    fn audit_context(&self, response_record: Option<ResponseRecord>) -> AuditContext {
        writing::audit_context(&self.call, response_record, self.dry_run)
    }

    fn rules(&self) -> PartnerRules<T> {
        let incoming = &self.call.incoming;
        let list = match self.operation {
            ElementOperation::Create | ElementOperation::CreateSeveral | ElementOperation::PatchList => {
                incoming.path()
            }
            ElementOperation::Read
            | ElementOperation::Replace
            | ElementOperation::Patch
            | ElementOperation::Delete => incoming.path().rsplit_once('/').map_or("", |(list, _)| list),
        };
        PartnerRules {
            operation: self.operation,
            list: format!("{}{list}", incoming.base_url()),
            media_type: self.media_type.clone(),
            today: incoming.api.today(),
            has_address: !self.dry_run
                || !matches!(self.operation, ElementOperation::Create | ElementOperation::CreateSeveral),
            as_of: self.as_of,
            facts: self.facts.clone(),
        }
    }

    async fn validate_query_and_media_types(&mut self, operation: ElementOperation) -> Result<(), Failure> {
        let partner = Arc::clone(&self.call.partner);
        let [list, one] = T::media_types(&partner.media_types);
        self.operation = operation;
        let call = &self.call;
        if operation == ElementOperation::Read {
            self.as_of = call.read_query(T::read_as_of).await?;
        } else {
            self.dry_run = writing::is_dry_run(call).await?;
            let today = call.incoming.api.today();
            call.prefer_authentication_failure(T::check_change_parameters(&call.incoming.query(), today))
                .await?;
        }
        let accepted: &[&str] = match operation {
            ElementOperation::Create | ElementOperation::CreateSeveral | ElementOperation::Replace => {
                &[one, list, JSON]
            }
            ElementOperation::Patch => &[one, list, JSON, MERGE_PATCH],
            ElementOperation::PatchList => &[list, one, JSON],
            ElementOperation::Read | ElementOperation::Delete => &[],
        };
        if !accepted.is_empty() {
            call.prefer_authentication_failure(call.incoming.check_content_type(accepted)).await?;
        }
        let offers: &[&str] = match operation {
            ElementOperation::Read => &[one, JSON],
            ElementOperation::Delete if T::DELETE_RETURNS_REMAINING => &[list, one, JSON],
            ElementOperation::PatchList => &[list, one, JSON],
            ElementOperation::Create
            | ElementOperation::CreateSeveral
            | ElementOperation::Replace
            | ElementOperation::Patch
            | ElementOperation::Delete => &[one, list, JSON],
        };
        self.media_type = call.negotiate(offers).await?.to_owned();
        if operation != ElementOperation::Delete {
            self.facts = T::read_facts(&self.call).await?;
        }
        Ok(())
    }

    async fn worker_key(&self) -> Result<ObjectKey, Failure> {
        let company_id = self.call.company_id().await?;
        let id = self.call.id::<Reference>("workerId").await?.to_string();
        Ok(ObjectKey { company_id, kind: ResourceKind::Worker, id })
    }

    async fn element_id(&self, part: WorkerList) -> Result<String, Failure> {
        Ok(self.call.id::<Reference>(part.id_member).await?.to_string())
    }

    fn if_match(&self) -> Result<IfMatch, Failure> {
        IfMatch::read_optional(self.call.incoming.headers())
    }

    async fn body(&mut self) -> Result<Bytes, Failure> {
        self.call.read_body(Reason::BodyTooLarge).await
    }

    async fn read(&self, key: &ObjectKey) -> Result<Versioned<Resource>, Failure> {
        writing::read_object(&self.call, key).await
    }

    /// The worker is read in every case, because the caller must be authorized before a stored response is
    /// replayed or a fault is reported.
    async fn hide_from_callers_without_access<R>(
        &self,
        key: &ObjectKey,
        result: Result<R, Failure>,
    ) -> Result<R, Failure> {
        self.read(key).await?;
        result
    }

    async fn run_with_idempotency(
        &self,
        body: &Bytes,
        handler: impl AsyncFnOnce(&Arc<InFlightGuard>) -> HandlerResult,
    ) -> HandlerResult {
        writing::run_with_idempotency(&self.call, self.dry_run, body, handler).await
    }

    fn single_response(&self, version: i64, content: String) -> HandlerResult {
        let tag = EntityTag::from_version(version);
        let reading = GetResponse::with_etag(&self.call.incoming, &self.media_type, tag);
        reading.rows_response(Rows::All(vec![content]), |content, _, out| {
            out.extend_from_slice(content.as_bytes());
            Ok(())
        })
    }

    fn created_response(&self, version: i64, created: StoredResponse) -> HandlerResult {
        let response = response::from_stored(created)?;
        if self.dry_run { Ok(response) } else { with_etag(response, version) }
    }

    fn changed_response(&self, version: i64, content: &str) -> HandlerResult {
        with_etag(self.response(self.change_status(&[content.to_owned()]), &[content.to_owned()])?, version)
    }

    fn deleted_response(&self, version: i64, remaining: &[String]) -> HandlerResult {
        if T::DELETE_RETURNS_REMAINING {
            return with_etag(self.response(200, remaining)?, version);
        }
        Ok(HttpResponse::NoContent().finish())
    }
}

impl<T: PartnerListElement> ElementListRequest for ElementCall<T> {
    fn changed_list_response(&self, version: i64, contents: &[String]) -> HandlerResult {
        with_etag(self.response(self.change_status(contents), contents)?, version)
    }
}

/// The rules of the partner API. Unknown and read-only members in a request are ignored, and responses
/// contain links.
pub(crate) struct PartnerRules<T: PartnerListElement> {
    /// The operation that the request asks for, such as PATCH of one element.
    operation: ElementOperation,
    /// The URL of the worker's list, such as the contacts.
    list: String,
    media_type: String,
    today: Date,
    /// Whether elements have an id and links. A new element of a dry run has no id and no links.
    has_address: bool,
    as_of: Option<Date>,
    facts: T::Facts,
}

impl<T: PartnerListElement> Clone for PartnerRules<T> {
    fn clone(&self) -> Self {
        let Self { operation, list, media_type, today, has_address, as_of, facts } = self;
        let (list, media_type, facts) = (list.clone(), media_type.clone(), facts.clone());
        let (operation, today, has_address, as_of) = (*operation, *today, *has_address, *as_of);
        Self { operation, list, media_type, today, has_address, as_of, facts }
    }
}

impl<T: PartnerListElement> PartnerRules<T> {
    fn serialize_element(&self, element: &T) -> Result<String, Failure> {
        let shown = match (self.has_address, T::HAS_LINKS) {
            (false, _) => DescribedResource::without_links(element)
                .without_member(T::LIST.id_member)
                .without_members(T::NESTED_IDS),
            (true, false) => DescribedResource::without_links(element),
            (true, true) => {
                let own = Link::to_self(Href::Complete(format!("{}/{}", self.list, element.id())));
                DescribedResource::with_links(element, vec![own])
            }
        };
        let shown = shown.with_members(element.added_members(&self.facts));
        let shown =
            if self.operation == ElementOperation::Read { shown.with_account_numbers() } else { shown };
        let written = serialize_described_element::<T>(&shown, &self.facts);
        written.map_err(|error| Failure::Bug(error.into()))
    }
}

impl<T: PartnerListElement> ElementRules for PartnerRules<T> {
    type Created = StoredResponse;
    const REJECTS_EMPTY: bool = true;

    fn retain_accepted_members<'n>(
        &self,
        sent: SentElement<'_, 'n>,
        faults: &mut Vec<Violation>,
    ) -> Node<'n> {
        let SentElement { part, operation, stored, node: mut sent } = sent;
        faults.extend(T::convert_to_stored_form(&mut sent, stored, &self.facts));
        document::remove_unknown_members(&mut sent, T::MEMBERS);
        let Value::Object(members) = &mut sent.value else { return sent };
        members.retain(|(name, _)| name != part.id_member);
        let starts =
            members.iter().any(|(name, value)| name == "startDate" && !value.value.is_null_or_empty_text());
        if operation == ElementOperation::Create && T::STARTS_TODAY_BY_DEFAULT && !starts {
            members.retain(|(name, _)| name != "startDate");
            members.push((
                "startDate".into(),
                Node::from(Value::Text(format_date(self.today).to_string().into())),
            ));
        }
        sent
    }

    fn complete_element<'n>(&self, revision: ElementRevision<'_, 'n>) -> Node<'n> {
        T::complete_for_storage(revision, &self.facts, self.today)
    }

    fn find_faults(&self, change: ElementChange<'_, '_>) -> Vec<Violation> {
        let operation =
            if self.operation == ElementOperation::PatchList { self.operation } else { change.operation };
        T::find_change_faults(ElementChange { operation, ..change }, self.today)
    }

    fn map_fault(&self, mut fault: Violation) -> Violation {
        // The fault refers to the stored element, where a change that awaits approval is in the member
        // `pendingChange`. A request contains the changed members directly in the element, so the prefix is
        // removed from the pointer and the description.
        if let Some(rest) =
            fault.pointer.as_deref().and_then(|pointer| pointer.strip_prefix(PENDING_CHANGE_POINTER))
        {
            fault.pointer = Some(rest.to_owned());
            fault.description = fault.description.replace(PENDING_CHANGE_PREFIX, "");
        }
        with_specific_reason::<T>(fault, "")
    }

    fn serialize_elements(&self, _: WorkerList, worker: &Resource) -> Result<Vec<(String, String)>, Failure> {
        let Resource::Worker(worker) = worker else {
            return Err(Failure::Bug("a worker was read as an object of another kind".into()));
        };
        let elements = T::elements(worker).iter();
        let elements = elements.filter(|element| self.as_of.is_none_or(|day| element.is_effective_on(day)));
        elements.map(|element| Ok((element.id().to_owned(), self.serialize_element(element)?))).collect()
    }

    fn compose_created_response(
        &self,
        elements: &[(String, String)],
    ) -> Result<(StoredResponse, StoredResponse), Failure> {
        let status = match self.has_address {
            true if elements.iter().any(|(_, content)| T::awaits_approval(content)) => 202,
            true => T::CREATED_STATUS,
            false => 200,
        };
        let contents: Vec<String> = elements.iter().map(|(_, content)| content.clone()).collect();
        let response = envelope_response(status, &self.media_type, Vec::new(), &contents)?;
        Ok((response.clone(), response))
    }
}
