package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/tailscale/hujson"

	"github.com/mcp-prompts/prompts/internal/regular"
)

// asUnix edits a text with LF and without a byte order mark, and gives the result those of the text.
func asUnix(text []byte, edit func(text []byte) ([]byte, error)) ([]byte, error) {
	body, hasMark := bytes.CutPrefix(text, []byte("\ufeff")) // of an editor on Windows
	n := bytes.Count(body, []byte("\r\n"))
	isDOS := n > 0 && n == bytes.Count(body, []byte("\n"))
	if isDOS {
		body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	}
	after, err := edit(body)
	if err != nil || bytes.Equal(after, body) {
		return text, err
	}
	if isDOS {
		after = bytes.ReplaceAll(after, []byte("\n"), []byte("\r\n"))
	}
	if hasMark {
		after = append([]byte("\ufeff"), after...)
	}
	return after, nil
}

func errOtherServer(name string) error {
	return fmt.Errorf("server %q exists with other settings; choose another name with --name, or replace the settings with --force", name)
}

// editJSON returns a document with a server at the keys, or without it if added is nil. All other text stays.
func editJSON(document []byte, keys []string, added *entry, force bool) ([]byte, error) {
	return asUnix(document, func(text []byte) ([]byte, error) {
		if len(bytes.TrimSpace(text)) == 0 {
			if added == nil {
				return text, nil
			}
			text = []byte("{}\n")
		}
		if err := checkNesting(text); err != nil {
			return nil, err
		}
		tree, err := hujson.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("invalid JSON: %w", err)
		}
		indent := indentOf(text)
		at, depth, last := &tree, 0, len(keys)-1
		for ; ; depth++ {
			object, ok := at.Value.(*hujson.Object)
			if !ok {
				return nil, fmt.Errorf("%s must be an object", placeIn(keys[:depth]))
			}
			at = find(object, keys[depth])
			switch {
			case at == nil && added == nil:
				return text, nil
			case depth == last && added == nil:
				removeMembers(object, keys[depth])
				return tree.Pack(), nil
			case depth == last:
				if err := setServer(object, at, keys[depth], added, force, indent, depth); err != nil {
					return nil, err
				}
				return tree.Pack(), nil
			case at == nil:
				at = appendMember(object, keys[depth], hujson.Value{Value: new(hujson.Object)}, indent, depth)
			}
		}
	})
}

func placeIn(keys []string) string {
	if len(keys) == 0 {
		return "document"
	}
	return fmt.Sprintf("value of %q", strings.Join(keys, "."))
}

// setServer keeps, with force, the settings that the entry does not have, such as what the server may do.
func setServer(object *hujson.Object, old *hujson.Value, name string, added *entry, force bool, indent string, depth int) error {
	raw, err := encoded(added, strings.Repeat(indent, depth+1), indent)
	if err != nil {
		return err
	}
	value, err := hujson.Parse(bytes.TrimSpace(raw))
	if err != nil || old == nil {
		appendMember(object, name, value, indent, depth)
		return err
	}
	if hasMembers(*old, value) {
		return nil
	}
	if !force {
		return errOtherServer(name)
	}
	into, isObject := old.Value.(*hujson.Object)
	if !isObject {
		old.Value = value.Value
		return nil
	}
	for _, m := range value.Value.(*hujson.Object).Members {
		key := m.Name.Value.(hujson.Literal).String()
		if v := find(into, key); v != nil {
			v.Value = m.Value.Value
		} else {
			appendMember(into, key, m.Value, indent, depth+1)
		}
	}
	return nil
}

func removeMembers(object *hujson.Object, name string) {
	comma := object.Members[len(object.Members)-1].Value.AfterExtra // nil without a comma
	for find(object, name) != nil {
		i := slices.IndexFunc(object.Members, func(m hujson.ObjectMember) bool { return m.Name.Value.(hujson.Literal).String() == name })
		next := &object.AfterExtra
		if i+1 < len(object.Members) {
			next = &object.Members[i+1].Name.BeforeExtra
		}
		comment, _, _ := bytes.Cut(object.Members[i].Name.BeforeExtra, []byte("\n")) // of the line before
		*next = append(bytes.Clone(comment), *next...)
		object.Members = slices.Delete(object.Members, i, i+1)
	}
	if n := len(object.Members); n > 0 {
		object.Members[n-1].Value.AfterExtra = comma
	}
}

// maxNesting is the limit of the parsers of JSON, TOML and YAML. Package hujson would overflow the stack.
const maxNesting = 10_000

