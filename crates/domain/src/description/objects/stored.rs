//! Writes and stores objects that are members of other objects.

use super::{
    InParentRow, ObjectKind, Readable, ReferenceKind, SearchableTaxIdentity, StoredInSeparateTable,
    TaxIdentity,
};
use crate::description::resource::Described;
use crate::description::values::{Cell, CellType, Column, MemberShape, MemberValue, RemainingCells, Seal};
use crate::id::Id;
use crate::tax_id::{LegalId, LegalIdType};

/// A kind of object that can be shown, stored and described by a schema.
pub(crate) trait StoredObjectKind<T>: ObjectKind<T> {
    /// The columns of the object. Empty if the object is stored in its own table.
    const COLUMNS: &'static [Column];
    /// Returns the schema of the object.
    fn shape() -> MemberShape;
    /// Calls `show` with the object.
    fn show_value(value: &T, show: &mut dyn FnMut(MemberValue<'_>));
    /// Appends the cells of the object, or empty cells if the object is absent. Returns `None` if storage
    /// cannot represent the object.
    fn append_cells(value: Option<&T>, seal: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()>;
    /// Consumes the cells of the object and returns the object. Returns `None` if the cells are invalid, and
    /// `Some(None)` if the object is absent.
    fn take_from_cells(cells: &mut RemainingCells, seal: &dyn Seal) -> Option<Option<T>>;
}

impl<T: Described + Readable> StoredObjectKind<T> for InParentRow {
    const COLUMNS: &'static [Column] = T::COLUMNS;

    fn shape() -> MemberShape {
        MemberShape::Object(T::MEMBERS)
    }

    fn show_value(value: &T, show: &mut dyn FnMut(MemberValue<'_>)) {
        show(MemberValue::Object(value));
    }

    fn append_cells(value: Option<&T>, seal: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()> {
        match value {
            Some(value) => value.append_cells(seal, cells),
            None => {
                cells.extend(T::COLUMNS.iter().map(|column| column.stored_as.null_cell()));
                Some(())
            }
        }
    }

    fn take_from_cells(cells: &mut RemainingCells, seal: &dyn Seal) -> Option<Option<T>> {
        let first = T::COLUMNS.first()?;
        if *cells.as_slice().first()? == first.stored_as.null_cell() {
            cells.by_ref().take(T::COLUMNS.len()).for_each(drop);
            return Some(None);
        }
        T::take_from_cells(cells, seal).ok().map(Some)
    }
}

impl<T: Described, K: ObjectKind<T> + StoredInSeparateTable> StoredObjectKind<T> for K {
    const COLUMNS: &'static [Column] = &[];

    fn shape() -> MemberShape {
        MemberShape::Object(T::MEMBERS)
    }

    fn show_value(value: &T, show: &mut dyn FnMut(MemberValue<'_>)) {
        show(MemberValue::Object(value));
    }

    fn append_cells(_: Option<&T>, _: &dyn Seal, _: &mut Vec<Cell>) -> Option<()> {
        Some(())
    }

    fn take_from_cells(_: &mut RemainingCells, _: &dyn Seal) -> Option<Option<T>> {
        Some(None)
    }
}

const fn text_column(name: &'static str) -> Column {
    Column { name, stored_as: CellType::Text }
}

impl StoredObjectKind<LegalId> for TaxIdentity {
    const COLUMNS: &'static [Column] = &[text_column("legal_id_type"), text_column("legal_id")];

    fn shape() -> MemberShape {
        MemberShape::TaxIdentity
    }

    fn show_value(value: &LegalId, show: &mut dyn FnMut(MemberValue<'_>)) {
        show(MemberValue::TaxIdentity(value));
    }

    fn append_cells(value: Option<&LegalId>, seal: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()> {
        let stored = match value {
            Some(value) => Some(match value.kind() {
                LegalIdType::Fein => value.digits().to_owned(),
                LegalIdType::Ssn => seal.seal(value.digits())?,
            }),
            None => None,
        };
        cells.push(Cell::Text(value.map(|value| value.kind().as_str().to_owned())));
        cells.push(Cell::Text(stored));
        Some(())
    }

    fn take_from_cells(cells: &mut RemainingCells, seal: &dyn Seal) -> Option<Option<LegalId>> {
        let (Cell::Text(Some(kind)), Cell::Text(Some(stored))) = (cells.next()?, cells.next()?) else {
            return Some(None);
        };
        let kind = LegalIdType::parse(&kind)?;
        let digits = match kind {
            LegalIdType::Fein => stored,
            LegalIdType::Ssn => seal.unseal(&stored)?,
        };
        LegalId::parse(kind, &digits).map(Some)
    }
}

impl StoredObjectKind<LegalId> for SearchableTaxIdentity {
    /// Next to the hash, the row contains a copy of the stored tax ID to which the hash belongs. An older
    /// release replaces only the tax ID. The copy then differs from the tax ID, and the hash is ignored.
    const COLUMNS: &'static [Column] = &[
        text_column("legal_id_type"),
        text_column("legal_id"),
        text_column("last_four_hash"),
        text_column("last_four_of"),
    ];

    fn shape() -> MemberShape {
        TaxIdentity::shape()
    }

    fn show_value(value: &LegalId, show: &mut dyn FnMut(MemberValue<'_>)) {
        TaxIdentity::show_value(value, show);
    }

    fn append_cells(value: Option<&LegalId>, seal: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()> {
        TaxIdentity::append_cells(value, seal, cells)?;
        let stored = cells.last()?.clone();
        let hash = match value {
            Some(value) => Some(seal.hash_last_four(&value.last_four())?),
            None => None,
        };
        cells.push(Cell::Text(hash));
        cells.push(stored);
        Some(())
    }

    fn take_from_cells(cells: &mut RemainingCells, seal: &dyn Seal) -> Option<Option<LegalId>> {
        let legal_id = TaxIdentity::take_from_cells(cells, seal);
        cells.by_ref().take(Self::COLUMNS.len() - TaxIdentity::COLUMNS.len()).for_each(drop);
        legal_id
    }
}

impl<K, R: ReferenceKind<Id = Id<K>>> StoredObjectKind<Id<K>> for R {
    const COLUMNS: &'static [Column] = &[text_column(R::COLUMN)];

    fn shape() -> MemberShape {
        MemberShape::Reference(R::ID)
    }

    fn show_value(value: &Id<K>, show: &mut dyn FnMut(MemberValue<'_>)) {
        show(MemberValue::Reference(R::ID, value.as_str()));
    }

    fn append_cells(value: Option<&Id<K>>, _: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()> {
        cells.push(Cell::Text(value.map(ToString::to_string)));
        Some(())
    }

    fn take_from_cells(cells: &mut RemainingCells, _: &dyn Seal) -> Option<Option<Id<K>>> {
        match cells.next()? {
            Cell::Text(Some(stored)) => Id::parse(&stored).ok().map(Some),
            Cell::Text(None) => Some(None),
            _ => None,
        }
    }
}
