//! Components made on the spot: each function of a world has the body that a test
//! gives it, and `unreachable` otherwise.

#![allow(
    dead_code,
    clippy::allow_attributes,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests, of which no test file uses all"
)]

use std::fmt::Write as _;
use std::sync::OnceLock;

use negotiator::{Artifact, Limits, Pluggable, Runtime};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::abi::WasmType;
use wit_parser::{
    LiftLowerAbi, ManglingAndAbi, PackageId, Resolve, WasmExport, WasmExportKind, WasmImport,
    WorldItem,
};

/// What a core module of some world does.
#[derive(Clone)]
pub struct Wat {
    world: &'static str,
    package: Option<String>,
    bodies: Vec<(&'static str, String)>,
    memory: String,
    items: String,
}

impl Wat {
    /// Every function traps.
    pub fn new(world: &'static str) -> Self {
        Self {
            world,
            package: None,
            bodies: Vec::new(),
            memory: "2".to_owned(),
            items: String::new(),
        }
    }

    /// A negotiator that takes any configuration, answers every exchange with a
    /// refusal as `policy-denied`, and refuses as `policy-failed` when asked to.
    pub fn obliging(world: &'static str) -> Self {
        Self::new(world)
            // Memory that was never written is a valid answer: ok, nothing, false.
            .body("negotiate@2.0.0#configure", "i32.const 1024")
            .body("negotiate@2.0.0#decide", "i32.const 256")
            .body("record@2.0.0#settle", "i32.const 320")
            .body("record@2.0.0#refuse", "i32.const 512")
            .body("record@2.0.0#digest-origin", "i32.const 1024")
            .item(r#"(data (i32.const 256) "\01\00\00\00\01\15")"#)
            .item(r#"(data (i32.const 320) "\00\00\00\00\01\00\00\00\01\15")"#)
            .item(r#"(data (i32.const 512) "\00\00\00\00\01\00\00\00\01\16")"#)
    }

    /// The same with its policy left open: it configures the policy, and accepts
    /// whatever the policy grants when it proposes the one candidate `1.0`.
    pub fn asking() -> Self {
        // The engine looks at the deadline where a loop begins.
        const ASK: &str = "(call $judge (i32.const 2048) (i32.const 1100)) (loop)";
        Self::obliging("negotiator")
            // Facets take fourteen parameters; then come the settings.
            .body(
                "negotiate@2.0.0#configure",
                "(call $configure (local.get 14) (local.get 15) (i32.const 1100)) i32.const 1024",
            )
            .body("record@2.0.0#settle", &format!("{ASK} i32.const 320"))
            .body(
                "negotiate@2.0.0#decide",
                &format!(
                    "{ASK}
                     (i32.store (i32.const 256) (i32.load8_u (i32.const 1100)))
                     (i32.store (i32.const 260) (i32.load (i32.const 1104)))
                     (i32.store (i32.const 264) (i32.load (i32.const 1108)))
                     i32.const 256"
                ),
            )
            .item(r#"(data (i32.const 2060) "\98\08\00\00\01\00\00\00")"#)
            .item(r#"(data (i32.const 2200) "\00\09\00\00\03\00\00\00")"#)
            .item(r#"(data (i32.const 2304) "1.0")"#)
    }

    /// A policy that takes any settings and grants the first candidate.
    pub fn obliging_policy() -> Self {
        // A proposal has too many members for parameters, so it stands in memory; its
        // list of candidates at byte 12.
        Self::new("policy-provider").body("policy@2.0.0#configure", "i32.const 1024").body(
            "policy@2.0.0#judge",
            "(i32.store8 (i32.const 1024) (i32.const 0))
             (i32.store (i32.const 1028) (i32.load (i32.load (i32.add (local.get 0) (i32.const 12)))))
             (i32.store (i32.const 1032)
               (i32.load offset=4 (i32.load (i32.add (local.get 0) (i32.const 12)))))
             i32.const 1024",
        )
    }

    /// The body of one exported function, named without the package.
    pub fn body(mut self, function: &'static str, body: &str) -> Self {
        self.bodies.retain(|(name, _)| *name != function);
        self.bodies.push((function, body.to_owned()));
        self
    }

    /// Something else for the module: data, functions, a start function.
    pub fn item(mut self, item: &str) -> Self {
        self.items.push_str(item);
        self.items.push('\n');
        self
    }

    /// The limits of the memory, in pages.
    pub fn memory(mut self, limits: &str) -> Self {
        limits.clone_into(&mut self.memory);
        self
    }

    /// More text for the WIT package: another world, for example.
    pub fn package(mut self, text: &str) -> Self {
        self.package = Some(text.to_owned());
        self
    }

    /// The core module, with its WIT embedded.
    pub fn module(&self) -> Vec<u8> {
        let (resolve, package) = package(self.package.as_deref());
        let world = resolve.select_world(&[package], Some(self.world)).unwrap();
        let mut module = wat::parse_str(self.text(&resolve, package)).unwrap();
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
        module
    }

    /// The component.
    pub fn component(&self) -> Vec<u8> {
        let module = self.module();
        ComponentEncoder::default()
            .module(&module)
            .unwrap()
            .validate(true)
            .encode()
            .unwrap()
    }

    fn text(&self, resolve: &Resolve, package: PackageId) -> String {
        const ABI: ManglingAndAbi = ManglingAndAbi::Legacy(LiftLowerAbi::Sync);
        let world = resolve.select_world(&[package], Some(self.world)).unwrap();
        let mut text = String::from("(module\n");
        for (key, item) in &resolve.worlds[world].imports {
            let WorldItem::Interface { id, .. } = item else {
                continue;
            };
            for func in resolve.interfaces[*id].functions.values() {
                let signature = resolve.wasm_signature(ABI.import_variant(), func);
                let import = WasmImport::Func {
                    interface: Some(key),
                    func,
                };
                let (module, name) = resolve.wasm_import_name(ABI, import);
                writeln!(
                    text,
                    "(import {module:?} {name:?} (func ${}{}{}))",
                    func.name,
                    types("param", &signature.params),
                    types("result", &signature.results)
                )
                .unwrap();
            }
        }
        writeln!(text, "(memory (export \"memory\") {})", self.memory).unwrap();
        let mut left = self.bodies.clone();
        for (key, item) in &resolve.worlds[world].exports {
            let WorldItem::Interface { id, .. } = item else {
                continue;
            };
            for func in resolve.interfaces[*id].functions.values() {
                let signature = resolve.wasm_signature(ABI.export_variant(), func);
                let export = WasmExport::Func {
                    interface: Some(key),
                    func,
                    kind: WasmExportKind::Normal,
                };
                let name = resolve.wasm_export_name(ABI, export);
                let short = name.split_once('/').unwrap().1;
                let body = left.iter().position(|(function, _)| *function == short);
                let body = body.map_or("unreachable".to_owned(), |at| left.remove(at).1);
                writeln!(
                    text,
                    "(func (export {name:?}){}{} {body})",
                    types("param", &signature.params),
                    types("result", &signature.results)
                )
                .unwrap();
            }
        }
        left.retain(|(function, _)| *function != REALLOC);
        assert!(left.is_empty(), "no such function: {left:?}");
        let realloc = self
            .bodies
            .iter()
            .find(|(function, _)| *function == REALLOC);
        let realloc = realloc.map_or(BUMP, |(_, body)| body);
        writeln!(
            text,
            "(global $next (mut i32) (i32.const 4096))
             (func (export \"cabi_realloc\") (param i32 i32 i32 i32) (result i32) {realloc})
             {})",
            self.items
        )
        .unwrap();
        text
    }
}

/// The name under which [`Wat::body`] takes the allocator.
pub const REALLOC: &str = "cabi_realloc";

/// Hands out the second page from its start to its end, again and again.
const BUMP: &str = "
    (local $at i32)
    (global.set $next (i32.and (i32.add (global.get $next) (i32.const 15)) (i32.const -16)))
    (if (i32.gt_u (i32.add (global.get $next) (local.get 3)) (i32.const 131072))
      (then (global.set $next (i32.const 4096))))
    (local.set $at (global.get $next))
    (global.set $next (i32.add (local.get $at) (local.get 3)))
    (local.get $at)";

fn types(keyword: &str, types: &[WasmType]) -> String {
    let names = types.iter().map(|ty| match ty {
        WasmType::I64 | WasmType::PointerOrI64 => " i64",
        WasmType::F32 => " f32",
        WasmType::F64 => " f64",
        WasmType::I32 | WasmType::Pointer | WasmType::Length => " i32",
    });
    if types.is_empty() {
        String::new()
    } else {
        format!(" ({keyword}{})", names.collect::<String>())
    }
}

/// One engine for all tests of a file.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().unwrap())
}

/// The negotiator of `dist/` with its policy left open.
pub fn pluggable() -> &'static Pluggable {
    static PLUGGABLE: OnceLock<Pluggable> = OnceLock::new();
    PLUGGABLE.get_or_init(|| {
        let artifact = Artifact::embedded_pluggable();
        Pluggable::load(runtime(), &artifact, Limits::negotiator()).unwrap()
    })
}

/// A policy of `dist/`, by the name of its file.
pub fn shipped(file: &str) -> Artifact {
    let path = format!("{}/../dist/policies/{file}", env!("CARGO_MANIFEST_DIR"));
    Artifact::from_file(path).unwrap()
}

/// Facets that any configuration of a test can use.
pub fn facets() -> negotiator::types::Facets {
    let facet = |offered: [&str; 2]| negotiator::types::Facet {
        offered: offered.map(str::to_owned).to_vec(),
        preferred: offered[1].to_owned(),
        floor: offered[0].to_owned(),
    };
    negotiator::types::Facets {
        a2a: Some(facet(["0.3", "1.0"])),
        mcp: Some(facet(["2025-06-18", "2025-11-25"])),
    }
}

/// An authenticated A2A caller that names this version, or none.
pub fn exchange(named: Option<&str>) -> negotiator::types::Exchange {
    use negotiator::types::{Direction, Exchange, Named, Protocol, Surface};
    Exchange {
        protocol: Protocol::A2a,
        direction: Direction::Inbound,
        authenticated: true,
        surface: Surface::A2aCall,
        named: named.map_or(Named::Nothing, |version| Named::One(version.to_owned())),
        session: None,
        offers: None,
        answered: None,
    }
}

/// A context with an event id and an owner.
pub fn context() -> negotiator::types::Context {
    use negotiator::types::{Context, Subject};
    Context {
        at: "2026-11-30T12:00:00Z".to_owned(),
        peer_url: Some("https://peer.example/x".to_owned()),
        subject: Some(Subject {
            tenant: "acme".to_owned(),
            workspace: Some("ws-1".to_owned()),
        }),
        run_id: None,
        sequence: None,
        event_id: Some("hev-0123456789abcdef01234567".to_owned()),
    }
}

/// The WIT package of this project, with some more text or none.
fn package(more: Option<&str>) -> (Resolve, PackageId) {
    let mut resolve = Resolve::default();
    let mut map = wit_parser::SourceMap::default();
    let mut files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../wit"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect::<Vec<_>>();
    files.sort();
    for file in files {
        map.push_file(&file).unwrap();
    }
    if let Some(more) = more {
        map.push_str(
            "more.wit",
            format!("package openwop:negotiation@2.0.0;\n{more}"),
        );
    }
    let group = map
        .parse()
        .map_err(|(map, error)| error.render(&map))
        .unwrap();
    let package = resolve.push_group(group).unwrap();
    (resolve, package)
}
