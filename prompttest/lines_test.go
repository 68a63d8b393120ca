package prompttest

import (
	"encoding/json"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptskills"
)

// located is a test that notes in which file each failure is reported, as the
// testing package finds it: the first caller that is no helper.
type located struct {
	*recorder
	helpers map[string]bool
	files   []string
}

func (l *located) Helper() { l.helpers[callers()[0].Function] = true }

func (l *located) Errorf(format string, args ...any) {
	l.note()
	l.recorder.Errorf(format, args...)
}

func (l *located) Fatalf(format string, args ...any) {
	l.note()
	l.recorder.Fatalf(format, args...)
}

func (l *located) note() {
	for _, f := range callers()[1:] {
		if !l.helpers[f.Function] {
			l.files = append(l.files, filepath.Base(f.File))
			return
		}
	}
}

// callers returns the callers of the function that calls it, the last one first.
func callers() []runtime.Frame {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	var all []runtime.Frame
	for {
		f, more := frames.Next()
		all = append(all, f)
		if !more {
			return all
		}
	}
}

// A failure is reported at the line of the author's test.
func TestReportedLines(t *testing.T) {
	t.Parallel()
	refuses := script{"prompts/list": {`{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}`}}
	fails := text([]prompts.Argument{{Name: "a"}, {Name: "b"}}, func(args map[string]string) (string, error) {
		return "call `read`", nil
	})
	ended := func(t testing.TB) *Client {
		c := script{}.client(t, ClientOptions{Version: "2025-11-25"})
		c.Close()
		return c
	}
	for name, do := range map[string]func(t testing.TB, reg *prompts.Registry){
		"New": func(t testing.TB, _ *prompts.Registry) {
			NewClient(t, &stuck{closed: make(chan struct{})}, ClientOptions{Version: "1"})
		},
		"Serve": func(t testing.TB, reg *prompts.Registry) {
			Serve(t, prompts.MustNewServer(reg, prompts.Options{}), ClientOptions{Version: "1"})
		},
		"handshake": func(t testing.TB, _ *prompts.Registry) {
			script{"initialize": {"CLOSE"}}.client(t, ClientOptions{Version: "2025-11-25"})
		},
		"Get":      func(t testing.TB, reg *prompts.Registry) { New(t, reg).Get("q", nil) },
		"GetError": func(t testing.TB, reg *prompts.Registry) { New(t, reg).GetError("p", nil) },
		"List": func(t testing.TB, _ *prompts.Registry) {
			refuses.client(t, ClientOptions{Version: "2025-11-25"}).List()
		},
		"Complete": func(t testing.TB, reg *prompts.Registry) { New(t, reg).Complete("q", "a", "", nil) },
		"Call":     func(t testing.TB, reg *prompts.Registry) { New(t, reg).Call("x", 1) },
		"Send":     func(t testing.TB, _ *prompts.Registry) { ended(t).Send("{}") },
		"Receive":  func(t testing.TB, _ *prompts.Registry) { ended(t).Receive() },
		"Listen": func(t testing.TB, _ *prompts.Registry) {
			script{}.client(t, ClientOptions{Version: "2025-11-25"}).Listen()
		},
		"WaitChanged": func(t testing.TB, reg *prompts.Registry) { New(t, reg).WaitChanged() },
		"Close": func(t testing.TB, _ *prompts.Registry) {
			c := script{"notifications/initialized": {"1"}}.client(t, ClientOptions{Version: "2025-11-25"})
			_ = c.until(func() bool { return false }) // until it fails
			c.Close()
		},
		"Golden":         func(t testing.TB, _ *prompts.Registry) { Golden(t, "none.golden", all()) },
		"CheckArguments": func(t testing.TB, reg *prompts.Registry) { CheckArguments(t, reg, CheckOptions{}) },
		"CheckEnums": func(t testing.TB, reg *prompts.Registry) {
			CheckEnums(t, reg, CheckOptions{Examples: map[string][]map[string]string{"q": nil, "p": {{"c": ""}}}})
		},
		"CheckDoc":   func(t testing.TB, reg *prompts.Registry) { CheckDoc(t, reg, "none.md") },
		"CheckTools": func(t testing.TB, reg *prompts.Registry) { CheckTools(t, reg, CheckOptions{}) },
		"CheckSkills": func(t testing.TB, _ *prompts.Registry) {
			var skills promptskills.Registry
			_ = skills.Add(promptskills.Skill{
				Path: "a", Frontmatter: json.RawMessage(`{"name":"a","description":"d"}`),
				Files: map[string][]byte{"SKILL.md": []byte("[x](none.md)")},
			})
			checkSkills(t, &skills, func([]byte) (json.RawMessage, error) { return nil, nil })
		},
		"CheckPortable": func(t testing.TB, reg *prompts.Registry) { CheckPortable(t, reg, CheckOptions{}, "Zed", "Nano") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reg prompts.Registry
			reg.MustAdd(fails)
			l := &located{helpers: map[string]bool{}}
			record(t, func(tb testing.TB) {
				l.recorder = tb.(*recorder)
				do(l, &reg)
			})
			require.NotEmpty(t, l.files)
			for _, file := range l.files {
				assert.Equal(t, "lines_test.go", file, "%q", l.errors)
			}
		})
	}
}
