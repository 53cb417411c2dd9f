//! State tax settings of a worker: the list, and changes by JSON Patch (RFC 6902).
//!
//! A worker has one setting per state, so the id of a setting is the code of its state. A patch that adds a
//! setting may use any text as its id.
//!
//! JSON Patch is implemented in this module and not with the crate `json-patch`. That crate uses
//! `serde_json::Value`, which changes the text of numbers. The crate also loses the positions of
//! operations, which are needed to report faults.

use std::collections::BTreeMap;

use payroll_domain::code::Reason;
use payroll_domain::description::Described;
use payroll_domain::document;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::{Node, Value};
use payroll_domain::resource::Resource;
use payroll_domain::violation::{DocumentPosition, Violation, Violations};
use payroll_domain::worker::{StateTax, StateTaxDeduction, Worker};
use payroll_ports::Rows;

use super::sources::ValueSources;
use super::{TaxChangeRequest, convert_flag_text, object_with_member, parse_merged_worker};
use crate::partner::call::PartnerCall;
use crate::partner::routes::worker_changes::{object_key, require_worker};
use crate::partner::writing::{self, with_etag};
use crate::shared::error::Failure;
use crate::shared::etag::EntityTag;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency;
use crate::shared::media_type::{JSON, JSON_PATCH};
use crate::shared::response::{self, GetResponse};
use crate::shared::wire::Envelope;
use crate::shared::wire::described_resource::DescribedResource;

/// The maximum number of operations of one patch. This number exceeds the number of members of all settings
/// of a worker.
const MAX_OPERATIONS: usize = 100;
/// The member with the code of the state, which is also the id.
const STATE_CODE_MEMBER: &str = "countrySubdivisionCode";
/// The member that contains the deductions of a state.
const DEDUCTIONS_MEMBER: &str = "workerTaxDeductions";
/// The member that contains the id of a deduction.
const DEDUCTION_ID_MEMBER: &str = "workerTaxDeductionId";
/// The flag for the worker's state of residence. Clients may send this flag as a boolean or as a text.
const RESIDENT_STATE_MEMBER: &str = "isResidentState";
/// The value of `regulationType` of each setting.
const INCOME_TAX_REGULATION: &str = "INCOME_TAX";

/// Handles a request for `GET /workers/{workerId}/statetaxes`.
pub(crate) async fn list_state_taxes(call: PartnerCall) -> HandlerResult {
    let media_type = call.negotiate(&[JSON]).await?;
    let found = writing::read_object(&call, &object_key(&call).await?).await?;
    let rows = Rows::All(state_taxes(require_worker(&found.value)?).to_vec());
    let reading = GetResponse::with_etag(&call.incoming, media_type, EntityTag::from_version(found.version));
    reading.rows_response(rows, |row, _, out| write_state_tax(row, out))
}

/// Handles a request for `PATCH /workers/{workerId}/statetaxes`.
pub(crate) async fn patch_state_taxes(mut call: PartnerCall) -> HandlerResult {
    let request =
        TaxChangeRequest::begin_with_media_types(&mut call, &[JSON_PATCH, JSON], &[JSON, JSON_PATCH]).await?;
    let guard = idempotency::guard_without_record(&call.incoming);
    let shown =
        |worker: &Worker, envelope: Envelope| Ok(envelope.serialize(state_taxes(worker), write_state_tax)?);
    let (version, response) = request.store_taxes(&call, (200, &guard), apply_patch, shown).await?;
    with_etag(response::from_stored(response)?, version)
}

fn state_taxes(worker: &Worker) -> &[StateTax] {
    worker.taxes.as_ref().map_or(&[], |taxes| &taxes.states)
}

fn write_state_tax(state: &StateTax, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let id = state.country_subdivision_code.clone();
    let also = vec![("workerTaxId", id.into()), ("regulationType", INCOME_TAX_REGULATION.into())];
    serde_json::to_writer(out, &DescribedResource::without_links(state).with_members(also))
}

