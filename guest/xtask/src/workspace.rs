//! Where things are, and how programs are run there.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The root folder of the project.
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Looks upwards from the current folder.
    pub fn find() -> Result<Self> {
        let here = env::current_dir().context("the current folder cannot be read")?;
        here.ancestors()
            .find(|folder| folder.join("guest/xtask").is_dir() && folder.join("wit").is_dir())
            .map(|root| Self {
                root: root.to_path_buf(),
            })
            .context("not inside the project: no folder above has guest/xtask and wit")
    }

    /// The project in another folder, such as a copy.
    pub fn at(root: PathBuf) -> Self {
        Self { root }
    }

    /// A path inside the project.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// The root folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A command that runs `program` in the root folder.
    pub fn command(&self, program: impl Into<OsString>) -> Command {
        let mut command = Command::new(program.into());
        command.current_dir(&self.root);
        command
    }

    /// The cargo that runs this task.
    pub fn cargo(&self) -> Command {
        self.command(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
    }
}

/// Runs a command to its end, its output shown, and fails if it does.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    eprintln!("$ {shown}");
    let status = command
        .status()
        .with_context(|| format!("`{shown}` cannot be started"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Runs a command to its end and returns what it wrote to its standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command
        .output()
        .with_context(|| format!("`{shown}` cannot be started"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("`{shown}` failed ({}): {}", output.status, stderr.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` wrote no UTF-8"))
}

/// Runs a command to its end, and returns what it wrote to its standard output
/// and whether it succeeded.
pub fn captured(command: &mut Command) -> Result<(String, bool)> {
    let shown = show(command);
    eprintln!("$ {shown}");
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("`{shown}` cannot be started"))?;
    let text =
        String::from_utf8(output.stdout).with_context(|| format!("`{shown}` wrote no UTF-8"))?;
    Ok((text, output.status.success()))
}

/// Installs the packages of a lock file in its folder; nothing of them is run.
pub fn npm_ci(folder: &Path) -> Result<()> {
    let mut npm = Command::new("npm");
    npm.args([
        "ci",
        "--silent",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
    ]);
    run(npm.current_dir(folder))
}

/// Whether a program can be started with `--version`.
pub fn is_installed(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

pub fn show(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}
