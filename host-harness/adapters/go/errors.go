package negotiator

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ErrDigest says that the bytes are not those of the component that this package was released
// with.
var ErrDigest = errors.New("negotiator: the bytes are not those of the pinned component")

// RequestError says that a request cannot be read. It names the member, never its value.
type RequestError struct {
	// Path of the member, such as "exchange.protocol"; "request" for the whole.
	Path string `json:"path"`
	// Problem in words, such as `must be "a2a" or "mcp"`.
	Problem string `json:"problem"`
}

func (e *RequestError) Error() string {
	return fmt.Sprintf("negotiator: %s: %s", e.Path, e.Problem)
}

// Fault is one thing wrong with a facet or with a policy's settings.
type Fault struct {
	// Path in the terms of a discovery document, such as "a2a.minimumVersion".
	Path string `json:"path"`
	// Problem: one of the closed words of the WIT interface, such as "above-preferred".
	Problem string `json:"problem"`
}

// FacetsError says that nothing can be decided under these facets, and lists every fault.
type FacetsError struct{ Faults []Fault }

func (e *FacetsError) Error() string {
	faults := make([]string, len(e.Faults))
	for i, fault := range e.Faults {
		faults[i] = fault.Path + ": " + fault.Problem
	}
	return "negotiator: invalid facets: " + strings.Join(faults, "; ")
}

// errorOf reads an error answer of the component.
func errorOf(text []byte) error {
	var answer struct {
		Error struct {
			Code   string  `json:"code"`
			Faults []Fault `json:"faults"`
			RequestError
		} `json:"error"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return fmt.Errorf("negotiator: the component gave an error that cannot be read: %w", err)
	}
	if answer.Error.Code == "invalid-facets" {
		return &FacetsError{Faults: answer.Error.Faults}
	}
	return &answer.Error.RequestError
}
