//! `negotiator serve` as a child, and a plain HTTP client that sends exactly what it is told.
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

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

pub const MCP: &str = "io.modelcontextprotocol/protocolVersion";

/// A running host; ended and cleaned up when it is dropped.
pub struct Host {
    folder: PathBuf,
    environment: Vec<(String, String)>,
    child: Option<Child>,
    address: String,
    admin: String,
}

/// An answer, read to its end.
pub struct Answered {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub text: String,
    pub json: Value,
}

impl Answered {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(other, _)| other == name);
        found.next().map(|(_, value)| value.as_str())
    }
}

static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Host {
    /// A host of a posture, with credentials besides the posture's own.
    pub fn start(posture: &str, credentials: &[(&str, &str, Option<&str>)]) -> Self {
        Self::start_with(posture, credentials, &[])
    }

    pub fn start_with(
        posture: &str,
        credentials: &[(&str, &str, Option<&str>)],
        environment: &[(&str, &str)],
    ) -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("examples/postures")
            .join(format!("{posture}.toml"));
        let mut text = fs::read_to_string(file).unwrap();
        for (token, tenant, workspace) in credentials {
            let digest: String = Sha256::digest(token)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            write!(
                text,
                "\n[[credentials]]\ntoken_sha256 = \"{digest}\"\ntenant = \"{tenant}\"\n"
            )
            .unwrap();
            if let Some(workspace) = workspace {
                writeln!(text, "workspace = \"{workspace}\"").unwrap();
            }
        }
        Self::start_text(&text, environment)
    }

    /// A host with these settings.
    pub fn start_text(text: &str, environment: &[(&str, &str)]) -> Self {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("negotiator-host-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("host.toml"), text).unwrap();
        let mut host = Self {
            environment: environment
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            folder,
            child: None,
            address: String::new(),
            admin: String::new(),
        };
        host.resume();
        host
    }

    /// Starts it again, on the same journal.
    pub fn resume(&mut self) {
        let today = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
        let today = today.split('T').next().unwrap().to_owned();
        let mut child = Command::new(env!("CARGO_BIN_EXE_negotiator"))
            .args(["serve", "--config"])
            .arg(self.folder.join("host.toml"))
            .env("NEGOTIATOR_LISTEN", "127.0.0.1:0")
            .env("NEGOTIATOR_ADMIN_LISTEN", "127.0.0.1:0")
            .env("NEGOTIATOR_JOURNAL", self.database())
            .env("NEGOTIATOR_A2A__REFRESHED_AT", &today)
            .env("NEGOTIATOR_MCP__REFRESHED_AT", &today)
            .envs(self.environment.iter().cloned())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = Vec::new();
        for line in lines.by_ref() {
            let line = line.unwrap();
            if let Some(address) = line.strip_prefix("serving on http://") {
                self.address = address.to_owned();
            }
            if let Some(address) = line.strip_prefix("for operators: http://") {
                self.admin = address.to_owned();
                break;
            }
            said.push(line);
        }
        assert!(!self.admin.is_empty(), "it did not start: {said:?}");
        // What it says must not fill the pipe.
        let log = self.folder.join("log");
        thread::spawn(move || {
            let mut log = fs::OpenOptions::new()
                .append(true)
                .create(true)
                .open(log)
                .unwrap();
            for line in lines.map_while(Result::ok) {
                let _ = writeln!(log, "{line}");
            }
        });
        self.child = Some(child);
    }

    /// Ends it as the loss of power would, as far as a process can be.
    pub fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    pub fn database(&self) -> PathBuf {
        self.folder.join("journal.db")
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A connection that says nothing yet.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// Every record, with the tenant that it belongs to.
    pub fn journal(&self) -> Vec<(Option<String>, Value)> {
        let output = Command::new(env!("CARGO_BIN_EXE_negotiator"))
            .args(["journal", "export", "--journal"])
            .arg(self.database())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines()
            .map(|line| {
                let line: Value = serde_json::from_str(line).unwrap();
                (
                    line["tenant"].as_str().map(str::to_owned),
                    line["event"].clone(),
                )
            })
            .collect()
    }

    pub fn verify(&self) {
        let output = Command::new(env!("CARGO_BIN_EXE_negotiator"))
            .args(["journal", "verify", "--journal"])
            .arg(self.database())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    pub fn metrics(&self) -> String {
        self.admin("/metrics").text
    }

    pub fn admin(&self, path: &str) -> Answered {
        self.admin_named(&self.admin, path)
    }

    /// The same, with another name in `Host`.
    pub fn admin_named(&self, name: &str, path: &str) -> Answered {
        exchange(&self.admin, &head("GET", path, name, None, &[], 0), "")
    }

    pub fn admin_post(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> Answered {
        let body = body.to_string();
        let head = head("POST", path, &self.admin, None, headers, body.len());
        // A gate takes long on a busy machine.
        try_exchange_within(&self.admin, &head, body, 15 * PATIENCE).expect("an answer")
    }

    pub fn admin_url(&self) -> String {
        format!("http://{}", self.admin)
    }

    pub fn get(&self, path: &str, token: Option<&str>, headers: &[(&str, &str)]) -> Answered {
        self.request("GET", path, token, headers, "")
    }

    pub fn post(
        &self,
        path: &str,
        token: Option<&str>,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> Answered {
        self.request("POST", path, token, headers, body.to_string())
    }

    pub fn request(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> Answered {
        let length = body.as_ref().len();
        let head = head(method, path, &self.address, token, headers, length);
        exchange(&self.address, &head, body)
    }

    /// The status alone; none where the host hangs up.
    pub fn status(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Option<u16> {
        let head = head(method, path, &self.address, None, headers, body.len());
        Some(try_exchange(&self.address, &head, body)?.status)
    }

    /// Host events as they come.
    pub fn subscribe(&self, token: &str, after: Option<&str>) -> Events {
        let headers = [("OpenWOP-Version", "2.0")];
        subscribe(&self.address, "/host/events", Some(token), &headers, after)
    }

    /// Events for operators as they come.
    pub fn admin_subscribe(&self, path: &str, after: Option<&str>) -> Events {
        subscribe(&self.admin, path, None, &[], after)
    }

    /// Keeps asking on many connections, until the host is gone.
    pub fn hammer(&self, connections: usize, within: u64, token: &str) -> Hammer {
        let answered = Arc::new(AtomicUsize::new(0));
        let end = Arc::new(AtomicBool::new(false));
        let threads = (0..connections).map(|_| {
            let (address, token) = (self.address.clone(), token.to_owned());
            let (answered, end) = (Arc::clone(&answered), Arc::clone(&end));
            thread::spawn(move || {
                let body = r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}"#;
                let headers = [("A2A-Version", "1.0")];
                while !end.load(Ordering::Relaxed) {
                    let head = head(
                        "POST",
                        "/a2a/jsonrpc",
                        &address,
                        Some(&token),
                        &headers,
                        body.len(),
                    );
                    match try_exchange(&address, &head, body) {
                        Some(answer) if answer.status == 200 => {
                            answered.fetch_add(1, Ordering::Relaxed);
                        }
                        _ => return,
                    }
                }
            })
        });
        let threads = threads.collect();
        thread::sleep(Duration::from_millis(within));
        Hammer {
            answered,
            end,
            threads,
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

pub struct Events(mpsc::Receiver<Value>);

impl Events {
    /// The next events, no more and no less for a moment after.
    pub fn take(&self, count: usize) -> Vec<Value> {
        let events = (0..count).map(|_| self.0.recv_timeout(PATIENCE).expect("an event"));
        let events = events.collect();
        let more = self.0.recv_timeout(Duration::from_millis(300));
        assert!(more.is_err(), "one more: {more:?}");
        events
    }
}

pub struct Hammer {
    answered: Arc<AtomicUsize>,
    end: Arc<AtomicBool>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl Hammer {
    pub fn join(self) -> usize {
        self.end.store(true, Ordering::Relaxed);
        for thread in self.threads {
            thread.join().unwrap();
        }
        self.answered.load(Ordering::Relaxed)
    }
}

fn subscribe(
    address: &str,
    path: &str,
    token: Option<&str>,
    headers: &[(&str, &str)],
    after: Option<&str>,
) -> Events {
    let mut headers = headers.to_vec();
    if let Some(after) = after {
        headers.push(("Last-Event-ID", after));
    }
    let head = head("GET", path, address, token, &headers, 0);
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let (sender, receiver) = mpsc::channel();
    let (begun, began) = mpsc::channel();
    thread::spawn(move || {
        let mut id = String::new();
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if line == ": here" {
                begun.send(()).unwrap();
            } else if let Some(found) = line.strip_prefix("id: ") {
                found.clone_into(&mut id);
            } else if let Some(data) = line.strip_prefix("data: ") {
                let event: Value = serde_json::from_str(data).unwrap();
                assert_eq!(event["eventId"], id.as_str());
                if sender.send(event).is_err() {
                    return;
                }
            }
        }
    });
    began
        .recv_timeout(PATIENCE)
        .expect("the stream begins at once");
    Events(receiver)
}

fn head(
    method: &str,
    path: &str,
    address: &str,
    token: Option<&str>,
    headers: &[(&str, &str)],
    length: usize,
) -> String {
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    if let Some(token) = token {
        write!(head, "Authorization: Bearer {token}\r\n").unwrap();
    }
    for (name, value) in headers {
        write!(head, "{name}: {value}\r\n").unwrap();
    }
    write!(
        head,
        "Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    )
    .unwrap();
    head
}

fn exchange(address: &str, head: &str, body: impl AsRef<[u8]>) -> Answered {
    try_exchange(address, head, body).expect("an answer")
}

fn try_exchange(address: &str, head: &str, body: impl AsRef<[u8]>) -> Option<Answered> {
    try_exchange_within(address, head, body, PATIENCE)
}

fn try_exchange_within(
    address: &str,
    head: &str,
    body: impl AsRef<[u8]>,
    patience: Duration,
) -> Option<Answered> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(patience)).ok()?;
    // A host that has heard enough answers before everything is sent.
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body.as_ref());
    let mut raw = Vec::new();
    let read = stream.read_to_end(&mut raw);
    if read.is_err() && raw.is_empty() {
        return None;
    }
    let raw = String::from_utf8_lossy(&raw).into_owned();
    let (head, text) = raw.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let is_chunked = headers
        .iter()
        .any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let text = if is_chunked {
        dechunked(text)
    } else {
        text.to_owned()
    };
    Some(Answered {
        status,
        json: serde_json::from_str(&text).unwrap_or_default(),
        headers,
        text,
    })
}

fn dechunked(mut text: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = text.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or(0);
        whole.push_str(rest.get(..size).unwrap_or_default());
        text = rest.get(size + 2..).unwrap_or_default();
    }
    whole
}

const PATIENCE: Duration = Duration::from_secs(20);
