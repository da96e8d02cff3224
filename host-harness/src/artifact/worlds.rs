//! The worlds of the WIT package, and whether a component fits one of them.

use std::fmt;
use std::sync::OnceLock;

use wit_parser::{PackageId, Resolve, SourceMap, UnresolvedPackageGroup};

/// A world of the package `openwop:negotiation@2.0.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum World {
    /// The certified component with its policy left open.
    Negotiator,
    /// The certified component with a policy inside.
    NegotiatorClosed,
    /// A policy.
    PolicyProvider,
}

impl World {
    /// The full name: `openwop:negotiation/negotiator-closed@2.0.0`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Negotiator => "openwop:negotiation/negotiator@2.0.0",
            Self::NegotiatorClosed => "openwop:negotiation/negotiator-closed@2.0.0",
            Self::PolicyProvider => "openwop:negotiation/policy-provider@2.0.0",
        }
    }

    /// The world of that full name.
    pub(super) fn from_full_name(name: &str) -> Option<Self> {
        [
            Self::Negotiator,
            Self::NegotiatorClosed,
            Self::PolicyProvider,
        ]
        .into_iter()
        .find(|world| world.as_str() == name)
    }

    fn short_name(self) -> &'static str {
        match self {
            Self::Negotiator => "negotiator",
            Self::NegotiatorClosed => "negotiator-closed",
            Self::PolicyProvider => "policy-provider",
        }
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The interface that a policy exports and an open negotiator imports.
pub(crate) const POLICY_INTERFACE: &str = "openwop:negotiation/policy@2.0.0";

/// Why a component does not fit a world, or nothing when it does: whether it
/// could stand wherever that world is asked for, types included.
pub(crate) fn mismatch(component: &[u8], world: World) -> Option<String> {
    let (resolve, package) = match package() {
        Ok(package) => package,
        Err(problem) => return Some(problem.clone()),
    };
    let id = match resolve.select_world(&[*package], Some(world.short_name())) {
        Ok(id) => id,
        Err(error) => return Some(error.to_string()),
    };
    match wit_component::targets(resolve, id, component) {
        Ok(()) => None,
        Err(error) => Some(super::printable(&error.root_cause().to_string())),
    }
}

/// The package, parsed once from the sources that were compiled in.
fn package() -> &'static Result<(Resolve, PackageId), String> {
    static PACKAGE: OnceLock<Result<(Resolve, PackageId), String>> = OnceLock::new();
    PACKAGE.get_or_init(|| {
        let mut map = SourceMap::default();
        for (name, text) in SOURCES {
            map.push_str(name, *text);
        }
        let group: UnresolvedPackageGroup =
            map.parse().map_err(|(map, error)| error.render(&map))?;
        let mut resolve = Resolve::default();
        let id = resolve
            .push_group(group)
            .map_err(|error| error.to_string())?;
        Ok((resolve, id))
    })
}

const SOURCES: &[(&str, &str)] = &[
    ("advertise.wit", include_str!("../../../wit/advertise.wit")),
    ("answer.wit", include_str!("../../../wit/answer.wit")),
    ("json.wit", include_str!("../../../wit/json.wit")),
    ("negotiate.wit", include_str!("../../../wit/negotiate.wit")),
    ("policy.wit", include_str!("../../../wit/policy.wit")),
    ("record.wit", include_str!("../../../wit/record.wit")),
    ("types.wit", include_str!("../../../wit/types.wit")),
    ("wire.wit", include_str!("../../../wit/wire.wit")),
    ("worlds.wit", include_str!("../../../wit/worlds.wit")),
];
