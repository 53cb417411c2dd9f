//! Tables as both catalogs know them, and how their rows are read and written.

/// A table of the source.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: u64,
    /// The last number that the source has handed out, where it numbers the rows.
    pub(super) last_number: Option<i64>,
}

/// One of its columns.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    Truth,
    Day,
    Bytes,
}

impl Kind {
    /// The kind of a column, by the type that the migrations say.
    pub(super) fn of(declared: &str) -> Option<Self> {
        match declared {
            "TEXT" => Some(Self::Text),
            "BIGINT" | "INTEGER" => Some(Self::Number),
            "BOOLEAN" => Some(Self::Truth),
            "DATE" => Some(Self::Day),
            "BLOB" | "BYTEA" => Some(Self::Bytes),
            _ => None,
        }
    }
}

impl Table {
    /// The names of its columns, for a statement.
    pub(super) fn names(&self) -> String {
        let names = self.columns.iter().map(|column| format!("\"{}\"", column.name));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Reads every row of a PostgreSQL database in the same way.
    pub(super) fn select_postgres(&self) -> String {
        let values = self.columns.iter().map(|Column { name, kind }| match kind {
            Kind::Text => format!("\"{name}\""),
            Kind::Day => format!("to_char(\"{name}\", 'YYYY-MM-DD')"),
            Kind::Number => format!("CAST(\"{name}\" AS TEXT)"),
            Kind::Truth => format!("CAST(CAST(\"{name}\" AS INT) AS TEXT)"),
            Kind::Bytes => format!("'\\x' || encode(\"{name}\", 'hex')"),
        });
        format!("SELECT {} FROM \"{}\"", values.collect::<Vec<_>>().join(", "), self.name)
    }

    /// Inserts rows into an embedded database: the parameter is an array of them as JSON, each an array of
    /// its values as texts, of which the columns make what they hold.
    pub(super) fn insert_embedded(&self) -> String {
        let values = self.columns.iter().enumerate().map(|(at, column)| match column.kind {
            Kind::Bytes => format!("unhex(substr(value ->> {at}, 3))"),
            Kind::Text | Kind::Number | Kind::Truth | Kind::Day => format!("value ->> {at}"),
        });
        let values = values.collect::<Vec<_>>().join(", ");
        format!("INSERT INTO \"{}\" ({}) SELECT {values} FROM json_each($1)", self.name, self.names())
    }

    /// The index of a column.
    pub(super) fn place_of(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|it| it.name == column)
    }

    /// Reads every row of an embedded database, each value as the text that PostgreSQL reads.
    pub(super) fn select(&self) -> String {
        let values = self.columns.iter().map(|Column { name, kind }| match kind {
            Kind::Text | Kind::Day => format!("\"{name}\""),
            Kind::Number | Kind::Truth => format!("CAST(\"{name}\" AS TEXT)"),
            Kind::Bytes => format!("'\\x' || hex(\"{name}\")"),
        });
        format!("SELECT {} FROM \"{}\"", values.collect::<Vec<_>>().join(", "), self.name)
    }
}
