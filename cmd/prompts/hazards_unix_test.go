//go:build unix

package main

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hazards are what a folder can hold in the place of a file.
var hazards = map[string]func(t *testing.T, name string){
	"pipe": func(t *testing.T, name string) { require.NoError(t, syscall.Mkfifo(name, 0o600)) },
	"socket": func(t *testing.T, name string) {
		short, err := os.MkdirTemp("", "s") // the path of a socket is short at first
		require.NoError(t, err)
		defer os.RemoveAll(short)
		l, err := net.Listen("unix", filepath.Join(short, "s"))
		require.NoError(t, err)
		t.Cleanup(func() { l.Close() })
		require.NoError(t, os.Rename(filepath.Join(short, "s"), name))
	},
	"device":       linkTo("/dev/zero"),
	"waiting file": linkTo("/proc/kmsg"),
	"loop":         func(t *testing.T, name string) { linkTo(filepath.Base(name))(t, name) },
	"outside":      linkTo(secretFile),
}

// secretFile is a file that no command may print.
const secretFile = "/proc/version"

func linkTo(target string) func(t *testing.T, name string) {
	return func(t *testing.T, name string) { require.NoError(t, os.Symlink(target, name)) }
}

// places are where a hazard can be.
var places = []string{
	"prompts/a.md", "prompts/_partials/p.md", "prompts/_partials", "prompts/sub", "prompts/pic.txt", "prompts/skill/SKILL.md", "prompts/skill/data.txt",
	"prompts/a.test.yaml", "prompts/a.golden", "prompts/.git/HEAD", "prompts/.git/config", "prompts/.git/refs", "prompts/prompts.yaml", "exported", "exported/a.md",
	"releases/index.json", "releases/oci-layout", "releases/.lock", "releases/blobs/sha256/MANIFEST", "releases/blobs",
	"cache/current", "cache/.prompts-cache", "credentials/tokens", "credentials/cert", "foreign/c.prompt.md", "settings/.cursor/mcp.json", "settings/.cursor/.mcp.json.lock", "settings/.cursor",
}

// hazardCommands has each command, and folders in its arguments. DIR is the folder of all, and
// the folder prompts is a repository.
var hazardCommands = [][]string{
	{"check", "DIR/prompts"}, {"check", "DIR/prompts/a.md"}, {"check", "DIR/prompts/_partials/p.md"}, {"test", "--coverage", "DIR/prompts"}, {"test", "--update", "DIR/prompts"},
	{"list", "DIR/prompts"}, {"render", "DIR/prompts", "a", "x=1"}, {"diff", "DIR/prompts", "DIR/empty"}, {"diff", "DIR/empty", "DIR/prompts"},
	{"new", "sub/new", "--dir", "DIR/prompts"}, {"install", "cursor", "../prompts", "--print"}, {"preview", "--no-open", "DIR/prompts"},
	{"serve", "--http", "127.0.0.1:0", "DIR/prompts", "--skills", "--tools=each"},
	{"push", "DIR/prompts", "oci-layout:DIR/new1"}, {"import", "claude", "DIR/prompts", "DIR/new2"}, {"man", "DIR/prompts/sub"}, {"__complete", "render", "DIR/prompts", ""},
	{"push", "DIR/empty", "oci-layout:DIR/releases:production"}, {"pull", "oci-layout:DIR/releases:production", "DIR/new3"}, {"tag", "oci-layout:DIR/releases:production", "staging"},
	{"rollback", "oci-layout:DIR/releases:production"}, {"log", "oci-layout:DIR/releases:production"}, {"log", "oci-layout:DIR/releases"}, {"diff", "oci-layout:DIR/releases:production", "DIR/empty"},
	{"serve", "--http", "127.0.0.1:0", "oci-layout:DIR/releases:production", "--cache", "DIR/cache"}, {"serve", "--http", "127.0.0.1:0", "oci-layout:DIR/none:production", "--cache", "DIR/cache"},
	{"serve", "--http", "127.0.0.1:0", "--tokens", "DIR/credentials/tokens", "--cert", "DIR/credentials/cert", "--key", "DIR/credentials/key", "DIR/empty"},
	{"import", "vscode", "DIR/foreign", "DIR/new4"}, {"export", "claude", "DIR/prompts", "DIR/exported"}, {"import", "vscode", "DIR/foreign/c.prompt.md", "DIR/new5"}, {"check", "DIR/foreign"},
	{"install", "cursor", "--project", "../empty", "--name", "settings"}, {"install", "cursor", "--file", "../settings/.cursor/mcp.json", "../empty"},
}

