//! Access tokens: made for an application, and read back into a [`Caller`].
//!
//! A token is a JWT signed with HS256, in the profile for access tokens (RFC 9068). It says which application
//! it is for, which secret made it, which scopes it has and when it ends; whether application, secret and
//! grants are still valid is read from the store beside the data, with every request.
//!
//! Issuer and audience are the server itself: its public address where one is set. Tokens of the
//! release before have neither, nor a type of their own. They are taken until they end, so that
//! processes can be replaced one by one: what counts is the signature by a key of ours.

use std::sync::Arc;

use actix_web::http::header::HeaderMap;
use jsonwebtoken::errors::Error;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use moka::sync::Cache;
use payroll_domain::access::{Caller, Scopes};
use payroll_domain::date::Timestamp;
use payroll_ports::keys::{KeySet, LiveKeys, OfKeys, Purpose};
use payroll_ports::{Randomness, new_uuid};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::partner::jwt;
use crate::shared::bearer::bearer;
use crate::shared::error::Failure;
use crate::shared::limits::{MAX_REMEMBERED_TOKENS, MAX_TOKEN_BYTES};

/// The type of an access token (RFC 9068, section 2.1).
const ACCESS_TOKEN: &str = "at+jwt";
/// The type of the tokens that the release before has made.
const PLAIN_TOKEN: &str = "JWT";
/// Issuer and audience of a server without a public address.
const UNNAMED: &str = "payroll-server";

/// Makes and reads the access tokens of one server.
pub(crate) struct Tokens {
    signing: OfKeys<Signing>,
    validation: Validation,
    /// Whose tokens they are, and for whom.
    issuer: String,
    lifetime_seconds: u32,
    /// Callers by the hash of their verified token, with the number of the key set that verified it;
    /// when it ends is looked at each time.
    verified: Cache<[u8; 32], (u64, Arc<Caller>)>,
}

/// What is made of the key set.
struct Signing {
    header: Header,
    key: EncodingKey,
    verifying: Vec<(String, DecodingKey)>,
}

impl Signing {
    fn new(keys: &KeySet) -> Self {
        let mut header = Header::new(Algorithm::HS256);
        header.typ = Some(ACCESS_TOKEN.to_owned());
        header.kid = Some(keys.active().id().to_owned());
        // A signature by a revoked key is not trusted: others may have the key.
        let verifying = keys.iter().filter(|key| !key.is_revoked());
        let verifying = verifying
            .map(|key| (key.id().to_owned(), DecodingKey::from_secret(&key.derive(Purpose::TokenSigning))));
        Self {
            header,
            key: EncodingKey::from_secret(&keys.active().derive(Purpose::TokenSigning)),
            verifying: verifying.collect(),
        }
    }
}

/// The claims of a token. Tokens of the release before lack the optional ones.
#[derive(Serialize, Deserialize)]
struct Claims {
    /// Who made it.
    iss: Option<String>,
    /// Who is to take it.
    aud: Option<String>,
    /// Its own id: no two tokens are equal.
    jti: Option<String>,
    /// The application's key.
    client_id: Option<String>,
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
    /// Tokens signed with the active key of the set and verified with any, of the server with that
    /// public address.
    pub(crate) fn new(keys: LiveKeys, public_base_url: Option<&str>, lifetime_seconds: u32) -> Self {
        jwt::install();
        // The library would ask the system for the time; the server's clock is read here instead.
        let mut validation = Validation::new(Algorithm::HS256);
        validation.validate_exp = false;
        validation.validate_aud = false;
        validation.required_spec_claims.clear();
        Self {
            signing: OfKeys::new(keys, Signing::new),
            validation,
            issuer: public_base_url.map_or(UNNAMED, |url| url.trim_end_matches('/')).to_owned(),
            lifetime_seconds,
            verified: Cache::new(MAX_REMEMBERED_TOKENS),
        }
    }

    /// Seconds that a token made now is valid.
    pub(crate) const fn lifetime_seconds(&self) -> u32 {
        self.lifetime_seconds
    }

    /// Makes a token for a client that says what the caller may.
    ///
    /// # Errors
    /// A bug: the claims could not be written.
    pub(crate) fn issue(
        &self,
        (client_id, caller): (&str, &Caller),
        now: Timestamp,
        randomness: &dyn Randomness,
    ) -> Result<String, Error> {
        let claims = Claims {
            iss: Some(self.issuer.clone()),
            aud: Some(self.issuer.clone()),
            jti: Some(new_uuid(randomness)),
            client_id: Some(client_id.to_owned()),
            sub: caller.application_id.to_string(),
            sid: caller.secret_id.to_string(),
            scope: caller.scopes.to_string(),
            iat: now.as_seconds(),
            exp: in_whole_seconds(caller.expires),
        };
        let (_, signing) = self.signing.now();
        jsonwebtoken::encode(&signing.header, &claims, &signing.key)
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
        let (keys, signing) = self.signing.now();
        let caller = match self.verified.get(&hash).filter(|(verified_by, _)| *verified_by == keys) {
            Some((_, caller)) => caller,
            None => {
                let caller = Arc::new(self.read(token, &signing)?);
                self.verified.insert(hash, (keys, Arc::clone(&caller)));
                caller
            }
        };
        (now < caller.expires).then_some(caller)
    }

