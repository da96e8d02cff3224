//! The component that hands built-in settings to a policy: it imports the policy's
//! `configure` and exports one of its own.
//!
//! It has two core modules, because the policy's `configure`, as a core module sees it,
//! needs a memory that exists before the module which calls it.

use wasm_encoder::{
    Alias, BlockType, CanonicalFunctionSection, CanonicalOption, CodeSection, Component,
    ComponentAliasSection, ComponentExportKind, ComponentExportSection, ComponentImportSection,
    ComponentTypeRef, ComponentTypeSection, ComponentValType, ConstExpr, DataSection, EntityType,
    ExportKind, ExportSection, Function, FunctionSection, GlobalSection, GlobalType, ImportSection,
    InstanceSection, InstructionSink, MemArg, MemorySection, MemoryType, Module, ModuleArg,
    ModuleSection, PrimitiveValType, TypeSection, ValType,
};

/// The component.
pub(super) fn component(settings: &str) -> Component {
    let mut component = Component::new();
    let string = ComponentValType::Primitive(PrimitiveValType::String);
    let mut types = ComponentTypeSection::new();
    types.defined_type().result(None, Some(string));
    types
        .function()
        .params([("settings", string)])
        .result(Some(ComponentValType::Type(0)));
    component.section(&types);
    let mut imports = ComponentImportSection::new();
    imports.import("configure", ComponentTypeRef::Func(1));
    component.section(&imports);
    // Core instance 0 holds the text; core functions 0 and 1 are its `realloc` and `reset`.
    component.section(&ModuleSection(&text(settings)));
    let mut instances = InstanceSection::new();
    instances.instantiate(0, NO_ARGUMENTS);
    component.section(&instances);
    let mut aliases = ComponentAliasSection::new();
    for (name, kind) in [
        ("memory", ExportKind::Memory),
        ("realloc", ExportKind::Func),
        ("reset", ExportKind::Func),
    ] {
        aliases.alias(core_export(0, name, kind));
    }
    component.section(&aliases);
    // Core function 2 is the policy's `configure`, which core instance 1 holds for core instance
    // 2, whose own is core function 3.
    let memory = [
        CanonicalOption::UTF8,
        CanonicalOption::Memory(0),
        CanonicalOption::Realloc(0),
    ];
    let mut functions = CanonicalFunctionSection::new();
    functions.lower(0, memory);
    component.section(&functions);
    component.section(&ModuleSection(&configure(settings)));
    let mut instances = InstanceSection::new();
    instances.export_items([("configure", ExportKind::Func, 2)]);
    let arguments = [("text", 0), ("policy", 1)];
    instances.instantiate(
        1,
        arguments.map(|(name, at)| (name, ModuleArg::Instance(at))),
    );
    component.section(&instances);
    let mut aliases = ComponentAliasSection::new();
    aliases.alias(core_export(2, "configure", ExportKind::Func));
    component.section(&aliases);
    let [utf8, memory, realloc] = memory;
    let mut functions = CanonicalFunctionSection::new();
    functions.lift(
        3,
        1,
        [utf8, memory, realloc, CanonicalOption::PostReturn(1)],
    );
    component.section(&functions);
    let mut exports = ComponentExportSection::new();
    exports.export("configure", ComponentExportKind::Func, 1, None);
    component.section(&exports);
    component
}

fn core_export(instance: u32, name: &str, kind: ExportKind) -> Alias<'_> {
    Alias::CoreInstanceExport {
        instance,
        kind,
        name,
    }
}

const NO_ARGUMENTS: [(&str, ModuleArg); 0] = [];
const I32: ValType = ValType::I32;

/// Where a result of `configure` is written: tag, address and length.
const RESULT: i32 = 16;
/// Where the refusal stands.
const REFUSAL: i32 = 64;
/// Where the settings stand.
const SETTINGS: i32 = 256;
const REFUSAL_TEXT: &str = "must be empty: this component has its settings built in";

