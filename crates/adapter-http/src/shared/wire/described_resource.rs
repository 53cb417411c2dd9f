//! Serializes resources by their description in the domain. The links come after the other members.

use payroll_domain::description::{MemberSource, MemberValue, MemberView};
use payroll_domain::tax_id::LegalId;
use serde::ser::{Error, Serialize, SerializeMap, Serializer};
use serde_json::value::{RawValue, Value};

use super::link::Link;
use super::value::DisplayedText;

/// A resource that is serialized by the description of its type in the domain. The description names the
/// members.
#[derive(Debug)]
pub(crate) struct DescribedResource<'a, T> {
    resource: &'a T,
    /// The links; `None` if the resource has no member `links`.
    links: Option<Vec<Link<'a>>>,
    /// The name of a member that is omitted.
    omitted_member: Option<&'static str>,
    /// The names of members that are omitted at any depth.
    omitted_members: &'static [&'static str],
    /// Additional members, which are written after the members of the resource.
    additional_members: Vec<(&'static str, Value)>,
    /// Whether account numbers are unmasked.
    shows_full_account_numbers: bool,
}

impl<'a, T> DescribedResource<'a, T> {
    /// Creates a resource with links.
    pub(crate) const fn with_links(resource: &'a T, links: Vec<Link<'a>>) -> Self {
        Self {
            resource,
            links: Some(links),
            omitted_member: None,
            omitted_members: &[],
            additional_members: Vec::new(),
            shows_full_account_numbers: false,
        }
    }

    /// Creates a resource without links.
    pub(crate) const fn without_links(resource: &'a T) -> Self {
        Self {
            resource,
            links: None,
            omitted_member: None,
            omitted_members: &[],
            additional_members: Vec::new(),
            shows_full_account_numbers: false,
        }
    }

    /// Omits the member with this name, such as the id of an object that is not stored.
    pub(crate) fn without_member(self, member: &'static str) -> Self {
        Self { omitted_member: Some(member), ..self }
    }

    /// Omits the members with these names at any depth, such as the ids of objects that are not stored.
    pub(crate) fn without_members(self, omitted_members: &'static [&'static str]) -> Self {
        Self { omitted_members, ..self }
    }

    /// Shows account numbers unmasked, for a caller who may see them.
    pub(crate) fn with_account_numbers(self) -> Self {
        Self { shows_full_account_numbers: true, ..self }
    }

    /// Adds members, such as the name of a referenced object.
    pub(crate) fn with_members(self, additional_members: Vec<(&'static str, Value)>) -> Self {
        Self { additional_members, ..self }
    }
}

impl<T: MemberSource> Serialize for DescribedResource<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        serialize_members(&mut map, self.resource, MemberView::Full, |map, member, shown| match shown {
            _ if self.omitted_member == Some(member) => Ok(()),
            MemberValue::AccountNumber(number) if self.shows_full_account_numbers => {
                map.serialize_entry(member, number.digits())
            }
            shown => serialize_member_without(map, member, shown, self.omitted_members),
        })?;
        for (member, value) in &self.additional_members {
            map.serialize_entry(member, value)?;
        }
        if let Some(links) = &self.links {
            map.serialize_entry("links", links)?;
        }
        map.end()
    }
}

/// Calls `write` for each member that the view contains.
///
/// # Errors
/// The first error of `write`.
pub(crate) fn serialize_members<M: SerializeMap>(
    map: &mut M,
    resource: &dyn MemberSource,
    view: MemberView,
    mut write: impl FnMut(&mut M, &'static str, MemberValue<'_>) -> Result<(), M::Error>,
) -> Result<(), M::Error> {
    let mut written = Ok(());
    resource.visit_members(view, &mut |member, shown| {
        if written.is_ok() {
            written = write(map, member, shown);
        }
    });
    written
}

/// Serializes a member. A reference becomes its id. The tax identity of a person and account numbers are
/// masked to their last digits.
///
/// # Errors
/// The error of the serializer.
pub(crate) fn serialize_member<M: SerializeMap>(
    map: &mut M,
    member: &'static str,
    shown: MemberValue<'_>,
) -> Result<(), M::Error> {
    match shown {
        MemberValue::Text(text) => map.serialize_entry(member, text),
        MemberValue::Displayed(value) => map.serialize_entry(member, &DisplayedText(value)),
        MemberValue::Flag(flag) => map.serialize_entry(member, &flag),
        MemberValue::Number(number) => map.serialize_entry(member, &number),
        MemberValue::Decimal(number) => {
            // A raw value preserves all digits of the decimal, without rounding.
            let exact = RawValue::from_string(number.to_string()).map_err(M::Error::custom)?;
            map.serialize_entry(member, &exact)
        }
        MemberValue::Texts(texts) => map.serialize_entry(member, texts),
        MemberValue::Object(_) | MemberValue::Objects(_) => serialize_member_without(map, member, shown, &[]),
        MemberValue::TaxIdentity(legal_id) => {
            map.serialize_entry(member, &TaxIdentity { legal_id, is_complete: false })
        }
        MemberValue::AccountNumber(number) => map.serialize_entry(member, &number.masked()),
        MemberValue::Reference(id_member, id) => map.serialize_entry(member, &ObjectReference(id_member, id)),
    }
}

/// Serializes a member like [`serialize_member`], without the members in `omitted`, at any depth.
///
/// # Errors
/// The error of the serializer.
pub(crate) fn serialize_member_without<M: SerializeMap>(
    map: &mut M,
    member: &'static str,
    shown: MemberValue<'_>,
    omitted: &'static [&'static str],
) -> Result<(), M::Error> {
    match shown {
        _ if omitted.contains(&member) => Ok(()),
        MemberValue::Object(object) => map.serialize_entry(member, &NestedObject { object, omitted }),
        MemberValue::Objects(objects) => map.serialize_entry(member, &ObjectList { objects, omitted }),
        shown => serialize_member(map, member, shown),
    }
}

/// An object inside another object.
struct NestedObject<'a> {
    object: &'a dyn MemberSource,
    omitted: &'static [&'static str],
}

impl Serialize for NestedObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        serialize_members(&mut map, self.object, MemberView::Full, |map, member, shown| {
            serialize_member_without(map, member, shown, self.omitted)
        })?;
        map.end()
    }
}

/// A list of objects inside another object.
struct ObjectList<'a> {
    objects: &'a [&'a dyn MemberSource],
    omitted: &'static [&'static str],
}

impl Serialize for ObjectList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { objects, omitted } = self;
        serializer.collect_seq(objects.iter().map(|object| NestedObject { object: *object, omitted }))
    }
}

/// A reference to another object.
struct ObjectReference<'a>(&'static str, &'a str);

impl Serialize for ObjectReference<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.0, self.1)])
    }
}

/// A tax identity. The identity of a person is masked unless `is_complete` is set.
#[derive(Debug)]
pub(crate) struct TaxIdentity<'a> {
    pub(crate) legal_id: &'a LegalId,
    pub(crate) is_complete: bool,
}

impl Serialize for TaxIdentity<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("legalIdType", self.legal_id.kind().as_str())?;
        if self.is_complete {
            map.serialize_entry("legalIdValue", self.legal_id.digits())?;
        } else {
            map.serialize_entry("legalIdValue", &self.legal_id.masked())?;
        }
        map.end()
    }
}
