package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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

// addToJSON returns a JSON document with a value at the keys, which name objects within
// one another. Comments, the order and the white space of the document stay, and new lines
// end as its lines do. An empty document becomes an object.
func addToJSON(document []byte, keys []string, value any, force bool) ([]byte, error) {
	if text, ok := bytes.CutPrefix(document, []byte("\ufeff")); ok { // of an editor on Windows
		after, err := addToJSON(text, keys, value, force)
		if err != nil {
			return nil, err
		}
		return append([]byte("\ufeff"), after...), nil
	}
	if len(bytes.TrimSpace(document)) == 0 {
		document = []byte("{}\n")
	}
	if n := bytes.Count(document, []byte("\r\n")); n > 0 && n == bytes.Count(document, []byte("\n")) {
		after, err := addToJSON(bytes.ReplaceAll(document, []byte("\r\n"), []byte("\n")), keys, value, force)
		return bytes.ReplaceAll(after, []byte("\n"), []byte("\r\n")), err
	}
	if err := checkNesting(document); err != nil {
		return nil, err
	}
	tree, err := hujson.Parse(document)
	if err != nil {
		return nil, fmt.Errorf("invalid JSON: %w", err)
	}
	indent := indentOf(document)
	at := &tree
	for depth, key := range keys[:len(keys)-1] {
		object, err := objectAt(at, keys[:depth])
		if err != nil {
			return nil, err
		}
		next := find(object, key)
		if next == nil {
			next = appendMember(object, key, hujson.Value{Value: new(hujson.Object)}, indent, depth)
		}
		at = next
	}
	depth := len(keys) - 1
	object, err := objectAt(at, keys[:depth])
	if err != nil {
		return nil, err
	}
	added, err := valueOf(value, indent, depth+1)
	if err != nil {
		return nil, err
	}
	if old := find(object, keys[depth]); old != nil {
		if hasMembers(*old, added) {
			return document, nil
		}
		if !force {
			return nil, fmt.Errorf("server %q exists with other settings; choose another name with --name, or replace the settings with --force", keys[depth])
		}
		merge(old, added, indent, depth+1)
	} else {
		appendMember(object, keys[depth], added, indent, depth)
	}
	return tree.Pack(), nil
}

// removeFromJSON returns a JSON document without the member at the keys, as [addToJSON] adds it.
func removeFromJSON(document []byte, keys []string) ([]byte, error) {
	if len(bytes.TrimSpace(document)) == 0 {
		return document, nil
	}
	text, hasMark := bytes.CutPrefix(document, []byte("\ufeff"))
	if err := checkNesting(text); err != nil {
		return nil, err
	}
	tree, err := hujson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("invalid JSON: %w", err)
	}
	at := &tree
	for depth, key := range keys[:len(keys)-1] {
		object, err := objectAt(at, keys[:depth])
		if err != nil {
			return nil, err
		}
		if at = find(object, key); at == nil {
			return document, nil
		}
	}
	object, err := objectAt(at, keys[:len(keys)-1])
	if err != nil {
		return nil, err
	}
	n := len(object.Members)
	if n == 0 || find(object, keys[len(keys)-1]) == nil {
		return document, nil
	}
	last := object.Members[n-1].Value.AfterExtra // nil without a comma
	for k := n - 1; k >= 0; k-- {
		m := object.Members[k]
		if name, ok := m.Name.Value.(hujson.Literal); !ok || name.String() != keys[len(keys)-1] {
			continue
		}
		next := &object.AfterExtra
		if k+1 < len(object.Members) {
			next = &object.Members[k+1].Name.BeforeExtra
		}
		comment, _, _ := bytes.Cut(m.Name.BeforeExtra, []byte("\n")) // of the line before
		*next = append(bytes.Clone(comment), *next...)
		object.Members = slices.Delete(object.Members, k, k+1)
	}
	if n = len(object.Members); n > 0 {
		object.Members[n-1].Value.AfterExtra = last
	}
	after := tree.Pack()
	if hasMark {
		after = append([]byte("\ufeff"), after...)
	}
	return after, nil
}

// maxNesting is how deep a document may nest: the limit of the parsers of JSON, TOML and
// YAML. Package hujson does not have that limit, and an overflow of the stack would end the
// program.
const maxNesting = 10_000

// checkNesting returns an error for a document, which may have comments, that nests too deep.
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

