package main

import (
	"runtime"
	"time"
)

// circumstances are those of the measurements.
type circumstances struct {
	machine  string
	goes     string // version of Go
	ours     string // commit
	versions map[string]string
	date     string
	count    int
	time     time.Duration
	isQuick  bool
	note     string
}

// modules are the libraries' modules.
var modules = map[string]string{
	"go-sdk": "github.com/modelcontextprotocol/go-sdk",
	"mcp-go": "github.com/mark3labs/mcp-go",
}

func describe(m *measurements, o options) (circumstances, error) {
	c := circumstances{
		machine:  m.machine,
		date:     time.Now().UTC().Format(time.DateOnly),
		count:    m.count,
		time:     o.benchTime,
		isQuick:  o.quick,
		versions: map[string]string{},
		note:     o.note,
	}
	if c.machine == "" {
		c.machine = runtime.GOARCH
	}
	var err error
	if c.goes, err = output("go", "env", "GOVERSION"); err != nil {
		return c, err
	}
	if c.ours, err = output("git", "describe", "--always", "--dirty", "--exclude=*"); err != nil {
		return c, err
	}
	for library, module := range modules {
		if c.versions[library], err = output("go", "list", "-m", "-f", "{{.Version}}", module); err != nil {
			return c, err
		}
	}
	return c, nil
}
