package negotiator_test

import (
	"context"
	"fmt"
	"log"
	"time"

	negotiator "github.com/openwop/negotiator/go"
)

func Example() {
	ctx, at := context.Background(), time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	component, err := negotiator.LoadFile(ctx, "../../../dist/negotiator.core.wasm")
	if err != nil {
		log.Fatal(err)
	}
	facets := negotiator.Facets{A2A: &negotiator.Facet{Offered: []string{"0.3", "1.0"}, Preferred: "1.0", Floor: "0.3"}}
	host, _ := component.Configure(ctx, facets, "")
	exchange := negotiator.Inbound{Protocol: negotiator.A2A, Headers: []negotiator.Header{{"A2A-Version", "0.3"}}}
	settled, err := host.Settle(ctx, exchange, negotiator.Context{At: at})
	fmt.Println(settled.Decision.Reason, settled.Reply.Status, err)
	fmt.Println(string(settled.Entry.Payload))
	// Output:
	// unauthenticated 401 <nil>
	// {"protocol":"a2a","outcome":"refused","requested":"0.3","floor":"0.3","reason":"unauthenticated","at":"2026-11-30T12:00:00Z"}
}
