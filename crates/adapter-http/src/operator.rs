//! The operator API (specification §10), where operators manage the data that partners read.
//!
//! After `dispatch`, each request looks up its key in the store, so a revoked key stops working with the next
//! request. `permissions` verifies the role of the key and the key's restriction to companies. `routes` is
//! the only table of paths. Each resource has its own file.

mod access_requests;
mod added_checks;
mod applications;
mod approval;
mod audit;
mod call;
mod companies;
mod completion_requests;
pub mod csv;
mod csv_body;
mod deliveries;
mod deposit_requests;
mod disclosures;
mod documents;
mod events;
mod export;
mod grants;
mod health;
mod hooks;
mod import;
mod journal;
mod key_uses;
mod keys;
mod lists;
mod local;
mod lock;
mod parts;
mod period_states;
mod periods;
mod permissions;
mod precondition;
mod removals;
mod requests;
mod resources;
mod response;
mod reversals;
mod route;
mod routes;
mod sandbox;
mod search;
mod secrets;
mod service;
mod session_cookie;
mod sessions;
mod sign_in;
mod wire;
mod worker_changes;

use std::rc::Rc;
use std::sync::Arc;

use actix_web::http::header::AUTHORIZATION;
use payroll_domain::audit::{Actor, ActorKind};
use payroll_ports::applications::SecretHash;
use payroll_ports::operator_keys::OperatorKey;

use crate::shared::agents::AgentCaller;
use crate::shared::api::{Dependencies, ListenerState};
use crate::shared::bearer::bearer_token;
use crate::shared::dispatch::ListenerApi;
use crate::shared::error::Failure;
use crate::shared::failed_credentials::{CredentialAttempt, FailedCredentials};
use crate::shared::handler_result::HandlerResult;
use crate::shared::health::Health;
use crate::shared::incoming::IncomingRequest;
use crate::shared::limits::MAX_TOKEN_BYTES;
use crate::shared::metrics::ProcessMetrics;
use crate::shared::preference;
use crate::shared::rate_limit::LimitChangeCounter;
use crate::shared::route_table::{PathIds, RouteMethod, RouteTable};
use crate::shared::sandbox_fault::{self, SandboxFault};
use crate::shared::service::ServiceHandler;
use crate::shared::settings::HttpSettings;
use crate::shared::settings::InvalidSetting;
use crate::transport::origin::ListenerOrigin;
use call::{OperatorCall, OperatorCaller};
use key_uses::KeyUseRecorder;
use payroll_ports::api_calls::AgentRequestHandler;
use payroll_ports::oversight::Diagnostics;
use payroll_ports::sandbox::Sandbox;
use payroll_ports::sign_in::IdentityProvider;
use payroll_ports::{Clock, Randomness, Store, StoreError};
use route::OperatorHandler;

pub use local::{LocalBody, LocalOperator, LocalRequest, LocalResponse};
pub(crate) use periods::OPEN_OR_PROCESSING;
pub use routes::{OperatorRoute, operator_routes, sandbox_routes};
pub(crate) use service::service_routes;
pub(crate) use session_cookie::{COOKIE_NAME as SESSION_COOKIE, SECURE_COOKIE_NAME as SECURE_SESSION_COOKIE};
pub(crate) use sign_in::SIGN_IN_PATHS;

/// The dependencies of the operator API.
pub struct OperatorApi {
    /// The store for all data.
    pub store: Arc<dyn Store>,
    /// The clock of the server.
    pub clock: Arc<dyn Clock>,
    /// The source of random numbers.
    pub randomness: Arc<dyn Randomness>,
    /// The readiness of the server, shared by both APIs.
    pub health: Arc<Health>,
    /// The metrics of the process, shared by both APIs.
    pub metrics: Arc<ProcessMetrics>,
    /// Counts the changes to applications. When this count has changed, the partner API reads the rate limit
    /// of a rejected caller from the store again.
    pub limits: Arc<LimitChangeCounter>,
    /// The controls of a sandbox; `None` on other servers, where the paths of these controls do not exist.
    pub sandbox: Option<Arc<dyn Sandbox>>,
    /// The report of the process about its own state and problems.
    pub diagnostics: Arc<dyn Diagnostics>,
    /// The handler of MCP messages, if this listener serves MCP.
    pub agents: Option<Arc<dyn AgentRequestHandler>>,
    /// The identity provider where operators sign in, if one is configured.
    pub identity: Option<Arc<dyn IdentityProvider>>,
    /// The settings of both APIs.
    pub settings: HttpSettings,
}