/// Holds the texts, the memory and its allocator: `memory`, `realloc`, `reset`.
fn text(settings: &str) -> Module {
    let heap = heap(settings);
    let pages = u64::try_from(heap)
        .unwrap_or_default()
        .div_euclid(PAGE)
        .saturating_add(1);
    let mut types = TypeSection::new();
    types.ty().function([I32; 4], [I32]);
    types.ty().function([I32], []);
    let mut functions = FunctionSection::new();
    functions.function(0).function(1);
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: pages,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut globals = GlobalSection::new();
    let next = GlobalType {
        val_type: I32,
        mutable: true,
        shared: false,
    };
    globals.global(next, &ConstExpr::i32_const(heap));
    let mut exports = ExportSection::new();
    exports.export("memory", ExportKind::Memory, 0);
    exports.export("realloc", ExportKind::Func, 0);
    exports.export("reset", ExportKind::Func, 1);
    let mut code = CodeSection::new();
    code.function(&realloc());
    let mut reset = Function::new([]);
    // What was handed out has been read by now.
    reset.instructions().i32_const(heap).global_set(0).end();
    code.function(&reset);
    let mut data = DataSection::new();
    data.active(0, &ConstExpr::i32_const(REFUSAL), REFUSAL_TEXT.bytes());
    data.active(0, &ConstExpr::i32_const(SETTINGS), settings.bytes());

    let mut module = Module::new();
    module
        .section(&types)
        .section(&functions)
        .section(&memories)
        .section(&globals)
        .section(&exports)
        .section(&code)
        .section(&data);
    module
}

/// Hands the settings to `policy#configure` when asked with none, and refuses others.
fn configure(settings: &str) -> Module {
    let mut types = TypeSection::new();
    types.ty().function([I32; 3], []);
    types.ty().function([I32; 2], [I32]);
    let mut imports = ImportSection::new();
    let memory = MemoryType {
        minimum: 1,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    };
    imports.import("text", "memory", EntityType::Memory(memory));
    imports.import("policy", "configure", EntityType::Function(0));
    let mut functions = FunctionSection::new();
    functions.function(1);
    let mut exports = ExportSection::new();
    exports.export("configure", ExportKind::Func, 1);
    let mut body = Function::new([]);
    let mut code = body.instructions();
    // Its parameters are address and length of what the host gave.
    code.local_get(1).i32_eqz().if_(BlockType::Empty);
    code.i32_const(SETTINGS)
        .i32_const(length(settings))
        .i32_const(RESULT)
        .call(0);
    code.else_();
    store(&mut code, RESULT, 1);
    store(&mut code, RESULT.saturating_add(4), REFUSAL);
    store(&mut code, RESULT.saturating_add(8), length(REFUSAL_TEXT));
    code.end().i32_const(RESULT).end();
    let mut section = CodeSection::new();
    section.function(&body);

    let mut module = Module::new();
    module
        .section(&types)
        .section(&imports)
        .section(&functions)
        .section(&exports)
        .section(&section);
    module
}

/// `realloc(old, old-size, align, new-size)`: hands out memory from the heap on, and
/// never takes any back before `reset`.
fn realloc() -> Function {
    // Local 4: where the new block begins.
    let mut function = Function::new([(1, I32)]);
    let mut code = function.instructions();
    // A block that shrinks stays where it is.
    code.local_get(3).local_get(1).i32_le_u();
    code.if_(BlockType::Empty).local_get(0).return_().end();
    // Far more than a host lets an instance have; below it no sum here wraps.
    code.local_get(3).i32_const(LARGEST).i32_gt_u();
    code.if_(BlockType::Empty).unreachable().end();
    code.global_get(0)
        .local_get(2)
        .i32_add()
        .i32_const(1)
        .i32_sub();
    code.i32_const(0).local_get(2).i32_sub().i32_and();
    code.local_tee(4).local_get(3).i32_add().global_set(0);
    code.loop_(BlockType::Empty);
    code.global_get(0)
        .memory_size(0)
        .i32_const(PAGE_BITS)
        .i32_shl()
        .i32_gt_u();
    code.if_(BlockType::Empty);
    code.i32_const(1).memory_grow(0).i32_const(-1).i32_eq();
    code.if_(BlockType::Empty).unreachable().end();
    code.br(1).end().end();
    code.local_get(4)
        .local_get(0)
        .local_get(1)
        .memory_copy(0, 0);
    code.local_get(4).end();
    function
}

fn store(code: &mut InstructionSink<'_>, address: i32, value: i32) {
    code.i32_const(address).i32_const(value).i32_store(MemArg {
        offset: 0,
        align: 2,
        memory_index: 0,
    });
}

/// Where memory is free: after the settings, at the next multiple of 16.
fn heap(settings: &str) -> i32 {
    SETTINGS.saturating_add(length(settings)).saturating_add(16) & -16
}

/// Settings are bounded far below what an address can be.
fn length(text: &str) -> i32 {
    i32::try_from(text.len()).unwrap_or(i32::MAX)
}

const PAGE: u64 = 65_536;
const PAGE_BITS: i32 = 16;
const LARGEST: i32 = 1 << 28;
