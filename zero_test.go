package prompts_test

import (
	"fmt"
	"io"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/streamablehttp"
	"github.com/mcp-prompts/prompts/transport"
)

// A value that no function made says which function makes it. Every exported method is
// called, so that a new method is tested too.
func TestValuesNotMade(t *testing.T) {
	t.Parallel()
	type value struct {
		it   any
		want string
	}
	values := []value{
		{&prompts.Server{}, "prompts: Server is not made by NewServer"},
		{&streamablehttp.Handler{}, "streamablehttp: Handler is not made by NewHandler"},
		{&stdio.Conn{}, "stdio: Conn is not made by New or NewStream"},
		{&stdio.LogWriter{}, "stdio: LogWriter is not made by NewLogWriter"},
	}
	silent := map[string]bool{"LimitMessages": true, "TransportInfo": true} // have nothing to do
	for _, v := range values {
		for _, it := range []reflect.Value{reflect.ValueOf(v.it), reflect.Zero(reflect.TypeOf(v.it))} {
			for i := range it.NumMethod() {
				name := it.Type().Method(i).Name
				if silent[name] {
					assert.NotPanics(t, func() { callWithZeros(it.Method(i)) })
					continue
				}
				assert.Equal(t, v.want, whyNot(it.Method(i)), "%T.%s, nil: %v", v.it, name, it.IsNil())
			}
		}
	}
}

func callWithZeros(f reflect.Value) []reflect.Value {
	var args []reflect.Value
	for i := range f.Type().NumIn() {
		if f.Type().IsVariadic() && i == f.Type().NumIn()-1 {
			break
		}
		args = append(args, reflect.Zero(f.Type().In(i)))
	}
	return f.Call(args)
}

// whyNot returns the text of the panic or the error of a function that gets zero values.
func whyNot(f reflect.Value) (why string) {
	defer func() {
		if p := recover(); p != nil {
			why = fmt.Sprint(p)
		}
	}()
	out := callWithZeros(f)
	if err, ok := out[len(out)-1].Interface().(error); ok {
		return err.Error()
	}
	return "nothing"
}

// A zero Registry is an empty registry, an Exchange needs Send, and Serve a connection.
func TestZeroValuesOfAServer(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	s := prompts.MustNewServer(&reg, prompts.Options{})
	session := s.NewSession(transport.SessionOptions{})
	defer session.Close()
	for _, x := range []transport.Exchange{{}, {ClientKey: "k"}} {
		for _, msg := range []string{servertest.InitializeLine, `{`, ``} {
			const want = "prompts: Handle: Exchange.Send must be a function, got nil; set Send"
			assert.EqualError(t, s.Handle(t.Context(), []byte(msg), x), want)
			assert.EqualError(t, session.Handle(t.Context(), []byte(msg), x), want)
		}
	}
	assert.EqualError(t, s.Serve(t.Context(), nil), "prompts: Serve: connection is nil")
	assert.ErrorContains(t, s.Serve(t.Context(), &stdio.Conn{}), "stdio: Conn is not made by New or NewStream")
	assert.ErrorContains(t, s.Serve(t.Context(), (*stdio.Conn)(nil)), "stdio: Conn is not made by New or NewStream")
	assert.NotErrorIs(t, s.Serve(t.Context(), &stdio.Conn{}), io.EOF)
}
