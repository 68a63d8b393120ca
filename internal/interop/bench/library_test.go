package bench_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// server answers a request with one call of answer, which must not keep msg.
type server func(request []byte, answer func(msg []byte)) error

// setup says what a server is to have.
type setup struct {
	prompts int  // how many
	page    int  // how many of them in one answer
	checked bool // their arguments have constraints, where the library knows some
}

// usual is the setup of the rows that name no other.
var usual = setup{prompts: promptCount, page: pageSize}

// subject is a server with its prompts.
type subject struct {
	ask    server
	add    func(e entry) error
	remove func(names ...string)
}

// library is one of those that are compared, behind one of its boundaries.
type library struct {
	name  string
	start func(tb testing.TB, o setup) *subject // which has the revision agreed on
}

// libraries are compared wherever a request is answered.
var libraries = []library{
	{"prompts", startHandle},
	{"go-sdk", startGoSDK},
	{"mcp-go", startMCPGo},
}

// boundaries are libraries and what a connection costs beside the boundary of
// prompts, without and with the time limit of a request.
var boundaries = []library{
	{"prompts", startHandle},
	{"prompts-serve-unlimited", startServeUnlimited},
	{"prompts-serve", startServe},
	{"go-sdk", startGoSDK},
	{"mcp-go", startMCPGo},
}

// TestServers wants of every server what a benchmark wants before it measures.
func TestServers(t *testing.T) {
	t.Parallel()
	few := setup{prompts: 1000, page: pageSize}
	checked := setup{prompts: 1, page: pageSize, checked: true}
	for _, l := range boundaries {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			s := l.start(t, few)
			verifyGet(t, s.ask, few)
			verifyList(t, s.ask, few)
			verifyAdd(t, s, few)
			_, inTime := verifyWalk(t, s.ask, few)
			assert.True(t, inTime)
			verifyGet(t, l.start(t, checked).ask, checked)
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
