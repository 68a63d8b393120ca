package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
)

// diffSide is one of the two sides of a diff: a folder of the disk.
type diffSide struct {
	name   string // as the user gave it
	dir    string
	remove func() // of what was made for it
}

// diffSources are what a side may be. Each returns nil for an argument that is another
// one's; the first that knows the argument opens the side.
var diffSources = []func(ctx context.Context, arg string) (*diffSide, error){folderSide, releaseSide, gitSide}

// openSide opens a side.
func openSide(ctx context.Context, arg string) (*diffSide, error) {
	if arg == "" {
		return nil, errEmptyPath
	}
	for _, open := range diffSources {
		if side, err := open(ctx, arg); side != nil || err != nil {
			return side, err
		}
	}
	return nil, usageErrorf("folder %s does not exist; for a Git revision, write REVISION:FOLDER, such as HEAD~1:%s", arg, "prompts")
}

// folderSide opens a path that exists.
func folderSide(_ context.Context, arg string) (*diffSide, error) {
	if _, err := os.Stat(arg); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err := openFolders([]string{arg}); err != nil {
		return nil, err
	}
	return &diffSide{arg, arg, func() {}}, nil
}

const (
	// maxRevisionFiles is the number of files that a folder of a revision may have.
	maxRevisionFiles = 100_000
	// maxRevisionFile is the size of the largest file that is read: no larger one is
	// loaded.
	maxRevisionFile = 4 << 20
)

// gitSide opens a folder of a Git revision, REVISION:FOLDER. FOLDER begins at the root of
// the repository, or with ./ at the current folder.
func gitSide(ctx context.Context, arg string) (*diffSide, error) {
	return gitSideIn(ctx, "", arg)
}

// gitSideIn opens a folder of a Git revision of the repository that dir is in.
func gitSideIn(ctx context.Context, dir, arg string) (*diffSide, error) {
	if revision, _, ok := strings.Cut(arg, ":"); !ok || revision == "" || len(revision) == 1 && revision != "@" { // C:\prompts
		return nil, nil
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, fmt.Errorf("%s looks like a Git revision, but the program git is not in the PATH", arg)
	}
	out, err := gitOutput(ctx, dir, "rev-parse", "--verify", "--end-of-options", arg)
	if err != nil {
		if _, reason := gitOutput(ctx, dir, "cat-file", "-t", "--end-of-options", arg); reason != nil {
			err = reason // rev-parse --verify names none
		}
		return nil, usageErrorf("folder %s is neither on the disk nor in Git: %w", arg, err)
	}
	tree := strings.TrimSpace(string(out))
	if kind, err := gitOutput(ctx, dir, "cat-file", "-t", tree); err != nil || strings.TrimSpace(string(kind)) != "tree" {
		return nil, usageErrorf("%s is not a folder; give the folder of the file", arg)
	}
	to, err := os.MkdirTemp("", "prompts-diff-")
	if err != nil {
		return nil, err
	}
	side := &diffSide{arg, to, func() { _ = os.RemoveAll(to) }}
	if err := writeTree(ctx, dir, tree, to); err != nil {
		side.remove()
		return nil, fmt.Errorf("cannot read %s: %w", arg, err)
	}
	return side, nil
}

// gitOutput runs git in a folder, or in the current one, and returns its output. Its error
// is what git prints.
func gitOutput(ctx context.Context, dir string, args ...string) ([]byte, error) {
	p := exec.CommandContext(ctx, "git", args...)
	var errOut bytes.Buffer
	p.Dir, p.Stderr = dir, &errOut
	out, err := p.Output()
	if message := strings.TrimSpace(errOut.String()); err != nil && message != "" {
		line, _, _ := strings.Cut(message, "\n")
		err = errors.New(strings.TrimPrefix(line, "fatal: "))
	}
	return out, err
}

// gitFile is a file of a tree.
type gitFile struct {
	mode, object, path string
	size               int64
}

// writeTree writes the files of a tree of the repository that dir is in into the folder to.
// It asks Git for the objects themselves, so that no attribute of the repository leaves out
// or changes a file.
func writeTree(ctx context.Context, dir, tree, to string) error {
	out, err := gitOutput(ctx, dir, "ls-tree", "-r", "-z", "-l", "--full-tree", tree)
	if err != nil {
		return err
	}
	var files []gitFile
	var objects strings.Builder
	for entry := range strings.SplitSeq(string(out), "\x00") {
		head, name, ok := strings.Cut(entry, "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) != 4 || fields[1] != "blob" { // the end, and submodules
			continue
		}
		size, _ := strconv.ParseInt(fields[3], 10, 64) // a blob has one
		if files = append(files, gitFile{fields[0], fields[2], name, size}); size <= maxRevisionFile {
			objects.WriteString(fields[2] + "\n")
		}
	}
	if len(files) > maxRevisionFiles {
		return fmt.Errorf("folder has more than %d files", maxRevisionFiles)
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	p := exec.CommandContext(ctx, "git", "cat-file", "--batch")
	p.Dir, p.Stdin = dir, strings.NewReader(objects.String())
	pipe, err := p.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.Start(); err != nil {
		return err
	}
	err = writeFiles(root, files, bufio.NewReader(pipe))
	if err != nil {
		_ = p.Process.Kill()
	}
	return errors.Join(err, p.Wait())
}

// writeFiles writes files whose contents come from git cat-file --batch.
func writeFiles(root *os.Root, files []gitFile, objects *bufio.Reader) error {
	for _, f := range files {
		if err := root.MkdirAll(path.Dir(f.path), 0o755); err != nil {
			return err
		}
		var content []byte
		if f.size <= maxRevisionFile {
			head, err := objects.ReadString('\n')
			if err != nil {
				return fmt.Errorf("git cat-file: %w", err)
			}
			if fields := strings.Fields(head); len(fields) != 3 || fields[2] != strconv.FormatInt(f.size, 10) {
				return fmt.Errorf("git cat-file: unexpected %q", strings.TrimSpace(head))
			}
			content = make([]byte, f.size)
			if _, err := io.ReadFull(objects, content); err != nil {
				return err
			}
			if _, err := objects.Discard(1); err != nil {
				return err
			}
		}
		const link = "120000"
		if f.mode == link {
			if err := root.Symlink(string(content), f.path); err != nil {
				return err
			}
			continue
		}
		out, err := root.Create(f.path)
		if err != nil {
			return err
		}
		_, err = out.Write(content)
		if f.size > maxRevisionFile { // so that loading says that it is too large
			err = out.Truncate(f.size)
		}
		if err = errors.Join(err, out.Close()); err != nil {
			return err
		}
	}
	return nil
}
