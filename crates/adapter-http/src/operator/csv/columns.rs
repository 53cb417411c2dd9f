//! The columns of a CSV file. Columns are members of the operator API's documents, which the domain
//! describes.

use payroll_domain::company::Communication;
use payroll_domain::description::{Described, Member, MemberShape};
use payroll_domain::worker::{PayRate, Worker};

/// The kind of rows in a CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// Each row is a worker of a company.
    Workers,
    /// Each row is a pay rate of a worker.
    Rates,
    /// Each row is a line of a check, with the hours or the amount of a worker. All checks are for one pay
    /// period.
    Checks,
}

/// A column of a CSV file.
#[derive(Debug, Clone)]
pub(super) struct CsvColumn {
    /// The name: the path of the member, separated by dots.
    pub(super) name: String,
    /// The address, phone number or e-mail address of the worker that contains the value; `None` if the value
    /// belongs to the row's own object.
    pub(super) group: Option<&'static ColumnGroup>,
    /// The member names on the path to the value.
    pub(super) member_path: Vec<&'static str>,
    pub(super) column_type: ColumnType,
}

/// The type of a column's values, if it affects parsing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnType {
    Text,
    Decimal,
    Flag,
}

/// An address, phone number or e-mail address of a worker that has its own columns.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ColumnGroup {
    /// The prefix of the column names.
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) usage: &'static str,
    /// The members that have a column.
    members: &'static [&'static str],
}

const ADDRESS_MEMBERS: &[&str] = &[
    "streetLineOne",
    "streetLineTwo",
    "city",
    "postalCode",
    "postalCodeExtension",
    "countrySubdivisionCode",
    "countryCode",
];
const PHONE_MEMBERS: &[&str] = &["dialCountry", "dialArea", "dialNumber", "dialExtension"];
const EMAIL_MEMBERS: &[&str] = &["uri"];

/// The addresses, phone numbers and e-mail addresses of workers that a file can contain.
static COMMUNICATION_GROUPS: [ColumnGroup; 5] = [
    ColumnGroup { name: "homeAddress", kind: "STREET_ADDRESS", usage: "HOME", members: ADDRESS_MEMBERS },
    ColumnGroup { name: "homePhone", kind: "PHONE", usage: "HOME", members: PHONE_MEMBERS },
    ColumnGroup { name: "mobilePhone", kind: "MOBILE_PHONE", usage: "PERSONAL", members: PHONE_MEMBERS },
    ColumnGroup { name: "personalEmail", kind: "EMAIL", usage: "PERSONAL", members: EMAIL_MEMBERS },
    ColumnGroup { name: "workEmail", kind: "EMAIL", usage: "WORK", members: EMAIL_MEMBERS },
];

/// The columns for lines of checks. Some columns identify the check, and the others are members of the line.
/// All columns are listed here, because the domain does not describe these members.
const CHECK_COLUMNS: &[(&str, &[&str], ColumnType)] = &[
    ("workerId", &["workerId"], ColumnType::Text),
    (CHECK_COLUMN, &["checkCorrelationId"], ColumnType::Text),
    (SECTION_COLUMN, &[SECTION_COLUMN], ColumnType::Text),
    ("componentId", &["componentId"], ColumnType::Text),
    ("payHours", &["payHours"], ColumnType::Decimal),
    ("payRate", &["payRate"], ColumnType::Decimal),
    ("payRateId", &["payRateId"], ColumnType::Text),
    ("payUnits", &["payUnits"], ColumnType::Decimal),
    ("payAmount", &["payAmount"], ColumnType::Decimal),
    ("memoed", &["memoed"], ColumnType::Flag),
    ("lineDate", &["lineDate"], ColumnType::Text),
    ("jobId", &["jobId"], ColumnType::Text),
    ("laborAssignmentId", &["laborAssignmentId"], ColumnType::Text),
    ("organization.organizationId", &["organization", "organizationId"], ColumnType::Text),
];
/// The column whose value distinguishes several checks of a worker.
pub(super) const CHECK_COLUMN: &str = "check";
/// The column with the section of a line: earnings, deductions or informational lines.
pub(super) const SECTION_COLUMN: &str = "section";

