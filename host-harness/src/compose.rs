//! One file of two: the negotiator with its policy left open, and a policy.
//!
//! ```text
//!            ┌──────────────────────── OUT ────────────────────────┐
//!            │  policy ──judge──────────────────────▶ negotiator   │──▶ every export
//!            │         ──configure──▶ [settings] ───▶              │
//!            └─────────────────────────────────────────────────────┘
//! ```
//!
//! The bytes depend on nothing but what goes in.

use wasm_encoder::{
    Component, ComponentAliasSection, ComponentExportKind, ComponentExportSection,
    ComponentInstanceSection, ComponentSectionId, NestedComponentSection, RawSection,
};
use wasmparser::{ComponentExternalKind, Parser, Payload};

use crate::artifact::{Artifact, POLICY_INTERFACE, World};
use crate::error::{ComposeError, InspectError};
use crate::runtime::check_world;

mod settings;

/// The longest settings that are built in, in bytes.
pub const MAX_SETTINGS_BYTES: usize = 64 * 1024;

/// Makes one component of a negotiator with its policy left open and a policy: it
/// imports nothing, fits the world `negotiator-closed`, and decides as the two do when
/// they are linked at run time.
///
/// With `settings` the policy is configured with them whenever a host configures the
/// component with empty settings; any others are refused, so that the digest of the
/// file says what it does. Without, settings reach the policy as the host gives them.
/// Whether the policy takes the settings is not tried here: nothing is run.
///
/// The same input gives the same bytes.
///
/// # Errors
///
/// One of the two is no component of its world or imports something it may not, the
/// settings are too long, or the two do not fit together.
pub fn compose(
    negotiator: &Artifact,
    policy: &Artifact,
    settings: Option<&str>,
) -> Result<Artifact, ComposeError> {
    check_world(negotiator, World::Negotiator).map_err(ComposeError::Negotiator)?;
    check_world(policy, World::PolicyProvider).map_err(ComposeError::Policy)?;
    if settings.is_some_and(|settings| settings.len() > MAX_SETTINGS_BYTES) {
        return Err(ComposeError::SettingsTooLong {
            limit: MAX_SETTINGS_BYTES,
        });
    }
    let composed = Artifact::from_bytes(encode(negotiator, policy, settings)?);
    check_world(&composed, World::NegotiatorClosed).map_err(ComposeError::Composed)?;
    Ok(composed)
}

fn encode(
    negotiator: &Artifact,
    policy: &Artifact,
    settings: Option<&str>,
) -> Result<Vec<u8>, ComposeError> {
    let exports = exports(negotiator.bytes()).map_err(ComposeError::Encoding)?;
    let mut component = Component::new();
    for part in [policy, negotiator] {
        component.section(&RawSection {
            id: ComponentSectionId::Component.into(),
            data: part.bytes(),
        });
    }
    let mut instances = ComponentInstanceSection::new();
    instances.instantiate(POLICY, NO_ARGUMENTS);
    component.section(&instances);
    let mut aliases = ComponentAliasSection::new();
    aliases.alias(export(0, POLICY_INTERFACE, ComponentExportKind::Instance));
    component.section(&aliases);
    // What the negotiator gets as its policy, and the first number after it.
    let (policy, next) = match settings {
        None => (PLAIN, 2),
        Some(settings) => {
            build_in(&mut component, settings);
            (3, 4)
        }
    };
    let mut instances = ComponentInstanceSection::new();
    instances.instantiate(
        NEGOTIATOR,
        [(POLICY_INTERFACE, ComponentExportKind::Instance, policy)],
    );
    component.section(&instances);
    // All exports of a negotiator are instances: its world has nothing else.
    for (number, name) in (1_u32..).zip(&exports) {
        let mut aliases = ComponentAliasSection::new();
        aliases.alias(export(next, name, ComponentExportKind::Instance));
        component.section(&aliases);
        let mut section = ComponentExportSection::new();
        // An export makes a number of its own, after that of its alias.
        let alias = next
            .saturating_add(number.saturating_mul(2))
            .saturating_sub(1);
        section.export(name.as_str(), ComponentExportKind::Instance, alias, None);
        component.section(&section);
    }
    Ok(component.finish())
}

/// Puts a policy beside the plain one whose `configure` takes what is built in; all
/// else is the plain one's.
fn build_in(component: &mut Component, settings: &str) {
    let mut aliases = ComponentAliasSection::new();
    for name in TYPES {
        aliases.alias(export(PLAIN, name, ComponentExportKind::Type));
    }
    for name in ["configure", "judge"] {
        aliases.alias(export(PLAIN, name, ComponentExportKind::Func));
    }
    component.section(&aliases);
    // A component of its own: one that holds others may not be called by them.
    component.section(&NestedComponentSection(&settings::component(settings)));
    let mut instances = ComponentInstanceSection::new();
    instances.instantiate(2, [("configure", ComponentExportKind::Func, 0)]);
    component.section(&instances);
    let mut aliases = ComponentAliasSection::new();
    aliases.alias(export(2, "configure", ComponentExportKind::Func));
    component.section(&aliases);
    let types = (0_u32..).zip(TYPES);
    let mut items: Vec<_> = types
        .map(|(number, name)| (name, ComponentExportKind::Type, number))
        .collect();
    items.push(("configure", ComponentExportKind::Func, 2));
    items.push(("judge", ComponentExportKind::Func, 1));
    let mut instances = ComponentInstanceSection::new();
    instances.export_items(items);
    component.section(&instances);
}

fn export(instance: u32, name: &str, kind: ComponentExportKind) -> wasm_encoder::Alias<'_> {
    wasm_encoder::Alias::InstanceExport {
        instance,
        kind,
        name,
    }
}

/// The names of the instances that a component exports, in order.
fn exports(bytes: &[u8]) -> Result<Vec<String>, InspectError> {
    let invalid = |error: wasmparser::BinaryReaderError| InspectError::Invalid {
        offset: error.offset(),
        problem: error.message().to_owned(),
    };
    let mut names = Vec::new();
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(invalid)? {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                depth = depth.saturating_add(1);
            }
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentExportSection(section) if depth == 0 => {
                for export in section {
                    let export = export.map_err(invalid)?;
                    if export.kind == ComponentExternalKind::Instance {
                        names.push(export.name.name.to_owned());
                    }
                }
            }
            _ => {}
        }
    }
    Ok(names)
}

// Components by number, and the instance that holds the policy's functions as they are.
const POLICY: u32 = 0;
const NEGOTIATOR: u32 = 1;
const PLAIN: u32 = 1;
/// The types of the policy interface, which its functions are made of.
const TYPES: [&str; 4] = ["protocol", "direction", "proposal", "verdict"];
const NO_ARGUMENTS: [(&str, ComponentExportKind, u32); 0] = [];
