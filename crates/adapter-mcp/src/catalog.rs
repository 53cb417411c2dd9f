//! The tools of an API. The tools are built from the OpenAPI description that the server of this API
//! serves. The tools therefore match the API even if the server runs on another machine with another
//! release.

mod offered;
mod operation;
mod schema;

use payroll_ports::BoxError;
use payroll_ports::api_calls::{ApiCaller, ApiRequest, DESCRIPTION_PATH};
use serde_json::{Map, Value};

use crate::result::parse_document;

pub(crate) use operation::{ArgumentPosition, DEFAULT_LIMIT, ToolArgument, ToolOperation};
use schema::Schemas;

/// The tools of one API.
pub(crate) struct ToolCatalog {
    operations: Vec<ToolOperation>,
    schemas: Map<String, Value>,
}

impl ToolCatalog {
    /// Reads the description from the API.
    ///
    /// # Errors
    /// An error if the API does not respond, or if the description is not usable.
    pub(crate) async fn load(api: &dyn ApiCaller) -> Result<Self, BoxError> {
        let response = api.call(ApiRequest::get(DESCRIPTION_PATH)).await?;
        if !response.is_success() {
            return Err(format!("GET {DESCRIPTION_PATH} returned the status {}", response.status).into());
        }
        Self::from_description(parse_document(&response.body))
    }

    /// Builds the tools from a description.
    ///
    /// # Errors
    /// An error if the document is not a description of this API.
    pub(crate) fn from_description(mut description: Value) -> Result<Self, BoxError> {
        let schemas = match description.pointer_mut("/components/schemas").map(Value::take) {
            Some(Value::Object(schemas)) => schemas,
            _ => return Err("the API description has no schemas".into()),
        };
        let paths = match description.get_mut("paths").map(Value::take) {
            Some(Value::Object(paths)) => paths,
            _ => return Err("the API description has no paths".into()),
        };
        let common = description.pointer("/components/parameters").cloned().unwrap_or_default();
        let resolver = Schemas::new(&schemas);
        let mut operations = Vec::new();
        for (path, methods) in &paths {
            for (method, declared) in methods.as_object().into_iter().flatten() {
                if offered::is_offered((path, method), methods, declared, &resolver) {
                    operations.extend(ToolOperation::from_openapi(
                        (path, method),
                        declared,
                        &common,
                        &resolver,
                    ));
                }
            }
        }
        Ok(Self { operations, schemas })
    }

    /// Returns the operations that are offered as tools. Each operation is one tool.
    pub(crate) fn operations(&self) -> &[ToolOperation] {
        &self.operations
    }

    /// Returns the operation of the tool with this name.
    pub(crate) fn operation(&self, name: &str) -> Option<&ToolOperation> {
        self.operations.iter().find(|it| it.tool.name == name)
    }

    /// Returns a schema of the description together with all schemas that it refers to.
    pub(crate) fn self_contained_schema(&self, name: &str) -> Option<Value> {
        let schema = self.schemas.get(name)?.as_object()?;
        Some(Value::Object(Schemas::new(&self.schemas).with_definitions(schema.clone(), usize::MAX)))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::side::Api;

    /// The maximum size in bytes of an API's complete list of tools, because clients read the list at once.
    const MAX_LIST_BYTES: usize = 600_000;

    fn description(side: Api) -> &'static str {
        match side {
            Api::Partner => include_str!("../../../docs/openapi.json"),
            Api::Operator => include_str!("../../../docs/operator-openapi.json"),
        }
    }

    /// Returns the tools of the API description that is stored in `docs`.
    pub(crate) fn catalog(side: Api) -> ToolCatalog {
        ToolCatalog::from_description(serde_json::from_str(description(side)).unwrap()).unwrap()
    }

    #[test]
    fn catalog_has_the_operations_of_each_api() {
        for (side, count) in [(Api::Partner, 115), (Api::Operator, 160)] {
            let catalog = catalog(side);
            assert!(catalog.operations().len() >= count, "{side:?}: {}", catalog.operations().len());
        }
    }

