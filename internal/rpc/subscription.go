package rpc

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// MethodListen is the method of a subscription: a stateless request that is
// answered when the subscription ends.
const MethodListen = "subscriptions/listen"

// noID is the id of a Call without an id, in the notifications of its subscription.
const noID = "0"

// protocolFilters are the boolean members of notifications that the protocol
// defines, whether a feature has them or not.
var protocolFilters = []string{"promptsListChanged", "toolsListChanged", "resourcesListChanged"}

const uriFilter = "resourceSubscriptions"

// listen is the method subscriptions/listen. listen only checks and notes the filter.
// newSubscription makes the job, which lasts as long as the client listens.
func (s *Dispatcher) listen(c *Call, _ []byte) ([]byte, *transport.Error) {
	p := c.Message.Params
	if err := wire.CheckCase(p, "notifications", "_meta"); err != nil {
		return nil, err
	}
	wanted := p.Get("notifications")
	if wanted.Kind() != strictjson.Object {
		return nil, wire.WrongKind("notifications", "params.notifications", "an object", wanted)
	}
	if err := s.checkFilter(wanted); err != nil {
		return nil, err
	}
	// What no feature has is left out of the acknowledgement (SUB-06).
	f := &filter{from: c.client()}
	for _, feed := range s.feeds {
		if wanted.Get(feed.list.Filter).Raw() == "true" {
			f.feeds = append(f.feeds, feed)
		}
	}
	if s.resources != nil {
		for uri := range wanted.Get(uriFilter).Elements() {
			if len(f.uris) == maxResources {
				return nil, wire.InvalidParam("notifications", "notifications: %q must not have more than %d elements", uriFilter, maxResources)
			}
			f.uris = append(f.uris, strings.Clone(uri.Text()))
		}
	}
	c.subscribe = f
	return nil, nil
}

// checkFilter returns an error for the first member of notifications that is in the wrong
// case or of the wrong type. Other unknown members are ignored: a newer client may know more
// lists. A known name in the wrong case is a mistake that the client would never notice.
func (s *Dispatcher) checkFilter(notifications strictjson.Value) *transport.Error {
	known := append([]string{uriFilter}, protocolFilters...)
	for _, f := range s.feeds {
		if !slices.Contains(known, f.list.Filter) {
			known = append(known, f.list.Filter)
		}
	}
	for name := range notifications.Members() {
		if k := wire.InOtherCase(name, known...); k != "" {
			return wire.InvalidParam("notifications", "unknown member %q of params.notifications: member names are case-sensitive, use %q", phrase.Clip(name, phrase.MaxEcho), k)
		}
	}
	// The first is uriFilter, which is no boolean.
	for _, name := range known[1:] {
		switch v := notifications.Get(name); v.Kind() {
		case strictjson.Invalid, strictjson.Null, strictjson.Bool:
		default:
			return wire.WrongKind("notifications", fmt.Sprintf("params.notifications[%q]", name), "a boolean", v)
		}
	}
	if !isStrings(notifications.Get(uriFilter)) {
		return wire.InvalidParam("notifications", "params.notifications[%q] must be an array of strings", uriFilter)
	}
	return nil
}

func isStrings(v strictjson.Value) bool {
	switch v.Kind() {
	case strictjson.Invalid, strictjson.Null:
		return true
	case strictjson.Array:
		for element := range v.Elements() {
			if element.Kind() != strictjson.String {
				return false
			}
		}
		return true
	}
	return false
}

// subscription is a pending subscriptions/listen. The goroutine that calls run owns the
// subscription: that of the HTTP request, or a worker of the connection. run ends when the client
// cancels, the context ends, Exchange.Done is closed or a send fails.
type subscription struct {
	pending
	server   *Dispatcher
	rev      revision.Revision
	filter   *filter
	over     <-chan struct{} // Exchange.Done
	held     holding         // for its resources
	released atomic.Bool     // for all limits
}

