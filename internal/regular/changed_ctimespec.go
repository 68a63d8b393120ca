//go:build darwin || freebsd || netbsd

package regular

import (
	"io/fs"
	"syscall"
	"time"
)

func Changed(info fs.FileInfo) time.Time {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(stat.Ctimespec.Unix())
	}
	return time.Time{}
}
