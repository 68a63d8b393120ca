package prompts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"

	"github.com/mcp-prompts/prompts/internal/elicit"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/redact"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// Server answers the prompts methods of the protocol from a [Registry]. [NewServer] and
// [MustNewServer] make one: the methods of a zero Server panic. A Server has
// no goroutines of its own. Safe for concurrent use.
//
// Connect a Server in one of three ways:
//
//   - [Server.Serve] serves a connection that carries messages in both directions.
//   - [Server.NewSession] and [Server.Handle] serve a request/response transport.
//   - [Server.Call] answers single requests in an existing JSON-RPC server.
type Server struct {
	rpc      *rpc.Dispatcher // answers messages by the features below
	registry *Registry
	options  Options
	handler  Handler // the middleware around innermost; nil without middleware
	sealer   elicit.Sealer
	searches *limit.Budget // of all prompts, for suggestions

	entryKind entryKind // of prompts/list

	// Of 2026-07-28: the end of the result of prompts/list, and the member of
	// _meta with the server's identity.
	cacheable, serverInfo []byte
}

func featureFailure(ctx context.Context, subject string, err error) *rpc.Failure {
	if e := wire.ClientError(err); e != nil {
		return clientFailure(wire.ForRevision(e, rpc.FromContext(ctx).Rev), err)
	}
	return rpc.InternalFailure(subject, err)
}

func (s *Server) info(rev revision.Revision) ([]byte, []error) {
	e := encoder{rev: rev}
	e.implementation(&s.options.Info)
	for i, err := range e.errs {
		e.errs[i] = fmt.Errorf("info: %w", err)
	}
	return e.buf, e.errs
}

func (e *encoder) implementation(i *Implementation) {
	e.raw("{")
	e.str("name", i.Name)
	if e.rev.Titles() {
		e.opt("title", i.Title)
	}
	e.str("version", i.Version)
	if e.rev.Icons() {
		e.opt("description", i.Description)
		if i.WebsiteURL != "" {
			e.uri("websiteUrl", i.WebsiteURL)
		}
	}
	e.icons(i.Icons)
	e.raw("}")
}

func (s *Server) cacheScope(public bool) string {
	if public && s.options.Visible == nil {
		return "public"
	}
	return "private"
}

func (s *Server) dispatcher() *rpc.Dispatcher {
	if s == nil || s.rpc == nil {
		panic("prompts: Server is not made by NewServer")
	}
	return s.rpc
}

// Methods returns the names of the methods that [Server.Call] answers, in order. A JSON-RPC
// server that answers initialize and ping itself skips these two.
func (s *Server) Methods() []string { return s.dispatcher().Methods() }

// Capabilities returns the capabilities for a protocol version, as a new map, for a
// layer that answers initialize itself. It returns nil for an unknown version. If the map
// has prompts.listChanged, notify clients of changes: see [Registry.OnChange].
func (s *Server) Capabilities(version string) map[string]any {
	d := s.dispatcher()
	rev, ok := revision.Parse(version)
	if !ok {
		return nil
	}
	return d.Capabilities(rev, true)
}

// Principal returns the result of Options.Principal for the client in ctx, or the
// empty string without Options.Principal. A transport uses the principal to separate the
// state of clients. After an error, a transport must reject the request: see [Server.Log].
func (s *Server) Principal(ctx context.Context) (string, error) {
	_ = s.dispatcher()
	if s.options.Principal == nil {
		return "", nil
	}
	principal, err := s.options.Principal(ctx)
	if err != nil {
		return "", fmt.Errorf("Options.Principal: %w", err)
	}
	return principal, nil
}

// principal is Principal for a request. After an error the request fails.
func (s *Server) principal(ctx context.Context) (string, error) {
	principal, err := s.Principal(ctx)
	if err != nil {
		rpc.FromContext(ctx).Fail(err)
	}
	return principal, err
}

// MaxMessageBytes returns the maximum size of a message in bytes. A transport may
// stop reading a message at this size.
func (s *Server) MaxMessageBytes() int {
	_ = s.dispatcher()
	return s.options.Limits.MaxMessageBytes
}

// isVisible reports whether the prompt is visible to the client in ctx. It runs the
// application's code. After an error the request fails.
func (s *Server) isVisible(ctx context.Context, d *definition) bool {
	return s.options.Visible == nil || rpc.Decide(ctx, "Options.Visible", func() (bool, error) {
		return s.options.Visible(ctx, d.filterCopy())
	})
}

// visible returns the prompt with the name, if it exists and is visible to the client in ctx.
// Every request for a prompt calls visible before it reads anything of the prompt. It runs
// the application's code.
func (s *Server) visible(ctx context.Context, all *snapshot, name string) (*definition, bool) {
	d, ok := all.Get(name)
	if !ok || !s.isVisible(ctx, d) {
		return nil, false
	}
	return d, true
}

