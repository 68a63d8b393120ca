package prompts_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// The benchmarks are at the dispatcher's boundary: the bytes of a request in,
// the bytes of its answer out. internal/interop/bench has the same beside
// other SDKs.

const getRequest = `{"jsonrpc":"2.0","id":42,"method":"prompts/get","params":{"name":"code_review","arguments":{"code":"func add(a, b int) int {\n\treturn a + b\n}\n\nfunc main() {\n\tfmt.Println(add(1, 2))\n}\n","language":"go"},"_meta":{"progressToken":"c0ffee-42"}}}`

type benchReview struct {
	Code     string `json:"code" jsonschema:"the code to review"`
	Language string `json:"language,omitempty" jsonschema:"its programming language"`
}

func benchSession(b testing.TB, r *prompts.Registry) (transport.Session, transport.Exchange) {
	b.Helper()
	s := prompts.NewServer(r, prompts.Options{}).NewSession(transport.SessionOptions{})
	b.Cleanup(s.Close)
	x := transport.Exchange{Send: func(_ []byte, code prompts.Code, _ bool) error {
		if code != 0 {
			b.Errorf("an error response, code %d", code)
		}
		return nil
	}}
	for _, msg := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		if err := s.Handle(context.Background(), []byte(msg), x); err != nil {
			b.Fatal(err)
		}
	}
	return s, x
}

func BenchmarkGet(b *testing.B) {
	plain := prompts.Prompt{Name: "code_review"}
	checked := prompts.Prompt{Name: "code_review", Arguments: []prompts.Argument{
		{Name: "language", Schema: prompts.Enum("c", "go", "java", "python", "rust")},
	}}
	type tagged struct {
		Code     string `json:"code" jsonschema:"the code to review"`
		Language string `json:"language,omitempty" jsonschema:"its programming language" enum:"c,go,java,python,rust"`
	}
	render := func(_ context.Context, in benchReview) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("Please review this code:\n" + in.Code)), nil
	}
	for name, p := range map[string]prompts.Prompt{
		"plain": prompts.New(plain, render),
		"enum":  prompts.New(checked, render),
		"tag": prompts.New(plain, func(_ context.Context, in tagged) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("Please review this code:\n" + in.Code)), nil
		}),
	} {
		b.Run(name, func(b *testing.B) {
			var r prompts.Registry
			r.MustAdd(p)
			s, x := benchSession(b, &r)
			msg, ctx := []byte(getRequest), context.Background()
			b.ReportAllocs()
			b.SetBytes(int64(len(msg)))
			for b.Loop() {
				if err := s.Handle(ctx, msg, x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkList(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var r prompts.Registry
			render := func(context.Context, benchReview) (*prompts.Result, error) { return prompts.Messages(), nil }
			if err := r.Update(func(tx *prompts.Tx) error {
				for i := range n {
					p := prompts.New(prompts.Prompt{Name: fmt.Sprintf("prompt_%06d", i), Description: "A prompt of the benchmark"}, render)
					if err := tx.Add(p); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				b.Fatal(err)
			}
			s, x := benchSession(b, &r)
			msg := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"cursor":"%s"}}`,
				cursorAfter(fmt.Sprintf("prompt_%06d", n/2-51)))
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Handle(ctx, msg, x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
