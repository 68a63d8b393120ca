package promptfs

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/mcp-prompts/prompts/promptskills"
)

// heartbeat is the interval at which [Folder.Watch] checks that it still watches the right
// directory. While the system does not report changes, Watch checks all files at the same interval.
const heartbeat = 2 * time.Second

// debounceLimit limits how long files that keep changing are not read, in units of
// Options.Debounce.
const debounceLimit = 10

// Watch reloads at the start and whenever files change, until ctx ends. It returns when all its
// goroutines have ended. Changes since the last [Folder.Reload] are not lost. A folder from
// [NewFolder] has no notifications: Watch scans its files every Options.PollInterval, or every 2 s.
//
// A notification of the operating system only triggers a scan, so lost notifications and the way an
// editor writes files do not matter. If a directory is missing or cannot be watched, for example
// because of Linux's limit fs.inotify.max_user_watches, Watch scans all files every 2 s until
// watching works. If the path points to another directory after a change of a link or of a
// directory above, Watch notices within 2 s.
func (f *Folder) Watch(ctx context.Context) {
	if f == nil || f.turn == nil {
		panic(errNotMade)
	}
	w := f.newWatcher()
	defer w.close()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	poll := make(<-chan time.Time) // never, but if it is wanted
	if f.options.PollInterval > 0 {
		ticker := time.NewTicker(f.options.PollInterval)
		defer ticker.Stop()
		poll = ticker.C
	}
	for {
		w.reload(ctx)
		for isDue := false; !isDue; {
			select {
			case <-ctx.Done():
				return
			case <-w.hints:
				w.settle(ctx)
				isDue = true
			case <-beat.C:
				if isDue = f.options.PollInterval <= 0 && !w.isComplete; w.hasMoved() {
					w.hint()
				}
			case <-poll:
				isDue = true
			}
		}
	}
}

type watcher struct {
	folder *Folder
	notify *fsnotify.Watcher // nil if the system does not report changes
	hints  chan struct{}     // holds a value if something has changed
	pump   sync.WaitGroup
	// isComplete reports whether the system reports changes in every directory.
	isComplete bool
	hasWarned  bool        // about that, since isComplete was true
	root       os.FileInfo // of the directory that is watched
}

func (f *Folder) newWatcher() *watcher {
	w := &watcher{folder: f, hints: make(chan struct{}, 1)}
	if f.dir == "" {
		return w
	}
	notify, err := f.notify()
	if err != nil {
		w.poll(f.dir, err)
		return w
	}
	w.notify = notify
	// The events are received all the time: fsnotify may block in Add until an event is received.
	w.pump.Go(func() {
		for {
			select {
			case _, ok := <-notify.Events:
				if !ok {
					return
				}
			case err, ok := <-notify.Errors:
				if !ok {
					return
				}
				if !errors.Is(err, fsnotify.ErrEventOverflow) { // a scan finds the changes of lost events
					f.options.Logger.Warn("file watcher failed; retrying", slog.Any("error", err))
				}
			}
			w.hint()
		}
	})
	return w
}

func (w *watcher) close() {
	if w.notify != nil {
		_ = w.notify.Close() // nothing depends on the error
	}
	w.pump.Wait()
}

func (w *watcher) settle(ctx context.Context) {
	most := time.NewTimer(debounceLimit * w.folder.options.Debounce)
	defer most.Stop()
	quiet := time.NewTimer(w.folder.options.Debounce)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.hints:
			quiet.Reset(w.folder.options.Debounce)
		case <-quiet.C:
			return
		case <-most.C:
			return
		}
	}
}