    #[test]
    fn the_list_of_tools_has_a_limited_size_and_no_unresolved_references() {
        for side in [Api::Partner, Api::Operator] {
            let catalog = catalog(side);
            let tools: Vec<_> = catalog.operations().iter().map(|it| &it.tool).collect();
            let text = serde_json::to_string(&tools).unwrap();
            assert!(text.len() < MAX_LIST_BYTES, "{side:?}: {}", text.len());
            assert!(!text.contains("#/components/"), "{side:?}");
            for tool in tools {
                let schema = serde_json::to_string(&tool.input_schema).unwrap();
                for name in schema.split("\"#/$defs/").skip(1).filter_map(|rest| rest.split('"').next()) {
                    let known = tool.input_schema.get("$defs").and_then(|defs| defs.get(name));
                    assert!(known.is_some(), "{}: {name}", tool.name);
                }
            }
        }
    }

    #[test]
    fn only_reading_tools_are_marked_read_only() {
        let catalog = catalog(Api::Partner);
        let reads = |name: &str| catalog.operation(name).unwrap().is_read_only();
        assert!(reads("listCompanies") && !reads("addChecks"));
        for operation in catalog.operations() {
            let annotations = operation.tool.annotations.as_ref().unwrap();
            assert_eq!(annotations.read_only_hint, Some(operation.is_read_only()), "{}", operation.tool.name);
            let has_execute = operation.tool.input_schema["properties"].get("execute").is_some();
            assert_eq!(has_execute, !operation.is_read_only(), "{}", operation.tool.name);
        }
    }

    /// The only POST operation among the tools whose response schema has a member for a secret. The responses
    /// of this operation never contain the member.
    const TOOL_WITHOUT_SECRET: &str = "enableHook";

    #[test]
    fn no_tool_creates_an_object_whose_response_can_contain_a_secret() {
        let mut found = Vec::new();
        for side in [Api::Partner, Api::Operator] {
            let catalog = catalog(side);
            let description: Value = serde_json::from_str(description(side)).unwrap();
            for methods in description["paths"].as_object().unwrap().values() {
                let Some(posted) = methods.get("post") else { continue };
                let responses = posted["responses"].as_object().unwrap();
                let created: String = responses
                    .iter()
                    .filter(|(status, _)| status.starts_with('2'))
                    .map(|(_, response)| response.to_string())
                    .collect();
                let names = created.split("#/components/schemas/").skip(1);
                let schemas = names.filter_map(|rest| catalog.self_contained_schema(rest.split('"').next()?));
                let has_secret = |schema: Value| {
                    let text = schema.to_string();
                    ["signingSecret", "access_token", "csrfToken", "secretId"]
                        .iter()
                        .any(|member| text.contains(&format!("\"{member}\":")))
                };
                if schemas.into_iter().any(has_secret) {
                    found.push((posted["operationId"].as_str().unwrap().to_owned(), side));
                }
            }
        }
        assert!(found.len() > 4, "{found:?}");
        let tools = found.iter().filter(|(name, side)| catalog(*side).operation(name).is_some());
        assert_eq!(tools.map(|(name, _)| name).collect::<Vec<_>>(), [TOOL_WITHOUT_SECRET]);
    }

    #[test]
    fn no_tool_returns_a_file() {
        let partner = catalog(Api::Partner);
        let names = ["downloadDocument", "getProfileImage"];
        assert!(names.iter().all(|name| partner.operation(name).is_none()));
        assert!(partner.operation("setProfileImage").is_some(), "its response has no bytes");
    }

    #[test]
    fn no_tool_returns_a_credential() {
        let (partner, operator) = (catalog(Api::Partner), catalog(Api::Operator));
        let names = ["createToken", "registerHook", "rotateHookSecret"];
        assert!(names.iter().all(|name| partner.operation(name).is_none()));
        let names = [
            "createOperatorKey",
            "signIn",
            "createSecret",
            "createApplication",
            "revealTaxIdOfWorker",
            "exportCompany",
            "importCompanies",
            "replaceWorker",
        ];
        assert!(names.iter().all(|name| operator.operation(name).is_none()));
        assert!(
            operator.operation("listOperatorKeys").is_some() && operator.operation("changeWorker").is_some()
        );
    }
}
