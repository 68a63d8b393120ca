//go:build unix

package hosts_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/interop/hosts/model"
)

// serverName is the name of the server in each host. "prompts install" takes the name
// from the folder.
const serverName = "review"

// sandbox is a machine for one host: a home, a server and a model.
type sandbox struct {
	t       *testing.T
	host    *host
	dir     string // of everything
	home    string
	work    string   // the folder in which the host runs
	bin     string   // in PATH
	program []string // of the host
	record  string   // the file with the traffic of the server
	env     []string
	model   *model.Model
}

// serverOptions are those of the fixture.
type serverOptions struct {
	Source string `json:"-"`              // the folder of prompt files, or empty for the fixture's
	Only   bool   `json:"only,omitempty"` // no prompts but those of files
	Record string `json:"record"`
	Dir    string `json:"dir"`
	HTTP   string `json:"http,omitempty"`
	Tools  string `json:"tools,omitempty"`
	Skills string `json:"skills,omitempty"`
	Pages  int    `json:"pages,omitempty"`
}

// builtIn is the folder of programs, or empty.
var builtIn string

// programs builds the programs of this repository, once for all tests, and returns their
// folder.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "programs")
	if err != nil {
		return "", err
	}
	builtIn = dir
	for name, folder := range map[string]string{"prompts": "../../../cmd/prompts", "fixture": "fixture"} {
		out, err := exec.Command("go", "-C", folder, "build", "-o", filepath.Join(dir, name), ".").CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("build of %s: %w\n%s", folder, err, out)
		}
	}
	return dir, nil
})

// newSandbox returns a machine on which the host has the server. It is removed, and
// each of its processes ended, with the test.
func newSandbox(t *testing.T, h *host, o serverOptions, overHTTP bool) *sandbox {
	t.Helper()
	built, err := programs()
	require.NoError(t, err)
	version(t, h.folder, h.npm)
	dir, err := os.MkdirTemp("", "h") // short, because hosts have sockets in it
	require.NoError(t, err)
	s := &sandbox{t: t, host: h, dir: dir, home: filepath.Join(dir, "home"), bin: filepath.Join(dir, "bin"), record: filepath.Join(dir, "record")}
	s.work = filepath.Join(s.home, "shop")
	s.program = []string{program(t, h.folder, h.program)}
	if strings.HasSuffix(h.program, ".js") {
		node, err := exec.LookPath("node")
		require.NoError(t, err, "install Node.js 20 or later")
		s.program = append([]string{node}, s.program...)
	}
	s.model = model.Start()
	t.Cleanup(func() {
		endProcesses(dir)
		s.model.Close()
		_ = os.RemoveAll(dir) // a host may write while it is killed
	})
	for _, dir := range []string{s.work, s.bin, filepath.Join(dir, "tmp")} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	s.env = append([]string{
		"HOME=" + s.home, "TMPDIR=" + filepath.Join(dir, "tmp"), "PATH=" + s.bin + ":" + os.Getenv("PATH"),
		"LANG=C.UTF-8", "TERM=xterm-256color", "COLORTERM=truecolor", "SHELL=/bin/sh", marker + "=" + dir,
	}, strings.Fields(s.fill(h.env))...)
	for name, text := range h.files {
		s.write(name, s.fill(text))
	}
	folder := filepath.Join(s.home, serverName)
	require.NoError(t, os.CopyFS(folder, os.DirFS(cmp.Or(o.Source, "fixture/prompts"))))
	o.Record, o.Dir = s.record, folder
	if o.Skills != "" {
		o.Skills, err = filepath.Abs(o.Skills)
		require.NoError(t, err)
	}
	s.install(built, o, overHTTP)
	return s
}

// fill replaces the names of places in a text.
func (s *sandbox) fill(text string) string {
	return strings.NewReplacer("{prompts}", filepath.Join(s.bin, "prompts"), "{folder}", filepath.Join(s.home, serverName), "{home}", s.home, "{work}", s.work, "{model}", s.model.URL, "{platform}", platform).Replace(text)
}

