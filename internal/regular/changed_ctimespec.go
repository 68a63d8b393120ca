//go:build darwin || freebsd || netbsd

package regular

import (
	"io/fs"
	"syscall"
	"time"
)

// Changed returns the time at which the content or an attribute of a file changed. Unlike
// the time of a modification, no program sets it. Without such a time, Changed returns the zero time.
func Changed(info fs.FileInfo) time.Time {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(stat.Ctimespec.Unix())
	}
	return time.Time{}
}
