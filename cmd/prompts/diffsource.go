package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

type diffSide struct {
	name   string // as the user gave it
	dir    string
	remove func() // of what was made for it
}

// diffSources each return nil for an argument that is another one's.
var diffSources = []func(ctx context.Context, arg string) (*diffSide, error){folderSide, releaseSide, gitSide}

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
	maxRevisionFiles = 100_000   // and folders, of a folder of a revision
	maxRevisionBytes = 256 << 20 // of their paths, and of the files that are read
	maxRevisionFile  = 4 << 20   // bytes of a file that is read: no larger one is loaded
)

// gitSide opens REVISION:FOLDER. FOLDER begins at the root of the repository, or with ./ at the current folder.
func gitSide(ctx context.Context, arg string) (*diffSide, error) {
	if revision, _, ok := strings.Cut(arg, ":"); !ok || revision == "" || len(revision) == 1 && revision != "@" { // C:\prompts
		return nil, nil
	}
	r, err := openRepository(ctx, ".")
	switch {
	case errors.Is(err, errNoGit):
		return nil, fmt.Errorf("%s looks like a Git revision, but the %w", arg, err)
	case errors.Is(err, errNoRepository):
		return nil, notInGit(arg, err)
	case err != nil:
		return nil, fmt.Errorf("cannot read %s: %w", arg, err)
	}
	defer r.close()
	return r.side(ctx, arg)
}

func notInGit(arg string, err error) error {
	return usageErrorf("folder %s is neither on the disk nor in Git: %w", arg, err)
}

func (r *repository) side(ctx context.Context, arg string) (*diffSide, error) {
	tree, kind, err := r.object(ctx, arg)
	if err != nil {
		return nil, notInGit(arg, err)
	}
	if kind != "tree" {
		return nil, usageErrorf("%s is not a folder; give the folder of the file", arg)
	}
	side, err := emptySide(arg)
	if err != nil {
		return nil, err
	}
	if err := r.write(ctx, tree, side.dir); err != nil {
		side.remove()
		return nil, fmt.Errorf("cannot read %s: %w", arg, err)
	}
	return side, nil
}

func emptySide(name string) (*diffSide, error) {
	dir, err := os.MkdirTemp("", "prompts-diff-")
	if err != nil {
		return nil, err
	}
	return &diffSide{name, dir, func() { _ = os.RemoveAll(dir) }}, nil
}

type gitFile struct {
	mode, object, path string
	size               int64
}

// write asks Git for the objects themselves, so that no attribute leaves out or changes a file.
func (r *repository) write(ctx context.Context, tree, to string) error {
	var files []gitFile
	list := func(entries *bufio.Reader) (err error) { files, err = readTree(entries); return err }
	if err := r.run(ctx, nil, list, "ls-tree", "-r", "-z", "-l", "--full-tree", tree); err != nil {
		return err
	}
	var objects strings.Builder
	for _, f := range files {
		if f.size <= maxRevisionFile {
			objects.WriteString(f.object + "\n")
		}
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	return r.run(ctx, strings.NewReader(objects.String()), func(contents *bufio.Reader) error {
		return writeFiles(root, files, contents)
	}, "cat-file", "--batch")
}

func readTree(entries *bufio.Reader) (files []gitFile, err error) {
	made := map[string]bool{".": true} // folders
	var bytes int64
	for {
		entry, err := entries.ReadSlice(0)
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		head, name, _ := strings.Cut(strings.TrimSuffix(string(entry), "\x00"), "\t")
		if err != nil || len(name) > maxPath {
			return nil, fmt.Errorf("folder has a path of more than %d bytes", maxPath)
		}
		fields := strings.Fields(head)
		if len(fields) != 4 || fields[1] != "blob" { // of submodules
			continue
		}
		size, _ := strconv.ParseInt(fields[3], 10, 64) // a blob has one
		files = append(files, gitFile{fields[0], fields[2], name, size})
		for dir := path.Dir(name); !made[dir]; dir = path.Dir(dir) {
			made[dir] = true
		}
		if size <= maxRevisionFile {
			bytes += size
		}
		if bytes += int64(len(name)); len(files)+len(made) > maxRevisionFiles || bytes > maxRevisionBytes {
			return nil, fmt.Errorf("folder exceeds the limit of %d files and folders, or %d bytes", maxRevisionFiles, maxRevisionBytes)
		}
	}
}

func writeFiles(root *os.Root, files []gitFile, contents *bufio.Reader) error {
	for _, f := range files {
		if err := root.MkdirAll(path.Dir(f.path), 0o755); err != nil {
			return err
		}
		var content []byte
		if f.size <= maxRevisionFile {
			head, err := contents.ReadString('\n')
			if err != nil {
				return io.ErrUnexpectedEOF
			}
			switch fields := strings.Fields(head); {
			case len(fields) == 2 && fields[1] == "missing":
				return fmt.Errorf("file %s is missing in the repository; in a partial clone, run git fetch --refetch --no-filter", f.path)
			case len(fields) != 3 || fields[2] != strconv.FormatInt(f.size, 10):
				return fmt.Errorf("git cat-file: unexpected %q", strings.TrimSpace(head))
			}
			content = make([]byte, f.size+1)
			if _, err := io.ReadFull(contents, content); err != nil {
				return io.ErrUnexpectedEOF
			}
			content = content[:f.size] // without the line break of cat-file
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
			err = out.Truncate(maxRevisionFile + 1)
		}
		if err = errors.Join(err, out.Close()); err != nil {
			return err
		}
	}
	return nil
}

func releaseSide(ctx context.Context, arg string) (*diffSide, error) {
	if !isReference(arg) {
		return nil, nil
	}
	s, err := new(storeOptions).open(arg, true)
	if err != nil {
		return nil, err
	}
	r, err := s.pull(ctx)
	if err != nil {
		return nil, err
	}
	side, err := emptySide(arg)
	if err != nil {
		return nil, err
	}
	side.dir = filepath.Join(side.dir, "prompts")
	if err := writeRelease(side.dir, r.Files); err != nil {
		side.remove()
		return nil, err
	}
	return side, nil
}
