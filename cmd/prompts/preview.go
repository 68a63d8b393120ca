package main

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/trace"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptpreview"
	"github.com/mcp-prompts/prompts/promptskills"
)

func newPreview() *cobra.Command {
	var address string
	var hosts []string
	var noOpen bool
	var author authorOptions
	cmd := &cobra.Command{
		Use:   "preview DIR...",
		Short: "Show the prompts in folders on a page that follows each change",
		Long: `Preview serves a page with a form for each prompt in the folders, the messages that
a client gets, and the errors of files, and opens it in the browser. The page follows
each change of a file.

The page is for the author: it answers on this machine only, at localhost. The printed
address has a token, with which the page reads the files and saves cases in test files.

With --allow-host, it answers everybody who can connect to the address, at that host, and
writes no files.

With --exec, the page has a button that gives the messages to a command, as with
"prompts test". The command runs on this machine, when the author presses the button.`,
		Example: `  prompts preview prompts
  prompts preview --exec 'python3 openai.py' prompts
  prompts preview --addr :8081 --allow-host dev.example.org:8081 prompts`,
		Args:              atLeastOne("folder"),
		ValidArgsFunction: completeFolders,
		Annotations:       map[string]string{serves: "yes"},
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if err := checkAllowed(hosts, nil); err != nil {
				return err
			}
			if !strings.Contains(author.editor, "://") || !strings.Contains(author.editor, "{path}") {
				return usageErrorf("--editor must be a URL with {path}, such as %s, got %q", defaultEditor, author.editor)
			}
			if author.exec != "" && len(hosts) > 0 {
				return usageErrorf("--exec cannot be used with --allow-host: the command would run for everybody who can connect; remove one of the two")
			}
			if err := author.check(); err != nil {
				return err
			}
			if err := checkAddress("--addr", address); err != nil {
				return err
			}
			if err := openFound(cmd, dirs); err != nil {
				return err
			}
			listener, err := net.Listen("tcp", address)
			if err != nil {
				return err
			}
			open := func(token string) (opened func()) {
				url := "http://" + append(hosts, localAddress(listener))[0] + "/?token=" + token
				fmt.Fprintln(cmd.OutOrStdout(), url)
				if noOpen {
					return func() {}
				}
				opened, err := openBrowser(url)
				if err != nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "prompts: the browser was not opened: %v\n", err)
				}
				return opened
			}
			logger := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			return servePreview(cmd.Context(), listener, dirs, promptpreview.Options{AllowedHosts: hosts, Editor: author.editor}, author, logger, open)
		},
	}
	cmd.Flags().StringVar(&address, "addr", "127.0.0.1:0", "serve the page at this address; port 0 is a free one")
	cmd.Flags().StringArrayVar(&hosts, "allow-host", nil, "answer requests with this Host header, and no others (repeatable)")
	cmd.Flags().StringVar(&author.editor, "editor", defaultEditor, "URL that opens a file with an error in your editor")
	author.add(cmd.Flags(), "command that gets the messages, as with test, and prints the answer of a model", 5*time.Minute, "answer")
	cmd.Flags().BoolVar(&noOpen, "no-open", false, "do not open the browser")
	return cmd
}

// defaultEditor is that of package promptpreview.
const defaultEditor = "vscode://file{path}:{line}:{column}"

