package main

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/promptoci"
)

// TestProgramsOfTheCommand checks that no file but these starts a program: Git, the command
// of --exec and of a client, and the browser.
func TestProgramsOfTheCommand(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var found []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range f.Imports {
			if i.Path.Value == `"os/exec"` {
				found = append(found, file)
			}
		}
	}
	assert.Equal(t, []string{"exec.go", "exec_unix.go", "exec_windows.go", "git.go", "install.go", "preview.go"}, found)
}

// runGit runs Git itself in a folder, and returns its output.
func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	git := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=Ada", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"}, args...)...)
	git.Dir = dir
	out, err := git.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
	return string(out)
}

// newRepository makes a repository with two commits of the prompt greet in folder texts.
func newRepository(t *testing.T, flags ...string) (top string) {
	t.Helper()
	top = t.TempDir()
	runGit(t, top, append([]string{"init", "-q"}, flags...)...)
	addCommits(t, top)
	return top
}

func addCommits(t *testing.T, top string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(top, "texts", "sub"), 0o700))
	for _, name := range []string{"notes.log", "texts/notes.log", "texts/other.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(top, name), []byte("Other.\n"), 0o600))
	}
	for _, text := range []string{"first", "second"} {
		require.NoError(t, os.WriteFile(filepath.Join(top, "texts", "greet.md"), []byte(text+"\nline\n"), 0o600))
		runGit(t, top, "add", ".")
		runGit(t, top, "commit", "-q", "-m", text)
	}
}

// repositoryForms are the forms of a repository that is read. Each returns the folder texts.
var repositoryForms = map[string]func(t *testing.T) string{
	"work tree":   func(t *testing.T) string { return filepath.Join(newRepository(t), "texts") },
	"SHA-256":     func(t *testing.T) string { return filepath.Join(newRepository(t, "--object-format=sha256"), "texts") },
	"packed refs": func(t *testing.T) string { return packed(t, newRepository(t)) },
	"linked work tree": func(t *testing.T) string {
		top, linked := newRepository(t), filepath.Join(t.TempDir(), "linked")
		runGit(t, top, "worktree", "add", "-q", "-b", "other", linked)
		addCommits(t, linked)
		return filepath.Join(linked, "texts")
	},
	"submodule": func(t *testing.T) string {
		top, other := t.TempDir(), newRepository(t)
		runGit(t, top, "init", "-q")
		runGit(t, top, "submodule", "--quiet", "add", other, "module")
		return filepath.Join(top, "module", "texts")
	},
	"separate folder": func(t *testing.T) string {
		return filepath.Join(newRepository(t, "--separate-git-dir="+filepath.Join(t.TempDir(), "state")), "texts")
	},
	"alternates": func(t *testing.T) string { return cloned(t, "--shared", newRepository(t)) },
	"shallow clone": func(t *testing.T) string {
		return cloned(t, "--depth=2", "file://"+filepath.ToSlash(newRepository(t)))
	},
	"detached HEAD": func(t *testing.T) string {
		top := newRepository(t)
		runGit(t, top, "checkout", "-q", "--detach")
		return filepath.Join(top, "texts")
	},
	"a folder like a bare repository in it": func(t *testing.T) string {
		top := newRepository(t)
		runGit(t, top, "init", "-q", "--bare", "texts")
		return filepath.Join(top, "texts")
	},
	"linked folder": func(t *testing.T) string {
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(filepath.Join(newRepository(t), "texts"), link); err != nil { // of Windows
			return filepath.Join(newRepository(t), "texts")
		}
		return link
	},
	"reftable, if Git has it": func(t *testing.T) string {
		if exec.CommandContext(t.Context(), "git", "init", "-q", "--ref-format=reftable", t.TempDir()).Run() != nil {
			return filepath.Join(newRepository(t), "texts")
		}
		top, linked := newRepository(t, "--ref-format=reftable"), filepath.Join(t.TempDir(), "linked")
		runGit(t, top, "worktree", "add", "-q", "-b", "other", linked)
		addCommits(t, linked)
		return filepath.Join(linked, "texts")
	},
}

