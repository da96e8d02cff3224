// Package guard puts a negotiator in front of an HTTP handler that speaks MCP or A2A, such as that
// of the official Go MCP SDK: nothing below the floor reaches it, nothing reaches it without a
// durable record, and a downgrade is visible.
//
//	protect, err := guard.New(host, guard.Options{Protocol: negotiator.MCP, Identify: identify, Record: journal})
//	http.Handle("/mcp", protect(mcpHandler))
//
// For every request: read what was named, settle, record, and only then call the handler. What is
// refused is answered here. If the record cannot be written the answer is 503 (R15). What is no JSON is
// answered with 400 and code -32700 before any negotiation, JSON that is not one message with -32600.
//
// The handler sees the version decided and no other: the version header is set to it, and where an
// initialize request is accepted at another revision than it named (a counter-offer), the message
// names the one decided. Offer only revisions that the handler speaks: a session is held to the
// revision decided here, whatever the handler answered.
package guard

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	negotiator "github.com/openwop/negotiator/go"
)

// Options of a guard.
type Options struct {
	// Protocol that the handler speaks.
	Protocol negotiator.Protocol
	// Identify tells who the caller is, from the credential alone; false for a caller that proved
	// nothing. Without it nobody is authenticated.
	Identify func(*http.Request) (negotiator.Subject, bool)
	// Record makes an entry durable before it returns; an error refuses the exchange.
	Record func(context.Context, negotiator.Entry) error
	// RequireCredential refuses callers without a credential, at any version (R14).
	RequireCredential bool
	// Settled, if given, is told of every settlement whose record is durable, before the request
	// is served: for logs and metrics.
	Settled func(*http.Request, negotiator.Settlement)
	// MaxBody is the most bytes of a request's body; 4 MiB if 0. A larger one is answered with 413.
	MaxBody int64
	// Sessions is the most MCP sessions that are remembered; 65,536 if 0. Of an older one no more
	// is known than its requests say.
	Sessions int
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

const (
	defaultMaxBody  = 4 << 20
	defaultSessions = 1 << 16
	sessionHeader   = "Mcp-Session-Id"
)

type guard struct {
	Options
	host     *negotiator.Negotiator
	header   string
	sessions sessions
}

// New gives a middleware.
//
// Errors: no record function, or a protocol that is none.
func New(host *negotiator.Negotiator, options Options) (func(http.Handler) http.Handler, error) {
	g, err := newGuard(host, options)
	if err != nil {
		return nil, err
	}
	return g.protect, nil
}

func newGuard(host *negotiator.Negotiator, options Options) (*guard, error) {
	g := &guard{Options: options, host: host}
	switch g.Protocol {
	case negotiator.A2A:
		g.header = "A2A-Version"
	case negotiator.MCP:
		g.header = "MCP-Protocol-Version"
	default:
		return nil, errors.New("guard: the protocol must be A2A or MCP")
	}
	if host == nil || g.Record == nil {
		return nil, errors.New("guard: a negotiator and a record function are needed")
	}
	if g.Identify == nil {
		g.Identify = func(*http.Request) (negotiator.Subject, bool) { return negotiator.Subject{}, false }
	}
	if g.MaxBody == 0 {
		g.MaxBody = defaultMaxBody
	}
	if g.Sessions == 0 {
		g.Sessions = defaultSessions
	}
	if g.Now == nil {
		g.Now = time.Now
	}
	g.sessions.most = g.Sessions
	return g, nil
}

func (g *guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.serve(w, r, next) })
}

type settledKey struct{}

// Settlement that let this request through, for the handler behind the guard.
func Settlement(ctx context.Context) (negotiator.Settlement, bool) {
	settled, ok := ctx.Value(settledKey{}).(negotiator.Settlement)
	return settled, ok
}

func (g *guard) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.Method != http.MethodPost && r.Method != http.MethodGet && r.Method != http.MethodDelete {
		// Nothing that names a version: the negotiation has no part in it.
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, g.MaxBody))
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			unreadable(w, http.StatusRequestEntityTooLarge, errMessage)
		} else {
			unreadable(w, http.StatusBadRequest, errParse)
		}
		return
	}
	m := &message{}
	if r.Method == http.MethodPost {
		if m, err = readMessage(body); err != nil {
			unreadable(w, http.StatusBadRequest, err)
			return
		}
	}
	g.negotiate(w, r, body, m, next)
}

