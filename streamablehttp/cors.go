package streamablehttp

import "net/http"

// Values of the reply headers that allow a page of another origin to call the server.
// Of the reply headers, the page needs permission only for the session id.
const (
	corsMethods = "GET, POST, DELETE"
	corsExposed = "Mcp-Session-Id"
	corsMaxAge  = "7200" // seconds; browsers go no higher
)

// writeCORS allows a page of a listed origin to send all headers that it asks for, which
// may be those of the application's authentication, and to read the reply. It reports
// whether the request is a preflight. The origin is checked already.
func (o *Options) writeCORS(w http.ResponseWriter, r *http.Request) (isPreflight bool) {
	if len(o.AllowedOrigins) == 0 {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if !o.lists(origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		h.Set("Access-Control-Expose-Headers", corsExposed)
		return false
	}
	h.Add("Vary", "Access-Control-Request-Headers")
	h.Set("Access-Control-Allow-Methods", corsMethods)
	if requested := r.Header.Get("Access-Control-Request-Headers"); requested != "" {
		h.Set("Access-Control-Allow-Headers", requested)
	}
	h.Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
	return true
}
