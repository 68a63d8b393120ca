package prompttest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// CheckObserver tests an implementation of [observe.Observer]. Servers of all protocol
// versions call the observer at the same time, with operations of each kind and
// outcome. It reports through t.Errorf:
//
//   - a call that panics, ends its goroutine, or does not return within 10 seconds;
//   - a context of Begin that is nil, lacks the values of the context before, or does
//     not end with the context before.
//
// With go test -race, it also finds an observer that is not safe for concurrent use.
func CheckObserver(t testing.TB, o observe.Observer) {
	t.Helper()
	notNil(t, "observer", o)
	checked := &checkedObserver{t: t, observer: o}
	var all sync.WaitGroup
	for _, version := range Versions() {
		for range 2 {
			all.Go(func() { checked.drive(version) })
		}
	}
	all.Wait()
	for _, problem := range checked.problems {
		t.Errorf("prompttest: observer: %s", problem)
	}
}

// observerTimeout is how long a call of an observer may take.
const observerTimeout = 10 * time.Second

type checkedObserver struct {
	t        testing.TB
	observer observe.Observer

	mu       sync.Mutex // protects the field below
	problems []string   // each once
}

// began is in the context that a checkedObserver gives to Begin.
type began struct{ cancel context.CancelFunc }

type beganKey struct{}

func (c *checkedObserver) report(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if problem := fmt.Sprintf(format, args...); !slices.Contains(c.problems, problem) {
		c.problems = append(c.problems, problem)
	}
}

// patience returns how long to wait for the observer. After an error, a check must not
// take so long for each operation.
func (c *checkedObserver) patience() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return observerTimeout / time.Duration(1+50*min(len(c.problems), 1))
}

func (c *checkedObserver) Begin(ctx context.Context, op observe.Operation) context.Context {
	b := new(began)
	given, cancel := context.WithCancel(context.WithValue(ctx, beganKey{}, b))
	b.cancel = cancel
	var got context.Context
	if !c.call("Begin", op, func() { got = c.observer.Begin(given, op) }) {
		return given
	}
	switch {
	case got == nil:
		c.report("Begin of a %s returns nil; return ctx or a context made from ctx", op.Kind)
	case got.Value(beganKey{}) != b:
		c.report("context that Begin of a %s returns lacks the values of ctx; return ctx or a context made from ctx", op.Kind)
	default:
		return got
	}
	return given
}

func (c *checkedObserver) End(ctx context.Context, op observe.Operation, out observe.Outcome) {
	c.call("End", op, func() { c.observer.End(ctx, op, out) })
	ctx.Value(beganKey{}).(*began).cancel()
	select {
	case <-ctx.Done():
	case <-time.After(c.patience()):
		c.report("context that Begin of a %s returns does not end with ctx; return ctx or a context made from ctx", op.Kind)
	}
}

// call calls f on a goroutine that f may block or end, and reports whether f has returned.
func (c *checkedObserver) call(method string, op observe.Operation, f func()) bool {
	result := make(chan bool, 1)
	go func() {
		hasReturned := false
		defer func() {
			if v := recover(); v != nil {
				c.report("%s of a %s panics: %v\n%s", method, op.Kind, v, debug.Stack())
			} else if !hasReturned {
				c.report("%s of a %s ends its goroutine", method, op.Kind)
			}
			result <- hasReturned
		}()
		f()
		hasReturned = true
	}()
	select {
	case hasReturned := <-result:
		return hasReturned
	case <-time.After(c.patience()):
		c.report("%s of a %s does not return within %s", method, op.Kind, observerTimeout)
		return false
	}
}

func (c *checkedObserver) drive(version string) {
	p, _ := protocolOf(version)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	running, proceed := make(chan struct{}), make(chan struct{})
	reg := observedRegistry(running, proceed)
	srv := prompts.MustNewServer(reg, prompts.Options{
		Observer: c, Logger: slog.New(slog.DiscardHandler), Timeouts: prompts.Timeouts{Render: time.Minute},
	})
	message := func(id, method, members string) string {
		if p.Stateless() {
			members += `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + version + `","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
		}
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"x":0` + members + `}}`
	}
	session := srv.NewSession(transport.SessionOptions{ID: "secret"})
	var handle func(msg string)
	x := transport.Exchange{Informer: c, Send: func(msg []byte, _ transport.Code, last bool) error {
		if id := askedID.FindSubmatch(msg); id != nil && !last {
			go handle(`{"jsonrpc":"2.0","id":` + string(id[1]) + `,"result":{"action":"accept","content":{}}}`)
		}
		return nil
	}}
	handle = func(msg string) { _ = session.Handle(ctx, []byte(msg), x) }
	if !p.Stateless() {
		handle(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version +
			`","capabilities":{"elicitation":{}},"clientInfo":{"name":"prompttest","version":"1"}}}`)
		handle(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	for _, name := range []string{"result", "question", "error", "panic", "unknown"} {
		handle(message("1", "prompts/get", `,"name":"`+name+`"`))
	}
	for _, method := range []string{"prompts/list", "ping", "server/discover", "invented"} {
		handle(message(`"a"`, method, ""))
	}
	handle(`{`)
	var all sync.WaitGroup
	all.Go(func() { handle(message("2", "prompts/get", `,"name":"wait"`)) })
	<-running
	handle(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	close(proceed)
	all.Wait()
	c.listen(ctx, reg, session, message)
	session.Close()
	_ = srv.Flush(ctx)
}

func (c *checkedObserver) listen(ctx context.Context, reg *prompts.Registry, session transport.Session, message func(id, method, members string) string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	defer all.Wait()
	notified := make(chan struct{}, 8)
	send := func([]byte) error { notified <- struct{}{}; return nil }
	request := message("3", "subscriptions/listen", `,"notifications":{"promptsListChanged":true}`)
	all.Go(func() { _ = session.Notifications(ctx, send) })
	all.Go(func() {
		_ = session.Handle(ctx, []byte(request), transport.Exchange{Informer: c, Send: func(msg []byte, _ transport.Code, last bool) error {
			if last { // the version has no such method
				return nil
			}
			return send(msg)
		}})
	})
	for i := range 2 { // the second one comes after what acknowledges the subscription
		reg.MustAdd(prompts.Prompt{Name: fmt.Sprint("new ", i), Render: rendersNothing})
		<-notified
	}
	cancel()
}

// TransportInfo describes the connection.
func (c *checkedObserver) TransportInfo() transport.Info {
	return transport.Info{Network: "tcp", Protocol: "http", ProtocolVersion: "1.1", ClientAddress: "192.0.2.1"}
}

var askedID = regexp.MustCompile(`"id":("[^"]*"),"method"`)

func rendersNothing(context.Context, map[string]string) (*prompts.Result, error) {
	return prompts.Messages(), nil
}

// observedRegistry has a prompt for each end of a request. The prompt "wait" closes
// running and waits until proceed is closed.
func observedRegistry(running chan<- struct{}, proceed <-chan struct{}) *prompts.Registry {
	reg := new(prompts.Registry)
	for name, f := range map[string]func(ctx context.Context) error{
		"result": func(context.Context) error { return nil },
		"error":  func(context.Context) error { return errors.New("an error") },
		"panic":  func(context.Context) error { panic("a panic") },
		"question": func(ctx context.Context) error {
			_, err := prompts.Elicit[struct{}](ctx, "key", "A question?")
			return err
		},
		"wait": func(context.Context) error { close(running); <-proceed; return nil },
	} {
		reg.MustAdd(prompts.Prompt{Name: name, Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			return prompts.Messages(), f(ctx)
		}})
	}
	return reg
}
