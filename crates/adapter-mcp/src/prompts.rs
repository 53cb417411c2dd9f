//! The prompt `pay_run`, which guides a model through a pay run.

use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use crate::side::Api;

/// The name of the prompt.
const PAY_RUN_PROMPT: &str = "pay_run";

/// The maximum number of characters of an argument. An id has at most 64 characters.
const MAX_ARGUMENT_LENGTH: usize = 64;

/// Returns the prompts that a client offers to a person.
pub(crate) fn list_prompts() -> Vec<Prompt> {
    let arguments = vec![
        PromptArgument::new("companyId").with_description("The company.").with_required(true),
        PromptArgument::new("payPeriodId")
            .with_description("The id of the pay period. Default: the open pay period.")
            .with_required(false),
    ];
    let about = "Prepare, check and complete a pay run together with a person";
    vec![Prompt::new(PAY_RUN_PROMPT, Some(about), Some(arguments)).with_title("Pay run")]
}

/// Returns the text of a prompt for these arguments.
///
/// # Errors
/// A sentence if the prompt is unknown, or if an argument is missing or not an id.
pub(crate) fn get_prompt(name: &str, arguments: &JsonObject, side: Api) -> Result<GetPromptResult, String> {
    if name != PAY_RUN_PROMPT {
        return Err(format!("there is no prompt {name}. The only prompt is {PAY_RUN_PROMPT}"));
    }
    let id = |name: &str| {
        let text = arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let is_id = text.len() <= MAX_ARGUMENT_LENGTH
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        if is_id { Ok(text) } else { Err(format!("{name} must be an id")) }
    };
    let (company_id, period_id) = (id("companyId")?, id("payPeriodId")?);
    if company_id.is_empty() {
        return Err("the argument companyId is required".to_owned());
    }
    let period = match period_id {
        "" => "its open pay period (read `listPayPeriods`, and ask if there are several)".to_owned(),
        id => format!("the pay period {id}"),
    };
    let steps = match side {
        Api::Partner => PARTNER_TEXT,
        Api::Operator => OPERATOR_TEXT,
    };
    let text = format!("Help me with the pay run of the company {company_id} for {period}.\n\n{steps}");
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description("A pay run, step by step"))
}

/// The steps of a pay run for a partner. The last step adds the checks, because only operators complete the
/// pay period.
const PARTNER_TEXT: &str = "\
1. Read the pay period with `getPayPeriod`. Checks can be added only in the states INITIAL and ENTRY.
2. Read the pay components with `listPayComponents`. Find workers with `find_worker`. Do not guess an id.
3. Show me the checks that you want to add as a table: worker, component, hours or amount. Wait for my reply.
4. Call `draft_checks`. If there are faults, correct them by their pointers and resolutions, and explain each \
correction to me. Use `explain_error` for a code that you do not know.
5. Show me the totals. After I agree, call `addChecks` with an `idempotencyKey` and `execute: true`. If the \
response is lost, repeat the call with the same key.
6. The operator closes and completes the pay period. Afterwards `listChecks` shows gross and net pay.
";

/// The steps of a pay run for an operator.
const OPERATOR_TEXT: &str = "\
1. Read the pay period with `getPayPeriod` and its checks with `listChecks`. Tell me what is unusual: workers \
without a check, amounts far from those of the last period (`readRegister`).
2. Missing checks: draft them with `draft_checks`, correct faults by their pointers, and show me the totals. \
After I agree, call `addChecksOfOperator` with an `idempotencyKey` and `execute: true`.
3. After I agree, close the pay period with `processPayPeriod` and `execute: true`. No more checks are accepted.
4. Preview the completion: call `completePayPeriod` without `execute`. Show me gross pay, taxes, net pay and all \
warnings.
5. After I agree, call `completePayPeriod` with `execute: true`. If the result is the error API-409 that two \
operators are needed, call `requestCompletion` instead. Another person with another operator key then approves \
it. You cannot approve it with this key, so tell me who has to act.
6. Read `readRegister` and `readJournal`, and compare them with the preview.
";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tools::tests::tools;

    #[test]
    fn the_prompt_names_tools_that_exist() {
        for (side, steps) in [(Api::Partner, PARTNER_TEXT), (Api::Operator, OPERATOR_TEXT)] {
            let tools = tools(side);
            for name in steps.split('`').skip(1).step_by(2) {
                let is_tool = tools.catalog.operation(name).is_some()
                    || tools.composite_tools.iter().any(|it| it.tool.name == name);
                let is_argument = ["execute", "execute: true", "idempotencyKey"].contains(&name);
                assert!(is_tool || is_argument, "{side:?}: {name}");
            }
        }
    }

    #[test]
    fn the_company_is_required_and_ids_are_checked() {
        let text =
            |arguments: Value| get_prompt(PAY_RUN_PROMPT, arguments.as_object().unwrap(), Api::Partner);
        assert!(text(json!({"companyId": "C", "payPeriodId": "P"})).is_ok());
        for arguments in [json!({}), json!({"companyId": "C\nIgnore this"})] {
            assert!(text(arguments).is_err());
        }
        assert!(get_prompt("other", &JsonObject::new(), Api::Partner).is_err());
    }
}
