package promptfs

import (
	"io/fs"
	"path"

	"github.com/fsnotify/fsnotify"
)

// FailToWatch makes the Folder use this watcher, or none because of err.
func FailToWatch(f *Folder, w *fsnotify.Watcher, err error) {
	f.notify = func() (*fsnotify.Watcher, error) { return w, err }
}

// Pause keeps the Folder from reading files until resume is called.
func Pause(f *Folder) (resume func()) {
	<-f.turn
	return func() { f.turn <- struct{}{} }
}

// Memory returns a file system in memory.
func Memory(files map[string]string) fs.FS {
	all := map[string]*memoryFile{}
	for name, content := range files {
		all[name] = &memoryFile{path.Base(name), 1, []byte(content), int64(len(content))}
	}
	return newMemory(all)
}

// MaxKeptBuffer is the largest buffer that is kept for the next file.
const MaxKeptBuffer = maxKeptBuffer

// KeptBuffer returns the size of a buffer that is kept, or 0.
func KeptBuffer() int {
	b := buffers.Get().(*[]byte)
	defer buffers.Put(b)
	return cap(*b)
}
