// Package speccheck judges recorded sessions of the Model Context Protocol by
// the schema.json files of its specification.
//
// A session is a text. A line of "C> " or "S> " and a message is what the client
// or the server has sent; "C>q " and "S>q " have it as a Go string literal. A
// line of "---" begins another session. All other lines are ignored.
package speccheck

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

const (
	// latest is the revision of the handshake era by which a session is
	// judged before its initialize has agreed on one.
	latest = "2025-11-25"
	// stateless is the revision of messages that carry their own envelope.
	stateless = "2026-07-28"
)

// Variable is the environment variable that names the schemas' folder.
const Variable = "MCP_SCHEMA_DIR"

// Checker judges sessions. Any number of goroutines may use it.
type Checker struct {
	fsys fs.FS

	mu      sync.Mutex // protects the field below
	schemas map[string]*schema
}

// New returns a Checker with the schemas in fsys, each in a file with the name
// of its revision, such as 2025-11-25.json.
func New(fsys fs.FS) *Checker {
	return &Checker{fsys: fsys, schemas: map[string]*schema{}}
}

// FromEnvironment returns a Checker with the schemas in the folder that the
// environment [Variable] names.
func FromEnvironment() (*Checker, error) {
	dir := os.Getenv(Variable)
	if dir == "" {
		return nil, errors.New("set " + Variable + " to a folder with the specification's schema.json files, " +
			"each under the name of its revision, such as " + latest + ".json")
	}
	c := New(os.DirFS(dir))
	for _, revision := range []string{latest, stateless} {
		if _, err := c.schema(revision); err != nil {
			return nil, fmt.Errorf("%s: %w", Variable, err)
		}
	}
	return c, nil
}

// schema returns the schema of a revision, read at its first use.
func (c *Checker) schema(revision string) (*schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.schemas[revision]; s != nil {
		return s, nil
	}
	s, err := load(c.fsys, revision)
	if err != nil {
		return nil, err
	}
	c.schemas[revision] = s
	return s, nil
}
