// Package interop tests this library with the clients and servers of other
// projects. It is a module of its own, so that users of the library do not
// download the dependencies of these tests. Its folders are:
//
//   - fixtures: the prompts of the servers under test, which fixture.json
//     describes, and an HTTP server for them;
//   - fixture: the server under test, over HTTP also with the tools and resources
//     that the conformance suite expects;
//   - mounted: the same prompts on servers of other SDKs, by packages mount/…;
//   - testdata/codereview_main.go.txt: a main function that serves the prompts of
//     examples/codereview as tools over HTTP;
//   - gosdk and node: drivers that run the client of the official Go SDK and of
//     the official TypeScript SDK against any prompts server;
//   - transcripts: recorded sessions of other clients, whose messages are sent
//     to this library;
//   - record: records a session between a client and a server;
//   - conformance: the expected failures of the official conformance suite, by
//     protocol version, and what the suite needs to run; node installs the suite,
//     and the client of the scenarios in examples/fleet;
//   - skills: a folder of skills, for the conformance suite, the MCP Inspector and a
//     host that is written from the specification of skills alone;
//   - migrating: the programs of docs/migrating.md, and a test that runs them;
//   - bench: the speed of the library compared with other SDKs.
//
// The clients connect over standard input and output, over HTTP, and over HTTP
// through a reverse proxy; the conformance suite connects over HTTP only.
// internal/servertest/speccheck checks the recorded sessions against the schemas in
// MCP_SCHEMA_DIR: see CONTRIBUTING.md. The tests also need npm. They build and
// read files outside of this module, and the cache of test results does not notice
// changes of those files, so run them without the cache:
//
//	go test -count=1 ./...
//
// A driver gets the server as its argument:
//
//	gosdk --config fixture.json [--protocol-version V] [--expect-version V] [--skip CHECK,…] (--url URL | -- SERVER ARGS…)
//	node node/ts1.mjs …the same…
//
// It prints a line "PASS|FAIL|SKIP driver check detail" for each check, then a
// SUMMARY, and exits with 1 if a check failed. It skips a check that the
// configuration does not mention or that the protocol version does not have.
package interop
