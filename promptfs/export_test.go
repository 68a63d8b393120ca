package promptfs

import "github.com/fsnotify/fsnotify"

// FailToWatch makes the Folder use this watcher, or none because of err.
func (f *Folder) FailToWatch(w *fsnotify.Watcher, err error) {
	f.notify = func() (*fsnotify.Watcher, error) { return w, err }
}
