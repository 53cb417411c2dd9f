//! Which role may call an operation, and what a key that is restricted to companies reaches (specification §10.1).
//!
//! The table of paths declares both for each operation. This is the only place that checks them, before the
//! handler is called.

use payroll_domain::code::Reason;
use payroll_domain::id::CompanyId;
use payroll_domain::operator_key::OperatorRole;
use payroll_domain::violation::Violation;

use super::call::OperatorCaller;
use crate::shared::error::Failure;
use crate::shared::route_table::PathIds;

use OperatorRole::{Administrator, Auditor, Payroll, Support};

/// What an operation is about. With whether it writes, that decides the roles that may call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Area {
    /// Companies and their lists, applications, hooks, keys and the server.
    Administration,
    /// Workers, pay periods and checks.
    Payroll,
    /// Documents with personal data that are not masked for support.
    PersonalData,
    /// Pay, accounts, contacts, addresses and files of workers.
    WorkerDetails,
    /// Tax identities in full, of a complete company.
    Export,
    /// Tests and replays of notifications.
    Deliveries,
    /// The session of the caller.
    OwnSession,
}

impl Area {
    /// The roles that may call an operation of the area, one that writes or one that reads.
    pub(crate) const fn roles(self, writes: bool) -> &'static [OperatorRole] {
        match (self, writes) {
            (Self::OwnSession, _) | (Self::Administration | Self::Payroll | Self::Deliveries, false) => {
                OperatorRole::ALL
            }
            (Self::PersonalData | Self::WorkerDetails, false) => &[Administrator, Payroll, Auditor],
            (Self::Payroll | Self::WorkerDetails, true) | (Self::Export, _) => &[Administrator, Payroll],
            (Self::Deliveries, true) => &[Administrator, Support],
            (Self::Administration | Self::PersonalData, true) => &[Administrator],
        }
    }
}

/// What a key that is restricted to companies gets from an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The operation is of the company in the path: another one does not exist for the key.
    Company,
    /// The operation shows several companies: its handler leaves out those that the key does not reach
    /// ([`OperatorCall::within`](super::call::OperatorCall::within)).
    Filtered,
    /// The operation is of no company: 403.
    Server,
    /// The operation is of the caller alone.
    Caller,
}

/// Lets a caller pass who may call the operation.
///
/// # Errors
/// 403 API-2 for another role, and for what is of no company with a restricted key; 404 API-7 for a company
/// that the key does not reach.
pub(super) fn check(
    (roles, reach): (&[OperatorRole], Reach),
    caller: &OperatorCaller,
    ids: &PathIds,
) -> Result<(), Failure> {
    if !roles.contains(&caller.role) {
        return Err(refused(needed(roles, caller.role)));
    }
    match (reach, &caller.company_ids) {
        (_, None) | (Reach::Filtered | Reach::Caller, Some(_)) => Ok(()),
        (Reach::Server, Some(_)) => Err(refused(NOT_OF_A_COMPANY.to_owned())),
        (Reach::Company, Some(reached)) => match ids.get("companyId") {
            Some::<CompanyId>(company_id) if reached.contains(&company_id) => Ok(()),
            _ => Err(Reason::UnknownResource.into()),
        },
    }
}

/// What a restricted key gets from operations of no company.
const NOT_OF_A_COMPANY: &str =
    "the operation is not of one company, and the operator key is restricted to companies";

fn needed(roles: &[OperatorRole], role: OperatorRole) -> String {
    let names: Vec<_> = roles.iter().map(|role| role.as_str()).collect();
    let names = match names.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        one => one.concat(),
    };
    format!("the operation needs the role {names}. The operator key has the role {role}")
}

fn refused(description: String) -> Failure {
    Violation::new(Reason::RoleForbids, description).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refusal_names_the_needed_roles_and_the_own_one() {
        assert_eq!(
            needed(Area::Payroll.roles(true), Auditor),
            "the operation needs the role administrator or payroll. The operator key has the role auditor"
        );
    }

    #[test]
    fn an_administrator_may_do_everything_and_an_auditor_writes_nothing_but_the_own_session() {
        use Area::{Administration, Deliveries, Export, OwnSession, PersonalData, WorkerDetails};
        let all =
            [Administration, Area::Payroll, PersonalData, WorkerDetails, Export, Deliveries, OwnSession];
        for area in all {
            for writes in [true, false] {
                assert!(area.roles(writes).contains(&Administrator), "{area:?}");
            }
            assert_eq!(area.roles(true).contains(&Auditor), area == OwnSession, "{area:?}");
        }
    }
}
