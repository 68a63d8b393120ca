package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/mcp-prompts/prompts"
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

// Walk passes each page of a list to read. call answers the method of the list.
func Walk(call func(params json.RawMessage) (json.RawMessage, error), read func(page json.RawMessage) error) error {
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
		if err := read(raw); err != nil {
			return "", err
		}
		var page struct {
			NextCursor string `json:"nextCursor"`
		}
		err = json.Unmarshal(raw, &page)
		return page.NextCursor, err
	})
}

// Named returns the entries of all pages of a list as JSON, by the member that names an entry,
// such as the name of a tool. call answers the method of the list.
func Named(list, member string, call func(params json.RawMessage) (json.RawMessage, error)) (map[string]string, error) {
	all := map[string]string{}
	err := Walk(call, func(raw json.RawMessage) error {
		var page map[string]json.RawMessage
		if err := json.Unmarshal(raw, &page); err != nil {
			return err
		}
		var entries []json.RawMessage
		if err := json.Unmarshal(page[list], &entries); err != nil {
			return err
		}
		for _, entry := range entries {
			var members map[string]json.RawMessage
			var name string
			if err := json.Unmarshal(entry, &members); err != nil {
				return err
			}
			if err := json.Unmarshal(members[member], &name); err != nil {
				return err
			}
			all[name] = string(entry)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Listed returns a function for All of Entries: with the entries that a server lists, whoever
// may see them.
func Listed(s *prompts.Server, method, list, member string) func() (map[string]string, error) {
	return func() (map[string]string, error) {
		return Named(list, member, func(params json.RawMessage) (json.RawMessage, error) {
			return s.Call(context.Background(), method, params, prompts.CallOptions{Version: NewestStateful()})
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

// ReadPrompts returns the entries of a page of prompts/list in the type of an SDK. read gets
// the JSON of an entry, and the entry's _meta, with the digits of numbers unchanged.
func ReadPrompts[P any](page json.RawMessage, read func(entry json.RawMessage, meta map[string]any) (P, error)) ([]P, error) {
	var list struct {
		Prompts []json.RawMessage `json:"prompts"`
	}
	if err := json.Unmarshal(page, &list); err != nil {
		return nil, err
	}
	all := make([]P, len(list.Prompts))
	for i, entry := range list.Prompts {
		meta, err := ReadMeta(entry)
		if err != nil {
			return nil, err
		}
		if all[i], err = read(entry, meta); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Entries are tools or resources that a mount has put into a server. T is the type of an
// entry in the SDK. At most one goroutine at a time calls Update and Clear.
type Entries[T any] struct {
	Mount, Kind string // of errors: the name of the package that mounts, and tool or resource
	// All returns what the server must have, as text by name.
	All func() (map[string]string, error)
	// Own returns the names of the server's own entries. It may remove from added, the entries
	// of the mount, what is no longer there.
	Own func(added map[string]string) (own map[string]bool, err error)
	// Read returns the SDK's form of an entry.
	Read func(name, text string) (T, error)
	// Put adds entries to the server, or replaces them. Remove removes entries.
	Put    func(entries ...T)
	Remove func(names ...string)

	mu     sync.Mutex        // protects the fields below
	wanted map[string]string // what All has returned
	added  map[string]string // the entries that the server has, by name
}

// Reported logs names that a server and a mount both have, once for each name.
type Reported struct{ names sync.Map } // "prompt " or "tool " and the name

// Report logs the name of a prompt or a tool, of which the server's own answers. isListed says
// that the list has the registry's entry.
func (r *Reported) Report(ctx context.Context, s *prompts.Server, mount, kind, name string, isListed bool) {
	if _, isKnown := r.names.LoadOrStore(kind+" "+name, true); isKnown {
		return
	}
	lister := "server"
	if isListed {
		lister = "registry"
	}
	err := fmt.Errorf("%s: %s %q exists on the server, too: the list has the %s's entry, and the server's %[2]s answers; rename one of the two", mount, kind, name, lister)
	if kind == "prompt" {
		s.Log(ctx, slog.LevelWarn, "prompt not mounted", slog.String("prompt", name), slog.Any("error", err))
		return
	}
	s.Log(ctx, slog.LevelWarn, "tool not mounted", slog.Any("error", err))
}

// Wants reports whether the mount has an entry with a name, also if the server has one of its
// own under the name.
func (e *Entries[T]) Wants(name string) bool {
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.wanted[name] != ""
}

// Has reports whether the server has an entry of the mount under a name, unless the
// application has replaced the entry.
func (e *Entries[T]) Has(name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.added[name] != ""
}

func (e *Entries[T]) set(wanted, added map[string]string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.wanted, e.added = wanted, maps.Clone(added)
}

// Update brings the server up to date. It returns an error for each entry whose name the
// server has for an entry of its own, which stays unchanged.
func (e *Entries[T]) Update() error {
	if e == nil {
		return nil
	}
	all, err := e.All()
	if err != nil {
		return fmt.Errorf("%s: list the %ss of the registry: %w", e.Mount, e.Kind, err)
	}
	added := map[string]string{}
	maps.Copy(added, e.added) // which only this goroutine changes
	own, err := e.Own(added)
	if err != nil {
		return fmt.Errorf("%s: list the server's %ss: %w", e.Mount, e.Kind, err)
	}
	var put []T
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch {
		case own[name]:
			errs = append(errs, Exists(e.Mount, e.Kind, name))
			continue
		case added[name] == all[name]:
			continue
		}
		entry, err := e.Read(name, all[name])
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %s %q: %w", e.Mount, e.Kind, name, err))
			continue
		}
		put, added[name] = append(put, entry), all[name]
	}
	maps.DeleteFunc(added, func(name, _ string) bool { return own[name] })
	e.set(all, added) // first, so that Has knows each entry of the server
	if len(put) > 0 {
		e.Put(put...)
	}
	var gone []string
	maps.DeleteFunc(added, func(name, _ string) bool {
		if _, ok := all[name]; ok {
			return false
		}
		gone = append(gone, name)
		return true
	})
	if len(gone) > 0 {
		e.Remove(gone...)
		e.set(all, added)
	}
	return errors.Join(errs...)
}

// Clear removes the entries of the mount from the server, and no entry of the server's own.
func (e *Entries[T]) Clear() error {
	if e == nil || len(e.added) == 0 {
		return nil
	}
	added := maps.Clone(e.added)
	own, err := e.Own(added)
	maps.DeleteFunc(added, func(name, _ string) bool { return own[name] })
	e.Remove(slices.Sorted(maps.Keys(added))...)
	e.set(nil, nil)
	if err != nil {
		return fmt.Errorf("%s: list the server's %ss: %w", e.Mount, e.Kind, err)
	}
	return nil
}
