//! Somebody else's server: it answers what it is told to and remembers what it was asked.
#![allow(
    dead_code,
    clippy::allow_attributes,
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a part of tests, each of which uses some of it"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// A request that arrived.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub text: String,
    pub json: Value,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(other, _)| other == name);
        found.next().map(|(_, value)| value.as_str())
    }
}

/// Status, more headers, body.
pub type Reply = (u16, Vec<(String, String)>, String);

pub struct Peer {
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Peer {
    pub fn start(answer: impl Fn(&Asked, &str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (answer, log, base) = (Arc::new(answer), Arc::clone(&asked), url.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (answer, log, base) = (Arc::clone(&answer), Arc::clone(&log), base.clone());
                thread::spawn(move || serve(stream, &*answer, &log, &base));
            }
        });
        Self { url, asked }
    }

    /// Everything that arrived so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// An A2A peer that speaks these versions; the first decides the card for a GET without one.
    pub fn a2a(versions: &'static [&'static str]) -> Self {
        Self::start(move |asked, base| a2a(versions, asked, base))
    }

    /// An MCP server that speaks these revisions; its tool asks for input as often as it is told.
    pub fn mcp(revisions: &'static [&'static str]) -> Self {
        Self::start(move |asked, _| mcp(revisions, asked))
    }
}

fn serve(
    mut stream: TcpStream,
    answer: &dyn Fn(&Asked, &str) -> Reply,
    log: &Mutex<Vec<Asked>>,
    base: &str,
) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let mut first = line.split(' ').map(str::to_owned);
        let (method, path) = (first.next().unwrap(), first.next().unwrap());
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').unwrap();
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length = length.map_or(0, |(_, value)| value.parse().unwrap());
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let text = String::from_utf8(body).unwrap();
        let asked = Asked {
            method,
            path,
            headers,
            json: serde_json::from_str(&text).unwrap_or_default(),
            text,
        };
        log.lock().unwrap().push(asked.clone());
        let (status, more, body) = answer(&asked, base);
        let mut head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n", body.len());
        if !more.iter().any(|(name, _)| name == "Content-Type") {
            head.push_str("Content-Type: application/json\r\n");
        }
        for (name, value) in more {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let written = stream.write_all(format!("{head}{body}").as_bytes());
        if written.is_err() {
            return;
        }
    }
}

fn a2a(versions: &[&str], asked: &Asked, base: &str) -> Reply {
    let named = asked.header("a2a-version");
    let url = format!("{base}/a2a/jsonrpc");
    if asked.method == "GET" {
        let shape = named
            .filter(|named| versions.contains(named))
            .unwrap_or(versions[0]);
        let card = if shape.starts_with("0.") {
            json!({ "name": "peer", "protocolVersion": format!("{shape}.0"), "url": url })
        } else {
            let interfaces: Vec<_> = versions
                .iter()
                .map(|version| {
                    json!({ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": version })
                })
                .collect();
            json!({ "name": "peer", "supportedInterfaces": interfaces })
        };
        return (200, vec![], card.to_string());
    }
    let version = named.unwrap_or("0.3");
    if !versions.contains(&version) {
        let error = json!({ "code": -32009, "message": "no", "data": [{
            "metadata": { "supportedVersions": versions.join(",") } }] });
        return (
            400,
            vec![],
            json!({ "jsonrpc": "2.0", "id": 1, "error": error }).to_string(),
        );
    }
    let result = json!({ "task": { "id": "t", "status": { "state": "TASK_STATE_SUBMITTED" } } });
    (
        200,
        vec![],
        json!({ "jsonrpc": "2.0", "id": 1, "result": result }).to_string(),
    )
}

fn mcp(revisions: &[&str], asked: &Asked) -> Reply {
    let id = &asked.json["id"];
    let error = |code: i32, data: Value| {
        let error = json!({ "code": code, "message": "no", "data": data });
        (
            400,
            vec![],
            json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string(),
        )
    };
    let result = |result: Value| {
        (
            200,
            vec![],
            json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string(),
        )
    };
    let params = &asked.json["params"];
    let method = asked.json["method"].as_str().unwrap();
    if method == "initialize" {
        return result(json!({
            "protocolVersion": params["protocolVersion"], "capabilities": {}, "serverInfo": {},
        }));
    }
    let named = asked.header("mcp-protocol-version").unwrap_or_default();
    if !revisions.contains(&named) {
        return error(
            -32022,
            json!({ "supported": revisions, "requested": named }),
        );
    }
    if named >= "2026-07-28"
        && (params["_meta"]["io.modelcontextprotocol/protocolVersion"] != named
            || asked.header("mcp-method") != Some(method))
    {
        return error(-32020, Value::Null);
    }
    match (method, params["name"].as_str()) {
        ("server/discover", _) => result(json!({ "supportedVersions": revisions })),
        ("notifications/initialized", _) => (202, vec![], String::new()),
        ("tools/call", Some("loop")) => {
            let wanted = params["arguments"]["rounds"].as_u64().unwrap();
            let state = params["requestState"].as_str().unwrap_or("k:0");
            let round: u64 = state[2..].parse().unwrap();
            if round >= wanted {
                return result(json!({ "resultType": "complete", "content": [], "round": round }));
            }
            if round > 0 && params["inputResponses"]["who"]["action"] != "accept" {
                return error(-32602, Value::Null);
            }
            result(json!({
                "resultType": "input_required",
                "inputRequests": { "who": { "method": "elicitation/create", "params": {} } },
                "requestState": format!("k:{}", round + 1),
            }))
        }
        ("tools/call", Some("echo")) => {
            result(json!({ "content": [{ "type": "text", "text": params["arguments"]["text"] }] }))
        }
        _ => error(-32601, Value::Null),
    }
}
