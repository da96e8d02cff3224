package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	negotiator "github.com/openwop/negotiator/go"
)

const core = "../../../../../dist/negotiator.core.wasm"

// records keeps what a guard hands over, or fails.
type records struct {
	mu      sync.Mutex
	entries []negotiator.Entry
	broken  bool
}

func (r *records) record(_ context.Context, entry negotiator.Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken {
		return errors.New("disk full")
	}
	r.entries = append(r.entries, entry)
	return nil
}

type payload struct{ Protocol, Outcome, Requested, Version, Floor, Reason string }

func (r *records) payloads(t *testing.T) []payload {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []payload
	for _, entry := range r.entries {
		var p payload
		if err := json.Unmarshal(entry.Payload, &p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func serve(t *testing.T, facets negotiator.Facets, r *records) string {
	t.Helper()
	handler, err := protectedServer(t.Context(), core, facets, stateless(facets), r.record)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func stateless(facets negotiator.Facets) bool { return facets.MCP.Preferred == "2026-07-28" }

type bearer struct{ secret string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.secret != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.secret)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func connect(t *testing.T, url, secret, version string) (*mcp.ClientSession, error) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1.0.0"}, nil)
	transport := &mcp.StreamableClientTransport{
		Endpoint: url, HTTPClient: &http.Client{Transport: bearer{secret}}, MaxRetries: -1,
	}
	return client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
}

func greet(t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "greet", Arguments: map[string]any{"name": "é"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := result.Content[0].(*mcp.TextContent).Text; text != "Hello, é" {
		t.Errorf("greeted with %q", text)
	}
}

func TestTheSDKsClientConnectsAtItsDefault(t *testing.T) {
	for name, test := range map[string]struct {
		facets  negotiator.Facets
		version string
	}{"with sessions": {facets, "2025-11-25"}, "without": {statelessFacets, "2026-07-28"}} {
		t.Run(name, func(t *testing.T) {
			var r records
			session, err := connect(t, serve(t, test.facets, &r), "", "")
			if err != nil {
				t.Fatal(err)
			}
			greet(t, session)
			session.Close()
			// The client asks for 2026-07-28 first; where that is not offered it is refused on
			// record, and told what is.
			all, accepted := r.payloads(t), 0
			for _, p := range all {
				switch {
				case p.Outcome == "accepted" && p.Version == test.version:
					accepted++
				case p.Reason != "unsupported" || p.Requested != "2026-07-28":
					t.Errorf("record: %+v", p)
				}
			}
			if accepted < 2 || len(all)-accepted > 1 {
				t.Errorf("%d accepted of %d", accepted, len(all))
			}
		})
	}
}

func TestAnOlderRevisionNeedsACredential(t *testing.T) {
	var r records
	url := serve(t, facets, &r)
	if _, err := connect(t, url, "", "2025-06-18"); err == nil {
		t.Fatal("connected below preferred without a credential")
	}
	if p := r.payloads(t); len(p) != 1 || p[0].Reason != "unauthenticated" || r.entries[0].Audience != nil {
		t.Fatalf("records: %+v", p)
	}
	session, err := connect(t, url, "secret", "2025-06-18")
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if got := session.InitializeResult().ProtocolVersion; got != "2025-06-18" {
		t.Errorf("speaks %s", got)
	}
	greet(t, session)
	for _, p := range r.payloads(t)[1:] {
		if p.Outcome != "accepted" || p.Version != "2025-06-18" {
			t.Errorf("record: %+v", p)
		}
	}
	if audience := r.entries[1].Audience; audience == nil || audience.Tenant != "acme" {
		t.Errorf("audience: %+v", audience)
	}
}

func TestNothingBelowTheFloorGetsThrough(t *testing.T) {
	var r records
	if _, err := connect(t, serve(t, facets, &r), "secret", "2024-11-05"); err == nil {
		t.Fatal("connected below the floor")
	}
	if p := r.payloads(t); len(p) != 1 || p[0].Reason != "below-floor" || p[0].Requested != "2024-11-05" {
		t.Fatalf("records: %+v", p)
	}
}

func TestACounterOfferIsWhatTheSessionSpeaksAndIsVisible(t *testing.T) {
	var r records
	offered := negotiator.Facets{MCP: &negotiator.Facet{
		Offered: []string{"2025-06-18"}, Preferred: "2025-06-18", Floor: "2025-06-18",
	}}
	session, err := connect(t, serve(t, offered, &r), "secret", "2025-11-25")
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	// The SDK's server speaks 2025-11-25 too; what was decided counts.
	if got := session.InitializeResult().ProtocolVersion; got != "2025-06-18" {
		t.Errorf("speaks %s", got)
	}
	greet(t, session)
	if p := r.payloads(t)[0]; p.Requested != "2025-11-25" || p.Version != "2025-06-18" {
		t.Errorf("record: %+v", p)
	}
}

// post sends a raw message and gives status, headers and body.
func post(t *testing.T, url string, headers map[string]string, body string) (int, http.Header, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(text)
}

const initialize = `{"jsonrpc":"2.0","id":"a\u0000é","method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

func TestWithoutADurableRecordNothingIsServed(t *testing.T) {
	r := records{broken: true}
	status, headers, body := post(t, serve(t, facets, &r), nil, initialize)
	want := `{"jsonrpc":"2.0","id":"a\u0000é","error":{"code":-32603,"message":"The negotiation could not be recorded"}}`
	if status != 503 || headers.Get("Retry-After") != "1" || body != want {
		t.Errorf("%d %v %s", status, headers, body)
	}
	if headers.Get("Mcp-Session-Id") != "" {
		t.Error("a session was opened")
	}
}

func TestASessionKeepsItsVersion(t *testing.T) {
	var r records
	url := serve(t, facets, &r)
	status, headers, _ := post(t, url, nil, initialize)
	session := headers.Get("Mcp-Session-Id")
	if status != 200 || session == "" || headers.Get("MCP-Protocol-Version") != "2025-11-25" {
		t.Fatalf("initialize: %d %v", status, headers)
	}
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	other := map[string]string{"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18", "Authorization": "Bearer secret"}
	status, _, body := post(t, url, other, list)
	if status != 400 || !strings.Contains(body, "-32600") || !strings.Contains(body, `"id":2`) {
		t.Errorf("another version: %d %s", status, body)
	}
	// No header inside a session: the session's version, and the handler is told so.
	status, headers, body = post(t, url, map[string]string{"Mcp-Session-Id": session}, list)
	if status != 200 || headers.Get("MCP-Protocol-Version") != "2025-11-25" || !strings.Contains(body, "greet") {
		t.Errorf("the same session: %d %s", status, body)
	}
}

func TestWhatCannotBeReadIsAnsweredBeforeAnyNegotiation(t *testing.T) {
	var r records
	url := serve(t, facets, &r)
	parse, invalid := `{"code":-32700,"message":"Parse error"}`, `{"code":-32600,"message":"Invalid Request"}`
	for name, body := range map[string]string{
		"no JSON":             `{"jsonrpc":`,
		"a batch":             `[` + initialize + `]`,
		"two methods":         `{"jsonrpc":"2.0","id":1,"method":"initialize","method":"tools/list"}`,
		"bytes, not UTF-8":    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
		"a method, no string": `{"jsonrpc":"2.0","id":1,"method":7}`,
		"more than one":       initialize + initialize,
		"a version too long":  `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + strings.Repeat("1", 70000) + `"}}`,
	} {
		want := parse
		if name == "a batch" || name == "two methods" || name == "a method, no string" {
			want = invalid
		}
		status, _, text := post(t, url, nil, body)
		if status != 400 || text != `{"jsonrpc":"2.0","id":null,"error":`+want+`}` {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	status, _, _ := post(t, url, nil, `{"x":"`+strings.Repeat("x", 5<<20)+`"}`)
	if status != 413 {
		t.Errorf("5 MiB: %d", status)
	}
	if len(r.entries) != 0 {
		t.Errorf("%d records", len(r.entries))
	}
}

func TestParamsThatOthersMayReadOtherwiseAreRefusedOnRecord(t *testing.T) {
	var r records
	url := serve(t, facets, &r)
	for name, params := range map[string]string{
		"two versions":      `{"protocolVersion":"2025-11-25","protocolVersion":"2024-11-05"}`,
		"a member, deep in": `{"protocolVersion":"2025-11-25","clientInfo":{"x":[{"a":1,"a":2}]}}`,
		"a lone surrogate":  `{"protocolVersion":"2025-11-25","x":"\ud83d"}`,
		"a low surrogate":   `{"protocolVersion":"2025-11-25","x":"\ude00\ud83d"}`,
		"a number too big":  `{"protocolVersion":"2025-11-25","x":1e999}`,
		"nested too deep":   `{"protocolVersion":"2025-11-25","x":` + strings.Repeat("[", 127) + strings.Repeat("]", 127) + `}`,
	} {
		r.entries = nil
		status, _, text := post(t, url, nil, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+params+`}`)
		if p := r.payloads(t); status != 400 || !strings.Contains(text, "-32602") || len(p) != 1 || p[0].Reason != "unsupported" {
			t.Errorf("%s: %d %s %+v", name, status, text, p)
		}
	}
	// A pair is no lone surrogate, and neither is a backslash before the letters.
	status, _, _ := post(t, url, nil, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"\ud83d\ude00 \\ud83d","version":"1"}}}`)
	if status != 200 {
		t.Errorf("a pair: %d", status)
	}
}

func TestLongParamsAreForwardedWhole(t *testing.T) {
	var r records
	name := strings.Repeat("n", 200_000)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"` + name + `"},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	status, _, text := post(t, serve(t, statelessFacets, &r), map[string]string{
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "greet"}, body)
	if status != 200 || !strings.Contains(text, name) {
		t.Errorf("%d %.300s", status, text)
	}
}

func TestTheJournalKeepsOneEventALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records.jsonl")
	journal, err := openJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := protectedServer(t.Context(), core, facets, false, journal.record)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	post(t, server.URL, nil, initialize)
	lines, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(lines), `"type":"negotiation.decided"`) {
		t.Fatalf("%s, %v", lines, err)
	}
	journal.file.Close()
	if status, _, _ := post(t, server.URL, nil, initialize); status != 503 {
		t.Errorf("with the file closed: %d", status)
	}
}
