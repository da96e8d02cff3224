package guard

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	negotiator "github.com/openwop/negotiator/go"
)

// A raw request, and what every drop-in makes of it; make_http_cases.py tells what is what.
type httpCase struct {
	ID, Title         string
	Protocol          negotiator.Protocol
	Facets            json.RawMessage
	Authenticated     bool
	RequireCredential bool
	SinkFails         bool
	Session           string
	Request           struct {
		Method, Target string
		Headers        []negotiator.Header
		Body           string
		BodyBase64     string
	}
	Record    *string
	Status    int
	Headers   map[string]string
	Body      *string
	Forwarded *struct {
		Version *string
		Body    *string
	}
}

func TestRawRequestsAreAnsweredAsByEveryDropIn(t *testing.T) {
	component, err := negotiator.LoadFile(t.Context(), "../../../../dist/negotiator.core.wasm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { component.Close(context.Background()) })
	file, err := os.Open("../../http-cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c httpCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID+" "+c.Title, func(t *testing.T) { c.replay(t, component) })
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
}

func (c *httpCase) replay(t *testing.T, component *negotiator.Component) {
	host, err := component.Configure(t.Context(), c.Facets, "")
	if err != nil {
		t.Fatal(err)
	}
	var recorded *string
	g, err := newGuard(host, Options{
		Protocol:          c.Protocol,
		RequireCredential: c.RequireCredential,
		Identify: func(*http.Request) (negotiator.Subject, bool) {
			return negotiator.Subject{Tenant: "acme", Workspace: "ws-1"}, c.Authenticated
		},
		Record: func(_ context.Context, entry negotiator.Entry) error {
			payload := string(entry.Payload)
			recorded = &payload
			if (entry.Audience != nil) != c.Authenticated {
				t.Errorf("audience: %+v", entry.Audience)
			}
			if c.SinkFails {
				return errors.New("full")
			}
			return nil
		},
		Now: func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.Session != "" {
		g.sessions.begin("s-1", c.Session)
	}
	body := []byte(c.Request.Body)
	if c.Request.BodyBase64 != "" {
		if body, err = base64.StdEncoding.DecodeString(c.Request.BodyBase64); err != nil {
			t.Fatal(err)
		}
	}
	request := httptest.NewRequest(c.Request.Method, c.Request.Target, bytes.NewReader(body))
	for _, header := range c.Request.Headers {
		request.Header.Add(header[0], header[1])
	}
	var forwarded *http.Request
	var forwardedBody []byte
	answer := httptest.NewRecorder()
	g.protect(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		forwarded = r
		forwardedBody, _ = io.ReadAll(r.Body)
	})).ServeHTTP(answer, request)

	same := func(what string, want, got *string) {
		t.Helper()
		if (want == nil) != (got == nil) || (want != nil && *want != *got) {
			t.Errorf("%s: want %s, got %s", what, shown(want), shown(got))
		}
	}
	if c.Record != nil {
		// The same instant; time.Time has no trailing zeros.
		*c.Record = strings.Replace(*c.Record, ":00.000Z", ":00Z", 1)
	}
	if !c.SinkFails {
		same("record", c.Record, recorded)
	}
	if answer.Code != c.Status {
		t.Errorf("status: want %d, got %d", c.Status, answer.Code)
	}
	for name, value := range c.Headers {
		if got := answer.Header().Get(name); got != value {
			t.Errorf("%s: want %q, got %q", name, value, got)
		}
	}
	if c.Body != nil {
		got := answer.Body.String()
		same("body", c.Body, &got)
	}
	if (c.Forwarded != nil) != (forwarded != nil) {
		t.Fatalf("forwarded: want %v, got %v", c.Forwarded != nil, forwarded != nil)
	}
	if forwarded == nil {
		return
	}
	var version *string
	if values := forwarded.Header.Values(g.header); len(values) > 0 {
		version = &values[0]
	}
	same("version forwarded", c.Forwarded.Version, version)
	want, got := string(body), string(forwardedBody)
	if c.Forwarded.Body != nil {
		want = *c.Forwarded.Body
	}
	same("body forwarded", &want, &got)
}

func shown(text *string) string {
	if text == nil {
		return "none"
	}
	return *text
}
