package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/spf13/cobra"

	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptoci"
	"github.com/mcp-prompts/prompts/promptskills"
)

func newPush() *cobra.Command {
	var info promptoci.Info
	var created string
	var labels []string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "push DIR REF",
		Short: "Make a release of a folder and store it",
		Long: `Push checks the folder, stores its files as an immutable release, and prints the digest
of the release and of the content. The content digest is the same for the same files on
any machine. A folder with errors is not pushed. If the store has a release with the same
content, push prints that release. A label in REF, and each --tag, is moved to the release.`,
		Example: `  prompts push prompts oci-layout:releases:staging --message "shorter answers"
  prompts push prompts oci://ghcr.io/acme/prompts:staging`,
		Args: exactly(2),
	}
	flags := cmd.Flags()
	flags.StringVar(&info.Message, "message", "", "what is new in the release")
	flags.StringArrayVar(&labels, "tag", nil, "move this label to the release, too (repeatable)")
	flags.StringVar(&info.Revision, "revision", "", "commit of the files (default: that of Git, with -dirty if the files differ)")
	flags.StringVar(&info.Source, "source", "", "URL of the repository of the files, stored without user, query and fragment (default: the origin of Git)")
	flags.StringVar(&created, "created", "", "time of the release, such as 2026-11-23T18:30:00Z (default: SOURCE_DATE_EPOCH, or now)")
	flags.BoolVar(&dryRun, "dry-run", false, "print the digests and store nothing")
	return inStore(cmd, 1, false, func(cmd *cobra.Command, s *opened, args []string) (err error) {
		if s.Digest != "" {
			return usageErrorf("reference %s has a digest; give a label, or none", args[1])
		}
		if s.Label != "" {
			labels = append([]string{s.Label}, labels...)
		}
		for _, label := range labels {
			if err := promptoci.CheckLabel(label); err != nil {
				return usageError{bare(err)}
			}
		}
		if info.Created, err = createdAt(created); err != nil {
			return err
		}
		if err := openFolders(args[:1]); err != nil {
			return err
		}
		files, err := releaseFiles(args[0])
		if err != nil {
			for _, err := range all(err) {
				fmt.Fprintln(cmd.ErrOrStderr(), findingOf(args[0], "file", err))
			}
			return fmt.Errorf("folder %s has errors; no release was made", args[0])
		}
		if info.Source != "" {
			if info.Source = publicURL(info.Source); info.Source == "" {
				return usageErrorf("--source must be the URL of a repository, such as https://example.org/acme/prompts")
			}
		}
		if err := describe(cmd.Context(), args[0], files, &info); err != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "prompts: cannot read the commit of the files: %v\n", err)
		}
		release, err := promptoci.Build(files, info)
		if err != nil {
			return err
		}
		at := release.Digest
		if dryRun {
			labels = nil
		} else if at, err = pushNew(cmd.Context(), s.Store, release); err != nil {
			return err
		}
		printRelease(cmd, at, release)
		for _, label := range labels {
			if err := s.move(cmd, promptoci.Apply, promptoci.Move{Label: label, To: at, Reason: info.Message}); err != nil {
				return err
			}
		}
		return nil
	})
}

func printRelease(cmd *cobra.Command, at digest.Digest, r *promptoci.Release) {
	fmt.Fprintf(cmd.OutOrStdout(), "release  %s\ncontent  %s\nfiles    %d\n", at, r.Content, len(r.Files))
}

// pushNew pushes a release, unless the store has one with the same content.
func pushNew(ctx context.Context, s promptoci.Store, r *promptoci.Release) (digest.Digest, error) {
	all, err := promptoci.Releases(ctx, s)
	if err != nil {
		return "", err
	}
	for _, found := range all {
		if found.Content == r.Content { // unless a garbage collection has removed its content
			if _, err := promptoci.Pull(ctx, s, found.Digest.String(), promptoci.Limits{}); err == nil {
				return found.Digest, nil
			}
			break
		}
	}
	return r.Digest, promptoci.Push(ctx, s, r)
}

func releaseFiles(dir string) (map[string][]byte, error) {
	return promptfs.Files(regular.FS(dir), promptfs.Options{Logger: slog.New(slog.DiscardHandler), Skills: new(promptskills.Registry), ReadIgnore: readIgnore})
}

func createdAt(flag string) (time.Time, error) {
	if flag != "" {
		at, err := time.Parse(time.RFC3339, flag)
		if err != nil {
			return at, usageErrorf("--created must be a time such as 2026-11-23T18:30:00Z, got %q", flag)
		}
		return at, nil
	}
	if text := os.Getenv("SOURCE_DATE_EPOCH"); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return time.Time{}, usageErrorf("SOURCE_DATE_EPOCH must be a number of seconds, got %q", text)
		}
		return time.Unix(seconds, 0), nil
	}
	return time.Now(), nil
}

