//! The partners' side: applications with access tokens, each with a rate limit.

use std::net::SocketAddr;
use std::sync::Arc;

use payroll_domain::code::Reason;
use payroll_ports::hooks::AddressCheck;

use crate::api::{Api, Outside};
use crate::call::{Call, CompanyInPath, Target};
use crate::caller::Tokens;
use crate::dispatch::Side;
use crate::error::Failure;
use crate::incoming::Incoming;
use crate::media_type::VendorTypes;
use crate::rate_limit::{Empty, RateLimiter};
use crate::request_log::{EndedRequest, RequestLog};
use crate::route_table::{PathIds, RouteTable};
use crate::routes::{self, Handled, Handler};
use crate::serve::PartnerApi;
use crate::settings::InvalidSetting;

/// What the requests of partners share.
pub(crate) struct Partner {
    pub(crate) api: Arc<Api>,
    pub(crate) tokens: Tokens,
    pub(crate) limiter: RateLimiter,
    pub(crate) media_types: VendorTypes,
    pub(crate) addresses: Arc<dyn AddressCheck>,
    requests: RequestLog,
    routes: RouteTable<Handler>,
}

impl Partner {
    /// Prepares what requests share.
    ///
    /// # Errors
    /// [`InvalidSetting`].
    pub(crate) fn new(given: PartnerApi, address: SocketAddr) -> Result<Self, InvalidSetting> {
        let PartnerApi { store, clock, randomness, keys, addresses, requests, settings } = given;
        Ok(Self {
            tokens: Tokens::new(&keys, settings.token_lifetime_seconds),
            limiter: RateLimiter::new(settings.rate_limit_per_minute),
            media_types: VendorTypes::new(&settings.vendor),
            routes: routes::table(),
            addresses,
            requests,
            api: Arc::new(Api::new(Outside { store, clock, randomness }, settings, address)?),
        })
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

    /// Finds out who sent the request and whether that is not too often, and asks the handler.
    async fn call(self: &Arc<Self>, handler: &Handler, ids: PathIds, incoming: Incoming) -> Handled {
        let (scope, unknown_company, answer) = match handler {
            Handler::Open(answer) => return answer(Arc::clone(self), incoming).await,
            Handler::ForCaller { scope, unknown_company, answer } => (*scope, *unknown_company, answer),
        };
        let company = ids
            .has("companyId")
            .then(|| ids.get("companyId").map_or(CompanyInPath::Malformed, CompanyInPath::Id));
        let target = Target { scope, company, unknown_company };
        let now = self.api.now();
        let caller = self.tokens.authenticate(incoming.headers(), now)?;
        let (ticket, taken) = self.limiter.take(caller.application_id.as_str(), now);
        // Nothing has set them before: each request comes here once.
        let _ = incoming.trail.application.set(caller.application_id.clone());
        let _ = incoming.trail.ticket.set(ticket.clone());
        taken.map_err(too_many_requests)?;
        answer(Call { partner: Arc::clone(self), incoming, caller, target, ids, ticket }).await
    }

    fn ended(&self, request: EndedRequest<'_>) {
        self.requests.note(request);
    }
}

/// 429 API-429.
pub(crate) fn too_many_requests(empty: Empty) -> Failure {
    Failure::from(Reason::TooManyRequests).retry_after(empty.retry_after_seconds)
}
