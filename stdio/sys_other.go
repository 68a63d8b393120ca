//go:build !unix && !windows

package stdio

import (
	"errors"
	"os"
)

// goneErrnos are the errors that say that the other side has gone: none that
// these systems have in common.
var goneErrnos []error

// duplicate is not needed on systems without SIGPIPE.
func duplicate(*os.File) (*os.File, error) {
	return nil, errors.ErrUnsupported
}
