package servertest

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"regexp"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
)

var Update = flag.Bool("update", false, "write what the server sends into testdata/sessions")

// ErrorID finds the ids of internal errors, which are random.
var ErrorID = regexp.MustCompile(`(\(error id |"errorId":")[0-9a-f]{8}`)

// The names, limits and errors that a client sees, written out: a test that
// took them from the library would follow the library's mistakes.

const (
	MethodComplete = "completion/complete"
	MethodElicit   = "elicitation/create"
	MethodGet      = "prompts/get"
	MethodList     = "prompts/list"
	MethodRoots    = "roots/list"

	EnvelopeKey     = "io.modelcontextprotocol/protocolVersion"
	CapabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
	ClientInfoKey   = "io.modelcontextprotocol/clientInfo"
	SubscriptionKey = "io.modelcontextprotocol/subscriptionId"
	VersionKey      = "io.github.mcp-prompts/version"
	InputSchemaKey  = "io.github.mcp-prompts/inputSchema"

	ArgumentsKey = "prompt.arguments" // of the question for missing arguments

	RenderFailed   = "internal error: prompt failed"
	CompleteFailed = "internal error: completion failed"
	ListFailed     = "internal error: prompts/list failed"
	InvalidResult  = "internal error: prompt returned an invalid result"
	RequestTimeout = "prompt timed out"
)

const (
	MaxBatch        = 1000
	MaxCached       = 256
	MaxCachedKey    = 4 << 10
	MaxKey          = 128
	MaxResponses    = 256 << 10
	MaxSearched     = 10_000
	MaxResultErrors = 16
	MaxResultKey    = 4 << 10
	MaxShared       = 16 << 10
	MaxRequestState = 64 << 10
	MaxUnsent       = 64 << 10

	DefaultMaxConcurrent    = 64
	DefaultMaxSubscriptions = 64
	DefaultPageSize         = 1000

	DefaultGrace         = 5 * time.Second
	DefaultRenderTimeout = 30 * time.Second
	Stragglers           = time.Second
)

var ErrState = InvalidParam("requestState", "invalid or expired requestState; send the request again without it")

var (
	errorIDs  = regexp.MustCompile(` \(error id [0-9a-f]{8}\)|,"data":\{"errorId":"[0-9a-f]{8}"\}`)
	subjectOf = regexp.MustCompile(`((?:internal error: )?)(?:(prompts/list)|(prompt) \\*".*?\\*"|(completion) of argument \\*".*?\\*") (failed|returned an invalid result|timed out)(?: after [0-9a-z.]+)?`)
)

// TimeoutOf returns the neutral message of a request that timed out.
func TimeoutOf(line string) string {
	switch {
	case strings.Contains(line, MethodList):
		return "prompts/list timed out"
	case strings.Contains(line, MethodComplete):
		return "completion timed out"
	}
	return RequestTimeout
}

// Neutral returns a message of the server without what differs in each internal
// error: the error id, and the names of the prompt and the argument.
func Neutral(msg string) string {
	if !strings.Contains(msg, "(error id ") {
		return msg
	}
	return subjectOf.ReplaceAllString(errorIDs.ReplaceAllString(msg, ""), "$1$2$3$4 $5")
}

// NeutralError is neutral for an error.
func NeutralError(e *prompts.Error) *prompts.Error {
	if e == nil || Neutral(e.Message) == e.Message {
		return e
	}
	return &prompts.Error{Code: e.Code, Message: Neutral(e.Message)}
}

// AsNeutral is neutralError for an err that is one.
func AsNeutral(err error) error {
	if e := (*prompts.Error)(nil); errors.As(err, &e) {
		return NeutralError(e)
	}
	return err
}

func Busy() *prompts.Error { return InternalError("server is at capacity; retry later") }

func InternalError(message string) *prompts.Error {
	return &prompts.Error{Code: prompts.CodeInternalError, Message: message}
}

func InvalidParam(name, message string) *prompts.Error {
	return &prompts.Error{Code: prompts.CodeInvalidParams, Message: message, Data: map[string]string{"param": name}}
}

func UnknownPrompt(name string) *prompts.Error {
	return &prompts.Error{Code: prompts.CodeInvalidParams, Message: fmt.Sprintf("unknown prompt %q", name), Data: map[string]string{"prompt": name}}
}

// ErrorResponse is the response with an error. An empty id is left out.
func ErrorResponse(id string, e *prompts.Error) string {
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0"`)
	if id != "" {
		b.WriteString(`,"id":` + id)
	}
	fmt.Fprintf(&b, `,"error":{"code":%d,"message":%s`, e.Code, JsonText(e.Message))
	if e.Data != nil {
		b.WriteString(`,"data":` + JsonText(e.Data))
	}
	return b.String() + "}}"
}

// CursorAfter is the cursor of the page after that name.
func CursorAfter(name string) string {
	raw := binary.BigEndian.AppendUint32([]byte{1}, crc32.ChecksumIEEE([]byte(name)))
	return base64.RawURLEncoding.EncodeToString(append(raw, name...))
}

// OptionsError is why there is no server with these options.
func OptionsError(o prompts.Options) (err error) {
	defer func() { err, _ = recover().(error) }()
	prompts.MustNewServer(new(prompts.Registry), o)
	return nil
}

// Refused reports whether the user declined or dismissed the question.
func Refused(err error) bool {
	return errors.Is(err, prompts.ErrDeclined) || errors.Is(err, prompts.ErrCanceled)
}

const MaxDepth = jsonenc.MaxDepth

var JsonText = jsonenc.Text
