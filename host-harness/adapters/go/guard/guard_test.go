package guard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	negotiator "github.com/openwop/negotiator/go"
)

func host(t *testing.T) *negotiator.Negotiator {
	t.Helper()
	component, err := negotiator.LoadFile(t.Context(), "../../../../dist/negotiator.core.wasm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { component.Close(context.Background()) })
	host, err := component.Configure(t.Context(), negotiator.Facets{A2A: &negotiator.Facet{
		Offered: []string{"0.3", "1.0"}, Preferred: "1.0", Floor: "0.3"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	return host
}

func serve(t *testing.T, options Options, method, target, version string) (*httptest.ResponseRecorder, *http.Request) {
	t.Helper()
	options.Protocol = negotiator.A2A
	protect, err := New(host(t), options)
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(method, target, strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"SendMessage"}`))
	if version != "" {
		request.Header.Set("A2A-Version", version)
	}
	var reached *http.Request
	recorder := httptest.NewRecorder()
	protect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { reached = r })).ServeHTTP(recorder, request)
	return recorder, reached
}

func keep(entries *[]string) func(context.Context, negotiator.Entry) error {
	return func(_ context.Context, entry negotiator.Entry) error {
		*entries = append(*entries, string(entry.Payload))
		return nil
	}
}

func TestTheHandlerSeesTheVersionDecided(t *testing.T) {
	var entries []string
	answer, reached := serve(t, Options{Record: keep(&entries)}, "POST", "/", "")
	if reached == nil || reached.Header.Get("A2A-Version") != "1.0" || answer.Header().Get("A2A-Version") != "1.0" {
		t.Fatalf("%v %v", reached, answer.Header())
	}
	settled, found := Settlement(reached.Context())
	if !found || settled.Decision.Cause != "default" || len(entries) != 1 {
		t.Errorf("%+v %v", settled.Decision, entries)
	}
}

func TestTheQueryNamesAVersionToo(t *testing.T) {
	var entries []string
	answer, reached := serve(t, Options{Record: keep(&entries)}, "POST", "/?a2a-version=0.2", "")
	if reached != nil || answer.Code != 400 || !strings.Contains(answer.Body.String(), `"id":7,"error":{"code":-32009`) {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

func TestAnAgentCardIsRefusedWithTheEnvelope(t *testing.T) {
	var entries []string
	answer, reached := serve(t, Options{Record: keep(&entries)}, "GET", "/", "0.3")
	if reached != nil || answer.Code != 401 || answer.Header().Get("WWW-Authenticate") != "Bearer" ||
		!strings.HasPrefix(answer.Body.String(), `{"error":"interop_version_unsupported"`) {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

func TestASurfaceCanDemandACredential(t *testing.T) {
	var entries []string
	answer, reached := serve(t, Options{Record: keep(&entries), RequireCredential: true}, "POST", "/", "1.0")
	if reached != nil || answer.Code != 401 || len(entries) != 1 || !strings.Contains(entries[0], "unauthenticated") {
		t.Errorf("%d %v", answer.Code, entries)
	}
}

func TestNothingIsServedWithoutARecord(t *testing.T) {
	fail := func(context.Context, negotiator.Entry) error { return errors.New("full") }
	told := func(*http.Request, negotiator.Settlement) { t.Error("told of a settlement without a record") }
	answer, reached := serve(t, Options{Record: fail, Settled: told}, "POST", "/", "1.0")
	if reached != nil || answer.Code != 503 || !strings.Contains(answer.Body.String(), "-32603") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	if _, err := New(host(t), Options{Protocol: negotiator.A2A}); err == nil {
		t.Error("a guard without a record function")
	}
}

func TestRememberedSessionsAreBoundedAndThoseInUseStay(t *testing.T) {
	s := sessions{most: 10}
	s.begin("used", "2025-06-18")
	for n := range 1000 {
		s.begin(fmt.Sprint(n), "2025-11-25")
		if s.version("used") != "2025-06-18" {
			t.Fatalf("forgotten after %d", n)
		}
		if held := len(s.young) + len(s.old); held > 11 {
			t.Fatalf("%d sessions held", held)
		}
	}
	s.end("used")
	if s.version("used") != "" || s.version("1") != "" {
		t.Error("an ended or old session is remembered")
	}
}
