//! Issues access tokens to applications and verifies them. A verified token identifies a [`Caller`].
//!
//! A token is a JWT signed with HS256 or EdDSA, with the profile for access tokens (RFC 9068). A token
//! contains the application, the secret with which it was requested, the scopes and the expiry. With every
//! request, the store checks whether the application, the secret and the grants are still valid.
//!
//! If the public URL of the server is set, the URL is the issuer and the audience. Tokens of the previous
//! release have another type and no issuer or audience. These tokens are accepted until they expire, so that
//! processes can be upgraded one at a time. Their signature is verified like any other.

use std::sync::Arc;

use actix_web::http::header::HeaderMap;
use jsonwebtoken::Algorithm;
use jsonwebtoken::errors::Error;
use moka::sync::Cache;
use payroll_domain::access::{Caller, Scopes};
use payroll_domain::date::Timestamp;
use payroll_ports::keys::{CurrentKeys, KeyDerived};
use payroll_ports::{Randomness, new_uuid};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::partner::jwt;
use crate::partner::token_keys::{TokenSigningKeys, create_validation};
use crate::shared::bearer::bearer_token;
use crate::shared::error::Failure;
use crate::shared::limits::{MAX_CACHED_TOKENS, MAX_TOKEN_BYTES};
use crate::shared::settings::{HttpSettings, TokenSignature};

/// The type of an access token (RFC 9068, section 2.1).
const ACCESS_TOKEN_TYPE: &str = "at+jwt";
/// The type of tokens that the previous release issued.
const PREVIOUS_TOKEN_TYPE: &str = "JWT";
/// The issuer and audience of a server without a public URL.
const DEFAULT_ISSUER: &str = "payroll-server";

/// Issues and verifies the access tokens of one server.
pub(crate) struct TokenIssuer {
    signing: KeyDerived<TokenSigningKeys>,
    algorithm: Algorithm,
    /// The issuer and audience of the tokens.
    issuer: String,
    lifetime_seconds: u32,
    /// A cache of callers by the hash of their token. Each entry also contains the generation of the key set
    /// that verified the token. The expiry is verified for each request.
    verified: Cache<[u8; 32], (u64, Arc<Caller>)>,
}

/// The claims of a token. Tokens of the previous release lack the optional claims.
#[derive(Serialize, Deserialize)]
struct TokenClaims {
    /// The issuer of the token.
    iss: Option<String>,
    /// The audience of the token.
    aud: Option<String>,
    /// The unique id of the token.
    jti: Option<String>,
    /// The client id of the application.
    client_id: Option<String>,
    /// The id of the application.
    sub: String,
    /// The id of the secret with which the token was requested.
    sid: String,
    /// The scopes, separated by spaces.
    scope: String,
    /// The time when the token was issued, in seconds since 1970.
    iat: i64,
    /// The expiry, in seconds since 1970.
    exp: i64,
}

impl TokenIssuer {
    /// Creates the issuer and verifier of tokens. New tokens are signed with the active key of the set. A
    /// token is accepted if any key of the set has signed it, with HS256 or EdDSA, and the key is not
    /// revoked. `public_base_url` becomes the issuer.
    pub(crate) fn new(keys: CurrentKeys, settings: &HttpSettings) -> Self {
        jwt::install_jwt_crypto_provider();
        let public_base_url = settings.public_base_url.as_deref();
        Self {
            signing: KeyDerived::new(keys, TokenSigningKeys::new),
            algorithm: match settings.token_signature {
                TokenSignature::Hs256 => Algorithm::HS256,
                TokenSignature::EdDsa => Algorithm::EdDSA,
            },
            issuer: public_base_url.map_or(DEFAULT_ISSUER, |url| url.trim_end_matches('/')).to_owned(),
            lifetime_seconds: settings.token_lifetime_seconds,
            verified: Cache::new(MAX_CACHED_TOKENS),
        }
    }

    /// Returns the lifetime of a new token in seconds.
    pub(crate) const fn lifetime_seconds(&self) -> u32 {
        self.lifetime_seconds
    }

