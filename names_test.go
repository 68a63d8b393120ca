package prompts_test

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/transport"
)

// The names, limits and errors that a client sees, written out: a test that
// took them from the library would follow the library's mistakes.

const (
	methodComplete = "completion/complete"
	methodElicit   = "elicitation/create"
	methodGet      = "prompts/get"
	methodList     = "prompts/list"
	methodRoots    = "roots/list"
	methodSample   = "sampling/createMessage"

	envelopeKey     = "io.modelcontextprotocol/protocolVersion"
	capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
	clientInfoKey   = "io.modelcontextprotocol/clientInfo"
	serverInfoKey   = "io.modelcontextprotocol/serverInfo"
	subscriptionKey = "io.modelcontextprotocol/subscriptionId"
	versionKey      = "io.github.mcp-prompts/version"
	inputSchemaKey  = "io.github.mcp-prompts/inputSchema"

	argumentsKey = "prompt.arguments" // of the question for missing arguments

	renderFailed   = "the prompt could not be rendered"
	completeFailed = "the argument could not be completed"
	listFailed     = "the prompts could not be listed"
)

const (
	maxBatch        = 1000
	maxCached       = 256
	maxCachedKey    = 4 << 10
	maxKey          = 128
	maxPooledBuffer = 64 << 10
	maxResponses    = 256 << 10
	maxSearched     = 10_000
	maxResultErrors = 16
	maxResultKey    = 4 << 10
	maxShared       = 16 << 10
	maxRequestState = 64 << 10
	maxUnsent       = 64 << 10

	defaultMaxConcurrent    = 64
	defaultMaxSubscriptions = 64
	defaultPageSize         = 100

	defaultGrace         = 5 * time.Second
	defaultRenderTimeout = 30 * time.Second
	stragglers           = time.Second
)

var (
	errInFlight = invalidRequest("a request with this id is in flight")
	errNoBatch  = invalidRequest("a batch is not part of this protocol revision")
	errState    = invalidParam("requestState", "requestState is not one that this server has given for this request, or it is too old")
)

func busy() *prompts.Error { return internalError("the server is busy; try again later") }

func internalError(message string) *prompts.Error {
	return &prompts.Error{Code: prompts.CodeInternalError, Message: message}
}

func invalidRequest(message string) *prompts.Error {
	return &prompts.Error{Code: transport.CodeInvalidRequest, Message: message}
}

func invalidParams(message string) *prompts.Error {
	return &prompts.Error{Code: prompts.CodeInvalidParams, Message: message}
}

func invalidParam(name, message string) *prompts.Error {
	return &prompts.Error{Code: prompts.CodeInvalidParams, Message: message, Data: map[string]string{"param": name}}
}

func unknownPrompt(name string) *prompts.Error {
	return &prompts.Error{Code: prompts.CodeInvalidParams, Message: fmt.Sprintf("there is no prompt %q", name), Data: map[string]string{"prompt": name}}
}

func methodNotFound(name string) *prompts.Error {
	return &prompts.Error{Code: prompts.CodeMethodNotFound, Message: "method not found", Data: map[string]string{"method": name}}
}

// errorResponse is the response with an error. Without an id it has none.
func errorResponse(id string, e *prompts.Error) string {
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0"`)
	if id != "" {
		b.WriteString(`,"id":` + id)
	}
	fmt.Fprintf(&b, `,"error":{"code":%d,"message":%s`, e.Code, jsonText(e.Message))
	if e.Data != nil {
		b.WriteString(`,"data":` + jsonText(e.Data))
	}
	return b.String() + "}}"
}

// cursorAfter is the cursor of the page after that name.
func cursorAfter(name string) string {
	raw := binary.BigEndian.AppendUint32([]byte{1}, crc32.ChecksumIEEE([]byte(name)))
	return base64.RawURLEncoding.EncodeToString(append(raw, name...))
}

// optionsError is why there is no server with these options.
func optionsError(o prompts.Options) (err error) {
	defer func() { err, _ = recover().(error) }()
	prompts.NewServer(nil, o)
	return nil
}

// refused reports whether a person has answered that there is no answer.
func refused(err error) bool {
	return errors.Is(err, prompts.ErrDeclined) || errors.Is(err, prompts.ErrCanceled)
}

const maxDepth = jsonenc.MaxDepth

var jsonText = jsonenc.Text
