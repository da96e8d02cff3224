package negotiator

import (
	"context"
	"encoding/json"
	"time"
)

// Digest gives the SHA-256 of the origin of a URL, as 64 lower-case hex digits; "" for an origin
// that is not a tuple, such as that of a file (R8).
func (c *Component) Digest(ctx context.Context, url string) (string, error) {
	var answer struct {
		PeerDigest string `json:"peerDigest"`
	}
	err := ask(ctx, c.pool, "digest", map[string]any{"url": url}, &answer)
	return answer.PeerDigest, err
}

// AdmitRound tells whether one more MRTR round may begin.
func (c *Component) AdmitRound(ctx context.Context, maxRounds, inputRequiredSeen uint32) (bool, error) {
	var answer struct {
		Decision string `json:"decision"`
	}
	request := map[string]any{"maxRounds": maxRounds, "inputRequiredSeen": inputRequiredSeen}
	err := ask(ctx, c.pool, "rounds", request, &answer)
	return answer.Decision == "continue", err
}

// Fresh tells whether a facet refreshed on this date (YYYY-MM-DD) is fresh at this instant.
func (c *Component) Fresh(ctx context.Context, refreshedAt string, now time.Time) (bool, error) {
	var answer struct {
		Fresh bool `json:"fresh"`
	}
	request := map[string]any{"refreshedAt": refreshedAt, "now": now.Format(time.RFC3339Nano)}
	err := ask(ctx, c.pool, "fresh", request, &answer)
	return answer.Fresh, err
}

// CheckFacets gives every fault of the facets; none if they are valid. They must say when they were
// refreshed, so this takes a discovery document.
func (c *Component) CheckFacets(ctx context.Context, document json.RawMessage) ([]Fault, error) {
	var answer struct {
		Faults []Fault `json:"faults"`
	}
	err := ask(ctx, c.pool, "facets", map[string]any{"facets": document}, &answer)
	return answer.Faults, err
}

// Check gives what is wrong with a discovery document at this instant; nothing if it is sound.
func (c *Component) Check(ctx context.Context, document json.RawMessage, now time.Time) ([]Finding, error) {
	var answer struct {
		Findings []Finding `json:"findings"`
	}
	request := map[string]any{"document": document, "now": now.Format(time.RFC3339Nano)}
	err := ask(ctx, c.pool, "check", request, &answer)
	return answer.Findings, err
}

// TaskState projects the status of a run to an A2A task state.
func (c *Component) TaskState(ctx context.Context, status string) (string, error) {
	var answer struct {
		State string `json:"state"`
	}
	err := ask(ctx, c.pool, "task-state", map[string]any{"status": status}, &answer)
	return answer.State, err
}
