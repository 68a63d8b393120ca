package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/regular"
)

// This file runs Git, and no other file does. The configuration of a repository can name
// programs, and an unpacked archive or a folder of prompts can contain one, so Git never
// reads that configuration: each command runs in an empty repository of the program's own,
// with a copy of the refs and with the objects of the repository.
//
// go-git 5.19 runs no program at all. But go-git adds 18 modules, reads no reftables and no
// SHA-256 beside SHA-1, and hostile objects have tested Git, which reads the same objects in
// each clone, for longer.

const (
	gitTimeout   = time.Minute // of one command
	maxGitOutput = 32 << 20    // bytes that are kept in memory
	maxRefs      = 100_000     // files with refs
	maxRefBytes  = 256 << 20   // of all files with refs
	maxPath      = 4096        // bytes of a path that is read
)

// oldestGit is the oldest version that the tests have run with: that of Ubuntu 22.04.
var oldestGit = [2]int{2, 34}

var (
	errNoGit        = errors.New("program git is not in the PATH")
	errNoRepository = errors.New("folder is in no Git repository")
	gitVersion      = regexp.MustCompile(`^git version (([0-9]+)\.([0-9]+)\S*)`)
	upstream        = regexp.MustCompile(`(?i)@\{(u|upstream|push)\}`)
	gitExtension    = regexp.MustCompile(`^[a-z0-9]+$`)
)

// repository is the repository that a folder is in. Its methods only read.
type repository struct {
	program string // Git
	timeout time.Duration
	common  string // folder that all work trees share
	private string // folder of the work tree; the same without linked work trees
	prefix  string // path of the folder in the work tree; a slash ends it
	origin  string // URL of the remote

	own   string // temporary folder
	files int    // copied refs
	bytes int64  // of them
}

// openRepository returns errNoGit or errNoRepository if Git or the repository does not exist. It
// ignores bare repositories, because a folder of prompts can look like a bare repository.
func openRepository(ctx context.Context, dir string) (*repository, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, errNoGit
	}
	r := &repository{program: program, timeout: gitTimeout}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	if err := r.find(dir); err != nil {
		return nil, err
	}
	if r.own, err = os.MkdirTemp("", "prompts-git-"); err != nil {
		return nil, err
	}
	if err := r.prepare(ctx); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *repository) close() { _ = os.RemoveAll(r.own) }

// find finds the folders as Git does: .git here or above, or the folder that a file .git names.
func (r *repository) find(dir string) error {
	for top := dir; ; top = filepath.Dir(top) {
		r.private = filepath.Join(top, ".git")
		if text, ok := strings.CutPrefix(line(r.private), "gitdir: "); ok {
			r.private = from(top, text)
		}
		r.common = r.private
		if text := line(filepath.Join(r.private, "commondir")); text != "" {
			r.common = from(r.private, text)
		}
		if line(filepath.Join(r.private, "HEAD")) != "" && isDir(filepath.Join(r.common, "objects")) && isDir(filepath.Join(r.common, "refs")) {
			prefix, err := filepath.Rel(top, dir)
			if prefix != "." {
				r.prefix = filepath.ToSlash(prefix) + "/"
			}
			return err
		}
		if top == filepath.Dir(top) {
			return errNoRepository
		}
	}
}

// line returns the text of a small file without its line break. It is empty for no file.
func line(name string) string {
	text, _ := regular.ReadFile(context.Background(), name, maxPath)
	return strings.TrimRight(string(text), "\r\n")
}

