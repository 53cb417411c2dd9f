//! The permissions of operators: the roles that may call an operation, and the companies that a restricted
//! key can access (specification §10.1).
//!
//! The table of paths declares the roles and the restriction of each operation. Only this module verifies
//! these permissions, before the handler is called.

use payroll_domain::code::Reason;
use payroll_domain::id::CompanyId;
use payroll_domain::operator_key::OperatorRole;
use payroll_domain::violation::Violation;

use super::call::OperatorCaller;
use crate::shared::error::Failure;
use crate::shared::route_table::PathIds;

use OperatorRole::{Administrator, Auditor, Payroll, Support};

/// The subject of an operation. The area and the kind of access (read or write) determine the permitted
/// roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PermissionArea {
    /// Operations on companies and their lists, applications, hooks, keys, and the server.
    Administration,
    /// Operations on workers, pay periods and checks.
    Payroll,
    /// Operations on documents with personal data that are not masked for support staff.
    PersonalData,
    /// Operations on pay, accounts, contacts, addresses and files of workers.
    WorkerDetails,
    /// The export of a company, which contains full tax identities.
    Export,
    /// Operations that test or replay notifications.
    Deliveries,
    /// Operations on the caller's own session, such as signing out.
    OwnSession,
}

impl PermissionArea {
    /// Returns the roles that may call an operation of this area. `writes` is `true` for an operation that
    /// writes.
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

/// The data that an operation concerns, which determines whether a key that is restricted to companies may
/// call the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompanyRestriction {
    /// The operation concerns the company in the path. For a company that the key cannot access, the result
    /// is 404.
    Company,
    /// The operation covers several companies. Its handler omits the companies that the key cannot access
    /// ([`OperatorCall::visible_companies`](super::call::OperatorCall::visible_companies)).
    VisibleCompanies,
    /// The operation concerns the entire server. A restricted key gets 403.
    Server,
    /// The operation concerns only the caller.
    Caller,
}

/// Verifies that the caller may call the operation.
///
/// # Errors
/// 403 API-2 for a role that is not permitted, and for a restricted key if the operation concerns the server.
/// 404 API-7 if a restricted key cannot access the company.
pub(super) fn check_permission(
    (roles, restriction): (&[OperatorRole], CompanyRestriction),
    caller: &OperatorCaller,
    ids: &PathIds,
) -> Result<(), Failure> {
    if !roles.contains(&caller.role) {
        return Err(forbidden_failure(missing_role_message(roles, caller.role)));
    }
    match (restriction, &caller.company_ids) {
        (_, None) | (CompanyRestriction::VisibleCompanies | CompanyRestriction::Caller, Some(_)) => Ok(()),
        (CompanyRestriction::Server, Some(_)) => Err(forbidden_failure(UNRESTRICTED_KEY_MESSAGE.to_owned())),
        (CompanyRestriction::Company, Some(reached)) => match ids.get("companyId") {
            Some::<CompanyId>(company_id) if reached.contains(&company_id) => Ok(()),
            _ => Err(Reason::UnknownResource.into()),
        },
    }
}

/// The error for a restricted key if the operation concerns the server.
const UNRESTRICTED_KEY_MESSAGE: &str =
    "the operation applies to the complete server, but the operator key is restricted to companies";

fn missing_role_message(roles: &[OperatorRole], role: OperatorRole) -> String {
    let names: Vec<_> = roles.iter().map(|role| role.as_str()).collect();
    let names = match names.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        one => one.concat(),
    };
    format!("the operation needs the role {names}. The operator key has the role {role}")
}

pub(super) fn forbidden_failure(description: String) -> Failure {
    Violation::new(Reason::RoleForbids, description).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rejection_names_the_required_roles_and_the_role_of_the_key() {
        assert_eq!(
            missing_role_message(PermissionArea::Payroll.roles(true), Auditor),
            "the operation needs the role administrator or payroll. The operator key has the role auditor"
        );
    }

    #[test]
    fn administrators_may_do_everything_and_auditors_only_write_their_session() {
        use PermissionArea::{Administration, Deliveries, Export, OwnSession, PersonalData, WorkerDetails};
        let all = [
            Administration,
            PermissionArea::Payroll,
            PersonalData,
            WorkerDetails,
            Export,
            Deliveries,
            OwnSession,
        ];
        for area in all {
            for writes in [true, false] {
                assert!(area.roles(writes).contains(&Administrator), "{area:?}");
            }
            assert_eq!(area.roles(true).contains(&Auditor), area == OwnSession, "{area:?}");
        }
    }
}
