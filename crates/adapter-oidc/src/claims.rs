//! Type aliases for the generic types of the library `openidconnect`, with support for additional claims.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreErrorResponseType, CoreGenderClaim, CoreJsonWebKey,
    CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm, CoreProviderMetadata, CoreRevocableToken,
    CoreRevocationErrorResponse, CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::{
    AdditionalClaims, ClientId, ClientSecret, EmptyExtraTokenFields, EndpointMaybeSet, EndpointNotSet,
    EndpointSet, IdTokenFields, StandardErrorResponse, StandardTokenResponse,
};
use payroll_domain::date::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The claims that the standard does not define, such as groups.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ExtraClaims(pub(crate) BTreeMap<String, Value>);

impl AdditionalClaims for ExtraClaims {}

/// The claims of an identity token.
pub(crate) type Claims = openidconnect::IdTokenClaims<ExtraClaims, CoreGenderClaim>;

/// An identity token that is not verified yet.
pub(crate) type IdToken = openidconnect::IdToken<
    ExtraClaims,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;

type TokenFields = IdTokenFields<
    ExtraClaims,
    EmptyExtraTokenFields,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;

/// The library's client type, for a provider whose metadata has been read.
pub(crate) type Client = openidconnect::Client<
    ExtraClaims,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    StandardTokenResponse<TokenFields, CoreTokenType>,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// Creates the library's client from the provider's metadata and this server's client id and secret.
pub(crate) fn create_client(
    metadata: CoreProviderMetadata,
    client_id: ClientId,
    secret: Option<ClientSecret>,
) -> Client {
    Client::from_provider_metadata(metadata, client_id, secret)
}

/// Converts a timestamp to the type of the library.
pub(crate) fn to_library_time(now: Timestamp) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(now.as_micros()).unwrap_or(DateTime::<Utc>::MAX_UTC)
}
