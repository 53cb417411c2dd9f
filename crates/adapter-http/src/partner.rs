//! The partner API. Applications call this API with access tokens, and each application has a rate limit.
//! `routes` is the only table of paths. Each resource has its own file.

mod assertion;
mod call;
mod caller;
mod collection;
mod context;
mod jwt;
pub(crate) mod metadata;
mod parts;
pub(crate) mod portal;
mod reading;
mod routes;
mod token_keys;
mod wire;
mod writing;

use std::rc::Rc;
use std::sync::Arc;

use actix_web::http::Method;
use payroll_domain::access::{Caller, Scopes};
use payroll_ports::api_calls::AgentRequestHandler;
use payroll_ports::hooks::AddressChecker;
use payroll_ports::keys::CurrentKeys;
use payroll_ports::{Clock, Randomness, Store};

use crate::shared::agents::AgentCaller;
use crate::shared::api::{Dependencies, ListenerState};
use crate::shared::dispatch::ListenerApi;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::health::Health;
use crate::shared::incoming::IncomingRequest;
use crate::shared::metrics::ProcessMetrics;
use crate::shared::preference;
use crate::shared::rate_limit::{LimitChangeCounter, RateLimitCharge, RateLimitExceeded};
use crate::shared::request_log::{EndedRequest, RequestLog};
use crate::shared::route_table::{PathIds, RouteMethod, RouteTable};
use crate::shared::sandbox_fault::{self, SandboxFault};
use crate::shared::settings::HttpSettings;
use crate::transport::origin::ListenerOrigin;
use call::{AccessTarget, CompanyInPath, PartnerCall};
use context::PartnerContext;
use routes::handlers::{PartnerHandler, TokenlessHandler};

use crate::shared::service::ServiceHandler;
use crate::shared::settings::InvalidSetting;
pub use routes::{RouteInfo, routes};

/// The dependencies of the partner API.
pub struct PartnerApi {
    /// The store for all data.
    pub store: Arc<dyn Store>,
    /// A read replica for reads that accept stale data.
    pub replica: Option<ReadReplica>,
    /// The clock of the server.
    pub clock: Arc<dyn Clock>,
    /// The source of random numbers.
    pub randomness: Arc<dyn Randomness>,
    /// The readiness of the server, shared by both APIs.
    pub health: Arc<Health>,
    /// The metrics of the process, shared by both APIs.
    pub metrics: Arc<ProcessMetrics>,
    /// Counts the changes to applications. When this count has changed, this API reads the rate limit of a
    /// rejected caller from the store again.
    pub limits: Arc<LimitChangeCounter>,
    /// The keys that sign access tokens.
    pub keys: CurrentKeys,
    /// Resolves the host names of hooks and verifies the resolved addresses.
    pub addresses: Arc<dyn AddressChecker>,
    /// The request log, which records requests with a known application.
    pub requests: RequestLog,
    /// The handler of MCP messages, if this listener serves MCP.
    pub agents: Option<Arc<dyn AgentRequestHandler>>,
    /// The settings of both APIs.
    pub settings: HttpSettings,
}

/// A read replica of the database, with the schema version that is required to use the replica.
pub struct ReadReplica {
    /// The store of the replica. Its `ping` returns an error while the replica lags too far behind.
    pub store: Arc<dyn Store>,
    /// The minimum schema version. A replica with an older schema is not used.
    pub schema_version: String,
}

/// The state that all requests of the partner API share.
pub(crate) struct PartnerListenerApi {
    api: Arc<ListenerState>,
    replica: Option<ReadReplica>,
    context: Arc<PartnerContext>,
    requests: RequestLog,
    agents: Option<Arc<dyn AgentRequestHandler>>,
    routes: RouteTable<PartnerHandler>,
    services: RouteTable<ServiceHandler>,
}

impl PartnerListenerApi {
    /// Creates the state that all requests share. `services` contains the routes that are not API operations,
    /// such as `/docs/`.
    ///
    /// # Errors
    /// [`InvalidSetting`] if a setting has an invalid value.
    pub(crate) fn new(
        partner_api: PartnerApi,
        origin: ListenerOrigin,
        services: RouteTable<ServiceHandler>,
    ) -> Result<Self, InvalidSetting> {
        let PartnerApi {
            store,
            replica,
            clock,
            randomness,
            health,
            metrics,
            limits,
            keys,
            addresses,
            requests,
            agents,
            settings,
        } = partner_api;
        let api_metrics = metrics.partner_metrics();
        let outside = Dependencies {
            store,
            clock,
            randomness,
            health,
            metrics,
            limits,
            sandbox: None,
            diagnostics: None,
        };
        Ok(Self {
            context: Arc::new(PartnerContext::new(&settings, keys, addresses)),
            routes: routes::partner_route_table(),
            services,
            requests,
            agents,
            replica,
            api: Arc::new(ListenerState::new(outside, api_metrics, settings, origin)?),
        })
    }

