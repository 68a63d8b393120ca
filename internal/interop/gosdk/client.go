package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is a connected client.
type client struct {
	*mcp.ClientSession
	changed  chan struct{}                        // has a message if the list has changed since the last receive
	progress chan *mcp.ProgressNotificationParams // what has arrived
	answer   atomic.Pointer[mcp.ElicitResult]     // to all questions
	asked    atomic.Int64                         // how many questions there were
}

// maxProgress is how many notifications of progress are kept.
const maxProgress = 100

func connect(ctx context.Context, o options) (*client, error) {
	c := &client{
		changed:  make(chan struct{}, 1),
		progress: make(chan *mcp.ProgressNotificationParams, maxProgress),
	}
	settings := &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
		PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) {
			select {
			case c.changed <- struct{}{}:
			default: // one is pending already
			}
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			select {
			case c.progress <- r.Params:
			default: // more than anyone looks at
			}
		},
	}
	if o.config.MRTR != nil {
		// The SDK declares the capability of a client that has a handler: with
		// a form from 2025-11-25 on, as an empty object before, and also in the
		// revisions that do not have it.
		settings.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			c.asked.Add(1)
			return c.answer.Load(), nil
		}
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "driver-gosdk", Version: "1.8.0"}, settings).
		Connect(ctx, transport(o), &mcp.ClientSessionOptions{ProtocolVersion: o.version})
	if err != nil {
		return nil, err
	}
	c.ClientSession = session
	return c, nil
}

func transport(o options) mcp.Transport {
	if o.url != "" {
		return &mcp.StreamableClientTransport{Endpoint: o.url}
	}
	cmd := exec.Command(o.command[0], o.command[1:]...)
	cmd.Stderr = os.Stderr
	return &mcp.CommandTransport{Command: cmd}
}

// version is the revision that the client and the server have agreed on.
func (c *client) version() string { return c.InitializeResult().ProtocolVersion }

// isStateless reports whether that revision has no handshake.
func (c *client) isStateless() bool { return c.version() >= "2026-07-28" }

// canBeAsked reports whether a server may ask for input in that revision.
func (c *client) canBeAsked() bool { return c.version() >= "2025-06-18" }

// completes reports whether that revision has a capability for completion.
func (c *client) completes() bool { return c.version() >= "2025-03-26" }

func (c *client) page(ctx context.Context, cursor string) (names []string, next string, err error) {
	result, err := c.ListPrompts(ctx, &mcp.ListPromptsParams{Cursor: cursor})
	if err != nil {
		return nil, "", err
	}
	for _, p := range result.Prompts {
		names = append(names, p.Name)
	}
	return names, result.NextCursor, nil
}

func (c *client) get(ctx context.Context, name string, args map[string]string) (messages, error) {
	return c.getWith(ctx, &mcp.GetPromptParams{Name: name, Arguments: args})
}

func (c *client) getWith(ctx context.Context, params *mcp.GetPromptParams) (messages, error) {
	result, err := c.GetPrompt(ctx, params)
	if err != nil {
		return messages{}, err
	}
	return flatten(result), nil
}

func (c *client) complete(ctx context.Context, k *completion) ([]string, error) {
	params := &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: k.Ref.Type, Name: k.Ref.Name, URI: k.Ref.URI},
		Argument: mcp.CompleteParamsArgument{Name: k.Argument.Name, Value: k.Argument.Value},
	}
	if k.Context != nil {
		params.Context = &mcp.CompleteContext{Arguments: k.Context.Arguments}
	}
	result, err := c.Complete(ctx, params)
	if err != nil {
		return nil, err
	}
	return result.Completion.Values, nil
}

// messages are what a prompt says, without their structure.
type messages struct {
	text  string // of all that have one, in lines
	types []string
	roles []string
}

func flatten(result *mcp.GetPromptResult) messages {
	var m messages
	var texts []string
	for _, message := range result.Messages {
		m.roles = append(m.roles, string(message.Role))
		switch content := message.Content.(type) {
		case *mcp.TextContent:
			texts = append(texts, content.Text)
			m.types = append(m.types, "text")
		case *mcp.EmbeddedResource:
			texts = append(texts, content.Resource.Text)
			m.types = append(m.types, "resource")
		case *mcp.ImageContent:
			m.types = append(m.types, "image")
		case *mcp.AudioContent:
			m.types = append(m.types, "audio")
		case *mcp.ResourceLink:
			m.types = append(m.types, "resource_link")
		default:
			m.types = append(m.types, fmt.Sprintf("%T", content))
		}
	}
	m.text = strings.Join(texts, "\n")
	return m
}

// expectCode turns an error that has one of the codes into a success.
func expectCode(err error, codes []int) (string, error) {
	if len(codes) == 0 {
		codes = []int{jsonrpc.CodeInvalidParams}
	}
	var e *jsonrpc.Error
	switch {
	case err == nil:
		return "", errors.New("no error")
	case !errors.As(err, &e):
		return "", fmt.Errorf("not an error of the server's: %w", err)
	case !slices.Contains(codes, int(e.Code)):
		return "", fmt.Errorf("code %d (%w), want one of %v", e.Code, err, codes)
	}
	return fmt.Sprintf("code %d: %v", e.Code, err), nil
}
