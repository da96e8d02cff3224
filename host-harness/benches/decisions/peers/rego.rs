//! Rego, by regorus.

use regorus::{Engine, Value};

use super::{Peer, posture};

pub struct Rego(Engine);

const POLICY: &str = "package negotiation
import rego.v1

default accepted := false

accepted if {
    rank := data.offered[input.named]
    rank >= data.floor
    proven(rank)
}

proven(_) if input.authenticated
proven(rank) if rank >= data.preferred
";

impl Peer for Rego {
    const NAME: &'static str = "Rego (regorus 0.14)";
    type Asked = Value;

    fn new() -> Self {
        let mut engine = Engine::new();
        engine
            .add_policy("negotiation.rego".to_owned(), POLICY.to_owned())
            .unwrap();
        let (offered, floor, preferred) = posture();
        let offered: serde_json::Map<_, _> = offered
            .into_iter()
            .map(|(version, rank)| (version, rank.into()))
            .collect();
        let data = serde_json::json!({"offered": offered, "floor": floor, "preferred": preferred});
        engine.add_data_json(&data.to_string()).unwrap();
        Self(engine)
    }

    fn asked(&self, named: &str, authenticated: bool) -> Value {
        let mut asked = Value::new_object();
        let members = asked.as_object_mut().unwrap();
        members.insert("named".into(), named.into());
        members.insert("authenticated".into(), authenticated.into());
        asked
    }

    fn decide(&mut self, asked: &Value) -> bool {
        self.0.set_input(asked.clone());
        let accepted = self.0.eval_rule("data.negotiation.accepted".to_owned());
        *accepted.unwrap().as_bool().unwrap()
    }
}
