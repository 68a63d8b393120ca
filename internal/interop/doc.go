// Package interop holds the tests that clients of other people's making run
// against this library, and what they need:
//
//   - fixtures: the prompts of the servers under test, which fixture.json expects,
//     and what serves them over HTTP;
//   - fixture: the server under test, and over HTTP the tools and resources that
//     the conformance suite wants;
//   - mounted: the same prompts on servers of other SDKs, by packages mount/…;
//   - transcripts: sessions of other people's clients with another server, whose
//     client's part is sent to this library's;
//   - gosdk and node: drivers that aim the client of the official Go SDK, and
//     that of the official TypeScript SDK, at any prompts server;
//   - conformance: what the official conformance suite needs to run, and what it
//     is expected to find missing, by revision; node installs the suite;
//   - record: stands between a client and a server and writes down the session;
//   - bench: the library's speed beside that of other SDKs.
//
// It is a module of its own, so that a user of the library never downloads
// what only these tests need. What was recorded of a session is judged by
// internal/speccheck of the library's module. The tests want npm, and the
// environment variable MCP_SCHEMA_DIR: a folder with the specification's
// schema.json files, each under the name of its revision, such as
// 2025-11-25.json. They build and read what lies outside of this module, of
// which the cache of test results knows nothing, so they are run with
//
//	go test -count=1 ./...
//
// The clients meet the fixture over standard input and output, over HTTP, and
// over HTTP through a reverse proxy; the suite knows only HTTP.
//
// A driver takes the server as its argument and knows nothing of how it is
// built:
//
//	gosdk --config fixture.json [--protocol-version V] [--expect-version V] [--skip CHECK,…] (--url URL | -- SERVER ARGS…)
//	node node/ts1.mjs …the same…
//
// It prints a line for each check, "PASS|FAIL|SKIP driver check detail", and a
// SUMMARY, and exits with 1 if a check failed. A check that the configuration
// says nothing about is skipped, and one of something that the revision does
// not have.
package interop
