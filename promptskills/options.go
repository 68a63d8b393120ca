package promptskills

import (
	"context"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/cursor"
)

// Options configures the skills of a server. The zero value of each field is its
// default and the safe choice.
type Options struct {
	// PageSize is the number of skills, resources or files in one response. Some
	// clients read the first page only. Default: 1,000.
	PageSize int
	// ClientCache sets how long clients of protocol version 2026-07-28 may cache lists, entries
	// and files. Clients compare files with their digests even within this time. Public has no
	// effect if Visible is set, here or in the options of the server. Default: not at all.
	ClientCache feature.ClientCache
	// Visible, if not nil, reports whether the client in ctx may see a skill. A hidden skill is
	// missing from lists, from the entries of skills above it and from directories, and unknown
	// in every other request. s must not be changed. The rules for ctx are those of a
	// prompts.RenderFunc. After an error the request fails with an internal error, and the
	// logger of the server gets the error. It may be called concurrently.
	Visible func(ctx context.Context, s Skill) (bool, error)
	// ReadsPerSecond is the number of resources/read requests per second that one client may send.
	// Twice the rate may come at once. The next request is rejected (-32603). Default: no
	// limit; negative: no limit.
	ReadsPerSecond float64
	// Resources are the application's own resources, which the server lists and reads
	// in addition to the files of skills. Default: none.
	Resources Resources
}

const defaultPageSize = cursor.DefaultPageSize

// Resources are resources of the application. Their URIs must not begin with
// skill://. Each function may be nil. The rules for ctx are those of a
// prompts.RenderFunc. The functions may be called concurrently.
type Resources struct {
	// List returns all resources for resources/list. The server makes the pages, in
	// the order of the URIs.
	List func(ctx context.Context) ([]prompts.ResourceLink, error)
	// Templates returns all templates for resources/templates/list.
	Templates func(ctx context.Context) ([]Template, error)
	// Read returns the contents of a resource, or [ErrUnknownResource] for an
	// unknown URI. An empty URI in the result stands for the URI of the request.
	Read func(ctx context.Context, uri string) ([]prompts.EmbeddedResource, error)
	// OnChange calls changed for each change of the list, until cancel is called. changed
	// returns at once and may be called concurrently.
	OnChange func(changed func()) (cancel func())
	// Subscribe calls changed for each change of a resource, until cancel is called.
	// Without Subscribe, clients cannot subscribe to the application's resources.
	Subscribe func(ctx context.Context, uri string, changed func()) (cancel func(), err error)
}

// Template is a template for the URIs of resources, sent by resources/templates/list.
type Template struct {
	URITemplate string // required, RFC 6570
	Name        string // required
	Title       string
	Description string
	MIMEType    string
}