/// The state that all requests of the operator API share.
pub(crate) struct OperatorContext {
    api: Arc<ListenerState>,
    routes: RouteTable<OperatorHandler>,
    services: RouteTable<ServiceHandler>,
    /// The rate limit for requests with an invalid operator key or session. One limit applies to each pair of
    /// credential and client address, and another to each client address.
    failed_credentials: FailedCredentials,
    /// Records when each key was last used.
    key_uses: KeyUseRecorder,
    agents: Option<Arc<dyn AgentRequestHandler>>,
    /// The caller whose requests need no key, such as the command line. A listener has no such caller
    /// (`None`).
    preset_caller: Option<OperatorCaller>,
}

impl OperatorContext {
    /// Creates the state that all requests share. `services` contains the routes that are not API operations,
    /// such as `/metrics`.
    ///
    /// # Errors
    /// [`InvalidSetting`] if a setting has an invalid value.
    pub(crate) fn new(
        operator_api: OperatorApi,
        origin: ListenerOrigin,
        services: RouteTable<ServiceHandler>,
    ) -> Result<Self, InvalidSetting> {
        let OperatorApi {
            store,
            clock,
            randomness,
            health,
            metrics,
            limits,
            sandbox,
            diagnostics: oversight,
            agents,
            identity: _,
            settings,
        } = operator_api;
        let api_metrics = metrics.operator_metrics();
        let routes = routes::operator_route_table(sandbox.is_some());
        let failed = FailedCredentials::new(settings.failed_tokens_per_minute);
        let oversight = Some(oversight);
        let outside = Dependencies {
            store,
            clock,
            randomness,
            health,
            metrics,
            limits,
            sandbox,
            diagnostics: oversight,
        };
        let api = ListenerState::new(outside, api_metrics, settings, origin)?;
        let api = Arc::new(api);
        Ok(Self {
            api,
            routes,
            services,
            failed_credentials: failed,
            key_uses: KeyUseRecorder::default(),
            agents,
            preset_caller: None,
        })
    }

    /// Identifies the caller by the operator key or, without a key, by the session cookie.
    async fn authenticate(&self, incoming: &IncomingRequest) -> Result<OperatorCaller, Failure> {
        if let Some(known) = &self.preset_caller {
            return Ok(known.clone());
        }
        if !incoming.headers().contains_key(AUTHORIZATION)
            && let Some(session) = session_cookie::read_session_cookie(incoming)
        {
            return self.authenticate_session(session, incoming).await;
        }
        let sent = bearer_token(incoming.headers())?;
        let text = std::str::from_utf8(sent).ok().filter(|text| text.len() <= MAX_TOKEN_BYTES);
        let hash = SecretHash::from_secret(text.ok_or_else(Failure::invalid_token)?);
        let now = self.api.now();
        // An expired key gets the same error as an unknown key.
        let valid = async || {
            let key = self.api.store.operator_key(&hash).await?;
            Ok(key.filter(|key| key.is_valid_at(now)))
        };
        let key = self
            .look_up_with_failure_limit(incoming, &hash, valid())
            .await?
            .ok_or_else(Failure::invalid_token)?;
        self.key_uses.record_use(&self.api.store, &key, now);
        Ok(key.into())
    }

    /// Identifies the caller by the session in the session cookie.
    async fn authenticate_session(
        &self,
        sent: &str,
        incoming: &IncomingRequest,
    ) -> Result<OperatorCaller, Failure> {
        let is_short = sent.len() <= MAX_TOKEN_BYTES;
        let hash =
            SecretHash::from_secret(Some(sent).filter(|_| is_short).ok_or_else(Failure::missing_token)?);
        let now = self.api.now();
        let session = self.api.store.operator_session(&hash, now);
        let session = self
            .look_up_with_failure_limit(incoming, &hash, session)
            .await?
            .ok_or_else(Failure::missing_token)?;
        self.key_uses.record_use(&self.api.store, &session.key, now);
        Ok(OperatorCaller { session: Some(session.clone()), key: None, ..session.key.into() })
    }

