// Command cmd judges recorded sessions by the specification's schemas:
//
//	go run ./internal/speccheck/cmd [-server] SESSION…
//
// The schemas are in the folder that the environment variable MCP_SCHEMA_DIR
// names. It exits with 1 if a message is at fault.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/mcp-prompts/prompts/internal/speccheck"
)

func main() {
	var o speccheck.Options
	flag.BoolVar(&o.ServerOnly, "server", false, "judge only the server's messages")
	flag.Parse()

	checker, err := speccheck.FromEnvironment()
	if err != nil {
		fmt.Fprintln(os.Stderr, "speccheck:", err)
		os.Exit(2)
	}
	faults := 0
	for _, name := range flag.Args() {
		report, err := checkFile(checker, name, o)
		if err != nil {
			fmt.Fprintf(os.Stderr, "speccheck: %s: %v\n", name, err)
			os.Exit(2)
		}
		for _, fault := range report.Faults {
			fmt.Printf("%s: %v\n", name, fault)
		}
		fmt.Printf("%s: %d messages, %d at fault\n", name, report.Messages, len(report.Faults))
		faults += len(report.Faults)
	}
	if faults > 0 {
		os.Exit(1)
	}
}

func checkFile(c *speccheck.Checker, name string, o speccheck.Options) (speccheck.Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return speccheck.Report{}, err
	}
	defer f.Close()
	return c.Session(f, o)
}
