// Package speccheck checks the messages of a prompts server in tests: against the
// schema.json files of the specification, and against rules of its text that no
// schema expresses.
//
// A [Checker] holds the schemas. A [Judge] checks the messages of one connection
// as they are sent, and [Checker.Session] those of a recorded connection.
//
// Comments name the rules by their ids in docs/ledger.md, such as GAP-13.
package speccheck

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

const (
	// batches is the only revision with batches.
	batches = "2025-03-26"
	// latest is the revision whose rules apply to a session until initialize has
	// negotiated a revision.
	latest = "2025-11-25"
	// stateless is the revision of messages with metadata in _meta.
	stateless = "2026-07-28"
)

// handshake contains the revisions that initialize can negotiate.
var handshake = []string{"2024-11-05", batches, "2025-06-18", latest}

// Variable is the environment variable that names the schemas' folder.
const Variable = "MCP_SCHEMA_DIR"

// Checker has the schemas of all revisions. Any number of goroutines may use
// it.
type Checker struct {
	schemas map[string]*schema
}

// New returns a Checker with the schemas in fsys, each in a file with the name
// of its revision, such as 2025-11-25.json. All of them must be there.
func New(fsys fs.FS) (*Checker, error) {
	c := &Checker{schemas: map[string]*schema{}}
	var faults []error
	for _, revision := range append([]string{stateless}, handshake...) {
		s, err := load(fsys, revision)
		if err != nil {
			faults = append(faults, err)
		}
		c.schemas[revision] = s
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return c, nil
}

// FromEnvironment returns a Checker with the schemas in the folder that the
// environment [Variable] names.
func FromEnvironment() (*Checker, error) {
	dir := os.Getenv(Variable)
	if dir == "" {
		return nil, errors.New("set " + Variable + " to a folder with the specification's schema.json files, " +
			"each under the name of its revision, such as " + latest + ".json")
	}
	c, err := New(os.DirFS(dir))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Variable, err)
	}
	return c, nil
}
