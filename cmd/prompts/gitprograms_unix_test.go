//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// programKeys are the keys of Git's configuration that can name a program, as git help
// --config writes them and with a name in each of their places. The value is a canary, or
// has one.
var programKeys = []struct{ key, set, value string }{
	{"alias.*", "alias.canary", "!%s"}, {"alias.*", "alias.log", "!%s"}, {"alias.*", "alias.rev-parse", "!%s"}, {"alias.*.command", "alias.canary.command", "!%s"},
	{"browser.<tool>.cmd", "browser.canary.cmd", ""}, {"browser.<tool>.path", "browser.canary.path", ""},
	{"core.alternateRefsCommand", "", ""}, {"core.askPass", "", ""}, {"core.editor", "", ""}, {"core.fsmonitor", "", ""},
	{"core.gitProxy", "", ""}, {"core.hooksPath", "", "hooks"}, {"core.pager", "", ""}, {"core.sshCommand", "", ""},
	{"credential.helper", "", ""}, {"credential.<url>.*", "credential.https://example.org.helper", ""},
	{"diff.external", "", ""}, {"diff.tool", "", "canary"}, {"diff.guitool", "", "canary"},
	{"diff.<driver>.command", "diff.canary.command", ""}, {"diff.<driver>.textconv", "diff.converted.textconv", ""},
	{"difftool.<tool>.cmd", "difftool.canary.cmd", ""}, {"difftool.<tool>.path", "difftool.canary.path", ""},
	{"filter.<driver>.clean", "filter.canary.clean", ""}, {"filter.<driver>.smudge", "filter.canary.smudge", ""}, {"filter.<driver>.process", "filter.process.process", ""},
	{"gpg.program", "", ""}, {"gpg.<format>.program", "gpg.ssh.program", ""}, {"gpg.<format>.program", "gpg.x509.program", ""}, {"gpg.ssh.defaultKeyCommand", "", ""},
	{"gc.recentObjectsHook", "", ""}, {"hook.<friendly-name>.command", "hook.canary.command", ""}, {"hook.<friendly-name>.event", "hook.canary.event", "reference-transaction"},
	{"guitool.<name>.cmd", "guitool.canary.cmd", ""}, {"help.browser", "", "canary"}, {"init.templateDir", "", "hooks"},
	{"instaweb.browser", "", ""}, {"instaweb.httpd", "", ""}, {"interactive.diffFilter", "", ""}, {"log.showSignature", "", "true"},
	{"man.<tool>.cmd", "man.canary.cmd", ""}, {"man.<tool>.path", "man.canary.path", ""}, {"man.viewer", "", "canary"},
	{"merge.<driver>.driver", "merge.canary.driver", ""}, {"merge.tool", "", "canary"}, {"merge.guitool", "", "canary"},
	{"mergetool.<tool>.cmd", "mergetool.canary.cmd", ""}, {"mergetool.<tool>.path", "mergetool.canary.path", ""},
	{"pager.<cmd>", "pager.log", ""}, {"pager.<cmd>", "pager.rev-parse", ""}, {"pager.<cmd>", "pager.ls-tree", ""},
	{"receive.procReceiveRefs", "", "refs"}, {"sequence.editor", "", ""},
	{"sendemail.ccCmd", "", ""}, {"sendemail.tocmd", "", ""}, {"sendemail.headerCmd", "", ""}, {"sendemail.smtpServer", "", ""}, {"sendemail.sendmailCmd", "", ""}, {"sendemail.<identity>.*", "sendemail.canary.tocmd", ""},
	{"submodule.<name>.update", "submodule.canary.update", "!%s"},
	{"trailer.<token>.cmd", "trailer.canary.cmd", ""}, {"trailer.<token>.command", "trailer.canary.command", ""},
	{"trailer.<key-alias>.cmd", "trailer.other.cmd", ""}, {"trailer.<key-alias>.command", "trailer.other.command", ""},
	{"uploadpack.packObjectsHook", "", ""}, {"web.browser", "", "canary"},
	{"url.<base>.insteadOf", "url.ext::%s .insteadOf", "canary:"}, {"url.<base>.pushInsteadOf", "url.ext::%s .pushInsteadOf", "canary:"},

	// Each remote may have the missing objects.
	{"extensions.partialClone", "", "upload"},
	{"remote.<name>.uploadpack", "remote.upload.uploadpack", ""}, {"remote.<name>.receivepack", "remote.upload.receivepack", ""}, {"remote.<name>.url", "remote.upload.url", "."},
	{"remote.<name>.promisor", "remote.upload.promisor", "true"},
	{"remote.<name>.url", "remote.ext.url", "ext::%s"}, {"remote.<name>.pushurl", "remote.ext.pushurl", "ext::%s"}, {"remote.<name>.promisor", "remote.ext.promisor", "true"},
	{"remote.<name>.url", "remote.instead.url", "canary:x"}, {"remote.<name>.promisor", "remote.instead.promisor", "true"},
	{"remote.<name>.url", "remote.ssh.url", "ssh://127.0.0.1/x"}, {"remote.<name>.promisor", "remote.ssh.promisor", "true"},
	{"remote.<name>.url", "remote.git.url", "git://127.0.0.1/x"}, {"remote.<name>.promisor", "remote.git.promisor", "true"},
	{"remote.<name>.url", "remote.vcs.url", "x"}, {"remote.<name>.vcs", "remote.vcs.vcs", "ext"}, {"remote.<name>.promisor", "remote.vcs.promisor", "true"},
	{"remote.<name>.url", "remote.origin.url", "https://ada:secret@example.org/acme/prompts.git?token=secret#secret"},
	{"protocol.<name>.allow", "protocol.ext.allow", "always"}, {"protocol.<name>.allow", "protocol.file.allow", "always"},
}

