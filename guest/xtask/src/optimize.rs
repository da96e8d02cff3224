//! Makes core modules smaller with Binaryen's optimizer, from its npm package.
//!
//! The compiler leaves a fifth on the table for wasm: locals that could share, and
//! runs of zeros in the tables of the URL parser. A component that browsers and
//! edge hosts fetch is worth the extra tool.

use std::fs;
use std::path::PathBuf;
use std::process::{self, Command};

use anyhow::{Context, Result};

use crate::workspace::{Workspace, npm_ci, output, run};

/// What is asked of the optimizer. It must be told which features a module may
/// use, since the compiler's list of them is stripped.
const FLAGS: [&str; 8] = [
    "-Oz",
    "--strip-producers",
    "--enable-bulk-memory",
    "--enable-sign-ext",
    "--enable-nontrapping-float-to-int",
    "--enable-mutable-globals",
    "--enable-multivalue",
    "--enable-reference-types",
];

/// The optimizer, installed.
pub struct Optimizer {
    script: PathBuf,
    folder: PathBuf,
    /// Name, version and flags, for the manifest.
    pub description: String,
}

impl Optimizer {
    /// Installs the locked version below `target/`, unless it is there.
    ///
    /// Errors: Node or npm is missing, or the package cannot be had.
    pub fn install(workspace: &Workspace) -> Result<Self> {
        let folder = workspace.path("target/binaryen");
        fs::create_dir_all(&folder)?;
        let locked = workspace.path("guest/xtask/binaryen");
        let lock = fs::read(locked.join("package-lock.json"))?;
        let script = folder.join("node_modules/binaryen/bin/wasm-opt");
        let installed = fs::read(folder.join("installed-lock.json")).ok();
        if installed.as_ref() != Some(&lock) || !script.is_file() {
            for name in ["package.json", "package-lock.json"] {
                fs::copy(locked.join(name), folder.join(name))?;
            }
            npm_ci(&folder)
                .context("the optimizer is not installed: Node 20 and npm are needed")?;
            fs::write(folder.join("installed-lock.json"), &lock)?;
        }
        let version = output(Command::new("node").arg(&script).arg("--version"))
            .context("the optimizer does not run: Node 20 is needed")?;
        let description = format!("binaryen, {} {}", version.trim(), FLAGS.join(" "));
        Ok(Self {
            script,
            folder,
            description,
        })
    }

    /// The module, smaller, with the same meaning and the same custom sections.
    pub fn optimize(&self, module: &[u8]) -> Result<Vec<u8>> {
        // Another task may be doing the same at the same time.
        let input = self.folder.join(format!("{}-in.wasm", process::id()));
        let result = self.folder.join(format!("{}-out.wasm", process::id()));
        fs::write(&input, module)?;
        let mut node = Command::new("node");
        node.arg(&self.script).args(FLAGS);
        node.arg(&input).arg("-o").arg(&result);
        run(&mut node).context("the optimizer failed")?;
        let bytes = fs::read(&result).context("the optimizer wrote nothing")?;
        for file in [input, result] {
            fs::remove_file(file)?;
        }
        Ok(bytes)
    }
}
