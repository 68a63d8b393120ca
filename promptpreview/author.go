package promptpreview

import (
	"crypto/rand"
	"crypto/subtle"
	"mime"
	"net/http"
	pathpkg "path"
	"strings"
)

// This file decides who may read and write the files of prompts, and run a command.

// tokenHeader is the header in which the page sends the token of its address. A form or
// an image of another page cannot set a header.
const tokenHeader = "X-Prompts-Token"

// effects is the path below author/ of the requests that write a file or run a command.
const effects = "do/"

// Token returns the value of the query parameter token for the address of the page of an
// author. The token is random and lasts as long as the Handler. Token returns the empty
// string without Options.Author.
func (h *Handler) Token() string {
	h.checkMade()
	return h.token
}

func newToken(o Options) string {
	if o.Author == nil {
		return ""
	}
	return rand.Text()
}

// authorRefusal returns why a request of the path below author/ is not answered; empty if
// it is. It is for requests that [Handler.refusal] lets through: each Origin is that of
// the page, and without AllowedHosts the address is a loopback one.
func (h *Handler) authorRefusal(r *http.Request, path string) string {
	if subtle.ConstantTimeCompare([]byte(r.Header.Get(tokenHeader)), []byte(h.token)) != 1 {
		return "token is not that of the page; open the page at the address that the program prints"
	}
	if len(r.Header.Values("Origin")) != 1 {
		return "Origin is missing; send the request from the page"
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return "request must be from the page itself"
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return "Content-Type must be application/json"
	}
	if strings.HasPrefix(path, effects) && len(h.options.AllowedHosts) > 0 {
		return "files are not written and no command runs with allowed hosts; open the page at localhost"
	}
	return ""
}

func (h *Handler) askAuthor(w http.ResponseWriter, r *http.Request, path string) {
	// Another way to write a path could lead past the check of effects.
	if h.options.Author == nil || pathpkg.Clean("/"+path) != "/"+path {
		http.NotFound(w, r)
		return
	}
	if !isMethod(w, r, http.MethodPost) {
		return
	}
	if why := h.authorRefusal(r, path); why != "" {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	http.StripPrefix(strings.TrimSuffix(r.URL.Path, path), h.options.Author).ServeHTTP(w, r)
}
