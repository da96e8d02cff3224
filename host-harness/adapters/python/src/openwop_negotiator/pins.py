"""Digests of the artifacts that this package was made for.

One line an artifact, name and SHA-256; `cargo xtask dist` rewrites the digests.
"""

PINS = {
    "negotiator.wasm": "4f4ee39f50ea12d1042dbb34fdaace779624faeedc93a584ece4eb7ca947fc6b",
    "negotiator-pluggable.wasm": "82ba85956d2ff669f0c212180d3c343ce73a0fcb777976973642849db9ce9935",
    "policies/exact.wasm": "b95d9f43b47f0e5b4c57cd4fa28a8171187846914c44aef943bd689c8f9b9b1d",
    "policies/highest.wasm": "b6485cb0a81949c5532ab42a709a8f0b04ffd9560f5c3cab2bf2774cd4d1a614",
}
