package core

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/revision"
)

// maxPages limits the pages of a list that does not end.
const maxPages = 100_000

// ErrEndless is the error of such a list.
var ErrEndless = fmt.Errorf("list of the server has more than %d pages", maxPages)

// Pages calls read with the cursor of each page of a list, until a page has no next cursor.
func Pages(read func(cursor string) (next string, err error)) error {
	cursor := ""
	for range maxPages {
		var err error
		if cursor, err = read(cursor); err != nil || cursor == "" {
			return err
		}
	}
	return ErrEndless
}

// Call answers the method of a list.
type Call = func(params json.RawMessage) (json.RawMessage, error)

// Each calls read with each entry of all pages of a list. list is the member of a page that has the
// entries.
func Each(list string, call Call, read func(entry json.RawMessage) error) error {
	return Pages(func(cursor string) (next string, err error) {
		params := json.RawMessage(`{}`)
		if cursor != "" {
			if params, err = json.Marshal(map[string]string{"cursor": cursor}); err != nil {
				return "", err
			}
		}
		raw, err := call(params)
		if err != nil {
			return "", err
		}
		var page map[string]json.RawMessage
		var entries []json.RawMessage
		if err := errors.Join(json.Unmarshal(raw, &page), Decode(page[list], &entries)); err != nil {
			return "", err
		}
		for _, entry := range entries {
			if err := read(entry); err != nil {
				return "", err
			}
		}
		return next, Decode(page["nextCursor"], &next)
	})
}

// Named returns the entries of a list as JSON, by name, or by URI for resources. See Each.
func Named(list string, call Call) (map[string]string, error) {
	all := map[string]string{}
	return all, Each(list, call, func(entry json.RawMessage) error {
		var known struct{ Name, URI string }
		err := json.Unmarshal(entry, &known)
		all[cmp.Or(known.URI, known.Name)] = string(entry)
		return err
	})
}

// Listed returns a function for All of Entries: with the entries that a server lists to an
// unknown client.
func Listed(s *prompts.Server, method, list, version string) func() (map[string]string, error) {
	return func() (map[string]string, error) {
		return Named(list, func(params json.RawMessage) (json.RawMessage, error) {
			return s.Call(context.Background(), method, params, prompts.CallOptions{Version: version})
		})
	}
}

// ReadTool reads an entry of tools/list into the type of an SDK, and returns the schema of the
// arguments unchanged.
func ReadTool(entry string, tool any) (inputSchema json.RawMessage, err error) {
	var raw struct {
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	err = errors.Join(json.Unmarshal([]byte(entry), tool), json.Unmarshal([]byte(entry), &raw))
	return raw.InputSchema, err
}

// Revision returns the traits of a protocol version. An unknown version has the zero value, without
// any trait.
func Revision(version string) revision.Revision {
	r, _ := revision.Parse(version)
	return r
}

// NewestStateful returns the newest protocol version with sessions.
func NewestStateful() string { return revision.NewestStateful().String() }

// Parts are the parts of a result of prompts/get or tools/call that the types of an SDK may change.
type Parts struct {
	Messages          []struct{ Content json.RawMessage } // of a prompt
	Content           []json.RawMessage                   // of a tool
	StructuredContent json.RawMessage
	InputRequests     map[string]struct {
		Method string
		Params json.RawMessage
	}
	Meta map[string]any `json:"_meta"` // without the name of the server, which the SDK adds
}

// ReadResult decodes a result of a prompts server into the type of an SDK, and returns its parts.
func ReadResult(raw json.RawMessage, result any) (*Parts, error) {
	p := new(Parts)
	if err := errors.Join(json.Unmarshal(raw, result), Decode(raw, p)); err != nil {
		return nil, err
	}
	p.Meta = withoutServer(p.Meta)
	return p, nil
}

// ReadRequests returns the input requests of a result, or nil without any. read returns the
// form that an SDK has for an input request.
func ReadRequests[Q any](p *Parts, read func(method string, params json.RawMessage) (Q, error)) (map[string]Q, error) {
	if p.InputRequests == nil {
		return nil, nil
	}
	all := make(map[string]Q, len(p.InputRequests))
	for key, q := range p.InputRequests {
		request, err := read(q.Method, q.Params)
		if err != nil {
			return nil, fmt.Errorf("input request %q: %w", key, err)
		}
		all[key] = request
	}
	return all, nil
}

// ReadMeta returns the _meta of an object, or nil if nothing is in it, without the name of the
// server.
func ReadMeta(raw json.RawMessage) (map[string]any, error) {
	var object struct {
		Meta map[string]any `json:"_meta"`
	}
	err := Decode(raw, &object)
	return withoutServer(object.Meta), err
}

func withoutServer(meta map[string]any) map[string]any {
	delete(meta, "io.modelcontextprotocol/serverInfo")
	if len(meta) == 0 {
		return nil
	}
	return meta
}

// Encode returns the JSON of v, or nil if v is nil or cannot be encoded.
func Encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil || string(raw) == "null" {
		return nil
	}
	return raw
}

// Decode decodes JSON, with the digits of numbers unchanged, and ignores unknown members.
// Nothing decodes to nothing.
func Decode(raw json.RawMessage, to any) error {
	if len(raw) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return decoder.Decode(to)
}

// EncodesTo reports whether the encoding of v has the value of a JSON text, with numbers
// compared as they are written.
func EncodesTo(v any, raw json.RawMessage) bool {
	var values [2]any
	encoded, err := json.Marshal(v)
	return err == nil && json.Valid(raw) && Decode(encoded, &values[0]) == nil && Decode(raw, &values[1]) == nil &&
		reflect.DeepEqual(values[0], values[1])
}
