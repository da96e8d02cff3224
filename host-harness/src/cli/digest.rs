//! `negotiator digest`.

use serde::Serialize;

use super::exit::{Exit, Failure, OrExit as _};
use super::{Global, answer, component, words};

/// Print the digest of a URL's origin: the `peerDigest` of records
///
/// SHA-256 of scheme, host and port; path, query and credentials do not matter. A URL whose origin
/// has no host (stdio, file, data, text that is no URL) has no digest: {"peerDigest":null}.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The URL; to keep it out of the list of processes use `negotiator call digest`
    url: String,
}

const AFTER_HELP: &str = "\
Example:
  negotiator digest https://peer.example:443/x

Exit codes:
  0  done, also where there is no digest
  3  the component could not be loaded, or failed";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Digest {
    peer_digest: Option<String>,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let negotiator = component::without_facets(&component::load(global)?)?;
    let peer_digest = negotiator
        .digest_origin(&args.url)
        .or_component("the component failed")?;
    if peer_digest.is_none() {
        words::say("no digest: this is no URL with a host, so records have no peerDigest");
    }
    answer::print(&Digest { peer_digest })?;
    Ok(Exit::Done)
}
