//! All tools of an API: tools that execute one operation, and composite tools that send several requests.

use payroll_domain::access::Scope;
use payroll_ports::BoxError;
use payroll_ports::api_calls::ApiCaller;

use crate::catalog::ToolCatalog;
use crate::composite::{self, CompositeTool};
use crate::selection::{ToolSelection, UnknownTag};
use crate::side::Api;

/// The tools of one API.
pub(crate) struct ApiTools {
    pub(crate) side: Api,
    pub(crate) catalog: ToolCatalog,
    pub(crate) composite_tools: Vec<CompositeTool>,
}

impl ApiTools {
    /// Reads the description of the API and builds its tools.
    ///
    /// # Errors
    /// An error if the API does not respond, or if its description is unusable.
    pub(crate) async fn load(side: Api, api: &dyn ApiCaller) -> Result<Self, BoxError> {
        Ok(Self::new(side, ToolCatalog::load(api).await?))
    }

    /// Returns the scopes that a token needs for all operations that a tool uses.
    pub(crate) fn required_scopes(&self, tool: &str) -> Vec<Scope> {
        let composed = self.composite_tools.iter().find(|it| it.tool.name == tool);
        let scope = |name: &str| self.catalog.operation(name).and_then(|operation| operation.scope);
        match composed {
            Some(composed) => composed.operations().iter().filter_map(|name| scope(name)).collect(),
            None => scope(tool).into_iter().collect(),
        }
    }

    /// Verifies that each tag of the selection is the tag of an operation.
    ///
    /// # Errors
    /// [`UnknownTag`] if no operation has a selected tag.
    pub(crate) fn check_selection(&self, selection: &ToolSelection) -> Result<(), UnknownTag> {
        selection.check_tags(self.catalog.operations().iter().filter_map(|it| it.tag.as_deref()))
    }

    /// Returns whether a composite tool is selected. A composite tool is selected if all its operations are
    /// selected.
    pub(crate) fn is_composite_selected(&self, tool: &CompositeTool, selection: &ToolSelection) -> bool {
        let operations = tool.operations().iter().filter_map(|name| self.catalog.operation(name));
        // A composite tool counts as a tool that only reads, because its requests change no data. The first
        // argument of `includes` is therefore `true` even for an operation that usually changes data.
        operations.into_iter().all(|operation| selection.includes(true, operation.tag.as_deref()))
    }

    /// Builds the tools of a catalog.
    pub(crate) fn new(side: Api, catalog: ToolCatalog) -> Self {
        Self { side, composite_tools: composite::all_tools(side, &catalog), catalog }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the tools of the API description in `docs`.
    pub(crate) fn tools(side: Api) -> ApiTools {
        ApiTools::new(side, crate::catalog::tests::catalog(side))
    }

    #[test]
    fn a_composite_tool_needs_the_scopes_of_its_operations() {
        let tools = tools(Api::Partner);
        for (tool, operations) in [
            ("find_worker", &["listWorkers"][..]),
            ("draft_checks", &["addChecks"]),
            ("why_was_hook_not_called", &["getHook", "listDeliveries"]),
        ] {
            let scope = |name: &&str| tools.catalog.operation(name).unwrap().scope.unwrap();
            let expected: Vec<_> = operations.iter().map(scope).collect();
            assert_eq!(tools.required_scopes(tool), expected, "{tool}");
        }
        assert!(tools.required_scopes("explain_error").is_empty());
    }

    #[test]
    fn a_composite_tool_is_selected_by_the_tags_of_its_operations() {
        let tools = tools(Api::Partner);
        let selected = |query: &str| -> Vec<_> {
            let selection = ToolSelection::from_target(&format!("/mcp?{query}")).unwrap();
            assert_eq!(tools.check_selection(&selection), Ok(()));
            let composed = tools.composite_tools.iter();
            let composed = composed.filter(|it| tools.is_composite_selected(it, &selection));
            composed.map(|it| it.tool.name.to_string()).collect()
        };
        assert_eq!(selected("readonly=true").len(), tools.composite_tools.len());
        let tag = tools.catalog.operation("listWorkers").unwrap().tag.clone().unwrap();
        assert_eq!(selected(&format!("tag={tag}")), ["find_worker", "explain_error"]);
        let unknown = ToolSelection::from_target("/mcp?tag=Nope").unwrap();
        assert!(tools.check_selection(&unknown).is_err());
    }

    #[test]
    fn tool_names_are_unique_in_each_api() {
        for side in [Api::Partner, Api::Operator] {
            let tools = tools(side);
            let mut names: Vec<_> =
                tools.catalog.operations().iter().map(|it| it.tool.name.clone()).collect();
            names.extend(tools.composite_tools.iter().map(|it| it.tool.name.clone()));
            let all = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), all);
            assert!(names.iter().all(|name| name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')));
        }
    }
}
