package doubt

import (
	"regexp"
	"slices"
	"strings"
)

// secrets are texts that look like credentials. A search for marks, of which each has one, is much faster.
var secrets = []struct {
	what    string
	marks   []string
	pattern *regexp.Regexp
}{
	{"a private key", []string{"-----BEGIN "}, regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)},
	{"an access key of AWS", []string{"AKIA", "ASIA"}, regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{"a token of GitHub", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, regexp.MustCompile(`\b(?:gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{22,})\b`)},
	{"a token of GitLab", []string{"glpat-"}, regexp.MustCompile(`\bglpat-[0-9A-Za-z_-]{20}`)},
	{"a token of Slack", []string{"xox"}, regexp.MustCompile(`\bxox[abprs]-[0-9A-Za-z-]{10,}`)},
	{"a key of Google", []string{"AIza"}, regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`)},
	{"a key of Stripe", []string{"k_live_"}, regexp.MustCompile(`\b[rs]k_live_[0-9A-Za-z]{20,}`)},
	{"a key of a model's API", []string{"sk-"}, regexp.MustCompile(`\bsk-(?:ant-|proj-)?[0-9A-Za-z_-]{32,}`)},
	{"a JSON Web Token", []string{"eyJ"}, regexp.MustCompile(`\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}`)},
	{"a password in a URL", []string{"://"}, regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://[^/\s:@{}<>]+:[^/\s:@{}<>$]{6,}@[\w.-]*`)},
}

var (
	// examples match the URLs of documentation and of local development.
	examples = regexp.MustCompile(`(?i):(?:password|passwd|secret|changeme)\d*@|@(?:localhost|127\.0\.0\.1|(?:[\w-]+\.)*example(?:\.[a-z]+)?)$`)
	login    = regexp.MustCompile(`://([^:]+):([^@]+)@`)
)

func isExample(match string) bool {
	m := login.FindStringSubmatch(match)
	return m != nil && (m[1] == m[2] || examples.MatchString(match))
}

// Secret returns which credential a text seems to have, or the empty string.
func Secret(text string) string {
	for _, s := range secrets {
		hasMark := slices.ContainsFunc(s.marks, func(mark string) bool { return strings.Contains(text, mark) })
		if hasMark && slices.ContainsFunc(s.pattern.FindAllString(text, -1), func(m string) bool { return !isExample(m) }) {
			return s.what
		}
	}
	return ""
}
