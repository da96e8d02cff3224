//! What a file is, told from its bytes without compiling or running any of it.

use wasmparser::{
    BinaryReaderError, ComponentExternalKind, Encoding, ExternalKind, Parser, Payload,
};
use wasmparser::{ComponentType, ComponentTypeDeclaration, Validator, WasmFeatures};

use super::depth::too_deep;
use super::worlds::{POLICY_INTERFACE, World, mismatch};
use super::{Artifact, Digest};
use crate::error::InspectError;

/// What a file is. Made by [`inspect`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// The digest of the bytes.
    pub digest: Digest,
    /// How many bytes there are.
    pub bytes: usize,
    /// Component or core module.
    pub kind: Kind,
    /// The world of the negotiation package that it fits, if any.
    ///
    /// For a component this is checked item by item, types included. A core
    /// module can only be taken at its word: it is the world that its embedded
    /// WIT names.
    pub world: Option<World>,
    /// The names of everything imported, in order; of a core module
    /// `module#name`. Characters that do not print are escaped, names are cut at
    /// 200 characters.
    pub imports: Vec<String>,
    /// The names of everything exported, in order, written like `imports`.
    pub exports: Vec<String>,
}

/// The two kinds of WebAssembly binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A component: typed imports and exports.
    Component,
    /// A core module, to be called through the canonical ABI by hand.
    Module,
}

impl Kind {
    /// `component` or `module`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Component => "component",
            Self::Module => "module",
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Tells what some bytes are. Takes any bytes whatever.
///
/// # Errors
///
/// The bytes are not WebAssembly, or not valid WebAssembly.
pub fn inspect(bytes: &[u8]) -> Result<Inspection, InspectError> {
    inspect_as(bytes, Digest::of(bytes))
}

impl Artifact {
    /// Tells what the artifact is; the same as [`inspect`] on its bytes.
    ///
    /// # Errors
    ///
    /// As [`inspect`].
    pub fn inspect(&self) -> Result<Inspection, InspectError> {
        inspect_as(self.bytes(), self.digest())
    }
}

fn inspect_as(bytes: &[u8], digest: Digest) -> Result<Inspection, InspectError> {
    if !bytes.starts_with(MAGIC) {
        return Err(InspectError::NotWasm);
    }
    if let Some(offset) = too_deep(bytes) {
        return Err(InspectError::NestedTooDeep { offset });
    }
    // Everything below reads bytes that are known to be valid.
    Validator::new_with_features(WasmFeatures::all())
        .validate_all(bytes)
        .map_err(invalid)?;
    let surface = surface(bytes).map_err(invalid)?;
    let world = match surface.kind {
        Kind::Component => fitting_world(bytes, &surface),
        Kind::Module => surface.named_world,
    };
    Ok(Inspection {
        digest,
        bytes: bytes.len(),
        kind: surface.kind,
        world,
        imports: surface.imports.iter().map(|name| printable(name)).collect(),
        exports: surface.exports.iter().map(|name| printable(name)).collect(),
    })
}

/// The outermost names of a binary, as they stand in it.
struct Surface {
    kind: Kind,
    imports: Vec<String>,
    exports: Vec<String>,
    named_world: Option<World>,
}

fn surface(bytes: &[u8]) -> Result<Surface, BinaryReaderError> {
    let mut surface = Surface {
        kind: Kind::Module,
        imports: Vec::new(),
        exports: Vec::new(),
        named_world: None,
    };
    // How many nested modules and components we are inside of.
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload? {
            Payload::Version { encoding, .. } if depth == 0 => {
                surface.kind = match encoding {
                    Encoding::Component => Kind::Component,
                    Encoding::Module => Kind::Module,
                };
            }
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                depth = depth.saturating_add(1);
            }
            Payload::End(_) => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            Payload::ComponentImportSection(section) => {
                for import in section {
                    surface.imports.push(import?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) => {
                for export in section {
                    surface.exports.push(export?.name.name.to_owned());
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let import = import?;
                    surface
                        .imports
                        .push(format!("{}#{}", import.module, import.name));
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export?;
                    // Memories and globals are how a module works, not what it does.
                    if matches!(export.kind, ExternalKind::Func | ExternalKind::FuncExact) {
                        surface.exports.push(export.name.to_owned());
                    }
                }
            }
            Payload::CustomSection(section) if section.name().starts_with(WIT_SECTION) => {
                // A section that is not what its name says is nobody's world.
                let found = world_of_wit_section(section.data()).unwrap_or(None);
                surface.named_world = surface.named_world.or(found);
            }
            _ => {}
        }
    }
    Ok(surface)
}

/// The world that a component fits. Its outermost names leave one candidate.
fn fitting_world(bytes: &[u8], surface: &Surface) -> Option<World> {
    let policy = |names: &[String]| names.iter().any(|name| name == POLICY_INTERFACE);
    let candidate = if policy(&surface.exports) {
        World::PolicyProvider
    } else if policy(&surface.imports) {
        World::Negotiator
    } else {
        World::NegotiatorClosed
    };
    mismatch(bytes, candidate).is_none().then_some(candidate)
}

/// The world in a `component-type` section: a component that holds the world as
/// a component type, which exports the world proper under its full name.
fn world_of_wit_section(data: &[u8]) -> Result<Option<World>, BinaryReaderError> {
    if too_deep(data).is_some() {
        return Ok(None);
    }
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(data) {
        match payload? {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                depth = depth.saturating_add(1);
            }
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentTypeSection(section) if depth == 0 => {
                for ty in section {
                    let ComponentType::Component(declarations) = ty? else {
                        continue;
                    };
                    for declaration in &declarations {
                        if let ComponentTypeDeclaration::Export { name, ty } = declaration
                            && ty.kind() == ComponentExternalKind::Component
                            && let Some(world) = World::from_full_name(name.name)
                        {
                            return Ok(Some(world));
                        }
                    }
                }
            }
            _ => {}
        }
    }
    Ok(None)
}

fn invalid(error: BinaryReaderError) -> InspectError {
    InspectError::Invalid {
        offset: error.offset(),
        problem: printable(error.message()),
    }
}

/// Text out of a file, fit to be shown: escaped where it does not print, and cut.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::new();
    for (position, character) in text.chars().enumerate() {
        if position == MAX_SHOWN {
            shown.push('…');
            break;
        }
        if character.is_control() || is_invisible(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Characters that print nothing or turn the text around them.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
        | '\u{feff}')
}

const MAX_SHOWN: usize = 200;
const MAGIC: &[u8] = b"\0asm";
const WIT_SECTION: &str = "component-type";
