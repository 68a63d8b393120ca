package promptnats

import "time"

// Fast returns the options with short times, for tests that wait for them.
func Fast(o Options) Options {
	o.timing = timing{
		request: 2 * time.Second, heartbeat: 2 * time.Second, ping: time.Second, check: 100 * time.Millisecond, patience: 300 * time.Millisecond, publisher: 30 * time.Second,
		wait: 20 * time.Millisecond, most: 200 * time.Millisecond,
	}
	if o.Files.Debounce == 0 {
		o.Files.Debounce = 20 * time.Millisecond
	}
	return o
}

// Source is what the Source of each prompt of a place begins with.
func Source(bucket, prefix string) string { return place{bucket, prefix}.source() }
