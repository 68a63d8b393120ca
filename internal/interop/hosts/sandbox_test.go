//go:build unix

package hosts_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	// exported is what "prompts export" has printed. If it is not empty, there is no server.
	exported string
	env      []string
	model    *model.Model
	close    func() // ends each process and removes all files, which are 250 MB of some hosts
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
	Pieces bool   `json:"pieces,omitempty"`
	// Program is the program prompts, which is run in place of the fixture's server, or empty.
	Program string `json:"program,omitempty"`
	// Export is a client for which the prompts are exported to the folder of the host, in place of
	// a server, or empty.
	Export string `json:"-"`
}

// noteText is in a file of the project, whose name is in the text of the prompt syntax.
const noteText = "NOTE-IN-THE-PROJECT"

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

// newSandbox returns a machine on which the host has the server. It is closed with the test,
// if not before.
func newSandbox(t *testing.T, h *host, o serverOptions, overHTTP bool) *sandbox {
	t.Helper()
	built, err := programs()
	require.NoError(t, err)
	version(t, h)
	dir, err := os.MkdirTemp("", "h") // short, because hosts have sockets in it
	require.NoError(t, err)
	s := &sandbox{t: t, host: h, dir: dir, home: filepath.Join(dir, "home"), bin: filepath.Join(dir, "bin"), record: filepath.Join(dir, "record")}
	s.work = filepath.Join(s.home, "shop")
	s.program = []string{program(t, h.folder, h.program)}
	if strings.HasSuffix(h.program, ".js") {
		s.program = append([]string{node(t, h.folder)}, s.program...)
	}
	s.model = model.Start()
	s.close = sync.OnceFunc(func() {
		endProcesses(dir)
		s.model.Close()
		_ = os.RemoveAll(dir) // a host may write while it is killed
	})
	t.Cleanup(s.close)
	for _, dir := range []string{s.work, s.bin, filepath.Join(dir, "tmp")} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	s.env = append([]string{
		"HOME=" + s.home, "TMPDIR=" + filepath.Join(dir, "tmp"), "PATH=" + s.bin + ":" + os.Getenv("PATH"),
		"LANG=C.UTF-8", "TERM=xterm-256color", "COLORTERM=truecolor", "SHELL=/bin/sh", marker + "=" + dir,
		"NODE_COMPILE_CACHE=" + filepath.Join(built, "node"), // hosts in Node.js start in a third of the time
	}, strings.Fields(s.fill(h.env))...)
	s.write("shop/note.txt", noteText+"\n")
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
	if h.first != nil {
		s.must(h.first...)
	}
	return s
}

// fill replaces the names of places in a text.
func (s *sandbox) fill(text string) string {
	modules, err := filepath.Abs(filepath.Join(s.host.folder, "node_modules"))
	require.NoError(s.t, err)
	return strings.NewReplacer("{modules}", modules, "{prompts}", filepath.Join(s.bin, "prompts"), "{folder}", filepath.Join(s.home, serverName), "{home}", s.home, "{work}", s.work, "{model}", s.model.URL, "{platform}", platform).Replace(text)
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
// and puts the fixture in the place of prompts. Over HTTP, and in a host that "prompts
// install" does not know, it adds the server as the host's documentation says.
func (s *sandbox) install(built string, o serverOptions, overHTTP bool) {
	t, h := s.t, s.host
	if h.command != "" {
		launcher := "#!/bin/sh\nexec " + strings.Join(s.program, " ") + ` "$@"` + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(s.bin, h.command), []byte(launcher), 0o700))
	}
	if h.setup != "" {
		s.must(strings.Fields(s.fill(h.setup))...)
	}
	prompts := filepath.Join(s.bin, "prompts")
	isKnown := !overHTTP && h.addCommand+h.addEntry == ""
	if isKnown {
		require.NoError(t, os.Link(cmp.Or(o.Program, filepath.Join(built, "prompts")), prompts))
		if o.Export != "" {
			s.exported = runHost(t, s.work, s.env, prompts, "export", o.Export, filepath.Join("..", serverName))
			return
		}
		if out := runHost(t, s.work, s.env, prompts, "install", h.name, filepath.Join("..", serverName)); strings.Contains(out, "exit status") {
			t.Fatalf("prompts install %s:\n%s", h.name, out)
		}
		require.NoError(t, os.Remove(prompts))
	}
	if overHTTP {
		o.HTTP = "127.0.0.1:0"
	} else if h.noPrompts && o.Tools == "each" {
		o.Tools = "" // the entry has the flag --tools
	}
	options, err := json.Marshal(o)
	require.NoError(t, err)
	require.NoError(t, os.Link(filepath.Join(built, "fixture"), prompts))
	require.NoError(t, os.WriteFile(prompts+".json", options, 0o600))
	switch {
	case overHTTP:
		url := strings.NewReplacer("{url}", s.startHTTP(prompts))
		s.add(url.Replace(h.urlCommand), url.Replace(h.urlEntry))
	case !isKnown:
		s.add(s.fill(h.addCommand), s.fill(h.addEntry))
	}
	if file := h.patience[0]; file != "" {
		old, err := os.ReadFile(filepath.Join(s.home, file))
		require.NoError(t, err)
		s.write(file, string(old)+h.patience[1])
	}
}

// add adds the server by a command of the host, or, if it is empty, by an entry in its
// configuration.
func (s *sandbox) add(command, entry string) {
	t, h := s.t, s.host
	if command != "" {
		s.must(strings.Fields(command)...)
		return
	}
	path := filepath.Join(s.home, h.urlFile)
	old, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
	}
	if h.urlKey == "" {
		s.write(h.urlFile, string(old)+entry)
		return
	}
	settings := map[string]any{}
	if len(old) > 0 {
		require.NoError(t, json.Unmarshal(old, &settings))
	}
	settings[h.urlKey] = map[string]any{serverName: json.RawMessage(entry)}
	text, err := json.Marshal(settings)
	require.NoError(t, err)
	s.write(h.urlFile, string(text))
}

// run runs a command of the host.
func (s *sandbox) run(args ...string) string {
	s.t.Helper()
	return runHost(s.t, s.work, s.env, append(slices.Clone(s.program), args...)...)
}

// must runs a command of the host that must not fail.
func (s *sandbox) must(args ...string) {
	s.t.Helper()
	if out := s.run(args...); strings.Contains(out, "exit status") {
		s.t.Fatalf("%s %s:\n%s", s.host.title, strings.Join(args, " "), out)
	}
}

// startHTTP starts the fixture over HTTP, and returns its URL.
func (s *sandbox) startHTTP(program string) string {
	c := exec.Command(program)
	c.Env = s.env // and so with the marker by which the process is ended
	stderr, err := c.StderrPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, c.Start())
	s.t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	url, err := readURL(stderr)
	require.NoError(s.t, err)
	return url
}

// readURL returns the URL that a server prints when it listens.
func readURL(stderr io.Reader) (string, error) {
	line, err := bufio.NewReader(stderr).ReadString('\n') // until the server listens, or ends
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "http://") {
		return "", fmt.Errorf("the server over HTTP does not start: %s", cmp.Or(line, fmt.Sprint(err)))
	}
	return line, nil
}
