package main

import (
	"bytes"
	"context"
	"sync/atomic"

	"github.com/mcp-prompts/prompts"
)

// fault is what the server does wrong on purpose, once, so that a test can see
// it found.
type fault int

const (
	faultNone fault = iota
	faultWrong
	faultMissing
	faultDuplicate
	faultLeak
)

// faulty is a Transport with a fault in the first answer that has the text of
// a prompt that stays.
type faulty struct {
	prompts.Transport
	fault   fault
	done    *atomic.Bool
	release <-chan struct{}
}

var textThatStays = []byte(`"text":"stay-`)

func (f *faulty) Write(ctx context.Context, msg []byte) error {
	if f.fault == faultNone || !bytes.Contains(msg, textThatStays) || f.done.Swap(true) {
		return f.Transport.Write(ctx, msg)
	}
	switch f.fault {
	case faultWrong:
		msg = bytes.Replace(msg, textThatStays, []byte(`"text":"stray-`), 1)
	case faultMissing:
		return nil
	case faultDuplicate:
		if err := f.Transport.Write(ctx, msg); err != nil {
			return err
		}
	case faultLeak:
		go func() { <-f.release }() // ends with the test
	}
	return f.Transport.Write(ctx, msg)
}
