//! The operator API without a socket. The commands of the server use this API and therefore behave exactly
//! like HTTP requests.
//!
//! The command line needs no key, because the user of the command line can open the database anyway. The
//! audit log records the command line and the account of the operating system as the actor.

use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use actix_http::Request;
use actix_web::body::MessageBody;
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::http::{Method, Uri};
use actix_web::web::Bytes;
use futures_util::stream::{self, LocalBoxStream, Stream, StreamExt, TryStreamExt};
use payroll_domain::audit::{Actor, ActorKind};
use payroll_domain::operator_key::OperatorRole;
use payroll_ports::BoxError;

use super::call::OperatorCaller;
use super::service::service_routes;
use super::{OperatorApi, OperatorContext};
use crate::shared::dispatch::respond_to_request;
use crate::shared::route_table::RouteTable;
use crate::shared::settings::{HttpSettings, InvalidSetting};
use crate::transport::origin::{ListenerOrigin, Scheme};

/// The name of the command line as the owner of idempotency keys. The actor in the audit log is this name,
/// followed by the account of the operating system.
const OPERATOR_NAME: &str = "command line";

/// The origin for links if `public_base_url` is not set. No client follows these links.
const LOCAL_ORIGIN: ListenerOrigin = ListenerOrigin {
    address: SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0),
    scheme: Scheme::Http,
};

/// The operator API in this process, with the command line as the only caller.
///
/// Use this type on one thread within a tokio runtime, because its futures are not [`Send`].
pub struct LocalOperator {
    operator: Arc<OperatorContext>,
}

/// A request from a command.
#[derive(Debug, Clone, Copy)]
pub struct LocalRequest<'a> {
    /// The method, such as `GET` or `POST`.
    pub method: &'a str,
    /// The path and the query, such as `/operator/v1/companies?limit=10`.
    pub target: &'a str,
    /// The names and values of the headers.
    pub headers: &'a [(&'a str, &'a str)],
}

/// A response. `B` is the type of its body: complete or streamed.
pub struct LocalResponse<B = Vec<u8>> {
    /// The HTTP status of the response.
    pub status: u16,
    /// The names in lower case and the values of the headers.
    pub headers: Vec<(String, String)>,
    /// The body of the response.
    pub body: B,
}

/// A streamed body. Reading the body of an import executes the import.
pub type LocalBody = LocalBoxStream<'static, Result<Vec<u8>, BoxError>>;

impl LocalOperator {
    /// Creates the operator API for this account of the operating system.
    ///
    /// # Errors
    /// [`InvalidSetting`] if a setting has an invalid value.
    pub fn new(operator_api: OperatorApi, account: &str) -> Result<Self, InvalidSetting> {
        let caller = OperatorCaller {
            actor: Actor { kind: ActorKind::CommandLine, name: format!("{OPERATOR_NAME} ({account})") },
            owner: OPERATOR_NAME.to_owned(),
            role: OperatorRole::Administrator,
            company_ids: None,
            session: None,
            key: None,
        };
        let services = service_routes(&HttpSettings { console: false, ..HttpSettings::default() }, None);
        let operator = OperatorContext {
            preset_caller: Some(caller),
            ..OperatorContext::new(operator_api, LOCAL_ORIGIN, RouteTable::new(services))?
        };
        Ok(Self { operator: Arc::new(operator) })
    }

    /// Sends a request and reads the complete response.
    ///
    /// # Errors
    /// An error if the request contains a method, path or header that HTTP does not allow, or if the response
    /// is incomplete. A request that the server rejects yields a response, not an error.
    pub async fn send(&self, request: LocalRequest<'_>, body: Vec<u8>) -> Result<LocalResponse, BoxError> {
        let body = stream::iter([Ok(body)]).filter(|part: &io::Result<Vec<u8>>| {
            std::future::ready(part.as_ref().is_ok_and(|bytes| !bytes.is_empty()))
        });
        let LocalResponse { status, headers, mut body } = self.stream(request, body).await?;
        let mut whole = Vec::new();
        while let Some(part) = body.next().await {
            whole.extend(part?);
        }
        Ok(LocalResponse { status, headers, body: whole })
    }

    /// Sends a request with a streamed body. Returns the response before the response body is complete.
    ///
    /// # Errors
    /// An error for an invalid request, as for [`Self::send`].
    pub async fn stream(
        &self,
        request: LocalRequest<'_>,
        body: impl Stream<Item = io::Result<Vec<u8>>> + 'static,
    ) -> Result<LocalResponse<LocalBody>, BoxError> {
        let body = body.map_ok(Bytes::from).map_err(PayloadError::Io).boxed_local();
        let (response, _) =
            respond_to_request(&self.operator, request.into_request()?, Payload::from(body), Rc::default())
                .await;
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = response.headers().iter().map(|(name, value)| (name.to_string(), text(value)));
        Ok(LocalResponse {
            status: response.status().as_u16(),
            headers: headers.collect(),
            body: body_chunks(response.into_body()),
        })
    }
}

impl LocalRequest<'_> {
    /// Converts the request to the type of the HTTP library.
    fn into_request(self) -> Result<Request, BoxError> {
        let mut request = Request::new();
        let head = request.head_mut();
        head.method = Method::from_bytes(self.method.as_bytes())?;
        head.uri = Uri::try_from(self.target)?;
        for (name, value) in self.headers {
            head.headers.append(HeaderName::try_from(*name)?, HeaderValue::try_from(*value)?);
        }
        Ok(request)
    }
}

impl<B> LocalResponse<B> {
    /// Returns the value of a header. `name` must be in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Converts a body to a stream of chunks.
fn body_chunks(body: impl MessageBody + 'static) -> LocalBody {
    let mut body = Box::pin(body);
    let parts = stream::poll_fn(move |context| body.as_mut().poll_next(context));
    parts
        .map(|part| match part {
            Ok(bytes) => Ok(bytes.to_vec()),
            Err(error) => Err(BoxError::from(error.into().to_string())),
        })
        .boxed_local()
}
