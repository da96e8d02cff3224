//! Exports `record` and `answer`.

use alloc::string::String;

use negotiation_core::decision::could_have_made;
use negotiation_core::{
    Decision, Exchange, Fault, HostRefusal, Posture, Settlement, answer, origin, record, refuse,
    settle,
};

use crate::Component;
use crate::bindings::exports::openwop::negotiation::{answer as wit_answer, record as wit, types};
use crate::convert;
use crate::state::{self, State};

impl wit::Guest for Component {
    fn settle(
        exchange: types::Exchange,
        context: wit::Context,
    ) -> Result<wit::Settlement, types::Fault> {
        let exchange = convert::exchange(&exchange);
        let context = convert::context(context);
        with_posture(|posture, state| {
            settle(posture, &exchange, &context, &mut state.policy).map(settlement)
        })
    }

    fn refuse(
        exchange: types::Exchange,
        context: wit::Context,
        refusal: wit::HostRefusal,
    ) -> Result<wit::Settlement, types::Fault> {
        let exchange = convert::exchange(&exchange);
        let context = convert::context(context);
        let refusal = match refusal {
            wit::HostRefusal::PolicyFailed => HostRefusal::PolicyFailed,
            wit::HostRefusal::CredentialRequired => HostRefusal::CredentialRequired,
        };
        with_posture(|posture, _| refuse(posture, &exchange, &context, refusal).map(settlement))
    }

    fn build(
        exchange: types::Exchange,
        decision: types::Decision,
        context: wit::Context,
    ) -> Result<wit::Entry, types::Fault> {
        let exchange = convert::exchange(&exchange);
        let context = convert::context(context);
        with_posture(|posture, _| {
            context.check()?;
            let decision = possible(posture, &exchange, &decision)?;
            let digest = context.peer_digest();
            Ok(convert::wit_entry(record::build(
                posture, &exchange, &decision, &context, digest,
            )))
        })
    }

    fn digest_origin(url: String) -> Option<String> {
        origin::digest(&url)
    }
}

impl wit_answer::Guest for Component {
    fn build(
        exchange: types::Exchange,
        decision: types::Decision,
        run_id: Option<String>,
    ) -> Result<wit_answer::Reply, types::Fault> {
        let exchange = convert::exchange(&exchange);
        with_posture(|posture, _| {
            record::check_run_id(run_id.as_deref())?;
            let decision = possible(posture, &exchange, &decision)?;
            let reply = answer::build(posture, &exchange, &decision, run_id.as_deref());
            Ok(convert::wit_reply(reply))
        })
    }

    fn not_durable(exchange: types::Exchange) -> wit_answer::Reply {
        convert::wit_reply(answer::not_durable(&convert::exchange(&exchange)))
    }
}

/// Works under the posture of this instance. Without one everything is refused as not configured,
/// which is a decision too and goes on record.
fn with_posture<T>(
    work: impl FnOnce(&Posture, &mut State) -> Result<T, Fault>,
) -> Result<T, types::Fault> {
    state::with(|state| {
        let posture = state.posture.take();
        let result = work(posture.as_ref().unwrap_or(&Posture::default()), state);
        state.posture = posture;
        result.map_err(convert::wit_fault)
    })
    .unwrap_or_else(|| {
        Err(convert::wit_fault(Fault::new(
            "context",
            "the instance is in use",
        )))
    })
}

fn settlement(settlement: Settlement) -> wit::Settlement {
    wit::Settlement {
        decision: convert::wit_decision(&settlement.decision),
        entry: convert::wit_entry(settlement.entry),
        reply: convert::wit_reply(settlement.reply),
    }
}

/// A decision that comes back from the host must be one that the rules can have made.
fn possible(
    posture: &Posture,
    exchange: &Exchange,
    decision: &types::Decision,
) -> Result<Decision, Fault> {
    convert::decision(exchange.protocol, decision)
        .filter(|decision| could_have_made(posture, exchange, decision))
        .ok_or_else(|| {
            Fault::new(
                "decision",
                "must be a decision that the rules can have made on this exchange",
            )
        })
}
