//! Whatever bytes there are: they are told for what they are, and nothing panics.
#![expect(clippy::unwrap_used, reason = "a test")]

mod support;

use negotiator::error::{ConfigureError, InspectError, LoadError};
use negotiator::{Artifact, Digest, Kind, Limits, Negotiator, World, inspect};
use support::{Wat, facets, runtime};

fn load(bytes: &[u8]) -> Result<negotiator::Loaded, LoadError> {
    Negotiator::load(
        runtime(),
        &Artifact::from_bytes(bytes),
        Limits::negotiator(),
    )
}

#[test]
fn each_world_is_recognised_as_component_and_as_core_module() {
    let worlds = [
        ("negotiator", World::Negotiator),
        ("negotiator-closed", World::NegotiatorClosed),
        ("policy-provider", World::PolicyProvider),
    ];
    for (name, world) in worlds {
        let component = Wat::new(name).component();
        let inspection = inspect(&component).unwrap();
        assert_eq!(
            (inspection.kind, inspection.world),
            (Kind::Component, Some(world))
        );
        assert_eq!(inspection.digest, Digest::of(&component));
        assert_eq!(inspection.bytes, component.len());

        let inspection = inspect(&Wat::new(name).module()).unwrap();
        assert_eq!(
            (inspection.kind, inspection.world),
            (Kind::Module, Some(world))
        );
    }
}

#[test]
fn imports_and_exports_are_listed_by_name() {
    let inspection = inspect(&Wat::new("negotiator").component()).unwrap();
    assert_eq!(inspection.imports, ["openwop:negotiation/policy@2.0.0"]);
    let exports = [
        "types",
        "wire",
        "negotiate",
        "answer",
        "record",
        "advertise",
        "json",
    ];
    assert_eq!(
        inspection.exports,
        exports.map(|name| format!("openwop:negotiation/{name}@2.0.0"))
    );

    let inspection = inspect(&Wat::new("policy-provider").module()).unwrap();
    assert_eq!(inspection.imports, Vec::<String>::new());
    let functions = ["policy@2.0.0#configure", "policy@2.0.0#judge"];
    let functions = functions.map(|name| format!("openwop:negotiation/{name}"));
    assert_eq!(
        inspection.exports,
        [&functions[0], &functions[1], "cabi_realloc"]
    );
}

#[test]
fn what_belongs_to_no_world_has_none() {
    let module = wat::parse_str(r#"(module (import "a" "b" (func)) (func (export "f")))"#);
    let inspection = inspect(&module.unwrap()).unwrap();
    assert_eq!((inspection.kind, inspection.world), (Kind::Module, None));
    assert_eq!(
        (
            inspection.imports[0].as_str(),
            inspection.exports[0].as_str()
        ),
        ("a#b", "f")
    );

    let other = Wat::new("other").package("interface i { f: func(); } world other { export i; }");
    let inspection = inspect(&other.component()).unwrap();
    assert_eq!((inspection.kind, inspection.world), (Kind::Component, None));
}

#[test]
fn a_world_with_one_import_too_many_is_none_of_ours() {
    let greedy = Wat::new("greedy").package(
        "interface clock { now: func() -> u64; }
         world greedy { import clock; include negotiator-closed; }",
    );
    let bytes = greedy.component();
    assert_eq!(inspect(&bytes).unwrap().world, None);
    let LoadError::Imports { names, .. } = load(&bytes).unwrap_err() else {
        panic!()
    };
    assert_eq!(names, ["openwop:negotiation/clock@2.0.0"]);
}

#[test]
fn a_component_that_exports_too_little_is_told_what_is_missing() {
    let poor = Wat::new("poor").package("world poor { export types; export wire; }");
    let LoadError::WrongWorld {
        expected,
        found,
        problem,
    } = load(&poor.component()).unwrap_err()
    else {
        panic!()
    };
    assert_eq!((expected, found), (World::NegotiatorClosed, None));
    assert!(problem.contains("openwop:negotiation/"), "{problem}");
}

#[test]
fn a_function_of_another_type_under_the_right_name_does_not_fit() {
    // The same names as the policy interface, one more parameter.
    let component = wat::parse_str(
        r#"(component
             (core module $m
               (func (export "judge") (param i32 i32) (result i32) i32.const 0))
             (core instance $i (instantiate $m))
             (func $judge (param "a" u32) (param "b" u32) (result u32)
               (canon lift (core func $i "judge")))
             (instance $policy (export "judge" (func $judge)) (export "configure" (func $judge)))
             (export "openwop:negotiation/policy@2.0.0" (instance $policy)))"#,
    );
    let bytes = component.unwrap();
    assert_eq!(inspect(&bytes).unwrap().world, None);
    let artifact = Artifact::from_bytes(bytes);
    let error = negotiator::Policy::load(runtime(), &artifact, Limits::policy()).unwrap_err();
    assert!(
        matches!(error, LoadError::WrongWorld { found: None, .. }),
        "{error:?}"
    );
}

