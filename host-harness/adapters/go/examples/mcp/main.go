// Command mcp is an MCP server of the official Go SDK behind a guard:
//
//	go run . -core ../../../../../dist/negotiator.core.wasm
//
// It listens on 127.0.0.1:8000, keeps its records in records.jsonl, and takes the credential
// "Bearer secret" for that of the tenant acme.
package main

import (
	"context"
	"crypto/subtle"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	negotiator "github.com/openwop/negotiator/go"
	"github.com/openwop/negotiator/go/guard"
)

// What the SDK's handler speaks: with sessions the revisions that have a handshake, without sessions
// 2026-07-28 too.
var (
	facets = negotiator.Facets{MCP: &negotiator.Facet{
		Offered: []string{"2025-06-18", "2025-11-25"}, Preferred: "2025-11-25", Floor: "2025-06-18",
	}}
	statelessFacets = negotiator.Facets{MCP: &negotiator.Facet{
		Offered: []string{"2025-11-25", "2026-07-28"}, Preferred: "2026-07-28", Floor: "2025-11-25",
	}}
)

func main() {
	core := flag.String("core", "negotiator.core.wasm", "the component")
	address := flag.String("listen", "127.0.0.1:8000", "where to listen")
	records := flag.String("records", "records.jsonl", "where to keep the records")
	stateless := flag.Bool("stateless", false, "speak without sessions")
	flag.Parse()
	if *stateless {
		facets = statelessFacets
	}
	journal, err := openJournal(*records)
	if err != nil {
		log.Fatal(err)
	}
	handler, err := protectedServer(context.Background(), *core, facets, *stateless, journal.record)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("MCP on http://%s", *address)
	log.Fatal(http.ListenAndServe(*address, handler))
}

// protectedServer is an MCP server with one tool, behind a guard.
func protectedServer(ctx context.Context, core string, facets negotiator.Facets, stateless bool,
	record func(context.Context, negotiator.Entry) error) (http.Handler, error) {
	component, err := negotiator.LoadFile(ctx, core)
	if err != nil {
		return nil, err
	}
	host, err := component.Configure(ctx, facets, "")
	if err != nil {
		return nil, err
	}
	protect, err := guard.New(host, guard.Options{
		Protocol: negotiator.MCP,
		Identify: identify,
		Record:   record,
		Settled: func(_ *http.Request, settled negotiator.Settlement) {
			if d := settled.Decision; d.Downgraded || !d.Accepted() {
				log.Printf("%s %s: asked for %q, speaking %q", d.Outcome, d.Cause, d.Requested, d.Version)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "greeter", Version: "1.0.0"}, nil)
	type input struct {
		Name string `json:"name" jsonschema:"who is greeted"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "greet", Description: "Greets."},
		func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			text := fmt.Sprintf("Hello, %s", in.Name)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: stateless})
	return protect(handler), nil
}

func identify(r *http.Request) (negotiator.Subject, bool) {
	known := subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer secret")) == 1
	return negotiator.Subject{Tenant: "acme", Workspace: "ws-1"}, known
}

// journal keeps events in a file, one line each.
type journal struct {
	mu   sync.Mutex
	file *os.File
}

func openJournal(path string) (*journal, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return &journal{file: file}, err
}

// record returns when the event is on the disk.
func (j *journal) record(_ context.Context, entry negotiator.Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.file.Write(append(entry.Event, '\n')); err != nil {
		return err
	}
	return j.file.Sync()
}
