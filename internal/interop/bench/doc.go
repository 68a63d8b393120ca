// Package bench compares the library's speed with that of other SDKs, on one
// machine in one run. docs/benchmarks.md has its results. The benchmarks run with
// sizes that take no time, with those up to 10,000, or with all:
//
//	go test -run '^$' -bench . ./bench
//	go test -run '^$' -bench . ./bench -quick
//	go test -run '^$' -bench . ./bench -full
//
// Each server has the same prompts and gets the same requests, as near to its
// dispatcher as it can be reached from outside: bytes in, bytes out. Before
// anything is timed, each has to give the right answers. A name is
// Benchmark<work>/<library>/<case>, where the library is one of
//
//   - prompts: Session.Handle, on the goroutine of the caller.
//   - prompts-serve: Server.Serve over a transport of channels, so with the
//     goroutines and the time limit that a connection has;
//     prompts-serve-unlimited is the same without the time limit.
//   - go-sdk has no boundary without a connection: its server reads messages
//     on one goroutine and handles them on others. A mcp.Connection over the
//     same channels, with the SDK's own decoding and encoding, is the least
//     that is possible; it leaves out the framing of the SDK's in-memory and
//     stdio transports, and its HTTP handler.
//   - mcp-go: MCPServer.HandleMessage without a session, on the goroutine of
//     the caller, and json.Marshal of its answer.
//
// BenchmarkInFlight, BenchmarkHTTP and BenchmarkStart have each library behind
// its own transports instead.
package bench
