//! The operator's side (specification §10): those who run the server write here what partners read.
//!
//! A request comes the way of every request (`dispatch`). Then its key is looked up, each time, so
//! that one that was revoked stops the next request; a key that only reads may call nothing that
//! writes. What answers is in `routes`, the one table of paths; each resource has a file of its own
//! below it.

mod access_requests;
mod added_checks;
mod answer;
mod applications;
mod approval;
mod audit;
mod call;
mod companies;
mod completion_requests;
mod deliveries;
mod events;
mod export;
mod grants;
mod hooks;
mod import;
mod journal;
mod keys;
mod lists;
mod local;
mod lock;
mod parts;
mod period_moves;
mod periods;
mod precondition;
mod requests;
mod resources;
mod reversals;
mod routes;
mod sandbox;
mod secrets;
mod service;
mod wire;
mod worker_changes;

use std::sync::Arc;

use payroll_domain::audit::{Actor, ActorKind};
use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;
use payroll_ports::applications::SecretHash;
use payroll_ports::operator_keys::OperatorKey;

use crate::shared::api::{Api, Outside};
use crate::shared::bearer::bearer;
use crate::shared::dispatch::Side;
use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::health::Health;
use crate::shared::incoming::Incoming;
use crate::shared::limits::MAX_TOKEN_BYTES;
use crate::shared::metrics::Metrics;
use crate::shared::rate_limit::LimitChanges;
use crate::shared::route_table::{Operation, PathIds, RouteTable};
use crate::shared::service::ServiceHandler;
use crate::shared::settings::HttpSettings;
use crate::shared::settings::InvalidSetting;
use crate::transport::origin::Origin;
use call::{OperatorCall, OperatorCaller};
use payroll_ports::sandbox::Sandbox;
use payroll_ports::{Clock, Randomness, Store};
use routes::OperatorHandler;

pub use local::{LocalAnswer, LocalBody, LocalOperator, LocalRequest};
pub use routes::{OperatorRoute, operator_routes, sandbox_routes};
pub(crate) use service::services;

/// Everything that the operator's side needs.
pub struct OperatorApi {
    /// Where things are stored.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Chance.
    pub randomness: Arc<dyn Randomness>,
    /// Whether requests can be answered; one for both sides.
    pub health: Arc<Health>,
    /// The metrics of the process; one for both sides.
    pub metrics: Arc<Metrics>,
    /// The changes of applications' limits; one for both sides.
    pub limits: Arc<LimitChanges>,
    /// The controls of a sandbox; `None` on a server that is none, which then has no paths to them.
    pub sandbox: Option<Arc<dyn Sandbox>>,
    /// The settings.
    pub settings: HttpSettings,
}

/// What the requests of operators share.
pub(crate) struct Operator {
    api: Arc<Api>,
    routes: RouteTable<OperatorHandler>,
    services: RouteTable<ServiceHandler>,
    /// Who calls where that is known without a key.
    known: Option<OperatorCaller>,
}

impl Operator {
    /// Prepares what requests share; these are the paths that are no operations.
    ///
    /// # Errors
    /// [`InvalidSetting`].
    pub(crate) fn new(
        given: OperatorApi,
        origin: Origin,
        services: RouteTable<ServiceHandler>,
    ) -> Result<Self, InvalidSetting> {
        let OperatorApi { store, clock, randomness, health, metrics, limits, sandbox, settings } = given;
        let side = metrics.operators();
        let routes = routes::table(sandbox.is_some());
        let outside = Outside { store, clock, randomness, health, metrics, limits, sandbox };
        let api = Api::new(outside, side, settings, origin)?;
        Ok(Self { api: Arc::new(api), routes, services, known: None })
    }

    /// Whose key was sent.
    async fn authenticate(&self, incoming: &Incoming) -> Result<OperatorCaller, Failure> {
        if let Some(known) = &self.known {
            return Ok(known.clone());
        }
        let sent = bearer(incoming.headers())?;
        let text = std::str::from_utf8(sent).ok().filter(|text| text.len() <= MAX_TOKEN_BYTES);
        let hash = SecretHash::of(text.ok_or_else(Failure::invalid_token)?);
        let key = self.api.store.operator_key(&hash).await?.ok_or_else(Failure::invalid_token)?;
        Ok(key.into())
    }
}

/// The paths of all operations.
pub(crate) fn paths() -> Vec<&'static str> {
    routes::table(true).paths().collect()
}

impl Side for Operator {
    type Handler = OperatorHandler;

    fn api(&self) -> &Arc<Api> {
        &self.api
    }

    fn routes(&self) -> &RouteTable<OperatorHandler> {
        &self.routes
    }

    fn services(&self) -> &RouteTable<ServiceHandler> {
        &self.services
    }

    /// Finds out whose key was sent, whether all parameters are known and whether the key may write,
    /// and asks the handler.
    async fn call(
        self: &Arc<Self>,
        operation: &Operation<OperatorHandler>,
        ids: PathIds,
        incoming: Incoming,
    ) -> Handled {
        let caller = self.authenticate(&incoming).await?;
        // Nothing has set it before: each request comes here once.
        let _ = incoming.trail.operator.set(caller.actor.name.clone());
        incoming.query().check_names(operation.parameters)?;
        let handler = &operation.handler;
        if handler.writes && caller.read_only {
            return Err(Violation::new(Reason::NotAuthorized, "the operator key is for reading only").into());
        }
        (handler.answer)(OperatorCall { incoming, caller, ids }).await
    }
}

impl From<OperatorKey> for OperatorCaller {
    fn from(key: OperatorKey) -> Self {
        Self {
            owner: format!("operator:{}", key.key_id),
            actor: Actor { kind: ActorKind::Operator, name: key.name },
            read_only: key.read_only,
        }
    }
}
