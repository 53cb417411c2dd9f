//! Statements about one or several ids. Each statement has two texts: one for a single id and one for a list.
//!
//! On PostgreSQL, a list statement with one id would be slow. The planner estimates that a new plan for one
//! id is cheaper than the cached plan for a list. PostgreSQL therefore plans every execution again, which
//! costs more than running the statement.

use crate::statement::{BindValue, Statement, query};

/// A statement about ids, as a text for one id and a text for a list. [`where_id_matches!`] and
/// [`select_from_ids!`] create such statements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IdStatement {
    pub(crate) one: &'static str,
    pub(crate) many: &'static str,
    /// Converts several ids to one parameter value of the statement: an array on PostgreSQL, and a JSON text
    /// on SQLite.
    pub(crate) list: for<'a> fn(&[&'a str]) -> BindValue<'a>,
}

impl IdStatement {
    /// Returns the statement for these ids. The function `values` gets the ids as one parameter value and
    /// returns the values of all parameters.
    pub(crate) fn to_statement<'a, const COUNT: usize>(
        self,
        ids: &[&'a str],
        values: impl FnOnce(BindValue<'a>) -> [BindValue<'a>; COUNT],
    ) -> Statement<'a> {
        match ids {
            [id] => query(self.one, values(BindValue::from(*id))),
            ids => query(self.many, values((self.list)(ids))),
        }
    }
}

/// A statement with the condition that a column has one of the ids `$n`: `where_id_matches!["SELECT … AND
/// worker_id", "$2", " ORDER BY worker_id"]`.
macro_rules! where_id_matches {
    [$before:expr, $parameter:literal $(, $after:expr)? $(,)?] => {
        $crate::one_or_many::id_statement!(
            $crate::statement::sql![$before, " = ", $parameter $(, $after)?],
            $crate::statement::sql![$before, dialect::equals_any!($parameter) $(, $after)?]
        )
    };
}
pub(crate) use where_id_matches;

/// A statement that reads the ids `$n` as rows with one column, `value`: `select_from_ids!["SELECT … FROM ",
/// "$1", " requested WHERE …"]`.
macro_rules! select_from_ids {
    [$before:expr, $parameter:literal, $after:expr $(,)?] => {
        $crate::one_or_many::id_statement!(
            $crate::statement::sql![$before, "(SELECT CAST(", $parameter, " AS TEXT) AS value)", $after],
            $crate::statement::sql![$before, dialect::list_as_rows!($parameter), $after]
        )
    };
}
pub(crate) use select_from_ids;

/// Creates an [`IdStatement`] from its two texts, and adds both texts to the list of statements that a test
/// prepares.
macro_rules! id_statement {
    ($one:expr, $many:expr) => {{
        #[cfg(test)]
        #[expect(unsafe_code, reason = "the linker gathers the statements of the test")]
        #[linkme::distributed_slice($crate::statement::STATEMENTS)]
        static ONE: (&str, &str) = (module_path!(), $one);
        #[cfg(test)]
        #[expect(unsafe_code, reason = "the linker gathers the statements of the test")]
        #[linkme::distributed_slice($crate::statement::STATEMENTS)]
        static MANY: (&str, &str) = (module_path!(), $many);
        fn list<'a>(ids: &[&'a str]) -> $crate::statement::BindValue<'a> {
            dialect::bind_list(ids.iter().copied())
        }
        $crate::one_or_many::IdStatement { one: $one, many: $many, list }
    }};
}
pub(crate) use id_statement;
