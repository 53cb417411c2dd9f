//! The selection of tools that a client wants to see. A selection only shortens the list of tools.
//! Permissions depend on the token or key.

use std::collections::BTreeSet;
use std::fmt;

/// The tools that a client selects with the query of the URL, such as `/mcp?readonly=true&tag=Payroll`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSelection {
    /// Whether the selection is limited to tools that only read data.
    pub read_only: bool,
    /// The tags of the API description that select operations. An operation is offered if it has one of these
    /// tags. If the list is empty, all operations are offered.
    pub tags: Vec<String>,
}

/// The error for a query with an unknown parameter or value, or with a duplicate parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidSelection;

impl fmt::Display for InvalidSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the query accepts only readonly=true or readonly=false, once, and tag=NAME, which can be \
             repeated",
        )
    }
}

impl std::error::Error for InvalidSelection {}

/// The error for a selected tag that no operation has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownTag {
    /// The tag that was selected.
    tag: String,
    /// The tags that can be selected.
    known: Vec<String>,
}

impl fmt::Display for UnknownTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no tool has the tag {}. The tags are: {}", self.tag, self.known.join(", "))
    }
}

impl std::error::Error for UnknownTag {}

impl ToolSelection {
    /// Verifies that each selected tag is one of `tags`, the tags of all operations.
    ///
    /// # Errors
    /// [`UnknownTag`] with the first tag that is unknown.
    pub(crate) fn check_tags<'t>(&self, tags: impl Iterator<Item = &'t str>) -> Result<(), UnknownTag> {
        let known: BTreeSet<&str> = tags.collect();
        let is_unknown = |tag: &&String| !known.iter().any(|known| known.eq_ignore_ascii_case(tag));
        match self.tags.iter().find(is_unknown) {
            None => Ok(()),
            Some(tag) => {
                let known = known.into_iter().map(str::to_owned).collect();
                Err(UnknownTag { tag: tag.clone(), known })
            }
        }
    }

    /// Reads the selection from a path with a query.
    ///
    /// # Errors
    /// [`InvalidSelection`] if a parameter is unknown, or if `readonly` occurs twice.
    pub fn from_target(target: &str) -> Result<Self, InvalidSelection> {
        let mut selection = Self::default();
        let Some((_, query)) = target.split_once('?') else { return Ok(selection) };
        let mut read_only = None;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').ok_or(InvalidSelection)?;
            // Parameter names are case-insensitive, as in the queries of the API.
            match (name.to_ascii_lowercase().as_str(), value) {
                ("readonly", "true" | "false") if read_only.is_none() => read_only = Some(value == "true"),
                ("tag", tag) if !tag.is_empty() => selection.tags.push(tag.to_owned()),
                _ => return Err(InvalidSelection),
            }
        }
        selection.read_only = read_only.unwrap_or_default();
        Ok(selection)
    }

    /// Returns whether a tool is selected. A selection by tags always includes the tools without a tag.
    #[must_use]
    pub(crate) fn includes(&self, reads: bool, tag: Option<&str>) -> bool {
        let fits =
            |tag: &str| self.tags.is_empty() || self.tags.iter().any(|it| it.eq_ignore_ascii_case(tag));
        (reads || !self.read_only) && tag.is_none_or(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_selects_reading_tools_and_tags() {
        let all = ToolSelection::from_target("/mcp").unwrap();
        assert!(all.includes(false, Some("Payroll")));
        let some = ToolSelection::from_target("/mcp?readonly=true&tag=Payroll&tag=Worker").unwrap();
        assert!(some.includes(true, Some("payroll")) && some.includes(true, None));
        assert!(!some.includes(false, Some("Payroll")) && !some.includes(true, Some("Company")));
    }

    #[test]
    fn an_unknown_tag_is_rejected_with_the_known_tags() {
        let selection = ToolSelection::from_target("/mcp?tag=worker&tag=Nope").unwrap();
        let error = selection.check_tags(["Worker", "Payroll", "Worker"].into_iter()).unwrap_err();
        assert_eq!(error.to_string(), "no tool has the tag Nope. The tags are: Payroll, Worker");
        assert_eq!(selection.check_tags(["Worker", "Nope"].into_iter()), Ok(()));
    }

    #[test]
    fn an_unknown_or_duplicate_parameter_is_rejected() {
        for query in [
            "readonly",
            "readonly=yes",
            "tag=",
            "write=true",
            "readonly=true&readonly=false",
            "readonly=true&readonly=true",
            "readonly=true&ReadOnly=false",
        ] {
            assert_eq!(
                ToolSelection::from_target(&format!("/mcp?{query}")),
                Err(InvalidSelection),
                "{query}"
            );
        }
    }
}
