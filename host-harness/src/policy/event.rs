//! What happens to policies, for whoever wants to know.

use std::fmt;

use super::generation::By;
use super::state::Reason;

/// Something that happened to the policy in force.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A generation came into force.
    InForce {
        /// Which.
        by: By,
        /// How.
        reason: Reason,
    },
    /// The policy in force failed too often, and there is nothing to go back to. What it
    /// fails at is refused.
    OverBudget {
        /// Which.
        by: By,
    },
    /// What the store says could not be put in force; what was in force still is.
    NotInForce {
        /// The generation that the store names; 0 where it cannot be read.
        generation: u64,
        /// Why, in words.
        problem: String,
    },
    /// A revert is in force, but could not be made durable.
    NotDurable {
        /// Why, in words.
        problem: String,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InForce { by, reason } => {
                match reason {
                    Reason::Installed => write!(f, "installed: {by}"),
                    Reason::RolledBack => write!(f, "rolled back: {by}"),
                    Reason::ErrorBudget => write!(
                        f,
                        "the policy failed too often and was replaced by the one before: {by}"
                    ),
                }?;
                if by.untrusted {
                    f.write_str("; NOT TRUSTED: nobody vouches for this policy")?;
                }
                Ok(())
            }
            Self::OverBudget { by } => write!(
                f,
                "the policy fails too often and there is none to go back to: {by}"
            ),
            Self::NotInForce {
                generation,
                problem,
            } => write!(f, "generation {generation} is not put in force: {problem}"),
            Self::NotDurable { problem } => {
                write!(
                    f,
                    "went back to the policy before, but not durably: {problem}"
                )
            }
        }
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.policy {
            Some(policy) => write!(f, "generation {}, policy {policy}", self.generation),
            None => f.write_str("no policy"),
        }
    }
}
