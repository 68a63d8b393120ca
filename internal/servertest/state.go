package servertest

import (
	"reflect"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/transport"
)

// This file reads private fields of the root package by reflection, so that the root has no
// function that only tests call.

func dispatcher(s *prompts.Server) *rpc.Dispatcher {
	return (*rpc.Dispatcher)(reflect.ValueOf(s).Elem().FieldByName("rpc").UnsafePointer())
}

// Tasks is the number of requests that have entered the server.
func Tasks(s *prompts.Server) int { return dispatcher(s).InUse()["tasks"] }

// Slots is the number of requests that run in the server.
func Slots(s *prompts.Server) int { return dispatcher(s).InUse()["slots"] }

// SessionTasks is the number of requests that have entered the session.
func SessionTasks(s transport.Session) int { return s.(*rpc.Session).InUse()["tasks"] }

// Subscribers is the number of functions that a registry calls after a change.
func Subscribers(r *prompts.Registry) int {
	return (*notify.Listeners[struct{}])(reflect.ValueOf(r).Elem().FieldByName("subscribers").Addr().UnsafePointer()).Len()
}

// Leftovers is what the server has of its connections. Once they have ended it is empty.
func Leftovers(s *prompts.Server) map[string]int {
	left := dispatcher(s).InUse()
	delete(left, "listeners") // sessions, which the subscribers stand for
	registry := (*prompts.Registry)(reflect.ValueOf(s).Elem().FieldByName("registry").UnsafePointer())
	if n := Subscribers(registry); n > 0 {
		left["subscribers"] = n
	}
	return left
}

// SessionLeftovers is what the session has of its requests. Once they have ended it is empty.
func SessionLeftovers(s transport.Session) map[string]int {
	left := s.(*rpc.Session).InUse()
	delete(left, "tasks")
	delete(left, "slots")
	return left
}

// Filled is the server's options with the defaults.
func Filled(s *prompts.Server) prompts.Options {
	return *(*prompts.Options)(reflect.ValueOf(s).Elem().FieldByName("options").Addr().UnsafePointer())
}

// Signals returns a channel of one element, which receives a signal for each change that comes
// when the channel is empty, until cancel is called.
func Signals(onChange func(changed func()) (cancel func())) (changed <-chan struct{}, cancel func()) {
	signals := make(chan struct{}, 1)
	return signals, onChange(func() {
		select {
		case signals <- struct{}{}:
		default:
		}
	})
}
