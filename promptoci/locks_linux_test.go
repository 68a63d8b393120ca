package promptoci

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lockers are the calls that lock a folder, by the file of the lock.
var lockers = map[string]func(t *testing.T, dir string, r *Release) error{
	".lock": func(t *testing.T, dir string, r *Release) error { return Push(t.Context(), layout{dir}, r) },
	cacheMark: func(t *testing.T, dir string, r *Release) error {
		c := &cache{dir: dir}
		defer c.close()
		return c.save(t.Context(), "production", r)
	},
}

// Users who may write to a folder may lock it, and others may not.
func TestLockOfAFolder(t *testing.T) {
	t.Parallel()
	for file, lock := range lockers {
		for folder, want := range map[fs.FileMode]fs.FileMode{0o700: 0o400, 0o755: 0o400, 0o775: 0o440, 0o777: 0o444} {
			dir := t.TempDir()
			require.NoError(t, os.Chmod(dir, folder))
			require.NoError(t, lock(t, dir, built(t, 1)))
			info, err := os.Stat(filepath.Join(dir, file))
			require.NoError(t, err)
			assert.Equal(t, want, info.Mode()&0o444, "%s in a folder of mode %o", file, folder)
		}
	}
}

// A file system without locks, as some of a network, is an error with the fix, and so is a lock of
// another user. Nothing is written that needs the lock.
func TestFolderWithoutLocks(t *testing.T) {
	t.Parallel()
	for errno, want := range map[syscall.Errno]string{
		syscall.ENOLCK:     "the file system has no file locks, so use a folder on another file system, such as a local disk",
		syscall.EOPNOTSUPP: "the file system has no file locks",
		syscall.ENOSYS:     "the file system has no file locks",
		syscall.EACCES:     "the folder is of another user",
	} {
		for file, lock := range lockers {
			dir, failed := t.TempDir(), make(chan error, 1)
			r := built(t, 1)
			go func() { // ends with its thread, which has no locks any more
				runtime.LockOSThread()
				if err := withoutLocks(errno); err != nil {
					failed <- err
					return
				}
				failed <- lock(t, dir, r)
			}()
			err := <-failed
			assert.ErrorIs(t, err, errno, file)
			assert.ErrorContains(t, err, fmt.Sprintf("cannot lock %s: ", dir), file)
			assert.ErrorContains(t, err, want, file)
			for _, name := range []string{"index.json", cacheFile, "release-" + r.Digest.Encoded()} {
				assert.NoFileExists(t, filepath.Join(dir, name))
				assert.NoDirExists(t, filepath.Join(dir, name))
			}
		}
	}
}

// withoutLocks makes the flock of this thread fail.
func withoutLocks(errno syscall.Errno) error {
	const (
		noNewPrivileges, setSeccomp, filterMode = 38, 22, 2 // of prctl
		load, jumpIfEqual, give                 = syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS, syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K, syscall.BPF_RET | syscall.BPF_K
		fail, allow                             = 0x50000, 0x7fff0000
	)
	filter := []syscall.SockFilter{
		{Code: load}, // the number of the system call
		{Code: jumpIfEqual, K: syscall.SYS_FLOCK, Jf: 1},
		{Code: give, K: fail | uint32(errno)},
		{Code: give, K: allow},
	}
	program := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	for _, args := range [][3]uintptr{{noNewPrivileges, 1}, {setSeccomp, filterMode, uintptr(unsafe.Pointer(&program))}} {
		if _, _, err := syscall.RawSyscall6(syscall.SYS_PRCTL, args[0], args[1], args[2], 0, 0, 0); err != 0 {
			return err
		}
	}
	runtime.KeepAlive(&program)
	return nil
}