/// Returns the worker after the patch of the state settings.
fn apply_patch(stored: &Resource, ids: &mut IdSequence, sent: Node<'_>) -> Result<Resource, Failure> {
    if matches!(&sent.value, Value::Object(members) if members.is_empty()) {
        return Err(Reason::EmptyRequest.into());
    }
    let Value::Array(operations) = sent.value else {
        return Err(Violation::new(Reason::FieldInvalid, "the body must be an array of operations").into());
    };
    if operations.is_empty() {
        return Err(Reason::EmptyRequest.into());
    }
    if operations.len() > MAX_OPERATIONS {
        let sentence = format!("a patch has at most {MAX_OPERATIONS} operations, not {}", operations.len());
        return Err(Violation::new(Reason::FieldInvalid, sentence).into());
    }
    let mut states = StatesPatch::from_worker(document::to_resource_node(stored));
    let applied = operations.into_iter().enumerate();
    let faults: Vec<_> =
        applied.filter_map(|(at, operation)| states.apply_operation(at, operation).err()).collect();
    if let Some(faults) = Violations::from_faults(faults) {
        return Err(faults.into());
    }
    let StatesPatch { settings, sources, .. } = states;
    let patch = object_with_member("taxes", object_with_member("states", Node::from(Value::Array(settings))));
    let worker = parse_merged_worker(stored, ids, patch, |pointer| sources.pointer_in_body(pointer))?;
    match find_allocation_fault(state_taxes(require_worker(&worker)?), &sources) {
        Some(fault) => Err(fault.into()),
        None => Ok(worker),
    }
}

/// Returns a fault if the patch has set an allocation, and the allocations of all states exceed 100 percent.
/// The pointer leads to the last operation that set an allocation.
fn find_allocation_fault(states: &[StateTax], sources: &ValueSources) -> Option<Violation> {
    let percents = states.iter().filter_map(|state| state.state_allocation_percent);
    let whole: i64 = percents.filter_map(|percent| percent.to_ten_thousandths()).sum();
    if whole <= ONE_HUNDRED_PERCENT {
        return None;
    }
    let allocated = states.iter().enumerate().filter(|(_, state)| state.state_allocation_percent.is_some());
    let pointers = allocated.filter_map(|(index, _)| {
        sources.pointer_in_body(&format!("/taxes/states/{index}/stateAllocationPercent"))
    });
    let pointer = pointers.max_by_key(|it| it.split('/').nth(1).and_then(|at| at.parse::<usize>().ok()))?;
    let fault = Violation::new(Reason::FieldInvalid, "stateAllocationPercent of all states exceeds 100");
    Some(fault.at_position(pointer, DocumentPosition::default()))
}

/// 100 percent in the unit of rates, which is a ten-thousandth of a percent.
const ONE_HUNDRED_PERCENT: i64 = 1_000_000;

/// The state settings while a patch is applied.
struct StatesPatch<'n> {
    settings: Vec<Node<'n>>,
    sources: ValueSources,
    /// Maps ids that a patch uses for its new settings to the state codes of these settings.
    added_codes: BTreeMap<String, String>,
}

/// The state setting that an operation of the patch changes.
struct OperationTarget {
    /// The index of the operation in the patch.
    at: usize,
    /// The index of the setting in the worker's list of state settings.
    index: usize,
    /// Whether the operation may add a missing value.
    may_add: bool,
}

impl<'n> StatesPatch<'n> {
    fn from_worker(worker: Node<'n>) -> Self {
        let settings =
            into_member_value(worker, "taxes").and_then(|taxes| into_member_value(taxes, "states"));
        let settings = match settings.map(|node| node.value) {
            Some(Value::Array(settings)) => settings,
            _ => Vec::new(),
        };
        Self { settings, sources: ValueSources::default(), added_codes: BTreeMap::new() }
    }

