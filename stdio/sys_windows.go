package stdio

import (
	"errors"
	"os"
	"syscall"
)

// errorNoData is ERROR_NO_DATA, "the pipe is being closed", which package syscall does not name.
const errorNoData = syscall.Errno(232)

var goneErrnos = []error{syscall.ERROR_BROKEN_PIPE, errorNoData, syscall.WSAECONNRESET, syscall.WSAECONNABORTED}

func duplicate(*os.File) (*os.File, error) {
	return nil, errors.ErrUnsupported
}
