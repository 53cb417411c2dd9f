//! Every reason to reject a request, with its `API-…` code. Each reason is one row of a table. The table does
//! not depend on HTTP.
//!
//! Two reasons may share a code: a closed pay period and a check that must not be modified are both `API-51`.
//! Each reason has a [`ReasonKind`]. The HTTP adapter maps each kind to a status with an exhaustive match. To
//! add a reason of an existing kind, add one row here.

/// Declares [`Reason`] and its table of codes together, so that a new reason needs only one row.
macro_rules! declare_reasons {
    ($($name:ident, $code:literal, $kind:ident, $summary:literal, $resolution:expr;)*) => {
        /// The reason why a request, or a part of a request, is rejected.
        ///
        /// A release that adds reasons is a breaking release. The enum is exhaustive on purpose: code that
        /// matches it does not compile until it handles the new reason. Code that does not need each reason
        /// compares [`code`](Self::code) or [`kind`](Self::kind).
        ///
        /// ```
        /// use payroll_domain::code::{ReasonKind, Reason};
        /// let reason = Reason::NoDefaultRate;
        /// assert_eq!((reason.code(), reason.kind()), ("API-70", ReasonKind::Fault));
        /// assert_eq!(reason.summary(), "no rate is given and the worker has no default rate");
        /// assert_eq!(Reason::TooManyChecks.resolution(), None);
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Reason {
            $(#[doc = concat!("`", $code, "`: ", $summary, ".")] $name,)*
        }

        impl Reason {
            /// Every reason, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the code in the response, such as `API-46`. Two reasons may have the same code.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// Returns the kind of the error, which determines the HTTP status.
            #[must_use]
            pub const fn kind(self) -> ReasonKind {
                match self { $(Self::$name => ReasonKind::$kind,)* }
            }

            /// Returns the general description of the error. The description of a violation adds details
            /// such as the invalid member.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$name => $summary,)* }
            }

            /// Returns the advice for the caller. `None` for the reasons with the codes `API-59` and
            /// `API-44`.
            #[must_use]
            pub const fn resolution(self) -> Option<&'static str> {
                match self { $(Self::$name => $resolution,)* }
            }
        }
    };
}

