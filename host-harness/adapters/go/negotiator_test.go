package negotiator_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	negotiator "github.com/openwop/negotiator/go"
)

const core = "../../../dist/negotiator.core.wasm"

var (
	at     = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	facets = negotiator.Facets{A2A: &negotiator.Facet{
		Offered: []string{"0.3", "1.0"}, Preferred: "1.0", Floor: "0.3",
	}}
)

func load(t *testing.T, options ...negotiator.Option) *negotiator.Component {
	t.Helper()
	component, err := negotiator.LoadFile(t.Context(), core, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { component.Close(context.Background()) })
	return component
}

func configure(t *testing.T, options ...negotiator.Option) *negotiator.Negotiator {
	t.Helper()
	host, err := load(t, options...).Configure(t.Context(), facets, "")
	if err != nil {
		t.Fatal(err)
	}
	return host
}

func call(version string, authenticated bool) negotiator.Inbound {
	return negotiator.Inbound{
		Protocol: negotiator.A2A, Authenticated: authenticated, Method: "SendMessage",
		Headers: []negotiator.Header{{"a2a-version", version}},
	}
}

func TestSettleGivesDecisionRecordAndReply(t *testing.T) {
	settled, err := configure(t).Settle(t.Context(), call("0.3", true), negotiator.Context{
		At: at, Subject: negotiator.Subject{Tenant: "acme", Workspace: "ws-1"},
		EventID: "hev-0123456789abcdef01234567",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := negotiator.Decision{Outcome: "accepted", Version: "0.3", Reason: "ok", Cause: "exact", Requested: "0.3"}
	if settled.Decision != want || !settled.Decision.Accepted() {
		t.Errorf("decision: %+v", settled.Decision)
	}
	const payload = `{"protocol":"a2a","outcome":"accepted","requested":"0.3","version":"0.3","floor":"0.3",` +
		`"reason":"ok","at":"2026-11-30T12:00:00Z"}`
	if string(settled.Entry.Payload) != payload {
		t.Errorf("payload: %s", settled.Entry.Payload)
	}
	if settled.Entry.Home != "host" || *settled.Entry.Audience != (negotiator.Subject{Tenant: "acme", Workspace: "ws-1"}) ||
		!strings.Contains(string(settled.Entry.Event), `"payload":`+payload) {
		t.Errorf("entry: %+v", settled.Entry)
	}
	if settled.Reply.Status != 200 || settled.Reply.Headers[0] != (negotiator.Header{"A2A-Version", "0.3"}) ||
		settled.Reply.Error != nil || settled.Reply.Envelope != nil {
		t.Errorf("reply: %+v", settled.Reply)
	}
}

func TestRefusalsAreAnswersAndNotErrors(t *testing.T) {
	host := configure(t)
	settled, err := host.Settle(t.Context(), call("0.3", false), negotiator.Context{At: at})
	if err != nil || settled.Decision.Reason != "unauthenticated" || settled.Reply.Status != 401 {
		t.Errorf("below preferred: %+v, %v", settled, err)
	}
	if settled.Entry.Audience != nil || settled.Entry.Event != nil {
		t.Errorf("nobody may read it: %+v", settled.Entry)
	}
	settled, err = host.Refuse(t.Context(), call("1.0", false), negotiator.Context{At: at}, negotiator.CredentialRequired)
	if err != nil || settled.Decision.Cause != "credential-required" {
		t.Errorf("refuse: %+v, %v", settled, err)
	}
	reply, err := host.NotDurable(t.Context(), call("1.0", true), negotiator.Context{At: at})
	if err != nil || reply.Status != 503 || !strings.Contains(string(reply.Error), "-32603") {
		t.Errorf("not durable: %+v, %v", reply, err)
	}
}

func TestDecideThenRecordIsSettle(t *testing.T) {
	host := configure(t)
	exchange := negotiator.Outbound{Protocol: negotiator.A2A, Authenticated: true, Offers: []string{"0.3"}}
	context := negotiator.Context{At: at, PeerURL: "https://peer.example/a2a"}
	settled, err := host.Settle(t.Context(), exchange, context)
	if err != nil || !settled.Decision.Downgraded || settled.Decision.Cause != "common" {
		t.Fatalf("settle: %+v, %v", settled, err)
	}
	decision, _, err := host.Decide(t.Context(), exchange)
	if err != nil || decision != settled.Decision {
		t.Fatalf("decide: %+v, %v", decision, err)
	}
	entry, err := host.Record(t.Context(), exchange, decision, context)
	if err != nil || string(entry.Payload) != string(settled.Entry.Payload) {
		t.Fatalf("record: %s, %v", entry.Payload, err)
	}
}

func TestErrorsNameTheMemberAndNeverTheValue(t *testing.T) {
	host := configure(t)
	var request *negotiator.RequestError
	_, err := host.Settle(t.Context(), call("1.0", true), negotiator.Context{At: at, EventID: "no good"})
	if !errors.As(err, &request) || request.Path != "context.eventId" || strings.Contains(err.Error(), "no good") {
		t.Errorf("a bad event id: %v", err)
	}
	exchange := negotiator.Inbound{Protocol: negotiator.MCP, Params: json.RawMessage(`{"x":"\ud800"}`)}
	if _, err := host.Settle(t.Context(), exchange, negotiator.Context{At: at}); !errors.As(err, &request) || request.Path != "request" {
		t.Errorf("a lone surrogate: %v", err)
	}
	exchange.Params = json.RawMessage(`{`)
	if _, err := host.Settle(t.Context(), exchange, negotiator.Context{At: at}); !errors.As(err, &request) {
		t.Errorf("no JSON: %v", err)
	}
	var invalid *negotiator.FacetsError
	wrong := negotiator.Facets{A2A: &negotiator.Facet{Preferred: "1.0", Floor: "1.0"}}
	if _, err := load(t).Configure(t.Context(), wrong, ""); !errors.As(err, &invalid) || invalid.Faults[0].Problem != "empty" {
		t.Errorf("faulty facets: %v", err)
	}
}

func TestBytesThatAreNoUTF8NeverReachTheComponent(t *testing.T) {
	component := load(t)
	answer, ok, err := component.Call(t.Context(), "digest", []byte("{\"url\":\"\xed\xa0\x80\"}"))
	if err != nil || ok || !strings.Contains(string(answer), `"path":"request"`) {
		t.Errorf("%s, %v", answer, err)
	}
	answer, ok, err = component.Call(t.Context(), "digest", nil)
	if err != nil || ok || !strings.Contains(string(answer), `"path":"request"`) {
		t.Errorf("an empty request: %s, %v", answer, err)
	}
}

func TestOtherBytesAreNotLoaded(t *testing.T) {
	bytes, err := os.ReadFile(core)
	if err != nil {
		t.Fatal(err)
	}
	bytes[len(bytes)-1] ^= 1
	if _, err := negotiator.Load(t.Context(), bytes); !errors.Is(err, negotiator.ErrDigest) {
		t.Errorf("one bit: %v", err)
	}
	if _, err := negotiator.LoadFile(t.Context(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestSmallOperations(t *testing.T) {
	component, ctx := load(t), t.Context()
	if digest, err := component.Digest(ctx, "https://peer.example:443/x"); err != nil || len(digest) != 64 {
		t.Errorf("digest: %q, %v", digest, err)
	}
	if digest, err := component.Digest(ctx, "file:///x"); err != nil || digest != "" {
		t.Errorf("digest of no origin: %q, %v", digest, err)
	}
	for seen, want := range map[uint32]bool{4: true, 5: false} {
		if more, err := component.AdmitRound(ctx, 4, seen); err != nil || more != want {
			t.Errorf("round %d: %v, %v", seen, more, err)
		}
	}
	if fresh, err := component.Fresh(ctx, "2026-11-01", at); err != nil || !fresh {
		t.Errorf("fresh: %v, %v", fresh, err)
	}
	if state, err := component.TaskState(ctx, "waiting-approval"); err != nil || state != "TASK_STATE_INPUT_REQUIRED" {
		t.Errorf("state: %v, %v", state, err)
	}
	document := json.RawMessage(`{"a2a":{"versions":["0.3"],"preferredVersion":"0.3","minimumVersion":"1.0","refreshedAt":"2026-11-01"}}`)
	if faults, err := component.CheckFacets(ctx, document); err != nil || len(faults) == 0 {
		t.Errorf("facets: %v, %v", faults, err)
	}
	if findings, err := component.Check(ctx, document, at); err != nil || len(findings) == 0 {
		t.Errorf("check: %v, %v", findings, err)
	}
}

func TestManyGoroutinesShareFewInstances(t *testing.T) {
	host := configure(t, negotiator.Instances(2))
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			version, status := "1.0", 200
			if n%2 == 1 {
				version, status = "0.2", 400
			}
			for range 200 {
				settled, err := host.Settle(t.Context(), call(version, true), negotiator.Context{At: at})
				if err != nil || settled.Reply.Status != status {
					t.Errorf("%s: %+v, %v", version, settled.Reply, err)
					return
				}
			}
		})
	}
	group.Wait()
}

func TestNothingIsAnsweredAfterClose(t *testing.T) {
	host := configure(t)
	host.Close(t.Context())
	if _, err := host.Settle(t.Context(), call("1.0", true), negotiator.Context{At: at}); !errors.Is(err, negotiator.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