// hazardDir returns the folders of the commands.
func hazardDir(t *testing.T) string {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"prompts/a.md":              "---\narguments:\n  - name: x\n---\n{{template \"p\" .}}{{.x}}\n\n--- user ---\n\n--- resource pic.txt ---\n",
		"prompts/_partials/p.md":    "part\n",
		"prompts/sub/b.md":          "b\n",
		"prompts/pic.txt":           "text\n",
		"prompts/skill/SKILL.md":    "---\nname: skill\ndescription: a skill\n---\nText\n",
		"prompts/skill/data.txt":    "data\n",
		"prompts/a.test.yaml":       "cases:\n  - name: one\n    arguments: {x: \"1\"}\n    expect:\n      equals: a.golden\n",
		"prompts/a.golden":          "--- user ---\npart1\n",
		"empty/hello.md":            "Hello\n",
		"foreign/c.prompt.md":       "Hi ${input:x}\n",
		"settings/.cursor/mcp.json": "{}\n",
		"credentials/tokens":        "ada secret\n",
		"exported/mine.md":          "mine\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	c := newCertificate(t, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "credentials", "cert"), []byte(c.cert), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "credentials", "key"), []byte(c.key), 0o600))
	for _, args := range [][]string{
		{"git", "init", "-q", "--template=", "prompts"}, {"git", "-C", "prompts", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "a"},
		{"prompts", "push", "empty", "oci-layout:releases:production"}, {"prompts", "serve", "oci-layout:releases:production", "--cache", "cache"},
	} {
		p := exec.CommandContext(t.Context(), args[0], args[1:]...)
		p.Dir = dir
		out, err := p.CombinedOutput()
		require.NoError(t, err, "%q: %s", args, out)
	}
	return dir
}

// Whatever is in the place of a file, no command waits longer than until its limit or SIGTERM,
// and none prints a file of another folder.
func TestHazards(t *testing.T) {
	t.Parallel()
	template := hazardDir(t)
	var names []string
	for _, args := range hazardCommands {
		names = append(names, args[0])
	}
	for _, cmd := range newRoot().Commands() {
		if cmd.IsAvailableCommand() && cmd.Name() != "completion" {
			assert.Contains(t, names, cmd.Name(), "each command is in the table")
		}
	}
	secret, err := os.ReadFile(secretFile)
	if err != nil { // not of this system
		secret = []byte("no such file on this system")
	}
	for _, place := range places {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			for kind, hazard := range hazards {
				if testing.Short() && kind != "pipe" {
					continue
				}
				dir := t.TempDir()
				require.NoError(t, os.CopyFS(dir, os.DirFS(template)))
				name := place
				if releases, _ := filepath.Glob(filepath.Join(dir, "cache", "release-*")); len(releases) == 1 {
					name = strings.ReplaceAll(place, "MANIFEST", strings.TrimPrefix(filepath.Base(releases[0]), "release-"))
				}
				name = filepath.Join(dir, filepath.FromSlash(name))
				for _, args := range hazardCommands {
					if folder, _, _ := strings.Cut(place, "/"); !strings.Contains(strings.Join(args, " "), folder) {
						continue // the command does not know the folder
					}
					require.NoError(t, os.RemoveAll(name)) // a command may have replaced the hazard
					hazard(t, name)
					out := runToEnd(t, dir, args)
					assert.NotContains(t, out, strings.TrimSpace(string(secret)), "%s: %q", kind, args)
					if t.Failed() {
						return
					}
				}
			}
		})
	}
}

// seenOutput calls a function when a server says that it serves.
type seenOutput struct {
	serves func()

	mu   sync.Mutex // protects the field below
	text strings.Builder
}

func (s *seenOutput) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	if text := s.text.String(); strings.Contains(text, "msg=serving") || strings.Contains(text, "/?token=") {
		s.serves()
	}
	return len(p), nil
}

func (s *seenOutput) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// runToEnd runs a command with the folders of dir, which ends by itself or, if it serves, by an
// interrupt.
func runToEnd(t *testing.T, dir string, args []string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &seenOutput{serves: cancel}
	ended := make(chan struct{})
	go func() { // ends with the command
		defer close(ended)
		if args[0] == "install" { // which has a home folder
			p := exec.CommandContext(ctx, "prompts", args...)
			p.Dir, p.Stdout, p.Stderr = filepath.Join(dir, "settings"), out, out
			p.Env = append(os.Environ(), "HOME="+filepath.Join(dir, "home"), "XDG_CACHE_HOME=")
			_ = p.Run() // the error is in the output
			return
		}
		var in []string
		for _, arg := range args {
			in = append(in, strings.ReplaceAll(arg, "DIR", dir))
		}
		run(ctx, in, strings.NewReader(""), out, out)
	}()
	select {
	case <-ended:
	case <-time.After(maxEnd):
		assert.Fail(t, "a command waits", "%q: %s", args, out)
	}
	return out.String()
}