func (g *guard) negotiate(w http.ResponseWriter, r *http.Request, body []byte, m *message, next http.Handler) {
	subject, authenticated := g.Identify(r)
	if !authenticated {
		subject = negotiator.Subject{}
	}
	exchange := negotiator.Inbound{
		Protocol: g.Protocol, Authenticated: authenticated, HTTPMethod: r.Method, Method: m.method,
	}
	for _, value := range r.Header.Values(g.header) {
		exchange.Headers = append(exchange.Headers, negotiator.Header{g.header, value})
	}
	session := r.Header.Get(sessionHeader)
	if g.Protocol == negotiator.MCP {
		exchange.Params = m.named()
		exchange.Session = g.sessions.version(session)
	} else {
		exchange.Query = r.URL.RawQuery
	}
	record := negotiator.Context{At: g.Now().UTC(), Subject: subject, EventID: newEventID()}

	settled, err := g.settle(r.Context(), exchange, record)
	var request *negotiator.RequestError
	if errors.As(err, &request) {
		unreadable(w, http.StatusBadRequest, errParse)
		return
	}
	if err == nil {
		if err = g.Record(r.Context(), settled.Entry); err == nil {
			if g.Settled != nil {
				g.Settled(r, settled)
			}
			if settled.Decision.Accepted() {
				g.forward(w, r, body, m, settled, next)
			} else {
				g.refuse(w, r, m, settled.Reply)
			}
			return
		}
	}
	// No decision, or no record of it: nothing is served (R15).
	reply, err := g.host.NotDurable(context.WithoutCancel(r.Context()), exchange, record)
	if err != nil {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the negotiation failed", http.StatusServiceUnavailable)
		return
	}
	g.refuse(w, r, m, reply)
}

func (g *guard) settle(ctx context.Context, exchange negotiator.Inbound, record negotiator.Context) (negotiator.Settlement, error) {
	if g.RequireCredential && !exchange.Authenticated {
		return g.host.Refuse(ctx, exchange, record, negotiator.CredentialRequired)
	}
	return g.host.Settle(ctx, exchange, record)
}

// forward calls the handler with the version decided.
func (g *guard) forward(w http.ResponseWriter, r *http.Request, body []byte, m *message, settled negotiator.Settlement, next http.Handler) {
	version := settled.Decision.Version
	r = r.Clone(context.WithValue(r.Context(), settledKey{}, settled))
	initialize := g.Protocol == negotiator.MCP && m.method == "initialize"
	if initialize {
		body = m.naming(body, version)
	}
	// An initialize request may do without the header, and older handlers want it so.
	if !initialize || r.Header.Get(g.header) != "" {
		r.Header.Set(g.header, version)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	for _, header := range settled.Reply.Headers {
		w.Header().Set(header[0], header[1])
	}
	if g.Protocol == negotiator.MCP {
		w = &sessionWriter{ResponseWriter: w, seen: func(status int, id string) {
			switch {
			case initialize && status < 300:
				g.sessions.begin(id, version)
			case r.Method == http.MethodDelete && status < 300:
				g.sessions.end(r.Header.Get(sessionHeader))
			}
		}}
	}
	next.ServeHTTP(w, r)
}

// refuse answers in the caller's terms: JSON-RPC, or the envelope where there is no message.
func (g *guard) refuse(w http.ResponseWriter, r *http.Request, m *message, reply negotiator.Reply) {
	for _, header := range reply.Headers {
		w.Header().Set(header[0], header[1])
	}
	body := reply.Envelope
	if reply.Error != nil && (g.Protocol == negotiator.MCP || r.Method == http.MethodPost) {
		body = rpcError(m.id, reply.Error)
	}
	write(w, reply.Status, body)
}

func unreadable(w http.ResponseWriter, status int, why error) {
	object := `{"code":-32600,"message":"Invalid Request"}`
	if errors.Is(why, errParse) {
		object = `{"code":-32700,"message":"Parse error"}`
	}
	write(w, status, rpcError(nil, json.RawMessage(object)))
}

func rpcError(id, object json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	body := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	body = append(append(body, `,"error":`...), object...)
	return append(body, '}')
}

func write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// newEventID gives an id that is unique for the host: 96 random bits.
func newEventID() string {
	var bits [12]byte
	_, _ = rand.Read(bits[:]) // never fails: crypto/rand ends the process rather
	return "hev-" + hex.EncodeToString(bits[:])
}
