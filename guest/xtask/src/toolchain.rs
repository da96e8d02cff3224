//! Finds a compiler that can build the guest for wasm, and says which.
//!
//! No Rust installation can build for wasm out of the box. Two ways are known:
//! Debian's compiler together with the sources of the standard library, and an
//! installed `wasm32-unknown-unknown` target. The first makes the bytes in
//! `dist/`: its packages come from Debian's archive, as CI's other tools do.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::workspace::output;

/// The target that `dist/` is built for.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// A way of building for wasm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Builder {
    /// Debian's rustc and cargo, building core and alloc from rust-src.
    Debian,
    /// A toolchain with the wasm32-unknown-unknown target installed.
    Installed,
}

// SHA-256 without unrolled rounds: 6 KB less, and one digest is one block or two.
const SOFT_SHA2: &str = "--cfg=sha2_backend=\"soft\"";
const COMPACT_SHA2: &str = "--cfg=sha2_backend_soft=\"compact\"";

impl Builder {
    /// The name in `manifest.json` and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Debian => "debian",
            Self::Installed => "installed",
        }
    }

    /// The compiler flags, apart from those that name folders.
    pub fn rustflags(self) -> &'static [&'static str] {
        match self {
            // A panic becomes a trap where it happens: no message, no location,
            // and so no path of a source file in the bytes.
            Self::Debian => &[
                "-Zunstable-options",
                "-Cpanic=immediate-abort",
                "-Clink-arg=-zstack-size=65536",
                COMPACT_SHA2,
                SOFT_SHA2,
            ],
            Self::Installed => &["-Clink-arg=-zstack-size=65536", COMPACT_SHA2, SOFT_SHA2],
        }
    }

    /// The cargo flags that this way needs.
    pub fn cargo_flags(self) -> &'static [&'static str] {
        match self {
            Self::Debian => &[
                "-Zbuild-std=core,alloc",
                // Smaller sorting and formatting; lists here are short.
                "-Zbuild-std-features=optimize_for_size",
            ],
            Self::Installed => &[],
        }
    }
}

/// A compiler that can build for wasm.
pub struct Toolchain {
    /// Which way it builds.
    pub builder: Builder,
    /// The compiler.
    pub rustc: PathBuf,
    /// The cargo that belongs to it.
    pub cargo: PathBuf,
    /// Its version, as `rustc -vV` prints it.
    pub version: RustcVersion,
    /// The version of the linker; its bytes depend on it too.
    pub linker: String,
}

impl Toolchain {
    /// The toolchain for `wanted`, or the first of all ways that works.
    ///
    /// Errors: what is missing for each way, and how to install it.
    pub fn find(wanted: Option<Builder>) -> Result<Self> {
        let mut missing = Vec::new();
        for builder in [Builder::Debian, Builder::Installed] {
            if wanted.is_some_and(|wanted| wanted != builder) {
                continue;
            }
            let found = match builder {
                Builder::Debian => debian(),
                Builder::Installed => installed(),
            };
            match found {
                Ok(toolchain) => return Ok(toolchain),
                Err(error) => missing.push(format!("  {}: {error:#}", builder.name())),
            }
        }
        bail!(
            "no toolchain here can build for wasm\n{}",
            missing.join("\n")
        );
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        format!(
            "{} ({}), linker {}, {}",
            self.version.short,
            self.rustc.display(),
            self.linker,
            match self.builder {
                Builder::Debian => "core and alloc built from source",
                Builder::Installed => "installed target",
            }
        )
    }

    /// A cargo command whose environment holds nothing that changes the bytes:
    /// no inherited flags, profiles, wrappers or compilers.
    pub fn cargo(&self) -> Command {
        let mut command = Command::new(&self.cargo);
        command.env_clear();
        command.envs(env::vars_os().filter(|(name, _)| is_harmless(name)));
        command.env("RUSTC", &self.rustc);
        // An empty wrapper also overrides one from a configuration file.
        command.env("RUSTC_WRAPPER", "");
        command.env("RUSTC_WORKSPACE_WRAPPER", "");
        if self.builder == Builder::Debian {
            // What -Zbuild-std and immediate-abort need on a stable compiler.
            command.env("RUSTC_BOOTSTRAP", "1");
            command.env("PATH", "/usr/bin:/bin");
        }
        command
    }
}

