module github.com/mcp-prompts/prompts/mount/internal/core

go 1.26.0

require (
	github.com/mcp-prompts/prompts v0.0.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/google/jsonschema-go v0.4.3 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace github.com/mcp-prompts/prompts => ../../..