    /// What a token says, if one of our keys signed it.
    fn read(&self, token: &[u8], signing: &Signing) -> Option<Caller> {
        let header = jsonwebtoken::decode_header(token).ok()?;
        let key_id = header.kid?;
        let (_, key) = signing.verifying.iter().find(|(id, _)| *id == key_id)?;
        let claims = jsonwebtoken::decode::<Claims>(token, key, &self.validation).ok()?.claims;
        if !self.is_ours(header.typ.as_deref()?, &claims) {
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

/// The end of a token as its claims hold it: rounded up, so that the token is valid for as long as the response
/// to its request says.
const fn in_whole_seconds(expires: Timestamp) -> i64 {
    const ALMOST_A_SECOND: i64 = 999_999;
    Timestamp::from_micros(expires.as_micros().saturating_add(ALMOST_A_SECOND)).as_seconds()
}

impl Tokens {
    /// Whether a token that one of our keys has signed was made for this server, and as an access
    /// token; one of the release before says nothing of either.
    fn is_ours(&self, kind: &str, claims: &Claims) -> bool {
        let Claims { iss, aud, jti, .. } = claims;
        match kind {
            ACCESS_TOKEN => jti.is_some() && [iss, aud].iter().all(|it| it.as_ref() == Some(&self.issuer)),
            PLAIN_TOKEN => [iss, aud, jti].iter().all(|it| it.is_none()),
            _ => false,
        }
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
        Tokens::new(KeySet::new(active, others).unwrap().into(), Some("https://api.example.org/"), 3_600)
    }

    /// Chance that is none.
    struct Sevens;

    impl Randomness for Sevens {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    fn issue(tokens: &Tokens) -> String {
        tokens.issue(("key", &caller()), at(0), &Sevens).unwrap()
    }

    /// A token that our key has signed, with a type and claims of its own beside the usual ones.
    fn signed(tokens: &Tokens, kind: &str, more: &serde_json::Value) -> String {
        let header = Header { typ: Some(kind.to_owned()), ..tokens.signing.now().1.header.clone() };
        let mut claims = serde_json::json!(
            {"sub": "app", "sid": "secret", "scope": "read:payroll", "iat": 0, "exp": 100});
        for (name, value) in more.as_object().unwrap() {
            claims[name] = value.clone();
        }
        jsonwebtoken::encode(&header, &claims, &tokens.signing.now().1.key).unwrap()
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
        let headers = sent(&[&format!("bearer {}", issue(&tokens))]);
        assert_eq!(*tokens.authenticate(&headers, at(99)).unwrap(), caller());
        assert_eq!(*tokens.authenticate(&headers, at(99)).unwrap(), caller());
        assert!(tokens.authenticate(&headers, at(100)).is_err());
    }

    #[test]
    fn a_token_lasts_as_long_as_its_request_is_told_also_within_a_second() {
        let tokens = tokens(key("a", 1), vec![]);
        let expires = Timestamp::from_micros(100_900_000);
        let token = tokens.issue(("key", &Caller { expires, ..caller() }), at(0), &Sevens).unwrap();
        assert!(tokens.verify(token.as_bytes(), Timestamp::from_micros(100_899_999)).is_some());
        assert!(tokens.verify(token.as_bytes(), at(101)).is_none());
    }

    #[test]
    fn a_token_outlives_the_rotation_of_its_key_but_not_its_removal() {
        let old = issue(&tokens(key("old", 1), vec![]));
        assert!(tokens(key("new", 2), vec![key("old", 1)]).verify(old.as_bytes(), at(1)).is_some());
        assert!(tokens(key("new", 2), vec![]).verify(old.as_bytes(), at(1)).is_none());
        assert!(tokens(key("old", 2), vec![]).verify(old.as_bytes(), at(1)).is_none());
    }

    #[test]
    fn a_key_that_is_revoked_signs_and_verifies_nothing_from_then_on() {
        let live = LiveKeys::from(KeySet::new(key("old", 1), vec![]).unwrap());
        let tokens = Tokens::new(live.clone(), None, 3_600);
        let token = issue(&tokens);
        assert!(tokens.verify(token.as_bytes(), at(1)).is_some());
        live.replace(KeySet::new(key("new", 2), vec![key("old", 1).revoke()]).unwrap());
        assert!(tokens.verify(token.as_bytes(), at(1)).is_none(), "though it is remembered");
        assert!(tokens.verify(issue(&tokens).as_bytes(), at(1)).is_some());
    }

    #[test]
    fn what_is_no_token_of_ours_is_refused() {
        let tokens = tokens(key("a", 1), vec![]);
        let good = issue(&tokens);
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

    #[test]
    fn a_token_of_another_issuer_or_audience_or_of_another_kind_is_refused() {
        let tokens = tokens(key("a", 1), vec![]);
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
        // The release before: nothing of it, or it is another's.
        cases.extend([("JWT", serde_json::json!({}), true), ("JWT", good, false)]);
        cases.push(("at+jwt", serde_json::json!({}), false));
        for (kind, claims, taken) in cases {
            let token = signed(&tokens, kind, &claims);
            assert_eq!(tokens.verify(token.as_bytes(), at(1)).is_some(), taken, "{kind} {claims}");
        }
    }
}
