//! Exports over HTTP (specification §10.9). An export is one line with a complete company. The line can be
//! imported again.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use payroll_domain::code::Reason;
use payroll_domain::document::CompanyWriter;
use payroll_domain::id::CompanyId;
use payroll_domain::violation::Violation;
use payroll_ports::export::{ExportItem, ExportedCompany};
use payroll_ports::{BoxError, StoreError};

use super::call::OperatorCall;
use super::events::invalid_id_parameter_fault;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::NDJSON;

/// The query parameters of an export.
pub(super) const PARAMETERS: &[&str] = &["companyid"];

/// The response header with the number of checks that are omitted. Checks of unprocessed pay periods are not
/// exported.
const OMITTED_CHECKS_HEADER: &str = "checks-left-out";

/// Handles a request for `GET /operator/v1/export`.
pub(super) async fn export_companies(call: OperatorCall) -> HandlerResult {
    call.incoming.negotiate(&[NDJSON])?;
    let company_id = company_id(&call)?;
    if !call.may_access(&company_id) {
        return Err(Reason::UnknownResource.into());
    }
    let incoming = &call.incoming;
    let exported = call.store().export_company(&company_id, incoming.api.now()).await?;
    let exported = exported.ok_or(Reason::UnknownResource)?;
    let mut head = HttpResponse::Ok();
    head.insert_header((CONTENT_TYPE, NDJSON))
        .insert_header((OMITTED_CHECKS_HEADER, exported.omitted_checks.to_string()));
    if incoming.is_head() {
        return Ok(head.finish());
    }
    // An export from the console is recorded in the audit log. The entry is committed before the first byte
    // is sent, so that no export is missing from the log.
    if call.caller.session.is_some() {
        let (store, audit) = (Arc::clone(&incoming.api.store), call.audit_context(None));
        let noted = call.commit(async move { store.record_export(&company_id, &audit).await }).await?;
        if !noted {
            return Err(Reason::UnknownResource.into());
        }
    }
    let chunks = CompanyLineWriter::new(exported).chunks();
    Ok(head.streaming(incoming.api.streams.stream_response(chunks, &incoming.context.request_id)?))
}

/// Returns the company in the query.
fn company_id(call: &OperatorCall) -> Result<CompanyId, Violation> {
    let query = call.incoming.query();
    let missing = || {
        let problem = "the query parameter companyid is missing: it names the company to export";
        Violation::new(Reason::ParameterMissing, problem)
    };
    query
        .single_value("companyid")?
        .ok_or_else(missing)?
        .parse()
        .map_err(|_| invalid_id_parameter_fault("companyid"))
}

/// Writes the line of one company in an export.
struct CompanyLineWriter {
    /// The writer; `None` after the end of the line.
    writer: Option<CompanyWriter>,
    parts: BoxStream<'static, Result<Vec<ExportItem>, StoreError>>,
}

impl CompanyLineWriter {
    fn new(exported: ExportedCompany) -> Self {
        let writer = CompanyWriter::begin_company(&exported.record, exported.lock.as_ref());
        Self { writer: Some(writer), parts: exported.parts }
    }

    fn chunks(self) -> BoxStream<'static, Result<Bytes, BoxError>> {
        stream::try_unfold(self, |mut line| async move {
            Ok(line.next().await?.map(|text| (Bytes::from(text), line)))
        })
        .boxed()
    }

    /// Returns the next part of the line; `None` at the end.
    async fn next(&mut self) -> Result<Option<String>, StoreError> {
        let Some(mut writer) = self.writer.take() else { return Ok(None) };
        let Some(parts) = self.parts.next().await else { return Ok(Some(writer.end_company())) };
        for part in parts? {
            match part {
                ExportItem::Object(object) => writer.write_object(&object),
                ExportItem::Check(check) => writer.add_check(&check),
            }
        }
        let text = writer.take_text();
        self.writer = Some(writer);
        Ok(Some(text))
    }
}
