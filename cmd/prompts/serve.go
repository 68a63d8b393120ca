package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptnats"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/stdio"
)

type serveOptions struct {
	name         string
	tools        string
	skills, ask  bool
	instructions string
	logGets      bool
	http         httpOptions
	nats, bucket string
	release      releaseOptions
	logFormat    string
	logLevel     slog.Level
}

func newServe() *cobra.Command {
	o := new(serveOptions)
	cmd := &cobra.Command{
		Use:   "serve [DIR... | NAME=DIR... | REF]",
		Short: "Serve the prompts in folders, or a release, to MCP clients",
		Long: `Serve answers MCP clients on standard input and output, or, with --http, over
Streamable HTTP at the path /mcp. It follows changes of the files: a file with an
error is logged, and its last valid version is served.

Over HTTP, /healthz answers 200 while the process runs, and /readyz answers 200 once
the prompts are loaded and until the server stops. On SIGTERM or an interrupt,
requests over HTTP have 10 seconds to finish. Over stdio, they are canceled.

A relative folder that does not exist is looked for in the folders above, up to the root of
the repository. With NAME=DIR, the prompts of a folder are NAME/..., so that several folders
can have the same names. The file prompts.yaml of a folder can set its ignored files, the
tools and the instructions; flags win. Each request for a prompt is logged, without values.

With --tools, clients without prompts get them as tools: --tools=each is a tool for
each prompt, --tools=pair is the pair list_prompts and get_prompt for many prompts.
With --skills, folders with a SKILL.md are served as skills, too.

With --nats the prompts come from a key-value bucket of NATS instead of folders.

With a reference, such as oci://ghcr.io/acme/prompts:production, the prompts are those of
the release of the label, as prompts push stores it. When the label is moved, all prompts
of the new release are served, or, if the release is invalid, all of the old one.

The file of --tokens has a line NAME TOKEN for each client; # begins a comment. An
address that is not a loopback address needs --tokens, or --allow-host with the name of
the server, or --insecure. The files of --tokens, --cert and --key are read again when
they change and at SIGHUP. A removed token is refused at once.`,
		Example: `  prompts serve prompts
  prompts serve --http 127.0.0.1:8080 prompts
  prompts serve --http :8443 --cert cert.pem --key key.pem --tokens tokens.txt prompts
  prompts serve --http :8080 --tokens tokens.txt oci://ghcr.io/acme/prompts:production
  prompts serve team=prompts shared=../shared/prompts
  prompts serve --nats nats://127.0.0.1:4222 --bucket prompts`,
		ValidArgsFunction: completeFolders,
		Annotations:       map[string]string{serves: "yes"},
		RunE:              o.run,
	}
	o.add(cmd)
	return cmd
}

func (o *serveOptions) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.name, "name", "prompts", "name of the server, which clients show")
	addTools(flags, &o.tools, "offer the prompts as tools, too: --tools or --tools=each, or --tools=pair")
	flags.BoolVar(&o.skills, "skills", false, "serve skills, too")
	flags.BoolVar(&o.ask, "ask", true, "ask the user for missing and invalid arguments, if the client shows forms")
	flags.StringVar(&o.instructions, "instructions", "", "file with the instructions of the server for models")
	flags.BoolVar(&o.logGets, "log-gets", true, "log each request for a prompt, without values")
	flags.StringVar(&o.http.address, "http", "", "serve over Streamable HTTP at this address, such as 127.0.0.1:8080")
	flags.StringVar(&o.http.cert, "cert", "", "file with the certificate, for HTTPS")
	flags.StringVar(&o.http.key, "key", "", "file with the key of the certificate")
	flags.StringVar(&o.http.tokens, "tokens", "", "file with bearer tokens, read again when the file changes")
	flags.StringArrayVar(&o.http.hosts, "allow-host", nil, "answer requests with this Host header (repeatable)")
	flags.StringArrayVar(&o.http.origins, "allow-origin", nil, "answer browsers on pages of this origin (repeatable)")
	flags.BoolVar(&o.http.isInsecure, "insecure", false, "serve at a public address without --tokens and --allow-host")
	flags.StringVar(&o.nats, "nats", "", "URL of a NATS server")
	flags.StringVar(&o.bucket, "bucket", "prompts", "key-value bucket of NATS")
	o.release.add(flags)
	flags.StringVar(&o.logFormat, "log-format", "text", "format of the log: text or json")
	flags.TextVar(&o.logLevel, "log-level", slog.LevelInfo, "lowest `level` that is logged: DEBUG, INFO, WARN or ERROR")
	_ = flags.SetAnnotation("log-level", formOf, []string{"DEBUG, INFO, WARN or ERROR"})
	_ = cmd.RegisterFlagCompletionFunc("log-format", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
}

