package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

const metaVersion = "io.modelcontextprotocol/protocolVersion"

// message is what the negotiation reads of a JSON-RPC message, and no more.
type message struct {
	method string
	id     json.RawMessage
	params *object // nil: none, or no object, which names nothing
	meta   *object // nil likewise
}

// An object with its members in their order.
type object struct {
	names  []string
	values map[string]json.RawMessage
}

var errMessage = errors.New("not one JSON-RPC message")

// readMessage reads one message. A member that stands twice is an error: which of the two counts
// would be up to the next reader.
func readMessage(body []byte) (*message, error) {
	if !utf8.Valid(body) {
		return nil, errMessage
	}
	top, err := readObject(body)
	if err != nil || top == nil {
		return nil, errMessage
	}
	m := &message{id: readID(top.values["id"])}
	if method, found := top.values["method"]; found {
		if json.Unmarshal(method, &m.method) != nil || method[0] != '"' {
			return nil, errMessage
		}
	}
	if m.params, err = readObject(top.values["params"]); err != nil {
		return nil, errMessage
	}
	if m.params != nil {
		if m.meta, err = readObject(m.params.values["_meta"]); err != nil {
			return nil, errMessage
		}
	}
	return m, nil
}

// readObject gives nil for text that is no object.
func readObject(text json.RawMessage) (*object, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	first, err := decoder.Token()
	if err == io.EOF || (err == nil && first != json.Delim('{')) {
		return nil, nil
	}
	o := &object{values: map[string]json.RawMessage{}}
	for err == nil && decoder.More() {
		var name json.Token
		var value json.RawMessage
		if name, err = decoder.Token(); err != nil {
			break
		}
		if err = decoder.Decode(&value); err != nil {
			break
		}
		key, _ := name.(string)
		if _, twice := o.values[key]; twice {
			return nil, errMessage
		}
		o.names = append(o.names, key)
		o.values[key] = value
	}
	if err == nil {
		_, err = decoder.Token() // the closing brace
	}
	if err == nil {
		if _, more := decoder.Token(); more != io.EOF {
			err = errMessage
		}
	}
	return o, err
}

// readID gives the id to answer with: a number or a short string, else null.
func readID(id json.RawMessage) json.RawMessage {
	if len(id) == 0 || len(id) > 256 || bytes.IndexByte([]byte(`"-0123456789`), id[0]) < 0 {
		return nil
	}
	return id
}

// named gives the members of params that name a version. The rest may be long, and is nobody's
// business here.
func (m *message) named() json.RawMessage {
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
	top, err := readObject(body)
	if err != nil || top == nil {
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
