package prompts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/internal/strictjson"
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
	return benchPages(b, r, 100)
}

// benchPages is benchSession with pages of n prompts.
func benchPages(b testing.TB, r *prompts.Registry, n int) (transport.Session, transport.Exchange) {
	b.Helper()
	s := prompts.MustNewServer(r, prompts.Options{PageSize: n}).NewSession(transport.SessionOptions{})
	b.Cleanup(s.Close)
	x := transport.Exchange{Send: func(_ []byte, code transport.Code, _ bool) error {
		if code != 0 {
			b.Errorf("an error response, code %d", code)
		}
		return nil
	}}
	for _, msg := range []string{servertest.InitializeLine, servertest.InitializedLine} {
		if err := s.Handle(context.Background(), []byte(msg), x); err != nil {
			b.Fatal(err)
		}
	}
	return s, x
}

func BenchmarkGet(b *testing.B) {
	plain := prompts.Prompt{Name: "code_review"}
	checked := prompts.Prompt{Name: "code_review", Arguments: []prompts.Argument{
		{Name: "language", Enum: []string{"c", "go", "java", "python", "rust"}},
	}}
	type tagged struct {
		Code     string `json:"code" jsonschema:"the code to review"`
		Language string `json:"language,omitempty" jsonschema:"its programming language" enum:"c,go,java,python,rust"`
	}
	render := func(_ context.Context, in benchReview) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("Please review this code:\n" + in.Code)), nil
	}
	for name, p := range map[string]prompts.Prompt{
		"plain":    prompts.New(plain, render),
		"released": prompts.New(plain, render),
		"enum":     prompts.New(checked, render),
		"tag": prompts.New(plain, func(_ context.Context, in tagged) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("Please review this code:\n" + in.Code)), nil
		}),
	} {
		b.Run(name, func(b *testing.B) {
			var r prompts.Registry
			if name == "released" {
				p.Digest = servertest.DigestOf(1)
			}
			r.MustAdd(p)
			if name == "released" {
				release := prompts.Release{ID: servertest.DigestOf(2), Label: "production"}
				if err := r.Update(func(tx *prompts.Tx) error { return tx.SetRelease(release) }); err != nil {
					b.Fatal(err)
				}
			}
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

// BenchmarkGetFloor does the least that any server does for the request of BenchmarkGet:
// it parses the message, makes a map of the arguments, and appends the text to a response.
func BenchmarkGetFloor(b *testing.B) {
	msg, dst := []byte(getRequest), []byte(nil)
	var doc strictjson.Doc
	b.ReportAllocs()
	b.SetBytes(int64(len(msg)))
	for b.Loop() {
		if err := doc.Parse(string(msg), 128); err != nil {
			b.Fatal(err)
		}
		args := map[string]string{}
		for name, v := range doc.Root().Get("params").Get("arguments").Members() {
			args[strings.Clone(name)] = strings.Clone(v.Text())
		}
		dst = append(dst[:0], `{"jsonrpc":"2.0","id":42,"result":{"messages":[{"role":"user","content":{"type":"text","text":`...)
		dst, _ = strictjson.AppendValidString(dst, "Please review this code:\n"+args["code"])
		dst = append(dst, `}}]}}`...)
		doc.Reset()
	}
}

// BenchmarkConnections opens connections that shake hands: what each holds, what one change
// takes in processor time until all are notified, and a get of each.
func BenchmarkConnections(b *testing.B) {
	for _, n := range fillSizes(100_000) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				measureConnections(b, n)
			}
		})
	}
}

func measureConnections(b *testing.B, n int) {
	r := servertest.RegistryOf(benchPrompt(1))
	s := prompts.MustNewServer(r, prompts.Options{})
	before, closed := heldBytes(), make(chan struct{})
	var running, notified, answered sync.WaitGroup
	conns := make([]*busyConn, n)
	for i := range conns {
		c := &busyConn{quietConn{make(chan string), closed}, &notified, &answered}
		conns[i] = c
		answered.Add(1)
		running.Go(func() { _ = s.Serve(context.Background(), c) }) // ends with closed
		c.lines <- servertest.InitializeLine
		c.lines <- servertest.InitializedLine
	}
	answered.Wait()
	b.ReportMetric((heldBytes()-before)/float64(n), "B/connection")
	notified.Add(n)
	start := cpuTime()
	r.MustAdd(benchPrompt(2))
	notified.Wait()
	b.ReportMetric(float64((cpuTime()-start).Nanoseconds())/1e6, "cpu-ms/change")
	answered.Add(n)
	start = cpuTime()
	get := strings.Replace(getRequest, "code_review", benchPrompt(1).Name, 1)
	for _, c := range conns {
		c.lines <- get
	}
	answered.Wait()
	b.ReportMetric(float64((cpuTime()-start).Nanoseconds())/float64(n), "cpu-ns/get")
	close(closed)
	running.Wait()
}

