package rpc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file has subscriptions to single resources. Each is a feed of its own, with one subscriber.

// maxResources is the maximum number of resources that a session, or one subscription, is
// subscribed to. The limit keeps the walk over s.lists in addResource short. The memory
// limits the bytes.
const maxResources = 1024

func (s *Dispatcher) addResources() []error {
	var errs []error
	for _, f := range s.config.Features {
		if f.Resources == nil {
			continue
		}
		if f.Resources.Subscribe == nil {
			//lint:ignore ST1005 it begins with the name of a field
			errs = append(errs, errors.New("Resources has no Subscribe"))
		}
		if s.resources != nil {
			errs = append(errs, errors.New("two features have Resources"))
		}
		s.resources = f.Resources
	}
	if s.resources == nil {
		return errs
	}
	for name, serve := range map[string]func(c *Call, dst []byte) ([]byte, *transport.Error){
		"resources/subscribe": s.subscribeResource, "resources/unsubscribe": unsubscribeResource,
	} {
		if s.methods[name] != nil {
			errs = append(errs, fmt.Errorf("method %q is defined twice", name))
		}
		s.methods[name] = &method{serve: serve, versions: stateful, inSession: true}
	}
	return errs
}

// listenTo returns a listener for one resource, or the application's error. ctx is that of
// the client. The feed is not shared with other clients, because the application decides for
// each client whether it may subscribe.
func (s *Dispatcher) listenTo(ctx context.Context, from feature.ClientID, uri string, courier *notify.Courier) (l listener, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = Panic((&named{noun: "uri", name: uri}).Subject(), v)
		}
	}()
	f := &feed{uri: uri, list: feature.List{Notification: "notifications/resources/updated"}}
	// Subscribe of the notifier calls this function at once, so err is set when it returns.
	f.notifier = notify.New(func(changed func()) (cancel func()) {
		if cancel, err = s.resources.Subscribe(ctx, from, uri, changed); err != nil {
			return func() {}
		}
		return cancel
	}, s.timeouts.Changes)
	l = listener{Subscriber: f.notifier.Subscribe(courier), feed: f}
	if err != nil {
		l.Unsubscribe()
	}
	return l, err
}

// listenToAll returns listeners for the resources of a subscription. Those that the client cannot
// subscribe to are left out (SUB-06). The acknowledgement lists the resources that are not left
// out, so an error needs no response of its own. The log gets what resources/subscribe logs.
func (s *Dispatcher) listenToAll(ctx context.Context, from feature.ClientID, uris []string, courier *notify.Courier) []listener {
	var all []listener
	seen := make(map[string]bool, len(uris))
	for _, uri := range uris {
		if ctx.Err() != nil {
			break // Subscribe may take time, and a client may cancel at any rate
		}
		if seen[uri] {
			continue
		}
		seen[uri] = true
		l, err := s.listenTo(ctx, from, uri, courier)
		if err == nil {
			all = append(all, l)
			continue
		}
		f, ok := err.(*Failure)
		if !ok && wire.ClientError(err) == nil {
			f = InternalFailure("uri", err)
		}
		if f != nil {
			w := work{runner: &named{noun: "uri", name: phrase.Clip(uri, phrase.MaxEcho)}}
			w.logFailure(ctx, s.engine, f)
		}
	}
	return all
}

// subscribeResource is the method resources/subscribe. The result is work, because Subscribe
// is the application's code: it may be slow, and it needs the context of the client.
func (s *Dispatcher) subscribeResource(c *Call, _ []byte) ([]byte, *transport.Error) {
	uri, err := resourceURI(c)
	if err != nil {
		return nil, err
	}
	// The subscription outlives the message, of which the URI is a part.
	uri = strings.Clone(uri)
	session, from, client := c.session, c.client(), c.from
	run := func(ctx context.Context, dst []byte) ([]byte, error) {
		if session == nil || session.isDetached {
			return append(dst, "{}"...), nil // the client gets no notifications
		}
		l, err := s.listenTo(ctx, from, uri, &session.courier)
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil { // the client gets no result
			l.Unsubscribe()
			return nil, context.Cause(ctx)
		}
		l.client = client
		if err := session.addResource(l); err != nil {
			return nil, &Failure{Client: err}
		}
		return append(dst, "{}"...), nil
	}
	c.work = workOf(call.Work{Runner: call.RunnerFunc(run), Noun: "uri", Name: uri}, "")
	return nil, nil
}

// unsubscribeResource is the method resources/unsubscribe. A resource that the
// client is not subscribed to is no error.
func unsubscribeResource(c *Call, dst []byte) ([]byte, *transport.Error) {
	uri, err := resourceURI(c)
	if err != nil {
		return nil, err
	}
	if c.session != nil {
		c.session.removeResource(uri)
	}
	return append(dst, "{}"...), nil
}

func resourceURI(c *Call) (string, *transport.Error) {
	p := c.Message.Params
	if err := wire.CheckCase(p, "uri", "_meta"); err != nil {
		return "", err
	}
	uri := p.Get("uri")
	if uri.Kind() != strictjson.String {
		return "", wire.WrongKind("uri", "params.uri", "a string", uri)
	}
	return uri.Text(), nil
}

// addResource makes the client hear of the changes of a resource. The check for a duplicate
// comes after Subscribe and under the lock: two requests for the same URI may run at once.
func (s *Session) addResource(l listener) *transport.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, other := range s.lists {
		if other.feed.uri == l.feed.uri {
			l.Unsubscribe() // it is subscribed to already
			return nil
		}
		if other.feed.uri != "" {
			n++
		}
	}
	switch {
	case s.isEnded:
		l.Unsubscribe()
		return errClosed
	case n >= maxResources:
		l.Unsubscribe()
		s.server.reachLimit(limitResources, l.client)
		return wire.InternalError(fmt.Sprintf("too many subscriptions to resources (limit %d); unsubscribe from some", maxResources))
	case !s.server.memory.count(&l.held, &s.held, l.client, resourceBytes+len(l.feed.uri)):
		l.Unsubscribe()
		return wire.Busy()
	}
	// Clip makes append copy: sendChanges may be reading the old slice without the lock.
	s.lists = append(slices.Clip(s.lists), l)
	return nil
}

func (s *Session) removeResource(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lists := slices.Clone(s.lists)
	s.lists = slices.DeleteFunc(lists, func(l listener) bool {
		if l.feed.uri != uri || uri == "" {
			return false
		}
		l.end(s.server.engine, &s.held)
		return true
	})
}
