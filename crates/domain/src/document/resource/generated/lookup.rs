//! Generators of lookup objects, based on the descriptions of their members.

use super::super::read_resource_document;
use super::RandomSource;
use crate::description::{Member, MemberShape};
use crate::input::parse;
use crate::lookup::LookupKind;
use crate::resource::{Resource, ResourceKind};

impl RandomSource {
    /// Generates a lookup object with values that fit the schemas of its members.
    pub(super) fn random_lookup_object(&mut self, kind: LookupKind) -> Resource {
        let mut document = serde_json::Map::new();
        for member in kind.members() {
            if member.required || self.random_bool() {
                document.insert(member.name.to_owned(), self.random_member(member));
            }
        }
        for (first, last) in [("startDate", "endDate"), ("movedIn", "movedOut")] {
            if let (Some(first_day), Some(last_day)) = (document.get(first), document.get(last)) {
                let mut days = [first_day.clone(), last_day.clone()];
                days.sort_by_key(|day| day.as_str().map(str::to_owned));
                document.extend([first, last].map(str::to_owned).into_iter().zip(days));
            }
        }
        let document = serde_json::Value::from(document).to_string();
        read_resource_document(ResourceKind::Lookup(kind), &parse(document.as_bytes()).unwrap()).unwrap()
    }

    /// Generates a value for a member. The name of the member determines the format of a text.
    fn random_member(&mut self, member: &Member) -> serde_json::Value {
        match member.name {
            "countrySubdivisionCode" => self.random_state().into(),
            "countryCode" => "US".into(),
            "email" => "kim@example.org".into(),
            "occurrence" | "statusReason" => self.random_word().into(),
            _ => self.random_value(&(member.shape)()),
        }
    }

    fn random_value(&mut self, shape: &MemberShape) -> serde_json::Value {
        match shape {
            MemberShape::Id => self.random_id::<()>().to_string().into(),
            MemberShape::Text(longest) => self.random_text(u16::try_from(*longest).unwrap()).into(),
            MemberShape::Enumeration(words) => {
                words[usize::from(self.random_below(words.len().try_into().unwrap()))].clone().into()
            }
            MemberShape::Amount => self.random_amount().to_string().into(),
            MemberShape::Rate => self.random_rate().to_string().into(),
            MemberShape::Quantity => self.random_quantity().to_string().into(),
            MemberShape::SignedQuantity => self.random_quantity().to_string().into(),
            MemberShape::Number => self.random_signed_decimal(4).to_string().into(),
            MemberShape::Flag => self.random_bool().into(),
            MemberShape::Date => self.random_date().to_string().into(),
            MemberShape::Place(last) => (u32::from(self.random_below(u16::MAX)) % (last + 1)).into(),
            MemberShape::Count(most) => (u32::from(self.random_below(u16::MAX)) % most + 1).into(),
            // Every member is generated, even an optional one, because one member may require another.
            MemberShape::Object(members) => {
                let values =
                    members.iter().map(|member| (member.name.to_owned(), self.random_member(member)));
                serde_json::Map::from_iter(values).into()
            }
            MemberShape::Words(_)
            | MemberShape::Texts(_)
            | MemberShape::Objects(_)
            | MemberShape::Reference(_)
            | MemberShape::TaxIdentity
            | MemberShape::AccountNumber => panic!("a lookup object has values of its own alone"),
        }
    }
}
