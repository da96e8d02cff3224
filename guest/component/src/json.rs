//! Exports `json`.

use alloc::string::String;

use negotiation_core::ops::{self, OpError};

use crate::Component;
use crate::bindings::exports::openwop::negotiation::json as wit;
use crate::state;

type Answer = Result<String, String>;

impl wit::Guest for Component {
    fn configure(request: String) -> Answer {
        let configured = ops::configure(&request).and_then(|(posture, settings)| {
            state::configure(posture, &settings).map_err(OpError::InvalidFacets)
        });
        match configured {
            Ok(()) => Ok("{}".into()),
            Err(error) => Err(error.to_json()),
        }
    }

    fn settle(request: String) -> Answer {
        run("settle", &request)
    }

    fn refuse(request: String) -> Answer {
        run("refuse", &request)
    }

    fn decide(request: String) -> Answer {
        run("decide", &request)
    }

    fn record(request: String) -> Answer {
        run("record", &request)
    }

    fn digest(request: String) -> Answer {
        run("digest", &request)
    }

    fn rounds(request: String) -> Answer {
        run("rounds", &request)
    }

    fn fresh(request: String) -> Answer {
        run("fresh", &request)
    }

    fn facets(request: String) -> Answer {
        run("facets", &request)
    }

    fn check(request: String) -> Answer {
        run("check", &request)
    }

    fn task_state(request: String) -> Answer {
        run("task-state", &request)
    }
}

fn run(operation: &str, request: &str) -> Answer {
    state::with(|state| {
        ops::run(
            operation,
            request,
            state.posture.as_ref(),
            &mut state.policy,
        )
    })
    .flatten()
    .unwrap_or_else(|| Err(String::new()))
}
