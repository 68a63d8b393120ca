module github.com/mcp-prompts/prompts/promptoci

go 1.26.0

require (
	github.com/gofrs/flock v0.13.2
	github.com/google/go-containerregistry v0.22.1
	github.com/mcp-prompts/prompts v0.0.0
	github.com/mcp-prompts/prompts/promptfs v0.0.0
	github.com/opencontainers/go-digest v1.0.0
	github.com/opencontainers/image-spec v1.1.1
	github.com/stretchr/testify v1.12.1
	golang.org/x/sync v0.25.0
	golang.org/x/text v0.43.0
	oras.land/oras-go/v2 v2.7.0
)

require (
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/klauspost/compress v1.19.2 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	go.yaml.in/yaml/v4 v4.0.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/mcp-prompts/prompts => ..

replace github.com/mcp-prompts/prompts/promptfs => ../promptfs
