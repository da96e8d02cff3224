//! Exports `negotiate`.

use alloc::string::String;
use alloc::vec::Vec;

use negotiation_core::decision::Circumstances;
use negotiation_core::{Cause, Decision, decide};

use crate::Component;
use crate::bindings::exports::openwop::negotiation::{negotiate as wit, types};
use crate::convert;
use crate::state::{self, State};

impl wit::Guest for Component {
    fn configure(facets: types::Facets, settings: String) -> Result<(), Vec<types::Fault>> {
        let posture = convert::posture(&facets).map_err(convert::wit_faults)?;
        state::configure(posture, &settings).map_err(convert::wit_faults)
    }

    fn decide(exchange: types::Exchange) -> types::Decision {
        state::with(|state| one(state, &exchange)).unwrap_or_else(not_configured)
    }

    fn decide_many(exchanges: Vec<types::Exchange>) -> Vec<types::Decision> {
        state::with(|state| {
            exchanges
                .iter()
                .map(|exchange| one(state, exchange))
                .collect()
        })
        .unwrap_or_default()
    }
}

fn one(state: &mut State, exchange: &types::Exchange) -> types::Decision {
    let Some(posture) = &state.posture else {
        return not_configured();
    };
    let exchange = convert::exchange(exchange);
    let circumstances = Circumstances::default();
    convert::wit_decision(&decide(
        posture,
        &exchange,
        circumstances,
        &mut state.policy,
    ))
}

fn not_configured() -> types::Decision {
    convert::wit_decision(&Decision::refused(Cause::NotConfigured))
}
