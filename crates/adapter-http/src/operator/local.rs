//! The operator's side without a socket: for commands next to the server, which thereby do exactly
//! what a request does.
//!
//! A process that can open the database needs no key; changes are written down as made by the command
//! line, under the account of the machine.

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
use super::service::services;
use super::{Operator, OperatorApi};
use crate::shared::dispatch::respond;
use crate::shared::route_table::RouteTable;
use crate::shared::settings::InvalidSetting;
use crate::transport::origin::{Origin, Scheme};

/// Whom changes are made by, with the account, and whose idempotency keys are used.
const NAME: &str = "command line";

/// Links that are never followed begin with this, unless `public_base_url` says otherwise.
const NOWHERE: Origin = Origin {
    address: SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0),
    scheme: Scheme::Http,
};

/// The operator's side in this process, for one caller: the command line.
///
/// It is used on one thread (its futures are not [`Send`]), within a tokio runtime.
pub struct LocalOperator {
    operator: Arc<Operator>,
}

/// A request as a command makes it.
#[derive(Debug, Clone, Copy)]
pub struct LocalRequest<'a> {
    /// `GET`, `POST`, …
    pub method: &'a str,
    /// Path and query, such as `/operator/v1/companies?limit=10`.
    pub target: &'a str,
    /// Names and values of the headers.
    pub headers: &'a [(&'a str, &'a str)],
}

/// A response. `B` is its body: complete, or as it arrives.
pub struct LocalAnswer<B = Vec<u8>> {
    /// The status of the response.
    pub status: u16,
    /// Names, in small letters, and values.
    pub headers: Vec<(String, String)>,
    /// The body of the response.
    pub body: B,
}

/// A body as it comes. The work of an import is done as it is read.
pub type LocalBody = LocalBoxStream<'static, Result<Vec<u8>, BoxError>>;

impl LocalOperator {
    /// The operator's side on what it is given, called by that account of the machine.
    ///
    /// # Errors
    /// A setting that cannot be used.
    pub fn new(given: OperatorApi, account: &str) -> Result<Self, InvalidSetting> {
        let caller = OperatorCaller {
            actor: Actor { kind: ActorKind::CommandLine, name: format!("{NAME} ({account})") },
            owner: NAME.to_owned(),
            role: OperatorRole::Administrator,
            company_ids: None,
            session: None,
            key: None,
        };
        let operator = Operator {
            known: Some(caller),
            ..Operator::new(given, NOWHERE, RouteTable::new(services(false)))?
        };
        Ok(Self { operator: Arc::new(operator) })
    }

    /// Sends a request and reads the complete response.
    ///
    /// # Errors
    /// What is no request (a method, path or header that HTTP does not have), or a response that was
    /// cut off. A rejection by the server is a response.
    pub async fn send(&self, request: LocalRequest<'_>, body: Vec<u8>) -> Result<LocalAnswer, BoxError> {
        let body = stream::iter([Ok(body)]).filter(|part: &io::Result<Vec<u8>>| {
            std::future::ready(part.as_ref().is_ok_and(|bytes| !bytes.is_empty()))
        });
        let LocalAnswer { status, headers, mut body } = self.stream(request, body).await?;
        let mut whole = Vec::new();
        while let Some(part) = body.next().await {
            whole.extend(part?);
        }
        Ok(LocalAnswer { status, headers, body: whole })
    }

    /// Sends a request whose body comes in parts, and reads the response as it arrives.
    ///
    /// # Errors
    /// What is no request.
    pub async fn stream(
        &self,
        request: LocalRequest<'_>,
        body: impl Stream<Item = io::Result<Vec<u8>>> + 'static,
    ) -> Result<LocalAnswer<LocalBody>, BoxError> {
        let body = body.map_ok(Bytes::from).map_err(PayloadError::Io).boxed_local();
        let (response, _) =
            respond(&self.operator, request.parts()?, Payload::from(body), Rc::default()).await;
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = response.headers().iter().map(|(name, value)| (name.to_string(), text(value)));
        Ok(LocalAnswer {
            status: response.status().as_u16(),
            headers: headers.collect(),
            body: parts(response.into_body()),
        })
    }
}

impl LocalRequest<'_> {
    /// The request for the HTTP library.
    fn parts(self) -> Result<Request, BoxError> {
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

impl<B> LocalAnswer<B> {
    /// The value of a header; its name in small letters.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The parts of a body, as they come.
fn parts(body: impl MessageBody + 'static) -> LocalBody {
    let mut body = Box::pin(body);
    let parts = stream::poll_fn(move |context| body.as_mut().poll_next(context));
    parts
        .map(|part| match part {
            Ok(bytes) => Ok(bytes.to_vec()),
            Err(error) => Err(BoxError::from(error.into().to_string())),
        })
        .boxed_local()
}
