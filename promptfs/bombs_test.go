package promptfs_test

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/prompttest"
)

// bombs are files that would end a process, or keep a slot for good.
func bombs() map[string]string {
	all := map[string]string{
		"good.md":     "good",
		"double.md":   `{{$x := "aaaaaaaa"}}{{range 40}}{{$x = print $x $x}}{{end}}`,
		"endless.md":  `{{range 1000000000000}}{{end}}`,
		"endless2.md": strings.Repeat(`{{range 1000000}}`, 3) + `{{continue}}` + strings.Repeat(`{{end}}`, 3),
		"list.md":     "---\narguments: [{name: tags, type: array}]\n---\n{{range .tags}}{{range $.tags}}{{range $.tags}}{{range $.tags}}x{{end}}{{end}}{{end}}{{end}}",
		"printf.md":   `{{range 1000}}{{printf "` + strings.Repeat("%999999d", 100) + `" 1}}{{end}}`,
		"compare.md":  "---\narguments: [{name: a}]\n---\n{{$x := print .a 1}}{{$y := print .a 2}}{{range 1000000000}}{{$z := eq $x $y}}{{end}}",
	}
	// What a checker copies for each branch if it is not careful.
	var branches strings.Builder
	for i := range 190 {
		fmt.Fprintf(&branches, "{{$v%d := 1}}", i)
	}
	branches.WriteString(strings.Repeat("{{if $v0}}{{else}}{{end}}", 5_000))
	all["branches.md"] = branches.String()
	return all
}

// A get of a bomb is an internal error within the time limit; its slot is free
// a second later, others are answered all the time, and Close returns.
func TestBombsOnAServer(t *testing.T) {
	t.Parallel()
	const limit, slots, moment = time.Second, 4, time.Minute // a moment is what only code that is not bounded takes, on any machine
	var reg prompts.Registry
	folder := promptfs.NewFolder(&reg, files(bombs()), promptfs.Options{})
	require.NoError(t, folder.Reload(t.Context()))
	srv := prompts.MustNewServer(&reg, prompts.Options{
		Logger: slog.New(slog.DiscardHandler), Timeouts: prompts.Timeouts{Render: limit}, Limits: prompts.Limits{MaxConcurrentTotal: 2 * slots, MaxConcurrent: 2 * slots},
	})
	session, other := prompttest.Serve(t, srv, prompttest.ClientOptions{}), prompttest.Serve(t, srv, prompttest.ClientOptions{})
	handle := func(c *prompttest.Client, name string, args map[string]string) string {
		raw, err := c.Call("prompts/get", map[string]any{"name": name, "arguments": args})
		if err != nil {
			return err.Error()
		}
		return string(raw)
	}
	args := map[string]map[string]string{"list": {"tags": strings.Repeat("a,", 10_000) + "a"}, "compare": {"a": strings.Repeat("x", 1<<19)}}
	for _, name := range []string{"double", "endless", "endless2", "list", "printf", "compare"} {
		var wg sync.WaitGroup
		begin := time.Now()
		for range slots {
			wg.Go(func() {
				got := handle(session, name, args[name])
				assert.Contains(t, got, "-32603", name)
				assert.Less(t, time.Since(begin), limit+moment, name)
			})
		}
		for range 5 {
			assert.Contains(t, handle(other, "good", nil), `"good"`)
		}
		wg.Wait()
		begin = time.Now()
		for range 2 * slots { // more than would fit beside those, had they kept their slots
			assert.Contains(t, handle(session, "good", nil), `"good"`)
		}
		assert.Less(t, time.Since(begin), moment, name)
	}
	begin := time.Now()
	session.Close()
	other.Close()
	assert.Less(t, time.Since(begin), moment)
}

// canceled is a file system that calls cancel when its last file has been opened.
type canceled struct {
	fstest.MapFS
	left   *atomic.Int64
	cancel func()
}

func (c canceled) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, "_partials/") && c.left.Add(-1) == 0 {
		c.cancel()
	}
	return c.MapFS.Open(name)
}

// A load ends with its context and changes nothing: of many large partials, none
// is parsed after that.
func TestLoadEndsWithTheContext(t *testing.T) { // not parallel: others allocate too
	const partials = 12
	all := map[string]string{"p.md": "x"}
	for i := range partials {
		all[fmt.Sprintf("_partials/p%d.md", i)] = strings.Repeat("{{if 1}}{{.x}}{{end}}", 6_000)
	}
	var reg prompts.Registry
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var before, after runtime.MemStats
	fsys := canceled{files(all), &atomic.Int64{}, func() { runtime.ReadMemStats(&before); cancel() }}
	fsys.left.Store(partials)
	require.ErrorIs(t, promptfs.NewFolder(&reg, fsys, promptfs.Options{}).Reload(ctx), context.Canceled)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
	assert.Zero(t, reg.Len())
}

