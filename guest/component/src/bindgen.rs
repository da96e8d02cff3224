//! The generated bindings.

#![expect(
    unsafe_code,
    reason = "generated from the WIT package, whose doc comments are the contract"
)]

#[cfg(feature = "default-policy")]
wit_bindgen::generate!({
    path: "../../wit",
    world: "negotiator-closed",
});

#[cfg(not(feature = "default-policy"))]
wit_bindgen::generate!({
    path: "../../wit",
    world: "negotiator",
});

use crate::Component;

export!(Component);