/// What `rustc -vV` tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustcVersion {
    /// The first line, as people know it.
    pub short: String,
    /// `1.96.0`.
    pub release: String,
    /// The commit of the compiler's sources.
    pub commit: String,
    /// The major version of the LLVM inside.
    pub llvm_major: String,
}

impl RustcVersion {
    fn of(rustc: &Path) -> Result<Self> {
        let mut command = Command::new(rustc);
        command.arg("-vV").env_remove("RUSTUP_TOOLCHAIN");
        let version = Self::parse(&output(&mut command)?)?;
        if version.minor()? < OLDEST_MINOR {
            bail!(
                "{} is too old: 1.{OLDEST_MINOR} or newer is needed",
                version.short
            );
        }
        Ok(version)
    }

    fn parse(text: &str) -> Result<Self> {
        let field = |name: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(name))
                .map(|value| value.trim().to_owned())
                .with_context(|| format!("`rustc -vV` prints no line `{name}`"))
        };
        let llvm = field("LLVM version:")?;
        Ok(Self {
            short: text.lines().next().unwrap_or_default().to_owned(),
            release: field("release:")?,
            commit: field("commit-hash:")?,
            llvm_major: llvm.split('.').next().unwrap_or_default().to_owned(),
        })
    }

    fn minor(&self) -> Result<u32> {
        self.release
            .split('.')
            .nth(1)
            .and_then(|minor| minor.parse().ok())
            .with_context(|| format!("`{}` is no version of rustc", self.release))
    }
}

// The workspace's rust-version.
const OLDEST_MINOR: u32 = 95;

fn debian() -> Result<Toolchain> {
    let rustc = PathBuf::from("/usr/bin/rustc");
    let cargo = PathBuf::from("/usr/bin/cargo");
    let packages = "`apt-get install rustc-web cargo-web rust-web-src`";
    for program in [&rustc, &cargo] {
        if !program.is_file() {
            bail!("{} is missing: {packages}", program.display());
        }
    }
    let version = RustcVersion::of(&rustc)?;
    let sysroot = sysroot(Command::new(&rustc))?;
    if !sysroot.join("lib/rustlib/src/rust/library/core").is_dir() {
        bail!("the sources of the standard library are missing: {packages}");
    }
    let linker = linker_version(Path::new("/usr/bin/rust-lld")).with_context(|| {
        let major = &version.llvm_major;
        format!("rust-lld does not run: `apt-get install lld-{major}`")
    })?;
    Ok(Toolchain {
        builder: Builder::Debian,
        rustc,
        cargo,
        version,
        linker,
    })
}

fn installed() -> Result<Toolchain> {
    let sysroots = sysroots();
    for sysroot in &sysroots {
        let rustc = sysroot.join("bin/rustc");
        let cargo = sysroot.join("bin/cargo");
        let target = sysroot.join("lib/rustlib").join(TARGET).join("lib");
        if !target.is_dir() || !rustc.is_file() || !cargo.is_file() {
            continue;
        }
        let version = RustcVersion::of(&rustc)?;
        let linker = host_tool(sysroot, "rust-lld")
            .context("its rust-lld is missing")
            .and_then(|linker| linker_version(&linker))?;
        return Ok(Toolchain {
            builder: Builder::Installed,
            rustc,
            cargo,
            version,
            linker,
        });
    }
    bail!(
        "none of {} toolchains has the target: `rustup target add {TARGET}`",
        sysroots.len()
    );
}