// otherKeys look like those of programKeys and name no program.
var otherKeys = strings.Fields(`
	advice.ignoredHook advice.waitingForEditor core.quotePath credential.useHttpPath diff.<driver>.cachetextconv
	fsck.fullPathname gitcvs.dbDriver http.proxy http.<url>.* remote.<name>.proxy include.path
	includeIf.<condition>.path http.sslCAPath fsck.gitmodulesPath
	receive.fsck.gitmodulesPath help.htmlPath instaweb.modulePath sendemail.smtpsslcertpath
	submodule.<name>.url notes.rewrite.<command> rebase.abbreviateCommands advice.updateSparsePath bundle.*
	bundle.<id>.* color.pager column.clean completion.commands extensions.* feature.* fetch.fsck.<msg-id>
	gc.repackFilter gitweb.url hasconfig:remote.*.url pretty.<name> remote.<name>.partialclonefilter
	remotes.<group> sideband.<url>.* uploadpack.allowFilter`)

// looksLikeProgram finds the keys that a newer Git adds, by the last part.
var looksLikeProgram = regexp.MustCompile(`(?i)\.([^.]*(command|commands|cmd|program|driver|textconv|pager|editor|hook|helper|askpass|pack|proxy|browser|path|tool|external|templatedir|filter|vcs|fsmonitor|viewer|httpd|showsignature|insteadof)|clean|smudge|process|update|url|pushurl|\*|<[^.]*>)$`)

// TestKeysOfPrograms checks that programKeys or otherKeys has each key of the installed Git
// that looks as if its value were a program.
func TestKeysOfPrograms(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, key := range otherKeys {
		known[strings.ToLower(key)] = true
	}
	for _, k := range programKeys {
		known[strings.ToLower(k.key)] = true
	}
	keys := strings.Fields(runGit(t, t.TempDir(), "help", "--config"))
	require.Greater(t, len(keys), 500)
	for _, key := range keys {
		if strings.Contains(key, ".") && looksLikeProgram.MatchString(key) && !known[strings.ToLower(key)] {
			t.Errorf("key %s of Git can name a program; add the key to programKeys or otherKeys", key)
		}
	}
}

// canaries are programs that leave a file when they run, and a configuration with them.
type canaries struct{ bin, hooks, ran, config string }

