//! Reads a page of a list: the head (`CountedListHead`), the rows and their children.
//!
//! On a remote database, one statement reads the page ([`select_page`]). On an embedded database, several
//! simple statements in one snapshot read the page ([`select_head`], [`select_children`]), because they cost
//! less in the same process.
//!
//! A single statement is its own snapshot. On PostgreSQL, a list therefore needs no transaction, and one
//! round trip instead of six. Each row of the result is the head, an element or a child of an element. The
//! first column of a row contains its kind. The columns of the other two kinds are NULL.
//!
//! The rows of the page keep their order, because both databases preserve the order of a materialized table
//! expression that is read alone.

use super::access::{SELECT_ACCESS, SELECT_ACCESS_TO_NO_COMPANY};
use super::dialect;
use crate::columns::{ColumnError, ColumnReader, FromColumns};
use crate::rows::access::AccessRow;
use crate::texts::{self, StatementKind};

/// The statements of a list. The parameters of `size` and `page` have the same numbers, so both statements
/// use one list of values.
pub(super) struct ListStatements {
    /// Reads the number of elements and the version of the list. The version is NULL if the list uses the
    /// company's version.
    pub(super) size: &'static str,
    /// Reads the elements in the order of their creation. The last two parameters are limit and offset.
    pub(super) page: &'static str,
    /// The query for the children of the elements, if the elements have children.
    pub(super) children: Option<ChildrenQuery>,
}

/// The query for the children of a list's elements.
pub(super) struct ChildrenQuery {
    /// The column with the id of an element, to which the rows of its children refer.
    pub(super) id: &'static str,
    /// Selects the children in any order. The table `listed` contains the elements with the columns
    /// `company_id` and `id`. The text has no parameters.
    pub(super) text: &'static str,
}

impl ChildrenQuery {
    /// Returns whether the elements are companies, which do not belong to a company themselves.
    pub(super) fn has_company_elements(&self) -> bool {
        self.id == "company_id"
    }
}

/// The head of a list: the caller's access, the number of elements, and the version of the list. The version
/// is `None` if the list uses the company's version.
pub(super) type CountedListHead = (AccessRow, i64, Option<i64>);

/// One row that the combined statement returns: the head, an element, or a child.
pub(super) enum StatementRow<R, C> {
    Head(CountedListHead),
    Row(R),
    Child(C),
}

const HEAD_ROW_MARKER: i64 = 0;
const ITEM_ROW_MARKER: i64 = 1;

impl<R: FromColumns, C: FromColumns> FromColumns for StatementRow<R, C> {
    const COUNT: usize = 1 + CountedListHead::COUNT + R::COUNT + C::COUNT;

    fn collect_types(types: &mut Vec<&'static str>) {
        i64::collect_types(types);
        CountedListHead::collect_types(types);
        R::collect_types(types);
        C::collect_types(types);
    }

    fn from_columns(source: &mut dyn ColumnReader) -> Result<Self, ColumnError> {
        let part = i64::from_columns(source)?;
        if part == HEAD_ROW_MARKER {
            return CountedListHead::from_columns(source).map(Self::Head);
        }
        source.skip_columns(CountedListHead::COUNT);
        if part == ITEM_ROW_MARKER {
            return R::from_columns(source).map(Self::Row);
        }
        source.skip_columns(R::COUNT);
        C::from_columns(source).map(Self::Child)
    }
}

/// Returns the statement that reads only the head. For SQLite, the parameters are written as `?1` instead of
/// `$1`, because SQLite would number `$1` by its first use in the text.
pub(super) fn select_head<L: 'static>(size: &'static str) -> &'static str {
    let purpose = StatementKind::ListHead { size: texts::TextFragment(size) };
    texts::cached_text::<L>(purpose, dialect::NAME, || {
        let access = renumber_parameters(SELECT_ACCESS, count_parameters(size));
        let text = format!("SELECT access.*, size.* FROM ({size}) size CROSS JOIN ({access}) access");
        if dialect::IS_REMOTE { text } else { text.replace('$', "?") }
    })
}