// objectAt returns the object of a value.
func objectAt(v *hujson.Value, path []string) (*hujson.Object, error) {
	if o, ok := v.Value.(*hujson.Object); ok {
		return o, nil
	}
	place := "document"
	if len(path) > 0 {
		place = fmt.Sprintf("value of %q", strings.Join(path, "."))
	}
	return nil, fmt.Errorf("%s must be an object", place)
}

// find returns the value of a member, or nil. Of members with the same name the last
// one counts, as it does for clients.
func find(o *hujson.Object, key string) *hujson.Value {
	for i := range slices.Backward(o.Members) {
		if name, ok := o.Members[i].Name.Value.(hujson.Literal); ok && name.String() == key {
			return &o.Members[i].Value
		}
	}
	return nil
}

// merge sets the members of value in old, and keeps the others, such as those that say
// what the server is allowed to do.
func merge(old *hujson.Value, value hujson.Value, indent string, depth int) {
	into, isObject := old.Value.(*hujson.Object)
	if !isObject {
		old.Value = value.Value
		return
	}
	for _, m := range value.Value.(*hujson.Object).Members {
		key := m.Name.Value.(hujson.Literal).String()
		if v := find(into, key); v != nil {
			v.Value = m.Value.Value
		} else {
			appendMember(into, key, m.Value, indent, depth)
		}
	}
}

// appendMember adds a member to an object at a depth, on a line of its own.
func appendMember(o *hujson.Object, key string, value hujson.Value, indent string, depth int) *hujson.Value {
	line := hujson.Extra("\n" + strings.Repeat(indent, depth+1))
	value.BeforeExtra = hujson.Extra(" ")
	member := hujson.ObjectMember{Name: hujson.Value{BeforeExtra: line, Value: hujson.String(key)}, Value: value}
	end := hujson.Extra("\n" + strings.Repeat(indent, depth))
	if n := len(o.Members); n > 0 {
		last := &o.Members[n-1].Value
		if last.AfterExtra != nil { // a comma is after the last member already
			member.Value.AfterExtra = hujson.Extra{}
		}
		// Comments after the last member stay with it.
		if comment := bytes.TrimRight(o.AfterExtra, " \t\r\n"); len(comment) > 0 {
			member.Name.BeforeExtra = append(append(hujson.Extra{}, comment...), line...)
		}
		last.AfterExtra = nil
	} else if comment := bytes.TrimRight(o.AfterExtra, " \t\r\n"); len(comment) > 0 {
		member.Name.BeforeExtra = append(append(hujson.Extra{}, comment...), line...)
	}
	o.AfterExtra = end
	o.Members = append(o.Members, member)
	return &o.Members[len(o.Members)-1].Value
}

// valueOf returns a value with the indentation of a depth.
func valueOf(value any, indent string, depth int) (hujson.Value, error) {
	raw, err := encoded(value, strings.Repeat(indent, depth), indent)
	if err != nil {
		return hujson.Value{}, err
	}
	return hujson.Parse(bytes.TrimSpace(raw))
}

// hasMembers reports whether an object has the members of another one, with the same
// values.
func hasMembers(object, members hujson.Value) bool {
	var have, want map[string]any
	if !decode(object, &have) || !decode(members, &want) {
		return false
	}
	for key, value := range want {
		if !reflect.DeepEqual(have[key], value) {
			return false
		}
	}
	return true
}

func decode(v hujson.Value, into *map[string]any) bool {
	v = v.Clone()
	v.Standardize()
	return json.Unmarshal(v.Pack(), into) == nil
}

// indentOf returns the indentation of the first level of a document. Default: two
// spaces.
func indentOf(document []byte) string {
	for line := range bytes.Lines(document) {
		text := bytes.TrimLeft(line, " \t")
		if indent := line[:len(line)-len(text)]; len(indent) > 0 && len(text) > 0 && text[0] == '"' {
			return string(indent)
		}
	}
	return "  "
}

// nested returns an object with the value at the keys.
func nested(keys []string, value any) any {
	for _, k := range slices.Backward(keys) {
		value = map[string]any{k: value}
	}
	return value
}

// maxSettings is the size of the largest file that install changes.
const maxSettings = 64 << 20

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

// changeFile changes a JSON or YAML file, with comments or without. Before its first change of a file, it
// leaves a copy in a file that ends in .bak. It returns false if change changes nothing.
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