func newCanaries(t *testing.T) canaries {
	t.Helper()
	top := t.TempDir()
	c := canaries{filepath.Join(top, "bin"), filepath.Join(top, "hooks"), filepath.Join(top, "ran"), ""}
	for _, dir := range []string{c.bin, filepath.Join(c.hooks, "hooks"), c.ran} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	for _, hook := range []string{"fsmonitor-watchman", "post-index-change", "pre-auto-gc", "pre-commit", "post-checkout", "reference-transaction"} {
		c.write(t, filepath.Join(c.hooks, hook), "core.hooksPath")
		c.write(t, filepath.Join(c.hooks, "hooks", hook), "init.templateDir")
	}
	for _, k := range programKeys {
		if k.set == "" {
			k.set = k.key
		}
		name := strings.NewReplacer("/", "-", " ", "", "%", "").Replace(k.set)
		program := filepath.Join(c.bin, name)
		c.write(t, program, name)
		switch {
		case k.value == "":
			k.value = program
		case k.value == "hooks":
			k.value = c.hooks
		case strings.Contains(k.value, "%s"):
			k.value = fmt.Sprintf(k.value, program)
		}
		if strings.Contains(k.set, "%s") {
			k.set = fmt.Sprintf(k.set, program)
		}
		runGit(t, top, "config", "--file", "config", "--add", k.set, k.value)
	}
	text, err := os.ReadFile(filepath.Join(top, "config"))
	require.NoError(t, err)
	c.config = string(text)
	return c
}

func (c canaries) write(t *testing.T, file, name string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n: >'"+filepath.Join(c.ran, name)+"'\nexit 1\n"), 0o700))
}

// configure adds the configuration to a file.
func (c canaries) configure(t *testing.T, file string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString(c.config)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// all returns the canaries that have run, and forgets them.
func (c canaries) all(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(c.ran)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
		require.NoError(t, os.Remove(filepath.Join(c.ran, e.Name())))
	}
	return names
}

// hostileAttributes name the drivers of programKeys.
const hostileAttributes = "*.md filter=canary diff=canary merge=canary\nrules.txt diff=converted\nnotes.txt filter=process\n"

