//! What a host serves in a second, with records that survive the loss of power and with records that
//! do not: `cargo bench --bench load`.
//!
//! 64 connections ask `/mcp` all the time, on loopback, from this process; so host and callers share
//! the cores. Afterwards every answer must have exactly one record. Wants the optimised command:
//! `cargo build --release` in the root first.
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs};

const CONNECTIONS: usize = 64;
const WARM: Duration = Duration::from_secs(2);
const MEASURED: Duration = Duration::from_secs(15);
const TOKEN: &str = "posture-test-token";
const BODY: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let command = root.join("target/release/negotiator");
    if !command.is_file() {
        println!("skipped: {} is not built", command.display());
        return;
    }
    println!("{CONNECTIONS} connections, {MEASURED:?}, on /mcp, SQLite");
    println!(
        "{:>14} {:>12} {:>10} {:>10} {:>10} {:>8}",
        "journal_sync", "exchanges/s", "p50, ms", "p99, ms", "records", "errors"
    );
    for sync in ["full", "off"] {
        let host = Host::start(&root, &command, sync);
        let (answered, errors, mut taken) = host.hammer();
        let records = host.end_and_count();
        taken.sort_unstable();
        let at = |share: f64| taken[(taken.len() as f64 * share) as usize].as_secs_f64() * 1e3;
        let rate = taken.len() as f64 / MEASURED.as_secs_f64();
        println!(
            "{sync:>14} {rate:>12.0} {:>10.2} {:>10.2} {records:>10} {errors:>8}",
            at(0.5),
            at(0.99),
        );
        assert_eq!(errors, 0);
        assert_eq!(records, answered, "each answer has one record");
    }
}

struct Host {
    child: Child,
    command: PathBuf,
    folder: PathBuf,
    address: String,
}

impl Host {
    fn start(root: &Path, command: &Path, sync: &str) -> Self {
        let folder = env::temp_dir().join(format!("negotiator-load-{}-{sync}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let mut child = Command::new(command)
            .args(["serve", "--listen", "127.0.0.1:0", "--config"])
            .arg(root.join("host-harness/examples/postures/a.toml"))
            .arg("--journal")
            .arg(folder.join("journal.db"))
            .env("NEGOTIATOR_JOURNAL_SYNC", sync)
            .env("NEGOTIATOR_ADMIN_LISTEN", "127.0.0.1:0")
            .env("NEGOTIATOR_LIMITS__CONNECTIONS", "256")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = lines.by_ref().map_while(Result::ok);
        let address =
            said.find_map(|line| Some(line.strip_prefix("serving on http://")?.to_owned()));
        let address = address.expect("the host starts");
        // What it says must not fill the pipe.
        thread::spawn(move || lines.for_each(drop));
        Self {
            child,
            command: command.to_path_buf(),
            folder,
            address,
        }
    }

    /// How many were answered in all, how many not, and how long those took that were measured.
    fn hammer(&self) -> (usize, usize, Vec<Duration>) {
        let begun = Instant::now();
        let (mut answered, mut errors, mut all) = (0, 0, Vec::new());
        thread::scope(|scope| {
            let callers = [(); CONNECTIONS].map(|()| scope.spawn(|| call(&self.address, begun)));
            for caller in callers {
                let (served, failed, taken) = caller.join().unwrap();
                answered += served;
                errors += failed;
                all.extend(taken);
            }
        });
        (answered, errors, all)
    }

    /// Ends the host as an operator would, and counts the records that it left.
    fn end_and_count(mut self) -> usize {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").arg(pid).status().unwrap().success());
        assert!(self.child.wait().unwrap().success());
        let exported = Command::new(&self.command)
            .args(["journal", "export", "--journal"])
            .arg(self.folder.join("journal.db"))
            .output()
            .unwrap();
        assert!(exported.status.success());
        let _ = fs::remove_dir_all(&self.folder);
        // All of them: one that belongs to no answer must not go unnoticed.
        let lines = exported.stdout.split(|&byte| byte == b'\n');
        lines.filter(|line| !line.is_empty()).count()
    }
}

fn call(address: &str, begun: Instant) -> (usize, usize, Vec<Duration>) {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n\
         Content-Length: {}\r\n\r\n{BODY}",
        BODY.len()
    );
    let (mut answered, mut taken) = (0, Vec::new());
    while begun.elapsed() < WARM + MEASURED {
        let start = Instant::now();
        stream.write_all(request.as_bytes()).unwrap();
        match answer(&mut reader) {
            Some(200) => answered += 1,
            _ => return (answered, 1, taken),
        }
        if start.duration_since(begun) > WARM {
            taken.push(start.elapsed());
        }
    }
    (answered, 0, taken)
}

/// The status of an answer, which is read to its end.
fn answer(reader: &mut BufReader<TcpStream>) -> Option<u16> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let status = line.split(' ').nth(1)?.parse().ok()?;
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let header = line.trim_end().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(status)
}