    /// Applies one operation of the patch.
    fn apply_operation(&mut self, at: usize, operation: Node<'n>) -> Result<(), Violation> {
        let fault = |member: &str, sentence: String| {
            let pointer = if member.is_empty() { format!("/{at}") } else { format!("/{at}/{member}") };
            Violation::new(Reason::FieldInvalid, sentence).at_position(pointer, DocumentPosition::default())
        };
        if let Some(name) =
            ["op", "path", "value"].into_iter().find(|name| has_duplicate_member(&operation, name))
        {
            let fault = Violation::new(Reason::FieldAmbiguous, format!("{name} occurs more than once"));
            return Err(fault.at_position(format!("/{at}/{name}"), DocumentPosition::default()));
        }
        let adds = match operation.member("op").and_then(Node::as_text) {
            Some("add") => true,
            Some("replace") => false,
            _ => return Err(fault("op", "op must be add or replace".to_owned())),
        };
        let path = operation.member("path").and_then(Node::as_text).map(split_pointer).unwrap_or_default();
        let path: Vec<_> = path.iter().map(String::as_str).collect();
        let ["workerTaxes", id, below @ ..] = path.as_slice() else {
            let sentence = "path must be /workerTaxes/{workerTaxId}, or a member below it".to_owned();
            return Err(fault("path", sentence));
        };
        let Some(value) = into_member_value(operation, "value") else {
            return Err(Violation::new(Reason::FieldMissing, "value is missing")
                .at_position(format!("/{at}/value"), DocumentPosition::default()));
        };
        match (self.find_setting_index(id), below) {
            (index, []) if adds || index.is_some() => self.replace_setting(at, id, index, value),
            (Some(index), [name]) => self.set_member(at, index, name, value),
            (Some(index), [DEDUCTIONS_MEMBER, id, below @ ..]) if below.len() < 2 => {
                let target = OperationTarget { at, index, may_add: adds };
                self.change_deduction(&target, (id, below.first().copied()), value)
                    .map_err(|sentence| fault("path", sentence))
            }
            (Some(_), _) => Err(fault("path", format!("a tax setting has no {}", below.join("/")))),
            (None, _) => Err(fault("path", format!("the worker has no tax setting {id}"))),
        }
    }

    /// Adds or replaces a deduction, or sets one member of it.
    ///
    /// # Errors
    /// A sentence that describes what is wrong with the path.
    fn change_deduction(
        &mut self,
        &OperationTarget { at, index, may_add: adds }: &OperationTarget,
        (id, name): (&str, Option<&str>),
        mut value: Node<'n>,
    ) -> Result<(), String> {
        if name.is_none() {
            document::remove_unknown_members(&mut value, StateTaxDeduction::MEMBERS);
            value = document::fill_missing_id(value, DEDUCTION_ID_MEMBER, id);
            if value.member(DEDUCTION_ID_MEMBER).and_then(Node::as_text) != Some(id) {
                return Err(format!("{DEDUCTION_ID_MEMBER} must be {id}, as in the path"));
            }
        }
        let Some(Value::Object(setting)) = self.settings.get_mut(index).map(|setting| &mut setting.value)
        else {
            return Err(format!("the tax setting has no deduction {id}"));
        };
        if !setting.iter().any(|(own, _)| own == DEDUCTIONS_MEMBER) {
            setting.push((DEDUCTIONS_MEMBER.into(), Node::from(Value::Array(Vec::new()))));
        }
        let list =
            setting.iter_mut().find(|(own, _)| own == DEDUCTIONS_MEMBER).map(|(_, node)| &mut node.value);
        let Some(Value::Array(list)) = list else {
            return Err(format!("{DEDUCTIONS_MEMBER} of the tax setting must be an array"));
        };
        let found =
            list.iter().position(|it| it.member(DEDUCTION_ID_MEMBER).and_then(Node::as_text) == Some(id));
        let source = match (found, name) {
            (None, None) if adds => {
                list.push(value);
                format!("{DEDUCTIONS_MEMBER}/{}", list.len() - 1)
            }
            (None, _) => return Err(format!("the tax setting has no deduction {id}")),
            (Some(_), Some(name))
                if name == DEDUCTION_ID_MEMBER
                    || StateTaxDeduction::MEMBERS.iter().all(|it| it.name != name) =>
            {
                return Err(format!("{name} cannot be changed"));
            }
            (Some(nth), Some(name)) => {
                if let Some(deduction) = list.get_mut(nth) {
                    replace_member(deduction, name, value);
                }
                format!("{DEDUCTIONS_MEMBER}/{nth}/{name}")
            }
            (Some(nth), None) => {
                if let Some(deduction) = list.get_mut(nth) {
                    *deduction = value;
                }
                format!("{DEDUCTIONS_MEMBER}/{nth}")
            }
        };
        self.sources.record_member_source(index, source, at);
        Ok(())
    }

