package prompts_test

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"regexp"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
)

// The names, limits and errors that a client sees, written out: a test that
// took them from the library would follow the library's mistakes.

const (
	methodComplete = "completion/complete"
	methodElicit   = "elicitation/create"
	methodGet      = "prompts/get"
	methodList     = "prompts/list"
	methodRoots    = "roots/list"

	envelopeKey     = "io.modelcontextprotocol/protocolVersion"
	capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
	clientInfoKey   = "io.modelcontextprotocol/clientInfo"
	subscriptionKey = "io.modelcontextprotocol/subscriptionId"
	versionKey      = "io.github.mcp-prompts/version"
	inputSchemaKey  = "io.github.mcp-prompts/inputSchema"

	argumentsKey = "prompt.arguments" // of the question for missing arguments

	renderFailed   = "internal error: prompt failed"
	completeFailed = "internal error: completion failed"
	listFailed     = "internal error: prompts/list failed"
	invalidResult  = "internal error: prompt returned an invalid result"
	requestTimeout = "prompt timed out"
)

const (
	maxBatch        = 1000
	maxCached       = 256
	maxCachedKey    = 4 << 10
	maxKey          = 128
	maxResponses    = 256 << 10
	maxSearched     = 10_000
	maxResultErrors = 16
	maxResultKey    = 4 << 10
	maxShared       = 16 << 10
	maxRequestState = 64 << 10
	maxUnsent       = 64 << 10

	defaultMaxConcurrent    = 64
	defaultMaxSubscriptions = 64
	defaultPageSize         = 1000

	defaultGrace         = 5 * time.Second
	defaultRenderTimeout = 30 * time.Second
	stragglers           = time.Second
)

var errState = invalidParam("requestState", "invalid or expired requestState; send the request again without it")

var (
	errorIDs  = regexp.MustCompile(` \(error id [0-9a-f]{8}\)|,"data":\{"errorId":"[0-9a-f]{8}"\}`)
	subjectOf = regexp.MustCompile(`((?:internal error: )?)(?:(prompts/list)|(prompt) \\*".*?\\*"|(completion) of argument \\*".*?\\*") (failed|returned an invalid result|timed out)(?: after [0-9a-z.]+)?`)
)

// timeoutOf returns the neutral message of a request that timed out.
func timeoutOf(line string) string {
	switch {
	case strings.Contains(line, methodList):
		return "prompts/list timed out"
	case strings.Contains(line, methodComplete):
		return "completion timed out"
	}
	return requestTimeout
}

// neutral returns a message of the server without what differs in each internal
// error: the error id, and the names of the prompt and the argument.
func neutral(msg string) string {
	if !strings.Contains(msg, "(error id ") {
		return msg
	}
	return subjectOf.ReplaceAllString(errorIDs.ReplaceAllString(msg, ""), "$1$2$3$4 $5")
}

// neutralError is neutral for an error.
func neutralError(e *prompts.Error) *prompts.Error {
	if e == nil || neutral(e.Message) == e.Message {
		return e
	}
	return &prompts.Error{Code: e.Code, Message: neutral(e.Message)}
}

// asNeutral is neutralError for an err that is one.
func asNeutral(err error) error {
	if e := (*prompts.Error)(nil); errors.As(err, &e) {
		return neutralError(e)
	}
	return err
}

func busy() *prompts.Error { return internalError("server is at capacity; retry later") }

func internalError(message string) *prompts.Error {
	return &prompts.Error{Code: prompts.CodeInternalError, Message: message}
}

func invalidParam(name, message string) *prompts.Error {
	return &prompts.Error{Code: prompts.CodeInvalidParams, Message: message, Data: map[string]string{"param": name}}
}

func unknownPrompt(name string) *prompts.Error {
	return &prompts.Error{Code: prompts.CodeInvalidParams, Message: fmt.Sprintf("unknown prompt %q", name), Data: map[string]string{"prompt": name}}
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
	prompts.MustNewServer(new(prompts.Registry), o)
	return nil
}

// refused reports whether a person has answered that there is no answer.
func refused(err error) bool {
	return errors.Is(err, prompts.ErrDeclined) || errors.Is(err, prompts.ErrCanceled)
}

const maxDepth = jsonenc.MaxDepth

var jsonText = jsonenc.Text