// write writes a file in the home folder.
func (s *sandbox) write(name, text string) {
	path := filepath.Join(s.home, name)
	require.NoError(s.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(s.t, os.WriteFile(path, []byte(text), 0o600))
}

// traffic returns what was recorded since the last call of reset.
func (s *sandbox) traffic() []message {
	text, err := os.ReadFile(s.record)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(s.t, err)
	}
	return readTraffic(s.t, text)
}

// reset forgets the traffic of the server and of the model. hold is called before every
// answer of the model.
func (s *sandbox) reset(hold func()) {
	if err := os.Truncate(s.record, 0); !errors.Is(err, fs.ErrNotExist) {
		require.NoError(s.t, err)
	}
	s.model.Reset(hold)
}

// install adds the server to the host by "prompts install", which the user would call,
// and puts the fixture in the place of prompts. Over HTTP it starts the fixture and adds
// its URL as the host's documentation says.
func (s *sandbox) install(built string, o serverOptions, overHTTP bool) {
	t := s.t
	if s.host.command != "" {
		launcher := "#!/bin/sh\nexec " + strings.Join(s.program, " ") + ` "$@"` + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(s.bin, s.host.command), []byte(launcher), 0o700))
	}
	prompts := filepath.Join(s.bin, "prompts")
	if overHTTP {
		o.HTTP = "127.0.0.1:0"
	} else if s.host.noPrompts && o.Tools == "each" {
		o.Tools = "" // the entry has the flag --tools
	}
	options, err := json.Marshal(o)
	require.NoError(t, err)
	if overHTTP {
		s.installURL(built, options)
		return
	}
	if s.host.setup != nil {
		require.NoError(t, os.Link(filepath.Join(built, "fixture"), prompts))
		require.NoError(t, os.WriteFile(prompts+".json", options, 0o600))
		for _, line := range s.host.setup {
			if out := s.run(strings.Fields(s.fill(line))...); strings.Contains(out, "exit status") {
				t.Fatalf("%s %s:\n%s", s.host.title, line, out)
			}
		}
		return
	}
	require.NoError(t, os.Link(filepath.Join(built, "prompts"), prompts))
	if out := runHost(t, s.work, s.env, prompts, "install", s.host.name, filepath.Join("..", serverName)); strings.Contains(out, "exit status") {
		t.Fatalf("prompts install %s:\n%s", s.host.name, out)
	}
	require.NoError(t, os.Remove(prompts))
	require.NoError(t, os.Link(filepath.Join(built, "fixture"), prompts))
	require.NoError(t, os.WriteFile(prompts+".json", options, 0o600))
}

// run runs a command of the host.
func (s *sandbox) run(args ...string) string {
	s.t.Helper()
	return runHost(s.t, s.work, s.env, append(slices.Clone(s.program), args...)...)
}

// installURL starts the fixture over HTTP, and adds its URL to the host.
func (s *sandbox) installURL(built string, options []byte) {
	t := s.t
	program := filepath.Join(s.bin, "prompts")
	require.NoError(t, os.Link(filepath.Join(built, "fixture"), program))
	require.NoError(t, os.WriteFile(program+".json", options, 0o600))
	c := exec.Command(program)
	c.Env = s.env // and so with the marker by which the process is ended
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	line, err := bufio.NewReader(stderr).ReadString('\n') // until the server listens, or ends
	require.NoError(t, err)
	url := strings.TrimSpace(line)
	if s.host.urlCommand != "" {
		args := strings.Fields(strings.ReplaceAll(s.host.urlCommand, "{url}", url))
		if out := s.run(args...); strings.Contains(out, "exit status") {
			t.Fatalf("%s %s:\n%s", s.host.title, strings.Join(args, " "), out)
		}
		return
	}
	path := filepath.Join(s.home, s.host.urlFile)
	settings := map[string]any{}
	if _, err := os.Stat(path); err == nil {
		readJSON(t, path, &settings)
	}
	var entry any
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(s.host.urlEntry, "{url}", url)), &entry))
	settings[s.host.urlKey] = map[string]any{serverName: entry}
	text, err := json.Marshal(settings)
	require.NoError(t, err)
	s.write(s.host.urlFile, string(text))
}
