package core

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// text is a prompt, a result or a tool of an SDK, by its JSON.
type text = json.RawMessage

func TestListedAs(t *testing.T) {
	t.Parallel()
	p := ListedAs(text(`{"name":"n","title":"T","description":"d","icons":[{"src":"s","mimeType":"m","sizes":["any"],"theme":"dark"}],
		"arguments":[{"name":"a","title":"A","description":"b","required":true},null],"_meta":{"k":9007199254740993}}`))
	assert.Equal(t, prompts.Prompt{
		Name: "n", Title: "T", Description: "d", DisableHints: true,
		Icons:     []prompts.Icon{{Src: "s", MIMEType: "m", Sizes: []string{"any"}, Theme: "dark"}},
		Arguments: []prompts.Argument{{Name: "a", Title: "A", Description: "b", Required: true}},
		Meta:      prompts.Meta{"k": json.Number("9007199254740993")},
	}, p)
	assert.Empty(t, ListedAs(make(chan int)).Name)
}

func TestResultFrom(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	zero := 0.0
	for content, want := range map[string]prompts.Content{
		`{"type":"text","text":"t","annotations":{"audience":["user"],"priority":0,"lastModified":"2026-01-31"}}`: &prompts.Text{
			Text: "t", Annotations: &prompts.Annotations{Audience: []prompts.Role{"user"}, Priority: &zero, LastModified: at},
		},
		`{"type":"resource","resource":{"uri":"u","blob":""}}`: &prompts.EmbeddedResource{URI: "u", Blob: []byte{}},
		`{"type":"resource","resource":{"uri":"u"}}`:           &prompts.EmbeddedResource{URI: "u"},
	} {
		r, err := resultFrom(text(`{"description":"d","messages":[{"role":"user","content":` + content + `}],"_meta":{"io.modelcontextprotocol/serverInfo":{}}}`))
		require.NoError(t, err, content)
		assert.Equal(t, &prompts.Result{Description: "d", Messages: []prompts.Message{{Role: "user", Content: want}}}, r)
	}
	for content, want := range map[string]string{
		`null`:                `message 1 is nil`,
		`{"type":"resource"}`: `message 1: resource is nil`,
		`{"type":"tool_use"}`: `message 1: unsupported content type "tool_use"`,
		`{"type":"text","annotations":{"lastModified":"yesterday"}}`: `message 1: annotations.lastModified must be an ISO 8601 time such as 2026-01-31T12:00:00Z, got "yesterday"`,
	} {
		_, err := resultFrom(text(`{"messages":[{"role":"user","content":` + content + `}]}`))
		assert.EqualError(t, err, want)
	}
}

// The handler of an SDK runs again with the responses, and the client gets the keys of the
// handler, each for one question. A handler that only asks is called a limited number of times.
func TestRender(t *testing.T) {
	t.Parallel()
	var keys, states []string
	enough := 2
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "ask", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		return Render(ctx, "ask", 3, func(responses map[string]text, state string) (any, error) {
			states = append(states, state)
			if len(states) > enough {
				return text(`{"messages":[{"role":"user","content":{"type":"text","text":` + strconv.Quote(string(responses["k"])) + `}}]}`), nil
			}
			return text(`{"inputRequests":{"k":{"method":"roots/list"}},"requestState":"` + fmt.Sprint(len(states)) + `"}`), nil
		})
	}})
	srv := prompts.MustNewServer(&reg, prompts.Options{Logger: slog.New(slog.DiscardHandler)})
	type answers struct {
		InputRequests map[string]text
		RequestState  string
	}
	params := map[string]any{"name": "ask", "_meta": text(`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}}}`)}
	o := prompts.CallOptions{Version: "2026-07-28", ClientCapabilities: text(`{"roots":{}}`)}
	for {
		raw, err := json.Marshal(params)
		require.NoError(t, err)
		states = nil
		raw, err = srv.Call(t.Context(), "prompts/get", raw, o)
		require.NoError(t, err)
		var a answers
		require.NoError(t, json.Unmarshal(raw, &a))
		if a.InputRequests == nil {
			assert.Contains(t, string(raw), `roots`)
			break
		}
		responses := map[string]text{}
		for key := range a.InputRequests {
			keys = append(keys, key)
			responses[key] = text(`{"roots":[]}`)
		}
		params["inputResponses"], params["requestState"] = responses, a.RequestState
	}
	assert.Equal(t, []string{"k", "k#2"}, keys)
	assert.Equal(t, []string{"", "1", "2"}, states)

	enough, states = 10, nil
	o = prompts.CallOptions{Version: "2025-11-25", ClientCapabilities: text(`{"roots":{}}`), Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return text(`{"roots":[]}`), nil
	}}
	_, err := srv.Call(t.Context(), "prompts/get", text(`{"name":"ask"}`), o)
	assert.Error(t, err)
	assert.Len(t, states, 3)
}

