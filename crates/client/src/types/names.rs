//! Enumerations of the API. Each enumeration has a variant for values that this version of the client does
//! not know.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Declares an enumeration of text values, with the variant `Other` for unknown values.
macro_rules! text_enum {
    ($($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $text:literal,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$about])* $variant,)+
            /// A value that this version of the client does not know.
            Other(String),
        }

        impl $name {
            /// Returns the value as the API writes it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)+
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Ok(Self::from(String::deserialize(deserializer)?.as_str()))
            }
        }
    )+};
}

text_enum! {
    /// The state of a pay period. Only [`Initial`](Self::Initial) and [`Entry`](Self::Entry) accept checks.
    PeriodStatus {
        /// The pay period is open and has no checks.
        Initial = "INITIAL",
        /// The pay period is open and has checks.
        Entry = "ENTRY",
        /// The pay period is being processed.
        Processing = "PROCESSING",
        /// The pay period is processed and released.
        Released = "RELEASED",
        /// The pay period is processed and completed.
        Completed = "COMPLETED",
        /// The pay period was completed by another system.
        CompletedByMec = "COMPLETED_BY_MEC",
        /// The checks of the pay period were reissued.
        Reissued = "REISSUED",
        /// The checks of the pay period were reversed.
        Reversed = "REVERSED",
    }

    /// The effect of a pay component on pay.
    EffectOnPay {
        /// The component adds to the pay.
        Addition = "ADDITION",
        /// The component adds an amount to the pay and subtracts the same amount again.
        AdditionWithInOut = "ADDITION_WITH_IN_OUT",
        /// The component is informational and does not change the pay.
        EmployerInformational = "EMPLOYER_INFORMATIONAL",
        /// The component reduces the pay.
        Reduction = "REDUCTION",
    }

    /// The relationship of a worker to the company.
    WorkerType {
        /// The worker is an employee.
        Employee = "EMPLOYEE",
        /// The worker is a contractor.
        Contractor = "CONTRACTOR",
        /// The worker is an independent contractor.
        IndependentContractor = "INDEPENDENT_CONTRACTOR",
    }

    /// The state of the employment of a worker.
    WorkerState {
        /// The worker works for the company.
        Active = "ACTIVE",
        /// The worker is on leave.
        Inactive = "INACTIVE",
        /// The employment has ended.
        Terminated = "TERMINATED",
        /// The employment has not begun.
        Pending = "PENDING",
        /// The data of the worker is incomplete.
        InProgress = "IN_PROGRESS",
    }

    /// The event domain: the kind of data whose change an event or notification reports.
    EventDomain {
        /// A worker was added or deleted.
        WorkerAdded = "WRKR_ADD",
        /// The personal data of a worker changed.
        WorkerDemographics = "WRKR_DEM",
        /// The employment of a worker changed.
        WorkerEmployment = "WRKR_EMPL",
        /// The tax settings of a worker changed.
        WorkerTaxes = "WRKR_TAX",
        /// The assignment of a worker changed.
        WorkerAssignment = "WRKR_ASGN",
        /// The compensation of a worker changed.
        WorkerCompensation = "WRKR_CMP",
        /// The data of a company changed.
        CompanyDemographics = "CLT_DEM",
        /// The organizational units of a company changed.
        CompanyOrganizations = "CLT_ORG",
        /// The products of a company changed.
        CompanyProducts = "CLT_PROD",
        /// The access of your application to a company changed.
        CompanyAccess = "CLT_ACCESS",
        /// A pay period was completed.
        PayRun = "CLT_PYRN",
    }

    /// The kind of a change that an event reports.
    EventAction {
        /// The object was added.
        Add = "ADD",
        /// The object was changed.
        Update = "UPDATE",
        /// The object was deleted.
        Delete = "DELETE",
    }

    /// The method by which the server authenticates at the receiver of a hook.
    AuthType {
        /// A user name and a password.
        Basic = "BASIC_AUTH",
        /// An API key in a header of each request.
        ApiKey = "APIKEY",
        /// An OAuth token. The server sends its credentials in the query of the token request.
        OAuth2 = "OAUTH2",
        /// An OAuth token. The server sends its credentials in the header of the token request.
        OAuth2Basic = "OAUTH2_BASIC",
    }
}
