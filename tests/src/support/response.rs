//! A complete response of the server, with accessors for tests.

use std::fmt;

use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// A complete response of the server.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) async fn read(response: reqwest::Response) -> reqwest::Result<Self> {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        Ok(Self { status, headers, body: response.bytes().await?.to_vec() })
    }

    pub(crate) fn is_success(&self) -> bool {
        StatusCode::from_u16(self.status).is_ok_and(|status| status.is_success())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|fault| {
            panic!("no JSON ({fault}) in {}: {:?}", self.status, String::from_utf8_lossy(&self.body))
        })
    }

    /// Returns the body as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the value of a header, or an empty text if it is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("a header of ASCII"))
    }

    /// Returns the elements of `content` in the body.
    pub(crate) fn content(&self) -> Vec<Value> {
        self.json()["content"].as_array().unwrap_or_else(|| panic!("no content: {self:?}")).clone()
    }

    /// Returns the text of this member in each element of `content`.
    pub(crate) fn members(&self, member: &str) -> Vec<String> {
        self.content().iter().map(|it| it[member].as_str().expect("a text").to_owned()).collect()
    }

    /// Returns the target of the link with this relation. `None` without such a link.
    pub(crate) fn link(&self, relation: &str) -> Option<String> {
        let links = self.json()["links"].as_array().expect("links").clone();
        let link = links.into_iter().find(|link| link["rel"] == relation)?;
        link["href"].as_str().map(str::to_owned)
    }

    /// Returns the elements of `errors` in the body.
    pub(crate) fn errors(&self) -> Vec<Value> {
        self.json()["errors"].as_array().unwrap_or_else(|| panic!("no errors: {self:?}")).clone()
    }

    /// Returns the status and codes of an error response in order, such as `400 API-46 API-48`.
    pub(crate) fn status_and_code(&self) -> String {
        let codes = self.errors().iter().map(|it| format!(" {}", text(&it["code"]))).collect::<String>();
        format!("{}{codes}", self.status)
    }

    /// Returns the result of [`Self::status_and_code`] for an error, or the status of a success.
    pub(crate) fn status_and_any_code(&self) -> String {
        if self.is_success() { self.status.to_string() } else { self.status_and_code() }
    }

    /// Returns the codes and pointers of an error response in order, such as `API-46 /0/workerId`.
    pub(crate) fn faults(&self) -> Vec<String> {
        let fault = |it: &Value| format!("{} {}", text(&it["code"]), text(&it["pointer"]));
        self.errors().iter().map(|it| fault(it).trim_end().to_owned()).collect()
    }
}

/// Shows the status and the body as text in the message of a failed test.
impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = String::from_utf8_lossy(&self.body);
        write!(f, "{} {:?} {body:.4000}", self.status, self.headers)
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
