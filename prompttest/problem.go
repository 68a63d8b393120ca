package prompttest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcp-prompts/prompts"
)

// Reasons returns what is wrong with the arguments of a request, for an error
// that says so: the reason by argument, such as "missing" or "enum". See
// [prompts.Error] for the words. It returns nil for any other error.
func Reasons(err *prompts.Error) map[string]string {
	var reasons map[string]string
	for _, p := range problemsOf(err) {
		if reasons == nil {
			reasons = map[string]string{}
		}
		reasons[p.Argument] = p.Reason
	}
	return reasons
}

type problem struct{ Argument, Reason, Message string }

func problemsOf(err *prompts.Error) []problem {
	if err == nil || err.Data == nil {
		return nil
	}
	var data struct{ Problems []problem }
	raw, _ := json.Marshal(err.Data) // it came as JSON
	_ = json.Unmarshal(raw, &data)
	return data.Problems
}

// explain returns all that a client gets to know of an error.
func explain(err *prompts.Error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "the client gets the error %d (%s): %s", int(err.Code), codeName(err.Code), err.Message)
	for _, p := range problemsOf(err) {
		fmt.Fprintf(&b, "\n\targument %q: %s (%s)", p.Argument, p.Message, p.Reason)
	}
	if err.Data != nil {
		data, _ := json.MarshalIndent(err.Data, "\t", "\t")
		fmt.Fprintf(&b, "\n\tdata: %s", data)
	}
	if err.Code == prompts.CodeInternalError {
		b.WriteString("\n\tOptions.Logger of the server has the cause")
	}
	return b.String()
}

func codeName(code prompts.Code) string {
	switch code {
	case prompts.CodeParseError:
		return "parse error"
	case prompts.CodeInvalidRequest:
		return "invalid request"
	case prompts.CodeMethodNotFound:
		return "method not found"
	case prompts.CodeInvalidParams:
		return "invalid params"
	case prompts.CodeInternalError:
		return "internal error"
	case prompts.CodeMissingCapability:
		return "missing client capability"
	case prompts.CodeUnsupportedVersion:
		return "unsupported protocol version"
	}
	return "of the application"
}

// maxExcerpt is how much of a message a failure repeats.
const maxExcerpt = 2048

func excerpt(msg []byte) string {
	if len(msg) > maxExcerpt {
		return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(string(msg[:maxExcerpt]), ""), len(msg))
	}
	return string(msg)
}
