//! The permissions of applications at the time when their deliveries are claimed. A separate statement reads
//! the permissions, since applications may be on another node than deliveries.

use std::collections::{BTreeSet, HashMap, HashSet};

use futures_util::try_join;

use super::super::super::{Conn, dialect};
use crate::columns::query_row;
use crate::error::Outcome;
use crate::rows::deliveries::ClaimedRow;
use crate::statement::query;

query_row! {
    /// The scopes of an application for a company.
    #[derive(Debug)]
    struct GrantedRow {
        application_id: String,
        company_id: String,
        scopes: String,
    }
}

/// The permissions of the applications of claimed deliveries.
pub(super) struct ApplicationPermissions {
    enabled_applications: HashSet<String>,
    /// The scopes of a grant, by application and company.
    granted_scopes: HashMap<(String, String), String>,
}

impl ApplicationPermissions {
    pub(super) async fn load(conn: &Conn, rows: &[Vec<ClaimedRow>]) -> Outcome<Self> {
        const SELECT_ENABLED_APPLICATIONS: &str = concat!(
            "SELECT application_id FROM applications WHERE enabled AND application_id",
            dialect::equals_any!("$1")
        );
        const SELECT_GRANTS: &str = concat!(
            "SELECT application_id, company_id, scopes FROM grants WHERE application_id",
            dialect::equals_any!("$1"),
            " AND company_id",
            dialect::equals_any!("$2")
        );
        let rows = || rows.iter().flatten();
        let applications: BTreeSet<&str> = rows().map(ClaimedRow::application_id).collect();
        let companies: BTreeSet<&str> = rows().filter_map(ClaimedRow::company_id).collect();
        if applications.is_empty() {
            return Ok(Self { enabled_applications: HashSet::new(), granted_scopes: HashMap::new() });
        }
        let [applications, companies] = [applications, companies].map(dialect::bind_list);
        let (enabled, granted) = try_join!(
            conn.query_rows::<(String,)>(query!(SELECT_ENABLED_APPLICATIONS, [applications.clone()])),
            conn.query_rows::<GrantedRow>(query!(SELECT_GRANTS, [applications, companies]))
        )?;
        let granted = granted.into_iter().map(|row| ((row.application_id, row.company_id), row.scopes));
        Ok(Self {
            enabled_applications: enabled.into_iter().map(|(id,)| id).collect(),
            granted_scopes: granted.collect(),
        })
    }

    /// Returns the granted scopes for the company of a delivery. `None` if the application has been disabled
    /// in the meantime.
    pub(super) fn find_granted_scopes(&self, row: &ClaimedRow) -> Option<&str> {
        let application = self.enabled_applications.get(row.application_id())?;
        let company = row.company_id().unwrap_or_default().to_owned();
        Some(self.granted_scopes.get(&(application.clone(), company)).map_or("", String::as_str))
    }
}
