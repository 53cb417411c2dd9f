//! The state that all requests to the partner API share, in addition to the state of the listener. This
//! module does not depend on handlers, so each handler can use the state.

use std::sync::Arc;

use payroll_ports::hooks::AddressChecker;
use payroll_ports::keys::CurrentKeys;

use super::caller::TokenIssuer;
use crate::shared::failed_credentials::FailedCredentials;
use crate::shared::limits::{REPLAYS_PER_MINUTE, TEST_CALLS_PER_MINUTE, VERIFICATIONS_PER_MINUTE};
use crate::shared::media_type::VendorTypes;
use crate::shared::rate_limit::RateLimiter;
use crate::shared::settings::HttpSettings;

/// The state that all requests to the partner API share.
pub(crate) struct PartnerContext {
    pub(crate) tokens: TokenIssuer,
    pub(crate) limiter: RateLimiter,
    /// The rate limit for revoked tokens, with one bucket per secret. Requests with a revoked token therefore
    /// do not use up the limit of the application.
    pub(crate) revoked_tokens: RateLimiter,
    pub(crate) failed_tokens: FailedCredentials,
    /// The rate limit for test calls, with one bucket per hook.
    pub(crate) test_calls: RateLimiter,
    /// The rate limit for replays, with one bucket per hook.
    pub(crate) replays: RateLimiter,
    /// The rate limit for verifying new addresses, with one bucket per application.
    pub(crate) verifications: RateLimiter,
    pub(crate) media_types: VendorTypes,
    pub(crate) addresses: Arc<dyn AddressChecker>,
    /// Whether an operator must approve bank accounts that partners add or change.
    pub(crate) approves_accounts: bool,
}

impl PartnerContext {
    pub(crate) fn new(
        settings: &HttpSettings,
        keys: CurrentKeys,
        addresses: Arc<dyn AddressChecker>,
    ) -> Self {
        Self {
            tokens: TokenIssuer::new(keys, settings),
            limiter: RateLimiter::new(settings.rate_limit_per_minute),
            revoked_tokens: RateLimiter::new(settings.rate_limit_per_minute),
            failed_tokens: FailedCredentials::new(settings.failed_tokens_per_minute),
            test_calls: RateLimiter::new(Some(TEST_CALLS_PER_MINUTE)),
            replays: RateLimiter::new(Some(REPLAYS_PER_MINUTE)),
            verifications: RateLimiter::new(Some(VERIFICATIONS_PER_MINUTE)),
            media_types: VendorTypes::new(&settings.vendor),
            addresses,
            approves_accounts: settings.approve_bank_accounts,
        }
    }
}
