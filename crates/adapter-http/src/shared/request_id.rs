//! The request id that the server generates, and the client's correlation id, which the response repeats.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use payroll_ports::Randomness;

use crate::shared::limits::MAX_CORRELATION_HEADER_LENGTH;

/// Generates request ids: a random prefix per process and a counter. The ids are unique across restarts and
/// processes, but they are not secret.
pub(crate) struct RequestIds {
    process: String,
    next: AtomicU64,
}

impl RequestIds {
    /// Creates a generator with a random prefix.
    pub(crate) fn new(randomness: &dyn Randomness) -> Self {
        let mut random = [0; 8];
        randomness.fill_with_random_bytes(&mut random);
        Self { process: format!("{:016x}", u64::from_be_bytes(random)), next: AtomicU64::new(1) }
    }

    /// Returns the id of the next request.
    pub(crate) fn next(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut id = String::with_capacity(self.process.len() + 13);
        id.push_str(&self.process);
        // The result is ignored, because writing to a string cannot fail.
        let _ = write!(id, "-{number:012x}");
        id
    }
}

/// Returns the client's correlation id, if it is a single value of 1 to 128 visible ASCII characters.
pub(crate) fn valid_correlation_id<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    let mut values = headers.get_all(name);
    let value = values.next().filter(|_| values.next().is_none())?;
    let visible = value.as_bytes().iter().all(u8::is_ascii_graphic);
    (visible && (1..=MAX_CORRELATION_HEADER_LENGTH).contains(&value.len())).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct FixedRandomness;
    impl Randomness for FixedRandomness {
        fn fill_with_random_bytes(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    #[test]
    fn every_request_has_a_unique_id() {
        let ids = RequestIds::new(&FixedRandomness);
        assert_eq!(ids.next(), "0707070707070707-000000000001");
        assert_eq!(ids.next(), "0707070707070707-000000000002");
    }

    #[test]
    fn only_a_single_short_correlation_id_is_echoed() {
        let name = HeaderName::from_static("x-correlation");
        let echo = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(name.clone(), HeaderValue::from_str(value).unwrap());
            }
            valid_correlation_id(&headers, &name).is_some()
        };
        assert!(echo(&["abc"]) && echo(&[&"x".repeat(128)]));
        assert!(!echo(&[]) && !echo(&[""]) && !echo(&["a b"]) && !echo(&["a", "b"]));
        assert!(!echo(&[&"x".repeat(129)]));
    }
}
