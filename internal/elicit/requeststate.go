package elicit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/seal"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file has the requestState, which carries a State to the client's next request
// in 2026-07-28. It is sealed, so that a client can neither read nor change it, and
// bound to the principal, method, prompt and arguments of its request, which must be
// those of the request that brings it back (MRT-12 to MRT-15).

const (
	// maxRequestState limits the size of a requestState in bytes.
	maxRequestState = 64 << 10
	// maxResponses is the size of the largest inputResponses, in bytes.
	maxResponses = 256 << 10
	// minStateKey is the minimum size of a key of Options.RequestStateKeys in bytes.
	minStateKey = 16
)

var (
	// errState is the one answer to every requestState that is not to be trusted,
	// whatever is wrong with it (GAP-39).
	errState = wire.InvalidParam("requestState", "invalid or expired requestState; send the request again without it")
	// errAnswersSize is for a client whose own answers are what is too large.
	errAnswersSize = wire.InvalidParam("inputResponses", "the answers given so far exceed the 64 KiB that requestState can carry")

	errStateSize = errors.New("answers and values of Once exceed the size of a requestState; store large values on the server")
)

// Retry has the params of a request that answers an input_required: the JSON of
// inputResponses, and requestState. It is nil for any other request.
type Retry struct{ responses, state string }

// ReadRetry reads the params of a request. Stateful versions have no such members, and ignore
// them as they ignore any other.
func ReadRetry(c *rpc.Call) (*Retry, *transport.Error) {
	if !c.Rev.Stateless() {
		return nil, nil
	}
	return readStateless(c)
}

func readStateless(c *rpc.Call) (*Retry, *transport.Error) {
	var responses, state string
	switch v := c.Message.Params.Get("inputResponses"); v.Kind() {
	case strictjson.Invalid, strictjson.Null:
	case strictjson.Object:
		if responses = v.Raw(); len(responses) > maxResponses {
			return nil, wire.InvalidParam("inputResponses", "params.inputResponses exceeds the limit of %d bytes", maxResponses)
		}
	default:
		return nil, wire.WrongKind("inputResponses", "params.inputResponses", "an object", v)
	}
	switch v := c.Message.Params.Get("requestState"); v.Kind() {
	case strictjson.Invalid, strictjson.Null:
	case strictjson.String:
		if state = v.Text(); state == "" {
			return nil, errState
		}
	default:
		return nil, wire.WrongKind("requestState", "params.requestState", "a string", v)
	}
	if responses == "" && state == "" {
		return nil, nil
	}
	if c.Message.Large {
		responses, state = strings.Clone(responses), strings.Clone(state)
	}
	return &Retry{responses, state}, nil
}

func (r *Retry) HasState() bool { return r != nil && r.state != "" }

// Sealer seals the requestState. With Keys, any replica opens what another replica has
// sealed. Own is for a single process.
type Sealer struct {
	Keys func(ctx context.Context) ([][]byte, error) // see Options.RequestStateKeys; may be nil
	Own  []byte                                      // the key without Keys
	TTL  time.Duration
}

// Check returns an error if Keys returns no valid keys. NewServer calls it, so that a wrong
// key is found before the first question.
func (s *Sealer) Check() error {
	_, err := s.keys(context.Background())
	return err
}

// Bind returns what a state of a request is bound to. parts are the name and the arguments of
// what the method runs. Each part has its length in front, or two lists of parts could be the
// same bytes.
func Bind(method, principal string, parts []string) seal.Binding {
	b := appendSized(appendSized(nil, method), principal)
	for _, part := range parts {
		b = appendSized(b, part)
	}
	return sha256.Sum256(b)
}

