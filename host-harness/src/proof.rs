//! What a negotiator is held against: the complete grid of small facets, the independent model of
//! the rules, the named invariants, and the corpus.
//!
//! Nothing here looks at how a component works. A gate, a comparison of two policies, a
//! certificate and the tests all ask the same questions through this module.
//!
//! ```
//! use negotiator::proof;
//! use negotiator::types::Protocol;
//!
//! let postures = proof::postures(Protocol::Mcp);
//! let exchanges = proof::exchanges(Protocol::Mcp);
//! assert_eq!(postures.len(), 56);
//! let expected = proof::expected(&postures[0], &exchanges[0], proof::Policy::Highest).unwrap();
//! assert!(expected.version.is_some() || expected.reason.as_str() != "ok");
//! ```

mod contexts;
mod corpus;
mod grid;
mod invariants;
mod largest;
mod model;
mod record;
mod reply;
mod rules;
mod text;

pub use contexts::contexts;
pub use corpus::{Replayed, corpus_branches, replay};
pub use grid::{decisions, exchanges, foreign, offerable, postures};
pub use invariants::{check_best, check_decision, check_settlement};
pub use largest::largest;
pub use model::{Outcome, Policy, case, context_value, expected, settled};
pub(crate) use model::{facet, version};
pub use negotiation_model::BRANCHES;
pub use rules::{Rule, Violation};
pub(crate) use text::{cause, refusal};
pub use text::{reply_text, settlement_text};
