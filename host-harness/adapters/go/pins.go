package negotiator

// The digest of the file that this package loads, written by `cargo xtask dist`.
const (
	coreFile   = "negotiator.core.wasm"
	coreSHA256 = "89519b3529631ebe0b4b30368d1899797544817b44db754a9e561cc1cb0bed87" // negotiator.core.wasm
)
