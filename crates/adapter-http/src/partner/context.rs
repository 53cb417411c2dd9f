//! What the requests of partners share, beside what every request does: it knows no handler, so every
//! handler may have it.

use std::sync::Arc;

use payroll_ports::hooks::AddressCheck;
use payroll_ports::keys::LiveKeys;

use super::caller::Tokens;
use crate::shared::failed_credentials::FailedCredentials;
use crate::shared::limits::{REPLAYS_PER_MINUTE, TEST_CALLS_PER_MINUTE, VERIFICATIONS_PER_MINUTE};
use crate::shared::media_type::VendorTypes;
use crate::shared::rate_limit::RateLimiter;
use crate::shared::settings::HttpSettings;

/// What the requests of partners share.
pub(crate) struct PartnerContext {
    pub(crate) tokens: Tokens,
    pub(crate) limiter: RateLimiter,
    /// Of tokens that were good once: a bucket for each secret that they were made by, so that an
    /// old token takes nothing from its application.
    pub(crate) refused: RateLimiter,
    pub(crate) failed_tokens: FailedCredentials,
    /// A bucket for each hook.
    pub(crate) test_calls: RateLimiter,
    /// A bucket for each hook.
    pub(crate) replays: RateLimiter,
    /// Of new addresses: a bucket for each application.
    pub(crate) verifications: RateLimiter,
    pub(crate) media_types: VendorTypes,
    pub(crate) addresses: Arc<dyn AddressCheck>,
    /// An operator approves the bank accounts that partners add and change.
    pub(crate) approves_accounts: bool,
}

impl PartnerContext {
    pub(crate) fn new(settings: &HttpSettings, keys: LiveKeys, addresses: Arc<dyn AddressCheck>) -> Self {
        Self {
            tokens: Tokens::new(keys, settings.public_base_url.as_deref(), settings.token_lifetime_seconds),
            limiter: RateLimiter::new(settings.rate_limit_per_minute),
            refused: RateLimiter::new(settings.rate_limit_per_minute),
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