/// The sysroots of the compiler in the PATH and of all that rustup manages.
fn sysroots() -> Vec<PathBuf> {
    let mut sysroots: Vec<PathBuf> = sysroot(Command::new("rustc")).into_iter().collect();
    let listed = output(Command::new("rustup").args(["toolchain", "list"])).unwrap_or_default();
    for name in listed.lines().filter_map(|line| line.split(' ').next()) {
        let mut rustc = Command::new("rustup");
        rustc.args(["run", name, "rustc"]);
        if let Ok(sysroot) = sysroot(rustc)
            && !sysroots.contains(&sysroot)
        {
            sysroots.push(sysroot);
        }
    }
    sysroots
}

fn sysroot(mut rustc: Command) -> Result<PathBuf> {
    let path = output(rustc.args(["--print", "sysroot"]))?;
    Ok(PathBuf::from(path.trim()))
}

fn host_tool(sysroot: &Path, name: &str) -> Option<PathBuf> {
    let hosts = sysroot.join("lib/rustlib").read_dir().ok()?;
    hosts
        .filter_map(|host| Some(host.ok()?.path().join("bin").join(name)))
        .find(|path| path.is_file())
}

fn linker_version(linker: &Path) -> Result<String> {
    let mut command = Command::new(linker);
    command.args(["-flavor", "wasm", "--version"]);
    let text = output(&mut command)?;
    Ok(text.lines().next().unwrap_or_default().trim().to_owned())
}

/// Variables that say where things are and how they are fetched. All others
/// stay behind: any `CARGO_PROFILE_…` or `RUSTFLAGS` would change the bytes.
fn is_harmless(name: &OsString) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    let exact = [
        "ALL_PROXY",
        "CARGO_HOME",
        "HOME",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "NO_PROXY",
        "PATH",
        "RUSTUP_HOME",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
        "TERM",
        "TMPDIR",
        "USER",
    ];
    let prefixes = [
        "CARGO_HTTP_",
        "CARGO_NET_",
        "CARGO_REGISTRIES_",
        "CARGO_TERM_",
    ];
    exact
        .iter()
        .any(|harmless| name.eq_ignore_ascii_case(harmless))
        || prefixes.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEBIAN: &str = "rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)\n\
        binary: rustc\n\
        commit-hash: ac68faa20c58cbccd01ee7208bf3b6e93a7d7f96\n\
        commit-date: 2026-05-25\n\
        host: x86_64-unknown-linux-gnu\n\
        release: 1.96.0\n\
        LLVM version: 22.1.8\n";

    #[test]
    fn the_version_of_a_compiler_is_read_from_what_it_prints() {
        let version = RustcVersion::parse(DEBIAN).unwrap();
        assert_eq!(version.release, "1.96.0");
        assert_eq!(version.commit, "ac68faa20c58cbccd01ee7208bf3b6e93a7d7f96");
        assert_eq!(version.llvm_major, "22");
        assert_eq!(version.minor().unwrap(), 96);
    }

    #[test]
    fn a_compiler_that_tells_no_commit_is_an_error_that_names_the_line() {
        let text = DEBIAN.replace("commit-hash", "commit");
        let error = RustcVersion::parse(&text).unwrap_err().to_string();
        assert!(error.contains("`commit-hash:`"), "{error}");
    }

    #[test]
    fn nothing_that_changes_bytes_is_inherited() {
        for name in [
            "CARGO_BUILD_RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_INCREMENTAL",
            "CARGO_PROFILE_GUEST_OPT_LEVEL",
            "CARGO_TARGET_DIR",
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER",
            "LD_LIBRARY_PATH",
            "RUSTC",
            "RUSTC_WRAPPER",
            "RUSTFLAGS",
            "RUSTUP_TOOLCHAIN",
            "SOURCE_DATE_EPOCH",
        ] {
            assert!(!is_harmless(&OsString::from(name)), "{name}");
        }
        for name in ["HOME", "https_proxy", "CARGO_HOME", "CARGO_NET_OFFLINE"] {
            assert!(is_harmless(&OsString::from(name)), "{name}");
        }
    }
}
