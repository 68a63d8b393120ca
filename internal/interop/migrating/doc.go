// Package migrating holds the code of docs/migrating.md, and what the servers
// in it say: three prompts on the official Go SDK, on mcp-go and on this
// library.
package migrating
