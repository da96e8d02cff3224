package negotiator

import (
	"encoding/json"
	"time"
)

// Protocol an exchange is held in.
type Protocol string

const (
	// A2A is Agent2Agent: versions are "<major>.<minor>".
	A2A Protocol = "a2a"
	// MCP is the Model Context Protocol: versions are revision dates.
	MCP Protocol = "mcp"
)

// Facet is what a host advertises for one protocol (RFC 0175 §B.1).
type Facet struct {
	// Offered versions, in any order.
	Offered []string
	// Preferred is used when the other side names none.
	Preferred string
	// Floor: nothing is agreed below it.
	Floor string
}

// Facets of one host; a protocol without a facet is not spoken. A discovery document as it is
// served fits wherever facets are asked for: json.RawMessage(document).
type Facets struct {
	A2A *Facet
	MCP *Facet
}

// MarshalJSON writes the members of a discovery document.
func (f Facets) MarshalJSON() ([]byte, error) {
	type a2a struct {
		Versions         []string `json:"versions"`
		PreferredVersion string   `json:"preferredVersion"`
		MinimumVersion   string   `json:"minimumVersion"`
	}
	type mcp struct {
		Revisions        []string `json:"revisions"`
		PreferredVersion string   `json:"preferredVersion"`
		MinimumRevision  string   `json:"minimumRevision"`
	}
	var document struct {
		A2A *a2a `json:"a2a,omitempty"`
		MCP *mcp `json:"mcp,omitempty"`
	}
	list := func(f *Facet) []string { return append([]string{}, f.Offered...) }
	if f.A2A != nil {
		document.A2A = &a2a{list(f.A2A), f.A2A.Preferred, f.A2A.Floor}
	}
	if f.MCP != nil {
		document.MCP = &mcp{list(f.MCP), f.MCP.Preferred, f.MCP.Floor}
	}
	return json.Marshal(document)
}

// Header is a name and a value as received: any case, untrimmed.
type Header [2]string

// Exchange is what was seen of one exchange: an [Inbound] or an [Outbound].
type Exchange interface{ exchange() any }

// Inbound is what this host saw of a message that reached it.
type Inbound struct {
	// Protocol of the surface that was called.
	Protocol Protocol `json:"protocol"`
	// Authenticated: the caller's identity was proven.
	Authenticated bool `json:"authenticated"`
	// HTTPMethod is GET, POST or DELETE; empty means POST, also for transports that are not HTTP.
	HTTPMethod string `json:"httpMethod,omitempty"`
	// Headers as received, repeats kept. Only A2A-Version and MCP-Protocol-Version are read.
	Headers []Header `json:"headers,omitempty"`
	// Query is the raw query string without "?"; A2A reads A2A-Version from it.
	Query string `json:"query,omitempty"`
	// Method of the JSON-RPC message, if it has one.
	Method string `json:"method,omitempty"`
	// Params of the JSON-RPC message, if it has some. Only protocolVersion and the version in
	// _meta are read, so that a host need not hand over the rest.
	Params json.RawMessage `json:"params,omitempty"`
	// Session is the version that this MCP session agreed on earlier.
	Session string `json:"session,omitempty"`
}

// Outbound is what this host knows before it calls a peer. At most one of Card, Discover, Error
// and Offers; Initialize may stand beside Discover or Offers. None: the peer offered nothing.
type Outbound struct {
	// Protocol to be spoken.
	Protocol Protocol `json:"protocol"`
	// Authenticated: this host acts under its own proven identity.
	Authenticated bool `json:"authenticated"`
	// Requested version; empty means the preferred one.
	Requested string `json:"requested,omitempty"`
	// Card is the peer's agent card (A2A), 1.0 or 0.3 shape.
	Card json.RawMessage `json:"card,omitempty"`
	// Discover is the result of server/discover (MCP).
	Discover json.RawMessage `json:"discover,omitempty"`
	// Error is the peer's JSON-RPC error object: -32009, -32022 or -32602.
	Error json.RawMessage `json:"error,omitempty"`
	// Offers are versions that the host has already.
	Offers []string `json:"offers,omitempty"`
	// Initialize is the result of initialize (MCP), once it was answered.
	Initialize json.RawMessage `json:"initialize,omitempty"`
}

