package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"
)

const (
	// ticks is how many samples are taken of a run, and shown how many of
	// them have a line.
	ticks, shown = 40, 10
	// What the heap may grow by over the second half of a run: a part of it,
	// and what is under way at the moment.
	toleratedShare = 0.2
	toleratedBytes = 8 << 20
)

// sample is what the process has held at a time.
type sample struct {
	at         time.Duration
	goroutines int
	heap       uint64 // that is alive
	inUse      uint64
	stacks     uint64
	pause      time.Duration // the longest of the process since the last line
}

func takeSample(began time.Time) sample {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return sample{time.Since(began), runtime.NumGoroutine(), m.HeapAlloc, m.HeapInuse, m.StackInuse, 0}
}

// watch takes samples until ctx ends, and then the last one, and returns them.
func watch(ctx context.Context, length time.Duration, paused *pauses, w io.Writer) []sample {
	began := time.Now()
	every := time.NewTicker(max(length/ticks, time.Millisecond))
	defer every.Stop()
	fmt.Fprintf(w, "%10s  %10s  %10s  %10s  %10s  %10s\n", "time", "goroutines", "heap KiB", "in use", "stacks", "pause")
	var all []sample
	pause := time.Duration(0) // of all samples since the last line
	for isOver := false; !isOver; {
		select {
		case <-ctx.Done():
			isOver = true
		case <-every.C:
		}
		s := takeSample(began)
		pause = max(pause, paused.take())
		s.pause = pause
		if all = append(all, s); isOver || len(all)%(ticks/shown) == 0 && len(all) < ticks {
			s.print(w)
			pause = 0
		}
	}
	return all
}

func (s sample) print(w io.Writer) {
	fmt.Fprintf(w, "%10v  %10d  %10d  %10d  %10d  %10v\n",
		s.at.Round(10*time.Millisecond), s.goroutines, s.heap>>10, s.inUse>>10, s.stacks>>10, s.pause.Round(time.Millisecond))
}

// growth returns what the line through the heap of the second half of the
// samples rises by, and how much of that is tolerated.
func growth(all []sample) (bytes, tolerated float64) {
	half := all[len(all)/2:]
	if len(half) < 2 {
		return 0, toleratedBytes
	}
	var x, y float64 // their means
	for _, s := range half {
		x += s.at.Seconds() / float64(len(half))
		y += float64(s.heap) / float64(len(half))
	}
	var xy, xx float64
	for _, s := range half {
		dx := s.at.Seconds() - x
		xy += dx * (float64(s.heap) - y)
		xx += dx * dx
	}
	length := half[len(half)-1].at - half[0].at
	if xx == 0 {
		return 0, toleratedBytes
	}
	return xy / xx * length.Seconds(), toleratedShare*y + toleratedBytes
}
