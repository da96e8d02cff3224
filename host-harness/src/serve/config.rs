//! What an operator sets: one TOML file, and the environment over it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use thiserror::Error;
use toml::{Table, Value};
use url::Url;

use crate::journal::{Location, Sync};
use crate::types::{Facet, Facets, Subject};

/// The settings of a host.
///
/// Every member can also be set by the environment, which wins: `NEGOTIATOR_` and the member's name
/// in capitals, tables joined by two underscores (`NEGOTIATOR_A2A__MINIMUM`). Lists of tables cannot.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The address to serve A2A and MCP on.
    pub listen: SocketAddr,
    /// The address of `/healthz`, `/readyz` and `/metrics`; without it, they are served nowhere.
    pub admin_listen: Option<SocketAddr>,
    /// Whether `/console` is served there, too. Whoever reaches it sees everybody's records, and can
    /// go back to the policy before.
    pub console: bool,
    /// What peers call this host by, `https://host.example`; made from `listen` unless given.
    pub public_url: Option<String>,
    /// The journal: a file, or `postgres://…`.
    pub journal: String,
    /// `full`, or `off` to measure what durability costs. Off loses records with the power.
    pub journal_sync: JournalSync,
    /// A directory that policies are kept in and swapped through, as `negotiator policy` knows it.
    /// Without it, the policy inside the component decides.
    pub policies: Option<PathBuf>,
    /// A server that accepted requests are passed on to, `http://127.0.0.1:9000`.
    pub upstream: Option<String>,
    /// Whether A2A and MCP demand a credential of every caller (R14).
    pub require_credential: bool,
    /// Whether the test drivers under `/conformance/seams` are served. Never in production: they
    /// make this host call any address that a caller names.
    pub seams: bool,
    /// The name that the card and the discovery document give.
    pub name: String,
    /// Who may call.
    pub credentials: Vec<Credential>,
    /// The A2A facet.
    pub a2a: Option<A2a>,
    /// The MCP facet.
    pub mcp: Option<Mcp>,
    /// What a caller may take up.
    pub limits: Limits,
}

/// How sure an append is.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum JournalSync {
    /// It survives the loss of power.
    #[default]
    Full,
    /// It does not.
    Off,
}

/// A bearer token, and whose it is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credential {
    /// SHA-256 of the token, 64 hex digits.
    pub token_sha256: Option<String>,
    /// The environment variable that holds the token.
    pub token_env: Option<String>,
    /// The tenant; `^(anon:)?[A-Za-z0-9._~-]{1,128}$`.
    pub tenant: String,
    /// The workspace, where the credential is bound to one.
    pub workspace: Option<String>,
}

/// What is advertised for A2A.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct A2a {
    /// Every version offered.
    pub versions: Vec<String>,
    /// Used when a peer names none.
    pub preferred: String,
    /// Nothing is agreed below it.
    pub minimum: String,
    /// When `versions` was last compared with upstream, `YYYY-MM-DD`.
    pub refreshed_at: String,
}

/// What is advertised for MCP.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mcp {
    /// Every revision offered.
    pub revisions: Vec<String>,
    /// Used when a peer names none.
    pub preferred: String,
    /// Nothing is agreed below it.
    pub minimum: String,
    /// When `revisions` was last compared with upstream, `YYYY-MM-DD`.
    pub refreshed_at: String,
    /// How many `input_required` results are answered in one outbound call, 1 to 16.
    #[serde(default = "four")]
    pub max_rounds: u32,
}

/// What a caller may take up.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// Seconds for a request's head, and again for its body.
    pub request_seconds: u64,
    /// Connections at a time.
    pub connections: usize,
    /// MCP sessions at a time; the one unused for the longest makes room.
    pub sessions: usize,
    /// Seconds that an upstream or a peer may take to begin its answer.
    pub upstream_seconds: u64,
}

/// Settings that cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration")]
    Read(#[source] std::io::Error),
    /// Not TOML, or a member that is unknown or has another type.
    #[error("the configuration is not valid: {0}")]
    Toml(String),
    /// A member has a value that cannot be used.
    #[error("`{member}` {problem}")]
    Member {
        /// The member.
        member: String,
        /// What it must be.
        problem: String,
    },
}

impl Config {
    /// Reads a file, and the environment over it.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or a member cannot be used.
    pub fn load(path: Option<&Path>) -> Result<Self, ConfigError> {
        let text = match path {
            Some(path) => fs::read_to_string(path).map_err(ConfigError::Read)?,
            None => String::new(),
        };
        Self::parse(&text, env::vars())
    }

    /// Reads TOML text and, over it, variables that begin with `NEGOTIATOR_`.
    ///
    /// # Errors
    ///
    /// As [`Config::load`].
    pub fn parse(
        text: &str,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        // The message of the parser would repeat lines of the file, secrets and all.
        let mut table: Table = text
            .parse()
            .map_err(|error: toml::de::Error| ConfigError::Toml(error.message().to_owned()))?;
        for (name, value) in environment {
            if let Some(path) = name.strip_prefix("NEGOTIATOR_") {
                let path = path.to_ascii_lowercase();
                set(&mut table, &path, &value).map_err(|()| member(&name, "sets no member"))?;
            }
        }
        let config: Self = Value::Table(table)
            .try_into()
            .map_err(|error: toml::de::Error| ConfigError::Toml(error.message().to_owned()))?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), ConfigError> {
        self.location()?;
        self.base_url()?;
        self.upstream_url()?;
        if self.a2a.is_none() && self.mcp.is_none() {
            return Err(member("a2a", "or `mcp` must be set: nothing is offered"));
        }
        if self.console && self.admin_listen.is_none() {
            return Err(member(
                "console",
                "needs `admin_listen`: it is served there",
            ));
        }
        if let Some(mcp) = &self.mcp
            && !(1..=16).contains(&mcp.max_rounds)
        {
            return Err(member("mcp.max_rounds", "must be from 1 to 16"));
        }
        for (index, credential) in self.credentials.iter().enumerate() {
            credential.digest(index)?;
        }
        Ok(())
    }

