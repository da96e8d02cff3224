//! Checks what was built, on the bytes: the right kind of file, the world that
//! it promises, exactly the imports allowed, no path of a build machine in it.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use wasmparser::{Encoding, Parser, Payload, Validator, WasmFeatures};
use wit_component::{DecodedWasm, StringEncoding, embed_component_metadata};
use wit_parser::{PackageId, Resolve, WorldId, WorldItem};

use crate::componentize::componentize;
use crate::workspace::Workspace;

/// The WIT package of the project, resolved.
pub struct Wit {
    resolve: Resolve,
    package: PackageId,
}

/// What a file takes from its host and gives to it, in byte order.
#[derive(Debug, PartialEq, Eq)]
pub struct Interfaces {
    /// Names of the imports.
    pub imports: Vec<String>,
    /// Names of the exports.
    pub exports: Vec<String>,
}

impl Wit {
    /// Reads `wit/`.
    pub fn read(workspace: &Workspace) -> Result<Self> {
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_dir(workspace.path("wit"))?;
        Ok(Self { resolve, package })
    }

    /// `openwop:negotiation@2.0.0`.
    pub fn package(&self) -> Result<String> {
        let package = self.resolve.packages.get(self.package);
        Ok(package.context("no package in wit/")?.name.to_string())
    }

    /// The full name of a world.
    pub fn world_name(&self, world: &str) -> String {
        self.resolve.id_of_name(self.package, world)
    }

    /// The component of a core module that has the names of a world's functions
    /// and says nothing of the world.
    pub fn wrap(&self, mut module: Vec<u8>, world: &str) -> Result<Vec<u8>> {
        let world = self.world(world)?;
        embed_component_metadata(&mut module, &self.resolve, world, StringEncoding::UTF8)?;
        componentize(&module)
    }

    fn world(&self, world: &str) -> Result<WorldId> {
        self.resolve.select_world(&[self.package], Some(world))
    }

    /// What a world exports, in byte order.
    fn exports(&self, world: &str) -> Result<Vec<String>> {
        Ok(interfaces(&self.resolve, self.world(world)?)?.exports)
    }
}

/// Checks a component: that it is one, that it can stand where `world` is
/// wanted, that it imports `imports` and nothing else, and exports all of the
/// world and nothing else.
pub fn component(wit: &Wit, bytes: &[u8], world: &str, imports: &[&str]) -> Result<Interfaces> {
    validate(bytes, Encoding::Component)?;
    wit_component::targets(&wit.resolve, wit.world(world)?, bytes)
        .with_context(|| format!("does not fit the world `{world}`"))?;
    let found = component_interfaces(bytes)?;
    if found.imports != imports {
        bail!("imports {:?} instead of {imports:?}", found.imports);
    }
    let expected = wit.exports(world)?;
    if found.exports != expected {
        bail!("exports {:?} instead of {expected:?}", found.exports);
    }
    Ok(found)
}

/// Checks a policy that others made: as [`component`], but it may export more
/// than its world asks for, and use newer instructions.
pub fn policy(wit: &Wit, bytes: &[u8]) -> Result<()> {
    // Python's interpreter is built with newer instructions than our own files.
    validate_as(bytes, Encoding::Component, WasmFeatures::WASM3)?;
    wit_component::targets(&wit.resolve, wit.world("policy-provider")?, bytes)
        .context("does not fit the world `policy-provider`")?;
    let imports = component_interfaces(bytes)?.imports;
    if !imports.is_empty() {
        bail!("imports {imports:?} instead of nothing");
    }
    Ok(())
}

/// What a component imports and exports.
pub fn component_interfaces(bytes: &[u8]) -> Result<Interfaces> {
    match wit_component::decode(bytes)? {
        DecodedWasm::Component(resolve, world) => interfaces(&resolve, world),
        DecodedWasm::WitPackage(..) => bail!("is a WIT package, not a component"),
    }
}