    /// Runs the look-up of an operator key or session, and counts a failure if nothing is found.
    ///
    /// A valid key is accepted even if its address sent many invalid keys, because several clients may share
    /// the address of a proxy. An invalid key that was sent too often is rejected without a look-up.
    ///
    /// # Errors
    /// 429 API-429 if this credential failed too often at its address, or if the credential is invalid and
    /// its address sent too many invalid credentials. Otherwise the error of the store.
    async fn look_up_with_failure_limit<T>(
        &self,
        incoming: &IncomingRequest,
        hash: &SecretHash,
        look_up: impl Future<Output = Result<Option<T>, StoreError>>,
    ) -> Result<Option<T>, Failure> {
        let (attempt, now) = (
            CredentialAttempt::new(&failure_count_key(hash), incoming.client_address()),
            self.api.monotonic_time(),
        );
        self.failed_credentials.require_client_attempts_left(&attempt, now)?;
        let found = look_up.await?;
        if found.is_none() {
            let may_fail = self.failed_credentials.require_attempts_left(&attempt, now);
            self.failed_credentials.count_failure(&attempt, now);
            may_fail?;
        }
        Ok(found)
    }
}

/// Returns the paths of all operator operations, with parameter names in braces.
pub(crate) fn operation_paths() -> Vec<&'static str> {
    routes::operator_route_table(true).paths().collect()
}

impl ListenerApi for OperatorContext {
    type Handler = OperatorHandler;

    fn api(&self) -> &Arc<ListenerState> {
        &self.api
    }

    fn routes(&self) -> &RouteTable<OperatorHandler> {
        &self.routes
    }

    fn services(&self) -> &RouteTable<ServiceHandler> {
        &self.services
    }

    fn agents(&self) -> Option<&Arc<dyn AgentRequestHandler>> {
        self.agents.as_ref()
    }

    /// Authenticates the sender of an MCP message by the operator key. Sessions are only for the pages in a
    /// browser.
    async fn authenticate_agent(&self, incoming: &IncomingRequest) -> Result<AgentCaller, Failure> {
        bearer_token(incoming.headers())?;
        let caller = self.authenticate(incoming).await?;
        // `set` cannot fail, because the operator name is set only here and each request is authenticated
        // once.
        let _ = incoming.context.operator.set(caller.actor.name);
        Ok(AgentCaller { ticket: None, scopes: None })
    }

    /// Authenticates the caller and executes the request.
    async fn call_operation(
        self: &Arc<Self>,
        operation: &RouteMethod<OperatorHandler>,
        ids: PathIds,
        incoming: IncomingRequest,
    ) -> HandlerResult {
        let caller = self.authenticate(&incoming).await?;
        // `set` cannot fail, because the operator name is set only here and each request is authenticated
        // once.
        let _ = incoming.context.operator.set(caller.actor.name.clone());
        let (fault, connection) = (SandboxFault::from_request(&incoming)?, Rc::clone(incoming.connection()));
        sandbox_fault::execute_or_simulate(fault, &connection, respond(operation, ids, (incoming, caller)))
            .await
    }
}

/// Calls the handler of an operation if the caller has the permission.
async fn respond(
    operation: &RouteMethod<OperatorHandler>,
    ids: PathIds,
    (incoming, caller): (IncomingRequest, OperatorCaller),
) -> HandlerResult {
    incoming.query().check_names(operation.parameters)?;
    let has_dry_run = operation.parameters.contains(&"dryrun");
    let advice = if has_dry_run { "send ?dryrun=true" } else { "this operation has no dry run" };
    preference::reject_dry_run(incoming.headers(), operation.method, advice)?;
    let handler = &operation.handler;
    permissions::check_permission((handler.roles(), handler.restriction), &caller, &ids)?;
    if caller.session.is_some()
        && operation.method != "GET"
        && let Some(session) = session_cookie::read_session_cookie(&incoming)
    {
        session_cookie::check_same_site(&incoming, session)?;
    }
    (handler.handle)(OperatorCall { incoming, caller, ids }).await
}

impl From<OperatorKey> for OperatorCaller {
    fn from(key: OperatorKey) -> Self {
        Self {
            owner: format!("operator:{}", key.key_id),
            actor: Actor { kind: ActorKind::Operator, name: key.operator_name.clone() },
            role: key.role,
            company_ids: key.company_ids.clone(),
            session: None,
            key: Some(key),
        }
    }
}

/// The number of bytes of an operator key's hash that identify the key when failures are counted.
const LOGGED_HASH_BYTES: usize = 8;

/// Returns the first bytes of an operator key's hash as hexadecimal digits. Failures are counted under this
/// text.
fn failure_count_key(hash: &SecretHash) -> String {
    hash.0.iter().take(LOGGED_HASH_BYTES).map(|byte| format!("{byte:02x}")).collect()
}