/// Returns the statement that reads the children of the elements on a page. The company and the id of a
/// child's owner are compared with the listed elements. If the company were a parameter, SQLite would read
/// all children in the company.
pub(super) fn select_children<L: 'static>(children: &ChildrenQuery) -> &'static str {
    let ChildrenQuery { id, text } = children;
    texts::cached_text::<L>(
        StatementKind::ListChildren { text: texts::TextFragment(text) },
        dialect::NAME,
        || {
            let columns =
                if children.has_company_elements() { "company_id" } else { &format!("company_id, {id}") };
            let values =
                if children.has_company_elements() { "value ->> 0" } else { "value ->> 0, value ->> 1" };
            format!("WITH listed ({columns}) AS (SELECT {values} FROM json_each($1)) {text}")
        },
    )
}

/// Returns the statement that reads a page of a list, with the head or without the head.
pub(super) fn select_page<L: 'static, R: FromColumns, C: FromColumns>(
    texts: &ListStatements,
    with_head: bool,
) -> &'static str {
    let (size, page) = (texts::TextFragment(texts.size), texts::TextFragment(texts.page));
    let purpose = StatementKind::Listing { size, page, with_head, with_children: texts.children.is_some() };
    texts::cached_text::<L>(purpose, dialect::NAME, || statement_text::<R, C>(texts, with_head))
}

fn statement_text<R: FromColumns, C: FromColumns>(texts: &ListStatements, with_head: bool) -> String {
    let (head, row, child) = (null_columns::<CountedListHead>(), null_columns::<R>(), null_columns::<C>());
    let page = texts.page;
    let mut parts = Vec::new();
    if with_head {
        let of_companies = texts.children.as_ref().is_some_and(ChildrenQuery::has_company_elements);
        let access = if of_companies { SELECT_ACCESS_TO_NO_COMPANY } else { SELECT_ACCESS };
        let access = renumber_parameters(access, count_parameters(page));
        let size = texts.size;
        let from = format!("FROM ({access}) access CROSS JOIN ({size}) size");
        parts.push(format!("SELECT CAST({HEAD_ROW_MARKER} AS BIGINT), access.*, size.*{row}{child} {from}"));
    }
    parts.push(format!("SELECT CAST({ITEM_ROW_MARKER} AS BIGINT){head}, listed.*{child} FROM listed"));
    if let Some(ChildrenQuery { text: children, .. }) = &texts.children {
        parts.push(format!("SELECT CAST(2 AS BIGINT){head}{row}, children.* FROM ({children}) children"));
    }
    format!("WITH listed AS MATERIALIZED ({page}) {}", parts.join(" UNION ALL "))
}

/// Returns a comma and NULL for each column of the row type `T`.
fn null_columns<T: FromColumns>() -> String {
    let mut types = Vec::with_capacity(T::COUNT);
    T::collect_types(&mut types);
    types.into_iter().map(|kind| format!(", CAST(NULL AS {kind})")).collect()
}

/// Returns the number of different parameters in a text, which are numbered from 1 without a gap.
pub(super) fn count_parameters(text: &str) -> usize {
    let numbers = text.split('$').skip(1).filter_map(|after_sign| {
        let end = after_sign.find(|character: char| !character.is_ascii_digit()).unwrap_or(after_sign.len());
        after_sign.get(..end)?.parse().ok()
    });
    numbers.max().unwrap_or(0)
}

/// Returns the text with the numbers of its parameters increased by `from`.
fn renumber_parameters(text: &str, from: usize) -> String {
    let mut created = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some((before, after_sign)) = rest.split_once('$') {
        let digits = after_sign.bytes().take_while(u8::is_ascii_digit).count();
        let (number, remaining) = after_sign.split_at(digits);
        created.push_str(before);
        created.push_str(&format!("${}", number.parse::<usize>().unwrap_or(0) + from));
        rest = remaining;
    }
    created.push_str(rest);
    created
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renumbers_access_parameters_after_page_parameters() {
        let page = "SELECT a FROM b WHERE c = $1 AND d IN ($2, $10) LIMIT $11";
        assert_eq!(
            renumber_parameters("x = $1 AND y = $2 OR x = $1", count_parameters(page)),
            "x = $12 AND y = $13 OR x = $12"
        );
        assert_eq!(count_parameters("no parameter"), 0);
    }
}
