//! A PostgreSQL server of our own, in a folder that goes away.
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

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Running until it is dropped.
pub struct Server {
    folder: PathBuf,
    bin: PathBuf,
    user: Option<(u32, u32)>,
    child: Option<Child>,
    port: u16,
}

impl Server {
    /// None where PostgreSQL is not installed; with `CI=true` that is a failure.
    pub fn start(name: &str) -> Option<Self> {
        let Some(bin) = binaries() else {
            assert!(
                std::env::var_os("CI").is_none(),
                "PostgreSQL must be installed: `apt-get install postgresql`"
            );
            eprintln!("skipped: PostgreSQL is not installed (`apt-get install postgresql`)");
            return None;
        };
        let folder = std::env::temp_dir().join(format!("negotiator-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let user = postgres_user();
        if let Some((uid, gid)) = user {
            chown(&folder, Some(uid), Some(gid)).unwrap();
        }
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let mut server = Self {
            folder,
            bin,
            user,
            child: None,
            port,
        };
        let made = server
            .command("initdb")
            .args(["--auth=trust", "--username=owner", "--encoding=UTF8", "-D"])
            .arg(server.folder.join("data"))
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(made.success());
        server.resume();
        Some(server)
    }

    pub fn url(&self, role: &str) -> String {
        format!("postgres://{role}@127.0.0.1:{}/postgres", self.port)
    }

    /// Starts it, or starts it again.
    pub fn resume(&mut self) {
        let child = self
            .command("postgres")
            .arg("-D")
            .arg(self.folder.join("data"))
            .args(["-c", "listen_addresses=127.0.0.1", "-c", "fsync=on"])
            .args(["-p", &self.port.to_string()])
            .arg("-k")
            .arg(&self.folder)
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        self.child = Some(child);
        let start = Instant::now();
        while postgres::Client::connect(&self.url("owner"), postgres::NoTls).is_err() {
            assert!(start.elapsed() < Duration::from_secs(60), "does not start");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends it at once, as when the machine goes down.
    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // Immediate shutdown: no connection is told good-bye, and the log is replayed after.
            let stopped = self
                .command("pg_ctl")
                .args(["stop", "-m", "immediate", "-w", "-D"])
                .arg(self.folder.join("data"))
                .stdout(Stdio::null())
                .status();
            assert!(stopped.unwrap().success());
            child.wait().unwrap();
        }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.bin.join(program));
        // PostgreSQL does not run as root.
        if let Some((uid, gid)) = self.user {
            std::os::unix::process::CommandExt::uid(&mut command, uid);
            std::os::unix::process::CommandExt::gid(&mut command, gid);
        }
        command.current_dir(&self.folder);
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn binaries() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut found: Vec<_> = versions
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(|bin| bin.join("initdb").exists())
        .collect();
    found.sort();
    found.pop()
}

/// The user `postgres` if this is root, else nobody else.
fn postgres_user() -> Option<(u32, u32)> {
    let is_root = fs::metadata(Path::new("/proc/self"))
        .map(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
        .unwrap_or(false);
    let passwd = fs::read_to_string("/etc/passwd").ok()?;
    let line = passwd.lines().find(|line| line.starts_with("postgres:"))?;
    let mut fields = line.split(':').skip(2);
    let ids = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    is_root.then_some(ids)
}