// isOpen reports whether no code of the application comes between a request and its prompt.
// Then a method may find the prompt at once, and answer without one. Otherwise a request has no
// more of its prompt than the name until the work runs.
func (s *Server) isOpen() bool { return s.handler == nil && s.options.Visible == nil }

// appendResult appends the checked result. Its links must not contain the secrets. host may be nil.
func (s *Server) appendResult(ctx context.Context, dst []byte, rev revision.Revision, host *hosts.Client, secrets *redact.Secrets, r *Result, v served) ([]byte, error) {
	onlyTexts := host.Has(hosts.ReadsTexts)
	e := s.newEncoder(ctx, dst, rev, secrets, onlyTexts)
	e.onlyTexts, e.joins, e.served = onlyTexts, onlyTexts && host.Has(hosts.ReadsOneMessage), v
	e.expandsTexts = host.Has(hosts.ExpandsTexts)
	if e.result(r); len(e.errs) > 0 {
		return nil, errors.Join(e.errs...)
	}
	if host.Has(hosts.SendsPlaceholders) {
		return append(dst, hosts.Unmark(e.buf[len(dst):])...), nil
	}
	return e.buf, nil
}

// newEncoder returns an encoder that appends a result. With lacksLinks, the client reads
// no links and no audio, whatever its revision has.
func (s *Server) newEncoder(ctx context.Context, dst []byte, rev revision.Revision, secrets *redact.Secrets, lacksLinks bool) encoder {
	return encoder{
		ctx: ctx, buf: dst, rev: rev, isResult: true, secrets: secrets, fallback: s.options.Fallback, serverInfo: s.serverInfo,
		lacksAudio: lacksLinks || !rev.Audio(), lacksLinks: lacksLinks || !rev.ResourceLink(),
		room: min(s.options.Limits.MaxResultBytes, math.MaxInt-1) + 1, // 0 is no limit
	}
}

func promptSubject(name string) string { return "prompt " + phrase.Quote(name) }

func promptAttr(d *definition) slog.Attr { return slog.String("prompt", d.prompt.Name) }

// checkSizes returns an error if there are more arguments, or larger ones, than the
// options allow. args is the member of params with that name. keys are what the client calls
// arguments, by name; they may be nil.
func (s *Server) checkSizes(param string, args strictjson.Value, keys map[string]string) *Error {
	// Each has five characters at least, with its comma.
	if raw := len(args.Raw()); raw <= 5*s.options.Limits.MaxArguments && raw <= s.options.Limits.MaxArgumentBytes {
		return nil
	}
	return s.checkEachSize(param, args, keys)
}

// checkEachSize is checkSizes for arguments that are too long together to be surely within the
// limits.
func (s *Server) checkEachSize(param string, args strictjson.Value, keys map[string]string) *Error {
	n := 0
	for name, v := range args.Members() {
		if n++; n > s.options.Limits.MaxArguments {
			return wire.InvalidParam(param, "too many arguments (limit %d)", s.options.Limits.MaxArguments)
		}
		size := len(v.Text())
		if v.Kind() != strictjson.String {
			size = len(v.Raw())
		}
		if size > s.options.Limits.MaxArgumentBytes {
			return s.tooLong(param, cmp.Or(keys[name], name))
		}
	}
	return nil
}

func (s *Server) tooLong(param, name string) *Error {
	return wire.InvalidParam(param, "argument %s exceeds the limit of %d bytes", phrase.Quote(name), s.options.Limits.MaxArgumentBytes)
}

// addSecrets and addValues find the requests that give a sensitive argument: see
// Argument.Sensitive. internal/rpc withholds the text of their failures, the encoder checks
// the links of their results, and internal/elicit their questions.

// addSecrets says that the request gives the values of the sensitive arguments in texts,
// which are by name. An undeclared argument may be a sensitive argument, misspelled.
func (d *definition) addSecrets(r *rpc.Running, texts map[string]string) {
	if !d.plan.HasSensitive {
		return
	}
	for name, text := range texts {
		if i := d.plan.Find(name); (i < 0 || d.plan.Arguments[i].Sensitive) && text != "" {
			r.AddSecrets(text)
		}
	}
}

func addValues(r *rpc.Running, values []string) {
	if len(values) > 0 {
		r.AddSecrets(values...)
	}
}

func (s *Server) visibleIn(ctx context.Context) func(prompt string) bool {
	if s.options.Visible == nil {
		return nil
	}
	return func(prompt string) bool {
		if ctx.Err() != nil {
			return false
		}
		_, ok := s.visible(ctx, s.registry.snapshot(), prompt)
		return ok
	}
}
