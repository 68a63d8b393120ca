package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpgo "github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

const (
	count        = 100
	description  = "Reviews code"
	codeHelp     = "the code"
	languageHelp = "its language"
)

func promptName(i int) string { return fmt.Sprintf("prompt_%03d", i) }

func text(language, code string) string {
	return "Please review this " + language + " code:\n" + code
}

type review struct {
	Code     string `json:"code" jsonschema:"the code"`
	Language string `json:"language" jsonschema:"its language"`
}

// serveOne serves until the standard input ends.
func serveOne(name string) error {
	handler, err := handlerOf(name)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	announce(l)
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	return (&http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}).Serve(l)
}

func handlerOf(name string) (http.Handler, error) {
	switch name {
	case "prompts":
		return ours()
	case "mcp-go":
		return mcpgo.NewStreamableHTTPServer(mcpGo(), mcpgo.WithStateful(true)), nil
	case "go-sdk", "go-sdk, JSON":
		s := goSDK()
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{JSONResponse: name != "go-sdk"}), nil
	case "net/http echo":
		return http.HandlerFunc(echo), nil
	}
	return nil, fmt.Errorf("no server %q", name)
}

func ours() (http.Handler, error) {
	var reg prompts.Registry
	for i := range count {
		err := reg.Add(prompts.New(prompts.Prompt{Name: promptName(i), Description: description}, func(_ context.Context, in review) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(text(in.Language, in.Code))), nil
		}))
		if err != nil {
			return nil, err
		}
	}
	tools, err := prompttools.New(&reg, prompttools.Options{Select: func(prompts.Prompt) bool { return true }})
	if err != nil {
		return nil, err
	}
	srv, err := prompts.NewServer(&reg, prompts.Options{Features: []feature.Feature{tools}})
	if err != nil {
		return nil, err
	}
	return streamablehttp.NewHandler(srv, streamablehttp.Options{})
}

func goSDK() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "load", Version: "1.0.0"}, nil)
	for i := range count {
		s.AddPrompt(&sdk.Prompt{Name: promptName(i), Description: description, Arguments: []*sdk.PromptArgument{
			{Name: "code", Description: codeHelp, Required: true}, {Name: "language", Description: languageHelp, Required: true},
		}}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			in := r.Params.Arguments
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text(in["language"], in["code"])}}}}, nil
		})
		sdk.AddTool(s, &sdk.Tool{Name: promptName(i), Description: description}, func(_ context.Context, _ *sdk.CallToolRequest, in review) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text(in.Language, in.Code)}}}, nil, nil
		})
	}
	return s
}

func mcpGo() *mcpgo.MCPServer {
	s := mcpgo.NewMCPServer("load", "1.0.0", mcpgo.WithPromptCapabilities(true), mcpgo.WithToolCapabilities(true))
	for i := range count {
		s.AddPrompt(mcp.NewPrompt(promptName(i), mcp.WithPromptDescription(description),
			mcp.WithArgument("code", mcp.ArgumentDescription(codeHelp), mcp.RequiredArgument()),
			mcp.WithArgument("language", mcp.ArgumentDescription(languageHelp), mcp.RequiredArgument()),
		), func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			in := r.Params.Arguments
			return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text(in["language"], in["code"])))}}, nil
		})
		s.AddTool(mcp.NewTool(promptName(i), mcp.WithDescription(description),
			mcp.WithString("code", mcp.Description(codeHelp), mcp.Required()), mcp.WithString("language", mcp.Description(languageHelp), mcp.Required()),
		), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(text(r.GetString("language", ""), r.GetString("code", ""))), nil
		})
	}
	return s
}

// echo reads a request, and responds with about as many bytes as the others.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}