func (o *serveOptions) run(cmd *cobra.Command, dirs []string) error {
	for _, name := range []string{"http", "nats", "tokens"} {
		if f := cmd.Flags().Lookup(name); f.Changed && f.Value.String() == "" {
			return usageErrorf("--%s is empty; give a value or leave out the flag", name)
		}
	}
	if len(dirs) == 1 && isReference(dirs[0]) {
		o.release.ref, dirs = dirs[0], nil
	}
	logger, err := o.logger(cmd)
	if err != nil {
		return err
	}
	dirs, names, err := namedFolders(dirs)
	if err != nil {
		return err
	}
	findFolders(dirs, func(path, at string) {
		logger.Info("folder found above", slog.String("path", path), slog.String("folder", at))
		names[at] = names[path]
	})
	if err = o.check(cmd, dirs); err == nil {
		err = o.set(cmd, dirs, logger)
	}
	if err != nil {
		return err
	}
	return o.serve(cmd.Context(), dirs, names, logger)
}

// namedFolders returns what is in front of the names of prompts for NAME=DIR. A path that exists wins.
func namedFolders(args []string) (dirs []string, names map[string]string, err error) {
	names = map[string]string{}
	for _, arg := range args {
		name, dir, ok := strings.Cut(arg, "=")
		if !ok || exists(arg) {
			dirs = append(dirs, arg)
			continue
		}
		if name == "" || strings.Trim(name, "/") != name || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			return nil, nil, usageErrorf("name in %q must be a word such as team; write team=%s", arg, dir)
		}
		dirs, names[dir] = append(dirs, dir), name+"/"
	}
	return dirs, names, nil
}

func (o *serveOptions) set(cmd *cobra.Command, dirs []string, logger *slog.Logger) error {
	if o.instructions != "" {
		text, err := regular.ReadFile(cmd.Context(), o.instructions, maxInstructions)
		if err == nil {
			o.instructions = strings.TrimSpace(string(text))
			err = checkInstructions(o.instructions)
		}
		if err != nil {
			return usageErrorf("--instructions: %w", err)
		}
	}
	return folderSettings(dirs, &o.tools, &o.instructions, cmd.Flags().Changed, logger)
}

func folderSettings(dirs []string, tools, instructions *string, isSet func(flag string) bool, logger *slog.Logger) error {
	ofTools := ""
	for _, dir := range dirs {
		s, err := readSettings(regular.FS(dir))
		if err != nil {
			return usageError{findingOf(dir, "file", all(err)[0])}
		}
		if s.Tools != "" && !isSet("tools") {
			if *tools != "" && *tools != s.Tools {
				return usageErrorf("folders %s and %s have different tools in prompts.yaml; write the same in both, or give --tools to prompts serve", ofTools, dir)
			}
			*tools, ofTools = s.Tools, dir
		}
		if s.Instructions != "" && !isSet("instructions") {
			*instructions = strings.TrimSpace(*instructions + "\n\n" + s.Instructions)
			logger.Info("instructions of the folder", slog.String("path", dir), slog.String("text", s.Instructions))
		}
	}
	return nil
}

func (o *serveOptions) check(cmd *cobra.Command, dirs []string) error {
	if err := checkTools(o.tools, dirs); err != nil {
		return err
	}
	if err := o.release.check(cmd.Flags()); err != nil {
		return err
	}
	switch {
	case o.nats != "" && o.release.ref != "":
		return usageErrorf("--nats and a reference cannot be combined")
	case o.nats == "" && len(dirs) == 0 && o.release.ref == "":
		return usageErrorf("folder is missing; usage: prompts serve DIR...")
	case o.nats != "" && len(dirs) > 0:
		return usageErrorf("--nats and folders cannot be combined; the prompts come from the bucket")
	}
	if err := o.http.check(); err != nil {
		return err
	}
	return openFolders(dirs)
}

func (o *serveOptions) logger(cmd *cobra.Command) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: o.logLevel, ReplaceAttr: nameFlag}
	switch o.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), options)), nil
	}
	return nil, usageErrorf("--log-format must be text or json, got %q", o.logFormat)
}

// nameFlag names the flag that would allow a rejected request, in place of the option.
func nameFlag(_ []string, a slog.Attr) slog.Attr {
	if a.Key == "allow_with" {
		return slog.String(a.Key, flagNames.Replace(a.Value.String()))
	}
	return a
}

