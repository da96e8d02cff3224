//! What peers do that take their time, or never end, and a database that goes away: the others are
//! served, and nothing is answered without its record.
#![cfg(unix)]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;

use serde_json::{Value, json};

#[path = "support/host.rs"]
mod host;
#[path = "support/postgres.rs"]
mod postgres_server;

use host::{Answered, Host};

const TOKEN: &str = "posture-test-token";

fn call(host: &Host) -> Answered {
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "GetTask", "params": { "id": "t" } });
    host.post(
        "/a2a/jsonrpc",
        Some(TOKEN),
        &[("A2A-Version", "1.0")],
        &body,
    )
}

/// What is left on a connection until the host closes it.
fn rest(mut stream: TcpStream) -> String {
    let mut rest = Vec::new();
    // Closed with something unread is an error, and closed none the less.
    let _ = stream.read_to_end(&mut rest);
    String::from_utf8_lossy(&rest).into_owned()
}

const HEAD: &str = "POST /a2a/jsonrpc HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\n\
                    Authorization: Bearer posture-test-token\r\nContent-Type: application/json\r\n";

#[test]
fn half_open_connections_lose_their_place() {
    let limits = [
        ("NEGOTIATOR_LIMITS__REQUEST_SECONDS", "1"),
        ("NEGOTIATOR_LIMITS__CONNECTIONS", "8"),
    ];
    let host = Host::start_with("a", &[], &limits);
    // All places are taken by heads that never end; the next caller waits for one of them.
    let open: Vec<TcpStream> = (0..8)
        .map(|_| {
            let mut stream = host.connect();
            stream.write_all(b"POST /mcp HTTP/1.1\r\nHost:").unwrap();
            stream
        })
        .collect();
    assert_eq!(call(&host).status, 200);
    for stream in open {
        let told = rest(stream);
        assert!(
            told.is_empty() || told.starts_with("HTTP/1.1 408"),
            "{told}"
        );
    }
    assert_eq!(host.journal().len(), 1);
}

#[test]
fn a_body_that_stops_or_never_ends_is_given_up() {
    let limits = [("NEGOTIATOR_LIMITS__REQUEST_SECONDS", "1")];
    let host = Host::start_with("a", &[], &limits);
    let mut stops = host.connect();
    write!(stops, "{HEAD}Content-Length: 100\r\n\r\n{{\"id\":1,").unwrap();
    let mut endless = host.connect();
    write!(endless, "{HEAD}Transfer-Encoding: chunked\r\n\r\n").unwrap();
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    // Until the host hangs up; it takes 1 MiB, and the system some more.
    let taken = (0..1_000)
        .take_while(|_| endless.write_all(chunk.as_bytes()).is_ok())
        .count();
    assert!(taken < 1_000, "it took everything");
    assert_eq!(call(&host).status, 200);
    assert!(rest(stops).starts_with("HTTP/1.1 408"));
    // The answer may be lost where bytes were under way when the host hung up.
    let told = rest(endless);
    assert!(
        told.is_empty() || told.starts_with("HTTP/1.1 413"),
        "{told}"
    );
    assert_eq!(host.journal().len(), 1);
}

#[test]
fn a_subscriber_that_does_not_read_holds_up_nobody_and_misses_nothing() {
    let host = Host::start("a", &[]);
    let mut slow = host.connect();
    write!(
        slow,
        "GET /host/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\nOpenWOP-Version: 2.0\r\n\
         Authorization: Bearer {TOKEN}\r\n\r\n"
    )
    .unwrap();
    // It has begun, and is not read from here on.
    let mut first = [0; 12];
    slow.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let calls = host.hammer(4, 2_000, TOKEN).join();
    assert!(calls > 100, "{calls}");
    let journal = host.journal();
    assert_eq!(journal.len(), calls);
    let last = journal.last().unwrap().1["eventId"].as_str().unwrap();
    let mut heard = String::new();
    let mut buffer = vec![0; 64 * 1024];
    while !heard.contains(last) {
        let read = slow.read(&mut buffer).unwrap();
        assert!(read > 0, "it ended after {} bytes", heard.len());
        heard.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    assert_eq!(heard.matches("event: negotiation.decided").count(), calls);
}

#[test]
fn a_database_that_goes_away_is_refused_for_and_used_again_when_it_is_back() {
    let Some(mut server) = postgres_server::Server::start("serve") else {
        return;
    };
    let url = server.url("owner");
    let host = Host::start_with("a", &[], &[("NEGOTIATOR_JOURNAL", &url)]);
    assert_eq!(call(&host).status, 200);
    server.stop();
    let refused = call(&host);
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (503, Some("1"))
    );
    assert_eq!(host.admin("/readyz").status, 503);
    assert_eq!(host.admin("/healthz").status, 204);
    server.resume();
    assert_eq!(call(&host).status, 200);
    assert_eq!(host.admin("/readyz").status, 204);
    let exported = Command::new(env!("CARGO_BIN_EXE_negotiator"))
        .args(["journal", "export", "--journal", &url])
        .output()
        .unwrap();
    assert!(exported.status.success(), "{exported:?}");
    let lines = String::from_utf8(exported.stdout).unwrap();
    let outcomes: Vec<Value> = lines
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["event"]["payload"]["outcome"].clone()
        })
        .collect();
    assert_eq!(outcomes, ["accepted", "accepted"]);
}
