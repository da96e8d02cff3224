//! Typed access to the component, made from the WIT package.
//!
//! One set of bindings serves both worlds: they export the same interfaces, and
//! bindings look for exports only.

wasmtime::component::bindgen!({
    path: "../wit",
    world: "negotiator",
    imports: { default: trappable },
    additional_derives: [PartialEq, Eq, Hash],
});
