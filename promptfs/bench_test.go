package promptfs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// many is a folder of n prompts as people write them, of about a kilobyte,
// with two arguments and a partial.
func many(n int) map[string]string {
	const text = `---
title: Review %[1]d
description: Reviews a change for what number %[1]d is about
tags: [review]
arguments:
  - name: code
    description: the code to review
    required: true
  - name: language
    description: its programming language
    enum: [go, python, rust]
---

Please review this code, with an eye on what number %[1]d is about:

{{fence .language .code}}

{{template "tone"}}

`
	padding := "- Look at the names, at what can fail, at what is not tested, and at what could be left out.\n"
	all := map[string]string{"_partials/tone.md": "Be kind, and be brief."}
	for i := range n {
		body := fmt.Sprintf(text, i)
		for len(body) < 1000 {
			body += padding
		}
		all[fmt.Sprintf("%02d/%04d.md", i%100, i)] = body
	}
	return all
}

func inMemory(n int) fstest.MapFS {
	fsys := files(many(n))
	for _, f := range fsys {
		f.ModTime = time.Now().Add(-time.Hour)
	}
	return fsys
}

func onDisk(b *testing.B, n int) string {
	dir := b.TempDir()
	for path, text := range many(n) {
		full := filepath.Join(dir, filepath.FromSlash(path))
		require.NoError(b, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(b, os.WriteFile(full, []byte(text), 0o600))
		old := time.Now().Add(-time.Hour)
		require.NoError(b, os.Chtimes(full, old, old))
	}
	return dir
}

// folderSize is the number of prompts in the folder of a benchmark: 10,000, or 100 with
// -short.
func folderSize() int {
	if testing.Short() {
		return 100
	}
	return 10_000
}

func BenchmarkLoad(b *testing.B) {
	b.Run("memory", func(b *testing.B) {
		fsys := inMemory(folderSize())
		b.ReportAllocs()
		for b.Loop() {
			loaded, err := promptfs.Load(fsys, promptfs.Options{})
			require.NoError(b, err)
			require.Len(b, loaded, folderSize())
		}
	})
	b.Run("disk", func(b *testing.B) {
		root, err := os.OpenRoot(onDisk(b, folderSize()))
		require.NoError(b, err)
		defer root.Close()
		b.ReportAllocs()
		for b.Loop() {
			_, err := promptfs.Load(root.FS(), promptfs.Options{})
			require.NoError(b, err)
		}
	})
}

func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkFolder measures the first reload, with what stays in memory of the
// registry and the Folder, and one after a file has changed.
func BenchmarkFolder(b *testing.B) {
	b.Run("first/disk", func(b *testing.B) {
		dir := onDisk(b, folderSize())
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			before := heap()
			var reg prompts.Registry
			folder := promptfs.NewDir(&reg, dir, promptfs.Options{})
			b.StartTimer()
			require.NoError(b, folder.Reload(b.Context()))
			b.StopTimer()
			b.ReportMetric((heap()-before)/1e6, "MB-kept")
			runtime.KeepAlive(folder)
			b.StartTimer()
		}
	})
	b.Run("one/memory", func(b *testing.B) {
		fsys := inMemory(folderSize())
		var reg prompts.Registry
		folder := promptfs.NewFolder(&reg, fsys, promptfs.Options{})
		require.NoError(b, folder.Reload(b.Context()))
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			fsys["00/0000.md"] = &fstest.MapFile{Data: fmt.Appendf(nil, "text %d", i), ModTime: time.Now()}
			require.NoError(b, folder.Reload(b.Context()))
		}
	})
	for _, change := range []int{0, 1} {
		b.Run([]string{"none/disk", "one/disk"}[change], func(b *testing.B) {
			dir := onDisk(b, folderSize())
			var reg prompts.Registry
			folder := promptfs.NewDir(&reg, dir, promptfs.Options{})
			require.NoError(b, folder.Reload(b.Context()))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if change == 1 {
					require.NoError(b, os.WriteFile(filepath.Join(dir, "00", "0000.md"), fmt.Appendf(nil, "text %d", i), 0o600))
				}
				require.NoError(b, folder.Reload(b.Context()))
			}
		})
	}
}

// BenchmarkMirror measures one change of a file, and of a partial that all
// prompts use.
func BenchmarkMirror(b *testing.B) {
	for _, path := range []string{"00/0000.md", "_partials/tone.md"} {
		b.Run(path, func(b *testing.B) {
			var reg prompts.Registry
			m := promptfs.NewMirror(&reg, promptfs.Options{})
			var all []promptfs.File
			for path, text := range many(folderSize()) {
				all = append(all, put(path, text, 1))
			}
			require.NoError(b, m.Reset(b.Context(), all...))
			b.ReportAllocs()
			for i := uint64(2); b.Loop(); i++ {
				require.NoError(b, m.Apply(b.Context(), put(path, fmt.Sprintf("text %d", i), i)))
			}
		})
	}
}