    /// Handles an operation that needs no access token, such as the token operation. In a sandbox, the
    /// handler first verifies the credentials, and only then is the requested fault simulated. A client
    /// with wrong credentials therefore cannot request a fault.
    async fn respond_without_token(
        &self,
        handler: &TokenlessHandler,
        incoming: IncomingRequest,
    ) -> HandlerResult {
        let (fault, connection) = (SandboxFault::from_request(&incoming), Rc::clone(incoming.connection()));
        let handled = handler(Arc::clone(&self.context), incoming).await?;
        sandbox_fault::execute_or_simulate(fault?, &connection, async { Ok(handled) }).await
    }

    /// Identifies the caller by the access token and takes one request from the caller's rate limit.
    async fn authenticate_and_count_request(
        &self,
        incoming: &IncomingRequest,
    ) -> Result<(Arc<Caller>, RateLimitCharge), Failure> {
        let caller = self.context.tokens.authenticate(incoming.headers(), self.api.now())?;
        let now = self.api.monotonic_time();
        self.context.revoked_tokens.check_limit(caller.secret_id.as_str(), now)?;
        let (mut ticket, result) = self.context.limiter.take_from_bucket(caller.application_id.as_str(), now);
        // `OnceCell::set` fails only if the cell already has a value. This function runs once for each
        // request, so the cells are empty.
        let _ = incoming.context.application.set(caller.application_id.clone());
        let _ = incoming.context.ticket.set(ticket.clone());
        if let Err(empty) = result {
            self.retry_with_stored_limit(&caller, &mut ticket, empty).await?;
        }
        Ok((caller, ticket))
    }

    /// Authenticates the sender of an MCP message. The authentication includes a look-up in the store,
    /// because only the store knows whether the token was revoked.
    async fn authenticate_agent(&self, incoming: &IncomingRequest) -> Result<AgentCaller, Failure> {
        let (caller, ticket) = self.authenticate_and_count_request(incoming).await?;
        let access = self.api.store.read_access(&caller, None).await?;
        ticket.set_limit(access.rate_limit_per_minute);
        if access.authenticate().is_ok() {
            return Ok(AgentCaller { ticket: Some(ticket), scopes: Some(caller.scopes) });
        }
        // The token was revoked. The request must not use up the rate limit of the application. The request
        // is therefore charged to a separate bucket for the secret of the token.
        ticket.refund_tokens();
        let _ = self
            .context
            .revoked_tokens
            .take_from_bucket(caller.secret_id.as_str(), self.api.monotonic_time())
            .1;
        Err(Failure::invalid_token())
    }

    /// Handles a caller whose bucket is empty. An operator may have raised the caller's limit, so this
    /// function reads the limit from the store. The caller is rejected only if the bucket is also empty under
    /// the stored limit. Accepted requests need no such read, because they read the limit together with their
    /// data.
    async fn retry_with_stored_limit(
        &self,
        caller: &Caller,
        charge: &mut RateLimitCharge,
        exceeded: RateLimitExceeded,
    ) -> Result<(), RateLimitExceeded> {
        if !charge.may_reread_limit(&self.api.limits) {
            return Err(exceeded);
        }
        // If the storage is unavailable, the caller's own limit is unknown, so the request is rejected.
        let Ok(access) = self.api.store.read_access(caller, None).await else { return Err(exceeded) };
        if access.authenticate().is_err() {
            return Err(exceeded);
        }
        charge.set_limit(access.rate_limit_per_minute);
        charge.take_token()
    }

    /// Returns the replica if the caller reads data of a company and accepts stale data, else `None`.
    ///
    /// The primary store verifies the permissions. The grants also determine which data are masked, filtered
    /// or added. The replica is therefore used only if it contains the same grants as the primary. An
    /// unavailable or lagging replica is not used.
    async fn choose_replica(&self, call: &PartnerCall) -> Result<Option<Arc<dyn Store>>, Failure> {
        let Some(replica) = &self.replica else { return Ok(None) };
        let reads = matches!(*call.incoming.method(), Method::GET | Method::HEAD);
        if !reads || call.target.company.is_none() || !preference::accepts_stale(call.incoming.headers()) {
            return Ok(None);
        }
        match replica.store.ping().await {
            Ok(version) if version >= replica.schema_version => {}
            Ok(_) | Err(_) => return Ok(None),
        }
        let access = call.authorize().await?;
        let replicated = replica.store.read_access(&call.caller, call.target.company_id()).await;
        if !replicated.is_ok_and(|replicated| replicated == access) {
            return Ok(None);
        }
        call.incoming.context.accepts_stale.set(true);
        Ok(Some(Arc::clone(&replica.store)))
    }

