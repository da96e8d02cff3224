//! A host whose only business is negotiation: A2A and MCP over HTTP, every exchange on record.
//!
//! Each exchange goes one way: read, decide, append, answer. When a record cannot be made durable,
//! the answer is 503 and nothing is served (R15). Tenants come from the credential and from nowhere
//! else. What is advertised is made of the facets that decide, and checked at the start.
//!
//! With an upstream, accepted requests are passed on to it unchanged, and it needs to know nothing
//! of any of this.
#![expect(
    clippy::result_large_err,
    reason = "where a request ends early, the error is its answer"
)]

pub mod config;

mod a2a;
mod advertise;
mod answer;
mod body;
mod client;
mod console;
mod credentials;
mod deciding;
mod events;
mod exchange;
mod listen;
mod log;
mod mcp;
mod message;
mod metrics;
mod operations;
mod outbound;
mod proxy;
mod runs;
mod seams;
mod sessions;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use serde_json::Value;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::Negotiator;
use crate::error::{ConfigureError, LoadError, OperationError, RuntimeError};
use crate::journal::{Journal, JournalError};
use crate::policy::{AdmitError, StoreError};
use crate::types::Finding;

use client::Client;
use config::{Config, ConfigError};
use credentials::Credentials;
use deciding::Deciding;
use exchange::Exchanges;
use sessions::Sessions;

/// A host that is ready to serve.
pub struct Host {
    shared: Arc<Shared>,
    listener: TcpListener,
    admin: Option<TcpListener>,
}

/// What every request needs.
struct Shared {
    config: Config,
    base: String,
    upstream: Option<String>,
    discovery: Value,
    exchanges: Exchanges,
    credentials: Credentials,
    sessions: Sessions,
    client: Client,
    /// True from the moment on at which this host wants to end.
    ending: watch::Sender<bool>,
}

/// A host that cannot start, or that had to stop.
#[derive(Debug, Error)]
pub enum ServeError {
    /// A setting cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The engine does not start.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The component cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The facets are not valid.
    #[error(transparent)]
    Configure(#[from] ConfigureError),
    /// The directory of policies cannot be opened.
    #[error("cannot open the directory of policies")]
    Store(#[from] StoreError),
    /// The directory of policies cannot be used.
    #[error("cannot use the directory of policies")]
    Policies(#[from] AdmitError),
    /// The directory of policies cannot be watched, or its socket not be made.
    #[error("cannot look after the directory of policies")]
    Attend(#[source] std::io::Error),
    /// The discovery document could not be checked.
    #[error("the discovery document cannot be checked")]
    Check(#[from] OperationError),
    /// The discovery document that these settings lead to breaks a rule.
    #[error("the discovery document breaks a rule: {}", findings(.0))]
    Findings(Vec<Finding>),
    /// The journal cannot be opened.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The address cannot be had.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The system has no thread left, or this program has a fault.
    #[error("cannot start")]
    Start(#[source] std::io::Error),
    /// No certificates to trust are found on this machine.
    #[error("cannot make the HTTP client")]
    Client(#[source] std::io::Error),
}

impl Host {
    /// Checks everything, opens the journal, and takes the addresses. Nothing is served yet.
    ///
    /// # Errors
    ///
    /// A setting, the component, the document, the journal or an address cannot be used.
    pub async fn start(config: Config) -> Result<Self, ServeError> {
        let listener = listen(config.listen).await?;
        let admin = match config.admin_listen {
            Some(address) => Some(listen(address).await?),
            None => None,
        };
        let mut config = config;
        // Port 0 was a wish; what is advertised must be what was given.
        if let Ok(address) = listener.local_addr() {
            config.listen = address;
        }
        let base = config.base_url()?;
        // All of it takes its time, and a database must not be opened by a thread that serves.
        let (config, base, discovery, exchanges) = blocking(move || {
            let deciding = Deciding::start(&config)?;
            let discovery = advertise::discovery(&config, &base);
            check(&deciding.take(), &discovery)?;
            let journal = Journal::open(&config.location()?)?;
            Ok((config, base, discovery, Exchanges::new(deciding, journal)))
        })
        .await?;
        if config.journal_sync == config::JournalSync::Off {
            log::say(
                "journal-sync-off",
                &[("problem", "records may be lost with the power")],
            );
        }
        if config.seams {
            log::say(
                "seams-on",
                &[("problem", "callers can make this host call any address")],
            );
        }
        let shared = Shared {
            base,
            upstream: config.upstream_url()?,
            discovery,
            exchanges,
            credentials: Credentials::read(&config)?,
            sessions: Sessions::new(config.limits.sessions),
            client: Client::new(Duration::from_secs(config.limits.upstream_seconds))
                .map_err(ServeError::Client)?,
            ending: watch::Sender::new(false),
            config,
        };
        Ok(Self {
            shared: Arc::new(shared),
            listener,
            admin,
        })
    }

    /// The address that is served.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.shared.config.listen
    }

    /// The address of `/metrics`, `/healthz` and `/readyz`.
    #[must_use]
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin.as_ref()?.local_addr().ok()
    }

    /// Serves until `end`; then finishes what is under way, for at most ten seconds.
    pub async fn serve(self, end: impl Future<Output = ()>) {
        let Self {
            shared,
            listener,
            admin,
        } = self;
        log::say("serving", &[("url", &shared.base)]);
        let operations = admin.map(|admin| {
            let router = operations::router(&shared);
            tokio::spawn(listen::serve(admin, router, Arc::clone(&shared)))
        });
        let router = router(&shared);
        let public = tokio::spawn(listen::serve(listener, router, Arc::clone(&shared)));
        end.await;
        log::say("ending", &[]);
        shared.ending.send_replace(true);
        let _ = public.await;
        if let Some(operations) = operations {
            let _ = operations.await;
        }
    }
}

/// Checks what [`Host::start`] would check, without an address or a journal.
///
/// # Errors
///
/// As [`Host::start`].
pub fn check_config(config: &Config) -> Result<(), ServeError> {
    let base = config.base_url()?;
    Credentials::read(config)?;
    let negotiator = deciding::built_in(config.facets())?;
    check(&negotiator, &advertise::discovery(config, &base))
}

fn router(shared: &Arc<Shared>) -> Router {
    let router = Router::new()
        .merge(runs::router())
        .merge(events::router())
        .merge(a2a::router())
        .merge(mcp::router());
    let router = if shared.config.seams {
        router.merge(seams::router())
    } else {
        router
    };
    router
        .fallback(answer::not_found)
        .with_state(Arc::clone(shared))
}

/// The document is what peers believe: with a fault in it, nothing is served.
fn check(negotiator: &Negotiator, document: &Value) -> Result<(), ServeError> {
    let findings = negotiator.check(&document.to_string(), &exchange::now())?;
    if findings.is_empty() {
        return Ok(());
    }
    Err(ServeError::Findings(findings))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ServeError> + Send + 'static,
) -> Result<T, ServeError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(ServeError::Start(error.into())),
    }
}

async fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address)
        .await
        .map_err(|source| ServeError::Listen { address, source })
}

fn findings(findings: &[Finding]) -> String {
    let text = findings
        .iter()
        .map(|finding| format!("{}: {} ({})", finding.path, finding.problem, finding.rule));
    text.collect::<Vec<_>>().join("; ")
}
