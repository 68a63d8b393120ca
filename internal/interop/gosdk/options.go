package main

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
)

// options are the command line.
type options struct {
	config  config
	url     string   // of the server; or
	command []string // what starts it
	version string   // to offer in the handshake; empty: probe for the newest
	expect  string   // the version that must come out
	skip    []string // checks not to run
}

func parseOptions(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("gosdk", flag.ContinueOnError)
	flags.Func("config", "`file` that says what the server must offer", func(name string) error {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return json.Unmarshal(text, &o.config)
	})
	flags.StringVar(&o.url, "url", "", "`URL` of the server; otherwise the arguments start it")
	flags.StringVar(&o.version, "protocol-version", "", "`version` to offer in the handshake, instead of probing")
	flags.StringVar(&o.expect, "expect-version", "", "`version` that must come out")
	flags.Func("skip", "`checks` not to run, separated by commas", func(names string) error {
		o.skip = append(o.skip, strings.Split(names, ",")...)
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.command = flags.Args()
	if (o.url == "") == (len(o.command) == 0) {
		return o, errors.New("one of -url and the command of a server is needed")
	}
	return o, nil
}

// target is the server, for people to read.
func (o options) target() string {
	if o.url != "" {
		return o.url
	}
	return strings.Join(o.command, " ")
}
