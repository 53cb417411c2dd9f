//! The tool `explain_error`: returns the meaning of a code, from the table of errors.

use payroll_domain::code::Reason;
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Value, json};

use super::failure::{ToolFailure, required_text};
use crate::result::ArgumentFault;

pub(super) fn run_explain_error(arguments: &JsonObject) -> Result<CallToolResult, ToolFailure> {
    let code = required_text(arguments, "code")?;
    let reasons: Vec<Value> = Reason::ALL
        .iter()
        .filter(|reason| reason.code().eq_ignore_ascii_case(code))
        .map(|reason| json!({"meaning": reason.summary(), "resolution": reason.resolution()}))
        .collect();
    if reasons.is_empty() {
        let description = "there is no such code. The resource payroll://docs/errors.md lists all codes";
        return Err(ArgumentFault::new("code", description).into());
    }
    let note = "The error itself has the description of the case, and a pointer to the value.";
    Ok(CallToolResult::structured(json!({"code": code.to_uppercase(), "reasons": reasons, "note": note})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_code_is_explained_and_unknown_code_is_an_error() {
        let explained = |code: &str| run_explain_error(json!({"code": code}).as_object().unwrap());
        let Ok(result) = explained("api-51") else { panic!("an answer") };
        let document = result.structured_content.unwrap();
        assert_eq!((&document["code"], document["reasons"].as_array().unwrap().len()), (&json!("API-51"), 2));
        assert!(explained("API-0").is_err());
    }
}