func from(dir, name string) string {
	if name = filepath.FromSlash(name); filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func (r *repository) ownCommon() string { return filepath.Join(r.own, "git") }
func (r *repository) ownPrivate() string {
	if r.private == r.common {
		return r.ownCommon()
	}
	return filepath.Join(r.ownCommon(), "worktrees", "w")
}

func (r *repository) prepare(ctx context.Context) error {
	out, err := r.output(ctx, "version")
	if err != nil {
		return err
	}
	version := gitVersion.FindStringSubmatch(string(out))
	if version == nil {
		return fmt.Errorf("cannot read the version of Git: %s", phrase.Quote(string(out)))
	}
	major, _ := strconv.Atoi(version[2]) // 0 is too old
	minor, _ := strconv.Atoi(version[3])
	if slices.Compare([]int{major, minor}, oldestGit[:]) < 0 {
		return fmt.Errorf("version of Git must be at least %d.%d, got %s; update Git", oldestGit[0], oldestGit[1], version[1])
	}
	for _, dir := range []string{r.ownPrivate(), r.ownCommon()} {
		if err := os.MkdirAll(filepath.Join(dir, "refs"), 0o700); err != nil {
			return err
		}
	}
	if err := r.writeConfig(ctx); err != nil {
		return err
	}
	return r.copy(ctx, "HEAD", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "refs", "reftable", "packed-refs", "shallow")
}

// writeConfig writes the formats of the repository. With --file, Git reads its configuration as a text.
func (r *repository) writeConfig(ctx context.Context) error {
	config := "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n"
	name := filepath.Join(r.common, "config")
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		out, err := r.output(ctx, "config", "--file", name, "--no-includes", "--null", "--list")
		if err != nil {
			return fmt.Errorf("cannot read the configuration of the repository: %w", err)
		}
		for entry := range strings.SplitSeq(string(out), "\x00") {
			key, value, _ := strings.Cut(entry, "\n")
			switch key {
			case "remote.origin.url":
				if r.origin == "" {
					r.origin = value
				}
			case "extensions.objectformat", "extensions.refstorage":
				if !gitExtension.MatchString(value) {
					return fmt.Errorf("unknown %s of the repository: %q", key, value)
				}
				config += "\t" + strings.TrimPrefix(key, "extensions.") + " = " + value + "\n"
			}
		}
	}
	if r.private != r.common {
		if err := os.WriteFile(filepath.Join(r.ownPrivate(), "commondir"), []byte("../..\n"), 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(r.ownCommon(), "config"), []byte(config), 0o600)
}

// copy copies files and folders that exist. Unlike links, copies work on all systems.
func (r *repository) copy(ctx context.Context, names ...string) error {
	for _, name := range names {
		err := r.copyFrom(ctx, r.common, r.ownCommon(), name)
		if err == nil && r.private != r.common {
			err = r.copyFrom(ctx, r.private, r.ownPrivate(), name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *repository) copyFrom(ctx context.Context, dir, to, name string) error {
	root, err := filepath.EvalSymlinks(filepath.Join(dir, name))
	if err != nil {
		return nil // mostly none
	}
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); errors.Is(err, fs.ErrNotExist) {
			return nil // removed by Git in the meantime
		}
		relative, _ := filepath.Rel(root, file)
		target := filepath.Join(to, name, relative)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		case !d.Type().IsRegular():
			return nil
		}
		return r.copyFile(file, target)
	})
}

func (r *repository) copyFile(file, target string) error {
	in, err := regular.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(target)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, maxRefBytes-r.bytes+1))
	r.files, r.bytes = r.files+1, r.bytes+n
	if r.files > maxRefs || r.bytes > maxRefBytes {
		err = fmt.Errorf("repository has more than %d files with refs, or %d bytes; run git pack-refs --all", maxRefs, maxRefBytes)
	}
	return errors.Join(err, out.Close())
}

// gitFlags repeat for Git what its empty configuration ensures.
var gitFlags = []string{"--no-pager", "--literal-pathspecs", "-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false"}

