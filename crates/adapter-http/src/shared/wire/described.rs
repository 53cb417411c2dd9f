//! Resources as they are described in the domain, with their links behind their members.

use payroll_domain::description::{Described, Shown};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::link::Link;
use super::value::Text;

/// A described resource on its way out.
#[derive(Debug)]
pub(crate) struct DescribedResource<'a, T> {
    resource: &'a T,
    /// `None`: such a resource has no links.
    links: Option<Vec<Link<'a>>>,
}

impl<'a, T> DescribedResource<'a, T> {
    /// A resource with links.
    pub(crate) const fn with_links(resource: &'a T, links: Vec<Link<'a>>) -> Self {
        Self { resource, links: Some(links) }
    }

    /// A resource without links.
    pub(crate) const fn bare(resource: &'a T) -> Self {
        Self { resource, links: None }
    }
}

impl<T: Described> Serialize for DescribedResource<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let mut failed = None;
        self.resource.show(&mut |member, shown| {
            let written = match shown {
                Shown::Text(text) => map.serialize_entry(member, &Text(text)),
                Shown::Flag(flag) => map.serialize_entry(member, &flag),
                Shown::Number(number) => map.serialize_entry(member, &number),
                Shown::Texts(texts) => map.serialize_entry(member, texts),
            };
            failed = failed.take().or(written.err());
        });
        if let Some(failed) = failed {
            return Err(failed);
        }
        if let Some(links) = &self.links {
            map.serialize_entry("links", links)?;
        }
        map.end()
    }
}
