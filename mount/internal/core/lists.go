package core

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

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

// Each calls read with each entry of all pages of a list. list is the member of a page that has the
// entries, and call answers the method of the list.
func Each(list string, call func(params json.RawMessage) (json.RawMessage, error), read func(entry json.RawMessage) error) error {
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
func Named(list string, call func(params json.RawMessage) (json.RawMessage, error)) (map[string]string, error) {
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

// IsStateless reports whether a protocol version is known and has no sessions.
func IsStateless(version string) bool {
	r, ok := revision.Parse(version)
	return ok && r.Stateless()
}

// HasCompletions reports whether a protocol version is known and has a capability for completion.
func HasCompletions(version string) bool {
	r, ok := revision.Parse(version)
	return ok && r.Completions()
}

// NewestStateful returns the newest protocol version with sessions.
func NewestStateful() string { return revision.NewestStateful().String() }