    /// Where the journal is.
    ///
    /// # Errors
    ///
    /// The member `journal` names no journal.
    pub fn location(&self) -> Result<Location, ConfigError> {
        let location = self.journal.parse();
        let mut location =
            location.map_err(|_| member("journal", "must be a path, or `postgres://…`"))?;
        if let Location::Sqlite { sync, .. } = &mut location {
            *sync = match self.journal_sync {
                JournalSync::Full => Sync::Full,
                JournalSync::Off => Sync::Off,
            };
        }
        Ok(location)
    }

    /// What peers call this host by, without a slash at its end.
    ///
    /// # Errors
    ///
    /// The member `public_url` is no origin.
    pub fn base_url(&self) -> Result<String, ConfigError> {
        match &self.public_url {
            None => Ok(format!("http://{}", self.listen)),
            Some(text) => origin(text).ok_or_else(|| member("public_url", AN_ORIGIN)),
        }
    }

    /// The origin of the server behind this one.
    ///
    /// # Errors
    ///
    /// The member `upstream` is no origin.
    pub fn upstream_url(&self) -> Result<Option<String>, ConfigError> {
        let upstream = self
            .upstream
            .as_deref()
            .map(|text| origin(text).ok_or_else(|| member("upstream", AN_ORIGIN)));
        upstream.transpose()
    }

    /// The facets that decide; what is advertised is made of the same.
    #[must_use]
    pub fn facets(&self) -> Facets {
        Facets {
            a2a: self.a2a.as_ref().map(|a2a| Facet {
                offered: a2a.versions.clone(),
                preferred: a2a.preferred.clone(),
                floor: a2a.minimum.clone(),
            }),
            mcp: self.mcp.as_ref().map(|mcp| Facet {
                offered: mcp.revisions.clone(),
                preferred: mcp.preferred.clone(),
                floor: mcp.minimum.clone(),
            }),
        }
    }
}

impl Credential {
    /// The digest of the token; `index` is for the message.
    pub(super) fn digest(&self, index: usize) -> Result<[u8; 32], ConfigError> {
        let wrong =
            |name: &str, problem: &str| member(&format!("credentials[{index}].{name}"), problem);
        match (&self.token_sha256, &self.token_env) {
            (Some(digits), None) => {
                unhex(digits).ok_or_else(|| wrong("token_sha256", "must be 64 hex digits"))
            }
            (None, Some(name)) => match env::var(name) {
                Ok(token) if token.len() >= SHORTEST => Ok(Sha256::digest(token).into()),
                _ => Err(wrong(
                    "token_env",
                    "must name a variable that holds a token of at least 16 bytes",
                )),
            },
            _ => Err(wrong(
                "token_sha256",
                "or `token_env` must be set, one of the two",
            )),
        }
    }

    pub(super) fn subject(&self) -> Subject {
        Subject {
            tenant: self.tenant.clone(),
            workspace: self.workspace.clone(),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            admin_listen: None,
            console: false,
            public_url: None,
            journal: "negotiator.db".to_owned(),
            journal_sync: JournalSync::Full,
            policies: None,
            upstream: None,
            require_credential: true,
            seams: false,
            name: "negotiator".to_owned(),
            credentials: Vec::new(),
            a2a: None,
            mcp: None,
            limits: Limits::default(),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 1024 * 1024,
            request_seconds: 10,
            connections: 1024,
            sessions: 10_000,
            upstream_seconds: 60,
        }
    }
}

/// Puts a value at a path like `a2a__minimum`, as the TOML value that it reads as, else as text.
fn set(table: &mut Table, path: &str, value: &str) -> Result<(), ()> {
    match path.split_once("__") {
        Some((first, rest)) => {
            let inner = table
                .entry(first)
                .or_insert_with(|| Value::Table(Table::new()));
            set(inner.as_table_mut().ok_or(())?, rest, value)
        }
        None => {
            let read = format!("value = {value}").parse::<Table>();
            let read = read.ok().and_then(|mut table| table.remove("value"));
            // Dates are text here.
            let read = read.filter(|read| !matches!(read, Value::Datetime(_) | Value::Float(_)));
            let text = || Value::String(value.to_owned());
            table.insert(path.to_owned(), read.unwrap_or_else(text));
            Ok(())
        }
    }
}

fn origin(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let is_origin = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let is_http = matches!(url.scheme(), "http" | "https");
    (is_http && is_origin && url.username().is_empty() && url.password().is_none())
        .then(|| url.origin().ascii_serialization())
}

fn unhex(digits: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks(2)) {
        let pair = std::str::from_utf8(pair).ok()?;
        if pair.starts_with('+') {
            return None;
        }
        *byte = u8::from_str_radix(pair, 16).ok()?;
    }
    Some(bytes)
}

fn member(name: &str, problem: &str) -> ConfigError {
    ConfigError::Member {
        member: name.to_owned(),
        problem: problem.to_owned(),
    }
}

fn four() -> u32 {
    4
}

const SHORTEST: usize = 16;
const AN_ORIGIN: &str = "must be `http://` or `https://` with a host, and nothing behind it";