// busyConn is a quietConn that counts responses and notifications.
type busyConn struct {
	quietConn
	notified, answered *sync.WaitGroup
}

func (c *busyConn) Write(_ context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if bytes.Contains(msg, []byte("list_changed\"}")) {
			c.notified.Done()
		} else {
			c.answered.Done()
		}
	}
	return nil
}

func BenchmarkList(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var r prompts.Registry
			r.MustAdd(manyPrompts(n)...)
			s, x := benchSession(b, &r)
			msg := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"cursor":"%s"}}`,
				servertest.CursorAfter(fmt.Sprintf("code_review_%07d", n/2-51)))
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Handle(ctx, msg, x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("1000 of 10000", func(b *testing.B) {
		var r prompts.Registry
		r.MustAdd(manyPrompts(10_000)...)
		s, x := benchPages(b, &r, 1000)
		msg := []byte(`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`)
		ctx := context.Background()
		b.ReportAllocs()
		for b.Loop() {
			if err := s.Handle(ctx, msg, x); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// tellings are the two ways of being told of changes. Each has one more
// subscriber, until ctx ends, and calls told for each notification.
var tellings = map[string]func(ctx context.Context, tb testing.TB, s *prompts.Server, running *sync.WaitGroup, told func()){
	"session": func(ctx context.Context, tb testing.TB, s *prompts.Server, running *sync.WaitGroup, told func()) {
		session := s.NewSession(transport.SessionOptions{Version: "2025-11-25"})
		running.Go(func() {
			defer session.Close()
			_ = session.Notifications(ctx, func([]byte) error {
				told()
				return nil
			})
		})
	},
	"listen": func(ctx context.Context, tb testing.TB, s *prompts.Server, running *sync.WaitGroup, told func()) {
		acknowledged := make(chan struct{})
		isFirst := true
		x := transport.Exchange{Send: func([]byte, transport.Code, bool) error {
			if isFirst {
				isFirst = false
				close(acknowledged)
			} else {
				told()
			}
			return nil
		}}
		running.Go(func() { _ = s.Handle(ctx, []byte(servertest.ListenLine("1")), x) })
		<-acknowledged
	},
}

// toldCrowd is a server with n subscribers that are told in one way.
type toldCrowd struct {
	registry *prompts.Registry
	n        int
	told     sync.WaitGroup
}

func newToldCrowd(tb testing.TB, way string, n int) *toldCrowd {
	c := &toldCrowd{registry: new(prompts.Registry), n: n}
	s := prompts.MustNewServer(c.registry, prompts.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	tb.Cleanup(func() {
		cancel()
		running.Wait()
	})
	for range n {
		tellings[way](ctx, tb, s, &running, c.told.Done)
	}
	return c
}

// change changes a prompt and waits until all have been told.
func (c *toldCrowd) change(tb testing.TB) {
	c.told.Add(c.n)
	if err := c.registry.Set(servertest.TextPrompt("text", "x")); err != nil {
		tb.Fatal(err)
	}
	c.told.Wait()
}

// BenchmarkChange tells subscribers of one change. Most of the time is the wait
// for more changes; cpu-ns/op is what the processors do.
func BenchmarkChange(b *testing.B) {
	for way := range tellings {
		for _, n := range []int{0, 100, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", way, n), func(b *testing.B) {
				c := newToldCrowd(b, way, n)
				c.change(b)
				b.ReportAllocs()
				begun := cpuTime()
				for b.Loop() {
					c.change(b)
				}
				b.ReportMetric(float64((cpuTime()-begun).Nanoseconds())/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

// manyCandidates is how many candidates completion is made to be fast for.
const manyCandidates = 100_000

// candidateNames are like those of branches, and all different.
func candidateNames(n int) []string {
	areas := []string{"parser", "scanner", "registry", "session", "transport", "completion", "cursor", "schema"}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("feature/%s-%05d", areas[i%len(areas)], i)
	}
	return names
}

// BenchmarkSuggest makes a list ready.
func BenchmarkSuggest(b *testing.B) {
	names := candidateNames(manyCandidates)
	b.ReportAllocs()
	for b.Loop() {
		prompts.Suggest(names...)
	}
}

var typedInBenchmarks = []struct{ name, typed string }{
	{"nothing", ""},
	{"one letter, a prefix", "f"},
	{"one letter, a word", "p"},
	{"one letter, inside", "n"},
	{"five letters, a prefix", "featu"},
	{"five letters, a word", "curso"},
	{"five letters, inside", "ursor"},
	{"five letters, none", "zzzzz"},
	{"one of them", "feature/session-00003"},
}

// BenchmarkSuggestKey is one key that is pressed, all the way through Call.
func BenchmarkSuggestKey(b *testing.B) {
	names := candidateNames(manyCandidates)
	enum := servertest.Completing("p", nil)
	enum.Arguments[0] = prompts.Argument{Name: "a", Enum: names}
	small := servertest.Completing("p", nil)
	small.Arguments[0] = prompts.Argument{Name: "a", Enum: []string{"Red", "green", "grey"}}
	for what, p := range map[string]prompts.Prompt{
		"fixed":      servertest.Completing("p", prompts.Suggest(names...)),
		"function":   servertest.Completing("p", prompts.SuggestFunc(func(context.Context, map[string]string) ([]string, error) { return names, nil })),
		"enum":       enum,
		"small enum": small,
	} {
		s := prompts.MustNewServer(servertest.RegistryOf(p), prompts.Options{Limits: prompts.Limits{CompletionsPerSecond: -1}})
		for _, test := range typedInBenchmarks {
			b.Run(what+"/"+test.name, func(b *testing.B) {
				params := json.RawMessage(`{` + servertest.CompleteParamsOf("p", "a", test.typed) + `}`)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.Call(context.Background(), servertest.MethodComplete, params, prompts.CallOptions{Version: "2025-11-25"}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// manyPrompts declares n prompts of one type, in the order of their names.
func manyPrompts(n int) []prompts.Prompt {
	all := make([]prompts.Prompt, n)
	for i := range all {
		all[i] = benchPrompt(i)
	}
	return all
}

func benchPrompt(i int) prompts.Prompt {
	return prompts.New(
		prompts.Prompt{Name: fmt.Sprintf("code_review_%07d", i), Description: fmt.Sprintf("Reviews code, %07d", i)},
		func(context.Context, benchReview) (*prompts.Result, error) { return prompts.Messages(), nil },
	)
}

// manyData declares n prompts without a struct.
func manyData(n int) []prompts.Prompt {
	all := make([]prompts.Prompt, n)
	for i := range all {
		all[i] = dataPrompt(i)
	}
	return all
}

func dataPrompt(i int) prompts.Prompt {
	return prompts.Prompt{
		Name:        fmt.Sprintf("code_review_%07d", i),
		Description: fmt.Sprintf("Reviews code, %07d", i),
		Arguments: []prompts.Argument{
			{Name: "code", Description: "the code to review", Required: true},
			{Name: "language", Description: "its programming language"},
		},
		Render: func(context.Context, map[string]string) (*prompts.Result, error) { return prompts.Messages(), nil },
	}
}

// fillSizes returns the sizes of registries. Those that take long are for a
// -bench that names them, such as AddBatch/100000.
func fillSizes(large ...int) []int {
	sizes := []int{1000}
	for _, n := range large {
		if strings.Contains(flag.Lookup("test.bench").Value.String(), fmt.Sprint(n)) {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// BenchmarkAdd adds prompts one by one, all over a registry that has as many
// as its name says, and removes them from time to time.
func BenchmarkAdd(b *testing.B) {
	for _, n := range fillSizes(100_000, 1_000_000) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var r prompts.Registry
			if err := r.Add(manyPrompts(n)...); err != nil {
				b.Fatal(err)
			}
			added := make([]prompts.Prompt, 1000)
			for i := range added {
				added[i] = benchPrompt(i * 7919 % n)
				added[i].Name += fmt.Sprintf("_%d", i)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if i == len(added) {
					b.StopTimer()
					for _, p := range added {
						r.Remove(p.Name)
					}
					i = 0
					b.StartTimer()
				}
				if err := r.Add(added[i]); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

// BenchmarkAddBatch adds all prompts at once to an empty registry.
func BenchmarkAddBatch(b *testing.B) {
	for _, kind := range []struct {
		name    string
		declare func(int) []prompts.Prompt
	}{{"struct", manyPrompts}, {"data", manyData}} {
		for _, n := range fillSizes(100_000) {
			b.Run(fmt.Sprintf("%s/%d", kind.name, n), func(b *testing.B) {
				all := kind.declare(n)
				b.ReportAllocs()
				for b.Loop() {
					var r prompts.Registry
					if err := r.Add(all...); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
