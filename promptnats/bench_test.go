package promptnats_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptnats"
)

// folderSize is the number of prompts in the folder of a benchmark: 10,000, or 100 with
// -short.
func folderSize() int {
	if testing.Short() {
		return 100
	}
	return 10_000
}

// many is a folder of n prompts of about a kilobyte, with two arguments.
func many(n int) fstest.MapFS {
	fsys := fstest.MapFS{"_partials/tone.md": {Data: []byte("Be kind, and be brief.")}}
	for i := range n {
		fsys[fmt.Sprintf("%02d/%04d.md", i%100, i)] = &fstest.MapFile{Data: []byte(prompt(i, ""))}
	}
	return fsys
}

func prompt(i int, text string) string {
	body := fmt.Sprintf(`---
title: Review %[1]d
description: Reviews a change for what number %[1]d is about
arguments:
  - name: code
    description: the code to review
    required: true
  - name: language
    enum: [go, python, rust]
---

Please review this code: %[2]s

{{fence .language .code}}

{{template "tone"}}

`, i, text)
	for len(body) < 1000 {
		body += "- Look at the names, at what can fail, at what is not tested, and at what could be left out.\n"
	}
	return body
}

func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}

// BenchmarkPublish measures the first time, and one when nothing has changed.
func BenchmarkPublish(b *testing.B) {
	js := connect(b, startBroker(b, nil).url())
	kv := newBucket(b, js)
	fsys := many(folderSize())
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			require.NoError(b, js.DeleteKeyValue(b.Context(), bucket))
			kv = newBucket(b, js)
			b.StartTimer()
			_, err := promptnats.Publish(b.Context(), js, bucket, fsys, promptnats.Options{})
			require.NoError(b, err)
		}
	})
	b.Run("same", func(b *testing.B) {
		for b.Loop() {
			_, err := promptnats.Publish(b.Context(), js, bucket, fsys, promptnats.Options{})
			require.NoError(b, err)
		}
	})
	_ = kv
}

// BenchmarkFollow measures the load, with what is kept, and the time from a
// write to the registry, of which Debounce is a millisecond.
func BenchmarkFollow(b *testing.B) {
	js := connect(b, startBroker(b, nil).url())
	kv := newBucket(b, js)
	_, err := promptnats.Publish(b.Context(), js, bucket, many(folderSize()), promptnats.Options{})
	require.NoError(b, err)
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			before := heap()
			var reg prompts.Registry
			b.StartTimer()
			f, err := promptnats.Follow(b.Context(), &reg, js, bucket, promptnats.Options{Timeout: time.Minute})
			require.NoError(b, err)
			b.StopTimer()
			b.ReportMetric(heap()-before, "MB-kept")
			require.Equal(b, folderSize(), reg.Len())
			f.Close()
			b.StartTimer()
		}
	})
	b.Run("change", func(b *testing.B) {
		var reg prompts.Registry
		f, err := promptnats.Follow(b.Context(), &reg, js, bucket, promptnats.Options{Timeout: time.Minute, Files: promptfs.Options{Debounce: time.Millisecond}})
		require.NoError(b, err)
		defer f.Close()
		changed, cancel := signals(reg.OnChange)
		defer cancel()
		for i := 0; b.Loop(); i++ {
			put(b, kv, "00/0000.md", prompt(0, fmt.Sprint(i)))
			<-changed
		}
	})
}
