//! Every reason to refuse a request, with its API-xx code: one row each, and nothing about HTTP.
//!
//! A reason is finer than its code: a closed pay period and a check that may not be modified are
//! both `API-51`. The adapter that speaks HTTP maps each [`Reason`] to a status, exhaustively.

/// Declares [`Reason`] and its table in one place: a new reason is one row.
macro_rules! reasons {
    ($($name:ident, $code:literal, $summary:literal, $resolution:expr;)*) => {
        /// Why a request, or a part of one, is refused.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Reason {
            $(#[doc = concat!("`", $code, "`: ", $summary, ".")] $name,)*
        }

        impl Reason {
            /// Every reason, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The code on the wire, such as `API-46`. Two reasons may share one.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// What went wrong, in general; a violation says it in particular.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$name => $summary,)* }
            }

            /// What the caller can do; absent for `API-59` and `API-44`.
            #[must_use]
            pub const fn resolution(self) -> Option<&'static str> {
                match self { $(Self::$name => $resolution,)* }
            }
        }
    };
}

reasons! {
    Internal, "API-1", "the server failed", Some("Try again; if it goes on, tell the operator the request id.");
    NotAuthorized, "API-2", "the application is not authorized for the resource", Some("Ask the company's administrator to grant the application access.");
    UnknownResource, "API-7", "the resource or status is invalid", Some("Check the path and the ids in it.");
    CompanyLocked, "API-10", "the company is locked because another user or process is updating it", Some("Try again later.");
    AmountOutOfRange, "API-28", "an amount is outside 0.00 to 9999.99", Some("Send an amount from 0.00 to 9999.99.");
    InvalidParameter, "API-40", "a request or query parameter is invalid", Some("Correct the parameter.");
    TooManyChecks, "API-44", "more than 100 checks in one request", None;
    FieldMissing, "API-46", "a required field is missing", Some("Send the field.");
    FieldAmbiguous, "API-47", "a field is ambiguous", Some("Send exactly one of the alternatives.");
    FieldInvalid, "API-48", "a field is invalid", Some("Correct the field.");
    ParameterMissing, "API-49", "a query parameter is missing", Some("Send the parameter.");
    PeriodClosed, "API-51", "the pay period is in a state that does not allow checks to be modified", Some("Use a pay period that is open.");
    CheckNotModifiable, "API-51", "the check is not allowed to be modified", Some("Leave paycheckId out to add a new check.");
    EmptyRequest, "API-52", "the request is empty", Some("Send at least one element.");
    PeriodsDiffer, "API-53", "the checks do not all have the same pay period", Some("Send one request for each pay period.");
    FieldMissingInOne, "API-54", "a required field is missing in one or more of the checks", Some("Send the field in each check.");
    ForeignWorker, "API-55", "the worker does not belong to this company", Some("Use the id of a worker of this company.");
    DuplicateCorrelationId, "API-56", "the correlation id is used more than once", Some("Give each check a correlation id of its own.");
    WorkerTypeUnsupported, "API-57", "the pay component does not support the worker's type", Some("Use a pay component that applies to the worker.");
    MethodUnsupported, "API-59", "the request method is not supported", None;
    ReductionNotAllowed, "API-60", "the pay component cannot be of type REDUCTION", Some("Use a pay component with another effect on pay.");
    ProductNotSetUp, "API-65", "the product is not set up for the company as of the check date of the pay period", Some("Ask the company's administrator to set up the product.");
    CompanyEndDated, "API-68", "the company has been end dated", Some("The company no longer takes part; remove it from your list.");
    RateStartsLater, "API-69", "the pay rate starts after the pay period", Some("Use a rate that has started, or send the rate itself.");
    NoDefaultRate, "API-70", "the worker has no default pay rate", Some("Send payRate or payRateId, or have a default rate set up.");
    NotAcceptable, "API-75", "the vendor media type is invalid", Some("Send an Accept header that names a supported media type.");
    NotAuthenticated, "API-102", "the client could not be authenticated", Some("Get a new token with the application's key and secret.");
    BodyTooSlow, "API-408", "the request body arrived too slowly", Some("Send the whole body in time.");
    Conflict, "API-409", "the request conflicts with another one or with what is stored", Some("Try again when the other request has ended.");
    CursorTooOld, "API-410", "the cursor is too old", Some("Read the resources anew and go on from a new cursor.");
    PreconditionFailed, "API-412", "the resource has changed since it was read", Some("Read it again and send its new ETag.");
    BodyTooLarge, "API-413", "the request body is too large", Some("Send a smaller body.");
    UriTooLong, "API-414", "the request target is too long", Some("Send a shorter path and query.");
    MediaTypeUnsupported, "API-415", "the body's media type is not supported", Some("Send the Content-Type that the description names.");
    IdempotencyKeyReused, "API-422", "the idempotency key was used for another request", Some("Use a new key for a new request.");
    PreconditionRequired, "API-428", "the request needs If-Match", Some("Send the ETag that was read as If-Match.");
    TooManyRequests, "API-429", "too many requests", Some("Wait as long as Retry-After says.");
    HeadersTooLarge, "API-431", "the request headers are too large", Some("Send fewer or shorter headers.");
    Unavailable, "API-503", "the storage is unreachable or too slow", Some("Try again as Retry-After says.");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_api_59_and_api_44_have_no_resolution() {
        for reason in Reason::ALL {
            let without = matches!(reason.code(), "API-59" | "API-44");
            assert_eq!(reason.resolution().is_none(), without, "{reason:?}");
        }
    }
}