declare_reasons! {
    Internal, "API-1", Failed, "the server failed", Some("Retry the request. If the error persists, report the request id to the operator.");
    NotAuthorized, "API-2", Forbidden, "the application has no permission for the resource", Some("Ask the company's administrator to grant the application access.");
    SameOperator, "API-2", Forbidden, "an operator cannot approve a completion that they have requested", Some("Ask another operator to approve the completion.");
    CsrfProofMissing, "API-2", Forbidden, "the request does not prove that it comes from the console", Some("Send the request from a page of this server, with the csrfToken of the session in the header X-CSRF-Token.");
    RoleForbids, "API-2", Forbidden, "the role or the companies of the operator key do not permit the operation", Some("Use an operator key that has one of the roles in the description and is not restricted to companies, or ask an administrator for one.");
    UnknownResource, "API-7", Unknown, "there is no such resource or status", Some("Check the path and the ids in the request.");
    CompanyLocked, "API-10", Locked, "another user or process is updating the company", Some("Retry later, with a longer pause after each attempt.");
    NotChangeable, "API-5", Fault, "a member cannot be changed", Some("Omit the member. To use another bank \
        account, add a new direct deposit.");
    TextTooLong, "API-6", Fault, "a text is too long or contains control characters", Some("Shorten the text that the pointer names, and remove control characters.");
    EmailInvalid, "API-13", Fault, "an e-mail address is missing or invalid", Some("Send the e-mail address in the member uri, such as name@example.org.");
    TelephoneInvalid, "API-14", Fault, "a telephone number is missing or invalid", Some("Send the telephone number in dialNumber, and its other parts as described in the API reference.");
    StreetInvalid, "API-15", Fault, "a street is missing or invalid", Some("Send the street in streetLineOne.");
    StateForbids, "API-19", Fault, "the state of the worker or check does not allow the \
        request", Some("Read the worker's currentStatus or the status of the check's pay period, and wait \
        until it allows the change.");
    DateNotToday, "API-20", Fault, "the date must be today", Some("Send today's date (UTC), or omit the field.");
    NotDeletable, "API-25", Fault, "the object cannot be deleted", Some("Change the object instead of deleting it.");
    AlreadyUsed, "API-26", Fault, "the worker already has an object with the same key", Some("Change the existing object, or choose another value.");
    RateTypeInvalid, "API-27", Fault, "the rate type is invalid", Some("Send one of the rate types that the description lists.");
    RateAmountInvalid, "API-28", Fault, "the amount of a pay rate, or the value of a recurring component or direct deposit, is invalid", Some("Send a decimal of at least 0 with at most four decimal places. The value of a direct deposit must be more than 0. A flat amount has at most two decimal places, and the percentages of a worker are at most 100 together.");
    AmountOutOfRange, "API-28", Fault, "an amount is outside 0.00 to 9999.99", Some("Send an amount from 0.00 to 9999.99.");
    RoutingNumberMissing, "API-29", Fault, "the routing number is missing", Some("Send the routing number of the bank.");
    RoutingNumberInvalid, "API-30", Fault, "the routing number is invalid", Some("Correct the digits of the routing number, whose checksum is wrong.");
    RoutingNumberLength, "API-31", Fault, "the routing number is not nine digits", Some("Send the nine digits of the routing number.");
    IdOrDateInvalid, "API-34", Fault, "an id or a date is invalid", Some("Use the same id as in the path, write dates as 2026-05-04, and send an end date that is not before the start date.");
    StartsTooLate, "API-35", Fault, "the start date is too late", Some("Send a date at most one year after today.");
    DepositsNotSetUp, "API-36", Fault, "the company is not set up for direct deposits", Some("Ask the company's administrator to set up the PAYROLL product.");
    StartsTooEarly, "API-37", Fault, "the start date is too early", Some("Send today's date or a later date. The start date of a stored object can only move to a later day.");
    RemainderTaken, "API-38", Fault, "another direct deposit of the worker gets the remainder", Some("Send an amount or a percentage, or delete the other direct deposit.");
    InvalidParameter, "API-40", Fault, "a parameter of the request is invalid", Some("Correct the value that the description names, or omit it if it is optional.");
    DepositTypeInvalid, "API-40", Fault, "the type of a direct deposit is invalid", Some("Send one of the types that the description lists.");
    TooManyChecks, "API-44", TooLarge, "the request has more than 100 checks", None;
    TooManyWorkers, "API-44", TooLarge, "the request has more than 100 workers", None;
    StartsLater, "API-45", NotYet, "the object has not started yet", Some("Delete the object on or after \
        its start date, or change it now.");
    FieldMissing, "API-46", Fault, "a required field is missing", Some("Add the field that the pointer names.");
    ContentInvalid, "API-46", Fault, "the content of a file is missing or is not base64", Some("Send the bytes of the file in base64 with padding (RFC 4648), without line breaks.");
    FieldAmbiguous, "API-47", Fault, "a field is ambiguous", Some("Send exactly one of the fields that the description names.");
    FieldInvalid, "API-48", Fault, "a field is invalid", Some("Replace the value that the pointer names by one that the description allows.");
    ParameterMissing, "API-49", Fault, "a query parameter is missing", Some("Add the query parameter that the description names.");
    PeriodClosed, "API-51", Fault, "the pay period is not open for checks", Some("Use a pay period with the status INITIAL or ENTRY.");
    CheckNotModifiable, "API-51", NotAllowed, "this operation cannot change an existing check", Some("Omit paycheckId to add a new check.");
    EmptyRequest, "API-52", Fault, "the request is empty", Some("Send a body with at least one element or \
        member.");
    PeriodsDiffer, "API-53", Fault, "the checks name different pay periods", Some("Send one request for each pay period.");
    FieldMissingInOne, "API-54", Fault, "a required field is missing in at least one check", Some("Add the \
        field to each check that a pointer names.");
    ForeignWorker, "API-55", Fault, "the worker does not belong to this company", Some("Use a worker id from GET /companies/{companyId}/workers.");
    DuplicateCorrelationId, "API-56", Fault, "the correlation id is used more than once", Some("Give each check or worker of the request its own correlation id.");
    WorkerTypeUnsupported, "API-57", Fault, "the pay component is not for workers of this type", Some("Use a pay component for the worker's type.");
    MethodUnsupported, "API-59", NotAllowed, "the request method is not supported", None;
    ReductionNotAllowed, "API-60", Fault, "a component that reduces pay cannot be added", Some("Use a pay component that adds to pay.");
    FileTypeUnsupported, "API-62", Fault, "the type of a file is not supported", Some("Send a PDF, PNG, \
        JPEG, plain text or CSV file. A profile image must be PNG or JPEG. The server determines the type \
        from the content, not from the name.");
    FileNameInvalid, "API-63", Fault, "the name of a document is missing or invalid", Some("Send a file name such as Diploma.pdf, without a path, reserved characters or hidden characters.");
    ProductNotSetUp, "API-65", Fault, "the company lacks the product on the pay period's check date", Some("Ask the company's administrator to set up the product.");
    DocumentCategoryUnknown, "API-66", Fault, "the category of a document is unknown", Some("Send the id of a category from GET /companies/{companyId}/documentcategories.");
    SupervisorEnds, "API-67", Fault, "a worker who supervises others cannot be terminated", Some("First assign another supervisor to the workers that the description names.");
    CompanyEndDated, "API-68", Forbidden, "the end date of the company has passed", Some("Stop sending \
        requests for this company. It no longer uses this service.");
    RateStartsLater, "API-69", Fault, "the pay rate starts after the pay period", Some("Use a rate that starts in or before the pay period, or send payRate.");
    NoDefaultRate, "API-70", Fault, "no rate is given and the worker has no default rate", Some("Send payRate or payRateId, or add a default rate to the worker.");
    DatesOverlap, "API-71", Fault, "the dates overlap those of another object", Some("Send dates that do not overlap, or change the other object first.");
    CalculationBaseInvalid, "API-72", Fault, "the calculation base is missing or invalid", Some("Send the id of a calculation base, which every calculationType but FLAT_DOLLAR_AMOUNT requires.");
    NotAcceptable, "API-75", NotAcceptable, "the Accept header contains no supported media \
        type", Some("Send an Accept header that names a supported media type.");
    NotAuthenticated, "API-102", NotAuthenticated, "the application could not be authenticated", Some("Request a new token with the application's key and secret. Operators send their operator key.");
    BodyTooSlow, "API-408", TooSlow, "the request body arrived too slowly", Some("Send the complete body within the time limit.");
    Conflict, "API-409", Conflict, "the request conflicts with another request or with the stored data", Some("Read the stored object, resolve the conflict that the description names, and retry.");
    TwoOperatorsNeeded, "API-409", Conflict, "this server requires two operators to complete a pay period", Some("Request the completion, and ask another operator to approve the request.");
    CursorTooOld, "API-410", Gone, "the cursor is too old", Some("Read the resources again, and continue with a new cursor.");
    ChecksArchived, "API-410", Gone, "the checks of the pay period were archived", Some("Ask the operator for the archive of the pay period.");
    PreconditionFailed, "API-412", PreconditionFailed, "the resource has changed since it was read", Some("Read the resource again, and send its new ETag in If-Match.");
    BodyTooLarge, "API-413", TooLarge, "the request body is too large", Some("Send a body within the limit that the description names.");
    UriTooLong, "API-414", UriTooLong, "the request target is too long", Some("Shorten the path and the query.");
    MediaTypeUnsupported, "API-415", MediaTypeUnsupported, "the body's media type is not supported", Some("Send one of the Content-Type values that the description names.");
    IdempotencyKeyReused, "API-422", KeyReused, "the idempotency key was used for another request", Some("Send a new idempotency key with each new request.");
    PreconditionRequired, "API-428", PreconditionRequired, "the request needs If-Match", Some("Send the ETag of the resource in If-Match.");
    TooManyRequests, "API-429", TooMany, "too many requests", Some("Wait for the number of seconds in the header Retry-After, then retry.");
    HeadersTooLarge, "API-431", HeadersTooLarge, "the request headers are too large", Some("Send fewer or shorter headers.");
    Unavailable, "API-503", Unavailable, "the server is overloaded, or its database is \
        unavailable", Some("Wait for the number of seconds in the header Retry-After, then retry.");
}