    /// Adds a setting, or replaces the setting at this index.
    fn replace_setting(
        &mut self,
        at: usize,
        id: &str,
        index: Option<usize>,
        mut value: Node<'n>,
    ) -> Result<(), Violation> {
        let pointer = format!("/{at}/value");
        let fault = |reason, member: &str, sentence: String| {
            Violation::new(reason, sentence)
                .at_position(format!("{pointer}{member}"), DocumentPosition::default())
        };
        if !matches!(value.value, Value::Object(_)) {
            return Err(fault(Reason::FieldInvalid, "", "value must be an object".to_owned()));
        }
        document::remove_unknown_members(&mut value, StateTax::MEMBERS);
        if let Value::Object(members) = &mut value.value {
            let flags = members.iter_mut().filter(|(name, _)| name == RESIDENT_STATE_MEMBER);
            flags.for_each(|(_, flag)| convert_flag_text(flag));
        }
        let code = value.member(STATE_CODE_MEMBER).and_then(Node::as_text).map(str::to_owned);
        let stored = index.and_then(|index| self.state_code(index)).map(str::to_owned);
        match (index, code, stored) {
            (Some(_), Some(code), Some(stored)) if code != stored => {
                return Err(fault(
                    Reason::FieldInvalid,
                    "/countrySubdivisionCode",
                    format!("{STATE_CODE_MEMBER} cannot be changed"),
                ));
            }
            (Some(_), None, Some(stored)) => {
                value = document::fill_missing_id(value, STATE_CODE_MEMBER, &stored)
            }
            (None, Some(code), _) if self.find_setting_index(&code).is_some() => {
                let sentence = format!("the worker already has a tax setting for {code}");
                return Err(fault(Reason::AlreadyUsed, "/countrySubdivisionCode", sentence));
            }
            (None, Some(code), _) => drop(self.added_codes.insert(id.to_owned(), code)),
            (_, _, _) => {}
        }
        let index = index.unwrap_or(self.settings.len());
        self.sources.record_setting_source(index, at);
        match self.settings.get_mut(index) {
            Some(setting) => *setting = value,
            None => self.settings.push(value),
        }
        Ok(())
    }

    /// Sets one member of the setting at this index.
    fn set_member(
        &mut self,
        at: usize,
        index: usize,
        name: &str,
        mut value: Node<'n>,
    ) -> Result<(), Violation> {
        if name == RESIDENT_STATE_MEMBER {
            convert_flag_text(&mut value);
        }
        let known = StateTax::MEMBERS.iter().any(|member| member.name == name);
        let same = name == STATE_CODE_MEMBER && value.as_text() == self.state_code(index);
        if !known || (name == STATE_CODE_MEMBER && !same) {
            let sentence = format!("{name} cannot be changed");
            return Err(Violation::new(Reason::FieldInvalid, sentence)
                .at_position(format!("/{at}/path"), DocumentPosition::default()));
        }
        self.sources.record_member_source(index, name.to_owned(), at);
        if let Some(setting) = self.settings.get_mut(index) {
            replace_member(setting, name, value);
        }
        Ok(())
    }

    /// Returns the index of the setting with this state code, or with the id that the patch uses for a new
    /// setting.
    fn find_setting_index(&self, id: &str) -> Option<usize> {
        let code = self.added_codes.get(id).map_or(id, String::as_str);
        (0..self.settings.len()).find(|index| self.state_code(*index) == Some(code))
    }

    fn state_code(&self, index: usize) -> Option<&str> {
        self.settings.get(index)?.member(STATE_CODE_MEMBER)?.as_text()
    }
}

/// Sets a member of an object and removes the old value.
fn replace_member<'n>(object: &mut Node<'n>, name: &str, value: Node<'n>) {
    if let Value::Object(members) = &mut object.value {
        members.retain(|(own, _)| own != name);
        members.push((name.to_owned().into(), value));
    }
}

/// Returns the unescaped segments of a JSON Pointer (RFC 6901).
fn split_pointer(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect()
}

/// Whether an object contains more than one member with this name.
fn has_duplicate_member(object: &Node<'_>, name: &str) -> bool {
    let Value::Object(members) = &object.value else { return false };
    members.iter().filter(|(own, _)| own == name).count() > 1
}

/// Returns the value of a member.
fn into_member_value<'n>(object: Node<'n>, name: &str) -> Option<Node<'n>> {
    let Value::Object(members) = object.value else { return None };
    members.into_iter().find(|(own, _)| own == name).map(|(_, value)| value)
}
