//! The grants of applications on companies (specification §10.11).

use std::sync::Arc;

use actix_web::http::header::IF_MATCH;
use payroll_domain::access::Scopes;
use payroll_domain::application::{Grant, GrantChange};
use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::id::{ApplicationId, CompanyId};
use payroll_domain::input::Node;
use payroll_domain::resource::ResourceKind;
use payroll_domain::violation::Violation;
use payroll_ports::applications::{ApplicationRefusal, ExpectedGrant, GrantUpdate};
use payroll_ports::resources::Versioned;

use super::applications::{application_id, load_application, prefer_application_not_found};
use super::call::OperatorCall;
use super::precondition::IfMatch;
use super::response;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::refusal;
use crate::shared::response::from_stored;

/// The application and the company in a path, which identify a grant.
struct GrantKey {
    application_id: ApplicationId,
    company_id: CompanyId,
}

/// Handles a request for `GET /operator/v1/applications/{applicationId}/grants`.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let id = application_id(&call)?;
    let page = prefer_application_not_found(&call, &id, call.page()).await?;
    let listing = call.store().grants(&id, page.window_for_response(call.incoming.is_head())).await?;
    response::collection_response(&call, page, listing.ok_or(Reason::UnknownResource)?, |row| {
        document::write_grant(&row.value)
    })
}

/// Handles a request for `GET /operator/v1/applications/{applicationId}/grants/{companyId}`.
pub(super) async fn get_grant(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let found = GrantKey::from_call(&call)?.load_grant(&call).await?.ok_or(Reason::UnknownResource)?;
    response::single_response(&call, found.version, document::write_grant(&found.value))
}

/// Handles a request for `PUT /operator/v1/applications/{applicationId}/grants/{companyId}`.
pub(super) async fn put_grant(mut call: OperatorCall) -> HandlerResult {
    call.check_media_types(&[JSON])?;
    let key = GrantKey::from_call(&call)?;
    let validated = read_scopes(&mut call, &key).await;
    let scopes = key.prefer_not_found(&call, validated).await?;
    let expected = key.read_expected_grant(&call).await?;
    let granted = match key.set_scopes(&call, scopes, expected).await? {
        Ok(granted) => granted.ok_or_else(|| Failure::Bug("scopes make a grant".into()))?,
        Err(refusal) => return Err(refusal_failure(refusal, expected)),
    };
    let status = if expected == ExpectedGrant::Nothing { 201 } else { 200 };
    let content = response::create_stored_response(
        status,
        &document::write_grant(&granted.value),
        vec![response::link_to_request(&call)],
    )?;
    response::with_etag(from_stored(content)?, granted.version)
}

/// Handles a request for `DELETE /operator/v1/applications/{applicationId}/grants/{companyId}`.
pub(super) async fn delete(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let key = GrantKey::from_call(&call)?;
    let found = key.load_grant(&call).await?.ok_or(Reason::UnknownResource)?;
    let version = IfMatch::read_required(call.incoming.headers())?.required_version(found.version)?;
    let revocation = key.set_scopes(&call, Scopes::NONE, ExpectedGrant::Grant(version)).await?;
    revocation.map_err(refusal::application_failure)?;
    Ok(response::no_content_response())
}

impl GrantKey {
    fn from_call(call: &OperatorCall) -> Result<Self, Failure> {
        Ok(Self { application_id: application_id(call)?, company_id: call.company_id()? })
    }

    async fn load_grant(&self, call: &OperatorCall) -> Result<Option<Versioned<Grant>>, Failure> {
        Ok(call.store().find_grant(&self.application_id, &self.company_id).await?)
    }

    /// Returns `result` unchanged, except if `result` is a fault and the application or the company does not
    /// exist. In that case, returns the error 404 instead of the fault.
    async fn prefer_not_found<T>(
        &self,
        call: &OperatorCall,
        result: Result<T, Failure>,
    ) -> Result<T, Failure> {
        if result.is_err() {
            load_application(call, &self.application_id).await?;
            call.require_object(&self.company_id, ResourceKind::Company, self.company_id.as_str()).await?;
        }
        result
    }

    /// Returns the stored grant that the change expects, according to `If-Match`. Without `If-Match`, the
    /// change is accepted only if there is no grant.
    async fn read_expected_grant(&self, call: &OperatorCall) -> Result<ExpectedGrant, Failure> {
        if !call.incoming.headers().contains_key(IF_MATCH) {
            return Ok(ExpectedGrant::Nothing);
        }
        let if_match = IfMatch::read_required(call.incoming.headers())?;
        match self.load_grant(call).await? {
            Some(found) => Ok(ExpectedGrant::Grant(if_match.required_version(found.version)?)),
            // There is no grant. The store rejects the change later, and reports which object is missing:
            // application, company or grant.
            None => Ok(ExpectedGrant::Grant(None)),
        }
    }

    async fn set_scopes(
        &self,
        call: &OperatorCall,
        scopes: Scopes,
        expected: ExpectedGrant,
    ) -> Result<Result<Option<Versioned<Grant>>, ApplicationRefusal>, Failure> {
        let grant = GrantUpdate {
            application_id: self.application_id.clone(),
            company_id: self.company_id.clone(),
            change: GrantChange::Set(scopes),
            expected,
        };
        let (store, audit) = (Arc::clone(&call.incoming.api.store), call.audit_context(None));
        call.commit(async move { store.update_grant(&grant, &audit).await }).await
    }
}

/// Reads the scopes in the body of a PUT.
async fn read_scopes(call: &mut OperatorCall, key: &GrantKey) -> Result<Scopes, Failure> {
    let body = call.body().await?;
    let (application_id, company_id) = (key.application_id.clone(), key.company_id.clone());
    let read = move |node: Node<'_>| document::read_grant(&node, (&application_id, &company_id));
    call.incoming.read_document(&body, read).await
}

/// Returns the error for a rejected grant. Without `If-Match`, a PUT is rejected if a grant exists. With
/// `If-Match`, a PUT is rejected if no grant exists.
fn refusal_failure(refusal: ApplicationRefusal, expected: ExpectedGrant) -> Failure {
    match (refusal, expected) {
        (ApplicationRefusal::Stale, ExpectedGrant::Nothing) => {
            let problem = "the grant already exists; send its ETag in If-Match to replace it";
            Violation::new(Reason::PreconditionRequired, problem).into()
        }
        (ApplicationRefusal::UnknownGrant, _) => Reason::PreconditionFailed.into(),
        (why, _) => refusal::application_failure(why),
    }
}
