//! Tables that both catalogs contain, and the statements that read and write their rows.

/// A table of the source.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: u64,
    /// The last number that the source has assigned, if it numbers the rows.
    pub(super) last_number: Option<i64>,
}

/// A column of a copied table.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// The type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    Truth,
    Day,
    Bytes,
}

impl Kind {
    /// The kind of a column, by its type in the migrations.
    pub(super) fn from_declared_type(declared_type: &str) -> Option<Self> {
        match declared_type {
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
    /// The names of the columns for a statement.
    pub(super) fn names(&self) -> String {
        let names = self.columns.iter().map(|column| format!("\"{}\"", column.name));
        names.collect::<Vec<_>>().join(", ")
    }

    /// The statement that reads every row of a PostgreSQL database, in the same format as `select`.
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

    /// The statement that inserts rows into an embedded database. Its parameter is a JSON array of rows, each
    /// an array of texts. The columns convert the texts to their types.
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

    /// The statement that reads every row of an embedded database, with each value as the text that
    /// PostgreSQL expects.
    pub(super) fn select(&self) -> String {
        let values = self.columns.iter().map(|Column { name, kind }| match kind {
            Kind::Text | Kind::Day => format!("\"{name}\""),
            Kind::Number | Kind::Truth => format!("CAST(\"{name}\" AS TEXT)"),
            Kind::Bytes => format!("'\\x' || hex(\"{name}\")"),
        });
        format!("SELECT {} FROM \"{}\"", values.collect::<Vec<_>>().join(", "), self.name)
    }
}