// servePreview calls open, and opened when a browser has the page or ctx ends.
func servePreview(ctx context.Context, listener net.Listener, dirs []string, o promptpreview.Options, author authorOptions, logger *slog.Logger, open func(token string) (opened func())) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reg := new(prompts.Registry)
	var asking sync.RWMutex // read-locked by each request about files
	files := newAuthor(reg, dirs, author)
	o.Author = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !asking.TryRLock() { // the preview ends
			return
		}
		defer asking.RUnlock()
		files.ServeHTTP(w, r)
	})
	var folders []string
	for _, dir := range dirs {
		folders = append(folders, filepath.Base(pageRoot(dir)))
	}
	options := prompts.Options{Info: prompts.Implementation{Name: "preview", Title: strings.Join(folders, ", "), Version: version()}, InputSchemas: true, Logger: logger}
	tools := ""
	err := folderSettings(dirs, &tools, &options.Instructions, func(string) bool { return false }, logger)
	if err == nil && tools != "" {
		options.Features = make([]feature.Feature, 1)
		options.Features[0], err = toolsOf(reg, tools)
	}
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	page, err := promptpreview.NewHandler(prompts.MustNewServer(reg, options), o)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := watchFolders(trace.With(ctx), reg, dirs, nil, promptfs.Options{Logger: logger, Debounce: previewDebounce, Skills: new(promptskills.Registry)}, page.Reporter); err != nil {
		return errors.Join(err, listener.Close(), page.Close())
	}
	opened := sync.OnceFunc(open(page.Token()))
	defer opened()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("token")), []byte(page.Token())) == 1 {
			opened()
		}
		page.ServeHTTP(w, r)
	})
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelWarn)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }() // ends with Close
	select {
	case err := <-served:
		return errors.Join(err, page.Close())
	case <-ctx.Done():
	}
	err = errors.Join(page.Close(), server.Close()) // an author waits for nothing
	<-served
	asking.Lock() // Close has ended each request: its command ends, and its file is written
	return err
}

// previewDebounce is short: an author waits for each save, and sees a half-written file.
const previewDebounce = 25 * time.Millisecond

// openBrowser opens a URL in the browser of the user, until opened is called. The token in the
// URL is in no list of processes, which other users can read: the browser gets a page that only
// the user can read, and that leads to the URL.
func openBrowser(url string) (opened func(), err error) {
	home := ""
	if runtime.GOOS == "linux" { // where browsers of Snap read only files of the home folder that are not hidden
		home, _ = os.UserHomeDir()
	}
	const name = "prompts-preview-*.html"
	page, err := os.CreateTemp(home, name) // of mode 0600
	if err != nil && home != "" {          // which may be read-only
		page, err = os.CreateTemp("", name)
	}
	if err != nil {
		return func() {}, err
	}
	opened = func() { _ = os.Remove(page.Name()) }
	_, err = fmt.Fprintf(page, "<!DOCTYPE html>\n<meta name=\"referrer\" content=\"no-referrer\">\n<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n", html.EscapeString(url))
	if err = errors.Join(err, page.Close()); err != nil {
		return opened, err
	}
	command := []string{"xdg-open", page.Name()}
	switch runtime.GOOS {
	case "darwin":
		command[0] = "open"
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", page.Name()}
	}
	p := exec.Command(command[0], command[1:]...)
	if err := p.Start(); err != nil {
		return opened, err
	}
	go func() { _ = p.Wait() }() // ends with the program, which may be the browser
	return opened, nil
}

func newAuthor(reg *prompts.Registry, dirs []string, o authorOptions) http.Handler {
	a := &authorPage{registry: reg, renderer: newRenderer(reg), dirs: dirs, authorOptions: o}
	mux := http.NewServeMux()
	for path, answer := range map[string]pageAnswer{
		"/prompt":     a.prompt,
		"/findings":   a.findings,
		"/changes":    a.changes,
		"/commits":    a.commits,
		"/trace":      a.trace,
		"/do/release": a.sinceRelease,
		"/do/case":    a.saveCase,
		"/do/answer":  a.answer,
	} {
		mux.HandleFunc("POST "+path, a.handle(answer, true))
	}
	for path, answer := range map[string]pageAnswer{"/files": a.files, "/tests": a.tests, "/search": a.search} {
		mux.HandleFunc("POST "+path, a.handle(answer, false))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = "/" + strings.TrimPrefix(r.URL.Path, "/")
		mux.ServeHTTP(w, r)
	})
}

type pageAnswer func(context.Context, *prompts.Prompt, *asked) (any, error)

func (a *authorPage) handle(answer pageAnswer, isOfPrompt bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in asked
		body := http.MaxBytesReader(w, r.Body, maxAsked)
		if err := json.NewDecoder(body).Decode(&in); err != nil {
			http.Error(w, "invalid request of the page", http.StatusBadRequest)
			return
		}
		_, _ = io.Copy(io.Discard, body)
		p, ok := a.registry.Lookup(in.Prompt)
		if !ok && isOfPrompt {
			http.Error(w, fmt.Sprintf("unknown prompt %q", in.Prompt), http.StatusNotFound)
			return
		}
		out, err := answer(r.Context(), &p, &in)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		writePage(w, out)
	}
}

func writePage(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(value)
}
