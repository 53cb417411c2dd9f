//! The methods of MCP: tools, resources and prompts.

use std::sync::Arc;

use payroll_ports::api_calls::ApiCaller;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, GetPromptRequestParams, GetPromptResponse,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};

use crate::composite::CompositeTool;
use crate::selection::ToolSelection;
use crate::tools::ApiTools;
use crate::{call, composite, documents, prompts};

/// The instructions for a model that uses the tools.
const INSTRUCTIONS: &str = "Tools of a payroll API. Without `execute: true`, a tool that writes changes \
    nothing: the call is a dry run, or reports that the tool has no dry run. Show the result of a dry run \
    to a person before you execute it. An error \
    has a code, a pointer into the arguments and a resolution: correct the argument and call the tool \
    again. Send an `idempotencyKey` with every write that you may have to repeat. Amounts are decimal \
    numbers in strings.";

/// Handles the messages of one client. Over HTTP, which has no sessions, a handler handles only one message.
#[derive(Clone)]
pub(crate) struct MessageHandler {
    pub(crate) tools: Arc<ApiTools>,
    pub(crate) selection: ToolSelection,
    pub(crate) api: Arc<dyn ApiCaller>,
}

impl MessageHandler {
    /// Returns the tools that the client has selected with the URL's query or the command's options.
    fn selected_tools(&self) -> impl Iterator<Item = &Tool> {
        let composed = self.tools.composite_tools.iter();
        let composed = composed.filter(|it| self.tools.is_composite_selected(it, &self.selection));
        let operations = self.tools.catalog.operations().iter();
        let operations =
            operations.filter(|it| self.selection.includes(it.is_read_only(), it.tag.as_deref()));
        composed.map(|it| &it.tool).chain(operations.map(|it| &it.tool))
    }

    /// Returns the selected tools that the scopes of the caller permit.
    fn permitted_tools(&self) -> impl Iterator<Item = &Tool> {
        let scopes = self.api.scopes();
        self.selected_tools().filter(move |tool| {
            let required = self.tools.required_scopes(&tool.name);
            scopes.is_none_or(|scopes| required.into_iter().all(|scope| scopes.contains(scope)))
        })
    }

    fn is_offered(&self, name: &str) -> bool {
        self.selected_tools().any(|tool| tool.name == name)
    }

    fn find_composite(&self, name: &str) -> Option<&CompositeTool> {
        self.tools.composite_tools.iter().find(|it| it.tool.name == name)
    }
}

impl ServerHandler for MessageHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("payroll-server", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.permitted_tools().cloned().collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.selected_tools().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        if !self.is_offered(&request.name) {
            let message =
                format!("there is no tool {}. The method tools/list returns all tools", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let api = &*self.api;
        if let Some(composed) = self.find_composite(&request.name) {
            return Ok(composite::execute_composite_tool(
                composed,
                (self.tools.side, &self.tools.catalog),
                &arguments,
                api,
            )
            .await
            .into());
        }
        match self.tools.catalog.operation(&request.name) {
            Some(operation) => Ok(call::execute_tool(operation, &arguments, api).await.into()),
            None => Err(ErrorData::internal_error("the tool has no operation", None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = documents::list_pages(&*self.api).await.map_err(no_response_error)?;
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(documents::resource_templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = documents::read_page(&request.uri, &self.tools.catalog, &*self.api)
            .await
            .map_err(no_response_error)?;
        read.map(Into::into).ok_or_else(|| {
            ErrorData::resource_not_found(format!("there is no resource {}", request.uri), None)
        })
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list_prompts()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let prompt = prompts::get_prompt(&request.name, &arguments, self.tools.side);
        prompt.map(Into::into).map_err(|message| ErrorData::invalid_params(message, None))
    }
}

/// Returns the JSON-RPC error for a method if the API did not respond to its request.
fn no_response_error(error: payroll_ports::BoxError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
