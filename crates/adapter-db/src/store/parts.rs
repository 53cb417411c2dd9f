//! A window of a list: the head, the rows, and what belongs to the rows. Where statements travel, they
//! are one ([`text`]); where they do not, they are plain ones in a snapshot ([`head_text`],
//! [`children_text`]), since then the one costs more than they.
//!
//! One statement is its own snapshot, so a list needs no transaction around it, and on PostgreSQL
//! one round trip instead of six. Each row that the statement returns is one of three parts, which
//! its first column says; the columns of the other parts are NULL.
//!
//! The rows of the page come in the order of the page: neither database reorders the rows of a
//! materialized table expression that is read alone.

use super::access::{ACCESS, ACCESS_TO_NO_COMPANY};
use super::dialect;
use crate::columns::{ColumnError, FromColumns, Source};
use crate::rows::access::AccessRow;
use crate::texts::{self, Use};

/// The queries of a list. The parameters of all three are those of the page.
pub(super) struct Texts {
    /// How many elements there are, and their version; NULL where the company's version is used.
    pub(super) size: &'static str,
    /// The elements in the order of their creation; the last two parameters are limit and offset.
    pub(super) page: &'static str,
    /// What belongs to the elements.
    pub(super) children: Option<Children>,
}

/// The query for what belongs to the elements of a list.
pub(super) struct Children {
    /// The column that identifies an element.
    pub(super) id: &'static str,
    /// What belongs to them, in any order. The elements are in `listed`, in the columns `company_id` and
    /// `id`; it has no parameter.
    pub(super) text: &'static str,
}

impl Children {
    /// The elements are companies, and of no company.
    pub(super) fn of_companies(&self) -> bool {
        self.id == "company_id"
    }
}

/// What comes before the rows: the access, how many elements there are, and their version where the company's
/// is not used.
pub(super) type Head = (AccessRow, i64, Option<i64>);

/// One row of the statement.
pub(super) enum Part<R, C> {
    Head(Head),
    Row(R),
    Child(C),
}

const HEAD: i64 = 0;
const ROW: i64 = 1;

impl<R: FromColumns, C: FromColumns> FromColumns for Part<R, C> {
    const COUNT: usize = 1 + Head::COUNT + R::COUNT + C::COUNT;

    fn types(types: &mut Vec<&'static str>) {
        i64::types(types);
        Head::types(types);
        R::types(types);
        C::types(types);
    }

    fn from_columns(source: &mut dyn Source) -> Result<Self, ColumnError> {
        let part = i64::from_columns(source)?;
        if part == HEAD {
            return Head::from_columns(source).map(Self::Head);
        }
        source.skip(Head::COUNT);
        if part == ROW {
            return R::from_columns(source).map(Self::Row);
        }
        source.skip(R::COUNT);
        C::from_columns(source).map(Self::Child)
    }
}

/// The statement that reads the head alone. Its parameters are numbered as SQLite wants them, which counts
/// those with other signs in the order of the text.
pub(super) fn head_text<L: 'static>(size: &'static str) -> &'static str {
    let purpose = Use::ListHead { size: texts::Fragment(size) };
    texts::of::<L>(purpose, dialect::NAME, || {
        let access = renumbered(ACCESS, parameters(size));
        format!("SELECT access.*, size.* FROM ({size}) size CROSS JOIN ({access}) access").replace('$', "?")
    })
}

/// The statement that reads what belongs to elements whose companies and ids are known. Both come out of
/// the list: were the company a parameter, SQLite would read all that belongs to anything of the company.
pub(super) fn children_text<L: 'static>(children: &Children) -> &'static str {
    let Children { id, text } = children;
    texts::of::<L>(Use::ListChildren { text: texts::Fragment(text) }, dialect::NAME, || {
        let columns = if children.of_companies() { "company_id" } else { &format!("company_id, {id}") };
        let values = if children.of_companies() { "value ->> 0" } else { "value ->> 0, value ->> 1" };
        format!("WITH listed ({columns}) AS (SELECT {values} FROM json_each($1)) {text}")
    })
}

/// The statement that reads a window of a list, `with_head` or the rows alone.
pub(super) fn text<L: 'static, R: FromColumns, C: FromColumns>(
    texts: &Texts,
    with_head: bool,
) -> &'static str {
    let (size, page) = (texts::Fragment(texts.size), texts::Fragment(texts.page));
    let purpose = Use::Listing { size, page, with_head, with_children: texts.children.is_some() };
    texts::of::<L>(purpose, dialect::NAME, || made::<R, C>(texts, with_head))
}

fn made<R: FromColumns, C: FromColumns>(texts: &Texts, with_head: bool) -> String {
    let (head, row, child) = (nulls::<Head>(), nulls::<R>(), nulls::<C>());
    let page = texts.page;
    let mut parts = Vec::new();
    if with_head {
        let of_companies = texts.children.as_ref().is_some_and(Children::of_companies);
        let access = if of_companies { ACCESS_TO_NO_COMPANY } else { ACCESS };
        let access = renumbered(access, parameters(page));
        let size = texts.size;
        let from = format!("FROM ({access}) access CROSS JOIN ({size}) size");
        parts.push(format!("SELECT CAST({HEAD} AS BIGINT), access.*, size.*{row}{child} {from}"));
    }
    parts.push(format!("SELECT CAST({ROW} AS BIGINT){head}, listed.*{child} FROM listed"));
    if let Some(Children { text: children, .. }) = &texts.children {
        parts.push(format!("SELECT CAST(2 AS BIGINT){head}{row}, children.* FROM ({children}) children"));
    }
    format!("WITH listed AS MATERIALIZED ({page}) {}", parts.join(" UNION ALL "))
}

/// NULL in each column of a part, after a comma.
fn nulls<T: FromColumns>() -> String {
    let mut types = Vec::with_capacity(T::COUNT);
    T::types(&mut types);
    types.into_iter().map(|kind| format!(", CAST(NULL AS {kind})")).collect()
}

/// How many parameters a text has: their numbers begin with 1 and leave none out.
pub(super) fn parameters(text: &str) -> usize {
    let numbers = text.split('$').skip(1).filter_map(|behind| {
        let end = behind.find(|character: char| !character.is_ascii_digit()).unwrap_or(behind.len());
        behind.get(..end)?.parse().ok()
    });
    numbers.max().unwrap_or(0)
}

/// The text with its parameters counted on from others.
fn renumbered(text: &str, from: usize) -> String {
    let mut made = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('$') {
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        let (number, behind) = behind.split_at(digits);
        made.push_str(before);
        made.push_str(&format!("${}", number.parse::<usize>().unwrap_or(0) + from));
        rest = behind;
    }
    made.push_str(rest);
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_of_the_access_are_numbered_behind_those_of_the_page() {
        let page = "SELECT a FROM b WHERE c = $1 AND d IN ($2, $10) LIMIT $11";
        assert_eq!(
            renumbered("x = $1 AND y = $2 OR x = $1", parameters(page)),
            "x = $12 AND y = $13 OR x = $12"
        );
        assert_eq!(parameters("no parameter"), 0);
    }
}
