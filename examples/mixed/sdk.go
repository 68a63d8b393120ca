package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const runbooks = "runbook:///"

type statusInput struct {
	Service string `json:"service" jsonschema:"the service to look at"`
}

type statusOutput struct {
	Status string `json:"status" jsonschema:"how it is"`
}

func addTools(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{Name: "service_status", Description: "Returns the status of a service"}, status)
}

func status(_ context.Context, _ *mcp.CallToolRequest, in statusInput) (*mcp.CallToolResult, statusOutput, error) {
	s, ok := find(in.Service)
	if !ok {
		return nil, statusOutput{}, fmt.Errorf("unknown service %q", in.Service)
	}
	return nil, statusOutput{Status: s.status}, nil
}

func addResources(server *mcp.Server) {
	for _, s := range services {
		server.AddResource(&mcp.Resource{
			URI:         runbooks + s.name,
			Name:        s.name,
			Description: "What to do when " + s.name + " fails",
			MIMEType:    "text/markdown",
		}, runbook)
	}
}

func runbook(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	s, ok := find(strings.TrimPrefix(req.Params.URI, runbooks))
	if !ok {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: req.Params.URI, MIMEType: "text/markdown", Text: s.runbook},
	}}, nil
}
