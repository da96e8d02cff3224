//! `negotiator serve`.

use std::path::PathBuf;

use negotiator::serve::config::Config;
use negotiator::serve::{Host, ServeError};
use tokio::signal::unix::{SignalKind, signal};

use super::exit::{Exit, Failure, OrExit as _};
use super::words;

/// Serve A2A and MCP: negotiate every exchange, record it, then answer
///
/// With an upstream, accepted requests go on to it unchanged. Every setting is a member of the
/// configuration file, and can be set by the environment, which wins: NEGOTIATOR_LISTEN,
/// NEGOTIATOR_A2A__MINIMUM.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The configuration, a TOML file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Serve on this address
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<std::net::SocketAddr>,
    /// Keep records here: a file, or postgres://…
    #[arg(long, value_name = "PLACE")]
    journal: Option<String>,
    /// Let the policy in force in this directory decide (`negotiator policy`)
    #[arg(long, value_name = "DIR")]
    policies: Option<PathBuf>,
    /// Pass accepted requests on to this server
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
}

const AFTER_HELP: &str = "\
Examples:
  negotiator serve --config host-harness/examples/serve.toml
  negotiator serve --config host.toml --upstream http://127.0.0.1:9000

It serves until it gets SIGTERM or SIGINT, then finishes what is under way.

Exit codes:
  0  ended as it was told to
  1  the discovery document that the settings lead to breaks a rule
  2  a setting or an address cannot be used
  3  the component could not be loaded, or failed
  4  the journal could not be opened";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let config = Config::load(args.config.as_deref());
    let mut config = config.or_unreadable("cannot use the configuration")?;
    if let Some(listen) = args.listen {
        config.listen = listen;
    }
    if let Some(journal) = &args.journal {
        config.journal.clone_from(journal);
    }
    if args.policies.is_some() {
        config.policies.clone_from(&args.policies);
    }
    if args.upstream.is_some() {
        config.upstream.clone_from(&args.upstream);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .or_unreadable("cannot start the threads that serve")?;
    runtime.block_on(async {
        let host = Host::start(config).await.map_err(failure)?;
        let mut term = signal(SignalKind::terminate()).or_unreadable("cannot wait for signals")?;
        let mut int = signal(SignalKind::interrupt()).or_unreadable("cannot wait for signals")?;
        words::say(&format!("serving on http://{}", host.address()));
        if let Some(admin) = host.admin_address() {
            words::say(&format!("for operators: http://{admin}"));
        }
        host.serve(async {
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
            }
        })
        .await;
        Ok(Exit::Done)
    })
}

/// The exit code that an error of the host leads to.
pub(crate) fn failure(error: ServeError) -> Failure {
    let exit = match &error {
        ServeError::Findings(_) => Exit::No,
        ServeError::Journal(_) => Exit::Journal,
        ServeError::Runtime(_) | ServeError::Load(_) | ServeError::Check(_) => Exit::Component,
        ServeError::Config(_)
        | ServeError::Configure(_)
        | ServeError::Store(_)
        | ServeError::Policies(_)
        | ServeError::Attend(_)
        | ServeError::Start(_)
        | ServeError::Listen { .. }
        | ServeError::Client(_) => Exit::Unreadable,
    };
    Failure::Stopped {
        exit,
        error: anyhow::Error::new(error),
    }
}