func checkNesting(document []byte) error {
	depth := 0
	skip := func(rest []byte, end string) int { // the rest begins with what end ends
		_, after, _ := bytes.Cut(rest, []byte(end))
		return len(rest) - len(after) - 1
	}
	for i := 0; i < len(document); i++ {
		switch rest := document[i:]; {
		case rest[0] == '"':
			for i++; i < len(document) && document[i] != '"'; i++ {
				if document[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(rest, []byte("//")):
			i += skip(rest, "\n")
		case bytes.HasPrefix(rest, []byte("/*")):
			i += 1 + skip(rest[2:], "*/") + 1
		case rest[0] == '[' || rest[0] == '{':
			if depth++; depth > maxNesting {
				return fmt.Errorf("invalid JSON: more than %d levels", maxNesting)
			}
		case rest[0] == ']' || rest[0] == '}':
			depth--
		}
	}
	return nil
}

// find returns nil for none. Of members with the same name the last one counts, as it does for clients.
func find(o *hujson.Object, key string) *hujson.Value {
	for i := range slices.Backward(o.Members) {
		if name, ok := o.Members[i].Name.Value.(hujson.Literal); ok && name.String() == key {
			return &o.Members[i].Value
		}
	}
	return nil
}

func appendMember(o *hujson.Object, key string, value hujson.Value, indent string, depth int) *hujson.Value {
	value.BeforeExtra = hujson.Extra(" ")
	// Comments after the last member stay with it.
	before := slices.Concat(bytes.TrimRight(o.AfterExtra, " \t\r\n"), []byte("\n"+strings.Repeat(indent, depth+1)))
	if n := len(o.Members); n > 0 {
		if last := &o.Members[n-1].Value; last.AfterExtra != nil { // a comma is after the last member already
			value.AfterExtra, last.AfterExtra = hujson.Extra{}, nil
		}
	}
	o.AfterExtra = hujson.Extra("\n" + strings.Repeat(indent, depth))
	o.Members = append(o.Members, hujson.ObjectMember{Name: hujson.Value{BeforeExtra: before, Value: hujson.String(key)}, Value: value})
	return &o.Members[len(o.Members)-1].Value
}

func hasMembers(object, members hujson.Value) bool {
	var have, want map[string]any
	if !decode(object, &have) || !decode(members, &want) {
		return false
	}
	merged := map[string]any{}
	maps.Copy(merged, have)
	maps.Copy(merged, want)
	return have != nil && reflect.DeepEqual(have, merged)
}

func decode(v hujson.Value, into *map[string]any) bool {
	v = v.Clone()
	v.Standardize()
	return json.Unmarshal(v.Pack(), into) == nil
}

func indentOf(document []byte) string {
	for line := range bytes.Lines(document) {
		text := bytes.TrimLeft(line, " \t")
		if indent := line[:len(line)-len(text)]; len(indent) > 0 && len(text) > 0 && text[0] == '"' {
			return string(indent)
		}
	}
	return "  "
}

func nested(keys []string, value any) any {
	for _, k := range slices.Backward(keys) {
		value = map[string]any{k: value}
	}
	return value
}

const maxSettings = 64 << 20 // bytes of a file that install changes

// lockFile locks a file for this process, with a file beside it, until unlock is called.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil { // links to a file share its lock
		path = real
	}
	path = filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
	for {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() { // the opening of a pipe would wait
			return nil, fmt.Errorf("%s: not a regular file", path)
		}
		lock := flock.New(path)
		if _, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil {
			return nil, err
		}
		own, err := lock.Stat()
		if now, gone := os.Lstat(path); err == nil && gone == nil && os.SameFile(own, now) {
			return func() {
				err := os.Remove(path)
				_ = lock.Unlock()
				if err != nil { // Windows removes no open file
					_ = os.Remove(path)
				}
			}, nil
		}
		_ = lock.Unlock() // the process before has removed the file
	}
}

// changeFile leaves a copy, .bak, before its first change. It returns false if change changes nothing.
func changeFile(ctx context.Context, path string, change func(document []byte) ([]byte, error)) (changed bool, err error) {
	var before, after []byte
	isNew := false
	read := func() error {
		var err error
		before, err = regular.ReadFile(ctx, path, maxSettings)
		if isNew = errors.Is(err, fs.ErrNotExist); err != nil && !isNew {
			return err
		}
		if after, err = change(before); err != nil {
			return fmt.Errorf("cannot change %s: %w", path, err)
		}
		return nil
	}
	if err := read(); err != nil || bytes.Equal(before, after) {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, err
	}
	unlock, err := lockFile(ctx, path)
	if err != nil {
		return false, fmt.Errorf("cannot lock %s: %w", path, err)
	}
	defer unlock()
	if err := read(); err != nil || bytes.Equal(before, after) {
		return false, err
	}
	if !isNew && !exists(path+".bak") { // the first copy is the one without changes of ours
		if err := replace(path+".bak", before); err != nil {
			return false, fmt.Errorf("cannot change %s, because no copy of the file can be written: %w", path, err)
		}
	}
	return true, replace(path, after)
}
