//! Access tokens: made for an application, and read back into a [`Caller`].
//!
//! A token is a JWT signed with HS256. It says which application it is for, which secret made it,
//! which scopes it has and when it ends; whether application, secret and grants still stand is
//! asked of the store beside the data, with every request.

use std::sync::Arc;

use actix_web::http::header::HeaderMap;
use jsonwebtoken::errors::Error;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use moka::sync::Cache;
use payroll_domain::access::{Caller, Scopes};
use payroll_domain::date::Timestamp;
use payroll_ports::keys::{KeySet, Purpose};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::bearer::bearer;
use crate::error::Failure;
use crate::jwt;
use crate::limits::{MAX_REMEMBERED_TOKENS, MAX_TOKEN_BYTES};

/// Makes and reads the access tokens of one server.
pub(crate) struct Tokens {
    header: Header,
    signing: EncodingKey,
    verifying: Vec<(String, DecodingKey)>,
    validation: Validation,
    lifetime_seconds: u32,
    /// Callers by the hash of their verified token; when it ends is looked at each time.
    verified: Cache<[u8; 32], Arc<Caller>>,
}

/// What stands in a token.
#[derive(Serialize, Deserialize)]
struct Claims {
    /// The application's id.
    sub: String,
    /// The id of the secret that made the token.
    sid: String,
    /// Its scopes, space-separated.
    scope: String,
    /// When it was made, in seconds since 1970.
    iat: i64,
    /// When it ends, in seconds since 1970.
    exp: i64,
}

impl Tokens {
    /// Tokens signed with the active key of the set and verified with any.
    pub(crate) fn new(keys: &KeySet, lifetime_seconds: u32) -> Self {
        jwt::install();
        let mut header = Header::new(Algorithm::HS256);
        header.kid = Some(keys.active().id().to_owned());
        // The library would ask the system for the time; the server's clock is asked here instead.
        let mut validation = Validation::new(Algorithm::HS256);
        validation.validate_exp = false;
        validation.validate_aud = false;
        validation.required_spec_claims.clear();
        let verifying = keys
            .iter()
            .map(|key| (key.id().to_owned(), DecodingKey::from_secret(&key.derive(Purpose::TokenSigning))));
        Self {
            header,
            signing: EncodingKey::from_secret(&keys.active().derive(Purpose::TokenSigning)),
            verifying: verifying.collect(),
            validation,
            lifetime_seconds,
            verified: Cache::new(MAX_REMEMBERED_TOKENS),
        }
    }

    /// Seconds that a token made now is valid.
    pub(crate) const fn lifetime_seconds(&self) -> u32 {
        self.lifetime_seconds
    }

    /// Makes a token that says what the caller may.
    ///
    /// # Errors
    /// A bug: the claims could not be written.
    pub(crate) fn issue(&self, caller: &Caller, now: Timestamp) -> Result<String, Error> {
        let claims = Claims {
            sub: caller.application_id.to_string(),
            sid: caller.secret_id.to_string(),
            scope: caller.scopes.to_string(),
            iat: now.as_seconds(),
            exp: caller.expires.as_seconds(),
        };
        jsonwebtoken::encode(&self.header, &claims, &self.signing)
    }

    /// The caller of a request, by its `Authorization` header.
    ///
    /// # Errors
    /// 401 API-102 without a token, or with one that is malformed, not ours, or has ended.
    pub(crate) fn authenticate(&self, headers: &HeaderMap, now: Timestamp) -> Result<Arc<Caller>, Failure> {
        self.verify(bearer(headers)?, now).ok_or_else(Failure::invalid_token)
    }

    /// What a token says, if one of our keys signed it and it has not ended.
    fn verify(&self, token: &[u8], now: Timestamp) -> Option<Arc<Caller>> {
        if token.len() > MAX_TOKEN_BYTES {
            return None;
        }
        let hash = Sha256::digest(token).into();
        let caller = match self.verified.get(&hash) {
            Some(caller) => caller,
            None => {
                let caller = Arc::new(self.read(token)?);
                self.verified.insert(hash, Arc::clone(&caller));
                caller
            }
        };
        (now < caller.expires).then_some(caller)
    }

    /// What a token says, if one of our keys signed it.
    fn read(&self, token: &[u8]) -> Option<Caller> {
        let key_id = jsonwebtoken::decode_header(token).ok()?.kid?;
        let (_, key) = self.verifying.iter().find(|(id, _)| *id == key_id)?;
        let claims = jsonwebtoken::decode::<Claims>(token, key, &self.validation).ok()?.claims;
        Some(Caller {
            application_id: claims.sub.parse().ok()?,
            secret_id: claims.sid.parse().ok()?,
            scopes: Scopes::parse(&claims.scope).ok()?,
            expires: Timestamp::from_micros(0).plus_seconds(claims.exp),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{AUTHORIZATION, HeaderValue};
    use payroll_domain::access::Scope;
    use payroll_ports::keys::{KEY_LENGTH, Key};

    fn key(id: &str, byte: u8) -> Key {
        Key::new(id, [byte; KEY_LENGTH]).unwrap()
    }

    fn tokens(active: Key, others: Vec<Key>) -> Tokens {
        Tokens::new(&KeySet::new(active, others).unwrap(), 3_600)
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(0).plus_seconds(seconds)
    }

    fn caller() -> Caller {
        Caller {
            application_id: "app".parse().unwrap(),
            secret_id: "secret".parse().unwrap(),
            scopes: [Scope::ReadPayroll].into_iter().collect(),
            expires: at(100),
        }
    }

    fn sent(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn a_token_is_read_back_until_it_ends_also_where_it_is_remembered() {
        let tokens = tokens(key("a", 1), vec![]);
        let headers = sent(&[&format!("bearer {}", tokens.issue(&caller(), at(0)).unwrap())]);
        assert_eq!(*tokens.authenticate(&headers, at(99)).unwrap(), caller());
        assert_eq!(*tokens.authenticate(&headers, at(99)).unwrap(), caller());
        assert!(tokens.authenticate(&headers, at(100)).is_err());
    }

    #[test]
    fn a_token_outlives_the_rotation_of_its_key_but_not_its_removal() {
        let old = tokens(key("old", 1), vec![]).issue(&caller(), at(0)).unwrap();
        assert!(tokens(key("new", 2), vec![key("old", 1)]).verify(old.as_bytes(), at(1)).is_some());
        assert!(tokens(key("new", 2), vec![]).verify(old.as_bytes(), at(1)).is_none());
        assert!(tokens(key("old", 2), vec![]).verify(old.as_bytes(), at(1)).is_none());
    }

    #[test]
    fn what_is_no_token_of_ours_is_refused() {
        let tokens = tokens(key("a", 1), vec![]);
        let good = tokens.issue(&caller(), at(0)).unwrap();
        // {"alg":"none","typ":"JWT","kid":"a"} with the claims of the good one.
        let unsigned =
            format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIiwia2lkIjoiYSJ9.{}.", good.split('.').nth(1).unwrap());
        let changed = format!("{}x", good);
        for bad in ["", "x", "a.b.c", &unsigned, &changed, &"x".repeat(MAX_TOKEN_BYTES + 1)] {
            assert!(tokens.verify(bad.as_bytes(), at(1)).is_none(), "{bad}");
        }
        assert!(tokens.authenticate(&sent(&[&format!("Basic {good}")]), at(1)).is_err());
        let twice = [format!("Bearer {good}"), format!("Bearer {good}")];
        assert!(tokens.authenticate(&sent(&[&twice[0], &twice[1]]), at(1)).is_err());
    }
}
