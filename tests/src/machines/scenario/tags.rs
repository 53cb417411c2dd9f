//! Verifies the entity tags of the entire scenario. Each entity tag must identify only one content.

use std::collections::HashMap;

use crate::support::Response;

/// The request to which an entity tag belongs: the caller, the path with query, and the media type of the
/// response.
type TagKey = (String, String, String);

/// All received entity tags with the response bodies, and the last tag for each caller, path and media type.
#[derive(Default)]
pub(super) struct ReceivedTags {
    contents: HashMap<(TagKey, String), String>,
    last: HashMap<TagKey, String>,
}

impl ReceivedTags {
    /// Stores the entity tag and the body of a response. If the body differs from the previous one for the
    /// same caller, path and media type, returns the previous entity tag.
    ///
    /// # Panics
    /// The tag has already identified another content.
    pub(super) fn verify_tag(&mut self, who: &str, target: &str, response: &Response) -> Option<String> {
        let tag = response.header("etag");
        if tag.is_empty() {
            return None;
        }
        let content = response.text();
        let key = (who.to_owned(), target.to_owned(), response.header("content-type").to_owned());
        let first = self.contents.entry((key.clone(), tag.to_owned())).or_insert_with(|| content.clone());
        assert_eq!(*first, content, "one tag for two contents: {target} {tag}");
        let before = self.last.insert(key.clone(), tag.to_owned())?;
        (self.contents[&(key, before.clone())] != content).then_some(before)
    }

    /// Returns the last response for each caller, path and media type. Each element contains these three
    /// values, the entity tag and the body.
    pub(super) fn last_tags(&self) -> Vec<[String; 5]> {
        let last = self.last.iter().map(|(key, tag)| {
            let (who, target, media_type) = key.clone();
            let content = self.contents[&(key.clone(), tag.clone())].clone();
            [who, target, media_type, tag.clone(), content]
        });
        last.collect()
    }

    /// Returns the number of different ETags that were received.
    pub(super) fn tag_count(&self) -> usize {
        self.contents.len()
    }
}
