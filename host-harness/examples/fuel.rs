//! What one call costs in instructions, exactly and on any machine: `cargo run -p negotiator --example fuel`.
//!
//! Takes a component or a core module (`dist/negotiator.wasm` unless told otherwise). Fuel is close
//! to a count of instructions, and says nothing of what the host spends on a call.

use std::path::PathBuf;

use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Config, Engine, Store};

mod bindings {
    wasmtime::component::bindgen!({ path: "../wit", world: "negotiator" });
}

use bindings::Negotiator;
use bindings::exports::openwop::negotiation::record::Context;
use bindings::exports::openwop::negotiation::types::*;
use bindings::openwop::negotiation::policy;

type Error = Box<dyn std::error::Error>;

/// No policy is asked: only components with a policy inside are measured.
struct Host;

impl policy::Host for Host {
    fn configure(&mut self, _: String) -> Result<(), String> {
        Ok(())
    }

    fn judge(&mut self, _: policy::Proposal) -> policy::Verdict {
        policy::Verdict::Deny
    }
}

fn main() -> Result<(), Error> {
    let file = std::env::args_os().nth(1).map(PathBuf::from);
    let file = file.unwrap_or_else(|| "dist/negotiator.wasm".into());
    let mut bytes = std::fs::read(&file)?;
    if bytes.get(4) == Some(&1) {
        bytes = wit_component::ComponentEncoder::default()
            .module(&bytes)?
            .encode()?;
    }
    println!("{}: {} bytes", file.display(), bytes.len());

    let mut config = Config::new();
    config.consume_fuel(true);
    let engine = Engine::new(&config)?;
    let component = Component::from_binary(&engine, &bytes)?;
    let mut linker = Linker::new(&engine);
    policy::add_to_linker::<_, HasSelf<Host>>(&mut linker, |host| host)?;
    let mut store = Store::new(&engine, Host);
    store.set_fuel(FUEL)?;
    let component = Negotiator::instantiate(&mut store, &component, &linker)?;
    line("instantiate", &store)?;

    let negotiate = component.openwop_negotiation_negotiate();
    store.set_fuel(FUEL)?;
    negotiate
        .call_configure(&mut store, &facets(), "")?
        .map_err(|_| "faults")?;
    line("configure", &store)?;

    let named = exchange(Named::One("2025-06-18".to_owned()));
    for name in ["decide, first", "decide"] {
        store.set_fuel(FUEL)?;
        negotiate.call_decide(&mut store, &named)?;
        line(name, &store)?;
    }
    let many = vec![named.clone(); 64];
    for name in ["decide-many of 64, first", "decide-many of 64"] {
        store.set_fuel(FUEL)?;
        negotiate.call_decide_many(&mut store, &many)?;
        line(name, &store)?;
    }
    let record = component.openwop_negotiation_record();
    let plain = "https://peer.example/mcp";
    for (name, url) in [
        ("settle, without a peer", None),
        ("settle, first", Some(plain)),
        ("settle", Some(plain)),
        ("settle, odd URL", Some("https://PEER.example/mcp")),
    ] {
        store.set_fuel(FUEL)?;
        record
            .call_settle(&mut store, &named, &context(url))?
            .map_err(|_| "fault")?;
        line(name, &store)?;
    }
    store.set_fuel(FUEL)?;
    let refused = exchange(Named::One("2024-10-07".to_owned()));
    record
        .call_settle(&mut store, &refused, &context(Some(plain)))?
        .map_err(|_| "fault")?;
    line("settle, refused", &store)?;
    store.set_fuel(FUEL)?;
    record.call_digest_origin(&mut store, plain)?;
    line("digest-origin", &store)
}

const FUEL: u64 = 1_000_000_000;

fn line(name: &str, store: &Store<Host>) -> Result<(), Error> {
    println!("{name:<28}{:>9}", FUEL.saturating_sub(store.get_fuel()?));
    Ok(())
}

fn facets() -> Facets {
    let facet = |offered: &[&str], preferred: &str, floor: &str| Facet {
        offered: offered.iter().map(|&version| version.to_owned()).collect(),
        preferred: preferred.to_owned(),
        floor: floor.to_owned(),
    };
    Facets {
        a2a: Some(facet(&["0.3", "1.0"], "1.0", "0.3")),
        mcp: Some(facet(
            &[
                "2024-11-05",
                "2025-03-26",
                "2025-06-18",
                "2025-11-25",
                "2026-07-28",
            ],
            "2025-11-25",
            "2025-03-26",
        )),
    }
}

fn exchange(named: Named) -> Exchange {
    Exchange {
        protocol: Protocol::Mcp,
        direction: Direction::Inbound,
        authenticated: true,
        surface: Surface::McpInitialize,
        named,
        session: None,
        offers: None,
        answered: None,
    }
}

fn context(url: Option<&str>) -> Context {
    Context {
        at: "2026-11-30T12:00:00Z".to_owned(),
        peer_url: url.map(str::to_owned),
        subject: Some(Subject {
            tenant: "acme".to_owned(),
            workspace: Some("ws-1".to_owned()),
        }),
        run_id: None,
        sequence: None,
        event_id: Some("hev-0123456789abcdef01234567".to_owned()),
    }
}