func describe(ctx context.Context, dir string, files map[string][]byte, i *promptoci.Info) error {
	i.Author = author()
	if i.Revision != "" && i.Source != "" {
		return nil
	}
	r, err := openRepository(ctx, dir)
	if errors.Is(err, errNoGit) || errors.Is(err, errNoRepository) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.close()
	i.Source = cmp.Or(i.Source, publicURL(r.origin))
	if i.Revision != "" {
		return nil
	}
	i.Revision, _, err = r.object(ctx, "HEAD")
	if err != nil {
		return nil // before the first commit
	}
	isCommitted, err := r.isCommitted(ctx, files)
	if !isCommitted {
		i.Revision += "-dirty"
	}
	return err
}

// isCommitted reports whether HEAD has the same files, but for the line breaks of Windows.
func (r *repository) isCommitted(ctx context.Context, files map[string][]byte) (bool, error) {
	side, err := r.side(ctx, "HEAD:./")
	if errors.As(err, new(usageError)) { // the commit does not have the folder
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer side.remove()
	committed, err := releaseFiles(side.dir)
	return err == nil && maps.EqualFunc(files, committed, func(file, old []byte) bool {
		return bytes.Equal(file, old) || bytes.Equal(bytes.ReplaceAll(file, []byte("\r\n"), []byte("\n")), old)
	}), nil
}

// publicURL returns a URL without user, password, query and fragment, so that anybody may read it.
// The result is empty for a path of this machine, and for an address of a remote helper of Git.
func publicURL(text string) string {
	if !strings.Contains(text, "://") { // user@host:path, as ssh knows it
		host, file, _ := strings.Cut(text[strings.LastIndexByte(text, '@')+1:], ":")
		if !strings.Contains(host, ".") || strings.ContainsAny(host, `/\`) || file == "" || file[0] == ':' { // a path, also of a drive, or a short form of this machine
			return ""
		}
		text = "ssh://" + host + "/" + strings.TrimLeft(file, "/")
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || !slices.Contains([]string{"https", "http", "ssh", "git", "git+ssh", "ssh+git"}, u.Scheme) {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

func newPull() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "pull REF DIR",
		Short: "Write the files of a release into a folder",
		Long: `Pull reads a release, checks each file by its digest, and writes the files into a folder
that does not exist or is empty. With --force, the content of the folder is replaced.`,
		Example: `  prompts pull oci-layout:releases:production prompts`,
		Args:    exactly(2),
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace the content of the folder")
	return inStore(cmd, 0, true, func(cmd *cobra.Command, s *opened, args []string) error {
		if args[1] == "" {
			return errEmptyPath
		}
		entries, err := os.ReadDir(args[1])
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("cannot read folder: %w", err)
		case len(entries) > 0 && !force:
			return usageErrorf("folder %s is not empty; give another one, or --force to replace its content", args[1])
		}
		r, err := s.pull(cmd.Context())
		if err != nil {
			return err
		}
		if content, ok := r.Files[settingsFile]; ok { // which come from others
			r.Files[settingsFile] = pulledSettings(content)
		}
		if err := writeFolder(args[1], r.Files); err != nil {
			return err
		}
		printRelease(cmd, r.Digest, r)
		return nil
	})
}

// writeFolder writes files into a temporary folder, which then takes the place of dir. If dir exists,
// only its entries change, because dir can be the working directory of a shell or a mount point.
func writeFolder(dir string, files map[string][]byte) (err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	isThere, parent := err == nil, dir
	if !isThere {
		parent = filepath.Dir(dir)
		if err := os.MkdirAll(parent, 0o755); err != nil {
			return err
		}
	}
	fresh, err := os.MkdirTemp(parent, ".prompts-pull-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(fresh)) }()
	next := filepath.Join(fresh, "next")
	if err := writeRelease(next, files); err != nil {
		return err
	}
	if !isThere {
		return os.Rename(next, dir)
	}
	old := filepath.Join(fresh, "old")
	if err := os.Mkdir(old, 0o755); err != nil {
		return err
	}
	move := func(from, to string, entries []fs.DirEntry) error {
		for _, e := range entries {
			if err := os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
				return err
			}
		}
		return nil
	}
	written, err := os.ReadDir(next)
	if err != nil {
		return err
	}
	return errors.Join(move(dir, old, entries), move(next, dir, written))
}
