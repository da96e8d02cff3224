//! What a host adds to the exchanges of the grid to put them on record.

use crate::types::{Context, Subject};

/// Contexts that reach every branch of the record: host and run events, a payload alone; an owner
/// with and without a workspace, and none; a peer with an origin, without one, and unknown.
///
/// The URLs have user, port, path and query, so that a digest of more than the origin is another.
#[must_use]
pub fn contexts() -> Vec<Context> {
    let subject = |workspace: Option<&str>| Subject {
        tenant: "acme".to_owned(),
        workspace: workspace.map(str::to_owned),
    };
    let bare = || Context {
        at: "2026-11-30T12:00:00Z".to_owned(),
        peer_url: None,
        subject: None,
        run_id: None,
        sequence: None,
        event_id: None,
    };
    let url = Some("https://user:word@Peer.example:443/a2a/v1?key=1".to_owned());
    let event_id = Some("hev-0123456789abcdef01234567".to_owned());
    let run_id = Some("acme/run-0123456789abcdef".to_owned());
    vec![
        Context {
            peer_url: url.clone(),
            subject: Some(subject(Some("ws-1"))),
            event_id: event_id.clone(),
            ..bare()
        },
        Context {
            peer_url: Some("http://127.0.0.1:8080/mcp".to_owned()),
            subject: Some(subject(None)),
            run_id: run_id.clone(),
            sequence: Some(7),
            event_id: event_id.clone(),
            ..bare()
        },
        Context {
            peer_url: Some("stdio:".to_owned()),
            event_id: event_id.clone(),
            ..bare()
        },
        Context {
            subject: Some(subject(Some("ws-2"))),
            run_id,
            ..bare()
        },
        Context {
            at: "2026-11-30T13:00:00.5+01:00".to_owned(),
            peer_url: url,
            subject: Some(subject(None)),
            event_id,
            ..bare()
        },
    ]
}
