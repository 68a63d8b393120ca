// Package promptpreview serves a page for authors of prompts. The page shows every
// prompt of a server as a form, with completion, the errors at the fields, and the
// resulting conversation. When a prompt changes, the page shows the change:
//
//	page, err := promptpreview.NewHandler(srv, promptpreview.Options{})
//	defer page.Close()
//	err := http.ListenAndServe("127.0.0.1:8081", page)
//
// The page is a client of the server, over an endpoint of its own. For forms with the types of
// arguments, set InputSchemas of the server's prompts.Options. For errors of prompt files, set
// OnReload of promptfs.Options to the result of [Handler.Reporter].
//
// The page is for development: anyone who opens the page gets every prompt that the
// server shows to a client without a principal.
package promptpreview

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

// Options configures a [Handler].
type Options struct {
	// AllowedHosts are the accepted values of the Host header, with the port if the header has one,
	// on any address. Default: loopback names, on a connection to a loopback address only.
	AllowedHosts []string

	// Editor is the URL that opens a file with an error in the author's editor. The page replaces
	// {path}, {line} and {column}. Default: vscode://file{path}:{line}:{column}.
	Editor string

	// Author answers the requests of the page about files of prompts, such as templates
	// and test files. The program prompts has such a handler; the paths and the JSON can
	// change with each release. Author gets POST requests with the [Handler.Token] and
	// the origin of the page. Requests below do/ also need a loopback address and no
	// AllowedHosts. Nil: the page shows no files.
	Author http.Handler
}

const defaultEditor = "vscode://file{path}:{line}:{column}"

// Handler is an http.Handler for the page and its resources, at the root of its
// URLs. To use another path, mount the Handler with http.StripPrefix and a trailing
// slash. Safe for concurrent use.
type Handler struct {
	options  Options
	server   *prompts.Server
	endpoint *streamablehttp.Handler
	token    string // empty without an author

	mu      sync.Mutex // protects the fields below
	number  int64      // of the last report; begins with the time, so that no two handlers share one
	folders [][]fileError
	changed map[string]int64 // the number of the last report that has changed a prompt, by its name
}

type fileError struct {
	Path    string `json:"path"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // how to fix the error
	Root    string `json:"root,omitempty"` // absolute path of the folder, with slashes
}

// NewHandler returns a handler for the page with the prompts of the server. Call [Handler.Close] at
// the end. NewHandler returns an error if the server is nil or a value of AllowedHosts is no host.
func NewHandler(s *prompts.Server, o Options) (*Handler, error) {
	if o.Editor == "" {
		o.Editor = defaultEditor
	}
	endpoint, err := streamablehttp.NewHandler(s, streamablehttp.Options{DisableSessions: true, AllowedHosts: o.AllowedHosts})
	if err != nil {
		return nil, fmt.Errorf("promptpreview: %w", err)
	}
	return &Handler{options: o, server: s, endpoint: endpoint, token: newToken(o), number: time.Now().UnixMilli(), changed: map[string]int64{}}, nil
}

// Close ends the streams of open pages, which then reconnect.
func (h *Handler) Close() error {
	h.checkMade()
	return h.endpoint.Close()
}

func (h *Handler) checkMade() {
	if h == nil || h.endpoint == nil {
		panic("promptpreview: Handler is not made by NewHandler")
	}
}

// ServeHTTP answers one request. A request with a Host or Origin that is not allowed
// gets status 403.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.checkMade()
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	if why := h.refusal(r); why != "" {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	switch path := strings.TrimPrefix(r.URL.Path, "/"); path {
	case "mcp":
		h.endpoint.ServeHTTP(w, r)
	case "reports":
		h.reports(w, r)
	case "clients":
		h.showClients(w, r)
	default:
		if rest, ok := strings.CutPrefix(path, "author/"); ok {
			h.askAuthor(w, r, rest)
			return
		}
		if path == "" {
			path = "index.html"
		}
		a := assets()[path]
		if a == nil {
			http.NotFound(w, r)
			return
		}
		a.ServeHTTP(w, r)
	}
}

func isMethod(w http.ResponseWriter, r *http.Request, method string) bool {
	if r.Method != method {
		w.Header().Set("Allow", method)
		http.Error(w, "method is not allowed; use "+method, http.StatusMethodNotAllowed)
	}
	return r.Method == method
}

// Reporter returns a function for OnReload of promptfs.Options, which reports the
// errors and the changes of one folder to open pages. Call it once for each folder. dir
// is the path of the folder, so that the page links files to the editor. If dir is empty,
// as for a file system in memory, the page has no such links.
func (h *Handler) Reporter(dir string) func(promptfs.Report) {
	h.checkMade()
	if absolute, err := filepath.Abs(dir); dir != "" && err == nil {
		dir = absolute
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.folders = append(h.folders, nil)
	i := len(h.folders) - 1
	dir = filepath.ToSlash(dir)
	return func(r promptfs.Report) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.number++
		h.folders[i] = fileErrors(dir, r.Err)
		for _, name := range append(slices.Clone(r.Added), r.Changed...) {
			h.changed[name] = h.number
		}
		for _, name := range r.Removed {
			delete(h.changed, name)
		}
	}
}

func fileErrors(dir string, err error) []fileError {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []fileError
		for _, err := range joined.Unwrap() {
			all = append(all, fileErrors(dir, err)...)
		}
		return all
	}
	var e *promptfs.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return []fileError{{Path: e.Path, Line: e.Line, Column: e.Column, Message: e.Err.Error(), Hint: e.Hint, Root: dir}}
	}
	return []fileError{{Message: err.Error()}}
}

// reports answers with the errors of files, and with the names of the prompts that
// files have changed since a report. A page asks again and again: a stream for that
// would take one of the few connections that a browser has to a server.
func (h *Handler) reports(w http.ResponseWriter, r *http.Request) {
	if !isMethod(w, r, http.MethodGet) {
		return
	}
	since, _ := strconv.ParseInt(r.URL.Query().Get("since"), 10, 64) // 0 for the first time
	answer := struct {
		Number  int64       `json:"number"`
		Editor  string      `json:"editor"` // the URL that opens a file
		Errors  []fileError `json:"errors"`
		Changed []string    `json:"changed"`
	}{Editor: h.options.Editor, Errors: []fileError{}, Changed: []string{}}
	h.mu.Lock()
	answer.Number = h.number
	for _, errs := range h.folders {
		answer.Errors = append(answer.Errors, errs...)
	}
	for name, number := range h.changed {
		if since > 0 && number > since {
			answer.Changed = append(answer.Changed, name)
		}
	}
	h.mu.Unlock()
	if answer.Number == since {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	slices.Sort(answer.Changed)
	writeJSON(w, answer)
}

// writeJSON sends a value. An error means that the client has disconnected.
func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(v)
}