// hostileRepository makes a repository of prompts whose last commit has a signature. A blob of
// the first of its three commits is missing. Objects are in another repository too.
func hostileRepository(t *testing.T) (top, dir string) {
	t.Helper()
	top = t.TempDir()
	dir = filepath.Join(top, "texts")
	require.NoError(t, os.Mkdir(dir, 0o700))
	write := func(file, text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	runGit(t, top, "init", "-q")
	write(filepath.Join(top, ".gitattributes"), hostileAttributes)
	for _, text := range []string{"Lost.\n", "Found.\n", "Found again.\n"} {
		for _, name := range []string{"greet.md", "rules.txt", "notes.txt"} {
			write(filepath.Join(dir, name), text)
		}
		if text == "Found again.\n" {
			require.NoError(t, os.Remove(filepath.Join(dir, "notes.txt")))
		}
		runGit(t, top, "add", ".")
		runGit(t, top, "commit", "-q", "-m", text)
	}
	commit := runGit(t, top, "cat-file", "commit", "HEAD")
	signed := filepath.Join(top, "signed")
	const signature = "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\n"
	write(signed, strings.Replace(commit, "\n\n", signature, 1))
	runGit(t, top, "update-ref", "HEAD", strings.TrimSpace(runGit(t, top, "hash-object", "-t", "commit", "-w", signed)))
	lost := strings.TrimSpace(runGit(t, top, "rev-parse", "HEAD~2:texts/greet.md"))
	objects := filepath.Join(top, ".git", "objects")
	require.NoError(t, os.Remove(filepath.Join(objects, lost[:2], lost[2:])))
	other := t.TempDir()
	runGit(t, other, "init", "-q")
	runGit(t, other, "commit", "-q", "--allow-empty", "-m", "of another repository")
	write(filepath.Join(objects, "info", "alternates"), filepath.Join(other, ".git", "objects")+"\n")
	require.NoError(t, os.MkdirAll(filepath.Join(top, ".git", "info"), 0o700))
	write(filepath.Join(top, ".git", "info", "attributes"), hostileAttributes)
	return top, dir
}

// hostileForms are the forms that a hostile configuration has in what was cloned or unpacked.
// Each returns the folder of prompts.
var hostileForms = map[string]func(t *testing.T, c canaries) string{
	"folder .git": func(t *testing.T, c canaries) string {
		top, dir := hostileRepository(t)
		c.configure(t, filepath.Join(top, ".git", "config"))
		return dir
	},
	"include": func(t *testing.T, c canaries) string {
		top, dir := hostileRepository(t)
		c.configure(t, filepath.Join(top, "hostile"))
		runGit(t, top, "config", "include.path", "../hostile")
		runGit(t, top, "config", "includeIf.gitdir:/.path", filepath.Join(top, "hostile"))
		runGit(t, top, "config", "extensions.partialClone", "upload")
		return dir
	},
	"linked work tree": func(t *testing.T, c canaries) string {
		top, _ := hostileRepository(t)
		linked := filepath.Join(top, "linked")
		runGit(t, top, "worktree", "add", "-q", linked)
		runGit(t, top, "config", "extensions.worktreeConfig", "true")
		runGit(t, top, "config", "extensions.partialClone", "upload")
		c.configure(t, filepath.Join(top, ".git", "worktrees", "linked", "config.worktree"))
		return filepath.Join(linked, "texts")
	},
	"file .git": func(t *testing.T, c canaries) string {
		top, dir := hostileRepository(t)
		c.configure(t, filepath.Join(top, ".git", "config"))
		require.NoError(t, os.Rename(filepath.Join(top, ".git"), filepath.Join(top, "state")))
		require.NoError(t, os.WriteFile(filepath.Join(top, ".git"), []byte("gitdir: state\n"), 0o600))
		return dir
	},
	"folder like a bare repository": func(t *testing.T, c canaries) string {
		top, dir := hostileRepository(t)
		entries, err := os.ReadDir(filepath.Join(top, ".git"))
		require.NoError(t, err)
		for _, e := range entries {
			require.NoError(t, os.Rename(filepath.Join(top, ".git", e.Name()), filepath.Join(dir, e.Name())))
		}
		require.NoError(t, os.Remove(filepath.Join(top, ".git")))
		for key, value := range map[string]string{"core.bare": "false", "core.worktree": top} {
			runGit(t, top, "config", "--file", filepath.Join(dir, "config"), key, value)
		}
		c.configure(t, filepath.Join(dir, "config"))
		return dir
	},
}

// TestGitRunsNoProgram checks that no command runs a program that the configuration of a
// repository names, while Git itself runs them.
func TestGitRunsNoProgram(t *testing.T) { // not parallel: it changes the current folder
	c := newCanaries(t)
	for form, make := range hostileForms {
		t.Run(form, func(t *testing.T) {
			dir := make(t, c)
			t.Chdir(dir)
			c.all(t) // of making it
			reg, faults := loadFolders(t.Context(), []string{dir})
			require.Empty(t, faults)
			page := newAuthor(reg, []string{dir}, authorOptions{editor: defaultEditor})
			store := "oci-layout:" + filepath.Join(t.TempDir(), "store")
			ask := func(path, body string) (text string) {
				w := httptest.NewRecorder()
				page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body)))
				return w.Body.String()
			}
			command := func(args ...string) string {
				var out bytes.Buffer
				run(t.Context(), args, nil, &out, &out)
				return out.String()
			}
			for n, text := range []string{"Found again and again.\n", "Found again.\n"} { // changed, and committed
				require.NoError(t, os.WriteFile(filepath.Join(dir, "greet.md"), []byte(text), 0o600))
				texts := map[string]string{"push": command("push", dir, fmt.Sprintf("%s:state-%d", store, n))}
				for _, revision := range []string{"HEAD", "HEAD~1", "HEAD~2", "upload/main"} {
					texts["diff "+revision] = command("diff", revision+":./", ".")
					texts["since "+revision] = ask("/changes", fmt.Sprintf(`{"prompt":"greet","with":%q}`, revision))
					texts["in "+revision] = ask("/changes", fmt.Sprintf(`{"prompt":"greet","with":%q,"alone":true}`, revision))
				}
				texts["commits"] = ask("/commits", `{"prompt":"greet"}`)
				assert.Empty(t, c.all(t), "programs that ran; the commands printed %v", texts)
				assert.NotContains(t, texts["push"], "cannot read the commit")
				if form == "folder like a bare repository" {
					assert.Contains(t, texts["commits"], errNoRepository.Error())
				} else {
					assert.Contains(t, texts["commits"], "Found again.")
					assert.Contains(t, texts["since HEAD~1"], "again")
					assert.Contains(t, texts["diff HEAD~1"], "again")
					assert.Contains(t, texts["diff HEAD~2"], "missing")
				}
			}

			// Git itself runs them.
			for _, control := range []struct{ args, program string }{
				{"checkout -q -f .", "core.fsmonitor"}, {"rebase -i HEAD~1", "sequence.editor"}, {"diff HEAD~1", "diff.canary.command"}, {"log -p", "diff.converted.textconv"}, {"log", "gpg.program"},
				{"cat-file -p HEAD~2:texts/greet.md", "remote.upload.uploadpack"}, {"cat-file -p HEAD~2:texts/greet.md", "remote.ext.url"},
				{"cat-file -p HEAD~2:texts/greet.md", "core.sshCommand"}, {"cat-file -p HEAD~2:texts/greet.md", "core.gitProxy"},
				{"cat-file --filters HEAD:texts/greet.md", "filter.canary.smudge"}, {"cat-file --filters HEAD~1:texts/notes.txt", "filter.process.process"},
				{"hash-object greet.md", "filter.canary.clean"}, {"rev-list --alternate-refs", "core.alternateRefsCommand"},
				{"commit --allow-empty", "core.hooksPath"}, {"commit --allow-empty --no-verify", "core.editor"},
				{"credential fill", "credential.helper"}, {"credential fill", "core.askPass"},
				{"interpret-trailers --trailer canary=x", "trailer.canary.cmd"},
			} {
				git := exec.CommandContext(t.Context(), "git", strings.Fields(control.args)...)
				git.Stdin = strings.NewReader("url=https://example.org\n\n")
				git.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "TERM=dumb", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a")
				out, _ := git.CombinedOutput() // which mostly fails, because the canary fails
				assert.Contains(t, c.all(t), control.program, "git %s: %s", control.args, out)
			}
		})
	}
}