    /// Issues a token for a client with the scopes of the caller.
    ///
    /// # Errors
    /// The error of the library if the claims cannot be serialized, which is a bug.
    pub(crate) fn issue_access_token(
        &self,
        (client_id, caller): (&str, &Caller),
        now: Timestamp,
        randomness: &dyn Randomness,
    ) -> Result<String, Error> {
        let claims = TokenClaims {
            iss: Some(self.issuer.clone()),
            aud: Some(self.issuer.clone()),
            jti: Some(new_uuid(randomness)),
            client_id: Some(client_id.to_owned()),
            sub: caller.application_id.to_string(),
            sid: caller.secret_id.to_string(),
            scope: caller.scopes.to_string(),
            iat: now.as_seconds(),
            exp: expiry_seconds(caller.expires),
        };
        let (_, signing) = self.signing.current_with_generation();
        signing.encode_token(self.algorithm, ACCESS_TOKEN_TYPE, &claims)
    }

    /// Identifies the caller by the `Authorization` header.
    ///
    /// # Errors
    /// 401 API-102 if the token is missing, malformed or expired, or if another server issued it.
    pub(crate) fn authenticate(&self, headers: &HeaderMap, now: Timestamp) -> Result<Arc<Caller>, Failure> {
        self.verify(bearer_token(headers)?, now).ok_or_else(Failure::invalid_token)
    }

    /// Returns the caller of a token; `None` if none of the server's keys signed the token, or if the token
    /// has expired.
    fn verify(&self, token: &[u8], now: Timestamp) -> Option<Arc<Caller>> {
        if token.len() > MAX_TOKEN_BYTES {
            return None;
        }
        let hash = Sha256::digest(token).into();
        let (keys, signing) = self.signing.current_with_generation();
        let caller = match self.verified.get(&hash).filter(|(verified_by, _)| *verified_by == keys) {
            Some((_, caller)) => caller,
            None => {
                let caller = Arc::new(self.read_token(token, &signing)?);
                self.verified.insert(hash, (keys, Arc::clone(&caller)));
                caller
            }
        };
        (now < caller.expires).then_some(caller)
    }

    /// Returns the caller of a token; `None` if none of the server's keys signed the token or if this server
    /// did not issue it. This function does not verify the expiry.
    fn read_token(&self, token: &[u8], signing: &TokenSigningKeys) -> Option<Caller> {
        let header = jsonwebtoken::decode_header(token).ok()?;
        let key_id = header.kid?;
        let mut keys = signing.decoding_keys.iter();
        let (_, algorithm, key) =
            keys.find(|(id, algorithm, _)| *id == key_id && *algorithm == header.alg)?;
        let claims =
            jsonwebtoken::decode::<TokenClaims>(token, key, &create_validation(*algorithm)).ok()?.claims;
        if !self.is_issued_by_this_server(header.typ.as_deref()?, &claims) {
            return None;
        }
        Some(Caller {
            application_id: claims.sub.parse().ok()?,
            secret_id: claims.sid.parse().ok()?,
            scopes: Scopes::parse(&claims.scope).ok()?,
            expires: Timestamp::from_micros(0).plus_seconds(claims.exp),
        })
    }
}

/// Returns the expiry in seconds, rounded up, so that the token is valid for at least the lifetime in the
/// response.
const fn expiry_seconds(expires: Timestamp) -> i64 {
    const MICROS_TO_ROUND_UP: i64 = 999_999;
    Timestamp::from_micros(expires.as_micros().saturating_add(MICROS_TO_ROUND_UP)).as_seconds()
}

