package negotiator

// The digest of the file that this package loads, written by `cargo xtask dist`.
const (
	coreFile   = "negotiator.core.wasm"
	coreSHA256 = "108e981598a052c39ebbba3b08f30c7b42e02a14b1bc2db80d7caf1a3a250ebb" // negotiator.core.wasm
)
