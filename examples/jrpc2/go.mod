module github.com/mcp-prompts/prompts/examples/jrpc2

go 1.26.0

require (
	github.com/creachadair/jrpc2 v1.3.6
	github.com/mcp-prompts/prompts v0.0.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/creachadair/mds v0.31.0 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sync v0.24.0 // indirect
)

replace github.com/mcp-prompts/prompts => ../..
