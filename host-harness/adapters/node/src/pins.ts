/**
 * Digests of the artifacts that this package was made for.
 *
 * One line an artifact, name and SHA-256; `cargo xtask dist` rewrites the digests.
 */
export const PINS: Readonly<Record<string, string>> = {
  'negotiator.wasm': '7f662d463b659f17a48387264bd8b13071beb9004996b53b0cfedc6f22c22b79',
  'negotiator-pluggable.wasm': 'efef939f992735dd7bcf0325d251d86066a3240c50cb69dee0b6dbca253849aa',
  'policies/exact.wasm': 'b95d9f43b47f0e5b4c57cd4fa28a8171187846914c44aef943bd689c8f9b9b1d',
  'policies/highest.wasm': 'b6485cb0a81949c5532ab42a709a8f0b04ffd9560f5c3cab2bf2774cd4d1a614',
};