func (x Inbound) exchange() any {
	type plain Inbound
	return struct {
		Direction string `json:"direction"`
		plain
	}{"inbound", plain(x)}
}

func (x Outbound) exchange() any {
	type plain Outbound
	return struct {
		Direction string `json:"direction"`
		plain
	}{"outbound", plain(x)}
}

// Subject owns a record. It comes from the credential alone, never from the request.
type Subject struct {
	// Tenant: ^(anon:)?[A-Za-z0-9._~-]{1,128}$.
	Tenant string `json:"tenant,omitempty"`
	// Workspace: ^[A-Za-z0-9._~-]{1,128}$, if the credential is bound to one.
	Workspace string `json:"workspace,omitempty"`
}

// Context is what the host adds to a decision to put it on record.
type Context struct {
	// At is when.
	At time.Time
	// PeerURL: only the digest of its origin is recorded.
	PeerURL string
	// Subject that owns the record; none if the caller has no identity.
	Subject
	// RunID of the run that the negotiation belongs to, if it belongs to one.
	RunID string
	// Sequence is the event's place in that run's log, from 0.
	Sequence *uint64
	// EventID, unique for the host: ^[A-Za-z0-9._~-]{16,128}$. Without it there is a payload but no
	// envelope.
	EventID string
}

// MarshalJSON writes the members of the JSON contract.
func (c Context) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		At      string `json:"at"`
		PeerURL string `json:"peerUrl,omitempty"`
		Subject
		RunID    string  `json:"runId,omitempty"`
		Sequence *uint64 `json:"sequence,omitempty"`
		EventID  string  `json:"eventId,omitempty"`
	}{c.At.Format(time.RFC3339Nano), c.PeerURL, c.Subject, c.RunID, c.Sequence, c.EventID})
}

// Decision on one exchange.
type Decision struct {
	// Outcome is "accepted" or "refused".
	Outcome string `json:"outcome"`
	// Version decided, the only one that may be used on the wire; empty when refused.
	Version string `json:"version,omitempty"`
	// Reason is "ok", "below-floor", "unsupported" or "unauthenticated".
	Reason string `json:"reason"`
	// Cause is finer than the reason and never on record: for people and metrics.
	Cause string `json:"cause"`
	// Requested is the version on record as requested, if any.
	Requested string `json:"requested,omitempty"`
	// Downgraded: accepted below the version that was named.
	Downgraded bool `json:"downgraded"`
}

// Accepted tells whether a version was agreed.
func (d Decision) Accepted() bool { return d.Outcome == "accepted" }

// Entry is a record, ready to be made durable. The texts are exact: store them as they are.
type Entry struct {
	// Home is "run" (in the log of a run) or "host" (a durable host event).
	Home string
	// Audience may read the record; nobody may if it is nil.
	Audience *Subject
	// Payload of the event negotiation.decided.
	Payload json.RawMessage
	// Event is the closed envelope; nil without an event id.
	Event json.RawMessage
}

// Reply is what to send back.
type Reply struct {
	// Status of HTTP: 200, 400, 401 or 503.
	Status int
	// Headers to set. Outbound, accepted: on every call that follows.
	Headers []Header
	// Error is the JSON-RPC error object of an inbound refusal, else nil.
	Error json.RawMessage
	// Envelope is the OpenWOP error envelope of a refusal, else nil.
	Envelope json.RawMessage
}

// Settlement is decision, record and reply of one exchange.
type Settlement struct {
	Decision Decision
	// Entry: make it durable before anything else happens; when that fails, answer with
	// [Negotiator.NotDurable] instead.
	Entry Entry
	Reply Reply
}

// Finding is one thing that Check found in a discovery document.
type Finding struct {
	Rule    string `json:"rule"`
	Path    string `json:"path"`
	Problem string `json:"problem"`
}
