//! Responses to partners' GET requests. The entity tags of these responses depend on the application and its
//! permissions.

use payroll_domain::access::Access;
use payroll_domain::date::Date;

use super::call::PartnerCall;
use crate::shared::etag::{EntityTag, EtagInputs};
use crate::shared::response::GetResponse;

impl<'a> GetResponse<'a> {
    /// Creates a response with this media type. `stored` is the version of the stored data.
    pub(crate) fn new(call: &'a PartnerCall, access: &Access, media_type: &'a str, stored: i64) -> Self {
        Self::with_day(call, access, media_type, stored, None)
    }

    /// Creates a response like [`Self::new`]. If `day` is set, the response depends on the current day.
    pub(crate) fn with_day(
        call: &'a PartnerCall,
        access: &Access,
        media_type: &'a str,
        stored: i64,
        day: Option<Date>,
    ) -> Self {
        let incoming = &call.incoming;
        let base = incoming.base_url();
        let target = format!("{}?{}", incoming.path(), incoming.raw_query());
        let tag = EntityTag::new(&EtagInputs {
            stored_version: stored,
            day,
            application: call.caller.application_id.as_str(),
            access: access.version,
            scopes: call.caller.scopes,
            base: &base,
            target: &target,
            media_type,
        });
        Self::with_etag(incoming, media_type, tag)
    }
}