func (s *Dispatcher) newSubscription(ctx context.Context, c *Call, x *exchange) (job, *transport.Error) {
	m := &c.Message
	// A subscription may last for days, and must not keep its message in memory.
	m.Detach()
	l := &subscription{rev: c.Rev, filter: c.subscribe, over: x.Done}
	l.server, l.engine, l.session, l.id, l.key, l.exchange = s, s.engine, c.session, cmp.Or(m.ID, noID), m.Key, x.recipient()
	if x.observed != nil {
		l.observed = new(telemetry.Request)
		l.observed.Start(x.observed, x.Informer)
	}
	if c.session != nil {
		l.unanswered = &c.session.subscriptions
	}
	l.ctx.parent = ctx
	err := l.acquire()
	if err == nil {
		if err = l.begin(l); err != nil {
			l.release()
		}
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// acquire counts the subscription for the limits. It returns an error at capacity. The limit
// of the session comes first, so that a client at its own limit uses up nothing of the
// server. The client can act on that error alone: the others say that the server is busy.
func (l *subscription) acquire() *transport.Error {
	if l.session != nil && !l.session.subscribed.TryAcquire("", 1) {
		l.engine.reachLimit(limitSubscriptions, l.exchange.Client)
		return wire.InternalError(fmt.Sprintf("too many subscriptions on this connection (limit %d)", l.engine.limits.Subscriptions))
	}
	if !l.server.subscriptions.TryAcquire("", 1) {
		l.engine.reachLimit(limitSubscriptions, l.exchange.Client)
		if l.session != nil {
			l.session.subscribed.Release("", 1)
		}
		return wire.Busy()
	}
	if n := l.filter.bytes(); n > 0 && !l.server.memory.count(&l.held, l.session.share(), l.exchange.Client, n) {
		l.release()
		return wire.Busy()
	}
	return nil
}

func (l *subscription) release() {
	if !l.released.CompareAndSwap(false, true) {
		return
	}
	l.server.memory.release(&l.held, l.session.share(), l.exchange.Client)
	l.server.subscriptions.Release("", 1)
	if l.session != nil {
		l.session.subscribed.Release("", 1)
	}
}

func (l *subscription) isSubscription() bool { return true }

// discard is that of an inFlight. It releases the subscription at once, so that the client can open
// another. If a slow client blocks a write, the subscription is released when the write returns.
func (l *subscription) discard(cause error) {
	l.pending.discard(cause)
	if l.sending.TryLock() {
		defer l.sending.Unlock()
		l.release()
	}
}

func (l *subscription) logAttr() slog.Attr { return slog.String("method", MethodListen) }

// run acknowledges the subscription and sends notifications of changes until
// the client cancels it, its context ends, or the server ends it.
func (l *subscription) run() error {
	defer l.release()
	defer l.ctx.cancel(ErrAnswered)
	// Before the acknowledgement, after which no change may be missed.
	courier := new(notify.Courier)
	lists := append(subscribe(l.filter.feeds, courier), l.server.listenToAll(&l.ctx, l.filter.from, l.filter.uris, courier)...)
	for _, list := range lists {
		defer list.Unsubscribe()
	}
	meta := []byte(`{"_meta":{"` + wire.SubscriptionKey + `":` + l.id + `}}`)
	if err := l.acknowledge(meta, lists); err != nil {
		return l.abort(err)
	}
	if len(lists) == 0 {
		return l.end() // there is nothing to wait for (GAP-25)
	}
	failed := make(chan error, 1)
	courier.Start(func() error { return l.sendChanges(lists, meta, false) }, func(err error) { failed <- err })
	courier.Deliver() // what was signaled before
	select {
	case err := <-failed:
		return l.abort(err)
	case <-l.over:
	case <-l.ctx.Done():
	}
	courier.Stop()
	// What has changed is sent before the result, even if the pause that ends a burst is not
	// over: there is no later notification.
	for l.ctx.Err() == nil && slices.ContainsFunc(lists, func(list listener) bool { return list.Pending() }) {
		if err := l.sendChanges(lists, meta, true); err != nil {
			return l.abort(err)
		}
	}
	if l.ctx.Err() != nil {
		return l.abort(nil)
	}
	return l.end()
}

// sendChanges sends the notifications that are due, or all of changes that the client does
// not know.
func (l *subscription) sendChanges(lists []listener, meta []byte, all bool) (err error) {
	err = ErrNoReturn // if the transport panics or ends its goroutine
	defer l.server.recoverPanic()
	for i := range lists {
		list := &lists[i]
		if l.ctx.Err() != nil {
			break
		}
		if !list.Signaled() && !all {
			continue
		}
		err := list.Send(func() error { return l.notify(list.feed.list.Notification, list.feed.params(meta), list) })
		if err != nil {
			return err
		}
	}
	return nil
}

// acknowledge sends the client the list of changes that it will be notified of. The
// acknowledgement comes before any other notification of the subscription, and lists what the
// server honors, not what the client has asked for (SUB-06).
func (l *subscription) acknowledge(meta []byte, lists []listener) error {
	var accepted, uris []byte
	for _, list := range lists {
		if uri := list.feed.uri; uri != "" {
			uris = append(strictjson.AppendString(uris, uri), ',')
			continue
		}
		accepted = strictjson.AppendString(accepted, list.feed.list.Filter)
		accepted = append(accepted, ":true,"...)
	}
	if uris != nil {
		accepted = fmt.Appendf(accepted, "%q:[%s],", uriFilter, uris[:len(uris)-1])
	}
	accepted = bytes.TrimSuffix(accepted, []byte(","))
	params := fmt.Appendf(nil, `%s,"notifications":{%s}}`, meta[:len(meta)-1], accepted)
	return l.notify("notifications/subscriptions/acknowledged", params, nil)
}

// list is the one that has changed, if any.
func (l *subscription) notify(method string, params []byte, list *listener) error {
	buf := wire.GetBuffer()
	defer wire.PutBuffer(buf)
	*buf = wire.AppendNotification(*buf, method, params)
	var o *telemetry.Operation
	if list != nil {
		o = l.server.startChange(&l.ctx, l.session, l.observed.Connection(), list, len(*buf))
	} else {
		o = l.server.startSent(&l.ctx, observe.KindClientNotification, method, l.session, l.observed.Connection(), len(*buf))
	}
	o.SetVersion(l.rev)
	err := l.emit(*buf)
	o.End(err)
	return err
}

// end responds to the subscription: the server has ended it (SUB-11).
func (l *subscription) end() error {
	if !l.finish() {
		return l.whyCompleted(l.logAttr)
	}
	result := append(wire.AppendResultHead(nil, l.id), "{"+wire.CompleteResult+`,"_meta":{`...)
	result = append(result, l.server.serverInfo...)
	result = append(result, `,"`+wire.SubscriptionKey+`":`+l.id+`}}}`...)
	l.release()
	if l.session == nil || !l.session.isStream {
		return l.respond(wire.Response{Msg: result})
	}
	// On a stream that continues after the response, one page of the specification
	// also requires this notification (GAP-24).
	return l.respond(wire.Response{Msg: result},
		wire.AppendNotification(nil, "notifications/cancelled", []byte(`{"requestId":`+l.id+`}`)))
}

func (l *subscription) abort(err error) error {
	if !l.finish() {
		return l.whyCompleted(l.logAttr)
	}
	l.done()
	if err == nil {
		err = context.Cause(&l.ctx)
	}
	return err
}
