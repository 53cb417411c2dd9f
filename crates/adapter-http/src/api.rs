//! What every request of one listener shares, whoever calls: the ports, the settings, and what is
//! made of the settings once.

use std::net::SocketAddr;
use std::sync::Arc;

use actix_web::http::header::HeaderName;
use payroll_domain::date::{Date, Timestamp};
use payroll_ports::{Clock, Randomness, Store};

use crate::request_id::RequestIds;
use crate::settings::{HttpSettings, InvalidSetting};
use crate::stream::Streams;

/// What a listener is given from outside.
pub(crate) struct Outside {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) randomness: Arc<dyn Randomness>,
}

/// What the requests of one listener share.
pub(crate) struct Api {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) randomness: Arc<dyn Randomness>,
    pub(crate) settings: HttpSettings,
    pub(crate) request_ids: RequestIds,
    pub(crate) headers: HeaderNames,
    /// The address that is listened on: what links begin with where nothing better is known.
    pub(crate) address: SocketAddr,
    pub(crate) streams: Streams,
}

/// The headers whose names are settings.
pub(crate) struct HeaderNames {
    pub(crate) request_id: HeaderName,
    pub(crate) correlation: HeaderName,
    pub(crate) notification: HeaderName,
}

impl Api {
    /// Prepares what requests share.
    ///
    /// # Errors
    /// [`InvalidSetting`].
    pub(crate) fn new(
        outside: Outside,
        settings: HttpSettings,
        address: SocketAddr,
    ) -> Result<Self, InvalidSetting> {
        let Outside { store, clock, randomness } = outside;
        settings.check()?;
        Ok(Self {
            request_ids: RequestIds::new(randomness.as_ref()),
            headers: HeaderNames {
                request_id: header_name("request_id_header", &settings.request_id_header)?,
                notification: header_name("notification_header", &settings.notification_header)?,
                correlation: header_name("correlation_header", &settings.correlation_header)?,
            },
            streams: Streams::new(settings.max_streams, settings.stream_timeout),
            address,
            store,
            clock,
            randomness,
            settings,
        })
    }

    /// The present instant.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The present day in UTC.
    pub(crate) fn today(&self) -> Date {
        self.clock.now().date()
    }
}

fn header_name(setting: &'static str, text: &str) -> Result<HeaderName, InvalidSetting> {
    let problem = "is no name of a header";
    HeaderName::from_bytes(text.as_bytes()).map_err(|_| InvalidSetting { setting, problem })
}
