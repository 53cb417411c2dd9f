//! The postal address of a location. Unlike a communication, such an address has no type and no usage.

use crate::code::Reason;
use crate::description::described;
use crate::description::kinds::{Country, Identifier, Subdivision, Text};
#[cfg(feature = "server")]
use crate::description::objects::InParentRow;
#[cfg(feature = "server")]
use crate::description::objects::stored::StoredObjectKind;
use crate::description::objects::{ObjectKind, Readable};
#[cfg(feature = "server")]
use crate::description::{Cell, Column, Described, MemberShape, MemberValue, RemainingCells, Seal};
use crate::id::CommunicationId;
use crate::object::reader::ObjectReader;
use crate::object::values::{MAX_CODE_LENGTH, MAX_NAME_CHARACTERS};

described! {
    /// The postal address of a location.
    pub struct Address {
        /// The id of the address, which is optional.
        "communicationId" communication_id: optional CommunicationId as Identifier;
        /// The street of the postal address. Required if there is no post office box.
        "streetLineOne" street_line_one: optional String as Text<MAX_NAME_CHARACTERS>;
        /// The second street line of the postal address.
        "streetLineTwo" street_line_two: optional String as Text<MAX_NAME_CHARACTERS>;
        /// The post office box of the postal address.
        "postOfficeBox" post_office_box: optional String as Text<MAX_CODE_LENGTH>;
        /// The city of the postal address.
        "city" city: optional String as Text<MAX_NAME_CHARACTERS>;
        /// The postal code of the address, without its extension.
        "postalCode" postal_code: optional String as Text<MAX_CODE_LENGTH>;
        /// The extension of the postal code.
        "postalCodeExtension" postal_code_extension: optional String as Text<MAX_CODE_LENGTH>;
        /// The second part of the ISO 3166-2 code, such as AZ.
        "countrySubdivisionCode" country_subdivision_code: optional String as Subdivision;
        /// The ISO 3166 alpha-2 code of the country.
        "countryCode" country_code: optional String as Country;
    }
}

/// An address in columns of the object that contains it. The address is absent if all its columns are NULL.
pub(crate) struct PostalAddress;

impl ObjectKind<Address> for PostalAddress {
    fn read(object: &mut ObjectReader<'_>) -> Option<Address> {
        let address = Address::read(object)?;
        if address.street_line_one.is_none() && address.post_office_box.is_none() {
            object.report_fault(Reason::FieldMissing, "streetLineOne", "is required without postOfficeBox");
        }
        Some(address)
    }
}

#[cfg(feature = "server")]
impl StoredObjectKind<Address> for PostalAddress {
    const COLUMNS: &'static [Column] = Address::COLUMNS;

    fn shape() -> MemberShape {
        MemberShape::Object(Address::MEMBERS)
    }

    fn show_value(value: &Address, show: &mut dyn FnMut(MemberValue<'_>)) {
        show(MemberValue::Object(value));
    }

    fn append_cells(value: Option<&Address>, seal: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()> {
        <InParentRow as StoredObjectKind<Address>>::append_cells(value, seal, cells)
    }

    fn take_from_cells(cells: &mut RemainingCells, seal: &dyn Seal) -> Option<Option<Address>> {
        let own = cells.as_slice().get(..Address::COLUMNS.len())?;
        let is_absent =
            own.iter().zip(Address::COLUMNS).all(|(cell, column)| *cell == column.stored_as.null_cell());
        let address = Address::take_from_cells(cells, seal).ok()?;
        Some(if is_absent { None } else { Some(address) })
    }
}
