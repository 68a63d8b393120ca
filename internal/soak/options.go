package main

import "time"

// options configure a soak.
type options struct {
	length  time.Duration
	seed    uint64
	clients int
	// patience is how long anything may take that has to happen. Default: 20
	// seconds.
	patience time.Duration
	// fault is what the server does wrong on purpose, once. Default: nothing.
	fault fault
	// release, if not nil, ends the goroutine that a fault has left.
	release <-chan struct{}
}

const defaultPatience = 20 * time.Second

// The limits of the server. They are low enough to be reached, and times are
// longer than a busy machine stops the process for.
const (
	renderTimeout  = 5 * time.Second
	sessionTimeout = 5 * time.Second
	readTimeout    = 5 * time.Second
	writeTimeout   = 5 * time.Second
	mostStreams    = 2000
	mostOfClient   = 64
	mostBytes      = 1 << 20
	completionRate = 150
	pageSize       = 50
)