// reload reloads as soon as no file has just been changed, and then watches the directories that
// exist. Another check finds the changes in a directory before it was watched.
func (w *watcher) reload(ctx context.Context) {
	debounce := w.folder.options.Debounce
	most := time.Now().Add(debounceLimit * debounce)
	err := w.folder.reloadAfter(ctx, debounce) // which has logged the error
	for errors.Is(err, errChanging) && ctx.Err() == nil {
		select {
		case <-time.After(w.folder.options.Debounce):
		case <-ctx.Done():
		}
		if time.Now().After(most) {
			debounce = 0 // the changes are continuous
		}
		err = w.folder.reloadAfter(ctx, debounce)
	}
	if w.watch(ctx) {
		w.hint()
	}
	var e *Error
	if err != nil && (!errors.As(err, &e) || errors.Is(err, promptskills.ErrTooLarge)) {
		w.isComplete = false // no event may report the fix, such as the return of the directory or the end of a retained version
	}
}

func (w *watcher) hint() {
	select {
	case w.hints <- struct{}{}:
	default: // one is waiting already
	}
}

// hasMoved reports whether the path of the directory leads to another than the one that is watched.
func (w *watcher) hasMoved() bool {
	if w.folder.dir == "" {
		return false
	}
	info, err := os.Stat(w.folder.dir)
	if err != nil {
		return w.root != nil
	}
	return w.root == nil || !os.SameFile(info, w.root)
}

// watch watches the directories that are not watched yet, and reports whether
// there were any. The system itself stops watching removed directories.
func (w *watcher) watch(ctx context.Context) (more bool) {
	f := w.folder
	if f.dir == "" {
		return false
	}
	root, err := os.Stat(f.dir)
	if err != nil || w.root == nil || !os.SameFile(root, w.root) {
		w.root = nil
		if w.notify != nil {
			for _, path := range w.notify.WatchList() {
				_ = w.notify.Remove(path) // it may be removed already
			}
		}
	}
	if err != nil {
		w.isComplete = false // its return is not reported
		return false
	}
	if w.root = root; w.notify == nil {
		return false
	}
	watched := map[string]bool{}
	for _, path := range w.notify.WatchList() {
		watched[path] = true
	}
	w.isComplete = true
	for _, folder := range f.folders(ctx) {
		path := filepath.Join(f.dir, filepath.FromSlash(folder))
		if watched[path] {
			delete(watched, path)
			continue
		}
		switch err := w.notify.Add(path); {
		case err == nil:
			more = true
		case errors.Is(err, fs.ErrNotExist): // it was removed, and its parent reports that
		default:
			w.poll(path, err)
		}
	}
	for path := range watched {
		_ = w.notify.Remove(path) // no file is read from it any more
	}
	if w.isComplete {
		w.hasWarned = false
	}
	return more
}

// poll notes that a directory cannot be watched, so that Watch scans all files.
func (w *watcher) poll(path string, err error) {
	w.isComplete = false
	if w.hasWarned {
		return
	}
	w.hasWarned = true
	w.folder.options.Logger.Warn("cannot watch directory; polling instead", slog.String("directory", path), slog.Any("error", namingLimit(err)))
}

// namingLimit returns an error of inotify that names the exceeded limit. The text
// of the operating system is about disks and files.
func namingLimit(err error) error {
	switch {
	case runtime.GOOS != "linux":
	case errors.Is(err, syscall.ENOSPC):
		return errors.New("limit fs.inotify.max_user_watches is reached (1 watch per directory); raise the limit: sysctl fs.inotify.max_user_watches=1048576")
	case errors.Is(err, syscall.EMFILE):
		return errors.New("limit fs.inotify.max_user_instances or the limit of open files is reached; raise the limit: sysctl fs.inotify.max_user_instances=1024, or ulimit -n 65536")
	}
	return err
}

func (f *Folder) folders(ctx context.Context) []string {
	end, err := f.begin(ctx)
	if err != nil {
		return nil
	}
	defer end()
	if len(f.table.folders) == 0 {
		return []string{"."}
	}
	all := slices.Concat(f.table.folders, f.skills.folders)
	slices.Sort(all)
	return slices.Compact(all)
}
