// Package soak serves prompts over streams of bytes and over Streamable HTTP to
// well-behaved and hostile clients for a while:
//
//	go test ./internal/servertest/soak -v -for 60s -seed 1
//
// A well-behaved client of each protocol version knows what every response must
// be, while the prompts change. A hostile client keeps no rule, and must cost the
// others nothing. The seed and the number of a client decide what the client
// does, not when. Each client lives at least once, so no test depends on the
// speed of the machine.
//
// A test fails if a response is wrong, missing or sent twice, if a cancelled request
// continues, if a request, a session or a goroutine is left at the end, and if the heap
// has grown. If MCP_SCHEMA_DIR is set, the specification's schemas check some
// connections.
package soak
