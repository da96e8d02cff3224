//! Loads the component: the one built in, or the one that `--component` names.

use negotiator::shared::stand_in;
use negotiator::types::Facets;
use negotiator::{Artifact, Limits, Loaded, Negotiator, Runtime};

use super::exit::{Failure, OrExit as _};
use super::{Global, certify};

/// The bytes of the component.
pub(crate) fn artifact(global: &Global) -> Result<Artifact, Failure> {
    let artifact = match &global.component {
        None => Artifact::embedded(),
        Some(path) => Artifact::from_file(path).or_component("cannot load the component")?,
    };
    if let Some(certificate) = &global.require_certificate
        && let Err(problem) = certify::holds(certificate, &artifact)?
    {
        return Err(Failure::component(format!(
            "cannot load the component: {problem}"
        )));
    }
    Ok(artifact)
}

/// The component, compiled.
pub(crate) fn load(global: &Global) -> Result<Loaded, Failure> {
    let artifact = artifact(global)?;
    let context = match &global.component {
        None => "cannot load the component that is built in".to_owned(),
        Some(path) => format!("cannot load the component {}", path.display()),
    };
    // One call at a time: room for many instances would be reserved in vain.
    let runtime = Runtime::on_demand().or_component(context.as_str())?;
    let loaded = Negotiator::load(&runtime, &artifact, Limits::negotiator());
    Ok(loaded.or_component(context)?.keep(1))
}

/// The component with these facets.
pub(crate) fn configured(loaded: &Loaded, facets: Facets) -> Result<Negotiator, Failure> {
    loaded
        .configure(facets, "")
        .or_component("cannot configure the component")
}

/// The component with facets that stand for none, for operations that do not look at them.
pub(crate) fn without_facets(loaded: &Loaded) -> Result<Negotiator, Failure> {
    configured(loaded, stand_in())
}