func appendSized(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// keys returns the keys for states, the one to seal with first. The function Keys is called
// each time, so that keys can be rotated while the server runs.
func (s *Sealer) keys(ctx context.Context) ([][]byte, error) {
	if s.Keys == nil {
		return [][]byte{s.Own}, nil
	}
	keys, err := s.Keys(ctx)
	if err != nil {
		return nil, fmt.Errorf("Options.RequestStateKeys: %w", err)
	}
	if len(keys) == 0 {
		return nil, errors.New("Options.RequestStateKeys returned no keys")
	}
	for _, k := range keys {
		if len(k) < minStateKey {
			return nil, fmt.Errorf("Options.RequestStateKeys returned a key of %d bytes (minimum %d)", len(k), minStateKey)
		}
	}
	return keys, nil
}

func (s *Sealer) seal(ctx context.Context, state sealedState, to seal.Binding) (string, error) {
	keys, err := s.keys(ctx)
	if err != nil {
		return "", err
	}
	plain, err := jsonenc.Marshal(state)
	if err != nil {
		return "", fmt.Errorf("encode requestState: %w", err)
	}
	text, err := seal.Seal(keys[0], plain, to)
	if len(text) > maxRequestState {
		return "", fmt.Errorf("%w: %d bytes (limit %d)", errStateSize, len(text), maxRequestState)
	}
	return text, err
}

// open returns what a requestState contains. It is not ok if the state is forged, of another
// request, or expired. The size is checked first: seal never returns a longer text.
func (s *Sealer) open(ctx context.Context, text string, to seal.Binding) (state sealedState, ok bool, err error) {
	if len(text) > maxRequestState {
		return state, false, nil
	}
	plain, ok, err := seal.Open(func() ([][]byte, error) { return s.keys(ctx) }, text, to)
	if !ok || json.Unmarshal(plain, &state) != nil || time.Now().UnixMilli() >= state.Expires {
		return sealedState{}, false, err
	}
	return state, true, nil
}

type sealedState struct {
	requestState
	Expires int64 `json:"e"` // Unix time in milliseconds
	// HasSecrets says that the requests so far had secrets, of which values of Once may be made.
	HasSecrets bool `json:"s,omitempty"`
}

// Resume reads the answers and the requestState of a request. It fails if the state is
// invalid, has expired, or is not bound to the request.
func (s *State) Resume(ctx context.Context, r *rpc.Running, retry *Retry, sealer *Sealer, to func() (seal.Binding, error)) *rpc.Failure {
	s.rawResponses = retry.responses
	if retry.state == "" {
		return nil
	}
	binding, err := to()
	if err != nil {
		return rpc.InternalFailure(r.Subject(), err)
	}
	state, ok, err := sealer.open(ctx, retry.state, binding)
	switch {
	case err != nil:
		return rpc.InternalFailure(r.Subject(), err)
	case !ok:
		return &rpc.Failure{Client: errState}
	}
	s.requestState, s.expires = state.requestState, state.Expires
	// The secrets are not in the state, but values of Once may be made of them.
	if state.HasSecrets {
		r.AddSecrets()
	}
	return nil
}

// AppendInputRequired appends the result that asks the pending questions. If the state is too
// large, the error is the client's only if the answers take more than half of the limit.
func (s *State) AppendInputRequired(ctx context.Context, dst []byte, r *rpc.Running, sealer *Sealer, to seal.Binding, meta []byte) ([]byte, *rpc.Failure) {
	questions, state := s.pendingState(sealer.TTL)
	if len(questions) == 0 {
		return nil, rpc.InternalFailure(r.Subject(), errors.New("function returned ErrInputRequired without a question"))
	}
	state.HasSecrets = r.Secrets() != nil
	sealed, err := sealer.seal(ctx, state, to)
	if err != nil {
		if errors.Is(err, errStateSize) && state.sizeOfAnswers() > maxRequestState/2 {
			return nil, &rpc.Failure{Client: errAnswersSize}
		}
		return nil, rpc.InternalFailure(r.Subject(), err)
	}
	dst = append(dst, "{"+wire.InputRequired+`,"inputRequests":{`...)
	for i, q := range questions {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strictjson.AppendString(dst, q.key)
		dst = append(dst, `:{"method":"`...)
		dst = append(dst, q.method...)
		dst = append(dst, `","params":`...)
		dst = append(dst, q.params...)
		dst = append(dst, '}')
	}
	dst = append(dst, `},"requestState":"`...)
	dst = append(dst, sealed...)
	dst = append(dst, `","_meta":{`...)
	dst = append(dst, meta...)
	return append(dst, "}}"...), nil
}

func (s *requestState) sizeOfAnswers() int {
	said, _ := jsonenc.Marshal(requestState{Answers: s.Answers, Texts: s.Texts})
	return len(said)
}
