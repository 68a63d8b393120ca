// Auth is a prompts server of this library behind the authorization middleware of
// the official Go SDK: OAuth bearer tokens, protected resource metadata (RFC 9728),
// and prompts that differ by scope.
//
//	go -C examples/mixed run ./auth -listen 127.0.0.1:8080
//
//	curl -i http://127.0.0.1:8080/mcp -X POST
//	curl -s http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp
//
// A real server verifies the tokens of an authorization server in verify; the two
// here are for trying it.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "serve at the `address`")
	flag.Parse()
	server := &http.Server{Addr: *listen, Handler: newHandler("http://" + *listen), ReadTimeout: 30 * time.Second}
	log.Fatal(server.ListenAndServe()) // examples/http has the orderly end
}

const metadataPath = "/.well-known/oauth-protected-resource/mcp"

// newHandler serves the prompts at /mcp of the base URL, and the metadata that leads
// a client without a token to the authorization server.
func newHandler(base string) http.Handler {
	srv := prompts.MustNewServer(registry(), prompts.Options{
		Info:      prompts.Implementation{Name: "auth", Version: "1.0.0"},
		Principal: userID,
		Visible:   isAllowed,
	})
	requireToken := auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{
		ResourceMetadataURL: base + metadataPath,
		Scopes:              []string{"prompts"},
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", requireToken(streamablehttp.MustNewHandler(srv, streamablehttp.Options{})))
	mux.Handle(metadataPath, auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource:             base + "/mcp",
		AuthorizationServers: []string{"https://login.example.org"},
		ScopesSupported:      []string{"prompts", "write"},
	}))
	return mux
}

// verify returns who a token belongs to. The middleware checks the scopes and the
// expiration.
func verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	info := &auth.TokenInfo{Expiration: time.Now().Add(time.Hour)}
	switch token {
	case "editor-token":
		info.UserID, info.Scopes = "ada", []string{"prompts", "write"}
	case "reader-token":
		info.UserID, info.Scopes = "bob", []string{"prompts"}
	default:
		return nil, fmt.Errorf("%w: unknown", auth.ErrInvalidToken)
	}
	return info, nil
}

// userID is the principal: sessions and states are valid only for the user that they
// were made for.
func userID(ctx context.Context) (string, error) {
	if info := auth.TokenInfoFromContext(ctx); info != nil {
		return info.UserID, nil
	}
	return "", nil
}

// isAllowed is the filter: a prompt with tags is for tokens with one of them as a scope.
func isAllowed(ctx context.Context, p prompts.Prompt) (bool, error) {
	info := auth.TokenInfoFromContext(ctx)
	return len(p.Tags) == 0 || info != nil && slices.ContainsFunc(p.Tags, func(tag string) bool { return slices.Contains(info.Scopes, tag) }), nil
}

type article struct {
	Text string `json:"text" jsonschema:"the article" minLength:"1"`
}

func registry() *prompts.Registry {
	var reg prompts.Registry
	reg.MustAdd(
		prompts.NewText(prompts.Prompt{Name: "summarize", Description: "Summarizes an article"},
			func(_ context.Context, in article) (string, error) {
				return "Summarize this article:\n" + prompts.Fence("", in.Text), nil
			}),
		prompts.NewText(prompts.Prompt{Name: "rewrite", Description: "Rewrites an article in the house style", Tags: []string{"write"}},
			func(_ context.Context, in article) (string, error) {
				return "Rewrite this article in our house style:\n" + prompts.Fence("", in.Text), nil
			}),
	)
	return &reg
}
