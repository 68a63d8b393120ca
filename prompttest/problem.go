package prompttest

import (
	"fmt"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/problem"
	"github.com/mcp-prompts/prompts/transport"
)

const logsKnow = "\n\tThe log of the server has the cause (prompts.Options.Logger)."

// explain returns all that a client gets to know of an error, for people.
func explain(err *prompts.Error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "got the error %d (%s): %s", int(err.Code), codeName(err.Code), err.Message)
	problems := problem.Of(err)
	for _, p := range problems {
		fmt.Fprintf(&b, "\n\targument %q: %s (%s", p.Argument, p.Message, p.Reason)
		if p.Allowed != nil {
			fmt.Fprintf(&b, "; allowed: %s", p.Allowed)
		}
		if p.Suggestion != "" {
			fmt.Fprintf(&b, "; suggestion: %q", p.Suggestion)
		}
		b.WriteString(")")
	}
	if err.Data != nil && len(problems) == 0 {
		fmt.Fprintf(&b, "\n\tdata: %s", golden.JSON(err.Data))
	}
	switch err.Code {
	case prompts.CodeInternalError:
		b.WriteString(logsKnow)
	case transport.CodeMissingCapability:
		b.WriteString("\n\tThe prompt asks the user: set ClientOptions.Answer of the client.")
	}
	return b.String()
}

func codeName(code transport.Code) string {
	switch code {
	case transport.CodeParseError:
		return "parse error"
	case transport.CodeInvalidRequest:
		return "invalid request"
	case prompts.CodeMethodNotFound:
		return "method not found"
	case prompts.CodeInvalidParams:
		return "invalid params"
	case prompts.CodeInternalError:
		return "internal error"
	case transport.CodeHeaderMismatch:
		return "header mismatch"
	case transport.CodeMissingCapability:
		return "missing client capability"
	case transport.CodeUnsupportedVersion:
		return "unsupported protocol version"
	}
	return "of the application"
}

// received returns what a failure repeats of a message from the server.
func received(msg []byte) string {
	if len(msg) == 0 {
		return "Received an empty message."
	}
	return "Received: " + excerpt(msg)
}