func (o *serveOptions) serve(ctx context.Context, dirs []string, names map[string]string, logger *slog.Logger) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	credentials, err := o.http.load(ctx, logger)
	if err != nil {
		return err
	}
	reg := new(prompts.Registry)
	options := prompts.Options{Info: prompts.Implementation{Name: o.name, Version: version()}, Logger: logger, ElicitArguments: o.ask}
	options.Instructions = o.instructions
	if o.logGets {
		options.Observer = usageLog{logger}
	}
	files := promptfs.Options{Logger: logger, ReadIgnore: readStoreIgnore}
	if o.skills {
		files.Skills = new(promptskills.Registry)
		skills, err := promptskills.New(files.Skills, promptskills.Options{})
		if err != nil {
			return err
		}
		options.Features = append(options.Features, skills)
	}
	if o.tools != "" {
		tools, err := toolsOf(reg, o.tools)
		if err != nil {
			return err
		}
		options.Features = append(options.Features, tools)
	}
	if o.release.ref != "" {
		follower, err := o.release.follow(ctx, reg, files)
		if err != nil {
			return err
		}
		defer follower.Close()
	} else if o.nats != "" {
		urls, err := natsURLs(o.nats)
		if err != nil {
			return err
		}
		stop, err := o.follow(ctx, reg, files)
		if err != nil {
			return fmt.Errorf("bucket %q at %s: %w", o.bucket, urls, err)
		}
		defer stop()
	} else if err := watchFolders(ctx, reg, dirs, names, files, nil); err != nil {
		return err
	}
	if o.http.address != "" {
		return o.http.serve(ctx, reg, options, credentials)
	}
	srv, err := prompts.NewServer(reg, options)
	if err != nil {
		return err
	}
	return srv.Serve(ctx, stdio.New())
}

func (o *serveOptions) follow(ctx context.Context, reg *prompts.Registry, files promptfs.Options) (stop func(), err error) {
	// By default, package nats writes errors to standard error for as long as that blocks.
	logError := func(_ *nats.Conn, _ *nats.Subscription, err error) {
		files.Logger.Warn("NATS connection failed", slog.Any("error", err))
	}
	nc, err := nats.Connect(o.nats, nats.Name(o.name), nats.MaxReconnects(-1), nats.ErrorHandler(logError))
	if err != nil {
		return nil, err
	}
	var follower *promptnats.Follower
	js, err := jetstream.New(nc)
	if err == nil {
		follower, err = promptnats.Follow(ctx, reg, js, o.bucket, promptnats.Options{Files: files})
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return func() { follower.Close(); nc.Close() }, nil
}

// natsURLs returns the URLs in the value of --nats without passwords and tokens. A user without a
// password is a token.
func natsURLs(value string) (redacted string, err error) {
	err = usageErrorf("--nats must be a URL such as nats://127.0.0.1:4222, or several separated by commas")
	var all []string
	for part := range strings.SplitSeq(value, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue // nats.Connect ignores it, too
		}
		if !strings.Contains(part, "://") {
			part = "nats://" + part
		}
		u, parseErr := url.Parse(part)
		if parseErr != nil || u.Host == "" { // the error may have the password
			return "", err
		}
		if _, hasPassword := u.User.Password(); u.User != nil && !hasPassword {
			u.User = url.User("xxxxx")
		}
		all = append(all, u.Redacted())
	}
	if len(all) == 0 {
		return "", err
	}
	return strings.Join(all, ","), nil
}

// usageLog logs each request for a prompt, also as a tool, without values. As an observer, it costs
// half the allocations of prompts.AuditLog, and no request waits for the log.
type usageLog struct{ logger *slog.Logger }

func (usageLog) Begin(ctx context.Context, _ observe.Operation) context.Context { return ctx }

func (l usageLog) End(ctx context.Context, op observe.Operation, out observe.Outcome) {
	if op.Kind != observe.KindRequest || op.Method != "prompts/get" && (op.Method != "tools/call" || out.Prompt == "") {
		return
	}
	outcome := cmp.Or(out.ResultType, "complete")
	switch {
	case errors.Is(out.Err, context.DeadlineExceeded):
		outcome = "timeout"
	case out.Err != nil:
		outcome = "canceled"
	case out.Code != 0:
		outcome = strconv.Itoa(int(out.Code))
	case out.IsError:
		outcome = "tool_error"
	}
	l.logger.LogAttrs(ctx, slog.LevelInfo, "prompt used", slog.String("prompt", out.Prompt), slog.String("release", out.Release),
		slog.String("label", out.Label), slog.String("outcome", outcome), slog.Duration("duration", out.Duration))
}
