//! The rules as built for this machine, behind the names of the JSON contract.

use negotiation_core::ops::OpError;
use negotiation_core::{Fault, Highest, Policy, ops};

/// Runs an operation of the JSON contract under the default policy.
///
/// # Errors
/// The error answer, as JSON text.
pub fn run(operation: &str, request: &str) -> Result<String, String> {
    run_with(operation, request, &mut Highest)
}

/// Runs an operation under a policy.
///
/// # Errors
/// The error answer, as JSON text.
pub fn run_with(operation: &str, request: &str, policy: &mut dyn Policy) -> Result<String, String> {
    if operation == "configure" {
        // What the default policy says of settings belongs to the component, not to the rules.
        let problem = "must be empty: the default policy takes no settings";
        return match ops::configure(request) {
            Ok((_, settings)) if settings.is_empty() => Ok("{}".to_string()),
            Ok(_) => Err(OpError::InvalidFacets(vec![Fault::new("settings", problem)]).to_json()),
            Err(error) => Err(error.to_json()),
        };
    }
    ops::run(operation, request, None, policy).unwrap_or_else(|| Err("no such operation".into()))
}
