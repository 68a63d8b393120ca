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

const maxPages = 100_000 // of a list that does not end

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

// Named returns the entries of all pages of a list as JSON, by name, or by URI for resources, and
// none with an error: a caller hides all entries then. list is the member of a page that has them.
func Named(list string, call func(params json.RawMessage) (json.RawMessage, error)) (map[string]string, error) {
	all := map[string]string{}
	err := Pages(func(cursor string) (next string, err error) {
		params := map[string]string{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		raw, err := call(Encode(params))
		if err != nil {
			return "", err
		}
		var page map[string]json.RawMessage
		var entries []json.RawMessage
		err = errors.Join(json.Unmarshal(raw, &page), Decode(page[list], &entries), Decode(page["nextCursor"], &next))
		for _, entry := range entries {
			var known struct{ Name, URI string }
			err = errors.Join(err, json.Unmarshal(entry, &known))
			all[cmp.Or(known.URI, known.Name)] = string(entry)
		}
		return next, err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Listed returns the function of Named for a list of a server: prompts, tools or resources.
func Listed(ctx context.Context, s *prompts.Server, list string, o prompts.CallOptions) func() (map[string]string, error) {
	return func() (map[string]string, error) {
		return Named(list, func(params json.RawMessage) (json.RawMessage, error) { return s.Call(ctx, list+"/list", params, o) })
	}
}

// ReadTool reads an entry of tools/list into the type of an SDK, and returns its schema unchanged.
func ReadTool(entry string, tool any) (inputSchema json.RawMessage, err error) {
	var raw struct{ InputSchema json.RawMessage }
	err = errors.Join(json.Unmarshal([]byte(entry), tool), json.Unmarshal([]byte(entry), &raw))
	return raw.InputSchema, err
}

// Revision returns the traits of a protocol version, and none of an unknown one.
func Revision(version string) revision.Revision {
	r, _ := revision.Parse(version)
	return r
}

// NewestStateful returns the newest protocol version with sessions.
func NewestStateful() string { return revision.NewestStateful().String() }

// Parts are the parts of a result or an entry that the types of an SDK may change.
type Parts struct {
	Messages []struct { // of a prompt
		Role    string
		Content json.RawMessage
	}
	Content           []json.RawMessage // of a tool
	StructuredContent json.RawMessage
	InputRequests     map[string]struct {
		Method string
		Params json.RawMessage
	}
	Meta map[string]any `json:"_meta"` // without the name of the server, which the SDK adds
}

// ReadResult decodes a result or an entry into the type of an SDK, and returns its parts.
func ReadResult(raw json.RawMessage, result any) (*Parts, error) {
	p := new(Parts)
	if err := errors.Join(json.Unmarshal(raw, result), Decode(raw, p)); err != nil {
		return nil, err
	}
	if delete(p.Meta, "io.modelcontextprotocol/serverInfo"); len(p.Meta) == 0 {
		p.Meta = nil
	}
	return p, nil
}

// ReadRequests returns the input requests of a result, or nil without any, in the form of read.
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

// Encode returns the JSON of v, or nil if v is nil or cannot be encoded.
func Encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil || string(raw) == "null" {
		return nil
	}
	return raw
}

// Decode decodes JSON, if any, with the digits of numbers unchanged.
func Decode(raw json.RawMessage, to any) error {
	if len(raw) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return decoder.Decode(to)
}

// EncodesTo reports whether the encoding of v has the value of a JSON text, with the same numbers.
func EncodesTo(v any, raw json.RawMessage) bool {
	var values [2]any
	encoded, err := json.Marshal(v)
	return err == nil && json.Valid(raw) && Decode(encoded, &values[0]) == nil && Decode(raw, &values[1]) == nil &&
		reflect.DeepEqual(values[0], values[1])
}
