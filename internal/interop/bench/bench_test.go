package bench_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// server answers a request with one call of answer, which must not keep msg.
type server func(request []byte, answer func(msg []byte)) error

var servers = []struct {
	name  string
	start func(tb testing.TB) server // which has the revision agreed on
}{
	{"prompts", startHandle},
	{"prompts-serve", startServe},
	{"go-sdk", startGoSDK},
	{"mcp-go", startMCPGo},
}

func TestServers(t *testing.T) {
	t.Parallel()
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			verify(t, s.start(t))
		})
	}
}

// BenchmarkGet renders a prompt with two arguments and one message.
func BenchmarkGet(b *testing.B) {
	for _, s := range servers {
		b.Run(s.name, func(b *testing.B) {
			srv := s.start(b)
			verify(b, srv)
			measure(b, srv, getRequest(b))
		})
	}
}

// BenchmarkGetStateless does the same for a request with its own envelope.
func BenchmarkGetStateless(b *testing.B) {
	for _, s := range servers {
		b.Run(s.name, func(b *testing.B) {
			srv := s.start(b)
			verify(b, srv)
			measure(b, srv, statelessGetRequest(b))
		})
	}
}

// BenchmarkList lists 100 prompts out of the middle of 10,000.
func BenchmarkList(b *testing.B) {
	for _, s := range servers {
		b.Run(s.name, func(b *testing.B) {
			srv := s.start(b)
			measure(b, srv, verify(b, srv))
		})
	}
}

func measure(b *testing.B, s server, request []byte) {
	sent := 0
	count := func(msg []byte) { sent += len(msg) }
	b.ReportAllocs()
	for b.Loop() {
		if err := s(request, count); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(request)), "B-in/op")
	b.ReportMetric(float64(sent)/float64(b.N), "B-out/op")
}

// initialize shakes hands; after notifications/initialized the server is
// ready.
func initialize(tb testing.TB, s server) {
	tb.Helper()
	ask(tb, s, initializeRequest(tb), func(result json.RawMessage) {
		var got struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		require.NoError(tb, json.Unmarshal(result, &got))
		require.Equal(tb, "2025-11-25", got.ProtocolVersion)
	})
}
