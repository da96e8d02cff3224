//! The rules as built for this machine, behind the names of the JSON contract.

use negotiation_core::{Highest, Policy, ops};

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
        return ops::configure(request)
            .map(|_| "{}".to_string())
            .map_err(|error| error.to_json());
    }
    ops::run(operation, request, None, policy).unwrap_or_else(|| Err("no such operation".into()))
}
