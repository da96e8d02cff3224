// Package negotiator decides which version of A2A or MCP to use in an exchange, and writes the
// record that proves it: OpenWOP RFC 0175 and RFC 0242.
//
// The rules are those of a certified WebAssembly module, run by wazero in this process; the package
// only carries texts in and out, and loads no other bytes than those it was released with.
//
//	component, err := negotiator.LoadFile(ctx, "negotiator.core.wasm")
//	host, err := component.Configure(ctx, facets, "")
//	settled, err := host.Settle(ctx, exchange, negotiator.Context{At: time.Now()})
//
// Then: make settled.Entry durable first, act on settled.Decision second.
//
// A [Component] and a [Negotiator] may be used by any number of goroutines: each keeps a pool of
// instances, and an instance serves one call at a time.
package negotiator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime"

	"github.com/tetratelabs/wazero"
)

// Component is the certified module, checked and compiled. It answers what needs no facets.
type Component struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
	size    int
	pool    *pool
}

// Option changes how a component is loaded.
type Option func(*Component)

// Instances sets how many instances a pool may hold, so how many calls run at once; the default is
// GOMAXPROCS. An instance takes about 1.3 MiB.
func Instances(most int) Option {
	return func(c *Component) { c.size = max(most, 1) }
}

// LoadFile loads negotiator.core.wasm from a file.
func LoadFile(ctx context.Context, path string, options ...Option) (*Component, error) {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("negotiator: %w", err)
	}
	return Load(ctx, bytes, options...)
}

// Load checks that the bytes are those of the pinned negotiator.core.wasm, and compiles them.
//
// Errors: [ErrDigest] for any other bytes.
func Load(ctx context.Context, core []byte, options ...Option) (*Component, error) {
	digest := sha256.Sum256(core)
	if hex.EncodeToString(digest[:]) != coreSHA256 {
		return nil, fmt.Errorf("%w %s, sha256 %s", ErrDigest, coreFile, coreSHA256)
	}
	c := &Component{size: runtime.GOMAXPROCS(0)}
	for _, option := range options {
		option(c)
	}
	c.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(maxPages))
	var err error
	if c.code, err = c.runtime.CompileModule(ctx, core); err != nil {
		_ = c.runtime.Close(ctx)
		return nil, fmt.Errorf("negotiator: the component cannot be compiled: %w", err)
	}
	c.pool = newPool(c.size, c.instantiate)
	return c, nil
}

// Close frees the component and all that was configured from it.
func (c *Component) Close(ctx context.Context) error {
	c.pool.close(ctx)
	return c.runtime.Close(ctx)
}

func (c *Component) instantiate(ctx context.Context) (*instance, error) {
	return newInstance(ctx, c.runtime, c.code)
}

// Configure gives a negotiator for these facets: a [Facets], or a discovery document as
// json.RawMessage. The settings are the policy's; the default policy takes none ("").
//
// Errors: [*FacetsError] with every fault.
func (c *Component) Configure(ctx context.Context, facets json.Marshaler, settings string) (*Negotiator, error) {
	request := struct {
		Facets   json.Marshaler `json:"facets"`
		Settings string         `json:"settings,omitempty"`
	}{facets, settings}
	text, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("negotiator: the facets are no JSON: %w", err)
	}
	n := &Negotiator{}
	n.pool = newPool(c.size, func(ctx context.Context) (*instance, error) {
		i, err := c.instantiate(ctx)
		if err != nil {
			return nil, err
		}
		answer, ok, err := i.ask(ctx, "configure", text)
		if err == nil && !ok {
			err = errorOf(answer)
		}
		if err != nil {
			i.close(ctx)
			return nil, err
		}
		return i, nil
	})
	// The first instance shows now whether the facets are valid.
	if err := n.pool.with(ctx, func(*instance) error { return nil }); err != nil {
		return nil, err
	}
	return n, nil
}

// Call is the plain JSON entry: one request of the JSON contract, one answer, exact texts. ok is
// false for an error answer, which is JSON too. Requests bring their own facets. An operation
// "configure" is checked and answered, and has no effect on other calls.
func (c *Component) Call(ctx context.Context, operation string, request []byte) (answer []byte, ok bool, err error) {
	p := c.pool
	if operation == "configure" {
		// Its instance is not one to give to others.
		p = newPool(1, c.instantiate)
		defer p.close(ctx)
	}
	err = p.with(ctx, func(i *instance) (err error) {
		answer, ok, err = i.ask(ctx, operation, request)
		return err
	})
	return answer, ok, err
}

