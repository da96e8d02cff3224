//! The Common Expression Language, by cel.

use std::collections::HashMap;
use std::sync::Arc;

use cel::{Context, Env, Program, Value};

use super::{Peer, posture};

pub struct Cel {
    env: Arc<Env>,
    program: Program,
    offered: HashMap<String, i64>,
    floor: i64,
    preferred: i64,
}

const RULE: &str = "named in offered && offered[named] >= floor && \
    (authenticated || offered[named] >= preferred)";

impl Peer for Cel {
    const NAME: &'static str = "CEL (cel 0.15)";
    type Asked = Context<'static, 'static>;

    fn new() -> Self {
        let env = Arc::new(Env::stdlib());
        let program = env.compile(RULE).unwrap();
        let (offered, floor, preferred) = posture();
        Self {
            env,
            program,
            offered: offered.into_iter().collect(),
            floor,
            preferred,
        }
    }

    /// A context holds the posture, too: an expression has no other data.
    fn asked(&self, named: &str, authenticated: bool) -> Self::Asked {
        let mut context = Context::with_env(Arc::clone(&self.env));
        context.add_variable_from_value("offered", self.offered.clone());
        context.add_variable_from_value("floor", self.floor);
        context.add_variable_from_value("preferred", self.preferred);
        context.add_variable_from_value("named", named);
        context.add_variable_from_value("authenticated", authenticated);
        context
    }

    fn decide(&mut self, asked: &Self::Asked) -> bool {
        matches!(self.program.execute(asked).unwrap(), Value::Bool(true))
    }
}
