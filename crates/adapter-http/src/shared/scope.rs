//! Human-readable descriptions of the OAuth scopes.

use payroll_domain::access::Scope;

/// Describes in a sentence what a scope permits.
pub(crate) const fn scope_description(scope: Scope) -> &'static str {
    match scope {
        Scope::ReadCompanies => {
            "Read companies and their lists: contact types, custom employment types, custom fields, organizations."
        }
        Scope::WriteCompanies => "Change the lists of companies.",
        Scope::ReadPayroll => {
            "Read checks, pay periods, pay components, calculation bases, pay rates and recurring components."
        }
        Scope::WritePayroll => "Add and remove checks, and change pay rates and recurring components.",
        Scope::ReadWorkers => "Read workers and their communications.",
        Scope::WriteWorkers => "Change workers and their communications.",
        Scope::ReadTaxIds => "See full social security numbers.",
        Scope::ReadTaxes => "Read the tax settings of workers.",
        Scope::WriteTaxes => "Change the tax settings of workers.",
        Scope::ReadDeposits => "Read the direct deposits of workers, with full account numbers.",
        Scope::WriteDeposits => "Add, change and remove direct deposits of workers.",
        Scope::ReadDocuments => "Read the documents and profile images of workers.",
        Scope::WriteDocuments => "Add and remove documents and profile images of workers.",
        Scope::ReadWebhooks => "Read the application's own hooks and what was sent to them.",
        Scope::WriteWebhooks => "Register, change and remove hooks, and resend notifications.",
    }
}