// growing are folders of n files that made loading cost more than their bytes.
var growing = map[string]func(n int) map[string]string{
	"files": func(n int) map[string]string {
		all := map[string]string{}
		for i := range n {
			all[fmt.Sprintf("p%d.md", i)] = "---\narguments: [{name: code}]\n---\n{{if .code}}{{fence \"\" .code}}{{end}}"
		}
		return all
	},
	"a chain of partials": func(n int) map[string]string {
		all := map[string]string{"p.md": `{{template "p0" .}}`}
		for i := range n {
			all[fmt.Sprintf("_partials/p%d.md", i)] = fmt.Sprintf(`{{template "p%d" .}}`, i+1)
		}
		all[fmt.Sprintf("_partials/p%d.md", n)] = "end"
		return all
	},
	"files that use all of a chain": func(n int) map[string]string {
		all := map[string]string{"_partials/p200.md": "end"}
		for i := range 200 {
			all[fmt.Sprintf("_partials/p%d.md", i)] = fmt.Sprintf(`{{template "p%d" .}}`, i+1)
		}
		for i := range n {
			all[fmt.Sprintf("p%d.md", i)] = `{{template "p0" .}}`
		}
		return all
	},
	"files that use a large partial": func(n int) map[string]string {
		all := map[string]string{"_partials/p.md": strings.Repeat("{{if .x}}{{.x}}{{end}}\n", 2_000)}
		for i := range n {
			all[fmt.Sprintf("p%d.md", i)] = "---\narguments: [{name: x}]\n---\n{{template \"p\" .}}"
		}
		return all
	},
	"branches": func(n int) map[string]string {
		return map[string]string{"p.md": strings.Repeat("{{$v := 1}}{{if $v}}{{else}}{{end}}", 100) + strings.Repeat("{{if 1}}{{else}}{{end}}", n)}
	},
	"nesting": func(n int) map[string]string {
		return map[string]string{"p.md": strings.Repeat("{{if 1}}", n) + strings.Repeat("{{end}}", n) + "x"}
	},
	"faults": func(n int) map[string]string {
		return map[string]string{"p.md": strings.Repeat("{{.unknown}}\n", n)}
	},
	"files that use a chain with a fault": func(n int) map[string]string {
		all := map[string]string{fmt.Sprintf("_partials/p%d.md", n): "{{if}}"}
		for i := range n {
			all[fmt.Sprintf("_partials/p%d.md", i)] = fmt.Sprintf(`{{template "p%d" .}}`, i+1)
			all[fmt.Sprintf("p%d.md", i)] = `{{template "p0" .}}`
		}
		return all
	},
	"files that use an unknown partial": func(n int) map[string]string {
		all := map[string]string{}
		for i := range n {
			all[fmt.Sprintf("_partials/p%d.md", i)] = "x"
			all[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf(`{{template "q%d" .}}`, i+1)
		}
		return all
	},
	"blocks that no message ends": func(n int) map[string]string {
		return map[string]string{"p.md": strings.Repeat("--- user ---\n{{if .a}}\n", n)}
	},
	"missing files": func(n int) map[string]string {
		all := map[string]string{}
		for i := range n {
			all[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf("--- user: image x%d.png ---\n", i)
		}
		return all
	},
	"one name": func(n int) map[string]string {
		all := map[string]string{}
		for i := range n {
			all[fmt.Sprintf("p%d.md", i)] = "---\nname: one\n---\nx"
		}
		return all
	},
}

func load(tb testing.TB, fsys fstest.MapFS) time.Duration {
	begin := time.Now()
	var reg prompts.Registry
	_ = promptfs.NewFolder(&reg, fsys, promptfs.Options{}).Reload(tb.Context()) // some are invalid
	return time.Since(begin)
}

// allocated returns the bytes that a load allocates, which do not depend on the
// machine.
func allocated(tb testing.TB, fsys fstest.MapFS) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	load(tb, fsys)
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// Eight times the folder allocates about eight times as much, and no more.
func TestLoadIsLinear(t *testing.T) { // not parallel: others allocate too
	if testing.Short() {
		t.Skip("a measurement")
	}
	for name, folder := range growing {
		few, many := allocated(t, files(folder(250))), allocated(t, files(folder(2000)))
		assert.Less(t, many/few, 8*1.6, name)
	}
}

// Each file takes the name of the next one, and the last one has a fault: none
// can have its new name, and each is found by way of the one before.
func TestNamesThatMoveOnAreLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement")
	}
	reload := func(n int) float64 {
		content := func(i, name int) *fstest.MapFile {
			return &fstest.MapFile{Data: fmt.Appendf(nil, "---\nname: n%06d\n---\n%d", name, i)}
		}
		fsys := fstest.MapFS{}
		for i := range n {
			fsys[fmt.Sprintf("p%06d.md", i)] = content(i, i)
		}
		var reg prompts.Registry
		folder := promptfs.NewFolder(&reg, fsys, promptfs.Options{})
		require.NoError(t, folder.Reload(t.Context()))
		for i := range n {
			fsys[fmt.Sprintf("p%06d.md", i)] = content(i, i+1)
		}
		fsys[fmt.Sprintf("p%06d.md", n-1)] = &fstest.MapFile{Data: []byte("{{")}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := folder.Reload(t.Context())
		runtime.ReadMemStats(&after)
		require.Error(t, err)
		assert.Len(t, strings.Split(err.Error(), "\n"), n)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	assert.Less(t, reload(1600)/reload(200), 8*1.6)
}

// BenchmarkGrowth shows what loading costs by the number of files, partials or
// blocks.
func BenchmarkGrowth(b *testing.B) {
	for name, folder := range growing {
		for n := 1; n <= folderSize(); n *= 10 {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				fsys := files(folder(n))
				b.ReportAllocs()
				for b.Loop() {
					load(b, fsys)
				}
			})
		}
	}
}
