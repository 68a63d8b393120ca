package promptfs

import "github.com/fsnotify/fsnotify"

// FailToWatch makes the Folder unable to be told of changes.
func (f *Folder) FailToWatch(err error) {
	f.notify = func() (*fsnotify.Watcher, error) { return nil, err }
}
