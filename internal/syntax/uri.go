package syntax

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// CheckURI returns an error if s is not an absolute URI by RFC 3986. It rejects
// what url.Parse rejects and more: url.Parse alone is too lenient.
func CheckURI(s string) error {
	if err := checkURICharacters(s); err != nil {
		return err
	}
	u, err := url.Parse(s)
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err // without the URI, which the caller names
	}
	if u.Scheme == "" {
		return errors.New("not an absolute URI: it has no scheme")
	}
	before, host, after, err := splitAuthority(s)
	if err != nil {
		return err
	}
	if strings.ContainsAny(before+after, "[]") {
		return errors.New("brackets may only enclose an IP address as the host; others must be percent-encoded")
	}
	return checkHost(host)
}

func checkURICharacters(s string) error {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return errors.New("a URI must be percent-encoded, as url.URL's String does it")
		}
		if c == '%' && (i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2])) {
			return fmt.Errorf("two hexadecimal digits must follow %q", '%')
		}
	}
	if strings.Count(s, "#") > 1 {
		return errors.New("a second '#' must be percent-encoded")
	}
	return nil
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// splitAuthority splits a URI around its host and port. Without an authority,
// before is the whole URI.
func splitAuthority(s string) (before, host, after string, err error) {
	scheme, rest, _ := strings.Cut(s, ":")
	authority, ok := strings.CutPrefix(rest, "//")
	if !ok {
		return s, "", "", nil
	}
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority, after = authority[:end], authority[end:]
	}
	user, host, ok := strings.Cut(authority, "@")
	if !ok {
		user, host = "", authority
	}
	if strings.Contains(host, "@") {
		return "", "", "", errors.New("a second '@' before the host must be percent-encoded")
	}
	return scheme + user, host, after, nil
}

var (
	bracketed = regexp.MustCompile(`^\[([^\[\]]*)\](:[0-9]*)?$`)
	futureIP  = regexp.MustCompile(`^[vV][0-9A-Fa-f]+\.[^%/?#@]+$`)
)

// checkHost checks the brackets of a host with its port. url.Parse has checked
// the characters.
func checkHost(host string) error {
	if !strings.ContainsAny(host, "[]") {
		if strings.Count(host, ":") > 1 {
			return errors.New("an IPv6 address as the host needs brackets")
		}
		return nil
	}
	m := bracketed.FindStringSubmatch(host)
	if m == nil {
		return errors.New("brackets may only enclose all of the host")
	}
	// RFC 6874 writes the '%' before a zone as %25.
	ip, err := netip.ParseAddr(strings.Replace(m[1], "%25", "%", 1))
	if (err != nil || ip.Is4()) && !futureIP.MatchString(m[1]) {
		return errors.New("no IPv6 address in the brackets")
	}
	return nil
}

// CheckURIReference returns an error if s is neither a URI by RFC 3986 nor a
// relative reference.
func CheckURIReference(s string) error {
	if err := checkURICharacters(s); err != nil {
		return err
	}
	if strings.HasPrefix(s, "//") {
		return CheckURI("x:" + s)
	}
	u, err := url.Parse(s)
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	if u.Scheme != "" {
		return CheckURI(s)
	}
	if strings.ContainsAny(s, "[]") {
		return errors.New("brackets must be percent-encoded")
	}
	return nil
}