/// The kind of an error. The HTTP adapter chooses the status of the response by the kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReasonKind {
    /// The request contains an invalid value. All rules for checks report reasons of this kind, except the
    /// rule that rejects the id of a stored check.
    Fault,
    /// The caller is not authenticated.
    NotAuthenticated,
    /// The caller is authenticated but lacks the permission.
    Forbidden,
    /// The resource in the path does not exist.
    Unknown,
    /// The resource exists but does not support the method of the request.
    NotAllowed,
    /// No representation matches the `Accept` header.
    NotAcceptable,
    /// The body did not arrive in time.
    TooSlow,
    /// The request conflicts with another request or with the stored state.
    Conflict,
    /// The resource existed but was deleted.
    Gone,
    /// The version of the resource is not the version that the caller expects.
    PreconditionFailed,
    /// The request exceeds a size limit.
    TooLarge,
    /// The request target is too long.
    UriTooLong,
    /// The media type of the body is not supported.
    MediaTypeUnsupported,
    /// The idempotency key was already used for a different request.
    KeyReused,
    /// The requested change is not allowed before a certain date.
    NotYet,
    /// The company is locked, and the caller does not hold the lock.
    Locked,
    /// The request does not contain the expected version, but this operation requires it.
    PreconditionRequired,
    /// The caller exceeded the rate limit.
    TooMany,
    /// The headers of the request are too large.
    HeadersTooLarge,
    /// A bug in the server, or an invalid stored row.
    Failed,
    /// The storage is temporarily unavailable.
    Unavailable,
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
