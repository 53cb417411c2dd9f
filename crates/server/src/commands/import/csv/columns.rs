//! The columns that a CSV file may have: the members of the documents that the operator API takes, as the domain
//! describes them.

use clap::ValueEnum;
use payroll_domain::company::Communication;
use payroll_domain::description::{Described, Member, Shape};
use payroll_domain::worker::{PayRate, Worker};

/// What the rows of a CSV file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CsvKind {
    /// Workers of a company.
    Workers,
    /// Pay rates of workers.
    Rates,
}

/// A column.
#[derive(Debug, Clone)]
pub(super) struct Column {
    /// Its name: the way to the member, with dots.
    pub(super) name: String,
    /// Where its value stands: in the row's own object, or in that of an address or number of the worker.
    pub(super) group: Option<&'static Group>,
    /// The names of the members on the way to the value.
    pub(super) way: Vec<&'static str>,
    pub(super) holds: Holds,
}

/// What a column holds, as far as it is read differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Text,
    Decimal,
    Flag,
}

/// An address or number of a worker, which has columns of its own.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// What its columns begin with.
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) usage: &'static str,
    /// The members that it may have.
    members: &'static [&'static str],
}

const ADDRESS: &[&str] = &[
    "streetLineOne",
    "streetLineTwo",
    "city",
    "postalCode",
    "postalCodeExtension",
    "countrySubdivisionCode",
    "countryCode",
];
const PHONE: &[&str] = &["dialCountry", "dialArea", "dialNumber", "dialExtension"];
const EMAIL: &[&str] = &["uri"];

/// The addresses and numbers that spreadsheets have of workers.
static GROUPS: [Group; 5] = [
    Group { name: "homeAddress", kind: "STREET_ADDRESS", usage: "HOME", members: ADDRESS },
    Group { name: "homePhone", kind: "PHONE", usage: "HOME", members: PHONE },
    Group { name: "mobilePhone", kind: "MOBILE_PHONE", usage: "PERSONAL", members: PHONE },
    Group { name: "personalEmail", kind: "EMAIL", usage: "PERSONAL", members: EMAIL },
    Group { name: "workEmail", kind: "EMAIL", usage: "WORK", members: EMAIL },
];

impl CsvKind {
    /// Its columns, in the order in which they are listed.
    pub(super) fn columns(self) -> Vec<Column> {
        let mut columns = Vec::new();
        match self {
            Self::Workers => {
                add(&mut columns, Worker::MEMBERS, &[]);
                for group in &GROUPS {
                    let all =
                        Communication::MEMBERS.iter().filter(|member| group.members.contains(&member.name));
                    columns.extend(all.map(|member| Column {
                        name: format!("{}.{}", group.name, member.name),
                        group: Some(group),
                        way: vec![member.name],
                        holds: Holds::Text,
                    }));
                }
            }
            Self::Rates => {
                columns.push(Column::own(&["workerId"], Holds::Text));
                add(&mut columns, PayRate::MEMBERS, &[]);
            }
        }
        columns
    }

    /// The columns without which a row says nothing.
    pub(super) const fn required(self) -> &'static [&'static str] {
        match self {
            Self::Workers | Self::Rates => &["workerId"],
        }
    }

    /// What its rows are called.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Workers => "workers",
            Self::Rates => "rates",
        }
    }
}

impl Column {
    fn own(way: &[&'static str], holds: Holds) -> Self {
        Self { name: way.join("."), group: None, way: way.to_vec(), holds }
    }
}

/// Adds a column for each value that described members hold; lists have none.
fn add(columns: &mut Vec<Column>, members: &'static [Member], above: &[&'static str]) {
    for member in members {
        let way = [above, &[member.name]].concat();
        let below = |name: &'static str| [way.as_slice(), &[name]].concat();
        match (member.shape)() {
            Shape::Objects(_) | Shape::Words(_) => {}
            Shape::Object(members) => add(columns, members, &way),
            Shape::Reference(id) => columns.push(Column::own(&below(id), Holds::Text)),
            Shape::TaxIdentity => {
                columns.extend(
                    ["legalIdType", "legalIdValue"].map(|name| Column::own(&below(name), Holds::Text)),
                );
            }
            Shape::Flag => columns.push(Column::own(&way, Holds::Flag)),
            Shape::Amount | Shape::Rate | Shape::Quantity | Shape::Count(_) => {
                columns.push(Column::own(&way, Holds::Decimal));
            }
            Shape::Id | Shape::Text(_) | Shape::Word(_) | Shape::Date => {
                columns.push(Column::own(&way, Holds::Text));
            }
        }
    }
}
