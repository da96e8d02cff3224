//! Refuses binaries that nest without end, before anything else reads them.
//!
//! The parser reads a type inside a type by calling itself, without a limit: a few
//! kilobytes of `component type { component type { …` would exhaust the stack, and
//! with it end the process. Validation comes too late for that, so this pass walks
//! the same bytes without recursion and looks at nothing but the depth.

use wasmparser::{
    BinaryReader, BinaryReaderError, ComponentType, ComponentTypeDeclaration, Parser, Payload,
};

/// The offset at which a binary nests too deep, if it does. Whatever else is wrong
/// with it is left to the validator.
pub(super) fn too_deep(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload {
            Ok(
                Payload::ModuleSection {
                    unchecked_range, ..
                }
                | Payload::ComponentSection {
                    unchecked_range, ..
                },
            ) => {
                depth = depth.saturating_add(1);
                if depth > MAX_COMPONENTS {
                    return Some(unchecked_range.start);
                }
            }
            Ok(Payload::End(_)) => depth = depth.saturating_sub(1),
            Ok(Payload::ComponentTypeSection(section)) => {
                let range = section.range();
                let section = bytes.get(range.clone())?;
                if types_too_deep(section) {
                    return Some(range.start);
                }
            }
            Ok(_) => {}
            // Nothing after this is read by anyone.
            Err(_) => return None,
        }
    }
    None
}

/// Whether the types of a section nest too deep. Where the section breaks off, so
/// does every other reader of it, no deeper than this one came.
fn types_too_deep(section: &[u8]) -> bool {
    let mut reader = BinaryReader::new(section, 0);
    // How many declarations are left to read, of each type that is open; the
    // outermost are those of the section.
    let mut open = match reader.read_var_u32() {
        Ok(types) => vec![types],
        Err(_) => return false,
    };
    loop {
        let depth = open.len();
        let Some(left) = open.last_mut() else {
            return false;
        };
        let Some(fewer) = left.checked_sub(1) else {
            open.pop();
            continue;
        };
        *left = fewer;
        match next(&mut reader, depth == 1) {
            Ok(None) => {}
            Ok(Some(declarations)) => {
                if depth > MAX_TYPES {
                    return true;
                }
                open.push(declarations);
            }
            Err(_) => return false,
        }
    }
}

/// Reads one declaration: the beginning of one that holds others, and how many it
/// holds; or all of one that holds none.
fn next(reader: &mut BinaryReader<'_>, outermost: bool) -> Result<Option<u32>, BinaryReaderError> {
    let mut ahead = reader.clone();
    // Inside of a type, a type stands behind a byte that says so.
    let is_type = outermost || ahead.read_u8()? == TYPE;
    if is_type && matches!(ahead.read_u8(), Ok(COMPONENT_TYPE | INSTANCE_TYPE)) {
        let declarations = ahead.read_var_u32()?;
        *reader = ahead;
        return Ok(Some(declarations));
    }
    if outermost {
        reader.read::<ComponentType<'_>>()?;
    } else {
        reader.read::<ComponentTypeDeclaration<'_>>()?;
    }
    Ok(None)
}

const TYPE: u8 = 0x01;
const COMPONENT_TYPE: u8 = 0x41;
const INSTANCE_TYPE: u8 = 0x42;

/// Types within types. Worlds need three.
const MAX_TYPES: usize = 32;

/// Components within components. A composition of compositions needs three.
const MAX_COMPONENTS: usize = 32;
