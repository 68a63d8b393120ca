package promptoci

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/opencontainers/go-digest"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"

	"github.com/mcp-prompts/prompts/internal/loopback"
)

const (
	remotePrefix = "oci://"
	layoutPrefix = "oci-layout:"
	lockWait     = 5 * time.Millisecond
)

// Ref names a release in a store: see [ParseRef].
type Ref struct {
	// Layout is a folder. Registry and Repository are those of a registry.
	Layout, Registry, Repository string
	// Label and Digest name the release. At most one of the two is set.
	Label  string
	Digest digest.Digest
}

// ParseRef parses a reference: oci://HOST/REPOSITORY for a repository of a registry, or
// oci-layout:FOLDER for a folder. A label follows after a colon, or a digest after an @, as
// in oci://ghcr.io/acme/prompts:production. Both may be missing.
func ParseRef(s string) (Ref, error) {
	fail := func(why string) (Ref, error) {
		return Ref{}, fmt.Errorf("promptoci: invalid reference %q: %s; use oci://HOST/REPOSITORY:LABEL, oci-layout:FOLDER:LABEL, or @sha256:… for the label", s, why)
	}
	var r Ref
	rest, isRemote := strings.CutPrefix(s, remotePrefix)
	if !isRemote {
		var ok bool
		if rest, ok = strings.CutPrefix(s, layoutPrefix); !ok {
			return fail("no scheme")
		}
	}
	if before, after, ok := strings.Cut(rest, "@"); ok && strings.HasPrefix(after, "sha256:") {
		if rest, r.Digest = before, digest.Digest(after); r.Digest.Validate() != nil {
			return fail("invalid digest")
		}
	} else if at := strings.LastIndexByte(rest, ':'); at > strings.LastIndexByte(rest, '/') && !strings.HasPrefix(rest[at:], `:\`) { // C:\ is no label
		if rest, r.Label = rest[:at], rest[at+1:]; !labelForm.MatchString(r.Label) {
			return fail("invalid label; use at most 63 lowercase letters, digits and hyphens")
		}
	}
	if !isRemote {
		if r.Layout = rest; rest == "" {
			return fail("folder is empty")
		}
		return r, nil
	}
	parsed, err := registry.ParseReference(rest)
	if err != nil || parsed.Reference != "" {
		return fail("invalid host or repository")
	}
	r.Registry, r.Repository = parsed.Registry, parsed.Repository
	return r, nil
}

// Version returns the label or the digest.
func (r Ref) Version() string { return cmp.Or(r.Label, r.Digest.String()) }

// String returns the reference in the form of [ParseRef].
func (r Ref) String() string {
	s := layoutPrefix + r.Layout
	if r.Layout == "" {
		s = remotePrefix + r.Registry + "/" + r.Repository
	}
	switch {
	case r.Label != "":
		return s + ":" + r.Label
	case r.Digest != "":
		return s + "@" + r.Digest.String()
	}
	return s
}

// ClientOptions configures [Open].
type ClientOptions struct {
	// PlainHTTP uses HTTP without TLS. It is the default for a registry at a loopback address.
	PlainHTTP bool
	// Transport, if not nil, sends the requests. Then only the hosts of redirects are checked,
	// and not the addresses behind their names. The same holds for a proxy.
	// Default: a transport of package http with the proxies of the environment.
	Transport http.RoundTripper
}

// Open returns the store of a reference, without a request. The store is safe for concurrent use.
//
// A folder has the form of an OCI image layout, which tools such as oras and crane read. The first
// write creates the folder. Several processes may use the folder: a file lock protects the tags,
// so the file system must have file locks, unlike some network file systems. Users who may write
// to the folder may lock it.
//
// For the registry that the variable PROMPTS_REGISTRY_HOST names, the credentials are in
// PROMPTS_REGISTRY_USERNAME and PROMPTS_REGISTRY_PASSWORD. All others are those of Docker's
// configuration and its helpers, read again for each login.
//
// Requests use HTTPS, unless the registry is at a loopback address or PlainHTTP is set, and
// never leave HTTPS by a redirect. A redirect to another host cannot lead to a loopback
// or link-local address, unless the registry has a loopback address.
func Open(r Ref, o ClientOptions) (Store, error) {
	if r.Layout != "" {
		return layout{r.Layout}, nil
	}
	repository, err := remote.NewRepository(r.Registry + "/" + r.Repository)
	if err != nil {
		return nil, fmt.Errorf("promptoci: %w", err)
	}
	host := hostOf(r.Registry)
	repository.PlainHTTP = o.PlainHTTP || loopback.IsName(host)
	repository.MaxMetadataBytes, repository.TagListMaxPages = maxIndex, maxTagPages
	base := o.Transport
	if base == nil {
		base = newTransport(host)
	}
	g := &guard{base: base, registryHost: host, isPlain: repository.PlainHTTP}
	client := &auth.Client{
		Client: &http.Client{Transport: g}, Cache: auth.NewCache(),
		Credential: func(ctx context.Context, host string) (auth.Credential, error) {
			if user := os.Getenv("PROMPTS_REGISTRY_USERNAME"); user != "" {
				named := registry.Reference{Registry: os.Getenv("PROMPTS_REGISTRY_HOST")}
				if named.ValidateRegistry() != nil || strings.Contains(named.Registry, ",") {
					return auth.EmptyCredential, fmt.Errorf("PROMPTS_REGISTRY_HOST must name the registry of PROMPTS_REGISTRY_USERNAME, got %q; write one host such as ghcr.io, without scheme and path", named.Registry)
				}
				if strings.EqualFold(host, named.Host()) {
					return auth.Credential{Username: user, Password: os.Getenv("PROMPTS_REGISTRY_PASSWORD")}, nil
				}
			}
			return dockerCredential(ctx, host)
		},
	}
	if loopback.IsName(host) {
		client.BlockedRealmPrefixes = []netip.Prefix{}
	}
	repository.Client = withoutQueries{client}
	return &remoteStore{repository, g}, nil
}

// reading has an element while a goroutine reads Docker's configuration.
var reading = make(chan struct{}, 1)

// dockerCredential returns the credential that Docker's configuration has for a host. The file
// can be a pipe, and a credential helper can be silent: the wait ends with ctx.
func dockerCredential(ctx context.Context, host string) (auth.Credential, error) {
	select {
	case reading <- struct{}{}:
	case <-ctx.Done():
		return auth.EmptyCredential, context.Cause(ctx)
	}
	done := make(chan struct{})
	var read auth.Credential
	var failed error
	go func() { // ends with the file and the helper
		defer func() { <-reading; close(done) }()
		var store *credentials.DynamicStore
		if store, failed = credentials.NewStoreFromDocker(credentials.StoreOptions{}); failed == nil {
			read, failed = credentials.Credential(store)(ctx, host)
		}
	}()
	select {
	case <-done:
		return read, failed
	case <-ctx.Done():
		return auth.EmptyCredential, context.Cause(ctx)
	}
}

// withoutQueries is a client whose errors show no query of a URL. A query can have the
// signature of a redirect to the storage of a registry, or the state of an upload.
type withoutQueries struct{ client *auth.Client }

func (c withoutQueries) Do(r *http.Request) (*http.Response, error) {
	response, err := c.client.Do(r)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		failed.URL, _, _ = strings.Cut(failed.URL, "?")
	}
	if rest, ok := r.Context().Value(tagsKey{}).(*tagsLeft); ok && err == nil {
		response.Body = tagsBody{response.Body, rest}
	}
	if err == nil { // package oras makes errors of the request, too
		at := *response.Request.URL
		at.RawQuery = ""
		response.Request = response.Request.WithContext(response.Request.Context())
		response.Request.URL = &at
	}
	return response, err
}

// remoteStore is a repository, and the time that its registry asks to wait for.
type remoteStore struct {
	*remote.Repository
	guard *guard
}

const (
	maxTagPages = 10_000
	maxTags     = 200_000
	// maxTagBytes is the maximum size of all pages of a list of tags.
	maxTagBytes = 16 << 20
	// roomForTags is how many tags of at most longestTag bytes may still be written after a list
	// that is read before, by this process and by others at the same time.
	roomForTags = 1000
	longestTag  = 128
)

var errTags = fmt.Errorf("list of tags exceeds the limit of %d tags or %d bytes; remove tags, or use another repository", maxTags, maxTagBytes)

// Tags lists the tags after last, page by page, of which package oras limits the size of each.
func (s *remoteStore) Tags(ctx context.Context, last string, f func(tags []string) error) error {
	left := &tagsLeft{maxTags, maxTagBytes}
	if ctx.Value(roomKey{}) != nil {
		left.tags, left.bytes = left.tags-roomForTags, left.bytes-roomForTags*(longestTag+len(`"",`))
	}
	return s.Repository.Tags(context.WithValue(ctx, tagsKey{}, left), last, f)
}

type roomKey struct{}

// withRoom returns a context in which the list of the tags of a registry is an error, unless
// tags that are written afterwards can be read, too.
func withRoom(ctx context.Context) context.Context { return context.WithValue(ctx, roomKey{}, true) }

type tagsKey struct{}

type tagsLeft struct{ tags, bytes int }

// tagsBody is one page of a list of tags. A comma follows each tag but the last, and no tag has
// a comma, so the tags are counted before they are parsed.
type tagsBody struct {
	io.ReadCloser
	left *tagsLeft
}

func (b tagsBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.left.bytes -= n
	if b.left.tags -= bytes.Count(p[:n], []byte(",")); b.left.bytes < 0 || b.left.tags < 0 {
		return 0, errTags
	}
	return n, err
}

// retryAfter returns the time to wait until the next request, or 0.
func (s *remoteStore) retryAfter() time.Duration {
	return max(0, time.Until(time.Unix(0, s.guard.until.Load())))
}

type guard struct {
	base         http.RoundTripper
	registryHost string
	isPlain      bool
	until        atomic.Int64 // Unix time in nanoseconds
}

var errPlain = errors.New("redirect from HTTPS to HTTP is rejected")

func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if !g.isPlain && r.URL.Scheme != "https" {
		return nil, errPlain
	}
	if host := r.URL.Hostname(); host != g.registryHost && !loopback.IsName(g.registryHost) && isInternalName(host) {
		return nil, fmt.Errorf("address %s of a redirect is rejected", host)
	}
	response, err := g.send(r)
	if err == nil && (response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable) {
		text := response.Header.Get("Retry-After")
		wait := time.Duration(0)
		if seconds, err := strconv.Atoi(text); err == nil {
			wait = time.Duration(seconds) * time.Second
		} else if at, err := http.ParseTime(text); err == nil {
			wait = time.Until(at)
		}
		if wait > 0 {
			g.until.Store(time.Now().Add(min(wait, maxRetryAfter)).UnixNano())
		}
	}
	return response, err
}

// send sends a request, and sends reads that fail inside of the registry again. Distribution
// 2.8 answers 500 to a read of a tag that is being written.
func (g *guard) send(r *http.Request) (*http.Response, error) {
	for pause := 50 * time.Millisecond; ; pause *= 4 {
		response, err := g.base.RoundTrip(r)
		isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
		if err != nil || !isRead || response.StatusCode != http.StatusInternalServerError || pause > maxRetryPause {
			return response, err
		}
		_ = response.Body.Close() // of no use
		select {
		case <-time.After(pause):
		case <-r.Context().Done():
			return nil, context.Cause(r.Context())
		}
	}
}

// maxRetryPause is the longest pause before a read is sent again.
const maxRetryPause = 200 * time.Millisecond

// maxRetryAfter is the longest time that a registry can ask to wait for.
const maxRetryAfter = 60 * time.Minute

func hostOf(registry string) string {
	if host, _, err := net.SplitHostPort(registry); err == nil {
		return host
	}
	return registry
}

// newTransport returns a transport that connects to the registry, and from there only to
// addresses that may be of a registry: not to the host itself, nor to the metadata service of
// a cloud. With a proxy, only the proxy knows the addresses.
func newTransport(registryHost string) http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = 30 * time.Second
	plain := &net.Dialer{Timeout: 10 * time.Second}
	checked := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if isInternal(at.Addr()) {
			return fmt.Errorf("address %s of a redirect is rejected", at.Addr())
		}
		return nil
	}}
	var isAllowed sync.Map // by host: the registry, and the proxies that the requests have
	isAllowed.Store(registryHost, true)
	if proxyOf := t.Proxy; proxyOf != nil {
		t.Proxy = func(r *http.Request) (*url.URL, error) {
			proxy, err := proxyOf(r)
			if proxy != nil {
				isAllowed.Store(proxy.Hostname(), true)
			}
			return proxy, err
		}
	}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		host := hostOf(address)
		if _, ok := isAllowed.Load(host); ok || loopback.IsName(registryHost) {
			return plain.DialContext(ctx, network, address)
		}
		return checked.DialContext(ctx, network, address)
	}
	return t
}

// metadataAddresses are the metadata services of clouds that are not link-local: AWS in IPv6,
// Alibaba and Azure.
var metadataAddresses = []netip.Addr{netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("168.63.129.16")}

// nat64 is the prefix of IPv4 addresses in IPv6.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// isInternal reports whether an address is of this host or of the metadata service of a
// cloud, which no registry has.
func isInternal(ip netip.Addr) bool {
	if nat64.Contains(ip) {
		all := ip.As16()
		ip = netip.AddrFrom4([4]byte(all[12:]))
	}
	ip = ip.Unmap().WithZone("")
	return ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.Is4() && ip.As4()[0] == 0 || ip.IsUnspecified() || slices.Contains(metadataAddresses, ip)
}

func isInternalName(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return isInternal(ip)
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || host == "metadata.google.internal" || host == "metadata"
}
