package streamablehttp

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// reading is what net/http and encoding/json make of a request, as far as it
// decides how it is replied to.
type reading struct {
	request *http.Request // nil if it is none
	body    []byte
	message message
}

// message is a JSON-RPC message as encoding/json has it.
type message struct {
	valid   bool
	array   bool
	method  string
	ids     []string // of the members "id", or of the elements'
	name    string
	version string // in its own envelope
	// stateless says that there is an envelope, whatever it says.
	stateless bool
	request   bool
}

func read(raw []byte) reading {
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
	if err != nil {
		return reading{}
	}
	var body bytes.Buffer
	if _, err := body.ReadFrom(r.Body); err != nil {
		return reading{request: r}
	}
	return reading{r, body.Bytes(), readMessage(body.Bytes())}
}

func readMessage(text []byte) message {
	m := message{valid: json.Valid(text) && utf8.Valid(text)}
	if !m.valid {
		return m
	}
	var elements []json.RawMessage
	if json.Unmarshal(text, &elements) == nil {
		m.array = elements != nil
		for _, e := range elements {
			m.ids = append(m.ids, readMessage(e).ids...)
		}
		return m
	}
	var members, params, meta map[string]json.RawMessage
	_ = json.Unmarshal(text, &members)
	_ = json.Unmarshal(members["params"], &params)
	_ = json.Unmarshal(params["_meta"], &meta)
	_ = json.Unmarshal(members["method"], &m.method)
	_ = json.Unmarshal(params["name"], &m.name)
	_, m.stateless = meta["io.modelcontextprotocol/protocolVersion"]
	_ = json.Unmarshal(meta["io.modelcontextprotocol/protocolVersion"], &m.version)
	if id, ok := members["id"]; ok {
		m.ids = []string{string(id)}
		m.request = m.method != ""
	}
	return m
}

// agrees reports whether the headers of a stateless request say what its body
// does.
func (r reading) agrees() bool {
	h := r.request.Header
	one := func(name, want string) bool { return slices.Equal(h.Values(name), []string{want}) }
	versions := strings.Split(strings.Join(h.Values(headerVersion), ","), ",")
	isOther := func(version string) bool { return strings.Trim(version, " \t") != r.message.version }
	if slices.ContainsFunc(versions, isOther) || !one(headerMethod, r.message.method) {
		return false
	}
	if r.message.method != "prompts/get" || r.message.name == "" {
		return true
	}
	encoded := "=?base64?" + base64.StdEncoding.EncodeToString([]byte(r.message.name)) + "?="
	return one(headerName, r.message.name) || one(headerName, encoded)
}

// mayBeServed reports whether a request is one that a page of another site
// cannot have made a browser send.
func (r reading) mayBeServed(o Options, onLoopback bool) bool {
	host, _, err := net.SplitHostPort(r.request.Host)
	if err != nil {
		host = strings.Trim(r.request.Host, "[]")
	}
	isLocal := func(host string) bool {
		host = strings.Trim(host, "[]")
		ip := net.ParseIP(host)
		return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
	}
	if onLoopback && !isLocal(host) {
		return false
	}
	origins := r.request.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	if len(origins) > 1 || err != nil {
		return false
	}
	return slices.Contains(o.AllowedOrigins, strings.ToLower(origins[0])) ||
		strings.EqualFold(u.Host, r.request.Host) || onLoopback && isLocal(u.Hostname())
}

// isJSONSaid reports whether the body is said to be plain JSON.
func (r reading) isJSONSaid() bool {
	t, _, err := mime.ParseMediaType(r.request.Header.Get("Content-Type"))
	coding := r.request.Header.Get("Content-Encoding")
	return err == nil && t == "application/json" && (coding == "" || strings.EqualFold(coding, "identity"))
}

// mayTake reports whether a client that sends this may take a media type at
// all: it says nothing, or something that could mean it.
func (r reading) mayTake(mediaType string) bool {
	said := strings.ToLower(strings.Join(r.request.Header.Values("Accept"), ","))
	family, _, _ := strings.Cut(mediaType, "/")
	return strings.Trim(said, ",") == "" || strings.Contains(said, mediaType) || strings.Contains(said, family+"/*") || strings.Contains(said, "*/*")
}