    /// Returns the company that the path identifies by a company id, or by the id of a worker or check. The
    /// response does not reveal the company before the caller's access is verified.
    async fn find_company_in_path(&self, ids: &PathIds) -> Result<Option<CompanyInPath>, Failure> {
        let company_id = if ids.has_id("companyId") {
            ids.get("companyId")
        } else if ids.has_id("workerId") {
            match ids.get("workerId") {
                Some(worker_id) => self.api.store.company_of_worker(&worker_id).await?,
                None => None,
            }
        } else if ids.has_id("checkId") {
            match ids.get("checkId") {
                Some(check_id) => {
                    self.api.store.find_owner_of_check(&check_id).await?.map(|(company, _)| company)
                }
                None => None,
            }
        } else {
            return Ok(None);
        };
        Ok(Some(company_id.map_or(CompanyInPath::Unknown, CompanyInPath::Id)))
    }
}

/// Returns the paths of all partner operations, with parameter names in braces.
pub(crate) fn operation_paths() -> Vec<&'static str> {
    routes::partner_route_table().paths().collect()
}

impl ListenerApi for PartnerListenerApi {
    type Handler = PartnerHandler;

    fn api(&self) -> &Arc<ListenerState> {
        &self.api
    }

    fn routes(&self) -> &RouteTable<PartnerHandler> {
        &self.routes
    }

    fn services(&self) -> &RouteTable<ServiceHandler> {
        &self.services
    }

    fn agents(&self) -> Option<&Arc<dyn AgentRequestHandler>> {
        self.agents.as_ref()
    }

    async fn authenticate_agent(&self, incoming: &IncomingRequest) -> Result<AgentCaller, Failure> {
        let admitted = self.authenticate_agent(incoming).await;
        let metadata = || format!("{}{}", incoming.base_url(), metadata::MCP_RESOURCE_PATH);
        admitted.map_err(|failure| failure.with_resource_metadata(&metadata()))
    }

    /// Authenticates the caller, applies the rate limit, validates the names of the query parameters, and
    /// calls the handler.
    async fn call_operation(
        self: &Arc<Self>,
        operation: &RouteMethod<PartnerHandler>,
        ids: PathIds,
        incoming: IncomingRequest,
    ) -> HandlerResult {
        let (scope, unknown_company, handle) = match &operation.handler {
            PartnerHandler::Open(handle) => return self.respond_without_token(handle, incoming).await,
            PartnerHandler::ForCaller { scope, unknown_company, handle } => {
                (*scope, *unknown_company, handle)
            }
        };
        if let Some(named) = ids.get("companyId") {
            let _ = incoming.context.company.set(named);
        }
        let (caller, ticket) = self.authenticate_and_count_request(&incoming).await?;
        let (fault, connection) = (SandboxFault::from_request(&incoming), Rc::clone(incoming.connection()));
        if !matches!(fault, Ok(None)) {
            // The signature of the token is valid, but only the store knows whether the token was revoked.
            let access = self.api.store.read_access(&caller, None).await?;
            access.authenticate().map_err(|_| Failure::invalid_token())?;
        }
        let handled = async {
            let company = self.find_company_in_path(&ids).await?;
            let target = AccessTarget { scope, alternative_scopes: Scopes::NONE, company, unknown_company };
            let mut checked = incoming.query().check_names(operation.parameters);
            if checked.is_ok() && !operation.parameters.contains(&"dryrun") {
                let advice = "this operation has no dry run";
                checked = preference::reject_dry_run(incoming.headers(), operation.method, advice);
            }
            let partner = Arc::clone(&self.context);
            let mut call = PartnerCall { partner, incoming, caller, target, ids, ticket, replica: None };
            call.prefer_authentication_failure(checked).await?;
            call.replica = self.choose_replica(&call).await?;
            handle(call).await.map_err(Failure::without_lock_details)
        };
        sandbox_fault::execute_or_simulate(fault?, &connection, handled).await
    }

    fn on_request_ended(&self, request: EndedRequest<'_>) {
        self.requests.record(request);
    }
}
