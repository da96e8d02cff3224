package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"
)

const metaVersion = "io.modelcontextprotocol/protocolVersion"

// message is what the negotiation reads of a JSON-RPC message, and no more.
type message struct {
	method string
	id     json.RawMessage
	params *object // nil: none, or no object, which names nothing
	meta   *object // nil likewise
	// Params in which a member stands twice, or that others may read otherwise for another reason.
	ambiguous bool
}

// An object with its members in their order.
type object struct {
	names  []string
	values map[string]json.RawMessage
}

var (
	errParse   = errors.New("no JSON")
	errMessage = errors.New("not one JSON-RPC message")
)

// readMessage reads one message. A member of it that stands twice is an error: which of the two
// counts would be up to the next reader.
func readMessage(body []byte) (*message, error) {
	if !utf8.Valid(body) || !json.Valid(body) {
		return nil, errParse
	}
	top, twice := readObject(body)
	if top == nil || twice {
		return nil, errMessage
	}
	m := &message{id: readID(top.values["id"])}
	if method, found := top.values["method"]; found {
		if method[0] != '"' || json.Unmarshal(method, &m.method) != nil {
			return nil, errMessage
		}
	}
	params := top.values["params"]
	m.ambiguous = !unambiguous(params)
	if m.params, _ = readObject(params); m.params != nil {
		m.meta, _ = readObject(m.params.values["_meta"])
	}
	return m, nil
}

// readObject reads valid JSON; nil for text that is no object. twice tells of a member that stands
// twice.
func readObject(text json.RawMessage) (o *object, twice bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return nil, false
	}
	o = &object{values: map[string]json.RawMessage{}}
	for decoder.More() {
		name, err := decoder.Token()
		var value json.RawMessage
		if err != nil || decoder.Decode(&value) != nil {
			return nil, false
		}
		key, _ := name.(string)
		if _, found := o.values[key]; found {
			twice = true
		} else {
			o.names = append(o.names, key)
		}
		o.values[key] = value
	}
	return o, twice
}

// deepest is how deep the rules read JSON.
const deepest = 127

// unambiguous tells whether valid JSON is read alike by everybody: no member twice at any depth, no
// escaped surrogate without its pair, nothing nested too deep, no number past the range of a double.
func unambiguous(text json.RawMessage) bool {
	if len(text) == 0 {
		return true
	}
	if lonelySurrogate(text) {
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	// For each open object the names so far; nil for an array.
	var open []map[string]bool
	named := false
	for {
		token, err := decoder.Token()
		if err != nil {
			return err == io.EOF
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '}' || token == ']' {
				open = open[:len(open)-1]
			} else {
				var names map[string]bool
				if token == '{' {
					names = map[string]bool{}
				}
				if open = append(open, names); len(open) > deepest {
					return false
				}
				named = false
				continue
			}
		case json.Number:
			if _, err := token.Float64(); err != nil {
				return false
			}
		case string:
			if names := top(open); names != nil && !named {
				if names[token] {
					return false
				}
				names[token] = true
				named = true
				continue
			}
		}
		named = false
	}
}

func top(open []map[string]bool) map[string]bool {
	if len(open) == 0 {
		return nil
	}
	return open[len(open)-1]
}

// lonelySurrogate finds a \ud800 to \udfff that is not half of a pair; Go would read U+FFFD there.
func lonelySurrogate(text []byte) bool {
	unit := func(at int) uint64 { // of the escape at this place, 0 if there is none
		if at+6 > len(text) || text[at] != '\\' || text[at+1] != 'u' {
			return 0
		}
		code, _ := strconv.ParseUint(string(text[at+2:at+6]), 16, 16)
		return code
	}
	for at := 0; at < len(text); at++ {
		if text[at] != '\\' {
			continue
		}
		switch code := unit(at); {
		case code >= 0xD800 && code < 0xDC00:
			if next := unit(at + 6); next < 0xDC00 || next > 0xDFFF {
				return true
			}
			at += 11
		case code >= 0xDC00 && code <= 0xDFFF:
			return true
		default:
			at++ // the character behind the backslash
		}
	}
	return false
}

// readID gives the id to answer with: a number or a short string, else null.
func readID(id json.RawMessage) json.RawMessage {
	if len(id) == 0 || len(id) > 256 || bytes.IndexByte([]byte(`"-0123456789`), id[0]) < 0 {
		return nil
	}
	return id
}

// named gives the members of params that name a version. The rest may be long, and is nobody's
// business here. Ambiguous params name something that is no version, so that the rules refuse it.
func (m *message) named() json.RawMessage {
	if m.ambiguous && m.method == "initialize" {
		return json.RawMessage(`{"protocolVersion":0}`)
	} else if m.ambiguous {
		return json.RawMessage(`{"_meta":{"` + metaVersion + `":0}}`)
	}
	if m.params == nil {
		return nil
	}
	params := map[string]any{}
	if version, found := m.params.values["protocolVersion"]; found {
		params["protocolVersion"] = version
	}
	if m.meta != nil {
		if version, found := m.meta.values[metaVersion]; found {
			params["_meta"] = map[string]any{metaVersion: version}
		}
	}
	text, _ := json.Marshal(params) // of values that were read as JSON
	return text
}

// naming gives the body with every name of a version replaced; the body itself where they all say
// so already.
func (m *message) naming(body []byte, version string) []byte {
	quoted, _ := json.Marshal(version)
	params := m.params
	if params == nil {
		params = &object{values: map[string]json.RawMessage{}}
	}
	changed := set(params, "protocolVersion", quoted)
	if m.meta != nil && m.meta.values[metaVersion] != nil && set(m.meta, metaVersion, quoted) {
		set(params, "_meta", m.meta.text())
		changed = true
	}
	if !changed {
		return body
	}
	top, _ := readObject(body)
	if top == nil {
		return body
	}
	set(top, "params", params.text())
	return top.text()
}

// set sets a member, and tells whether that changed anything.
func set(o *object, name string, value json.RawMessage) bool {
	old, found := o.values[name]
	if found && bytes.Equal(old, value) {
		return false
	}
	if !found {
		o.names = append(o.names, name)
	}
	o.values[name] = value
	return true
}

func (o *object) text() json.RawMessage {
	var text bytes.Buffer
	text.WriteByte('{')
	for n, name := range o.names {
		if n > 0 {
			text.WriteByte(',')
		}
		quoted, _ := json.Marshal(name)
		text.Write(quoted)
		text.WriteByte(':')
		text.Write(o.values[name])
	}
	text.WriteByte('}')
	return text.Bytes()
}
