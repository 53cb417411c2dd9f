//! Writes and stores members, and defines their schemas.

use super::{List, MemberKind, Optional, OptionalObject, Required, RequiredObject, ValueList, WithDefault};
use crate::description::kinds::stored::StoredKind;
use crate::description::objects::ListKind;
use crate::description::objects::stored::StoredObjectKind;
use crate::description::resource::Described;
use crate::description::values::{
    Cell, CellType, Column, Member, MemberColumns, MemberShape, MemberSource, MemberValue, RemainingCells,
    Seal,
};

/// A member that can be shown, stored and described by a schema. Its field has the type `F`.
pub(crate) trait StoredMemberKind<F>: MemberKind<F> {
    /// The presence, storage and schema of the member. The macro `described!` adds the member's name,
    /// comment, views and event.
    const MEMBER: Member;
    /// Calls `show` with the value of the member, unless the member is absent.
    fn show_value(value: &F, show: &mut dyn FnMut(MemberValue<'_>));
    /// Appends the cells of the member. Returns `None` if storage cannot represent the value.
    fn append_cells(value: &F, seal: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()>;
    /// Consumes the cells of the member and returns its value. Returns `None` if the cells are invalid.
    fn take_from_cells(cells: &mut RemainingCells, seal: &dyn Seal) -> Option<F>;
}

/// Returns a member without the data that `described!` adds, such as the name and the comment.
const fn member_template(required: bool, stored: MemberColumns, shape: fn() -> MemberShape) -> Member {
    let has_default = false;
    Member { name: "", words: "", required, has_default, views: &[], event: None, column: "", stored, shape }
}

impl<T, K: StoredKind<T>> StoredMemberKind<T> for Required<K> {
    const MEMBER: Member = member_template(true, MemberColumns::One(K::STORED_AS), K::shape);

    fn show_value(value: &T, show: &mut dyn FnMut(MemberValue<'_>)) {
        K::show_value(value, show);
    }

    fn append_cells(value: &T, seal: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()> {
        cells.push(K::to_sealed_cell(value, seal)?);
        Some(())
    }

    fn take_from_cells(cells: &mut RemainingCells, seal: &dyn Seal) -> Option<T> {
        cells.next().and_then(|cell| K::from_sealed_cell(cell, seal))
    }
}

impl<T: Default, K: StoredKind<T>> StoredMemberKind<T> for WithDefault<K> {
    const MEMBER: Member = Member { has_default: true, ..<Required<K> as StoredMemberKind<T>>::MEMBER };

    fn show_value(value: &T, show: &mut dyn FnMut(MemberValue<'_>)) {
        <Required<K> as StoredMemberKind<T>>::show_value(value, show);
    }

    fn append_cells(value: &T, seal: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()> {
        <Required<K> as StoredMemberKind<T>>::append_cells(value, seal, cells)
    }

    fn take_from_cells(cells: &mut RemainingCells, seal: &dyn Seal) -> Option<T> {
        <Required<K> as StoredMemberKind<T>>::take_from_cells(cells, seal)
    }
}

impl<T, K: StoredKind<T>> StoredMemberKind<Option<T>> for Optional<K> {
    const MEMBER: Member = member_template(false, MemberColumns::One(K::STORED_AS), K::shape);

    fn show_value(value: &Option<T>, show: &mut dyn FnMut(MemberValue<'_>)) {
        if let Some(value) = value {
            K::show_value(value, show);
        }
    }

    fn append_cells(value: &Option<T>, _: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()> {
        cells.push(match value {
            Some(value) => K::to_cell(value)?,
            None => K::STORED_AS.null_cell(),
        });
        Some(())
    }

    fn take_from_cells(cells: &mut RemainingCells, _: &dyn Seal) -> Option<Option<T>> {
        let cell = cells.next()?;
        if cell == K::STORED_AS.null_cell() { Some(None) } else { K::from_cell(cell).map(Some) }
    }
}

/// The list is stored as one text, in which spaces separate the values. A value must therefore not contain a
/// space.
impl<T, K: StoredKind<T>> StoredMemberKind<Vec<T>> for ValueList<K> {
    const MEMBER: Member =
        member_template(false, MemberColumns::One(CellType::Text), shape_of_word_list::<T, K>);

    fn show_value(value: &Vec<T>, show: &mut dyn FnMut(MemberValue<'_>)) {
        if let Some(words) = to_stored_words::<T, K>(value).filter(|words| !words.is_empty()) {
            show(MemberValue::Texts(&words.iter().map(String::as_str).collect::<Vec<_>>()));
        }
    }

    fn append_cells(value: &Vec<T>, _: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()> {
        cells.push(Cell::Text(Some(to_stored_words::<T, K>(value)?.join(" "))));
        Some(())
    }

    fn take_from_cells(cells: &mut RemainingCells, _: &dyn Seal) -> Option<Vec<T>> {
        match cells.next()? {
            Cell::Text(Some(stored)) => stored
                .split_whitespace()
                .map(|word| K::from_cell(Cell::Text(Some(word.to_owned()))))
                .collect(),
            _ => None,
        }
    }
}

fn to_stored_words<T, K: StoredKind<T>>(values: &[T]) -> Option<Vec<String>> {
    let word = |value| match K::to_cell(value)? {
        Cell::Text(text) => text,
        _ => None,
    };
    values.iter().map(word).collect()
}

fn shape_of_word_list<T, K: StoredKind<T>>() -> MemberShape {
    match K::shape() {
        MemberShape::Enumeration(words) => MemberShape::Words(words),
        MemberShape::Text(longest) => MemberShape::Texts(longest),
        other => other,
    }
}

impl<T, K: StoredObjectKind<T>> StoredMemberKind<T> for RequiredObject<K> {
    const MEMBER: Member = member_template(true, MemberColumns::Several(K::COLUMNS), K::shape);

    fn show_value(value: &T, show: &mut dyn FnMut(MemberValue<'_>)) {
        K::show_value(value, show);
    }

    fn append_cells(value: &T, seal: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()> {
        K::append_cells(Some(value), seal, cells)
    }

    fn take_from_cells(cells: &mut RemainingCells, seal: &dyn Seal) -> Option<T> {
        K::take_from_cells(cells, seal)?
    }
}

impl<T, K: StoredObjectKind<T>> StoredMemberKind<Option<T>> for OptionalObject<K> {
    const MEMBER: Member = member_template(false, MemberColumns::Several(K::COLUMNS), K::shape);

    fn show_value(value: &Option<T>, show: &mut dyn FnMut(MemberValue<'_>)) {
        if let Some(value) = value {
            K::show_value(value, show);
        }
    }

    fn append_cells(value: &Option<T>, seal: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()> {
        K::append_cells(value.as_ref(), seal, cells)
    }

    fn take_from_cells(cells: &mut RemainingCells, seal: &dyn Seal) -> Option<Option<T>> {
        K::take_from_cells(cells, seal)
    }
}

/// Lists are stored as rows of their own table. The code that reads the table adds the elements, so
/// `take_from_cells` returns an empty list.
impl<T: Described, K: ListKind<T>> StoredMemberKind<Vec<T>> for List<K> {
    const MEMBER: Member =
        member_template(false, MemberColumns::Several(&[]), || MemberShape::Objects(T::MEMBERS));

    fn show_value(value: &Vec<T>, show: &mut dyn FnMut(MemberValue<'_>)) {
        if !value.is_empty() {
            let objects: Vec<&dyn MemberSource> =
                value.iter().map(|object| -> &dyn MemberSource { object }).collect();
            show(MemberValue::Objects(&objects));
        }
    }

    fn append_cells(_: &Vec<T>, _: &dyn Seal, _: &mut Vec<Cell>) -> Option<()> {
        Some(())
    }

    fn take_from_cells(_: &mut RemainingCells, _: &dyn Seal) -> Option<Vec<T>> {
        Some(Vec::new())
    }
}

/// Returns the number of columns that the members need.
#[expect(clippy::indexing_slicing, reason = "runs in the compiler, where a mistake does not compile")]
pub(crate) const fn column_count(members: &[Member]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < members.len() {
        count += match members[at].stored {
            MemberColumns::One(_) => 1,
            MemberColumns::Several(columns) => columns.len(),
        };
        at += 1;
    }
    count
}

/// Returns the columns of the members, in the order of the members.
#[expect(clippy::indexing_slicing, reason = "runs in the compiler, where a mistake does not compile")]
pub(crate) const fn columns<const COUNT: usize>(members: &[Member]) -> [Column; COUNT] {
    let mut all = [Column { name: "", stored_as: CellType::Text }; COUNT];
    let (mut next, mut at) = (0, 0);
    while at < members.len() {
        match members[at].stored {
            MemberColumns::One(stored_as) => {
                all[next] = Column { name: members[at].column, stored_as };
                next += 1;
            }
            MemberColumns::Several(columns) => {
                let mut column = 0;
                while column < columns.len() {
                    all[next] = columns[column];
                    next += 1;
                    column += 1;
                }
            }
        }
        at += 1;
    }
    all
}