/// Checks the core module of a component: that it imports nothing, and that the
/// encoder makes exactly `component` of it.
pub fn core_module(bytes: &[u8], component: &[u8]) -> Result<Interfaces> {
    validate(bytes, Encoding::Module)?;
    let found = core_interfaces(bytes)?;
    if !found.imports.is_empty() {
        bail!("imports {:?} instead of nothing", found.imports);
    }
    for needed in ["memory", "cabi_realloc"] {
        if !found.exports.iter().any(|name| name == needed) {
            bail!("does not export `{needed}`, which callers need to pass text");
        }
    }
    if componentize(bytes)? != component {
        bail!("is not the core module of the component next to it");
    }
    Ok(found)
}

/// Fails if the bytes hold text that looks like a path of the machine they were
/// built on, which would make them depend on it.
pub fn no_build_paths(bytes: &[u8], own: &[PathBuf]) -> Result<()> {
    let own = own.iter().filter_map(|path| path.to_str());
    for path in BUILD_PATHS.into_iter().chain(own) {
        // A root folder would be found everywhere.
        let needle = path.as_bytes();
        if needle.len() > 1 && bytes.windows(needle.len()).any(|window| window == needle) {
            bail!("holds `{path}`, a path of the machine it was built on");
        }
    }
    Ok(())
}

/// Fails if a file is larger than its budget.
pub fn size(bytes: &[u8], budget: usize) -> Result<()> {
    if bytes.len() > budget {
        bail!(
            "has {} bytes, more than its budget of {budget}",
            bytes.len()
        );
    }
    Ok(())
}

// `.rs` would be too wide: the debug text of a type may end so.
const BUILD_PATHS: [&str; 9] = [
    ".cargo",
    ".rustup",
    "/Users/",
    "/home/",
    "/root/",
    "/rustlib/",
    "/tmp/",
    "/usr/",
    "CARGO_HOME",
];

fn validate(bytes: &[u8], wanted: Encoding) -> Result<()> {
    // WebAssembly 2.0 and components, nothing newer: every runtime has that.
    validate_as(bytes, wanted, WasmFeatures::WASM2)
}

fn validate_as(bytes: &[u8], wanted: Encoding, core: WasmFeatures) -> Result<()> {
    let encoding = match Parser::new(0).parse_all(bytes).next() {
        Some(Ok(Payload::Version { encoding, .. })) => encoding,
        _ => bail!("is no WebAssembly file"),
    };
    if encoding != wanted {
        bail!("is a {encoding:?}, not a {wanted:?}");
    }
    Validator::new_with_features(core | WasmFeatures::COMPONENT_MODEL)
        .validate_all(bytes)
        .context("is not valid")?;
    Ok(())
}

fn core_interfaces(bytes: &[u8]) -> Result<Interfaces> {
    let mut found = Interfaces {
        imports: Vec::new(),
        exports: Vec::new(),
    };
    for payload in Parser::new(0).parse_all(bytes) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let import = import?;
                    found
                        .imports
                        .push(format!("{} {}", import.module, import.name));
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    found.exports.push(export?.name.to_owned());
                }
            }
            _ => {}
        }
    }
    found.imports.sort();
    found.exports.sort();
    Ok(found)
}

fn interfaces(resolve: &Resolve, world: WorldId) -> Result<Interfaces> {
    let world = resolve.worlds.get(world).context("no such world")?;
    let names = |items: &mut dyn Iterator<Item = (&wit_parser::WorldKey, &WorldItem)>| {
        let mut names: Vec<String> = items.map(|(key, _)| resolve.name_world_key(key)).collect();
        names.sort();
        names
    };
    Ok(Interfaces {
        imports: names(&mut world.imports.iter()),
        exports: names(&mut world.exports.iter()),
    })
}

#[cfg(test)]
#[path = "inspect_tests.rs"]
mod tests;
