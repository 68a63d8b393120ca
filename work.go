package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"
)

// work is an author's code with its arguments, and what makes a result of it.
type work struct {
	code   runner
	failed string // what the client is told of a failure that it does not get to see
	// limit, if above 0, is that of the work's time, where it has one.
	limit time.Duration

	// listen makes it no author's code, but a subscription; wanted says that
	// changes of the prompts are to be told.
	listen, wanted bool
}

// runner is an author's code.
type runner interface {
	// run appends the result of the code to dst, or says why it has none.
	run(ctx context.Context, dst []byte) ([]byte, *failure)
	// subject says what it is, for the log.
	subject() slog.Attr
}

// runFunc is a runner that is a function.
type runFunc struct {
	about slog.Attr
	f     func(ctx context.Context, dst []byte) ([]byte, *failure)
}

func (r *runFunc) run(ctx context.Context, dst []byte) ([]byte, *failure) { return r.f(ctx, dst) }

func (r *runFunc) subject() slog.Attr { return r.about }

// refusalOf returns a code that is refused.
func refusalOf(about slog.Attr, err *Error) *runFunc {
	return &runFunc{about, func(context.Context, []byte) ([]byte, *failure) { return nil, &failure{seen: err} }}
}

// subject says what the work is, for the log.
func (w work) subject() slog.Attr {
	if w.listen {
		return slog.String("method", methodListen)
	}
	return w.code.subject()
}

// do runs the work: all of it that is an author's code, the methods of the
// errors and data that it returns among them. A panic in it is a failure.
func (w work) do(ctx context.Context, dst []byte) (result []byte, f *failure) {
	defer func() {
		if v := recover(); v != nil {
			result, f = nil, panicked(w.failed, v)
		}
	}()
	result, f = w.code.run(ctx, dst)
	if f != nil {
		f.finish(ctx)
	}
	return result, f
}

// panicked makes a failure of a panic that has just been recovered from.
func panicked(title string, v any) *failure {
	f := hide(title, fmt.Errorf("panic: %v", v))
	f.stack = debug.Stack()
	return f
}

// failure is why a work has no result.
type failure struct {
	seen *Error // what the client gets

	// What only the author gets. If unseen is nil, there is no more to say.
	title  string
	level  slog.Level
	unseen error
	stack  []byte // of a panic

	cause error // what the author's code has returned, if that is why
	cut   bool  // it failed because its context has ended

	// asking, if not nil, says that it is no failure: the client is to be asked
	// first. There is nothing else to say then.
	asking *rendering
}

// hide makes a failure of which the client gets to see no more than the title.
func hide(title string, err error) *failure {
	return &failure{seen: internalError(title), title: title, level: slog.LevelError, unseen: err, cause: err}
}

// show makes a failure that the client gets to see as e. The author gets err
// if it says more than that.
func show(e *Error, err error) *failure {
	f := &failure{seen: e, cause: err}
	if !saysNoMore(err) {
		f.title, f.level, f.unseen = "the request was refused", slog.LevelInfo, err
	}
	return f
}

// saysNoMore reports whether all of err is for the client to see.
func saysNoMore(err error) bool {
	switch e := err.(type) {
	case *Error, *argumentError, *fieldsError, *refusal:
		return true
	case *cannotAsk:
		return e.cause == nil
	case interface{ Unwrap() []error }: // joined, or wrapped with a text of its own
		all := e.Unwrap()
		joined := errors.Join(all...) // nil if there are none
		return joined != nil && err.Error() == joined.Error() && !slices.ContainsFunc(all, func(err error) bool { return !saysNoMore(err) })
	}
	return false
}

// finish does what may run an author's methods once the work has failed: it
// sees whether the failure is no more than the end of ctx, and replaces the
// data for the client by its JSON, or by nothing if it has none.
func (f *failure) finish(ctx context.Context) {
	f.cut = ctx.Err() != nil && (errors.Is(f.unseen, ctx.Err()) || errors.Is(f.unseen, context.Cause(ctx)))
	if f.seen.Data == nil {
		return
	}
	data, err := appendJSON(nil, f.seen.Data)
	seen := *f.seen
	seen.Data = json.RawMessage(data)
	if err != nil {
		seen.Data = nil
		f.title, f.level = "the data of an error could not be sent", slog.LevelError
		f.unseen = errors.Join(err, f.unseen)
	}
	f.seen = &seen
}

// tell tells the author what the client did not get to see.
func (s *Server) tell(ctx context.Context, w work, f *failure) {
	if f.unseen == nil {
		return
	}
	attrs := []slog.Attr{w.subject(), slog.Any("error", f.unseen)}
	if f.stack != nil {
		attrs = append(attrs, slog.String("stack", string(f.stack)))
	}
	s.log(ctx, f.level, f.title, attrs...)
}