// A handler of an SDK may return no result, or ask for input without an input request.
func TestRenderFails(t *testing.T) {
	t.Parallel()
	for result, want := range map[any]string{
		(*prompts.Result)(nil):      "handler returned neither a result nor an error",
		"text":                      "json: cannot unmarshal string into Go value of type struct { ResultType string; InputRequests map[string]core.inputRequest; RequestState string }",
		resultText(`inputRequests`): `prompt "p" is at capacity; retry later (-32603)`,
		resultText(`more`):          `prompt "p" is at capacity; retry later (-32603)`,
		make(chan int):              "json: unsupported type: chan int",
	} {
		_, err := Render(t.Context(), "p", 3, func(struct{}, string) (any, error) { return result, nil })
		assert.EqualError(t, err, want)
	}
}

// resultText is a result that asks for nothing.
type resultText string

func (r resultText) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"resultType": "input_required", string(r): struct{}{}})
}

func TestReadResult(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]*Parts{
		`{}`: {},
		`{"messages":[{"role":"user","content":{"n":1.10}}]}`: {Messages: []struct {
			Role    string
			Content json.RawMessage
		}{{"user", text(`{"n":1.10}`)}}},
		`{"content":[1],"structuredContent":{}}`:                       {Content: []text{text(`1`)}, StructuredContent: text(`{}`)},
		`{"_meta":{"io.modelcontextprotocol/serverInfo":{},"n":1.10}}`: {Meta: map[string]any{"n": json.Number("1.10")}},
	} {
		var result map[string]any
		p, err := ReadResult(text(raw), &result)
		require.NoError(t, err, raw)
		assert.Equal(t, want, p, raw)
	}
	_, err := ReadResult(text(`{}`), new(int))
	assert.Error(t, err)
}

func TestReadRequests(t *testing.T) {
	t.Parallel()
	read := func(method string, params json.RawMessage) (string, error) {
		if method == "" {
			return "", errors.New("no method")
		}
		return method + string(params), nil
	}
	for raw, want := range map[string]map[string]string{
		`{}`: nil,
		`{"inputRequests":{"k":{"method":"m","params":2}}}`: {"k": "m2"},
	} {
		p, err := ReadResult(text(raw), new(any))
		require.NoError(t, err)
		all, err := ReadRequests(p, read)
		require.NoError(t, err)
		assert.Equal(t, want, all, raw)
	}
	p, err := ReadResult(text(`{"inputRequests":{"k":{}}}`), new(any))
	require.NoError(t, err)
	_, err = ReadRequests(p, read)
	assert.EqualError(t, err, `input request "k": no method`)
}

// entries are those of a server: of the application, in capitals, and of a mount.
type entries map[string]string

func (s entries) mount(m *Mount, all *map[string]string) *Entries[[2]string] {
	return &Entries[[2]string]{
		Mount: m, Kind: "tool", Changing: new(sync.Mutex),
		All: func() (map[string]string, error) { return *all, nil },
		Own: func(added map[string]string) (map[string]bool, error) {
			maps.DeleteFunc(added, func(name, _ string) bool { return s[name] == "" })
			own := map[string]bool{}
			for name, entry := range s {
				own[name] = strings.ToUpper(entry) == entry
			}
			return own, nil
		},
		Read: func(name, entry string) ([2]string, error) {
			if entry == "bad" {
				return [2]string{}, errors.New("bad")
			}
			return [2]string{name, entry}, nil
		},
		Put: func(put ...[2]string) {
			for _, e := range put {
				s[e[0]] = e[1]
			}
		},
		Remove: func(names ...string) {
			maps.DeleteFunc(s, func(name, _ string) bool { return slices.Contains(names, name) })
		},
	}
}