#[test]
fn a_core_module_is_not_a_component() {
    let error = load(&Wat::new("negotiator-closed").module()).unwrap_err();
    assert!(
        matches!(
            error,
            LoadError::NotAComponent {
                found: Kind::Module
            }
        ),
        "{error:?}"
    );
    assert!(
        error.to_string().starts_with("a module was given"),
        "{error}"
    );
}

#[test]
fn bytes_that_are_no_webassembly_are_refused() {
    for bytes in [
        &b""[..],
        b"\0",
        b"\0as",
        b"\x7fELF\x02\x01\x01",
        b"(component)",
        b"\xff\xff",
    ] {
        assert_eq!(inspect(bytes), Err(InspectError::NotWasm));
        assert!(matches!(
            load(bytes),
            Err(LoadError::Inspect(InspectError::NotWasm))
        ));
    }
}

#[test]
fn machine_code_made_by_the_same_engine_is_still_refused() {
    let engine = wasmtime::Engine::default();
    let machine_code = engine.precompile_component(&Wat::new("negotiator-closed").component());
    let error = load(&machine_code.unwrap()).unwrap_err();
    assert!(
        matches!(error, LoadError::Inspect(InspectError::NotWasm)),
        "{error:?}"
    );
}

#[test]
fn a_file_cut_off_anywhere_is_refused() {
    let component = Wat::new("policy-provider").component();
    let module = Wat::new("policy-provider").module();
    for bytes in [component, module] {
        let whole = inspect(&bytes).unwrap();
        let mut valid = 0;
        for length in 0..bytes.len() {
            // Cut between two sections a file may be valid still. Then it lacks something
            // that a world needs, or nothing but remarks at its end.
            if let Ok(inspection) = inspect(&bytes[..length]) {
                let complete = inspection.exports == whole.exports;
                assert!(inspection.world.is_none() || complete, "cut at {length}");
                valid += 1;
            }
        }
        assert!(valid < bytes.len() / 20, "{valid} of {}", bytes.len());
    }
}

#[test]
fn altered_files_never_panic_and_what_loads_keeps_its_limits() {
    const LOADED: i32 = 25;
    let original = Wat::obliging("negotiator-closed").component();
    let limits = Limits {
        fuel: 100_000,
        ..Limits::negotiator()
    };
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % u64::try_from(below).unwrap()).unwrap()
    };
    let mut loaded = 0;
    for _ in 0..3000 {
        let mut bytes = original.clone();
        for _ in 0..=next(3) {
            let at = next(bytes.len());
            bytes[at] = u8::try_from(next(256)).unwrap();
        }
        let Ok(inspection) = inspect(&bytes) else {
            continue;
        };
        if inspection.world != Some(World::NegotiatorClosed) || loaded == LOADED {
            continue;
        }
        let artifact = Artifact::from_bytes(bytes);
        let Ok(template) = Negotiator::load(runtime(), &artifact, limits.clone()) else {
            continue;
        };
        loaded += 1;
        if let Ok(negotiator) = template.configure(facets(), "") {
            let _ = negotiator.settle(&support::exchange(Some("1.0")), &support::context());
        }
    }
    assert_eq!(loaded, LOADED, "too few of them were worth loading");
}

#[test]
fn types_inside_types_without_end_are_refused_before_they_are_read() {
    for levels in [33, 1_000, 1_000_000] {
        let mut section = vec![1];
        for _ in 0..levels {
            // A component type of one declaration, which is a type again.
            section.extend([0x41, 0x01, 0x01]);
        }
        section.extend([0x41, 0x00]);
        let bytes = [&COMPONENT[..], &[0x07], &leb128(section.len()), &section].concat();
        assert_eq!(
            inspect(&bytes),
            Err(InspectError::NestedTooDeep {
                offset: bytes.len() - section.len()
            })
        );
    }
    // What is written as deep as this is read.
    let section = [&[1][..], &[0x41, 0x01, 0x01].repeat(20), &[0x41, 0x00]].concat();
    let bytes = [&COMPONENT[..], &[0x07], &leb128(section.len()), &section].concat();
    assert_eq!(inspect(&bytes).unwrap().kind, Kind::Component);
}

