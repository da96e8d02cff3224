package negotiator

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The canonical ABI of the component model, by hand, for the one shape that every function of the
// `json` interface has: func(request: string) -> result<string, string>. Its memory rules:
//
//  1. A string is (address, length in bytes), and its bytes must be UTF-8: the component trusts
//     that and does not look again. NUL is a character like any other. A lone surrogate cannot be
//     written in UTF-8, so text that holds one is refused here and never reaches the component.
//  2. The request is written into memory that the component hands out:
//     cabi_realloc(old address 0, old size 0, alignment 1, length). From the call on the component
//     owns and frees it. An empty request needs no memory.
//  3. A result<string, string> is too large for a register, so the function returns the address of
//     twelve bytes: one tag byte (0 ok, 1 error), three of padding, address and length of the text,
//     each 32 bits and little-endian.
//  4. Those twelve bytes and the text stay valid until cabi_post_<function>(address), which frees
//     both. So: copy the text out, then call it, exactly once.
//  5. Memory may move when it grows, and any call may grow it: views of it end with the next call.
//  6. After a trap the component may be in the middle of anything: the instance is thrown away.
const jsonInterface = "openwop:negotiation/json@2.0.0"

// Most memory that an instance may have, in pages of 64 KiB: 16 MiB. An answer needs a few hundred
// KiB at most, so that growth past this is a fault, and traps.
const maxPages = 256

// operations of the `json` interface.
var operations = [...]string{
	"configure", "settle", "refuse", "decide", "record", "digest", "rounds", "fresh", "facets",
	"check", "task-state",
}

// instance is one instance of the core module. It is for one goroutine at a time.
type instance struct {
	module  api.Module
	memory  api.Memory
	realloc api.Function
	calls   map[string]call
	stack   [4]uint64
	broken  bool
}

type call struct{ run, post api.Function }

func newInstance(ctx context.Context, rt wazero.Runtime, code wazero.CompiledModule) (*instance, error) {
	// Without a name, so that any number of instances can live side by side.
	module, err := rt.InstantiateModule(ctx, code,
		wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		return nil, fmt.Errorf("negotiator: the component cannot be instantiated: %w", err)
	}
	i := &instance{
		module:  module,
		memory:  module.Memory(),
		realloc: module.ExportedFunction("cabi_realloc"),
		calls:   make(map[string]call, len(operations)),
	}
	for _, name := range operations {
		full := jsonInterface + "#" + name
		c := call{module.ExportedFunction(full), module.ExportedFunction("cabi_post_" + full)}
		if c.run == nil || c.post == nil || i.memory == nil || i.realloc == nil {
			_ = module.Close(ctx)
			return nil, fmt.Errorf("negotiator: the module does not export %s", full)
		}
		i.calls[name] = c
	}
	return i, nil
}

// ask makes one request. ok tells an answer from an error answer; both are JSON text. err means
// that there is no answer: the component failed and the instance must not be used again.
func (i *instance) ask(ctx context.Context, operation string, request []byte) (answer []byte, ok bool, err error) {
	c, known := i.calls[operation]
	if !known {
		return nil, false, errors.New("negotiator: no such operation")
	}
	if !utf8.Valid(request) { // rule 1
		return []byte(`{"error":{"code":"bad-request","path":"request","problem":"must be UTF-8"}}`), false, nil
	}
	// Anything from here on that does not come back leaves a broken instance (rule 6).
	i.broken = true
	var address uint64 = 1
	if len(request) > 0 {
		stack := i.stack[:]
		stack[0], stack[1], stack[2], stack[3] = 0, 0, 1, uint64(len(request))
		if err := i.realloc.CallWithStack(ctx, stack); err != nil { // rule 2
			return nil, false, fmt.Errorf("negotiator: no memory for the request: %w", err)
		}
		address = stack[0]
		if !i.memory.Write(uint32(address), request) {
			return nil, false, errors.New("negotiator: the component gave memory that it does not have")
		}
	}
	i.stack[0], i.stack[1] = address, uint64(len(request))
	if err := c.run.CallWithStack(ctx, i.stack[:]); err != nil {
		return nil, false, fmt.Errorf("negotiator: the component failed: %w", err)
	}
	result := uint32(i.stack[0]) // rule 3
	tag, ok1 := i.memory.ReadByte(result)
	start, ok2 := i.memory.ReadUint32Le(result + 4)
	length, ok3 := i.memory.ReadUint32Le(result + 8)
	view, ok4 := i.memory.Read(start, length)
	if !ok1 || !ok2 || !ok3 || !ok4 || tag > 1 {
		return nil, false, errors.New("negotiator: the component gave an answer outside its memory")
	}
	answer = append([]byte(nil), view...) // rule 4
	i.stack[0] = uint64(result)
	if err := c.post.CallWithStack(ctx, i.stack[:]); err != nil {
		return nil, false, fmt.Errorf("negotiator: the component failed: %w", err)
	}
	i.broken = false
	return answer, tag == 0, nil
}

func (i *instance) close(ctx context.Context) { _ = i.module.Close(ctx) }
