//! Cedar, by cedar-policy. It has no maps: versions that are offered are entities with a rank.

use cedar_policy::{
    Authorizer, Context, Decision, Entities, Entity, EntityUid, PolicySet, Request,
    RestrictedExpression,
};

use super::{Peer, posture};

pub struct Cedar {
    authorizer: Authorizer,
    policies: PolicySet,
    entities: Entities,
}

const POLICY: &str = r#"permit(principal, action == Action::"use", resource is Version)
when {
    resource has rank &&
    resource.rank >= FLOOR &&
    (context.authenticated || resource.rank >= PREFERRED)
};"#;

impl Peer for Cedar {
    const NAME: &'static str = "Cedar (cedar-policy 4.14)";
    type Asked = Request;

    fn new() -> Self {
        let (offered, floor, preferred) = posture();
        let policy = POLICY
            .replace("FLOOR", &floor.to_string())
            .replace("PREFERRED", &preferred.to_string());
        let entities = offered.into_iter().map(|(version, rank)| {
            let rank = ("rank".to_owned(), RestrictedExpression::new_long(rank));
            Entity::new(id("Version", &version), [rank].into(), [].into()).unwrap()
        });
        Self {
            authorizer: Authorizer::new(),
            policies: policy.parse().unwrap(),
            entities: Entities::from_entities(entities, None).unwrap(),
        }
    }

    fn asked(&self, named: &str, authenticated: bool) -> Request {
        let authenticated = RestrictedExpression::new_bool(authenticated);
        let context = Context::from_pairs([("authenticated".to_owned(), authenticated)]).unwrap();
        let (caller, action) = (id("Caller", "peer"), id("Action", "use"));
        Request::new(caller, action, id("Version", named), context, None).unwrap()
    }

    fn decide(&mut self, asked: &Request) -> bool {
        let response = self
            .authorizer
            .is_authorized(asked, &self.policies, &self.entities);
        response.decision() == Decision::Allow
    }
}

fn id(kind: &str, name: &str) -> EntityUid {
    EntityUid::from_type_name_and_id(kind.parse().unwrap(), name.parse().unwrap())
}
