package bench_test

import "runtime"

// inUse returns the bytes of heap and of stacks that are in use.
func inUse() float64 {
	var m runtime.MemStats
	// What a pool holds is let go at the second collection.
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}
