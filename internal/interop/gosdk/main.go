// Command gosdk aims the client of the official Go SDK at a prompts server and
// checks what comes back.
//
// Without --protocol-version the client probes for the newest revision with
// server/discover, and falls back to the handshake; with it, it goes straight
// to the handshake.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

// timeout is how long all checks together may take.
const timeout = time.Minute

func main() {
	o, err := parseOptions(os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "gosdk:", err)
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	d := &driver{report: newReport(os.Stdout, "gosdk", o.skip), options: o, config: o.config}
	d.run(ctx)
	os.Exit(d.finish(o.target()))
}
