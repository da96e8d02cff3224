//! Real components and modules, right and wrong ones, made from the WIT package.

use wit_component::{StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::ManglingAndAbi;

use super::*;

const POLICY: &str = "openwop:negotiation/policy@2.0.0";

fn wit() -> Wit {
    Wit::read(&Workspace::find().unwrap()).unwrap()
}

/// A core module with all imports and exports of a world; every call traps.
fn module(resolve: &Resolve, world: WorldId) -> Vec<u8> {
    let mut bytes = dummy_module(
        resolve,
        world,
        ManglingAndAbi::Legacy(wit_parser::LiftLowerAbi::Sync),
    );
    embed_component_metadata(&mut bytes, resolve, world, StringEncoding::UTF8).unwrap();
    bytes
}

fn module_of(wit: &Wit, world: &str) -> Vec<u8> {
    module(&wit.resolve, wit.world(world).unwrap())
}

fn component_of(wit: &Wit, world: &str) -> Vec<u8> {
    componentize(&module_of(wit, world)).unwrap()
}

#[test]
fn each_world_passes_with_exactly_its_imports() {
    let wit = wit();
    for (world, imports) in [
        ("negotiator-closed", &[][..]),
        ("negotiator", &[POLICY][..]),
        ("policy-provider", &[][..]),
    ] {
        let found = component(&wit, &component_of(&wit, world), world, imports).unwrap();
        assert_eq!(found.imports, imports);
        assert!(!found.exports.is_empty());
    }
}

#[test]
fn an_import_too_many_or_missing_is_refused_and_named() {
    let wit = wit();
    let open = component_of(&wit, "negotiator");
    let error = component(&wit, &open, "negotiator", &[])
        .unwrap_err()
        .to_string();
    assert!(error.contains(POLICY), "{error}");
    let closed = component_of(&wit, "negotiator-closed");
    let error = component(&wit, &closed, "negotiator", &[POLICY])
        .unwrap_err()
        .to_string();
    assert!(error.contains("imports [] instead of"), "{error}");
}

#[test]
fn an_import_from_outside_the_package_is_refused() {
    let wit = wit();
    let mut resolve = wit.resolve.clone();
    resolve
        .push_str(
            "clock.wit",
            "package test:clock@1.0.0; interface now { read: func() -> u64; }",
        )
        .unwrap();
    let with_clock = resolve
        .push_str(
            "spy.wit",
            "package test:spy@1.0.0; world spy { \
               import test:clock/now@1.0.0; export openwop:negotiation/policy@2.0.0; }",
        )
        .unwrap();
    let world = resolve.select_world(&[with_clock], Some("spy")).unwrap();
    let bytes = componentize(&module(&resolve, world)).unwrap();
    assert!(component(&wit, &bytes, "policy-provider", &[]).is_err());
    let found = component_interfaces(&bytes).unwrap();
    assert_eq!(found.imports, ["test:clock/now@1.0.0"]);
}

#[test]
fn another_world_is_refused() {
    let wit = wit();
    let policy = component_of(&wit, "policy-provider");
    let closed = component_of(&wit, "negotiator-closed");
    for (bytes, world) in [(&policy, "negotiator-closed"), (&closed, "policy-provider")] {
        let error = component(&wit, bytes, world, &[]).unwrap_err();
        assert!(
            error.to_string().contains("does not fit the world"),
            "{error:#}"
        );
    }
}

#[test]
fn an_export_too_many_is_refused() {
    let wit = wit();
    let mut resolve = wit.resolve.clone();
    let package = resolve
        .push_str(
            "more.wit",
            "package test:more@1.0.0; world more { \
               export openwop:negotiation/policy@2.0.0; export more: func(); }",
        )
        .unwrap();
    let world = resolve.select_world(&[package], Some("more")).unwrap();
    let bytes = componentize(&module(&resolve, world)).unwrap();
    let error = component(&wit, &bytes, "policy-provider", &[])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("exports") && error.contains("more"),
        "{error}"
    );
}

#[test]
fn only_components_are_components() {
    let wit = wit();
    let module = module_of(&wit, "policy-provider");
    let error = component(&wit, &module, "policy-provider", &[])
        .unwrap_err()
        .to_string();
    assert_eq!(error, "is a Module, not a Component");
    let whole = component_of(&wit, "policy-provider");
    let cut = &whole[..whole.len() - 1];
    for bytes in [cut, &b""[..], b"\0asm", b"not wasm"] {
        assert!(component(&wit, bytes, "policy-provider", &[]).is_err());
    }
}

#[test]
fn a_core_module_imports_nothing_and_belongs_to_its_component() {
    let wit = wit();
    let closed = component_of(&wit, "negotiator-closed");
    let module = module_of(&wit, "negotiator-closed");
    let found = core_module(&module, &closed).unwrap();
    let settle = "openwop:negotiation/json@2.0.0#settle";
    assert!(
        found.exports.iter().any(|name| name == settle),
        "{:?}",
        found.exports
    );

    let policy = component_of(&wit, "policy-provider");
    let error = core_module(&module, &policy).unwrap_err().to_string();
    assert!(
        error.contains("not the core module of the component"),
        "{error}"
    );

    let open = module_of(&wit, "negotiator");
    let error = core_module(&open, &component_of(&wit, "negotiator"))
        .unwrap_err()
        .to_string();
    assert!(error.contains(&format!("{POLICY} judge")), "{error}");

    let error = core_module(&closed, &closed).unwrap_err().to_string();
    assert_eq!(error, "is a Component, not a Module");
}

#[test]
fn paths_of_the_build_machine_are_found_wherever_they_stand() {
    let own = [PathBuf::from("/build/project"), PathBuf::from("/")];
    no_build_paths(b"\0asm\x01\0\0\0 plain text, a/b and 1.0/x", &own).unwrap();
    for text in [
        "/root/.cargo/registry/src/index/url-2.5.8/src/lib.rs",
        "/home/somebody/project",
        "\0\0/usr/src/rustc-1.96.0/library/core/src/option.rs\0",
        "/usr/lib/rustlib/src",
        "C:\\Users\\.cargo\\registry",
        "/build/project/guest/core/src/lib.rs",
        "CARGO_HOME",
    ] {
        assert!(no_build_paths(text.as_bytes(), &own).is_err(), "{text}");
    }
}

#[test]
fn the_budget_is_the_largest_size_allowed() {
    size(&[0; 8], 8).unwrap();
    let error = size(&[0; 9], 8).unwrap_err().to_string();
    assert_eq!(error, "has 9 bytes, more than its budget of 8");
}