// Negotiator decides under the facets that it was configured with.
type Negotiator struct{ pool *pool }

// Close frees its instances.
func (n *Negotiator) Close(ctx context.Context) error {
	n.pool.close(ctx)
	return nil
}

type request struct {
	Exchange any       `json:"exchange"`
	Context  *Context  `json:"context,omitempty"`
	Refusal  string    `json:"refusal,omitempty"`
	Decision *Decision `json:"decision,omitempty"`
}

// Settle decides, records and answers.
//
// Errors: [*RequestError] for an exchange or a context that cannot be read. Nothing that a peer
// writes in a header is one; JSON of a peer may be, and is then to be answered as unreadable.
func (n *Negotiator) Settle(ctx context.Context, exchange Exchange, record Context) (Settlement, error) {
	return n.settle(ctx, "settle", request{Exchange: exchange.exchange(), Context: &record})
}

// HostRefusal is a refusal that the host itself calls for.
type HostRefusal string

const (
	// PolicyFailed: the policy failed or is not there.
	PolicyFailed HostRefusal = "policy-failed"
	// CredentialRequired: the surface demands a credential and there is none (R14).
	CredentialRequired HostRefusal = "credential-required"
)

// Refuse refuses without asking the policy, with the record that belongs to it.
func (n *Negotiator) Refuse(ctx context.Context, exchange Exchange, record Context, why HostRefusal) (Settlement, error) {
	return n.settle(ctx, "refuse", request{Exchange: exchange.exchange(), Context: &record, Refusal: string(why)})
}

// NotDurable gives the reply when a record could not be made durable: 503, retriable, and nothing
// is served (R15).
func (n *Negotiator) NotDurable(ctx context.Context, exchange Exchange, record Context) (Reply, error) {
	settled, err := n.settle(ctx, "refuse",
		request{Exchange: exchange.exchange(), Context: &record, Refusal: "record-not-durable"})
	return settled.Reply, err
}

// Decide decides only: no record, so nothing may be served on it.
func (n *Negotiator) Decide(ctx context.Context, exchange Exchange) (Decision, Reply, error) {
	settled, err := n.settle(ctx, "decide", request{Exchange: exchange.exchange()})
	return settled.Decision, settled.Reply, err
}

// Record builds the record of a decision that Decide made.
func (n *Negotiator) Record(ctx context.Context, exchange Exchange, decision Decision, record Context) (Entry, error) {
	settled, err := n.settle(ctx, "record",
		request{Exchange: exchange.exchange(), Context: &record, Decision: &decision})
	return settled.Entry, err
}

func (n *Negotiator) settle(ctx context.Context, operation string, r request) (Settlement, error) {
	var answer struct {
		Decision
		Record json.RawMessage `json:"record"`
		Entry  struct {
			Home     string          `json:"home"`
			Audience *Subject        `json:"audience"`
			Event    json.RawMessage `json:"event"`
		} `json:"entry"`
		Answer struct {
			Status   int             `json:"status"`
			Headers  []Header        `json:"headers"`
			Error    json.RawMessage `json:"error"`
			Envelope json.RawMessage `json:"envelope"`
		} `json:"answer"`
	}
	if err := ask(ctx, n.pool, operation, r, &answer); err != nil {
		return Settlement{}, err
	}
	return Settlement{
		Decision: answer.Decision,
		Entry:    Entry{answer.Entry.Home, answer.Entry.Audience, answer.Record, some(answer.Entry.Event)},
		Reply: Reply{answer.Answer.Status, answer.Answer.Headers,
			some(answer.Answer.Error), some(answer.Answer.Envelope)},
	}, nil
}

// some gives nil for the JSON text null.
func some(text json.RawMessage) json.RawMessage {
	if string(text) == "null" {
		return nil
	}
	return text
}

// ask writes a request, and reads the answer.
func ask(ctx context.Context, p *pool, operation string, request, answer any) error {
	text, err := json.Marshal(request)
	if err != nil {
		return &RequestError{Path: "request", Problem: "holds text that is no JSON"}
	}
	return p.with(ctx, func(i *instance) error {
		got, ok, err := i.ask(ctx, operation, text)
		if err != nil {
			return err
		}
		if !ok {
			return errorOf(got)
		}
		if err := json.Unmarshal(got, answer); err != nil {
			return fmt.Errorf("negotiator: the component gave an answer that cannot be read: %w", err)
		}
		return nil
	})
}