#[test]
fn the_same_types_in_the_embedded_wit_of_a_module_are_nobodys_world() {
    let section = [&[1][..], &[0x41, 0x01, 0x01].repeat(100_000), &[0x41, 0x00]].concat();
    let wit = [&COMPONENT[..], &[0x07], &leb128(section.len()), &section].concat();
    let name = b"component-type:x";
    let custom = [&leb128(name.len())[..], name, &wit].concat();
    let bytes = [&b"\0asm\x01\0\0\0\0"[..], &leb128(custom.len()), &custom].concat();
    assert_eq!(inspect(&bytes).unwrap().world, None);
}

#[test]
fn components_inside_components_without_end_are_refused() {
    let mut bytes = COMPONENT.to_vec();
    for _ in 0..2_000 {
        bytes = [&COMPONENT[..], &[0x04], &leb128(bytes.len()), &bytes].concat();
    }
    assert!(matches!(
        inspect(&bytes),
        Err(InspectError::NestedTooDeep { .. })
    ));
}

#[test]
fn names_out_of_a_file_are_shown_escaped_and_cut() {
    let module =
        wat::parse_str(r#"(module (func (export "\1b[31mred\u{202e}")) (func (export "é")))"#);
    let exports = inspect(&module.unwrap()).unwrap().exports;
    assert_eq!(exports, [r"\u{1b}[31mred\u{202e}", "é"]);

    let long = format!(r#"(module (func (export "{}")))"#, "n".repeat(50_000));
    let exports = inspect(&wat::parse_str(long).unwrap()).unwrap().exports;
    assert_eq!(exports, [format!("{}…", "n".repeat(200))]);
}

#[test]
fn threads_and_large_memories_are_switched_off() {
    for memory in ["1 2 shared", "i64 1"] {
        let wat = Wat::obliging("negotiator-closed").item(&format!("(memory {memory})"));
        let error = load(&wat.component()).unwrap_err();
        assert!(
            matches!(error, LoadError::Compile(_)),
            "{memory}: {error:?}"
        );
    }
}

#[test]
fn instructions_that_differ_from_machine_to_machine_are_switched_off() {
    let relaxed = "(func (param v128 v128) (result v128)
        local.get 0 local.get 1 i8x16.relaxed_swizzle)";
    let wat = Wat::obliging("negotiator-closed").item(relaxed);
    let error = load(&wat.component()).unwrap_err();
    assert!(matches!(error, LoadError::Compile(_)), "{error:?}");
}

#[test]
fn a_limit_that_cannot_be_kept_is_refused() {
    let artifact = Artifact::from_bytes(Wat::obliging("negotiator-closed").component());
    let limits = Limits {
        memory: 1 << 30,
        ..Limits::negotiator()
    };
    let error = Negotiator::load(runtime(), &artifact, limits).unwrap_err();
    let told = "the limit `memory` must be at most 268435456 bytes (256 MiB)";
    assert_eq!(error.to_string(), told);
    let limits = Limits {
        fuel: 0,
        ..Limits::negotiator()
    };
    let error = Negotiator::load(runtime(), &artifact, limits).unwrap_err();
    assert!(matches!(error, LoadError::Limits { field: "fuel", .. }));
}

#[test]
fn every_fault_of_a_configuration_is_told() {
    // Two faults, each with the path `x` and the problem `y`.
    let wat = Wat::obliging("negotiator-closed")
        .item(r#"(data (i32.const 2048) "\01\00\00\00\10\08\00\00\02\00\00\00")"#)
        .item(r#"(data (i32.const 2064) "\40\08\00\00\01\00\00\00\41\08\00\00\01\00\00\00")"#)
        .item(r#"(data (i32.const 2080) "\40\08\00\00\01\00\00\00\41\08\00\00\01\00\00\00")"#)
        .item(r#"(data (i32.const 2112) "xy")"#)
        .body("negotiate@2.0.0#configure", "i32.const 2048");
    let error = load(&wat.component())
        .unwrap()
        .configure(facets(), "")
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the facets or settings are not valid: x: y; x: y"
    );
    let ConfigureError::Faults(faults) = error else {
        panic!()
    };
    assert_eq!(faults.len(), 2);
}

const COMPONENT: [u8; 8] = *b"\0asm\x0d\0\x01\0";

fn leb128(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let byte = u8::try_from(value & 0x7f).unwrap();
        value >>= 7;
        if value == 0 {
            bytes.push(byte);
            return bytes;
        }
        bytes.push(byte | 0x80);
    }
}
