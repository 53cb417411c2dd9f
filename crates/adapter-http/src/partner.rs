//! The partners' side: applications with access tokens, each with a rate limit.

use std::sync::Arc;

use payroll_domain::access::{Caller, Scopes};
use payroll_domain::code::Reason;
use payroll_ports::hooks::AddressCheck;

use crate::api::{Api, Origin, Outside};
use crate::call::{Call, CompanyInPath, Target};
use crate::caller::Tokens;
use crate::dispatch::Side;
use crate::error::Failure;
use crate::failed_tokens::FailedTokens;
use crate::incoming::Incoming;
use crate::limits::TEST_CALLS_PER_MINUTE;
use crate::media_type::VendorTypes;
use crate::rate_limit::{Empty, RateLimiter, Ticket};
use crate::request_log::{EndedRequest, RequestLog};
use crate::route_table::{Operation, PathIds, RouteTable};
use crate::routes::{self, Handled, Handler};
use crate::serve::PartnerApi;
use crate::service::{self, ServiceHandler};
use crate::settings::InvalidSetting;

/// What the requests of partners share.
pub(crate) struct Partner {
    pub(crate) api: Arc<Api>,
    pub(crate) tokens: Tokens,
    pub(crate) limiter: RateLimiter,
    /// Of tokens that were good once: a bucket for each secret that they were made by, so that whoever
    /// has an old one takes nothing from its application.
    pub(crate) refused: RateLimiter,
    pub(crate) failed_tokens: FailedTokens,
    /// A bucket for each hook.
    pub(crate) test_calls: RateLimiter,
    pub(crate) media_types: VendorTypes,
    pub(crate) addresses: Arc<dyn AddressCheck>,
    requests: RequestLog,
    routes: RouteTable<Handler>,
    services: RouteTable<ServiceHandler>,
}

impl Partner {
    /// Prepares what requests share.
    ///
    /// # Errors
    /// [`InvalidSetting`].
    pub(crate) fn new(given: PartnerApi, origin: Origin) -> Result<Self, InvalidSetting> {
        let PartnerApi {
            store,
            clock,
            randomness,
            health,
            figures,
            limits,
            keys,
            addresses,
            requests,
            settings,
        } = given;
        let side = figures.partners();
        let outside = Outside { store, clock, randomness, health, figures, limits };
        Ok(Self {
            tokens: Tokens::new(keys, settings.public_base_url.as_deref(), settings.token_lifetime_seconds),
            limiter: RateLimiter::new(settings.rate_limit_per_minute),
            refused: RateLimiter::new(settings.rate_limit_per_minute),
            failed_tokens: FailedTokens::new(settings.failed_tokens_per_minute),
            test_calls: RateLimiter::new(Some(TEST_CALLS_PER_MINUTE)),
            media_types: VendorTypes::new(&settings.vendor),
            routes: routes::table(),
            services: service::of_partners(),
            addresses,
            requests,
            api: Arc::new(Api::new(outside, side, settings, origin)?),
        })
    }

    /// Refuses a caller whose bucket is empty, unless storage knows a limit by which it is not. Which limit
    /// an application has is else learned from its requests, and a caller who is refused has none.
    async fn look_up_limit(&self, caller: &Caller, ticket: &mut Ticket, empty: Empty) -> Result<(), Empty> {
        if !ticket.may_look_up(&self.api.limits) {
            return Err(empty);
        }
        // A storage that is away knows no other limit, and the caller is refused either way.
        let Ok(access) = self.api.store.access(caller, None).await else { return Err(empty) };
        if access.authenticate().is_err() {
            return Err(empty);
        }
        ticket.learn(access.rate_limit_per_minute);
        ticket.take()
    }

    /// The company that a path names, itself or by one of its workers. Nothing is told of it before
    /// the caller's access to it is read, with the data.
    async fn company_in(&self, ids: &PathIds) -> Result<Option<CompanyInPath>, Failure> {
        let company_id = if ids.has("companyId") {
            ids.get("companyId")
        } else if ids.has("workerId") {
            match ids.get("workerId") {
                Some(worker_id) => self.api.store.company_of_worker(&worker_id).await?,
                None => None,
            }
        } else {
            return Ok(None);
        };
        Ok(Some(company_id.map_or(CompanyInPath::Nowhere, CompanyInPath::Id)))
    }
}

impl Side for Partner {
    type Handler = Handler;

    fn api(&self) -> &Arc<Api> {
        &self.api
    }

    fn routes(&self) -> &RouteTable<Handler> {
        &self.routes
    }

    fn services(&self) -> &RouteTable<ServiceHandler> {
        &self.services
    }

    /// Finds out who sent the request, whether that is not too often and whether all parameters are
    /// known, and asks the handler.
    async fn call(
        self: &Arc<Self>,
        operation: &Operation<Handler>,
        ids: PathIds,
        incoming: Incoming,
    ) -> Handled {
        let (scope, unknown_company, answer) = match &operation.handler {
            Handler::Open(answer) => return answer(Arc::clone(self), incoming).await,
            Handler::ForCaller { scope, unknown_company, answer } => (*scope, *unknown_company, answer),
        };
        let caller = self.tokens.authenticate(incoming.headers(), self.api.now())?;
        let now = self.api.monotonic();
        self.refused.look(caller.secret_id.as_str(), now).map_err(too_many_requests)?;
        let (mut ticket, taken) = self.limiter.take(caller.application_id.as_str(), now);
        // Nothing has set them before: each request comes here once.
        let _ = incoming.trail.application.set(caller.application_id.clone());
        let _ = incoming.trail.ticket.set(ticket.clone());
        if let Some(named) = ids.get("companyId") {
            let _ = incoming.trail.company.set(named);
        }
        if let Err(empty) = taken {
            self.look_up_limit(&caller, &mut ticket, empty).await.map_err(too_many_requests)?;
        }
        let company = self.company_in(&ids).await?;
        let target = Target { scope, others: Scopes::NONE, company, unknown_company };
        let names = incoming.query().check_names(operation.parameters);
        let call = Call { partner: Arc::clone(self), incoming, caller, target, ids, ticket };
        call.after_authentication(names).await?;
        answer(call).await
    }

    fn ended(&self, request: EndedRequest<'_>) {
        self.requests.note(request);
    }
}

/// 429 API-429.
pub(crate) fn too_many_requests(empty: Empty) -> Failure {
    Failure::from(Reason::TooManyRequests).retry_after(empty.retry_after_seconds)
}