// environment returns the environment of Git: without the variables of Git that the user has
// set, without any configuration but that of the temporary folder, and without transport.
func (r *repository) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(strings.ToUpper(v), "GIT_") })
	return append(env,
		"GIT_DIR="+r.ownPrivate(), "GIT_OBJECT_DIRECTORY="+filepath.Join(r.common, "objects"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
}

// run gives the output of Git to read. After an error of read, or the time limit, Git ends. The error is
// what Git prints.
func (r *repository) run(ctx context.Context, input io.Reader, read func(*bufio.Reader) error, args ...string) error {
	ctx, end := context.WithTimeoutCause(ctx, r.timeout, fmt.Errorf("git did not end within %v", r.timeout))
	defer end()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := exec.CommandContext(ctx, r.program, slices.Concat(gitFlags, args)...)
	inGroup(p)
	errOut := &limited{most: maxStderrBytes, full: func() {}}
	p.Dir, p.Env, p.Stdin, p.Stderr = r.own, r.environment(), input, errOut
	p.Cancel = func() error { return killGroup(p.Process) }
	p.WaitDelay = killDelay // of no effect on the output, which may be read long after Git has ended
	out, err := p.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.Start(); err != nil {
		if cause := context.Cause(ctx); cause != nil { // the time limit, or the end of the command
			return cause
		}
		return fmt.Errorf("cannot run git: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = out.Close() }) // a process of Git's may have it, too
	errRead := read(bufio.NewReaderSize(out, 2*maxPath))
	if errRead != nil {
		cancel(errRead)
	}
	stop()
	err = p.Wait()
	message, _, _ := strings.Cut(strings.TrimSpace(errOut.buffer.String()), "\n")
	switch cause := context.Cause(ctx); {
	case cause != nil && !errors.Is(cause, io.ErrUnexpectedEOF): // Git has ended before
		return cause
	case err != nil && message != "":
		return errors.New(strings.TrimPrefix(message, "fatal: "))
	}
	return errors.Join(errRead, err)
}

func (r *repository) output(ctx context.Context, args ...string) (out []byte, err error) {
	err = r.run(ctx, nil, func(b *bufio.Reader) (err error) {
		if out, err = io.ReadAll(io.LimitReader(b, maxGitOutput+1)); len(out) > maxGitOutput {
			err = fmt.Errorf("git printed more than the limit of %d bytes", maxGitOutput)
		}
		return err
	}, args...)
	return out, err
}

// inFolder returns a name for Git, as of HEAD:./a, whose path begins at the folder.
func (r *repository) inFolder(name string) (string, error) {
	depth := 0
	at := strings.IndexFunc(name, func(c rune) bool { // the colon in HEAD^{/a: b}:c
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		}
		return c == ':' && depth == 0
	})
	if at < 0 || !strings.HasPrefix(name[at+1:], "./") && !strings.HasPrefix(name[at+1:], "../") {
		return name, nil
	}
	switch file := path.Join(r.prefix, name[at+1:]); {
	case file == "..", strings.HasPrefix(file, "../"):
		return "", fmt.Errorf("path %s is outside of the repository", name[at+1:])
	case file == ".":
		return name[:at+1], nil
	default:
		return name[:at+1] + file, nil
	}
}

func (r *repository) object(ctx context.Context, name string) (id, kind string, err error) {
	if upstream.MatchString(name) {
		return "", "", errors.New("upstream of a branch is in the configuration of the repository, which is not read; write the name of the branch, such as origin/main")
	}
	if strings.Contains(name, "@{") { // such as HEAD@{1}
		if err := r.copy(ctx, "logs"); err != nil {
			return "", "", err
		}
	}
	if name, err = r.inFolder(name); err != nil {
		return "", "", err
	}
	typeOf, err := r.output(ctx, "cat-file", "-t", "--end-of-options", name)
	if err != nil { // with a reason, unlike the error of rev-parse
		return "", "", err
	}
	out, err := r.output(ctx, "rev-parse", "--verify", "--end-of-options", name)
	return strings.TrimSpace(string(out)), strings.TrimSpace(string(typeOf)), err
}

// names returns the paths in the folder that a file has had in its last commits.
func (r *repository) names(ctx context.Context, most int, file string) (names []string, err error) {
	out, err := r.output(ctx, "log", "--follow", "--no-show-signature", "--no-ext-diff", "--no-textconv", "-z", fmt.Sprintf("--max-count=%d", most), "--format=", "--name-only", "HEAD", "--", r.prefix+file)
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name, ok := strings.CutPrefix(name, r.prefix); ok && name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, err
}

// log returns the last commits of files. Before each is an empty record, which no file has for a name.
func (r *repository) log(ctx context.Context, most int, files []string) ([]byte, error) {
	relative := "--no-relative"
	if r.prefix != "" {
		relative = "--relative=" + r.prefix
	}
	args := []string{
		"log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--encoding=UTF-8", "-z", fmt.Sprintf("--max-count=%d", most),
		"--format=%x00%H%x1f%h%x1f%aI%x1f%an%x1f%s", "--name-only", "--full-diff", relative, "--no-renames", "HEAD", "--",
	}
	for _, file := range files {
		args = append(args, r.prefix+file)
	}
	return r.output(ctx, args...)
}