func packed(t *testing.T, top string) string {
	runGit(t, top, "gc", "-q")
	runGit(t, top, "pack-refs", "--all")
	return filepath.Join(top, "texts")
}

func cloned(t *testing.T, flag, from string) string {
	top := t.TempDir()
	runGit(t, top, "clone", "-q", flag, from, "clone")
	return filepath.Join(top, "clone", "texts")
}

// TestRepositories checks that revisions of all forms of a repository are read, whatever the
// user's variables of Git are.
func TestRepositories(t *testing.T) { // not parallel: it changes the environment
	for form, make := range repositoryForms {
		t.Run(form, func(t *testing.T) {
			dir := make(t)
			branch := "main"
			if strings.Contains(runGit(t, dir, "branch", "--list", "other"), "other") {
				branch = "other"
			}
			temporary := t.TempDir()
			for name, value := range map[string]string{"GIT_DIR": "nowhere", "GIT_WORK_TREE": "nowhere", "GIT_INDEX_FILE": "nowhere", "TMPDIR": temporary} {
				t.Setenv(name, value)
			}
			r, err := openRepository(t.Context(), dir)
			require.NoError(t, err)
			for name, want := range map[string]string{
				"HEAD:texts": "second", "HEAD:./": "second", "@:./sub/..": "second", "HEAD:../texts": "second",
				branch + ":./": "second", "HEAD@{0}:./": "second", branch + "^{/fir:|sec}:./": "second", "HEAD~1:./": "first", branch + "^:texts": "first",
			} {
				side, err := r.side(t.Context(), name)
				require.NoError(t, err, name)
				content, err := os.ReadFile(filepath.Join(side.dir, "greet.md"))
				require.NoError(t, err)
				assert.Equal(t, want+"\nline\n", string(content), name)
				side.remove()
			}
			_, err = r.side(t.Context(), "HEAD:../../")
			assert.ErrorContains(t, err, "outside of the repository")
			_, err = r.side(t.Context(), "@{u}:./")
			assert.ErrorContains(t, err, "write the name of the branch")
			log, err := r.log(t.Context(), 2, []string{"greet.md"})
			require.NoError(t, err)
			assert.Contains(t, string(log), "second")
			assert.Contains(t, string(log), "first")
			r.close()
			left, err := os.ReadDir(temporary)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

// TestPushedRevision checks that a release is dirty if and only if its files differ from
// those of the commit.
func TestPushedRevision(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, text string // "" removes the file
		isDirty    bool
	}{
		"no change":                      {"texts/greet.md", "second\nline\n", false},
		"line breaks of Windows":         {"texts/greet.md", "second\r\nline\r\n", false},
		"changed prompt":                 {"texts/greet.md", "third\nline\n", true},
		"new prompt":                     {"texts/new.md", "New.\n", true},
		"removed prompt":                 {"texts/other.md", "", true},
		"changed file outside":           {"notes.log", "Changed.\n", false},
		"changed file that is no prompt": {"texts/notes.log", "Changed.\n", false},
		"new file that is no prompt":     {"texts/new.log", "New.\n", false},
		"removed file that is no prompt": {"texts/notes.log", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := newRepository(t)
			want := strings.TrimSpace(runGit(t, top, "rev-parse", "HEAD"))
			if c.isDirty {
				want += "-dirty"
			}
			if file := filepath.Join(top, filepath.FromSlash(c.file)); c.text == "" {
				require.NoError(t, os.Remove(file))
			} else {
				require.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
			}
			assert.Equal(t, want, pushed(t, filepath.Join(top, "texts")).Revision)
		})
	}
	top := t.TempDir()
	runGit(t, top, "init", "-q")
	require.NoError(t, os.WriteFile(filepath.Join(top, "greet.md"), []byte("Hello.\n"), 0o600))
	assert.Empty(t, pushed(t, top).Revision, "before the first commit")
}

// storeIn returns the store of releases in a folder.
func storeIn(t *testing.T, dir string) promptoci.Store {
	t.Helper()
	s, err := promptoci.Open(promptoci.Ref{Layout: dir}, promptoci.ClientOptions{})
	require.NoError(t, err)
	return s
}

// pushed returns what a release of a folder says of itself.
func pushed(t *testing.T, dir string, flags ...string) promptoci.Info {
	t.Helper()
	layout := filepath.Join(t.TempDir(), "store")
	var out, errOut bytes.Buffer
	code := run(t.Context(), append([]string{"push", dir, "oci-layout:" + layout + ":staging"}, flags...), nil, &out, &errOut)
	require.Zero(t, code, errOut.String())
	assert.Empty(t, errOut.String())
	r, err := promptoci.Pull(t.Context(), storeIn(t, layout), "staging", promptoci.Limits{})
	require.NoError(t, err)
	return r.Info
}

// TestPushedSource checks that a release names its repository without user, password, token
// and path of this machine, whether the URL is that of Git or that of the flag.
func TestPushedSource(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	for remote, want := range map[string]string{
		"https://example.org/acme/prompts.git":                                "https://example.org/acme/prompts.git",
		"https://ada:hunter2@example.org:8443/acme/prompts?t=hunter2#hunter2": "https://example.org:8443/acme/prompts",
		"https://hunter2@example.org/a%20b":                                   "https://example.org/a%20b",
		"https://example.org?token=hunter2":                                   "https://example.org",
		"HTTPS://ada@hunter2:x@example.org/x":                                 "https://example.org/x",
		"ssh://git@example.org:22/acme/prompts":                               "ssh://example.org:22/acme/prompts",
		"gh:acme/prompts":                                                     "",
		"git@example.org:acme/prompts.git":                                    "ssh://example.org/acme/prompts.git",
		"example.org:/srv/prompts?hunter2":                                    "ssh://example.org/srv/prompts",
		"ada:hunter2@example.org:acme/prompts":                                "ssh://example.org/acme/prompts",
		"git://example.org/acme/prompts":                                      "git://example.org/acme/prompts",
		"/home/hunter2/prompts":                                               "",
		"../hunter2":                                                          "",
		"~/hunter2:x":                                                         "",
		`C:\Users\hunter2\prompts`:                                            "",
		"C:/Users/hunter2/prompts":                                            "",
		`\\server\hunter2`:                                                    "",
		"file:///home/hunter2/prompts":                                        "",
		"file://server/home/hunter2":                                          "",
		"ext::sh -c hunter2":                                                  "",
		"codecommit::eu-central-1://hunter2@prompts":                          "",
		"https://ada:hunter2%zz@example.org/x":                                "",
		"https:///hunter2":                                                    "",
	} {
		t.Run(fmt.Sprintf("%q", remote), func(t *testing.T) {
			t.Parallel()
			top := newRepository(t)
			runGit(t, top, "config", "remote.origin.url", remote)
			assert.Equal(t, want, pushed(t, filepath.Join(top, "texts")).Source)
			assert.NotContains(t, want, secret)
			if want != "" {
				assert.Equal(t, want, pushed(t, filepath.Join(top, "texts"), "--source", remote).Source)
				return
			}
			var out, errOut bytes.Buffer
			assert.Equal(t, exitUsage, run(t.Context(), []string{"push", top, "oci-layout:" + t.TempDir(), "--source", remote}, nil, &out, &errOut))
			assert.NotContains(t, errOut.String(), secret)
		})
	}
}

// TestRevisionBomb checks that few objects that stand for very many bytes, files or folders
// are rejected before a file is written.
func TestRevisionBomb(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	runGit(t, top, "init", "-q")
	large := filepath.Join(top, "large")
	require.NoError(t, os.WriteFile(large, make([]byte, maxRevisionFile), 0o600))
	object := func(args ...string) string { return strings.TrimSpace(runGit(t, top, args...)) }
	tree := func(mode, kind, id string, n int) string {
		var entries strings.Builder
		for i := range n {
			fmt.Fprintf(&entries, "%s %s %s\tn%d\n", mode, kind, id, i)
		}
		git := exec.CommandContext(t.Context(), "git", "mktree")
		git.Dir, git.Stdin = top, strings.NewReader(entries.String())
		out, err := git.Output()
		require.NoError(t, err)
		return strings.TrimSpace(string(out))
	}
	largeFiles := tree("100644", "blob", object("hash-object", "-w", large), maxRevisionBytes/maxRevisionFile+1)
	require.NoError(t, os.WriteFile(large, []byte("x"), 0o600))
	files := tree("100644", "blob", object("hash-object", "-w", large), 10)
	folders := files
	for range 9 {
		files = tree("40000", "tree", files, 10)
	}
	for range 110 {
		folders = tree("40000", "tree", folders, 1)
	}
	folders = tree("40000", "tree", folders, 1000)
	r, err := openRepository(t.Context(), top)
	require.NoError(t, err)
	defer r.close()
	for _, bomb := range []string{largeFiles, files, folders} {
		_, err := r.side(t.Context(), bomb+":")
		assert.ErrorContains(t, err, "folder exceeds the limit of 100000 files and folders, or 268435456 bytes")
	}
}

// TestDiffBomb checks that few objects that stand for very many bytes of texts make a report
// of a limited size: each prompt calls one large partial, in both revisions.
func TestDiffBomb(t *testing.T) { // not parallel: it changes the working directory
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	top := t.TempDir()
	runGit(t, top, "init", "-q")
	require.NoError(t, os.Mkdir(filepath.Join(top, "_partials"), 0o755))
	for i := range 30 {
		require.NoError(t, os.WriteFile(filepath.Join(top, fmt.Sprintf("p%d.md", i)), []byte("{{template \"large\" .}}\n"), 0o600))
	}
	for _, text := range []string{"old", "new"} {
		require.NoError(t, os.WriteFile(filepath.Join(top, "_partials", "large.md"), []byte(strings.Repeat(text+strings.Repeat(" x", 500)+"\n", 1000)), 0o600))
		runGit(t, top, "add", "-A")
		runGit(t, top, "commit", "-qm", text)
	}
	t.Chdir(top)
	var out, errOut bytes.Buffer
	assert.Zero(t, run(t.Context(), []string{"diff", "HEAD~1:", "HEAD:", "--format", "json"}, nil, &out, &errOut), errOut.String())
	assert.Less(t, out.Len(), maxReportBytes+maxReportBytes/4)
	assert.Contains(t, out.String()[max(out.Len()-3000, 0):], `"leftOut": true`)
}

// TestTextsLeftOut checks that each format says which texts a long report leaves out, and that
// short lines count with the width to which they are filled up.
func TestTextsLeftOut(t *testing.T) {
	t.Parallel()
	budget := newBudget(1 << 20)
	all := budget.addDiff(nil, "a.md", "old", "new")
	all = budget.addDiff(all, "same.md", "same", "same")
	all = budget.addDiff(all, "b.md", "", strings.Repeat("\n", 10_000))
	all = budget.addDiff(all, "c.md", "", "x")
	assert.Equal(t, []textDiff{{Name: "a.md", Old: "old", New: "new"}, {Name: "b.md", IsLeftOut: true}, {Name: "c.md", IsLeftOut: true}}, all)
	for format, write := range diffFormats {
		var b strings.Builder
		require.NoError(t, write(&b, &diffReport{Prompts: []promptDiff{{Name: "p", Path: "p.md", Texts: all, Cases: all}}}))
		assert.Regexp(t, `(?s)leftOut|left out, because the report is long`, b.String(), format)
	}
}

// TestManyRefs checks the limits of the copied refs.
func TestManyRefs(t *testing.T) {
	t.Parallel()
	r, err := openRepository(t.Context(), newRepository(t))
	require.NoError(t, err)
	defer r.close()
	for _, change := range []func(){
		func() { r.files, r.bytes = maxRefs, 0 },
		func() { r.files, r.bytes = 0, maxRefBytes },
	} {
		change()
		assert.EqualError(t, r.copy(t.Context(), "refs"), "repository has more than 100000 files with refs, or 268435456 bytes; run git pack-refs --all")
	}
}