impl TokenIssuer {
    /// Whether a signed token is an access token of this server. A token of the previous release has another
    /// type and lacks the claims.
    fn is_issued_by_this_server(&self, kind: &str, claims: &TokenClaims) -> bool {
        let TokenClaims { iss, aud, jti, .. } = claims;
        match kind {
            ACCESS_TOKEN_TYPE => {
                jti.is_some() && [iss, aud].iter().all(|it| it.as_ref() == Some(&self.issuer))
            }
            PREVIOUS_TOKEN_TYPE => [iss, aud, jti].iter().all(|it| it.is_none()),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{AUTHORIZATION, HeaderValue};
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use jsonwebtoken::{EncodingKey, Header};
    use payroll_domain::access::Scope;
    use payroll_ports::keys::{KEY_LENGTH, Key, KeyPurpose, KeySet};
    use payroll_ports::signing::SigningPair;

    fn key_with_byte(id: &str, byte: u8) -> Key {
        Key::new(id, [byte; KEY_LENGTH]).unwrap()
    }

    fn token_issuer(active: Key, others: Vec<Key>) -> TokenIssuer {
        token_issuer_with_signature(TokenSignature::Hs256, KeySet::new(active, others).unwrap().into())
    }

    fn token_issuer_with_signature(token_signature: TokenSignature, keys: CurrentKeys) -> TokenIssuer {
        let public_base_url = Some("https://api.example.org/".to_owned());
        TokenIssuer::new(keys, &HttpSettings { token_signature, public_base_url, ..HttpSettings::default() })
    }

    /// A source of randomness that always returns the byte 7.
    struct FixedRandomness;

    impl Randomness for FixedRandomness {
        fn fill_with_random_bytes(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    fn issue_token(tokens: &TokenIssuer) -> String {
        tokens.issue_access_token(("key", &caller()), timestamp_at(0), &FixedRandomness).unwrap()
    }

    /// Creates a token signed with a valid key, with this type and additional claims.
    fn sign_token(tokens: &TokenIssuer, kind: &str, additional_claims: &serde_json::Value) -> String {
        let mut claims = serde_json::json!(
            {"sub": "app", "sid": "secret", "scope": "read:payroll", "iat": 0, "exp": 100});
        for (name, value) in additional_claims.as_object().unwrap() {
            claims[name] = value.clone();
        }
        tokens.signing.current_with_generation().1.encode_token(tokens.algorithm, kind, &claims).unwrap()
    }

    fn timestamp_at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(0).plus_seconds(seconds)
    }

    fn caller() -> Caller {
        Caller {
            application_id: "app".parse().unwrap(),
            secret_id: "secret".parse().unwrap(),
            scopes: [Scope::ReadPayroll].into_iter().collect(),
            expires: timestamp_at(100),
        }
    }

    fn authorization_headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn a_token_is_valid_until_it_expires_even_if_it_is_cached() {
        let tokens = token_issuer(key_with_byte("a", 1), vec![]);
        let headers = authorization_headers(&[&format!("bearer {}", issue_token(&tokens))]);
        assert_eq!(*tokens.authenticate(&headers, timestamp_at(99)).unwrap(), caller());
        assert_eq!(*tokens.authenticate(&headers, timestamp_at(99)).unwrap(), caller());
        assert!(tokens.authenticate(&headers, timestamp_at(100)).is_err());
    }

    #[test]
    fn a_token_is_valid_until_its_exact_expiry() {
        let tokens = token_issuer(key_with_byte("a", 1), vec![]);
        let expires = Timestamp::from_micros(100_900_000);
        let token = tokens
            .issue_access_token(("key", &Caller { expires, ..caller() }), timestamp_at(0), &FixedRandomness)
            .unwrap();
        assert!(tokens.verify(token.as_bytes(), Timestamp::from_micros(100_899_999)).is_some());
        assert!(tokens.verify(token.as_bytes(), timestamp_at(101)).is_none());
    }

    #[test]
    fn token_stays_valid_after_key_rotation_but_not_key_removal() {
        let old = issue_token(&token_issuer(key_with_byte("old", 1), vec![]));
        assert!(
            token_issuer(key_with_byte("new", 2), vec![key_with_byte("old", 1)])
                .verify(old.as_bytes(), timestamp_at(1))
                .is_some()
        );
        assert!(
            token_issuer(key_with_byte("new", 2), vec![]).verify(old.as_bytes(), timestamp_at(1)).is_none()
        );
        assert!(
            token_issuer(key_with_byte("old", 2), vec![]).verify(old.as_bytes(), timestamp_at(1)).is_none()
        );
    }

    #[test]
    fn a_revoked_key_signs_and_verifies_nothing() {
        let live = CurrentKeys::from(KeySet::new(key_with_byte("old", 1), vec![]).unwrap());
        let tokens = token_issuer_with_signature(TokenSignature::Hs256, live.clone());
        let token = issue_token(&tokens);
        assert!(tokens.verify(token.as_bytes(), timestamp_at(1)).is_some());
        live.replace(KeySet::new(key_with_byte("new", 2), vec![key_with_byte("old", 1).revoke()]).unwrap());
        assert!(tokens.verify(token.as_bytes(), timestamp_at(1)).is_none(), "though it is remembered");
        assert!(tokens.verify(issue_token(&tokens).as_bytes(), timestamp_at(1)).is_some());
    }

    #[test]
    fn tokens_of_both_algorithms_are_accepted() {
        let keys = || CurrentKeys::from(KeySet::new(key_with_byte("a", 1), vec![]).unwrap());
        let both = [TokenSignature::Hs256, TokenSignature::EdDsa]
            .map(|signature| token_issuer_with_signature(signature, keys()));
        for token in both.iter().map(issue_token) {
            for tokens in &both {
                assert_eq!(*tokens.verify(token.as_bytes(), timestamp_at(1)).unwrap(), caller());
            }
        }
    }

    #[test]
    fn token_signed_with_the_public_key_as_secret_is_rejected() {
        let set = KeySet::new(key_with_byte("a", 1), vec![]).unwrap();
        let tokens = token_issuer_with_signature(TokenSignature::EdDsa, set.clone().into());
        let claims = issue_token(&tokens).split('.').nth(1).unwrap().to_owned();
        let mut header = Header::new(Algorithm::HS256);
        (header.typ, header.kid) = (Some(ACCESS_TOKEN_TYPE.to_owned()), Some("a".to_owned()));
        let public = SigningPair::derive(set.active(), KeyPurpose::TokenPair).unwrap().public_key().to_vec();
        let claims: serde_json::Value =
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
        let forged = jsonwebtoken::encode(&header, &claims, &EncodingKey::from_secret(&public)).unwrap();
        assert!(tokens.verify(forged.as_bytes(), timestamp_at(1)).is_none());
    }

    #[test]
    fn foreign_and_malformed_tokens_are_rejected() {
        let tokens = token_issuer(key_with_byte("a", 1), vec![]);
        let good = issue_token(&tokens);
        // The text is `{"alg":"none","typ":"JWT","kid":"a"}`, followed by the claims of the valid token.
        let unsigned =
            format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIiwia2lkIjoiYSJ9.{}.", good.split('.').nth(1).unwrap());
        let changed = format!("{}x", good);
        for bad in ["", "x", "a.b.c", &unsigned, &changed, &"x".repeat(MAX_TOKEN_BYTES + 1)] {
            assert!(tokens.verify(bad.as_bytes(), timestamp_at(1)).is_none(), "{bad}");
        }
        assert!(
            tokens
                .authenticate(&authorization_headers(&[&format!("Basic {good}")]), timestamp_at(1))
                .is_err()
        );
        let twice = [format!("Bearer {good}"), format!("Bearer {good}")];
        assert!(
            tokens.authenticate(&authorization_headers(&[&twice[0], &twice[1]]), timestamp_at(1)).is_err()
        );
    }

    #[test]
    fn tokens_of_another_issuer_audience_or_kind_are_rejected() {
        let tokens = token_issuer(key_with_byte("a", 1), vec![]);
        let own = "https://api.example.org";
        let good = serde_json::json!({"iss": own, "aud": own, "jti": "1"});
        let mut cases = vec![("at+jwt", good.clone(), true), ("jwt", good.clone(), false)];
        for (claim, value) in [("iss", Some("https://other")), ("aud", Some("x")), ("jti", None)] {
            let mut spoilt = good.clone();
            match value {
                Some(value) => spoilt[claim] = value.into(),
                None => drop(spoilt.as_object_mut().unwrap().remove(claim)),
            }
            cases.push(("at+jwt", spoilt, false));
        }
        // A token of the previous release has the type `JWT` and none of the claims that `good` contains. A
        // token with these claims must have the type `at+jwt`.
        cases.extend([("JWT", serde_json::json!({}), true), ("JWT", good, false)]);
        cases.push(("at+jwt", serde_json::json!({}), false));
        for (kind, claims, is_accepted) in cases {
            let token = sign_token(&tokens, kind, &claims);
            assert_eq!(
                tokens.verify(token.as_bytes(), timestamp_at(1)).is_some(),
                is_accepted,
                "{kind} {claims}"
            );
        }
    }
}
