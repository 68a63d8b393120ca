//go:build dragonfly || linux || openbsd || solaris

package regular

import (
	"io/fs"
	"syscall"
	"time"
)

// Changed returns the time at which the content or an attribute of a file changed, or zero. No
// program sets it, unlike the time of a modification.
func Changed(info fs.FileInfo) time.Time {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(stat.Ctim.Unix())
	}
	return time.Time{}
}
