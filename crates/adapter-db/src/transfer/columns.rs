//! The tables to copy, and the statements that read and write their rows.

/// A table to copy, with its columns and its number of rows in the source.
#[derive(Debug, Clone)]
pub(super) struct SourceTable {
    pub(super) name: String,
    pub(super) columns: Vec<CopiedColumn>,
    pub(super) rows: u64,
    /// The last row number that the source has assigned. `None` if the source does not number the rows of the
    /// table.
    pub(super) last_number: Option<i64>,
}

/// A column of a copied table.
#[derive(Debug, Clone)]
pub(super) struct CopiedColumn {
    pub(super) name: String,
    pub(super) kind: ColumnType,
}

/// The type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnType {
    Text,
    Number,
    Truth,
    Day,
    Bytes,
}

impl ColumnType {
    /// Returns the type of a column's values from the type that the migrations declare. `None` if that type
    /// is unknown.
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

impl SourceTable {
    /// Returns the quoted names of the columns for a statement, separated by commas.
    pub(super) fn column_names(&self) -> String {
        let names = self.columns.iter().map(|column| format!("\"{}\"", column.name));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Returns the statement that reads every row of a PostgreSQL database, in the same format as
    /// [`SourceTable::select_from_embedded_sql`].
    pub(super) fn select_from_postgres_sql(&self) -> String {
        let values = self.columns.iter().map(|CopiedColumn { name, kind }| match kind {
            ColumnType::Text => format!("\"{name}\""),
            ColumnType::Day => format!("to_char(\"{name}\", 'YYYY-MM-DD')"),
            ColumnType::Number => format!("CAST(\"{name}\" AS TEXT)"),
            ColumnType::Truth => format!("CAST(CAST(\"{name}\" AS INT) AS TEXT)"),
            ColumnType::Bytes => format!("'\\x' || encode(\"{name}\", 'hex')"),
        });
        format!("SELECT {} FROM \"{}\"", values.collect::<Vec<_>>().join(", "), self.name)
    }

    /// Returns the statement that inserts rows into an embedded database. Its parameter is a JSON array of
    /// rows, each of which is an array of texts. The statement converts the texts to the types of the
    /// columns.
    pub(super) fn insert_into_embedded_sql(&self) -> String {
        let values = self.columns.iter().enumerate().map(|(at, column)| match column.kind {
            ColumnType::Bytes => format!("unhex(substr(value ->> {at}, 3))"),
            ColumnType::Text | ColumnType::Number | ColumnType::Truth | ColumnType::Day => {
                format!("value ->> {at}")
            }
        });
        let values = values.collect::<Vec<_>>().join(", ");
        format!("INSERT INTO \"{}\" ({}) SELECT {values} FROM json_each($1)", self.name, self.column_names())
    }

    /// Returns the index of a column.
    pub(super) fn column_position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|it| it.name == column)
    }

    /// Returns the statement that reads every row of an embedded database. The statement returns each value
    /// as the text that PostgreSQL expects.
    pub(super) fn select_from_embedded_sql(&self) -> String {
        let values = self.columns.iter().map(|CopiedColumn { name, kind }| match kind {
            ColumnType::Text | ColumnType::Day => format!("\"{name}\""),
            ColumnType::Number | ColumnType::Truth => format!("CAST(\"{name}\" AS TEXT)"),
            ColumnType::Bytes => format!("'\\x' || hex(\"{name}\")"),
        });
        format!("SELECT {} FROM \"{}\"", values.collect::<Vec<_>>().join(", "), self.name)
    }
}