// fakeGit returns a program that is a script.
func fakeGit(t *testing.T, script string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "git")
	// A process that another test starts meanwhile would have the file open, and Linux runs no
	// file that is open for writing (go.dev/issue/22315).
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	return file
}

// TestOldGit checks that each command rejects a version of Git that was not tested, and names
// the version. A push continues without a commit.
func TestOldGit(t *testing.T) { // not parallel: it changes the environment and the current folder
	top := newRepository(t)
	t.Setenv("PATH", filepath.Dir(fakeGit(t, "echo git version 2.33.9 '(Apple Git-1)'"))+":/bin")
	t.Chdir(top)
	const want = "version of Git must be at least 2.34, got 2.33.9; update Git"
	for _, args := range [][]string{{"diff", "HEAD:texts", "texts"}, {"push", "texts", "oci-layout:store"}} {
		var out, errOut bytes.Buffer
		code := run(t.Context(), args, nil, &out, &errOut)
		assert.Contains(t, errOut.String(), want)
		assert.Equal(t, args[0] == "push", code == 0)
	}
	_, err := openRepository(t.Context(), top)
	assert.EqualError(t, err, want)
}

// TestGitIsBounded checks that Git ends after the time limit, after too much output, and with
// the context, and that its children end too.
func TestGitIsBounded(t *testing.T) {
	t.Parallel()
	r := &repository{own: t.TempDir(), timeout: time.Minute}
	r.program = fakeGit(t, "sleep 1000 & echo $!; wait")
	ctx, cancel := context.WithCancel(t.Context())
	pid := 0
	err := r.run(ctx, nil, func(b *bufio.Reader) error {
		line, err := b.ReadString('\n')
		require.NoError(t, err)
		pid, err = strconv.Atoi(strings.TrimSpace(line))
		require.NoError(t, err)
		cancel()
		_, err = io.Copy(io.Discard, b)
		return err
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Eventually(t, func() bool { return isGone(pid) }, time.Minute, time.Millisecond)

	r.program = fakeGit(t, "yes")
	_, err = r.output(t.Context())
	require.EqualError(t, err, "git printed more than the limit of 33554432 bytes")
	r.program = fakeGit(t, "echo 'fatal: the reason' >&2; exit 1")
	_, err = r.output(t.Context())
	require.EqualError(t, err, "the reason")
	r.program, r.timeout = fakeGit(t, "sleep 1000"), time.Millisecond
	_, err = r.output(t.Context())
	require.EqualError(t, err, "git did not end within 1ms")
}

// TestPipesInARepository checks that no pipe of an unpacked archive holds a command up.
func TestPipesInARepository(t *testing.T) {
	t.Parallel()
	top := newRepository(t)
	for _, name := range []string{"packed-refs", "ORIG_HEAD", "shallow", "refs/heads/pipe", "commondir"} {
		require.NoError(t, syscall.Mkfifo(filepath.Join(top, ".git", name), 0o600))
	}
	require.NoError(t, os.Remove(filepath.Join(top, ".git", "config")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(top, ".git", "config"), 0o600))
	assert.Len(t, pushed(t, filepath.Join(top, "texts")).Revision, 40)
}