// The server has the entries of a mount in addition to its own, which win, and a later change
// restores what the application has removed.
func TestEntries(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	m := &Mount{Name: "m", Server: prompts.MustNewServer(new(prompts.Registry), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})}
	s := entries{"own": "OWN"}
	all := map[string]string{"a": "a1", "b": "b1"}
	e := s.mount(m, &all)
	check := func(changed bool, want entries, logged ...string) {
		t.Helper()
		log.Reset()
		assert.Equal(t, changed, e.Update())
		assert.Equal(t, want, s)
		assert.Equal(t, len(logged), strings.Count(log.String(), "\n"), log.String())
		for _, text := range logged {
			assert.Contains(t, log.String(), text)
		}
		for name, entry := range s {
			assert.Equal(t, strings.ToUpper(entry) != entry, e.Has(name), name)
		}
	}
	check(true, entries{"own": "OWN", "a": "a1", "b": "b1"})
	put := e.Put
	e.Put = func(...[2]string) { t.Error("what has not changed is put again") }
	check(false, entries{"own": "OWN", "a": "a1", "b": "b1"})
	e.Put = put
	all = map[string]string{"a": "a2", "own": "x", "c": "bad"}
	check(true, entries{"own": "OWN", "a": "a2"}, `m: tool \"own\" exists on the server, too`, `m: tool \"c\": bad`)
	all["c"] = "c"
	e.Keep = func(put, gone int) bool { return put > 0 && gone < 2 }
	check(true, entries{"own": "OWN", "a": "a2", "c": "c"})
	delete(all, "c")
	all["d"] = "d"
	check(true, entries{"own": "OWN", "a": "a2", "c": "c", "d": "d"})
	check(true, entries{"own": "OWN", "a": "a2", "d": "d"})
	s["a"] = "MINE"
	check(false, entries{"own": "OWN", "a": "MINE", "d": "d"}, `tool \"a\" exists on the server, too`)
	delete(s, "a")
	delete(all, "own")
	check(true, entries{"own": "OWN", "a": "a2", "d": "d"})
	delete(s, "d")
	check(true, entries{"own": "OWN", "a": "a2", "d": "d"})
	s["a"] = "MINE"
	e.Clear()
	assert.Equal(t, entries{"own": "OWN", "a": "MINE"}, s)
	assert.False(t, e.Has("d"))
	assert.True(t, e.Changing.(*sync.Mutex).TryLock())
	var none *Entries[int]
	none.Clear()
	assert.False(t, none.Update())
	require.NoError(t, none.Start())
}

// An update that cannot list logs so, for each kind, and an entry that cannot be read has its name.
func TestUpdateThatFails(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string][2]string{
		"prompt":   {`level=ERROR msg="cannot list prompts" error="m: list the prompts of the registry: closed"`, `level=WARN msg="prompt not mounted" prompt=c error="m: prompt \"c\": bad"`},
		"tool":     {`level=ERROR msg="cannot list tools" error="m: list the tools of the registry: closed"`, `level=WARN msg="tool not mounted" error="m: tool \"c\": bad"`},
		"resource": {`level=ERROR msg="cannot list resources" error="m: list the resources of the registry: closed"`, `level=WARN msg="skill not mounted" error="m: resource \"c\": bad"`},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			m := &Mount{Name: "m", Server: prompts.MustNewServer(new(prompts.Registry), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})}
			all := map[string]string{"c": "bad"}
			s := entries{}
			e := s.mount(m, &all)
			e.Kind = kind
			e.Update()
			e.All = func() (map[string]string, error) { return nil, errors.New("closed") }
			e.Update()
			assert.Contains(t, log.String(), want[0])
			assert.Contains(t, log.String(), want[1])
			assert.Equal(t, 2, strings.Count(log.String(), "\n"))
			log.Reset()
			all["d"] = "d"
			e.All = func() (map[string]string, error) { return all, nil }
			e.Update()
			log.Reset()
			e.Own = func(map[string]string) (map[string]bool, error) { return nil, errors.New("closed") }
			e.Clear()
			assert.Contains(t, log.String(), `error="m: list the server's `+kind+`s: closed"`)
			assert.Contains(t, log.String(), `msg="cannot list `+kind+`s"`)
			assert.Empty(t, s)
		})
	}
}

// Entries under a name of the server's own are an error at first, and nothing changes.
func TestEntriesThatExist(t *testing.T) {
	t.Parallel()
	s := entries{"own": "OWN"}
	all := map[string]string{"own": "x", "a": "a", "c": "bad"}
	e := s.mount(&Mount{Name: "m"}, &all)
	err := e.Start()
	require.ErrorIs(t, err, prompts.ErrExists)
	assert.ErrorContains(t, err, `m: tool "own" already exists`)
	assert.ErrorContains(t, err, `m: tool "c": bad`)
	assert.Equal(t, entries{"own": "OWN"}, s)
	all = map[string]string{"a": "a"}
	require.NoError(t, e.Start())
	assert.Equal(t, entries{"own": "OWN", "a": "a"}, s)
}

func TestPages(t *testing.T) {
	t.Parallel()
	assert.ErrorIs(t, Pages(func(string) (string, error) { return "again", nil }), ErrEndless)
	assert.EqualError(t, Pages(func(string) (string, error) { return "", errors.New("failed") }), "failed")
}

func TestRevision(t *testing.T) {
	t.Parallel()
	assert.True(t, Revision("2026-07-28").Stateless())
	assert.False(t, Revision(NewestStateful()).Stateless())
	assert.True(t, Revision("2025-03-26").Completions())
	for _, unknown := range []string{"", "2099-01-01"} {
		assert.Zero(t, Revision(unknown))
		assert.False(t, Revision(unknown).Stateless() || Revision(unknown).Completions(), unknown)
	}
}
