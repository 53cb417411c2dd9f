//! Prepares the target of a hook. Values that are the same for all notifications of the hook are computed
//! once.

use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{ErrorClass, Notification};
use payroll_domain::hook::{Address, Authentication, SigningSecret};
use payroll_ports::deliveries::DeliveryTarget;
use payroll_ports::signing::SigningPair;
use reqwest::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Request};

use super::authentication;
use super::resolver::AddressResolver;
use super::route::ReceiverRoute;
use super::signature::SigningKeys;
use super::token::{CredentialsPosition, TokenCache};

const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// The capacity for all headers of a request, including those that the HTTP client adds.
const HEADER_CAPACITY: usize = 12;

/// A prepared target of a hook.
pub(super) struct PreparedTarget {
    source: TargetSource,
    /// The route to the receiver, or the error that prevents a route.
    pub(super) route: Result<ReceiverRoute, ErrorClass>,
    /// The source of tokens, if the receiver requires tokens.
    pub(super) tokens: Option<TokenCache>,
    /// The headers that all requests have; `None` if a registered value cannot be used in a header.
    headers: Option<HeaderMap>,
    keys: Option<SigningKeys>,
}

/// The data of the hook from which a target was prepared. If these data change, the target is prepared again.
#[derive(PartialEq)]
struct TargetSource {
    address: Address,
    authentication: Authentication,
    signing_secret: SigningSecret,
    old_signing_secret: Option<(SigningSecret, Timestamp)>,
}

impl PreparedTarget {
    pub(super) fn new(target: &DeliveryTarget, resolver: &AddressResolver, token_timeout: Duration) -> Self {
        let route = ReceiverRoute::for_address(&target.address, resolver);
        let headers = route.as_ref().ok().and_then(|route| build_headers(route, &target.authentication));
        let tokens =
            |client, credentials| Some(TokenCache::new(client, credentials, resolver, token_timeout));
        let tokens = match &target.authentication {
            Authentication::Basic { .. } | Authentication::ApiKey { .. } => None,
            Authentication::OAuth2(client) => tokens(client, CredentialsPosition::Query),
            Authentication::OAuth2Basic(client) => tokens(client, CredentialsPosition::Header),
        };
        let made_of = TargetSource {
            address: target.address.clone(),
            authentication: target.authentication.clone(),
            signing_secret: target.signing_secret,
            old_signing_secret: target.old_signing_secret,
        };
        let keys = SigningKeys::new(target.signing_secret, target.old_signing_secret);
        Self { source: made_of, route, tokens, headers, keys }
    }

    /// Whether the target was prepared from the current data of the hook.
    pub(super) fn is_prepared_from(&self, target: &DeliveryTarget) -> bool {
        self.source.address == target.address
            && self.source.authentication == target.authentication
            && self.source.signing_secret == target.signing_secret
            && self.source.old_signing_secret == target.old_signing_secret
    }

    /// Creates the request for a notification, without a token. The request contains the signatures of the
    /// hook's secrets and of the server's key pairs.
    ///
    /// # Errors
    /// [`ErrorClass::Internal`] if the id or a registered value cannot be used in a header.
    pub(super) fn build_request(
        &self,
        route: &ReceiverRoute,
        notification: &Notification,
        (now, pairs): (Timestamp, &[SigningPair]),
    ) -> Result<Request, ErrorClass> {
        let (Some(headers), Some(keys)) = (&self.headers, &self.keys) else {
            return Err(ErrorClass::Internal);
        };
        let body = serde_json::to_vec(notification).map_err(|_| ErrorClass::Internal)?;
        let id = &notification.notification_id;
        let signature = keys.sign((id, now, &body), pairs);
        let mut request = Request::new(Method::POST, route.url.clone());
        *request.headers_mut() = headers.clone();
        let text = |text: String| HeaderValue::try_from(text).map_err(|_| ErrorClass::Internal);
        request.headers_mut().insert(WEBHOOK_ID, text(id.clone())?);
        request.headers_mut().insert(WEBHOOK_TIMESTAMP, HeaderValue::from(now.as_seconds()));
        request.headers_mut().insert(WEBHOOK_SIGNATURE, text(signature)?);
        *request.body_mut() = Some(body.into());
        Ok(request)
    }
}

fn build_headers(route: &ReceiverRoute, authentication: &Authentication) -> Option<HeaderMap> {
    let mut headers = HeaderMap::with_capacity(HEADER_CAPACITY);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(host) = &route.host {
        headers.insert(HOST, host.clone());
    }
    if let Some((name, value)) = authentication::build_authorization_header(authentication).ok()? {
        headers.insert(name, value);
    }
    Some(headers)
}