impl RowKind {
    /// All kinds of rows that a CSV file can contain.
    pub const ALL: [Self; 3] = [Self::Workers, Self::Rates, Self::Checks];

    /// Returns the kind with this name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Returns the columns in the order of the documentation.
    pub(super) fn columns(self) -> Vec<CsvColumn> {
        let mut columns = Vec::new();
        match self {
            Self::Workers => {
                add_member_columns(&mut columns, Worker::MEMBERS, &[]);
                for group in &COMMUNICATION_GROUPS {
                    let all =
                        Communication::MEMBERS.iter().filter(|member| group.members.contains(&member.name));
                    columns.extend(all.map(|member| CsvColumn {
                        name: format!("{}.{}", group.name, member.name),
                        group: Some(group),
                        member_path: vec![member.name],
                        column_type: ColumnType::Text,
                    }));
                }
            }
            Self::Rates => {
                columns.push(CsvColumn::for_ungrouped_member(&["workerId"], ColumnType::Text));
                add_member_columns(&mut columns, PayRate::MEMBERS, &[]);
            }
            Self::Checks => columns.extend(CHECK_COLUMNS.iter().map(|(name, way, holds)| CsvColumn {
                name: (*name).to_owned(),
                group: None,
                member_path: way.to_vec(),
                column_type: *holds,
            })),
        }
        columns
    }

    /// Returns the columns that a file must contain.
    pub(super) const fn required_columns(self) -> &'static [&'static str] {
        match self {
            Self::Workers | Self::Rates => &["workerId"],
            Self::Checks => &["workerId", "componentId"],
        }
    }

    /// Returns the name of the kind: the plural of its rows, such as `workers`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Workers => "workers",
            Self::Rates => "rates",
            Self::Checks => "checks",
        }
    }
}

impl CsvColumn {
    fn for_ungrouped_member(member_path: &[&'static str], column_type: ColumnType) -> Self {
        Self { name: member_path.join("."), group: None, member_path: member_path.to_vec(), column_type }
    }
}

/// Adds a column for each member with a single value. Lists have no column.
fn add_member_columns(
    columns: &mut Vec<CsvColumn>,
    members: &'static [Member],
    parent_path: &[&'static str],
) {
    for member in members {
        let member_path = [parent_path, &[member.name]].concat();
        let below = |name: &'static str| [member_path.as_slice(), &[name]].concat();
        match (member.shape)() {
            MemberShape::Objects(_)
            | MemberShape::Words(_)
            | MemberShape::Texts(_)
            | MemberShape::AccountNumber => {}
            MemberShape::Object(members) => add_member_columns(columns, members, &member_path),
            MemberShape::Reference(id) => {
                columns.push(CsvColumn::for_ungrouped_member(&below(id), ColumnType::Text))
            }
            MemberShape::TaxIdentity => {
                columns.extend(
                    ["legalIdType", "legalIdValue"]
                        .map(|name| CsvColumn::for_ungrouped_member(&below(name), ColumnType::Text)),
                );
            }
            MemberShape::Flag => {
                columns.push(CsvColumn::for_ungrouped_member(&member_path, ColumnType::Flag))
            }
            MemberShape::SignedQuantity
            | MemberShape::Amount
            | MemberShape::Rate
            | MemberShape::Quantity
            | MemberShape::Number
            | MemberShape::Place(_)
            | MemberShape::Count(_) => {
                columns.push(CsvColumn::for_ungrouped_member(&member_path, ColumnType::Decimal));
            }
            MemberShape::Id | MemberShape::Text(_) | MemberShape::Enumeration(_) | MemberShape::Date => {
                columns.push(CsvColumn::for_ungrouped_member(&member_path, ColumnType::Text));
            }
        }
    }
}
