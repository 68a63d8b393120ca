package promptfs_test

import (
	"fmt"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptskills"
)

// BenchmarkSkills measures 10,000 skills of 10 files, of 1 KiB each, on disk: the
// first load, the memory, a page of skills/list, and a reload after one change.
func BenchmarkSkills(b *testing.B) {
	d := &dirOfSkills{path: b.TempDir()}
	d.t = new(testing.T)
	content := make([]byte, 1000)
	for i := range folderSize() {
		name := fmt.Sprintf("s%d", i)
		d.write(fmt.Sprintf("g%d/%s/SKILL.md", i%100, name), skillMD(name))
		for j := range 9 {
			d.write(fmt.Sprintf("g%d/%s/f%d", i%100, name, j), fmt.Sprint(i, j, string(content)))
		}
	}
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		begin := time.Now()
		var skills promptskills.Registry
		folder := promptfs.NewDir(new(prompts.Registry), d.path, promptfs.Options{Skills: &skills, DisableSkillPrompts: true, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(b, folder.Reload(b.Context()))
		b.ReportMetric(time.Since(begin).Seconds()*1e3, "load-ms")
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB")
		f, err := promptskills.New(&skills, promptskills.Options{})
		require.NoError(b, err)
		srv := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Features: []feature.Feature{f}})
		begin = time.Now()
		for range 100 {
			_, err := srv.Call(b.Context(), "skills/list", nil, prompts.CallOptions{Version: "2025-11-25"})
			require.NoError(b, err)
		}
		b.ReportMetric(time.Since(begin).Seconds()*1e4, "page-µs")
		d.write("g1/s1/f1", fmt.Sprint(time.Now()))
		begin = time.Now()
		require.NoError(b, folder.Reload(b.Context()))
		b.ReportMetric(time.Since(begin).Seconds()*1e3, "change-ms")
		require.Equal(b, folderSize(), skills.Len())
	}
}
