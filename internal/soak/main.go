// Command soak drives a server of prompts with clients of all kinds for a
// while, and checks every answer:
//
//	go run ./internal/soak -for 60s -seed 1 [-clients 16]
//
// The server is one, and is reached over streams of bytes, as over standard
// input and output, and over Streamable HTTP on a loopback address. Good clients
// of every revision know what each answer has to be. Bad ones know how each
// mistake is refused. Ugly ones check nothing, and must cost the others nothing.
// What a client does is decided by the seed and its number; when it does so, is
// not.
//
// It prints how many requests there were and how they were answered, how long
// the good clients have waited, and goroutines and heap over time. It fails if
// an answer was wrong or missing, if anything was left at the end, and if the
// heap grows steadily. If the environment variable MCP_SCHEMA_DIR is set, what
// some of the connections carry is judged by the specification's schemas, too.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	var o options
	flag.DurationVar(&o.length, "for", time.Minute, "how long clients are at work")
	flag.Uint64Var(&o.seed, "seed", 1, "what the clients' decisions come from")
	flag.IntVar(&o.clients, "clients", len(kinds), "how many clients there are")
	flag.Parse()
	if flag.NArg() > 0 || o.clients < 1 || o.length <= 0 {
		flag.Usage()
		os.Exit(2)
	}
	r, err := soak(o, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
	if err != nil || r.faults() > 0 {
		os.Exit(1)
	}
}
